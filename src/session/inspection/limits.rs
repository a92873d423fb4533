//! The limits of the tuned joints: pivots, the ways that limits open, and the limits of VRM's kind.

use super::{Inspection, Values};
use crate::document::{Joint, Node, groups, measure, pivot};
use crate::rig::{BoneId, Facing, Pose, WorldPose};
use crate::schema::{EntryRows, Limits, Row, entries};
use crate::sim::SwingLimit;
use crate::stage::overlay::FanSide;
use crate::tools::{swing, swing::SwingKind};
use glam::Vec3;
use std::collections::BTreeMap;

/// Least cosine to an axis that names a swing; between two axes neither name is right.
const CLEARLY: f32 = 0.8;
/// Sine of the angle between a bone and the axis that it turns about, below which it turns about itself.
const TWISTS: f32 = 0.4;

/// A direction as the character would name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
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
pub struct LimitWays {
    /// The limits' switch.
    pub active: Row,
    /// Where angles below 0 lead.
    pub minus: Way,
    /// Where angles above 0 lead.
    pub plus: Way,
}

/// The frames that the targets' limits are measured in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pivots {
    /// No joint has one.
    None,
    /// All that have one share it.
    One(String),
    /// Several.
    Many(usize),
}

impl Inspection<'_> {
    /// The pivots of the joints that tuning reaches.
    pub fn pivots(self) -> Pivots {
        let mut nodes: Vec<Node> = self.target_joints().filter_map(|(_, joint, ..)| joint.pivot).collect();
        nodes.sort_unstable();
        nodes.dedup();
        match nodes.as_slice() {
            [] => Pivots::None,
            [one] => self
                .resolved
                .bones
                .get(one)
                .copied()
                .or(bone_of(*one))
                .map_or(Pivots::None, |bone| Pivots::One(self.resolved.skeleton.name(bone).to_owned())),
            many => Pivots::Many(many.len()),
        }
    }

    /// Which ways the limits of the active joint open, or of the first one with a pivot; empty without pivot.
    pub fn limit_ways(self) -> Vec<LimitWays> {
        let mut held = self.target_joints().filter_map(|(_, joint, ..)| Some((joint.bone, joint.pivot?)));
        let first = held.next();
        let active = self.selection.active;
        let chosen = first.into_iter().chain(held).find(|(bone, _)| Some(*bone) == active).or(first);
        let Some((_, pivot)) = chosen else { return Vec::new() };
        let Some(bone) = self.resolved.bones.get(&pivot).copied().or(bone_of(pivot)) else { return Vec::new() };
        let skeleton = &self.resolved.skeleton;
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let Some(frame) = rest.frames.get(bone.index()) else { return Vec::new() };
        let ways = self.system().solver.info().pivot_limits.iter().map(|limit| {
            let side = frame.rotation * limit.positive;
            LimitWays { active: limit.rows.active, minus: self.way(-side), plus: self.way(side) }
        });
        ways.collect()
    }

    /// The pairs of limits of the tuned system, by the side of the pivot that they open to: those about its Y come first.
    pub fn pivot_limits(self) -> impl Iterator<Item = (FanSide, Limits)> {
        let pairs = entries(self.system().table()).filter_map(|(rows, _)| match rows {
            EntryRows::Limits(limits) => Some(limits),
            EntryRows::One(_) | EntryRows::Vector(_) => None,
        });
        [FanSide::Y, FanSide::Z].into_iter().zip(pairs)
    }

    /// Which way a pair of limits lets the joints swing that tuning reaches, by their pivots, or by those that they would
    /// be given. `None` where the joints differ, or for a switch of anything else than a pivot's limits.
    pub fn limit_axis(self, active: Row) -> Option<SwingAxis> {
        let limit = self.system().solver.info().pivot_limits.iter().find(|limit| limit.rows.active == active)?;
        let rest = WorldPose::of(&self.resolved.skeleton, &Pose::rest(&self.resolved.skeleton));
        let mut named =
            self.target_joints().filter_map(|(_, joint, ..)| self.swing_axes(joint, &rest, limit.turns_about));
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
        let tip = measure::tip_of(&self.character.skeleton, rest, joint);
        let own = joint.pivot.and_then(|node| self.resolved.bones.get(&node).copied().or(bone_of(node)));
        let own = own.and_then(|bone| rest.frames.get(bone.index()));
        let made = || pivot::made_rotation(&self.character.skeleton, rest, joint);
        let axis = own.map_or_else(made, |frame| frame.rotation) * turns_about;
        let swing = axis.cross((tip - head).try_normalize()?);
        if swing.length() < TWISTS {
            return Some((Some(SwingAxis::Twist), Some(SwingAxis::Twist)));
        }
        let swing = swing.normalize();
        let along = |direction: Vec3| swing.dot(direction).abs() > CLEARLY;
        let nearest = |axes: &[(SwingAxis, Vec3)]| axes.iter().find(|(_, way)| along(*way)).map(|(axis, _)| *axis);
        let front = self.front();
        let sides =
            [(SwingAxis::Sideways, Vec3::Y.cross(front)), (SwingAxis::FrontBack, front), (SwingAxis::UpDown, Vec3::Y)];
        let flat = |p: Vec3| Vec3::new(p.x, 0.0, p.z).try_normalize();
        let out = flat(head).or_else(|| flat(tip));
        let round = out.and_then(|out| nearest(&[(SwingAxis::InOut, out), (SwingAxis::Around, Vec3::Y.cross(out))]));
        Some((nearest(&sides), round))
    }

    /// Where the character looks.
    fn front(self) -> Vec3 {
        match self.character.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        }
    }

    fn way(self, direction: Vec3) -> Way {
        let front = self.front();
        let left = Vec3::Y.cross(front);
        let named = [
            (Way::Up, Vec3::Y),
            (Way::Down, Vec3::NEG_Y),
            (Way::Left, left),
            (Way::Right, -left),
            (Way::Front, front),
            (Way::Back, -front),
        ];
        let nearest = named.into_iter().max_by(|a, b| direction.dot(a.1).total_cmp(&direction.dot(b.1)));
        nearest.map_or(Way::Up, |(way, _)| way)
    }
}

fn bone_of(node: Node) -> Option<BoneId> {
    match node {
        Node::Bone(bone) => Some(bone),
        Node::Helper(_) => None,
    }
}

/// What the limits of the tuned joints come to.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingView {
    /// Whether the file's version has limits.
    pub allowed: bool,
    /// What all have, `Some(None)` for no limit; `None` where they differ.
    pub kind: Option<Option<SwingKind>>,
    /// Their angles in degrees, as many as the shape has; empty where shapes differ.
    pub angles: Vec<Values>,
    /// How many joints have one.
    pub limited: usize,
    /// Some limit differs from the loaded file.
    pub changed: bool,
}

impl Inspection<'_> {
    /// The limits of what is tuned; `None` where the solver has none of this kind, or nothing is tuned.
    pub fn swing(self) -> Option<SwingView> {
        if !groups::are_known(self.system().solver) {
            return None;
        }
        let limits: Vec<Option<SwingLimit>> = self.target_joints().map(|(_, joint, ..)| joint.limit).collect();
        let kind_of = |limit: &Option<SwingLimit>| limit.map(|limit| SwingKind::of(limit.shape));
        let first = kind_of(limits.first()?);
        let kind = limits.iter().all(|limit| kind_of(limit) == first).then_some(first);
        let angle = |at: usize| {
            let angles = limits.iter().flatten().map(|limit| swing::angle(limit.shape, at).to_degrees());
            Values::of(angles)
        };
        let loaded = self.loaded_limits();
        Some(SwingView {
            allowed: self.target_joints().all(|(chain, ..)| swing::are_allowed(self.document, chain)),
            kind,
            angles: (0..kind.flatten().map_or(0, SwingKind::angles)).map(angle).collect(),
            limited: limits.iter().flatten().count(),
            changed: self.target_joints().any(|(_, joint, ..)| joint.limit.as_ref() != loaded.get(&joint.bone)),
        })
    }

    pub(in crate::session) fn loaded_limits(self) -> BTreeMap<BoneId, SwingLimit> {
        let joints = self.loaded.chains.values().flat_map(|c| &c.joints);
        joints.filter_map(|j| j.limit.map(|limit| (j.bone, limit))).collect()
    }
}
