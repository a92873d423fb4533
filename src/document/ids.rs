//! Ids of what a document holds, and references to nodes and joints.

use crate::rig::BoneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names a system for as long as the document lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SystemId(pub u32);

/// Names a chain for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ChainId(pub u32);

/// Names a material for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MaterialId(pub u32);

/// Names a helper for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct HelperId(pub u32);

/// Names a collider for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ColliderId(pub u32);

/// Names a collider group for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GroupId(pub u32);

/// Names a force for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ForceId(pub u32);

/// Names a high-leg node for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct HighLegId(pub u32);

/// Names a recorded gesture for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GestureId(pub u32);

/// A bone of the file or a helper of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Node")]
#[serde(rename_all = "snake_case")]
pub enum Node<B = BoneId> {
    /// Of the file.
    Bone(B),
    /// Added by Yuremono.
    Helper(HelperId),
}

/// A joint by its chain and bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointRef {
    /// Which chain.
    pub chain: ChainId,
    /// The joint's bone.
    pub bone: BoneId,
}
