//! *Save clip*: the format, the duration and the rate of an animated image of the viewport.

use super::dialog::{
    Choice, Dialog, DialogButton, DialogOutput, DialogResult, choice_ui, in_middle, padded_ui, sentence_ui,
};
use crate::tr;
use crate::ui::capture::viewport_pixels;
use crate::ui::kit::number::{NumberFormat, number_field};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::labelled_checkbox;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{AppRequest, ClipOptions, UiContext};
use egui::{Align, Context, Label, Layout, Rect, Ui, vec2};
use yuremono_format::animated_image::{AnimatedImageFormat, MAX_FRAMES, MAX_GIF_RATE};
use yuremono_sim::diagnostics::{MessageText, message};

const WINDOW_SIZE: [f32; 2] = [460.0, 336.0];
const LABEL_WIDTH: f32 = 140.0;
/// Duration of a clip if the motion does not repeat, in seconds.
const DEFAULT_SECONDS: f32 = 4.0;
const DEFAULT_RATE: f32 = 30.0;
/// Range of the duration, in seconds.
const SECONDS_RANGE: [f32; 2] = [0.05, 600.0];
/// Range of the rate, in fps.
const RATE_RANGE: [f32; 2] = [1.0, 60.0];

#[derive(Debug)]
pub(super) struct SaveClipDialog {
    options: ClipOptions,
    /// One cycle of the motion as it is played, in seconds. `None` if the motion does not repeat.
    cycle: Option<f32>,
}

impl SaveClipDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let (playback, session) = (cx.playback(), cx.session());
        let period = playback.period(session.character(), session.document());
        let cycle = period.map(|period| (period / f64::from(playback.settings().speed)) as f32);
        let last = cx.state.clip_options.unwrap_or(ClipOptions {
            format: AnimatedImageFormat::Gif,
            seconds: DEFAULT_SECONDS,
            rate: DEFAULT_RATE,
            repeats: true,
            overlays: !cx.state.overlays_hidden,
        });
        let seconds = cycle.unwrap_or(DEFAULT_SECONDS).clamp(SECONDS_RANGE[0], SECONDS_RANGE[1]);
        Self { options: ClipOptions { seconds, ..last }, cycle }
    }

    fn is_too_long(&self) -> bool {
        self.options.spacing().0 > MAX_FRAMES
    }

    fn max_rate(&self) -> f32 {
        match self.options.format {
            AnimatedImageFormat::Gif => MAX_GIF_RATE as f32,
            AnimatedImageFormat::Apng => RATE_RANGE[1],
        }
    }

    fn seconds_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let name = tr!(cx, "Duration");
        row_ui(ui, cx, &name, |ui| {
            let format = NumberFormat::with_suffix(" s", 2);
            let (field, entered) =
                number_field(ui, &name, Some(self.options.seconds), format, size::NUMBER_FIELD, None);
            field.on_hover_text(tr!(
                cx,
                "Duration of the clip. One cycle of the motion loops without a visible seam, once the swing is steady."
            ));
            if let Some(seconds) = entered.filter(|seconds| seconds.is_finite()) {
                self.options.seconds = seconds.clamp(SECONDS_RANGE[0], SECONDS_RANGE[1]);
            }
            let note = match self.cycle {
                Some(cycle) if cycle == self.options.seconds => message!("one cycle of the motion"),
                Some(_) => message!("not one cycle of the motion"),
                None => message!("the motion does not repeat"),
            };
            ui.add_space(space::S);
            ui.add(Label::new(TextSize::Small.rich(cx.tr(note)).color(cx.theme.color.text_3)).truncate());
        });
    }

    fn rate_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let (name, most) = (tr!(cx, "Frames per second"), self.max_rate());
        row_ui(ui, cx, &name, |ui| {
            let format = NumberFormat::with_suffix(" /s", 0);
            let (field, entered) = number_field(ui, &name, Some(self.options.rate), format, size::NUMBER_FIELD, None);
            field.on_hover_text(tr!(
                cx,
                "1–{max}. The simulation keeps its own steps.",
                max = format_args!("{most:.0}")
            ));
            if let Some(rate) = entered.filter(|rate| rate.is_finite()) {
                self.options.rate = rate.round();
            }
            self.options.rate = self.options.rate.clamp(RATE_RANGE[0], most);
        });
    }
}

/// Draws a label, and a control in the second column.
fn row_ui(ui: &mut Ui, cx: &UiContext<'_>, label: &str, control: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_height(size::BUTTON);
        ui.allocate_ui_with_layout(vec2(LABEL_WIDTH, size::BUTTON), Layout::left_to_right(Align::Center), |ui| {
            ui.set_width(LABEL_WIDTH);
            ui.label(TextSize::Body.rich(label).color(cx.theme.color.text_2));
        });
        control(ui);
    });
}

impl Dialog for SaveClipDialog {
    fn title_text(&self) -> MessageText {
        message!("Save clip")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, WINDOW_SIZE.into())
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::S;
            row_ui(ui, cx, &tr!(cx, "Format"), |ui| {
                let formats = [
                    Choice::new(AnimatedImageFormat::Gif, message!("GIF"))
                        .hint(message!("256 colours, at most 50 frames/s. Almost every program shows it.")),
                    Choice::new(AnimatedImageFormat::Apng, message!("Animated PNG")).hint(message!(
                        "All colours and a larger file. Browsers show it; some chat apps show only the first frame."
                    )),
                ];
                if let Some(format) = choice_ui(ui, cx, &formats, self.options.format) {
                    self.options.format = format;
                }
            });
            self.seconds_ui(ui, cx);
            self.rate_ui(ui, cx);
            row_ui(ui, cx, &tr!(cx, "Plays"), |ui| {
                let plays = [Choice::new(true, message!("For ever")), Choice::new(false, message!("Once"))];
                if let Some(repeats) = choice_ui(ui, cx, &plays, self.options.repeats) {
                    self.options.repeats = repeats;
                }
            });
            row_ui(ui, cx, &tr!(cx, "Shows"), |ui| {
                labelled_checkbox(ui, &tr!(cx, "Bones, colliders and other overlays"), &mut self.options.overlays);
            });
            ui.add_space(space::S);
            let (count, _) = self.options.spacing();
            if self.is_too_long() {
                let text = tr!(
                    cx,
                    "{n:frame|frames}; a clip has at most {max}. Choose a shorter duration or fewer frames per second.",
                    n = count,
                    max = MAX_FRAMES
                );
                ui.add(Label::new(TextSize::Body.rich(text).color(cx.theme.color.warning)).wrap());
            } else {
                let [_, _, width, height] = viewport_pixels(cx.state, ui.ctx().pixels_per_point());
                let text = tr!(
                    cx,
                    "{n:frame|frames} of {width} × {height} pixels: the viewport as it is shown, without its controls.",
                    n = count,
                    width,
                    height
                );
                sentence_ui(ui, cx, &text);
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        vec![DialogButton::apply(tr!(cx, "Record clip"), !self.is_too_long()), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.state.clip_options = Some(self.options);
        cx.request(AppRequest::SaveClip(self.options));
        DialogResult::Closed
    }
}
