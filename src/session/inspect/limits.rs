use super::Session;
use crate::doc::Node;
use crate::rig::{BoneId, Facing, Pose, WorldPose};
use crate::schema::{Row, SolverKind};
use crate::sim::solver::spring_bone as unity;
use glam::Vec3;

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

impl Session {
    /// The pivots of the joints that tuning reaches.
    pub fn pivots(&self) -> Pivots {
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
    pub fn limit_ways(&self) -> Vec<LimitWays> {
        let mut held = self.target_joints().filter_map(|(_, joint, ..)| Some((joint.bone, joint.pivot?)));
        let first = held.next();
        let active = self.selection.active;
        let chosen = first.into_iter().chain(held).find(|(bone, _)| Some(*bone) == active).or(first);
        let Some((_, pivot)) = chosen else { return Vec::new() };
        let Some(bone) = self.resolved.bones.get(&pivot).copied().or(bone_of(pivot)) else { return Vec::new() };
        let skeleton = &self.resolved.skeleton;
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let Some(frame) = rest.frames.get(bone.index()) else { return Vec::new() };
        match self.system().solver {
            // Angles above 0 swing towards the pivot's -Y and -Z.
            SolverKind::UnityChanSpringBone => [(unity::Y_ACTIVE, Vec3::NEG_Y), (unity::Z_ACTIVE, Vec3::NEG_Z)]
                .map(|(active, side)| {
                    let side = frame.rotation * side;
                    LimitWays { active, minus: self.way(-side), plus: self.way(side) }
                })
                .to_vec(),
            _ => Vec::new(),
        }
    }

    fn way(&self, direction: Vec3) -> Way {
        let front = match self.character.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        };
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
