//! A gizmo: a group of handles that the artist drags in the viewport. Each gizmo tests, drags and draws its handles.
//!
//! The pointer and the scene use only this trait. A new gizmo implements [`Gizmo`] in its own file, and
//! [`super::scene::OverlayScene::of`] lists it.

use super::handle::{ActiveHandle, Handle, HandleDrag, HandleId};
use super::overlay_painter::OverlayPainter;
use crate::stage::CameraView;
use crate::ui::UiContext;
use egui::{Rect, Ui};
use glam::Vec2;
use std::fmt::Debug;
use yuremono_session::{Command, Session};
use yuremono_sim::TipPart;

/// The priority of a gizmo under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PickLayer {
    Object,
    Body,
    /// Limits of joints. If the tool pulls tips, tips have priority over this layer.
    Limit,
}

/// A group of handles in the current frame.
pub(super) trait Gizmo: Debug {
    fn layer(&self) -> PickLayer;

    fn handles(&self) -> &[Handle];

    fn handle(&self, id: HandleId) -> Option<&Handle> {
        self.handles().iter().find(|handle| handle.id == id)
    }

    /// Returns the handle at a pixel and its distance in pixels.
    fn pick(&self, at: Vec2) -> Option<(f32, HandleId)> {
        let distances = self.handles().iter().map(|handle| (handle.distance(at), handle));
        let near = distances.filter(|(distance, handle)| *distance <= handle.pick_distance);
        let order = |(distance, handle): &(f32, &Handle)| {
            distance / handle.pick_distance + if handle.is_minor { 1.0 } else { 0.0 }
        };
        near.min_by(|a, b| order(a).total_cmp(&order(b))).map(|(distance, handle)| (distance, handle.id))
    }

    /// Starts the drag of a handle of this gizmo at a pixel.
    fn start_drag(&self, id: HandleId, _: &Session, _: &CameraView, at: Vec2) -> Option<HandleDrag> {
        Some(HandleDrag::new(self.handle(id)?.clone(), at))
    }

    /// Returns the command of a drag whose pointer has moved. Returns `None` for the handles of other gizmos.
    fn drag(&self, drag: &mut HandleDrag, session: &Session, view: &CameraView) -> Option<Command>;

    /// Returns the changed value with its unit, for the tag next to the pointer.
    fn tag_text(&self, _drag: &HandleDrag, _session: &Session) -> Option<String> {
        None
    }

    /// Draws the shapes that bones cover.
    fn show_behind(&self, _overlay: &OverlayPainter<'_>, _active: Option<ActiveHandle>) {}

    fn show(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>, _session: &Session) {
        self.handles().iter().for_each(|handle| handle.paint(overlay, active));
    }

    /// Shows the buttons of the gizmo.
    fn buttons_ui(&self, _ui: &mut Ui, _rect: Rect, _view: &CameraView, _cx: &mut UiContext<'_>) {}

    /// Returns the mark of the gizmo, for the legend.
    fn mark(&self) -> Option<TipPart> {
        None
    }
}
