//! What the session reports, among it values that the simulation cannot follow: chains that left their bounds, and work
//! that is cut.

use super::Session;
use crate::diagnostics::{Diagnostic, Location, Severity, excerpt, join_first_names};
use crate::document::{EditError, EditLabel};
use crate::params::{ParamDef, ParamScope, enumerate_params};
use crate::sim::{JointIndex, SystemSetup, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Names a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u64);

/// What the session itself says; [`fmt::Display`] has the English words.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// An edit was refused.
    EditRefused(EditError),
    /// Values per joint became a base value and a curve.
    CurveFitted {
        /// The parameter's label.
        parameter: &'static str,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// Chains have other numbers than their material by what was done, and share it no more.
    DetachedFromMaterial {
        /// Its name.
        material: String,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// No bone's name fits this pattern.
    NoMatchingBone(String),
    /// This bone cannot begin a chain.
    CannotStartChain(String),
    /// These bones are not on this version of the character; what is authored on them waits.
    MissingBones(Vec<String>),
    /// What this gesture was recorded over is not here, so it plays over the rest pose.
    GestureWithoutBaseMotion {
        /// Name of the gesture.
        gesture: String,
        /// Name of what is missing.
        base_motion: String,
    },
    /// A value of the window's settings cannot be used; its default is.
    SettingsReset {
        /// The file.
        file: String,
        /// The key and what is wrong, for example `egui: zoom_factor 1e30`.
        reason: String,
        /// Whether a copy of the file was made.
        backed_up: bool,
    },
    /// A chain moved too far from its head, or met NaN, and returns to its rest pose in every step.
    ChainOutOfBounds {
        /// The first joint.
        joint: String,
        /// How many more chains.
        more: usize,
        /// The number that is probably the cause.
        suspect: Option<SuspectParam>,
    },
    /// Parameters ask for more work than one step may do.
    WorkReduced {
        /// Key of the solver.
        solver: &'static str,
        /// What is reduced.
        reductions: Vec<ReducedCount>,
    },
    /// The motions of a file move the character.
    MotionLoaded {
        /// Name of the file.
        file: String,
        /// How many of its animated bones move the character.
        matched: usize,
        /// Those that move nothing.
        unmatched: Vec<String>,
    },
    /// No animated bone of a motion is on the character.
    NoMotionBoneFound {
        /// Name of the file.
        file: String,
        /// Its animated bones.
        bones: Vec<String>,
    },
    /// A motion needs a character, and the open file has no bones.
    NoCharacterForMotion(String),
    /// A tool did its work at once.
    Done(EditLabel),
    /// A tool found everything as it would have made it.
    NothingToDo(EditLabel),
}

impl Message {
    /// How bad it is.
    pub const fn severity(&self) -> Severity {
        match self {
            Self::EditRefused(_)
            | Self::CannotStartChain(_)
            | Self::MissingBones(_)
            | Self::GestureWithoutBaseMotion { .. }
            | Self::SettingsReset { .. }
            | Self::ChainOutOfBounds { .. }
            | Self::WorkReduced { .. }
            | Self::NoMotionBoneFound { .. }
            | Self::NoCharacterForMotion(_) => Severity::Warning,
            Self::CurveFitted { .. }
            | Self::DetachedFromMaterial { .. }
            | Self::NoMatchingBone(_)
            | Self::MotionLoaded { .. }
            | Self::Done(_)
            | Self::NothingToDo(_) => Severity::Info,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EditRefused(err) => err.fmt(f),
            Self::CurveFitted { parameter, chain, more } => {
                write!(f, "{parameter} of {chain}")?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str(" had a value per joint: it is now a base value and a curve with one key per joint")
            }
            Self::DetachedFromMaterial { material, chain, more } => {
                write!(f, "{chain}")?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                write!(f, " no longer shares the material {material}: its numbers are its own now")
            }
            Self::ChainOutOfBounds { joint, more, suspect } => {
                write!(f, "{}", excerpt(joint))?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str(" moved too far from the chain's head and returned to the rest pose")?;
                if let Some(SuspectParam { parameter, value, range, is_declared_range: declared }) = suspect {
                    let word = if *declared { "expected" } else { "usually" };
                    write!(f, "; probably because of {parameter} {value}")?;
                    match finite_range_ends(*range) {
                        [Some(low), Some(high)] => write!(f, ", {word} {low} to {high}")?,
                        [Some(low), None] => write!(f, ", {word} at least {low}")?,
                        [None, Some(high)] => write!(f, ", {word} at most {high}")?,
                        [None, None] => {}
                    }
                }
                f.write_str(". The value is kept")
            }
            Self::WorkReduced { solver, reductions: cuts } => {
                write!(f, "{solver} asks for too much work in one step: ")?;
                for (at, (parameter, asked, done)) in cuts.iter().enumerate() {
                    let gap = if at > 0 { ", " } else { "" };
                    write!(f, "{gap}{parameter} asks for {asked}, {done} are done")?;
                }
                f.write_str(". The values are kept")
            }
            Self::Done(label) => write!(f, "done: {} ({})", label.key, label.count),
            Self::NothingToDo(_) => f.write_str("nothing had to be changed"),
            Self::NoMatchingBone(pattern) => write!(f, "no bone is named like \"{}\"", excerpt(pattern)),
            Self::CannotStartChain(bone) => {
                write!(f, "{} cannot begin a chain: it is excluded or already in one", excerpt(bone))
            }
            Self::GestureWithoutBaseMotion { gesture, base_motion: over } => {
                let (gesture, over) = (excerpt(gesture), excerpt(over));
                write!(f, "{gesture} was recorded over {over}, which is not here: it plays over the rest pose")
            }
            Self::SettingsReset { file, reason: why, backed_up: kept } => {
                write!(f, "{file}: the settings cannot be used ({why}); defaults are used instead")?;
                f.write_str(if *kept { ", and a copy of the file is kept as app.unusable.ron" } else { "" })
            }
            Self::MotionLoaded { file, matched, unmatched } => {
                let (file, all) = (excerpt(file), matched + unmatched.len());
                write!(f, "{file}: {matched} of {all} animated bones move the character")?;
                if unmatched.is_empty() {
                    Ok(())
                } else {
                    write!(f, "; not found: {}", join_first_names(unmatched, ", "))
                }
            }
            Self::NoMotionBoneFound { file, bones } => write!(
                f,
                "{}: none of its animated bones is on this character ({}); nothing has changed",
                excerpt(file),
                join_first_names(bones, ", ")
            ),
            Self::NoCharacterForMotion(file) => {
                write!(f, "{} is a motion: open a character first, then load the motion", excerpt(file))
            }
            Self::MissingBones(bones) => {
                let names: Vec<_> = bones.iter().map(|name| excerpt(name)).collect();
                write!(f, "these bones are gone: {}", names.join(", "))
            }
        }
    }
}

/// One thing that was said, kept until the artist clears it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageEntry {
    /// Grows with every message.
    pub id: MessageId,
    /// What and how bad, in English.
    pub diagnostic: Diagnostic,
    /// The same as a value, where the session said it, for faces that speak other languages.
    pub message: Option<Message>,
}

/// More messages are not kept; the oldest go first.
const MAX_MESSAGES: usize = 1000;

/// What was said since the window opened, oldest first, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    entries: Vec<MessageEntry>,
    last_id: u64,
}

impl MessageLog {
    /// Says something; the same thing twice running is said once.
    pub fn push_diagnostic(&mut self, diagnostic: Diagnostic) {
        self.push_entry(diagnostic, None);
    }

    /// Says something of the session's own.
    pub fn push_message(&mut self, said: Message) {
        let diagnostic = Diagnostic::new(said.severity(), Location::default(), said.to_string());
        self.push_entry(diagnostic, Some(said));
    }

    fn push_entry(&mut self, diagnostic: Diagnostic, said: Option<Message>) {
        if diagnostic.severity > Severity::Info && self.entries.last().is_some_and(|m| m.diagnostic == diagnostic) {
            return;
        }
        self.last_id += 1;
        self.entries.push(MessageEntry { id: MessageId(self.last_id), diagnostic, message: said });
        let beyond = self.entries.len().saturating_sub(MAX_MESSAGES);
        self.entries.drain(..beyond);
    }

    /// Says that something was left out.
    pub fn push_warning(&mut self, message: impl Into<crate::diagnostics::MessageText>) {
        self.push_diagnostic(Diagnostic::warning(Location::default(), message));
    }

    /// All of them, oldest first.
    pub fn entries(&self) -> &[MessageEntry] {
        &self.entries
    }

    /// Forgets one.
    pub fn dismiss(&mut self, id: MessageId) {
        self.entries.retain(|m| m.id != id);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// What was reported already, so that it is reported once.
#[derive(Debug, Default)]
pub(super) struct ReportedIssues {
    /// Systems whose chains were reported.
    out_of_bounds_systems: BTreeSet<u32>,
    work: Vec<Workload>,
    /// The last message about strayed chains of each system, and about its work (`true`): a later one replaces it.
    messages: BTreeMap<(u32, bool), MessageId>,
}

/// The number that most probably made a chain leave its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuspectParam {
    /// Label of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub value: f32,
    /// The range that it leaves: the declared one, or the slider's where the declared one holds the value.
    pub range: (f32, f32),
    /// Whether the range is the declared one; a slider's range is only usual.
    pub is_declared_range: bool,
}

/// A count that is reduced: the parameter's label, how many it asks for in a step, and how many are done.
pub type ReducedCount = (&'static str, u32, u32);

impl Session {
    /// Says which joints left their bounds since the numbers changed, and why.
    pub(super) fn report_out_of_bounds(&mut self) {
        let strays = self.playback.world().out_of_bounds_joints();
        // More chains of a system may follow those that were reported.
        let Some(first) =
            strays.iter().copied().find(|joint| !self.reported_issues.out_of_bounds_systems.contains(&joint.system))
        else {
            return;
        };
        self.reported_issues.out_of_bounds_systems.insert(first.system);
        let more = strays.iter().filter(|joint| joint.system == first.system).count() - 1;
        let Some(bone) = self.playback.world().joint_bone(first) else { return };
        let suspect = self.find_suspect_param(first);
        let joint = self.inspection().bone_name(bone).to_owned();
        self.replace_message((first.system, false), Message::ChainOutOfBounds { joint, more, suspect });
    }

    /// Replaces the last message about the same: a drag changes a number in every frame.
    fn replace_message(&mut self, about: (u32, bool), said: Message) {
        if let Some(earlier) = self.reported_issues.messages.remove(&about) {
            self.messages.dismiss(earlier);
        }
        self.messages.push_message(said);
        self.reported_issues.messages.extend(self.messages.entries().last().map(|message| (about, message.id)));
    }

    /// Says which parameters ask for more work than a step may do.
    pub(super) fn report_reduced_work(&mut self) {
        let dt = self.playback.tick_seconds_f32();
        let work: Vec<Workload> = self.playback.world().work(dt).map(|work| Workload { visits: 0, ..work }).collect();
        if work == self.reported_issues.work {
            return;
        }
        for (at, work) in work.iter().enumerate() {
            let Some(solver) = self.resolved.systems.get(at).map(|setup| setup.solver) else { continue };
            let table = solver.info().params;
            let cut = |cut: &crate::sim::CountReduction| (table[cut.param.index()].label, cut.requested, cut.performed);
            let cuts: Vec<ReducedCount> = work.reductions.iter().flatten().map(cut).collect();
            if !cuts.is_empty() {
                self.replace_message(
                    (at as u32, true),
                    Message::WorkReduced { solver: solver.key(), reductions: cuts },
                );
            }
        }
        self.reported_issues.work = work;
    }

    /// Allows strayed chains to be reported again after parameters changed.
    pub(super) fn clear_out_of_bounds_reports(&mut self) {
        self.reported_issues.out_of_bounds_systems.clear();
    }

    /// Of all numbers that act on a joint, the one that is farthest out of its range, or of the slider's where all are in
    /// range.
    fn find_suspect_param(&self, joint: JointIndex) -> Option<SuspectParam> {
        let setup = self.resolved.systems.get(joint.system as usize)?;
        let farthest = |range: fn(&ParamDef) -> (f32, f32), declared: bool| {
            let beyond = joint_params(setup, joint.joint as usize).filter_map(move |(def, value)| {
                let range = range(def);
                let beyond = (range.0 - value).max(value - range.1);
                let span = (def.soft_range.1 - def.soft_range.0).max(f32::MIN_POSITIVE);
                (beyond > 0.0).then_some((
                    beyond / span,
                    SuspectParam { parameter: def.label, value, range, is_declared_range: declared },
                ))
            });
            beyond.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suspect)| suspect)
        };
        farthest(|def| def.range, true).or_else(|| farthest(|def| def.soft_range, false))
    }
}

/// All numbers that act on a joint: its own, its system's, and those of shapes and forces.
fn joint_params(setup: &SystemSetup, joint: usize) -> impl Iterator<Item = (&'static ParamDef, f32)> {
    let table = enumerate_params(setup.solver.info().params);
    let own = table.filter_map(move |(row, def)| {
        let values = if def.scope == ParamScope::Joint { &setup.joints.get(joint)?.values } else { &setup.values };
        Some((def, values.get(row)))
    });
    let shapes = setup.colliders.iter().map(|collider| collider.shape);
    let shapes = shapes.flat_map(|s| s.fields().iter().enumerate().map(move |(at, def)| (def, s.field(at))));
    let forces = setup.forces.iter().map(|force| force.kind);
    let forces = forces.flat_map(|f| f.fields().iter().enumerate().map(move |(at, def)| (def, f.field(at))));
    own.chain(shapes).chain(forces)
}

/// The ends of a range, `None` where it is open.
pub fn finite_range_ends((low, high): (f32, f32)) -> [Option<f32>; 2] {
    [(low > f32::MIN).then_some(low), (high < f32::MAX).then_some(high)]
}
