//! Builds the joints of a file in the order of `UnityChanSpringBone`'s import window.

use super::super::bind::NameBinder;
use super::super::merge::{chain_part, colliders_named, insert_new_chains};
use super::super::name_resolver::NameResolver;
use super::super::node_placement::{is_same_transform, rotations_differ};
use super::super::{FileEntry, FileSection};
use super::ReplaceNote;
use super::replacer::Replacer;
use crate::document::{
    ByName, Chain, ChainId, ColliderId, Document, Helper, HelperId, HelperRole, Joint, JointEntry, LengthTarget,
    MapNaming as _, Node, NodeRef, ReplacedProperties, SetupEntry, System, SystemId,
};
use crate::exchange::SetupLayout;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::math::{Frame, Trs};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Skeleton};

/// Rounding error of positions, in metres.
const POSITION_TOLERANCE: f32 = 1e-6;

struct NewJoint {
    joint: Joint,
    /// The number of the joint's chain in the file.
    chain: Option<u32>,
    entry_index: usize,
}

#[derive(Clone, Copy)]
struct FileJoint<'a> {
    entry_index: usize,
    system: usize,
    line: u64,
    entry: &'a JointEntry,
}

impl<'a> Replacer<'a> {
    pub(super) fn replace_joints(&mut self) {
        self.build_pivots();
        let base = self.after.clone();
        for at in 0..self.target_systems.len() {
            self.build_system(at, &base);
        }
    }

    fn joint_entries(&self) -> Vec<FileJoint<'a>> {
        let entry = |(at, item, content): (usize, &'a FileEntry, &'a SetupEntry)| match content {
            SetupEntry::Joint(joint) => {
                Some(FileJoint { entry_index: at, system: item.system, line: item.line, entry: joint })
            }
            _ => None,
        };
        self.accepted_entries(FileSection::Joints).into_iter().filter_map(entry).collect()
    }

    /// Replaces the pivots that only joints use.
    fn build_pivots(&mut self) {
        let with_pivots: BTreeSet<SystemId> =
            self.target_systems.iter().copied().filter(|id| self.uses_pivots(*id)).collect();
        for id in &with_pivots {
            let Some(system) = self.after.systems.get_mut(id) else { continue };
            for param in system.solver.info().reset_by_import {
                let default = system.def(*param).default;
                system.values.set(*param, default);
            }
        }
        if with_pivots.is_empty() {
            return;
        }
        let removed = self.remove_pivots(&with_pivots);
        let entries = self.joint_entries();
        let asked: BTreeSet<&str> = entries.iter().map(|entry| pivot_name(&entry.entry.joint)).collect();
        for (_, item, content) in self.accepted_entries(FileSection::Pivots) {
            if let SetupEntry::Helper(pivot) = content {
                self.build_pivot(item.line, pivot, &removed, &asked);
            }
        }
    }

    fn uses_pivots(&self, system: SystemId) -> bool {
        self.after.systems.get(&system).is_some_and(|system| system.solver.info().uses_pivots)
    }

    // Differs from UnityChanSpringBone: bones of the character with names that end in `_pivot` are kept, like all
    // bones.
    fn remove_pivots(&mut self, systems: &BTreeSet<SystemId>) -> BTreeMap<HelperId, Helper> {
        let mut bare = self.after.clone();
        bare.chains.retain(|_, chain| !systems.contains(&chain.system));
        let is_named = |helper: &Helper| helper.name.to_lowercase().ends_with("_pivot");
        let is_free = |(id, helper): &(&HelperId, &Helper)| {
            (helper.role == HelperRole::Pivot || is_named(helper)) && !bare.is_node_referenced(Node::Helper(**id))
        };
        let removed: BTreeMap<_, _> = bare.helpers.iter().filter(is_free).map(|(id, h)| (*id, h.clone())).collect();
        self.after.helpers.retain(|id, _| !removed.contains_key(id));
        removed
    }

    /// `asked` contains the pivot names that joints of the file use.
    fn build_pivot(
        &mut self,
        line: u64,
        pivot: &Helper<ByName>,
        removed: &BTreeMap<HelperId, Helper>,
        asked: &BTreeSet<&str>,
    ) {
        let (name, skeleton) = (&pivot.name, self.skeleton);
        // A table row stores only the rotation of a pivot.
        let is_whole = self.plan.file.format.layout == SetupLayout::FullSetup;
        let rotation = pivot.local.rotation;
        let names = NameResolver::without_name_map(&self.after, skeleton);
        let Some(parent) = names.node(pivot.parent.name()) else { return };
        let lower = name.to_lowercase();
        let is_same = |other: &str| other.to_lowercase() == lower;
        if let Node::Bone(above) = parent
            && let Some(bone) = skeleton.children(above).iter().copied().find(|bone| is_same(skeleton.name(*bone)))
        {
            let is_there = !rotations_differ(skeleton.bone(bone).rest.rotation, rotation);
            if !is_there {
                // Differs from UnityChanSpringBone, whose importer rotates the bone with that name and moves it to its
                // parent. In Yuremono, a helper with that name replaces the bone if a row refers to the name.
                self.notes.push(ReplaceNote::WouldMoveBone(line, name.clone()));
            }
            if is_there || !asked.contains(name.as_str()) || skeleton.name(bone) != *name {
                return;
            }
        }
        let here = names.child_helpers(parent).find(|id| is_same(&self.after.helpers[id].name));
        if let Some(id) = here {
            let local = if is_whole { pivot.local } else { Trs { rotation, ..Trs::IDENTITY } };
            if let Some(helper) = self.after.helpers.get_mut(&id) {
                helper.local = local;
            }
            return;
        }
        let was = removed.iter().find(|(_, helper)| helper.name == *name && helper.parent == parent);
        let id = was.map(|(id, _)| *id).filter(|id| !self.after.helpers.contains_key(id));
        let last = removed.last_key_value().map_or(0, |(id, _)| id.0);
        let id = id.unwrap_or_else(|| HelperId(self.after.next_helper_id().0.max(last + 1)));
        let old = was.map(|(_, helper)| helper.local);
        let local = if is_whole {
            old.filter(|old| is_same_transform(old, &pivot.local)).unwrap_or(pivot.local)
        } else {
            let translation = old.map_or(Vec3::ZERO, |old| old.translation);
            let rotation =
                old.filter(|old| !rotations_differ(old.rotation, rotation)).map_or(rotation, |old| old.rotation);
            Trs { translation, rotation, ..Trs::IDENTITY }
        };
        self.after.helpers.insert(id, Helper { name: name.clone(), parent, local, role: HelperRole::Pivot });
        if skeleton.find(name).is_some() {
            self.bone_named_pivots.insert(name.clone(), id);
        }
    }

    /// Unity moves a pivot to each bone that refers to it. The last bone determines the position.
    fn move_pivot(&mut self, id: HelperId, bone: BoneId) {
        let Some(helper) = self.after.helpers.get(&id).filter(|helper| helper.role == HelperRole::Pivot) else {
            return;
        };
        let translation = self.node_frame(helper.parent).inverse_transform_point(self.rest.frame(bone).position);
        if let Some(helper) = self.after.helpers.get_mut(&id)
            && helper.local.translation.distance(translation) > POSITION_TOLERANCE
        {
            helper.local.translation = translation;
        }
    }

    /// The rest frame of a node, or the identity if the node does not exist.
    fn node_frame(&self, node: Node) -> Frame {
        let (mut at, mut locals) = (node, Vec::new());
        for _ in 0..=self.after.helpers.len() {
            match at {
                Node::Bone(bone) => {
                    let start = self.rest.frames.get(bone.index()).copied().unwrap_or(Frame::WORLD);
                    return locals.iter().rev().fold(start, |frame, local| frame.child(local));
                }
                Node::Helper(id) => {
                    let Some(helper) = self.after.helpers.get(&id) else { break };
                    locals.push(helper.local);
                    at = helper.parent;
                }
            }
        }
        Frame::WORLD
    }

    /// Builds the joints of one system. `base` contains the referenced nodes and colliders.
    fn build_system(&mut self, at: usize, base: &Document) {
        let names = NameResolver::without_name_map(base, self.skeleton);
        let mut binder = NameBinder::new(&names).prefer_colliders(|id| self.described_colliders.contains(&id));
        let later: BTreeSet<BoneId> = self.joint_bones[at + 1..].iter().flatten().copied().collect();
        let mut made: BTreeMap<BoneId, NewJoint> = BTreeMap::new();
        for entry in self.joint_entries().into_iter().filter(|entry| entry.system == at) {
            let name = &entry.entry.joint.bone;
            let Some(bone) = self.skeleton.find(name) else {
                self.notes.push(ReplaceNote::BoneNotFound(entry.line, name.clone()));
                continue;
            };
            if later.contains(&bone) {
                self.notes.push(ReplaceNote::DuplicateBone(entry.line, name.clone()));
                continue;
            }
            let joint = match entry.entry.scope {
                ReplacedProperties::Full => self.full_joint(bone, entry, &mut binder),
                ReplacedProperties::TableRow | ReplacedProperties::Details => {
                    self.row_joint(bone, entry, &names, &mut binder)
                }
            };
            let is_known = |name: &String| base.colliders.values().any(|collider| collider.name == *name);
            let lost: Vec<_> = entry.entry.joint.colliders.iter().filter(|name| !is_known(name)).cloned().collect();
            if !lost.is_empty() {
                self.notes.push(ReplaceNote::MissingColliders(entry.line, lost));
            }
            // Differs from UnityChanSpringBone, which gives a bone that is listed twice two components. The later
            // component acts last. In Yuremono, a bone has one joint, which is the joint of the later row.
            if made.insert(bone, NewJoint { joint, chain: entry.entry.chain, entry_index: entry.entry_index }).is_some()
            {
                self.notes.push(ReplaceNote::DuplicateBone(entry.line, name.clone()));
            }
        }
        binder.insert_new_helpers(&mut self.after);
        self.insert_joints(at, made);
    }

    fn resolve_pivot(&self, joint: &Joint<ByName>, names: &NameResolver<'_>) -> Option<Node> {
        let name = pivot_name(joint);
        self.bone_named_pivots.get(name).map(|id| Node::Helper(*id)).or_else(|| names.node(name))
    }

    /// The joint of a row. Overrides of extension parameters are kept.
    fn row_joint(
        &mut self,
        bone: BoneId,
        entry: FileJoint<'_>,
        names: &NameResolver<'_>,
        binder: &mut NameBinder<'_, '_>,
    ) -> Joint {
        let (target, row) = (self.target_systems[entry.system], &entry.entry.joint);
        let solver = self.after.systems[&target].solver;
        let table = solver.info().params;
        let pivot = self.resolve_pivot(row, names).or_else(|| self.skeleton.get_parent(bone).map(Node::Bone));
        let pivot = pivot.filter(|_| solver.info().uses_pivots);
        if let Some(Node::Helper(id)) = pivot {
            self.move_pivot(id, bone);
        }
        let old = self.after.chains.values().filter(|chain| chain.system == target);
        let old = old.flat_map(|chain| &chain.joints).find(|joint| joint.bone == bone);
        let stays = |(row, _): &(&ParamId, &f32)| table.get(row.index()).is_some_and(|def| def.extension);
        let mut own: BTreeMap<ParamId, f32> = old
            .into_iter()
            .flat_map(|joint| &joint.overrides)
            .filter(stays)
            .map(|(row, value)| (*row, *value))
            .collect();
        own.extend(binder.joint_values(solver, &row.overrides));
        let targets = row.length_targets.iter().filter_map(|target| names.node(target.node.name()));
        let length_targets = targets.map(LengthTarget::new).collect();
        let colliders = self.without_unrelated_colliders(colliders_named(
            names.document(),
            &row.colliders,
            solver.info().uses_pivots,
        ));
        Joint { overrides: own, pivot, length_targets, colliders, ..Joint::new(bone) }
    }

    /// Removes colliders of other solvers if the file describes a collider with the same name.
    fn without_unrelated_colliders(&self, mut colliders: Vec<ColliderId>) -> Vec<ColliderId> {
        let described = &self.described_colliders;
        let name = |id: &ColliderId| self.after.colliders.get(id).map_or("", |collider| collider.name.as_str());
        let meant: BTreeSet<&str> = colliders.iter().filter(|id| described.contains(id)).map(name).collect();
        colliders.retain(|id| described.contains(id) || !meant.contains(name(id)));
        colliders
    }

    fn full_joint(&self, bone: BoneId, entry: FileJoint<'_>, binder: &mut NameBinder<'_, '_>) -> Joint {
        let solver = self.after.systems[&self.target_systems[entry.system]].solver;
        let joint = entry.entry.joint.map_naming(solver, binder).unwrap_or_else(|| Joint::new(bone));
        let stand_in = self.bone_named_pivots.get(pivot_name(&entry.entry.joint)).map(|id| Node::Helper(*id));
        Joint { bone, pivot: stand_in.or(joint.pivot), ..joint }
    }

    /// Distributes joints to chains. Numbered joints form the chains of the file. Other joints go to their existing
    /// chains, up to the roots of other chains. All other existing joints are removed.
    fn insert_joints(&mut self, at: usize, made: BTreeMap<BoneId, NewJoint>) {
        let (skeleton, target) = (self.skeleton, self.target_systems[at]);
        let (mut numbered, mut free): (BTreeMap<u32, Vec<NewJoint>>, BTreeMap<BoneId, Joint>) = Default::default();
        for (bone, new) in made {
            match new.chain {
                Some(number) => numbered.entry(number).or_default().push(new),
                None => _ = free.insert(bone, new.joint),
            }
        }
        let roots = self.chain_roots(at);
        let claimed = self.insert_numbered_chains(target, numbered);
        let is_old = |(id, chain): &(&ChainId, &mut Chain)| chain.system == target && !claimed.contains(*id);
        for (_, chain) in self.after.setup.chains.iter_mut().filter(is_old) {
            let mut cuts: Vec<BoneId> = Vec::new();
            let mut joints = Vec::new();
            for bone in chain.joints.iter().map(|joint| joint.bone).filter(|bone| bone.index() < skeleton.len()) {
                if !joints.is_empty() && roots.contains(&bone) {
                    cuts.push(bone);
                }
                if !cuts.iter().any(|cut| *cut == bone || skeleton.is_known_ancestor(*cut, bone)) {
                    joints.extend(free.remove(&bone));
                }
            }
            chain.joints = joints;
        }
        self.after.chains.retain(|_, chain| !chain.joints.is_empty());
        insert_new_chains(skeleton, free, &roots, target, &mut self.after);
    }

    fn chain_roots(&self, at: usize) -> BTreeSet<BoneId> {
        let entries = self.plan.file.usable_entries(FileSection::Other).filter(|(_, item, _)| item.system == at);
        let root = |content: &SetupEntry| match content {
            SetupEntry::Chain(entry) => self.skeleton.find(&entry.root),
            _ => None,
        };
        entries.filter(|_| self.plan.options.use_other_entries).filter_map(|(.., content)| root(content)).collect()
    }

    /// Creates the numbered chains and returns their ids. A chain replaces the existing chain with the same root.
    fn insert_numbered_chains(
        &mut self,
        target: SystemId,
        numbered: BTreeMap<u32, Vec<NewJoint>>,
    ) -> BTreeSet<ChainId> {
        let place = |root: BoneId| {
            let mut all = self.after.chains.iter().filter(|(_, chain)| chain.system == target);
            all.find_map(|(id, chain)| Some((chain.joint_index(root)?, *id)))
        };
        let mut chains = Vec::new();
        for mut joints in numbered.into_values() {
            joints.sort_by_key(|new| new.entry_index);
            let mut joints: Vec<Joint> = joints.into_iter().map(|new| new.joint).collect();
            if !parents_first(self.skeleton, &joints) {
                joints.sort_by_key(|joint| joint.bone);
            }
            if let Some(root) = joints.first() {
                chains.push((place(root.bone), joints));
            }
        }
        // If several new chains start in the same existing chain, the chain that starts first keeps the id.
        chains.sort_by_key(|(place, _)| *place);
        let mut claimed = BTreeSet::new();
        for (place, joints) in chains {
            let old = place.map(|(_, id)| id).filter(|id| !claimed.contains(id));
            let id = old.unwrap_or_else(|| self.after.next_chain_id());
            claimed.insert(id);
            let root = joints[0].bone;
            let table = self.after.systems.get(&target).map_or(&[][..], System::param_defs);
            let skeleton = self.skeleton;
            let new = || Chain::new(skeleton.name(root), chain_part(skeleton, root), table, Vec::new());
            let chain = self.after.chains.get(&id).cloned().unwrap_or_else(new);
            self.after.chains.insert(id, Chain { joints, system: target, ..chain });
        }
        claimed
    }
}

/// Whether every joint comes after its ancestors.
fn parents_first(skeleton: &Skeleton, joints: &[Joint]) -> bool {
    let bones: BTreeMap<BoneId, usize> = joints.iter().enumerate().map(|(at, joint)| (joint.bone, at)).collect();
    joints.iter().enumerate().all(|(at, joint)| {
        let above = skeleton.ancestors(joint.bone).find_map(|bone| bones.get(&bone));
        above.is_none_or(|above| *above < at)
    })
}

fn pivot_name(joint: &Joint<ByName>) -> &str {
    joint.pivot.as_ref().map_or("", NodeRef::name)
}
