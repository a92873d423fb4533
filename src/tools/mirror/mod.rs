//! Carries what is authored on one side of the body to the other.
//!
//! Pairs come from [`find_pairs`] or from the artist; [`plan`] makes one edit of them. What happens to a number is
//! the table's own mirror rule, so that there is no second list. Places are those of the rest pose, the plane is X = 0.

mod names;
mod pairs;
mod reflect;

pub use names::mirrored_name;
pub use pairs::{Found, From, Pair, find_pairs, mirrored, sources};

use crate::document::chain::joint_rows;
use crate::document::{Authored, Chain, ChainId, Document, Edit, Joint, LengthTarget, Node, Stance, Tip};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{Mirror, ParamDef, Row};
use reflect::Reflection;
use std::collections::BTreeMap;

/// Joints whose places along their chains differ by less share base and curve, shares of the chain.
const SAME_PLACE: f32 = 0.02;

/// What becomes of colliders and length targets that have no mirror image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// Colliders get one.
    #[default]
    Make,
    /// The target refers to the source's own.
    Keep,
    /// Left out, as the original does.
    Drop,
}

/// How a side is copied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Metres between a mirror image and the bone that is taken for it.
    pub tolerance: f32,
    /// Forces keep their X, as in the original's mirror window.
    pub as_unity: bool,
    /// What becomes of references without image.
    pub unmatched: Unmatched,
    /// Whether collider lists are copied, and colliders of the other side placed and sized alike.
    pub colliders: bool,
    /// Targets that sway already stay as they are.
    pub only_bare: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-3, as_unity: false, unmatched: Unmatched::Make, colliders: true, only_bare: false }
    }
}

/// What mirroring would do.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorPlan {
    /// All of it, as one step.
    pub edit: Edit,
    /// Joints that get values.
    pub joints: usize,
    /// Chains for bones that did not sway.
    pub chains_made: usize,
    /// Pivots that are made, turned or shared.
    pub pivots: usize,
    /// Colliders that are made, moved or resized.
    pub colliders: usize,
    /// Names of colliders and length targets without image.
    pub unmatched: Vec<String>,
}

/// A number that is not simply copied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flip {
    /// The target's.
    pub row: Row,
    /// What the source has there.
    pub source: f32,
    /// What the target gets.
    pub result: f32,
}

/// Which row of the source a row of the target is copied from, and whether its sign changes.
pub fn rule(row: Row, def: &ParamDef, as_unity: bool) -> (Row, bool) {
    match def.mirror {
        Mirror::Negate => (row, !as_unity),
        Mirror::SwapNegate(partner) => (partner, true),
        Mirror::Same => (row, false),
    }
}

/// The numbers of a joint that change sign or place.
pub fn flips(document: &Document, skeleton: &Skeleton, source: BoneId, as_unity: bool) -> Vec<Flip> {
    let Some((id, at)) = document.joint_of(source) else { return Vec::new() };
    let chain = &document.chains[&id];
    let place = document.places(chain, skeleton)[at];
    let flip = |(row, def): (Row, &ParamDef)| {
        let (from, negated) = rule(row, def, as_unity);
        let result = signed(chain.value(at, from, place), negated);
        negated.then(|| Flip { row, source: chain.value(at, row, place), result })
    };
    joint_rows(document.table_of(chain)).filter_map(flip).collect()
}

/// Without a negative zero.
fn signed(value: f32, negated: bool) -> f32 {
    if negated { 0.0 - value } else { value }
}

/// Works out what the taken pairs come to. Pairs whose source is no joint or whose target is not there are passed over.
pub fn plan(document: &Document, skeleton: &Skeleton, pairs: &[Pair], options: &Options) -> MirrorPlan {
    let stance = Stance::of(document, skeleton);
    let bare = |bone: BoneId| document.joint_of(bone).is_none();
    let wanted: Vec<Pair> = pairs
        .iter()
        .filter(|p| p.taken && p.target.is_some_and(|t| t.index() < skeleton.len() && t != p.source))
        .filter(|p| !options.only_bare || p.target.is_some_and(bare))
        .copied()
        .collect();
    let mut copier = Copier {
        document,
        skeleton,
        stance: &stance,
        options,
        reflection: Reflection::new(document, skeleton, &stance, &wanted, options),
        chains: BTreeMap::new(),
        joints: 0,
        made: 0,
        fresh: document.fresh_chain().0,
    };
    let mut by_chain: BTreeMap<ChainId, Vec<(usize, BoneId)>> = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    for pair in &wanted {
        if let (Some((id, at)), Some(target)) = (document.joint_of(pair.source), pair.target)
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

/// Collects the chains of the other side.
struct Copier<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    stance: &'a Stance,
    options: &'a Options,
    reflection: Reflection<'a>,
    chains: BTreeMap<ChainId, Chain>,
    joints: usize,
    made: usize,
    fresh: u32,
}

impl Copier<'_> {
    /// `joints`: positions in the source chain, each with its target.
    fn copy_chain(&mut self, id: ChainId, joints: &[(usize, BoneId)]) {
        let source = &self.document.chains[&id];
        let bare: Vec<_> = joints.iter().copied().filter(|(_, t)| self.document.joint_of(*t).is_none()).collect();
        if !bare.is_empty() {
            self.make_chain(source, &bare);
        }
        let mut by_target: BTreeMap<ChainId, Vec<(usize, BoneId)>> = BTreeMap::new();
        for (at, target) in joints {
            if let Some((other, _)) = self.document.joint_of(*target) {
                by_target.entry(other).or_default().push((*at, *target));
            }
        }
        for (other, joints) in by_target {
            let mut chain = self.chains.get(&other).unwrap_or(&self.document.chains[&other]).clone();
            let whole = other != id && joints.len() == source.joints.len() && joints.len() == chain.joints.len();
            if whole {
                self.share_solver(source, &mut chain);
                self.copy_shared(source, &mut chain);
                self.copy_references(source, &mut chain);
            } else if other != id {
                self.add_references(source, &mut chain);
            }
            self.copy_joints(source, &mut chain, &joints, whole);
            self.chains.insert(other, chain);
        }
    }

    /// A chain for targets that do not sway yet.
    fn make_chain(&mut self, source: &Chain, bare: &[(usize, BoneId)]) {
        let mut bones: Vec<BoneId> = bare.iter().map(|(_, target)| *target).collect();
        bones.sort_unstable();
        let root = self.skeleton.name(bones[0]);
        let name = if source.name == self.skeleton.name(source.root()) { None } else { mirrored_name(&source.name) };
        let joints = bones.iter().map(|bone| Joint::new(*bone)).collect();
        let name = name.unwrap_or_else(|| root.to_owned());
        let mut chain = Chain::new(name, source.part, self.document.table_of(source), joints);
        chain.system = source.system;
        self.copy_shared(source, &mut chain);
        self.copy_references(source, &mut chain);
        self.copy_joints(source, &mut chain, bare, true);
        for (at, target) in bare {
            let from = &source.joints[*at];
            let tip = self.tip(from, *target);
            if let Some(at) = chain.position(*target) {
                let joint = &mut chain.joints[at];
                (joint.enabled, joint.animated, joint.tip) = (from.enabled, from.animated, tip);
            }
        }
        self.chains.insert(ChainId(self.fresh), chain);
        self.fresh += 1;
        self.made += 1;
    }

    fn tip(&self, source: &Joint, target: BoneId) -> Tip {
        match &source.tip {
            Tip::Children => Tip::Children,
            Tip::Bone(bone) => self.reflection.bone(*bone).map_or(Tip::Children, Tip::Bone),
            Tip::Offset(_) => {
                let image = self.stance.tip(self.skeleton, source).map(mirrored);
                let local = image.and_then(|tip| Some(self.stance.frame(Node::Bone(target))?.inverse_point(tip)));
                local.filter(|p| p.is_finite()).map_or(Tip::Children, Tip::Offset)
            }
        }
    }

    /// A chain that is copied as a whole moves as its image does: rows of another table mean other things.
    fn share_solver(&self, source: &Chain, target: &mut Chain) {
        if !self.moves_alike(source, target) {
            let fresh = Chain::new(String::new(), target.part, self.document.table_of(source), Vec::new());
            (target.system, target.values) = (source.system, fresh.values);
            target.joints.iter_mut().for_each(|joint| joint.own.clear());
        }
    }

    fn moves_alike(&self, a: &Chain, b: &Chain) -> bool {
        self.document.solver_of(a) == self.document.solver_of(b)
    }

    /// Base and curve of every row.
    fn copy_shared(&self, source: &Chain, target: &mut Chain) {
        (target.along, target.material) = (source.along, source.material);
        for (row, def) in joint_rows(self.document.table_of(source)) {
            let (from, negated) = rule(row, def, self.options.as_unity);
            let Authored { base, curve } = source.values[from.index()].clone();
            target.values[row.index()] = Authored { base: signed(base, negated), curve };
        }
    }

    /// What the chain itself refers to.
    fn copy_references(&mut self, source: &Chain, target: &mut Chain) {
        target.center = source.center.and_then(|center| self.reflection.node(center));
        if self.options.colliders {
            target.groups = self.reflection.groups(&source.groups);
        }
    }

    /// The same where but a part is copied: what the rest of the target's chain meets stays.
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

    /// Values of their own, and what joints refer to. `whole`: base and curve are the source's already. A part of a chain
    /// that another solver moves keeps its numbers.
    fn copy_joints(&mut self, source: &Chain, target: &mut Chain, joints: &[(usize, BoneId)], whole: bool) {
        let rest = self.stance.rest();
        let from_places = self.document.places_in(source, rest, self.skeleton);
        let to_places = self.document.places_in(target, rest, self.skeleton);
        let table = if self.moves_alike(source, target) { self.document.table_of(source) } else { &[] };
        for (from, bone) in joints {
            let Some(at) = target.position(*bone) else { continue };
            let same_place = (from_places[*from] - to_places[at]).abs() <= SAME_PLACE;
            let mut own = target.joints[at].own.clone();
            for (row, def) in joint_rows(table) {
                let (other, negated) = rule(row, def, self.options.as_unity);
                let wanted = signed(source.value(*from, other, from_places[*from]), negated);
                if whole {
                    own.remove(&row);
                    // A level row reaches every place alike.
                    let fits = same_place || target.values[row.index()].curve.is_none();
                    if !fits || source.joints[*from].own.contains_key(&other) {
                        own.insert(row, wanted);
                    }
                } else if target.value(at, row, to_places[at]).to_bits() != wanted.to_bits() {
                    own.insert(row, wanted);
                }
            }
            let from = &source.joints[*from];
            let pivot = self.reflection.pivot(from, *bone);
            let length_targets = self.length_targets(from);
            let colliders = self.options.colliders.then(|| self.reflection.colliders(&from.colliders));
            let limit = from.limit.map(|limit| self.reflection.limit(limit, from, *bone));
            let joint = &mut target.joints[at];
            (joint.own, joint.pivot, joint.length_targets, joint.limit) = (own, pivot, length_targets, limit);
            joint.colliders = colliders.unwrap_or_else(|| std::mem::take(&mut joint.colliders));
            self.joints += 1;
        }
    }

    fn length_targets(&mut self, source: &Joint) -> Vec<LengthTarget> {
        let mut images = Vec::with_capacity(source.length_targets.len());
        for target in &source.length_targets {
            let image = self.reflection.node(target.node).or_else(|| {
                let name = match target.node {
                    Node::Bone(bone) => self.skeleton.name(bone),
                    Node::Helper(id) => self.document.helpers.get(&id).map_or("", |h| h.name.as_str()),
                };
                self.reflection.without_image(name, target.node)
            });
            images.extend(image.map(|node| LengthTarget { node, ..*target }));
        }
        images
    }

    fn finish(self) -> MirrorPlan {
        let mut edits = self.reflection.edits;
        edits.extend(self.chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }));
        MirrorPlan {
            edit: Edit::Batch(edits),
            joints: self.joints,
            chains_made: self.made,
            pivots: self.reflection.pivot_count,
            colliders: self.reflection.collider_count,
            unmatched: self.reflection.unmatched,
        }
    }
}
