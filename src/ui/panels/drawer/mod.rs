//! The drawer below the viewport with curves, graph, presets, Doctor and messages.
//!
//! A click on the open tab closes the drawer. This module also draws the toasts, because the message list contains the
//! same messages.

mod curves;
mod doctor;
mod graph;
mod messages;
pub(in crate::ui) mod presets;

use crate::tr;
use crate::ui::kit::frame::MessageLevel;
use crate::ui::kit::icons::{self, Icon, IconButton};
use crate::ui::kit::paint;
use crate::ui::kit::toggle::{Tab, tab_bar};
use crate::ui::kit::tokens::{PanelSizes, min_size, size, space};
use crate::ui::{DrawerTab, UiContext};
use curves::CurvesTab;
use doctor::DoctorTab;
use egui::{Align, Color32, Frame, Panel, Rect, Ui, UiBuilder, pos2};
use graph::GraphTab;
use messages::Toasts;
use presets::PresetsTab;
use yuremono_session::Command;
use yuremono_sim::diagnostics::Severity;

const TABS: [DrawerTab; 5] =
    [DrawerTab::Curves, DrawerTab::Graph, DrawerTab::Presets, DrawerTab::Doctor, DrawerTab::Messages];
/// Minimum height, in points. At smaller heights, the fields next to a curve are clipped.
const MIN_HEIGHT: f32 = 190.0;
/// The smallest width of a header whose tabs have icons, in points.
const MIN_WIDTH_WITH_ICONS: f32 = 780.0;

#[derive(Debug, Default)]
pub struct Drawer {
    curves: CurvesTab,
    graph: GraphTab,
    presets: PresetsTab,
    doctor: DoctorTab,
    toasts: Toasts,
}

impl Drawer {
    /// Clears the state of the previous character.
    pub fn forget(&mut self) {
        self.curves.forget_backup();
        self.graph.forget();
        self.doctor.forget();
    }

    /// Draws the drawer, and the toasts over the rest of the viewport.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, layout: &PanelSizes) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        let Some(tab) = cx.state.drawer_tab else {
            self.curves.forget_backup();
            end_probe(cx);
            let panel = Panel::bottom("drawer closed").exact_size(layout.drawer_closed).frame(frame);
            panel.show(ui, |ui| self.header_ui(ui, cx));
            self.toasts.show(ui, cx);
            return;
        };
        let most = (ui.available_height() - min_size::VIEWPORT[1]).max(MIN_HEIGHT);
        let panel = Panel::bottom("drawer")
            .resizable(true)
            .default_size(layout.drawer_open.max(MIN_HEIGHT))
            .size_range(MIN_HEIGHT..=most);
        panel.frame(frame).show(ui, |ui| {
            self.header_ui(ui, cx);
            let top = ui.min_rect().top() + layout.drawer_closed;
            let full = ui.max_rect();
            paint::hairline(ui.painter(), full.left(), full.right(), top, cx.theme.color.border);
            let body = Rect::from_min_max(pos2(full.left(), top + 1.0), full.max);
            let mut body = ui.new_child(UiBuilder::new().max_rect(body));
            match tab {
                DrawerTab::Curves => self.curves.show(&mut body, cx),
                DrawerTab::Graph => {
                    if !self.graph.shows_parts() {
                        end_probe(cx);
                    }
                    self.graph.show(&mut body, cx);
                }
                DrawerTab::Presets => self.presets.show(&mut body, cx),
                DrawerTab::Doctor => self.doctor.show(&mut body, cx),
                DrawerTab::Messages => messages::show(&mut body, cx),
            }
            ui.allocate_rect(full, egui::Sense::hover());
        });
        if tab != DrawerTab::Graph {
            end_probe(cx);
        }
        if tab != DrawerTab::Curves {
            self.curves.forget_backup();
        }
        self.toasts.show(ui, cx);
    }

    fn header_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let full = ui.max_rect();
        let row = Rect::from_min_size(full.min, egui::vec2(full.width(), size::TAB));
        let open = cx.state.drawer_tab;
        let layout = egui::Layout::left_to_right(Align::Center);
        let mut left = ui.new_child(UiBuilder::new().max_rect(row.with_min_x(row.left() + space::M)).layout(layout));
        let labels = TABS.map(|tab| tab_text(cx, tab));
        self.doctor.update_when_idle(ui, cx);
        // A narrow header needs the space for the tools of the open tab.
        let icon = |icon: Icon| Some(icon).filter(|_| row.width() >= MIN_WIDTH_WITH_ICONS);
        let tabs = [
            Tab { icon: icon(icons::BEZIER_CURVE), ..Tab::new(&labels[0]) },
            Tab { icon: icon(icons::CHART_LINE), ..Tab::new(&labels[1]) },
            Tab { icon: icon(icons::SPARKLE), ..Tab::new(&labels[2]) },
            Tab { icon: icon(icons::CHECK_CIRCLE), badge: self.doctor.badge(cx), ..Tab::new(&labels[3]) },
            Tab { icon: icon(icons::CHAT_TEXT), badge: count_badge(cx), ..Tab::new(&labels[4]) },
        ];
        let chosen = open.and_then(|tab| TABS.iter().position(|t| *t == tab));
        if let Some(clicked) = tab_bar(&mut left, &tabs, chosen) {
            cx.state.drawer_tab = if chosen == Some(clicked) { None } else { Some(TABS[clicked]) };
        }
        let layout = egui::Layout::right_to_left(Align::Center);
        let mut right = ui.new_child(UiBuilder::new().max_rect(row.with_max_x(row.right() - space::M)).layout(layout));
        let (name, icon) = if open.is_some() {
            (tr!(cx, "Close drawer"), icons::CARET_DOWN)
        } else {
            (tr!(cx, "Open drawer"), icons::CARET_UP)
        };
        if IconButton::new(icon, &name).key("C").show(&mut right).clicked() {
            cx.state.drawer_tab = if open.is_some() { None } else { Some(DrawerTab::Curves) };
        }
        match open {
            Some(DrawerTab::Curves) => curves::breadcrumb_ui(&mut right, cx),
            Some(DrawerTab::Graph) => self.graph.tools_ui(&mut right, cx),
            Some(DrawerTab::Doctor) => self.doctor.tools_ui(&mut right, cx),
            Some(DrawerTab::Messages) => messages::tools_ui(&mut right, cx),
            Some(DrawerTab::Presets) | None => {}
        }
        ui.advance_cursor_after_rect(row);
    }
}

/// Ends the probe of a joint, because a probed step takes longer.
fn end_probe(cx: &mut UiContext<'_>) {
    if cx.playback().probed_bone().is_some() {
        cx.command(Command::ProbeJoint(None));
    }
}

fn tab_text(cx: &UiContext<'_>, tab: DrawerTab) -> std::borrow::Cow<'static, str> {
    match tab {
        DrawerTab::Curves => tr!(cx, "Curves"),
        DrawerTab::Graph => tr!(cx, "Graph"),
        DrawerTab::Presets => tr!(cx, "Presets"),
        DrawerTab::Doctor => tr!(cx, "Doctor"),
        DrawerTab::Messages => tr!(cx, "Messages"),
    }
}

/// Returns the icon and the colour of the highest severity, and the number of messages with this severity.
fn count_badge(cx: &UiContext<'_>) -> Option<(Icon, Color32, usize)> {
    let list = cx.session().messages().entries();
    let worst = list.iter().map(|m| m.diagnostic.severity).max()?;
    let tone = message_level(worst);
    let gravest = list.iter().filter(|m| m.diagnostic.severity == worst).count();
    Some((tone.icon(), tone.color(&cx.theme), gravest))
}

fn message_level(severity: Severity) -> MessageLevel {
    match severity {
        Severity::Info => MessageLevel::Info,
        Severity::Warning => MessageLevel::Warning,
        Severity::Error => MessageLevel::Error,
    }
}
