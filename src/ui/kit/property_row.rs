//! One row of a dialog: the label in the left column, then the controls, then a note.
//!
//! The label column has the same width in all dialogs, so that controls are below each other. A wider label widens the
//! column of its dialog.

use super::number::NumberInput;
use super::paint;
use super::text_field::TextField;
use super::toggle::{Choice, segmented_choice};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{size, space};
use egui::emath::Numeric;
use egui::{Align, Color32, Frame, Layout, Margin, Response, Role, Sense, Ui, WidgetInfo, vec2};

/// Smallest width of the label column.
const LABEL_WIDTH: f32 = 104.0;

#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct PropertyRow<'a> {
    label: &'a str,
    tooltip: &'a str,
    note: &'a str,
    note_color: Option<Color32>,
    wraps: bool,
}

impl<'a> PropertyRow<'a> {
    /// Creates a row. A row without a label continues the row above.
    pub const fn new(label: &'a str) -> Self {
        Self { label, tooltip: "", note: "", note_color: None, wraps: false }
    }

    /// Sets the tooltip of the label and of a number.
    pub const fn tooltip(self, tooltip: &'a str) -> Self {
        Self { tooltip, ..self }
    }

    /// Sets the small text after the controls.
    pub const fn note(self, note: &'a str) -> Self {
        Self { note, ..self }
    }

    pub const fn note_color(self, color: Color32) -> Self {
        Self { note_color: Some(color), ..self }
    }

    /// Continues the controls below if they do not fit next to each other.
    pub const fn wrapped(self) -> Self {
        Self { wraps: true, ..self }
    }

    /// Draws the row with these controls.
    pub fn show<R>(self, ui: &mut Ui, controls: impl FnOnce(&mut Ui) -> R) -> R {
        self.draw(ui, true, controls)
    }

    /// Draws a segmented choice. Returns whether the artist chose another value.
    pub fn choice<T: Copy + PartialEq>(self, ui: &mut Ui, choices: &[Choice<'_, T>], value: &mut T) -> bool {
        self.show(ui, |ui| segmented_choice(ui, choices, value))
    }

    /// Draws a number. Returns whether the artist entered a number.
    pub fn number<T: Numeric>(self, ui: &mut Ui, input: NumberInput, value: &mut T) -> bool {
        self.draw(ui, false, |ui| with_tooltip(input.show(ui, self.label, value), self.tooltip).changed())
    }

    /// Draws a text field over the rest of the row. The label replaces the name of the field.
    pub fn text(self, ui: &mut Ui, field: TextField<'_>, text: &mut String) -> Response {
        self.draw(ui, false, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::BUTTON), Sense::hover());
            TextField { name: self.label, ..field }.show(ui, rect, text)
        })
    }

    /// Draws the row. The label has no accessible node if a control has the same name.
    fn draw<R>(self, ui: &mut Ui, has_label_node: bool, controls: impl FnOnce(&mut Ui) -> R) -> R {
        let row = ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = space::M;
            self.label_ui(ui, has_label_node && !self.label.is_empty());
            let layout = Layout::left_to_right(Align::Center).with_main_wrap(self.wraps);
            let controls = ui.allocate_ui_with_layout(vec2(ui.available_width(), size::BUTTON), layout, |ui| {
                ui.set_min_height(size::BUTTON);
                let result = controls(ui);
                if !self.note.is_empty() {
                    note_ui(ui, self.note, self.note_color.unwrap_or(Theme::of(ui).color.text_3));
                }
                result
            });
            controls.inner
        });
        row.inner
    }

    fn label_ui(&self, ui: &mut Ui, has_node: bool) {
        let width = column_width(ui, paint::text_width(ui, self.label, TextSize::Body));
        let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::hover());
        let galley = paint::elided(ui, self.label, TextSize::Body, Theme::of(ui).color.text_2, rect.width() + 1.0);
        paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
        if has_node {
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.label));
        }
        with_tooltip(response, self.tooltip);
    }
}

/// Returns the width of the label column: the widest label that the window has shown in this language.
fn column_width(ui: &Ui, label_width: f32) -> f32 {
    let id = ui.layer_id().id.with(("label column", Theme::of(ui).is_japanese()));
    let known = ui.data(|d| d.get_temp(id)).unwrap_or(LABEL_WIDTH);
    if label_width > known {
        ui.data_mut(|d| d.insert_temp(id, label_width));
        ui.ctx().request_repaint();
    }
    known.max(label_width)
}

fn with_tooltip(response: Response, tooltip: &str) -> Response {
    if tooltip.is_empty() { response } else { response.on_hover_text(tooltip) }
}

/// Draws small text up to the right edge. The tooltip shows the whole text if the text is elided.
pub fn note_ui(ui: &mut Ui, text: &str, color: Color32) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width().max(0.0), size::HIT_MIN), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    let galley = paint::elided(ui, text, TextSize::Small, color, rect.width());
    let is_cut = galley.elided;
    paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
    with_tooltip(response, if is_cut { text } else { "" });
}

/// Draws rows with the padding of a dialog.
pub fn property_rows<R>(ui: &mut Ui, rows: impl FnOnce(&mut Ui) -> R) -> R {
    let frame = Frame::new().inner_margin(Margin::symmetric(space::XL as i8, space::M as i8));
    let shown = frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(space::M, space::XS);
        rows(ui)
    });
    shown.inner
}

/// Returns the height of [`property_rows`].
pub const fn property_rows_height(count: usize) -> f32 {
    count as f32 * (size::BUTTON + space::XS) - space::XS + 2.0 * space::M
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::fonts;

    #[test]
    fn a_wide_label_moves_the_controls_of_all_rows() {
        let ctx = egui::Context::default();
        fonts::install(&ctx);
        let lefts = |labels: &[&str]| {
            let mut lefts = Vec::new();
            ctx.run_ui(egui::RawInput::default(), |ui| {
                let row = |label: &&str| PropertyRow::new(label).show(ui, |ui| ui.cursor().left());
                lefts = labels.iter().map(row).collect();
            })
            .textures_delta
            .clear();
            lefts
        };
        // egui loads fonts in the first frame.
        lefts(&[]);
        let before = lefts(&["Rate", "Range"]);
        assert_eq!(before[0], before[1]);
        let labels = ["Rate", "A label that is wider than the column"];
        lefts(&labels);
        let after = lefts(&labels);
        assert_eq!(after[0], after[1]);
        assert!(after[0] > before[0]);
    }
}
