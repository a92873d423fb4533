//! The numbers of the entries of lists, read and written by their place in the tables.

use super::{Extras, Side};
use crate::document::{ColliderId, Node};
use crate::rig::BoneId;
use crate::schema::Fields;
use crate::sim::ConvexHull;
use std::collections::BTreeMap;

impl Extras {
    fn numbers(&self, side: Side, entry: usize) -> Option<&dyn Fields> {
        Some(match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => own.grabbers.get(entry)?,
            (Self::EzSoftBone(own), Side::ForceField) => own.force_field.as_ref()?,
            (Self::Kawaii(own), Side::Constraints) => own.constraints.get(entry)?,
            (Self::Kawaii(own), Side::SyncBones) => own.sync_bones.get(entry)?,
            _ => return None,
        })
    }

    fn numbers_mut(&mut self, side: Side, entry: usize) -> Option<&mut dyn Fields> {
        Some(match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => own.grabbers.get_mut(entry)?,
            (Self::EzSoftBone(own), Side::ForceField) => own.force_field.as_mut()?,
            (Self::Kawaii(own), Side::Constraints) => own.constraints.get_mut(entry)?,
            (Self::Kawaii(own), Side::SyncBones) => own.sync_bones.get_mut(entry)?,
            _ => return None,
        })
    }

    /// Whether a number of an entry means anything as the others are: frequencies of noise do not while a field swings by
    /// curves.
    pub fn shows(&self, side: Side, entry: usize, field: usize) -> bool {
        self.numbers(side, entry).map_or(field < side.fields().len(), |own| own.shows(field))
    }

    /// One number of an entry by its position in [`Side::fields`]; 0 where there is no such thing.
    pub fn field(&self, side: Side, entry: usize, field: usize) -> f32 {
        self.numbers(side, entry).map_or(0.0, |own| own.field(field))
    }

    /// Writes one number of an entry.
    pub fn set_field(&mut self, side: Side, entry: usize, field: usize, value: f32) {
        if let Some(own) = self.numbers_mut(side, entry) {
            own.set_field(field, value);
        }
    }

    /// One number of a further node of an entry, counted from 0, by its position in [`Side::member_fields`].
    pub fn member_field(&self, side: Side, entry: usize, member: usize) -> f32 {
        match (self, side) {
            (Self::Kawaii(own), Side::SyncBones) => {
                let target = own.sync_bones.get(entry).and_then(|sync| sync.targets.get(member));
                target.map_or(0.0, |target| target.field(0))
            }
            _ => 0.0,
        }
    }

    /// Writes one number of a further node of an entry.
    pub fn set_member_field(&mut self, side: Side, entry: usize, member: usize, value: f32) {
        if let (Self::Kawaii(own), Side::SyncBones) = (self, side)
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
            Self::EzSoftBone(own) => change(&mut own.colliders, id, |extra| extra.set_field(field, value)),
            Self::JointDynamics(own) => change(&mut own.colliders, id, |extra| extra.set_field(field, value)),
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
        change(&mut own.points, bone, |point| point.set_field(field, value));
    }

    /// The child that the bone of a point aims at; `None` for the last one.
    pub fn aim(&self, bone: BoneId) -> Option<Node> {
        let Self::JointDynamics(own) = self else { return None };
        own.points.get(&bone).and_then(|point| point.aim_child)
    }

    /// Lets the bone of a point aim at a child, or at the last one.
    pub fn set_aim(&mut self, bone: BoneId, child: Option<Node>) {
        let Self::JointDynamics(own) = self else { return };
        change(&mut own.points, bone, |point| point.aim_child = child);
    }

    /// What stands in place of a collider's shape.
    pub fn hull(&self, id: ColliderId) -> Option<&ConvexHull> {
        let Self::EzSoftBone(own) = self else { return None };
        own.colliders.get(&id).and_then(|extra| extra.hull.as_ref())
    }

    /// Puts a convex mesh in place of a collider's shape, or takes it away.
    pub fn set_hull(&mut self, id: ColliderId, hull: Option<ConvexHull>) {
        let Self::EzSoftBone(own) = self else { return };
        change(&mut own.colliders, id, |extra| extra.hull = hull);
    }
}

/// Changes one entry of a map that keeps only what differs from the default.
fn change<K: Ord + Copy, V: Default + PartialEq>(map: &mut BTreeMap<K, V>, key: K, change: impl FnOnce(&mut V)) {
    let entry = map.entry(key).or_default();
    change(entry);
    if *entry == V::default() {
        map.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Kind, ParamDef};

    #[test]
    fn every_number_of_an_entry_is_read_and_written_by_its_place_in_the_table() {
        for side in [Side::Grabbers, Side::ForceField, Side::Constraints, Side::SyncBones] {
            // What a switch lets out of sight is met in one of the two rounds.
            let mut met = vec![false; side.fields().len()];
            for round in 0..2 {
                let mut extras = Extras::under(side.solver());
                let nodes = [Node::Bone(BoneId(0)), Node::Bone(BoneId(1))];
                extras.set(side, Some(nodes[0]));
                extras.add(side, &nodes);
                for (at, def) in side.fields().iter().enumerate().filter(|(_, def)| round == 1 && opens(def.name)) {
                    check(&mut extras, side, at, def);
                    met[at] = true;
                }
                for (at, def) in side.fields().iter().enumerate().filter(|(_, def)| !opens(def.name)) {
                    if extras.shows(side, 0, at) {
                        check(&mut extras, side, at, def);
                    }
                    met[at] |= extras.shows(side, 0, at);
                }
            }
            assert!(met.iter().all(|met| *met), "{side:?} {met:?}");
        }
    }

    /// Whether others come into sight by it.
    fn opens(name: &str) -> bool {
        ["m_TurbulenceMode", "EnableAttenuation"].contains(&name)
    }

    #[track_caller]
    fn check(extras: &mut Extras, side: Side, at: usize, def: &ParamDef) {
        assert!(extras.shows(side, 0, at), "{side:?} {}", def.name);
        assert_eq!(extras.field(side, 0, at), def.default, "{side:?} {}", def.name);
        let value = if def.default == 0.0 { 1.0 } else { 0.0_f32.max(def.range.0) };
        extras.set_field(side, 0, at, value);
        assert_eq!(extras.field(side, 0, at), value, "{side:?} {}", def.name);
    }

    #[test]
    fn every_further_node_has_numbers_of_its_own() {
        let mut extras = Extras::under(Side::SyncBones.solver());
        extras.add(Side::SyncBones, &[0, 1, 2].map(|n| Node::Bone(BoneId(n))));
        let read = |extras: &Extras| [0, 1].map(|member| extras.member_field(Side::SyncBones, 0, member));
        assert_eq!(read(&extras), [Side::SyncBones.member_fields()[0].default; 2]);
        extras.set_member_field(Side::SyncBones, 0, 1, 0.25);
        assert_eq!(read(&extras), [1.0, 0.25]);
    }

    #[test]
    fn a_point_aims_and_a_collider_has_a_hull_only_while_something_is_said() {
        let mut extras = Extras::under(Side::Points.solver());
        extras.set_aim(BoneId(1), Some(Node::Bone(BoneId(2))));
        assert_eq!((extras.aim(BoneId(1)), extras.count(Side::Points)), (Some(Node::Bone(BoneId(2))), 1));
        extras.set_aim(BoneId(1), None);
        assert!(extras.is_empty());
        let mut extras = Extras::under(Side::Margins.solver());
        extras.set_hull(ColliderId(1), Some(ConvexHull::default()));
        assert_eq!((extras.hull(ColliderId(1)).is_some(), extras.count(Side::Margins)), (true, 1));
        extras.set_hull(ColliderId(1), None);
        assert!(extras.is_empty());
    }

    #[test]
    fn a_collider_is_kept_only_while_it_differs_from_the_engines() {
        for side in [Side::Margins, Side::Frictions] {
            let mut extras = Extras::under(side.solver());
            for (at, def) in side.fields().iter().enumerate() {
                assert_eq!(extras.collider_field(ColliderId(4), at), def.default, "{}", def.name);
                extras.set_collider_field(ColliderId(4), at, 1.0);
                assert_eq!((extras.collider_field(ColliderId(4), at), extras.count(side)), (1.0, 1), "{}", def.name);
                extras.set_collider_field(ColliderId(4), at, def.default);
                assert!(extras.is_empty(), "{}", def.name);
            }
        }
    }

    #[test]
    fn a_point_is_kept_only_while_it_differs_from_the_engines() {
        let mut extras = Extras::under(Side::Points.solver());
        for (at, def) in Side::Points.fields().iter().enumerate() {
            assert_eq!(extras.point_field(BoneId(4), at), def.default, "{}", def.name);
            let value = if def.kind == Kind::Toggle { 1.0 - def.default } else { 2.0 };
            extras.set_point_field(BoneId(4), at, value);
            assert_eq!((extras.point_field(BoneId(4), at), extras.count(Side::Points)), (value, 1), "{}", def.name);
            extras.set_point_field(BoneId(4), at, def.default);
            assert!(extras.is_empty(), "{}", def.name);
        }
    }
}
