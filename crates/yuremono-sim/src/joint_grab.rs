//! Joints that the pointer holds: the chain follows a pulled tip like a rope and keeps its bone lengths (FABRIK), or one
//! joint points in a direction and its chain is simulated.

use super::solver::AimedJoint;
use super::{PosedScene, Solver, StepPose, TipState as _};
use crate::rig::BoneId;
use glam::Vec3;

/// Maximum number of joints that follow. No real chain is longer.
const MAX_PATH_JOINTS: usize = 64;
const ITERATIONS: usize = 8;

/// Where the pointer moves the joint that it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GrabTarget {
    /// The tip comes as close as the bone lengths allow to this position in the world, in metres. The joints between
    /// the tip and the root of the chain follow.
    Tip(Vec3),
    /// Only this joint rotates: it points in this direction in the world, of any length, as far as its angle limits
    /// allow. NaN and zero have no effect.
    Direction(Vec3),
}

/// A joint in the solver's order, parents first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SolverJoint {
    pub(super) bone: BoneId,
    /// Number of the chain; joints of one chain have the same number.
    pub(super) chain: u32,
    /// Whether the joint is simulated. A disabled joint keeps its animated pose.
    pub(super) enabled: bool,
    /// Whether the joint is simulated, and the first such joint with its tip.
    pub(super) moves_tip: bool,
}

/// A system after its step, in which the pointer holds a joint. Moves tips and rotates bones towards their tips;
/// descendants follow. Previous tips are unchanged, so releasing the joint flings its tip.
pub(super) struct GrabContext<'a, S: Solver> {
    pub(super) rest: &'a S::Rest,
    pub(super) params: &'a [S::Params],
    pub(super) system: &'a S::System,
    pub(super) state: &'a mut S::State,
    pub(super) joints: &'a [SolverJoint],
}

impl<S: Solver> GrabContext<'_, S> {
    /// Moves the joint `held`, in the solver's order, to its target.
    pub(super) fn solve(&mut self, step_pose: &mut StepPose<'_>, held: usize, target: GrabTarget) {
        if self.joints[held].enabled {
            match target {
                GrabTarget::Tip(target) => self.pull_tip(step_pose, held, target),
                GrabTarget::Direction(direction) => self.aim(step_pose, held, direction),
            }
        }
    }

    /// Moves the tips between the joint `held` and the root of its chain with forward and backward reaching inverse
    /// kinematics (FABRIK).
    fn pull_tip(&mut self, step_pose: &mut StepPose<'_>, held: usize, target: Vec3) {
        let mut path = [0_usize; MAX_PATH_JOINTS];
        let count = path_to_root(self.joints, step_pose.parents, held, &mut path);
        let path = &mut path[..count];
        path.reverse();
        let top = self.joints[path[0]].bone;
        let root = step_pose.frames[top.index()].position;
        let mut points = [Vec3::ZERO; MAX_PATH_JOINTS];
        let points = &mut points[..count];
        for (point, joint) in points.iter_mut().zip(path.iter()) {
            *point = self.state.tip(*joint);
        }
        for _ in 0..ITERATIONS {
            points[count - 1] = target;
            for i in (0..count - 1).rev() {
                points[i] = at_distance(points[i + 1], points[i], S::rest_length(self.rest, path[i + 1]));
            }
            let mut head = root;
            for (point, joint) in points.iter_mut().zip(path.iter()) {
                *point = at_distance(head, *point, S::rest_length(self.rest, *joint));
                head = *point;
            }
        }
        self.move_tips(step_pose, top, path, points);
    }

    /// Points the joint `held` in a direction.
    fn aim(&mut self, step_pose: &mut StepPose<'_>, held: usize, direction: Vec3) {
        let Some(direction) = direction.try_normalize() else { return };
        let aimed = AimedJoint {
            rest: self.rest,
            params: &self.params[held],
            system: self.system,
            state: &*self.state,
            joint: held,
            posed_scene: PosedScene { frames: step_pose.frames, colliders: step_pose.colliders },
        };
        if let Some(direction) = S::reachable_direction(&aimed, direction).try_normalize() {
            let bone = self.joints[held].bone;
            let tip = step_pose.frames[bone.index()].position + direction * S::rest_length(self.rest, held);
            self.move_tips(step_pose, bone, &[held], &[tip]);
        }
    }

    /// Moves the tips of a path of joints to `points`, and the tips of all other joints below the bone `top` to their
    /// distance from their new heads.
    fn move_tips(&mut self, step_pose: &mut StepPose<'_>, top: BoneId, path: &[usize], points: &[Vec3]) {
        for (joint, solver_joint) in self.joints.iter().enumerate().filter(|(_, solver_joint)| solver_joint.enabled) {
            // After a fork or a bone without a joint, the head is not at the tip of the parent joint.
            let Some(head) = updated_head(top, solver_joint.bone, step_pose) else { continue };
            let on_path = path.iter().position(|on_path| *on_path == joint);
            let point = on_path.map_or(self.state.tip(joint), |at| points[at]);
            let tip = at_distance(head, point, S::rest_length(self.rest, joint));
            if tip.is_finite() {
                let previous = self.state.previous_tip(joint);
                self.state.set_tip(joint, tip, previous);
                S::aim_joint_at(self.rest, joint, tip, step_pose);
            }
        }
    }
}

/// Lists the enabled joint `held` and its ancestors in the same chain. Returns their number.
fn path_to_root(joints: &[SolverJoint], parents: &[u32], held: usize, path: &mut [usize; MAX_PATH_JOINTS]) -> usize {
    let SolverJoint { bone, chain, .. } = joints[held];
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
fn updated_head(top: BoneId, bone: BoneId, step_pose: &mut StepPose<'_>) -> Option<Vec3> {
    let mut between = [0_u32; MAX_PATH_JOINTS];
    let mut count = 0;
    let mut next = bone.0;
    while next != top.0 {
        if count == MAX_PATH_JOINTS || next as usize >= step_pose.parents.len() {
            return None;
        }
        between[count] = next;
        count += 1;
        next = step_pose.parents[next as usize];
    }
    between[..count].iter().rev().for_each(|b| step_pose.refresh(*b));
    Some(step_pose.frames[bone.index()].position)
}

/// The point on the way from `from` to `to` that is at the distance `length` from `from`.
fn at_distance(from: Vec3, to: Vec3, length: f32) -> Vec3 {
    from + (to - from).normalize_or(Vec3::NEG_Y) * length
}
