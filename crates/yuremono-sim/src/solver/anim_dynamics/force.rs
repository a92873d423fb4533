//! Applies damping, gravity, wind and springs before the velocity solve.

use super::body_probe::StepProbe;
use super::limits::axis_angle_between;
use super::{BodyPose, BodyVelocity, JointAnchor, JointConstraint, JointRest, MASS, NO_BODY, Params, Rest, State};
use crate::probe::TipPart;
use glam::{Mat3A, Quat, Vec3, Vec3A, Vec4};
use std::f32::consts::FRAC_PI_3;

#[derive(Clone, Copy, Debug)]
pub(super) struct StepContext<P> {
    /// Length of the step, in seconds.
    pub step_seconds: f32,
    /// Share of the frame's skeleton motion that is done at the start of the step.
    pub start_fraction: f32,
    /// Share of the frame's skeleton motion that is done at the end of the step.
    pub end_fraction: f32,
    /// Length of this step relative to the last step.
    pub step_ratio: f32,
    /// Gravity in m/s², before each joint's gravity scale.
    pub gravity: Vec3A,
    /// External acceleration in m/s².
    pub external_acceleration: Vec3A,
    /// Part of the external acceleration that the motion of the simulation space causes, in m/s².
    pub space_acceleration: Vec3A,
    pub probe: P,
}

impl<P: StepProbe> StepContext<P> {
    /// Reports where bodies will be at the end of the step at their current velocities.
    #[inline]
    pub(super) fn reach<const N: usize>(&self, part: TipPart, state: &State, bodies: [(usize, BodyVelocity); N]) {
        for (i, motion) in bodies {
            self.probe.reach_moving(part, state, i, motion, self.step_seconds);
        }
    }
}

/// Returns the share of an offset that a spring of `strength` 1/s² removes per step of `h` seconds. A spring without
/// other forces then has exactly its frequency and loses no energy. Stiffer springs are limited so that one period
/// spans at least six steps.
pub(super) fn offset_removed(strength: f32, h: f32) -> f32 {
    let half = libm::sinf(0.5 * (strength.sqrt() * h).min(FRAC_PI_3));
    4.0 * half * half
}

/// Returns the share of the velocity that is kept over `h` seconds.
#[inline]
pub(super) fn velocity_retention(keeping: f32, h: f32) -> f32 {
    libm::expf(keeping * h)
}

/// Prepares each body for the step and applies all forces. Parents come first.
pub(super) fn apply_forces<P: StepProbe>(rest: &Rest, params: &[Params], state: &mut State, step: &StepContext<P>) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let place = state.body_poses[i];
        let above = joint.parent_joint as usize;
        let link = if joint.parent_joint == NO_BODY {
            prepare_constraint(joint, p, &state.anchors[i], place, None, step)
        } else {
            prepare_constraint(
                joint,
                p,
                &state.anchors[i],
                place,
                Some((state.body_poses[above], &state.constraints[above])),
                step,
            )
        };
        state.constraints[i] =
            JointConstraint { accumulated_impulse: state.constraints[i].accumulated_impulse * step.step_ratio, ..link };
        if !joint.enabled {
            continue;
        }
        let hang = &state.anchors[i];
        let mut motion = state.body_velocities[i];
        motion.linear *= velocity_retention(p.log_velocity_retention[0], step.step_seconds);
        motion.angular *= velocity_retention(p.log_velocity_retention[1], step.step_seconds);
        let slowed = motion;
        motion.linear += (step.gravity * p.gravity_scale + step.external_acceleration + hang.external_acceleration)
            * step.step_seconds;
        if P::IS_ON {
            record_forces(step, state, i, p, [slowed, motion]);
        }
        if p.linear_spring > 0.0 {
            motion.linear += (hang.body_center - place.center)
                * (offset_removed(p.linear_spring / MASS, step.step_seconds) / step.step_seconds);
            step.reach(TipPart::Spring, state, [(i, motion)]);
        }
        state.body_velocities[i] = motion;
        if p.angular_spring > 0.0 {
            apply_angular_spring(joint, p, state, i, step);
        }
        state.angular_bounds[i] = p.angular_limit.remaining_bounds(
            p.twist_axis,
            &joint.bone_direction,
            link.reference_rotation,
            place.rotation,
        );
    }
}

/// Records the effect of drag, gravity and forces on the body of index `body`.
#[cold]
#[inline(never)]
fn record_forces<P: StepProbe>(
    step: &StepContext<P>,
    state: &State,
    body: usize,
    p: &Params,
    [slowed, pushed]: [BodyVelocity; 2],
) {
    let faster = |motion: BodyVelocity, acceleration: Vec3A| BodyVelocity {
        linear: motion.linear + acceleration * step.step_seconds,
        ..motion
    };
    let inert = faster(slowed, step.space_acceleration);
    step.reach(TipPart::Inertia, state, [(body, inert)]);
    step.reach(TipPart::Gravity, state, [(body, faster(inert, step.gravity * p.gravity_scale))]);
    step.reach(TipPart::Force, state, [(body, pushed)]);
}

fn prepare_constraint<P>(
    joint: &JointRest,
    p: &Params,
    hang: &JointAnchor,
    place: BodyPose,
    above: Option<(BodyPose, &JointConstraint)>,
    step: &StepContext<P>,
) -> JointConstraint {
    let (inverse_inertia, inverse_mass) = if joint.enabled {
        (world_inverse_inertia(p.inertia * (hang.scale * hang.scale), place.rotation), MASS.recip())
    } else {
        (Mat3A::ZERO, 0.0)
    };
    let arm = place.rotation * (p.joint_offset * hang.scale);
    let mut softness = inverse_effective_mass(inverse_inertia, inverse_mass, arm);
    let (mut frame, mut point) = anchor_at(hang, step.start_fraction);
    let mut arm_above = Vec3A::ZERO;
    if let Some((place, link)) = above {
        frame = place.rotation * hang.rotation;
        arm_above = place.rotation * hang.position;
        point = place.center + arm_above;
        softness += inverse_effective_mass(link.inverse_inertia, link.inverse_mass, arm_above);
    }
    let offset = if p.locked { Vec3A::ZERO } else { frame.inverse() * (place.center + arm - point) };
    let stiffness = softness.inverse();
    JointConstraint {
        inverse_inertia,
        inverse_mass,
        lever_arm: arm,
        parent_lever_arm: arm_above,
        offset,
        inverse_effective_mass: softness,
        effective_mass: stiffness,
        reference_rotation: frame,
        accumulated_impulse: Vec3A::ZERO,
    }
}

/// Returns rotation and joint point of a joint attached to the world, at `share` of the frame's motion.
#[inline]
pub(super) fn anchor_at(hang: &JointAnchor, share: f32) -> (Quat, Vec3A) {
    if share >= 1.0 {
        (hang.rotation, hang.position)
    } else {
        (
            crate::math::lerp_shortest(hang.previous_rotation, hang.rotation, share),
            hang.previous_position.lerp(hang.position, share),
        )
    }
}

/// Returns the inverse inertia in world space.
fn world_inverse_inertia(inertia: Vec3A, rotation: Quat) -> Mat3A {
    let axes = Mat3A::from_quat(rotation);
    let scaled = Mat3A::from_cols(axes.x_axis / inertia.x, axes.y_axis / inertia.y, axes.z_axis / inertia.z);
    scaled * axes.transpose()
}

/// Returns the velocity change per impulse at `arm`, along each axis.
fn inverse_effective_mass(inverse_inertia: Mat3A, inverse_mass: f32, arm: Vec3A) -> Mat3A {
    if arm == Vec3A::ZERO {
        return Mat3A::from_diagonal(Vec3::splat(inverse_mass));
    }
    let column = |axis: Vec3A| axis * inverse_mass + (inverse_inertia * arm.cross(axis)).cross(arm);
    Mat3A::from_cols(column(Vec3A::X), column(Vec3A::Y), column(Vec3A::Z))
}

/// Applies the angular spring: rotates the target axis of the body towards its target on the parent, with a reaction on
/// the parent.
fn apply_angular_spring<P: StepProbe>(
    joint: &JointRest,
    p: &Params,
    state: &mut State,
    i: usize,
    step: &StepContext<P>,
) {
    let h = step.step_seconds;
    let (link, place, hang) = (&state.constraints[i], state.body_poses[i], &state.anchors[i]);
    let axis = p.target_axis.direction(&joint.bone_direction);
    let target = if p.target_direction == Vec3A::ZERO { axis } else { p.target_direction };
    let (about, angle) = axis_angle_between(place.rotation * axis, link.reference_rotation * target);
    if angle == 0.0 {
        return;
    }
    let own = place.rotation.inverse() * about;
    let inertia =
        (own * own).dot(p.inertia) * (hang.scale * hang.scale) + MASS * about.cross(link.lever_arm).length_squared();
    let mut softness = inertia.recip();
    let (inverse, above) = (link.inverse_inertia, joint.parent_joint as usize);
    let back = if joint.parent_joint == NO_BODY { 0.0 } else { 1.0 - p.bias };
    let mut inverse_above = Mat3A::ZERO;
    if back > 0.0 {
        inverse_above = state.constraints[above].inverse_inertia;
        softness += back * about.dot(inverse_above * about);
    }
    let impulse = about * (offset_removed(p.angular_spring * softness, h) * angle / (h * softness));
    state.body_velocities[i].angular += inverse * impulse;
    step.reach(TipPart::Spring, state, [(i, state.body_velocities[i])]);
    if back > 0.0 {
        state.body_velocities[above].angular -= inverse_above * (impulse * back);
        step.reach(TipPart::Spring, state, [(above, state.body_velocities[above])]);
    }
}

impl BodyPose {
    /// Returns the pose after `seconds` at the velocity `motion`.
    #[inline]
    pub(super) fn moved_by(self, motion: BodyVelocity, seconds: f32) -> Self {
        Self {
            center: self.center + motion.linear * seconds,
            rotation: integrate_rotation(self.rotation, motion.angular * seconds),
        }
    }
}

/// Returns the rotation after a turn by a rotation vector, in radians. The error is below 0.1 % up to a quarter turn.
#[inline]
fn integrate_rotation(rotation: Quat, turn: Vec3A) -> Quat {
    let half = turn * 0.5;
    let squared = half.length_squared();
    let sine = half * (1.0 - squared * (1.0 / 6.0 - squared / 120.0));
    let cosine = 1.0 - squared * (0.5 - squared / 24.0);
    (Quat::from_vec4(Vec4::new(sine.x, sine.y, sine.z, cosine)) * rotation).normalize()
}

impl BodyVelocity {
    /// Clamps the velocities to the range that `f32` and a step can handle.
    #[inline]
    pub(super) fn clamped(self, h: f32) -> Self {
        const MAX_SPEED: f32 = 1e6;
        let most = std::f32::consts::FRAC_PI_2 / h;
        Self { linear: self.linear.clamp_length_max(MAX_SPEED), angular: self.angular.clamp_length_max(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spring_impulses_oscillate_at_the_frequency_of_the_spring_constant() {
        let (h, hertz) = (1.0 / 60.0, 3.0);
        let strength = (std::f32::consts::TAU * hertz).powi(2);
        let (mut offset, mut speed, mut crossings) = (1.0_f32, 0.0_f32, 0);
        let share = offset_removed(strength, h);
        for _ in 0..600 {
            speed -= offset * share / h;
            let next = offset + speed * h;
            crossings += u32::from(next.signum() != offset.signum());
            offset = next;
            assert!(offset.abs() < 1.02, "the spring gained energy");
        }
        assert_eq!(crossings, 60, "ten seconds at 3 Hz cross rest 60 times");
    }

    #[test]
    fn the_offset_removed_in_one_step_is_limited() {
        assert!((offset_removed(1e12, 0.02) - 1.0).abs() < 1e-6);
        assert_eq!(offset_removed(0.0, 0.02), 0.0);
    }
}
