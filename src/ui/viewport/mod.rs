//! The viewport: the character, the overlay, and pointer interaction.
//!
//! `camera` moves the camera. `pickables` collects the joints and rings of the current frame. `pointer` finds the
//! target of the pointer and handles its actions. `scene` gathers the objects and gizmos of the overlay. `gizmo` is the
//! trait of gizmos; `transform_gizmo`, `body_gizmo`, `limit_gizmo` and `aim_gizmo` are the gizmos. `bone_overlay`,
//! `causes`, `color_by`, `links` and `objects` draw the shapes that [`crate::stage::overlay`] computes. `tools`,
//! `transport`, `legend`, `motion_list`, `hints` and `isolation_chip` are widgets at the edges.
//! [`crate::ui::UiInput::draw_character`] draws the character.

mod aim_gizmo;
mod aim_grip;
mod body_gizmo;
mod body_row;
mod bone_overlay;
mod camera;
mod causes;
mod color_by;
mod gizmo;
mod handle;
mod hints;
mod isolation_chip;
mod legend;
mod limit_gizmo;
mod links;
mod look_menu;
mod motion_list;
mod objects;
mod onion_skins;
mod overlay_batch;
mod overlay_painter;
mod pickables;
mod pointer;
mod scene;
mod timeline;
mod tools;
mod transform_gizmo;
mod transport;
mod wind_menu;

pub(super) use camera::BOTTOM_MARGIN;
pub(super) use causes::part_name;
pub(super) use objects::{deepest_contact, force_in_node_space};
pub use pointer::ContextMenuTarget;
pub(super) use transform_gizmo::delete_selection;
pub(super) use transport::strip;

use crate::stage::{CameraView, Occlusion, OrbitCamera};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::theme::TextSize;
use bone_overlay::BoneOverlay;
use camera::ViewportCamera;
use egui::{Align2, Rect, Response, Role, Sense, Ui, WidgetInfo};
pub use motion_list::motion_name;
use objects::ColliderOverlay;
use overlay_painter::OverlayPainter;
use pointer::{DragState, PointerController};
use scene::OverlayScene;
use std::sync::{Arc, Weak};
pub(in crate::ui) use timeline::is_shown as shows_timeline;
use yuremono_session::Command;
use yuremono_sim::TipPart;
use yuremono_sim::rig::{Character, WorldPose};

/// Minimum interval between occlusion tests, in seconds.
const OCCLUSION_INTERVAL: f64 = 0.15;
/// Maximum number of triangles for the occlusion test. If a character has more triangles, all its bones count as
/// visible.
const MAX_OCCLUSION_TRIANGLES: usize = 120_000;

/// The inputs of the last occlusion test.
#[derive(Debug)]
struct OcclusionInputs {
    /// The reference is weak, so that the session can still change its character in place.
    character: Weak<Character>,
    pose: WorldPose,
    visible: Vec<bool>,
    view: CameraView,
}

impl OcclusionInputs {
    fn is_same(&self, character: &Arc<Character>, pose: &WorldPose, visible: &[bool], view: &CameraView) -> bool {
        self.character.as_ptr() == Arc::as_ptr(character)
            && self.view == *view
            && self.visible == visible
            && self.pose == *pose
    }
}

/// The state of the viewport.
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
    /// Returns the current camera.
    pub fn camera(&self) -> OrbitCamera {
        self.camera.current()
    }

    /// Returns the view of the last frame, in points from the corner of the viewport.
    pub fn last_view(&self) -> Option<&CameraView> {
        self.last_view.as_ref()
    }

    /// Returns the camera as JSON, for projects.
    pub fn state(&self) -> serde_json::Value {
        self.camera.state()
    }

    /// Restores the JSON of [`Viewport::state`]; invalid JSON changes nothing.
    pub fn restore(&mut self, state: &serde_json::Value) {
        self.camera.restore(state);
    }

    /// Draws the viewport in the remaining space. Returns the response and the target of a context menu.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) -> (Response, ContextMenuTarget) {
        let rect = ui.available_rect_before_wrap();
        cx.state.viewport_rect = Some(rect);
        let response = ui.interact(rect, ui.scope_id().with("viewport"), Sense::CLICK | Sense::DRAG);
        let name = tr!(cx, "3D viewport");
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &*name));
        camera::handle_keys(ui, cx);
        self.camera.update(ui, rect, cx);
        let view = self.camera.view(rect);
        let mut scene = OverlayScene::of(cx, &view, self.pointer.tool);
        scene.pickables.mark_hidden_tips(&self.occlusion);
        causes::switch_probe(&scene.pickables, cx);
        if cx.input.capture.is_active {
            self.pointer.release_hover(cx);
        } else if cx.session().sweep().is_some() {
            // A click takes a variant, so the pointer moves only the camera.
            self.pointer.release_hover(cx);
            self.camera.handle_input(ui, &response, rect, true);
        } else {
            self.pointer.update(ui, &response, rect, &view, &scene, cx);
            self.camera.handle_input(ui, &response, rect, matches!(self.pointer.drag, Some(DragState::Camera)));
        }
        let view = self.camera.view(rect);
        self.last_view = Some(view);
        if cx.playback().world().viewer() != Some(view.eye) {
            cx.command(Command::SetViewer(view.eye));
        }
        self.update_occlusion(ui, &view, cx);
        let marks = self.paint(ui, rect, &view, &scene, cx);
        if cx.input.capture.is_active {
            ui.set_invisible();
        }
        body_row::show(ui, rect, &response, &view, cx);
        let toggles = tools::toggles_ui(ui, rect, cx);
        tools::tools_ui(ui, rect, &mut self.pointer.tool, cx);
        transport::apply_player_rate(cx);
        let transport = transport::show(ui, rect, cx);
        timeline::show(ui, rect, transport, cx);
        tools::axes_ui(ui, rect, transport, &view, cx);
        if legend::is_shown(cx) && self.camera.has_room_for_legends(rect) {
            let scale = color_by::legend_ui(ui, rect, toggles, scene.joint_colors.as_ref(), cx);
            legend::legend_ui(ui, rect, scale, &marks, cx);
        }
        let is_aiming =
            matches!(&self.pointer.drag, Some(DragState::Handle(drag)) if drag.handle.id.kind.poses_joint());
        if !cx.hides_overlays() && !is_aiming {
            scene.gizmos.iter().for_each(|gizmo| gizmo.buttons_ui(ui, rect, &view, cx));
        }
        let anchors = hints::HintAnchors { rect, toggles, transport };
        hints::show(ui, &anchors, &view, &scene.pickables, &self.pointer, cx);
        bone_overlay::paint_record_frame(ui.painter(), rect, cx);
        hints::show_preview(ui, rect, toggles, cx);
        isolation_chip::show(ui, rect, toggles, cx);
        let hints = self.pointer.mouse_hints(cx);
        if response.contains_pointer() || self.pointer.drag.is_some() || cx.state.mouse_hints.is_empty() {
            cx.state.mouse_hints = hints;
        }
        let target = self.pointer.context_menu_target(cx);
        (response, target)
    }

    /// Updates which bones the character's surface hides, at most once per [`OCCLUSION_INTERVAL`].
    fn update_occlusion(&mut self, ui: &Ui, view: &CameraView, cx: &UiContext<'_>) {
        let now = ui.input(|i| i.time);
        let character = cx.character();
        let primitives = character.meshes.iter().flat_map(|m| &m.primitives);
        let triangles: usize = primitives.map(|p| p.indices.len() / 3).sum();
        if now - self.occlusion_checked_at >= OCCLUSION_INTERVAL
            && triangles <= MAX_OCCLUSION_TRIANGLES
            && cx.state.prefs.toggles.bones
        {
            self.occlusion_checked_at = now;
            let (pose, visible) = (cx.playback().displayed_pose(), &cx.state.mesh_visibility);
            if self.occlusion_inputs.as_ref().is_some_and(|last| last.is_same(character, pose, visible, view)) {
                return;
            }
            self.occlusion.update(character, pose, visible, view);
            self.occlusion_inputs = Some(OcclusionInputs {
                character: Arc::downgrade(character),
                pose: pose.clone(),
                visible: visible.clone(),
                view: *view,
            });
        }
    }

    /// Draws the character and the overlay. Returns the marks in use, for the legend.
    fn paint(&self, ui: &Ui, rect: Rect, view: &CameraView, scene: &OverlayScene, cx: &UiContext<'_>) -> Vec<TipPart> {
        let pickables = &scene.pickables;
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let c = cx.theme.color;
        if let Some(shape) = (cx.input.draw_character)(rect, *view, &cx.state.mesh_visibility) {
            painter.add(shape);
        } else {
            painter.rect_filled(rect, 0.0, c.view_bottom);
            let at = rect.center_top() + egui::vec2(0.0, rect.height() * 0.12);
            painter.text(at, Align2::CENTER_CENTER, tr!(cx, "OpenGL 3.3 is not available on this computer: the character is not drawn. Motion, curves and export still work."), TextSize::Body.font(), c.text_2);
        }
        let overlay = OverlayPainter { painter: &painter, theme: cx.theme, rect };
        // The joints of a sweep belong to several bodies.
        if cx.hides_overlays() || cx.session().sweep().is_some() {
            return Vec::new();
        }
        overlay_painter::paint_ghosts(&overlay, view, &cx.session().ghost_lines());
        onion_skins::show(&overlay, view, cx);
        if cx.state.prefs.toggles.length_limits {
            links::show_length_limits(&overlay, view, pickables, cx);
        }
        links::show_links(&overlay, view, pickables, &self.occlusion, cx);
        let touches = ColliderOverlay { painter: &overlay, view, pickables, colliders: &scene.colliders }.show(cx);
        let active = self.pointer.active_handle();
        scene.gizmos.iter().for_each(|gizmo| gizmo.show_behind(&overlay, active));
        let bones = BoneOverlay {
            painter: &overlay,
            view,
            pickables,
            pointer: &self.pointer,
            occlusion: &self.occlusion,
            colors: scene.joint_colors.as_ref(),
        };
        bones.show(cx);
        causes::show_cause_arrows(&overlay, &scene.cause_arrows, cx);
        objects::show_forces(&overlay, view, &scene.forces, cx);
        transform_gizmo::show_axes(&overlay, view, cx.session());
        scene.gizmos.iter().for_each(|gizmo| gizmo.show(&overlay, active, cx.session()));
        if let Some(DragState::Handle(drag)) = &self.pointer.drag {
            scene.paint_drag_tag(drag, &overlay, cx.session());
        }
        overlay_painter::paint_overlay_lines(&overlay, view, &cx.state.overlay_lines);
        bone_overlay::hover_tag_ui(ui, &overlay, &self.pointer, pickables, cx);
        let causes = scene.cause_arrows.iter().filter(|arrow| arrow.is_active);
        let mut marks: Vec<TipPart> = causes.map(|arrow| arrow.part).collect();
        marks.extend(touches.then_some(TipPart::Collision));
        marks.extend(scene.gizmos.iter().filter_map(|gizmo| gizmo.mark()));
        marks
    }
}
