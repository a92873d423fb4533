//! Occlusion of points by the character, for overlays.

use super::CameraView;
use glam::{Vec2, Vec3};
use yuremono_sim::rig::skinning::{SkinMatrices, posed_positions_into};
use yuremono_sim::rig::{AlphaMode, Character, WorldPose};

/// A coarse depth buffer of the character, rasterized on the CPU.
///
/// Tests whether an overlay point is behind the character, without reading depth back from the GPU. With 250,000
/// triangles, the buffer is too slow to update in every frame.
#[derive(Clone, Debug, Default)]
pub struct Occlusion {
    view: Option<CameraView>,
    width: usize,
    height: usize,
    /// Reciprocal of the depth of each cell, in 1/m; 0 if no surface covers the cell.
    inverse_depth: Vec<f32>,
    matrices: SkinMatrices,
    posed: Vec<Vec3>,
    projected: Vec<Option<ProjectedPoint>>,
}

/// A point of the character in the depth buffer.
#[derive(Clone, Copy, Debug)]
struct ProjectedPoint {
    /// Position in cells.
    position: Vec2,
    /// Reciprocal of the depth, in 1/m.
    inverse_depth: f32,
}

impl Occlusion {
    /// Cells along the longer side of the image.
    const CELLS_ALONG_LONGER_SIDE: f32 = 192.0;

    /// Rasterizes the posed character. Skips blended materials. Meshes beyond the end of `visible` are visible.
    pub fn update(&mut self, character: &Character, pose: &WorldPose, visible: &[bool], view: &CameraView) {
        let size = view.rect.valid_size();
        let cell = size.max_element() / Self::CELLS_ALONG_LONGER_SIDE;
        let cells = (size / cell).ceil().max(Vec2::ONE);
        (self.width, self.height) = (cells.x as usize, cells.y as usize);
        self.inverse_depth.clear();
        self.inverse_depth.resize(self.width * self.height, 0.0);
        self.view = Some(*view);
        let mut matrices = std::mem::take(&mut self.matrices);
        matrices.update(&character.skins, pose);
        for (index, mesh) in character.meshes.iter().enumerate() {
            if !visible.get(index).copied().unwrap_or(true) {
                continue;
            }
            for primitive in &mesh.primitives {
                let material = character.materials.get(primitive.material);
                if material.is_some_and(|m| m.alpha == AlphaMode::Blend) {
                    continue;
                }
                let mut posed = std::mem::take(&mut self.posed);
                posed_positions_into(character, mesh, primitive, &matrices, pose, &mut posed);
                self.projected.clear();
                let project = |p: &Vec3| {
                    let seen = view.project(*p)?;
                    Some(ProjectedPoint { position: seen.pixel / cell, inverse_depth: 1.0 / seen.depth })
                };
                self.projected.extend(posed.iter().map(project));
                self.posed = posed;
                self.rasterize(&primitive.indices);
            }
        }
        self.matrices = matrices;
    }

    fn rasterize(&mut self, indices: &[u32]) {
        for triangle in indices.as_chunks::<3>().0 {
            let corner = |i: usize| self.projected.get(triangle[i] as usize).copied().flatten();
            // Skips triangles that extend behind the eye. These triangles cover at most the edge of the image.
            if let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) {
                self.rasterize_triangle([a, b, c]);
            }
        }
    }

    fn rasterize_triangle(&mut self, corners: [ProjectedPoint; 3]) {
        let [a, b, c] = corners.map(|corner| corner.position);
        let [inverse_a, inverse_b, inverse_c] = corners.map(|corner| corner.inverse_depth);
        let last = Vec2::new(self.width as f32, self.height as f32);
        let low = (a.min(b).min(c) - 0.5).ceil().clamp(Vec2::ZERO, last);
        let high = (a.max(b).max(c) - 0.5).floor().clamp(Vec2::NEG_ONE, last - 1.0);
        if low.x > high.x || low.y > high.y {
            // Most triangles are between the centres of cells.
            return;
        }
        let area = (b - a).perp_dot(c - a);
        if area.is_nan() || area.abs() < 1e-9 {
            return;
        }
        for y in low.y as i32..=high.y as i32 {
            for x in low.x as i32..=high.x as i32 {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let (u, v) = ((c - b).perp_dot(p - b) / area, (a - c).perp_dot(p - c) / area);
                let w = 1.0 - u - v;
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    // 1 / depth is linear in screen space; depth is not.
                    let cell = &mut self.inverse_depth[y as usize * self.width + x as usize];
                    *cell = cell.max(inverse_a * u + inverse_b * v + inverse_c * w);
                }
            }
        }
    }

    /// Returns whether the surface is more than `margin` metres in front of a point. Bones are inside the surface, so
    /// the margin should be about the thickness of a limb. Returns `false` outside the image.
    pub fn hides(&self, world: Vec3, margin: f32) -> bool {
        let Some(view) = &self.view else { return false };
        let Some(seen) = view.project(world) else { return false };
        let at = seen.pixel / (view.rect.valid_size().max_element() / Self::CELLS_ALONG_LONGER_SIDE);
        if !(at.x >= 0.0 && at.y >= 0.0 && at.x < self.width as f32 && at.y < self.height as f32) {
            return false;
        }
        let nearness = self.inverse_depth[at.y as usize * self.width + at.x as usize];
        nearness > 0.0 && 1.0 / nearness + margin < seen.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId, Mesh, Pose, Primitive, Skeleton};

    fn wall() -> Character {
        let bone = Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let p = Primitive {
            positions: corners.iter().map(|(x, y)| Vec3::new(*x, *y, 0.0)).collect(),
            indices: vec![0, 1, 2, 0, 2, 3, 0, 0, 0, 7, 8, 9],
            ..Primitive::default()
        };
        let mesh = Mesh {
            name: "wall".to_owned(),
            bone: BoneId(0),
            skin: None,
            primitives: vec![p],
            morph_weights: vec![],
            is_hidden: false,
        };
        let skeleton = Skeleton::new(vec![bone]).expect("one root");
        Character { skeleton, meshes: vec![mesh], ..Character::default() }
    }

    #[test]
    fn a_wall_hides_only_points_behind_its_margin() {
        let character = wall();
        let pose = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let camera = OrbitCamera { target: Vec3::ZERO, distance: 6.0, pitch: 0.2, ..OrbitCamera::default() };
        let view = camera.view(&ViewRect::uncovered(Vec2::new(640.0, 400.0)));
        let mut occlusion = Occlusion::default();
        assert!(!occlusion.hides(Vec3::NEG_Z, 0.05), "before the first update");
        occlusion.update(&character, &pose, &[], &view);
        assert!(occlusion.hides(Vec3::NEG_Z, 0.05));
        assert!(!occlusion.hides(Vec3::NEG_Z * 0.02, 0.05), "inside the margin");
        assert!(!occlusion.hides(Vec3::Z, 0.05), "in front");
        assert!(!occlusion.hides(Vec3::new(1.8, 0.0, -1.0), 0.05), "next to the wall");
        assert!(!occlusion.hides(Vec3::splat(1e6), 0.05) && !occlusion.hides(Vec3::NAN, 0.05));
        occlusion.update(&character, &pose, &[false], &view);
        assert!(!occlusion.hides(Vec3::NEG_Z, 0.05), "hidden meshes hide nothing");
    }
}
