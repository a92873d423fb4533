//! Changes a few values of a `.gltf`, `.glb` or `.vrm` and leaves every other byte as it is.
//!
//! A [`Patch`] names a value by its JSON pointer. Only the containers on the way to it are taken apart, by their place
//! in the text; everything else is copied: unknown `extensions` and `extras`, the order of keys, the spelling of numbers,
//! white space. A GLB is framed anew round the changed JSON; its other chunks stay byte for byte. What the file's
//! reader cannot parse (broken JSON, more than 128 levels) is refused, and so is a path through a key that stands twice
//! in its object, as readers do not agree which one counts.

mod diff;
mod scan;
mod style;
mod tree;

pub use diff::diff;

use super::container;
use serde_json::{Number, Value};
use thiserror::Error;
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
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpliceError {
    /// The file cannot be read at all.
    #[error("{0}")]
    File(String),
    /// The pointer is spelled wrongly.
    #[error("\"{pointer}\" is no JSON pointer: {why}")]
    Pointer {
        /// As given.
        pointer: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The pointer leads nowhere.
    #[error("there is nothing at \"{pointer}\"")]
    Missing {
        /// Up to the part that is not there.
        pointer: String,
    },
    /// The object has the key more than once.
    #[error("the key at \"{pointer}\" stands twice in its object")]
    DuplicateKey {
        /// Up to the key.
        pointer: String,
    },
    /// Inserting into an object that has the key.
    #[error("there is already a value at \"{pointer}\"")]
    AlreadyExists {
        /// As given.
        pointer: String,
    },
    /// The root can only be set.
    #[error("the document itself can be neither removed nor inserted")]
    RootNotRemovable,
    /// A GLB counts its bytes in 32 bits.
    #[error("the file would be longer than the 4 GiB that a GLB can have")]
    TooLong,
}

/// The file with its patches applied one after the other; each sees what those before it left.
pub fn splice(bytes: &[u8], patches: &[Patch]) -> Result<Vec<u8>, SpliceError> {
    container::parse_container(bytes).map_err(SpliceError::File)?;
    let json = container::json_text(bytes).map_err(SpliceError::File)?;
    let text = std::str::from_utf8(json).map_err(|why| SpliceError::File(format!("its JSON is no UTF-8: {why}")))?;
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

/// Header, JSON chunk, and the rest as it was.
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

/// The shortest decimal that reads back as the same `f32`; `None` for NaN and infinity, which JSON has not.
pub fn shortest_number(x: f32) -> Option<Value> {
    /// Beyond it the digits of a whole number say more than an `f32` knows.
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
