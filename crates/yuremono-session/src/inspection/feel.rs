//! Feel parameters of the tuned chains.
//!
//! Documents do not store feel parameters (see [`yuremono_model::feel::params`]). The values are computed on demand and cached
//! until the document changes. An authored curve keeps its keys as long as the computed values match it.

use super::{Inspection, ParamWarning, ValueSummary, different_curves};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainValue, Document, RingId, ring};
use yuremono_model::feel::{params::FeelContext, params::FeelReading, params::UnavailableReason};
use yuremono_sim::FeelParam;
use yuremono_sim::math::{Curve, RingCurve, RingKey};
use yuremono_sim::params::ParamId;

/// Values count as different if their relative difference is larger than this.
const CHANGE_TOLERANCE: f32 = 2e-3;
/// An authored curve no longer matches if the relative difference at a joint is larger than this.
const CURVE_TOLERANCE: f32 = 0.01;
/// A requested value counts as unreached if the relative difference is larger than this.
const TARGET_TOLERANCE: f32 = 0.01;

/// A feel parameter and its values for the targets.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own in the row")]
pub struct FeelParamView {
    pub param: FeelParam,
    /// Base values of the target chains times their ring factors, or values of the target joints.
    pub values: ValueSummary,
    /// Whether a value differs from the loaded value.
    pub changed: bool,
    /// Whether some, but not all, joints of a chain override the parameter.
    pub overridden: bool,
    /// The different curves of the target chains. A chain without a curve has a level curve.
    pub curves: Vec<Curve>,
    /// Whether ring curves multiply the parameter of a target chain.
    pub has_ring_curve: bool,
    /// Why no target supports the parameter; `None` if a target supports it.
    pub unavailable: Option<UnavailableReason>,
    /// Whether the parameters of the solver cannot reach the requested value.
    pub is_target_unreached: bool,
}

impl FeelParamView {
    /// Whether a target chain has a curve.
    pub fn has_curve(&self) -> bool {
        self.curves.iter().any(|curve| *curve != Curve::constant(1.0))
    }
}

#[derive(Debug, Default)]
pub(crate) struct FeelPanel {
    pub(crate) cache: RefCell<Option<FeelPanelCache>>,
    loaded_readings: RefCell<BTreeMap<ChainId, Option<FeelReading>>>,
    /// Whether a ring can multiply a parameter of a chain, at a frame rate.
    ring_trials: RefCell<BTreeMap<(ChainId, FeelParam, u32), bool>>,
    pub(crate) authored_values: BTreeMap<(ChainId, FeelParam), ChainValue>,
    pub(crate) authored_rings: BTreeMap<(RingId, FeelParam), AuthoredRing>,
    /// The last requested value, with the history state after the request.
    pub(crate) last_request: Option<(FeelParam, f32, u64)>,
}

/// The curve that the artist drew around a ring.
#[derive(Debug)]
pub(crate) struct AuthoredRing {
    pub(crate) curve: RingCurve,
    /// The factors that the chains of the ring got, which can differ from the curve: a chain has one factor per
    /// parameter, but several joints.
    pub(crate) factors: Vec<f32>,
}

impl AuthoredRing {
    /// Whether the chains still have the factors that the curve gave them.
    fn gave(&self, factors: impl ExactSizeIterator<Item = f32>) -> bool {
        let is_near = |(then, now): (&f32, f32)| (then - now).abs() <= CURVE_TOLERANCE * then.abs().max(0.05);
        self.factors.len() == factors.len() && self.factors.iter().zip(factors).all(is_near)
    }
}

/// Cached values, valid for `targets` and the frame rate `rate`.
#[derive(Debug)]
pub(crate) struct FeelPanelCache {
    targets: EditTargets,
    rate: u32,
    /// The target chains, and the other chains of their rings.
    readings: BTreeMap<ChainId, FeelReading>,
    views: Vec<FeelParamView>,
}

impl FeelPanel {
    /// Invalidates the cache after a change of the document; `all` also invalidates the loaded values.
    pub(crate) fn invalidate(&mut self, all: bool) {
        self.cache.take();
        self.ring_trials.take();
        if all {
            self.loaded_readings.take();
        }
    }

    /// Returns the authored value if it still matches the computed value, else the computed value.
    fn chain_value(&self, id: ChainId, reading: &FeelReading, param: FeelParam) -> Option<ChainValue> {
        let authored =
            self.authored_values.get(&(id, param)).filter(|authored| matches_reading(reading, param, authored));
        authored.cloned().or_else(|| reading.chain_value(param))
    }
}

fn matches_reading(reading: &FeelReading, param: FeelParam, authored: &ChainValue) -> bool {
    let Some(values) = reading.values(param) else { return false };
    let at = |place: f32| authored.along(place);
    let near = |(place, value): (&f32, &f32)| {
        (at(*place) - value).abs() <= CURVE_TOLERANCE * value.abs().max(0.05 * authored.base.abs())
    };
    reading.curve_positions.iter().zip(values).all(near)
}

fn is_changed(a: f32, b: f32) -> bool {
    a.to_bits() != b.to_bits() && (a - b).abs() > CHANGE_TOLERANCE * a.abs().max(b.abs())
}

impl<'a> Inspection<'a> {
    pub(crate) fn feel_context(self) -> FeelContext<'a> {
        self.feel_context_of(self.document)
    }

    /// Returns the feel of another document of the character.
    pub(crate) fn feel_context_of<'d>(self, document: &'d Document) -> FeelContext<'d>
    where
        'a: 'd,
    {
        let frame = 1.0 / self.playback.settings().player_frame_rate as f32;
        FeelContext::new(document, &self.character.skeleton).with_frame_seconds(frame)
    }

    fn with_cache<T>(&self, read: impl FnOnce(&FeelPanelCache) -> T) -> T {
        let targets = self.targets();
        let rate = self.playback.settings().player_frame_rate;
        let mut shown = self.feel.cache.borrow_mut();
        if shown.as_ref().is_some_and(|shown| shown.rate != rate) {
            self.feel.loaded_readings.take();
        }
        let shown = match shown.take() {
            Some(kept) if kept.targets == targets && kept.rate == rate => shown.insert(kept),
            _ => shown.insert(self.compute_cache(targets, rate)),
        };
        read(shown)
    }

    fn compute_cache(self, targets: EditTargets, rate: u32) -> FeelPanelCache {
        let feels = self.feel_context();
        let chains = targets.chains.iter().copied().chain(targets.joints.iter().map(|(id, _)| *id));
        let rings = ring::members(self.document, &targets.chains);
        let readings: BTreeMap<_, _> = chains.chain(rings).filter_map(|id| Some((id, feels.read(id)?))).collect();
        let views =
            FeelParam::ALL.iter().map(|param| self.build_param_view(&feels, &targets, &readings, *param)).collect();
        FeelPanelCache { targets, rate, readings, views }
    }

    fn build_param_view(
        &self,
        feels: &FeelContext<'_>,
        targets: &EditTargets,
        readings: &BTreeMap<ChainId, FeelReading>,
        param: FeelParam,
    ) -> FeelParamView {
        let authored = |id: &ChainId| self.feel.chain_value(*id, readings.get(id)?, param);
        let ring_factor = |id: &ChainId| readings.get(id).map_or(1.0, |reading| reading.ring_factor(param));
        let bases = targets.chains.iter().filter_map(|id| Some(authored(id)?.base * ring_factor(id)));
        let joint = |(id, bone): &(ChainId, _)| {
            let at = self.document.chains[id].joint_index(*bone)?;
            readings.get(id)?.joint_values(param).map(|values| values[at])
        };
        // Values that differ by less than the tolerance count as equal.
        let values = match ValueSummary::of(bases.chain(targets.joints.iter().filter_map(joint))) {
            ValueSummary::Mixed { low, high } if !is_changed(low, high) => ValueSummary::Same(high),
            values => values,
        };
        let stops = self.feel.last_request.is_some_and(|(asked, value, state)| {
            let far = |is: f32| (is - value).abs() > TARGET_TOLERANCE * value.abs().max(0.02);
            asked == param
                && state == self.history.current_state()
                && matches!(values, ValueSummary::Same(is) if far(is))
        });
        FeelParamView {
            param,
            values,
            changed: self.feel_differs_from_loaded(targets, readings, param),
            overridden: self.has_feel_overrides(feels, targets, param),
            curves: different_curves(targets.chains.iter().map(|id| authored(id).and_then(|a| a.curve))),
            has_ring_curve: targets.chains.iter().any(|id| ring_factor(id) != 1.0),
            unavailable: unavailable_reason(feels, targets, param),
            is_target_unreached: stops,
        }
    }

    /// Returns whether the feel of a target differs from its loaded feel.
    fn feel_differs_from_loaded(
        self,
        targets: &EditTargets,
        readings: &BTreeMap<ChainId, FeelReading>,
        param: FeelParam,
    ) -> bool {
        let mut loaded = self.feel.loaded_readings.borrow_mut();
        for id in readings.keys() {
            loaded.entry(*id).or_insert_with(|| self.feel_context_of(self.loaded).read(*id));
        }
        let differs = |id: &ChainId, only: Option<usize>| {
            let (now, was) = (&self.document.chains[id], self.loaded.chains.get(id)?);
            let (then, reading) = (loaded.get(id)?.as_ref()?.values(param)?, readings.get(id)?);
            let values = reading.values(param)?;
            let joints = now.joints.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
            let mut pairs = joints.filter_map(|(at, joint)| Some((values[at], then[was.joint_index(joint.bone)?])));
            Some(pairs.any(|(is, was)| is_changed(is, was)))
        };
        let ring_differs = |id: &ChainId| {
            let factor = |reading: Option<&FeelReading>| reading.map_or(1.0, |reading| reading.ring_factor(param));
            is_changed(factor(readings.get(id)), factor(loaded.get(id).and_then(Option::as_ref)))
        };
        let whole = targets.chains.iter().any(|id| differs(id, None) == Some(true))
            || ring::members(self.document, &targets.chains).iter().any(ring_differs);
        let single = |(id, bone): &(ChainId, _)| differs(id, self.document.chains[id].joint_index(*bone)) == Some(true);
        whole || targets.joints.iter().any(single)
    }

    fn has_feel_overrides(self, feels: &FeelContext<'_>, targets: &EditTargets, param: FeelParam) -> bool {
        let some_own = |id: &ChainId| self.document.chains[id].joints.iter().any(|joint| !joint.overrides.is_empty());
        targets.chains.iter().filter(|id| some_own(id)).any(|id| {
            let chain = &self.document.chains[id];
            let has_override = |overridden| {
                !chain.is_overridden_by_all_joints(overridden)
                    && chain.joints.iter().any(|joint| joint.overrides.contains_key(&overridden))
            };
            feels.affected_params(*id, param).into_iter().any(has_override)
        })
    }

    /// Returns a feel parameter with its values for the targets.
    pub fn feel_param_view(self, param: FeelParam) -> FeelParamView {
        let at = FeelParam::ALL.iter().position(|other| *other == param).unwrap_or(0);
        self.with_cache(|shown| shown.views[at].clone())
    }

    /// Returns whether a switch of the system disables all angle limits.
    pub fn are_limits_disabled(self) -> bool {
        let mut limits = self.system().solver.info().pivot_limits.iter();
        limits.any(|limit| self.param_warning(limit.params.active) == Some(ParamWarning::AngleLimitsSwitchedOff))
    }

    /// Returns a feel parameter of a chain as base × curve.
    pub fn feel_chain_value(self, id: ChainId, param: FeelParam) -> Option<ChainValue> {
        let kept =
            self.with_cache(|shown| shown.readings.get(&id).map(|reading| self.feel.chain_value(id, reading, param)));
        kept.unwrap_or_else(|| self.feel.chain_value(id, &self.feel_context().read(id)?, param))
    }

    /// Returns the parameters that change with a feel parameter of a chain.
    pub fn feel_affected_params(self, id: ChainId, param: FeelParam) -> Vec<ParamId> {
        self.feel_context().affected_params(id, param)
    }

    /// Returns the factor by which the ring multiplies a feel parameter of a chain.
    pub fn feel_ring_factor(self, id: ChainId, param: FeelParam) -> f32 {
        let known = self.with_cache(|shown| shown.readings.get(&id).map(|reading| reading.ring_factor(param)));
        known.unwrap_or_else(|| self.feel_context().ring_factor(id, param))
    }

    /// Returns whether a ring can multiply a feel parameter of a chain, see [`FeelContext::can_follow_ring`].
    pub fn feel_can_follow_ring(self, id: ChainId, param: FeelParam) -> bool {
        let key = (id, param, self.playback.settings().player_frame_rate);
        let mut known = self.feel.ring_trials.borrow_mut();
        *known.entry(key).or_insert_with(|| self.feel_context().can_follow_ring(id, param))
    }

    /// Returns the curve by which a ring multiplies a feel parameter: the authored curve if it still matches the chains,
    /// else a curve through the chains.
    pub fn feel_ring_curve(self, ring: RingId, param: FeelParam) -> RingCurve {
        let key = |(id, angle): (ChainId, f32)| RingKey { angle, factor: self.feel_ring_factor(id, param) };
        let keys: Vec<RingKey> = self.document.ring_chains(ring).into_iter().map(key).collect();
        let factors = keys.iter().map(|key| key.factor);
        let authored = self.feel.authored_rings.get(&(ring, param)).filter(|authored| authored.gave(factors));
        authored.map(|it| it.curve.clone()).or_else(|| RingCurve::through(&keys)).unwrap_or_else(RingCurve::level)
    }

    /// Returns the curve position (0..=1) and the value of each joint.
    pub fn feel_joint_values(self, id: ChainId, param: FeelParam) -> Vec<(f32, f32)> {
        let along = |reading: &FeelReading| {
            let values = reading.joint_values(param).unwrap_or_default();
            reading.curve_positions.iter().copied().zip(values.iter().copied()).collect()
        };
        let kept = self.with_cache(|shown| shown.readings.get(&id).map(along));
        kept.or_else(|| self.feel_context().read(id).as_ref().map(along)).unwrap_or_default()
    }
}

/// Returns why no chain supports a parameter; `None` if a chain supports it.
fn unavailable_reason(feels: &FeelContext<'_>, targets: &EditTargets, param: FeelParam) -> Option<UnavailableReason> {
    let chains: BTreeSet<ChainId> =
        targets.chains.iter().copied().chain(targets.joints.iter().map(|(id, _)| *id)).collect();
    let mut whys = chains.into_iter().map(|id| feels.unavailable_reason(id, param));
    let first = whys.next()??;
    whys.all(|why| why.is_some()).then_some(first)
}
