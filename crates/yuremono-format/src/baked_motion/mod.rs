//! Writes baked motions: as an animation of a copy of the character, as a VRM animation, or as a table.
//!
//! These modules convert values to bytes and open no files.

mod csv;
mod gltf;
mod vrma;

pub use csv::write as write_csv;
pub use gltf::{check as check_gltf, write as write_gltf};
pub use vrma::{check as check_vrma, write as write_vrma};

use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::rig::{BoneId, Character, MotionError, MovedBone, Skeleton};

/// A written file.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenMotion {
    pub bytes: Vec<u8>,
    /// The name of the animation in the file.
    pub name: String,
    /// What the file cannot store.
    pub losses: Vec<Diagnostic>,
    /// Number of bones with keys.
    pub bones: usize,
    /// Number of channels of the animation, or bones of the table.
    pub channels: usize,
    /// Number of keys in all channels, or rows of the table.
    pub keys: usize,
    /// The measured difference of the file from all keys.
    pub error: MotionError,
}

/// The bones that a bake moves.
#[derive(Clone, Debug)]
pub struct BakedBones<'a> {
    character: &'a Character,
    simulated: Vec<BoneId>,
    /// The bones that leave their rest pose, and all simulated bones.
    moved: Vec<MovedBone>,
}

impl<'a> BakedBones<'a> {
    /// `simulated` are the bones that a solver moves, and `moved` are the bones that are known to leave their rest pose.
    pub fn new(character: &'a Character, simulated: Vec<BoneId>, mut moved: Vec<MovedBone>) -> Self {
        for bone in &simulated {
            match moved.iter_mut().find(|moved| moved.bone == *bone) {
                Some(moved) => moved.rotation = true,
                None => moved.push(MovedBone { bone: *bone, translation: false, rotation: true, scale: false }),
            }
        }
        moved.sort_unstable_by_key(|moved| moved.bone);
        Self { character, simulated, moved }
    }

    /// The names of some moved bones.
    fn moved_names(&self, filter: impl Fn(&MovedBone) -> bool) -> Vec<String> {
        let moved = self.moved.iter().filter(|moved| filter(moved));
        moved.map(|moved| self.character.skeleton.name(moved.bone).to_owned()).collect()
    }
}

/// Fails if a skeleton has other bones than the baked one: keys would move the wrong bones. `file` is the name of the file
/// with the skeleton.
pub fn check_same_bones(skeleton: &Skeleton, baked: &Skeleton, file: &str) -> Result<(), Vec<Diagnostic>> {
    let pairs = || skeleton.bones().iter().zip(baked.bones());
    if skeleton.len() == baked.len() && pairs().all(|(a, b)| a.parent == b.parent && a.name == b.name) {
        return Ok(());
    }
    let message = message!("the file has other bones than the baked character; reload the character and bake again");
    Err(vec![Diagnostic::error(Location::file(file), message)])
}
