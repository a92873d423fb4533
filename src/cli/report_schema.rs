//! `params --schema report`: the JSON Schema of the reports that commands print with `--json`.
//!
//! Commands build their reports field by field, because the fields depend on the command and on what happened. A test
//! compares the reports of all commands with this schema, which allows no other fields.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// Returns the schema.
pub(super) fn schema() -> Value {
    SchemaGenerator::default().into_root_schema_for::<Report>().to_value()
}

/// The report of a command: the same fields for one and for many inputs.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is used")]
struct Report {
    /// Version of the reports. New fields do not change it.
    version: u32,
    /// Whether the exit code is 0.
    ok: bool,
    /// Why the command failed.
    error: Option<String>,
    /// One entry for each input.
    files: Vec<ReportedFile>,
    /// Paths of all written files.
    written: Vec<String>,
    /// Number of values that the outputs cannot store.
    losses: usize,
    /// Messages that belong to no entry of `files`.
    diagnostics: Vec<Diagnostic>,
    /// Number of files that passed, of commands with several inputs.
    good: Option<usize>,
    /// Number of files that failed, of commands with several inputs.
    failed: Option<usize>,
    /// `--skip-existing`: number of results that exist. `check`: number of files of other kinds.
    skipped: Option<usize>,
    /// `check`: number of files that were read.
    loaded: Option<usize>,
    /// `check`: number of files that were refused.
    refused: Option<usize>,
    /// `check`: what `--fail-on` found.
    failing: Option<Vec<Value>>,
    /// `apply`: the table.
    table: Option<String>,
    /// `apply`: the least share of the rows that must match.
    min_matched: Option<f32>,
    /// `recover`: the unsaved changes.
    documents: Option<Vec<Value>>,
}

/// The result for one input.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is used")]
#[schemars(rename = "File")]
struct ReportedFile {
    /// The path of the input.
    file: String,
    /// Whether the command succeeded for this input.
    ok: bool,
    /// Paths of the written files.
    written: Option<Vec<String>>,
    /// Messages about this input.
    diagnostics: Vec<Diagnostic>,
    /// `check`: kind of the content.
    kind: Option<String>,
    /// `check`: whether the file was read.
    loaded: Option<bool>,
    /// `check`: a sentence about the content.
    summary: Option<String>,
    /// `check`: number of rows that cannot be used.
    unusable_rows: Option<usize>,
    /// `check`: number of findings that the baseline accepts.
    known: Option<usize>,
    /// `check`: what the Doctor finds.
    findings: Option<Vec<Value>>,
    /// `check --clipping`: hair and cloth in the body, and changes that prevent this.
    clipping: Option<Value>,
    /// `apply`: the number of rows. `remap`: each row.
    rows: Option<Value>,
    /// `apply`, `remap`: number of rows that match a bone.
    matched: Option<usize>,
    /// `apply`: rows below the least confidence.
    unsure: Option<Vec<Value>>,
    /// `apply`: rows without a bone.
    missing: Option<Vec<Value>>,
    /// `convert`, `detect`, `simulate`: number of joints.
    joints: Option<usize>,
    /// `convert`: root mean square and largest differences of the motion, over all chains and per chain. `--match` adds
    /// those before the fit.
    difference: Option<Value>,
    /// `detect`: proposed chains.
    chains: Option<Vec<Value>>,
    /// `simulate`: number of steps.
    steps: Option<usize>,
    /// `render`: number of pictures.
    pictures: Option<usize>,
    /// `render`: camera of the first picture.
    camera: Option<Value>,
    /// `diff`: the other setup.
    with: Option<String>,
    /// `diff`: whether the setups are equal.
    equal: Option<bool>,
    /// `diff`: the differences.
    differences: Option<Vec<Value>>,
    /// `diff`: whether rows differ that the character cannot use.
    unused_rows_differ: Option<bool>,
    /// `bake`: name of the animation.
    animation: Option<String>,
    /// `bake`: number of frames.
    frames: Option<usize>,
    /// `bake`: number of bones with keys.
    bones: Option<usize>,
    /// `bake`: number of written keys.
    keys: Option<usize>,
    /// `bake`: number of keys before keys were removed.
    all_keys: Option<usize>,
    /// `bake`: largest error of removed keys, in millimetres.
    error_mm: Option<f32>,
    /// `bake`: largest error of removed keys, in degrees.
    error_degrees: Option<f32>,
    /// `bake --loop`: cycles and seam of the loop.
    #[schemars(rename = "loop")]
    loop_summary: Option<Value>,
}

/// A message about a place.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Diagnostic {
    severity: Severity,
    /// Where: `file`, and where known `line`, `column`, `bone` and `pointer`.
    location: Value,
    message: String,
    /// The broken rule of VRM.
    rule: Option<String>,
    /// What the rule requires.
    expected: Option<String>,
    /// How to fix the problem.
    advice: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only the schema is used")]
enum Severity {
    Info,
    Warning,
    Error,
}
