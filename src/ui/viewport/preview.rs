//! Says at the upper edge that the picture shows a change which is not made yet.

use super::float;
use crate::ui::Cx;
use crate::ui::kit::frame::Run;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::SPACE;
use egui::{Align2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Right of the tools.
const LEFT: f32 = 64.0;
const HEIGHT: f32 = 22.0;
const ICON: f32 = 16.0;
/// What stands under the toggles at the right.
const LEGEND: f32 = 132.0;

pub(super) fn show(ui: &mut Ui, rect: Rect, toggles: Rect, cx: &Cx<'_>) {
    if !cx.session().is_previewing() {
        return;
    }
    let covered = cx.state.covered_left;
    let is_covered = covered > rect.left() + LEFT;
    // Beside a window there is no room left of the toggles.
    let corner = if is_covered { pos2(covered, toggles.bottom() - SPACE[3]) } else { rect.min + vec2(LEFT, 0.0) };
    let within = Rect::from_min_max(corner, rect.max).shrink(SPACE[4]);
    let room = if is_covered { within.width() - LEGEND } else { f32::INFINITY };
    float::strip(ui, "preview", Align2::LEFT_TOP, within, Run::Across, |ui| {
        let (head, name) = (cx.tr("viewport.preview"), cx.state.previewed.clone());
        let feels = cx.state.presets.previews.is_running();
        let rest = cx.tr(if feels { "presets.dashed" } else { "viewport.preview_dashed" });
        let words = format!("{head} {name}{} {rest}", cx.tr("viewport.preview_stop"));
        let c = cx.theme.color;
        let wide = [&*head, &format!("{name}{}", cx.tr("viewport.preview_stop")), &*rest];
        let widths =
            [Text::Strong, Text::Body, Text::Body].into_iter().zip(wide).map(|(t, w)| paint::width_of(ui, w, t));
        let widths: Vec<f32> = widths.map(|w| w + 5.0).collect();
        let around = ICON + SPACE[4];
        // What is dashed goes first where not all of it fits.
        let shown = if widths.iter().sum::<f32>() + around <= room { 3 } else { 2 };
        let width = widths[..shown].iter().sum::<f32>() + around;
        let (place, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        let mut at = place.left_center() + vec2(SPACE[2] + ICON / 2.0, 0.0);
        paint_icon(ui.painter(), at, icons::EYE, ICON, c.text);
        at.x += ICON / 2.0 + SPACE[3];
        for (text, (words, color)) in [Text::Strong, Text::Body, Text::Body]
            .into_iter()
            .zip([(wide[0], c.text), (wide[1], c.text), (wide[2], c.text_2)])
            .take(shown)
        {
            paint::text(ui.painter(), at, Align2::LEFT_CENTER, words, text, color);
            at.x += paint::width_of(ui, words, text) + 5.0;
        }
    });
}
