//! Comment rows with data that Unity's rows cannot store. Only Yuremono reads these rows.
//!
//! `#yuremono,2,<JSON of one entry>`: UnityChan skips every row that starts with `#`. The entry is a [`SetupEntry`] in
//! glTF's space, even if the other rows are in another space. A comment row contains one entry, so a spreadsheet can
//! sort or delete rows without damage to other entries.
//!
//! `#yuremono,2,{"row": ["[Section]", "name", ...]}` stores a row of a section if its name or cells would change when
//! the row is parsed.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_path_to_error::Segment;
use yuremono_model::document::{ByName, Force, Helper, Joint, NodeRef, SetupEntry, Tip};
use yuremono_model::exchange::{CellFault, CellProblem};
use yuremono_sim::diagnostics::excerpt;

/// The first cell of a comment row. Case is ignored.
pub(super) const COMMENT_MARK: &str = "#yuremono";
/// The second cell. Rows of other versions are kept but not used.
const VERSION: &str = "2";
/// The column name of the entry, for messages.
const ENTRY_COLUMN: &str = "entry";

/// A row of a section. The first item is the bracketed name of the section.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowComment {
    row: Vec<String>,
}

pub(super) fn parse_row_comment(cells: &[String]) -> Option<(String, Vec<String>)> {
    let json = cells.get(2).filter(|_| cells[1] == VERSION)?;
    let mut row = serde_json::from_str::<RowComment>(json).ok()?.row;
    let is_section = |name: &String| name.starts_with('[') && name.trim_end() == name;
    if row.len() < 2 || !row.first().is_some_and(is_section) || !has_only_padding_after_json(cells) {
        return None;
    }
    let section = row.remove(0);
    Some((section, row))
}

/// Parses the entry in a comment row. Also returns the name of the entry's kind, for lists.
pub(super) fn parse_entry_comment(cells: &[String]) -> (String, Result<SetupEntry, Vec<CellProblem>>) {
    let cell = |at: usize| cells.get(at).map_or("", String::as_str);
    let version = cell(1);
    if version != VERSION {
        return (cell(2).to_owned(), Err(vec![CellProblem::new("version", version, CellFault::UnknownComment)]));
    }
    let rejected = |cell: String| Err(vec![CellProblem::new(ENTRY_COLUMN, cell, CellFault::UnknownComment)]);
    let json = cell(2);
    let kind = first_key(json);
    if !has_only_padding_after_json(cells) {
        return (kind, rejected(json.to_owned()));
    }
    let entry = match parse_json::<SetupEntry>(json) {
        Ok(item) if is_finite(&item) => Ok(item),
        Ok(_) => rejected("a place is not finite".to_owned()),
        Err(message) => rejected(message),
    };
    (kind, entry)
}

/// Returns the cells of a comment row with an entry.
pub(super) fn entry_comment_cells(item: &SetupEntry) -> Vec<String> {
    comment_cells(item)
}

/// Returns the cells of a comment row with a row of a section.
pub(super) fn row_comment_cells(section: &str, name: &str, cells: &[String]) -> Vec<String> {
    let names = [section, name].map(str::to_owned);
    comment_cells(&RowComment { row: names.into_iter().chain(cells.iter().cloned()).collect() })
}

fn comment_cells(entry: &impl Serialize) -> Vec<String> {
    // Serialization cannot fail, because no entry type has map keys that JSON rejects.
    let json = serde_json::to_string(entry).unwrap_or_default();
    vec![COMMENT_MARK.to_owned(), VERSION.to_owned(), json]
}

/// Whether only empty cells follow the JSON. Spreadsheets pad rows with empty cells.
fn has_only_padding_after_json(cells: &[String]) -> bool {
    cells.iter().skip(3).all(String::is_empty)
}

/// Returns the name of the first field of a JSON object, or an empty string for other JSON.
fn first_key(json: &str) -> String {
    let rest = json.trim_start().strip_prefix('{').unwrap_or_default().trim_start();
    let key = serde_json::Deserializer::from_str(rest).into_iter::<String>().next();
    key.and_then(Result::ok).unwrap_or_default()
}

/// Parses an entry. The error contains the JSON pointer and the problem.
fn parse_json<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let entry = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let step = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } | Segment::Enum { variant: key } => Some(format!("/{key}")),
            Segment::Unknown => None,
        };
        let pointer: String = error.path().iter().filter_map(step).collect();
        format!("{}: {}", excerpt(&pointer), error.inner())
    })?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(entry)
}

/// Whether all positions and directions of an entry are finite.
fn is_finite(item: &SetupEntry) -> bool {
    let joint = |joint: &Joint<ByName>| {
        let nodes = joint.pivot.iter().chain(joint.length_targets.iter().map(|target| &target.node));
        !matches!(joint.tip, Tip::Offset(offset) if !offset.is_finite())
            && joint.limit.is_none_or(|limit| limit.rotation.is_finite())
            && nodes.into_iter().all(is_finite_node)
    };
    match item {
        SetupEntry::Helper(node) => is_finite_helper(node),
        SetupEntry::Collider(collider) => is_finite_node(&collider.node),
        SetupEntry::Force(Force { node, .. }) => is_finite_node(node),
        SetupEntry::HighLeg(high_leg) => {
            [&high_leg.node, &high_leg.hip].into_iter().chain(high_leg.legs.iter().flatten()).all(is_finite_node)
        }
        SetupEntry::Joint(item) => joint(&item.joint),
        SetupEntry::Chain(item) => item.chain.center.iter().all(is_finite_node) && item.chain.joints.iter().all(joint),
        SetupEntry::System(system) => {
            let mut all = system.component.iter().all(is_finite_node);
            let node = |node: &NodeRef| {
                all &= is_finite_node(node);
                Some(())
            };
            // `map_names` is used because it visits every node.
            _ = system.component_lists.map_names(node, |bone| Some(bone.clone()), |collider| Some(collider.clone()));
            all
        }
        SetupEntry::ComponentNodes(_)
        | SetupEntry::Material(..)
        | SetupEntry::DisabledCollider(_)
        | SetupEntry::Group(..)
        | SetupEntry::ExcludedBone(_)
        | SetupEntry::HiddenMesh(_) => true,
    }
}

fn is_finite_node(node: &NodeRef) -> bool {
    match node {
        NodeRef::Named(_) => true,
        NodeRef::Inline(helper) => is_finite_helper(helper),
    }
}

fn is_finite_helper(helper: &Helper<ByName>) -> bool {
    helper.local.is_finite() && is_finite_node(&helper.parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(version: &str, json: &str) -> Vec<String> {
        [COMMENT_MARK, version, json].map(str::to_owned).to_vec()
    }

    #[track_caller]
    fn check_rejected(cells: &[String], kind: &str, message: &str) {
        let (found, entry) = parse_entry_comment(cells);
        assert_eq!(found, kind);
        let found = entry.expect_err("not an entry")[0].to_string();
        assert!(found.contains(message), "{found}");
    }

    #[test]
    fn other_versions_and_broken_items_report_what_is_wrong() {
        check_rejected(&comment("1", "system"), "system", "version: \"1\" is not understood");
        check_rejected(&comment("3", "{}"), "{}", "version: \"3\" is not understood");
        check_rejected(&comment("2", "{\"joint\""), "joint", "is not understood");
        check_rejected(&comment("2", "{\"colour\":1}"), "colour", "unknown variant `colour`");
        check_rejected(&comment("2", "{\"force\":{\"name\":1}}"), "force", "/force/name: invalid type");
        check_rejected(&comment("2", "{\"excluded_bone\":\"a\"} x"), "excluded_bone", "trailing");
        check_rejected(&[COMMENT_MARK.to_owned()], "", "version");
        let far =
            "{\"joint\":{\"scope\":\"details\",\"joint\":{\"bone\":\"a\",\"tip\":{\"offset\":[\"Infinity\",0,0]}}}}";
        check_rejected(&comment("2", far), "joint", "not finite");
        let split = [COMMENT_MARK, "2", "{\"excluded_bone\":\"a\"}", "b"].map(str::to_owned);
        check_rejected(&split, "excluded_bone", "is not understood");
    }

    #[test]
    fn padded_entries_and_rows_are_read() {
        let item = SetupEntry::ExcludedBone(" [a]\n\"b\"".to_owned());
        let mut cells = entry_comment_cells(&item);
        cells.extend([String::new(), String::new()]);
        assert_eq!(parse_entry_comment(&cells), ("excluded_bone".to_owned(), Ok(item)));
        assert_eq!(parse_row_comment(&cells), None);
        let mut cells = row_comment_cells("[Pivots]", " a", &["b ".to_owned()]);
        cells.push(String::new());
        assert_eq!(parse_row_comment(&cells), Some(("[Pivots]".to_owned(), vec![" a".to_owned(), "b ".to_owned()])));
    }
}
