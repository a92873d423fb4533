//! Finds the target of the pointer, and handles hover, selection and drags.

use super::camera::to_pixel;
use super::gizmo::PickLayer;
use super::handle::{ActiveHandle, DragModifiers, HandleDrag, HandleId, HandleKind, HandleTarget};
use super::pickables::{PickableJoint, Pickables, body_rings, chain_root, drag_bone, drag_reach};
use super::scene::OverlayScene;
use super::tools::ViewportTool;
use super::transform_gizmo::delete_selection;
use crate::stage::{
    CameraView, ConstrainedDrag, DragConstraint, PickPoint, moving_pick_distance, nearest_pick_point, nearest_segment,
};
use crate::ui::kit::tokens::size;
use crate::ui::{OutlinerTab, UiContext};
use egui::{CursorIcon, Key, Modifiers, PointerButton, Pos2, Rect, Response, Ui};
use glam::{Quat, Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use yuremono_model::document::{DragReach, GestureSample};
use yuremono_model::tools::elements::ElementId;
use yuremono_session::{Command, SceneObject, SelectMode, Session, TuningScope};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::{inverse_soft_limit, soft_limit};
use yuremono_sim::rig::{BoneId, Character};

/// Rotation per point of pointer movement, in radians.
const TURN_SPEED: f32 = 0.012;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum HitTarget {
    #[default]
    Nothing,
    /// A ring, identified by the bone that the ring moves.
    Ring(BoneId),
    Tip(BoneId),
    Bone(BoneId),
    Handle(HandleId),
    /// The outline of a collider, or the arrow of a force.
    Object(SceneObject),
}

/// The target of a context menu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContextMenuTarget {
    /// Empty space. The menu contains camera views.
    #[default]
    Empty,
    /// A joint or a body bone.
    Bone(BoneId),
    /// A collider, force or helper.
    Element(ElementId),
}

#[derive(Debug)]
pub(super) enum DragState {
    /// A bone of the body, or the root of a chain.
    Bone {
        bone: BoneId,
        reach: DragReach,
        before: GestureSample,
        drag: ConstrainedDrag,
        pressed: Pos2,
        turns: bool,
        /// Maximum distance in metres.
        limit: Option<f32>,
    },
    Tip {
        bone: BoneId,
        drag: ConstrainedDrag,
    },
    Handle(HandleDrag),
    /// Empty space. The drag moves the camera.
    Camera,
    /// Esc cancelled the drag. The drag has no effect until the button is released.
    Cancelled,
}

/// A position of the pointer.
#[derive(Clone, Copy, Debug)]
struct PointerPosition {
    /// Position on the screen, in points.
    screen: Pos2,
    /// Position in the viewport, in pixels.
    pixel: Vec2,
}

impl PointerPosition {
    /// `rect` is the rectangle of the viewport.
    fn new(rect: Rect, screen: Pos2) -> Self {
        Self { screen, pixel: to_pixel(rect, screen) }
    }
}

/// The position of a tip in the last frame, in metres, and its recent speed in metres per second.
#[derive(Clone, Copy, Debug)]
struct MovingTip {
    at: Vec3,
    speed: f32,
}

/// The share of a tip's speed that remains after a frame, because a tip stands still for a moment when it turns.
const REMAINING_SPEED: f32 = 0.9;

#[derive(Debug, Default)]
pub(super) struct PointerController {
    pub tool: ViewportTool,
    pub hit: HitTarget,
    pub drag: Option<DragState>,
    /// Time at which the pointer reached `hit`, in seconds.
    pub hovered_since: f64,
    /// Whether the viewport set the hover of the session.
    owns_hover: bool,
    tips: BTreeMap<BoneId, MovingTip>,
    /// The character to which the bone ids belong.
    character: Weak<Character>,
}

/// A key or mouse button, and its effect.
type Hint = (MessageText, MessageText);
const CANCEL: Hint = (message!("Esc"), message!("cancel"));

impl PointerController {
    pub(super) fn update(
        &mut self,
        ui: &Ui,
        response: &Response,
        rect: Rect,
        view: &CameraView,
        scene: &OverlayScene,
        cx: &mut UiContext<'_>,
    ) {
        let pointer = ui.input(|i| i.pointer.latest_pos());
        self.release_missing(cx);
        self.update_tip_speeds(&scene.pickables, ui.input(|i| i.stable_dt));
        self.update_hover(ui, response, rect, view, scene, cx);
        if response.drag_started_by(PointerButton::Primary)
            && let Some(from) = ui.input(|i| i.pointer.press_origin()).or(pointer)
        {
            let drag = self.start_drag(ui, PointerPosition::new(rect, from), view, scene, cx.session());
            if matches!(&drag, DragState::Handle(drag) if !drag.handle.id.kind.poses_joint()) {
                cx.command(Command::BeginUndoGroup);
            }
            self.drag = Some(drag);
        }
        if let Some(at) = pointer {
            self.update_drag(ui, PointerPosition::new(rect, at), view, scene, cx);
        }
        if self.drag.is_some() && !response.dragged_by(PointerButton::Primary) {
            self.end_drag(cx);
        }
        if response.clicked_by(PointerButton::Primary) {
            self.click(ui, cx, response.double_clicked());
        }
        self.show_cursor(ui);
        let may_delete = response.contains_pointer() && self.drag.is_none() && !ui.ctx().text_edit_focused();
        // Test the key first, because computing the edit is expensive.
        if may_delete
            && ui.input(|i| i.key_pressed(Key::Delete))
            && let Some((edit, label)) = delete_selection(cx.session())
            && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Delete))
        {
            cx.apply_edit(edit, label);
        }
    }

    /// Measures the speed of the tips between two frames of `seconds`.
    fn update_tip_speeds(&mut self, pickables: &Pickables, seconds: f32) {
        let last = std::mem::take(&mut self.tips);
        let moving = |joint: &PickableJoint| {
            let speed = last.get(&joint.bone).map_or(0.0, |before| {
                let now = if seconds > 0.0 { before.at.distance(joint.tip) / seconds } else { 0.0 };
                now.max(before.speed * REMAINING_SPEED)
            });
            (joint.bone, MovingTip { at: joint.tip, speed })
        };
        self.tips = pickables.joints.iter().map(moving).collect();
    }

    /// Returns a tip to pick. A visible tip that moves can be picked from farther away.
    fn pick_point(&self, view: &CameraView, pickables: &Pickables, joint: &PickableJoint) -> PickPoint {
        let [resting, fast] = if self.tool == ViewportTool::Grab { GRAB_PICK_DISTANCES } else { TIP_PICK_DISTANCES };
        let is_hidden = pickables.is_tip_hidden(joint.bone);
        let speed = self.tips.get(&joint.bone).filter(|_| !is_hidden).map_or(0.0, |tip| tip.speed);
        let reach = moving_pick_distance([resting, fast], view.metres_to_pixels(speed, joint.tip));
        PickPoint { at: joint.tip, reach, is_hidden }
    }

    /// Drops references to bones of a replaced character and to deleted objects.
    fn release_missing(&mut self, cx: &mut UiContext<'_>) {
        let session = cx.session();
        let is_other = self.character.as_ptr() != Arc::as_ptr(session.character());
        if is_other {
            self.character = Arc::downgrade(session.character());
            self.hit = HitTarget::Nothing;
        }
        match &self.drag {
            Some(DragState::Handle(drag)) if is_other || !drag.handle.id.is_valid(session) => {
                if !drag.handle.id.kind.poses_joint() {
                    cx.command(Command::EndUndoGroup);
                }
            }
            Some(DragState::Bone { .. } | DragState::Tip { .. }) if is_other => {}
            _ => return,
        }
        self.drag = Some(DragState::Cancelled);
    }

    /// Returns the dragged or hovered handle.
    pub(super) fn active_handle(&self) -> Option<ActiveHandle> {
        match (&self.drag, self.hit) {
            (Some(DragState::Handle(drag)), _) => Some(ActiveHandle { id: drag.handle.id, is_held: true }),
            (None, HitTarget::Handle(id)) => Some(ActiveHandle { id, is_held: false }),
            _ => None,
        }
    }

    fn start_drag(
        &self,
        ui: &Ui,
        from: PointerPosition,
        view: &CameraView,
        scene: &OverlayScene,
        session: &Session,
    ) -> DragState {
        let modifiers = ui.input(|i| i.modifiers);
        let at = from.pixel;
        let tip_of = |bone: BoneId| {
            let tip = scene.pickables.joint(bone).map(|j| j.tip)?;
            let drag =
                ConstrainedDrag::begin(tip, view.project(tip).map_or(at, |seen| seen.pixel), DragConstraint::View);
            Some(DragState::Tip { bone, drag })
        };
        let bone = match self.hit {
            HitTarget::Handle(id) => {
                return scene.start_drag(id, session, view, at).map_or(DragState::Cancelled, DragState::Handle);
            }
            // A press on the outline of the active object drags the object.
            HitTarget::Object(item) if session.selection().active_object == Some(item) => {
                let id = HandleId::object(item, HandleKind::Move);
                return scene.start_drag(id, session, view, at).map_or(DragState::Camera, DragState::Handle);
            }
            HitTarget::Nothing | HitTarget::Object(_) => return DragState::Camera,
            HitTarget::Tip(bone) if !modifiers.command => return tip_of(bone).unwrap_or(DragState::Camera),
            HitTarget::Bone(bone) if self.tool == ViewportTool::Grab => {
                return tip_of(bone).unwrap_or(DragState::Camera);
            }
            HitTarget::Ring(bone) if modifiers.command => active_root_or_bone(session, bone),
            HitTarget::Ring(bone) => bone,
            HitTarget::Bone(bone) | HitTarget::Tip(bone) if modifiers.command => {
                chain_root(session, bone).unwrap_or(bone)
            }
            HitTarget::Bone(bone) | HitTarget::Tip(bone) => drag_bone(session, bone),
        };
        let Some(frame) = session.playback().displayed_pose().frames.get(bone.index()) else {
            return DragState::Camera;
        };
        let (reach, limit) = drag_reach(session, bone, modifiers.command, scene.pickables.height);
        let mut drags = session.playback().drags().iter();
        let before = drags.find(|d| d.bone == bone && d.reach == reach).map(yuremono_session::Drag::current_sample);
        let turns = self.tool == ViewportTool::Rotate || modifiers.alt;
        let drag = ConstrainedDrag::begin(frame.position, at, DragConstraint::View);
        DragState::Bone { bone, reach, before: before.unwrap_or_default(), drag, pressed: from.screen, turns, limit }
    }

    fn update_drag(
        &mut self,
        ui: &Ui,
        pointer: PointerPosition,
        view: &CameraView,
        scene: &OverlayScene,
        cx: &mut UiContext<'_>,
    ) {
        let Some(drag) = self.drag.as_mut().filter(|d| !matches!(d, DragState::Camera | DragState::Cancelled)) else {
            return;
        };
        if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            return self.cancel_drag(cx);
        }
        let shift = ui.input(|i| i.modifiers.shift);
        let at = pointer.pixel;
        let moved = |drag: &ConstrainedDrag| {
            let moved = drag.position_at(view, at) - drag.start;
            if shift { main_axis_component(moved) } else { moved }
        };
        let command = match drag {
            DragState::Bone { bone, reach, before, pressed, turns: true, .. } => {
                let rotation = drag_rotation(pointer.screen - *pressed, shift, view) * before.rotation;
                Some(drag_command(*bone, *reach, GestureSample { rotation, ..*before }))
            }
            DragState::Bone { bone, reach, before, drag, limit, .. } => {
                let offset = match *limit {
                    Some(limit) => soft_limit(inverse_soft_limit(before.offset, limit) + moved(drag), limit),
                    None => before.offset + moved(drag),
                };
                Some(drag_command(*bone, *reach, GestureSample { offset, ..*before }))
            }
            DragState::Tip { bone, drag } => Some(Command::GrabTip(*bone, drag.start + moved(drag))),
            DragState::Handle(drag) => {
                drag.move_pointer(at, DragModifiers { fine: shift, snap: ui.input(|i| i.modifiers.command) });
                scene.drag(drag, cx.session(), view)
            }
            DragState::Camera | DragState::Cancelled => None,
        };
        if let Some(command) = command {
            cx.command(command);
        }
        ui.ctx().request_repaint();
    }

    /// Reverts the effect of the drag. The drag of a handle reverts its undo step.
    fn cancel_drag(&mut self, cx: &mut UiContext<'_>) {
        let revert = match &self.drag {
            Some(DragState::Bone { bone, reach, before, .. }) => {
                cx.command(drag_command(*bone, *reach, *before));
                None
            }
            Some(DragState::Handle(drag)) if !drag.handle.id.kind.poses_joint() && drag.changed => Some(Command::Undo),
            _ => None,
        };
        self.end_drag(cx);
        if let Some(command) = revert {
            cx.command(command);
        }
        self.drag = Some(DragState::Cancelled);
    }

    fn end_drag(&mut self, cx: &mut UiContext<'_>) {
        match self.drag.take() {
            Some(DragState::Bone { bone, .. }) => cx.command(Command::ReleaseBone(bone)),
            Some(DragState::Handle(drag)) if !drag.handle.id.kind.poses_joint() => cx.command(Command::EndUndoGroup),
            Some(DragState::Tip { .. } | DragState::Handle(_)) => cx.command(Command::ReleaseJoint),
            Some(DragState::Camera | DragState::Cancelled) | None => {}
        }
    }

    fn update_hover(
        &mut self,
        ui: &Ui,
        response: &Response,
        rect: Rect,
        view: &CameraView,
        scene: &OverlayScene,
        cx: &mut UiContext<'_>,
    ) {
        if self.drag.is_some() {
            return;
        }
        let at = ui.input(|i| i.pointer.latest_pos()).map(|at| to_pixel(rect, at));
        let (down, pressed, jumped) =
            ui.input(|i| (i.pointer.any_down(), i.pointer.any_pressed(), i.pointer.delta().length() > size::BONE_PICK));
        // Hair moves while the button is down, so the target at the time of the press counts. If the pointer jumped, it
        // has no hovered target yet, so the target is searched for at the press.
        let is_new_press = pressed && (jumped || self.hit == HitTarget::Nothing);
        let under = match at {
            Some(at) if response.contains_pointer() && (!down || is_new_press) => {
                let from = ui.input(|i| i.pointer.press_origin()).filter(|_| is_new_press);
                self.pick(from.map_or(at, |from| to_pixel(rect, from)), view, scene, cx)
            }
            _ if down => self.hit,
            _ => HitTarget::Nothing,
        };
        if under != self.hit {
            self.hovered_since = ui.input(|i| i.time);
            self.hit = under;
        }
        let bone = self.hovered_bone();
        if (bone.is_some() || self.owns_hover) && cx.selection().hovered != bone {
            cx.command(Command::Hover(bone));
        }
        self.owns_hover = bone.is_some();
    }

    /// Forgets the hovered target, so that an image does not highlight it.
    pub(super) fn release_hover(&mut self, cx: &mut UiContext<'_>) {
        if self.drag.is_some() {
            return;
        }
        self.hit = HitTarget::Nothing;
        if std::mem::take(&mut self.owns_hover) {
            cx.command(Command::Hover(None));
        }
    }

    /// Returns the hovered bone. Bones behind a hovered ring do not count.
    pub(super) fn hovered_bone(&self) -> Option<BoneId> {
        match self.hit {
            HitTarget::Bone(bone) | HitTarget::Tip(bone) => Some(bone),
            HitTarget::Ring(_) | HitTarget::Nothing | HitTarget::Handle(_) | HitTarget::Object(_) => None,
        }
    }

    pub(super) fn context_menu_target(&self, cx: &UiContext<'_>) -> ContextMenuTarget {
        let target = match self.hit {
            HitTarget::Bone(bone) | HitTarget::Tip(bone) | HitTarget::Ring(bone) => HandleTarget::Bone(bone),
            HitTarget::Object(item) => HandleTarget::Object(item),
            HitTarget::Handle(id) => id.target,
            HitTarget::Nothing => return ContextMenuTarget::Empty,
        };
        match target {
            HandleTarget::Object(item) => ContextMenuTarget::Element(item.element_id()),
            HandleTarget::Bone(bone) if bone.index() < cx.character().skeleton.len() => ContextMenuTarget::Bone(bone),
            HandleTarget::Bone(_) => ContextMenuTarget::Empty,
        }
    }

    fn click(&self, ui: &Ui, cx: &mut UiContext<'_>, double_click: bool) {
        let modifiers = ui.input(|i| i.modifiers);
        match self.hit {
            HitTarget::Bone(bone) | HitTarget::Tip(bone) => {
                let pick = match (modifiers.command, modifiers.shift) {
                    (true, _) => SelectMode::Toggle,
                    (false, true) => SelectMode::Add,
                    (false, false) => SelectMode::Replace,
                };
                cx.command(Command::Select(vec![bone], pick));
                if double_click && pick == SelectMode::Replace && cx.document().find_joint(bone).is_some() {
                    cx.command(Command::SetTuningScope(TuningScope::Joints));
                }
            }
            HitTarget::Nothing if !modifiers.any() => cx.command(Command::ClearSelection),
            HitTarget::Object(item) => {
                let pick = if modifiers.command || modifiers.shift { SelectMode::Toggle } else { SelectMode::Replace };
                cx.command(Command::SelectObjects(vec![item], pick));
            }
            HitTarget::Nothing | HitTarget::Ring(_) | HitTarget::Handle(_) => {}
        }
    }
}

fn drag_command(bone: BoneId, reach: DragReach, sample: GestureSample) -> Command {
    match reach {
        DragReach::OneBone => Command::DragBone(bone, sample),
        DragReach::WholeBody => Command::DragBody(bone, sample),
    }
}

/// Returns what Ctrl selects on a ring: the root of the active chain if the ring's bone moves the chain, otherwise the
/// ring's bone.
fn active_root_or_bone(session: &Session, ringed: BoneId) -> BoneId {
    let root = session.selection().active.and_then(|bone| chain_root(session, bone));
    root.filter(|root| drag_bone(session, *root) == ringed).unwrap_or(ringed)
}

/// Returns a trackball rotation. Sideways movement rotates around the vertical axis; vertical movement rotates around
/// the horizontal axis of the view.
fn drag_rotation(by: egui::Vec2, single_axis: bool, view: &CameraView) -> Quat {
    let (x, y) = match (single_axis, by.x.abs() > by.y.abs()) {
        (true, true) => (by.x, 0.0),
        (true, false) => (0.0, by.y),
        (false, _) => (by.x, by.y),
    };
    Quat::from_axis_angle(Vec3::Y, x * TURN_SPEED) * Quat::from_axis_angle(view.right, y * TURN_SPEED)
}

/// Returns the component along the dominant world axis.
fn main_axis_component(moved: Vec3) -> Vec3 {
    let axis =
        [Vec3::X, Vec3::Y, Vec3::Z].into_iter().max_by(|a, b| moved.dot(*a).abs().total_cmp(&moved.dot(*b).abs()));
    axis.map_or(moved, |axis| axis * moved.dot(axis))
}

/// Pick distance of a ring, in points.
const RING_PICK_DISTANCE: f32 = 9.0;
/// Pick distances of a tip at rest and of a fast tip, in points.
const TIP_PICK_DISTANCES: [f32; 2] = [8.0, 16.0];
/// The same distances for the tool that pulls tips.
const GRAB_PICK_DISTANCES: [f32; 2] = [size::BONE_PICK * 1.5, size::BONE_PICK * 2.0];
/// Pick distance of a body bone, in points. Body bones are visible only on hover.
const BODY_BONE_PICK_DISTANCE: f32 = 7.0;
const OUTLINE_PICK_DISTANCE: f32 = 6.0;

impl PointerController {
    fn pick(&self, at: Vec2, view: &CameraView, scene: &OverlayScene, cx: &UiContext<'_>) -> HitTarget {
        if cx.hides_overlays() {
            return HitTarget::Nothing;
        }
        let toggles = cx.state.prefs.toggles;
        let joints = &scene.pickables.joints;
        let tips: Vec<_> =
            joints.iter().filter(|j| j.is_last || j.selected || self.tool == ViewportTool::Grab).collect();
        let handle = |layer: PickLayer| scene.pick_handle(layer, at).map(HitTarget::Handle);
        if let Some(handle) = handle(PickLayer::Object).or_else(|| handle(PickLayer::Body)) {
            return handle;
        }
        let tip = || {
            let points: Vec<_> = tips.iter().map(|joint| self.pick_point(view, &scene.pickables, joint)).collect();
            nearest_pick_point(view, &points, at).map(|i| HitTarget::Tip(tips[i].bone))
        };
        let ring = || {
            let rings = scene.pickables.rings.iter().filter(|_| toggles.handles && self.tool.drags_body());
            let seen = rings.filter_map(|h| Some((scene.pickables.ring_distance(view, h, at)?, h.bone)));
            let nearest =
                seen.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= RING_PICK_DISTANCE);
            nearest.map(|(_, bone)| HitTarget::Ring(bone))
        };
        let bone = || {
            let segments = joints.iter().map(|j| [j.head, j.tip]);
            nearest_segment(view, segments, at, size::BONE_PICK).map(|i| HitTarget::Bone(joints[i].bone))
        };
        // The handles of a limit have priority over a ring, because the ring can be grabbed elsewhere.
        let limit = || handle(PickLayer::Limit);
        let found = if self.tool == ViewportTool::Grab {
            tip().or_else(limit).or_else(ring)
        } else {
            limit().or_else(ring).or_else(tip)
        };
        let item = || self.pick_item(cx, view, scene, at).map(HitTarget::Object);
        let found = found.or_else(item).or_else(bone);
        found.or_else(|| pick_body_bone(cx.session(), view, at).map(HitTarget::Bone)).unwrap_or_default()
    }

    /// Finds a collider or force by its outline, if the current tool or the open list is for colliders and forces.
    fn pick_item(&self, cx: &UiContext<'_>, view: &CameraView, scene: &OverlayScene, at: Vec2) -> Option<SceneObject> {
        let is_meant = self.tool == ViewportTool::Collider || cx.state.outliner_tab == OutlinerTab::Colliders;
        let shown = cx.state.prefs.toggles.colliders && !cx.state.prefs.toggles.selected_colliders_only;
        (is_meant && shown).then(|| scene.pick_item(view, at, OUTLINE_PICK_DISTANCE)).flatten()
    }
}

/// Finds a body bone by the line to its parent.
fn pick_body_bone(session: &Session, view: &CameraView, at: Vec2) -> Option<BoneId> {
    let skeleton = &session.character().skeleton;
    let frames = &session.playback().displayed_pose().frames;
    let mut lines = Vec::new();
    for bone in skeleton.ids() {
        let Some(parent) = skeleton.parent(bone) else { continue };
        if !session.resolved().joint_by_bone.contains_key(&parent) {
            lines.push((parent, [frames.get(parent.index())?.position, frames.get(bone.index())?.position]));
        }
    }
    let humanoid = &session.character().humanoid;
    if !humanoid.is_empty() {
        lines.retain(|(bone, _)| humanoid.role(*bone).is_some());
    }
    nearest_segment(view, lines.iter().map(|l| l.1), at, BODY_BONE_PICK_DISTANCE).map(|i| lines[i].0)
}

impl PointerController {
    fn show_cursor(&self, ui: &Ui) {
        let icon = match (&self.drag, self.hit) {
            (Some(DragState::Bone { turns: true, .. }), _) => CursorIcon::AllScroll,
            (Some(DragState::Bone { .. } | DragState::Tip { .. } | DragState::Handle(_)), _) => CursorIcon::Grabbing,
            (Some(_), _) | (None, HitTarget::Nothing) => return,
            (None, HitTarget::Ring(_) | HitTarget::Tip(_) | HitTarget::Handle(_)) => CursorIcon::Grab,
            (None, HitTarget::Bone(_) | HitTarget::Object(_)) => CursorIcon::PointingHand,
        };
        ui.set_cursor_icon(icon);
    }

    /// Returns the mouse hints for the status line: keys or mouse buttons, each with its effect.
    pub(in crate::ui::viewport) fn mouse_hints(&self, cx: &UiContext<'_>) -> Vec<(String, String)> {
        const ONE_AXIS: Hint = (message!("Shift"), message!("one axis"));
        let is_playing = cx.playback().settings().playing;
        let moves_body = |bone: BoneId| cx.playback().body_posing().moves_body(bone);
        let name = |bone: BoneId| bone_display_name(cx, bone);
        let pairs = match (&self.drag, self.hit) {
            (Some(DragState::Bone { .. } | DragState::Tip { .. }), _) => {
                vec![ONE_AXIS, CANCEL]
            }
            (Some(DragState::Handle(drag)), _) => handle_hints(drag.handle.id.kind, true),
            (None, HitTarget::Handle(id)) => handle_hints(id.kind, false),
            (None, HitTarget::Object(_)) => {
                vec![(message!("Click"), message!("select")), (message!("Ctrl"), message!("add or remove"))]
            }
            (None, HitTarget::Ring(bone)) => {
                let name = name(bone);
                let moves = match (self.tool == ViewportTool::Rotate, moves_body(bone)) {
                    (true, true) => message!("rotate the {name}, the body follows", name),
                    (true, false) => message!("rotate {name}", name),
                    (false, true) => message!("move the body by the {name}", name),
                    (false, false) => message!("move {name}", name),
                };
                let first = (message!("Drag{:mouse}"), moves);
                let single = if moves_body(bone) { message!("one bone only") } else { message!("root bone only") };
                vec![first, (message!("Ctrl"), single), ONE_AXIS, (message!("Alt"), message!("rotate"))]
            }
            (None, HitTarget::Tip(_)) => {
                vec![
                    (message!("Drag{:mouse}"), message!("pull the tip")),
                    (message!("Click"), message!("select")),
                    ONE_AXIS,
                ]
            }
            (None, HitTarget::Bone(bone)) => {
                let held = if self.tool == ViewportTool::Grab { bone } else { drag_bone(cx.session(), bone) };
                let effect = match self.tool {
                    ViewportTool::Move | ViewportTool::Collider => message!("move {name}", name = name(held)),
                    ViewportTool::Rotate => message!("rotate {name}", name = name(held)),
                    ViewportTool::Grab => message!("pull the tip"),
                };
                vec![
                    (message!("Click"), message!("select chain")),
                    (message!("Double click"), message!("only this joint")),
                    (message!("Drag{:mouse}"), effect),
                    (message!("Ctrl"), message!("root bone only")),
                ]
            }
            (_, _) => vec![
                (message!("Drag{:mouse}"), message!("orbit")),
                (message!("Right drag"), message!("pan")),
                (message!("Wheel"), message!("zoom")),
                (message!("F"), message!("frame selection")),
                (message!("Space"), if is_playing { message!("pause") } else { message!("play") }),
            ],
        };
        pairs.into_iter().map(|(key, action)| (cx.tr(key).into_owned(), cx.tr(action).into_owned())).collect()
    }
}

fn handle_hints(kind: HandleKind, is_held: bool) -> Vec<Hint> {
    let (effect, snap, is_finer) = kind.hints();
    let finer = is_finer.then_some((message!("Shift"), message!("ten times finer")));
    let steps = [finer, Some((message!("Ctrl"), if is_held { message!("snap") } else { snap }))];
    // The direction of a joint has steps only in a plane. They are shown during the drag.
    let has_steps = if let HandleKind::Aim(plane) = kind { is_held && plane.is_some() } else { true };
    let steps = steps.into_iter().flatten().filter(|_| has_steps);
    if is_held {
        steps.chain([CANCEL]).collect()
    } else {
        std::iter::once((message!("Drag{:mouse}"), effect)).chain(steps).collect()
    }
}

/// Returns the name of the body part, or the bone name if the bone is not a body part.
fn bone_display_name(cx: &UiContext<'_>, bone: BoneId) -> String {
    let rings = body_rings(cx.playback().body_posing().landmarks());
    match rings.into_iter().find(|(ringed, _)| *ringed == bone) {
        Some((_, ring)) => cx.tr(ring.name()).into_owned(),
        None => cx.character().skeleton.name(bone).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_restricts_a_drag_to_its_main_axis() {
        assert_eq!(main_axis_component(Vec3::new(0.1, -0.7, 0.2)), Vec3::new(0.0, -0.7, 0.0));
    }
}
