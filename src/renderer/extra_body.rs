//! Bodies of the character in other poses, in the same image.

use super::gpu_character::{GpuCharacter, GpuPrimitive};
use yuremono_sim::rig::WorldPose;
use yuremono_sim::rig::skinning::SkinMatrices;

/// A body in another pose of the character.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtraBody {
    /// The frames of all bones of the character, in skeleton order, at the place of the body.
    pub pose: WorldPose,
    /// The sRGB colour and the opacity of a ghost, which shows only the parts that differ from the main body. `None` draws
    /// the body with its materials.
    pub ghost: Option<[f32; 4]>,
}

/// The pose of the main body, from which a ghost differs.
pub(super) struct MainPose<'a> {
    pub(super) pose: &'a WorldPose,
    pub(super) palettes: SkinMatrices,
}

impl MainPose<'_> {
    /// Whether a primitive of the posed character differs from the main body.
    pub(super) fn differs(&self, character: &GpuCharacter, primitive: &GpuPrimitive, pose: &WorldPose) -> bool {
        let Some(skin) = primitive.skin else {
            let bone = character.mesh_bone(primitive).index();
            return self.pose.frames.get(bone) != pose.frames.get(bone);
        };
        let [own, main] = [&character.palettes, &self.palettes].map(|palettes| palettes.joint_matrices(skin));
        primitive.used_joints.iter().any(|joint| own.get(usize::from(*joint)) != main.get(usize::from(*joint)))
    }
}
