//! Numbers of the active joint, measured by a pluck of a copy of the world.

use crate::ui::UiContext;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::space;
use egui::{Align2, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use std::time::Duration;
use yuremono_model::feel::ring_down::{OBSERVED_SECONDS, PLUCK_DEGREES, RingDown, RingDownNumbers, SETTLED_SHARE};
use yuremono_session::{GraphJoint, GraphView, MotionGraph};
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
    pub(super) fn show(&mut self, ui: &mut Ui, place: Rect, cx: &UiContext<'_>, joint: &GraphJoint) {
        self.update(ui, cx, joint.bone);
        let session = cx.session();
        let recent = session.playback().recent_motion();
        self.depths.update(session, recent, GraphView::Penetration, std::slice::from_ref(joint));
        let depth = self.depths.range_since(0).map(|[_, deepest]| deepest);
        let mut column = ui.new_child(UiBuilder::new().max_rect(place));
        let ui = &mut column;
        ui.spacing_mut().item_spacing.y = 0.0;
        let unknown = || "–".to_owned();
        let text = |value: Option<f32>, suffix: &'static str, decimals: usize| {
            value.map_or_else(unknown, |value| NumberFormat::with_suffix(suffix, decimals).text(value))
        };
        let found = self.numbers;
        let settle = found.map_or_else(unknown, |numbers| match numbers.settle_seconds {
            Some(seconds) => text(Some(seconds), " s", 2),
            None => cx.tr_with("graph.unsettled", &[("s", &format!("{OBSERVED_SECONDS:.0}"))]),
        });
        let rows = [
            ("frequency", text(found.and_then(|n| n.frequency_hz), " Hz", 2)),
            ("damping", text(found.and_then(|n| n.damping_ratio), "", 2)),
            ("settle", settle),
            ("overshoot", text(found.map(|n| n.overshoot * 100.0), " %", 0)),
            ("jitter", text(found.map(|n| n.jitter * 1e3), " mm", 2)),
            ("deepest", text(depth, " mm", 1)),
        ];
        let percent = format!("{:.0}", SETTLED_SHARE * 100.0);
        let degrees = format!("{PLUCK_DEGREES:.0}");
        let values = [("deg", &*degrees), ("percent", &*percent)];
        heading_ui(ui, cx, self.is_current, &values);
        for (key, value) in rows {
            let is_current = self.is_current || key == "deepest";
            row_ui(ui, cx, &NumberRow { key, value: &value, is_current }, &values);
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

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, is_current: bool, values: &[(&str, &str)]) {
    let words = cx.tr_with(if is_current { "graph.measured" } else { "graph.measuring" }, values);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let name = ElidedName::new(ui, &words, TextSize::Small, cx.theme.color.text_3, rect.width());
    name.paint_left(ui.painter(), rect.left_center());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    response.on_hover_text(cx.tr_with("graph.measured_hint", values));
}

struct NumberRow<'a> {
    key: &'a str,
    value: &'a str,
    is_current: bool,
}

fn row_ui(ui: &mut Ui, cx: &UiContext<'_>, row: &NumberRow<'_>, values: &[(&str, &str)]) {
    let label = cx.tr(&format!("graph.number.{}", row.key));
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let c = cx.theme.color;
    let color = if row.is_current { c.text } else { c.text_3 };
    let width =
        paint::text(ui.painter(), rect.right_center(), Align2::RIGHT_CENTER, row.value, TextSize::Number, color);
    let name = ElidedName::new(ui, &label, TextSize::Small, c.text_2, rect.width() - width.width() - space::S);
    name.paint_left(ui.painter(), rect.left_center());
    let text = format!("{label} {}", row.value);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(cx.tr_with(&format!("graph.number.{}_hint", row.key), values));
}
