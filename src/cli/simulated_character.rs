//! A character with the motions that `check` simulates.

use super::output::{self, ProgressReporter};
use super::simulation_args::find_motion;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::tables::FileKind;
use yuremono_session::{Motion, Session, all_motions};
use yuremono_sim::diagnostics::Diagnostic;

/// The motion name that selects all motions.
const ALL_MOTIONS: &str = "all";

/// What a check simulates, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulationOptions<'a> {
    /// The value of `--motion`.
    pub(super) motion: Option<&'a str>,
    /// The name of the file in messages.
    pub(super) name: &'a str,
    pub(super) threads: usize,
    pub(super) shows_progress: bool,
}

/// A character in a session, and its motions.
#[derive(Debug)]
pub(super) struct SimulatedCharacter<'a> {
    pub(super) session: Session,
    pub(super) motions: Vec<Motion>,
    /// The name of the file in messages.
    pub(super) name: &'a str,
    pub(super) threads: usize,
    shows_progress: bool,
}

impl<'a> SimulatedCharacter<'a> {
    /// Opens a session with the motions of `--motion`. Findings about a motion file are added to `diagnostics`.
    pub(super) fn open(
        mut opened: OpenedCharacter,
        options: SimulationOptions<'a>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<Self> {
        let SimulationOptions { motion, name, threads, shows_progress } = options;
        let loaded = load_motion_file(motion, &mut opened, diagnostics)?;
        let session = Session::new(opened.character, opened.document);
        let motions = match (loaded, motion) {
            (Some(clips), _) => clips.map(Motion::Clip).collect(),
            (None, Some(name)) if name != ALL_MOTIONS => vec![find_motion(name, &session)?],
            (None, _) => all_motions(&session),
        };
        Ok(Self { session, motions, name, threads, shows_progress })
    }

    /// Returns the progress of work with this number of steps.
    pub(super) fn progress(&self, steps: usize) -> ProgressReporter {
        if self.shows_progress { ProgressReporter::new(steps as u64, self.name) } else { ProgressReporter::silent() }
    }
}

/// Adds the animations of a motion file to the character. Returns `None` if `motion` is not a file.
fn load_motion_file(
    motion: Option<&str>,
    opened: &mut OpenedCharacter,
    diagnostics: &mut Vec<Diagnostic>,
) -> anyhow::Result<Option<Range<usize>>> {
    let path = motion
        .map(Path::new)
        .filter(|path| matches!(FileKind::from_path(path), Some(FileKind::Character | FileKind::Motion)));
    let Some(path) = path else { return Ok(None) };
    let motions = open::motions(path, &opened.character, &|_| true).map_err(output::command_failure)?;
    let unmatched = motions.unmatched_diagnostic(&file_name(path), &opened.character.name);
    if motions.clips.is_empty() {
        return Err(output::command_failure(unmatched.into_iter().collect::<Vec<_>>()));
    }
    diagnostics.extend(motions.diagnostics.into_iter().chain(unmatched));
    let clips = &mut Arc::make_mut(&mut opened.character).clips;
    let first = clips.len();
    clips.extend(motions.clips);
    Ok(Some(first..clips.len()))
}
