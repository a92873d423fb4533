//! A feel with a name, what it would change, and how it swings.

use super::feel_terms::{Cannot, FeelSet, Feels};
use super::tune::Targets;
use super::{Along, Authored, ChainId, Document, Edit, Part};
use crate::rig::Skeleton;
use crate::sim::Term;
use std::collections::BTreeSet;

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// English.
    pub en: String,
    /// Japanese.
    pub ja: String,
}

impl Words {
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
    pub name: Words,
    /// One sentence.
    pub sentence: Words,
    /// What it is for; the first is its shelf.
    pub parts: Vec<Part>,
    /// What its curves run over.
    pub along: Along,
    /// The feel.
    pub feel: FeelSet,
}

/// What can be taken or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The base of a term.
    Base(Term),
    /// The curve of a term.
    Curve(Term),
    /// Hit radius.
    Radius,
}

/// A value to be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    /// None.
    Nothing,
    /// One.
    One(f32),
    /// Several.
    Mixed(f32, f32),
    /// A curve's ends.
    Curve(f32, f32),
}

/// A line of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What.
    pub property: Property,
    /// As it is.
    pub now: Shown,
    /// As it would be.
    pub then: Shown,
    /// Whether they are the same.
    pub same: bool,
    /// Why it cannot be.
    pub cannot: Option<Cannot>,
}

/// Values that differ by less than this share of the slider's span are the same.
const SAME: f32 = 2e-3;

/// What a preset would change on some chains and joints, property by property in the order of [`Term::ALL`].
pub fn differences(document: &Document, skeleton: &Skeleton, targets: &Targets, preset: &Preset) -> Vec<Difference> {
    let feels = Feels::new(document, skeleton);
    let mut ids: Vec<ChainId> = targets.chains.iter().chain(targets.joints.iter().map(|(id, _)| id)).copied().collect();
    ids.dedup();
    let mut lines = Vec::new();
    for term in Term::ALL {
        let Some(then) = preset.feel.get(term) else { continue };
        let now: Vec<Authored> = ids.iter().filter_map(|id| feels.term(*id, term)).collect();
        let whys: Vec<Option<Cannot>> = ids.iter().map(|id| feels.cannot(*id, term)).collect();
        let cannot = whys.first().copied().flatten().filter(|_| whys.iter().all(Option::is_some));
        let (low, high) = term.def().soft_range;
        let pair = [Property::Base(term), Property::Curve(term)];
        lines.extend(
            pair.into_iter()
                .filter(|property| says(*property, then, &now))
                .map(|property| Difference { cannot, ..difference(property, &now, then, SAME * (high - low)) }),
        );
    }
    if let Some(then) = &preset.feel.radius {
        let now: Vec<Authored> = ids.iter().filter_map(|id| feels.of_chain(*id).radius).collect();
        let cannot = now.is_empty().then_some(Cannot::Never("it has no hit radius"));
        lines.push(Difference { cannot, ..difference(Property::Radius, &now, then, SAME) });
    }
    lines
}

/// A curve that is level there and here is no line of its own.
fn says(property: Property, then: &Authored, now: &[Authored]) -> bool {
    !matches!(property, Property::Curve(_)) || then.curve.is_some() || now.iter().any(|a| a.curve.is_some())
}

fn difference(property: Property, now: &[Authored], then: &Authored, least: f32) -> Difference {
    let is_curve = matches!(property, Property::Curve(_));
    let at = |authored: &Authored, place: f32| authored.curve.as_ref().map_or(1.0, |curve| curve.eval(place));
    let places = [0.0, 0.25, 0.5, 0.75, 1.0];
    let like = |a: &Authored| {
        if is_curve {
            places.iter().all(|place| (at(a, *place) - at(then, *place)).abs() < 0.02)
        } else {
            (a.base - then.base).abs() <= least.max(SAME * then.base.abs())
        }
    };
    let ends = |a: &Authored| Shown::Curve(at(a, 0.0), at(a, 1.0));
    let bases = || now.iter().map(|a| a.base);
    let (low, high) = bases().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), b| (l.min(b), h.max(b)));
    let shown = match now {
        [] => Shown::Nothing,
        [first, rest @ ..] if is_curve && rest.iter().all(|a| a.curve == first.curve) => ends(first),
        _ if is_curve => Shown::Nothing,
        _ if high - low <= least => Shown::One(low),
        _ => Shown::Mixed(low, high),
    };
    let then_shown = if is_curve { ends(then) } else { Shown::One(then.base) };
    let same = !now.is_empty() && now.iter().all(like);
    Difference { property, now: shown, then: then_shown, same, cannot: None }
}

/// Some properties of a preset on chains and joints, as one batch. Of a term whose base or curve is left, that of each
/// chain stays; curves run over what the chain's own run over.
pub fn edit(document: &Document, skeleton: &Skeleton, targets: &Targets, preset: &Preset, take: &[Property]) -> Edit {
    let feels = Feels::new(document, skeleton);
    let with_radius = take.contains(&Property::Radius);
    let takes = |term: &Term| take.contains(&Property::Base(*term)) || take.contains(&Property::Curve(*term));
    let terms: Vec<Term> = Term::ALL.into_iter().filter(takes).collect();
    let mixed = |own: &dyn Fn(Term) -> Option<Authored>| {
        let mut set = FeelSet { radius: preset.feel.radius.clone(), ..FeelSet::default() };
        for term in &terms {
            let (Some(then), now) = (preset.feel.get(*term), own(*term)) else { continue };
            let of = |property| if take.contains(&property) { Some(then) } else { now.as_ref() };
            let base = of(Property::Base(*term)).map_or(then.base, |a| a.base);
            let curve = of(Property::Curve(*term)).and_then(|a| a.curve.clone());
            set.set(*term, Some(Authored { base, curve }));
        }
        set
    };
    let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
    for id in &targets.chains {
        let set = mixed(&|term| feels.term(*id, term));
        let one = Targets { chains: vec![*id], joints: Vec::new() };
        edits.extend(feels.drafted(&one, &set, &terms, with_radius, &mut bare));
    }
    for (id, bone) in &targets.joints {
        let set = mixed(&|term| feels.term(*id, term));
        let one = Targets { chains: Vec::new(), joints: vec![(*id, *bone)] };
        edits.extend(feels.drafted(&one, &set, &terms, with_radius, &mut bare));
    }
    feels.batch(edits, &bare)
}

/// The feel of a chain as a preset for its part.
pub fn from_chain(
    document: &Document,
    skeleton: &Skeleton,
    id: ChainId,
    key: String,
    name: Words,
    sentence: Words,
) -> Preset {
    let chain = document.chains.get(&id);
    Preset {
        key,
        name,
        sentence,
        parts: vec![chain.map(|c| c.part).unwrap_or_default()],
        along: chain.map(|c| c.along).unwrap_or_default(),
        feel: super::feel_terms::of_chain(document, skeleton, id),
    }
}

/// Radians per second between which a swing can be drawn.
const SLOWEST: f32 = 1e-6;
const FASTEST: f32 = 1e4;

/// How a joint with that speed and damping comes to rest from a push: `n` places from 1 over so many seconds, the closed
/// form of a damped oscillator.
pub fn swing(preset: &Preset, seconds: f32, n: usize) -> Vec<f32> {
    let base = |term, usual| preset.feel.get(term).map_or(usual, |a: &Authored| a.base);
    let (hz, zeta) = (base(Term::Speed, 3.0), base(Term::Settle, 0.4));
    // A file may say any speed, none at all too.
    let w = (std::f32::consts::TAU * hz).clamp(SLOWEST, FASTEST);
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
