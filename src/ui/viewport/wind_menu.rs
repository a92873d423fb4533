//! The test wind: the button in the transport, and its popup with the parameters and a scope.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::button::FlatButton;
use crate::ui::kit::icons;
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::param_bar::{BarChange, ParamBar};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{paint, toggle};
use egui::{
    Align2, Popup, PopupCloseBehavior, RectAlign, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use glam::Vec3;
use yuremono_session::Command;
use yuremono_sim::TestWind;
use yuremono_sim::diagnostics::{MessageText, message};

const MENU_WIDTH: f32 = 264.0;
const LABEL_WIDTH: f32 = 112.0;
const SCOPE_HEIGHT: f32 = 56.0;
/// Time that the scope shows, in seconds.
const SCOPE_SECONDS: f64 = 6.0;
/// Number of points of the scope.
const SCOPE_POINTS: u32 = 120;

/// A parameter of the wind.
struct WindRow {
    label: MessageText,
    hint: MessageText,
    span: Span,
    format: NumberFormat,
    value: fn(&mut TestWind) -> &mut f32,
}

pub(super) fn wind_button_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let wind = cx.playback().settings().wind;
    let name = tr!(cx, "Test wind");
    let (response, _) = FlatButton { name: &name, label: "", on: wind.is_some(), icon: Some(icons::WIND) }.show(ui);
    let menu = Popup::menu(&response)
        .align(RectAlign::TOP_START)
        .gap(10.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| menu_ui(ui, cx, wind));
    response.on_hover_text(tr!(cx, "Test wind: moves the joints of every solver. It is not part of the setup."));
}

fn menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>, wind: Option<TestWind>) {
    ui.set_width(MENU_WIDTH);
    let name = tr!(cx, "Test wind");
    let mut changed = wind.unwrap_or(cx.state.wind);
    ui.horizontal(|ui| {
        label_ui(ui, &name, TextSize::Strong);
        if toggle::switch(ui, &name, wind.is_some()).clicked() {
            cx.command(Command::SetTestWind(wind.is_none().then_some(changed)));
        }
    });
    scope_ui(ui, cx, wind);
    ui.add_space(space::XS);
    for row in rows() {
        row_ui(ui, cx, &row, &mut changed);
    }
    let text = tr!(cx, "Other gusts");
    let button = FlatButton { name: &text, label: &text, on: false, icon: Some(icons::ARROW_CLOCKWISE) };
    if button.show(ui).0.clicked() {
        changed.seed = changed.seed.wrapping_add(1);
    }
    let note = tr!(cx, "A gesture records the wind. Solvers keep their own winds.");
    info_note(ui, &note, 0.0);
    if changed != wind.unwrap_or(cx.state.wind) {
        cx.state.wind = changed;
        if wind.is_some() {
            cx.command(Command::SetTestWind(Some(changed)));
        }
    }
}

fn rows() -> [WindRow; 5] {
    let share = NumberFormat::with_suffix("", 2);
    let degrees = NumberFormat::with_suffix("°", 0);
    [
        WindRow {
            label: message!("Strength"),
            hint: message!("Mean acceleration of the tips in m/s². Earth's gravity is 9.8."),
            span: Span::linear(0.0, 60.0),
            format: NumberFormat::with_suffix(" m/s²", 1),
            value: |wind| &mut wind.strength,
        },
        WindRow {
            label: message!("Heading"),
            hint: message!("Where the wind blows to: 0° is +Z, 90° is +X. A VRM 1.0 character faces +Z."),
            span: Span::linear(-180.0, 180.0),
            format: degrees,
            value: |wind| &mut wind.heading,
        },
        WindRow {
            label: message!("Elevation"),
            hint: message!("Angle above the horizon: 90° blows upwards."),
            span: Span::linear(-90.0, 90.0),
            format: degrees,
            value: |wind| &mut wind.elevation,
        },
        WindRow {
            label: message!("Gusts"),
            hint: message!("How much the strength varies. Gusts travel along the hair."),
            span: Span::linear(0.0, 1.0),
            format: share,
            value: |wind| &mut wind.gusts,
        },
        WindRow {
            label: message!("Turbulence"),
            hint: message!("Fast changes in all directions, as a share of the strength."),
            span: Span::linear(0.0, 1.0),
            format: share,
            value: |wind| &mut wind.turbulence,
        },
    ]
}

fn row_ui(ui: &mut Ui, cx: &UiContext<'_>, row: &WindRow, wind: &mut TestWind) {
    let label = cx.tr(&row.label);
    ui.horizontal(|ui| {
        label_ui(ui, &label, TextSize::Body).on_hover_text(cx.tr(&row.hint));
        let value = (row.value)(wind);
        let bar = ParamBar { format: row.format, ..ParamBar::new(&label, *value, row.span) };
        for change in bar.show(ui, MENU_WIDTH - LABEL_WIDTH - 10.0).changes {
            if let BarChange::Set(changed) = change {
                *value = changed;
            }
        }
    });
}

fn label_ui(ui: &mut Ui, text: &str, text_size: TextSize) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(LABEL_WIDTH, size::ROW), Sense::hover());
    let color = Theme::of(ui).color.text;
    paint::text(ui.painter(), rect.left_center(), Align2::LEFT_CENTER, text, text_size, color);
    response
}

/// Draws the strength at the head of the character in the last seconds.
fn scope_ui(ui: &mut Ui, cx: &UiContext<'_>, wind: Option<TestWind>) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(MENU_WIDTH, SCOPE_HEIGHT), Sense::hover());
    let playback = cx.playback();
    let now = playback.wind_seconds();
    let at = Vec3::Y * playback.body_height();
    let strength = |wind: &TestWind, seconds: f64| wind.acceleration(at, seconds).dot(wind.direction());
    let present = wind.map_or(0.0, |wind| strength(&wind, now));
    let text = tr!(cx, "{strength} m/s² at the head", strength = format_args!("{present:.1}"));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &*text));
    ui.painter().rect_filled(rect, radius::PANEL_FLOAT, c.border);
    let plot = rect.shrink(space::XS);
    if let Some(wind) = wind {
        let most = (2.0 * wind.strength).max(1.0);
        let point = |index: u32| {
            let share = f64::from(index) / f64::from(SCOPE_POINTS - 1);
            let height = (strength(&wind, now + SCOPE_SECONDS * (share - 1.0)) / most).clamp(0.0, 1.0);
            pos2(plot.left() + plot.width() * share as f32, plot.bottom() - plot.height() * height)
        };
        let line: Vec<egui::Pos2> = (0..SCOPE_POINTS).map(point).collect();
        let end = line[line.len() - 1];
        ui.painter().add(Shape::line(line, Stroke::new(stroke::CURVE, c.accent)));
        ui.painter().circle_filled(end, 3.0, c.accent);
        ui.ctx().request_repaint();
    }
    paint::text(ui.painter(), plot.min, Align2::LEFT_TOP, &text, TextSize::Small, c.text_2);
}
