//! A document seen as a table would have it: by names, and value by value.

use super::kept::{self, RowEnd};
use super::names::Names;
use crate::doc::pivot::Axis;
use crate::doc::{ChainId, Document, Joint};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{Kind, Row};
use crate::sim::Shape;
use crate::sim::solver::spring_bone::{GRAVITY, SPRING_FORCE};
use std::collections::{BTreeMap, BTreeSet};

/// Each name once, where it stands first.
pub(super) fn without_doubles(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// A value on the other side of the space change; its own inverse.
pub(super) fn mirrored(row: Row, value: f32, axis: Axis) -> f32 {
    let changes_sign = [SPRING_FORCE, GRAVITY].iter().any(|vector| row == vector[axis.index()]);
    // Subtracted from zero so that no negative zero comes into a file.
    if changes_sign { 0.0 - value } else { value }
}

/// A document with its skeleton and where joints stand along their chains.
pub(super) struct View<'a> {
    pub(super) document: &'a Document,
    pub(super) skeleton: &'a Skeleton,
    pub(super) names: Names<'a>,
    places: BTreeMap<ChainId, Vec<f32>>,
    pub(super) rest: WorldPose,
    ends: BTreeMap<String, RowEnd>,
}

impl<'a> View<'a> {
    pub(super) fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let places = document.chains.iter().map(|(id, c)| (*id, c.places_in(&rest, skeleton))).collect();
        let names = Names::of(document, skeleton);
        Self { document, skeleton, names, places, rest, ends: kept::ends(document) }
    }

    /// What a row of this bone says of things that are not here.
    pub(super) fn kept_end(&self, bone: BoneId) -> Option<&RowEnd> {
        self.ends.get(self.skeleton.name(bone))
    }

    /// Names of a joint's colliders as its row has them: spheres, capsules, panels, each once, then strangers.
    pub(super) fn collider_names(&self, joint: &Joint, end: Option<&RowEnd>) -> Vec<String> {
        let mut live: Vec<_> = joint.colliders.iter().filter_map(|id| self.document.colliders.get(id)).collect();
        live.sort_by_key(|c| shape_rank(&c.shape));
        let mut names: Vec<String> = live.iter().map(|c| c.name.clone()).collect();
        names.extend(end.into_iter().flat_map(|e| &e.colliders).cloned());
        without_doubles(&names)
    }

    /// Names of the nodes that a joint's lengths are held to, then strangers.
    pub(super) fn target_names(&self, joint: &Joint, end: Option<&RowEnd>) -> Vec<String> {
        let live = joint.length_targets.iter().filter_map(|t| self.names.name(t.node)).map(str::to_owned);
        live.chain(end.into_iter().flat_map(|e| &e.length_targets).map(|t| t.bone.clone())).collect()
    }

    pub(super) fn value(&self, chain: ChainId, joint: usize, row: Row) -> f32 {
        self.document.chains[&chain].value(joint, row, self.places[&chain][joint])
    }

    /// Whether a value from a file is another one; of toggles a file only says whether they are on.
    pub(super) fn differs(&self, chain: ChainId, joint: usize, row: Row, new: f32) -> bool {
        let old = self.value(chain, joint, row);
        if self.document.def(row).kind == Kind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }
}

/// The order in which a row names its colliders.
pub(super) const fn shape_rank(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Panel { .. } => 2,
        // The engine has none of these.
        _ => 3,
    }
}
