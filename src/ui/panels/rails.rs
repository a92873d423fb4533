//! What is left of the side panels in a narrow window: rails of icons, each of which opens its panel over the
//! viewport.

use crate::ui::kit::icons::{self, Icon, IconButton, paint_chain, paint_icon};
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, OutlinerTab};
use egui::{Color32, Frame, Id, Order, Painter, Panel, Pos2, Rect, Stroke, Ui, vec2};

/// Width, points.
const WIDTH: f32 = 40.0;
/// Side of an icon, points.
const SIDE: f32 = 18.0;

/// Which panels are open.
#[derive(Debug, Default)]
pub struct Rails {
    outliner: bool,
    inspector: bool,
}

impl Rails {
    /// Closes what is open; whether something was.
    pub fn close(&mut self) -> bool {
        let was = self.outliner || self.inspector;
        *self = Self::default();
        was
    }

    /// The outliner's tabs as icons.
    pub fn outliner_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::left("outliner_rail").exact_size(WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            for (tab, key) in OutlinerTab::ALL {
                let on = self.outliner && cx.state.outliner_tab == tab;
                if rail_button_ui(ui, cx, key, on, |painter, at, ink| paint_tab(painter, at, tab, ink)) {
                    self.outliner = !on;
                    cx.state.outliner_tab = tab;
                }
            }
            if cx.state.find_wanted {
                self.outliner = true;
            }
        });
    }

    /// The inspector as an icon.
    pub fn inspector_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::right("inspector_rail").exact_size(WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            if rail_button_ui(ui, cx, "rail.inspector", self.inspector, |painter, at, ink| {
                paint_icon(painter, at, icons::SLIDERS_HORIZONTAL, SIDE, ink);
            }) {
                self.inspector = !self.inspector;
            }
        });
    }

    /// The outliner over the viewport, when it is open; returns where it is.
    pub fn open_outliner_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let place = free.with_max_x((free.left() + width).min(free.right()));
        if self.outliner { floating_ui(ui, "outliner_open", place, contents) } else { Rect::NOTHING }
    }

    /// The inspector over the viewport, when it is open; returns where it is.
    pub fn open_inspector_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let place = free.with_min_x((free.right() - width).max(free.left()));
        if self.inspector { floating_ui(ui, "inspector_open", place, contents) } else { Rect::NOTHING }
    }
}

/// The icon of a tab of the outliner; chains have their own mark.
pub(super) fn paint_tab(painter: &Painter, at: Pos2, tab: OutlinerTab, ink: Color32) {
    match tab {
        OutlinerTab::Bones => paint_icon(painter, at, icons::BONE, SIDE, ink),
        OutlinerTab::Chains => paint_chain(painter, at, SIDE + 2.0, ink),
        OutlinerTab::Colliders => paint_icon(painter, at, icons::PILL, SIDE, ink),
        OutlinerTab::Meshes => paint_icon(painter, at, icons::CUBE, SIDE, ink),
    }
}

fn rail_button_ui(ui: &mut Ui, cx: &Cx<'_>, key: &str, on: bool, paint: impl FnOnce(&Painter, Pos2, Color32)) -> bool {
    const BLANK: Icon = Icon { name: "", glyph: " " };
    let name = cx.tr(key);
    ui.add_space(space::S);
    ui.horizontal(|ui| {
        ui.add_space((WIDTH - size::BUTTON) / 2.0);
        let response = IconButton::new(BLANK, &name).on(on).sized(size::BUTTON, SIDE).show(ui);
        let c = cx.theme.color;
        paint(ui.painter(), response.rect.center(), if on { c.selection_text } else { c.text_2 });
        response.clicked()
    })
    .inner
}

fn floating_ui(ui: &Ui, name: &str, place: Rect, contents: impl FnOnce(&mut Ui)) -> Rect {
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
