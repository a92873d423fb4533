//! Viewport maths: camera, light, picking, dragging, posing, motions and overlay shapes, without window or event types.

mod camera;
mod camera_view;
mod follow_camera;
mod joint_angle;
mod light;
mod motion;
mod occlusion;
pub mod overlay;
mod pick;
mod posing;
mod relaxed_pose;
pub mod skinning;
mod two_bone;

pub use camera::{CameraFit, CameraMove, CameraPreset, OrbitCamera, ease_out_cubic};
pub use camera_view::{CameraView, ProjectedPoint, ViewRect};
pub use follow_camera::FollowCamera;
pub use joint_angle::{AngleKind, AngleMeasure, JointAngle};
pub use light::KeyLight;
pub use motion::{MotionBody, TestMotion};
pub use occlusion::Occlusion;
pub use overlay::fan_angle;
pub use pick::{
    ConstrainedDrag, DragConstraint, PickPoint, Segment, distance_to_segment, drag_angle_about, inverse_soft_limit,
    moving_pick_distance, nearest_pick_point, nearest_point, nearest_segment, soft_limit, sphere_direction,
};
pub use posing::{BodyDisplacement, BodyLandmarks, BodyPosing, LimbLandmarks};
