//! Presets of chains: targets, the applied preset, and the A/B comparison.
//!
//! A document does not store which presets were applied. Each applied preset is recorded with the history state after
//! it, so undo and redo also affect the record. The presets themselves are passed as arguments.

use super::Inspection;
use crate::Session;
use std::collections::BTreeMap;
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{Chain, ChainId, Edit, EditLabel, History};
use yuremono_model::feel::{
    preset, preset::LocalizedText, preset::Preset, preset::PresetDifference, preset::PresetProperty,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{FeelParam, OverdampedReturn, SolverKind};

/// Two feels count as equal if their relative difference is smaller than this.
const FEEL_TOLERANCE: f32 = 0.02;
/// Positions along a chain at which two curves are compared.
const CURVE_SAMPLES: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PresetId {
    /// Whether the preset belongs to the user; otherwise it is built in.
    pub is_custom: bool,
    /// [`Preset::key`].
    pub key: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PresetApplication {
    pub id: PresetId,
    pub name: LocalizedText,
    /// The chains that receive the preset.
    pub chains: Vec<ChainId>,
    pub edit: Edit,
    pub label: EditLabel,
}

/// The preset that is applied to the tuned chains.
#[derive(Clone, Debug, PartialEq)]
pub enum AppliedPreset {
    None,
    Mixed,
    Same {
        id: PresetId,
        /// Name of the preset when it was applied.
        name: LocalizedText,
        /// Whether a value has changed since the preset was applied.
        changed: bool,
    },
}

/// The state with which the A/B comparison compares.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareBase {
    /// The state right after the preset with this name was applied.
    AfterPreset(LocalizedText),
    /// The state when the character was loaded.
    AsLoaded,
}

/// The presets applied since the character was opened, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PresetHistory(Vec<PresetRecord>);

#[derive(Debug)]
struct PresetRecord {
    id: PresetId,
    name: LocalizedText,
    /// The history state after the preset was applied.
    state: u64,
    /// The chains after the preset was applied, each with its solver.
    chains: BTreeMap<ChainId, (SolverKind, Chain)>,
}

impl PresetHistory {
    /// Returns the last preset applied to a chain; skips undone presets.
    fn last_on_chain(&self, chain: ChainId, history: &History) -> Option<&PresetRecord> {
        self.0.iter().rev().find(|step| step.chains.contains_key(&chain) && history.has_passed_state(step.state))
    }

    /// Iterates over the stored chains, so that the caller can update bone ids.
    pub(crate) fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        self.0.iter_mut().flat_map(|step| step.chains.values_mut().map(|(_, chain)| chain))
    }

    fn remove_unreachable(&mut self, history: &History) {
        self.0.retain(|step| history.can_reach_state(step.state));
    }
}

/// Presets for the tuned chains.
impl<'a> Inspection<'a> {
    /// Returns the targets of a preset: the selected chains of all solvers; if nothing is selected, all chains of the
    /// preset's parts.
    pub fn preset_targets(self, preset: &Preset) -> EditTargets {
        let mut targets = self.selection.targets(self.document, &self.resolved.joint_by_bone);
        if self.selection.bones.is_empty() {
            let fits = |id: &ChainId| self.document.chains.get(id).is_some_and(|c| preset.parts.contains(&c.part));
            targets.chains.retain(fits);
        }
        targets
    }

    /// Returns the chains whose name or first bone matches. `names` is a substring of the name, or a whole name with
    /// the wildcards * and ?.
    pub fn chains_matching(self, names: &str) -> EditTargets {
        let (pattern, skeleton) = (NamePattern::new(names), &self.character.skeleton);
        let fits = |chain: &Chain| {
            let root = (chain.root().index() < skeleton.len()).then(|| skeleton.name(chain.root()));
            pattern.matches(&chain.name) || root.is_some_and(|root| pattern.matches(root))
        };
        let chains = self.document.chains.iter().filter(|(_, chain)| fits(chain));
        EditTargets { chains: chains.map(|(id, _)| *id).collect(), joints: Vec::new() }
    }

    /// Returns what a preset changes, by property.
    pub fn preset_differences(self, preset: &Preset) -> Vec<PresetDifference> {
        let targets = self.preset_targets(preset);
        preset::differences(self.document, &self.character.skeleton, &targets, preset)
    }

    /// Returns the slowest overdamped return of a tip under a preset, with the tip's chain.
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

    /// Creates the edit that applies a preset to its targets, for [`crate::Command::ApplyPreset`]. `properties`
    /// lists the properties to apply, `None` for all properties. `japanese` selects the language of the label.
    pub fn preset_application(
        self,
        id: PresetId,
        preset: &Preset,
        properties: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        self.preset_application_to(self.preset_targets(preset), id, preset, properties, japanese)
    }

    /// Works like [`Self::preset_application`] for given targets.
    pub fn preset_application_to(
        &self,
        targets: EditTargets,
        id: PresetId,
        preset: &Preset,
        properties: Option<&[PresetProperty]>,
        japanese: bool,
    ) -> PresetApplication {
        let all = preset_properties(preset);
        let edit =
            preset::preset_edit(self.document, &self.character.skeleton, &targets, preset, properties.unwrap_or(&all));
        let count = targets.joint_count(self.document);
        let label = EditLabel::new(message!("{name} on {n:joint|joints}", name = preset.name.get(japanese), n = count))
            .with_message(message!("{name} applied to {n:joint|joints}", name = preset.name.get(japanese), n = count));
        PresetApplication { id, name: preset.name.clone(), chains: targets.chains, edit, label }
    }

    /// Returns the preset that is applied to the tuned chains.
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

    /// Returns whether the first tuned chain matches a preset in all properties that its solver supports.
    pub fn matches_preset(self, preset: &Preset) -> bool {
        let Some(id) = self.active_chain().or_else(|| self.selected_chains().first().copied()) else {
            return false;
        };
        let feels = self.feel_context();
        let is_so = |term: &FeelParam| {
            let Some(wanted) = preset.feel.get(*term) else { return true };
            let Some(found) = feels.chain_value(id, *term) else { return true };
            let wanted = feels.convert_domain(id, wanted, preset.curve_domain);
            let (low, high) = term.def().soft_range;
            let least = 0.1 * (high - low);
            CURVE_SAMPLES.iter().all(|place| {
                let at = |a: &yuremono_model::document::ChainValue| a.along(*place);
                (at(&wanted) - at(&found)).abs() <= FEEL_TOLERANCE * at(&wanted).abs().max(least)
            }) || feels.unavailable_reason(id, *term).is_some()
        };
        let is_specific = preset.feel.speed.is_some() && preset.feel.settling.is_some();
        is_specific && FeelParam::ALL.iter().all(is_so)
    }

    /// Returns the edit that restores the tuned chains for a comparison. The edit restores the state after the last
    /// preset if values have changed since, else the loaded state. `None` if nothing differs.
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

    /// Returns a chain as the last preset left it, if the solver is still the same.
    fn chain_after_preset(self, id: ChainId) -> Option<&'a Chain> {
        let (solver, chain) = self.preset_history.last_on_chain(id, self.history)?.chains.get(&id)?;
        (*solver == self.document.solver_of(self.document.chains.get(&id)?)).then_some(chain)
    }

    /// Returns a loaded chain, if the solver is still the same.
    fn loaded_chain(self, id: ChainId) -> Option<&'a Chain> {
        let (loaded, now) = (self.loaded, self.document.chains.get(&id)?);
        loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == self.document.solver_of(now))
    }

    /// Returns edits that restore the values of chains, if the values differ and still have the same meaning.
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
    /// Applies a preset and records it. If the input pose is still, the character settles immediately, as in a preview.
    pub(crate) fn apply_preset(&mut self, step: PresetApplication) {
        let PresetApplication { id, name, chains, edit, label } = step;
        // A visible transition to the new balance would look like an effect of the preset.
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

/// Returns the properties that a preset sets.
fn preset_properties(preset: &Preset) -> Vec<PresetProperty> {
    let params = FeelParam::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some());
    let mut all: Vec<PresetProperty> =
        params.flat_map(|term| [PresetProperty::Base(term), PresetProperty::Curve(term)]).collect();
    all.extend(preset.feel.radius.is_some().then_some(PresetProperty::Radius));
    all
}

/// Returns whether two states of a chain have the same joints, in any order.
fn has_same_joints(now: &Chain, then: &Chain) -> bool {
    now.values.len() == then.values.len()
        && now.joints.len() == then.joints.len()
        && now.joints.iter().all(|joint| joint_own_values(then, joint.bone).is_some())
}

/// Returns whether two states of a chain have the same values.
fn has_same_values(now: &Chain, then: &Chain) -> bool {
    now.system == then.system
        && now.joints.len() == then.joints.len()
        && now.curve_domain == then.curve_domain
        && now.values == then.values
        && now.joints.iter().all(|joint| joint_own_values(then, joint.bone) == Some(&joint.overrides))
}

/// Returns the values with which a bone's joint overrides the chain.
fn joint_own_values(chain: &Chain, bone: BoneId) -> Option<&BTreeMap<ParamId, f32>> {
    chain.joint_index(bone).map(|at| &chain.joints[at].overrides)
}
