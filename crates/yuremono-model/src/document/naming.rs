//! Ids of elements, and the trait [`Naming`]: how a setup refers to bones, nodes and colliders and stores parameter
//! values.
//!
//! This module contains the naming scheme of documents. [`crate::document::setup`] contains the naming schemes of
//! files.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::BoneId;

macro_rules! ids {
    ($($(#[$doc:meta])* $Id:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $Id(pub u32);

        impl From<$Id> for u32 {
            fn from(id: $Id) -> Self {
                id.0
            }
        }

        impl From<u32> for $Id {
            fn from(id: u32) -> Self {
                Self(id)
            }
        })*
    };
}
ids! {
    /// Id of a system.
    SystemId;
    /// Id of a chain.
    ChainId;
    /// Id of a material.
    MaterialId;
    /// Id of a helper.
    HelperId;
    /// Id of a collider.
    ColliderId;
    /// Id of a collider group.
    GroupId;
    /// Id of a ring, which its chains share.
    RingId;
    /// Id of a force.
    ForceId;
    /// Id of a leg follower.
    HighLegId;
    /// Id of a gesture.
    GestureId;
}

/// A bone of the file or a helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Node")]
#[serde(rename_all = "snake_case")]
pub enum Node<B = BoneId> {
    /// A bone of the file.
    Bone(B),
    /// A node that Yuremono adds.
    Helper(HelperId),
}

/// Identifies a joint by its chain and bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointRef {
    pub chain: ChainId,
    pub bone: BoneId,
}

/// How a setup refers to bones and nodes, and how it stores parameter values.
pub trait Naming: Clone + Copy + Debug + Default + PartialEq + 'static {
    /// Refers to a bone or a helper.
    type Node: Clone + Debug + PartialEq;
    /// Refers to a bone of the skeleton.
    type Bone: Clone + Debug + PartialEq + Ord;
    /// Refers to a collider.
    type Collider: Clone + Debug + PartialEq + Ord;
    /// Values of a whole system.
    type SystemValues: Clone + Debug + PartialEq;
    /// Values of a chain.
    type ChainValues: Clone + Debug + Default + PartialEq;
    /// Values of a material.
    type MaterialValues: Clone + Debug + PartialEq;
    /// Values of one joint that override the values of its chain.
    type JointValues: Clone + Debug + PartialEq + Default;
}

/// The naming scheme of documents. Ids refer to the skeleton and to the document, and values are stored by their index
/// in the solver's table.
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

/// A naming scheme that files can use.
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

/// A value with serde and a JSON schema.
pub trait SerdeSchema: Serialize + DeserializeOwned + JsonSchema {}

impl<T: Serialize + DeserializeOwned + JsonSchema> SerdeSchema for T {}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(crate) const fn default_true() -> bool {
    true
}

/// The place of a chain in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingPlace {
    /// The ring; all chains with this id form the ring.
    pub ring: RingId,
    /// Degrees around the body: 0 is the front, 90 the left side of the character, -90 the right side, 180 the back.
    pub angle: f32,
}

/// A value along a chain: `base`, times the curve if there is one, times the ring curve if the chain is in a ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainValue {
    /// In the unit of the parameter.
    #[serde(with = "yuremono_sim::math::number")]
    #[schemars(with = "yuremono_sim::math::JsonNumber")]
    pub base: f32,
    /// Factor along the chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
    /// Factor at the angle of the chain in its ring. All chains of a ring have the same ring curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<RingCurve>,
}

impl ChainValue {
    /// Creates a value without a ring curve.
    pub const fn new(base: f32, curve: Option<Curve>) -> Self {
        Self { base, curve, around: None }
    }

    /// Creates a value that is equal along the whole chain.
    pub const fn constant(base: f32) -> Self {
        Self { base, curve: None, around: None }
    }

    /// Returns the value at position `t` along the chain, without the ring curve.
    pub fn along(&self, t: f32) -> f32 {
        self.base * self.curve.as_ref().map_or(1.0, |curve| curve.eval(t))
    }
}
