//! What stays the same for all substeps of a frame: arms, lengths, forces, shares, and where colliders stand.

use super::super::super::scene::Scene;
use super::colliders::EzWorldCollider;
use super::{NONE, Params, PointBatch, Rest, State, System, force_field, lossy_scale, vector_to_world};
use crate::math::{Frame, Quatx4, Vec3x4, from_lanes};
use crate::sim::vec_util::unit_or_zero;
use glam::{BVec4A, Vec3, Vec4};
use std::f32::consts::PI;

/// What four particles that swing need in every substep of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BatchInput {
    /// From the parents to where the pose has them, metres.
    pub(super) animated_offset: Vec3x4,
    /// Length of that, metres.
    pub(super) animated_length: Vec4,
    /// Distances to the siblings on each side, metres.
    pub(super) sibling_distances: [Vec4; 2],
    /// What forces add to the speed, m/s.
    pub(super) velocity_added: Vec3x4,
    /// Shares: of the speed that is kept, of the way back to the pose, and of the stretch that stays.
    pub(super) velocity_retention: Vec4,
    pub(super) offset_removed: Vec4,
    pub(super) slackness: Vec4,
    /// Metres.
    pub(super) radius: Vec4,
    /// Whether any of them has something to touch.
    pub(super) may_collide: bool,
}

/// What all particles share.
struct FrameContext<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    gravity: Vec3,
    /// All forces where the field blows none, m/s.
    force_without_field: Vec3,
    /// Factors on the force field, on all forces and on radii.
    field_scale: f32,
    force_scale: Vec3,
    radius_scale: f32,
    /// One substep's part of a frame.
    substep_fraction: f32,
    wind_time: f32,
}

pub(super) fn prepare(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &Scene<'_>) {
    for (i, (placed, collider)) in state.world_colliders.iter_mut().zip(scene.colliders).enumerate() {
        *placed = EzWorldCollider::new(collider, &scene.frames[collider.bone as usize], rest.margins[i]);
    }
    update_hulls(rest, state, scene);
    let (force_scale, radius_scale) = component_scale(rest, scene);
    let gravity = system.gravity * gravity_aligner_factor(rest, system.gravity, scene);
    let shared = FrameContext {
        rest,
        params,
        gravity,
        force_without_field: gravity * force_scale,
        field_scale: system.force_scale,
        force_scale,
        radius_scale,
        substep_fraction: 1.0 / f32::from(system.iterations),
        wind_time: state.wind_time,
    };
    for (now, abreast) in
        state.batch_inputs.iter_mut().zip(&rest.point_batches).filter(|(_, abreast)| abreast.is_beyond_start_depth)
    {
        *now = shared.batch_input(abreast, scene.frames);
    }
}

impl FrameContext<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all particles share stays in registers")]
    fn batch_input(&self, abreast: &PointBatch, frames: &[Frame]) -> BatchInput {
        let (rest, each) = (self.rest, Vec4::splat(self.substep_fraction));
        let p = from_lanes(|lane| &self.params[abreast.head_joints[lane] as usize]);
        let arm =
            offsets_to_world(from_lanes(|lane| &frames[abreast.head_bones[lane] as usize]), abreast.local_offsets);
        let force = if rest.force_field.is_some() {
            self.force_with_field(abreast, frames)
        } else {
            Vec3x4::splat(self.force_without_field)
        };
        let felt = Vec4::from_array(from_lanes(|lane| p[lane].force_fraction));
        let radius = Vec4::from_array(from_lanes(|lane| p[lane].radius)) * self.radius_scale;
        BatchInput {
            animated_offset: arm,
            animated_length: arm.length(),
            sibling_distances: if rest.has_siblings {
                sibling_distances(rest, abreast, frames)
            } else {
                [Vec4::ZERO; 2]
            },
            velocity_added: force * felt * each,
            velocity_retention: Vec4::from_array(from_lanes(|lane| p[lane].velocity_retention)),
            offset_removed: (Vec4::from_array(from_lanes(|lane| p[lane].stiffness)) * each)
                .clamp(Vec4::ZERO, Vec4::ONE),
            slackness: (Vec4::from_array(from_lanes(|lane| p[lane].slackness)) * each).clamp(Vec4::ZERO, Vec4::ONE),
            radius,
            may_collide: !rest.colliders.is_empty() && radius.cmpgt(Vec4::ZERO).any(),
        }
    }

    /// Gravity and what the force field adds to it.
    #[inline(never)]
    fn force_with_field(&self, abreast: &PointBatch, frames: &[Frame]) -> Vec3x4 {
        let along = |lane: usize| self.rest.particles[abreast.batch.indices[lane] as usize].length_fraction;
        let wind =
            |lane: usize| force_field::force_at(self.rest.force_field.as_ref(), self.wind_time, along(lane), frames);
        Vec3x4::new(from_lanes(|lane| (self.gravity + wind(lane) * self.field_scale) * self.force_scale))
    }
}

/// Ways in bones' own spaces, as the world sees them.
#[inline]
fn offsets_to_world(frames: [&Frame; 4], local: Vec3x4) -> Vec3x4 {
    let arms = Quatx4::new(from_lanes(|lane| frames[lane].rotation)) * local;
    let is_scaled = from_lanes(|lane| frames[lane].scaled);
    if is_scaled == [false; 4] {
        return arms;
    }
    arms.replace_lanes(BVec4A::from_array(is_scaled), |lane, _| vector_to_world(frames[lane], local.to_array()[lane]))
}

/// Distances to the siblings in the pose, metres.
fn sibling_distances(rest: &Rest, abreast: &PointBatch, frames: &[Frame]) -> [Vec4; 2] {
    let bones = if abreast.has_bones { abreast.bones } else { abreast.head_bones };
    let distance = |lane: usize, side: usize| {
        let sibling = &rest.particles[abreast.batch.indices[lane] as usize].siblings[side];
        if sibling.particle == NONE {
            0.0
        } else {
            vector_to_world(&frames[bones[lane] as usize], sibling.offset).length()
        }
    };
    [0, 1].map(|side| Vec4::from_array(from_lanes(|lane| distance(lane, side))))
}

/// The component's own scale, which forces follow, and its largest in the world, which radii follow.
fn component_scale(rest: &Rest, scene: &Scene<'_>) -> (Vec3, f32) {
    match scene.frames.get(rest.component as usize) {
        Some(frame) => (scene.pose[rest.component as usize].scale, lossy_scale(frame).max_element()),
        None => (Vec3::ONE, 1.0),
    }
}

/// How far the aligner has turned gravity away from where it points, 0 to 1.
fn gravity_aligner_factor(rest: &Rest, gravity: Vec3, scene: &Scene<'_>) -> f32 {
    let Some(aligner) = scene.frames.get(rest.gravity_aligner as usize) else { return 1.0 };
    let cosine = unit_or_zero(aligner.rotation * gravity).dot(unit_or_zero(gravity));
    // Differs from EZSoftBone: a cosine that rounding puts above 1 has no angle there, and its bones vanish.
    cosine.clamp(-1.0, 1.0).acos() / PI
}

/// Moves the corners and the colliders of all hulls to where their bones are.
fn update_hulls(rest: &Rest, state: &mut State, scene: &Scene<'_>) {
    for (i, hull) in (0..).zip(&rest.hulls) {
        let at = hull.collider as usize;
        let (Some(placed), Some(collider)) = (state.world_colliders.get_mut(at), scene.colliders.get(at)) else {
            continue;
        };
        let middle = hull.update_corners(&mut state.hull_corners, &scene.frames[collider.bone as usize]);
        *placed = EzWorldCollider::from_hull(collider, rest.margins[at], i, middle);
    }
}
