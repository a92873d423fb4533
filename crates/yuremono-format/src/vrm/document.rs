//! Converts the spring bones of a file to a document for the VRM solver, with the same chains, values, colliders and
//! groups.
//!
//! Values are copied without conversion, so that [`springs`](super::springs) can restore the same bits.

use super::{VrmCollider, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion};
use glam::{Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::names::BoneName;
use yuremono_model::document::{
    Chain, ChainPart, Collider, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperRole, Joint, Node,
    Tip,
};
use yuremono_sim;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::math::{Trs, shortest_arc};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, STIFFNESS, VERSION};

/// Converts the springs of a file to a document. The diagnostics list the data that the document cannot store.
pub fn to_document(springs: &VrmSprings, character: &Character, file: &str) -> (Document, Vec<Diagnostic>) {
    let document = Document::with_solver(SolverKind::Vrm);
    let mut making =
        DocumentBuilder { character, document, taken_names: BTreeSet::new(), diagnostics: Vec::new(), file };
    making.document.main_system_mut().values.set(VERSION, f32::from(u8::from(springs.version == VrmVersion::V0)));
    let colliders: Vec<ColliderId> = springs.colliders.iter().map(|c| making.add_collider(c)).collect();
    let groups = making.add_groups(springs, &colliders);
    let names = display_names(springs, character);
    for (chain, name) in springs.chains.iter().zip(names) {
        making.add_chain(chain, name, &groups);
    }
    (making.document, making.diagnostics)
}

/// Returns the display name of each chain: its own name, or the name of its root bone if its own name is empty or not
/// unique.
pub(super) fn display_names(springs: &VrmSprings, character: &Character) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    springs.chains.iter().for_each(|chain| *count.entry(chain.name.as_str()).or_default() += 1);
    let root = |chain: &VrmSpringChain| character.skeleton.name(chain.joints[0].bone).to_owned();
    let shown = |chain: &VrmSpringChain| {
        if chain.name.is_empty() || count[chain.name.as_str()] > 1 { root(chain) } else { chain.name.clone() }
    };
    springs.chains.iter().map(shown).collect()
}

/// Returns the parameter values of a joint with their ids.
pub(super) fn joint_params(joint: &VrmSpringJoint) -> [(ParamId, f32); 7] {
    [
        (STIFFNESS, joint.stiffness),
        (GRAVITY_POWER, joint.gravity_power),
        (GRAVITY_DIR[0], joint.gravity_dir.x),
        (GRAVITY_DIR[1], joint.gravity_dir.y),
        (GRAVITY_DIR[2], joint.gravity_dir.z),
        (DRAG, joint.drag),
        (HIT_RADIUS, joint.hit_radius),
    ]
}

/// Returns the shape of a collider and its place in its node.
pub(crate) fn collider_placement(shape: VrmColliderShape) -> (Trs, yuremono_sim::ColliderShape) {
    match shape {
        VrmColliderShape::Sphere { offset, radius, inside } => {
            (Trs::from_translation(offset), yuremono_sim::ColliderShape::Sphere { radius, inside })
        }
        VrmColliderShape::Capsule { offset, tail, radius, inside } => {
            let along = tail - offset;
            let rotation = along.try_normalize().map_or(Quat::IDENTITY, |to| shortest_arc(Vec3::Y, to));
            let height = along.length();
            let local = Trs { translation: offset, rotation, scale: Vec3::ONE };
            (local, yuremono_sim::ColliderShape::Capsule { radius, height, inside })
        }
        VrmColliderShape::Plane { offset, normal } => {
            let rotation = normal.try_normalize().map_or(Quat::IDENTITY, |to| shortest_arc(Vec3::Z, to));
            (Trs { translation: offset, rotation, scale: Vec3::ONE }, yuremono_sim::ColliderShape::Plane)
        }
    }
}

struct DocumentBuilder<'a> {
    character: &'a Character,
    document: Document,
    /// Names that existing helpers use.
    taken_names: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
    file: &'a str,
}

impl DocumentBuilder<'_> {
    /// Adds the collider on its own helper node, so that the user can move the collider.
    fn add_collider(&mut self, collider: &VrmCollider) -> ColliderId {
        let (local, shape) = collider_placement(collider.shape);
        let (helper, id) = (self.document.next_helper_id(), self.document.next_collider_id());
        let name = self.unique_helper_name(&format!(
            "{}_{}",
            self.character.skeleton.name(collider.bone),
            shape.node_name_suffix()
        ));
        let node = Node::Helper(helper);
        let carrier = Helper { name: name.clone(), parent: Node::Bone(collider.bone), local, role: HelperRole::Plain };
        self.apply(Edit::PutHelper { id: helper, helper: Some(carrier) });
        let source = collider.file_index.map(|i| i as u32);
        let collider = Collider { source_index: source, ..Collider::new(name, node, shape) };
        self.apply(Edit::PutCollider { id, collider: Some(collider) });
        id
    }

    fn unique_helper_name(&mut self, first: &str) -> String {
        let is_taken = |name: &str| self.taken_names.contains(name) || self.character.skeleton.find(name).is_some();
        let numbered = (2_u32..).map(|n| format!("{first}{n}"));
        let name = std::iter::once(first.to_owned()).chain(numbered).find(|name| !is_taken(name));
        let name = name.expect("numbers do not end");
        self.taken_names.insert(name.clone());
        name
    }

    fn add_groups(&mut self, springs: &VrmSprings, colliders: &[ColliderId]) -> Vec<GroupId> {
        let mut ids = Vec::with_capacity(springs.collider_groups.len());
        for group in &springs.collider_groups {
            let id = self.document.next_group_id();
            let listed = group.colliders.iter().filter_map(|c| colliders.get(*c).copied()).collect();
            let source = group.file_index.map(|i| i as u32);
            let group = ColliderGroup { name: group.name.clone(), colliders: listed, source_index: source };
            self.apply(Edit::PutGroup { id, group: Some(group) });
            ids.push(id);
        }
        ids
    }

    fn add_chain(&mut self, chain: &VrmSpringChain, name: String, groups: &[GroupId]) {
        let free: Vec<&VrmSpringJoint> =
            chain.joints.iter().filter(|j| self.document.find_joint(j.bone).is_none()).collect();
        let Some(root) = free.first().map(|j| j.bone) else { return };
        let mut joints: Vec<Joint> = free.iter().map(|j| self.make_joint(j)).collect();
        let mut made =
            Chain::new(name, self.detect_part(root, &chain.name), self.document.main_system().param_defs(), Vec::new());
        for (at, (param, first)) in joint_params(free[0]).into_iter().enumerate() {
            let values = || free.iter().map(|joint| joint_params(joint)[at].1);
            if values().all(|v| v.to_bits() == first.to_bits()) {
                made.values[param.index()].base = first;
            } else {
                joints.iter_mut().zip(values()).for_each(|(joint, value)| _ = joint.overrides.insert(param, value));
            }
        }
        made.joints = joints;
        made.groups = chain.collider_groups.iter().filter_map(|g| groups.get(*g).copied()).collect();
        made.center = chain.center.map(Node::Bone);
        made.source_index = chain.file_index.map(|i| i as u32);
        let id = self.document.next_chain_id();
        self.apply(Edit::PutChain { id, chain: Some(Box::new(made)) });
    }

    fn make_joint(&self, joint: &VrmSpringJoint) -> Joint {
        let tip = match joint.tail {
            VrmJointTail::Offset(offset) => Tip::Offset(offset),
            VrmJointTail::Bone(bone) if self.character.skeleton.children(joint.bone) == [bone] => Tip::Children,
            VrmJointTail::Bone(bone) => Tip::Bone(bone),
        };
        Joint { tip, limit: joint.limit, ..Joint::new(joint.bone) }
    }

    fn detect_part(&self, root: BoneId, comment: &str) -> ChainPart {
        let skeleton = &self.character.skeleton;
        let above = skeleton.ancestors(root).take_while(|b| self.character.humanoid.role(*b).is_none());
        let names = [skeleton.name(root), comment].into_iter().chain(above.map(|b| skeleton.name(b)));
        names.filter_map(|name| BoneName::parse(name).analyze().part).map(|found| found.0).next().unwrap_or_default()
    }

    fn apply(&mut self, edit: Edit) {
        if let Err(err) = self.document.apply(edit) {
            self.diagnostics.push(Diagnostic::warning(Location::file(self.file), err.to_string()));
        }
    }
}
