//! Leaves out the values of a project that have a wrong type, so that one bad value does not refuse the whole project.
//!
//! The saved types are the only description of a project: what they refuse is removed and they are asked again. A value
//! that has a default is removed alone. Where a field must be there, what it belongs to is removed, up to an entry of a
//! list. Entries of `bones` are named by their position, so that none of them may be removed.

use super::super::json_place::{lines_of, path_at, pointer_of};
use crate::report::{Diagnostic, Place};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The list whose entries are named by their position.
const BY_POSITION: &str = "bones";
/// Most values of a file that are left out.
const MOST_REPAIRS: usize = 200;
/// Bytes of JSON that are parsed for the repairs of one file.
const MOST_WORK: usize = 512 << 20;

/// Keys and positions from the whole file down to a value.
type Path = Vec<String>;

/// Entries that were removed from lists, for pointers into the file as it is on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Removed(Vec<(Path, usize)>);

impl Removed {
    /// Where the value at `path` of the repaired JSON is in the file.
    fn original(&self, path: &[String]) -> Path {
        let mut original = Path::new();
        for step in path {
            let mut gone: Vec<usize> = self.0.iter().filter(|(list, _)| *list == original).map(|(_, at)| *at).collect();
            gone.sort_unstable();
            let at = step.parse::<usize>().ok().filter(|_| !gone.is_empty());
            let moved = at.map(|at| gone.into_iter().fold(at, |at, gone| at + usize::from(at >= gone)));
            original.push(moved.map_or_else(|| step.clone(), |at| at.to_string()));
        }
        original
    }

    /// The same for the pointer of a finding.
    pub(super) fn correct(&self, diagnostic: &mut Diagnostic) {
        if let (false, Some(pointer)) = (self.0.is_empty(), &mut diagnostic.place.pointer) {
            *pointer = pointer_of_path(&self.original(&path_of(pointer)));
        }
    }
}

/// A value of a wrong type, and what was removed because of it; both as paths into the file.
struct Repair {
    bad: Path,
    reason: String,
    removed: Path,
}

/// Reads `json`, whose text is `bytes`; values of a wrong type are left out of it. The findings name each with its line.
/// An error names the value without which nothing can be read.
pub(super) fn read<T: DeserializeOwned>(
    json: &mut Value,
    bytes: &[u8],
    file: &str,
) -> Result<(T, Vec<Diagnostic>, Removed), Vec<Diagnostic>> {
    let (mut repairs, mut removed): (Vec<Repair>, _) = (Vec::new(), Removed::default());
    let most = MOST_REPAIRS.min(MOST_WORK / bytes.len().max(1)).max(1);
    loop {
        if let Ok(read) = T::deserialize(&*json) {
            return Ok((read, findings(&repairs, bytes, file), removed));
        }
        // Only a text has places.
        let text = serde_json::to_vec(json).unwrap_or_default();
        let Err(error) = serde_json::from_slice::<T>(&text) else {
            return Err(vec![Diagnostic::error(Place::file(file), "the project cannot be read")]);
        };
        let reason = reason(&error);
        let path = at_number(json, path_at(&text, error.line(), error.column()), &reason);
        let original = removed.original(&path);
        // What lost a field that must be there, or an item of a list of fixed length, is no new finding.
        let lacks = ["missing field", "invalid length"].iter().any(|lack| reason.starts_with(lack));
        let follows = |last: &Repair| last.removed.len() > original.len() && last.removed.starts_with(&original);
        if !(lacks && repairs.last().is_some_and(follows)) {
            repairs.push(Repair { bad: original.clone(), reason: reason.clone(), removed: original });
        }
        let gone = if repairs.len() > most { None } else { remove(json, &path, &reason) };
        let Some(gone) = gone else {
            let list = findings(&repairs[repairs.len() - 1..], bytes, file);
            let refuse = |d: Diagnostic| {
                let bad = repairs.last().map_or("", |repair| &repair.reason);
                Diagnostic::error(d.place, format!("{bad}; the project cannot be read without this value"))
            };
            return Err(list.into_iter().map(refuse).collect());
        };
        let gone_original = removed.original(&gone.path);
        if let (true, Some((at, list))) = (gone.is_item, gone_original.split_last()) {
            removed.0.push((list.to_vec(), at.parse().unwrap_or_default()));
        }
        if let Some(last) = repairs.last_mut() {
            last.removed = gone_original;
        }
    }
}

/// The value at a path.
fn value_at<'v>(json: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    path.iter().try_fold(json, |value, step| match value {
        Value::Object(fields) => fields.get_mut(step),
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The path of the value that an error is about. [`Number`](crate::doc::saved::Number) refuses a value only after serde has
/// left the object or list round it, but says which.
fn at_number(json: &mut Value, mut path: Path, reason: &str) -> Path {
    let is_bad = |value: &Value| format!("{value} is not a number") == reason;
    let within = value_at(json, &path).and_then(|value| match value {
        Value::Object(fields) => fields.iter().find(|(_, value)| is_bad(value)).map(|(key, _)| key.clone()),
        Value::Array(items) => items.iter().position(is_bad).map(|at| at.to_string()),
        _ => None,
    });
    path.extend(within);
    path
}

/// What was removed.
struct Gone {
    path: Path,
    /// It was an item of a list.
    is_item: bool,
}

/// Removes the value at a path, or the list round it where that is read by position. `None`: it must be there.
fn remove(json: &mut Value, path: &[String], reason: &str) -> Option<Gone> {
    let (last, above) = path.split_last()?;
    let parent = value_at(json, above)?;
    let is_item = parent.is_array();
    match parent {
        Value::Object(fields) => _ = fields.shift_remove(last)?,
        Value::Array(_) if above == [BY_POSITION] => return None,
        // Cells of a row, or the names above a bone.
        Value::Array(_) if reason.ends_with("expected a string") => return remove(json, above, ""),
        Value::Array(items) => {
            let at = last.parse().ok().filter(|at| *at < items.len())?;
            items.remove(at);
        }
        _ => return None,
    }
    Some(Gone { path: path.to_vec(), is_item })
}

/// What the parser says, without a place of its own.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

fn findings(repairs: &[Repair], bytes: &[u8], file: &str) -> Vec<Diagnostic> {
    let paths: Vec<Vec<&str>> = repairs.iter().map(|r| r.bad.iter().map(String::as_str).collect()).collect();
    let lines = lines_of(bytes, &paths);
    let finding = |(repair, line): (&Repair, Option<u64>)| {
        let place = Place { line, ..Place::file(file).at(pointer_of_path(&repair.bad)) };
        let message = if repair.removed == repair.bad {
            format!("{}; left out, its default is used", repair.reason)
        } else {
            format!("{}; {} is left out", repair.reason, pointer_of_path(&repair.removed))
        };
        Diagnostic::warning(place, message)
    };
    repairs.iter().zip(lines).map(finding).collect()
}

fn path_of(pointer: &str) -> Path {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

fn pointer_of_path(path: &[String]) -> String {
    pointer_of(&path.iter().map(String::as_str).collect::<Vec<_>>())
}
