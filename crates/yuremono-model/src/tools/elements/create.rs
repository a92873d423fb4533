use super::{ElementId, joint_with_moved_tip, node_name, unique_name};
use crate::document::{Collider, Document, Edit, Force, Helper, HelperId, HelperRole, Node, pivot};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{ColliderShape, ForceKind};

/// An element that can be created on a bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewElement {
    /// Sphere collider.
    Sphere,
    /// Capsule collider.
    Capsule,
    /// Panel collider.
    Panel,
    /// Sphere that keeps tips inside.
    InsideSphere,
    /// Capsule that keeps tips inside.
    InsideCapsule,
    /// Plane collider.
    Plane,
    /// Constant force.
    ForceVolume,
    /// Force with changing direction.
    Wind,
    /// Frame of angle limits.
    Pivot,
    /// Plain node.
    Null,
}

impl NewElement {
    /// All elements, in the order of menus.
    pub const ALL: [Self; 10] = [
        Self::Sphere,
        Self::Capsule,
        Self::Panel,
        Self::InsideSphere,
        Self::InsideCapsule,
        Self::Plane,
        Self::ForceVolume,
        Self::Wind,
        Self::Pivot,
        Self::Null,
    ];

    /// Returns the shape of a new collider. Returns `None` for other elements.
    pub const fn shape(self) -> Option<ColliderShape> {
        self.shape_and_suffix().0
    }

    /// Returns the shape of a collider, and the name suffix that UnityChanSpringBone's editor uses.
    const fn shape_and_suffix(self) -> (Option<ColliderShape>, &'static str) {
        match self {
            Self::Sphere => (Some(ColliderShape::SPHERE), "SphereCollider"),
            Self::Capsule => (Some(ColliderShape::CAPSULE), "CapsuleCollider"),
            Self::Panel => (Some(ColliderShape::PANEL), "PanelCollider"),
            Self::InsideSphere => (Some(ColliderShape::SPHERE.inverted()), "InsideSphereCollider"),
            Self::InsideCapsule => (Some(ColliderShape::CAPSULE.inverted()), "InsideCapsuleCollider"),
            Self::Plane => (Some(ColliderShape::PLANE), "PlaneCollider"),
            Self::ForceVolume => (None, "ForceVolume"),
            Self::Wind => (None, "WindVolume"),
            Self::Pivot => (None, "_Pivot"),
            Self::Null => (None, "Null"),
        }
    }

    const fn helper_role(self) -> HelperRole {
        match self {
            Self::Pivot => HelperRole::Pivot,
            Self::Null => HelperRole::Null,
            _ => HelperRole::Plain,
        }
    }
}

/// A new element that is not applied yet.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatedElement {
    pub edit: Edit,
    /// Id of the element after the edit.
    pub element: ElementId,
    /// Name of the element after the edit.
    pub name: String,
    /// The joint whose tip moves, because Unity counts the new node as a child.
    pub moved_tip_joint: Option<BoneId>,
}

impl CreatedElement {
    /// Returns the helper that the edit creates.
    pub fn helper(&self) -> Option<HelperId> {
        let Edit::Batch(edits) = &self.edit else { return None };
        edits.iter().find_map(|edit| match edit {
            Edit::PutHelper { id, helper: Some(_) } => Some(*id),
            _ => None,
        })
    }
}

/// Creates an element of default size on a new node at the origin of `parent`, with the name that UnityChanSpringBone's
/// editor would use. [`pivot::create_pivot`] creates the pivot of a joint.
pub fn create_element(document: &Document, skeleton: &Skeleton, what: NewElement, parent: Node) -> CreatedElement {
    if let (NewElement::Pivot, Node::Bone(bone)) = (what, parent)
        && let Some(made) = create_joint_pivot(document, skeleton, bone)
    {
        return made;
    }
    let (shape, suffix) = what.shape_and_suffix();
    let wanted = format!("{}{suffix}", node_name(document, skeleton, parent));
    let name = unique_name(document, skeleton, &wanted, None);
    let id = document.next_helper_id();
    let helper = Helper { name: name.clone(), parent, local: Trs::IDENTITY, role: what.helper_role() };
    let mut edits = vec![Edit::PutHelper { id, helper: Some(helper) }];
    let node = Node::Helper(id);
    let part = if let Some(shape) = shape {
        let id = document.next_collider_id();
        edits.push(Edit::PutCollider { id, collider: Some(Collider::new(name.clone(), node, shape)) });
        ElementId::Collider(id)
    } else if matches!(what, NewElement::ForceVolume | NewElement::Wind) {
        let kind = ForceKind::ALL[usize::from(what == NewElement::Wind)];
        let id = document.next_force_id();
        edits.push(Edit::PutForce { id, force: Some(Force { name: name.clone(), node, kind, enabled: true }) });
        ElementId::Force(id)
    } else {
        ElementId::Helper(id)
    };
    CreatedElement {
        edit: Edit::Batch(edits),
        element: part,
        name,
        moved_tip_joint: joint_with_moved_tip(document, parent, what.helper_role()),
    }
}

/// Returns `None` for bones that are not joints, and for joints without parents.
fn create_joint_pivot(document: &Document, skeleton: &Skeleton, bone: BoneId) -> Option<CreatedElement> {
    let Edit::Batch(edits) = pivot::create_pivot(document, skeleton, bone) else { return None };
    let (id, name) = edits.iter().find_map(|edit| match edit {
        Edit::PutHelper { id, helper: Some(helper) } => Some((*id, helper.name.clone())),
        _ => None,
    })?;
    Some(CreatedElement { edit: Edit::Batch(edits), element: ElementId::Helper(id), name, moved_tip_joint: None })
}
