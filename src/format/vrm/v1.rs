//! `VRMC_springBone`: N joints make N - 1 that move; the last only marks a tail.

use super::{Chain, Collider, ColliderGroup, Joint, Springs, Tail, Version, check_version, colliders, limits};
use crate::format::gltf_json::json::{Fault, Json, Notes};
use crate::format::gltf_json::nodes::Nodes;
use crate::rig::BoneId;
use glam::Vec3;
use std::collections::HashSet;

/// `None` where nothing can be read.
pub(super) fn read(json: &Json<'_>, nodes: &Nodes<'_>, notes: &Notes<'_>) -> Option<Springs> {
    check_version(json, notes);
    let (colliders, places) = read_colliders(json, nodes, notes);
    let collider_groups = read_groups(json, &places, notes);
    let mut reader = Reader { nodes, notes, groups: collider_groups.len(), moving: HashSet::new() };
    let list = notes.keep(json.objects("springs"), "there are no springs")?;
    let mut chains = Vec::new();
    for (index, spring) in list.enumerate() {
        let chain = spring.and_then(|spring| reader.chain(&spring, index));
        chains.extend(notes.keep(chain, "the spring is left out").flatten());
    }
    Some(Springs { version: Version::V1, chains, colliders, collider_groups })
}

/// The colliders that can be used, and by file number where they stand now.
fn read_colliders(json: &Json<'_>, nodes: &Nodes<'_>, notes: &Notes<'_>) -> (Vec<Collider>, Vec<Option<usize>>) {
    let mut colliders = Vec::new();
    let mut places = Vec::new();
    let read = |file_index: usize, collider: Result<Json<'_>, Fault>| {
        let collider = collider?;
        let bone = nodes.bones[collider.required_index("node", nodes.len(), "node")?];
        Ok(Collider { bone, shape: colliders::shape(&collider, notes)?, file_index: Some(file_index) })
    };
    let list = notes.keep(json.objects("colliders"), "there are no colliders");
    for (index, collider) in list.into_iter().flatten().enumerate() {
        let collider = notes.keep(read(index, collider), "the collider is left out");
        places.push(collider.is_some().then_some(colliders.len()));
        colliders.extend(collider);
    }
    (colliders, places)
}

/// One per group of the file, so that springs can keep their numbers.
fn read_groups(json: &Json<'_>, places: &[Option<usize>], notes: &Notes<'_>) -> Vec<ColliderGroup> {
    let mut groups = Vec::new();
    let list = notes.keep(json.objects("colliderGroups"), "there are no collider groups");
    for (index, group) in list.into_iter().flatten().enumerate() {
        let file_index = Some(index);
        let Some(group) = notes.keep(group, "the group is empty") else {
            groups.push(ColliderGroup { name: String::new(), colliders: Vec::new(), file_index });
            continue;
        };
        let named = usable_indices(&group, "colliders", places.len(), "collider", notes);
        groups.push(ColliderGroup {
            name: notes.or(group.name("name"), "").to_owned(),
            colliders: named.into_iter().filter_map(|collider| places[collider]).collect(),
            file_index,
        });
    }
    groups
}

/// The entries of a list of positions that exist, each once.
pub(super) fn usable_indices(json: &Json<'_>, key: &str, count: usize, what: &str, notes: &Notes<'_>) -> Vec<usize> {
    let Some(list) = notes.keep(json.list(key), "it is taken as empty") else { return Vec::new() };
    let mut seen = HashSet::new();
    let point = |(i, value)| {
        crate::format::gltf_json::json::index(value, count, what)
            .map_err(|message| Fault { pointer: format!("{}/{i}", json.pointer_to(key)), message })
    };
    let found = list.iter().enumerate().filter_map(|entry| notes.keep(point(entry), "it is left out"));
    found.filter(|index| seen.insert(*index)).collect()
}

struct Reader<'r, 'a> {
    nodes: &'r Nodes<'a>,
    notes: &'r Notes<'r>,
    groups: usize,
    /// Bones that an earlier joint moves.
    moving: HashSet<BoneId>,
}

impl Reader<'_, '_> {
    fn chain(&mut self, spring: &Json<'_>, file_index: usize) -> Result<Option<Chain>, Fault> {
        let path = path(spring, self.nodes, self.notes)?;
        if path.len() < 2 {
            self.notes.info(spring.pointer_to("joints"), "fewer than two joints move nothing; the spring is left out");
            return Ok(None);
        }
        let mut joints = Vec::with_capacity(path.len() - 1);
        for pair in path.windows(2) {
            let [(json, bone), (_, tail)] = pair else { continue };
            if self.moving.insert(*bone) {
                joints.push(read_joint(json, *bone, Tail::Bone(*tail), self.notes));
            } else {
                let name = crate::report::clip(self.nodes.skeleton.name(*bone));
                let fault = json.fault("node", format!("bone \"{name}\" is already moved by another joint"));
                self.notes.warn(fault, "the joint is left out");
            }
        }
        if joints.is_empty() {
            return Ok(None);
        }
        Ok(Some(Chain {
            name: self.notes.or(spring.name("name"), "").to_owned(),
            file_index: Some(file_index),
            center: self.center(spring, path[0].1),
            collider_groups: usable_indices(spring, "colliderGroups", self.groups, "collider group", self.notes),
            joints,
        }))
    }

    fn center(&self, spring: &Json<'_>, first: BoneId) -> Option<BoneId> {
        const WORLD: &str = "the world is used";
        let node = self.notes.keep(spring.index("center", self.nodes.len(), "node"), WORLD).flatten()?;
        let bone = self.nodes.bones[node];
        if bone != first && !self.nodes.is_below(bone, first) {
            let name = crate::report::clip(self.nodes.skeleton.name(bone));
            let message = format!("bone \"{name}\" is neither the first joint nor above it");
            self.notes.warn(spring.fault("center", message), "it is kept");
        }
        Some(bone)
    }
}

/// Joints with their bones, each below the one before; others are left out.
fn path<'j>(spring: &Json<'j>, nodes: &Nodes<'_>, notes: &Notes<'_>) -> Result<Vec<(Json<'j>, BoneId)>, Fault> {
    const LEFT_OUT: &str = "the joint is left out";
    let mut path: Vec<(Json<'j>, BoneId)> = Vec::new();
    for joint in spring.objects("joints")? {
        let found = joint.and_then(|joint| {
            let node = joint.required_index("node", nodes.len(), "node")?;
            Ok((joint, nodes.bones[node]))
        });
        let Some((joint, bone)) = notes.keep(found, LEFT_OUT) else { continue };
        if let Some((_, above)) = path.last().filter(|(_, above)| !nodes.is_below(*above, bone)) {
            let name = |bone| crate::report::clip(nodes.skeleton.name(bone));
            let message = format!("bone \"{}\" is not below bone \"{}\"", name(bone), name(*above));
            notes.warn(joint.fault("node", message), LEFT_OUT);
        } else {
            path.push((joint, bone));
        }
    }
    Ok(path)
}

/// Which bones a spring moves and their tails, where earlier springs move those of `moving`.
pub(super) fn swings(spring: &Json<'_>, nodes: &Nodes<'_>, moving: &HashSet<BoneId>) -> Vec<(BoneId, Tail)> {
    let path = path(spring, nodes, &Notes::new("")).unwrap_or_default();
    let pairs = path.iter().zip(path.iter().skip(1)).map(|((_, bone), (_, tail))| (*bone, Tail::Bone(*tail)));
    pairs.filter(|(bone, _)| !moving.contains(bone)).collect()
}

/// The numbers of a joint; what is broken is replaced by its default.
pub(super) fn read_joint(json: &Json<'_>, bone: BoneId, tail: Tail, notes: &Notes<'_>) -> Joint {
    let number = |key, default| notes.or(json.number(key), default);
    let at_least_zero = |key, default: f32| {
        let value: f32 = number(key, default);
        if value < 0.0 {
            let fault = json.fault(key, format!("{value}; 0 or more was expected"));
            notes.warn(fault, &format!("{default} is used"));
            return default;
        }
        value
    };
    let drag = number("dragForce", 0.5);
    if !(0.0..=1.0).contains(&drag) {
        notes.warn(json.fault("dragForce", format!("{drag}; 0 to 1 was expected")), "it is kept");
    }
    Joint {
        bone,
        tail,
        hit_radius: at_least_zero("hitRadius", 0.0),
        stiffness: number("stiffness", 1.0),
        gravity_power: number("gravityPower", 0.0),
        gravity_dir: notes.or(json.numbers("gravityDir").map(|v| v.map(Vec3::from_array)), Vec3::NEG_Y),
        drag,
        limit: limits::read(json, notes),
    }
}
