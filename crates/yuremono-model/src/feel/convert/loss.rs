//! Losses: data that a conversion between solvers cannot keep, and the sentences that report the losses.
//!
//! Losses of the same kind share a sentence, so a character with a hundred bones needs only a few lines.

use crate::document::{ListKind, chain::RELATIVE_TOLERANCE};
use glam::Vec3;
use std::fmt;
use std::mem::discriminant;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::params::{ParamDef, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::{FeelParam, SpringResponse, UNLIMITED_ANGLE_DEG};

/// Smaller relative changes of a term are not reported.
const MIN_REPORTED_CHANGE: f32 = 0.02;
/// Maximum number of names in a sentence. The sentence counts the remaining names.
const MAX_NAMES: usize = 4;

/// A difference between a document and its conversion. `from` is the value before, `to` the value after.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants describe their fields")]
pub enum ConversionLoss {
    /// A term of a bone's response changes. The value is in the unit of [`SpringResponse::get`].
    ResponseChanged { bone: String, param: FeelParam, from: f32, to: f32 },
    /// The solver does not support a term that the bone had.
    ResponseLost { bone: String, param: FeelParam, from: f32 },
    /// The solver adds a term that the bone did not have.
    ResponseAdded { bone: String, param: FeelParam, to: f32 },
    /// The weight of a chain changes. The values are means over its joints, in m/s².
    WeightChanged { chain: String, from: f32, to: f32 },
    /// A chain swings less than half as far. The values are means over its joints, in degrees.
    Muted { chain: String, from: f32, to: f32 },
    /// All joints of a chain get the mean of their values. `label` and `bone` identify the largest deviation.
    ParamsAveraged { chain: String, bone: String, label: &'static str, from: f32, to: f32 },
    /// A value of the target system, set before the conversion, now affects the converted chains.
    SystemApplies { label: &'static str },
    /// The acceleration of a bone rotates by this angle.
    AccelerationDirection { bone: String, degrees: f32 },
    /// The solver does not support the shape of this collider.
    UnsupportedShape { collider: String },
    /// The limit of a bone was not a cone about its rest direction. It becomes a cone with this half angle.
    LimitShapeLost { bone: String, cone_degrees: f32 },
    /// Joints of a chain had different colliders. Each joint now has all of them.
    PerJointColliders { chain: String },
    /// The solver has no center. The speed of the chain is now measured in world space.
    Center { chain: String },
    /// A chain no longer shares the values of its material.
    Material { chain: String, material: String },
    /// The solver has no such joint parameter. `bones` counts the bones with a value other than the default.
    JointValue { label: &'static str, bones: usize },
    /// The solver has no such system parameter.
    SystemValue { label: &'static str },
    /// The solver has no length limits to other bones.
    LengthTargets { bones: usize },
    /// The solver ignores winds and forces.
    Forces { count: usize },
    /// The solver has no such component list.
    ComponentList { list: ListKind, count: usize },
    /// The solver has no leg followers.
    HighLegs { count: usize },
    /// The solver has no collider groups. The colliders of a group that chains use are assigned to the joints.
    ColliderGroup { group: String, is_used: bool },
}

/// The element that a loss names.
#[derive(Clone, Copy)]
pub(super) enum LossSubject<'a> {
    Bone(&'a str),
    Chain(&'a str),
    Collider(&'a str),
    ColliderGroup(&'a str),
}

/// The terms that differ between two responses of a bone.
pub(super) fn response_losses(bone: &str, from: &SpringResponse, to: &SpringResponse) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    let bone = || bone.to_owned();
    let mut compare = |param, from: Option<f32>, to: Option<f32>, least: f32| match (from, to) {
        (Some(from), Some(to)) if (from - to).abs() > MIN_REPORTED_CHANGE * from.abs().max(least) => {
            losses.push(ConversionLoss::ResponseChanged { bone: bone(), param, from, to });
        }
        (None, Some(to)) if to != 0.0 => losses.push(ConversionLoss::ResponseAdded { bone: bone(), param, to }),
        (Some(from), None) if from != 0.0 => losses.push(ConversionLoss::ResponseLost { bone: bone(), param, from }),
        _ => {}
    };
    compare(FeelParam::Speed, Some(from.frequency_hz), Some(to.frequency_hz), 0.1);
    compare(FeelParam::Settling, Some(from.damping_ratio), Some(to.damping_ratio), 0.1);
    compare(FeelParam::Weight, Some(from.acceleration.length()), Some(to.acceleration.length()), 0.5);
    compare(FeelParam::IgnoreMotion, from.ignored_motion, to.ignored_motion, 0.1);
    let limit = |response: &SpringResponse| response.max_angle_deg.filter(|angle| *angle < UNLIMITED_ANGLE_DEG);
    compare(FeelParam::MaxAngle, limit(from), limit(to), 1.0);
    let degrees = from.acceleration.angle_between(to.acceleration).to_degrees();
    if degrees > 1.0 && from.acceleration.length() > 0.1 && to.acceleration.length() > 0.1 {
        losses.push(ConversionLoss::AccelerationDirection { bone: bone(), degrees });
    }
    losses
}

impl ConversionLoss {
    pub(super) fn subject(&self) -> Option<LossSubject<'_>> {
        match self {
            Self::ResponseChanged { bone, .. }
            | Self::ResponseLost { bone, .. }
            | Self::ResponseAdded { bone, .. }
            | Self::AccelerationDirection { bone, .. }
            | Self::LimitShapeLost { bone, .. } => Some(LossSubject::Bone(bone)),
            Self::WeightChanged { chain, .. }
            | Self::Muted { chain, .. }
            | Self::ParamsAveraged { chain, .. }
            | Self::PerJointColliders { chain }
            | Self::Center { chain }
            | Self::Material { chain, .. } => Some(LossSubject::Chain(chain)),
            Self::UnsupportedShape { collider } => Some(LossSubject::Collider(collider)),
            Self::ColliderGroup { group, .. } => Some(LossSubject::ColliderGroup(group)),
            _ => None,
        }
    }

    /// Whether the loss is a change of a bone's weight.
    pub(super) const fn is_weight_change(&self) -> bool {
        matches!(self, Self::ResponseChanged { param: FeelParam::Weight, .. })
    }

    /// The sentence that reports this loss alone.
    pub fn message(&self) -> MessageText {
        group_message(&[self])
    }

    fn value_before(&self) -> Option<f32> {
        match self {
            Self::ResponseChanged { from, .. }
            | Self::ResponseLost { from, .. }
            | Self::WeightChanged { from, .. }
            | Self::Muted { from, .. }
            | Self::ParamsAveraged { from, .. } => Some(*from),
            _ => None,
        }
    }

    fn value_after(&self) -> Option<f32> {
        match self {
            Self::ResponseChanged { to, .. }
            | Self::ResponseAdded { to, .. }
            | Self::WeightChanged { to, .. }
            | Self::Muted { to, .. }
            | Self::ParamsAveraged { to, .. } => Some(*to),
            Self::AccelerationDirection { degrees, .. } | Self::LimitShapeLost { cone_degrees: degrees, .. } => {
                Some(*degrees)
            }
            _ => None,
        }
    }

    /// Whether both losses share one sentence.
    fn is_same_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::ResponseChanged { param: a, .. }, Self::ResponseChanged { param: b, .. })
            | (Self::ResponseLost { param: a, .. }, Self::ResponseLost { param: b, .. })
            | (Self::ResponseAdded { param: a, .. }, Self::ResponseAdded { param: b, .. }) => a == b,
            (Self::Material { material: a, .. }, Self::Material { material: b, .. }) => a == b,
            (Self::ColliderGroup { is_used: a, .. }, Self::ColliderGroup { is_used: b, .. }) => a == b,
            _ => self.subject().is_some() && discriminant(self) == discriminant(other),
        }
    }
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// The mean acceleration of a chain before and after, if any joint changed. Each entry of `joints` contains whether the
/// joint changed, and the joint's acceleration before and after, in m/s².
pub(super) fn chain_weight_loss(chain: &str, joints: &[(bool, Vec3, Vec3)]) -> Option<ConversionLoss> {
    joints.iter().any(|(changed, ..)| *changed).then(|| {
        let mean = |pulls: &mut dyn Iterator<Item = Vec3>| pulls.map(Vec3::length).sum::<f32>() / joints.len() as f32;
        ConversionLoss::WeightChanged {
            chain: chain.to_owned(),
            from: mean(&mut joints.iter().map(|joint| joint.1)),
            to: mean(&mut joints.iter().map(|joint| joint.2)),
        }
    })
}

/// The parameter and the bone with the largest deviation from the mean. Returns `None` if all joints have the same
/// values.
pub(super) fn largest_deviation(
    chain: &str,
    bones: &[&str],
    table: &'static [ParamDef],
    exact: &[ParamSet],
    means: &[ParamSet],
) -> Option<ConversionLoss> {
    let mut worst: Option<(f32, ConversionLoss)> = None;
    for (param, def) in enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint) {
        for ((own, mean), bone) in exact.iter().zip(means).zip(bones) {
            let (from, to) = (own.get(param), mean.get(param));
            let off = relative_deviation(from, to);
            if off > RELATIVE_TOLERANCE && worst.as_ref().is_none_or(|(most, _)| off > *most) {
                let (chain, bone) = (chain.to_owned(), (*bone).to_owned());
                worst = Some((off, ConversionLoss::ParamsAveraged { chain, bone, label: def.label, from, to }));
            }
        }
    }
    worst.map(|(_, loss)| loss)
}

/// The relative difference of a value from the mean.
fn relative_deviation(own: f32, mean: f32) -> f32 {
    let size = own.abs().max(mean.abs());
    if size > 0.0 { (own - mean).abs() / size } else { 0.0 }
}

/// One sentence per kind of loss, in the order in which the kinds appear.
pub(super) fn summarize(losses: &[ConversionLoss]) -> Vec<MessageText> {
    let mut groups: Vec<Vec<&ConversionLoss>> = Vec::new();
    for loss in losses {
        match groups.iter_mut().find(|group| group[0].is_same_kind(loss)) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    groups.iter().map(|group| group_message(group)).collect()
}

/// The sentence for losses of one kind.
fn group_message(group: &[&ConversionLoss]) -> MessageText {
    use ConversionLoss as Loss;
    let subject = subject_text(group);
    let from = |digits, unit| range_text(group.iter().filter_map(|loss| loss.value_before()), digits, unit);
    let to = |digits, unit| range_text(group.iter().filter_map(|loss| loss.value_after()), digits, unit);
    match group[0] {
        Loss::ResponseChanged { param, .. } => {
            let ((digits, unit), param) = (param_format(*param), param_text(*param));
            let (from, to) = (from(digits, unit), to(digits, unit));
            message!("{subject}: {param} is {to} instead of {from}", subject, param, to, from)
        }
        Loss::ResponseLost { param: FeelParam::MaxAngle, .. } => {
            message!("{subject}: no angle limit any more; the limit was {from}", subject, from = from(1, "°"))
        }
        Loss::ResponseLost { param, .. } => {
            let ((digits, unit), param) = (param_format(*param), param_text(*param));
            let from = from(digits, unit);
            message!("{subject}: {param} was {from}; the solver has no parameter for it", subject, param, from)
        }
        Loss::ResponseAdded { param, .. } => {
            let ((digits, unit), param) = (param_format(*param), param_text(*param));
            message!("{subject}: the solver adds {param} of {to}", subject, param, to = to(digits, unit))
        }
        Loss::WeightChanged { .. } => {
            let (from, to) = (from(2, " m/s²"), to(2, " m/s²"));
            message!("{subject}: mean weight is {to} instead of {from}", subject, to, from)
        }
        Loss::Muted { .. } => {
            let (from, to) = (from(1, "°"), to(1, "°"));
            message!("{subject}: swing in the motion \"turn\" is {to} instead of {from}", subject, to, from)
        }
        Loss::ParamsAveraged { .. } => {
            let deviation =
                |loss: &Loss| relative_deviation(loss.value_before().unwrap_or(0.0), loss.value_after().unwrap_or(0.0));
            let worst = group.iter().max_by(|a, b| deviation(a).total_cmp(&deviation(b)));
            let Some(Loss::ParamsAveraged { bone, label, from, to, .. }) = worst else { return subject };
            let (from, to) = (format!("{from:.3}"), format!("{to:.3}"));
            message!(
                "{subject}: all joints get the mean of their chain's values; {label} of bone \"{bone}\" changes most: {to} instead of {from}",
                subject,
                label = *label,
                bone = excerpt(bone),
                to,
                from
            )
        }
        Loss::SystemApplies { label } => {
            message!("{label} of the whole system now acts on these chains", label = *label)
        }
        Loss::AccelerationDirection { .. } => {
            message!("{subject}: the direction of the pull changes by {angle}", subject, angle = to(0, "°"))
        }
        Loss::UnsupportedShape { .. } => {
            message!("{subject}: no effect; the solver does not support the shape", subject)
        }
        Loss::LimitShapeLost { .. } => {
            message!("{subject}: the angle limit becomes a cone of {angle}", subject, angle = to(1, "°"))
        }
        Loss::PerJointColliders { .. } => {
            message!("{subject}: every joint now has all colliders of its chain", subject)
        }
        Loss::Center { .. } => {
            message!("{subject}: speed is measured in the world; the solver has no center", subject)
        }
        Loss::Material { material, .. } => {
            let material = excerpt(material);
            message!("{subject}: unassigned from the material \"{material}\"; values are kept", subject, material)
        }
        Loss::JointValue { label, bones } => {
            message!("{label} is not converted; it was set on {count} bones", label = *label, count = *bones)
        }
        Loss::SystemValue { label } => message!("{label} of the whole system is not converted", label = *label),
        Loss::LengthTargets { bones } => {
            message!("length limits are not converted; {count} bones had them", count = *bones)
        }
        Loss::Forces { count } => message!("{count} forces have no effect with this solver", count = *count),
        Loss::ComponentList { list, count } => {
            message!(
                "component list \"{list}\" is not converted; it has {count} entries",
                list = list.key(),
                count = *count
            )
        }
        Loss::HighLegs { count } => message!("{count} leg followers (HighLeg) are not converted", count = *count),
        Loss::ColliderGroup { is_used: true, .. } => {
            message!("{subject}: the colliders are assigned to the joints; the name is lost", subject)
        }
        Loss::ColliderGroup { is_used: false, .. } => {
            message!("{subject}: removed, because no chain uses it", subject)
        }
    }
}

/// The names of the elements with losses, at most [`MAX_NAMES`].
fn subject_text(group: &[&ConversionLoss]) -> MessageText {
    let subjects: Vec<LossSubject<'_>> = group.iter().filter_map(|loss| loss.subject()).collect();
    let names: Vec<String> = subjects
        .iter()
        .map(
            |(LossSubject::Bone(name)
             | LossSubject::Chain(name)
             | LossSubject::Collider(name)
             | LossSubject::ColliderGroup(name))| excerpt(name),
        )
        .collect();
    if let ([subject], [name]) = (&*subjects, &*names) {
        return match subject {
            LossSubject::Bone(_) => message!("bone \"{name}\"", name),
            LossSubject::Chain(_) => message!("chain \"{name}\"", name),
            LossSubject::Collider(_) => message!("collider \"{name}\"", name),
            LossSubject::ColliderGroup(_) => message!("collider group \"{name}\"", name),
        };
    }
    let (count, more) = (names.len(), names.len().saturating_sub(MAX_NAMES));
    let mut list = names.iter().take(MAX_NAMES).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        list = format!("{list}, … (+{more})");
    }
    match subjects.first() {
        Some(LossSubject::Bone(_)) => message!("{count} bones ({list})", count, list),
        Some(LossSubject::Chain(_)) => message!("{count} chains ({list})", count, list),
        Some(LossSubject::Collider(_)) => message!("{count} colliders ({list})", count, list),
        Some(LossSubject::ColliderGroup(_)) => message!("{count} collider groups ({list})", count, list),
        None => "".into(),
    }
}

/// The smallest and the largest number, or one number if both round to the same text.
fn range_text(numbers: impl Iterator<Item = f32>, digits: usize, unit: &str) -> MessageText {
    let (low, high) = numbers.fold((f32::MAX, f32::MIN), |(low, high), n| (low.min(n), high.max(n)));
    let [low, high] = [low, high].map(|n| format!("{n:.digits$}{unit}"));
    if low == high { low.into() } else { message!("{low} to {high}", low, high) }
}

fn param_text(param: FeelParam) -> MessageText {
    match param {
        FeelParam::Speed => message!("speed"),
        FeelParam::Settling => message!("settling"),
        FeelParam::Weight => message!("weight"),
        FeelParam::MaxAngle => message!("max angle"),
        FeelParam::IgnoreMotion => message!("ignore motion"),
    }
}

/// The number of digits and the unit of a term.
const fn param_format(param: FeelParam) -> (usize, &'static str) {
    match param {
        FeelParam::Speed => (3, " Hz"),
        FeelParam::Weight => (3, " m/s²"),
        FeelParam::MaxAngle => (1, "°"),
        FeelParam::Settling | FeelParam::IgnoreMotion => (3, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(n: u8, param: FeelParam, to: f32) -> ConversionLoss {
        ConversionLoss::ResponseChanged { bone: format!("hair_{n}"), param, from: 2.0, to }
    }

    #[test]
    fn losses_of_one_kind_become_one_sentence_with_count_range_and_first_names() {
        let mut losses: Vec<_> = (0..6).map(|n| changed(n, FeelParam::Speed, 2.5 + f32::from(n) * 0.1)).collect();
        losses.insert(1, changed(9, FeelParam::Settling, 1.0));
        losses.extend(["skirt_0", "skirt_1"].map(|bone| ConversionLoss::ResponseLost {
            bone: bone.to_owned(),
            param: FeelParam::MaxAngle,
            from: 30.0,
        }));
        losses.extend(["Gravity", "Wind"].map(|label| ConversionLoss::SystemValue { label }));
        losses.extend([("a", "Soft"), ("b", "Firm"), ("c", "Soft")].map(|(chain, material)| {
            ConversionLoss::Material { chain: chain.to_owned(), material: material.to_owned() }
        }));
        assert_eq!(
            summarize(&losses),
            [
                "6 bones (\"hair_0\", \"hair_1\", \"hair_2\", \"hair_3\", … (+2)): speed is 2.500 Hz to 3.000 Hz instead of 2.000 Hz",
                "bone \"hair_9\": settling is 1.000 instead of 2.000",
                "2 bones (\"skirt_0\", \"skirt_1\"): no angle limit any more; the limit was 30.0°",
                "Gravity of the whole system is not converted",
                "Wind of the whole system is not converted",
                "2 chains (\"a\", \"c\"): unassigned from the material \"Soft\"; values are kept",
                "chain \"b\": unassigned from the material \"Firm\"; values are kept",
            ]
        );
    }
}
