//! The overlay objects of the current frame, and the draggable handles.

use super::body_gizmo::{BodyDrag, BodyGizmo, BodyHandle, BodyHandleKind};
use super::causes::{CauseArrow, cause_arrows};
use super::color_by::JointColors;
use super::handle_drag::DragModifiers;
use super::joint_aim::{AimDrag, AimGrip};
use super::limit_gizmo::{LimitDrag, LimitGizmo, LimitHandle, SwingLimitShape, limit_gizmos, swing_limits};
use super::objects::{ColliderView, ForceView, collider_views, force_views};
use super::overlay_painter::OverlayPainter;
use super::pickables::Pickables;
use super::tools::ViewportTool;
use super::transform_gizmo::{TransformDrag, TransformGizmo, TransformHandleKind};
use crate::stage::CameraView;
use crate::ui::UiContext;
use glam::Vec2;
use yuremono_session::{Command, SceneObject, Session};

#[derive(Debug, Default)]
pub(super) struct OverlayScene {
    pub pickables: Pickables,
    pub colliders: Vec<ColliderView>,
    pub forces: Vec<ForceView>,
    /// Why the tips of the selected joints move.
    pub cause_arrows: Vec<CauseArrow>,
    /// Colours of the joints that replace the colours by chain.
    pub joint_colors: Option<JointColors>,
    pub limit_gizmos: Vec<LimitGizmo>,
    pub swing_limits: Vec<SwingLimitShape>,
    pub transform_gizmo: TransformGizmo,
    pub body_gizmo: BodyGizmo,
}

impl OverlayScene {
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, tool: ViewportTool) -> Self {
        let session = cx.session();
        let pickables = Pickables::of(session, cx.input.bounds).scaled_for(view);
        let colliders = collider_views(session);
        Self {
            forces: force_views(session),
            cause_arrows: cause_arrows(cx, view, &pickables),
            joint_colors: JointColors::of(cx),
            limit_gizmos: limit_gizmos(cx, view, &pickables),
            swing_limits: swing_limits(cx, view, &pickables),
            transform_gizmo: TransformGizmo::of(session, view, tool, &colliders),
            body_gizmo: BodyGizmo::of(cx, view, &pickables),
            pickables,
            colliders,
        }
    }

    /// Starts a drag at a pointer position in pixels.
    pub(super) fn start_drag(
        &self,
        session: &Session,
        view: &CameraView,
        handle: GizmoHandle,
        at: Vec2,
    ) -> Option<GizmoDrag> {
        match handle {
            GizmoHandle::Transform(kind) => {
                self.transform_gizmo.start_drag(session, kind, at).map(GizmoDrag::Transform)
            }
            GizmoHandle::Limit(end) => Some(GizmoDrag::Limit(LimitDrag::new(end, at))),
            GizmoHandle::Body(handle) => BodyDrag::new(session, view, handle, at).map(GizmoDrag::Body),
        }
    }

    fn grips(&self) -> impl Iterator<Item = &AimGrip> {
        let fans = self.limit_gizmos.iter().map(|fan| &fan.grip);
        fans.chain(self.swing_limits.iter().map(|swing| &swing.grip))
    }

    /// Returns the grip by which the artist can rotate the active joint.
    pub(super) fn aim_grip(&self) -> Option<&AimGrip> {
        self.grips().find(|grip| grip.is_shown)
    }

    /// Returns the grip that a drag holds; `None` if the limit is not shown any more.
    pub(super) fn held_grip(&self, drag: &AimDrag) -> Option<&AimGrip> {
        self.grips().find(|grip| drag.holds(grip))
    }

    /// Returns the end of the limit that the dragged joint has reached.
    pub(super) fn reached_end(&self, drag: &AimDrag) -> Option<LimitHandle> {
        let fan = self.limit_gizmos.iter().find(|fan| drag.holds(&fan.grip))?;
        fan.handles.into_iter().find(|end| fan.grip.is_at(end.value))
    }

    /// Returns the nearest collider outline or force arrow within `reach` pixels.
    pub(super) fn pick_item(&self, view: &CameraView, at: Vec2, reach: f32) -> Option<SceneObject> {
        let colliders =
            self.colliders.iter().filter_map(|s| Some((s.distance(view, at)?, SceneObject::Collider(s.id))));
        let forces = self.forces.iter().filter_map(|b| Some((b.distance(view, at)?, SceneObject::Force(b.id))));
        let near = colliders.chain(forces).filter(|(distance, _)| *distance <= reach);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, item)| item)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GizmoHandle {
    /// A handle of the selected object.
    Transform(TransformHandleKind),
    Limit(LimitHandle),
    /// A handle of a hinge or of a rigid body.
    Body(BodyHandle),
}

impl GizmoHandle {
    /// Returns the locale keys of the hints for the drag and for Ctrl, and whether Shift makes the drag finer.
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GizmoDrag {
    Transform(TransformDrag),
    Limit(LimitDrag),
    Body(BodyDrag),
}

impl GizmoDrag {
    pub(super) const fn handle(&self) -> GizmoHandle {
        match self {
            Self::Transform(drag) => GizmoHandle::Transform(drag.kind),
            Self::Limit(drag) => GizmoHandle::Limit(drag.handle),
            Self::Body(drag) => GizmoHandle::Body(drag.handle),
        }
    }

    /// Whether the dragged object still exists.
    pub(super) fn target_exists(&self, session: &Session) -> bool {
        match self {
            Self::Transform(drag) => drag.item.is_in(session.document()),
            Self::Limit(_) => true,
            Self::Body(drag) => drag.target_exists(session),
        }
    }

    /// Whether the drag has changed the document and therefore made an undo step.
    pub(super) const fn changed(&self) -> bool {
        match self {
            Self::Transform(drag) => drag.drag.changed,
            Self::Limit(drag) => drag.changed,
            Self::Body(drag) => drag.drag.changed,
        }
    }

    pub(super) fn update(
        &mut self,
        session: &Session,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        match self {
            Self::Transform(drag) => {
                let command = drag.update(session, view, at, keys);
                drag.drag.changed |= command.is_some();
                command
            }
            Self::Limit(drag) => drag.update(session, view, at, keys),
            Self::Body(drag) => {
                let command = drag.update(session, view, at, keys);
                drag.drag.changed |= command.is_some();
                command
            }
        }
    }

    /// Shows the changed values next to the pointer. For a limit, the value is already at the end of the limit.
    pub(super) fn paint_tag(&self, overlay: &OverlayPainter<'_>, session: &Session) {
        let (drag, words) = match self {
            Self::Transform(drag) => (&drag.drag, drag.tag_text(session)),
            Self::Body(drag) => (&drag.drag, drag.tag_text(session)),
            Self::Limit(_) => return,
        };
        if let Some(words) = words.filter(|_| drag.changed) {
            drag.paint_tag(overlay, &words);
        }
    }
}
