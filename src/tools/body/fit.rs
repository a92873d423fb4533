//! One shape per part of the body, as thick as the skin that follows it.
//!
//! Limbs are capsules from bone to child. The torso is wider than deep: its parts are capsules that lie across, so
//! that they reach the sides without standing out in front. Radii are medians over directions, so that a sleeve's
//! hem or a belt counts little.

use super::skin::Flesh;
use crate::document::Stance;
use crate::document::names::roles::Roles;
use crate::rig::{BoneId, Skeleton};
use crate::sim::Shape;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;

/// Fewer vertices than this make no shape.
const FEWEST: usize = 12;
const SECTORS: usize = 12;
/// Limbs are measured in so many pieces along their bone.
const SLABS: usize = 5;
/// Below the median: a limb grows thinner, and what is wider than the body would be felt in the air.
const SLIM: f32 = 0.4;

/// A shape that fits a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// VRM 1.0's name of the part.
    pub role: String,
    /// What it follows.
    pub bone: BoneId,
    /// How it is called: as the original's button would.
    pub name: String,
    /// As big as the skin.
    pub shape: Shape,
    /// Its origin in the rest pose, metres in the world.
    pub place: Vec3,
    /// Its axes in the rest pose.
    pub turn: Quat,
    /// How many vertices it was fitted to.
    pub vertices: usize,
}

/// Names a fitted part after its bone and shape.
fn fitted(
    role: &str,
    bone: BoneId,
    skeleton: &Skeleton,
    shape: Shape,
    place: Vec3,
    turn: Quat,
    vertices: usize,
) -> Fit {
    let name = format!("{}{}", skeleton.name(bone), shape.node_name());
    Fit { role: role.to_owned(), bone, name, shape, place, turn, vertices }
}

/// Everything that can be fitted, from the head down.
pub(super) fn fit_all(skeleton: &Skeleton, stance: &Stance, roles: &Roles, flesh: &Flesh) -> Vec<Fit> {
    let fitter = Fitter { skeleton, stance, roles, flesh };
    let mut fits = Vec::new();
    fits.extend(fitter.head());
    fits.extend(fitter.limb("neck", "head", [0.0, 1.0]));
    fits.extend(fitter.across("chest", &["chest", "upperChest"]));
    fits.extend(fitter.across("spine", &["spine"]));
    fits.extend(fitter.across("hips", &["hips"]));
    for (from, to, span) in [
        ("UpperArm", "LowerArm", [0.15, 0.9]),
        ("LowerArm", "Hand", [0.1, 0.9]),
        ("UpperLeg", "LowerLeg", [0.3, 0.95]),
        ("LowerLeg", "Foot", [0.05, 0.85]),
    ] {
        fits.extend(fitter.both_sides(from, to, span));
    }
    fits
}

struct Fitter<'a> {
    skeleton: &'a Skeleton,
    stance: &'a Stance,
    roles: &'a Roles,
    flesh: &'a Flesh,
}

impl Fitter<'_> {
    fn points(&self, roles: &[&str]) -> Vec<Vec3> {
        roles.iter().filter_map(|role| self.flesh.get(*role)).flatten().copied().collect()
    }

    /// A ball that is as wide as the head, below the crown and behind the face.
    fn head(&self) -> Option<Fit> {
        let bone = self.roles.bone("head")?;
        let neck = self.stance.head(bone)?;
        let points = self.points(&["head"]);
        if points.len() < FEWEST {
            return None;
        }
        let middle = Vec3::new(neck.x, 0.0, 0.0);
        let half_width = quantile(points.iter().map(|p| (p.x - middle.x).abs()), 0.985)?;
        let [low, high] = span(points.iter().map(|p| p.y), 0.02)?;
        let [back, front] = span(points.iter().map(|p| p.z), 0.02)?;
        // A face without back of the head is a shell: its width tells the depth.
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
        let shape = Shape::Sphere { radius, inside: false };
        let place = Vec3::new(middle.x, y, z);
        Some(fitted("head", bone, self.skeleton, shape, place, Quat::IDENTITY, points.len()))
    }

    /// A capsule from a bone to the next; `span` is the part of it where only this limb is.
    fn limb(&self, role: &str, next: &str, span: [f32; 2]) -> Option<Fit> {
        let bone = self.roles.bone(role)?;
        // What a nameless hand hangs on ends where its child begins.
        let next = self.roles.bone(next).or_else(|| self.skeleton.children(bone).first().copied())?;
        let (from, to) = (self.stance.head(bone)?, self.stance.head(next)?);
        let axis = (to - from).try_normalize()?;
        let length = to.distance(from);
        let turn = Quat::from_rotation_arc(Vec3::Y, axis);
        let (u, v) = (turn * Vec3::X, turn * Vec3::Z);
        let mut slabs: [Vec<Vec2>; SLABS] = Default::default();
        let mut count = 0;
        for p in self.points(&[role]) {
            let t = ((p - from).dot(axis) / length - span[0]) / (span[1] - span[0]);
            if (0.0..=1.0).contains(&t) {
                let slab = ((t * SLABS as f32) as usize).min(SLABS - 1);
                slabs[slab].push(Vec2::new((p - from).dot(u), (p - from).dot(v)));
                count += 1;
            }
        }
        if count < FEWEST {
            return None;
        }
        let radii: Vec<f32> = slabs.iter().flat_map(|slab| sectors(slab, 0.5)).flatten().collect();
        let radius = quantile(radii.iter().copied(), SLIM)?.min(0.8 * length);
        let shape = Shape::Capsule { radius, height: length, inside: false };
        (radius > 0.0).then(|| fitted(role, bone, self.skeleton, shape, from, turn, count))
    }

    /// A limb of both sides; what they have in common is the mean.
    fn both_sides(&self, from: &str, to: &str, span: [f32; 2]) -> Vec<Fit> {
        let side = |side: &str| self.limb(&format!("{side}{from}"), &format!("{side}{to}"), span);
        let mut both: Vec<Fit> = ["left", "right"].into_iter().filter_map(side).collect();
        let radius = both.iter().map(|f| f.shape.field(0)).sum::<f32>() / both.len().max(1) as f32;
        let heights = both.iter().map(|f| f.shape.field(1));
        let (low, high) = (heights.clone().fold(f32::MAX, f32::min), heights.fold(0.0, f32::max));
        for fit in &mut both {
            fit.shape = fit.shape.with_field(0, radius);
            // Limbs of one length get one; a pose that is not even keeps its own.
            if high - low < 0.02 * high {
                fit.shape = fit.shape.with_field(1, f32::midpoint(low, high));
            }
        }
        both
    }

    /// A capsule from side to side, as thick as the body is deep.
    fn across(&self, role: &str, parts: &[&str]) -> Option<Fit> {
        let bone = parts.iter().rev().find_map(|part| self.roles.bone(part))?;
        let points = self.points(parts);
        if points.len() < FEWEST {
            return None;
        }
        let middle = self.stance.head(bone)?.x;
        let [low, high] = span(points.iter().map(|p| p.y), 0.1)?;
        let [back, front] = span(points.iter().map(|p| p.z), 0.05)?;
        let centre = Vec3::new(middle, f32::midpoint(low, high), f32::midpoint(back, front));
        // Away from shoulders and collar, which are narrower.
        let inner = points.iter().filter(|p| (low..=high).contains(&p.y));
        let around: Vec<Vec2> = inner.map(|p| Vec2::new(p.x - centre.x, p.z - centre.z)).collect();
        let radii = sectors(&around, 0.7);
        // Sector 0 looks along +X; the others follow in steps of 30 degrees.
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
            (Shape::Capsule { radius: half_depth, height: 2.0 * half, inside: false }, place)
        } else {
            (Shape::Sphere { radius: half_depth, inside: false }, centre)
        };
        Some(fitted(role, bone, self.skeleton, shape, place, turn, points.len()))
    }
}

/// The distance from the middle below which a share of the points lies, in each direction.
fn sectors(around: &[Vec2], share: f32) -> [Option<f32>; SECTORS] {
    let mut all: [Vec<f32>; SECTORS] = Default::default();
    for p in around {
        let turn = p.y.atan2(p.x) / TAU * SECTORS as f32;
        all[(turn.round().rem_euclid(SECTORS as f32)) as usize % SECTORS].push(p.length());
    }
    all.map(|radii| quantile(radii.into_iter(), share))
}

/// The value below which a share of them lies.
fn quantile(values: impl Iterator<Item = f32>, share: f32) -> Option<f32> {
    let mut all: Vec<f32> = values.filter(|v| v.is_finite()).collect();
    if all.is_empty() {
        return None;
    }
    let at = (share * (all.len() - 1) as f32).round() as usize;
    let (_, value, _) = all.select_nth_unstable_by(at, f32::total_cmp);
    Some(*value)
}

/// From the value that few lie below to the one that as few lie above.
fn span(values: impl Iterator<Item = f32> + Clone, share: f32) -> Option<[f32; 2]> {
    Some([quantile(values.clone(), share)?, quantile(values, 1.0 - share)?])
}
