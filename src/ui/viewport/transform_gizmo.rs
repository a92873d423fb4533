//! Handles of the selected collider, force or helper: centre, arrows, rings, and dots for sizes. This module also
//! handles their drags; `pointer` picks the handle.

use super::handle_drag::{DragModifiers, HandleDrag, all_rounded_to, paint_handle, rounded_to};
use super::objects::ColliderGeometry;
use super::objects::ColliderView;
use super::overlay_painter::OverlayPainter;
use super::tools::ViewportTool;
use crate::stage::overlay::{arrow_head, project_all};
use crate::stage::{CameraView, DragConstraint, distance_to_segment, drag_angle_about};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
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
/// Pick distances of dots and lines, in points.
const DOT_PICK_DISTANCE: f32 = 9.0;
const LINE_PICK_DISTANCE: f32 = 6.0;
/// Grids while Ctrl is held: position and size in metres, rotation in degrees.
const SNAP_POSITION: f32 = 0.01;
const SNAP_SIZE: f32 = 0.005;
const SNAP_DEGREES: f32 = 15.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransformHandleKind {
    /// Changes the position, parallel to the view plane.
    Move,
    /// Changes the position along an axis of the node.
    MoveAlong(usize),
    /// Changes the rotation around an axis of the node.
    Rotate(usize),
    /// Changes a field of the shape, by field index.
    Field(usize),
}

#[derive(Clone, Debug)]
pub(super) struct TransformHandle {
    pub kind: TransformHandleKind,
    /// Handle position in the world, in metres.
    pub at: Vec3,
    /// Direction of the movement, or axis of the rotation, unit length in the world.
    axis: Vec3,
    /// Movement of the handle per unit of the field, in metres.
    metres_per_unit: f32,
    /// Shape of the handle in the view: a point, a line, or a ring.
    pub line: Vec<Vec2>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TransformGizmo {
    pub item: Option<SceneObject>,
    pub handles: Vec<TransformHandle>,
}

impl TransformGizmo {
    pub(super) fn of(session: &Session, view: &CameraView, tool: ViewportTool, colliders: &[ColliderView]) -> Self {
        let Some(item) = session.selection().active_object else { return Self::default() };
        let Some(frame) = frame_of(session, item) else { return Self::default() };
        let mut all = Vec::new();
        if let SceneObject::Collider(id) = item
            && let Some(collider) = colliders.iter().find(|s| s.id == id)
        {
            size_handles(view, collider, &mut all);
        }
        // An object attached directly to a bone has no transform of its own.
        if item.element_id().helper(session.document()).is_some() {
            let is_shape = matches!(item, SceneObject::Collider(_));
            let turns = tool == ViewportTool::Rotate || !is_shape;
            transform_handles(view, &frame, turns, tool != ViewportTool::Rotate, &mut all);
        }
        Self { item: Some(item), handles: all }
    }

    /// Returns the handle at a pixel. Dots have priority over lines.
    pub(super) fn pick(&self, at: Vec2) -> Option<TransformHandleKind> {
        let distance = |handle: &TransformHandle| match handle.line.as_slice() {
            [dot] => (dot.distance(at), DOT_PICK_DISTANCE),
            line => {
                let parts = line.windows(2).map(|w| distance_to_segment(at, w[0], w[1]));
                (parts.min_by(f32::total_cmp).unwrap_or(f32::MAX), LINE_PICK_DISTANCE)
            }
        };
        let near =
            self.handles.iter().map(|handle| (distance(handle), handle.kind)).filter(|((d, reach), _)| d <= reach);
        // Dots have priority, because a line can be grabbed elsewhere.
        let order = |((distance, reach), kind): &((f32, f32), TransformHandleKind)| {
            let is_line = matches!(kind, TransformHandleKind::MoveAlong(_) | TransformHandleKind::Rotate(_));
            distance / reach + if is_line { 1.0 } else { 0.0 }
        };
        near.min_by(|a, b| order(a).total_cmp(&order(b))).map(|(_, kind)| kind)
    }

    pub(super) fn start_drag(&self, session: &Session, kind: TransformHandleKind, at: Vec2) -> Option<TransformDrag> {
        let item = self.item?;
        let handle = self.handles.iter().find(|g| g.kind == kind)?;
        let constraint = match kind {
            TransformHandleKind::Move | TransformHandleKind::Rotate(_) => DragConstraint::View,
            TransformHandleKind::MoveAlong(_) | TransformHandleKind::Field(_) => DragConstraint::Axis(handle.axis),
        };
        let document = session.document();
        let shape = match item {
            SceneObject::Collider(id) => document.colliders.get(&id).map(|c| c.shape),
            _ => None,
        };
        Some(TransformDrag {
            item,
            kind,
            drag: HandleDrag::new(handle.at, at, constraint),
            axis: handle.axis,
            metres_per_unit: handle.metres_per_unit,
            local: item.element_id().helper(document).map_or(Trs::IDENTITY, |(_, helper)| helper.local),
            shape,
            turned_radians: 0.0,
        })
    }

    /// Draws the handles. `hot` is the hovered or dragged handle.
    pub(super) fn show(&self, overlay: &OverlayPainter<'_>, hot: Option<TransformHandleKind>) {
        let c = overlay.theme.color;
        let axes = [c.axis_x, c.axis_y, c.axis_z];
        for handle in &self.handles {
            let is_hot = hot == Some(handle.kind);
            let width = if is_hot { 2.5 } else { stroke::FAN_EDGE };
            match (handle.kind, handle.line.as_slice()) {
                (TransformHandleKind::MoveAlong(axis), [from, to]) => {
                    let color = if is_hot { c.bone } else { axes[axis] };
                    overlay.line(&[*from, *to], width, color);
                    overlay.area(&arrow_head([*from, *to]), 0.5, color, color);
                }
                (TransformHandleKind::Rotate(axis), ring) => {
                    let color = if is_hot { c.bone } else { faded(axes[axis], alpha::HANDLE_IDLE) };
                    overlay.line(ring, width, color);
                }
                (TransformHandleKind::Move, [at, ..]) => paint_handle(overlay, *at, c.accent, is_hot),
                (_, [at, ..]) => paint_handle(overlay, *at, c.collision, is_hot),
                _ => {}
            }
        }
    }
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

fn size_handles(view: &CameraView, collider: &ColliderView, all: &mut Vec<TransformHandle>) {
    let frame = &collider.frame;
    let linear = frame.linear();
    let mut put = |field: usize, at: Vec3, axis: Vec3, gain: f32| {
        if let Some(seen) = view.project(at)
            && gain > 1e-9
        {
            all.push(TransformHandle {
                kind: TransformHandleKind::Field(field),
                at,
                axis,
                metres_per_unit: gain,
                line: vec![seen.pixel],
            });
        }
    };
    let up = linear.y_axis.normalize_or(Vec3::Y);
    // Use a direction perpendicular to the axis, so that the handle is on the outline.
    let side = up.cross(view.forward).try_normalize().unwrap_or(view.right);
    let side = if side.dot(view.right) < 0.0 { -side } else { side };
    let gain =
        |seen: f32, shape_radius: f32| if shape_radius > 0.0 { seen / shape_radius } else { linear.x_axis.length() };
    match (&collider.geometry, collider.shape) {
        (
            ColliderGeometry::RoundCapsule { ends: [from, _], radii: [radius, _] },
            ColliderShape::Sphere { radius: shape_radius, .. },
        ) => {
            put(0, *from + view.right * *radius, view.right, gain(*radius, shape_radius));
        }
        (
            ColliderGeometry::RoundCapsule { ends: [from, to], radii: [radius, _] },
            ColliderShape::Capsule { radius: shape_radius, .. },
        ) => {
            put(0, (*from + *to) * 0.5 + side * *radius, side, gain(*radius, shape_radius));
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

/// Adds the centre, arrows and rings of a node to `all`.
fn transform_handles(view: &CameraView, frame: &Frame, turns: bool, moves: bool, all: &mut Vec<TransformHandle>) {
    let at = frame.position;
    let point = view.metres_per_pixel(at);
    let Some(middle) = view.project(at) else { return };
    all.push(TransformHandle {
        kind: TransformHandleKind::Move,
        at,
        axis: Vec3::ZERO,
        metres_per_unit: 1.0,
        line: vec![middle.pixel],
    });
    for (i, axis) in Vec3::AXES.into_iter().enumerate() {
        let axis = frame.rotation * axis;
        if moves
            && let Some(line) = project_all(view, [at + axis * point * ARROW_START, at + axis * point * ARROW_LENGTH])
            && line[0].distance(line[1]) > LINE_PICK_DISTANCE
        {
            all.push(TransformHandle { kind: TransformHandleKind::MoveAlong(i), at, axis, metres_per_unit: 1.0, line });
        }
        if turns && let Some(line) = axis_ring(view, at, axis, point * RING_RADIUS) {
            all.push(TransformHandle { kind: TransformHandleKind::Rotate(i), at, axis, metres_per_unit: 1.0, line });
        }
    }
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TransformDrag {
    pub item: SceneObject,
    pub kind: TransformHandleKind,
    pub drag: HandleDrag,
    axis: Vec3,
    metres_per_unit: f32,
    /// The node and the shape before the drag.
    local: Trs,
    shape: Option<ColliderShape>,
    turned_radians: f32,
}

impl TransformDrag {
    pub(super) fn update(
        &mut self,
        session: &Session,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        let [before, now] = self.drag.update(at, keys);
        if let TransformHandleKind::Rotate(_) = self.kind {
            self.turned_radians += drag_angle_about(view, self.drag.start(), self.axis, before, now);
        }
        let name = self.item.element_id().name(session.document(), &session.character().skeleton);
        let (edit, text) = match self.kind {
            TransformHandleKind::Field(field) => {
                (self.sized(session, view, field, keys.snap)?, message!("Size of {name}", name))
            }
            TransformHandleKind::Move | TransformHandleKind::MoveAlong(_) => {
                (self.moved(session, view, keys.snap)?, message!("Move {name}", name))
            }
            TransformHandleKind::Rotate(_) => (self.rotated(session, keys.snap)?, message!("Rotate {name}", name)),
        };
        Some(Command::ApplyEdit(edit, EditLabel::new(text)))
    }

    fn sized(&self, session: &Session, view: &CameraView, field: usize, snap: bool) -> Option<Edit> {
        let SceneObject::Collider(id) = self.item else { return None };
        let shape = self.shape?;
        let moved = self.drag.moved_along(view)? / self.metres_per_unit;
        let value = rounded_to(shape.field(field) + moved, if snap { SNAP_SIZE } else { 1e-4 }).max(0.0);
        let now = session.document().colliders.get(&id)?.shape;
        (now.field(field) != value).then(|| elements::set_shape(session.document(), id, now.with_field(field, value)))
    }

    fn moved(&self, session: &Session, view: &CameraView, snap: bool) -> Option<Edit> {
        let parent = self.parent(session)?;
        let inside = parent.inverse_transform_point(parent.position + self.drag.moved(view));
        let aim = self.local.translation + inside;
        // A movement along an axis rounds only the length along that axis.
        let step = if snap { SNAP_POSITION } else { 1e-4 };
        let translation = match self.kind {
            TransformHandleKind::MoveAlong(_) if snap => {
                let length = inside.length();
                self.local.translation + inside.normalize_or_zero() * rounded_to(length, step)
            }
            TransformHandleKind::MoveAlong(_) => aim,
            _ => all_rounded_to(aim, step),
        };
        self.set_local(session, Trs { translation, ..self.local })
    }

    fn rotated(&self, session: &Session, snap: bool) -> Option<Edit> {
        let parent = self.parent(session)?;
        let step = if snap { SNAP_DEGREES } else { 0.1 };
        let angle = rounded_to(self.turned_radians.to_degrees(), step).to_radians();
        let turn = Quat::from_axis_angle(self.axis, angle);
        let rotation = (parent.rotation.inverse() * turn * parent.rotation * self.local.rotation).normalize();
        self.set_local(session, Trs { rotation, ..self.local })
    }

    fn parent(&self, session: &Session) -> Option<Frame> {
        let (_, helper) = self.item.element_id().helper(session.document())?;
        node_frame(session, helper.parent)
    }

    fn set_local(&self, session: &Session, local: Trs) -> Option<Edit> {
        let (id, helper) = self.item.element_id().helper(session.document())?;
        let near = |a: Trs, b: Trs| {
            a.translation.distance(b.translation) < 1e-6 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-9
        };
        (!near(helper.local, local)).then(|| elements::set_local(session.document(), id, local))
    }

    /// Returns the changed value with its unit.
    pub(super) fn tag_text(&self, session: &Session) -> Option<String> {
        let document = session.document();
        match (self.kind, self.item) {
            (TransformHandleKind::Field(field), SceneObject::Collider(id)) => {
                let metres = document.colliders.get(&id)?.shape.field(field);
                Some(format!("{:.1} mm", metres * 1000.0))
            }
            (TransformHandleKind::Rotate(_), _) => Some(format!("{:.1}°", self.turned_radians.to_degrees())),
            _ => {
                let (_, helper) = self.item.element_id().helper(document)?;
                let moved = helper.local.translation.distance(self.local.translation);
                Some(format!("{:.1} mm", moved * 1000.0))
            }
        }
    }
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
        for (axis, color) in Vec3::AXES.into_iter().zip([c.axis_x, c.axis_y, c.axis_z]) {
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
