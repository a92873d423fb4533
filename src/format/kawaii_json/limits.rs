//! Colliders as the plugin's limits, which hang from a driving bone.

use super::super::tables::json::Findings;
use super::CENTIMETRES;
use super::read::{Space, lengths_of};
use super::write::{length, vector};
use crate::doc::Axis;
use crate::doc::table::{BoneTable, ColliderCells, ColliderRow, NodeCells, TableRow};
use crate::sim::Shape;
use glam::{EulerRot, Quat, Vec3};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const LISTS: [&str; 5] = ["SphericalLimits", "CapsuleLimits", "TaperedCapsuleLimits", "BoxLimits", "PlanarLimits"];

/// Puts the limits that a node has into it, by kind.
pub(super) fn put<'a>(node: &mut Map<String, Value>, rows: impl Iterator<Item = &'a ColliderRow>, mirror: Axis) {
    let mut lists: [Vec<Value>; LISTS.len()] = Default::default();
    for row in rows {
        if let Some((list, limit)) = row.cells.as_ref().ok().and_then(|cells| limit(&row.name, cells, mirror)) {
            lists[list].push(limit);
        }
    }
    node.extend(LISTS.into_iter().zip(lists).map(|(name, list)| (name.to_owned(), Value::Array(list))));
}

fn limit(name: &str, cells: &ColliderCells, mirror: Axis) -> Option<(usize, Value)> {
    let node = &cells.node;
    let scale = node.scale.map(f32::abs);
    let across = scale[0];
    let (list, middle, sizes) = match cells.shape {
        Shape::Sphere { radius, inside } => {
            let side = if inside { "Inner" } else { "Outer" };
            (0, 0.0, json!({ "Radius": length(radius * across), "LimitType": side }))
        }
        Shape::Capsule { radius, height, inside: false } => {
            let (radius, height) = (radius * across, height * scale[1]);
            (1, height / 2.0, json!({ "Radius": length(radius), "Length": length(height) }))
        }
        Shape::Tapered { radius, tail_radius, height, inside: false } => {
            let height = height * scale[1];
            // The engine's first radius is at its +Z, which is our tail.
            let sizes = json!({
                "Radius0": length(tail_radius * across), "Radius1": length(radius * across), "Length": length(height),
            });
            (2, height / 2.0, sizes)
        }
        Shape::Box { width, height, depth, inside: false } => {
            let half = |size: f32, at: usize| size * scale[at] / 2.0;
            let extent = [half(width, 0), half(height, 1), half(depth, 2)];
            (3, 0.0, json!({ "Extent": vector(extent, None, CENTIMETRES) }))
        }
        Shape::Plane => (4, 0.0, json!({})),
        _ => return None,
    };
    let is_plane = list == 4;
    let rotation = if is_plane {
        // Our planes push towards their +Z, the engine's too, which is our +Y.
        mirror.pivot_from_euler(node.euler_deg) * QUARTER
    } else {
        mirror.rotation_from_euler(node.euler_deg)
    };
    let at = mirror.point(Vec3::from(node.position)) + rotation * Vec3::new(0.0, middle, 0.0);
    let mut limit = Map::from_iter([
        ("Name".to_owned(), json!(name)),
        ("DrivingBone".to_owned(), json!(node.parent)),
        ("OffsetLocation".to_owned(), vector(at.to_array(), None, CENTIMETRES)),
        ("OffsetRotation".to_owned(), rotator(rotation)),
    ]);
    limit.extend(sizes.as_object().cloned().unwrap_or_default());
    Some((list, Value::Object(limit)))
}

/// Leads +Y to where a plane's +Z is.
const QUARTER: Quat = Quat::from_xyzw(std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2);

/// A turn on the other side of the swap of Y and Z, which mirrors; its own inverse.
fn swapped(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.z, -q.y, q.w)
}

/// Unreal's rotator: a turn about Z by the yaw, after one about Y by minus the pitch, after one about X by minus the
/// roll.
fn rotator(rotation: Quat) -> Value {
    let (yaw, pitch, roll) = swapped(rotation).to_euler(EulerRot::ZYX);
    let degrees = |angle: f32| super::super::tables::json::number(angle.to_degrees());
    json!({ "Pitch": degrees(-pitch), "Yaw": degrees(yaw), "Roll": degrees(-roll) })
}

fn rotation_of(object: &Map<String, Value>, at: &str, found: &mut Findings) -> Quat {
    let Some(parts) = found.object(object, "OffsetRotation", at) else { return Quat::IDENTITY };
    let angle = |key: &str, found: &mut Findings| {
        let value = parts.get(key).map(|value| found.number(value, &format!("{at}/OffsetRotation/{key}")));
        value.flatten().filter(|angle| angle.is_finite()).unwrap_or(0.0).to_radians()
    };
    let (yaw, pitch, roll) = (angle("Yaw", found), angle("Pitch", found), angle("Roll", found));
    swapped(Quat::from_euler(EulerRot::ZYX, yaw, -pitch, -roll))
}

/// What tells a limit from all others: its name, bone and shape, and the bits of its numbers.
type Key = (String, String, &'static str, [u32; 9]);

/// The limits that a file has brought so far, so that one more is found among many at once.
#[derive(Default)]
pub(super) struct Known(BTreeSet<Key>);

impl Known {
    /// Whether nothing before was called so and stood so.
    fn is_new(&mut self, name: &str, cells: &ColliderCells) -> bool {
        let ColliderCells { node, shape, .. } = cells;
        let [x, y, z] = node.position;
        let [a, b, c] = node.euler_deg;
        // Both zeros are the same number.
        let bits = [x, y, z, a, b, c, shape.field(0), shape.field(1), shape.field(2)].map(|x| (x + 0.0).to_bits());
        self.0.insert((name.to_owned(), node.parent.clone(), shape.name(), bits))
    }
}

/// Takes the limits of a node as colliders; their names, those that are there already once.
pub(super) fn take(
    node: &Map<String, Value>,
    at: &str,
    (table, known): (&mut BoneTable, &mut Known),
    found: &mut Findings,
) -> Vec<String> {
    let (mut names, mut own) = (Vec::new(), BTreeSet::new());
    for (list, key) in LISTS.into_iter().enumerate() {
        for (n, value) in found.list(node, key, at).iter().enumerate() {
            let at = format!("{at}/{key}/{n}");
            let Some(object) = found.expect(value.as_object(), value, "an object", &at) else { continue };
            let bone = found.text(object, "DrivingBone", &at).unwrap_or_default();
            let name = found.text(object, "Name", &at).unwrap_or_else(|| format!("{bone}_{}", &key[..key.len() - 6]));
            if bone.is_empty() {
                found.warn(&at, "the limit has no driving bone; left out");
                continue;
            }
            let cells = collider(list, object, bone, &at, found);
            // Of several limits of one node and name the first counts.
            if own.insert(name.clone()) && known.is_new(&name, &cells) {
                let row = ColliderRow { line: table.colliders.len() as u64 + 1, ..TableRow::new(&*name, cells) };
                table.colliders.push(row);
            }
            names.push(name);
        }
    }
    names
}

fn collider(list: usize, object: &Map<String, Value>, parent: String, at: &str, found: &mut Findings) -> ColliderCells {
    let mut size = |key: &str, default: f32| lengths_of(object.get(key), default, &format!("{at}/{key}"), found);
    let (shape, back) = match list {
        0 => {
            let radius = size("Radius", 0.05);
            let is_inner = object.get("LimitType").and_then(Value::as_str) == Some("Inner");
            (Shape::Sphere { radius, inside: is_inner }, 0.0)
        }
        1 => {
            let (radius, height) = (size("Radius", 0.05), size("Length", 0.1));
            (Shape::Capsule { radius, height, inside: false }, height / 2.0)
        }
        2 => {
            let (tail_radius, radius) = (size("Radius0", 0.05), size("Radius1", 0.05));
            let height = size("Length", 0.1);
            (Shape::Tapered { radius, tail_radius, height, inside: false }, height / 2.0)
        }
        3 => {
            let [x, y, z] = Space::lengths(object, "Extent", at, found).unwrap_or([0.05; 3]);
            (Shape::Box { width: 2.0 * x, height: 2.0 * y, depth: 2.0 * z, inside: false }, 0.0)
        }
        _ => (Shape::Plane, 0.0),
    };
    let rotation = rotation_of(object, at, found);
    let offset = Space::lengths(object, "OffsetLocation", at, found).map_or(Vec3::ZERO, Vec3::from);
    let offset = if offset.is_finite() { offset } else { Vec3::ZERO };
    let place = offset - if back.is_finite() { rotation * Vec3::new(0.0, back, 0.0) } else { Vec3::ZERO };
    // The table that comes of it is mirrored along X.
    let mirror = Axis::X;
    let euler_deg = if list == 4 {
        mirror.euler_from_pivot(rotation * QUARTER.inverse())
    } else {
        mirror.euler_from_rotation(rotation)
    };
    let node = NodeCells { parent, position: mirror.point(place).to_array(), euler_deg, scale: [1.0; 3] };
    ColliderCells { node, shape, renderer: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotator_turns_as_unreal_says() {
        let read = |value: Value| {
            let object = Map::from_iter([("OffsetRotation".to_owned(), value)]);
            rotation_of(&object, "", &mut Findings::new("t.json"))
        };
        // In Unreal a yaw of 90 degrees leads X to Y, a pitch X up to Z; Unreal's Y is our Z, its Z our Y.
        let yaw = read(json!({ "Pitch": 0, "Yaw": 90, "Roll": 0 }));
        assert!((yaw * Vec3::X).distance(Vec3::Z) < 1e-6, "{}", yaw * Vec3::X);
        let pitch = read(json!({ "Pitch": 90, "Yaw": 0, "Roll": 0 }));
        assert!((pitch * Vec3::X).distance(Vec3::Y) < 1e-6, "{}", pitch * Vec3::X);
        for q in [Quat::from_euler(EulerRot::XYZ, 0.3, -0.7, 1.1), Quat::from_rotation_y(2.0)] {
            let again = read(rotator(q));
            assert!(again.dot(q).abs() > 0.999_999, "{q} became {again}");
        }
    }

    #[test]
    fn a_plane_pushes_to_the_same_side() {
        for mirror in [Axis::X, Axis::Z] {
            let node = NodeCells {
                parent: "Hips".to_owned(),
                position: [0.1, 0.2, 0.3],
                euler_deg: [20.0, 130.0, 40.0],
                scale: [1.0; 3],
            };
            let cells = ColliderCells { node, shape: Shape::Plane, renderer: String::new() };
            let (_, limit) = limit("Floor", &cells, mirror).expect("a plane");
            let rotation = rotation_of(limit.as_object().expect("an object"), "", &mut Findings::new("t.json"));
            let ours = mirror.pivot_from_euler(cells.node.euler_deg) * Vec3::Z;
            // The engine's Z is our Y.
            assert!((rotation * Vec3::Y).distance(ours) < 1e-5, "{mirror:?}: {} {ours}", rotation * Vec3::Y);
        }
    }
}
