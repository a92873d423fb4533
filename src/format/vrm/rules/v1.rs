//! `VRMC_springBone`: groups, springs and joints, who moves which node, and where inertia is measured.

use super::checker::{NodeTree, RuleChecker};
use super::{check_gravity_direction, check_joint_numbers, limits, shapes, table};
use crate::format::gltf_json::json::JsonObject;

pub(super) const SPRING_BONE_EXTENSION: &str = "VRMC_springBone";

/// A spring as far as rules between springs need it.
struct CheckedSpring<'j> {
    json: JsonObject<'j>,
    /// Joints with nodes that exist.
    joints: Vec<(JsonObject<'j>, usize)>,
    center: Option<usize>,
}

pub(super) fn check(root: &JsonObject<'_>, json: &JsonObject<'_>, tree: &NodeTree<'_>, find: &RuleChecker<'_>) {
    find.check_spec_version(json, &["1.0"]);
    for key in ["colliders", "colliderGroups", "springs"] {
        check_not_empty(json, key, find);
    }
    let colliders = shapes::check_colliders(root, json, tree, find);
    let groups = find.check_objects(json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.check_text(group, "name");
        check_required_list(group, "colliders", find);
        find.check_indices(group, "colliders", colliders, &table::COLLIDER_RANGE, &table::INDEX_REPEATED);
    }
    let springs = find.check_objects(json, "springs");
    let mut limits = 0;
    let read = |spring| check_spring(spring, groups.len(), tree, find, root, &mut limits);
    let springs: Vec<_> = springs.into_iter().flatten().map(read).collect();
    check_last_joints(&springs, find);
    if tree.is_valid() {
        let owners = find_owners(&springs, tree, find);
        check_skipped_nodes(&springs, owners.clone(), tree, find);
        check_centers(&springs, &owners, tree, find);
    }
}

fn check_not_empty(json: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) {
    if json.get(key).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty) {
        find.report(&table::LIST_EMPTY, json.pointer_to(key), "the list is empty");
    }
}

fn check_required_list(json: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) {
    check_not_empty(json, key, find);
    if json.get(key).is_none() {
        find.report(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
    }
}

fn check_spring<'j>(
    json: JsonObject<'j>,
    groups: usize,
    tree: &NodeTree<'_>,
    find: &RuleChecker<'_>,
    root: &JsonObject<'_>,
    limits: &mut usize,
) -> CheckedSpring<'j> {
    find.check_text(&json, "name");
    check_required_list(&json, "joints", find);
    check_not_empty(&json, "colliderGroups", find);
    find.check_indices(&json, "colliderGroups", groups, &table::GROUP_RANGE, &table::INDEX_REPEATED);
    let center = find.check_index(&json, "center", tree.count, &table::NODE_RANGE);
    limits::check_misplaced(&json, find);
    let list = find.check_objects(&json, "joints");
    let count = list.len();
    if count == 1 {
        find.report(&table::SINGLE_JOINT, json.pointer_to("joints"), "one joint moves nothing");
    }
    let mut joints = Vec::with_capacity(count);
    for (place, joint) in list.into_iter().enumerate() {
        let Some(joint) = joint else { continue };
        check_joint_numbers(&joint, "stiffness", find);
        if let Some(direction) = find.check_vector(&joint, "gravityDir") {
            check_gravity_direction(&joint, direction, find);
        }
        if joint.get("stiffiness").is_some() {
            let message = "\"stiffiness\" where \"stiffness\" was expected";
            find.report(&table::V1_STIFFNESS_MISSPELLED, joint.pointer_to("stiffiness"), message);
        }
        limits::check_limit(&joint, place + 1 == count, root, limits, find);
        let node = find.check_required_index(&joint, "node", tree.count, &table::NODE_RANGE);
        joints.extend(node.map(|node| (joint, node)));
    }
    CheckedSpring { json, joints, center }
}

/// One word for the whole file: nearly every exporter writes them.
fn check_last_joints(springs: &[CheckedSpring<'_>], find: &RuleChecker<'_>) {
    let mut first = None;
    let mut count = 0;
    for spring in springs {
        let Some((last, _)) = spring.joints.last() else { continue };
        let set: Vec<_> = LAST_JOINT_DEFAULTS
            .iter()
            .filter(|(key, default)| differs_from_default(last, key, default))
            .map(|(k, _)| *k)
            .collect();
        if !set.is_empty() {
            count += 1;
            first.get_or_insert_with(|| (last.pointer.clone(), set.join(", ")));
        }
    }
    if let Some((pointer, keys)) = first {
        let more = if count > 1 { format!("; {count} springs in all have such numbers") } else { String::new() };
        find.report(&table::LAST_JOINT_UNUSED, pointer, format!("the last joint sets {keys}{more}"));
    }
}

const LAST_JOINT_DEFAULTS: &[(&str, &[f64])] = &[
    ("hitRadius", &[0.0]),
    ("stiffness", &[1.0]),
    ("gravityPower", &[0.0]),
    ("gravityDir", &[0.0, -1.0, 0.0]),
    ("dragForce", &[0.5]),
];

fn differs_from_default(joint: &JsonObject<'_>, key: &str, default: &[f64]) -> bool {
    let Some(value) = joint.get(key) else { return false };
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let numbers: Vec<_> = list.iter().filter_map(serde_json::Value::as_f64).collect();
    numbers != default
}

type SpringOfNode = Vec<Option<usize>>;

/// By node, the first spring that names it as a joint.
fn find_owners(springs: &[CheckedSpring<'_>], tree: &NodeTree<'_>, find: &RuleChecker<'_>) -> SpringOfNode {
    let mut owners: SpringOfNode = vec![None; tree.count];
    for (index, spring) in springs.iter().enumerate() {
        let mut above: Option<usize> = None;
        for (json, node) in &spring.joints {
            let pointer = || json.pointer_to("node");
            match owners[*node] {
                Some(owner) if owner == index => {
                    let message = format!("node {} is a joint of this spring already", tree.node_label(*node));
                    find.report(&table::JOINT_REPEATED, pointer(), message);
                    continue;
                }
                Some(owner) => {
                    let other = &springs[owner].json.pointer;
                    let message = format!("node {} is also a joint of {other}", tree.node_label(*node));
                    find.report(&table::NODE_IN_TWO_SPRINGS, pointer(), message);
                }
                None => owners[*node] = Some(index),
            }
            if let Some(above) = above.filter(|above| !tree.is_descendant(*above, *node)) {
                let message = format!(
                    "node {} does not lie below node {}, the joint before",
                    tree.node_label(*node),
                    tree.node_label(above)
                );
                find.report(&table::JOINT_NOT_BELOW, pointer(), message);
            }
            above = Some(*node);
        }
    }
    owners
}

/// Nodes between two joints belong to the spring as well.
fn check_skipped_nodes(
    springs: &[CheckedSpring<'_>],
    mut owners: SpringOfNode,
    tree: &NodeTree<'_>,
    find: &RuleChecker<'_>,
) {
    for (index, spring) in springs.iter().enumerate() {
        for pair in spring.joints.windows(2) {
            let [(_, head), (json, tail)] = pair else { continue };
            // Each node is walked up from once, however often a hostile file names it.
            if owners[*tail] != Some(index) || !tree.is_descendant(*head, *tail) {
                continue;
            }
            let between = || std::iter::successors(tree.parent(*tail), |n| tree.parent(*n)).take_while(|n| n != head);
            let count = between().count();
            if count > 0 {
                let message =
                    format!("{count} nodes between {} and {}", tree.node_label(*head), tree.node_label(*tail));
                find.report(&table::JOINT_SKIPS_NODES, json.pointer_to("node"), message);
            }
            for node in between() {
                match owners[node] {
                    Some(owner) if owner != index => {
                        let other = &springs[owner].json.pointer;
                        let message = format!("node {} is skipped here and belongs to {other}", tree.node_label(node));
                        find.report(&table::SKIPPED_IN_TWO_SPRINGS, json.pointer_to("node"), message);
                    }
                    _ => owners[node] = Some(index),
                }
            }
        }
    }
}

fn check_centers(springs: &[CheckedSpring<'_>], owners: &SpringOfNode, tree: &NodeTree<'_>, find: &RuleChecker<'_>) {
    // By node: the spring of the nearest joint at or above it.
    let mut nearest: SpringOfNode = vec![None; tree.count];
    for &node in tree.parents_first() {
        nearest[node] = owners[node].or_else(|| tree.parent(node).and_then(|parent| nearest[parent]));
    }
    for (index, spring) in springs.iter().enumerate() {
        let (Some(center), Some((_, first))) = (spring.center, spring.joints.first()) else { continue };
        let pointer = || spring.json.pointer_to("center");
        if center != *first && !tree.is_descendant(center, *first) {
            let message = format!(
                "node {} is neither the first joint {} nor above it",
                tree.node_label(center),
                tree.node_label(*first)
            );
            find.report(&table::CENTER_NOT_ABOVE, pointer(), message);
        }
        let from = if owners[center] == Some(index) { tree.parent(center) } else { Some(center) };
        if let Some(owner) = from.and_then(|node| nearest[node]).filter(|owner| *owner != index) {
            let other = &springs[owner].json.pointer;
            let message = format!("node {} is moved by {other}", tree.node_label(center));
            find.report(&table::CENTER_IN_SPRING, pointer(), message);
        }
    }
}
