//! Fits one collider shape to each part of the body.
//!
//! A limb becomes a capsule from the bone to its child. Torso parts are wider than deep, so they become horizontal
//! capsules that reach the sides without protruding in front. Radii are medians over directions, so hems and belts have
//! little influence.

use super::body_vertices::VerticesByRole;
use crate::document::RestFrames;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;
use yuremono_sim::ColliderShape;
use yuremono_sim::rig::{BoneId, Humanoid, Skeleton};

const MIN_VERTICES: usize = 12;
const SECTORS: usize = 12;
const SLABS: usize = 5;
/// Quantile of the radius of a limb. Below the median, because limbs taper and collisions outside the body would be
/// visible.
const LIMB_RADIUS_QUANTILE: f32 = 0.4;

/// A collider shape fitted to a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyColliderFit {
    /// Role of the bone, by its VRM 1.0 name.
    pub role: String,
    /// Parent bone of the collider.
    pub bone: BoneId,
    /// Name that UnityChanSpringBone's editor would create.
    pub name: String,
    /// The shape, in metres.
    pub shape: ColliderShape,
    /// Origin in the rest pose, in world space, in metres.
    pub position: Vec3,
    /// Orientation in the rest pose, world space.
    pub rotation: Quat,
    /// Number of vertices that the shape was fitted to.
    pub vertex_count: usize,
}

fn build_fit(
    role: &str,
    bone: BoneId,
    skeleton: &Skeleton,
    shape: ColliderShape,
    place: Vec3,
    turn: Quat,
    vertices: usize,
) -> BodyColliderFit {
    let name = format!("{}{}", skeleton.name(bone), shape.node_name_suffix());
    BodyColliderFit {
        role: role.to_owned(),
        bone,
        name,
        shape,
        position: place,
        rotation: turn,
        vertex_count: vertices,
    }
}

/// Fits all parts, from the head down.
pub(super) fn fit_all(
    skeleton: &Skeleton,
    stance: &RestFrames,
    roles: &Humanoid,
    flesh: &VerticesByRole,
) -> Vec<BodyColliderFit> {
    let fitter = BodyFitter { skeleton, rest_frames: stance, roles, vertices: flesh };
    let mut fits = Vec::new();
    fits.extend(fitter.fit_head());
    fits.extend(fitter.fit_limb("neck", "head", [0.0, 1.0]));
    fits.extend(fitter.fit_torso_part("chest", &["chest", "upperChest"]));
    fits.extend(fitter.fit_torso_part("spine", &["spine"]));
    fits.extend(fitter.fit_torso_part("hips", &["hips"]));
    for (from, to, span) in [
        ("UpperArm", "LowerArm", [0.15, 0.9]),
        ("LowerArm", "Hand", [0.1, 0.9]),
        ("UpperLeg", "LowerLeg", [0.3, 0.95]),
        ("LowerLeg", "Foot", [0.05, 0.85]),
    ] {
        fits.extend(fitter.fit_left_and_right(from, to, span));
    }
    fits
}

struct BodyFitter<'a> {
    skeleton: &'a Skeleton,
    rest_frames: &'a RestFrames,
    roles: &'a Humanoid,
    vertices: &'a VerticesByRole,
}

impl BodyFitter<'_> {
    fn role_vertices(&self, roles: &[&str]) -> Vec<Vec3> {
        roles.iter().filter_map(|role| self.vertices.get(*role)).flatten().copied().collect()
    }

    /// Fits a sphere with the width of the head. The sphere stays below the crown and behind the face.
    fn fit_head(&self) -> Option<BodyColliderFit> {
        let bone = self.roles.bone("head")?;
        let neck = self.rest_frames.head(bone)?;
        let points = self.role_vertices(&["head"]);
        if points.len() < MIN_VERTICES {
            return None;
        }
        let middle = Vec3::new(neck.x, 0.0, 0.0);
        let half_width = quantile(points.iter().map(|p| (p.x - middle.x).abs()), 0.985)?;
        let [low, high] = quantile_range(points.iter().map(|p| p.y), 0.02)?;
        let [back, front] = quantile_range(points.iter().map(|p| p.z), 0.02)?;
        // A face mesh without the back of the head is a shell, so its width determines the depth.
        let (depth, height) = (front - back, high - low);
        let radius = half_width.min(0.55 * height);
        if radius.is_nan() || radius <= 0.0 {
            return None;
        }
        let face_is_in_front = f32::midpoint(front, back) >= neck.z;
        let z = match (depth >= 1.5 * radius, face_is_in_front) {
            (true, _) => f32::midpoint(front, back),
            (false, true) => front - radius,
            (false, false) => back + radius,
        };
        let y = if height >= 1.5 * radius { (high - radius).max(f32::midpoint(low, high)) } else { low + radius };
        let shape = ColliderShape::Sphere { radius, inside: false };
        let place = Vec3::new(middle.x, y, z);
        Some(build_fit("head", bone, self.skeleton, shape, place, Quat::IDENTITY, points.len()))
    }

    /// Fits a capsule from a bone to the next bone. `span` is the part of the length, 0 to 1, that belongs to this limb
    /// alone.
    fn fit_limb(&self, role: &str, next: &str, span: [f32; 2]) -> Option<BodyColliderFit> {
        let bone = self.roles.bone(role)?;
        // If no bone has the next role, the limb ends at the first child.
        let next = self.roles.bone(next).or_else(|| self.skeleton.children(bone).first().copied())?;
        let (from, to) = (self.rest_frames.head(bone)?, self.rest_frames.head(next)?);
        let axis = (to - from).try_normalize()?;
        let length = to.distance(from);
        let turn = Quat::from_rotation_arc(Vec3::Y, axis);
        let (u, v) = (turn * Vec3::X, turn * Vec3::Z);
        let mut slabs: [Vec<Vec2>; SLABS] = Default::default();
        let mut count = 0;
        for p in self.role_vertices(&[role]) {
            let t = ((p - from).dot(axis) / length - span[0]) / (span[1] - span[0]);
            if (0.0..=1.0).contains(&t) {
                let slab = ((t * SLABS as f32) as usize).min(SLABS - 1);
                slabs[slab].push(Vec2::new((p - from).dot(u), (p - from).dot(v)));
                count += 1;
            }
        }
        if count < MIN_VERTICES {
            return None;
        }
        let radii: Vec<f32> = slabs.iter().flat_map(|slab| sector_radii(slab, 0.5)).flatten().collect();
        let radius = quantile(radii.iter().copied(), LIMB_RADIUS_QUANTILE)?.min(0.8 * length);
        let shape = ColliderShape::Capsule { radius, height: length, inside: false };
        (radius > 0.0).then(|| build_fit(role, bone, self.skeleton, shape, from, turn, count))
    }

    /// Fits both sides and averages their radii.
    fn fit_left_and_right(&self, from: &str, to: &str, span: [f32; 2]) -> Vec<BodyColliderFit> {
        let side = |side: &str| self.fit_limb(&format!("{side}{from}"), &format!("{side}{to}"), span);
        let mut both: Vec<BodyColliderFit> = ["left", "right"].into_iter().filter_map(side).collect();
        let radius = both.iter().map(|f| f.shape.field(0)).sum::<f32>() / both.len().max(1) as f32;
        let heights = both.iter().map(|f| f.shape.field(1));
        let (low, high) = (heights.clone().fold(f32::MAX, f32::min), heights.fold(0.0, f32::max));
        for fit in &mut both {
            fit.shape = fit.shape.with_field(0, radius);
            // Makes nearly equal lengths equal. In an asymmetric pose, the lengths stay different.
            if high - low < 0.02 * high {
                fit.shape = fit.shape.with_field(1, f32::midpoint(low, high));
            }
        }
        both
    }

    /// Fits a capsule from side to side. Its diameter is the depth of the body.
    fn fit_torso_part(&self, role: &str, parts: &[&str]) -> Option<BodyColliderFit> {
        let bone = parts.iter().rev().find_map(|part| self.roles.bone(part))?;
        let points = self.role_vertices(parts);
        if points.len() < MIN_VERTICES {
            return None;
        }
        let middle = self.rest_frames.head(bone)?.x;
        let [low, high] = quantile_range(points.iter().map(|p| p.y), 0.1)?;
        let [back, front] = quantile_range(points.iter().map(|p| p.z), 0.05)?;
        let centre = Vec3::new(middle, f32::midpoint(low, high), f32::midpoint(back, front));
        // Skips the shoulders and the collar, which are narrower.
        let inner = points.iter().filter(|p| (low..=high).contains(&p.y));
        let around: Vec<Vec2> = inner.map(|p| Vec2::new(p.x - centre.x, p.z - centre.z)).collect();
        let radii = sector_radii(&around, 0.7);
        // Sector 0 points along +X; each sector covers 30°.
        let of = |all: &[usize]| {
            let known: Vec<f32> = all.iter().filter_map(|at| radii[*at]).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f32>() / known.len() as f32)
        };
        let half_width = of(&[0, 6])?;
        let half_depth = of(&[3, 9])?.min(half_width);
        if half_depth.is_nan() || half_depth <= 0.0 {
            return None;
        }
        let half = half_width - half_depth;
        let place = centre + Vec3::X * half;
        let turn = Quat::from_rotation_arc(Vec3::Y, Vec3::NEG_X);
        let (shape, place) = if half > 0.05 * half_depth {
            (ColliderShape::Capsule { radius: half_depth, height: 2.0 * half, inside: false }, place)
        } else {
            (ColliderShape::Sphere { radius: half_depth, inside: false }, centre)
        };
        Some(build_fit(role, bone, self.skeleton, shape, place, turn, points.len()))
    }
}

/// Returns a quantile of the distances from the centre in each sector.
fn sector_radii(around: &[Vec2], share: f32) -> [Option<f32>; SECTORS] {
    let mut all: [Vec<f32>; SECTORS] = Default::default();
    for p in around {
        let turn = libm::atan2f(p.y, p.x) / TAU * SECTORS as f32;
        all[(turn.round().rem_euclid(SECTORS as f32)) as usize % SECTORS].push(p.length());
    }
    all.map(|radii| quantile(radii.into_iter(), share))
}

fn quantile(values: impl Iterator<Item = f32>, share: f32) -> Option<f32> {
    let mut all: Vec<f32> = values.filter(|v| v.is_finite()).collect();
    if all.is_empty() {
        return None;
    }
    let at = (share * (all.len() - 1) as f32).round() as usize;
    let (_, value, _) = all.select_nth_unstable_by(at, f32::total_cmp);
    Some(*value)
}

/// Returns the quantiles `share` and `1 - share`.
fn quantile_range(values: impl Iterator<Item = f32> + Clone, share: f32) -> Option<[f32; 2]> {
    Some([quantile(values.clone(), share)?, quantile(values, 1.0 - share)?])
}
