//! What a `DynamicBone` component knows beyond numbers and joints.

use crate::rig::BoneId;

/// Bones that a `DynamicBone` component names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynamicBoneSetup {
    /// The engine's `m_ReferenceObject`: the component rests while it is farther from this bone than its distance says.
    /// Where absent, the viewer is meant, see [`World::look_from`](super::World::look_from).
    pub reference: Option<BoneId>,
    /// The engine's `m_Exclusions`: no tips, and nothing below them is a joint. A joint still gets a virtual tip for each
    /// of its children that stands here, where the component gives virtual tips.
    pub exclusions: Vec<BoneId>,
}
