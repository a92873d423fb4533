use super::hold::{self, Place};
use super::scene::{ColliderRest, Scene, WORLD, parents};
use super::solver::spring_bone::SpringBone;
use super::solver::vrm::Vrm;
use super::{Solver, SystemSetup, Tips as _};
use crate::math::Frame;
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
    sweep: Sweep,
}

/// Which frames a step must compute beside those that the solvers compute themselves; bones, parents first.
#[derive(Clone, Debug)]
struct Sweep {
    /// Before the solvers: all but joints that nothing is read from before their turn.
    before: Vec<u32>,
    /// After them: all but joints.
    after: Vec<u32>,
}

/// One system under its solver.
#[derive(Clone, Debug)]
enum System {
    UnityChanSpringBone(Box<Running<SpringBone>>),
    Vrm(Box<Running<Vrm>>),
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
            System::Vrm($running) => $body,
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
        let sweep = Sweep::new(skeleton, setups);
        Self { parents: parents(skeleton), skeleton: skeleton.clone(), systems, pose, frames, simulated, sweep }
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
        refresh(&self.sweep.before, &self.parents, &self.pose, &mut self.frames);
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
        if input.hold.is_some() {
            // A pulled chain is turned after its turn.
            self.frames.update(&self.skeleton, &self.pose);
        } else {
            refresh(&self.sweep.after, &self.parents, &self.pose, &mut self.frames);
        }
    }

    /// Puts every joint at rest on `pose`, with no speed.
    pub fn reset(&mut self, pose: &Pose) {
        self.take_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        self.rest_systems();
        self.frames.update(&self.skeleton, &self.pose);
    }

    /// Takes `pose`, with the rotations that simulated bones have now, for the rest pose of those systems whose solver
    /// can: VRM's `setInitState`. Their tips stand still there; other systems go on as they were.
    pub fn take_rest(&mut self, pose: &Pose) {
        self.take_pose(pose);
        self.frames.update(&self.skeleton, &self.pose);
        for system in &mut self.systems {
            let mut scene = Scene {
                parents: &self.parents,
                pose: &mut self.pose.local,
                frames: &mut self.frames.frames,
                colliders: &[],
            };
            with_running!(system, running => running.take_rest(&mut scene));
        }
    }

    /// Lets every joint hang at rest; the frames of all other bones are up to date.
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
        for ((own, given), simulated) in self.pose.local.iter_mut().zip(&pose.local).zip(&self.simulated) {
            own.translation = given.translation;
            own.scale = given.scale;
            if !simulated {
                own.rotation = given.rotation;
            }
        }
    }
}

impl Sweep {
    fn new(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let all = || (0..skeleton.len() as u32).collect::<Vec<_>>();
        let [setup] = setups else {
            // What one system leaves, the next one reads: everything, to be sure.
            return Self { before: all(), after: all() };
        };
        let mut joint = vec![false; skeleton.len()];
        setup.joints.iter().for_each(|j| joint[j.bone.index()] = true);
        // A pivot or collider below a joint may be read before that joint's turn.
        let mut read = vec![false; skeleton.len()];
        let centers = setup.vrm.iter().filter_map(|v| v.center);
        let colliders = setup.colliders.iter().map(|c| c.bone);
        for bone in setup.joints.iter().filter_map(|j| j.pivot).chain(colliders).chain(centers) {
            std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| read[b.index()] = true);
        }
        let mut sweep = Self { before: all(), after: all() };
        sweep.before.retain(|b| !joint[*b as usize] || read[*b as usize]);
        sweep.after.retain(|b| !joint[*b as usize]);
        sweep
    }
}

/// Recomputes the frames of `bones`.
fn refresh(bones: &[u32], parents: &[u32], pose: &Pose, frames: &mut WorldPose) {
    for bone in bones {
        let parent = match parents[*bone as usize] {
            WORLD => Frame::WORLD,
            parent => frames.frames[parent as usize],
        };
        frames.frames[*bone as usize] = parent.child(&pose.local[*bone as usize]);
    }
}

impl System {
    fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        match setup.solver {
            SolverKind::UnityChanSpringBone => {
                Self::UnityChanSpringBone(Box::new(Running::build(setup, skeleton, frames)))
            }
            SolverKind::Vrm => Self::Vrm(Box::new(Running::build(setup, skeleton, frames))),
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
        let colliders = setup
            .colliders
            .iter()
            .map(|c| ColliderRest { bone: c.bone.0, shape: c.shape, enabled: c.enabled, renderer_on: c.renderer_on })
            .collect();
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

    fn take_rest(&mut self, scene: &mut Scene<'_>) {
        S::take_rest(&mut self.rest, &mut self.state, scene);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;
    use crate::sim::solver::spring_bone::{PARAMS, STIFFNESS, Y_ACTIVE, Y_MAX};
    use crate::sim::{ColliderSetup, JointSetup, Shape, TipSetup};
    use glam::Quat;

    /// Two chains of four below a root, with a plain bone between; colliders and pivots hang on joints of either, so
    /// that shallow joints read frames below deep ones.
    fn entangled() -> (Skeleton, SystemSetup) {
        let bone = |parent: Option<u32>, x: f32, y: f32| Bone {
            name: format!("{x} {y}"),
            parent: parent.map(BoneId),
            rest: Trs { rotation: Quat::from_rotation_z(x), ..Trs::from_translation(Vec3::new(x, y, 0.1)) },
        };
        let bones = [
            bone(None, 0.0, 1.0),
            bone(Some(0), -0.1, 0.0),
            bone(Some(1), 0.0, -0.1),
            bone(Some(2), 0.05, -0.1),
            bone(Some(3), 0.0, -0.1),
            bone(Some(4), 0.02, -0.05),
            bone(Some(0), 0.1, 0.0),
            bone(Some(6), 0.0, -0.1),
            bone(Some(7), 0.0, -0.1),
            bone(Some(8), 0.01, -0.02),
        ];
        let skeleton = Skeleton::new(bones.into()).expect("parents first");
        let joint = |(at, bone): (usize, u32)| {
            let mut values = ParamSet::defaults(PARAMS);
            values.set(STIFFNESS, 200.0);
            values.set(Y_ACTIVE, 1.0);
            values.set(Y_MAX, 20.0);
            JointSetup {
                bone: BoneId(bone),
                tip: TipSetup::Offset(Vec3::new(0.0, -0.1, 0.02)),
                values,
                pivot: Some(BoneId([9, 5, 0, 3][at % 4])),
                length_targets: Vec::new(),
                colliders: vec![0, 1],
                chain: u32::from(bone > 5),
                enabled: bone != 7,
                animated: false,
            }
        };
        let collider = |bone| ColliderSetup::new(BoneId(bone), Shape::Sphere { radius: 0.12 });
        let setup = SystemSetup {
            joints: [1, 2, 4, 6, 7, 8].into_iter().enumerate().map(joint).collect(),
            colliders: vec![collider(5), collider(9)],
            ..SystemSetup::new(SolverKind::UnityChanSpringBone, ParamSet::defaults(PARAMS))
        };
        (skeleton, setup)
    }

    #[test]
    fn frames_that_are_left_out_are_frames_that_nobody_reads() {
        let (skeleton, setup) = entangled();
        check_left_out(&skeleton, &setup);
    }

    #[test]
    fn vrm_reads_no_frames_that_are_left_out() {
        use crate::sim::VrmJoint;
        use crate::sim::solver::vrm;
        let (skeleton, mut setup) = entangled();
        setup.solver = SolverKind::Vrm;
        setup.values = ParamSet::defaults(vrm::PARAMS);
        setup.joints.iter_mut().for_each(|j| j.values = ParamSet::defaults(vrm::PARAMS));
        let centers = [Some(3), None, Some(4), Some(0), Some(6), Some(7)];
        setup.vrm = centers.map(|c| VrmJoint { center: c.map(BoneId), limit: None }).to_vec();
        for preview in [0.0, 1.0, 2.0] {
            setup.values.set(vrm::PREVIEW_AS, preview);
            check_left_out(&skeleton, &setup);
        }
    }

    #[track_caller]
    fn check_left_out(skeleton: &Skeleton, setup: &SystemSetup) {
        let mut lean = World::build(skeleton, std::slice::from_ref(setup));
        let mut full = lean.clone();
        let all: Vec<u32> = (0..skeleton.len() as u32).collect();
        assert!(lean.sweep.after.len() < all.len());
        full.sweep = Sweep { before: all.clone(), after: all };
        let mut pose = Pose::rest(skeleton);
        for tick in 0..240_u8 {
            let root = &mut pose.local[0];
            root.rotation = Quat::from_rotation_y(f32::from(tick) * 0.2) * Quat::from_rotation_x(0.3);
            root.translation.x = (f32::from(tick) * 0.15).sin() * 0.3;
            pose.local[3].rotation = Quat::from_rotation_x(f32::from(tick) * 0.05);
            let hold = (tick > 200).then_some(Hold { joint: JointIndex { system: 0, joint: 2 }, target: Vec3::X });
            for world in [&mut lean, &mut full] {
                world.step(&StepInput { pose: &pose, hold, dt: 1.0 / 60.0 });
            }
            assert_eq!(lean.pose, full.pose, "tick {tick}");
            assert_eq!(lean.frames, full.frames, "tick {tick}");
        }
    }
}
