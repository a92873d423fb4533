//! A document as rows of a table would have it: by names, and value by value.

use super::resolver::NameResolver;
use crate::document::{ChainId, Collider, Document, Joint, Passthrough};
use crate::exchange::remap::Leads;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{Kind, Row};
use crate::sim::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// Each name once, at its first position.
pub(super) fn without_doubles(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// The order in which UnityChan's CSV lists the colliders of a row.
pub(super) const fn shape_rank(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere { inside: false, .. } => 0,
        Shape::Capsule { inside: false, .. } => 1,
        Shape::Panel { .. } => 2,
        // The engine has none of these.
        _ => 3,
    }
}

/// A document with its skeleton and the places of joints along their chains.
pub(super) struct DocumentView<'a> {
    pub(super) document: &'a Document,
    pub(super) skeleton: &'a Skeleton,
    pub(super) resolver: NameResolver<'a>,
    pub(super) rest: WorldPose,
    places: BTreeMap<ChainId, Vec<f32>>,
    references: BTreeMap<&'a str, &'a Passthrough>,
}

impl<'a> DocumentView<'a> {
    pub(super) fn new(document: &'a Document, skeleton: &'a Skeleton, leads: &'a Leads) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let places = document.chains.iter().map(|(id, c)| (*id, document.places_in(c, &rest, skeleton))).collect();
        let references = document.passthrough.iter().filter_map(|kept| match kept {
            Passthrough::References { bone, .. } => Some((bone.as_str(), kept)),
            _ => None,
        });
        let references = references.collect();
        Self { document, skeleton, resolver: NameResolver::new(document, skeleton, leads), rest, places, references }
    }

    /// The value that a joint gets.
    pub(super) fn value(&self, chain: ChainId, joint: usize, row: Row) -> f32 {
        self.document.chains[&chain].value(joint, row, self.places[&chain][joint])
    }

    /// Whether a value of a file is another one; of toggles a file only says whether they are on.
    pub(super) fn differs(&self, chain: ChainId, joint: usize, row: Row, new: f32) -> bool {
        let old = self.value(chain, joint, row);
        let table = self.document.table_of(&self.document.chains[&chain]);
        if table[row.index()].kind == Kind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }

    /// Names of the colliders of a joint as a row of a CSV has them: those of its chain's groups first, then its own;
    /// where joints have pivots, spheres, capsules and panels in this order. Each once.
    pub(super) fn collider_names(&self, chain: ChainId, joint: &Joint) -> Vec<String> {
        let chain = &self.document.chains[&chain];
        let info = self.document.solver_of(chain).info();
        let all = self.document.colliders_of(chain, joint).filter_map(|id| self.document.colliders.get(&id));
        let mut live: Vec<&Collider> = all.filter(|collider| info.supports(&collider.shape)).collect();
        if info.pivots {
            live.sort_by_key(|collider| shape_rank(&collider.shape));
        }
        without_doubles(&live.into_iter().map(|collider| collider.name.clone()).collect::<Vec<_>>())
    }

    /// These collider names, then those that the bone's row refers to and that are not here.
    pub(super) fn with_references(&self, bone: BoneId, mut names: Vec<String>) -> Vec<String> {
        if let Some(Passthrough::References { colliders, .. }) = self.references(bone) {
            names.extend(colliders.iter().cloned());
        }
        without_doubles(&names)
    }

    /// Names of the nodes that a joint's length is held to, then of those that are not here.
    pub(super) fn target_names(&self, joint: &Joint) -> Vec<String> {
        let live = joint.length_targets.iter().filter_map(|target| self.resolver.name(target.node)).map(str::to_owned);
        let kept: &[String] = match self.references(joint.bone) {
            Some(Passthrough::References { length_targets, .. }) => length_targets,
            _ => &[],
        };
        live.chain(kept.iter().cloned()).collect()
    }

    /// Name of the pivot that the bone's row refers to and that is not here; empty where there is none.
    pub(super) fn kept_pivot(&self, bone: BoneId) -> &'a str {
        match self.references(bone) {
            Some(Passthrough::References { pivot, .. }) => pivot,
            _ => "",
        }
    }

    fn references(&self, bone: BoneId) -> Option<&'a Passthrough> {
        if bone.index() >= self.skeleton.len() {
            return None;
        }
        self.references.get(self.skeleton.name(bone)).copied()
    }
}
