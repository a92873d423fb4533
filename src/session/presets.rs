//! Presets on chains: what one reaches, which one a chain has, and the feel as it was.
//!
//! Which preset was applied is no part of the document: it is remembered with the state that it led to, so that undo
//! takes it back and redo brings it again. The presets themselves are handed in.

use super::Session;
use super::inspection::Inspection;
use crate::document::names::NamePattern;
use crate::document::param_edits::EditTargets;
use crate::document::{Chain, ChainId, Edit, EditLabel, History};
use crate::feel::{preset, preset::LocalizedText, preset::Preset, preset::PresetDifference, preset::PresetProperty};
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::sim::{FeelParam, OverdampedReturn, SolverKind};
use std::collections::BTreeMap;

/// Speeds, dampings and the like that differ by less than this share feel alike.
const FEEL_TOLERANCE: f32 = 0.02;
/// Places along a chain at which curves are compared.
const CURVE_SAMPLES: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Names a preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PresetId {
    /// One of the artist's own rather than built in.
    pub is_custom: bool,
    /// [`Preset::key`].
    pub key: String,
}

/// A preset on its way to chains.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetApplication {
    /// Which.
    pub id: PresetId,
    /// What it is called.
    pub name: LocalizedText,
    /// The chains that have it from then on.
    pub chains: Vec<ChainId>,
    /// What it changes.
    pub edit: Edit,
    /// What the step is called.
    pub label: EditLabel,
}

/// The preset that the tuned chains have.
#[derive(Clone, Debug, PartialEq)]
pub enum AppliedPreset {
    /// None was applied.
    None,
    /// They differ.
    Mixed,
    /// The same one.
    Same {
        /// Which.
        id: PresetId,
        /// What it was called when it was applied.
        name: LocalizedText,
        /// Some number of theirs is another since.
        changed: bool,
    },
}

/// What the other side of A/B shows.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareBase {
    /// As a preset of this name left it.
    AfterPreset(LocalizedText),
    /// As the file was loaded.
    AsLoaded,
}

/// What was applied since the character was opened, oldest first.
#[derive(Debug, Default)]
pub(super) struct PresetHistory(Vec<PresetRecord>);

#[derive(Debug)]
struct PresetRecord {
    id: PresetId,
    name: LocalizedText,
    /// The state of the document that it led to.
    state: u64,
    /// The chains as it left them, and what moved them then.
    chains: BTreeMap<ChainId, (SolverKind, Chain)>,
}

impl PresetHistory {
    /// The last preset on a chain that no undo took back.
    fn last_on_chain(&self, chain: ChainId, history: &History) -> Option<&PresetRecord> {
        self.0.iter().rev().find(|step| step.chains.contains_key(&chain) && history.has_passed_state(step.state))
    }

    /// The chains as presets left them, for a character whose bones have other ids now.
    pub(super) fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        self.0.iter_mut().flat_map(|step| step.chains.values_mut().map(|(_, chain)| chain))
    }

    fn remove_unreachable(&mut self, history: &History) {
        self.0.retain(|step| history.can_reach_state(step.state));
    }
}

/// Presets on the tuned chains.
#[derive(Clone, Copy, Debug)]
pub struct PresetInspection<'a> {
    inspection: Inspection<'a>,
    applied: &'a PresetHistory,
}

impl<'a> PresetInspection<'a> {
    pub(super) fn new(i: Inspection<'a>, applied: &'a PresetHistory) -> Self {
        Self { inspection: i, applied }
    }

    /// What a preset reaches: what is selected, whatever moves it; with nothing selected, all chains of its parts.
    pub fn targets(self, preset: &Preset) -> EditTargets {
        let mut targets =
            self.inspection.selection.targets(self.inspection.document, &self.inspection.resolved.joint_by_bone);
        if self.inspection.selection.bones.is_empty() {
            let fits =
                |id: &ChainId| self.inspection.document.chains.get(id).is_some_and(|c| preset.parts.contains(&c.part));
            targets.chains.retain(fits);
        }
        targets
    }

    /// The chains whose name, or whose first bone's, matches: a word anywhere in it, or all of it with * and ?.
    pub fn chains_matching(self, names: &str) -> EditTargets {
        let (pattern, skeleton) = (NamePattern::new(names), &self.inspection.character.skeleton);
        let fits = |chain: &Chain| {
            let root = (chain.root().index() < skeleton.len()).then(|| skeleton.name(chain.root()));
            pattern.matches(&chain.name) || root.is_some_and(|root| pattern.matches(root))
        };
        let chains = self.inspection.document.chains.iter().filter(|(_, chain)| fits(chain));
        EditTargets { chains: chains.map(|(id, _)| *id).collect(), joints: Vec::new() }
    }

    /// What a preset would change, property by property; nothing changes yet.
    pub fn differences(self, preset: &Preset) -> Vec<PresetDifference> {
        let targets = self.targets(preset);
        preset::differences(self.inspection.document, &self.inspection.character.skeleton, &targets, preset)
    }

    /// How the slowest tip that a preset reaches would creep home under it, and in which chain; nothing changes yet.
    pub fn overdamped_return(self, preset: &Preset) -> Option<(ChainId, OverdampedReturn)> {
        let targets = self.targets(preset);
        let mut document = self.inspection.document.clone();
        let all: Vec<PresetProperty> = self.differences(preset).into_iter().map(|line| line.property).collect();
        document
            .apply(preset::preset_edit(
                self.inspection.document,
                &self.inspection.character.skeleton,
                &targets,
                preset,
                &all,
            ))
            .ok()?;
        let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
        let creeps = chains.filter_map(|id| {
            Some((*id, preset::visible_overdamped_return(&document, &self.inspection.character.skeleton, *id)?))
        });
        creeps.max_by(|a, b| a.1.time_constant_seconds.total_cmp(&b.1.time_constant_seconds))
    }

    /// A preset on what it reaches, ready for [`super::Command::ApplyPreset`]; `take` are the properties that are
    /// taken, all for `None`. `japanese` says in which language the step names it.
    pub fn application(
        self,
        id: PresetId,
        preset: &Preset,
        take: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        self.application_to(self.targets(preset), id, preset, take, japanese)
    }

    /// As [`Self::application`], on these chains and joints.
    pub fn application_to(
        &self,
        targets: EditTargets,
        id: PresetId,
        preset: &Preset,
        take: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        let all = preset_properties(preset);
        let edit = preset::preset_edit(
            self.inspection.document,
            &self.inspection.character.skeleton,
            &targets,
            preset,
            take.unwrap_or(&all),
        );
        let count = targets.joint_count(self.inspection.document);
        let label = EditLabel::new("preset", count).name(preset.name.get(japanese)).show_message();
        PresetApplication { id, name: preset.name.clone(), chains: targets.chains, edit, label }
    }

    /// The preset that the tuned chains have.
    pub fn applied_preset(self) -> AppliedPreset {
        let mut worn = AppliedPreset::None;
        for (at, chain) in self.inspection.selected_chains().into_iter().enumerate() {
            let step = self.applied.last_on_chain(chain, self.inspection.history);
            let has = step.map_or(AppliedPreset::None, |step| AppliedPreset::Same {
                id: step.id.clone(),
                name: step.name.clone(),
                changed: !self
                    .inspection
                    .document
                    .chains
                    .get(&chain)
                    .is_some_and(|now| has_same_values(now, &step.chains[&chain].1)),
            });
            worn = match (worn, has) {
                (_, has) if at == 0 => has,
                (AppliedPreset::None, AppliedPreset::None) => AppliedPreset::None,
                (AppliedPreset::Same { id, name, changed }, AppliedPreset::Same { id: other, changed: too, .. })
                    if id == other =>
                {
                    AppliedPreset::Same { id, name, changed: changed || too }
                }
                _ => AppliedPreset::Mixed,
            };
        }
        worn
    }

    /// Whether the first of the tuned chains feels as a preset says, in all terms that its solver can say.
    pub fn matches_preset(self, preset: &Preset) -> bool {
        let Some(id) = self.inspection.active_chain().or_else(|| self.inspection.selected_chains().first().copied())
        else {
            return false;
        };
        let feels = self.inspection.feel_reader();
        let is_so = |term: &FeelParam| {
            let Some(wanted) = preset.feel.get(*term) else { return true };
            let Some(found) = feels.chain_value(id, *term) else { return true };
            let wanted = feels.convert_domain(id, wanted, preset.curve_domain);
            let (low, high) = term.def().soft_range;
            let least = 0.1 * (high - low);
            CURVE_SAMPLES.iter().all(|place| {
                let at = |a: &crate::document::ChainValue| a.base * a.curve.as_ref().map_or(1.0, |c| c.eval(*place));
                (at(&wanted) - at(&found)).abs() <= FEEL_TOLERANCE * at(&wanted).abs().max(least)
            }) || feels.unavailable_reason(id, *term).is_some()
        };
        let tells = preset.feel.speed.is_some() && preset.feel.settling.is_some();
        tells && FeelParam::ALL.iter().all(is_so)
    }

    /// What puts the tuned chains back for a look: as their preset left them where their numbers differ since, or as
    /// they were loaded. `None` where nothing differs.
    pub fn compare_base(self) -> Option<(CompareBase, Edit)> {
        let chains = self.inspection.selected_chains();
        let applied: Vec<&PresetRecord> =
            chains.iter().filter_map(|id| self.applied.last_on_chain(*id, self.inspection.history)).collect();
        let left = self.restore_edits(chains.iter().copied(), |id| self.chain_after_preset(id));
        if let (Some(step), false) = (applied.first(), left.is_empty()) {
            return Some((CompareBase::AfterPreset(step.name.clone()), Edit::Batch(left)));
        }
        let loaded = self.restore_edits(chains.iter().copied(), |id| self.loaded_chain(id));
        (!loaded.is_empty()).then_some((CompareBase::AsLoaded, Edit::Batch(loaded)))
    }

    /// A chain as its preset left it, where the same solver moves it now.
    fn chain_after_preset(self, id: ChainId) -> Option<&'a Chain> {
        let (solver, chain) = self.applied.last_on_chain(id, self.inspection.history)?.chains.get(&id)?;
        (*solver == self.inspection.document.solver_of(self.inspection.document.chains.get(&id)?)).then_some(chain)
    }

    /// A chain as it was loaded, where the same solver moves it now.
    fn loaded_chain(self, id: ChainId) -> Option<&'a Chain> {
        let (loaded, now) = (self.inspection.loaded, self.inspection.document.chains.get(&id)?);
        loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == self.inspection.document.solver_of(now))
    }

    /// Whether [`Self::compare_base`] has anything to show; cheap.
    pub fn has_compare_base(self) -> bool {
        self.inspection.selected_chains().into_iter().any(|id| {
            let Some(now) = self.inspection.document.chains.get(&id) else { return false };
            let differs = |was: &Chain| has_same_joints(now, was) && !has_same_values(now, was);
            [self.chain_after_preset(id), self.loaded_chain(id)].into_iter().flatten().any(differs)
        })
    }

    /// What gives chains the numbers of then, where these differ and mean the same.
    fn restore_edits(
        self,
        ids: impl Iterator<Item = ChainId>,
        then: impl Fn(ChainId) -> Option<&'a Chain>,
    ) -> Vec<Edit> {
        let edit = |id: ChainId| {
            let (now, was) = (self.inspection.document.chains.get(&id)?, then(id)?);
            if !has_same_joints(now, was) || has_same_values(now, was) {
                return None;
            }
            let mut chain = now.clone();
            (chain.values, chain.curve_domain) = (was.values.clone(), was.curve_domain);
            for joint in &mut chain.joints {
                joint.overrides = joint_own_values(was, joint.bone).cloned().unwrap_or_default();
            }
            Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
        };
        ids.filter_map(edit).collect()
    }
}

impl Session {
    /// Applies a preset and remembers who has it. A character that stands still hangs in the new balance at once, as it
    /// does in a preview.
    pub(super) fn apply_preset(&mut self, step: PresetApplication) {
        let PresetApplication { id, name, chains, edit, label } = step;
        // The way from the old balance to the new one would look like a property of the preset.
        if self.playback.is_input_still() {
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
        self.preset_history.remove_unreachable(&self.history);
        self.preset_history.0.push(PresetRecord { id, name, state: self.history.current_state(), chains: kept });
    }
}

/// All that a preset says.
fn preset_properties(preset: &Preset) -> Vec<PresetProperty> {
    let said = FeelParam::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some());
    let mut all: Vec<PresetProperty> =
        said.flat_map(|term| [PresetProperty::Base(term), PresetProperty::Curve(term)]).collect();
    all.extend(preset.feel.radius.is_some().then_some(PresetProperty::Radius));
    all
}

/// Whether the numbers of two states of a chain stand in the same places: for the same bones, in whatever order.
fn has_same_joints(now: &Chain, then: &Chain) -> bool {
    now.values.len() == then.values.len()
        && now.joints.len() == then.joints.len()
        && now.joints.iter().all(|joint| joint_own_values(then, joint.bone).is_some())
}

/// Whether two states of a chain have the same numbers.
fn has_same_values(now: &Chain, then: &Chain) -> bool {
    now.system == then.system
        && now.joints.len() == then.joints.len()
        && now.curve_domain == then.curve_domain
        && now.values == then.values
        && now.joints.iter().all(|joint| joint_own_values(then, joint.bone) == Some(&joint.overrides))
}

/// The own values of a bone's joint.
fn joint_own_values(chain: &Chain, bone: BoneId) -> Option<&BTreeMap<ParamId, f32>> {
    chain.joint_index(bone).map(|at| &chain.joints[at].overrides)
}
