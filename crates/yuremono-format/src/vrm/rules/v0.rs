//! Checks `extensions.VRM.secondaryAnimation`: bone groups and collider groups of VRM 0.x.

use super::checker::RuleChecker;
use super::{check_gravity_direction, check_joint_numbers, table};
use crate::gltf_json::json::JsonObject;
use yuremono_sim::diagnostics::message;

pub(super) fn check(vrm: &JsonObject<'_>, find: &RuleChecker<'_>) {
    let Some(json) = find.check_object(vrm, "secondaryAnimation") else { return };
    let groups = find.check_objects(&json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.check_required_index(group, "node", find.node_count, &table::NODE_RANGE);
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
                let message = message!("z is {direction}", direction = direction[2]);
                find.report(&table::V0_GRAVITY_Z, group.pointer_to("gravityDir"), message);
            }
        }
        if group.get("center").and_then(serde_json::Value::as_f64) != Some(-1.0) {
            find.check_index(group, "center", find.node_count, &table::NODE_RANGE);
        }
        find.check_indices(group, "colliderGroups", groups.len(), &table::GROUP_RANGE, &table::INDEX_REPEATED);
        roots.extend(find.check_indices(group, "bones", find.node_count, &table::NODE_RANGE, &table::V0_ROOT_REPEATED));
    }
    check_roots(&roots, find);
}

/// Returns the stiffness key with the spelling of this group.
fn stiffness_key(group: &JsonObject<'_>, find: &RuleChecker<'_>) -> &'static str {
    if group.get("stiffiness").is_some() {
        return "stiffiness";
    }
    if group.get("stiffness").is_some() {
        let message = message!("\"stiffness\" where \"stiffiness\" was expected");
        find.report(&table::V0_STIFFNESS_SPELLING, group.pointer_to("stiffness"), message);
        return "stiffness";
    }
    find.report_missing(&table::V0_STIFFNESS_MISSING, group, "stiffiness");
    "stiffiness"
}

/// Checks and reads an object with the fields x, y and z.
fn check_vector_object(owner: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) -> Option<[f32; 3]> {
    if owner.get(key).is_some_and(serde_json::Value::is_array) {
        find.report(&table::V0_VECTOR_LIST, owner.pointer_to(key), message!("a list where an object was expected"));
        return find.check_vector(owner, key);
    }
    let json = find.check_object(owner, key)?;
    Some(["x", "y", "z"].map(|part| find.check_number(&json, part).unwrap_or(0.0)))
}

/// Reports repeated roots, and roots that are descendants of another root.
fn check_roots(roots: &[(String, usize)], find: &RuleChecker<'_>) {
    let mut is_root = vec![None; find.node_count];
    for (pointer, node) in roots {
        match is_root[*node] {
            Some(other) => {
                let message =
                    message!("node {node} is already a root at {other}", node = find.node_label(*node), other);
                find.report(&table::V0_ROOT_REPEATED, pointer, message);
            }
            None => is_root[*node] = Some(pointer),
        }
    }
    // Indexed by node: the node itself if it is a root, otherwise its nearest ancestor that is a root.
    let mut nearest: Vec<Option<usize>> = vec![None; find.node_count];
    for &node in find.parents_first() {
        let above = find.parent(node).and_then(|parent| nearest[parent]);
        if let (Some(pointer), Some(above)) = (is_root[node], above) {
            let message = message!(
                "node {node} is a descendant of the root {above}",
                node = find.node_label(node),
                above = find.node_label(above)
            );
            find.report(&table::V0_ROOT_BELOW, pointer, message);
        }
        nearest[node] = if is_root[node].is_some() { Some(node) } else { above };
    }
}
