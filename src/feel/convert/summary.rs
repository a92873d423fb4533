//! Losses of one kind in one sentence, so that a character of a hundred bones is told in a few lines.

use super::Loss;
use super::loss::named;
use crate::report::clip;
use crate::sim::Term;
use std::mem::discriminant;

/// So many are named; the rest is counted.
const NAMED: usize = 4;

/// What losses are told together by: what they say apart from names and numbers.
fn is_alike(a: &Loss, b: &Loss) -> bool {
    match (a, b) {
        (Loss::Felt { term: a, .. }, Loss::Felt { term: b, .. })
        | (Loss::Missing { term: a, .. }, Loss::Missing { term: b, .. })
        | (Loss::Appeared { term: a, .. }, Loss::Appeared { term: b, .. }) => a == b,
        (Loss::Material { material: a, .. }, Loss::Material { material: b, .. }) => a == b,
        // They are counted already, each in its own words.
        (Loss::JointValue { .. } | Loss::SystemValue { .. } | Loss::SystemApplies { .. } | Loss::Side { .. }, _) => {
            false
        }
        _ => discriminant(a) == discriminant(b),
    }
}

/// A sentence for each kind of loss, in the order in which kinds appear.
pub(super) fn sentences(losses: &[Loss]) -> Vec<String> {
    let mut groups: Vec<Vec<&Loss>> = Vec::new();
    for loss in losses {
        match groups.iter_mut().find(|group| is_alike(group[0], loss)) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    groups.iter().map(|group| sentence(group)).collect()
}

fn sentence(group: &[&Loss]) -> String {
    let names: Vec<_> = group.iter().filter_map(|loss| name(loss)).collect();
    let [first, _, ..] = group else { return group[0].to_string() };
    let Some(what) = (names.len() == group.len()).then(|| about_all(first, group)).flatten() else {
        return group.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    };
    let mut list = names.iter().take(NAMED).map(|name| format!("\"{}\"", clip(name))).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        list = format!("{list} and {} more", names.len() - NAMED);
    }
    format!("{what}: {list}")
}

/// Whom a loss is about.
fn name(loss: &Loss) -> Option<&str> {
    match loss {
        Loss::Felt { bone, .. }
        | Loss::Missing { bone, .. }
        | Loss::Appeared { bone, .. }
        | Loss::Direction { bone, .. }
        | Loss::LimitShape { bone, .. } => Some(bone),
        Loss::Shape { collider } => Some(collider),
        Loss::CollidersOfJoints { chain }
        | Loss::Center { chain }
        | Loss::Material { chain, .. }
        | Loss::Pull { chain, .. }
        | Loss::Muted { chain, .. }
        | Loss::Averaged { chain, .. } => Some(chain),
        Loss::JointValue { .. }
        | Loss::SystemApplies { .. }
        | Loss::SystemValue { .. }
        | Loss::LengthTargets { .. }
        | Loss::Forces { .. }
        | Loss::Side { .. }
        | Loss::HighLegs { .. } => None,
    }
}

/// What is true of several; `first` is one of them.
fn about_all(first: &Loss, group: &[&Loss]) -> Option<String> {
    let n = group.len();
    let numbers =
        |number: fn(&Loss) -> Option<f32>, digits: usize| span(group.iter().filter_map(|loss| number(loss)), digits);
    Some(match first {
        Loss::Felt { term, .. } => {
            let (verb, unit) = said(*term);
            let to = numbers(|loss| if let Loss::Felt { to, .. } = loss { Some(*to) } else { None }, 3);
            let from = numbers(was, 3);
            format!("{n} bones {verb} {to}{unit}, not {from}")
        }
        Loss::Missing { term: Term::Reach, .. } => {
            format!("{n} bones have no limit any more; they turned at most {} degrees", numbers(was, 1))
        }
        Loss::Missing { term, .. } => {
            let (verb, unit) = said(*term);
            format!("{n} bones no longer {verb} {}{unit}: the solver has no number for it", numbers(was, 3))
        }
        Loss::Appeared { term, .. } => {
            let (verb, unit) = said(*term);
            format!("{n} bones {verb} {}{unit}; before the conversion nothing did that", numbers(will, 3))
        }
        Loss::Pull { .. } => {
            format!("{n} chains are pulled with {} m/s² on average, not {}", numbers(will, 2), numbers(was, 2))
        }
        Loss::Muted { .. } => {
            let (to, from) = (numbers(will, 1), numbers(was, 1));
            format!("{n} chains swing {to} degrees in the motion \"turn\", not {from}")
        }
        Loss::Averaged { .. } => {
            let worst = group.iter().max_by(|a, b| deviation(a).total_cmp(&deviation(b)))?;
            let Loss::Averaged { bone, label, from, to, .. } = worst else { return None };
            let bone = clip(bone);
            format!(
                "all joints of {n} chains get the mean of their chain's numbers ({label} of bone \"{bone}\" deviates most: \
                 {to:.3}, not {from:.3})"
            )
        }
        Loss::Direction { .. } => {
            let by = numbers(|loss| if let Loss::Direction { by, .. } = loss { Some(*by) } else { None }, 0);
            format!("{n} bones are pulled {by} degrees off")
        }
        Loss::LimitShape { .. } => {
            let cone = numbers(|loss| if let Loss::LimitShape { cone, .. } = loss { Some(*cone) } else { None }, 1);
            format!("{n} bones may lean by {cone} degrees in every direction: the shape of their limits is lost")
        }
        Loss::Shape { .. } => format!("{n} colliders push nothing: the solver has no such shapes"),
        Loss::CollidersOfJoints { .. } => {
            format!("all joints of {n} chains are pushed by all colliders that one of theirs had")
        }
        Loss::Center { .. } => format!("speed of {n} chains is measured from the world, not from their centers"),
        Loss::Material { material, .. } => {
            format!("{n} chains leave the material \"{}\" and have numbers of their own", clip(material))
        }
        _ => return None,
    })
}

fn was(loss: &Loss) -> Option<f32> {
    match loss {
        Loss::Felt { from, .. } | Loss::Missing { from, .. } | Loss::Pull { from, .. } | Loss::Muted { from, .. } => {
            Some(*from)
        }
        _ => None,
    }
}

fn will(loss: &Loss) -> Option<f32> {
    match loss {
        Loss::Appeared { to, .. } | Loss::Pull { to, .. } | Loss::Muted { to, .. } => Some(*to),
        _ => None,
    }
}

/// By which share a bone's own number differs from the mean.
fn deviation(loss: &Loss) -> f32 {
    match loss {
        Loss::Averaged { from, to, .. } => super::averaged::deviation(*from, *to),
        _ => 0.0,
    }
}

/// Verb for several, and the unit behind the number.
fn said(term: Term) -> (&'static str, String) {
    let (_, unit) = named(term);
    let verb = match term {
        Term::Speed => "swing",
        Term::Settle => "settle with a damping of",
        Term::Weight => "are pulled with",
        Term::Follow => "ignore a share of the body's motion of",
        Term::Reach => "turn at most",
    };
    (verb, if unit.is_empty() { String::new() } else { format!(" {unit}") })
}

/// The least and the greatest, or one where both read alike.
fn span(numbers: impl Iterator<Item = f32>, digits: usize) -> String {
    let (low, high) = numbers.fold((f32::MAX, f32::MIN), |(low, high), n| (low.min(n), high.max(n)));
    let [low, high] = [low, high].map(|n| format!("{n:.digits$}"));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(losses: &[Loss], expected: &[&str]) {
        assert_eq!(sentences(losses), expected);
    }

    #[test]
    fn losses_of_one_kind_are_one_sentence_with_count_span_and_first_names() {
        let felt = |n: u8, term, to| Loss::Felt { bone: format!("hair_{n}"), term, from: 2.0, to };
        let mut losses: Vec<_> = (0..6).map(|n| felt(n, Term::Speed, 2.5 + f32::from(n) * 0.1)).collect();
        losses.insert(1, felt(9, Term::Settle, 1.0));
        losses.extend((0..2).map(|n| Loss::Missing { bone: format!("skirt_{n}"), term: Term::Reach, from: 30.0 }));
        losses.extend([Loss::SystemValue { label: "Gravity" }, Loss::SystemValue { label: "Wind" }]);
        check(
            &losses,
            &[
                "6 bones swing 2.500 to 3.000 Hz, not 2.000: \"hair_0\", \"hair_1\", \"hair_2\", \"hair_3\" and 2 more",
                "bone \"hair_9\" settles with a damping of 1.000, not 2.000",
                "2 bones have no limit any more; they turned at most 30.0 degrees: \"skirt_0\", \"skirt_1\"",
                "Gravity of the character is left behind",
                "Wind of the character is left behind",
            ],
        );
    }

    #[test]
    fn chains_are_told_together_by_the_material_that_they_leave() {
        let left =
            |chain: &str, material: &str| Loss::Material { chain: chain.to_owned(), material: material.to_owned() };
        check(
            &[left("a", "Soft"), left("b", "Firm"), left("c", "Soft")],
            &[
                "2 chains leave the material \"Soft\" and have numbers of their own: \"a\", \"c\"",
                "\"b\" leaves the material \"Firm\" and has numbers of its own",
            ],
        );
    }
}
