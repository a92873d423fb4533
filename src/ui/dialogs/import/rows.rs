//! The table of the import window.

use super::{Import, Show, reason};
use crate::doc::import::{PlanRow, RowState};
use crate::doc::table::{ColliderCells, Extra, Layout, Problem, Section};
use crate::rig::BoneId;
use crate::schema::{Idea, ParamDef, Unit, find_row_or_former, rows};
use crate::sim::{Form, Shape, SolverKind};
use crate::ui::Cx;
use crate::ui::dialogs::dialog::DialogOutput;
use crate::ui::dialogs::table::{self, Cells, Column, RowStart, Table};
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::Tick;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words::param_label;
use egui::{Color32, Ui, pos2};
use std::collections::BTreeSet;

const ICON: f32 = 48.0;
const NAME: f32 = 72.0;
/// The share of the width behind [`NAME`] after which numbers end.
const VALUE: f32 = 0.46;

impl Import {
    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, height: f32, out: &mut DialogOutput) {
        if self.show == Some(Show::NotInFile) {
            self.others_ui(ui, cx, height, out);
            return;
        }
        let first = match self.section {
            Section::Bones => "windows.import.column.bone",
            Section::Extras => "csv.column.says",
            _ => "csv.column.name",
        };
        let names = [first, column_key(self.section), "windows.import.column.note"].map(|key| cx.tr(key));
        let columns = [
            Column::new("", NAME),
            Column::pair(&names[0], &names[1], VALUE * (ui.available_width() - NAME)),
            Column::rest(&names[2]).indented(space::XL),
        ];
        let shown = self.shown_rows();
        let rows = self.plan().rows_of(self.section);
        let usable: Vec<usize> = shown.iter().copied().filter(|at| rows[*at].state.is_usable()).collect();
        let ticked = usable.iter().filter(|at| rows[**at].ticked).count();
        let tick = Tick::among(ticked, shown.len());
        let format = stiffness_format(self.plan().table().solver);
        let id = format!("import_rows {:?}", self.section);
        let list = Table { id: &id, columns: &columns, height, scroll_to: None };
        let (mut all, name) = (false, cx.tr("windows.import.tick_all"));
        let tick_all = |ui: &mut Ui, cell| all = table::tick(ui, cell, space::XS, &name, Some(tick));
        list.show(ui, shown.len(), tick_all, |cells| {
            let at = shown[cells.index()];
            self.row_ui(cx, cells, (at, format), out);
        });
        if all {
            let on = ticked < usable.len();
            for at in usable {
                self.tick(at, on);
            }
        }
    }

    /// Values of a bone row that the original does nothing sensible with.
    fn odd(&self, at: usize) -> Vec<Problem> {
        let table = self.plan().table();
        let row = table.bones.get(at).filter(|_| self.section == Section::Bones);
        let cells = row.and_then(|r| r.cells.as_ref().ok());
        cells.map_or_else(Vec::new, |cells| Layout::of(table.solver).beyond_range(cells))
    }

    fn row_ui(
        &mut self,
        cx: &Cx<'_>,
        cells: &mut Cells<'_, '_>,
        (at, format): (usize, NumberFormat),
        out: &mut DialogOutput,
    ) {
        let c = cx.theme.color;
        let row = &self.plan().rows_of(self.section)[at];
        let skeleton = &cx.session().character().skeleton;
        let target = row.target.filter(|b| b.index() < skeleton.len());
        let lit = target.is_some() && target == cx.session().selection().hovered;
        let (usable, ticked) = (row.state.is_usable(), row.ticked);
        let (title, value) = (self.title(cx, row, at), self.what(cx, row, at, format));
        let odd = self.odd(at);
        let (icon, color) = mark(cx, &row.state, !odd.is_empty());
        // Many comment rows say the same of different things.
        let whole = if self.section == Section::Extras { format!("{title} {value}") } else { title.clone() };
        let RowStart { response, inner: clicked, .. } = cells.begin(&title, lit, |ui, cell| {
            paint_icon(ui.painter(), pos2(cell.left() + ICON, cell.center().y), icon, size::ICON, color);
            let name = cx.tr_with("windows.take_name", &[("name", whole.trim_end())]);
            table::tick(ui, cell, space::XS, &name, usable.then(|| Tick::of(ticked)))
        });
        if response.hovered() {
            out.hovered = target;
        }
        let name = match target.map(|b| skeleton.name(b)) {
            Some(bone) if self.section == Section::Bones && bone != row.name => format!("{} → {bone}", row.name),
            _ => title.clone(),
        };
        let strong = if lit { c.selection_text } else { c.text };
        let ink = if usable { strong } else { c.text_2 };
        let (number, style) = match self.section {
            _ if matches!(row.state, RowState::BadCells(_)) => (c.error, Text::Number),
            Section::Bones => (strong, Text::Number),
            _ => (if lit { strong } else { c.text_2 }, Text::Small),
        };
        let share = if self.section == Section::Bones { f32::INFINITY } else { 0.62 };
        let long = cells.cell(|ui, cell| {
            let values = paint::elided(ui, &value, style, number, share * cell.width());
            let (width, cut) = (values.size().x, values.elided);
            paint::galley_left(ui.painter(), pos2(cell.right() - width, cell.center().y), values);
            table::name(ui, cell, 0.0, cell.width() - width - 10.0, &name, ink) || cut
        });
        let (note, color) = reason::row(cx, self.section, row, &odd);
        let color = if lit { c.selection_text } else { color };
        let cut = cells.cell(|ui, cell| {
            table::words(ui, cell, space::XL, cell.width() - space::XL - space::L, &note, Text::Small, color)
        });
        if clicked || (usable && response.clicked()) {
            self.tick(at, !ticked);
        }
        table::tell(&response, &title, lit, &[&value, &note]);
        if long || cut {
            response.on_hover_text(format!("{name}  {value}\n{note}"));
        }
    }

    /// Joints that the file says nothing about.
    fn others_ui(&self, ui: &mut Ui, cx: &Cx<'_>, height: f32, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let skeleton = &cx.session().character().skeleton;
        let targets: BTreeSet<BoneId> = self.plan().rows().iter().filter_map(|r| r.target).collect();
        let chains = self.setup.chains_under(self.at);
        let joints = chains.flat_map(|chain| chain.joints.iter().map(|j| (j.bone, &chain.name)));
        let others: Vec<_> = joints.filter(|(b, _)| b.index() < skeleton.len() && !targets.contains(b)).collect();
        let names = ["here", "note"].map(|k| cx.tr(&format!("windows.import.column.{k}")));
        let columns = [
            Column::new("", NAME),
            Column::new(&names[0], VALUE * (ui.available_width() - NAME)),
            Column::rest(&names[1]).indented(space::XL),
        ];
        let list = Table { id: "import_others", columns: &columns, height, scroll_to: None };
        list.show(
            ui,
            others.len(),
            |_, _| {},
            |cells| {
                let (bone, chain) = others[cells.index()];
                let name = skeleton.name(bone);
                let start = cells.begin(name, false, |ui, cell| {
                    let center = pos2(cell.left() + ICON, cell.center().y);
                    paint_icon(ui.painter(), center, icons::MINUS_CIRCLE, size::ICON, c.text_2);
                });
                if start.response.hovered() {
                    out.hovered = Some(bone);
                }
                cells.name(-6.0, name, c.text);
                let words = cx.tr_with("windows.import.stays", &[("chain", chain)]);
                cells.cell(|ui, cell| {
                    table::words(
                        ui,
                        cell,
                        space::XL,
                        cell.width() - space::XL - space::L,
                        &words,
                        Text::Small,
                        c.text_2,
                    )
                });
            },
        );
    }
}

/// Key of the words above the column that [`Import::what`] fills.
const fn column_key(section: Section) -> &'static str {
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
    fn title(&self, cx: &Cx<'_>, row: &PlanRow, at: usize) -> String {
        if self.section != Section::Extras {
            return row.name.clone();
        }
        match self.plan().table().extras.get(at).map(|r| &r.cells) {
            Some(Ok(extra)) => extra_title(cx, extra, self.plan().table().solver.info().params),
            _ => row.name.clone(),
        }
    }

    /// Old and new, or what it is.
    fn what(&self, cx: &Cx<'_>, row: &PlanRow, at: usize, format: NumberFormat) -> String {
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
    match old.filter(|old| measures(old) != measures(&new)) {
        Some(old) if kind(&old) == kind(&new) => format!("{} {} → {} mm", kind(&new), measures(&old), measures(&new)),
        Some(old) if kind(&old) != kind(&new) => format!("{} → {} {} mm", kind(&old), kind(&new), measures(&new)),
        _ => format!("{} {} mm", kind(&new), measures(&new)),
    }
}

/// Its numbers in the order of its table; millimetres.
fn measures(shape: &Shape) -> String {
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

/// How a solver's restoring force is written.
fn stiffness_format(kind: SolverKind) -> NumberFormat {
    let unit =
        rows(kind.info().params).find(|(_, def)| def.idea == Idea::Restore).map_or(Unit::None, |(_, def)| def.unit);
    NumberFormat::of(unit)
}

fn mark(cx: &Cx<'_>, state: &RowState, odd: bool) -> (Icon, Color32) {
    let c = cx.theme.color;
    match state {
        state if state.is_usable() && state.notes().is_empty() && !odd => (icons::CHECK_CIRCLE, c.ok),
        RowState::Matches { .. }
        | RowState::New { .. }
        | RowState::NoBone
        | RowState::NoNode(_)
        | RowState::Missing(_) => (icons::WARNING, c.warning),
        RowState::BadCells(_) => (icons::X_CIRCLE, c.error),
        RowState::Repeated(_) | RowState::Unused => (icons::MINUS_CIRCLE, c.text_2),
    }
}
