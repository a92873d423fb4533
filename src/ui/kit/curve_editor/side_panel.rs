//! The column next to the plot: preset shapes, exact values of the selected key, base value and axis.

use super::{
    AxisDomain, BaseValue, CurveAxis, CurveChange, CurveEditorInput, CurveEditorMemory, SIDE_WIDTH,
    push_committed_change,
};
use crate::tr;
use crate::ui::kit::icons::{self, focus_ring, paint_icon};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::number::number_field;
use crate::ui::kit::paint;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::{Align2, Label, Popup, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveKey, CurveShape};

/// Minimum height at which up to four shapes are shown in pairs, with names; more shapes need more height. At smaller
/// heights, or if a name is too wide, all shapes form one row of icons.
const MIN_HEIGHT_FOR_NAMES: f32 = 183.0;
const BUTTON_PADDING: f32 = 34.0;
const GAP: f32 = 6.0;
/// Width of the column without its margins.
const INNER_WIDTH: f32 = SIDE_WIDTH - 2.0 * space::L;
/// Smallest width of the labels of fields.
const MIN_LABEL_WIDTH: f32 = 42.0;
/// Width of a field with one value.
const FIELD_WIDTH: f32 = 64.0;

pub(super) fn side_panel_ui(
    ui: &mut Ui,
    view: &CurveEditorInput<'_>,
    memory: &CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    ui.spacing_mut().item_spacing = vec2(GAP, GAP);
    shapes_ui(ui, view, changes);
    key_fields_ui(ui, view, memory, changes);
    if let Some(base) = &view.base {
        base_ui(ui, view, base, changes);
    }
    match view.axis {
        CurveAxis::Chain { domain: along, can_choose_domain: can_choose_along, .. } => {
            unit_range_ui(ui, view, changes);
            domain_ui(ui, along, can_choose_along, changes);
        }
        CurveAxis::Measure { end_label: end, span, format, .. } => {
            end_ui(ui, end, span, format, changes);
            unit_range_ui(ui, view, changes);
        }
    }
}

fn shapes_ui(ui: &mut Ui, view: &CurveEditorInput<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let names: Vec<_> = view.shapes.iter().map(|shape| theme.tr(shape_key(*shape))).collect();
    let count = names.len().max(1);
    let rows = count.div_ceil(2);
    let fit = |name: &Cow<'_, str>| {
        paint::text_width(ui, name, TextSize::Small) <= (INNER_WIDTH - GAP) / 2.0 - BUTTON_PADDING
    };
    let roomy = ui.max_rect().height() + space::XL
        >= MIN_HEIGHT_FOR_NAMES + rows.saturating_sub(2) as f32 * (size::HIT_MIN + GAP);
    let in_a_row = if roomy && names.iter().all(fit) { 2 } else { count };
    let width = (INNER_WIDTH - GAP * (in_a_row - 1) as f32) / in_a_row as f32;
    for (shapes, names) in view.shapes.chunks(in_a_row).zip(names.chunks(in_a_row)) {
        ui.horizontal(|ui| {
            for (&shape, name) in shapes.iter().zip(names) {
                let curve = Curve::from_shape(shape);
                let curve = if view.is_straight { curve.to_linear() } else { curve };
                if shape_button(ui, shape, name, &curve, view, width, in_a_row == 2) {
                    push_committed_change(curve, changes);
                }
            }
        });
    }
}

const fn shape_key(shape: CurveShape) -> MessageText {
    match shape {
        CurveShape::Flat => message!("Flat"),
        CurveShape::Ease => message!("Ease"),
        CurveShape::Linear => message!("Linear"),
        CurveShape::StiffTip => message!("Stiff tip"),
        CurveShape::LinearRise => message!("Linear rise"),
        CurveShape::SmoothRise => message!("Smooth rise"),
        CurveShape::LinearFall => message!("Linear fall"),
        CurveShape::SmoothFall => message!("Smooth fall"),
        CurveShape::RiseAndFall => message!("Rise and fall"),
    }
}

/// Draws a shape button with an icon. The name is shown if the name fits.
fn shape_button(
    ui: &mut Ui,
    shape: CurveShape,
    name: &str,
    curve: &Curve,
    view: &CurveEditorInput<'_>,
    width: f32,
    named: bool,
) -> bool {
    let theme = Theme::of(ui);
    let c = theme.color;
    let on = view.curve == curve;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, name));
    let (fill, edge) = match () {
        () if on => (c.hover, c.accent),
        () if response.hovered() => (c.hover, c.border_strong),
        () => (c.raised, c.border),
    };
    ui.painter().rect(rect, radius::FIELD, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let middle = if named { rect.left() + space::XL } else { rect.center().x };
    let icon_rect = Rect::from_center_size(pos2(middle, rect.center().y), vec2(16.0, 9.0));
    let points = (0..=12_u8)
        .map(|i| f32::from(i) / 12.0)
        .map(|t| {
            pos2(icon_rect.left() + t * icon_rect.width(), icon_rect.bottom() - curve.eval(t) * icon_rect.height())
        })
        .map(|p| if shape == CurveShape::Flat { pos2(p.x, icon_rect.center().y) } else { p });
    ui.painter().add(Shape::line(points.collect(), Stroke::new(1.5, theme.role(view.role))));
    focus_ring(ui, &response, rect, radius::FIELD);
    if !named {
        return response.on_hover_text(name).clicked();
    }
    let galley = paint::elided(ui, name, TextSize::Small, c.text, rect.width() - BUTTON_PADDING);
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + 30.0, rect.center().y), galley);
    response.clicked()
}

/// Returns the width that shows labels of fields in full. `fields` is the width of the fields and the gaps.
fn label_width(ui: &Ui, labels: &[&str], fields: f32) -> f32 {
    let natural = labels.iter().map(|label| paint::text_width(ui, label, TextSize::Small)).fold(0.0, f32::max);
    natural.ceil().clamp(MIN_LABEL_WIDTH, INNER_WIDTH - fields)
}

fn field_label(ui: &mut Ui, text: &str, width: f32) {
    let color = Theme::of(ui).color.text_2;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
    let label = paint::ElidedName::new(ui, text, TextSize::Small, color, width);
    label.paint_left(ui.painter(), rect.left_center());
    label.with_tooltip(response);
}

fn key_fields_ui(ui: &mut Ui, view: &CurveEditorInput<'_>, memory: &CurveEditorMemory, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    // Seconds and millimetres need more width than percent.
    let (format, widths) = match view.axis {
        CurveAxis::Chain { .. } => (NumberFormat::with_suffix(" %", 0), [52.0, 52.0]),
        CurveAxis::Measure { format, .. } => (format, [74.0, 50.0]),
    };
    // The fields of the key are below each other with the base value.
    let base = view.base.map(|_| tr!(theme, "Base value")).unwrap_or_default();
    let width = label_width(ui, &[&tr!(theme, "Key"), &base], widths[0] + widths[1] + 2.0 * GAP);
    let factor = NumberFormat::with_suffix("", 2);
    let key = memory.selected.and_then(|i| view.curve.keys().get(i).map(|key| (i, *key)));
    ui.horizontal(|ui| {
        field_label(ui, &tr!(theme, "Key"), width);
        let (_, typed_position) = number_field(
            ui,
            &tr!(theme, "Key position"),
            key.map(|(_, k)| view.axis.display_value(k.t)),
            format,
            widths[0],
            None,
        );
        let current_value = key.map(|(_, k)| k.value);
        let (_, typed_value) = number_field(ui, &tr!(theme, "Key value"), current_value, factor, widths[1], None);
        let Some((index, key)) = key else { return };
        if let (Some(shown), CurveAxis::Measure { span, can_widen: true, .. }) = (typed_position, view.axis)
            && shown > span[1]
            && index + 1 == view.curve.keys().len()
        {
            return changes.push(CurveChange::MoveKeyPastEnd(index, shown, key.value));
        }
        let moved = CurveKey {
            t: typed_position.map_or(key.t, |shown| view.axis.axis_fraction(shown)),
            value: typed_value.map_or(key.value, |v| if view.locked_to_unit_range { v.clamp(0.0, 1.0) } else { v }),
            ..key
        };
        if moved != key {
            push_committed_change(view.curve.with_key_moved(index, moved), changes);
        }
    });
}

fn base_ui(ui: &mut Ui, view: &CurveEditorInput<'_>, base: &BaseValue<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    ui.horizontal(|ui| {
        let label = tr!(theme, "Base value");
        field_label(ui, &label, label_width(ui, &[&label], FIELD_WIDTH + GAP));
        let color = theme.role(view.role);
        let (_, typed) = number_field(ui, &label, base.value, base.format, FIELD_WIDTH, Some(color));
        changes.extend(typed.map(CurveChange::SetBase));
        ui.add(Label::new(TextSize::Small.rich(base.hint).color(theme.color.text_3)).truncate());
    });
}

fn end_ui(ui: &mut Ui, label: &str, span: [f32; 2], format: NumberFormat, changes: &mut Vec<CurveChange>) {
    ui.horizontal(|ui| {
        field_label(ui, label, label_width(ui, &[label], FIELD_WIDTH + GAP));
        let (_, typed) = number_field(ui, label, Some(span[1]), format, FIELD_WIDTH, None);
        changes.extend(typed.map(CurveChange::SetEnd));
    });
}

fn unit_range_ui(ui: &mut Ui, view: &CurveEditorInput<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let c = theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::HIT_MIN - 2.0), Sense::hover());
    let icon = if view.locked_to_unit_range { icons::LOCK_SIMPLE } else { icons::LOCK_SIMPLE_OPEN };
    paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icon, size::ICON_SMALL, c.text_2);
    let label = tr!(theme, "Lock range to 0–1");
    let at = rect.left_center() + vec2(20.0, 0.0);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &label, TextSize::Small, c.text_2);
    let mut right =
        ui.new_child(UiBuilder::new().max_rect(rect.with_min_x(rect.right() - 30.0).expand2(vec2(0.0, 1.0))));
    if switch(&mut right, &label, view.locked_to_unit_range).clicked() {
        changes.push(CurveChange::ToggleUnitRange);
    }
}

fn domain_ui(ui: &mut Ui, now: AxisDomain, can_choose: bool, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let c = theme.color;
    let label_of = |along| {
        theme.tr(match along {
            AxisDomain::Length => message!("By length"),
            AxisDomain::Depth => message!("By depth"),
        })
    };
    let sense = if can_choose { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::HIT_MIN - 2.0), sense);
    let name = tr!(theme, "Curve domain");
    let label = label_of(now);
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(label.to_string()),
        ..WidgetInfo::labeled(Role::ComboBox, can_choose, &name)
    });
    let color = if response.hovered() { c.text } else { c.text_2 };
    paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icons::RULER, size::ICON_SMALL, color);
    let at = rect.left_center() + vec2(20.0, 0.0);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &label, TextSize::Small, color);
    if can_choose {
        paint_icon(ui.painter(), rect.right_center() - vec2(space::M, 0.0), icons::CARET_DOWN, size::ICON_TINY, color);
    }
    focus_ring(ui, &response, rect, radius::FIELD);
    Popup::menu(&response).show(|ui| {
        for along in [AxisDomain::Length, AxisDomain::Depth] {
            if ui.add(egui::Button::new(label_of(along)).selected(along == now)).clicked() {
                changes.push(CurveChange::SetDomain(along));
            }
        }
    });
}
