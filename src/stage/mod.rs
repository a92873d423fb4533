//! What is shown and grabbed, as plain maths: camera, picking, dragging, motions, overlay shapes. No window or event types.

mod camera;
mod fit;
mod motion;
mod occlusion;
pub mod overlay;
mod pick;
mod shot;
pub mod skinning;
mod turn;

pub use camera::{CameraMove, CameraPreset, OrbitCamera, ease_out_cubic};
pub use fit::Fit;
pub use motion::{Body, TestMotion};
pub use occlusion::Occlusion;
pub use pick::{Constraint, Drag, Segment, distance_to_segment, nearest_point, nearest_segment, restrain, unrestrain};
pub use shot::{Pane, Projected, Shot};
pub use turn::{fan_angle, turned_about};
