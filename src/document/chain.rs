use crate::document::naming::{ById, FileNaming, Naming, default_true, is_default};
use crate::document::{ChainValue, GroupId, MaterialId, SystemId};
use crate::params::{ParamDef, ParamId, ParamScope, ParamSet};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::SwingLimit;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a chain is on the character; decides its starting feel.
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
    /// Nothing known.
    #[default]
    Other,
}

impl ChainPart {
    /// In the order in which they are listed.
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

    /// Its name in files; never changes.
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

/// What a curve along a chain runs over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveDomain {
    /// Distance from the root, as a share of the longest.
    #[default]
    Length,
    /// Number of joints from the root, as a share of the most.
    Depth,
}

/// Where a joint's tip is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Tip")]
#[serde(bound = "N: FileNaming", rename_all = "snake_case")]
pub enum Tip<N: Naming = ById> {
    /// Derived by the solver from the bone's children in the file.
    #[default]
    Children,
    /// This bone, though there may be other children.
    Bone(N::Bone),
    /// A virtual point in the bone's own space, metres.
    Offset(
        #[serde(with = "crate::math::number")]
        #[schemars(with = "[crate::math::JsonNumber; 3]")]
        Vec3,
    ),
}

/// A node that a tip keeps its distance to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "LengthTarget")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct LengthTarget<N: Naming = ById> {
    /// Its distance in the rest pose is kept.
    pub node: N::Node,
    /// How hard, 1/s²; `None` takes the joint's own. Yuremono's own: the engine has no such number.
    #[serde(default, with = "crate::math::number", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::math::JsonNumber>")]
    pub constant: Option<f32>,
}

impl<N: Naming> LengthTarget<N> {
    /// A target that is held as the joint says.
    pub const fn new(node: N::Node) -> Self {
        Self { node, constant: None }
    }
}

/// One simulated bone of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Joint")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Joint<N: Naming = ById> {
    /// The bone that turns.
    pub bone: N::Bone,
    /// Its swinging end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tip: Tip<N>,
    /// Values of this joint alone; they win over the chain's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub overrides: N::JointValues,
    /// Frame of the angle limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<N::Node>,
    /// What the tip keeps its distance to, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub length_targets: Vec<LengthTarget<N>>,
    /// In the order in which they are tested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<N::Collider>,
    /// How far it may turn in any direction, where the solver has limits of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<SwingLimit>,
    /// Off: the bone keeps its animated pose.
    #[serde(default = "default_true")]
    pub enabled: bool,
    /// A program tells the engine that animation moves this bone; only then does the dynamic ratio act.
    #[serde(default, skip_serializing_if = "is_default")]
    pub animated: bool,
}

impl<N: Naming> Joint<N> {
    /// A joint without values of its own.
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

/// Joints from a root bone down, a tree where bones fork, with values for all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Chain")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Chain<N: Naming = ById> {
    /// Shown in lists; the root bone's name unless the artist says otherwise.
    pub name: String,
    /// What it is.
    #[serde(default)]
    pub part: ChainPart,
    /// What moves it.
    #[serde(default)]
    pub system: SystemId,
    /// What curves run over.
    #[serde(default)]
    pub curve_domain: CurveDomain,
    /// One entry per row of the solver's table; rows of system scope are not read.
    #[serde(default)]
    pub values: N::ChainValues,
    /// Whose numbers it has in the rows that a material of its solver holds; its own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialId>,
    /// Ancestors first; never empty in a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint<N>>,
    /// Collider groups that push all of its joints, before the joints' own colliders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupId>,
    /// Speed is measured relative to this node, where the solver knows such a thing; to the world where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<N::Node>,
    /// Its number in the character's own file, where it was read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

impl Chain {
    /// A chain whose values are the engine's defaults, under the system with the lowest id there is.
    pub fn new(name: impl Into<String>, part: ChainPart, table: &[ParamDef], joints: Vec<Joint>) -> Self {
        let values = table.iter().map(|def| ChainValue { base: def.default, curve: None }).collect();
        Self {
            name: name.into(),
            part,
            system: SystemId::default(),
            curve_domain: CurveDomain::Length,
            values,
            material: None,
            joints,
            groups: Vec::new(),
            center: None,
            source_index: None,
        }
    }

    /// The bone that the chain begins with.
    pub fn root(&self) -> BoneId {
        self.joints[0].bone
    }

    /// Position of a bone's joint.
    pub fn joint_index(&self, bone: BoneId) -> Option<usize> {
        self.joints.iter().position(|j| j.bone == bone)
    }

    /// The value that a joint gets: its own, or base times curve at `t` of `GuardedChain::curve_positions`.
    pub fn joint_value(&self, joint: usize, row: ParamId, t: f32) -> f32 {
        if let Some(own) = self.joints[joint].overrides.get(&row) {
            return *own;
        }
        self.value_at(row, t)
    }

    /// What the chain says for a place `t` along it, before joints' own values.
    pub fn value_at(&self, row: ParamId, t: f32) -> f32 {
        let authored = &self.values[row.index()];
        authored.base * authored.curve.as_ref().map_or(1.0, |c| c.eval(t))
    }

    /// All numbers that a joint gets at place `t` of `GuardedChain::curve_positions`; other rows of the table as the engine has them.
    pub(crate) fn joint_params(&self, table: &'static [ParamDef], joint: usize, t: f32) -> ParamSet {
        let mut set = ParamSet::defaults(table);
        for (row, _) in joint_scope_params(table) {
            set.set(row, self.joint_value(joint, row, t));
        }
        set
    }

    /// The place of every joint's head along the chain, 0..=1, by `GuardedChain::curve_domain`, measured in the rest pose. Joints that
    /// the skeleton does not have stand at 0.
    pub fn curve_positions(&self, skeleton: &Skeleton) -> Vec<f32> {
        self.curve_positions_in_pose(&WorldPose::from_pose(skeleton, &Pose::rest(skeleton)), skeleton)
    }

    /// As `GuardedChain::curve_positions` with the rest frames at hand.
    pub fn curve_positions_in_pose(&self, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        divide_by_max(self.distances_from_root(rest, skeleton).0)
    }

    /// As `GuardedChain::curve_positions_in_pose`, but each joint stands where its tip is: for engines that read curves there. A tip is the
    /// farthest joint below, or the end of a joint that has none; one without an end stands at its own head.
    pub fn tip_curve_positions_in_pose(&self, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        let (heads, above) = self.distances_from_root(rest, skeleton);
        let mut tips = vec![None; heads.len()];
        for (way, above) in heads.iter().zip(above) {
            if let Some(above) = above {
                tips[above] = Some(way.max(tips[above].unwrap_or(0.0)));
            }
        }
        let end = |at: usize| heads[at] + self.leaf_tip_distance(&self.joints[at], rest, skeleton);
        divide_by_max(tips.into_iter().enumerate().map(|(at, tip)| tip.unwrap_or_else(|| end(at))).collect())
    }

    /// From the head of a joint without joints below to its end, by `GuardedChain::curve_domain`.
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

    /// How far every head is from the root, and which joint stands above it.
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

    /// Whether every joint has a value of its own for `row`, as an import writes them.
    pub fn all_joints_override(&self, row: ParamId) -> bool {
        self.joints.iter().all(|j| j.overrides.contains_key(&row))
    }
}

/// Shares of the greatest.
fn divide_by_max(mut ways: Vec<f32>) -> Vec<f32> {
    let longest = ways.iter().copied().fold(0.0, f32::max);
    if longest > 0.0 {
        for way in &mut ways {
            *way /= longest;
        }
    }
    ways
}

/// What differs by less than this share was one number before it was converted, or cannot be felt.
pub(crate) const RELATIVE_TOLERANCE: f32 = 1e-3;

/// The one value that all of these are; `None` where they differ by more than rounding, or where there is none.
pub(crate) fn common_value(mut values: impl Iterator<Item = f32>) -> Option<f32> {
    let first = values.next()?;
    values.all(|v| (v - first).abs() <= RELATIVE_TOLERANCE * first.abs()).then_some(first)
}

/// Rows of joint scope.
pub(crate) fn joint_scope_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    crate::params::enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;

    /// A root with two strands below: one of two long bones, one of four short ones; and a bone between two joints.
    fn forked_chain() -> (Skeleton, Chain) {
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(4), Some(5)];
        let bones = parents.iter().enumerate().map(|(i, parent)| Bone {
            name: format!("b{i}"),
            parent: parent.map(BoneId),
            rest: Trs { translation: Vec3::new(0.0, if i < 3 { -1.0 } else { -0.25 }, 0.0), ..Trs::IDENTITY },
        });
        let skeleton = Skeleton::new(bones.collect()).expect("parents first");
        let joints = [0, 1, 2, 3, 4, 6].map(|i| Joint::new(BoneId(i))).to_vec();
        let table = crate::sim::SolverKind::default().info().params;
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
        // The root's tip is the farther of two joints; the last two end at themselves and at a point.
        assert_eq!(
            chain.tip_curve_positions_in_pose(&rest, &skeleton),
            [1.0, 2.0, 2.0, 0.5, 1.0, 3.0].map(|way| way / 3.0)
        );
        chain.curve_domain = CurveDomain::Depth;
        assert_eq!(
            chain.tip_curve_positions_in_pose(&rest, &skeleton),
            [1.0, 2.0, 2.0, 2.0, 3.0, 4.0].map(|way| way / 4.0)
        );
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
