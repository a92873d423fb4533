//! How a setup names bones, nodes, colliders and parameter values.
//!
//! The naming of documents is here; those of files are in [`crate::document::file_naming`].

use crate::document::{ChainValue, ColliderId, Node};
use crate::params::{ParamId, ParamSet};
use crate::rig::BoneId;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// How a setup refers to bones and nodes, and how it stores parameter values.
pub trait Naming: Clone + Copy + Debug + Default + PartialEq + 'static {
    /// A bone or a helper.
    type Node: Clone + Debug + PartialEq;
    /// A bone of the skeleton.
    type Bone: Clone + Debug + PartialEq + Ord;
    /// A reference to a collider.
    type Collider: Clone + Debug + PartialEq + Ord;
    /// Values of a whole system.
    type SystemValues: Clone + Debug + PartialEq;
    /// Values of a chain.
    type ChainValues: Clone + Debug + PartialEq;
    /// Values of a material.
    type MaterialValues: Clone + Debug + PartialEq;
    /// Values of one joint that override those of its chain.
    type JointValues: Clone + Debug + PartialEq + Default;
}

/// The naming of a document: ids of the skeleton and the document, values by position in the solver's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ById;

impl Naming for ById {
    type Node = Node;
    type Bone = BoneId;
    type Collider = ColliderId;
    type SystemValues = ParamSet;
    type ChainValues = Vec<ChainValue>;
    type MaterialValues = BTreeMap<ParamId, ChainValue>;
    type JointValues = BTreeMap<ParamId, f32>;
}

/// A naming that files can hold.
pub trait FileNaming:
    Naming<
        Node: SerdeSchema,
        Bone: SerdeSchema,
        Collider: SerdeSchema,
        SystemValues: SerdeSchema + Default,
        ChainValues: SerdeSchema + Default,
        MaterialValues: SerdeSchema + Default,
        JointValues: SerdeSchema,
    >
{
}

/// What serde writes and reads, and `schemars` describes.
pub trait SerdeSchema: Serialize + DeserializeOwned + JsonSchema {}

impl<T: Serialize + DeserializeOwned + JsonSchema> SerdeSchema for T {}

/// For fields that files leave out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// For switches that are on where files say nothing.
pub(crate) const fn default_true() -> bool {
    true
}
