//! What a `DynamicBone` component knows beyond numbers and joints.

use crate::rig::BoneId;
use serde::{Deserialize, Serialize};

/// Bones that a `DynamicBone` component names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DynamicBoneSetup<N = BoneId> {
    /// The engine's `m_ReferenceObject`: the component rests while it is farther from this bone than its distance says.
    /// Where absent, the viewer is meant, see [`World::look_from`](super::World::look_from).
    pub reference: Option<N>,
    /// The engine's `m_Exclusions`: no tips, and nothing below them is a joint. A joint still gets a virtual tip for each
    /// of its children that stands here, where the component gives virtual tips.
    pub exclusions: Vec<N>,
}

impl<N> Default for DynamicBoneSetup<N> {
    fn default() -> Self {
        Self { reference: None, exclusions: Vec::new() }
    }
}

impl<N: Clone> DynamicBoneSetup<N> {
    /// The same with other names for bones; what names one that has none is left out.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> DynamicBoneSetup<M> {
        let reference = self.reference.clone().and_then(&mut name);
        DynamicBoneSetup { reference, exclusions: self.exclusions.iter().cloned().filter_map(name).collect() }
    }
}
