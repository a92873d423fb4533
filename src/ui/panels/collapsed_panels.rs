//! What is left of the side panels in a narrow window: rails of icons, each of which opens its panel over the
//! viewport.

use crate::ui::kit::icons::{self, Icon, IconButton, paint_chain, paint_icon};
use crate::ui::kit::tokens::{size, space};
use crate::ui::{OutlinerTab, UiContext};
use egui::{Color32, Frame, Id, Order, Painter, Panel, Pos2, Rect, Stroke, Ui, vec2};

/// Width, points.
const WIDTH: f32 = 40.0;
/// Side of an icon, points.
const ICON_SIZE: f32 = 18.0;

/// Which panels are open.
#[derive(Debug, Default)]
pub struct PanelVisibility {
    outliner: bool,
    inspector: bool,
}

impl PanelVisibility {
    /// Closes what is open; whether something was.
    pub fn close_all(&mut self) -> bool {
        let was = self.outliner || self.inspector;
        *self = Self::default();
        was
    }

    /// The outliner's tabs as icons.
    pub fn outliner_icons_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::left("outliner_rail").exact_size(WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            for (tab, key) in OutlinerTab::ALL {
                let on = self.outliner && cx.state.outliner_tab == tab;
                if panel_icon_ui(ui, cx, key, on, |painter, at, ink| paint_tab_icon(painter, at, tab, ink)) {
                    self.outliner = !on;
                    cx.state.outliner_tab = tab;
                }
            }
            if cx.state.search_focus_wanted {
                self.outliner = true;
            }
        });
    }

    /// The inspector as an icon.
    pub fn inspector_icon_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::right("inspector_rail").exact_size(WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            if panel_icon_ui(ui, cx, "rail.inspector", self.inspector, |painter, at, ink| {
                paint_icon(painter, at, icons::SLIDERS_HORIZONTAL, ICON_SIZE, ink);
            }) {
                self.inspector = !self.inspector;
            }
        });
    }

    /// The outliner over the viewport, when it is open; returns where it is.
    pub fn open_outliner_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let place = free.with_max_x((free.left() + width).min(free.right()));
        if self.outliner { floating_panel_ui(ui, "outliner_open", place, contents) } else { Rect::NOTHING }
    }

    /// The inspector over the viewport, when it is open; returns where it is.
    pub fn open_inspector_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let place = free.with_min_x((free.right() - width).max(free.left()));
        if self.inspector { floating_panel_ui(ui, "inspector_open", place, contents) } else { Rect::NOTHING }
    }
}

/// The icon of a tab of the outliner; chains have their own mark.
pub(super) fn paint_tab_icon(painter: &Painter, at: Pos2, tab: OutlinerTab, ink: Color32) {
    match tab {
        OutlinerTab::Bones => paint_icon(painter, at, icons::BONE, ICON_SIZE, ink),
        OutlinerTab::Chains => paint_chain(painter, at, ICON_SIZE + 2.0, ink),
        OutlinerTab::Colliders => paint_icon(painter, at, icons::PILL, ICON_SIZE, ink),
        OutlinerTab::Meshes => paint_icon(painter, at, icons::CUBE, ICON_SIZE, ink),
    }
}

fn panel_icon_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    on: bool,
    paint: impl FnOnce(&Painter, Pos2, Color32),
) -> bool {
    const BLANK: Icon = Icon { name: "", glyph: " " };
    let name = cx.tr(key);
    ui.add_space(space::S);
    ui.horizontal(|ui| {
        ui.add_space((WIDTH - size::BUTTON) / 2.0);
        let response = IconButton::new(BLANK, &name).on(on).sized(size::BUTTON, ICON_SIZE).show(ui);
        let c = cx.theme.color;
        paint(ui.painter(), response.rect.center(), if on { c.selection_text } else { c.text_2 });
        response.clicked()
    })
    .inner
}

fn floating_panel_ui(ui: &Ui, name: &str, place: Rect, contents: impl FnOnce(&mut Ui)) -> Rect {
    let theme = crate::ui::kit::theme::Theme::of(ui);
    let frame = Frame::NONE
        .fill(theme.color.panel)
        .stroke(Stroke::new(crate::ui::kit::tokens::stroke::EDGE, theme.color.border_strong))
        .shadow(ui.visuals().popup_shadow);
    egui::Area::new(Id::unique(name)).order(Order::Middle).fixed_pos(place.min).constrain(false).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_min_size(place.size() - vec2(space::XXS, space::XXS));
            ui.set_max_size(place.size() - vec2(space::XXS, space::XXS));
            let inner = Rect::from_min_size(ui.max_rect().min, place.size() - vec2(space::XXS, space::XXS));
            contents(&mut ui.new_child(egui::UiBuilder::new().max_rect(inner)));
        });
    });
    place
}
