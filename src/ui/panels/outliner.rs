//! The outliner: lists of bones, chains, colliders and meshes, with a search.
//!
//! The outliner shows the structure and changes the selection. The inspector edits values. Only visible rows are drawn.

mod bones;
mod chains;
mod colliders;
mod groups;

use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{paint_chain, paint_icon};
use crate::ui::kit::text_field::{NameField, RenameResult, search_field};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::tree_row::{TreeRow, TreeRowIcon};
use crate::ui::kit::{button, icons, paint};
use crate::ui::panels::menus::menu_item;
use crate::ui::{OutlinerTab, UiContext};
pub use colliders::part_menu;
use egui::style::ScrollAnimation;
use egui::{
    Align, Align2, Color32, Context, Key, Layout, Painter, Pos2, Rect, Role, ScrollArea, Sense, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use yuremono_model::document::names::NamePattern;
use yuremono_session::Command;
use yuremono_sim::diagnostics::{MessageText, message};

const FOOTER_HEIGHT: f32 = 44.0;
/// Side length of a tab icon, in points.
pub(in crate::ui) const TAB_ICON_SIZE: f32 = 18.0;

#[derive(Debug, Default)]
pub struct Outliner {
    search: String,
    bones: bones::BonesTab,
    chains: chains::ChainsTab,
    colliders: colliders::CollidersTab,
    /// Whether a row highlighted a bone in the last frame.
    highlighted_bone: bool,
}

impl Outliner {
    /// Returns whether a row has the focus.
    pub fn has_keyboard(&self, ctx: &Context) -> bool {
        self.bones.has_keyboard(ctx)
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let whole = ui.max_rect();
        ui.set_clip_rect(ui.clip_rect().intersect(whole));
        paint::hairline(ui.painter(), whole.left(), whole.right(), whole.top() + size::TAB, cx.theme.color.border);
        Self::tabs_ui(ui, cx, whole);
        let top = whole.top() + size::TAB;
        let field = Rect::from_min_max(
            pos2(whole.left() + space::M, top + space::M),
            pos2(whole.right() - space::M, top + 34.0),
        );
        self.search_ui(ui, cx, field);
        let split = whole.bottom() - FOOTER_HEIGHT;
        let list = Rect::from_min_max(pos2(whole.left(), field.bottom() + space::S), pos2(whole.right(), split));
        let mut inner = child_ui(ui, list, Layout::top_down(Align::Min));
        inner.spacing_mut().item_spacing.y = 0.0;
        let pattern = NamePattern::new(&self.search);
        let hovered = match cx.state.outliner_tab {
            OutlinerTab::Bones => self.bones.show(&mut inner, cx, &pattern),
            OutlinerTab::Chains => self.chains.show(&mut inner, cx, &pattern),
            OutlinerTab::Colliders => self.colliders.show(&mut inner, cx, &pattern),
            OutlinerTab::Meshes => {
                meshes_ui(&mut inner, cx, &pattern);
                None
            }
        };
        if hovered.is_some() && cx.selection().hovered != hovered {
            cx.command(Command::Hover(hovered));
        } else if hovered.is_none() && self.highlighted_bone {
            cx.command(Command::Hover(None));
        }
        self.highlighted_bone = hovered.is_some();
        paint::hairline(ui.painter(), whole.left(), whole.right(), split, cx.theme.color.border);
        let foot = Rect::from_min_max(pos2(whole.left(), split), whole.max).shrink(space::M);
        self.footer_ui(&mut child_ui(ui, foot, Layout::left_to_right(Align::Center)), cx, &pattern);
        if ui.rect_contains_pointer(list) && matches!(cx.state.outliner_tab, OutlinerTab::Bones) {
            let hints = [
                (tr!(cx, "Click"), tr!(cx, "select")),
                ("Ctrl".into(), tr!(cx, "add or remove")),
                ("Shift".into(), tr!(cx, "select a range")),
                (tr!(cx, "Double-click"), tr!(cx, "frame")),
            ];
            cx.state.mouse_hints = hints.map(|(key, effect)| (key.into_owned(), effect.into_owned())).into();
        }
    }

    /// Draws the tabs. If the labels do not fit, draws icons instead.
    fn tabs_ui(ui: &mut Ui, cx: &mut UiContext<'_>, whole: Rect) {
        let c = cx.theme.color;
        let row = Rect::from_min_size(whole.min, vec2(whole.width(), size::TAB));
        let labels = OutlinerTab::ALL.map(|(_, name)| cx.tr(name));
        let widths = labels.each_ref().map(|w| paint::text_width(ui, w, TextSize::Strong));
        let spare_width = row.width() - space::XXS - widths.iter().sum::<f32>();
        let pad = (spare_width / (2 * labels.len()) as f32).min(space::M);
        let as_icons = pad < space::XXS;
        let mut left = row.left() + if as_icons { space::S } else { space::XXS };
        for (((tab, _), label), width) in OutlinerTab::ALL.iter().zip(&labels).zip(widths) {
            let width = if as_icons { size::BUTTON } else { width + 2.0 * pad };
            let part = Rect::from_min_size(pos2(left, row.top()), vec2(width, size::TAB));
            left += width;
            let response = ui.interact(part, ui.scope_id().with(("tab", *tab as u8)), Sense::click());
            let is_open = cx.state.outliner_tab == *tab;
            response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_open, &**label));
            let is_highlighted = is_open || response.hovered();
            let (color, text_size) = (
                if is_highlighted { c.text } else { c.text_2 },
                if is_open { TextSize::Strong } else { TextSize::Body },
            );
            if as_icons {
                paint_tab_icon(ui.painter(), part.center(), *tab, color);
            } else {
                paint::text(ui.painter(), part.center(), Align2::CENTER_CENTER, label, text_size, color);
            }
            if is_open {
                let line = part.with_min_y(part.bottom() - stroke::FOCUS).shrink2(vec2(space::XXS, 0.0));
                ui.painter().rect_filled(line, 1.0, c.accent);
            }
            icons::focus_ring(ui, &response, part.shrink(space::XXS), radius::FIELD);
            if response.clicked() {
                cx.state.outliner_tab = *tab;
            }
            if as_icons {
                response.on_hover_text(&**label);
            }
        }
    }

    fn search_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, field: Rect) {
        let hint = tr!(cx, "Name or *pattern*");
        let mut inner = child_ui(ui, field, Layout::left_to_right(Align::Center));
        let response = search_field(&mut inner, &mut self.search, &hint, field.width());
        if std::mem::take(&mut cx.state.search_focus_wanted) {
            response.request_focus();
        }
        let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
        if response.lost_focus() && enter && !self.search.trim().is_empty() {
            cx.command(Command::SelectMatchingBones(self.search.clone()));
        }
        if response.lost_focus() && escape {
            self.search.clear();
        }
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) {
        let is_bones = cx.state.outliner_tab == OutlinerTab::Bones;
        if is_bones && !pattern.is_empty() && self.bones.match_count() > 0 {
            let label = select_text(cx, pattern);
            let width = ui.available_width();
            if button::secondary(&label).icon(icons::SELECTION_ALL).width(width).show(ui).clicked() {
                cx.command(Command::SelectMatchingBones(self.search.clone()));
            }
            return;
        }
        detect_button_ui(ui, cx);
    }
}

/// Draws the button that detects chains. The button is primary if the document has no chains.
pub(super) fn detect_button_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let label = tr!(cx, "Detect chains");
    let none = cx.document().chains.is_empty();
    let button = if none { button::primary(&label) } else { button::secondary(&label) };
    if button.icon(icons::SPARKLE).width(ui.available_width()).show(ui).clicked() {
        Action::DetectChains.run(cx);
    }
}

pub(in crate::ui) fn paint_tab_icon(painter: &Painter, at: Pos2, tab: OutlinerTab, color: Color32) {
    match tab {
        OutlinerTab::Bones => paint_icon(painter, at, icons::BONE, TAB_ICON_SIZE, color),
        OutlinerTab::Chains => paint_chain(painter, at, TAB_ICON_SIZE + 2.0, color),
        OutlinerTab::Colliders => paint_icon(painter, at, icons::PILL, TAB_ICON_SIZE, color),
        OutlinerTab::Meshes => paint_icon(painter, at, icons::CUBE, TAB_ICON_SIZE, color),
    }
}

/// Returns a text such as "Select 2 chains, 16 joints".
fn select_text(cx: &UiContext<'_>, pattern: &NamePattern) -> String {
    let session = cx.session();
    let found =
        session.selection().counts_if_selected(session.document(), &session.inspection().bones_matching(pattern));
    let counts = [
        (found.chains, message!("{n:chain|chains}", n = found.chains)),
        (found.joints, message!("{n:joint|joints}", n = found.joints)),
        (found.unsimulated_bones, message!("{n:bone|bones}", n = found.unsimulated_bones)),
    ];
    let used = counts.into_iter().filter(|(n, _)| *n > 0);
    let texts: Vec<_> = used.map(|(_, count)| cx.tr(count)).collect();
    tr!(cx, "Select {what}", what = texts.join(&*tr!(cx, ", "))).into_owned()
}

fn child_ui(ui: &mut Ui, rect: Rect, layout: Layout) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
    child.shrink_clip_rect(rect);
    child
}

/// Draws the heading of a list, with the number of rows.
fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, text: &str, count: usize) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, text));
    let count = count.to_string();
    for (at, anchor, text) in [
        (rect.left_center() + vec2(space::L, 1.0), Align2::LEFT_CENTER, text),
        (rect.right_center() + vec2(-space::M, 1.0), Align2::RIGHT_CENTER, &count),
    ] {
        paint::text(ui.painter(), at, anchor, text, TextSize::Small, cx.theme.color.text_3);
    }
}

fn empty_list_ui(ui: &mut Ui, cx: &UiContext<'_>, text: MessageText) {
    let text = TextSize::Small.rich(cx.tr(text)).color(cx.theme.color.text_3);
    egui::Frame::new().inner_margin(space::L).show(ui, |ui| ui.add(egui::Label::new(text).wrap()));
}

/// Draws `count` rows. If row `scroll_to` is not visible, scrolls to this row.
fn list_rows(ui: &mut Ui, name: &str, count: usize, scroll_to: Option<usize>, mut row_ui: impl FnMut(&mut Ui, usize)) {
    let height = size::ROW_TREE;
    ScrollArea::vertical().id_salt(name).auto_shrink([false, false]).show_rows(ui, height, count, |ui, range| {
        if let Some(row) = scroll_to {
            let top = ui.max_rect().top() - range.start as f32 * height;
            let at = pos2(ui.max_rect().left(), top + row as f32 * height);
            // One extra row on each side keeps adjacent rows visible.
            let rect = Rect::from_min_size(at, vec2(1.0, height)).expand2(vec2(0.0, height));
            ui.scroll_to_rect_animation(rect, None, ScrollAnimation::none());
        }
        for row in range {
            row_ui(ui, row);
        }
    });
}

fn meshes_ui(ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) {
    let meshes = &cx.character().meshes;
    let rows: Vec<usize> = (0..meshes.len()).filter(|i| pattern.matches(&meshes[*i].name)).collect();
    if rows.is_empty() {
        let text = if meshes.is_empty() { message!("This file has no meshes.") } else { message!("No name matches.") };
        empty_list_ui(ui, cx, text);
    }
    cx.state.complete_mesh_visibility(cx.input.session.character());
    list_rows(ui, "meshes", rows.len(), None, |ui, at| {
        let index = rows[at];
        let visible = cx.state.mesh_visibility[index];
        let row = TreeRow {
            is_simulated: visible,
            eye: Some(visible),
            ..TreeRow::new(&meshes[index].name, 0, TreeRowIcon::Icon(icons::POLYGON))
        };
        let output = row.show(ui, index);
        if output.eye_clicked || output.response.clicked() {
            cx.state.mesh_visibility[index] = !visible;
        }
        output.response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let (only, all) = (tr!(cx, "Show only this"), tr!(cx, "Show all"));
            if menu_item(&only).show(ui).clicked() {
                cx.state.mesh_visibility.iter_mut().enumerate().for_each(|(i, flag)| *flag = i == index);
            }
            if menu_item(&all).show(ui).clicked() {
                cx.state.mesh_visibility.fill(true);
            }
        });
    });
}

/// A rename in progress.
#[derive(Debug)]
struct RenameEdit<T> {
    id: T,
    old_name: String,
    text: String,
    takes_focus: bool,
}

impl<T> RenameEdit<T> {
    fn new(id: T, name: &str) -> Self {
        Self { id, old_name: name.to_owned(), text: name.to_owned(), takes_focus: true }
    }

    /// Returns whether the field was not shown yet.
    fn is_fresh(&self) -> bool {
        self.takes_focus
    }

    /// Returns whether the object still has the previous name. An empty name matches no object.
    fn is_about(&self, name: &str) -> bool {
        self.old_name == name
    }

    /// Draws the field of a rename, and removes the rename when it ends. If the artist presses Enter or leaves the
    /// field, returns the object and the new name. Esc or an empty name cancels.
    fn show(slot: &mut Option<Self>, ui: &mut Ui, cx: &UiContext<'_>) -> Option<(T, String)> {
        let edit = slot.as_mut()?;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
        let field = rect.shrink2(vec2(space::M, 1.0)).with_min_x(rect.left() + 34.0);
        let (name, edge) = (tr!(cx, "Rename"), Some(cx.theme.color.accent));
        let takes_focus = std::mem::take(&mut edit.takes_focus);
        let (_, renamed) = NameField { name: &name, hint: "", edge, takes_focus }.show(ui, field, &mut edit.text);
        if renamed == RenameResult::Editing {
            return None;
        }
        let edit = slot.take()?;
        match renamed {
            RenameResult::Submitted(name) if !name.is_empty() && name != edit.old_name => Some((edit.id, name)),
            _ => None,
        }
    }
}
