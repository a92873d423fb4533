//! Where a table's nodes stand here, and how nodes that stand here are written.

use super::names::Names;
use crate::doc::pivot::Axis;
use crate::doc::table::{ColliderCells, HighLegCells, NodeCells, PivotCells};
use crate::doc::{Collider, Document, Helper, HelperId, HelperRole, HighLeg, Node};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use crate::sim::{Form, Shape};
use glam::{Quat, Vec3};

/// Whether two rotations differ by more than the text of angles can blur: a hundredth of a degree.
pub(super) fn turned(a: Quat, b: Quat) -> bool {
    // The chord, since the cosine of so small an angle is one in f32.
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a - b).length() > 0.5 * 0.01_f32.to_radians()
}

/// Whether a transform stands as another one, up to what text blurs.
pub(super) fn stands(a: &Trs, b: &Trs) -> bool {
    a.translation == b.translation && a.scale == b.scale && !turned(a.rotation, b.rotation)
}

/// Whether the way that a shape's node faces counts: panels and planes push towards +Z.
const fn faces(shape: &Shape) -> bool {
    matches!(shape.form(), Form::Flat)
}

/// A row's transform in glTF space, on its parent.
pub(super) fn local_of(cells: &NodeCells, axis: Axis, shape: Option<&Shape>) -> Trs {
    let rotation = if shape.is_some_and(faces) {
        axis.pivot_from_euler(cells.euler_deg)
    } else {
        axis.rotation_from_euler(cells.euler_deg)
    };
    Trs { translation: axis.point(Vec3::from(cells.position)), rotation, scale: Vec3::from(cells.scale) }
}

/// The cells of a transform on the parent of that name.
pub(super) fn cells_of(parent: &str, local: &Trs, axis: Axis, shape: Option<&Shape>) -> NodeCells {
    let euler_deg = if shape.is_some_and(faces) {
        axis.euler_from_pivot(local.rotation)
    } else {
        axis.euler_from_rotation(local.rotation)
    };
    NodeCells {
        parent: parent.to_owned(),
        position: axis.point(local.translation).to_array(),
        euler_deg,
        scale: local.scale.to_array(),
    }
}

/// Whether a row says what is written already, up to what text blurs.
pub(super) fn says_the_same(a: &NodeCells, b: &NodeCells) -> bool {
    let local = |cells| local_of(cells, Axis::X, None);
    a.parent == b.parent && a.position == b.position && a.scale == b.scale && stands(&local(a), &local(b))
}

/// What a helper hangs on for the engine, which knows bones and nulls only, and its transform there.
pub(super) fn known_parent(document: &Document, helper: &Helper) -> (Node, Trs) {
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

/// The cells of a collider's row; `None` where its node is on no character.
pub(super) fn written_collider(
    document: &Document,
    skeleton: &Skeleton,
    names: &Names<'_>,
    collider: &Collider,
    axis: Axis,
) -> Option<ColliderCells> {
    let (parent, local) = match collider.node {
        Node::Helper(id) => known_parent(document, document.helpers.get(&id)?),
        // A bone that gave the collider its name carries it itself, as in the engine.
        Node::Bone(bone) if names.name(collider.node)? == collider.name && skeleton.parent_of(bone).is_some() => {
            (Node::Bone(skeleton.parent_of(bone)?), skeleton.bone(bone).rest)
        }
        Node::Bone(_) => (collider.node, Trs::IDENTITY),
    };
    Some(ColliderCells {
        node: cells_of(names.name(parent)?, &local, axis, Some(&collider.shape)),
        shape: collider.shape,
        renderer: collider.renderer.clone().unwrap_or_default(),
    })
}

/// The cells of a bare node's row; `None` where it is on no character.
pub(super) fn written_null(document: &Document, names: &Names<'_>, helper: &Helper, axis: Axis) -> Option<NodeCells> {
    let (parent, local) = known_parent(document, helper);
    Some(cells_of(names.name(parent)?, &local, axis, None))
}

/// The cells of a pivot's row; `None` where it is on no character.
pub(super) fn written_pivot(document: &Document, names: &Names<'_>, helper: &Helper, axis: Axis) -> Option<PivotCells> {
    let (parent, local) = known_parent(document, helper);
    Some(PivotCells { parent: names.name(parent)?.to_owned(), euler_deg: axis.euler_from_pivot(local.rotation) })
}

/// The cells of a component's row; `None` where a node of it is on no character.
pub(super) fn written_high_leg(names: &Names<'_>, high_leg: &HighLeg) -> Option<HighLegCells> {
    let name = |node: Node| names.name(node).map(str::to_owned);
    let leg = |[from, to]: &[Node; 2]| Some([name(*from)?, name(*to)?]);
    let legs = high_leg.legs.iter().map(leg).collect::<Option<_>>()?;
    Some(HighLegCells { hip: name(high_leg.hip)?, legs })
}

/// Where a row's node comes to stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Placement {
    /// On a bone of the file that stands as the row says.
    Bone(BoneId),
    /// On a helper: which one is here already, and how it should be.
    Helper(Option<HelperId>, Helper),
}

impl Placement {
    /// For a row that hangs on `parent`: the child of exactly that name, or a new helper.
    pub(super) fn of(
        names: &Names<'_>,
        document: &Document,
        skeleton: &Skeleton,
        (name, parent): (&str, Node),
        local: Trs,
        role: HelperRole,
    ) -> Self {
        let same = |id: &HelperId| document.helpers[id].name == name;
        if let Some(id) = names.below(parent).find(same) {
            let old = &document.helpers[&id];
            let local = if stands(&old.local, &local) { old.local } else { local };
            let role = if role == HelperRole::Plain { old.role } else { role };
            return Self::Helper(Some(id), Helper { local, role, ..old.clone() });
        }
        if let Node::Bone(above) = parent
            && let Some(bone) = skeleton.children(above).iter().copied().find(|c| skeleton.name(*c) == name)
        {
            let rest = &skeleton.bone(bone).rest;
            let near = rest.translation.distance(local.translation) < 1e-5 && rest.scale.distance(local.scale) < 1e-5;
            if near && !turned(rest.rotation, local.rotation) {
                return Self::Bone(bone);
            }
            // Differs from UnityChanSpringBone: a row that names a bone of the file moves that bone. Here bones of
            // the file stay; a helper on the bone stands in the rest pose where the bone would have come to stand.
            let local = Trs::from_matrix((rest.to_affine().inverse() * local.to_affine()).into());
            let name = format!("{name}_Moved");
            let id = names.below(Node::Bone(bone)).find(|id| document.helpers[id].name == name);
            return Self::Helper(id, Helper { name, parent: Node::Bone(bone), local, role });
        }
        Self::Helper(None, Helper { name: name.to_owned(), parent, local, role })
    }

    /// The node, made or moved where it has to be.
    pub(super) fn put(self, document: &mut Document) -> Node {
        match self {
            Self::Bone(bone) => Node::Bone(bone),
            Self::Helper(id, helper) => {
                let id = id.unwrap_or_else(|| document.fresh_helper());
                document.helpers.insert(id, helper);
                Node::Helper(id)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where points and directions of a shape's node come to lie in the world, seen from Unity.
    #[track_caller]
    fn check_shape(axis: Axis, shape: Shape, watched: &[Vec3]) {
        let cells = NodeCells {
            parent: "Head".to_owned(),
            position: [0.1, 0.2, -0.3],
            euler_deg: [20.0, 130.0, 40.0],
            scale: [1.0, 1.5, 0.5],
        };
        let [x, y, z] = cells.euler_deg.map(f32::to_radians);
        let unity = Trs {
            translation: Vec3::from(cells.position),
            rotation: Quat::from_rotation_y(y) * Quat::from_rotation_x(x) * Quat::from_rotation_z(z),
            scale: Vec3::from(cells.scale),
        };
        let local = local_of(&cells, axis, Some(&shape));
        for point in watched {
            let theirs = axis.point(unity.to_affine().transform_point3(*point));
            let ours = local.to_affine().transform_point3(*point);
            assert!(ours.distance(theirs) < 1e-5, "{axis:?} {point}: {ours}, not {theirs}");
        }
        assert!(says_the_same(&cells_of("Head", &local, axis, Some(&shape)), &cells), "{axis:?} {shape:?}");
    }

    #[test]
    fn the_solver_sees_unitys_shapes_under_both_mirrors() {
        for axis in [Axis::X, Axis::Z] {
            check_shape(axis, Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &[Vec3::ZERO, Vec3::Y]);
            check_shape(axis, Shape::Panel { width: 0.2, height: 0.4 }, &[Vec3::ZERO, Vec3::Y, Vec3::Z]);
            check_shape(axis, Shape::Plane, &[Vec3::ZERO, Vec3::Z]);
            check_shape(axis, Shape::Sphere { radius: 0.1, inside: false }, &[Vec3::ZERO]);
        }
    }
}
