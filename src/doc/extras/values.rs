//! The numbers of the entries of lists, read and written by their place in the tables.

use super::{Extras, NetPoint, Side, sync, turbulence};
use crate::doc::{ColliderId, Node};
use crate::rig::BoneId;
use crate::sim::{BoneConstraint, Compliance, ConvexHull, EzCollider, JointDynamicsCollider, SurfaceForce};

impl Extras {
    /// Whether a number of an entry says anything as the others are: those of the other way to swing do not, say.
    pub fn shows(&self, side: Side, entry: usize, field: usize) -> bool {
        match (self, side) {
            (Self::EzSoftBone(own), Side::ForceField) => {
                own.force_field.as_ref().is_some_and(|own| turbulence::shows(own, field))
            }
            (Self::Kawaii(own), Side::SyncBones) => {
                own.sync_bones.get(entry).is_some_and(|own| sync::shows(own, field))
            }
            _ => field < side.fields().len(),
        }
    }

    /// One number of a further node of an entry, counted from 0, by its position in [`Side::member_fields`].
    pub fn member_field(&self, side: Side, entry: usize, member: usize) -> f32 {
        match (self, side) {
            (Self::Kawaii(own), Side::SyncBones) => {
                let target = own.sync_bones.get(entry).and_then(|sync| sync.targets.get(member));
                target.map_or(0.0, |target| target.scale)
            }
            _ => 0.0,
        }
    }

    /// Writes one number of a further node of an entry.
    pub fn set_member_field(&mut self, side: Side, entry: usize, member: usize, value: f32) {
        if let (Self::Kawaii(own), Side::SyncBones) = (self, side)
            && let Some(target) = own.sync_bones.get_mut(entry).and_then(|sync| sync.targets.get_mut(member))
        {
            target.scale = value;
        }
    }

    /// One number of an entry by its position in [`Side::fields`]; 0 where there is no such thing.
    pub fn field(&self, side: Side, entry: usize, field: usize) -> f32 {
        match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => own.grabbers.get(entry).map_or(0.0, |grabber| match field {
                0 => grabber.radius,
                1 => grabber.force,
                2 => f32::from(u8::from(grabber.enabled)),
                _ => 0.0,
            }),
            (Self::EzSoftBone(own), Side::ForceField) => {
                own.force_field.as_ref().map_or(0.0, |own| turbulence::get(own, field))
            }
            (Self::Kawaii(own), Side::Constraints) => own.constraints.get(entry).map_or(0.0, |own| pair(own, field)),
            (Self::Kawaii(own), Side::SyncBones) => own.sync_bones.get(entry).map_or(0.0, |own| sync::get(own, field)),
            _ => 0.0,
        }
    }

    /// Writes one number of an entry.
    pub fn set_field(&mut self, side: Side, entry: usize, field: usize, value: f32) {
        match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => {
                let Some(grabber) = own.grabbers.get_mut(entry) else { return };
                match field {
                    0 => grabber.radius = value,
                    1 => grabber.force = value,
                    2 => grabber.enabled = value >= 0.5,
                    _ => {}
                }
            }
            (Self::EzSoftBone(own), Side::ForceField) => {
                if let Some(own) = &mut own.force_field {
                    turbulence::set(own, field, value);
                }
            }
            (Self::Kawaii(own), Side::Constraints) => {
                let Some(own) = own.constraints.get_mut(entry) else { return };
                match field {
                    0 => own.compliance = (value >= 0.5).then(|| Compliance::at(value.round() - 1.0)),
                    1 => own.length = (value >= 0.0).then_some(value),
                    2 => own.subdivided = value >= 0.5,
                    _ => {}
                }
            }
            (Self::Kawaii(own), Side::SyncBones) => {
                if let Some(own) = own.sync_bones.get_mut(entry) {
                    sync::set(own, field, value);
                }
            }
            _ => {}
        }
    }

    /// One number of what is added to a collider; the engine's default where nothing is said.
    pub fn collider_field(&self, id: ColliderId, field: usize) -> f32 {
        match (self, field) {
            (Self::EzSoftBone(own), 0) => own.colliders.get(&id).map_or(0.0, |extra| extra.margin),
            (Self::JointDynamics(own), _) => {
                let extra = own.colliders.get(&id).copied().unwrap_or_default();
                if field == 0 { extra.friction } else { f32::from(extra.surface_force as u8) }
            }
            _ => 0.0,
        }
    }

    /// Writes one number of what is added to a collider; what is as the engine makes it is no longer kept.
    pub fn set_collider_field(&mut self, id: ColliderId, field: usize, value: f32) {
        match (self, field) {
            (Self::EzSoftBone(own), 0) => {
                let extra = own.colliders.entry(id).or_default();
                extra.margin = value;
                if *extra == EzCollider::default() {
                    own.colliders.remove(&id);
                }
            }
            (Self::JointDynamics(own), _) => {
                let extra = own.colliders.entry(id).or_default();
                match field {
                    0 => extra.friction = value,
                    _ if value >= 1.5 => extra.surface_force = SurfaceForce::Pull,
                    _ if value >= 0.5 => extra.surface_force = SurfaceForce::Push,
                    _ => extra.surface_force = SurfaceForce::Off,
                }
                if *extra == JointDynamicsCollider::default() {
                    own.colliders.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// One number of the point of a joint; the engine's default where it has none of its own.
    pub fn point_field(&self, bone: BoneId, field: usize) -> f32 {
        let Self::JointDynamics(own) = self else { return 0.0 };
        let point = own.points.get(&bone).copied().unwrap_or_default();
        match field {
            0 => point.fixed.map_or(0.0, |fixed| if fixed { 2.0 } else { 1.0 }),
            1 => point.mass,
            2 => point.radius,
            3 => point.movable_limit_radius,
            4 => point.fade,
            5 => f32::from(u8::from(point.surface_collision)),
            6 => f32::from(u8::from(point.invert_collision)),
            _ => 0.0,
        }
    }

    /// Writes one number of the point of a joint; one that is as the engine makes it is no longer kept.
    pub fn set_point_field(&mut self, bone: BoneId, field: usize, value: f32) {
        let Self::JointDynamics(own) = self else { return };
        let point = own.points.entry(bone).or_default();
        match field {
            0 => point.fixed = (value >= 0.5).then_some(value >= 1.5),
            1 => point.mass = value,
            2 => point.radius = value,
            3 => point.movable_limit_radius = value,
            4 => point.fade = value,
            5 => point.surface_collision = value >= 0.5,
            6 => point.invert_collision = value >= 0.5,
            _ => {}
        }
        if *point == NetPoint::default() {
            own.points.remove(&bone);
        }
    }

    /// The child that the bone of a point aims at; `None` for the last one.
    pub fn aim(&self, bone: BoneId) -> Option<Node> {
        let Self::JointDynamics(own) = self else { return None };
        own.points.get(&bone).and_then(|point| point.aim_child)
    }

    /// Lets the bone of a point aim at a child, or at the last one.
    pub fn set_aim(&mut self, bone: BoneId, child: Option<Node>) {
        let Self::JointDynamics(own) = self else { return };
        let point = own.points.entry(bone).or_default();
        point.aim_child = child;
        if *point == NetPoint::default() {
            own.points.remove(&bone);
        }
    }

    /// What stands in place of a collider's shape.
    pub fn hull(&self, id: ColliderId) -> Option<&ConvexHull> {
        let Self::EzSoftBone(own) = self else { return None };
        own.colliders.get(&id).and_then(|extra| extra.hull.as_ref())
    }

    /// Puts a convex mesh in place of a collider's shape, or takes it away.
    pub fn set_hull(&mut self, id: ColliderId, hull: Option<ConvexHull>) {
        let Self::EzSoftBone(own) = self else { return };
        let extra = own.colliders.entry(id).or_default();
        extra.hull = hull;
        if *extra == EzCollider::default() {
            own.colliders.remove(&id);
        }
    }
}

fn pair(own: &BoneConstraint<Node>, field: usize) -> f32 {
    match field {
        0 => {
            let place = |c| Compliance::ALL.iter().position(|known| *known == c);
            own.compliance.and_then(place).map_or(0.0, |place| place as f32 + 1.0)
        }
        1 => own.length.unwrap_or(-1.0),
        2 => f32::from(u8::from(own.subdivided)),
        _ => 0.0,
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
