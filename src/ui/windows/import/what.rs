//! What a row of a table is about, in a few words.

use super::Import;
use crate::doc::import::{PlanRow, RowState};
use crate::doc::table::{ColliderCells, Extra, Section};
use crate::schema::{ParamDef, find_row_or_former};
use crate::sim::{Form, Shape};
use crate::ui::Cx;
use crate::ui::widgets::number::NumberFormat;
use crate::ui::words::param_label;

/// Key of the words above the column that [`Import::what`] fills.
pub(super) const fn column_key(section: Section) -> &'static str {
    match section {
        Section::Bones => "windows.import.column.stiffness",
        Section::Colliders => "csv.column.shape",
        Section::Pivots | Section::Nulls => "csv.column.parent",
        Section::Components => "csv.column.legs",
        Section::Extras => "csv.column.of",
    }
}

impl Import {
    /// The name that a row shows: that of its bone or node, or what a comment row says.
    pub(super) fn title(&self, cx: &Cx<'_>, row: &PlanRow, at: usize) -> String {
        if self.section != Section::Extras {
            return row.name.clone();
        }
        match self.plan().table().extras.get(at).map(|r| &r.cells) {
            Some(Ok(extra)) => extra_title(cx, extra, self.plan().table().solver.info().params),
            _ => row.name.clone(),
        }
    }

    /// Old and new, or what it is.
    pub(super) fn what(&self, cx: &Cx<'_>, row: &PlanRow, at: usize, format: NumberFormat) -> String {
        let table = self.plan().table();
        let parent = |name: &String| cx.tr_with("csv.on", &[("name", name)]);
        let words = match self.section {
            Section::Bones => return stiffness(&row.state, format),
            Section::Colliders => {
                table.colliders.get(at).and_then(|r| r.cells.as_ref().ok()).map(|c| collider(cx, &row.name, c))
            }
            Section::Pivots => table.pivots.get(at).and_then(|r| r.cells.as_ref().ok()).map(|c| parent(&c.parent)),
            Section::Nulls => table.nulls.get(at).and_then(|r| r.cells.as_ref().ok()).map(|c| parent(&c.parent)),
            Section::Components => {
                let cells = table.components.get(at).and_then(|r| r.cells.as_ref().ok());
                cells.map(|c| cx.tr_with("csv.legs", &[("n", &c.legs.len().to_string())]))
            }
            Section::Extras => table.extras.get(at).and_then(|r| r.cells.as_ref().ok()).map(|e| subject(e).to_owned()),
        };
        words.unwrap_or_else(|| "–".to_owned())
    }
}

/// The restoring force now and then.
fn stiffness(state: &RowState, format: NumberFormat) -> String {
    match state {
        RowState::Matches { stiffness: Some((Some(old), new)), .. } if old == new => format.text(*new),
        RowState::Matches { stiffness: Some((old, new)), .. } => {
            let old = old.map_or_else(|| "–".to_owned(), |old| format.text(old));
            format!("{old} → {}", format.text(*new))
        }
        RowState::BadCells(_) => "–".to_owned(),
        _ => String::new(),
    }
}

/// A collider's kind and size, before it those of the one that is here where they differ.
fn collider(cx: &Cx<'_>, name: &str, cells: &ColliderCells) -> String {
    let kind = |shape: &Shape| match shape.form() {
        Form::Ball => cx.tr("csv.shape.sphere"),
        Form::Rod => cx.tr("csv.shape.capsule"),
        Form::Flat | Form::Block => cx.tr("csv.shape.panel"),
    };
    let old = cx.session().document().colliders.values().find(|c| c.name == name).map(|c| c.shape);
    let new = cells.shape;
    match old.filter(|old| size(old) != size(&new)) {
        Some(old) if kind(&old) == kind(&new) => format!("{} {} → {} mm", kind(&new), size(&old), size(&new)),
        Some(old) if kind(&old) != kind(&new) => format!("{} → {} {} mm", kind(&old), kind(&new), size(&new)),
        _ => format!("{} {} mm", kind(&new), size(&new)),
    }
}

/// Its numbers in the order of its table; millimetres.
fn size(shape: &Shape) -> String {
    let mm = |at| format!("{:.0}", shape.field(at) * 1000.0);
    let numbers: Vec<String> = (0..shape.fields().len()).map(mm).collect();
    if numbers.is_empty() { "∞".to_owned() } else { numbers.join(" × ") }
}

/// What a comment row says.
fn extra_title(cx: &Cx<'_>, extra: &Extra, table: &'static [ParamDef]) -> String {
    let label = |row: &String| match find_row_or_former(table, row) {
        Some((found, _)) => param_label(cx.theme.lang, &table[found.index()]).into_owned(),
        None => row.clone(),
    };
    let plain = |key: &str| cx.tr(&format!("csv.extra.{key}")).into_owned();
    let switch = |key: &str, on: bool| plain(&format!("{key}_{}", if on { "on" } else { "off" }));
    match extra {
        Extra::System { row, .. } | Extra::Joint { row, .. } | Extra::Value { row, curve: None, .. } => label(row),
        Extra::Value { row, .. } => cx.tr_with("csv.extra.curve", &[("name", &label(row))]),
        Extra::Named { .. } => plain("named"),
        Extra::SitsOn { .. } => plain("sits_on"),
        Extra::Enabled { on, .. } => switch("joint", *on),
        Extra::Animated { on, .. } => switch("animated", *on),
        Extra::TipBone { .. } => plain("tip_bone"),
        Extra::TipAt { .. } => plain("tip_at"),
        Extra::Length { .. } => plain("length"),
        Extra::Excluded { .. } => plain("excluded"),
        Extra::Renderer { on, .. } => switch("mesh", *on),
        Extra::Collider { on, .. } => switch("collider", *on),
        Extra::Chain { .. } => plain("chain"),
        Extra::Group { .. } => plain("group"),
        Extra::Groups { .. } => plain("groups"),
        Extra::Center { .. } => plain("center"),
        Extra::Material { name, .. } => cx.tr_with("csv.extra.material", &[("name", name)]),
        Extra::Swing { .. } => plain("swing"),
        Extra::Force(_) => plain("force"),
        Extra::Lists(_) => plain("lists"),
    }
}

/// Whom a comment row is about.
fn subject(extra: &Extra) -> &str {
    match extra {
        Extra::System { .. } | Extra::Lists(_) => "",
        Extra::Joint { bone, .. }
        | Extra::Enabled { bone, .. }
        | Extra::Animated { bone, .. }
        | Extra::TipBone { bone, .. }
        | Extra::TipAt { bone, .. }
        | Extra::Length { bone, .. }
        | Extra::Excluded { bone }
        | Extra::Swing { bone, .. } => bone,
        Extra::SitsOn { node } => node,
        Extra::Named { name }
        | Extra::Renderer { name, .. }
        | Extra::Collider { name, .. }
        | Extra::Chain { name, .. }
        | Extra::Group { name, .. } => name,
        Extra::Value { root, .. }
        | Extra::Groups { root, .. }
        | Extra::Center { root, .. }
        | Extra::Material { root, .. } => root,
        Extra::Force(cells) => &cells.name,
    }
}
