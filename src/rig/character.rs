use super::{BoneId, Clip, Humanoid, Skeleton};
use glam::{Mat4, Vec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Which way a character looks in its rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// glTF and VRM 1.0.
    #[default]
    PlusZ,
    /// VRM 0.x.
    MinusZ,
}

/// Everything read from a character file that is neither motion parameters nor GL.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// File name without folder.
    pub name: String,
    /// What the file says of itself, for example "VRM 1.0".
    pub format_name: String,
    /// The file's bones.
    pub skeleton: Skeleton,
    /// One entry per bone that carries a mesh.
    pub meshes: Vec<Mesh>,
    /// Referred to by [`Mesh::skin`].
    pub skins: Vec<Skin>,
    /// Referred to by [`Primitive::material`]; never empty where there are primitives.
    pub materials: Vec<Material>,
    /// Referred to by [`TextureRef::image`].
    pub images: Vec<Arc<Image>>,
    /// Animations of the file.
    pub clips: Vec<Clip>,
    /// Empty where the file names no humanoid.
    pub humanoid: Humanoid,
    /// Rest direction of the face.
    pub facing: Facing,
}

impl Character {
    /// Puts clips in place of those of a range, under names that no other clip has.
    pub fn replace_clips(&mut self, range: Range<usize>, mut clips: Vec<Clip>) {
        let at = range.start;
        self.clips.drain(range);
        let mut taken: BTreeSet<String> = self.clips.iter().map(|clip| clip.name.clone()).collect();
        // The number that each name has come to, so that many clips of one name do not count from 2 again.
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

/// A mesh as it hangs on one bone.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Name of the mesh, or of its bone.
    pub name: String,
    /// Where it hangs; ignored for placing when skinned.
    pub bone: BoneId,
    /// Index into [`Character::skins`].
    pub skin: Option<usize>,
    /// What is drawn.
    pub primitives: Vec<Primitive>,
    /// One per morph target, as authored.
    pub morph_weights: Vec<f32>,
}

/// Triangles under one material; every attribute has one entry per vertex.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Unit length; made from the triangles where the file has none.
    pub normals: Vec<Vec3>,
    /// First texture coordinates, glTF convention (V down); zeros where the file has none.
    pub uvs: Vec<Vec2>,
    /// Linear colours; empty where the file has none.
    pub colors: Vec<[f32; 4]>,
    /// Up to four joints of the skin; empty where unskinned.
    pub joints: Vec<[u16; 4]>,
    /// Their weights, summing to one.
    pub weights: Vec<[f32; 4]>,
    /// Three per triangle, all in range.
    pub indices: Vec<u32>,
    /// Index into [`Character::materials`].
    pub material: usize,
    /// Offsets per vertex, one list a target.
    pub morphs: Vec<MorphTarget>,
}

/// Offsets that a morph adds at weight 1; either list may be empty.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Added to the normal.
    pub normals: Vec<Vec3>,
}

/// Which bones a mesh follows.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Bones in the order of [`Primitive::joints`].
    pub joints: Vec<BoneId>,
    /// Mesh space to bone space at binding, one per joint.
    pub inverse_binds: Vec<Mat4>,
}

/// How see-through parts are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Solid.
    #[default]
    Opaque,
    /// Cut out below the given alpha.
    Mask(f32),
    /// Blended.
    Blend,
}

/// What happens outside 0..=1 of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// Tiles.
    #[default]
    Repeat,
    /// Tiles back and forth.
    Mirror,
    /// Stretches the edge.
    Clamp,
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index into [`Character::images`].
    pub image: usize,
    /// Horizontal, vertical.
    pub wrap: [TextureWrap; 2],
    /// `KHR_texture_transform`: uv' = offset + rotate(scale * uv).
    pub offset: Vec2,
    /// See `offset`.
    pub scale: Vec2,
    /// Radians, see `offset`.
    pub rotation: f32,
    /// Whether magnification stays blocky.
    pub nearest: bool,
}

/// Two-tone shading after `MToon`; colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToonShading {
    /// Multiplies the shade texture.
    pub shade_color: [f32; 3],
    /// Shaded side's texture; white where there is none.
    pub shade_texture: Option<TextureRef>,
    /// -1..=1: moves the border into the light.
    pub shading_shift: f32,
    /// 0..=1: 1 is a hard border.
    pub shading_toony: f32,
}

/// How light falls on a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shading {
    /// Soft light from the viewer's side.
    #[default]
    Lit,
    /// No light at all.
    Unlit,
    /// Two tones.
    Toon(ToonShading),
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// As in the file.
    pub name: String,
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// Multiplies the base colour.
    pub base_texture: Option<TextureRef>,
    /// Linear RGB, added.
    pub emissive: [f32; 3],
    /// Multiplies what is added.
    pub emissive_texture: Option<TextureRef>,
    /// Opacity.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Light.
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

/// Decoded pixels: sRGB, RGBA, 8 bits, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub rgba: Vec<u8>,
}

impl Image {
    /// A grey and violet chequer that stands for an image that could not be read.
    pub fn placeholder() -> Self {
        const SIDE: u32 = 8;
        let texel =
            |i: u32| if (i % SIDE + i / SIDE).is_multiple_of(2) { [150, 120, 190, 255] } else { [70, 70, 78, 255] };
        Self { width: SIDE, height: SIDE, rgba: (0..SIDE * SIDE).flat_map(texel).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_clips_of_one_name_are_numbered_in_their_order() {
        let clip = || Clip { name: "Walk".to_owned(), duration: 1.0, channels: Vec::new() };
        let mut character = Character { clips: vec![clip()], ..Character::default() };
        // Trying every number for each of them would take minutes.
        character.replace_clips(1..1, std::iter::repeat_with(clip).take(20_000).collect());
        let names: Vec<&str> = character.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!((names[..3].to_vec(), names[20_000]), (vec!["Walk", "Walk 2", "Walk 3"], "Walk 20001"));
        character.replace_clips(1..2, vec![clip()]);
        assert_eq!((character.clips.len(), character.clips[1].name.as_str()), (20_001, "Walk 2"));
    }
}
