//! Writes a baked motion as a file.

use super::{BakeJob, BakedMotion};
use yuremono_format::baked_motion::{self, BakedBones, WrittenMotion};
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::rig::{BoneId, Character};

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

    /// Returns what a file of this format cannot store of the motion and of the simulated bones. Fails if the file cannot
    /// store the result of the job. `bytes` is the character file, and `name` is its name in diagnostics.
    /// [`BakedMotion::to_file`] checks the same again, for the bones that really move.
    pub fn check(self, job: &BakeJob, bytes: &[u8], name: &str) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let simulated: Vec<BoneId> = job.simulated_bones().collect();
        let bones = BakedBones::new(job.character(), simulated, job.moved_bones());
        match self {
            Self::Character => baked_motion::check_gltf(bytes, name, &bones),
            Self::Vrma => baked_motion::check_vrma(name, &bones),
            Self::Csv => Ok(Vec::new()),
        }
    }
}

impl BakedMotion {
    /// Returns the content of a file. `bytes` is the file of the character, and `name` is its name in diagnostics. Fails
    /// if the character or its file has other bones than the baked character.
    pub fn to_file(
        &self,
        format: BakedFormat,
        character: &Character,
        bytes: &[u8],
        name: &str,
    ) -> Result<WrittenMotion, Vec<Diagnostic>> {
        baked_motion::check_same_bones(&character.skeleton, &self.skeleton, name)?;
        let simulated = self.joints.iter().map(|(bone, _)| *bone).collect();
        let bones = BakedBones::new(character, simulated, self.track.moved_bones(&self.skeleton));
        match format {
            BakedFormat::Character => {
                let written = baked_motion::write_gltf(bytes, name, &bones, &self.clip)?;
                Ok(WrittenMotion { error: self.key_error, ..written })
            }
            BakedFormat::Vrma => {
                baked_motion::write_vrma(name, &bones, &self.track, &self.clip.name, self.max_key_error)
            }
            BakedFormat::Csv => baked_motion::write_csv(bytes, name, &bones, &self.track, &self.clip.name),
        }
    }
}
