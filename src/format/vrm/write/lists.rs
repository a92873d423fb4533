//! Lists of objects that name each other by position: which entry stands for which, and where all stand then.

use serde_json::Value;
use std::collections::HashSet;

/// For each new thing the old one that it is: the same place in the file, or alike where the place is not known. Each
/// old one is taken once.
pub(super) fn match_old_entries<T>(
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
    /// By new thing: where it stands.
    pub(super) new_positions: Vec<usize>,
    /// By old entry: where it stands, where it still does.
    pub(super) old_positions: Vec<Option<usize>>,
}

/// New entries in their order, each with the old entry that it replaces; entries that the loader could not read keep
/// their places between them.
pub(super) fn merge_lists(old: &[Value], is_read: &[bool], new: Vec<(Option<usize>, Value)>) -> MergedList {
    let mut merged = MergedList { old_positions: vec![None; old.len()], ..MergedList::default() };
    let mut next = 0;
    let pass = |merged: &mut MergedList, next: &mut usize, end: usize| {
        for i in (*next..end).filter(|i| !is_read[*i]) {
            merged.old_positions[i] = Some(merged.list.len());
            merged.list.push(old[i].clone());
        }
        *next = end.max(*next);
    };
    for (from, value) in new {
        if let Some(from) = from {
            pass(&mut merged, &mut next, from);
            merged.old_positions[from] = Some(merged.list.len());
        }
        merged.new_positions.push(merged.list.len());
        merged.list.push(value);
    }
    pass(&mut merged, &mut next, old.len());
    merged
}

/// A list of positions: what `wanted` says, each once, given as a position after the change. Entries of the file's
/// list, carried over, stay where they are as far as they are wanted, repeated and unreadable ones included; where the
/// order is another one, only the unreadable ones stay.
pub(super) fn merge_references(
    old: Option<&Value>,
    target: &MergedList,
    is_read: &[bool],
    wanted: &[usize],
) -> Vec<Value> {
    let mut is_wanted = HashSet::new();
    let wanted: Vec<usize> = wanted.iter().copied().filter(|now| is_wanted.insert(*now)).collect();
    let mut carried = carry_over_references(old, target, is_read);
    carried.retain(|entry| entry.target.is_none_or(|now| is_wanted.contains(&now)));
    let mut seen = HashSet::new();
    let said: Vec<usize> = carried.iter().filter_map(|entry| entry.target).filter(|now| seen.insert(*now)).collect();
    let is_in_order = wanted.iter().filter(|now| seen.contains(now)).eq(&said);
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
fn carry_over_references(old: Option<&Value>, target: &MergedList, is_read: &[bool]) -> Vec<CarriedReference> {
    let mut carried = Vec::new();
    for value in old.and_then(Value::as_array).into_iter().flatten() {
        let place = value.as_f64().filter(|x| x.fract() == 0.0 && *x >= 0.0).map(|x| x as usize);
        match place.and_then(|place| Some((place, *target.old_positions.get(place)?))) {
            Some((place, Some(now))) => {
                let value = if now == place { value.clone() } else { Value::from(now) };
                carried.push(CarriedReference { target: is_read[place].then_some(now), value });
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
