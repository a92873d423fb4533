//! `--preset`: feels with names on the chains of a character, as a click on a card lays them there.

use super::apply_edit::apply_edit;
use super::output::{RunReport, command_failure, count_noun};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::document::param_edits::EditTargets;
use crate::document::{ChainId, ChainPart, Document};
use crate::feel::{preset, preset::Preset, preset::UnreachedTarget, preset::unreached_targets};
use crate::format::{builtin_presets, open, preset_folder};
use crate::session::{PresetId, Session};
use crate::ui::kit::i18n::{self, Lang};
use anyhow::bail;
use std::path::Path;

/// Which presets are laid on which chains.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PresetArgs {
    /// Gives chains a feel with a name, one of `yuremono presets` or a file (.preset.json): all chains of the parts that
    /// it is for, or after = those whose name, or whose first bone's, matches: a word anywhere in it, or all of it with *
    /// and ?, as in `twin_tail_airy=*HairTwin*`. May be given several times; the last one
    /// counts where they meet.
    #[arg(long = "preset", value_name = "PRESET[=CHAINS]")]
    presets: Vec<String>,
}

/// A preset that was asked for and found.
#[derive(Debug)]
pub(super) struct RequestedPreset {
    id: PresetId,
    preset: Preset,
    /// By name; all of the preset's parts where absent.
    chains: Option<String>,
}

impl PresetArgs {
    /// The presets in the order in which they are laid on. `own` is the folder of the artist's own, which win over built-in
    /// ones of the same name.
    pub(super) fn resolve(
        &self,
        user_presets_folder: Option<&Path>,
        report: &mut RunReport,
    ) -> anyhow::Result<Vec<RequestedPreset>> {
        let mut mine = None;
        self.presets.iter().map(|asked| find_preset(asked, user_presets_folder, &mut mine, report)).collect()
    }
}

fn find_preset(
    asked: &str,
    user_presets_folder: Option<&Path>,
    mine: &mut Option<Vec<Preset>>,
    report: &mut RunReport,
) -> anyhow::Result<RequestedPreset> {
    let whole = (asked, None);
    let (name, chains) = if Path::new(asked).is_file() {
        whole
    } else {
        asked.rsplit_once('=').map_or(whole, |(name, chains)| (name, Some(chains.to_owned())))
    };
    if chains.as_deref().is_some_and(|chains| chains.trim().is_empty()) {
        bail!("--preset {asked}: after = come the names of chains");
    }
    if name.to_ascii_lowercase().ends_with(".json") || name.contains(['/', '\\']) {
        let (preset, said) = open::preset(Path::new(name)).map_err(command_failure)?;
        report.add_diagnostics(&said);
        let id = PresetId { is_custom: true, key: preset.key.clone() };
        return Ok(RequestedPreset { id, preset, chains });
    }
    let mine = mine.get_or_insert_with(|| {
        let (mine, said) = user_presets_folder.map(preset_folder::read).unwrap_or_default();
        report.add_diagnostics(&said);
        mine
    });
    let fold = |key: &str| key.to_lowercase().replace('-', "_");
    let of = |list: &[Preset]| {
        let exact = list.iter().find(|preset| preset.key == name);
        exact.or_else(|| list.iter().find(|preset| fold(&preset.key) == fold(name))).cloned()
    };
    let (own, built_in) = (of(mine), of(builtin_presets::builtin_presets()));
    if let (Some(own), Some(_)) = (&own, &built_in) {
        let place = Location::file(format!("{}{}", own.key, preset_folder::FILE_SUFFIX));
        report
            .add_diagnostics(&[Diagnostic::info(place, "your own preset is used, not the built-in one of that name")]);
    }
    let is_own = own.is_some();
    let Some(preset) = own.or(built_in) else {
        let known: Vec<_> =
            builtin_presets::builtin_presets().iter().chain(&*mine).map(|preset| excerpt(&preset.key)).collect();
        bail!("there is no preset \"{}\"; there are {}", excerpt(name), known.join(", "));
    };
    Ok(RequestedPreset { id: PresetId { is_custom: is_own, key: preset.key.clone() }, preset, chains })
}

/// Lays presets on a session's chains and tells, chain by chain, what these do not have of them. Fails where a preset
/// reaches no chain of `file`.
pub(super) fn apply_presets(
    all: &[RequestedPreset],
    session: &mut Session,
    file: &str,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    for wanted in all {
        let targets = wanted.targets(session);
        if targets.is_empty() {
            bail!("{}", wanted.no_target_message(session.document(), file));
        }
        let chains = targets.chains.clone();
        let step = session.presets().application_to(targets, wanted.id.clone(), &wanted.preset, None, false);
        apply_edit(session, step.edit, step.label)?;
        let said: Vec<Diagnostic> =
            chains.iter().flat_map(|id| wanted.unapplied_findings(session, *id, file)).collect();
        report.add_losses(&said);
        let creeps: Vec<Diagnostic> =
            chains.iter().filter_map(|id| wanted.overdamped_return_finding(session, *id, file)).collect();
        report.add_diagnostics(&creeps);
    }
    Ok(())
}

impl RequestedPreset {
    fn targets(&self, session: &Session) -> EditTargets {
        let Some(names) = &self.chains else { return session.presets().targets(&self.preset) };
        session.presets().chains_matching(names)
    }

    /// Why it reaches no chain.
    fn no_target_message(&self, document: &Document, file: &str) -> String {
        let key = excerpt(&self.preset.key);
        if document.chains.is_empty() {
            return format!("{file}: preset \"{key}\" reaches no chain: nothing sways");
        }
        if let Some(names) = &self.chains {
            let known: Vec<_> = document.chains.values().map(|chain| excerpt(&chain.name)).collect();
            let known = known.join(", ");
            return format!(
                "{file}: preset \"{key}\" reaches no chain: none is called like \"{}\"; there are {known}",
                excerpt(names)
            );
        }
        let name = |part: &ChainPart| i18n::part_name(Lang::En, *part).to_lowercase();
        let wanted: Vec<_> = self.preset.parts.iter().map(name).collect();
        let chains = |part: &ChainPart| document.chains.values().filter(|chain| chain.part == *part).count();
        let there = ChainPart::ALL.iter().filter(|part| chains(part) > 0);
        let there: Vec<_> =
            there.map(|part| format!("{} ({})", name(part), count_noun(chains(part), "chain"))).collect();
        format!("{file}: preset \"{key}\" is for {}, and there is only {}", wanted.join(" or "), there.join(", "))
    }

    /// What a chain does not have of the preset that it was given.
    fn unapplied_findings(&self, session: &Session, id: ChainId, file: &str) -> Vec<Diagnostic> {
        let document = session.document();
        let Some(chain) = document.chains.get(&id) else { return Vec::new() };
        let solver = document.solver_of(chain);
        let message = |miss: UnreachedTarget| {
            let what = i18n::property_name(Lang::En, miss.property);
            let value = |value: f32| i18n::property_value_text(Lang::En, miss.property, value);
            let why = miss.unavailable.map_or_else(
                || {
                    let stops = i18n::tr_with(Lang::En, "feel.stops", &[("value", &value(miss.actual))]);
                    format!("{} is wanted. {stops}", value(miss.target))
                },
                |why| i18n::property_unsupported_reason(Lang::En, solver, miss.property, why),
            );
            let (chain, key) = (excerpt(&chain.name), excerpt(&self.preset.key));
            let why = why.trim_end_matches('.');
            Diagnostic::warning(Location::file(file), format!("chain \"{chain}\", preset \"{key}\", {what}: {why}"))
        };
        unreached_targets(document, &session.character().skeleton, id, &self.preset).into_iter().map(message).collect()
    }

    /// How a chain's slowest tip creeps home under the preset that it was given.
    fn overdamped_return_finding(&self, session: &Session, id: ChainId, file: &str) -> Option<Diagnostic> {
        let document = session.document();
        let chain = document.chains.get(&id)?;
        let creep = preset::visible_overdamped_return(document, &session.character().skeleton, id)?;
        let words = i18n::overdamped_return_text(Lang::En, document.solver_of(chain), &creep);
        let (chain, key) = (excerpt(&chain.name), excerpt(&self.preset.key));
        let words = words.trim_end_matches('.');
        Some(Diagnostic::info(Location::file(file), format!("chain \"{chain}\", preset \"{key}\": {words}")))
    }
}
