//! *Find the clipping*: lists joints that pass through the body during motions, shows these moments, and applies measured
//! changes that prevent them.

use super::bake::simulated_settings;
use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left, capitalized,
    padded_ui, sentence_ui,
};
use super::table::{self, Cells, Column, FirstCellResponse, Table};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::property_row::{PropertyRow, property_rows, property_rows_height};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{CheckState, Choice};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{i18n, meter, paint};
use crate::ui::viewport::motion_name;
use crate::ui::{AppRequest, OverlayLine, OverlayLineKind, TaskStatus, TimelineMarks, UiContext};
use egui::{Context, Rect, Ui, pos2};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yuremono_model::document::EditLabel;
use yuremono_model::tools::clipping_fixes::{ClippingFix, chain_list, fixes_edit};
use yuremono_session::{
    ClippingAmount, ClippingContact, ClippingFindings, ClippingProposal, ClippingReport, Command, Motion,
    PlaybackSettings, SelectMode, Session, all_motions,
};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

/// Range of the window width.
const WIDTHS: [f32; 2] = [620.0, 760.0];
/// Height of a heading above a table.
const HEADING_HEIGHT: f32 = 30.0;
/// Number of visible rows of contacts and of changes.
const CONTACT_ROWS: f32 = 9.0;
const CHANGE_ROWS: usize = 6;
const NAME_LEFT: f32 = 40.0;
const DEPTH_WIDTH: f32 = 76.0;
const TIME_WIDTH: f32 = 76.0;
const EFFECT_WIDTH: f32 = 320.0;

#[derive(Debug, Default)]
pub(super) struct ClippingDialog {
    /// Whether all motions are checked, and not only the present one.
    all_motions: bool,
    /// Changes that the artist included or excluded, by index. Other changes are included if they are recommended.
    manual_choices: BTreeMap<usize, bool>,
    /// The contact that is shown.
    shown: Option<ContactIndex>,
    /// What the last check was started from.
    started: Option<ClippingInput>,
}

/// Everything that a check depends on.
#[derive(Clone, Debug)]
struct ClippingInput {
    all_motions: bool,
    snapshot: SessionSnapshot,
    settings: PlaybackSettings,
    hidden_meshes: Vec<usize>,
}

impl ClippingInput {
    fn is_current(&self, all_motions: bool, cx: &UiContext<'_>) -> bool {
        self.all_motions == all_motions
            && self.settings == checked_settings(cx.session(), all_motions)
            && self.hidden_meshes == hidden_meshes(&cx.state.mesh_visibility)
            && self.snapshot.is_current(cx.session())
    }
}

/// Returns the settings of the playback, with fixed values for those that do not change the result.
fn checked_settings(session: &Session, all_motions: bool) -> PlaybackSettings {
    let settings = simulated_settings(session);
    if all_motions { PlaybackSettings { motion: Motion::Still, ..settings } } else { settings }
}

/// Returns the indices of hidden meshes.
fn hidden_meshes(visible: &[bool]) -> Vec<usize> {
    (0..visible.len()).filter(|mesh| !visible[*mesh]).collect()
}

impl ClippingDialog {
    fn is_current(&self, cx: &UiContext<'_>) -> bool {
        self.started.as_ref().is_some_and(|started| started.is_current(self.all_motions, cx))
    }

    /// Returns the result of the last check, also if the setup has changed since.
    fn findings<'a>(&self, cx: &UiContext<'a>) -> Option<&'a Arc<ClippingFindings>> {
        match cx.input.clipping {
            TaskStatus::Finished(Ok(findings)) if self.is_same_character(cx) => Some(findings),
            _ => None,
        }
    }

    fn is_same_character(&self, cx: &UiContext<'_>) -> bool {
        self.started.as_ref().is_some_and(|started| started.snapshot.same_character(cx.session()))
    }

    fn is_included(&self, at: usize, proposal: &ClippingProposal) -> bool {
        self.manual_choices.get(&at).copied().unwrap_or(proposal.recommended)
    }

    /// Returns the included changes of a result that belongs to the present setup.
    fn included(&self, cx: &UiContext<'_>) -> Vec<ClippingFix> {
        let Some(findings) = self.findings(cx).filter(|_| self.is_current(cx)) else { return Vec::new() };
        let proposals = findings.proposals.iter().enumerate();
        proposals.filter(|(at, proposal)| self.is_included(*at, proposal)).map(|(_, p)| p.fix.clone()).collect()
    }

    /// Returns whether the main button applies changes. Otherwise, the button starts a check.
    fn applies(&self, cx: &UiContext<'_>) -> bool {
        self.is_current(cx) && self.findings(cx).is_some_and(|findings| !findings.proposals.is_empty())
    }

    fn start(&mut self, cx: &mut UiContext<'_>) {
        let motion = cx.playback().settings().motion;
        let motions = if self.all_motions { all_motions(cx.session()) } else { vec![motion] };
        let visible = cx.state.mesh_visibility.clone();
        self.started = Some(ClippingInput {
            all_motions: self.all_motions,
            snapshot: SessionSnapshot::of(cx.session()),
            settings: checked_settings(cx.session(), self.all_motions),
            hidden_meshes: hidden_meshes(&visible),
        });
        self.shown = None;
        self.manual_choices.clear();
        cx.request(AppRequest::FindClipping { motions, visible });
    }

    fn motions_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let choices = [
            Choice::new(false, tr!(cx, "Current")).hint(tr!(cx, "Checks the motion that is playing.")),
            Choice::new(true, tr!(cx, "All")).hint(tr!(cx, "Checks all animations, gestures and built-in motions.")),
        ];
        let note = if self.all_motions {
            tr!(cx, "{n:motion|motions}", n = all_motions(cx.session()).len()).into_owned()
        } else {
            motion_name(cx.theme.lang, cx.playback().settings().motion, cx.session())
        };
        let is_running = matches!(cx.input.clipping, TaskStatus::Running(_));
        ui.add_enabled_ui(!is_running, |ui| {
            PropertyRow::new(&tr!(cx, "Motion")).note(&note).choice(ui, &choices, &mut self.all_motions);
        });
    }

    /// Returns the bone of the row under the pointer.
    fn findings_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, findings: &ClippingFindings) -> Option<BoneId> {
        let rows = contact_rows(findings);
        for (motion, error) in &findings.left_out {
            let name = motion_name(cx.theme.lang, *motion, cx.session());
            padded_ui(ui, |ui| sentence_ui(ui, cx, &cx.tr(error.message(&name))));
        }
        if !self.is_current(cx) {
            let text = tr!(cx, "The setup, the motion or the visible meshes have changed since the last search.");
            padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
        }
        if rows.is_empty() {
            if !findings.reports.is_empty() {
                padded_ui(ui, |ui| nothing_found_ui(ui, cx, findings.reports.len()));
            }
            return None;
        }
        let changes = findings.proposals.len().clamp(1, CHANGE_ROWS) as f32 * size::ROW_TABLE;
        let below = HEADING_HEIGHT + table::HEADER_HEIGHT + changes;
        let height = (ui.available_height() - below).max(table::HEADER_HEIGHT + 3.0 * size::ROW_TABLE);
        let hovered = self.contacts_ui(ui, cx, &rows, height);
        heading_ui(ui, cx, message!("Suggested changes"));
        if findings.proposals.is_empty() {
            padded_ui(ui, |ui| sentence_ui(ui, cx, &tr!(cx, "No change was found that helps.")));
        } else {
            self.changes_ui(ui, cx, findings);
        }
        hovered
    }

    /// Returns the bone of the row under the pointer.
    fn contacts_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        rows: &[ContactRow<'_>],
        height: f32,
    ) -> Option<BoneId> {
        let width = ui.available_width() - space::XL;
        let names = [
            message!("Joint"),
            message!("Body part"),
            message!("Motion"),
            message!("Depth{:penetration}"),
            message!("Time{:moment}"),
        ];
        let names = names.map(|name| cx.tr(name));
        let text = width - DEPTH_WIDTH - TIME_WIDTH;
        let columns = [
            Column::new(&names[0], 0.4 * text).indented(NAME_LEFT),
            Column::new(&names[1], 0.3 * text).indented(space::M),
            Column::new(&names[2], 0.3 * text).indented(space::M),
            Column::right_aligned(&names[3], DEPTH_WIDTH),
            Column::right_aligned(&names[4], TIME_WIDTH),
        ];
        let mut hovered = None;
        ui.push_id("contacts", |ui| {
            Table::new("contacts", &columns, height).show(ui, rows.len(), |cells| {
                let row = rows[cells.index()];
                hovered = self.contact_ui(cx, cells, row).or(hovered);
            });
        });
        hovered
    }

    /// Returns the bone of the row if the row is under the pointer.
    fn contact_ui(&mut self, cx: &mut UiContext<'_>, cells: &mut Cells<'_, '_>, row: ContactRow<'_>) -> Option<BoneId> {
        let c = cx.theme.color;
        let ContactRow { report, contact, index } = row;
        let is_shown = self.shown == Some(index);
        let name = cx.inspection().bone_name(contact.bone).to_owned();
        let part = part_name(cx, contact.body_bone);
        let motion = motion_name(cx.theme.lang, report.motion, cx.session());
        let (depth, time) = (format!("{} mm", millimetres(contact.depth)), format!("{:.2} s", contact.seconds));
        let color = if is_shown { c.selection_text } else { c.text };
        let FirstCellResponse { response, pointer, .. } = cells.first_cell(&name, is_shown, |ui, cell| {
            let center = pos2(cell.left() + NAME_LEFT / 2.0 + space::XXS, cell.center().y);
            paint_icon(ui.painter(), center, icons::WARNING, size::ICON_SMALL, c.collision);
            table::row_bone_name(ui, cell, NAME_LEFT, cell.width() - NAME_LEFT, &name, color);
        });
        cells.text([space::M, 0.0], &part, TextSize::Body, color);
        cells.text([space::M, 0.0], &motion, TextSize::Small, if is_shown { color } else { c.text_2 });
        cells.right_text(&depth, TextSize::Number, color);
        cells.right_text(&time, TextSize::Number, color);
        table::describe_row(&response, &name, is_shown, &[&part, &motion, &depth, &time]);
        let response =
            response.on_hover_text(tr!(cx, "Click to select {name} and show the motion at {s}", name, s = &time));
        if response.clicked() {
            self.shown = Some(index);
            show_contact(cx, report, contact);
        }
        pointer.map(|_| contact.bone)
    }

    fn changes_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, findings: &ClippingFindings) {
        let names = [tr!(cx, "Change"), tr!(cx, "Before → after")];
        let width = ui.available_width() - space::XL;
        let columns = [
            Column::new(&names[0], width - EFFECT_WIDTH).indented(NAME_LEFT),
            Column::right_aligned(&names[1], EFFECT_WIDTH),
        ];
        let height = ui.available_height();
        ui.push_id("changes", |ui| {
            Table::new("changes", &columns, height).show(ui, findings.proposals.len(), |cells| {
                self.change_ui(cx, cells, &findings.proposals[cells.index()]);
            });
        });
    }

    fn change_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, proposal: &ClippingProposal) {
        let (c, at) = (cx.theme.color, cells.index());
        let included = self.is_included(at, proposal);
        let part = part_name(cx, proposal.fix.body_bone);
        let text = cx.tr(proposal.fix.message(cx.document(), &part));
        let text = capitalized(&text);
        let harm = harm_text(cx, proposal);
        let tick = self.is_current(cx).then(|| CheckState::of(included));
        let FirstCellResponse { response, inner: ticked, .. } = cells.first_cell(&text, false, |ui, cell| {
            let right = if harm.is_some() { 24.0 } else { space::S };
            table::row_text(ui, cell, NAME_LEFT, cell.width() - NAME_LEFT - right, &text, TextSize::Body, c.text);
            if harm.is_some() {
                let center = pos2(cell.right() - 12.0, cell.center().y);
                paint_icon(ui.painter(), center, icons::WARNING, size::ICON_SMALL, c.warning);
            }
            let name = tr!(cx, "Include {name}", name = &text);
            table::row_checkbox(ui, cell, space::S, &name, tick)
        });
        let (before, after) = (amount_text(cx, proposal.before), amount_text(cx, proposal.after));
        let percent = format!("{:+.0}", proposal.total_depth_percent()).replace('-', "−");
        let effect = format!("{before} → {after} ({percent} %)");
        cells.right_text(&effect, TextSize::Small, c.text);
        let motion = motion_name(cx.theme.lang, proposal.motion, cx.session());
        table::describe_row(&response, &text, false, &[&effect, harm.as_deref().unwrap_or_default()]);
        let mut hint = format!(
            "{text}\n{}",
            tr!(
                cx,
                "Measured at {part} in the motion {motion}. The percentage is the change of the sum of all depths.",
                part,
                motion
            )
        );
        if let Some(harm) = &harm {
            hint = format!("{hint}\n{harm}");
        }
        if (ticked || response.on_hover_text(hint).clicked()) && tick.is_some() {
            self.manual_choices.insert(at, !included);
        }
    }

    /// Marks the joints in the viewport, and the frames of the playing motion on the timeline.
    fn show_marks(&self, cx: &mut UiContext<'_>) {
        let Some(findings) = self.findings(cx) else { return };
        let motion = cx.playback().settings().motion;
        let shown = self.shown.and_then(|at| findings.reports.get(at.report)?.contacts.get(at.contact));
        let Some(report) = findings.reports.iter().find(|report| report.motion == motion) else { return };
        let joints: BTreeSet<BoneId> = report.contacts.iter().map(|contact| contact.bone).collect();
        let line = |bone: BoneId| {
            let head = cx.playback().displayed_pose().frames.get(bone.index())?.position;
            let tip = cx.playback().displayed_tip(bone).unwrap_or(head);
            let shown = shown.filter(|contact| contact.bone == bone);
            let label = shown.map_or_else(String::new, |contact| format!("{} mm", millimetres(contact.depth)));
            let points = vec![head.midpoint(tip)];
            Some(OverlayLine { points, radius: 0.0, kind: OverlayLineKind::Clipping, label })
        };
        let lines: Vec<OverlayLine> = joints.into_iter().filter_map(line).collect();
        cx.state.overlay_lines = lines;
        cx.state.timeline_marks = TimelineMarks::of(report);
    }
}

impl Dialog for ClippingDialog {
    fn title_text(&self) -> MessageText {
        message!("Find the clipping")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.session().character().name.clone()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        let tables = 2.0 * table::HEADER_HEIGHT + (CONTACT_ROWS + CHANGE_ROWS as f32) * size::ROW_TABLE;
        at_left(ctx, 0.44, WIDTHS, property_rows_height(1) + HEADING_HEIGHT + tables)
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        property_rows(ui, |ui| self.motions_ui(ui, cx));
        let top = ui.cursor().top();
        paint::hairline(ui.painter(), ui.max_rect().left(), ui.max_rect().right(), top, cx.theme.color.border);
        if let TaskStatus::Running(share) = cx.input.clipping {
            let stopped = padded_ui(ui, |ui| meter::progress_bar(ui, &tr!(cx, "Simulating"), Some(share), true));
            if stopped {
                cx.request(AppRequest::StopClipping);
            }
            return;
        }
        if let Some(findings) = self.findings(cx) {
            out.hovered_bone = self.findings_ui(ui, cx, findings);
            return;
        }
        let text = match cx.input.clipping {
            TaskStatus::Finished(Err(message)) if self.is_current(cx) => cx.tr(message),
            _ if self.is_current(cx) => tr!(cx, "The search was cancelled."),
            _ => tr!(
                cx,
                "Simulates motions on a copy and lists where hair and cloth pass through the body, with changes that \
                 prevent this."
            ),
        };
        padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let apply = if self.applies(cx) {
            let count = self.included(cx).len();
            DialogButton::apply(tr!(cx, "Apply {n:change|changes}", n = count), count > 0)
        } else {
            let is_running = matches!(cx.input.clipping, TaskStatus::Running(_));
            DialogButton::apply(tr!(cx, "Find clipping"), !is_running)
        };
        vec![apply, DialogButton::close(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let Some(findings) = self.findings(cx) else { return String::new() };
        let depth = findings.reports.iter().map(ClippingReport::depth).fold(0.0, f32::max);
        if depth == 0.0 {
            return String::new();
        }
        let frames = findings.reports.iter().map(ClippingReport::clipping_frames).sum::<usize>();
        let all = findings.reports.iter().map(|report| report.frames.len()).sum::<usize>();
        let counts = tr!(cx, "{frames} of {all:frame|frames}", frames, all);
        format!("{} mm · {counts}", millimetres(depth))
    }

    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        self.show_marks(cx);
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.applies(cx) {
            self.start(cx);
            return DialogResult::Open;
        }
        let fixes = self.included(cx);
        if let Some(edit) = fixes_edit(&fixes, cx.document(), &cx.character().skeleton) {
            let label = EditLabel::new(message!("Apply {n:change|changes} against clipping", n = fixes.len()))
                .with_message(message!("{n:change|changes} against clipping applied", n = fixes.len()));
            cx.apply_edit(edit, label);
        }
        DialogResult::Open
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::StopClipping);
        DialogResult::Closed
    }
}

/// The place of a contact in the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ContactIndex {
    report: usize,
    contact: usize,
}

/// A contact in the table.
#[derive(Clone, Copy)]
struct ContactRow<'a> {
    report: &'a ClippingReport,
    contact: &'a ClippingContact,
    index: ContactIndex,
}

/// Returns the contacts of all motions, deepest first.
fn contact_rows(findings: &ClippingFindings) -> Vec<ContactRow<'_>> {
    let mut rows = Vec::new();
    for (at, report) in findings.reports.iter().enumerate() {
        for (number, contact) in report.contacts.iter().enumerate() {
            rows.push(ContactRow { report, contact, index: ContactIndex { report: at, contact: number } });
        }
    }
    rows.sort_by(|a, b| b.contact.depth.total_cmp(&a.contact.depth));
    rows
}

/// Selects the joint, and pauses the motion at the deepest moment.
fn show_contact(cx: &mut UiContext<'_>, report: &ClippingReport, contact: &ClippingContact) {
    let settings = *cx.playback().settings();
    cx.command(Command::Select(vec![contact.bone], SelectMode::Replace));
    if settings.motion != report.motion {
        cx.command(Command::SetMotion(report.motion));
    }
    let time = contact.seconds * f64::from(settings.motion_speed);
    cx.command(Command::Seek { time, lead: report.lead_seconds(contact.seconds) });
}

fn nothing_found_ui(ui: &mut Ui, cx: &UiContext<'_>, motions: usize) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::M;
        icons::icon(ui, icons::CHECK_CIRCLE, size::ICON, cx.theme.color.ok);
        let text = tr!(cx, "No hair or cloth passes through the body in {n:motion|motions}.", n = motions);
        sentence_ui(ui, cx, &text);
    });
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, text: MessageText) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), HEADING_HEIGHT), egui::Sense::hover());
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), cx.theme.color.border);
    table::row_text(ui, rect, space::XL, rect.width(), &cx.tr(text), TextSize::Strong, cx.theme.color.text);
}

/// Returns the name of a part of the body: the humanoid role, else the name of the bone.
fn part_name(cx: &UiContext<'_>, bone: BoneId) -> String {
    match cx.character().humanoid.role(bone) {
        Some(role) => capitalized(&i18n::body_role_name(cx.theme.lang, role)),
        None => cx.inspection().bone_name(bone).to_owned(),
    }
}

/// Returns a text such as "23 mm, 4 frames".
fn amount_text(cx: &UiContext<'_>, amount: ClippingAmount) -> String {
    let frames = message!("{n:frame|frames}", n = amount.frames);
    tr!(cx, "{mm} mm, {frames}", mm = millimetres(amount.depth), frames).into_owned()
}

/// Returns what a change does worse, if anything.
fn harm_text(cx: &UiContext<'_>, proposal: &ClippingProposal) -> Option<String> {
    let chains = chain_list(cx.document(), &proposal.worse);
    let worse = (!proposal.worse.is_empty()).then(|| tr!(cx, "Clips more with this change: {name}", name = chains));
    let shift = millimetres(proposal.rest_shift);
    let stands_off = proposal.stands_off.then(|| tr!(cx, "Moves the rest pose by up to {mm} mm", mm = shift));
    let lines: Vec<_> = worse.into_iter().chain(stands_off).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn millimetres(metres: f32) -> String {
    format!("{:.0}", 1000.0 * metres)
}
