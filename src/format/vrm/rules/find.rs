//! Typed looks into a file's JSON that note which rule a value breaks, and the hierarchy that rules ask about.

use super::table;
use crate::format::gltf_json::json::{Fault, Json, Notes};
use crate::format::gltf_json::nodes::Nodes;
use crate::report::{Diagnostic, Place, Rule};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// Findings of one file.
#[derive(Debug)]
pub(super) struct Find<'a> {
    file: &'a str,
    said: RefCell<Vec<Diagnostic>>,
    counts: RefCell<BTreeMap<&'static str, (usize, &'static Rule)>>,
}

impl<'a> Find<'a> {
    /// The first ones tell the story; the others are counted.
    const MOST_OF_A_RULE: usize = 20;

    pub(super) fn new(file: &'a str) -> Self {
        Self { file, said: RefCell::default(), counts: RefCell::default() }
    }

    /// A rule is broken.
    pub(super) fn say(&self, rule: &'static Rule, pointer: impl Into<String>, message: impl Into<String>) {
        debug_assert!(table::RULES.iter().any(|known| std::ptr::eq(*known, rule)), "{} is in the table", rule.id);
        let mut counts = self.counts.borrow_mut();
        let (count, _) = counts.entry(rule.id).or_insert((0, rule));
        *count += 1;
        if *count <= Self::MOST_OF_A_RULE {
            self.said.borrow_mut().push(Diagnostic::broken(rule, Place::file(self.file).at(pointer), message));
        }
    }

    pub(super) fn fault(&self, rule: &'static Rule, fault: Fault) {
        self.say(rule, fault.pointer, fault.message);
    }

    pub(super) fn counts(self) -> BTreeMap<&'static str, usize> {
        self.counts.into_inner().into_iter().map(|(id, (count, _))| (id, count)).collect()
    }

    /// In the order of the walk, then how many were not listed.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut said = self.said.into_inner();
        for (count, rule) in self.counts.into_inner().into_values() {
            if let Some(more) = count.checked_sub(Self::MOST_OF_A_RULE).filter(|more| *more > 0) {
                let message = format!("{more} more places break the rule \"{}\"", rule.id);
                said.push(Diagnostic::broken(rule, Place::file(self.file), message));
            }
        }
        said
    }

    /// The value, and a finding where it is `null`, which the specification knows nowhere.
    fn value<'j>(&self, json: &Json<'j>, key: &str) -> Option<&'j Value> {
        let value = json.get(key);
        if value.is_none() && json.keys().any(|there| there == key) {
            self.say(&table::WRONG_TYPE, json.pointer_to(key), "null; a value was expected, or no field at all");
        }
        value
    }

    /// A number that `f32` can hold; absent or broken ones are `None`.
    pub(super) fn number(&self, json: &Json<'_>, key: &str) -> Option<f32> {
        let value = self.value(json, key)?;
        self.plain_number(value, || json.pointer_to(key))
    }

    fn plain_number(&self, value: &Value, pointer: impl Fn() -> String) -> Option<f32> {
        let Some(number) = value.as_f64() else {
            let (rule, shown) = match value.as_str() {
                Some(text) if text.trim().parse::<f64>().is_ok() => {
                    (&table::NUMBER_AS_TEXT, format!("\"{}\"", crate::report::clip(text)))
                }
                _ => (&table::WRONG_TYPE, crate::report::clip(&kind(value))),
            };
            self.say(rule, pointer(), format!("{shown} where a number was expected"));
            return None;
        };
        let short = number as f32;
        if !short.is_finite() {
            self.say(&table::NUMBER_TOO_LARGE, pointer(), format!("{number:e} does not fit into 32 bits"));
            return None;
        }
        Some(short)
    }

    /// `N` numbers in a list.
    pub(super) fn vector<const N: usize>(&self, json: &Json<'_>, key: &str) -> Option<[f32; N]> {
        let value = self.value(json, key)?;
        let list = value.as_array().filter(|list| list.len() == N);
        let Some(list) = list else {
            let message = format!("{} where a list of {N} numbers was expected", kind(value));
            self.say(&table::WRONG_TYPE, json.pointer_to(key), message);
            return None;
        };
        // All of them, so that each broken one is told.
        let part = |(i, v)| self.plain_number(v, || format!("{}/{i}", json.pointer_to(key)));
        let parts: Vec<_> = list.iter().enumerate().map(part).collect();
        parts.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
    }

    pub(super) fn text<'j>(&self, json: &Json<'j>, key: &str) -> Option<&'j str> {
        self.value(json, key)?;
        json.text(key).map_err(|fault| self.fault(&table::WRONG_TYPE, fault)).ok().flatten()
    }

    pub(super) fn flag(&self, json: &Json<'_>, key: &str) {
        self.value(json, key);
        if let Err(fault) = json.flag(key) {
            self.fault(&table::WRONG_TYPE, fault);
        }
    }

    pub(super) fn object<'j>(&self, json: &Json<'j>, key: &str) -> Option<Json<'j>> {
        self.value(json, key)?;
        json.object(key).map_err(|fault| self.fault(&table::WRONG_TYPE, fault)).ok().flatten()
    }

    /// The objects of a list by position; others are `None`. An empty list breaks a rule.
    pub(super) fn objects<'j>(&self, json: &Json<'j>, key: &str) -> Vec<Option<Json<'j>>> {
        if self.value(json, key).is_none() {
            return Vec::new();
        }
        match json.objects(key) {
            Err(fault) => {
                self.fault(&table::WRONG_TYPE, fault);
                Vec::new()
            }
            Ok(list) => list.map(|entry| entry.map_err(|fault| self.fault(&table::WRONG_TYPE, fault)).ok()).collect(),
        }
    }

    /// A position in a list of `count` things.
    pub(super) fn index(&self, json: &Json<'_>, key: &str, count: usize, rule: &'static Rule) -> Option<usize> {
        let value = self.value(json, key)?;
        self.plain_index(value, count, rule, || json.pointer_to(key))
    }

    pub(super) fn required_index(
        &self,
        json: &Json<'_>,
        key: &str,
        count: usize,
        rule: &'static Rule,
    ) -> Option<usize> {
        if json.get(key).is_none() {
            self.say(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
        }
        self.index(json, key, count, rule)
    }

    /// Positions in a list of `count` things; those that exist, each once, with where they stand.
    pub(super) fn indices(
        &self,
        json: &Json<'_>,
        key: &str,
        count: usize,
        rule: &'static Rule,
        again: &'static Rule,
    ) -> Vec<(String, usize)> {
        self.value(json, key);
        let list = match json.list(key) {
            Ok(list) => list,
            Err(fault) => {
                self.fault(&table::WRONG_TYPE, fault);
                &[]
            }
        };
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (i, value) in list.iter().enumerate() {
            let pointer = format!("{}/{i}", json.pointer_to(key));
            let Some(index) = self.plain_index(value, count, rule, || pointer.clone()) else { continue };
            if seen.insert(index) {
                found.push((pointer, index));
            } else {
                self.say(again, pointer, format!("{index} stands in this list before"));
            }
        }
        found
    }

    fn plain_index(
        &self,
        value: &Value,
        count: usize,
        rule: &'static Rule,
        pointer: impl Fn() -> String,
    ) -> Option<usize> {
        let Some(number) = value.as_f64().filter(|x| x.fract() == 0.0) else {
            let message = format!("{} where a whole number was expected", crate::report::clip(&kind(value)));
            self.say(&table::WRONG_TYPE, pointer(), message);
            return None;
        };
        if number >= 0.0 && number < count as f64 {
            return Some(number as usize);
        }
        let valid = match count {
            0 => "there is nothing that it could name".to_owned(),
            _ => format!("0 to {} was expected", count - 1),
        };
        self.say(rule, pointer(), format!("{number}; {valid}"));
        None
    }

    /// `specVersion` of an extension; `known` are those that need no word.
    pub(super) fn version(&self, json: &Json<'_>, known: &[&str]) {
        match self.text(json, "specVersion") {
            Some(version) if known.contains(&version) => {}
            Some(other) => {
                let message = format!("version \"{}\"", crate::report::clip(other));
                self.say(&table::SPEC_VERSION_UNKNOWN, json.pointer_to("specVersion"), message);
            }
            None if json.get("specVersion").is_some() => {}
            None => self.say(&table::SPEC_VERSION_MISSING, json.pointer.clone(), "\"specVersion\" is missing"),
        }
    }

    /// A number below `low` or beyond `high`.
    pub(super) fn within(&self, json: &Json<'_>, key: &str, low: f32, high: f32, rule: &'static Rule) {
        if let Some(number) = self.number(json, key).filter(|n| !(low..=high).contains(n)) {
            self.say(rule, json.pointer_to(key), format!("{number}; {} was expected", span(low, high)));
        }
    }
}

fn span(low: f32, high: f32) -> String {
    if high == f32::MAX { format!("{low} or more") } else { format!("{low} to {high}") }
}

/// A value as it may stand in a message.
fn kind(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// The file's nodes as far as they make a hierarchy.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    nodes: Option<Nodes<'a>>,
    /// How many nodes the file lists.
    pub(super) count: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(root: &Json<'a>) -> Self {
        let nodes = Nodes::read(root, &Notes::new("")).ok();
        Self { nodes, count: root.list("nodes").map_or(0, <[Value]>::len) }
    }

    /// Whether anything can be said about ancestors.
    pub(super) fn is_sound(&self) -> bool {
        self.nodes.is_some()
    }

    pub(super) fn is_below(&self, above: usize, node: usize) -> bool {
        self.nodes.as_ref().is_some_and(|n| n.is_below(n.bones[above], n.bones[node]))
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let nodes = self.nodes.as_ref()?;
        nodes.skeleton.parent(nodes.bones[node]).map(|bone| nodes.order[bone.index()])
    }

    /// All nodes, parents first; none where the hierarchy is broken.
    pub(super) fn order(&self) -> &[usize] {
        self.nodes.as_ref().map_or(&[], |nodes| &nodes.order)
    }

    /// A node as messages name it.
    pub(super) fn name(&self, node: usize) -> String {
        match &self.nodes {
            Some(nodes) => format!("\"{}\"", crate::report::clip(nodes.skeleton.name(nodes.bones[node]))),
            None => format!("{node}"),
        }
    }
}
