//! Presets of chains: targets, the applied preset, and A/B comparison.
//!
//! Applied presets are not part of the document. Each applied preset is stored with the history state after its
//! application, so that undo and redo apply to it. The presets themselves are arguments.

use super::Inspection;
use crate::document::names::NamePattern;
use crate::document::param_edits::EditTargets;
use crate::document::{Chain, ChainId, Edit, EditLabel, History};
use crate::feel::{preset, preset::LocalizedText, preset::Preset, preset::PresetDifference, preset::PresetProperty};
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::session::Session;
use crate::sim::{FeelParam, OverdampedReturn, SolverKind};
use std::collections::BTreeMap;

/// A smaller relative difference counts as the same feel.
const FEEL_TOLERANCE: f32 = 0.02;
/// Positions along a chain at which curves are compared.
const CURVE_SAMPLES: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PresetId {
    /// Whether the preset belongs to the user instead of being built in.
    pub is_custom: bool,
    /// [`Preset::key`].
    pub key: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PresetApplication {
    pub id: PresetId,
    pub name: LocalizedText,
    /// The chains that get the preset.
    pub chains: Vec<ChainId>,
    pub edit: Edit,
    pub label: EditLabel,
}

/// The preset of the tuned chains.
#[derive(Clone, Debug, PartialEq)]
pub enum AppliedPreset {
    None,
    Mixed,
    Same {
        id: PresetId,
        /// Name of the preset when it was applied.
        name: LocalizedText,
        /// Whether a value was changed after the preset was applied.
        changed: bool,
    },
}

/// The state that A/B compares with.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareBase {
    /// The state after a preset of this name.
    AfterPreset(LocalizedText),
    /// The loaded state.
    AsLoaded,
}

/// The applied presets since the character was opened, oldest first.
#[derive(Debug, Default)]
pub(in crate::session) struct PresetHistory(Vec<PresetRecord>);

#[derive(Debug)]
struct PresetRecord {
    id: PresetId,
    name: LocalizedText,
    /// The history state after the preset.
    state: u64,
    /// The chains after the preset, with their solver.
    chains: BTreeMap<ChainId, (SolverKind, Chain)>,
}

impl PresetHistory {
    /// The last preset of a chain that is not undone.
    fn last_on_chain(&self, chain: ChainId, history: &History) -> Option<&PresetRecord> {
        self.0.iter().rev().find(|step| step.chains.contains_key(&chain) && history.has_passed_state(step.state))
    }

    /// The stored chains, to update the ids of their bones.
    pub(in crate::session) fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        self.0.iter_mut().flat_map(|step| step.chains.values_mut().map(|(_, chain)| chain))
    }

    fn remove_unreachable(&mut self, history: &History) {
        self.0.retain(|step| history.can_reach_state(step.state));
    }
}

/// Presets of the tuned chains.
impl<'a> Inspection<'a> {
    /// The targets of a preset: the selected chains of all solvers; without selection, all chains of its parts.
    pub fn preset_targets(self, preset: &Preset) -> EditTargets {
        let mut targets = self.selection.targets(self.document, &self.resolved.joint_by_bone);
        if self.selection.bones.is_empty() {
            let fits = |id: &ChainId| self.document.chains.get(id).is_some_and(|c| preset.parts.contains(&c.part));
            targets.chains.retain(fits);
        }
        targets
    }

    /// The chains with a matching name or first bone. `names` is a part of the name, or a whole name with * and ?.
    pub fn chains_matching(self, names: &str) -> EditTargets {
        let (pattern, skeleton) = (NamePattern::new(names), &self.character.skeleton);
        let fits = |chain: &Chain| {
            let root = (chain.root().index() < skeleton.len()).then(|| skeleton.name(chain.root()));
            pattern.matches(&chain.name) || root.is_some_and(|root| pattern.matches(root))
        };
        let chains = self.document.chains.iter().filter(|(_, chain)| fits(chain));
        EditTargets { chains: chains.map(|(id, _)| *id).collect(), joints: Vec::new() }
    }

    /// The changes of a preset, by property.
    pub fn preset_differences(self, preset: &Preset) -> Vec<PresetDifference> {
        let targets = self.preset_targets(preset);
        preset::differences(self.document, &self.character.skeleton, &targets, preset)
    }

    /// The overdamped return of the slowest tip under a preset, and its chain.
    pub fn overdamped_return(self, preset: &Preset) -> Option<(ChainId, OverdampedReturn)> {
        let targets = self.preset_targets(preset);
        let mut document = self.document.clone();
        let all: Vec<PresetProperty> = self.preset_differences(preset).into_iter().map(|line| line.property).collect();
        document.apply(preset::preset_edit(self.document, &self.character.skeleton, &targets, preset, &all)).ok()?;
        let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
        let returns = chains
            .filter_map(|id| Some((*id, preset::visible_overdamped_return(&document, &self.character.skeleton, *id)?)));
        returns.max_by(|a, b| a.1.time_constant_seconds.total_cmp(&b.1.time_constant_seconds))
    }

    /// A preset on its targets, for [`crate::session::Command::ApplyPreset`]. `take` are the properties to apply,
    /// `None` for all properties. `japanese` selects the language of the label.
    pub fn preset_application(
        self,
        id: PresetId,
        preset: &Preset,
        take: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        self.preset_application_to(self.preset_targets(preset), id, preset, take, japanese)
    }

    /// Like [`Self::preset_application`], for these targets.
    pub fn preset_application_to(
        &self,
        targets: EditTargets,
        id: PresetId,
        preset: &Preset,
        take: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        let all = preset_properties(preset);
        let edit = preset::preset_edit(self.document, &self.character.skeleton, &targets, preset, take.unwrap_or(&all));
        let count = targets.joint_count(self.document);
        let label = EditLabel::new("preset", count).name(preset.name.get(japanese)).show_message();
        PresetApplication { id, name: preset.name.clone(), chains: targets.chains, edit, label }
    }

    /// The preset of the tuned chains.
    pub fn applied_preset(self) -> AppliedPreset {
        let mut applied = AppliedPreset::None;
        for (at, chain) in self.selected_chains().into_iter().enumerate() {
            let step = self.preset_history.last_on_chain(chain, self.history);
            let has = step.map_or(AppliedPreset::None, |step| AppliedPreset::Same {
                id: step.id.clone(),
                name: step.name.clone(),
                changed: !self
                    .document
                    .chains
                    .get(&chain)
                    .is_some_and(|now| has_same_values(now, &step.chains[&chain].1)),
            });
            applied = match (applied, has) {
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
        applied
    }

    /// Whether the first tuned chain matches a preset in all properties that its solver supports.
    pub fn matches_preset(self, preset: &Preset) -> bool {
        let Some(id) = self.active_chain().or_else(|| self.selected_chains().first().copied()) else {
            return false;
        };
        let feels = self.feel_reader();
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
        let is_specific = preset.feel.speed.is_some() && preset.feel.settling.is_some();
        is_specific && FeelParam::ALL.iter().all(is_so)
    }

    /// The edit that restores the tuned chains for a comparison. If values changed after the preset, the edit restores
    /// the state after the preset, else the loaded state. `None` if nothing differs.
    pub fn compare_base(self) -> Option<(CompareBase, Edit)> {
        let chains = self.selected_chains();
        let applied: Vec<&PresetRecord> =
            chains.iter().filter_map(|id| self.preset_history.last_on_chain(*id, self.history)).collect();
        let left = self.restore_edits(chains.iter().copied(), |id| self.chain_after_preset(id));
        if let (Some(step), false) = (applied.first(), left.is_empty()) {
            return Some((CompareBase::AfterPreset(step.name.clone()), Edit::Batch(left)));
        }
        let loaded = self.restore_edits(chains.iter().copied(), |id| self.loaded_chain(id));
        (!loaded.is_empty()).then_some((CompareBase::AsLoaded, Edit::Batch(loaded)))
    }

    /// A chain after its preset, if the solver is still the same.
    fn chain_after_preset(self, id: ChainId) -> Option<&'a Chain> {
        let (solver, chain) = self.preset_history.last_on_chain(id, self.history)?.chains.get(&id)?;
        (*solver == self.document.solver_of(self.document.chains.get(&id)?)).then_some(chain)
    }

    /// A loaded chain, if the solver is still the same.
    fn loaded_chain(self, id: ChainId) -> Option<&'a Chain> {
        let (loaded, now) = (self.loaded, self.document.chains.get(&id)?);
        loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == self.document.solver_of(now))
    }

    /// Whether [`Self::compare_base`] has a result; cheap.
    pub fn has_compare_base(self) -> bool {
        self.selected_chains().into_iter().any(|id| {
            let Some(now) = self.document.chains.get(&id) else { return false };
            let differs = |was: &Chain| has_same_joints(now, was) && !has_same_values(now, was);
            [self.chain_after_preset(id), self.loaded_chain(id)].into_iter().flatten().any(differs)
        })
    }

    /// The edits that restore the values of chains if the values differ and have the same meaning.
    fn restore_edits(
        self,
        ids: impl Iterator<Item = ChainId>,
        then: impl Fn(ChainId) -> Option<&'a Chain>,
    ) -> Vec<Edit> {
        let edit = |id: ChainId| {
            let (now, was) = (self.document.chains.get(&id)?, then(id)?);
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
    /// Applies a preset and records it. A still character settles at once, as in a preview.
    pub(in crate::session) fn apply_preset(&mut self, step: PresetApplication) {
        let PresetApplication { id, name, chains, edit, label } = step;
        // The transition to the new balance would look like a property of the preset.
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

/// The properties that a preset sets.
fn preset_properties(preset: &Preset) -> Vec<PresetProperty> {
    let params = FeelParam::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some());
    let mut all: Vec<PresetProperty> =
        params.flat_map(|term| [PresetProperty::Base(term), PresetProperty::Curve(term)]).collect();
    all.extend(preset.feel.radius.is_some().then_some(PresetProperty::Radius));
    all
}

/// Whether two states of a chain have the same bones, in any order.
fn has_same_joints(now: &Chain, then: &Chain) -> bool {
    now.values.len() == then.values.len()
        && now.joints.len() == then.joints.len()
        && now.joints.iter().all(|joint| joint_own_values(then, joint.bone).is_some())
}

/// Whether two states of a chain have the same values.
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
