//! Chains as the components of other engines speak of them: a root, and one base and curve for all that hangs below.

use crate::math::Curve;
use crate::schema::{ParamSet, Row};

/// A chain by its root.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// As lists show it; may be empty.
    pub name: String,
    /// Name of the bone that it begins with.
    pub root: String,
    /// Name of the bone above the root; empty where there is none, or a file does not say.
    pub above: String,
    /// Names of its joints, the root first; empty where a file does not say.
    pub joints: Vec<String>,
    /// Names of bones that are left out of it with all that hangs below them.
    pub excluded: Vec<String>,
    /// Names of bones that end it: they belong to it, what hangs below does not.
    pub ends: Vec<String>,
    /// One number per row of the solver's table, in the table's space; only rows of joint scope are meant.
    pub base: ParamSet,
    /// Factors over the length from the root, as a share of the longest; at most one for a row.
    pub curves: Vec<(Row, Curve)>,
    /// Name of the material that it has its numbers from; empty where they are its own.
    pub material: String,
    /// Names of what pushes all of its joints.
    pub colliders: Vec<String>,
}

impl Tree {
    /// What a joint gets at a place along the chain, 0 to 1.
    pub fn value(&self, row: Row, t: f32) -> f32 {
        let curve = self.curves.iter().find(|(of, _)| *of == row);
        self.base.get(row) * curve.map_or(1.0, |(_, curve)| curve.eval(t))
    }
}
