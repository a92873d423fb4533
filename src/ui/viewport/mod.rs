//! The character in the middle of the window, what is drawn over it, and the hands that grab it.
//!
//! `camera` turns and glides; `figure` has the joints and rings; `hands` says what the pointer means;
//! `overlay`, `links`, `solids`, `fans`, `breeze`, `grips` and `knobs` paint the shapes that [`crate::stage::overlay`]
//! computes; `scene` gathers them and their handles, `pull` moves a handle; `tools`, `transport` and `hints` float at the edges. Nothing here draws the character itself: that shape comes in with
//! [`crate::ui::UiInput::draw_character`].

mod body_gizmo;
mod bone_overlay;
mod camera;
mod colliders;
mod forces;
mod handle_drag;
mod hints;
mod limit_gizmo;
mod links;
mod motions;
mod overlay_painter;
mod pickables;
mod pointer;
mod scene;
mod tools;
mod transform_gizmo;
mod transport;

pub(super) use colliders::deepest_contact;
pub(super) use forces::force_in_node_space;
pub use pointer::ContextMenuTarget;
pub(super) use transform_gizmo::delete_selection;

use crate::rig::{Character, WorldPose};
use crate::session::Command;
use crate::stage::{CameraView, Occlusion, OrbitCamera};
use crate::ui::UiContext;
use crate::ui::kit::theme::{ColorRole as Colour, TextSize};
use bone_overlay::BoneOverlay;
use camera::ViewportCamera;
use colliders::ColliderOverlay;
use egui::{Align2, Rect, Response, Role, Sense, Ui, WidgetInfo};
pub(crate) use motions::motion_name;
use overlay_painter::OverlayPainter;
use pointer::{DragState, PointerController};
use scene::{GizmoDrag, GizmoHandle, OverlayScene};
use std::sync::{Arc, Weak};

/// Seconds between two looks at what the character hides.
const OCCLUSION_INTERVAL: f64 = 0.15;
/// Characters with more triangles are not looked at: all bones count as seen.
const MAX_OCCLUSION_TRIANGLES: usize = 120_000;

/// The inputs that the occlusion raster was last computed from.
#[derive(Debug)]
struct OcclusionInputs {
    /// Weak, so that the session can still change its character in place.
    character: Weak<Character>,
    pose: WorldPose,
    visible: Vec<bool>,
    view: CameraView,
}

impl OcclusionInputs {
    fn is_same(&self, character: &Arc<Character>, pose: &WorldPose, visible: &[bool], shot: &CameraView) -> bool {
        self.character.as_ptr() == Arc::as_ptr(character)
            && self.view == *shot
            && self.visible == visible
            && self.pose == *pose
    }
}

/// What it keeps.
#[derive(Debug, Default)]
pub struct Viewport {
    camera: ViewportCamera,
    pointer: PointerController,
    occlusion: Occlusion,
    occlusion_inputs: Option<OcclusionInputs>,
    occlusion_checked_at: f64,
    last_view: Option<CameraView>,
}

impl Viewport {
    /// Where the camera is.
    pub fn camera(&self) -> OrbitCamera {
        self.camera.current()
    }

    /// What was seen last, in points from the viewport's corner.
    pub fn last_view(&self) -> Option<&CameraView> {
        self.last_view.as_ref()
    }

    /// What a project keeps: the camera.
    pub fn state(&self) -> serde_json::Value {
        self.camera.state()
    }

    /// Looks again from where a project says; nonsense changes nothing.
    pub fn restore(&mut self, state: &serde_json::Value) {
        self.camera.restore(state);
    }

    /// Draws it into all that is left.
    ///
    /// Returns the place that takes clicks, and what is under the pointer.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) -> (Response, ContextMenuTarget) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.interact(rect, ui.scope_id().with("viewport"), Sense::CLICK | Sense::DRAG);
        let name = cx.tr("viewport.name");
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &*name));
        camera::handle_keys(ui, cx);
        self.camera.update(ui, rect, cx);
        let shot = self.camera.view(rect);
        let scene = OverlayScene::of(cx, &shot, self.pointer.tool);
        self.pointer.update(ui, &response, (rect, &shot), &scene, cx);
        self.camera.handle_input(ui, &response, rect, self.pointer.drag == Some(DragState::Camera));
        let shot = self.camera.view(rect);
        self.last_view = Some(shot);
        if cx.session().playback().world().viewer() != Some(shot.eye) {
            cx.command(Command::SetViewer(shot.eye));
        }
        self.update_occlusion(ui, &shot, cx);
        let marks = self.paint(ui, rect, &shot, &scene, cx);

        let toggles = tools::toggles_ui(ui, rect, cx);
        tools::tools_ui(ui, rect, &mut self.pointer.tool, cx);
        transport::apply_player_rate(cx);
        let transport = transport::show(ui, rect, cx);
        tools::axes_ui(ui, rect, transport, &shot, cx);
        tools::legend_ui(ui, rect, toggles, &marks, cx);
        if !cx.state.overlays_hidden {
            limit_gizmo::face_limit_ui(ui, rect, &shot, &scene.limit_gizmos, cx);
        }
        let places = hints::HintAnchors { rect, toggles, transport };
        hints::show(ui, &places, &shot, &scene.pickables, &self.pointer, cx);
        bone_overlay::paint_record_frame(ui.painter(), rect, cx);
        hints::show_preview(ui, rect, toggles, cx);
        let hints = self.pointer.mouse_hints(cx);
        if response.contains_pointer() || self.pointer.drag.is_some() || cx.state.mouse_hints.is_empty() {
            cx.state.mouse_hints = hints;
        }
        let target = self.pointer.context_menu_target(cx);
        (response, target)
    }

    /// Finds out now and then what lies behind the character's surface.
    fn update_occlusion(&mut self, ui: &Ui, shot: &CameraView, cx: &UiContext<'_>) {
        let now = ui.input(|i| i.time);
        let character = cx.session().character();
        let primitives = character.meshes.iter().flat_map(|m| &m.primitives);
        let triangles: usize = primitives.map(|p| p.indices.len() / 3).sum();
        if now - self.occlusion_checked_at >= OCCLUSION_INTERVAL
            && triangles <= MAX_OCCLUSION_TRIANGLES
            && cx.state.prefs.toggles.bones
        {
            self.occlusion_checked_at = now;
            let (pose, visible) = (cx.session().playback().displayed_pose(), &cx.state.mesh_visibility);
            if self.occlusion_inputs.as_ref().is_some_and(|last| last.is_same(character, pose, visible, shot)) {
                return;
            }
            self.occlusion.update(character, pose, visible, shot);
            self.occlusion_inputs = Some(OcclusionInputs {
                character: Arc::downgrade(character),
                pose: pose.clone(),
                visible: visible.clone(),
                view: *shot,
            });
        }
    }

    /// Draws the character and what lies over her. Returns the meanings of colours that were drawn, for the legend.
    fn paint(&self, ui: &Ui, rect: Rect, shot: &CameraView, scene: &OverlayScene, cx: &UiContext<'_>) -> Vec<Colour> {
        let figure = &scene.pickables;
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let c = cx.theme.color;
        if let Some(shape) = (cx.input.draw_character)(rect, *shot, &cx.state.mesh_visibility) {
            painter.add(shape);
        } else {
            painter.rect_filled(rect, 0.0, c.view_bottom);
            let at = rect.center_top() + egui::vec2(0.0, rect.height() * 0.12);
            painter.text(at, Align2::CENTER_CENTER, cx.tr("viewport.no_picture"), TextSize::Body.font(), c.text_2);
        }
        let ink = OverlayPainter { painter: &painter, theme: cx.theme, rect };
        if cx.state.overlays_hidden {
            return Vec::new();
        }
        overlay_painter::paint_ghosts(
            &ink,
            shot,
            &cx.session().playback().original_chain_lines(cx.session().document()),
        );
        if cx.state.prefs.toggles.length_limits {
            links::show_length_limits(&ink, shot, figure, cx);
        }
        links::show_links(&ink, shot, figure, &self.occlusion, cx);
        let touches =
            ColliderOverlay { painter: &ink, view: shot, pickables: figure, colliders: &scene.colliders }.show(cx);
        let swings = limit_gizmo::swing_limits(cx, shot, figure);
        limit_gizmo::show_swing_limits(&ink, &swings);
        let held = matches!(self.pointer.drag, Some(DragState::Handle(GizmoDrag::Limit(_))));
        let (mut grip, mut end, mut knob) = (None, None, None);
        match self.pointer.active_handle() {
            Some(GizmoHandle::Transform(kind)) => grip = Some(kind),
            Some(GizmoHandle::Limit(fan_end)) => end = Some(fan_end),
            Some(GizmoHandle::Body(hot)) => knob = Some(hot),
            None => {}
        }
        let degrees = limit_gizmo::show_limit_gizmos(&ink, &scene.limit_gizmos, end, held);
        let bones = BoneOverlay {
            painter: &ink,
            view: shot,
            pickables: figure,
            pointer: &self.pointer,
            occlusion: &self.occlusion,
        };
        bones.show(cx);
        links::show_force_arrows(&ink, &scene.force_arrows, cx);
        forces::show(&ink, shot, &scene.forces, cx);
        transform_gizmo::show_axes(&ink, shot, cx.session());
        scene.transform_gizmo.show(&ink, grip);
        scene.body_gizmo.show(&ink, knob);
        for words in degrees {
            words.paint(&ink);
        }
        if let Some(DragState::Handle(hold)) = &self.pointer.drag {
            hold.paint_tag(&ink, cx.session());
        }
        overlay_painter::paint_overlay_lines(&ink, shot, &cx.state.overlay_lines);
        bone_overlay::hover_tag_ui(ui, &ink, &self.pointer, cx);
        let mut marks: Vec<Colour> = scene.force_arrows.iter().map(|arrow| arrow.role).collect();
        marks.extend(touches.then_some(Colour::Collision));
        marks.extend((!scene.limit_gizmos.is_empty() || !swings.is_empty()).then_some(Colour::Limit));
        marks
    }
}
