//! Multiplies a term around a ring of chains.
//!
//! Ring curves multiply parameters, so a term follows the factors that its parameters get. Each chain needs its own factor
//! of each parameter, and the ring curve of the parameter passes through these factors. No factor changes a value of 0 or a
//! switch; [`FeelContext::can_follow_ring`] reports terms that therefore cannot change.

use super::joint_response::JointRequest;
use super::{ChainResponses, FeelContext, mean_factor};
use crate::document::{Chain, ChainId, Edit, RingId, param_edits};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::FeelParam;
use yuremono_sim::math::{RingCurve, RingKey};
use yuremono_sim::params::{ParamId, ParamSet};

/// Smallest factor of a term. From a smaller value, the ratios to the other terms could not be found again.
pub const MIN_RING_FACTOR: f32 = 0.05;
/// Two factors of a term are equal if their relative difference is smaller.
const FACTOR_TOLERANCE: f32 = 1e-4;
/// The factor by which a term is multiplied to find out whether it follows a ring.
const TRIAL_FACTOR: f32 = 0.8;
/// Largest difference between the trial factor and the factor that the term gets.
const TRIAL_TOLERANCE: f32 = 0.05;

/// A chain of a ring, and what the ring multiplies its parameters by.
struct RingMember<'a> {
    angle: f32,
    chain: &'a Chain,
    factors: BTreeMap<ParamId, f32>,
}

impl FeelContext<'_> {
    /// Returns the factor by which the ring curves multiply a term of a chain.
    pub fn ring_factor(&self, id: ChainId, term: FeelParam) -> f32 {
        self.read(id).map_or(1.0, |reading| reading.ring_factor(term))
    }

    /// Sets the curve by which a term is multiplied around a ring. Other terms of the chains stay unchanged. `None` removes
    /// the curve. Factors below [`MIN_RING_FACTOR`] are raised.
    pub fn set_ring_curve(&self, ring: RingId, term: FeelParam, curve: Option<&RingCurve>) -> Edit {
        let members = self.document.ring_chains(ring);
        let member = |(id, angle): &(ChainId, f32)| {
            let chain = &self.document.chains[id];
            let factor = curve.map_or(1.0, |curve| curve.eval(*angle).max(MIN_RING_FACTOR));
            // Factors of parameters that already have this effect stay, so that an edit of one side moves no other side.
            let is_kept = (factor / self.ring_factor(*id, term) - 1.0).abs() < FACTOR_TOLERANCE;
            let factors = if is_kept { BTreeMap::new() } else { self.param_factors(chain, term, factor) };
            RingMember { angle: *angle, chain, factors }
        };
        let all: Vec<RingMember<'_>> = members.iter().map(member).collect();
        let params: BTreeSet<ParamId> = all.iter().flat_map(|member| member.factors.keys().copied()).collect();
        let set = |param: ParamId| {
            let key = |RingMember { angle, chain, factors }: &RingMember<'_>| RingKey {
                angle: *angle,
                factor: factors.get(&param).copied().unwrap_or_else(|| chain.ring_factor(param)),
            };
            let curve = RingCurve::through(&all.iter().map(key).collect::<Vec<_>>())?;
            let curve = (!curve.is_level()).then_some(&curve);
            Some(param_edits::set_ring_curve(self.document, self.skeleton, &[members[0].0], param, curve))
        };
        Edit::Batch(params.into_iter().filter_map(set).collect())
    }

    /// Returns whether ring curves of parameters can multiply a term of a chain. They cannot if the term needs a parameter
    /// that is 0, or a switch.
    pub fn can_follow_ring(&self, id: ChainId, term: FeelParam) -> bool {
        // The result must not depend on the present ring curves.
        let Some(chain) = self.document.chains.get(&id).map(Chain::without_ring) else { return false };
        let responses = self.chain_responses(&chain);
        let factors = self.param_factors(&chain, term, TRIAL_FACTOR);
        let mut tried = self.chain_responses(&chain);
        for (at, joint) in tried.joints.iter_mut().enumerate() {
            for (param, factor) in &factors {
                if let Some(value) = value_to_multiply(&chain, &responses, at, *param) {
                    joint.joint_params.set(*param, value * factor);
                }
            }
        }
        let (Some(before), Some(after)) = (responses.feel_values(term), tried.feel_values(term)) else { return false };
        (mean_factor(&before, &after) - TRIAL_FACTOR).abs() < TRIAL_TOLERANCE
    }

    /// Returns the factor of each parameter with which the ring multiplies a term by `factor`.
    fn param_factors(&self, chain: &Chain, term: FeelParam, factor: f32) -> BTreeMap<ParamId, f32> {
        let responses = self.responses_without_ring(chain);
        let Some(values) = responses.feel_values(term) else { return BTreeMap::new() };
        let requested: Vec<JointRequest> =
            values.iter().map(|value| JointRequest::for_param(term, value * factor)).collect();
        let (params, solved) = self.solve_chain(chain, &self.chain_responses(chain), &requested);
        let table = self.document.param_defs_of(chain);
        let factor_of = |param: ParamId| {
            let pair = |(at, set): (usize, &ParamSet)| {
                Some((value_to_multiply(chain, &responses, at, param)?, set.get(param)))
            };
            // The factor with the smallest squared error over the joints.
            let sums = solved
                .iter()
                .enumerate()
                .filter_map(pair)
                .fold((0.0, 0.0), |(products, squares), (from, to)| (products + from * to, squares + from * from));
            let factor = sums.0 / sums.1;
            factor.is_finite().then_some((param, factor))
        };
        params.into_iter().filter(|param| table[param.index()].curve).filter_map(factor_of).collect()
    }
}

/// Returns the value of a joint that a ring curve multiplies. `None` if the joint has its own value, which no ring curve
/// changes. Values of all joints become a base value and a curve once the ring curve is set.
fn value_to_multiply(chain: &Chain, responses: &ChainResponses<'_>, joint: usize, param: ParamId) -> Option<f32> {
    let value = responses.joints[joint].joint_params.get(param);
    if chain.is_overridden_by_all_joints(param) {
        return Some(value / chain.ring_factor(param));
    }
    (!chain.joints[joint].overrides.contains_key(&param)).then_some(value)
}
