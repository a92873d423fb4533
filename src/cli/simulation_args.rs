//! Arguments that select the setup, the presets and the motion of a simulated character.

use super::load::{FlipAxisArg, parse_number, read_character, session_with_setup};
use super::options::WarmUpOption;
use super::output::{InputRole, RunReport, command_failure, failure};
use super::preset_args::PresetArgs;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::tables::FileKind;
use yuremono_model::exchange::remap::NameMap;
use yuremono_session::{Command, Message, Motion, Session, all_motions};
use yuremono_sim::TestWind;
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::rig::TestMotion;

/// The setup and the motion of a simulation.
#[derive(Clone, Debug, Args)]
pub(super) struct SimulationArgs {
    /// Setup to simulate: a table (.csv, .json), a project (.yure) or another character (.vrm). Default: the setup in the
    /// character file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: z for VRM 0.x, else x.
    #[arg(long, value_enum)]
    mirror: Option<FlipAxisArg>,
    /// Motion of the character: still, idle, turn, nod, walk, run-and-stop, leg-lift, squat, jump, teleport, the name of an
    /// animation in the character file or of a gesture in the project, or a motion file (.vrma, .bvh, .vmd, .glb, .gltf, .fbx).
    /// Built-in motions start with the arms at the sides, animations in the rest pose of the file. Default: turn.
    #[arg(long, value_name = "NAME")]
    motion: Option<String>,
    /// Amplitude of a built-in motion, 0 to 2.
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 2.0))]
    amplitude: f32,
    /// Speed of the motion, 0.1 to 4; 1 is the original speed.
    #[arg(long, visible_alias = "speed", value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.1, 4.0))]
    pace: f32,
    /// Test wind: mean acceleration of the tips in m/s², 0 to 100. Default: calm.
    #[arg(long, value_name = "M_PER_S2", value_parser = |text: &str| parse_number(text, 0.0, 100.0))]
    wind: Option<f32>,
    /// Where the test wind blows to, in degrees: 0 is +Z, 90 is +X.
    #[arg(long, value_name = "DEGREES", requires = "wind", default_value_t = 90.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -180.0, 180.0))]
    wind_heading: f32,
    #[command(flatten)]
    warm_up: WarmUpOption,
    #[command(flatten)]
    preset_args: PresetArgs,
}

impl SimulationArgs {
    /// Starts a session as the window does: with setup, presets and motion, in the rest pose.
    pub(super) fn create_session(&self, path: &Path, report: &mut RunReport) -> anyhow::Result<Session> {
        let presets = self.preset_args.resolve(report)?;
        let mut opened = read_character(path, report)?;
        let from_file = self.load_motion_file(&mut opened, report)?;
        let (mut session, _) = session_with_setup(opened, self.setup.as_deref(), self.mirror, &NameMap::new(), report)?;
        super::preset_args::apply_presets(&presets, &mut session, &file_name(path), report)?;
        let motion = from_file.map_or_else(|| find_motion(self.motion_name(), &session), Ok)?;
        let warning = |message| Diagnostic::warning(Location::file(file_name(path)), message);
        if let Motion::Test(test) = motion
            && !test.supports_character(session.character())
        {
            let message =
                message!("the character lacks bones that the motion \"{motion}\" moves", motion = test.name());
            report.add_diagnostics(&[warning(message)]);
        }
        session.handle(Command::SetMotion(motion));
        session.handle(Command::SetMotionAmplitude(self.amplitude));
        session.handle(Command::SetMotionSpeed(self.pace));
        session.handle(Command::SetTestWind(self.test_wind()));
        session.handle(Command::ResetPose);
        if session.document().joint_count() == 0 {
            report.add_diagnostics(&[warning(message!("nothing moves: neither the character nor a setup has joints"))]);
        }
        Ok(session)
    }

    /// Returns the wind of `--wind`.
    fn test_wind(&self) -> Option<TestWind> {
        let wind = |strength| TestWind { strength, heading: self.wind_heading, ..TestWind::default() };
        self.wind.map(wind)
    }

    /// Returns the seconds of `--warm-up`.
    pub(super) fn warm_up(&self) -> Option<f64> {
        self.warm_up.warm_up.map(f64::from)
    }

    fn motion_name(&self) -> &str {
        self.motion.as_deref().unwrap_or("turn")
    }

    fn is_motion_file(&self) -> bool {
        let kind = FileKind::from_path(Path::new(self.motion_name()));
        matches!(kind, Some(FileKind::Character | FileKind::Motion))
    }

    /// Returns the motions that `--motion` selects in the session of [`Self::create_session`]: all animations of a motion
    /// file, or one motion. Without `--motion`, returns all motions.
    pub(super) fn selected_motions(&self, session: &Session) -> Vec<Motion> {
        match session.playback().settings().motion {
            _ if self.motion.is_none() => all_motions(session),
            Motion::Clip(first) if self.is_motion_file() => {
                (first..session.character().clips.len()).map(Motion::Clip).collect()
            }
            motion => vec![motion],
        }
    }

    /// Adds the animations of a motion file to the character. Returns the first animation, or `None` if the motion is
    /// not a file.
    fn load_motion_file(&self, opened: &mut OpenedCharacter, report: &mut RunReport) -> anyhow::Result<Option<Motion>> {
        let path = Path::new(self.motion_name());
        if !self.is_motion_file() {
            return Ok(None);
        }
        let motions = open::motions(path, &opened.character, &|_| true).map_err(command_failure)?;
        report.add_diagnostics(&motions.diagnostics);
        let unmatched = motions.unmatched_diagnostic(&file_name(path), &opened.character.name);
        if motions.clips.is_empty() {
            return Err(command_failure(unmatched.into_iter().collect::<Vec<_>>()));
        }
        report.add_diagnostics(unmatched.as_slice());
        let character = Arc::make_mut(&mut opened.character);
        let first = character.clips.len();
        character.clips.extend(motions.clips);
        Ok(Some(Motion::Clip(first)))
    }

    /// Returns the files that the command reads.
    pub(super) fn input_files<'a>(&'a self, character: &'a Path) -> Vec<(InputRole, &'a Path)> {
        let setup = self.setup.as_deref().map(|path| (InputRole::Setup, path));
        let inputs = [(InputRole::Character, character), (InputRole::Motion, Path::new(self.motion_name()))];
        inputs.into_iter().chain(setup).collect()
    }

    /// Returns the files that the command reads for every character.
    pub(super) fn shared_input_files(&self) -> Vec<&Path> {
        self.setup.as_deref().into_iter().chain(self.motion.as_deref().map(Path::new)).collect()
    }
}

/// Returns findings about chains that left their bounds during the simulation, and about reduced work.
pub(super) fn stability_diagnostics(session: &Session) -> Vec<Diagnostic> {
    let is_bound = |message: &Message| {
        matches!(message, Message::ChainOutOfBounds { .. } | Message::ChainHeld { .. } | Message::WorkReduced { .. })
    };
    let messages = session.messages().entries().iter().filter(|message| message.message.as_ref().is_some_and(is_bound));
    messages.map(|message| message.diagnostic.clone()).collect()
}

/// Finds a built-in motion, an animation of the file, or a gesture by its name.
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
    let known = known.map(excerpt).collect::<Vec<_>>().join(", ");
    Err(failure(message!("there is no motion \"{name}\"; there are {known}", name = excerpt(name), known)))
}
