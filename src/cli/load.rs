//! Files into values by the library's own loaders, with a progress bar and spoken findings.

use super::apply_edit::apply_edit;
use super::output::{ProgressReporter, RunReport, command_failure, has_extension};
use super::preset_args::{self, PresetArgs};
use super::stdio::{self, input_name, is_stdio};
use crate::diagnostics::{Diagnostic, Location};
use crate::document::{Document, EditLabel, FlipAxis};
use crate::exchange::{FileSection, FileSpace, ImportPlan, ImportRowStatus, SetupFile};
use crate::exchange::{remap::NameMap, remap::RemapRules};
use crate::feel::{convert::Conversion, convert::convert, convert::loss_diagnostics};
use crate::format::open::{self, OpenedCharacter, file_name};
use crate::format::project::{self, Project};
use crate::format::source::{SourceFile, no_siblings};
use crate::format::tables::{self, FileContent, FileKind, TableFormat};
use crate::format::unity_space::to_gltf;
use crate::format::vrm::migrate::{LeafHandling, to_v1};
use crate::format::{preset_folder, vrm};
use crate::rig::Facing;
use crate::session::{Command, Message, Motion, Session};
use crate::stage::TestMotion;
use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a path seems to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    Character,
    Table,
    Project,
    Rules,
    Preset,
    /// The content is none of the known kinds.
    Unknown,
}

impl ContentKind {
    /// By what is in the file; where that says nothing, by the ending of its name. Files that are called characters are
    /// left to their reader. Of a file that is to be written [`ContentKind::from_extension`].
    pub(super) fn detect(path: &Path) -> Self {
        let by_name = match Self::from_extension(path) {
            Self::Table if file_name(path).ends_with(preset_folder::FILE_SUFFIX) => Self::Preset,
            kind => kind,
        };
        if by_name == Self::Character {
            return by_name;
        }
        match read_content(path) {
            Ok(FileContent::Setup(_)) => Self::Table,
            Ok(FileContent::Character) => Self::Character,
            Ok(FileContent::Project) => Self::Project,
            Ok(FileContent::Rules) => Self::Rules,
            Ok(FileContent::Preset) => Self::Preset,
            Ok(FileContent::Unknown(_)) if by_name == Self::Table => Self::Unknown,
            Ok(FileContent::Text | FileContent::BrokenJson | FileContent::Unknown(_)) | Err(_) => by_name,
        }
    }

    /// By the name's ending; a table where it says nothing.
    pub(super) fn from_extension(path: &Path) -> Self {
        match FileKind::from_path(path) {
            Some(FileKind::Character | FileKind::Motion) => Self::Character,
            Some(FileKind::Project) => Self::Project,
            Some(FileKind::Table) | None => Self::Table,
        }
    }
}

/// What a file holds, whatever its name ends with.
pub(super) fn read_content(path: &Path) -> Result<FileContent, Diagnostic> {
    stdio::read(path).map(|bytes| tables::detect_content(&bytes))
}

/// The format of a setup file by what is in it; `None` where it holds something else.
pub(super) fn setup_format(path: &Path) -> anyhow::Result<Option<TableFormat>> {
    Ok(match read_content(path).map_err(|said| command_failure(vec![said]))? {
        FileContent::Setup(format) => Some(format),
        FileContent::Text => Some(TableFormat::Csv),
        _ => None,
    })
}

/// Whether a file's name ends with `.json`.
pub(super) fn is_json(path: &Path) -> bool {
    has_extension(path, &["json"])
}

/// How a setup is put on a character and what moves it then.
#[derive(Debug, Args)]
pub(super) struct SimulationArgs {
    /// Values for the joints: a table (.csv, .json), a project (.yure) or another character (.vrm). Without it: what the
    /// character's file says.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Which axis changes sign between a table's space and the character's. Without it: z for VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    mirror: Option<MirrorAxis>,
    /// What moves the character: still, turn, nod, walk, run-and-stop, leg-lift, squat, jump, teleport, the name
    /// of an animation of the file or of a recorded gesture of the project, or a motion
    /// file (.vrma, .glb, .gltf).
    #[arg(long, value_name = "NAME", default_value = "turn")]
    motion: String,
    /// How lively the built-in motion is, 0 to 2.
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = |text: &str| parse_number(text, 0.0, 2.0))]
    amplitude: f32,
    /// How fast the motion runs against its own pace, 0.1 to 4.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = |text: &str| parse_number(text, 0.1, 4.0))]
    pace: f32,
    #[command(flatten)]
    preset_args: PresetArgs,
}

/// [`FlipAxis`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MirrorAxis {
    X,
    Z,
}

impl MirrorAxis {
    /// The chosen axis, else what the setup file says, else the one that Unity's importer for such a character uses.
    pub(super) fn axis(chosen: Option<Self>, file: &SetupFile, facing: Facing) -> FlipAxis {
        let named = match file.space {
            FileSpace::Unity(named) => named,
            FileSpace::Gltf => None,
        };
        chosen.map(Self::to_axis).or(named).unwrap_or_else(|| FlipAxis::default_for(facing))
    }

    /// The axis that was asked for.
    pub(super) const fn to_axis(self) -> FlipAxis {
        match self {
            Self::X => FlipAxis::X,
            Self::Z => FlipAxis::Z,
        }
    }
}

/// A number of the command line within its span.
pub(super) fn parse_number(text: &str, low: f32, high: f32) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|err| format!("{err}"))?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(format!("expected {low} to {high}")) }
}

/// Reads a character, with a bar while it takes long.
pub(super) fn read_character(path: &Path, report: &mut RunReport) -> anyhow::Result<OpenedCharacter> {
    let opened = read_character_silently(path).map_err(command_failure)?;
    report.add_diagnostics(&opened.diagnostics);
    Ok(opened)
}

/// Reads a character and leaves its findings to the caller.
pub(super) fn read_character_silently(path: &Path) -> Result<OpenedCharacter, Vec<Diagnostic>> {
    let name = input_name(path);
    let progress = ProgressReporter::new(100, &name);
    let hear = |share: f32| {
        progress.set_position((share * 100.0) as u64);
        true
    };
    let opened = if is_stdio(path) {
        let bytes = stdio::read(path).map_err(|said| vec![said])?;
        open::character_from_source(&SourceFile { name: &name, bytes: &bytes, read_sibling: &no_siblings }, &hear)
    } else {
        open::character(path, &hear)
    };
    progress.finish();
    opened
}

/// Reads the setup of a file, in the file's own space.
pub(super) fn read_setup(path: &Path, report: &mut RunReport) -> anyhow::Result<SetupFile> {
    let bytes = stdio::read(path).map_err(|said| command_failure(vec![said]))?;
    let (file, said) = tables::read_setup(&bytes, &input_name(path)).map_err(command_failure)?;
    report.add_diagnostics(&said);
    Ok(file)
}

/// Reads a project.
pub(super) fn read_project(path: &Path) -> Result<(Project, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = stdio::read(path).map_err(|said| vec![said])?;
    project::read(&bytes, &input_name(path))
}

/// Reads rules of remapping, where some are given.
pub(super) fn read_rules(path: Option<&Path>) -> anyhow::Result<Option<RemapRules>> {
    path.map(open::rules).transpose().map_err(command_failure)
}

impl SimulationArgs {
    /// A session as the window would have it: setup and presets applied, motion chosen, everything hanging still. `own` is
    /// the folder of the artist's own presets.
    pub(super) fn create_session(
        &self,
        path: &Path,
        own: Option<&Path>,
        report: &mut RunReport,
    ) -> anyhow::Result<Session> {
        let wanted = self.preset_args.resolve(own, report)?;
        let mut opened = read_character(path, report)?;
        let from_file = self.load_motion_file(&mut opened, report)?;
        let (mut session, _) = session_with_setup(opened, self.setup.as_deref(), self.mirror, &NameMap::new(), report)?;
        preset_args::apply_presets(&wanted, &mut session, &file_name(path), report)?;
        let motion = from_file.map_or_else(|| find_motion(&self.motion, &session), Ok)?;
        if let Motion::Test(test) = motion
            && !test.supports_character(session.character())
        {
            let message = format!("{} has not the bones for the motion \"{}\"", file_name(path), test.name());
            report.add_diagnostics(&[Diagnostic::warning(Location::default(), message)]);
        }
        session.handle(Command::SetMotion(motion));
        session.handle(Command::SetMotionAmplitude(self.amplitude));
        session.handle(Command::SetMotionSpeed(self.pace));
        session.handle(Command::ResetPose);
        if session.document().joint_count() == 0 {
            let message = format!("nothing sways on {}: neither it nor a setup has joints", file_name(path));
            report.add_diagnostics(&[Diagnostic::warning(Location::default(), message)]);
        }
        Ok(session)
    }

    /// Takes a motion file in as an animation of the character.
    fn load_motion_file(&self, opened: &mut OpenedCharacter, report: &mut RunReport) -> anyhow::Result<Option<Motion>> {
        let path = Path::new(&self.motion);
        if !matches!(FileKind::from_path(path), Some(FileKind::Character | FileKind::Motion)) {
            return Ok(None);
        }
        let motions = open::motions(path, &opened.character, &|_| true).map_err(command_failure)?;
        report.add_diagnostics(&motions.diagnostics);
        let note = motions.unmatched_diagnostic(&file_name(path), &opened.character.name);
        if motions.clips.is_empty() {
            return Err(command_failure(note.into_iter().collect()));
        }
        report.add_diagnostics(note.as_slice());
        let character = Arc::make_mut(&mut opened.character);
        let first = character.clips.len();
        character.clips.extend(motions.clips);
        Ok(Some(Motion::Clip(first)))
    }
}

impl SimulationArgs {
    /// The files that the command reads, with what they are.
    pub(super) fn input_files<'a>(&'a self, character: &'a Path) -> Vec<(&'static str, &'a Path)> {
        let setup = self.setup.as_deref().map(|path| ("setup", path));
        [("character", character), ("motion", Path::new(&self.motion))].into_iter().chain(setup).collect()
    }
}

/// A session with a setup on the character: a table (.csv, .json), a project (.yure) or what another character's file says;
/// without one, what its own says. `leads` are the bones of this character that names of a table stand for, where they are
/// not called so. With it comes what a project says beside the document; its motions are paths from the current folder.
pub(super) fn session_with_setup(
    opened: OpenedCharacter,
    setup: Option<&Path>,
    mirror: Option<MirrorAxis>,
    leads: &NameMap,
    report: &mut RunReport,
) -> anyhow::Result<(Session, project::ProjectMetadata)> {
    let mut around = project::ProjectMetadata::default();
    let Some(setup) = setup else { return Ok((Session::new(opened.character, opened.document), around)) };
    let session = match ContentKind::detect(setup) {
        ContentKind::Project => {
            let (project, mut said) = read_project(setup).map_err(command_failure)?;
            let mut opened = opened;
            around = project.metadata.clone();
            let motions: Vec<_> = project.motion_paths(setup).collect();
            around.motions = motions.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let told = opened.diagnostics.len();
            opened.add_motions(motions);
            said.extend(opened.diagnostics.split_off(told));
            let (document, more) = project.into_document(&opened.character.skeleton);
            said.extend(more);
            report.add_diagnostics(&said);
            Session::new(opened.character, document)
        }
        ContentKind::Table => {
            let file = read_setup(setup, report)?;
            let file = setup_to_gltf(file, mirror, &opened);
            session_with_setup_file(opened, file, leads, &input_name(setup), report)?
        }
        ContentKind::Character => {
            let document = springs_from_character(setup, &opened, report)?;
            Session::new(opened.character, document)
        }
        ContentKind::Rules | ContentKind::Preset | ContentKind::Unknown => {
            let found = read_content(setup).map_err(|said| command_failure(vec![said]))?.describe();
            bail!(
                "{}: found {found}; a setup is a table (.csv, .json), a project (.yure) or another character",
                input_name(setup)
            )
        }
    };
    Ok((session, around))
}

/// A setup file in glTF's space, by the axis that `MirrorAxis::axis_position` returns.
pub(super) fn setup_to_gltf(file: SetupFile, mirror: Option<MirrorAxis>, opened: &OpenedCharacter) -> SetupFile {
    let axis = MirrorAxis::axis(mirror, &file, opened.character.facing);
    to_gltf(file, axis)
}

/// A session with a setup file, in glTF's space, on the character; `name` is the file's.
pub(super) fn session_with_setup_file(
    opened: OpenedCharacter,
    file: SetupFile,
    leads: &NameMap,
    name: &str,
    report: &mut RunReport,
) -> anyhow::Result<Session> {
    // A file of one system is for all of the character.
    let made = match file.systems.as_slice() {
        [system] => convert(&opened.document, &opened.character, system.solver),
        _ => Conversion { after: opened.document, losses: Vec::new() },
    };
    let mut session = Session::new(opened.character, made.after.clone());
    import_setup(&mut session, &made, file, leads, name, report)?;
    Ok(session)
}

/// What another character's file says of its springs, on the bones of this one that have the same names. Those of VRM
/// 0.x are taken to VRM 1.0 as `UniVRM` does it where this character is none of 0.x.
fn springs_from_character(path: &Path, opened: &OpenedCharacter, report: &mut RunReport) -> anyhow::Result<Document> {
    let other = read_character(path, report)?;
    let name = input_name(path);
    let bytes = stdio::read(path).map_err(|said| command_failure(vec![said]))?;
    let read = vrm::read_springs_and_bones(&bytes, &name).map_err(command_failure)?;
    let mut document = other.document;
    if let Some(springs) = read.springs.filter(|s| s.version == vrm::VrmVersion::V0)
        && opened.character.facing == Facing::PlusZ
    {
        let (skeleton, facing) = (&other.character.skeleton, opened.character.facing);
        let (springs, said) = to_v1(&springs, skeleton, facing, LeafHandling::KeepSwinging, &name);
        report.add_losses(&said);
        let (made, said) = vrm::to_document(&springs, &other.character, &name);
        report.add_diagnostics(&said);
        document = made;
    }
    // A project finds bones again by name in another skeleton.
    let bytes = project::write(&document, &other.character.skeleton, &project::ProjectMetadata::default());
    let (project, _) = project::read(&bytes, &name).map_err(command_failure)?;
    let (mut document, said) = project.into_document(&opened.character.skeleton);
    report.add_losses(&said);
    // They are numbers of another file's lists.
    document.chains.values_mut().for_each(|chain| chain.source_index = None);
    document.colliders.values_mut().for_each(|collider| collider.source_index = None);
    document.groups.values_mut().for_each(|group| group.source_index = None);
    Ok(document)
}

/// Applies a setup file to the session's character, whose document is what `made` led to. Reports rows without a bone,
/// and what changes of the solver lose: numbers that a row replaces are not lost.
fn import_setup(
    session: &mut Session,
    made: &Conversion,
    file: SetupFile,
    leads: &NameMap,
    name: &str,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let (document, character) = (session.document(), session.character());
    let plan = ImportPlan::new(file, &[], document, character, leads);
    let joints = || plan.rows_of(FileSection::Joints).map(|(_, row)| row);
    let replaced = joints().filter(|row| row.included).filter_map(|row| row.target).collect();
    for conversion in [made].into_iter().chain(plan.conversion()) {
        let losses = conversion.remaining_losses(&replaced, &character.skeleton);
        report.add_losses(&loss_diagnostics(&losses, name));
    }
    report.add_losses(&missing_bone_findings(&plan, name));
    report.add_losses(&unresolved_findings(&plan, name));
    report.add_diagnostics(&plan.missing_name_diagnostics(name));
    let edit = plan.edit(document, &character.skeleton);
    let ticked = plan.counts(FileSection::Joints).included;
    apply_edit(session, edit, EditLabel::new("import", ticked))
}

/// How many rows of a file have no bone here.
pub(super) fn missing_bone_findings(plan: &ImportPlan, name: &str) -> Vec<Diagnostic> {
    let missing =
        plan.rows_of(FileSection::Joints).filter(|(_, row)| row.status == ImportRowStatus::BoneNotFound).count();
    if missing == 0 {
        return Vec::new();
    }
    let message = format!("{missing} of {} rows have no bone here", plan.rows_of(FileSection::Joints).count());
    vec![Diagnostic::warning(Location::file(name), message)]
}

/// Which chains left their bounds while they moved, and which work was cut.
pub(super) fn stability_findings(session: &Session) -> Vec<Diagnostic> {
    let is_bound = |said: &Message| matches!(said, Message::ChainOutOfBounds { .. } | Message::WorkReduced { .. });
    let messages = session.messages().entries().iter().filter(|message| message.message.as_ref().is_some_and(is_bound));
    messages.map(|message| message.diagnostic.clone()).collect()
}

/// What entries of a file refer to and this character lacks.
pub(super) fn unresolved_findings(plan: &ImportPlan, name: &str) -> Vec<Diagnostic> {
    plan.unresolved_rows().iter().map(|rows| rows.diagnostic(name)).collect()
}

/// A setup file, in glTF's space, on a character that has no setup of its own.
pub(super) fn plan_on_empty_document(file: SetupFile, opened: &OpenedCharacter, leads: &NameMap) -> ImportPlan {
    let bare = Document::with_solver(file.systems.first().map(|system| system.solver).unwrap_or_default());
    ImportPlan::new(file, &[], &bare, &opened.character, leads)
}

/// What is called so: a built-in motion, an animation of the file, or a recorded gesture.
pub(super) fn find_motion(name: &str, session: &Session) -> anyhow::Result<Motion> {
    if name == "still" {
        return Ok(Motion::Still);
    }
    if let Some(test) = TestMotion::from_name(name) {
        return Ok(Motion::Test(test));
    }
    let clips = &session.character().clips;
    if let Some(clip) = clips.iter().position(|c| c.name == name) {
        return Ok(Motion::Clip(clip));
    }
    let gestures = &session.document().gestures;
    if let Some((id, _)) = gestures.iter().find(|(_, g)| g.name == name) {
        return Ok(Motion::Gesture(*id));
    }
    let known = ["still"].into_iter().chain(TestMotion::ALL.map(TestMotion::name));
    let known = known.chain(clips.iter().map(|c| c.name.as_str())).chain(gestures.values().map(|g| g.name.as_str()));
    let known: Vec<_> = known.map(crate::diagnostics::excerpt).collect();
    bail!("there is no motion \"{}\"; there are {}", crate::diagnostics::excerpt(name), known.join(", "))
}
