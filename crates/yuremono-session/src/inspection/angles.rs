//! The measured angles of a joint, with their limits.

use super::Inspection;
use glam::{Quat, Vec3};
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::{AngleKind, AngleMeasure, JointAngle};
use yuremono_sim::rig::{LimitPlane, hinge_pivot};
use yuremono_sim::{JointSetup, PivotLimit, ResponseInput, SwingShape, UNLIMITED_ANGLE_DEG};

impl Inspection<'_> {
    /// Returns the angles of a joint: the limited angles, followed by the angle to the rest direction. Empty if the bone
    /// is not a joint.
    pub fn joint_angles(self, bone: BoneId) -> Vec<JointAngle> {
        let Some((joint, from_rest)) = self.joint_setup(bone).zip(self.angle_from_rest(bone)) else {
            return Vec::new();
        };
        let mut angles = self.pivot_angles(joint);
        angles.extend(self.hinge_angle(bone));
        angles.extend(self.swing_angles(bone));
        // Other solvers limit the angle in every direction.
        let limits = if angles.is_empty() { self.max_angle(bone) } else { None };
        angles.push(JointAngle { limits: limits.into_iter().collect(), ..from_rest });
        angles
    }

    fn angle_from_rest(&self, bone: BoneId) -> Option<JointAngle> {
        let offset = self.playback.world().tip_offset(self.playback.joint_index(bone)?)?;
        Some(JointAngle {
            kind: AngleKind::FromRest,
            limits: Vec::new(),
            bone: self.resolved.skeleton.get_parent(bone),
            rotation: self.resolved.skeleton.bones().get(bone.index())?.rest.rotation,
            measure: AngleMeasure::ToDirection(offset.normalize_or(Vec3::Y)),
        })
    }

    /// Returns the angles in the planes of the enabled limit pairs.
    fn pivot_angles(&self, joint: &JointSetup) -> Vec<JointAngle> {
        let solver =
            self.playback.joint_index(joint.bone).map(|index| self.resolved.systems[index.system as usize].solver);
        let Some((pivot, solver)) = joint.pivot.zip(solver) else { return Vec::new() };
        let planes = [LimitPlane::Y, LimitPlane::Z].into_iter().zip(solver.info().pivot_limits);
        let enabled = planes.filter(|(_, limit)| joint.values.get(limit.params.active) != 0.0);
        let angle = |(plane, limit): (LimitPlane, &PivotLimit)| JointAngle {
            kind: AngleKind::Limit(limit.params.active),
            limits: ascending([limit.params.min, limit.params.max].map(|param| joint.values.get(param))),
            bone: Some(pivot),
            rotation: Quat::IDENTITY,
            measure: AngleMeasure::InPlane(plane.axes(Quat::IDENTITY)),
        };
        enabled.map(angle).collect()
    }

    /// Returns the angle of a hinge with limits.
    fn hinge_angle(self, bone: BoneId) -> Option<JointAngle> {
        let hinge = self.hinge(bone)?;
        let parent = self.resolved.skeleton.get_parent(bone);
        let frame = parent.and_then(|parent| self.playback.displayed_pose().frames.get(parent.index()));
        let to_parent = frame.map_or(Quat::IDENTITY, |frame| frame.rotation).inverse();
        let rotation = hinge_pivot(to_parent * hinge.world_axis(), to_parent * hinge.zero_direction)?;
        let measure = AngleMeasure::InPlane(LimitPlane::Y.axes(Quat::IDENTITY));
        Some(JointAngle { kind: AngleKind::Hinge, limits: ascending(hinge.limits?), bone: parent, rotation, measure })
    }

    /// Returns the angles of the VRM limit of a joint.
    fn swing_angles(&self, bone: BoneId) -> Vec<JointAngle> {
        let found = || {
            let index = self.playback.joint_index(bone)?;
            let limit = self.resolved.systems.get(index.system as usize)?.vrm.get(index.joint as usize)?.limit?;
            let axis = self.playback.world().tip_offset(index)?.normalize_or(Vec3::Y);
            let rest = self.resolved.skeleton.bones().get(bone.index())?.rest.rotation;
            Some((limit.shape, limit.in_parent(rest, axis)))
        };
        let Some((shape, rotation)) = found() else { return Vec::new() };
        let angle = |kind, limits: [f32; 2], measure| JointAngle {
            kind,
            limits: ascending(limits.map(f32::to_degrees)),
            bone: self.resolved.skeleton.get_parent(bone),
            rotation,
            measure,
        };
        let about_x = AngleMeasure::InPlane([Vec3::Y, Vec3::Z]);
        match shape {
            SwingShape::Cone { angle: limit } => {
                vec![angle(AngleKind::Cone, [limit; 2], AngleMeasure::ToDirection(Vec3::Y))]
            }
            SwingShape::Hinge { angle: limit } => vec![angle(AngleKind::Pitch, [-limit, limit], about_x)],
            SwingShape::Spherical { pitch, yaw } => vec![
                angle(AngleKind::Pitch, [-pitch, pitch], about_x),
                angle(AngleKind::Yaw, [-yaw, yaw], AngleMeasure::OutOfPlane(Vec3::X)),
            ],
        }
    }

    /// Returns the maximum angle to the rest direction as the solver of the joint reports it, in degrees; `None` without
    /// a limit.
    fn max_angle(&self, bone: BoneId) -> Option<f32> {
        let index = self.playback.joint_index(bone)?;
        let system = self.resolved.systems.get(index.system as usize)?;
        let response = system.solver.response(&ResponseInput {
            joint_params: &system.joints.get(index.joint as usize)?.values,
            system_params: &system.values,
            bone_length: self.playback.world().tip_offset(index)?.length(),
            carried_inertia: 0.0,
            frame_seconds: 1.0 / self.playback.settings().player_frame_rate as f32,
        });
        response.max_angle_deg.filter(|max| *max < UNLIMITED_ANGLE_DEG)
    }
}

/// Returns one or two limits in ascending order.
fn ascending([a, b]: [f32; 2]) -> Vec<f32> {
    if a == b { vec![a] } else { vec![a.min(b), a.max(b)] }
}
