//! The rows of a file: tabs for sections, counts that filter, and the table.

use super::{Import, RowFilter, messages};
use crate::document::{ByName, ChainItem, Collider, JointItem, JointScope, SetupItem};
use crate::exchange::{Fault, Problem, RowState, Section};
use crate::math::Number;
use crate::schema::{Idea, Unit, find_row, rows};
use crate::sim::{Form, Shape, SolverKind};
use crate::ui::Cx;
use crate::ui::dialogs::dialog::DialogOutput;
use crate::ui::dialogs::table::{self, Cells, Column, RowStart, Table};
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::meter::count_card;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, segmented};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words;
use egui::{Color32, Ui, pos2};

const ICON: f32 = 48.0;
const NAME: f32 = 72.0;
/// Share of the width after [`NAME`] where numbers end.
const VALUE: f32 = 0.46;

/// Key of a section's label.
pub(super) const fn section_key(section: Section) -> &'static str {
    match section {
        Section::Joints => "csv.section.joints",
        Section::Pivots => "csv.section.pivots",
        Section::Colliders => "csv.section.colliders",
        Section::Nodes => "csv.section.nodes",
        Section::HighLegs => "csv.section.high_legs",
        Section::Other => "csv.section.other",
    }
}

/// Keys of the headers above names and above values.
const fn column_keys(section: Section) -> [&'static str; 2] {
    match section {
        Section::Joints => ["windows.import.column.bone", "windows.import.column.stiffness"],
        Section::Colliders => ["csv.column.name", "csv.column.shape"],
        Section::Pivots | Section::Nodes => ["csv.column.name", "csv.column.parent"],
        Section::HighLegs => ["csv.column.name", "csv.column.legs"],
        Section::Other => ["csv.column.says", "csv.column.of"],
    }
}

impl Import {
    /// The sections of the file, where it has several.
    pub(super) fn sections_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let sections = self.filled_sections();
        if !sections.contains(&self.section) {
            self.section = sections.first().copied().unwrap_or(Section::Joints);
            self.filter = None;
        }
        if sections.len() < 2 {
            return;
        }
        let labels: Vec<_> = sections.iter().map(|section| cx.tr(section_key(*section))).collect();
        let counts = sections.iter().map(|section| Some(self.plan.rows_of(*section).count()));
        let choices: Vec<(&str, Option<usize>)> = labels.iter().map(|label| &**label).zip(counts).collect();
        let chosen = sections.iter().position(|section| *section == self.section).unwrap_or_default();
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            if let Some(at) = segmented(ui, &choices, chosen, size::HIT_MIN) {
                self.section = sections[at];
                self.filter = None;
            }
        });
        ui.add_space(space::M);
    }

    /// How many rows are of each kind; a click lists these alone.
    pub(super) fn cards_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let c = cx.theme.color;
        let joints = self.section == Section::Joints;
        let counts = self.plan.counts_of(self.section);
        let [usable, unusable] = if joints {
            ["windows.import.card.match", "windows.import.card.no_bone"]
        } else {
            ["csv.card.usable", "csv.card.no_place"]
        };
        let mut cards = vec![
            (RowFilter::Usable, icons::CHECK_CIRCLE, c.ok, counts.matching, usable),
            (RowFilter::NoBone, icons::WARNING, c.warning, counts.no_bone, unusable),
            (RowFilter::Unreadable, icons::X_CIRCLE, c.error, counts.bad, "windows.import.card.bad"),
        ];
        if joints {
            let kept = "windows.import.card.kept";
            cards.push((RowFilter::NotInFile, icons::MINUS_CIRCLE, c.text_2, counts.not_in_file, kept));
        }
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            ui.spacing_mut().item_spacing.x = space::M;
            let gaps = cards.len() as f32 - 1.0;
            let room = ui.available_width() - space::XL - gaps * space::M;
            let labels: Vec<_> = cards.iter().map(|card| cx.tr(card.4)).collect();
            let needed: Vec<f32> = labels.iter().map(|label| paint::width_of(ui, label, Text::Small) + 24.0).collect();
            let spare = (room - needed.iter().sum::<f32>()) / (gaps + 1.0);
            for (((filter, icon, color, count, _), label), width) in cards.into_iter().zip(&labels).zip(needed) {
                let on = self.filter == Some(filter);
                if count_card(ui, icon, color, count, label, on, Some((width + spare).floor())).clicked() {
                    self.filter = if on { None } else { Some(filter) };
                }
            }
        });
        ui.add_space(space::M);
    }

    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, height: f32, out: &mut DialogOutput) {
        if self.filter == Some(RowFilter::NotInFile) {
            self.not_in_file_ui(ui, cx, height, out);
            return;
        }
        let [name, value] = column_keys(self.section).map(|key| cx.tr(key));
        let note = cx.tr("windows.import.column.note");
        let columns = [
            Column::new("", NAME),
            Column::pair(&name, &value, VALUE * (ui.available_width() - NAME)),
            Column::rest(&note).indented(space::XL),
        ];
        let shown = self.shown_rows();
        let all = self.plan.rows();
        let usable: Vec<usize> = shown.iter().copied().filter(|at| all[*at].state.is_usable()).collect();
        let ticked = usable.iter().filter(|at| all[**at].ticked).count();
        let tick = Tick::among(ticked, shown.len());
        let id = format!("import_rows {:?}", self.section);
        let list = Table { id: &id, columns: &columns, height, scroll_to: None };
        let (mut tick_all, name) = (false, cx.tr("windows.import.tick_all"));
        let head = |ui: &mut Ui, cell| tick_all = table::tick(ui, cell, space::XS, &name, Some(tick));
        list.show(ui, shown.len(), head, |cells| self.row_ui(cx, cells, shown[cells.index()], out));
        if tick_all {
            let on = ticked < usable.len();
            for at in usable {
                self.tick(at, on);
            }
        }
    }

    /// Rows of the section that the filter leaves.
    fn shown_rows(&self) -> Vec<usize> {
        let is_bad = |state: &RowState| matches!(state, RowState::BadCells(_));
        let fits = |state: &RowState| match self.filter {
            None => true,
            Some(RowFilter::Usable) => state.is_usable(),
            Some(RowFilter::NoBone) => !state.is_usable() && !is_bad(state),
            Some(RowFilter::Unreadable) => is_bad(state),
            Some(RowFilter::NotInFile) => false,
        };
        self.plan.rows_of(self.section).filter(|(_, row)| fits(&row.state)).map(|(at, _)| at).collect()
    }

    fn row_ui(&mut self, cx: &Cx<'_>, cells: &mut Cells<'_, '_>, at: usize, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let row = &self.plan.rows()[at];
        let skeleton = &cx.session().character().skeleton;
        let target = row.target.filter(|bone| bone.index() < skeleton.len());
        let lit = target.is_some() && target == cx.session().selection().hovered;
        let (usable, ticked) = (row.state.is_usable(), row.ticked);
        let RowWords { title, value, unusual } = self.row_words(cx, at);
        let (icon, color) = mark(cx, &row.state, !unusual.is_empty());
        // Rows of other kinds often have the same title.
        let spoken = if self.section == Section::Other { format!("{title} {value}") } else { title.clone() };
        let RowStart { response, inner: clicked, .. } = cells.begin(&title, lit, |ui, cell| {
            paint_icon(ui.painter(), pos2(cell.left() + ICON, cell.center().y), icon, size::ICON, color);
            let name = cx.tr_with("windows.take_name", &[("name", spoken.trim_end())]);
            table::tick(ui, cell, space::XS, &name, usable.then(|| Tick::of(ticked)))
        });
        if response.hovered() {
            out.hovered = target;
        }
        let joints = self.section == Section::Joints;
        let name = match target.map(|bone| skeleton.name(bone)) {
            Some(bone) if joints && bone != row.name => format!("{} → {bone}", row.name),
            _ => title.clone(),
        };
        let strong = if lit { c.selection_text } else { c.text };
        let ink = if usable { strong } else { c.text_2 };
        let (number, style) = match () {
            () if matches!(row.state, RowState::BadCells(_)) => (c.error, Text::Number),
            () if joints => (strong, Text::Number),
            () => (if lit { strong } else { c.text_2 }, Text::Small),
        };
        let share = if joints { f32::INFINITY } else { 0.62 };
        let long = cells.cell(|ui, cell| {
            let values = paint::elided(ui, &value, style, number, share * cell.width());
            let (width, cut) = (values.size().x, values.elided);
            paint::galley_left(ui.painter(), pos2(cell.right() - width, cell.center().y), values);
            table::name(ui, cell, 0.0, cell.width() - width - 10.0, &name, ink) || cut
        });
        let (note, color) = messages::row(cx, self.section, row, &unusual);
        let cut = note_ui(cells, &note, if lit { c.selection_text } else { color });
        if clicked || (usable && response.clicked()) {
            self.tick(at, !ticked);
        }
        table::tell(&response, &title, lit, &[&value, &note]);
        if long || cut {
            response.on_hover_text(format!("{name}  {value}\n{note}"));
        }
    }

    fn not_in_file_ui(&self, ui: &mut Ui, cx: &Cx<'_>, height: f32, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let skeleton = &cx.session().character().skeleton;
        let joints: Vec<_> = self.plan.not_in_file().filter(|(_, bone)| bone.index() < skeleton.len()).collect();
        let [name, note] = ["windows.import.column.here", "windows.import.column.note"].map(|key| cx.tr(key));
        let columns = [
            Column::new("", NAME),
            Column::new(&name, VALUE * (ui.available_width() - NAME)),
            Column::rest(&note).indented(space::XL),
        ];
        let list = Table { id: "import_others", columns: &columns, height, scroll_to: None };
        let head = |_: &mut Ui, _| {};
        list.show(ui, joints.len(), head, |cells| {
            let (chain, bone) = joints[cells.index()];
            let name = skeleton.name(bone);
            let start = cells.begin(name, false, |ui, cell| {
                let center = pos2(cell.left() + ICON, cell.center().y);
                paint_icon(ui.painter(), center, icons::MINUS_CIRCLE, size::ICON, c.text_2);
            });
            if start.response.hovered() {
                out.hovered = Some(bone);
            }
            cells.name(-6.0, name, c.text);
            note_ui(cells, &cx.tr_with("windows.import.stays", &[("chain", &chain.name)]), c.text_2);
        });
    }
}

/// The last cell of a row; whether it is cut.
fn note_ui(cells: &mut Cells<'_, '_>, note: &str, color: Color32) -> bool {
    cells.cell(|ui, cell| {
        table::words(ui, cell, space::XL, cell.width() - space::XL - space::L, note, Text::Small, color)
    })
}

/// What the cells of a row show.
struct RowWords {
    /// The name of the bone or node, or the kind of an entry of [`Section::Other`].
    title: String,
    value: String,
    /// Values outside of the engine's range.
    unusual: Vec<Problem>,
}

impl Import {
    fn row_words(&self, cx: &Cx<'_>, at: usize) -> RowWords {
        let (row, item) = (&self.plan.rows()[at], &self.plan.file().items[at]);
        let (solver, joints) = (self.plan.file().solver_of(item), item.section == Section::Joints);
        let mut words = RowWords { title: row.name.clone(), value: "–".to_owned(), unusual: Vec::new() };
        match &item.content {
            Ok(content) => {
                words.value = if joints { stiffness(&row.state, solver) } else { value(cx, content) };
                words.unusual = out_of_range(content, solver);
                if item.section == Section::Other {
                    words.title = cx.tr(kind_key(content)).into_owned();
                }
            }
            Err(_) if joints => words.value = stiffness(&row.state, solver),
            Err(_) => {}
        }
        words
    }
}

/// Key of the words for a kind of entry.
const fn kind_key(item: &SetupItem) -> &'static str {
    match item {
        SetupItem::System(_) => "csv.item.system",
        SetupItem::ComponentNodes(_) => "csv.item.component_nodes",
        SetupItem::Material(..) => "csv.item.material",
        SetupItem::Node(_) => "csv.item.node",
        SetupItem::Collider(_) => "csv.item.collider",
        SetupItem::ColliderOff(_) => "csv.item.collider_off",
        SetupItem::Group(..) => "csv.item.group",
        SetupItem::Force(_) => "csv.item.force",
        SetupItem::HighLeg(_) => "csv.item.high_leg",
        SetupItem::Chain(_) => "csv.item.chain",
        SetupItem::Joint(_) => "csv.item.joint",
        SetupItem::Excluded(_) => "csv.item.excluded",
        SetupItem::MeshHidden(_) => "csv.item.mesh_hidden",
    }
}

/// What an entry has or is about.
fn value(cx: &Cx<'_>, item: &SetupItem) -> String {
    match item {
        SetupItem::System(system) if system.name.is_empty() => {
            words::solver_name(cx.theme.lang, system.solver).into_owned()
        }
        SetupItem::System(system) => system.name.clone(),
        SetupItem::ComponentNodes(nodes) => {
            let names: Vec<&str> = nodes.values().flatten().map(String::as_str).collect();
            names.join(&*cx.tr("windows.and"))
        }
        SetupItem::Material(_, material) => material.name.clone(),
        SetupItem::Node(helper) => cx.tr_with("csv.on", &[("name", helper.parent.name())]),
        SetupItem::Collider(collider) => collider_words(cx, collider),
        SetupItem::Group(id, group) if group.name.is_empty() => id.0.to_string(),
        SetupItem::Group(_, group) => group.name.clone(),
        SetupItem::Force(force) => force.name.clone(),
        SetupItem::HighLeg(high_leg) => cx.tr_with("csv.legs", &[("n", &high_leg.legs.len().to_string())]),
        SetupItem::Joint(JointItem { joint, .. }) => joint.bone.clone(),
        SetupItem::Chain(ChainItem { root: name, .. })
        | SetupItem::ColliderOff(name)
        | SetupItem::Excluded(name)
        | SetupItem::MeshHidden(name) => name.clone(),
    }
}

/// The restoring force now and then.
fn stiffness(state: &RowState, solver: SolverKind) -> String {
    let restoring = rows(solver.info().params).find(|(_, def)| def.idea == Idea::Restore);
    let format = NumberFormat::of(restoring.map_or(Unit::None, |(_, def)| def.unit));
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

/// A collider's kind and size, after those of the collider of this name that is here where they differ.
fn collider_words(cx: &Cx<'_>, collider: &Collider<ByName>) -> String {
    let kind = |shape: &Shape| match shape.form() {
        Form::Ball => cx.tr("csv.shape.sphere"),
        Form::Rod => cx.tr("csv.shape.capsule"),
        Form::Flat | Form::Block => cx.tr("csv.shape.panel"),
    };
    let new = &collider.shape;
    let mut here = cx.session().document().colliders.values().filter(|c| c.name == collider.name).map(|c| &c.shape);
    match here.next().filter(|old| measures(old) != measures(new)) {
        Some(old) if kind(old) == kind(new) => format!("{} {} → {} mm", kind(new), measures(old), measures(new)),
        Some(old) => format!("{} → {} {} mm", kind(old), kind(new), measures(new)),
        None => format!("{} {} mm", kind(new), measures(new)),
    }
}

/// The numbers of a shape in the order of its table, millimetres.
fn measures(shape: &Shape) -> String {
    let mm = |at| format!("{:.0}", shape.field(at) * 1000.0);
    let numbers: Vec<String> = (0..shape.fields().len()).map(mm).collect();
    if numbers.is_empty() { "∞".to_owned() } else { numbers.join(" × ") }
}

/// Values of a table's bone row that the engine has no sensible use for.
fn out_of_range(item: &SetupItem, solver: SolverKind) -> Vec<Problem> {
    let SetupItem::Joint(JointItem { scope: JointScope::Row, joint, .. }) = item else { return Vec::new() };
    let params = solver.info().params;
    let problem = |(name, value): (&String, &Number)| {
        let def = &params[find_row(params, name)?.index()];
        let (from, to) = def.range;
        let is_outside = value.0 < from || value.0 > to;
        let fault = Fault::BeyondRange { from, to: (to != f32::MAX).then_some(to) };
        is_outside.then(|| Problem::new(def.name, value.0.to_string(), fault))
    };
    joint.own.iter().filter_map(problem).collect()
}

fn mark(cx: &Cx<'_>, state: &RowState, is_unusual: bool) -> (Icon, Color32) {
    let c = cx.theme.color;
    match state {
        state if state.is_usable() && state.notes().is_empty() && !is_unusual => (icons::CHECK_CIRCLE, c.ok),
        RowState::Matches { .. }
        | RowState::New { .. }
        | RowState::NoBone
        | RowState::NoNode(_)
        | RowState::Missing(_) => (icons::WARNING, c.warning),
        RowState::BadCells(_) => (icons::X_CIRCLE, c.error),
        RowState::Repeated(_) | RowState::Unused => (icons::MINUS_CIRCLE, c.text_2),
    }
}
