//! What changes speeds before they are made to fit: damping, gravity, wind and springs.

use super::limits::arc;
use super::{Hang, JointRest, Link, MASS, Motion, NONE, Params, Place, Rest, State};
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::FRAC_PI_3;

/// What is the same for all bodies in one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Seconds.
    pub h: f32,
    /// Which part of this frame's movement of the skeleton is done when the step begins.
    pub before: f32,
    /// The same when it ends.
    pub share: f32,
    /// Length of this step by that of the one before.
    pub pace: f32,
    /// m/s²; each joint has a scale on it.
    pub gravity: Vec3,
    /// m/s².
    pub push: Vec3,
}

/// Share of an offset that a lone spring of `strength` 1/s² takes away per step of `h` seconds, so that it swings at
/// just that speed without loss. No swing is shown faster than six steps long.
pub(super) fn pulled(strength: f32, h: f32) -> f32 {
    let half = (0.5 * (strength.sqrt() * h).min(FRAC_PI_3)).sin();
    4.0 * half * half
}

/// Share of the speed kept over `h` seconds.
#[inline]
pub(super) fn kept(keeping: f32, h: f32) -> f32 {
    (keeping * h).exp()
}

/// Gets each body ready for the step and applies all that pulls at it, parents first.
pub(super) fn apply(rest: &Rest, params: &[Params], state: &mut State, step: &Step) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let place = state.places[i];
        let above = joint.above as usize;
        let link = if joint.above == NONE {
            link(joint, p, &state.hangs[i], place, None, step)
        } else {
            link(joint, p, &state.hangs[i], place, Some((state.places[above], &state.links[above])), step)
        };
        state.links[i] = Link { push: state.links[i].push * step.pace, ..link };
        if !joint.enabled {
            continue;
        }
        let hang = &state.hangs[i];
        let mut motion = state.motions[i];
        motion.speed *= kept(p.keeping[0], step.h);
        motion.spin *= kept(p.keeping[1], step.h);
        motion.speed += (step.gravity * p.gravity + step.push + hang.blow) * step.h;
        if p.linear_spring > 0.0 {
            motion.speed += (hang.center - place.center) * (pulled(p.linear_spring / MASS, step.h) / step.h);
        }
        state.motions[i] = motion;
        if p.angular_spring > 0.0 {
            turn_back(joint, p, state, i, step.h);
        }
        state.bounds[i] = p.limit.bound(p.twist, joint.along, link.frame, place.rotation);
    }
}

fn link(joint: &JointRest, p: &Params, hang: &Hang, place: Place, above: Option<(Place, &Link)>, step: &Step) -> Link {
    let (inverse_inertia, inverse_mass) = if joint.enabled {
        (world_inverse(p.inertia * (hang.size * hang.size), place.rotation), MASS.recip())
    } else {
        (Mat3::ZERO, 0.0)
    };
    let arm = place.rotation * (p.offset * hang.size);
    let mut softness = soften(inverse_inertia, inverse_mass, arm);
    let (mut frame, mut point) = hang_at(hang, step.before);
    let mut arm_above = Vec3::ZERO;
    if let Some((place, link)) = above {
        frame = place.rotation * hang.turn;
        arm_above = place.rotation * hang.at;
        point = place.center + arm_above;
        softness += soften(link.inverse_inertia, link.inverse_mass, arm_above);
    }
    let offset = if p.locked { Vec3::ZERO } else { frame.inverse() * (place.center + arm - point) };
    let stiffness = softness.inverse();
    Link { inverse_inertia, inverse_mass, arm, arm_above, offset, softness, stiffness, frame, push: Vec3::ZERO }
}

/// Where a joint that hangs on the world is when `share` of the frame's movement is done: the turn and the point.
#[inline]
pub(super) fn hang_at(hang: &Hang, share: f32) -> (Quat, Vec3) {
    if share >= 1.0 {
        (hang.turn, hang.at)
    } else {
        (crate::math::lerp_shortest(hang.turn_before, hang.turn, share), hang.at_before.lerp(hang.at, share))
    }
}

/// World inertia to the power of -1.
fn world_inverse(inertia: Vec3, rotation: Quat) -> Mat3 {
    let axes = Mat3::from_quat(rotation);
    let scaled = Mat3::from_cols(axes.x_axis / inertia.x, axes.y_axis / inertia.y, axes.z_axis / inertia.z);
    scaled * axes.transpose()
}

/// The speed that a push at `arm` gives to the point there, along each axis.
fn soften(inverse_inertia: Mat3, inverse_mass: f32, arm: Vec3) -> Mat3 {
    if arm == Vec3::ZERO {
        return Mat3::from_diagonal(Vec3::splat(inverse_mass));
    }
    let column = |axis: Vec3| axis * inverse_mass + (inverse_inertia * arm.cross(axis)).cross(arm);
    Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
}

/// The angular spring: the target axis of the body towards its target on the body above, which it pushes back on.
fn turn_back(joint: &JointRest, p: &Params, state: &mut State, i: usize, h: f32) {
    let (link, place, hang) = (&state.links[i], state.places[i], &state.hangs[i]);
    let axis = p.target_axis.direction(joint.along);
    let target = if p.target == Vec3::ZERO { axis } else { p.target };
    let (about, angle) = arc(place.rotation * axis, link.frame * target);
    if angle == 0.0 {
        return;
    }
    let own = place.rotation.inverse() * about;
    let inertia = (own * own).dot(p.inertia) * (hang.size * hang.size) + MASS * about.cross(link.arm).length_squared();
    let mut softness = inertia.recip();
    let (inverse, above) = (link.inverse_inertia, joint.above as usize);
    let back = if joint.above == NONE { 0.0 } else { 1.0 - p.bias };
    let mut inverse_above = Mat3::ZERO;
    if back > 0.0 {
        inverse_above = state.links[above].inverse_inertia;
        softness += back * about.dot(inverse_above * about);
    }
    let impulse = about * (pulled(p.angular_spring * softness, h) * angle / (h * softness));
    state.motions[i].spin += inverse * impulse;
    if back > 0.0 {
        state.motions[above].spin -= inverse_above * (impulse * back);
    }
}

impl Motion {
    /// As it is, but no faster than numbers and steps can follow.
    #[inline]
    pub(super) fn bounded(self, h: f32) -> Self {
        const FASTEST: f32 = 1e6;
        let most = std::f32::consts::FRAC_PI_2 / h;
        Self { speed: self.speed.clamp_length_max(FASTEST), spin: self.spin.clamp_length_max(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_impulse_of_a_spring_swings_as_fast_as_its_constant_says() {
        let (h, hertz) = (1.0 / 60.0, 3.0);
        let strength = (std::f32::consts::TAU * hertz).powi(2);
        let (mut offset, mut speed, mut crossings) = (1.0_f32, 0.0_f32, 0);
        let share = pulled(strength, h);
        for _ in 0..600 {
            speed -= offset * share / h;
            let next = offset + speed * h;
            crossings += u32::from(next.signum() != offset.signum());
            offset = next;
            assert!(offset.abs() < 1.02, "it loses nothing and gains nothing");
        }
        assert_eq!(crossings, 60, "ten seconds of 3 Hz");
    }

    #[test]
    fn no_spring_is_too_strong_for_a_step() {
        assert!((pulled(1e12, 0.02) - 1.0).abs() < 1e-6);
        assert_eq!(pulled(0.0, 0.02), 0.0);
    }
}
