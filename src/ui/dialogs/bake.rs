//! *Bake motion*: turns the simulated motion into an animation, and compares the animation with the live motion.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::number::{NumberFormat, NumberInput};
use crate::ui::kit::property_row::{PropertyRow, property_rows, property_rows_height};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::toggle::{Choice, labelled_checkbox, segmented_choice};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{meter, paint};
use crate::ui::viewport::motion_name;
use crate::ui::{AppRequest, BakeResult, TaskStatus, UiContext};
use egui::{Color32, Context, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use std::sync::Arc;
use yuremono_session::{
    BakeJob, BakeOptions, BakedFormat, BakedMotion, Command, LoopClosure, LoopReport, Motion, PlaybackSettings, Session,
};
use yuremono_sim::diagnostics::{Diagnostic, MessageText, Severity, message};
use yuremono_sim::params::Unit;
use yuremono_sim::rig::key_count;

/// Number of rows of options.
const ROWS: usize = 9;
/// Height of the part below the options: progress, result or problem.
const STATUS_HEIGHT: f32 = 128.0;
/// Range of the window width.
const WIDTHS: [f32; 2] = [520.0, 540.0];
/// Initial end of the range for the rest pose, which never ends, in seconds.
const STILL_SECONDS: f64 = 4.0;
const SECONDS: NumberInput = NumberInput::new(NumberFormat::with_suffix(" s", 2), [0.0, 3600.0]);
/// Keys per second.
const KEY_RATE: NumberInput = NumberInput::new(NumberFormat::with_suffix("", 0), [1.0, 1000.0]);
/// Range of the largest error, in metres.
const ERRORS: [f32; 2] = [1e-6, 1.0];
const MAX_ERROR: NumberInput = NumberInput::new(NumberFormat::for_unit(Unit::Metres).decimals(2), ERRORS);

#[derive(Debug)]
pub(super) struct BakeDialog {
    options: BakeOptions,
    format: BakedFormat,
    /// Whether only the selected chains are baked.
    selected_only: bool,
    /// Whether keys are removed.
    reduces_keys: bool,
    /// Largest distance after keys are removed, in metres.
    max_error: f32,
    /// What `problem` was computed from.
    checked: Option<BakeInput>,
    /// Why the bake cannot start.
    problem: Option<MessageText>,
    /// What the last bake was started from.
    started: Option<BakeInput>,
}

/// Everything that a bake depends on.
#[derive(Clone, Debug)]
struct BakeInput {
    options: BakeOptions,
    snapshot: SessionSnapshot,
    settings: PlaybackSettings,
}

impl BakeInput {
    fn is_current(&self, options: &BakeOptions, session: &Session) -> bool {
        self.options == *options
            && self.settings == baked_settings(options, session)
            && self.snapshot.is_current(session)
    }
}

/// Returns the settings of the playback, with fixed values for those that do not change the motion of a job.
pub(super) fn simulated_settings(session: &Session) -> PlaybackSettings {
    PlaybackSettings {
        playing: true,
        speed: 1.0,
        drags_spring_back: true,
        wind: None,
        ..*session.playback().settings()
    }
}

/// Returns the settings of the playback that a bake depends on.
fn baked_settings(options: &BakeOptions, session: &Session) -> PlaybackSettings {
    let wind = session.playback().settings().wind.filter(|_| options.with_wind);
    PlaybackSettings { wind, ..simulated_settings(session) }
}

impl Default for BakeDialog {
    fn default() -> Self {
        let options = BakeOptions::default();
        Self {
            max_error: options.max_error.unwrap_or(ERRORS[0]),
            options,
            format: BakedFormat::default(),
            selected_only: false,
            reduces_keys: true,
            checked: None,
            problem: None,
            started: None,
        }
    }
}

impl BakeDialog {
    /// Returns the options with the chosen chains.
    fn chosen_options(&self, session: &Session) -> BakeOptions {
        BakeOptions {
            chains: self.selected_only.then(|| session.inspection().selected_chains()),
            max_error: self.reduces_keys.then_some(self.max_error),
            ..self.options.clone()
        }
    }

    fn input(options: BakeOptions, session: &Session) -> BakeInput {
        let settings = baked_settings(&options, session);
        BakeInput { options, snapshot: SessionSnapshot::of(session), settings }
    }

    /// Checks the options again after a change.
    fn check(&mut self, session: &Session) {
        let options = self.chosen_options(session);
        if self.checked.as_ref().is_some_and(|checked| checked.is_current(&options, session)) {
            return;
        }
        let motion = session.playback().settings().motion;
        let motion_changed = self.checked.as_ref().is_some_and(|checked| checked.settings.motion != motion);
        if motion_changed {
            (self.options.start, self.options.end) = (0.0, None);
        }
        if motion == Motion::Still {
            self.options.end.get_or_insert(STILL_SECONDS);
        }
        let options = self.chosen_options(session);
        self.problem = BakeJob::new(session, options.clone()).err().map(|error| error.message());
        self.checked = Some(Self::input(options, session));
    }

    /// Returns whether the result belongs to the present options and setup.
    fn is_result_current(&self, session: &Session) -> bool {
        let options = self.chosen_options(session);
        self.started.as_ref().is_some_and(|started| started.is_current(&options, session))
    }

    /// Returns the baked motion that can be saved.
    fn ready<'a>(&self, cx: &UiContext<'a>) -> Option<&'a Arc<BakedMotion>> {
        match cx.input.bake {
            TaskStatus::Finished(BakeResult::Ok(baked)) if self.is_result_current(cx.session()) => Some(baked),
            _ => None,
        }
    }

    fn options_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let c = cx.theme.color;
        PropertyRow::new(&tr!(cx, "Motion")).note(&motion_text(cx)).note_color(c.text).show(ui, |_| {});
        let formats = [
            Choice::new(BakedFormat::Character, tr!(cx, "Character")).hint(tr!(
                cx,
                "Writes a copy of the character file with one more animation. Nothing else in the file changes."
            )),
            Choice::new(BakedFormat::Vrma, tr!(cx, "VRM animation"))
                .hint(tr!(cx, "Writes a .vrma file, which stores humanoid bones only.")),
            Choice::new(BakedFormat::Csv, tr!(cx, "CSV"))
                .hint(tr!(cx, "Writes a table with the local transform of each bone at each frame.")),
        ];
        PropertyRow::new(&tr!(cx, "Format")).choice(ui, &formats, &mut self.format);
        let (note, color) = self.format_note(cx);
        PropertyRow::new("").note(&note).note_color(color).show(ui, |_| {});
        let options = &mut self.options;
        PropertyRow::new(&tr!(cx, "Range")).show(ui, |ui| {
            SECONDS.show(ui, &tr!(cx, "Start of the range"), &mut options.start);
            ui.label(TextSize::Body.rich("–").color(c.text_2));
            let mut end = options.end.or_else(|| motion_seconds(cx.session())).unwrap_or_default();
            if SECONDS.show(ui, &tr!(cx, "End of the range"), &mut end).changed() {
                options.end = Some(end);
            }
            let hint = tr!(cx, "Repeats the motion until the swing repeats too. The last key equals the first.");
            labelled_checkbox(ui, &tr!(cx, "Seamless loop"), &mut options.looped).on_hover_text(hint);
        });
        let note = if options.looped {
            tr!(cx, "Whole cycles are played before the first key.")
        } else {
            tr!(cx, "The first pose is held before the first key.")
        };
        PropertyRow::new(&tr!(cx, "Preroll")).note(&note).number(ui, SECONDS, &mut options.preroll);
        PropertyRow::new(&tr!(cx, "Rate")).note(&tr!(cx, "keys per second")).show(ui, |ui| {
            KEY_RATE.show(ui, &tr!(cx, "Keys per second"), &mut options.key_rate);
        });
        let note = if self.reduces_keys { tr!(cx, "(bones and tips)") } else { "".into() };
        PropertyRow::new(&tr!(cx, "Keys")).note(&note).show(ui, |ui| {
            labelled_checkbox(ui, &tr!(cx, "Remove keys, error up to"), &mut self.reduces_keys);
            if self.reduces_keys {
                MAX_ERROR.show(ui, &tr!(cx, "Largest error"), &mut self.max_error);
            }
        });
        PropertyRow::new(&tr!(cx, "Wind")).show(ui, |ui| {
            let hint = tr!(cx, "Bakes the character in the test wind of the viewport. The wind of a gesture is always part of its motion.");
            labelled_checkbox(ui, &tr!(cx, "With test wind"), &mut self.options.with_wind).on_hover_text(hint);
        });
        let count = cx.inspection().selected_chains().len();
        let note = if self.selected_only { tr!(cx, "{n:chain|chains}", n = count) } else { "".into() };
        let choices = [Choice::new(false, tr!(cx, "All")), Choice::new(true, tr!(cx, "Selected"))];
        PropertyRow::new(&tr!(cx, "Chains")).note(&note).choice(ui, &choices, &mut self.selected_only);
    }

    /// Returns what a file of the chosen format stores.
    fn format_note(&self, cx: &UiContext<'_>) -> (Cow<'static, str>, Color32) {
        let c = cx.theme.color;
        match self.format {
            BakedFormat::Character => {
                (tr!(cx, "A copy of {name} with one more animation.", name = cx.input.file.name), c.text_3)
            }
            BakedFormat::Csv => (tr!(cx, "One row for each frame and bone, with all keys."), c.text_3),
            BakedFormat::Vrma => {
                let humanoid = &cx.character().humanoid;
                let joints = cx.document().chains.values().flat_map(|chain| &chain.joints);
                let lost = joints.filter(|joint| humanoid.role(joint.bone).is_none()).count();
                (
                    tr!(cx, "Humanoid bones only: {n:joint is|joints are} not stored.", n = lost),
                    if lost > 0 { c.warning } else { c.text_3 },
                )
            }
        }
    }

    /// Draws the progress, the result, or why there is none.
    fn status_ui(&self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let c = cx.theme.color;
        ui.spacing_mut().item_spacing.y = space::XS;
        if !cx.session().isolation().is_empty() {
            sentence_with_icon_ui(
                ui,
                icons::INFO,
                c.text_3,
                &tr!(cx, "All chains are baked as the setup says. Solo, mute and pin affect only the viewport."),
            );
        }
        match cx.input.bake {
            TaskStatus::Running(share) => {
                if meter::progress_bar(ui, &tr!(cx, "Baking"), Some(share), true) {
                    cx.request(AppRequest::StopBake);
                }
            }
            _ if self.problem.is_some() => {
                let problem = self.problem.as_ref().map(|message| cx.tr(message));
                sentence_with_icon_ui(ui, icons::WARNING, c.warning, &problem.unwrap_or_default());
            }
            TaskStatus::Finished(Err(diagnostics)) if self.is_result_current(cx.session()) => {
                for diagnostic in diagnostics {
                    finding_ui(ui, cx, diagnostic);
                }
            }
            TaskStatus::Finished(Ok(baked)) => self.result_ui(ui, cx, baked),
            TaskStatus::Idle | TaskStatus::Finished(Err(_)) => {
                sentence_with_icon_ui(
                    ui,
                    icons::INFO,
                    c.text_3,
                    &tr!(
                        cx,
                        "The simulation runs on a copy. The character keeps moving, and the setup stays unchanged."
                    ),
                );
            }
        }
    }

    fn result_ui(&self, ui: &mut Ui, cx: &mut UiContext<'_>, baked: &Arc<BakedMotion>) {
        let c = cx.theme.color;
        if self.is_result_current(cx.session()) {
            sentence_with_icon_ui(ui, icons::CHECK_CIRCLE, c.ok, &result_text(cx, baked));
            for finding in baked.findings(cx.character(), cx.input.file.name) {
                finding_ui(ui, cx, &finding);
            }
        } else {
            sentence_with_icon_ui(
                ui,
                icons::INFO,
                c.text_3,
                &tr!(cx, "The setup, the motion or the options have changed since the last bake."),
            );
        }
        ui.add_space(space::XS);
        let mut shows_baked = cx.playback().shows_bake();
        let choices = [
            Choice::new(false, tr!(cx, "Live motion")).hint(tr!(cx, "Shows the simulation.")),
            Choice::new(true, tr!(cx, "Baked motion"))
                .hint(tr!(cx, "Plays the baked animation. Dashed lines show the simulation.")),
        ];
        if segmented_choice(ui, &choices, &mut shows_baked) {
            cx.command(Command::ShowBaked(shows_baked.then(|| Arc::clone(baked))));
        }
    }
}

impl Dialog for BakeDialog {
    fn title_text(&self) -> MessageText {
        message!("Bake motion")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.session().character().name.clone()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.36, WIDTHS, property_rows_height(ROWS) + STATUS_HEIGHT)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        self.check(cx.session());
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        property_rows(ui, |ui| self.options_ui(ui, cx));
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), cx.theme.color.border);
        let inset = egui::Margin::symmetric(space::XL as i8, space::L as i8);
        ScrollArea::vertical().id_salt("bake").auto_shrink(false).show(ui, |ui| {
            egui::Frame::new().inner_margin(inset).show(ui, |ui| self.status_ui(ui, cx));
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let apply = if self.ready(cx).is_some() {
            DialogButton::apply(tr!(cx, "Save animation…"), true)
        } else {
            let can_start = self.problem.is_none() && !matches!(cx.input.bake, TaskStatus::Running(_));
            DialogButton::apply(tr!(cx, "Bake"), can_start)
        };
        vec![apply, DialogButton::close(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if self.ready(cx).is_some() {
            cx.request(AppRequest::SaveBakedDialog(self.format));
        } else {
            let options = self.chosen_options(cx.session());
            self.started = Some(Self::input(options.clone(), cx.session()));
            cx.command(Command::ShowBaked(None));
            cx.request(AppRequest::StartBake(options, self.format));
        }
        DialogResult::Open
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.command(Command::ShowBaked(None));
        cx.request(AppRequest::StopBake);
        DialogResult::Closed
    }
}

fn sentence_with_icon_ui(ui: &mut Ui, icon: Icon, color: Color32, text: &str) {
    let c = Theme::of(ui).color;
    let left = size::ICON + space::M;
    let galley = ui.painter().layout(text.to_owned(), TextSize::Body.font(), c.text, ui.available_width() - left);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), galley.size().y), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    let line = TextSize::Body.token().line;
    paint_icon(ui.painter(), pos2(rect.left() + size::ICON / 2.0, rect.top() + line / 2.0), icon, size::ICON, color);
    ui.painter().galley(rect.min + vec2(left, 0.0), galley, c.text);
}

fn finding_ui(ui: &mut Ui, cx: &UiContext<'_>, finding: &Diagnostic) {
    let c = cx.theme.color;
    let (icon, color) = match finding.severity {
        Severity::Info => (icons::INFO, c.info),
        Severity::Warning => (icons::WARNING, c.warning),
        Severity::Error => (icons::WARNING, c.error),
    };
    sentence_with_icon_ui(ui, icon, color, &cx.tr(&finding.message));
}

/// Returns the duration of the motion at a speed of 1, in seconds.
fn motion_seconds(session: &Session) -> Option<f64> {
    let playback = session.playback();
    let period = playback.period(session.character(), session.document())?;
    Some(period * f64::from(playback.settings().motion_speed))
}

/// Returns a text such as "Walk · 1.07 s · 1.00 ×".
fn motion_text(cx: &UiContext<'_>) -> String {
    let settings = cx.playback().settings();
    let mut parts = vec![motion_name(cx.theme.lang, settings.motion, cx.session())];
    parts.extend(motion_seconds(cx.session()).map(|seconds| format!("{seconds:.2} s")));
    parts.push(format!("{:.2} ×", settings.motion_speed));
    parts.join(" · ")
}

fn result_text(cx: &UiContext<'_>, baked: &BakedMotion) -> String {
    let keys = key_count(&baked.clip);
    let mut text = tr!(
        cx,
        "{frames:frame|frames} of {bones:bone|bones}; {keys} of {all:key|keys} remain.",
        frames = baked.track.times().len(),
        bones = baked.track.bones().len(),
        keys,
        all = baked.all_key_count
    )
    .into_owned();
    if baked.all_key_count != keys {
        text.push(' ');
        text += &tr!(
            cx,
            "Largest error: {distance} mm and {angle}°.",
            distance = format_args!("{:.3}", 1000.0 * baked.key_error.metres),
            angle = format_args!("{:.2}", baked.key_error.degrees)
        );
    }
    if let Some(LoopReport { cycles, seam, closure: LoopClosure::Closed }) = &baked.loop_report {
        text.push(' ');
        text += &tr!(
            cx,
            "The loop closes after {cycles:cycle|cycles}, with a seam of {distance} mm and {angle}°.",
            cycles = *cycles,
            distance = format_args!("{:.3}", 1000.0 * seam.metres),
            angle = format_args!("{:.3}", seam.degrees)
        );
    }
    text
}
