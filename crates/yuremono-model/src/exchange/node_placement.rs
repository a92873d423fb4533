//! Finds the place of a file's nodes on a character.

use super::name_resolver::NameResolver;
use crate::document::{ByName, Collider, Document, Helper, HelperId, HelperRole, Node, NodeRef};
use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Skeleton};

/// Whether two rotations differ by more than 0.01°, the precision of angles as text.
pub(super) fn rotations_differ(a: Quat, b: Quat) -> bool {
    // The chord is compared, because the cosine of such a small angle is 1 in f32.
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a - b).length() > 0.5 * 0.01_f32.to_radians()
}

/// Whether two transforms are equal, up to the precision of angles as text.
pub(super) fn is_same_transform(a: &Trs, b: &Trs) -> bool {
    a.translation == b.translation && a.scale == b.scale && !rotations_differ(a.rotation, b.rotation)
}

/// Whether two transforms are equal, up to the rounding of products.
pub(super) fn is_nearly_same_transform(a: &Trs, b: &Trs) -> bool {
    let is_near = |a: Vec3, b: Vec3| a.distance(b) <= 1e-5 * (1.0 + a.length());
    is_near(a.translation, b.translation) && is_near(a.scale, b.scale) && !rotations_differ(a.rotation, b.rotation)
}

/// The parent that a CSV stores for a helper, and the transform relative to that parent. Parents in a CSV are bones or
/// nulls, so other helpers are skipped.
pub(super) fn flatten_helper(document: &Document, helper: &Helper) -> (Node, Trs) {
    let (mut parent, mut local) = (helper.parent, helper.local);
    for _ in 0..document.helpers.len() {
        let Node::Helper(id) = parent else { break };
        match document.helpers.get(&id) {
            Some(above) if above.role != HelperRole::Null => {
                local = Trs::from_matrix((above.local.to_affine() * local.to_affine()).into());
                parent = above.parent;
            }
            _ => break,
        }
    }
    (parent, local)
}

/// Like [`flatten_helper`], for a node that a file describes inline. Returns the name of the parent.
pub(super) fn flatten_description(helper: &Helper<ByName>) -> (&str, Trs) {
    let (mut parent, mut local) = (&helper.parent, helper.local);
    while let NodeRef::Inline(above) = parent {
        local = Trs::from_matrix((above.local.to_affine() * local.to_affine()).into());
        parent = &above.parent;
    }
    (parent.name(), local)
}

/// The parent that a CSV stores for a collider, and the transform relative to that parent. Returns `None` if the node
/// does not exist.
pub(super) fn collider_transform(document: &Document, skeleton: &Skeleton, collider: &Collider) -> Option<(Node, Trs)> {
    let bone = match collider.node {
        Node::Helper(id) => return Some(flatten_helper(document, document.helpers.get(&id)?)),
        Node::Bone(bone) => bone,
    };
    if bone.index() >= skeleton.len() {
        return None;
    }
    // A bone with the collider's name is the node of the row, as in Unity's importer.
    match skeleton.get_parent(bone).filter(|_| skeleton.name(bone) == collider.name) {
        Some(parent) => Some((Node::Bone(parent), skeleton.bone(bone).rest)),
        None => Some((collider.node, Trs::IDENTITY)),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Placement {
    /// An existing bone at the described place.
    Bone(BoneId),
    /// A helper. The id is set if the helper already exists.
    Helper(Option<HelperId>, Helper),
}

impl Placement {
    /// Returns an existing helper with the name and parent, or else an existing bone, or else a new helper.
    pub(super) fn resolve(names: &NameResolver<'_>, described: Helper) -> Self {
        let (document, skeleton) = (names.document(), names.skeleton());
        let Helper { name, parent, local, role } = described;
        if let Some(found) = Self::find_existing(names, &name, parent) {
            let old = &document.helpers[&found];
            let local = if is_same_transform(&old.local, &local) { old.local } else { local };
            let role = if role == HelperRole::Plain { old.role } else { role };
            return Self::Helper(Some(found), Helper { local, role, ..old.clone() });
        }
        if let Node::Bone(above) = parent
            && let Some(bone) = skeleton.children(above).iter().copied().find(|bone| skeleton.name(*bone) == name)
        {
            let rest = &skeleton.bone(bone).rest;
            let near = rest.translation.distance(local.translation) < 1e-5 && rest.scale.distance(local.scale) < 1e-5;
            if near && !rotations_differ(rest.rotation, local.rotation) {
                return Self::Bone(bone);
            }
            // Differs from UnityChanSpringBone, whose importer moves a bone with the name of a row. Yuremono leaves
            // bones unchanged. In the rest pose, a helper on the bone is at the place to which Unity would move the
            // bone.
            let local = Trs::from_matrix((rest.to_affine().inverse() * local.to_affine()).into());
            let (name, parent) = (format!("{name}_Moved"), Node::Bone(bone));
            return Self::Helper(Self::find_existing(names, &name, parent), Helper { name, parent, local, role });
        }
        Self::Helper(None, Helper { name, parent, local, role })
    }

    pub(super) fn find_existing(names: &NameResolver<'_>, name: &str, parent: Node) -> Option<HelperId> {
        names.child_helpers(parent).find(|id| names.document().helpers[id].name == name)
    }

    /// Whether Unity's importer would move a bone. In that case, the placement is a helper that is a child of the bone.
    /// `parent` is the parent of the row.
    pub(super) fn would_move_bone(&self, parent: Node) -> bool {
        matches!(self, Self::Helper(_, helper) if helper.parent != parent)
    }

    pub(super) fn apply(self, document: &mut Document) -> Node {
        match self {
            Self::Bone(bone) => Node::Bone(bone),
            Self::Helper(id, helper) => {
                let id = id.unwrap_or_else(|| document.next_helper_id());
                document.helpers.insert(id, helper);
                Node::Helper(id)
            }
        }
    }
}

/// Gives a new helper the id of an existing helper, unless the helper would become its own ancestor.
pub(super) fn reuse_helper_id(placement: Placement, id: HelperId, base: &Document) -> Placement {
    match placement {
        Placement::Helper(None, helper) if !is_descendant(base, helper.parent, id) => {
            Placement::Helper(Some(id), helper)
        }
        other => other,
    }
}

fn is_descendant(document: &Document, node: Node, id: HelperId) -> bool {
    let above = |node: &Node| match node {
        Node::Helper(id) => document.helpers.get(id).map(|helper| helper.parent),
        Node::Bone(_) => None,
    };
    std::iter::successors(Some(node), above).take(document.helpers.len() + 1).any(|node| node == Node::Helper(id))
}

/// Whether `local`, relative to `parent`, is the transform that a file describes.
pub(super) fn is_at_described_place(
    names: &NameResolver<'_>,
    parent: Node,
    local: &Trs,
    described: &Helper<ByName>,
) -> bool {
    names.can_refer_to(described.parent.name(), parent) && is_same_transform(local, &described.local)
}
