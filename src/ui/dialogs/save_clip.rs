//! *Save clip*: the format, the duration and the rate of an animated image of the viewport.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle, sentence_ui};
use crate::tr;
use crate::ui::capture::viewport_pixels;
use crate::ui::kit::number::{NumberFormat, NumberInput};
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{Choice, labelled_checkbox};
use crate::ui::kit::tokens::space;
use crate::ui::{AppRequest, ClipOptions, UiContext};
use egui::{Context, Label, Rect, Ui};
use yuremono_format::animated_image::{AnimatedImageFormat, MAX_FRAMES, MAX_GIF_RATE};
use yuremono_sim::diagnostics::{MessageText, message};

const WINDOW_SIZE: [f32; 2] = [460.0, 336.0];
/// Duration of a clip if the motion does not repeat, in seconds.
const DEFAULT_SECONDS: f32 = 4.0;
const DEFAULT_RATE: f32 = 30.0;
/// Range of the duration, in seconds.
const SECONDS_RANGE: [f32; 2] = [0.05, 600.0];
const SECONDS: NumberInput = NumberInput::new(NumberFormat::with_suffix(" s", 2), SECONDS_RANGE);
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

    fn options_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let max_rate = self.max_rate();
        let options = &mut self.options;
        let formats = [
            Choice::new(AnimatedImageFormat::Gif, tr!(cx, "GIF"))
                .hint(tr!(cx, "256 colours, at most 50 frames/s. Almost every program shows it.")),
            Choice::new(AnimatedImageFormat::Apng, tr!(cx, "Animated PNG")).hint(tr!(
                cx,
                "All colours and a larger file. Browsers show it; some chat apps show only the first frame."
            )),
        ];
        PropertyRow::new(&tr!(cx, "Format")).choice(ui, &formats, &mut options.format);
        let note = match self.cycle {
            Some(cycle) if cycle == options.seconds => tr!(cx, "one cycle of the motion"),
            Some(_) => tr!(cx, "not one cycle of the motion"),
            None => tr!(cx, "the motion does not repeat"),
        };
        let hint = tr!(
            cx,
            "Duration of the clip. One cycle of the motion loops without a visible seam, once the swing is steady."
        );
        let label = tr!(cx, "Duration");
        PropertyRow::new(&label).tooltip(&hint).note(&note).number(ui, SECONDS, &mut options.seconds);
        let hint = tr!(cx, "1–{max}. The simulation keeps its own steps.", max = format_args!("{max_rate:.0}"));
        let rate = NumberInput::new(NumberFormat::with_suffix(" /s", 0), [RATE_RANGE[0], max_rate]);
        PropertyRow::new(&tr!(cx, "Frames per second")).tooltip(&hint).number(ui, rate, &mut options.rate);
        options.rate = options.rate.round().min(max_rate);
        let plays = [Choice::new(true, tr!(cx, "For ever")), Choice::new(false, tr!(cx, "Once"))];
        PropertyRow::new(&tr!(cx, "Plays")).choice(ui, &plays, &mut options.repeats);
        PropertyRow::new(&tr!(cx, "Shows")).show(ui, |ui| {
            labelled_checkbox(ui, &tr!(cx, "Bones, colliders and other overlays"), &mut options.overlays);
        });
    }
}

impl Dialog for SaveClipDialog {
    fn title_text(&self) -> MessageText {
        message!("Save clip")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, WINDOW_SIZE.into())
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        property_rows(ui, |ui| {
            self.options_ui(ui, cx);
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
