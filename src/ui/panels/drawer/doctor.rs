//! The Doctor tab: what is wrong with the setup, with *Show* and *Fix*, and what motions bring to light.
//!
//! Findings about the document are computed again only after a change of the document, and not while the pointer drags a
//! value. Findings of motions come from another thread and stay until the artist runs the motions again.

use super::message_level;
use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{meter, paint};
use crate::ui::{AppRequest, TaskStatus, UiContext};
use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, CursorIcon, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use yuremono_model::document::{Edit, EditLabel};
use yuremono_model::tools::doctor::{Finding, FindingKind, Subject, fix_all};
use yuremono_session::{Command, MotionFindings, SceneObject, SelectMode, all_motions};
use yuremono_sim::diagnostics::{Severity, message};
use yuremono_sim::rig::{BoneId, Character};

/// Where the carets, the icons and the sentences of rows are, in points from the left edge.
const CARET_X: f32 = 15.0;
const ICON_X: f32 = 30.0;
const TEXT_LEFT: f32 = 44.0;
/// Width of the buttons of a row.
const BUTTONS_WIDTH: f32 = 132.0;
/// Height of the name of a subject.
const NAME_HEIGHT: f32 = 20.0;
/// Time without a change before a closed tab examines the document, in seconds.
const IDLE_SECONDS: f64 = 0.5;
/// Number of names that an open row lists.
const MAX_NAMES: usize = 60;

/// What findings depend on.
#[derive(Clone, Debug)]
struct ExaminedState {
    character: Arc<Character>,
    state: u64,
    frame_rate: u32,
}

impl ExaminedState {
    fn of(cx: &UiContext<'_>) -> Self {
        Self {
            character: Arc::clone(cx.session().character()),
            state: cx.session().history().current_state(),
            frame_rate: cx.playback().settings().player_frame_rate,
        }
    }

    fn is_current(&self, cx: &UiContext<'_>) -> bool {
        let now = Self::of(cx);
        Arc::ptr_eq(&self.character, &now.character) && (self.state, self.frame_rate) == (now.state, now.frame_rate)
    }
}

#[derive(Debug, Default)]
pub(super) struct DoctorTab {
    examined: Option<ExaminedState>,
    findings: Vec<Finding>,
    /// What the last motions ran with.
    motions_of: Option<ExaminedState>,
    /// The present state of the document, and since when the closed tab waits to examine it.
    changed: Option<(u64, f64)>,
    /// Rows whose names are listed.
    open: BTreeSet<RowKey>,
    /// The bone of the name under the pointer.
    hovered: Option<BoneId>,
}

impl DoctorTab {
    /// Drops everything that belongs to the previous character.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the number of findings above a note.
    pub(super) fn badge(&self, cx: &UiContext<'_>) -> Option<(Icon, Color32, usize)> {
        let of_motions = self.of_motions(cx).map_or(&[][..], |found| &found.findings);
        let all = self.findings.iter().chain(of_motions);
        let count = all.filter(|finding| finding.kind.severity() > Severity::Info).count();
        let tone = message_level(Severity::Warning);
        (count > 0).then(|| (tone.icon(), tone.color(&cx.theme), count))
    }

    /// Returns what the last motions have shown.
    fn of_motions<'a>(&self, cx: &UiContext<'a>) -> Option<&'a MotionFindings> {
        match cx.input.doctor {
            TaskStatus::Finished(found) if self.motions_of.is_some() => Some(found),
            _ => None,
        }
    }

    /// Examines the setup for the badge, also while the tab is closed. Waits until the document stays unchanged for a
    /// moment, because examining takes longer than a frame.
    pub(super) fn update_when_idle(&mut self, ui: &Ui, cx: &UiContext<'_>) {
        if self.is_current(cx) {
            return;
        }
        let (state, now) = (cx.session().history().current_state(), ui.input(|i| i.time));
        let since = match self.changed {
            Some((changed, since)) if changed == state => since,
            _ => now,
        };
        self.changed = Some((state, since));
        if now - since >= IDLE_SECONDS {
            self.update(cx);
        } else {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(IDLE_SECONDS));
        }
    }

    fn is_current(&self, cx: &UiContext<'_>) -> bool {
        self.examined.as_ref().is_some_and(|examined| examined.is_current(cx))
    }

    fn update(&mut self, cx: &UiContext<'_>) {
        if self.is_current(cx) || (self.examined.is_some() && cx.session().history().is_merging()) {
            return;
        }
        self.findings = cx.session().doctor_findings();
        self.examined = Some(ExaminedState::of(cx));
    }

    /// Draws the buttons at the right of the tabs.
    pub(super) fn tools_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.spacing_mut().item_spacing.x = space::S;
        if let TaskStatus::Running(share) = cx.input.doctor {
            if meter::progress_bar(ui, &tr!(cx, "Playing motions"), Some(share), true) {
                cx.request(AppRequest::StopDoctor);
                self.motions_of = None;
            }
            return;
        }
        let run = secondary(&tr!(cx, "Run motions")).icon(icons::PLAY).small().show(ui);
        let hint = tr!(
            cx,
            "Plays all motions on a copy, and looks for joints that run away, shake at rest, or are held between a \
             collider and a limit"
        );
        if run.on_hover_text(hint).clicked() {
            self.motions_of = Some(ExaminedState::of(cx));
            cx.request(AppRequest::RunDoctor { motions: all_motions(cx.session()) });
        }
        let is_fixable = |finding: &&Finding| finding.fix.is_some() && finding.kind.severity() > Severity::Info;
        let count = self.findings.iter().filter(is_fixable).count();
        if count > 1 {
            let button = secondary(&tr!(cx, "Fix {n:warning|warnings}", n = count)).small().show(ui);
            let hint = tr!(cx, "Fixes all warnings that have a fix, as one undo step; notes stay as they are");
            if button.on_hover_text(hint).clicked() {
                let rate = cx.playback().settings().player_frame_rate;
                let (edit, fixed) = fix_all(cx.character(), cx.document(), rate);
                cx.apply_edit(edit, fix_label(fixed));
            }
        }
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        self.update(cx);
        let of_motions = self.of_motions(cx);
        let mut hovered = None;
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.add_space(space::XS);
            if let Some(found) = of_motions {
                let is_current = self.motions_of.as_ref().is_some_and(|then| then.is_current(cx));
                if !is_current {
                    let text = tr!(cx, "The setup has changed since the motions were run.");
                    note_ui(ui, cx, icons::INFO, cx.theme.color.text_3, &text);
                }
                for (at, finding) in found.findings.iter().enumerate() {
                    // A fix belongs to the setup that the motions ran with.
                    let shown =
                        FindingRow { finding, fix: finding.fix.as_ref().filter(|_| is_current), of_motion: true };
                    let row = ui.push_id(("motion", at), |ui| finding_ui(ui, cx, shown, &mut self.open));
                    hovered = row.inner.or(hovered);
                }
            }
            for (at, finding) in self.findings.iter().enumerate() {
                let shown = FindingRow { finding, fix: finding.fix.as_ref(), of_motion: false };
                let row = ui.push_id(("setup", at), |ui| finding_ui(ui, cx, shown, &mut self.open));
                hovered = row.inner.or(hovered);
            }
            let ok = cx.theme.color.ok;
            if self.findings.is_empty() {
                note_ui(ui, cx, icons::CHECK_CIRCLE, ok, &tr!(cx, "Nothing is wrong with the setup."));
            }
            match of_motions {
                Some(found) if found.findings.is_empty() => {
                    let n = found.motions;
                    let text = tr!(cx, "No joint runs away, shakes or is held in {n:motion|motions}.", n);
                    note_ui(ui, cx, icons::CHECK_CIRCLE, ok, &text);
                }
                Some(_) => {}
                None => {
                    let text = tr!(cx, "Joints that run away or shake are found by running the motions.");
                    note_ui(ui, cx, icons::INFO, cx.theme.color.text_3, &text);
                }
            }
            ui.add_space(space::XS);
        });
        if std::mem::replace(&mut self.hovered, hovered) != hovered {
            cx.command(Command::Hover(hovered));
        }
    }
}

/// Draws a sentence without buttons.
fn note_ui(ui: &mut Ui, cx: &UiContext<'_>, icon: Icon, color: Color32, text: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TABLE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    paint_icon(ui.painter(), pos2(rect.left() + ICON_X, rect.center().y), icon, 15.0, color);
    let galley = paint::elided(ui, text, TextSize::Body, cx.theme.color.text_2, rect.width() - TEXT_LEFT - space::L);
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + TEXT_LEFT, rect.center().y), galley);
}

#[derive(Clone, Copy)]
struct FindingRow<'a> {
    finding: &'a Finding,
    /// The fix that is offered.
    fix: Option<&'a Edit>,
    /// Whether the finding comes from motions.
    of_motion: bool,
}

/// Identifies a row. Several findings can have one kind, but not the same first subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    kind: FindingKind,
    of_motion: bool,
    first_subject: Option<Subject>,
}

impl RowKey {
    fn of(row: FindingRow<'_>) -> Self {
        let first_subject = row.finding.subjects.first().copied();
        Self { kind: row.finding.kind, of_motion: row.of_motion, first_subject }
    }
}

/// Draws a finding. `open` contains the rows whose names are listed. Returns the bone of the name under the pointer.
fn finding_ui(ui: &mut Ui, cx: &mut UiContext<'_>, row: FindingRow<'_>, open: &mut BTreeSet<RowKey>) -> Option<BoneId> {
    let finding = row.finding;
    let c = cx.theme.color;
    let sentence = cx.tr(&finding.message);
    let format = TextFormat { font_id: TextSize::Body.font(), color: c.text, ..TextFormat::default() };
    let mut job = LayoutJob::single_section(sentence.to_string(), format);
    job.wrap.max_width = (ui.available_width() - TEXT_LEFT - BUTTONS_WIDTH - space::L).max(80.0);
    let galley = ui.painter().layout_job(job);
    let height = (galley.size().y + 8.0).max(size::ROW_TABLE);
    let has_names = finding.subjects.len() > 1;
    let sense = if has_names { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &sentence));
    if ui.rect_contains_pointer(rect) {
        ui.painter().rect_filled(rect.shrink2(vec2(space::S, 0.0)), radius::FIELD, c.hover);
    }
    let key = RowKey::of(row);
    if has_names {
        if response.clone().on_hover_cursor(CursorIcon::PointingHand).clicked() && !open.remove(&key) {
            open.insert(key);
        }
        let caret = if open.contains(&key) { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let first_line = pos2(rect.left() + CARET_X, rect.top() + size::ROW_TABLE / 2.0);
        paint_icon(ui.painter(), first_line, caret, size::ICON_TINY, c.text_3);
    }
    let tone = message_level(finding.kind.severity());
    let first_line = rect.top() + size::ROW_TABLE / 2.0;
    paint_icon(ui.painter(), pos2(rect.left() + ICON_X, first_line), tone.icon(), 15.0, tone.color(&cx.theme));
    let top = rect.center().y - galley.size().y / 2.0;
    ui.painter().galley(pos2(rect.left() + TEXT_LEFT, top), galley, c.text);
    buttons_ui(ui, cx, row, rect);
    if has_names && open.contains(&key) { names_ui(ui, cx, finding) } else { None }
}

fn buttons_ui(ui: &mut Ui, cx: &mut UiContext<'_>, shown: FindingRow<'_>, row: Rect) {
    let middle = row.top() + size::ROW_TABLE / 2.0;
    let half = vec2(0.0, size::BUTTON_SMALL / 2.0);
    let rect = Rect::from_min_max(
        pos2(row.right() - BUTTONS_WIDTH - space::M, middle) - half,
        pos2(row.right() - space::M, middle) + half,
    );
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
    ui.spacing_mut().item_spacing.x = space::S;
    if let Some(fix) = shown.fix
        && secondary(&tr!(cx, "Fix"))
            .small()
            .show(&mut ui)
            .on_hover_text(tr!(cx, "Changes the setup as the sentence says, as one undo step"))
            .clicked()
    {
        cx.apply_edit(fix.clone(), fix_label(1));
    }
    let show = secondary(&tr!(cx, "Show{:button}")).small().show(&mut ui);
    if show.on_hover_text(tr!(cx, "Selects the joints, colliders or forces, and moves the camera to them")).clicked() {
        show_subjects(cx, &shown.finding.subjects);
    }
}

/// Lists the names of a finding; a click shows one of them. Returns the bone of the name under the pointer.
fn names_ui(ui: &mut Ui, cx: &mut UiContext<'_>, finding: &Finding) -> Option<BoneId> {
    let c = cx.theme.color;
    let mut hovered = None;
    for subject in finding.subjects.iter().take(MAX_NAMES) {
        let name = subject.name(cx.document(), &cx.character().skeleton);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), NAME_HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let color = if response.hovered() { c.text } else { c.text_2 };
        let icon = match subject {
            Subject::Bone(_) => icons::BONE,
            Subject::Collider(_) => icons::CIRCLE_DASHED,
            Subject::Force(_) => icons::WIND,
        };
        let left = rect.left() + TEXT_LEFT;
        paint_icon(ui.painter(), pos2(left + 7.0, rect.center().y), icon, size::ICON_TINY, c.text_3);
        let galley = paint::elided(ui, &name, TextSize::Small, color, rect.width() - TEXT_LEFT - 32.0);
        paint::paint_galley_left(ui.painter(), pos2(left + 20.0, rect.center().y), galley);
        if response.hovered()
            && let Subject::Bone(bone) = subject
        {
            hovered = Some(*bone);
        }
        if response.on_hover_cursor(CursorIcon::PointingHand).clicked() {
            show_subjects(cx, &[*subject]);
        }
    }
    let more = finding.subjects.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        let text = tr!(cx, "and {n} more", n = more);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), NAME_HEIGHT), Sense::hover());
        let at = pos2(rect.left() + TEXT_LEFT + 20.0, rect.center().y);
        let galley = paint::elided(ui, &text, TextSize::Small, c.text_3, rect.width() - TEXT_LEFT);
        paint::paint_galley_left(ui.painter(), at, galley);
    }
    hovered
}

fn fix_label(count: usize) -> EditLabel {
    EditLabel::new(message!("Fix {n:finding|findings}", n = count))
        .with_message(message!("Fix of {n:finding|findings} applied", n = count))
}

/// Selects bones and objects, and moves the camera to them.
fn show_subjects(cx: &mut UiContext<'_>, subjects: &[Subject]) {
    let (mut bones, mut objects) = (Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            Subject::Bone(bone) => bones.push(*bone),
            Subject::Collider(id) => objects.push(SceneObject::Collider(*id)),
            Subject::Force(id) => objects.push(SceneObject::Force(*id)),
        }
    }
    // The first bone is the clearest case; the last selected bone becomes active.
    bones.reverse();
    cx.command(Command::Select(bones, SelectMode::Replace));
    if !objects.is_empty() {
        cx.command(Command::SelectObjects(objects, SelectMode::Replace));
    }
    cx.state.frame_wanted = true;
}
