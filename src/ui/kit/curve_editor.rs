//! The curve editor: how a value runs along a chain, through a cycle or over a distance.
//!
//! A box from 0 to 1 with keys that are dragged, and exact fields at the side. Of a chain it has one tick for each joint
//! at its true place, the resulting number beneath it; of seconds or metres a scale, and what comes of the heights at the
//! right. It is given a curve and returns changes; it holds only which key is selected and where a drag began.

mod joints;
mod plot;
mod plot_transform;
mod side_panel;

use crate::math::{Curve, CurveShape};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::{self, Theme};
use crate::ui::kit::tokens::{space, stroke};
use egui::{Align, Layout, Rect, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

/// Width of the column at the right.
const SIDE_WIDTH: f32 = 196.0;

/// One joint on the axis.
#[derive(Clone, Copy, Debug)]
pub struct JointMark<'a> {
    /// Its place along the chain, 0..=1.
    pub t: f32,
    /// Its number, for example "04".
    pub number: &'a str,
    /// The number that it gets.
    pub value: &'a str,
    /// The factor of the base that gives this number, where the joint's own value leaves the curve.
    pub override_factor: Option<f32>,
    /// What that means, shown for the active joint, for example "2.5 Hz"; may be empty.
    pub meaning: &'a str,
    /// Whether it is the active joint.
    pub active: bool,
    /// Lit because the pointer is over it elsewhere.
    pub highlighted: bool,
}

/// By what the places of joints are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisDomain {
    /// Length from the root.
    Length,
    /// Count of joints from the root.
    Depth,
}

/// What a curve runs over.
#[derive(Clone, Copy, Debug)]
pub enum CurveAxis<'a> {
    /// A chain.
    Chain {
        /// The joints, in order of `t`.
        joints: &'a [JointMark<'a>],
        /// By what places are measured.
        domain: AxisDomain,
        /// Whether that can be chosen.
        can_choose_domain: bool,
    },
    /// A span of time or distance.
    Measure {
        /// Where it begins and ends.
        span: [f32; 2],
        /// How it is written.
        format: NumberFormat,
        /// What its end is called, which can be typed.
        end_label: &'a str,
        /// Whether more can be shown without a change of the curve.
        can_widen: bool,
        /// The place that is reached now, 0..=1.
        current: Option<f32>,
    },
}

impl CurveAxis<'_> {
    /// A place as a number to be read: percent of a chain, or what is measured.
    fn display_value(&self, t: f32) -> f32 {
        match self {
            Self::Chain { .. } => t * 100.0,
            Self::Measure { span: [from, to], .. } => from + t * (to - from),
        }
    }

    /// The place of such a number.
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
    /// `None` where joints differ.
    pub value: Option<f32>,
    /// How it is written.
    pub format: NumberFormat,
    /// What it means, for example "3.0 Hz"; may be empty.
    pub hint: &'a str,
}

/// A curve to be shown.
#[derive(Clone, Copy, Debug)]
pub struct CurveEditorInput<'a> {
    /// Name of the parameter.
    pub name: &'a str,
    /// The curve.
    pub curve: &'a Curve,
    /// The curve as it was when the drawer opened.
    pub before: Option<&'a Curve>,
    /// What it runs over.
    pub axis: CurveAxis<'a>,
    /// The value that the curve multiplies, if any.
    pub base: Option<BaseValue<'a>>,
    /// Colour.
    pub role: theme::ColorRole,
    /// Whether the box is held at 0 to 1.
    pub locked_to_unit_range: bool,
    /// Ready shapes that are offered.
    pub shapes: &'a [CurveShape],
    /// Whether there are only straight lines, also in the shapes.
    pub is_straight: bool,
    /// Whose curve it is; another subject forgets the selected key.
    pub subject: u64,
}

/// What the artist did, in order. `Replace` is followed by `Committed` when the gesture is over, or by `Cancelled`.
#[derive(Clone, Debug, PartialEq)]
pub enum CurveChange {
    /// The curve is now this; more may follow within the gesture.
    Replace(Curve),
    /// The gesture is over.
    Committed,
    /// The gesture is taken back: all is as it was before its first `Replace`.
    Cancelled,
    /// A key was typed beyond the end of what can be widened: its number, its place as it is measured, and its value.
    MoveKeyPastEnd(usize, f32, f32),
    /// A joint was clicked.
    SelectJoint(usize),
    /// The pointer is over a joint.
    HoverJoint(usize),
    /// The base was typed.
    SetBase(f32),
    /// Another measure of places was chosen.
    SetDomain(AxisDomain),
    /// The end of a span was typed.
    SetEnd(f32),
    /// The lock of the box was clicked.
    ToggleUnitRange,
}

/// What the editor remembers from frame to frame.
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

/// Adds the editor over the space that is left; at least 157 high, or the fields at the side are cut off.
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
    let split = full.right() - SIDE_WIDTH;
    let side = Rect::from_min_max(pos2(split, full.top()), full.max);
    plot::plot_ui(ui, full.with_max_x(split - 8.0), id, view, &mut memory, &mut changes);
    let c = Theme::of(ui).color;
    ui.painter().vline(split, full.y_range(), Stroke::new(stroke::HAIRLINE, c.border));
    let layout = Layout::top_down(Align::Min);
    let mut column = ui.new_child(UiBuilder::new().max_rect(side.shrink2(vec2(space::L, space::M))).layout(layout));
    side_panel::side_panel_ui(&mut column, view, &memory, &mut changes);
    memory.was_typing = ui.ctx().text_edit_focused();
    ui.data_mut(|d| d.insert_temp(id, memory));
    changes
}

fn push_committed_change(curve: Curve, changes: &mut Vec<CurveChange>) {
    changes.extend([CurveChange::Replace(curve), CurveChange::Committed]);
}
