//! The table of the import window.

use super::{Import, Show};
use crate::doc::import::{PlanRow, RowNote, RowState};
use crate::rig::BoneId;
use crate::schema::{Idea, Unit, rows};
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
        let format = stiffness_format(cx);
        grid::body(ui, "import_rows", height - grid::HEAD, shown.len(), None, |ui, at| {
            self.row_ui(ui, cx, shown[at], &columns, format, hovered);
        });
    }

    fn head_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, columns: &Columns, shown: &[usize]) {
        let names = ["bone", "stiffness", "note"].map(|k| cx.tr(&format!("windows.import.column.{k}")));
        let head = [
            (&*names[0], NAME, Align2::LEFT_CENTER),
            (&*names[1], columns.value, Align2::RIGHT_CENTER),
            (&*names[2], columns.note, Align2::LEFT_CENTER),
        ];
        let rect = grid::head(ui, &head);
        let usable = |at: &&usize| self.plan.rows()[**at].state.is_usable();
        let usable: Vec<usize> = shown.iter().filter(usable).copied().collect();
        let ticked = usable.iter().filter(|at| self.plan.rows()[**at].ticked).count();
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

    fn tick(&mut self, row: usize, on: bool) {
        self.plan.set_tick(row, on);
        if on {
            self.left_out.remove(&row);
        } else {
            self.left_out.insert(row);
        }
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
        let row = &self.plan.rows()[at];
        let skeleton = &cx.session().character().skeleton;
        let target = row.target.filter(|b| b.index() < skeleton.len());
        let lit = target.is_some() && target == cx.session().selection().hovered;
        let usable = row.state.is_usable();
        let (rect, response) = grid::row(ui, &row.name, lit);
        if response.hovered() {
            *hovered = target;
        }
        let (icon, color) = mark(cx, &row.state);
        paint_icon(ui.painter(), pos2(rect.left() + ICON, rect.center().y), icon, 16.0, color);
        let name = match target.map(|b| skeleton.name(b)) {
            Some(bone) if bone != row.name => format!("{} → {bone}", row.name),
            _ => row.name.clone(),
        };
        let strong = if lit { c.selection_text } else { c.text };
        let ink = if usable { strong } else { c.text_2 };
        let value = values_text(&row.state, format);
        let room = columns.value - paint::width_of(ui, &value, Text::Number) - NAME - 10.0;
        let long = grid::name(ui, rect, NAME, room, &name, ink);
        let end = pos2(rect.left() + columns.value, rect.center().y);
        let number = if matches!(row.state, RowState::BadCells(_)) { c.error } else { strong };
        paint::text(ui.painter(), end, Align2::RIGHT_CENTER, &value, Text::Number, number);
        let (note, color) = note_of(cx, row);
        let color = if lit { c.selection_text } else { color };
        let cut = grid::words(ui, rect, columns.note, columns.width - columns.note - 12.0, &note, Text::Small, color);
        let ticked = row.ticked;
        let tick_name = cx.tr_with("windows.take_name", &[("name", &row.name)]);
        if usable {
            let tick = if ticked { Tick::On } else { Tick::Off };
            let mut place = grid::place(ui, rect, TICK, 24.0);
            if tick_box(&mut place, &tick_name, "", tick).clicked() || response.clicked() {
                self.tick(at, !ticked);
            }
        } else {
            grid::no_tick(ui, rect, TICK);
        }
        if long || cut {
            response.on_hover_text(format!("{name}\n{note}"));
        }
    }

    /// Joints that the file says nothing about.
    fn others_ui(&self, ui: &mut Ui, cx: &Cx<'_>, height: f32, hovered: &mut Option<BoneId>) {
        let c = cx.theme.color;
        let skeleton = &cx.session().character().skeleton;
        let targets: std::collections::BTreeSet<BoneId> = self.plan.rows().iter().filter_map(|r| r.target).collect();
        let document = cx.session().document();
        let joints = document.chains.values().flat_map(|chain| chain.joints.iter().map(|j| (j.bone, &chain.name)));
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

/// How the restoring force is written.
fn stiffness_format(cx: &Cx<'_>) -> NumberFormat {
    let document = cx.session().document();
    let unit =
        rows(document.table()).find(|(_, def)| def.idea == Idea::Restore).map_or(Unit::None, |(_, def)| def.unit);
    NumberFormat::of(unit)
}

fn mark(cx: &Cx<'_>, state: &RowState) -> (Icon, Color32) {
    let c = cx.theme.color;
    match state {
        state if state.is_usable() && state.notes().is_empty() => (icons::CHECK_CIRCLE, c.ok),
        RowState::Matches { .. } | RowState::New { .. } | RowState::NoBone | RowState::NoNode(_) => {
            (icons::WARNING, c.warning)
        }
        RowState::BadCells(_) => (icons::X_CIRCLE, c.error),
        RowState::Repeated(_) | RowState::Unused => (icons::MINUS_CIRCLE, c.text_2),
    }
}

/// The restoring force now and then.
fn values_text(state: &RowState, format: NumberFormat) -> String {
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

/// What would happen with a row, or why nothing will.
fn note_of(cx: &Cx<'_>, row: &PlanRow) -> (String, Color32) {
    let c = cx.theme.color;
    let line = row.line.to_string();
    match &row.state {
        RowState::Matches { notes, .. } | RowState::New { notes } if !notes.is_empty() => {
            let word = |note: &RowNote| match note {
                RowNote::NoPivot(name) => cx.tr_with("windows.import.note.no_pivot", &[("name", name)]),
                RowNote::OtherSide(name) => cx.tr_with("windows.import.note.other_side", &[("name", name)]),
                RowNote::NoColliders(names) => {
                    cx.tr_with("windows.import.note.no_colliders", &[("names", &names.join(", "))])
                }
                RowNote::NoTargets(names) => {
                    cx.tr_with("windows.import.note.no_targets", &[("names", &names.join(", "))])
                }
                RowNote::WouldMoveBone(name) => cx.tr_with("windows.import.note.would_move", &[("name", name)]),
            };
            let words: Vec<_> = notes.iter().map(word).collect();
            (words.join(&*cx.tr("windows.and")), c.warning)
        }
        RowState::Matches { changes, stiffness, .. } => {
            let fresh = matches!(stiffness, Some((None, _)));
            let key = match changes {
                _ if fresh => "windows.import.note.fresh",
                0 => "windows.import.note.same",
                1 => "windows.import.note.one",
                _ => "windows.import.note.changes",
            };
            (cx.tr_with(key, &[("n", &changes.to_string())]), c.text_2)
        }
        RowState::New { .. } => (cx.tr("windows.import.note.new").into_owned(), c.text_2),
        RowState::NoNode(name) => (cx.tr_with("windows.import.note.no_node", &[("name", name)]), c.text_2),
        RowState::Unused => (cx.tr("windows.import.note.unused").into_owned(), c.text_2),
        RowState::NoBone => {
            let key = if row.formula { "windows.import.note.formula" } else { "windows.import.note.no_bone" };
            (cx.tr(key).into_owned(), c.text_2)
        }
        RowState::BadCells(problems) => {
            let what = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            (cx.tr_with("windows.import.note.bad", &[("line", &line), ("what", &what)]), c.error)
        }
        RowState::Repeated(by) => (cx.tr_with("windows.import.note.repeated", &[("line", &by.to_string())]), c.text_2),
    }
}
