//! Reads and writes values of list entries by their index in the parameter tables.

use super::{ComponentLists, ListKind};
use crate::document::{ColliderId, Node};
use std::collections::BTreeMap;
use yuremono_sim::ConvexHull;
use yuremono_sim::params::ParamFields;
use yuremono_sim::rig::BoneId;

impl ComponentLists {
    fn entry_fields(&self, kind: ListKind, entry: usize) -> Option<&dyn ParamFields> {
        Some(match (self, kind) {
            (Self::JointDynamics(own), ListKind::Grabbers) => own.grabbers.get(entry)?,
            (Self::EzSoftBone(own), ListKind::ForceField) => own.force_field.as_ref()?,
            (Self::Kawaii(own), ListKind::Constraints) => own.constraints.get(entry)?,
            (Self::Kawaii(own), ListKind::SyncBones) => own.sync_bones.get(entry)?,
            _ => return None,
        })
    }

    fn entry_fields_mut(&mut self, kind: ListKind, entry: usize) -> Option<&mut dyn ParamFields> {
        Some(match (self, kind) {
            (Self::JointDynamics(own), ListKind::Grabbers) => own.grabbers.get_mut(entry)?,
            (Self::EzSoftBone(own), ListKind::ForceField) => own.force_field.as_mut()?,
            (Self::Kawaii(own), ListKind::Constraints) => own.constraints.get_mut(entry)?,
            (Self::Kawaii(own), ListKind::SyncBones) => own.sync_bones.get_mut(entry)?,
            _ => return None,
        })
    }

    /// Whether a value has an effect, given the other values. For example, noise frequencies have no effect while a
    /// force field uses curves.
    pub fn is_field_used(&self, kind: ListKind, entry: usize, field: usize) -> bool {
        self.entry_fields(kind, entry).map_or(field < kind.fields().len(), |own| own.is_relevant(field))
    }

    /// Returns a value of an entry by its index in [`ListKind::fields`], or 0 if the entry is missing.
    pub fn field(&self, kind: ListKind, entry: usize, field: usize) -> f32 {
        self.entry_fields(kind, entry).map_or(0.0, |own| own.field(field))
    }

    pub fn set_field(&mut self, kind: ListKind, entry: usize, field: usize, value: f32) {
        if let Some(own) = self.entry_fields_mut(kind, entry) {
            own.set_field(field, value);
        }
    }

    /// Returns a value of a further node of an entry; see [`ListKind::member_fields`].
    pub fn member_field(&self, kind: ListKind, entry: usize, member: usize) -> f32 {
        match (self, kind) {
            (Self::Kawaii(own), ListKind::SyncBones) => {
                let target = own.sync_bones.get(entry).and_then(|sync| sync.targets.get(member));
                target.map_or(0.0, |target| target.field(0))
            }
            _ => 0.0,
        }
    }

    /// Sets a value of a further node of an entry.
    pub fn set_member_field(&mut self, kind: ListKind, entry: usize, member: usize, value: f32) {
        if let (Self::Kawaii(own), ListKind::SyncBones) = (self, kind)
            && let Some(target) = own.sync_bones.get_mut(entry).and_then(|sync| sync.targets.get_mut(member))
        {
            target.set_field(0, value);
        }
    }

    /// Returns a value that the list adds to a collider. Without an entry, returns the solver's default.
    pub fn collider_field(&self, id: ColliderId, field: usize) -> f32 {
        match self {
            Self::EzSoftBone(own) => own.colliders.get(&id).map_or(0.0, |extra| extra.field(field)),
            Self::JointDynamics(own) => own.colliders.get(&id).copied().unwrap_or_default().field(field),
            _ => 0.0,
        }
    }

    /// Sets a value that the list adds to a collider. An entry with only default values is removed.
    pub fn set_collider_field(&mut self, id: ColliderId, field: usize, value: f32) {
        match self {
            Self::EzSoftBone(own) => update_entry(&mut own.colliders, id, |extra| extra.set_field(field, value)),
            Self::JointDynamics(own) => update_entry(&mut own.colliders, id, |extra| extra.set_field(field, value)),
            _ => {}
        }
    }

    /// Returns a value of a joint's point. Without an entry, returns the solver's default.
    pub fn point_field(&self, bone: BoneId, field: usize) -> f32 {
        let Self::JointDynamics(own) = self else { return 0.0 };
        own.points.get(&bone).copied().unwrap_or_default().field(field)
    }

    /// Sets a value of a joint's point. An entry with only default values is removed.
    pub fn set_point_field(&mut self, bone: BoneId, field: usize, value: f32) {
        let Self::JointDynamics(own) = self else { return };
        update_entry(&mut own.points, bone, |point| point.set_field(field, value));
    }

    /// Returns the child at which the bone of a point aims, or `None` for the last child.
    pub fn aim_child(&self, bone: BoneId) -> Option<Node> {
        let Self::JointDynamics(own) = self else { return None };
        own.points.get(&bone).and_then(|point| point.aim_child)
    }

    pub fn set_aim_child(&mut self, bone: BoneId, child: Option<Node>) {
        let Self::JointDynamics(own) = self else { return };
        update_entry(&mut own.points, bone, |point| point.aim_child = child);
    }

    /// Returns the convex hull that replaces a collider's shape.
    pub fn hull(&self, id: ColliderId) -> Option<&ConvexHull> {
        let Self::EzSoftBone(own) = self else { return None };
        own.colliders.get(&id).and_then(|extra| extra.hull.as_ref())
    }

    pub fn set_hull(&mut self, id: ColliderId, hull: Option<ConvexHull>) {
        let Self::EzSoftBone(own) = self else { return };
        update_entry(&mut own.colliders, id, |extra| extra.hull = hull);
    }
}

/// Changes an entry of a map that stores only entries that differ from the defaults.
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
    use yuremono_sim::params::{ParamDef, ParamKind};

    #[test]
    fn every_entry_field_is_read_and_written_by_its_index() {
        for kind in [ListKind::Grabbers, ListKind::ForceField, ListKind::Constraints, ListKind::SyncBones] {
            // A switch hides some fields, so each field is visible in only one of the two rounds.
            let mut met = vec![false; kind.fields().len()];
            for round in 0..2 {
                let mut lists: ComponentLists = ComponentLists::empty(kind.solver());
                let nodes = [Node::Bone(BoneId(0)), Node::Bone(BoneId(1))];
                lists.set_node(kind, Some(nodes[0]));
                lists.add_entries(kind, &nodes);
                for (at, def) in
                    kind.fields().iter().enumerate().filter(|(_, def)| round == 1 && reveals_other_fields(def.name))
                {
                    check(&mut lists, kind, at, def);
                    met[at] = true;
                }
                for (at, def) in kind.fields().iter().enumerate().filter(|(_, def)| !reveals_other_fields(def.name)) {
                    if lists.is_field_used(kind, 0, at) {
                        check(&mut lists, kind, at, def);
                    }
                    met[at] |= lists.is_field_used(kind, 0, at);
                }
            }
            assert!(met.iter().all(|met| *met), "{kind:?} {met:?}");
        }
    }

    fn reveals_other_fields(name: &str) -> bool {
        ["m_TurbulenceMode", "EnableAttenuation"].contains(&name)
    }

    #[track_caller]
    fn check(lists: &mut ComponentLists, kind: ListKind, at: usize, def: &ParamDef) {
        assert!(lists.is_field_used(kind, 0, at), "{kind:?} {}", def.name);
        assert_eq!(lists.field(kind, 0, at), def.default, "{kind:?} {}", def.name);
        let value = if def.default == 0.0 { 1.0 } else { 0.0_f32.max(def.range.0) };
        lists.set_field(kind, 0, at, value);
        assert_eq!(lists.field(kind, 0, at), value, "{kind:?} {}", def.name);
    }

    #[test]
    fn every_member_node_has_its_own_fields() {
        let mut lists: ComponentLists = ComponentLists::empty(ListKind::SyncBones.solver());
        lists.add_entries(ListKind::SyncBones, &[0, 1, 2].map(|n| Node::Bone(BoneId(n))));
        let read = |lists: &ComponentLists| [0, 1].map(|member| lists.member_field(ListKind::SyncBones, 0, member));
        assert_eq!(read(&lists), [ListKind::SyncBones.member_fields()[0].default; 2]);
        lists.set_member_field(ListKind::SyncBones, 0, 1, 0.25);
        assert_eq!(read(&lists), [1.0, 0.25]);
    }

    #[test]
    fn clearing_the_aim_child_or_the_hull_removes_the_entry() {
        let mut lists: ComponentLists = ComponentLists::empty(ListKind::Points.solver());
        lists.set_aim_child(BoneId(1), Some(Node::Bone(BoneId(2))));
        assert_eq!((lists.aim_child(BoneId(1)), lists.entry_count(ListKind::Points)), (Some(Node::Bone(BoneId(2))), 1));
        lists.set_aim_child(BoneId(1), None);
        assert!(lists.is_empty());
        let mut lists: ComponentLists = ComponentLists::empty(ListKind::Margins.solver());
        lists.set_hull(ColliderId(1), Some(ConvexHull::default()));
        assert_eq!((lists.hull(ColliderId(1)).is_some(), lists.entry_count(ListKind::Margins)), (true, 1));
        lists.set_hull(ColliderId(1), None);
        assert!(lists.is_empty());
    }

    #[test]
    fn a_collider_entry_with_default_values_is_removed() {
        for kind in [ListKind::Margins, ListKind::Frictions] {
            let mut lists: ComponentLists = ComponentLists::empty(kind.solver());
            for (at, def) in kind.fields().iter().enumerate() {
                assert_eq!(lists.collider_field(ColliderId(4), at), def.default, "{}", def.name);
                lists.set_collider_field(ColliderId(4), at, 1.0);
                assert_eq!(
                    (lists.collider_field(ColliderId(4), at), lists.entry_count(kind)),
                    (1.0, 1),
                    "{}",
                    def.name
                );
                lists.set_collider_field(ColliderId(4), at, def.default);
                assert!(lists.is_empty(), "{}", def.name);
            }
        }
    }

    #[test]
    fn a_point_entry_with_default_values_is_removed() {
        let mut lists: ComponentLists = ComponentLists::empty(ListKind::Points.solver());
        for (at, def) in ListKind::Points.fields().iter().enumerate() {
            assert_eq!(lists.point_field(BoneId(4), at), def.default, "{}", def.name);
            let value = if def.kind == ParamKind::Toggle { 1.0 - def.default } else { 2.0 };
            lists.set_point_field(BoneId(4), at, value);
            assert_eq!(
                (lists.point_field(BoneId(4), at), lists.entry_count(ListKind::Points)),
                (value, 1),
                "{}",
                def.name
            );
            lists.set_point_field(BoneId(4), at, def.default);
            assert!(lists.is_empty(), "{}", def.name);
        }
    }
}
