//! Limits of VRM 1.0's joints.

use super::{SpringsWriter, chain_label};
use crate::format::vrm::limits::{LENGTH_TOLERANCE, LIMIT_EXTENSION, LIMIT_KINDS, angle_fields};
use crate::format::vrm::{VrmSpringChain, VrmSpringJoint};
use crate::sim::{SwingLimit, SwingShape};
use serde_json::{Map, Value};

impl SpringsWriter<'_> {
    /// Writes a limit into its joint where it would read differently; without one the extension goes.
    pub(super) fn set_limit(&mut self, map: &mut Map<String, Value>, old: Option<SwingLimit>, new: Option<SwingLimit>) {
        if old == new {
            return;
        }
        let Some(new) = new else { return remove_limit(map) };
        let mut extensions = map.get("extensions").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut extension = extensions.get(LIMIT_EXTENSION).and_then(Value::as_object).cloned().unwrap_or_default();
        self.adds_limit = true;
        extension.entry("specVersion").or_insert_with(|| Value::from("1.0"));
        let mut limit = extension.get("limit").and_then(Value::as_object).cloned().unwrap_or_default();
        self.update_limit(&mut limit, old, new);
        extension.insert("limit".to_owned(), Value::Object(limit));
        extensions.insert(LIMIT_EXTENSION.to_owned(), Value::Object(extension));
        map.insert("extensions".to_owned(), Value::Object(extensions));
    }

    /// The one kind that a limit is; another kind goes, unknown fields stay.
    fn update_limit(&mut self, limit: &mut Map<String, Value>, old: Option<SwingLimit>, new: SwingLimit) {
        let (kind, values) = kind_and_angles(new.shape);
        for other in LIMIT_KINDS.into_iter().filter(|other| *other != kind) {
            limit.shift_remove(other);
        }
        let mut map = limit.get(kind).and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|old| kind_and_angles(old.shape).0 == kind && limit.contains_key(kind));
        let before = old.map(|old| kind_and_angles(old.shape).1);
        for (i, ((key, _), value)) in angle_fields(kind).iter().zip(values).enumerate() {
            self.set_number(&mut map, key, before.map(|before| before[i]), value);
        }
        let is_there = map.contains_key("rotation");
        if old.map_or(is_there, |old| old.rotation != new.rotation)
            || (!is_there && new.rotation != glam::Quat::IDENTITY)
        {
            let list = new.rotation.to_array().map(|x| self.number_value(x, "rotation"));
            map.insert("rotation".to_owned(), Value::from(list.to_vec()));
        }
        limit.insert(kind.to_owned(), Value::Object(map));
    }

    /// Refuses what the schema forbids; numbers that the file has already may stay.
    pub(super) fn check_joint(&mut self, chain: &VrmSpringChain, new: &VrmSpringJoint, old: Option<VrmSpringJoint>) {
        let numbers = |joint: &VrmSpringJoint| [joint.hit_radius, joint.stiffness, joint.gravity_power, joint.drag];
        let before = old.map(|old| numbers(&old));
        let names = [("hitRadius", f32::MAX), ("stiffness", f32::MAX), ("gravityPower", f32::MAX), ("dragForce", 1.0)];
        let place = format!("{}, bone \"{}\"", chain_label(chain), self.bone_label(new.bone));
        for (i, ((key, high), now)) in names.into_iter().zip(numbers(new)).enumerate() {
            let is_kept = before.is_some_and(|before| before[i] == now);
            // What is not finite is refused where it is written.
            if !is_kept && now.is_finite() && !(0.0..=high).contains(&now) {
                let expected = if high > 1.0 { "0 or more" } else { "0 to 1" };
                self.add_error(format!("{place}: {key} is {now}; {expected} was expected"));
            }
        }
        let Some(limit) = new.limit.filter(|limit| old.and_then(|old| old.limit) != Some(*limit)) else { return };
        let (kind, values) = kind_and_angles(limit.shape);
        for ((key, _), angle) in angle_fields(kind).iter().zip(values).filter(|(_, angle)| *angle < 0.0) {
            self.add_error(format!("{place}: {key} of the limit is {angle}; 0 or more was expected"));
        }
        let length = limit.rotation.length();
        if length.is_finite() && (length - 1.0).abs() > LENGTH_TOLERANCE {
            self.add_error(format!("{place}: the rotation of the limit has length {length}; 1 was expected"));
        }
    }
}

/// Without the limit, and without the `extensions` that held nothing else.
pub(super) fn remove_limit(map: &mut Map<String, Value>) {
    let Some(extensions) = map.get_mut("extensions").and_then(Value::as_object_mut) else { return };
    if extensions.shift_remove(LIMIT_EXTENSION).is_some() && extensions.is_empty() {
        map.shift_remove("extensions");
    }
}

/// Kind and `angle_fields` in the order of [`angle_fields`].
const fn kind_and_angles(shape: SwingShape) -> (&'static str, [f32; 2]) {
    match shape {
        SwingShape::Cone { angle } => ("cone", [angle, 0.0]),
        SwingShape::Hinge { angle } => ("hinge", [angle, 0.0]),
        SwingShape::Spherical { pitch, yaw } => ("spherical", [pitch, yaw]),
    }
}
