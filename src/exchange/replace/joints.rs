//! Building the joints of a file again, step by step as UnityChan's window does.

use super::super::Section;
use super::super::bind::Binder;
use super::super::merge::{colliders_named, part_of, push_new_chains};
use super::super::placement::{same_place, turned};
use super::super::resolver::NameResolver;
use super::{ReplaceNote, ReplacePlan};
use crate::document::{
    ByName, Chain, ChainId, ColliderId, Document, Helper, HelperId, HelperRole, Joint, JointItem, JointScope,
    LengthTarget, Node, NodeRef, Rename as _, SetupItem, System, SystemId,
};
use crate::exchange::TableFormat;
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::Row;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// A difference of positions that rounding makes, metres.
const SAME_POSITION: f32 = 1e-6;

/// What the joints of a file are built from.
pub(super) struct JointBuild<'a> {
    pub(super) plan: &'a ReplacePlan,
    pub(super) skeleton: &'a Skeleton,
    /// Positions of entries that are left out.
    pub(super) refused: &'a BTreeSet<usize>,
    /// The bones that each system of the file names as joints.
    pub(super) named: &'a [BTreeSet<BoneId>],
    /// The system that each system of the file replaces.
    pub(super) targets: &'a [SystemId],
    /// The colliders that names mean; where it is empty, any collider of a name.
    pub(super) described: &'a BTreeSet<ColliderId>,
}

/// A joint of the file on its way into a chain.
struct NewJoint {
    joint: Joint,
    /// Number of its chain in the file.
    chain: Option<u32>,
    /// Position of its entry.
    at: usize,
}

/// A joint entry of the file.
#[derive(Clone, Copy)]
struct Entry<'a> {
    at: usize,
    system: usize,
    line: u64,
    item: &'a JointItem,
}

/// A document while its joints are built.
struct Builder<'a> {
    build: JointBuild<'a>,
    rest: WorldPose,
    /// Pivots of the file that have the name of a bone.
    stand_ins: BTreeMap<String, HelperId>,
    after: Document,
    notes: Vec<ReplaceNote>,
}

impl JointBuild<'_> {
    /// The document with the joints of the file.
    pub(super) fn build(self, document: &Document) -> (Document, Vec<ReplaceNote>) {
        let rest = WorldPose::of(self.skeleton, &Pose::rest(self.skeleton));
        let systems = self.targets.len();
        let (after, notes) = (document.clone(), Vec::new());
        let mut builder = Builder { build: self, rest, stand_ins: BTreeMap::new(), after, notes };
        builder.pivots();
        let base = builder.after.clone();
        for at in 0..systems {
            builder.system(at, &base);
        }
        (builder.after, builder.notes)
    }
}

impl<'a> Builder<'a> {
    /// The usable joint entries that are not left out.
    fn entries(&self) -> Vec<Entry<'a>> {
        let refused = self.build.refused;
        let good = self.build.plan.file.good(Section::Joints).filter(|(at, ..)| !refused.contains(at));
        let entry = |(at, item, content): (usize, &'a super::super::FileItem, &'a SetupItem)| match content {
            SetupItem::Joint(joint) => Some(Entry { at, system: item.system, line: item.line, item: joint }),
            _ => None,
        };
        good.filter_map(entry).collect()
    }

    // Pivots.

    /// Builds the pivots of the file in place of those that only joints refer to.
    fn pivots(&mut self) {
        let with_pivots: BTreeSet<SystemId> =
            self.build.targets.iter().copied().filter(|id| self.has_pivots(*id)).collect();
        for id in &with_pivots {
            let Some(system) = self.after.systems.get_mut(id) else { continue };
            for row in system.solver.info().reset_by_import {
                let default = system.def(*row).default;
                system.values.set(*row, default);
            }
        }
        if with_pivots.is_empty() {
            return;
        }
        let removed = self.remove_pivots(&with_pivots);
        let entries = self.entries();
        let asked: BTreeSet<&str> = entries.iter().map(|entry| pivot_name(&entry.item.joint)).collect();
        let refused = self.build.refused;
        for (_, item, content) in self.build.plan.file.good(Section::Pivots).filter(|(at, ..)| !refused.contains(at)) {
            if let SetupItem::Node(pivot) = content {
                self.put_pivot(item.line, pivot, &removed, &asked);
            }
        }
    }

    fn has_pivots(&self, system: SystemId) -> bool {
        self.after.systems.get(&system).is_some_and(|system| system.solver.info().pivots)
    }

    /// Removes the pivots that nothing but joints of these systems refers to.
    // Differs from UnityChanSpringBone: bones of the character whose names end in `_pivot` stay, as all bones do.
    fn remove_pivots(&mut self, systems: &BTreeSet<SystemId>) -> BTreeMap<HelperId, Helper> {
        let mut bare = self.after.clone();
        bare.chains.retain(|_, chain| !systems.contains(&chain.system));
        let is_named = |helper: &Helper| helper.name.to_lowercase().ends_with("_pivot");
        let is_free = |(id, helper): &(&HelperId, &Helper)| {
            (helper.role == HelperRole::Pivot || is_named(helper)) && !bare.uses(Node::Helper(**id))
        };
        let removed: BTreeMap<_, _> = bare.helpers.iter().filter(is_free).map(|(id, h)| (*id, h.clone())).collect();
        self.after.helpers.retain(|id, _| !removed.contains_key(id));
        removed
    }

    /// Builds a pivot; `asked` are the names that joints of the file refer to.
    fn put_pivot(
        &mut self,
        line: u64,
        pivot: &Helper<ByName>,
        removed: &BTreeMap<HelperId, Helper>,
        asked: &BTreeSet<&str>,
    ) {
        let (name, skeleton) = (&pivot.name, self.build.skeleton);
        // A CSV has the rotation only.
        let is_whole = self.build.plan.file.format == TableFormat::Parameters;
        let rotation = pivot.local.rotation;
        let names = NameResolver::exact(&self.after, skeleton);
        let Some(parent) = names.node(pivot.parent.name()) else { return };
        let lower = name.to_lowercase();
        let is_same = |other: &str| other.to_lowercase() == lower;
        if let Node::Bone(above) = parent
            && let Some(bone) = skeleton.children(above).iter().copied().find(|bone| is_same(skeleton.name(*bone)))
        {
            let is_there = !turned(skeleton.bone(bone).rest.rotation, rotation);
            if !is_there {
                // Differs from UnityChanSpringBone: its importer turns the bone of that name and moves it to its parent.
                // Here a helper of that name replaces the bone where a row asks for it.
                self.notes.push(ReplaceNote::WouldMoveBone(line, name.clone()));
            }
            if is_there || !asked.contains(name.as_str()) || skeleton.name(bone) != *name {
                return;
            }
        }
        let here = names.helpers_below(parent).find(|id| is_same(&self.after.helpers[id].name));
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
        let id = id.unwrap_or_else(|| HelperId(self.after.fresh_helper().0.max(last + 1)));
        let old = was.map(|(_, helper)| helper.local);
        let local = if is_whole {
            old.filter(|old| same_place(old, &pivot.local)).unwrap_or(pivot.local)
        } else {
            let translation = old.map_or(Vec3::ZERO, |old| old.translation);
            let rotation = old.filter(|old| !turned(old.rotation, rotation)).map_or(rotation, |old| old.rotation);
            Trs { translation, rotation, ..Trs::IDENTITY }
        };
        self.after.helpers.insert(id, Helper { name: name.clone(), parent, local, role: HelperRole::Pivot });
        if skeleton.find(name).is_some() {
            self.stand_ins.insert(name.clone(), id);
        }
    }

    /// A pivot of the engine is moved to each bone that refers to it; the last one counts.
    fn move_pivot(&mut self, id: HelperId, bone: BoneId) {
        let Some(helper) = self.after.helpers.get(&id).filter(|helper| helper.role == HelperRole::Pivot) else {
            return;
        };
        let translation = self.frame(helper.parent).inverse_point(self.rest.frame(bone).position);
        if let Some(helper) = self.after.helpers.get_mut(&id)
            && helper.local.translation.distance(translation) > SAME_POSITION
        {
            helper.local.translation = translation;
        }
    }

    /// The frame of a node in the rest pose; that of the world for a node that is not on the character.
    fn frame(&self, node: Node) -> Frame {
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

    // Joints.

    /// The joints of one system of the file. `base` has the nodes and colliders that names mean.
    fn system(&mut self, at: usize, base: &Document) {
        let names = NameResolver::exact(base, self.build.skeleton);
        let described = self.build.described;
        let mut binder = Binder::new(&names).with_colliders(|id| described.contains(&id));
        let later: BTreeSet<BoneId> = self.build.named[at + 1..].iter().flatten().copied().collect();
        let mut made: BTreeMap<BoneId, NewJoint> = BTreeMap::new();
        for entry in self.entries().into_iter().filter(|entry| entry.system == at) {
            let name = &entry.item.joint.bone;
            let Some(bone) = self.build.skeleton.find(name) else {
                self.notes.push(ReplaceNote::NotABone(entry.line, name.clone()));
                continue;
            };
            if later.contains(&bone) {
                self.notes.push(ReplaceNote::BoneTwice(entry.line, name.clone()));
                continue;
            }
            let joint = match entry.item.scope {
                JointScope::Whole => self.whole_joint(bone, entry, &mut binder),
                JointScope::Row | JointScope::Details => self.row_joint(bone, entry, (&names, &mut binder)),
            };
            let is_known = |name: &String| base.colliders.values().any(|collider| collider.name == *name);
            let lost: Vec<_> = entry.item.joint.colliders.iter().filter(|name| !is_known(name)).cloned().collect();
            if !lost.is_empty() {
                self.notes.push(ReplaceNote::NoColliders(entry.line, lost));
            }
            // Differs from UnityChanSpringBone: a bone that is listed twice gets two components there, of which the later
            // acts last. Here a bone has one joint, that of the later row.
            if made.insert(bone, NewJoint { joint, chain: entry.item.chain, at: entry.at }).is_some() {
                self.notes.push(ReplaceNote::BoneTwice(entry.line, name.clone()));
            }
        }
        binder.finish(&mut self.after);
        self.put_joints(at, made);
    }

    /// The pivot that an entry refers to.
    fn pivot(&self, joint: &Joint<ByName>, names: &NameResolver<'_>) -> Option<Node> {
        let name = pivot_name(joint);
        self.stand_ins.get(name).map(|id| Node::Helper(*id)).or_else(|| names.node(name))
    }

    /// The joint of a row. Values that the bone has and no engine knows stay.
    fn row_joint(
        &mut self,
        bone: BoneId,
        entry: Entry<'_>,
        (names, binder): (&NameResolver<'_>, &mut Binder<'_, '_>),
    ) -> Joint {
        let (target, row) = (self.build.targets[entry.system], &entry.item.joint);
        let solver = self.after.systems[&target].solver;
        let table = solver.info().params;
        let pivot = self.pivot(row, names).or_else(|| self.build.skeleton.parent_of(bone).map(Node::Bone));
        let pivot = pivot.filter(|_| solver.info().pivots);
        if let Some(Node::Helper(id)) = pivot {
            self.move_pivot(id, bone);
        }
        let old = self.after.chains.values().filter(|chain| chain.system == target);
        let old = old.flat_map(|chain| &chain.joints).find(|joint| joint.bone == bone);
        let stays = |(row, _): &(&Row, &f32)| table.get(row.index()).is_some_and(|def| def.beyond);
        let mut own: BTreeMap<Row, f32> =
            old.into_iter().flat_map(|joint| &joint.own).filter(stays).map(|(row, value)| (*row, *value)).collect();
        own.extend(binder.joint_values(solver, &row.own));
        let targets = row.length_targets.iter().filter_map(|target| names.node(target.node.name()));
        let length_targets = targets.map(LengthTarget::new).collect();
        let colliders = self.meant(colliders_named(names.document(), &row.colliders, solver.info().pivots));
        Joint { own, pivot, length_targets, colliders, ..Joint::new(bone) }
    }

    /// Without colliders that only other solvers use, where the file describes one of the name.
    fn meant(&self, mut colliders: Vec<ColliderId>) -> Vec<ColliderId> {
        let described = self.build.described;
        let name = |id: &ColliderId| self.after.colliders.get(id).map_or("", |collider| collider.name.as_str());
        let meant: BTreeSet<&str> = colliders.iter().filter(|id| described.contains(id)).map(name).collect();
        colliders.retain(|id| described.contains(id) || !meant.contains(name(id)));
        colliders
    }

    /// A joint as a document has it.
    fn whole_joint(&self, bone: BoneId, entry: Entry<'_>, binder: &mut Binder<'_, '_>) -> Joint {
        let solver = self.after.systems[&self.build.targets[entry.system]].solver;
        let joint = entry.item.joint.rename(solver, binder).unwrap_or_else(|| Joint::new(bone));
        let stand_in = self.stand_ins.get(pivot_name(&entry.item.joint)).map(|id| Node::Helper(*id));
        Joint { bone, pivot: stand_in.or(joint.pivot), ..joint }
    }

    // Chains.

    /// Puts joints into the chains of a system. Joints with a chain number form the chains of the file. Others go into the
    /// chains that are there, as far as the file begins no chain within them. All other joints are removed.
    fn put_joints(&mut self, at: usize, made: BTreeMap<BoneId, NewJoint>) {
        let (skeleton, target) = (self.build.skeleton, self.build.targets[at]);
        let (mut numbered, mut free): (BTreeMap<u32, Vec<NewJoint>>, BTreeMap<BoneId, Joint>) = Default::default();
        for (bone, new) in made {
            match new.chain {
                Some(number) => numbered.entry(number).or_default().push(new),
                None => _ = free.insert(bone, new.joint),
            }
        }
        let roots = self.roots(at);
        let claimed = self.put_chains(target, numbered);
        let is_old = |(id, chain): &(&ChainId, &mut Chain)| chain.system == target && !claimed.contains(*id);
        for (_, chain) in self.after.setup.chains.iter_mut().filter(is_old) {
            let mut cuts: Vec<BoneId> = Vec::new();
            let mut joints = Vec::new();
            for bone in chain.joints.iter().map(|joint| joint.bone).filter(|bone| bone.index() < skeleton.len()) {
                if !joints.is_empty() && roots.contains(&bone) {
                    cuts.push(bone);
                }
                if !cuts.iter().any(|cut| *cut == bone || skeleton.is_above(*cut, bone)) {
                    joints.extend(free.remove(&bone));
                }
            }
            chain.joints = joints;
        }
        self.after.chains.retain(|_, chain| !chain.joints.is_empty());
        push_new_chains(skeleton, free, &roots, target, &mut self.after);
    }

    /// The bones with which chains of a system of the file begin.
    fn roots(&self, at: usize) -> BTreeSet<BoneId> {
        let entries = self.build.plan.file.good(Section::Other).filter(|(_, item, _)| item.system == at);
        let root = |content: &SetupItem| match content {
            SetupItem::Chain(entry) => self.build.skeleton.find(&entry.root),
            _ => None,
        };
        entries.filter(|_| self.build.plan.options.extras).filter_map(|(.., content)| root(content)).collect()
    }

    /// Makes the chains of a file from their joints. A chain replaces the one that is there with its root; returns the ids
    /// of all of them.
    fn put_chains(&mut self, target: SystemId, numbered: BTreeMap<u32, Vec<NewJoint>>) -> BTreeSet<ChainId> {
        let place = |root: BoneId| {
            let mut all = self.after.chains.iter().filter(|(_, chain)| chain.system == target);
            all.find_map(|(id, chain)| Some((chain.position(root)?, *id)))
        };
        let mut chains = Vec::new();
        for mut joints in numbered.into_values() {
            joints.sort_by_key(|new| new.at);
            let mut joints: Vec<Joint> = joints.into_iter().map(|new| new.joint).collect();
            if !parents_first(self.build.skeleton, &joints) {
                joints.sort_by_key(|joint| joint.bone);
            }
            if let Some(root) = joints.first() {
                chains.push((place(root.bone), joints));
            }
        }
        // Of several chains that share the joints of one, the one that begins first keeps its id.
        chains.sort_by_key(|(place, _)| *place);
        let mut claimed = BTreeSet::new();
        for (place, joints) in chains {
            let old = place.map(|(_, id)| id).filter(|id| !claimed.contains(id));
            let id = old.unwrap_or_else(|| self.after.fresh_chain());
            claimed.insert(id);
            let root = joints[0].bone;
            let table = self.after.systems.get(&target).map_or(&[][..], System::table);
            let skeleton = self.build.skeleton;
            let new = || Chain::new(skeleton.name(root), part_of(skeleton, root), table, Vec::new());
            let chain = self.after.chains.get(&id).cloned().unwrap_or_else(new);
            self.after.chains.insert(id, Chain { joints, system: target, ..chain });
        }
        claimed
    }
}

/// Whether no joint comes before a joint above it.
fn parents_first(skeleton: &Skeleton, joints: &[Joint]) -> bool {
    let bones: BTreeMap<BoneId, usize> = joints.iter().enumerate().map(|(at, joint)| (joint.bone, at)).collect();
    joints.iter().enumerate().all(|(at, joint)| {
        let above = skeleton.ancestors(joint.bone).find_map(|bone| bones.get(&bone));
        above.is_none_or(|above| *above < at)
    })
}

/// The name of the pivot of a joint; empty where it has none.
fn pivot_name(joint: &Joint<ByName>) -> &str {
    joint.pivot.as_ref().map_or("", NodeRef::name)
}
