use super::ListKind;
use super::MIN_REPORTED_CHANGE;
use crate::sim::{FeelParam, SpringResponse, UNLIMITED_ANGLE_DEG};
use glam::Vec3;
use std::fmt;

/// Something that the other solver cannot hold, or not so.
#[derive(Clone, Debug, PartialEq)]
pub enum ConversionLoss {
    /// A bone feels otherwise: which term, and its value before and after (Hz, ratio, m/s², share, degrees).
    ResponseChanged {
        /// Whose.
        bone: String,
        /// What.
        param: FeelParam,
        /// Before.
        from: f32,
        /// After.
        to: f32,
    },
    /// A bone had this and now has nothing of the kind.
    ResponseLost {
        /// Whose.
        bone: String,
        /// What.
        param: FeelParam,
        /// Before.
        from: f32,
    },
    /// The solver adds this to a bone that had nothing of the kind.
    ResponseAdded {
        /// Whose.
        bone: String,
        /// What.
        param: FeelParam,
        /// Its value after.
        to: f32,
    },
    /// Joints of a chain are pulled with another strength: the mean over all of its joints before and after, m/s².
    WeightChanged {
        /// Its name.
        chain: String,
        /// Before.
        from: f32,
        /// After.
        to: f32,
    },
    /// A chain swings less than half as far as before: the mean swing of its joints before and after, degrees.
    Muted {
        /// Its name.
        chain: String,
        /// Before.
        from: f32,
        /// After.
        to: f32,
    },
    /// All joints of a chain get the mean of their numbers; the number and the bone that deviate most.
    ParamsAveraged {
        /// Name of the chain.
        chain: String,
        /// The bone with the largest deviation.
        bone: String,
        /// Label of the number.
        label: &'static str,
        /// The bone's own value.
        from: f32,
        /// The mean.
        to: f32,
    },
    /// A number that the whole character has already, by its label, and that acts on the chains from now on.
    SystemApplies {
        /// Label in the target solver's parameter table.
        label: &'static str,
    },
    /// The pull of a bone has another direction; degrees between the two.
    AccelerationDirection {
        /// Whose.
        bone: String,
        /// Degrees.
        degrees: f32,
    },
    /// The solver has no such shape: this collider pushes nothing.
    UnsupportedShape {
        /// Its name.
        collider: String,
    },
    /// The limit of a bone was a hinge, a patch or leant; now it leaves this angle in every direction.
    LimitShapeLost {
        /// Whose.
        bone: String,
        /// Degrees.
        cone_degrees: f32,
    },
    /// Joints of this chain had lists of colliders of their own; now all have all of them.
    PerJointColliders {
        /// Its name.
        chain: String,
    },
    /// Speed of this chain was measured from a node; now it is from the world.
    Center {
        /// Its name.
        chain: String,
    },
    /// This chain had its numbers from a material that others share; now it has its own.
    Material {
        /// Its name.
        chain: String,
        /// Name of the material.
        material: String,
    },
    /// A number of joints that the solver does not know, by its label, and on how many bones it was set.
    JointValue {
        /// In the table that is left.
        label: &'static str,
        /// How many.
        bones: usize,
    },
    /// A number of the whole character that the solver does not know, by its label.
    SystemValue {
        /// In the table that is left.
        label: &'static str,
    },
    /// So many bones keep no length to others any more.
    LengthTargets {
        /// How many.
        bones: usize,
    },
    /// So many winds and forces do nothing.
    Forces {
        /// How many.
        count: usize,
    },
    /// A list of the component that the other solver does not have.
    ComponentList {
        /// Which.
        list: ListKind,
        /// How many entries are left behind.
        count: usize,
    },
    /// So many nodes no longer lean with the raised thigh.
    HighLegs {
        /// How many.
        count: usize,
    },
}

/// What of a bone's sway came out otherwise.
pub(super) fn response_losses(bone: &str, from: &SpringResponse, to: &SpringResponse) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    let bone_name = || bone.to_owned();
    let mut term = |term, from: Option<f32>, to: Option<f32>, least: f32| match (from, to) {
        (Some(from), Some(to)) if (from - to).abs() > MIN_REPORTED_CHANGE * from.abs().max(least) => {
            losses.push(ConversionLoss::ResponseChanged { bone: bone_name(), param: term, from, to });
        }
        (None, Some(to)) if to != 0.0 => {
            losses.push(ConversionLoss::ResponseAdded { bone: bone_name(), param: term, to });
        }
        (Some(from), None) if from != 0.0 => {
            losses.push(ConversionLoss::ResponseLost { bone: bone_name(), param: term, from });
        }
        _ => {}
    };
    term(FeelParam::Speed, Some(from.frequency_hz), Some(to.frequency_hz), 0.1);
    term(FeelParam::Settling, Some(from.damping_ratio), Some(to.damping_ratio), 0.1);
    term(FeelParam::Weight, Some(from.acceleration.length()), Some(to.acceleration.length()), 0.5);
    term(FeelParam::IgnoreMotion, from.ignored_motion, to.ignored_motion, 0.1);
    let limit = |sway: &SpringResponse| sway.max_angle_deg.filter(|reach| *reach < UNLIMITED_ANGLE_DEG);
    term(FeelParam::MaxAngle, limit(from), limit(to), 1.0);
    let by = from.acceleration.angle_between(to.acceleration).to_degrees();
    if by > 1.0 && from.acceleration.length() > 0.1 && to.acceleration.length() > 0.1 {
        losses.push(ConversionLoss::AccelerationDirection { bone: bone_name(), degrees: by });
    }
    losses
}

/// Whose own numbers a loss is about.
pub(super) enum LossSubject<'a> {
    Bone(&'a str),
    Chain(&'a str),
    /// Several bones that the loss does not name.
    UnnamedBones,
}

impl ConversionLoss {
    /// Whose numbers the loss is about; `None` for colliders, centers, lists and numbers of the whole character.
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
            | Self::Material { chain, .. } => Some(LossSubject::Chain(chain)),
            Self::JointValue { .. } => Some(LossSubject::UnnamedBones),
            Self::SystemApplies { .. }
            | Self::UnsupportedShape { .. }
            | Self::PerJointColliders { .. }
            | Self::Center { .. }
            | Self::SystemValue { .. }
            | Self::LengthTargets { .. }
            | Self::Forces { .. }
            | Self::ComponentList { .. }
            | Self::HighLegs { .. } => None,
        }
    }

    /// Whether the loss is about the strength of a bone's pull.
    pub(super) const fn is_weight_change(&self) -> bool {
        matches!(self, Self::ResponseChanged { param: FeelParam::Weight, .. })
    }
}

/// The strength of pulls that changed, for all of a chain's joints together: whether each one changed, and its pull before
/// and after.
pub(super) fn chain_weight_loss(chain: &str, joints: &[(bool, Vec3, Vec3)]) -> Option<ConversionLoss> {
    joints.iter().any(|(changed, ..)| *changed).then(|| {
        let count = joints.len() as f32;
        let mean =
            |of: fn(&(bool, Vec3, Vec3)) -> Vec3| joints.iter().map(|joint| of(joint).length()).sum::<f32>() / count;
        ConversionLoss::WeightChanged {
            chain: chain.to_owned(),
            from: mean(|joint| joint.1),
            to: mean(|joint| joint.2),
        }
    })
}

pub(super) const fn param_phrase(term: FeelParam) -> (&'static str, &'static str) {
    match term {
        FeelParam::Speed => ("swings", "Hz"),
        FeelParam::Settling => ("settles with a damping of", ""),
        FeelParam::Weight => ("is pulled with", "m/s²"),
        FeelParam::IgnoreMotion => ("ignores a share of the body's motion of", ""),
        FeelParam::MaxAngle => ("turns at most", "degrees"),
    }
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ResponseChanged { bone, param: term, from, to } => {
                let (verb, unit) = param_phrase(*term);
                let gap = if unit.is_empty() { "" } else { " " };
                write!(f, "bone \"{bone}\" {verb} {to:.3}{gap}{unit}, not {from:.3}")
            }
            Self::ResponseLost { bone, param: FeelParam::MaxAngle, from } => {
                write!(f, "bone \"{bone}\" has no limit any more; it turned at most {from:.1} degrees")
            }
            Self::ResponseLost { bone, param: term, from } => {
                let (verb, unit) = param_phrase(*term);
                let gap = if unit.is_empty() { "" } else { " " };
                write!(f, "bone \"{bone}\" no longer {verb} {from:.3}{gap}{unit}: the solver has no number for it")
            }
            Self::ResponseAdded { bone, param: term, to } => {
                let (verb, unit) = param_phrase(*term);
                let gap = if unit.is_empty() { "" } else { " " };
                write!(f, "bone \"{bone}\" {verb} {to:.3}{gap}{unit}; before the conversion nothing did that")
            }
            Self::WeightChanged { chain, from, to } => {
                write!(f, "chain \"{chain}\" is pulled with {to:.2} m/s² on average, not {from:.2}")
            }
            Self::Muted { chain, from, to } => {
                write!(f, "chain \"{chain}\" swings {to:.1} degrees in the motion \"turn\", not {from:.1}")
            }
            Self::ParamsAveraged { chain, bone, label, from, to } => {
                write!(
                    f,
                    "all joints of \"{chain}\" get the mean of their numbers; {label} of bone \"{bone}\" deviates most: \
                     {to:.3}, not {from:.3}"
                )
            }
            Self::SystemApplies { label } => {
                write!(f, "{label} of the character acts on these chains; before the conversion nothing did that")
            }
            Self::AccelerationDirection { bone, degrees: by } => {
                write!(f, "bone \"{bone}\" is pulled {by:.0} degrees off")
            }
            Self::UnsupportedShape { collider } => {
                write!(f, "collider \"{collider}\" pushes nothing: the solver has no such shape")
            }
            Self::LimitShapeLost { bone, cone_degrees: cone } => {
                write!(
                    f,
                    "bone \"{bone}\" may lean by {cone:.1} degrees in every direction: the shape of its limit is lost"
                )
            }
            Self::PerJointColliders { chain } => {
                write!(f, "all joints of \"{chain}\" are pushed by all colliders that one of them had")
            }
            Self::Center { chain } => write!(f, "speed of \"{chain}\" is measured from the world, not from its center"),
            Self::Material { chain, material } => {
                write!(f, "\"{chain}\" leaves the material \"{material}\" and has numbers of its own")
            }
            Self::JointValue { label, bones } => {
                write!(f, "{label} is left behind; it was set on {bones} bones")
            }
            Self::SystemValue { label } => write!(f, "{label} of the character is left behind"),
            Self::LengthTargets { bones } => write!(f, "{bones} bones keep no length to others any more"),
            Self::Forces { count } => write!(f, "{count} winds and forces do nothing here"),
            Self::ComponentList { list: side, count } => {
                let list = side.key().replace('_', " ");
                write!(f, "{count} of the component's {list} are left behind")
            }
            Self::HighLegs { count } => write!(f, "{count} nodes no longer lean with the raised thigh"),
        }
    }
}
