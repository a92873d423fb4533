//! The grip at the end of the line that shows the direction of a joint within its limit.

use super::handle::{Handle, HandleId, HandleKind, degrees_text};
use super::overlay_painter::OverlayPainter;
use crate::tr;
use egui::{Align2, Color32, Stroke};
use glam::{Quat, Vec2, Vec3};
use yuremono_session::Session;
use yuremono_sim::rig::{AngleKind, BoneId, LimitPlane};

const PICK_DISTANCE: f32 = 10.0;
const GRIP_RADIUS: f32 = 4.5;
const GRIP_RADIUS_HOT: f32 = 6.0;
/// Distance from the grip to the tag with the angles, in points.
const TAG_OFFSET: f32 = 16.0;
/// An angle that is at most this far from a limit is at the limit, in degrees.
const AT_LIMIT_DEGREES: f32 = 0.25;

/// The plane in which a grip moves between two angles, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AimFan {
    pub plane: LimitPlane,
    pub pivot: Quat,
    pub limits: [f32; 2],
}

impl AimFan {
    fn middle(&self) -> f32 {
        0.5 * (self.limits[0] + self.limits[1])
    }

    /// Returns the normal of the plane at a rotation of the pivot.
    pub(super) fn normal(&self, pivot: Quat) -> Vec3 {
        let [forward, across] = self.plane.axes(pivot);
        forward.cross(across)
    }
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
    /// `None` if the grip moves on a sphere around the head. The solver then limits the direction.
    pub fan: Option<AimFan>,
    /// Whether the artist can start a drag. A hidden grip only continues a drag.
    pub is_shown: bool,
}

impl AimGrip {
    /// Returns the id of the grip. The grip of another frame has the same id.
    pub(super) fn id(&self) -> HandleId {
        HandleId::bone(self.bone, HandleKind::Aim(self.fan.map(|fan| fan.plane)))
    }

    pub(super) fn handle(&self) -> Handle {
        Handle {
            axis: self.direction,
            value: Vec3::X * self.fan.map_or(0.0, |fan| self.fan_degrees(&fan, fan.middle())),
            rotation: self.fan.map_or(Quat::IDENTITY, |fan| fan.pivot),
            pick_distance: PICK_DISTANCE,
            ..Handle::dot(self.id(), self.head, self.pixel, Color32::PLACEHOLDER)
        }
    }

    /// Returns the displayed angle in the plane of a fan, plus the full turns that bring it closest to `near`, in degrees.
    fn fan_degrees(&self, fan: &AimFan, near: f32) -> f32 {
        let [forward, across] = fan.plane.axes(fan.pivot);
        with_turns_near(libm::atan2f(self.direction.dot(across), self.direction.dot(forward)).to_degrees(), near)
    }

    /// Returns whether an angle of the fan, in degrees, is the displayed angle.
    pub(super) fn is_at(&self, degrees: f32) -> bool {
        self.fan.is_some_and(|fan| (self.fan_degrees(&fan, degrees) - degrees).abs() <= AT_LIMIT_DEGREES)
    }

    /// Returns the displayed angles in degrees, and whether one of them is at its limit.
    fn angles(&self, session: &Session) -> (Vec<f32>, bool) {
        if let Some(fan) = self.fan {
            let is_at_limit = fan.limits.into_iter().any(|limit| self.is_at(limit));
            return (vec![self.fan_degrees(&fan, fan.middle())], is_at_limit);
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

/// Returns an angle plus the full turns that bring it closest to `near`, in degrees.
pub(super) fn with_turns_near(angle: f32, near: f32) -> f32 {
    angle + 360.0 * ((near - angle) / 360.0).round()
}
