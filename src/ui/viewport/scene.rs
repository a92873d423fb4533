//! What is drawn in this frame and can be picked or held, and the handles that change numbers: grips, ends of limits, knobs.

use super::body_gizmo::{BodyDrag, BodyGizmo, BodyHandle, BodyHandleKind};
use super::colliders::{ColliderView, collider_views};
use super::forces::{ForceView, force_views};
use super::handle_drag::DragModifiers;
use super::limit_gizmo::{LimitDrag, LimitGizmo, LimitHandle, limit_gizmos};
use super::links::{ForceArrow, force_arrows};
use super::overlay_painter::OverlayPainter;
use super::pickables::Pickables;
use super::tools::ViewportTool;
use super::transform_gizmo::{TransformDrag, TransformGizmo, TransformHandleKind};
use crate::session::{Command, SceneObject, Session};
use crate::stage::CameraView;
use crate::ui::UiContext;
use glam::Vec2;

/// All of it.
#[derive(Debug, Default)]
pub(super) struct OverlayScene {
    pub pickables: Pickables,
    pub colliders: Vec<ColliderView>,
    pub forces: Vec<ForceView>,
    /// Forces at the tip of the active joint.
    pub force_arrows: Vec<ForceArrow>,
    pub limit_gizmos: Vec<LimitGizmo>,
    pub transform_gizmo: TransformGizmo,
    pub body_gizmo: BodyGizmo,
}

impl OverlayScene {
    /// What the session shows, as it is seen.
    pub(super) fn of(cx: &UiContext<'_>, shot: &CameraView, tool: ViewportTool) -> Self {
        let session = cx.session();
        let figure = Pickables::of(session, cx.input.bounds).scaled_for(shot);
        let solids = collider_views(session);
        Self {
            forces: force_views(session),
            force_arrows: force_arrows(session, shot, &figure),
            limit_gizmos: limit_gizmos(cx, shot, &figure),
            transform_gizmo: TransformGizmo::of(session, shot, tool, &solids),
            body_gizmo: BodyGizmo::of(cx, shot, &figure),
            pickables: figure,
            colliders: solids,
        }
    }

    /// Takes hold of a handle with the pointer at a pixel.
    pub(super) fn start_drag(
        &self,
        session: &Session,
        shot: &CameraView,
        handle: GizmoHandle,
        at: Vec2,
    ) -> Option<GizmoDrag> {
        match handle {
            GizmoHandle::Transform(kind) => {
                self.transform_gizmo.start_drag(session, kind, at).map(GizmoDrag::Transform)
            }
            GizmoHandle::Limit(end) => Some(GizmoDrag::Limit(LimitDrag::new(end, at))),
            GizmoHandle::Body(knob) => BodyDrag::new(session, shot, knob, at).map(GizmoDrag::Body),
        }
    }

    /// The collider or force whose outline or arrow is nearest to a place, if any within `reach` pixels.
    pub(super) fn pick_item(&self, shot: &CameraView, at: Vec2, reach: f32) -> Option<SceneObject> {
        let round = self.colliders.iter().filter_map(|s| Some((s.distance(shot, at)?, SceneObject::Collider(s.id))));
        let blowing = self.forces.iter().filter_map(|b| Some((b.distance(shot, at)?, SceneObject::Force(b.id))));
        let near = round.chain(blowing).filter(|(distance, _)| *distance <= reach);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, item)| item)
    }
}

/// What changes numbers when it is dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GizmoHandle {
    /// A grip of the selected item.
    Transform(TransformHandleKind),
    /// An end of a limit.
    Limit(LimitHandle),
    /// A knob of a hinge or a body.
    Body(BodyHandle),
}

impl GizmoHandle {
    /// What a drag does and what Ctrl does to it, as keys of words; Shift makes it finer where that is true.
    pub(super) const fn hint_keys(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::Transform(TransformHandleKind::Move | TransformHandleKind::MoveAlong(_)) => {
                ("move_part", "snap", true)
            }
            Self::Transform(TransformHandleKind::Rotate(_)) => ("turn_part", "snap", true),
            Self::Transform(TransformHandleKind::Field(_)) => ("size_part", "snap", true),
            Self::Limit(_) => ("change_limit", "snap", false),
            Self::Body(BodyHandle { kind: BodyHandleKind::Axis, .. }) => ("turn_axis", "snap_axis", true),
            Self::Body(BodyHandle { kind: BodyHandleKind::BoxFace(..), .. }) => ("size_box", "snap_mm", true),
            Self::Body(BodyHandle { kind: BodyHandleKind::Joint, .. }) => ("move_joint", "snap_mm", true),
            Self::Body(BodyHandle { kind: BodyHandleKind::Body, .. }) => ("move_body", "snap_mm", true),
        }
    }
}

/// A handle that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GizmoDrag {
    Transform(TransformDrag),
    Limit(LimitDrag),
    Body(BodyDrag),
}

impl GizmoDrag {
    /// Which handle it holds, as it is now.
    pub(super) const fn handle(&self) -> GizmoHandle {
        match self {
            Self::Transform(hold) => GizmoHandle::Transform(hold.kind),
            Self::Limit(hold) => GizmoHandle::Limit(hold.handle),
            Self::Body(hold) => GizmoHandle::Body(hold.handle),
        }
    }

    /// Whether the item, the hinge or the body of the handle still exists.
    pub(super) fn is_there(&self, session: &Session) -> bool {
        match self {
            Self::Transform(hold) => hold.item.is_in(session.document()),
            Self::Limit(_) => true,
            Self::Body(hold) => hold.is_there(session),
        }
    }

    /// Whether the drag has changed anything, so that there is a step to undo.
    pub(super) const fn changed(&self) -> bool {
        match self {
            Self::Transform(hold) => hold.drag.changed,
            Self::Limit(hold) => hold.changed,
            Self::Body(hold) => hold.drag.changed,
        }
    }

    /// Follows the pointer; returns what is to be changed, if anything.
    pub(super) fn update(
        &mut self,
        session: &Session,
        shot: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        match self {
            Self::Transform(hold) => {
                let command = hold.update(session, shot, at, keys);
                hold.drag.changed |= command.is_some();
                command
            }
            Self::Limit(hold) => hold.update(session, shot, at, keys),
            Self::Body(hold) => {
                let command = hold.update(session, shot, at, keys);
                hold.drag.changed |= command.is_some();
                command
            }
        }
    }

    /// Shows the changed numbers beside the pointer; an end of a limit has them at the end.
    pub(super) fn paint_tag(&self, ink: &OverlayPainter<'_>, session: &Session) {
        let (pull, words) = match self {
            Self::Transform(hold) => (&hold.drag, hold.tag_text(session)),
            Self::Body(hold) => (&hold.drag, hold.tag_text(session)),
            Self::Limit(_) => return,
        };
        if let Some(words) = words.filter(|_| pull.changed) {
            pull.paint_tag(ink, &words);
        }
    }
}
