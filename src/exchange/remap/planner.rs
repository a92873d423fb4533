use super::pairing::{Pair, Sides};
use super::rules::Key;
use super::score::Profiles;
use super::strands::{Strand, Strands, parents_by_name};
use super::{AMBIGUOUS, Entry, MOST_OTHERS, Plan, Rule, Scores, SourceName, TAKEN, TooLong, WORTH_OFFERING, Why};
use crate::document::{names::BoneName, names::Side, names::clipped};
use crate::rig::{BoneId, Humanoid, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// Gives bones away rule by rule; what has one is out of the next rule's reach.
pub(super) struct Planner<'a> {
    source: &'a [SourceName],
    /// The target's bones in the same shape, sorted by name so that file order does not matter.
    target: Vec<SourceName>,
    ids: Vec<BoneId>,
    source_keys: Vec<Key>,
    target_keys: Vec<Key>,
    /// Names after replacements and cuts, as they are spelt.
    source_texts: Vec<String>,
    target_texts: Vec<String>,
    source_parents: Vec<Option<usize>>,
    target_parents: Vec<Option<usize>>,
    source_strands: Strands,
    target_strands: Strands,
    /// Some rule has changed those texts since the strands were read.
    respelt: bool,
    source_sides: Vec<Option<Side>>,
    target_sides: Vec<Option<Side>>,
    /// A replacement may turn sides round on purpose.
    replaced: bool,
    /// First row of each name; later ones follow it.
    first: Vec<usize>,
    used: Vec<bool>,
    found: Vec<Option<Match>>,
    others: Vec<Vec<(usize, f32)>>,
    too_long: Vec<TooLong>,
}

#[derive(Clone)]
struct Match {
    target: usize,
    confidence: f32,
    why: Why,
    ambiguous: bool,
    scores: Scores,
}

impl<'a> Planner<'a> {
    pub(super) fn new(source: &'a [SourceName], skeleton: &Skeleton, humanoid: &Humanoid) -> Self {
        let mut target: Vec<(SourceName, BoneId)> =
            SourceName::of(skeleton, humanoid).into_iter().zip(skeleton.ids()).collect();
        // Of equal names the last in file order comes first, as engines pick it.
        target.sort_by(|(a, i), (b, k)| (&a.name, &a.parent).cmp(&(&b.name, &b.parent)).then(k.cmp(i)));
        let (target, ids): (Vec<_>, Vec<_>) = target.into_iter().unzip();
        let keys = |names: &[SourceName]| names.iter().map(|n| Key::new(&n.name)).collect();
        let sides = |names: &[SourceName]| names.iter().map(|n| BoneName::read(&n.name).side).collect();
        let texts = |names: &[SourceName]| -> Vec<String> { names.iter().map(|n| n.name.clone()).collect() };
        let (source_texts, target_texts) = (texts(source), texts(&target));
        let source_parents = parents_by_name(source);
        let place: BTreeMap<BoneId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let target_parents: Vec<_> = ids.iter().map(|id| place.get(&skeleton.parent(*id)?).copied()).collect();
        let target_strands = Strands::read(&target, &target_texts, &target_parents, None);
        let source_strands = Strands::read(source, &source_texts, &source_parents, Some(&target_strands));
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
            source_strands,
            target_strands,
            respelt: false,
            replaced: false,
            first,
            used: vec![false; target.len()],
            found: vec![None; source.len()],
            others: vec![Vec::new(); source.len()],
            too_long: Vec::new(),
            source,
            target,
            ids,
        }
    }

    pub(super) fn pass(&mut self, at: usize, rule: &Rule) {
        self.replaced |= matches!(rule, Rule::Replace { .. });
        let mut too_long = TooLong { rule: at, names: 0, example: String::new() };
        for key in self.source_keys.iter_mut().chain(&mut self.target_keys) {
            if !key.pass(rule) {
                too_long.names += 1;
                if too_long.names == 1 {
                    too_long.example.clone_from(&key.text);
                }
            }
        }
        if too_long.names > 0 {
            self.too_long.push(too_long);
        }
        if let Rule::StripPrefix(_) | Rule::StripSuffix(_) | Rule::Replace { .. } = rule {
            for text in self.source_texts.iter_mut().chain(&mut self.target_texts) {
                let passed = Key::new(text).passed(rule);
                self.respelt |= passed != *text;
                *text = passed;
            }
        }
    }

    /// Rows that still look for a bone; of rows with one name only the first.
    fn open_rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.source.len()).filter(|s| self.found[*s].is_none() && self.first[*s] == *s)
    }

    fn open_targets(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.target.len()).filter(|t| !self.used[*t])
    }

    fn settle(&mut self, row: usize, found: Match) {
        self.used[found.target] = true;
        self.found[row] = Some(found);
    }

    fn sides_fit(&self, s: usize, t: usize) -> bool {
        let (a, b) = (self.source_sides[s], self.target_sides[t]);
        self.replaced || a.is_none() || b.is_none() || a == b
    }

    /// Whether the numbers in both names count the same things: strands and bones along them, in this order.
    fn counts_fit(&self, s: usize, t: usize) -> bool {
        let (a, b) = (self.source_strands.counted(s), self.target_strands.counted(t));
        a.is_none() || b.is_none() || a == b
    }

    pub(super) fn match_roles(&mut self) {
        let by_role: BTreeMap<String, usize> =
            self.open_targets().filter_map(|t| Some((self.target[t].role.clone()?, t))).collect();
        for row in self.open_rows().collect::<Vec<_>>() {
            let Some(role) = &self.source[row].role else { continue };
            if let Some(&target) = by_role.get(role)
                && !self.used[target]
            {
                let why = Why::Role(role.clone());
                self.settle(row, Match { target, confidence: 0.99, why, ambiguous: false, scores: known(0.99) });
            }
        }
    }

    pub(super) fn match_equal(&mut self, at: usize, rule: &Rule) {
        let sure = match rule {
            Rule::Sides => 0.96,
            Rule::IgnoreCase | Rule::Replace { .. } => 0.98,
            _ => 1.0,
        };
        let mut groups: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for row in self.open_rows() {
            groups.entry(self.source_keys[row].compared_by(rule)).or_default().0.push(row);
        }
        for target in self.open_targets() {
            if let Some(group) = groups.get_mut(&self.target_keys[target].compared_by(rule)) {
                group.1.push(target);
            }
        }
        for (rows, targets) in groups.into_values() {
            self.match_group(&rows, &targets, sure, &Why::ByRule(at), *rule == Rule::SameName);
        }
    }

    /// Pairs rows and bones that a rule makes equal: the most alike original names first.
    fn match_group(&mut self, rows: &[usize], targets: &[usize], sure: f32, why: &Why, to_the_letter: bool) {
        let mut pairs = Vec::new();
        for &s in rows {
            for &t in targets.iter().filter(|t| self.sides_fit(s, **t) && (to_the_letter || self.counts_fit(s, **t))) {
                let (a, b) = (&self.source[s], &self.target[t]);
                let parents = f64::from(u8::from(a.parent.is_some() && a.parent == b.parent));
                let names = if a.name == b.name { 1.0 } else { strsim::jaro(clipped(&a.name), clipped(&b.name)) };
                pairs.push((names + parents, s, t));
            }
        }
        let names: BTreeSet<&str> = targets.iter().map(|t| self.target[*t].name.as_str()).collect();
        let ambiguous = rows.len() > 1 || names.len() > 1;
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for &(_, s, t) in &pairs {
            if self.found[s].is_none() && !self.used[t] {
                let confidence = if ambiguous { sure.min(AMBIGUOUS) } else { sure };
                let found = Match { target: t, confidence, why: why.clone(), ambiguous, scores: known(confidence) };
                self.settle(s, found);
            }
        }
        if targets.len() > 1 {
            for (score, s, t) in pairs {
                let chosen = self.found[s].as_ref().is_some_and(|m| m.target == t);
                if !chosen && self.others[s].len() < MOST_OTHERS {
                    self.others[s].push((t, (score as f32).min(AMBIGUOUS)));
                }
            }
        }
    }

    /// Leads what is left to the likeliest of the rest: strands as wholes, then single bones.
    pub(super) fn match_near(&mut self, least: f32) {
        let least = if least.is_nan() { 1.0 } else { least.clamp(WORTH_OFFERING, 1.0) };
        self.match_strands(least);
        self.match_bones(least);
    }

    fn match_strands(&mut self, least: f32) {
        let (mut source, mut target) = (self.source_strands.clone(), self.target_strands.clone());
        if self.respelt {
            target = Strands::read(&self.target, &self.target_texts, &self.target_parents, None);
            source = Strands::read(self.source, &self.source_texts, &self.source_parents, Some(&target));
        }
        let bound = self.bound(&source, &target);
        let taken: BTreeSet<usize> = bound.iter().flatten().copied().collect();
        let is_open = |a: usize, b: usize| match bound[a] {
            Some(other) => other == b,
            None => !taken.contains(&b),
        };
        let sides = Sides {
            source: &source,
            target: &target,
            source_hints: self.source,
            target_hints: &self.target,
            cross: self.replaced,
        };
        let pairs = sides.pairs(least, is_open);
        let (mut given, mut got) = (vec![false; source.list.len()], vec![false; target.list.len()]);
        // Of a list without hierarchy some bones of a strand may be missing: single bones are looked at then.
        for pair in pairs.iter().filter(|pair| source.rooted || pair.same_length) {
            if !given[pair.source] && !got[pair.target] {
                (given[pair.source], got[pair.target]) = (true, true);
                let (ours, theirs) = (&source.list[pair.source], &target.list[pair.target]);
                self.settle_strand(pair, ours, theirs, source.rooted);
            }
        }
        for pair in &pairs {
            let (ours, theirs) = (&source.list[pair.source].bones, &target.list[pair.target].bones);
            for (s, t) in ours.iter().zip(theirs) {
                if self.first[*s] == *s && self.others[*s].len() <= MOST_OTHERS {
                    self.others[*s].push((*t, pair.score.min(AMBIGUOUS)));
                }
            }
        }
    }

    /// The strand of the target that rules above have already led bones of each strand to.
    fn bound(&self, source: &Strands, target: &Strands) -> Vec<Option<usize>> {
        let of_bone = |s: &usize| Some(target.at[self.found[*s].as_ref()?.target]?.0);
        source.list.iter().map(|strand| strand.bones.iter().find_map(of_bone)).collect()
    }

    fn settle_strand(&mut self, pair: &Pair, ours: &Strand, theirs: &Strand, rooted: bool) {
        for (s, t) in steps(ours, theirs, rooted) {
            let is_open = self.found[s].is_none() && self.first[s] == s && !self.used[t];
            if !is_open || !self.sides_fit(s, t) {
                continue;
            }
            let apart = self.source[s].place.zip(self.target[t].place).map(|(a, b)| a.distance(b));
            let scores = Scores {
                total: pair.score,
                name: pair.name,
                place: apart.map(|d| (1.0 - 4.0 * d).clamp(0.0, 1.0)),
                depth: Some(if ours.bones.len() == theirs.bones.len() { 1.0 } else { 0.7 }),
                parent: None,
                same_words: pair.same_words,
            };
            let why = if pair.same_words { Why::SameWords } else { Why::Near };
            let (confidence, ambiguous) = (pair.confidence, pair.ambiguous);
            self.settle(s, Match { target: t, confidence, why, ambiguous, scores });
        }
    }

    /// Gives each remaining row the likeliest remaining bone, the surest pair first.
    fn match_bones(&mut self, least: f32) {
        let rows: Vec<usize> = self.open_rows().collect();
        let targets: Vec<usize> = self.open_targets().collect();
        if rows.is_empty() || targets.is_empty() {
            return;
        }
        let source_hints: Vec<SourceName> = rows.iter().map(|s| self.source[*s].clone()).collect();
        let target_hints: Vec<SourceName> = targets.iter().map(|t| self.target[*t].clone()).collect();
        let source_texts: Vec<&str> = rows.iter().map(|s| self.source_texts[*s].as_str()).collect();
        let target_texts: Vec<&str> = targets.iter().map(|t| self.target_texts[*t].as_str()).collect();
        let profiles = Profiles::new((&source_hints, &source_texts), (&target_hints, &target_texts));
        let mut pairs = Vec::new();
        for (i, &s) in rows.iter().enumerate() {
            let mut scored: Vec<(usize, Scores)> = (0..targets.len())
                .filter(|k| self.sides_fit(s, targets[*k]))
                .filter_map(|k| Some((targets[k], profiles.score(i, k, WORTH_OFFERING)?)))
                .collect();
            scored.sort_by(|a, b| b.1.total.total_cmp(&a.1.total).then(a.0.cmp(&b.0)));
            self.others[s].extend(scored.iter().take(MOST_OTHERS + 1).map(|(t, score)| (*t, score.total)));
            pairs.extend(scored.into_iter().filter(|(_, score)| score.total >= least).map(|(t, score)| (s, t, score)));
        }
        pairs.sort_by(|a, b| b.2.total.total_cmp(&a.2.total).then((a.0, a.1).cmp(&(b.0, b.1))));
        // Best first, as the pairs are.
        let mut by_row: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        let mut by_bone: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for (s, t, scores) in &pairs {
            by_row.entry(*s).or_default().push(scores.total);
            by_bone.entry(*t).or_default().push(scores.total);
        }
        let claims = |totals: &[f32], total: f32| totals.iter().take(2).filter(|x| **x > total - 0.01).count();
        for &(s, t, scores) in &pairs {
            if self.found[s].is_some() || self.used[t] {
                continue;
            }
            // The pair itself is one claim on its row and one on its bone.
            let rivals = claims(&by_row[&s], scores.total) + claims(&by_bone[&t], scores.total);
            let ambiguous = scores.total >= TAKEN && rivals > 2;
            let doubtful = ambiguous || !self.counts_fit(s, t);
            let confidence = if doubtful { scores.total.min(AMBIGUOUS) } else { scores.total };
            let why = if scores.same_words { Why::SameWords } else { Why::Near };
            self.settle(s, Match { target: t, confidence, why, ambiguous, scores });
        }
    }

    pub(super) fn finish(self) -> Plan {
        let entry = |row: usize| {
            let found = self.found[self.first[row]].as_ref();
            let chosen = found.map(|m| m.target);
            let others = self.others[self.first[row]].iter().filter(|(t, _)| Some(*t) != chosen).take(MOST_OTHERS);
            Entry {
                source: self.source[row].name.clone(),
                target: chosen.map(|t| self.ids[t]),
                confidence: found.map_or(0.0, |m| m.confidence),
                why: found.map_or(Why::NoMatch, |m| m.why.clone()),
                taken: found.is_some_and(|m| m.confidence >= TAKEN),
                ambiguous: found.is_some_and(|m| m.ambiguous),
                also: Vec::new(),
                others: others.map(|(t, score)| (self.ids[*t], *score)).collect(),
                scores: found.map_or_else(Scores::default, |m| m.scores),
            }
        };
        let mut plan = Plan { entries: (0..self.source.len()).map(entry).collect(), too_long: Vec::new() };
        plan.too_long = self.too_long;
        plan.note_shared();
        plan
    }
}

/// Which bones of two strands belong together: from the root on, and their ends. Where a list without hierarchy lacks a
/// bone, it need not be the tip: their numbers say which.
fn steps(ours: &Strand, theirs: &Strand, rooted: bool) -> Vec<(usize, usize)> {
    let (count, there) = (ours.bones.len(), theirs.bones.len());
    let numbered = !rooted && count < there && ours.steps.iter().all(Option::is_some);
    if numbered && ours.steps.iter().all(|step| theirs.steps.contains(step)) {
        let at = |step: &Option<u32>| theirs.steps.iter().position(|other| other == step);
        let pairs = ours.bones.iter().zip(&ours.steps);
        return pairs.filter_map(|(bone, step)| Some((*bone, theirs.bones[at(step)?]))).collect();
    }
    let mut pairs: Vec<_> = ours.bones.iter().copied().zip(theirs.bones.iter().copied()).collect();
    if ours.ends && theirs.ends {
        pairs.retain(|(ours_at, theirs_at)| {
            Some(ours_at) != ours.bones.last() && Some(theirs_at) != theirs.bones.last()
        });
        pairs.extend(ours.bones.last().copied().zip(theirs.bones.last().copied()));
    }
    pairs
}

/// A rule says so: only the names were looked at.
fn known(confidence: f32) -> Scores {
    Scores { total: confidence, name: confidence, ..Scores::default() }
}
