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
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;

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
    /// Returns the effects of the drag and of Ctrl, and whether Shift makes the drag finer.
    pub(super) const fn hints(self) -> (MessageText, MessageText, bool) {
        match self {
            Self::Transform(TransformHandleKind::Move | TransformHandleKind::MoveAlong(_)) => {
                (message!("move"), message!("snap"), true)
            }
            Self::Transform(TransformHandleKind::Rotate(_)) => (message!("rotate"), message!("snap"), true),
            Self::Transform(TransformHandleKind::Field(_)) => (message!("resize"), message!("snap"), true),
            Self::Limit(_) => (message!("change the limit"), message!("snap"), false),
            Self::Body(BodyHandle { kind: BodyHandleKind::Axis, .. }) => {
                (message!("rotate the axis"), message!("snap to bone axes"), true)
            }
            Self::Body(BodyHandle { kind: BodyHandleKind::BoxFace(..), .. }) => {
                (message!("resize the box"), message!("whole millimetres"), true)
            }
            Self::Body(BodyHandle { kind: BodyHandleKind::Joint, .. }) => {
                (message!("move the joint"), message!("whole millimetres"), true)
            }
            Self::Body(BodyHandle { kind: BodyHandleKind::Body, .. }) => {
                (message!("move the body"), message!("whole millimetres"), true)
            }
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
        let (drag, text) = match self {
            Self::Transform(drag) => (&drag.drag, drag.tag_text(session)),
            Self::Body(drag) => (&drag.drag, drag.tag_text(session)),
            Self::Limit(_) => return,
        };
        if let Some(text) = text.filter(|_| drag.changed) {
            drag.paint_tag(overlay, &text);
        }
    }
}
