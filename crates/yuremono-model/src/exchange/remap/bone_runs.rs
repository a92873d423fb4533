//! Groups bones into runs: locks of hair, columns of a skirt, a tail.
//!
//! If the hierarchy is known, the parents determine which number in a name counts the bones along a run, and which
//! number counts runs. `Hair2_05` of one character can correspond to `Bangs5_02` of another. Without a hierarchy, only
//! the numbers are available. [`BoneRun::is_certain`] reports whether the numbers were sufficient.

use super::NamedBone;
use crate::document::{
    names::BodySide, names::BoneName, names::general_word, names::is_random_id, names::is_species_word,
    names::word_similarity,
};
use std::collections::{BTreeMap, HashMap};

/// Numbers from this value on are ignored, because they are dates or suffixes added by tools.
const MIN_IGNORED_NUMBER: u32 = 100_000;

/// A sequence of bones with the same words in their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BoneRun {
    /// Indices in the list of names, root first.
    pub(super) bones: Vec<usize>,
    /// Sorted words, without numbers and generic words.
    pub(super) words: Vec<String>,
    pub(super) side: Option<BodySide>,
    /// The number in the names that identifies the run.
    pub(super) number: Option<u32>,
    /// The 0-based index among similar runs, sorted by number.
    pub(super) sibling_index: Option<usize>,
    /// The number of similar runs, including this run.
    pub(super) sibling_count: usize,
    /// The role of the run's nearest humanoid ancestor.
    pub(super) anchor_role: Option<String>,
    /// The index, in a name's list of numbers, of the number that counts the bones along the run.
    pub(super) step_number_index: Option<usize>,
    /// The number of each bone along the run.
    pub(super) step_numbers: Vec<Option<u32>>,
    /// Whether the bones and their order are unambiguous.
    pub(super) is_certain: bool,
    /// Whether the name of the last bone marks an end.
    pub(super) has_end_bone: bool,
}

/// The runs of a list of names. Bones with a humanoid role do not belong to any run.
#[derive(Clone, Debug, Default)]
pub(super) struct BoneRuns {
    pub(super) runs: Vec<BoneRun>,
    /// For each name, the index of its run and the index of the bone in the run.
    pub(super) run_and_step: Vec<Option<(usize, usize)>>,
    pub(super) has_hierarchy: bool,
    /// The number of runs with the same words.
    family_sizes: HashMap<Vec<String>, usize>,
}

struct ParsedName {
    words: Vec<String>,
    side: Option<BodySide>,
    numbers: Vec<u32>,
    numbers_before_end: Option<usize>,
}

impl ParsedName {
    fn new(text: &str) -> Self {
        let BoneName { words, side, mut numbers, numbers_before_end: end_at } = BoneName::parse(text);
        let mut kept: Vec<String> = Vec::new();
        for word in words {
            match word.as_bytes() {
                [letter @ b'a'..=b'z'] => numbers.push(u32::from(letter - b'a') + 1),
                _ if matches!(word.as_str(), "sway" | "end" | "root" | "center") || is_random_id(&word) => {}
                _ => kept.push(word),
            }
        }
        // "FoxTail" is a tail and "HairTwinTail" is a twin tail.
        if kept.iter().any(|w| !is_species_word(w)) {
            kept.retain(|w| !is_species_word(w));
        }
        let generals: Vec<&str> = kept.iter().filter_map(|w| general_word(w)).collect();
        kept.retain(|w| !generals.contains(&w.as_str()));
        kept.sort();
        kept.dedup();
        numbers.retain(|n| *n < MIN_IGNORED_NUMBER);
        numbers.truncate(8);
        Self { words: kept, side, numbers, numbers_before_end: end_at }
    }

    fn has_same_words(&self, other: &Self) -> bool {
        self.words == other.words && self.side == other.side
    }
}

impl BoneRun {
    /// The number of the first bone.
    pub(super) fn first_step_number(&self) -> Option<u32> {
        let alone = if self.bones.len() == 1 { self.number } else { None };
        self.step_numbers.first().copied().flatten().or(alone)
    }
}

impl BoneRuns {
    /// Groups names into runs. `parents` contains the index of each name's parent, and `texts` the names after the
    /// rules. Without parents, names are grouped to match the runs of `other`, if only one grouping matches.
    pub(super) fn group_names(
        named_bones: &[NamedBone],
        texts: &[String],
        parents: &[Option<usize>],
        other: Option<&Self>,
    ) -> Self {
        let names: Vec<ParsedName> = texts.iter().map(|text| ParsedName::new(text)).collect();
        let rooted = parents.iter().any(Option::is_some);
        let mut list = if rooted {
            runs_by_parent(named_bones, &names, parents)
        } else {
            runs_by_number(named_bones, &names, other)
        };
        assign_sibling_indices(&mut list);
        let mut at = vec![None; named_bones.len()];
        for (run, entry) in list.iter().enumerate() {
            entry.bones.iter().enumerate().for_each(|(depth, bone)| at[*bone] = Some((run, depth)));
        }
        let mut family_sizes = HashMap::new();
        for run in &list {
            *family_sizes.entry(run.words.clone()).or_default() += 1;
        }
        Self { runs: list, run_and_step: at, has_hierarchy: rooted, family_sizes }
    }

    pub(super) fn has_words(&self, words: &[String]) -> bool {
        self.family_sizes.contains_key(words)
    }

    /// The number of runs with these words on both sides of the body.
    pub(super) fn family_size(&self, words: &[String]) -> usize {
        self.family_sizes.get(words).copied().unwrap_or(0)
    }

    pub(super) fn step_number_index(&self, bone: usize) -> Option<usize> {
        let (run, _) = self.run_and_step[bone]?;
        self.runs[run].step_number_index
    }
}

/// The index of each name's parent. `None` if the parent is unknown, or if several names equal the parent's name.
pub(super) fn parents_by_name(named_bones: &[NamedBone]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, hint) in named_bones.iter().enumerate() {
        by_name.entry(hint.name.as_str()).and_modify(|known| *known = None).or_insert(Some(at));
    }
    let parent = |hint: &NamedBone| *by_name.get(hint.parent.as_deref()?)?;
    named_bones.iter().map(parent).collect()
}

fn runs_by_parent(named_bones: &[NamedBone], names: &[ParsedName], parents: &[Option<usize>]) -> Vec<BoneRun> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); named_bones.len()];
    for (bone, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            below[*parent].push(bone);
        }
    }
    let next = |bone: usize| -> Option<usize> {
        let mut like =
            below[bone].iter().filter(|b| named_bones[**b].role.is_none() && names[**b].has_same_words(&names[bone]));
        let first = like.next()?;
        // At a fork, every branch is a separate run.
        like.next().is_none().then_some(*first)
    };
    let free = |bone: &usize| named_bones[*bone].role.is_none();
    let goes_on = |bone: usize| parents[bone].is_some_and(|p| free(&p) && next(p) == Some(bone));
    let starts = (0..named_bones.len()).filter(|bone| free(bone) && !goes_on(*bone));
    let run = |start: usize| {
        let bones: Vec<usize> = std::iter::successors(Some(start), |bone| next(*bone)).collect();
        let mut above = std::iter::successors(parents[start], |bone| parents[*bone]).take(named_bones.len());
        let anchor = above.find_map(|bone| named_bones[bone].role.clone());
        let counted = find_step_number_index(&bones, names);
        let number = run_number(&bones, names, counted);
        BoneRun {
            anchor_role: anchor,
            number,
            step_number_index: counted,
            is_certain: true,
            ..base_run(bones, names, counted)
        }
    };
    starts.map(run).collect()
}

fn base_run(bones: Vec<usize>, names: &[ParsedName], counted: Option<usize>) -> BoneRun {
    let name = &names[bones[0]];
    let ends = bones.last().is_some_and(|last| names[*last].numbers_before_end.is_some());
    let steps = bones.iter().map(|bone| names[*bone].numbers.get(counted?).copied()).collect();
    BoneRun {
        words: name.words.clone(),
        side: name.side,
        has_end_bone: ends,
        bones,
        step_numbers: steps,
        ..BoneRun::default()
    }
}

/// The index of the number that changes from bone to bone. Returns `None` if no number or several numbers change.
fn find_step_number_index(bones: &[usize], names: &[ParsedName]) -> Option<usize> {
    let most = bones.iter().map(|b| names[*b].numbers.len()).max().unwrap_or(0);
    let full: Vec<&[u32]> = bones.iter().map(|b| names[*b].numbers.as_slice()).filter(|c| c.len() == most).collect();
    let changes = |at: usize| full.windows(2).any(|w| w[0][at] != w[1][at]);
    let mut changing = (0..most).filter(|at| changes(*at));
    let (first, second) = (changing.next(), changing.next());
    // In "Bell_01" and "Bell_end", the end word replaces the number.
    let replaced =
        || bones.iter().find_map(|b| names[*b].numbers_before_end.filter(|_| names[*b].numbers.len() + 1 == most));
    if second.is_some() { None } else { first.or_else(replaced) }
}

/// The last number that does not count bones along the run.
fn run_number(bones: &[usize], names: &[ParsedName], counted: Option<usize>) -> Option<u32> {
    let counts = bones.iter().map(|b| &names[*b].numbers).max_by_key(|c| c.len())?;
    counts.iter().enumerate().rev().find(|(at, _)| Some(*at) != counted).map(|(_, count)| *count)
}

/// Groups names with the same words and side by one of their numbers.
fn runs_by_number(named_bones: &[NamedBone], names: &[ParsedName], other: Option<&BoneRuns>) -> Vec<BoneRun> {
    let mut families: BTreeMap<(&[String], Option<BodySide>), Vec<usize>> = BTreeMap::new();
    for (bone, name) in names.iter().enumerate().filter(|(bone, _)| named_bones[*bone].role.is_none()) {
        families.entry((&name.words, name.side)).or_default().push(bone);
    }
    let mut list = Vec::new();
    for family in families.values() {
        let most = family.iter().map(|b| names[*b].numbers.len()).max().unwrap_or(0);
        let (counted, firm) = match most {
            0 | 1 => (0, true),
            _ => {
                let from_name = family.iter().find_map(|b| step_index_from_end(&names[*b], most)).map(|at| (at, true));
                let from_other = || step_index_from_other(family, names, most, other);
                from_name.or_else(from_other).unwrap_or((most - 1, is_single_bone(family, names)))
            }
        };
        for bones in group_by_number(family, names, most, counted) {
            let number = if most > 1 { run_number(&bones, names, Some(counted)) } else { None };
            let known = (most > 0 && firm && bones.len() > 1).then_some(counted);
            list.push(BoneRun {
                number,
                step_number_index: known,
                is_certain: firm,
                ..base_run(bones, names, Some(counted))
            });
        }
    }
    list
}

/// Whether a family has one bone whose numbers are equal, so that each number gives the same run.
fn is_single_bone(family: &[usize], names: &[ParsedName]) -> bool {
    let [bone] = family else { return false };
    names[*bone].numbers.windows(2).all(|pair| pair[0] == pair[1])
}

/// The index of the number along the run, if a name marks the end of the run: `Hair3_end_01`, `Bangs1_end`.
fn step_index_from_end(name: &ParsedName, most: usize) -> Option<usize> {
    let at = name.numbers_before_end?;
    if name.numbers.len() == most { at.checked_sub(1) } else { (name.numbers.len() + 1 == most).then_some(at) }
}

/// The index of the number along the runs for which the runs resemble the runs of `other` with the same or related words,
/// such as hair and bangs. The second value is whether exactly one index gives the same number of runs with the same
/// lengths. Returns `None` if all indices give equally many bones in runs of these lengths.
fn step_index_from_other(
    family: &[usize],
    names: &[ParsedName],
    most: usize,
    other: Option<&BoneRuns>,
) -> Option<(usize, bool)> {
    let name = &names[family[0]];
    let mut lengths: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for run in other?.runs.iter().filter(|run| run.side == name.side && are_related(&run.words, &name.words)) {
        lengths.entry(&run.words).or_default().push(run.bones.len());
    }
    if let Some(same) = lengths.get(name.words.as_slice()).cloned() {
        lengths = BTreeMap::from([(name.words.as_slice(), same)]);
    }
    let grouped: Vec<_> =
        (most.saturating_sub(2)..most).map(|at| (at, group_by_number(family, names, most, at))).collect();
    // A list without hierarchy may omit the tips.
    let has_length = |run: &Vec<usize>, there: &[usize]| there.iter().any(|n| *n == run.len() || *n == run.len() + 1);
    let fits = |runs: &[Vec<usize>]| {
        lengths.values().any(|there| runs.len() == there.len() && runs.iter().all(|run| has_length(run, there)))
    };
    let mut exact = grouped.iter().filter(|(_, runs)| fits(runs));
    if let (Some((at, _)), None) = (exact.next(), exact.next()) {
        return Some((*at, true));
    }
    let covered = |runs: &[Vec<usize>]| {
        let by = |there: &Vec<usize>| {
            let alike = runs.iter().filter(|run| has_length(run, there)).take(there.len());
            alike.map(Vec::len).sum::<usize>()
        };
        lengths.values().map(by).max().unwrap_or(0)
    };
    let mut counts: Vec<(usize, usize)> = grouped.iter().map(|(at, runs)| (covered(runs), *at)).collect();
    counts.sort_unstable();
    match counts.as_slice() {
        [.., (second, _), (best, at)] if best > second => Some((*at, false)),
        _ => None,
    }
}

/// Whether a word of one name has the same or a related meaning as a word of the other.
fn are_related(a: &[String], b: &[String]) -> bool {
    a == b || a.iter().any(|a| b.iter().any(|b| word_similarity(a, b) > 0.0))
}

/// Groups names under the assumption that the number at `counted` counts bones along the runs.
fn group_by_number(family: &[usize], names: &[ParsedName], most: usize, counted: usize) -> Vec<Vec<usize>> {
    let mut runs: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for bone in family {
        let mut rest = names[*bone].numbers.clone();
        if rest.len() == most && counted < most {
            rest.remove(counted);
        }
        runs.entry(rest).or_default().push(*bone);
    }
    for bones in runs.values_mut() {
        let place =
            |bone: &usize| (names[*bone].numbers_before_end.is_some(), names[*bone].numbers.get(counted).copied());
        bones.sort_by_key(place);
    }
    runs.into_values().collect()
}

fn assign_sibling_indices(list: &mut [BoneRun]) {
    let mut kinds: BTreeMap<(Vec<String>, Option<BodySide>), Vec<usize>> = BTreeMap::new();
    for (at, run) in list.iter().enumerate() {
        kinds.entry((run.words.clone(), run.side)).or_default().push(at);
    }
    for members in kinds.into_values() {
        let mut numbers: Vec<Option<u32>> = members.iter().map(|at| list[*at].number).collect();
        numbers.sort_unstable();
        let distinct = numbers.windows(2).all(|w| w[0] != w[1]) && numbers.iter().all(Option::is_some);
        for at in &members {
            list[*at].sibling_count = members.len();
            list[*at].sibling_index = if distinct { numbers.binary_search(&list[*at].number).ok() } else { None };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[(&str, Option<usize>)]) -> (Vec<NamedBone>, Vec<Option<usize>>) {
        (names.iter().map(|n| NamedBone::new(n.0)).collect(), names.iter().map(|n| n.1).collect())
    }

    /// Checks that the runs equal `expected`: the names joined by `>`, and the number.
    #[track_caller]
    fn check(list: &[(&str, Option<usize>)], expected: &[(&str, Option<u32>)]) {
        let (named_bones, parents) = names(list);
        let texts: Vec<String> = named_bones.iter().map(|h| h.name.clone()).collect();
        let runs = BoneRuns::group_names(&named_bones, &texts, &parents, None);
        let shown = |s: &BoneRun| {
            let bones: Vec<&str> = s.bones.iter().map(|b| named_bones[*b].name.as_str()).collect();
            (bones.join(" > "), s.number)
        };
        let found: Vec<_> = runs.runs.iter().map(shown).collect();
        let expected: Vec<_> = expected.iter().map(|(bones, number)| ((*bones).to_owned(), *number)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_hierarchy_determines_which_number_counts_along_a_run() {
        let vroid = [("Hair1_01", Some(4)), ("Hair2_01", Some(0)), ("Hair1_02", Some(4)), ("Hair2_end_02", Some(2))];
        let head = ("Head", None);
        check(
            &[&vroid[..], &[head]].concat(),
            &[("Hair1_01 > Hair2_01", Some(1)), ("Hair1_02 > Hair2_end_02", Some(2)), ("Head", None)],
        );
        let blender = [("Hair1_01", Some(4)), ("Hair1_02", Some(0)), ("Hair2_01", Some(4)), ("Hair2_end", Some(2))];
        check(
            &[&blender[..], &[head]].concat(),
            &[("Hair1_01 > Hair1_02", Some(1)), ("Hair2_01 > Hair2_end", Some(2)), ("Head", None)],
        );
    }

    #[test]
    fn each_branch_is_a_separate_run() {
        let tree = [("tail", None), ("tail_a", Some(0)), ("tail_d", Some(0)), ("tail_d_end", Some(2))];
        check(&tree, &[("tail", None), ("tail_a", Some(1)), ("tail_d > tail_d_end", Some(4))]);
    }

    #[test]
    fn end_bones_determine_the_step_number_of_names_without_hierarchy() {
        let vroid = ["Hair1_01", "Hair2_01", "Hair3_end_01", "Hair1_02", "Hair2_02", "Hair3_end_02"].map(|n| (n, None));
        check(
            &vroid,
            &[("Hair1_01 > Hair2_01 > Hair3_end_01", Some(1)), ("Hair1_02 > Hair2_02 > Hair3_end_02", Some(2))],
        );
        let other = ["前髪1_1", "前髪1_2", "前髪1_先", "前髪2_1", "前髪2_先"].map(|n| (n, None));
        check(&other, &[("前髪1_1 > 前髪1_2 > 前髪1_先", Some(1)), ("前髪2_1 > 前髪2_先", Some(2))]);
    }

    #[test]
    fn runs_with_an_unknown_step_number_are_not_certain() {
        let (named_bones, parents) =
            names(&[("Hair1_01", None), ("Hair2_01", None), ("Hair1_02", None), ("Hair2_02", None)]);
        let texts: Vec<String> = named_bones.iter().map(|h| h.name.clone()).collect();
        assert!(
            BoneRuns::group_names(&named_bones, &texts, &parents, None)
                .runs
                .iter()
                .all(|s| !s.is_certain && s.bones.len() == 2)
        );
    }

    #[test]
    fn circular_parents_give_no_runs() {
        let (named_bones, _) = names(&[("a1", None), ("a2", None)]);
        let texts: Vec<String> = named_bones.iter().map(|h| h.name.clone()).collect();
        assert!(BoneRuns::group_names(&named_bones, &texts, &[Some(1), Some(0)], None).runs.is_empty());
    }
}
