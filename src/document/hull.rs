//! Convex meshes for colliders, taken from what the character's meshes hang on a bone.

use crate::document::{ColliderId, Document, Stance, bone_under};
use crate::math::convex;
use crate::rig::{BoneId, Character, Mesh, Primitive, Skeleton};
use crate::sim::ConvexHull;
use crate::stage::skinning::{Palettes, effective_skin, posed_positions, sane_weights};
use glam::Vec3;

/// Vertices follow a bone when this share of their weight does.
const SHARE: f32 = 0.5;
/// Fewer vertices make no body.
const FEWEST: usize = 4;

/// The meshes of which at least four vertices follow the bone that a collider hangs on, or what hangs below it: their
/// positions among the character's.
pub fn meshes(document: &Document, character: &Character, id: ColliderId) -> Vec<usize> {
    let Some(bone) = bone_of(document, id) else { return Vec::new() };
    let is_near = |mesh: &Mesh| {
        // What follows the bone itself is among these.
        let follows = Follows::Below(bone, &character.skeleton);
        mesh.primitives.iter().flat_map(|p| follows.vertices(character, mesh, p)).take(FEWEST).count() == FEWEST
    };
    character.meshes.iter().enumerate().filter(|(_, mesh)| is_near(mesh)).map(|(at, _)| at).collect()
}

/// The convex mesh around those vertices of a mesh that follow the bone that a collider hangs on, in the space of the
/// collider's node; around those that follow what hangs below it, where none follow the bone itself. `None` where there
/// are none, or all lie in one plane.
pub fn hull(document: &Document, character: &Character, id: ColliderId, mesh: usize) -> Option<ConvexHull> {
    let bone = bone_of(document, id)?;
    let mesh = character.meshes.get(mesh)?;
    let stance = Stance::of(document, &character.skeleton);
    let frame = stance.frame(document.colliders.get(&id)?.node)?;
    let palettes = Palettes::of(&character.skins, stance.rest());
    let around = |follows: Follows<'_>| {
        let mut points: Vec<Vec3> = Vec::new();
        for primitive in &mesh.primitives {
            let posed = posed_positions(character, mesh, primitive, &palettes, stance.rest());
            let there = follows.vertices(character, mesh, primitive).filter_map(|at| posed.get(at));
            points.extend(there.map(|point| frame.inverse_point(*point)));
        }
        convex(&points)
    };
    let found = around(Follows::Bone(bone)).or_else(|| around(Follows::Below(bone, &character.skeleton)));
    found.map(|(points, faces)| ConvexHull::new(points, faces))
}

fn bone_of(document: &Document, id: ColliderId) -> Option<BoneId> {
    bone_under(document, document.colliders.get(&id)?.node)
}

/// Which vertices are meant.
#[derive(Clone, Copy)]
enum Follows<'a> {
    Bone(BoneId),
    /// The bone or anything below it.
    Below(BoneId, &'a Skeleton),
}

impl<'a> Follows<'a> {
    fn counts(self, bone: BoneId) -> bool {
        match self {
            Self::Bone(own) => bone == own,
            Self::Below(own, skeleton) => {
                bone == own || (bone.index() < skeleton.len() && skeleton.is_ancestor(own, bone))
            }
        }
    }

    /// Positions of the vertices of a primitive.
    fn vertices(
        self,
        character: &'a Character,
        mesh: &'a Mesh,
        primitive: &'a Primitive,
    ) -> impl Iterator<Item = usize> + 'a {
        let skin = effective_skin(character, mesh, primitive).map(|skin| &character.skins[skin].joints);
        // Asked once for each bone, not for each vertex.
        let counts: Vec<bool> =
            skin.map(|bones| bones.iter().map(|bone| self.counts(*bone)).collect()).unwrap_or_default();
        let whole = skin.is_none() && self.counts(mesh.bone);
        let weighs = move |at: usize| {
            let (Some(joints), Some(weights)) = (primitive.joints.get(at), primitive.weights.get(at)) else {
                return false;
            };
            let (joints, weights) = sane_weights(*joints, *weights, counts.len());
            let mine = joints.iter().zip(weights).filter(|(j, _)| counts.get(usize::from(**j)) == Some(&true));
            mine.map(|(_, weight)| weight).sum::<f32>() >= SHARE
        };
        let skinned = skin.is_some();
        (0..primitive.positions.len()).filter(move |at| if skinned { weighs(*at) } else { whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Collider, Edit, Node};
    use crate::math::Trs;
    use crate::rig::{Bone, Skin};
    use crate::sim::Shape;
    use glam::Mat4;

    const BALL: ColliderId = ColliderId(1);

    /// Two bones, a block that hangs on the second, and a skin whose first half follows the first bone.
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
        };
        let binds = vec![Mat4::from_translation(-Vec3::Y), Mat4::from_translation(Vec3::Y * -2.0)];
        Character {
            skeleton: Skeleton::new(bones).expect("parents first"),
            meshes: vec![mesh("block", 1, None, block), mesh("skin", 0, Some(0), skinned)],
            skins: vec![Skin { joints: vec![BoneId(0), BoneId(1)], inverse_binds: binds }],
            ..Character::default()
        }
    }

    fn on(bone: u32) -> Document {
        let mut document = Document::default();
        let ball = Collider::new("Ball", Node::Bone(BoneId(bone)), Shape::Sphere { radius: 0.1, inside: false });
        document.apply(Edit::PutCollider { id: BALL, collider: Some(ball) }).expect("a ball");
        document
    }

    #[track_caller]
    fn check(document: &Document, mesh: usize, half: f32) {
        let hull = hull(document, &character(), BALL, mesh).expect("a block");
        assert_eq!((hull.points().len(), hull.faces().len()), (8, 12));
        for point in hull.points() {
            assert!((point.abs() - Vec3::splat(half)).abs().max_element() < 1e-5, "{point}");
        }
    }

    #[test]
    fn what_follows_the_bone_is_wrapped_in_the_space_of_the_collider() {
        check(&on(0), 1, 0.2);
        check(&on(1), 1, 0.2);
        check(&on(1), 0, 0.1);
        assert_eq!(meshes(&on(1), &character(), BALL), [0, 1]);
    }

    #[test]
    fn where_nothing_follows_the_bone_itself_what_hangs_below_it_counts() {
        let hull = hull(&on(0), &character(), BALL, 0).expect("the head hangs below the hips");
        assert!(hull.points().iter().all(|p| (0.89..1.11).contains(&p.y)), "{hull:?}");
        assert_eq!(meshes(&on(0), &character(), BALL), [0, 1]);
    }

    #[test]
    fn a_flat_mesh_and_one_that_is_not_there_have_no_hull() {
        let mut flat = character();
        flat.meshes[0].primitives[0].positions.iter_mut().for_each(|p| p.z = 0.0);
        assert_eq!(hull(&on(1), &flat, BALL, 0), None);
        assert_eq!(hull(&on(1), &flat, BALL, 9), None);
        assert!(meshes(&on(1), &flat, ColliderId(5)).is_empty());
    }
}
