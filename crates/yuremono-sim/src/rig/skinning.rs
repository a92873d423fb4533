//! Skinning on the CPU: joint matrices for `renderer`, and vertex positions for shadows, bounds and occlusion.

use crate::rig::{BoneId, Character, Mesh, Pose, Primitive, Skin, WorldPose};
use glam::{Mat4, Vec3};

/// The joint matrices of all skins in a pose.
#[derive(Clone, Debug, Default)]
pub struct SkinMatrices {
    skins: Vec<Vec<Mat4>>,
}

impl SkinMatrices {
    /// Returns the matrices of a pose, per skin and joint. Each matrix transforms mesh space to world space.
    pub fn of(skins: &[Skin], pose: &WorldPose) -> Self {
        let mut matrices = Self::default();
        matrices.update(skins, pose);
        matrices
    }

    /// Recomputes the matrices in place.
    pub fn update(&mut self, skins: &[Skin], pose: &WorldPose) {
        self.skins.resize_with(skins.len(), Vec::new);
        for (matrices, skin) in self.skins.iter_mut().zip(skins) {
            matrices.clear();
            matrices.extend(skin.joints.iter().enumerate().map(|(joint, bone)| {
                let world = pose.frames.get(bone.index()).map_or(Mat4::IDENTITY, |f| Mat4::from(f.to_affine()));
                world * skin.inverse_binds.get(joint).copied().unwrap_or(Mat4::IDENTITY)
            }));
        }
    }

    /// Returns the matrices of a skin. Returns an empty slice if the skin does not exist.
    pub fn joint_matrices(&self, skin: usize) -> &[Mat4] {
        self.skins.get(skin).map_or(&[], Vec::as_slice)
    }
}

/// Returns the skin of a mesh if the skin has joints and the primitive has weights for every vertex.
pub fn effective_skin(character: &Character, mesh: &Mesh, primitive: &Primitive) -> Option<usize> {
    let skin = mesh.skin.filter(|s| character.skins.get(*s).is_some_and(|skin| !skin.joints.is_empty()))?;
    let count = primitive.positions.len();
    (primitive.joints.len() == count && primitive.weights.len() == count).then_some(skin)
}

/// Clamps joint indices to the skin and normalizes weights. A vertex without weights follows its first joint.
pub fn sanitize_weights(joints: [u16; 4], weights: [f32; 4], joint_count: usize) -> ([u16; 4], [f32; 4]) {
    let last = joint_count.saturating_sub(1).min(usize::from(u16::MAX)) as u16;
    let joints = joints.map(|j| j.min(last));
    let weights = weights.map(|w| if w.is_finite() { w.max(0.0) } else { 0.0 });
    let sum: f32 = weights.iter().sum();
    if sum > 1e-6 { (joints, weights.map(|w| w / sum)) } else { (joints, [1.0, 0.0, 0.0, 0.0]) }
}

/// Returns the blended matrix of a vertex.
pub fn blend_matrix(joint_matrices: &[Mat4], joints: [u16; 4], weights: [f32; 4]) -> Mat4 {
    let matrix = |joint: u16| joint_matrices.get(usize::from(joint)).copied().unwrap_or(Mat4::IDENTITY);
    // Most vertices follow one joint.
    if weights[0] == 1.0 {
        return matrix(joints[0]);
    }
    let mut sum = Mat4::ZERO;
    for (joint, weight) in joints.into_iter().zip(weights).filter(|(_, w)| *w > 0.0) {
        sum += matrix(joint) * weight;
    }
    sum
}

/// Returns the world positions of all vertices of a primitive, without morph targets.
pub fn posed_positions(
    character: &Character,
    mesh: &Mesh,
    primitive: &Primitive,
    matrices: &SkinMatrices,
    pose: &WorldPose,
) -> Vec<Vec3> {
    let mut posed = Vec::new();
    posed_positions_into(character, mesh, primitive, matrices, pose, &mut posed);
    posed
}

/// Like [`posed_positions`], but writes to an existing buffer.
pub fn posed_positions_into(
    character: &Character,
    mesh: &Mesh,
    primitive: &Primitive,
    matrices: &SkinMatrices,
    pose: &WorldPose,
    posed: &mut Vec<Vec3>,
) {
    posed.clear();
    let Some(skin) = effective_skin(character, mesh, primitive) else {
        let world = pose.frames.get(mesh.bone.index()).copied().unwrap_or_default();
        posed.extend(primitive.positions.iter().map(|p| world.transform_point(*p)));
        return;
    };
    let joint_matrices = matrices.joint_matrices(skin);
    let vertices = primitive.positions.iter().zip(&primitive.joints).zip(&primitive.weights);
    posed.extend(vertices.map(|((p, joints), weights)| {
        let (joints, weights) = sanitize_weights(*joints, *weights, joint_matrices.len());
        blend_matrix(joint_matrices, joints, weights).transform_point3(*p)
    }));
}

/// Buffers for skinning a character.
#[derive(Debug, Default)]
pub struct SkinnedVertices {
    palettes: SkinMatrices,
    vertices: Vec<Vec3>,
}

impl SkinnedVertices {
    /// Calls `each` with every vertex that the file shows in a pose, or with every bone position if the file shows no
    /// mesh.
    pub fn for_each_point(&mut self, character: &Character, pose: &WorldPose, mut each: impl FnMut(Vec3)) {
        self.palettes.update(&character.skins, pose);
        for (mesh, primitive) in shown_primitives(character) {
            posed_positions_into(character, mesh, primitive, &self.palettes, pose, &mut self.vertices);
            self.vertices.iter().for_each(|vertex| each(*vertex));
        }
        if character.meshes.iter().all(|mesh| mesh.is_hidden) {
            pose.frames.iter().for_each(|frame| each(frame.position));
        }
    }
}

/// Calls `each` with every shown vertex that follows bones, and with the share of its weight that belongs to these bones.
/// `bones` is indexed by bone.
pub fn for_each_weighted_vertex(
    character: &Character,
    pose: &WorldPose,
    bones: &[bool],
    mut each: impl FnMut(Vec3, f32),
) {
    let matrices = SkinMatrices::of(&character.skins, pose);
    let is_listed = |bone: BoneId| bones.get(bone.index()).copied().unwrap_or(false);
    for (mesh, primitive) in shown_primitives(character) {
        let Some(skin) = effective_skin(character, mesh, primitive) else {
            let frame = pose.frames.get(mesh.bone.index()).filter(|_| is_listed(mesh.bone));
            let positions =
                frame.into_iter().flat_map(|frame| primitive.positions.iter().map(|p| frame.transform_point(*p)));
            positions.for_each(|position| each(position, 1.0));
            continue;
        };
        let listed: Vec<bool> = character.skins[skin].joints.iter().map(|bone| is_listed(*bone)).collect();
        if !listed.contains(&true) {
            continue;
        }
        let vertices = primitive.positions.iter().zip(&primitive.joints).zip(&primitive.weights);
        for ((position, joints), weights) in vertices {
            let (joints, weights) = sanitize_weights(*joints, *weights, listed.len());
            let share =
                joints.iter().zip(weights).filter(|(joint, _)| listed[usize::from(**joint)]).map(|(_, w)| w).sum();
            if share > 0.0 {
                let matrix = blend_matrix(matrices.joint_matrices(skin), joints, weights);
                each(matrix.transform_point3(*position), share);
            }
        }
    }
}

/// Returns the primitives that the file shows.
fn shown_primitives(character: &Character) -> impl Iterator<Item = (&Mesh, &Primitive)> {
    let meshes = character.meshes.iter().filter(|mesh| !mesh.is_hidden);
    meshes.flat_map(|mesh| mesh.primitives.iter().map(move |p| (mesh, p)))
}

/// Returns the minimum and maximum corner of all shown vertices in the rest pose, in metres. Uses the bones if the file
/// shows no vertices.
pub fn rest_bounds(character: &Character) -> Option<[Vec3; 2]> {
    let pose = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let matrices = SkinMatrices::of(&character.skins, &pose);
    let vertices =
        shown_primitives(character).flat_map(|(mesh, p)| posed_positions(character, mesh, p, &matrices, &pose));
    bounds(vertices).or_else(|| bounds(pose.frames.iter().map(|f| f.position)))
}

fn bounds(points: impl Iterator<Item = Vec3>) -> Option<[Vec3; 2]> {
    points
        .filter(|p| p.is_finite())
        .fold(None, |corners, p| Some(corners.map_or([p, p], |[low, high]: [Vec3; 2]| [low.min(p), high.max(p)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_weights_are_sanitized() {
        assert_eq!(sanitize_weights([9, 1, 0, 0], [0.0; 4], 3), ([2, 1, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(sanitize_weights([0, 1, 0, 0], [1.0, 3.0, f32::NAN, -1.0], 3).1, [0.25, 0.75, 0.0, 0.0]);
        assert_eq!(blend_matrix(&[], [0; 4], [1.0, 0.0, 0.0, 0.0]), Mat4::IDENTITY);
    }
}
