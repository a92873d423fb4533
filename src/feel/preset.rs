//! A feel with a name, what it would change, and how it swings.
//!
//! A preset's curves run over what the preset says ([`Preset::along`]), whatever the chain's own curves run over: each
//! joint gets what the curve says where that joint stands by the preset's measure. Where no other curve of a chain lives
//! on, the chain runs over the preset's measure from then on, so that its curves look as the preset draws them. Where one
//! does, its meaning must not change: the chain keeps its measure, and the preset's curve is read over into it, joint by
//! joint. A preset of which no curve is taken leaves the measure alone.

use crate::document::tune::Targets;
use crate::document::{Along, Authored, Chain, ChainId, Document, Edit, Part};
use crate::feel::{terms::Cannot, terms::FeelSet, terms::Feels, terms::Laid, terms::Told, terms::Wish};
use crate::rig::Skeleton;
use crate::schema::Row;
use crate::sim::{Creep, Term};
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

/// Of a solver whose joints are points.
const NO_RADIUS: Cannot = Cannot::Never("it has no hit radius");
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
        let pairs: Vec<Pair> =
            ids.iter().filter_map(|id| Some((feels.term(*id, term)?, feels.reread(*id, then, preset.along)))).collect();
        let whys: Vec<Option<Cannot>> = ids.iter().map(|id| feels.cannot(*id, term)).collect();
        let cannot = whys.first().copied().flatten().filter(|_| whys.iter().all(Option::is_some));
        let (low, high) = term.def().soft_range;
        let both = [Property::Base(term), Property::Curve(term)];
        lines.extend(
            both.into_iter()
                .filter(|property| says(*property, then, &pairs))
                .map(|property| Difference { cannot, ..difference(property, &pairs, then, SAME * (high - low)) }),
        );
    }
    if let Some(then) = &preset.feel.radius {
        let pairs: Vec<Pair> = ids
            .iter()
            .filter_map(|id| Some((feels.of_chain(*id).radius?, feels.reread(*id, then, preset.along))))
            .collect();
        let cannot = pairs.is_empty().then_some(NO_RADIUS);
        lines.push(Difference { cannot, ..difference(Property::Radius, &pairs, then, SAME) });
    }
    lines
}

/// A term of a chain as it is, and as the chain would say what is to be.
type Pair = (Authored, Authored);

/// A curve that is level there and here is no line of its own.
fn says(property: Property, then: &Authored, pairs: &[Pair]) -> bool {
    !matches!(property, Property::Curve(_)) || then.curve.is_some() || pairs.iter().any(|(now, _)| now.curve.is_some())
}

fn difference(property: Property, pairs: &[Pair], then: &Authored, least: f32) -> Difference {
    let is_curve = matches!(property, Property::Curve(_));
    let at = |authored: &Authored, place: f32| authored.curve.as_ref().map_or(1.0, |curve| curve.eval(place));
    let places = [0.0, 0.25, 0.5, 0.75, 1.0];
    let like = |(now, then): &Pair| {
        if is_curve {
            places.iter().all(|place| (at(now, *place) - at(then, *place)).abs() < 0.02)
        } else {
            (now.base - then.base).abs() <= least.max(SAME * then.base.abs())
        }
    };
    let ends = |a: &Authored| Shown::Curve(at(a, 0.0), at(a, 1.0));
    let bases = || pairs.iter().map(|(now, _)| now.base);
    let (low, high) = bases().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), b| (l.min(b), h.max(b)));
    let shown = match pairs {
        [] => Shown::Nothing,
        [(first, _), rest @ ..] if is_curve && rest.iter().all(|(now, _)| now.curve == first.curve) => ends(first),
        _ if is_curve => Shown::Nothing,
        _ if high - low <= least => Shown::One(low),
        _ => Shown::Mixed(low, high),
    };
    let then_shown = if is_curve { ends(then) } else { Shown::One(then.base) };
    let same = !pairs.is_empty() && pairs.iter().all(like);
    Difference { property, now: shown, then: then_shown, same, cannot: None }
}

/// Some properties of a preset on chains and joints, as one batch. Of a term whose base or curve is left, that of each
/// chain stays. What curves run over is said at the top of this module.
pub fn edit(document: &Document, skeleton: &Skeleton, targets: &Targets, preset: &Preset, take: &[Property]) -> Edit {
    let feels = Feels::new(document, skeleton);
    let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
    for id in &targets.chains {
        let wish = wish(&feels, *id, preset, take);
        let one = Targets { chains: vec![*id], joints: Vec::new() };
        let drafted = feels.drafted(&one, &wish, &mut bare);
        let turned = document.chains.get(id).filter(|chain| {
            chain.along != preset.along && lays_a_curve(&feels, *id, &wish) && !keeps_a_curve(chain, &drafted)
        });
        let turned = turned.filter(|_| !drafted.is_empty());
        edits.extend(drafted);
        edits.extend(turned.map(|_| Edit::SetAlong { chain: *id, along: preset.along }));
    }
    for (id, bone) in &targets.joints {
        let wish = wish(&feels, *id, preset, take);
        let one = Targets { chains: Vec::new(), joints: vec![(*id, *bone)] };
        edits.extend(feels.drafted(&one, &wish, &mut bare));
    }
    feels.batch(edits, &bare)
}

/// What is wanted of a chain: what is taken of the preset, over the preset's measure, and the rest as the chain has it,
/// over its own.
fn wish(feels: &Feels<'_>, id: ChainId, preset: &Preset, take: &[Property]) -> Wish {
    let takes = |property| take.contains(&property);
    let taken = Term::ALL.into_iter().filter(|term| takes(Property::Base(*term)) || takes(Property::Curve(*term)));
    let laid = |term: Term| {
        let (then, now) = (preset.feel.get(term)?, feels.term(id, term));
        let base = if takes(Property::Base(term)) { then.base } else { now.as_ref().map_or(then.base, |a| a.base) };
        let (curve, over) = if takes(Property::Curve(term)) {
            (then.curve.clone(), Some(preset.along))
        } else {
            (now.and_then(|a| a.curve), None)
        };
        Some((term, Laid { authored: Authored { base, curve }, over }))
    };
    let radius = preset.feel.radius.clone().filter(|_| takes(Property::Radius));
    let radius = radius.map(|authored| Laid { authored, over: Some(preset.along) });
    Wish { terms: taken.filter_map(laid).collect(), radius }
}

/// Whether a curve of the preset's own comes to a chain.
fn lays_a_curve(feels: &Feels<'_>, id: ChainId, wish: &Wish) -> bool {
    let is_curve = |laid: &Laid| laid.over.is_some() && laid.authored.curve.is_some();
    let mut terms = wish.terms.iter().filter(|(term, _)| feels.cannot(id, *term).is_none());
    terms.any(|(_, laid)| is_curve(laid))
        || wish.radius.as_ref().is_some_and(is_curve) && feels.of_chain(id).radius.is_some()
}

/// Whether a curve that a chain has now says the value of some joint still after these edits of it.
fn keeps_a_curve(chain: &Chain, edits: &[Edit]) -> bool {
    let is_gone =
        |row: Row| edits.iter().any(|edit| matches!(edit, Edit::SetCurve { row: of, curve: None, .. } if *of == row));
    let is_own = |joint: &crate::document::Joint, row: Row| {
        let mut own = joint.own.contains_key(&row);
        for edit in edits {
            match edit {
                Edit::SetOwn { bone, row: of, value, .. } if *bone == joint.bone && *of == row => own = value.is_some(),
                _ => {}
            }
        }
        own
    };
    let curved = chain.values.iter().enumerate().filter(|(_, value)| value.curve.is_some());
    let mut rows = curved.map(|(at, _)| Row(at as u16));
    rows.any(|row| !is_gone(row) && !chain.joints.iter().all(|joint| is_own(joint, row)))
}

/// A value of a preset that a chain does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// The base of a term, or the radius.
    pub property: Property,
    /// Why it cannot be; `None` where the solver's numbers only reach no further.
    pub cannot: Option<Cannot>,
    /// What the joint that is farthest off should have, in the unit of the property.
    pub wanted: f32,
    /// What it has.
    pub found: f32,
}

/// A joint has a value when it is off by less than this share of it.
const HAD: f32 = 0.01;
/// Or by less than this share of the slider's span.
const NEARLY: f32 = 1e-3;

/// What a chain does not have of a preset, once that was applied to it; in the order of [`Term::ALL`].
pub fn misses(document: &Document, skeleton: &Skeleton, id: ChainId, preset: &Preset) -> Vec<Miss> {
    let feels = Feels::new(document, skeleton);
    let terms = Term::ALL.into_iter().map(|term| (Property::Base(term), Told::Term(term), preset.feel.get(term)));
    let all = terms.chain([(Property::Radius, Told::Radius, preset.feel.radius.as_ref())]);
    let miss = |(property, told, then): (Property, Told, Option<&Authored>)| {
        let then = then?;
        let laid = Laid { authored: then.clone(), over: Some(preset.along) };
        let pairs = feels.wanted_and_found(id, &laid, told);
        let (cannot, span) = match told {
            Told::Term(term) => (feels.cannot(id, term), term.def().soft_range.1 - term.def().soft_range.0),
            Told::Radius => (pairs.is_none().then_some(NO_RADIUS), 1.0),
        };
        let off = |(wanted, found): &(f32, f32)| (found - wanted).abs() / wanted.abs().max(NEARLY / HAD * span);
        let worst = pairs.into_iter().flatten().max_by(|a, b| off(a).total_cmp(&off(b)));
        let is_there = worst.is_none_or(|worst| off(&worst) <= HAD);
        let (wanted, found) = worst.unwrap_or((then.base, then.base));
        (cannot.is_some() || !is_there).then_some(Miss { property, cannot, wanted, found })
    };
    all.filter_map(miss).collect()
}

/// A tip that comes home more slowly than this is seen to creep, seconds.
const SEEN_CREEPING: f32 = 0.5;

/// How the slowest tip of a chain creeps home, where that is slow enough to be seen; to be asked once a preset was
/// applied, as [`misses`] is.
pub fn creep(document: &Document, skeleton: &Skeleton, id: ChainId) -> Option<Creep> {
    Feels::new(document, skeleton).creep(id).filter(|creep| creep.seconds > SEEN_CREEPING)
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
        feel: crate::feel::terms::of_chain(document, skeleton, id),
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
