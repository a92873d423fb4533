//! Builds the particle trees, the sibling links, the curve lengths and the batches.

use super::super::super::step_pose::{NO_PARENT, StepPose};
use super::colliders::EzWorldCollider;
use super::colliders::HullCollider;
use super::step::BatchInput;
use super::{
    CLOSED_SIBLINGS, JointRest, LENGTH_UNIFICATION, NONE, Particle, PointBatch, Rest, SIBLING_CONSTRAINTS, Sibling,
    State, refresh_tree, vector_to_local,
};
use crate::math::{Frame, Vec3x4, from_lanes};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::solver::batch::{dependency_levels, split_into_batches};
use crate::vec_util::{IndexRange, sanitize};
use crate::{JointSetup, SystemSetup, TipSetup};
use glam::{BVec4A, Vec3};
use std::collections::VecDeque;

/// Length of a leaf's displayed tip, in metres.
const LEAF_LENGTH: f32 = 0.07;

/// Frame length before the first step, in seconds.
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

/// Updates the values that are neither topology nor parameters.
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
        force_without_field: Vec3::ZERO,
        world_colliders: vec![EzWorldCollider::default(); setup.colliders.len()],
        hull_corners: vec![Vec3::ZERO; corners],
    };
    snap_points(rest, &mut state, &world.frames);
    state
}

/// Moves every tip to the pose and removes its velocity.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    refresh_tree(rest, step_pose);
    state.previous_space = *step_pose.parent_frame(rest.space_bone);
    state.wind_time = 0.0;
    snap_points(rest, state, step_pose.frames);
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

/// A point at a joint's tip.
#[derive(Clone, Copy, Debug)]
struct TipPoint {
    bone: Option<BoneId>,
    /// Position in the joint's space, in metres.
    local: Vec3,
    /// Index of the values of the system's forks, if the tip has values of its own.
    params: Option<usize>,
}

type TipPoints = Vec<TipPoint>;

/// Returns the points at a joint's tip: descendant bones, or virtual tips.
/// `first_params` is where the values of the first tip are.
fn tip_points(joint: &JointSetup, first_params: usize, skeleton: &Skeleton, world: &WorldPose) -> TipPoints {
    let frame = world.frame(joint.bone);
    // A tip at an infinite distance has no direction.
    let near =
        |tip: &Vec3| tip.length().is_finite() && frame.transform_point(*tip).distance(frame.position).is_finite();
    let place = |tip: BoneId| match skeleton.parent(tip) {
        Some(parent) if parent == joint.bone => skeleton.bone(tip).rest.translation,
        _ => frame.inverse_transform_point(world.frame(tip).position),
    };
    let found: Vec<(Option<BoneId>, Vec3)> = match &joint.tip {
        TipSetup::Offset(offset) => vec![(None, *offset)],
        // A bone that is not a descendant of the joint becomes a virtual tip at its rest position.
        TipSetup::Bones(bones) => {
            let below = |tip: BoneId| Some(tip).filter(|tip| skeleton.is_ancestor(joint.bone, *tip));
            bones.iter().map(|tip| (below(*tip), place(*tip))).collect()
        }
    };
    let point = |(tip, (bone, local))| TipPoint {
        bone,
        local,
        params: (tip < joint.tip_values.len()).then_some(first_params + tip),
    };
    found.into_iter().enumerate().map(point).filter(|point| near(&point.local)).collect()
}

fn build_tree(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) {
    let own = setup.joint_of_bone(skeleton);
    let with_params = setup.joints.iter().zip(setup.first_tip_params());
    let all: Vec<_> = with_params.map(|(joint, first)| tip_points(joint, first, skeleton, world)).collect();
    let mut hangs = vec![false; skeleton.len()];
    all.iter().flatten().filter_map(|tip| tip.bone).for_each(|bone| hangs[bone.index()] = true);
    rest.start_depth = setup.values.get(super::START_DEPTH) as u32;
    let source = TreeSource { tips: &all, joint_of_bone: &own, skeleton, world };
    let (mut drafts, mut taken) = (Vec::new(), vec![false; skeleton.len()]);
    for (i, joint) in setup.joints.iter().enumerate() {
        if !hangs[joint.bone.index()] && own[joint.bone.index()] == Some(i) {
            collect_tree(&mut drafts, &mut taken, joint.bone, rest.start_depth, source);
        }
    }
    resolve_curve_lengths(&mut drafts, setup);
    let links = link_siblings(&drafts, setup);
    let (places, levels) = add_particles(rest, &drafts, &links, skeleton, setup);
    let joint_at = add_joints(rest, setup, &own, &places, skeleton, world);
    for (draft, place) in drafts.iter().zip(places) {
        let particle = &mut rest.particles[place];
        particle.head_joint = draft.head_joint.map_or(NONE, |joint| joint_at[joint]);
        particle.params = draft.tip_params.map_or(particle.head_joint, |params| params as u32);
    }
    measure_siblings(rest, world);
    rest.has_siblings = rest.particles.iter().any(|p| p.siblings.iter().any(|s| s.particle != NONE));
    build_batches(rest, &levels, skeleton);
}

/// What the trees of a system are built from.
#[derive(Clone, Copy)]
struct TreeSource<'a> {
    /// The points at the tip of each joint.
    tips: &'a [TipPoints],
    /// The joint of each bone.
    joint_of_bone: &'a [Option<usize>],
    skeleton: &'a Skeleton,
    world: &'a WorldPose,
}

/// Adds a root and all its descendants, depth first.
fn collect_tree(
    drafts: &mut Vec<ParticleDraft>,
    taken: &mut [bool],
    root: BoneId,
    start_depth: u32,
    source: TreeSource<'_>,
) {
    let local = source.skeleton.bone(root).rest.translation;
    let mut stack = vec![ParticleDraft {
        bone: Some(root),
        parent: None,
        head_joint: None,
        tip_params: None,
        depth: 0,
        length: 0.0,
        curve_length: 0.0,
        local_offset: local,
    }];
    while let Some(draft) = stack.pop() {
        let (parent, above, depth) = (drafts.len(), draft.length, draft.depth + 1);
        let bone = draft.bone;
        // Each bone becomes at most one particle.
        if bone.is_some_and(|bone| std::mem::replace(&mut taken[bone.index()], true)) {
            continue;
        }
        drafts.push(draft);
        let Some((bone, joint)) = bone.and_then(|bone| Some((bone, source.joint_of_bone[bone.index()]?))) else {
            continue;
        };
        let frame = source.world.frame(bone);
        for tip in source.tips[joint].iter().rev() {
            let at = frame.transform_point(tip.local);
            let length = if depth > start_depth { above + at.distance(frame.position) } else { 0.0 };
            let joint = Some(joint);
            stack.push(ParticleDraft {
                bone: tip.bone,
                parent: Some(parent),
                head_joint: joint,
                tip_params: tip.params,
                depth,
                length,
                curve_length: length,
                local_offset: tip.local,
            });
        }
    }
}

/// Adds the particles, sorted by level. Returns the index of each draft's particle, and the level of each particle.
fn add_particles(
    rest: &mut Rest,
    drafts: &[ParticleDraft],
    links: &[[Option<usize>; 2]],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let mut seed_of = vec![None; skeleton.len()];
    drafts.iter().enumerate().for_each(|(i, draft)| draft.bone.into_iter().for_each(|b| seed_of[b.index()] = Some(i)));
    let (sorted, levels) = order_by_level(rest.start_depth, drafts, links, &seed_of, skeleton, setup);
    let mut places = vec![0; drafts.len()];
    sorted.iter().enumerate().for_each(|(place, i)| places[*i] = place);
    let place_of = |draft: Option<usize>| draft.map_or(NONE, |draft| places[draft] as u32);
    for i in sorted.iter().copied() {
        let draft = &drafts[i];
        let from = rest.skipped_bones.len();
        if let Some(bone) = draft.bone {
            let above: Vec<_> = skeleton.ancestors(bone).filter(|b| *b != bone).collect();
            // If a root has no ancestor particles, the bones above it are already up to date.
            let to = above.iter().position(|b| seed_of[b.index()].is_some()).unwrap_or(0);
            rest.skipped_bones.extend(above[..to].iter().rev().map(|b| b.0));
        }
        rest.particles.push(Particle {
            bone: draft.bone.map_or(NO_PARENT, |b| b.0),
            parent: place_of(draft.parent),
            head_joint: NONE,
            bone_joint: NONE,
            params: NONE,
            depth: draft.depth,
            length_fraction: if draft.curve_length == 0.0 { 0.0 } else { draft.length / draft.curve_length },
            local_offset: draft.local_offset,
            child: NONE,
            is_simulated: false,
            rotates: false,
            siblings: links[i].map(|at| Sibling { particle: place_of(at), offset: Vec3::ZERO }),
            skipped_bones: IndexRange::up_to_end(from, &rest.skipped_bones),
        });
    }
    (places, sorted.into_iter().map(|i| levels[i]).collect())
}

/// Adds the joints in the order of their particles. Returns the new index of each joint of the setup.
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
    // Use `EZSoftBone`'s order, because the first child of a fork may be on a later level than its other children.
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

/// A particle before sorting, in the order of `EZSoftBone`'s traversal.
pub(super) struct ParticleDraft {
    pub bone: Option<BoneId>,
    pub parent: Option<usize>,
    /// The joint whose tip is at the particle.
    pub head_joint: Option<usize>,
    /// See [`TipPoint::params`].
    pub tip_params: Option<usize>,
    pub depth: u32,
    /// Distance from the first simulated bone along the tree, in metres.
    pub length: f32,
    /// Length at which the curves end, in metres.
    pub curve_length: f32,
    pub local_offset: Vec3,
}

#[cfg(test)]
impl ParticleDraft {
    pub(super) fn new(parent: Option<usize>, depth: u32, length: f32) -> Self {
        Self {
            bone: None,
            parent,
            head_joint: None,
            tip_params: None,
            depth,
            length,
            curve_length: length,
            local_offset: Vec3::ZERO,
        }
    }
}

/// A value of a parameter with the choices `UNIFICATIONS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unification {
    None,
    Rooted,
    Unified,
}

impl Unification {
    fn from_param(value: f32) -> Self {
        if value >= 1.5 {
            Self::Unified
        } else if value >= 0.5 {
            Self::Rooted
        } else {
            Self::None
        }
    }
}

/// Sets the length at which curves end: the longest branch through the particle, below its root, or of all roots.
pub(super) fn resolve_curve_lengths(drafts: &mut [ParticleDraft], setup: &SystemSetup) {
    for i in (0..drafts.len()).rev() {
        if let Some(parent) = drafts[i].parent {
            drafts[parent].curve_length = drafts[parent].curve_length.max(drafts[i].curve_length);
        }
    }
    let longest = drafts.iter().filter(|s| s.parent.is_none()).fold(0.0_f32, |most, root| most.max(root.curve_length));
    match Unification::from_param(setup.values.get(LENGTH_UNIFICATION)) {
        Unification::None => {}
        Unification::Rooted => {
            for i in 0..drafts.len() {
                if let Some(parent) = drafts[i].parent {
                    drafts[i].curve_length = drafts[parent].curve_length;
                }
            }
        }
        Unification::Unified => drafts.iter_mut().for_each(|draft| draft.curve_length = longest),
    }
}

/// Returns the left and right sibling of each draft.
pub(super) fn link_siblings(drafts: &[ParticleDraft], setup: &SystemSetup) -> Vec<[Option<usize>; 2]> {
    let mut links = vec![[None; 2]; drafts.len()];
    let mut children = vec![Vec::new(); drafts.len()];
    for (i, draft) in drafts.iter().enumerate() {
        if let Some(parent) = draft.parent {
            children[parent].push(i);
        }
    }
    let roots = || (0..drafts.len()).filter(|i| drafts[*i].parent.is_none());
    let closed = setup.values.get(CLOSED_SIBLINGS) >= 0.5;
    match Unification::from_param(setup.values.get(SIBLING_CONSTRAINTS)) {
        Unification::None => {}
        Unification::Rooted => {
            roots().for_each(|root| link_by_depth(drafts, &children, [root].into(), closed, &mut links));
        }
        Unification::Unified => link_by_depth(drafts, &children, roots().collect(), closed, &mut links),
    }
    links
}

/// Links neighbours of equal depth, breadth first. In a closed ring, the last sibling is also linked to the first.
fn link_by_depth(
    drafts: &[ParticleDraft],
    children: &[Vec<usize>],
    mut waiting: VecDeque<usize>,
    closed: bool,
    links: &mut [[Option<usize>; 2]],
) {
    let mut row: Vec<usize> = Vec::new();
    while let Some(next) = waiting.pop_front() {
        waiting.extend(&children[next]);
        if let Some(last) = row.last().copied() {
            if drafts[last].depth == drafts[next].depth {
                link_pair(links, last, next);
            } else {
                close_ring(links, &row, closed);
                row.clear();
            }
        }
        row.push(next);
    }
    close_ring(links, &row, closed);
}

fn close_ring(links: &mut [[Option<usize>; 2]], row: &[usize], closed: bool) {
    if let (true, Some(first), Some(last)) = (closed, row.first(), row.last()) {
        link_pair(links, *last, *first);
    }
}

/// Links two siblings. No particle becomes its own sibling, or the same particle's sibling on both sides.
fn link_pair(links: &mut [[Option<usize>; 2]], left: usize, right: usize) {
    if left == right {
        return;
    }
    if links[left][0] != Some(right) {
        links[left][1] = Some(right);
    }
    if links[right][1] != Some(left) {
        links[right][0] = Some(left);
    }
}

/// Returns the order and the level of the drafts. `EZSoftBone` traverses depth first. Particles that read each other
/// keep that order, so the result is the same.
pub(super) fn order_by_level(
    start_depth: u32,
    drafts: &[ParticleDraft],
    links: &[[Option<usize>; 2]],
    seed_of: &[Option<usize>],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let above = |bone: BoneId| skeleton.ancestors(bone).filter(move |b| *b != bone).filter_map(|b| seed_of[b.index()]);
    // A tree nested in another tree comes later. Linked siblings in different trees keep the order of `EZSoftBone`.
    let mut nesting_depths = vec![0; drafts.len()];
    for (i, draft) in drafts.iter().enumerate() {
        nesting_depths[i] = match (draft.parent, draft.bone) {
            (Some(parent), _) => nesting_depths[parent],
            (None, Some(bone)) => above(bone).count(),
            (None, None) => 0,
        };
    }
    let deep_first = setup.values.get(SIBLING_CONSTRAINTS) >= 0.5;
    let mut sorted: Vec<usize> = (0..drafts.len()).collect();
    sorted.sort_by_key(|i| (nesting_depths[*i], if deep_first { 0 } else { drafts[*i].depth }, *i));
    let mut original_order = vec![0; drafts.len()];
    sorted.iter().enumerate().for_each(|(at, i)| original_order[*i] = at);
    let mut pairs = Vec::new();
    for (i, draft) in drafts.iter().enumerate() {
        let carrier = draft.bone.and_then(|bone| above(bone).next());
        let seen = draft.parent.into_iter().chain(carrier).chain(links[i].into_iter().flatten());
        pairs.extend(seen.map(|other| [original_order[i], original_order[other]]));
    }
    let levels = dependency_levels(drafts.len(), pairs);
    sorted.sort_by_key(|i| (levels[original_order[*i]], drafts[*i].depth > start_depth, drafts[*i].bone.is_none()));
    (sorted, original_order.into_iter().map(|at| levels[at]).collect())
}

/// Builds batches of particles of one level. Within a batch, either all particles follow the pose or none does, and
/// either all are on bones or none is.
pub(super) fn build_batches(rest: &mut Rest, levels: &[u32], skeleton: &Skeleton) {
    let particles = &rest.particles;
    let kind = |i: usize| (levels[i], particles[i].depth > rest.start_depth, particles[i].bone == NO_PARENT);
    let batches = split_into_batches(particles.len(), |a, b| kind(a) != kind(b));
    let point_batch = batches.into_iter().map(|batch| {
        let each = batch.refs(particles);
        let child = from_lanes(|lane| particles.get(each[lane].child as usize));
        let above = |bone: u32| skeleton.parent(BoneId(bone)).map_or(NO_PARENT, |parent| parent.0);
        let has_bones = each[0].bone != NO_PARENT;
        PointBatch {
            is_beyond_start_depth: each[0].depth > rest.start_depth,
            has_bones,
            has_skipped_bones: each.iter().any(|particle| !particle.skipped_bones.is_empty()),
            bones: each.map(|particle| particle.bone),
            parent_bones: each.map(|particle| if has_bones { above(particle.bone) } else { NO_PARENT }),
            head_bones: each
                .map(|particle| rest.joints.get(particle.head_joint as usize).map_or(NO_PARENT, |joint| joint.bone)),
            params: each.map(|particle| particle.params),
            parents: each.map(|particle| particle.parent),
            children: from_lanes(|lane| if child[lane].is_some() { each[lane].child } else { batch.indices[lane] }),
            local_offsets: Vec3x4::new(each.map(|particle| particle.local_offset)),
            child_offsets: Vec3x4::new(child.map(|child| child.map_or(Vec3::Y, |child| child.local_offset))),
            is_simulated: BVec4A::default(),
            rotates: BVec4A::default(),
            batch,
        }
    });
    rest.point_batches = point_batch.collect();
}

/// Updates which particles are simulated and which bones rotate.
pub(super) fn update_switches(rest: &mut Rest) {
    let is_on = |joint: u32| rest.joints.get(joint as usize).is_some_and(|joint| joint.enabled);
    for particle in &mut rest.particles {
        particle.is_simulated = particle.depth > rest.start_depth && is_on(particle.head_joint);
        particle.rotates = particle.child != NONE && is_on(particle.bone_joint);
    }
    for point_batch in &mut rest.point_batches {
        let each = point_batch.batch.refs(&rest.particles);
        point_batch.is_simulated = BVec4A::from_array(each.map(|particle| particle.is_simulated));
        point_batch.rotates = BVec4A::from_array(each.map(|particle| particle.rotates));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolverKind;
    use crate::params::ParamSet;
    use crate::solver::ez_soft_bone::PARAMS;

    /// Returns drafts with these parents. Each is 1 m long, except for two.
    fn particle_drafts(parents: &[Option<usize>]) -> Vec<ParticleDraft> {
        let mut drafts: Vec<ParticleDraft> = Vec::new();
        for (i, parent) in parents.iter().enumerate() {
            let (depth, above) = parent.map_or((0, 0.0), |p| (drafts[p].depth + 1, drafts[p].length));
            let own = [1.0, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0, 2.0][i];
            let length = if parent.is_some() { above + own } else { 0.0 };
            drafts.push(ParticleDraft::new(*parent, depth, length));
        }
        drafts
    }

    fn setup(rows: &[(crate::params::ParamId, f32)]) -> SystemSetup {
        let mut setup = SystemSetup::new(SolverKind::EzSoftBone, ParamSet::defaults(PARAMS));
        for (param, value) in rows {
            setup.values.set(*param, *value);
        }
        setup
    }

    /// A fork with two branches (0 to 1 2 and 3 4), and a separate chain (5 6 7).
    const TREES: &[Option<usize>] = &[None, Some(0), Some(1), Some(0), Some(3), None, Some(5), Some(6)];

    #[track_caller]
    fn check(mode: f32, closed: f32, expected: &[[i32; 2]]) {
        let links =
            link_siblings(&particle_drafts(TREES), &setup(&[(SIBLING_CONSTRAINTS, mode), (CLOSED_SIBLINGS, closed)]));
        let found: Vec<[i32; 2]> = links.iter().map(|l| l.map(|at| at.map_or(-1, |at| at as i32))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn siblings_are_linked_by_depth_below_each_root_or_across_roots() {
        check(0.0, 1.0, &[[-1; 2]; 8]);
        check(1.0, 0.0, &[[-1, -1], [-1, 3], [-1, 4], [1, -1], [2, -1], [-1, -1], [-1, -1], [-1, -1]]);
        check(2.0, 0.0, &[[-1, 5], [-1, 3], [-1, 4], [1, 6], [2, 7], [0, -1], [3, -1], [4, -1]]);
    }

    #[test]
    fn closing_a_ring_needs_three_bones() {
        check(1.0, 1.0, &[[-1, -1], [-1, 3], [-1, 4], [1, -1], [2, -1], [-1, -1], [-1, -1], [-1, -1]]);
        check(2.0, 1.0, &[[-1, 5], [6, 3], [7, 4], [1, 6], [2, 7], [0, -1], [3, 1], [4, 2]]);
    }

    #[track_caller]
    fn check_lengths(mode: f32, expected: [f32; 8]) {
        let mut drafts = particle_drafts(TREES);
        resolve_curve_lengths(&mut drafts, &setup(&[(LENGTH_UNIFICATION, mode)]));
        assert_eq!(drafts.iter().map(|s| s.curve_length).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn curves_end_at_the_longest_branch_of_the_bone_of_its_root_or_of_all_roots() {
        check_lengths(0.0, [2.5, 2.5, 2.5, 2.0, 2.0, 3.0, 3.0, 3.0]);
        check_lengths(1.0, [2.5, 2.5, 2.5, 2.5, 2.5, 3.0, 3.0, 3.0]);
        check_lengths(2.0, [3.0; 8]);
    }
}
