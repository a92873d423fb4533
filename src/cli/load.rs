//! Reads files with the library's loaders, and reports progress and diagnostics.

use super::input::{self, input_name};
use super::output::{
    ProgressReporter, RunReport, command_failure, failure_diagnostics, file_failure, has_extension, is_stdio,
};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::project::{self, Project};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::tables::{self, FileContent, FileKind};
use yuremono_format::unity_space::to_gltf;
use yuremono_format::vrm::migrate::{LeafHandling, to_v1};
use yuremono_format::{character, preset_folder, vrm};
use yuremono_model::document::source_frames::SourceFrames;
use yuremono_model::document::{Document, Edit, EditLabel, FlipAxis};
use yuremono_model::exchange::SetupFormat;
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{FileSection, FileSpace, ImportPlan, ImportRowStatus, SetupFile};
use yuremono_model::feel::{convert::Conversion, convert::convert, convert::loss_diagnostics};
use yuremono_session::{Command, Message, Session};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};
use yuremono_sim::rig::Facing;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    Character,
    /// Motion capture. A `.vrma` is read as a character, because it is a glTF.
    Motion,
    Table,
    Project,
    Rules,
    Preset,
    Unknown,
}

impl ContentKind {
    /// Detects the kind of a file by its content, else by its extension. A file with the extension of a character is
    /// always a character. For files that are not written yet, use [`ContentKind::from_extension`].
    pub(super) fn detect(path: &Path) -> Self {
        let by_name = match Self::from_extension(path) {
            Self::Table if file_name(path).ends_with(preset_folder::FILE_SUFFIX) => Self::Preset,
            kind => kind,
        };
        if by_name == Self::Character {
            return by_name;
        }
        match read_content(path) {
            Ok(FileContent::Setup(_) | FileContent::UnityAsset) => Self::Table,
            Ok(FileContent::Character) => Self::Character,
            Ok(FileContent::Motion) => Self::Motion,
            Ok(FileContent::Project) => Self::Project,
            Ok(FileContent::Rules) => Self::Rules,
            Ok(FileContent::Preset) => Self::Preset,
            Ok(FileContent::Unknown(_)) if by_name == Self::Table => Self::Unknown,
            Ok(FileContent::Text | FileContent::BrokenJson | FileContent::Unknown(_)) | Err(_) => by_name,
        }
    }

    /// Returns the kind for an extension. Unknown extensions are tables.
    pub(super) fn from_extension(path: &Path) -> Self {
        match FileKind::from_path(path) {
            Some(FileKind::Motion) if has_extension(path, &["bvh", "vmd"]) => Self::Motion,
            Some(FileKind::Character | FileKind::Motion) => Self::Character,
            Some(FileKind::Project) => Self::Project,
            Some(FileKind::Table) | None => Self::Table,
        }
    }
}

pub(super) fn read_content(path: &Path) -> Result<FileContent, Diagnostic> {
    input::read(path).map(|bytes| tables::detect_content(&bytes))
}

/// Detects the format of a setup file by its content. Returns `None` if the file is not a setup.
pub(super) fn setup_format(path: &Path) -> anyhow::Result<Option<SetupFormat>> {
    Ok(tables::setup_format_of(&input::read(path).map_err(command_failure)?))
}

pub(super) fn is_json(path: &Path) -> bool {
    has_extension(path, &["json"])
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FlipAxisArg {
    X,
    Z,
}

impl FlipAxisArg {
    /// Returns the chosen axis, else the axis of the setup file, else the axis that the Unity importer uses for the
    /// character.
    pub(super) fn axis(chosen: Option<Self>, file: &SetupFile, facing: Facing) -> FlipAxis {
        let named = match file.space {
            FileSpace::Unity(named) => named,
            FileSpace::Gltf => None,
        };
        chosen.map(Self::to_axis).or(named).unwrap_or_else(|| FlipAxis::default_for(facing))
    }

    pub(super) const fn to_axis(self) -> FlipAxis {
        match self {
            Self::X => FlipAxis::X,
            Self::Z => FlipAxis::Z,
        }
    }
}

pub(super) fn parse_number(text: &str, low: f32, high: f32) -> Result<f32, MessageText> {
    let value = text.parse::<f32>().ok().filter(|value| (low..=high).contains(value));
    value.ok_or_else(|| message!("expected {low} to {high}", low, high))
}

/// Reads a character and reports its diagnostics.
pub(super) fn read_character(path: &Path, report: &mut RunReport) -> anyhow::Result<OpenedCharacter> {
    let progress = report.progress(100, input_name(path));
    let opened = read_character_silently(path, progress).map_err(command_failure)?;
    report.add_diagnostics(&opened.diagnostics);
    Ok(opened)
}

/// A character that the command line names.
#[derive(Debug)]
pub(super) struct NamedCharacter {
    /// The character file, which for a project is the character of the project.
    pub(super) file: PathBuf,
    /// The project, if the command line names one.
    pub(super) project: Option<PathBuf>,
}

impl NamedCharacter {
    pub(super) fn find(path: &Path) -> anyhow::Result<Self> {
        if FileKind::from_path(path) != Some(FileKind::Project) {
            return Ok(Self { file: path.to_owned(), project: None });
        }
        let (project, _) = read_project(path)?;
        let named = &project.metadata.character_path;
        if named.is_empty() || FileKind::from_path(Path::new(named)) == Some(FileKind::Project) {
            let message = message!(
                "the project names no character file. Nothing was read; name the character, and the project with --setup"
            );
            return Err(file_failure(input_name(path), message));
        }
        Ok(Self { file: project::absolute_path(path, named), project: Some(path.to_owned()) })
    }
}

/// Opens a project with its character.
fn read_project_character(path: &Path, progress: ProgressReporter) -> anyhow::Result<OpenedCharacter> {
    let named = NamedCharacter::find(path)?;
    let mut opened = read_character_silently(&named.file, progress).map_err(command_failure)?;
    let (project, diagnostics) = read_project(path)?;
    opened.diagnostics.extend(diagnostics);
    opened.add_motions(project.motion_paths(path).collect::<Vec<_>>());
    let (document, diagnostics) = project.into_document(&opened.character.skeleton);
    opened.diagnostics.extend(diagnostics);
    opened.document = document;
    Ok(opened)
}

/// Reads a character, or a project with its character, without reporting its diagnostics.
pub(super) fn read_character_silently(
    path: &Path,
    progress: ProgressReporter,
) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    if FileKind::from_path(path) == Some(FileKind::Project) {
        return read_project_character(path, progress).map_err(|err| failure_diagnostics(&err));
    }
    let name = input_name(path);
    let on_progress = |share: f32| {
        progress.set_position((share * 100.0) as u64);
        true
    };
    let opened = if is_stdio(path) {
        let bytes = input::read(path).map_err(|diagnostic| vec![diagnostic])?;
        open::character_from_source(
            &SourceFile { name: &name, bytes: &bytes, read_sibling: &no_siblings },
            &on_progress,
        )
    } else {
        open::character(path, &on_progress)
    };
    progress.finish();
    opened
}

/// Returns the glTF or GLB of a character file. An FBX is converted to a GLB.
pub(super) fn read_gltf(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if !is_stdio(path) {
        return open::gltf_bytes(path);
    }
    let bytes = input::read(path).map_err(|diagnostic| vec![diagnostic])?;
    let source = SourceFile { name: &input_name(path), bytes: &bytes, read_sibling: &no_siblings };
    character::to_gltf(&source).map(std::borrow::Cow::into_owned)
}

/// Reads a setup file in its original space and reports its diagnostics. `character` is the one for which the file was
/// made, or on which it is used.
pub(super) fn read_setup(
    path: &Path,
    character: Option<&OpenedCharacter>,
    report: &mut RunReport,
) -> anyhow::Result<SetupFile> {
    let read = if is_stdio(path) {
        input::read(path)
            .map_err(|problem| vec![problem])
            .and_then(|bytes| tables::read_setup(&bytes, &input_name(path)))
    } else {
        open::setup(path, character.map(|opened| &*opened.character))
    };
    let (file, diagnostics) = read.map_err(command_failure)?;
    report.add_diagnostics(&diagnostics);
    Ok(file)
}

pub(super) fn read_project(path: &Path) -> anyhow::Result<(Project, Vec<Diagnostic>)> {
    let bytes = input::read(path).map_err(command_failure)?;
    project::read(&bytes, &input_name(path)).map_err(command_failure)
}

/// Applies an edit to the document of the session. Fails if the edit is rejected.
pub(super) fn apply_edit(session: &mut Session, edit: Edit, label: EditLabel) -> anyhow::Result<()> {
    session.handle(Command::ApplyEdit(edit, label));
    let messages = session.messages().entries();
    if messages.iter().any(|message| matches!(message.message, Some(Message::EditRefused(_)))) {
        return Err(command_failure(messages.iter().map(|message| message.diagnostic.clone()).collect::<Vec<_>>()));
    }
    Ok(())
}

/// Returns an error about a file of a kind that the command cannot use.
pub(super) fn wrong_kind_failure(path: &Path) -> anyhow::Error {
    match read_content(path) {
        Err(diagnostic) => command_failure(diagnostic),
        Ok(content) => file_failure(
            input_name(path),
            message!(
                "found {found}; expected a table (.csv, .json), a project (.yure) or a character (.vrm, .glb, .gltf, .fbx)",
                found = content.describe()
            ),
        ),
    }
}

/// Starts a session with a setup from a table (.csv, .json), a project (.yure) or another character, or with the
/// character's own setup. `name_map` maps names in a table to bones. Also returns the metadata of a project, whose
/// motion paths are made relative to the current folder.
pub(super) fn session_with_setup(
    opened: OpenedCharacter,
    setup: Option<&Path>,
    mirror: Option<FlipAxisArg>,
    name_map: &NameMap,
    report: &mut RunReport,
) -> anyhow::Result<(Session, project::ProjectMetadata)> {
    let mut metadata = project::ProjectMetadata::default();
    let Some(setup) = setup else { return Ok((Session::new(opened.character, opened.document), metadata)) };
    let session = match ContentKind::detect(setup) {
        ContentKind::Project => {
            let (project, mut diagnostics) = read_project(setup)?;
            let mut opened = opened;
            metadata = project.metadata.clone();
            let motions: Vec<_> = project.motion_paths(setup).collect();
            metadata.motions = motions.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let reported = opened.diagnostics.len();
            opened.add_motions(motions);
            diagnostics.extend(opened.diagnostics.split_off(reported));
            let (document, more) = project.into_document(&opened.character);
            diagnostics.extend(more);
            report.add_diagnostics(&diagnostics);
            Session::new(opened.character, document)
        }
        ContentKind::Table => {
            let file = read_setup(setup, Some(&opened), report)?;
            let file = setup_to_gltf(file, mirror, None, &opened);
            session_with_setup_file(opened, file, name_map, &input_name(setup), report)?
        }
        ContentKind::Character => {
            let document = springs_from_character(setup, &opened, report)?;
            Session::new(opened.character, document)
        }
        ContentKind::Motion | ContentKind::Rules | ContentKind::Preset | ContentKind::Unknown => {
            return Err(wrong_kind_failure(setup));
        }
    };
    Ok((session, metadata))
}

/// Converts a setup file to glTF's space with the axis from [`FlipAxisArg::axis`]. `from` is the character that the file
/// was made for, if it is known; then the import converts values in the frames of its bones.
pub(super) fn setup_to_gltf(
    file: SetupFile,
    mirror: Option<FlipAxisArg>,
    from: Option<&OpenedCharacter>,
    opened: &OpenedCharacter,
) -> SetupFile {
    let axis = FlipAxisArg::axis(mirror, &file, from.unwrap_or(opened).character.facing);
    let mut file = to_gltf(file, axis);
    if let Some(from) = from {
        let frames = || SourceFrames::by_name((&from.character).into());
        file.source_frames = Some(file.source_frames.unwrap_or_else(frames));
    }
    file
}

/// Starts a session with a setup file in glTF's space. `name` is the file's name in messages.
pub(super) fn session_with_setup_file(
    opened: OpenedCharacter,
    file: SetupFile,
    name_map: &NameMap,
    name: &str,
    report: &mut RunReport,
) -> anyhow::Result<Session> {
    // A file with one system sets the solver of the whole character.
    let conversion = match file.systems.as_slice() {
        [system] if opened.document.system_with_solver(system.solver).is_some() => {
            convert(&opened.document, &opened.character, system.solver)
        }
        _ => Conversion { after: opened.document, losses: Vec::new() },
    };
    let mut session = Session::new(opened.character, conversion.after.clone());
    import_setup(&mut session, &conversion, file, name_map, name, report)?;
    Ok(session)
}

/// Returns the springs of another character file, for the bones with the same names. Migrates springs of VRM 0.x as
/// UniVRM does if this character is not VRM 0.x.
fn springs_from_character(path: &Path, opened: &OpenedCharacter, report: &mut RunReport) -> anyhow::Result<Document> {
    let other = read_character(path, report)?;
    let name = input_name(path);
    let bytes = input::read(path).map_err(command_failure)?;
    let read = vrm::read_springs_and_bones(&bytes, &name).map_err(command_failure)?;
    let mut document = other.document;
    if let Some(springs) = read.springs.filter(|s| s.version == vrm::VrmVersion::V0)
        && opened.character.facing == Facing::PlusZ
    {
        // The project below turns the springs to the facing of this character.
        let (skeleton, facing) = (&other.character.skeleton, other.character.facing);
        let (springs, losses) = to_v1(&springs, skeleton, facing, LeafHandling::KeepSwinging, &name);
        report.add_losses(&losses);
        let (migrated, diagnostics) = vrm::to_document(&springs, &other.character, &name);
        report.add_diagnostics(&diagnostics);
        document = migrated;
    }
    // Writing and reading a project finds each bone by name in the other skeleton.
    let bytes = project::write(&document, &other.character, &project::ProjectMetadata::default());
    let (project, _) = project::read(&bytes, &name).map_err(command_failure)?;
    let (mut document, losses) = project.into_document(&opened.character);
    report.add_losses(&losses);
    // The indices refer to lists in the other file.
    document.chains.values_mut().for_each(|chain| chain.source_index = None);
    document.colliders.values_mut().for_each(|collider| collider.source_index = None);
    document.groups.values_mut().for_each(|group| group.source_index = None);
    Ok(document)
}

/// Imports a setup file into a session whose document is the result of `conversion`. Reports rows without a bone, and
/// losses of the conversion except for values that a row replaces.
fn import_setup(
    session: &mut Session,
    conversion: &Conversion,
    file: SetupFile,
    name_map: &NameMap,
    name: &str,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let (document, character) = (session.document(), session.character());
    let plan = ImportPlan::new(file, &[], document, character, name_map);
    let mut rows = plan.rows_of(FileSection::Joints).peekable();
    if rows.peek().is_some() && rows.all(|(_, row)| row.status == ImportRowStatus::BoneNotFound) {
        return Err(file_failure(name, message!("no row matches a bone of the character; nothing was written")));
    }
    let joints = || plan.rows_of(FileSection::Joints).map(|(_, row)| row);
    let replaced = joints().filter(|row| row.included).filter_map(|row| row.target).collect();
    for conversion in [conversion].into_iter().chain(plan.conversion()) {
        let losses = conversion.remaining_losses(&replaced, &character.skeleton);
        report.add_losses(&loss_diagnostics(&losses, name));
    }
    report.add_losses(&missing_diagnostics(&plan, name, document));
    report.add_losses(plan.kept_values_diagnostic(name, &character.skeleton).as_slice());
    let edit = plan.edit(document, &character.skeleton);
    let included = plan.counts(FileSection::Joints).included;
    apply_edit(session, edit, EditLabel::new(message!("Import {n:row|rows}", n = included)))
}

/// Returns findings about rows without a bone, and the findings of [`unresolved_diagnostics`].
pub(super) fn missing_diagnostics(plan: &ImportPlan, name: &str, document: &Document) -> Vec<Diagnostic> {
    let rows = || plan.rows_of(FileSection::Joints);
    let missing = rows().filter(|(_, row)| row.status == ImportRowStatus::BoneNotFound).count();
    let message = message!("{missing} of {all} rows match no bone of the character", missing, all = rows().count());
    let no_bone = (missing > 0).then(|| Diagnostic::warning(Location::file(name), message));
    no_bone.into_iter().chain(unresolved_diagnostics(plan, name, document)).collect()
}

/// Returns findings about entries and references that the character lacks. `document` is the character's own setup.
pub(super) fn unresolved_diagnostics(plan: &ImportPlan, name: &str, document: &Document) -> Vec<Diagnostic> {
    let rows = plan.unresolved_rows().iter().map(|rows| rows.diagnostic(name)).collect::<Vec<_>>();
    [plan.lost_part_diagnostics(name, document), rows, plan.missing_name_diagnostics(name)].concat()
}

/// Plans the import of a setup file in glTF's space onto the character without the character's own setup.
pub(super) fn plan_on_empty_document(file: SetupFile, opened: &OpenedCharacter, name_map: &NameMap) -> ImportPlan {
    let empty = Document::with_solver(file.systems.first().map(|system| system.solver).unwrap_or_default());
    ImportPlan::new(file, &[], &empty, &opened.character, name_map)
}
