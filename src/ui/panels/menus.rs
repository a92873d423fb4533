//! The seven menus, and the chain menu that the outliner shows as a context menu too.

use super::labels;
use crate::document::{ChainId, Part};
use crate::rig::BoneId;
use crate::session::{Command, Scope};
use crate::ui::deeds::Deed;
use crate::ui::kit::icons::{self, Icon, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, Name};
use crate::ui::kit::theme::{Mode, Text, Theme};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::words::{self, Lang};
use crate::ui::setup::Tool;
use crate::ui::{Cx, DrawerTab, OutlinerTab, Request, Window};
use egui::containers::menu::{MenuBar, MenuButton, MenuConfig, SubMenu};
use egui::{Align2, Color32, PopupCloseBehavior, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Draws the menu bar; returns where it ends at the right.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) -> f32 {
    type Contents = fn(&mut Ui, &mut Cx<'_>);
    let menus: [(&str, Contents, bool); 7] = [
        ("menu.file", file_ui, false),
        ("menu.edit", edit_ui, false),
        ("menu.chain", chain_ui, false),
        ("menu.setup", setup_ui, false),
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
    let named = |key: &str, label: Option<&crate::document::Label>, bare: Deed| match label {
        Some(label) => cx.tr_with(key, &[("what", &labels::words_of(&cx.theme, label))]),
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
    let t = &mut cx.state.prefs.toggles;
    let flags = [
        ("bones", &mut t.bones),
        ("radii", &mut t.radii),
        ("colliders", &mut t.colliders),
        ("limits", &mut t.limits),
        ("lengths", &mut t.lengths),
        ("handles", &mut t.handles),
        ("names", &mut t.names),
        ("only_selected", &mut t.only_selected),
        ("only_colliders", &mut t.only_colliders),
        ("legend", &mut t.legend),
    ];
    for (name, flag) in flags {
        if item(&cx.theme.tr(&format!("view.{name}"))).tick(*flag).show(ui).clicked() {
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

const GUTTER: f32 = 28.0;
const WIDEST: f32 = 380.0;

/// A line to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    words: &'a str,
    key: &'a str,
    icon: Option<Icon>,
    tick: Option<bool>,
    enabled: bool,
    leads_on: bool,
}

/// A line of words.
pub fn item(words: &str) -> Item<'_> {
    Item { words, key: "", icon: None, tick: None, enabled: true, leads_on: false }
}

impl<'a> Item<'a> {
    setters! {
        /// With a key at the right.
        key(key: &'a str) => key = key;
        /// With an icon before the words.
        icon(icon: Icon) => icon = Some(icon);
        /// On or off.
        tick(on: bool) => tick = Some(on);
        /// Usable or not.
        enabled(enabled: bool) => enabled = enabled;
    }

    /// Adds it.
    pub fn show(self, ui: &mut Ui) -> Response {
        let theme = Theme::of(ui);
        let c = theme.color;
        let words = Name::new(ui, self.words, Text::Body, Color32::PLACEHOLDER, WIDEST);
        let key_width =
            if self.key.is_empty() { 0.0 } else { paint::width_of(ui, self.key, Text::Small) + space::XXXL };
        let caret_width = if self.leads_on { space::XXL } else { 0.0 };
        let wanted = vec2(GUTTER + words.width() + key_width + caret_width + space::L, size::ROW_TREE + 2.0);
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_at_least(wanted, sense);
        let role = if self.tick.is_some() { Role::MenuItemCheckBox } else { Role::MenuItem };
        response.widget_info(|| match self.tick {
            Some(on) => WidgetInfo::selected(role, self.enabled, on, self.words),
            None => WidgetInfo::labeled(role, self.enabled, self.words),
        });
        let lit = self.enabled && (response.hovered() || response.has_focus());
        if lit {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        let (ink, faint) = match (self.enabled, lit) {
            (false, _) => (c.text_off, c.text_off),
            (true, true) => (c.text, c.text_2),
            (true, false) => (c.text, c.text_3),
        };
        let gutter = pos2(rect.left() + GUTTER / 2.0, rect.center().y);
        match (self.tick, self.icon) {
            (Some(true), _) => paint_icon(ui.painter(), gutter, icons::CHECK, size::ICON, c.accent),
            (None, Some(icon)) => paint_icon(ui.painter(), gutter, icon, size::ICON, if lit { ink } else { faint }),
            _ => {}
        }
        words.paint_left_in(ui.painter(), pos2(rect.left() + GUTTER, rect.center().y), ink);
        let right = pos2(rect.right() - space::M, rect.center().y);
        if self.leads_on {
            paint_icon(ui.painter(), right - vec2(space::S, 0.0), icons::CARET_RIGHT, size::ICON_TINY, faint);
        } else {
            paint::text(ui.painter(), right, Align2::RIGHT_CENTER, self.key, Text::Small, faint);
        }
        focus_ring(ui, &response, rect.shrink(1.0), radius::FIELD);
        words.tip(response)
    }

    /// Adds it with a menu of its own.
    pub fn menu(mut self, ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
        self.leads_on = true;
        let response = self.show(ui);
        if self.enabled {
            SubMenu::new().show(ui, &response, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                contents(ui);
            });
        }
    }
}

/// The line between groups.
pub fn line(ui: &mut Ui) {
    let (rect, _) = ui.allocate_at_least(vec2(8.0, 9.0), Sense::hover());
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.center().y, Theme::of(ui).color.border);
}

/// The Setup menu.
fn setup_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    tools_ui(ui, cx, &[Tool::Mirror, Tool::BodyColliders]);
    line(ui);
    let words = cx.tr("setup.skirt");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, SKIRT));
    let words = cx.tr("setup.colliders");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, COLLIDERS));
    line(ui);
    copy_ui(ui, cx);
    line(ui);
    tools_ui(ui, cx, &[Tool::SelectByName, Tool::SetParent]);
    line(ui);
    deed_ui(ui, cx, Deed::TakeRest, None);
    line(ui);
    tools_ui(ui, cx, &[Tool::CleanUp, Tool::EngineSettings, Tool::DeleteSprings]);
}

const SKIRT: &[Tool] = &[Tool::LinkColumns, Tool::LinkLeg, Tool::LeadByLegs, Tool::LeadByHighLeg];
const COLLIDERS: &[Tool] =
    &[Tool::AssignColliders, Tool::UnassignColliders, Tool::AlignCapsules, Tool::DeleteColliders];

/// Copy, paste and paste special.
fn copy_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::CopyValues, Tool::Copy.icon());
    deed_ui(ui, cx, Deed::PasteValues, Tool::Paste.icon());
    tools_ui(ui, cx, &[Tool::PasteSpecial]);
}

/// What a context menu of bones and chains offers of it.
pub fn context_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    copy_ui(ui, cx);
    tools_ui(ui, cx, &[Tool::Mirror]);
    let words = cx.tr("setup.skirt");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, SKIRT));
    tools_ui(ui, cx, &[Tool::UnassignColliders, Tool::DeleteColliders, Tool::DeleteSprings]);
}

fn tools_ui(ui: &mut Ui, cx: &mut Cx<'_>, tools: &[Tool]) {
    for tool in tools {
        let words = tool.words(cx);
        let mut entry = item(&words).enabled(tool.is_possible(cx));
        if let Some(icon) = tool.icon() {
            entry = entry.icon(icon);
        }
        let tip = tool.why_not(cx).unwrap_or_else(|| cx.tr(&format!("setup.{}.tip", tool.key())).into_owned());
        let response = entry.show(ui).on_hover_text(tip);
        if response.clicked() {
            tool.run(cx);
            ui.close();
        }
    }
}

/// The Chain menu.
fn chain_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::Detect, Some(icons::SPARKLE));
    line(ui);
    let active = cx.session().selection().active;
    if let Some(bone) = active {
        bone_menu(ui, cx, bone);
    } else {
        let words = cx.tr("chain.select_first");
        item(&words).enabled(false).show(ui);
    }
}

/// What can be done to one bone and the chains of the selection.
pub fn bone_menu(ui: &mut Ui, cx: &mut Cx<'_>, bone: BoneId) {
    let joint = cx.session().document().joint_of(bone);
    let excluded = cx.session().document().excluded.contains(&bone);
    let is_root = joint.is_some_and(|(_, i)| i == 0);
    let words = cx.tr("chain.make");
    item(&words).icon(icons::PLUS).enabled(!is_root && !excluded).menu(ui, |ui| {
        for part in Part::ALL {
            if item(&words::part(cx.theme.lang, part)).show(ui).clicked() {
                cx.command(Command::MakeChains(vec![bone], part));
            }
        }
    });
    let words = cx.tr("chain.end");
    if item(&words).icon(icons::MINUS).enabled(joint.is_some() && !is_root).show(ui).clicked() {
        cx.command(Command::EndChainAt(bone));
    }
    let key = if excluded { "chain.include" } else { "chain.exclude" };
    let words = cx.tr(key);
    let icon = if excluded { icons::EYE } else { icons::EYE_SLASH };
    if item(&words).icon(icon).show(ui).clicked() {
        cx.command(Command::Exclude(bone, !excluded));
    }
    line(ui);
    chains_ui(ui, cx, joint.map(|j| j.0));
    enable_ui(ui, cx, bone);
    line(ui);
    context_ui(ui, cx);
}

/// Part and removal of the selected chains.
fn chains_ui(ui: &mut Ui, cx: &mut Cx<'_>, of_bone: Option<ChainId>) {
    let mut chains = cx.session().selection().chains(cx.session().document());
    if let Some(id) = of_bone.filter(|id| !chains.contains(id)) {
        chains = vec![id];
    }
    parts_ui(ui, cx, &chains);
    let words = cx.theme.count("chain.remove", chains.len().max(1));
    if item(&words).icon(icons::TRASH).enabled(!chains.is_empty()).show(ui).clicked() {
        cx.command(Command::RemoveChains(chains));
    }
}

/// "Set part", for these chains.
pub fn parts_ui(ui: &mut Ui, cx: &mut Cx<'_>, chains: &[ChainId]) {
    let document = cx.session().document();
    let mut now: Vec<Part> = chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.part).collect();
    now.sort_unstable();
    now.dedup();
    let words = cx.tr("chain.part");
    item(&words).enabled(!chains.is_empty()).menu(ui, |ui| {
        for part in Part::ALL {
            if !item(&words::part(cx.theme.lang, part)).tick(now == [part]).show(ui).clicked() {
                continue;
            }
            cx.command(Command::SetPart(chains.to_vec(), part));
        }
    });
}

fn enable_ui(ui: &mut Ui, cx: &mut Cx<'_>, bone: BoneId) {
    let document = cx.session().document();
    let selection = cx.session().selection();
    let joints = document.chains.values().flat_map(|c| &c.joints);
    let meant = |b: BoneId| match selection.scope {
        Scope::Joints if selection.bones.contains(&bone) => selection.bones.contains(&b),
        Scope::Joints => b == bone,
        Scope::Chains => selection.shows(document, b),
    };
    let joints: Vec<_> = joints.filter(|j| meant(j.bone)).collect();
    let on = joints.iter().any(|j| j.enabled);
    let bones: Vec<BoneId> = joints.iter().map(|j| j.bone).collect();
    let key = if on || bones.is_empty() { "chain.disable" } else { "chain.enable" };
    let words = cx.theme.count(key, bones.len().max(1));
    if item(&words).enabled(!bones.is_empty()).show(ui).clicked() {
        cx.command(Command::Enable(bones, !on));
    }
}
