//! `VRMC_springBone`: groups, springs and joints, who moves which node, and where inertia is measured.

use super::find::{Find, Tree};
use super::{gravity_direction, joint_numbers, limits, shapes, table};
use crate::format::gltf_json::json::Json;

pub(super) const SPRINGS: &str = "VRMC_springBone";

/// A spring as far as rules between springs need it.
struct Spring<'j> {
    json: Json<'j>,
    /// Joints with nodes that exist.
    joints: Vec<(Json<'j>, usize)>,
    center: Option<usize>,
}

pub(super) fn check(root: &Json<'_>, json: &Json<'_>, tree: &Tree<'_>, find: &Find<'_>) {
    find.version(json, &["1.0"]);
    for key in ["colliders", "colliderGroups", "springs"] {
        not_empty(json, key, find);
    }
    let colliders = shapes::check(root, json, tree, find);
    let groups = find.objects(json, "colliderGroups");
    for group in groups.iter().flatten() {
        find.text(group, "name");
        required_list(group, "colliders", find);
        find.indices(group, "colliders", colliders, &table::COLLIDER_RANGE, &table::INDEX_REPEATED);
    }
    let springs = find.objects(json, "springs");
    let mut limits = 0;
    let read = |spring| read(spring, groups.len(), tree, find, root, &mut limits);
    let springs: Vec<_> = springs.into_iter().flatten().map(read).collect();
    last_joints(&springs, find);
    if tree.is_sound() {
        let owners = owners(&springs, tree, find);
        skipped(&springs, owners.clone(), tree, find);
        centers(&springs, &owners, tree, find);
    }
}

fn not_empty(json: &Json<'_>, key: &str, find: &Find<'_>) {
    if json.get(key).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty) {
        find.say(&table::LIST_EMPTY, json.pointer_to(key), "the list is empty");
    }
}

fn required_list(json: &Json<'_>, key: &str, find: &Find<'_>) {
    not_empty(json, key, find);
    if json.get(key).is_none() {
        find.say(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
    }
}

fn read<'j>(
    json: Json<'j>,
    groups: usize,
    tree: &Tree<'_>,
    find: &Find<'_>,
    root: &Json<'_>,
    limits: &mut usize,
) -> Spring<'j> {
    find.text(&json, "name");
    required_list(&json, "joints", find);
    not_empty(&json, "colliderGroups", find);
    find.indices(&json, "colliderGroups", groups, &table::GROUP_RANGE, &table::INDEX_REPEATED);
    let center = find.index(&json, "center", tree.count, &table::NODE_RANGE);
    limits::misplaced(&json, find);
    let list = find.objects(&json, "joints");
    let count = list.len();
    if count == 1 {
        find.say(&table::SINGLE_JOINT, json.pointer_to("joints"), "one joint moves nothing");
    }
    let mut joints = Vec::with_capacity(count);
    for (place, joint) in list.into_iter().enumerate() {
        let Some(joint) = joint else { continue };
        joint_numbers(&joint, "stiffness", find);
        if let Some(direction) = find.vector(&joint, "gravityDir") {
            gravity_direction(&joint, direction, find);
        }
        if joint.get("stiffiness").is_some() {
            let message = "\"stiffiness\" where \"stiffness\" was expected";
            find.say(&table::STIFFINESS_IN_V1, joint.pointer_to("stiffiness"), message);
        }
        limits::check(&joint, place + 1 == count, root, limits, find);
        let node = find.required_index(&joint, "node", tree.count, &table::NODE_RANGE);
        joints.extend(node.map(|node| (joint, node)));
    }
    Spring { json, joints, center }
}

/// One word for the whole file: nearly every exporter writes them.
fn last_joints(springs: &[Spring<'_>], find: &Find<'_>) {
    let mut first = None;
    let mut count = 0;
    for spring in springs {
        let Some((last, _)) = spring.joints.last() else { continue };
        let set: Vec<_> = UNUSED.iter().filter(|(key, default)| differs(last, key, default)).map(|(k, _)| *k).collect();
        if !set.is_empty() {
            count += 1;
            first.get_or_insert_with(|| (last.pointer.clone(), set.join(", ")));
        }
    }
    if let Some((pointer, keys)) = first {
        let more = if count > 1 { format!("; {count} springs in all have such numbers") } else { String::new() };
        find.say(&table::LAST_JOINT_UNUSED, pointer, format!("the last joint sets {keys}{more}"));
    }
}

const UNUSED: &[(&str, &[f64])] = &[
    ("hitRadius", &[0.0]),
    ("stiffness", &[1.0]),
    ("gravityPower", &[0.0]),
    ("gravityDir", &[0.0, -1.0, 0.0]),
    ("dragForce", &[0.5]),
];

fn differs(joint: &Json<'_>, key: &str, default: &[f64]) -> bool {
    let Some(value) = joint.get(key) else { return false };
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let numbers: Vec<_> = list.iter().filter_map(serde_json::Value::as_f64).collect();
    numbers != default
}

type Owners = Vec<Option<usize>>;

/// By node, the first spring that names it as a joint.
fn owners(springs: &[Spring<'_>], tree: &Tree<'_>, find: &Find<'_>) -> Owners {
    let mut owners: Owners = vec![None; tree.count];
    for (index, spring) in springs.iter().enumerate() {
        let mut above: Option<usize> = None;
        for (json, node) in &spring.joints {
            let pointer = || json.pointer_to("node");
            match owners[*node] {
                Some(owner) if owner == index => {
                    let message = format!("node {} is a joint of this spring already", tree.name(*node));
                    find.say(&table::JOINT_REPEATED, pointer(), message);
                    continue;
                }
                Some(owner) => {
                    let other = &springs[owner].json.pointer;
                    let message = format!("node {} is also a joint of {other}", tree.name(*node));
                    find.say(&table::NODE_IN_TWO_SPRINGS, pointer(), message);
                }
                None => owners[*node] = Some(index),
            }
            if let Some(above) = above.filter(|above| !tree.is_below(*above, *node)) {
                let message =
                    format!("node {} does not lie below node {}, the joint before", tree.name(*node), tree.name(above));
                find.say(&table::JOINT_NOT_BELOW, pointer(), message);
            }
            above = Some(*node);
        }
    }
    owners
}

/// Nodes between two joints belong to the spring as well.
fn skipped(springs: &[Spring<'_>], mut owners: Owners, tree: &Tree<'_>, find: &Find<'_>) {
    for (index, spring) in springs.iter().enumerate() {
        for pair in spring.joints.windows(2) {
            let [(_, head), (json, tail)] = pair else { continue };
            // Each node is walked up from once, however often a hostile file names it.
            if owners[*tail] != Some(index) || !tree.is_below(*head, *tail) {
                continue;
            }
            let between = || std::iter::successors(tree.parent(*tail), |n| tree.parent(*n)).take_while(|n| n != head);
            let count = between().count();
            if count > 0 {
                let message = format!("{count} nodes between {} and {}", tree.name(*head), tree.name(*tail));
                find.say(&table::JOINT_SKIPS, json.pointer_to("node"), message);
            }
            for node in between() {
                match owners[node] {
                    Some(owner) if owner != index => {
                        let other = &springs[owner].json.pointer;
                        let message = format!("node {} is skipped here and belongs to {other}", tree.name(node));
                        find.say(&table::SKIPPED_IN_TWO_SPRINGS, json.pointer_to("node"), message);
                    }
                    _ => owners[node] = Some(index),
                }
            }
        }
    }
}

fn centers(springs: &[Spring<'_>], owners: &Owners, tree: &Tree<'_>, find: &Find<'_>) {
    // By node: the spring of the nearest joint at or above it.
    let mut nearest: Owners = vec![None; tree.count];
    for &node in tree.order() {
        nearest[node] = owners[node].or_else(|| tree.parent(node).and_then(|parent| nearest[parent]));
    }
    for (index, spring) in springs.iter().enumerate() {
        let (Some(center), Some((_, first))) = (spring.center, spring.joints.first()) else { continue };
        let pointer = || spring.json.pointer_to("center");
        if center != *first && !tree.is_below(center, *first) {
            let message =
                format!("node {} is neither the first joint {} nor above it", tree.name(center), tree.name(*first));
            find.say(&table::CENTER_NOT_ABOVE, pointer(), message);
        }
        let from = if owners[center] == Some(index) { tree.parent(center) } else { Some(center) };
        if let Some(owner) = from.and_then(|node| nearest[node]).filter(|owner| *owner != index) {
            let other = &springs[owner].json.pointer;
            let message = format!("node {} is moved by {other}", tree.name(center));
            find.say(&table::CENTER_IN_SPRING, pointer(), message);
        }
    }
}
