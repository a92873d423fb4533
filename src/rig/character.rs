//! A character: bones, humanoid roles, meshes, materials, images and clips.

use super::{BoneId, Clip, Skeleton};
use glam::{Mat4, Vec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Direction of a character's face in the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// glTF and VRM 1.0.
    #[default]
    PlusZ,
    /// VRM 0.x.
    MinusZ,
}

/// The contents of a character file, except simulation parameters.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// File name without folder.
    pub name: String,
    /// Name of the format, for example "VRM 1.0".
    pub format_name: String,
    /// Bones of the file.
    pub skeleton: Skeleton,
    /// One entry per bone with a mesh.
    pub meshes: Vec<Mesh>,
    /// Indexed by [`Mesh::skin`].
    pub skins: Vec<Skin>,
    /// Indexed by [`Primitive::material`]; never empty if there are primitives.
    pub materials: Vec<Material>,
    /// Indexed by [`TextureRef::image`].
    pub images: Vec<Arc<Image>>,
    /// Animations of the file.
    pub clips: Vec<Clip>,
    /// Humanoid bones; empty if the file has no humanoid bones.
    pub humanoid: Humanoid,
    /// Direction of the face in the rest pose.
    pub facing: Facing,
}

impl Character {
    /// Replaces the clips of a range, and numbers new clips whose names are taken.
    pub fn replace_clips(&mut self, range: Range<usize>, mut clips: Vec<Clip>) {
        let at = range.start;
        self.clips.drain(range);
        let mut taken: BTreeSet<String> = self.clips.iter().map(|clip| clip.name.clone()).collect();
        // The last number of each name, so that clips with the same name do not restart the search at 2.
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        for clip in &mut clips {
            if taken.contains(&clip.name) {
                let number = numbers.entry(clip.name.clone()).or_insert(1);
                let mut numbered = std::iter::repeat_with(|| {
                    *number += 1;
                    format!("{} {number}", clip.name)
                });
                clip.name = numbered.find(|name| !taken.contains(name)).unwrap_or_default();
            }
            taken.insert(clip.name.clone());
        }
        self.clips.splice(at..at, clips);
    }
}

/// A mesh on a bone.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Name of the mesh, or of its bone.
    pub name: String,
    /// Parent bone; ignored if skinned.
    pub bone: BoneId,
    /// Index into [`Character::skins`].
    pub skin: Option<usize>,
    /// Triangles by material.
    pub primitives: Vec<Primitive>,
    /// Default weight per morph target.
    pub morph_weights: Vec<f32>,
}

/// Triangles of one material. Each non-empty attribute has one entry per vertex.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Unit length; computed from the triangles if the file has no normals.
    pub normals: Vec<Vec3>,
    /// First texture coordinates, V downwards like in glTF; zeros if the file has no coordinates.
    pub uvs: Vec<Vec2>,
    /// Linear RGBA; empty if the file has no vertex colours.
    pub colors: Vec<[f32; 4]>,
    /// Joints per vertex as indices into the skin; empty if unskinned.
    pub joints: Vec<[u16; 4]>,
    /// Weights of `joints`, with sum 1.
    pub weights: Vec<[f32; 4]>,
    /// Three per triangle, all in range.
    pub indices: Vec<u32>,
    /// Index into [`Character::materials`].
    pub material: usize,
    /// One entry per morph target.
    pub morphs: Vec<MorphTarget>,
}

/// Vertex offsets of a morph target at weight 1; either list may be empty.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Offsets of normals.
    pub normals: Vec<Vec3>,
}

/// The bones that deform a mesh.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Indexed by [`Primitive::joints`].
    pub joints: Vec<BoneId>,
    /// Inverse bind matrices: mesh space to bone space, one per joint.
    pub inverse_binds: Vec<Mat4>,
}

/// Transparency of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Opaque.
    #[default]
    Opaque,
    /// Invisible below this alpha.
    Mask(f32),
    /// Alpha blending.
    Blend,
}

/// Texture addressing outside 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// Repeats.
    #[default]
    Repeat,
    /// Repeats, mirrored every other time.
    Mirror,
    /// Repeats the edge texel.
    Clamp,
}

/// A texture in a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index into [`Character::images`].
    pub image: usize,
    /// Horizontal and vertical addressing.
    pub wrap: [TextureWrap; 2],
    /// `KHR_texture_transform`: uv' = offset + rotate(scale * uv).
    pub offset: Vec2,
    /// Scale, see `offset`.
    pub scale: Vec2,
    /// Rotation in radians, see `offset`.
    pub rotation: f32,
    /// Whether magnification uses the nearest texel.
    pub nearest: bool,
}

/// Two-tone shading of `MToon`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToonShading {
    /// Linear RGB factor of the shade texture.
    pub shade_color: [f32; 3],
    /// Texture of the shaded side; white if absent.
    pub shade_texture: Option<TextureRef>,
    /// -1..=1: shifts the border towards the light.
    pub shading_shift: f32,
    /// 0..=1: sharpness of the border; 1 is a hard border.
    pub shading_toony: f32,
}

/// Lighting of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shading {
    /// Soft light from the camera.
    #[default]
    Lit,
    /// Unlit.
    Unlit,
    /// Two tones.
    Toon(ToonShading),
}

/// Appearance of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// Texture of the base colour.
    pub base_texture: Option<TextureRef>,
    /// Linear RGB.
    pub emissive: [f32; 3],
    /// Texture of the emission.
    pub emissive_texture: Option<TextureRef>,
    /// Transparency.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Lighting.
    pub shading: Shading,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            base_color: [1.0; 4],
            base_texture: None,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            shading: Shading::Lit,
        }
    }
}

/// A decoded image: sRGB, RGBA, 8 bits per channel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub rgba: Vec<u8>,
}

impl Image {
    /// A grey and violet checkerboard in place of an image that could not be read.
    pub fn placeholder() -> Self {
        const SIDE: u32 = 8;
        let texel =
            |i: u32| if (i % SIDE + i / SIDE).is_multiple_of(2) { [150, 120, 190, 255] } else { [70, 70, 78, 255] };
        Self { width: SIDE, height: SIDE, rgba: (0..SIDE * SIDE).flat_map(texel).collect() }
    }
}

/// Humanoid bone names of VRM 1.0, torso first.
pub const HUMANOID_ROLES: &[&str] = &[
    "hips",
    "spine",
    "chest",
    "upperChest",
    "neck",
    "head",
    "leftEye",
    "rightEye",
    "jaw",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "rightToes",
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightShoulder",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftThumbMetacarpal",
    "leftThumbProximal",
    "leftThumbDistal",
    "leftIndexProximal",
    "leftIndexIntermediate",
    "leftIndexDistal",
    "leftMiddleProximal",
    "leftMiddleIntermediate",
    "leftMiddleDistal",
    "leftRingProximal",
    "leftRingIntermediate",
    "leftRingDistal",
    "leftLittleProximal",
    "leftLittleIntermediate",
    "leftLittleDistal",
    "rightThumbMetacarpal",
    "rightThumbProximal",
    "rightThumbDistal",
    "rightIndexProximal",
    "rightIndexIntermediate",
    "rightIndexDistal",
    "rightMiddleProximal",
    "rightMiddleIntermediate",
    "rightMiddleDistal",
    "rightRingProximal",
    "rightRingIntermediate",
    "rightRingDistal",
    "rightLittleProximal",
    "rightLittleIntermediate",
    "rightLittleDistal",
];

/// The humanoid bones of a skeleton, by their names in [`HUMANOID_ROLES`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    bones: BTreeMap<&'static str, BoneId>,
}

impl Humanoid {
    /// Assigns a humanoid bone. Unknown roles are ignored and return `false`.
    pub fn set(&mut self, role: &str, bone: BoneId) -> bool {
        let known = HUMANOID_ROLES.iter().find(|r| **r == role);
        if let Some(known) = known {
            self.bones.insert(known, bone);
        }
        known.is_some()
    }

    /// The bone of a role.
    pub fn bone(&self, role: &str) -> Option<BoneId> {
        self.bones.get(role).copied()
    }

    /// The role of a bone.
    pub fn role(&self, bone: BoneId) -> Option<&'static str> {
        self.bones.iter().find(|(_, b)| **b == bone).map(|(role, _)| *role)
    }

    /// All roles with their bones, in alphabetical order of role.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, BoneId)> + '_ {
        self.bones.iter().map(|(role, bone)| (*role, *bone))
    }

    /// Whether no role has a bone.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_clips_of_one_name_are_numbered_in_their_order() {
        let clip = || Clip { name: "Walk".to_owned(), duration: 1.0, channels: Vec::new() };
        let mut character = Character { clips: vec![clip()], ..Character::default() };
        // Testing every number for each clip would take minutes.
        character.replace_clips(1..1, std::iter::repeat_with(clip).take(20_000).collect());
        let names: Vec<&str> = character.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!((names[..3].to_vec(), names[20_000]), (vec!["Walk", "Walk 2", "Walk 3"], "Walk 20001"));
        character.replace_clips(1..2, vec![clip()]);
        assert_eq!((character.clips.len(), character.clips[1].name.as_str()), (20_001, "Walk 2"));
    }
}
