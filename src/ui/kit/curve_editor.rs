//! The curve editor shows a value along a chain, over a cycle or over a distance.
//!
//! The plot runs from 0 to 1 and has draggable keys. Fields for exact values are at the side. A chain has one tick per
//! joint, with
//! the resulting value below. Time and distance have a scale below the plot and results at the right. The editor reads
//! a curve and returns changes. The editor stores only the selected key and the start of a drag.

mod plot;
mod plot_transform;
mod side_panel;

use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::{self, Theme};
use crate::ui::kit::tokens::{space, stroke};
use egui::{Align, Layout, Rect, Sense, Stroke, Ui, UiBuilder, pos2, vec2};
use yuremono_sim::math::{Curve, CurveShape};

/// Width of the column at the right.
pub const SIDE_WIDTH: f32 = 204.0;

/// A joint as marked on the axis.
#[derive(Clone, Copy, Debug)]
pub struct JointMark<'a> {
    /// Position along the chain, 0..=1.
    pub t: f32,
    /// Label of the joint, for example "04".
    pub number: &'a str,
    /// Resulting value of the joint, as text.
    pub value: &'a str,
    /// Factor of the base value, if the joint has its own value that is not on the curve.
    pub override_factor: Option<f32>,
    /// Meaning of the value, for example "2.5 Hz", or empty. Only the active joint shows this text.
    pub meaning: &'a str,
    pub active: bool,
    /// Whether another panel highlights the joint because the pointer is over the joint in that panel.
    pub highlighted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisDomain {
    /// Positions are lengths from the root.
    Length,
    /// Positions are numbers of joints from the root.
    Depth,
}

#[derive(Clone, Copy, Debug)]
pub enum CurveAxis<'a> {
    Chain {
        /// Joints in order of `t`.
        joints: &'a [JointMark<'a>],
        domain: AxisDomain,
        can_choose_domain: bool,
    },
    /// An interval of time or distance.
    Measure {
        /// Start and end of the interval.
        span: [f32; 2],
        format: NumberFormat,
        /// Label of the editable end.
        end_label: &'a str,
        /// Whether the visible interval can grow without changing the curve.
        can_widen: bool,
        /// Current position, 0..=1.
        current: Option<f32>,
    },
}

impl CurveAxis<'_> {
    /// Returns a position as displayed: percent of a chain, or the measured value.
    fn display_value(&self, t: f32) -> f32 {
        match self {
            Self::Chain { .. } => t * 100.0,
            Self::Measure { span: [from, to], .. } => from + t * (to - from),
        }
    }

    /// Converts a displayed position back; the inverse of `display_value`.
    fn axis_fraction(&self, shown: f32) -> f32 {
        match self {
            Self::Chain { .. } => shown / 100.0,
            Self::Measure { span: [from, to], .. } => (shown - from) / (to - from),
        }
    }

    fn joints(&self) -> &[JointMark<'_>] {
        match self {
            Self::Chain { joints, .. } => joints,
            Self::Measure { .. } => &[],
        }
    }
}

/// The value that a curve multiplies.
#[derive(Clone, Copy, Debug)]
pub struct BaseValue<'a> {
    /// The base value. `None` if the values of the joints differ.
    pub value: Option<f32>,
    pub format: NumberFormat,
    /// Meaning of the value, for example "3.0 Hz", or empty.
    pub hint: &'a str,
}

#[derive(Clone, Copy, Debug)]
pub struct CurveEditorInput<'a> {
    pub name: &'a str,
    pub curve: &'a Curve,
    /// The curve when the drawer opened.
    pub before: Option<&'a Curve>,
    pub axis: CurveAxis<'a>,
    pub base: Option<BaseValue<'a>>,
    pub role: theme::ColorRole,
    /// Whether the plot shows only values from 0 to 1.
    pub locked_to_unit_range: bool,
    /// The preset shapes that the editor offers.
    pub shapes: &'a [CurveShape],
    /// Whether all segments are straight, including the segments of preset shapes.
    pub is_straight: bool,
    /// Identity of the curve's owner. A new identity clears the selected key.
    pub subject: u64,
    pub side: SideColumn,
}

/// The column with fields at the right of the plot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SideColumn {
    #[default]
    Shown,
    /// Leaves this height free at the top, in points.
    Below(f32),
    Hidden,
}

/// Edits in order of occurrence. `Committed` or `Cancelled` ends each series of `Replace` edits.
#[derive(Clone, Debug, PartialEq)]
pub enum CurveChange {
    Replace(Curve),
    Committed,
    /// Restores the state before the first `Replace`.
    Cancelled,
    /// The artist typed a key position beyond the maximum end. Contains the index of the key, its displayed position,
    /// and its value.
    MoveKeyPastEnd(usize, f32, f32),
    SelectJoint(usize),
    HoverJoint(usize),
    SetBase(f32),
    SetDomain(AxisDomain),
    SetEnd(f32),
    ToggleUnitRange,
}

#[derive(Clone, Debug, Default)]
struct CurveEditorMemory {
    subject: u64,
    selected: Option<usize>,
    drag: Option<CurveDrag>,
    was_typing: bool,
}

/// A drag of a key or a handle.
#[derive(Clone, Debug)]
struct CurveDrag {
    curve: Curve,
    key: usize,
    start: egui::Pos2,
    pressed_widget: egui::Id,
}

/// Draws the editor in the remaining space. If less than 157 points of height remain, the fields at the side are
/// clipped.
pub fn curve_editor(ui: &mut Ui, view: &CurveEditorInput<'_>) -> Vec<CurveChange> {
    let id = ui.make_persistent_id("curve editor");
    let mut memory: CurveEditorMemory = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    if memory.subject != view.subject {
        memory = CurveEditorMemory { subject: view.subject, ..CurveEditorMemory::default() };
    }
    memory.selected = memory.selected.filter(|&i| i < view.curve.keys().len());
    let mut changes = Vec::new();
    let full = ui.available_rect_before_wrap();
    ui.allocate_rect(full, Sense::hover());
    let top = match view.side {
        SideColumn::Shown => Some(0.0),
        SideColumn::Below(top) => Some(top),
        SideColumn::Hidden => None,
    };
    let split = full.right() - top.map_or(0.0, |_| SIDE_WIDTH);
    plot::plot_ui(ui, full.with_max_x(split - 8.0), id, view, &mut memory, &mut changes);
    if let Some(top) = top {
        let side = Rect::from_min_max(pos2(split, full.top()), full.max);
        ui.painter().vline(split, full.y_range(), Stroke::new(stroke::HAIRLINE, Theme::of(ui).color.border));
        let inner = side.with_min_y(side.top() + top).shrink2(vec2(space::L, space::M));
        let mut column = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
        side_panel::side_panel_ui(&mut column, view, &memory, &mut changes);
    }
    memory.was_typing = ui.ctx().text_edit_focused();
    ui.data_mut(|d| d.insert_temp(id, memory));
    changes
}

fn push_committed_change(curve: Curve, changes: &mut Vec<CurveChange>) {
    changes.extend([CurveChange::Replace(curve), CurveChange::Committed]);
}
