//! Edits that add and remove gestures.

use crate::document::{BaseMotion, Document, Edit, Gesture, GestureId};

impl Document {
    /// The edit that adds a recorded gesture with what it was recorded over, as `PatchableJson::next_gesture_id` names it.
    pub fn add_gesture_edit(&self, gesture: Gesture, over: Option<BaseMotion>) -> Edit {
        let id = self.next_gesture_id();
        Edit::Batch(vec![
            Edit::PutGesture { id, gesture: Some(gesture) },
            Edit::SetBaseMotion { id, base_motion: over },
        ])
    }

    /// The edit that removes a gesture and what is known of it.
    pub fn remove_gesture_edit(&self, id: GestureId) -> Edit {
        Edit::Batch(vec![Edit::SetBaseMotion { id, base_motion: None }, Edit::PutGesture { id, gesture: None }])
    }
}
