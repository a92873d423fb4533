use super::{ElementId, joint_with_moved_tip, node_name, unique_name};
use crate::document::{Collider, Document, Edit, Force, Helper, HelperId, HelperRole, Node, pivot};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use crate::sim::{ColliderShape, ForceKind};

/// What can be made on a bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewElement {
    /// A ball that pushes.
    Sphere,
    /// A rounded rod that pushes.
    Capsule,
    /// A plate that pushes to one side.
    Panel,
    /// A room in a ball.
    InsideSphere,
    /// A room in a rounded rod.
    InsideCapsule,
    /// An endless wall.
    Plane,
    /// A steady pull.
    ForceVolume,
    /// A pull whose direction swings.
    Wind,
    /// A frame of angle limits.
    Pivot,
    /// A bare node.
    Null,
}

impl NewElement {
    /// In the order in which they are offered.
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

    /// The shape of a new collider; `None` for what is none.
    pub const fn shape(self) -> Option<ColliderShape> {
        Some(match self {
            Self::Sphere => ColliderShape::SPHERE,
            Self::Capsule => ColliderShape::CAPSULE,
            Self::Panel => ColliderShape::PANEL,
            Self::InsideSphere => ColliderShape::SPHERE.inverted(),
            Self::InsideCapsule => ColliderShape::CAPSULE.inverted(),
            Self::Plane => ColliderShape::PLANE,
            Self::ForceVolume | Self::Wind | Self::Pivot | Self::Null => return None,
        })
    }

    /// What the name of its bone is followed by.
    const fn name_suffix(self) -> &'static str {
        match self {
            Self::Sphere => "SphereCollider",
            Self::Capsule => "CapsuleCollider",
            Self::Panel => "PanelCollider",
            Self::InsideSphere => "InsideSphereCollider",
            Self::InsideCapsule => "InsideCapsuleCollider",
            Self::Plane => "PlaneCollider",
            Self::ForceVolume => "ForceVolume",
            Self::Wind => "WindVolume",
            Self::Pivot => "_Pivot",
            Self::Null => "Null",
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

/// Something new, not yet applied.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatedElement {
    /// Makes it.
    pub edit: Edit,
    /// What it will be.
    pub element: ElementId,
    /// What it will be called.
    pub name: String,
    /// The joint whose tip the engine will then place elsewhere, since the new node counts as its child.
    pub moved_tip_joint: Option<BoneId>,
}

impl CreatedElement {
    /// The helper that is made for it; `None` where there is none.
    pub fn helper(&self) -> Option<HelperId> {
        let Edit::Batch(edits) = &self.edit else { return None };
        edits.iter().find_map(|edit| match edit {
            Edit::PutHelper { id, helper: Some(_) } => Some(*id),
            _ => None,
        })
    }
}

/// A part of the engine's default size on a node of its own at the origin of `parent`, named as the original's editor
/// names it. A pivot for a joint is placed, framed and assigned as [`pivot::create_pivot`] does.
pub fn create_element(document: &Document, skeleton: &Skeleton, what: NewElement, parent: Node) -> CreatedElement {
    if let (NewElement::Pivot, Node::Bone(bone)) = (what, parent)
        && let Some(made) = create_joint_pivot(document, skeleton, bone)
    {
        return made;
    }
    let wanted = format!("{}{}", node_name(document, skeleton, parent), what.name_suffix());
    let name = unique_name(document, skeleton, &wanted, None);
    let id = document.next_helper_id();
    let helper = Helper { name: name.clone(), parent, local: Trs::IDENTITY, role: what.helper_role() };
    let mut edits = vec![Edit::PutHelper { id, helper: Some(helper) }];
    let node = Node::Helper(id);
    let mut collider = |shape| {
        let id = document.next_collider_id();
        edits.push(Edit::PutCollider { id, collider: Some(Collider::new(name.clone(), node, shape)) });
        ElementId::Collider(id)
    };
    let part = match what {
        NewElement::Sphere
        | NewElement::Capsule
        | NewElement::Panel
        | NewElement::InsideSphere
        | NewElement::InsideCapsule
        | NewElement::Plane => collider(what.shape().unwrap_or(ColliderShape::SPHERE)),
        NewElement::ForceVolume | NewElement::Wind => {
            let kind = ForceKind::ALL[usize::from(what == NewElement::Wind)];
            let id = document.next_force_id();
            edits.push(Edit::PutForce { id, force: Some(Force { name: name.clone(), node, kind, enabled: true }) });
            ElementId::Force(id)
        }
        NewElement::Pivot | NewElement::Null => ElementId::Helper(id),
    };
    CreatedElement {
        edit: Edit::Batch(edits),
        element: part,
        name,
        moved_tip_joint: joint_with_moved_tip(document, parent, what.helper_role()),
    }
}

/// `None` for a bone that is no joint, or a joint that hangs in the world.
fn create_joint_pivot(document: &Document, skeleton: &Skeleton, bone: BoneId) -> Option<CreatedElement> {
    let Edit::Batch(edits) = pivot::create_pivot(document, skeleton, bone) else { return None };
    let (id, name) = edits.iter().find_map(|edit| match edit {
        Edit::PutHelper { id, helper: Some(helper) } => Some((*id, helper.name.clone())),
        _ => None,
    })?;
    Some(CreatedElement { edit: Edit::Batch(edits), element: ElementId::Helper(id), name, moved_tip_joint: None })
}
