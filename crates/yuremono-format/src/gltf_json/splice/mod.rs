//! Changes a few values of a `.gltf`, `.glb` or `.vrm` and keeps all other bytes unchanged.
//!
//! A [`Patch`] identifies a value by its JSON pointer. Only the containers on this path are split into their entries.
//! All other text is copied: unknown `extensions` and `extras`, the order of keys, the text of numbers, and white
//! space. A GLB is rebuilt with the changed JSON; its other chunks stay unchanged.
//!
//! JSON that the reader cannot parse (broken JSON, more than 128 levels) is rejected. A path through a key that appears
//! twice in its object is also rejected, because readers disagree on which value counts.

mod style;
mod tree;

use super::container;
use crate::fixed_text;
use serde_json::{Map, Number, Value};
use tree::PatchableJson;
use yuremono_sim::diagnostics::{MessageText, message};

/// One change of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// JSON pointer (RFC 6901). `""` refers to the whole document. In a [`Change::Insert`], `-` as the last part refers
    /// to the end of a list.
    pub pointer: String,
    /// The change to the value.
    pub change: Change,
}

/// The change that a [`Patch`] makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Replaces an existing value; an equal value keeps its bytes.
    Set(Value),
    /// Removes a field from its object, or an entry from its list.
    Remove,
    /// Adds a new field at the end of an object, or an entry before the given index of a list.
    Insert(Value),
}

/// Why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub enum SpliceError {
    /// The file cannot be read.
    File(MessageText),
    /// The pointer has a syntax error.
    Pointer {
        /// The pointer of the patch.
        pointer: String,
        /// Why the syntax is invalid.
        why: &'static str,
    },
    /// No value exists at the pointer.
    Missing {
        /// The pointer up to and including the missing part.
        pointer: String,
    },
    /// The object has the same key more than once.
    DuplicateKey {
        /// The pointer up to and including the key.
        pointer: String,
    },
    /// The object already has the key of a [`Change::Insert`].
    AlreadyExists {
        /// The pointer of the patch.
        pointer: String,
    },
    /// The root can be neither removed nor inserted.
    RootNotRemovable,
    /// The GLB would be longer than its 32-bit length allows.
    TooLong,
}

impl SpliceError {
    /// The message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::File(why) => why.clone(),
            Self::Pointer { pointer, why } => {
                message!("\"{pointer}\" is not a JSON pointer: {why}", pointer, why = fixed_text(why))
            }
            Self::Missing { pointer } => message!("there is nothing at \"{pointer}\"", pointer),
            Self::DuplicateKey { pointer } => message!("the key at \"{pointer}\" appears twice in its object", pointer),
            Self::AlreadyExists { pointer } => message!("there is already a value at \"{pointer}\"", pointer),
            Self::RootNotRemovable => message!("the document itself can be neither removed nor inserted"),
            Self::TooLong => message!("the file would be longer than the 4 GiB that a GLB can have"),
        }
    }
}

/// Applies the patches in order and returns the new file. Each patch sees the result of the previous patches.
pub fn splice(bytes: &[u8], patches: &[Patch]) -> Result<Vec<u8>, SpliceError> {
    container::parse_container(bytes).map_err(SpliceError::File)?;
    let json = container::json_text(bytes).map_err(SpliceError::File)?;
    let text = std::str::from_utf8(json).map_err(|why| {
        SpliceError::File(message!("the JSON of the file is not UTF-8: {why}", why = why.to_string()))
    })?;
    let mut new = splice_parsed(text, patches)?;
    if new == text {
        return Ok(bytes.to_vec());
    }
    if !container::is_glb(bytes) {
        return Ok(new.into_bytes());
    }
    new.truncate(new.trim_end_matches(' ').len());
    while new.len() % 4 != 0 {
        new.push(' ');
    }
    rebuild_glb(bytes, json.len(), new.as_bytes())
}

/// Like [`splice`], for plain JSON text.
pub fn splice_text(text: &str, patches: &[Patch]) -> Result<String, SpliceError> {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    container::parse_json(bare.as_bytes()).map_err(SpliceError::File)?;
    splice_parsed(text, patches)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

fn splice_parsed(text: &str, patches: &[Patch]) -> Result<String, SpliceError> {
    let mut document = PatchableJson::new(text);
    for patch in patches {
        document.apply(patch)?;
    }
    Ok(document.to_text())
}

fn rebuild_glb(bytes: &[u8], old: usize, json: &[u8]) -> Result<Vec<u8>, SpliceError> {
    const JSON_AT: usize = 20;
    let part = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    let stated = part(8, 12).try_into().map_or(0, u32::from_le_bytes) as usize;
    let total = stated.saturating_sub(old) + json.len();
    let word = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_too_long| SpliceError::TooLong);
    let mut out = Vec::with_capacity(bytes.len() + json.len());
    out.extend_from_slice(part(0, 8));
    out.extend_from_slice(&word(total)?);
    out.extend_from_slice(&word(json.len())?);
    out.extend_from_slice(part(16, JSON_AT));
    out.extend_from_slice(json);
    out.extend_from_slice(part(JSON_AT + old, bytes.len()));
    Ok(out)
}

/// Returns small patches that change `before` into `after`. Equal values get no patch. The order of keys is ignored.
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

/// Returns the shortest decimal that parses to the same `f32`, or `None` for NaN and infinity, which JSON cannot store.
pub fn shortest_number(x: f32) -> Option<Value> {
    const MAX_EXACT_INTEGER: f32 = 16_777_216.0;
    if !x.is_finite() {
        return None;
    }
    if x.fract() == 0.0 && x.abs() <= MAX_EXACT_INTEGER && !(x == 0.0 && x.is_sign_negative()) {
        return Some(Value::from(x as i64));
    }
    let short: f64 = x.to_string().parse().unwrap_or(f64::from(x));
    // Readers parse an `f64` first, which may then round to a different `f32`.
    let exact = if short as f32 == x { short } else { f64::from(x) };
    Number::from_f64(exact).map(Value::Number)
}

/// Escapes one part of a JSON pointer.
pub(crate) fn pointer_token(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
