//! Set-up: the trees of particles, where curves end, and how everything stands at rest.

use super::super::super::scene::{Scene, WORLD};
use super::abreast::{order, plan};
use super::colliders::Placed;
use super::hull::Hull;
use super::links::{Seed, lengths, link};
use super::prepare::Now;
use super::{JointRest, NONE, Particle, Rest, Sibling, State, inverse_vector, refresh_tree};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::kernel::{Span, finite};
use crate::sim::{SystemSetup, TipSetup};
use glam::Vec3;

/// How far beyond a leaf its tip is shown, metres.
const LEAF: f32 = 0.07;

/// What a frame lasts as long as none has been taken, seconds.
const FRAME: f32 = 1.0 / 60.0;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let mut rest = Rest { order: vec![NONE; setup.joints.len()], ..Rest::default() };
    grow(&mut rest, setup, skeleton, world);
    let position = |bone: Option<BoneId>| bone.filter(|b| b.index() < skeleton.len()).map_or(WORLD, |b| b.0);
    let root = rest.particles.first().map(|p| BoneId(p.bone)).and_then(|b| skeleton.parent(b));
    rest.component = position(setup.component.or(root));
    (rest.space, rest.aligner) = (position(setup.ez.simulate_space), position(setup.ez.gravity_aligner));
    let hulls = setup.ez.colliders.iter().enumerate();
    rest.hulls = hulls.filter_map(|(i, c)| Some(Hull::new(i as u32, c.hull.as_ref()?))).collect();
    let mut corners = 0;
    for hull in &mut rest.hulls {
        hull.from = corners;
        corners += hull.points.len();
    }
    read_numbers(&mut rest, setup);
    let state = state(&rest, setup, world, corners);
    (rest, state)
}

/// What is neither topology nor a row.
pub(super) fn read_numbers(rest: &mut Rest, setup: &SystemSetup) {
    let margin = |i: usize| setup.ez.colliders.get(i).map_or(0.0, |c| finite(c.margin));
    rest.margins = (0..setup.colliders.len()).map(margin).collect();
    rest.field.clone_from(&setup.ez.force_field);
}

fn state(rest: &Rest, setup: &SystemSetup, world: &WorldPose, corners: usize) -> State {
    let leaves = rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()).count();
    let count = rest.particles.len() + leaves;
    let mut state = State {
        points: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        speeds: vec![Vec3::ZERO; count],
        now: vec![Now::default(); rest.fours.len()],
        tips: rest.joints.iter().map(|j| j.tip).collect(),
        space: world.frames.get(rest.space as usize).copied().unwrap_or(Frame::WORLD),
        clock: 0.0,
        frame: FRAME,
        placed: vec![Placed::default(); setup.colliders.len()],
        corners: vec![Vec3::ZERO; corners],
    };
    place_all(rest, &mut state, &world.frames);
    state
}

/// Lets every tip stand still where the pose has it.
pub(super) fn stand(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    refresh_tree(rest, scene);
    state.space = *scene.parent_frame(rest.space);
    state.clock = 0.0;
    place_all(rest, state, scene.frames);
}

fn place_all(rest: &Rest, state: &mut State, frames: &[Frame]) {
    for (i, particle) in rest.particles.iter().enumerate() {
        let at = match frames.get(particle.bone as usize) {
            Some(frame) => frame.position,
            None => frames[rest.joints[particle.joint as usize].bone as usize].point(particle.local),
        };
        state.points[i] = if at.is_finite() { at } else { Vec3::ZERO };
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = frames[joint.bone as usize].point(joint.offset);
        state.points[joint.tip as usize] = if at.is_finite() { at } else { Vec3::ZERO };
    }
    state.previous.copy_from_slice(&state.points);
    state.speeds.fill(Vec3::ZERO);
}

/// The points of a joint's tip: their bones, and where they are in the joint's space, metres.
type Tips = Vec<(Option<BoneId>, Vec3)>;

/// The points that a joint's tip consists of: bones below it, or a virtual one; in its own space, metres.
fn tips(setup: &SystemSetup, i: usize, skeleton: &Skeleton, world: &WorldPose) -> Tips {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    // A tip as far off as files can say has no direction.
    let near = |tip: &Vec3| tip.length().is_finite() && frame.point(*tip).distance(frame.position).is_finite();
    let place = |tip: BoneId| match skeleton.parent(tip) {
        Some(parent) if parent == joint.bone => skeleton.bone(tip).rest.translation,
        _ => frame.inverse_point(world.frame(tip).position),
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
fn grow(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) {
    let mut own = vec![None; skeleton.len()];
    for (i, joint) in setup.joints.iter().enumerate() {
        own[joint.bone.index()].get_or_insert(i);
    }
    let all: Vec<_> = (0..setup.joints.len()).map(|i| tips(setup, i, skeleton, world)).collect();
    let mut hangs = vec![false; skeleton.len()];
    all.iter().flatten().filter_map(|(bone, _)| *bone).for_each(|bone| hangs[bone.index()] = true);
    rest.start_depth = setup.values.get(super::START_DEPTH) as u32;
    let (mut seeds, mut taken) = (Vec::new(), vec![false; skeleton.len()]);
    for (i, joint) in setup.joints.iter().enumerate() {
        if !hangs[joint.bone.index()] && own[joint.bone.index()] == Some(i) {
            plant(&mut seeds, &mut taken, joint.bone, rest.start_depth, (&all, &own), skeleton, world);
        }
    }
    lengths(&mut seeds, setup);
    let links = link(&seeds, setup);
    let (places, turns) = settle(rest, &seeds, &links, skeleton, setup);
    let joint_at = join(rest, setup, &own, &places, skeleton, world);
    for (seed, place) in seeds.iter().zip(places) {
        rest.particles[place].joint = seed.joint.map_or(NONE, |joint| joint_at[joint]);
    }
    tie(rest, world);
    rest.is_linked = rest.particles.iter().any(|p| p.siblings.iter().any(|s| s.at != NONE));
    plan(rest, &turns, skeleton);
}

/// A root and all below it, depth first.
fn plant(
    seeds: &mut Vec<Seed>,
    taken: &mut [bool],
    root: BoneId,
    start: u32,
    (tips, own): (&[Tips], &[Option<usize>]),
    skeleton: &Skeleton,
    world: &WorldPose,
) {
    let local = skeleton.bone(root).rest.translation;
    let mut stack =
        vec![Seed { bone: Some(root), parent: None, joint: None, depth: 0, length: 0.0, whole: 0.0, local }];
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
            let at = frame.point(*local);
            let length = if depth > start { above + at.distance(frame.position) } else { 0.0 };
            let joint = Some(joint);
            stack.push(Seed { bone: *tip, parent: Some(parent), joint, depth, length, whole: length, local: *local });
        }
    }
}

/// Puts the particles in the order of their turns; says where each seed went, and the turn of each particle.
fn settle(
    rest: &mut Rest,
    seeds: &[Seed],
    links: &[[Option<usize>; 2]],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let mut seed_of = vec![None; skeleton.len()];
    seeds.iter().enumerate().for_each(|(i, seed)| seed.bone.into_iter().for_each(|b| seed_of[b.index()] = Some(i)));
    let (sorted, turns) = order(rest.start_depth, seeds, links, &seed_of, skeleton, setup);
    let mut places = vec![0; seeds.len()];
    sorted.iter().enumerate().for_each(|(place, i)| places[*i] = place);
    let place_of = |seed: Option<usize>| seed.map_or(NONE, |seed| places[seed] as u32);
    for i in sorted.iter().copied() {
        let seed = &seeds[i];
        let from = rest.between.len();
        if let Some(bone) = seed.bone {
            let above: Vec<_> = skeleton.ancestors(bone).filter(|b| *b != bone).collect();
            // Above a root that hangs on nothing, everything is up to date.
            let to = above.iter().position(|b| seed_of[b.index()].is_some()).unwrap_or(0);
            rest.between.extend(above[..to].iter().rev().map(|b| b.0));
        }
        rest.particles.push(Particle {
            bone: seed.bone.map_or(WORLD, |b| b.0),
            parent: place_of(seed.parent),
            joint: NONE,
            own: NONE,
            depth: seed.depth,
            along: if seed.whole == 0.0 { 0.0 } else { seed.length / seed.whole },
            local: seed.local,
            child: NONE,
            is_free: false,
            turns: false,
            siblings: links[i].map(|at| Sibling { at: place_of(at), offset: Vec3::ZERO }),
            between: Span::since(from, &rest.between),
        });
    }
    (places, sorted.into_iter().map(|i| turns[i]).collect())
}

/// The joints in the order of their particles; where each of the setup is.
fn join(
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
        rest.order[joint] = place;
        rest.particles[i].own = place;
        rest.particles[i].child = if count[i] == 1 { first[i] } else { NONE };
        let end = || skeleton.bone(bone).rest.translation.normalize_or_zero() * LEAF;
        let offset = rest.particles.get(first[i] as usize).map_or_else(end, |tip| tip.local);
        let tip = if first[i] == NONE { leaf } else { first[i] };
        leaf += u32::from(first[i] == NONE);
        let frame = world.frame(bone);
        let setup_of = &setup.joints[joint];
        let known = setup.known_colliders(setup_of);
        let colliders = Span::append(&mut rest.colliders, known);
        rest.joints.push(JointRest {
            bone: bone.0,
            enabled: setup_of.enabled,
            tip,
            offset,
            length: frame.point(offset).distance(frame.position),
            colliders,
        });
    }
    rest.order.clone()
}

/// Measures the way from each particle to its siblings.
fn tie(rest: &mut Rest, world: &WorldPose) {
    let frame =
        |p: &Particle| *world.frame(BoneId(if p.bone == WORLD { rest.joints[p.joint as usize].bone } else { p.bone }));
    let place = |p: &Particle| if p.bone == WORLD { frame(p).point(p.local) } else { frame(p).position };
    let places: Vec<Vec3> = rest.particles.iter().map(place).collect();
    let frames: Vec<Frame> = rest.particles.iter().map(frame).collect();
    for (i, particle) in rest.particles.iter_mut().enumerate() {
        for sibling in particle.siblings.iter_mut().filter(|s| s.at != NONE) {
            sibling.offset = inverse_vector(&frames[i], places[sibling.at as usize] - places[i]);
        }
    }
}
