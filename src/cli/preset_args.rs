//! `--preset`: applies presets to the chains of a character, as a click on a preset card in the window does.

use super::load::apply_edit;
use super::output::{RunReport, command_failure, failure, file_failure};
use crate::tr;
use crate::ui::kit::i18n::{self, Lang};
use std::path::Path;
use yuremono_format::{builtin_presets, open, preset_folder};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainPart, Document, groups};
use yuremono_model::feel::{preset, preset::Preset, preset::UnreachedTarget, preset::unreached_targets};
use yuremono_session::{PresetId, Session};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// Presets and the chains that they are applied to.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct PresetArgs {
    /// Apply a preset of `yuremono presets` or a preset file (.preset.json) to all chains of its body parts. After =, only to
    /// chains whose name or first bone matches: a word within the name, or the whole name with * and ?, as in
    /// `twin_tail_airy=*HairTwin*`. Can be given several times; the last preset wins where chains overlap.
    #[arg(long = "preset", value_name = "PRESET[=CHAINS]")]
    presets: Vec<String>,
}

/// A preset that the command line requests.
#[derive(Debug)]
pub(super) struct RequestedPreset {
    id: PresetId,
    preset: Preset,
    /// Pattern for chain names. `None` selects all chains of the preset's parts.
    chains: Option<String>,
}

impl PresetArgs {
    /// Finds the requested presets in the order of the command line. A user preset replaces a built-in preset with the
    /// same key.
    pub(super) fn resolve(&self, report: &mut RunReport) -> anyhow::Result<Vec<RequestedPreset>> {
        let mut user_presets = None;
        self.presets.iter().map(|arg| find_preset(arg, &mut user_presets, report)).collect()
    }
}

/// Finds a preset. `user_presets` is filled when a key is looked up for the first time.
fn find_preset(
    arg: &str,
    user_presets: &mut Option<Vec<Preset>>,
    report: &mut RunReport,
) -> anyhow::Result<RequestedPreset> {
    let (name, chains) = match arg.rsplit_once('=') {
        Some((name, chains)) if !Path::new(arg).is_file() => (name, Some(chains.to_owned())),
        _ => (arg, None),
    };
    if chains.as_deref().is_some_and(|chains| chains.trim().is_empty()) {
        return Err(failure(message!("--preset {preset}: expected names of chains after =", preset = excerpt(arg))));
    }
    if name.to_ascii_lowercase().ends_with(".json") || name.contains(['/', '\\']) {
        let (preset, diagnostics) = open::preset(Path::new(name)).map_err(command_failure)?;
        report.add_diagnostics(&diagnostics);
        let id = PresetId { is_custom: true, key: preset.key.clone() };
        return Ok(RequestedPreset { id, preset, chains });
    }
    let user_presets = user_presets.get_or_insert_with(|| {
        let (presets, diagnostics) = report.preset_folder().map(preset_folder::read).unwrap_or_default();
        report.add_diagnostics(&diagnostics);
        presets
    });
    let fold = |key: &str| key.to_lowercase().replace('-', "_");
    let find = |list: &[Preset]| {
        let exact = list.iter().find(|preset| preset.key == name);
        exact.or_else(|| list.iter().find(|preset| fold(&preset.key) == fold(name))).cloned()
    };
    let (own, built_in) = (find(user_presets), find(builtin_presets::builtin_presets()));
    if let (Some(own), Some(_)) = (&own, &built_in) {
        let place = Location::file(format!("{}{}", own.key, preset_folder::FILE_SUFFIX));
        let message = message!("your own preset is used instead of the built-in preset with the same key");
        report.add_diagnostics(&[Diagnostic::info(place, message)]);
    }
    let is_custom = own.is_some();
    let preset = own.or(built_in).ok_or_else(|| {
        let known = builtin_presets::builtin_presets().iter().chain(&*user_presets);
        let known = known.map(|preset| excerpt(&preset.key)).collect::<Vec<_>>().join(", ");
        failure(message!("there is no preset \"{name}\"; there are {known}", name = excerpt(name), known))
    })?;
    Ok(RequestedPreset { id: PresetId { is_custom, key: preset.key.clone() }, preset, chains })
}

/// Applies presets to the chains of a session, and reports for each chain what the solver does not support. Fails if a
/// preset matches no chain of `file`.
pub(super) fn apply_presets(
    presets: &[RequestedPreset],
    session: &mut Session,
    file: &str,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    for requested in presets {
        let targets = requested.targets(session);
        if targets.is_empty() {
            return Err(file_failure(file, requested.no_target_message(session.document(), report.lang())));
        }
        let chains = targets.chains.clone();
        let step =
            session.inspection().preset_application_to(targets, requested.id.clone(), &requested.preset, None, false);
        apply_edit(session, step.edit, step.label)?;
        let (mut losses, mut slow) = (Vec::new(), Vec::new());
        for id in chains {
            losses.extend(requested.unapplied_findings(session, id, file, report.lang()));
            slow.extend(requested.overdamped_return_finding(session, id, file, report.lang()));
        }
        report.add_losses(&losses);
        report.add_diagnostics(&slow);
    }
    Ok(())
}

impl RequestedPreset {
    fn targets(&self, session: &Session) -> EditTargets {
        let Some(names) = &self.chains else { return session.inspection().preset_targets(&self.preset) };
        session.inspection().chains_matching(names)
    }

    /// Returns why the preset matches no chain.
    fn no_target_message(&self, document: &Document, lang: Lang) -> MessageText {
        let preset = excerpt(&self.preset.key);
        if document.chains.is_empty() {
            return message!("preset \"{preset}\" matches no chain: there are no chains", preset);
        }
        if let Some(names) = &self.chains {
            let known = document.chains.values().map(|chain| excerpt(&chain.name)).collect::<Vec<_>>().join(", ");
            let names = excerpt(names);
            return message!(
                "preset \"{preset}\" matches no chain: no name is like \"{names}\"; there are {known}",
                preset,
                names,
                known
            );
        }
        let name = |part: &ChainPart| i18n::part_name(lang, *part).to_lowercase();
        let chains = |part: &ChainPart| document.chains.values().filter(|chain| chain.part == *part).count();
        let listed = |part: &ChainPart| {
            let chains = message!("{n:chain|chains}", n = chains(part));
            format!("{} ({})", name(part), lang.tr(&chains))
        };
        let present = ChainPart::ALL.iter().filter(|part| chains(part) > 0);
        message!(
            "preset \"{preset}\" is for {parts}; there are only {present}",
            preset,
            parts = self.preset.parts.iter().map(name).collect::<Vec<_>>().join(", "),
            present = present.map(listed).collect::<Vec<_>>().join(", ")
        )
    }

    /// Reports the properties of the preset that the chain still does not have after the preset was applied.
    fn unapplied_findings(&self, session: &Session, id: ChainId, file: &str, lang: Lang) -> Vec<Diagnostic> {
        let document = session.document();
        let Some(chain) = document.chains.get(&id) else { return Vec::new() };
        let solver = document.solver_of(chain);
        let terms = FeelParam::ALL.into_iter().filter_map(|term| self.preset.feel.get(term));
        let has_curve = terms.chain(&self.preset.feel.radius).any(|value| value.curve.is_some());
        let is_averaged = has_curve && groups::has_values_per_chain(document.system_of(chain));
        let limit_text = |value: String| {
            if is_averaged {
                tr!(
                    lang,
                    "Ends at {value} here: VRM 0.x stores one value per chain, so all joints get the greatest value of \
                     the curve.",
                    value
                )
            } else {
                tr!(lang, "Ends at {value} here: the values of the solver allow no more.", value)
            }
        };
        let diagnostic = |miss: UnreachedTarget| {
            let value = |value: f32| i18n::property_value_text(lang, miss.property, value);
            let reason = if let Some(reason) = miss.unavailable {
                let reason = i18n::property_unsupported_reason(lang, solver, miss.property, reason);
                without_full_stop(&reason).into()
            } else {
                let limit = limit_text(value(miss.actual));
                let (value, limit) = (value(miss.target), without_full_stop(&limit));
                message!("the preset sets {value}. {limit}", value, limit)
            };
            let message = message!(
                "chain \"{chain}\", preset \"{preset}\", {property}: {reason}",
                chain = excerpt(&chain.name),
                preset = excerpt(&self.preset.key),
                property = i18n::property_name(lang, miss.property),
                reason
            );
            Diagnostic::warning(Location::file(file), message)
        };
        // A difference that the text does not show is none that an artist sees.
        let is_visible = |miss: &UnreachedTarget| {
            let text = |value| i18n::property_value_text(lang, miss.property, value);
            miss.unavailable.is_some() || text(miss.target) != text(miss.actual)
        };
        unreached_targets(document, &session.character().skeleton, id, &self.preset)
            .into_iter()
            .filter(is_visible)
            .map(diagnostic)
            .collect()
    }

    /// Reports if the slowest tip of a chain returns visibly slowly.
    fn overdamped_return_finding(&self, session: &Session, id: ChainId, file: &str, lang: Lang) -> Option<Diagnostic> {
        let document = session.document();
        let chain = document.chains.get(&id)?;
        let slow = preset::visible_overdamped_return(document, &session.character().skeleton, id)?;
        let reason = i18n::overdamped_return_text(lang, document.solver_of(chain), &slow);
        let message = message!(
            "chain \"{chain}\", preset \"{preset}\": {reason}",
            chain = excerpt(&chain.name),
            preset = excerpt(&self.preset.key),
            reason = without_full_stop(&reason)
        );
        Some(Diagnostic::info(Location::file(file), message))
    }
}

fn without_full_stop(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '。'])
}
