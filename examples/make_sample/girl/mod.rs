//! A stylised girl, 1.5 m tall, built from curves: bones, surfaces, pictures, springs.
//!
//! Everything is plain IEEE arithmetic (no `sin` or `exp` of the platform reaches a coordinate), so that two
//! machines write the same bytes. She faces +Z, her left is +X, her soles stand on y = 0.

mod body;
mod buffer;
mod clothes;
mod dance;
mod face;
mod features;
mod fox;
mod gait;
mod glb;
mod hair;
mod head;
mod material;
mod motion;
mod names;
mod paint;
mod posing;
mod rig;
mod shape;
mod vrm;

use glam::Vec3;
use names::Names;
use rig::Rig;
use shape::Mesh;

/// What a surface is made of: one glTF material and one primitive each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cloth {
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

impl Cloth {
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

/// The character while she is being built.
#[derive(Debug, Default)]
struct Girl {
    rig: Rig,
    meshes: [Mesh; Cloth::ALL.len()],
}

impl Girl {
    fn mesh(&mut self, cloth: Cloth) -> &mut Mesh {
        &mut self.meshes[cloth as usize]
    }

    /// Whatever `build` adds grows about the neck: a big head is dear to the eye.
    fn enlarged(&mut self, build: impl FnOnce(&mut Self)) {
        const PIVOT: Vec3 = Vec3::new(0.0, 1.205, -0.006);
        const GROWTH: f32 = 1.17;
        let grown = |p: Vec3| PIVOT + (p - PIVOT) * GROWTH - Vec3::Y * 0.026;
        let bones = self.rig.bones.len();
        let starts = self.meshes.each_ref().map(|m| m.vertices.len());
        build(self);
        for bone in &mut self.rig.bones[bones..] {
            bone.at = grown(bone.at);
        }
        for (mesh, start) in self.meshes.iter_mut().zip(starts) {
            for vertex in &mut mesh.vertices[start..] {
                vertex.at = grown(vertex.at);
            }
            for (_, way) in mesh.morphs.iter_mut().flatten().filter(|(i, _)| *i >= start) {
                *way *= GROWTH;
            }
        }
    }
}

/// The whole file as bytes.
pub(crate) fn vrm() -> anyhow::Result<Vec<u8>> {
    glb::write(&build())
}

/// Her rig without a surface, as artists with `Blender` name bones, and in Japanese.
pub(crate) fn rigs() -> anyhow::Result<[Vec<u8>; 2]> {
    let girl = build();
    Ok([glb::write_rig(&girl, Names::Blender)?, glb::write_rig(&girl, Names::Japanese)?])
}

fn build() -> Girl {
    let mut girl = Girl { rig: Rig::humanoid(), meshes: Default::default() };
    body::add(&mut girl);
    girl.enlarged(|girl| {
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
