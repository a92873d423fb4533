//! What the pointer is over, and what the artist does with it: hover, select, drag, turn, grab.

use super::camera::pixel;
use super::fans::FanHold;
use super::figure::{chain_root, holder, reach};
use super::grips::{GripKind, removal};
use super::pull::Keys;
use super::scene::{Handle, Hold, Scene};
use super::tools::Tool;
use crate::document::GestureSample;
use crate::rig::{BoneId, Character};
use crate::session::{Command, Item, Pick, Scope, Session};
use crate::stage::{Constraint, Drag, Shot, nearest_point, nearest_segment, restrain, unrestrain};
use crate::tools::parts::PartId;
use crate::ui::kit::tokens::size;
use crate::ui::{Cx, OutlinerTab};
use egui::{CursorIcon, Key, Modifiers, PointerButton, Pos2, Rect, Response, Ui};
use glam::{Quat, Vec2, Vec3};
use std::sync::{Arc, Weak};

/// Radians for one point of pointer movement.
const TURN: f32 = 0.012;

/// What the pointer is over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Under {
    #[default]
    Nothing,
    /// A ring, by the bone that it moves.
    Ring(BoneId),
    /// The tip of a joint.
    Tip(BoneId),
    /// A bone.
    Bone(BoneId),
    /// What changes numbers.
    Handle(Handle),
    /// The outline of a collider, or the arrow of a force.
    Item(Item),
}

/// What a context menu is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Target {
    /// The empty space: where to look from.
    #[default]
    View,
    /// A bone.
    Bone(BoneId),
    /// A collider, a force or a helper.
    Part(PartId),
}

/// What is in the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    /// A bone of the body, or a chain's root; `reach` metres from its place at most.
    Bone { bone: BoneId, before: GestureSample, drag: Drag, pressed: Pos2, turns: bool, reach: Option<f32> },
    /// A tip.
    Tip { bone: BoneId, drag: Drag },
    /// What changes numbers.
    Handle(Hold),
    /// The empty space: the camera.
    Space,
    /// Put back with Esc: nothing more until the button is up.
    Nothing,
}

/// The artist's hands.
#[derive(Debug, Default)]
pub(super) struct Hands {
    pub tool: Tool,
    pub under: Under,
    pub held: Option<Held>,
    /// When the pointer came over what it is over.
    pub since: f64,
    /// Whether the session's hover is ours to take back.
    hovers: bool,
    /// Whose bones are meant: another version of the character gives their numbers to others.
    character: Weak<Character>,
}

impl Hands {
    /// Reads the pointer and asks the session for what it means.
    pub(super) fn update(
        &mut self,
        ui: &Ui,
        response: &Response,
        (rect, shot): (Rect, &Shot),
        scene: &Scene,
        cx: &mut Cx<'_>,
    ) {
        let pointer = ui.input(|i| i.pointer.latest_pos());
        self.forget_missing(cx);
        self.hover(ui, response, (rect, shot), scene, cx);
        if response.drag_started_by(PointerButton::Primary)
            && let Some(from) = ui.input(|i| i.pointer.press_origin()).or(pointer)
        {
            let held = self.take(ui, self.under, from, (rect, shot), scene, cx.session());
            if matches!(held, Held::Handle(_)) {
                cx.command(Command::BeginGesture);
            }
            self.held = Some(held);
        }
        if let (Some(held), Some(at)) = (self.held, pointer) {
            self.hold(ui, held, pixel(rect, at), at, shot, cx);
        }
        if self.held.is_some() && !response.dragged_by(PointerButton::Primary) {
            self.let_go(cx);
        }
        if response.clicked_by(PointerButton::Primary) {
            self.click(ui, cx, response.double_clicked());
        }
        self.show_cursor(ui);
        let may_delete = response.contains_pointer() && self.held.is_none() && !ui.ctx().text_edit_focused();
        // The key first: what goes along with items is not worked out in every frame.
        if may_delete
            && ui.input(|i| i.key_pressed(Key::Delete))
            && let Some((edit, label)) = removal(cx.session())
            && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Delete))
        {
            cx.command(Command::Apply(edit, label));
        }
    }

    /// Lets go of what is not there any more: bones of a character that was replaced, an item that was deleted.
    fn forget_missing(&mut self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let is_other = self.character.as_ptr() != Arc::as_ptr(session.character());
        if is_other {
            self.character = Arc::downgrade(session.character());
            self.under = Under::Nothing;
        }
        match self.held {
            Some(Held::Handle(hold)) if is_other || !hold.is_there(session) => self.take_back(cx, false),
            Some(Held::Bone { .. } | Held::Tip { .. }) if is_other => self.held = Some(Held::Nothing),
            _ => {}
        }
    }

    /// The handle that is held or pointed at.
    pub(super) fn handle(&self) -> Option<Handle> {
        match (self.held, self.under) {
            (Some(Held::Handle(hold)), _) => Some(hold.handle()),
            (None, Under::Handle(handle)) => Some(handle),
            _ => None,
        }
    }

    fn take(
        &self,
        ui: &Ui,
        under: Under,
        from: Pos2,
        (rect, shot): (Rect, &Shot),
        scene: &Scene,
        session: &Session,
    ) -> Held {
        let modifiers = ui.input(|i| i.modifiers);
        let at = pixel(rect, from);
        let tip_of = |bone: BoneId| {
            let tip = scene.figure.joint(bone).map(|j| j.tip)?;
            let drag = Drag::begin(tip, shot.project(tip).map_or(at, |seen| seen.pixel), Constraint::View);
            Some(Held::Tip { bone, drag })
        };
        let bone = match under {
            Under::Handle(handle) => return scene.take(session, shot, handle, at).map_or(Held::Nothing, Held::Handle),
            // What is selected already moves with its outline.
            Under::Item(item) if session.selection().active_item == Some(item) => {
                let middle = scene.take(session, shot, Handle::Grip(GripKind::Middle), at);
                return middle.map_or(Held::Space, Held::Handle);
            }
            Under::Nothing | Under::Item(_) => return Held::Space,
            Under::Tip(bone) if !modifiers.command => return tip_of(bone).unwrap_or(Held::Space),
            Under::Bone(bone) if self.tool == Tool::Grab => return tip_of(bone).unwrap_or(Held::Space),
            Under::Ring(bone) if modifiers.command => own_root(session, bone),
            Under::Ring(bone) => bone,
            Under::Bone(bone) | Under::Tip(bone) if modifiers.command => chain_root(session, bone).unwrap_or(bone),
            Under::Bone(bone) | Under::Tip(bone) => holder(session, bone),
        };
        let Some(frame) = session.playback().shown().frames.get(bone.index()) else { return Held::Space };
        let before = session.playback().drags().iter().find(|d| d.bone == bone).map(crate::session::Drag::now);
        let turns = self.tool == Tool::Turn || modifiers.alt;
        let drag = Drag::begin(frame.position, at, Constraint::View);
        let reach = reach(session, bone, scene.figure.height);
        Held::Bone { bone, before: before.unwrap_or_default(), drag, pressed: from, turns, reach }
    }

    fn hold(&mut self, ui: &Ui, held: Held, at: Vec2, pointer: Pos2, shot: &Shot, cx: &mut Cx<'_>) {
        let cancelled = ui
            .input_mut(|i| !matches!(held, Held::Space | Held::Nothing) && i.consume_key(Modifiers::NONE, Key::Escape));
        let shift = ui.input(|i| i.modifiers.shift);
        let keys = Keys { fine: shift, snap: ui.input(|i| i.modifiers.command) };
        match held {
            Held::Bone { bone, before, .. } if cancelled => {
                cx.command(Command::Drag(bone, before));
                cx.command(Command::LetGo(bone));
                self.held = Some(Held::Nothing);
            }
            Held::Tip { .. } if cancelled => {
                cx.command(Command::LetGoTip);
                self.held = Some(Held::Nothing);
            }
            Held::Bone { bone, before, drag, pressed, turns, reach } => {
                let sample = if turns {
                    GestureSample { turn: turned(pointer - pressed, shift, shot) * before.turn, ..before }
                } else {
                    let moved = drag.to(shot, at) - drag.start;
                    let moved = if shift { along_axis(moved) } else { moved };
                    let offset = match reach {
                        Some(reach) => restrain(unrestrain(before.offset, reach) + moved, reach),
                        None => before.offset + moved,
                    };
                    GestureSample { offset, ..before }
                };
                cx.command(Command::Drag(bone, sample));
                ui.ctx().request_repaint();
            }
            Held::Tip { bone, drag } => {
                let moved = drag.to(shot, at) - drag.start;
                let moved = if shift { along_axis(moved) } else { moved };
                cx.command(Command::Grab(bone, drag.start + moved));
                ui.ctx().request_repaint();
            }
            Held::Handle(hold) if cancelled => self.take_back(cx, hold.changed()),
            Held::Handle(mut hold) => {
                if let Some(command) = hold.follow(cx.session(), shot, at, keys) {
                    cx.command(command);
                }
                self.held = Some(Held::Handle(hold));
                ui.ctx().request_repaint();
            }
            Held::Space | Held::Nothing => {}
        }
    }

    /// Esc during a drag of numbers: the one step that it made is undone.
    fn take_back(&mut self, cx: &mut Cx<'_>, changed: bool) {
        cx.command(Command::EndGesture);
        if changed {
            cx.command(Command::Undo);
        }
        self.held = Some(Held::Nothing);
    }

    fn let_go(&mut self, cx: &mut Cx<'_>) {
        match self.held.take() {
            Some(Held::Bone { bone, .. }) => cx.command(Command::LetGo(bone)),
            Some(Held::Tip { .. }) => cx.command(Command::LetGoTip),
            Some(Held::Handle(_)) => cx.command(Command::EndGesture),
            Some(Held::Space | Held::Nothing) | None => {}
        }
    }

    fn hover(&mut self, ui: &Ui, response: &Response, (rect, shot): (Rect, &Shot), scene: &Scene, cx: &mut Cx<'_>) {
        if self.held.is_some() {
            return;
        }
        let at = ui.input(|i| i.pointer.latest_pos()).map(|at| pixel(rect, at));
        let (down, pressed, leap) =
            ui.input(|i| (i.pointer.any_down(), i.pointer.any_pressed(), i.pointer.delta().length() > size::BONE_PICK));
        // Hair moves on while the button is down. What was lit under the pointer when it went down is meant; only
        // a pointer that came there in one leap has lit nothing yet.
        let fresh = pressed && (leap || self.under == Under::Nothing);
        let under = match at {
            Some(at) if response.contains_pointer() && (!down || fresh) => {
                let from = ui.input(|i| i.pointer.press_origin()).filter(|_| fresh);
                self.look(from.map_or(at, |from| pixel(rect, from)), shot, scene, cx)
            }
            _ if down => self.under,
            _ => Under::Nothing,
        };
        if under != self.under {
            self.since = ui.input(|i| i.time);
            self.under = under;
        }
        let bone = self.bone_under();
        if (bone.is_some() || self.hovers) && cx.session().selection().hovered != bone {
            cx.command(Command::Hover(bone));
        }
        self.hovers = bone.is_some();
    }

    /// The bone that is pointed at in itself, not by its ring.
    pub(super) fn bone_under(&self) -> Option<BoneId> {
        match self.under {
            Under::Bone(bone) | Under::Tip(bone) => Some(bone),
            Under::Ring(_) | Under::Nothing | Under::Handle(_) | Under::Item(_) => None,
        }
    }

    /// What a right click is about.
    pub(super) fn target(&self, cx: &Cx<'_>) -> Target {
        let bone = match self.under {
            Under::Bone(bone) | Under::Tip(bone) | Under::Ring(bone) => Some(bone),
            Under::Handle(Handle::Fan(end)) => Some(end.bone),
            Under::Handle(Handle::Knob(knob)) => Some(knob.bone),
            Under::Handle(Handle::Grip(_)) => {
                return cx.session().selection().active_item.map_or(Target::View, |i| Target::Part(i.part()));
            }
            Under::Item(item) => return Target::Part(item.part()),
            Under::Nothing => None,
        };
        bone.filter(|bone| bone.index() < cx.session().character().skeleton.len()).map_or(Target::View, Target::Bone)
    }

    fn click(&self, ui: &Ui, cx: &mut Cx<'_>, twice: bool) {
        let modifiers = ui.input(|i| i.modifiers);
        match self.under {
            Under::Bone(bone) | Under::Tip(bone) => {
                let pick = match (modifiers.command, modifiers.shift) {
                    (true, _) => Pick::Toggle,
                    (false, true) => Pick::Add,
                    (false, false) => Pick::Replace,
                };
                cx.command(Command::Select(vec![bone], pick));
                if twice && pick == Pick::Replace && cx.session().document().joint_of(bone).is_some() {
                    cx.command(Command::SetScope(Scope::Joints));
                }
            }
            Under::Nothing if !modifiers.any() => cx.command(Command::Deselect),
            Under::Item(item) => {
                let pick = if modifiers.command || modifiers.shift { Pick::Toggle } else { Pick::Replace };
                cx.command(Command::SelectItems(vec![item], pick));
            }
            Under::Nothing | Under::Ring(_) | Under::Handle(_) => {}
        }
    }
}

/// With Ctrl on a ring: the root of the active chain if it hangs there, else the ring's bone.
fn own_root(session: &Session, ringed: BoneId) -> BoneId {
    let root = session.selection().active.and_then(|bone| chain_root(session, bone));
    root.filter(|root| holder(session, *root) == ringed).unwrap_or(ringed)
}

/// As on a ball under the pointer: sideways about the vertical, up and down about the picture's horizontal.
fn turned(by: egui::Vec2, one: bool, shot: &Shot) -> Quat {
    let (x, y) = match (one, by.x.abs() > by.y.abs()) {
        (true, true) => (by.x, 0.0),
        (true, false) => (0.0, by.y),
        (false, _) => (by.x, by.y),
    };
    Quat::from_axis_angle(Vec3::Y, x * TURN) * Quat::from_axis_angle(shot.right, y * TURN)
}

/// The part along the world axis that it is nearest to.
fn along_axis(moved: Vec3) -> Vec3 {
    let axis =
        [Vec3::X, Vec3::Y, Vec3::Z].into_iter().max_by(|a, b| moved.dot(*a).abs().total_cmp(&moved.dot(*b).abs()));
    axis.map_or(moved, |axis| axis * moved.dot(axis))
}

/// How near the pointer must be to a ring, points.
const RING_PICK: f32 = 9.0;
/// How near to a tip, to grab it whatever the tool.
const TIP_PICK: f32 = 8.0;
/// How near to a bone of the body, which shows only then.
const BODY_PICK: f32 = 7.0;
/// How near to the outline of a collider.
const OUTLINE_PICK: f32 = 6.0;

impl Hands {
    /// What lies under a place.
    fn look(&self, at: Vec2, shot: &Shot, scene: &Scene, cx: &Cx<'_>) -> Under {
        if cx.state.overlays_hidden {
            return Under::Nothing;
        }
        let toggles = cx.state.prefs.toggles;
        let joints = &scene.figure.joints;
        let tips: Vec<_> = joints.iter().filter(|j| j.last || j.selected || self.tool == Tool::Grab).collect();
        let handle = scene.grips.under(at).map(Handle::Grip).or_else(|| scene.knobs.under(at).map(Handle::Knob));
        if let Some(handle) = handle {
            return Under::Handle(handle);
        }
        let tip_reach = if self.tool == Tool::Grab { size::BONE_PICK * 1.5 } else { TIP_PICK };
        let tip = || nearest_point(shot, tips.iter().map(|j| j.tip), at, tip_reach).map(|i| Under::Tip(tips[i].bone));
        let ring = || {
            let rings = scene.figure.rings.iter().filter(|_| toggles.handles && self.tool != Tool::Grab);
            let seen = rings.filter_map(|h| Some((scene.figure.ring(shot, h)?.distance(at), h.bone)));
            let nearest = seen.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= RING_PICK);
            nearest.map(|(_, bone)| Under::Ring(bone))
        };
        let bone = || {
            let segments = joints.iter().map(|j| [j.head, j.tip]);
            nearest_segment(shot, segments, at, size::BONE_PICK).map(|i| Under::Bone(joints[i].bone))
        };
        // The end of an edge is one small spot, and a ring that runs over it can be held anywhere else.
        let fan = || FanHold::under(&scene.fans, at).map(|end| Under::Handle(Handle::Fan(end)));
        let found =
            if self.tool == Tool::Grab { tip().or_else(fan).or_else(ring) } else { fan().or_else(ring).or_else(tip) };
        let item = || self.item_under(cx, shot, scene, at).map(Under::Item);
        let found = found.or_else(item).or_else(bone);
        found.or_else(|| body_bone(cx.session(), shot, at).map(Under::Bone)).unwrap_or_default()
    }

    /// A collider or force by its outline, while those are what is worked on.
    fn item_under(&self, cx: &Cx<'_>, shot: &Shot, scene: &Scene, at: Vec2) -> Option<Item> {
        let is_meant = self.tool == Tool::Shape || cx.state.outliner_tab == OutlinerTab::Colliders;
        let shown = cx.state.prefs.toggles.colliders && !cx.state.prefs.toggles.only_colliders;
        (is_meant && shown).then(|| scene.item_under(shot, at, OUTLINE_PICK)).flatten()
    }
}

/// A bone of the body under a place, by the line to its parent.
fn body_bone(session: &Session, shot: &Shot, at: Vec2) -> Option<BoneId> {
    let skeleton = &session.character().skeleton;
    let frames = &session.playback().shown().frames;
    let mut lines = Vec::new();
    for bone in skeleton.ids() {
        let Some(parent) = skeleton.parent(bone) else { continue };
        if !session.resolved().index.contains_key(&parent) {
            lines.push((parent, [frames.get(parent.index())?.position, frames.get(bone.index())?.position]));
        }
    }
    let humanoid = &session.character().humanoid;
    if !humanoid.is_empty() {
        lines.retain(|(bone, _)| humanoid.role(*bone).is_some());
    }
    nearest_segment(shot, lines.iter().map(|l| l.1), at, BODY_PICK).map(|i| lines[i].0)
}

impl Hands {
    fn show_cursor(&self, ui: &Ui) {
        let icon = match (self.held, self.under) {
            (Some(Held::Bone { turns: true, .. }), _) => CursorIcon::AllScroll,
            (Some(Held::Bone { .. } | Held::Tip { .. } | Held::Handle(_)), _) => CursorIcon::Grabbing,
            (Some(_), _) | (None, Under::Nothing) => return,
            (None, Under::Ring(_) | Under::Tip(_) | Under::Handle(_)) => CursorIcon::Grab,
            (None, Under::Bone(_) | Under::Item(_)) => CursorIcon::PointingHand,
        };
        ui.set_cursor_icon(icon);
    }

    /// What mouse and modifiers do here and now, as keys of the words: key, deed.
    pub(in crate::ui::viewport) fn hints(&self, cx: &Cx<'_>) -> Vec<(String, String)> {
        let pair =
            |key: &str, what: &str| (cx.tr(&format!("viewport.key.{key}")), cx.tr(&format!("viewport.do.{what}")));
        let name = |bone: BoneId| part_name(cx, bone);
        let pairs = match (self.held, self.under) {
            (Some(Held::Bone { .. } | Held::Tip { .. }), _) => {
                vec![pair("shift", "one_axis"), pair("escape", "put_back")]
            }
            (Some(Held::Handle(hold)), _) => {
                let (.., finer) = hold.handle().deeds();
                let keys = [finer.then(|| pair("shift", "finer")), Some(pair("ctrl", "snap"))];
                keys.into_iter().flatten().chain([pair("escape", "put_back")]).collect()
            }
            (None, Under::Handle(handle)) => {
                let (what, snap, finer) = handle.deeds();
                let shift = finer.then(|| pair("shift", "finer"));
                [Some(pair("drag", what)), shift, Some(pair("ctrl", snap))].into_iter().flatten().collect()
            }
            (None, Under::Item(_)) => vec![pair("click", "select"), pair("ctrl", "toggle")],
            (None, Under::Ring(bone)) => {
                let moves = if self.tool == Tool::Turn { "viewport.do.turn_bone" } else { "viewport.do.move_bone" };
                let first = (cx.tr("viewport.key.drag_ring"), cx.tr_with(moves, &[("name", &name(bone))]).into());
                vec![first, pair("ctrl", "root_only"), pair("shift", "one_axis"), pair("alt", "rotate")]
            }
            (None, Under::Tip(_)) => {
                vec![pair("drag", "grab_tip"), pair("click", "select"), pair("shift", "one_axis")]
            }
            (None, Under::Bone(bone)) => {
                let held = if self.tool == Tool::Grab { bone } else { holder(cx.session(), bone) };
                let what = match self.tool {
                    Tool::Move | Tool::Shape => cx.tr_with("viewport.do.move_bone", &[("name", &name(held))]).into(),
                    Tool::Turn => cx.tr_with("viewport.do.turn_bone", &[("name", &name(held))]).into(),
                    Tool::Grab => cx.tr("viewport.do.grab_tip"),
                };
                vec![
                    pair("click", "select_chain"),
                    pair("double_click", "select_joint"),
                    (cx.tr("viewport.key.drag"), what),
                    pair("ctrl", "root_only"),
                ]
            }
            (_, _) => vec![
                pair("drag", "orbit"),
                pair("right_drag", "pan"),
                pair("wheel", "zoom"),
                pair("f", "frame"),
                pair("space", if cx.session().playback().settings().playing { "pause" } else { "play" }),
            ],
        };
        pairs.into_iter().map(|(key, what)| (key.into_owned(), what.into_owned())).collect()
    }
}

/// What the artist calls a bone: the part of the body, or the bone's own name.
fn part_name(cx: &Cx<'_>, bone: BoneId) -> String {
    let character = cx.session().character();
    match character.humanoid.role(bone) {
        Some("head") => cx.tr("viewport.body.head").into_owned(),
        Some("chest" | "upperChest") => cx.tr("viewport.body.chest").into_owned(),
        Some("hips") => cx.tr("viewport.body.hips").into_owned(),
        _ => character.skeleton.name(bone).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_keeps_the_axis_that_is_moved_along_most() {
        assert_eq!(along_axis(Vec3::new(0.1, -0.7, 0.2)), Vec3::new(0.0, -0.7, 0.0));
    }
}
