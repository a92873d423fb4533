//! The limits of the tuned joints: pivots, the ways that limits open, and the limits of VRM's kind.

use super::{Inspection, ValueSummary};
use crate::document::{Joint, Node, groups, measure, pivot};
use crate::params::{EntryParams, LimitParams, ParamId, entries};
use crate::rig::{BoneId, Facing, Pose, WorldPose};
use crate::sim::SwingLimit;
use crate::stage::overlay::FanPlane;
use crate::tools::{swing_limits, swing_limits::SwingLimitKind};
use glam::Vec3;
use std::collections::BTreeMap;

/// Least cosine to an axis that names a swing; between two axes neither name is right.
const MIN_AXIS_COSINE: f32 = 0.8;
/// Sine of the angle between a bone and the axis that it turns about, below which it turns about itself.
const MAX_TWIST_SINE: f32 = 0.4;

/// A direction as the character would name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyDirection {
    /// To the sky.
    Up,
    /// To the ground.
    Down,
    /// To her left.
    Left,
    /// To her right.
    Right,
    /// Where she looks.
    Front,
    /// Behind her.
    Back,
}

/// Which way a pair of limits lets a bone swing in the rest pose, as the character would name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwingAxis {
    /// To her left and right.
    Sideways,
    /// Forward and back.
    FrontBack,
    /// Up and down.
    UpDown,
    /// Away from the middle of the body and towards it.
    InOut,
    /// Along a circle around the body.
    Around,
    /// The bone turns about itself.
    Twist,
}

/// Which way a pair of limits opens, in the rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitDirections {
    /// The limits' switch.
    pub active: ParamId,
    /// Where angles below 0 lead.
    pub negative: BodyDirection,
    /// Where angles above 0 lead.
    pub positive: BodyDirection,
}

/// The frames that the targets' limits are measured in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PivotSummary {
    /// No joint has one.
    None,
    /// All that have one share it.
    One(String),
    /// Several.
    Many(usize),
}

impl Inspection<'_> {
    /// The pivots of the joints that tuning reaches.
    pub fn pivots(self) -> PivotSummary {
        let mut nodes: Vec<Node> = self.target_joints().filter_map(|(_, joint, ..)| joint.pivot).collect();
        nodes.sort_unstable();
        nodes.dedup();
        match nodes.as_slice() {
            [] => PivotSummary::None,
            [one] => self
                .resolved
                .node_bones
                .get(one)
                .copied()
                .or(file_bone(*one))
                .map_or(PivotSummary::None, |bone| PivotSummary::One(self.resolved.skeleton.name(bone).to_owned())),
            many => PivotSummary::Many(many.len()),
        }
    }

    /// Which ways the limits of the active joint open, or of the first one with a pivot; empty without pivot.
    pub fn limit_directions(self) -> Vec<LimitDirections> {
        let mut held = self.target_joints().filter_map(|(_, joint, ..)| Some((joint.bone, joint.pivot?)));
        let first = held.next();
        let active = self.selection.active;
        let chosen = first.into_iter().chain(held).find(|(bone, _)| Some(*bone) == active).or(first);
        let Some((_, pivot)) = chosen else { return Vec::new() };
        let Some(bone) = self.resolved.node_bones.get(&pivot).copied().or(file_bone(pivot)) else { return Vec::new() };
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

    /// The pairs of limits of the tuned system, by the side of the pivot that they open to: those about its Y come first.
    pub fn pivot_limits(self) -> impl Iterator<Item = (FanPlane, LimitParams)> {
        let pairs = entries(self.system().param_defs()).filter_map(|(rows, _)| match rows {
            EntryParams::Limits(limits) => Some(limits),
            EntryParams::Single(_) | EntryParams::Vector(_) => None,
        });
        [FanPlane::Y, FanPlane::Z].into_iter().zip(pairs)
    }

    /// Which way a pair of limits lets the joints swing that tuning reaches, by their pivots, or by those that they would
    /// be given. `None` where the joints differ, or for a switch of anything else than a pivot's limits.
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

    /// The same for one joint, named by the axes of the body, and by where the joint is around the body; `None` where
    /// neither name is clearly right.
    fn swing_axes(
        &self,
        joint: &Joint,
        rest: &WorldPose,
        turns_about: Vec3,
    ) -> Option<(Option<SwingAxis>, Option<SwingAxis>)> {
        let head = rest.frames.get(joint.bone.index())?.position;
        let tip = measure::tip_position(&self.character.skeleton, rest, joint);
        let own = joint.pivot.and_then(|node| self.resolved.node_bones.get(&node).copied().or(file_bone(node)));
        let own = own.and_then(|bone| rest.frames.get(bone.index()));
        let made = || pivot::created_pivot_rotation(&self.character.skeleton, rest, joint);
        let axis = own.map_or_else(made, |frame| frame.rotation) * turns_about;
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

    /// Where the character looks.
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

fn file_bone(node: Node) -> Option<BoneId> {
    match node {
        Node::Bone(bone) => Some(bone),
        Node::Helper(_) => None,
    }
}

/// What the limits of the tuned joints come to.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingLimitView {
    /// Whether the file's version has limits.
    pub is_supported: bool,
    /// What all have, `Some(None)` for no limit; `None` where they differ.
    pub kind: Option<Option<SwingLimitKind>>,
    /// Their angles in degrees, as many as the shape has; empty where shapes differ.
    pub angles: Vec<ValueSummary>,
    /// How many joints have one.
    pub limited_joints: usize,
    /// Some limit differs from the loaded file.
    pub changed: bool,
}

impl Inspection<'_> {
    /// The limits of what is tuned; `None` where the solver has none of this kind, or nothing is tuned.
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

    pub(in crate::session) fn loaded_swing_limits(self) -> BTreeMap<BoneId, SwingLimit> {
        let joints = self.loaded.chains.values().flat_map(|c| &c.joints);
        joints.filter_map(|j| j.limit.map(|limit| (j.bone, limit))).collect()
    }
}
