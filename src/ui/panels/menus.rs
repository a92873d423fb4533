//! The menu bar, and the chain menu. The outliner shows the chain menu as a context menu.

use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::i18n::{self, Lang};
use crate::ui::kit::icons::{self, Icon, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::theme::{TextSize, Theme, ThemeMode};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::setup_tools::SetupAction;
use crate::ui::{AppRequest, DialogKind, DrawerTab, IS_PAGE, OutlinerTab, UiContext, isolation};
use egui::containers::menu::{MenuBar, MenuButton, MenuConfig, SubMenu};
use egui::{Align2, Color32, PopupCloseBehavior, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use yuremono_model::document::{ChainId, ChainPart, EditLabel};
use yuremono_session::{Command, TuningScope};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

/// Draws the menu bar. Returns the right end of the menu bar.
pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>) -> f32 {
    type Contents = fn(&mut Ui, &mut UiContext<'_>);
    let menus: [(MessageText, Contents, bool); 7] = [
        (message!("File"), file_ui, false),
        (message!("Edit"), edit_ui, false),
        (message!("Chain"), chain_ui, false),
        (message!("Setup"), setup_ui, false),
        (message!("View"), view_ui, true),
        (message!("Window"), window_ui, true),
        (message!("Help"), help_ui, false),
    ];
    let bar = MenuBar::new().style(|style: &mut egui::Style| {
        egui::containers::menu::menu_style(style);
        style.spacing.button_padding = vec2(8.0, 3.0);
        style.spacing.item_spacing.x = 0.0;
    });
    bar.ui(ui, |ui| {
        let mut right = ui.cursor().left();
        for (name, contents, stays_open) in menus {
            let text = TextSize::Body.rich(cx.tr(name)).color(cx.theme.color.text);
            // Menus with switches stay open after a click.
            let close =
                if stays_open { PopupCloseBehavior::CloseOnClickOutside } else { PopupCloseBehavior::CloseOnClick };
            let config = MenuConfig::new().close_behavior(close);
            let (response, _) = MenuButton::new(text).config(config).ui(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                contents(ui, cx);
            });
            right = response.rect.right();
        }
        right
    })
    .inner
}

pub fn action_ui(ui: &mut Ui, cx: &mut UiContext<'_>, action: Action, icon: Option<Icon>) {
    let label = cx.tr(action.label());
    action_with_text_ui(ui, cx, action, icon, &label);
}

fn action_with_text_ui(ui: &mut Ui, cx: &mut UiContext<'_>, action: Action, icon: Option<Icon>, label: &str) {
    let key = action.shortcut_text(ui.ctx());
    let mut response = menu_item(label).key(&key).icon(icon).enabled(action.is_enabled(cx)).show(ui);
    if let Some(hint) = action.hint(cx) {
        response = response.on_hover_text(hint);
    }
    if response.clicked() {
        action.run(cx);
        ui.close();
    }
}

fn request_ui(ui: &mut Ui, cx: &mut UiContext<'_>, label: MessageText, icon: Option<Icon>, request: AppRequest) {
    if menu_item(&cx.tr(label)).icon(icon).show(ui).clicked() {
        cx.request(request);
        ui.close();
    }
}

fn file_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    action_ui(ui, cx, Action::Open, Some(icons::FOLDER_OPEN));
    if !IS_PAGE {
        let recent = tr!(cx, "Open recent");
        let any = !cx.input.file.recent.is_empty();
        menu_item(&recent).icon(icons::CLOCK_COUNTER_CLOCKWISE).enabled(any).submenu(ui, |ui| recent_ui(ui, cx));
        if menu_item(&tr!(cx, "Type a path…")).icon(icons::KEYBOARD).show(ui).clicked() {
            cx.state.dialogs_to_open.push(DialogKind::TypePath);
        }
    }
    request_ui(ui, cx, message!("Open sample"), Some(icons::PERSON_SIMPLE), AppRequest::OpenSample);
    if !IS_PAGE {
        action_ui(ui, cx, Action::Reload, Some(icons::ARROW_CLOCKWISE));
    }
    request_ui(ui, cx, message!("Load motion…"), Some(icons::FILM_STRIP), AppRequest::LoadMotionDialog);
    if !IS_PAGE && menu_item(&tr!(cx, "Live motion (VMC)…")).icon(icons::PERSON_ARMS_SPREAD).show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::LiveMotion);
    }
    menu_separator(ui);
    action_ui(ui, cx, Action::Import, Some(icons::DOWNLOAD_SIMPLE));
    action_ui(ui, cx, Action::Export, Some(icons::UPLOAD_SIMPLE));
    menu_separator(ui);
    action_ui(ui, cx, Action::Save, Some(icons::FLOPPY_DISK));
    action_ui(ui, cx, Action::SaveAs, None);
    action_ui(ui, cx, Action::SaveCharacter, None);
    if menu_item(&tr!(cx, "Bake motion…")).icon(icons::FILM_STRIP).show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::Bake);
    }
    if !IS_PAGE {
        menu_item(&tr!(cx, "Keep exporting")).icon(icons::REPEAT).submenu(ui, |ui| live_exports_ui(ui, cx));
    }
    let has_project = cx.input.file.project.is_some();
    if menu_item(&tr!(cx, "Earlier versions…")).enabled(has_project).show(ui).clicked() {
        cx.request(AppRequest::ShowEarlierVersions);
    }
    menu_separator(ui);
    action_ui(ui, cx, Action::SavePicture, Some(icons::CAMERA));
    action_ui(ui, cx, Action::SaveClip, None);
    let can_draw = !cx.character().meshes.is_empty() && cx.input.file.contact_sheet.is_none();
    let sheet = menu_item(&tr!(cx, "Save contact sheet…")).icon(icons::IMAGE).enabled(can_draw).show(ui);
    if sheet
        .on_hover_text(tr!(
            cx,
            "Saves moments of all motions next to each other as one picture, from the direction of this view"
        ))
        .clicked()
    {
        cx.request(AppRequest::SaveContactSheet);
        ui.close();
    }
    if !IS_PAGE {
        menu_separator(ui);
        action_ui(ui, cx, Action::Quit, None);
    }
}

fn live_exports_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    request_ui(ui, cx, message!("To CSV or JSON…"), Some(icons::UPLOAD_SIMPLE), AppRequest::AddLiveSetupDialog);
    request_ui(ui, cx, message!("To VRM or glTF…"), Some(icons::PERSON_SIMPLE), AppRequest::AddLiveCharacterDialog);
    let files = cx.input.file.live_exports;
    if files.is_empty() {
        return;
    }
    menu_separator(ui);
    let is_on = cx.input.file.live_exports_on;
    if menu_item(&tr!(cx, "Keep exporting")).tick(is_on).show(ui).clicked() {
        cx.request(AppRequest::SetLiveExports(!is_on));
    }
    for file in files {
        let response = menu_item(&tr!(cx, "Remove {name}", name = &file.name)).show(ui);
        if response.on_hover_text(file.path.to_string_lossy()).clicked() {
            cx.request(AppRequest::RemoveLiveExport(file.path.clone()));
        }
    }
}

fn recent_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    for path in cx.input.file.recent {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let response = menu_item(&name).show(ui).on_hover_text(path.to_string_lossy());
        if response.clicked() {
            cx.request(AppRequest::OpenPath(path.clone()));
        }
    }
    menu_separator(ui);
    request_ui(ui, cx, message!("Clear recent files"), None, AppRequest::ClearRecentFiles);
}

fn edit_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let history = cx.session().history();
    let undo = |label: &EditLabel| message!("Undo: {what}", what = &label.text);
    let undo = history.next_undo().map_or(Action::Undo.label(), undo);
    let redo = |label: &EditLabel| message!("Redo: {what}", what = &label.text);
    let redo = history.next_redo().map_or(Action::Redo.label(), redo);
    action_with_text_ui(ui, cx, Action::Undo, Some(icons::ARROW_U_UP_LEFT), &cx.tr(undo));
    action_with_text_ui(ui, cx, Action::Redo, Some(icons::ARROW_U_UP_RIGHT), &cx.tr(redo));
    menu_separator(ui);
    action_ui(ui, cx, Action::FocusSearch, Some(icons::MAGNIFYING_GLASS));
    action_ui(ui, cx, Action::SelectAll, Some(icons::SELECTION_ALL));
    action_ui(ui, cx, Action::SelectChildren, Some(icons::TREE_STRUCTURE));
    action_ui(ui, cx, Action::Deselect, None);
    menu_separator(ui);
    action_ui(ui, cx, Action::FlipComparison, None);
    action_ui(ui, cx, Action::Sweep, None);
}

fn view_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let t = &mut cx.state.prefs.toggles;
    let flags = [
        (message!("Bones"), &mut t.bones),
        (message!("Hit radii"), &mut t.hit_radii),
        (message!("Colliders and forces"), &mut t.colliders),
        (message!("Angle limits"), &mut t.limits),
        (message!("Length limits"), &mut t.length_limits),
        (message!("Why tips move"), &mut t.causes),
        (message!("Drag handles"), &mut t.handles),
        (message!("Bone names"), &mut t.names),
        (message!("Only selected bones"), &mut t.selected_only),
        (message!("Only selected colliders"), &mut t.selected_colliders_only),
        (message!("Colour legend"), &mut t.legend),
    ];
    for (name, flag) in flags {
        if menu_item(&cx.theme.tr(name)).tick(*flag).show(ui).clicked() {
            *flag = !*flag;
        }
    }
    let (label, key) = (cx.tr(Action::ToggleOverlays.label()), Action::ToggleOverlays.shortcut_text(ui.ctx()));
    if menu_item(&label).key(&key).tick(cx.state.overlays_hidden).show(ui).clicked() {
        Action::ToggleOverlays.run(cx);
    }
    menu_separator(ui);
    action_ui(ui, cx, Action::ViewFront, Some(icons::CAMERA));
    action_ui(ui, cx, Action::ViewLeft, None);
    action_ui(ui, cx, Action::ViewBack, None);
    action_ui(ui, cx, Action::ViewTop, None);
    action_ui(ui, cx, Action::FrameSelection, Some(icons::CORNERS_OUT));
    let follows = !cx.state.prefs.camera_stays;
    let follow = menu_item(&tr!(cx, "Follow character")).tick(follows).show(ui);
    let hint = tr!(
        cx,
        "Moves the camera after a character that walks farther than its own height. The direction of the view stays."
    );
    if follow.on_hover_text(hint).clicked() {
        cx.state.prefs.camera_stays = follows;
    }
    menu_separator(ui);
    kept_pose_ui(ui, cx);
    menu_separator(ui);
    for (mode, name) in [(ThemeMode::Dark, message!("Dark theme")), (ThemeMode::Light, message!("Light theme"))] {
        if menu_item(&cx.tr(name)).tick(cx.state.prefs.mode == mode).show(ui).clicked() {
            cx.state.prefs.mode = mode;
        }
    }
    menu_item(&tr!(cx, "Language")).icon(icons::GLOBE).submenu(ui, |ui| languages_ui(ui, cx));
    if menu_item(&tr!(cx, "Reduce motion")).tick(cx.state.prefs.reduce_motion).show(ui).clicked() {
        cx.state.prefs.reduce_motion = !cx.state.prefs.reduce_motion;
    }
}

pub fn languages_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    for lang in Lang::ALL {
        if menu_item(lang.name()).tick(cx.state.prefs.lang == lang).show(ui).clicked() {
            cx.state.prefs.lang = lang;
            ui.close();
        }
    }
}

fn window_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    for (tab, name) in OutlinerTab::ALL {
        if menu_item(&cx.tr(name)).tick(cx.state.outliner_tab == tab).show(ui).clicked() {
            cx.state.outliner_tab = tab;
        }
    }
    menu_separator(ui);
    for (tab, action) in [
        (DrawerTab::Curves, Action::ToggleCurves),
        (DrawerTab::Graph, Action::ToggleGraph),
        (DrawerTab::Presets, Action::TogglePresets),
        (DrawerTab::Doctor, Action::ToggleDoctor),
        (DrawerTab::Messages, Action::ToggleMessages),
    ] {
        let (label, key) = (cx.tr(action.label()), action.shortcut_text(ui.ctx()));
        if menu_item(&label).key(&key).tick(cx.state.drawer_tab == Some(tab)).show(ui).clicked() {
            action.run(cx);
        }
    }
}

fn help_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    action_ui(ui, cx, Action::ShowShortcuts, Some(icons::KEYBOARD));
    if menu_item(&tr!(cx, "Show hints"))
        .icon(icons::CHAT_TEXT)
        .show(ui)
        .on_hover_text(tr!(cx, "Shows the three cards of the first start again, on the sample character"))
        .clicked()
    {
        cx.state.prefs.dismissed_hints = [false; 3];
        cx.state.hints_restored_at = Some(cx.session().history().current_state());
        if !cx.input.file.is_sample {
            cx.request(AppRequest::OpenSample);
        }
        ui.close();
    }
    if menu_item(&tr!(cx, "About Yuremono")).icon(icons::INFO).show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::About);
    }
}

const ICON_GUTTER: f32 = 28.0;
const MAX_WIDTH: f32 = 380.0;

#[derive(Clone, Copy, Debug)]
pub struct MenuItem<'a> {
    label: &'a str,
    key: &'a str,
    icon: Option<Icon>,
    tick: Option<bool>,
    enabled: bool,
    has_submenu: bool,
}

pub fn menu_item(label: &str) -> MenuItem<'_> {
    MenuItem { label, key: "", icon: None, tick: None, enabled: true, has_submenu: false }
}

impl<'a> MenuItem<'a> {
    setters! {
        /// Sets the shortcut at the right.
        key(key: &'a str) => key = key;
        icon(icon: impl Into<Option<Icon>>) => icon = icon.into();
        tick(on: bool) => tick = Some(on);
        enabled(enabled: bool) => enabled = enabled;
    }

    pub fn show(self, ui: &mut Ui) -> Response {
        let theme = Theme::of(ui);
        let c = theme.color;
        let text = ElidedName::new(ui, self.label, TextSize::Body, Color32::PLACEHOLDER, MAX_WIDTH);
        let key_width =
            if self.key.is_empty() { 0.0 } else { paint::text_width(ui, self.key, TextSize::Small) + space::XXXL };
        let caret_width = if self.has_submenu { space::XXL } else { 0.0 };
        let wanted = vec2(ICON_GUTTER + text.width() + key_width + caret_width + space::L, size::ROW_TREE + 2.0);
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_at_least(wanted, sense);
        let role = if self.tick.is_some() { Role::MenuItemCheckBox } else { Role::MenuItem };
        response.widget_info(|| match self.tick {
            Some(on) => WidgetInfo::selected(role, self.enabled, on, self.label),
            None => WidgetInfo::labeled(role, self.enabled, self.label),
        });
        let is_highlighted = self.enabled && (response.hovered() || response.has_focus());
        if is_highlighted {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        let (color, faint) = match (self.enabled, is_highlighted) {
            (false, _) => (c.text_off, c.text_off),
            (true, true) => (c.text, c.text_2),
            (true, false) => (c.text, c.text_3),
        };
        let gutter = pos2(rect.left() + ICON_GUTTER / 2.0, rect.center().y);
        match (self.tick, self.icon) {
            (Some(true), _) => paint_icon(ui.painter(), gutter, icons::CHECK, size::ICON, c.accent),
            (None, Some(icon)) => {
                paint_icon(ui.painter(), gutter, icon, size::ICON, if is_highlighted { color } else { faint });
            }
            _ => {}
        }
        text.paint_left_in(ui.painter(), pos2(rect.left() + ICON_GUTTER, rect.center().y), color);
        let right = pos2(rect.right() - space::M, rect.center().y);
        if self.has_submenu {
            paint_icon(ui.painter(), right - vec2(space::S, 0.0), icons::CARET_RIGHT, size::ICON_TINY, faint);
        } else {
            paint::text(ui.painter(), right, Align2::RIGHT_CENTER, self.key, TextSize::Small, faint);
        }
        focus_ring(ui, &response, rect.shrink(1.0), radius::FIELD);
        text.with_tooltip(response)
    }

    /// Draws the item with a submenu.
    pub fn submenu(mut self, ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
        self.has_submenu = true;
        let response = self.show(ui);
        if self.enabled {
            SubMenu::new().show(ui, &response, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                contents(ui);
            });
        }
    }
}

pub fn menu_separator(ui: &mut Ui) {
    let (rect, _) = ui.allocate_at_least(vec2(8.0, 9.0), Sense::hover());
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.center().y, Theme::of(ui).color.border);
}

fn setup_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    tools_ui(ui, cx, &[SetupAction::Mirror, SetupAction::BodyColliders, SetupAction::FindClipping]);
    menu_separator(ui);
    menu_item(&tr!(cx, "Skirt")).submenu(ui, |ui| tools_ui(ui, cx, SKIRT_TOOLS));
    menu_item(&tr!(cx, "Colliders")).submenu(ui, |ui| tools_ui(ui, cx, COLLIDER_TOOLS));
    menu_separator(ui);
    copy_ui(ui, cx);
    menu_separator(ui);
    tools_ui(ui, cx, &[SetupAction::SelectByName, SetupAction::SetParent]);
    menu_separator(ui);
    action_ui(ui, cx, Action::SetRestPose, None);
    menu_separator(ui);
    tools_ui(ui, cx, &[SetupAction::CleanUp, SetupAction::ResetEngineSettings, SetupAction::DeleteJoints]);
}

const SKIRT_TOOLS: &[SetupAction] = &[
    SetupAction::LinkColumns,
    SetupAction::LinkLeg,
    SetupAction::ParentPivotsToLegs,
    SetupAction::ParentPivotsToHighLeg,
];
const COLLIDER_TOOLS: &[SetupAction] = &[
    SetupAction::AssignColliders,
    SetupAction::UnassignColliders,
    SetupAction::AlignCapsules,
    SetupAction::DeleteColliders,
];

fn copy_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    action_ui(ui, cx, Action::CopyValues, SetupAction::Copy.icon());
    action_ui(ui, cx, Action::PasteValues, SetupAction::Paste.icon());
    tools_ui(ui, cx, &[SetupAction::PasteSpecial]);
}

/// Draws the context menu items for bones and chains.
pub fn context_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    copy_ui(ui, cx);
    tools_ui(ui, cx, &[SetupAction::Mirror]);
    menu_item(&tr!(cx, "Skirt")).submenu(ui, |ui| tools_ui(ui, cx, SKIRT_TOOLS));
    tools_ui(ui, cx, &[SetupAction::UnassignColliders, SetupAction::DeleteColliders, SetupAction::DeleteJoints]);
}

fn tools_ui(ui: &mut Ui, cx: &mut UiContext<'_>, tools: &[SetupAction]) {
    for tool in tools {
        let label = tool.label(cx);
        let entry = menu_item(&label).icon(tool.icon()).enabled(tool.is_enabled(cx)).show(ui);
        if entry.on_hover_text(tool.hint(cx)).clicked() {
            tool.run(cx);
            ui.close();
        }
    }
}

fn chain_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    action_ui(ui, cx, Action::DetectChains, Some(icons::SPARKLE));
    menu_separator(ui);
    let active = cx.selection().active;
    if let Some(bone) = active {
        bone_menu(ui, cx, bone);
    } else {
        menu_item(&tr!(cx, "Select a bone first")).enabled(false).show(ui);
    }
}

/// Draws the menu items that keep the dragged pose and discard it.
pub fn kept_pose_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    action_ui(ui, cx, Action::KeepPose, Some(icons::PUSH_PIN));
    action_ui(ui, cx, Action::DiscardKeptPose, Some(icons::TRASH));
}

/// Draws the menu items for one bone and for the selected chains.
pub fn bone_menu(ui: &mut Ui, cx: &mut UiContext<'_>, bone: BoneId) {
    let joint = cx.document().find_joint(bone);
    let excluded = cx.document().excluded_bones.contains(&bone);
    let is_root = joint.is_some_and(|(_, i)| i == 0);
    menu_item(&tr!(cx, "Create chain from here")).icon(icons::PLUS).enabled(!is_root && !excluded).submenu(ui, |ui| {
        for part in ChainPart::ALL {
            if menu_item(&i18n::part_name(cx.theme.lang, part)).show(ui).clicked() {
                cx.command(Command::CreateChains(vec![bone], part));
            }
        }
    });
    if menu_item(&tr!(cx, "End chain here")).icon(icons::MINUS).enabled(joint.is_some() && !is_root).show(ui).clicked()
    {
        cx.command(Command::EndChainAt(bone));
    }
    let label = if excluded { tr!(cx, "Include bone") } else { tr!(cx, "Exclude bone") };
    let icon = if excluded { icons::EYE } else { icons::EYE_SLASH };
    if menu_item(&label).icon(icon).show(ui).clicked() {
        cx.command(Command::SetExcluded(bone, !excluded));
    }
    menu_separator(ui);
    chains_ui(ui, cx, joint.map(|j| j.0));
    simulate_ui(ui, cx, bone);
    menu_separator(ui);
    let mut chains = cx.selection().chains(cx.document());
    if let Some((id, _)) = joint.filter(|(id, _)| !chains.contains(id)) {
        chains = vec![id];
    }
    isolation_ui(ui, cx, &chains, joint.map(|_| bone));
    menu_separator(ui);
    if joint.is_none() && cx.playback().body_posing().moves_body(bone) {
        kept_pose_ui(ui, cx);
        menu_separator(ui);
    }
    context_ui(ui, cx);
}

/// Draws the menu items that set the part of the selected chains or delete the selected chains.
fn chains_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of_bone: Option<ChainId>) {
    let mut chains = cx.selection().chains(cx.document());
    if let Some(id) = of_bone.filter(|id| !chains.contains(id)) {
        chains = vec![id];
    }
    set_part_ui(ui, cx, &chains);
    let label = match chains.len() {
        0 | 1 => tr!(cx, "Delete chain"),
        n => tr!(cx, "Delete {n:chain|chains}", n),
    };
    if menu_item(&label).icon(icons::TRASH).enabled(!chains.is_empty()).show(ui).clicked() {
        cx.command(Command::DeleteChains(chains));
    }
}

pub fn set_part_ui(ui: &mut Ui, cx: &mut UiContext<'_>, chains: &[ChainId]) {
    let document = cx.document();
    let mut now: Vec<ChainPart> = chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.part).collect();
    now.sort_unstable();
    now.dedup();
    menu_item(&tr!(cx, "Set part")).enabled(!chains.is_empty()).submenu(ui, |ui| {
        for part in ChainPart::ALL {
            if !menu_item(&i18n::part_name(cx.theme.lang, part)).tick(now == [part]).show(ui).clicked() {
                continue;
            }
            cx.command(Command::SetChainPart(chains.to_vec(), part));
        }
    });
}

/// Draws the menu items that solo and mute the chains, pin the joint `bone`, and simulate everything again.
pub fn isolation_ui(ui: &mut Ui, cx: &mut UiContext<'_>, chains: &[ChainId], bone: Option<BoneId>) {
    let state = cx.session().isolation();
    let has = |set: &BTreeSet<ChainId>| !chains.is_empty() && chains.iter().all(|id| set.contains(id));
    let (soloed, muted) = (has(state.soloed()), has(state.muted()));
    let bones = bone.map(|bone| isolation::joints_to_pin(cx, bone)).unwrap_or_default();
    let pinned = !bones.is_empty() && bones.iter().all(|bone| state.pinned().contains(bone));
    let mut item = |label: &str, hint: &str, enabled: bool, on: bool, action: Option<Action>| {
        let key = action.map(|action| action.shortcut_text(ui.ctx())).unwrap_or_default();
        menu_item(label).key(&key).tick(on).enabled(enabled).show(ui).on_hover_text(hint).clicked()
    };
    let solo = match chains.len() {
        0 | 1 => tr!(cx, "Solo chain"),
        n => tr!(cx, "Solo {n:chain|chains}", n),
    };
    let hint = tr!(
        cx,
        "Only soloed chains are simulated; all other chains follow the animation. Affects this window only: files, \
         exports and bakes stay unchanged."
    );
    if item(&solo, &hint, !chains.is_empty(), soloed, Some(Action::SoloChains)) {
        isolation::toggle_solo(cx, chains.to_vec());
    }
    let mute = match chains.len() {
        0 | 1 => tr!(cx, "Mute chain"),
        n => tr!(cx, "Mute {n:chain|chains}", n),
    };
    let hint =
        tr!(cx, "The chain follows the animation. Affects this window only: files, exports and bakes stay unchanged.");
    if item(&mute, &hint, !chains.is_empty(), muted, Some(Action::MuteChains)) {
        isolation::toggle_mute(cx, chains.to_vec());
    }
    let pin = match bones.len() {
        0 | 1 => tr!(cx, "Pin joint"),
        n => tr!(cx, "Pin {n:joint|joints}", n),
    };
    let hint = tr!(
        cx,
        "The joint and the joints above it in the chain follow the animation; the joints below keep swinging. \
         Affects this window only: files, exports and bakes stay unchanged."
    );
    if bone.is_some() && item(&pin, &hint, !bones.is_empty(), pinned, None) {
        isolation::toggle_pin(cx, bones);
    }
    if !state.is_empty() && menu_item(&tr!(cx, "Simulate all chains")).icon(icons::X).show(ui).clicked() {
        cx.command(Command::ClearIsolation);
    }
}

fn simulate_ui(ui: &mut Ui, cx: &mut UiContext<'_>, bone: BoneId) {
    let document = cx.document();
    let selection = cx.selection();
    let joints = document.chains.values().flat_map(|c| &c.joints);
    let meant = |b: BoneId| match selection.scope {
        TuningScope::Joints if selection.bones.contains(&bone) => selection.bones.contains(&b),
        TuningScope::Joints => b == bone,
        TuningScope::Chains => selection.is_highlighted(document, b),
    };
    let joints: Vec<_> = joints.filter(|j| meant(j.bone)).collect();
    let on = joints.iter().any(|j| j.enabled);
    let bones: Vec<BoneId> = joints.iter().map(|j| j.bone).collect();
    let label = match (on || bones.is_empty(), bones.len()) {
        (true, 0 | 1) => tr!(cx, "Disable joint"),
        (true, n) => tr!(cx, "Disable {n:joint|joints}", n),
        (false, 0 | 1) => tr!(cx, "Enable joint"),
        (false, n) => tr!(cx, "Enable {n:joint|joints}", n),
    };
    if menu_item(&label).enabled(!bones.is_empty()).show(ui).clicked() {
        cx.command(Command::SetJointsEnabled(bones, !on));
    }
}
