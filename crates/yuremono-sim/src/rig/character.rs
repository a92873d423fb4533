//! A character: bones, humanoid roles, meshes, images and clips.

use super::{BoneId, Clip, Humanoid, Material, NodeConstraints, Skeleton};
use glam::{Mat4, Vec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Direction of a character's face in the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// +Z, as in glTF and VRM 1.0.
    #[default]
    PlusZ,
    /// -Z, as in VRM 0.x.
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
    /// One entry for each bone with a mesh.
    pub meshes: Vec<Mesh>,
    /// Indexed by [`Mesh::skin`].
    pub skins: Vec<Skin>,
    /// Indexed by [`Primitive::material`]. Never empty if there are primitives.
    pub materials: Vec<Material>,
    /// Indexed by [`TextureRef::image`](super::TextureRef::image).
    pub images: Vec<Arc<Image>>,
    /// Animations of the file, and motions that were added later.
    pub clips: Vec<Clip>,
    /// Humanoid bones of the file, else found by names or by the shape of the skeleton.
    pub humanoid: Humanoid,
    /// Direction of the face in the rest pose.
    pub facing: Facing,
    /// Bones whose rotations follow other bones in every motion.
    pub constraints: NodeConstraints,
}

impl Character {
    /// Replaces the clips in a range, and adds numbers to new names that already exist.
    pub fn replace_clips(&mut self, range: Range<usize>, mut clips: Vec<Clip>) {
        let at = range.start;
        self.clips.drain(range);
        let mut taken: BTreeSet<String> = self.clips.iter().map(|clip| clip.name.clone()).collect();
        // The last number of each name. Without the map, each clip with the same name would restart the search at 2.
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

    /// Returns for each mesh whether the file shows the mesh.
    pub fn mesh_visibility(&self) -> Vec<bool> {
        self.meshes.iter().map(|mesh| !mesh.is_hidden).collect()
    }
}

/// A mesh on a bone.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Name of the mesh, or of its bone.
    pub name: String,
    /// Parent bone. Ignored if the mesh is skinned.
    pub bone: BoneId,
    /// Index into [`Character::skins`].
    pub skin: Option<usize>,
    /// Triangles by material.
    pub primitives: Vec<Primitive>,
    /// Default weight of each morph target.
    pub morph_weights: Vec<f32>,
    /// Whether the file hides the mesh from a camera in front of the character.
    pub is_hidden: bool,
}

/// Triangles of one material. Each non-empty attribute has one entry per vertex.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Positions in metres.
    pub positions: Vec<Vec3>,
    /// Unit normals. Computed from the triangles if the file has no normals.
    pub normals: Vec<Vec3>,
    /// First texture coordinates, with V downwards as in glTF. Zero if the file has no coordinates.
    pub uvs: Vec<Vec2>,
    /// Linear RGBA colours. Empty if the file has no vertex colours.
    pub colors: Vec<[f32; 4]>,
    /// Joints of each vertex, as indices into the skin. Empty if the mesh is not skinned.
    pub joints: Vec<[u16; 4]>,
    /// Weights of `joints`. The weights of a vertex add up to 1.
    pub weights: Vec<[f32; 4]>,
    /// Three indices for each triangle. All indices are valid.
    pub indices: Vec<u32>,
    /// Index into [`Character::materials`].
    pub material: usize,
    /// One entry for each morph target.
    pub morphs: Vec<MorphTarget>,
}

/// Vertex offsets of a morph target at weight 1. Either list may be empty.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Offsets of positions, in metres.
    pub positions: Vec<Vec3>,
    /// Offsets of normals.
    pub normals: Vec<Vec3>,
}

/// The bones that deform a mesh.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Indexed by [`Primitive::joints`].
    pub joints: Vec<BoneId>,
    /// Inverse bind matrices from mesh space to bone space, one for each joint.
    pub inverse_binds: Vec<Mat4>,
}

/// A decoded image in sRGB, with 8-bit RGBA texels and the top row first.
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
    /// Creates a grey and violet checkerboard that replaces an unreadable image.
    pub fn checkerboard() -> Self {
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
        // If every number is tested for each clip, this test takes minutes.
        character.replace_clips(1..1, std::iter::repeat_with(clip).take(20_000).collect());
        let names: Vec<&str> = character.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!((names[..3].to_vec(), names[20_000]), (vec!["Walk", "Walk 2", "Walk 3"], "Walk 20001"));
        character.replace_clips(1..2, vec![clip()]);
        assert_eq!((character.clips.len(), character.clips[1].name.as_str()), (20_001, "Walk 2"));
    }
}
