//! `yuremono params`: prints the parameter tables of the solvers as text, Markdown or JSON.

use super::convert::parse_solver;
use super::output;
use super::report_schema;
use crate::ui::kit::i18n::{Lang, param_choice, param_doc, param_label};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write as _;
use yuremono_format::setup_json;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{ParamDef, ParamKind, ParamScope};

/// Arguments of `params`.
#[derive(Debug, clap::Args)]
pub struct ParamsArgs {
    /// List only the parameters of this solver.
    #[arg(long, value_name = "SOLVER", value_parser = parse_solver)]
    solver: Option<SolverKind>,
    /// Print one line per solver: the number of its parameters and the command that lists them.
    #[arg(long, conflicts_with = "solver")]
    solvers: bool,
    /// Print Markdown tables.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Print a JSON Schema: of the files that `convert --out x.json` writes, or of the reports of --json. Default: setup.
    #[arg(long, value_name = "setup|report", value_enum, num_args = 0..=1, default_missing_value = "setup", conflicts_with_all = ["json", "markdown", "solver", "solvers"])]
    schema: Option<SchemaKind>,
}

/// What a printed schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemaKind {
    Setup,
    Report,
}

pub(super) fn run(args: &ParamsArgs, lang: Lang) -> anyhow::Result<bool> {
    match args.schema {
        Some(SchemaKind::Setup) => output::print_json(&setup_json::schema())?,
        Some(SchemaKind::Report) => output::print_json(&report_schema::schema())?,
        None => return list(args, lang),
    }
    Ok(true)
}

fn list(args: &ParamsArgs, lang: Lang) -> anyhow::Result<bool> {
    let kinds: Vec<SolverKind> =
        SolverKind::ALL.iter().copied().filter(|kind| args.solver.is_none_or(|s| s == *kind)).collect();
    if args.json {
        let one = if args.solvers { counts_json } else { params_json };
        output::print_json(&kinds.into_iter().map(one).collect::<Vec<_>>())?;
        return Ok(true);
    }
    let shown: Vec<String> = match (args.solvers, args.markdown) {
        (true, true) => vec![counts_markdown(&kinds, lang)],
        (true, false) => vec![counts_text(&kinds, lang)],
        (false, true) => kinds.iter().map(|kind| params_markdown(*kind, lang)).collect(),
        (false, false) => kinds.iter().map(|kind| params_text(*kind, lang)).collect(),
    };
    output::print(&shown.join("\n"))?;
    Ok(true)
}

/// Returns the number of parameters per joint and per character.
fn param_counts(kind: SolverKind) -> [usize; 2] {
    [ParamScope::Joint, ParamScope::System]
        .map(|scope| kind.info().params.iter().filter(|def| def.scope == scope).count())
}

fn counts_text(kinds: &[SolverKind], lang: Lang) -> String {
    let line = |kind: &SolverKind| {
        let [joint, character] = param_counts(*kind).map(|count| format!("{count:3}"));
        let counts = message!("{joint} joint parameters, {character} character parameters", joint, character);
        format!("{:20} {}\n", kind.key(), lang.tr(&counts))
    };
    kinds.iter().map(line).collect()
}

/// Formats a Markdown row. Escapes `|` inside a cell.
pub(super) fn markdown_row<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    cells.into_iter().fold(String::from("|"), |row, cell| row + " " + &cell.as_ref().replace('|', "\\|") + " |") + "\n"
}

/// Formats the first two rows of a Markdown table.
pub(super) fn markdown_header<T: AsRef<str>>(columns: &[T]) -> String {
    format!("{}|{}\n", markdown_row(columns), "---|".repeat(columns.len()))
}

fn counts_markdown(kinds: &[SolverKind], lang: Lang) -> String {
    let columns = [message!("Solver"), message!("Of a joint"), message!("Of the character"), message!("Listed by")];
    let row = |kind: &SolverKind| {
        let ([joint, character], key) = (param_counts(*kind).map(|count| count.to_string()), kind.key());
        markdown_row([key.to_owned(), joint, character, format!("`yuremono params --solver {key}`")])
    };
    markdown_header(&columns.map(|column| lang.tr(&column))) + &kinds.iter().map(row).collect::<String>()
}

fn counts_json(kind: SolverKind) -> Value {
    let [joint, character] = param_counts(kind);
    json!({ "solver": kind.key(), "joint": joint, "character": character })
}

fn params_json(kind: SolverKind) -> Value {
    json!({ "solver": kind.key(), "params": kind.info().params.iter().map(param_json).collect::<Vec<_>>() })
}

fn params_text(kind: SolverKind, lang: Lang) -> String {
    let mut out = format!("{}\n", kind.key());
    for def in kind.info().params {
        let range = range_text(lang, def).map_or(String::new(), |range| format!(", {range}"));
        let default = lang.tr(message!("default {value}", value = def.default));
        let (label, scope) = (param_label(lang, def), lang.tr(scope_message(def.scope)));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n  {} ({label}, {scope}{range}), {default}\n    {}", def.name, param_doc(lang, def));
    }
    out
}

fn params_markdown(kind: SolverKind, lang: Lang) -> String {
    let columns = [
        message!("Name"),
        message!("Label"),
        message!("Of"),
        message!("Range"),
        message!("Default"),
        message!("Meaning"),
    ];
    let row = |def: &ParamDef| {
        markdown_row([
            format!("`{}`", def.name),
            param_label(lang, def).into_owned(),
            lang.tr(scope_message(def.scope)).into_owned(),
            range_text(lang, def).unwrap_or_default(),
            def.default.to_string(),
            param_doc(lang, def).into_owned(),
        ])
    };
    let header = markdown_header(&columns.map(|column| lang.tr(&column)));
    format!("### {}\n\n{header}{}", kind.key(), kind.info().params.iter().map(row).collect::<String>())
}

fn param_json(def: &ParamDef) -> Value {
    let finite = |x: f32| if x.abs() < f32::MAX { json!(x) } else { Value::Null };
    json!({
        "name": def.name,
        "label": def.label,
        "of": scope_message(def.scope),
        "kind": kind_key(def.kind),
        "unit": def.unit.symbol(),
        "range": [finite(def.range.0), finite(def.range.1)],
        "soft_range": [def.soft_range.0, def.soft_range.1],
        "default": def.default,
        "curve": def.curve,
        "beyond": def.extension,
        "doc": def.doc,
    })
}

/// Formats a range: `0 to 1`, `0 or more`, `on or off`. Returns `None` if every number is valid and there is no unit.
fn range_text(lang: Lang, def: &ParamDef) -> Option<String> {
    if let ParamKind::Choice(choices) = def.kind {
        let numbered = (0..choices.len()).map(|i| format!("{i} {}", param_choice(lang, def, i)));
        return Some(numbered.collect::<Vec<_>>().join(", "));
    }
    let (low, high) = def.range;
    let unit = match def.unit.symbol() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let text = match (low > f32::MIN, high < f32::MAX) {
        _ if def.kind == ParamKind::Toggle => message!("on or off"),
        (true, true) => message!("{low} to {high}{unit}", low, high, unit),
        (true, false) => message!("{low} or more{unit}", low, unit),
        (false, true) => message!("{high} or less{unit}", high, unit),
        (false, false) => unit.trim_start().into(),
    };
    Some(lang.tr(text).into_owned()).filter(|text| !text.is_empty())
}

fn scope_message(scope: ParamScope) -> MessageText {
    match scope {
        ParamScope::System => message!("character"),
        ParamScope::Joint => message!("joint"),
        ParamScope::Collider => message!("collider"),
        ParamScope::Force => message!("force"),
    }
}

const fn kind_key(kind: ParamKind) -> &'static str {
    match kind {
        ParamKind::Number => "number",
        ParamKind::Degrees => "degrees",
        ParamKind::Toggle => "toggle",
        ParamKind::Integer => "integer",
        ParamKind::Choice(_) => "choice",
    }
}
