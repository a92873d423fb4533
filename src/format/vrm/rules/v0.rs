//! `extensions.VRM.secondaryAnimation`: bone groups and collider groups of VRM 0.x.

use super::checker::{NodeTree, RuleChecker};
use super::{check_gravity_direction, check_joint_numbers, table};
use crate::format::gltf_json::json::JsonObject;

pub(super) fn check(vrm: &JsonObject<'_>, tree: &NodeTree<'_>, find: &RuleChecker<'_>) {
    let Some(json) = find.check_object(vrm, "secondaryAnimation") else { return };
    let groups = find.check_objects(&json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.check_required_index(group, "node", tree.count, &table::NODE_RANGE);
        for collider in find.check_objects(group, "colliders").iter().flatten() {
            check_vector_object(collider, "offset", find);
            find.check_range(collider, "radius", 0.0, f32::MAX, &table::RADIUS_NEGATIVE);
        }
    }
    let mut roots = Vec::new();
    for group in find.check_objects(&json, "boneGroups").iter().flatten() {
        find.check_text(group, "comment");
        let spelled = stiffness_key(group, find);
        check_joint_numbers(group, spelled, find);
        if let Some(direction) = check_vector_object(group, "gravityDir", find) {
            check_gravity_direction(group, direction, find);
            if direction[2] != 0.0 {
                let message = format!("z is {}", direction[2]);
                find.report(&table::V0_GRAVITY_Z, group.pointer_to("gravityDir"), message);
            }
        }
        if group.get("center").and_then(serde_json::Value::as_f64) != Some(-1.0) {
            find.check_index(group, "center", tree.count, &table::NODE_RANGE);
        }
        find.check_indices(group, "colliderGroups", groups.len(), &table::GROUP_RANGE, &table::INDEX_REPEATED);
        roots.extend(find.check_indices(group, "bones", tree.count, &table::NODE_RANGE, &table::V0_ROOT_REPEATED));
    }
    check_roots(&roots, tree, find);
}

/// Which spelling the group uses.
fn stiffness_key(group: &JsonObject<'_>, find: &RuleChecker<'_>) -> &'static str {
    if group.get("stiffiness").is_some() {
        return "stiffiness";
    }
    if group.get("stiffness").is_some() {
        let message = "\"stiffness\" where \"stiffiness\" was expected";
        find.report(&table::V0_STIFFNESS_SPELLING, group.pointer_to("stiffness"), message);
        return "stiffness";
    }
    find.report(&table::V0_STIFFNESS_MISSING, group.pointer.clone(), "\"stiffiness\" is missing");
    "stiffiness"
}

/// An object of x, y and z.
fn check_vector_object(owner: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) -> Option<[f32; 3]> {
    if owner.get(key).is_some_and(serde_json::Value::is_array) {
        find.report(&table::V0_VECTOR_LIST, owner.pointer_to(key), "a list where an object was expected");
        return find.check_vector(owner, key);
    }
    let json = find.check_object(owner, key)?;
    Some(["x", "y", "z"].map(|part| find.check_number(&json, part).unwrap_or(0.0)))
}

/// No root twice, and none below another.
fn check_roots(roots: &[(String, usize)], tree: &NodeTree<'_>, find: &RuleChecker<'_>) {
    let mut is_root = vec![None; tree.count];
    for (pointer, node) in roots {
        match is_root[*node] {
            Some(other) => {
                let message = format!("node {} is already a root at {other}", tree.node_label(*node));
                find.report(&table::V0_ROOT_REPEATED, pointer, message);
            }
            None => is_root[*node] = Some(pointer),
        }
    }
    // By node: the nearest root at or above it.
    let mut nearest: Vec<Option<usize>> = vec![None; tree.count];
    for &node in tree.parents_first() {
        let above = tree.parent(node).and_then(|parent| nearest[parent]);
        if let (Some(pointer), Some(above)) = (is_root[node], above) {
            let message = format!("node {} lies below the root {}", tree.node_label(node), tree.node_label(above));
            find.report(&table::V0_ROOT_BELOW, pointer, message);
        }
        nearest[node] = if is_root[node].is_some() { Some(node) } else { above };
    }
}
