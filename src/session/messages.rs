//! Messages of the session. Some messages report problems of the simulation: chains out of bounds, and reduced work.

use super::Session;
use crate::diagnostics::{Diagnostic, Location, MessageText, Severity, excerpt, join_first_names, message};
use crate::document::{EditError, EditLabel};
use crate::params::{ParamDef, ParamScope, enumerate_params};
use crate::sim::{JointIndex, SystemSetup, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    EditRefused(EditError),
    /// Values per joint became a base value and a curve.
    CurveFitted {
        parameter: &'static str,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// Chains no longer share their material, because their values changed.
    DetachedFromMaterial {
        material: String,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// No bone name matches this pattern.
    NoMatchingBone(String),
    /// This bone cannot start a chain.
    CannotStartChain(String),
    /// These bones are missing in this version of the character; their setup is kept.
    MissingBones(Vec<String>),
    /// The base motion of this gesture is missing, so it plays on the rest pose.
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
    /// A chain moved too far from its head, or met NaN, and returns to its rest pose in every step.
    ChainOutOfBounds {
        /// The first joint.
        joint: String,
        /// Number of further chains.
        more: usize,
        /// The parameter that is probably the cause.
        suspect: Option<SuspectParam>,
    },
    /// Parameters request more work than one step may do.
    WorkReduced {
        solver: &'static str,
        reductions: Vec<ReducedCount>,
    },
    MotionLoaded {
        file: String,
        /// Number of animated bones that move the character.
        matched: usize,
        /// The animated bones that move nothing.
        unmatched: Vec<String>,
    },
    /// The character has no animated bone of a motion.
    NoMotionBoneFound {
        file: String,
        /// Its animated bones.
        bones: Vec<String>,
    },
    /// A motion needs a character, and the open file has no bones.
    NoCharacterForMotion(String),
    /// A tool finished.
    Done(EditLabel),
    /// A tool changed nothing.
    NothingToDo(EditLabel),
}

impl Message {
    pub const fn severity(&self) -> Severity {
        match self {
            Self::CurveFitted { .. }
            | Self::DetachedFromMaterial { .. }
            | Self::NoMatchingBone(_)
            | Self::MotionLoaded { .. }
            | Self::Done(_)
            | Self::NothingToDo(_) => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// The sentence of the message.
    pub fn text(&self) -> MessageText {
        /// The first of several names, and the number of the others.
        fn first(name: &str, more: usize) -> MessageText {
            let name = excerpt(name);
            if more == 0 { name.into() } else { message!("{name} and {more} more", name, more) }
        }
        match self {
            Self::EditRefused(err) => err.to_string().into(),
            Self::CurveFitted { parameter, chain, more } => message!(
                "{parameter} of {chains} had a value per joint: it is now a base value and a curve with one key per joint",
                parameter = *parameter,
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
            Self::WorkReduced { solver, reductions } => {
                let counts = reductions.iter().map(|(parameter, requested, performed)| {
                    message!(
                        "{parameter} asks for {requested}, {performed} are done",
                        parameter = *parameter,
                        requested = *requested,
                        performed = *performed
                    )
                });
                let counts = counts.reduce(|first, next| message!("{first}, {next}", first, next));
                message!(
                    "{solver} asks for too much work in one step: {counts}. The values are kept",
                    solver = *solver,
                    counts = counts.unwrap_or_else(|| MessageText::from(""))
                )
            }
            Self::Done(label) => message!("done: {step} ({count})", step = label.key, count = label.count),
            Self::NothingToDo(_) => message!("nothing had to be changed"),
            Self::NoMatchingBone(pattern) => {
                message!("no bone is named like \"{pattern}\"", pattern = excerpt(pattern))
            }
            Self::CannotStartChain(bone) => {
                message!("{bone} cannot start a chain: it is excluded or already in one", bone = excerpt(bone))
            }
            Self::GestureWithoutBaseMotion { gesture, base_motion } => message!(
                "{gesture} was recorded on {motion}, which is missing: it plays on the rest pose",
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
                message!("{text}; not found: {bones}", text, bones = join_first_names(unmatched, ", "))
            }
            Self::NoMotionBoneFound { file, bones } => message!(
                "{file}: none of its animated bones is on this character ({bones}); nothing has changed",
                file = excerpt(file),
                bones = join_first_names(bones, ", ")
            ),
            Self::NoCharacterForMotion(file) => {
                message!("{file} is a motion: open a character first, then load the motion", file = excerpt(file))
            }
            Self::MissingBones(bones) => {
                let bones = bones.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(", ");
                message!("these bones are missing: {bones}", bones)
            }
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// A message, kept until the user clears it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageEntry {
    /// Increases with every message.
    pub id: MessageId,
    /// The message with severity and location.
    pub diagnostic: Diagnostic,
    /// The message as a value, if the session created it.
    pub message: Option<Message>,
}

/// Older messages are removed.
const MAX_MESSAGES: usize = 1000;

/// The messages since the window opened, oldest first.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    entries: Vec<MessageEntry>,
    last_id: u64,
}

impl MessageLog {
    /// Adds a diagnostic; repeated warnings and errors are added once.
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
            return;
        }
        self.last_id += 1;
        self.entries.push(MessageEntry { id: MessageId(self.last_id), diagnostic, message });
        self.entries.drain(..self.entries.len().saturating_sub(MAX_MESSAGES));
    }

    /// Oldest first.
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

/// The issues that were reported already.
#[derive(Debug, Default)]
pub(super) struct ReportedIssues {
    /// Systems with reported chains.
    out_of_bounds_systems: BTreeSet<u32>,
    work: Vec<Workload>,
    /// The last message of each system about chains out of bounds, and about work (`true`). A later message replaces
    /// the earlier message.
    messages: BTreeMap<(u32, bool), MessageId>,
}

/// The parameter that most probably made a chain leave its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuspectParam {
    pub parameter: &'static str,
    pub value: f32,
    /// The exceeded range: the declared range if there is one, else the range of the slider.
    pub range: (f32, f32),
    /// Whether `range` is the declared range.
    pub is_declared_range: bool,
}

impl SuspectParam {
    fn text(&self) -> MessageText {
        let Self { parameter, value, range, is_declared_range } = *self;
        let range = match (finite_range_ends(range), is_declared_range) {
            ([Some(low), Some(high)], true) => message!(", expected {low} to {high}", low, high),
            ([Some(low), Some(high)], false) => message!(", usually {low} to {high}", low, high),
            ([Some(low), None], true) => message!(", expected at least {low}", low),
            ([Some(low), None], false) => message!(", usually at least {low}", low),
            ([None, Some(high)], true) => message!(", expected at most {high}", high),
            ([None, Some(high)], false) => message!(", usually at most {high}", high),
            ([None, None], _) => MessageText::from(""),
        };
        message!("; probably because of {parameter} {value}{range}", parameter, value, range)
    }
}

/// A reduced count: label of the parameter, requested and performed number per step.
pub type ReducedCount = (&'static str, u32, u32);

impl Session {
    /// Reports chains that left their bounds since the parameters changed, with the probable cause.
    pub(super) fn report_out_of_bounds(&mut self) {
        let joints = self.playback.world().out_of_bounds_joints();
        // More chains of a reported system may follow.
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
        self.replace_message((first.system, false), Message::ChainOutOfBounds { joint, more, suspect });
    }

    /// Replaces the last message about the same issue: a drag changes a value in every frame.
    fn replace_message(&mut self, about: (u32, bool), message: Message) {
        if let Some(earlier) = self.reported_issues.messages.remove(&about) {
            self.messages.dismiss(earlier);
        }
        self.messages.push_message(message);
        self.reported_issues.messages.extend(self.messages.entries().last().map(|message| (about, message.id)));
    }

    /// Reports parameters that request more work than a step may do.
    pub(super) fn report_reduced_work(&mut self) {
        let dt = self.playback.tick_seconds() as f32;
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

    /// Allows new reports after parameters changed.
    pub(super) fn clear_out_of_bounds_reports(&mut self) {
        self.reported_issues.out_of_bounds_systems.clear();
    }

    /// The parameter of a joint that exceeds its declared range most, else its slider range.
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

/// All values that act on a joint: the values of the joint, its system, the shapes and the forces.
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

/// The ends of a range; `None` for an open end.
pub fn finite_range_ends((low, high): (f32, f32)) -> [Option<f32>; 2] {
    [(low > f32::MIN).then_some(low), (high < f32::MAX).then_some(high)]
}
