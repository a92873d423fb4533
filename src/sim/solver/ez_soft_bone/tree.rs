//! Set-up: the trees of particles, where curves end, and how everything stands at rest.

use super::super::super::scene::{NO_PARENT, Scene};
use super::colliders::EzWorldCollider;
use super::hull::HullCollider;
use super::point_batch::{build_batches, order_by_level};
use super::prepare::BatchInput;
use super::siblings::{ParticleDraft, link_siblings, resolve_curve_lengths};
use super::{JointRest, NONE, Particle, Rest, Sibling, State, refresh_tree, vector_to_local};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::vec_util::{IndexRange, sanitize};
use crate::sim::{SystemSetup, TipSetup};
use glam::Vec3;

/// How far beyond a leaf its tip is shown, metres.
const LEAF_LENGTH: f32 = 0.07;

/// What a frame lasts as long as none has been taken, seconds.
const DEFAULT_FRAME_SECONDS: f32 = 1.0 / 60.0;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let mut rest = Rest { solver_indices: vec![NONE; setup.joints.len()], ..Rest::default() };
    build_tree(&mut rest, setup, skeleton, world);
    let position = |bone: Option<BoneId>| bone.filter(|b| b.index() < skeleton.len()).map_or(NO_PARENT, |b| b.0);
    let root = rest.particles.first().map(|p| BoneId(p.bone)).and_then(|b| skeleton.parent(b));
    rest.component = position(setup.component.or(root));
    (rest.space_bone, rest.gravity_aligner) =
        (position(setup.ez_soft_bone.simulate_space), position(setup.ez_soft_bone.gravity_aligner));
    let hulls = setup.ez_soft_bone.colliders.iter().enumerate();
    rest.hulls = hulls.filter_map(|(i, c)| Some(HullCollider::new(i as u32, c.hull.as_ref()?))).collect();
    let mut corners = 0;
    for hull in &mut rest.hulls {
        hull.first_corner = corners;
        corners += hull.points.len();
    }
    update_component(&mut rest, setup);
    let state = initial_state(&rest, setup, world, corners);
    (rest, state)
}

/// What is neither topology nor a row.
pub(super) fn update_component(rest: &mut Rest, setup: &SystemSetup) {
    let margin = |i: usize| setup.ez_soft_bone.colliders.get(i).map_or(0.0, |c| sanitize(c.margin));
    rest.margins = (0..setup.colliders.len()).map(margin).collect();
    rest.force_field.clone_from(&setup.ez_soft_bone.force_field);
}

fn initial_state(rest: &Rest, setup: &SystemSetup, world: &WorldPose, corners: usize) -> State {
    let leaves = rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()).count();
    let count = rest.particles.len() + leaves;
    let mut state = State {
        points: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        velocities: vec![Vec3::ZERO; count],
        batch_inputs: vec![BatchInput::default(); rest.point_batches.len()],
        tip_points: rest.joints.iter().map(|j| j.tip).collect(),
        previous_space: world.frames.get(rest.space_bone as usize).copied().unwrap_or(Frame::WORLD),
        wind_time: 0.0,
        frame_seconds: DEFAULT_FRAME_SECONDS,
        world_colliders: vec![EzWorldCollider::default(); setup.colliders.len()],
        hull_corners: vec![Vec3::ZERO; corners],
    };
    snap_points(rest, &mut state, &world.frames);
    state
}

/// Lets every tip stand still where the pose has it.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    refresh_tree(rest, scene);
    state.previous_space = *scene.parent_frame(rest.space_bone);
    state.wind_time = 0.0;
    snap_points(rest, state, scene.frames);
}

fn snap_points(rest: &Rest, state: &mut State, frames: &[Frame]) {
    for (i, particle) in rest.particles.iter().enumerate() {
        let at = match frames.get(particle.bone as usize) {
            Some(frame) => frame.position,
            None => {
                frames[rest.joints[particle.head_joint as usize].bone as usize].transform_point(particle.local_offset)
            }
        };
        state.points[i] = if at.is_finite() { at } else { Vec3::ZERO };
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = frames[joint.bone as usize].transform_point(joint.tip_offset);
        state.points[joint.tip as usize] = if at.is_finite() { at } else { Vec3::ZERO };
    }
    state.previous.copy_from_slice(&state.points);
    state.velocities.fill(Vec3::ZERO);
}

/// The points of a joint's tip: their bones, and where they are in the joint's space, metres.
type TipPoints = Vec<(Option<BoneId>, Vec3)>;

/// The points that a joint's tip consists of: bones below it, or a virtual one; in its own space, metres.
fn tip_points(setup: &SystemSetup, i: usize, skeleton: &Skeleton, world: &WorldPose) -> TipPoints {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    // A tip as far off as files can say has no direction.
    let near =
        |tip: &Vec3| tip.length().is_finite() && frame.transform_point(*tip).distance(frame.position).is_finite();
    let place = |tip: BoneId| match skeleton.parent(tip) {
        Some(parent) if parent == joint.bone => skeleton.bone(tip).rest.translation,
        _ => frame.inverse_transform_point(world.frame(tip).position),
    };
    let found = match &joint.tip {
        TipSetup::Offset(offset) => vec![(None, *offset)],
        // A bone that does not hang on the joint cannot be moved by it: the point where it is at rest.
        TipSetup::Bones(bones) => {
            let below = |tip: BoneId| Some(tip).filter(|tip| skeleton.is_ancestor(joint.bone, *tip));
            bones.iter().map(|tip| (below(*tip), place(*tip))).collect()
        }
    };
    found.into_iter().filter(|(_, at)| near(at)).collect()
}

/// Fills `rest` with trees and joints.
fn build_tree(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) {
    let mut own = vec![None; skeleton.len()];
    for (i, joint) in setup.joints.iter().enumerate() {
        own[joint.bone.index()].get_or_insert(i);
    }
    let all: Vec<_> = (0..setup.joints.len()).map(|i| tip_points(setup, i, skeleton, world)).collect();
    let mut hangs = vec![false; skeleton.len()];
    all.iter().flatten().filter_map(|(bone, _)| *bone).for_each(|bone| hangs[bone.index()] = true);
    rest.start_depth = setup.values.get(super::START_DEPTH) as u32;
    let (mut seeds, mut taken) = (Vec::new(), vec![false; skeleton.len()]);
    for (i, joint) in setup.joints.iter().enumerate() {
        if !hangs[joint.bone.index()] && own[joint.bone.index()] == Some(i) {
            collect_tree(&mut seeds, &mut taken, joint.bone, rest.start_depth, (&all, &own), skeleton, world);
        }
    }
    resolve_curve_lengths(&mut seeds, setup);
    let links = link_siblings(&seeds, setup);
    let (places, turns) = add_particles(rest, &seeds, &links, skeleton, setup);
    let joint_at = add_joints(rest, setup, &own, &places, skeleton, world);
    for (seed, place) in seeds.iter().zip(places) {
        rest.particles[place].head_joint = seed.head_joint.map_or(NONE, |joint| joint_at[joint]);
    }
    measure_siblings(rest, world);
    rest.has_siblings = rest.particles.iter().any(|p| p.siblings.iter().any(|s| s.particle != NONE));
    build_batches(rest, &turns, skeleton);
}

/// A root and all below it, depth first.
fn collect_tree(
    seeds: &mut Vec<ParticleDraft>,
    taken: &mut [bool],
    root: BoneId,
    start: u32,
    (tips, own): (&[TipPoints], &[Option<usize>]),
    skeleton: &Skeleton,
    world: &WorldPose,
) {
    let local = skeleton.bone(root).rest.translation;
    let mut stack = vec![ParticleDraft {
        bone: Some(root),
        parent: None,
        head_joint: None,
        depth: 0,
        length: 0.0,
        curve_length: 0.0,
        local_offset: local,
    }];
    while let Some(seed) = stack.pop() {
        let (parent, above, depth) = (seeds.len(), seed.length, seed.depth + 1);
        let bone = seed.bone;
        // A bone is a particle once, wherever it stands in lists.
        if bone.is_some_and(|bone| std::mem::replace(&mut taken[bone.index()], true)) {
            continue;
        }
        seeds.push(seed);
        let Some((bone, joint)) = bone.and_then(|bone| Some((bone, own[bone.index()]?))) else { continue };
        let frame = world.frame(bone);
        for (tip, local) in tips[joint].iter().rev() {
            let at = frame.transform_point(*local);
            let length = if depth > start { above + at.distance(frame.position) } else { 0.0 };
            let joint = Some(joint);
            stack.push(ParticleDraft {
                bone: *tip,
                parent: Some(parent),
                head_joint: joint,
                depth,
                length,
                curve_length: length,
                local_offset: *local,
            });
        }
    }
}

/// Puts the particles in the order of their turns; says where each seed went, and the turn of each particle.
fn add_particles(
    rest: &mut Rest,
    seeds: &[ParticleDraft],
    links: &[[Option<usize>; 2]],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let mut seed_of = vec![None; skeleton.len()];
    seeds.iter().enumerate().for_each(|(i, seed)| seed.bone.into_iter().for_each(|b| seed_of[b.index()] = Some(i)));
    let (sorted, turns) = order_by_level(rest.start_depth, seeds, links, &seed_of, skeleton, setup);
    let mut places = vec![0; seeds.len()];
    sorted.iter().enumerate().for_each(|(place, i)| places[*i] = place);
    let place_of = |seed: Option<usize>| seed.map_or(NONE, |seed| places[seed] as u32);
    for i in sorted.iter().copied() {
        let seed = &seeds[i];
        let from = rest.skipped_bones.len();
        if let Some(bone) = seed.bone {
            let above: Vec<_> = skeleton.ancestors(bone).filter(|b| *b != bone).collect();
            // Above a root that hangs on nothing, everything is up to date.
            let to = above.iter().position(|b| seed_of[b.index()].is_some()).unwrap_or(0);
            rest.skipped_bones.extend(above[..to].iter().rev().map(|b| b.0));
        }
        rest.particles.push(Particle {
            bone: seed.bone.map_or(NO_PARENT, |b| b.0),
            parent: place_of(seed.parent),
            head_joint: NONE,
            bone_joint: NONE,
            depth: seed.depth,
            length_fraction: if seed.curve_length == 0.0 { 0.0 } else { seed.length / seed.curve_length },
            local_offset: seed.local_offset,
            child: NONE,
            is_simulated: false,
            rotates: false,
            siblings: links[i].map(|at| Sibling { particle: place_of(at), offset: Vec3::ZERO }),
            skipped_bones: IndexRange::up_to_end(from, &rest.skipped_bones),
        });
    }
    (places, sorted.into_iter().map(|i| turns[i]).collect())
}

/// The joints in the order of their particles; where each of the setup is.
fn add_joints(
    rest: &mut Rest,
    setup: &SystemSetup,
    own: &[Option<usize>],
    places: &[usize],
    skeleton: &Skeleton,
    world: &WorldPose,
) -> Vec<u32> {
    let mut first = vec![NONE; rest.particles.len()];
    let mut count = vec![0; rest.particles.len()];
    // In the engine's order: a fork's first child may have a later turn than its others.
    for place in places.iter().filter(|place| rest.particles[**place].parent != NONE) {
        let parent = rest.particles[*place].parent as usize;
        first[parent] = if first[parent] == NONE { *place as u32 } else { first[parent] };
        count[parent] += 1;
    }
    let mut leaf = rest.particles.len() as u32;
    for i in 0..rest.particles.len() {
        let Some((bone, joint)) = Some(BoneId(rest.particles[i].bone))
            .filter(|b| b.index() < own.len())
            .and_then(|b| Some((b, own[b.index()]?)))
        else {
            continue;
        };
        let place = rest.joints.len() as u32;
        rest.solver_indices[joint] = place;
        rest.particles[i].bone_joint = place;
        rest.particles[i].child = if count[i] == 1 { first[i] } else { NONE };
        let end = || skeleton.bone(bone).rest.translation.normalize_or_zero() * LEAF_LENGTH;
        let offset = rest.particles.get(first[i] as usize).map_or_else(end, |tip| tip.local_offset);
        let tip = if first[i] == NONE { leaf } else { first[i] };
        leaf += u32::from(first[i] == NONE);
        let frame = world.frame(bone);
        let setup_of = &setup.joints[joint];
        let known = setup.valid_colliders(setup_of);
        let colliders = IndexRange::append(&mut rest.colliders, known);
        rest.joints.push(JointRest {
            bone: bone.0,
            enabled: setup_of.enabled,
            tip,
            tip_offset: offset,
            length: frame.transform_point(offset).distance(frame.position),
            colliders,
        });
    }
    rest.solver_indices.clone()
}

/// Measures the way from each particle to its siblings.
fn measure_siblings(rest: &mut Rest, world: &WorldPose) {
    let frame = |p: &Particle| {
        *world.frame(BoneId(if p.bone == NO_PARENT { rest.joints[p.head_joint as usize].bone } else { p.bone }))
    };
    let place =
        |p: &Particle| if p.bone == NO_PARENT { frame(p).transform_point(p.local_offset) } else { frame(p).position };
    let places: Vec<Vec3> = rest.particles.iter().map(place).collect();
    let frames: Vec<Frame> = rest.particles.iter().map(frame).collect();
    for (i, particle) in rest.particles.iter_mut().enumerate() {
        for sibling in particle.siblings.iter_mut().filter(|s| s.particle != NONE) {
            sibling.offset = vector_to_local(&frames[i], places[sibling.particle as usize] - places[i]);
        }
    }
}
