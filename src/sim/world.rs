use super::hold::{self, Place};
use super::scene::{ColliderRest, Scene, parents};
use super::solver::spring_bone::SpringBone;
use super::{Solver, SystemSetup, Tips as _};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{ParamSet, SolverKind};
use glam::Vec3;
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
pub struct Hold {
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
    pub hold: Option<Hold>,
    /// Length of the engine's frame, seconds.
    pub dt: f32,
}

/// Everything that moves on one character. Cloning it forks the motion.
#[derive(Clone, Debug)]
pub struct World {
    skeleton: Skeleton,
    parents: Vec<u32>,
    systems: Vec<System>,
    pose: Pose,
    frames: WorldPose,
    /// Bones whose rotation is a joint's own output and nothing else.
    simulated: Vec<bool>,
}

/// One system under its solver.
#[derive(Clone, Debug)]
enum System {
    UnityChanSpringBone(Box<Running<SpringBone>>),
}

/// A solver's four buffers, and what every solver needs beside them.
#[derive(Clone, Debug)]
struct Running<S: Solver> {
    rest: S::Rest,
    params: Vec<S::Params>,
    system: S::System,
    state: S::State,
    colliders: Vec<ColliderRest>,
    /// In the solver's order.
    joints: Vec<Place>,
}

/// Calls one generic function on whichever solver a system runs under.
macro_rules! with_running {
    ($system:expr, $running:ident => $body:expr) => {
        match $system {
            System::UnityChanSpringBone($running) => $body,
        }
    };
}

impl World {
    /// Builds every system at rest on `skeleton` (the file's bones, then helpers).
    pub fn build(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let pose = Pose::rest(skeleton);
        let frames = WorldPose::of(skeleton, &pose);
        let systems = setups.iter().map(|setup| System::build(setup, skeleton, &frames)).collect();
        let mut simulated = vec![false; skeleton.len()];
        let own = setups.iter().flat_map(|s| &s.joints).filter(|j| j.enabled && !j.animated);
        own.for_each(|j| simulated[j.bone.index()] = true);
        Self { parents: parents(skeleton), skeleton: skeleton.clone(), systems, pose, frames, simulated }
    }

    /// Builds anew after a change of topology. Joints that are still there keep their tips and rotations, bones that
    /// are still there keep their pose, and new joints hang at rest from it.
    pub fn rebuild(&mut self, skeleton: &Skeleton, setups: &[SystemSetup]) {
        let mut tips = BTreeMap::new();
        for system in &self.systems {
            with_running!(system, running => running.remember(&mut tips));
        }
        let before = std::mem::replace(self, Self::build(skeleton, setups));
        let same = before.skeleton.bones().iter().zip(skeleton.bones()).take_while(|(a, b)| a == b).count();
        let kept = |bone: usize| bone < same && !before.simulated[bone] && !self.simulated[bone];
        for bone in (0..same).filter(|bone| kept(*bone)) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        self.frames.update(&self.skeleton, &self.pose);
        self.rest_systems();
        for bone in (0..same).filter(|bone| before.simulated[*bone] && self.simulated[*bone]) {
            self.pose.local[bone] = before.pose.local[bone];
        }
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            with_running!(system, running => running.recall(&tips));
        }
    }

    /// Reads the numbers of `setups` again; their topology must be that of the build. The motion goes on.
    pub fn bake(&mut self, setups: &[SystemSetup]) {
        for (system, setup) in self.systems.iter_mut().zip(setups) {
            with_running!(system, running => running.bake(setup));
        }
    }

    /// One frame of the engine: the systems in turn, then every frame of the skeleton. Allocates nothing.
    pub fn step(&mut self, input: &StepInput<'_>) {
        self.take_pose(input.pose);
        for (index, system) in self.systems.iter_mut().enumerate() {
            let hold = input.hold.filter(|h| h.joint.system as usize == index);
            let mut scene = Scene {
                parents: &self.parents,
                pose: &mut self.pose.local,
                frames: &mut self.frames.frames,
                colliders: &[],
            };
            with_running!(system, running => running.step(&mut scene, input.dt, hold));
        }
        self.frames.update(&self.skeleton, &self.pose);
    }

    /// Puts every joint at rest on `pose`, with no speed.
    pub fn reset(&mut self, pose: &Pose) {
        self.take_pose(pose);
        self.rest_systems();
        self.frames.update(&self.skeleton, &self.pose);
    }

    fn rest_systems(&mut self) {
        for system in &mut self.systems {
            let mut scene = Scene {
                parents: &self.parents,
                pose: &mut self.pose.local,
                frames: &mut self.frames.frames,
                colliders: &[],
            };
            with_running!(system, running => running.reset(&mut scene));
        }
    }

    /// Every bone as it is now, helpers too.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Every bone in the world as it is now.
    pub fn frames(&self) -> &WorldPose {
        &self.frames
    }

    /// The file's bones, then helpers.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Whether a joint turns this bone.
    pub fn is_simulated(&self, bone: BoneId) -> bool {
        self.simulated.get(bone.index()).copied().unwrap_or(false)
    }

    /// Where a joint's tip is, metres in the world.
    pub fn tip(&self, joint: JointIndex) -> Option<Vec3> {
        let system = self.systems.get(joint.system as usize)?;
        with_running!(system, running => running.tip(joint.joint as usize))
    }

    /// Where a joint's tip was one step before, metres in the world.
    pub fn previous_tip(&self, joint: JointIndex) -> Option<Vec3> {
        let system = self.systems.get(joint.system as usize)?;
        with_running!(system, running => running.previous_tip(joint.joint as usize))
    }

    /// The bone that a joint turns.
    pub fn joint_bone(&self, joint: JointIndex) -> Option<BoneId> {
        let system = self.systems.get(joint.system as usize)?;
        with_running!(system, running => running.place_of(joint.joint as usize).map(|place| running.joints[place].bone))
    }

    /// From a joint's head to where it points, before the bone's world rotation, metres.
    pub fn tip_offset(&self, joint: JointIndex) -> Option<Vec3> {
        let system = self.systems.get(joint.system as usize)?;
        with_running!(system, running => running.tip_offset(joint.joint as usize))
    }

    /// Puts a joint's tip somewhere; for replaying recordings.
    pub fn place_tip(&mut self, joint: JointIndex, tip: Vec3, previous: Vec3) {
        if let Some(system) = self.systems.get_mut(joint.system as usize) {
            with_running!(system, running => running.place(joint.joint as usize, tip, previous));
        }
    }

    /// Turns one bone; for replaying recordings.
    pub fn place_bone(&mut self, bone: BoneId, rotation: glam::Quat) {
        self.pose.local[bone.index()].rotation = rotation;
    }

    /// Copies `pose` in, but leaves the rotations of simulated bones, which nothing animates, as they were solved.
    fn take_pose(&mut self, pose: &Pose) {
        for (bone, (own, given)) in self.pose.local.iter_mut().zip(&pose.local).enumerate() {
            let rotation = own.rotation;
            *own = *given;
            if self.simulated[bone] {
                own.rotation = rotation;
            }
        }
        self.frames.update(&self.skeleton, &self.pose);
    }
}

impl System {
    fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        match setup.solver {
            SolverKind::UnityChanSpringBone => {
                Self::UnityChanSpringBone(Box::new(Running::build(setup, skeleton, frames)))
            }
        }
    }
}

impl<S: Solver> Running<S> {
    fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        let (rest, state) = S::build(setup, skeleton, frames);
        let mut joints = vec![Place { bone: BoneId(0), chain: 0, enabled: false }; setup.joints.len()];
        for (joint, place) in setup.joints.iter().zip(S::order(&rest)) {
            joints[*place as usize] = Place { bone: joint.bone, chain: joint.chain, enabled: joint.enabled };
        }
        let colliders = setup.colliders.iter().map(|c| ColliderRest { bone: c.bone.0, shape: c.shape }).collect();
        let params = vec![S::bake(|_| 0.0); setup.joints.len()];
        let system = S::bake_system(|row| setup.values.get(row));
        let mut running = Self { rest, params, system, state, colliders, joints };
        running.bake(setup);
        running
    }

    fn bake(&mut self, setup: &SystemSetup) {
        let number = |set: &ParamSet, row| clamp_to_finite(set.get(row));
        self.system = S::bake_system(|row| number(&setup.values, row));
        for (joint, place) in setup.joints.iter().zip(S::order(&self.rest)) {
            self.params[*place as usize] = S::bake(|row| number(&joint.values, row));
        }
    }

    fn step(&mut self, scene: &mut Scene<'_>, dt: f32, hold: Option<Hold>) {
        let mut scene = Scene {
            parents: scene.parents,
            pose: &mut *scene.pose,
            frames: &mut *scene.frames,
            colliders: &self.colliders,
        };
        S::solve(&self.rest, &self.params, &self.system, &mut self.state, &mut scene, dt);
        if let Some(hold) = hold
            && let Some(place) = S::order(&self.rest).get(hold.joint.joint as usize)
        {
            hold::pull::<S>(&self.rest, &mut self.state, &self.joints, &mut scene, *place as usize, hold.target);
        }
    }

    fn reset(&mut self, scene: &mut Scene<'_>) {
        S::rest_tips(&self.rest, &mut self.state, scene);
    }

    fn place_of(&self, joint: usize) -> Option<usize> {
        S::order(&self.rest).get(joint).map(|place| *place as usize)
    }

    fn tip(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| self.state.tip(place))
    }

    fn previous_tip(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| self.state.previous(place))
    }

    fn tip_offset(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| S::tip_offset(&self.rest, place))
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        if let Some(place) = self.place_of(joint) {
            self.state.place(place, tip, previous);
        }
    }

    fn remember(&self, tips: &mut BTreeMap<BoneId, (Vec3, Vec3)>) {
        // The tips of joints that are off stand where they were when they were switched off.
        for (place, Place { bone, .. }) in self.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
            tips.insert(*bone, (self.state.tip(place), self.state.previous(place)));
        }
    }

    fn recall(&mut self, tips: &BTreeMap<BoneId, (Vec3, Vec3)>) {
        for (place, Place { bone, .. }) in self.joints.iter().enumerate() {
            if let Some((tip, previous)) = tips.get(bone) {
                self.state.place(place, *tip, *previous);
            }
        }
    }
}

/// Files may carry infinities; the solver gets the nearest number that arithmetic survives.
fn clamp_to_finite(value: f32) -> f32 {
    const MOST: f32 = 1e18;
    if value.is_nan() { 0.0 } else { value.clamp(-MOST, MOST) }
}
