//! Whose bone is whose: leads names of one character's table to bones of another, by rules that an artist sees,
//! orders and switches, with a measure of how sure each row is and why.
//!
//! What no rule makes equal is looked at strand by strand: what hangs from what says which numbers count bones and which
//! count strands, and words, sides, numbers, lengths and places say which strand is which.
//!
//! [`plan`] only proposes; rows below [`TAKEN`] wait for a tick. Rows without a bone stay in the plan. Sides never
//! cross, and the same names and rules give the same plan in whatever order the target's bones stand.

mod pairing;
mod planner;
mod rules;
mod score;
mod strands;

pub use rules::{LONGEST_NAME, Rule, RuleEntry, Rules, RulesError};

use crate::rig::{BoneId, Humanoid, Pose, Skeleton, WorldPose};
use glam::{Quat, Vec3};
use planner::Planner;
use std::collections::BTreeMap;
use std::fmt;

/// From this confidence on a row is taken without asking.
pub const TAKEN: f32 = 0.9;
/// What several bones have an equal claim to is never surer than this.
const AMBIGUOUS: f32 = 0.85;
/// Least score of a bone that is offered as an alternative.
const WORTH_OFFERING: f32 = 0.3;
const MOST_OTHERS: usize = 3;

/// A bone of the source by name, with what else is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceName {
    /// As in its table.
    pub name: String,
    /// Name of its parent.
    pub parent: Option<String>,
    /// Which, from 1, of how many in its chain; `None` lets the numbers in the names say so.
    pub depth: Option<(u32, u32)>,
    /// Rest position from the hips, as a share of the body's height: to the left, up, forwards.
    pub place: Option<Vec3>,
    /// Its role of a human body.
    pub role: Option<String>,
}

impl SourceName {
    /// A name of which nothing else is known.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Every bone of a character whose skeleton is at hand, in its order.
    pub fn of(skeleton: &Skeleton, humanoid: &Humanoid) -> Vec<Self> {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let tall = crate::document::measure::height(&rest);
        let origin = humanoid.bone("hips").and_then(|b| rest.frames.get(b.index())).map(|f| f.position);
        let turn = to_body(&rest, humanoid);
        let roles: BTreeMap<BoneId, &str> = humanoid.iter().map(|(role, bone)| (bone, role)).collect();
        let hint = |id: BoneId| Self {
            name: skeleton.name(id).to_owned(),
            parent: skeleton.parent(id).map(|p| skeleton.name(p).to_owned()),
            depth: None,
            // Without a common origin, places of two characters cannot be compared.
            place: origin
                .filter(|_| tall > 0.0)
                .map(|o| turn * (rest.frame(id).position - o) / tall)
                .filter(|p| p.is_finite()),
            role: roles.get(&id).map(|r| (*r).to_owned()),
        };
        skeleton.ids().map(hint).collect()
    }
}

/// Turns the world so that the body looks along +Z, whichever way its file has it.
fn to_body(rest: &WorldPose, humanoid: &Humanoid) -> Quat {
    let at = |role| humanoid.bone(role).and_then(|b: BoneId| rest.frames.get(b.index())).map(|f| f.position);
    let pairs = [("leftUpperLeg", "rightUpperLeg"), ("leftUpperArm", "rightUpperArm"), ("leftHand", "rightHand")];
    let across = pairs.into_iter().find_map(|(left, right)| {
        let across = at(left)? - at(right)?;
        across.with_y(0.0).try_normalize()
    });
    across.map_or(Quat::IDENTITY, |left| Quat::from_rotation_y(left.z.atan2(left.x)))
}

/// Why a row leads where it leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Equal by the rule at this position of the list, after those above it.
    ByRule(usize),
    /// Both play this role.
    Role(String),
    /// Other spellings of the same words.
    SameWords,
    /// The likeliest of the rest.
    Near,
    /// Chosen by the artist.
    ByHand,
    /// No bone is likely enough; the row is kept.
    NoMatch,
}

/// How alike two bones are, each 0..=1; `None` where one side is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// All together.
    pub total: f32,
    /// Words, letters, numbers.
    pub name: f32,
    /// Rest positions.
    pub place: Option<f32>,
    /// Place in the chain.
    pub depth: Option<f32>,
    /// Names of the parents.
    pub parent: Option<f32>,
    /// Nothing but spelling differs.
    same_words: bool,
}

/// Where the names of a file lead: to a bone, or nowhere. A name that is not among them means the bone of just that name.
pub type Leads = BTreeMap<String, Option<BoneId>>;

/// A row of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name in the table.
    pub source: String,
    /// Bone of the character.
    pub target: Option<BoneId>,
    /// 0..=1.
    pub confidence: f32,
    /// Reason.
    pub why: Why,
    /// Whether it will be used.
    pub taken: bool,
    /// Several bones or names have an equal claim.
    pub ambiguous: bool,
    /// Other rows that lead to the same bone.
    pub also: Vec<usize>,
    /// Next best bones with their scores, best first.
    pub others: Vec<(BoneId, f32)>,
    /// How the target compares, aspect by aspect.
    pub scores: Scores,
}

/// How many rows are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All rows.
    pub all: usize,
    /// Will be used.
    pub taken: usize,
    /// Lead somewhere and wait for a tick.
    pub to_confirm: usize,
    /// Lead nowhere.
    pub no_match: usize,
}

/// A replacement that would have made names longer than [`LONGEST_NAME`]; for these names it was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Position of the rule in the list.
    pub rule: usize,
    /// How many names, of both characters.
    pub names: usize,
    /// The first of these names, before this rule.
    pub example: String,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, example) = (self.rule + 1, crate::report::clip(&self.example));
        let names = if self.names == 1 { "1 name".to_owned() } else { format!("{} names", self.names) };
        write!(
            f,
            "rule {rule} makes {names} longer than {LONGEST_NAME} bytes, first \"{example}\"; these names are left as they \
             are at this rule"
        )
    }
}

/// One entry per source name, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Rows.
    pub entries: Vec<Entry>,
    /// Rules that were skipped for some names, in the order of the rules.
    pub too_long: Vec<TooLong>,
}

impl Plan {
    /// The rows that are taken, by name. Of rows with one name the first counts.
    pub fn mapping(&self) -> BTreeMap<String, BoneId> {
        let mut mapping = BTreeMap::new();
        for entry in self.entries.iter().filter(|e| e.taken) {
            if let Some(target) = entry.target {
                mapping.entry(entry.source.clone()).or_insert(target);
            }
        }
        mapping
    }

    /// Where every name leads; one of which no row is taken leads nowhere.
    pub fn leads(&self) -> Leads {
        let mapping = self.mapping();
        self.entries.iter().map(|e| (e.source.clone(), mapping.get(&e.source).copied())).collect()
    }

    /// How many rows are in which state.
    pub fn counts(&self) -> Counts {
        let count = |f: fn(&Entry) -> bool| self.entries.iter().filter(|e| f(e)).count();
        Counts {
            all: self.entries.len(),
            taken: count(|e| e.taken),
            to_confirm: count(|e| !e.taken && e.target.is_some()),
            no_match: count(|e| e.target.is_none()),
        }
    }

    /// The artist's own choice for a row; `None` leaves it without bone.
    pub fn choose(&mut self, row: usize, target: Option<BoneId>) {
        if let Some(entry) = self.entries.get_mut(row) {
            entry.target = target;
            entry.taken = target.is_some();
            entry.ambiguous = false;
            entry.confidence = if target.is_some() { 1.0 } else { 0.0 };
            entry.why = if target.is_some() { Why::ByHand } else { Why::NoMatch };
            self.note_shared();
        }
    }

    /// Ticks a row or clears its tick; a row without bone stays clear.
    pub fn take(&mut self, row: usize, taken: bool) {
        if let Some(entry) = self.entries.get_mut(row) {
            entry.taken = taken && entry.target.is_some();
        }
    }

    /// Ticks every row that leads somewhere.
    pub fn take_all(&mut self) {
        self.entries.iter_mut().filter(|e| e.target.is_some()).for_each(|e| e.taken = true);
    }

    fn note_shared(&mut self) {
        let mut rows: BTreeMap<BoneId, Vec<usize>> = BTreeMap::new();
        for (row, entry) in self.entries.iter().enumerate() {
            if let Some(target) = entry.target {
                rows.entry(target).or_default().push(row);
            }
        }
        for (row, entry) in self.entries.iter_mut().enumerate() {
            let shared = entry.target.and_then(|t| rows.get(&t)).map_or(&[][..], Vec::as_slice);
            entry.also = shared.iter().copied().filter(|r| *r != row).collect();
        }
    }
}

/// Proposes a bone of `target` for every name of `source`.
pub fn plan(source: &[SourceName], target: &Skeleton, humanoid: &Humanoid, rules: &Rules) -> Plan {
    let mut planner = Planner::new(source, target, humanoid);
    for (at, entry) in rules.list.iter().enumerate().filter(|(_, e)| e.on) {
        planner.pass(at, &entry.rule);
        match &entry.rule {
            Rule::HumanoidRoles => planner.match_roles(),
            Rule::Near(least) => planner.match_near(*least),
            rule => planner.match_equal(at, rule),
        }
    }
    planner.finish()
}

#[cfg(test)]
mod tests;
