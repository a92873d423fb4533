use super::CameraView;
use super::skinning::{SkinMatrices, posed_positions_into};
use crate::rig::{AlphaMode, Character, WorldPose};
use glam::{Vec2, Vec3};

/// How far the character's surface is from the eye, on a coarse raster made by the CPU.
///
/// Answers whether something that is drawn over the picture lies behind the character, without reading depth
/// back from the GPU. A fourth of a million triangles a frame is too much for it; then update it more seldom.
#[derive(Clone, Debug, Default)]
pub struct Occlusion {
    view: Option<CameraView>,
    width: usize,
    height: usize,
    /// One over metres; zero where nothing is.
    inverse_depth: Vec<f32>,
    palettes: SkinMatrices,
    posed: Vec<Vec3>,
    projected: Vec<Option<(Vec2, f32)>>,
}

impl Occlusion {
    /// Cells along the longer side.
    const CELLS_ALONG_LONGER_SIDE: f32 = 192.0;

    /// Looks at the character anew; blended materials hide nothing. Meshes past the end of `visible` are shown.
    pub fn update(&mut self, character: &Character, pose: &WorldPose, visible: &[bool], shot: &CameraView) {
        let size = shot.rect.valid_size();
        let cell = size.max_element() / Self::CELLS_ALONG_LONGER_SIDE;
        let cells = (size / cell).ceil().max(Vec2::ONE);
        (self.width, self.height) = (cells.x as usize, cells.y as usize);
        self.inverse_depth.clear();
        self.inverse_depth.resize(self.width * self.height, 0.0);
        self.view = Some(*shot);
        let mut palettes = std::mem::take(&mut self.palettes);
        palettes.update(&character.skins, pose);
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
                posed_positions_into(character, mesh, primitive, &palettes, pose, &mut posed);
                self.projected.clear();
                self.projected.extend(posed.iter().map(|p| shot.project(*p).map(|s| (s.pixel / cell, 1.0 / s.depth))));
                self.posed = posed;
                self.rasterize(&primitive.indices);
            }
        }
        self.palettes = palettes;
    }

    fn rasterize(&mut self, indices: &[u32]) {
        for triangle in indices.as_chunks::<3>().0 {
            let corner = |i: usize| self.projected.get(triangle[i] as usize).copied().flatten();
            // What reaches behind the eye is left out; it fills the picture's edge at most.
            if let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) {
                self.rasterize_triangle(a, b, c);
            }
        }
    }

    fn rasterize_triangle(&mut self, (a, na): (Vec2, f32), (b, nb): (Vec2, f32), (c, nc): (Vec2, f32)) {
        let area = (b - a).perp_dot(c - a);
        if area.is_nan() || area.abs() < 1e-9 {
            return;
        }
        let last = Vec2::new(self.width as f32, self.height as f32);
        let low = (a.min(b).min(c) - 0.5).ceil().clamp(Vec2::ZERO, last);
        let high = (a.max(b).max(c) - 0.5).floor().clamp(Vec2::NEG_ONE, last - 1.0);
        for y in low.y as i32..=high.y as i32 {
            for x in low.x as i32..=high.x as i32 {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let (u, v) = ((c - b).perp_dot(p - b) / area, (a - c).perp_dot(p - c) / area);
                let w = 1.0 - u - v;
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    // One over depth runs straight across the picture, depth does not.
                    let cell = &mut self.inverse_depth[y as usize * self.width + x as usize];
                    *cell = cell.max(na * u + nb * v + nc * w);
                }
            }
        }
    }

    /// Whether the surface is more than `margin` metres in front of a point; bones lie inside what they move, so
    /// the margin wants to be about a limb's thickness. `false` outside the picture.
    pub fn hides(&self, world: Vec3, margin: f32) -> bool {
        let Some(shot) = &self.view else { return false };
        let Some(seen) = shot.project(world) else { return false };
        let at = seen.pixel / (shot.rect.valid_size().max_element() / Self::CELLS_ALONG_LONGER_SIDE);
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
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId, Mesh, Pose, Primitive, Skeleton};
    use crate::stage::{OrbitCamera, ViewRect};

    fn wall() -> Character {
        let bone = Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let p = Primitive {
            positions: corners.iter().map(|(x, y)| Vec3::new(*x, *y, 0.0)).collect(),
            indices: vec![0, 1, 2, 0, 2, 3, 0, 0, 0, 7, 8, 9],
            ..Primitive::default()
        };
        let mesh =
            Mesh { name: "wall".to_owned(), bone: BoneId(0), skin: None, primitives: vec![p], morph_weights: vec![] };
        let skeleton = Skeleton::new(vec![bone]).expect("one root");
        Character { skeleton, meshes: vec![mesh], ..Character::default() }
    }

    #[test]
    fn a_wall_hides_only_points_behind_its_margin() {
        let character = wall();
        let pose = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let camera = OrbitCamera { target: Vec3::ZERO, distance: 6.0, pitch: 0.2, ..OrbitCamera::default() };
        let shot = camera.view(&ViewRect::uncovered(Vec2::new(640.0, 400.0)));
        let mut occlusion = Occlusion::default();
        assert!(!occlusion.hides(Vec3::NEG_Z, 0.05), "nothing was looked at yet");
        occlusion.update(&character, &pose, &[], &shot);
        assert!(occlusion.hides(Vec3::NEG_Z, 0.05));
        assert!(!occlusion.hides(Vec3::NEG_Z * 0.02, 0.05), "inside the margin");
        assert!(!occlusion.hides(Vec3::Z, 0.05), "in front");
        assert!(!occlusion.hides(Vec3::new(1.8, 0.0, -1.0), 0.05), "beside");
        assert!(!occlusion.hides(Vec3::splat(1e6), 0.05) && !occlusion.hides(Vec3::NAN, 0.05));
        occlusion.update(&character, &pose, &[false], &shot);
        assert!(!occlusion.hides(Vec3::NEG_Z, 0.05), "hidden meshes hide nothing");
    }
}
