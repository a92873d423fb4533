//! The outliner: bones, chains, colliders and meshes, each as a list that can be searched.
//!
//! It shows structure and selects; values are edited in the inspector. Only rows in sight are drawn.

mod bones;
mod chains;
mod colliders;
mod groups;
mod idle;
mod list;
mod make;
mod meshes;
mod rename;
mod tree;

pub use colliders::part_menu;

use super::rails;
use crate::doc::names::Pattern;
use crate::session::Command;
use crate::ui::deeds::Deed;
use crate::ui::kit::icons;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use crate::ui::kit::{button, paint};
use crate::ui::{Cx, OutlinerTab};
use egui::{Align, Align2, Context, Key, Layout, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Height of the row of buttons at the bottom.
const FOOTER: f32 = 44.0;

/// What it keeps.
#[derive(Debug, Default)]
pub struct Outliner {
    search: String,
    bones: bones::Bones,
    chains: chains::Chains,
    colliders: colliders::Colliders,
    /// Whether a row lit a bone in the last frame, to be put out when the pointer leaves.
    lit: bool,
}

impl Outliner {
    /// Whether the keyboard is on one of its rows.
    pub fn has_keyboard(&self, ctx: &Context) -> bool {
        self.bones.has_keyboard(ctx)
    }

    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let whole = ui.max_rect();
        ui.set_clip_rect(ui.clip_rect().intersect(whole));
        paint::hairline(ui.painter(), whole.left(), whole.right(), whole.top() + size::TAB, cx.theme.color.border);
        Self::tabs_ui(ui, cx, whole);
        let top = whole.top() + size::TAB;
        let field = Rect::from_min_max(
            pos2(whole.left() + SPACE[3], top + SPACE[3]),
            pos2(whole.right() - SPACE[3], top + 34.0),
        );
        self.search_ui(ui, cx, field);
        let split = whole.bottom() - FOOTER;
        let list = Rect::from_min_max(pos2(whole.left(), field.bottom() + SPACE[2]), pos2(whole.right(), split));
        let mut inner = child(ui, list, Layout::top_down(Align::Min));
        inner.spacing_mut().item_spacing.y = 0.0;
        let pattern = Pattern::new(&self.search);
        let hovered = match cx.state.outliner_tab {
            OutlinerTab::Bones => self.bones.show(&mut inner, cx, &pattern),
            OutlinerTab::Chains => self.chains.show(&mut inner, cx, &pattern),
            OutlinerTab::Colliders => self.colliders.show(&mut inner, cx, &pattern),
            OutlinerTab::Meshes => {
                meshes::show(&mut inner, cx, &pattern);
                None
            }
        };
        if hovered.is_some() && cx.session().selection().hovered != hovered {
            cx.command(Command::Hover(hovered));
        } else if hovered.is_none() && self.lit {
            cx.command(Command::Hover(None));
        }
        self.lit = hovered.is_some();
        paint::hairline(ui.painter(), whole.left(), whole.right(), split, cx.theme.color.border);
        let foot = Rect::from_min_max(pos2(whole.left(), split), whole.max).shrink(SPACE[3]);
        self.footer_ui(&mut child(ui, foot, Layout::left_to_right(Align::Center)), cx, &pattern);
        if ui.rect_contains_pointer(list) && matches!(cx.state.outliner_tab, OutlinerTab::Bones) {
            let pair = |key: &str, what: &str| (cx.tr(key).into_owned(), cx.tr(what).into_owned());
            cx.state.hint = vec![
                pair("hint.click", "hint.select"),
                ("Ctrl".into(), cx.tr("hint.toggle").into_owned()),
                ("Shift".into(), cx.tr("hint.range").into_owned()),
                pair("hint.double", "hint.frame"),
            ];
        }
    }

    /// The tabs, as wide as the panel lets them be; icons where their words do not fit.
    fn tabs_ui(ui: &mut Ui, cx: &mut Cx<'_>, whole: Rect) {
        let c = cx.theme.color;
        let row = Rect::from_min_size(whole.min, vec2(whole.width(), size::TAB));
        let words = OutlinerTab::ALL.map(|(_, key)| cx.tr(key));
        let widths = words.each_ref().map(|w| paint::width_of(ui, w, Text::Strong));
        let room = row.width() - SPACE[0] - widths.iter().sum::<f32>();
        let pad = (room / (2 * words.len()) as f32).min(SPACE[3]);
        let as_icons = pad < SPACE[0];
        let mut left = row.left() + if as_icons { SPACE[2] } else { SPACE[0] };
        for (((tab, _), words), width) in OutlinerTab::ALL.iter().zip(&words).zip(widths) {
            let width = if as_icons { size::BUTTON } else { width + 2.0 * pad };
            let part = Rect::from_min_size(pos2(left, row.top()), vec2(width, size::TAB));
            left += width;
            let response = ui.interact(part, ui.scope_id().with(("tab", *tab as u8)), Sense::click());
            let is_open = cx.state.outliner_tab == *tab;
            response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_open, &**words));
            let lit = is_open || response.hovered();
            let (ink, text_size) =
                (if lit { c.text } else { c.text_2 }, if is_open { Text::Strong } else { Text::Body });
            if as_icons {
                rails::paint_tab(ui.painter(), part.center(), *tab, ink);
            } else {
                paint::text(ui.painter(), part.center(), Align2::CENTER_CENTER, words, text_size, ink);
            }
            if is_open {
                let line = part.with_min_y(part.bottom() - stroke::FOCUS).shrink2(vec2(SPACE[0], 0.0));
                ui.painter().rect_filled(line, 1.0, c.accent);
            }
            icons::focus_ring(ui, &response, part.shrink(SPACE[0]), radius::FIELD);
            if response.clicked() {
                cx.state.outliner_tab = *tab;
            }
            if as_icons {
                response.on_hover_text(&**words);
            }
        }
    }

    fn search_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, field: Rect) {
        let hint = cx.tr("outliner.search");
        let mut inner = child(ui, field, Layout::left_to_right(Align::Center));
        let response = search_field(&mut inner, &mut self.search, &hint, field.width());
        if std::mem::take(&mut cx.state.find_wanted) {
            response.request_focus();
        }
        let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
        if response.lost_focus() && enter && !self.search.trim().is_empty() {
            cx.command(Command::SelectPattern(self.search.clone()));
        }
        if response.lost_focus() && escape {
            self.search.clear();
        }
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &mut Cx<'_>, pattern: &Pattern) {
        let is_bones = cx.state.outliner_tab == OutlinerTab::Bones;
        if is_bones && !pattern.is_empty() && self.bones.matches() > 0 {
            let words = select_words(cx, pattern);
            let width = ui.available_width();
            if button::secondary(&words).icon(icons::SELECTION_ALL).width(width).show(ui).clicked() {
                cx.command(Command::SelectPattern(self.search.clone()));
            }
            return;
        }
        detect_ui(ui, cx);
    }
}

/// *Detect chains* over the whole width; the first thing to do where the character has no chain yet.
pub(super) fn detect_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let words = cx.tr("outliner.detect");
    let none = cx.session().document().chains.is_empty();
    let button = if none { button::primary(&words) } else { button::secondary(&words) };
    if button.icon(icons::SPARKLE).width(ui.available_width()).show(ui).clicked() {
        Deed::Detect.run(cx);
    }
}

/// What a click on the button below a search selects: "Select 2 chains, 16 joints".
fn select_words(cx: &Cx<'_>, pattern: &Pattern) -> String {
    let session = cx.session();
    let found = session.selection().reached_by(session.document(), &session.bones_like(pattern));
    let counts =
        [("inspector.chains", found.chains), ("inspector.joints", found.joints), ("inspector.bones", found.still)];
    let counts = counts.into_iter().filter(|(_, n)| *n > 0);
    let words: Vec<String> = counts.map(|(key, n)| cx.tr_with(key, &[("n", &n.to_string())])).collect();
    cx.tr_with("outliner.select_found", &[("what", &words.join(&*cx.tr("windows.and")))])
}

fn child(ui: &mut Ui, rect: Rect, layout: Layout) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
    child.shrink_clip_rect(rect);
    child
}

/// What an empty list says.
fn nothing_ui(ui: &mut Ui, cx: &Cx<'_>, key: &str) {
    let words = Text::Small.rich(cx.tr(key)).color(cx.theme.color.text_3);
    egui::Frame::new().inner_margin(SPACE[4]).show(ui, |ui| ui.add(egui::Label::new(words).wrap()));
}
