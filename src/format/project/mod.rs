//! Yuremono's own file: all that is authored on one character, as JSON.
//!
//! `{"yuremono": 1, …}`; the number says which module reads it. Saved types live in `v1` and differ from the live
//! ones, so that these may change. Bones are saved by name and path, parameters by the original engine's names. Chains
//! that share numbers name one of `materials` by its id and have those numbers themselves all the same; one that names a
//! material that is not there, or whose numbers are others, is loaded with its own and a warning.
//! This room makes and reads bytes; where they lie is the caller's business.

mod repair;
mod v1;

use crate::doc::Document;
use crate::format::source::Fingerprint;
use crate::report::{Diagnostic, Place};
use crate::rig::Skeleton;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

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
    /// Where the files of motions that were loaded lie, named as the character's file is.
    pub motions: Vec<String>,
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
    /// The contents that were read.
    pub fingerprint: Fingerprint,
    file: String,
    saved: v1::Saved,
    removed: repair::Removed,
}

/// Reads a project; `file_name` is for messages. A value of a wrong type is left out with a warning that names its line.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let place = Place::file(file_name);
    let fail = |message: String| Err(vec![Diagnostic::error(place.clone(), message)]);
    if bytes.len() > LARGEST_MIB << 20 {
        return fail(format!("the file has {} MiB, a project has at most {LARGEST_MIB}", bytes.len() >> 20));
    }
    let fingerprint = Fingerprint::of(bytes);
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
    let (saved, mut found, removed): (v1::Saved, _, _) = repair::read(&mut json, bytes, file_name)?;
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.keys().map(|k| crate::report::clip(k)).take(5).collect();
        let message = format!("fields that are not known are kept: {}", names.join(", "));
        found.push(Diagnostic::info(place, message));
    }
    let surroundings = Surroundings {
        character_path: saved.character.path.clone(),
        character_name: saved.character.name.clone(),
        motions: saved.motions.clone(),
        view: saved.view.clone(),
        unknown,
    };
    Ok((Project { surroundings, fingerprint, file: file_name.to_owned(), saved, removed }, found))
}

impl Project {
    /// Puts what was saved on a character. Bones that it lacks are reported, and what was set on them
    /// stays as [`Document::lost`] has it.
    pub fn into_document(self, skeleton: &Skeleton) -> (Document, Vec<Diagnostic>) {
        let (document, mut found) = v1::load(self.saved, skeleton, &self.file);
        for diagnostic in &mut found {
            self.removed.correct(diagnostic);
        }
        (document, found)
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

/// How a project names its character's file: relative to the project's folder with `/` between folders, `..`
/// where it must climb, or as it is where the two share no root. Both paths are absolute; nothing is looked up.
pub fn relative_path(project_file: &Path, character_file: &Path) -> String {
    let folder: Vec<_> = project_file.parent().map_or(Vec::new(), |p| p.components().collect());
    let target: Vec<_> = character_file.components().collect();
    let shared = folder.iter().zip(&target).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return character_file.to_string_lossy().into_owned();
    }
    let up = folder[shared..].iter().map(|_| "..".to_owned());
    let down = target[shared..].iter().map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Where the file that a project names should lie.
pub fn absolute_path(project_file: &Path, saved: &str) -> PathBuf {
    project_file.parent().map_or_else(|| PathBuf::from(saved), |folder| folder.join(saved))
}

fn take_unknown(fields: &mut Map<String, Value>) -> Map<String, Value> {
    let all = std::mem::take(fields);
    let (known, unknown) = all.into_iter().partition(|(name, _)| v1::FIELDS.contains(&name.as_str()));
    *fields = known;
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Material;
    use crate::schema::SolverKind;
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(project: &str, character: &str, expected: &str) {
        assert_eq!(relative_path(Path::new(project), Path::new(character)), expected);
    }

    #[test]
    fn a_character_is_named_from_the_project() {
        check("/art/girl/girl.yure", "/art/girl/girl.vrm", "girl.vrm");
        check("/art/girl/girl.yure", "/art/girl/in/girl.vrm", "in/girl.vrm");
        check("/art/saves/girl.yure", "/art/girl/girl.vrm", "../girl/girl.vrm");
        check("girl.yure", "/art/girl.vrm", "/art/girl.vrm");
        let found = absolute_path(Path::new("/art/saves/girl.yure"), "../girl/girl.vrm");
        assert_eq!(found, Path::new("/art/saves/../girl/girl.vrm"));
        assert_eq!(absolute_path(Path::new("/a/b.yure"), "/c/d.vrm"), Path::new("/c/d.vrm"));
    }

    #[test]
    fn every_saved_field_is_known() {
        let mut document = Document::default();
        // They are listed where there are several.
        document.setup.systems.insert(document.fresh_system(), document.main().clone());
        // And where there are any.
        let material = Material { name: String::new(), solver: SolverKind::EzSoftBone, values: BTreeMap::new() };
        document.setup.materials.insert(document.fresh_material(), material);
        let around = Surroundings { motions: vec!["Walk.vrma".to_owned()], ..Surroundings::default() };
        let bytes = write(&document, &Skeleton::default(), &around);
        let json: Value = serde_json::from_slice(&bytes).expect("JSON");
        let mut names: Vec<_> = json.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut known = v1::FIELDS.to_vec();
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
