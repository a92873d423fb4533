//! The plot: lines over time, limits, the cursor of the recorded pose, and the pointer.

use super::SeriesStyle;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{alpha, radius, space, stroke};
use egui::{Align2, EventFilter, Key, Rect, Response, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use egui_plot::{AxisHints, GridMark, HLine, Line, LineStyle, Plot, PlotBounds, PlotPoint, PlotTransform};
use yuremono_session::{Command, GraphJoint, GraphView, MotionGraph, RecentMotion};

/// Space for the labels of values and times, in points.
const LEFT_MARGIN: f32 = 48.0;
const BOTTOM_MARGIN: f32 = 20.0;
/// Minimum distance between grid lines, in points.
const MIN_VALUE_GAP: f32 = 26.0;
const MIN_TIME_GAP: f32 = 84.0;
/// Limits beyond this multiple of the shown angles are left out, because they would flatten the lines.
const MAX_LIMIT_RATIO: f32 = 6.0;
/// Length of the dashes, in points.
const DASH: f32 = 5.0;

pub(super) struct PlotInput<'a> {
    pub view: GraphView,
    pub joints: &'a [GraphJoint],
    pub styles: &'a [SeriesStyle],
    pub values: &'a MotionGraph,
    /// The values of a previewed edit.
    pub previewed: Option<&'a MotionGraph>,
}

impl PlotInput<'_> {
    /// Draws the plot. The pointer scrubs, and the wheel changes the visible time `span`. Returns the tick under the
    /// pointer.
    pub(super) fn show(self, ui: &mut Ui, full: Rect, cx: &mut UiContext<'_>, span: &mut f64) -> Option<u64> {
        let recent = cx.playback().recent_motion();
        let range = self.value_range(recent, *span, full.height());
        let inner =
            full.shrink2(vec2(space::XS, 0.0)).with_min_y(full.top() + space::L).with_max_x(full.right() - space::XXL);
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner.with_max_y(full.bottom() - space::XS)));
        let (response, transform) = self.lines_ui(&mut child, cx, recent, *span, range);
        let plot = *transform.frame();
        let seconds_at = |x: f32| -transform.value_from_position(pos2(x, plot.center().y)).x;
        let seconds_of = |tick: u64| recent.seconds_back(tick);
        let shown = cx.playback().scrubbed_tick().and_then(seconds_of);
        let name = tr!(cx, "Motion graph");
        response.widget_info(|| WidgetInfo {
            value: Some(shown.map_or(0.0, |seconds| -seconds)),
            ..WidgetInfo::labeled(Role::Slider, true, &*name)
        });
        self.paint_limits(ui, cx, &transform);
        if let Some(seconds) = shown {
            paint_cursor(ui, cx, &transform, seconds);
        }
        let hover = response.hover_pos().filter(|at| plot.contains(*at) && !response.dragged());
        let hovered = hover.and_then(|at| recent.tick_at(seconds_at(at.x)));
        if let Some(seconds) = hovered.and_then(seconds_of) {
            let x = transform.position_from_point_x(-seconds);
            let color = faded(cx.theme.color.text, alpha::PLOT_CURSOR);
            ui.painter().vline(x, plot.y_range(), Stroke::new(stroke::HAIRLINE, color));
            time_tag(ui, cx, &transform, seconds);
        }
        if response.hovered() {
            zoom(ui, span);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
            cx.command(Command::Scrub(Some(seconds_at(at.x).max(0.0))));
        }
        handle_keys(ui, cx, &response);
        focus_ring(ui, &response, plot, radius::FIELD);
        hovered
    }

    /// Returns the lowest and highest visible value, and the distance between grid lines.
    fn value_range(&self, recent: &RecentMotion, span: f64, height: f32) -> [f64; 3] {
        let first = recent.tick_at(span).unwrap_or_default();
        let all = [Some(self.values), self.previewed].into_iter().flatten().filter_map(|v| v.range_since(first));
        let [low, high] = all.fold([0.0_f32; 2], |[low, high], [a, b]| [low.min(a), high.max(b)]);
        let most = low.abs().max(high).max(minimum_of(self.view));
        let limits = self.limits().iter().filter(|limit| limit.abs() <= MAX_LIMIT_RATIO * most);
        let start = [low.min(0.0), high.max(minimum_of(self.view))];
        let [low, high] = limits.fold(start, |[low, high], limit| [low.min(*limit), high.max(*limit)]);
        let step = value_step(self.view, high - low, height);
        // A line at the edge would be clipped.
        let margin = 0.04 * (high - low);
        let down = if low < 0.0 { ((low - margin) / step).floor() } else { 0.0 };
        [down * step, ((high + margin) / step).ceil() * step, step].map(f64::from)
    }

    /// Returns the limits of the active joint.
    fn limits(&self) -> &[f32] {
        match self.view {
            GraphView::Angle => &self.joints[0].angle.limits,
            GraphView::Speed | GraphView::Penetration | GraphView::Parts => &[],
        }
    }

    fn lines_ui(
        &self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        recent: &RecentMotion,
        span: f64,
        [low, high, step]: [f64; 3],
    ) -> (Response, PlotTransform) {
        let c = cx.theme.color;
        let points = |values: &MotionGraph, line: usize| -> Vec<PlotPoint> {
            let visible = values.points(line).filter_map(|(tick, value)| {
                let seconds = recent.seconds_back(tick).filter(|seconds| *seconds <= span + 0.1)?;
                Some(PlotPoint::new(-seconds, f64::from(value)))
            });
            visible.collect()
        };
        let lines =
            |values: &MotionGraph| (0..values.line_count()).map(|line| points(values, line)).collect::<Vec<_>>();
        let (now, previewed) = (lines(self.values), self.previewed.map(lines).unwrap_or_default());
        let (view, styles, limits) = (self.view, self.styles, self.limits());
        let time_step = nice_step(span, ui.available_width() / MIN_TIME_GAP);
        let marks = |step: f64, low: f64, high: f64| -> Vec<GridMark> {
            let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
            (first..=last).map(|at| GridMark { value: at as f64 * step, step_size: step }).collect()
        };
        let axis = |hints: AxisHints<'static>| hints.tick_label_font(TextSize::Small.font()).tick_label_color(c.text_3);
        let time_axis =
            axis(AxisHints::new_x()).formatter(move |mark, _| time_text(mark.value)).label_spacing(0.0..=1.0);
        let value_axis = axis(AxisHints::new_y()).formatter(move |mark, _| tick_text(view, mark.value, step));
        let value_axis = value_axis.min_thickness(LEFT_MARGIN).label_spacing(0.0..=1.0);
        let plot = Plot::new("graph")
            .sense(Sense::CLICK | Sense::DRAG | Sense::FOCUSABLE)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_axis_zoom_drag(false)
            .allow_double_click_reset(false)
            .show_x(false)
            .show_y(false)
            .show_background(false)
            .grid_color(c.border)
            .grid_fade(0.0)
            .x_grid_spacer(move |_| marks(time_step, -span, 0.0))
            .y_grid_spacer(move |_| marks(step, low, high))
            .custom_x_axes(vec![time_axis.min_thickness(BOTTOM_MARGIN)])
            .custom_y_axes(vec![value_axis]);
        let shown = plot.show(ui, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([-span, low], [0.0, high]));
            let dashed = LineStyle::Dashed { length: DASH };
            for limit in limits {
                let line = HLine::new("", f64::from(*limit)).color(c.limit).width(stroke::FAN_EDGE).style(dashed);
                plot.hline(line.allow_hover(false));
            }
            for (line, series_style) in previewed.iter().zip(styles) {
                let color = faded(series_style.color, alpha::GHOST_LINE);
                let line = Line::new("", line.as_slice()).color(color).width(stroke::CURVE_GHOST).style(dashed);
                plot.line(line.allow_hover(false));
            }
            // The line of the active joint is on top.
            for (at, (line, series_style)) in now.iter().zip(styles).enumerate().rev() {
                let width = if at == 0 { stroke::CURVE } else { stroke::FAN_EDGE };
                let style = if series_style.is_dashed { dashed } else { LineStyle::Solid };
                let line = Line::new("", line.as_slice()).color(series_style.color).width(width).style(style);
                plot.line(line.allow_hover(false));
            }
        });
        (shown.response, shown.transform)
    }

    /// Paints the degrees of the limits at the left end of their lines.
    fn paint_limits(&self, ui: &Ui, cx: &UiContext<'_>, transform: &PlotTransform) {
        let frame = transform.frame();
        for limit in self.limits() {
            let y = transform.position_from_point_y(f64::from(*limit));
            if !frame.y_range().contains(y) {
                continue;
            }
            let is_below_top = y - frame.top() > TextSize::Tiny.token().line;
            let (anchor, shift) = if is_below_top { (Align2::LEFT_BOTTOM, -1.0) } else { (Align2::LEFT_TOP, 1.0) };
            let at = pos2(frame.left() + space::XS, y + shift);
            let text = value_text(GraphView::Angle, *limit);
            paint::text(ui.painter(), at, anchor, &text, TextSize::Tiny, cx.theme.color.limit);
        }
    }
}

/// Paints the line of the shown recorded pose.
fn paint_cursor(ui: &Ui, cx: &UiContext<'_>, transform: &PlotTransform, seconds: f64) {
    let x = transform.position_from_point_x(-seconds);
    if transform.frame().x_range().contains(x) {
        let line = Stroke::new(stroke::FAN_EDGE, cx.theme.color.accent);
        ui.painter().vline(x, transform.frame().y_range(), line);
        time_tag(ui, cx, transform, seconds);
    }
}

/// Paints a time above the plot.
fn time_tag(ui: &Ui, cx: &UiContext<'_>, transform: &PlotTransform, seconds: f64) {
    let frame = transform.frame();
    let text = NumberFormat::with_suffix(" s", 2).text(-seconds as f32);
    let half = 0.5 * paint::text_width(ui, &text, TextSize::Tiny);
    let x = transform.position_from_point_x(-seconds).clamp(frame.left() + half, frame.right() - half);
    let at = pos2(x, frame.top() - 1.0);
    paint::text(ui.painter(), at, Align2::CENTER_BOTTOM, &text, TextSize::Tiny, cx.theme.color.text_2);
}

/// Changes the visible time by the wheel.
fn zoom(ui: &Ui, span: &mut f64) {
    let wheel = ui.input(|i| i.smooth_scroll_delta().y + 240.0 * (i.zoom_delta() - 1.0));
    if wheel != 0.0 {
        *span = (*span * libm::exp(f64::from(-wheel * 0.004))).clamp(super::SPAN_RANGE[0], super::SPAN_RANGE[1]);
    }
}

/// Steps by the arrow keys while the plot has the focus.
fn handle_keys(ui: &Ui, cx: &mut UiContext<'_>, response: &Response) {
    if !response.has_focus() {
        return;
    }
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let [back, forward] = [Key::ArrowLeft, Key::ArrowRight].map(|key| ui.input(|i| i.num_presses(key)));
    (0..back).for_each(|_| cx.command(Command::StepBack));
    (0..forward).for_each(|_| cx.command(Command::StepOnce));
}

/// Returns the smallest range of values that a plot shows, so that noise does not fill it.
const fn minimum_of(view: GraphView) -> f32 {
    match view {
        GraphView::Angle => 4.0,
        GraphView::Speed => 0.1,
        GraphView::Penetration | GraphView::Parts => 1.0,
    }
}

/// Returns the distance between the grid lines of values. Steps of angles divide a full turn.
fn value_step(view: GraphView, range: f32, height: f32) -> f32 {
    let lines = ((height - BOTTOM_MARGIN) / MIN_VALUE_GAP).clamp(2.0, 8.0);
    let least = range / lines;
    let turns = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 45.0, 60.0, 90.0];
    match view {
        GraphView::Angle if least > turns[0] => turns.into_iter().find(|step| *step >= least).unwrap_or(90.0),
        _ => nice_step(f64::from(range), lines) as f32,
    }
}

/// Returns a round step that divides a range into at most `count` parts.
fn nice_step(range: f64, count: f32) -> f64 {
    let least = range / f64::from(count.max(1.0));
    let decade = libm::pow(10.0_f64, libm::log10(least).floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= least * 0.999).unwrap_or(decade * 10.0)
}

fn time_text(seconds: f64) -> String {
    NumberFormat::with_suffix(" s", 1).text(seconds as f32)
}

fn tick_text(view: GraphView, value: f64, step: f64) -> String {
    let decimals = (-libm::log10(step)).ceil().clamp(0.0, 3.0) as usize;
    format_of(view).decimals(decimals).text(value as f32)
}

/// Returns a value with its unit.
pub(super) fn value_text(view: GraphView, value: f32) -> String {
    let decimals = match view {
        GraphView::Angle if value.fract() == 0.0 => 0,
        GraphView::Angle | GraphView::Penetration => 1,
        GraphView::Speed | GraphView::Parts => 2,
    };
    format_of(view).decimals(decimals).text(value)
}

const fn format_of(view: GraphView) -> NumberFormat {
    NumberFormat::with_suffix(
        match view {
            GraphView::Angle => "°",
            GraphView::Speed => " m/s",
            GraphView::Penetration | GraphView::Parts => " mm",
        },
        0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_steps_are_round_and_leave_room_for_their_labels() {
        assert_eq!(value_step(GraphView::Angle, 100.0, 180.0), 30.0);
        assert_eq!(value_step(GraphView::Angle, 8.0, 180.0), 2.0);
        assert_eq!(value_step(GraphView::Angle, 360.0, 180.0), 60.0);
        assert!((value_step(GraphView::Speed, 2.6, 180.0) - 0.5).abs() < 1e-6);
        assert!((nice_step(4.0, 5.5) - 1.0).abs() < 1e-9 && (nice_step(10.0, 5.5) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn values_have_their_units_and_a_real_minus() {
        assert_eq!(value_text(GraphView::Angle, -50.0), "−50°");
        assert_eq!(value_text(GraphView::Angle, 12.34), "12.3°");
        assert_eq!(value_text(GraphView::Speed, 1.234), "1.23 m/s");
        assert_eq!(value_text(GraphView::Penetration, 2.14), "2.1 mm");
        assert_eq!(
            (time_text(-3.2), tick_text(GraphView::Speed, 0.5, 0.25)),
            ("−3.2 s".to_owned(), "0.5 m/s".to_owned())
        );
    }
}
