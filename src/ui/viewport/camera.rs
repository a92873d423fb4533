//! The viewport camera, smooth camera moves, and the uncovered part of the viewport.

use super::legend;
use super::pickables::Pickables;
use super::tools;
use super::transform_gizmo::frame_of;
use crate::stage::{CameraMove, CameraPreset, CameraView, FollowCamera, OrbitCamera, ViewRect};
use crate::ui::UiContext;
use crate::ui::kit::tokens::{motion, size, space};
use egui::{Key, Modifiers, PointerButton, Rect, Response, Ui};
use glam::{Vec2, Vec3, vec2};
use std::sync::{Arc, Weak};
use yuremono_session::{BodyRow, Command, Motion};
use yuremono_sim::rig::Character;

/// Rotation per point of pointer movement, in radians.
const ORBIT_SPEED: f32 = 0.0075;
/// Zoom exponent per point of wheel movement.
const ZOOM_SPEED: f32 = 0.0025;
/// Height of the transport strip, including margins, in points.
pub(in crate::ui) const BOTTOM_MARGIN: f32 = 44.0 + 2.0 * space::L;
/// Height of the bar of a comparison, with the space below the bar, in points.
const COMPARE_BAR_HEIGHT: f32 = size::BUTTON + 3.0 * space::S;
/// Minimum width for bodies side by side at the left of the legends, in points.
const MIN_WIDTH_BESIDE_LEGENDS: f32 = 300.0;
/// Minimum viewport size, in points. Smaller viewports reserve no margins for the strips.
const MIN_SIZE_FOR_MARGINS: Vec2 = Vec2::new(420.0, 300.0);

#[derive(Debug, Default)]
pub(super) struct ViewportCamera {
    camera: Option<OrbitCamera>,
    transition: Option<(CameraMove, f64)>,
    /// Width that a dialog covers at the left, in points.
    covered_left: f32,
    /// Width that legends cover at the right of bodies side by side, in points.
    covered_right: f32,
    /// Height that the bar of a comparison covers at the bottom, in points.
    covered_bottom: f32,
    /// The character that was framed last.
    character: Weak<Character>,
    /// Whether a project set the camera, so that the character is not framed automatically.
    restored: bool,
    /// The rectangle that the whole character was framed to. `None` once the artist has moved the camera.
    framed_view_rect: Option<ViewRect>,
    follow: FollowCamera,
    /// The motion of the last frame.
    motion: Option<Motion>,
    /// Height of the ground, in metres.
    floor: f32,
    /// The bodies side by side.
    row: Option<BodyRow>,
    /// Distance from the displayed body to the middle of the row, to the right, in metres.
    row_shift: f32,
    /// The camera before the bodies stood side by side.
    before_row: Option<OrbitCamera>,
}

impl ViewportCamera {
    /// Advances by one frame and applies camera requests. Afterwards, [`ViewportCamera::view`] is valid.
    pub(super) fn update(&mut self, ui: &Ui, rect: Rect, cx: &mut UiContext<'_>) {
        let seconds = cx.theme.seconds(motion::CAMERA_FRAME_MS);
        // Dialogs report their right edge in window coordinates.
        let left = (cx.state.covered_left - rect.left()).clamp(0.0, rect.width() * 0.6);
        let has_bar = cx.session().comparison().is_some() || cx.session().sweep().is_some();
        let bottom = if has_bar { COMPARE_BAR_HEIGHT } else { 0.0 };
        let has_legends = cx.session().body_row().is_some() && legend::is_shown(cx) && self.has_room_for_legends(rect);
        let right = if has_legends { legend::COVERED_WIDTH } else { 0.0 };
        for (edge, covered, wanted) in [
            ("left", &mut self.covered_left, left),
            ("right", &mut self.covered_right, right),
            ("bottom", &mut self.covered_bottom, bottom),
        ] {
            let id = ui.scope_id().with(("covered", edge));
            *covered =
                if self.camera.is_none() { wanted } else { ui.ctx().animate_value_with_time(id, wanted, seconds) };
        }
        self.update_row(ui, rect, cx, seconds);
        let pane = self.framing_rect(rect, cx);
        let facing = cx.character().facing;
        self.floor = cx.input.bounds.map_or(0.0, |[low, _]| low.y.min(0.0));
        let is_new = !Weak::ptr_eq(&self.character, &Arc::downgrade(cx.character()));
        if std::mem::take(&mut self.restored) {
            cx.state.frame_wanted = false;
        }
        if self.camera.is_none() || (is_new && cx.state.frame_wanted) {
            // A new character is framed without a smooth move.
            let mut camera = OrbitCamera::new(facing);
            self.follow = FollowCamera::default();
            if let Some([low, high]) = cx.input.bounds {
                camera.frame(low, high, &pane);
                self.framed_view_rect = Some(pane);
            }
            self.camera = Some(camera);
            self.transition = None;
            cx.state.frame_wanted = false;
        } else if self.framed_view_rect.is_some_and(|framed| framed != pane)
            && let (Some([low, high]), Some(camera)) = (cx.input.bounds, &mut self.camera)
        {
            // If the size changes, or a dialog opens or closes, the whole character is framed again.
            let moved = self.follow.offset();
            camera.frame(low + moved, high + moved, &pane);
            self.framed_view_rect = Some(pane);
            self.transition = None;
        }
        self.character = Arc::downgrade(cx.character());
        // A selection of this frame takes effect before the next frame.
        let selects = |command: &Command| matches!(command, Command::Select(..) | Command::SelectObjects(..));
        if cx.state.frame_wanted && cx.output.commands.iter().any(selects) {
            ui.ctx().request_repaint();
        } else if std::mem::take(&mut cx.state.frame_wanted) {
            let mut to = self.destination();
            if let Some([low, high]) = bounds_to_frame(cx) {
                let is_whole = cx.input.bounds == Some([low, high]);
                // The bounds of the whole character are those of the rest pose.
                let moved = if is_whole { self.follow.offset() } else { Vec3::ZERO };
                to.frame(low + moved, high + moved, &pane);
                self.start_transition(ui, to, seconds);
                self.framed_view_rect = is_whole.then_some(pane);
            }
        }
        if let Some(preset) = cx.state.camera_wanted.take() {
            let mut to = self.destination();
            to.look_from(preset, facing);
            self.start_transition(ui, to, seconds);
        }
        if let Some([target, towards_eye]) = cx.state.view_direction_wanted.take() {
            let mut to = self.destination();
            to.look_from_direction(target, towards_eye);
            self.start_transition(ui, to, seconds);
            self.framed_view_rect = None;
        }
        self.update_transition(ui, seconds);
        self.follow_character(ui, cx);
    }

    /// Shows all bodies when they start to stand side by side, and returns to the camera before when they end.
    fn update_row(&mut self, ui: &Ui, rect: Rect, cx: &UiContext<'_>, seconds: f32) {
        let row = cx.session().body_row();
        let count = |row: Option<BodyRow>| row.map_or(1, |row| row.count);
        let (before, now) = (count(self.row), count(row));
        self.row = row;
        let middle = row.map_or(0.0, |row| row.spacing * (0.5 * (row.count - 1) as f32 - row.anchor as f32));
        let id = ui.scope_id().with("row");
        self.row_shift =
            if self.camera.is_none() { middle } else { ui.ctx().animate_value_with_time(id, middle, seconds) };
        // A camera that shows the whole character is framed again anyway.
        if before == now || self.framed_view_rect.is_some() || self.camera.is_none() {
            return;
        }
        if before == 1 {
            self.before_row = Some(self.destination());
        }
        if now == 1 {
            if let Some(before) = self.before_row.take() {
                self.start_transition(ui, before, seconds);
            }
        } else if let Some([low, high]) = cx.input.bounds {
            let moved = self.follow.offset();
            let mut to = self.destination();
            to.frame(low + moved, high + moved, &self.framing_rect(rect, cx));
            self.start_transition(ui, to, seconds);
        }
    }

    /// Returns the view rectangle, with a free part that one of several bodies side by side must fit.
    fn framing_rect(&self, rect: Rect, cx: &UiContext<'_>) -> ViewRect {
        let pane = self.view_rect(rect);
        let (Some(row), Some([low, high])) = (self.row, cx.input.bounds) else { return pane };
        let width = (high - low).with_y(0.0).max_element().max(1e-3);
        let share = (width / (row.spacing * row.count as f32)).min(1.0);
        let [left, right] = pane.free_rect;
        let inset = vec2(0.5 * (1.0 - share) * (right.x - left.x), 0.0);
        ViewRect { free_rect: [left + inset, right - inset], ..pane }
    }

    /// Returns whether there is room for legends beside the bodies. One body is in the middle of the viewport.
    pub(super) fn has_room_for_legends(&self, rect: Rect) -> bool {
        let left = self.view_rect(rect).free_rect[0].x;
        self.row.is_none() || rect.width() - left - legend::COVERED_WIDTH >= MIN_WIDTH_BESIDE_LEGENDS
    }

    /// Moves the camera after a character that walks away. Orbit, distance and pan stay.
    fn follow_character(&mut self, ui: &Ui, cx: &UiContext<'_>) {
        let play = cx.playback();
        if self.motion.replace(play.settings().motion) != Some(play.settings().motion) {
            self.follow.restart();
        }
        // A clip is recorded at its own pace, and not at that of the window.
        let recorded = cx.state.clip_options.filter(|_| cx.input.capture.is_recording());
        let passed = recorded.map_or_else(|| ui.input(|i| i.stable_dt), |options| options.spacing().1 as f32);
        let seconds = if cx.state.prefs.reduce_motion { f32::MAX } else { passed };
        let travel = play.displayed_travel().filter(|_| !cx.state.prefs.camera_stays);
        let moved = self.follow.advance(travel, play.body_height(), seconds);
        if moved != Vec3::ZERO {
            if let Some(camera) = &mut self.camera {
                camera.set_clamped(OrbitCamera { target: camera.target + moved, ..*camera });
            }
            if let Some((camera_move, _)) = &mut self.transition {
                camera_move.from.target += moved;
                camera_move.to.target += moved;
            }
        }
        if self.follow.is_moving(travel) {
            ui.ctx().request_repaint();
        }
    }

    fn start_transition(&mut self, ui: &Ui, to: OrbitCamera, seconds: f32) {
        if seconds > 0.0 {
            self.transition = Some((CameraMove { from: self.current(), to }, ui.input(|i| i.time)));
        } else {
            self.transition = None;
            self.camera = Some(to);
        }
    }

    fn update_transition(&mut self, ui: &Ui, seconds: f32) {
        let Some((camera_move, began)) = self.transition else { return };
        let progress = (ui.input(|i| i.time) - began) as f32 / seconds.max(1e-3);
        self.camera = Some(camera_move.at(progress));
        if progress >= 1.0 {
            self.camera = Some(camera_move.to);
            self.transition = None;
        } else {
            ui.ctx().request_repaint();
        }
    }

    pub(super) fn current(&self) -> OrbitCamera {
        self.camera.unwrap_or_default()
    }

    /// Returns the camera at the end of the smooth move.
    fn destination(&self) -> OrbitCamera {
        self.transition.map_or_else(|| self.current(), |(camera_move, _)| camera_move.to)
    }

    /// Returns the camera as JSON, for projects.
    pub(super) fn state(&self) -> serde_json::Value {
        let Some(camera) = self.camera else { return serde_json::Value::Null };
        let OrbitCamera { target, yaw, pitch, distance, fov } = camera;
        let target = target - self.follow.offset();
        serde_json::json!({ "target": target.to_array(), "yaw": yaw, "pitch": pitch, "distance": distance, "fov": fov })
    }

    /// Restores the JSON of [`ViewportCamera::state`].
    pub(super) fn restore(&mut self, state: &serde_json::Value) {
        let number = |name: &str| state[name].as_f64().map(|n| n as f32);
        let target = serde_json::from_value::<[f32; 3]>(state["target"].clone()).ok().map(Vec3::from);
        let all = (target, number("yaw"), number("pitch"), number("distance"), number("fov"));
        if let (Some(target), Some(yaw), Some(pitch), Some(distance), Some(fov)) = all {
            let mut camera = OrbitCamera::default();
            camera.set_clamped(OrbitCamera { target, yaw, pitch, distance, fov });
            self.set(camera);
            self.follow = FollowCamera::default();
            self.restored = true;
        }
    }

    /// Sets the camera without a smooth move.
    pub(super) fn set(&mut self, camera: OrbitCamera) {
        self.transition = None;
        self.framed_view_rect = None;
        self.camera = Some(camera);
    }

    /// Returns the camera view in `rect`, in points from the corner of `rect`.
    pub(super) fn view(&self, rect: Rect) -> CameraView {
        let pane = self.view_rect(rect);
        self.shifted(self.row_shift).view(&pane)
    }

    /// Returns the camera, moved to the right by a distance in metres.
    fn shifted(&self, distance: f32) -> OrbitCamera {
        let camera = self.current();
        OrbitCamera { target: camera.target + camera.axes()[0] * distance, ..camera }
    }

    fn view_rect(&self, rect: Rect) -> ViewRect {
        let size = vec2(rect.width(), rect.height());
        let foot = (BOTTOM_MARGIN + self.covered_bottom).min(size.y * 0.25);
        let left = if size.x > MIN_SIZE_FOR_MARGINS.x { tools::TOOLS_WIDTH } else { 0.0 };
        let top = if size.y > MIN_SIZE_FOR_MARGINS.y { tools::TOGGLES_HEIGHT } else { 0.0 };
        let right = size.x - self.covered_right;
        ViewRect { size, free_rect: [vec2(self.covered_left.max(left), top.min(foot)), vec2(right, size.y - foot)] }
    }

    /// Handles orbit, pan and zoom. If `left_button_orbits` is set, the left button also orbits.
    pub(super) fn handle_input(&mut self, ui: &Ui, response: &Response, rect: Rect, left_button_orbits: bool) {
        let pane = self.view_rect(rect);
        let shift = ui.input(|i| i.modifiers.shift);
        let middle = response.dragged_by(PointerButton::Middle);
        let pans = response.dragged_by(PointerButton::Secondary) || (middle && shift);
        let turns = (middle && !shift) || (left_button_orbits && response.dragged_by(PointerButton::Primary));
        let moved = response.drag_delta();
        let mut camera = self.current();
        if pans {
            camera.pan(vec2(moved.x, moved.y), &pane);
        } else if turns {
            camera.orbit_above(moved.x * ORBIT_SPEED, moved.y * ORBIT_SPEED, self.floor);
        }
        if response.contains_pointer()
            && let Some(at) = ui.input(|i| i.pointer.latest_pos())
        {
            let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
            let factor = libm::expf(wheel * ZOOM_SPEED) * pinch;
            if factor != 1.0 {
                let is_above = camera.eye().y >= self.floor;
                let right = camera.axes()[0] * self.row_shift;
                camera.target += right;
                camera.zoom(factor, to_pixel(rect, at), &pane);
                camera.target -= right;
                if is_above {
                    camera.keep_above(self.floor);
                }
            }
        }
        if camera != self.current() {
            self.set(camera);
        }
    }
}

/// Converts a screen position to pixels of the viewport.
pub(super) fn to_pixel(rect: Rect, at: egui::Pos2) -> Vec2 {
    vec2(at.x - rect.left(), at.y - rect.top())
}

/// Handles the keys of the views that the View menu does not list.
pub(super) fn handle_keys(ui: &Ui, cx: &mut UiContext<'_>) {
    if ui.ctx().text_edit_focused() {
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

/// Returns the bounds of the selected joints and objects, or of the whole character if nothing is selected.
fn bounds_to_frame(cx: &UiContext<'_>) -> Option<[Vec3; 2]> {
    let session = cx.session();
    let pickables = Pickables::of(session, cx.input.bounds);
    let selected = pickables.joints.iter().filter(|j| j.selected).flat_map(|j| [j.head, j.tip]);
    let frames = &session.playback().displayed_pose().frames;
    let bones = session.selection().bones.iter().filter_map(|b| frames.get(b.index())).map(|f| f.position);
    let mut points: Vec<Vec3> = selected.collect();
    points.extend(bones);
    points.extend(session.selection().objects.iter().filter_map(|item| frame_of(session, *item)).map(|f| f.position));
    let first = points.first().copied();
    let Some(first) = first else { return cx.input.bounds };
    let [low, high] = points.iter().fold([first; 2], |[low, high], p| [low.min(*p), high.max(*p)]);
    // Frame a single joint with some space around it.
    let around = Vec3::splat((pickables.height * 0.06).max(1e-3));
    Some([low - around, high + around])
}
