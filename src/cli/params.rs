//! `yuremono params`: the solvers' tables as text, Markdown or JSON.

use super::convert::parse_solver;
use super::output;
use crate::format::setup_json;
use crate::params::{ParamDef, ParamKind, ParamScope};
use crate::sim::SolverKind;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of `params`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ParamsArgs {
    /// Only this solver's.
    #[arg(long, value_name = "SOLVER", value_parser = parse_solver)]
    solver: Option<SolverKind>,
    /// A line for each solver: how many parameters it has, and what lists them.
    #[arg(long, conflicts_with = "solver")]
    solvers: bool,
    /// A Markdown table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// One JSON document.
    #[arg(long)]
    json: bool,
    /// The JSON Schema of the files that `convert --out x.json` writes.
    #[arg(long, conflicts_with_all = ["json", "markdown", "solver", "solvers"])]
    schema: bool,
}

pub(super) fn run(args: &ParamsArgs) -> anyhow::Result<bool> {
    if args.schema {
        output::print_json(&setup_json::schema())?;
        return Ok(true);
    }
    let kinds: Vec<SolverKind> =
        SolverKind::ALL.iter().copied().filter(|kind| args.solver.is_none_or(|s| s == *kind)).collect();
    if args.json {
        let one = if args.solvers { counts_json } else { params_json };
        output::print_json(&kinds.into_iter().map(one).collect::<Vec<_>>())?;
        return Ok(true);
    }
    let shown: Vec<String> = match (args.solvers, args.markdown) {
        (true, true) => vec![counts_markdown(&kinds)],
        (true, false) => vec![counts_text(&kinds)],
        (false, true) => kinds.iter().map(|kind| params_markdown(kind.key(), kind.info().params)).collect(),
        (false, false) => kinds.iter().map(|kind| params_text(kind.key(), kind.info().params)).collect(),
    };
    output::print(&shown.join("\n"))?;
    Ok(true)
}

/// How many rows of a table are a joint's and the character's.
fn param_counts(kind: SolverKind) -> [usize; 2] {
    [ParamScope::Joint, ParamScope::System]
        .map(|scope| kind.info().params.iter().filter(|def| def.scope == scope).count())
}

fn counts_text(kinds: &[SolverKind]) -> String {
    let line = |kind: &SolverKind| {
        let [joint, character] = param_counts(*kind);
        format!("{:20} {joint:3} of a joint, {character:3} of the character\n", kind.key())
    };
    kinds.iter().map(line).collect()
}

fn counts_markdown(kinds: &[SolverKind]) -> String {
    let mut out = String::from("| Solver | Of a joint | Of the character | Listed by |\n|---|---|---|---|\n");
    for kind in kinds {
        let ([joint, character], key) = (param_counts(*kind), kind.key());
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {key} | {joint} | {character} | `yuremono params --solver {key}` |");
    }
    out
}

fn counts_json(kind: SolverKind) -> Value {
    let [joint, character] = param_counts(kind);
    json!({ "solver": kind.key(), "joint": joint, "character": character })
}

fn params_json(kind: SolverKind) -> Value {
    json!({ "solver": kind.key(), "params": kind.info().params.iter().map(param_json).collect::<Vec<_>>() })
}

fn params_text(name: &str, table: &[ParamDef]) -> String {
    let mut out = format!("{name}\n");
    for def in table {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "\n  {} ({}, {}{}), default {}\n    {}",
            def.name,
            def.label,
            scope_key(def.scope),
            range_text(def).map_or(String::new(), |range| format!(", {range}")),
            def.default,
            def.doc
        );
    }
    out
}

fn params_markdown(name: &str, table: &[ParamDef]) -> String {
    let mut out =
        format!("### {name}\n\n| Name | Label | Of | Range | Default | Meaning |\n|---|---|---|---|---|---|\n");
    for def in table {
        let range = range_text(def).unwrap_or_default();
        let doc = def.doc.replace('|', "\\|");
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {range} | {} | {doc} |",
            def.name,
            def.label,
            scope_key(def.scope),
            def.default
        );
    }
    out
}

fn param_json(def: &ParamDef) -> Value {
    let finite = |x: f32| if x.abs() < f32::MAX { json!(x) } else { Value::Null };
    json!({
        "name": def.name,
        "label": def.label,
        "of": scope_key(def.scope),
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

/// `0 to 1`, `0 or more`, `on or off`; nothing where every number will do.
fn range_text(def: &ParamDef) -> Option<String> {
    if def.kind == ParamKind::Toggle {
        return Some("on or off".to_owned());
    }
    if let ParamKind::Choice(choices) = def.kind {
        let numbered = choices.iter().enumerate().map(|(i, choice)| format!("{i} {choice}"));
        return Some(numbered.collect::<Vec<_>>().join(", "));
    }
    let (low, high) = def.range;
    let suffix = match def.unit.symbol() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    match (low > f32::MIN, high < f32::MAX) {
        (true, true) => Some(format!("{low} to {high}{suffix}")),
        (true, false) => Some(format!("{low} or more{suffix}")),
        (false, true) => Some(format!("{high} or less{suffix}")),
        (false, false) => (!suffix.is_empty()).then(|| suffix.trim_start().to_owned()),
    }
}

const fn scope_key(scope: ParamScope) -> &'static str {
    match scope {
        ParamScope::System => "character",
        ParamScope::Joint => "joint",
        ParamScope::Collider => "collider",
        ParamScope::Force => "force",
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
