//! The namings that files can hold: bones by path in projects, everything by name in exchange files.

use crate::document::naming::{FileNaming, Naming};
use crate::document::{BonePath, ChainValue, ColliderId, Helper, Node};
use crate::math::JsonNumber;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The naming of projects: bones by name and ancestors, helpers by id, values by parameter name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPath;

impl Naming for ByPath {
    type Node = Node<BonePath>;
    type Bone = BonePath;
    type Collider = ColliderId;
    type SystemValues = BTreeMap<String, JsonNumber>;
    type ChainValues = BTreeMap<String, ChainValue>;
    type MaterialValues = BTreeMap<String, ChainValue>;
    type JointValues = BTreeMap<String, JsonNumber>;
}

impl FileNaming for ByPath {}

/// The naming of exchange files: bones, nodes and colliders by name, values by parameter name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByName;

impl Naming for ByName {
    type Node = NodeRef;
    type Bone = String;
    type Collider = String;
    type SystemValues = BTreeMap<String, JsonNumber>;
    type ChainValues = BTreeMap<String, ChainValue>;
    type MaterialValues = BTreeMap<String, ChainValue>;
    type JointValues = BTreeMap<String, JsonNumber>;
}

impl FileNaming for ByName {}

/// How an exchange file refers to a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NodeRef {
    /// A bone or a helper by its name.
    Named(String),
    /// A helper that is described where it is used.
    Inline(Box<Helper<ByName>>),
}

impl NodeRef {
    /// The name of the bone or helper.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Inline(helper) => &helper.name,
        }
    }
}

impl From<&str> for NodeRef {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl<'de> Deserialize<'de> for NodeRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrHelper;

        impl<'de> Visitor<'de> for NameOrHelper {
            type Value = NodeRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a node, or a node with \"name\", \"parent\" and \"local\"")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<NodeRef, E> {
                Ok(NodeRef::from(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NodeRef, A::Error> {
                let helper = Helper::deserialize(MapAccessDeserializer::new(map))?;
                Ok(NodeRef::Inline(Box::new(helper)))
            }
        }

        deserializer.deserialize_any(NameOrHelper)
    }
}
