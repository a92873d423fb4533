//! Colliders and forces in world space: shapes, contacts and drawing. The arrow of a wind force swings with the wind.

use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::stage::overlay::{self, PanelRect, arrow_head};
use crate::stage::{CameraView, distance_to_segment};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, size, stroke};
use crate::ui::{Highlight, OutlinerTab, UiContext};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono_model::document::{ColliderId, ForceId};
use yuremono_session::{SceneObject, Session};
use yuremono_sim::math::Frame;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ColliderShape, Contact, ConvexHull, ForceKind, JointSetup};

/// Opacities of unrelated colliders while the collider list is open, and while it is closed.
const UNRELATED_OPACITY_IN_COLLIDER_LIST: f32 = 0.6;
const UNRELATED_OPACITY: f32 = 0.22;
/// Length of the marks along the wall of an inside collider, in points.
const WALL_MARK_LENGTH: f32 = 7.0;
/// Length of the arrow of a panel, in points.
const NORMAL_ARROW_LENGTH: f32 = 62.0;

#[derive(Clone, Debug)]
pub(super) struct ColliderView {
    pub id: ColliderId,
    /// The index in the system's collider list. Joints refer to colliders by this index.
    pub index: u32,
    /// Frame of the node in the world.
    pub frame: Frame,
    pub geometry: ColliderGeometry,
    pub shape: ColliderShape,
    /// Whether the collider is enabled and is not linked to a hidden mesh.
    pub is_on: bool,
}

impl ColliderView {
    /// Returns the distance to the outline, in pixels.
    pub(super) fn distance(&self, view: &CameraView, at: Vec2) -> Option<f32> {
        let outline = self.geometry.outline(view)?;
        let next = outline.iter().cycle().skip(1);
        outline.iter().zip(next).map(|(a, b)| distance_to_segment(at, *a, *b)).min_by(f32::total_cmp)
    }
}

pub(super) fn collider_views(session: &Session) -> Vec<ColliderView> {
    // All systems have the same colliders.
    let Some(system) = session.resolved().systems.first() else { return Vec::new() };
    let found = session.resolved().collider_indices.iter().filter_map(|(id, index)| {
        let setup = system.colliders.get(*index as usize)?;
        let frame = *session.playback().displayed_pose().frames.get(setup.bone.index())?;
        let hull = hull_of(session, *id).map(|hull| ColliderGeometry::hull(&frame, hull));
        let body = hull.unwrap_or_else(|| ColliderGeometry::new(&frame, setup.shape));
        let is_on = setup.enabled && setup.renderer_on;
        Some(ColliderView { id: *id, index: *index, frame, geometry: body, shape: setup.shape, is_on })
    });
    found.collect()
}

/// Returns the convex hull that replaces the collider's shape in a system, preferably in the tuned system.
fn hull_of(session: &Session, id: ColliderId) -> Option<&ConvexHull> {
    let systems = session.document().systems.values();
    std::iter::once(session.inspection().system()).chain(systems).find_map(|system| system.component_lists.hull(id))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ui) struct DeepestContact {
    /// Penetration depth, in metres.
    pub depth: f32,
    /// The bone whose tip penetrates the collider.
    pub bone: BoneId,
    pub collider: ColliderId,
}

/// Returns the deepest of some contacts of tips with colliders. Penetrations below 0.05 mm are ignored.
pub(in crate::ui) fn deepest_contact(session: &Session, contacts: Vec<Contact>) -> Option<DeepestContact> {
    let world = session.playback().world();
    let depths = contacts.into_iter().filter(|c| c.depth > 5e-5);
    let named = depths.filter_map(|contact| {
        let index = contact.collider?;
        let (collider, _) = session.resolved().collider_indices.iter().find(|(_, at)| **at == index)?;
        Some(DeepestContact { depth: contact.depth, bone: world.joint_bone(contact.joint)?, collider: *collider })
    });
    named.max_by(|a, b| a.depth.total_cmp(&b.depth))
}

pub(super) struct ColliderOverlay<'a> {
    pub painter: &'a OverlayPainter<'a>,
    pub view: &'a CameraView,
    pub pickables: &'a Pickables,
    pub colliders: &'a [ColliderView],
}

#[derive(Clone, Copy)]
struct ColliderStyle {
    /// Opacity; 1 for colliders in the selection.
    strength: f32,
    is_selected: bool,
    contact: Option<Contact>,
}

impl ColliderOverlay<'_> {
    /// Draws the selected colliders and those that the toggles enable. Returns whether a contact was drawn.
    pub(super) fn show(&self, cx: &UiContext<'_>) -> bool {
        let mut touches = false;
        let session = cx.session();
        let contacts = session.playback().displayed_contacts().unwrap_or_default();
        let toggles = cx.state.prefs.toggles;
        let joints = || session.resolved().systems.iter().flat_map(|system| &system.joints);
        let faint = if cx.state.outliner_tab == OutlinerTab::Colliders {
            UNRELATED_OPACITY_IN_COLLIDER_LIST
        } else {
            UNRELATED_OPACITY
        };
        let items = &session.selection().objects;
        let is_chosen =
            |id| items.contains(&SceneObject::Collider(id)) || cx.state.highlight == Some(Highlight::Collider(id));
        let selected = |joint: &JointSetup| self.pickables.joint(joint.bone).filter(|j| j.selected);
        let any = self.pickables.joints.iter().any(|j| j.selected);
        let used: BTreeSet<u32> =
            joints().filter(|j| selected(j).is_some()).flat_map(|j| j.colliders.iter().copied()).collect();
        let mut colliders: Vec<&ColliderView> = self.colliders.iter().collect();
        // Selected colliders are drawn on top of the other colliders.
        colliders.sort_by_key(|s| is_chosen(s.id));
        for collider in colliders {
            let chosen = is_chosen(collider.id);
            let in_use = used.contains(&collider.index);
            let is_left_out = toggles.selected_colliders_only || (toggles.selected_only && !in_use);
            if !chosen && (!toggles.colliders || is_left_out) {
                continue;
            }
            // Without a selection, only contacts of the tuned joints are drawn, because the contacts of all joints
            // would flicker.
            let judged = joints().filter(|j| j.colliders.contains(&collider.index));
            let judged = judged.filter_map(|j| if chosen && !any { self.pickables.joint(j.bone) } else { selected(j) });
            let touch = collider.is_on.then(|| deepest_contact_with(session, &contacts, collider, judged)).flatten();
            let strength = match (in_use, collider.is_on) {
                (_, false) => UNRELATED_OPACITY,
                (true, true) => 1.0,
                (false, true) => faint,
            };
            self.paint_collider(collider, ColliderStyle { strength, is_selected: chosen, contact: touch });
            touches |= touch.is_some_and(|touch| self.view.project(touch.point).is_some());
        }
        touches
    }

    fn paint_collider(&self, collider: &ColliderView, style: ColliderStyle) {
        let c = self.painter.theme.color;
        let color = if style.is_selected { c.accent } else { c.collision };
        let in_use = style.strength >= 1.0;
        let (line, fill, width) = match (style.is_selected, style.contact, in_use) {
            (true, ..) => (1.0, alpha::COLLIDER_FILL_TOUCHING, stroke::COLLIDER_SELECTED),
            (_, Some(_), _) => (0.95, alpha::COLLIDER_FILL_TOUCHING, stroke::COLLIDER_SELECTED),
            // Use half the opacity, because adjacent colliders overlap.
            (_, None, true) => (alpha::COLLIDER_LINE, alpha::COLLIDER_FILL * 0.5, stroke::COLLIDER),
            (_, None, false) => (alpha::COLLIDER_LINE * style.strength, 0.0, stroke::HAIRLINE),
        };
        let line_color = faded(color, line);
        let inner = faded(color, line * if style.is_selected { 0.55 } else { 0.4 });
        let is_inside = collider.shape.is_inside();
        let outline = collider.geometry.outline(self.view);
        if let Some(outline) = &outline {
            let fill = if is_inside { Color32::TRANSPARENT } else { faded(color, fill) };
            if matches!(collider.geometry, ColliderGeometry::Plane(_)) {
                // The shape is infinite, so the shape has no fill.
                let closed: Vec<Vec2> = outline.iter().chain(outline.first()).copied().collect();
                self.painter.dashed_line(&closed, width, line_color);
            } else if style.is_selected || style.contact.is_some() {
                // Only contacts and selected colliders have a halo. Overlapping halos would look like a grey smear.
                self.painter.area(outline, width, line_color, fill);
            } else {
                self.painter.plain_area(outline, width, line_color, fill);
            }
            if is_inside {
                self.paint_wall_marks(outline, line_color);
            }
        }
        match &collider.geometry {
            ColliderGeometry::Panel(panel) | ColliderGeometry::Plane(panel) => {
                self.paint_panel(panel, Stroke::new(width, line_color), inner, in_use || style.is_selected);
            }
            body if in_use || style.is_selected || is_inside => {
                let up = collider.frame.linear().y_axis.normalize_or(Vec3::Y);
                // An inside collider has no outline if the eye is inside the collider.
                let whole = is_inside
                    || style.is_selected && matches!(collider.shape, ColliderShape::Capsule { inside: false, .. })
                    || outline.is_none();
                for curve in body.inner_lines(self.view, up, whole) {
                    self.painter.plain_line(&curve, 1.0, if outline.is_none() { line_color } else { inner });
                }
            }
            _ => {}
        }
        if let Some(touch) = style.contact {
            self.paint_contact(touch);
        }
    }

    /// Draws short strokes outwards from the outline of an inside collider. They mark the solid side.
    fn paint_wall_marks(&self, outline: &[Vec2], color: Color32) {
        let middle = outline.iter().sum::<Vec2>() / outline.len().max(1) as f32;
        let every = (outline.len() / 16).max(1);
        for at in outline.iter().step_by(every) {
            let out = (*at - middle).normalize_or_zero() * WALL_MARK_LENGTH;
            self.painter.plain_line(&[*at, *at + out], 1.0, color);
        }
    }

    /// Draws the marks on the solid side of a panel, and the arrow of the panel normal.
    fn paint_panel(&self, panel: &PanelRect, line: Stroke, inner: Color32, with_arrow: bool) {
        let reach = self.view.metres_per_pixel(panel.frame.position) * NORMAL_ARROW_LENGTH;
        let Some(seen) = overlay::panel_shape(self.view, panel, reach) else { return };
        for hatch_line in &seen.hatching {
            self.painter.plain_line(hatch_line, 1.0, line.color);
        }
        // From behind, the solid side is crossed out.
        if (self.view.eye - panel.frame.position).dot(panel.normal()) < 0.0 {
            let [a, b, c, d] = seen.outline;
            self.painter.plain_line(&[a, c], 1.0, inner);
            self.painter.plain_line(&[b, d], 1.0, inner);
        }
        if with_arrow && seen.normal[0].distance(seen.normal[1]) > 4.0 {
            self.painter.line(&seen.normal, line.width.min(stroke::FAN_EDGE), line.color);
            self.painter.area(&arrow_head(seen.normal), 0.5, line.color, line.color);
        }
    }

    fn paint_contact(&self, touch: Contact) {
        let color = self.painter.theme.color.collision;
        let Some(at) = self.view.project(touch.point) else { return };
        self.painter.dot(at.pixel, size::HANDLE, faded(color, alpha::CONTACT_FILL), Stroke::new(1.5, color));
        let millimetres = touch.depth.max(0.0) * 1000.0;
        if millimetres >= 0.05 {
            let text = format!("{millimetres:.1} mm");
            self.painter.text(at.pixel + Vec2::new(-13.0, 0.0), Align2::RIGHT_CENTER, &text, color);
        }
    }
}

/// Returns the deepest contact of the joints with a collider, as computed by the solver.
fn deepest_contact_with<'j>(
    session: &Session,
    contacts: &[Contact],
    collider: &ColliderView,
    joints: impl Iterator<Item = &'j PickableJoint>,
) -> Option<Contact> {
    let judged: BTreeSet<_> = joints.filter_map(|joint| session.playback().joint_index(joint.bone)).collect();
    let mine = contacts.iter().filter(|c| c.collider == Some(collider.index) && judged.contains(&c.joint));
    mine.copied().max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// Half of the drawn size of an infinite plane, in metres.
const PLANE_HALF_SIZE: f32 = 0.4;

#[derive(Clone, Debug)]
pub(super) enum ColliderGeometry {
    /// A sphere, or a capsule with two radii. Holds the centres and the radii of the caps in the world, in metres.
    RoundCapsule {
        ends: [Vec3; 2],
        radii: [f32; 2],
    },
    Cylinder {
        ends: [Vec3; 2],
        radius: f32,
    },
    /// The eight corners of a box. The bits of a corner index select the sides along x, y and z.
    Cuboid([Vec3; 8]),
    /// Corners, and edges as pairs of corner indices.
    Hull {
        corners: Vec<Vec3>,
        edges: Arc<[[u32; 2]]>,
    },
    Panel(PanelRect),
    /// An infinite plane, drawn as a panel.
    Plane(PanelRect),
}

impl ColliderGeometry {
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

    pub(super) fn hull(frame: &Frame, hull: &ConvexHull) -> Self {
        let corners = hull.points().iter().map(|point| frame.transform_point(*point)).collect();
        Self::Hull { corners, edges: hull.edges().clone() }
    }

    /// Returns the outline in the view. Returns `None` if the shape is behind the eye, or if the eye is inside the
    /// shape.
    pub(super) fn outline(&self, view: &CameraView) -> Option<Vec<Vec2>> {
        match self {
            Self::RoundCapsule { ends: [from, to], radii } if from.distance(*to) < radii[0].max(radii[1]) * 1e-3 => {
                overlay::sphere_outline(view, *from, radii[0].max(radii[1]))
            }
            Self::RoundCapsule { ends, radii } => overlay::tapered_capsule_outline(view, *ends, *radii),
            Self::Cylinder { ends, radius } => overlay::cylinder_outline(view, *ends, *radius),
            Self::Cuboid(corners) => overlay::convex_outline(view, corners),
            Self::Hull { corners, .. } => overlay::convex_outline(view, corners),
            Self::Panel(panel) | Self::Plane(panel) => {
                overlay::panel_shape(view, panel, 0.0).map(|seen| seen.outline.to_vec())
            }
        }
    }

    /// Returns lines inside the outline, for example equators, ends and edges. If `whole` is true, returns all lines.
    pub(super) fn inner_lines(&self, view: &CameraView, up: Vec3, whole: bool) -> Vec<Vec<Vec2>> {
        let closed = |mut line: Vec<Vec2>| {
            line.extend(line.first().copied());
            line
        };
        let circle =
            |at: Vec3, normal: Vec3, radius: f32| overlay::circle_outline(view, at, normal, radius).map(closed);
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
                edges.filter_map(|(a, b)| overlay::project_all(view, [corners[a], corners[b]])).collect()
            }
            Self::Hull { corners, edges } => {
                let line = |[a, b]: &[u32; 2]| [corners[*a as usize], corners[*b as usize]];
                edges.iter().filter_map(|edge| overlay::project_all(view, line(edge))).collect()
            }
            Self::Panel(_) | Self::Plane(_) => Vec::new(),
        }
    }
}

/// Scale from the square root of an acceleration in m/s² to an arrow length in points, and the range of the length.
const FORCE_ARROW_SCALE: f32 = 9.0;
const FORCE_ARROW_LENGTHS: [f32; 2] = [26.0, 90.0];
const SWING_POINTS: u16 = 64;
/// Opacity of forces without effect, and of unselected forces.
const INACTIVE_OPACITY: f32 = 0.35;
const UNSELECTED_OPACITY: f32 = 0.8;

#[derive(Clone, Copy, Debug)]
pub(super) struct ForceView {
    pub id: ForceId,
    /// Frame of the node in the world.
    frame: Frame,
    kind: ForceKind,
    /// Current acceleration in the world, in m/s².
    force: Vec3,
}

pub(super) fn force_views(session: &Session) -> Vec<ForceView> {
    let Some(system) = session.resolved().systems.first() else { return Vec::new() };
    let found = session.resolved().force_indices.iter().filter_map(|(id, index)| {
        let setup = system.forces.get(*index as usize)?;
        let frame = *session.playback().displayed_pose().frames.get(setup.bone.index())?;
        let force = force_after(session, *id, 0.0)?;
        Some(ForceView { id: *id, frame, kind: setup.kind, force })
    });
    found.collect()
}

/// Returns the world acceleration at the node after `later` seconds of solver time, in m/s². A disabled force has zero
/// acceleration.
fn force_after(session: &Session, id: ForceId, later: f32) -> Option<Vec3> {
    let index = *session.resolved().force_indices.get(&id)? as usize;
    let world = session.playback().world();
    let bone = session.resolved().systems.first()?.forces.get(index)?.bone;
    let at = world.frames().frames.get(bone.index())?.position;
    world.force_at_time(0, index, at, later)
}

/// Returns [`force_after`] in the space of the node. A steady force points along +Z.
pub(in crate::ui) fn force_in_node_space(session: &Session, id: ForceId, later: f32) -> Vec3 {
    let inside = || {
        let index = *session.resolved().force_indices.get(&id)? as usize;
        let bone = session.resolved().systems.first()?.forces.get(index)?.bone;
        let frame = session.playback().world().frames().frames.get(bone.index())?;
        Some(frame.rotation.inverse() * force_after(session, id, later)?)
    };
    inside().unwrap_or(Vec3::ZERO)
}

impl ForceView {
    /// Returns the node, the end of its arrow, and whether the force is nonzero. The arrow of a zero force points along
    /// +Z.
    fn arrow(&self, view: &CameraView, force: Vec3) -> Option<([Vec2; 2], bool)> {
        let acts = force.length() > 1e-3;
        let direction = if acts { force.normalize_or_zero() } else { self.frame.rotation * Vec3::Z };
        let length = if acts {
            (FORCE_ARROW_SCALE * force.length().sqrt()).clamp(FORCE_ARROW_LENGTHS[0], FORCE_ARROW_LENGTHS[1])
        } else {
            FORCE_ARROW_LENGTHS[0]
        };
        let metres = view.metres_per_pixel(self.frame.position) * length;
        let from = view.project(self.frame.position)?.pixel;
        let to = view.project(self.frame.position + direction * metres)?.pixel;
        Some(([from, to], acts))
    }

    /// Returns the distance to the arrow, in pixels.
    pub(super) fn distance(&self, view: &CameraView, at: Vec2) -> Option<f32> {
        let ([from, to], _) = self.arrow(view, self.force)?;
        Some(distance_to_segment(at, from, to))
    }
}

/// Draws selected forces, and all forces if the toggle is on.
pub(super) fn show_forces(overlay: &OverlayPainter<'_>, view: &CameraView, forces: &[ForceView], cx: &UiContext<'_>) {
    let session = cx.session();
    let toggles = cx.state.prefs.toggles;
    for force in forces {
        let chosen = session.selection().objects.contains(&SceneObject::Force(force.id));
        if !chosen && (!toggles.colliders || toggles.selected_colliders_only) {
            continue;
        }
        let Some((line, acts)) = force.arrow(view, force.force) else { continue };
        let c = overlay.theme.color;
        let color = if chosen { c.accent } else { c.wind };
        let color = faded(color, if acts { if chosen { 1.0 } else { UNSELECTED_OPACITY } } else { INACTIVE_OPACITY });
        if let (ForceKind::Wind(wind), true, true) = (force.kind, acts, chosen) {
            let path: Vec<Vec2> = (0..=SWING_POINTS)
                .filter_map(|i| {
                    let spin = if wind.spin_period.abs() > 1e-3 { wind.spin_period.abs() } else { 0.0 };
                    let later = wind.period.max(spin) * f32::from(i) / f32::from(SWING_POINTS);
                    let then = force_after(session, force.id, later)?;
                    force.arrow(view, then).map(|([_, to], _)| to)
                })
                .collect();
            overlay.line(&path, stroke::HAIRLINE, faded(c.wind, alpha::HALO));
        }
        if line[0].distance(line[1]) > 5.0 {
            overlay.line(&line, stroke::ARROW, color);
            overlay.area(&arrow_head(line), 0.5, color, color);
        }
        overlay.dot(line[0], 4.0, c.bone_halo, Stroke::new(1.5, color));
    }
}
