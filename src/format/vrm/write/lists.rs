//! Lists of objects that reference each other by index: matches old and new entries, and maps their indices.

use super::{file_index, list_field};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// For each new thing the old one that it is: the same place in the file, or alike where the place is not known. Each
/// old one is taken once.
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

/// A list of the file after the change.
#[derive(Debug, Default)]
pub(super) struct MergedList {
    pub(super) list: Vec<Value>,
    /// By new entry: its index.
    pub(super) new_positions: Vec<usize>,
    /// By old entry: its index, `None` if it was removed.
    pub(super) old_positions: Vec<Option<usize>>,
    /// By old entry: whether the loader could read it.
    pub(super) is_read: Vec<bool>,
}

/// The file's list with the entries `new` in place of `old`. `write` makes an entry from the old one that it is, if
/// any, and from the file's value of the old one.
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
    /// New entries in their order, each with the old entry that it replaces; entries that the loader could not read
    /// keep their places between them.
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

    /// The objects that the loader could not read.
    pub(super) fn unread_objects(&mut self) -> impl Iterator<Item = &mut Map<String, Value>> {
        let unread: HashSet<usize> = std::iter::zip(&self.is_read, &self.old_positions)
            .filter(|(read, _)| !**read)
            .filter_map(|(_, at)| *at)
            .collect();
        let values = self.list.iter_mut().enumerate().filter(move |(at, _)| unread.contains(at));
        values.filter_map(|(_, value)| value.as_object_mut())
    }

    /// The field `key`, a list of positions in this list, after the change. `wanted` are indices of new entries; without
    /// it, the entries that the field has are wanted.
    pub(super) fn references(&self, map: &Map<String, Value>, key: &str, wanted: Option<&[usize]>) -> Vec<Value> {
        let old_position = |value: &Value| *self.old_positions.get(usize::try_from(value.as_u64()?).ok()?)?;
        let wanted: Vec<usize> = match wanted {
            Some(wanted) => wanted.iter().filter_map(|i| self.new_positions.get(*i).copied()).collect(),
            None => list_field(Some(map), key).iter().filter_map(old_position).collect(),
        };
        merge_references(list_field(Some(map), key), self, &wanted)
    }
}

/// A list of positions: the entries of `wanted`, each once, as indices after the change. Entries of the file's
/// list, carried over, stay where they are as far as they are wanted, repeated and unreadable ones included; where the
/// order is another one, only the unreadable ones stay.
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

/// An entry of a list of positions after the change.
struct CarriedReference {
    /// What it names, where the loader could use that.
    target: Option<usize>,
    value: Value,
}

/// The entries whose targets are still there, and those that name nothing and will not by chance.
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

/// Which entries of a list of the file have a counterpart.
pub(super) fn matched_flags(count: usize, places: impl Iterator<Item = Option<usize>>) -> Vec<bool> {
    let mut flags = vec![false; count];
    for place in places.flatten() {
        if let Some(flag) = flags.get_mut(place) {
            *flag = true;
        }
    }
    flags
}
