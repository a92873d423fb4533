//! All simulated systems of a character, and the step that advances them.

/// Declares the enum of systems, one variant per solver.
macro_rules! systems {
    ($d:tt $($kind:ident: $solver:ty,)*) => {
        /// A system with its solver.
        #[derive(Clone, Debug)]
        enum System {
            $($kind(Box<solver_instance::SolverInstance<$solver>>),)*
        }

        impl System {
            fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
                match setup.solver {
                    $(SolverKind::$kind => Self::$kind(Box::new(solver_instance::SolverInstance::build(setup, skeleton, frames))),)*
                }
            }

            /// Continues the clocks of `before` if both systems have the same solver.
            fn carry_over(&mut self, before: &Self) {
                match (self, before) {
                    $((Self::$kind(own), Self::$kind(before)) => own.carry_over(before),)*
                    _ => {}
                }
            }
        }

        /// Evaluates a generic expression with the solver instance of a system.
        macro_rules! with_instance {
            ($d system:expr, $d instance:ident => $d body:expr) => {
                match $d system {
                    $($crate::world::System::$kind($d instance) => $d body,)*
                }
            };
        }
    };
}
for_each_solver!(systems);

mod bounds_guard;
mod query;
mod solver_instance;
#[cfg(test)]
mod tests;

use super::GrabTarget;
use super::SolverKind;
use super::SystemSetup;
use super::high_leg::HighLegRuntime;
use super::solver::{mark_with_ancestors, referenced_bones};
use super::step_pose::{NO_PARENT, StepPose, parent_indices};
use super::test_wind::WindMoment;
use crate::math::Frame;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::Vec3;
pub use query::{Contact, NetworkLink};
use std::collections::BTreeMap;

/// A joint, identified by its system and its index in the system's setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointIndex {
    /// Index of the system.
    pub system: u32,
    /// Index in [`SystemSetup::joints`].
    pub joint: u32,
}

/// A joint that the pointer holds during a step. A disabled joint does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGrab {
    pub joint: JointIndex,
    pub target: GrabTarget,
}

/// Input of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Animated pose of all bones, including helper nodes. Simulated bones that are not animated keep their rotation.
    pub pose: &'a Pose,
    /// The joint that the pointer holds.
    pub grab: Option<JointGrab>,
    /// Length of the frame, in seconds.
    pub dt: f32,
}

/// All simulated systems of a character. A clone continues the motion independently of the original.
#[derive(Clone, Debug)]
pub struct World {
    skeleton: Skeleton,
    parents: Vec<u32>,
    systems: Vec<System>,
    high_legs: Vec<HighLegRuntime>,
    pose: Pose,
    frames: WorldPose,
    /// Whether only the solver writes the rotation of each bone.
    simulated: Vec<bool>,
    traversal: FrameTraversal,
    viewer: Option<Vec3>,
    wind: Option<WindMoment>,
    probed: bool,
}

impl World {
    /// Builds all systems in the rest pose of `skeleton`, which has the bones of the file followed by helper nodes.
    pub fn build(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let pose = Pose::rest(skeleton);
        let frames = WorldPose::from_pose(skeleton, &pose);
        let systems = setups.iter().map(|setup| System::build(setup, skeleton, &frames)).collect();
        let high_legs = setups.iter().flat_map(|s| &s.high_legs).map(|h| HighLegRuntime::new(h, skeleton)).collect();
        let simulated = vec![false; skeleton.len()];
        let traversal = FrameTraversal::new(skeleton, setups);
        let (parents, skeleton) = (parent_indices(skeleton), skeleton.clone());
        let mut world = Self {
            skeleton,
            parents,
            systems,
            high_legs,
            pose,
            frames,
            simulated,
            traversal,
            viewer: None,
            wind: None,
            probed: false,
        };
        world.update_simulated(setups);
        world
    }

    /// Updates the list of bones that keep their rotation from step to step.
    fn update_simulated(&mut self, setups: &[SystemSetup]) {
        self.simulated.fill(false);
        let keeps = |system: &System| with_instance!(system, instance => instance.starts_from_last_rotation());
        let keeping = self.systems.iter().zip(setups).filter(|(system, _)| keeps(system));
        let own = keeping.flat_map(|(_, setup)| &setup.joints).filter(|j| j.enabled && !j.animated);
        own.for_each(|j| self.simulated[j.bone.index()] = true);
    }

    /// Rebuilds the world after a topology change. Existing joints keep their tips and rotations, existing bones keep
    /// their pose, and new joints start at rest.
    pub fn rebuild(&mut self, skeleton: &Skeleton, setups: &[SystemSetup]) {
        let mut tips = BTreeMap::new();
        for system in &self.systems {
            with_instance!(system, instance => instance.save_tips(&mut tips));
        }
        let before = std::mem::replace(self, Self::build(skeleton, setups));
        let same = before.skeleton.bones().iter().zip(skeleton.bones()).take_while(|(a, b)| a == b).count();
        let keeps_pose = |bone: usize| bone < same && !before.simulated[bone] && !self.simulated[bone];
        for bone in (0..same).filter(|bone| keeps_pose(*bone)) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        (self.viewer, self.wind) = (before.viewer, before.wind);
        self.set_probed(before.probed);
        self.frames.update(&self.skeleton, &self.pose);
        self.reset_systems();
        for bone in (0..same).filter(|bone| before.simulated[*bone] && self.simulated[*bone]) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            with_instance!(system, instance => instance.restore_tips(&tips));
        }
        for (system, before) in self.systems.iter_mut().zip(&before.systems) {
            system.carry_over(before);
        }
    }

    /// Updates parameters and switches from `setups`. Bones and counts must be the same as when the world was built.
    /// The motion continues; a joint that is switched on starts from its current pose.
    pub fn bake(&mut self, setups: &[SystemSetup]) {
        for (system, setup) in self.systems.iter_mut().zip(setups) {
            with_instance!(system, instance => instance.bake(setup));
        }
        self.update_simulated(setups);
    }

    /// Runs one step: all systems in their order, and afterwards the frames of the whole skeleton. Allocates nothing.
    pub fn step(&mut self, input: &StepInput<'_>) {
        self.apply_pose(input.pose);
        update_frames(&self.traversal.before_solvers, &self.parents, &self.pose, &mut self.frames);
        self.apply_high_legs();
        for (index, system) in self.systems.iter_mut().enumerate() {
            if index > 0 {
                // The previous systems may have moved the parents of roots and colliders.
                self.frames.update(&self.skeleton, &self.pose);
            }
            let grab = input.grab.filter(|grab| grab.joint.system as usize == index);
            if let Some(moment) = &self.wind {
                with_instance!(system, instance => instance.blow(moment, input.dt));
            }
            let step_pose = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            let mut step_pose = StepPose { viewer: self.viewer, ..step_pose };
            with_instance!(system, instance => instance.step(&mut step_pose, input.pose, input.dt, grab));
        }
        if input.grab.is_some() {
            // A grab rotates a chain after the step of the chain.
            self.frames.update(&self.skeleton, &self.pose);
        } else {
            update_frames(&self.traversal.after_solvers, &self.parents, &self.pose, &mut self.frames);
        }
    }

    /// Computes in steps only the frames of these bones, of their ancestors, and of bones that joints read. Other frames
    /// are out of date. For simulations that are not shown.
    pub fn restrict_frames(&mut self, bones: impl Iterator<Item = BoneId>) {
        let needed = mark_with_ancestors(&self.skeleton, bones.filter(|bone| bone.index() < self.skeleton.len()));
        self.traversal.restrict(&needed);
    }

    /// Resets every joint to its rest pose within `pose`, without velocity.
    pub fn reset(&mut self, pose: &Pose) {
        self.apply_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        if !self.high_legs.is_empty() {
            // Leg followers read frames of simulated bones, which still have their rotations of the last step.
            self.reset_systems();
            self.frames.update(&self.skeleton, &self.pose);
            self.apply_high_legs();
        }
        self.reset_systems();
        self.frames.update(&self.skeleton, &self.pose);
    }

    /// Makes `pose`, with the current rotations of simulated bones, the rest pose of all systems whose solvers
    /// support a new rest pose (`setInitState` of VRM). The tips of these systems move to rest; other systems
    /// continue.
    pub fn set_rest_pose(&mut self, pose: &Pose) {
        self.apply_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            let mut step_pose = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            with_instance!(system, instance => instance.set_rest_pose(&mut step_pose));
        }
    }

    /// Rotates the leg followers. Frames are valid before and after.
    fn apply_high_legs(&mut self) {
        let mut step_pose = base_scene(&self.parents, &mut self.pose, &mut self.frames);
        self.high_legs.iter().for_each(|high_leg| high_leg.apply(&mut step_pose));
    }

    /// Resets every joint. The frames of all other bones must be valid.
    fn reset_systems(&mut self) {
        for (index, system) in self.systems.iter_mut().enumerate() {
            if index > 0 {
                self.frames.update(&self.skeleton, &self.pose);
            }
            let mut step_pose = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            with_instance!(system, instance => instance.reset(&mut step_pose));
        }
    }

    /// Sets whether steps record why the tips move, see [`World::tip_parts`]. A step takes longer while this is on.
    pub fn set_probed(&mut self, probed: bool) {
        if std::mem::replace(&mut self.probed, probed) != probed {
            for system in &mut self.systems {
                with_instance!(system, instance => instance.set_probed(probed));
            }
        }
    }

    /// Sets the wind of the next steps. Its time does not advance by itself.
    pub fn set_test_wind(&mut self, moment: Option<WindMoment>) {
        self.wind = moment.map(|moment| WindMoment { wind: moment.wind.sanitized(), ..moment });
    }

    /// Sets the position of the camera in the world, in metres, for solvers that stop simulating distant characters.
    pub fn set_viewer(&mut self, viewer: Vec3) {
        self.viewer = viewer.is_finite().then_some(viewer);
    }

    /// Position of the camera in the world, in metres; `None` if unknown.
    pub fn viewer(&self) -> Option<Vec3> {
        self.viewer
    }

    /// Sets the tip of a joint, to replay recordings.
    pub fn set_tip(&mut self, joint: JointIndex, tip: Vec3, previous: Vec3) {
        if let Some(system) = self.systems.get_mut(joint.system as usize) {
            with_instance!(system, instance => instance.set_tip(joint.joint as usize, tip, previous));
        }
    }

    /// Sets the rotation of a bone, to replay recordings.
    pub fn set_bone_rotation(&mut self, bone: BoneId, rotation: glam::Quat) {
        self.pose.local[bone.index()].rotation = rotation;
    }

    /// Copies `pose` except the rotations of simulated bones that are not animated.
    fn apply_pose(&mut self, pose: &Pose) {
        for ((own, given), simulated) in self.pose.local.iter_mut().zip(&pose.local).zip(&self.simulated) {
            own.translation = given.translation;
            own.scale = given.scale;
            if !simulated {
                own.rotation = given.rotation;
            }
        }
    }
}

/// A pose without colliders and forces.
fn base_scene<'a>(parents: &'a [u32], pose: &'a mut Pose, frames: &'a mut WorldPose) -> StepPose<'a> {
    let (pose, frames) = (&mut pose.local, &mut frames.frames);
    StepPose { parents, pose, frames, colliders: &[], forces: &[], viewer: None, probe: None }
}

fn update_frames(bones: &[u32], parents: &[u32], pose: &Pose, frames: &mut WorldPose) {
    for bone in bones {
        let parent = match parents[*bone as usize] {
            NO_PARENT => Frame::WORLD,
            parent => frames.frames[parent as usize],
        };
        frames.frames[*bone as usize] = parent.child(&pose.local[*bone as usize]);
    }
}

/// The bones whose frames a step computes outside of the solvers, parents first.
#[derive(Clone, Debug)]
pub(super) struct FrameTraversal {
    /// Bones to update before the solvers run. Joints and their descendants are left out if nothing reads their frames
    /// before the joints are solved.
    pub(super) before_solvers: Vec<u32>,
    /// Bones to update after the solvers have run: descendants of joints that are no joints. Solvers move nothing else.
    pub(super) after_solvers: Vec<u32>,
    /// Whether joints read the frame of each bone, of its parent, or of its ancestors.
    needed_by_joints: Vec<bool>,
}

impl FrameTraversal {
    pub(super) fn new(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let all = || (0..skeleton.len() as u32).collect::<Vec<_>>();
        let [setup] = setups else {
            // The next system reads the results of the previous system.
            return Self { before_solvers: all(), after_solvers: all(), needed_by_joints: vec![true; skeleton.len()] };
        };
        let mut joint = vec![false; skeleton.len()];
        setup.joints.iter().for_each(|j| joint[j.bone.index()] = true);
        let is_below_joint = |bone: u32| skeleton.ancestors(BoneId(bone)).any(|above| joint[above.index()]);
        // Another joint may read a pivot or collider on a joint's descendant before the joint itself is solved.
        let legs = setup.high_legs.iter().flat_map(|h| h.legs.iter().flatten().chain([&h.bone, &h.hip]));
        let read = mark_with_ancestors(skeleton, referenced_bones(setup).chain(legs.copied()));
        let (mut before_solvers, mut after_solvers) = (all(), all());
        before_solvers.retain(|b| read[*b as usize] || !joint[*b as usize] && !is_below_joint(*b));
        after_solvers.retain(|b| !joint[*b as usize] && is_below_joint(*b));
        let mut needed_by_joints = mark_with_ancestors(skeleton, setup.joints.iter().map(|j| j.bone));
        needed_by_joints.iter_mut().zip(&read).for_each(|(needed, read)| *needed |= *read);
        Self { before_solvers, after_solvers, needed_by_joints }
    }

    /// Leaves out bones that neither the joints nor others need. `needed` contains a flag for each bone.
    fn restrict(&mut self, needed: &[bool]) {
        let by_joints = &self.needed_by_joints;
        let is_needed = |bone: &u32| by_joints[*bone as usize] || needed[*bone as usize];
        self.before_solvers.retain(is_needed);
        self.after_solvers.retain(is_needed);
    }
}
