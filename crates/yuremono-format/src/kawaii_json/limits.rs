//! Converts colliders to the plugin's limits and back. A limit is attached to a driving bone.

use super::super::json_common::SetupDiagnostics;
use super::super::root_bone_formats::{collider_entry, collider_parent_and_transform, inline_collider_node};
use super::{CENTIMETRES_PER_METRE, READ_FLIP_AXIS, UnrealSpace, length_to_json, read_length, vector_to_json};
use glam::{EulerRot, Quat, Vec3};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use yuremono_model::document::flip_axis::unity_euler_from_rotation;
use yuremono_model::document::{ByName, Collider, FlipAxis};
use yuremono_model::exchange::FileEntry;
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;

const LIMIT_LISTS: [&str; 5] =
    ["SphericalLimits", "CapsuleLimits", "TaperedCapsuleLimits", "BoxLimits", "PlanarLimits"];
const PLANE_LIST: usize = 4;

/// Inserts the colliders into a node as limits, with one list for each kind of limit.
pub(super) fn insert_limits<'a>(
    node: &mut Map<String, Value>,
    colliders: impl Iterator<Item = &'a Collider<ByName>>,
    mirror: FlipAxis,
) {
    let mut lists: [Vec<Value>; LIMIT_LISTS.len()] = Default::default();
    for (list, limit) in colliders.filter_map(|collider| limit_to_json(collider, mirror)) {
        lists[list].push(limit);
    }
    node.extend(LIMIT_LISTS.into_iter().zip(lists).map(|(name, list)| (name.to_owned(), Value::Array(list))));
}

/// Returns the limit, and the position of its list in [`LIMIT_LISTS`].
fn limit_to_json(collider: &Collider<ByName>, mirror: FlipAxis) -> Option<(usize, Value)> {
    let (parent, local) = collider_parent_and_transform(collider);
    let scale = local.scale.abs().to_array();
    let across = scale[0];
    let (list, middle, sizes) = match collider.shape {
        ColliderShape::Sphere { radius, inside } => {
            let side = if inside { "Inner" } else { "Outer" };
            (0, 0.0, json!({ "Radius": length_to_json(radius * across), "LimitType": side }))
        }
        ColliderShape::Capsule { radius, height, inside: false } => {
            let (radius, height) = (radius * across, height * scale[1]);
            (1, height / 2.0, json!({ "Radius": length_to_json(radius), "Length": length_to_json(height) }))
        }
        ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false } => {
            let height = height * scale[1];
            // `Radius0` is the radius at the limit's +Z end, which is the tail in Yuremono.
            let sizes = json!({
                "Radius0": length_to_json(tail_radius * across), "Radius1": length_to_json(radius * across), "Length": length_to_json(height),
            });
            (2, height / 2.0, sizes)
        }
        ColliderShape::Box { width, height, depth, inside: false } => {
            let half = |size: f32, at: usize| size * scale[at] / 2.0;
            let extent = [half(width, 0), half(height, 1), half(depth, 2)];
            (3, 0.0, json!({ "Extent": vector_to_json(extent, None, CENTIMETRES_PER_METRE) }))
        }
        ColliderShape::Plane => (PLANE_LIST, 0.0, json!({})),
        _ => return None,
    };
    // The rotation is converted through Unity's Euler angles, as in the CSV formats.
    let euler_deg = unity_euler_from_rotation(local.rotation);
    let rotation = if list == PLANE_LIST {
        // In Yuremono and in the plugin, a plane pushes towards its own +Z. The plugin's +Z is +Y here.
        mirror.pivot_from_euler(euler_deg) * ROTATE_Y_TO_Z
    } else {
        mirror.rotation_from_euler(euler_deg)
    };
    let at = mirror.flip_point(local.translation) + rotation * Vec3::new(0.0, middle, 0.0);
    let mut limit = Map::from_iter([
        ("Name".to_owned(), json!(collider.name)),
        ("DrivingBone".to_owned(), json!(parent)),
        ("OffsetLocation".to_owned(), vector_to_json(at.to_array(), None, CENTIMETRES_PER_METRE)),
        ("OffsetRotation".to_owned(), rotator_to_json(rotation)),
    ]);
    limit.extend(sizes.as_object().cloned().unwrap_or_default());
    Some((list, Value::Object(limit)))
}

/// Rotates +Y to +Z.
const ROTATE_Y_TO_Z: Quat = Quat::from_xyzw(std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2);

/// Swaps Y and Z of a rotation, which mirrors the space. The function is its own inverse.
fn swap_y_and_z(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.z, -q.y, q.w)
}

/// Converts a rotation to Unreal's rotator, which rotates about X by minus the roll, then about Y by minus the pitch,
/// then about Z by the yaw.
fn rotator_to_json(rotation: Quat) -> Value {
    let (yaw, pitch, roll) = swap_y_and_z(rotation).to_euler(EulerRot::ZYX);
    let degrees = |angle: f32| super::super::json_common::number_to_json(angle.to_degrees());
    json!({ "Pitch": degrees(-pitch), "Yaw": degrees(yaw), "Roll": degrees(-roll) })
}

fn read_rotator(object: &Map<String, Value>, at: &str, found: &mut SetupDiagnostics) -> Quat {
    let Some(parts) = found.object(object, "OffsetRotation", at) else { return Quat::IDENTITY };
    let angle = |key: &str, found: &mut SetupDiagnostics| {
        let value = parts.get(key).map(|value| found.number(value, &format!("{at}/OffsetRotation/{key}")));
        value.flatten().filter(|angle| angle.is_finite()).unwrap_or(0.0).to_radians()
    };
    let (yaw, pitch, roll) = (angle("Yaw", found), angle("Pitch", found), angle("Roll", found));
    swap_y_and_z(Quat::from_euler(EulerRot::ZYX, yaw, -pitch, -roll))
}

/// The identity of a limit: its name, bone and shape, and the bits of its numbers.
type LimitKey = (String, String, &'static str, [u32; 10]);

/// Reads the limits of a file. A limit that several nodes contain is kept once.
#[derive(Default)]
pub(super) struct LimitReader {
    pub items: Vec<FileEntry>,
    seen: BTreeSet<LimitKey>,
}

impl LimitReader {
    fn push(&mut self, collider: Collider<ByName>, pointer: String) {
        let (parent, local) = collider_parent_and_transform(&collider);
        let ([x, y, z], [i, j, k, w]) = (local.translation.to_array(), local.rotation.to_array());
        let (shape, [a, b, c]) = (collider.shape, [0, 1, 2].map(|at| collider.shape.field(at)));
        // Adding zero converts -0.0 to 0.0.
        let bits = [x, y, z, i, j, k, w, a, b, c].map(|number| (number + 0.0).to_bits());
        if self.seen.insert((collider.name.clone(), parent.to_owned(), shape.component_name(), bits)) {
            self.items.push(FileEntry { json_pointer: pointer, ..collider_entry(collider) });
        }
    }

    /// Reads the limits of a node and returns their names.
    pub(super) fn read(&mut self, node: &Map<String, Value>, at: &str, found: &mut SetupDiagnostics) -> Vec<String> {
        let (mut names, mut own) = (Vec::new(), BTreeSet::new());
        for (list, key) in LIMIT_LISTS.into_iter().enumerate() {
            for (n, value) in found.list(node, key, at).iter().enumerate() {
                let at = format!("{at}/{key}/{n}");
                let Some(object) = found.expect_type(value.as_object(), value, "an object", &at) else { continue };
                let bone = found.text(object, "DrivingBone", &at).unwrap_or_default();
                let name = found.text(object, "Name", &at);
                let name = name.unwrap_or_else(|| format!("{bone}_{}", &key[..key.len() - "Limits".len()]));
                if bone.is_empty() {
                    found.warn(&at, message!("the limit has no driving bone; left out"));
                    continue;
                }
                let (shape, local) = read_shape(list, object, &at, found);
                // If several limits of one node have the same name, the first is used.
                if own.insert(name.clone()) {
                    self.push(Collider::new(&*name, inline_collider_node(&name, &bone, local), shape), at);
                }
                names.push(name);
            }
        }
        names
    }
}

/// Reads an entry of one of [`LIMIT_LISTS`]. Returns the shape and its transform on the driving bone, in the space of
/// [`super::READ_FLIP_AXIS`].
fn read_shape(
    list: usize,
    object: &Map<String, Value>,
    at: &str,
    found: &mut SetupDiagnostics,
) -> (ColliderShape, Trs) {
    let mut size = |key: &str, default: f32| read_length(object.get(key), default, &format!("{at}/{key}"), found);
    let (shape, back) = match list {
        0 => {
            let radius = size("Radius", 0.05);
            let is_inner = object.get("LimitType").and_then(Value::as_str) == Some("Inner");
            (ColliderShape::Sphere { radius, inside: is_inner }, 0.0)
        }
        1 => {
            let (radius, height) = (size("Radius", 0.05), size("Length", 0.1));
            (ColliderShape::Capsule { radius, height, inside: false }, height / 2.0)
        }
        2 => {
            let (tail_radius, radius) = (size("Radius0", 0.05), size("Radius1", 0.05));
            let height = size("Length", 0.1);
            (ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false }, height / 2.0)
        }
        3 => {
            let [x, y, z] = UnrealSpace::read_lengths(object, "Extent", at, found).unwrap_or([0.05; 3]);
            (ColliderShape::Box { width: 2.0 * x, height: 2.0 * y, depth: 2.0 * z, inside: false }, 0.0)
        }
        _ => (ColliderShape::Plane, 0.0),
    };
    let rotation = read_rotator(object, at, found);
    let offset = UnrealSpace::read_lengths(object, "OffsetLocation", at, found).map_or(Vec3::ZERO, Vec3::from);
    let offset = if offset.is_finite() { offset } else { Vec3::ZERO };
    let place = offset - if back.is_finite() { rotation * Vec3::new(0.0, back, 0.0) } else { Vec3::ZERO };
    let rotation = if list == PLANE_LIST {
        READ_FLIP_AXIS.flip_facing_inverse(rotation * ROTATE_Y_TO_Z.inverse())
    } else {
        READ_FLIP_AXIS.flip_rotation(rotation)
    };
    (shape, Trs { translation: READ_FLIP_AXIS.flip_point(place), rotation, scale: Vec3::ONE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::flip_axis::rotation_from_unity_euler;

    #[test]
    fn rotators_follow_the_axes_of_unreal() {
        let read = |value: Value| {
            let object = Map::from_iter([("OffsetRotation".to_owned(), value)]);
            read_rotator(&object, "", &mut SetupDiagnostics::new("t.json"))
        };
        // In Unreal, a yaw of 90 degrees rotates X to Y, and a pitch rotates X towards Z. Unreal's Y is Yuremono's Z,
        // and Unreal's Z is Yuremono's Y.
        let yaw = read(json!({ "Pitch": 0, "Yaw": 90, "Roll": 0 }));
        assert!((yaw * Vec3::X).distance(Vec3::Z) < 1e-6, "{}", yaw * Vec3::X);
        let pitch = read(json!({ "Pitch": 90, "Yaw": 0, "Roll": 0 }));
        assert!((pitch * Vec3::X).distance(Vec3::Y) < 1e-6, "{}", pitch * Vec3::X);
        for q in [Quat::from_euler(EulerRot::XYZ, 0.3, -0.7, 1.1), Quat::from_rotation_y(2.0)] {
            let again = read(rotator_to_json(q));
            assert!(again.dot(q).abs() > 0.999_999, "{q} became {again}");
        }
    }

    #[test]
    fn a_written_plane_pushes_to_the_same_side() {
        for mirror in [FlipAxis::X, FlipAxis::Z] {
            let euler_deg = [20.0, 130.0, 40.0];
            let (translation, rotation) = (Vec3::new(0.1, 0.2, 0.3), rotation_from_unity_euler(euler_deg));
            let node = inline_collider_node("Floor", "Hips", Trs { translation, rotation, scale: Vec3::ONE });
            let (_, limit) =
                limit_to_json(&Collider::new("Floor", node, ColliderShape::Plane), mirror).expect("a plane");
            let rotation =
                read_rotator(limit.as_object().expect("an object"), "", &mut SetupDiagnostics::new("t.json"));
            let ours = mirror.pivot_from_euler(euler_deg) * Vec3::Z;
            // Unreal's Z is Yuremono's Y.
            assert!((rotation * Vec3::Y).distance(ours) < 1e-5, "{mirror:?}: {} {ours}", rotation * Vec3::Y);
        }
    }
}
