//! Centers of mass, for solvers that simulate rigid bodies. No other solver has this value.
//!
//! The center is the middle of the bounding box of the vertices that follow the bone. The mean of the vertices is not
//! used, because detailed areas have more vertices. Without such vertices, the center is the middle of the bone. A
//! default value would fit only the rig of the solver's author.

use crate::document::Joint;
use crate::document::measure::estimated_tip_position;
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, posed_positions, sanitize_weights};
use yuremono_sim::rig::{BoneId, Character, Mesh, Primitive, WorldPose};

/// A vertex follows a bone if the bone has at least this fraction of the weight.
const MIN_VERTEX_WEIGHT: f32 = 0.5;
/// Bones with fewer vertices are ignored.
const MIN_VERTICES: usize = 4;
/// Minimum distance of a center from the joint, in metres.
const MIN_DISTANCE: f32 = 1e-3;

/// The center of each bone's vertices in the space of the bone, in metres.
#[derive(Debug, Default)]
pub(super) struct CentersOfMass(BTreeMap<BoneId, Vec3>);

#[derive(Clone, Copy)]
struct BoundingBox {
    min: Vec3,
    max: Vec3,
    vertex_count: usize,
}

impl CentersOfMass {
    /// The centers of all bones with vertices, in the rest pose.
    pub(super) fn from_character(character: &Character, rest: &WorldPose) -> Self {
        let palettes = SkinMatrices::of(&character.skins, rest);
        let mut found: BTreeMap<BoneId, BoundingBox> = BTreeMap::new();
        for (mesh, primitive) in character.meshes.iter().flat_map(|mesh| mesh.primitives.iter().map(move |p| (mesh, p)))
        {
            let points = posed_positions(character, mesh, primitive, &palettes, rest);
            for (at, point) in points.into_iter().enumerate() {
                let Some(bone) = dominant_bone(character, mesh, primitive, at) else { continue };
                let Some(frame) = rest.frames.get(bone.index()) else { continue };
                let p = frame.inverse_transform_point(point);
                if p.is_finite() {
                    let extent = found.entry(bone).or_insert(BoundingBox { min: p, max: p, vertex_count: 0 });
                    (extent.min, extent.max) = (extent.min.min(p), extent.max.max(p));
                    extent.vertex_count += 1;
                }
            }
        }
        let bodies = found.into_iter().filter(|(_, extent)| extent.vertex_count >= MIN_VERTICES);
        Self(bodies.map(|(bone, extent)| (bone, extent.min.midpoint(extent.max))).collect())
    }

    /// The center of mass of a joint in the space of its bone, in metres. `length` is the length of the joint. Returns
    /// `None` if the center is unknown.
    pub(super) fn center(&self, joint: &Joint, length: f32, character: &Character, rest: &WorldPose) -> Option<Vec3> {
        let far = |center: &Vec3| center.is_finite() && center.length() > MIN_DISTANCE;
        let of_mesh = self.0.get(&joint.bone).copied().filter(far);
        of_mesh.or_else(|| {
            let frame = rest.frames.get(joint.bone.index())?;
            let tip = estimated_tip_position(joint, length, &character.skeleton, rest)?;
            Some(frame.inverse_transform_point(tip) * 0.5).filter(far)
        })
    }
}

/// The bone that a vertex follows, if any.
fn dominant_bone(character: &Character, mesh: &Mesh, primitive: &Primitive, at: usize) -> Option<BoneId> {
    let Some(skin) = effective_skin(character, mesh, primitive) else { return Some(mesh.bone) };
    let bones = &character.skins[skin].joints;
    let (joints, weights) = sanitize_weights(*primitive.joints.get(at)?, *primitive.weights.get(at)?, bones.len());
    let bone_of = |i: usize| bones.get(usize::from(joints[i])).copied();
    let share = |bone: BoneId| (0..4).filter(|i| bone_of(*i) == Some(bone)).map(|i| weights[i]).sum::<f32>();
    (0..4).filter_map(bone_of).find(|bone| share(*bone) >= MIN_VERTEX_WEIGHT)
}
