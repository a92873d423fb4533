//! Overlay shapes, in pixels of a [`CameraView`]'s rectangle.
//!
//! Pure functions convert world points to outlines. The painter chooses colours, widths and visibility.

mod bone;
mod collider;
mod handle;
mod limit;

pub use bone::{Kite, LengthStatus, arrow, arrow_head, kite, length_status};
pub use collider::{
    PanelRect, PanelShape, circle_outline, convex_outline, cylinder_outline, panel_shape, sphere_outline,
    tapered_capsule_outline,
};
pub use handle::{DirectionBall, Ring, WireBox, ring, wire_box};
pub use limit::{LIVE_LINE_SHARE, LimitFan, SwingOutline, SwingRange, fan_angle, limit_fan, swing_outline};

use super::CameraView;
use glam::{Vec2, Vec3};

/// Projects all points. Returns `None` if any point is behind the eye.
pub fn project_all(view: &CameraView, points: impl IntoIterator<Item = Vec3>) -> Option<Vec<Vec2>> {
    points.into_iter().map(|p| view.project(p).map(|seen| seen.pixel)).collect()
}
