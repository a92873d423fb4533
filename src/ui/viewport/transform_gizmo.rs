//! The gizmo of the selected collider, force or helper: centre, arrows, rings, and dots for sizes.

use super::gizmo::{Gizmo, PickLayer};
use super::handle::{
    Handle, HandleDrag, HandleId, HandleKind, HandleTarget, LINE_PICK_DISTANCE, all_rounded_to, axis_colors, rounded_to,
};
use super::objects::{ColliderGeometry, ColliderView};
use super::overlay_painter::OverlayPainter;
use super::tools::ViewportTool;
use crate::stage::CameraView;
use crate::stage::overlay::project_all;
use crate::ui::UiContext;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{Palette, alpha, stroke};
use egui::Color32;
use glam::{Quat, Vec2, Vec3};
use yuremono_model::document::{Edit, EditLabel, Node};
use yuremono_model::tools::{elements, elements::ElementId};
use yuremono_session::{Command, SceneObject, Session};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Frame, Trs};

/// Length of an arrow, and width of the gap around the centre, in points.
const ARROW_LENGTH: f32 = 44.0;
const ARROW_START: f32 = 12.0;
/// Radius of a ring, in points.
const RING_RADIUS: f32 = 58.0;
/// Grids while Ctrl is held: position and size in metres, rotation in degrees.
const SNAP_POSITION: f32 = 0.01;
const SNAP_SIZE: f32 = 0.005;
const SNAP_DEGREES: f32 = 15.0;

#[derive(Debug, Default)]
pub(super) struct TransformGizmo {
    handles: Vec<Handle>,
}

impl TransformGizmo {
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, tool: ViewportTool, colliders: &[ColliderView]) -> Self {
        let session = cx.session();
        let mut gizmo = Self::default();
        let Some(item) = session.selection().active_object else { return gizmo };
        let Some(frame) = frame_of(session, item) else { return gizmo };
        let c = cx.theme.color;
        if let SceneObject::Collider(id) = item
            && let Some(collider) = colliders.iter().find(|s| s.id == id)
        {
            gizmo.add_size_handles(view, collider, c);
        }
        // An object attached directly to a bone has no transform of its own.
        if item.element_id().helper(session.document()).is_some()
            && let Some(centre) = view.project(frame.position)
        {
            let id = HandleId::object(item, HandleKind::Move);
            gizmo.handles.push(Handle::dot(id, frame.position, centre.pixel, c.accent));
            gizmo.add_axis_handles(view, item, &frame, tool, c);
        }
        gizmo
    }

    fn add_size_handles(&mut self, view: &CameraView, collider: &ColliderView, c: &Palette) {
        let frame = &collider.frame;
        let linear = frame.linear();
        let mut put = |field: usize, position: Vec3, axis: Vec3, gain: f32| {
            if let Some(seen) = view.project(position)
                && gain > 1e-9
            {
                let id = HandleId::object(SceneObject::Collider(collider.id), HandleKind::Field(field));
                let dot = Handle::dot(id, position, seen.pixel, c.collision);
                self.handles.push(Handle { axis, metres_per_unit: gain, ..dot });
            }
        };
        let up = linear.y_axis.normalize_or(Vec3::Y);
        // Use a direction perpendicular to the axis, so that the handle is on the outline.
        let side = up.cross(view.forward).try_normalize().unwrap_or(view.right);
        let side = if side.dot(view.right) < 0.0 { -side } else { side };
        let gain = |seen: f32, radius: f32| if radius > 0.0 { seen / radius } else { linear.x_axis.length() };
        match (&collider.geometry, collider.shape) {
            (ColliderGeometry::RoundCapsule { ends, radii }, ColliderShape::Sphere { radius, .. }) => {
                put(0, ends[0] + view.right * radii[0], view.right, gain(radii[0], radius));
            }
            (ColliderGeometry::RoundCapsule { ends: [from, to], radii }, ColliderShape::Capsule { radius, .. }) => {
                put(0, (*from + *to) * 0.5 + side * radii[0], side, gain(radii[0], radius));
                put(1, *to, up, linear.y_axis.length());
            }
            (
                ColliderGeometry::RoundCapsule { ends: [from, to], radii },
                ColliderShape::TaperedCapsule { radius, tail_radius, .. },
            ) => {
                put(0, *from + side * radii[0], side, gain(radii[0], radius));
                put(1, *to + side * radii[1], side, gain(radii[1], tail_radius));
                put(2, *to, up, linear.y_axis.length());
            }
            (ColliderGeometry::Panel(panel), _) => {
                let [x, y] = panel.half_size;
                let right = linear.x_axis.normalize_or(Vec3::X);
                // Each edge moves by half the change.
                put(0, frame.transform_point(Vec3::X * x), right, linear.x_axis.length() * 0.5);
                put(1, frame.transform_point(Vec3::Y * y), up, linear.y_axis.length() * 0.5);
            }
            _ => {}
        }
    }

    /// Adds the arrows and rings of a node.
    fn add_axis_handles(
        &mut self,
        view: &CameraView,
        item: SceneObject,
        frame: &Frame,
        tool: ViewportTool,
        c: &Palette,
    ) {
        let rotates = tool == ViewportTool::Rotate || !matches!(item, SceneObject::Collider(_));
        let position = frame.position;
        let point = view.metres_per_pixel(position);
        for (i, color) in axis_colors(c).into_iter().enumerate() {
            let axis = frame.rotation * Vec3::AXES[i];
            let mut put = |kind: HandleKind, line: Vec<Vec2>, color: Color32| {
                let dot = Handle::dot(HandleId::object(item, kind), position, Vec2::ZERO, color);
                self.handles.push(Handle { axis, line, pick_distance: LINE_PICK_DISTANCE, is_minor: true, ..dot });
            };
            let ends = [ARROW_START, ARROW_LENGTH].map(|length| position + axis * point * length);
            if tool != ViewportTool::Rotate
                && let Some(line) = project_all(view, ends)
                && line[0].distance(line[1]) > LINE_PICK_DISTANCE
            {
                put(HandleKind::MoveAlong(i), line, color);
            }
            if rotates && let Some(line) = axis_ring(view, position, axis, point * RING_RADIUS) {
                put(HandleKind::Rotate(i), line, faded(color, alpha::HANDLE_IDLE));
            }
        }
    }
}

impl Gizmo for TransformGizmo {
    fn layer(&self) -> PickLayer {
        PickLayer::Object
    }

    fn handles(&self) -> &[Handle] {
        &self.handles
    }

    fn start_drag(&self, id: HandleId, session: &Session, _: &CameraView, at: Vec2) -> Option<HandleDrag> {
        let mut drag = HandleDrag::new(self.handle(id)?.clone(), at);
        let HandleTarget::Object(item) = id.target else { return None };
        if let HandleKind::Field(field) = id.kind {
            drag.handle.value.x = shape_of(session, item)?.field(field);
        } else {
            let (_, helper) = item.element_id().helper(session.document())?;
            drag.handle.value = helper.local.translation;
            drag.handle.rotation = helper.local.rotation;
        }
        Some(drag)
    }

    fn drag(&self, drag: &mut HandleDrag, session: &Session, view: &CameraView) -> Option<Command> {
        let HandleId { target: HandleTarget::Object(item), kind } = drag.handle.id else { return None };
        let name = item.element_id().name(session.document(), &session.character().skeleton);
        let (edit, text) = match kind {
            HandleKind::Field(field) => (resized(drag, session, view, field)?, message!("Size of {name}", name)),
            HandleKind::Rotate(_) => {
                drag.turn(view);
                (rotated(drag, session, item)?, message!("Rotate {name}", name))
            }
            _ => (moved(drag, session, view, item)?, message!("Move {name}", name)),
        };
        Some(Command::ApplyEdit(edit, EditLabel::new(text)))
    }

    fn tag_text(&self, drag: &HandleDrag, session: &Session) -> Option<String> {
        let HandleId { target: HandleTarget::Object(item), kind } = drag.handle.id else { return None };
        let metres = match kind {
            HandleKind::Field(field) => shape_of(session, item)?.field(field),
            HandleKind::Rotate(_) => return Some(format!("{:.1}°", drag.degrees)),
            _ => item.element_id().helper(session.document())?.1.local.translation.distance(drag.handle.value),
        };
        Some(format!("{:.1} mm", metres * 1000.0))
    }
}

fn shape_of(session: &Session, item: SceneObject) -> Option<ColliderShape> {
    let SceneObject::Collider(id) = item else { return None };
    Some(session.document().colliders.get(&id)?.shape)
}

/// Returns the displayed frame of an object's node in the world.
pub(super) fn frame_of(session: &Session, item: SceneObject) -> Option<Frame> {
    node_frame(session, item.element_id().node(session.document())?)
}

fn node_frame(session: &Session, node: Node) -> Option<Frame> {
    let bone = match node {
        Node::Bone(bone) => bone,
        node @ Node::Helper(_) => *session.resolved().node_bones.get(&node)?,
    };
    session.playback().displayed_pose().frames.get(bone.index()).copied()
}

/// Returns the near half of a circle around an axis. Half circles keep the three rings readable.
fn axis_ring(view: &CameraView, at: Vec3, axis: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let sight = (at - view.eye).try_normalize()?;
    let near = -(sight - axis * axis.dot(sight));
    // If the view direction is along the axis, draw the whole circle.
    let (start, span) = match near.try_normalize() {
        Some(near) if sight.dot(axis).abs() < 0.95 => (near, std::f32::consts::FRAC_PI_2),
        _ => (axis.any_orthonormal_vector(), std::f32::consts::PI),
    };
    let points = (-24_i16..=24).map(|i| {
        let turn = Quat::from_axis_angle(axis, f32::from(i) / 24.0 * span);
        at + turn * start * radius
    });
    project_all(view, points)
}

fn resized(drag: &HandleDrag, session: &Session, view: &CameraView, field: usize) -> Option<Edit> {
    let HandleTarget::Object(SceneObject::Collider(id)) = drag.handle.id.target else { return None };
    let value = rounded_to(drag.handle.value.x + drag.moved_along(view)?, drag.keys.step(SNAP_SIZE, 1e-4)).max(0.0);
    let now = session.document().colliders.get(&id)?.shape;
    (now.field(field) != value).then(|| elements::set_shape(session.document(), id, now.with_field(field, value)))
}

fn moved(drag: &HandleDrag, session: &Session, view: &CameraView, item: SceneObject) -> Option<Edit> {
    let (_, helper) = item.element_id().helper(session.document())?;
    let parent = node_frame(session, helper.parent)?;
    let inside = parent.inverse_transform_point(parent.position + drag.moved(view));
    let start = drag.handle.value;
    let step = drag.keys.step(SNAP_POSITION, 1e-4);
    let translation = match drag.handle.id.kind {
        // A movement along an axis rounds only the length along that axis.
        HandleKind::MoveAlong(_) if drag.keys.snap => {
            start + inside.normalize_or_zero() * rounded_to(inside.length(), step)
        }
        HandleKind::MoveAlong(_) => start + inside,
        _ => all_rounded_to(start + inside, step),
    };
    set_local(session, item, Trs { translation, ..helper.local })
}

fn rotated(drag: &HandleDrag, session: &Session, item: SceneObject) -> Option<Edit> {
    let (_, helper) = item.element_id().helper(session.document())?;
    let parent = node_frame(session, helper.parent)?.rotation;
    let angle = rounded_to(drag.degrees, drag.keys.step(SNAP_DEGREES, 0.1)).to_radians();
    let turn = Quat::from_axis_angle(drag.handle.axis, angle);
    let rotation = (parent.inverse() * turn * parent * drag.handle.rotation).normalize();
    set_local(session, item, Trs { rotation, ..helper.local })
}

/// Returns the edit that moves the node of an object. Returns `None` if the node is there already.
fn set_local(session: &Session, item: SceneObject, local: Trs) -> Option<Edit> {
    let (id, helper) = item.element_id().helper(session.document())?;
    let is_near = local.translation.distance(helper.local.translation) < 1e-6
        && local.rotation.dot(helper.local.rotation).abs() > 1.0 - 1e-9;
    (!is_near).then(|| elements::set_local(session.document(), id, local))
}

/// Draws small axes at selected helpers that are not active.
pub(super) fn show_axes(overlay: &OverlayPainter<'_>, view: &CameraView, session: &Session) {
    let c = overlay.theme.color;
    let selection = session.selection();
    let helpers = selection
        .objects
        .iter()
        .filter(|i| matches!(i, SceneObject::Helper(_)) && selection.active_object != Some(**i));
    for frame in helpers.filter_map(|item| frame_of(session, *item)) {
        let length = view.metres_per_pixel(frame.position) * ARROW_LENGTH * 0.6;
        for (axis, color) in Vec3::AXES.into_iter().zip(axis_colors(c)) {
            let end = frame.position + frame.rotation * axis * length;
            if let Some(line) = project_all(view, [frame.position, end]) {
                overlay.line(&line, stroke::FAN_EDGE, color);
            }
        }
    }
}

/// Returns the label of an edit that deletes objects. `first` is the name of the first object.
pub(in crate::ui) fn deleted_objects_label(count: usize, first: &str) -> EditLabel {
    EditLabel::new(match count {
        1 => message!("Delete {name}", name = first),
        n => message!("Delete {n:object|objects}", n),
    })
}

/// Returns the edit that deletes all selected objects.
pub(in crate::ui) fn delete_selection(session: &Session) -> Option<(Edit, EditLabel)> {
    let chosen: Vec<ElementId> = session.selection().objects.iter().map(|item| item.element_id()).collect();
    let first = chosen.first()?;
    let name = first.name(session.document(), &session.character().skeleton);
    let edit = elements::remove_elements(session.document(), &chosen);
    Some((edit, deleted_objects_label(chosen.len(), &name)))
}
