//! The tool strip, the overlay switches and the world axes.

use super::{color_by, look_menu, transport};
use crate::stage::{CameraPreset, CameraView};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::actions::Action;
use crate::ui::kit::frame::{StripDirection, strip_separator};
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::labelled_checkbox;
use crate::ui::kit::tokens::{size, space};
use egui::{
    Align2, Color32, Key, Modifiers, Popup, PopupCloseBehavior, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo, vec2,
};
use glam::Vec3;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::Facing;

const BUTTON_SIZE: f32 = 28.0;
/// Distance from the centre of the axes to the ends, in points.
const AXIS_LENGTH: f32 = 26.0;
const AXIS_DOT_RADIUS: f32 = 8.0;
/// Width of the tool strip and height of the switches, including margins, in points.
pub(super) const TOOLS_WIDTH: f32 = space::L + 40.0 + space::L;
pub(super) const TOGGLES_HEIGHT: f32 = space::L + 36.0 + space::M;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ViewportTool {
    /// Moves the body by the bone that the chain is attached to.
    #[default]
    Move,
    /// Rotates the body by the bone that the chain is attached to.
    Rotate,
    Grab,
    Collider,
}

impl ViewportTool {
    /// Whether the tool drags the body by its rings.
    pub(super) const fn drags_body(self) -> bool {
        matches!(self, Self::Move | Self::Rotate)
    }
}

/// Draws the tool strip. The keys Q, W and E also select a tool.
pub(super) fn tools_ui(ui: &mut Ui, rect: Rect, tool: &mut ViewportTool, cx: &mut UiContext<'_>) {
    let tools: [(ViewportTool, Icon, MessageText, Key, &str); 4] = [
        (ViewportTool::Move, icons::HAND_GRABBING, message!("Move body"), Key::Q, "Q"),
        (ViewportTool::Rotate, icons::ARROW_CLOCKWISE, message!("Rotate body"), Key::W, "W"),
        (ViewportTool::Grab, icons::HAND_POINTING, message!("Pull tip"), Key::E, "E"),
        (ViewportTool::Collider, icons::PILL, message!("Edit colliders and forces"), Key::T, "T"),
    ];
    if !ui.ctx().text_edit_focused() {
        for (which, .., key, _) in &tools {
            if ui.input_mut(|i| i.consume_key(Modifiers::NONE, *key)) {
                *tool = *which;
            }
        }
    }
    transport::strip(ui, "tools", Align2::LEFT_TOP, rect.shrink(space::L), StripDirection::Vertical, |ui| {
        ui.set_width(BUTTON_SIZE);
        for (which, icon, name, _, key) in tools {
            let name = cx.tr(name);
            let button = IconButton::new(icon, &name).key(key).on(*tool == which).sized(BUTTON_SIZE, size::ICON_LARGE);
            if button.show(ui).clicked() {
                *tool = which;
            }
        }
        strip_separator(ui, StripDirection::Vertical);
        let name = tr!(cx, "Frame selection");
        if IconButton::new(icons::CORNERS_OUT, &name).key("F").sized(BUTTON_SIZE, size::ICON_LARGE).show(ui).clicked() {
            cx.state.frame_wanted = true;
        }
    });
}

pub(super) fn toggles_ui(ui: &mut Ui, rect: Rect, cx: &mut UiContext<'_>) -> Rect {
    let ((), strip_rect) =
        transport::strip(ui, "toggles", Align2::RIGHT_TOP, rect.shrink(space::L), StripDirection::Horizontal, |ui| {
            let mut toggles = cx.state.prefs.toggles;
            let all: [(&mut bool, Icon, MessageText); 8] = [
                (&mut toggles.bones, icons::BONE, message!("Bones")),
                (&mut toggles.hit_radii, icons::CIRCLE_DASHED, message!("Hit radii")),
                (&mut toggles.colliders, icons::PILL, message!("Colliders and forces")),
                (&mut toggles.limits, icons::ANGLE, message!("Angle limits")),
                (&mut toggles.length_limits, icons::LINK_SIMPLE, message!("Length limits")),
                (&mut toggles.causes, icons::ARROW_RIGHT, message!("Why tips move")),
                (&mut toggles.handles, icons::ARROWS_OUT_CARDINAL, message!("Drag handles")),
                (&mut toggles.names, icons::TEXT_AA, message!("Bone names")),
            ];
            for (on, icon, name) in all {
                if IconButton::new(icon, &cx.tr(name)).on(*on).sized(BUTTON_SIZE, 18.0).show(ui).clicked() {
                    *on = !*on;
                }
            }
            cx.state.prefs.toggles = toggles;
            strip_separator(ui, StripDirection::Horizontal);
            let hidden = cx.state.overlays_hidden;
            let icon = if hidden { icons::EYE_SLASH } else { icons::EYE };
            let name = cx.tr(Action::ToggleOverlays.label());
            let key = Action::ToggleOverlays.shortcut_text(ui.ctx());
            if IconButton::new(icon, &name).key(&key).on(hidden).sized(BUTTON_SIZE, 18.0).show(ui).clicked() {
                cx.state.overlays_hidden = !hidden;
            }
            view_menu_ui(ui, cx);
        });
    strip_rect
}

fn view_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let name = tr!(cx, "View{:camera}");
    let button = IconButton::new(icons::CUBE, &name).sized(BUTTON_SIZE, 18.0).show(ui);
    let menu = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| {
        ui.set_min_width(180.0);
        for (preset, name, key) in VIEWS {
            let item = egui::Button::new(&*cx.tr(name)).shortcut_text(key).min_size(vec2(180.0, size::ROW));
            if ui.add(item).clicked() {
                cx.state.camera_wanted = Some(preset);
                ui.close();
            }
        }
        ui.separator();
        let labels = [message!("Only selected bones"), message!("Only selected colliders"), message!("Colour legend")];
        let labels = labels.map(|label| cx.tr(label));
        let toggles = &mut cx.state.prefs.toggles;
        let flags = [&mut toggles.selected_only, &mut toggles.selected_colliders_only, &mut toggles.legend];
        for (flag, label) in flags.into_iter().zip(labels) {
            labelled_checkbox(ui, &label, flag);
        }
        color_by::menu_ui(ui, cx);
        ui.separator();
        look_menu::look_ui(ui, cx);
    });
}

const VIEWS: [(CameraPreset, MessageText, &str); 6] = [
    (CameraPreset::Front, message!("Front{:view}"), "1"),
    (CameraPreset::Left, message!("Left{:view}"), "3"),
    (CameraPreset::Top, message!("Top"), "7"),
    (CameraPreset::ThreeQuarter, message!("Three-quarter"), "0"),
    (CameraPreset::Back, message!("Back{:view}"), "Ctrl+1"),
    (CameraPreset::Right, message!("Right{:view}"), "Ctrl+3"),
];

/// Draws the world axes. A click on an axis sets the view direction along the axis.
pub(super) fn axes_ui(ui: &mut Ui, rect: Rect, transport: Rect, view: &CameraView, cx: &mut UiContext<'_>) {
    let half_size = AXIS_LENGTH + AXIS_DOT_RADIUS;
    let mut middle = rect.right_bottom() - vec2(space::L + half_size, space::L + half_size);
    if transport.expand(space::M).intersects(Rect::from_center_size(middle, Vec2::splat(2.0 * half_size))) {
        // If the transport strip uses the full width, place the axes above the strip.
        middle.y = transport.top() - space::M - half_size;
    }
    let c = cx.theme.color;
    let plus_z = cx.character().facing == Facing::PlusZ;
    let views =
        if plus_z { [CameraPreset::Left, CameraPreset::Front] } else { [CameraPreset::Right, CameraPreset::Back] };
    let mut axes = [
        (Vec3::X, "X", c.axis_x, views[0]),
        (Vec3::Y, "Y", c.axis_y, CameraPreset::Top),
        (Vec3::Z, "Z", c.axis_z, views[1]),
    ];
    // Far axes are drawn first.
    axes.sort_by(|a, b| b.0.dot(view.forward).total_cmp(&a.0.dot(view.forward)));
    for (axis, letter, color, preset) in axes {
        let end = middle + vec2(axis.dot(view.right), -axis.dot(view.up)) * AXIS_LENGTH;
        let dot = Rect::from_center_size(end, Vec2::splat(size::HIT_MIN));
        let response = ui.interact(dot, ui.scope_id().with(("axis", letter)), Sense::click());
        let name = tr!(cx, "Look along {axis}", axis = letter);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
        let painter = ui.painter();
        painter.line_segment([middle, end], Stroke::new(2.0, color));
        let grown = if response.hovered() { 1.5 } else { 0.0 };
        painter.circle_filled(end, AXIS_DOT_RADIUS + grown, color);
        let letter_color = if c.panel.r() < 128 { Color32::from_gray(16) } else { Color32::WHITE };
        paint::text(painter, end, Align2::CENTER_CENTER, letter, TextSize::Tiny, letter_color);
        focus_ring(ui, &response, Rect::from_center_size(end, Vec2::splat(AXIS_DOT_RADIUS * 2.0)), AXIS_DOT_RADIUS);
        if response.on_hover_text(name).clicked() {
            cx.state.camera_wanted = Some(preset);
        }
    }
}
