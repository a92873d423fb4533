//! What `AnimDynamics` knows of a system beyond what every solver does.

use crate::rig::BoneId;

/// What `AnimDynamics` adds to a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnimDynamicsSetup {
    /// `RelativeSpaceBone`: the bone whose motion is not felt where the simulation space is relative to a bone; the
    /// component where absent.
    pub relative_space_bone: Option<BoneId>,
}
