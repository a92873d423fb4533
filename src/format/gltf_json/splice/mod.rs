//! Changes a few values of a `.gltf`, `.glb` or `.vrm` and leaves every other byte as it is.
//!
//! A [`Patch`] names a value by its JSON pointer. Only the containers on the way to it are taken apart, by their place
//! in the text; everything else is copied: unknown `extensions` and `extras`, the order of keys, the spelling of numbers,
//! white space. A GLB is rebuilt around the changed JSON; its other chunks stay unchanged. What the file's
//! reader cannot parse (broken JSON, more than 128 levels) is refused, and so is a path through a key that appears twice
//! in its object, as readers do not agree which one counts.

mod style;
mod tree;

use super::container;
use crate::diagnostics::{MessageText, message};
use crate::format::fixed_text;
use serde_json::{Map, Number, Value};
use tree::PatchableJson;

/// One change of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// RFC 6901; `""` is the whole document, `-` as last part means the end of a list (for inserting).
    pub pointer: String,
    /// What happens there.
    pub change: Change,
}

/// What a [`Patch`] does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Replaces a value that is there; an equal one keeps its bytes.
    Set(Value),
    /// Takes a field out of its object, or an entry out of its list.
    Remove,
    /// Adds a field at the end of an object that has it not, or an entry before the place in a list.
    Insert(Value),
}

/// Why a document cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub enum SpliceError {
    /// The file cannot be read at all.
    File(MessageText),
    /// The pointer is spelled wrongly.
    Pointer {
        /// As given.
        pointer: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The pointer refers to nothing.
    Missing {
        /// Up to the part that is not there.
        pointer: String,
    },
    /// The object has the key more than once.
    DuplicateKey {
        /// Up to the key.
        pointer: String,
    },
    /// Inserting into an object that has the key.
    AlreadyExists {
        /// As given.
        pointer: String,
    },
    /// The root can only be set.
    RootNotRemovable,
    /// A GLB counts its bytes in 32 bits.
    TooLong,
}

impl SpliceError {
    /// What is wrong, for the user.
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

/// The file with its patches applied one after the other; each sees what those before it left.
pub fn splice(bytes: &[u8], patches: &[Patch]) -> Result<Vec<u8>, SpliceError> {
    container::parse_container(bytes).map_err(SpliceError::File)?;
    let json = container::json_text(bytes).map_err(SpliceError::File)?;
    let text = std::str::from_utf8(json)
        .map_err(|why| SpliceError::File(message!("its JSON is not UTF-8: {why}", why = why.to_string())))?;
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

/// As [`splice`], of bare JSON.
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

/// Few and small patches that turn `before` into `after`; values that are equal are left alone. The order of keys is
/// not distinguished.
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

/// The shortest decimal that reads back as the same `f32`; `None` for NaN and infinity, which JSON cannot store.
pub fn shortest_number(x: f32) -> Option<Value> {
    const MAX_EXACT_INTEGER: f32 = 16_777_216.0;
    if !x.is_finite() {
        return None;
    }
    if x.fract() == 0.0 && x.abs() <= MAX_EXACT_INTEGER && !(x == 0.0 && x.is_sign_negative()) {
        return Some(Value::from(x as i64));
    }
    let short: f64 = x.to_string().parse().unwrap_or(f64::from(x));
    // Reading goes through 64 bits, which may round the other way.
    let exact = if short as f32 == x { short } else { f64::from(x) };
    Number::from_f64(exact).map(Value::Number)
}

/// A part of a JSON pointer.
pub(crate) fn pointer_token(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
