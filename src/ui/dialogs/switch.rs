//! Switch solver: what it would cost, bone by bone, and one button that does it.

mod losses;
mod matching;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left, sentence};
use crate::document::{ChainId, ColliderGroup, Edit, Label, difference};
use crate::feel::{convert::Loss, convert::SwingComparison, convert::convert_chains, convert::muted_losses};
use crate::session::{Command, Session};
use crate::sim::SolverKind;
use crate::ui::kit::icons::{self, focus_ring, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::paint::Name;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::words;
use crate::ui::panels::labels::group_name;
use crate::ui::{Cx, Request};
use egui::{Align2, Context, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use losses::{Group, groups};
use std::collections::BTreeSet;

const LINE: f32 = 26.0;
/// Groups of so few lines are open from the start.
const FEW: usize = 4;
/// Of the sentences above the list.
const HEAD: f32 = 76.0;

/// Chains about to go to another solver.
#[derive(Debug)]
pub(super) struct Switch {
    to: SolverKind,
    seen: Seen,
    edit: Edit,
    groups: Vec<Group>,
    /// The conversion dissolves collider groups into lists of joints.
    dissolved: bool,
    /// Whose lines are shown.
    open: BTreeSet<&'static str>,
    /// The conversion gives one set of numbers to each chain.
    level: bool,
    /// The chains that are meant.
    chains: BTreeSet<ChainId>,
    losses: Vec<Loss>,
    /// Compares how far chains swing; advances in each frame until it is complete.
    swing: Option<SwingComparison>,
    /// Matching numbers were found and are not wanted.
    wants_formula: bool,
    /// Whether the preview that runs is of matching numbers; `None` before there is one.
    shown: Option<bool>,
}

/// A line of the list.
#[derive(Clone, Copy)]
enum Row {
    Group(usize),
    Line(usize, usize),
}

impl Switch {
    pub(super) fn new(to: SolverKind, cx: &Cx<'_>) -> Self {
        let mut switch = Self::of(to, cx);
        switch.open = switch.groups.iter().filter(|g| g.lines.len() <= FEW).map(|g| g.key).collect();
        switch
    }

    fn of(to: SolverKind, cx: &Cx<'_>) -> Self {
        let session = cx.session();
        let chains = session.inspection().selected_chains();
        let conversion = convert_chains(session.document(), session.character(), &chains, to);
        let swing = SwingComparison::new(session.document(), session.character(), &conversion.after);
        let dissolved = conversion.after.groups.is_empty();
        let mut switch = Self {
            to,
            seen: Seen::of(session),
            edit: conversion.edit(session.document()),
            groups: Vec::new(),
            dissolved,
            open: BTreeSet::new(),
            level: crate::document::groups::is_vrm_0(&conversion.after),
            chains,
            losses: conversion.losses,
            swing: Some(swing),
            wants_formula: false,
            shown: None,
        };
        switch.group_losses(cx);
        switch
    }

    fn group_losses(&mut self, cx: &Cx<'_>) {
        let session = cx.session();
        let tables = [session.inspection().system().table(), self.to.info().params];
        self.groups = groups(&self.losses, tables, cx.theme.lang);
        if self.dissolved {
            let named = |(at, group): (usize, &ColliderGroup)| group_name(cx, &group.name, at + 1);
            let names: Vec<String> = session.document().groups.values().enumerate().map(named).collect();
            self.groups.extend(losses::dissolved(names));
        }
    }

    /// Goes on with the comparison of swings; a frame does few ticks, so that the window stays fluid.
    fn compare_swing(&mut self, ctx: &Context, cx: &Cx<'_>) {
        let Some(swing) = &mut self.swing else { return };
        ctx.request_repaint();
        if swing.advance(SwingComparison::TICKS_A_FRAME) {
            let muted = swing.muted();
            self.swing = None;
            if !muted.is_empty() {
                self.losses.extend(muted_losses(&muted, cx.session().document()));
                self.group_losses(cx);
            }
        }
    }

    fn show_it(&mut self, cx: &mut Cx<'_>) {
        let matched = self.chosen(cx);
        if self.shown.replace(matched.is_some()) != Some(matched.is_some()) {
            cx.state.presets.previews.forget_own();
        }
        let (session, name) = (cx.session(), words::solver_name(cx.theme.lang, self.to).into_owned());
        let edit = || matched.map_or_else(|| self.edit.clone(), |found| difference(session.document(), &found.after));
        cx.state.presets.previews.want_own(session, name, edit);
    }

    /// It may have been switched behind the window.
    fn is_possible(&self, session: &Session) -> bool {
        session.inspection().system().solver != self.to
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            rows.push(Row::Group(at));
            if self.open.contains(group.key) {
                rows.extend((0..group.lines.len()).map(|line| Row::Line(at, line)));
            }
        }
        rows
    }

    fn losses_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, rows: &[Row], height: f32) {
        if self.groups.is_empty() {
            let top = ui.cursor().top();
            nothing_ui(ui, cx);
            ui.add_space((top + height - ui.cursor().top()).max(0.0));
            return;
        }
        let area = ScrollArea::vertical().id_salt("losses").max_height(height).min_scrolled_height(height);
        area.auto_shrink(false).show_rows(ui, LINE, rows.len(), |ui, range| {
            for row in &rows[range] {
                match row {
                    Row::Group(at) => self.group_ui(ui, cx, *at),
                    Row::Line(at, line) => self.line_ui(ui, cx, *at, *line),
                }
            }
        });
    }

    /// One kind of loss with its count; a click shows whom it is about.
    fn group_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize) {
        let c = cx.theme.color;
        let group = &self.groups[at];
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
        let sense = if group.lines.is_empty() { Sense::hover() } else { Sense::click() };
        let response = ui.interact(rect, ui.scope_id().with(group.key), sense);
        let words = cx.theme.count(&format!("solver.loss.{}", group.key), group.count);
        let most = group.most(cx);
        let said = if most.is_empty() { words.clone() } else { format!("{words}, {most}") };
        let open = self.open.contains(group.key);
        response.widget_info(|| WidgetInfo::selected(Role::Button, !group.lines.is_empty(), open, &said));
        if response.hovered() && !group.lines.is_empty() {
            ui.painter().rect_filled(rect.shrink2(vec2(space::M, 1.0)), radius::FIELD, c.hover);
        }
        let left = rect.left() + space::XL;
        if !group.lines.is_empty() {
            let caret = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
            paint_icon(ui.painter(), pos2(left + 5.0, rect.center().y), caret, size::ICON_TINY, c.text_3);
        }
        let (icon, color) = if group.grave { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
        paint_icon(ui.painter(), pos2(left + space::XXL, rect.center().y), icon, size::ICON, color);
        let right = pos2(rect.right() - space::XXL, rect.center().y);
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &most, Text::Number, c.text_2);
        let room = right.x - paint::width_of(ui, &most, Text::Number) - space::L - left - 40.0;
        let line = paint::elided(ui, &words, Text::Body, c.text, room);
        paint::galley_left(ui.painter(), pos2(left + 40.0, rect.center().y), line);
        focus_ring(ui, &response, rect.shrink2(vec2(space::M, 1.0)), radius::FIELD);
        if response.clicked() {
            let key = group.key;
            if !self.open.remove(key) {
                self.open.insert(key);
            }
        }
    }

    /// Whom it is about, and how it was and will be.
    fn line_ui(&self, ui: &mut Ui, cx: &Cx<'_>, at: usize, line: usize) {
        let c = cx.theme.color;
        let line = &self.groups[at].lines[line];
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
        let said = line.told(cx);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{} {said}", line.name)));
        let right = pos2(rect.right() - space::XXL, rect.center().y);
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &said, Text::Number, c.text_2);
        let left = rect.left() + space::XL + 40.0;
        let room = right.x - paint::width_of(ui, &said, Text::Number) - left - space::L;
        let name = Name::new(ui, &line.name, Text::Small, c.text_2, room);
        name.paint_left(ui.painter(), pos2(left, rect.center().y));
        name.tip(response);
    }
}

impl Dialog for Switch {
    fn title_key(&self) -> &'static str {
        "solver.window.title"
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        words::solver_name(cx.theme.lang, self.to).into_owned()
    }

    fn place(&self, ctx: &Context, cx: &Cx<'_>) -> Rect {
        let listed = (self.rows().len().max(1) as f32 * LINE).clamp(3.0 * LINE, 14.0 * LINE);
        at_left(ctx, 0.4, [520.0, 600.0], HEAD + space::M + listed + matching::height(cx))
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        if !self.seen.is_current(cx.session()) {
            let open = std::mem::take(&mut self.open);
            *self = Self { open, ..Self::of(self.to, cx) };
            cx.request(Request::StopMatching);
        }
        self.compare_swing(ctx, cx);
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let inset = egui::Margin::symmetric(space::XL as i8, space::M as i8);
        egui::Frame::new().inner_margin(inset).show(ui, |ui| {
            let names = [cx.session().inspection().system().solver, self.to]
                .map(|kind| words::solver_name(cx.theme.lang, kind));
            let values = [("from", &*names[0]), ("to", &*names[1])];
            sentence(ui, cx, &cx.tr_with("solver.window.sentence", &values));
            if self.level {
                sentence(ui, cx, &cx.tr("solver.window.level"));
            }
        });
        let height = (ui.available_height() - matching::height(cx)).max(LINE);
        self.losses_ui(ui, cx, &self.rows(), height);
        if let Some(request) = self.matching_ui(ui, cx) {
            cx.request(request);
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let possible = self.is_possible(cx.session());
        vec![DialogButton::apply(cx.tr("solver.window.switch"), possible), DialogButton::cancel(cx)]
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        cx.tr("solver.window.one_step").into_owned()
    }

    /// The character moves by the other solver while the window is open; how it moves now is dashed.
    fn stay(&mut self, cx: &mut Cx<'_>) {
        self.show_it(cx);
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let matched = self.chosen(cx).map(|found| difference(cx.session().document(), &found.after));
        let edit = matched.unwrap_or_else(|| std::mem::replace(&mut self.edit, Edit::Batch(Vec::new())));
        // Rows of the other table mean other things.
        cx.state.curve = None;
        let label = Label::new("switch_solver", 1).name(self.note(cx)).told();
        cx.command(Command::Apply(edit, label));
        self.close(cx)
    }

    fn close(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        cx.request(Request::StopMatching);
        DialogResult::Closed
    }
}

fn nothing_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let words = cx.tr("solver.window.free");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &*words));
    paint_icon(
        ui.painter(),
        pos2(rect.left() + space::XL + 8.0, rect.center().y),
        icons::CHECK_CIRCLE,
        size::ICON,
        c.ok,
    );
    let at = pos2(rect.left() + space::XL + 24.0, rect.center().y);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, Text::Body, c.text);
}
