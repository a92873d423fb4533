use super::gl;
use super::gpu_primitive::GpuPrimitive;
use super::material::{GpuMaterial, TextureCache};
use super::shadow::SurfaceSamples;
use crate::rig::{AlphaMode, BoneId, Character, Material, Pose, Skin, WorldPose};
use crate::stage::skinning::SkinMatrices;
use glam::{Mat4, Vec3};
use three_d::{Context, Texture2D};

/// Texels across a joint texture: 512 joints of four.
const JOINT_TEXTURE_WIDTH: u32 = 2048;

/// A character on the GPU.
pub(super) struct GpuCharacter {
    pub(super) primitives: Vec<GpuPrimitive>,
    materials: Vec<GpuMaterial>,
    /// What primitives without a valid material wear.
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
        let materials = character.materials.iter().map(|m| textures.material(m)).collect();
        let plain = textures.material(&Material::default());
        let primitives = character.meshes.iter().enumerate().flat_map(|(index, mesh)| {
            mesh.primitives.iter().filter_map(move |p| GpuPrimitive::new(context, character, index, p))
        });
        let joint_texture = |skin: &Skin| {
            let joints = skin.joints.len() as u32;
            let (width, height) = ((joints * 4).min(JOINT_TEXTURE_WIDTH), (joints * 4).div_ceil(JOINT_TEXTURE_WIDTH));
            (joints > 0).then(|| gl::data_texture::<[f32; 4]>(context, width, height, false))
        };
        // Posed at rest, so that there are bounds to frame before anything is drawn.
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let palettes = SkinMatrices::of(&character.skins, &rest);
        let mut samples = SurfaceSamples::new(character);
        samples.update_pose(&palettes, &rest, |_| true);
        Self {
            primitives: primitives.collect(),
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

    /// Computes and uploads the joints, and the morphs that changed.
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

    pub(super) fn material(&self, primitive: &GpuPrimitive) -> &GpuMaterial {
        self.materials.get(primitive.material).unwrap_or(&self.default_material)
    }

    pub(super) fn is_blended(&self, primitive: &GpuPrimitive) -> bool {
        self.material(primitive).alpha == AlphaMode::Blend
    }

    pub(super) fn joint_texture(&self, primitive: &GpuPrimitive) -> Option<&Texture2D> {
        self.joint_textures.get(primitive.skin?)?.as_ref()
    }

    /// World from mesh space; for a skinned primitive that of the joint that stands for it.
    pub(super) fn world_transform(&self, primitive: &GpuPrimitive, pose: &WorldPose) -> Mat4 {
        let found = if let Some(skin) = primitive.skin {
            self.palettes.joint_matrices(skin).get(usize::from(primitive.representative_joint)).copied()
        } else {
            pose.frames.get(self.mesh_bones[primitive.mesh].index()).map(|f| Mat4::from(f.to_affine()))
        };
        found.unwrap_or(Mat4::IDENTITY)
    }

    /// Blended primitives, the farthest first; equal ones as in the file.
    pub(super) fn blended_back_to_front(&self, eye: Vec3, forward: Vec3, pose: &WorldPose) -> Vec<usize> {
        let depth = |index: usize| {
            let primitive = &self.primitives[index];
            (self.world_transform(primitive, pose).transform_point3(primitive.center) - eye).dot(forward)
        };
        let blended = (0..self.primitives.len()).filter(|i| self.is_blended(&self.primitives[*i]));
        let mut order: Vec<(usize, f32)> = blended.map(|i| (i, depth(i))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter().map(|(i, _)| i).collect()
    }
}
