//! The curve editor: how a value runs along a chain.
//!
//! A box from 0 to 1 with one tick for each joint at its true place, the resulting number beneath it, keys that
//! are dragged, and exact fields at the side. It is given a curve and returns changes; it holds only which key is
//! selected and where a drag began.

mod joints;
mod place;
mod plot;

use crate::math::{Curve, CurveShape, Key};
use crate::ui::icons::{self, focus_ring, paint_icon};
use crate::ui::theme::{self, Text, Theme};
use crate::ui::tokens::{radius, size, stroke};
use crate::ui::widgets::number::NumberFormat;
use crate::ui::widgets::paint;
use crate::ui::widgets::toggle::switch;
use crate::ui::widgets::typing::number_field;
use egui::{
    Align, Align2, Layout, Popup, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

/// Width of the column at the right.
const SIDE: f32 = 196.0;
/// Below this height the ready shapes stand in one row, as pictures alone.
const ROOMY: f32 = 183.0;

/// One joint on the axis.
#[derive(Clone, Copy, Debug)]
pub struct JointMark<'a> {
    /// Its place along the chain, 0..=1.
    pub t: f32,
    /// Its number, for example "04".
    pub number: &'a str,
    /// The number that it gets.
    pub value: &'a str,
    /// What that means, shown for the active joint, for example "2.5 Hz"; may be empty.
    pub meaning: &'a str,
    /// Whether it is the active joint.
    pub active: bool,
    /// Lit because the pointer is over it elsewhere.
    pub lit: bool,
}

/// By what the places of joints are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Length from the root.
    Length,
    /// Count of joints from the root.
    Depth,
}

/// A curve to be shown.
#[derive(Clone, Copy, Debug)]
pub struct CurveView<'a> {
    /// Name of the parameter.
    pub name: &'a str,
    /// The curve.
    pub curve: &'a Curve,
    /// The curve as it was when the drawer opened.
    pub before: Option<&'a Curve>,
    /// The joints, in order of `t`.
    pub joints: &'a [JointMark<'a>],
    /// The value that the curve multiplies; `None` where joints differ.
    pub base: Option<f32>,
    /// How the base is written.
    pub base_format: NumberFormat,
    /// What the base means, for example "3.0 Hz"; may be empty.
    pub base_hint: &'a str,
    /// Colour.
    pub role: theme::Role,
    /// Whether the box is held at 0 to 1.
    pub boxed: bool,
    /// By what places are measured.
    pub along: Along,
    /// Whether that can be chosen.
    pub can_choose_along: bool,
    /// Whose curve it is; another subject forgets the selected key.
    pub subject: u64,
}

/// What the artist did, in order. `Replace` is followed by `Committed` when the gesture is over.
#[derive(Clone, Debug, PartialEq)]
pub enum CurveChange {
    /// The curve is now this; more may follow within the gesture.
    Replace(Curve),
    /// The gesture is over.
    Committed,
    /// A joint was clicked.
    SelectJoint(usize),
    /// The pointer is over a joint.
    HoverJoint(usize),
    /// The base was typed.
    SetBase(f32),
    /// Another measure of places was chosen.
    SetAlong(Along),
    /// The lock of the box was clicked.
    ToggleBox,
}

/// What the editor remembers from frame to frame.
#[derive(Clone, Debug, Default)]
struct Memory {
    subject: u64,
    selected: Option<usize>,
    drag: Option<Drag>,
    typing: bool,
}

/// A drag of a key or a handle.
#[derive(Clone, Debug)]
struct Drag {
    curve: Curve,
    key: usize,
    from: egui::Pos2,
    held: egui::Id,
}

/// Adds the editor over the space that is left; at least 157 high, or the fields at the side are cut off.
pub fn curve_editor(ui: &mut Ui, view: &CurveView<'_>) -> Vec<CurveChange> {
    let id = ui.make_persistent_id("curve editor");
    let mut memory: Memory = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    if memory.subject != view.subject {
        memory = Memory { subject: view.subject, ..Memory::default() };
    }
    memory.selected = memory.selected.filter(|&i| i < view.curve.keys().len());
    let mut changes = Vec::new();
    let full = ui.available_rect_before_wrap();
    ui.allocate_rect(full, Sense::hover());
    let split = full.right() - SIDE;
    let side = Rect::from_min_max(pos2(split, full.top()), full.max);
    plot::plot_ui(ui, full.with_max_x(split - 8.0), id, view, &mut memory, &mut changes);
    let c = Theme::of(ui).color;
    ui.painter().vline(split, full.y_range(), Stroke::new(stroke::HAIRLINE, c.border));
    let layout = Layout::top_down(Align::Min);
    let mut column = ui.new_child(UiBuilder::new().max_rect(side.shrink2(vec2(12.0, 8.0))).layout(layout));
    side_ui(&mut column, view, &memory, &mut changes);
    memory.typing = ui.ctx().text_edit_focused();
    ui.data_mut(|d| d.insert_temp(id, memory));
    changes
}

fn side_ui(ui: &mut Ui, view: &CurveView<'_>, memory: &Memory, changes: &mut Vec<CurveChange>) {
    ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
    shapes_ui(ui, view, changes);
    key_fields_ui(ui, view, memory, changes);
    base_ui(ui, view, changes);
    box_ui(ui, view, changes);
    along_ui(ui, view, changes);
}

fn whole_change(curve: Curve, changes: &mut Vec<CurveChange>) {
    changes.extend([CurveChange::Replace(curve), CurveChange::Committed]);
}

fn shapes_ui(ui: &mut Ui, view: &CurveView<'_>, changes: &mut Vec<CurveChange>) {
    let in_a_row = if ui.max_rect().height() + 16.0 < ROOMY { 4 } else { 2 };
    for row in CurveShape::ALL.chunks(in_a_row) {
        ui.horizontal(|ui| {
            let gaps = 6.0 * (in_a_row - 1) as f32;
            let width = (SIDE - 24.0 - gaps) / in_a_row as f32;
            for &shape in row {
                let curve = Curve::shape(shape);
                if shape_button(ui, shape, &curve, view, width) {
                    whole_change(curve, changes);
                }
            }
        });
    }
}

/// A ready shape: its picture, and its name where there is room.
fn shape_button(ui: &mut Ui, shape: CurveShape, curve: &Curve, view: &CurveView<'_>, width: f32) -> bool {
    let theme = Theme::of(ui);
    let c = theme.color;
    let words = theme.tr(match shape {
        CurveShape::Flat => "curve.shape.flat",
        CurveShape::Ease => "curve.shape.ease",
        CurveShape::Linear => "curve.shape.linear",
        CurveShape::StiffTip => "curve.shape.stiff_tip",
    });
    let on = view.curve == curve;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, &words));
    let (fill, edge) = match () {
        () if on => (c.hover, c.accent),
        () if response.hovered() => (c.hover, c.border_strong),
        () => (c.raised, c.border),
    };
    ui.painter().rect(rect, radius::FIELD, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let named = width > 60.0;
    let middle = if named { rect.left() + 16.0 } else { rect.center().x };
    let picture = Rect::from_center_size(pos2(middle, rect.center().y), vec2(16.0, 9.0));
    let points = (0..=12_u8)
        .map(|i| f32::from(i) / 12.0)
        .map(|t| pos2(picture.left() + t * picture.width(), picture.bottom() - curve.eval(t) * picture.height()))
        .map(|p| if shape == CurveShape::Flat { pos2(p.x, picture.center().y) } else { p });
    ui.painter().add(Shape::line(points.collect(), Stroke::new(1.5, theme.role(view.role))));
    focus_ring(ui, &response, rect, radius::FIELD);
    if !named {
        return response.on_hover_text(words).clicked();
    }
    let galley = paint::elided(ui, &words, Text::Small, c.text, rect.width() - 34.0);
    paint::galley_left(ui.painter(), pos2(rect.left() + 30.0, rect.center().y), galley);
    response.clicked()
}

fn field_label(ui: &mut Ui, words: &str) {
    let c = Theme::of(ui).color;
    let (rect, _) = ui.allocate_exact_size(vec2(42.0, size::BAR), Sense::hover());
    let galley = paint::elided(ui, words, Text::Small, c.text_2, 42.0);
    paint::galley_left(ui.painter(), rect.left_center(), galley);
}

fn key_fields_ui(ui: &mut Ui, view: &CurveView<'_>, memory: &Memory, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let percent = NumberFormat::with_suffix(" %", 0);
    let factor = NumberFormat::with_suffix("", 2);
    let key = memory.selected.and_then(|i| view.curve.keys().get(i).map(|key| (i, *key)));
    ui.horizontal(|ui| {
        field_label(ui, &theme.tr("curve.key"));
        let place = number_field(ui, &theme.tr("curve.key_place"), key.map(|(_, k)| k.t * 100.0), percent, 58.0, None);
        let value = number_field(ui, &theme.tr("curve.key_value"), key.map(|(_, k)| k.value), factor, 58.0, None);
        let Some((index, key)) = key else { return };
        let moved = Key {
            t: place.1.map_or(key.t, |percent| percent / 100.0),
            value: value.1.map_or(key.value, |v| if view.boxed { v.clamp(0.0, 1.0) } else { v }),
            ..key
        };
        if moved != key {
            whole_change(view.curve.with_key_moved(index, moved), changes);
        }
    });
}

fn base_ui(ui: &mut Ui, view: &CurveView<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    ui.horizontal(|ui| {
        let words = theme.tr("curve.base");
        field_label(ui, &words);
        let color = theme.role(view.role);
        let (_, typed) = number_field(ui, &words, view.base, view.base_format, 64.0, Some(color));
        changes.extend(typed.map(CurveChange::SetBase));
        ui.label(Text::Small.rich(view.base_hint).color(theme.color.text_3));
    });
}

fn box_ui(ui: &mut Ui, view: &CurveView<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let c = theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::HIT_MIN - 2.0), Sense::hover());
    let icon = if view.boxed { icons::LOCK_SIMPLE } else { icons::LOCK_SIMPLE_OPEN };
    paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icon, 14.0, c.text_2);
    let words = theme.tr("curve.box");
    let at = rect.left_center() + vec2(20.0, 0.0);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, Text::Small, c.text_2);
    let mut right =
        ui.new_child(UiBuilder::new().max_rect(rect.with_min_x(rect.right() - 30.0).expand2(vec2(0.0, 1.0))));
    if switch(&mut right, &words, view.boxed).clicked() {
        changes.push(CurveChange::ToggleBox);
    }
}

fn along_ui(ui: &mut Ui, view: &CurveView<'_>, changes: &mut Vec<CurveChange>) {
    let theme = Theme::of(ui);
    let c = theme.color;
    let words_of = |along| {
        theme.tr(match along {
            Along::Length => "curve.by_length",
            Along::Depth => "curve.by_depth",
        })
    };
    let sense = if view.can_choose_along { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::HIT_MIN - 2.0), sense);
    let name = theme.tr("curve.along");
    let words = words_of(view.along);
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(words.to_string()),
        ..WidgetInfo::labeled(Role::ComboBox, view.can_choose_along, &name)
    });
    let ink = if response.hovered() { c.text } else { c.text_2 };
    paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icons::RULER, 14.0, ink);
    let at = rect.left_center() + vec2(20.0, 0.0);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, Text::Small, ink);
    if view.can_choose_along {
        paint_icon(ui.painter(), rect.right_center() - vec2(8.0, 0.0), icons::CARET_DOWN, 13.0, ink);
    }
    focus_ring(ui, &response, rect, radius::FIELD);
    Popup::menu(&response).show(|ui| {
        for along in [Along::Length, Along::Depth] {
            if ui.add(egui::Button::new(words_of(along)).selected(along == view.along)).clicked() {
                changes.push(CurveChange::SetAlong(along));
            }
        }
    });
}
