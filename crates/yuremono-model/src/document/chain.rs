use crate::document::naming::{ById, FileNaming, Naming, default_true, is_default};
use crate::document::{ChainValue, GroupId, MaterialId, RingPlace, SystemId};
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use yuremono_sim::SwingLimit;
use yuremono_sim::math::Frame;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ParamSet};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// The part of the character that a chain belongs to. The part decides the starting feel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChainPart {
    /// Any hair.
    Hair,
    /// Skirt or coat tails.
    Skirt,
    /// Tail of an animal.
    Tail,
    /// Ribbon, scarf, cape, cloth strip.
    Ribbon,
    /// Animal ear.
    Ear,
    /// Breast.
    Breast,
    /// Sleeve.
    Sleeve,
    /// Earring, bell, bag.
    Accessory,
    /// Unknown.
    #[default]
    Other,
}

impl ChainPart {
    /// All parts in the order in which the window lists them.
    pub const ALL: [Self; 9] = [
        Self::Hair,
        Self::Skirt,
        Self::Tail,
        Self::Ribbon,
        Self::Ear,
        Self::Breast,
        Self::Sleeve,
        Self::Accessory,
        Self::Other,
    ];

    /// Returns the name in files, which never changes.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Hair => "hair",
            Self::Skirt => "skirt",
            Self::Tail => "tail",
            Self::Ribbon => "ribbon",
            Self::Ear => "ear",
            Self::Breast => "breast",
            Self::Sleeve => "sleeve",
            Self::Accessory => "accessory",
            Self::Other => "other",
        }
    }
}

/// The domain of the curves of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveDomain {
    /// Distance from the root, divided by the longest distance.
    #[default]
    Length,
    /// Number of joints from the root, divided by the highest number.
    Depth,
}

/// The tip of a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Tip")]
#[serde(bound = "N: FileNaming", rename_all = "snake_case")]
pub enum Tip<N: Naming = ById> {
    /// The solver derives the tip from the bone's children.
    #[default]
    Children,
    /// The head of this bone.
    Bone(N::Bone),
    /// A point in the space of the bone, metres.
    Offset(
        #[serde(with = "yuremono_sim::math::number")]
        #[schemars(with = "[yuremono_sim::math::JsonNumber; 3]")]
        Vec3,
    ),
}

/// A length limit: the tip keeps its rest distance to a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "LengthTarget")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct LengthTarget<N: Naming = ById> {
    /// The node.
    pub node: N::Node,
    /// Stiffness, 1/s². `None` uses the value of the joint. Yuremono's extension: UnityChan has one value per joint.
    #[serde(default, with = "yuremono_sim::math::number", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<yuremono_sim::math::JsonNumber>")]
    pub constant: Option<f32>,
}

impl<N: Naming> LengthTarget<N> {
    /// Creates a target with the stiffness of the joint.
    pub const fn new(node: N::Node) -> Self {
        Self { node, constant: None }
    }
}

/// One simulated bone of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Joint")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Joint<N: Naming = ById> {
    /// The bone that the solver rotates.
    pub bone: N::Bone,
    /// The end that swings.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tip: Tip<N>,
    /// Values of this joint, which override the values of the chain.
    #[serde(default, skip_serializing_if = "is_default")]
    pub overrides: N::JointValues,
    /// The frame of the angle limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<N::Node>,
    /// Length limits, in the order of their tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub length_targets: Vec<LengthTarget<N>>,
    /// The colliders, in the order of collision tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<N::Collider>,
    /// Angle limit of VRM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<SwingLimit>,
    /// If off, the bone keeps its animated pose.
    #[serde(default = "default_true")]
    pub enabled: bool,
    /// Whether a script marks the bone as animated (UnityChan). Otherwise the dynamic ratio has no effect.
    #[serde(default, skip_serializing_if = "is_default")]
    pub animated: bool,
}

impl<N: Naming> Joint<N> {
    /// Creates a joint without overrides.
    pub fn new(bone: N::Bone) -> Self {
        Self {
            bone,
            tip: Tip::Children,
            overrides: N::JointValues::default(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            limit: None,
            enabled: true,
            animated: false,
        }
    }
}

/// A tree of joints below a root bone, with values for all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Chain")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Chain<N: Naming = ById> {
    /// The name in lists. The default is the name of the root bone.
    pub name: String,
    /// The part of the character.
    #[serde(default)]
    pub part: ChainPart,
    /// The system that moves the chain.
    #[serde(default)]
    pub system: SystemId,
    /// The domain of the chain's curves.
    #[serde(default)]
    pub curve_domain: CurveDomain,
    /// One entry per parameter of the solver. Entries of system scope are ignored.
    #[serde(default)]
    pub values: N::ChainValues,
    /// The material of the chain. The chain has its values. `None` if the chain has values of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialId>,
    /// The joints, ancestors first. Never empty in a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint<N>>,
    /// Groups that apply to all joints. They are tested before the colliders of each joint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupId>,
    /// The node relative to which speed is measured, if the solver supports a center. `None` is the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<N::Node>,
    /// The place of the chain in a ring of chains around the body. `None` if the chain is in no ring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<RingPlace>,
    /// Index in the character's file, if the chain was read from that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

impl<N: Naming> Chain<N> {
    /// Creates a chain without values and joints, in the system with the default id.
    pub fn without_joints(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            part: ChainPart::default(),
            system: SystemId::default(),
            curve_domain: CurveDomain::default(),
            values: N::ChainValues::default(),
            material: None,
            joints: Vec::new(),
            groups: Vec::new(),
            center: None,
            ring: None,
            source_index: None,
        }
    }
}

impl Chain {
    /// Creates a chain with the solver's defaults, in the system with the default id.
    pub fn new(name: impl Into<String>, part: ChainPart, table: &[ParamDef], joints: Vec<Joint>) -> Self {
        let values = table.iter().map(|def| ChainValue::constant(def.default)).collect();
        Self { part, values, joints, ..Self::without_joints(name) }
    }

    pub fn root(&self) -> BoneId {
        self.joints[0].bone
    }

    pub fn joint_index(&self, bone: BoneId) -> Option<usize> {
        self.joints.iter().position(|j| j.bone == bone)
    }

    /// Returns the override of a joint. Without an override, returns [`Chain::value_at`] for `t`, the joint's entry in
    /// [`Chain::curve_positions`].
    pub fn joint_value(&self, joint: usize, param: ParamId, t: f32) -> f32 {
        if let Some(value) = self.joints[joint].overrides.get(&param) {
            return *value;
        }
        self.value_at(param, t)
    }

    /// Returns the same as [`Chain::joint_value`] for a chain that is in no ring.
    pub(crate) fn joint_value_without_ring(&self, joint: usize, param: ParamId, t: f32) -> f32 {
        let own = self.joints[joint].overrides.get(&param).copied();
        own.unwrap_or_else(|| self.values[param.index()].along(t))
    }

    /// Returns the base value times the curve at position `t` times the ring curve, without overrides.
    pub fn value_at(&self, param: ParamId, t: f32) -> f32 {
        self.values[param.index()].along(t) * self.ring_factor(param)
    }

    /// Returns the factor of the ring curve at the angle of the chain; 1 without a ring curve and outside of a ring.
    pub fn ring_factor(&self, param: ParamId) -> f32 {
        let around = self.values.get(param.index()).and_then(|value| value.around.as_ref());
        around.zip(self.ring).map_or(1.0, |(curve, place)| curve.eval(place.angle))
    }

    /// Returns a copy that is not in a ring.
    pub(crate) fn without_ring(&self) -> Self {
        Self { ring: None, ..self.clone() }
    }

    /// Returns all values of a joint at position `t`. Parameters of system scope have their defaults.
    pub(crate) fn joint_params(&self, table: &'static [ParamDef], joint: usize, t: f32) -> ParamSet {
        let mut set = ParamSet::defaults(table);
        for (param, _) in joint_scope_params(table) {
            set.set(param, self.joint_value(joint, param, t));
        }
        set
    }

    /// Returns the position of each joint's head along the chain in the rest pose, 0 to 1, measured by
    /// [`Chain::curve_domain`]. Joints on missing bones have position 0.
    pub fn curve_positions(&self, skeleton: &Skeleton) -> Vec<f32> {
        self.curve_positions_in_pose(&WorldPose::from_pose(skeleton, &Pose::rest(skeleton)), skeleton)
    }

    /// Like [`Chain::curve_positions`], but takes the precomputed world frames of the rest pose.
    pub fn curve_positions_in_pose(&self, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        divide_by_max(self.distances_from_root(rest, skeleton).0)
    }

    /// Returns the same as [`Chain::curve_positions_in_pose`], but for tips. The tip of a joint is the head of its
    /// farthest child joint. The tip of a leaf is the leaf's own end, or its head if it has no end.
    pub fn tip_curve_positions_in_pose(&self, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        divide_by_max(self.distances(rest, skeleton).tips)
    }

    /// Measures the distances of all heads and tips from the root in the rest pose.
    pub(super) fn distances(&self, rest: &WorldPose, skeleton: &Skeleton) -> ChainDistances {
        let (heads, above) = self.distances_from_root(rest, skeleton);
        let mut tips = vec![None; heads.len()];
        for (distance, above) in heads.iter().zip(above) {
            if let Some(above) = above {
                tips[above] = Some(distance.max(tips[above].unwrap_or(0.0)));
            }
        }
        let end = |at: usize| heads[at] + self.leaf_tip_distance(&self.joints[at], rest, skeleton);
        let tips: Vec<f32> = tips.into_iter().enumerate().map(|(at, tip)| tip.unwrap_or_else(|| end(at))).collect();
        let longest = tips.iter().copied().fold(0.0, f32::max);
        ChainDistances { heads, tips, longest }
    }

    /// Returns the position of a tip of a joint, 0 to 1, on the scale of [`Chain::tip_curve_positions_in_pose`]. `ends`
    /// has the frames of the joint and of the bone at the tip; `None` returns the position of the joint.
    pub(super) fn curve_position_of_tip(
        &self,
        distances: &ChainDistances,
        joint: usize,
        ends: Option<[&Frame; 2]>,
    ) -> f32 {
        let step = |ends: [&Frame; 2]| match self.curve_domain {
            CurveDomain::Length => ends[0].position.distance(ends[1].position),
            CurveDomain::Depth => 1.0,
        };
        let distance = ends.map_or(distances.tips[joint], |ends| distances.heads[joint] + step(ends));
        if distances.longest > 0.0 { (distance / distances.longest).min(1.0) } else { 0.0 }
    }

    /// Returns the distance from the head of a leaf joint to its end, measured by [`Chain::curve_domain`].
    fn leaf_tip_distance(&self, joint: &Joint, rest: &WorldPose, skeleton: &Skeleton) -> f32 {
        let Some(frame) = rest.frames.get(joint.bone.index()) else { return 0.0 };
        let first = || skeleton.children(joint.bone).first().copied();
        let tip = match &joint.tip {
            Tip::Offset(offset) => Some(frame.transform_point(*offset)),
            Tip::Bone(bone) => rest.frames.get(bone.index()).map(|f| f.position),
            Tip::Children if joint.bone.index() >= skeleton.len() => None,
            Tip::Children => first().and_then(|bone| rest.frames.get(bone.index())).map(|f| f.position),
        };
        match (self.curve_domain, tip) {
            (CurveDomain::Length, Some(tip)) => frame.position.distance(tip),
            (CurveDomain::Depth, Some(_)) => 1.0,
            (_, None) => 0.0,
        }
    }

    /// Returns the distance of every head from the root, and the index of every joint's parent joint.
    fn distances_from_root(&self, rest: &WorldPose, skeleton: &Skeleton) -> (Vec<f32>, Vec<Option<usize>>) {
        let at = |bone: BoneId| rest.frames.get(bone.index()).map_or(Vec3::ZERO, |f| f.position);
        let mut parents = vec![None; self.joints.len()];
        let mut distance = vec![0.0_f32; self.joints.len()];
        let mut seen: BTreeMap<BoneId, usize> = BTreeMap::new();
        for (i, joint) in self.joints.iter().enumerate() {
            let mut above = std::iter::successors(skeleton.get_parent(joint.bone), |bone| skeleton.get_parent(*bone));
            if let Some(k) = above.find_map(|bone| seen.get(&bone).copied()) {
                let step = match self.curve_domain {
                    CurveDomain::Length => at(joint.bone).distance(at(self.joints[k].bone)),
                    CurveDomain::Depth => 1.0,
                };
                distance[i] = distance[k] + step;
                parents[i] = Some(k);
            }
            seen.insert(joint.bone, i);
        }
        (distance, parents)
    }

    /// Whether every joint overrides `param`. Imports write such overrides.
    pub fn is_overridden_by_all_joints(&self, param: ParamId) -> bool {
        self.joints.iter().all(|j| j.overrides.contains_key(&param))
    }
}

/// Distances from the root of a chain, measured by [`Chain::curve_domain`]. Has one element per joint.
#[derive(Debug)]
pub(super) struct ChainDistances {
    heads: Vec<f32>,
    /// The tip of a fork is its farthest tip.
    tips: Vec<f32>,
    longest: f32,
}

fn divide_by_max(mut distances: Vec<f32>) -> Vec<f32> {
    let longest = distances.iter().copied().fold(0.0, f32::max);
    if longest > 0.0 {
        for distance in &mut distances {
            *distance /= longest;
        }
    }
    distances
}

/// Relative difference up to which two values count as equal. It is larger than the rounding error of a conversion.
pub(crate) const RELATIVE_TOLERANCE: f32 = 1e-3;

/// Returns the common value, or `None` if the values differ by more than rounding or if there are no values.
pub(crate) fn common_value(mut values: impl Iterator<Item = f32>) -> Option<f32> {
    let first = values.next()?;
    values.all(|v| (v - first).abs() <= RELATIVE_TOLERANCE * first.abs()).then_some(first)
}

pub(crate) fn joint_scope_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    yuremono_sim::params::enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    /// A root with two branches: one with two long bones, the other with four short bones. One of the short bones has
    /// no joint.
    fn forked_chain() -> (Skeleton, Chain) {
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(4), Some(5)];
        let bones = parents.iter().enumerate().map(|(i, parent)| Bone {
            name: format!("b{i}"),
            parent: parent.map(BoneId),
            rest: Trs { translation: Vec3::new(0.0, if i < 3 { -1.0 } else { -0.25 }, 0.0), ..Trs::IDENTITY },
        });
        let skeleton = Skeleton::new(bones.collect()).expect("parents first");
        let joints = [0, 1, 2, 3, 4, 6].map(|i| Joint::new(BoneId(i))).to_vec();
        let table = yuremono_sim::SolverKind::default().info().params;
        (skeleton, Chain::new("fork", ChainPart::Hair, table, joints))
    }

    #[test]
    fn curve_positions_by_length_are_fractions_of_the_longest_branch() {
        let (skeleton, chain) = forked_chain();
        assert_eq!(chain.curve_positions(&skeleton), [0.0, 0.5, 1.0, 0.125, 0.25, 0.5]);
    }

    #[test]
    fn curve_positions_by_depth_ignore_bones_between_joints() {
        let (skeleton, mut chain) = forked_chain();
        chain.curve_domain = CurveDomain::Depth;
        let third = 1.0_f32 / 3.0;
        assert_eq!(chain.curve_positions(&skeleton), [0.0, third, 2.0 * third, third, 2.0 * third, 1.0]);
    }

    #[test]
    fn tip_curve_positions_use_the_child_joint_or_the_end_of_the_bone() {
        let (skeleton, mut chain) = forked_chain();
        let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
        chain.joints[5].tip = Tip::Offset(Vec3::new(0.0, -2.0, 0.0));
        // The tip of the root is the farther of its two child joints. The first leaf ends at its head, the other at a
        // point.
        assert_eq!(
            chain.tip_curve_positions_in_pose(&rest, &skeleton),
            [1.0, 2.0, 2.0, 0.5, 1.0, 3.0].map(|distance| distance / 3.0)
        );
        chain.curve_domain = CurveDomain::Depth;
        assert_eq!(
            chain.tip_curve_positions_in_pose(&rest, &skeleton),
            [1.0, 2.0, 2.0, 2.0, 3.0, 4.0].map(|distance| distance / 4.0)
        );
    }

    #[test]
    fn each_tip_of_a_fork_has_a_curve_position_of_its_own() {
        let (skeleton, mut chain) = forked_chain();
        let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
        chain.joints[5].tip = Tip::Offset(Vec3::new(0.0, -2.0, 0.0));
        let distances = chain.distances(&rest, &skeleton);
        let position = |tip: u32| {
            chain.curve_position_of_tip(&distances, 0, Some([rest.frame(BoneId(0)), rest.frame(BoneId(tip))]))
        };
        assert_eq!([1, 3].map(position), [1.0, 0.25].map(|distance| distance / 3.0));
        assert_eq!(chain.curve_position_of_tip(&distances, 0, None), 1.0 / 3.0, "without a tip, that of the joint");
    }

    #[test]
    fn joints_on_missing_bones_have_curve_position_zero() {
        let (skeleton, mut chain) = forked_chain();
        chain.joints.push(Joint::new(BoneId(900)));
        let places = chain.curve_positions(&skeleton);
        assert_eq!((places[2], places[6]), (1.0, 0.0));
        chain.joints.drain(..6);
        assert_eq!(chain.curve_positions(&skeleton), [0.0]);
    }
}
