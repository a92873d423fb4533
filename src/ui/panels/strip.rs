//! The strip under the top bar: the project's file, the character's file, or a table that was read or written, changed
//! on disk.

use crate::ui::kit::frame::{Tone, message_strip};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::tokens::size;
use crate::ui::{Cx, OnDisk, Request};
use egui::{Rect, Ui, UiBuilder, pos2};

/// Height, points.
pub const HEIGHT: f32 = 28.0;

/// Whether there is something to say.
pub fn is_wanted(cx: &Cx<'_>) -> bool {
    let file = cx.input.file;
    file.project_on_disk != OnDisk::Same || file.changed_on_disk || file.changed_table.is_some()
}

/// One thing to say about a file.
struct News<'a> {
    name: &'a str,
    /// Key of the sentence.
    sentence: &'static str,
    /// Key of the button.
    action: &'static str,
    /// What the button asks for.
    yes: Request,
    /// What the cross asks for.
    no: Request,
}

/// The project first, since saving it would replace work, then the character.
fn news<'a>(cx: &Cx<'a>) -> News<'a> {
    let file = cx.input.file;
    let project = |sentence, action, yes| News {
        name: file.project.unwrap_or(file.name),
        sentence,
        action,
        yes,
        no: Request::IgnoreProjectChange,
    };
    match (file.project_on_disk, file.changed_table) {
        (OnDisk::Gone, _) => project("strip.gone", "strip.save_again", Request::Save),
        (OnDisk::Changed, _) if file.dirty => project("strip.changed_both", "strip.resolve", Request::ResolveProject),
        (OnDisk::Changed, _) => project("strip.changed", "strip.reload", Request::ReloadProject),
        (OnDisk::Same, Some(name)) if !file.changed_on_disk => News {
            name,
            sentence: "strip.changed",
            action: "strip.import",
            yes: Request::ImportAgain,
            no: Request::IgnoreTable,
        },
        (OnDisk::Same, _) => News {
            name: file.name,
            sentence: "strip.changed",
            action: "strip.reload",
            yes: Request::Reload,
            no: Request::IgnoreChange,
        },
    }
}

/// Draws it.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let whole = ui.max_rect();
    let cut = whole.right() - size::HIT_MIN - 8.0;
    let News { name, sentence, action, yes, no } = news(cx);
    let sentence = cx.tr_with(sentence, &[("name", name)]);
    let action = cx.tr(action);
    let mut left = ui.new_child(UiBuilder::new().max_rect(whole.with_max_x(cut)));
    if message_strip(&mut left, Tone::Warning, &sentence, Some(&action)) {
        cx.request(yes);
    }
    let place = Rect::from_min_max(pos2(cut + 2.0, whole.top() + 2.0), whole.max);
    let mut right = ui.new_child(UiBuilder::new().max_rect(place));
    let name = cx.tr("common.dismiss");
    if (IconButton { icon_size: 13.0, ..IconButton::new(icons::X, &name) }).show(&mut right).clicked() {
        cx.request(no);
    }
}
