//! Checks the springs and the hips of a file against the rules of the VRM specifications. Each diagnostic contains a
//! location, the broken rule and advice.
//!
//! The loader is tolerant and reports how it handles invalid parts; this module checks the rules. The checks read the
//! JSON of the file, not the result of the loader, and neither change nor reject the file. Sources: the specifications
//! of `VRMC_springBone`, `VRMC_springBone_extended_collider`, `VRMC_springBone_limit` and VRM 0.x.

mod checker;
mod shapes;
mod table;
mod v0;
mod v1;

pub use table::RULES;

use crate::gltf_json::container;
use crate::gltf_json::json::JsonObject;
use crate::gltf_json::splice::pointer_token;
use crate::vrm::fields::SPRING_BONE_EXTENSION;
use checker::{RuleChecker, length};
use serde_json::Value;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// Returns the rule violations in the springs of a `.vrm`, `.glb` or `.gltf`. Unquoted NaN and infinity are reported;
/// the loader reports all other JSON syntax errors.
pub fn check(bytes: &[u8], file: &str) -> Vec<Diagnostic> {
    if let Ok(container) = container::parse_container(bytes) {
        return check_json(&container.json, file);
    }
    let report = |(pointer, word)| {
        let message = message!("{word} where a number was expected; no JSON parser accepts it", word);
        Diagnostic::rule_violation(&table::NUMBER_AS_TEXT, Location::file(file).with_pointer(pointer), message)
    };
    find_non_finite_literals(bytes).unwrap_or_default().into_iter().map(report).collect()
}

/// Like [`check`], for a parsed document.
pub fn check_json(root: &Value, file: &str) -> Vec<Diagnostic> {
    run_checks(root, file).map_or_else(Vec::new, RuleChecker::into_diagnostics)
}

/// Returns the number of violations of each rule, including unlisted violations.
pub(super) fn count_violations(root: &Value) -> BTreeMap<&'static str, usize> {
    run_checks(root, "").map_or_else(BTreeMap::new, RuleChecker::violation_counts)
}

/// Returns `None` if the document is not an object.
fn run_checks<'a>(root: &'a Value, file: &'a str) -> Option<RuleChecker<'a>> {
    let root = JsonObject::silent(root.as_object()?);
    let find = RuleChecker::new(file, root.clone());
    if let Ok(Some(json)) = root.extension(SPRING_BONE_EXTENSION) {
        find.check_declared(SPRING_BONE_EXTENSION, &json);
        v1::check(&json, &find);
    }
    if let Ok(Some(json)) = root.extension("VRMC_vrm") {
        check_hips(&json, &find);
    }
    if let Ok(Some(json)) = root.extension("VRM") {
        find.check_declared("VRM", &json);
        check_hips(&json, &find);
        v0::check(&json, &find);
    }
    Some(find)
}

/// Checks that a humanoid has hips. `humanBones` is an object of roles in VRM 1.0, and a list in VRM 0.x.
fn check_hips(vrm: &JsonObject<'_>, find: &RuleChecker<'_>) {
    let Some(humanoid) = find.check_object(vrm, "humanoid") else { return };
    let has_hips = match humanoid.get("humanBones") {
        Some(Value::Array(bones)) => bones.iter().any(|bone| bone.get("bone").is_some_and(|role| role == "hips")),
        Some(Value::Object(bones)) => bones.contains_key("hips"),
        _ => false,
    };
    if !has_hips {
        find.report_missing(&table::HUMANOID_HIPS_MISSING, &humanoid, "hips");
    }
}

/// Checks the numbers that joints of both versions have. `stiffness` is the key of the stiffness in the version of the
/// file.
fn check_joint_numbers(json: &JsonObject<'_>, stiffness: &str, find: &RuleChecker<'_>) {
    find.check_range(json, "hitRadius", 0.0, f32::MAX, &table::HIT_RADIUS_NEGATIVE);
    find.check_range(json, stiffness, 0.0, f32::MAX, &table::STIFFNESS_NEGATIVE);
    find.check_range(json, "gravityPower", 0.0, f32::MAX, &table::GRAVITY_POWER_NEGATIVE);
    find.check_range(json, "dragForce", 0.0, 1.0, &table::DRAG_RANGE);
}

fn check_gravity_direction(json: &JsonObject<'_>, direction: [f32; 3], find: &RuleChecker<'_>) {
    let length = length(&direction);
    let pointer = json.pointer_to("gravityDir");
    if length < 1e-6 {
        find.report(&table::GRAVITY_DIR_ZERO, pointer, message!("the direction has length 0"));
    } else if (length - 1.0).abs() > 1e-3 {
        find.report(
            &table::GRAVITY_DIR_LENGTH,
            pointer,
            message!("the direction has length {length}", length = format_args!("{length:.4}")),
        );
    }
}

/// Unquoted words for NaN and infinity, which JSON parsers reject.
const NON_FINITE_LITERALS: &[&str] = &["-Infinity", "Infinity", "NaN", "nan", "-nan", "inf", "-inf"];
const MAX_FINDINGS: usize = 20;
/// A private-use character, which normal text of the file does not contain.
const LITERAL_MARK: char = '\u{10fffd}';

/// Returns the JSON pointer and the word of each unquoted literal. Returns `None` if there is no such word, or if the
/// JSON has another syntax error.
fn find_non_finite_literals(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let json = container::json_text(bytes).ok()?;
    let (quoted, found) = quote_literals(std::str::from_utf8(json).ok()?);
    if found == 0 {
        return None;
    }
    let value = container::parse_json(quoted.as_bytes()).ok()?;
    let mut places = Vec::new();
    collect_literals(&value, "", &mut places);
    Some(places)
}

/// Puts quotation marks around unquoted words, with [`LITERAL_MARK`] before each word. Returns the new text and the
/// number of words.
fn quote_literals(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut found, mut rest, mut quoted) = (0, text, false);
    while let Some(c) = rest.chars().next() {
        if !quoted && let Some(word) = NON_FINITE_LITERALS.iter().find(|word| rest.starts_with(**word)) {
            out.extend(['"', LITERAL_MARK].into_iter().chain(word.chars()).chain(['"']));
            found += 1;
            rest = &rest[word.len()..];
            continue;
        }
        let mut width = c.len_utf8();
        if c == '"' {
            quoted = !quoted;
        } else if c == '\\' && quoted {
            width += rest[1..].chars().next().map_or(0, char::len_utf8);
        }
        out.push_str(&rest[..width]);
        rest = &rest[width..];
    }
    (out, found)
}

/// Collects the marked words. The recursion cannot be deeper than the parser allows.
fn collect_literals(value: &Value, pointer: &str, places: &mut Vec<(String, String)>) {
    match value {
        _ if places.len() == MAX_FINDINGS => {}
        Value::String(text) => {
            places.extend(text.strip_prefix(LITERAL_MARK).map(|word| (pointer.to_owned(), word.to_owned())));
        }
        Value::Array(list) => {
            for (i, entry) in list.iter().enumerate() {
                collect_literals(entry, &format!("{pointer}/{i}"), places);
            }
        }
        Value::Object(map) => {
            for (key, entry) in map {
                collect_literals(entry, &format!("{pointer}/{}", pointer_token(key)), places);
            }
        }
        _ => {}
    }
}
