//! Maps names in the file of one character to bones of another character, with an ordered list of rules. Each row has a
//! confidence and a reason.
//!
//! Names that no rule matches are compared as runs of bones: by words, sides, numbers, lengths and positions.
//!
//! [`plan_remap`] only proposes a mapping. The user must confirm rows below [`AUTO_INCLUDE_CONFIDENCE`]. Rows without a
//! bone stay in the plan. Names of one side never map to bones of the other side, unless a rule replaces text. The plan
//! does not depend on the order of the target's bones.

mod assignment;
mod bone_runs;
mod pairing;
mod planner;
mod rules;
mod score;

pub use rules::{MAX_NAME_BYTES, RemapRule, RemapRuleEntry, RemapRules, RemapRulesError};

use glam::{Quat, Vec3};
use planner::Planner;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::rig::{BoneId, Humanoid, Pose, Skeleton, WorldPose};

/// Rows with at least this confidence are included automatically.
pub const AUTO_INCLUDE_CONFIDENCE: f32 = 0.9;
/// Maximum confidence if several bones match equally well.
const MAX_AMBIGUOUS_CONFIDENCE: f32 = 0.85;
/// Minimum score of an alternative.
const MIN_ALTERNATIVE_SCORE: f32 = 0.3;
const MAX_ALTERNATIVES: usize = 3;

/// The position of a bone in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPosition {
    /// The 1-based index of the bone.
    pub index: u32,
    /// The number of bones in the chain.
    pub count: u32,
}

/// The name of a bone, with optional properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedBone {
    /// The name as in its file.
    pub name: String,
    /// Name of the parent.
    pub parent: Option<String>,
    /// The position in the chain. If `None`, the numbers in the names are used.
    pub chain_position: Option<ChainPosition>,
    /// The rest position relative to the hips, as a fraction of the body's height: left, up, forward.
    pub body_position: Option<Vec3>,
    /// The humanoid role.
    pub role: Option<String>,
}

impl NamedBone {
    /// A name without further properties.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// All bones of a skeleton, in skeleton order.
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
            // Positions of two characters are comparable only with a common origin.
            body_position: origin
                .filter(|_| height > 0.0)
                .map(|o| turn * (rest.frame(id).position - o) / height)
                .filter(|p| p.is_finite()),
            role: roles.get(&id).map(|r| (*r).to_owned()),
        };
        skeleton.ids().map(hint).collect()
    }
}

/// Rotates the world so that the body faces +Z.
fn body_rotation(rest: &WorldPose, humanoid: &Humanoid) -> Quat {
    let at = |role| humanoid.bone(role).and_then(|b: BoneId| rest.frames.get(b.index())).map(|f| f.position);
    let pairs = [("leftUpperLeg", "rightUpperLeg"), ("leftUpperArm", "rightUpperArm"), ("leftHand", "rightHand")];
    let across = pairs.into_iter().find_map(|(left, right)| {
        let across = at(left)? - at(right)?;
        across.with_y(0.0).try_normalize()
    });
    across.map_or(Quat::IDENTITY, |left| Quat::from_rotation_y(libm::atan2f(left.z, left.x)))
}

/// The reason for the target of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchReason {
    /// The names are equal after the rule at this index.
    ByRule(usize),
    /// Both bones have this humanoid role.
    Role(String),
    /// The names have the same words in another spelling.
    SameWords,
    /// The target is the most similar remaining bone.
    Near,
    /// The artist chose the target.
    Manual,
    /// No bone is similar enough. The row stays in the plan.
    NoMatch,
}

/// The similarity of two bones, each 0 to 1. `None` if the property is unknown for one of the bones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchScores {
    /// The weighted total.
    pub total: f32,
    /// The similarity of words, letters and numbers.
    pub name: f32,
    /// The similarity of rest positions.
    pub body_position: Option<f32>,
    /// The similarity of the positions in the chain.
    pub chain_position: Option<f32>,
    /// The similarity of the parents' names.
    pub parent: Option<f32>,
    same_words: bool,
}

/// Maps names of a file to bones, or to `None` for names without a bone. A name that is not in the map refers to the
/// bone with exactly that name.
pub type NameMap = BTreeMap<String, Option<BoneId>>;

/// A row of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RemapRow {
    /// Name in the file.
    pub source: String,
    /// Bone of the character.
    pub target: Option<BoneId>,
    /// Confidence in the target, 0 to 1.
    pub confidence: f32,
    /// The reason for the target.
    pub reason: MatchReason,
    /// Whether the row is used.
    pub included: bool,
    /// Whether several bones or names match equally well.
    pub ambiguous: bool,
    /// Indices of other rows with the same target.
    pub shared_with: Vec<usize>,
    /// The next best bones with their scores, best first.
    pub alternatives: Vec<(BoneId, f32)>,
    /// The scores of the target.
    pub scores: MatchScores,
}

/// The number of rows by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemapCounts {
    /// All rows.
    pub all: usize,
    /// Rows that are used.
    pub included: usize,
    /// Rows with a target that are not used yet.
    pub to_confirm: usize,
    /// Rows without a target.
    pub no_match: usize,
}

/// Names for which a replacement was skipped, because the result would be longer than [`MAX_NAME_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLongNames {
    /// Index of the rule.
    pub rule: usize,
    /// The number of affected names of both characters.
    pub name_count: usize,
    /// The first of these names, before the rule.
    pub example: String,
}

impl TooLongNames {
    /// A warning about the rules.
    pub fn message(&self) -> MessageText {
        message!(
            "rule {rule} makes names longer than {max} bytes ({count}, first \"{example}\"); it is skipped for these names",
            rule = self.rule + 1,
            max = MAX_NAME_BYTES,
            count = self.name_count,
            example = excerpt(&self.example)
        )
    }
}

/// A remap plan with one row per source name, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemapPlan {
    pub rows: Vec<RemapRow>,
    /// Rules that were skipped for some names, in rule order.
    pub too_long: Vec<TooLongNames>,
}

impl RemapPlan {
    /// The included rows by name. If several rows have the same name, the first is used.
    pub fn mapping(&self) -> BTreeMap<String, BoneId> {
        let mut mapping = BTreeMap::new();
        for entry in self.rows.iter().filter(|e| e.included) {
            if let Some(target) = entry.target {
                mapping.entry(entry.source.clone()).or_insert(target);
            }
        }
        mapping
    }

    /// All names with their bones. Rows that are not included have `None`.
    pub fn name_map(&self) -> NameMap {
        let mapping = self.mapping();
        self.rows.iter().map(|e| (e.source.clone(), mapping.get(&e.source).copied())).collect()
    }

    /// Counts the rows by state.
    pub fn counts(&self) -> RemapCounts {
        let count = |f: fn(&RemapRow) -> bool| self.rows.iter().filter(|e| f(e)).count();
        RemapCounts {
            all: self.rows.len(),
            included: count(|e| e.included),
            to_confirm: count(|e| !e.included && e.target.is_some()),
            no_match: count(|e| e.target.is_none()),
        }
    }

    /// Sets the target of a row manually. `None` removes the target.
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

    /// Includes or excludes a row. Rows without a target stay excluded.
    pub fn set_included(&mut self, row: usize, taken: bool) {
        if let Some(entry) = self.rows.get_mut(row) {
            entry.included = taken && entry.target.is_some();
        }
    }

    /// Includes all rows with a target.
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
            RemapRule::HumanoidRoles => {
                planner.match_roles();
                planner.match_root();
            }
            RemapRule::Near(least) => planner.match_near(*least),
            rule => planner.match_equal(at, rule),
        }
    }
    planner.finish()
}

#[cfg(test)]
mod tests;
