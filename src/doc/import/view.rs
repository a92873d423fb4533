//! A document seen as a table would have it: by names, and value by value.

use super::kept::{self, RowEnd};
use super::names::Names;
use crate::doc::pivot::Axis;
use crate::doc::table::has_pivots;
use crate::doc::{ChainId, Collider, Document, Joint};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{Kind, Mirror, ParamDef, Row, first_row};
use crate::sim::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// Each name once, where it stands first.
pub(super) fn without_doubles(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// Where a row's value comes to stand on the other side of the space change, and whether it changes sign there; its
/// own inverse. Only parts of vectors do: their first rows tell what kind of vector it is.
pub(super) fn carried(table: &[ParamDef], row: Row, axis: Axis) -> (Row, bool) {
    let of = |index: usize| table.get(index).map_or(Mirror::Same, |def| def.mirror);
    let Some(part) = table.get(row.index()).and_then(ParamDef::axis) else { return (row, false) };
    let first = first_row(table, row).index();
    let change = match (of(first), of(first + 1)) {
        // An axis to turn about, or angles: what lies along the mirrored axis stays.
        (Mirror::Same, turned) if part != axis.index() => turned,
        (Mirror::Same, _) => Mirror::Same,
        (along, _) if part == axis.index() => along,
        _ => Mirror::Same,
    };
    match change {
        Mirror::Same => (row, false),
        Mirror::Negate => (row, true),
        // The same axis of the vector that the partner belongs to.
        Mirror::SwapNegate(partner) => {
            let first = first_row(table, partner);
            (Row(first.0 + part as u16), true)
        }
    }
}

/// A number on the other side, where it changes sign.
pub(super) fn signed(value: f32, negate: bool) -> f32 {
    // Subtracted from zero so that no negative zero comes into a file.
    if negate { 0.0 - value } else { value }
}

/// A row's value on the other side of the space change, of values that `get` knows; its own inverse.
pub(super) fn mirrored(table: &[ParamDef], row: Row, axis: Axis, get: impl Fn(Row) -> f32) -> f32 {
    let (from, negate) = carried(table, row, axis);
    signed(get(from), negate)
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
        let places = document.chains.iter().map(|(id, c)| (*id, document.places_in(c, &rest, skeleton))).collect();
        let names = Names::of(document, skeleton);
        Self { document, skeleton, names, places, rest, ends: kept::ends(document) }
    }

    /// What a row of this bone says of things that are not here.
    pub(super) fn kept_end(&self, bone: BoneId) -> Option<&RowEnd> {
        self.ends.get(self.skeleton.name(bone))
    }

    /// Names of the colliders that push a joint, as its row has them: those of its chain's groups first, for
    /// `UnityChan` spheres, capsules and panels in this order; each once, then strangers.
    pub(super) fn collider_names(&self, chain: ChainId, joint: &Joint, end: Option<&RowEnd>) -> Vec<String> {
        let all = self.document.colliders_of(&self.document.chains[&chain], joint);
        let known = |c: &&Collider| self.document.main().solver.info().supports(&c.shape);
        let mut live: Vec<_> = all.filter_map(|id| self.document.colliders.get(&id)).filter(known).collect();
        if has_pivots(self.document.main().solver) {
            live.sort_by_key(|c| shape_rank(&c.shape));
        }
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
        if self.document.main().def(row).kind == Kind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }
}

/// The order in which a row names its colliders.
pub(super) const fn shape_rank(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere { inside: false, .. } => 0,
        Shape::Capsule { inside: false, .. } => 1,
        Shape::Panel { .. } => 2,
        // The engine has none of these.
        _ => 3,
    }
}
