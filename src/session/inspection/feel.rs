//! The panel of feel: what it shows of the tuned chains.
//!
//! A term stands in no document, see [`crate::feel::terms`]. What the panel shows is reckoned when something has changed and
//! kept until then; of a curve that the artist laid, its own keys are kept as long as the numbers still come to it.

use super::{Inspection, Remark, Values};
use crate::document::tune::Targets;
use crate::document::{Authored, ChainId};
use crate::feel::{terms::Cannot, terms::Feels, terms::Reading};
use crate::math::Curve;
use crate::sim::Term;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A term that is off by more than this share is another one.
const OTHER: f32 = 2e-3;
/// A laid curve is no longer what the numbers come to when some joint is off by more.
const LAID: f32 = 0.01;
/// A term that stops short of what was asked by more than this share says so.
const SHORT: f32 = 0.01;

/// A term as the inspector shows it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own in the row")]
pub struct TermView {
    /// Which.
    pub term: Term,
    /// Base values of chains, or the values of joints.
    pub values: Values,
    /// Differs from what was loaded.
    pub changed: bool,
    /// At least one joint, but not all of a chain, has a number of its own that the term comes from.
    pub overridden: bool,
    /// The curve that all target chains share; `None` for level or differing ones.
    pub curve: Option<Curve>,
    /// Some target chain has a curve.
    pub curved: bool,
    /// Why it cannot be set on any target.
    pub cannot: Option<Cannot>,
    /// It was asked for more than the solver's numbers reach.
    pub stops: bool,
}

/// What the panel keeps.
#[derive(Debug, Default)]
pub(in crate::session) struct FeelPanel {
    pub(in crate::session) shown: RefCell<Option<Shown>>,
    loaded: RefCell<BTreeMap<ChainId, Option<Reading>>>,
    pub(in crate::session) laid: BTreeMap<(ChainId, Term), Authored>,
    /// What was last asked for, and the state of the document that came of it.
    pub(in crate::session) asked: Option<(Term, f32, u64)>,
}

/// Valid for these targets at this rate.
#[derive(Debug)]
pub(in crate::session) struct Shown {
    targets: Targets,
    rate: u32,
    readings: BTreeMap<ChainId, Reading>,
    views: Vec<TermView>,
}

impl FeelPanel {
    /// The document has changed; `all` also where what was loaded may read otherwise.
    pub(in crate::session) fn forget(&mut self, all: bool) {
        self.shown.take();
        if all {
            self.loaded.take();
        }
    }

    /// What the artist laid, where the numbers still come to it; else what they come to.
    fn authored(&self, id: ChainId, reading: &Reading, term: Term) -> Option<Authored> {
        let laid = self.laid.get(&(id, term)).filter(|laid| comes_to(reading, term, laid));
        laid.cloned().or_else(|| reading.authored(term))
    }
}

fn comes_to(reading: &Reading, term: Term, laid: &Authored) -> bool {
    let Some(values) = reading.values(term) else { return false };
    let at = |place: f32| laid.base * laid.curve.as_ref().map_or(1.0, |c| c.eval(place));
    let near =
        |(place, value): (&f32, &f32)| (at(*place) - value).abs() <= LAID * value.abs().max(0.05 * laid.base.abs());
    reading.places.iter().zip(values).all(near)
}

fn is_other(a: f32, b: f32) -> bool {
    a.to_bits() != b.to_bits() && (a - b).abs() > OTHER * a.abs().max(b.abs())
}

impl<'a> Inspection<'a> {
    pub(in crate::session) fn feels(self) -> Feels<'a> {
        let frame = 1.0 / self.playback.settings().players_rate as f32;
        Feels::new(self.document, &self.character.skeleton).at_frame(frame)
    }

    fn with_shown<T>(&self, read: impl FnOnce(&Shown) -> T) -> T {
        let targets = self.targets();
        let rate = self.playback.settings().players_rate;
        let mut shown = self.feel.shown.borrow_mut();
        if shown.as_ref().is_some_and(|shown| shown.rate != rate) {
            self.feel.loaded.take();
        }
        let shown = match shown.take() {
            Some(kept) if kept.targets == targets && kept.rate == rate => shown.insert(kept),
            _ => shown.insert(self.reckon(targets, rate)),
        };
        read(shown)
    }

    fn reckon(self, targets: Targets, rate: u32) -> Shown {
        let feels = self.feels();
        let chains = targets.chains.iter().copied().chain(targets.joints.iter().map(|(id, _)| *id));
        let readings: BTreeMap<_, _> = chains.filter_map(|id| Some((id, feels.read(id)?))).collect();
        let views = Term::ALL.iter().map(|term| self.view(&feels, &targets, &readings, *term)).collect();
        Shown { targets, rate, readings, views }
    }

    fn view(
        &self,
        feels: &Feels<'_>,
        targets: &Targets,
        readings: &BTreeMap<ChainId, Reading>,
        term: Term,
    ) -> TermView {
        let authored = |id: &ChainId| self.feel.authored(*id, readings.get(id)?, term);
        let bases = targets.chains.iter().filter_map(|id| Some(authored(id)?.base));
        let joint = |(id, bone): &(ChainId, _)| {
            let at = self.document.chains[id].position(*bone)?;
            readings.get(id)?.values(term).map(|values| values[at])
        };
        // What differs by less than can be seen is one value.
        let values = match Values::of(bases.chain(targets.joints.iter().filter_map(joint))) {
            Values::Mixed { low, high } if !is_other(low, high) => Values::Same(high),
            values => values,
        };
        let curves: Vec<_> = targets.chains.iter().map(|id| authored(id).and_then(|a| a.curve)).collect();
        let first = curves.first().cloned().flatten();
        let stops = self.feel.asked.is_some_and(|(asked, value, state)| {
            let far = |is: f32| (is - value).abs() > SHORT * value.abs().max(0.02);
            asked == term && state == self.history.current() && matches!(values, Values::Same(is) if far(is))
        });
        TermView {
            term,
            values,
            changed: self.term_differs(targets, readings, term),
            overridden: self.term_overridden(feels, targets, term),
            curve: first.filter(|first| curves.iter().all(|curve| curve.as_ref() == Some(first))),
            curved: curves.iter().any(Option::is_some),
            cannot: cannot(feels, readings, term),
            stops,
        }
    }

    /// Whether some target feels otherwise than what was loaded.
    fn term_differs(self, targets: &Targets, readings: &BTreeMap<ChainId, Reading>, term: Term) -> bool {
        let frame = 1.0 / self.playback.settings().players_rate as f32;
        let differs = |id: &ChainId, only: Option<usize>| {
            let (now, was) = (&self.document.chains[id], self.loaded.chains.get(id)?);
            let mut kept = self.feel.loaded.borrow_mut();
            let read = || Feels::new(self.loaded, &self.character.skeleton).at_frame(frame).read(*id);
            let then = kept.entry(*id).or_insert_with(read).as_ref()?.values(term)?;
            let values = readings.get(id)?.values(term)?;
            let joints = now.joints.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
            let mut pairs = joints.filter_map(|(at, joint)| Some((values[at], then[was.position(joint.bone)?])));
            Some(pairs.any(|(is, was)| is_other(is, was)))
        };
        let whole = targets.chains.iter().any(|id| differs(id, None) == Some(true));
        let single = |(id, bone): &(ChainId, _)| differs(id, self.document.chains[id].position(*bone)) == Some(true);
        whole || targets.joints.iter().any(single)
    }

    fn term_overridden(self, feels: &Feels<'_>, targets: &Targets, term: Term) -> bool {
        let some_own = |id: &ChainId| self.document.chains[id].joints.iter().any(|joint| !joint.own.is_empty());
        targets.chains.iter().filter(|id| some_own(id)).any(|id| {
            let chain = &self.document.chains[id];
            let own = |row| !chain.is_exact(row) && chain.joints.iter().any(|joint| joint.own.contains_key(&row));
            feels.rows_of(*id, term).into_iter().any(own)
        })
    }

    /// A term of the current targets.
    pub fn term_view(self, term: Term) -> TermView {
        let at = Term::ALL.iter().position(|other| *other == term).unwrap_or(0);
        self.with_shown(|shown| shown.views[at].clone())
    }

    /// Whether a switch of the whole character keeps all angle limits from acting.
    pub fn limits_are_off(self) -> bool {
        let mut limits = self.system().solver.info().pivot_limits.iter();
        limits.any(|limit| self.remark(limit.rows.active) == Some(Remark::LimitsSwitchedOff))
    }

    /// A term of a chain as base × curve.
    pub fn term_of(self, id: ChainId, term: Term) -> Option<Authored> {
        let kept =
            self.with_shown(|shown| shown.readings.get(&id).map(|reading| self.feel.authored(id, reading, term)));
        kept.unwrap_or_else(|| self.feel.authored(id, &self.feels().read(id)?, term))
    }

    /// Place along the chain (0..=1) and a term of each joint.
    pub fn term_values(self, id: ChainId, term: Term) -> Vec<(f32, f32)> {
        let along = |reading: &Reading| {
            let values = reading.values(term).unwrap_or_default();
            reading.places.iter().copied().zip(values.iter().copied()).collect()
        };
        let kept = self.with_shown(|shown| shown.readings.get(&id).map(along));
        kept.or_else(|| self.feels().read(id).as_ref().map(along)).unwrap_or_default()
    }
}

/// A term can be set where one of the chains lets it.
fn cannot(feels: &Feels<'_>, readings: &BTreeMap<ChainId, Reading>, term: Term) -> Option<Cannot> {
    let mut whys = readings.keys().map(|id| feels.cannot(*id, term));
    let first = whys.next()??;
    whys.all(|why| why.is_some()).then_some(first)
}
