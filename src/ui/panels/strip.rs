//! The strip under the top bar: the character's file, or a table that was read or written, changed on disk.

use crate::ui::icons::{self, IconButton};
use crate::ui::tokens::size;
use crate::ui::widgets::frame::{Tone, message_strip};
use crate::ui::{Cx, Request};
use egui::{Rect, Ui, UiBuilder, pos2};

/// Height, points.
pub const HEIGHT: f32 = 28.0;

/// Whether there is something to say.
pub fn is_wanted(cx: &Cx<'_>) -> bool {
    cx.input.file.changed_on_disk || cx.input.file.changed_table.is_some()
}

/// Draws it: the character first.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let whole = ui.max_rect();
    let cut = whole.right() - size::HIT_MIN - 8.0;
    let (name, deed, yes, no) = match cx.input.file.changed_table {
        Some(name) if !cx.input.file.changed_on_disk => {
            (name, "strip.import", Request::ImportAgain, Request::IgnoreTable)
        }
        _ => (cx.input.file.name, "strip.reload", Request::Reload, Request::IgnoreChange),
    };
    let sentence = cx.tr_with("strip.changed", &[("name", name)]);
    let reload = cx.tr(deed);
    let mut left = ui.new_child(UiBuilder::new().max_rect(whole.with_max_x(cut)));
    if message_strip(&mut left, Tone::Warning, &sentence, Some(&reload)) {
        cx.request(yes);
    }
    let place = Rect::from_min_max(pos2(cut + 2.0, whole.top() + 2.0), whole.max);
    let mut right = ui.new_child(UiBuilder::new().max_rect(place));
    let name = cx.tr("common.dismiss");
    if (IconButton { icon_size: 13.0, ..IconButton::new(icons::X, &name) }).show(&mut right).clicked() {
        cx.request(no);
    }
}
