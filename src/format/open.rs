//! From a path that the caller hands over to what lies there: a character with what is authored on it, a table, a
//! project, rules, a preset.

use super::motion::{self, RetargetedMotions};
use super::preset;
use super::project::{self, Project};
use super::source::{Folder, SourceFile, read_limited};
use super::tables::{self, FileContent};
use super::{gltf, unity_csv, vrm};
use crate::diagnostics::{Diagnostic, Location};
use crate::document::Document;
use crate::exchange::SetupFile;
use crate::exchange::remap::RemapRules;
use crate::feel::convert::convert;
use crate::feel::preset::Preset;
use crate::rig::Character;
use crate::sim::SolverKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A character, ready for a session.
#[derive(Clone, Debug)]
pub struct OpenedCharacter {
    /// What is drawn and moved.
    pub character: Arc<Character>,
    /// What the file says of its motion, under the solver that it says it for; empty where it says nothing.
    pub document: Document,
    /// What was left out or replaced.
    pub diagnostics: Vec<Diagnostic>,
}

impl OpenedCharacter {
    /// The same under another solver, so that it feels as the file says.
    #[must_use]
    pub fn converted_to(mut self, solver: SolverKind) -> Self {
        self.document = convert(&self.document, &self.character, solver).after;
        self
    }

    /// Adds the motions of these files to the character; returns each file with how many clips it gave. A file that cannot
    /// be read, or that fits no bone, gives none and is reported.
    pub fn add_motions(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, usize)> {
        let (mut added, mut all) = (Vec::new(), Vec::new());
        for path in paths {
            let clips = match motions(&path, &self.character, &|_| true) {
                Ok(motions) => {
                    let note = motions.unmatched_diagnostic(&file_name(&path), &self.character.name);
                    self.diagnostics.extend(motions.diagnostics.into_iter().chain(note));
                    motions.clips
                }
                Err(why) => {
                    self.diagnostics.extend(why);
                    Vec::new()
                }
            };
            added.push((path, clips.len()));
            all.extend(clips);
        }
        if !all.is_empty() {
            let end = self.character.clips.len();
            Arc::make_mut(&mut self.character).replace_clips(end..end, all);
        }
        added
    }
}

/// Reads a `.vrm`, `.glb` or `.gltf`; files beside it only from its own folder. `progress` hears 0..=1 and returns
/// `false` to stop.
pub fn character(path: &Path, progress: &(dyn Fn(f32) -> bool + Sync)) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    let name = file_name(path);
    let folder = Folder::of(path)
        .map_err(|err| vec![Diagnostic::error(Location::file(&*name), format!("its folder cannot be read: {err}"))])?;
    character_from_source(&SourceFile { name: &name, bytes: &bytes, read_sibling: &|uri| folder.read(uri) }, progress)
}

/// As [`character`], from bytes.
pub fn character_from_source(
    source: &SourceFile<'_>,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    let loaded = gltf::read(source, progress)?;
    let mut diagnostics = loaded.diagnostics;
    let document = match &loaded.spring_bones {
        Some(springs) => {
            let (document, said) = vrm::to_document(springs, &loaded.character, source.name);
            diagnostics.extend(said);
            document
        }
        None => Document::default(),
    };
    Ok(OpenedCharacter { character: Arc::new(loaded.character), document, diagnostics })
}

/// Reads the motions of a `.vrma`, `.glb`, `.gltf` or `.vrm` for a character; its clips take them in. `progress` as for
/// [`character()`].
pub fn motions(
    path: &Path,
    character: &Character,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<RetargetedMotions, Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    let name = file_name(path);
    let folder = Folder::of(path)
        .map_err(|err| vec![Diagnostic::error(Location::file(&*name), format!("its folder cannot be read: {err}"))])?;
    motion::read(&SourceFile { name: &name, bytes: &bytes, read_sibling: &|uri| folder.read(uri) }, character, progress)
}

/// What a character file's springs break of the VRM specification, however well it loads.
pub fn check_vrm_rules(path: &Path) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    Ok(vrm::rules::check(&bytes, &file_name(path)))
}

/// Reads the setup of a file, in the file's own space, with what was found in it.
pub fn setup(path: &Path) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    tables::read_setup(&bytes, &file_name(path))
}

/// Reads a CSV as text of the encoding of this label, whatever its encoding seems to be.
pub fn setup_with_encoding(path: &Path, encoding: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    unity_csv::read_with_encoding(&bytes, &file_name(path), encoding)
}

/// What a file holds, whatever its name ends with.
pub fn content(path: &Path) -> Result<FileContent, Diagnostic> {
    read_limited(path).map(|bytes| tables::detect_content(&bytes))
}

/// Reads a project, with what was found in it.
pub fn project(path: &Path) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    project::read(&bytes, &file_name(path))
}

/// Reads rules of remapping.
pub fn rules(path: &Path) -> Result<RemapRules, Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    let fail = |message: String| vec![Diagnostic::error(Location::file(file_name(path)), message)];
    match tables::detect_content(&bytes) {
        FileContent::Rules | FileContent::BrokenJson => {}
        other => {
            let found = other.describe();
            return Err(fail(format!("found {found}; expected remapping rules, JSON with \"version\" and \"rules\"")));
        }
    }
    let text = std::str::from_utf8(&bytes).map_err(|err| fail(format!("this is no UTF-8 text: {err}")))?;
    RemapRules::from_json(text).map_err(|err| fail(err.to_string()))
}

/// Reads a preset, with what was found in it.
pub fn preset(path: &Path) -> Result<(Preset, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = read_limited(path).map_err(|d| vec![d])?;
    preset::read(&bytes, &file_name(path))
}

/// The last part of a path, as messages name it.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
