//! One parameter row of the inspector: `[marker][label][bar][hint][curve][reset]`, 26 points high.
//!
//! If a parameter has no effect, the next line shows the reason. The context menu can restore the loaded value and the
//! default of the program that the solver reproduces.

use super::paint::{self, faded};
use super::param_bar::{BarChange, ParamBar, RangeBar, RangeEnd};
use crate::tr;
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring, paint_icon};
use crate::ui::kit::theme::{self, TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::{
    CursorIcon, Popup, PopupCloseBehavior, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use yuremono_sim::math::Curve;

/// Width by which the marker extends into the panel's margin, in points.
const MARGIN_OVERLAP: f32 = 6.0;
const MARKER_WIDTH: f32 = 12.0;
const LABEL_MIN_WIDTH: f32 = 92.0;
/// Maximum growth of labels once bars have their preferred width: space for eight Japanese characters.
const LABEL_MAX_GROWTH: f32 = 16.0;
/// Preferred width of bars. Labels grow only once bars have this width.
const BAR_PREFERRED_WIDTH: f32 = 98.0;
const HINT_WIDTH: f32 = 50.0;
const CURVE_WIDTH: f32 = 36.0;
const RESET_WIDTH: f32 = 18.0;
const SHARED_MARK_WIDTH: f32 = 16.0;
/// Maximum number of curves in a thumbnail.
const MAX_THUMB_CURVES: usize = 5;

/// The marker before the label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeMarker {
    #[default]
    None,
    /// The value differs from the loaded value.
    Changed,
    /// At least one joint has its own value.
    Overridden,
}

#[derive(Clone, Copy, Debug)]
pub enum ParamControl<'a> {
    Bar(ParamBar<'a>),
    Range(RangeBar<'a>),
}

#[derive(Clone, Copy, Debug)]
pub struct ParamRow<'a> {
    pub label: &'a str,
    pub tooltip: &'a str,
    pub control: ParamControl<'a>,
    /// Meaning of the value, for example "3.0 Hz", or empty.
    pub hint: &'a str,
    pub marker: ChangeMarker,
    /// Text that lists the other objects that share the value. If the text is not empty, an icon follows the label.
    pub shared_with: &'a str,
    /// The different curves of the chains. An empty list represents a flat curve.
    pub curves: Option<&'a [Curve]>,
    /// Whether the curve editor shows this curve.
    pub curve_open: bool,
    /// The reason why the value has no effect. Empty if the next row shows the reason.
    pub no_effect_reason: Option<&'a str>,
    /// Whether the context menu can set the default of the program that the solver reproduces.
    pub has_default: bool,
    /// Whether the context menu offers a sweep.
    pub can_sweep: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamRowChange {
    Bar(BarChange),
    Range(RangeEnd, BarChange),
    OpenCurve,
    /// Resets to the loaded value.
    Reset,
    /// Sets the default of the program that the solver reproduces.
    OriginalDefault,
    /// Shows several values side by side.
    Sweep,
}

#[derive(Debug)]
pub struct ParamRowOutput {
    pub response: Response,
    /// Whether the pointer is over any part of the row.
    pub hovered: bool,
    pub changes: Vec<ParamRowChange>,
}

struct ParamRowLayout {
    marker: Rect,
    label: Rect,
    control: Rect,
    hint: Rect,
    curve: Rect,
    reset: Rect,
}

impl ParamRowLayout {
    fn of(row: Rect) -> Self {
        let mut left = row.left() - MARGIN_OVERLAP;
        let mut take = |width: f32| {
            let rect = Rect::from_min_max(pos2(left, row.top()), pos2(left + width, row.bottom()));
            left += width;
            rect
        };
        let right = row.right() + space::XXS;
        let spare = row.width() + MARGIN_OVERLAP + 2.0
            - MARKER_WIDTH
            - LABEL_MIN_WIDTH
            - HINT_WIDTH
            - CURVE_WIDTH
            - RESET_WIDTH;
        // Bars grow to their preferred width first. Labels get the next space, and bars get the remaining space.
        let label = LABEL_MIN_WIDTH + (spare - BAR_PREFERRED_WIDTH).clamp(0.0, LABEL_MAX_GROWTH);
        let (dot, label) = (take(MARKER_WIDTH), take(label));
        let control = take(right - label.right() - HINT_WIDTH - CURVE_WIDTH - RESET_WIDTH);
        let (hint, curve, reset) = (take(HINT_WIDTH), take(CURVE_WIDTH), take(RESET_WIDTH));
        Self { marker: dot, label, control, hint, curve, reset }
    }
}

impl<'a> ParamRow<'a> {
    /// Creates a row without a curve, hint or marker.
    pub fn new(label: &'a str, control: ParamControl<'a>) -> Self {
        Self {
            label,
            tooltip: "",
            control,
            hint: "",
            marker: ChangeMarker::None,
            shared_with: "",
            curves: None,
            curve_open: false,
            no_effect_reason: None,
            has_default: true,
            can_sweep: false,
        }
    }

    /// Draws the row over the full width.
    pub fn show(self, ui: &mut Ui) -> ParamRowOutput {
        let size = vec2(ui.available_width(), size::ROW);
        let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let mut changes = Vec::new();
        let hovered = ui.rect_contains_pointer(rect);
        if hovered {
            ui.painter().rect_filled(
                rect.expand2(vec2(MARGIN_OVERLAP - 1.0, 0.0)),
                radius::FIELD,
                Theme::of(ui).color.hover,
            );
        }
        let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(("row", self.label)));
        self.show_parts(&mut inner, rect, &mut changes);
        if let Some(reason) = self.no_effect_reason.filter(|reason| !reason.is_empty()) {
            info_note(ui, reason, MARKER_WIDTH - MARGIN_OVERLAP);
        }
        ui.spacing_mut().item_spacing.y = spacing;
        ParamRowOutput { response, hovered, changes }
    }

    fn show_parts(&self, ui: &mut Ui, rect: Rect, changes: &mut Vec<ParamRowChange>) {
        let theme = Theme::of(ui);
        let layout = ParamRowLayout::of(rect);
        self.paint_marker(ui, &theme, layout.marker);
        let control = Rect::from_center_size(layout.control.center(), vec2(layout.control.width(), size::BAR));
        let control = match self.control {
            ParamControl::Bar(bar) => {
                let out = bar.show_in(ui, control);
                changes.extend(out.changes.into_iter().map(ParamRowChange::Bar));
                out.response
            }
            ParamControl::Range(range) => {
                let out = range.show_in(ui, control);
                changes.extend(out.changes.into_iter().map(|(end, change)| ParamRowChange::Range(end, change)));
                out.response
            }
        };
        let label = self.label_ui(ui, &theme, layout.label);
        self.menu_ui(&theme, &label, changes);
        self.menu_ui(&theme, &control, changes);
        let hint_color = if ui.rect_contains_pointer(rect) { theme.color.text_2 } else { theme.color.text_3 };
        let hint = paint::elided(ui, self.hint, TextSize::Small, hint_color, HINT_WIDTH - space::S);
        paint::paint_galley_left(ui.painter(), layout.hint.left_center() + vec2(space::S, 0.0), hint);
        if let Some(curves) = self.curves {
            let [width, height] = size::CURVE_THUMB;
            let thumbnail_rect = Rect::from_center_size(layout.curve.center(), vec2(width, height));
            let hit =
                ui.interact(thumbnail_rect.expand2(vec2(space::XXS, 3.0)), ui.scope_id().with("curve"), Sense::click());
            if curve_thumbnail_at(ui, thumbnail_rect, hit, self.label, curves, self.role(), self.curve_open).clicked() {
                changes.push(ParamRowChange::OpenCurve);
            }
        }
        if self.marker == ChangeMarker::Changed {
            let name = tr!(theme, "Reset {name}", name = self.label);
            let hit = ui.interact(layout.reset.expand2(vec2(3.0, 0.0)), ui.scope_id().with("reset"), Sense::click());
            let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &name).tiny();
            let reset = button.show_at(ui, Rect::from_center_size(layout.reset.center(), vec2(20.0, 20.0)), hit);
            if reset.clicked() {
                changes.push(ParamRowChange::Reset);
            }
            self.menu_ui(&theme, &reset, changes);
        }
    }

    fn role(&self) -> theme::ColorRole {
        match self.control {
            ParamControl::Bar(bar) => bar.role,
            ParamControl::Range(range) => range.role,
        }
    }

    fn paint_marker(&self, ui: &Ui, theme: &Theme, rect: Rect) {
        let center = pos2(rect.left() + 5.0, rect.center().y);
        match self.marker {
            ChangeMarker::None => {}
            ChangeMarker::Changed => {
                ui.painter().circle_filled(center, 2.5, theme.color.accent);
            }
            ChangeMarker::Overridden => {
                ui.painter().circle_stroke(center, 2.5, Stroke::new(1.25, theme.color.accent));
            }
        }
    }

    fn label_ui(&self, ui: &Ui, theme: &Theme, rect: Rect) -> Response {
        let plain = self.no_effect_reason.is_none();
        let color = if plain { theme.color.text } else { theme.color.text_3 };
        let mark_width = if self.shared_with.is_empty() { 0.0 } else { SHARED_MARK_WIDTH };
        let label = paint::fitted(ui, self.label, color, rect.width() - space::S - mark_width);
        let written = paint::paint_galley_left(ui.painter(), rect.left_center(), label);
        let response = ui.interact(rect, ui.scope_id().with("label"), Sense::click());
        if !self.shared_with.is_empty() {
            self.shared_mark_ui(ui, theme, pos2(written.right() + SHARED_MARK_WIDTH / 2.0 + 3.0, rect.center().y));
        }
        let mark = match self.marker {
            ChangeMarker::None => None,
            ChangeMarker::Changed => Some(tr!(theme, "Differs from the value as loaded")),
            ChangeMarker::Overridden => Some(tr!(theme, "A joint has its own value")),
        };
        if self.tooltip.is_empty() && self.shared_with.is_empty() && mark.is_none() {
            return response;
        }
        response.on_hover_ui(|ui| {
            ui.set_max_width(300.0);
            ui.spacing_mut().item_spacing.y = space::XXS;
            ui.label(TextSize::Strong.rich(self.label));
            if !self.tooltip.is_empty() {
                ui.label(TextSize::Body.rich(self.tooltip));
            }
            if !self.shared_with.is_empty() {
                ui.label(TextSize::Body.rich(self.shared_with).color(theme.color.accent));
            }
            ui.label(
                TextSize::Small
                    .rich(tr!(theme, "Drag to change. Shift: ten times finer. Ctrl: snap. Click: type."))
                    .color(theme.color.text_3),
            );
            if self.can_sweep {
                ui.label(
                    TextSize::Small
                        .rich(tr!(theme, "Right-click: reset, or sweep several values side by side."))
                        .color(theme.color.text_3),
                );
            }
            if let Some(mark) = mark {
                ui.label(TextSize::Small.rich(mark).color(theme.color.accent));
            }
        })
    }

    /// Draws the icon of a value that other chains share. The tooltip of the label lists the chains.
    fn shared_mark_ui(&self, ui: &Ui, theme: &Theme, center: Pos2) {
        let rect = Rect::from_center_size(center, vec2(SHARED_MARK_WIDTH, size::ROW - 4.0));
        let mark = ui.interact(rect, ui.scope_id().with("shared"), Sense::hover());
        mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.shared_with));
        let color = if mark.hovered() { theme.color.text } else { theme.color.text_3 };
        paint_icon(ui.painter(), center, icons::LINK_SIMPLE, 12.0, color);
    }

    fn menu_ui(&self, theme: &Theme, on: &Response, changes: &mut Vec<ParamRowChange>) {
        Popup::context_menu(on).close_behavior(PopupCloseBehavior::CloseOnClick).show(|ui| {
            ui.set_min_width(160.0);
            let loaded = egui::Button::new(tr!(theme, "As loaded"));
            if ui.add_enabled(self.marker == ChangeMarker::Changed, loaded).clicked() {
                changes.push(ParamRowChange::Reset);
            }
            if ui.add_enabled(self.has_default, egui::Button::new(tr!(theme, "Original default"))).clicked() {
                changes.push(ParamRowChange::OriginalDefault);
            }
            if self.can_sweep && ui.button(tr!(theme, "Sweep…")).clicked() {
                changes.push(ParamRowChange::Sweep);
            }
        });
    }
}

/// Draws a wrapped sentence with an info icon. `indent` is in points.
pub fn info_note(ui: &mut Ui, sentence: &str, indent: f32) -> Response {
    note_with_icon(ui, icons::INFO, sentence, indent)
}

pub fn note_with_icon(ui: &mut Ui, icon: Icon, sentence: &str, indent: f32) -> Response {
    let c = Theme::of(ui).color;
    let width = ui.available_width() - indent - 16.0;
    let galley = ui.painter().layout(sentence.to_owned(), TextSize::Small.font(), c.text_3, width);
    let height = galley.size().y.max(TextSize::Small.token().line);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height + 4.0), Sense::hover());
    let middle = rect.top() + TextSize::Small.token().line / 2.0;
    paint_icon(ui.painter(), pos2(rect.left() + indent + 5.5, middle), icon, size::ICON_TINY, c.text_3);
    ui.painter().galley(pos2(rect.left() + indent + 16.0, rect.top() + stroke::HAIRLINE), galley, c.text_3);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, sentence));
    response
}

/// Draws a thumbnail of 32 × 18 points for an existing response. Several curves share one scale. `open` highlights the
/// outline.
pub fn curve_thumbnail_at(
    ui: &Ui,
    rect: Rect,
    response: Response,
    name: &str,
    curves: &[Curve],
    role: theme::ColorRole,
    open: bool,
) -> Response {
    let theme = Theme::of(ui);
    let c = theme.color;
    let label = tr!(theme, "Curve of {name}", name);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, &label));
    let edge = match () {
        () if open => c.accent,
        () if response.hovered() => c.border_strong,
        () => c.border,
    };
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    paint_thumbnail_curves(ui, &theme, rect, curves, role);
    focus_ring(ui, &response, rect, radius::FIELD);
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(label)
}

/// Draws the curves of a thumbnail. Only one flat curve, or none, is a line in the middle.
fn paint_thumbnail_curves(ui: &Ui, theme: &Theme, rect: Rect, curves: &[Curve], role: theme::ColorRole) {
    let inside = rect.shrink2(vec2(3.0, space::XS));
    if curves.iter().all(Curve::is_flat) {
        let line = vec![inside.left_center(), inside.right_center()];
        ui.painter().add(Shape::line(line, Stroke::new(1.5, faded(theme.color.text_3, 0.9))));
        return;
    }
    // More curves would fill the thumbnail.
    let shown = &curves[..curves.len().min(MAX_THUMB_CURVES)];
    let samples: Vec<Vec<f32>> = shown.iter().map(sample_curve).collect();
    let all = || samples.iter().flatten().copied();
    // The value range includes 0.
    let (low, high) = (all().fold(0.0, f32::min), all().fold(1e-6, f32::max));
    let (width, opacity) = if shown.len() == 1 { (1.5, 1.0) } else { (1.0, 0.75) };
    for values in &samples {
        let point = |(i, v): (usize, &f32)| {
            let x = inside.left() + inside.width() * i as f32 / (values.len() - 1) as f32;
            pos2(x, inside.bottom() - inside.height() * (v - low) / (high - low))
        };
        let line = values.iter().enumerate().map(point).collect();
        ui.painter().add(Shape::line(line, Stroke::new(width, faded(theme.role(role), opacity))));
    }
}

fn sample_curve(curve: &Curve) -> Vec<f32> {
    (0..=24_u8).map(|i| curve.eval(f32::from(i) / 24.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::{fonts, i18n};
    use yuremono_sim::FeelParam;

    #[test]
    fn labels_of_feel_fit_the_narrowest_inspector_in_both_languages() {
        let ctx = egui::Context::default();
        fonts::install(&ctx);
        ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        for lang in i18n::Lang::ALL {
            for term in FeelParam::ALL {
                let label = i18n::param_label(lang, term.def()).into_owned();
                let font = TextSize::Small.font();
                let galley = ctx.fonts_mut(|f| f.layout_no_wrap(label.clone(), font, egui::Color32::WHITE));
                assert!(galley.size().x <= LABEL_MIN_WIDTH - space::S, "{label}: {}", galley.size().x);
            }
        }
    }
}
