//! `yuremono params`: the solvers' tables as text, Markdown or JSON.

use super::convert::solver;
use super::output;
use crate::format::setup_json;
use crate::schema::{Kind, ParamDef, Scope};
use crate::sim::SolverKind;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of `params`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Args {
    /// Only this solver's.
    #[arg(long, value_name = "SOLVER", value_parser = solver)]
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

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    if args.schema {
        output::print_json(&setup_json::schema())?;
        return Ok(true);
    }
    let kinds: Vec<SolverKind> =
        SolverKind::ALL.iter().copied().filter(|kind| args.solver.is_none_or(|s| s == *kind)).collect();
    if args.json {
        let one = if args.solvers { counted } else { listed };
        output::print_json(&kinds.into_iter().map(one).collect::<Vec<_>>())?;
        return Ok(true);
    }
    let shown: Vec<String> = match (args.solvers, args.markdown) {
        (true, true) => vec![counts_markdown(&kinds)],
        (true, false) => vec![counts_text(&kinds)],
        (false, true) => kinds.iter().map(|kind| markdown(kind.key(), kind.info().params)).collect(),
        (false, false) => kinds.iter().map(|kind| text(kind.key(), kind.info().params)).collect(),
    };
    output::print(&shown.join("\n"))?;
    Ok(true)
}

/// How many rows of a table are a joint's and the character's.
fn counts(kind: SolverKind) -> [usize; 2] {
    [Scope::Joint, Scope::System].map(|scope| kind.info().params.iter().filter(|def| def.scope == scope).count())
}

fn counts_text(kinds: &[SolverKind]) -> String {
    let line = |kind: &SolverKind| {
        let [joint, character] = counts(*kind);
        format!("{:20} {joint:3} of a joint, {character:3} of the character\n", kind.key())
    };
    kinds.iter().map(line).collect()
}

fn counts_markdown(kinds: &[SolverKind]) -> String {
    let mut out = String::from("| Solver | Of a joint | Of the character | Listed by |\n|---|---|---|---|\n");
    for kind in kinds {
        let ([joint, character], key) = (counts(*kind), kind.key());
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {key} | {joint} | {character} | `yuremono params --solver {key}` |");
    }
    out
}

fn counted(kind: SolverKind) -> Value {
    let [joint, character] = counts(kind);
    json!({ "solver": kind.key(), "joint": joint, "character": character })
}

fn listed(kind: SolverKind) -> Value {
    json!({ "solver": kind.key(), "params": kind.info().params.iter().map(as_json).collect::<Vec<_>>() })
}

fn text(name: &str, table: &[ParamDef]) -> String {
    let mut out = format!("{name}\n");
    for def in table {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "\n  {} ({}, {}{}), default {}\n    {}",
            def.name,
            def.label,
            scope(def.scope),
            range(def).map_or(String::new(), |range| format!(", {range}")),
            def.default,
            def.doc
        );
    }
    out
}

fn markdown(name: &str, table: &[ParamDef]) -> String {
    let mut out =
        format!("### {name}\n\n| Name | Label | Of | Range | Default | Meaning |\n|---|---|---|---|---|---|\n");
    for def in table {
        let range = range(def).unwrap_or_default();
        let doc = def.doc.replace('|', "\\|");
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {range} | {} | {doc} |",
            def.name,
            def.label,
            scope(def.scope),
            def.default
        );
    }
    out
}

fn as_json(def: &ParamDef) -> Value {
    let finite = |x: f32| if x.abs() < f32::MAX { json!(x) } else { Value::Null };
    json!({
        "name": def.name,
        "label": def.label,
        "of": scope(def.scope),
        "kind": kind(def.kind),
        "unit": def.unit.symbol(),
        "range": [finite(def.range.0), finite(def.range.1)],
        "soft_range": [def.soft_range.0, def.soft_range.1],
        "default": def.default,
        "curve": def.curve,
        "beyond": def.beyond,
        "doc": def.doc,
    })
}

/// `0 to 1`, `0 or more`, `on or off`; nothing where every number will do.
fn range(def: &ParamDef) -> Option<String> {
    if def.kind == Kind::Toggle {
        return Some("on or off".to_owned());
    }
    if let Kind::Choice(choices) = def.kind {
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

const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::System => "character",
        Scope::Joint => "joint",
        Scope::Collider => "collider",
        Scope::Force => "force",
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "number",
        Kind::Degrees => "degrees",
        Kind::Toggle => "toggle",
        Kind::Integer => "integer",
        Kind::Choice(_) => "choice",
    }
}
