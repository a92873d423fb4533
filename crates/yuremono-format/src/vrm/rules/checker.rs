//! Typed access to the JSON and the node hierarchy of a file. Broken rules are reported.

use super::table;
use crate::gltf_json::json::{JsonError, JsonObject, describe_value};
use crate::gltf_json::nodes::GltfNodes;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use yuremono_sim::diagnostics::{Diagnostic, FormatRule, Location, MessageText, excerpt, message};

/// Collects the rule violations of one file.
#[derive(Debug)]
pub(super) struct RuleChecker<'a> {
    file: &'a str,
    root: JsonObject<'a>,
    /// `None` if the nodes do not form a valid hierarchy.
    nodes: Option<GltfNodes<'a>>,
    /// Number of nodes in the file.
    pub(super) node_count: usize,
    diagnostics: RefCell<Vec<Diagnostic>>,
    counts: RefCell<BTreeMap<&'static str, (usize, &'static FormatRule)>>,
}

impl<'a> RuleChecker<'a> {
    /// Maximum number of diagnostics per rule. Further violations are only counted.
    const MAX_PER_RULE: usize = 20;

    pub(super) fn new(file: &'a str, root: JsonObject<'a>) -> Self {
        Self {
            file,
            nodes: GltfNodes::read(&root).ok(),
            node_count: root.list("nodes").map_or(0, <[Value]>::len),
            root,
            diagnostics: RefCell::default(),
            counts: RefCell::default(),
        }
    }

    /// Reports a violation of `rule`.
    pub(super) fn report(
        &self,
        rule: &'static FormatRule,
        pointer: impl Into<String>,
        message: impl Into<MessageText>,
    ) {
        let mut counts = self.counts.borrow_mut();
        let (count, _) = counts.entry(rule.id).or_insert((0, rule));
        *count += 1;
        if *count <= Self::MAX_PER_RULE {
            let location = Location::file(self.file).with_pointer(pointer);
            self.diagnostics.borrow_mut().push(Diagnostic::rule_violation(rule, location, message));
        }
    }

    pub(super) fn report_json_error(&self, fault: JsonError) {
        self.report(&table::WRONG_TYPE, fault.pointer, fault.message);
    }

    /// Reports that a required field is missing.
    pub(super) fn report_missing(&self, rule: &'static FormatRule, json: &JsonObject<'_>, key: &str) {
        self.report(rule, json.pointer.clone(), message!("\"{key}\" is missing", key));
    }

    /// Reports an extension that `extensionsUsed` does not list.
    pub(super) fn check_declared(&self, name: &str, json: &JsonObject<'_>) {
        let list = self.root.list("extensionsUsed").unwrap_or_default();
        if !list.iter().any(|used| used == name) {
            let message = message!("\"{name}\" is used but not listed in extensionsUsed", name);
            self.report(&table::EXTENSION_NOT_DECLARED, json.pointer.clone(), message);
        }
    }

    pub(super) fn violation_counts(self) -> BTreeMap<&'static str, usize> {
        self.counts.into_inner().into_iter().map(|(id, (count, _))| (id, count)).collect()
    }

    /// Returns the diagnostics in the order of the checks, followed by the number of unlisted violations of each rule.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut listed = self.diagnostics.into_inner();
        for (count, rule) in self.counts.into_inner().into_values() {
            if let Some(more) = count.checked_sub(Self::MAX_PER_RULE).filter(|more| *more > 0) {
                let message = message!("{more} more places break the rule \"{id}\"", more, id = rule.id);
                listed.push(Diagnostic::rule_violation(rule, Location::file(self.file), message));
            }
        }
        listed
    }

    fn non_null_value<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<&'j Value> {
        let value = json.get(key);
        if value.is_none() && json.keys().any(|there| there == key) {
            self.report(
                &table::WRONG_TYPE,
                json.pointer_to(key),
                message!("null; expected a value, or no field at all"),
            );
        }
        value
    }

    /// Returns a number that `f32` can store, or `None` if the number is missing or invalid.
    pub(super) fn check_number(&self, json: &JsonObject<'_>, key: &str) -> Option<f32> {
        let value = self.non_null_value(json, key)?;
        self.check_number_value(value, || json.pointer_to(key))
    }

    fn check_number_value(&self, value: &Value, pointer: impl Fn() -> String) -> Option<f32> {
        let Some(number) = value.as_f64() else {
            let (rule, shown) = match value.as_str() {
                Some(text) if text.trim().parse::<f64>().is_ok() => (&table::NUMBER_AS_TEXT, describe_value(value)),
                _ => (&table::WRONG_TYPE, describe_value(value)),
            };
            self.report(rule, pointer(), message!("{shown} where a number was expected", shown));
            return None;
        };
        let short = number as f32;
        if !short.is_finite() {
            self.report(
                &table::NUMBER_TOO_LARGE,
                pointer(),
                message!("{number} does not fit into 32 bits", number = format_args!("{number:e}")),
            );
            return None;
        }
        Some(short)
    }

    /// Returns a list of `N` numbers, or `None` if the list is missing or invalid.
    pub(super) fn check_vector<const N: usize>(&self, json: &JsonObject<'_>, key: &str) -> Option<[f32; N]> {
        let value = self.non_null_value(json, key)?;
        let list = value.as_array().filter(|list| list.len() == N);
        let Some(list) = list else {
            let message =
                message!("{value} where a list of {n} numbers was expected", value = describe_value(value), n = N);
            self.report(&table::WRONG_TYPE, json.pointer_to(key), message);
            return None;
        };
        // All numbers are checked first, so that each invalid number is reported.
        let part = |(i, v)| self.check_number_value(v, || format!("{}/{i}", json.pointer_to(key)));
        let parts: Vec<_> = list.iter().enumerate().map(part).collect();
        parts.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
    }

    fn checked<T>(&self, json: &JsonObject<'_>, key: &str, read: Result<T, JsonError>) -> Option<T> {
        self.non_null_value(json, key);
        read.map_err(|fault| self.report_json_error(fault)).ok()
    }

    pub(super) fn check_text<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<&'j str> {
        self.checked(json, key, json.text(key)).flatten()
    }

    pub(super) fn check_flag(&self, json: &JsonObject<'_>, key: &str) {
        self.checked(json, key, json.flag(key));
    }

    pub(super) fn check_object<'j>(&self, json: &JsonObject<'j>, key: &str) -> Option<JsonObject<'j>> {
        self.checked(json, key, json.object(key)).flatten()
    }

    /// Returns the entries of a list. An entry that is not an object is `None`.
    pub(super) fn check_objects<'j>(&self, json: &JsonObject<'j>, key: &str) -> Vec<Option<JsonObject<'j>>> {
        let objects = self.checked(json, key, json.objects(key)).into_iter().flatten();
        objects.map(|entry| entry.map_err(|fault| self.report_json_error(fault)).ok()).collect()
    }

    /// Returns an index into a list of `count` entries.
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
            self.report_missing(&table::REQUIRED_MISSING, json, key);
        }
        self.check_index(json, key, count, rule)
    }

    pub(super) fn check_indices(
        &self,
        json: &JsonObject<'_>,
        key: &str,
        count: usize,
        rule: &'static FormatRule,
        again: &'static FormatRule,
    ) -> Vec<(String, usize)> {
        let list = self.checked(json, key, json.list(key)).unwrap_or_default();
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (i, value) in list.iter().enumerate() {
            let pointer = format!("{}/{i}", json.pointer_to(key));
            let Some(index) = self.check_index_value(value, count, rule, || pointer.clone()) else { continue };
            if seen.insert(index) {
                found.push((pointer, index));
            } else {
                self.report(again, pointer, message!("{index} is in this list already", index));
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
            let message = message!("{value} where a whole number was expected", value = describe_value(value));
            self.report(&table::WRONG_TYPE, pointer(), message);
            return None;
        };
        if number >= 0.0 && number < count as f64 {
            return Some(number as usize);
        }
        let valid = match count {
            0 => message!("there is nothing to refer to"),
            _ => message!("0 to {count} was expected", count = count - 1),
        };
        self.report(rule, pointer(), message!("{number}; {valid}", number, valid));
        None
    }

    /// Checks the `specVersion` of an extension.
    pub(super) fn check_spec_version(&self, json: &JsonObject<'_>, known: &[&str]) {
        const KEY: &str = "specVersion";
        match self.check_text(json, KEY) {
            Some(version) if known.contains(&version) => {}
            Some(other) => {
                let message = message!("unknown version \"{other}\"", other = excerpt(other));
                self.report(&table::SPEC_VERSION_UNKNOWN, json.pointer_to(KEY), message);
            }
            None if json.get(KEY).is_some() => {}
            None => self.report_missing(&table::SPEC_VERSION_MISSING, json, KEY),
        }
    }

    /// Reports a number outside the range from `low` to `high`.
    pub(super) fn check_range(&self, json: &JsonObject<'_>, key: &str, low: f32, high: f32, rule: &'static FormatRule) {
        if let Some(number) = self.check_number(json, key).filter(|n| !(low..=high).contains(n)) {
            self.report(
                rule,
                json.pointer_to(key),
                message!("{number}; {high} was expected", number, high = range_text(low, high)),
            );
        }
    }

    pub(super) const fn has_hierarchy(&self) -> bool {
        self.nodes.is_some()
    }

    pub(super) fn is_descendant(&self, above: usize, node: usize) -> bool {
        self.nodes.as_ref().is_some_and(|n| n.is_descendant(n.bone_of_node[above], n.bone_of_node[node]))
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let nodes = self.nodes.as_ref()?;
        nodes.skeleton.parent(nodes.bone_of_node[node]).map(|bone| nodes.node_of_bone[bone.index()])
    }

    /// Returns all nodes, parents before children, or an empty slice if there is no valid hierarchy.
    pub(super) fn parents_first(&self) -> &[usize] {
        self.nodes.as_ref().map_or(&[], |nodes| &nodes.node_of_bone)
    }

    /// Returns the name of a node for messages.
    pub(super) fn node_label(&self, node: usize) -> String {
        self.nodes.as_ref().map_or_else(
            || node.to_string(),
            |nodes| format!("\"{}\"", excerpt(nodes.skeleton.name(nodes.bone_of_node[node]))),
        )
    }
}

fn range_text(low: f32, high: f32) -> MessageText {
    if high == f32::MAX { message!("{low} or more", low) } else { message!("{low} to {high}", low, high) }
}

/// Returns the length of a vector or quaternion.
pub(super) fn length(parts: &[f32]) -> f64 {
    parts.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
}
