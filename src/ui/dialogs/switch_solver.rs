//! *Switch solver*: converts chains to another solver and lists changed and lost values.

mod conversion_losses;

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left, sentence_ui,
};
use super::table::{LOSS_ROW_HEIGHT as ROW_HEIGHT, loss_line_ui};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, focus_ring, paint_icon};
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::property_row::note_ui;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{Choice, segmented_choice};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, meter, paint};
use crate::ui::viewport::motion_name;
use crate::ui::{AppRequest, TaskStatus, UiContext};
use conversion_losses::{SwitchLossGroup, losses_by_kind};
use egui::{Align2, Context, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use yuremono_model::document::{ChainId, Edit, EditLabel, difference};
use yuremono_model::feel::convert::motion_fit::{MotionDifference, MotionFitResult};
use yuremono_model::feel::convert::{ConversionLoss, SwingComparison, convert_chains, muted_chain_losses};
use yuremono_session::{Command, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{MessageText, message};

/// Groups with at most this number of lines are initially open.
const AUTO_OPEN_LINES: usize = 4;
const HEADER_HEIGHT: f32 = 76.0;

#[derive(Debug)]
pub(super) struct SwitchSolverDialog {
    target: SolverKind,
    snapshot: SessionSnapshot,
    edit: Edit,
    groups: Vec<SwitchLossGroup>,
    open_groups: BTreeSet<&'static str>,
    /// Whether the conversion stores one set of values per chain.
    per_chain_values: bool,
    chains: BTreeSet<ChainId>,
    losses: Vec<ConversionLoss>,
    /// Compares the swing of the chains, a few ticks per frame.
    swing_comparison: Option<SwingComparison>,
    /// Whether the artist prefers the formula to the fitted values.
    uses_formula: bool,
    /// Whether the running preview uses the fitted values; `None` without a preview.
    previews_motion_fit: Option<bool>,
}

#[derive(Clone, Copy)]
enum LossRow {
    Group(usize),
    Line(usize, usize),
}

impl SwitchSolverDialog {
    pub(super) fn new(to: SolverKind, cx: &UiContext<'_>) -> Self {
        let mut switch = Self::for_chains(to, cx);
        switch.open_groups = switch.groups.iter().filter(|g| g.lines.len() <= AUTO_OPEN_LINES).map(|g| g.key).collect();
        switch
    }

    fn for_chains(to: SolverKind, cx: &UiContext<'_>) -> Self {
        let session = cx.session();
        let chains = session.inspection().selected_chains();
        let conversion = convert_chains(session.document(), session.character(), &chains, to);
        let swing = SwingComparison::new(session.document(), session.character(), &conversion.after);
        let mut switch = Self {
            target: to,
            snapshot: SessionSnapshot::of(session),
            edit: conversion.edit(session.document()),
            groups: Vec::new(),
            open_groups: BTreeSet::new(),
            per_chain_values: yuremono_model::document::groups::is_vrm_0(&conversion.after),
            chains,
            losses: conversion.losses,
            swing_comparison: Some(swing),
            uses_formula: false,
            previews_motion_fit: None,
        };
        switch.losses_by_kind(cx);
        switch
    }

    fn losses_by_kind(&mut self, cx: &UiContext<'_>) {
        let session = cx.session();
        let tables = [session.inspection().system().param_defs(), self.target.info().params];
        self.groups = losses_by_kind(&self.losses, tables, cx.theme.lang);
    }

    /// Advances the comparison by only a few ticks, which keeps the window responsive.
    fn compare_swing(&mut self, ctx: &Context, cx: &UiContext<'_>) {
        let Some(swing) = &mut self.swing_comparison else { return };
        ctx.request_repaint();
        if swing.advance(SwingComparison::TICKS_PER_FRAME) {
            let muted = swing.muted();
            self.swing_comparison = None;
            if !muted.is_empty() {
                self.losses.extend(muted_chain_losses(&muted, cx.session().document()));
                self.losses_by_kind(cx);
            }
        }
    }

    fn request_preview(&mut self, cx: &mut UiContext<'_>) {
        let matched = self.chosen_fit(cx);
        if self.previews_motion_fit.replace(matched.is_some()) != Some(matched.is_some()) {
            cx.state.presets.previews.invalidate_dialog();
        }
        let (session, name) = (cx.session(), i18n::solver_name(cx.theme.lang, self.target).into_owned());
        let edit = || matched.map_or_else(|| self.edit.clone(), |found| difference(session.document(), &found.after));
        cx.state.presets.previews.request_for_dialog(session, name, edit);
    }

    /// Returns whether the switch is still needed. The solver may have changed outside this dialog.
    fn is_needed(&self, session: &Session) -> bool {
        session.inspection().system().solver != self.target
    }

    fn rows(&self) -> Vec<LossRow> {
        let mut rows = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            rows.push(LossRow::Group(at));
            if self.open_groups.contains(group.key) {
                rows.extend((0..group.lines.len()).map(|line| LossRow::Line(at, line)));
            }
        }
        rows
    }

    fn losses_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, rows: &[LossRow], height: f32) {
        if self.groups.is_empty() {
            let top = ui.cursor().top();
            let text = tr!(cx, "No parameter is lost. The motion can still differ.");
            loss_line_ui(ui, icons::CHECK_CIRCLE, cx.theme.color.ok, &text, "", "");
            ui.add_space((top + height - ui.cursor().top()).max(0.0));
            return;
        }
        let area = ScrollArea::vertical().id_salt("losses").max_height(height).min_scrolled_height(height);
        area.auto_shrink(false).show_rows(ui, ROW_HEIGHT, rows.len(), |ui, range| {
            for row in &rows[range] {
                match row {
                    LossRow::Group(at) => self.group_ui(ui, cx, *at),
                    LossRow::Line(at, line) => self.line_ui(ui, cx, *at, *line),
                }
            }
        });
    }

    /// Draws one kind of loss with its count. A click opens the lines.
    fn group_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, at: usize) {
        let c = cx.theme.color;
        let group = &self.groups[at];
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
        let sense = if group.lines.is_empty() { Sense::hover() } else { Sense::click() };
        let response = ui.interact(rect, ui.scope_id().with(group.key), sense);
        let text = cx.tr(&group.label);
        let most = group.largest_change_text(cx);
        let label = if most.is_empty() { text.to_string() } else { format!("{text}, {most}") };
        let open = self.open_groups.contains(group.key);
        response.widget_info(|| WidgetInfo::selected(Role::Button, !group.lines.is_empty(), open, &label));
        if response.hovered() && !group.lines.is_empty() {
            ui.painter().rect_filled(rect.shrink2(vec2(space::M, 1.0)), radius::FIELD, c.hover);
        }
        let left = rect.left() + space::XL;
        if !group.lines.is_empty() {
            let caret = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
            paint_icon(ui.painter(), pos2(left + 5.0, rect.center().y), caret, size::ICON_TINY, c.text_3);
        }
        let (icon, color) = if group.is_permanent { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
        paint_icon(ui.painter(), pos2(left + space::XXL, rect.center().y), icon, size::ICON, color);
        let right = pos2(rect.right() - space::XXL, rect.center().y);
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &most, TextSize::Number, c.text_2);
        let width = right.x - paint::text_width(ui, &most, TextSize::Number) - space::L - left - 40.0;
        let line = paint::elided(ui, &text, TextSize::Body, c.text, width);
        paint::paint_galley_left(ui.painter(), pos2(left + 40.0, rect.center().y), line);
        focus_ring(ui, &response, rect.shrink2(vec2(space::M, 1.0)), radius::FIELD);
        if response.clicked() {
            let key = group.key;
            if !self.open_groups.remove(key) {
                self.open_groups.insert(key);
            }
        }
    }

    /// Draws one bone, chain or parameter, with the values before and after the conversion.
    fn line_ui(&self, ui: &mut Ui, cx: &UiContext<'_>, at: usize, line: usize) {
        let c = cx.theme.color;
        let line = &self.groups[at].lines[line];
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
        let values = line.detail.text(cx);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{} {values}", line.name)));
        let right = pos2(rect.right() - space::XXL, rect.center().y);
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &values, TextSize::Number, c.text_2);
        let left = rect.left() + space::XL + 40.0;
        let width = right.x - paint::text_width(ui, &values, TextSize::Number) - left - space::L;
        let name = ElidedName::new(ui, &line.name, TextSize::Small, c.text_2, width);
        name.paint_left(ui.painter(), pos2(left, rect.center().y));
        name.with_tooltip(response);
    }
}

impl Dialog for SwitchSolverDialog {
    fn title_text(&self) -> MessageText {
        message!("Switch solver")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        i18n::solver_name(cx.theme.lang, self.target).into_owned()
    }

    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        let listed = (self.rows().len().max(1) as f32 * ROW_HEIGHT).clamp(3.0 * ROW_HEIGHT, 14.0 * ROW_HEIGHT);
        at_left(ctx, 0.4, [520.0, 600.0], HEADER_HEIGHT + space::M + listed + fit_section_height(cx))
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.snapshot.is_current(cx.session()) {
            let open = std::mem::take(&mut self.open_groups);
            *self = Self { open_groups: open, ..Self::for_chains(self.target, cx) };
            cx.request(AppRequest::StopMotionFit);
        }
        self.compare_swing(ctx, cx);
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let inset = egui::Margin::symmetric(space::XL as i8, space::M as i8);
        egui::Frame::new().inner_margin(inset).show(ui, |ui| {
            let [from, to] = [cx.session().inspection().system().solver, self.target]
                .map(|kind| i18n::solver_name(cx.theme.lang, kind));
            let text = tr!(
                cx,
                "The selected chains (all chains if none is selected) switch from {from} to {to}. The view shows the \
                 new motion; dashed lines show the current motion.",
                from,
                to
            );
            sentence_ui(ui, cx, &text);
            if self.per_chain_values {
                let text = tr!(
                    cx,
                    "This is VRM 0.x: all joints of a chain share one set of values, the mean of the current values."
                );
                sentence_ui(ui, cx, &text);
            }
        });
        let height = (ui.available_height() - fit_section_height(cx)).max(ROW_HEIGHT);
        self.losses_ui(ui, cx, &self.rows(), height);
        if let Some(request) = self.motion_fit_ui(ui, cx) {
            cx.request(request);
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let possible = self.is_needed(cx.session());
        vec![DialogButton::apply(tr!(cx, "Switch"), possible), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        tr!(cx, "One undo step restores everything.").into_owned()
    }

    /// Shows the character with the new solver. Dashed lines show the current motion.
    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        self.request_preview(cx);
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let matched = self.chosen_fit(cx).map(|found| difference(cx.session().document(), &found.after));
        let edit = matched.unwrap_or_else(|| std::mem::replace(&mut self.edit, Edit::Batch(Vec::new())));
        // The parameter of the shown curve belongs to the table of the previous solver.
        cx.state.shown_curve = None;
        let name = self.subtitle(cx);
        let label = EditLabel::new(message!("Switch to {name}", name = &name))
            .with_message(message!("Switched to {name}", name));
        cx.command(Command::ApplyEdit(edit, label));
        self.close(cx)
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::StopMotionFit);
        DialogResult::Closed
    }
}

const FIT_HEADER_HEIGHT: f32 = 44.0;
const VISIBLE_CHAINS: usize = 5;
const CHAIN_HEIGHT: f32 = 22.0;

fn fit_section_height(cx: &UiContext<'_>) -> f32 {
    match cx.input.motion_fit {
        TaskStatus::Finished(found) => {
            FIT_HEADER_HEIGHT + ROW_HEIGHT + found.chains.len().min(VISIBLE_CHAINS) as f32 * CHAIN_HEIGHT + space::M
        }
        _ => FIT_HEADER_HEIGHT,
    }
}

impl SwitchSolverDialog {
    /// Returns the fitted values if they exist and the artist uses them.
    fn chosen_fit<'a>(&self, cx: &UiContext<'a>) -> Option<&'a MotionFitResult> {
        match cx.input.motion_fit {
            TaskStatus::Finished(found) if !self.uses_formula => Some(found),
            _ => None,
        }
    }

    fn motion_fit_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<AppRequest> {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), fit_section_height(cx)), Sense::hover());
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), cx.theme.color.border);
        let inner = rect.shrink2(vec2(space::XL, 0.0));
        let head = Rect::from_min_size(inner.min, vec2(inner.width(), FIT_HEADER_HEIGHT));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut row = ui.new_child(UiBuilder::new().max_rect(head).layout(layout));
        row.spacing_mut().item_spacing.x = space::L;
        match cx.input.motion_fit {
            TaskStatus::Idle => self.start_ui(&mut row, cx),
            TaskStatus::Running(share) => {
                let text = tr!(cx, "Matching motion…");
                meter::progress_bar(&mut row, &text, Some(share), true).then_some(AppRequest::StopMotionFit)
            }
            TaskStatus::Finished(found) => {
                self.choice_ui(&mut row, cx);
                let below = Rect::from_min_max(pos2(inner.left(), head.bottom()), inner.max);
                results_ui(&mut ui.new_child(UiBuilder::new().max_rect(below)), cx, found);
                None
            }
        }
    }

    fn start_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<AppRequest> {
        let clicked = secondary(&tr!(cx, "Match motion")).show(ui).clicked();
        let motion = motion_name(cx.theme.lang, cx.session().playback().settings().motion, cx.session());
        let still = cx.session().playback().settings().motion == yuremono_session::Motion::Still;
        let text = if still {
            tr!(cx, "Searches for values that follow a turn and a leg lift as now")
        } else {
            tr!(cx, "Searches for values that follow “{motion}” as now", motion)
        };
        note_ui(ui, &text, cx.theme.color.text_2);
        clicked.then_some(AppRequest::FitMotion(self.chains.clone(), self.target))
    }

    fn choice_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let choices = [Choice::new(true, tr!(cx, "Formula")), Choice::new(false, tr!(cx, "Matched{:values}"))];
        segmented_choice(ui, &choices, &mut self.uses_formula);
        let text = tr!(cx, "Values to switch with");
        ui.label(TextSize::Small.rich(text).color(cx.theme.color.text_2));
    }
}

/// Shows the difference of all chains together, then the difference of each chain.
fn results_ui(ui: &mut Ui, cx: &UiContext<'_>, found: &MotionFitResult) {
    ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
    let all = difference_text(found.formula_difference, found.fitted_difference);
    let text = tr!(cx, "Distance of tips and bones from the current motion");
    fit_row_ui(ui, cx, ROW_HEIGHT, &text, TextSize::Strong, &all);
    let height = ui.available_height() - space::M;
    let area = ScrollArea::vertical().id_salt("matched").max_height(height).min_scrolled_height(height);
    area.auto_shrink(false).show_rows(ui, CHAIN_HEIGHT, found.chains.len(), |ui, range| {
        for chain in &found.chains[range] {
            let name = cx.session().document().chains.get(&chain.chain).map_or("", |chain| chain.name.as_str());
            fit_row_ui(
                ui,
                cx,
                CHAIN_HEIGHT,
                name,
                TextSize::Small,
                &difference_text(chain.formula_difference, chain.fitted_difference),
            );
        }
    });
}

fn fit_row_ui(ui: &mut Ui, cx: &UiContext<'_>, height: f32, name: &str, name_size: TextSize, values: &str) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} {values}")));
    // Leaves space for the scroll bar at the right.
    let right = pos2(rect.right() - space::M, rect.center().y);
    paint::text(ui.painter(), right, Align2::RIGHT_CENTER, values, TextSize::Number, c.text_2);
    let width = rect.width() - paint::text_width(ui, values, TextSize::Number) - space::M - space::L;
    let color = if name_size == TextSize::Strong { c.text } else { c.text_2 };
    let name = ElidedName::new(ui, name, name_size, color, width);
    name.paint_left(ui.painter(), rect.left_center());
    name.with_tooltip(response);
}

/// Returns a text such as "2.4 cm → 0.6 cm · 9.1° → 2.2°".
fn difference_text(before: MotionDifference, after: MotionDifference) -> String {
    let [from, to] = [before, after].map(|d| centimetres_text(d.metres));
    format!("{from} → {to} · {:.1}° → {:.1}°", before.degrees, after.degrees)
}

fn centimetres_text(metres: f32) -> String {
    let cm = 100.0 * metres;
    if cm >= 1.0 { format!("{cm:.1} cm") } else { format!("{cm:.2} cm") }
}
