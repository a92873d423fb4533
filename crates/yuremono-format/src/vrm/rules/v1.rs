//! Checks `VRMC_springBone`: groups, springs, joints, limits, centers, and nodes that several springs move.

use super::checker::{RuleChecker, length};
use super::shapes::check_colliders;
use super::{check_gravity_direction, check_joint_numbers, table};
use crate::gltf_json::json::JsonObject;
use crate::vrm::limits::{KNOWN_VERSIONS, LENGTH_TOLERANCE, LIMIT_EXTENSION, LIMIT_KINDS, angle_fields};
use yuremono_sim::diagnostics::message;

/// The data of a spring for the rules that involve several springs.
struct CheckedSpring<'j> {
    json: JsonObject<'j>,
    /// Joints with valid nodes, and the index of each node.
    joints: Vec<(JsonObject<'j>, usize)>,
    center: Option<usize>,
}

pub(super) fn check(json: &JsonObject<'_>, find: &RuleChecker<'_>) {
    find.check_spec_version(json, &["1.0"]);
    for key in ["colliders", "colliderGroups", "springs"] {
        check_not_empty(json, key, find);
    }
    let colliders = check_colliders(json, find);
    let groups = find.check_objects(json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.check_text(group, "name");
        check_required_list(group, "colliders", find);
        find.check_indices(group, "colliders", colliders, &table::COLLIDER_RANGE, &table::INDEX_REPEATED);
    }
    let springs = find.check_objects(json, "springs");
    let mut limits = 0;
    let read = |spring| check_spring(spring, groups.len(), find, &mut limits);
    let springs: Vec<_> = springs.into_iter().flatten().map(read).collect();
    check_last_joints(&springs, find);
    if find.has_hierarchy() {
        let owners = find_owners(&springs, find);
        check_skipped_nodes(&springs, owners.clone(), find);
        check_centers(&springs, &owners, find);
    }
}

fn check_not_empty(json: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) {
    if json.get(key).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty) {
        find.report(&table::LIST_EMPTY, json.pointer_to(key), message!("the list is empty"));
    }
}

fn check_required_list(json: &JsonObject<'_>, key: &str, find: &RuleChecker<'_>) {
    check_not_empty(json, key, find);
    if json.get(key).is_none() {
        find.report_missing(&table::REQUIRED_MISSING, json, key);
    }
}

fn check_spring<'j>(
    json: JsonObject<'j>,
    groups: usize,
    find: &RuleChecker<'_>,
    limits: &mut usize,
) -> CheckedSpring<'j> {
    find.check_text(&json, "name");
    check_required_list(&json, "joints", find);
    check_not_empty(&json, "colliderGroups", find);
    find.check_indices(&json, "colliderGroups", groups, &table::GROUP_RANGE, &table::INDEX_REPEATED);
    let center = find.check_index(&json, "center", find.node_count, &table::NODE_RANGE);
    // In early drafts, springs could have limits.
    if let Ok(Some(limit)) = json.extension(LIMIT_EXTENSION) {
        find.report(&table::LIMIT_NOT_ON_JOINT, limit.pointer, message!("a limit on a spring"));
    }
    let list = find.check_objects(&json, "joints");
    let count = list.len();
    if count == 1 {
        find.report(&table::SINGLE_JOINT, json.pointer_to("joints"), message!("one joint moves nothing"));
    }
    let mut joints = Vec::with_capacity(count);
    for (place, joint) in list.into_iter().enumerate() {
        let Some(joint) = joint else { continue };
        check_joint_numbers(&joint, "stiffness", find);
        if let Some(direction) = find.check_vector(&joint, "gravityDir") {
            check_gravity_direction(&joint, direction, find);
        }
        if joint.get("stiffiness").is_some() {
            let message = message!("\"stiffiness\" where \"stiffness\" was expected");
            find.report(&table::V1_STIFFNESS_MISSPELLED, joint.pointer_to("stiffiness"), message);
        }
        check_limit(&joint, place + 1 == count, limits, find);
        let node = find.check_required_index(&joint, "node", find.node_count, &table::NODE_RANGE);
        joints.extend(node.map(|node| (joint, node)));
    }
    CheckedSpring { json, joints, center }
}

/// Checks the limit of one joint. Increments `seen` for each limit.
fn check_limit(joint: &JsonObject<'_>, is_last: bool, seen: &mut usize, find: &RuleChecker<'_>) {
    let json = match joint.extension(LIMIT_EXTENSION) {
        Ok(Some(json)) => json,
        Ok(None) => return,
        Err(fault) => return find.report_json_error(fault),
    };
    *seen += 1;
    if *seen == 1 {
        find.check_declared(LIMIT_EXTENSION, &json);
        find.report(&table::LIMIT_DRAFT, json.pointer.clone(), message!("the first joint with a limit"));
    }
    if is_last {
        find.report(&table::LIMIT_ON_LAST_JOINT, json.pointer.clone(), message!("a limit on the last joint"));
    }
    find.check_spec_version(&json, &KNOWN_VERSIONS);
    let Some(limit) = find.check_object(&json, "limit") else {
        if json.get("limit").is_none() {
            find.report_missing(&table::LIMIT_KIND, &json, "limit");
        }
        return;
    };
    let there = LIMIT_KINDS.iter().filter(|kind| limit.get(kind).is_some()).count();
    if there != 1 {
        let message = message!("{there} kinds of {limit_kinds}", there, limit_kinds = LIMIT_KINDS.join(", "));
        find.report(&table::LIMIT_KIND, limit.pointer.clone(), message);
    }
    for kind in LIMIT_KINDS {
        if let Some(json) = find.check_object(&limit, kind) {
            check_kind(&json, kind, find);
        }
    }
}

fn check_kind(json: &JsonObject<'_>, kind: &str, find: &RuleChecker<'_>) {
    for (key, most) in angle_fields(kind) {
        if json.get(key).is_none() {
            find.report_missing(&table::REQUIRED_MISSING, json, key);
        }
        match find.check_number(json, key) {
            Some(angle) if angle < 0.0 => {
                let message = message!("{angle}; 0 or more was expected", angle);
                find.report(&table::LIMIT_ANGLE_NEGATIVE, json.pointer_to(key), message);
            }
            Some(angle) if angle > most + LENGTH_TOLERANCE => {
                let message = message!("{angle}; 0 to {most} was expected", angle, most = format_args!("{most:.4}"));
                find.report(&table::LIMIT_ANGLE_RANGE, json.pointer_to(key), message);
            }
            _ => {}
        }
    }
    if let Some(rotation) = find.check_vector::<4>(json, "rotation") {
        let length = length(&rotation);
        if (length - 1.0).abs() > f64::from(LENGTH_TOLERANCE) {
            let message = message!(
                "the rotation quaternion is not normalized: its length is {length} instead of 1",
                length = format_args!("{length:.4}")
            );
            find.report(&table::LIMIT_ROTATION, json.pointer_to("rotation"), message);
        }
    }
}

/// Reports only one diagnostic for the whole file, because nearly every exporter writes these values.
fn check_last_joints(springs: &[CheckedSpring<'_>], find: &RuleChecker<'_>) {
    let mut first = None;
    let mut count = 0;
    for spring in springs {
        let Some((last, _)) = spring.joints.last() else { continue };
        let differs = |(key, default): &&(&str, &[f64])| differs_from_default(last, key, default);
        let set: Vec<_> = LAST_JOINT_DEFAULTS.iter().filter(differs).map(|(key, _)| *key).collect();
        if !set.is_empty() {
            count += 1;
            first.get_or_insert_with(|| (last.pointer.clone(), set.join(", ")));
        }
    }
    if let Some((pointer, keys)) = first {
        let message = if count > 1 {
            message!("the last joint sets {keys}; {count} springs in total set unused values", keys, count)
        } else {
            message!("the last joint sets {keys}", keys)
        };
        find.report(&table::LAST_JOINT_UNUSED, pointer, message);
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

/// Returns, for each node, the first spring that has the node as a joint.
fn find_owners(springs: &[CheckedSpring<'_>], find: &RuleChecker<'_>) -> SpringOfNode {
    let mut owners: SpringOfNode = vec![None; find.node_count];
    for (index, spring) in springs.iter().enumerate() {
        let mut above: Option<usize> = None;
        for (json, node) in &spring.joints {
            let pointer = || json.pointer_to("node");
            match owners[*node] {
                Some(owner) if owner == index => {
                    let message =
                        message!("node {node} is a joint of this spring already", node = find.node_label(*node));
                    find.report(&table::JOINT_REPEATED, pointer(), message);
                    continue;
                }
                Some(owner) => {
                    let other = &springs[owner].json.pointer;
                    let message =
                        message!("node {node} is also a joint of {other}", node = find.node_label(*node), other);
                    find.report(&table::NODE_IN_TWO_SPRINGS, pointer(), message);
                }
                None => owners[*node] = Some(index),
            }
            if let Some(above) = above.filter(|above| !find.is_descendant(*above, *node)) {
                let message = message!(
                    "node {node} is not a descendant of node {above}, the joint before it",
                    node = find.node_label(*node),
                    above = find.node_label(above)
                );
                find.report(&table::JOINT_NOT_BELOW, pointer(), message);
            }
            above = Some(*node);
        }
    }
    owners
}

/// Reports skipped nodes. Nodes between two joints also belong to the spring.
fn check_skipped_nodes(springs: &[CheckedSpring<'_>], mut owners: SpringOfNode, find: &RuleChecker<'_>) {
    for (index, spring) in springs.iter().enumerate() {
        for pair in spring.joints.windows(2) {
            let [(_, head), (json, tail)] = pair else { continue };
            // Each tail is visited only once, which limits the time for hostile files that repeat a node.
            if owners[*tail] != Some(index) || !find.is_descendant(*head, *tail) {
                continue;
            }
            let between = || std::iter::successors(find.parent(*tail), |n| find.parent(*n)).take_while(|n| n != head);
            let count = between().count();
            if count > 0 {
                let message = message!(
                    "{count} nodes between {head} and {tail}",
                    count,
                    head = find.node_label(*head),
                    tail = find.node_label(*tail)
                );
                find.report(&table::JOINT_SKIPS_NODES, json.pointer_to("node"), message);
            }
            for node in between() {
                match owners[node] {
                    Some(owner) if owner != index => {
                        let other = &springs[owner].json.pointer;
                        let message = message!(
                            "node {node} is skipped here and belongs to {other}",
                            node = find.node_label(node),
                            other
                        );
                        find.report(&table::SKIPPED_IN_TWO_SPRINGS, json.pointer_to("node"), message);
                    }
                    _ => owners[node] = Some(index),
                }
            }
        }
    }
}

fn check_centers(springs: &[CheckedSpring<'_>], owners: &SpringOfNode, find: &RuleChecker<'_>) {
    // Indexed by node: the spring of the node, or else of its nearest ancestor that is a joint.
    let mut nearest: SpringOfNode = vec![None; find.node_count];
    for &node in find.parents_first() {
        nearest[node] = owners[node].or_else(|| find.parent(node).and_then(|parent| nearest[parent]));
    }
    for (index, spring) in springs.iter().enumerate() {
        let (Some(center), Some((_, first))) = (spring.center, spring.joints.first()) else { continue };
        let pointer = || spring.json.pointer_to("center");
        if center != *first && !find.is_descendant(center, *first) {
            let message = message!(
                "node {center} is neither the first joint {first} nor an ancestor of it",
                center = find.node_label(center),
                first = find.node_label(*first)
            );
            find.report(&table::CENTER_NOT_ABOVE, pointer(), message);
        }
        let from = if owners[center] == Some(index) { find.parent(center) } else { Some(center) };
        if let Some(owner) = from.and_then(|node| nearest[node]).filter(|owner| *owner != index) {
            let other = &springs[owner].json.pointer;
            let message = message!("node {center} is moved by {other}", center = find.node_label(center), other);
            find.report(&table::CENTER_IN_SPRING, pointer(), message);
        }
    }
}
