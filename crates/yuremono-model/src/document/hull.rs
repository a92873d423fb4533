//! Convex hulls for colliders, computed from the vertices that follow a bone.

use crate::document::{ColliderId, Document, RestFrames, bone_of_node};
use glam::Vec3;
use yuremono_sim::ConvexHull;
use yuremono_sim::math::convex_hull;
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, posed_positions, sanitize_weights};
use yuremono_sim::rig::{BoneId, Character, Mesh, Primitive, Skeleton};

/// Minimum share of a vertex's weight that a bone needs for the vertex to follow the bone.
const MIN_WEIGHT: f32 = 0.5;
/// Minimum number of vertices that a candidate mesh must contribute.
const MIN_VERTICES: usize = 4;

/// Returns the indices of the meshes with at least four vertices that follow the collider's bone or its descendants.
pub fn candidate_meshes(document: &Document, character: &Character, id: ColliderId) -> Vec<usize> {
    let Some(bone) = collider_bone(document, id) else { return Vec::new() };
    let is_near = |mesh: &Mesh| {
        let follows = VertexFilter::BoneOrDescendants(bone, &character.skeleton);
        mesh.primitives.iter().flat_map(|p| follows.matching_vertices(character, mesh, p)).take(MIN_VERTICES).count()
            == MIN_VERTICES
    };
    character.meshes.iter().enumerate().filter(|(_, mesh)| is_near(mesh)).map(|(at, _)| at).collect()
}

/// Returns the convex hull of the vertices of a mesh that follow the collider's bone, in the space of the collider's
/// node. If the vertices of the bone form no hull, vertices of its descendants are included. Returns `None` if no hull
/// has a volume.
pub fn hull_from_mesh(document: &Document, character: &Character, id: ColliderId, mesh: usize) -> Option<ConvexHull> {
    let bone = collider_bone(document, id)?;
    let mesh = character.meshes.get(mesh)?;
    let rest_frames = RestFrames::of(document, &character.skeleton);
    let frame = rest_frames.frame(document.colliders.get(&id)?.node)?;
    let palettes = SkinMatrices::of(&character.skins, rest_frames.rest());
    let around = |follows: VertexFilter<'_>| {
        let mut points: Vec<Vec3> = Vec::new();
        for primitive in &mesh.primitives {
            let posed = posed_positions(character, mesh, primitive, &palettes, rest_frames.rest());
            let there = follows.matching_vertices(character, mesh, primitive).filter_map(|at| posed.get(at));
            points.extend(there.map(|point| frame.inverse_transform_point(*point)));
        }
        convex_hull(&points)
    };
    let found =
        around(VertexFilter::Bone(bone)).or_else(|| around(VertexFilter::BoneOrDescendants(bone, &character.skeleton)));
    found.map(|(points, faces)| ConvexHull::new(points, faces))
}

fn collider_bone(document: &Document, id: ColliderId) -> Option<BoneId> {
    bone_of_node(document, document.colliders.get(&id)?.node)
}

#[derive(Clone, Copy)]
enum VertexFilter<'a> {
    Bone(BoneId),
    BoneOrDescendants(BoneId, &'a Skeleton),
}

impl<'a> VertexFilter<'a> {
    fn includes(self, bone: BoneId) -> bool {
        match self {
            Self::Bone(own) => bone == own,
            Self::BoneOrDescendants(own, skeleton) => {
                bone == own || (bone.index() < skeleton.len() && skeleton.is_ancestor(own, bone))
            }
        }
    }

    /// Returns the indices of the vertices that follow the bone.
    fn matching_vertices(
        self,
        character: &'a Character,
        mesh: &'a Mesh,
        primitive: &'a Primitive,
    ) -> impl Iterator<Item = usize> + 'a {
        let skin = effective_skin(character, mesh, primitive).map(|skin| &character.skins[skin].joints);
        // Checking each bone once is cheaper than checking the bones of each vertex.
        let counts: Vec<bool> =
            skin.map(|bones| bones.iter().map(|bone| self.includes(*bone)).collect()).unwrap_or_default();
        let is_rigidly_attached = skin.is_none() && self.includes(mesh.bone);
        let has_enough_weight = move |at: usize| {
            let (Some(joints), Some(weights)) = (primitive.joints.get(at), primitive.weights.get(at)) else {
                return false;
            };
            let (joints, weights) = sanitize_weights(*joints, *weights, counts.len());
            let mine = joints.iter().zip(weights).filter(|(j, _)| counts.get(usize::from(**j)) == Some(&true));
            mine.map(|(_, weight)| weight).sum::<f32>() >= MIN_WEIGHT
        };
        let skinned = skin.is_some();
        (0..primitive.positions.len())
            .filter(move |at| if skinned { has_enough_weight(*at) } else { is_rigidly_attached })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Collider, Edit, Node};
    use glam::Mat4;
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, Skin};

    const COLLIDER: ColliderId = ColliderId(1);

    /// Two bones, a block attached to the second bone, and a skin. The first half of the skin follows the first bone.
    fn character() -> Character {
        let bone = |name: &str, parent, at| Bone { name: name.to_owned(), parent, rest: Trs::from_translation(at) };
        let bones = vec![bone("hips", None, Vec3::Y), bone("head", Some(BoneId(0)), Vec3::Y)];
        let corners = |at: Vec3, half: f32| {
            (0..8_u8).map(move |n| {
                let side = |bit: u8| if n >> bit & 1 == 0 { -half } else { half };
                at + Vec3::new(side(0), side(1), side(2))
            })
        };
        let block = Primitive { positions: corners(Vec3::ZERO, 0.1).collect(), ..Primitive::default() };
        let mut skinned = Primitive::default();
        for (joint, at) in [(0, Vec3::Y), (1, Vec3::Y * 2.0)] {
            skinned.positions.extend(corners(at, 0.2));
            skinned.joints.extend([[joint, 0, 0, 0]; 8]);
            skinned.weights.extend([[1.0, 0.0, 0.0, 0.0]; 8]);
        }
        let mesh = |name: &str, bone, skin, primitive| Mesh {
            name: name.to_owned(),
            bone: BoneId(bone),
            skin,
            primitives: vec![primitive],
            morph_weights: Vec::new(),
            is_hidden: false,
        };
        let binds = vec![Mat4::from_translation(-Vec3::Y), Mat4::from_translation(Vec3::Y * -2.0)];
        Character {
            skeleton: Skeleton::new(bones).expect("parents first"),
            meshes: vec![mesh("block", 1, None, block), mesh("skin", 0, Some(0), skinned)],
            skins: vec![Skin { joints: vec![BoneId(0), BoneId(1)], inverse_binds: binds }],
            ..Character::default()
        }
    }

    fn document_with_sphere_on(bone: u32) -> Document {
        let mut document = Document::default();
        let ball =
            Collider::new("Ball", Node::Bone(BoneId(bone)), ColliderShape::Sphere { radius: 0.1, inside: false });
        document.apply(Edit::PutCollider { id: COLLIDER, collider: Some(ball) }).expect("a ball");
        document
    }

    #[track_caller]
    fn check(document: &Document, mesh: usize, half: f32) {
        let hull = hull_from_mesh(document, &character(), COLLIDER, mesh).expect("a block");
        assert_eq!((hull.points().len(), hull.faces().len()), (8, 12));
        for point in hull.points() {
            assert!((point.abs() - Vec3::splat(half)).abs().max_element() < 1e-5, "{point}");
        }
    }

    #[test]
    fn the_hull_contains_the_vertices_of_the_bone_in_collider_space() {
        check(&document_with_sphere_on(0), 1, 0.2);
        check(&document_with_sphere_on(1), 1, 0.2);
        check(&document_with_sphere_on(1), 0, 0.1);
        assert_eq!(candidate_meshes(&document_with_sphere_on(1), &character(), COLLIDER), [0, 1]);
    }

    #[test]
    fn without_vertices_on_the_bone_the_hull_uses_its_descendants() {
        let hull =
            hull_from_mesh(&document_with_sphere_on(0), &character(), COLLIDER, 0).expect("the head is below the hips");
        assert!(hull.points().iter().all(|p| (0.89..1.11).contains(&p.y)), "{hull:?}");
        assert_eq!(candidate_meshes(&document_with_sphere_on(0), &character(), COLLIDER), [0, 1]);
    }

    #[test]
    fn a_flat_or_missing_mesh_has_no_hull() {
        let mut flat = character();
        flat.meshes[0].primitives[0].positions.iter_mut().for_each(|p| p.z = 0.0);
        assert_eq!(hull_from_mesh(&document_with_sphere_on(1), &flat, COLLIDER, 0), None);
        assert_eq!(hull_from_mesh(&document_with_sphere_on(1), &flat, COLLIDER, 9), None);
        assert!(candidate_meshes(&document_with_sphere_on(1), &flat, ColliderId(5)).is_empty());
    }
}
