//! The line at the bottom: what the mouse does here and now, and how the simulation runs. The strip under the top bar: the
//! project's file, the character's file, or a table that was read or written, changed on disk.

use crate::schema::{self, Scope, Unit};
use crate::session::Manner;
use crate::ui::kit::frame::{Tone, message_strip};
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::number::brief;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, OnDisk, Request};
use egui::{Color32, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2};

/// Below this width the time per step is left out, points.
const ROOMY: f32 = 1300.0;

/// Draws the line.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let whole = ui.max_rect();
    let roomy = ui.ctx().content_rect().width() >= ROOMY;
    let inner = whole.shrink2(egui::vec2(space::L, 0.0));
    let left_edge = facts_ui(ui, cx, inner, roomy);
    hint_ui(ui, cx, inner.with_max_x(left_edge - space::XXL));
}

/// At the right; returns where it begins.
fn facts_ui(ui: &mut Ui, cx: &Cx<'_>, place: Rect, roomy: bool) -> f32 {
    let c = cx.theme.color;
    let put = |ui: &Ui, right: f32, name: &'static str, words: String, color: Color32| {
        let galley = paint::elided(ui, &words, Text::Small, color, place.width() / 2.0);
        let at = pos2(right - galley.size().x, place.center().y);
        let rect = paint::galley_left(ui.painter(), at, galley);
        let response = ui.interact(rect, ui.scope_id().with(name), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        rect.left() - space::XL
    };
    let mut left = put(ui, place.right(), "rate", rate(cx), c.text);
    let pace = cx.session().inspection().pace();
    if (pace - 1.0).abs() > 5e-3 {
        let fps = cx.session().playback().settings().players_rate.to_string();
        left = put(ui, left, "pace", cx.tr_with("status.pace", &[("fps", &fps), ("n", &brief(pace))]), c.warning);
        // Never colour alone.
        left -= size::ICON;
        paint_icon(
            ui.painter(),
            pos2(left + space::XL + 5.0, place.center().y),
            icons::WARNING,
            size::ICON_TINY,
            c.warning,
        );
    }
    if roomy {
        let ms = format!("{:.2}", cx.input.step_seconds * 1000.0);
        left = put(ui, left, "cost", cx.tr_with("status.cost", &[("ms", &ms)]), c.text_2);
    }
    let joints = cx.session().document().joint_count();
    put(ui, left, "joints", cx.theme.count("status.joints", joints), c.text_2)
}

/// "60 steps/s, as Unity does it".
fn rate(cx: &Cx<'_>) -> String {
    let system = cx.session().inspection().system();
    let row = schema::rows(system.table()).find(|(_, d)| d.scope == Scope::System && d.unit == Unit::PerSecond);
    let rate = row.map_or(0.0, |(row, _)| system.get(row));
    let steps = if rate >= 1.0 {
        cx.tr_with("status.rate", &[("n", &format!("{rate:.0}"))])
    } else {
        cx.tr("status.rate_of_frames").into_owned()
    };
    let way = cx.tr(match cx.session().inspection().manner() {
        Manner::AsUnity => "status.as_unity",
        Manner::Improved => "status.improved",
        Manner::AsSpecified => "status.as_specified",
        Manner::AsUniVrm => "status.as_univrm",
        Manner::AsThreeVrm => "status.as_three_vrm",
        Manner::AsUnreal => "status.as_unreal",
        Manner::AsDocumented => "status.as_documented",
    });
    cx.tr_with("status.way", &[("rate", &steps), ("way", &way)])
}

/// Keys stand out from what they do.
fn hint_ui(ui: &mut Ui, cx: &Cx<'_>, place: Rect) {
    let c = cx.theme.color;
    let usual = || {
        use crate::ui::deeds::Deed;
        let deeds = [Deed::PlayPause, Deed::Frame, Deed::Find, Deed::Shortcuts];
        deeds.map(|d| (d.key(ui.ctx()), cx.tr(d.words()).trim_end_matches('…').to_owned())).to_vec()
    };
    let pairs = if cx.state.hint.is_empty() { usual() } else { cx.state.hint.clone() };
    let mut words: Vec<(&str, Text, Color32)> = Vec::new();
    for (i, (key, what)) in pairs.iter().enumerate() {
        let gap = if i > 0 { "    " } else { "" };
        words.extend([(gap, Text::Small, c.text_2), (key.as_str(), Text::Tiny, c.text), ("  ", Text::Small, c.text_2)]);
        words.push((what.as_str(), Text::Small, c.text_2));
    }
    let galley = paint::line_of(ui, &words, place.width());
    let rect = paint::galley_left(ui.painter(), place.left_center(), galley);
    let said: Vec<String> = pairs.iter().map(|(key, what)| format!("{key} {what}")).collect();
    let response = ui.interact(rect, ui.scope_id().with("hint"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, said.join(", ")));
}

/// Height, points.
pub const STRIP: f32 = 28.0;

/// Whether there is something to say.
pub fn strip_is_wanted(cx: &Cx<'_>) -> bool {
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
pub fn show_strip(ui: &mut Ui, cx: &mut Cx<'_>) {
    let whole = ui.max_rect();
    let cut = whole.right() - size::HIT_MIN - 8.0;
    let News { name, sentence, action, yes, no } = news(cx);
    let sentence = cx.tr_with(sentence, &[("name", name)]);
    let action = cx.tr(action);
    let mut left = ui.new_child(UiBuilder::new().max_rect(whole.with_max_x(cut)));
    if message_strip(&mut left, Tone::Warning, &sentence, Some(&action)) {
        cx.request(yes);
    }
    let place = Rect::from_min_max(pos2(cut + 2.0, whole.top() + space::XXS), whole.max);
    let mut right = ui.new_child(UiBuilder::new().max_rect(place));
    let name = cx.tr("common.dismiss");
    if IconButton::new(icons::X, &name).tiny().show(&mut right).clicked() {
        cx.request(no);
    }
}
