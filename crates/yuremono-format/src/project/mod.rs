//! Yuremono's project file: everything that is authored on one character, as JSON.
//!
//! `{"yuremono": 2, "character": …, "setup": …, "motions": …, "view": …}`. `setup` is a [`Setup`] over [`ByPath`].
//! Bones are stored with their names and ancestors, and parameters with the solver's original names. A chain with a
//! material also stores the values of the material. If the two differ, the chain is loaded with its own values and a
//! warning. This module converts between bytes and documents. The caller reads and writes the file.

mod load;

use super::{json_layout, repair};
use crate::source::Fingerprint;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use yuremono_model::document::source_frames::{KeptValue, RestPose, SourceFrames, turn_document};
use yuremono_model::document::{
    BonePath, BonePaths, ById, ByPath, ChainValue, ColliderId, Document, FoundBone, MapNaming, Node, Setup,
};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::BoneId;

/// The version that the writer writes.
pub const VERSION: u64 = 2;
/// Maximum size of a file. Larger files are rejected.
pub const MAX_FILE_MIB: usize = 256;
/// Maximum number of motions that are loaded with a project.
pub const MAX_MOTIONS: usize = 256;

/// All parts of a project except the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectMetadata {
    /// The path of the character file, relative to the project if possible. Folders are separated by `/`.
    pub character_path: String,
    /// The name of the character in its own file.
    pub character_name: String,
    /// The paths of the loaded motion files, in the same form as `character_path`.
    pub motions: Vec<String>,
    /// Camera, selection and similar state. Only the caller uses the content.
    pub view: Value,
    /// Fields that this version does not support. They are read and written back unchanged.
    pub unknown_fields: Map<String, Value>,
}

/// A parsed project that is not yet bound to a character.
#[derive(Clone, Debug)]
pub struct Project {
    pub metadata: ProjectMetadata,
    /// The fingerprint of the parsed contents.
    pub fingerprint: Fingerprint,
    /// Diagnostics that [`Project::into_document`] returns before its other diagnostics. The caller may put the
    /// diagnostics of [`read`] here to report them later.
    pub diagnostics: Vec<Diagnostic>,
    file_name: String,
    setup: Setup<ByPath>,
    rest_frames: Option<SourceFrames<BonePath>>,
    removed: repair::RemovedEntries,
}

/// The fields of a project file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedProject {
    yuremono: u64,
    character: SavedCharacter,
    #[serde(default)]
    setup: Setup<ByPath>,
    /// The rest frames of the bones in `setup`, for a character with other frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest_frames: Option<SourceFrames<BonePath>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    motions: Vec<String>,
    #[serde(default)]
    view: Value,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedCharacter {
    path: String,
    #[serde(default)]
    name: String,
}

/// The names of the fields of [`SavedProject`]. All other fields are kept for writing. A test compares both lists.
const FIELDS: &[&str] = &["yuremono", "character", "setup", "rest_frames", "motions", "view"];

/// Reads a project. `file_name` appears in messages. A value of the wrong type is removed with a warning that contains
/// its line.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let place = Location::file(file_name);
    let fail = |message: MessageText| Err(vec![Diagnostic::error(place.clone(), message)]);
    if bytes.len() > MAX_FILE_MIB << 20 {
        return fail(message!(
            "the file has {mib} MiB; a project has at most {max_file_mib}",
            mib = bytes.len() >> 20,
            max_file_mib = MAX_FILE_MIB
        ));
    }
    let fingerprint = Fingerprint::of(bytes);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut json: Value = match serde_json::from_slice(bytes) {
        Ok(json) => json,
        Err(e) => {
            let message = message!("this is not JSON: {error}", error = format_args!("{e}"));
            return Err(vec![Diagnostic::error(place.with_line(e.line() as u64), message)]);
        }
    };
    let Some(fields) = json.as_object_mut() else { return fail(message!("this is not a project: expected an object")) };
    match fields.get("yuremono").map(|v| (v, v.as_u64())) {
        None => return fail(message!("this is not a project: there is no \"yuremono\" with a version")),
        Some((_, Some(VERSION))) => {}
        Some((_, Some(newer))) if newer > VERSION => {
            return fail(message!(
                "the project has version {newer}; this Yuremono reads up to {version}. Open it with a newer Yuremono",
                newer,
                version = VERSION
            ));
        }
        Some((other, _)) => {
            return fail(message!(
                "the project has version {other}; expected {version}",
                other = excerpt(&other.to_string()),
                version = VERSION
            ));
        }
    }
    let unknown = take_unknown_fields(fields);
    let (saved, mut found, removed): (SavedProject, _, _) = repair::read(&mut json, bytes, file_name)?;
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.keys().map(|k| excerpt(k)).take(5).collect();
        let message = message!("unknown fields are kept: {names}", names = names.join(", "));
        found.push(Diagnostic::info(place, message));
    }
    let mut seen = BTreeSet::new();
    let mut motions: Vec<String> = saved.motions.iter().filter(|path| seen.insert(*path)).cloned().collect();
    if motions.len() > MAX_MOTIONS {
        let message = message!(
            "{count} motions; at most {max_motions} are loaded. Further motions are left out",
            count = motions.len(),
            max_motions = MAX_MOTIONS
        );
        found.push(Diagnostic::warning(Location::file(file_name).with_pointer("/motions"), message));
        motions.truncate(MAX_MOTIONS);
    }
    let metadata = ProjectMetadata {
        character_path: saved.character.path,
        character_name: saved.character.name,
        motions,
        view: saved.view,
        unknown_fields: unknown,
    };
    let (file_name, setup, rest_frames) = (file_name.to_owned(), saved.setup, saved.rest_frames);
    Ok((Project { metadata, fingerprint, diagnostics: Vec::new(), file_name, setup, rest_frames, removed }, found))
}

impl Project {
    /// Returns the expected paths of the motion files, for a project at `path`.
    pub fn motion_paths(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        self.metadata.motions.iter().map(move |saved| absolute_path(path, saved))
    }

    /// Makes the paths of the character and of the motions of a project at `path` absolute, so that the project can be
    /// opened without its file.
    pub fn make_paths_absolute(&mut self, path: &Path) {
        self.metadata.motions =
            self.motion_paths(path).map(|motion| motion.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let character = &mut self.metadata.character_path;
        if !character.is_empty() {
            *character = absolute_path(path, character).to_string_lossy().into_owned();
        }
    }

    /// Whether both projects have the same setup, character and motions. Both must have absolute paths.
    pub fn has_equal_content(&self, other: &Self) -> bool {
        let (a, b) = (&self.metadata, &other.metadata);
        self.setup == other.setup && a.character_path == b.character_path && a.motions == b.motions
    }

    /// Binds the setup to a character. Bones that the character lacks are reported and become missing bones, which keep
    /// their values. Values in the frames of bones keep their meaning if the rest frames of the character differ.
    pub fn into_document<'a>(mut self, rest: impl Into<RestPose<'a>>) -> (Document, Vec<Diagnostic>) {
        let rest = rest.into();
        let skeleton = rest.skeleton;
        let (mut document, mut found) = load::load_setup(&self.setup, skeleton, &self.file_name);
        if let Some(source) = &self.rest_frames {
            let paths: Vec<BonePath> = source.bones.keys().cloned().collect();
            let found_bones = BonePaths::of(skeleton).match_paths(&paths);
            let bones: BTreeMap<_, _> = paths.iter().zip(found_bones).collect();
            let find = |path: &BonePath| bones.get(path).copied().flatten().map(FoundBone::id);
            let turns =
                source.turns(rest, find).into_iter().filter_map(|(path, turn)| Some((find(&path)?, turn))).collect();
            let turned_to = source.turned_to(rest.facing);
            let kept = turn_document(&mut document, skeleton, &turns, turned_to);
            found.extend(KeptValue::diagnostic(&kept, skeleton, &Location::file(&self.file_name)));
            document.missing_bones.keep_rest_frames(|path| {
                let frame = source.bones.get(path)?;
                Some(if turned_to.is_some() { frame.turned_around() } else { *frame })
            });
        }
        for diagnostic in &mut found {
            self.removed.restore_pointer(diagnostic);
        }
        self.diagnostics.append(&mut found);
        (document, self.diagnostics)
    }
}

/// Returns the bytes of a project file.
pub fn write<'a>(document: &Document, rest: impl Into<RestPose<'a>>, metadata: &ProjectMetadata) -> Vec<u8> {
    /// [`SavedProject`] with the unsupported fields of other versions.
    #[derive(Serialize)]
    struct SavedWithUnknownFields<'a> {
        #[serde(flatten)]
        saved: SavedProject,
        #[serde(flatten)]
        unknown: &'a Map<String, Value>,
    }

    let ProjectMetadata { character_path, character_name, motions, view, unknown_fields: unknown } = metadata.clone();
    let rest = rest.into();
    let mut saver = ProjectSaver {
        document,
        paths: BonePaths::of(rest.skeleton),
        bone_count: rest.skeleton.len(),
        used_bones: BTreeSet::new(),
    };
    let setup = document.setup.map_naming(&mut saver);
    let mut rest_frames =
        SourceFrames::new(rest, |bone| saver.used_bones.contains(&bone).then(|| saver.paths.path_of(bone)));
    let missing = document.missing_bones.iter().filter(|(bone, _)| saver.used_bones.contains(bone));
    let missing = missing.filter_map(|(bone, path)| Some((path.clone(), *document.missing_bones.rest_frame(bone)?)));
    rest_frames.bones.extend(missing);
    let saved = SavedProject {
        yuremono: VERSION,
        character: SavedCharacter { path: character_path, name: character_name },
        setup,
        rest_frames: Some(rest_frames),
        motions,
        view,
    };
    json_layout::to_json_bytes(&SavedWithUnknownFields { saved, unknown: &unknown })
}

struct ProjectSaver<'a> {
    document: &'a Document,
    paths: BonePaths<'a>,
    /// The number of bones of the character.
    bone_count: usize,
    /// The bones that the setup refers to.
    used_bones: BTreeSet<BoneId>,
}

impl MapNaming<ById, ByPath> for ProjectSaver<'_> {
    fn collider(&mut self, id: &ColliderId) -> Option<ColliderId> {
        Some(*id)
    }

    fn node(&mut self, node: &Node) -> Option<Node<BonePath>> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) => Some(Node::Helper(*id)),
        }
    }

    fn bone(&mut self, bone: &BoneId) -> Option<BonePath> {
        self.used_bones.insert(*bone);
        if bone.index() < self.bone_count {
            return Some(self.paths.path_of(*bone));
        }
        // A hand-written document may refer to bones that never existed. These bones have no name.
        Some(self.document.missing_bones.path(*bone).cloned().unwrap_or_default())
    }

    fn system_values(&mut self, solver: SolverKind, values: &ParamSet) -> BTreeMap<String, JsonNumber> {
        let own = enumerate_params(solver.info().params).filter(|(_, def)| def.scope == ParamScope::System);
        own.map(|(row, def)| (def.name.to_owned(), JsonNumber(values.get(row)))).collect()
    }

    fn chain_values(&mut self, solver: SolverKind, values: &Vec<ChainValue>) -> BTreeMap<String, ChainValue> {
        let all = solver.info().params.iter().zip(values);
        all.map(|(def, value)| (def.name.to_owned(), value.clone())).collect()
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<ParamId, ChainValue>,
    ) -> BTreeMap<String, ChainValue> {
        values_by_name(solver.info().params, values, Clone::clone)
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<ParamId, f32>) -> BTreeMap<String, JsonNumber> {
        values_by_name(solver.info().params, values, |value| JsonNumber(*value))
    }
}

fn values_by_name<V, W>(
    table: &[ParamDef],
    values: &BTreeMap<ParamId, V>,
    value: impl Fn(&V) -> W,
) -> BTreeMap<String, W> {
    values.iter().filter_map(|(row, own)| Some((table.get(row.index())?.name.to_owned(), value(own)))).collect()
}

/// Returns the path that a project stores for a character or motion file. The path is relative to the folder of the
/// project, with `/` between folders and `..` for parent folders. The path is absolute if the two files have no common
/// root. Relative arguments are resolved against the current folder.
pub fn relative_path(project_file: &Path, named_file: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (project_file, named_file) = (whole(project_file), whole(named_file));
    let folder: Vec<_> = project_file.parent().map_or(Vec::new(), |p| p.components().collect());
    let target: Vec<_> = named_file.components().collect();
    let shared = folder.iter().zip(&target).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return named_file.to_string_lossy().into_owned();
    }
    let up = folder[shared..].iter().map(|_| "..".to_owned());
    let down = target[shared..].iter().map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Returns the path of a file that a project refers to.
pub fn absolute_path(project_file: &Path, saved: &str) -> PathBuf {
    project_file.parent().map_or_else(|| PathBuf::from(saved), |folder| folder.join(saved))
}

/// Returns a path without `.`, and without each `..` that follows a folder, to compare paths. Reads no files, so the path
/// is another one if such a folder is a symbolic link.
pub fn normalized_path(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match (part, normalized.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => _ = normalized.pop(),
            _ => normalized.push(part),
        }
    }
    normalized
}

fn take_unknown_fields(fields: &mut Map<String, Value>) -> Map<String, Value> {
    let all = std::mem::take(fields);
    let (known, unknown) = all.into_iter().partition(|(name, _)| FIELDS.contains(&name.as_str()));
    *fields = known;
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::rig::Skeleton;

    #[track_caller]
    fn check(project: &str, character: &str, expected: &str) {
        assert_eq!(relative_path(Path::new(project), Path::new(character)), expected);
    }

    #[test]
    fn character_paths_are_relative_to_the_project() {
        check("/art/girl/girl.yure", "/art/girl/girl.vrm", "girl.vrm");
        check("/art/girl/girl.yure", "/art/girl/in/girl.vrm", "in/girl.vrm");
        check("/art/saves/girl.yure", "/art/girl/girl.vrm", "../girl/girl.vrm");
        check("out/girl.yure", "in/girl.vrm", "../in/girl.vrm");
        check(&std::path::absolute("out/girl.yure").expect("a folder").to_string_lossy(), "girl.vrm", "../girl.vrm");
        let found = absolute_path(Path::new("/art/saves/girl.yure"), "../girl/girl.vrm");
        assert_eq!(found, Path::new("/art/saves/../girl/girl.vrm"));
        assert_eq!(normalized_path(&found), Path::new("/art/girl/girl.vrm"));
        assert_eq!(absolute_path(Path::new("/a/b.yure"), "/c/d.vrm"), Path::new("/c/d.vrm"));
    }

    #[test]
    fn paths_to_the_same_file_are_equal_after_normalization() {
        for (path, expected) in [
            ("a/b/../c.vrm", "a/c.vrm"),
            ("./a/./c.vrm", "a/c.vrm"),
            ("a/../../c.vrm", "../c.vrm"),
            ("../../c.vrm", "../../c.vrm"),
            ("/../a/b/../../c.vrm", "/c.vrm"),
        ] {
            assert_eq!(normalized_path(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn every_saved_field_is_known() {
        let around = ProjectMetadata { motions: vec!["Walk.vrma".to_owned()], ..ProjectMetadata::default() };
        let bytes = write(&Document::default(), &Skeleton::default(), &around);
        let json: Value = serde_json::from_slice(&bytes).expect("JSON");
        let names: Vec<_> = json.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(names, FIELDS);
    }
}
