//! Everything that moves on one character, and one step of it.

/// Declares the world's enum of systems, one variant per solver.
macro_rules! systems {
    ($d:tt $($kind:ident: $solver:ty,)*) => {
        /// One system under its solver.
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

            /// Goes on where `before` stopped. Another solver has clocks of its own.
            fn carry_over(&mut self, before: &Self) {
                match (self, before) {
                    $((Self::$kind(own), Self::$kind(before)) => own.carry_over(before),)*
                    _ => {}
                }
            }
        }

        /// Calls one generic function on whichever solver a system runs under.
        macro_rules! with_instance {
            ($d system:expr, $d running:ident => $d body:expr) => {
                match $d system {
                    $($crate::sim::world::System::$kind($d running) => $d body,)*
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

use super::SolverKind;
use super::SystemSetup;
use super::high_leg::HighLegRuntime;
use super::scene::{NO_PARENT, Scene, parent_indices};
use super::solver::{mark_with_ancestors, referenced_bones};
use crate::math::Frame;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::Vec3;
pub use query::{Contact, NetworkLink, TipForces};
use std::collections::BTreeMap;

/// A joint by its system and its position in that system's setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointIndex {
    /// Position of the system.
    pub system: u32,
    /// Position in [`SystemSetup::joints`].
    pub joint: u32,
}

/// A tip held by the artist's hand during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipGrab {
    /// Whose tip.
    pub joint: JointIndex,
    /// Where the hand is, metres in the world.
    pub target: Vec3,
}

/// What one step is given.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Animation, motions and drags for every bone, helpers too; simulated bones that nothing animates keep theirs.
    pub pose: &'a Pose,
    /// A tip in the artist's hand.
    pub grab: Option<TipGrab>,
    /// Length of the engine's frame, seconds.
    pub dt: f32,
}

/// Everything that moves on one character. Cloning it forks the motion.
#[derive(Clone, Debug)]
pub struct World {
    skeleton: Skeleton,
    parents: Vec<u32>,
    systems: Vec<System>,
    high_legs: Vec<HighLegRuntime>,
    pose: Pose,
    frames: WorldPose,
    /// Bones whose rotation is a joint's own output and nothing else.
    simulated: Vec<bool>,
    traversal: FrameTraversal,
    viewer: Option<Vec3>,
}

impl World {
    /// Builds every system at rest on `skeleton` (the file's bones, then helpers).
    pub fn build(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let pose = Pose::rest(skeleton);
        let frames = WorldPose::from_pose(skeleton, &pose);
        let systems = setups.iter().map(|setup| System::build(setup, skeleton, &frames)).collect();
        let high_legs = setups.iter().flat_map(|s| &s.high_legs).map(|h| HighLegRuntime::new(h, skeleton)).collect();
        let simulated = vec![false; skeleton.len()];
        let sweep = FrameTraversal::new(skeleton, setups);
        let (parents, skeleton) = (parent_indices(skeleton), skeleton.clone());
        let mut world =
            Self { skeleton, parents, systems, high_legs, pose, frames, simulated, traversal: sweep, viewer: None };
        world.update_simulated(setups);
        world
    }

    /// Finds out again whose rotations are kept from step to step.
    fn update_simulated(&mut self, setups: &[SystemSetup]) {
        self.simulated.fill(false);
        let keeps = |system: &System| with_instance!(system, running => running.starts_from_last_rotation());
        let keeping = self.systems.iter().zip(setups).filter(|(system, _)| keeps(system));
        let own = keeping.flat_map(|(_, setup)| &setup.joints).filter(|j| j.enabled && !j.animated);
        own.for_each(|j| self.simulated[j.bone.index()] = true);
    }

    /// Builds anew after a change of topology. Joints that are still there keep their tips and rotations, bones that
    /// are still there keep their pose, and new joints hang at rest from it.
    pub fn rebuild(&mut self, skeleton: &Skeleton, setups: &[SystemSetup]) {
        let mut tips = BTreeMap::new();
        for system in &self.systems {
            with_instance!(system, running => running.save_tips(&mut tips));
        }
        let before = std::mem::replace(self, Self::build(skeleton, setups));
        let same = before.skeleton.bones().iter().zip(skeleton.bones()).take_while(|(a, b)| a == b).count();
        let kept = |bone: usize| bone < same && !before.simulated[bone] && !self.simulated[bone];
        for bone in (0..same).filter(|bone| kept(*bone)) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        self.viewer = before.viewer;
        self.frames.update(&self.skeleton, &self.pose);
        self.reset_systems();
        for bone in (0..same).filter(|bone| before.simulated[*bone] && self.simulated[*bone]) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            with_instance!(system, running => running.restore_tips(&tips));
        }
        for (system, before) in self.systems.iter_mut().zip(&before.systems) {
            system.carry_over(before);
        }
    }

    /// Reads `setups` again: numbers, and what is switched on. Which bones they name, and how many of each thing there
    /// are, must be as in the build. The motion goes on; a joint that was switched on starts from its present pose.
    pub fn bake(&mut self, setups: &[SystemSetup]) {
        for (system, setup) in self.systems.iter_mut().zip(setups) {
            with_instance!(system, running => running.bake(setup));
        }
        self.update_simulated(setups);
    }

    /// One frame of the engine: the systems in turn, then every frame of the skeleton. Allocates nothing.
    pub fn step(&mut self, input: &StepInput<'_>) {
        self.apply_pose(input.pose);
        update_frames(&self.traversal.before_solvers, &self.parents, &self.pose, &mut self.frames);
        self.apply_high_legs();
        for (index, system) in self.systems.iter_mut().enumerate() {
            if index > 0 {
                // What the systems before it left is what its roots and colliders hang on.
                self.frames.update(&self.skeleton, &self.pose);
            }
            let hold = input.grab.filter(|h| h.joint.system as usize == index);
            let scene = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            let mut scene = Scene { viewer: self.viewer, ..scene };
            with_instance!(system, running => running.step(&mut scene, input.pose, input.dt, hold));
        }
        if input.grab.is_some() {
            // A pulled chain is turned after its turn.
            self.frames.update(&self.skeleton, &self.pose);
        } else {
            update_frames(&self.traversal.after_solvers, &self.parents, &self.pose, &mut self.frames);
        }
    }

    /// Puts every joint at rest on `pose`, with no speed.
    pub fn reset(&mut self, pose: &Pose) {
        self.apply_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        self.apply_high_legs();
        self.reset_systems();
        self.frames.update(&self.skeleton, &self.pose);
    }

    /// Takes `pose`, with the rotations that simulated bones have now, for the rest pose of those systems whose solver
    /// can: VRM's `setInitState`. Their tips stand still there; other systems go on as they were.
    pub fn set_rest_pose(&mut self, pose: &Pose) {
        self.apply_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            let mut scene = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            with_instance!(system, running => running.set_rest_pose(&mut scene));
        }
    }

    /// Leans the nodes that follow the legs; frames are up to date and stay so.
    fn apply_high_legs(&mut self) {
        let mut scene = base_scene(&self.parents, &mut self.pose, &mut self.frames);
        self.high_legs.iter().for_each(|high_leg| high_leg.apply(&mut scene));
    }

    /// Lets every joint hang at rest; the frames of all other bones are up to date.
    fn reset_systems(&mut self) {
        for (index, system) in self.systems.iter_mut().enumerate() {
            if index > 0 {
                self.frames.update(&self.skeleton, &self.pose);
            }
            let mut scene = base_scene(&self.parents, &mut self.pose, &mut self.frames);
            with_instance!(system, running => running.reset(&mut scene));
        }
    }

    /// Tells where the viewer stands, metres in the world, for solvers that let far characters rest; nowhere until told.
    pub fn set_viewer(&mut self, viewer: Vec3) {
        self.viewer = viewer.is_finite().then_some(viewer);
    }

    /// Where the viewer stands, metres in the world; `None` until told.
    pub fn viewer(&self) -> Option<Vec3> {
        self.viewer
    }

    /// Puts a joint's tip somewhere; for replaying recordings.
    pub fn set_tip(&mut self, joint: JointIndex, tip: Vec3, previous: Vec3) {
        if let Some(system) = self.systems.get_mut(joint.system as usize) {
            with_instance!(system, running => running.set_tip(joint.joint as usize, tip, previous));
        }
    }

    /// Turns one bone; for replaying recordings.
    pub fn set_bone_rotation(&mut self, bone: BoneId, rotation: glam::Quat) {
        self.pose.local[bone.index()].rotation = rotation;
    }

    /// Copies `pose` in, but leaves the rotations of simulated bones, which nothing animates, as they were solved.
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

/// What a solver sees before its own colliders and forces are added.
fn base_scene<'a>(parents: &'a [u32], pose: &'a mut Pose, frames: &'a mut WorldPose) -> Scene<'a> {
    Scene { parents, pose: &mut pose.local, frames: &mut frames.frames, colliders: &[], forces: &[], viewer: None }
}

/// Recomputes the frames of `bones`.
fn update_frames(bones: &[u32], parents: &[u32], pose: &Pose, frames: &mut WorldPose) {
    for bone in bones {
        let parent = match parents[*bone as usize] {
            NO_PARENT => Frame::WORLD,
            parent => frames.frames[parent as usize],
        };
        frames.frames[*bone as usize] = parent.child(&pose.local[*bone as usize]);
    }
}

/// Which frames a step must compute besides those that the solvers compute: bones, parents first.
#[derive(Clone, Debug)]
pub(super) struct FrameTraversal {
    /// Before the solvers: all but joints that nothing is read from before their turn.
    pub(super) before_solvers: Vec<u32>,
    /// After them: all but joints.
    pub(super) after_solvers: Vec<u32>,
}

impl FrameTraversal {
    pub(super) fn new(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let all = || (0..skeleton.len() as u32).collect::<Vec<_>>();
        let [setup] = setups else {
            // What one system leaves, the next one reads: everything, to be sure.
            return Self { before_solvers: all(), after_solvers: all() };
        };
        let mut joint = vec![false; skeleton.len()];
        setup.joints.iter().for_each(|j| joint[j.bone.index()] = true);
        // A pivot or collider below a joint may be read before that joint's turn.
        let legs = setup.high_legs.iter().flat_map(|h| h.legs.iter().flatten().chain([&h.bone, &h.hip]));
        let read = mark_with_ancestors(skeleton, referenced_bones(setup).chain(legs.copied()));
        let mut sweep = Self { before_solvers: all(), after_solvers: all() };
        sweep.before_solvers.retain(|b| !joint[*b as usize] || read[*b as usize]);
        sweep.after_solvers.retain(|b| !joint[*b as usize]);
        sweep
    }
}
