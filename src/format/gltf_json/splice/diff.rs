//! The patches that lead from one document to another.

use super::{Change, Patch, pointer_token};
use serde_json::{Map, Value};

/// Few and small patches that turn `before` into `after`; values that are equal are left alone. The order of keys is
/// not told apart.
pub fn diff(before: &Value, after: &Value) -> Vec<Patch> {
    let mut patches = Vec::new();
    diff_values(before, after, "", &mut patches);
    patches
}

fn diff_values(before: &Value, after: &Value, pointer: &str, patches: &mut Vec<Patch>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(before), Value::Object(after)) => diff_objects(before, after, pointer, patches),
        (Value::Array(before), Value::Array(after)) => diff_lists(before, after, pointer, patches),
        _ => patches.push(Patch { pointer: pointer.to_owned(), change: Change::Set(after.clone()) }),
    }
}

fn diff_objects(before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str, patches: &mut Vec<Patch>) {
    let at = |key: &str| format!("{pointer}/{}", pointer_token(key));
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patches.push(Patch { pointer: at(key), change: Change::Remove });
    }
    for (key, value) in after {
        match before.get(key) {
            Some(old) => diff_values(old, value, &at(key), patches),
            None => patches.push(Patch { pointer: at(key), change: Change::Insert(value.clone()) }),
        }
    }
}

/// What is equal at the front and at the back stays; what lies between is compared in order.
fn diff_lists(before: &[Value], after: &[Value], pointer: &str, patches: &mut Vec<Patch>) {
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[front..], &after[front..]);
    let back = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[..before.len() - back], &after[..after.len() - back]);
    for (i, (old, new)) in before.iter().zip(after).enumerate() {
        diff_values(old, new, &format!("{pointer}/{}", front + i), patches);
    }
    let both = before.len().min(after.len());
    for i in (both..before.len()).rev() {
        patches.push(Patch { pointer: format!("{pointer}/{}", front + i), change: Change::Remove });
    }
    for (i, new) in after.iter().enumerate().skip(both) {
        patches.push(Patch { pointer: format!("{pointer}/{}", front + i), change: Change::Insert(new.clone()) });
    }
}
