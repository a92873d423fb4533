//! Whose bone is whose: leads names of one character's table to bones of another, by rules that an artist sees,
//! orders and switches, with a measure of how sure each row is and why.
//!
//! What no rule makes equal is looked at strand by strand: what hangs from what says which numbers count bones and which
//! count strands, and words, sides, numbers, lengths and places say which strand is which.
//!
//! [`plan_remap`] only proposes; rows below [`AUTO_INCLUDE_CONFIDENCE`] wait for a tick. Rows without a bone stay in the `plan_remap`. Sides never
//! cross, and the same names and rules give the same plan in whatever order the target's bones stand.

mod bone_runs;
mod pairing;
mod planner;
mod rules;
mod score;

pub use rules::{MAX_NAME_BYTES, RemapRule, RemapRuleEntry, RemapRules, RemapRulesError};

use crate::rig::{BoneId, Humanoid, Pose, Skeleton, WorldPose};
use glam::{Quat, Vec3};
use planner::Planner;
use std::collections::BTreeMap;
use std::fmt;

/// From this confidence on a row is taken without asking.
pub const AUTO_INCLUDE_CONFIDENCE: f32 = 0.9;
/// What several bones have an equal claim to is never surer than this.
const MAX_AMBIGUOUS_CONFIDENCE: f32 = 0.85;
/// Least score of a bone that is offered as an alternative.
const MIN_ALTERNATIVE_SCORE: f32 = 0.3;
const MAX_ALTERNATIVES: usize = 3;

/// A bone of the source by name, with what else is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedBone {
    /// As in its table.
    pub name: String,
    /// Name of its parent.
    pub parent: Option<String>,
    /// Which, from 1, of how many in its chain; `None` lets the numbers in the names say so.
    pub chain_position: Option<(u32, u32)>,
    /// Rest position from the hips, as a share of the body's height: to the left, up, forwards.
    pub body_position: Option<Vec3>,
    /// Its role of a human body.
    pub role: Option<String>,
}

impl NamedBone {
    /// A name of which nothing else is known.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Every bone of a character whose skeleton is at hand, in its order.
    pub fn from_skeleton(skeleton: &Skeleton, humanoid: &Humanoid) -> Vec<Self> {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let height = crate::document::measure::max_extent(&rest);
        let origin = humanoid.bone("hips").and_then(|b| rest.frames.get(b.index())).map(|f| f.position);
        let turn = body_rotation(&rest, humanoid);
        let roles: BTreeMap<BoneId, &str> = humanoid.iter().map(|(role, bone)| (bone, role)).collect();
        let hint = |id: BoneId| Self {
            name: skeleton.name(id).to_owned(),
            parent: skeleton.parent(id).map(|p| skeleton.name(p).to_owned()),
            chain_position: None,
            // Without a common origin, places of two characters cannot be compared.
            body_position: origin
                .filter(|_| height > 0.0)
                .map(|o| turn * (rest.frame(id).position - o) / height)
                .filter(|p| p.is_finite()),
            role: roles.get(&id).map(|r| (*r).to_owned()),
        };
        skeleton.ids().map(hint).collect()
    }
}

/// Turns the world so that the body looks along +Z, whichever way its file has it.
fn body_rotation(rest: &WorldPose, humanoid: &Humanoid) -> Quat {
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
pub enum MatchReason {
    /// Equal by the rule at this position of the list, after those above it.
    ByRule(usize),
    /// Both play this role.
    Role(String),
    /// Other spellings of the same words.
    SameWords,
    /// The likeliest of the rest.
    Near,
    /// Chosen by the artist.
    Manual,
    /// No bone is likely enough; the row is kept.
    NoMatch,
}

/// How alike two bones are, each 0..=1; `None` where one side is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchScores {
    /// All together.
    pub total: f32,
    /// Words, letters, numbers.
    pub name: f32,
    /// Rest positions.
    pub body_position: Option<f32>,
    /// Place in the chain.
    pub chain_position: Option<f32>,
    /// Names of the parents.
    pub parent: Option<f32>,
    /// Nothing but spelling differs.
    same_words: bool,
}

/// Where the names of a file lead: to a bone, or nowhere. A name that is not among them means the bone of just that name.
pub type NameMap = BTreeMap<String, Option<BoneId>>;

/// A row of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RemapRow {
    /// Name in the table.
    pub source: String,
    /// Bone of the character.
    pub target: Option<BoneId>,
    /// 0..=1.
    pub confidence: f32,
    /// Reason.
    pub reason: MatchReason,
    /// Whether it will be used.
    pub included: bool,
    /// Several bones or names have an equal claim.
    pub ambiguous: bool,
    /// Other rows that lead to the same bone.
    pub shared_with: Vec<usize>,
    /// Next best bones with their scores, best first.
    pub alternatives: Vec<(BoneId, f32)>,
    /// How the target compares, aspect by aspect.
    pub scores: MatchScores,
}

/// How many rows are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemapCounts {
    /// All rows.
    pub all: usize,
    /// Will be used.
    pub included: usize,
    /// Lead somewhere and wait for a tick.
    pub to_confirm: usize,
    /// Lead nowhere.
    pub no_match: usize,
}

/// A replacement that would have made names longer than [`MAX_NAME_BYTES`]; for these names it was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLongNames {
    /// Position of the rule in the list.
    pub rule: usize,
    /// How many names, of both characters.
    pub name_count: usize,
    /// The first of these names, before this rule.
    pub example: String,
}

impl fmt::Display for TooLongNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, example) = (self.rule + 1, crate::diagnostics::excerpt(&self.example));
        let names = if self.name_count == 1 { "1 name".to_owned() } else { format!("{} names", self.name_count) };
        write!(
            f,
            "rule {rule} makes {names} longer than {MAX_NAME_BYTES} bytes, first \"{example}\"; these names are left as they \
             are at this rule"
        )
    }
}

/// One entry per source name, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemapPlan {
    /// Rows.
    pub rows: Vec<RemapRow>,
    /// Rules that were skipped for some names, in the order of the rules.
    pub too_long: Vec<TooLongNames>,
}

impl RemapPlan {
    /// The rows that are taken, by name. Of rows with one name the first counts.
    pub fn mapping(&self) -> BTreeMap<String, BoneId> {
        let mut mapping = BTreeMap::new();
        for entry in self.rows.iter().filter(|e| e.included) {
            if let Some(target) = entry.target {
                mapping.entry(entry.source.clone()).or_insert(target);
            }
        }
        mapping
    }

    /// Where every name leads; one of which no row is taken leads nowhere.
    pub fn name_map(&self) -> NameMap {
        let mapping = self.mapping();
        self.rows.iter().map(|e| (e.source.clone(), mapping.get(&e.source).copied())).collect()
    }

    /// How many rows are in which state.
    pub fn counts(&self) -> RemapCounts {
        let count = |f: fn(&RemapRow) -> bool| self.rows.iter().filter(|e| f(e)).count();
        RemapCounts {
            all: self.rows.len(),
            included: count(|e| e.included),
            to_confirm: count(|e| !e.included && e.target.is_some()),
            no_match: count(|e| e.target.is_none()),
        }
    }

    /// The artist's own choice for a row; `None` leaves it without bone.
    pub fn set_target(&mut self, row: usize, target: Option<BoneId>) {
        if let Some(entry) = self.rows.get_mut(row) {
            entry.target = target;
            entry.included = target.is_some();
            entry.ambiguous = false;
            entry.confidence = if target.is_some() { 1.0 } else { 0.0 };
            entry.reason = if target.is_some() { MatchReason::Manual } else { MatchReason::NoMatch };
            self.update_shared_targets();
        }
    }

    /// Ticks a row or clears its tick; a row without bone stays clear.
    pub fn set_included(&mut self, row: usize, taken: bool) {
        if let Some(entry) = self.rows.get_mut(row) {
            entry.included = taken && entry.target.is_some();
        }
    }

    /// Ticks every row that leads somewhere.
    pub fn include_all(&mut self) {
        self.rows.iter_mut().filter(|e| e.target.is_some()).for_each(|e| e.included = true);
    }

    fn update_shared_targets(&mut self) {
        let mut rows: BTreeMap<BoneId, Vec<usize>> = BTreeMap::new();
        for (row, entry) in self.rows.iter().enumerate() {
            if let Some(target) = entry.target {
                rows.entry(target).or_default().push(row);
            }
        }
        for (row, entry) in self.rows.iter_mut().enumerate() {
            let shared = entry.target.and_then(|t| rows.get(&t)).map_or(&[][..], Vec::as_slice);
            entry.shared_with = shared.iter().copied().filter(|r| *r != row).collect();
        }
    }
}

/// Proposes a bone of `target` for every name of `source`.
pub fn plan_remap(source: &[NamedBone], target: &Skeleton, humanoid: &Humanoid, rules: &RemapRules) -> RemapPlan {
    let mut planner = Planner::new(source, target, humanoid);
    for (at, entry) in rules.entries.iter().enumerate().filter(|(_, e)| e.on) {
        planner.apply_rule(at, &entry.rule);
        match &entry.rule {
            RemapRule::HumanoidRoles => planner.match_roles(),
            RemapRule::Near(least) => planner.match_near(*least),
            rule => planner.match_equal(at, rule),
        }
    }
    planner.finish()
}

#[cfg(test)]
mod tests;
