//! Bones, joints, rings and names over the character.

use super::figure::{BURIED, BoneRing, Figure, Joint};
use super::hands::{Hands, Held, Under};
use super::ink::Ink;
use super::tools::Tool;
use crate::rig::BoneId;
use crate::schema::Idea;
use crate::session::Recording;
use crate::stage::overlay::kite;
use crate::stage::{Occlusion, Shot};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, space, stroke};
use crate::ui::{Cx, Lit};
use egui::{Align2, Color32, Painter, Rect, Stroke, StrokeKind, Ui, vec2};
use glam::Vec2;

/// Joints of this many chains and more are drawn fainter: a skirt would bury the legs.
const MANY: usize = 60;
/// From this many joints on, unselected bones fade: by their number, by distance from the eye, and beside a selection.
const CROWD: usize = 200;
/// What is left of a bone on the far side of the character, and of one beside a selection.
const FAR: f32 = 0.35;
const UNSELECTED: f32 = 0.5;
/// Radius of a joint's dot; of a selected one; of the active one; points.
const DOT: f32 = 2.2;
const DOT_SELECTED: f32 = 3.2;
const DOT_ACTIVE: f32 = 4.6;
/// Kites shorter than this are drawn as a line.
const SHORT: f32 = 7.0;
/// Seconds until a name appears.
const TAG_DELAY: f64 = 0.3;

/// What the bones are drawn from.
pub(super) struct Overlay<'a> {
    pub ink: &'a Ink<'a>,
    pub shot: &'a Shot,
    pub figure: &'a Figure,
    pub hands: &'a Hands,
    pub occlusion: &'a Occlusion,
}

/// How hit radii are drawn.
#[derive(Clone, Copy)]
struct Radii {
    shown: bool,
    lit: bool,
}

impl Overlay<'_> {
    /// Draws bones, then rings.
    pub(super) fn show(&self, cx: &Cx<'_>) {
        let toggles = cx.state.prefs.toggles;
        let hovered = cx.session().selection().hovered;
        let active = cx.session().selection().active;
        let radii = Radii { shown: toggles.radii, lit: cx.state.lit == Some(Lit::Idea(Idea::Radius)) };
        if toggles.handles {
            self.figure.rings.iter().for_each(|h| self.ring_far(h, cx));
        }
        // Selected ones last, so that they lie on top.
        for pass in [false, true] {
            for joint in self.figure.joints.iter().filter(|j| j.selected == pass) {
                let shown = pass || (toggles.bones && !toggles.only_selected) || hovered == Some(joint.bone);
                if shown {
                    self.joint(joint, hovered == Some(joint.bone), active == Some(joint.bone), radii);
                }
            }
        }
        self.body_bones(cx);
        self.tip_dots(cx);
        if toggles.handles {
            self.figure.rings.iter().for_each(|h| self.ring_near(h, cx));
        }
        if toggles.names {
            self.names(toggles.only_selected);
        }
        self.way_back(cx);
    }

    fn joint(&self, joint: &Joint, hovered: bool, active: bool, radii: Radii) {
        let Some(kite) = kite(self.shot, joint.head, joint.tip) else { return };
        let c = self.ink.theme.color;
        let hidden = self.hidden(joint) && !hovered && !joint.selected;
        let (color, width, fill) = match (joint.selected, hovered) {
            (true, _) => (c.accent, stroke::BONE_SELECTED, alpha::BONE_FILL_SELECTED),
            (false, true) => (c.bone, 1.5, 0.2),
            (false, false) => {
                let many = self.figure.joints.len() > MANY;
                let idle = if many { alpha::SKIRT_BONE_IDLE } else { alpha::BONE_IDLE };
                let dim = if hidden { alpha::BEHIND_MESH } else { 1.0 } * self.faded_in_crowd(joint);
                (faded(c.bone, idle * dim), if many { 1.0 } else { stroke::BONE }, alpha::BONE_FILL_IDLE * 0.6)
            }
        };
        let fill = if hidden { 0.0 } else { fill };
        if kite.length < SHORT {
            self.ink.line(&[kite.head(), kite.tip()], width.min(1.25), color);
        } else {
            self.ink.area(&kite.outline, width, color, faded(color, fill));
        }
        if (radii.shown || radii.lit) && joint.selected {
            self.hit_radius(joint, radii.lit);
        }
        self.head_dot(joint, kite.head(), color, (hovered, active, hidden));
    }

    /// How much of an unselected bone is left where hundreds of them cover the character; 1 for fewer.
    fn faded_in_crowd(&self, joint: &Joint) -> f32 {
        let count = self.figure.joints.len();
        if count <= CROWD {
            return 1.0;
        }
        let crowded = (CROWD as f32 / count as f32).sqrt();
        let beyond = self.shot.depth(joint.head) - self.shot.distance + self.figure.height * 0.25;
        let far = (beyond / (self.figure.height * 0.5)).clamp(0.0, 1.0);
        let beside = if self.figure.any_selected { UNSELECTED } else { 1.0 };
        crowded * (1.0 + (FAR - 1.0) * far) * beside
    }

    fn head_dot(&self, joint: &Joint, at: Vec2, color: Color32, (hovered, active, hidden): (bool, bool, bool)) {
        let c = self.ink.theme.color;
        let scale = self.figure.scale;
        if active {
            self.ink.dot(at, DOT_ACTIVE * scale, c.bone, Stroke::new(2.0 * scale.min(1.0), c.accent));
        } else if joint.selected {
            self.ink.dot(at, DOT_SELECTED * scale, c.accent, Stroke::new(scale.min(1.0), c.bone_halo));
        } else if hovered {
            self.ink.dot(at, DOT_SELECTED * scale, c.bone, Stroke::NONE);
        } else if !hidden {
            let radius = if self.figure.joints.len() > MANY { 1.6 } else { DOT };
            self.ink.dot(at, radius * scale, color, Stroke::NONE);
        }
    }

    fn hidden(&self, joint: &Joint) -> bool {
        let margin = self.figure.height * BURIED;
        self.occlusion.hides(joint.head, margin) && self.occlusion.hides(joint.tip, margin)
    }

    fn hit_radius(&self, joint: &Joint, lit: bool) {
        if joint.radius <= 0.0 {
            return;
        }
        let Some(at) = self.shot.project(joint.tip) else { return };
        let radius = self.shot.pixels(joint.radius, joint.tip);
        if radius > 2.0 {
            let (width, alpha) = if lit { (2.0, 1.0) } else { (1.0, alpha::HIT_RADIUS) };
            self.ink.circle(at.pixel, radius, width, faded(self.ink.theme.color.collision, alpha));
        }
    }

    /// Bones of the body are drawn only when they are pointed at or selected.
    fn body_bones(&self, cx: &Cx<'_>) {
        let session = cx.session();
        let selection = session.selection();
        let shown = selection.bones.iter().copied().chain(selection.hovered);
        for bone in shown.filter(|b| self.figure.joint(*b).is_none()) {
            let selected = selection.bones.contains(&bone);
            let c = self.ink.theme.color;
            let (color, width) = if selected { (c.accent, stroke::BONE_SELECTED) } else { (c.bone, 1.5) };
            let frames = &session.playback().shown().frames;
            let Some(head) = frames.get(bone.index()).map(|f| f.position) else { continue };
            let skeleton = &session.character().skeleton;
            if bone.index() >= skeleton.len() {
                continue;
            }
            let below = skeleton.children(bone).iter().filter(|b| session.document().joint_of(**b).is_none());
            for tip in below.filter_map(|b| frames.get(b.index())).map(|f| f.position) {
                if let Some(kite) = kite(self.shot, head, tip).filter(|k| k.length > 3.0) {
                    self.ink.area(&kite.outline, width, color, faded(color, alpha::BONE_FILL_IDLE));
                }
            }
            if let Some(at) = self.shot.project(head) {
                self.ink.dot(at.pixel, DOT_SELECTED, color, Stroke::NONE);
            }
        }
    }

    /// The ends of chains, which can be pulled.
    fn tip_dots(&self, cx: &Cx<'_>) {
        let c = self.ink.theme.color;
        let grabs = self.hands.tool == Tool::Grab;
        let toggles = cx.state.prefs.toggles;
        let grabbed = cx.session().playback().grabbed();
        let scale = self.figure.scale;
        for joint in &self.figure.joints {
            let pointed = self.hands.under == Under::Tip(joint.bone) || grabbed == Some(joint.bone);
            let shown = joint.selected || (toggles.bones && !toggles.only_selected);
            if !(pointed || joint.last && shown) {
                continue;
            }
            let Some(at) = self.shot.project(joint.tip) else { continue };
            match (pointed, joint.selected || grabs) {
                (true, _) => self.ink.dot(at.pixel, 5.0, c.bone, Stroke::new(2.0, c.accent)),
                (false, true) => {
                    self.ink.dot(
                        at.pixel,
                        DOT_SELECTED * scale,
                        c.bone_halo,
                        Stroke::new(1.5 * scale.min(1.0), c.bone),
                    );
                }
                (false, false) if !self.hidden(joint) => {
                    let color = faded(c.bone, alpha::BONE_IDLE * self.faded_in_crowd(joint));
                    self.ink.dot(at.pixel, DOT * scale, color, Stroke::NONE);
                }
                (false, false) => {}
            }
        }
    }

    fn ring_color(&self, handle: &BoneRing) -> (Color32, f32) {
        let c = self.ink.theme.color;
        let held = matches!(self.hands.held, Some(Held::Bone { bone, .. }) if bone == handle.bone);
        let pointed = self.hands.held.is_none() && self.hands.under == Under::Ring(handle.bone);
        let width = if handle.strong { 2.25 } else { 1.5 } * self.figure.scale.clamp(0.6, 1.0);
        match (held, pointed) {
            (true, _) => (c.accent, width + 0.5),
            (false, true) => (c.accent_hover, width + 0.5),
            (false, false) => (c.bone, width),
        }
    }

    fn shows_ring(&self, handle: &BoneRing, cx: &Cx<'_>) -> bool {
        if !cx.state.prefs.toggles.only_selected {
            return true;
        }
        let mut selected = self.figure.joints.iter().filter(|j| j.selected);
        selected.any(|j| j.first && super::figure::holder(cx.session(), j.bone) == handle.bone)
    }

    fn ring_far(&self, handle: &BoneRing, cx: &Cx<'_>) {
        if let Some(ring) = self.figure.ring(self.shot, handle)
            && self.shows_ring(handle, cx)
        {
            let (color, width) = self.ring_color(handle);
            self.ink.line(&ring.far, width * 0.75, faded(color, alpha::BEHIND_MESH));
        }
    }

    fn ring_near(&self, handle: &BoneRing, cx: &Cx<'_>) {
        let Some(ring) = self.figure.ring(self.shot, handle) else { return };
        if !self.shows_ring(handle, cx) {
            return;
        }
        let c = self.ink.theme.color;
        let (color, width) = self.ring_color(handle);
        self.ink.line(&ring.near, width, color);
        for arrow in &ring.arrows {
            self.ink.area(arrow, 0.5, color, color);
        }
        let (radius, rim) = if handle.strong { (5.5, 1.5) } else { (3.2, 1.0) };
        let scale = self.figure.scale;
        self.ink.dot(ring.grip, radius * scale, color, Stroke::new(rim * scale.min(1.0), c.bone_halo));
    }

    /// From where a held bone came.
    fn way_back(&self, cx: &Cx<'_>) {
        let c = self.ink.theme.color;
        for drag in cx.session().playback().drags().iter().filter(|d| d.back.is_none()) {
            let Some(frame) = cx.session().playback().shown().frames.get(drag.bone.index()) else { continue };
            let (now, start) = (frame.position, frame.position - drag.sample.offset);
            if let (Some(a), Some(b)) = (self.shot.project(start), self.shot.project(now))
                && a.pixel.distance(b.pixel) > 6.0
            {
                self.ink.dashes(a.pixel, b.pixel, 1.5, c.accent);
                self.ink.dot(a.pixel, 3.0, faded(c.accent, alpha::GHOST_LINE), Stroke::NONE);
            }
        }
    }

    fn names(&self, only_selected: bool) {
        let c = self.ink.theme.color;
        let mut taken: Vec<Rect> = Vec::new();
        let mut joints: Vec<&Joint> = self.figure.joints.iter().collect();
        joints.sort_by_key(|j| !j.selected);
        for joint in joints {
            // All names of all joints would be a wall: roots, and what is selected.
            if !(joint.selected || (joint.first && !only_selected)) {
                continue;
            }
            if let Some(at) = self.shot.project(joint.head) {
                let color = if joint.selected { c.accent } else { c.text_2 };
                let place = at.pixel + Vec2::new(9.0, -1.0);
                let size = vec2(joint.name.chars().count() as f32 * 7.0, 15.0);
                let room = Align2::LEFT_CENTER.anchor_size(self.ink.at(place), size);
                // A name on top of another helps nobody.
                if taken.iter().all(|t| !t.intersects(room)) {
                    self.ink.words(place, Align2::LEFT_CENTER, &joint.name, color);
                    taken.push(room);
                }
            }
        }
    }
}

/// The name of what the pointer rests on.
pub(super) fn tag_ui(ui: &Ui, ink: &Ink<'_>, hands: &Hands, cx: &Cx<'_>) {
    let bone: Option<BoneId> = match hands.under {
        Under::Bone(bone) | Under::Tip(bone) | Under::Ring(bone) => Some(bone),
        Under::Nothing | Under::Handle(_) | Under::Item(_) => None,
    };
    let (Some(bone), None, Some(at)) = (bone, hands.held, ui.input(|i| i.pointer.latest_pos())) else { return };
    let left = TAG_DELAY - (ui.input(|i| i.time) - hands.since);
    if left > 0.0 {
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left));
        return;
    }
    let session = cx.session();
    if bone.index() >= session.character().skeleton.len() {
        return;
    }
    let name = crate::report::escape(session.character().skeleton.name(bone)).into_owned();
    let note = session.document().joint_of(bone).map(|(chain, at)| {
        let number = (at + 1).to_string();
        cx.tr_with("viewport.joint_of", &[("n", &number), ("chain", &session.document().chains[&chain].name)])
    });
    ink.tag(at + vec2(space::XL, 14.0), Align2::LEFT_TOP, name, note);
}

/// The frame that says that a gesture is being recorded, or will be with the next drag.
pub(super) fn record_frame(painter: &Painter, rect: Rect, cx: &Cx<'_>) {
    let color = cx.theme.color.record;
    let color = match cx.session().playback().recording() {
        Recording::Off => return,
        Recording::Armed => faded(color, alpha::CONTACT_FILL),
        Recording::Running { .. } => color,
    };
    painter.rect_stroke(rect, 0.0, Stroke::new(stroke::FOCUS, color), StrokeKind::Inside);
}
