//! Floor 2: what is shown and grabbed, as plain maths: camera, picking, dragging, motions, overlay shapes. No window or event types.

mod motion;

pub use motion::{Body, TestMotion};
