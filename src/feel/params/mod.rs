//! How chains feel, in terms that every solver shares: read, written and carried along a chain.
//!
//! A term is no value of the document: it is what the solver's own numbers come to, so that it moves when a raw number
//! does. Writing a term changes only the rows that the solver needs for it, at its own rate and with each bone's length;
//! the other terms stay. Where the ranges of its numbers end, what can be had is written, and reading tells what it is.
//! Functions here read the document and return an [`Edit`]; frames last 1/60 s unless [`FeelContext::with_frame_seconds`] says otherwise.

mod feel_edits;
mod joint_response;

use crate::document::chain::common_value;
use crate::document::{Chain, ChainId, ChainValue, CurveDomain, Document, Edit};
use crate::document::{measure::nonzero_joint_lengths, measure::unit_mass_inertias};
use crate::document::{
    param_edits::EditTargets, param_edits::curve_points, param_edits::existing_chains, param_edits::fit_values,
};
use crate::feel::starting_feel::FRAME_SECONDS;
use crate::math::Curve;
use crate::params::{ParamId, ParamSet};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::{FeelParam, OverdampedReturn, SpringResponse};
use joint_response::{JointRequest, JointResponse};
use std::collections::BTreeSet;

/// A feel in terms that every solver shares, each along the chain: what a preset holds. What is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeelSet {
    /// `Param::Speed`, Hz.
    pub speed: Option<ChainValue>,
    /// `Param::Damping`, a damping ratio.
    pub settling: Option<ChainValue>,
    /// `Param::SwingInertia`, m/s².
    pub weight: Option<ChainValue>,
    /// `Param::IgnoreMotion`, a share.
    pub ignore_motion: Option<ChainValue>,
    /// `Param::MaxAngle`, degrees; 180 is open.
    pub max_angle: Option<ChainValue>,
    /// Hit radius as a share of the bone's length.
    pub radius: Option<ChainValue>,
}

impl FeelSet {
    /// A term along the chain.
    pub const fn get(&self, term: FeelParam) -> Option<&ChainValue> {
        match term {
            FeelParam::Speed => self.speed.as_ref(),
            FeelParam::Settling => self.settling.as_ref(),
            FeelParam::Weight => self.weight.as_ref(),
            FeelParam::IgnoreMotion => self.ignore_motion.as_ref(),
            FeelParam::MaxAngle => self.max_angle.as_ref(),
        }
    }

    /// Where a term along the chain stands.
    pub const fn get_mut(&mut self, term: FeelParam) -> &mut Option<ChainValue> {
        match term {
            FeelParam::Speed => &mut self.speed,
            FeelParam::Settling => &mut self.settling,
            FeelParam::Weight => &mut self.weight,
            FeelParam::IgnoreMotion => &mut self.ignore_motion,
            FeelParam::MaxAngle => &mut self.max_angle,
        }
    }

    /// Writes a term along the chain.
    pub fn set(&mut self, term: FeelParam, authored: Option<ChainValue>) {
        *self.get_mut(term) = authored;
    }
}

/// A value along a chain on its way there.
#[derive(Clone, Debug)]
pub(crate) struct TargetValue {
    pub value: ChainValue,
    /// What its curve runs over; `None` for what the chain's own curves run over.
    pub domain: Option<CurveDomain>,
}

impl TargetValue {
    fn value_at(&self, place: f32) -> f32 {
        self.value.base * self.value.curve.as_ref().map_or(1.0, |curve| curve.eval(place))
    }
}

/// What of a joint is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeelQuantity {
    Param(FeelParam),
    Radius,
}

/// What is wanted of chains; what is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeelTarget {
    pub params: Vec<(FeelParam, TargetValue)>,
    /// As a share of the bone's length.
    pub radius: Option<TargetValue>,
}

/// Why a term cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The solver has no number for it; the sentence says why, in English.
    Unsupported(&'static str),
    /// The solver has one, but other numbers of this chain leave it no effect.
    NoEffect,
}

/// A document's chains with all that their feel is reckoned from.
#[derive(Clone, Debug)]
pub struct FeelContext<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest: WorldPose,
    frame_seconds: f32,
}

/// One chain: its joints as their solver sees them, and the place of each along it.
struct ChainResponses<'a> {
    joints: Vec<JointResponse<'a>>,
    curve_positions: Vec<f32>,
}

impl ChainResponses<'_> {
    /// A term of each joint; `None` where the solver has no number for it.
    fn feel_values(&self, term: FeelParam) -> Option<Vec<f32>> {
        self.joints.iter().map(|felt| felt.feel_value(term)).collect()
    }

    fn fit_chain_value(&self, values: &[f32]) -> ChainValue {
        fit_chain_value(values, &self.curve_positions)
    }
}

fn fit_chain_value(values: &[f32], places: &[f32]) -> ChainValue {
    if let Some(base) = common_value(values.iter().copied()) {
        return ChainValue { base, curve: None };
    }
    let fitted = fit_values(values, places);
    ChainValue { base: fitted.base, curve: fitted.curve }
}

/// All terms of a chain, read at once.
#[derive(Clone, Debug, PartialEq)]
pub struct FeelReading {
    /// The place of each joint along the chain, 0..=1.
    pub curve_positions: Vec<f32>,
    /// A value for each joint, in the order of `Param::UNSELECTED_OPACITY`; `None` where the solver has no number for the term.
    values: [Option<Vec<f32>>; FeelParam::ALL.len()],
}

impl FeelReading {
    /// A term of each joint.
    pub fn values(&self, term: FeelParam) -> Option<&[f32]> {
        let at = FeelParam::ALL.iter().position(|other| *other == term)?;
        self.values[at].as_deref()
    }

    /// A term as base × curve; `None` also where it is not finite.
    pub fn chain_value(&self, term: FeelParam) -> Option<ChainValue> {
        let values = self.values(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(fit_chain_value(values, &self.curve_positions))
    }
}

impl<'a> FeelContext<'a> {
    /// With frames of 1/60 s.
    pub fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        Self { document, skeleton, rest, frame_seconds: FRAME_SECONDS }
    }

    /// With frames of the players' screens of so many seconds.
    #[must_use]
    pub fn with_frame_seconds(mut self, seconds: f32) -> Self {
        self.frame_seconds = seconds;
        self
    }

    fn chain_responses(&self, chain: &'a Chain) -> ChainResponses<'a> {
        let kind = self.document.solver_of(chain);
        let places = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
        let lengths = nonzero_joint_lengths(chain, self.skeleton, &self.rest, kind.info().leaf_length);
        let table = self.document.param_defs_of(chain);
        let carried = unit_mass_inertias(chain, &lengths, self.skeleton, &self.rest);
        let felt = |(at, length)| JointResponse {
            solver: kind,
            system_params: self.document.system_values_of(chain),
            joint_params: chain.joint_params(table, at, places[at]),
            bone_length: length,
            carried_inertia: carried[at],
            frame_seconds: self.frame_seconds,
        };
        ChainResponses { joints: lengths.into_iter().enumerate().map(felt).collect(), curve_positions: places }
    }

    fn find_chain_responses(&self, id: ChainId) -> Option<ChainResponses<'a>> {
        self.document.chains.get(&id).map(|chain| self.chain_responses(chain))
    }

    /// How each joint of a chain sways; nothing of a chain that is not there.
    pub fn responses(&self, id: ChainId) -> Vec<SpringResponse> {
        self.find_chain_responses(id)
            .map_or_else(Vec::new, |strand| strand.joints.iter().map(JointResponse::response).collect())
    }

    /// How the slowest tip of a chain comes home; `None` where no tip of it creeps.
    pub fn slowest_overdamped_return(&self, id: ChainId) -> Option<OverdampedReturn> {
        let creeps = self.find_chain_responses(id)?.joints;
        creeps
            .iter()
            .filter_map(JointResponse::overdamped_return)
            .max_by(|a, b| a.time_constant_seconds.total_cmp(&b.time_constant_seconds))
    }

    /// All terms of a chain; `None` where it is not there.
    pub fn read(&self, id: ChainId) -> Option<FeelReading> {
        let strand = self.find_chain_responses(id)?;
        let told: Vec<_> = strand.joints.iter().map(JointResponse::feel_values).collect();
        let values = std::array::from_fn(|at| told.iter().map(|joint| joint[at]).collect());
        Some(FeelReading { curve_positions: strand.curve_positions, values })
    }

    /// The rows that change with a term of a chain.
    pub fn affected_params(&self, id: ChainId, term: FeelParam) -> Vec<ParamId> {
        let Some(felt) = self.find_chain_responses(id).and_then(|strand| strand.joints.into_iter().next()) else {
            return Vec::new();
        };
        felt.feel_value(term).map_or_else(Vec::new, |is| felt.affected_params(term, is))
    }

    /// The place along a chain and a term of each joint; `None` where the solver has no number for it.
    pub fn values_along_chain(&self, id: ChainId, term: FeelParam) -> Option<Vec<(f32, f32)>> {
        let strand = self.find_chain_responses(id)?;
        let values = strand.feel_values(term)?;
        Some(strand.curve_positions.into_iter().zip(values).collect())
    }

    /// Why a term of a chain cannot be set; `None` where it can.
    pub fn unavailable_reason(&self, id: ChainId, term: FeelParam) -> Option<UnavailableReason> {
        let strand = self.find_chain_responses(id)?;
        let mut whys = strand.joints.iter().map(|felt| felt.unavailable_reason(term));
        let first = whys.next()??;
        whys.all(|why| why.is_some()).then_some(first)
    }

    /// What a chain feels like: base × curve of each term that its solver can say.
    pub fn chain_feel(&self, id: ChainId) -> FeelSet {
        let mut set = FeelSet::default();
        let Some(strand) = self.find_chain_responses(id) else { return set };
        let finite = |values: &Vec<f32>| values.iter().all(|v| v.is_finite());
        for term in FeelParam::ALL {
            let values =
                strand.feel_values(term).filter(finite).filter(|_| self.unavailable_reason(id, term).is_none());
            set.set(term, values.map(|values| strand.fit_chain_value(&values)));
        }
        let radii: Option<Vec<f32>> = strand.joints.iter().map(JointResponse::radius_ratio).collect();
        set.radius = radii.filter(finite).map(|values| strand.fit_chain_value(&values));
        set
    }

    /// One term of a chain as base × curve, whether or not it can be set.
    pub fn chain_value(&self, id: ChainId, term: FeelParam) -> Option<ChainValue> {
        let strand = self.find_chain_responses(id)?;
        let values = strand.feel_values(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(strand.fit_chain_value(&values))
    }

    /// One term of a joint.
    pub fn joint_value(&self, id: ChainId, bone: BoneId, term: FeelParam) -> Option<f32> {
        let at = self.document.chains.get(&id)?.joint_index(bone)?;
        self.find_chain_responses(id)?.joints[at].feel_value(term)
    }

    /// Writes the base of a term: all joints of a chain in proportion, single joints to the value. A chain whose term
    /// is 0 becomes level.
    pub fn set_feel(&self, targets: &EditTargets, term: FeelParam, value: f32) -> Edit {
        self.change_feel(targets, term, |base| if base == 0.0 { None } else { Some(value / base) }, value)
    }

    /// Multiplies a term everywhere, so that differences stay in proportion.
    pub fn scale_feel(&self, targets: &EditTargets, term: FeelParam, factor: f32) -> Edit {
        self.change_feel(targets, term, |_| Some(factor), 0.0)
    }

    fn change_feel(
        &self,
        targets: &EditTargets,
        term: FeelParam,
        factor: impl Fn(f32) -> Option<f32>,
        level: f32,
    ) -> Edit {
        let asked = |strand: &ChainResponses<'_>, values: Vec<f32>| -> Vec<JointRequest> {
            let factor = factor(strand.fit_chain_value(&values).base);
            values
                .into_iter()
                .map(|v| JointRequest::for_param(term, factor.map_or(level, |factor| v * factor)))
                .collect()
        };
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let strand = self.chain_responses(chain);
            if let Some(values) = strand.feel_values(term) {
                edits.extend(self.chain_edits(&mut bare, id, chain, &strand, &asked(&strand, values), None));
            }
        }
        for (id, bone) in &targets.joints {
            edits.extend(self.joint_edits(&mut bare, *id, *bone, |felt, _| {
                let value = felt.feel_value(term)?;
                Some(JointRequest::for_param(term, factor(value).map_or(level, |factor| value * factor)))
            }));
        }
        self.batch_with_pivots(edits, &bare)
    }

    /// Lays a term along chains: the base that it has times `curve`; `None` makes it level.
    pub fn set_feel_curve(&self, chains: &[ChainId], term: FeelParam, curve: Option<&Curve>) -> Edit {
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for id in chains {
            let Some(ChainValue { base, .. }) = self.chain_value(*id, term) else { continue };
            let laid = TargetValue { value: ChainValue { base, curve: curve.cloned() }, domain: None };
            let wish = FeelTarget { params: vec![(term, laid)], radius: None };
            let one = EditTargets { chains: vec![*id], joints: Vec::new() };
            edits.extend(self.target_edits(&one, &wish, &mut bare));
        }
        self.batch_with_pivots(edits, &bare)
    }

    /// Lays a term along a chain.
    pub fn set_chain_value(&self, id: ChainId, term: FeelParam, authored: &ChainValue) -> Edit {
        let mut set = FeelSet::default();
        set.set(term, Some(authored.clone()));
        self.apply_feel(&EditTargets { chains: vec![id], joints: Vec::new() }, &set, &[term], false)
    }

    /// Writes some terms of a feel, and its radius where asked, on chains by the place along each, and on single joints
    /// as on their place.
    pub fn apply_feel(&self, targets: &EditTargets, set: &FeelSet, terms: &[FeelParam], with_radius: bool) -> Edit {
        let laid = |authored: &ChainValue| TargetValue { value: authored.clone(), domain: None };
        let wish = FeelTarget {
            params: terms.iter().filter_map(|term| Some((*term, laid(set.get(*term)?)))).collect(),
            radius: set.radius.as_ref().filter(|_| with_radius).map(laid),
        };
        let mut bare = BTreeSet::new();
        let edits = self.target_edits(targets, &wish, &mut bare);
        self.batch_with_pivots(edits, &bare)
    }

    /// As [`FeelContext::apply_feel`], one part of a larger batch; joints whose limits have no frame yet come to `bare`.
    pub(crate) fn target_edits(
        &self,
        targets: &EditTargets,
        wish: &FeelTarget,
        bare: &mut BTreeSet<BoneId>,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let strand = self.chain_responses(chain);
            let all = self.joint_requests(chain, &strand.curve_positions, wish);
            edits.extend(self.chain_edits(bare, id, chain, &strand, &all, None));
        }
        for (id, bone) in &targets.joints {
            let Some(chain) = self.document.chains.get(id) else { continue };
            let Some(at) = chain.joint_index(*bone) else { continue };
            let places = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
            let asked = self.joint_requests(chain, &places, wish).swap_remove(at);
            edits.extend(self.joint_edits(bare, *id, *bone, |_, _| Some(asked.clone())));
        }
        edits
    }

    /// What is wanted of each joint of a chain, whose places are given as its own curves see them.
    fn joint_requests(&self, chain: &Chain, places: &[f32], wish: &FeelTarget) -> Vec<JointRequest> {
        let along = |laid: &TargetValue| self.target_values(chain, places, laid);
        let terms: Vec<(FeelParam, Vec<f32>)> = wish.params.iter().map(|(term, laid)| (*term, along(laid))).collect();
        let radius = wish.radius.as_ref().map(along);
        let joint = |at: usize| JointRequest {
            params: terms.iter().map(|(term, values)| (*term, values[at])).collect(),
            radius_ratio: radius.as_ref().map(|values| values[at]),
        };
        (0..places.len()).map(joint).collect()
    }

    /// A value of each joint.
    fn target_values(&self, chain: &Chain, places: &[f32], laid: &TargetValue) -> Vec<f32> {
        let other = laid.domain.filter(|over| *over != chain.curve_domain && laid.value.curve.is_some());
        let other = other.map(|over| self.curve_positions_in(chain, over));
        other.as_deref().unwrap_or(places).iter().map(|place| laid.value_at(*place)).collect()
    }

    /// What each joint of a chain is to have, and has, of a value that is read back by `of`; `None` where a joint has none.
    pub(crate) fn targets_and_actuals(
        &self,
        id: ChainId,
        laid: &TargetValue,
        of: FeelQuantity,
    ) -> Option<Vec<(f32, f32)>> {
        let chain = self.document.chains.get(&id)?;
        let strand = self.chain_responses(chain);
        let found: Option<Vec<f32>> = match of {
            FeelQuantity::Param(term) => strand.feel_values(term),
            FeelQuantity::Radius => strand.joints.iter().map(JointResponse::radius_ratio).collect(),
        };
        Some(self.target_values(chain, &strand.curve_positions, laid).into_iter().zip(found?).collect())
    }

    /// The place of each joint as curves over `along` would see it.
    fn curve_positions_in(&self, chain: &Chain, along: CurveDomain) -> Vec<f32> {
        let other = Chain { curve_domain: along, ..chain.clone() };
        self.document.curve_positions_in_pose(&other, &self.rest, self.skeleton)
    }

    /// A value whose curve runs over `along`, as the chain's own curves would say it: with the same value on each joint.
    /// Of joints that stand at one place for the chain and at several for `along`, the first one's counts.
    pub fn convert_domain(&self, id: ChainId, authored: &ChainValue, along: CurveDomain) -> ChainValue {
        let Some(chain) = self.document.chains.get(&id).filter(|chain| chain.curve_domain != along) else {
            return authored.clone();
        };
        let Some(curve) = &authored.curve else { return authored.clone() };
        let own = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
        let values = self.curve_positions_in(chain, along).into_iter().map(|place| curve.eval(place));
        ChainValue { base: authored.base, curve: Curve::from_points(&curve_points(&own, values)) }
    }

    /// Puts a term back to what `loaded` says, with the very numbers of then where these come to the same; where it has
    /// no such chain or joint, to what the engine's defaults come to.
    pub fn reset_feel(&self, loaded: &Document, targets: &EditTargets, term: FeelParam) -> Edit {
        let then = FeelContext {
            document: loaded,
            skeleton: self.skeleton,
            rest: self.rest.clone(),
            frame_seconds: self.frame_seconds,
        };
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let strand = self.chain_responses(chain);
            let was = loaded.chains.get(&id);
            let before = was.map(|was| then.chain_responses(was));
            let joint = |(at, felt): (usize, &JointResponse<'_>)| {
                let same = was.and_then(|was| was.joint_index(chain.joints[at].bone));
                let told = same.and_then(|at| before.as_ref()?.joints[at].feel_value(term));
                let stock = || JointResponse {
                    joint_params: ParamSet::defaults(self.document.param_defs_of(chain)),
                    ..felt.clone()
                };
                told.or_else(|| stock().feel_value(term))
                    .map_or_else(JointRequest::default, |value| JointRequest::for_param(term, value))
            };
            let asked: Vec<JointRequest> = strand.joints.iter().enumerate().map(joint).collect();
            let same_table = was.filter(|was| loaded.solver_of(was) == self.document.solver_of(chain));
            edits.extend(self.chain_edits(&mut bare, id, chain, &strand, &asked, same_table));
        }
        for (id, bone) in &targets.joints {
            let was = then.joint_value(*id, *bone, term);
            let Some(now) = self.document.chains.get(id) else { continue };
            let place = |at: usize| self.document.curve_positions_in_pose(now, &self.rest, self.skeleton)[at];
            let place = now.joint_index(*bone).map_or(0.0, place);
            let same = loaded.chains.get(id).filter(|was| loaded.solver_of(was) == self.document.solver_of(now));
            let same = same.and_then(|was| Some((was, was.joint_index(*bone)?)));
            let rows = self.joint_edits(&mut bare, *id, *bone, |felt, _| {
                let stock = || {
                    JointResponse { joint_params: ParamSet::defaults(self.document.param_defs_of(now)), ..felt.clone() }
                        .feel_value(term)
                };
                was.or_else(stock).map(|value| JointRequest::for_param(term, value))
            });
            edits.extend(rows.into_iter().map(|edit| feel_edits::restore_loaded_value(edit, same, place)));
        }
        self.batch_with_pivots(edits, &bare)
    }
}

/// How each joint of a chain sways, see `FeelContext::target_responses`.
pub fn responses(document: &Document, skeleton: &Skeleton, chain: ChainId) -> Vec<SpringResponse> {
    FeelContext::new(document, skeleton).responses(chain)
}

/// What a chain feels like, see [`FeelContext::chain_feel`].
pub fn chain_feel(document: &Document, skeleton: &Skeleton, chain: ChainId) -> FeelSet {
    FeelContext::new(document, skeleton).chain_feel(chain)
}

/// Writes the base of a term, see [`FeelContext::set_feel`].
pub fn set_feel(document: &Document, skeleton: &Skeleton, targets: &EditTargets, term: FeelParam, value: f32) -> Edit {
    FeelContext::new(document, skeleton).set_feel(targets, term, value)
}

/// Lays a term along chains, see [`FeelContext::set_feel_curve`].
pub fn set_feel_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    term: FeelParam,
    curve: Option<&Curve>,
) -> Edit {
    FeelContext::new(document, skeleton).set_feel_curve(chains, term, curve)
}

/// Writes a feel, see [`FeelContext::apply_feel`].
pub fn apply_feel(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    set: &FeelSet,
    terms: &[FeelParam],
    with_radius: bool,
) -> Edit {
    FeelContext::new(document, skeleton).apply_feel(targets, set, terms, with_radius)
}

/// Puts a term back, see [`FeelContext::reset_feel`].
pub fn reset_feel(
    document: &Document,
    loaded: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    term: FeelParam,
) -> Edit {
    FeelContext::new(document, skeleton).reset_feel(loaded, targets, term)
}
