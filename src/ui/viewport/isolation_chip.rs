//! The chip that reports soloed, muted and pinned chains. A click simulates everything again.

use super::hints::{CAPTION_HEIGHT, caption_area, shows_preview};
use super::transport;
use crate::session::Command;
use crate::ui::kit::frame::StripDirection;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{UiContext, isolation};
use egui::{Align2, Rect, Ui};

pub(super) fn show(ui: &mut Ui, rect: Rect, toggles: Rect, cx: &mut UiContext<'_>) {
    let Some(words) = isolation::summary_text(cx) else { return };
    let (mut within, _) = caption_area(rect, toggles, cx);
    if shows_preview(cx) {
        within.min.y += CAPTION_HEIGHT;
    }
    transport::strip(ui, "isolation", Align2::LEFT_TOP, within, StripDirection::Horizontal, |ui| {
        ui.spacing_mut().item_spacing.x = space::S;
        ui.add_space(space::S);
        icons::icon(ui, icons::FUNNEL, size::ICON, cx.theme.color.accent);
        ui.label(TextSize::Strong.rich(words)).on_hover_text(cx.tr("isolation.chip_hint"));
        let clear = cx.tr("isolation.clear");
        if IconButton::new(icons::X, &clear).tiny().show(ui).clicked() {
            cx.command(Command::ClearIsolation);
        }
    });
}
