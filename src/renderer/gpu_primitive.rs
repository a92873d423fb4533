use crate::rig::{Character, Primitive};
use crate::stage::skinning::{effective_skin, sanitize_weights};
use glam::Vec3;
use three_d::{Context, ElementBuffer, Program, VertexBuffer};

/// Triangles on the GPU.
pub(super) struct GpuPrimitive {
    /// Index into the character's meshes.
    pub(super) mesh: usize,
    /// Index into the character's materials; may be out of range.
    pub(super) material: usize,
    /// Index into the character's skins.
    pub(super) skin: Option<usize>,
    /// Middle of the vertices, mesh space.
    pub(super) center: Vec3,
    /// A joint that stands for the whole when sorting and when asking for mirrors.
    pub(super) representative_joint: u16,
    positions: VertexBuffer<[f32; 3]>,
    normals: VertexBuffer<[f32; 3]>,
    uvs: VertexBuffer<[f32; 2]>,
    colors: Option<VertexBuffer<[f32; 4]>>,
    skinning: Option<SkinningBuffers>,
    indices: ElementBuffer<u32>,
    morphs: Option<MorphState>,
}

impl GpuPrimitive {
    /// `None` where there is nothing to draw; triangles that point past the vertices are left out.
    pub(super) fn new(context: &Context, character: &Character, mesh_index: usize, p: &Primitive) -> Option<Self> {
        let mesh = &character.meshes[mesh_index];
        let count = p.positions.len();
        let inside = |t: &&[u32]| t.iter().all(|i| (*i as usize) < count);
        let indices: Vec<u32> =
            p.indices.as_chunks::<3>().0.iter().map(|t| &t[..]).filter(inside).flatten().copied().collect();
        if indices.is_empty() {
            return None;
        }
        let skin = effective_skin(character, mesh, p);
        let (joint, skinning) = match skin {
            Some(skin) => {
                let (joints, weights) = sanitized_skinning(p, character.skins[skin].joints.len());
                let joint = joints[indices[0] as usize][0];
                (
                    joint,
                    Some((
                        VertexBuffer::new_with_data(context, &joints),
                        VertexBuffer::new_with_data(context, &weights),
                    )),
                )
            }
            None => (0, None),
        };
        let positions: Vec<[f32; 3]> = p.positions.iter().map(Vec3::to_array).collect();
        let normals: Vec<[f32; 3]> = (0..count).map(|i| p.normals.get(i).unwrap_or(&Vec3::Y).to_array()).collect();
        let uvs: Vec<[f32; 2]> = (0..count).map(|i| p.uvs.get(i).copied().unwrap_or_default().to_array()).collect();
        let colors = (p.colors.len() == count).then(|| VertexBuffer::new_with_data(context, &p.colors));
        Some(Self {
            mesh: mesh_index,
            material: p.material,
            skin,
            center: bounds_center(&p.positions),
            representative_joint: joint,
            positions: VertexBuffer::new_with_data(context, &positions),
            normals: VertexBuffer::new_with_data(context, &normals),
            uvs: VertexBuffer::new_with_data(context, &uvs),
            colors,
            skinning,
            indices: ElementBuffer::new_with_data(context, &indices),
            morphs: MorphState::new(p, positions, normals),
        })
    }

    /// Brings the vertices up to the morph weights, if these changed.
    pub(super) fn update_morphs(&mut self, weights: &[f32]) {
        if let Some(morphs) = &mut self.morphs
            && morphs.apply(weights)
        {
            self.positions.fill(&morphs.current.0);
            self.normals.fill(&morphs.current.1);
        }
    }

    pub(super) fn has_colors(&self) -> bool {
        self.colors.is_some()
    }

    pub(super) fn indices(&self) -> &ElementBuffer<u32> {
        &self.indices
    }

    /// Hands the vertices to a program; what the program does not read is left out.
    pub(super) fn bind(&self, program: &Program) {
        program.use_vertex_attribute("position", &self.positions);
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        if program.requires_attribute("uv") {
            program.use_vertex_attribute("uv", &self.uvs);
        }
        if let Some(colors) = self.colors.as_ref().filter(|_| program.requires_attribute("color")) {
            program.use_vertex_attribute("color", colors);
        }
        if let Some((joints, weights)) = &self.skinning
            && program.requires_attribute("joints")
        {
            program.use_vertex_attribute("joints", joints);
            program.use_vertex_attribute("weights", weights);
        }
    }
}

type SkinningBuffers = (VertexBuffer<[u16; 4]>, VertexBuffer<[f32; 4]>);

fn sanitized_skinning(p: &Primitive, palette: usize) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
    p.joints.iter().zip(&p.weights).map(|(j, w)| sanitize_weights(*j, *w, palette)).unzip()
}

fn bounds_center(positions: &[Vec3]) -> Vec3 {
    let finite = || positions.iter().copied().filter(|p| p.is_finite());
    let low = finite().reduce(Vec3::min).unwrap_or_default();
    let high = finite().reduce(Vec3::max).unwrap_or_default();
    (low + high) * 0.5
}

type VertexData = (Vec<[f32; 3]>, Vec<[f32; 3]>);

/// What morph targets add: only the vertices they move.
struct MorphState {
    base: VertexData,
    current: VertexData,
    targets: Vec<Vec<(u32, Vec3, Vec3)>>,
    weights: Vec<f32>,
}

impl MorphState {
    fn new(p: &Primitive, positions: Vec<[f32; 3]>, normals: Vec<[f32; 3]>) -> Option<Self> {
        if p.morphs.is_empty() {
            return None;
        }
        let sparse = |target: &crate::rig::MorphTarget| {
            let offsets = (0..positions.len()).map(|i| {
                let [position, normal] =
                    [&target.positions, &target.normals].map(|v| v.get(i).copied().unwrap_or_default());
                (i as u32, position, normal)
            });
            offsets
                .filter(|(_, p, n)| (*p != Vec3::ZERO || *n != Vec3::ZERO) && p.is_finite() && n.is_finite())
                .collect()
        };
        let targets: Vec<Vec<_>> = p.morphs.iter().map(sparse).collect();
        let weights = vec![0.0; targets.len()];
        let base = (positions, normals);
        Some(Self { current: base.clone(), base, targets, weights })
    }

    /// Whether anything moved.
    fn apply(&mut self, weights: &[f32]) -> bool {
        let wanted = |i: usize| weights.get(i).copied().filter(|w| w.is_finite()).unwrap_or(0.0);
        if (0..self.weights.len()).all(|i| self.weights[i] == wanted(i)) {
            return false;
        }
        self.current.0.copy_from_slice(&self.base.0);
        self.current.1.copy_from_slice(&self.base.1);
        for (i, target) in self.targets.iter().enumerate() {
            let weight = wanted(i);
            self.weights[i] = weight;
            if weight == 0.0 {
                continue;
            }
            for (vertex, position, normal) in target {
                let v = *vertex as usize;
                self.current.0[v] = (Vec3::from(self.current.0[v]) + *position * weight).to_array();
                self.current.1[v] = (Vec3::from(self.current.1[v]) + *normal * weight).to_array();
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::MorphTarget;

    #[test]
    fn morphs_add_up_and_unchanged_weights_are_skipped() {
        let target = |x: f32| MorphTarget { positions: vec![Vec3::ZERO, Vec3::X * x], normals: vec![] };
        let p = Primitive { morphs: vec![target(1.0), target(4.0)], ..Primitive::default() };
        let mut morphs = MorphState::new(&p, vec![[0.0; 3]; 2], vec![[0.0, 1.0, 0.0]; 2]).expect("two targets");
        assert!(!morphs.apply(&[0.0, 0.0]));
        assert!(morphs.apply(&[0.5, 0.25]));
        assert_eq!(morphs.current.0, [[0.0; 3], [1.5, 0.0, 0.0]]);
        assert!(!morphs.apply(&[0.5, 0.25, 9.0]));
        assert!(morphs.apply(&[f32::NAN]));
        assert_eq!(morphs.current.0[1], [0.0; 3]);
    }
}
