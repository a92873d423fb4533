//! A document as rows of a table would have it: by names, and value by value.

use super::name_resolver::NameResolver;
use crate::document::{ChainId, Collider, Document, Joint, Passthrough};
use crate::exchange::remap::NameMap;
use crate::params::{ParamId, ParamKind};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::ColliderShape;
use std::collections::{BTreeMap, BTreeSet};

/// Each name once, at its first position.
pub(super) fn without_duplicates(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// The order in which UnityChan's CSV lists the colliders of a row.
pub(super) const fn collider_order(shape: &ColliderShape) -> usize {
    match shape {
        ColliderShape::Sphere { inside: false, .. } => 0,
        ColliderShape::Capsule { inside: false, .. } => 1,
        ColliderShape::Panel { .. } => 2,
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
    curve_positions: BTreeMap<ChainId, Vec<f32>>,
    references_by_bone: BTreeMap<&'a str, &'a Passthrough>,
}

impl<'a> DocumentView<'a> {
    pub(super) fn new(document: &'a Document, skeleton: &'a Skeleton, leads: &'a NameMap) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let places =
            document.chains.iter().map(|(id, c)| (*id, document.curve_positions_in_pose(c, &rest, skeleton))).collect();
        let references = document.passthrough.iter().filter_map(|kept| match kept {
            Passthrough::References { bone, .. } => Some((bone.as_str(), kept)),
            _ => None,
        });
        let references = references.collect();
        Self {
            document,
            skeleton,
            resolver: NameResolver::new(document, skeleton, leads),
            rest,
            curve_positions: places,
            references_by_bone: references,
        }
    }

    /// The value that a joint gets.
    pub(super) fn joint_value(&self, chain: ChainId, joint: usize, row: ParamId) -> f32 {
        self.document.chains[&chain].joint_value(joint, row, self.curve_positions[&chain][joint])
    }

    /// Whether a value of a file is another one; of toggles a file only says whether they are on.
    pub(super) fn is_value_different(&self, chain: ChainId, joint: usize, row: ParamId, new: f32) -> bool {
        let old = self.joint_value(chain, joint, row);
        let table = self.document.param_defs_of(&self.document.chains[&chain]);
        if table[row.index()].kind == ParamKind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }

    /// Names of the colliders of a joint as a row of a CSV has them: those of its chain's groups first, then its own;
    /// where joints have pivots, spheres, capsules and panels in this order. Each once.
    pub(super) fn collider_names(&self, chain: ChainId, joint: &Joint) -> Vec<String> {
        let chain = &self.document.chains[&chain];
        let info = self.document.solver_of(chain).info();
        let all = self.document.colliders_of(chain, joint).filter_map(|id| self.document.colliders.get(&id));
        let mut live: Vec<&Collider> = all.filter(|collider| info.supports_shape(&collider.shape)).collect();
        if info.uses_pivots {
            live.sort_by_key(|collider| collider_order(&collider.shape));
        }
        without_duplicates(&live.into_iter().map(|collider| collider.name.clone()).collect::<Vec<_>>())
    }

    /// These collider names, then those that the bone's row refers to and that are not here.
    pub(super) fn with_missing_colliders(&self, bone: BoneId, mut names: Vec<String>) -> Vec<String> {
        if let Some(Passthrough::References { colliders, .. }) = self.missing_references(bone) {
            names.extend(colliders.iter().cloned());
        }
        without_duplicates(&names)
    }

    /// Names of the nodes that a joint's length is held to, then of those that are not here.
    pub(super) fn length_target_names(&self, joint: &Joint) -> Vec<String> {
        let live = joint.length_targets.iter().filter_map(|target| self.resolver.name(target.node)).map(str::to_owned);
        let kept: &[String] = match self.missing_references(joint.bone) {
            Some(Passthrough::References { length_targets, .. }) => length_targets,
            _ => &[],
        };
        live.chain(kept.iter().cloned()).collect()
    }

    /// Name of the pivot that the bone's row refers to and that is not here; empty where there is none.
    pub(super) fn missing_pivot_name(&self, bone: BoneId) -> &'a str {
        match self.missing_references(bone) {
            Some(Passthrough::References { pivot, .. }) => pivot,
            _ => "",
        }
    }

    fn missing_references(&self, bone: BoneId) -> Option<&'a Passthrough> {
        if bone.index() >= self.skeleton.len() {
            return None;
        }
        self.references_by_bone.get(self.skeleton.name(bone)).copied()
    }
}
