//! `--preset`: feels with names on the chains of a character, as a click on a card lays them there.

use super::apply_edit::apply_edit;
use super::output::{RunReport, count, refusal};
use crate::document::tune::Targets;
use crate::document::{ChainId, Document, Part};
use crate::feel::{preset, preset::Miss, preset::Preset, preset::misses};
use crate::format::{open, preset_folder, shelf};
use crate::report::{Diagnostic, Place, clip};
use crate::session::{PresetId, Session};
use crate::ui::kit::words::{self, Lang};
use anyhow::bail;
use std::path::Path;

/// Which presets are laid on which chains.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Dress {
    /// Gives chains a feel with a name, one of `yuremono presets` or a file (.preset.json): all chains of the parts that
    /// it is for, or after = those whose name, or whose first bone's, matches: a word anywhere in it, or all of it with *
    /// and ?, as in `twin_tail_airy=*HairTwin*`. May be given several times; the last one
    /// counts where they meet.
    #[arg(long = "preset", value_name = "PRESET[=CHAINS]")]
    presets: Vec<String>,
}

/// A preset that was asked for and found.
#[derive(Debug)]
pub(super) struct Wanted {
    id: PresetId,
    preset: Preset,
    /// By name; all of the preset's parts where absent.
    chains: Option<String>,
}

impl Dress {
    /// The presets in the order in which they are laid on. `own` is the folder of the artist's own, which win over built-in
    /// ones of the same name.
    pub(super) fn find(&self, own: Option<&Path>, report: &mut RunReport) -> anyhow::Result<Vec<Wanted>> {
        let mut mine = None;
        self.presets.iter().map(|asked| find(asked, own, &mut mine, report)).collect()
    }
}

fn find(
    asked: &str,
    own: Option<&Path>,
    mine: &mut Option<Vec<Preset>>,
    report: &mut RunReport,
) -> anyhow::Result<Wanted> {
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
        let (preset, said) = open::preset(Path::new(name)).map_err(refusal)?;
        report.tell(&said);
        let id = PresetId { own: true, key: preset.key.clone() };
        return Ok(Wanted { id, preset, chains });
    }
    let mine = mine.get_or_insert_with(|| {
        let (mine, said) = own.map(preset_folder::read).unwrap_or_default();
        report.tell(&said);
        mine
    });
    let fold = |key: &str| key.to_lowercase().replace('-', "_");
    let of = |list: &[Preset]| {
        let exact = list.iter().find(|preset| preset.key == name);
        exact.or_else(|| list.iter().find(|preset| fold(&preset.key) == fold(name))).cloned()
    };
    let (own, built_in) = (of(mine), of(shelf::built_in()));
    if let (Some(own), Some(_)) = (&own, &built_in) {
        let place = Place::file(format!("{}{}", own.key, preset_folder::ENDING));
        report.tell(&[Diagnostic::info(place, "your own preset is used, not the built-in one of that name")]);
    }
    let is_own = own.is_some();
    let Some(preset) = own.or(built_in) else {
        let known: Vec<_> = shelf::built_in().iter().chain(&*mine).map(|preset| clip(&preset.key)).collect();
        bail!("there is no preset \"{}\"; there are {}", clip(name), known.join(", "));
    };
    Ok(Wanted { id: PresetId { own: is_own, key: preset.key.clone() }, preset, chains })
}

/// Lays presets on a session's chains and tells, chain by chain, what these do not have of them. Fails where a preset
/// reaches no chain of `file`.
pub(super) fn put_on(all: &[Wanted], session: &mut Session, file: &str, report: &mut RunReport) -> anyhow::Result<()> {
    for wanted in all {
        let targets = wanted.targets(session);
        if targets.is_empty() {
            bail!("{}", wanted.nowhere(session.document(), file));
        }
        let chains = targets.chains.clone();
        let step = session.presets().step_on(targets, wanted.id.clone(), &wanted.preset, None, false);
        apply_edit(session, step.edit, step.label)?;
        let said: Vec<Diagnostic> = chains.iter().flat_map(|id| wanted.told(session, *id, file)).collect();
        report.lose(&said);
        let creeps: Vec<Diagnostic> = chains.iter().filter_map(|id| wanted.creep(session, *id, file)).collect();
        report.tell(&creeps);
    }
    Ok(())
}

impl Wanted {
    fn targets(&self, session: &Session) -> Targets {
        let Some(names) = &self.chains else { return session.presets().targets(&self.preset) };
        session.presets().chains_like(names)
    }

    /// Why it reaches no chain.
    fn nowhere(&self, document: &Document, file: &str) -> String {
        let key = clip(&self.preset.key);
        if document.chains.is_empty() {
            return format!("{file}: preset \"{key}\" reaches no chain: nothing sways");
        }
        if let Some(names) = &self.chains {
            let known: Vec<_> = document.chains.values().map(|chain| clip(&chain.name)).collect();
            let known = known.join(", ");
            return format!(
                "{file}: preset \"{key}\" reaches no chain: none is called like \"{}\"; there are {known}",
                clip(names)
            );
        }
        let name = |part: &Part| words::part(Lang::En, *part).to_lowercase();
        let wanted: Vec<_> = self.preset.parts.iter().map(name).collect();
        let chains = |part: &Part| document.chains.values().filter(|chain| chain.part == *part).count();
        let there = Part::ALL.iter().filter(|part| chains(part) > 0);
        let there: Vec<_> = there.map(|part| format!("{} ({})", name(part), count(chains(part), "chain"))).collect();
        format!("{file}: preset \"{key}\" is for {}, and there is only {}", wanted.join(" or "), there.join(", "))
    }

    /// What a chain does not have of the preset that it was given.
    fn told(&self, session: &Session, id: ChainId, file: &str) -> Vec<Diagnostic> {
        let document = session.document();
        let Some(chain) = document.chains.get(&id) else { return Vec::new() };
        let solver = document.solver_of(chain);
        let message = |miss: Miss| {
            let what = words::property(Lang::En, miss.property);
            let value = |value: f32| words::of_property(Lang::En, miss.property, value);
            let why = miss.cannot.map_or_else(
                || {
                    let stops = words::tr_with(Lang::En, "feel.stops", &[("value", &value(miss.found))]);
                    format!("{} is wanted. {stops}", value(miss.wanted))
                },
                |why| words::why_not(Lang::En, solver, miss.property, why),
            );
            let (chain, key) = (clip(&chain.name), clip(&self.preset.key));
            let why = why.trim_end_matches('.');
            Diagnostic::warning(Place::file(file), format!("chain \"{chain}\", preset \"{key}\", {what}: {why}"))
        };
        misses(document, &session.character().skeleton, id, &self.preset).into_iter().map(message).collect()
    }

    /// How a chain's slowest tip creeps home under the preset that it was given.
    fn creep(&self, session: &Session, id: ChainId, file: &str) -> Option<Diagnostic> {
        let document = session.document();
        let chain = document.chains.get(&id)?;
        let creep = preset::creep(document, &session.character().skeleton, id)?;
        let words = words::creep(Lang::En, document.solver_of(chain), &creep);
        let (chain, key) = (clip(&chain.name), clip(&self.preset.key));
        let words = words.trim_end_matches('.');
        Some(Diagnostic::info(Place::file(file), format!("chain \"{chain}\", preset \"{key}\": {words}")))
    }
}
