//! The chip that reports soloed, muted and pinned chains. A click simulates everything again.

use super::hints::{CAPTION_HEIGHT, caption_area, shows_preview};
use super::transport;
use crate::tr;
use crate::ui::kit::frame::StripDirection;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{UiContext, isolation};
use egui::{Align2, Label, Rect, Ui};
use yuremono_session::Command;

/// Width of the chip without its text, in points.
const FRAME_WIDTH: f32 = 76.0;

pub(super) fn show(ui: &mut Ui, rect: Rect, toggles: Rect, cx: &mut UiContext<'_>) {
    let Some([full, short]) = isolation::summary_texts(cx) else { return };
    let (mut within, max_width) = caption_area(rect, toggles, cx);
    if shows_preview(cx) {
        within.min.y += CAPTION_HEIGHT;
    }
    let max_width = max_width - FRAME_WIDTH;
    let is_short = paint::text_width(ui, &full, TextSize::Strong) > max_width;
    let hint =
        tr!(cx, "Chains that are not simulated follow the animation. Files, exports and bakes are not affected.");
    let hint = if is_short { format!("{full}\n{hint}") } else { hint.into_owned() };
    let label = TextSize::Strong.rich(if is_short { short } else { full });
    transport::strip(ui, "isolation", Align2::LEFT_TOP, within, StripDirection::Horizontal, |ui| {
        ui.spacing_mut().item_spacing.x = space::S;
        ui.add_space(space::S);
        icons::icon(ui, icons::FUNNEL, size::ICON, cx.theme.color.accent);
        ui.scope(|ui| {
            ui.set_max_width(max_width);
            ui.add(Label::new(label).truncate()).on_hover_text(hint);
        });
        let clear = tr!(cx, "Simulate all chains");
        if IconButton::new(icons::X, &clear).tiny().show(ui).clicked() {
            cx.command(Command::ClearIsolation);
        }
    });
}
