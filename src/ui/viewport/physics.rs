//! What acts on the joints, drawn: colliders and contacts, limits, forces.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use crate::doc::{ColliderId, Node};
use crate::schema::{Idea, Row, Scope, find_row, rows};
use crate::session::{Item, Session};
use crate::sim::{JointSetup, Shape, SystemSetup};
use crate::stage::Shot;
use crate::stage::overlay::{self, Fan, FanSide};
use crate::ui::tokens::{alpha, size, stroke};
use crate::ui::widgets::paint::faded;
use crate::ui::{Cx, Lit, OutlinerTab};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;

/// How near counts as touching: the solver leaves tips on the surface; share of the height.
const NEAR: f32 = 0.0004;
/// Length of a fan at least, points, and as a share of its joint.
const FAN_LEAST: f32 = 76.0;
const FAN_SHARE: f32 = 1.15;
/// Colliders that nothing selected looks at: while the list of colliders is open, and otherwise.
const FAINT: f32 = 0.6;
const FAINTEST: f32 = 0.22;

/// What the shapes are drawn from.
pub(super) struct Physics<'a> {
    pub ink: &'a Ink<'a>,
    pub shot: &'a Shot,
    pub figure: &'a Figure,
}

/// Degrees at the end of a limit, to be written over everything else.
pub(super) struct Degrees {
    at: Vec2,
    anchor: Align2,
    words: String,
}

/// A collider in the world.
struct Solid {
    ends: [Vec3; 2],
    radius: f32,
    up: Vec3,
}

impl Physics<'_> {
    /// Draws what the toggles ask for, and gives back what is to be written when rings and bones are there.
    pub(super) fn show(&self, cx: &Cx<'_>) -> Vec<Degrees> {
        let mut words = Vec::new();
        let toggles = cx.state.prefs.toggles;
        let session = cx.session();
        for system in &session.resolved().systems {
            if toggles.colliders {
                self.colliders(cx, system);
            }
            for joint in &system.joints {
                let Some(seen) = self.figure.joint(joint.bone).filter(|j| j.selected) else { continue };
                let single = session.selection().scope == crate::session::Scope::Joints;
                let lit = cx.state.lit == Some(Lit::Idea(Idea::Limit));
                let is_meant = single || session.selection().active == Some(joint.bone);
                if is_meant && (toggles.limits || lit) {
                    self.limits(session, joint, seen, lit, &mut words);
                }
            }
        }
        words
    }

    /// Writes the degrees.
    pub(super) fn write(&self, words: &[Degrees]) {
        for Degrees { at, anchor, words } in words {
            self.ink.words(*at, *anchor, words, self.ink.theme.color.limit);
        }
    }

    /// What pulls at the tip of the active joint.
    pub(super) fn show_forces(&self, cx: &Cx<'_>) {
        let session = cx.session();
        let active = session.selection().active;
        for system in &session.resolved().systems {
            if let Some(joint) = system.joints.iter().find(|j| Some(j.bone) == active)
                && let Some(seen) = self.figure.joint(joint.bone)
            {
                self.forces(cx, system, joint, seen);
            }
        }
    }

    fn colliders(&self, cx: &Cx<'_>, system: &SystemSetup) {
        let session = cx.session();
        let only_selected = cx.state.prefs.toggles.only_selected;
        let faint = if cx.state.outliner_tab == OutlinerTab::Colliders { FAINT } else { FAINTEST };
        let lit = match cx.state.lit {
            Some(Lit::Collider(id)) => Some(id),
            _ => match session.selection().active_item {
                Some(Item::Collider(id)) => Some(id),
                _ => None,
            },
        };
        let solids: Vec<Option<Solid>> =
            system.colliders.iter().map(|c| solid(session, c.bone.index(), c.shape)).collect();
        let selected = |joint: &JointSetup| self.figure.joint(joint.bone).is_some_and(|j| j.selected);
        let any = self.figure.joints.iter().any(|j| j.selected);
        let used: BTreeSet<u32> =
            system.joints.iter().filter(|j| selected(j)).flat_map(|j| j.colliders.iter().copied()).collect();
        let chosen = lit.and_then(|id| place_of(session, id));
        let mut touched = vec![None::<(f32, Vec3)>; solids.len()];
        for joint in system.joints.iter().filter(|j| !any || selected(j)) {
            let Some(seen) = self.figure.joint(joint.bone) else { continue };
            for index in &joint.colliders {
                let Some(Some(solid)) = solids.get(*index as usize) else { continue };
                let near = self.figure.height * NEAR;
                if let Some(touch) = overlay::touch(seen.tip, seen.radius, solid.ends, solid.radius, near) {
                    let slot = &mut touched[*index as usize];
                    if slot.is_none_or(|(depth, _)| touch.depth > depth) {
                        *slot = Some((touch.depth, touch.at));
                    }
                }
            }
        }
        for (index, solid) in solids.iter().enumerate() {
            let Some(solid) = solid else { continue };
            let in_use = used.contains(&(index as u32));
            if chosen == Some(index) {
                self.chosen(solid);
                continue;
            }
            if only_selected && !in_use {
                continue;
            }
            // With nothing selected contacts come and go everywhere: only what is tuned lights up.
            let touch = touched[index].filter(|_| any);
            self.solid(solid, if in_use { 1.0 } else { faint }, touch);
        }
    }

    /// The collider that is selected in the outliner, or pointed at in the inspector.
    fn chosen(&self, solid: &Solid) {
        let c = self.ink.theme.color;
        if let Some(outline) = self.outline(solid) {
            self.ink.area(
                &outline,
                stroke::COLLIDER_SELECTED,
                c.accent,
                faded(c.accent, alpha::COLLIDER_FILL_TOUCHING),
            );
        }
    }

    fn outline(&self, solid: &Solid) -> Option<Vec<Vec2>> {
        let [from, to] = solid.ends;
        if from.distance(to) < solid.radius * 1e-3 {
            overlay::sphere(self.shot, from, solid.radius)
        } else {
            overlay::capsule(self.shot, from, to, solid.radius)
        }
    }

    /// `strength` is 1 for what the selection looks at.
    fn solid(&self, solid: &Solid, strength: f32, touch: Option<(f32, Vec3)>) {
        let color = self.ink.theme.color.collision;
        let in_use = strength >= 1.0;
        let (line, fill, width) = match (touch, in_use) {
            (Some(_), _) => (0.95, alpha::COLLIDER_FILL_TOUCHING, stroke::COLLIDER_SELECTED),
            // Half the filling: a head and its neighbours lie over each other.
            (None, true) => (alpha::COLLIDER_LINE, alpha::COLLIDER_FILL * 0.5, stroke::COLLIDER),
            (None, false) => (alpha::COLLIDER_LINE * strength, 0.0, stroke::HAIRLINE),
        };
        let ink = faded(color, line);
        let [from, to] = solid.ends;
        let Some(outline) = self.outline(solid) else { return };
        // Only contacts wear a halo: on a pale body the coats of many shapes would be a grey smear.
        if touch.is_some() {
            self.ink.area(&outline, width, ink, faded(color, fill));
        } else {
            self.ink.faint(&outline, width, ink, faded(color, fill));
        }
        if let Some(equator) = overlay::circle(self.shot, (from + to) * 0.5, solid.up, solid.radius)
            && in_use
        {
            self.ink.faint(&equator, 1.0, faded(color, line * 0.4), Color32::TRANSPARENT);
        }
        if let Some((depth, at)) = touch
            && let Some(at) = self.shot.project(at)
        {
            self.ink.dot(at.pixel, size::HANDLE, faded(color, alpha::CONTACT_FILL), Stroke::new(1.5, color));
            let millimetres = depth.max(0.0) * 1000.0;
            if millimetres >= 0.05 {
                let words = format!("{millimetres:.1} mm");
                self.ink.words(at.pixel + Vec2::new(-13.0, 0.0), Align2::RIGHT_CENTER, &words, color);
            }
        }
    }

    fn limits(&self, session: &Session, joint: &JointSetup, seen: &Joint, lit: bool, words: &mut Vec<Degrees>) {
        let Some(pivot) = joint.pivot.and_then(|p| session.shown().frames.get(p.index())) else { return };
        let table = session.document().table();
        let value = |name: &str| find_row(table, name).map(|row| joint.values.get(row));
        let reach = (seen.head.distance(seen.tip) * FAN_SHARE).max(self.shot.metres_per_pixel(seen.head) * FAN_LEAST);
        let towards = (seen.tip - seen.head, reach);
        let mut fans = Vec::new();
        for (side, axis) in [(FanSide::Y, "y"), (FanSide::Z, "z")] {
            let part = |end: &str| value(&format!("{axis}AngleLimits.{end}"));
            let (Some(on), Some(min), Some(max)) = (part("active"), part("min"), part("max")) else { continue };
            if on != 0.0 {
                let fan = overlay::fan(self.shot, (seen.head, pivot.rotation), side, [min, max], towards);
                fans.extend(fan.map(|fan| (fan.area(), fan, [min, max])));
            }
        }
        // Of two planes the one that faces the eye speaks; the other stays quiet, or they would hide each other.
        fans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let main = fans.len().saturating_sub(1);
        for (i, (_, fan, ends)) in fans.iter().enumerate() {
            self.fan(fan, *ends, (i == main, lit), words);
        }
    }

    fn fan(&self, fan: &Fan, degrees: [f32; 2], (main, lit): (bool, bool), words: &mut Vec<Degrees>) {
        let color = self.ink.theme.color.limit;
        let brighter = if lit { 1.6 } else { 1.0 };
        let (fill, line) = if main { (alpha::FAN_FILL, 1.0) } else { (alpha::FAN_FILL_IDLE, 0.45) };
        let (fill, line) = (fill * brighter, (line * brighter).min(1.0));
        self.ink.slice(fan.head, &fan.arc, faded(color, fill));
        let mut edge = vec![fan.head];
        edge.extend(&fan.arc);
        edge.push(fan.head);
        if !main {
            self.ink.line(&edge, stroke::HAIRLINE, faded(color, line));
            return;
        }
        self.ink.line(&edge, stroke::FAN_EDGE, color);
        self.ink.dashes(fan.head, fan.live, 1.25, color);
        for (end, degrees) in fan.ends().into_iter().zip(degrees) {
            self.ink.dot(end, 4.0, color, Stroke::NONE);
            let sign = if degrees < 0.0 { "−" } else { "" };
            let (anchor, shift) = anchor_of(end - fan.middle());
            words.push(Degrees { at: end + shift, anchor, words: format!("{sign}{:.0}°", degrees.abs()) });
        }
    }

    /// Inertia, spring and gravity at the tip, as accelerations.
    fn forces(&self, cx: &Cx<'_>, system: &SystemSetup, joint: &JointSetup, seen: &Joint) {
        let session = cx.session();
        let c = self.ink.theme.color;
        let table = session.document().table();
        let world = session.play().world();
        let Some(index) = session.joint_index(joint.bone) else { return };
        let (Some(tip), Some(before)) = (world.tip(index), world.previous_tip(index)) else { return };
        let mut gravity = Vec3::ZERO;
        let (mut restore, mut drag) = (0.0_f32, 0.0_f32);
        for (row, def) in rows(table) {
            let value = if def.scope == Scope::System { system.values.get(row) } else { joint.values.get(row) };
            match def.idea {
                Idea::Gravity => gravity += def.axis().map_or(Vec3::ZERO, |axis| Vec3::AXES[axis] * value),
                Idea::Restore if restore == 0.0 => restore = value,
                Idea::Drag => drag = value,
                _ => {}
            }
        }
        let spring = rest_tip(session, joint, seen).map_or(Vec3::ZERO, |rest| (rest - seen.tip) * restore);
        // Half a second of the present movement: at a step's length it would always be the longest.
        let inertia = (tip - before) / crate::session::TICK as f32 * (1.0 - drag) * 2.0;
        let forces: [(Idea, Vec3, Color32); 3] =
            [(Idea::Gravity, gravity, c.gravity), (Idea::Restore, spring, c.spring), (Idea::Drag, inertia, c.inertia)];
        for (idea, force, color) in forces {
            if let Some(line) = overlay::arrow(self.shot, seen.tip, force) {
                let lit = if cx.state.lit == Some(Lit::Idea(idea)) { 1.5 } else { 0.0 };
                self.ink.line(&line, stroke::ARROW + lit, color);
                self.ink.area(&overlay::arrow_head(line), 0.5, color, color);
            }
        }
    }
}

/// Where words stand so that they lead on outwards.
fn anchor_of(out: Vec2) -> (Align2, Vec2) {
    let out = out.normalize_or(Vec2::X);
    if out.x.abs() < 0.3 {
        (Align2::CENTER_CENTER, out * 15.0)
    } else if out.x < 0.0 {
        (Align2::RIGHT_CENTER, Vec2::new(-9.0, out.y * 6.0))
    } else {
        (Align2::LEFT_CENTER, Vec2::new(9.0, out.y * 6.0))
    }
}

/// The place of a collider in the systems' lists, which leave out those on missing bones.
fn place_of(session: &Session, id: ColliderId) -> Option<usize> {
    let bones = session.character().skeleton.len();
    let there = |node| match node {
        Node::Bone(bone) => bone.index() < bones,
        Node::Helper(_) => session.resolved().bones.contains_key(&node),
    };
    let listed = session.document().colliders.iter().filter(|(_, c)| there(c.node));
    listed.map(|(id, _)| *id).position(|listed| listed == id)
}

/// The hit radius of a joint, metres.
pub(super) fn hit_radius(session: &Session, bone: crate::rig::BoneId) -> f32 {
    let Some(row) = radius_row(session) else { return 0.0 };
    let Some(index) = session.joint_index(bone) else { return 0.0 };
    let system = session.resolved().systems.get(index.system as usize);
    system.and_then(|s| s.joints.get(index.joint as usize)).map_or(0.0, |j| j.values.get(row))
}

fn radius_row(session: &Session) -> Option<Row> {
    rows(session.document().table()).find(|(_, def)| def.idea == Idea::Radius).map(|(row, _)| row)
}

/// Where the tip would be if the joint hung at rest on its parent.
fn rest_tip(session: &Session, joint: &JointSetup, seen: &Joint) -> Option<Vec3> {
    let skeleton = &session.character().skeleton;
    let parent = skeleton.parent_of(joint.bone)?;
    let offset = session.play().world().tip_offset(session.joint_index(joint.bone)?)?;
    let rotation = session.shown().frames.get(parent.index())?.rotation * skeleton.bone(joint.bone).rest.rotation;
    Some(seen.head + rotation * offset)
}

fn solid(session: &Session, bone: usize, shape: Shape) -> Option<Solid> {
    let frame = session.shown().frames.get(bone)?;
    let linear = frame.linear();
    let scale = linear.x_axis.length().max(linear.z_axis.length());
    let up = linear.y_axis;
    let from = frame.position;
    Some(match shape {
        Shape::Sphere { radius } => Solid { ends: [from; 2], radius: radius * scale, up },
        Shape::Capsule { radius, height } => {
            Solid { ends: [from, frame.point(Vec3::Y * height)], radius: radius * scale, up }
        }
        // A plate has no thickness; its outline is not that of a round solid. What is kept in touches from the inside.
        Shape::Panel { .. } | Shape::Plane | Shape::InsideSphere { .. } | Shape::InsideCapsule { .. } => return None,
    })
}
