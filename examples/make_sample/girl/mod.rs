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
}

/// The whole file as bytes.
pub(crate) fn vrm() -> anyhow::Result<Vec<u8>> {
    let mut girl = Girl { rig: Rig::humanoid(), meshes: Default::default() };
    body::add(&mut girl);
    head::add(&mut girl);
    hair::add(&mut girl);
    clothes::add(&mut girl);
    glb::write(&girl)
}
