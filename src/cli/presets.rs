//! `yuremono presets`: feels with names, the built-in ones and the artist's own.

use super::output;
use crate::document::ChainPart;
use crate::feel::{preset::Preset, preset::PresetProperty};
use crate::format::{builtin_presets, preset, preset_folder};
use crate::sim::FeelParam;
use crate::ui::kit::i18n::{self, Lang};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Arguments of `presets`.
#[derive(Debug, clap::Args)]
pub struct ListPresetsArgs {
    /// A Markdown table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// One JSON document: every preset as its file says it, in both languages.
    #[arg(long, conflicts_with = "lang")]
    json: bool,
    /// The language of names and sentences.
    #[arg(long, value_enum, default_value = "en")]
    lang: Language,
}

/// [`Lang`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    En,
    Ja,
}

impl Language {
    const fn lang(self) -> Lang {
        match self {
            Self::En => Lang::En,
            Self::Ja => Lang::Ja,
        }
    }
}

/// A preset, and whether it is the artist's own.
type ListedPreset = (bool, Preset);

pub(super) fn run(args: &ListPresetsArgs, own: Option<&Path>) -> anyhow::Result<bool> {
    let (mine, said) = own.map(preset_folder::read).unwrap_or_default();
    output::print_diagnostics(&said);
    let built_in = builtin_presets::builtin_presets().iter().map(|preset| (false, preset.clone()));
    let all: Vec<ListedPreset> = built_in.chain(mine.into_iter().map(|preset| (true, preset))).collect();
    let lang = args.lang.lang();
    if args.json {
        output::print_json(&presets_json(&all, own))?;
    } else if args.markdown {
        output::print(&markdown(lang, &all))?;
    } else {
        output::print(&text(lang, &all, own))?;
    }
    Ok(true)
}

/// Those that stand on the shelf of a part, the built-in ones first.
fn presets_of_part(all: &[ListedPreset], part: ChainPart) -> impl Iterator<Item = &ListedPreset> {
    all.iter().filter(move |(_, preset)| preset.parts.first() == Some(&part))
}

fn text(lang: Lang, all: &[ListedPreset], own: Option<&Path>) -> String {
    let longest = all.iter().map(|(_, preset)| preset.key.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for part in ChainPart::ALL.into_iter().filter(|part| presets_of_part(all, *part).next().is_some()) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", i18n::part_name(lang, part));
        for (is_own, preset) in presets_of_part(all, part) {
            let [name, sentence] = [&preset.name, &preset.description].map(|words| words.get(lang == Lang::Ja));
            let mine = if *is_own { format!(" [{}]", i18n::tr(lang, "presets.own")) } else { String::new() };
            let colon = if sentence.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {:longest$}  {name}{mine}{colon}{sentence}", preset.key);
            let terms: Vec<String> =
                preset_values(preset).map(|(property, _)| property_text(lang, preset, property)).collect();
            let parts: Vec<_> = preset.parts.iter().map(|part| i18n::part_name(lang, *part)).collect();
            let _ = writeln!(out, "  {:longest$}  {}; {}", "", terms.join(", "), parts.join(", "));
        }
        out.push('\n');
    }
    if let Some(folder) = own {
        let _ = writeln!(out, "{}: {}", i18n::tr(lang, "presets.own"), folder.display());
    }
    out
}

fn property_text(lang: Lang, preset: &Preset, property: PresetProperty) -> String {
    format!("{} {}", i18n::property_name(lang, property), value_text(lang, preset, property))
}

/// "3.0 Hz", with a curve "3.0 Hz (1 → 0.5)"; nothing of what a preset leaves as it is.
fn value_text(lang: Lang, preset: &Preset, property: PresetProperty) -> String {
    let Some((_, authored)) = preset_values(preset).find(|(said, _)| *said == property) else { return String::new() };
    let base = i18n::property_value_text(lang, property, authored.base);
    match &authored.curve {
        None => base,
        Some(curve) => format!("{base} ({})", i18n::curve_ends_text(curve.eval(0.0), curve.eval(1.0))),
    }
}

/// What a preset says.
fn preset_values(preset: &Preset) -> impl Iterator<Item = (PresetProperty, &crate::document::ChainValue)> {
    let terms = FeelParam::ALL.into_iter().map(|term| (PresetProperty::Base(term), preset.feel.get(term)));
    let all = terms.chain([(PresetProperty::Radius, preset.feel.radius.as_ref())]);
    all.filter_map(|(property, authored)| Some((property, authored?)))
}

fn markdown(lang: Lang, all: &[ListedPreset]) -> String {
    let terms = FeelParam::ALL.into_iter().map(PresetProperty::Base).chain([PresetProperty::Radius]);
    let is_said =
        |property: &PresetProperty| all.iter().any(|(_, p)| preset_values(p).any(|(said, _)| said == *property));
    let columns: Vec<PresetProperty> = terms.filter(is_said).collect();
    let mut out = String::from("| Name | For |");
    // Writing to a String cannot fail.
    for property in &columns {
        let _ = write!(out, " {} |", i18n::property_name(lang, *property));
    }
    let _ = writeln!(out, " What it does | Key |\n|---|---|{}---|---|", "---|".repeat(columns.len()));
    let cell = |text: &str| text.replace('|', "\\|");
    for part in ChainPart::ALL {
        for (_, preset) in presets_of_part(all, part) {
            let [name, sentence] = [&preset.name, &preset.description].map(|words| cell(words.get(lang == Lang::Ja)));
            let parts: Vec<_> = preset.parts.iter().map(|part| i18n::part_name(lang, *part)).collect();
            let _ = write!(out, "| {name} | {} |", parts.join(", "));
            for property in &columns {
                let _ = write!(out, " {} |", value_text(lang, preset, *property));
            }
            let _ = writeln!(out, " {sentence} | `{}` |", cell(&preset.key));
        }
    }
    out
}

/// Each as its file, with its key and whose it is before that.
fn presets_json(all: &[ListedPreset], own: Option<&Path>) -> Value {
    let preset = |(is_own, preset): &ListedPreset| {
        let mut fields = Map::from_iter([("key".to_owned(), json!(preset.key)), ("own".to_owned(), json!(is_own))]);
        let file: Value = serde_json::from_slice(&preset::write(preset)).unwrap_or_default();
        fields.extend(file.as_object().cloned().unwrap_or_default());
        fields
    };
    let mut units: Map<String, Value> =
        FeelParam::ALL.map(FeelParam::def).iter().map(|def| (def.name.to_owned(), json!(def.unit.symbol()))).collect();
    units.insert("radius".to_owned(), json!("share of the bone's length"));
    json!({
        "folder": own.map(|folder| folder.display().to_string()),
        "units": units,
        "presets": all.iter().map(preset).collect::<Vec<_>>(),
    })
}
