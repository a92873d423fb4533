//! The numbers of the entries of lists, read and written by their place in the tables.

use super::{ComponentLists, ListKind};
use crate::document::{ColliderId, Node};
use crate::params::ParamFields;
use crate::rig::BoneId;
use crate::sim::ConvexHull;
use std::collections::BTreeMap;

impl ComponentLists {
    fn entry_fields(&self, side: ListKind, entry: usize) -> Option<&dyn ParamFields> {
        Some(match (self, side) {
            (Self::JointDynamics(own), ListKind::Grabbers) => own.grabbers.get(entry)?,
            (Self::EzSoftBone(own), ListKind::ForceField) => own.force_field.as_ref()?,
            (Self::Kawaii(own), ListKind::Constraints) => own.constraints.get(entry)?,
            (Self::Kawaii(own), ListKind::SyncBones) => own.sync_bones.get(entry)?,
            _ => return None,
        })
    }

    fn entry_fields_mut(&mut self, side: ListKind, entry: usize) -> Option<&mut dyn ParamFields> {
        Some(match (self, side) {
            (Self::JointDynamics(own), ListKind::Grabbers) => own.grabbers.get_mut(entry)?,
            (Self::EzSoftBone(own), ListKind::ForceField) => own.force_field.as_mut()?,
            (Self::Kawaii(own), ListKind::Constraints) => own.constraints.get_mut(entry)?,
            (Self::Kawaii(own), ListKind::SyncBones) => own.sync_bones.get_mut(entry)?,
            _ => return None,
        })
    }

    /// Whether a number of an entry means anything as the others are: frequencies of noise do not while a field swings by
    /// curves.
    pub fn is_field_used(&self, side: ListKind, entry: usize, field: usize) -> bool {
        self.entry_fields(side, entry).map_or(field < side.fields().len(), |own| own.is_relevant(field))
    }

    /// One number of an entry by its position in [`ListKind::fields`]; 0 where there is no such thing.
    pub fn field(&self, side: ListKind, entry: usize, field: usize) -> f32 {
        self.entry_fields(side, entry).map_or(0.0, |own| own.field(field))
    }

    /// Writes one number of an entry.
    pub fn set_field(&mut self, side: ListKind, entry: usize, field: usize, value: f32) {
        if let Some(own) = self.entry_fields_mut(side, entry) {
            own.set_field(field, value);
        }
    }

    /// One number of a further node of an entry, counted from 0, by its position in [`ListKind::member_fields`].
    pub fn member_field(&self, side: ListKind, entry: usize, member: usize) -> f32 {
        match (self, side) {
            (Self::Kawaii(own), ListKind::SyncBones) => {
                let target = own.sync_bones.get(entry).and_then(|sync| sync.targets.get(member));
                target.map_or(0.0, |target| target.field(0))
            }
            _ => 0.0,
        }
    }

    /// Writes one number of a further node of an entry.
    pub fn set_member_field(&mut self, side: ListKind, entry: usize, member: usize, value: f32) {
        if let (Self::Kawaii(own), ListKind::SyncBones) = (self, side)
            && let Some(target) = own.sync_bones.get_mut(entry).and_then(|sync| sync.targets.get_mut(member))
        {
            target.set_field(0, value);
        }
    }

    /// One number of what is added to a collider; the engine's default where nothing is said.
    pub fn collider_field(&self, id: ColliderId, field: usize) -> f32 {
        match self {
            Self::EzSoftBone(own) => own.colliders.get(&id).map_or(0.0, |extra| extra.field(field)),
            Self::JointDynamics(own) => own.colliders.get(&id).copied().unwrap_or_default().field(field),
            _ => 0.0,
        }
    }

    /// Writes one number of what is added to a collider; what is as the engine makes it is no longer kept.
    pub fn set_collider_field(&mut self, id: ColliderId, field: usize, value: f32) {
        match self {
            Self::EzSoftBone(own) => update_entry(&mut own.colliders, id, |extra| extra.set_field(field, value)),
            Self::JointDynamics(own) => update_entry(&mut own.colliders, id, |extra| extra.set_field(field, value)),
            _ => {}
        }
    }

    /// One number of the point of a joint; the engine's default where it has none of its own.
    pub fn point_field(&self, bone: BoneId, field: usize) -> f32 {
        let Self::JointDynamics(own) = self else { return 0.0 };
        own.points.get(&bone).copied().unwrap_or_default().field(field)
    }

    /// Writes one number of the point of a joint; one that is as the engine makes it is no longer kept.
    pub fn set_point_field(&mut self, bone: BoneId, field: usize, value: f32) {
        let Self::JointDynamics(own) = self else { return };
        update_entry(&mut own.points, bone, |point| point.set_field(field, value));
    }

    /// The child that the bone of a point aims at; `None` for the last one.
    pub fn aim_child(&self, bone: BoneId) -> Option<Node> {
        let Self::JointDynamics(own) = self else { return None };
        own.points.get(&bone).and_then(|point| point.aim_child)
    }

    /// Lets the bone of a point aim at a child, or at the last one.
    pub fn set_aim_child(&mut self, bone: BoneId, child: Option<Node>) {
        let Self::JointDynamics(own) = self else { return };
        update_entry(&mut own.points, bone, |point| point.aim_child = child);
    }

    /// What stands in place of a collider's shape.
    pub fn hull(&self, id: ColliderId) -> Option<&ConvexHull> {
        let Self::EzSoftBone(own) = self else { return None };
        own.colliders.get(&id).and_then(|extra| extra.hull.as_ref())
    }

    /// Puts a convex mesh in place of a collider's shape, or takes it away.
    pub fn set_hull(&mut self, id: ColliderId, hull: Option<ConvexHull>) {
        let Self::EzSoftBone(own) = self else { return };
        update_entry(&mut own.colliders, id, |extra| extra.hull = hull);
    }
}

/// Changes one entry of a map that keeps only what differs from the default.
fn update_entry<K: Ord + Copy, V: Default + PartialEq>(map: &mut BTreeMap<K, V>, key: K, change: impl FnOnce(&mut V)) {
    let entry = map.entry(key).or_default();
    change(entry);
    if *entry == V::default() {
        map.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{ParamDef, ParamKind};

    #[test]
    fn every_entry_field_is_read_and_written_by_its_index() {
        for side in [ListKind::Grabbers, ListKind::ForceField, ListKind::Constraints, ListKind::SyncBones] {
            // What a switch lets out of sight is met in one of the two rounds.
            let mut met = vec![false; side.fields().len()];
            for round in 0..2 {
                let mut extras = ComponentLists::for_solver(side.solver());
                let nodes = [Node::Bone(BoneId(0)), Node::Bone(BoneId(1))];
                extras.set_node(side, Some(nodes[0]));
                extras.add_entries(side, &nodes);
                for (at, def) in
                    side.fields().iter().enumerate().filter(|(_, def)| round == 1 && reveals_other_fields(def.name))
                {
                    check(&mut extras, side, at, def);
                    met[at] = true;
                }
                for (at, def) in side.fields().iter().enumerate().filter(|(_, def)| !reveals_other_fields(def.name)) {
                    if extras.is_field_used(side, 0, at) {
                        check(&mut extras, side, at, def);
                    }
                    met[at] |= extras.is_field_used(side, 0, at);
                }
            }
            assert!(met.iter().all(|met| *met), "{side:?} {met:?}");
        }
    }

    /// Whether others come into sight by it.
    fn reveals_other_fields(name: &str) -> bool {
        ["m_TurbulenceMode", "EnableAttenuation"].contains(&name)
    }

    #[track_caller]
    fn check(extras: &mut ComponentLists, side: ListKind, at: usize, def: &ParamDef) {
        assert!(extras.is_field_used(side, 0, at), "{side:?} {}", def.name);
        assert_eq!(extras.field(side, 0, at), def.default, "{side:?} {}", def.name);
        let value = if def.default == 0.0 { 1.0 } else { 0.0_f32.max(def.range.0) };
        extras.set_field(side, 0, at, value);
        assert_eq!(extras.field(side, 0, at), value, "{side:?} {}", def.name);
    }

    #[test]
    fn every_member_node_has_its_own_fields() {
        let mut extras = ComponentLists::for_solver(ListKind::SyncBones.solver());
        extras.add_entries(ListKind::SyncBones, &[0, 1, 2].map(|n| Node::Bone(BoneId(n))));
        let read = |extras: &ComponentLists| [0, 1].map(|member| extras.member_field(ListKind::SyncBones, 0, member));
        assert_eq!(read(&extras), [ListKind::SyncBones.member_fields()[0].default; 2]);
        extras.set_member_field(ListKind::SyncBones, 0, 1, 0.25);
        assert_eq!(read(&extras), [1.0, 0.25]);
    }

    #[test]
    fn clearing_the_aim_child_or_the_hull_removes_the_entry() {
        let mut extras = ComponentLists::for_solver(ListKind::Points.solver());
        extras.set_aim_child(BoneId(1), Some(Node::Bone(BoneId(2))));
        assert_eq!(
            (extras.aim_child(BoneId(1)), extras.entry_count(ListKind::Points)),
            (Some(Node::Bone(BoneId(2))), 1)
        );
        extras.set_aim_child(BoneId(1), None);
        assert!(extras.is_empty());
        let mut extras = ComponentLists::for_solver(ListKind::Margins.solver());
        extras.set_hull(ColliderId(1), Some(ConvexHull::default()));
        assert_eq!((extras.hull(ColliderId(1)).is_some(), extras.entry_count(ListKind::Margins)), (true, 1));
        extras.set_hull(ColliderId(1), None);
        assert!(extras.is_empty());
    }

    #[test]
    fn a_collider_entry_with_default_values_is_removed() {
        for side in [ListKind::Margins, ListKind::Frictions] {
            let mut extras = ComponentLists::for_solver(side.solver());
            for (at, def) in side.fields().iter().enumerate() {
                assert_eq!(extras.collider_field(ColliderId(4), at), def.default, "{}", def.name);
                extras.set_collider_field(ColliderId(4), at, 1.0);
                assert_eq!(
                    (extras.collider_field(ColliderId(4), at), extras.entry_count(side)),
                    (1.0, 1),
                    "{}",
                    def.name
                );
                extras.set_collider_field(ColliderId(4), at, def.default);
                assert!(extras.is_empty(), "{}", def.name);
            }
        }
    }

    #[test]
    fn a_point_entry_with_default_values_is_removed() {
        let mut extras = ComponentLists::for_solver(ListKind::Points.solver());
        for (at, def) in ListKind::Points.fields().iter().enumerate() {
            assert_eq!(extras.point_field(BoneId(4), at), def.default, "{}", def.name);
            let value = if def.kind == ParamKind::Toggle { 1.0 - def.default } else { 2.0 };
            extras.set_point_field(BoneId(4), at, value);
            assert_eq!(
                (extras.point_field(BoneId(4), at), extras.entry_count(ListKind::Points)),
                (value, 1),
                "{}",
                def.name
            );
            extras.set_point_field(BoneId(4), at, def.default);
            assert!(extras.is_empty(), "{}", def.name);
        }
    }
}
