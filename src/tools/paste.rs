//! Copying a chain's values to other chains: all of them, or numbers, limits and colliders apart.
//!
//! Joints meet by their number where both chains have as many, else by their place along the chain.

use crate::document::chain::joint_scope_params;
use crate::document::{Chain, ChainId, ColliderId, Document, Edit, Node, pivot};
use crate::params::{ParamGroup, ParamId};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;

/// A chain as it was copied.
#[derive(Clone, Debug, PartialEq)]
pub struct CopiedChain {
    /// With all that it had.
    pub chain: Chain,
    /// What moved it: its rows mean nothing under another.
    pub solver: SolverKind,
    /// The place of each joint along it, 0..=1.
    pub curve_positions: Vec<f32>,
    /// It comes from another document, where ids of colliders mean others: none of them is pasted.
    pub is_foreign: bool,
}

impl CopiedChain {
    /// A copy of a chain of the document.
    pub fn from_document(document: &Document, skeleton: &Skeleton, chain: ChainId) -> Option<Self> {
        let chain = document.chains.get(&chain)?.clone();
        let (solver, places) = (document.solver_of(&chain), document.curve_positions(&chain, skeleton));
        Some(Self { chain, solver, curve_positions: places, is_foreign: false })
    }
}

/// What is pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasteTarget {
    /// Forces, radii and all other numbers but limits.
    pub numbers: bool,
    /// Angle limits; joints that get some and have no pivot get one.
    pub limits: bool,
    /// The lists of colliders and the groups.
    pub colliders: bool,
}

impl PasteTarget {
    /// Everything.
    pub const ALL: Self = Self { numbers: true, limits: true, colliders: true };

    /// Whether nothing is pasted.
    pub const fn is_empty(self) -> bool {
        !(self.numbers || self.limits || self.colliders)
    }

    const fn includes_group(self, group: ParamGroup) -> bool {
        if matches!(group, ParamGroup::AngleLimits) { self.limits } else { self.numbers }
    }
}

/// Pastes on chains, as one edit; a chain gets no other joints by it. Chains of another solver stay as they are;
/// colliders that are gone since are left out.
pub fn paste(
    document: &Document,
    skeleton: &Skeleton,
    copied: &CopiedChain,
    onto: &[ChainId],
    what: PasteTarget,
) -> Edit {
    let mut edits = Vec::new();
    let mut bare = Vec::new();
    for (id, chain) in onto.iter().filter_map(|id| Some((*id, document.chains.get(id)?))) {
        if copied.solver != document.solver_of(chain) {
            continue;
        }
        let pasted = pasted_chain(document, skeleton, copied, chain, what);
        if what.limits {
            bare.extend(limited_without_pivot(document, copied, &pasted));
        }
        if pasted != *chain {
            edits.push(Edit::PutChain { id, chain: Some(Box::new(pasted)) });
        }
    }
    if !bare.is_empty() {
        edits.push(pivot::align_pivots(document, skeleton, &bare));
    }
    Edit::Batch(edits)
}

fn pasted_chain(
    document: &Document,
    skeleton: &Skeleton,
    copied: &CopiedChain,
    onto: &Chain,
    what: PasteTarget,
) -> Chain {
    let mut chain = onto.clone();
    if what.numbers && what.limits {
        chain.curve_domain = copied.chain.curve_domain;
    }
    let places = document.curve_positions(&chain, skeleton);
    let by_number = chain.joints.len() == copied.chain.joints.len();
    for (row, _) in joint_scope_params(document.param_defs_of(onto)).filter(|(_, def)| what.includes_group(def.group)) {
        paste_param(copied, &mut chain, &places, row, by_number);
    }
    if what.numbers {
        // Numbers that are no more the material's are its own: the edit says so.
        chain.material = copied.chain.material.filter(|id| !copied.is_foreign && document.materials.contains_key(id));
    }
    if what.numbers && !copied.is_foreign {
        let is_there = |node: &Node| !matches!(node, Node::Helper(id) if !document.helpers.contains_key(id));
        chain.center = copied.chain.center.filter(is_there);
    }
    if what.limits {
        for (at, joint) in chain.joints.iter_mut().enumerate() {
            joint.limit = copied.chain.joints
                [if by_number { at } else { nearest_index(&copied.curve_positions, places[at]) }]
            .limit;
        }
    }
    if what.colliders && !copied.is_foreign {
        let groups = copied.chain.groups.iter().filter(|id| document.groups.contains_key(id));
        chain.groups = groups.copied().collect();
        let there = |id: &&ColliderId| document.colliders.contains_key(id);
        for (at, joint) in chain.joints.iter_mut().enumerate() {
            let from = if by_number { at } else { nearest_index(&copied.curve_positions, places[at]) };
            joint.colliders = copied.chain.joints[from].colliders.iter().filter(there).copied().collect();
        }
    }
    chain
}

fn paste_param(copied: &CopiedChain, chain: &mut Chain, places: &[f32], row: ParamId, by_number: bool) {
    chain.values[row.index()] = copied.chain.values[row.index()].clone();
    let any_own = copied.chain.joints.iter().any(|j| j.overrides.contains_key(&row));
    for (at, joint) in chain.joints.iter_mut().enumerate() {
        let own = if by_number {
            copied.chain.joints[at].overrides.get(&row).copied()
        } else if any_own {
            Some(interpolated_value(copied, row, places[at]))
        } else {
            None
        };
        match own {
            Some(value) => _ = joint.overrides.insert(row, value),
            None => _ = joint.overrides.remove(&row),
        }
    }
}

/// What the copied chain has at a place, between its joints too.
fn interpolated_value(copied: &CopiedChain, row: ParamId, place: f32) -> f32 {
    let value = |at: usize| copied.chain.joint_value(at, row, copied.curve_positions[at]);
    let all = || 0..copied.curve_positions.len();
    let below = all()
        .filter(|i| copied.curve_positions[*i] <= place)
        .max_by(|a, b| copied.curve_positions[*a].total_cmp(&copied.curve_positions[*b]));
    let above = all()
        .filter(|i| copied.curve_positions[*i] >= place)
        .min_by(|a, b| copied.curve_positions[*a].total_cmp(&copied.curve_positions[*b]));
    match (below, above) {
        (Some(a), Some(b))
            if copied.curve_positions[b] - copied.curve_positions[a] > 1e-6
                && value(a).is_finite()
                && value(b).is_finite() =>
        {
            let t = (place - copied.curve_positions[a]) / (copied.curve_positions[b] - copied.curve_positions[a]);
            value(a) + (value(b) - value(a)) * t
        }
        (Some(only), _) | (None, Some(only)) => value(only),
        (None, None) => copied.chain.values[row.index()].base,
    }
}

fn nearest_index(places: &[f32], place: f32) -> usize {
    let off = |i: usize| (places[i] - place).abs();
    (0..places.len()).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or_default()
}

/// Joints that would be limited by nothing, though the copied chain's are limited.
fn limited_without_pivot(document: &Document, copied: &CopiedChain, chain: &Chain) -> Vec<BoneId> {
    let limited = copied.chain.joints.iter().any(|j| j.pivot.is_some());
    let bare = chain.joints.iter().filter(|j| limited && j.pivot.is_none());
    bare.map(|j| j.bone).filter(|bone| document.find_joint(*bone).is_some()).collect()
}
