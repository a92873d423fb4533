//! How chains feel, in terms that every solver shares: read, written and carried along a chain.
//!
//! A term is no value of the document: it is what the solver's own numbers come to, so that it moves when a raw number
//! does. Writing a term changes only the rows that the solver needs for it, at its own rate and with each bone's length;
//! the other terms stay. Where the ranges of its numbers end, what can be had is written, and reading tells what it is.
//! Functions here read the document and return an [`Edit`]; frames last 1/60 s unless [`Feels::at_frame`] says otherwise.

mod joint;
mod write;

use crate::document::chain::agreed;
use crate::document::{Along, Authored, Chain, ChainId, Document, Edit};
use crate::document::{measure::carried, measure::swinging_lengths};
use crate::document::{tune::Targets, tune::found, tune::points, tune::through};
use crate::feel::starting::FRAME;
use crate::math::Curve;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{ParamSet, Row};
use crate::sim::{Creep, Sway, Term};
use joint::{Asked, Felt};
use std::collections::BTreeSet;

/// A feel in terms that every solver shares, each along the chain: what a preset holds. What is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeelSet {
    /// [`Term::Speed`], Hz.
    pub speed: Option<Authored>,
    /// [`Term::Settle`], a damping ratio.
    pub settle: Option<Authored>,
    /// [`Term::Weight`], m/s².
    pub weight: Option<Authored>,
    /// [`Term::Follow`], a share.
    pub follow: Option<Authored>,
    /// [`Term::Reach`], degrees; 180 is open.
    pub reach: Option<Authored>,
    /// Hit radius as a share of the bone's length.
    pub radius: Option<Authored>,
}

impl FeelSet {
    /// A term along the chain.
    pub const fn get(&self, term: Term) -> Option<&Authored> {
        match term {
            Term::Speed => self.speed.as_ref(),
            Term::Settle => self.settle.as_ref(),
            Term::Weight => self.weight.as_ref(),
            Term::Follow => self.follow.as_ref(),
            Term::Reach => self.reach.as_ref(),
        }
    }

    /// Where a term along the chain stands.
    pub const fn get_mut(&mut self, term: Term) -> &mut Option<Authored> {
        match term {
            Term::Speed => &mut self.speed,
            Term::Settle => &mut self.settle,
            Term::Weight => &mut self.weight,
            Term::Follow => &mut self.follow,
            Term::Reach => &mut self.reach,
        }
    }

    /// Writes a term along the chain.
    pub fn set(&mut self, term: Term, authored: Option<Authored>) {
        *self.get_mut(term) = authored;
    }
}

/// A value along a chain on its way there.
#[derive(Clone, Debug)]
pub(crate) struct Laid {
    pub authored: Authored,
    /// What its curve runs over; `None` for what the chain's own curves run over.
    pub over: Option<Along>,
}

impl Laid {
    fn at(&self, place: f32) -> f32 {
        self.authored.base * self.authored.curve.as_ref().map_or(1.0, |curve| curve.eval(place))
    }
}

/// What of a joint is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Term(Term),
    Radius,
}

/// What is wanted of chains; what is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub terms: Vec<(Term, Laid)>,
    /// As a share of the bone's length.
    pub radius: Option<Laid>,
}

/// Why a term cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cannot {
    /// The solver has no number for it; the sentence says why, in English.
    Never(&'static str),
    /// The solver has one, but other numbers of this chain leave it no effect.
    Here,
}

/// A document's chains with all that their feel is reckoned from.
#[derive(Clone, Debug)]
pub struct Feels<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest: WorldPose,
    frame: f32,
}

/// One chain: its joints as their solver sees them, and the place of each along it.
struct Strand<'a> {
    felt: Vec<Felt<'a>>,
    places: Vec<f32>,
}

impl Strand<'_> {
    /// A term of each joint; `None` where the solver has no number for it.
    fn told(&self, term: Term) -> Option<Vec<f32>> {
        self.felt.iter().map(|felt| felt.told(term)).collect()
    }

    fn fitted(&self, values: &[f32]) -> Authored {
        fitted(values, &self.places)
    }
}

fn fitted(values: &[f32], places: &[f32]) -> Authored {
    if let Some(base) = agreed(values.iter().copied()) {
        return Authored { base, curve: None };
    }
    let fitted = through(values, places);
    Authored { base: fitted.base, curve: fitted.curve }
}

/// All terms of a chain, read at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The place of each joint along the chain, 0..=1.
    pub places: Vec<f32>,
    /// A value for each joint, in the order of [`Term::ALL`]; `None` where the solver has no number for the term.
    values: [Option<Vec<f32>>; Term::ALL.len()],
}

impl Reading {
    /// A term of each joint.
    pub fn values(&self, term: Term) -> Option<&[f32]> {
        let at = Term::ALL.iter().position(|other| *other == term)?;
        self.values[at].as_deref()
    }

    /// A term as base × curve; `None` also where it is not finite.
    pub fn authored(&self, term: Term) -> Option<Authored> {
        let values = self.values(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(fitted(values, &self.places))
    }
}

impl<'a> Feels<'a> {
    /// With frames of 1/60 s.
    pub fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        Self { document, skeleton, rest, frame: FRAME }
    }

    /// With frames of the players' screens of so many seconds.
    #[must_use]
    pub fn at_frame(mut self, seconds: f32) -> Self {
        self.frame = seconds;
        self
    }

    fn strand(&self, chain: &'a Chain) -> Strand<'a> {
        let kind = self.document.solver_of(chain);
        let places = self.document.places_in(chain, &self.rest, self.skeleton);
        let lengths = swinging_lengths(chain, self.skeleton, &self.rest, kind.info().leaf_length);
        let table = self.document.table_of(chain);
        let carried = carried(chain, &lengths, self.skeleton, &self.rest);
        let felt = |(at, length)| Felt {
            kind,
            system: self.document.values_of(chain),
            joint: chain.numbers(table, at, places[at]),
            length,
            carried: carried[at],
            frame: self.frame,
        };
        Strand { felt: lengths.into_iter().enumerate().map(felt).collect(), places }
    }

    fn chain(&self, id: ChainId) -> Option<Strand<'a>> {
        self.document.chains.get(&id).map(|chain| self.strand(chain))
    }

    /// How each joint of a chain sways; nothing of a chain that is not there.
    pub fn sways(&self, id: ChainId) -> Vec<Sway> {
        self.chain(id).map_or_else(Vec::new, |strand| strand.felt.iter().map(Felt::sway).collect())
    }

    /// How the slowest tip of a chain comes home; `None` where no tip of it creeps.
    pub fn creep(&self, id: ChainId) -> Option<Creep> {
        let creeps = self.chain(id)?.felt;
        creeps.iter().filter_map(Felt::creep).max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// All terms of a chain; `None` where it is not there.
    pub fn read(&self, id: ChainId) -> Option<Reading> {
        let strand = self.chain(id)?;
        let told: Vec<_> = strand.felt.iter().map(Felt::told_all).collect();
        let values = std::array::from_fn(|at| told.iter().map(|joint| joint[at]).collect());
        Some(Reading { places: strand.places, values })
    }

    /// The rows that change with a term of a chain.
    pub fn rows_of(&self, id: ChainId, term: Term) -> Vec<Row> {
        let Some(felt) = self.chain(id).and_then(|strand| strand.felt.into_iter().next()) else { return Vec::new() };
        felt.told(term).map_or_else(Vec::new, |is| felt.answering(term, is))
    }

    /// The place along a chain and a term of each joint; `None` where the solver has no number for it.
    pub fn along(&self, id: ChainId, term: Term) -> Option<Vec<(f32, f32)>> {
        let strand = self.chain(id)?;
        let values = strand.told(term)?;
        Some(strand.places.into_iter().zip(values).collect())
    }

    /// Why a term of a chain cannot be set; `None` where it can.
    pub fn cannot(&self, id: ChainId, term: Term) -> Option<Cannot> {
        let strand = self.chain(id)?;
        let mut whys = strand.felt.iter().map(|felt| felt.cannot(term));
        let first = whys.next()??;
        whys.all(|why| why.is_some()).then_some(first)
    }

    /// What a chain feels like: base × curve of each term that its solver can say.
    pub fn of_chain(&self, id: ChainId) -> FeelSet {
        let mut set = FeelSet::default();
        let Some(strand) = self.chain(id) else { return set };
        let finite = |values: &Vec<f32>| values.iter().all(|v| v.is_finite());
        for term in Term::ALL {
            let values = strand.told(term).filter(finite).filter(|_| self.cannot(id, term).is_none());
            set.set(term, values.map(|values| strand.fitted(&values)));
        }
        let radii: Option<Vec<f32>> = strand.felt.iter().map(Felt::radius).collect();
        set.radius = radii.filter(finite).map(|values| strand.fitted(&values));
        set
    }

    /// One term of a chain as base × curve, whether or not it can be set.
    pub fn term(&self, id: ChainId, term: Term) -> Option<Authored> {
        let strand = self.chain(id)?;
        let values = strand.told(term).filter(|values| values.iter().all(|v| v.is_finite()))?;
        Some(strand.fitted(&values))
    }

    /// One term of a joint.
    pub fn of_joint(&self, id: ChainId, bone: BoneId, term: Term) -> Option<f32> {
        let at = self.document.chains.get(&id)?.position(bone)?;
        self.chain(id)?.felt[at].told(term)
    }

    /// Writes the base of a term: all joints of a chain in proportion, single joints to the value. A chain whose term
    /// is 0 becomes level.
    pub fn set(&self, targets: &Targets, term: Term, value: f32) -> Edit {
        self.change(targets, term, |base| if base == 0.0 { None } else { Some(value / base) }, value)
    }

    /// Multiplies a term everywhere, so that differences stay in proportion.
    pub fn scale(&self, targets: &Targets, term: Term, factor: f32) -> Edit {
        self.change(targets, term, |_| Some(factor), 0.0)
    }

    fn change(&self, targets: &Targets, term: Term, factor: impl Fn(f32) -> Option<f32>, level: f32) -> Edit {
        let asked = |strand: &Strand<'_>, values: Vec<f32>| -> Vec<Asked> {
            let factor = factor(strand.fitted(&values).base);
            values.into_iter().map(|v| Asked::one(term, factor.map_or(level, |factor| v * factor))).collect()
        };
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for (id, chain) in found(self.document, &targets.chains) {
            let strand = self.strand(chain);
            if let Some(values) = strand.told(term) {
                edits.extend(self.write(&mut bare, id, chain, &strand, &asked(&strand, values), None));
            }
        }
        for (id, bone) in &targets.joints {
            edits.extend(self.write_joint(&mut bare, *id, *bone, |felt, _| {
                let value = felt.told(term)?;
                Some(Asked::one(term, factor(value).map_or(level, |factor| value * factor)))
            }));
        }
        self.batch(edits, &bare)
    }

    /// Lays a term along chains: the base that it has times `curve`; `None` makes it level.
    pub fn set_curve(&self, chains: &[ChainId], term: Term, curve: Option<&Curve>) -> Edit {
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for id in chains {
            let Some(Authored { base, .. }) = self.term(*id, term) else { continue };
            let laid = Laid { authored: Authored { base, curve: curve.cloned() }, over: None };
            let wish = Wish { terms: vec![(term, laid)], radius: None };
            let one = Targets { chains: vec![*id], joints: Vec::new() };
            edits.extend(self.drafted(&one, &wish, &mut bare));
        }
        self.batch(edits, &bare)
    }

    /// Lays a term along a chain.
    pub fn lay(&self, id: ChainId, term: Term, authored: &Authored) -> Edit {
        let mut set = FeelSet::default();
        set.set(term, Some(authored.clone()));
        self.apply(&Targets { chains: vec![id], joints: Vec::new() }, &set, &[term], false)
    }

    /// Writes some terms of a feel, and its radius where asked, on chains by the place along each, and on single joints
    /// as on their place.
    pub fn apply(&self, targets: &Targets, set: &FeelSet, terms: &[Term], with_radius: bool) -> Edit {
        let laid = |authored: &Authored| Laid { authored: authored.clone(), over: None };
        let wish = Wish {
            terms: terms.iter().filter_map(|term| Some((*term, laid(set.get(*term)?)))).collect(),
            radius: set.radius.as_ref().filter(|_| with_radius).map(laid),
        };
        let mut bare = BTreeSet::new();
        let edits = self.drafted(targets, &wish, &mut bare);
        self.batch(edits, &bare)
    }

    /// As [`Feels::apply`], one part of a larger batch; joints whose limits have no frame yet come to `bare`.
    pub(crate) fn drafted(&self, targets: &Targets, wish: &Wish, bare: &mut BTreeSet<BoneId>) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (id, chain) in found(self.document, &targets.chains) {
            let strand = self.strand(chain);
            let all = self.asked(chain, &strand.places, wish);
            edits.extend(self.write(bare, id, chain, &strand, &all, None));
        }
        for (id, bone) in &targets.joints {
            let Some(chain) = self.document.chains.get(id) else { continue };
            let Some(at) = chain.position(*bone) else { continue };
            let places = self.document.places_in(chain, &self.rest, self.skeleton);
            let asked = self.asked(chain, &places, wish).swap_remove(at);
            edits.extend(self.write_joint(bare, *id, *bone, |_, _| Some(asked.clone())));
        }
        edits
    }

    /// What is wanted of each joint of a chain, whose places are given as its own curves see them.
    fn asked(&self, chain: &Chain, places: &[f32], wish: &Wish) -> Vec<Asked> {
        let along = |laid: &Laid| self.values(chain, places, laid);
        let terms: Vec<(Term, Vec<f32>)> = wish.terms.iter().map(|(term, laid)| (*term, along(laid))).collect();
        let radius = wish.radius.as_ref().map(along);
        let joint = |at: usize| Asked {
            terms: terms.iter().map(|(term, values)| (*term, values[at])).collect(),
            radius: radius.as_ref().map(|values| values[at]),
        };
        (0..places.len()).map(joint).collect()
    }

    /// A value of each joint.
    fn values(&self, chain: &Chain, places: &[f32], laid: &Laid) -> Vec<f32> {
        let other = laid.over.filter(|over| *over != chain.along && laid.authored.curve.is_some());
        let other = other.map(|over| self.places_over(chain, over));
        other.as_deref().unwrap_or(places).iter().map(|place| laid.at(*place)).collect()
    }

    /// What each joint of a chain is to have, and has, of a value that is read back by `of`; `None` where a joint has none.
    pub(crate) fn wanted_and_found(&self, id: ChainId, laid: &Laid, of: Told) -> Option<Vec<(f32, f32)>> {
        let chain = self.document.chains.get(&id)?;
        let strand = self.strand(chain);
        let found: Option<Vec<f32>> = match of {
            Told::Term(term) => strand.told(term),
            Told::Radius => strand.felt.iter().map(Felt::radius).collect(),
        };
        Some(self.values(chain, &strand.places, laid).into_iter().zip(found?).collect())
    }

    /// The place of each joint as curves over `along` would see it.
    fn places_over(&self, chain: &Chain, along: Along) -> Vec<f32> {
        let other = Chain { along, ..chain.clone() };
        self.document.places_in(&other, &self.rest, self.skeleton)
    }

    /// A value whose curve runs over `along`, as the chain's own curves would say it: with the same value on each joint.
    /// Of joints that stand at one place for the chain and at several for `along`, the first one's counts.
    pub fn reread(&self, id: ChainId, authored: &Authored, along: Along) -> Authored {
        let Some(chain) = self.document.chains.get(&id).filter(|chain| chain.along != along) else {
            return authored.clone();
        };
        let Some(curve) = &authored.curve else { return authored.clone() };
        let own = self.document.places_in(chain, &self.rest, self.skeleton);
        let values = self.places_over(chain, along).into_iter().map(|place| curve.eval(place));
        Authored { base: authored.base, curve: Curve::through(&points(&own, values)) }
    }

    /// Puts a term back to what `loaded` says, with the very numbers of then where these come to the same; where it has
    /// no such chain or joint, to what the engine's defaults come to.
    pub fn reset(&self, loaded: &Document, targets: &Targets, term: Term) -> Edit {
        let then = Feels { document: loaded, skeleton: self.skeleton, rest: self.rest.clone(), frame: self.frame };
        let (mut edits, mut bare) = (Vec::new(), BTreeSet::new());
        for (id, chain) in found(self.document, &targets.chains) {
            let strand = self.strand(chain);
            let was = loaded.chains.get(&id);
            let before = was.map(|was| then.strand(was));
            let joint = |(at, felt): (usize, &Felt<'_>)| {
                let same = was.and_then(|was| was.position(chain.joints[at].bone));
                let told = same.and_then(|at| before.as_ref()?.felt[at].told(term));
                let stock = || Felt { joint: ParamSet::defaults(self.document.table_of(chain)), ..felt.clone() };
                told.or_else(|| stock().told(term)).map_or_else(Asked::default, |value| Asked::one(term, value))
            };
            let asked: Vec<Asked> = strand.felt.iter().enumerate().map(joint).collect();
            let same_table = was.filter(|was| loaded.solver_of(was) == self.document.solver_of(chain));
            edits.extend(self.write(&mut bare, id, chain, &strand, &asked, same_table));
        }
        for (id, bone) in &targets.joints {
            let was = then.of_joint(*id, *bone, term);
            let Some(now) = self.document.chains.get(id) else { continue };
            let place = |at: usize| self.document.places_in(now, &self.rest, self.skeleton)[at];
            let place = now.position(*bone).map_or(0.0, place);
            let same = loaded.chains.get(id).filter(|was| loaded.solver_of(was) == self.document.solver_of(now));
            let same = same.and_then(|was| Some((was, was.position(*bone)?)));
            let rows = self.write_joint(&mut bare, *id, *bone, |felt, _| {
                let stock =
                    || Felt { joint: ParamSet::defaults(self.document.table_of(now)), ..felt.clone() }.told(term);
                was.or_else(stock).map(|value| Asked::one(term, value))
            });
            edits.extend(rows.into_iter().map(|edit| write::as_loaded(edit, same, place)));
        }
        self.batch(edits, &bare)
    }
}

/// How each joint of a chain sways, see [`Feels::sways`].
pub fn sways(document: &Document, skeleton: &Skeleton, chain: ChainId) -> Vec<Sway> {
    Feels::new(document, skeleton).sways(chain)
}

/// What a chain feels like, see [`Feels::of_chain`].
pub fn of_chain(document: &Document, skeleton: &Skeleton, chain: ChainId) -> FeelSet {
    Feels::new(document, skeleton).of_chain(chain)
}

/// Writes the base of a term, see [`Feels::set`].
pub fn set(document: &Document, skeleton: &Skeleton, targets: &Targets, term: Term, value: f32) -> Edit {
    Feels::new(document, skeleton).set(targets, term, value)
}

/// Lays a term along chains, see [`Feels::set_curve`].
pub fn set_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    term: Term,
    curve: Option<&Curve>,
) -> Edit {
    Feels::new(document, skeleton).set_curve(chains, term, curve)
}

/// Writes a feel, see [`Feels::apply`].
pub fn apply(
    document: &Document,
    skeleton: &Skeleton,
    targets: &Targets,
    set: &FeelSet,
    terms: &[Term],
    with_radius: bool,
) -> Edit {
    Feels::new(document, skeleton).apply(targets, set, terms, with_radius)
}

/// Puts a term back, see [`Feels::reset`].
pub fn reset(document: &Document, loaded: &Document, skeleton: &Skeleton, targets: &Targets, term: Term) -> Edit {
    Feels::new(document, skeleton).reset(loaded, targets, term)
}
