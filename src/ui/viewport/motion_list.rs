//! The list of motions: the button in the transport, and its popup with search, groups and settings.

use crate::tr;
use crate::ui::kit::button::FlatButton;
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring, paint_icon};
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::param_bar::{BarChange, ParamBar};
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, paint, toggle};
use crate::ui::motion_order::{GROUPS, motions_of, remember_motion, whole_motion};
use crate::ui::{AppRequest, DialogKind, IS_PAGE, UiContext};
use egui::{Align2, Color32, Popup, PopupCloseBehavior, RectAlign, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use std::path::Path;
use yuremono_session::{ClipRange, Command, Motion, Session};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::TestMotion;

const MENU_WIDTH: f32 = 264.0;
/// Width of the label of a setting, in points.
const LABEL_WIDTH: f32 = 112.0;
/// Share of the window's height that the list takes at most.
const MAX_HEIGHT_SHARE: f32 = 0.45;
/// Smallest height of the list in a low window, in points.
const MIN_LIST_HEIGHT: f32 = 160.0;

pub(super) fn motion_button_ui(ui: &mut Ui, cx: &mut UiContext<'_>, with_label: bool) {
    let motion = cx.playback().settings().motion;
    let label = motion_name(cx.theme.lang, motion, cx.session());
    let name = tr!(cx, "Motion: {name}", name = &label);
    let label = paint::elided(ui, &label, TextSize::Body, cx.theme.color.text, 110.0).text().to_owned();
    let shown = if with_label { format!("{label}     ") } else { String::new() };
    let (response, _) = FlatButton { name: &name, label: &shown, on: false, icon: Some(motion_icon(motion)) }.show(ui);
    let caret = pos2(response.rect.right() - space::L, response.rect.center().y);
    if with_label {
        paint_icon(ui.painter(), caret, icons::CARET_DOWN, 12.0, cx.theme.color.text_2);
    }
    let menu = Popup::menu(&response)
        .align(RectAlign::TOP_START)
        .gap(10.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    if menu.show(|ui| menu_ui(ui, cx)).is_none() {
        cx.state.motion_search.clear();
    }
}

fn menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.set_width(MENU_WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    let mut search = std::mem::take(&mut cx.state.motion_search);
    search_field(ui, &mut search, &tr!(cx, "Search motions"), MENU_WIDTH);
    ui.add_space(space::XS);
    let most = (ui.ctx().content_rect().height() * MAX_HEIGHT_SHARE).max(MIN_LIST_HEIGHT);
    // Without a minimum height, the list would grow over several frames, and the menu above the button would jump.
    egui::ScrollArea::vertical().max_height(most).min_scrolled_height(most).show(ui, |ui| {
        ui.set_width(MENU_WIDTH);
        if !list_ui(ui, cx, &search.to_lowercase()) {
            let nothing = tr!(cx, "No motion is called “{text}”", text = &search);
            ui.label(TextSize::Small.rich(nothing).color(cx.theme.color.text_3));
        }
    });
    cx.state.motion_search = search;
    separator_ui(ui);
    let hint = tr!(
        cx,
        "Plays a .vrma, .bvh, .vmd, .glb, .gltf or .fbx on this character. You can also drop the file onto the window."
    );
    let row = motion_row_ui(ui, icons::PLUS, &tr!(cx, "Add motion…"), false, MENU_WIDTH);
    if row.on_hover_text(hint).clicked() {
        cx.request(AppRequest::LoadMotionDialog);
        ui.close();
    }
    if !IS_PAGE {
        let hint = tr!(cx, "The character moves as in a motion capture application.");
        let row = motion_row_ui(ui, icons::PERSON_ARMS_SPREAD, &tr!(cx, "Live motion (VMC)…"), false, MENU_WIDTH);
        if row.on_hover_text(hint).clicked() {
            cx.state.dialogs_to_open.push(DialogKind::LiveMotion);
            ui.close();
        }
    }
    separator_ui(ui);
    settings_ui(ui, cx);
}

fn separator_ui(ui: &mut Ui) {
    ui.add_space(3.0);
    ui.separator();
    ui.add_space(3.0);
}

/// Draws the motions whose names contain `search`. Returns whether there are any.
fn list_ui(ui: &mut Ui, cx: &mut UiContext<'_>, search: &str) -> bool {
    let fits = |name: &str| name.to_lowercase().contains(search);
    let mut is_any = false;
    for (group, heading) in GROUPS {
        let named = |motion| (motion, motion_name(cx.theme.lang, motion, cx.session()));
        let mut motions: Vec<(Motion, String)> = motions_of(group, cx).into_iter().map(named).collect();
        motions.retain(|(_, name)| fits(name));
        if let Some(heading) = heading.filter(|_| !motions.is_empty()) {
            heading_ui(ui, cx, heading);
        }
        for (motion, name) in motions {
            is_any = true;
            motion_item_ui(ui, cx, motion, &name);
        }
    }
    let files = cx.input.file.folder_motions.iter().map(|path| (path, file_name(path)));
    let files: Vec<_> = files.filter(|(_, name)| fits(name)).collect();
    if !files.is_empty() {
        heading_ui(ui, cx, message!("Recent folder"));
    }
    for (path, name) in files {
        is_any = true;
        let row = motion_row_ui(ui, icons::FOLDER_OPEN, &name, false, MENU_WIDTH);
        if row.on_hover_text(path.to_string_lossy()).clicked() {
            cx.request(AppRequest::LoadMotion(path.clone()));
            ui.close();
        }
    }
    is_any
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn settings_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let settings = *cx.playback().settings();
    let tests = matches!(settings.motion, Motion::Test(_));
    let amplitude = settings.amplitude;
    if let Some(amplitude) =
        motion_slider_ui(ui, cx, message!("Amplitude{:motion}"), amplitude, Span::linear(0.0, 2.0), tests)
    {
        cx.command(Command::SetMotionAmplitude(amplitude));
    }
    let moves = settings.motion != Motion::Still;
    let pace = settings.motion_speed;
    if let Some(pace) = motion_slider_ui(ui, cx, message!("Motion speed"), pace, Span::linear(0.1, 4.0), moves) {
        cx.command(Command::SetMotionSpeed(pace));
    }
    let name = tr!(cx, "Loop");
    ui.horizontal(|ui| {
        label_ui(ui, cx, &name, moves);
        let switch = toggle::switch(ui, &name, settings.repeats)
            .on_hover_text(tr!(cx, "Off: the motion plays once and holds its last pose"));
        if switch.clicked() {
            cx.command(Command::SetRepeats(!settings.repeats));
        }
    });
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, text: MessageText) {
    ui.add_space(space::XS);
    ui.label(TextSize::Small.rich(cx.tr(text)).color(cx.theme.color.text_3));
}

fn motion_item_ui(ui: &mut Ui, cx: &mut UiContext<'_>, motion: Motion, name: &str) {
    let chosen = whole_motion(cx.playback().settings().motion) == motion;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::XXS;
        let remove = if let Motion::Gesture(id) = motion { Some(id) } else { None };
        let width = if remove.is_some() { MENU_WIDTH - size::HIT_MIN - 2.0 } else { MENU_WIDTH };
        if motion_row_ui(ui, motion_icon(motion), name, chosen, width).clicked() {
            remember_motion(cx, motion);
            cx.command(Command::SetMotion(motion));
            ui.close();
        }
        if let Some(id) = remove {
            let label = tr!(cx, "Delete {name}", name);
            if IconButton::new(icons::TRASH, &label).show(ui).clicked() {
                if chosen {
                    cx.command(Command::SetMotion(Motion::Still));
                }
                cx.command(Command::DeleteGesture(id));
            }
        }
    });
}

fn motion_row_ui(ui: &mut Ui, icon: Icon, name: &str, chosen: bool, width: f32) -> Response {
    let (response, color) = menu_row(ui, name, chosen, width);
    let left = response.rect.left_center();
    paint_icon(ui.painter(), left + vec2(14.0, 0.0), icon, 15.0, color);
    let galley = paint::elided(ui, name, TextSize::Body, color, width - 36.0);
    paint::paint_galley_left(ui.painter(), left + vec2(28.0, 0.0), galley);
    response
}

/// Draws a radio item of a menu. The caller paints the contents. Also returns the text colour.
pub(super) fn menu_row(ui: &mut Ui, name: &str, chosen: bool, width: f32) -> (Response, Color32) {
    let c = Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::ROW), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::MenuItemRadio, true, chosen, name));
    let (fill, color) = match (chosen, response.hovered()) {
        (true, _) => (c.selection, c.selection_text),
        (false, true) => (c.hover, c.text),
        (false, false) => (Color32::TRANSPARENT, c.text),
    };
    ui.painter().rect_filled(rect, radius::FIELD, fill);
    focus_ring(ui, &response, rect, radius::FIELD);
    (response, color)
}

fn label_ui(ui: &mut Ui, cx: &UiContext<'_>, name: &str, has_effect: bool) {
    let (rect, _) = ui.allocate_exact_size(vec2(LABEL_WIDTH, size::ROW), Sense::hover());
    let color = if has_effect { cx.theme.color.text } else { cx.theme.color.text_3 };
    paint::text(ui.painter(), rect.left_center(), Align2::LEFT_CENTER, name, TextSize::Body, color);
}

fn motion_slider_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    name: MessageText,
    value: f32,
    span: Span,
    has_effect: bool,
) -> Option<f32> {
    let name = cx.tr(name);
    let mut set = None;
    ui.horizontal(|ui| {
        label_ui(ui, cx, &name, has_effect);
        let format = NumberFormat::with_suffix(" ×", 2);
        let bar = ParamBar { format, has_effect, ..ParamBar::new(&name, value, span) };
        for change in bar.show(ui, MENU_WIDTH - LABEL_WIDTH - 10.0).changes {
            if let BarChange::Set(value) = change {
                set = Some(value);
            }
        }
    });
    set
}

fn motion_icon(motion: Motion) -> Icon {
    match motion {
        Motion::Still | Motion::Test(TestMotion::Idle) => icons::PERSON_SIMPLE,
        Motion::Test(_) => icons::PERSON_SIMPLE_WALK,
        Motion::Clip(_) | Motion::Range(_) => icons::FILM_STRIP,
        Motion::Gesture(_) => icons::HAND,
        Motion::Live => icons::PERSON_ARMS_SPREAD,
    }
}

pub(in crate::ui) const fn test_motion_text(motion: TestMotion) -> MessageText {
    match motion {
        TestMotion::Idle => message!("Idle"),
        TestMotion::Turn => message!("Turn"),
        TestMotion::Nod => message!("Nod"),
        TestMotion::Walk => message!("Walk"),
        TestMotion::RunAndStop => message!("Run and stop"),
        TestMotion::LegLift => message!("Leg lift"),
        TestMotion::Squat => message!("Squat"),
        TestMotion::Jump => message!("Jump"),
        TestMotion::Teleport => message!("Teleport"),
    }
}

/// Returns the name of a motion of a session.
pub fn motion_name(lang: i18n::Lang, motion: Motion, session: &Session) -> String {
    match motion {
        Motion::Still => tr!(lang, "Still").into_owned(),
        Motion::Live => tr!(lang, "Live").into_owned(),
        Motion::Test(motion) => lang.tr(test_motion_text(motion)).into_owned(),
        Motion::Clip(clip) | Motion::Range(ClipRange { clip, .. }) => {
            let name = session.character().clips.get(clip).map(|c| c.name.clone()).filter(|name| !name.is_empty());
            name.unwrap_or_else(|| tr!(lang, "Clip {n}", n = clip + 1).into_owned())
        }
        Motion::Gesture(id) => {
            let number = id.0;
            let gesture = session.document().gestures.get(&id);
            let given_name = gesture.map(|g| g.name.clone()).filter(|name| *name != format!("Gesture {number}"));
            given_name.unwrap_or_else(|| tr!(lang, "Gesture {n}", n = number).into_owned())
        }
    }
}
