//! What moved the character while a gesture was recorded, which the gesture plays on top of.

use crate::document::GestureId;
use crate::stage::TestMotion;
use serde::{Deserialize, Serialize};

/// What moved the character while a gesture was recorded; the gesture plays on top of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseMotion {
    /// Which motion.
    pub motion: MotionRef,
    /// How far that motion was when the recording began, seconds of its own time.
    pub start: f64,
    /// Seconds of its own time in a second of the recording; 0 where time stood still.
    pub speed: f64,
    /// How lively it was, where that matters.
    pub amplitude: f32,
}

/// A motion by what it keeps when the character is exported anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotionRef {
    /// A built-in motion.
    Test(TestMotion),
    /// An animation, by its name.
    Clip(String),
    /// Another gesture, recorded earlier.
    Gesture(GestureId),
}

/// Most gestures that may lie under one, each over the next; what lies deeper is not played. Each may ask twice for what
/// lies under it.
pub const MAX_BASE_MOTION_DEPTH: usize = 8;
