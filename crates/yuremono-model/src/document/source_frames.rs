//! The rest frames of bones, and the transfer of values in bone frames to bones with other rest frames.
//!
//! A vector in the frame of a bone means something only together with that frame. [`SourceFrames`] are the frames of the
//! character that a setup was made for. A [`FrameTurn`] converts values of one bone, and [`FrameTransfer`] converts the
//! elements of a setup, whatever its [`Naming`] is. A turn keeps every shape, axis and limit in its place in the world.

mod document;
mod values;

pub use document::{KeptValue, turn_copied_chain, turn_document};
pub use values::{Negate, ParamValues, reverse_chain_gravity, reverse_vrm_gravity, turn_around, turn_joint_values};

use crate::document::naming::Naming;
use crate::document::rest_frame::{FrameTurn, HALF_TURN, RestFrame};
use crate::document::{Chain, ChainValue, Collider, Force, Helper, HelperRole, HighLeg, Joint, Material, System, Tip};
use glam::Quat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamDef;
use yuremono_sim::rig::{BoneId, Character, Facing, Skeleton};
use yuremono_sim::solver::vrm::VERSION;
use yuremono_sim::{ColliderShape, SolverKind};

/// The rest frames of the character that a setup was made for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound(deserialize = "B: Ord + Deserialize<'de>"))]
pub struct SourceFrames<B: Ord> {
    /// Whether the character faces -Z, as VRM 0.x does. `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faces_minus_z: Option<bool>,
    /// The frame of each bone with values.
    pub bones: BTreeMap<B, RestFrame>,
}

/// A skeleton in the rest pose, and the direction that the character faces.
#[derive(Clone, Copy, Debug)]
pub struct RestPose<'a> {
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// `None` if unknown. Then nothing is turned around.
    pub facing: Option<Facing>,
}

impl<'a> From<&'a Character> for RestPose<'a> {
    fn from(character: &'a Character) -> Self {
        Self { skeleton: &character.skeleton, facing: Some(character.facing) }
    }
}

impl<'a> From<&'a Arc<Character>> for RestPose<'a> {
    fn from(character: &'a Arc<Character>) -> Self {
        Self::from(character.as_ref())
    }
}

impl<'a> From<&'a Skeleton> for RestPose<'a> {
    fn from(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, facing: None }
    }
}

impl<B: Ord> SourceFrames<B> {
    /// Returns the frames of bones. `key` names a bone, or returns `None` for bones that are left out.
    pub fn new(rest: RestPose<'_>, key: impl Fn(BoneId) -> Option<B>) -> Self {
        let frames = RestFrame::of_skeleton(rest.skeleton).into_iter();
        let bones = rest.skeleton.ids().zip(frames).filter_map(|(bone, frame)| Some((key(bone)?, frame)));
        Self { faces_minus_z: rest.facing.map(|facing| facing == Facing::MinusZ), bones: bones.collect() }
    }

    /// Returns the facing of the target if it is known to be opposite to that of this character.
    pub fn turned_to(&self, target: Option<Facing>) -> Option<Facing> {
        target.filter(|_| self.is_turned_around(target))
    }

    fn is_turned_around(&self, target: Option<Facing>) -> bool {
        let target = target.map(|facing| facing == Facing::MinusZ);
        self.faces_minus_z.zip(target).is_some_and(|(source, target)| source != target)
    }

    /// Returns the turn of each bone whose values change, by key. `find` returns the bone of the target for a key.
    pub fn turns(&self, target: RestPose<'_>, find: impl Fn(&B) -> Option<BoneId>) -> BTreeMap<B, FrameTurn>
    where
        B: Clone,
    {
        let frames = RestFrame::of_skeleton(target.skeleton);
        let is_turned_around = self.is_turned_around(target.facing);
        let facing = if is_turned_around { HALF_TURN } else { Quat::IDENTITY };
        let turn = |(key, frame): (&B, &RestFrame)| {
            Some((key.clone(), frame.turn_to(frames.get(find(key)?.index())?, facing)?))
        };
        self.bones.iter().filter_map(turn).collect()
    }
}

impl SourceFrames<String> {
    /// Returns the frames of all bones by name.
    pub fn by_name(rest: RestPose<'_>) -> Self {
        let skeleton = rest.skeleton;
        Self::new(rest, |bone| {
            let name = skeleton.name(bone);
            (skeleton.find(name) == Some(bone)).then(|| name.to_owned())
        })
    }
}

/// Converts the elements of a setup from the frames of one character to those of another.
pub trait FrameTransfer<N>
where
    N: Naming<SystemValues: ParamValues<f32>, JointValues: ParamValues<f32>>,
    N: Naming<ChainValues: ParamValues<ChainValue>, MaterialValues: ParamValues<ChainValue>>,
{
    /// Returns the turn of a bone, or `None` if its values stay unchanged.
    fn bone_turn(&self, bone: &N::Bone) -> Option<FrameTurn>;

    /// Returns the turn of a node. Helpers have no turn, because their own transform is converted.
    fn node_turn(&self, node: &N::Node) -> Option<FrameTurn>;

    /// The new facing of the character, if vectors in the world turn by half a turn about Y.
    fn turned_to(&self) -> Option<Facing>;

    /// Returns a node with this transform below a bone.
    fn insert_node(&mut self, bone: &N::Node, local: Trs, role: HelperRole) -> N::Node;

    /// Called for a value that stays unchanged, because it needs a bone with parallel axes.
    fn report_kept(&mut self, bone: &N::Bone, def: &'static ParamDef);

    /// Converts a helper that is defined where it is used.
    fn convert_inline(&mut self, node: &mut N::Node);

    /// Converts the transform of a helper.
    fn convert_helper(&mut self, helper: &mut Helper<N>) {
        match self.node_turn(&helper.parent) {
            Some(turn) => helper.local = turn.local(helper.local),
            None => self.convert_inline(&mut helper.parent),
        }
    }

    /// Gives an element that acts along the axes of its node a node with the former axes, if the node has other axes.
    fn keep_axes(&mut self, node: &mut N::Node, role: HelperRole) {
        match self.node_turn(node) {
            Some(turn) => *node = self.insert_node(node, turn.frame(), role),
            None => self.convert_inline(node),
        }
    }

    /// Converts the place of a collider. `has_hull` tells whether the collider has a convex hull in the frame of its node.
    fn convert_collider(&mut self, collider: &mut Collider<N>, has_hull: bool) {
        let is_round = matches!(collider.shape, ColliderShape::Sphere { .. }) && !has_hull;
        if is_round && self.node_turn(&collider.node).is_some_and(|turn| turn.scale == 1.0) {
            return;
        }
        self.keep_axes(&mut collider.node, HelperRole::Plain);
    }

    /// Converts the place of a force.
    fn convert_force(&mut self, force: &mut Force<N>) {
        self.keep_axes(&mut force.node, HelperRole::Plain);
    }

    /// Converts a system without its chains. VRM springs get the version of VRM whose characters have the new facing.
    /// Returns whether the version changed. Then [`reverse_vrm_gravity`] must convert the chains and the materials.
    fn convert_system(&mut self, system: &mut System<N>) -> bool {
        if let Some(component) = &mut system.component {
            self.keep_axes(component, HelperRole::Plain);
        }
        let Some(facing) = self.turned_to() else { return false };
        let table = system.solver.info().params;
        turn_around(&mut system.values, table);
        if system.solver != SolverKind::Vrm {
            return false;
        }
        let (old, new) = (system.values.value(table, VERSION).unwrap_or_default() != 0.0, facing == Facing::MinusZ);
        if old != new {
            system.values.put(table, VERSION, Some(f32::from(u8::from(new))));
        }
        old != new
    }

    /// Converts the values of a material. `reverses_gravity` is whether the version of VRM systems changed.
    fn convert_material(&self, material: &mut Material<N>, reverses_gravity: bool) {
        if self.turned_to().is_some() {
            turn_around(&mut material.values, material.solver.info().params);
        }
        if reverses_gravity && material.solver == SolverKind::Vrm {
            reverse_vrm_gravity(&mut material.values);
        }
    }

    /// Converts the values of a chain without its joints.
    fn convert_chain(&mut self, chain: &mut Chain<N>, table: &'static [ParamDef]) {
        if let Some(center) = &mut chain.center {
            self.convert_inline(center);
        }
        if self.turned_to().is_some() {
            turn_around(&mut chain.values, table);
        }
    }

    /// Moves values of a chain that are in the frames of bones to joints, because each bone can have another turn.
    /// `curve_positions` has the position of each joint on the chain's curves.
    fn move_bone_values_to_joints(&self, chain: &mut Chain<N>, table: &'static [ParamDef], curve_positions: &[f32]) {
        for (params, _) in values::bone_frame_entries(table) {
            let shared: Vec<ChainValue> = params
                .iter()
                .map(|param| {
                    let default = ChainValue::constant(table[param.index()].default);
                    chain.values.value(table, *param).unwrap_or(default)
                })
                .collect();
            let is_overridden = |joint: &Joint<N>| params.iter().any(|p| joint.overrides.value(table, *p).is_some());
            let is_zero = shared.iter().all(|value| value.base == 0.0);
            for (joint, t) in chain.joints.iter_mut().zip(curve_positions) {
                if self.bone_turn(&joint.bone).is_none() || (is_zero && !is_overridden(joint)) {
                    continue;
                }
                for (param, shared) in params.iter().zip(&shared) {
                    let joint_value = joint.overrides.value(table, *param).unwrap_or_else(|| shared.along(*t));
                    joint.overrides.put(table, *param, Some(joint_value));
                }
            }
        }
    }

    /// Converts the nodes of a leg follower. The axes of the hip define its directions.
    fn convert_high_leg(&mut self, high_leg: &mut HighLeg<N>) {
        self.keep_axes(&mut high_leg.hip, HelperRole::Plain);
        for node in high_leg.legs.iter_mut().flatten().chain([&mut high_leg.node]) {
            self.convert_inline(node);
        }
    }

    /// Converts a joint with its overrides. `table` is the table of its solver.
    fn convert_joint(&mut self, joint: &mut Joint<N>, table: &'static [ParamDef]) {
        if let Some(pivot) = &mut joint.pivot {
            self.keep_axes(pivot, HelperRole::Pivot);
        }
        joint.length_targets.iter_mut().for_each(|target| self.convert_inline(&mut target.node));
        if self.turned_to().is_some() {
            turn_around(&mut joint.overrides, table);
        }
        let Some(turn) = self.bone_turn(&joint.bone) else { return };
        for kept in turn_joint_values(&mut joint.overrides, table, &turn) {
            self.report_kept(&joint.bone, kept);
        }
        let mut tip = None;
        if let Tip::Offset(offset) = &mut joint.tip {
            *offset = turn.point(*offset);
            tip = Some(*offset);
        }
        if let Some(limit) = &mut joint.limit {
            limit.rotation = turn.limit_rotation(limit.rotation, tip);
        }
    }
}

/// Moves values in the frames of bones that are equal on all joints to the chain.
pub fn move_equal_values_to_chain<N: Naming>(chain: &mut Chain<N>, table: &'static [ParamDef])
where
    N::ChainValues: ParamValues<ChainValue>,
    N::JointValues: ParamValues<f32>,
{
    for param in values::bone_frame_entries(table).flat_map(|(params, _)| params) {
        let first = chain.joints.first().and_then(|joint| joint.overrides.value(table, param));
        let Some(value) = first else { continue };
        let is_equal = |joint_value: f32| (joint_value - value).abs() <= 1e-5 * value.abs().max(1.0);
        if chain.joints.iter().all(|joint| joint.overrides.value(table, param).is_some_and(is_equal)) {
            chain.joints.iter_mut().for_each(|joint| joint.overrides.put(table, param, None));
            chain.values.put(table, param, Some(ChainValue::constant(value)));
        }
    }
}
