//! The grip at the end of the line that shows the direction of the active joint. The artist rotates the joint within its
//! limit by the grip; the chain is simulated, and nothing in the document changes.

use super::handle_drag::{AngleDrag, DragModifiers, SNAP_DEGREES, degrees_text, rounded_to};
use super::overlay_painter::OverlayPainter;
use crate::stage::{CameraView, sphere_direction};
use crate::tr;
use egui::{Align2, Stroke};
use glam::{Quat, Vec2, Vec3};
use yuremono_session::{Command, Session};
use yuremono_sim::rig::AngleKind;
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::LimitPlane;

const GRIP_RADIUS: f32 = 4.5;
const GRIP_RADIUS_HOT: f32 = 6.0;
const PICK_DISTANCE: f32 = 10.0;
/// Distance from the grip to the tag with the angles, in points.
const TAG_OFFSET: f32 = 16.0;
/// An angle that is at most this far from a limit is at the limit, in degrees.
const AT_LIMIT_DEGREES: f32 = 0.25;

/// How the pointer moves a grip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AimRange {
    /// In the plane of a fan, between two angles in degrees.
    Fan { plane: LimitPlane, pivot: Quat, limits: [f32; 2] },
    /// On a sphere around the head. The solver limits the direction.
    Directions,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AimGrip {
    pub bone: BoneId,
    pub pixel: Vec2,
    /// Direction from the head to the grip in the image, unit length.
    pub outwards: Vec2,
    /// Head of the joint in the world, in metres.
    pub head: Vec3,
    /// Displayed direction from head to tip in the world, unit length.
    pub direction: Vec3,
    /// Distance from the head to the grip, in metres.
    pub reach: f32,
    pub range: AimRange,
    /// Whether the artist can start a drag. A hidden grip only continues a drag.
    pub is_shown: bool,
}

impl AimGrip {
    /// Returns the grip if it is at a pixel.
    pub(super) fn pick(&self, at: Vec2) -> Option<&Self> {
        (self.pixel.distance(at) <= PICK_DISTANCE).then_some(self)
    }

    /// Returns the plane in which the grip moves.
    pub(super) const fn plane(&self) -> Option<LimitPlane> {
        match self.range {
            AimRange::Fan { plane, .. } => Some(plane),
            AimRange::Directions => None,
        }
    }

    /// Returns the displayed angle in the plane of the fan, in degrees.
    fn fan_degrees(&self, plane: LimitPlane, pivot: Quat) -> f32 {
        let [forward, across] = plane.axes(pivot);
        self.direction.dot(across).atan2(self.direction.dot(forward)).to_degrees()
    }

    /// Returns whether an angle of the fan, in degrees, is the displayed angle.
    pub(super) fn is_at(&self, degrees: f32) -> bool {
        match self.range {
            AimRange::Fan { plane, pivot, .. } => {
                let shown = with_turns_near(self.fan_degrees(plane, pivot), degrees);
                (shown - degrees).abs() <= AT_LIMIT_DEGREES
            }
            AimRange::Directions => false,
        }
    }

    /// Returns the displayed angles in degrees, and whether one of them is at its limit.
    fn angles(&self, session: &Session) -> (Vec<f32>, bool) {
        if let AimRange::Fan { plane, pivot, limits } = self.range {
            let middle = 0.5 * (limits[0] + limits[1]);
            let shown = with_turns_near(self.fan_degrees(plane, pivot), middle);
            return (vec![shown], limits.into_iter().any(|limit| self.is_at(limit)));
        }
        let angles = session.inspection().joint_angles(self.bone);
        let frames = session.playback().displayed_pose();
        let limited = || angles.iter().filter(|angle| angle.kind != AngleKind::FromRest);
        let to_limit = limited().filter_map(|angle| angle.degrees_to_limit(frames, self.direction));
        let is_at_limit = to_limit.fold(f32::MAX, f32::min) <= AT_LIMIT_DEGREES;
        (limited().map(|angle| angle.degrees(frames, self.direction)).collect(), is_at_limit)
    }

    pub(super) fn paint(&self, overlay: &OverlayPainter<'_>, is_hot: bool) {
        let c = overlay.theme.color;
        let (radius, width) = if is_hot { (GRIP_RADIUS_HOT, 2.5) } else { (GRIP_RADIUS, 2.0) };
        overlay.dot(self.pixel, radius, c.bone, Stroke::new(width, c.limit));
    }

    /// Shows the angles beyond the grip, away from the labels of a fan, and whether the joint has reached its limit.
    pub(super) fn paint_tag(&self, overlay: &OverlayPainter<'_>, session: &Session) {
        let (angles, is_at_limit) = self.angles(session);
        let text = angles.into_iter().map(degrees_text).collect::<Vec<_>>().join(" / ");
        let note = is_at_limit.then(|| tr!(overlay.theme, "at the limit").into_owned());
        let anchor = match self.outwards {
            Vec2 { x, y } if x.abs() > y.abs() && x > 0.0 => Align2::LEFT_CENTER,
            Vec2 { x, y } if x.abs() > y.abs() => Align2::RIGHT_CENTER,
            Vec2 { y, .. } if y > 0.0 => Align2::CENTER_TOP,
            _ => Align2::CENTER_BOTTOM,
        };
        overlay.tag(overlay.screen_pos(self.pixel + self.outwards * TAG_OFFSET), anchor, text, note);
    }
}

/// The drag of an [`AimGrip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AimDrag {
    pub bone: BoneId,
    pointer: AimPointer,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum AimPointer {
    Fan {
        plane: LimitPlane,
        angle: AngleDrag,
        /// The part of the direction along the normal of the plane. This part stays.
        normal_component: f32,
    },
    Directions {
        /// From the pointer to the grip, in pixels.
        offset: Vec2,
    },
}

impl AimDrag {
    pub(super) fn new(grip: &AimGrip, at: Vec2) -> Self {
        let pointer = match grip.range {
            AimRange::Fan { plane, pivot, limits } => {
                let [forward, across] = plane.axes(pivot);
                let shown = with_turns_near(grip.fan_degrees(plane, pivot), 0.5 * (limits[0] + limits[1]));
                let normal_component = grip.direction.dot(forward.cross(across)).clamp(-1.0, 1.0);
                AimPointer::Fan { plane, angle: AngleDrag::new(at, shown), normal_component }
            }
            AimRange::Directions => AimPointer::Directions { offset: grip.pixel - at },
        };
        Self { bone: grip.bone, pointer }
    }

    /// Returns whether Shift and Ctrl change the steps of the drag.
    pub(super) const fn has_steps(&self) -> bool {
        matches!(self.pointer, AimPointer::Fan { .. })
    }

    /// Returns whether the drag holds a grip. The grip of another frame is the same grip.
    pub(super) fn holds(&self, grip: &AimGrip) -> bool {
        let plane = match self.pointer {
            AimPointer::Fan { plane, .. } => Some(plane),
            AimPointer::Directions { .. } => None,
        };
        self.bone == grip.bone && plane == grip.plane()
    }

    /// Returns the command that points the joint at the pointer. `grip` is the grip of this frame.
    pub(super) fn update(
        &mut self,
        grip: &AimGrip,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        let direction = match (&mut self.pointer, grip.range) {
            (AimPointer::Fan { plane, angle, normal_component }, AimRange::Fan { pivot, limits, .. }) => {
                let target = angle.update(grip.head, pivot, *plane, view, at, keys);
                let target = if keys.snap { rounded_to(target, SNAP_DEGREES) } else { target };
                let [forward, across] = plane.axes(pivot);
                let in_plane = plane.direction(pivot, clamp_to_fan(target, limits));
                let across_plane = forward.cross(across) * *normal_component;
                in_plane * (1.0 - normal_component.powi(2)).sqrt() + across_plane
            }
            (AimPointer::Directions { offset }, AimRange::Directions) => {
                sphere_direction(view, grip.head, grip.reach, at + *offset, grip.direction)?
            }
            _ => return None,
        };
        Some(Command::AimJoint(self.bone, direction))
    }
}

/// Returns an angle plus the full turns that bring it closest to `near`, in degrees.
fn with_turns_near(angle: f32, near: f32) -> f32 {
    angle + 360.0 * ((near - angle) / 360.0).round()
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

    fn grip(direction: Vec3, range: AimRange) -> AimGrip {
        let reach = 0.3;
        let pixel = view().project(direction * reach).expect("in front").pixel;
        AimGrip { bone: BoneId(3), pixel, outwards: Vec2::Y, head: Vec3::ZERO, direction, reach, range, is_shown: true }
    }

    /// Drags a grip to where another direction is seen, with the pointer 3 pixels beside the grip.
    fn aimed(grip: &AimGrip, to: Vec3) -> Vec3 {
        let beside = Vec2::new(3.0, 0.0);
        let mut drag = AimDrag::new(grip, grip.pixel + beside);
        let at = view().project(to * grip.reach).expect("in front").pixel + beside;
        match drag.update(grip, &view(), at, DragModifiers::default()) {
            Some(Command::AimJoint(bone, direction)) if bone == grip.bone => direction,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_grip_of_a_fan_keeps_the_angle_out_of_the_plane_and_stops_at_the_limits() {
        // The camera looks along -Z at the plane of the fan. 0 degrees point down.
        let pivot = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let range = AimRange::Fan { plane: LimitPlane::Y, pivot, limits: [-30.0, 60.0] };
        let direction = Vec3::new(0.0, -0.8, 0.6);
        let at = |degrees: f32| LimitPlane::Y.direction(pivot, degrees);
        for (pointer, expected) in [(0.0, 0.0), (40.0, 40.0), (110.0, 60.0), (-70.0, -30.0)] {
            let found = aimed(&grip(direction, range), at(pointer));
            assert!((found.z - 0.6).abs() < 1e-5 && (found.length() - 1.0).abs() < 1e-5, "{found}");
            let degrees = found.dot(at(90.0)).atan2(found.dot(at(0.0))).to_degrees();
            // The grip is in front of the plane, so the perspective changes the angle.
            assert!((degrees - expected).abs() < 1.0, "{degrees} for {pointer}");
        }
    }

    #[test]
    fn a_grip_of_a_range_of_directions_follows_the_pointer_on_the_side_of_the_joint() {
        for side in [1.0, -1.0] {
            let start = Vec3::new(0.1, -0.5, side).normalize();
            let to = Vec3::new(-0.4, -0.3, side).normalize();
            let found = aimed(&grip(start, AimRange::Directions), to);
            assert!(found.distance(to) < 0.02, "{found} for {to}");
        }
    }
}
