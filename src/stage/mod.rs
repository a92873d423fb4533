//! What is shown and grabbed, as plain maths: camera, picking, dragging, motions, overlay shapes. No window or event types.

mod camera;
mod camera_fit;
mod camera_view;
mod drag_angle;
mod motion;
mod occlusion;
pub mod overlay;
mod pick;
pub mod skinning;

pub use camera::{CameraMove, CameraPreset, OrbitCamera, ease_out_cubic};
pub use camera_fit::CameraFit;
pub use camera_view::{CameraView, ProjectedPoint, ViewRect};
pub use drag_angle::{drag_angle_about, fan_angle};
pub use motion::{MotionBody, TestMotion};
pub use occlusion::Occlusion;
pub use pick::{
    ConstrainedDrag, DragConstraint, Segment, distance_to_segment, inverse_soft_limit, nearest_point, nearest_segment,
    soft_limit,
};
