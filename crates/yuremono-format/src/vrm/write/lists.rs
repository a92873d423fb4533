//! Merges lists of objects that refer to each other by index: matches old entries with new entries, and converts the
//! indices.

use super::{file_index, list_field};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Returns the matching old entry for each new entry. Entries match by their index in the file, or by `alike` if the
/// index is unknown. Each old entry is used at most once.
fn match_old_entries<T>(
    new: &[T],
    old: &[T],
    place: impl Fn(&T) -> Option<usize>,
    alike: impl Fn(&T, &T) -> bool,
) -> Vec<Option<usize>> {
    let mut taken = vec![false; old.len()];
    let mut by_place: Vec<(usize, usize)> = old.iter().enumerate().filter_map(|(i, o)| Some((place(o)?, i))).collect();
    by_place.sort_unstable();
    let mut take = |i: usize| (!std::mem::replace(&mut taken[i], true)).then_some(i);
    let mut pairs: Vec<Option<usize>> = new
        .iter()
        .map(|n| {
            let found = by_place.binary_search_by_key(&place(n)?, |(place, _)| *place).ok()?;
            take(by_place[found].1)
        })
        .collect();
    for (n, pair) in new.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
        *pair = old.iter().enumerate().filter(|(_, o)| alike(n, o)).find_map(|(i, _)| take(i));
    }
    pairs
}

/// A JSON list of the file after old and new entries are merged.
#[derive(Debug, Default)]
pub(super) struct MergedList {
    pub(super) list: Vec<Value>,
    /// Indexed by new entry: its index in the merged list.
    pub(super) new_positions: Vec<usize>,
    /// Indexed by old entry: its index in the merged list, or `None` if the entry was removed.
    pub(super) old_positions: Vec<Option<usize>>,
    /// Indexed by old entry: whether the loader could read the entry.
    pub(super) is_read: Vec<bool>,
}

/// Returns the file's list with the entries `old` replaced with `new`. `write` creates the JSON of an entry from the
/// matching old entry, if there is one, and from the JSON of that entry in the file.
pub(super) fn update_list<T>(
    file: &[Value],
    old: &[T],
    new: &[T],
    place: impl Fn(&T) -> Option<usize>,
    alike: impl Fn(&T, &T) -> bool,
    mut write: impl FnMut(&T, Option<&T>, Option<&Value>) -> Value,
) -> MergedList {
    let pairs = match_old_entries(new, old, &place, alike);
    let mut write = |(entry, pair): (&T, Option<usize>)| {
        let was = pair.map(|pair| &old[pair]);
        let from = was.and_then(&place);
        (from, write(entry, was, from.and_then(|from| file.get(from))))
    };
    let made = new.iter().zip(pairs).map(&mut write).collect();
    MergedList::merge(file, matched_flags(file.len(), old.iter().map(place)), made)
}

impl MergedList {
    /// Merges the new entries into the list in their order. Each new entry comes with the index of the old entry that
    /// it replaces, if any. Entries that the loader could not read keep their positions between the new entries.
    pub(super) fn merge(old: &[Value], is_read: Vec<bool>, new: Vec<(Option<usize>, Value)>) -> Self {
        let mut merged = Self { old_positions: vec![None; old.len()], is_read, ..Self::default() };
        let mut next = 0;
        for (from, value) in new {
            if let Some(from) = from {
                merged.keep_unread(old, &mut next, from);
                merged.old_positions[from] = Some(merged.list.len());
            }
            merged.new_positions.push(merged.list.len());
            merged.list.push(value);
        }
        merged.keep_unread(old, &mut next, old.len());
        merged
    }

    fn keep_unread(&mut self, old: &[Value], next: &mut usize, end: usize) {
        for (i, value) in old.iter().enumerate().take(end).skip(*next) {
            if !self.is_read[i] {
                self.old_positions[i] = Some(self.list.len());
                self.list.push(value.clone());
            }
        }
        *next = end.max(*next);
    }

    pub(super) fn unread_objects(&mut self) -> impl Iterator<Item = &mut Map<String, Value>> {
        let unread: HashSet<usize> = std::iter::zip(&self.is_read, &self.old_positions)
            .filter(|(read, _)| !**read)
            .filter_map(|(_, at)| *at)
            .collect();
        let values = self.list.iter_mut().enumerate().filter(move |(at, _)| unread.contains(at));
        values.filter_map(|(_, value)| value.as_object_mut())
    }

    /// Returns the new value of the field `key`, which is a list of indices into this list. `wanted` contains indices
    /// of new entries. If `wanted` is `None`, the field keeps its current entries.
    pub(super) fn references(&self, map: &Map<String, Value>, key: &str, wanted: Option<&[usize]>) -> Vec<Value> {
        let old_position = |value: &Value| *self.old_positions.get(usize::try_from(value.as_u64()?).ok()?)?;
        let wanted: Vec<usize> = match wanted {
            Some(wanted) => wanted.iter().filter_map(|i| self.new_positions.get(*i).copied()).collect(),
            None => list_field(Some(map), key).iter().filter_map(old_position).collect(),
        };
        merge_references(list_field(Some(map), key), self, &wanted)
    }
}

/// Returns the entries of `wanted` without duplicates, as indices after the change. Entries of the file's list that are
/// still wanted keep their positions. Their repetitions and unreadable entries are also kept. If the order has changed,
/// only the unreadable entries are kept.
fn merge_references(old: &[Value], target: &MergedList, wanted: &[usize]) -> Vec<Value> {
    let mut is_wanted = HashSet::new();
    let wanted: Vec<usize> = wanted.iter().copied().filter(|now| is_wanted.insert(*now)).collect();
    let mut carried = carry_over_references(old, target);
    carried.retain(|entry| entry.target.is_none_or(|now| is_wanted.contains(&now)));
    let mut seen = HashSet::new();
    let carried_targets: Vec<usize> =
        carried.iter().filter_map(|entry| entry.target).filter(|now| seen.insert(*now)).collect();
    let is_in_order = wanted.iter().filter(|now| seen.contains(now)).eq(&carried_targets);
    if !is_in_order {
        let unread = carried.into_iter().filter(|entry| entry.target.is_none()).map(|entry| entry.value);
        return wanted.into_iter().map(Value::from).chain(unread).collect();
    }
    let mut made = Vec::with_capacity(wanted.len().max(carried.len()));
    let mut rest = wanted.into_iter();
    let mut done = HashSet::new();
    for entry in carried {
        if let Some(now) = entry.target.filter(|now| done.insert(*now)) {
            made.extend(rest.by_ref().take_while(|next| *next != now).map(Value::from));
        }
        made.push(entry.value);
    }
    made.extend(rest.map(Value::from));
    made
}

/// An entry of an index list, updated for the change.
struct CarriedReference {
    /// The index of the referenced entry, if the loader could read that entry.
    target: Option<usize>,
    value: Value,
}

/// Returns the entries that refer to existing entries, and the invalid entries. An invalid entry is dropped if it would
/// refer to an existing entry after the change.
fn carry_over_references(old: &[Value], target: &MergedList) -> Vec<CarriedReference> {
    let mut carried = Vec::new();
    for value in old {
        let place = file_index(value);
        match place.and_then(|place| Some((place, *target.old_positions.get(place)?))) {
            Some((place, Some(now))) => {
                let value = if now == place { value.clone() } else { Value::from(now) };
                carried.push(CarriedReference { target: target.is_read[place].then_some(now), value });
            }
            Some((_, None)) => {}
            None if place.is_some_and(|place| place < target.list.len()) => {}
            None => carried.push(CarriedReference { target: None, value: value.clone() }),
        }
    }
    carried
}

/// Returns, for each entry of a list of the file, whether `places` contains its index.
pub(super) fn matched_flags(count: usize, places: impl Iterator<Item = Option<usize>>) -> Vec<bool> {
    let mut flags = vec![false; count];
    for place in places.flatten() {
        if let Some(flag) = flags.get_mut(place) {
            *flag = true;
        }
    }
    flags
}
