//! Writes a baked motion as a file.

use super::{BakeJob, BakedMotion};
use crate::diagnostics::Diagnostic;
use crate::format::baked_motion::{self, WrittenMotion};
use crate::rig::{BoneId, Character};

/// The kinds of files that store a baked motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BakedFormat {
    /// A copy of the character file with one more animation.
    #[default]
    Character,
    /// A VRM animation, which has the humanoid bones only.
    Vrma,
    /// A table with every key of every bone.
    Csv,
}

impl BakedFormat {
    /// Every format, in the order in which the window lists them.
    pub const ALL: [Self; 3] = [Self::Character, Self::Vrma, Self::Csv];

    /// Fails if a file of this format cannot store the result of the job. `bytes` is the character file, and `name` is
    /// its name in diagnostics.
    pub fn check(self, job: &BakeJob, bytes: &[u8], name: &str) -> Result<(), Vec<Diagnostic>> {
        match self {
            Self::Character => baked_motion::check_bones(bytes, name, job.simulated_bones()),
            Self::Vrma => baked_motion::check_vrma_character(job.character(), name).map_err(|error| vec![error]),
            Self::Csv => Ok(()),
        }
    }
}

impl BakedMotion {
    /// Returns the content of a file. `bytes` is the file of the character, and `name` is its name in diagnostics.
    pub fn to_file(
        &self,
        format: BakedFormat,
        character: &Character,
        (bytes, name): (&[u8], &str),
    ) -> Result<WrittenMotion, Vec<Diagnostic>> {
        match format {
            BakedFormat::Character => baked_motion::write_gltf(bytes, name, &self.clip),
            BakedFormat::Vrma => {
                let simulated: Vec<BoneId> = self.joints.iter().map(|(bone, _)| *bone).collect();
                baked_motion::write_vrma(character, name, &self.clip, &simulated)
            }
            BakedFormat::Csv => Ok(WrittenMotion {
                bytes: baked_motion::write_csv(&self.track, &character.skeleton),
                name: self.clip.name.clone(),
                losses: Vec::new(),
            }),
        }
    }
}
