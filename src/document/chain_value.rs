//! Values of a chain or material before they are resolved for each joint.

use crate::math::Curve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value of a whole chain: `base`, times the curve where there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainValue {
    /// In the parameter's own unit.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub base: f32,
    /// Factor along the chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}
