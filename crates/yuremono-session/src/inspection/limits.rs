//! Limits of the tuned joints: pivots, directions of limits, and VRM angle limits.

use super::{Inspection, ValueSummary};
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_model::document::{Joint, Node, groups, measure, pivot};
use yuremono_model::tools::{swing_limits, swing_limits::SwingLimitKind};
use yuremono_sim::SwingLimit;
use yuremono_sim::params::{EntryParams, LimitParams, ParamId, entries};
use yuremono_sim::rig::LimitPlane;
use yuremono_sim::rig::{BoneId, Facing, Pose, WorldPose};

/// Minimum cosine between a direction and a body axis for the axis to name the direction.
const MIN_AXIS_COSINE: f32 = 0.8;
/// A rotation is a twist if the sine of the angle between the bone and the rotation axis is below this.
const MAX_TWIST_SINE: f32 = 0.4;

/// A direction relative to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyDirection {
    Up,
    Down,
    /// Towards the left side of the character.
    Left,
    /// Towards the right side of the character.
    Right,
    /// The direction that the character faces.
    Front,
    /// The direction opposite to [`Self::Front`].
    Back,
}

/// The direction of swings that a limit pair limits, in the rest pose, relative to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwingAxis {
    Sideways,
    FrontBack,
    UpDown,
    /// Away from and towards the centre of the body.
    InOut,
    /// Along a circle around the body.
    Around,
    /// Around the axis of the bone.
    Twist,
}

/// The directions in which a limit pair limits swings, in the rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitDirections {
    /// The switch of the pair.
    pub active: ParamId,
    /// Direction of a swing by a negative angle.
    pub negative: BodyDirection,
    /// Direction of a swing by a positive angle.
    pub positive: BodyDirection,
}

/// The pivots that the targets use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PivotSummary {
    None,
    One(String),
    Many(usize),
}

impl Inspection<'_> {
    /// Returns the pivots of the target joints.
    pub fn pivots(self) -> PivotSummary {
        let mut nodes: Vec<Node> = self.target_joints().filter_map(|(_, joint, ..)| joint.pivot).collect();
        nodes.sort_unstable();
        nodes.dedup();
        match nodes.as_slice() {
            [] => PivotSummary::None,
            [one] => self
                .resolved_bone(*one)
                .map_or(PivotSummary::None, |bone| PivotSummary::One(self.resolved.skeleton.name(bone).to_owned())),
            many => PivotSummary::Many(many.len()),
        }
    }

    /// Returns the limit directions of the active joint, or of the first joint with a pivot; empty if no joint has a
    /// pivot.
    pub fn limit_directions(self) -> Vec<LimitDirections> {
        let mut held = self.target_joints().filter_map(|(_, joint, ..)| Some((joint.bone, joint.pivot?)));
        let first = held.next();
        let active = self.selection.active;
        let chosen = first.into_iter().chain(held).find(|(bone, _)| Some(*bone) == active).or(first);
        let Some((_, pivot)) = chosen else { return Vec::new() };
        let Some(bone) = self.resolved_bone(pivot) else { return Vec::new() };
        let skeleton = &self.resolved.skeleton;
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let Some(frame) = rest.frames.get(bone.index()) else { return Vec::new() };
        let ways = self.system().solver.info().pivot_limits.iter().map(|limit| {
            let side = frame.rotation * limit.positive_direction;
            LimitDirections {
                active: limit.params.active,
                negative: self.nearest_body_direction(-side),
                positive: self.nearest_body_direction(side),
            }
        });
        ways.collect()
    }

    /// Iterates over the limit pairs of the tuned system, each with its plane of the pivot; first the pair for
    /// rotations about the pivot's Y axis.
    pub fn pivot_limits(self) -> impl Iterator<Item = (LimitPlane, LimitParams)> {
        let pairs = entries(self.system().param_defs()).filter_map(|(rows, _)| match rows {
            EntryParams::Limits(limits) => Some(limits),
            EntryParams::Single(_) | EntryParams::Vector(_) => None,
        });
        [LimitPlane::Y, LimitPlane::Z].into_iter().zip(pairs)
    }

    /// Returns the swing direction that a limit pair limits on the target joints, measured at their pivots or at the
    /// pivots that they would get. `None` if the joints differ, or if `active` is not the switch of a pivot limit.
    pub fn limit_swing_axis(self, active: ParamId) -> Option<SwingAxis> {
        let limit = self.system().solver.info().pivot_limits.iter().find(|limit| limit.params.active == active)?;
        let rest = WorldPose::from_pose(&self.resolved.skeleton, &Pose::rest(&self.resolved.skeleton));
        let mut named = self.target_joints().filter_map(|(_, joint, ..)| self.swing_axes(joint, &rest, limit.axis));
        let (first_body, first_round) = named.next()?;
        let (mut body, mut round) = (first_body, first_round);
        for (other_body, other_round) in named {
            body = body.filter(|axis| other_body == Some(*axis));
            round = round.filter(|axis| other_round == Some(*axis));
            if body.is_none() && round.is_none() {
                break;
            }
        }
        body.or(round)
    }

    /// Returns the swing axis of one joint, first relative to the axes of the body, then relative to the position
    /// around the body; `None` if no name clearly fits.
    fn swing_axes(
        &self,
        joint: &Joint,
        rest: &WorldPose,
        limit_axis: Vec3,
    ) -> Option<(Option<SwingAxis>, Option<SwingAxis>)> {
        let head = rest.frames.get(joint.bone.index())?.position;
        let tip = measure::tip_position(&self.character.skeleton, rest, joint);
        let own = joint.pivot.and_then(|node| self.resolved_bone(node));
        let own = own.and_then(|bone| rest.frames.get(bone.index()));
        let made = || pivot::created_pivot_rotation(&self.character.skeleton, rest, joint);
        let axis = own.map_or_else(made, |frame| frame.rotation) * limit_axis;
        let swing = axis.cross((tip - head).try_normalize()?);
        if swing.length() < MAX_TWIST_SINE {
            return Some((Some(SwingAxis::Twist), Some(SwingAxis::Twist)));
        }
        let swing = swing.normalize();
        let along = |direction: Vec3| swing.dot(direction).abs() > MIN_AXIS_COSINE;
        let nearest = |axes: &[(SwingAxis, Vec3)]| axes.iter().find(|(_, way)| along(*way)).map(|(axis, _)| *axis);
        let front = self.front_direction();
        let sides =
            [(SwingAxis::Sideways, Vec3::Y.cross(front)), (SwingAxis::FrontBack, front), (SwingAxis::UpDown, Vec3::Y)];
        let flat = |p: Vec3| Vec3::new(p.x, 0.0, p.z).try_normalize();
        let out = flat(head).or_else(|| flat(tip));
        let round = out.and_then(|out| nearest(&[(SwingAxis::InOut, out), (SwingAxis::Around, Vec3::Y.cross(out))]));
        Some((nearest(&sides), round))
    }

    /// Returns the direction that the character faces.
    fn front_direction(self) -> Vec3 {
        match self.character.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        }
    }

    fn nearest_body_direction(self, direction: Vec3) -> BodyDirection {
        let front = self.front_direction();
        let left = Vec3::Y.cross(front);
        let named = [
            (BodyDirection::Up, Vec3::Y),
            (BodyDirection::Down, Vec3::NEG_Y),
            (BodyDirection::Left, left),
            (BodyDirection::Right, -left),
            (BodyDirection::Front, front),
            (BodyDirection::Back, -front),
        ];
        let nearest = named.into_iter().max_by(|a, b| direction.dot(a.1).total_cmp(&direction.dot(b.1)));
        nearest.map_or(BodyDirection::Up, |(way, _)| way)
    }
}

/// The VRM angle limits of the tuned joints.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingLimitView {
    /// Whether the version of the file supports limits.
    pub is_supported: bool,
    /// The shape of all limits, `Some(None)` for no limit; `None` if the shapes differ.
    pub kind: Option<Option<SwingLimitKind>>,
    /// The angles of the shape, in degrees; empty if the shapes differ.
    pub angles: Vec<ValueSummary>,
    pub limited_joints: usize,
    /// Whether a limit differs from the loaded limit.
    pub changed: bool,
}

impl Inspection<'_> {
    /// Returns the VRM angle limits of the targets; `None` if the solver does not support them, or if there are no
    /// targets.
    pub fn swing_limits(self) -> Option<SwingLimitView> {
        if !groups::are_supported(self.system().solver) {
            return None;
        }
        let limits: Vec<Option<SwingLimit>> = self.target_joints().map(|(_, joint, ..)| joint.limit).collect();
        let kind_of = |limit: &Option<SwingLimit>| limit.map(|limit| SwingLimitKind::of(limit.shape));
        let first = kind_of(limits.first()?);
        let kind = limits.iter().all(|limit| kind_of(limit) == first).then_some(first);
        let angle = |at: usize| {
            let angles = limits.iter().flatten().map(|limit| swing_limits::angle(limit.shape, at).to_degrees());
            ValueSummary::of(angles)
        };
        let loaded = self.loaded_swing_limits();
        Some(SwingLimitView {
            is_supported: self
                .target_joints()
                .all(|(chain, ..)| swing_limits::supports_swing_limits(self.document, chain)),
            kind,
            angles: (0..kind.flatten().map_or(0, SwingLimitKind::angle_count)).map(angle).collect(),
            limited_joints: limits.iter().flatten().count(),
            changed: self.target_joints().any(|(_, joint, ..)| joint.limit.as_ref() != loaded.get(&joint.bone)),
        })
    }

    pub(crate) fn loaded_swing_limits(self) -> BTreeMap<BoneId, SwingLimit> {
        let joints = self.loaded.chains.values().flat_map(|c| &c.joints);
        joints.filter_map(|j| j.limit.map(|limit| (j.bone, limit))).collect()
    }
}
