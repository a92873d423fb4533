use super::{PartId, free_name, moves_tip, node_name};
use crate::document::{Collider, Document, Edit, Force, Helper, HelperId, HelperRole, Node, pivot};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use crate::sim::{ForceKind, Shape};

/// What can be made on a bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum New {
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

impl New {
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
    pub const fn shape(self) -> Option<Shape> {
        Some(match self {
            Self::Sphere => Shape::SPHERE,
            Self::Capsule => Shape::CAPSULE,
            Self::Panel => Shape::PANEL,
            Self::InsideSphere => Shape::SPHERE.inverted(),
            Self::InsideCapsule => Shape::CAPSULE.inverted(),
            Self::Plane => Shape::PLANE,
            Self::ForceVolume | Self::Wind | Self::Pivot | Self::Null => return None,
        })
    }

    /// What the name of its bone is followed by.
    const fn suffix(self) -> &'static str {
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

    const fn role(self) -> HelperRole {
        match self {
            Self::Pivot => HelperRole::Pivot,
            Self::Null => HelperRole::Null,
            _ => HelperRole::Plain,
        }
    }
}

/// Something new, not yet applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// Makes it.
    pub edit: Edit,
    /// What it will be.
    pub part: PartId,
    /// What it will be called.
    pub name: String,
    /// The joint whose tip the engine will then place elsewhere, since the new node counts as its child.
    pub moves_tip: Option<BoneId>,
}

impl Made {
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
pub fn make(document: &Document, skeleton: &Skeleton, what: New, parent: Node) -> Made {
    if let (New::Pivot, Node::Bone(bone)) = (what, parent)
        && let Some(made) = joint_pivot(document, skeleton, bone)
    {
        return made;
    }
    let wanted = format!("{}{}", node_name(document, skeleton, parent), what.suffix());
    let name = free_name(document, skeleton, &wanted, None);
    let id = document.fresh_helper();
    let helper = Helper { name: name.clone(), parent, local: Trs::IDENTITY, role: what.role() };
    let mut edits = vec![Edit::PutHelper { id, helper: Some(helper) }];
    let node = Node::Helper(id);
    let mut collider = |shape| {
        let id = document.fresh_collider();
        edits.push(Edit::PutCollider { id, collider: Some(Collider::new(name.clone(), node, shape)) });
        PartId::Collider(id)
    };
    let part = match what {
        New::Sphere | New::Capsule | New::Panel | New::InsideSphere | New::InsideCapsule | New::Plane => {
            collider(what.shape().unwrap_or(Shape::SPHERE))
        }
        New::ForceVolume | New::Wind => {
            let kind = ForceKind::ALL[usize::from(what == New::Wind)];
            let id = document.fresh_force();
            edits.push(Edit::PutForce { id, force: Some(Force { name: name.clone(), node, kind, enabled: true }) });
            PartId::Force(id)
        }
        New::Pivot | New::Null => PartId::Helper(id),
    };
    Made { edit: Edit::Batch(edits), part, name, moves_tip: moves_tip(document, parent, what.role()) }
}

/// `None` for a bone that is no joint, or a joint that hangs in the world.
fn joint_pivot(document: &Document, skeleton: &Skeleton, bone: BoneId) -> Option<Made> {
    let Edit::Batch(edits) = pivot::create_pivot(document, skeleton, bone) else { return None };
    let (id, name) = edits.iter().find_map(|edit| match edit {
        Edit::PutHelper { id, helper: Some(helper) } => Some((*id, helper.name.clone())),
        _ => None,
    })?;
    Some(Made { edit: Edit::Batch(edits), part: PartId::Helper(id), name, moves_tip: None })
}
