//! Mirrors authored values from one side of the body to the other.
//!
//! Pairs come from [`find_pairs`] or from the artist; [`plan_mirror`] makes one edit. The parameter table defines the
//! mirror rule of each parameter. Positions come from the rest pose; the mirror plane is X = 0.

mod mirror_images;
mod pairs;

pub(crate) use mirror_images::mirror_rotation;
pub use pairs::{MirrorPair, PairMatch, SourceSide, find_pairs, mirror_point, mirrored_name, source_joints};

use crate::document::chain::joint_scope_params;
use crate::document::rest_frame::{FrameTurn, RestFrame};
use crate::document::source_frames::{KeptValue, move_equal_values_to_chain, turn_joint_values};
use crate::document::{Chain, ChainId, ChainValue, Document, Edit, Joint, LengthTarget, Node, RestFrames, Tip};
use mirror_images::MirrorImages;
use std::collections::BTreeMap;
use yuremono_sim::params::{MirrorRule, ParamDef, ParamId};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Joints whose curve positions differ by less share the base value and the curve.
const SAME_CURVE_POSITION: f32 = 0.02;

/// What happens to colliders and length targets without a mirror image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnmatchedPolicy {
    /// Colliders are created.
    #[default]
    CreateImage,
    /// The target uses the collider or node of the source.
    KeepSource,
    /// The reference is dropped, as in UnityChanSpringBone.
    Drop,
}

/// Options of mirroring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorOptions {
    /// Maximum distance between a bone and the mirror image of its partner, in metres.
    pub tolerance: f32,
    /// Whether forces keep the sign of X, as in UnityChanSpringBone's mirror window.
    pub unity_accurate: bool,
    /// What happens to references without a mirror image.
    pub unmatched: UnmatchedPolicy,
    /// Whether collider lists are copied, and colliders of the other side are moved and resized.
    pub colliders: bool,
    /// Whether targets that already have joints are skipped.
    pub only_unsimulated_targets: bool,
}

impl Default for MirrorOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-3,
            unity_accurate: false,
            unmatched: UnmatchedPolicy::CreateImage,
            colliders: true,
            only_unsimulated_targets: false,
        }
    }
}

/// The effect of mirroring.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorPlan {
    pub edit: Edit,
    /// Number of joints that get values.
    pub joints: usize,
    /// Number of created chains.
    pub chains_created: usize,
    /// Number of pivots that are created, rotated or shared.
    pub pivots: usize,
    /// Number of colliders that are created, moved or resized.
    pub colliders: usize,
    /// Names of colliders and length targets without a mirror image.
    pub unmatched: Vec<String>,
    /// Values that need parallel bone axes, and are copied without a conversion.
    pub kept_values: Vec<KeptValue>,
}

/// A value that changes when it is mirrored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirroredValue {
    /// Parameter of the target.
    pub param: ParamId,
    /// Value of the source for this parameter.
    pub source: f32,
    /// Value of the target.
    pub result: f32,
}

/// Returns the source parameter of a target parameter, and whether the sign changes.
pub fn mirror_rule(param: ParamId, def: &ParamDef, as_unity: bool) -> (ParamId, bool) {
    match def.mirror {
        MirrorRule::Negate => (param, !as_unity),
        MirrorRule::SwapNegate(partner) => (partner, true),
        MirrorRule::Same => (param, false),
    }
}

/// Converts the values of a joint to its mirror image on another bone.
#[derive(Debug)]
pub struct MirrorValues {
    rest_frames: Vec<RestFrame>,
    unity_accurate: bool,
}

impl MirrorValues {
    /// `unity_accurate` as in [`MirrorOptions`].
    pub fn new(skeleton: &Skeleton, unity_accurate: bool) -> Self {
        Self { rest_frames: RestFrame::of_skeleton(skeleton), unity_accurate }
    }

    /// Returns the turn from the mirror image of a bone's axes to the axes of `target`, if they differ.
    fn turn(&self, source: BoneId, target: BoneId) -> Option<FrameTurn> {
        let frame = |bone: BoneId| self.rest_frames.get(bone.index());
        frame(source)?.mirrored().turn_to(frame(target)?, glam::Quat::IDENTITY)
    }

    /// Returns the value of each parameter that joints have, and the parameters whose values need parallel axes and are
    /// therefore not converted. `table` is the table of the chain's solver, `at` the index of the source joint, and
    /// `position` its curve position.
    pub fn of_joint(
        &self,
        chain: &Chain,
        table: &'static [ParamDef],
        at: usize,
        position: f32,
        target: BoneId,
    ) -> (BTreeMap<ParamId, f32>, Vec<&'static ParamDef>) {
        let mirrored = |(param, def): (ParamId, &ParamDef)| {
            let (from, negated) = mirror_rule(param, def, self.unity_accurate);
            (param, negate_if(chain.joint_value(at, from, position), negated))
        };
        let mut values: BTreeMap<ParamId, f32> = joint_scope_params(table).map(mirrored).collect();
        let turn = self.turn(chain.joints[at].bone, target);
        let kept = turn.map_or_else(Vec::new, |turn| turn_joint_values(&mut values, table, &turn));
        (values, kept)
    }
}

/// Returns the values of a joint that change sign or parameter.
pub fn mirrored_values(document: &Document, skeleton: &Skeleton, source: BoneId, as_unity: bool) -> Vec<MirroredValue> {
    let Some((id, at)) = document.find_joint(source) else { return Vec::new() };
    let chain = &document.chains[&id];
    let place = document.curve_positions(chain, skeleton)[at];
    let flip = |(param, def): (ParamId, &ParamDef)| {
        let (from, negated) = mirror_rule(param, def, as_unity);
        let result = negate_if(chain.joint_value(at, from, place), negated);
        negated.then(|| MirroredValue { param, source: chain.joint_value(at, param, place), result })
    };
    joint_scope_params(document.param_defs_of(chain)).filter_map(flip).collect()
}

/// Negates a value without creating negative zero.
fn negate_if(value: f32, negated: bool) -> f32 {
    if negated { 0.0 - value } else { value }
}

/// Plans how to mirror the included pairs. Skips pairs without a source joint or without a target bone.
pub fn plan_mirror(
    document: &Document,
    skeleton: &Skeleton,
    pairs: &[MirrorPair],
    options: &MirrorOptions,
) -> MirrorPlan {
    let stance = RestFrames::of(document, skeleton);
    let bare = |bone: BoneId| document.find_joint(bone).is_none();
    let wanted: Vec<MirrorPair> = pairs
        .iter()
        .filter(|p| p.included && p.target.is_some_and(|t| t.index() < skeleton.len() && t != p.source))
        .filter(|p| !options.only_unsimulated_targets || p.target.is_some_and(bare))
        .copied()
        .collect();
    let mut copier = MirrorCopier {
        document,
        skeleton,
        rest_frames: &stance,
        options,
        images: MirrorImages::new(document, skeleton, &stance, &wanted, options),
        values: MirrorValues::new(skeleton, options.unity_accurate),
        kept_values: Vec::new(),
        chains: BTreeMap::new(),
        joints: 0,
        created_chains: 0,
        next_chain_id: document.next_chain_id().0,
    };
    let mut by_chain: BTreeMap<ChainId, Vec<(usize, BoneId)>> = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    for pair in &wanted {
        if let (Some((id, at)), Some(target)) = (document.find_joint(pair.source), pair.target)
            && seen.insert(target)
        {
            by_chain.entry(id).or_default().push((at, target));
        }
    }
    for (id, joints) in by_chain {
        copier.copy_chain(id, &joints);
    }
    copier.finish()
}

struct MirrorCopier<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest_frames: &'a RestFrames,
    options: &'a MirrorOptions,
    images: MirrorImages<'a>,
    values: MirrorValues,
    kept_values: Vec<KeptValue>,
    chains: BTreeMap<ChainId, Chain>,
    joints: usize,
    created_chains: usize,
    next_chain_id: u32,
}

impl MirrorCopier<'_> {
    /// `joints` contains indices in the source chain, with their target bones.
    fn copy_chain(&mut self, id: ChainId, joints: &[(usize, BoneId)]) {
        let source = &self.document.chains[&id];
        let bare: Vec<_> = joints.iter().copied().filter(|(_, t)| self.document.find_joint(*t).is_none()).collect();
        if !bare.is_empty() {
            self.create_chain(source, &bare);
        }
        let mut by_target: BTreeMap<ChainId, Vec<(usize, BoneId)>> = BTreeMap::new();
        for (at, target) in joints {
            if let Some((other, _)) = self.document.find_joint(*target) {
                by_target.entry(other).or_default().push((*at, *target));
            }
        }
        for (other, joints) in by_target {
            let mut chain = self.chains.get(&other).unwrap_or(&self.document.chains[&other]).clone();
            let whole = other != id && joints.len() == source.joints.len() && joints.len() == chain.joints.len();
            if whole {
                self.match_solver(source, &mut chain);
                self.copy_chain_values(source, &mut chain);
                self.copy_references(source, &mut chain);
            } else if other != id {
                self.add_references(source, &mut chain);
            }
            self.copy_joints(source, &mut chain, &joints, whole);
            self.chains.insert(other, chain);
        }
    }

    fn create_chain(&mut self, source: &Chain, bare: &[(usize, BoneId)]) {
        let mut bones: Vec<BoneId> = bare.iter().map(|(_, target)| *target).collect();
        bones.sort_unstable();
        let root = self.skeleton.name(bones[0]);
        let name = if source.name == self.skeleton.name(source.root()) { None } else { mirrored_name(&source.name) };
        let joints = bones.iter().map(|bone| Joint::new(*bone)).collect();
        let name = name.unwrap_or_else(|| root.to_owned());
        let mut chain = Chain::new(name, source.part, self.document.param_defs_of(source), joints);
        chain.system = source.system;
        self.copy_chain_values(source, &mut chain);
        self.copy_references(source, &mut chain);
        self.copy_joints(source, &mut chain, bare, true);
        for (at, target) in bare {
            let from = &source.joints[*at];
            let tip = self.mirrored_tip(from, *target);
            if let Some(at) = chain.joint_index(*target) {
                let joint = &mut chain.joints[at];
                (joint.enabled, joint.animated, joint.tip) = (from.enabled, from.animated, tip);
            }
        }
        self.chains.insert(ChainId(self.next_chain_id), chain);
        self.next_chain_id += 1;
        self.created_chains += 1;
    }

    fn mirrored_tip(&self, source: &Joint, target: BoneId) -> Tip {
        match &source.tip {
            Tip::Children => Tip::Children,
            Tip::Bone(bone) => self.images.mirror_bone(*bone).map_or(Tip::Children, Tip::Bone),
            Tip::Offset(_) => {
                let image = self.rest_frames.tip(self.skeleton, source).map(mirror_point);
                let local = image
                    .and_then(|tip| Some(self.rest_frames.frame(Node::Bone(target))?.inverse_transform_point(tip)));
                local.filter(|p| p.is_finite()).map_or(Tip::Children, Tip::Offset)
            }
        }
    }

    /// Switches a completely copied chain to the solver of its source, because parameters belong to the table of one
    /// solver.
    fn match_solver(&self, source: &Chain, target: &mut Chain) {
        if !self.has_same_solver(source, target) {
            let fresh = Chain::new(String::new(), target.part, self.document.param_defs_of(source), Vec::new());
            (target.system, target.values) = (source.system, fresh.values);
            target.joints.iter_mut().for_each(|joint| joint.overrides.clear());
        }
    }

    fn has_same_solver(&self, a: &Chain, b: &Chain) -> bool {
        self.document.solver_of(a) == self.document.solver_of(b)
    }

    fn copy_chain_values(&self, source: &Chain, target: &mut Chain) {
        (target.curve_domain, target.material) = (source.curve_domain, source.material);
        for (param, def) in joint_scope_params(self.document.param_defs_of(source)) {
            let (from, negated) = mirror_rule(param, def, self.options.unity_accurate);
            let ChainValue { base, curve, .. } = source.values[from.index()].clone();
            // All chains of a ring have the same ring curve, so the target keeps the curve of its ring.
            let around = target.values[param.index()].around.take();
            target.values[param.index()] = ChainValue { base: negate_if(base, negated), curve, around };
        }
    }

    fn copy_references(&mut self, source: &Chain, target: &mut Chain) {
        target.center = source.center.and_then(|center| self.images.mirror_node(center));
        if self.options.colliders {
            target.groups = self.images.mirror_groups(&source.groups);
        }
    }

    /// Like `copy_references`, but for a part of a chain. The target keeps its existing references.
    fn add_references(&mut self, source: &Chain, target: &mut Chain) {
        let kept = std::mem::take(&mut target.groups);
        let center = target.center;
        self.copy_references(source, target);
        target.center = target.center.or(center);
        let copied = std::mem::replace(&mut target.groups, kept);
        for group in copied {
            if !target.groups.contains(&group) {
                target.groups.push(group);
            }
        }
    }

    /// Copies overrides and references. If `whole`, base values and curves are already copied. If the solvers differ,
    /// copies only references.
    fn copy_joints(&mut self, source: &Chain, target: &mut Chain, joints: &[(usize, BoneId)], whole: bool) {
        let rest = self.rest_frames.rest();
        let from_places = self.document.curve_positions_in_pose(source, rest, self.skeleton);
        let to_places = self.document.curve_positions_in_pose(target, rest, self.skeleton);
        let table = if self.has_same_solver(source, target) { self.document.param_defs_of(source) } else { &[] };
        let mut has_turned_values = false;
        for (from, bone) in joints {
            let Some(at) = target.joint_index(*bone) else { continue };
            let same_place = (from_places[*from] - to_places[at]).abs() <= SAME_CURVE_POSITION;
            let mut own = target.joints[at].overrides.clone();
            let (values, kept) = self.values.of_joint(source, table, *from, from_places[*from], *bone);
            self.kept_values.extend(kept.into_iter().map(|def| KeptValue { bone: *bone, def }));
            for (param, wanted) in values {
                let def = &table[param.index()];
                if whole {
                    own.remove(&param);
                    let shared = &target.values[param.index()];
                    // A parameter without a curve has the same value everywhere.
                    let fits = same_place || shared.curve.is_none();
                    let is_turned = def.in_bone_frame() && shared.along(to_places[at]).to_bits() != wanted.to_bits();
                    has_turned_values |= is_turned;
                    let (other, _) = mirror_rule(param, def, self.options.unity_accurate);
                    if !fits || is_turned || source.joints[*from].overrides.contains_key(&other) {
                        own.insert(param, wanted);
                    }
                } else if target.joint_value(at, param, to_places[at]).to_bits() != wanted.to_bits() {
                    own.insert(param, wanted);
                }
            }
            let from = &source.joints[*from];
            let pivot = self.images.find_or_create_mirrored_pivot(from, *bone);
            let length_targets = self.length_targets(from);
            let colliders = self.options.colliders.then(|| self.images.mirror_colliders(&from.colliders));
            let limit = from.limit.map(|limit| self.images.mirror_limit(limit, from, *bone));
            let joint = &mut target.joints[at];
            (joint.overrides, joint.pivot, joint.length_targets, joint.limit) = (own, pivot, length_targets, limit);
            joint.colliders = colliders.unwrap_or_else(|| std::mem::take(&mut joint.colliders));
            self.joints += 1;
        }
        if has_turned_values {
            move_equal_values_to_chain(target, table);
        }
    }

    fn length_targets(&mut self, source: &Joint) -> Vec<LengthTarget> {
        let mut images = Vec::with_capacity(source.length_targets.len());
        for target in &source.length_targets {
            let image = self.images.mirror_node(target.node).or_else(|| {
                let name = match target.node {
                    Node::Bone(bone) => self.skeleton.name(bone),
                    Node::Helper(id) => self.document.helpers.get(&id).map_or("", |h| h.name.as_str()),
                };
                self.images.record_unmatched(name, target.node)
            });
            images.extend(image.map(|node| LengthTarget { node, ..*target }));
        }
        images
    }

    fn finish(self) -> MirrorPlan {
        let mut edits = self.images.edits;
        edits.extend(self.chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }));
        MirrorPlan {
            edit: Edit::Batch(edits),
            joints: self.joints,
            chains_created: self.created_chains,
            pivots: self.images.pivot_count,
            colliders: self.images.collider_count,
            unmatched: self.images.unmatched,
            kept_values: self.kept_values,
        }
    }
}
