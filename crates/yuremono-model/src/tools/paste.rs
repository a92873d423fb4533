//! Copies a chain's values to other chains. Joints are matched by index if both chains have the same number of joints,
//! else by curve position.

use crate::document::chain::joint_scope_params;
use crate::document::source_frames::{KeptValue, RestPose, SourceFrames, reverse_chain_gravity, turn_copied_chain};
use crate::document::{Chain, ChainId, ChainValue, ColliderId, Document, Edit, Node, pivot};
use std::collections::BTreeMap;
use yuremono_sim::SolverKind;
use yuremono_sim::params::{ParamGroup, ParamId};
use yuremono_sim::rig::{BoneId, Skeleton};

/// A copy of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct CopiedChain {
    pub chain: Chain,
    /// The chain's solver. Parameter ids belong to the solver's table.
    pub solver: SolverKind,
    /// Curve position of each joint, 0 to 1.
    pub curve_positions: Vec<f32>,
    /// The rest frames of the joints.
    pub rest_frames: SourceFrames<BoneId>,
    /// Whether the chain comes from another document. If so, collider ids are not pasted, and values in the frames of
    /// bones are converted.
    pub is_foreign: bool,
}

impl CopiedChain {
    /// Copies a chain of the document.
    pub fn from_document<'a>(document: &Document, rest: impl Into<RestPose<'a>>, chain: ChainId) -> Option<Self> {
        let rest = rest.into();
        let chain = document.chains.get(&chain)?.clone();
        let (solver, places) = (document.solver_of(&chain), document.curve_positions(&chain, rest.skeleton));
        let rest_frames = SourceFrames::new(rest, |bone| chain.joint_index(bone).map(|_| bone));
        Some(Self { chain, solver, curve_positions: places, rest_frames, is_foreign: false })
    }

    /// Converts values in the frames of bones to the joints of a chain of another character. `places` has the curve
    /// position of each joint of that chain.
    fn convert_to(&mut self, onto: &Chain, places: &[f32], rest: RestPose<'_>) -> Vec<KeptValue> {
        let by_number = onto.joints.len() == self.chain.joints.len();
        let target = |at: usize| {
            let at = if by_number { at } else { nearest_index(places, self.curve_positions[at]) };
            onto.joints[at].bone
        };
        let targets: BTreeMap<BoneId, BoneId> =
            self.chain.joints.iter().enumerate().map(|(at, joint)| (joint.bone, target(at))).collect();
        let turns = self.rest_frames.turns(rest, |bone| targets.get(bone).copied());
        let turned_to = self.rest_frames.turned_to(rest.facing);
        let table = self.solver.info().params;
        let kept = turn_copied_chain(&mut self.chain, table, &self.curve_positions, &turns, turned_to);
        if turned_to.is_some() && self.solver == SolverKind::Vrm {
            // Characters of the two versions of VRM face opposite directions.
            reverse_chain_gravity(&mut self.chain);
        }
        kept.into_iter().map(|one| KeptValue { bone: targets[&one.bone], ..one }).collect()
    }
}

/// Which parts of a chain are pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasteTarget {
    /// All parameters except limits.
    pub numbers: bool,
    /// Angle limits. Joints without a pivot get one.
    pub limits: bool,
    /// Colliders and groups.
    pub colliders: bool,
}

impl PasteTarget {
    /// All parts.
    pub const ALL: Self = Self { numbers: true, limits: true, colliders: true };

    /// Returns whether nothing is pasted.
    pub const fn is_empty(self) -> bool {
        !(self.numbers || self.limits || self.colliders)
    }

    const fn includes_group(self, group: ParamGroup) -> bool {
        if matches!(group, ParamGroup::AngleLimits) { self.limits } else { self.numbers }
    }
}

/// The effect of pasting.
#[derive(Clone, Debug, PartialEq)]
pub struct PasteResult {
    pub edit: Edit,
    /// Values that need parallel bone axes and stayed unchanged.
    pub kept_values: Vec<KeptValue>,
}

/// Pastes values onto chains. Skips chains of other solvers, and colliders that no longer exist.
pub fn paste<'a>(
    document: &Document,
    rest: impl Into<RestPose<'a>>,
    copied: &CopiedChain,
    onto: &[ChainId],
    what: PasteTarget,
) -> PasteResult {
    let rest = rest.into();
    let skeleton = rest.skeleton;
    let mut edits = Vec::new();
    let mut bare = Vec::new();
    let mut kept_values = Vec::new();
    for (id, chain) in onto.iter().filter_map(|id| Some((*id, document.chains.get(id)?))) {
        if copied.solver != document.solver_of(chain) {
            continue;
        }
        let mut converted = copied.clone();
        if copied.is_foreign {
            let places = document.curve_positions(chain, skeleton);
            let kept = converted.convert_to(chain, &places, rest);
            kept_values.extend(kept.into_iter().filter(|kept| what.includes_group(kept.def.group)));
        }
        let pasted = pasted_chain(document, skeleton, &converted, chain, what);
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
    PasteResult { edit: Edit::Batch(edits), kept_values }
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
    for (param, _) in joint_scope_params(document.param_defs_of(onto)).filter(|(_, def)| what.includes_group(def.group))
    {
        paste_param(copied, &mut chain, &places, param, by_number);
    }
    if what.numbers {
        // The chain gets the material of the copied chain or none, because a chain with a material holds exactly its
        // values.
        chain.material = copied.chain.material.filter(|id| !copied.is_foreign && document.materials.contains_key(id));
    }
    if what.numbers && !copied.is_foreign {
        let is_there = |node: &Node| !matches!(node, Node::Helper(id) if !document.helpers.contains_key(id));
        chain.center = copied.chain.center.filter(is_there);
    }
    let source = |at: usize| {
        let from = if by_number { at } else { nearest_index(&copied.curve_positions, places[at]) };
        &copied.chain.joints[from]
    };
    if what.limits {
        chain.joints.iter_mut().enumerate().for_each(|(at, joint)| joint.limit = source(at).limit);
    }
    if what.colliders && !copied.is_foreign {
        let groups = copied.chain.groups.iter().filter(|id| document.groups.contains_key(id));
        chain.groups = groups.copied().collect();
        let there = |id: &&ColliderId| document.colliders.contains_key(id);
        for (at, joint) in chain.joints.iter_mut().enumerate() {
            joint.colliders = source(at).colliders.iter().filter(there).copied().collect();
        }
    }
    chain
}

fn paste_param(copied: &CopiedChain, chain: &mut Chain, places: &[f32], param: ParamId, by_number: bool) {
    // All chains of a ring have the same ring curve, so the chain keeps the curve of its ring.
    let around = chain.values[param.index()].around.take();
    chain.values[param.index()] = ChainValue { around, ..copied.chain.values[param.index()].clone() };
    let any_own = copied.chain.joints.iter().any(|j| j.overrides.contains_key(&param));
    for (at, joint) in chain.joints.iter_mut().enumerate() {
        let own = if by_number {
            copied.chain.joints[at].overrides.get(&param).copied()
        } else if any_own {
            Some(interpolated_value(copied, param, places[at]))
        } else {
            None
        };
        match own {
            Some(value) => _ = joint.overrides.insert(param, value),
            None => _ = joint.overrides.remove(&param),
        }
    }
}

/// Returns the copied chain's value at a curve position, interpolated between joints.
fn interpolated_value(copied: &CopiedChain, param: ParamId, place: f32) -> f32 {
    let positions = &copied.curve_positions;
    let value = |at: usize| copied.chain.joint_value(at, param, positions[at]);
    let order = |a: &usize, b: &usize| positions[*a].total_cmp(&positions[*b]);
    let all = || 0..positions.len();
    let below = all().filter(|i| positions[*i] <= place).max_by(order);
    let above = all().filter(|i| positions[*i] >= place).min_by(order);
    match (below, above) {
        (Some(a), Some(b)) if positions[b] - positions[a] > 1e-6 && value(a).is_finite() && value(b).is_finite() => {
            value(a) + (value(b) - value(a)) * ((place - positions[a]) / (positions[b] - positions[a]))
        }
        (Some(only), _) | (None, Some(only)) => value(only),
        (None, None) => copied.chain.values[param.index()].base,
    }
}

fn nearest_index(places: &[f32], place: f32) -> usize {
    let off = |i: usize| (places[i] - place).abs();
    (0..places.len()).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or_default()
}

/// Returns the joints without a pivot, if the copied chain has pivots.
fn limited_without_pivot(document: &Document, copied: &CopiedChain, chain: &Chain) -> Vec<BoneId> {
    let limited = copied.chain.joints.iter().any(|j| j.pivot.is_some());
    let bare = chain.joints.iter().filter(|j| limited && j.pivot.is_none());
    bare.map(|j| j.bone).filter(|bone| document.find_joint(*bone).is_some()).collect()
}
