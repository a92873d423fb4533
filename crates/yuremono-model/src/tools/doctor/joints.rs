//! Findings about single joints: lengths, radii, limits, contacts at rest, and values without a reader.

use super::{Examination, ExaminedJoint, ExaminedSetup, Finding, FindingKind, MIN_LENGTH, name_list};
use crate::document::pivot::align_pivots;
use crate::document::{Collider, ColliderId, Edit};
use crate::tools::body::hit_radius_param;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;

/// Share of the bone's length from which a hit radius is near the length.
const NEAR_LENGTH: f32 = 0.9;
/// Share of the bone's length that a fixed hit radius has.
const FIXED_RADIUS: f32 = 0.5;
/// Smallest depth of a tip in a collider that counts, in metres. The push of a smaller depth is not visible.
const MIN_DEPTH: f32 = 2e-3;
/// Smallest share of a hit radius that a fix leaves.
const LEAST_RADIUS: f32 = 0.3;
/// Smallest share of a collider's radius that a fix leaves. A smaller collider would no longer cover the body.
const LEAST_COLLIDER_RADIUS: f32 = 0.75;
/// A fixed hit radius ends this far from the surface of the collider, in metres.
const CLEARANCE: f32 = 1e-4;

pub(super) fn zero_lengths(examination: &Examination<'_>) -> Vec<Finding> {
    let has_no_length = |joint: &ExaminedJoint<'_>| {
        let lengths = examination.resolved.joint_lengths.get(&joint.chain);
        let length = lengths.and_then(|lengths| lengths.get(joint.place));
        !joint.is_leaf() && length.is_some_and(|length| *length < MIN_LENGTH)
    };
    let bones: Vec<BoneId> = examination.joints().filter(has_no_length).map(|joint| joint.bone()).collect();
    if bones.is_empty() {
        return Vec::new();
    }
    let message = message!(
        "{joints}: the bone has no length, so it has no direction in which to swing. Turn the joint off, or choose another tip",
        joints = examination.bone_names(&bones)
    );
    let fix = examination.edit_joints(&bones, |joint| joint.enabled = false);
    vec![Finding::new(FindingKind::ZeroLength, message, bones).with_fix(fix)]
}

/// A leaf for which the solver has no tip is not moved, so its own values have no effect.
pub(super) fn unread_values(examination: &Examination<'_>) -> Vec<Finding> {
    let is_unread = |joint: &ExaminedJoint<'_>| {
        if !joint.is_leaf() || joint.length > 0.0 || joint.is_rigid_body() {
            return false;
        }
        let chain = examination.chain(joint);
        let position = examination.resolved.curve_positions[&joint.chain][joint.place];
        let before = joint.place.checked_sub(1).map(|place| &chain.joints[place]);
        chain.joints[joint.place].overrides.iter().any(|(param, value)| {
            let is_copy = before.is_some_and(|before| before.overrides.get(param) == Some(value));
            !is_copy && *value != chain.value_at(*param, position)
        })
    };
    let bones: Vec<BoneId> = examination.joints().filter(is_unread).map(|joint| joint.bone()).collect();
    if bones.is_empty() {
        return Vec::new();
    }
    let message = message!(
        "{joints}: the last joint of a chain has no tip, so no solver reads its own values. Set the values of the joint before, or add a tip",
        joints = examination.bone_names(&bones)
    );
    let fix = examination.edit_joints(&bones, |joint| joint.overrides.clear());
    vec![Finding::new(FindingKind::UnreadValues, message, bones).with_fix(fix)]
}

pub(super) fn limits_without_pivots(examination: &Examination<'_>) -> Vec<Finding> {
    let lacks_pivot = |joint: &ExaminedJoint<'_>| {
        let info = joint.system.solver.info();
        joint.setup.pivot.is_none() && info.has_active_pivot_limit(|param| joint.setup.values.get(param))
    };
    let bones: Vec<BoneId> = examination.joints().filter(lacks_pivot).map(|joint| joint.bone()).collect();
    if bones.is_empty() {
        return Vec::new();
    }
    let message = message!(
        "{joints}: an angle limit is on, but there is no pivot to measure it from. Create the pivots",
        joints = examination.bone_names(&bones)
    );
    let fix = align_pivots(examination.document, examination.skeleton(), &bones);
    vec![Finding::new(FindingKind::LimitWithoutPivot, message, bones).with_fix(Some(fix))]
}

pub(super) fn radii_near_lengths(examination: &Examination<'_>) -> Vec<Finding> {
    let mut found: Vec<(f32, ExaminedJoint<'_>, ParamId)> = Vec::new();
    let collides = |joint: &ExaminedJoint<'_>| {
        joint.length > MIN_LENGTH && !joint.setup.colliders.is_empty() && !joint.is_rigid_body()
    };
    for joint in examination.joints().filter(collides) {
        let Some(param) = hit_radius_param(examination.document, examination.chain(&joint)) else { continue };
        // A solver may scale the radius with the bone.
        let share = examination.world.contact_radius(joint.index).unwrap_or(0.0) / joint.length;
        if share >= NEAR_LENGTH {
            found.push((share, joint, param));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((share, ..)) = found.first() else { return Vec::new() };
    let bones: Vec<BoneId> = found.iter().map(|(_, joint, _)| joint.bone()).collect();
    let message = message!(
        "{joints}: the hit radius is up to {percent} % of the bone's length, so a collider near the head pushes without an \
         end and the joint shakes. Use at most half of the length",
        joints = examination.bone_names(&bones),
        percent = format!("{:.0}", 100.0 * share)
    );
    let reduced = found
        .iter()
        .map(|(share, joint, param)| (*joint, *param, joint.setup.values.get(*param) * FIXED_RADIUS / share));
    let values: Vec<_> = reduced.collect();
    vec![Finding::new(FindingKind::RadiusNearLength, message, bones).with_fix(examination.set_values(&values))]
}

/// A contact of a tip in the rest pose.
type InsideContact<'a> = (f32, ExaminedJoint<'a>, ColliderId);

/// Returns the deepest contact of each joint and collider in the rest pose, the deepest of all first.
fn contacts_inside<'a>(examination: &Examination<'a>) -> Vec<InsideContact<'a>> {
    let ids: BTreeMap<u32, ColliderId> =
        examination.resolved.collider_indices.iter().map(|(id, at)| (*at, *id)).collect();
    let joints: BTreeMap<_, ExaminedJoint<'a>> = examination.joints().map(|joint| (joint.index, joint)).collect();
    let mut inside = Vec::new();
    for contact in examination.world.contacts().into_iter().filter(|contact| contact.depth > MIN_DEPTH) {
        let collider = contact.collider.and_then(|collider| ids.get(&collider));
        if let Some((joint, collider)) = joints.get(&contact.joint).zip(collider) {
            inside.push((contact.depth, *joint, *collider));
        }
    }
    inside.sort_by(|a: &InsideContact<'_>, b| b.0.total_cmp(&a.0));
    inside
}

/// Returns the joints and the colliders of contacts, each once.
fn joints_and_colliders(inside: &[InsideContact<'_>]) -> (Vec<BoneId>, Vec<ColliderId>) {
    let (mut bones, mut colliders) = (Vec::new(), Vec::new());
    for (_, joint, collider) in inside {
        if !bones.contains(&joint.bone()) {
            bones.push(joint.bone());
        }
        if !colliders.contains(collider) {
            colliders.push(*collider);
        }
    }
    (bones, colliders)
}

pub(super) fn tips_inside_colliders(examination: &Examination<'_>) -> Vec<Finding> {
    let inside = contacts_inside(examination);
    let Some((depth, ..)) = inside.first() else { return Vec::new() };
    let (bones, colliders) = joints_and_colliders(&inside);
    let names = colliders.iter().filter_map(|id| examination.document.colliders.get(id));
    let message = message!(
        "{joints}: up to {depth} mm past the surface of {colliders} in the rest pose, so the collider bends the rest pose. \
         Reduce the radius, or unassign the collider from these joints",
        joints = examination.bone_names(&bones),
        depth = format!("{:.0}", 1000.0 * depth),
        colliders = name_list(names.map(|collider| collider.name.clone()))
    );
    let fix = free_tips(examination, &inside);
    let message = add_remaining_tips(examination, message, bones.len(), fix.as_ref());
    vec![Finding::new(FindingKind::TipInsideCollider, message, bones).with_colliders(colliders).with_fix(fix)]
}

/// Adds to a message which of `all` tips stay inside after the fix, and why. The fixed setup is built to find out.
fn add_remaining_tips(
    examination: &Examination<'_>,
    message: MessageText,
    all: usize,
    fix: Option<&Edit>,
) -> MessageText {
    let mut after = examination.document.clone();
    // A fix that the document rejects changes nothing.
    _ = after.apply(fix.cloned().unwrap_or_default());
    let resolved = after.resolve(examination.skeleton());
    let fixed = Examination::new(ExaminedSetup {
        character: examination.character,
        document: &after,
        resolved: &resolved,
        frame_rate: examination.frame_rate,
    });
    let inside = contacts_inside(&fixed);
    if inside.is_empty() {
        return message;
    }
    let (bones, colliders) = joints_and_colliders(&inside);
    let names = colliders.iter().filter_map(|id| after.colliders.get(id)).map(|collider| collider.name.clone());
    let colliders = name_list(names);
    let mut groups: Vec<String> = Vec::new();
    for (_, joint, collider) in &inside {
        let of_chain = after.chains[&joint.chain].groups.iter().filter_map(|id| after.groups.get(id));
        for group in of_chain.filter(|group| group.colliders.contains(collider)) {
            if !groups.contains(&group.name) {
                groups.push(group.name.clone());
            }
        }
    }
    let freed = all - bones.len().min(all);
    let joints = fixed.bone_names(&bones);
    if groups.is_empty() {
        return message!(
            "{message}. The fix frees {freed} of {all} joints; {joints}: the tip stays inside {colliders}, because a \
             smaller radius is not enough. Move the collider",
            message,
            freed,
            all,
            joints,
            colliders
        );
    }
    message!(
        "{message}. The fix frees {freed} of {all} joints; {joints}: the tip stays inside {colliders}, because the chain \
         gets the collider from group {groups}. Unassign the group from the chain, or move the collider",
        message,
        freed,
        all,
        joints,
        colliders,
        groups = name_list(groups)
    )
}

/// Returns a hit radius that is smaller by a depth, in metres; `None` if too little of the radius would remain.
pub fn reduced_radius(radius: f32, depth: f32) -> Option<f32> {
    let reduced = radius - depth - CLEARANCE;
    (reduced >= LEAST_RADIUS * radius && reduced > 0.0).then_some(reduced)
}

/// Reduces the hit radius of joints that only touch a collider, and unassigns colliders that contain the tip itself. A
/// collider that a chain gets from a group cannot be unassigned from one joint; it is shrunk, if that takes little.
fn free_tips(examination: &Examination<'_>, inside: &[InsideContact<'_>]) -> Option<Edit> {
    let mut radii = Vec::new();
    let mut shrunk: BTreeMap<ColliderId, f32> = BTreeMap::new();
    let mut removed: BTreeSet<(BoneId, ColliderId)> = BTreeSet::new();
    let mut seen: BTreeSet<BoneId> = BTreeSet::new();
    for (depth, joint, collider) in inside {
        let chain = examination.chain(joint);
        let param = hit_radius_param(examination.document, chain);
        let radius = param.map_or(0.0, |param| joint.setup.values.get(param));
        if let Some((param, reduced)) = param.zip(reduced_radius(radius, *depth)) {
            // The deepest contact comes first, so its radius is the smallest.
            if seen.insert(joint.bone()) {
                radii.push((*joint, param, reduced));
            }
        } else if chain.joints[joint.place].colliders.contains(collider) {
            removed.insert((joint.bone(), *collider));
        } else {
            // The deepest contact comes first.
            shrunk.entry(*collider).or_insert(*depth + CLEARANCE);
        }
    }
    // An edit of a chain replaces the whole chain, so the values follow it.
    let bones: Vec<BoneId> = removed.iter().map(|(bone, _)| *bone).collect();
    let unassign = examination
        .edit_joints(&bones, |joint| joint.colliders.retain(|collider| !removed.contains(&(joint.bone, *collider))));
    let shrink = |(id, by): (&ColliderId, &f32)| {
        let shape = examination.document.colliders.get(id)?.shape;
        let radius = match shape {
            ColliderShape::Sphere { radius, inside: false } | ColliderShape::Capsule { radius, inside: false, .. } => {
                radius - by
            }
            _ => return None,
        };
        let is_small_change = radius >= LEAST_COLLIDER_RADIUS * shape.field(0);
        let smaller = |collider: &mut Collider| collider.shape = shape.with_field(0, radius);
        is_small_change.then(|| examination.document.edit_element(*id, smaller)).flatten()
    };
    let shrunk: Vec<Edit> = shrunk.iter().filter_map(shrink).collect();
    let edits: Vec<Edit> = shrunk.into_iter().chain(unassign).chain(examination.set_values(&radii)).collect();
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}
