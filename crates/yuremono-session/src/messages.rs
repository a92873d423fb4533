//! Messages of the session, including reports about the simulation: chains out of bounds, and reduced work.

use super::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use yuremono_model::document::EditError;
use yuremono_model::exchange::ImportSummary;
use yuremono_sim::diagnostics::{
    Diagnostic, Location, MessageText, Severity, excerpt, join_first_names, join_texts, message,
};
use yuremono_sim::params::{ParamDef, ParamScope, enumerate_params};
use yuremono_sim::{JointIndex, SystemSetup, Workload};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    EditRefused(EditError),
    /// A base value and a curve replaced the values of single joints.
    CurveFitted {
        parameter: &'static str,
        /// Name of the first affected chain.
        chain: String,
        /// Number of other affected chains.
        more: usize,
    },
    /// Chains no longer share their material, because their values changed.
    DetachedFromMaterial {
        material: String,
        /// Name of the first affected chain.
        chain: String,
        /// Number of other affected chains.
        more: usize,
    },
    /// No bone name matches this pattern.
    NoMatchingBone(String),
    /// This bone cannot start a chain.
    CannotStartChain(String),
    /// This version of the character lacks these bones; their setup is kept.
    MissingBones(Vec<String>),
    /// The base motion of this gesture is missing, so the gesture plays on the relaxed pose.
    GestureWithoutBaseMotion {
        gesture: String,
        base_motion: String,
    },
    /// A value of the window settings cannot be used and was reset.
    SettingsReset {
        file: String,
        /// The key and the invalid value, for example `egui: zoom_factor 1e30`.
        reason: String,
        /// Whether a copy of the file was made.
        backed_up: bool,
    },
    /// A chain moved too far from its head, or met NaN, and is reset to its rest pose in every step.
    ChainOutOfBounds {
        /// Name of the first affected joint.
        joint: String,
        /// Number of other affected chains.
        more: usize,
        /// The parameter that is probably the cause.
        suspect: Option<SuspectParam>,
    },
    /// A chain flipped from step to step, and is held in its rest pose until the setup changes.
    ChainHeld {
        /// Name of the joint that flipped.
        joint: String,
        /// Number of other held chains.
        more: usize,
        /// The parameter that is probably the cause.
        suspect: Option<SuspectParam>,
    },
    /// Parameters request more work than a step is allowed to do.
    WorkReduced {
        solver: &'static str,
        reductions: Vec<ReducedCount>,
    },
    MotionLoaded {
        file: String,
        /// Number of animated bones that the character has.
        matched: usize,
        /// The animated bones that the character lacks.
        unmatched: Vec<String>,
    },
    /// A setup file was imported.
    Imported {
        file: String,
        summary: ImportSummary,
    },
    /// The character has none of the bones that a motion animates.
    NoMotionBoneFound {
        file: String,
        /// The bones that the motion animates.
        bones: Vec<String>,
    },
    /// A motion needs a character, but the open file has no bones.
    NoCharacterForMotion(String),
    /// A tool finished.
    Done(MessageText),
    /// A tool changed nothing.
    NothingToDo,
}

impl Message {
    pub const fn severity(&self) -> Severity {
        match self {
            Self::CurveFitted { .. }
            | Self::DetachedFromMaterial { .. }
            | Self::NoMatchingBone(_)
            | Self::MotionLoaded { .. }
            | Self::Done(_)
            | Self::NothingToDo => Severity::Info,
            Self::Imported { summary, .. } if summary.not_found.is_empty() => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// Returns the sentence of the message.
    pub fn text(&self) -> MessageText {
        /// Returns the first of several names, with the number of the other names.
        fn first(name: &str, more: usize) -> MessageText {
            let name = excerpt(name);
            if more == 0 { name.into() } else { message!("{name} and {more} more{:chains}", name, more) }
        }
        match self {
            Self::EditRefused(err) => err.message(),
            Self::CurveFitted { parameter, chain, more } => message!(
                "{parameter} of {chains} had a value per joint: it is now a base value and a curve with one key per joint",
                parameter = MessageText::without_args(parameter),
                chains = first(chain, *more)
            ),
            Self::DetachedFromMaterial { material, chain, more } => message!(
                "{chains} no longer shares the material {material}: its values are its own now",
                chains = first(chain, *more),
                material
            ),
            Self::ChainOutOfBounds { joint, more, suspect } => message!(
                "{joints} moved too far from the chain's head and returned to the rest pose{cause}. The value is kept",
                joints = first(joint, *more),
                cause = suspect.as_ref().map_or_else(|| MessageText::from(""), SuspectParam::text)
            ),
            Self::ChainHeld { joint, more, suspect } => message!(
                "{joints} flipped in every step and is held in the rest pose until a value changes{cause}",
                joints = first(joint, *more),
                cause = suspect.as_ref().map_or_else(|| MessageText::from(""), SuspectParam::text)
            ),
            Self::WorkReduced { solver, reductions } => {
                let counts = reductions.iter().map(|(parameter, requested, performed)| {
                    message!(
                        "{parameter} asks for {requested}, {performed} are done",
                        parameter = MessageText::without_args(parameter),
                        requested = *requested,
                        performed = *performed
                    )
                });
                message!(
                    "{solver} asks for too much work in one step: {counts}. The values are kept",
                    solver = *solver,
                    counts = join_texts(counts)
                )
            }
            Self::Done(text) => text.clone(),
            Self::NothingToDo => message!("nothing had to be changed"),
            Self::NoMatchingBone(pattern) => {
                message!("no bone is named like \"{pattern}\"", pattern = excerpt(pattern))
            }
            Self::CannotStartChain(bone) => {
                message!("{bone} cannot start a chain: it is excluded or already in one", bone = excerpt(bone))
            }
            Self::GestureWithoutBaseMotion { gesture, base_motion } => message!(
                "{gesture} was recorded on {motion}, which is missing: it plays on the relaxed pose",
                gesture = excerpt(gesture),
                motion = excerpt(base_motion)
            ),
            Self::SettingsReset { file, reason, backed_up: false } => {
                message!("{file}: the settings cannot be used ({reason}); defaults are used instead", file, reason)
            }
            Self::SettingsReset { file, reason, backed_up: true } => message!(
                "{file}: the settings cannot be used ({reason}); defaults are used instead, and a copy of the file is kept \
                 as app.unusable.ron",
                file,
                reason
            ),
            Self::MotionLoaded { file, matched, unmatched } => {
                let text = message!(
                    "{file}: {matched} of {all} animated bones move the character",
                    file = excerpt(file),
                    matched = *matched,
                    all = matched + unmatched.len()
                );
                if unmatched.is_empty() {
                    return text;
                }
                message!("{text}; not found: {bones}", text, bones = join_first_names(unmatched))
            }
            Self::Imported { file, summary } => import_text(file, summary),
            Self::NoMotionBoneFound { file, bones } => message!(
                "{file}: none of its animated bones is on this character ({bones}); nothing has changed",
                file = excerpt(file),
                bones = join_first_names(bones)
            ),
            Self::NoCharacterForMotion(file) => {
                message!("{file} is a motion: open a character first, then load the motion", file = excerpt(file))
            }
            Self::MissingBones(bones) => {
                let bones = join_texts(bones.iter().map(|name| excerpt(name).into()));
                message!("these bones are missing: {bones}", bones)
            }
        }
    }
}

/// The sentence about an imported setup file.
fn import_text(file: &str, summary: &ImportSummary) -> MessageText {
    let ImportSummary { changed, same, kept, skipped, not_found } = summary;
    let text = message!(
        "{file}: of {all} rows, {changed} changed the character, {same} changed nothing, {kept} were kept for the next \
         export, {skipped} were skipped",
        file = excerpt(file),
        all = changed + same + kept + skipped,
        changed = *changed,
        same = *same,
        kept = *kept,
        skipped = *skipped
    );
    if not_found.is_empty() {
        return text;
    }
    message!("{text}; names that were not found: {names}", text, names = join_first_names(not_found))
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// A message that is kept until the user dismisses it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageEntry {
    /// Increases with every message.
    pub id: MessageId,
    /// The message as a diagnostic, with severity and location.
    pub diagnostic: Diagnostic,
    /// The message as a value; `None` if the session did not create the message.
    pub message: Option<Message>,
}

/// Maximum number of messages; the oldest messages are removed first.
const MAX_MESSAGES: usize = 1000;

/// The messages since the window was opened, oldest first.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    entries: Vec<MessageEntry>,
    last_id: u64,
}

impl MessageLog {
    /// Adds a diagnostic. A warning or error that is equal to the last message replaces it, and counts as new.
    pub fn push_diagnostic(&mut self, diagnostic: Diagnostic) {
        self.push_entry(diagnostic, None);
    }

    /// Adds a message of the session.
    pub fn push_message(&mut self, message: Message) {
        let diagnostic = Diagnostic::new(message.severity(), Location::default(), message.text());
        self.push_entry(diagnostic, Some(message));
    }

    fn push_entry(&mut self, diagnostic: Diagnostic, message: Option<Message>) {
        if diagnostic.severity > Severity::Info && self.entries.last().is_some_and(|m| m.diagnostic == diagnostic) {
            self.entries.pop();
        }
        self.last_id += 1;
        self.entries.push(MessageEntry { id: MessageId(self.last_id), diagnostic, message });
        self.entries.drain(..self.entries.len().saturating_sub(MAX_MESSAGES));
    }

    /// Returns the messages, oldest first.
    pub fn entries(&self) -> &[MessageEntry] {
        &self.entries
    }

    pub fn dismiss(&mut self, id: MessageId) {
        self.entries.retain(|m| m.id != id);
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// A kind of issue that a system can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum IssueKind {
    /// A chain is out of bounds or held.
    OutOfBounds,
    /// A step performs less work than requested.
    ReducedWork,
}

/// An issue of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SystemIssue {
    /// Index of the system.
    system: u32,
    kind: IssueKind,
}

/// Issues that were already reported.
#[derive(Debug, Default)]
pub(super) struct ReportedIssues {
    /// Systems whose out-of-bounds chains were reported.
    out_of_bounds_systems: BTreeSet<u32>,
    work: Vec<Workload>,
    /// The last message about each issue. A later message replaces the earlier message.
    messages: BTreeMap<SystemIssue, MessageId>,
}

/// The parameter that most likely made a chain leave its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuspectParam {
    pub parameter: &'static str,
    pub value: f32,
    /// The range that the value exceeds: the declared range if there is one, else the slider range.
    pub range: (f32, f32),
    /// Whether `range` is the declared range.
    pub is_declared_range: bool,
}

impl SuspectParam {
    fn text(&self) -> MessageText {
        let Self { parameter, value, range, is_declared_range } = *self;
        let range = match (finite_range_ends(range.0, range.1), is_declared_range) {
            ([Some(low), Some(high)], true) => message!(", expected {low} to {high}", low, high),
            ([Some(low), Some(high)], false) => message!(", usually {low} to {high}", low, high),
            ([Some(low), None], true) => message!(", expected at least {low}", low),
            ([Some(low), None], false) => message!(", usually at least {low}", low),
            ([None, Some(high)], true) => message!(", expected at most {high}", high),
            ([None, Some(high)], false) => message!(", usually at most {high}", high),
            ([None, None], _) => MessageText::from(""),
        };
        let parameter = MessageText::without_args(parameter);
        message!("; probably because of {parameter} {value}{range}", parameter, value, range)
    }
}

/// A reduced count: parameter label, requested count per step, and performed count per step.
pub type ReducedCount = (&'static str, u32, u32);

impl Session {
    /// Reports chains that have left their bounds since the parameters changed, with the probable cause.
    pub(super) fn report_out_of_bounds(&mut self) {
        self.report_held_chains();
        let joints = self.playback.world().out_of_bounds_joints();
        // Each system is reported once, although more of its chains may leave their bounds later.
        let Some(first) =
            joints.iter().copied().find(|joint| !self.reported_issues.out_of_bounds_systems.contains(&joint.system))
        else {
            return;
        };
        self.reported_issues.out_of_bounds_systems.insert(first.system);
        let more = joints.iter().filter(|joint| joint.system == first.system).count() - 1;
        let Some(bone) = self.playback.world().joint_bone(first) else { return };
        let suspect = self.find_suspect_param(first);
        let joint = self.inspection().bone_name(bone).to_owned();
        let issue = SystemIssue { system: first.system, kind: IssueKind::OutOfBounds };
        self.replace_message(issue, Message::ChainOutOfBounds { joint, more, suspect });
    }

    /// Reports chains that are held since the last report.
    fn report_held_chains(&mut self) {
        let Some((bone, more)) = self.playback.take_new_runaway() else { return };
        let Some(index) = self.playback.joint_index(bone) else { return };
        let suspect = self.find_suspect_param(index);
        let joint = self.inspection().bone_name(bone).to_owned();
        let issue = SystemIssue { system: index.system, kind: IssueKind::OutOfBounds };
        self.replace_message(issue, Message::ChainHeld { joint, more, suspect });
    }

    /// Replaces the last message about the same issue, because a drag changes a value in every frame.
    fn replace_message(&mut self, issue: SystemIssue, message: Message) {
        if let Some(earlier) = self.reported_issues.messages.remove(&issue) {
            self.messages.dismiss(earlier);
        }
        self.messages.push_message(message);
        self.reported_issues.messages.extend(self.messages.entries().last().map(|message| (issue, message.id)));
    }

    /// Reports parameters that request more work than a step is allowed to do.
    pub(super) fn report_reduced_work(&mut self) {
        let dt = self.playback.tick_seconds() as f32;
        let work: Vec<Workload> =
            self.playback.world().workloads(dt).map(|work| Workload { visits: 0, ..work }).collect();
        if work == self.reported_issues.work {
            return;
        }
        for (at, work) in work.iter().enumerate() {
            let Some(solver) = self.resolved.systems.get(at).map(|setup| setup.solver) else { continue };
            let table = solver.info().params;
            let cut =
                |cut: &yuremono_sim::CountReduction| (table[cut.param.index()].label, cut.requested, cut.performed);
            let cuts: Vec<ReducedCount> = work.reductions.iter().flatten().map(cut).collect();
            if !cuts.is_empty() {
                let issue = SystemIssue { system: at as u32, kind: IssueKind::ReducedWork };
                self.replace_message(issue, Message::WorkReduced { solver: solver.key(), reductions: cuts });
            }
        }
        self.reported_issues.work = work;
    }

    /// Allows new reports after a change of parameters.
    pub(super) fn clear_out_of_bounds_reports(&mut self) {
        self.reported_issues.out_of_bounds_systems.clear();
    }

    /// Returns the parameter of a joint that exceeds its declared range most; if none does, the parameter that exceeds
    /// its slider range most.
    fn find_suspect_param(&self, joint: JointIndex) -> Option<SuspectParam> {
        let setup = self.resolved.systems.get(joint.system as usize)?;
        let farthest = |range: fn(&ParamDef) -> (f32, f32), declared: bool| {
            let exceeded = joint_params(setup, joint.joint as usize).filter_map(move |(def, value)| {
                let range = range(def);
                let excess = (range.0 - value).max(value - range.1);
                let span = (def.soft_range.1 - def.soft_range.0).max(f32::MIN_POSITIVE);
                (excess > 0.0).then_some((
                    excess / span,
                    SuspectParam { parameter: def.label, value, range, is_declared_range: declared },
                ))
            });
            exceeded.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suspect)| suspect)
        };
        farthest(|def| def.range, true).or_else(|| farthest(|def| def.soft_range, false))
    }
}

/// Iterates over all values that affect a joint: those of the joint, its system, the collider shapes and the forces.
fn joint_params(setup: &SystemSetup, joint: usize) -> impl Iterator<Item = (&'static ParamDef, f32)> {
    let table = enumerate_params(setup.solver.info().params);
    let own = table.filter_map(move |(param, def)| {
        let values = if def.scope == ParamScope::Joint { &setup.joints.get(joint)?.values } else { &setup.values };
        Some((def, values.get(param)))
    });
    let shapes = setup.colliders.iter().map(|collider| collider.shape);
    let shapes = shapes.flat_map(|s| s.fields().iter().enumerate().map(move |(at, def)| (def, s.field(at))));
    let forces = setup.forces.iter().map(|force| force.kind);
    let forces = forces.flat_map(|f| f.fields().iter().enumerate().map(move |(at, def)| (def, f.field(at))));
    own.chain(shapes).chain(forces)
}

/// Returns the ends of a range; `None` for an unbounded end.
pub fn finite_range_ends(low: f32, high: f32) -> [Option<f32>; 2] {
    [(low > f32::MIN).then_some(low), (high < f32::MAX).then_some(high)]
}
