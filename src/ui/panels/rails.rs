//! What is left of the side panels in a narrow window: rails of icons, each of which opens its panel over the
//! viewport.

use crate::ui::icons::{self, Icon, IconButton, paint_chain};
use crate::ui::tokens::{SPACE, size};
use crate::ui::{Cx, OutlinerTab};
use egui::{Frame, Id, Order, Panel, Rect, Stroke, Ui, pos2, vec2};

/// Width, points.
const WIDTH: f32 = 40.0;

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
                let icon = match tab {
                    OutlinerTab::Bones => Some(icons::BONE),
                    OutlinerTab::Chains => None,
                    OutlinerTab::Colliders => Some(icons::PILL),
                    OutlinerTab::Meshes => Some(icons::CUBE),
                };
                let on = self.outliner && cx.state.outliner_tab == tab;
                if rail_button_ui(ui, cx, icon, key, on) {
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
            if rail_button_ui(ui, cx, Some(icons::SLIDERS_HORIZONTAL), "rail.inspector", self.inspector) {
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

/// A button of a rail; without icon it has the mark of a chain.
fn rail_button_ui(ui: &mut Ui, cx: &Cx<'_>, icon: Option<Icon>, key: &str, on: bool) -> bool {
    let name = cx.tr(key);
    ui.add_space(SPACE[2]);
    ui.horizontal(|ui| {
        ui.add_space((WIDTH - size::BUTTON) / 2.0);
        let blank = Icon { name: "", glyph: " " };
        let button = IconButton::new(icon.unwrap_or(blank), &name).on(on).sized(size::BUTTON, size::ICON_LARGE - 2.0);
        let response = button.show(ui);
        if icon.is_none() {
            let c = cx.theme.color;
            let ink = if on { c.selection_text } else { c.text_2 };
            paint_chain(ui.painter(), response.rect.center(), size::ICON_LARGE, ink);
        }
        response.clicked()
    })
    .inner
}

fn floating_ui(ui: &Ui, name: &str, place: Rect, contents: impl FnOnce(&mut Ui)) -> Rect {
    let theme = crate::ui::theme::Theme::of(ui);
    let frame = Frame::NONE
        .fill(theme.color.panel)
        .stroke(Stroke::new(crate::ui::tokens::stroke::EDGE, theme.color.border_strong))
        .shadow(ui.visuals().popup_shadow);
    egui::Area::new(Id::unique(name)).order(Order::Middle).fixed_pos(place.min).constrain(false).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_min_size(place.size() - vec2(2.0, 2.0));
            ui.set_max_size(place.size() - vec2(2.0, 2.0));
            let inner = Rect::from_min_size(ui.max_rect().min, place.size() - vec2(2.0, 2.0));
            contents(&mut ui.new_child(egui::UiBuilder::new().max_rect(inner)));
            ui.allocate_rect(Rect::from_min_size(inner.min, pos2(0.0, 0.0).to_vec2()), egui::Sense::hover());
        });
    });
    place
}
