//! Draws bones, joints, rings and names over the character.

use super::color_by::JointColors;
use super::overlay_batch::OverlayBatch;
use super::overlay_painter::OverlayPainter;
use super::pickables::{BodyRing, BoneRing, HIDDEN_DEPTH_SHARE, PickableJoint, Pickables};
use super::pointer::{DragState, HitTarget, PointerController};
use super::tools::ViewportTool;
use crate::stage::overlay::kite;
use crate::stage::{CameraView, Occlusion};
use crate::tr;
use crate::ui::kit::i18n;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, space, stroke};
use crate::ui::{Highlight, OverlayToggles, UiContext};
use egui::{Align2, Color32, Painter, Rect, Stroke, StrokeKind, Ui, vec2};
use glam::Vec2;
use yuremono_model::document::DragReach;
use yuremono_session::Recording;
use yuremono_sim::params::ParamMeaning;
use yuremono_sim::rig::BoneId;

/// Number of joints at which joints become fainter. Otherwise a skirt would hide the legs.
const FAINT_JOINT_COUNT: usize = 60;
/// Number of joints above which unselected bones fade. The opacity depends on the number of joints, on the distance
/// from the eye, and on whether a selection exists.
const FADING_JOINT_COUNT: usize = 200;
/// Opacity of bones on the far side, and of unselected bones while others are selected.
const FAR_OPACITY: f32 = 0.35;
const UNSELECTED_OPACITY: f32 = 0.5;
/// Dot radius of joints, selected joints and the active joint, in points.
const DOT_RADIUS: f32 = 2.2;
const DOT_RADIUS_SELECTED: f32 = 3.2;
const DOT_RADIUS_ACTIVE: f32 = 4.6;
/// Minimum length of a bone outline, in points. Shorter bones are drawn as lines.
const MIN_KITE_LENGTH: f32 = 7.0;
/// Opacities of the outline and of the area of bones whose colour shows a value.
const COLORED_OPACITY: f32 = 0.95;
const COLORED_FILL: f32 = 0.45;
/// Delay until the name tag appears, in seconds.
const TAG_DELAY: f64 = 0.3;

pub(super) struct BoneOverlay<'a> {
    pub painter: &'a OverlayPainter<'a>,
    pub view: &'a CameraView,
    pub pickables: &'a Pickables,
    pub pointer: &'a PointerController,
    pub occlusion: &'a Occlusion,
    /// Colours of the joints that replace the colours by chain.
    pub colors: Option<&'a JointColors>,
}

#[derive(Clone, Copy)]
struct HitRadiusStyle {
    shown: bool,
    highlighted: bool,
}

impl BoneOverlay<'_> {
    pub(super) fn show(&self, cx: &UiContext<'_>) {
        let toggles = cx.state.prefs.toggles;
        let hovered = cx.selection().hovered;
        let active = cx.selection().active;
        let radii = HitRadiusStyle {
            shown: toggles.hit_radii,
            highlighted: cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Radius)),
        };
        let shows_rings = toggles.handles && self.pointer.tool.drags_body();
        if shows_rings {
            self.pickables.rings.iter().for_each(|h| self.paint_ring_back(h, cx));
        }
        if toggles.bones && !toggles.selected_only {
            self.paint_idle_joints(hovered);
        }
        // Selected joints are drawn last, on top of the other joints.
        for pass in [false, true] {
            for joint in self.pickables.joints.iter().filter(|j| j.selected == pass) {
                if pass || hovered == Some(joint.bone) {
                    self.paint_joint(joint, hovered == Some(joint.bone), active == Some(joint.bone), radii);
                }
            }
        }
        self.paint_markers(toggles);
        self.paint_body_bones(cx);
        self.paint_tip_dots(cx);
        if shows_rings {
            self.pickables.rings.iter().for_each(|h| self.paint_ring_front(h, cx));
        }
        if toggles.names {
            self.paint_names(toggles.selected_only);
        }
        self.paint_drag_origin(cx);
    }

    /// Draws the joints that are neither selected nor hovered.
    fn paint_idle_joints(&self, hovered: Option<BoneId>) {
        let mut batch = OverlayBatch::new(self.painter);
        let bone = self.painter.theme.color.bone;
        let many = self.pickables.joints.len() > FAINT_JOINT_COUNT;
        let (opacity, width, radius) =
            if many { (alpha::SKIRT_BONE_IDLE, 1.0, 1.6) } else { (alpha::BONE_IDLE, stroke::BONE, DOT_RADIUS) };
        for joint in self.pickables.joints.iter().filter(|j| !j.selected && hovered != Some(j.bone)) {
            let Some(kite) = kite(self.view, joint.head, joint.tip) else { continue };
            let hidden = self.is_hidden(joint);
            let dim = if hidden { alpha::BEHIND_MESH } else { 1.0 } * self.crowd_opacity(joint);
            let own_color = self.own_color(joint);
            let color = faded(own_color.unwrap_or(bone), own_color.map_or(opacity, |_| COLORED_OPACITY) * dim);
            if kite.length < MIN_KITE_LENGTH {
                batch.line(&[kite.head(), kite.tip()], width.min(1.25), color);
            } else {
                let fill = if own_color.is_some() { COLORED_FILL } else { alpha::BONE_FILL_IDLE * 0.6 };
                let fill = if hidden { 0.0 } else { fill };
                batch.area(&kite.outline, width, color, faded(color, fill));
            }
            if !hidden {
                batch.dot(kite.head(), radius * self.pickables.dot_scale, color);
            }
        }
        batch.paint();
    }

    /// Draws a selected or hovered joint.
    fn paint_joint(&self, joint: &PickableJoint, hovered: bool, active: bool, radii: HitRadiusStyle) {
        let Some(kite) = kite(self.view, joint.head, joint.tip) else { return };
        let c = self.painter.theme.color;
        let (color, width, fill) = if joint.selected {
            (c.accent, stroke::BONE_SELECTED, alpha::BONE_FILL_SELECTED)
        } else {
            (c.bone, 1.5, 0.2)
        };
        let own_color = self.own_color(joint);
        let (color, fill) = own_color.map_or((color, fill), |own_color| (own_color, COLORED_FILL));
        if kite.length < MIN_KITE_LENGTH {
            self.painter.line(&[kite.head(), kite.tip()], width.min(1.25), color);
        } else {
            self.painter.area(&kite.outline, width, color, faded(color, fill));
        }
        if (radii.shown || radii.highlighted) && joint.selected {
            self.paint_hit_radius(joint, radii.highlighted);
        }
        self.paint_head_dot(joint, kite.head(), hovered, active);
    }

    /// Returns the colour of a joint by what the artist compares; `None` without a comparison or a value.
    fn own_color(&self, joint: &PickableJoint) -> Option<Color32> {
        self.colors.and_then(|colors| colors.color(&self.painter.theme, joint.bone))
    }

    /// Draws the markers of the values that stand out, of all joints that are drawn.
    fn paint_markers(&self, toggles: OverlayToggles) {
        let Some(colors) = self.colors else { return };
        let is_drawn = |joint: &&PickableJoint| joint.selected || (toggles.bones && !toggles.selected_only);
        for joint in self.pickables.joints.iter().filter(is_drawn) {
            if let Some(at) = self.view.project(joint.head) {
                colors.show_marker(self.painter, joint.bone, at.pixel);
            }
        }
    }

    /// Returns the opacity of an unselected bone in a crowded view. The opacity is 1 for up to [`FADING_JOINT_COUNT`]
    /// joints.
    fn crowd_opacity(&self, joint: &PickableJoint) -> f32 {
        let count = self.pickables.joints.len();
        if count <= FADING_JOINT_COUNT {
            return 1.0;
        }
        let crowded = (FADING_JOINT_COUNT as f32 / count as f32).sqrt();
        let behind = self.view.depth(joint.head) - self.view.distance + self.pickables.height * 0.25;
        let far = (behind / (self.pickables.height * 0.5)).clamp(0.0, 1.0);
        let beside = if self.pickables.any_selected { UNSELECTED_OPACITY } else { 1.0 };
        crowded * (1.0 + (FAR_OPACITY - 1.0) * far) * beside
    }

    fn paint_head_dot(&self, joint: &PickableJoint, at: Vec2, hovered: bool, active: bool) {
        let c = self.painter.theme.color;
        let scale = self.pickables.dot_scale;
        if active {
            self.painter.dot(at, DOT_RADIUS_ACTIVE * scale, c.bone, Stroke::new(2.0 * scale.min(1.0), c.accent));
        } else if joint.selected {
            self.painter.dot(at, DOT_RADIUS_SELECTED * scale, c.accent, Stroke::new(scale.min(1.0), c.bone_halo));
        } else if hovered {
            self.painter.dot(at, DOT_RADIUS_SELECTED * scale, c.bone, Stroke::NONE);
        }
    }

    fn is_hidden(&self, joint: &PickableJoint) -> bool {
        let margin = self.pickables.height * HIDDEN_DEPTH_SHARE;
        self.occlusion.hides(joint.head, margin) && self.occlusion.hides(joint.tip, margin)
    }

    fn paint_hit_radius(&self, joint: &PickableJoint, is_highlighted: bool) {
        if joint.radius <= 0.0 {
            return;
        }
        let Some(at) = self.view.project(joint.tip) else { return };
        let radius = self.view.metres_to_pixels(joint.radius, joint.tip);
        if radius > 2.0 {
            let (width, alpha) = if is_highlighted { (2.0, 1.0) } else { (1.0, alpha::HIT_RADIUS) };
            self.painter.circle(at.pixel, radius, width, faded(self.painter.theme.color.collision, alpha));
        }
    }

    /// Draws the hovered and selected bones of the body.
    fn paint_body_bones(&self, cx: &UiContext<'_>) {
        let session = cx.session();
        let selection = session.selection();
        let shown = selection.bones.iter().copied().chain(selection.hovered);
        for bone in shown.filter(|b| self.pickables.joint(*b).is_none()) {
            let selected = selection.bones.contains(&bone);
            let c = self.painter.theme.color;
            let (color, width) = if selected { (c.accent, stroke::BONE_SELECTED) } else { (c.bone, 1.5) };
            let frames = &session.playback().displayed_pose().frames;
            let Some(head) = frames.get(bone.index()).map(|f| f.position) else { continue };
            let skeleton = &session.character().skeleton;
            if bone.index() >= skeleton.len() {
                continue;
            }
            let below = skeleton.children(bone).iter().filter(|b| session.document().find_joint(**b).is_none());
            for tip in below.filter_map(|b| frames.get(b.index())).map(|f| f.position) {
                if let Some(kite) = kite(self.view, head, tip).filter(|k| k.length > 3.0) {
                    self.painter.area(&kite.outline, width, color, faded(color, alpha::BONE_FILL_IDLE));
                }
            }
            if let Some(at) = self.view.project(head) {
                self.painter.dot(at.pixel, DOT_RADIUS_SELECTED, color, Stroke::NONE);
            }
        }
    }

    /// Draws draggable dots at the ends of chains.
    fn paint_tip_dots(&self, cx: &UiContext<'_>) {
        let c = self.painter.theme.color;
        let grabs = self.pointer.tool == ViewportTool::Grab;
        let toggles = cx.state.prefs.toggles;
        let grabbed = cx.playback().grabbed_tip();
        let scale = self.pickables.dot_scale;
        for joint in &self.pickables.joints {
            let pointed = self.pointer.hit == HitTarget::Tip(joint.bone) || grabbed == Some(joint.bone);
            let shown = joint.selected || (toggles.bones && !toggles.selected_only);
            if !(pointed || joint.is_last && shown) {
                continue;
            }
            let Some(at) = self.view.project(joint.tip) else { continue };
            match (pointed, joint.selected || grabs) {
                (true, _) => self.painter.dot(at.pixel, 5.0, c.bone, Stroke::new(2.0, c.accent)),
                (false, true) => {
                    self.painter.dot(
                        at.pixel,
                        DOT_RADIUS_SELECTED * scale,
                        c.bone_halo,
                        Stroke::new(1.5 * scale.min(1.0), c.bone),
                    );
                }
                (false, false) if !self.is_hidden(joint) => {
                    let color = faded(c.bone, alpha::BONE_IDLE * self.crowd_opacity(joint));
                    self.painter.dot(at.pixel, DOT_RADIUS * scale, color, Stroke::NONE);
                }
                (false, false) => {}
            }
        }
    }

    fn is_dragged(&self, bone: BoneId) -> bool {
        matches!(self.pointer.drag, Some(DragState::Bone { bone: dragged, .. }) if dragged == bone)
    }

    fn ring_color(&self, handle: &BoneRing) -> (Color32, f32) {
        let c = self.painter.theme.color;
        let held = self.is_dragged(handle.bone);
        let pointed = self.pointer.drag.is_none() && self.pointer.hit == HitTarget::Ring(handle.bone);
        let width = if handle.is_main { 2.25 } else { 1.5 } * self.pickables.dot_scale.clamp(0.6, 1.0);
        match (held, pointed) {
            (true, _) => (c.accent, width + 0.5),
            (false, true) => (c.accent_hover, width + 0.5),
            (false, false) if handle.is_main => (c.bone, width),
            // The other rings stay in the background until the pointer finds them.
            (false, false) => (faded(c.bone, alpha::BONE_IDLE), width),
        }
    }

    fn is_ring_shown(&self, handle: &BoneRing, cx: &UiContext<'_>) -> bool {
        if !cx.state.prefs.toggles.selected_only {
            return true;
        }
        let mut selected = self.pickables.joints.iter().filter(|j| j.selected);
        selected.any(|j| j.is_first && super::pickables::drag_bone(cx.session(), j.bone) == handle.bone)
    }

    fn paint_ring_back(&self, handle: &BoneRing, cx: &UiContext<'_>) {
        if self.pickables.screen_circle(self.view, handle).is_none()
            && let Some(ring) = self.pickables.screen_ring(self.view, handle)
            && self.is_ring_shown(handle, cx)
        {
            let (color, width) = self.ring_color(handle);
            self.painter.line(&ring.far, width * 0.75, faded(color, alpha::BEHIND_MESH));
        }
    }

    fn paint_ring_front(&self, handle: &BoneRing, cx: &UiContext<'_>) {
        let Some(ring) = self.pickables.screen_ring(self.view, handle) else { return };
        if !self.is_ring_shown(handle, cx) {
            return;
        }
        let c = self.painter.theme.color;
        let (color, width) = self.ring_color(handle);
        if let Some((centre, radius)) = self.pickables.screen_circle(self.view, handle) {
            let is_hidden = self.occlusion.hides(handle.centre, self.pickables.height * HIDDEN_DEPTH_SHARE);
            let is_idle = !self.is_dragged(handle.bone) && self.pointer.hit != HitTarget::Ring(handle.bone);
            let color = if is_hidden && is_idle { faded(color, alpha::BEHIND_MESH) } else { color };
            self.painter.circle(centre, radius, width, color);
            return;
        }
        self.painter.line(&ring.near, width, color);
        let is_hot = self.is_dragged(handle.bone) || self.pointer.hit == HitTarget::Ring(handle.bone);
        for arrow in ring.arrows.iter().filter(|_| handle.is_main || is_hot) {
            self.painter.area(arrow, 0.5, color, color);
        }
        let (radius, rim) = if handle.is_main { (5.5, 1.5) } else { (3.2, 1.0) };
        let scale = self.pickables.dot_scale;
        self.painter.dot(ring.handle, radius * scale, color, Stroke::new(rim * scale.min(1.0), c.bone_halo));
    }

    /// Draws a dashed line from the start position of a dragged bone.
    fn paint_drag_origin(&self, cx: &UiContext<'_>) {
        let c = self.painter.theme.color;
        for drag in cx.playback().drags().iter().filter(|d| d.is_held()) {
            let Some(frame) = cx.playback().displayed_pose().frames.get(drag.bone.index()) else { continue };
            let now = frame.position;
            let start = match (drag.reach, &self.pointer.drag) {
                (DragReach::OneBone, _) => now - drag.sample.offset,
                // The body stops before the pointer, so only the position at the press is known.
                (DragReach::WholeBody, Some(DragState::Bone { bone, drag: held, turns: false, .. }))
                    if *bone == drag.bone =>
                {
                    held.start
                }
                (DragReach::WholeBody, _) => continue,
            };
            if let (Some(a), Some(b)) = (self.view.project(start), self.view.project(now))
                && a.pixel.distance(b.pixel) > 6.0
            {
                self.painter.dashed_segment(a.pixel, b.pixel, 1.5, c.accent);
                self.painter.dot(a.pixel, 3.0, faded(c.accent, alpha::GHOST_LINE), Stroke::NONE);
            }
        }
    }

    fn paint_names(&self, only_selected: bool) {
        let c = self.painter.theme.color;
        let mut taken: Vec<Rect> = Vec::new();
        let mut joints: Vec<&PickableJoint> = self.pickables.joints.iter().collect();
        joints.sort_by_key(|j| !j.selected);
        for joint in joints {
            // Showing every name would hide the character, so only roots and selected joints get names.
            if !(joint.selected || (joint.is_first && !only_selected)) {
                continue;
            }
            if let Some(at) = self.view.project(joint.head) {
                let color = if joint.selected { c.accent } else { c.text_2 };
                let name_pixel = at.pixel + Vec2::new(9.0, -1.0);
                let size = vec2(joint.name.chars().count() as f32 * 7.0, 15.0);
                let name_rect = Align2::LEFT_CENTER.anchor_size(self.painter.screen_pos(name_pixel), size);
                // Skip names that would overlap another name.
                if taken.iter().all(|t| !t.intersects(name_rect)) {
                    self.painter.text(name_pixel, Align2::LEFT_CENTER, &joint.name, color);
                    taken.push(name_rect);
                }
            }
        }
    }
}

fn body_ring_at(pickables: &Pickables, hit: HitTarget) -> Option<BodyRing> {
    let HitTarget::Ring(bone) = hit else { return None };
    pickables.ring(bone)?.body
}

/// Draws the name tag of the hovered bone, or the effect of the hovered ring.
pub(super) fn hover_tag_ui(
    ui: &Ui,
    overlay: &OverlayPainter<'_>,
    controller: &PointerController,
    pickables: &Pickables,
    cx: &UiContext<'_>,
) {
    let bone: Option<BoneId> = match controller.hit {
        HitTarget::Bone(bone) | HitTarget::Tip(bone) | HitTarget::Ring(bone) => Some(bone),
        HitTarget::Nothing | HitTarget::Handle(_) | HitTarget::Object(_) => None,
    };
    let (Some(bone), None, Some(at)) = (bone, &controller.drag, ui.input(|i| i.pointer.latest_pos())) else { return };
    let left = TAG_DELAY - (ui.input(|i| i.time) - controller.hovered_since);
    if left > 0.0 {
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left));
        return;
    }
    let session = cx.session();
    if bone.index() >= session.character().skeleton.len() {
        return;
    }
    if let Some(ring) = body_ring_at(pickables, controller.hit) {
        let name = i18n::capitalized(&cx.tr(ring.name()));
        let note = tr!(cx, "Drag: the body follows. Ctrl: one bone only.").into_owned();
        return overlay.tag(at + vec2(space::XL, 14.0), Align2::LEFT_TOP, name, Some(note));
    }
    let name = yuremono_sim::diagnostics::escape(session.character().skeleton.name(bone)).into_owned();
    let note = session.document().find_joint(bone).map(|(chain, at)| {
        let number = (at + 1).to_string();
        tr!(cx, "joint {n} of {chain}", n = number, chain = &session.document().chains[&chain].name).into_owned()
    });
    overlay.tag(at + vec2(space::XL, 14.0), Align2::LEFT_TOP, name, note);
}

/// Draws a frame around the viewport while a gesture is being recorded or is armed.
pub(super) fn paint_record_frame(painter: &Painter, rect: Rect, cx: &UiContext<'_>) {
    let color = cx.theme.color.record;
    let color = match cx.playback().recording() {
        Recording::Off => return,
        Recording::Armed => faded(color, alpha::CONTACT_FILL),
        Recording::Running { .. } => color,
    };
    painter.rect_stroke(rect, 0.0, Stroke::new(stroke::FOCUS, color), StrokeKind::Inside);
}
