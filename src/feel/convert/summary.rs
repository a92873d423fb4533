//! Losses of one kind in one sentence, so that a character of a hundred bones is told in a few lines.

use super::ConversionLoss;
use super::loss::param_phrase;
use crate::diagnostics::excerpt;
use crate::sim::FeelParam;
use std::mem::discriminant;

/// So many are named; the rest is counted.
const MAX_NAMES: usize = 4;

/// What losses are told together by: what they say apart from names and numbers.
fn is_same_kind(a: &ConversionLoss, b: &ConversionLoss) -> bool {
    match (a, b) {
        (ConversionLoss::ResponseChanged { param: a, .. }, ConversionLoss::ResponseChanged { param: b, .. })
        | (ConversionLoss::ResponseLost { param: a, .. }, ConversionLoss::ResponseLost { param: b, .. })
        | (ConversionLoss::ResponseAdded { param: a, .. }, ConversionLoss::ResponseAdded { param: b, .. }) => a == b,
        (ConversionLoss::Material { material: a, .. }, ConversionLoss::Material { material: b, .. }) => a == b,
        // They are counted already, each in its own words.
        (
            ConversionLoss::JointValue { .. }
            | ConversionLoss::SystemValue { .. }
            | ConversionLoss::SystemApplies { .. }
            | ConversionLoss::ComponentList { .. },
            _,
        ) => false,
        _ => discriminant(a) == discriminant(b),
    }
}

/// A sentence for each kind of loss, in the order in which kinds appear.
pub(super) fn sentences(losses: &[ConversionLoss]) -> Vec<String> {
    let mut groups: Vec<Vec<&ConversionLoss>> = Vec::new();
    for loss in losses {
        match groups.iter_mut().find(|group| is_same_kind(group[0], loss)) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    groups.iter().map(|group| sentence(group)).collect()
}

fn sentence(group: &[&ConversionLoss]) -> String {
    let names: Vec<_> = group.iter().filter_map(|loss| subject_name(loss)).collect();
    let [first, _, ..] = group else { return group[0].to_string() };
    let Some(what) = (names.len() == group.len()).then(|| group_text(first, group)).flatten() else {
        return group.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    };
    let mut list =
        names.iter().take(MAX_NAMES).map(|name| format!("\"{}\"", excerpt(name))).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMES {
        list = format!("{list} and {} more", names.len() - MAX_NAMES);
    }
    format!("{what}: {list}")
}

/// Whom a loss is about.
fn subject_name(loss: &ConversionLoss) -> Option<&str> {
    match loss {
        ConversionLoss::ResponseChanged { bone, .. }
        | ConversionLoss::ResponseLost { bone, .. }
        | ConversionLoss::ResponseAdded { bone, .. }
        | ConversionLoss::AccelerationDirection { bone, .. }
        | ConversionLoss::LimitShapeLost { bone, .. } => Some(bone),
        ConversionLoss::UnsupportedShape { collider } => Some(collider),
        ConversionLoss::PerJointColliders { chain }
        | ConversionLoss::Center { chain }
        | ConversionLoss::Material { chain, .. }
        | ConversionLoss::WeightChanged { chain, .. }
        | ConversionLoss::Muted { chain, .. }
        | ConversionLoss::ParamsAveraged { chain, .. } => Some(chain),
        ConversionLoss::JointValue { .. }
        | ConversionLoss::SystemApplies { .. }
        | ConversionLoss::SystemValue { .. }
        | ConversionLoss::LengthTargets { .. }
        | ConversionLoss::Forces { .. }
        | ConversionLoss::ComponentList { .. }
        | ConversionLoss::HighLegs { .. } => None,
    }
}

/// What is true of several; `first` is one of them.
fn group_text(first: &ConversionLoss, group: &[&ConversionLoss]) -> Option<String> {
    let n = group.len();
    let numbers = |number: fn(&ConversionLoss) -> Option<f32>, digits: usize| {
        range_text(group.iter().filter_map(|loss| number(loss)), digits)
    };
    Some(match first {
        ConversionLoss::ResponseChanged { param: term, .. } => {
            let (verb, unit) = plural_phrase(*term);
            let to =
                numbers(|loss| if let ConversionLoss::ResponseChanged { to, .. } = loss { Some(*to) } else { None }, 3);
            let from = numbers(value_before, 3);
            format!("{n} bones {verb} {to}{unit}, not {from}")
        }
        ConversionLoss::ResponseLost { param: FeelParam::MaxAngle, .. } => {
            format!("{n} bones have no limit any more; they turned at most {} degrees", numbers(value_before, 1))
        }
        ConversionLoss::ResponseLost { param: term, .. } => {
            let (verb, unit) = plural_phrase(*term);
            format!("{n} bones no longer {verb} {}{unit}: the solver has no number for it", numbers(value_before, 3))
        }
        ConversionLoss::ResponseAdded { param: term, .. } => {
            let (verb, unit) = plural_phrase(*term);
            format!("{n} bones {verb} {}{unit}; before the conversion nothing did that", numbers(value_after, 3))
        }
        ConversionLoss::WeightChanged { .. } => {
            format!(
                "{n} chains are pulled with {} m/s² on average, not {}",
                numbers(value_after, 2),
                numbers(value_before, 2)
            )
        }
        ConversionLoss::Muted { .. } => {
            let (to, from) = (numbers(value_after, 1), numbers(value_before, 1));
            format!("{n} chains swing {to} degrees in the motion \"turn\", not {from}")
        }
        ConversionLoss::ParamsAveraged { .. } => {
            let worst = group.iter().max_by(|a, b| deviation(a).total_cmp(&deviation(b)))?;
            let ConversionLoss::ParamsAveraged { bone, label, from, to, .. } = worst else { return None };
            let bone = excerpt(bone);
            format!(
                "all joints of {n} chains get the mean of their chain's numbers ({label} of bone \"{bone}\" deviates most: \
                 {to:.3}, not {from:.3})"
            )
        }
        ConversionLoss::AccelerationDirection { .. } => {
            let by = numbers(
                |loss| {
                    if let ConversionLoss::AccelerationDirection { degrees: by, .. } = loss { Some(*by) } else { None }
                },
                0,
            );
            format!("{n} bones are pulled {by} degrees off")
        }
        ConversionLoss::LimitShapeLost { .. } => {
            let cone = numbers(
                |loss| {
                    if let ConversionLoss::LimitShapeLost { cone_degrees: cone, .. } = loss {
                        Some(*cone)
                    } else {
                        None
                    }
                },
                1,
            );
            format!("{n} bones may lean by {cone} degrees in every direction: the shape of their limits is lost")
        }
        ConversionLoss::UnsupportedShape { .. } => format!("{n} colliders push nothing: the solver has no such shapes"),
        ConversionLoss::PerJointColliders { .. } => {
            format!("all joints of {n} chains are pushed by all colliders that one of theirs had")
        }
        ConversionLoss::Center { .. } => {
            format!("speed of {n} chains is measured from the world, not from their centers")
        }
        ConversionLoss::Material { material, .. } => {
            format!("{n} chains leave the material \"{}\" and have numbers of their own", excerpt(material))
        }
        _ => return None,
    })
}

fn value_before(loss: &ConversionLoss) -> Option<f32> {
    match loss {
        ConversionLoss::ResponseChanged { from, .. }
        | ConversionLoss::ResponseLost { from, .. }
        | ConversionLoss::WeightChanged { from, .. }
        | ConversionLoss::Muted { from, .. } => Some(*from),
        _ => None,
    }
}

fn value_after(loss: &ConversionLoss) -> Option<f32> {
    match loss {
        ConversionLoss::ResponseAdded { to, .. }
        | ConversionLoss::WeightChanged { to, .. }
        | ConversionLoss::Muted { to, .. } => Some(*to),
        _ => None,
    }
}

/// By which share a bone's own number differs from the mean.
fn deviation(loss: &ConversionLoss) -> f32 {
    match loss {
        ConversionLoss::ParamsAveraged { from, to, .. } => super::averaging::relative_deviation(*from, *to),
        _ => 0.0,
    }
}

/// Verb for several, and the unit behind the number.
fn plural_phrase(term: FeelParam) -> (&'static str, String) {
    let (_, unit) = param_phrase(term);
    let verb = match term {
        FeelParam::Speed => "swing",
        FeelParam::Settling => "settle with a damping of",
        FeelParam::Weight => "are pulled with",
        FeelParam::IgnoreMotion => "ignore a share of the body's motion of",
        FeelParam::MaxAngle => "turn at most",
    };
    (verb, if unit.is_empty() { String::new() } else { format!(" {unit}") })
}

/// The least and the greatest, or one where both read alike.
fn range_text(numbers: impl Iterator<Item = f32>, digits: usize) -> String {
    let (low, high) = numbers.fold((f32::MAX, f32::MIN), |(low, high), n| (low.min(n), high.max(n)));
    let [low, high] = [low, high].map(|n| format!("{n:.digits$}"));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_summary(losses: &[ConversionLoss], expected: &[&str]) {
        assert_eq!(sentences(losses), expected);
    }

    #[test]
    fn losses_of_one_kind_become_one_sentence_with_count_range_and_first_names() {
        let felt =
            |n: u8, term, to| ConversionLoss::ResponseChanged { bone: format!("hair_{n}"), param: term, from: 2.0, to };
        let mut losses: Vec<_> = (0..6).map(|n| felt(n, FeelParam::Speed, 2.5 + f32::from(n) * 0.1)).collect();
        losses.insert(1, felt(9, FeelParam::Settling, 1.0));
        losses.extend((0..2).map(|n| ConversionLoss::ResponseLost {
            bone: format!("skirt_{n}"),
            param: FeelParam::MaxAngle,
            from: 30.0,
        }));
        losses
            .extend([ConversionLoss::SystemValue { label: "Gravity" }, ConversionLoss::SystemValue { label: "Wind" }]);
        check_summary(
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
    fn chains_that_leave_the_same_material_share_a_sentence() {
        let left = |chain: &str, material: &str| ConversionLoss::Material {
            chain: chain.to_owned(),
            material: material.to_owned(),
        };
        check_summary(
            &[left("a", "Soft"), left("b", "Firm"), left("c", "Soft")],
            &[
                "2 chains leave the material \"Soft\" and have numbers of their own: \"a\", \"c\"",
                "\"b\" leaves the material \"Firm\" and has numbers of its own",
            ],
        );
    }
}
