//! Presets: named feels, their application to chains, and their free oscillation.
//!
//! The curves of a preset have their own domain ([`Preset::curve_domain`]), which can differ from the domain of the
//! chain. Each joint gets the value at its position in the preset's domain. If the chain keeps no curve of its own, it
//! adopts the preset's domain, and the preset's curves are kept exactly. Otherwise the chain keeps its domain, and the
//! preset's curve is resampled at each joint. If no curve of the preset is applied, the domain does not change.

use crate::document::param_edits::EditTargets;
use crate::document::{Chain, ChainId, ChainPart, ChainValue, CurveDomain, Document, Edit};
use crate::feel::{
    params::FeelContext, params::FeelQuantity, params::FeelSet, params::FeelTarget, params::TargetValue,
    params::UnavailableReason,
};
use std::collections::BTreeSet;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::Skeleton;
use yuremono_sim::{FeelParam, OverdampedReturn};

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalizedText {
    pub en: String,
    pub ja: String,
}

impl LocalizedText {
    /// The text in a language, or the text in the other language if the first is missing.
    pub fn get(&self, japanese: bool) -> &str {
        let (first, other) = if japanese { (&self.ja, &self.en) } else { (&self.en, &self.ja) };
        if first.is_empty() { other } else { first }
    }
}

/// A named feel for some parts, as parameters that all solvers share.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// The stem of the file name, which never changes.
    pub key: String,
    pub name: LocalizedText,
    /// A description in one sentence.
    pub description: LocalizedText,
    /// The parts for which the preset is made. The first part determines the section in lists.
    pub parts: Vec<ChainPart>,
    /// The domain of the preset's curves.
    pub curve_domain: CurveDomain,
    pub feel: FeelSet,
}

/// A property of a preset that can be applied alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PresetProperty {
    /// The base value of a feel parameter.
    Base(FeelParam),
    /// The curve of a term.
    Curve(FeelParam),
    /// Hit radius.
    Radius,
}

/// A value for display.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayValue {
    Absent,
    Single(f32),
    /// The lowest and the highest of several values.
    Mixed(f32, f32),
    /// The values at both ends of a curve.
    Curve(f32, f32),
}

/// A property before and after applying a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetDifference {
    pub property: PresetProperty,
    /// The current value.
    pub current: DisplayValue,
    /// The value of the preset.
    pub target: DisplayValue,
    /// Whether both are equal.
    pub is_same: bool,
    /// The reason why the property cannot be applied.
    pub unavailable: Option<UnavailableReason>,
}

const NO_RADIUS: UnavailableReason = UnavailableReason::Unsupported("it has no hit radius");
/// Two values are equal if they differ by at most this fraction of the slider's range.
const SAME_TOLERANCE: f32 = 2e-3;

/// The differences between a preset and the targets, in the order of [`FeelParam::ALL`].
pub fn differences(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    preset: &Preset,
) -> Vec<PresetDifference> {
    let feels = FeelContext::new(document, skeleton);
    let mut ids: Vec<ChainId> = targets.chains.iter().chain(targets.joints.iter().map(|(id, _)| id)).copied().collect();
    ids.dedup();
    let mut lines = Vec::new();
    for term in FeelParam::ALL {
        let Some(then) = preset.feel.get(term) else { continue };
        let pairs: Vec<CurrentAndTarget> = ids
            .iter()
            .filter_map(|id| {
                Some((feels.chain_value(*id, term)?, feels.convert_domain(*id, then, preset.curve_domain)))
            })
            .collect();
        let reasons: Vec<Option<UnavailableReason>> =
            ids.iter().map(|id| feels.unavailable_reason(*id, term)).collect();
        let cannot = reasons.first().copied().flatten().filter(|_| reasons.iter().all(Option::is_some));
        let (low, high) = term.def().soft_range;
        let both = [PresetProperty::Base(term), PresetProperty::Curve(term)];
        lines.extend(both.into_iter().filter(|property| is_listed(*property, then, &pairs)).map(|property| {
            PresetDifference {
                unavailable: cannot,
                ..property_difference(property, &pairs, then, SAME_TOLERANCE * (high - low))
            }
        }));
    }
    if let Some(then) = &preset.feel.radius {
        let pairs: Vec<CurrentAndTarget> = ids
            .iter()
            .filter_map(|id| {
                Some((feels.chain_feel(*id).radius?, feels.convert_domain(*id, then, preset.curve_domain)))
            })
            .collect();
        let cannot = pairs.is_empty().then_some(NO_RADIUS);
        lines.push(PresetDifference {
            unavailable: cannot,
            ..property_difference(PresetProperty::Radius, &pairs, then, SAME_TOLERANCE)
        });
    }
    lines
}

/// The current value of a term of a chain, and the preset's value in the domain of the chain.
type CurrentAndTarget = (ChainValue, ChainValue);

/// Whether a property is listed. A curve property is not listed if both curves are flat.
fn is_listed(property: PresetProperty, then: &ChainValue, pairs: &[CurrentAndTarget]) -> bool {
    !matches!(property, PresetProperty::Curve(_))
        || then.curve.is_some()
        || pairs.iter().any(|(now, _)| now.curve.is_some())
}

fn property_difference(
    property: PresetProperty,
    pairs: &[CurrentAndTarget],
    then: &ChainValue,
    least: f32,
) -> PresetDifference {
    let is_curve = matches!(property, PresetProperty::Curve(_));
    let at = |authored: &ChainValue, position: f32| authored.curve.as_ref().map_or(1.0, |curve| curve.eval(position));
    let positions = [0.0, 0.25, 0.5, 0.75, 1.0];
    let like = |(now, then): &CurrentAndTarget| {
        if is_curve {
            positions.iter().all(|position| (at(now, *position) - at(then, *position)).abs() < 0.02)
        } else {
            (now.base - then.base).abs() <= least.max(SAME_TOLERANCE * then.base.abs())
        }
    };
    let ends = |a: &ChainValue| DisplayValue::Curve(at(a, 0.0), at(a, 1.0));
    let bases = || pairs.iter().map(|(now, _)| now.base);
    let (low, high) = bases().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), b| (l.min(b), h.max(b)));
    let shown = match pairs {
        [] => DisplayValue::Absent,
        [(first, _), rest @ ..] if is_curve && rest.iter().all(|(now, _)| now.curve == first.curve) => ends(first),
        _ if is_curve => DisplayValue::Absent,
        _ if high - low <= least => DisplayValue::Single(low),
        _ => DisplayValue::Mixed(low, high),
    };
    let then_shown = if is_curve { ends(then) } else { DisplayValue::Single(then.base) };
    let same = !pairs.is_empty() && pairs.iter().all(like);
    PresetDifference { property, current: shown, target: then_shown, is_same: same, unavailable: None }
}

/// The edit that applies some properties of a preset. If only one property of a term is applied, the term keeps its
/// base value or its curve. The module documentation describes the domain of curves.
pub fn preset_edit(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    preset: &Preset,
    properties: &[PresetProperty],
) -> Edit {
    let feels = FeelContext::new(document, skeleton);
    let (mut edits, mut missing_pivots) = (Vec::new(), BTreeSet::new());
    for id in &targets.chains {
        let target = feel_target(&feels, *id, preset, properties);
        let one = EditTargets { chains: vec![*id], joints: Vec::new() };
        let chain_edits = feels.target_edits(&one, &target, &mut missing_pivots);
        let domain_change = document.chains.get(id).filter(|chain| {
            chain.curve_domain != preset.curve_domain
                && applies_curve(&feels, *id, &target)
                && !keeps_own_curve(chain, &chain_edits)
        });
        let domain_change = domain_change.filter(|_| !chain_edits.is_empty());
        edits.extend(chain_edits);
        edits.extend(domain_change.map(|_| Edit::SetCurveDomain { chain: *id, curve_domain: preset.curve_domain }));
    }
    for (id, bone) in &targets.joints {
        let target = feel_target(&feels, *id, preset, properties);
        let one = EditTargets { chains: Vec::new(), joints: vec![(*id, *bone)] };
        edits.extend(feels.target_edits(&one, &target, &mut missing_pivots));
    }
    feels.batch_with_pivots(edits, &missing_pivots)
}

/// The target of a chain. Applied properties are in the preset's domain. Other properties keep the chain's values.
fn feel_target(feels: &FeelContext<'_>, id: ChainId, preset: &Preset, properties: &[PresetProperty]) -> FeelTarget {
    let takes = |property| properties.contains(&property);
    let taken = FeelParam::ALL
        .into_iter()
        .filter(|term| takes(PresetProperty::Base(*term)) || takes(PresetProperty::Curve(*term)));
    let target_value = |term: FeelParam| {
        let (then, now) = (preset.feel.get(term)?, feels.chain_value(id, term));
        let base =
            if takes(PresetProperty::Base(term)) { then.base } else { now.as_ref().map_or(then.base, |a| a.base) };
        let (curve, over) = if takes(PresetProperty::Curve(term)) {
            (then.curve.clone(), Some(preset.curve_domain))
        } else {
            (now.and_then(|a| a.curve), None)
        };
        Some((term, TargetValue { value: ChainValue::new(base, curve), domain: over }))
    };
    let radius = preset.feel.radius.clone().filter(|_| takes(PresetProperty::Radius));
    let radius = radius.map(|authored| TargetValue { value: authored, domain: Some(preset.curve_domain) });
    FeelTarget { params: taken.filter_map(target_value).collect(), radius }
}

/// Whether any curve of the preset affects a chain.
fn applies_curve(feels: &FeelContext<'_>, id: ChainId, target: &FeelTarget) -> bool {
    let is_curve = |target_value: &TargetValue| target_value.domain.is_some() && target_value.value.curve.is_some();
    let mut terms = target.params.iter().filter(|(term, _)| feels.unavailable_reason(id, *term).is_none());
    terms.any(|(_, target_value)| is_curve(target_value))
        || target.radius.as_ref().is_some_and(is_curve) && feels.chain_feel(id).radius.is_some()
}

/// Whether a curve of the chain still affects the value of a joint after these edits.
fn keeps_own_curve(chain: &Chain, edits: &[Edit]) -> bool {
    let is_gone = |param: ParamId| {
        edits.iter().any(|edit| matches!(edit, Edit::SetCurve { param: of, curve: None, .. } if *of == param))
    };
    let is_own = |joint: &crate::document::Joint, param: ParamId| {
        let mut own = joint.overrides.contains_key(&param);
        for edit in edits {
            match edit {
                Edit::SetOverride { bone, param: of, value, .. } if *bone == joint.bone && *of == param => {
                    own = value.is_some();
                }
                _ => {}
            }
        }
        own
    };
    let curved = chain.values.iter().enumerate().filter(|(_, value)| value.curve.is_some());
    let mut rows = curved.map(|(at, _)| ParamId(at as u16));
    rows.any(|param| !is_gone(param) && !chain.joints.iter().all(|joint| is_own(joint, param)))
}

/// A value of a preset that a chain does not reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnreachedTarget {
    /// The base value of a term, or the radius.
    pub property: PresetProperty,
    /// The reason why the property is unavailable. `None` if the solver's range ends before the target.
    pub unavailable: Option<UnavailableReason>,
    /// The target of the joint with the largest error, in the unit of the property.
    pub target: f32,
    /// The actual value of that joint.
    pub actual: f32,
}

/// A target counts as reached if its relative error is at most this.
const REACHED_TOLERANCE: f32 = 0.01;
/// A target also counts as reached if its error is at most this fraction of the range of the slider.
const REACHED_SPAN_TOLERANCE: f32 = 1e-3;

/// The targets that a chain does not reach after a preset was applied, in the order of [`FeelParam::ALL`].
pub fn unreached_targets(
    document: &Document,
    skeleton: &Skeleton,
    id: ChainId,
    preset: &Preset,
) -> Vec<UnreachedTarget> {
    let feels = FeelContext::new(document, skeleton);
    let terms = FeelParam::ALL
        .into_iter()
        .map(|term| (PresetProperty::Base(term), FeelQuantity::Param(term), preset.feel.get(term)));
    let all = terms.chain([(PresetProperty::Radius, FeelQuantity::Radius, preset.feel.radius.as_ref())]);
    let miss = |(property, quantity, then): (PresetProperty, FeelQuantity, Option<&ChainValue>)| {
        let then = then?;
        let target_value = TargetValue { value: then.clone(), domain: Some(preset.curve_domain) };
        let pairs = feels.targets_and_actuals(id, &target_value, quantity);
        let (cannot, span) = match quantity {
            FeelQuantity::Param(term) => {
                (feels.unavailable_reason(id, term), term.def().soft_range.1 - term.def().soft_range.0)
            }
            FeelQuantity::Radius => (pairs.is_none().then_some(NO_RADIUS), 1.0),
        };
        let off = |(wanted, found): &(f32, f32)| {
            (found - wanted).abs() / wanted.abs().max(REACHED_SPAN_TOLERANCE / REACHED_TOLERANCE * span)
        };
        let worst = pairs.into_iter().flatten().max_by(|a, b| off(a).total_cmp(&off(b)));
        let is_there = worst.is_none_or(|worst| off(&worst) <= REACHED_TOLERANCE);
        let (wanted, found) = worst.unwrap_or((then.base, then.base));
        (cannot.is_some() || !is_there).then_some(UnreachedTarget {
            property,
            unavailable: cannot,
            target: wanted,
            actual: found,
        })
    };
    all.filter_map(miss).collect()
}

/// The shortest overdamped return that is visible, in seconds.
const MIN_VISIBLE_RETURN_SECONDS: f32 = 0.5;

/// The slowest overdamped return of a chain, if the return is slow enough to be visible. Like [`unreached_targets`],
/// this function expects that the preset was applied.
pub fn visible_overdamped_return(document: &Document, skeleton: &Skeleton, id: ChainId) -> Option<OverdampedReturn> {
    FeelContext::new(document, skeleton)
        .slowest_overdamped_return(id)
        .filter(|creep| creep.time_constant_seconds > MIN_VISIBLE_RETURN_SECONDS)
}

/// Creates a preset with the feel and the part of a chain.
pub fn from_chain(
    document: &Document,
    skeleton: &Skeleton,
    id: ChainId,
    key: String,
    name: LocalizedText,
    sentence: LocalizedText,
) -> Preset {
    let chain = document.chains.get(&id);
    Preset {
        key,
        name,
        description: sentence,
        parts: vec![chain.map(|c| c.part).unwrap_or_default()],
        curve_domain: chain.map(|c| c.curve_domain).unwrap_or_default(),
        feel: crate::feel::params::chain_feel(document, skeleton, id),
    }
}

/// The limits of the angular frequency that is drawn, in rad/s.
const MIN_ANGULAR_FREQUENCY: f32 = 1e-6;
const MAX_ANGULAR_FREQUENCY: f32 = 1e4;

/// The free oscillation of a joint from 1 to rest: `n` samples over `seconds`, computed with the closed form of a
/// damped oscillator.
pub fn free_oscillation(preset: &Preset, seconds: f32, n: usize) -> Vec<f32> {
    let base = |term, usual| preset.feel.get(term).map_or(usual, |a: &ChainValue| a.base);
    let (hz, zeta) = (base(FeelParam::Speed, 3.0), base(FeelParam::Settling, 0.4));
    // A file may contain any speed, or no speed.
    let w = (std::f32::consts::TAU * hz).clamp(MIN_ANGULAR_FREQUENCY, MAX_ANGULAR_FREQUENCY);
    let at = |t: f32| {
        if zeta < 1.0 {
            let d = w * (1.0 - zeta * zeta).sqrt();
            libm::expf(-zeta * w * t) * (libm::cosf(d * t) + zeta * w / d * libm::sinf(d * t))
        } else {
            libm::expf(-w * t / zeta) * (1.0 + w * t / zeta)
        }
    };
    (0..n).map(|i| at(seconds * i as f32 / (n.max(2) - 1) as f32)).collect()
}
