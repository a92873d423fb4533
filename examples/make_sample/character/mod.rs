//! A stylised girl, 1.5 m tall, built from curves: bones, meshes, textures and springs.
//!
//! Coordinates are computed with plain IEEE arithmetic, without the platform's `sin` or `exp`, so all machines write
//! the same bytes. The character faces +Z, the left side is +X, and the soles are at y = 0.

mod body;
mod clothes;
mod features;
mod fox;
mod gait;
mod glb;
mod gltf_buffer;
mod hair;
mod head;
mod material;
mod motion;
mod naming;
mod paint;
mod posing;
mod rig;
mod shape;
mod stationary_motions;
mod textures;
mod vrm;

use glam::Vec3;
use naming::NamingScheme;
use rig::Rig;
use shape::Mesh;

/// Each value is one glTF material and one primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SurfaceMaterial {
    Face,
    Eyes,
    Skin,
    Hair,
    Fur,
    White,
    Navy,
    Accent,
    Shoe,
    Gold,
}

impl SurfaceMaterial {
    const ALL: [Self; 10] = [
        Self::Face,
        Self::Eyes,
        Self::Skin,
        Self::Hair,
        Self::Fur,
        Self::White,
        Self::Navy,
        Self::Accent,
        Self::Shoe,
        Self::Gold,
    ];
}

/// The character under construction.
#[derive(Debug, Default)]
struct SampleCharacter {
    rig: Rig,
    meshes: [Mesh; SurfaceMaterial::ALL.len()],
}

impl SampleCharacter {
    fn mesh(&mut self, material: SurfaceMaterial) -> &mut Mesh {
        &mut self.meshes[material as usize]
    }

    /// Enlarges everything that `build` adds, about the neck. A large head suits the drawn style.
    fn build_enlarged(&mut self, build: impl FnOnce(&mut Self)) {
        const PIVOT: Vec3 = Vec3::new(0.0, 1.205, -0.006);
        const GROWTH: f32 = 1.17;
        let grown = |p: Vec3| PIVOT + (p - PIVOT) * GROWTH - Vec3::Y * 0.026;
        let bones = self.rig.bones.len();
        let starts = self.meshes.each_ref().map(|m| m.vertices.len());
        build(self);
        for bone in &mut self.rig.bones[bones..] {
            bone.position = grown(bone.position);
        }
        for (mesh, start) in self.meshes.iter_mut().zip(starts) {
            for vertex in &mut mesh.vertices[start..] {
                vertex.position = grown(vertex.position);
            }
            for (_, way) in mesh.morphs.iter_mut().flatten().filter(|(i, _)| *i >= start) {
                *way *= GROWTH;
            }
        }
    }
}

/// Returns the bytes of the sample VRM file.
pub(crate) fn sample_vrm() -> anyhow::Result<Vec<u8>> {
    glb::write_vrm(&build_character())
}

/// Returns the rig without meshes, once with Blender's bone names and once with Japanese bone names.
pub(crate) fn renamed_rigs() -> anyhow::Result<[Vec<u8>; 2]> {
    let girl = build_character();
    Ok([glb::write_rig(&girl, NamingScheme::Blender)?, glb::write_rig(&girl, NamingScheme::Japanese)?])
}

fn build_character() -> SampleCharacter {
    let mut girl = SampleCharacter { rig: Rig::humanoid(), meshes: Default::default() };
    body::add(&mut girl);
    girl.build_enlarged(|girl| {
        head::add(girl);
        hair::add(girl);
        features::add(girl);
        fox::add_to_head(girl);
        clothes::add_hair_bows(girl);
    });
    clothes::add(&mut girl);
    fox::add_to_body(&mut girl);
    girl
}
