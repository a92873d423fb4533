//! Building the joints of one system anew from its table, step by step as the engine does.

use super::super::apply::{colliders_named, is_known, push_new_chains};
use super::super::extras;
use super::super::names::Names;
use super::super::place::turned;
use super::super::{View, mirrored};
use super::{FORGOTTEN, Piece, ReplaceNote, ReplaceOptions, taken};
use crate::doc::table::{BoneCells, ExtraRow, Section, has_pivots};
use crate::doc::{ColliderId, Document, Helper, HelperId, HelperRole, Joint, LengthTarget, Node};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{Row, Scope, rows};
use std::collections::{BTreeMap, BTreeSet};

/// What a table is for while it is built anew.
pub(super) struct Build<'a> {
    pub(super) piece: &'a Piece,
    pub(super) options: &'a ReplaceOptions,
    pub(super) skeleton: &'a Skeleton,
    pub(super) rest: WorldPose,
    /// Bones that a later table of the file names too.
    pub(super) later: &'a BTreeSet<BoneId>,
    /// Colliders that rows mean; where it is empty any of a name.
    pub(super) meant: &'a BTreeSet<ColliderId>,
    pub(super) after: Document,
    pub(super) notes: Vec<ReplaceNote>,
}

impl<'a> Build<'a> {
    /// The comment rows, where they are wanted.
    pub(super) fn extras(&self) -> &'a [ExtraRow] {
        if self.options.extras { &self.piece.table.extras } else { &[] }
    }

    pub(super) fn bones(&mut self) {
        let has_pivots = has_pivots(self.piece.table.solver);
        let mut stand_ins = BTreeMap::new();
        if has_pivots {
            for row in FORGOTTEN {
                let default = self.after.main().def(row).default;
                self.after.main_mut().values.set(row, default);
            }
            let removed = self.remove_pivots();
            stand_ins = self.pivots(&removed);
        }
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        let mut made: BTreeMap<BoneId, Joint> = BTreeMap::new();
        for (row, cells) in taken(self.piece, Section::Bones, &self.piece.table.bones) {
            let Some(bone) = self.skeleton.find(&row.name) else {
                self.notes.push(ReplaceNote::NotABone(row.line, row.name.clone()));
                continue;
            };
            if self.later.contains(&bone) {
                self.notes.push(ReplaceNote::BoneTwice(row.line, row.name.clone()));
                continue;
            }
            let pivot = stand_ins.get(&cells.pivot).map(|id| Node::Helper(*id)).or_else(|| names.find(&cells.pivot));
            let pivot = pivot.or_else(|| self.skeleton.parent_of(bone).map(Node::Bone)).filter(|_| has_pivots);
            if let Some(Node::Helper(id)) = pivot {
                self.move_pivot(id, bone);
            }
            let joint = self.joint(bone, cells, pivot, &names);
            let lost: Vec<_> = cells.colliders.iter().filter(|n| !is_known(&base, n)).cloned().collect();
            if !lost.is_empty() {
                self.notes.push(ReplaceNote::NoColliders(row.line, lost));
            }
            // Differs from UnityChanSpringBone: it gives a bone that is listed twice two components, of which the
            // later one has the last word; here a bone has one joint, the later row's.
            if made.insert(bone, joint).is_some() {
                self.notes.push(ReplaceNote::BoneTwice(row.line, row.name.clone()));
            }
        }
        self.put_joints(made);
    }

    /// A joint of a row; values of our own that the bone had stay.
    fn joint(&self, bone: BoneId, cells: &BoneCells, pivot: Option<Node>, names: &Names<'_>) -> Joint {
        let axis = self.options.mirror;
        let old = self.after.joint_of(bone).map(|(chain, at)| &self.after.chains[&chain].joints[at]);
        let beyond = |row: &Row| self.after.main().def(*row).beyond;
        let mut own: BTreeMap<Row, f32> =
            old.into_iter().flat_map(|j| &j.own).filter(|(row, _)| beyond(row)).map(|(row, v)| (*row, *v)).collect();
        for (row, _) in rows(self.after.main().table()).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond) {
            own.insert(row, mirrored(self.after.main().table(), row, axis, |row| cells.values.get(row)));
        }
        let targets = cells.length_targets.iter().filter_map(|t| names.find(&t.bone)).map(LengthTarget::new);
        let mut colliders = colliders_named(&self.after, &cells.colliders);
        if !self.meant.is_empty() {
            let meant: BTreeSet<&str> =
                colliders.iter().filter(|id| self.meant.contains(id)).map(|id| self.collider_name(*id)).collect();
            // One of the name that only other solvers' chains have stands aside.
            let stands_aside = |id: &ColliderId| !self.meant.contains(id) && meant.contains(self.collider_name(*id));
            colliders.retain(|id| !stands_aside(id));
        }
        Joint { own, pivot, colliders, length_targets: targets.collect(), ..Joint::new(bone) }
    }

    /// Joints take their places in the chains that are there, as far as the file begins no chain within them; all others
    /// go.
    fn put_joints(&mut self, mut made: BTreeMap<BoneId, Joint>) {
        let (skeleton, roots) = (self.skeleton, extras::roots(self.extras(), |name| self.skeleton.find(name)));
        for chain in self.after.chains.values_mut() {
            let mut cuts: Vec<BoneId> = Vec::new();
            let mut joints = Vec::new();
            for bone in chain.joints.iter().map(|joint| joint.bone).filter(|bone| bone.index() < skeleton.len()) {
                if !joints.is_empty() && roots.contains(&bone) {
                    cuts.push(bone);
                }
                if !cuts.iter().any(|cut| *cut == bone || skeleton.is_above(*cut, bone)) {
                    joints.extend(made.remove(&bone));
                }
            }
            chain.joints = joints;
        }
        self.after.chains.retain(|_, chain| !chain.joints.is_empty());
        let base = self.after.clone();
        push_new_chains(&View::new(&base, self.skeleton), made, &roots, &mut self.after);
    }

    /// Takes away the pivots that nothing but joints speaks of.
    // Differs from UnityChanSpringBone: bones of the file whose names end in `_pivot` stay, as all of them do.
    fn remove_pivots(&mut self) -> BTreeMap<HelperId, Helper> {
        let mut bare = self.after.clone();
        bare.chains.clear();
        let named = |h: &Helper| h.name.to_lowercase().ends_with("_pivot");
        let safe = |(id, h): &(&HelperId, &Helper)| {
            (h.role == HelperRole::Pivot || named(h)) && !bare.uses(Node::Helper(**id))
        };
        let removed: BTreeMap<_, _> = bare.helpers.iter().filter(safe).map(|(id, h)| (*id, h.clone())).collect();
        self.after.helpers.retain(|id, _| !removed.contains_key(id));
        removed
    }

    /// Builds the described pivots; those that stand in for bones of the file, by name.
    fn pivots(&mut self, removed: &BTreeMap<HelperId, Helper>) -> BTreeMap<String, HelperId> {
        let asked: BTreeSet<&str> =
            taken(self.piece, Section::Bones, &self.piece.table.bones).iter().map(|(_, c)| c.pivot.as_str()).collect();
        let mut stand_ins = BTreeMap::new();
        for (row, cells) in taken(self.piece, Section::Pivots, &self.piece.table.pivots) {
            let base = self.after.clone();
            let names = Names::of(&base, self.skeleton);
            let Some(parent) = names.find(&cells.parent) else { continue };
            let same = |name: &str| name.to_lowercase() == row.name.to_lowercase();
            let rotation = self.options.mirror.pivot_from_euler(cells.euler_deg);
            let old = |h: &&Helper| !turned(h.local.rotation, rotation);
            if let Node::Bone(parent) = parent
                && let Some(bone) =
                    self.skeleton.children(parent).iter().copied().find(|b| same(self.skeleton.name(*b)))
            {
                let stands = !turned(self.skeleton.bone(bone).rest.rotation, rotation);
                if !stands {
                    // Differs from UnityChanSpringBone: it turns the bone of that name, and moves it to its parent.
                    // Here a helper of that name stands in for it where a row asks for it.
                    self.notes.push(ReplaceNote::WouldMoveBone(row.line, row.name.clone()));
                }
                if stands || !asked.contains(row.name.as_str()) || self.skeleton.name(bone) != row.name {
                    continue;
                }
            }
            if let Some(id) = names.below(parent).find(|id| same(&base.helpers[id].name)) {
                let local = Trs { rotation, ..Trs::IDENTITY };
                if let Some(helper) = self.after.helpers.get_mut(&id) {
                    helper.local = local;
                }
                continue;
            }
            let was = removed.iter().find(|(_, h)| h.name == row.name && h.parent == parent);
            let id = was.map(|(id, _)| *id).filter(|id| !self.after.helpers.contains_key(id));
            let id = id.unwrap_or_else(|| self.fresh_helper(removed));
            let rotation = was.map(|(_, h)| h).filter(old).map_or(rotation, |h| h.local.rotation);
            let translation = was.map_or(glam::Vec3::ZERO, |(_, h)| h.local.translation);
            let local = Trs { translation, rotation, ..Trs::IDENTITY };
            let (name, role) = (row.name.clone(), HelperRole::Pivot);
            self.after.helpers.insert(id, Helper { name, parent, local, role });
            if self.skeleton.find(&row.name).is_some() {
                stand_ins.insert(row.name.clone(), id);
            }
        }
        stand_ins
    }

    fn collider_name(&self, id: ColliderId) -> &str {
        self.after.colliders.get(&id).map_or("", |collider| collider.name.as_str())
    }

    fn fresh_helper(&self, removed: &BTreeMap<HelperId, Helper>) -> HelperId {
        let last = removed.last_key_value().map_or(0, |(id, _)| id.0);
        HelperId(self.after.fresh_helper().0.max(last + 1))
    }

    /// The engine's own pivots stand where the bone is that asked last.
    fn move_pivot(&mut self, id: HelperId, bone: BoneId) {
        let Some(helper) = self.after.helpers.get(&id).filter(|h| h.role == HelperRole::Pivot) else { return };
        let parent = self.frame(helper.parent);
        let translation = parent.inverse_point(self.rest.frame(bone).position);
        if let Some(helper) = self.after.helpers.get_mut(&id)
            // What the last bit of a position makes of it is no movement.
            && helper.local.translation.distance(translation) > 1e-6
        {
            helper.local.translation = translation;
        }
    }

    /// Where a node stands in the rest pose.
    fn frame(&self, node: Node) -> Frame {
        let mut above = Vec::new();
        let mut at = node;
        for _ in 0..=self.after.helpers.len() {
            match at {
                Node::Bone(bone) => {
                    let start = self.rest.frames.get(bone.index()).copied().unwrap_or(Frame::WORLD);
                    return above.iter().rev().fold(start, |frame, local| frame.child(local));
                }
                Node::Helper(id) => {
                    let Some(helper) = self.after.helpers.get(&id) else { break };
                    above.push(helper.local);
                    at = helper.parent;
                }
            }
        }
        Frame::WORLD
    }
}
