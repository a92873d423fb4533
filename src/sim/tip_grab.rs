//! Tips that the pointer holds: the chain follows like a rope and keeps its bone lengths (FABRIK).

use super::{Scene, Solver, TipState as _};
use crate::rig::BoneId;
use glam::Vec3;

/// Maximum number of joints that follow. No real chain is longer.
const MAX_PATH_JOINTS: usize = 64;
const ITERATIONS: usize = 8;

/// A joint in the solver's order, parents first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SolverJoint {
    pub(super) bone: BoneId,
    /// Number of the chain; joints of one chain have the same number.
    pub(super) chain: u32,
    /// Whether the joint is simulated. A disabled joint keeps its animated pose.
    pub(super) enabled: bool,
}

/// Moves the tips between joint `held` and the root of its chain with forward and backward reaching inverse
/// kinematics (FABRIK). The tip of `held` comes as close to `target` as the bone lengths allow. Rotates the bones
/// towards their tips; descendants follow. Previous tips are unchanged, so releasing the tip flings it.
pub(super) fn solve_grab<S: Solver>(
    rest: &S::Rest,
    state: &mut S::State,
    joints: &[SolverJoint],
    scene: &mut Scene<'_>,
    held: usize,
    target: Vec3,
) {
    let mut path = [0_usize; MAX_PATH_JOINTS];
    let count = path_to_root(joints, scene.parents, held, &mut path);
    let path = &mut path[..count];
    path.reverse();
    let Some(top) = path.first().map(|joint| joints[*joint].bone) else { return };
    let root = scene.frames[top.index()].position;
    let mut points = [Vec3::ZERO; MAX_PATH_JOINTS];
    let points = &mut points[..count];
    for (point, joint) in points.iter_mut().zip(path.iter()) {
        *point = state.tip(*joint);
    }
    for _ in 0..ITERATIONS {
        points[count - 1] = target;
        for i in (0..count - 1).rev() {
            points[i] = at_distance(points[i + 1], points[i], S::rest_length(rest, path[i + 1]));
        }
        let mut head = root;
        for (point, joint) in points.iter_mut().zip(path.iter()) {
            *point = at_distance(head, *point, S::rest_length(rest, *joint));
            head = *point;
        }
    }
    for (joint, place) in joints.iter().enumerate().filter(|(_, place)| place.enabled) {
        // After a fork or a bone without a joint, the head is not at the tip of the parent joint.
        let Some(head) = updated_head(top, place.bone, scene) else { continue };
        let point = path.iter().position(|on_path| *on_path == joint).map_or(state.tip(joint), |at| points[at]);
        let tip = at_distance(head, point, S::rest_length(rest, joint));
        if tip.is_finite() {
            let previous = state.previous_tip(joint);
            state.set_tip(joint, tip, previous);
            S::aim_joint_at(rest, joint, tip, scene);
        }
    }
}

/// Lists the joint `held` and its ancestors in the same chain. Returns their number.
fn path_to_root(joints: &[SolverJoint], parents: &[u32], held: usize, path: &mut [usize; MAX_PATH_JOINTS]) -> usize {
    let SolverJoint { bone, chain, enabled } = joints[held];
    if !enabled {
        return 0;
    }
    path[0] = held;
    let mut count = 1;
    let mut above = parents[bone.index()];
    while (above as usize) < parents.len() && count < MAX_PATH_JOINTS {
        if let Some(joint) = joints.iter().position(|j| j.bone.0 == above && j.chain == chain && j.enabled) {
            path[count] = joint;
            count += 1;
        }
        above = parents[above as usize];
    }
    count
}

/// The head of `top` or of one of its descendants, after updating the frames between both; `None` for other bones.
fn updated_head(top: BoneId, bone: BoneId, scene: &mut Scene<'_>) -> Option<Vec3> {
    let mut between = [0_u32; MAX_PATH_JOINTS];
    let mut count = 0;
    let mut next = bone.0;
    while next != top.0 {
        if count == MAX_PATH_JOINTS || next as usize >= scene.parents.len() {
            return None;
        }
        between[count] = next;
        count += 1;
        next = scene.parents[next as usize];
    }
    between[..count].iter().rev().for_each(|b| scene.refresh(*b));
    Some(scene.frames[bone.index()].position)
}

/// The point on the way from `from` to `to` that is at the distance `length` from `from`.
fn at_distance(from: Vec3, to: Vec3, length: f32) -> Vec3 {
    from + (to - from).normalize_or(Vec3::NEG_Y) * length
}
