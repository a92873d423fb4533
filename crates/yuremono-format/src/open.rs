//! Opens the paths that the caller passes: characters with their setup, tables, projects, remap rules and presets.

use super::fs;
use super::motion::{self, RetargetedMotions};
use super::preset;
use super::project::{self, Project};
use super::source::{Folder, SourceFile, io_error_text, read_limited};
use super::tables::{self, FileContent};
use super::unity_assets::{self, Asset, AssetContext, ProjectChoice, UnityAssets};
use super::unity_space::to_gltf;
use super::{bvh, character, fbx, gltf_json, unity_csv, vmd, vrm};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::remap::{NameMap, RemapRules};
use yuremono_model::exchange::{ImportPlan, SetupFile};
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::preset::Preset;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, Severity, message};
use yuremono_sim::rig::Character;

/// A character with its document, ready for a session.
#[derive(Clone, Debug)]
pub struct OpenedCharacter {
    pub character: Arc<Character>,
    /// The setup of the file, for the solver of the file. Empty if the file has no setup.
    pub document: Document,
    /// Problems that the readers found, such as parts that were skipped or replaced.
    pub diagnostics: Vec<Diagnostic>,
}

impl OpenedCharacter {
    /// Converts the document to another solver, so that the character moves the same way.
    #[must_use]
    pub fn converted_to(mut self, solver: SolverKind) -> Self {
        self.document = convert(&self.document, &self.character, solver).after;
        self
    }

    /// Adds the motions of files to the character. Returns each file with the number of added clips. A file that cannot
    /// be read, or that matches no bone, adds no clips and is reported.
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

/// Reads a `.vrm`, `.glb`, `.gltf` or `.fbx`. Other files are read only from the folder of this file. `progress` receives a
/// value in 0..=1 and returns `false` to cancel.
///
/// A `.unitypackage` and a folder of a Unity project are read as their model, with the setup of their prefabs.
pub fn character(path: &Path, progress: &(dyn Fn(f32) -> bool + Sync)) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    if !is_unity_project(path) {
        return with_source(path, |source| character_from_source(source, progress));
    }
    let project = unity_project(path, progress)?;
    project.map(|project| project.opened).ok_or_else(|| no_model(&file_name(path)))
}

/// Whether a path is a folder or a `.unitypackage`, which [`character()`] reads as the model of a Unity project.
pub fn is_unity_project(path: &Path) -> bool {
    fs::is_folder(path) || tables::has_extension(path, &["unitypackage"])
}

/// The model of a Unity project, with the setup of its prefab.
#[derive(Debug)]
pub struct UnityProject {
    /// The file of the model, or the package that contains it.
    pub model_file: PathBuf,
    pub opened: OpenedCharacter,
}

/// Reads a Unity project, which is a folder or a package. Returns `None` if it has no model; it can still have a setup.
pub fn unity_project(
    path: &Path,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<Option<UnityProject>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let (assets, name) = (unity_assets_at(path, &mut found)?, file_name(path));
    let choice = ProjectChoice::new(&assets);
    let Some(model) = choice.model else { return Ok(None) };
    let mut opened = with_asset(&assets, model, |source| character_from_source(source, progress))?;
    let read_model = |model: &Asset| read_model(&assets, model);
    let context = AssetContext { assets: &assets, character: Some(&opened.character), read_model: &read_model };
    found.extend(choice.others_diagnostic(&name));
    match unity_assets::read_project(&name, &choice.setups, context, found) {
        Ok((file, found)) => {
            let file = to_gltf(file, FlipAxis::default_for(opened.character.facing));
            let character = &opened.character;
            let plan = ImportPlan::new(file, &found, &opened.document, character, &NameMap::new());
            let after = plan.after_import(&character.skeleton);
            let lost = plan.lost_part_diagnostics(&name, &opened.document);
            opened.diagnostics.extend(found.into_iter().chain(lost).chain(plan.missing_name_diagnostics(&name)));
            opened.document = after;
        }
        // Without components, the model is opened alone.
        Err(found) => opened
            .diagnostics
            .extend(found.into_iter().map(|one| Diagnostic { severity: one.severity.min(Severity::Warning), ..one })),
    }
    let model_file = model.file().unwrap_or(path).to_owned();
    Ok(Some(UnityProject { model_file, opened }))
}

fn unity_assets_at(path: &Path, found: &mut Vec<Diagnostic>) -> Result<UnityAssets, Vec<Diagnostic>> {
    if fs::is_folder(path) {
        return Ok(UnityAssets::in_folder(path));
    }
    let (bytes, name) = read_file(path)?;
    Ok(UnityAssets::in_package(&bytes, &name, found))
}

fn no_model(name: &str) -> Vec<Diagnostic> {
    let message = message!("there is no model of a Unity project in it (.fbx, .vrm, .glb or .gltf with its .meta)");
    vec![Diagnostic::error(Location::file(name), message)]
}

/// Reads an asset that may refer to other files.
fn with_asset<T>(
    assets: &UnityAssets,
    asset: &Asset,
    read: impl FnOnce(&SourceFile<'_>) -> Result<T, Vec<Diagnostic>>,
) -> Result<T, Vec<Diagnostic>> {
    if let Some(path) = asset.file() {
        return with_source(path, read);
    }
    let bytes = asset.read().map_err(|problem| vec![problem])?;
    let read_sibling = |name: &str| assets.read_packed(asset, name);
    read(&SourceFile { name: asset.name(), bytes: &bytes, read_sibling: &read_sibling })
}

/// Reads a model for its nodes. A model that cannot be read has none, so its parts are reported as unknown.
fn read_model(assets: &UnityAssets, model: &Asset) -> Option<Arc<Character>> {
    with_asset(assets, model, |source| character_from_source(source, &|_| true)).ok().map(|opened| opened.character)
}

/// Reads a file that may refer to other files in its folder.
fn with_source<T>(
    path: &Path,
    read: impl FnOnce(&SourceFile<'_>) -> Result<T, Vec<Diagnostic>>,
) -> Result<T, Vec<Diagnostic>> {
    if is_unity_project(path) {
        let assets = unity_assets_at(path, &mut Vec::new())?;
        let model = ProjectChoice::new(&assets).model.ok_or_else(|| no_model(&file_name(path)))?;
        return with_asset(&assets, model, read);
    }
    let (bytes, name) = read_file(path)?;
    let folder = Folder::of(path).map_err(|err| {
        let message = message!("its folder cannot be read: {error}", error = io_error_text(&err));
        vec![Diagnostic::error(Location::file(&*name), message)]
    })?;
    let parent = folder.parent();
    // The images of an FBX usually come from Windows, which ignores the case of names.
    let ignores_case = fbx::is_fbx(&bytes);
    let read_sibling = |uri: &str| match uri.strip_prefix("../").zip(parent.as_ref()) {
        Some((uri, parent)) => parent.read_ignoring_case(uri),
        None if ignores_case => folder.read_ignoring_case(uri),
        None => folder.read(uri),
    };
    read(&SourceFile { name: &name, bytes: &bytes, read_sibling: &read_sibling })
}

/// Returns the bytes of a file, and its name for messages.
fn read_file(path: &Path) -> Result<(Vec<u8>, String), Vec<Diagnostic>> {
    Ok((read_limited(path).map_err(|d| vec![d])?, file_name(path)))
}

/// Like [`character()`], but reads bytes.
pub fn character_from_source(
    source: &SourceFile<'_>,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    let loaded = character::read(source, progress)?;
    let mut diagnostics = loaded.diagnostics;
    let document = match &loaded.spring_bones {
        Some(springs) => {
            let (document, more) = vrm::to_document(springs, &loaded.character, source.name);
            diagnostics.extend(more);
            document
        }
        None => Document::default(),
    };
    Ok(OpenedCharacter { character: Arc::new(loaded.character), document, diagnostics })
}

/// Reads the motions of a `.vrma`, `.bvh`, `.vmd`, `.glb`, `.gltf`, `.vrm` or `.fbx` for a character. `progress` works as in
/// [`character()`].
pub fn motions(
    path: &Path,
    character: &Character,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<RetargetedMotions, Vec<Diagnostic>> {
    with_source(path, |source| motion::read(source, character, progress))
}

/// Reads motion capture (`.bvh`) or a dance (`.vmd`) as a character without meshes, with one clip. Also returns what had
/// to be assumed, and what is left out.
pub fn motion_capture(path: &Path) -> Result<(Character, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    if vmd::is_vmd(&bytes) {
        return vmd::read(&bytes, &name, &Character::default());
    }
    if vmd::has_extension(&name) {
        return Err(vec![vmd::not_a_vmd(&name)]);
    }
    bvh::read(&bytes, &name)
}

/// Returns the glTF or GLB of a character file. An FBX is converted to a GLB.
pub fn gltf_bytes(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if !is_unity_project(path) {
        let (bytes, _) = read_file(path)?;
        if !fbx::is_fbx(&bytes) {
            return Ok(bytes);
        }
    }
    with_source(path, |source| character::to_gltf(source).map(Cow::into_owned))
}

/// Whether a file is a glTF or FBX with animations and without meshes, which is a motion for another character. Returns
/// `false` if the file cannot be read.
pub fn is_motion_only(path: &Path) -> bool {
    let Ok(bytes) = read_limited(path) else { return false };
    if fbx::is_fbx(&bytes) {
        return fbx::is_motion_only(&bytes);
    }
    let Ok(container) = gltf_json::container::parse_container(&bytes) else { return false };
    let count = |key: &str| container.json.get(key).and_then(|list| list.as_array()).map_or(0, Vec::len);
    count("animations") > 0 && count("meshes") == 0
}

/// Returns the VRM rules that the springs of a character file break. A file can break rules and still load.
pub fn check_vrm_rules(path: &Path) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    Ok(vrm::rules::check(&bytes, &name))
}

/// Reads the setup of a file, in the space of the file, and returns the reader's diagnostics. A prefab or scene can refer
/// to other files of its project, and to the nodes of `character`.
pub fn setup(path: &Path, character: Option<&Character>) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let assets = if fs::is_folder(path) { UnityAssets::in_folder(path) } else { UnityAssets::around(path) };
    let read_model = |model: &Asset| read_model(&assets, model);
    let context = AssetContext { assets: &assets, character, read_model: &read_model };
    if fs::is_folder(path) {
        let setups = ProjectChoice::new(&assets).setups;
        return unity_assets::read_project(&file_name(path), &setups, context, Vec::new());
    }
    let (bytes, name) = read_file(path)?;
    tables::read_setup_with(&bytes, &name, context)
}

/// Like [`setup`], but reads a CSV in the encoding with this label instead of the detected encoding.
pub fn setup_with_encoding(path: &Path, encoding: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    unity_csv::read_with_encoding(&bytes, &name, encoding)
}

/// Detects what a file contains. The file name is ignored.
pub fn content(path: &Path) -> Result<FileContent, Diagnostic> {
    read_limited(path).map(|bytes| tables::detect_content(&bytes))
}

/// Reads a project, and returns the reader's diagnostics.
pub fn project(path: &Path) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    project::read(&bytes, &name)
}

/// Reads the rules of a bone remap.
pub fn rules(path: &Path) -> Result<RemapRules, Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    let fail = |message: MessageText| vec![Diagnostic::error(Location::file(&*name), message)];
    match tables::detect_content(&bytes) {
        FileContent::Rules | FileContent::BrokenJson => {}
        other => {
            let found = other.describe();
            return Err(fail(message!(
                "found {found}; expected name mapping rules, JSON with \"version\" and \"rules\"",
                found
            )));
        }
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|err| fail(message!("the text is not UTF-8: {error}", error = format_args!("{err}"))))?;
    RemapRules::from_json(text).map_err(|err| fail(err.message()))
}

/// Reads a preset, and returns the reader's diagnostics.
pub fn preset(path: &Path) -> Result<(Preset, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (bytes, name) = read_file(path)?;
    preset::read(&bytes, &name)
}

/// Returns the last part of a path, for messages.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
