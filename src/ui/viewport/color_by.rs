//! Colours joints by a parameter, by a measured value, or by what moves them: the choice, the colours and the legend.

use super::causes::part_name;
use super::legend;
use super::overlay_painter::OverlayPainter;
use crate::tr;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::{ColorRole, TextSize, Theme};
use crate::ui::kit::toggle::radio;
use crate::ui::kit::tokens::{radius, space, stroke};
use crate::ui::kit::{i18n, paint};
use crate::ui::{ColorBy, UiContext};
use egui::{Align2, Color32, Mesh, Rect, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use std::collections::BTreeMap;
use yuremono_session::{Command, JointQuantity, JointValues, SelectMode, TuningScope};
use yuremono_sim::TipPart;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamDef, ParamGroup, ParamId, ParamKind};
use yuremono_sim::rig::BoneId;

/// Interval at which the numbers of the legend change while the picture moves, in seconds, so that they can be read.
const SUMMARY_SECONDS: f64 = 0.25;
/// Width of the legend without margins, in points.
const WIDTH: f32 = 204.0;
const ROW_HEIGHT: f32 = 20.0;
const SWATCH_WIDTH: f32 = 24.0;
const RAMP_HEIGHT: f32 = 8.0;
/// Distance from the centre to the corners of the marker of a value that stands out, in points.
const MARKER_RADIUS: f32 = 7.0;
const LEGEND_MARKER_RADIUS: f32 = 5.0;

/// The colours of all joints in a frame.
#[derive(Debug)]
pub(super) enum JointColors {
    /// The values of a quantity; `None` if no joint has a value.
    Values(JointQuantity, Option<JointValues>),
    Causes(BTreeMap<BoneId, TipPart>),
}

impl JointColors {
    /// Returns `None` if joints have their usual colours.
    pub(super) fn of(cx: &UiContext<'_>) -> Option<Self> {
        if cx.hides_overlays() || cx.session().sweep().is_some() {
            return None;
        }
        match cx.state.color_by {
            ColorBy::Quantity(quantity) if cx.inspection().has_quantity(quantity) => {
                Some(Self::Values(quantity, cx.inspection().quantity_values(quantity)))
            }
            ColorBy::None | ColorBy::Quantity(_) => None,
            ColorBy::StrongestCause => Some(Self::Causes(cx.inspection().strongest_causes())),
        }
    }

    /// Returns the colour of a joint; `None` if the joint has no value.
    pub(super) fn color(&self, theme: &Theme, bone: BoneId) -> Option<Color32> {
        match self {
            Self::Values(_, values) => values.as_ref()?.position(bone).map(|position| theme.ramp(position)),
            Self::Causes(causes) => causes.get(&bone).map(|part| theme.role(ColorRole::for_part(*part))),
        }
    }

    /// Draws the marker of a joint whose value stands out.
    pub(super) fn show_marker(&self, overlay: &OverlayPainter<'_>, bone: BoneId, at: glam::Vec2) {
        if let Self::Values(_, Some(values)) = self
            && values.unusual().contains(&bone)
        {
            let corners = marker_corners(MARKER_RADIUS).map(|[x, y]| at + glam::Vec2::new(x, y));
            overlay.area(&corners, stroke::BONE_SELECTED, overlay.theme.color.text, Color32::TRANSPARENT);
        }
    }
}

/// Returns the corners of the marker, a square that stands on a corner, around its centre.
fn marker_corners(radius: f32) -> [[f32; 2]; 4] {
    [[0.0, -radius], [radius, 0.0], [0.0, radius], [-radius, 0.0]]
}

/// Draws the choices as a submenu: nothing, measured values, and the parameters of the tuned solver by group.
pub(super) fn menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let (label, hint) = (tr!(cx, "Colour by"), tr!(cx, "Colours all joints by one parameter or measured value"));
    let menu = ui.menu_button(&*label, |ui| {
        choice_ui(ui, cx, ColorBy::None);
        ui.separator();
        let measured = [JointQuantity::Speed, JointQuantity::LimitShare, JointQuantity::Penetration];
        for quantity in measured {
            choice_ui(ui, cx, ColorBy::Quantity(quantity));
        }
        choice_ui(ui, cx, ColorBy::StrongestCause);
        ui.separator();
        let solver = cx.inspection().system().solver;
        let heading = i18n::solver_name(cx.theme.lang, solver);
        ui.label(TextSize::Small.rich(heading).color(cx.theme.color.text_3));
        let table = solver.info().params;
        let params = cx.inspection().comparable_params();
        for group in groups(table, &params) {
            let name = cx.tr(i18n::param_group_name(group));
            ui.menu_button(&*name, |ui| {
                for param in params.iter().copied().filter(|param| table[param.index()].group == group) {
                    choice_ui(ui, cx, ColorBy::Quantity(JointQuantity::Param { solver, param }));
                }
            });
        }
    });
    menu.response.on_hover_text(hint);
}

/// Returns the groups of some parameters of a table, in the order of the table.
fn groups(table: &[ParamDef], params: &[ParamId]) -> Vec<ParamGroup> {
    let mut found = Vec::new();
    for group in params.iter().map(|param| table[param.index()].group) {
        if !found.contains(&group) {
            found.push(group);
        }
    }
    found
}

fn choice_ui(ui: &mut Ui, cx: &mut UiContext<'_>, choice: ColorBy) {
    let (name, hint) = (choice_name(cx, choice), choice_hint(cx, choice));
    if radio(ui, &name, cx.state.color_by == choice).on_hover_text(hint).clicked() {
        cx.state.color_by = choice;
        // Without bones, there is nothing to colour.
        cx.state.prefs.toggles.bones |= choice != ColorBy::None;
    }
}

fn choice_name(cx: &UiContext<'_>, choice: ColorBy) -> String {
    match choice {
        ColorBy::Quantity(JointQuantity::Param { .. }) => {
            param_def(choice).map_or_else(String::new, |def| i18n::param_label(cx.theme.lang, def).into_owned())
        }
        _ => cx.tr(&choice_texts(choice)[0]).into_owned(),
    }
}

fn choice_hint(cx: &UiContext<'_>, choice: ColorBy) -> String {
    match param_def(choice) {
        Some(def) => i18n::param_doc(cx.theme.lang, def).into_owned(),
        None => cx.tr(&choice_texts(choice)[1]).into_owned(),
    }
}

/// Returns the name and the tooltip.
const fn choice_texts(choice: ColorBy) -> [MessageText; 2] {
    match choice {
        ColorBy::None | ColorBy::Quantity(JointQuantity::Param { .. }) => {
            [message!("None"), message!("Usual colours of bones")]
        }
        ColorBy::Quantity(JointQuantity::Speed) => {
            [message!("Speed of the tip"), message!("Speed of the tip in the world, in m/s")]
        }
        ColorBy::Quantity(JointQuantity::LimitShare) => [
            message!("Angle against its limit"),
            message!("Largest angle as a share of its limit, in percent. 100 % is at the limit."),
        ],
        ColorBy::Quantity(JointQuantity::Penetration) => {
            [message!("Penetration"), message!("Depth of the tip in colliders and in the ground, in mm")]
        }
        ColorBy::StrongestCause => [
            message!("Strongest cause"),
            message!("What moves the tip most in the last step, in the colours of the arrows"),
        ],
    }
}

fn param_def(choice: ColorBy) -> Option<&'static ParamDef> {
    match choice {
        ColorBy::Quantity(JointQuantity::Param { solver, param }) => solver.info().params.get(param.index()),
        _ => None,
    }
}

/// Returns a value as the inspector writes it: a number with its unit, or the name of a choice.
fn value_text(cx: &UiContext<'_>, quantity: JointQuantity, value: f32) -> String {
    let format = match (quantity, param_def(ColorBy::Quantity(quantity))) {
        (_, Some(def)) => match def.kind {
            ParamKind::Toggle => {
                return cx.tr(if value == 0.0 { message!("Off") } else { message!("On") }).into_owned();
            }
            ParamKind::Choice(_) => {
                return i18n::param_choice(cx.theme.lang, def, value.max(0.0) as usize).into_owned();
            }
            ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => NumberFormat::for_param(def),
        },
        (JointQuantity::Speed, None) => NumberFormat::with_suffix(" m/s", 2),
        (JointQuantity::LimitShare, None) => NumberFormat::with_suffix(" %", 0),
        (JointQuantity::Penetration | JointQuantity::Param { .. }, None) => NumberFormat::with_suffix(" mm", 1),
    };
    format.text(value)
}

/// Draws the legend below the rectangle `below`. Returns the rectangle of the legend, or `below` without a legend.
pub(super) fn legend_ui(
    ui: &mut Ui,
    rect: Rect,
    below: Rect,
    colors: Option<&JointColors>,
    cx: &mut UiContext<'_>,
) -> Rect {
    let Some(colors) = colors else { return below };
    let within = Rect::from_min_max(pos2(rect.left(), below.bottom() - space::XS), rect.max).shrink(space::L);
    legend::strip(ui, "colour legend", within, |ui| {
        ui.set_width(WIDTH);
        title_ui(ui, cx);
        match colors {
            JointColors::Values(quantity, Some(values)) => values_ui(ui, cx, *quantity, values),
            JointColors::Values(_, None) => note_ui(ui, cx, message!("No joint has a value.")),
            JointColors::Causes(causes) => causes_ui(ui, cx, causes),
        }
    })
}

/// Returns the name of what the colours show, with the unit if the numbers have none.
fn title_text(cx: &UiContext<'_>, choice: ColorBy) -> String {
    let name = choice_name(cx, choice);
    let unit = param_def(choice).map_or("", |def| def.unit.symbol());
    let has_unit = param_def(choice).is_none_or(|def| NumberFormat::for_param(def).text(1.0).ends_with(unit));
    if has_unit { name } else { format!("{name} ({unit})") }
}

/// Draws the name of what the colours show, and the button that ends the colouring.
fn title_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let choice = cx.state.color_by;
    let (text, hint, close) = (title_text(cx, choice), choice_hint(cx, choice), tr!(cx, "End colouring"));
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let text_width = rect.width() - ROW_HEIGHT - space::XS;
    let name = paint::ElidedName::new(ui, &text, TextSize::Small, cx.theme.color.text, text_width);
    name.paint_left(ui.painter(), rect.left_center());
    let title = ui.interact(rect.with_max_x(rect.left() + text_width), ui.scope_id().with("title"), Sense::hover());
    title.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    title.on_hover_text(hint);
    let at = Rect::from_min_size(pos2(rect.right() - ROW_HEIGHT, rect.top()), Vec2::splat(ROW_HEIGHT));
    let response = ui.interact(at, ui.scope_id().with("close"), Sense::click());
    let button = IconButton { icon_size: 11.0, ..IconButton::new(icons::X, &close) };
    if button.show_at(ui, at, response).clicked() {
        cx.state.color_by = ColorBy::None;
    }
}

/// Draws the colour scale, the numbers, the joints without a value, and the joints that stand out.
fn values_ui(ui: &mut Ui, cx: &mut UiContext<'_>, quantity: JointQuantity, values: &JointValues) {
    let [low, median, high] = steady_summary(ui, cx, values.summary());
    let c = cx.theme.color;
    let full = ui.available_width();
    let (bar, _) = ui.allocate_exact_size(vec2(full, RAMP_HEIGHT), Sense::hover());
    paint_ramp(ui, bar, &cx.theme);
    ui.add_space(space::XS);
    let (line, response) = ui.allocate_exact_size(vec2(full, ROW_HEIGHT), Sense::hover());
    let text = |value: f32| value_text(cx, quantity, value);
    let is_named = param_def(ColorBy::Quantity(quantity))
        .is_some_and(|def| matches!(def.kind, ParamKind::Toggle | ParamKind::Choice(_)));
    let label = if low == high {
        let label = tr!(cx, "All joints: {value}", value = &text(low));
        paint::text(ui.painter(), line.left_center(), Align2::LEFT_CENTER, &label, TextSize::Small, c.text_2);
        label
    } else {
        let middle = tr!(cx, "Median {value}", value = &text(median));
        let ends = [text(low), text(high)];
        let write = |at, anchor, label: &str| {
            paint::text(ui.painter(), at, anchor, label, TextSize::Small, c.text_2);
        };
        write(line.left_center(), Align2::LEFT_CENTER, &ends[0]);
        write(line.right_center(), Align2::RIGHT_CENTER, &ends[1]);
        // Choices have no value between them.
        if !is_named {
            write(line.center(), Align2::CENTER_CENTER, &middle);
            let share = ((median - low) / (high - low)).clamp(0.0, 1.0);
            let x = bar.left() + share * bar.width();
            ui.painter().vline(x, bar.y_range().expand(2.0), Stroke::new(stroke::FAN_EDGE, c.text));
        }
        format!("{}, {middle}, {}", ends[0], ends[1]).into()
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &label));
    let lacking = cx.document().joint_count().saturating_sub(values.count());
    if lacking > 0 {
        let label = tr!(cx.theme.lang, "{n:joint|joints} without a value", n = lacking);
        let row = LegendRow { label: &label, color: c.bone, is_marker: false };
        row.show(ui, cx, Sense::hover()).on_hover_text(tr!(
            cx,
            "Their solver does not have this parameter, or there is nothing to measure. They keep the usual colour."
        ));
    }
    let unusual = values.unusual();
    let label = tr!(cx.theme.lang, "{n:unusual value|unusual values}", n = unusual.len());
    let row = LegendRow { label: &label, color: c.text, is_marker: true };
    let is_param = matches!(quantity, JointQuantity::Param { .. });
    let hint =
        cx.tr(if is_param { message!("A value is unusual if it differs by more than 25 % from the two next joints on each side along the chain, or from the mirrored joint, and by more than 5 % of the scale. Steady slopes are not unusual. Click to select these joints.") } else { message!("A value is unusual if it differs by more than 25 % from the two next joints on each side along the chain, and by more than 5 % of the scale. Steady slopes are not unusual. Click to select these joints.") });
    let sense = if unusual.is_empty() { Sense::hover() } else { Sense::click() };
    if row.show(ui, cx, sense).on_hover_text(hint).clicked() {
        select_joints(cx, unusual.iter().copied().collect());
    }
}

/// Draws the causes that are the strongest of some joints. A click selects these joints.
fn causes_ui(ui: &mut Ui, cx: &mut UiContext<'_>, causes: &BTreeMap<BoneId, TipPart>) {
    for part in TipPart::ALL {
        let joints: Vec<BoneId> =
            causes.iter().filter(|(_, strongest)| **strongest == part).map(|(bone, _)| *bone).collect();
        if joints.is_empty() {
            continue;
        }
        let n = joints.len().to_string();
        let label = tr!(cx, "{cause}: {n}", cause = cx.tr(part_name(part)), n);
        let row = LegendRow { label: &label, color: cx.theme.role(ColorRole::for_part(part)), is_marker: false };
        if row.show(ui, cx, Sense::click()).on_hover_text(tr!(cx, "Click to select these joints")).clicked() {
            select_joints(cx, joints);
        }
    }
    if causes.is_empty() {
        note_ui(ui, cx, message!("All tips are at rest."));
    }
}

/// Selects joints, without the rest of their chains.
fn select_joints(cx: &mut UiContext<'_>, joints: Vec<BoneId>) {
    cx.command(Command::Select(joints, SelectMode::Replace));
    cx.command(Command::SetTuningScope(TuningScope::Joints));
}

/// Draws why there are no colours.
fn note_ui(ui: &mut Ui, cx: &UiContext<'_>, text: MessageText) {
    LegendRow { label: &cx.tr(text), color: cx.theme.color.bone, is_marker: false }.show(ui, cx, Sense::hover());
}

/// A line of the legend with a sample: a bone, or the marker of a value that stands out.
struct LegendRow<'a> {
    label: &'a str,
    color: Color32,
    is_marker: bool,
}

impl LegendRow<'_> {
    fn show(&self, ui: &mut Ui, cx: &UiContext<'_>, sense: Sense) -> egui::Response {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), sense);
        let c = cx.theme.color;
        let is_button = sense.senses_click();
        if is_button && response.hovered() {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        let middle = rect.left_center() + vec2(0.5 * SWATCH_WIDTH - space::XS, 0.0);
        if self.is_marker {
            let corners = marker_corners(LEGEND_MARKER_RADIUS).map(|[x, y]| middle + vec2(x, y)).to_vec();
            ui.painter().add(Shape::closed_line(corners, Stroke::new(1.5, self.color)));
        } else {
            let bar = Rect::from_center_size(middle, vec2(14.0, 5.0));
            ui.painter().rect_filled(bar, 2.0, self.color);
        }
        let label_width = rect.width() - SWATCH_WIDTH;
        let color = if is_button { c.text } else { c.text_2 };
        let name = paint::ElidedName::new(ui, self.label, TextSize::Small, color, label_width);
        name.paint_left(ui.painter(), rect.left_center() + vec2(SWATCH_WIDTH, 0.0));
        let role = if is_button { Role::Button } else { Role::Label };
        response.widget_info(|| WidgetInfo::labeled(role, true, self.label));
        icons::focus_ring(ui, &response, rect, radius::FIELD);
        response
    }
}

/// Paints the colour scale from left to right.
fn paint_ramp(ui: &Ui, bar: Rect, theme: &Theme) {
    let mut mesh = Mesh::default();
    let stops = Theme::RAMP_STOPS;
    for at in 0..stops {
        let share = at as f32 / (stops - 1) as f32;
        let (x, color) = (bar.left() + share * bar.width(), theme.ramp(share));
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if at > 0 {
            let first = 2 * at as u32 - 2;
            mesh.add_triangle(first, first + 1, first + 2);
            mesh.add_triangle(first + 1, first + 2, first + 3);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
}

/// Returns the numbers of the legend. While the picture moves, they change only from time to time.
fn steady_summary(ui: &Ui, cx: &UiContext<'_>, now: [f32; 3]) -> [f32; 3] {
    let id = ui.scope_id().with("colour summary");
    let time = ui.input(|i| i.time);
    let last: Option<(ColorBy, f64, [f32; 3])> = ui.data(|d| d.get_temp(id));
    let is_measured = param_def(cx.state.color_by).is_none();
    if let Some((choice, since, numbers)) = last
        && is_measured
        && cx.playback().is_moving()
        && choice == cx.state.color_by
        && (0.0..SUMMARY_SECONDS).contains(&(time - since))
    {
        return numbers;
    }
    ui.data_mut(|d| d.insert_temp(id, (cx.state.color_by, time, now)));
    now
}
