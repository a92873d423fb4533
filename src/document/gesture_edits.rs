//! Edits that add and remove gestures.

use crate::document::{Document, Edit, Gesture, GestureId, Underlay};

impl Document {
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
