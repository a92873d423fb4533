//! Viewport maths: camera, light, picking, dragging and overlay shapes, without window or event types.

mod camera;
mod camera_view;
mod follow_camera;
mod light;
mod occlusion;
pub mod overlay;
mod pick;

pub use camera::{CameraFit, CameraMove, CameraPreset, OrbitCamera, ease_out_cubic};
pub use camera_view::{CameraView, ProjectedPoint, ViewRect};
pub use follow_camera::FollowCamera;
pub use light::KeyLight;
pub use occlusion::Occlusion;
pub use overlay::fan_angle;
pub use pick::{
    ConstrainedDrag, DragConstraint, PickPoint, Segment, distance_to_segment, drag_angle_about, moving_pick_distance,
    nearest_pick_point, nearest_point, nearest_segment, sphere_direction,
};
