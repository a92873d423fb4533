//! The seven menus, and the chain menu that the outliner shows as a context menu too.

mod chain;
mod item;
mod setup;

pub use chain::{bone_menu, parts_ui};
pub use item::{Item, item, line};
pub use setup::context_ui;

use super::steps;
use crate::ui::deeds::Deed;
use crate::ui::kit::icons::{self, Icon};
use crate::ui::kit::theme::{Mode, Text};
use crate::ui::kit::words::Lang;
use crate::ui::{Cx, DrawerTab, OutlinerTab, Request, Window};
use egui::containers::menu::{MenuBar, MenuButton, MenuConfig};
use egui::{PopupCloseBehavior, Ui, vec2};

/// Draws the menu bar; returns where it ends at the right.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) -> f32 {
    type Contents = fn(&mut Ui, &mut Cx<'_>);
    let menus: [(&str, Contents, bool); 7] = [
        ("menu.file", file_ui, false),
        ("menu.edit", edit_ui, false),
        ("menu.chain", chain::menu_ui, false),
        ("menu.setup", setup::menu_ui, false),
        ("menu.view", view_ui, true),
        ("menu.window", window_ui, true),
        ("menu.help", help_ui, false),
    ];
    let bar = MenuBar::new().style(|style: &mut egui::Style| {
        egui::containers::menu::menu_style(style);
        style.spacing.button_padding = vec2(8.0, 3.0);
        style.spacing.item_spacing.x = 0.0;
    });
    bar.ui(ui, |ui| {
        let mut right = ui.cursor().left();
        for (key, contents, stays) in menus {
            let words = Text::Body.rich(cx.tr(key)).color(cx.theme.color.text);
            // Switches are tried one after another: their menus stay open.
            let close = if stays { PopupCloseBehavior::CloseOnClickOutside } else { PopupCloseBehavior::CloseOnClick };
            let config = MenuConfig::new().close_behavior(close);
            let (response, _) = MenuButton::new(words).config(config).ui(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                contents(ui, cx);
            });
            right = response.rect.right();
        }
        right
    })
    .inner
}

/// A line that does a deed.
pub fn deed_ui(ui: &mut Ui, cx: &mut Cx<'_>, deed: Deed, icon: Option<Icon>) {
    let words = cx.tr(deed.words());
    deed_with_words_ui(ui, cx, deed, icon, &words);
}

fn deed_with_words_ui(ui: &mut Ui, cx: &mut Cx<'_>, deed: Deed, icon: Option<Icon>, words: &str) {
    let key = deed.key(ui.ctx());
    let mut line = item(words).key(&key).enabled(deed.is_possible(cx));
    if let Some(icon) = icon {
        line = line.icon(icon);
    }
    let mut response = line.show(ui);
    if let Some(hint) = deed.hint(cx) {
        response = response.on_hover_text(hint);
    }
    if response.clicked() {
        deed.run(cx);
        ui.close();
    }
}

fn request_ui(ui: &mut Ui, cx: &mut Cx<'_>, key: &str, icon: Option<Icon>, request: Request) {
    let words = cx.tr(key);
    let mut line = item(&words);
    if let Some(icon) = icon {
        line = line.icon(icon);
    }
    if line.show(ui).clicked() {
        cx.request(request);
        ui.close();
    }
}

fn file_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::Open, Some(icons::FOLDER_OPEN));
    let recent = cx.tr("menu.recent");
    let any = !cx.input.file.recent.is_empty();
    item(&recent).icon(icons::CLOCK_COUNTER_CLOCKWISE).enabled(any).menu(ui, |ui| recent_ui(ui, cx));
    let words = cx.tr("menu.type_path");
    if item(&words).icon(icons::KEYBOARD).show(ui).clicked() {
        cx.state.open.push(Window::TypePath);
    }
    request_ui(ui, cx, "menu.sample", Some(icons::PERSON_SIMPLE), Request::OpenSample);
    deed_ui(ui, cx, Deed::Reload, Some(icons::ARROW_CLOCKWISE));
    request_ui(ui, cx, "menu.load_motion", Some(icons::FILM_STRIP), Request::LoadMotionDialog);
    line(ui);
    deed_ui(ui, cx, Deed::Import, Some(icons::DOWNLOAD_SIMPLE));
    deed_ui(ui, cx, Deed::Export, Some(icons::UPLOAD_SIMPLE));
    line(ui);
    deed_ui(ui, cx, Deed::Save, Some(icons::FLOPPY_DISK));
    deed_ui(ui, cx, Deed::SaveAs, None);
    deed_ui(ui, cx, Deed::SaveCharacter, None);
    line(ui);
    deed_ui(ui, cx, Deed::Quit, None);
}

fn recent_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    for path in cx.input.file.recent {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let response = item(&name).show(ui).on_hover_text(path.to_string_lossy());
        if response.clicked() {
            cx.request(Request::OpenPath(path.clone()));
        }
    }
    line(ui);
    request_ui(ui, cx, "menu.forget_recent", None, Request::ForgetRecent);
}

fn edit_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let history = cx.session().history();
    let named = |key: &str, label: Option<&crate::doc::Label>, bare: Deed| match label {
        Some(label) => cx.tr_with(key, &[("what", &steps::words_of(&cx.theme, label))]),
        None => cx.tr(bare.words()).into_owned(),
    };
    let undo = named("undo.next", history.next_undo(), Deed::Undo);
    let redo = named("undo.next_redo", history.next_redo(), Deed::Redo);
    deed_with_words_ui(ui, cx, Deed::Undo, Some(icons::ARROW_U_UP_LEFT), &undo);
    deed_with_words_ui(ui, cx, Deed::Redo, Some(icons::ARROW_U_UP_RIGHT), &redo);
    line(ui);
    deed_ui(ui, cx, Deed::Find, Some(icons::MAGNIFYING_GLASS));
    deed_ui(ui, cx, Deed::SelectAll, Some(icons::SELECTION_ALL));
    deed_ui(ui, cx, Deed::SelectChildren, Some(icons::TREE_STRUCTURE));
    deed_ui(ui, cx, Deed::Deselect, None);
}

fn view_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let words = [
        "bones",
        "radii",
        "colliders",
        "limits",
        "lengths",
        "handles",
        "names",
        "only_selected",
        "only_colliders",
        "legend",
    ];
    for (i, name) in words.iter().enumerate() {
        let words = cx.tr(&format!("view.{name}"));
        let t = &mut cx.state.prefs.toggles;
        let flags = [
            &mut t.bones,
            &mut t.radii,
            &mut t.colliders,
            &mut t.limits,
            &mut t.lengths,
            &mut t.handles,
            &mut t.names,
            &mut t.only_selected,
            &mut t.only_colliders,
            &mut t.legend,
        ];
        let flag = flags.into_iter().nth(i).expect("as many flags as words");
        if item(&words).tick(*flag).show(ui).clicked() {
            *flag = !*flag;
        }
    }
    let (words, key) = (cx.tr(Deed::HideOverlays.words()), Deed::HideOverlays.key(ui.ctx()));
    if item(&words).key(&key).tick(cx.state.overlays_hidden).show(ui).clicked() {
        Deed::HideOverlays.run(cx);
    }
    line(ui);
    deed_ui(ui, cx, Deed::Front, Some(icons::CAMERA));
    deed_ui(ui, cx, Deed::Side, None);
    deed_ui(ui, cx, Deed::Back, None);
    deed_ui(ui, cx, Deed::Top, None);
    deed_ui(ui, cx, Deed::Frame, Some(icons::CORNERS_OUT));
    line(ui);
    for (mode, key) in [(Mode::Dark, "view.dark"), (Mode::Light, "view.light")] {
        let words = cx.tr(key);
        if item(&words).tick(cx.state.prefs.mode == mode).show(ui).clicked() {
            cx.state.prefs.mode = mode;
        }
    }
    let language = cx.tr("view.language");
    item(&language).icon(icons::GLOBE).menu(ui, |ui| languages_ui(ui, cx));
    let words = cx.tr("view.reduce_motion");
    if item(&words).tick(cx.state.prefs.reduce_motion).show(ui).clicked() {
        cx.state.prefs.reduce_motion = !cx.state.prefs.reduce_motion;
    }
}

/// The languages, each in itself.
pub fn languages_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    for lang in Lang::ALL {
        if item(lang.name()).tick(cx.state.prefs.lang == lang).show(ui).clicked() {
            cx.state.prefs.lang = lang;
            ui.close();
        }
    }
}

fn window_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    for (tab, key) in OutlinerTab::ALL {
        let words = cx.tr(key);
        if item(&words).tick(cx.state.outliner_tab == tab).show(ui).clicked() {
            cx.state.outliner_tab = tab;
        }
    }
    line(ui);
    for (tab, deed) in
        [(DrawerTab::Curves, Deed::Curves), (DrawerTab::Presets, Deed::Presets), (DrawerTab::Messages, Deed::Messages)]
    {
        let (words, key) = (cx.tr(deed.words()), deed.key(ui.ctx()));
        if item(&words).key(&key).tick(cx.state.drawer == Some(tab)).show(ui).clicked() {
            deed.run(cx);
        }
    }
}

fn help_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::Shortcuts, Some(icons::KEYBOARD));
    let words = cx.tr("menu.hints");
    if item(&words).icon(icons::CHAT_TEXT).show(ui).on_hover_text(cx.tr("menu.hints_tip")).clicked() {
        cx.state.prefs.hints_done = [false; 3];
        cx.state.hints_from = Some(cx.session().history().current());
        if !cx.input.file.is_sample {
            cx.request(Request::OpenSample);
        }
        ui.close();
    }
    let words = cx.tr("menu.about");
    if item(&words).icon(icons::INFO).show(ui).clicked() {
        cx.state.open.push(Window::About);
    }
}
