//! Queries of the viewport between two steps.

use super::{JointIndex, System, World};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::{LinkKind, TipParts, Workload};
use glam::Vec3;

/// A tip in contact with a collider or the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Joint of the tip.
    pub joint: JointIndex,
    /// Index of the collider in its system; `None` for the ground.
    pub collider: Option<u32>,
    /// Depth in metres; 0 if the surfaces only touch.
    pub depth: f32,
    /// Point on the surface of the collider, in metres in the world.
    pub point: Vec3,
}

/// A link of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkLink {
    /// Kind of the link.
    pub kind: LinkKind,
    /// Joints of the two points. A point beyond the last joint of a chain belongs to that joint.
    pub joints: [JointIndex; 2],
    /// Positions of the two points, in metres in the world.
    pub ends: [Vec3; 2],
}

impl World {
    fn system(&self, joint: JointIndex) -> Option<&System> {
        self.systems.get(joint.system as usize)
    }

    /// The current pose of all bones including helper nodes.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The current world frames.
    pub fn frames(&self) -> &WorldPose {
        &self.frames
    }

    /// The skeleton: the bones of the file, followed by helper nodes.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Position of a tip, in metres in the world.
    pub fn tip(&self, joint: JointIndex) -> Option<Vec3> {
        with_instance!(self.system(joint)?, instance => instance.tip(joint.joint as usize))
    }

    /// Position of a tip one step earlier, in metres in the world.
    pub fn previous_tip(&self, joint: JointIndex) -> Option<Vec3> {
        with_instance!(self.system(joint)?, instance => instance.previous_tip(joint.joint as usize))
    }

    /// Why a tip moved in the last step; all zero after a reset. `None` if the joint does not exist or the world is not
    /// probed, see [`World::set_probed`].
    pub fn tip_parts(&self, joint: JointIndex) -> Option<TipParts> {
        with_instance!(self.system(joint)?, instance => instance.tip_parts(joint.joint as usize))
    }

    /// The bone of a joint.
    pub fn joint_bone(&self, joint: JointIndex) -> Option<BoneId> {
        with_instance!(self.system(joint)?, instance => instance.bone(joint.joint as usize))
    }

    /// Offset from head to tip in the space of the bone, in metres.
    pub fn tip_offset(&self, joint: JointIndex) -> Option<Vec3> {
        with_instance!(self.system(joint)?, instance => instance.tip_offset(joint.joint as usize))
    }

    /// Clock of a component's wind, in seconds; `None` if the system has no wind.
    pub fn wind_time(&self, system: usize) -> Option<f32> {
        with_instance!(self.systems.get(system)?, instance => instance.wind_time())
    }

    /// Distance of a sync bone from its rest position, in metres; `None` for other bones.
    pub fn sync_offset(&self, system: usize, bone: BoneId) -> Option<f32> {
        with_instance!(self.systems.get(system)?, instance => instance.sync_offset(bone, &self.frames))
    }

    /// Acceleration by a force on a joint at `at` with full wind influence, in m/s² in the world. Zero if the force
    /// is off; `None` if the force does not exist.
    pub fn force_at(&self, system: usize, force: usize, at: Vec3) -> Option<Vec3> {
        self.force_at_time(system, force, at, 0.0)
    }

    /// Like [`World::force_at`], but `later` seconds from now (in the past if negative). Uses the current parameters
    /// and frames.
    pub fn force_at_time(&self, system: usize, force: usize, at: Vec3, later: f32) -> Option<Vec3> {
        with_instance!(self.systems.get(system)?, instance => instance.force_at_time(force, &self.frames, at, later))
    }

    /// Contacts of all tips with the ground and with the enabled colliders that they can hit. Every call computes all
    /// contacts, so call it at most once per frame.
    pub fn contacts(&self) -> Vec<Contact> {
        let mut found = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let system_index = index as u32;
            with_instance!(system, instance => instance.overlaps(&self.frames, |joint, overlap| found.push(Contact {
                joint: JointIndex { system: system_index, joint },
                collider: overlap.collider,
                depth: overlap.depth,
                point: overlap.point,
            })));
        }
        found
    }

    /// Depth of a joint's tip in the ground or in an enabled collider that it can hit, whichever is deeper, with all
    /// bones as in `frames`, in metres. Uses the current parameters. Zero without contact; `None` if the joint does not
    /// exist or is disabled.
    pub fn penetration(&self, joint: JointIndex, frames: &WorldPose) -> Option<f32> {
        let frame = frames.frames.get(self.joint_bone(joint)?.index())?;
        let tip = frame.position + frame.rotation * self.tip_offset(joint)?;
        with_instance!(self.system(joint)?, instance => instance.penetration(frames, joint.joint as usize, tip))
    }

    /// Radius with which a joint collides in the current pose, in metres, with the scale that its solver applies; `None`
    /// if the joint does not collide.
    pub fn contact_radius(&self, joint: JointIndex) -> Option<f32> {
        with_instance!(self.system(joint)?, instance => instance.contact_radius(&self.frames, joint.joint as usize))
    }

    /// The links of all networks, in solving order. Empty for solvers without links.
    pub fn links(&self) -> Vec<NetworkLink> {
        let mut links = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let joint = |joint| JointIndex { system: index as u32, joint };
            with_instance!(system, instance => instance.links(|kind, joints, ends| {
                links.push(NetworkLink { kind, joints: joints.map(joint), ends });
            }));
        }
        links
    }

    /// The work of each system in one step of `dt` seconds.
    pub fn workloads(&self, dt: f32) -> impl Iterator<Item = Workload> {
        self.systems.iter().map(move |system| with_instance!(system, instance => instance.workload(dt)))
    }

    /// The first joint of each chain that was NaN or too far from its chain's head since the last bake. The guard
    /// returns such a chain to its rest pose in every step in which this happens.
    pub fn out_of_bounds_joints(&self) -> Vec<JointIndex> {
        let mut out_of_bounds = Vec::new();
        for (index, system) in self.systems.iter().enumerate() {
            let joint = |joint| JointIndex { system: index as u32, joint };
            with_instance!(system, instance => out_of_bounds.extend(instance.out_of_bounds_joints().map(joint)));
        }
        out_of_bounds
    }

    /// The deepest contact; `None` if nothing overlaps.
    pub fn deepest_contact(&self) -> Option<Contact> {
        self.contacts().into_iter().filter(|c| c.depth > 0.0).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}
