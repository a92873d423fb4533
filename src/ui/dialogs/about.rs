//! What the program is.

use super::small::place;
use crate::ui::Cx;
use crate::ui::kit::icons::paint_mark;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, size};
use crate::ui::kit::{button, frame};
use egui::{Context, Frame, Margin, Sense, Ui, Vec2, vec2};

/// Draws it; whether it was closed.
pub(super) fn show(ctx: &Context, cx: &mut Cx<'_>) -> bool {
    let title = cx.tr("about.title");
    let close = cx.tr("common.close");
    let at = place(ctx, vec2(440.0, 340.0));
    let mut closed = false;
    let output = frame::window(ctx, &title, "", at, cx, body_ui, |ui, _| {
        closed = button::secondary(&close).show(ui).clicked();
    });
    output.closed || closed
}

fn body_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let c = cx.theme.color;
    ui.add_space(SPACE[5]);
    ui.horizontal(|ui| {
        ui.add_space(SPACE[5]);
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(2.0 * size::ICON_LARGE), Sense::hover());
        paint_mark(ui.painter(), rect.center(), rect.width(), c.accent);
        ui.add_space(SPACE[2]);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(Text::Title.rich("Yuremono").color(c.text));
            let version = cx.tr_with("about.version", &[("n", env!("CARGO_PKG_VERSION"))]);
            ui.label(Text::Small.rich(version).color(c.text_3));
        });
    });
    ui.add_space(SPACE[4]);
    let lines =
        [("about.what", c.text), ("about.local", c.text_2), ("about.licence", c.text_2), ("about.fonts", c.text_3)];
    Frame::new().inner_margin(Margin::symmetric(SPACE[5] as i8, 0)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = SPACE[3];
        for (key, ink) in lines {
            ui.add(egui::Label::new(Text::Body.rich(cx.tr(key)).color(ink)).wrap());
        }
    });
}
