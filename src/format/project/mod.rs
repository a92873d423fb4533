//! Yuremono's own file: all that is authored on one character, as JSON.
//!
//! `{"yuremono": 1, …}`; the number says which module reads it. Saved types live in `v1` and differ from the live
//! ones, so that these may change. Bones are saved by name and path, parameters by the original engine's names.
//! This room makes and reads bytes; where they lie is the caller's business.

mod v1;

use crate::doc::Document;
use crate::report::{Diagnostic, Place};
use crate::rig::Skeleton;
use serde_json::{Map, Value};

/// The version that is written.
pub const VERSION: u64 = 1;
/// Larger files are refused.
pub const LARGEST_MIB: usize = 256;

/// What a project says beside the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Where the character's file lies, relative to the project where that is possible; `/` between folders.
    pub character_path: String,
    /// The character's own name.
    pub character_name: String,
    /// Camera, selection and the like, for the caller alone.
    pub view: Value,
    /// Fields that this version does not know, kept from reading for writing.
    pub unknown: Map<String, Value>,
}

/// A project that has been read but not yet put on a character.
#[derive(Clone, Debug)]
pub struct Project {
    /// Everything but the document.
    pub surroundings: Surroundings,
    file: String,
    saved: v1::Saved,
}

/// Reads a project; `file_name` is for messages.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let place = Place::file(file_name);
    let fail = |message: String| Err(vec![Diagnostic::error(place.clone(), message)]);
    if bytes.len() > LARGEST_MIB << 20 {
        return fail(format!("the file has {} MiB, a project has at most {LARGEST_MIB}", bytes.len() >> 20));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut json: Value = match serde_json::from_slice(bytes) {
        Ok(json) => json,
        Err(e) => {
            let place = place.line(e.line() as u64);
            return Err(vec![Diagnostic::error(place, format!("this is no JSON: {e}"))]);
        }
    };
    let Some(fields) = json.as_object_mut() else { return fail("this is no project: expected an object".to_owned()) };
    match fields.get("yuremono").map(|v| (v, v.as_u64())) {
        None => return fail("this is no project: there is no \"yuremono\" with a version".to_owned()),
        Some((_, Some(VERSION))) => {}
        Some((_, Some(newer))) if newer > VERSION => {
            return fail(format!(
                "the project has version {newer}, this Yuremono reads up to {VERSION}; a newer one made it"
            ));
        }
        Some((other, _)) => return fail(format!("the project has version {other}, expected {VERSION}")),
    }
    let unknown = take_unknown(fields);
    let saved: v1::Saved = match serde_json::from_value(json) {
        Ok(saved) => saved,
        Err(e) => return fail(format!("the project cannot be read: {e}")),
    };
    let mut found = Vec::new();
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.keys().map(|k| crate::report::clip(k)).take(5).collect();
        let message = format!("fields that are not known are kept: {}", names.join(", "));
        found.push(Diagnostic::info(place, message));
    }
    let surroundings = Surroundings {
        character_path: saved.character.path.clone(),
        character_name: saved.character.name.clone(),
        view: saved.view.clone(),
        unknown,
    };
    Ok((Project { surroundings, file: file_name.to_owned(), saved }, found))
}

impl Project {
    /// Puts what was saved on a character. Bones that it lacks are reported and left out with what hangs on them.
    pub fn into_document(self, skeleton: &Skeleton) -> (Document, Vec<Diagnostic>) {
        v1::load(self.saved, skeleton, &self.file)
    }
}

/// The bytes of a project.
pub fn write(document: &Document, skeleton: &Skeleton, surroundings: &Surroundings) -> Vec<u8> {
    let saved = v1::save(document, skeleton, surroundings);
    let mut json = serde_json::to_value(saved).expect("saved types are plain data");
    if let Some(fields) = json.as_object_mut() {
        for (name, value) in &surroundings.unknown {
            fields.entry(name).or_insert_with(|| value.clone());
        }
    }
    let mut bytes = serde_json::to_vec_pretty(&json).expect("a JSON value can be written");
    bytes.push(b'\n');
    bytes
}

fn take_unknown(fields: &mut Map<String, Value>) -> Map<String, Value> {
    let all = std::mem::take(fields);
    let (known, unknown) = all.into_iter().partition(|(name, _)| v1::FIELDS.contains(&name.as_str()));
    *fields = known;
    unknown
}
