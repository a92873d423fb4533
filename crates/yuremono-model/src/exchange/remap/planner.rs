use super::assignment::best_assignment;
use super::bone_runs::{BoneRun, BoneRuns, parents_by_name};
use super::pairing::{RunMatcher, RunPair, assign_pairs};
use super::rules::RuleKey;
use super::score::{NameProfiles, RemappedBones};
use super::{
    AUTO_INCLUDE_CONFIDENCE, MAX_ALTERNATIVES, MAX_AMBIGUOUS_CONFIDENCE, MIN_ALTERNATIVE_SCORE, MatchReason,
    MatchScores, NamedBone, RemapPlan, RemapRow, RemapRule, TooLongNames,
};
use crate::document::{names::BodySide, names::BoneName, names::fold, names::truncated};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::rig::{BoneId, Humanoid, Skeleton};

/// Confidence of a match of the only roots of two skeletons.
const ROOT_CONFIDENCE: f32 = 0.95;

/// Assigns bones rule by rule. Later rules skip assigned bones.
pub(super) struct Planner<'a> {
    source: &'a [NamedBone],
    /// Sorted by name, because the order in the file must not affect the plan.
    target: Vec<NamedBone>,
    target_ids: Vec<BoneId>,
    source_keys: Vec<RuleKey>,
    target_keys: Vec<RuleKey>,
    /// Names after the remap rules are applied, before folding.
    source_texts: Vec<String>,
    target_texts: Vec<String>,
    source_parents: Vec<Option<usize>>,
    target_parents: Vec<Option<usize>>,
    source_runs: BoneRuns,
    target_runs: BoneRuns,
    /// Whether rules changed the texts since the runs were grouped.
    texts_changed: bool,
    source_sides: Vec<Option<BodySide>>,
    target_sides: Vec<Option<BodySide>>,
    /// Replacements may swap sides deliberately.
    has_replacements: bool,
    /// The first row with the same name. Later rows copy its match.
    first_row_of_name: Vec<usize>,
    target_used: Vec<bool>,
    matches: Vec<Option<RowMatch>>,
    alternatives: Vec<Vec<(usize, f32)>>,
    too_long: Vec<TooLongNames>,
}

#[derive(Clone)]
struct RowMatch {
    target: usize,
    confidence: f32,
    reason: MatchReason,
    ambiguous: bool,
    scores: MatchScores,
}

impl<'a> Planner<'a> {
    pub(super) fn new(source: &'a [NamedBone], skeleton: &Skeleton, humanoid: &Humanoid) -> Self {
        let mut target: Vec<(NamedBone, BoneId)> =
            NamedBone::from_skeleton(skeleton, humanoid).into_iter().zip(skeleton.ids()).collect();
        // If names are equal, the last bone in file order is sorted first, because importers use the last.
        target.sort_by(|(a, i), (b, k)| (&a.name, &a.parent).cmp(&(&b.name, &b.parent)).then(k.cmp(i)));
        let (target, ids): (Vec<_>, Vec<_>) = target.into_iter().unzip();
        let keys = |names: &[NamedBone]| names.iter().map(|n| RuleKey::new(&n.name)).collect();
        let sides = |names: &[NamedBone]| names.iter().map(|n| BoneName::parse(&n.name).side).collect();
        let texts = |names: &[NamedBone]| -> Vec<String> { names.iter().map(|n| n.name.clone()).collect() };
        let (source_texts, target_texts) = (texts(source), texts(&target));
        let source_parents = parents_by_name(source);
        let place: BTreeMap<BoneId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let target_parents: Vec<_> = ids.iter().map(|id| place.get(&skeleton.parent(*id)?).copied()).collect();
        let target_runs = BoneRuns::group_names(&target, &target_texts, &target_parents, None);
        let source_runs = BoneRuns::group_names(source, &source_texts, &source_parents, Some(&target_runs));
        let mut seen = BTreeMap::new();
        let first = source.iter().enumerate().map(|(i, s)| *seen.entry(s.name.as_str()).or_insert(i)).collect();
        Self {
            source_keys: keys(source),
            target_keys: keys(&target),
            source_sides: sides(source),
            target_sides: sides(&target),
            source_texts,
            target_texts,
            source_parents,
            target_parents,
            source_runs,
            target_runs,
            texts_changed: false,
            has_replacements: false,
            first_row_of_name: first,
            target_used: vec![false; target.len()],
            matches: vec![None; source.len()],
            alternatives: vec![Vec::new(); source.len()],
            too_long: Vec::new(),
            source,
            target,
            target_ids: ids,
        }
    }

    pub(super) fn apply_rule(&mut self, at: usize, rule: &RemapRule) {
        self.has_replacements |= matches!(rule, RemapRule::Replace { .. });
        let mut too_long = TooLongNames { rule: at, name_count: 0, example: String::new() };
        for key in self.source_keys.iter_mut().chain(&mut self.target_keys) {
            if !key.apply(rule) {
                too_long.name_count += 1;
                if too_long.name_count == 1 {
                    too_long.example.clone_from(&key.text);
                }
            }
        }
        if too_long.name_count > 0 {
            self.too_long.push(too_long);
        }
        if let RemapRule::StripPrefix(_) | RemapRule::StripSuffix(_) | RemapRule::Replace { .. } = rule {
            for text in self.source_texts.iter_mut().chain(&mut self.target_texts) {
                let passed = RuleKey::new(text).applied(rule);
                self.texts_changed |= passed != *text;
                *text = passed;
            }
        }
    }

    /// Rows without a match. If several rows have the same name, includes only the first.
    fn open_rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.source.len()).filter(|s| self.matches[*s].is_none() && self.first_row_of_name[*s] == *s)
    }

    fn open_targets(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.target.len()).filter(|t| !self.target_used[*t])
    }

    fn set_match(&mut self, row: usize, found: RowMatch) {
        self.target_used[found.target] = true;
        self.matches[row] = Some(found);
    }

    fn sides_match(&self, s: usize, t: usize) -> bool {
        let (a, b) = (self.source_sides[s], self.target_sides[t]);
        self.has_replacements || a.is_none() || b.is_none() || a == b
    }

    /// Whether numbers count runs and bones in the same order in both names.
    fn numbers_match(&self, s: usize, t: usize) -> bool {
        let (a, b) = (self.source_runs.step_number_index(s), self.target_runs.step_number_index(t));
        a.is_none() || b.is_none() || a == b
    }

    pub(super) fn match_roles(&mut self) {
        let by_role: BTreeMap<String, usize> =
            self.open_targets().filter_map(|t| Some((self.target[t].role.clone()?, t))).collect();
        for row in self.open_rows().collect::<Vec<_>>() {
            let Some(role) = &self.source[row].role else { continue };
            if let Some(&target) = by_role.get(role)
                && !self.target_used[target]
            {
                let why = MatchReason::Role(role.clone());
                self.set_match(
                    row,
                    RowMatch { target, confidence: 0.99, reason: why, ambiguous: false, scores: rule_scores(0.99) },
                );
            }
        }
    }

    /// Matches the only root of both skeletons. A list without hierarchy has a root if exactly one name means the root.
    /// If one of the names is the name of another bone on the other side, the roots are different levels of a hierarchy.
    pub(super) fn match_root(&mut self) {
        let is_target_root = |t: &usize| self.target_parents[*t].is_none() && self.target_parents.contains(&Some(*t));
        let roots: Vec<usize> = (0..self.target.len()).filter(is_target_root).collect();
        let [target] = roots[..] else { return };
        let has_hierarchy = self.source_parents.iter().any(Option::is_some);
        let is_root = |s: &usize| {
            let below = has_hierarchy && self.source[*s].parent.is_none() && self.source_parents.contains(&Some(*s));
            below || (!has_hierarchy && means_root(&self.source_texts[*s]))
        };
        let rows: Vec<usize> = self.open_rows().filter(is_root).collect();
        let [row] = rows[..] else { return };
        let has_other_namesake = |name: &str, bones: &[NamedBone], at: usize| {
            bones[at].name != name && bones.iter().any(|bone| bone.name == name)
        };
        if has_other_namesake(&self.source[row].name, &self.target, target)
            || has_other_namesake(&self.target[target].name, self.source, row)
        {
            return;
        }
        if !self.target_used[target] && self.target[target].role == self.source[row].role {
            let scores = rule_scores(ROOT_CONFIDENCE);
            let why = MatchReason::Role("root".to_owned());
            let found = RowMatch { target, confidence: ROOT_CONFIDENCE, reason: why, ambiguous: false, scores };
            self.set_match(row, found);
        }
    }

    pub(super) fn match_equal(&mut self, at: usize, rule: &RemapRule) {
        let sure = match rule {
            RemapRule::Sides => 0.96,
            RemapRule::IgnoreCase | RemapRule::Replace { .. } => 0.98,
            _ => 1.0,
        };
        let mut groups: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for row in self.open_rows() {
            groups.entry(self.source_keys[row].comparison_text(rule)).or_default().0.push(row);
        }
        for target in self.open_targets() {
            if let Some(group) = groups.get_mut(&self.target_keys[target].comparison_text(rule)) {
                group.1.push(target);
            }
        }
        for (rows, targets) in groups.into_values() {
            self.match_group(&rows, &targets, sure, &MatchReason::ByRule(at), *rule == RemapRule::SameName);
        }
    }

    /// Pairs names that a rule makes equal. The most similar original names are paired first.
    fn match_group(&mut self, rows: &[usize], targets: &[usize], sure: f32, why: &MatchReason, is_exact: bool) {
        let mut pairs = Vec::new();
        for &s in rows {
            for &t in targets.iter().filter(|t| self.sides_match(s, **t) && (is_exact || self.numbers_match(s, **t))) {
                let (a, b) = (&self.source[s], &self.target[t]);
                let parents = f64::from(u8::from(a.parent.is_some() && a.parent == b.parent));
                let names = if a.name == b.name { 1.0 } else { strsim::jaro(truncated(&a.name), truncated(&b.name)) };
                pairs.push((names + parents, s, t));
            }
        }
        let names: BTreeSet<&str> = targets.iter().map(|t| self.target[*t].name.as_str()).collect();
        let ambiguous = rows.len() > 1 || names.len() > 1;
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for &(_, s, t) in &pairs {
            if self.matches[s].is_none() && !self.target_used[t] {
                let confidence = if ambiguous { sure.min(MAX_AMBIGUOUS_CONFIDENCE) } else { sure };
                let found =
                    RowMatch { target: t, confidence, reason: why.clone(), ambiguous, scores: rule_scores(confidence) };
                self.set_match(s, found);
            }
        }
        if targets.len() > 1 {
            for (score, s, t) in pairs {
                let chosen = self.matches[s].as_ref().is_some_and(|m| m.target == t);
                if !chosen && self.alternatives[s].len() < MAX_ALTERNATIVES {
                    self.alternatives[s].push((t, (score as f32).min(MAX_AMBIGUOUS_CONFIDENCE)));
                }
            }
        }
    }

    /// Matches the remaining names by similarity: runs first, then single bones.
    pub(super) fn match_near(&mut self, least: f32) {
        let least = if least.is_nan() { 1.0 } else { least.clamp(MIN_ALTERNATIVE_SCORE, 1.0) };
        self.match_runs(least);
        self.match_bones(least);
    }

    fn match_runs(&mut self, least: f32) {
        let (mut source, mut target) = (self.source_runs.clone(), self.target_runs.clone());
        if self.texts_changed {
            target = BoneRuns::group_names(&self.target, &self.target_texts, &self.target_parents, None);
            source = BoneRuns::group_names(self.source, &self.source_texts, &self.source_parents, Some(&target));
        }
        let bound = self.already_matched_runs(&source, &target);
        let taken: BTreeSet<usize> = bound.iter().flatten().copied().collect();
        let is_open = |a: usize, b: usize| match bound[a] {
            Some(other) => other == b,
            None => !taken.contains(&b),
        };
        let sides = RunMatcher {
            source: &source,
            target: &target,
            source_bones: self.source,
            target_bones: &self.target,
            allow_side_swap: self.has_replacements,
        };
        let pairs = sides.pairs(least, is_open);
        // A list without hierarchy may lack bones of a run. Bones of such runs are compared one by one later.
        let whole: Vec<&RunPair> = pairs.iter().filter(|pair| source.has_hierarchy || pair.same_length).collect();
        for pair in assign_pairs(&whole, &source) {
            let (ours, theirs) = (&source.runs[pair.source], &target.runs[pair.target]);
            self.match_run_bones(&pair, ours, theirs, source.has_hierarchy);
        }
        for pair in whole {
            let (ours, theirs) = (&source.runs[pair.source].bones, &target.runs[pair.target].bones);
            for (s, t) in ours.iter().zip(theirs) {
                if self.first_row_of_name[*s] == *s && self.alternatives[*s].len() <= MAX_ALTERNATIVES {
                    self.alternatives[*s].push((*t, pair.score.min(MAX_AMBIGUOUS_CONFIDENCE)));
                }
            }
        }
    }

    /// The target run of each source run, if earlier rules matched one of its bones.
    fn already_matched_runs(&self, source: &BoneRuns, target: &BoneRuns) -> Vec<Option<usize>> {
        let of_bone = |s: &usize| Some(target.run_and_step[self.matches[*s].as_ref()?.target]?.0);
        source.runs.iter().map(|strand| strand.bones.iter().find_map(of_bone)).collect()
    }

    fn match_run_bones(&mut self, pair: &RunPair, ours: &BoneRun, theirs: &BoneRun, rooted: bool) {
        for (s, t) in paired_bones(ours, theirs, rooted) {
            let is_open = self.matches[s].is_none() && self.first_row_of_name[s] == s && !self.target_used[t];
            if !is_open || !self.sides_match(s, t) {
                continue;
            }
            let apart = self.source[s].body_position.zip(self.target[t].body_position).map(|(a, b)| a.distance(b));
            let scores = MatchScores {
                total: pair.score,
                name: pair.name_score,
                body_position: apart.map(|d| (1.0 - 4.0 * d).clamp(0.0, 1.0)),
                chain_position: Some(if ours.bones.len() == theirs.bones.len() { 1.0 } else { 0.7 }),
                parent: None,
                same_words: pair.same_words,
            };
            let why = if pair.same_words { MatchReason::SameWords } else { MatchReason::Near };
            let (confidence, ambiguous) = (pair.confidence, pair.ambiguous);
            self.set_match(s, RowMatch { target: t, confidence, reason: why, ambiguous, scores });
        }
    }

    /// Assigns the remaining bones so that the sum of the scores is as large as possible.
    fn match_bones(&mut self, least: f32) {
        let rows: Vec<usize> = self.open_rows().collect();
        let targets: Vec<usize> = self.open_targets().collect();
        if rows.is_empty() || targets.is_empty() {
            return;
        }
        let source_hints: Vec<NamedBone> = rows.iter().map(|s| self.source[*s].clone()).collect();
        let target_hints: Vec<NamedBone> = targets.iter().map(|t| self.target[*t].clone()).collect();
        let source_texts: Vec<&str> = rows.iter().map(|s| self.source_texts[*s].as_str()).collect();
        let target_texts: Vec<&str> = targets.iter().map(|t| self.target_texts[*t].as_str()).collect();
        let profiles = NameProfiles::new(
            RemappedBones { bones: &source_hints, names: &source_texts },
            RemappedBones { bones: &target_hints, names: &target_texts },
        );
        let mut pairs = Vec::new();
        for (i, &s) in rows.iter().enumerate() {
            let mut scored: Vec<(usize, MatchScores)> = (0..targets.len())
                .filter(|k| self.sides_match(s, targets[*k]))
                .filter_map(|k| Some((targets[k], profiles.score(i, k, MIN_ALTERNATIVE_SCORE)?)))
                .collect();
            scored.sort_by(|a, b| b.1.total.total_cmp(&a.1.total).then(a.0.cmp(&b.0)));
            self.alternatives[s].extend(scored.iter().take(MAX_ALTERNATIVES + 1).map(|(t, score)| (*t, score.total)));
            pairs.extend(scored.into_iter().filter(|(_, score)| score.total >= least).map(|(t, score)| (s, t, score)));
        }
        pairs.sort_by(|a, b| b.2.total.total_cmp(&a.2.total).then((a.0, a.1).cmp(&(b.0, b.1))));
        // Each list is sorted like the pairs, best first.
        let mut by_row: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        let mut by_bone: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for (s, t, scores) in &pairs {
            by_row.entry(*s).or_default().push(scores.total);
            by_bone.entry(*t).or_default().push(scores.total);
        }
        let claims = |totals: &[f32], total: f32| totals.iter().take(2).filter(|x| **x > total - 0.01).count();
        let mut scores = vec![Vec::new(); self.source.len()];
        for (s, t, of_pair) in &pairs {
            scores[*s].push((*t, of_pair.total));
        }
        let assigned = best_assignment(&scores);
        for &(s, t, scores) in pairs.iter().filter(|(s, t, _)| assigned[*s] == Some(*t)) {
            // The pair itself is counted once for its row and once for its bone.
            let rivals = claims(&by_row[&s], scores.total) + claims(&by_bone[&t], scores.total);
            let ambiguous = scores.total >= AUTO_INCLUDE_CONFIDENCE && rivals > 2;
            let doubtful = ambiguous || !self.numbers_match(s, t);
            let confidence = if doubtful { scores.total.min(MAX_AMBIGUOUS_CONFIDENCE) } else { scores.total };
            let why = if scores.same_words { MatchReason::SameWords } else { MatchReason::Near };
            self.set_match(s, RowMatch { target: t, confidence, reason: why, ambiguous, scores });
        }
    }

    pub(super) fn finish(self) -> RemapPlan {
        let entry = |row: usize| {
            let found = self.matches[self.first_row_of_name[row]].as_ref();
            let chosen = found.map(|m| m.target);
            let confidence = found.map_or(1.0, |m| m.confidence);
            // A more similar bone is the target of another row. The confidence of an ambiguous match is limited.
            let is_candidate =
                |(t, score): &&(usize, f32)| Some(*t) != chosen && !(*score > confidence && self.target_used[*t]);
            let others = self.alternatives[self.first_row_of_name[row]].iter().filter(is_candidate);
            let others = others.map(|(t, score)| (self.target_ids[*t], score.min(confidence)));
            RemapRow {
                source: self.source[row].name.clone(),
                target: chosen.map(|t| self.target_ids[t]),
                confidence: found.map_or(0.0, |m| m.confidence),
                reason: found.map_or(MatchReason::NoMatch, |m| m.reason.clone()),
                included: found.is_some_and(|m| m.confidence >= AUTO_INCLUDE_CONFIDENCE),
                ambiguous: found.is_some_and(|m| m.ambiguous),
                shared_with: Vec::new(),
                alternatives: others.take(MAX_ALTERNATIVES).collect(),
                scores: found.map_or_else(MatchScores::default, |m| m.scores),
            }
        };
        let mut plan = RemapPlan { rows: (0..self.source.len()).map(entry).collect(), too_long: Vec::new() };
        plan.too_long = self.too_long;
        plan.update_shared_targets();
        plan
    }
}

/// Pairs the bones of two runs in order from the root, and pairs the end bones of both runs. If a list without
/// hierarchy lacks a bone other than the tip, the bones are paired by number.
fn paired_bones(ours: &BoneRun, theirs: &BoneRun, rooted: bool) -> Vec<(usize, usize)> {
    let (count, there) = (ours.bones.len(), theirs.bones.len());
    let numbered = !rooted && count < there && ours.step_numbers.iter().all(Option::is_some);
    if numbered && ours.step_numbers.iter().all(|step| theirs.step_numbers.contains(step)) {
        let at = |step: &Option<u32>| theirs.step_numbers.iter().position(|other| other == step);
        let pairs = ours.bones.iter().zip(&ours.step_numbers);
        return pairs.filter_map(|(bone, step)| Some((*bone, theirs.bones[at(step)?]))).collect();
    }
    let mut pairs: Vec<_> = ours.bones.iter().copied().zip(theirs.bones.iter().copied()).collect();
    if ours.has_end_bone && theirs.has_end_bone {
        pairs.retain(|(ours_at, theirs_at)| {
            Some(ours_at) != ours.bones.last() && Some(theirs_at) != theirs.bones.last()
        });
        pairs.extend(ours.bones.last().copied().zip(theirs.bones.last().copied()));
    }
    pairs
}

/// Whether a name is a usual name of the node above the hips.
fn means_root(name: &str) -> bool {
    const ROOTS: [&str; 5] = ["root", "armature", "全テノ親", "skeleton", "master"];
    ROOTS.contains(&fold(name).as_str())
}

/// The scores of a match by a rule. Rules compare only names.
fn rule_scores(confidence: f32) -> MatchScores {
    MatchScores { total: confidence, name: confidence, ..MatchScores::default() }
}
