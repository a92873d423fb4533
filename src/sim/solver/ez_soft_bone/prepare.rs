//! What stays the same for all substeps of a frame: arms, lengths, forces, shares, and where colliders stand.

use super::super::super::scene::Scene;
use super::colliders::Placed;
use super::{Abreast, NONE, Params, Rest, State, System, field, lossy_scale, vector};
use crate::math::{Frame, Quatx4, Vec3x4, lanes};
use crate::sim::kernel::unit_or_zero;
use glam::{BVec4A, Vec3, Vec4};
use std::f32::consts::PI;

/// What four particles that swing need in every substep of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Now {
    /// From the parents to where the pose has them, metres.
    pub(super) arm: Vec3x4,
    /// Length of that, metres.
    pub(super) length: Vec4,
    /// Distances to the siblings on each side, metres.
    pub(super) sides: [Vec4; 2],
    /// What forces add to the speed, m/s.
    pub(super) push: Vec3x4,
    /// Shares: of the speed that is kept, of the way back to the pose, and of the stretch that stays.
    pub(super) kept: Vec4,
    pub(super) pull: Vec4,
    pub(super) slack: Vec4,
    /// Metres.
    pub(super) radius: Vec4,
    /// Whether any of them has something to touch.
    pub(super) may_touch: bool,
}

/// What all particles share.
struct Shared<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    gravity: Vec3,
    /// All forces where the field blows none, m/s.
    calm: Vec3,
    /// Factors on the force field, on all forces and on radii.
    wind_scale: f32,
    force_scale: Vec3,
    radius_scale: f32,
    /// One substep's part of a frame.
    each: f32,
    clock: f32,
}

pub(super) fn prepare(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &Scene<'_>) {
    for (i, (placed, collider)) in state.placed.iter_mut().zip(scene.colliders).enumerate() {
        *placed = Placed::new(collider, &scene.frames[collider.bone as usize], rest.margins[i]);
    }
    place_hulls(rest, state, scene);
    let (force_scale, radius_scale) = component_scale(rest, scene);
    let gravity = system.gravity * turned_away(rest, system.gravity, scene);
    let shared = Shared {
        rest,
        params,
        gravity,
        calm: gravity * force_scale,
        wind_scale: system.force_scale,
        force_scale,
        radius_scale,
        each: 1.0 / f32::from(system.iterations),
        clock: state.clock,
    };
    for (now, abreast) in state.now.iter_mut().zip(&rest.fours).filter(|(_, abreast)| abreast.swings) {
        *now = shared.now(abreast, scene.frames);
    }
}

impl Shared<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all particles share stays in registers")]
    fn now(&self, abreast: &Abreast, frames: &[Frame]) -> Now {
        let (rest, each) = (self.rest, Vec4::splat(self.each));
        let p = lanes(|lane| &self.params[abreast.joints[lane] as usize]);
        let arm = arms(lanes(|lane| &frames[abreast.heads[lane] as usize]), abreast.local);
        let force = if rest.field.is_some() { self.blown(abreast, frames) } else { Vec3x4::splat(self.calm) };
        let felt = Vec4::from_array(lanes(|lane| p[lane].felt));
        let radius = Vec4::from_array(lanes(|lane| p[lane].radius)) * self.radius_scale;
        Now {
            arm,
            length: arm.length(),
            sides: if rest.is_linked { sides(rest, abreast, frames) } else { [Vec4::ZERO; 2] },
            push: force * felt * each,
            kept: Vec4::from_array(lanes(|lane| p[lane].kept)),
            pull: (Vec4::from_array(lanes(|lane| p[lane].stiffness)) * each).clamp(Vec4::ZERO, Vec4::ONE),
            slack: (Vec4::from_array(lanes(|lane| p[lane].slackness)) * each).clamp(Vec4::ZERO, Vec4::ONE),
            radius,
            may_touch: !rest.colliders.is_empty() && radius.cmpgt(Vec4::ZERO).any(),
        }
    }

    /// Gravity and what the force field adds to it.
    #[inline(never)]
    fn blown(&self, abreast: &Abreast, frames: &[Frame]) -> Vec3x4 {
        let along = |lane: usize| self.rest.particles[abreast.four.places[lane] as usize].along;
        let wind = |lane: usize| field::at(self.rest.field.as_ref(), self.clock, along(lane), frames);
        Vec3x4::new(lanes(|lane| (self.gravity + wind(lane) * self.wind_scale) * self.force_scale))
    }
}

/// Ways in bones' own spaces, as the world sees them.
#[inline]
fn arms(frames: [&Frame; 4], local: Vec3x4) -> Vec3x4 {
    let arms = Quatx4::new(lanes(|lane| frames[lane].rotation)) * local;
    let is_scaled = lanes(|lane| frames[lane].scaled);
    if is_scaled == [false; 4] {
        return arms;
    }
    arms.mend(BVec4A::from_array(is_scaled), |lane, _| vector(frames[lane], local.each()[lane]))
}

/// Distances to the siblings in the pose, metres.
fn sides(rest: &Rest, abreast: &Abreast, frames: &[Frame]) -> [Vec4; 2] {
    let bones = if abreast.has_bones { abreast.bones } else { abreast.heads };
    let distance = |lane: usize, side: usize| {
        let sibling = &rest.particles[abreast.four.places[lane] as usize].siblings[side];
        if sibling.at == NONE { 0.0 } else { vector(&frames[bones[lane] as usize], sibling.offset).length() }
    };
    [0, 1].map(|side| Vec4::from_array(lanes(|lane| distance(lane, side))))
}

/// The component's own scale, which forces follow, and its largest in the world, which radii follow.
fn component_scale(rest: &Rest, scene: &Scene<'_>) -> (Vec3, f32) {
    match scene.frames.get(rest.component as usize) {
        Some(frame) => (scene.pose[rest.component as usize].scale, lossy_scale(frame).max_element()),
        None => (Vec3::ONE, 1.0),
    }
}

/// How far the aligner has turned gravity away from where it points, 0 to 1.
fn turned_away(rest: &Rest, gravity: Vec3, scene: &Scene<'_>) -> f32 {
    let Some(aligner) = scene.frames.get(rest.aligner as usize) else { return 1.0 };
    let cosine = unit_or_zero(aligner.rotation * gravity).dot(unit_or_zero(gravity));
    // Differs from EZSoftBone: a cosine that rounding puts above 1 has no angle there, and its bones vanish.
    cosine.clamp(-1.0, 1.0).acos() / PI
}

/// Moves the corners and the colliders of all hulls to where their bones are.
fn place_hulls(rest: &Rest, state: &mut State, scene: &Scene<'_>) {
    for (i, hull) in (0..).zip(&rest.hulls) {
        let at = hull.collider as usize;
        let (Some(placed), Some(collider)) = (state.placed.get_mut(at), scene.colliders.get(at)) else { continue };
        let middle = hull.place(&mut state.corners, &scene.frames[collider.bone as usize]);
        *placed = Placed::hull(collider, rest.margins[at], i, middle);
    }
}
