//! Numbers of the active joint, measured by a pluck of a copy of the world.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::space;
use egui::{Align2, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use std::time::Duration;
use yuremono_model::feel::ring_down::{OBSERVED_SECONDS, PLUCK_DEGREES, RingDown, RingDownNumbers, SETTLED_SHARE};
use yuremono_session::{GraphJoint, GraphView, MotionGraph};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

/// Time without changes before a measurement starts, in seconds.
const DEBOUNCE_SECONDS: f64 = 0.4;
/// Number of visits (see [`yuremono_sim::Workload`]) that a frame may spend on the measurement: about three milliseconds.
const VISITS_PER_FRAME: u64 = 400_000;
const ROW_HEIGHT: f32 = 19.0;

/// What the numbers depend on: the joint, the state of the document, and the rate of ticks.
type Subject = (BoneId, u64, u32);

#[derive(Debug, Default)]
pub(super) struct MeasuredNumbers {
    subject: Option<Subject>,
    /// When the subject changed, in seconds.
    changed_at: f64,
    running: Option<RingDown>,
    numbers: Option<RingDownNumbers>,
    /// Whether the numbers belong to the subject.
    is_current: bool,
    depths: MotionGraph,
}

impl MeasuredNumbers {
    pub(super) fn show(&mut self, ui: &mut Ui, rect: Rect, cx: &UiContext<'_>, joint: &GraphJoint) {
        self.update(ui, cx, joint.bone);
        let session = cx.session();
        let recent = session.playback().recent_motion();
        self.depths.update(session, recent, GraphView::Penetration, std::slice::from_ref(joint));
        let depth = self.depths.range_since(0).map(|[_, deepest]| deepest);
        let mut column = ui.new_child(UiBuilder::new().max_rect(rect));
        let ui = &mut column;
        ui.spacing_mut().item_spacing.y = 0.0;
        let unknown = || "–".to_owned();
        let text = |value: Option<f32>, suffix: &'static str, decimals: usize| {
            value.map_or_else(unknown, |value| NumberFormat::with_suffix(suffix, decimals).text(value))
        };
        let found = self.numbers;
        let settle = found.map_or_else(unknown, |numbers| match numbers.settle_seconds {
            Some(seconds) => text(Some(seconds), " s", 2),
            None => tr!(cx, "over {s} s", s = format_args!("{OBSERVED_SECONDS:.0}")).into_owned(),
        });
        let measured = |label, hint, value: String| NumberRow { label, hint, value, is_current: self.is_current };
        let rows = [
            measured(
                message!("Frequency"),
                message!(
                    "Swings per second without damping, in Hz. Measured on the whole chain, so it can differ from the \
                     speed of a single bone."
                ),
                text(found.and_then(|n| n.frequency_hz), " Hz", 2),
            ),
            measured(
                message!("Damping ratio"),
                message!("0 swings forever, 1 returns without overshoot."),
                text(found.and_then(|n| n.damping_ratio), "", 2),
            ),
            measured(
                message!("Settle time"),
                message!(
                    "Time until the swing stays below {percent} % of the pluck, in seconds",
                    percent = format_args!("{:.0}", SETTLED_SHARE * 100.0)
                ),
                settle,
            ),
            measured(
                message!("Overshoot"),
                message!("Largest swing to the other side, in percent of the pluck"),
                text(found.map(|n| n.overshoot * 100.0), " %", 0),
            ),
            measured(
                message!("Jitter at rest"),
                message!(
                    "Largest distance of the tip from its mean position before the pluck, in mm. Wind also moves \
                     the tip."
                ),
                text(found.map(|n| n.jitter * 1e3), " mm", 2),
            ),
            NumberRow {
                label: message!("Penetration"),
                hint: message!("Largest depth of the tip in colliders and in the ground over the last 10 s, in mm"),
                value: text(depth, " mm", 1),
                is_current: true,
            },
        ];
        heading_ui(ui, cx, self.is_current);
        for row in rows {
            row_ui(ui, cx, &row);
        }
    }

    /// Starts a measurement after the subject has stayed the same for a while, and continues a running measurement.
    fn update(&mut self, ui: &Ui, cx: &UiContext<'_>, bone: BoneId) {
        let rate = cx.playback().settings().player_frame_rate;
        let subject = Some((bone, cx.session().history().current_state(), rate));
        let now = ui.input(|i| i.time);
        if self.subject != subject {
            if self.subject.is_none_or(|(last, ..)| last != bone) {
                self.numbers = None;
            }
            (self.subject, self.changed_at, self.running, self.is_current) = (subject, now, None, false);
        }
        if self.is_current {
            return;
        }
        let left = self.changed_at + DEBOUNCE_SECONDS - now;
        if left > 0.0 {
            return ui.ctx().request_repaint_after(Duration::from_secs_f64(left));
        }
        if self.running.is_none() {
            self.running = cx.session().start_ring_down(bone);
        }
        match &mut self.running {
            Some(running) => match running.advance(VISITS_PER_FRAME) {
                Some(numbers) => (self.numbers, self.running, self.is_current) = (Some(numbers), None, true),
                None => ui.ctx().request_repaint(),
            },
            None => self.is_current = true,
        }
    }
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, is_current: bool) {
    let deg = format!("{PLUCK_DEGREES:.0}");
    let text = if is_current { tr!(cx, "After a pluck of {deg}°", deg = &deg) } else { tr!(cx, "Measuring…") };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let name = ElidedName::new(ui, &text, TextSize::Small, cx.theme.color.text_3, rect.width());
    name.paint_left(ui.painter(), rect.left_center());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(tr!(
        cx,
        "A copy of the character settles in a still pose, turns this joint and all below it by up to {deg}°, and lets \
         go. Closer limits reduce the angle. The character in the viewport does not move.",
        deg
    ));
}

struct NumberRow {
    label: MessageText,
    hint: MessageText,
    value: String,
    is_current: bool,
}

fn row_ui(ui: &mut Ui, cx: &UiContext<'_>, row: &NumberRow) {
    let label = cx.tr(&row.label);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let c = cx.theme.color;
    let color = if row.is_current { c.text } else { c.text_3 };
    let width =
        paint::text(ui.painter(), rect.right_center(), Align2::RIGHT_CENTER, &row.value, TextSize::Number, color);
    let name = ElidedName::new(ui, &label, TextSize::Small, c.text_2, rect.width() - width.width() - space::S);
    name.paint_left(ui.painter(), rect.left_center());
    let text = format!("{label} {}", row.value);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(cx.tr(&row.hint));
}
