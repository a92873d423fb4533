//! Colliders in the world: where they are, what touches them, and how they are drawn.

use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::document::ColliderId;
use crate::math::Frame;
use crate::rig::BoneId;
use crate::session::{SceneObject, Session};
use crate::sim::{ColliderShape, Contact, ConvexHull, JointSetup};
use crate::stage::overlay::{self, PanelRect};
use crate::stage::{CameraView, distance_to_segment};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, size, stroke};
use crate::ui::{Highlight, OutlinerTab, UiContext};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Colliders that nothing selected looks at: while the list of colliders is open, and otherwise.
const UNUSED_STRENGTH_LISTED: f32 = 0.6;
const UNUSED_STRENGTH: f32 = 0.22;
/// Points of the strokes that mark the wall of a room.
const WALL_MARK_LENGTH: f32 = 7.0;
/// Points of a panel's arrow.
const NORMAL_ARROW_LENGTH: f32 = 62.0;

/// A collider as it stands now.
#[derive(Clone, Debug)]
pub(super) struct ColliderView {
    pub id: ColliderId,
    /// Its place in the system's list, by which joints speak of it.
    pub index: u32,
    /// Of its node.
    pub frame: Frame,
    pub geometry: ColliderGeometry,
    pub shape: ColliderShape,
    /// Neither switched off nor linked to a mesh that is.
    pub is_on: bool,
}

impl ColliderView {
    /// Pixels from a place to its outline.
    pub(super) fn distance(&self, shot: &CameraView, at: Vec2) -> Option<f32> {
        let outline = self.geometry.outline(shot)?;
        let next = outline.iter().cycle().skip(1);
        outline.iter().zip(next).map(|(a, b)| distance_to_segment(at, *a, *b)).min_by(f32::total_cmp)
    }
}

/// All colliders that are there.
pub(super) fn collider_views(session: &Session) -> Vec<ColliderView> {
    // Every system has all of them at the same places.
    let Some(system) = session.resolved().systems.first() else { return Vec::new() };
    let found = session.resolved().collider_indices.iter().filter_map(|(id, place)| {
        let setup = system.colliders.get(*place as usize)?;
        let frame = *session.playback().displayed_pose().frames.get(setup.bone.index())?;
        let hull = hull_of(session, *id).map(|hull| ColliderGeometry::hull(&frame, hull));
        let body = hull.unwrap_or_else(|| ColliderGeometry::new(&frame, setup.shape));
        let is_on = setup.enabled && setup.renderer_on;
        Some(ColliderView { id: *id, index: *place, frame, geometry: body, shape: setup.shape, is_on })
    });
    found.collect()
}

/// The convex mesh that stands in place of a collider's shape under any solver that has such; that of the tuned system first.
fn hull_of(session: &Session, id: ColliderId) -> Option<&ConvexHull> {
    let systems = session.document().systems.values();
    std::iter::once(session.inspection().system()).chain(systems).find_map(|system| system.component_lists.hull(id))
}

/// The deepest contact of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ui) struct DeepestContact {
    /// Metres that a tip is inside.
    pub depth: f32,
    /// Whose tip.
    pub bone: BoneId,
    /// Inside of what.
    pub collider: ColliderId,
}

/// Where a tip is deepest inside a collider that should hold it, at least a twentieth of a millimetre.
pub(in crate::ui) fn deepest_contact(session: &Session) -> Option<DeepestContact> {
    let world = session.playback().world();
    let depths = world.contacts().into_iter().filter(|c| c.depth > 5e-5);
    let named = depths.filter_map(|contact| {
        let place = contact.collider?;
        let (collider, _) = session.resolved().collider_indices.iter().find(|(_, at)| **at == place)?;
        Some(DeepestContact { depth: contact.depth, bone: world.joint_bone(contact.joint)?, collider: *collider })
    });
    named.max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// What colliders are drawn from.
pub(super) struct ColliderOverlay<'a> {
    pub painter: &'a OverlayPainter<'a>,
    pub view: &'a CameraView,
    pub pickables: &'a Pickables,
    pub colliders: &'a [ColliderView],
}

/// How one is drawn.
#[derive(Clone, Copy)]
struct ColliderStyle {
    /// 1 for what the selection looks at.
    strength: f32,
    is_selected: bool,
    contact: Option<Contact>,
}

impl ColliderOverlay<'_> {
    /// Draws what the toggles ask for; what is selected in any case. Returns whether a contact was drawn.
    pub(super) fn show(&self, cx: &UiContext<'_>) -> bool {
        let mut touches = false;
        let session = cx.session();
        let contacts = session.playback().world().contacts();
        let toggles = cx.state.prefs.toggles;
        let joints = || session.resolved().systems.iter().flat_map(|system| &system.joints);
        let faint =
            if cx.state.outliner_tab == OutlinerTab::Colliders { UNUSED_STRENGTH_LISTED } else { UNUSED_STRENGTH };
        let items = &session.selection().objects;
        let is_chosen =
            |id| items.contains(&SceneObject::Collider(id)) || cx.state.highlight == Some(Highlight::Collider(id));
        let selected = |joint: &JointSetup| self.pickables.joint(joint.bone).filter(|j| j.selected);
        let any = self.pickables.joints.iter().any(|j| j.selected);
        let used: BTreeSet<u32> =
            joints().filter(|j| selected(j).is_some()).flat_map(|j| j.colliders.iter().copied()).collect();
        let mut solids: Vec<&ColliderView> = self.colliders.iter().collect();
        // What is chosen lies on top.
        solids.sort_by_key(|s| is_chosen(s.id));
        for solid in solids {
            let chosen = is_chosen(solid.id);
            let in_use = used.contains(&solid.index);
            let is_left_out = toggles.selected_colliders_only || (toggles.selected_only && !in_use);
            if !chosen && (!toggles.colliders || is_left_out) {
                continue;
            }
            // With nothing selected contacts come and go everywhere: only what is tuned lights up.
            let judged = joints().filter(|j| j.colliders.contains(&solid.index));
            let judged = judged.filter_map(|j| if chosen && !any { self.pickables.joint(j.bone) } else { selected(j) });
            let touch = solid.is_on.then(|| deepest_contact_with(session, &contacts, solid, judged)).flatten();
            let strength = match (in_use, solid.is_on) {
                (_, false) => UNUSED_STRENGTH,
                (true, true) => 1.0,
                (false, true) => faint,
            };
            self.paint_collider(solid, ColliderStyle { strength, is_selected: chosen, contact: touch });
            touches |= touch.is_some_and(|touch| self.view.project(touch.point).is_some());
        }
        touches
    }

    fn paint_collider(&self, solid: &ColliderView, look: ColliderStyle) {
        let c = self.painter.theme.color;
        let color = if look.is_selected { c.accent } else { c.collision };
        let in_use = look.strength >= 1.0;
        let (line, fill, width) = match (look.is_selected, look.contact, in_use) {
            (true, ..) => (1.0, alpha::COLLIDER_FILL_TOUCHING, stroke::COLLIDER_SELECTED),
            (_, Some(_), _) => (0.95, alpha::COLLIDER_FILL_TOUCHING, stroke::COLLIDER_SELECTED),
            // Half the filling: a head and its neighbours lie over each other.
            (_, None, true) => (alpha::COLLIDER_LINE, alpha::COLLIDER_FILL * 0.5, stroke::COLLIDER),
            (_, None, false) => (alpha::COLLIDER_LINE * look.strength, 0.0, stroke::HAIRLINE),
        };
        let ink = faded(color, line);
        let inner = faded(color, line * if look.is_selected { 0.55 } else { 0.4 });
        let room = solid.shape.is_inside();
        let outline = solid.geometry.outline(self.view);
        if let Some(outline) = &outline {
            let fill = if room { Color32::TRANSPARENT } else { faded(color, fill) };
            if matches!(solid.geometry, ColliderGeometry::Plane(_)) {
                // It goes on without end.
                let closed: Vec<Vec2> = outline.iter().chain(outline.first()).copied().collect();
                self.painter.dashed_line(&closed, width, ink);
            } else if look.is_selected || look.contact.is_some() {
                // Only contacts and what is chosen wear a halo: on a pale body the coats of many shapes would be a grey
                // smear.
                self.painter.area(outline, width, ink, fill);
            } else {
                self.painter.plain_area(outline, width, ink, fill);
            }
            if room {
                self.paint_wall_marks(outline, ink);
            }
        }
        match &solid.geometry {
            ColliderGeometry::Panel(plate) | ColliderGeometry::Plane(plate) => {
                self.paint_panel(plate, (ink, inner, width), in_use || look.is_selected);
            }
            body if in_use || look.is_selected || room => {
                let up = solid.frame.linear().y_axis.normalize_or(Vec3::Y);
                // From within a room there is no outline to see.
                let whole = room
                    || look.is_selected && matches!(solid.shape, ColliderShape::Capsule { inside: false, .. })
                    || outline.is_none();
                for curve in body.inner_lines(self.view, up, whole) {
                    self.painter.plain_line(&curve, 1.0, if outline.is_none() { ink } else { inner });
                }
            }
            _ => {}
        }
        if let Some(touch) = look.contact {
            self.paint_contact(touch);
        }
    }

    /// Short strokes outwards from the outline of a room: there it is solid.
    fn paint_wall_marks(&self, outline: &[Vec2], ink: Color32) {
        let middle = outline.iter().sum::<Vec2>() / outline.len().max(1) as f32;
        let every = (outline.len() / 16).max(1);
        for at in outline.iter().step_by(every) {
            let out = (*at - middle).normalize_or_zero() * WALL_MARK_LENGTH;
            self.painter.plain_line(&[*at, *at + out], 1.0, ink);
        }
    }

    /// The marks of the solid side, and the arrow to where a plate pushes.
    fn paint_panel(&self, plate: &PanelRect, (ink, inner, width): (Color32, Color32, f32), with_arrow: bool) {
        let reach = self.view.metres_per_pixel(plate.frame.position) * NORMAL_ARROW_LENGTH;
        let Some(seen) = overlay::panel_shape(self.view, plate, reach) else { return };
        for stroke in &seen.hatching {
            self.painter.plain_line(stroke, 1.0, ink);
        }
        // From behind one looks at the solid side: it is crossed out.
        if (self.view.eye - plate.frame.position).dot(plate.normal()) < 0.0 {
            let [a, b, c, d] = seen.outline;
            self.painter.plain_line(&[a, c], 1.0, inner);
            self.painter.plain_line(&[b, d], 1.0, inner);
        }
        if with_arrow && seen.normal[0].distance(seen.normal[1]) > 4.0 {
            self.painter.line(&seen.normal, width.min(stroke::FAN_EDGE), ink);
            self.painter.area(&overlay::arrow_head(seen.normal), 0.5, ink, ink);
        }
    }

    fn paint_contact(&self, touch: Contact) {
        let color = self.painter.theme.color.collision;
        let Some(at) = self.view.project(touch.point) else { return };
        self.painter.dot(at.pixel, size::HANDLE, faded(color, alpha::CONTACT_FILL), Stroke::new(1.5, color));
        let millimetres = touch.depth.max(0.0) * 1000.0;
        if millimetres >= 0.05 {
            let words = format!("{millimetres:.1} mm");
            self.painter.text(at.pixel + Vec2::new(-13.0, 0.0), Align2::RIGHT_CENTER, &words, color);
        }
    }
}

/// The deepest contact of these joints with a solid, as the solver sees it.
fn deepest_contact_with<'j>(
    session: &Session,
    contacts: &[Contact],
    solid: &ColliderView,
    joints: impl Iterator<Item = &'j PickableJoint>,
) -> Option<Contact> {
    let judged: BTreeSet<_> = joints.filter_map(|joint| session.playback().joint_index(joint.bone)).collect();
    let mine = contacts.iter().filter(|c| c.collider == Some(solid.index) && judged.contains(&c.joint));
    mine.copied().max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// Half the extent that is drawn of an endless plane, metres.
const PLANE_HALF_SIZE: f32 = 0.4;

/// What a collider is made of.
#[derive(Clone, Debug)]
pub(super) enum ColliderGeometry {
    /// A ball or a rod, thicker at one end perhaps: the centres of its caps and their radii, metres in the world.
    RoundCapsule { ends: [Vec3; 2], radii: [f32; 2] },
    /// A rod with flat ends.
    Cylinder { ends: [Vec3; 2], radius: f32 },
    /// A cuboid by its corners; bits of the position are x, y and z.
    Cuboid([Vec3; 8]),
    /// A convex mesh: its corners, and its edges by positions among them.
    Hull { corners: Vec<Vec3>, edges: Arc<[[u32; 2]]> },
    /// A plate.
    Panel(PanelRect),
    /// An endless plane, as a plate.
    Plane(PanelRect),
}

impl ColliderGeometry {
    /// A shape on a node that stands so.
    pub(super) fn new(frame: &Frame, shape: ColliderShape) -> Self {
        let linear = frame.linear();
        let scale = linear.x_axis.length().max(linear.z_axis.length());
        let from = frame.position;
        let up = |height: f32| frame.transform_point(Vec3::Y * height);
        match shape {
            ColliderShape::Sphere { radius, .. } => Self::RoundCapsule { ends: [from; 2], radii: [radius * scale; 2] },
            ColliderShape::Capsule { radius, height, .. } => {
                Self::RoundCapsule { ends: [from, up(height)], radii: [radius * scale; 2] }
            }
            ColliderShape::TaperedCapsule { radius, tail_radius, height, .. } => {
                Self::RoundCapsule { ends: [from, up(height)], radii: [radius * scale, tail_radius * scale] }
            }
            ColliderShape::Cylinder { radius, height, .. } => {
                Self::Cylinder { ends: [up(-0.5 * height), up(0.5 * height)], radius: radius * scale }
            }
            ColliderShape::Box { width, height, depth, .. } => {
                let half = Vec3::new(width, height, depth) * 0.5;
                let side = |i: usize, bit: usize| if i >> bit & 1 == 0 { -half[bit] } else { half[bit] };
                Self::Cuboid(std::array::from_fn(|i| {
                    frame.transform_point(Vec3::new(side(i, 0), side(i, 1), side(i, 2)))
                }))
            }
            ColliderShape::Panel { width, height } => {
                Self::Panel(PanelRect { frame: *frame, half_size: [width * 0.5, height * 0.5] })
            }
            ColliderShape::Plane => Self::Plane(PanelRect { frame: *frame, half_size: [PLANE_HALF_SIZE; 2] }),
        }
    }

    /// A convex mesh on a node that stands so.
    pub(super) fn hull(frame: &Frame, hull: &ConvexHull) -> Self {
        let corners = hull.points().iter().map(|point| frame.transform_point(*point)).collect();
        Self::Hull { corners, edges: hull.edges().clone() }
    }

    /// Its outline on the picture; `None` where it lies behind the eye, or the eye is in it.
    pub(super) fn outline(&self, shot: &CameraView) -> Option<Vec<Vec2>> {
        match self {
            Self::RoundCapsule { ends: [from, to], radii } if from.distance(*to) < radii[0].max(radii[1]) * 1e-3 => {
                overlay::sphere_outline(shot, *from, radii[0].max(radii[1]))
            }
            Self::RoundCapsule { ends, radii } => overlay::tapered_capsule_outline(shot, *ends, *radii),
            Self::Cylinder { ends, radius } => overlay::cylinder_outline(shot, *ends, *radius),
            Self::Cuboid(corners) => overlay::convex_outline(shot, corners),
            Self::Hull { corners, .. } => overlay::convex_outline(shot, corners),
            Self::Panel(plate) | Self::Plane(plate) => {
                overlay::panel_shape(shot, plate, 0.0).map(|seen| seen.outline.to_vec())
            }
        }
    }

    /// Lines that show its form inside the outline: equators, ends, edges. `whole` gives all of them.
    pub(super) fn inner_lines(&self, shot: &CameraView, up: Vec3, whole: bool) -> Vec<Vec<Vec2>> {
        let closed = |mut line: Vec<Vec2>| {
            line.extend(line.first().copied());
            line
        };
        let circle =
            |at: Vec3, normal: Vec3, radius: f32| overlay::circle_outline(shot, at, normal, radius).map(closed);
        match self {
            Self::RoundCapsule { ends: [from, to], radii } if from == to && whole => {
                let axes = [up, up.any_orthogonal_vector(), up.cross(up.any_orthogonal_vector())];
                axes.into_iter().filter_map(|axis| circle(*from, axis, radii[0])).collect()
            }
            Self::RoundCapsule { ends: [from, to], radii } if whole && from != to => {
                [(*from, radii[0]), (*to, radii[1])].into_iter().filter_map(|(at, r)| circle(at, up, r)).collect()
            }
            Self::RoundCapsule { ends: [from, to], radii } => {
                circle((*from + *to) * 0.5, up, 0.5 * (radii[0] + radii[1])).into_iter().collect()
            }
            Self::Cylinder { ends, radius } => ends.iter().filter_map(|at| circle(*at, up, *radius)).collect(),
            Self::Cuboid(corners) => {
                let edges = (0..8_usize).flat_map(|i| [1, 2, 4].map(|bit| (i, i | bit))).filter(|(a, b)| a != b);
                edges.filter_map(|(a, b)| overlay::project_all(shot, [corners[a], corners[b]])).collect()
            }
            Self::Hull { corners, edges } => {
                let line = |[a, b]: &[u32; 2]| [corners[*a as usize], corners[*b as usize]];
                edges.iter().filter_map(|edge| overlay::project_all(shot, line(edge))).collect()
            }
            Self::Panel(_) | Self::Plane(_) => Vec::new(),
        }
    }
}
