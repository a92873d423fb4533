//! What the session reports, among it values that the simulation cannot follow: chains that left their bounds, and work
//! that is cut.

use super::Session;
use crate::document::{EditError, Label};
use crate::report::{Diagnostic, Place, Severity, clip, few};
use crate::schema::{ParamDef, Scope, rows};
use crate::sim::{JointIndex, SystemSetup, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Names a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u64);

/// What the session itself says; [`fmt::Display`] has the English words.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// An edit was refused.
    Refused(EditError),
    /// Values per joint became a base value and a curve.
    Fitted {
        /// The parameter's label.
        parameter: &'static str,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// Chains have other numbers than their material by what was done, and share it no more.
    LeftMaterial {
        /// Its name.
        material: String,
        /// The first such chain.
        chain: String,
        /// How many more.
        more: usize,
    },
    /// No bone's name fits this pattern.
    NoBoneLike(String),
    /// This bone cannot begin a chain.
    NoChainFrom(String),
    /// These bones are not on this version of the character; what is authored on them waits.
    Lost(Vec<String>),
    /// What this gesture was recorded over is not here, so it plays over the rest pose.
    GestureAlone {
        /// Name of the gesture.
        gesture: String,
        /// Name of what is missing.
        over: String,
    },
    /// A value of the window's settings cannot be used; its default is.
    SettingsReset {
        /// The file.
        file: String,
        /// The key and what is wrong, for example `egui: zoom_factor 1e30`.
        why: String,
        /// Whether a copy of the file was made.
        kept: bool,
    },
    /// A chain moved too far from its head, or met NaN, and returns to its rest pose in every step.
    Strayed {
        /// The first joint.
        joint: String,
        /// How many more chains.
        more: usize,
        /// The number that is probably the cause.
        suspect: Option<Suspect>,
    },
    /// Parameters ask for more work than one step may do.
    WorkCut {
        /// Key of the solver.
        solver: &'static str,
        /// What is reduced.
        cuts: Vec<CutCount>,
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
    MotionFitsNothing {
        /// Name of the file.
        file: String,
        /// Its animated bones.
        bones: Vec<String>,
    },
    /// A motion needs a character, and the open file has no bones.
    NoCharacterForMotion(String),
    /// A tool did its work at once.
    Done(Label),
    /// A tool found everything as it would have made it.
    NothingToDo(Label),
}

impl Said {
    /// How bad it is.
    pub const fn severity(&self) -> Severity {
        match self {
            Self::Refused(_)
            | Self::NoChainFrom(_)
            | Self::Lost(_)
            | Self::GestureAlone { .. }
            | Self::SettingsReset { .. }
            | Self::Strayed { .. }
            | Self::WorkCut { .. }
            | Self::MotionFitsNothing { .. }
            | Self::NoCharacterForMotion(_) => Severity::Warning,
            Self::Fitted { .. }
            | Self::LeftMaterial { .. }
            | Self::NoBoneLike(_)
            | Self::MotionLoaded { .. }
            | Self::Done(_)
            | Self::NothingToDo(_) => Severity::Info,
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(err) => err.fmt(f),
            Self::Fitted { parameter, chain, more } => {
                write!(f, "{parameter} of {chain}")?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str(" had a value per joint: it is now a base value and a curve with one key per joint")
            }
            Self::LeftMaterial { material, chain, more } => {
                write!(f, "{chain}")?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                write!(f, " no longer shares the material {material}: its numbers are its own now")
            }
            Self::Strayed { joint, more, suspect } => {
                write!(f, "{}", clip(joint))?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str(" moved too far from the chain's head and returned to the rest pose")?;
                if let Some(Suspect { parameter, value, range, declared }) = suspect {
                    let word = if *declared { "expected" } else { "usually" };
                    write!(f, "; probably because of {parameter} {value}")?;
                    match range_ends(*range) {
                        [Some(low), Some(high)] => write!(f, ", {word} {low} to {high}")?,
                        [Some(low), None] => write!(f, ", {word} at least {low}")?,
                        [None, Some(high)] => write!(f, ", {word} at most {high}")?,
                        [None, None] => {}
                    }
                }
                f.write_str(". The value is kept")
            }
            Self::WorkCut { solver, cuts } => {
                write!(f, "{solver} asks for too much work in one step: ")?;
                for (at, (parameter, asked, done)) in cuts.iter().enumerate() {
                    let gap = if at > 0 { ", " } else { "" };
                    write!(f, "{gap}{parameter} asks for {asked}, {done} are done")?;
                }
                f.write_str(". The values are kept")
            }
            Self::Done(label) => write!(f, "done: {} ({})", label.what, label.count),
            Self::NothingToDo(_) => f.write_str("nothing had to be changed"),
            Self::NoBoneLike(pattern) => write!(f, "no bone is named like \"{}\"", clip(pattern)),
            Self::NoChainFrom(bone) => {
                write!(f, "{} cannot begin a chain: it is excluded or already in one", clip(bone))
            }
            Self::GestureAlone { gesture, over } => {
                let (gesture, over) = (clip(gesture), clip(over));
                write!(f, "{gesture} was recorded over {over}, which is not here: it plays over the rest pose")
            }
            Self::SettingsReset { file, why, kept } => {
                write!(f, "{file}: the settings cannot be used ({why}); defaults are used instead")?;
                f.write_str(if *kept { ", and a copy of the file is kept as app.unusable.ron" } else { "" })
            }
            Self::MotionLoaded { file, matched, unmatched } => {
                let (file, all) = (clip(file), matched + unmatched.len());
                write!(f, "{file}: {matched} of {all} animated bones move the character")?;
                if unmatched.is_empty() { Ok(()) } else { write!(f, "; not found: {}", few(unmatched, ", ")) }
            }
            Self::MotionFitsNothing { file, bones } => write!(
                f,
                "{}: none of its animated bones is on this character ({}); nothing has changed",
                clip(file),
                few(bones, ", ")
            ),
            Self::NoCharacterForMotion(file) => {
                write!(f, "{} is a motion: open a character first, then load the motion", clip(file))
            }
            Self::Lost(bones) => {
                let names: Vec<_> = bones.iter().map(|name| clip(name)).collect();
                write!(f, "these bones are gone: {}", names.join(", "))
            }
        }
    }
}

/// One thing that was said, kept until the artist clears it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Grows with every message.
    pub id: MessageId,
    /// What and how bad, in English.
    pub diagnostic: Diagnostic,
    /// The same as a value, where the session said it, for faces that speak other languages.
    pub said: Option<Said>,
}

/// More messages are not kept; the oldest go first.
const MOST_MESSAGES: usize = 1000;

/// What was said since the window opened, oldest first, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    list: Vec<Message>,
    next: u64,
}

impl Messages {
    /// Says something; the same thing twice running is said once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.add(diagnostic, None);
    }

    /// Says something of the session's own.
    pub fn say(&mut self, said: Said) {
        let diagnostic = Diagnostic::new(said.severity(), Place::default(), said.to_string());
        self.add(diagnostic, Some(said));
    }

    fn add(&mut self, diagnostic: Diagnostic, said: Option<Said>) {
        if diagnostic.severity > Severity::Info && self.list.last().is_some_and(|m| m.diagnostic == diagnostic) {
            return;
        }
        self.next += 1;
        self.list.push(Message { id: MessageId(self.next), diagnostic, said });
        let beyond = self.list.len().saturating_sub(MOST_MESSAGES);
        self.list.drain(..beyond);
    }

    /// Says that something was left out.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.push(Diagnostic::warning(Place::default(), message));
    }

    /// All of them, oldest first.
    pub fn list(&self) -> &[Message] {
        &self.list
    }

    /// Forgets one.
    pub fn dismiss(&mut self, id: MessageId) {
        self.list.retain(|m| m.id != id);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
    }
}

/// What was reported already, so that it is reported once.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// Systems whose chains were reported.
    strays: BTreeSet<u32>,
    work: Vec<Work>,
    /// The last message about strayed chains of each system, and about its work (`true`): a later one replaces it.
    messages: BTreeMap<(u32, bool), MessageId>,
}

/// The number that most probably made a chain leave its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    /// Label of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub value: f32,
    /// The range that it leaves: the declared one, or the slider's where the declared one holds the value.
    pub range: (f32, f32),
    /// Whether the range is the declared one; a slider's range is only usual.
    pub declared: bool,
}

/// A count that is reduced: the parameter's label, how many it asks for in a step, and how many are done.
pub type CutCount = (&'static str, u32, u32);

impl Session {
    /// Says which joints left their bounds since the numbers changed, and why.
    pub(super) fn tell_strays(&mut self) {
        let strays = self.playback.world().strays();
        // More chains of a system may follow those that were reported.
        let Some(first) = strays.iter().copied().find(|joint| !self.reported.strays.contains(&joint.system)) else {
            return;
        };
        self.reported.strays.insert(first.system);
        let more = strays.iter().filter(|joint| joint.system == first.system).count() - 1;
        let Some(bone) = self.playback.world().joint_bone(first) else { return };
        let suspect = self.suspect(first);
        let joint = self.inspection().bone_name(bone).to_owned();
        self.say_of_bounds((first.system, false), Said::Strayed { joint, more, suspect });
    }

    /// Replaces the last message about the same: a drag changes a number in every frame.
    fn say_of_bounds(&mut self, about: (u32, bool), said: Said) {
        if let Some(earlier) = self.reported.messages.remove(&about) {
            self.messages.dismiss(earlier);
        }
        self.messages.say(said);
        self.reported.messages.extend(self.messages.list().last().map(|message| (about, message.id)));
    }

    /// Says which parameters ask for more work than a step may do.
    pub(super) fn tell_work(&mut self) {
        let dt = self.playback.tick_length();
        let work: Vec<Work> = self.playback.world().work(dt).map(|work| Work { visits: 0, ..work }).collect();
        if work == self.reported.work {
            return;
        }
        for (at, work) in work.iter().enumerate() {
            let Some(solver) = self.resolved.systems.get(at).map(|setup| setup.solver) else { continue };
            let table = solver.info().params;
            let cut = |cut: &crate::sim::Cut| (table[cut.row.index()].label, cut.asked, cut.done);
            let cuts: Vec<CutCount> = work.cuts.iter().flatten().map(cut).collect();
            if !cuts.is_empty() {
                self.say_of_bounds((at as u32, true), Said::WorkCut { solver: solver.key(), cuts });
            }
        }
        self.reported.work = work;
    }

    /// Allows strayed chains to be reported again after parameters changed.
    pub(super) fn forget_strays(&mut self) {
        self.reported.strays.clear();
    }

    /// Of all numbers that act on a joint, the one that is farthest out of its range, or of the slider's where all are in
    /// range.
    fn suspect(&self, joint: JointIndex) -> Option<Suspect> {
        let setup = self.resolved.systems.get(joint.system as usize)?;
        let farthest = |range: fn(&ParamDef) -> (f32, f32), declared: bool| {
            let beyond = numbers(setup, joint.joint as usize).filter_map(move |(def, value)| {
                let range = range(def);
                let beyond = (range.0 - value).max(value - range.1);
                let span = (def.soft_range.1 - def.soft_range.0).max(f32::MIN_POSITIVE);
                (beyond > 0.0).then_some((beyond / span, Suspect { parameter: def.label, value, range, declared }))
            });
            beyond.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suspect)| suspect)
        };
        farthest(|def| def.range, true).or_else(|| farthest(|def| def.soft_range, false))
    }
}

/// All numbers that act on a joint: its own, its system's, and those of shapes and forces.
fn numbers(setup: &SystemSetup, joint: usize) -> impl Iterator<Item = (&'static ParamDef, f32)> {
    let table = rows(setup.solver.info().params);
    let own = table.filter_map(move |(row, def)| {
        let values = if def.scope == Scope::Joint { &setup.joints.get(joint)?.values } else { &setup.values };
        Some((def, values.get(row)))
    });
    let shapes = setup.colliders.iter().map(|collider| collider.shape);
    let shapes = shapes.flat_map(|s| s.fields().iter().enumerate().map(move |(at, def)| (def, s.field(at))));
    let forces = setup.forces.iter().map(|force| force.kind);
    let forces = forces.flat_map(|f| f.fields().iter().enumerate().map(move |(at, def)| (def, f.field(at))));
    own.chain(shapes).chain(forces)
}

/// The ends of a range, `None` where it is open.
pub fn range_ends((low, high): (f32, f32)) -> [Option<f32>; 2] {
    [(low > f32::MIN).then_some(low), (high < f32::MAX).then_some(high)]
}
