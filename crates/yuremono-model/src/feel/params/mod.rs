//! Reads and writes the feel of chains as parameters that all solvers share, such as speed and settling.
//!
//! These parameters ([`FeelParam`]) are called terms. They are not stored, but computed from the solver's parameters.
//! Writing a term changes only the solver parameters that produce it. The written values depend on each bone's length.
//! Other terms stay unchanged. If a range ends before the requested value, the nearest value is written, and reading
//! returns that value. Functions that change the feel return an [`Edit`]. The frame time is 1/60 s unless
//! [`FeelContext::with_frame_seconds`] sets another frame time.

mod feel_edits;
mod joint_response;
mod ring_edits;

pub use ring_edits::MIN_RING_FACTOR;

use crate::document::chain::common_value;
use crate::document::{Chain, ChainId, ChainValue, CurveDomain, Document, Edit};
use crate::document::{measure::nonzero_joint_lengths, measure::unit_mass_inertias};
use crate::document::{
    param_edits::EditTargets, param_edits::curve_points, param_edits::existing_chains, param_edits::fit_values,
};
use crate::feel::starting_feel::FRAME_SECONDS;
use joint_response::{JointRequest, JointResponse};
use std::collections::BTreeSet;
use yuremono_sim::math::Curve;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{FeelParam, OverdampedReturn, SpringResponse};

/// The feel along a chain, as in a preset. Absent terms stay unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeelSet {
    /// [`FeelParam::Speed`] in Hz.
    pub speed: Option<ChainValue>,
    /// [`FeelParam::Settling`], which is a damping ratio.
    pub settling: Option<ChainValue>,
    /// [`FeelParam::Weight`] in m/s².
    pub weight: Option<ChainValue>,
    /// [`FeelParam::IgnoreMotion`], 0 to 1.
    pub ignore_motion: Option<ChainValue>,
    /// [`FeelParam::MaxAngle`] in degrees. 180 is unlimited.
    pub max_angle: Option<ChainValue>,
    /// Hit radius as a fraction of the bone's length.
    pub radius: Option<ChainValue>,
}

impl FeelSet {
    pub const fn get(&self, term: FeelParam) -> Option<&ChainValue> {
        match term {
            FeelParam::Speed => self.speed.as_ref(),
            FeelParam::Settling => self.settling.as_ref(),
            FeelParam::Weight => self.weight.as_ref(),
            FeelParam::IgnoreMotion => self.ignore_motion.as_ref(),
            FeelParam::MaxAngle => self.max_angle.as_ref(),
        }
    }

    pub const fn get_mut(&mut self, term: FeelParam) -> &mut Option<ChainValue> {
        match term {
            FeelParam::Speed => &mut self.speed,
            FeelParam::Settling => &mut self.settling,
            FeelParam::Weight => &mut self.weight,
            FeelParam::IgnoreMotion => &mut self.ignore_motion,
            FeelParam::MaxAngle => &mut self.max_angle,
        }
    }

    pub fn set(&mut self, term: FeelParam, authored: Option<ChainValue>) {
        *self.get_mut(term) = authored;
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TargetValue {
    pub value: ChainValue,
    /// The domain of the curve. `None` means the domain of the chain.
    pub domain: Option<CurveDomain>,
}

impl TargetValue {
    fn value_at(&self, position: f32) -> f32 {
        self.value.along(position)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeelQuantity {
    Param(FeelParam),
    Radius,
}

/// The requested terms of a chain. Absent terms stay unchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeelTarget {
    pub params: Vec<(FeelParam, TargetValue)>,
    /// Hit radius as a fraction of the bone's length.
    pub radius: Option<TargetValue>,
}

/// The reason why a term cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The solver does not support the term. Contains the reason as an English sentence.
    Unsupported(&'static str),
    /// Other values of the chain make the term ineffective.
    NoEffect,
}

/// Reads and writes the feel of a document's chains.
#[derive(Clone, Debug)]
pub struct FeelContext<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest: WorldPose,
    frame_seconds: f32,
}

struct ChainResponses<'a> {
    joints: Vec<JointResponse<'a>>,
    curve_positions: Vec<f32>,
}

impl ChainResponses<'_> {
    /// The value of a term for each joint. Returns `None` if the solver does not support the term.
    fn feel_values(&self, term: FeelParam) -> Option<Vec<f32>> {
        self.joints.iter().map(|joint_response| joint_response.feel_value(term)).collect()
    }

    fn fit_chain_value(&self, values: &[f32]) -> ChainValue {
        fit_chain_value(values, &self.curve_positions)
    }
}

fn fit_chain_value(values: &[f32], positions: &[f32]) -> ChainValue {
    if let Some(base) = common_value(values.iter().copied()) {
        return ChainValue::constant(base);
    }
    let fitted = fit_values(values, positions);
    ChainValue::new(fitted.base, fitted.curve)
}

/// All terms of a chain, as read from its joints.
#[derive(Clone, Debug, PartialEq)]
pub struct FeelReading {
    /// Position of each joint along the chain, 0 to 1.
    pub curve_positions: Vec<f32>,
    /// The values of each joint without the ring curves.
    values: FeelValues,
    /// The values of each joint with the ring curves, if there are any.
    values_in_ring: Option<FeelValues>,
}

/// The values of each joint by term, in the order of [`FeelParam::ALL`]. `None` if the solver does not support the term.
type FeelValues = [Option<Vec<f32>>; FeelParam::ALL.len()];

impl FeelReading {
    /// Returns the value of each joint without the ring curves, as the values of the chain make it.
    pub fn values(&self, term: FeelParam) -> Option<&[f32]> {
        let at = FeelParam::ALL.iter().position(|other| *other == term)?;
        self.values[at].as_deref()
    }

    /// Returns the value of each joint with the ring curves.
    pub fn joint_values(&self, term: FeelParam) -> Option<&[f32]> {
        let at = FeelParam::ALL.iter().position(|other| *other == term)?;
        self.values_in_ring.as_ref().unwrap_or(&self.values)[at].as_deref()
    }

    /// Returns the factor by which the ring curves change a term: the mean over the joints that they change, or 1.
    pub fn ring_factor(&self, term: FeelParam) -> f32 {
        let (Some(without), Some(with)) = (self.values(term), self.joint_values(term)) else { return 1.0 };
        mean_factor(without, with)
    }

    /// A term as a base value and a curve. Returns `None` if the term is unsupported or not finite.
    pub fn chain_value(&self, term: FeelParam) -> Option<ChainValue> {
        let values = self.values(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(fit_chain_value(values, &self.curve_positions))
    }
}

/// Returns the mean of the factors between values that differ, or 1.
fn mean_factor(before: &[f32], after: &[f32]) -> f32 {
    let pairs = before.iter().zip(after).filter(|(before, after)| before != after);
    let factors: Vec<f32> = pairs.map(|(before, after)| after / before).filter(|factor| factor.is_finite()).collect();
    if factors.is_empty() { 1.0 } else { factors.iter().sum::<f32>() / factors.len() as f32 }
}

impl<'a> FeelContext<'a> {
    /// Creates a context with a frame time of 1/60 s.
    pub fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        Self { document, skeleton, rest, frame_seconds: FRAME_SECONDS }
    }

    /// Sets another frame time, in seconds.
    #[must_use]
    pub fn with_frame_seconds(mut self, seconds: f32) -> Self {
        self.frame_seconds = seconds;
        self
    }

    /// The responses of a chain as if it were in no ring. The feel of whole chains is read and written without the ring
    /// curves, which then apply to every chain.
    fn responses_without_ring(&self, chain: &Chain) -> ChainResponses<'a> {
        let factors = chain.values.iter().any(|value| value.around.is_some());
        if factors { self.chain_responses(&chain.without_ring()) } else { self.chain_responses(chain) }
    }

    fn chain_responses(&self, chain: &Chain) -> ChainResponses<'a> {
        let kind = self.document.solver_of(chain);
        let positions = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
        let lengths = nonzero_joint_lengths(chain, self.skeleton, &self.rest, kind.info().leaf_length);
        let table = self.document.param_defs_of(chain);
        let carried = unit_mass_inertias(chain, &lengths, self.skeleton, &self.rest);
        let joint_response = |(at, length)| JointResponse {
            solver: kind,
            system_params: self.document.system_values_of(chain),
            joint_params: chain.joint_params(table, at, positions[at]),
            bone_length: length,
            carried_inertia: carried[at],
            frame_seconds: self.frame_seconds,
        };
        ChainResponses {
            joints: lengths.into_iter().enumerate().map(joint_response).collect(),
            curve_positions: positions,
        }
    }

    fn find_responses_without_ring(&self, id: ChainId) -> Option<ChainResponses<'a>> {
        self.document.chains.get(&id).map(|chain| self.responses_without_ring(chain))
    }

    fn find_chain_responses(&self, id: ChainId) -> Option<ChainResponses<'a>> {
        self.document.chains.get(&id).map(|chain| self.chain_responses(chain))
    }

    /// The response of each joint. Empty if the chain is missing.
    pub fn responses(&self, id: ChainId) -> Vec<SpringResponse> {
        self.find_chain_responses(id)
            .map_or_else(Vec::new, |responses| responses.joints.iter().map(JointResponse::response).collect())
    }

    /// The slowest overdamped return of a chain's tips, if any.
    pub fn slowest_overdamped_return(&self, id: ChainId) -> Option<OverdampedReturn> {
        let creeps = self.find_chain_responses(id)?.joints;
        creeps
            .iter()
            .filter_map(JointResponse::overdamped_return)
            .max_by(|a, b| a.time_constant_seconds.total_cmp(&b.time_constant_seconds))
    }

    /// Reads all terms of a chain. Returns `None` if the chain is missing.
    pub fn read(&self, id: ChainId) -> Option<FeelReading> {
        let chain = self.document.chains.get(&id)?;
        let values_of = |responses: &ChainResponses<'_>| -> FeelValues {
            let values_by_joint: Vec<_> = responses.joints.iter().map(JointResponse::feel_values).collect();
            std::array::from_fn(|at| values_by_joint.iter().map(|joint| joint[at]).collect())
        };
        let responses = self.responses_without_ring(chain);
        let in_ring = chain.values.iter().any(|value| value.around.is_some());
        Some(FeelReading {
            values: values_of(&responses),
            values_in_ring: in_ring.then(|| values_of(&self.chain_responses(chain))),
            curve_positions: responses.curve_positions,
        })
    }

    /// The parameters that change with a term of a chain.
    pub fn affected_params(&self, id: ChainId, term: FeelParam) -> Vec<ParamId> {
        let Some(joint_response) =
            self.find_chain_responses(id).and_then(|responses| responses.joints.into_iter().next())
        else {
            return Vec::new();
        };
        joint_response.feel_value(term).map_or_else(Vec::new, |is| joint_response.affected_params(term, is))
    }

    /// The position of each joint, and the joint's value for a term. Returns `None` if the solver does not support the
    /// term.
    pub fn values_along_chain(&self, id: ChainId, term: FeelParam) -> Option<Vec<(f32, f32)>> {
        let responses = self.find_chain_responses(id)?;
        let values = responses.feel_values(term)?;
        Some(responses.curve_positions.into_iter().zip(values).collect())
    }

    /// The reason why a term of a chain cannot be set. Returns `None` if the term can be set.
    pub fn unavailable_reason(&self, id: ChainId, term: FeelParam) -> Option<UnavailableReason> {
        let responses = self.find_chain_responses(id)?;
        let mut whys = responses.joints.iter().map(|joint_response| joint_response.unavailable_reason(term));
        let first = whys.next()??;
        whys.all(|why| why.is_some()).then_some(first)
    }

    /// The feel of a chain. Each available term is a base value with a curve.
    pub fn chain_feel(&self, id: ChainId) -> FeelSet {
        let mut set = FeelSet::default();
        let Some(responses) = self.find_responses_without_ring(id) else { return set };
        let finite = |values: &Vec<f32>| values.iter().all(|v| v.is_finite());
        for term in FeelParam::ALL {
            let values =
                responses.feel_values(term).filter(finite).filter(|_| self.unavailable_reason(id, term).is_none());
            set.set(term, values.map(|values| responses.fit_chain_value(&values)));
        }
        let radii: Option<Vec<f32>> = responses.joints.iter().map(JointResponse::radius_ratio).collect();
        set.radius = radii.filter(finite).map(|values| responses.fit_chain_value(&values));
        set
    }

    /// A term of a chain as a base value and a curve, even if the term is unavailable.
    pub fn chain_value(&self, id: ChainId, term: FeelParam) -> Option<ChainValue> {
        let responses = self.find_responses_without_ring(id)?;
        let values = responses.feel_values(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(responses.fit_chain_value(&values))
    }

    pub fn joint_value(&self, id: ChainId, bone: BoneId, term: FeelParam) -> Option<f32> {
        let at = self.document.chains.get(&id)?.joint_index(bone)?;
        self.find_chain_responses(id)?.joints[at].feel_value(term)
    }

    /// Sets the base value of a term. The values of a chain's joints keep their ratios. If the base value of a chain is
    /// 0, all of its joints get the value. Single joints also get the value.
    pub fn set_feel(&self, targets: &EditTargets, term: FeelParam, value: f32) -> Edit {
        self.change_feel(targets, term, |base| if base == 0.0 { None } else { Some(value / base) }, value)
    }

    /// Multiplies a term of all targets by a factor, which keeps the ratios of the values.
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
        let requested = |responses: &ChainResponses<'_>, values: Vec<f32>| -> Vec<JointRequest> {
            let factor = factor(responses.fit_chain_value(&values).base);
            values
                .into_iter()
                .map(|v| JointRequest::for_param(term, factor.map_or(level, |factor| v * factor)))
                .collect()
        };
        let (mut edits, mut missing_pivots) = (Vec::new(), BTreeSet::new());
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let responses = self.responses_without_ring(chain);
            if let Some(values) = responses.feel_values(term) {
                edits.extend(self.chain_edits(
                    &mut missing_pivots,
                    id,
                    chain,
                    &responses,
                    &requested(&responses, values),
                    None,
                ));
            }
        }
        for (id, bone) in &targets.joints {
            edits.extend(self.joint_edits(&mut missing_pivots, *id, *bone, |joint_response, _| {
                let value = joint_response.feel_value(term)?;
                Some(JointRequest::for_param(term, factor(value).map_or(level, |factor| value * factor)))
            }));
        }
        self.batch_with_pivots(edits, &missing_pivots)
    }

    /// Sets the curve of a term. The base value stays unchanged. `None` removes the curve.
    pub fn set_feel_curve(&self, chains: &[ChainId], term: FeelParam, curve: Option<&Curve>) -> Edit {
        let (mut edits, mut missing_pivots) = (Vec::new(), BTreeSet::new());
        for id in chains {
            let Some(ChainValue { base, .. }) = self.chain_value(*id, term) else { continue };
            let target_value = TargetValue { value: ChainValue::new(base, curve.cloned()), domain: None };
            let target = FeelTarget { params: vec![(term, target_value)], radius: None };
            let one = EditTargets { chains: vec![*id], joints: Vec::new() };
            edits.extend(self.target_edits(&one, &target, &mut missing_pivots));
        }
        self.batch_with_pivots(edits, &missing_pivots)
    }

    pub fn set_chain_value(&self, id: ChainId, term: FeelParam, authored: &ChainValue) -> Edit {
        let mut set = FeelSet::default();
        set.set(term, Some(authored.clone()));
        self.apply_feel(&EditTargets { chains: vec![id], joints: Vec::new() }, &set, &[term], false)
    }

    /// Applies `terms` of a feel to chains and single joints. Each joint gets the value at its position along the
    /// chain. Also applies the radius if `with_radius` is true.
    pub fn apply_feel(&self, targets: &EditTargets, set: &FeelSet, terms: &[FeelParam], with_radius: bool) -> Edit {
        let target_value = |authored: &ChainValue| TargetValue { value: authored.clone(), domain: None };
        let target = FeelTarget {
            params: terms.iter().filter_map(|term| Some((*term, target_value(set.get(*term)?)))).collect(),
            radius: set.radius.as_ref().filter(|_| with_radius).map(target_value),
        };
        let mut missing_pivots = BTreeSet::new();
        let edits = self.target_edits(targets, &target, &mut missing_pivots);
        self.batch_with_pivots(edits, &missing_pivots)
    }

    /// The edits of [`FeelContext::apply_feel`], for use in a larger batch. Bones with limits that need a pivot are
    /// added to `missing_pivots`.
    pub(crate) fn target_edits(
        &self,
        targets: &EditTargets,
        target: &FeelTarget,
        missing_pivots: &mut BTreeSet<BoneId>,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let responses = self.responses_without_ring(chain);
            let all = self.joint_requests(chain, &responses.curve_positions, target);
            edits.extend(self.chain_edits(missing_pivots, id, chain, &responses, &all, None));
        }
        for (id, bone) in &targets.joints {
            let Some(chain) = self.document.chains.get(id) else { continue };
            let Some(at) = chain.joint_index(*bone) else { continue };
            let positions = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
            let requested = self.joint_requests(chain, &positions, target).swap_remove(at);
            edits.extend(self.joint_edits(missing_pivots, *id, *bone, |_, _| Some(requested.clone())));
        }
        edits
    }

    /// The request for each joint of a chain, according to the joint's position.
    fn joint_requests(&self, chain: &Chain, positions: &[f32], target: &FeelTarget) -> Vec<JointRequest> {
        let along = |target_value: &TargetValue| self.target_values(chain, positions, target_value);
        let terms: Vec<(FeelParam, Vec<f32>)> =
            target.params.iter().map(|(term, target_value)| (*term, along(target_value))).collect();
        let radius = target.radius.as_ref().map(along);
        let joint = |at: usize| JointRequest {
            params: terms.iter().map(|(term, values)| (*term, values[at])).collect(),
            radius_ratio: radius.as_ref().map(|values| values[at]),
        };
        (0..positions.len()).map(joint).collect()
    }

    fn target_values(&self, chain: &Chain, positions: &[f32], target_value: &TargetValue) -> Vec<f32> {
        let other =
            target_value.domain.filter(|over| *over != chain.curve_domain && target_value.value.curve.is_some());
        let other = other.map(|over| self.curve_positions_in(chain, over));
        other.as_deref().unwrap_or(positions).iter().map(|position| target_value.value_at(*position)).collect()
    }

    /// The target and the actual value of each joint. Returns `None` if the actual value of a joint is not available.
    pub(crate) fn targets_and_actuals(
        &self,
        id: ChainId,
        target_value: &TargetValue,
        of: FeelQuantity,
    ) -> Option<Vec<(f32, f32)>> {
        let chain = self.document.chains.get(&id)?;
        let responses = self.responses_without_ring(chain);
        let found: Option<Vec<f32>> = match of {
            FeelQuantity::Param(term) => responses.feel_values(term),
            FeelQuantity::Radius => responses.joints.iter().map(JointResponse::radius_ratio).collect(),
        };
        Some(self.target_values(chain, &responses.curve_positions, target_value).into_iter().zip(found?).collect())
    }

    /// The position of each joint in the domain `along`.
    fn curve_positions_in(&self, chain: &Chain, along: CurveDomain) -> Vec<f32> {
        let other = Chain { curve_domain: along, ..chain.clone() };
        self.document.curve_positions_in_pose(&other, &self.rest, self.skeleton)
    }

    /// Converts a curve from the domain `along` to the domain of the chain. Each joint keeps its value. If several
    /// joints have the same position in the chain's domain, the value of the first joint is used.
    pub fn convert_domain(&self, id: ChainId, authored: &ChainValue, along: CurveDomain) -> ChainValue {
        let Some(chain) = self.document.chains.get(&id).filter(|chain| chain.curve_domain != along) else {
            return authored.clone();
        };
        let Some(curve) = &authored.curve else { return authored.clone() };
        let own = self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton);
        let values = self.curve_positions_in(chain, along).into_iter().map(|position| curve.eval(position));
        ChainValue { curve: Curve::from_points(&curve_points(&own, values)), ..authored.clone() }
    }

    /// Restores a term from `loaded`. The exact loaded values are used if they produce the same result. If `loaded`
    /// lacks the chain or the joint, the term gets the value of the solver's defaults.
    pub fn reset_feel(&self, loaded: &Document, targets: &EditTargets, term: FeelParam) -> Edit {
        let then = FeelContext {
            document: loaded,
            skeleton: self.skeleton,
            rest: self.rest.clone(),
            frame_seconds: self.frame_seconds,
        };
        let (mut edits, mut missing_pivots) = (Vec::new(), BTreeSet::new());
        for (id, chain) in existing_chains(self.document, &targets.chains) {
            let responses = self.responses_without_ring(chain);
            let was = loaded.chains.get(&id);
            let before = was.map(|was| then.responses_without_ring(was));
            let joint = |(at, joint_response): (usize, &JointResponse<'_>)| {
                let same = was.and_then(|was| was.joint_index(chain.joints[at].bone));
                let known = same.and_then(|at| before.as_ref()?.joints[at].feel_value(term));
                let stock = || JointResponse {
                    joint_params: ParamSet::defaults(self.document.param_defs_of(chain)),
                    ..joint_response.clone()
                };
                known
                    .or_else(|| stock().feel_value(term))
                    .map_or_else(JointRequest::default, |value| JointRequest::for_param(term, value))
            };
            let requested: Vec<JointRequest> = responses.joints.iter().enumerate().map(joint).collect();
            let same_table = was.filter(|was| loaded.solver_of(was) == self.document.solver_of(chain));
            edits.extend(self.chain_edits(&mut missing_pivots, id, chain, &responses, &requested, same_table));
        }
        for (id, bone) in &targets.joints {
            let was = then.joint_value(*id, *bone, term);
            let Some(now) = self.document.chains.get(id) else { continue };
            let position = |at: usize| self.document.curve_positions_in_pose(now, &self.rest, self.skeleton)[at];
            let position = now.joint_index(*bone).map_or(0.0, position);
            let same = loaded.chains.get(id).filter(|was| loaded.solver_of(was) == self.document.solver_of(now));
            let same = same.and_then(|was| Some((was, was.joint_index(*bone)?)));
            let rows = self.joint_edits(&mut missing_pivots, *id, *bone, |joint_response, _| {
                let stock = || {
                    JointResponse {
                        joint_params: ParamSet::defaults(self.document.param_defs_of(now)),
                        ..joint_response.clone()
                    }
                    .feel_value(term)
                };
                was.or_else(stock).map(|value| JointRequest::for_param(term, value))
            });
            edits.extend(rows.into_iter().map(|edit| feel_edits::restore_loaded_value(edit, same, position)));
        }
        self.batch_with_pivots(edits, &missing_pivots)
    }
}

/// See [`FeelContext::responses`].
pub fn responses(document: &Document, skeleton: &Skeleton, chain: ChainId) -> Vec<SpringResponse> {
    FeelContext::new(document, skeleton).responses(chain)
}

/// See [`FeelContext::chain_feel`].
pub fn chain_feel(document: &Document, skeleton: &Skeleton, chain: ChainId) -> FeelSet {
    FeelContext::new(document, skeleton).chain_feel(chain)
}

/// See [`FeelContext::set_feel`].
pub fn set_feel(document: &Document, skeleton: &Skeleton, targets: &EditTargets, term: FeelParam, value: f32) -> Edit {
    FeelContext::new(document, skeleton).set_feel(targets, term, value)
}
