//! A feel with a name, what it would change, and how it swings.
//!
//! A preset's curves run over what the preset says ([`Preset::curve_domain`]), whatever the chain's own curves run over: each
//! joint gets what the curve says where that joint stands by the preset's measure. Where no other curve of a chain lives
//! on, the chain runs over the preset's measure from then on, so that its curves look as the preset draws them. Where one
//! does, its meaning must not change: the chain keeps its measure, and the preset's curve is read over into it, joint by
//! joint. A preset of which no curve is taken leaves the measure alone.

use crate::document::param_edits::EditTargets;
use crate::document::{Chain, ChainId, ChainPart, ChainValue, CurveDomain, Document, Edit};
use crate::feel::{
    params::FeelContext, params::FeelQuantity, params::FeelSet, params::FeelTarget, params::TargetValue,
    params::UnavailableReason,
};
use crate::params::ParamId;
use crate::rig::Skeleton;
use crate::sim::{FeelParam, OverdampedReturn};
use std::collections::BTreeSet;

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalizedText {
    /// English.
    pub en: String,
    /// Japanese.
    pub ja: String,
}

impl LocalizedText {
    /// In one language, or in the other where there is none.
    pub fn get(&self, japanese: bool) -> &str {
        let (first, other) = if japanese { (&self.ja, &self.en) } else { (&self.en, &self.ja) };
        if first.is_empty() { other } else { first }
    }
}

/// A feel with a name, for parts of one kind, in terms that every solver shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Stem of its file; never changes.
    pub key: String,
    /// What it is called.
    pub name: LocalizedText,
    /// One sentence.
    pub description: LocalizedText,
    /// What it is for; the first is its shelf.
    pub parts: Vec<ChainPart>,
    /// What its curves run over.
    pub curve_domain: CurveDomain,
    /// The feel.
    pub feel: FeelSet,
}

/// What can be taken or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PresetProperty {
    /// The base of a term.
    Base(FeelParam),
    /// The curve of a term.
    Curve(FeelParam),
    /// Hit radius.
    Radius,
}

/// A value to be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayValue {
    /// None.
    Absent,
    /// One.
    Single(f32),
    /// Several.
    Mixed(f32, f32),
    /// A curve's ends.
    Curve(f32, f32),
}

/// A line of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetDifference {
    /// What.
    pub property: PresetProperty,
    /// As it is.
    pub current: DisplayValue,
    /// As it would be.
    pub target: DisplayValue,
    /// Whether they are the same.
    pub is_same: bool,
    /// Why it cannot be.
    pub unavailable: Option<UnavailableReason>,
}

/// Of a solver whose joints are points.
const NO_RADIUS: UnavailableReason = UnavailableReason::Unsupported("it has no hit radius");
/// Values that differ by less than this share of the slider's span are the same.
const SAME_TOLERANCE: f32 = 2e-3;

/// What a preset would change on some chains and joints, property by property in the order of `Param::UNSELECTED_OPACITY`.
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
        let whys: Vec<Option<UnavailableReason>> = ids.iter().map(|id| feels.unavailable_reason(*id, term)).collect();
        let cannot = whys.first().copied().flatten().filter(|_| whys.iter().all(Option::is_some));
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

/// A term of a chain as it is, and as the chain would say what is to be.
type CurrentAndTarget = (ChainValue, ChainValue);

/// A curve that is level there and here is no line of its own.
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
    let at = |authored: &ChainValue, place: f32| authored.curve.as_ref().map_or(1.0, |curve| curve.eval(place));
    let places = [0.0, 0.25, 0.5, 0.75, 1.0];
    let like = |(now, then): &CurrentAndTarget| {
        if is_curve {
            places.iter().all(|place| (at(now, *place) - at(then, *place)).abs() < 0.02)
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

/// Some properties of a preset on chains and joints, as one batch. Of a term whose base or curve is left, that of each
/// chain stays. What curves run over is said at the top of this module.
pub fn preset_edit(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    preset: &Preset,
    take: &[PresetProperty],
) -> Edit {
    let feels = FeelContext::new(document, skeleton);
    let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
    for id in &targets.chains {
        let wish = feel_target(&feels, *id, preset, take);
        let one = EditTargets { chains: vec![*id], joints: Vec::new() };
        let drafted = feels.target_edits(&one, &wish, &mut bare);
        let turned = document.chains.get(id).filter(|chain| {
            chain.curve_domain != preset.curve_domain
                && applies_curve(&feels, *id, &wish)
                && !keeps_own_curve(chain, &drafted)
        });
        let turned = turned.filter(|_| !drafted.is_empty());
        edits.extend(drafted);
        edits.extend(turned.map(|_| Edit::SetCurveDomain { chain: *id, curve_domain: preset.curve_domain }));
    }
    for (id, bone) in &targets.joints {
        let wish = feel_target(&feels, *id, preset, take);
        let one = EditTargets { chains: Vec::new(), joints: vec![(*id, *bone)] };
        edits.extend(feels.target_edits(&one, &wish, &mut bare));
    }
    feels.batch_with_pivots(edits, &bare)
}

/// What is wanted of a chain: what is taken of the preset, over the preset's measure, and the rest as the chain has it,
/// over its own.
fn feel_target(feels: &FeelContext<'_>, id: ChainId, preset: &Preset, take: &[PresetProperty]) -> FeelTarget {
    let takes = |property| take.contains(&property);
    let taken = FeelParam::ALL
        .into_iter()
        .filter(|term| takes(PresetProperty::Base(*term)) || takes(PresetProperty::Curve(*term)));
    let laid = |term: FeelParam| {
        let (then, now) = (preset.feel.get(term)?, feels.chain_value(id, term));
        let base =
            if takes(PresetProperty::Base(term)) { then.base } else { now.as_ref().map_or(then.base, |a| a.base) };
        let (curve, over) = if takes(PresetProperty::Curve(term)) {
            (then.curve.clone(), Some(preset.curve_domain))
        } else {
            (now.and_then(|a| a.curve), None)
        };
        Some((term, TargetValue { value: ChainValue { base, curve }, domain: over }))
    };
    let radius = preset.feel.radius.clone().filter(|_| takes(PresetProperty::Radius));
    let radius = radius.map(|authored| TargetValue { value: authored, domain: Some(preset.curve_domain) });
    FeelTarget { params: taken.filter_map(laid).collect(), radius }
}

/// Whether a curve of the preset's own comes to a chain.
fn applies_curve(feels: &FeelContext<'_>, id: ChainId, wish: &FeelTarget) -> bool {
    let is_curve = |laid: &TargetValue| laid.domain.is_some() && laid.value.curve.is_some();
    let mut terms = wish.params.iter().filter(|(term, _)| feels.unavailable_reason(id, *term).is_none());
    terms.any(|(_, laid)| is_curve(laid))
        || wish.radius.as_ref().is_some_and(is_curve) && feels.chain_feel(id).radius.is_some()
}

/// Whether a curve that a chain has now says the value of some joint still after these edits of it.
fn keeps_own_curve(chain: &Chain, edits: &[Edit]) -> bool {
    let is_gone = |row: ParamId| {
        edits.iter().any(|edit| matches!(edit, Edit::SetCurve { row: of, curve: None, .. } if *of == row))
    };
    let is_own = |joint: &crate::document::Joint, row: ParamId| {
        let mut own = joint.overrides.contains_key(&row);
        for edit in edits {
            match edit {
                Edit::SetOverride { bone, row: of, value, .. } if *bone == joint.bone && *of == row => {
                    own = value.is_some();
                }
                _ => {}
            }
        }
        own
    };
    let curved = chain.values.iter().enumerate().filter(|(_, value)| value.curve.is_some());
    let mut rows = curved.map(|(at, _)| ParamId(at as u16));
    rows.any(|row| !is_gone(row) && !chain.joints.iter().all(|joint| is_own(joint, row)))
}

/// A value of a preset that a chain does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnreachedTarget {
    /// The base of a term, or the radius.
    pub property: PresetProperty,
    /// Why it cannot be; `None` where the solver's numbers only reach no further.
    pub unavailable: Option<UnavailableReason>,
    /// What the joint that is farthest off should have, in the unit of the property.
    pub target: f32,
    /// What it has.
    pub actual: f32,
}

/// A joint has a value when it is off by less than this share of it.
const REACHED_TOLERANCE: f32 = 0.01;
/// Or by less than this share of the slider's span.
const REACHED_SPAN_TOLERANCE: f32 = 1e-3;

/// What a chain does not have of a preset, once that was applied to it; in the order of `Param::UNSELECTED_OPACITY`.
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
    let miss = |(property, told, then): (PresetProperty, FeelQuantity, Option<&ChainValue>)| {
        let then = then?;
        let laid = TargetValue { value: then.clone(), domain: Some(preset.curve_domain) };
        let pairs = feels.targets_and_actuals(id, &laid, told);
        let (cannot, span) = match told {
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

/// A tip that comes home more slowly than this is seen to creep, seconds.
const MIN_VISIBLE_RETURN_SECONDS: f32 = 0.5;

/// How the slowest tip of a chain creeps home, where that is slow enough to be seen; to be asked once a preset was
/// applied, as [`unreached_targets`] is.
pub fn visible_overdamped_return(document: &Document, skeleton: &Skeleton, id: ChainId) -> Option<OverdampedReturn> {
    FeelContext::new(document, skeleton)
        .slowest_overdamped_return(id)
        .filter(|creep| creep.time_constant_seconds > MIN_VISIBLE_RETURN_SECONDS)
}

/// The feel of a chain as a preset for its part.
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

/// Radians per second between which a swing can be drawn.
const MIN_ANGULAR_FREQUENCY: f32 = 1e-6;
const MAX_ANGULAR_FREQUENCY: f32 = 1e4;

/// How a joint with that speed and damping comes to rest from a push: `n` places from 1 over so many seconds, the closed
/// form of a damped oscillator.
pub fn free_oscillation(preset: &Preset, seconds: f32, n: usize) -> Vec<f32> {
    let base = |term, usual| preset.feel.get(term).map_or(usual, |a: &ChainValue| a.base);
    let (hz, zeta) = (base(FeelParam::Speed, 3.0), base(FeelParam::Settling, 0.4));
    // A file may say any speed, none at all too.
    let w = (std::f32::consts::TAU * hz).clamp(MIN_ANGULAR_FREQUENCY, MAX_ANGULAR_FREQUENCY);
    let at = |t: f32| {
        if zeta < 1.0 {
            let d = w * (1.0 - zeta * zeta).sqrt();
            (-zeta * w * t).exp() * ((d * t).cos() + zeta * w / d * (d * t).sin())
        } else {
            (-w * t / zeta).exp() * (1.0 + w * t / zeta)
        }
    };
    (0..n).map(|i| at(seconds * i as f32 / (n.max(2) - 1) as f32)).collect()
}
