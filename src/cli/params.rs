//! `yuremono params`: the solvers' tables as text, Markdown or JSON.

use super::output;
use crate::format::parameters;
use crate::schema::{Kind, ParamDef, Scope, Unit};
use crate::sim::Solver as _;
use crate::sim::solver::kawaii::KawaiiPhysics;
use crate::sim::solver::spring_bone::SpringBone;
use crate::sim::solver::vrm::Vrm;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of `params`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A Markdown table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// One JSON document.
    #[arg(long)]
    json: bool,
    /// The JSON Schema of the files that `convert --out x.json` writes.
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    schema: bool,
}

/// Every solver by the name of its original, with its table.
const SOLVERS: &[(&str, &[ParamDef])] =
    &[("UnityChanSpringBone", SpringBone::PARAMS), ("VRM", Vrm::PARAMS), ("KawaiiPhysics", KawaiiPhysics::PARAMS)];

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    if args.schema {
        output::print_json(&parameters::schema())?;
    } else if args.json {
        let solvers = SOLVERS
            .iter()
            .map(|(name, table)| json!({ "solver": name, "params": table.iter().map(as_json).collect::<Vec<_>>() }));
        output::print_json(&solvers.collect::<Vec<_>>())?;
    } else if args.markdown {
        output::print(&SOLVERS.iter().map(|(name, table)| markdown(name, table)).collect::<Vec<_>>().join("\n"))?;
    } else {
        output::print(&SOLVERS.iter().map(|(name, table)| text(name, table)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(true)
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
        "unit": unit(def.unit),
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
    let suffix = match unit(def.unit) {
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

const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::None | Unit::Share => "",
        Unit::Metres => "m",
        Unit::Acceleration => "m/s²",
        Unit::PerSecondSquared => "1/s²",
        Unit::Degrees => "°",
        Unit::PerSecond => "1/s",
        Unit::Speed => "m/s",
        Unit::TurnSpeed => "°/s",
        Unit::Seconds => "s",
        Unit::Hertz => "Hz",
    }
}
