//! What moves the character: the menu of motions.

use crate::session::{Command, Motion};
use crate::stage::TestMotion;
use crate::ui::UiContext;
use crate::ui::kit::button::FlatButton;
use crate::ui::kit::icons::{self, Icon, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::param_bar::{BarChange, ParamBar};
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space};
use egui::{Align2, Color32, Popup, PopupCloseBehavior, RectAlign, Response, Sense, Ui, WidgetInfo, pos2, vec2};

const WIDTH: f32 = 232.0;

/// The button that names the motion and opens the menu.
pub(super) fn button_ui(ui: &mut Ui, cx: &mut UiContext<'_>, with_words: bool) {
    let motion = cx.session().playback().settings().motion;
    let words = motion_name(motion, cx);
    let name = cx.tr_with("viewport.motion.button", &[("name", &words)]);
    let words = paint::elided(ui, &words, TextSize::Body, cx.theme.color.text, 110.0).text().to_owned();
    let shown = if with_words { format!("{words}     ") } else { String::new() };
    let (response, _) = FlatButton { name: &name, label: &shown, on: false, icon: Some(motion_icon(motion)) }.show(ui);
    let caret = pos2(response.rect.right() - space::L, response.rect.center().y);
    if with_words {
        icons::paint_icon(ui.painter(), caret, icons::CARET_DOWN, 12.0, cx.theme.color.text_2);
    }
    let menu = Popup::menu(&response)
        .align(RectAlign::TOP_START)
        .gap(10.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| menu_ui(ui, cx));
}

fn menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.set_width(WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    let character = std::sync::Arc::clone(cx.session().character());
    let most = (ui.ctx().content_rect().height() * 0.55).max(160.0);
    // Without a least height the list would grow over several frames, and the menu above its button would jump.
    egui::ScrollArea::vertical().max_height(most).min_scrolled_height(most).show(ui, |ui| {
        item_ui(ui, cx, Motion::Still);
        for motion in TestMotion::ALL.into_iter().filter(|m| m.supports_character(&character)) {
            item_ui(ui, cx, Motion::Test(motion));
        }
        if !character.clips.is_empty() {
            heading_ui(ui, cx, "viewport.motion.clips");
            (0..character.clips.len()).for_each(|clip| item_ui(ui, cx, Motion::Clip(clip)));
        }
        let gestures: Vec<_> = cx.session().document().gestures.keys().copied().collect();
        if !gestures.is_empty() {
            heading_ui(ui, cx, "viewport.motion.gestures");
        }
        for id in gestures {
            item_ui(ui, cx, Motion::Gesture(id));
        }
    });
    ui.add_space(3.0);
    ui.separator();
    ui.add_space(3.0);
    let play = cx.session().playback();
    let (amplitude, pace) = (play.settings().amplitude, play.settings().motion_speed);
    let tests = matches!(play.settings().motion, Motion::Test(_));
    if let Some(amplitude) = slider_ui(ui, cx, "viewport.motion.amplitude", amplitude, (0.0, 2.0), tests) {
        cx.command(Command::SetMotionAmplitude(amplitude));
    }
    let moves = cx.session().playback().settings().motion != Motion::Still;
    if let Some(pace) = slider_ui(ui, cx, "viewport.motion.pace", pace, (0.1, 4.0), moves) {
        cx.command(Command::SetMotionSpeed(pace));
    }
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, key: &str) {
    ui.add_space(space::XS);
    ui.label(TextSize::Small.rich(cx.tr(key)).color(cx.theme.color.text_3));
}

fn item_ui(ui: &mut Ui, cx: &mut UiContext<'_>, motion: Motion) {
    let chosen = cx.session().playback().settings().motion == motion;
    let name = motion_name(motion, cx);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::XXS;
        let remove = if let Motion::Gesture(id) = motion { Some(id) } else { None };
        let width = if remove.is_some() { WIDTH - size::HIT_MIN - 2.0 } else { WIDTH };
        if row_ui(ui, (motion_icon(motion), &name), chosen, width).clicked() {
            cx.command(Command::SetMotion(motion));
            ui.close();
        }
        if let Some(id) = remove {
            let words = cx.tr_with("viewport.motion.remove", &[("name", &name)]);
            if IconButton::new(icons::TRASH, &words).show(ui).clicked() {
                if chosen {
                    cx.command(Command::SetMotion(Motion::Still));
                }
                cx.command(Command::DeleteGesture(id));
            }
        }
    });
}

fn row_ui(ui: &mut Ui, (icon, name): (Icon, &str), chosen: bool, width: f32) -> Response {
    let (response, ink) = menu_row(ui, name, chosen, width);
    let left = response.rect.left_center();
    icons::paint_icon(ui.painter(), left + vec2(14.0, 0.0), icon, 15.0, ink);
    let words = paint::elided(ui, name, TextSize::Body, ink, width - 36.0);
    paint::paint_galley_left(ui.painter(), left + vec2(28.0, 0.0), words);
    response
}

/// One of several choices in a menu, to be painted by its caller; also returns the colour of its words.
pub(super) fn menu_row(ui: &mut Ui, name: &str, chosen: bool, width: f32) -> (Response, Color32) {
    let c = Theme::of(ui).color;
    let (place, response) = ui.allocate_exact_size(vec2(width, size::ROW), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::MenuItemRadio, true, chosen, name));
    let (fill, ink) = match (chosen, response.hovered()) {
        (true, _) => (c.selection, c.selection_text),
        (false, true) => (c.hover, c.text),
        (false, false) => (Color32::TRANSPARENT, c.text),
    };
    ui.painter().rect_filled(place, radius::FIELD, fill);
    icons::focus_ring(ui, &response, place, radius::FIELD);
    (response, ink)
}

fn slider_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    value: f32,
    (low, high): (f32, f32),
    has_effect: bool,
) -> Option<f32> {
    let name = cx.tr(key);
    let mut set = None;
    ui.horizontal(|ui| {
        let (place, _) = ui.allocate_exact_size(vec2(76.0, size::ROW), Sense::hover());
        let color = if has_effect { cx.theme.color.text } else { cx.theme.color.text_3 };
        paint::text(ui.painter(), place.left_center(), Align2::LEFT_CENTER, &name, TextSize::Body, color);
        let format = NumberFormat::with_suffix(" ×", 2);
        let bar = ParamBar { format, has_effect, ..ParamBar::new(&name, value, Span::linear(low, high)) };
        for change in bar.show(ui, WIDTH - 76.0 - 10.0).changes {
            if let BarChange::Set(value) = change {
                set = Some(value);
            }
        }
    });
    set
}

fn motion_icon(motion: Motion) -> Icon {
    match motion {
        Motion::Still => icons::PERSON_SIMPLE,
        Motion::Test(_) => icons::PERSON_SIMPLE_WALK,
        Motion::Clip(_) => icons::FILM_STRIP,
        Motion::Gesture(_) => icons::HAND,
    }
}

/// What the motion is called.
pub(crate) fn motion_name(motion: Motion, cx: &UiContext<'_>) -> String {
    match motion {
        Motion::Still => cx.tr("viewport.motion.still").into_owned(),
        Motion::Test(motion) => cx.tr(&format!("inspector.motion.{}", motion.name())).into_owned(),
        Motion::Clip(clip) => {
            let name = cx.session().character().clips.get(clip).map(|c| c.name.clone()).unwrap_or_default();
            let number = (clip + 1).to_string();
            if name.is_empty() { cx.tr_with("viewport.motion.clip", &[("n", &number)]) } else { name }
        }
        Motion::Gesture(id) => {
            let number = id.0.to_string();
            let gesture = cx.session().document().gestures.get(&id);
            let own = gesture.map(|g| g.name.clone()).filter(|name| *name != format!("Gesture {number}"));
            own.unwrap_or_else(|| cx.tr_with("viewport.motion.gesture", &[("n", &number)]))
        }
    }
}
