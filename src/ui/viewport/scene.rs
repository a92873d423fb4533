//! The overlay objects of the current frame, and the gizmos.

use super::aim_gizmo::AimGizmo;
use super::body_gizmo::BodyGizmo;
use super::causes::{CauseArrow, cause_arrows};
use super::color_by::JointColors;
use super::gizmo::{Gizmo, PickLayer};
use super::handle::{HandleDrag, HandleId};
use super::limit_gizmo::LimitGizmo;
use super::objects::{ColliderView, ForceView, collider_views, force_views};
use super::overlay_painter::OverlayPainter;
use super::pickables::Pickables;
use super::tools::ViewportTool;
use super::transform_gizmo::TransformGizmo;
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
    /// In the order in which they are drawn.
    pub gizmos: Vec<Box<dyn Gizmo>>,
}

impl OverlayScene {
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, tool: ViewportTool) -> Self {
        let session = cx.session();
        let pickables = Pickables::of(session, cx.input.bounds).scaled_for(view);
        let colliders = collider_views(session);
        let limits = LimitGizmo::of(cx, view, &pickables);
        let aim = AimGizmo::of(&limits);
        Self {
            forces: force_views(session),
            cause_arrows: cause_arrows(cx, view, &pickables),
            joint_colors: JointColors::of(cx),
            gizmos: vec![
                Box::new(TransformGizmo::of(cx, view, tool, &colliders)),
                Box::new(BodyGizmo::of(cx, view, &pickables)),
                Box::new(limits),
                Box::new(aim),
            ],
            pickables,
            colliders,
        }
    }

    /// Returns the handle of a layer at a pixel. If gizmos overlap, the nearest handle has priority.
    pub(super) fn pick_handle(&self, layer: PickLayer, at: Vec2) -> Option<HandleId> {
        let gizmos = self.gizmos.iter().filter(|gizmo| gizmo.layer() == layer);
        gizmos.filter_map(|gizmo| gizmo.pick(at)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
    }

    /// Starts a drag at a pixel.
    pub(super) fn start_drag(
        &self,
        id: HandleId,
        session: &Session,
        view: &CameraView,
        at: Vec2,
    ) -> Option<HandleDrag> {
        self.gizmos.iter().find_map(|gizmo| gizmo.start_drag(id, session, view, at))
    }

    /// Returns the command of a drag whose pointer has moved.
    pub(super) fn drag(&self, drag: &mut HandleDrag, session: &Session, view: &CameraView) -> Option<Command> {
        let command = self.gizmos.iter().find_map(|gizmo| gizmo.drag(drag, session, view));
        drag.changed |= command.is_some();
        command
    }

    /// Shows the changed value of a drag next to the pointer.
    pub(super) fn paint_drag_tag(&self, drag: &HandleDrag, overlay: &OverlayPainter<'_>, session: &Session) {
        let text = self.gizmos.iter().find_map(|gizmo| gizmo.tag_text(drag, session));
        if let Some(text) = text.filter(|_| drag.changed) {
            drag.paint_tag(overlay, &text);
        }
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
