//! What is drawn in this frame and can be picked or held, and the handles that change numbers: grips, ends of limits, knobs.

use super::breeze::{Breeze, breezes};
use super::fans::{FanEnd, FanHold, Shown, fans};
use super::figure::Figure;
use super::grips::{GripHold, GripKind, Grips};
use super::ink::Ink;
use super::knobs::{Knob, KnobHold, KnobKind, Knobs};
use super::links::{Arrow, arrows};
use super::pull::Keys;
use super::solids::{Solid, solids};
use super::tools::Tool;
use crate::session::{Command, Item, Session};
use crate::stage::Shot;
use crate::ui::Cx;
use glam::Vec2;

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub figure: Figure,
    pub solids: Vec<Solid>,
    pub breezes: Vec<Breeze>,
    /// Forces at the tip of the active joint.
    pub arrows: Vec<Arrow>,
    pub fans: Vec<Shown>,
    pub grips: Grips,
    pub knobs: Knobs,
}

impl Scene {
    /// What the session shows, as it is seen.
    pub(super) fn of(cx: &Cx<'_>, shot: &Shot, tool: Tool) -> Self {
        let session = cx.session();
        let figure = Figure::of(session, cx.input.bounds).seen(shot);
        let solids = solids(session);
        Self {
            breezes: breezes(session),
            arrows: arrows(session, shot, &figure),
            fans: fans(cx, shot, &figure),
            grips: Grips::of(session, shot, tool, &solids),
            knobs: Knobs::of(cx, shot, &figure),
            figure,
            solids,
        }
    }

    /// Takes hold of a handle with the pointer at a pixel.
    pub(super) fn take(&self, session: &Session, shot: &Shot, handle: Handle, at: Vec2) -> Option<Hold> {
        match handle {
            Handle::Grip(kind) => self.grips.take(session, kind, at).map(Hold::Grip),
            Handle::Fan(end) => Some(Hold::Fan(FanHold::new(end, at))),
            Handle::Knob(knob) => KnobHold::new(session, shot, knob, at).map(Hold::Knob),
        }
    }

    /// The collider or force whose outline or arrow is nearest to a place, if any within `reach` pixels.
    pub(super) fn item_under(&self, shot: &Shot, at: Vec2, reach: f32) -> Option<Item> {
        let round = self.solids.iter().filter_map(|s| Some((s.distance(shot, at)?, Item::Collider(s.id))));
        let blowing = self.breezes.iter().filter_map(|b| Some((b.distance(shot, at)?, Item::Force(b.id))));
        let near = round.chain(blowing).filter(|(distance, _)| *distance <= reach);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, item)| item)
    }
}

/// What changes numbers when it is dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Handle {
    /// A grip of the selected item.
    Grip(GripKind),
    /// An end of a limit.
    Fan(FanEnd),
    /// A knob of a hinge or a body.
    Knob(Knob),
}

impl Handle {
    /// What a drag does and what Ctrl does to it, as keys of words; Shift makes it finer where that is true.
    pub(super) const fn deeds(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::Grip(GripKind::Middle | GripKind::Along(_)) => ("move_part", "snap", true),
            Self::Grip(GripKind::About(_)) => ("turn_part", "snap", true),
            Self::Grip(GripKind::Field(_)) => ("size_part", "snap", true),
            Self::Fan(_) => ("change_limit", "snap", false),
            Self::Knob(Knob { kind: KnobKind::Axis, .. }) => ("turn_axis", "snap_axis", true),
            Self::Knob(Knob { kind: KnobKind::Side(..), .. }) => ("size_box", "snap_mm", true),
            Self::Knob(Knob { kind: KnobKind::Joint, .. }) => ("move_joint", "snap_mm", true),
            Self::Knob(Knob { kind: KnobKind::Body, .. }) => ("move_body", "snap_mm", true),
        }
    }
}

/// A handle that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hold {
    Grip(GripHold),
    Fan(FanHold),
    Knob(KnobHold),
}

impl Hold {
    /// Which handle it holds, as it is now.
    pub(super) const fn handle(&self) -> Handle {
        match self {
            Self::Grip(hold) => Handle::Grip(hold.kind),
            Self::Fan(hold) => Handle::Fan(hold.end),
            Self::Knob(hold) => Handle::Knob(hold.knob),
        }
    }

    /// Whether the item, the hinge or the body of the handle still exists.
    pub(super) fn is_there(&self, session: &Session) -> bool {
        match self {
            Self::Grip(hold) => hold.item.is_in(session.document()),
            Self::Fan(_) => true,
            Self::Knob(hold) => hold.is_there(session),
        }
    }

    /// Whether the drag has changed anything, so that there is a step to undo.
    pub(super) const fn changed(&self) -> bool {
        match self {
            Self::Grip(hold) => hold.pull.changed,
            Self::Fan(hold) => hold.changed,
            Self::Knob(hold) => hold.pull.changed,
        }
    }

    /// Follows the pointer; returns what is to be changed, if anything.
    pub(super) fn follow(&mut self, session: &Session, shot: &Shot, at: Vec2, keys: Keys) -> Option<Command> {
        match self {
            Self::Grip(hold) => {
                let command = hold.follow(session, shot, at, keys);
                hold.pull.changed |= command.is_some();
                command
            }
            Self::Fan(hold) => hold.follow(session, shot, at, keys),
            Self::Knob(hold) => {
                let command = hold.follow(session, shot, at, keys);
                hold.pull.changed |= command.is_some();
                command
            }
        }
    }

    /// Shows the changed numbers beside the pointer; an end of a limit has them at the end.
    pub(super) fn show(&self, ink: &Ink<'_>, session: &Session) {
        let (pull, words) = match self {
            Self::Grip(hold) => (&hold.pull, hold.words(session)),
            Self::Knob(hold) => (&hold.pull, hold.words(session)),
            Self::Fan(_) => return,
        };
        if let Some(words) = words.filter(|_| pull.changed) {
            pull.tag(ink, &words);
        }
    }
}
