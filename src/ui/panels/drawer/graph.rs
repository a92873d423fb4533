//! The graph tab shows quantities of the selected joints over the last seconds, and numbers measured by a pluck.
//!
//! The pointer scrubs: the viewport then shows the recorded pose at the cursor. The tab computes values only while it is
//! open, because all values follow from the recorded poses.

mod measured_numbers;
mod plot;

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons;
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::theme::{ColorRole, TextSize, ThemeMode};
use crate::ui::kit::toggle;
use crate::ui::kit::tokens::{SERIES, size, space, stroke};
use crate::ui::panels::inspector::limit_label;
use crate::ui::viewport::part_name;
use egui::{
    Align2, Color32, Popup, Rect, Role, ScrollArea, Sense, Shape, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use measured_numbers::MeasuredNumbers;
use std::borrow::Cow;
use yuremono_session::{Command, GraphJoint, GraphView, MAX_GRAPH_JOINTS, MotionGraph, RECENT_SECONDS};
use yuremono_sim::TipPart;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::{AngleKind, JointAngle};

/// Visible time when the window opens, and the range of the zoom, in seconds.
const DEFAULT_SPAN: f64 = 4.0;
const SPAN_RANGE: [f64; 2] = [0.5, RECENT_SECONDS];
/// Width of the legend and of the numbers, in points.
const LEGEND_WIDTH: f32 = 164.0;
const NUMBERS_WIDTH: f32 = 176.0;
const LEGEND_ROW: f32 = 20.0;

#[derive(Debug)]
pub(super) struct GraphTab {
    view: GraphView,
    /// The angle that the artist chose; joints without this angle show their first angle.
    angle: Option<AngleKind>,
    /// Visible time, in seconds.
    span: f64,
    values: MotionGraph,
    /// The values of the previewed edit.
    previewed: MotionGraph,
    numbers: MeasuredNumbers,
}

impl Default for GraphTab {
    fn default() -> Self {
        Self {
            view: GraphView::default(),
            angle: None,
            span: DEFAULT_SPAN,
            values: MotionGraph::default(),
            previewed: MotionGraph::default(),
            numbers: MeasuredNumbers::default(),
        }
    }
}

impl GraphTab {
    /// Drops everything that belongs to the previous character.
    pub(super) fn forget(&mut self) {
        *self = Self { view: self.view, span: self.span, ..Self::default() };
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let joints = self.shown_joints(cx);
        let Some(active) = joints.first().cloned() else {
            let at = ui.max_rect().center();
            let text = tr!(cx, "Select a joint to see its motion.");
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &text, TextSize::Body, cx.theme.color.text_3);
            return;
        };
        if self.view == GraphView::Parts && cx.playback().probed_bone() != Some(active.bone) {
            cx.command(Command::ProbeJoint(Some(active.bone)));
        }
        let session = cx.session();
        self.values.update(session, session.playback().recent_motion(), self.view, &joints);
        // Only angles and speeds follow from the poses of a preview alone.
        let has_preview = matches!(self.view, GraphView::Angle | GraphView::Speed);
        let previewed = session.playback().compared_motion().filter(|_| has_preview);
        if let Some(previewed) = previewed {
            self.previewed.update(session, previewed, self.view, &joints);
        }
        let full = ui.available_rect_before_wrap();
        let numbers = full.with_min_x(full.right() - NUMBERS_WIDTH);
        let legend = full.with_max_x(numbers.left()).with_min_x(numbers.left() - LEGEND_WIDTH);
        let plot_rect = full.with_max_x(legend.left());
        let hovered = plot::PlotInput {
            view: self.view,
            joints: &joints,
            styles: &self.line_styles(cx, joints.len()),
            values: &self.values,
            previewed: previewed.is_some().then_some(&self.previewed),
        }
        .show(ui, plot_rect, cx, &mut self.span);
        let tick = hovered.or(session.playback().scrubbed_tick());
        self.legend_ui(ui, legend.shrink2(vec2(space::M, space::L)), cx, &joints, tick, previewed.is_some());
        ui.painter().vline(numbers.left(), full.y_range(), Stroke::new(stroke::HAIRLINE, cx.theme.color.border));
        self.numbers.show(ui, numbers.shrink2(vec2(space::L, space::M)), cx, &active);
        let hints = [
            (message!("Drag{:mouse}"), message!("show earlier pose")),
            (message!("Wheel"), message!("zoom time")),
            (message!("← →"), message!("one step")),
            (message!("Esc"), message!("back to live")),
        ];
        cx.set_mouse_hints(ui, &hints);
    }

    /// Returns the selected joints, the active joint first, with the angle to show.
    fn shown_joints(&self, cx: &UiContext<'_>) -> Vec<GraphJoint> {
        let selection = cx.selection();
        let others = selection.bones.iter().copied().filter(|bone| Some(*bone) != selection.active);
        let joint = |bone: BoneId| {
            let angles = cx.inspection().joint_angles(bone);
            let chosen = angles.iter().position(|angle| Some(angle.kind) == self.angle).unwrap_or(0);
            Some(GraphJoint { bone, angle: angles.into_iter().nth(chosen)? })
        };
        selection.active.into_iter().chain(others).filter_map(joint).take(MAX_GRAPH_JOINTS).collect()
    }

    /// Returns the styles of the lines: of the joints, or of the causes of a movement.
    fn line_styles(&self, cx: &UiContext<'_>, joints: usize) -> Vec<SeriesStyle> {
        let of_part = |part| SeriesStyle {
            color: if part == TipPart::Other {
                cx.theme.color.text_3
            } else {
                cx.theme.role(ColorRole::for_part(part))
            },
            // Angle limits have the same colour.
            is_dashed: part == TipPart::LengthLimit,
        };
        match self.view {
            GraphView::Parts => TipPart::ALL.map(of_part).to_vec(),
            _ => series_colors(cx, joints).into_iter().map(|color| SeriesStyle { color, is_dashed: false }).collect(),
        }
    }

    /// Returns whether the tab shows the parts of movements while it is open.
    pub(super) fn shows_parts(&self) -> bool {
        self.view == GraphView::Parts
    }

    /// Draws the joints with their values in a tick, and the meaning of dashed lines.
    fn legend_ui(
        &self,
        ui: &mut Ui,
        legend_rect: Rect,
        cx: &UiContext<'_>,
        joints: &[GraphJoint],
        tick: Option<u64>,
        has_preview: bool,
    ) {
        let mut column = ui.new_child(UiBuilder::new().max_rect(legend_rect));
        column.spacing_mut().item_spacing.y = 0.0;
        let styles = self.line_styles(cx, joints.len());
        ScrollArea::vertical().id_salt("graph legend").auto_shrink([false, false]).show(&mut column, |ui| {
            let names: Vec<Cow<'_, str>> = match self.view {
                GraphView::Parts => TipPart::ALL.iter().map(|part| cx.tr(part_name(*part))).collect(),
                _ => joints.iter().map(|joint| cx.inspection().bone_name(joint.bone).into()).collect(),
            };
            for (at, name) in names.iter().enumerate() {
                // Causes that do not act would only fill the legend.
                if self.view == GraphView::Parts && self.values.points(at).all(|(_, value)| value == 0.0) {
                    continue;
                }
                let value = tick.and_then(|tick| self.values.value(at, tick));
                let value = value.map(|value| plot::value_text(self.view, value));
                legend_row_ui(ui, cx, &LegendRow { name, value, style: styles[at] });
            }
            let c = cx.theme.color;
            let has_limits = self.view == GraphView::Angle && !joints[0].angle.limits.is_empty();
            let limit = has_limits.then(|| (tr!(cx, "Limit"), c.limit));
            let other = if cx.playback().is_previewing() { tr!(cx, "Preview") } else { tr!(cx, "B") };
            let preview = has_preview.then_some((other, c.ghost));
            for (name, color) in limit.into_iter().chain(preview) {
                let style = SeriesStyle { color, is_dashed: true };
                legend_row_ui(ui, cx, &LegendRow { name: &name, value: None, style });
            }
            if matches!(self.view, GraphView::Angle | GraphView::Parts) {
                let text = angle_name(cx, &joints[0].angle);
                let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), LEGEND_ROW), Sense::hover());
                let name = ElidedName::new(ui, &text, TextSize::Small, c.text_3, rect.width());
                name.paint_left(ui.painter(), rect.left_center());
            }
        });
    }

    /// Draws the choices at the right of the tabs.
    pub(super) fn tools_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let labels = GraphView::ALL.map(|view| cx.tr(view_name(view)));
        let hints = GraphView::ALL.map(|view| cx.tr(view_hint(view)));
        let choices = labels.each_ref().map(|label| (&**label, None));
        let chosen = GraphView::ALL.iter().position(|view| *view == self.view).unwrap_or(0);
        let hints = hints.each_ref().map(|hint| &**hint);
        if let Some(clicked) = toggle::segmented_with_hints(ui, &choices, &hints, chosen, size::BUTTON_SMALL) {
            self.view = GraphView::ALL[clicked];
        }
        if matches!(self.view, GraphView::Angle | GraphView::Parts) {
            self.angle_choice_ui(ui, cx);
        }
    }

    /// Draws a menu of the angles of the active joint, if there are several.
    fn angle_choice_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let angles = cx.selection().active.map(|bone| cx.inspection().joint_angles(bone)).unwrap_or_default();
        if angles.len() < 2 {
            return;
        }
        let chosen = angles.iter().position(|angle| Some(angle.kind) == self.angle).unwrap_or(0);
        let label = angle_name(cx, &angles[chosen]);
        ui.spacing_mut().button_padding.x = space::S;
        let name = tr!(cx, "Shown angle");
        let text = TextSize::Body.rich(format!("{label} {}", icons::CARET_DOWN.glyph)).color(cx.theme.color.text_2);
        let button = ui.add(egui::Button::new(text).frame(false)).on_hover_text(&*name);
        button.widget_info(|| WidgetInfo {
            current_text_value: Some(label.to_string()),
            ..WidgetInfo::labeled(Role::ComboBox, true, &*name)
        });
        Popup::menu(&button).show(|ui| {
            for (at, angle) in angles.iter().enumerate() {
                let label = angle_name(cx, angle);
                if ui.add(egui::Button::new(&*label).selected(at == chosen)).clicked() {
                    self.angle = Some(angle.kind);
                }
            }
        });
    }
}

const fn view_name(view: GraphView) -> MessageText {
    match view {
        GraphView::Angle => message!("Angle"),
        GraphView::Speed => message!("Speed{:velocity}"),
        GraphView::Penetration => message!("Penetration"),
        GraphView::Parts => message!("Parts"),
    }
}

const fn view_hint(view: GraphView) -> MessageText {
    match view {
        GraphView::Angle => message!("Angle of the bone, in degrees, against its limits"),
        GraphView::Speed => message!("Speed of the tip in the world, in m/s"),
        GraphView::Penetration => message!("Depth of the tip in colliders and in the ground, in mm"),
        GraphView::Parts => message!(
            "Why the tip of the active joint moves: the parts of its movement in each step along the shown angle, in mm"
        ),
    }
}

fn angle_name(cx: &UiContext<'_>, angle: &JointAngle) -> Cow<'static, str> {
    match angle.kind {
        AngleKind::FromRest => tr!(cx, "From rest pose"),
        AngleKind::Limit(active) => limit_label(cx, active),
        AngleKind::Hinge => tr!(cx, "Hinge"),
        AngleKind::Cone => tr!(cx, "From cone axis"),
        AngleKind::Pitch => tr!(cx, "Pitch"),
        AngleKind::Yaw => tr!(cx, "Yaw"),
    }
}

/// Returns the colour of each line. The active joint has the colour of text.
fn series_colors(cx: &UiContext<'_>, count: usize) -> Vec<Color32> {
    let others = SERIES.iter().map(|[dark, light]| match cx.theme.mode {
        ThemeMode::Dark => *dark,
        ThemeMode::Light => *light,
    });
    std::iter::once(cx.theme.color.text).chain(others).take(count).collect()
}

/// How a line is drawn in the plot and in the legend.
#[derive(Clone, Copy)]
struct SeriesStyle {
    color: Color32,
    is_dashed: bool,
}

struct LegendRow<'a> {
    name: &'a str,
    value: Option<String>,
    style: SeriesStyle,
}

fn legend_row_ui(ui: &mut Ui, cx: &UiContext<'_>, row: &LegendRow<'_>) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LEGEND_ROW), Sense::hover());
    let (left, right) = (rect.left_center(), rect.right_center());
    let sample = [left, pos2(left.x + 16.0, left.y)];
    if row.style.is_dashed {
        paint::dashed(ui.painter(), &sample, Stroke::new(stroke::FAN_EDGE, row.style.color), 4.0, 2.0);
    } else {
        ui.painter().add(Shape::line_segment(sample, Stroke::new(stroke::CURVE, row.style.color)));
    }
    let value_width = row.value.as_ref().map_or(0.0, |value| {
        let width = paint::text_width(ui, value, TextSize::Number);
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, value, TextSize::Number, cx.theme.color.text);
        width + space::S
    });
    let name_width = rect.width() - 16.0 - space::M - value_width;
    let name = ElidedName::new(ui, row.name, TextSize::Small, cx.theme.color.text_2, name_width);
    name.paint_left(ui.painter(), left + vec2(16.0 + space::M, 0.0));
    let text = row.value.as_ref().map_or_else(|| row.name.to_owned(), |value| format!("{} {value}", row.name));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    name.with_tooltip(response);
}
