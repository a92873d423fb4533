//! Bones that hang one from another under one name: strands of hair, columns of a skirt, a tail.
//!
//! Where the hierarchy is known it says what hangs from what, and so which of several numbers in the names counts along
//! a strand and which counts strands: `Hair2_05` of one character is `Bangs5_02` of another. Where only names are
//! known, the numbers must say so by themselves, and [`Strand::firm`] tells whether they could.

use super::SourceName;
use crate::document::{names::BoneName, names::Side, names::general, names::is_random, names::is_species};
use std::collections::{BTreeMap, HashMap};

/// Numbers from here on count nothing: dates, or what tools append.
const NOT_COUNTED: u32 = 100_000;

/// Bones of one thing in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Strand {
    /// Positions in the list of names, root first.
    pub(super) bones: Vec<usize>,
    /// What it is; sorted, without counts and what says nothing.
    pub(super) words: Vec<String>,
    pub(super) side: Option<Side>,
    /// Which of its like it is, as its names say.
    pub(super) number: Option<u32>,
    /// Which, from 0, once its like are put in the order of their numbers.
    pub(super) rank: Option<usize>,
    /// How many of its like there are, itself included.
    pub(super) of: usize,
    /// Role of the body's bone that it hangs from.
    pub(super) anchor: Option<String>,
    /// Which of the numbers in its names counts along it.
    pub(super) counted: Option<usize>,
    /// That number of each bone.
    pub(super) steps: Vec<Option<u32>>,
    /// Whether there is no doubt which bones belong to it in which order.
    pub(super) firm: bool,
    /// Whether its last bone is called an end.
    pub(super) ends: bool,
}

/// What a list of names consists of. A bone with a role of the body belongs to no strand.
#[derive(Clone, Debug, Default)]
pub(super) struct Strands {
    pub(super) list: Vec<Strand>,
    /// Of each name: its strand, and which bone of it, from 0.
    pub(super) at: Vec<Option<(usize, usize)>>,
    /// Whether the hierarchy was known.
    pub(super) rooted: bool,
}

/// A name as strands see it.
struct Read {
    words: Vec<String>,
    side: Option<Side>,
    counts: Vec<u32>,
    end_at: Option<usize>,
}

impl Read {
    fn new(text: &str) -> Self {
        let BoneName { words, side, mut numbers, end_at } = BoneName::read(text);
        let mut kept: Vec<String> = Vec::new();
        for word in words {
            match word.as_bytes() {
                [letter @ b'a'..=b'z'] => numbers.push(u32::from(letter - b'a') + 1),
                _ if matches!(word.as_str(), "sway" | "end" | "root" | "center") || is_random(&word) => {}
                _ => kept.push(word),
            }
        }
        // "FoxTail" is a tail, "HairTwinTail" a twin tail.
        if kept.iter().any(|w| !is_species(w)) {
            kept.retain(|w| !is_species(w));
        }
        let generals: Vec<&str> = kept.iter().filter_map(|w| general(w)).collect();
        kept.retain(|w| !generals.contains(&w.as_str()));
        kept.sort();
        kept.dedup();
        numbers.retain(|n| *n < NOT_COUNTED);
        numbers.truncate(8);
        Self { words: kept, side, counts: numbers, end_at }
    }

    fn is_like(&self, other: &Self) -> bool {
        self.words == other.words && self.side == other.side
    }
}

impl Strand {
    /// The number that its first bone counts from.
    pub(super) fn first_step(&self) -> Option<u32> {
        let alone = if self.bones.len() == 1 { self.number } else { None };
        self.steps.first().copied().flatten().or(alone)
    }
}

impl Strands {
    /// Of names with their parents' positions; `texts` are what they are read as. Names alone are grouped so that they
    /// fit the strands of `other`, where they fit but one way.
    pub(super) fn read(
        hints: &[SourceName],
        texts: &[String],
        parents: &[Option<usize>],
        other: Option<&Self>,
    ) -> Self {
        let names: Vec<Read> = texts.iter().map(|text| Read::new(text)).collect();
        let rooted = parents.iter().any(Option::is_some);
        let mut list = if rooted { by_parents(hints, &names, parents) } else { by_numbers(hints, &names, other) };
        rank(&mut list);
        let mut at = vec![None; hints.len()];
        for (strand, entry) in list.iter().enumerate() {
            entry.bones.iter().enumerate().for_each(|(depth, bone)| at[*bone] = Some((strand, depth)));
        }
        Self { list, at, rooted }
    }

    /// Which number of a bone's name counts along its strand.
    pub(super) fn counted(&self, bone: usize) -> Option<usize> {
        let (strand, _) = self.at[bone]?;
        self.list[strand].counted
    }
}

/// The position of every name's parent in its list; `None` where several have the parent's name.
pub(super) fn parents_by_name(hints: &[SourceName]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, hint) in hints.iter().enumerate() {
        by_name.entry(hint.name.as_str()).and_modify(|known| *known = None).or_insert(Some(at));
    }
    let parent = |hint: &SourceName| *by_name.get(hint.parent.as_deref()?)?;
    hints.iter().map(parent).collect()
}

fn by_parents(hints: &[SourceName], names: &[Read], parents: &[Option<usize>]) -> Vec<Strand> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); hints.len()];
    for (bone, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            below[*parent].push(bone);
        }
    }
    let next = |bone: usize| -> Option<usize> {
        let mut like = below[bone].iter().filter(|b| hints[**b].role.is_none() && names[**b].is_like(&names[bone]));
        let first = like.next()?;
        // Where it forks, every branch is a strand of its own.
        like.next().is_none().then_some(*first)
    };
    let free = |bone: &usize| hints[*bone].role.is_none();
    let goes_on = |bone: usize| parents[bone].is_some_and(|p| free(&p) && next(p) == Some(bone));
    let starts = (0..hints.len()).filter(|bone| free(bone) && !goes_on(*bone));
    let strand = |start: usize| {
        let bones: Vec<usize> = std::iter::successors(Some(start), |bone| next(*bone)).collect();
        let mut above = std::iter::successors(parents[start], |bone| parents[*bone]).take(hints.len());
        let anchor = above.find_map(|bone| hints[bone].role.clone());
        let counted = counted(&bones, names);
        let number = number(&bones, names, counted);
        Strand { anchor, number, counted, firm: true, ..bare(bones, names, counted) }
    };
    starts.map(strand).collect()
}

fn bare(bones: Vec<usize>, names: &[Read], counted: Option<usize>) -> Strand {
    let name = &names[bones[0]];
    let ends = bones.last().is_some_and(|last| names[*last].end_at.is_some());
    let steps = bones.iter().map(|bone| names[*bone].counts.get(counted?).copied()).collect();
    Strand { words: name.words.clone(), side: name.side, ends, bones, steps, ..Strand::default() }
}

/// Which of the numbers changes from bone to bone; `None` where none does, or several.
fn counted(bones: &[usize], names: &[Read]) -> Option<usize> {
    let most = bones.iter().map(|b| names[*b].counts.len()).max().unwrap_or(0);
    let full: Vec<&[u32]> = bones.iter().map(|b| names[*b].counts.as_slice()).filter(|c| c.len() == most).collect();
    let changes = |at: usize| full.windows(2).any(|w| w[0][at] != w[1][at]);
    let mut changing = (0..most).filter(|at| changes(*at));
    let (first, second) = (changing.next(), changing.next());
    // "Bell_01" and "Bell_end": the end stands for the number.
    let replaced = || bones.iter().find_map(|b| names[*b].end_at.filter(|_| names[*b].counts.len() + 1 == most));
    if second.is_some() { None } else { first.or_else(replaced) }
}

/// The last number of a strand's names that does not count along it.
fn number(bones: &[usize], names: &[Read], counted: Option<usize>) -> Option<u32> {
    let counts = bones.iter().map(|b| &names[*b].counts).max_by_key(|c| c.len())?;
    counts.iter().enumerate().rev().find(|(at, _)| Some(*at) != counted).map(|(_, count)| *count)
}

/// Strands by their names alone: those with the same words and side, told apart by one of their numbers.
fn by_numbers(hints: &[SourceName], names: &[Read], other: Option<&Strands>) -> Vec<Strand> {
    let mut families: BTreeMap<(&[String], Option<Side>), Vec<usize>> = BTreeMap::new();
    for (bone, name) in names.iter().enumerate().filter(|(bone, _)| hints[*bone].role.is_none()) {
        families.entry((&name.words, name.side)).or_default().push(bone);
    }
    let mut list = Vec::new();
    for family in families.values() {
        let most = family.iter().map(|b| names[*b].counts.len()).max().unwrap_or(0);
        let (counted, firm) = match most {
            0 | 1 => (0, true),
            _ => {
                let told = family.iter().find_map(|b| told_by_end(&names[*b], most));
                let fits = || fitting(family, names, most, other);
                told.or_else(fits).map_or((most - 1, false), |at| (at, true))
            }
        };
        for bones in grouped(family, names, most, counted) {
            let number = if most > 1 { number(&bones, names, Some(counted)) } else { None };
            let known = (most > 0 && firm && bones.len() > 1).then_some(counted);
            list.push(Strand { number, counted: known, firm, ..bare(bones, names, Some(counted)) });
        }
    }
    list
}

/// Which number counts along the strand, where a name says it by marking its end: `Hair3_end_01`, `Bangs1_end`.
fn told_by_end(name: &Read, most: usize) -> Option<usize> {
    let at = name.end_at?;
    if name.counts.len() == most { at.checked_sub(1) } else { (name.counts.len() + 1 == most).then_some(at) }
}

/// Which number counts along the strands, where but one reading makes as many strands of as many bones as there.
fn fitting(family: &[usize], names: &[Read], most: usize, other: Option<&Strands>) -> Option<usize> {
    let name = &names[family[0]];
    let like = |s: &&Strand| s.words == name.words && s.side == name.side;
    let there: Vec<&Strand> = other?.list.iter().filter(like).collect();
    let fits = |at: &usize| {
        let strands = grouped(family, names, most, *at);
        let lengths = |length: usize| there.iter().any(|s| s.bones.len() == length || s.bones.len() == length + 1);
        strands.len() == there.len() && strands.iter().all(|s| lengths(s.len()))
    };
    let mut found = (most.saturating_sub(2)..most).filter(fits);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A family's strands, if the number at `counted` counts along them.
fn grouped(family: &[usize], names: &[Read], most: usize, counted: usize) -> Vec<Vec<usize>> {
    let mut strands: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for bone in family {
        let mut rest = names[*bone].counts.clone();
        if rest.len() == most && counted < most {
            rest.remove(counted);
        }
        strands.entry(rest).or_default().push(*bone);
    }
    for bones in strands.values_mut() {
        let place = |bone: &usize| (names[*bone].end_at.is_some(), names[*bone].counts.get(counted).copied());
        bones.sort_by_key(place);
    }
    strands.into_values().collect()
}

/// How many of each kind there are, and which of them each is.
fn rank(list: &mut [Strand]) {
    let mut kinds: BTreeMap<(Vec<String>, Option<Side>), Vec<usize>> = BTreeMap::new();
    for (at, strand) in list.iter().enumerate() {
        kinds.entry((strand.words.clone(), strand.side)).or_default().push(at);
    }
    for members in kinds.into_values() {
        let mut numbers: Vec<Option<u32>> = members.iter().map(|at| list[*at].number).collect();
        numbers.sort_unstable();
        let distinct = numbers.windows(2).all(|w| w[0] != w[1]) && numbers.iter().all(Option::is_some);
        for at in &members {
            list[*at].of = members.len();
            list[*at].rank = if distinct { numbers.binary_search(&list[*at].number).ok() } else { None };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[(&str, Option<usize>)]) -> (Vec<SourceName>, Vec<Option<usize>>) {
        (names.iter().map(|n| SourceName::new(n.0)).collect(), names.iter().map(|n| n.1).collect())
    }

    /// Strands as names joined by `>`, with number and kind.
    #[track_caller]
    fn check(list: &[(&str, Option<usize>)], expected: &[(&str, Option<u32>)]) {
        let (hints, parents) = names(list);
        let texts: Vec<String> = hints.iter().map(|h| h.name.clone()).collect();
        let strands = Strands::read(&hints, &texts, &parents, None);
        let shown = |s: &Strand| {
            let bones: Vec<&str> = s.bones.iter().map(|b| hints[*b].name.as_str()).collect();
            (bones.join(" > "), s.number)
        };
        let found: Vec<_> = strands.list.iter().map(shown).collect();
        let expected: Vec<_> = expected.iter().map(|(bones, number)| ((*bones).to_owned(), *number)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_hierarchy_tells_which_number_counts_along_a_strand() {
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
    fn branches_are_strands_of_their_own() {
        let tree = [("tail", None), ("tail_a", Some(0)), ("tail_d", Some(0)), ("tail_d_end", Some(2))];
        check(&tree, &[("tail", None), ("tail_a", Some(1)), ("tail_d > tail_d_end", Some(4))]);
    }

    #[test]
    fn ends_tell_names_without_hierarchy_how_they_count() {
        let vroid = ["Hair1_01", "Hair2_01", "Hair3_end_01", "Hair1_02", "Hair2_02", "Hair3_end_02"].map(|n| (n, None));
        check(
            &vroid,
            &[("Hair1_01 > Hair2_01 > Hair3_end_01", Some(1)), ("Hair1_02 > Hair2_02 > Hair3_end_02", Some(2))],
        );
        let other = ["前髪1_1", "前髪1_2", "前髪1_先", "前髪2_1", "前髪2_先"].map(|n| (n, None));
        check(&other, &[("前髪1_1 > 前髪1_2 > 前髪1_先", Some(1)), ("前髪2_1 > 前髪2_先", Some(2))]);
    }

    #[test]
    fn names_that_do_not_say_how_they_count_are_not_firm() {
        let (hints, parents) = names(&[("Hair1_01", None), ("Hair2_01", None), ("Hair1_02", None), ("Hair2_02", None)]);
        let texts: Vec<String> = hints.iter().map(|h| h.name.clone()).collect();
        assert!(Strands::read(&hints, &texts, &parents, None).list.iter().all(|s| !s.firm && s.bones.len() == 2));
    }

    #[test]
    fn parents_that_run_in_a_circle_do_no_harm() {
        let (hints, _) = names(&[("a1", None), ("a2", None)]);
        let texts: Vec<String> = hints.iter().map(|h| h.name.clone()).collect();
        assert!(Strands::read(&hints, &texts, &[Some(1), Some(0)], None).list.is_empty());
    }
}
