//! Where the weight of rigid parts sits, for solvers that swing it: no other solver has such a number to bring along.
//!
//! The middle of what the meshes hang on the bone, since vertices crowd where there is detail; half of the bone where they
//! hang nothing on it. A table's own number would be that of whatever its author once built.

use crate::document::Joint;
use crate::document::measure::joint_tip;
use crate::rig::{BoneId, Character, Mesh, Primitive, WorldPose};
use crate::stage::skinning::{Palettes, effective_skin, posed_positions, sane_weights};
use glam::Vec3;
use std::collections::BTreeMap;

/// Vertices follow a bone when this share of their weight does.
const SHARE: f32 = 0.5;
/// Fewer vertices make no body.
const FEWEST: usize = 4;
/// Nearer to the joint nothing swings, metres.
const NEAREST: f32 = 1e-3;

/// The middle of what follows each bone, in the bone's space, metres.
#[derive(Debug, Default)]
pub(super) struct Masses(BTreeMap<BoneId, Vec3>);

/// Corners of a box, and how many points are in it.
#[derive(Clone, Copy)]
struct Extent {
    low: Vec3,
    high: Vec3,
    count: usize,
}

impl Masses {
    /// Of every bone that has a body of its own at rest.
    pub(super) fn of(character: &Character, rest: &WorldPose) -> Self {
        let palettes = Palettes::of(&character.skins, rest);
        let mut found: BTreeMap<BoneId, Extent> = BTreeMap::new();
        for (mesh, primitive) in character.meshes.iter().flat_map(|mesh| mesh.primitives.iter().map(move |p| (mesh, p)))
        {
            let points = posed_positions(character, mesh, primitive, &palettes, rest);
            for (at, point) in points.into_iter().enumerate() {
                let Some(bone) = followed(character, mesh, primitive, at) else { continue };
                let Some(frame) = rest.frames.get(bone.index()) else { continue };
                let p = frame.inverse_point(point);
                if p.is_finite() {
                    let extent = found.entry(bone).or_insert(Extent { low: p, high: p, count: 0 });
                    (extent.low, extent.high) = (extent.low.min(p), extent.high.max(p));
                    extent.count += 1;
                }
            }
        }
        let bodies = found.into_iter().filter(|(_, extent)| extent.count >= FEWEST);
        Self(bodies.map(|(bone, extent)| (bone, extent.low.midpoint(extent.high))).collect())
    }

    /// The weight of a joint in its bone's space, metres; `length` from head to tip. `None` where nothing tells.
    pub(super) fn center(&self, joint: &Joint, length: f32, character: &Character, rest: &WorldPose) -> Option<Vec3> {
        let far = |center: &Vec3| center.is_finite() && center.length() > NEAREST;
        let of_mesh = self.0.get(&joint.bone).copied().filter(far);
        of_mesh.or_else(|| {
            let frame = rest.frames.get(joint.bone.index())?;
            let tip = joint_tip(joint, length, &character.skeleton, rest)?;
            Some(frame.inverse_point(tip) * 0.5).filter(far)
        })
    }
}

/// The bone that moves a vertex for the most part.
fn followed(character: &Character, mesh: &Mesh, primitive: &Primitive, at: usize) -> Option<BoneId> {
    let Some(skin) = effective_skin(character, mesh, primitive) else { return Some(mesh.bone) };
    let bones = &character.skins[skin].joints;
    let (joints, weights) = sane_weights(*primitive.joints.get(at)?, *primitive.weights.get(at)?, bones.len());
    let bone_of = |i: usize| bones.get(usize::from(joints[i])).copied();
    let share = |bone: BoneId| (0..4).filter(|i| bone_of(*i) == Some(bone)).map(|i| weights[i]).sum::<f32>();
    (0..4).filter_map(bone_of).find(|bone| share(*bone) >= SHARE)
}
