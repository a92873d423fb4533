use super::gl;
use super::material::{GpuMaterial, TextureCache};
use super::shader_variant::ShaderVariant;
use super::shadow::SurfaceSamples;
use glam::{Mat4, Vec3};
use std::collections::BTreeSet;
use three_d::{Context, ElementBuffer, Program, Texture2D, VertexBuffer};
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, sanitize_weights};
use yuremono_sim::rig::{AlphaMode, BoneId, Character, Material, Pose, Primitive, Skin, WorldPose};

/// Width of a joint texture in texels: 512 joints of four texels.
const JOINT_TEXTURE_WIDTH: u32 = 2048;

pub(super) struct GpuCharacter {
    pub(super) primitives: Vec<GpuPrimitive>,
    materials: Vec<GpuMaterial>,
    /// The material of primitives without a valid material.
    default_material: GpuMaterial,
    mesh_bones: Vec<BoneId>,
    authored_morphs: Vec<Vec<f32>>,
    skins: Vec<Skin>,
    joint_textures: Vec<Option<Texture2D>>,
    texels: Vec<[f32; 4]>,
    pub(super) palettes: SkinMatrices,
    pub(super) surface_samples: SurfaceSamples,
}

impl GpuCharacter {
    pub(super) fn new(context: &Context, character: &Character) -> Self {
        let mut textures = TextureCache::new(context, character);
        let materials: Vec<GpuMaterial> = character.materials.iter().map(|m| textures.material(m)).collect();
        let plain = textures.material(&Material::default());
        let primitives = character.meshes.iter().enumerate().flat_map(|(index, mesh)| {
            mesh.primitives.iter().filter_map(move |p| GpuPrimitive::new(context, character, index, p))
        });
        let mut primitives: Vec<GpuPrimitive> = primitives.collect();
        for primitive in &mut primitives {
            let material = materials.get(primitive.material).unwrap_or(&plain);
            let is_skinned = primitive.skin.is_some();
            primitive.surface_variant = material.surface_variant(is_skinned, primitive.colors.is_some());
            primitive.outline_variant = material.outline_variant(is_skinned);
            primitive.ghost_variant = material.ghost_variant(is_skinned);
        }
        let joint_texture = |skin: &Skin| {
            let joints = skin.joints.len() as u32;
            let (width, height) = ((joints * 4).min(JOINT_TEXTURE_WIDTH), (joints * 4).div_ceil(JOINT_TEXTURE_WIDTH));
            (joints > 0).then(|| gl::data_texture::<[f32; 4]>(context, width, height, false))
        };
        // The rest pose provides bounds before the first draw.
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let palettes = SkinMatrices::of(&character.skins, &rest);
        let mut samples = SurfaceSamples::new(character);
        samples.update_pose(&palettes, &rest, |_| true);
        Self {
            primitives,
            materials,
            default_material: plain,
            mesh_bones: character.meshes.iter().map(|m| m.bone).collect(),
            authored_morphs: character.meshes.iter().map(|m| m.morph_weights.clone()).collect(),
            skins: character.skins.clone(),
            joint_textures: character.skins.iter().map(joint_texture).collect(),
            texels: Vec::new(),
            palettes,
            surface_samples: samples,
        }
    }

    /// Computes and uploads the joint matrices and the changed morphs.
    pub(super) fn update_pose(&mut self, pose: &WorldPose, morph_weights: &[Vec<f32>]) {
        self.palettes.update(&self.skins, pose);
        for (skin, texture) in self.joint_textures.iter().enumerate() {
            let Some(texture) = texture else { continue };
            self.texels.clear();
            self.texels.extend(self.palettes.joint_matrices(skin).iter().flat_map(Mat4::to_cols_array_2d));
            self.texels.resize((texture.width() * texture.height()) as usize, [0.0; 4]);
            texture.fill(&self.texels);
        }
        for primitive in &mut self.primitives {
            let authored = &self.authored_morphs[primitive.mesh];
            primitive.update_morphs(morph_weights.get(primitive.mesh).unwrap_or(authored));
        }
    }

    pub(super) fn has_animated_textures(&self) -> bool {
        self.materials.iter().any(|material| material.uv_animation().is_some())
    }

    pub(super) fn material(&self, primitive: &GpuPrimitive) -> &GpuMaterial {
        self.materials.get(primitive.material).unwrap_or(&self.default_material)
    }

    /// Returns the variants of the shaders that draw the character.
    pub(super) fn shader_variants(&self) -> BTreeSet<ShaderVariant> {
        let variants = |primitive: &GpuPrimitive| {
            [Some(primitive.surface_variant), primitive.outline_variant, Some(primitive.ghost_variant)]
        };
        self.primitives.iter().flat_map(variants).flatten().collect()
    }

    /// Returns the indices of the primitives that are drawn without blending: opaque ones before cut-out ones.
    pub(super) fn unblended(&self) -> Vec<usize> {
        let alpha = |index: &usize| self.material(&self.primitives[*index]).alpha;
        let mut order: Vec<usize> = (0..self.primitives.len()).filter(|i| alpha(i) != AlphaMode::Blend).collect();
        order.sort_by_key(|index| alpha(index) != AlphaMode::Opaque);
        let split = (0..self.primitives.len()).filter(|i| self.material(&self.primitives[*i]).splits_opaque_texels());
        order.extend(split);
        order
    }

    pub(super) fn mesh_bone(&self, primitive: &GpuPrimitive) -> BoneId {
        self.mesh_bones[primitive.mesh]
    }

    pub(super) fn has_blended_parts(&self) -> bool {
        self.primitives.iter().any(|primitive| self.material(primitive).alpha == AlphaMode::Blend)
    }

    pub(super) fn joint_texture(&self, primitive: &GpuPrimitive) -> Option<&Texture2D> {
        self.joint_textures.get(primitive.skin?)?.as_ref()
    }

    /// Returns the transform from mesh space to world space. A skinned primitive uses the transform of its
    /// representative joint.
    pub(super) fn world_transform(&self, primitive: &GpuPrimitive, pose: &WorldPose) -> Mat4 {
        let found = if let Some(skin) = primitive.skin {
            self.palettes.joint_matrices(skin).get(usize::from(primitive.representative_joint)).copied()
        } else {
            pose.frames.get(self.mesh_bones[primitive.mesh].index()).map(|f| Mat4::from(f.to_affine()))
        };
        found.unwrap_or(Mat4::IDENTITY)
    }

    /// Returns the indices of the blended primitives in the order of their materials, then the farthest first.
    /// Primitives at equal distances keep the order of the file.
    pub(super) fn blended_in_order(&self, eye: Vec3, forward: Vec3, pose: &WorldPose) -> Vec<usize> {
        let depth = |primitive: &GpuPrimitive| {
            (self.world_transform(primitive, pose).transform_point3(primitive.center) - eye).dot(forward)
        };
        let key = |index: usize| {
            let primitive = &self.primitives[index];
            let material = self.material(primitive);
            let order = material.blend_order;
            (material.alpha == AlphaMode::Blend).then(|| (!order.writes_depth, order.queue, depth(primitive), index))
        };
        let mut order: Vec<_> = (0..self.primitives.len()).filter_map(key).collect();
        order.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
        order.into_iter().map(|(.., index)| index).collect()
    }
}

pub(super) struct GpuPrimitive {
    /// Index into the character's meshes.
    pub(super) mesh: usize,
    /// Index into the character's materials. The index may be out of range.
    pub(super) material: usize,
    /// Index into the character's skins.
    pub(super) skin: Option<usize>,
    /// Centre of the vertices in mesh space.
    pub(super) center: Vec3,
    /// The joint whose transform sorts the primitive by depth and decides whether the primitive is mirrored.
    pub(super) representative_joint: u16,
    positions: VertexBuffer<[f32; 3]>,
    normals: VertexBuffer<[f32; 3]>,
    uvs: VertexBuffer<[f32; 2]>,
    pub(super) colors: Option<VertexBuffer<[f32; 4]>>,
    skinning: Option<SkinningBuffers>,
    /// The shader of the surface. The character sets both variants after the upload of the materials.
    pub(super) surface_variant: ShaderVariant,
    /// The shader of the outline; `None` without an outline.
    pub(super) outline_variant: Option<ShaderVariant>,
    pub(super) ghost_variant: ShaderVariant,
    /// The joints of the skin that move a vertex, in ascending order.
    pub(super) used_joints: Vec<u16>,
    pub(super) indices: ElementBuffer<u32>,
    morphs: Option<MorphState>,
}

impl GpuPrimitive {
    /// Returns `None` if there are no triangles. Triangles with invalid indices are dropped.
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
        let mut used_joints = BTreeSet::new();
        let (joint, skinning) = match skin {
            Some(skin) => {
                let (joints, weights) = sanitized_skinning(p, character.skins[skin].joints.len());
                let joint = joints[indices[0] as usize][0];
                let moving = joints.iter().flatten().zip(weights.iter().flatten()).filter(|(_, weight)| **weight > 0.0);
                used_joints.extend(moving.map(|(joint, _)| *joint));
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
            surface_variant: ShaderVariant::default(),
            outline_variant: None,
            ghost_variant: ShaderVariant::default(),
            used_joints: used_joints.into_iter().collect(),
            indices: ElementBuffer::new_with_data(context, &indices),
            morphs: MorphState::new(p, positions, normals),
        })
    }

    /// Updates the vertices if the morph weights changed.
    pub(super) fn update_morphs(&mut self, weights: &[f32]) {
        if let Some(morphs) = &mut self.morphs
            && morphs.apply(weights)
        {
            self.positions.fill(&morphs.current.0);
            self.normals.fill(&morphs.current.1);
        }
    }

    /// Binds the vertex buffers that the program reads.
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

/// The vertices that morph targets move, with their deltas.
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
        let sparse = |target: &yuremono_sim::rig::MorphTarget| {
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

    /// Returns whether a vertex moved.
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
    use yuremono_sim::rig::MorphTarget;

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
