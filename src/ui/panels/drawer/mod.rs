//! The drawer under the viewport: curves, presets and messages.
//!
//! Closed it is a row of tabs; a click on the open tab closes it. The short messages that go by themselves are
//! drawn here too, because everything they say stays in the list.

mod curves;
mod messages;
pub(in crate::ui) mod presets;
mod said;

use crate::report::Severity;
use crate::ui::kit::frame::Tone;
use crate::ui::kit::icons::{self, Icon, IconButton};
use crate::ui::kit::paint;
use crate::ui::kit::toggle::{Tab, tab_bar};
use crate::ui::kit::tokens::{Layout, least, size, space};
use crate::ui::{Cx, DrawerTab};
use curves::Curves;
use egui::{Align, Color32, Frame, Panel, Rect, Ui, UiBuilder, pos2};
use messages::Toasts;
use presets::Presets;

const TABS: [DrawerTab; 3] = [DrawerTab::Curves, DrawerTab::Presets, DrawerTab::Messages];
/// Less cuts off the fields beside a curve.
const LEAST: f32 = 190.0;

/// What it keeps.
#[derive(Debug, Default)]
pub struct Drawer {
    curves: Curves,
    presets: Presets,
    toasts: Toasts,
}

impl Drawer {
    /// Another character is open: what was there before is not its own.
    pub fn forget(&mut self) {
        self.curves.closed();
    }

    /// Draws it as a panel of its own height, and the short messages over what is left for the viewport.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, layout: &Layout) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        let Some(tab) = cx.state.drawer else {
            self.curves.closed();
            let panel = Panel::bottom("drawer closed").exact_size(layout.drawer_closed).frame(frame);
            panel.show(ui, |ui| head_ui(ui, cx));
            self.toasts.show(ui, cx);
            return;
        };
        let most = (ui.available_height() - least::VIEWPORT[1]).max(LEAST);
        let panel = Panel::bottom("drawer")
            .resizable(true)
            .default_size(layout.drawer_open.max(LEAST))
            .size_range(LEAST..=most);
        panel.frame(frame).show(ui, |ui| {
            head_ui(ui, cx);
            let top = ui.min_rect().top() + layout.drawer_closed;
            let full = ui.max_rect();
            paint::hairline(ui.painter(), full.left(), full.right(), top, cx.theme.color.border);
            let body = Rect::from_min_max(pos2(full.left(), top + 1.0), full.max);
            let mut body = ui.new_child(UiBuilder::new().max_rect(body));
            match tab {
                DrawerTab::Curves => self.curves.show(&mut body, cx),
                DrawerTab::Presets => self.presets.show(&mut body, cx),
                DrawerTab::Messages => messages::show(&mut body, cx),
            }
            ui.allocate_rect(full, egui::Sense::hover());
        });
        if tab != DrawerTab::Curves {
            self.curves.closed();
        }
        self.toasts.show(ui, cx);
    }
}

fn head_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let full = ui.max_rect();
    let row = Rect::from_min_size(full.min, egui::vec2(full.width(), size::TAB));
    let open = cx.state.drawer;
    let layout = egui::Layout::left_to_right(Align::Center);
    let mut left = ui.new_child(UiBuilder::new().max_rect(row.with_min_x(row.left() + space::M)).layout(layout));
    let words = TABS.map(|tab| tab_words(cx, tab));
    let tabs = [
        Tab { icon: Some(icons::BEZIER_CURVE), ..Tab::new(&words[0]) },
        Tab { icon: Some(icons::SPARKLE), ..Tab::new(&words[1]) },
        Tab { icon: Some(icons::CHAT_TEXT), badge: count_badge(cx), ..Tab::new(&words[2]) },
    ];
    let chosen = open.and_then(|tab| TABS.iter().position(|t| *t == tab));
    if let Some(clicked) = tab_bar(&mut left, &tabs, chosen) {
        cx.state.drawer = if chosen == Some(clicked) { None } else { Some(TABS[clicked]) };
    }
    let layout = egui::Layout::right_to_left(Align::Center);
    let mut right = ui.new_child(UiBuilder::new().max_rect(row.with_max_x(row.right() - space::M)).layout(layout));
    let (key, icon) =
        if open.is_some() { ("drawer.close", icons::CARET_DOWN) } else { ("drawer.open", icons::CARET_UP) };
    let name = cx.tr(key);
    if IconButton::new(icon, &name).key("C").show(&mut right).clicked() {
        cx.state.drawer = if open.is_some() { None } else { Some(DrawerTab::Curves) };
    }
    match open {
        Some(DrawerTab::Curves) => curves::breadcrumb_ui(&mut right, cx),
        Some(DrawerTab::Messages) => messages::tools_ui(&mut right, cx),
        Some(DrawerTab::Presets) | None => {}
    }
    ui.advance_cursor_after_rect(row);
}

fn tab_words(cx: &Cx<'_>, tab: DrawerTab) -> std::borrow::Cow<'static, str> {
    match tab {
        DrawerTab::Curves => cx.tr("drawer.curves"),
        DrawerTab::Presets => cx.tr("drawer.presets"),
        DrawerTab::Messages => cx.tr("drawer.messages"),
    }
}

/// How many of the gravest messages there are, in their colour.
fn count_badge(cx: &Cx<'_>) -> Option<(Icon, Color32, usize)> {
    let list = cx.session().messages().list();
    let worst = list.iter().map(|m| m.diagnostic.severity).max()?;
    let tone = tone_of(worst);
    let gravest = list.iter().filter(|m| m.diagnostic.severity == worst).count();
    Some((tone.icon(), tone.color(&cx.theme), gravest))
}

fn tone_of(severity: Severity) -> Tone {
    match severity {
        Severity::Info => Tone::Info,
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Error,
    }
}
