//! Presets on chains: what one reaches, which one a chain has, and the feel as it was.
//!
//! Which preset was applied is no part of the document: it is remembered with the state that it led to, so that undo
//! takes it back and redo brings it again. The presets themselves are handed in.

use super::Session;
use super::inspection::Inspection;
use crate::document::names::Pattern;
use crate::document::tune::Targets;
use crate::document::{Chain, ChainId, Edit, History, Label};
use crate::feel::{preset, preset::Difference, preset::Preset, preset::Property, preset::Words};
use crate::rig::BoneId;
use crate::schema::Row;
use crate::sim::{Creep, SolverKind, Term};
use std::collections::BTreeMap;

/// Speeds, dampings and the like that differ by less than this share feel alike.
const ALIKE: f32 = 0.02;
/// Places along a chain at which curves are compared.
const PLACES: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Names a preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PresetId {
    /// One of the artist's own rather than built in.
    pub own: bool,
    /// [`Preset::key`].
    pub key: String,
}

/// A preset on its way to chains.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetStep {
    /// Which.
    pub id: PresetId,
    /// What it is called.
    pub name: Words,
    /// The chains that have it from then on.
    pub chains: Vec<ChainId>,
    /// What it changes.
    pub edit: Edit,
    /// What the step is called.
    pub label: Label,
}

/// The preset that the tuned chains have.
#[derive(Clone, Debug, PartialEq)]
pub enum Worn {
    /// None was applied.
    None,
    /// They differ.
    Several,
    /// The same one.
    One {
        /// Which.
        id: PresetId,
        /// What it was called when it was applied.
        name: Words,
        /// Some number of theirs is another since.
        changed: bool,
    },
}

/// What the other side of A/B shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Was {
    /// As a preset of this name left it.
    Applied(Words),
    /// As the file was loaded.
    Loaded,
}

/// What was applied since the character was opened, oldest first.
#[derive(Debug, Default)]
pub(super) struct Applied(Vec<Step>);

#[derive(Debug)]
struct Step {
    id: PresetId,
    name: Words,
    /// The state of the document that it led to.
    state: u64,
    /// The chains as it left them, and what moved them then.
    chains: BTreeMap<ChainId, (SolverKind, Chain)>,
}

impl Applied {
    /// The last preset on a chain that no undo took back.
    fn on(&self, chain: ChainId, history: &History) -> Option<&Step> {
        self.0.iter().rev().find(|step| step.chains.contains_key(&chain) && history.stands_on(step.state))
    }

    /// The chains as presets left them, for a character whose bones have other ids now.
    pub(super) fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        self.0.iter_mut().flat_map(|step| step.chains.values_mut().map(|(_, chain)| chain))
    }

    fn forget(&mut self, history: &History) {
        self.0.retain(|step| history.knows(step.state));
    }
}

/// Presets on the tuned chains.
#[derive(Clone, Copy, Debug)]
pub struct Presets<'a> {
    i: Inspection<'a>,
    applied: &'a Applied,
}

impl<'a> Presets<'a> {
    pub(super) fn new(i: Inspection<'a>, applied: &'a Applied) -> Self {
        Self { i, applied }
    }

    /// What a preset reaches: what is selected, whatever moves it; with nothing selected, all chains of its parts.
    pub fn targets(self, preset: &Preset) -> Targets {
        let mut targets = self.i.selection.targets(self.i.document, &self.i.resolved.index);
        if self.i.selection.bones.is_empty() {
            let fits = |id: &ChainId| self.i.document.chains.get(id).is_some_and(|c| preset.parts.contains(&c.part));
            targets.chains.retain(fits);
        }
        targets
    }

    /// The chains whose name, or whose first bone's, matches: a word anywhere in it, or all of it with * and ?.
    pub fn chains_like(self, names: &str) -> Targets {
        let (pattern, skeleton) = (Pattern::new(names), &self.i.character.skeleton);
        let fits = |chain: &Chain| {
            let root = (chain.root().index() < skeleton.len()).then(|| skeleton.name(chain.root()));
            pattern.matches(&chain.name) || root.is_some_and(|root| pattern.matches(root))
        };
        let chains = self.i.document.chains.iter().filter(|(_, chain)| fits(chain));
        Targets { chains: chains.map(|(id, _)| *id).collect(), joints: Vec::new() }
    }

    /// What a preset would change, property by property; nothing changes yet.
    pub fn differences(self, preset: &Preset) -> Vec<Difference> {
        let targets = self.targets(preset);
        preset::differences(self.i.document, &self.i.character.skeleton, &targets, preset)
    }

    /// How the slowest tip that a preset reaches would creep home under it, and in which chain; nothing changes yet.
    pub fn creep(self, preset: &Preset) -> Option<(ChainId, Creep)> {
        let targets = self.targets(preset);
        let mut document = self.i.document.clone();
        let all: Vec<Property> = self.differences(preset).into_iter().map(|line| line.property).collect();
        document.apply(preset::edit(self.i.document, &self.i.character.skeleton, &targets, preset, &all)).ok()?;
        let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
        let creeps = chains.filter_map(|id| Some((*id, preset::creep(&document, &self.i.character.skeleton, *id)?)));
        creeps.max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds))
    }

    /// A preset on what it reaches, ready for [`super::Command::ApplyPreset`]; `take` are the properties that are
    /// taken, all for `None`. `japanese` says in which language the step names it.
    pub fn step(self, id: PresetId, preset: &Preset, take: Option<&[Property]>, japanese: bool) -> PresetStep {
        self.step_on(self.targets(preset), id, preset, take, japanese)
    }

    /// As [`Self::step`], on these chains and joints.
    pub fn step_on(
        &self,
        targets: Targets,
        id: PresetId,
        preset: &Preset,
        take: Option<&[Property]>,
        japanese: bool,
    ) -> PresetStep {
        let all = properties(preset);
        let edit = preset::edit(self.i.document, &self.i.character.skeleton, &targets, preset, take.unwrap_or(&all));
        let count = targets.joint_count(self.i.document);
        let label = Label::new("preset", count).name(preset.name.get(japanese)).told();
        PresetStep { id, name: preset.name.clone(), chains: targets.chains, edit, label }
    }

    /// The preset that the tuned chains have.
    pub fn worn(self) -> Worn {
        let mut worn = Worn::None;
        for (at, chain) in self.i.selected_chains().into_iter().enumerate() {
            let step = self.applied.on(chain, self.i.history);
            let has = step.map_or(Worn::None, |step| Worn::One {
                id: step.id.clone(),
                name: step.name.clone(),
                changed: !self.i.document.chains.get(&chain).is_some_and(|now| sways_as(now, &step.chains[&chain].1)),
            });
            worn = match (worn, has) {
                (_, has) if at == 0 => has,
                (Worn::None, Worn::None) => Worn::None,
                (Worn::One { id, name, changed }, Worn::One { id: other, changed: too, .. }) if id == other => {
                    Worn::One { id, name, changed: changed || too }
                }
                _ => Worn::Several,
            };
        }
        worn
    }

    /// Whether the first of the tuned chains feels as a preset says, in all terms that its solver can say.
    pub fn feels_like(self, preset: &Preset) -> bool {
        let Some(id) = self.i.active_chain().or_else(|| self.i.selected_chains().first().copied()) else {
            return false;
        };
        let feels = self.i.feels();
        let is_so = |term: &Term| {
            let Some(wanted) = preset.feel.get(*term) else { return true };
            let Some(found) = feels.term(id, *term) else { return true };
            let wanted = feels.reread(id, wanted, preset.along);
            let (low, high) = term.def().soft_range;
            let least = 0.1 * (high - low);
            PLACES.iter().all(|place| {
                let at = |a: &crate::document::Authored| a.base * a.curve.as_ref().map_or(1.0, |c| c.eval(*place));
                (at(&wanted) - at(&found)).abs() <= ALIKE * at(&wanted).abs().max(least)
            }) || feels.cannot(id, *term).is_some()
        };
        let tells = preset.feel.speed.is_some() && preset.feel.settle.is_some();
        tells && Term::ALL.iter().all(is_so)
    }

    /// What puts the tuned chains back for a look: as their preset left them where their numbers differ since, or as
    /// they were loaded. `None` where nothing differs.
    pub fn as_it_was(self) -> Option<(Was, Edit)> {
        let chains = self.i.selected_chains();
        let applied: Vec<&Step> = chains.iter().filter_map(|id| self.applied.on(*id, self.i.history)).collect();
        let left = self.back(chains.iter().copied(), |id| self.left(id));
        if let (Some(step), false) = (applied.first(), left.is_empty()) {
            return Some((Was::Applied(step.name.clone()), Edit::Batch(left)));
        }
        let loaded = self.back(chains.iter().copied(), |id| self.as_loaded(id));
        (!loaded.is_empty()).then_some((Was::Loaded, Edit::Batch(loaded)))
    }

    /// A chain as its preset left it, where the same solver moves it now.
    fn left(self, id: ChainId) -> Option<&'a Chain> {
        let (solver, chain) = self.applied.on(id, self.i.history)?.chains.get(&id)?;
        (*solver == self.i.document.solver_of(self.i.document.chains.get(&id)?)).then_some(chain)
    }

    /// A chain as it was loaded, where the same solver moves it now.
    fn as_loaded(self, id: ChainId) -> Option<&'a Chain> {
        let (loaded, now) = (self.i.loaded, self.i.document.chains.get(&id)?);
        loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == self.i.document.solver_of(now))
    }

    /// Whether [`Self::as_it_was`] has anything to show; cheap.
    pub fn was_otherwise(self) -> bool {
        self.i.selected_chains().into_iter().any(|id| {
            let Some(now) = self.i.document.chains.get(&id) else { return false };
            let differs = |was: &Chain| is_comparable(now, was) && !sways_as(now, was);
            [self.left(id), self.as_loaded(id)].into_iter().flatten().any(differs)
        })
    }

    /// What gives chains the numbers of then, where these differ and mean the same.
    fn back(self, ids: impl Iterator<Item = ChainId>, then: impl Fn(ChainId) -> Option<&'a Chain>) -> Vec<Edit> {
        let edit = |id: ChainId| {
            let (now, was) = (self.i.document.chains.get(&id)?, then(id)?);
            if !is_comparable(now, was) || sways_as(now, was) {
                return None;
            }
            let mut chain = now.clone();
            (chain.values, chain.along) = (was.values.clone(), was.along);
            for joint in &mut chain.joints {
                joint.own = own_of(was, joint.bone).cloned().unwrap_or_default();
            }
            Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
        };
        ids.filter_map(edit).collect()
    }
}

impl Session {
    /// Applies a preset and remembers who has it. A character that stands still hangs in the new balance at once, as it
    /// does in a preview.
    pub(super) fn apply_preset(&mut self, step: PresetStep) {
        let PresetStep { id, name, chains, edit, label } = step;
        // The way from the old balance to the new one would look like a property of the preset.
        if self.playback.stands_still() {
            self.preview(Some(edit.clone()));
        }
        if !self.apply(edit, label) {
            return;
        }
        let kept = |id: &ChainId| {
            let chain = self.document.chains.get(id)?;
            Some((*id, (self.document.solver_of(chain), chain.clone())))
        };
        let kept = chains.iter().filter_map(kept).collect();
        self.applied.forget(&self.history);
        self.applied.0.push(Step { id, name, state: self.history.current(), chains: kept });
    }
}

/// All that a preset says.
fn properties(preset: &Preset) -> Vec<Property> {
    let said = Term::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some());
    let mut all: Vec<Property> = said.flat_map(|term| [Property::Base(term), Property::Curve(term)]).collect();
    all.extend(preset.feel.radius.is_some().then_some(Property::Radius));
    all
}

/// Whether the numbers of two states of a chain stand in the same places: for the same bones, in whatever order.
fn is_comparable(now: &Chain, then: &Chain) -> bool {
    now.values.len() == then.values.len()
        && now.joints.len() == then.joints.len()
        && now.joints.iter().all(|joint| own_of(then, joint.bone).is_some())
}

/// Whether two states of a chain have the same numbers.
fn sways_as(now: &Chain, then: &Chain) -> bool {
    now.system == then.system
        && now.joints.len() == then.joints.len()
        && now.along == then.along
        && now.values == then.values
        && now.joints.iter().all(|joint| own_of(then, joint.bone) == Some(&joint.own))
}

/// The own values of a bone's joint.
fn own_of(chain: &Chain, bone: BoneId) -> Option<&BTreeMap<Row, f32>> {
    chain.position(bone).map(|at| &chain.joints[at].own)
}
