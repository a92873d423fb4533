//! One joint: from a wanted term to the rows that its solver needs changed for it.

use super::Cannot;
use crate::schema::{ParamSet, Row};
use crate::sim::{Creep, Numbers, OPEN_DEG, SolverKind, Sway, Term};

/// A term that is off by less than this share is there already.
const HELD: f32 = 3e-4;
/// What was asked counts so much more than what should stay.
const ASKED: f32 = 100.0;
/// How often the speed is aimed anew where ranges end.
const ROUNDS: usize = 8;
/// Fastest swing that steps tell apart from a slow one, in swings a step.
const FASTEST: f32 = 0.49;
/// A term that a trial moves by less of the trial's step has no number here.
const MOVED: f32 = 0.1;

/// What is wanted of a joint; what is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// In the unit of [`Sway::get`].
    pub terms: Vec<(Term, f32)>,
    /// Share of the bone's length.
    pub radius: Option<f32>,
}

impl Asked {
    pub(super) fn one(term: Term, value: f32) -> Self {
        Self { terms: vec![(term, value)], radius: None }
    }

    /// What is asked of a term.
    pub(super) fn of(&self, term: Term) -> Option<f32> {
        self.terms.iter().find(|(asked, _)| *asked == term).map(|(_, value)| *value)
    }

    pub(super) fn scale(&mut self, term: Term, factor: f32) {
        for (_, value) in self.terms.iter_mut().filter(|(asked, _)| *asked == term) {
            *value *= factor;
        }
    }

    fn has(&self, term: Term) -> bool {
        self.of(term).is_some()
    }
}

/// A joint as its solver sees it.
#[derive(Clone, Debug)]
pub(super) struct Felt<'a> {
    pub kind: SolverKind,
    pub system: &'a ParamSet,
    pub joint: ParamSet,
    pub length: f32,
    /// As in [`Numbers`].
    pub carried: f32,
    pub frame: f32,
}

impl Felt<'_> {
    /// The same joint with other numbers.
    pub(super) fn among(&self, numbers: &ParamSet) -> Self {
        Self { joint: numbers.clone(), ..*self }
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers {
            joint: &self.joint,
            system: self.system,
            length: self.length,
            carried: self.carried,
            frame: self.frame,
        }
    }

    pub(super) fn sway(&self) -> Sway {
        self.kind.sway(&self.numbers())
    }

    /// How its tip comes home once it is slow.
    pub(super) fn creep(&self) -> Option<Creep> {
        self.kind.creep(&self.numbers())
    }

    /// A term by which the joint sways; a joint without limits is open all round. `None` where the solver has none.
    pub(super) fn told(&self, term: Term) -> Option<f32> {
        told(self.kind, &self.sway(), term)
    }

    /// Every term, in the order of [`Term::ALL`].
    pub(super) fn told_all(&self) -> [Option<f32>; Term::ALL.len()] {
        let sway = self.sway();
        Term::ALL.map(|term| told(self.kind, &sway, term))
    }

    /// The rows that change when a term goes away from `is`.
    pub(super) fn answering(&self, term: Term, is: f32) -> Vec<Row> {
        let (low, high) = term.def().soft_range;
        let other = if is > (low + high) * 0.5 { is - 0.1 * (high - low) } else { is + 0.1 * (high - low) };
        self.towards(&Asked::one(term, other)).into_iter().map(|(row, _)| row).collect()
    }

    /// Thickness as a share of the bone's length.
    pub(super) fn radius(&self) -> Option<f32> {
        self.sway().radius.map(|radius| radius / self.length)
    }

    /// Why a term cannot be set here: the solver has no number for it, or other numbers leave it no effect.
    pub(super) fn cannot(&self, term: Term) -> Option<Cannot> {
        if let Some(why) = never(self.kind, term) {
            return Some(Cannot::Never(why));
        }
        let is = self.told(term)?;
        let (low, high) = term.def().soft_range;
        let step = 0.2 * (high - low);
        let moves = |to: f32| {
            let mut tried = self.clone();
            tried.write(&self.towards(&Asked::one(term, to)));
            tried.told(term).is_some_and(|found| (found - is).abs() > MOVED * (to - is).abs())
        };
        let there = moves((is - step).max(low)) || moves((is + step).min(high));
        (!there).then_some(Cannot::Here)
    }

    pub(super) fn write(&mut self, rows: &[(Row, f32)]) {
        for (row, value) in rows {
            self.joint.set(*row, *value);
        }
    }

    /// The rows that must change, and to what. Terms that the solver does not know are passed over; where its ranges
    /// end, what was asked comes as near as it can and the speed is held before the rest.
    pub(super) fn towards(&self, asked: &Asked) -> Vec<(Row, f32)> {
        let now = self.sway();
        let wanted = self.wanted(&now, asked);
        let is_finite = Term::ALL.iter().all(|term| wanted.get(*term).is_none_or(f32::is_finite));
        if !is_finite || self.miss(&now, &wanted, asked) < HELD {
            return Vec::new();
        }
        let silent = self.silent(&now);
        let fastest = FASTEST / self.kind.step_seconds(self.system, self.frame);
        let mut aim = wanted;
        let mut rows = Vec::new();
        for _ in 0..ROUNDS {
            aim.frequency_hz = aim.frequency_hz.min(fastest);
            let all = self.rows(&aim, asked, &silent);
            let still = self.rows(&now, asked, &silent);
            let least: Vec<_> = all.iter().copied().filter(|row| !still.iter().any(|s| is_same(*s, *row))).collect();
            let miss = |rows: &[(Row, f32)]| self.miss(&self.with(rows).sway(), &wanted, asked);
            rows = if miss(&least) <= miss(&all) + HELD { least } else { all };
            let found = self.with(&rows).sway();
            let speed = wanted.frequency_hz / found.frequency_hz;
            if (speed - 1.0).abs() < HELD * 0.1 || !speed.is_finite() {
                break;
            }
            // A damping that cannot be had would keep on pulling the speed away.
            if (found.damping_ratio / aim.damping_ratio - 1.0).abs() > HELD {
                aim.damping_ratio = found.damping_ratio;
            }
            aim.frequency_hz *= speed.clamp(0.5, 2.0);
        }
        rows.retain(|(row, value)| self.joint.get(*row).to_bits() != value.to_bits());
        rows
    }

    /// Whether another value of one row comes to the same in every term.
    pub(super) fn feels_alike(&self, row: Row, value: f32) -> bool {
        let (is, other) = (self.sway(), self.with(&[(row, value)]).sway());
        self.miss(&other, &is, &Asked::default()) < HELD
    }

    fn with(&self, rows: &[(Row, f32)]) -> Self {
        let mut other = self.clone();
        other.write(rows);
        other
    }

    fn wanted(&self, now: &Sway, asked: &Asked) -> Sway {
        let mut wanted = *now;
        for (term, value) in asked.terms.iter().filter(|(term, _)| never(self.kind, *term).is_none()) {
            if *term == Term::Reach && now.reach_deg.is_none() && *value >= OPEN_DEG {
                continue;
            }
            wanted.set(*term, *value);
            if *term == Term::Weight && now.pull.length() == 0.0 {
                // The solver may pull along one direction only.
                let rows = self.kind.numbers(&wanted, &self.numbers());
                wanted.pull = self.with(&rows).sway().pull;
                wanted.set(*term, *value);
            }
        }
        if let (Some(_), Some(share)) = (now.radius, asked.radius) {
            wanted.radius = Some(share * self.length);
        }
        wanted
    }

    /// What the solver writes for a sway; of limits, follow and radius only what was asked.
    fn rows(&self, sway: &Sway, asked: &Asked, silent: &[Row]) -> Vec<(Row, f32)> {
        let mut sway = *sway;
        sway.follow = sway.follow.filter(|_| asked.has(Term::Follow));
        sway.reach_deg = sway.reach_deg.filter(|_| asked.has(Term::Reach));
        sway.radius = sway.radius.filter(|_| asked.radius.is_some());
        let mut rows = self.kind.numbers(&sway, &self.numbers());
        rows.retain(|(row, value)| value.is_finite() && !silent.contains(row));
        rows
    }

    /// Rows that answer to the pull alone, where the pull is not the joint's to set.
    fn silent(&self, now: &Sway) -> Vec<Row> {
        if never(self.kind, Term::Weight).is_none() {
            return Vec::new();
        }
        let mut heavier = *now;
        heavier.set(Term::Weight, now.pull.length() * 1.5 + 1.0);
        let [still, rows] = [now, &heavier].map(|sway| self.kind.numbers(sway, &self.numbers()));
        rows.into_iter().filter(|row| !still.iter().any(|s| is_same(*s, *row))).map(|(row, _)| row).collect()
    }

    /// How far a sway is from the wanted one, as shares of the terms.
    fn miss(&self, found: &Sway, wanted: &Sway, asked: &Asked) -> f32 {
        let of = |term: Term| {
            let told = |sway| told(self.kind, sway, term);
            let (Some(is), Some(should)) = (told(found), told(wanted)) else { return 0.0 };
            let off = if term == Term::Weight { (found.pull - wanted.pull).length() } else { (is - should).abs() };
            let (low, high) = term.def().soft_range;
            let share = off / should.abs().max(0.005 * (high - low));
            if asked.has(term) { share * ASKED } else { share }
        };
        let radius = match (found.radius, wanted.radius) {
            (Some(is), Some(should)) => (is - should).abs() / should.abs().max(1e-4),
            _ => 0.0,
        };
        let sum = Term::ALL.into_iter().map(of).sum::<f32>() + radius * ASKED;
        sum / ASKED
    }
}

fn told(kind: SolverKind, sway: &Sway, term: Term) -> Option<f32> {
    if never(kind, term).is_some() {
        return None;
    }
    let open = (term == Term::Reach).then_some(OPEN_DEG);
    sway.get(term).or(open)
}

/// Why a solver has no number for a term, whatever its numbers.
pub(super) fn never(kind: SolverKind, term: Term) -> Option<&'static str> {
    kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term).map(|(_, why)| *why)
}

/// The same row with the very same value: what hardly differs near the end of a range can differ much in what it does.
fn is_same((row, value): (Row, f32), (other, then): (Row, f32)) -> bool {
    row == other && value.to_bits() == then.to_bits()
}
