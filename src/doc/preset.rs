//! A feel with a name.

use super::feel_terms::{Cannot, FeelSet, Feels};
use super::tune::Targets;
use super::{Along, Authored, ChainId, Document, Edit, Part};
use crate::rig::Skeleton;
use crate::sim::Term;

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
    /// File stem.
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

/// What a preset would change.
pub fn differences(document: &Document, skeleton: &Skeleton, targets: &Targets, preset: &Preset) -> Vec<Difference> {
    let feels = Feels::new(document, skeleton);
    let Some(id) = targets.chains.first().copied().or(targets.joints.first().map(|j| j.0)) else { return Vec::new() };
    let ends = |a: &Authored| a.curve.as_ref().map_or((1.0, 1.0), |c| (c.eval(0.0), c.eval(1.0)));
    let mut lines = Vec::new();
    for term in Term::ALL {
        let Some(then) = preset.feel.get(term) else { continue };
        let now = feels.term(id, term);
        let cannot = feels.cannot(id, term);
        let base = now.as_ref().map(|a| a.base);
        lines.push(Difference {
            property: Property::Base(term),
            now: base.map_or(Shown::Nothing, Shown::One),
            then: Shown::One(then.base),
            same: base.is_some_and(|b| (b - then.base).abs() < 0.01 * then.base.abs().max(0.1)),
            cannot,
        });
        let curve = now.as_ref().map(ends);
        lines.push(Difference {
            property: Property::Curve(term),
            now: curve.map_or(Shown::Nothing, |(a, b)| Shown::Curve(a, b)),
            then: Shown::Curve(ends(then).0, ends(then).1),
            same: curve.is_some_and(|c| (c.1 - ends(then).1).abs() < 0.01),
            cannot,
        });
    }
    lines
}

/// One batch.
pub fn edit(document: &Document, skeleton: &Skeleton, targets: &Targets, preset: &Preset, take: &[Property]) -> Edit {
    let terms: Vec<Term> = Term::ALL.into_iter().filter(|term| take.contains(&Property::Base(*term))).collect();
    let mut set = preset.feel.clone();
    for term in Term::ALL {
        if !take.contains(&Property::Curve(term))
            && let Some(authored) = set.get_mut(term)
        {
            authored.curve = None;
        }
    }
    Feels::new(document, skeleton).apply(targets, &set, &terms, take.contains(&Property::Radius))
}

/// The feel of a chain.
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

/// How a joint comes to rest.
pub fn swing(preset: &Preset, seconds: f32, n: usize) -> Vec<f32> {
    let base = |term, usual| preset.feel.get(term).map_or(usual, |a: &Authored| a.base);
    let (hz, zeta) = (base(Term::Speed, 3.0), base(Term::Settle, 0.4));
    let w = std::f32::consts::TAU * hz;
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
