//! Typed looks into a file's JSON that note which rule a value breaks, and the hierarchy that rules ask about.

use super::table;
use crate::diagnostics::{Diagnostic, FormatRule, Location};
use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// Findings of one file.
#[derive(Debug)]
pub(super) struct RuleChecker<'a> {
    file: &'a str,
    diagnostics: RefCell<Vec<Diagnostic>>,
    counts: RefCell<BTreeMap<&'static str, (usize, &'static FormatRule)>>,
}

impl<'a> RuleChecker<'a> {
    /// The first ones tell the story; the others are counted.
    const MAX_PER_RULE: usize = 20;

    pub(super) fn new(file: &'a str) -> Self {
        Self { file, diagnostics: RefCell::default(), counts: RefCell::default() }
    }

    /// A rule is broken.
    pub(super) fn report(
        &self,
        rule: &'static FormatRule,
        pointer: impl Into<String>,
        message: impl Into<crate::diagnostics::MessageText>,
    ) {
        debug_assert!(table::RULES.iter().any(|known| std::ptr::eq(*known, rule)), "{} is in the table", rule.id);
        let mut counts = self.counts.borrow_mut();
        let (count, _) = counts.entry(rule.id).or_insert((0, rule));
        *count += 1;
        if *count <= Self::MAX_PER_RULE {
            self.diagnostics.borrow_mut().push(Diagnostic::rule_violation(
                rule,
                Location::file(self.file).with_pointer(pointer),
                message,
            ));
        }
    }

    pub(super) fn report_json_error(&self, rule: &'static FormatRule, fault: JsonError) {
        self.report(rule, fault.pointer, fault.message);
    }

    pub(super) fn violation_counts(self) -> BTreeMap<&'static str, usize> {
        self.counts.into_inner().into_iter().map(|(id, (count, _))| (id, count)).collect()
    }

    /// In the order of the walk, then how many were not listed.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut said = self.diagnostics.into_inner();
        for (count, rule) in self.counts.into_inner().into_values() {
            if let Some(more) = count.checked_sub(Self::MAX_PER_RULE).filter(|more| *more > 0) {
                let message = format!("{more} more places break the rule \"{}\"", rule.id);
                said.push(Diagnostic::rule_violation(rule, Location::file(self.file), message));
            }
        }
        said
    }

    /// The value, and a finding where it is `null`, which the specification knows nowhere.
    fn non_null_value<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<&'j Value> {
        let value = json.get(key);
        if value.is_none() && json.keys().any(|there| there == key) {
            self.report(&table::WRONG_TYPE, json.pointer_to(key), "null; a value was expected, or no field at all");
        }
        value
    }

    /// A number that `f32` can hold; absent or broken ones are `None`.
    pub(super) fn check_number(&self, json: &JsonObject<'_>, key: &str) -> Option<f32> {
        let value = self.non_null_value(json, key)?;
        self.check_number_value(value, || json.pointer_to(key))
    }

    fn check_number_value(&self, value: &Value, pointer: impl Fn() -> String) -> Option<f32> {
        let Some(number) = value.as_f64() else {
            let (rule, shown) = match value.as_str() {
                Some(text) if text.trim().parse::<f64>().is_ok() => {
                    (&table::NUMBER_AS_TEXT, format!("\"{}\"", crate::diagnostics::excerpt(text)))
                }
                _ => (&table::WRONG_TYPE, crate::diagnostics::excerpt(&describe_value(value))),
            };
            self.report(rule, pointer(), format!("{shown} where a number was expected"));
            return None;
        };
        let short = number as f32;
        if !short.is_finite() {
            self.report(&table::NUMBER_TOO_LARGE, pointer(), format!("{number:e} does not fit into 32 bits"));
            return None;
        }
        Some(short)
    }

    /// `N` numbers in a list.
    pub(super) fn check_vector<const N: usize>(&self, json: &JsonObject<'_>, key: &str) -> Option<[f32; N]> {
        let value = self.non_null_value(json, key)?;
        let list = value.as_array().filter(|list| list.len() == N);
        let Some(list) = list else {
            let message = format!("{} where a list of {N} numbers was expected", describe_value(value));
            self.report(&table::WRONG_TYPE, json.pointer_to(key), message);
            return None;
        };
        // All of them, so that each broken one is told.
        let part = |(i, v)| self.check_number_value(v, || format!("{}/{i}", json.pointer_to(key)));
        let parts: Vec<_> = list.iter().enumerate().map(part).collect();
        parts.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
    }

    pub(super) fn check_text<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<&'j str> {
        self.non_null_value(json, key)?;
        json.text(key).map_err(|fault| self.report_json_error(&table::WRONG_TYPE, fault)).ok().flatten()
    }

    pub(super) fn check_flag(&self, json: &JsonObject<'_>, key: &str) {
        self.non_null_value(json, key);
        if let Err(fault) = json.flag(key) {
            self.report_json_error(&table::WRONG_TYPE, fault);
        }
    }

    pub(super) fn check_object<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<JsonObject<'j>> {
        self.non_null_value(json, key)?;
        json.object(key).map_err(|fault| self.report_json_error(&table::WRONG_TYPE, fault)).ok().flatten()
    }

    /// The objects of a list by position; others are `None`. An empty list breaks a rule.
    pub(super) fn check_objects<'j>(&self, json: &JsonObject<'j>, key: &str) -> Vec<Option<JsonObject<'j>>> {
        if self.non_null_value(json, key).is_none() {
            return Vec::new();
        }
        match json.objects(key) {
            Err(fault) => {
                self.report_json_error(&table::WRONG_TYPE, fault);
                Vec::new()
            }
            Ok(list) => list
                .map(|entry| entry.map_err(|fault| self.report_json_error(&table::WRONG_TYPE, fault)).ok())
                .collect(),
        }
    }

    /// A position in a list of `count` things.
    pub(super) fn check_index(
        &self,
        json: &JsonObject<'_>,
        key: &str,
        count: usize,
        rule: &'static FormatRule,
    ) -> Option<usize> {
        let value = self.non_null_value(json, key)?;
        self.check_index_value(value, count, rule, || json.pointer_to(key))
    }

    pub(super) fn check_required_index(
        &self,
        json: &JsonObject<'_>,
        key: &str,
        count: usize,
        rule: &'static FormatRule,
    ) -> Option<usize> {
        if json.get(key).is_none() {
            self.report(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
        }
        self.check_index(json, key, count, rule)
    }

    /// Positions in a list of `count` things; those that exist, each once, with where they stand.
    pub(super) fn check_indices(
        &self,
        json: &JsonObject<'_>,
        key: &str,
        count: usize,
        rule: &'static FormatRule,
        again: &'static FormatRule,
    ) -> Vec<(String, usize)> {
        self.non_null_value(json, key);
        let list = match json.list(key) {
            Ok(list) => list,
            Err(fault) => {
                self.report_json_error(&table::WRONG_TYPE, fault);
                &[]
            }
        };
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (i, value) in list.iter().enumerate() {
            let pointer = format!("{}/{i}", json.pointer_to(key));
            let Some(index) = self.check_index_value(value, count, rule, || pointer.clone()) else { continue };
            if seen.insert(index) {
                found.push((pointer, index));
            } else {
                self.report(again, pointer, format!("{index} stands in this list before"));
            }
        }
        found
    }

    fn check_index_value(
        &self,
        value: &Value,
        count: usize,
        rule: &'static FormatRule,
        pointer: impl Fn() -> String,
    ) -> Option<usize> {
        let Some(number) = value.as_f64().filter(|x| x.fract() == 0.0) else {
            let message =
                format!("{} where a whole number was expected", crate::diagnostics::excerpt(&describe_value(value)));
            self.report(&table::WRONG_TYPE, pointer(), message);
            return None;
        };
        if number >= 0.0 && number < count as f64 {
            return Some(number as usize);
        }
        let valid = match count {
            0 => "there is nothing that it could name".to_owned(),
            _ => format!("0 to {} was expected", count - 1),
        };
        self.report(rule, pointer(), format!("{number}; {valid}"));
        None
    }

    /// `specVersion` of an extension; `known` are those that need no word.
    pub(super) fn check_spec_version(&self, json: &JsonObject<'_>, known: &[&str]) {
        match self.check_text(json, "specVersion") {
            Some(version) if known.contains(&version) => {}
            Some(other) => {
                let message = format!("version \"{}\"", crate::diagnostics::excerpt(other));
                self.report(&table::SPEC_VERSION_UNKNOWN, json.pointer_to("specVersion"), message);
            }
            None if json.get("specVersion").is_some() => {}
            None => self.report(&table::SPEC_VERSION_MISSING, json.pointer.clone(), "\"specVersion\" is missing"),
        }
    }

    /// A number below `low` or beyond `high`.
    pub(super) fn check_range(&self, json: &JsonObject<'_>, key: &str, low: f32, high: f32, rule: &'static FormatRule) {
        if let Some(number) = self.check_number(json, key).filter(|n| !(low..=high).contains(n)) {
            self.report(rule, json.pointer_to(key), format!("{number}; {} was expected", range_text(low, high)));
        }
    }
}

fn range_text(low: f32, high: f32) -> String {
    if high == f32::MAX { format!("{low} or more") } else { format!("{low} to {high}") }
}

/// A value as it may stand in a message.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// The file's nodes as far as they make a hierarchy.
#[derive(Debug)]
pub(super) struct NodeTree<'a> {
    nodes: Option<GltfNodes<'a>>,
    /// How many nodes the file lists.
    pub(super) count: usize,
}

impl<'a> NodeTree<'a> {
    pub(super) fn new(root: &JsonObject<'a>) -> Self {
        let nodes = GltfNodes::read(root, &GltfDiagnostics::new("")).ok();
        Self { nodes, count: root.list("nodes").map_or(0, <[Value]>::len) }
    }

    /// Whether anything can be said about ancestors.
    pub(super) fn is_valid(&self) -> bool {
        self.nodes.is_some()
    }

    pub(super) fn is_descendant(&self, above: usize, node: usize) -> bool {
        self.nodes.as_ref().is_some_and(|n| n.is_descendant(n.bone_of_node[above], n.bone_of_node[node]))
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let nodes = self.nodes.as_ref()?;
        nodes.skeleton.parent(nodes.bone_of_node[node]).map(|bone| nodes.node_of_bone[bone.index()])
    }

    /// All nodes, parents first; none where the hierarchy is broken.
    pub(super) fn parents_first(&self) -> &[usize] {
        self.nodes.as_ref().map_or(&[], |nodes| &nodes.node_of_bone)
    }

    /// A node as messages name it.
    pub(super) fn node_label(&self, node: usize) -> String {
        match &self.nodes {
            Some(nodes) => {
                format!("\"{}\"", crate::diagnostics::excerpt(nodes.skeleton.name(nodes.bone_of_node[node])))
            }
            None => format!("{node}"),
        }
    }
}
