//! What a window asks a world between two steps; nothing here changes it.

use super::{JointIndex, World};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::{LinkKind, SystemSetup, Workload};
use glam::Vec3;

/// A tip within, or just touching, a collider or the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Whose tip.
    pub joint: JointIndex,
    /// Position among its system's colliders; `None` for the ground.
    pub collider: Option<u32>,
    /// How deep it is in, metres; 0 for a mere touch.
    pub depth: f32,
    /// Where on the surface, metres in the world.
    pub point: Vec3,
}

/// Two points that a network keeps apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkLink {
    /// Which links of the network it belongs to.
    pub kind: LinkKind,
    /// Whose points they are; a point beyond the last joint of a chain counts as that joint's.
    pub joints: [JointIndex; 2],
    /// Where they are now, metres in the world.
    pub ends: [Vec3; 2],
}

/// What acts on a joint's tip now, by its solver's own rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TipForces {
    /// Gravity and constant forces, m/s² in the world.
    pub gravity: Vec3,
    /// Back to the rest pose, m/s² in the world.
    pub spring: Vec3,
    /// The speed that damping leaves after one step, m/s in the world.
    pub velocity: Vec3,
}

impl World {
    /// What acts on a joint's tip now, for a window to draw; `setup` is what the joint's system was baked from last, and
    /// `frame` the length of an engine frame in seconds. `None` for an unknown joint.
    pub fn tip_forces(&self, joint: JointIndex, setup: &SystemSetup, frame: f32) -> Option<TipForces> {
        let values = &setup.joints.get(joint.joint as usize)?.values;
        let system = self.systems.get(joint.system as usize)?;
        let carried = self.carried_inertia(joint, setup);
        let place = joint.joint as usize;
        let (sway, gravity) =
            with_instance!(system, running => running.response(place, (values, &setup.values), carried, frame))?;
        let (tip, before) = (self.tip(joint)?, self.previous_tip(joint)?);
        let rate = std::f32::consts::TAU * sway.frequency_hz;
        let spring = self.rest_tip(joint).map_or(Vec3::ZERO, |rest| (rest - tip) * (rate * rate));
        let step = setup.solver.step_seconds(&setup.values, frame);
        let kept = (-2.0 * sway.damping_ratio * rate * step).exp();
        let speed = (tip - before) / step * kept;
        let finite = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
        Some(TipForces { gravity: finite(gravity), spring: finite(spring), velocity: finite(speed) })
    }

    /// [`Numbers::carried`](crate::sim::ResponseInput::carried_inertia) of a joint as its chain is posed now.
    fn carried_inertia(&self, joint: JointIndex, setup: &SystemSetup) -> f32 {
        let Some(own) = setup.joints.get(joint.joint as usize) else { return 0.0 };
        let head = self.frames.frames.get(own.bone.index()).map_or(Vec3::ZERO, |frame| frame.position);
        let below = setup.joints.iter().enumerate().filter(|(_, other)| other.chain == own.chain);
        let below = below.filter(|(_, other)| self.skeleton.is_known_ancestor(own.bone, other.bone));
        let tips = below.filter_map(|(at, _)| self.tip(JointIndex { joint: at as u32, ..joint }));
        tips.map(|tip| tip.distance_squared(head)).sum()
    }

    /// Where a joint's tip would be in the rest pose, below its parent as the parent is now; metres in the world.
    fn rest_tip(&self, joint: JointIndex) -> Option<Vec3> {
        let bone = self.joint_bone(joint)?;
        let parent = self.skeleton.get_parent(bone)?;
        let head = self.frames.frames.get(bone.index())?.position;
        let rest = self.skeleton.bones().get(bone.index())?.rest.rotation;
        let rotation = self.frames.frames.get(parent.index())?.rotation * rest;
        Some(head + rotation * self.tip_offset(joint)?)
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
        with_instance!(system, running => running.tip(joint.joint as usize))
    }

    /// Where a joint's tip was one step before, metres in the world.
    pub fn previous_tip(&self, joint: JointIndex) -> Option<Vec3> {
        let system = self.systems.get(joint.system as usize)?;
        with_instance!(system, running => running.previous_tip(joint.joint as usize))
    }

    /// The bone that a joint turns.
    pub fn joint_bone(&self, joint: JointIndex) -> Option<BoneId> {
        let system = self.systems.get(joint.system as usize)?;
        with_instance!(system, running => running.bone(joint.joint as usize))
    }

    /// From a joint's head to where it points, before the bone's world rotation, metres.
    pub fn tip_offset(&self, joint: JointIndex) -> Option<Vec3> {
        let system = self.systems.get(joint.system as usize)?;
        with_instance!(system, running => running.tip_offset(joint.joint as usize))
    }

    /// Seconds on the clock of what a system's component blows; `None` where it has none.
    pub fn clock(&self, system: usize) -> Option<f32> {
        with_instance!(self.systems.get(system)?, running => running.wind_time())
    }

    /// How far a bone that leads others of a system stands from its place, metres; `None` for any other.
    pub fn sync_offset(&self, system: usize, bone: BoneId) -> Option<f32> {
        with_instance!(self.systems.get(system)?, running => running.sync_offset(bone, &self.frames))
    }

    /// How force `force` of system `system` would pull now on a joint whose head were at `at` and that takes the wind
    /// whole, m/s² in the world; zero while it is off, `None` if there is no such force.
    pub fn force_at(&self, system: usize, force: usize, at: Vec3) -> Option<Vec3> {
        self.force_at_time(system, force, at, 0.0)
    }

    /// As [`World::force_at`], `later` seconds from now, or before now where below zero, with its numbers and its bone
    /// as they are now.
    pub fn force_at_time(&self, system: usize, force: usize, at: Vec3, later: f32) -> Option<Vec3> {
        with_instance!(self.systems.get(system)?, running => running.force_at_time(force, &self.frames, at, later))
    }

    /// What each tip touches now, among the colliders that it is tested against and that are on, and the ground. Reckoned
    /// on demand; whoever shows it may ask once a picture.
    pub fn contacts(&self) -> Vec<Contact> {
        let mut found = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let system_index = index as u32;
            with_instance!(system, running => running.overlaps(&self.frames, |joint, overlap| found.push(Contact {
                joint: JointIndex { system: system_index, joint },
                collider: overlap.collider,
                depth: overlap.depth,
                point: overlap.point,
            })));
        }
        found
    }

    /// The links of every network, in the order in which they are solved; none under solvers that move each chain by itself.
    pub fn links(&self) -> Vec<NetworkLink> {
        let mut links = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let joint = |joint| JointIndex { system: index as u32, joint };
            with_instance!(system, running => running.links(|kind, joints, ends| {
                links.push(NetworkLink { kind, joints: joints.map(joint), ends });
            }));
        }
        links
    }

    /// The work of each system in one step of `dt` seconds.
    pub fn work(&self, dt: f32) -> impl Iterator<Item = Workload> {
        self.systems.iter().map(move |system| with_instance!(system, running => running.work(dt)))
    }

    /// Joints at which a chain moved too far from its head, or met NaN, since the numbers were read last; each such chain
    /// returned to its rest pose, again in every step.
    pub fn out_of_bounds_joints(&self) -> Vec<JointIndex> {
        let mut strays = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let joint = |joint| JointIndex { system: index as u32, joint };
            with_instance!(system, running => strays.extend(running.out_of_bounds_joints().map(joint)));
        }
        strays
    }

    /// The deepest of [`World::contacts`]; `None` where nothing overlaps, touches apart.
    pub fn deepest_contact(&self) -> Option<Contact> {
        self.contacts().into_iter().filter(|c| c.depth > 0.0).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}
