//! Converts a whole document.

use super::{FrameTransfer, move_equal_values_to_chain, reverse_chain_gravity};
use crate::document::rest_frame::{FrameTurn, HALF_TURN};
use crate::document::{ById, Chain, ColliderId, ComponentLists, Document, Helper, HelperId, HelperRole, Node};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamDef;
use yuremono_sim::rig::{BoneId, Facing, Skeleton};

/// A value in the frame of a bone that stayed unchanged, because it needs a bone with parallel axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptValue {
    /// The bone of the joint.
    pub bone: BoneId,
    /// The first parameter of the entry.
    pub def: &'static ParamDef,
}

impl KeptValue {
    /// Returns one finding for all values that stayed unchanged.
    pub fn diagnostic(kept: &[Self], skeleton: &Skeleton, place: &Location) -> Option<Diagnostic> {
        let first = kept.first()?;
        let joints: BTreeSet<BoneId> = kept.iter().map(|one| one.bone).collect();
        let mut parameters: Vec<&str> = kept.iter().map(|one| one.def.label).collect();
        parameters.sort_unstable();
        parameters.dedup();
        Some(Diagnostic::warning(
            place.clone(),
            message!(
                "{parameter} depends on the axes of the bone, and the axes of {bone} are not parallel to those of the bone that the value comes from. Unchanged on {joints} joints; check these joints",
                parameter = parameters.join(", "),
                bone = excerpt(skeleton.name(first.bone)),
                joints = joints.len()
            ),
        ))
    }
}

/// Converts a document that is bound to `skeleton` but has values for other rest frames. `turns` has the turn of each
/// bone. If `turned_to` is a facing, turns vectors in the world around to this facing, and VRM springs get the version of
/// VRM whose characters have this facing.
pub fn turn_document(
    document: &mut Document,
    skeleton: &Skeleton,
    turns: &BTreeMap<BoneId, FrameTurn>,
    turned_to: Option<Facing>,
) -> Vec<KeptValue> {
    if turns.is_empty() && turned_to.is_none() {
        return Vec::new();
    }
    let curve_positions: BTreeMap<_, _> =
        document.chains.iter().map(|(id, chain)| (*id, document.curve_positions(chain, skeleton))).collect();
    let tables: BTreeMap<_, _> =
        document.chains.iter().map(|(id, chain)| (*id, document.param_defs_of(chain))).collect();
    let mut transfer = DocumentTransfer {
        turns,
        turned_to,
        skeleton,
        next_helper: document.next_helper_id(),
        new_helpers: BTreeMap::new(),
        kept: Vec::new(),
    };
    let setup = &mut document.setup;
    setup.helpers.values_mut().for_each(|helper| transfer.convert_helper(helper));
    let lists = setup.systems.values().map(|system| &system.component_lists);
    let hulls: BTreeSet<ColliderId> = lists.flat_map(ComponentLists::colliders_with_hulls).copied().collect();
    for (id, collider) in &mut setup.colliders {
        transfer.convert_collider(collider, hulls.contains(id));
    }
    setup.high_legs.values_mut().for_each(|high_leg| transfer.convert_high_leg(high_leg));
    let mut other_version = BTreeSet::new();
    for (id, system) in &mut setup.systems {
        if transfer.convert_system(system) {
            other_version.insert(*id);
        }
    }
    setup.forces.values_mut().for_each(|force| transfer.convert_force(force));
    for (id, chain) in &mut setup.chains {
        transfer.turn_chain(chain, tables[id], &curve_positions[id]);
        if other_version.contains(&chain.system) {
            reverse_chain_gravity(chain);
        }
    }
    for material in setup.materials.values_mut() {
        transfer.convert_material(material, !other_version.is_empty());
    }
    if turned_to.is_some() {
        let gestures = setup.gestures.values_mut().flat_map(|gesture| &mut gesture.samples);
        for sample in gestures.chain(setup.kept_pose.iter_mut().map(|posed| &mut posed.sample)) {
            sample.offset = HALF_TURN * sample.offset;
            sample.rotation = HALF_TURN * sample.rotation * HALF_TURN.inverse();
        }
    }
    setup.helpers.extend(transfer.new_helpers);
    transfer.kept
}

/// Converts the values of a chain that was copied from another character, without its nodes. `turns` has the turn of each
/// bone of the copied chain, and `curve_positions` the position of each joint on its curves.
pub fn turn_copied_chain(
    chain: &mut Chain,
    table: &'static [ParamDef],
    curve_positions: &[f32],
    turns: &BTreeMap<BoneId, FrameTurn>,
    turned_to: Option<Facing>,
) -> Vec<KeptValue> {
    for joint in &mut chain.joints {
        joint.pivot = None;
        joint.length_targets.clear();
    }
    let mut transfer = DocumentTransfer {
        turns,
        turned_to,
        skeleton: &Skeleton::default(),
        next_helper: HelperId(0),
        new_helpers: BTreeMap::new(),
        kept: Vec::new(),
    };
    transfer.turn_chain(chain, table, curve_positions);
    transfer.kept
}

struct DocumentTransfer<'a> {
    turns: &'a BTreeMap<BoneId, FrameTurn>,
    turned_to: Option<Facing>,
    skeleton: &'a Skeleton,
    next_helper: HelperId,
    new_helpers: BTreeMap<HelperId, Helper>,
    kept: Vec<KeptValue>,
}

impl DocumentTransfer<'_> {
    fn turn_chain(&mut self, chain: &mut Chain, table: &'static [ParamDef], curve_positions: &[f32]) {
        self.convert_chain(chain, table);
        self.move_bone_values_to_joints(chain, table, curve_positions);
        chain.joints.iter_mut().for_each(|joint| self.convert_joint(joint, table));
        move_equal_values_to_chain(chain, table);
    }
}

impl FrameTransfer<ById> for DocumentTransfer<'_> {
    fn bone_turn(&self, bone: &BoneId) -> Option<FrameTurn> {
        self.turns.get(bone).copied()
    }

    fn node_turn(&self, node: &Node) -> Option<FrameTurn> {
        match node {
            Node::Bone(bone) => self.bone_turn(bone),
            Node::Helper(_) => None,
        }
    }

    fn turned_to(&self) -> Option<Facing> {
        self.turned_to
    }

    fn insert_node(&mut self, bone: &Node, local: Trs, role: HelperRole) -> Node {
        let name = match bone {
            Node::Bone(bone) => FrameTurn::node_name(self.skeleton.name(*bone)),
            Node::Helper(_) => String::new(),
        };
        let helper = Helper { name, parent: *bone, local, role };
        if let Some((id, _)) = self.new_helpers.iter().find(|(_, known)| **known == helper) {
            return Node::Helper(*id);
        }
        let id = self.next_helper;
        self.next_helper = HelperId(id.0 + 1);
        self.new_helpers.insert(id, helper);
        Node::Helper(id)
    }

    fn report_kept(&mut self, bone: &BoneId, def: &'static ParamDef) {
        self.kept.push(KeptValue { bone: *bone, def });
    }

    fn convert_inline(&mut self, _: &mut Node) {}
}
