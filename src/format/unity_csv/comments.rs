//! Comment rows of our own, which hold what the engines' rows cannot.
//!
//! `#yuremono,2,<JSON of one entry>`: UnityChan skips every row that starts with `#`. The entry is a
//! [`SetupItem`] in glTF's space, whatever the space of the other rows is. One row holds one entry, so that sorting or
//! deleting rows in a spreadsheet spoils none of the others.
//!
//! `#yuremono,2,{"row": ["[Section]", "name", ...]}` is a row of a section whose name or cells a reader would not get
//! back.

use crate::document::{ByName, Force, Helper, Joint, NodeRef, SetupItem, Tip};
use crate::exchange::{Fault, Problem};
use crate::report::clip;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_path_to_error::Segment;

/// The first cell of a comment row, in any case.
pub(super) const MARK: &str = "#yuremono";
/// The second cell. Rows of other versions are kept and not used.
const VERSION: &str = "2";
/// The column of the entry, for messages.
const ENTRY: &str = "entry";

/// A row of a section, with the bracketed name of that.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowComment {
    row: Vec<String>,
}

/// The cells of a row that stands in a comment row, after the bracketed name of its section; at least one.
pub(super) fn row_in(cells: &[String]) -> Option<(String, Vec<String>)> {
    let json = cells.get(2).filter(|_| cells[1] == VERSION)?;
    let mut row = serde_json::from_str::<RowComment>(json).ok()?.row;
    let is_section = |name: &String| name.starts_with('[') && name.trim_end() == name;
    if row.len() < 2 || !row.first().is_some_and(is_section) || !is_padding(cells) {
        return None;
    }
    let section = row.remove(0);
    Some((section, row))
}

/// The kind of entry that a comment row holds, which names the row in lists, and the entry.
pub(super) fn entry_in(cells: &[String]) -> (String, Result<SetupItem, Vec<Problem>>) {
    let cell = |at: usize| cells.get(at).map_or("", String::as_str);
    let version = cell(1);
    if version != VERSION {
        return (cell(2).to_owned(), Err(vec![Problem::new("version", version, Fault::NotUnderstood)]));
    }
    let rejected = |cell: String| Err(vec![Problem::new(ENTRY, cell, Fault::NotUnderstood)]);
    let json = cell(2);
    let kind = first_key(json);
    if !is_padding(cells) {
        return (kind, rejected(json.to_owned()));
    }
    let entry = match parse::<SetupItem>(json) {
        Ok(item) if is_finite(&item) => Ok(item),
        Ok(_) => rejected("a place is not finite".to_owned()),
        Err(message) => rejected(message),
    };
    (kind, entry)
}

/// The cells of the comment row of an entry.
pub(super) fn entry_cells(item: &SetupItem) -> Vec<String> {
    cells_of(item)
}

/// The cells of the comment row that holds a row of a section.
pub(super) fn row_cells(section: &str, name: &str, cells: &[String]) -> Vec<String> {
    let names = [section, name].map(str::to_owned);
    cells_of(&RowComment { row: names.into_iter().chain(cells.iter().cloned()).collect() })
}

fn cells_of(entry: &impl Serialize) -> Vec<String> {
    // No type of an entry has map keys that JSON refuses.
    let json = serde_json::to_string(entry).unwrap_or_default();
    vec![MARK.to_owned(), VERSION.to_owned(), json]
}

/// Whether only empty cells follow the JSON: a spreadsheet fills rows up with them.
fn is_padding(cells: &[String]) -> bool {
    cells.iter().skip(3).all(String::is_empty)
}

/// The only field of an object; empty for other JSON.
fn first_key(json: &str) -> String {
    let rest = json.trim_start().strip_prefix('{').unwrap_or_default().trim_start();
    let key = serde_json::Deserializer::from_str(rest).into_iter::<String>().next();
    key.and_then(Result::ok).unwrap_or_default()
}

/// The error is a JSON pointer and what is wrong there.
fn parse<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let entry = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let step = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } | Segment::Enum { variant: key } => Some(format!("/{key}")),
            Segment::Unknown => None,
        };
        let pointer: String = error.path().iter().filter_map(step).collect();
        format!("{}: {}", clip(&pointer), error.inner())
    })?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(entry)
}

/// Whether the places and directions of an entry are finite.
fn is_finite(item: &SetupItem) -> bool {
    let joint = |joint: &Joint<ByName>| {
        let nodes = joint.pivot.iter().chain(joint.length_targets.iter().map(|target| &target.node));
        !matches!(joint.tip, Tip::Offset(offset) if !offset.is_finite())
            && joint.limit.is_none_or(|limit| limit.rotation.is_finite())
            && nodes.into_iter().all(is_finite_node)
    };
    match item {
        SetupItem::Node(node) => is_finite_helper(node),
        SetupItem::Collider(collider) => is_finite_node(&collider.node),
        SetupItem::Force(Force { node, .. }) => is_finite_node(node),
        SetupItem::HighLeg(high_leg) => {
            [&high_leg.node, &high_leg.hip].into_iter().chain(high_leg.legs.iter().flatten()).all(is_finite_node)
        }
        SetupItem::Joint(item) => joint(&item.joint),
        SetupItem::Chain(item) => item.chain.center.iter().all(is_finite_node) && item.chain.joints.iter().all(joint),
        SetupItem::System(system) => {
            let mut all = system.component.iter().all(is_finite_node);
            let node = |node: &NodeRef| {
                all &= is_finite_node(node);
                Some(())
            };
            // Renaming visits every node.
            _ = system.extras.rename(node, |bone| Some(bone.clone()), |collider| Some(collider.clone()));
            all
        }
        SetupItem::ComponentNodes(_)
        | SetupItem::Material(..)
        | SetupItem::ColliderOff(_)
        | SetupItem::Group(..)
        | SetupItem::Excluded(_)
        | SetupItem::MeshHidden(_) => true,
    }
}

fn is_finite_node(node: &NodeRef) -> bool {
    match node {
        NodeRef::Named(_) => true,
        NodeRef::Placed(helper) => is_finite_helper(helper),
    }
}

fn is_finite_helper(helper: &Helper<ByName>) -> bool {
    helper.local.is_finite() && is_finite_node(&helper.parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(version: &str, json: &str) -> Vec<String> {
        [MARK, version, json].map(str::to_owned).to_vec()
    }

    #[track_caller]
    fn check_refused(cells: &[String], kind: &str, message: &str) {
        let (found, entry) = entry_in(cells);
        assert_eq!(found, kind);
        let told = entry.expect_err("not an entry")[0].to_string();
        assert!(told.contains(message), "{told}");
    }

    #[test]
    fn rows_of_other_versions_and_broken_entries_say_what_is_wrong() {
        check_refused(&comment("1", "system"), "system", "version: \"1\" is not understood");
        check_refused(&comment("3", "{}"), "{}", "version: \"3\" is not understood");
        check_refused(&comment("2", "{\"joint\""), "joint", "is not understood");
        check_refused(&comment("2", "{\"colour\":1}"), "colour", "unknown variant `colour`");
        check_refused(&comment("2", "{\"force\":{\"name\":1}}"), "force", "/force/name: invalid type");
        check_refused(&comment("2", "{\"excluded\":\"a\"} x"), "excluded", "trailing");
        check_refused(&[MARK.to_owned()], "", "version");
        let far =
            "{\"joint\":{\"scope\":\"details\",\"joint\":{\"bone\":\"a\",\"tip\":{\"offset\":[\"Infinity\",0,0]}}}}";
        check_refused(&comment("2", far), "joint", "not finite");
        let split = [MARK, "2", "{\"excluded\":\"a\"}", "b"].map(str::to_owned);
        check_refused(&split, "excluded", "is not understood");
    }

    #[test]
    fn padded_entries_and_rows_are_read() {
        let item = SetupItem::Excluded(" [a]\n\"b\"".to_owned());
        let mut cells = entry_cells(&item);
        cells.extend([String::new(), String::new()]);
        assert_eq!(entry_in(&cells), ("excluded".to_owned(), Ok(item)));
        assert_eq!(row_in(&cells), None);
        let mut cells = row_cells("[Pivots]", " a", &["b ".to_owned()]);
        cells.push(String::new());
        assert_eq!(row_in(&cells), Some(("[Pivots]".to_owned(), vec![" a".to_owned(), "b ".to_owned()])));
    }
}
