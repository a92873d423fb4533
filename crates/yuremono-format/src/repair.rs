//! Removes values of the wrong type from Yuremono's JSON files, so that one invalid value does not make the whole file
//! unreadable.
//!
//! The Rust types are the only description of a file. The JSON is deserialized, the value that serde rejects is
//! removed, and the JSON is deserialized again. A value with a default is removed alone. If a required value is
//! invalid, the enclosing object is removed, up to an entry of a list. Numbers that are too large for 32 bits are also
//! removed. Duplicate keys are reported.

use super::json_location::{duplicate_keys, lines_of, path_to_pointer};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// Lists in which the position of an item matters. If one item is invalid, the whole list is removed.
const POSITIONAL_LISTS: &[&str] = &["cells", "points"];
/// Maximum number of values that are removed from one file.
const MAX_REPAIRS: usize = 200;
/// Maximum number of JSON bytes that are deserialized again while one file is repaired.
const MAX_REREAD_BYTES: usize = 512 << 20;

/// The starts of serde's messages about a missing part of a value.
const MISSING_PART_MESSAGES: &[&str] =
    &["missing field", "invalid length", "invalid value: map, expected map with a single key"];

/// Keys and list positions from the root of the file to a value.
type JsonPath = Vec<String>;

/// The list entries that were removed. They are needed to convert pointers back to the original file.
#[derive(Clone, Debug, Default)]
pub(super) struct RemovedEntries(Vec<(JsonPath, usize)>);

impl RemovedEntries {
    /// Converts a path in the repaired JSON to the path in the original file.
    fn original_path(&self, path: &[String]) -> JsonPath {
        let mut original = JsonPath::new();
        for step in path {
            let mut gone: Vec<usize> = self.0.iter().filter(|(list, _)| *list == original).map(|(_, at)| *at).collect();
            gone.sort_unstable();
            let at = step.parse::<usize>().ok().filter(|_| !gone.is_empty());
            let moved = at.map(|at| gone.into_iter().fold(at, |at, gone| at + usize::from(at >= gone)));
            original.push(moved.map_or_else(|| step.clone(), |at| at.to_string()));
        }
        original
    }

    /// Replaces the pointer of a diagnostic with the pointer in the original file.
    pub(super) fn restore_pointer(&self, diagnostic: &mut Diagnostic) {
        if let Some(pointer) = &mut diagnostic.location.pointer {
            *pointer = self.original_pointer(pointer);
        }
    }

    /// Converts a pointer in the repaired JSON to the pointer in the original file.
    pub(super) fn original_pointer(&self, pointer: &str) -> String {
        if self.0.is_empty() {
            return pointer.to_owned();
        }
        owned_path_to_pointer(&self.original_path(&parse_pointer(pointer)))
    }
}

/// A value of the wrong type, and the value that was removed because of the error. Both are paths in the original file.
struct Repair {
    path: JsonPath,
    reason: MessageText,
    removed: JsonPath,
    /// Whether the removed value was an entry of a list. Such an entry has no default.
    is_list_entry: bool,
}

/// Deserializes `json`, which was parsed from `bytes`, and removes values of the wrong type from `json`. Each
/// diagnostic contains the path and the line of a value. If a required value is missing or invalid, the error contains
/// its path.
pub(super) fn read<T: DeserializeOwned>(
    json: &mut Value,
    bytes: &[u8],
    file: &str,
) -> Result<(T, Vec<Diagnostic>, RemovedEntries), Vec<Diagnostic>> {
    let (mut repairs, mut removed): (Vec<Repair>, _) = (Vec::new(), RemovedEntries::default());
    let most = MAX_REPAIRS.min(MAX_REREAD_BYTES / bytes.len().max(1)).max(1);
    loop {
        let ReadFailure { path, reason, is_invalid_id: is_wrong_id } = match try_read(json) {
            Ok(read) => return Ok((read, to_diagnostics(&repairs, bytes, file), removed)),
            Err(fault) => fault,
        };
        let original = removed.original_path(&path);
        // A removal can cause a second error: the enclosing object now lacks a required field, an item of a list of
        // fixed length, or the value of its variant. The second error is not reported.
        let lacks = MISSING_PART_MESSAGES.iter().any(|lack| reason.starts_with(lack));
        let follows = |last: &Repair| last.removed.len() > original.len() && last.removed.starts_with(&original);
        if !(lacks && repairs.last().is_some_and(follows)) {
            repairs.push(Repair {
                path: original.clone(),
                reason: reason.clone(),
                removed: original,
                is_list_entry: false,
            });
        }
        let gone = if repairs.len() > most { None } else { remove_value(json, &path) };
        let Some(gone) = gone else {
            let list = to_diagnostics(&repairs[repairs.len() - 1..], bytes, file);
            let refuse = |d: Diagnostic| {
                let bad = &repairs[repairs.len() - 1].reason;
                Diagnostic::error(d.location, message!("{bad}; the file cannot be read without this value", bad))
            };
            return Err(list.into_iter().rev().take(1).map(refuse).collect());
        };
        let gone_original = removed.original_path(&gone.path);
        let is_entry = is_wrong_id || gone_original.last().is_some_and(|key| is_id(key));
        if let (true, Some((at, list))) = (gone.is_list_item, gone_original.split_last()) {
            removed.0.push((list.to_vec(), at.parse().unwrap_or_default()));
        }
        if let Some(last) = repairs.last_mut() {
            last.removed = gone_original;
            last.is_list_entry = is_entry;
        }
    }
}

/// The reason why serde rejects the JSON.
struct ReadFailure {
    path: JsonPath,
    reason: MessageText,
    /// Whether the last step of the path is a key that should be an id.
    is_invalid_id: bool,
}

fn try_read<T: DeserializeOwned>(json: &mut Value) -> Result<T, ReadFailure> {
    match serde_path_to_error::deserialize(&*json) {
        Ok(read) => match find_too_large_number(json) {
            Some((path, reason)) => Err(ReadFailure { path, reason, is_invalid_id: false }),
            None => Ok(read),
        },
        Err(error) => {
            let mut path: JsonPath = error.path().iter().filter_map(path_step).collect();
            let reason = MessageText::from(clip_reason(&error.into_inner().to_string()));
            let wrong_id = value_at(json, &path).and_then(|list| find_invalid_id(list, &reason));
            let is_wrong_id = wrong_id.is_some();
            path.extend(wrong_id);
            Err(ReadFailure { path, reason, is_invalid_id: is_wrong_id })
        }
    }
}

fn path_step(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } | Segment::Enum { variant: key } => Some(key.clone()),
        Segment::Unknown => None,
    }
}

/// Finds the first number that becomes infinite in 32 bits, and returns its path and a message. Serde reads such a
/// number without an error.
fn find_too_large_number(json: &Value) -> Option<(JsonPath, MessageText)> {
    let below = |step: String, value: &Value| {
        let (mut path, reason) = find_too_large_number(value)?;
        path.insert(0, step);
        Some((path, reason))
    };
    match json {
        Value::Number(number) => {
            let is_too_large = number.as_f64().is_some_and(|number| (number as f32).is_infinite());
            is_too_large.then(|| {
                (
                    JsonPath::new(),
                    message!("{number} is too large for a number of 32 bits", number = number.to_string()),
                )
            })
        }
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| below(at.to_string(), item)),
        Value::Object(fields) => fields.iter().find_map(|(key, value)| below(key.clone(), value)),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

/// Returns the first key of a list that is not an id, if `reason` shows that serde rejected a key.
fn find_invalid_id(list: &Value, reason: &str) -> Option<String> {
    const REASONS: [&str; 3] = ["expected key to be a number", "invalid number", "expected u32"];
    let fields = list.as_object().filter(|_| REASONS.iter().any(|of_ids| reason.contains(of_ids)))?;
    fields.keys().find(|key| !is_id(key)).cloned()
}

fn is_id(key: &str) -> bool {
    key.parse::<u32>().is_ok_and(|id| id.to_string() == key)
}

fn clip_reason(reason: &str) -> String {
    const MAX_REASON_CHARS: usize = 300;
    match reason.char_indices().nth(MAX_REASON_CHARS) {
        Some((end, _)) => reason[..end].to_owned() + "…",
        None => reason.to_owned(),
    }
}

fn value_at<'v>(json: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    path.iter().try_fold(json, |value, step| match value {
        Value::Object(fields) => fields.get_mut(step),
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

struct RemovedValue {
    path: JsonPath,
    /// Whether the removed value was an item of a list.
    is_list_item: bool,
}

/// Removes the value at a path, or the whole list if the positions of its items matter. Returns `None` if the value is
/// required.
fn remove_value(json: &mut Value, path: &[String]) -> Option<RemovedValue> {
    let (last, above) = path.split_last()?;
    let parent = value_at(json, above)?;
    let is_item = parent.is_array();
    match parent {
        Value::Object(fields) => _ = fields.shift_remove(last)?,
        Value::Array(_) if above.last().is_some_and(|list| POSITIONAL_LISTS.contains(&list.as_str())) => {
            return remove_value(json, above);
        }
        Value::Array(items) => {
            let at = last.parse().ok().filter(|at| *at < items.len())?;
            items.remove(at);
        }
        _ => return None,
    }
    Some(RemovedValue { path: path.to_vec(), is_list_item: is_item })
}

fn to_diagnostics(repairs: &[Repair], bytes: &[u8], file: &str) -> Vec<Diagnostic> {
    let paths: Vec<Vec<&str>> = repairs.iter().map(|r| r.path.iter().map(String::as_str).collect()).collect();
    let lines = lines_of(bytes, &paths);
    let finding = |(repair, line): (&Repair, Option<u64>)| {
        let place = Location { line, ..Location::file(file).with_pointer(owned_path_to_pointer(&repair.path)) };
        let is_whole = repair.removed == repair.path;
        let message = if repair.reason.starts_with("unknown field") || is_whole && repair.is_list_entry {
            message!("{reason}; left out", reason = &repair.reason)
        } else if is_whole {
            message!("{reason}; left out, its default is used", reason = &repair.reason)
        } else {
            message!(
                "{reason}; {removed} is left out",
                reason = &repair.reason,
                removed = owned_path_to_pointer(&repair.removed)
            )
        };
        Diagnostic::warning(place, message)
    };
    let repeated = duplicate_keys(bytes, MAX_REPAIRS).into_iter().map(|(path, line)| {
        let key = path.last().map_or("", String::as_str);
        let message = message!("the key \"{key}\" appears twice; the last one is used", key = excerpt(key));
        Diagnostic::warning(Location::file(file).with_pointer(owned_path_to_pointer(&path)).with_line(line), message)
    });
    repeated.chain(repairs.iter().zip(lines).map(finding)).collect()
}

fn parse_pointer(pointer: &str) -> JsonPath {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

fn owned_path_to_pointer(path: &[String]) -> String {
    path_to_pointer(&path.iter().map(String::as_str).collect::<Vec<_>>())
}
