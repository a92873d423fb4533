//! `extensions.VRM.secondaryAnimation`: bone groups and collider groups of VRM 0.x.

use super::find::{Find, Tree};
use super::{gravity_direction, joint_numbers, table};
use crate::format::gltf_json::json::Json;

pub(super) fn check(vrm: &Json<'_>, tree: &Tree<'_>, find: &Find<'_>) {
    let Some(json) = find.object(vrm, "secondaryAnimation") else { return };
    let groups = find.objects(&json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.required_index(group, "node", tree.count, &table::NODE_RANGE);
        for collider in find.objects(group, "colliders").iter().flatten() {
            vector(collider, "offset", find);
            find.within(collider, "radius", 0.0, f32::MAX, &table::RADIUS_NEGATIVE);
        }
    }
    let mut roots = Vec::new();
    for group in find.objects(&json, "boneGroups").iter().flatten() {
        find.text(group, "comment");
        let spelled = stiffness(group, find);
        joint_numbers(group, spelled, find);
        if let Some(direction) = vector(group, "gravityDir", find) {
            gravity_direction(group, direction, find);
            if direction[2] != 0.0 {
                let message = format!("z is {}", direction[2]);
                find.say(&table::V0_GRAVITY_Z, group.pointer_to("gravityDir"), message);
            }
        }
        if group.get("center").and_then(serde_json::Value::as_f64) != Some(-1.0) {
            find.index(group, "center", tree.count, &table::NODE_RANGE);
        }
        find.indices(group, "colliderGroups", groups.len(), &table::GROUP_RANGE, &table::INDEX_REPEATED);
        roots.extend(find.indices(group, "bones", tree.count, &table::NODE_RANGE, &table::V0_ROOT_REPEATED));
    }
    check_roots(&roots, tree, find);
}

/// Which spelling the group uses.
fn stiffness(group: &Json<'_>, find: &Find<'_>) -> &'static str {
    if group.get("stiffiness").is_some() {
        return "stiffiness";
    }
    if group.get("stiffness").is_some() {
        let message = "\"stiffness\" where \"stiffiness\" was expected";
        find.say(&table::V0_STIFFNESS_SPELLED, group.pointer_to("stiffness"), message);
        return "stiffness";
    }
    find.say(&table::V0_STIFFNESS_MISSING, group.pointer.clone(), "\"stiffiness\" is missing");
    "stiffiness"
}

/// An object of x, y and z.
fn vector(owner: &Json<'_>, key: &str, find: &Find<'_>) -> Option<[f32; 3]> {
    if owner.get(key).is_some_and(serde_json::Value::is_array) {
        find.say(&table::V0_VECTOR_LIST, owner.pointer_to(key), "a list where an object was expected");
        return find.vector(owner, key);
    }
    let json = find.object(owner, key)?;
    Some(["x", "y", "z"].map(|part| find.number(&json, part).unwrap_or(0.0)))
}

/// No root twice, and none below another.
fn check_roots(roots: &[(String, usize)], tree: &Tree<'_>, find: &Find<'_>) {
    let mut is_root = vec![None; tree.count];
    for (pointer, node) in roots {
        match is_root[*node] {
            Some(other) => {
                let message = format!("node {} is already a root at {other}", tree.name(*node));
                find.say(&table::V0_ROOT_REPEATED, pointer, message);
            }
            None => is_root[*node] = Some(pointer),
        }
    }
    // By node: the nearest root at or above it.
    let mut nearest: Vec<Option<usize>> = vec![None; tree.count];
    for &node in tree.order() {
        let above = tree.parent(node).and_then(|parent| nearest[parent]);
        if let (Some(pointer), Some(above)) = (is_root[node], above) {
            let message = format!("node {} lies below the root {}", tree.name(node), tree.name(above));
            find.say(&table::V0_ROOT_BELOW, pointer, message);
        }
        nearest[node] = if is_root[node].is_some() { Some(node) } else { above };
    }
}
