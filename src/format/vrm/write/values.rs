//! Single fields of the file's objects: written only where they would read differently.

use super::SpringsWriter;
use crate::format::gltf_json::splice::shortest_number;
use glam::Vec3;
use serde_json::{Map, Value};

impl SpringsWriter<'_> {
    pub(super) fn number_value(&mut self, x: f32, what: &str) -> Value {
        shortest_number(x).unwrap_or_else(|| {
            self.add_error(format!("{what} is {x}; JSON has only finite numbers"));
            Value::Null
        })
    }

    pub(super) fn set_number(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<f32>, new: f32) {
        if old != Some(new) {
            let value = self.number_value(new, key);
            map.insert(key.to_owned(), value);
        }
    }

    /// A list of three; entries that read the same keep their spelling.
    pub(super) fn set_vector(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<Vec3>, new: Vec3) {
        if old == Some(new) {
            return;
        }
        let parts = new.to_array().map(|x| self.number_value(x, key));
        match (old, map.get_mut(key).and_then(Value::as_array_mut)) {
            (Some(old), Some(list)) if list.len() == 3 && list.iter().all(Value::is_number) => {
                let changed = old.to_array().into_iter().zip(new.to_array()).map(|(o, n)| o != n);
                for ((slot, part), changed) in list.iter_mut().zip(parts).zip(changed) {
                    if changed {
                        *slot = part;
                    }
                }
            }
            _ => drop(map.insert(key.to_owned(), Value::from(parts.to_vec()))),
        }
    }

    /// An object of x, y and z, as VRM 0.x has it; a list stays one.
    pub(super) fn set_xyz(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<Vec3>, new: Vec3) {
        if old == Some(new) {
            return;
        }
        if map.get(key).is_some_and(Value::is_array) {
            return self.set_vector(map, key, old, new);
        }
        let mut object = map.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|_| map.contains_key(key)).map(|old| old.to_array());
        for (i, (part, x)) in ["x", "y", "z"].into_iter().zip(new.to_array()).enumerate() {
            self.set_number(&mut object, part, old.map(|old| old[i]), x);
        }
        map.insert(key.to_owned(), Value::Object(object));
    }
}

/// A name; an empty one is not written.
pub(super) fn set_text(map: &mut Map<String, Value>, key: &str, old: &str, new: &str) {
    if old == new {
        return;
    }
    if new.is_empty() {
        map.shift_remove(key);
    } else {
        map.insert(key.to_owned(), Value::from(new));
    }
}

/// A list; an empty one is left out unless the file has it so.
pub(super) fn set_list(map: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if !list.is_empty() {
        map.insert(key.to_owned(), Value::Array(list));
    } else if map.get(key).is_some_and(|old| old.is_array() && !is_empty(old)) {
        map.shift_remove(key);
    }
}

/// A list of the file; nothing where it has none.
pub(super) fn list_field<'v>(map: Option<&'v Map<String, Value>>, key: &str) -> &'v [Value] {
    map.and_then(|map| map.get(key)).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A copy of the file's object, or an empty one.
pub(super) fn copy_object(list: &[Value], place: Option<usize>) -> Map<String, Value> {
    place.and_then(|place| list.get(place)).and_then(Value::as_object).cloned().unwrap_or_default()
}
