//! What an image of the viewport contains, and the window while a clip is recorded.
//!
//! An image shows the character and its overlays. The controls that float over the viewport, dialogs, menus and tooltips
//! stay in place, but a captured frame does not paint them.

use crate::tr;
use crate::ui::kit::meter;
use crate::ui::kit::tokens::alpha;
use crate::ui::{AppRequest, ClipProgress, UiContext, UiState};
use egui::{Area, Context, Event, Id, Key, Modifiers, Order, Pos2, Rect, Sense, Ui};

/// Returns the pixels of the viewport in the last frame: left, top, width and height.
pub(super) fn viewport_pixels(state: &UiState, pixels_per_point: f32) -> [u32; 4] {
    pixel_area(state.viewport_rect.unwrap_or(Rect::ZERO), pixels_per_point)
}

/// Returns the pixels that are completely inside a rectangle in points: left, top, width and height.
fn pixel_area(rect: Rect, pixels_per_point: f32) -> [u32; 4] {
    // The tolerance covers rounding errors of the scale factor.
    let scaled = (rect * pixels_per_point).expand(0.01);
    let (low, high) = (scaled.min.max(Pos2::ZERO).ceil(), scaled.max.floor());
    // A cast of a negative number is 0.
    [low.x, low.y, high.x - low.x, high.y - low.y].map(|pixels| pixels as u32)
}

/// Removes everything that floats over the window from the frame: dialogs, menus, messages and tooltips.
pub(super) fn hide_floating_layers(ctx: &Context) {
    let layers: Vec<_> = ctx.memory(|memory| memory.layer_ids().collect());
    ctx.graphics_mut(|graphics| {
        for layer in layers.into_iter().filter(|layer| layer.order != Order::Background) {
            if let Some(shapes) = graphics.get_mut(layer) {
                *shapes = egui::layers::PaintList::default();
            }
        }
    });
}

/// Removes the keys of a frame while a clip is recorded, because they would change the clip. Esc cancels the recording.
pub(super) fn take_keys(ctx: &Context, cx: &mut UiContext<'_>) {
    if ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.request(AppRequest::CancelClip);
    }
    ctx.input_mut(|i| {
        i.events.retain(|event| {
            !matches!(event, Event::Key { .. } | Event::Text(_) | Event::Copy | Event::Cut | Event::Paste(_))
        });
    });
}

/// Keeps the pointer from everything in `rect` while a clip is recorded.
pub(super) fn block_pointer(ctx: &Context, rect: Rect) {
    let area = Area::new(Id::unique("recording")).order(Order::Foreground).fixed_pos(rect.min).constrain(false);
    area.show(ctx, |ui| ui.allocate_exact_size(rect.size(), Sense::CLICK | Sense::DRAG));
}

/// Fades everything in `whole` except the viewport while a clip is recorded, so that it looks locked.
pub(super) fn fade_panels(ui: &Ui, whole: Rect, cx: &UiContext<'_>) {
    let Some(viewport) = cx.state.viewport_rect else { return };
    let color = cx.theme.color.panel.gamma_multiply(alpha::LOCKED);
    let (above, rest) = whole.split_top_bottom_at_y(viewport.top());
    let (beside, below) = rest.split_top_bottom_at_y(viewport.bottom());
    let (left, _) = beside.split_left_right_at_x(viewport.left());
    let (_, right) = beside.split_left_right_at_x(viewport.right());
    for rect in [above, left, right, below] {
        ui.painter().rect_filled(rect, 0.0, color);
    }
}

/// Draws the progress of a clip in the status line.
pub(super) fn progress_ui(ui: &mut Ui, cx: &mut UiContext<'_>, clip: ClipProgress<'_>) {
    let (text, share) = match clip {
        ClipProgress::Recording { captured, count } => {
            let (n, all) = (captured.to_string(), count.to_string());
            (tr!(cx, "Recording frame {n} of {all}, Esc cancels", n, all), captured as f32 / count.max(1) as f32)
        }
        ClipProgress::Writing { name, share } => (tr!(cx, "Writing {name}", name), share),
    };
    if meter::progress_bar(ui, &text, Some(share), true) {
        cx.request(AppRequest::CancelClip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn an_area_has_only_whole_pixels() {
        let rect = Rect::from_min_max(pos2(10.0, 20.5), pos2(110.0, 70.5));
        assert_eq!(pixel_area(rect, 1.0), [10, 21, 100, 49]);
        assert_eq!(pixel_area(rect, 2.0), [20, 41, 200, 100]);
        assert_eq!(pixel_area(rect, 1.5), [15, 31, 150, 74]);
        assert_eq!(pixel_area(Rect::ZERO, 1.0), [0, 0, 0, 0]);
    }
}
