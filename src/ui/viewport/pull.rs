//! The pull at a handle: how the pointer moves it, finer with Shift, and the dot and the tag that handles share.

use super::ink::Ink;
use crate::stage::{Constraint, Drag, Shot};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};

/// The keys that go with a drag.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys {
    /// Ten times finer.
    pub fine: bool,
    /// To round numbers.
    pub snap: bool,
}

impl Keys {
    /// Pixels that count for one that the pointer moves.
    pub(super) const fn pace(self) -> f32 {
        if self.fine { 0.1 } else { 1.0 }
    }
}

/// A handle on its way with the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pull {
    drag: Drag,
    /// Where the pointer was last.
    pointer: Vec2,
    /// Where the pointer would be had it moved as slowly as Shift asks.
    pub aim: Vec2,
    /// Whether the drag has changed anything, so that there is a step to undo.
    pub changed: bool,
}

impl Pull {
    /// A handle at `from`, metres, with the pointer at a pixel.
    pub(super) fn new(from: Vec3, at: Vec2, constraint: Constraint) -> Self {
        Self { drag: Drag::begin(from, at, constraint), pointer: at, aim: at, changed: false }
    }

    /// Follows the pointer; returns where it aimed before and where it aims now.
    pub(super) fn follow(&mut self, at: Vec2, keys: Keys) -> [Vec2; 2] {
        let before = self.aim;
        self.aim += (at - self.pointer) * keys.pace();
        self.pointer = at;
        [before, self.aim]
    }

    /// Metres that the handle has moved.
    pub(super) fn moved(&self, shot: &Shot) -> Vec3 {
        self.drag.to(shot, self.aim) - self.drag.start
    }

    /// Metres that the handle has moved along its axis; `None` for a handle that moves freely.
    pub(super) fn moved_along(&self, shot: &Shot) -> Option<f32> {
        let Constraint::Axis(axis) = self.drag.constraint else { return None };
        Some(self.moved(shot).dot(axis))
    }

    /// Where the handle was, metres.
    pub(super) const fn start(&self) -> Vec3 {
        self.drag.start
    }

    /// Writes the changed numbers on a tag beside the pointer.
    pub(super) fn tag(&self, ink: &Ink<'_>, words: &str) {
        let at = ink.at(self.pointer + Vec2::new(16.0, -14.0));
        ink.tag(at, Align2::LEFT_BOTTOM, words.replace('-', "−"), None);
    }
}

/// The nearest multiple of `step`.
pub(super) fn rounded(value: f32, step: f32) -> f32 {
    let step = f64::from(step);
    ((f64::from(value) / step).round() * step) as f32
}

/// [`rounded`] of each number.
pub(super) fn all_rounded(values: Vec3, step: f32) -> Vec3 {
    values.to_array().map(|value| rounded(value, step)).into()
}

/// The dot of a handle; `is_hot` while it is pointed at or held.
pub(super) fn dot(ink: &Ink<'_>, at: Vec2, color: Color32, is_hot: bool) {
    let c = ink.theme.color;
    let (radius, rim) = if is_hot { (6.0, c.bone) } else { (4.5, c.bone_halo) };
    ink.dot(at, radius, color, Stroke::new(1.5, rim));
}
