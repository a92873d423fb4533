//! *Body colliders*: lists the fitted shapes, and creates colliders for the included shapes with a chosen thickness.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left, capitalized,
    padded_ui, sentence_ui,
};
use super::table::{self, Cells, Column, FirstCellResponse, Table};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::number::{NumberFormat, NumberInput};
use crate::ui::kit::paint;
use crate::ui::kit::property_row::{PropertyRow, property_rows, property_rows_height};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::CheckState;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{OverlayLine, OverlayLineKind, UiContext};
use egui::{Align2, Context, Rect, Ui, pos2};
use std::collections::BTreeMap;
use yuremono_model::document::{ColliderId, EditLabel, groups};
use yuremono_model::tools::{body, body::BodyColliderFit, body::BodyPlan, body::FitOutcome};
use yuremono_session::{Command, Session};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::{MessageText, message};

const NAME_LEFT: f32 = 58.0;
/// Thickness, percent of the fitted radius.
const THICKNESS: NumberInput = NumberInput::new(NumberFormat::with_suffix(" %", 0), [30.0, 200.0]);
/// Width of the column *Joints in reach*, including the gap at its left.
const JOINTS_COLUMN_WIDTH: f32 = 96.0;

#[derive(Debug)]
pub(super) struct BodyCollidersDialog {
    fits: Vec<BodyColliderFit>,
    /// The effect of creating each fit.
    outcomes: Vec<FitOutcome>,
    /// Fits that the artist included or excluded, by index. Other fits are included if their bone has no collider.
    manual_choices: BTreeMap<usize, bool>,
    thickness_percent: f32,
    plan: BodyPlan,
    snapshot: SessionSnapshot,
}

impl BodyCollidersDialog {
    pub(super) fn new(session: &Session) -> Self {
        let fits = body::fit_body_colliders(session.character(), session.document());
        let plan = body::plan_body_colliders(session.document(), &session.character().skeleton, &[], 1.0);
        let mut window = Self {
            fits,
            outcomes: Vec::new(),
            manual_choices: BTreeMap::new(),
            thickness_percent: 100.0,
            plan,
            snapshot: SessionSnapshot::of(session),
        };
        window.replan(session);
        window
    }

    fn is_included(&self, at: usize) -> bool {
        let unasked = || self.outcomes.get(at).is_some_and(FitOutcome::is_new);
        self.manual_choices.get(&at).copied().unwrap_or_else(unasked)
    }

    /// Returns the indices of the included fits, in the order of the plan.
    fn included(&self) -> Vec<usize> {
        (0..self.fits.len()).filter(|at| self.is_included(*at)).collect()
    }

    fn replan(&mut self, session: &Session) {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let thickness = self.thickness_percent / 100.0;
        self.outcomes = body::fit_outcomes(document, skeleton, &self.fits, thickness);
        let chosen: Vec<BodyColliderFit> = self.included().into_iter().map(|at| self.fits[at].clone()).collect();
        self.plan = body::plan_body_colliders(document, skeleton, &chosen, thickness);
        self.snapshot = SessionSnapshot::of(session);
    }

    const fn change_count(&self) -> usize {
        self.plan.created + self.plan.updated
    }

    fn apply_text(&self) -> MessageText {
        match (self.plan.created, self.plan.updated) {
            (n, 0) => message!("Create {n:collider|colliders}", n),
            (0, n) => message!("Update {n:collider|colliders}", n),
            (made, updated) => message!("Create {made:collider|colliders}, update {updated}", made, updated),
        }
    }

    fn outcome_summary(&self) -> MessageText {
        if self.fits.is_empty() {
            return message!("There is nothing to create.");
        }
        if self.change_count() == 0 {
            return message!("No part is included. Parts that already have a collider stay unchanged.");
        }
        message!(
            "{made} new, {updated} updated, assigned to {joints:joint|joints}",
            made = self.plan.created,
            updated = self.plan.updated,
            joints = self.plan.joints
        )
    }

    fn fit_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>) {
        let at = cells.index();
        let c = cx.theme.color;
        let fit = self.fits[at].clone();
        let part = capitalized(&i18n::body_role_name(cx.theme.lang, &fit.role));
        let taken = self.is_included(at);
        let FirstCellResponse { response, inner: ticked, .. } = cells.first_cell(&fit.name, false, |ui, cell| {
            let icon = if matches!(fit.shape, ColliderShape::Sphere { inside: false, .. }) {
                icons::CIRCLE
            } else {
                icons::PILL
            };
            let center = pos2(cell.right() - 14.0, cell.center().y);
            paint_icon(ui.painter(), center, icon, size::ICON_SMALL, c.collision);
            let name = tr!(cx, "Include {name}", name = &part);
            table::row_checkbox(ui, cell, space::S, &name, Some(CheckState::of(taken)))
        });
        let mm = format!("{} mm", millimetres(fit.shape.field(0) * self.thickness_percent / 100.0));
        cells.cell(|ui, cell| {
            table::row_text(ui, cell, space::XS, cell.width() - 60.0, &part, TextSize::Body, c.text);
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &mm, TextSize::Number, c.text);
        });
        let outcome = cx.tr(outcome_text(cx, &self.outcomes[at]));
        // A row that updates an existing collider must not have the colour of a harmless row.
        let color = match (self.outcomes[at].is_new(), taken) {
            (true, _) => c.text_3,
            (false, false) => c.text_2,
            (false, true) => c.warning,
        };
        let cut = cells.text([space::XL, 0.0], &outcome, TextSize::Small, color);
        let joints =
            self.included().iter().position(|t| *t == at).and_then(|i| self.plan.joints_per_fit.get(i).copied());
        let joints = joints.map_or_else(|| "–".to_owned(), |n| n.to_string());
        cells.right_text(&joints, TextSize::Small, c.text_2);
        table::describe_row(&response, &fit.name, false, &[&part, &mm, &outcome, &joints]);
        let hint = if cut { format!("{}\n{outcome}", fit.name) } else { fit.name.clone() };
        if ticked || response.on_hover_text(hint).clicked() {
            self.manual_choices.insert(at, !taken);
            self.replan(cx.session());
        }
    }

    fn draw_overlay_lines(&self, cx: &mut UiContext<'_>) {
        let session = cx.session();
        let (skeleton, frames) = (&session.character().skeleton, &session.playback().displayed_pose().frames);
        let line = |at: usize| {
            let fit = &self.fits[at];
            let ([from, to], radius) = body::capsule_outline(fit, skeleton, self.thickness_percent / 100.0)?;
            let frame = frames.get(fit.bone.index())?;
            let points = if from == to {
                vec![frame.transform_point(from)]
            } else {
                vec![frame.transform_point(from), frame.transform_point(to)]
            };
            Some(OverlayLine { points, radius, kind: OverlayLineKind::ProposedCollider, label: String::new() })
        };
        cx.state.overlay_lines = self.included().into_iter().filter_map(line).collect();
    }

    fn thickness_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let (label, note) = (tr!(cx, "Thickness"), tr!(cx, "of the skin"));
        if PropertyRow::new(&label).note(&note).number(ui, THICKNESS, &mut self.thickness_percent) {
            self.replan(cx.session());
        }
    }
}

impl Dialog for BodyCollidersDialog {
    fn title_text(&self) -> MessageText {
        message!("Body colliders")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        tr!(cx, "{n:part|parts} fitted", n = self.fits.len()).into_owned()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        let rows = size::ROW_TABLE * self.fits.len().max(3) as f32;
        at_left(ctx, 0.5, [580.0, 720.0], property_rows_height(1) + table::HEADER_HEIGHT + rows)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.snapshot.same_character(cx.session()) {
            *self = Self::new(cx.session());
        } else if !self.snapshot.is_current(cx.session()) {
            self.replan(cx.session());
        }
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        if self.fits.is_empty() {
            let text = tr!(
                cx,
                "No body part can get colliders. The character needs body bones (humanoid or named) and a mesh skinned \
                 to these bones."
            );
            padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
            return;
        }
        property_rows(ui, |ui| self.thickness_ui(ui, cx));
        let width = ui.available_width();
        let radius = (0.34 * width).max(200.0);
        let names = [message!("Part"), message!("Radius"), message!("Result"), message!("Joints in reach")];
        let names = names.map(|name| cx.tr(name));
        let columns = [
            Column::new("", NAME_LEFT),
            Column::with_right_title(&names[0], &names[1], radius - NAME_LEFT),
            Column::new(&names[2], width - space::XL - JOINTS_COLUMN_WIDTH - radius).indented(space::XL),
            Column::right_aligned(&names[3], JOINTS_COLUMN_WIDTH),
        ];
        let tick = CheckState::of_count(self.included().len(), self.fits.len());
        let name = tr!(cx, "Include all parts");
        let include_all = Some((space::S, &*name, tick));
        let list = Table { include_all, ..Table::new("fits", &columns, ui.available_height()) };
        if list.show(ui, self.fits.len(), |cells| self.fit_ui(cx, cells)).clicked_all {
            self.manual_choices = (0..self.fits.len()).map(|at| (at, tick != CheckState::On)).collect();
            self.replan(cx.session());
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        vec![DialogButton::apply(cx.tr(self.apply_text()), self.change_count() > 0), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        cx.tr(self.outcome_summary()).into_owned()
    }

    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        self.draw_overlay_lines(cx);
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let edit = groups::move_joint_colliders_to_groups(cx.session().document(), self.plan.edit.clone());
        let n = self.change_count();
        let label = EditLabel::new(message!("Create {n:body collider|body colliders}", n))
            .with_message(message!("{n:body collider|body colliders} created", n));
        cx.command(Command::ApplyEdit(edit, label));
        DialogResult::Closed
    }
}

fn outcome_text(cx: &UiContext<'_>, outcome: &FitOutcome) -> MessageText {
    let name = |id: &ColliderId| cx.session().document().colliders.get(id).map_or("", |c| c.name.as_str());
    match outcome {
        FitOutcome::New => message!("new"),
        FitOutcome::Updates { collider, old_radius: from, new_radius: to } => {
            let (name, to) = (name(collider), millimetres(*to));
            match from.map(millimetres) {
                Some(from) if from == to => message!("updates {name}, {to} mm unchanged", name, to),
                Some(from) => message!("updates {name}, {from} → {to} mm", name, from, to),
                None => message!("updates {name}, now {to} mm", name, to),
            }
        }
        FitOutcome::AddsToExisting { collider, other_count: 0 } => {
            message!("{name} exists", name = name(collider))
        }
        FitOutcome::AddsToExisting { collider, other_count } => {
            message!("{name} and {n} more exist", name = name(collider), n = *other_count)
        }
    }
}

fn millimetres(metres: f32) -> String {
    format!("{:.0}", metres * 1000.0)
}
