//! Table rows: joints with their values, and the nodes that they refer to.

use crate::document::{
    ByName, Chain, Collider, ColliderId, Helper, HelperId, HelperRole, HighLeg, Joint, JointEntry, LengthTarget, Node,
    NodeRef, ReplacedProperties, SetupEntry, System,
};
use crate::exchange::ExportOptions;
use crate::exchange::document_view::{
    MissingNames, SolverSubset, collider_order, missing_names, supported_collider_names, without_duplicates,
};
use crate::exchange::export_loss;
use crate::exchange::node_placement::flatten_helper;
use crate::exchange::setup_file::file_entry;
use crate::exchange::unbind::missing_bone_name;
use crate::exchange::{ExportLoss, FileEntry};
use std::collections::BTreeSet;
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::BoneId;

#[derive(Default)]
pub(super) struct TableRows {
    /// Ordered by section.
    pub(super) entries: Vec<FileEntry>,
    /// Helpers that readers find by the name of a row.
    pub(super) described_helpers: BTreeSet<HelperId>,
    pub(super) losses: Vec<ExportLoss>,
}

impl TableRows {
    pub(super) fn from_subset(part: &SolverSubset<'_>, options: ExportOptions) -> Self {
        let mut made = Self::default();
        if options.write_joints {
            made.push_joints(part, options.allow_empty_pivots);
        }
        if options.write_colliders {
            made.push_colliders(part, options);
            made.push_nulls(part);
            made.push_high_legs(part);
        }
        made
    }

    fn push_joints(&mut self, part: &SolverSubset<'_>, empty_pivots: bool) {
        let missing = missing_names(part.document);
        let mut joints = Vec::new();
        for (_, chain) in part.chains() {
            let name = || chain.name.clone();
            let has_curve = chain.values.iter().any(|value| value.curve.is_some() || value.around.is_some());
            self.losses.extend(has_curve.then(|| ExportLoss::Curves(name())));
            self.losses.extend(chain.material.map(|_| ExportLoss::Material(name())));
            let places = part.curve_positions(chain);
            joints.extend(places.into_iter().enumerate().map(|(at, place)| ChainJointRef {
                chain,
                index: at,
                curve_position: place,
            }));
        }
        // The sort is stable, so two joints of one bone keep the order of their chains.
        joints.sort_by_key(|joint| (part.names.hierarchy_index(Node::Bone(joint.bone())), joint.bone()));
        let (mut pivots, mut named) = (Vec::new(), BTreeSet::new());
        for at in joints {
            let bone = at.bone();
            if bone.index() >= part.skeleton.len() {
                self.losses.push(ExportLoss::MissingBone(missing_bone_name(part.document, bone)));
                continue;
            }
            let is_limited = part
                .solver
                .info()
                .has_active_pivot_limit(|param| at.chain.joint_value(at.index, param, at.curve_position));
            export_loss::push_joint_losses(part, at.joint(), is_limited, &mut self.losses);
            let missing = missing.get(part.skeleton.name(bone)).copied().unwrap_or_default();
            self.entries.push(file_entry(0, SetupEntry::Joint(joint_entry(part, &at, missing, empty_pivots))));
            if part.solver.info().uses_pivots
                && let Some((id, pivot)) = pivot_entry(part, at.joint())
                && named.insert(pivot.name.clone())
            {
                self.described_helpers.insert(id);
                pivots.push(file_entry(0, SetupEntry::Helper(pivot)));
            }
        }
        self.entries.extend(pivots);
    }

    fn push_colliders(&mut self, part: &SolverSubset<'_>, options: ExportOptions) {
        let mut colliders: Vec<(&ColliderId, &Collider)> = part.document.colliders.iter().collect();
        colliders.sort_by_key(|(id, c)| (collider_order(&c.shape), part.names.hierarchy_index(c.node), **id));
        let mut seen = BTreeSet::new();
        for (_, collider) in colliders {
            let name = || collider.name.clone();
            if !part.solver.info().supports_shape(&collider.shape) || !(options.format.stores_shape)(&collider.shape) {
                self.losses.push(ExportLoss::UnsupportedShape(name()));
                continue;
            }
            if !seen.insert((collider_order(&collider.shape), &collider.name)) {
                self.losses.push(ExportLoss::DuplicateColliderName(name()));
            }
            let Some(node) = collider_node(part, collider) else {
                self.losses.push(ExportLoss::ColliderOnMissingBone(name()));
                continue;
            };
            if let Node::Helper(id) = collider.node
                && part.names.name(collider.node) == Some(&collider.name)
            {
                self.described_helpers.insert(id);
            }
            let row = Collider {
                mesh_name: collider.mesh_name.clone(),
                ..Collider::new(name(), NodeRef::Inline(Box::new(node)), collider.shape)
            };
            self.entries.push(file_entry(0, SetupEntry::Collider(row)));
        }
    }

    fn push_nulls(&mut self, part: &SolverSubset<'_>) {
        let referenced_helpers = referenced_plain_helpers(part);
        let is_null = |(id, helper): &(&HelperId, &Helper)| {
            helper.role == HelperRole::Null || referenced_helpers.contains(&Node::Helper(**id))
        };
        let mut nulls: Vec<_> = part.document.helpers.iter().filter(is_null).collect();
        nulls.sort_by_key(|(id, _)| (part.names.hierarchy_index(Node::Helper(**id)), **id));
        for (id, helper) in nulls {
            let (parent, local) = flatten_helper(part.document, helper);
            let Some(parent) = part.names.name(parent).map(NodeRef::from) else { continue };
            self.described_helpers.insert(*id);
            let row = Helper { name: helper.name.clone(), parent, local, role: HelperRole::Null };
            self.entries.push(file_entry(0, SetupEntry::Helper(row)));
        }
    }

    fn push_high_legs(&mut self, part: &SolverSubset<'_>) {
        let mut high_legs: Vec<_> = part.document.high_legs.iter().collect();
        high_legs.sort_by_key(|(id, high_leg)| (part.names.hierarchy_index(high_leg.node), **id));
        for (_, high_leg) in high_legs {
            if let Some(row) = high_leg_entry(part, high_leg) {
                self.entries.push(file_entry(0, SetupEntry::HighLeg(row)));
            } else {
                let name = part.names.name(high_leg.node).unwrap_or_default();
                self.losses.push(ExportLoss::HighLegOnMissingNode(name.to_owned()));
            }
        }
    }
}

struct ChainJointRef<'a> {
    chain: &'a Chain,
    index: usize,
    curve_position: f32,
}

impl<'a> ChainJointRef<'a> {
    fn joint(&self) -> &'a Joint {
        &self.chain.joints[self.index]
    }

    fn bone(&self) -> BoneId {
        self.joint().bone
    }
}

fn joint_entry(
    part: &SolverSubset<'_>,
    at: &ChainJointRef<'_>,
    missing: MissingNames<'_>,
    empty_pivots: bool,
) -> JointEntry {
    let joint = at.joint();
    let mut row = Joint::<ByName>::new(part.skeleton.name(joint.bone).to_owned());
    let own = enumerate_params(part.main_system.param_defs())
        .filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension);
    row.overrides = own
        .map(|(id, def)| (def.name.to_owned(), JsonNumber(at.chain.joint_value(at.index, id, at.curve_position))))
        .collect();
    let live = supported_collider_names(part.document, at.chain, joint);
    row.colliders = without_duplicates([live.as_slice(), missing.colliders].concat());
    if part.solver.info().uses_pivots {
        row.pivot = pivot_name(part, joint, missing.pivot, empty_pivots).map(NodeRef::from);
        let live = joint.length_targets.iter().filter_map(|target| part.names.name(target.node));
        let missing = missing.length_targets.iter().map(String::as_str);
        row.length_targets = live.chain(missing).map(|name| LengthTarget::new(NodeRef::from(name))).collect();
    }
    JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint: row }
}

/// The name in the pivot cell. Unity rejects an empty cell, so a joint without a pivot gets the name of its parent
/// unless empty cells are allowed.
fn pivot_name<'a>(part: &SolverSubset<'a>, joint: &Joint, kept: &'a str, is_empty_allowed: bool) -> Option<&'a str> {
    let live = joint.pivot.and_then(|pivot| part.names.name(pivot));
    let parent = || part.skeleton.get_parent(joint.bone).map(|parent| part.skeleton.name(parent));
    let name = live.or((!kept.is_empty()).then_some(kept));
    let name = if is_empty_allowed { name } else { name.or_else(parent) };
    name.filter(|name| !name.is_empty())
}

// Differs from UnityChanSpringBone, which also writes a row for a pivot that is a bone of the file. On loading,
// UnityChanSpringBone moves that bone to the origin of its parent. Readers find the bone by its name, so no row is
// needed.
fn pivot_entry(part: &SolverSubset<'_>, joint: &Joint) -> Option<(HelperId, Helper<ByName>)> {
    let Some(Node::Helper(id)) = joint.pivot else { return None };
    let helper = part.document.helpers.get(&id)?;
    let (parent, local) = flatten_helper(part.document, helper);
    let parent = NodeRef::from(part.names.name(parent)?);
    let local = Trs { rotation: local.rotation, ..Trs::IDENTITY };
    Some((id, Helper { name: helper.name.clone(), parent, local, role: HelperRole::Pivot }))
}

/// The inline node of a collider row. Returns `None` if the parent does not exist.
fn collider_node(part: &SolverSubset<'_>, collider: &Collider) -> Option<Helper<ByName>> {
    let (parent, local) = match collider.node {
        Node::Helper(id) => flatten_helper(part.document, part.document.helpers.get(&id)?),
        // If a bone has the collider's name, the collider is on the bone itself, as in Unity.
        Node::Bone(bone) => {
            let above =
                part.skeleton.get_parent(bone).filter(|_| part.names.name(collider.node) == Some(&collider.name));
            above.map_or((collider.node, Trs::IDENTITY), |above| (Node::Bone(above), part.skeleton.bone(bone).rest))
        }
    };
    let parent = NodeRef::from(part.names.name(parent)?);
    Some(Helper { name: collider.name.clone(), parent, local, role: HelperRole::Plain })
}

/// Plain helpers that leg followers, centers, systems and length limits refer to. Each helper needs a node row.
fn referenced_plain_helpers(part: &SolverSubset<'_>) -> BTreeSet<Node> {
    let document = part.document;
    let legs = document.high_legs.values();
    let legs = legs.flat_map(|leg| [leg.node, leg.hip].into_iter().chain(leg.legs.iter().flatten().copied()));
    let centers = part.chains().filter_map(|(_, chain)| chain.center);
    let components = part.systems().flat_map(|(_, system)| System::referenced_nodes(system));
    let joints = part.chains().flat_map(|(_, chain)| &chain.joints);
    let targets = joints.flat_map(|joint| &joint.length_targets).map(|target| target.node);
    // Readers create the node of a collider under the collider's name.
    let is_created = |node: &Node, helper: &Helper| {
        document.colliders.values().any(|collider| collider.node == *node && collider.name == helper.name)
    };
    let is_asked = |node: &Node| match node {
        Node::Helper(id) => {
            let helper = document.helpers.get(id).filter(|helper| helper.role == HelperRole::Plain);
            helper.is_some_and(|helper| !is_created(node, helper))
        }
        Node::Bone(_) => false,
    };
    legs.chain(centers).chain(components).chain(targets).filter(is_asked).collect()
}

/// Returns `None` if a node does not exist.
fn high_leg_entry(part: &SolverSubset<'_>, high_leg: &HighLeg) -> Option<HighLeg<ByName>> {
    let name = |node: Node| part.names.name(node).map(NodeRef::from);
    let leg = |[from, to]: &[Node; 2]| Some([name(*from)?, name(*to)?]);
    let legs = high_leg.legs.iter().map(leg).collect::<Option<_>>()?;
    Some(HighLeg { node: name(high_leg.node)?, hip: name(high_leg.hip)?, legs })
}
