//! What `AnimDynamics` knows of a system beyond what every solver does.

use crate::rig::BoneId;
use serde::{Deserialize, Serialize};

/// What `AnimDynamics` adds to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnimDynamicsSetup<N = BoneId> {
    /// `RelativeSpaceBone`: the bone whose motion is not felt where the simulation space is relative to a bone; the
    /// component where absent.
    #[serde(rename = "relative_space")]
    pub relative_space_bone: Option<N>,
}

impl<N> Default for AnimDynamicsSetup<N> {
    fn default() -> Self {
        Self { relative_space_bone: None }
    }
}

impl<N: Clone> AnimDynamicsSetup<N> {
    /// The same with other names for bones; what names one that has none is left out.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> AnimDynamicsSetup<M> {
        AnimDynamicsSetup { relative_space_bone: self.relative_space_bone.clone().and_then(&mut name) }
    }
}
