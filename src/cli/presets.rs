//! `yuremono presets`: lists the built-in presets and the presets of the user.

use super::output;
use super::params::{markdown_header, markdown_row};
use crate::tr;
use crate::ui::kit::i18n::{self, Lang};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;
use yuremono_format::{builtin_presets, preset, preset_folder};
use yuremono_model::document::ChainPart;
use yuremono_model::feel::{preset::Preset, preset::PresetProperty};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::{MessageText, message};

/// Arguments of `presets`.
#[derive(Debug, clap::Args)]
pub struct ListPresetsArgs {
    /// Print a Markdown table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print one JSON document with every preset in both languages.
    #[arg(long)]
    json: bool,
}

/// A preset, and whether the preset belongs to the user.
type ListedPreset = (bool, Preset);

pub(super) fn run(args: &ListPresetsArgs, lang: Lang, folder: Option<&Path>) -> anyhow::Result<bool> {
    let (own, diagnostics) = folder.map(preset_folder::read).unwrap_or_default();
    output::print_diagnostics(lang, &diagnostics);
    let built_in = builtin_presets::builtin_presets().iter().map(|preset| (false, preset.clone()));
    let all: Vec<ListedPreset> = built_in.chain(own.into_iter().map(|preset| (true, preset))).collect();
    if args.json {
        output::print_json(&presets_json(&all, folder))?;
    } else if args.markdown {
        output::print(&markdown(lang, &all))?;
    } else {
        output::print(&text(lang, &all, folder))?;
    }
    Ok(true)
}

/// Returns the presets whose first part is `part`, built-in presets first.
fn presets_of_part(all: &[ListedPreset], part: ChainPart) -> impl Iterator<Item = &ListedPreset> {
    all.iter().filter(move |(_, preset)| preset.parts.first() == Some(&part))
}

fn text(lang: Lang, all: &[ListedPreset], folder: Option<&Path>) -> String {
    let longest = all.iter().map(|(_, preset)| preset.key.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for part in ChainPart::ALL.into_iter().filter(|part| presets_of_part(all, *part).next().is_some()) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", i18n::part_name(lang, part));
        for (is_own, preset) in presets_of_part(all, part) {
            let [name, sentence] = [&preset.name, &preset.description].map(|words| words.get(lang == Lang::Ja));
            let own = if *is_own { format!(" [{}]", tr!(lang, "Mine")) } else { String::new() };
            let colon = if sentence.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {:longest$}  {name}{own}{colon}{sentence}", preset.key);
            let terms: Vec<String> =
                preset_values(preset).map(|(property, _)| property_text(lang, preset, property)).collect();
            let parts: Vec<_> = preset.parts.iter().map(|part| i18n::part_name(lang, *part)).collect();
            let _ = writeln!(out, "  {:longest$}  {}; {}", "", terms.join(", "), parts.join(", "));
        }
        out.push('\n');
    }
    if let Some(folder) = folder {
        let _ = writeln!(out, "{}: {}", tr!(lang, "Mine"), folder.display());
    }
    out
}

fn property_text(lang: Lang, preset: &Preset, property: PresetProperty) -> String {
    format!("{} {}", i18n::property_name(lang, property), value_text(lang, preset, property))
}

/// Formats a value: "3.0 Hz", or "3.0 Hz (1 → 0.5)" with a curve. Empty if the preset does not set the property.
fn value_text(lang: Lang, preset: &Preset, property: PresetProperty) -> String {
    let Some((_, authored)) = preset_values(preset).find(|(set, _)| *set == property) else { return String::new() };
    let base = i18n::property_value_text(lang, property, authored.base);
    match &authored.curve {
        None => base,
        Some(curve) => format!("{base} ({})", i18n::curve_ends_text(curve.eval(0.0), curve.eval(1.0))),
    }
}

/// Returns the properties that a preset sets, with their values.
fn preset_values(preset: &Preset) -> impl Iterator<Item = (PresetProperty, &yuremono_model::document::ChainValue)> {
    let terms = FeelParam::ALL.into_iter().map(|term| (PresetProperty::Base(term), preset.feel.get(term)));
    let all = terms.chain([(PresetProperty::Radius, preset.feel.radius.as_ref())]);
    all.filter_map(|(property, authored)| Some((property, authored?)))
}

fn markdown(lang: Lang, all: &[ListedPreset]) -> String {
    let terms = FeelParam::ALL.into_iter().map(PresetProperty::Base).chain([PresetProperty::Radius]);
    let is_set = |property: &PresetProperty| all.iter().any(|(_, p)| preset_values(p).any(|(set, _)| set == *property));
    let columns: Vec<PresetProperty> = terms.filter(is_set).collect();
    let text = |message: MessageText| lang.tr(message);
    let names = columns.iter().map(|property| i18n::property_name(lang, *property));
    let header: Vec<_> = [text(message!("Name")), text(message!("For"))]
        .into_iter()
        .chain(names)
        .chain([text(message!("What it does")), text(message!("Key"))])
        .collect();
    let row = |(_, preset): &ListedPreset| {
        let [name, sentence] = [&preset.name, &preset.description].map(|words| words.get(lang == Lang::Ja).to_owned());
        let parts: Vec<_> = preset.parts.iter().map(|part| i18n::part_name(lang, *part)).collect();
        let values = columns.iter().map(|property| value_text(lang, preset, *property));
        let front = [name, parts.join(", ")].into_iter().chain(values);
        markdown_row(front.chain([sentence, format!("`{}`", preset.key)]))
    };
    let rows = ChainPart::ALL.into_iter().flat_map(|part| presets_of_part(all, part)).map(row);
    markdown_header(&header) + &rows.collect::<String>()
}

/// Returns the JSON of all preset files. Each preset also has its key and whether it belongs to the user.
fn presets_json(all: &[ListedPreset], folder: Option<&Path>) -> Value {
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
        "folder": folder.map(|folder| folder.display().to_string()),
        "units": units,
        "presets": all.iter().map(preset).collect::<Vec<_>>(),
    })
}
