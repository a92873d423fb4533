//! What moved the character while a gesture was recorded, which the gesture plays on top of.

use super::{Document, Edit, Gesture, GestureId};
use crate::stage::TestMotion;
use serde::{Deserialize, Serialize};

/// What moved the character while a gesture was recorded; the gesture plays on top of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Underlay {
    /// Which motion.
    pub motion: Underneath,
    /// How far that motion was when the recording began, seconds of its own time.
    pub start: f64,
    /// Seconds of its own time in a second of the recording; 0 where time stood still.
    pub pace: f64,
    /// How lively it was, where that matters.
    pub amplitude: f32,
}

/// A motion by what it keeps when the character is exported anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Underneath {
    /// A built-in motion.
    Test(TestMotion),
    /// An animation, by its name.
    Clip(String),
    /// Another gesture, recorded earlier.
    Gesture(GestureId),
}

/// Most gestures that may lie under one, each over the next; what lies deeper is not played. Each may ask twice for what
/// lies under it.
pub const MOST_UNDER: usize = 8;

impl Document {
    /// How many gestures lie under one, each over the next; [`MOST_UNDER`] and one more where there are too many, or where
    /// they lie in a ring.
    pub fn gestures_under(&self, id: GestureId) -> usize {
        let below = |id: &GestureId| match self.underlays.get(id)?.motion {
            Underneath::Gesture(under) => Some(under),
            Underneath::Test(_) | Underneath::Clip(_) => None,
        };
        std::iter::successors(Some(id), below).skip(1).take(MOST_UNDER + 1).count()
    }

    /// The edit that adds a recorded gesture with what it was recorded over, as [`Document::fresh_gesture`] names it.
    pub fn recorded(&self, gesture: Gesture, over: Option<Underlay>) -> Edit {
        let id = self.fresh_gesture();
        Edit::Batch(vec![Edit::PutGesture { id, gesture: Some(gesture) }, Edit::SetUnderlay { id, over }])
    }

    /// The edit that removes a gesture and what is known of it.
    pub fn without_gesture(&self, id: GestureId) -> Edit {
        Edit::Batch(vec![Edit::SetUnderlay { id, over: None }, Edit::PutGesture { id, gesture: None }])
    }
}
