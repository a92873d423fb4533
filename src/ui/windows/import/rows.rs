//! The table of the import window.

use super::what::column_key;
use super::{Import, Show, reason};
use crate::doc::import::RowState;
use crate::doc::table::{Layout, Problem, Section};
use crate::rig::BoneId;
use crate::schema::{Idea, Unit, rows};
use crate::sim::SolverKind;
use crate::ui::Cx;
use crate::ui::icons::{self, Icon, paint_icon};
use crate::ui::theme::Text;
use crate::ui::widgets::number::NumberFormat;
use crate::ui::widgets::paint;
use crate::ui::widgets::toggle::{Tick, tick_box};
use crate::ui::windows::grid;
use egui::{Align2, Color32, Ui, pos2};

const TICK: f32 = 4.0;
const ICON: f32 = 48.0;
const NAME: f32 = 72.0;

/// Where columns stand in a table of some width.
struct Columns {
    /// Right edge of the numbers.
    value: f32,
    note: f32,
    width: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        let value = NAME + 0.46 * (width - NAME);
        Self { value, note: value + 16.0, width }
    }
}

impl Import {
    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, height: f32, hovered: &mut Option<BoneId>) {
        if self.show == Some(Show::NotInFile) {
            self.others_ui(ui, cx, height, hovered);
            return;
        }
        let columns = Columns::of(ui.available_width());
        let shown = self.shown_rows();
        self.head_ui(ui, cx, &columns, &shown);
        let format = stiffness_format(self.plan().table().solver);
        let id = ("import_rows", self.section);
        grid::body(ui, &format!("{id:?}"), height - grid::HEAD, shown.len(), None, |ui, at| {
            self.row_ui(ui, cx, shown[at], &columns, format, hovered);
        });
    }

    fn head_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, columns: &Columns, shown: &[usize]) {
        let first = match self.section {
            Section::Bones => "windows.import.column.bone",
            Section::Extras => "csv.column.says",
            _ => "csv.column.name",
        };
        let names = [first, column_key(self.section), "windows.import.column.note"].map(|key| cx.tr(key));
        let head = [
            (&*names[0], NAME, Align2::LEFT_CENTER),
            (&*names[1], columns.value, Align2::RIGHT_CENTER),
            (&*names[2], columns.note, Align2::LEFT_CENTER),
        ];
        let rect = grid::head(ui, &head);
        let rows = self.plan().rows_of(self.section);
        let usable = |at: &&usize| rows[**at].state.is_usable();
        let usable: Vec<usize> = shown.iter().filter(usable).copied().collect();
        let ticked = usable.iter().filter(|at| rows[**at].ticked).count();
        let tick = match ticked {
            0 => Tick::Off,
            n if n == shown.len() => Tick::On,
            _ => Tick::Some,
        };
        let mut place = grid::place(ui, rect, TICK, 24.0);
        if tick_box(&mut place, &cx.tr("windows.import.tick_all"), "", tick).clicked() {
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
        ui: &mut Ui,
        cx: &Cx<'_>,
        at: usize,
        columns: &Columns,
        format: NumberFormat,
        hovered: &mut Option<BoneId>,
    ) {
        let c = cx.theme.color;
        let row = &self.plan().rows_of(self.section)[at];
        let skeleton = &cx.session().character().skeleton;
        let target = row.target.filter(|b| b.index() < skeleton.len());
        let lit = target.is_some() && target == cx.session().selection().hovered;
        let usable = row.state.is_usable();
        let title = self.title(cx, row, at);
        let (rect, response) = grid::row(ui, &title, lit);
        if response.hovered() {
            *hovered = target;
        }
        let odd = self.odd(at);
        let (icon, color) = mark(cx, &row.state, !odd.is_empty());
        paint_icon(ui.painter(), pos2(rect.left() + ICON, rect.center().y), icon, 16.0, color);
        let name = match target.map(|b| skeleton.name(b)) {
            Some(bone) if self.section == Section::Bones && bone != row.name => format!("{} → {bone}", row.name),
            _ => title.clone(),
        };
        let strong = if lit { c.selection_text } else { c.text };
        let ink = if usable { strong } else { c.text_2 };
        let value = self.what(cx, row, at, format);
        let (number, style) = match self.section {
            _ if matches!(row.state, RowState::BadCells(_)) => (c.error, Text::Number),
            Section::Bones => (strong, Text::Number),
            _ => (if lit { strong } else { c.text_2 }, Text::Small),
        };
        let most = if self.section == Section::Bones { f32::INFINITY } else { 0.62 * (columns.value - NAME) };
        let values = paint::elided(ui, &value, style, number, most);
        let width = values.size().x;
        let long = grid::name(ui, rect, NAME, columns.value - width - NAME - 10.0, &name, ink);
        let long = long || values.elided;
        paint::galley_left(ui.painter(), pos2(rect.left() + columns.value - width, rect.center().y), values);
        let (note, color) = reason::row(cx, self.section, row, &odd);
        let color = if lit { c.selection_text } else { color };
        let cut = grid::words(ui, rect, columns.note, columns.width - columns.note - 12.0, &note, Text::Small, color);
        let ticked = row.ticked;
        // Many comment rows say the same of different things.
        let whole = if self.section == Section::Extras { format!("{title} {value}") } else { title.clone() };
        let tick_name = cx.tr_with("windows.take_name", &[("name", whole.trim_end())]);
        if usable {
            let tick = if ticked { Tick::On } else { Tick::Off };
            let mut place = grid::place(ui, rect, TICK, 24.0);
            if tick_box(&mut place, &tick_name, "", tick).clicked() || response.clicked() {
                self.tick(at, !ticked);
            }
        } else {
            grid::no_tick(ui, rect, TICK);
        }
        grid::tell(&response, &title, lit, &[&value, &note]);
        if long || cut {
            response.on_hover_text(format!("{name}  {value}\n{note}"));
        }
    }

    /// Joints that the file says nothing about.
    fn others_ui(&self, ui: &mut Ui, cx: &Cx<'_>, height: f32, hovered: &mut Option<BoneId>) {
        let c = cx.theme.color;
        let skeleton = &cx.session().character().skeleton;
        let targets: std::collections::BTreeSet<BoneId> = self.plan().rows().iter().filter_map(|r| r.target).collect();
        let chains = self.setup.chains_under(self.at);
        let joints = chains.flat_map(|chain| chain.joints.iter().map(|j| (j.bone, &chain.name)));
        let others: Vec<_> = joints.filter(|(b, _)| b.index() < skeleton.len() && !targets.contains(b)).collect();
        let columns = Columns::of(ui.available_width());
        let names = ["here", "note"].map(|k| cx.tr(&format!("windows.import.column.{k}")));
        let note = columns.note;
        grid::head(ui, &[(&*names[0], NAME, Align2::LEFT_CENTER), (&*names[1], note, Align2::LEFT_CENTER)]);
        grid::body(ui, "import_others", height - grid::HEAD, others.len(), None, |ui, at| {
            let (bone, chain) = others[at];
            let (rect, response) = grid::row(ui, skeleton.name(bone), false);
            if response.hovered() {
                *hovered = Some(bone);
            }
            let at = pos2(rect.left() + ICON, rect.center().y);
            paint_icon(ui.painter(), at, icons::MINUS_CIRCLE, 16.0, c.text_2);
            grid::name(ui, rect, NAME, note - NAME - 10.0, skeleton.name(bone), c.text);
            let words = cx.tr_with("windows.import.stays", &[("chain", chain)]);
            grid::words(ui, rect, note, columns.width - note - 12.0, &words, Text::Small, c.text_2);
        });
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
