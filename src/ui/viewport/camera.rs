//! The camera, where it glides to, and the part of the viewport that nothing covers.

use super::figure::Figure;
use super::grips::frame_of;
use super::tools;
use crate::rig::Character;
use crate::stage::{CameraMove, CameraPreset, OrbitCamera, Pane, Shot};
use crate::ui::Cx;
use crate::ui::kit::tokens::{motion, space};
use egui::{Key, Modifiers, PointerButton, Rect, Response, Ui};
use glam::{Vec2, Vec3, vec2};
use std::sync::{Arc, Weak};

/// Radians for one point of pointer movement.
const TURN: f32 = 0.0075;
/// Zoom for one point of wheel movement, as the power of e.
const ZOOM: f32 = 0.0025;
/// Room above the lower edge that the transport takes, with its margins.
pub(super) const FOOT: f32 = 44.0 + 2.0 * space::L;
/// Viewports narrower or lower than this keep no room for the strips at the left and at the top.
const ROOMY: Vec2 = Vec2::new(420.0, 300.0);

/// The camera as it is now, and where it is going.
#[derive(Debug, Default)]
pub(super) struct Eye {
    camera: Option<OrbitCamera>,
    gliding: Option<(CameraMove, f64)>,
    /// Points at the left that are covered; follows what windows ask for.
    covered: f32,
    /// Whom it looked at last.
    character: Weak<Character>,
    /// A project said where to look from: no framing until it was seen.
    restored: bool,
    /// The pane that the whole character was framed to, as long as nobody has moved the camera since.
    framed_to: Option<Pane>,
}

impl Eye {
    /// Moves on by one frame and takes wishes; afterwards [`Eye::shot`] is the picture of this frame.
    pub(super) fn update(&mut self, ui: &Ui, rect: Rect, cx: &mut Cx<'_>) {
        let seconds = cx.theme.seconds(motion::CAMERA_FRAME_MS);
        // Windows say where they end in the whole window; the outliner is left of here anyway.
        let wanted = (cx.state.covered_left - rect.left()).clamp(0.0, rect.width() * 0.6);
        let id = ui.scope_id().with("covered");
        self.covered =
            if self.camera.is_none() { wanted } else { ui.ctx().animate_value_with_time(id, wanted, seconds) };
        let pane = self.pane(rect);
        let facing = cx.session().character().facing;
        let fresh = !Weak::ptr_eq(&self.character, &Arc::downgrade(cx.session().character()));
        if std::mem::take(&mut self.restored) {
            cx.state.frame_wanted = false;
        }
        if self.camera.is_none() || (fresh && cx.state.frame_wanted) {
            // Another character: no glide from a place that has nothing to do with it.
            let mut camera = OrbitCamera::new(facing);
            if let Some([low, high]) = cx.input.bounds {
                camera.frame(low, high, &pane);
                self.framed_to = Some(pane);
            }
            self.camera = Some(camera);
            self.gliding = None;
            cx.state.frame_wanted = false;
        } else if self.framed_to.is_some_and(|framed| framed != pane)
            && let (Some([low, high]), Some(camera)) = (cx.input.bounds, &mut self.camera)
        {
            // Another size, or a dialog opened or closed at the left, and she still stands as she was framed.
            camera.frame(low, high, &pane);
            self.framed_to = Some(pane);
            self.gliding = None;
        }
        self.character = Arc::downgrade(cx.session().character());
        if std::mem::take(&mut cx.state.frame_wanted) {
            let mut to = self.destination();
            if let Some([low, high]) = what_to_frame(cx) {
                to.frame(low, high, &pane);
                self.glide(ui, to, seconds);
                self.framed_to = (cx.input.bounds == Some([low, high])).then_some(pane);
            }
        }
        if let Some(preset) = cx.state.camera_wanted.take() {
            let mut to = self.destination();
            to.look_from(preset, facing);
            self.glide(ui, to, seconds);
        }
        if let Some([target, towards_eye]) = cx.state.look_wanted.take() {
            let mut to = self.destination();
            to.look_along(target, towards_eye);
            self.glide(ui, to, seconds);
            self.framed_to = None;
        }
        self.follow_glide(ui, seconds);
    }

    fn glide(&mut self, ui: &Ui, to: OrbitCamera, seconds: f32) {
        if seconds > 0.0 {
            self.gliding = Some((CameraMove { from: self.now(), to }, ui.input(|i| i.time)));
        } else {
            self.gliding = None;
            self.camera = Some(to);
        }
    }

    fn follow_glide(&mut self, ui: &Ui, seconds: f32) {
        let Some((way, began)) = self.gliding else { return };
        let progress = (ui.input(|i| i.time) - began) as f32 / seconds.max(1e-3);
        self.camera = Some(way.at(progress));
        if progress >= 1.0 {
            self.camera = Some(way.to);
            self.gliding = None;
        } else {
            ui.ctx().request_repaint();
        }
    }

    /// Where it is.
    pub(super) fn now(&self) -> OrbitCamera {
        self.camera.unwrap_or_default()
    }

    /// Where it will be.
    fn destination(&self) -> OrbitCamera {
        self.gliding.map_or_else(|| self.now(), |(way, _)| way.to)
    }

    /// The camera as projects keep it.
    pub(super) fn state(&self) -> serde_json::Value {
        let Some(camera) = self.camera else { return serde_json::Value::Null };
        let OrbitCamera { target, yaw, pitch, distance, fov } = camera;
        serde_json::json!({ "target": target.to_array(), "yaw": yaw, "pitch": pitch, "distance": distance, "fov": fov })
    }

    /// Takes what [`Eye::state`] gave.
    pub(super) fn restore(&mut self, state: &serde_json::Value) {
        let number = |name: &str| state[name].as_f64().map(|n| n as f32);
        let target = serde_json::from_value::<[f32; 3]>(state["target"].clone()).ok().map(Vec3::from);
        let all = (target, number("yaw"), number("pitch"), number("distance"), number("fov"));
        if let (Some(target), Some(yaw), Some(pitch), Some(distance), Some(fov)) = all {
            let mut camera = OrbitCamera::default();
            camera.set(OrbitCamera { target, yaw, pitch, distance, fov });
            self.set(camera);
            self.restored = true;
        }
    }

    /// Puts it somewhere at once.
    pub(super) fn set(&mut self, camera: OrbitCamera) {
        self.gliding = None;
        self.framed_to = None;
        self.camera = Some(camera);
    }

    /// What the camera sees in `rect`, in points from its corner.
    pub(super) fn shot(&self, rect: Rect) -> Shot {
        self.now().shot(&self.pane(rect))
    }

    fn pane(&self, rect: Rect) -> Pane {
        let size = vec2(rect.width(), rect.height());
        let foot = FOOT.min(size.y * 0.25);
        let left = if size.x > ROOMY.x { tools::TOOLS_WIDTH } else { 0.0 };
        let top = if size.y > ROOMY.y { tools::TOGGLES_HEIGHT } else { 0.0 };
        Pane { size, free: [vec2(self.covered.max(left), top.min(foot)), vec2(size.x, size.y - foot)] }
    }

    /// Turns, moves and zooms as the pointer asks; `turning` says whether the left button turns too.
    pub(super) fn hands(&mut self, ui: &Ui, response: &Response, rect: Rect, turning: bool) {
        let pane = self.pane(rect);
        let shift = ui.input(|i| i.modifiers.shift);
        let middle = response.dragged_by(PointerButton::Middle);
        let pans = response.dragged_by(PointerButton::Secondary) || (middle && shift);
        let turns = (middle && !shift) || (turning && response.dragged_by(PointerButton::Primary));
        let moved = response.drag_delta();
        let mut camera = self.now();
        if pans {
            camera.pan(vec2(moved.x, moved.y), &pane);
        } else if turns {
            camera.orbit(moved.x * TURN, moved.y * TURN);
        }
        if response.contains_pointer()
            && let Some(at) = ui.input(|i| i.pointer.latest_pos())
        {
            let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
            let factor = (wheel * ZOOM).exp() * pinch;
            if factor != 1.0 {
                camera.zoom(factor, pixel(rect, at), &pane);
            }
        }
        if camera != self.now() {
            self.set(camera);
        }
    }
}

/// A place on the screen in pixels of the pane.
pub(super) fn pixel(rect: Rect, at: egui::Pos2) -> Vec2 {
    vec2(at.x - rect.left(), at.y - rect.top())
}

/// Keys for the views that the View menu leaves out.
pub(super) fn keys(ui: &Ui, cx: &mut Cx<'_>) {
    if ui.ctx().text_edit_focused() || cx.input.file.is_asking() {
        return;
    }
    let keys = [
        (Modifiers::COMMAND, Key::Num3, CameraPreset::Right),
        (Modifiers::NONE, Key::Num0, CameraPreset::ThreeQuarter),
    ];
    for (modifiers, key, preset) in keys {
        if ui.input_mut(|i| i.consume_key(modifiers, key)) {
            cx.state.camera_wanted = Some(preset);
            ui.ctx().request_repaint();
        }
    }
}

/// Corners of the selected joints and items as they are now, or of the whole character.
fn what_to_frame(cx: &Cx<'_>) -> Option<[Vec3; 2]> {
    let session = cx.session();
    let figure = Figure::of(session, cx.input.bounds);
    let selected = figure.joints.iter().filter(|j| j.selected).flat_map(|j| [j.head, j.tip]);
    let frames = &session.playback().shown().frames;
    let bones = session.selection().bones.iter().filter_map(|b| frames.get(b.index())).map(|f| f.position);
    let mut points: Vec<Vec3> = selected.collect();
    points.extend(bones);
    points.extend(session.selection().items.iter().filter_map(|item| frame_of(session, *item)).map(|f| f.position));
    let first = points.first().copied();
    let Some(first) = first else { return cx.input.bounds };
    let [low, high] = points.iter().fold([first; 2], |[low, high], p| [low.min(*p), high.max(*p)]);
    // A lone joint is shown with something around it.
    let around = Vec3::splat((figure.height * 0.06).max(1e-3));
    Some([low - around, high + around])
}
