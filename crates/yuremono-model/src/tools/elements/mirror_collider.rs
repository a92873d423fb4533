use super::placement::{node_rest_frame, rest_world_pose};
use super::{ElementId, node_name, unique_name};
use crate::document::{Chain, Collider, ColliderId, Document, Edit, Helper, HelperId, Node};
use crate::document::{names::BodySide, names::split_side};
use crate::tools::mirror::{mirror_point, mirror_rotation};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Skeleton, WorldPose};

/// Maximum distance between a bone and the mirror image of its partner, in metres.
const MAX_PARTNER_DISTANCE: f32 = 0.02;

/// Mirrors a collider across X = 0 in the rest pose: position, bone, name and joints. A collider that already has the
/// mirrored name is updated. Returns `None` for other elements, and for a collider that is its own mirror image.
pub fn mirror_collider(document: &Document, skeleton: &Skeleton, part: ElementId) -> Option<(Edit, ElementId)> {
    let ElementId::Collider(id) = part else { return None };
    let collider = document.colliders.get(&id)?;
    let (_, helper) = part.helper(document)?;
    let rest = rest_world_pose(skeleton);
    let Node::Bone(bone) = helper.parent else { return None };
    let to = mirror_bone(skeleton, &rest, bone).unwrap_or(bone);
    let frame = node_rest_frame(document, &rest, collider.node)?;
    let on_axis = frame.position.x.abs() < 1e-4;
    if to == bone && on_axis {
        return None;
    }
    let parent = rest.frames.get(to.index())?;
    let local = Trs {
        translation: parent.inverse_transform_point(mirror_point(frame.position)),
        rotation: (parent.rotation.inverse() * mirror_rotation(frame.rotation)).normalize(),
        ..helper.local
    };
    let wanted =
        mirrored_collider_name(&collider.name, node_name(document, skeleton, helper.parent), skeleton.name(to));
    let there =
        document.colliders.iter().find(|(other, c)| **other != id && c.name == wanted && wanted != collider.name);
    let mut edits = Vec::new();
    let there = there.and_then(|(other, c)| Some((*other, c, collider_helper(c)?)));
    let (other, fresh) = if let Some((other, old, helper_id)) = there {
        let moved = Helper { parent: Node::Bone(to), local, ..document.helpers.get(&helper_id)?.clone() };
        edits.push(Edit::PutHelper { id: helper_id, helper: Some(moved) });
        let shaped = Collider { shape: collider.shape, enabled: collider.enabled, ..old.clone() };
        edits.push(Edit::PutCollider { id: other, collider: Some(shaped) });
        (other, false)
    } else {
        let (helper_id, other) = (document.next_helper_id(), document.next_collider_id());
        let name = unique_name(document, skeleton, &wanted, None);
        let made = Helper { name: name.clone(), parent: Node::Bone(to), local, role: helper.role };
        edits.push(Edit::PutHelper { id: helper_id, helper: Some(made) });
        let copy = Collider { name, node: Node::Helper(helper_id), ..collider.clone() };
        edits.push(Edit::PutCollider { id: other, collider: Some(copy) });
        (other, true)
    };
    if fresh {
        assign_to_mirror_joints(document, skeleton, &rest, id, other, &mut edits);
    }
    Some((Edit::Batch(edits), ElementId::Collider(other)))
}

fn collider_helper(collider: &Collider) -> Option<HelperId> {
    match collider.node {
        Node::Helper(id) => Some(id),
        Node::Bone(_) => None,
    }
}

/// Assigns `to` to the mirror images of the joints that use `from`. Joints in the middle get both colliders.
fn assign_to_mirror_joints(
    document: &Document,
    skeleton: &Skeleton,
    rest: &WorldPose,
    from: ColliderId,
    to: ColliderId,
    edits: &mut Vec<Edit>,
) {
    let pushed: Vec<BoneId> = super::affected_joints(document, ElementId::Collider(from));
    let partners: Vec<BoneId> = pushed.into_iter().map(|b| mirror_bone(skeleton, rest, b).unwrap_or(b)).collect();
    edits.extend(document.edit_elements(|_, chain: &mut Chain| {
        chain.joints.iter_mut().filter(|j| partners.contains(&j.bone)).for_each(|j| j.colliders.push(to));
    }));
}

/// Returns the bone on the other side. Side words in names take precedence over rest positions.
pub(super) fn mirror_bone(skeleton: &Skeleton, rest: &WorldPose, bone: BoneId) -> Option<BoneId> {
    let (stem, side) = split_side(skeleton.name(bone));
    if let Some(side) = side {
        let wanted = if side == BodySide::Left { BodySide::Right } else { BodySide::Left };
        let fits = |b: &BoneId| split_side(skeleton.name(*b)) == (stem.clone(), Some(wanted));
        if let Some(found) = skeleton.ids().find(fits) {
            return Some(found);
        }
    }
    let place = mirror_point(rest.frames.get(bone.index())?.position);
    if place.x.abs() < MAX_PARTNER_DISTANCE {
        return None;
    }
    let distance = |b: &BoneId| rest.frame(*b).position.distance(place);
    let depth = skeleton.depth(bone);
    let near =
        skeleton.ids().filter(|b| *b != bone && distance(b) < MAX_PARTNER_DISTANCE && skeleton.depth(*b) == depth);
    near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Replaces the bone's name at the start of the collider's name. Without this prefix, swaps the side word.
fn mirrored_collider_name(name: &str, bone: &str, other: &str) -> String {
    match name.strip_prefix(bone) {
        Some(rest) if !bone.is_empty() && bone != other => format!("{other}{rest}"),
        _ => swap_side_word(name),
    }
}

/// Swaps the first side word of a name.
fn swap_side_word(name: &str) -> String {
    for (a, b) in [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT"), ("左", "右")] {
        let (at_a, at_b) = (name.find(a), name.find(b));
        let found = match (at_a, at_b) {
            (Some(x), Some(y)) if y < x => Some((b, a)),
            (Some(_), _) => Some((a, b)),
            (None, Some(_)) => Some((b, a)),
            (None, None) => None,
        };
        if let Some((from, to)) = found {
            return name.replacen(from, to, 1);
        }
    }
    let mut out = String::with_capacity(name.len());
    let mut done = false;
    for piece in name.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let swapped = match word {
            "L" => "R",
            "R" => "L",
            "l" => "r",
            "r" => "l",
            _ => word,
        };
        let swapped = if done { word } else { swapped };
        done |= swapped != word;
        out.push_str(swapped);
        out.push_str(&piece[word.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_side_word_of_a_name_is_swapped() {
        for (name, other) in [
            ("Leg_L_ball", "Leg_R_ball"),
            ("ball.r", "ball.l"),
            ("LeftLeft", "RightLeft"),
            ("右腕", "左腕"),
            ("Lamp", "Lamp"),
            ("", ""),
        ] {
            assert_eq!(swap_side_word(name), other);
        }
        assert_eq!(
            mirrored_collider_name("UpperLeg_LCapsuleCollider", "UpperLeg_L", "UpperLeg_R"),
            "UpperLeg_RCapsuleCollider"
        );
        assert_eq!(mirrored_collider_name("ball_L", "Hips", "Hips"), "ball_R");
    }
}
