//! From a file's spring bones to a document under VRM's own solver: the same chains, numbers, colliders and groups.
//!
//! Nothing is turned into anything else, so that [`springs`](super::springs) leads back bit for bit.

use super::{Chain, Collider, Joint, Shape, Springs, Tail, Version};
use crate::document::names::BoneName;
use crate::document::{
    ChainId, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperRole, Node, Part, Tip,
};
use crate::math::{Trs, shortest_arc};
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Character};
use crate::schema::Row;
use crate::sim;
use crate::sim::SolverKind;
use crate::sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, STIFFNESS, VERSION};
use glam::{Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// A document with all that the file says of its springs; what it cannot hold is said.
pub fn to_document(springs: &Springs, character: &Character, file: &str) -> (Document, Vec<Diagnostic>) {
    let document = Document::under(SolverKind::Vrm);
    let mut making = Making { character, document, taken: BTreeSet::new(), diagnostics: Vec::new(), file };
    making.document.main_mut().values.set(VERSION, f32::from(u8::from(springs.version == Version::V0)));
    let colliders: Vec<ColliderId> = springs.colliders.iter().map(|c| making.collider(c)).collect();
    let groups = making.groups(springs, &colliders);
    let names = shown_names(springs, character);
    for (chain, name) in springs.chains.iter().zip(names) {
        making.chain(chain, name, &groups);
    }
    (making.document, making.diagnostics)
}

/// What lists call each chain: its own name, or its root bone's where it has none or shares it.
pub(super) fn shown_names(springs: &Springs, character: &Character) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    springs.chains.iter().for_each(|chain| *count.entry(chain.name.as_str()).or_default() += 1);
    let root = |chain: &Chain| character.skeleton.name(chain.joints[0].bone).to_owned();
    let shown = |chain: &Chain| {
        if chain.name.is_empty() || count[chain.name.as_str()] > 1 { root(chain) } else { chain.name.clone() }
    };
    springs.chains.iter().map(shown).collect()
}

/// The numbers of a joint by their rows.
pub(super) fn numbers(joint: &Joint) -> [(Row, f32); 7] {
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

/// Where a collider's node stands on its bone, and what it carries there.
pub(super) fn placed(shape: Shape) -> (Trs, sim::Shape) {
    match shape {
        Shape::Sphere { offset, radius, inside } => {
            (Trs::from_translation(offset), sim::Shape::Sphere { radius, inside })
        }
        Shape::Capsule { offset, tail, radius, inside } => {
            let along = tail - offset;
            let rotation = along.try_normalize().map_or(Quat::IDENTITY, |to| shortest_arc(Vec3::Y, to));
            let height = along.length();
            let local = Trs { translation: offset, rotation, scale: Vec3::ONE };
            (local, sim::Shape::Capsule { radius, height, inside })
        }
        Shape::Plane { offset, normal } => {
            let rotation = normal.try_normalize().map_or(Quat::IDENTITY, |to| shortest_arc(Vec3::Z, to));
            (Trs { translation: offset, rotation, scale: Vec3::ONE }, sim::Shape::Plane)
        }
    }
}

struct Making<'a> {
    character: &'a Character,
    document: Document,
    /// Names of helpers.
    taken: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
    file: &'a str,
}

impl Making<'_> {
    /// On a helper of its own, so that its place can be edited.
    fn collider(&mut self, collider: &Collider) -> ColliderId {
        let (local, shape) = placed(collider.shape);
        let (helper, id) = (self.document.fresh_helper(), self.document.fresh_collider());
        let name = self.free_name(&format!("{}_{}", self.character.skeleton.name(collider.bone), shape.node_name()));
        let node = Node::Helper(helper);
        let carrier = Helper { name: name.clone(), parent: Node::Bone(collider.bone), local, role: HelperRole::Plain };
        self.put(Edit::PutHelper { id: helper, helper: Some(carrier) });
        let source = collider.file_index.map(|i| i as u32);
        let collider = crate::document::Collider { source, ..crate::document::Collider::new(name, node, shape) };
        self.put(Edit::PutCollider { id, collider: Some(collider) });
        id
    }

    fn free_name(&mut self, first: &str) -> String {
        let is_taken = |name: &str| self.taken.contains(name) || self.character.skeleton.find(name).is_some();
        let numbered = (2_u32..).map(|n| format!("{first}{n}"));
        let name = std::iter::once(first.to_owned()).chain(numbered).find(|name| !is_taken(name));
        let name = name.expect("numbers do not end");
        self.taken.insert(name.clone());
        name
    }

    fn groups(&mut self, springs: &Springs, colliders: &[ColliderId]) -> Vec<GroupId> {
        let mut ids = Vec::with_capacity(springs.collider_groups.len());
        for group in &springs.collider_groups {
            let id = self.document.fresh_group();
            let listed = group.colliders.iter().filter_map(|c| colliders.get(*c).copied()).collect();
            let source = group.file_index.map(|i| i as u32);
            let group = ColliderGroup { name: group.name.clone(), colliders: listed, source };
            self.put(Edit::PutGroup { id, group: Some(group) });
            ids.push(id);
        }
        ids
    }

    fn chain(&mut self, chain: &Chain, name: String, groups: &[GroupId]) {
        let free: Vec<&Joint> = chain.joints.iter().filter(|j| self.document.joint_of(j.bone).is_none()).collect();
        let Some(root) = free.first().map(|j| j.bone) else { return };
        let mut joints: Vec<crate::document::Joint> = free.iter().map(|j| self.joint(j)).collect();
        let mut made =
            crate::document::Chain::new(name, self.part(root, &chain.name), self.document.main().table(), Vec::new());
        for (at, (row, first)) in numbers(free[0]).into_iter().enumerate() {
            let values = || free.iter().map(|joint| numbers(joint)[at].1);
            if values().all(|v| v.to_bits() == first.to_bits()) {
                made.values[row.index()].base = first;
            } else {
                joints.iter_mut().zip(values()).for_each(|(joint, value)| _ = joint.own.insert(row, value));
            }
        }
        made.joints = joints;
        made.groups = chain.collider_groups.iter().filter_map(|g| groups.get(*g).copied()).collect();
        made.center = chain.center.map(Node::Bone);
        made.source = chain.file_index.map(|i| i as u32);
        let id: ChainId = self.document.fresh_chain();
        self.put(Edit::PutChain { id, chain: Some(Box::new(made)) });
    }

    fn joint(&self, joint: &Joint) -> crate::document::Joint {
        let tip = match joint.tail {
            Tail::Offset(offset) => Tip::Offset(offset),
            Tail::Bone(bone) if self.character.skeleton.children(joint.bone) == [bone] => Tip::Children,
            Tail::Bone(bone) => Tip::Bone(bone),
        };
        crate::document::Joint { tip, limit: joint.limit, ..crate::document::Joint::new(joint.bone) }
    }

    /// By the root's name, the chain's own, or the nearest bone above that says something.
    fn part(&self, root: BoneId, comment: &str) -> Part {
        let skeleton = &self.character.skeleton;
        let above = skeleton.ancestors(root).take_while(|b| self.character.humanoid.role(*b).is_none());
        let names = [skeleton.name(root), comment].into_iter().chain(above.map(|b| skeleton.name(b)));
        names.filter_map(|name| BoneName::read(name).verdict().part).map(|found| found.0).next().unwrap_or_default()
    }

    /// Applies an edit of our own making; the file's nonsense becomes a message.
    fn put(&mut self, edit: Edit) {
        if let Err(err) = self.document.apply(edit) {
            self.diagnostics.push(Diagnostic::warning(Place::file(self.file), err.to_string()));
        }
    }
}
