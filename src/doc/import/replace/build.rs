//! Building a document anew from a table, step by step as the engine does.

use super::super::apply::{colliders_named, is_known, push_new_chains};
use super::super::extras;
use super::super::names::Names;
use super::super::nodes::{high_leg, put_high_leg, put_nulls};
use super::super::place::{self, Placement, turned};
use super::super::verify::renderer;
use super::super::{View, mirrored};
use super::{FORGOTTEN, ReplaceNote, ReplacePlan};
use crate::doc::table::{BoneCells, ExtraRow, Section, TableRow};
use crate::doc::{Collider, ColliderId, Document, Helper, HelperId, HelperRole, Joint, LengthTarget, Node};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{Row, Scope, rows};
use std::collections::{BTreeMap, BTreeSet};

/// A replacement while it is made.
pub(super) struct Build<'a> {
    pub(super) plan: &'a ReplacePlan,
    pub(super) skeleton: &'a Skeleton,
    pub(super) rest: WorldPose,
    pub(super) refused: BTreeMap<Section, BTreeSet<usize>>,
    pub(super) after: Document,
    pub(super) notes: Vec<ReplaceNote>,
}

impl<'a> Build<'a> {
    /// Rows of a section that the engine takes.
    fn taken<T>(&self, section: Section, rows: &'a [TableRow<T>]) -> Vec<(&'a TableRow<T>, &'a T)> {
        let refused = self.refused.get(&section);
        let out = |at: usize| refused.is_some_and(|rows| rows.contains(&at));
        let good = rows.iter().enumerate().filter(|(at, _)| !out(*at));
        good.filter_map(|(_, row)| Some((row, row.cells.as_ref().ok()?))).collect()
    }

    /// The comment rows, where they are wanted.
    pub(super) fn extras(&self) -> &'a [ExtraRow] {
        if self.plan.options.extras { &self.plan.table.extras } else { &[] }
    }

    pub(super) fn colliders(&mut self) {
        let (axis, table) = (self.plan.options.mirror, &self.plan.table);
        let mut next = self.after.fresh_collider().0;
        let old = std::mem::take(&mut self.after.colliders);
        let mut ids: BTreeMap<String, ColliderId> = old.iter().rev().map(|(id, c)| (c.name.clone(), *id)).collect();
        self.after.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders.clear());
        let nulls = self.taken(Section::Nulls, &table.nulls);
        let nulls = nulls.into_iter().map(|(row, cells)| (row.name.as_str(), cells)).collect();
        put_nulls(&mut self.after, self.skeleton, axis, nulls, |name, names| names.find(name));
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        for (row, cells) in self.taken(Section::Colliders, &table.colliders) {
            let Some(parent) = names.find(&cells.node.parent) else { continue };
            let local = place::local_of(&cells.node, axis, Some(&cells.shape));
            let at = (row.name.as_str(), parent);
            let placement = Placement::of(&names, &base, self.skeleton, at, local, HelperRole::Plain);
            if matches!(&placement, Placement::Helper(_, helper) if helper.parent != parent) {
                self.notes.push(ReplaceNote::WouldMoveBone(row.line, row.name.clone()));
            }
            let node = placement.put(&mut self.after);
            let id = ids.remove(&row.name).unwrap_or_else(|| {
                next += 1;
                ColliderId(next - 1)
            });
            let renderer = renderer(&self.plan.options.renderers, &cells.renderer);
            let renderer = renderer.filter(|_| !cells.renderer.is_empty()).cloned();
            let (name, shape) = (row.name.clone(), cells.shape);
            self.after.colliders.insert(id, Collider { renderer, ..Collider::new(name, node, shape) });
        }
        let Document { groups, colliders, .. } = &mut self.after;
        for group in groups.values_mut() {
            // Chains of other solvers may name them.
            group.colliders.retain(|id| colliders.contains_key(id));
        }
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        for (row, cells) in self.taken(Section::Components, &table.components) {
            if let Some(new) = high_leg(&row.name, cells, |name| names.find(name)) {
                put_high_leg(&mut self.after, new);
            }
        }
    }

    pub(super) fn bones(&mut self) {
        for row in FORGOTTEN {
            let default = self.after.main().def(row).default;
            self.after.main_mut().values.set(row, default);
        }
        let removed = self.remove_pivots();
        let stand_ins = self.pivots(&removed);
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        let mut made: BTreeMap<BoneId, Joint> = BTreeMap::new();
        for (row, cells) in self.taken(Section::Bones, &self.plan.table.bones) {
            let Some(bone) = self.skeleton.find(&row.name) else {
                self.notes.push(ReplaceNote::NotABone(row.line, row.name.clone()));
                continue;
            };
            let pivot = stand_ins.get(&cells.pivot).map(|id| Node::Helper(*id)).or_else(|| names.find(&cells.pivot));
            let pivot = pivot.or_else(|| self.skeleton.parent_of(bone).map(Node::Bone));
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
        let axis = self.plan.options.mirror;
        let old = self.after.joint_of(bone).map(|(chain, at)| &self.after.chains[&chain].joints[at]);
        let beyond = |row: &Row| self.after.main().def(*row).beyond;
        let mut own: BTreeMap<Row, f32> =
            old.into_iter().flat_map(|j| &j.own).filter(|(row, _)| beyond(row)).map(|(row, v)| (*row, *v)).collect();
        for (row, _) in rows(self.after.main().table()).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond) {
            own.insert(row, mirrored(self.after.main().table(), row, axis, |row| cells.values.get(row)));
        }
        let targets = cells.length_targets.iter().filter_map(|t| names.find(&t.bone)).map(LengthTarget::new);
        let colliders = colliders_named(&self.after, &cells.colliders);
        Joint { own, pivot, colliders, length_targets: targets.collect(), ..Joint::new(bone) }
    }

    /// Joints take their places in the chains that are there; all others go.
    fn put_joints(&mut self, mut made: BTreeMap<BoneId, Joint>) {
        for chain in self.after.chains.values_mut() {
            chain.joints = chain.joints.iter().filter_map(|old| made.remove(&old.bone)).collect();
        }
        self.after.chains.retain(|_, chain| !chain.joints.is_empty());
        let base = self.after.clone();
        let roots = extras::roots(self.extras(), |name| self.skeleton.find(name));
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
            self.taken(Section::Bones, &self.plan.table.bones).iter().map(|(_, c)| c.pivot.as_str()).collect();
        let mut stand_ins = BTreeMap::new();
        for (row, cells) in self.taken(Section::Pivots, &self.plan.table.pivots) {
            let base = self.after.clone();
            let names = Names::of(&base, self.skeleton);
            let Some(parent) = names.find(&cells.parent) else { continue };
            let same = |name: &str| name.to_lowercase() == row.name.to_lowercase();
            let rotation = self.plan.options.mirror.pivot_from_euler(cells.euler_deg);
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
