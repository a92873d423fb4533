//! Light and background, in the view menu of the viewport.

use crate::stage::KeyLight;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::{NumberFormat, number_field};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{UiContext, ViewportBackground};
use egui::Ui;

const BUTTON_SIZE: f32 = 24.0;

pub(super) fn look_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    heading_ui(ui, cx, "viewport.look.light");
    light_ui(ui, cx);
    ui.separator();
    heading_ui(ui, cx, "viewport.look.background");
    for background in ViewportBackground::ALL {
        let words = cx.tr(background.label_key());
        ui.radio_value(&mut cx.state.prefs.look.background, background, &*words);
    }
    ui.separator();
    let (words, hint) = (cx.tr("viewport.look.transparent"), cx.tr("viewport.look.transparent_hint"));
    ui.checkbox(&mut cx.state.prefs.look.transparent_pictures, &*words).on_hover_text(hint);
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, key: &str) {
    ui.label(TextSize::Small.rich(cx.tr(key)).color(cx.theme.color.text_3));
}

/// Draws the direction of the light between two buttons that turn the light by a step.
fn light_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.horizontal(|ui| {
        step_ui(ui, cx, Action::LightLeft, icons::CARET_LEFT);
        let name = cx.tr("viewport.look.light");
        let degrees = cx.state.prefs.look.key_light().degrees();
        let format = NumberFormat::with_suffix("°", 0);
        let (field, entered) = number_field(ui, &name, Some(degrees), format, size::NUMBER_FIELD, None);
        field.on_hover_text(cx.tr("viewport.look.light_hint"));
        if let Some(entered) = entered {
            cx.state.prefs.look.set_key_light(KeyLight::at(entered));
        }
        step_ui(ui, cx, Action::LightRight, icons::CARET_RIGHT);
        ui.add_space(space::XS);
    });
}

fn step_ui(ui: &mut Ui, cx: &mut UiContext<'_>, action: Action, icon: icons::Icon) {
    let (name, key) = (cx.tr(action.label_key()), action.shortcut_text(ui.ctx()));
    if IconButton::new(icon, &name).key(&key).sized(BUTTON_SIZE, size::ICON).show(ui).clicked() {
        action.run(cx);
    }
}
