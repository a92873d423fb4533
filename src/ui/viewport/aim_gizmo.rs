//! The gizmo by which the artist rotates the active joint within its limit. The chain is simulated, and nothing in the
//! document changes.

use super::aim_grip::{AimGrip, with_turns_near};
use super::gizmo::{Gizmo, PickLayer};
use super::handle::{ActiveHandle, Handle, HandleDrag, HandleId, HandleKind, HandleTarget, SNAP_DEGREES, rounded_to};
use super::limit_gizmo::LimitGizmo;
use super::overlay_painter::OverlayPainter;
use crate::stage::{CameraView, sphere_direction};
use glam::Vec3;
use yuremono_session::{Command, Session};

#[derive(Debug)]
pub(super) struct AimGizmo {
    grips: Vec<AimGrip>,
    /// The handle of the grip that is shown.
    handles: Vec<Handle>,
}

impl AimGizmo {
    pub(super) fn of(limits: &LimitGizmo) -> Self {
        let grips: Vec<AimGrip> = limits.grips().copied().collect();
        Self { handles: grips.iter().filter(|grip| grip.is_shown).take(1).map(AimGrip::handle).collect(), grips }
    }

    /// Returns the direction from the head of the joint to the pointer. Returns `None` if the limit is not shown any
    /// more.
    fn direction(&self, drag: &mut HandleDrag, view: &CameraView) -> Option<Vec3> {
        let grip = self.grips.iter().find(|grip| grip.id() == drag.handle.id)?;
        let Some(fan) = grip.fan else {
            return sphere_direction(view, grip.head, grip.reach, drag.pointer(), grip.direction);
        };
        let target = drag.turn_in_fan(view, grip.head, fan.plane, fan.pivot);
        let target = if drag.keys.snap { rounded_to(target, SNAP_DEGREES) } else { target };
        let in_plane = fan.plane.direction(fan.pivot, clamp_to_fan(target, fan.limits));
        // The part of the direction along the normal of the plane stays.
        let normal_component = drag.handle.axis.dot(fan.normal(drag.handle.rotation)).clamp(-1.0, 1.0);
        Some(in_plane * (1.0 - normal_component.powi(2)).sqrt() + fan.normal(fan.pivot) * normal_component)
    }
}

impl Gizmo for AimGizmo {
    fn layer(&self) -> PickLayer {
        PickLayer::Limit
    }

    fn handles(&self) -> &[Handle] {
        &self.handles
    }

    /// Returns the grip of a joint. While the joint moves, the grip can change to another fan of the joint.
    fn handle(&self, id: HandleId) -> Option<&Handle> {
        let is_aim = matches!(id.kind, HandleKind::Aim(_));
        self.handles.iter().find(|handle| is_aim && handle.id.target == id.target)
    }

    fn drag(&self, drag: &mut HandleDrag, _: &Session, view: &CameraView) -> Option<Command> {
        let HandleId { target: HandleTarget::Bone(bone), kind: HandleKind::Aim(_) } = drag.handle.id else {
            return None;
        };
        Some(Command::AimJoint(bone, self.direction(drag, view)?))
    }

    fn show(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>, session: &Session) {
        if let Some(active) = active.filter(|active| active.is_held)
            && matches!(active.id.kind, HandleKind::Aim(_))
        {
            if let Some(grip) = self.grips.iter().find(|grip| grip.id() == active.id) {
                grip.paint(overlay, true);
                grip.paint_tag(overlay, session);
            }
        } else if let Some(grip) = self.grips.iter().find(|grip| grip.is_shown) {
            grip.paint(overlay, active.is_some_and(|active| self.handle(active.id).is_some()));
        }
    }
}

/// Clamps an angle to limits in degrees. A pointer within a fan counts, no matter how often it has gone around. Outside,
/// the joint stays at the limit that the pointer has passed.
fn clamp_to_fan(angle: f32, [a, b]: [f32; 2]) -> f32 {
    let (low, high) = (a.min(b), a.max(b));
    let inside = with_turns_near(angle, 0.5 * (low + high));
    let angle = if high - low < 360.0 && (low..=high).contains(&inside) { inside } else { angle };
    angle.clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};
    use crate::ui::viewport::aim_grip::AimFan;
    use crate::ui::viewport::handle::DragModifiers;
    use glam::{Quat, Vec2};
    use yuremono_sim::rig::{BoneId, LimitPlane};

    #[test]
    fn a_pointer_beyond_a_limit_holds_the_joint_at_the_limit_that_it_has_passed() {
        let limits = [-50.0, 20.0];
        for (angle, expected) in [(0.0, 0.0), (20.5, 20.0), (170.0, 20.0), (200.0, 20.0), (-130.0, -50.0)] {
            assert_eq!(clamp_to_fan(angle, limits), expected, "{angle}");
        }
        assert_eq!(clamp_to_fan(350.0, limits), -10.0, "the pointer went around and is in the fan again");
        assert_eq!(clamp_to_fan(-190.0, [90.0, 270.0]), 170.0);
        assert_eq!(clamp_to_fan(700.0, [-360.0, 360.0]), 360.0, "a hinge that turns more than once keeps its turns");
        assert_eq!(clamp_to_fan(5.0, [20.0, -20.0]), 5.0, "reversed limits are the same range");
    }

    fn view() -> CameraView {
        let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        camera.view(&ViewRect::uncovered(Vec2::splat(800.0)))
    }

    fn grip(direction: Vec3, fan: Option<AimFan>) -> AimGrip {
        let reach = 0.3;
        let pixel = view().project(direction * reach).expect("in front").pixel;
        AimGrip { bone: BoneId(3), pixel, outwards: Vec2::Y, head: Vec3::ZERO, direction, reach, fan, is_shown: true }
    }

    /// Drags a grip to where another direction is seen, with the pointer 3 pixels beside the grip.
    fn aimed(grip: &AimGrip, to: Vec3) -> Vec3 {
        let beside = Vec2::new(3.0, 0.0);
        let mut drag = HandleDrag::new(grip.handle(), grip.pixel + beside);
        let at = view().project(to * grip.reach).expect("in front").pixel + beside;
        drag.move_pointer(at, DragModifiers::default());
        let gizmo = AimGizmo { grips: vec![*grip], handles: Vec::new() };
        gizmo.direction(&mut drag, &view()).expect("the grip is shown")
    }

    #[test]
    fn a_grip_of_a_fan_keeps_the_angle_out_of_the_plane_and_stops_at_the_limits() {
        // The camera looks along -Z at the plane of the fan. 0 degrees point down.
        let pivot = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let fan = AimFan { plane: LimitPlane::Y, pivot, limits: [-30.0, 60.0] };
        let direction = Vec3::new(0.0, -0.8, 0.6);
        let at = |degrees: f32| LimitPlane::Y.direction(pivot, degrees);
        for (pointer, expected) in [(0.0, 0.0), (40.0, 40.0), (110.0, 60.0), (-70.0, -30.0)] {
            let found = aimed(&grip(direction, Some(fan)), at(pointer));
            assert!((found.z - 0.6).abs() < 1e-5 && (found.length() - 1.0).abs() < 1e-5, "{found}");
            let degrees = libm::atan2f(found.dot(at(90.0)), found.dot(at(0.0))).to_degrees();
            // The grip is in front of the plane, so the perspective changes the angle.
            assert!((degrees - expected).abs() < 1.0, "{degrees} for {pointer}");
        }
    }

    #[test]
    fn a_grip_of_a_range_of_directions_follows_the_pointer_on_the_side_of_the_joint() {
        for side in [1.0, -1.0] {
            let start = Vec3::new(0.1, -0.5, side).normalize();
            let to = Vec3::new(-0.4, -0.3, side).normalize();
            let found = aimed(&grip(start, None), to);
            assert!(found.distance(to) < 0.02, "{found} for {to}");
        }
    }
}
