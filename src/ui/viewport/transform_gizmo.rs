//! What the selected collider, force or helper is held by: its middle, arrows along its axes, rings about them, and dots
//! for its numbers. What a drag makes of its numbers is worked out here; who holds what is decided by `hands`.

use super::colliders::ColliderGeometry;
use super::colliders::ColliderView;
use super::handle_drag::{DragModifiers, HandleDrag, all_rounded_to, paint_handle, rounded_to};
use super::overlay_painter::OverlayPainter;
use super::tools::ViewportTool;
use crate::document::{Edit, EditLabel, Node};
use crate::math::{Frame, Trs};
use crate::session::{Command, SceneObject, Session};
use crate::sim::ColliderShape;
use crate::stage::overlay::{arrow_head, project_all};
use crate::stage::{CameraView, DragConstraint, distance_to_segment, drag_angle_about};
use crate::tools::{elements, elements::ElementId};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use glam::{Quat, Vec2, Vec3};

/// Points of an arrow along an axis; from its foot, which leaves the middle free.
const ARROW_LENGTH: f32 = 44.0;
const ARROW_START: f32 = 12.0;
/// Points of a ring about an axis.
const RING_RADIUS: f32 = 58.0;
/// How near the pointer must be to a dot, and to a line.
const DOT_PICK_DISTANCE: f32 = 9.0;
const LINE_PICK_DISTANCE: f32 = 6.0;
/// What Ctrl snaps to: metres of a place, of a size, degrees.
const SNAP_POSITION: f32 = 0.01;
const SNAP_SIZE: f32 = 0.005;
const SNAP_DEGREES: f32 = 15.0;

/// What a grip changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransformHandleKind {
    /// The place, along the picture.
    Move,
    /// The place, along an axis of the node.
    MoveAlong(usize),
    /// The turn about an axis of the node.
    Rotate(usize),
    /// A number of the shape, by its place in the table.
    Field(usize),
}

/// A grip as it can be held now.
#[derive(Clone, Debug)]
pub(super) struct TransformHandle {
    pub kind: TransformHandleKind,
    /// Metres in the world.
    pub at: Vec3,
    /// Which way it moves or turns; unit length in the world.
    axis: Vec3,
    /// Metres of the axis for one metre of the number.
    metres_per_unit: f32,
    /// On the picture: one point, a line, or a ring.
    pub line: Vec<Vec2>,
}

/// The item that is held, and by what.
#[derive(Clone, Debug, Default)]
pub(super) struct TransformGizmo {
    pub item: Option<SceneObject>,
    pub handles: Vec<TransformHandle>,
}

impl TransformGizmo {
    /// Those of the active item.
    pub(super) fn of(session: &Session, shot: &CameraView, tool: ViewportTool, solids: &[ColliderView]) -> Self {
        let Some(item) = session.selection().active_object else { return Self::default() };
        let Some(frame) = frame_of(session, item) else { return Self::default() };
        let mut all = Vec::new();
        if let SceneObject::Collider(id) = item
            && let Some(solid) = solids.iter().find(|s| s.id == id)
        {
            size_handles(shot, solid, &mut all);
        }
        // A part on a bone of the file has no place of its own.
        if item.part().helper(session.document()).is_some() {
            let is_shape = matches!(item, SceneObject::Collider(_));
            let turns = tool == ViewportTool::Turn || !is_shape;
            transform_handles(shot, &frame, turns, tool != ViewportTool::Turn, &mut all);
        }
        Self { item: Some(item), handles: all }
    }

    /// The grip at a position; dots win over lines.
    pub(super) fn pick(&self, at: Vec2) -> Option<TransformHandleKind> {
        let distance = |grip: &TransformHandle| match grip.line.as_slice() {
            [dot] => (dot.distance(at), DOT_PICK_DISTANCE),
            line => {
                let parts = line.windows(2).map(|w| distance_to_segment(at, w[0], w[1]));
                (parts.min_by(f32::total_cmp).unwrap_or(f32::MAX), LINE_PICK_DISTANCE)
            }
        };
        let near = self.handles.iter().map(|grip| (distance(grip), grip.kind)).filter(|((d, reach), _)| d <= reach);
        // A line can be held anywhere else: dots go first where an arrow runs through them.
        let order = |((distance, reach), kind): &((f32, f32), TransformHandleKind)| {
            let is_line = matches!(kind, TransformHandleKind::MoveAlong(_) | TransformHandleKind::Rotate(_));
            distance / reach + if is_line { 1.0 } else { 0.0 }
        };
        near.min_by(|a, b| order(a).total_cmp(&order(b))).map(|(_, kind)| kind)
    }

    /// Takes hold of a grip with the pointer at a pixel.
    pub(super) fn start_drag(&self, session: &Session, kind: TransformHandleKind, at: Vec2) -> Option<TransformDrag> {
        let item = self.item?;
        let grip = self.handles.iter().find(|g| g.kind == kind)?;
        let constraint = match kind {
            TransformHandleKind::Move | TransformHandleKind::Rotate(_) => DragConstraint::View,
            TransformHandleKind::MoveAlong(_) | TransformHandleKind::Field(_) => DragConstraint::Axis(grip.axis),
        };
        let document = session.document();
        let shape = match item {
            SceneObject::Collider(id) => document.colliders.get(&id).map(|c| c.shape),
            _ => None,
        };
        Some(TransformDrag {
            item,
            kind,
            drag: HandleDrag::new(grip.at, at, constraint),
            axis: grip.axis,
            metres_per_unit: grip.metres_per_unit,
            local: item.part().helper(document).map_or(Trs::IDENTITY, |(_, helper)| helper.local),
            shape,
            turned_radians: 0.0,
        })
    }

    /// Draws them; the one that is pointed at or held stands out.
    pub(super) fn show(&self, ink: &OverlayPainter<'_>, hot: Option<TransformHandleKind>) {
        let c = ink.theme.color;
        let axes = [c.axis_x, c.axis_y, c.axis_z];
        for grip in &self.handles {
            let is_hot = hot == Some(grip.kind);
            let width = if is_hot { 2.5 } else { stroke::FAN_EDGE };
            match (grip.kind, grip.line.as_slice()) {
                (TransformHandleKind::MoveAlong(axis), [from, to]) => {
                    let color = if is_hot { c.bone } else { axes[axis] };
                    ink.line(&[*from, *to], width, color);
                    ink.area(&arrow_head([*from, *to]), 0.5, color, color);
                }
                (TransformHandleKind::Rotate(axis), ring) => {
                    let color = if is_hot { c.bone } else { faded(axes[axis], alpha::HANDLE_IDLE) };
                    ink.line(ring, width, color);
                }
                (TransformHandleKind::Move, [at, ..]) => paint_handle(ink, *at, c.accent, is_hot),
                (_, [at, ..]) => paint_handle(ink, *at, c.collision, is_hot),
                _ => {}
            }
        }
    }
}

/// The world frame of an item's node as it is shown.
pub(super) fn frame_of(session: &Session, item: SceneObject) -> Option<Frame> {
    node_frame(session, item.part().node(session.document())?)
}

fn node_frame(session: &Session, node: Node) -> Option<Frame> {
    let bone = match node {
        Node::Bone(bone) => bone,
        node @ Node::Helper(_) => *session.resolved().node_bones.get(&node)?,
    };
    session.playback().displayed_pose().frames.get(bone.index()).copied()
}

/// Dots for the numbers of a shape.
fn size_handles(shot: &CameraView, solid: &ColliderView, all: &mut Vec<TransformHandle>) {
    let frame = &solid.frame;
    let linear = frame.linear();
    let mut put = |field: usize, at: Vec3, axis: Vec3, gain: f32| {
        if let Some(seen) = shot.project(at)
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
    // Square to the axis, so that the grip is on the outline.
    let side = up.cross(shot.forward).try_normalize().unwrap_or(shot.right);
    let side = if side.dot(shot.right) < 0.0 { -side } else { side };
    let gain = |seen: f32, own: f32| if own > 0.0 { seen / own } else { linear.x_axis.length() };
    match (&solid.geometry, solid.shape) {
        (
            ColliderGeometry::RoundCapsule { ends: [from, _], radii: [radius, _] },
            ColliderShape::Sphere { radius: own, .. },
        ) => {
            put(0, *from + shot.right * *radius, shot.right, gain(*radius, own));
        }
        (
            ColliderGeometry::RoundCapsule { ends: [from, to], radii: [radius, _] },
            ColliderShape::Capsule { radius: own, .. },
        ) => {
            put(0, (*from + *to) * 0.5 + side * *radius, side, gain(*radius, own));
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
        (ColliderGeometry::Panel(plate), _) => {
            let [x, y] = plate.half_size;
            let right = linear.x_axis.normalize_or(Vec3::X);
            // Both edges move: half of what the number gains.
            put(0, frame.transform_point(Vec3::X * x), right, linear.x_axis.length() * 0.5);
            put(1, frame.transform_point(Vec3::Y * y), up, linear.y_axis.length() * 0.5);
        }
        _ => {}
    }
}

/// The middle, arrows along the axes, rings about them.
fn transform_handles(shot: &CameraView, frame: &Frame, turns: bool, moves: bool, all: &mut Vec<TransformHandle>) {
    let at = frame.position;
    let point = shot.metres_per_pixel(at);
    let Some(middle) = shot.project(at) else { return };
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
            && let Some(line) = project_all(shot, [at + axis * point * ARROW_START, at + axis * point * ARROW_LENGTH])
            && line[0].distance(line[1]) > LINE_PICK_DISTANCE
        {
            all.push(TransformHandle { kind: TransformHandleKind::MoveAlong(i), at, axis, metres_per_unit: 1.0, line });
        }
        if turns && let Some(line) = axis_ring(shot, at, axis, point * RING_RADIUS) {
            all.push(TransformHandle { kind: TransformHandleKind::Rotate(i), at, axis, metres_per_unit: 1.0, line });
        }
    }
}

/// The near half of a circle about an axis, so that the three do not make a ball of wool.
fn axis_ring(shot: &CameraView, at: Vec3, axis: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let sight = (at - shot.eye).try_normalize()?;
    let near = -(sight - axis * axis.dot(sight));
    // Seen along its axis the whole circle is near.
    let (start, span) = match near.try_normalize() {
        Some(near) if sight.dot(axis).abs() < 0.95 => (near, std::f32::consts::FRAC_PI_2),
        _ => (axis.any_orthonormal_vector(), std::f32::consts::PI),
    };
    let points = (-24_i16..=24).map(|i| {
        let turn = Quat::from_axis_angle(axis, f32::from(i) / 24.0 * span);
        at + turn * start * radius
    });
    project_all(shot, points)
}

/// A grip in the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TransformDrag {
    pub item: SceneObject,
    pub kind: TransformHandleKind,
    pub drag: HandleDrag,
    axis: Vec3,
    metres_per_unit: f32,
    /// The node and the shape as they were.
    local: Trs,
    shape: Option<ColliderShape>,
    /// Radians turned so far.
    turned_radians: f32,
}

impl TransformDrag {
    /// Follows the pointer; gives back what is to be changed, if anything.
    pub(super) fn update(
        &mut self,
        session: &Session,
        shot: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        let [before, now] = self.drag.update(at, keys);
        if let TransformHandleKind::Rotate(_) = self.kind {
            self.turned_radians += drag_angle_about(shot, self.drag.start(), self.axis, before, now);
        }
        let (edit, what) = match self.kind {
            TransformHandleKind::Field(field) => (self.sized(session, shot, field, keys.snap)?, "size_part"),
            TransformHandleKind::Move | TransformHandleKind::MoveAlong(_) => {
                (self.moved(session, shot, keys.snap)?, "move_part")
            }
            TransformHandleKind::Rotate(_) => (self.rotated(session, keys.snap)?, "turn_part"),
        };
        let name = self.item.part().name(session.document(), &session.character().skeleton);
        Some(Command::ApplyEdit(edit, EditLabel::new(what, 1).name(name)))
    }

    fn sized(&self, session: &Session, shot: &CameraView, field: usize, snap: bool) -> Option<Edit> {
        let SceneObject::Collider(id) = self.item else { return None };
        let shape = self.shape?;
        let moved = self.drag.moved_along(shot)? / self.metres_per_unit;
        let value = rounded_to(shape.field(field) + moved, if snap { SNAP_SIZE } else { 1e-4 }).max(0.0);
        let now = session.document().colliders.get(&id)?.shape;
        (now.field(field) != value).then(|| elements::set_shape(session.document(), id, now.with_field(field, value)))
    }

    fn moved(&self, session: &Session, shot: &CameraView, snap: bool) -> Option<Edit> {
        let parent = self.parent(session)?;
        let inside = parent.inverse_transform_point(parent.position + self.drag.moved(shot));
        let aim = self.local.translation + inside;
        // Along an axis only what is free to move is rounded.
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
        let (_, helper) = self.item.part().helper(session.document())?;
        node_frame(session, helper.parent)
    }

    fn set_local(&self, session: &Session, local: Trs) -> Option<Edit> {
        let (id, helper) = self.item.part().helper(session.document())?;
        let near = |a: Trs, b: Trs| {
            a.translation.distance(b.translation) < 1e-6 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-9
        };
        (!near(helper.local, local)).then(|| elements::set_local(session.document(), id, local))
    }

    /// The number that is being changed, with its unit.
    pub(super) fn tag_text(&self, session: &Session) -> Option<String> {
        let document = session.document();
        match (self.kind, self.item) {
            (TransformHandleKind::Field(field), SceneObject::Collider(id)) => {
                let metres = document.colliders.get(&id)?.shape.field(field);
                Some(format!("{:.1} mm", metres * 1000.0))
            }
            (TransformHandleKind::Rotate(_), _) => Some(format!("{:.1}°", self.turned_radians.to_degrees())),
            _ => {
                let (_, helper) = self.item.part().helper(document)?;
                let moved = helper.local.translation.distance(self.local.translation);
                Some(format!("{:.1} mm", moved * 1000.0))
            }
        }
    }
}

/// The helpers among the selected items that are not held themselves, as small axes.
pub(super) fn show_axes(ink: &OverlayPainter<'_>, shot: &CameraView, session: &Session) {
    let c = ink.theme.color;
    let selection = session.selection();
    let helpers = selection
        .objects
        .iter()
        .filter(|i| matches!(i, SceneObject::Helper(_)) && selection.active_object != Some(**i));
    for frame in helpers.filter_map(|item| frame_of(session, *item)) {
        let length = shot.metres_per_pixel(frame.position) * ARROW_LENGTH * 0.6;
        for (axis, color) in Vec3::AXES.into_iter().zip([c.axis_x, c.axis_y, c.axis_z]) {
            let end = frame.position + frame.rotation * axis * length;
            if let Some(line) = project_all(shot, [frame.position, end]) {
                ink.line(&line, stroke::FAN_EDGE, color);
            }
        }
    }
}

/// The part that deletes with a key: all selected items.
pub(in crate::ui) fn delete_selection(session: &Session) -> Option<(Edit, EditLabel)> {
    let chosen: Vec<ElementId> = session.selection().objects.iter().map(|item| item.part()).collect();
    let first = chosen.first()?;
    let name = first.name(session.document(), &session.character().skeleton);
    let label = EditLabel::new("remove_parts", chosen.len()).name(name);
    Some((elements::remove_elements(session.document(), &chosen), label))
}
