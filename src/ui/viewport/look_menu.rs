//! Light, background and onion skins, in the view menu of the viewport.

use crate::stage::KeyLight;
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::{NumberFormat, number_field};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{labelled_checkbox, radio};
use crate::ui::kit::tokens::{size, space};
use crate::ui::{UiContext, ViewportBackground};
use egui::Ui;
use std::borrow::Cow;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;

const BUTTON_SIZE: f32 = 24.0;

pub(super) fn look_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    heading_ui(ui, cx, message!("Light"));
    light_ui(ui, cx);
    ui.separator();
    heading_ui(ui, cx, message!("Background"));
    for background in ViewportBackground::ALL {
        let label = cx.tr(background.label());
        if radio(ui, &label, cx.state.prefs.look.background == background).clicked() {
            cx.state.prefs.look.background = background;
        }
    }
    ui.separator();
    let (label, hint) = (
        tr!(cx, "Transparent pictures"),
        tr!(cx, "Save picture saves the character without background, grid and overlays."),
    );
    labelled_checkbox(ui, &label, &mut cx.state.prefs.look.transparent_pictures).on_hover_text(hint);
    ui.separator();
    onion_skins_ui(ui, cx);
}

/// Draws the switch of the onion skins, and their number and distance.
fn onion_skins_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let (label, hint) = (tr!(cx, "Onion skins"), tr!(cx, "Shows where the selected chains were before"));
    let count = (tr!(cx, "positions"), tr!(cx, "Number of earlier positions, 1 to 24"));
    let spacing = (tr!(cx, "steps apart"), tr!(cx, "Steps between two positions, 1 to 30"));
    let skins = &mut cx.state.prefs.look.onion_skins;
    labelled_checkbox(ui, &label, &mut skins.shown).on_hover_text(hint);
    if !skins.shown {
        return;
    }
    let mut number_ui = |(name, hint): (Cow<'static, str>, Cow<'static, str>), value: u8| {
        let field = ui.horizontal(|ui| {
            let format = NumberFormat::with_suffix("", 0);
            let field = number_field(ui, &name, Some(f32::from(value)), format, size::NUMBER_FIELD, None);
            ui.label(TextSize::Small.rich(name.clone()));
            field
        });
        let (field, entered) = field.inner;
        field.on_hover_text(hint);
        entered.map(|entered| entered.round().clamp(0.0, f32::from(u8::MAX)) as u8)
    };
    if let Some(entered) = number_ui(count, skins.count()) {
        skins.set_count(entered);
    }
    if let Some(entered) = number_ui(spacing, skins.spacing()) {
        skins.set_spacing(entered);
    }
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, text: MessageText) {
    ui.label(TextSize::Small.rich(cx.tr(text)).color(cx.theme.color.text_3));
}

/// Draws the direction of the light between two buttons that turn the light by a step.
fn light_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.horizontal(|ui| {
        step_ui(ui, cx, Action::LightLeft, icons::CARET_LEFT);
        let name = tr!(cx, "Light");
        let degrees = cx.state.prefs.look.key_light().degrees();
        let format = NumberFormat::with_suffix("°", 0);
        let (field, entered) = number_field(ui, &name, Some(degrees), format, size::NUMBER_FIELD, None);
        field.on_hover_text(tr!(cx, "Direction of the light around the character, in degrees. 0 is the front, 90 the left side of the character."));
        if let Some(entered) = entered {
            cx.state.prefs.look.set_key_light(KeyLight::at(entered));
        }
        step_ui(ui, cx, Action::LightRight, icons::CARET_RIGHT);
        ui.add_space(space::XS);
    });
}

fn step_ui(ui: &mut Ui, cx: &mut UiContext<'_>, action: Action, icon: icons::Icon) {
    let (name, key) = (cx.tr(action.label()), action.shortcut_text(ui.ctx()));
    if IconButton::new(icon, &name).key(&key).sized(BUTTON_SIZE, size::ICON).show(ui).clicked() {
        action.run(cx);
    }
}
