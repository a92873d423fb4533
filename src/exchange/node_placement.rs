//! Where the nodes of a file are on a character.

use super::name_resolver::NameResolver;
use crate::document::{ByName, Collider, Document, Helper, HelperId, HelperRole, Node, NodeRef};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use glam::{Quat, Vec3};

/// Whether two rotations differ by more than 0.01°, which is what angles as text may blur.
pub(super) fn rotations_differ(a: Quat, b: Quat) -> bool {
    // The chord: the cosine of so small an angle is 1 in f32.
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a - b).length() > 0.5 * 0.01_f32.to_radians()
}

/// Whether two transforms are equal, up to what angles as text may blur.
pub(super) fn is_same_transform(a: &Trs, b: &Trs) -> bool {
    a.translation == b.translation && a.scale == b.scale && !rotations_differ(a.rotation, b.rotation)
}

/// Whether two transforms are equal, up to the rounding of products of transforms.
pub(super) fn is_nearly_same_transform(a: &Trs, b: &Trs) -> bool {
    let is_near = |a: Vec3, b: Vec3| a.distance(b) <= 1e-5 * (1.0 + a.length());
    is_near(a.translation, b.translation) && is_near(a.scale, b.scale) && !rotations_differ(a.rotation, b.rotation)
}

/// The parent that a CSV names for a helper, and the transform below that parent. A CSV knows bones and bare nodes; any
/// other helper above is skipped.
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

/// The same of a node that a file describes with the nodes above it; the parent by name.
pub(super) fn flatten_description(helper: &Helper<ByName>) -> (&str, Trs) {
    let (mut parent, mut local) = (&helper.parent, helper.local);
    while let NodeRef::Inline(above) = parent {
        local = Trs::from_matrix((above.local.to_affine() * local.to_affine()).into());
        parent = &above.parent;
    }
    (parent.name(), local)
}

/// The parent that a CSV names for a collider, and the transform below that parent; `None` for a collider that is not on
/// the character.
pub(super) fn collider_transform(document: &Document, skeleton: &Skeleton, collider: &Collider) -> Option<(Node, Trs)> {
    let bone = match collider.node {
        Node::Helper(id) => return Some(flatten_helper(document, document.helpers.get(&id)?)),
        Node::Bone(bone) => bone,
    };
    if bone.index() >= skeleton.len() {
        return None;
    }
    // A bone that has the collider's name is the node of the row, as in UnityChan's importer.
    match skeleton.get_parent(bone).filter(|_| skeleton.name(bone) == collider.name) {
        Some(parent) => Some((Node::Bone(parent), skeleton.bone(bone).rest)),
        None => Some((collider.node, Trs::IDENTITY)),
    }
}

/// The node that a row describes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Placement {
    /// A bone of the character that is where the row says.
    Bone(BoneId),
    /// A helper: the id of the one that is here already, and what it becomes.
    Helper(Option<HelperId>, Helper),
}

impl Placement {
    /// The helper directly below its parent that has its name, or the bone below the parent that has it, or else a new
    /// helper.
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
            // Differs from UnityChanSpringBone: its importer moves a bone that has the name of a row. Here bones stay: in
            // the rest pose, a helper on the bone is where the bone would have been moved to.
            let local = Trs::from_matrix((rest.to_affine().inverse() * local.to_affine()).into());
            let (name, parent) = (format!("{name}_Moved"), Node::Bone(bone));
            return Self::Helper(Self::find_existing(names, &name, parent), Helper { name, parent, local, role });
        }
        Self::Helper(None, Helper { name, parent, local, role })
    }

    /// The helper of exactly that name directly below a node.
    pub(super) fn find_existing(names: &NameResolver<'_>, name: &str, parent: Node) -> Option<HelperId> {
        names.child_helpers(parent).find(|id| names.document().helpers[id].name == name)
    }

    /// Whether UnityChan's importer would move a bone to where the row says; a helper on the bone is there instead.
    /// `parent` is that of the row.
    pub(super) fn would_move_bone(&self, parent: Node) -> bool {
        matches!(self, Self::Helper(_, helper) if helper.parent != parent)
    }

    /// The node, after the helper was made or moved.
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

/// A new helper takes the place of one that is there, unless it would become its own ancestor.
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
