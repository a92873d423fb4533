//! What a drop will do, while files are held over the window.

use crate::tr;
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{DropAction, DropEntry, UiContext};
use egui::{Align2, Context, Id, LayerId, Order, Painter, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use std::borrow::Cow;

/// Height of the line with the name of a file.
const NAME_HEIGHT: f32 = 18.0;
/// Height of an entry: the action and the name of the file.
const ENTRY_HEIGHT: f32 = 28.0 + NAME_HEIGHT;
/// Width of the icon with the space next to it.
const ICON_WIDTH: f32 = size::ICON_LARGE + space::L;
/// Range of the width of the card.
const CARD_WIDTH: [f32; 2] = [240.0, 480.0];

impl DropAction {
    const fn icon(self) -> Icon {
        match self {
            Self::OpenCharacter | Self::OpenUnityProject => icons::PERSON_SIMPLE,
            Self::OpenProject | Self::Open => icons::FOLDER_OPEN,
            Self::AddMotion => icons::PERSON_SIMPLE_WALK,
            Self::ImportTable => icons::FILE_CSV,
            Self::Ignore => icons::WARNING,
        }
    }

    fn text(self, cx: &UiContext<'_>, count: usize) -> Cow<'static, str> {
        match self {
            Self::OpenCharacter => tr!(cx, "Open character"),
            Self::OpenUnityProject => tr!(cx, "Open the model of a Unity project with its setup"),
            Self::OpenProject => tr!(cx, "Open project"),
            Self::AddMotion => {
                if count == 1 {
                    tr!(cx, "Add motion")
                } else {
                    tr!(cx, "Add {n:motion|motions}", n = count)
                }
            }
            Self::ImportTable => tr!(cx, "Import table"),
            Self::Open => tr!(cx, "Open files"),
            Self::Ignore => {
                if count == 1 {
                    tr!(cx, "Not opened")
                } else {
                    tr!(cx, "{n:file is|files are} not opened", n = count)
                }
            }
        }
    }
}

impl DropEntry {
    fn texts(&self, cx: &UiContext<'_>) -> [String; 2] {
        let names = match (self.action, self.count) {
            (DropAction::Open, _) => tr!(cx, "Character, project, motions, table or Unity package").into_owned(),
            (_, 1) => self.file_name.clone(),
            (_, count) => {
                tr!(cx, "{name} and {more} more", name = &self.file_name, more = &(count - 1).to_string()).into_owned()
            }
        };
        [self.action.text(cx, self.count).into_owned(), names]
    }

    fn paint(&self, painter: &Painter, cx: &UiContext<'_>, area: Rect) {
        let c = cx.theme.color;
        let is_ignored = self.action == DropAction::Ignore;
        let (icon_color, color) = if is_ignored { (c.warning, c.text_2) } else { (c.accent, c.text) };
        let [action, names] = self.texts(cx);
        let painter = painter.with_clip_rect(area);
        let icon = pos2(area.left() + size::ICON_LARGE / 2.0, area.center().y);
        paint_icon(&painter, icon, self.action.icon(), size::ICON_LARGE, icon_color);
        let left = area.left() + ICON_WIDTH;
        paint::text(&painter, pos2(left, area.top()), Align2::LEFT_TOP, &action, TextSize::Title, color);
        paint::text(&painter, pos2(left, area.bottom()), Align2::LEFT_BOTTOM, &names, TextSize::Small, c.text_2);
    }
}

/// Draws the overlay over the whole window. Draws nothing if no files are held over the window.
pub(super) fn show(ui: &Ui, cx: &UiContext<'_>) {
    let entries = cx.input.hovered_files;
    if entries.is_empty() {
        return;
    }
    let ctx: &Context = ui.ctx();
    // Tooltips of the window below stay behind the card.
    let painter = ctx.layer_painter(LayerId::new(Order::Debug, Id::unique("drop overlay")));
    let (c, window) = (cx.theme.color, ctx.content_rect());
    painter.rect_filled(window, 0.0, c.window.gamma_multiply(alpha::LOCKED));
    let edge = Stroke::new(stroke::FOCUS, c.accent);
    painter.rect_stroke(window.shrink(space::M), radius::WINDOW, edge, StrokeKind::Inside);
    let sizes = [TextSize::Title, TextSize::Small];
    let widths = entries.iter().flat_map(|entry| {
        entry.texts(cx).into_iter().zip(sizes).map(|(text, size)| paint::text_width(ui, &text, size))
    });
    let text_width = widths.fold(0.0, f32::max);
    let width = (text_width + ICON_WIDTH + 2.0 * space::XXL).clamp(CARD_WIDTH[0], CARD_WIDTH[1]);
    let gaps = (entries.len() - 1) as f32 * space::L;
    let height = entries.len() as f32 * ENTRY_HEIGHT + gaps + 2.0 * space::XL;
    let card = Rect::from_center_size(window.center(), vec2(width, height));
    painter.rect_filled(card, radius::WINDOW, c.popup);
    painter.rect_stroke(card, radius::WINDOW, Stroke::new(stroke::EDGE, c.border_strong), StrokeKind::Inside);
    let first =
        Rect::from_min_size(card.min + vec2(space::XXL, space::XL), vec2(width - 2.0 * space::XXL, ENTRY_HEIGHT));
    for (at, entry) in entries.iter().enumerate() {
        entry.paint(&painter, cx, first.translate(vec2(0.0, at as f32 * (ENTRY_HEIGHT + space::L))));
    }
}
