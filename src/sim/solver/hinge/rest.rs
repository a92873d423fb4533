//! Set-up: hinges after those above them, and where each begins.

use super::step::Swing;
use super::{Hinge, State};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::kernel::{farthest_end, finite};
use crate::sim::scene::{Scene, parents};
use crate::sim::{Dynamics as _, SystemSetup};
use glam::Vec3;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    pub(super) bone: u32,
    pub(super) enabled: bool,
    /// Part of [`Rest::bones`]: from below the hinge above to this one.
    path: (u32, u32),
    /// In bone space, unit length.
    pub(super) axis: Vec3,
    /// Centre of mass in bone space, metres.
    pub(super) center: Vec3,
    /// Longest distance of that centre, metres.
    farthest: f32,
    /// Angle and speed that it begins with, degrees and degrees per second.
    start: (f32, f32),
    /// Angle that it shows until its first step.
    shown: f32,
}

/// Topology and rest data; joints parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    pub(super) joints: Vec<JointRest>,
    bones: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    pub(super) order: Vec<u32>,
}

impl Rest {
    /// Reads again what is switched on, and what of the numbers says where joints are.
    pub(super) fn switch(&mut self, setup: &SystemSetup) {
        let system = Hinge::bake_system(|row| finite(setup.values.get(row)));
        for (joint, place) in setup.joints.iter().zip(&self.order) {
            let p = Hinge::bake(|row| finite(joint.values.get(row)));
            let own = &mut self.joints[*place as usize];
            (own.enabled, own.axis) = (joint.enabled, p.axis);
            own.center = p.center.clamp_length_max(own.farthest);
            // The article's angle stands elsewhere before the bone is turned to it.
            (own.start, own.shown) = match system.start {
                0 => ((p.rest_angle, p.start.1), p.rest_angle),
                1 => (p.start, 0.0),
                _ => ((p.limits.1, p.start.1), 0.0),
            };
        }
    }

    /// Brings the frames from below the hinge above down to this one up to date.
    #[inline]
    pub(super) fn refresh_path(&self, joint: &JointRest, scene: &mut Scene<'_>) {
        for bone in &self.bones[joint.path.0 as usize..joint.path.1 as usize] {
            scene.refresh(*bone);
        }
    }
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let count = setup.joints.len();
    let mut rest = Rest { order: vec![0; count], ..Rest::default() };
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|i| (skeleton.depth(setup.joints[*i].bone), *i));
    let mut hinged = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|joint| hinged[joint.bone.index()] = true);
    for (place, i) in sorted.into_iter().enumerate() {
        let bone = setup.joints[i].bone;
        let between = skeleton.ancestors(bone).take_while(|b| !hinged[b.index()]);
        let below_hinge = skeleton.ancestors(bone).any(|b| hinged[b.index()]);
        let from = rest.bones.len() as u32;
        let mut path: Vec<u32> = if below_hinge { between.map(|b| b.0).collect() } else { Vec::new() };
        path.reverse();
        rest.bones.extend(path);
        rest.bones.push(bone.0);
        rest.order[i] = place as u32;
        rest.joints.push(JointRest {
            bone: bone.0,
            enabled: true,
            path: (from, rest.bones.len() as u32),
            axis: Vec3::X,
            center: Vec3::ZERO,
            farthest: farthest_end(bone, skeleton, world),
            start: (0.0, 0.0),
            shown: 0.0,
        });
    }
    rest.switch(setup);
    let mut state = State { swings: vec![Swing::default(); count], before: 0.0 };
    let mut pose = crate::rig::Pose::rest(skeleton).local;
    let (mut frames, parents) = (world.frames.clone(), parents(skeleton));
    let mut scene =
        Scene { parents: &parents, pose: &mut pose, frames: &mut frames, colliders: &[], forces: &[], viewer: None };
    rest_tips(&rest, &mut state, &mut scene);
    (rest, state)
}

/// Turns every joint to where it begins; it begins to move in the next step.
pub(super) fn rest_tips(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (joint, swing) in rest.joints.iter().zip(&mut state.swings) {
        rest.refresh_path(joint, scene);
        swing.begin(joint, joint.start, if joint.enabled { joint.shown } else { 0.0 }, scene);
    }
    state.before = 0.0;
}
