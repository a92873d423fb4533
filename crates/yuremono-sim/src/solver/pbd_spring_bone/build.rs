//! Builds joints and links, and packs the links into batches.

use super::{NO_ANIMATOR, State};
use crate::collider::WorldCollider;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::solver::batch::{Access, Batch, pack_batches};
use crate::step_pose::StepPose;
use crate::vec_util::IndexRange;
use crate::{JointSetup, SystemSetup, TipSetup};
use glam::{Quat, Vec3};

pub(super) const NONE: u32 = u32::MAX;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    pub(super) bone: u32,
    pub(super) enabled: bool,
    /// Whether the joint keeps its rotation from frame to frame instead of starting from the animated pose.
    pub(super) keeps_rotation: bool,
    /// The link whose point is at this joint's head; `NONE` for a root, which follows the body.
    pub(super) head_link: u32,
    /// The last link that rotates the joint.
    pub(super) last_link: u32,
    /// Local rotation in the rest pose.
    rotation: Quat,
    /// Range of [`Rest::bones`]: the path from the parent joint, exclusive, to this bone.
    pub(super) path: IndexRange,
    /// Range of [`Rest::bones`]: descendants of this joint that lead to colliders.
    pub(super) collider_bones: IndexRange,
    /// Range of [`Rest::child_colliders`]: the colliders on this bone and on its descendants.
    pub(super) child_colliders: IndexRange,
    /// Range of [`Rest::colliders`].
    pub(super) colliders: IndexRange,
}

/// A link from a joint to a point that the joint is rotated towards.
#[derive(Clone, Debug, PartialEq)]
pub struct AimLink {
    /// Index of the joint.
    pub(super) joint: u32,
    pub(super) first: bool,
    /// Whether the frame of the bone follows from its pose and its parent: this is the joint's first link, and there
    /// are no bones between the joint and its parent joint.
    pub(super) fast_path: bool,
    /// Rest position of the point in bone space, in metres.
    pub(super) rest_point: Vec3,
    /// Direction of `rest_point`; unit length or zero.
    pub(super) axis: Vec3,
    /// Length of `rest_point`, in metres.
    pub(super) length: f32,
}

/// Topology and rest data. Joints are in depth-first order. Links are sorted by level, which gives the same result as
/// depth-first order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    pub(super) joints: Vec<JointRest>,
    pub(super) links: Vec<AimLink>,
    pub(super) link_batches: Vec<Batch>,
    pub(super) bones: Vec<u32>,
    pub(super) colliders: Vec<u32>,
    pub(super) child_colliders: Vec<u32>,
    /// Bones to update after all joints have rotated, parents first.
    pub(super) bones_to_refresh: Vec<u32>,
    pub(super) solver_indices: Vec<u32>,
}

impl Rest {
    pub(super) fn update_switches(&mut self, setup: &SystemSetup) {
        let kept = setup.values.get(NO_ANIMATOR) >= 0.5;
        for (joint, place) in setup.joints.iter().zip(&self.solver_indices) {
            let own = &mut self.joints[*place as usize];
            (own.enabled, own.keeps_rotation) = (joint.enabled, kept && joint.enabled && !joint.animated);
        }
    }
}

/// A target of a joint: its bone, if the target is a bone, and its position in bone space.
type TipTarget = (Option<BoneId>, Vec3);

/// Next item of a depth-first traversal.
enum Visit {
    Joint(usize),
    Tip(usize, usize),
}

struct JointTree {
    /// The nearest ancestor of each joint that is a joint.
    parents: Vec<Option<usize>>,
    tips: Vec<Vec<TipTarget>>,
    /// Child joints of each joint, grouped by the tip that they descend from. The last group descends from no tip.
    children: Vec<Vec<Vec<usize>>>,
}

impl JointTree {
    fn new(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> Self {
        let joint_at = setup.joint_of_bone(skeleton);
        let carrier = |joint: &JointSetup| skeleton.ancestors(joint.bone).find_map(|b| joint_at[b.index()]);
        let above: Vec<_> = setup.joints.iter().map(carrier).collect();
        let tips: Vec<_> = setup.joints.iter().map(|joint| tip_targets(joint, skeleton, world)).collect();
        let mut below: Vec<_> = tips.iter().map(|tips| vec![Vec::new(); tips.len() + 1]).collect();
        for (i, above) in above.iter().enumerate() {
            let Some(above) = above else { continue };
            let bone = setup.joints[i].bone;
            let hangs = |(tip, _): &TipTarget| tip.is_some_and(|tip| tip == bone || skeleton.is_ancestor(tip, bone));
            let at = tips[*above].iter().position(hangs).unwrap_or(tips[*above].len());
            below[*above][at].push(i);
        }
        Self { parents: above, tips, children: below }
    }
}

/// Targets of a joint. A leaf has one target of length zero.
fn tip_targets(joint: &JointSetup, skeleton: &Skeleton, world: &WorldPose) -> Vec<TipTarget> {
    let frame = world.frame(joint.bone);
    // A target at infinite distance has no direction, so it is dropped.
    let reachable = |(_, at): &TipTarget| {
        at.length().is_finite() && frame.transform_point(*at).distance(frame.position).is_finite()
    };
    let place = |bone: &BoneId| {
        let child = skeleton.parent(*bone) == Some(joint.bone);
        let at = || frame.inverse_transform_point(world.frame(*bone).position);
        (Some(*bone), if child { skeleton.bone(*bone).rest.translation } else { at() })
    };
    let mut found: Vec<TipTarget> = match &joint.tip {
        TipSetup::Offset(offset) => vec![(None, *offset)],
        TipSetup::Bones(bones) => bones.iter().map(place).collect(),
    };
    found.retain(reachable);
    if found.is_empty() { vec![(None, Vec3::ZERO)] } else { found }
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let tree = JointTree::new(setup, skeleton, world);
    let mut rest = Rest { solver_indices: vec![0; setup.joints.len()], ..Rest::default() };
    let mut link_of_bone = vec![NONE; skeleton.len()];
    let mut ahead: Vec<Visit> =
        (0..setup.joints.len()).rev().filter(|i| tree.parents[*i].is_none()).map(Visit::Joint).collect();
    while let Some(turn) = ahead.pop() {
        match turn {
            Visit::Joint(i) => {
                rest.solver_indices[i] = rest.joints.len() as u32;
                let joint = new_joint(setup, i, skeleton, &tree, &mut rest, &link_of_bone);
                rest.joints.push(joint);
                for (at, below) in tree.children[i].iter().enumerate().rev() {
                    ahead.extend(below.iter().rev().map(|below| Visit::Joint(*below)));
                    if at < tree.tips[i].len() {
                        ahead.push(Visit::Tip(i, at));
                    }
                }
            }
            Visit::Tip(i, at) => {
                let (bone, tip) = tree.tips[i][at];
                let joint = rest.solver_indices[i];
                rest.joints[joint as usize].last_link = rest.links.len() as u32;
                if let Some(bone) = bone {
                    link_of_bone[bone.index()] = rest.links.len() as u32;
                }
                let (axis, length) = (tip.normalize_or_zero(), tip.length());
                let (first, plain) = (at == 0, at == 0 && rest.joints[joint as usize].path.len() == 1);
                rest.links.push(AimLink { joint, first, fast_path: plain, rest_point: tip, axis, length });
            }
        }
    }
    rest.bones_to_refresh = bones_below_forks(&tree, &rest);
    batch_links(&mut rest, skeleton, setup.colliders.len());
    rest.update_switches(setup);
    let state = initial_state(setup, &rest, world);
    (rest, state)
}

fn new_joint(
    setup: &SystemSetup,
    i: usize,
    skeleton: &Skeleton,
    tree: &JointTree,
    rest: &mut Rest,
    link: &[u32],
) -> JointRest {
    let JointSetup { bone, .. } = &setup.joints[i];
    let top = tree.parents[i].map(|above| setup.joints[above].bone);
    let up = std::iter::successors(Some(*bone), |b| skeleton.parent(*b).filter(|p| top.is_some() && Some(*p) != top));
    let mut path: Vec<u32> = up.map(|b| b.0).collect();
    path.reverse();
    let on_or_below = |node: BoneId| node == *bone || skeleton.is_ancestor(*bone, node);
    let (mut below, mut carried) = (Vec::new(), Vec::new());
    for (at, collider) in setup.colliders.iter().enumerate().filter(|(_, c)| on_or_below(c.bone)) {
        carried.push(at as u32);
        let up = std::iter::successors(Some(collider.bone), |b| skeleton.parent(*b));
        below.extend(up.take_while(|b| b != bone).map(|b| b.0));
    }
    below.sort_unstable();
    below.dedup();
    JointRest {
        bone: bone.0,
        enabled: true,
        keeps_rotation: false,
        head_link: link[bone.index()],
        last_link: 0,
        rotation: skeleton.bone(*bone).rest.rotation.normalize(),
        path: IndexRange::append(&mut rest.bones, path),
        collider_bones: IndexRange::append(&mut rest.bones, below),
        child_colliders: IndexRange::append(&mut rest.child_colliders, carried),
        colliders: IndexRange::append(&mut rest.colliders, setup.valid_colliders(&setup.joints[i])),
    }
}

/// Sorts the links by level and packs independent links into batches.
fn batch_links(rest: &mut Rest, skeleton: &Skeleton, colliders: usize) {
    let touches: Vec<Access> = (0..rest.links.len()).map(|link| link_access(rest, link, skeleton, colliders)).collect();
    let (order, batches) = pack_batches(&touches);
    let mut place = vec![NONE; order.len()];
    order.iter().enumerate().for_each(|(at, link)| place[*link as usize] = at as u32);
    rest.links = order.iter().map(|link| rest.links[*link as usize].clone()).collect();
    rest.link_batches = batches;
    for joint in &mut rest.joints {
        joint.last_link = place[joint.last_link as usize];
        joint.head_link = place.get(joint.head_link as usize).copied().unwrap_or(NONE);
    }
}

/// Frames, colliders and points that the step of a link reads and writes.
fn link_access(rest: &Rest, link: usize, skeleton: &Skeleton, colliders: usize) -> Access {
    let joint = &rest.joints[rest.links[link].joint as usize];
    let solid = |collider: &u32| skeleton.len() as u32 + collider;
    let point = |link: u32| (skeleton.len() + colliders) as u32 + link;
    let path = joint.path.slice(&rest.bones);
    let parent = path.first().and_then(|bone| skeleton.parent(BoneId(*bone))).map(|parent| parent.0);
    let head = Some(joint.head_link).filter(|above| *above != NONE).map(point);
    let met = joint.colliders.slice(&rest.colliders);
    let carried = joint.child_colliders.slice(&rest.child_colliders);
    let below = joint.collider_bones.slice(&rest.bones);
    Access {
        kind: 0,
        reads: parent.into_iter().chain(head).chain(met.iter().map(solid)).collect(),
        writes: path
            .iter()
            .chain(below)
            .copied()
            .chain(carried.iter().map(solid))
            .chain([point(link as u32)])
            .collect(),
    }
}

/// Bones that are descendants of a joint with several targets. Such a joint rotates more than once.
fn bones_below_forks(tree: &JointTree, rest: &Rest) -> Vec<u32> {
    let mut by_place = vec![0; rest.solver_indices.len()];
    rest.solver_indices.iter().enumerate().for_each(|(i, place)| by_place[*place as usize] = i);
    let mut below_fork = vec![false; by_place.len()];
    let mut stale = Vec::new();
    for (place, i) in by_place.into_iter().enumerate() {
        below_fork[i] = tree.parents[i].is_some_and(|above| below_fork[above] || tree.tips[above].len() > 1);
        if below_fork[i] {
            stale.extend_from_slice(rest.joints[place].path.slice(&rest.bones));
        }
    }
    stale
}

fn initial_state(setup: &SystemSetup, rest: &Rest, world: &WorldPose) -> State {
    let point =
        |link: &AimLink| world.frames[rest.joints[link.joint as usize].bone as usize].transform_point(link.rest_point);
    let points: Vec<Vec3> = rest.links.iter().map(point).collect();
    State {
        previous: points.clone(),
        points,
        start_rotations: vec![Quat::IDENTITY; rest.joints.len()],
        tip_links: rest.joints.iter().map(|joint| joint.last_link).collect(),
        colliders: vec![WorldCollider::Off; setup.colliders.len()],
        previous_dt: 0.0,
        accumulator: 0.0,
    }
}

/// Moves every point to its bone, without velocity. The bones are in the rest pose if they keep their rotation,
/// otherwise in the animated pose.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for (i, link) in rest.links.iter().enumerate() {
        let joint = &rest.joints[link.joint as usize];
        if link.first {
            if joint.keeps_rotation {
                step_pose.pose[joint.bone as usize].rotation = joint.rotation;
            }
            refresh_path(rest, joint, step_pose);
        }
        let at = step_pose.frames[joint.bone as usize].transform_point(link.rest_point);
        (state.points[i], state.previous[i]) = (at, at);
    }
    (state.previous_dt, state.accumulator) = (0.0, 0.0);
}

/// Updates the frames of the bones between the parent joint and this joint, including the joint's bone.
#[inline]
pub(super) fn refresh_path(rest: &Rest, joint: &JointRest, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(joint.path.slice(&rest.bones));
}
