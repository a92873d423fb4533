//! A stylised girl, 1.5 m tall, built from curves: bones, surfaces, pictures, springs.
//!
//! Everything is plain IEEE arithmetic (no `sin` or `exp` of the platform reaches a coordinate), so that two
//! machines write the same bytes. She faces +Z, her left is +X, her soles stand on y = 0.

mod body;
mod clothes;
mod face;
mod glb;
mod hair;
mod head;
mod paint;
mod rig;
mod shape;
mod vrm;

use glam::Vec3;
use rig::Rig;
use shape::Mesh;

/// What a surface is made of: one glTF material and one primitive each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cloth {
    Face,
    Skin,
    Hair,
    White,
    Navy,
    Accent,
    Shoe,
}

impl Cloth {
    const ALL: [Self; 7] = [Self::Face, Self::Skin, Self::Hair, Self::White, Self::Navy, Self::Accent, Self::Shoe];
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
        const GROWTH: f32 = 1.13;
        let grown = |p: Vec3| PIVOT + (p - PIVOT) * GROWTH - Vec3::Y * 0.022;
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
        }
    }
}

/// The whole file as bytes.
pub(crate) fn vrm() -> anyhow::Result<Vec<u8>> {
    let mut girl = Girl { rig: Rig::humanoid(), meshes: Default::default() };
    body::add(&mut girl);
    girl.enlarged(|girl| {
        head::add(girl);
        hair::add(girl);
        clothes::add_hair_bows(girl);
    });
    clothes::add(&mut girl);
    glb::write(&girl)
}
