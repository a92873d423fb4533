//! Simulates one frame of every hinge.

use super::{AngleLimits, HingeMotion, HingeVariant, JointRest, Params, Rest, State, System};
use crate::math::{Frame, Trs};
use crate::probe::TipPart;
use crate::step_pose::StepPose;
use glam::{Quat, Vec3};

/// Largest velocity in degrees per second, and largest angle in degrees. The hinge resets beyond these values.
const MAX_DEGREES: f32 = 1e6;

/// Factors of the hand-tuned listing: on the body's motion, on gravity, and on the sum of both, in degrees.
const HAND_TUNED_MOTION_SHARE: f32 = 0.04;
const HAND_TUNED_GRAVITY_SHARE: f32 = 2.0;
const HAND_TUNED_DEGREES: f32 = 1000.0;
/// Gravity that the hinge article assumes, in m/s². The hand-tuned listing has no parameter for gravity.
const EARTH_GRAVITY: f32 = 9.8;

/// Share of the velocity that the full listing loses in every step. The listing mistakes its own rotation for motion
/// of the body.
pub(super) const FULL_SELF_DAMPING: f32 = 2.0 * std::f32::consts::PI / 180.0;
/// Share of the velocity that the hand-tuned listing loses in every step, per metre between axis and centre of mass.
pub(super) const HAND_TUNED_SELF_DAMPING: f32 =
    HAND_TUNED_MOTION_SHARE * HAND_TUNED_DEGREES * std::f32::consts::PI / 180.0;
/// Angular acceleration by Earth's gravity in the hand-tuned listing if the arm is level, in degrees per s².
pub(super) const HAND_TUNED_GRAVITY: f32 = HAND_TUNED_GRAVITY_SHARE * HAND_TUNED_DEGREES;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct HingeState {
    /// Angle from the animated pose, in degrees.
    angle: f32,
    /// Degrees per second.
    velocity: f32,
    /// Angle of the displayed bone, in degrees.
    displayed_angle: f32,
    /// Rotation by which the user dragged the hinge in the last step, in degrees.
    drag_delta: Option<f32>,
    /// Centre of mass before the last rotation, in metres in the world.
    last_center: Vec3,
    /// Animated frames of this step and of the last step.
    animated_frames: [Frame; 2],
    /// Centre of mass in this step, in metres in the world. `previous` is the centre of mass in the last step.
    pub(super) tip: Vec3,
    pub(super) previous: Vec3,
    /// Axis and centre of mass in bone space in the last step, used while the user drags the joint.
    axis: Vec3,
    center: Vec3,
}

impl HingeState {
    /// Starts with a motion. The bone is displayed at the angle `shown`.
    pub(super) fn start(&mut self, joint: &JointRest, motion: HingeMotion, shown: f32, step_pose: &mut StepPose<'_>) {
        let unturned = step_pose.frames[joint.bone as usize];
        if shown != 0.0 {
            write_rotation(
                joint.bone,
                rotated_about(step_pose.pose[joint.bone as usize].rotation, joint.axis, shown),
                step_pose,
            );
        }
        let tip = step_pose.frames[joint.bone as usize].transform_point(joint.center);
        *self = Self {
            angle: motion.angle,
            velocity: motion.velocity,
            displayed_angle: shown,
            drag_delta: None,
            last_center: tip,
            animated_frames: [unturned; 2],
            tip,
            previous: tip,
            axis: joint.axis,
            center: joint.center,
        };
    }

    /// Sets the angle that brings the centre of mass closest to `tip`.
    pub(super) fn drag_to(&mut self, tip: Vec3, previous: Vec3) {
        (self.tip, self.previous, self.last_center) = (tip, previous, tip);
        let (Some(now), Some(before)) = (self.angle_towards(tip), self.angle_towards(previous)) else { return };
        self.angle = self.with_full_turns(now);
        self.displayed_angle = self.angle;
        self.drag_delta = Some(wrap_degrees(now - before));
    }

    /// Adds a velocity of the centre of mass, in m/s. Only its part in the direction of the rotation counts.
    pub(super) fn add_velocity(&mut self, velocity: Vec3) {
        let frame = &self.animated_frames[0];
        let arm = self.tip - frame.position;
        let turned = (frame.rotation * self.axis).cross(arm);
        if turned.length_squared() > f32::MIN_POSITIVE {
            self.velocity += (velocity.dot(turned) / turned.length_squared()).to_degrees();
        }
    }

    /// Adds the full turns that bring an angle closest to the current angle, in degrees.
    fn with_full_turns(&self, angle: f32) -> f32 {
        angle + 360.0 * ((self.angle - angle) / 360.0).round()
    }

    /// The direction of the centre of mass at the angle that is closest to `direction` within `limits`.
    pub(super) fn reachable_direction(&self, direction: Vec3, limits: AngleLimits) -> Vec3 {
        let frame = &self.animated_frames[0];
        let Some(angle) = self.angle_towards(frame.position + direction) else { return direction };
        let angle = limits.clamp(self.with_full_turns(angle));
        let arm = frame.transform_point(self.center) - frame.position;
        Quat::from_axis_angle(frame.rotation * self.axis, angle.to_radians()) * arm
    }

    /// Angle at which the centre of mass points at a position in the world, in degrees.
    fn angle_towards(&self, place: Vec3) -> Option<f32> {
        let frame = &self.animated_frames[0];
        let axis = frame.rotation * self.axis;
        let angle =
            signed_angle_about(axis, frame.transform_point(self.center) - frame.position, place - frame.position)
                .to_degrees();
        angle.is_finite().then_some(angle)
    }
}

/// Signed angle between two directions about an axis, in radians.
fn signed_angle_about(axis: Vec3, from: Vec3, to: Vec3) -> f32 {
    let (from, to) = (from - axis * axis.dot(from), to - axis * axis.dot(to));
    libm::atan2f(axis.dot(from.cross(to)), from.dot(to))
}

fn wrap_degrees(degrees: f32) -> f32 {
    degrees - 360.0 * (degrees / 360.0).round()
}

fn rotated_about(unturned: Quat, axis: Vec3, degrees: f32) -> Quat {
    unturned * Quat::from_axis_angle(axis, degrees.to_radians())
}

fn write_rotation(bone: u32, rotation: Quat, step_pose: &mut StepPose<'_>) {
    if rotation.is_finite() {
        step_pose.pose[bone as usize].rotation = rotation;
        step_pose.refresh(bone);
    }
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    match step_pose.probe {
        None => solve_hinges::<false>(rest, params, system, state, step_pose, dt),
        Some(_) => solve_hinges::<true>(rest, params, system, state, step_pose, dt),
    }
}

/// Works like [`solve`]. `PROBED` is whether a probe is on: without one, the values of a step have no reference that
/// leaves the loop, and [`HingeState::step`] has one caller, so that the compiler keeps the whole step in registers.
fn solve_hinges<const PROBED: bool>(
    rest: &Rest,
    params: &[Params],
    system: System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let before = if state.previous_dt > 0.0 { state.previous_dt } else { dt };
    for (index, ((joint, p), hinge_state)) in rest.joints.iter().zip(params).zip(&mut state.hinges).enumerate() {
        rest.refresh_path(joint, step_pose);
        // `update_switches` has already limited the distance of the centre of mass.
        let p = &Params { center: joint.center, ..*p };
        (hinge_state.axis, hinge_state.center) = (p.axis, p.center);
        if !joint.enabled {
            hinge_state.start(joint, HingeMotion::default(), 0.0, step_pose);
            continue;
        }
        let animated = step_pose.pose[joint.bone as usize].rotation;
        let unturned = step_pose.frames[joint.bone as usize];
        write_rotation(joint.bone, rotated_about(animated, p.axis, hinge_state.displayed_angle), step_pose);
        if dt > 0.0 {
            let body = BodyMotion {
                dt,
                previous_dt: before,
                animated_frames: [unturned, hinge_state.animated_frames[0], hinge_state.animated_frames[1]],
            };
            if PROBED {
                let hinge = ProbedHinge { index, bone: joint.bone as usize, animated_rotation: animated };
                report_parts(hinge, p, system, hinge_state, &body, step_pose);
            }
            hinge_state.step::<PROBED>(p, system, &step_pose.frames[joint.bone as usize], &body);
            hinge_state.animated_frames = [unturned, hinge_state.animated_frames[0]];
            write_rotation(joint.bone, rotated_about(animated, p.axis, hinge_state.angle), step_pose);
            hinge_state.displayed_angle = hinge_state.angle;
        }
        let tip = step_pose.frames[joint.bone as usize].transform_point(p.center);
        let tip = if tip.is_finite() { tip } else { hinge_state.tip };
        if PROBED
            && dt <= 0.0
            && let Some(probe) = step_pose.probe
        {
            probe.reach(index, TipPart::Inertia, tip);
        }
        (hinge_state.tip, hinge_state.previous) = (tip, if dt > 0.0 { hinge_state.tip } else { hinge_state.previous });
    }
    if dt > 0.0 {
        state.previous_dt = dt;
    }
}

/// A hinge whose parts of the step are reported.
#[derive(Clone, Copy)]
struct ProbedHinge {
    /// Index of the joint.
    index: usize,
    /// Index of the bone.
    bone: usize,
    /// Animated rotation of the bone.
    animated_rotation: Quat,
}

/// Reports the parts of the step that [`HingeState::step`] is about to run to the probe.
fn report_parts(
    hinge: ProbedHinge,
    p: &Params,
    system: System,
    state: &HingeState,
    body: &BodyMotion,
    step_pose: &StepPose<'_>,
) {
    let Some(probe) = step_pose.probe else { return };
    let ProbedHinge { index, bone, animated_rotation } = hinge;
    let parent = step_pose.parent_frame(step_pose.parents[bone]);
    for (part, degrees) in state.angles_by_part(p, system, &step_pose.frames[bone], body) {
        let local = Trs { rotation: rotated_about(animated_rotation, p.axis, degrees), ..step_pose.pose[bone] };
        probe.reach(index, part, parent.child(&local).transform_point(p.center));
    }
}

/// Motion of the body at one hinge.
struct BodyMotion {
    /// Lengths of this step and of the last step, in seconds.
    dt: f32,
    previous_dt: f32,
    /// Animated frames of this step, of the last step, and of the step before the last.
    animated_frames: [Frame; 3],
}

impl BodyMotion {
    /// Acceleration of a point in bone space that follows the animated pose, in m/s².
    fn acceleration(&self, at: Vec3) -> Vec3 {
        let [now, last, older] = [0, 1, 2].map(|i| self.animated_frames[i].transform_point(at));
        ((now - last) / self.dt - (last - older) / self.previous_dt) / self.dt
    }
}

impl HingeState {
    /// Advances angle and velocity by one step; `shown` is the current frame of the bone. `PROBED` has no effect; see
    /// [`solve_hinges`].
    fn step<const PROBED: bool>(&mut self, p: &Params, system: System, shown: &Frame, body: &BodyMotion) {
        let dt = body.dt;
        if let Some(handed) = self.drag_delta.take() {
            self.velocity = handed / body.previous_dt;
        }
        let center = shown.transform_point(p.center);
        let arm = center - shown.position;
        let moved = self.last_center - center;
        let down = Vec3::NEG_Y * p.gravity;
        let pull = down * system.gravity;
        self.velocity += match system.variant {
            HingeVariant::HandTuned => {
                let along = (shown.linear() * p.axis.cross(p.center)).normalize_or_zero();
                let fallen = down * (system.gravity / EARTH_GRAVITY) * HAND_TUNED_GRAVITY_SHARE * dt;
                along.dot(moved * (p.inertia * HAND_TUNED_MOTION_SHARE / dt) + fallen) * HAND_TUNED_DEGREES
            }
            HingeVariant::Gravity => angular_acceleration(p, system, shown, arm, pull) * dt,
            HingeVariant::Full if system.physical => {
                let felt =
                    body.acceleration(Quat::from_axis_angle(p.axis, self.displayed_angle.to_radians()) * p.center);
                angular_acceleration(p, system, shown, arm, pull - felt * p.inertia) * dt
            }
            HingeVariant::Full => {
                angular_acceleration(p, system, shown, arm, pull + moved * (p.inertia * 2.0 / (dt * dt))) * dt
            }
        };
        self.last_center = if center.is_finite() { center } else { self.last_center };
        self.velocity += p.spring * (p.rest_angle - self.angle) * dt;
        self.velocity /= 1.0 + p.damping * dt;
        self.angle += self.velocity * dt;
        self.clamp_to_limits(p.limits_in(system), p.restitution);
        if !(self.velocity.abs() <= MAX_DEGREES && self.angle.abs() <= MAX_DEGREES) {
            (self.angle, self.velocity) = (p.rest_angle.clamp(-MAX_DEGREES, MAX_DEGREES), 0.0);
        }
    }

    /// The angles after each part of the step that [`HingeState::step`] is about to run, in degrees. The damping scales
    /// the effect of every part.
    fn angles_by_part(&self, p: &Params, system: System, shown: &Frame, body: &BodyMotion) -> [(TipPart, f32); 4] {
        let dt = body.dt;
        let center = shown.transform_point(p.center);
        let arm = center - shown.position;
        let moved = self.last_center - center;
        let down = Vec3::NEG_Y * p.gravity;
        let turned_by = |pull: Vec3| angular_acceleration(p, system, shown, arm, pull) * dt;
        let fallen = turned_by(down * system.gravity);
        let (carried, fallen) = match system.variant {
            HingeVariant::HandTuned => {
                let along = (shown.linear() * p.axis.cross(p.center)).normalize_or_zero() * HAND_TUNED_DEGREES;
                let fallen = down * (system.gravity / EARTH_GRAVITY) * HAND_TUNED_GRAVITY_SHARE * dt;
                (along.dot(moved * (p.inertia * HAND_TUNED_MOTION_SHARE / dt)), along.dot(fallen))
            }
            HingeVariant::Gravity => (0.0, fallen),
            HingeVariant::Full if system.physical => {
                let rotation = Quat::from_axis_angle(p.axis, self.displayed_angle.to_radians());
                (turned_by(body.acceleration(rotation * p.center) * -p.inertia), fallen)
            }
            HingeVariant::Full => (turned_by(moved * (p.inertia * 2.0 / (dt * dt))), fallen),
        };
        let velocity = self.drag_delta.map_or(self.velocity, |handed| handed / body.previous_dt) + carried;
        let pulled = velocity + p.spring * (p.rest_angle - self.angle) * dt;
        let [inert, pulled, fallen] =
            [velocity, pulled, pulled + fallen].map(|velocity| self.angle + velocity / (1.0 + p.damping * dt) * dt);
        // Large terms may cancel, so that only the step itself finds the exact angle.
        let mut free = *self;
        free.step::<true>(&Params { limits: AngleLimits::UNLIMITED, ..*p }, system, shown, body);
        let fallen = if fallen.abs() <= MAX_DEGREES { free.angle } else { fallen };
        let limits = p.limits_in(system);
        [
            (TipPart::Inertia, inert),
            (TipPart::Spring, pulled),
            (TipPart::Gravity, fallen),
            (TipPart::AngleLimit, limits.clamp(fallen)),
        ]
    }

    /// Clamps the angle to the limits, and reverses the velocity at a limit.
    fn clamp_to_limits(&mut self, limits: AngleLimits, restitution: f32) {
        let held = limits.clamp(self.angle);
        if held != self.angle {
            (self.angle, self.velocity) = (held, self.velocity * -restitution);
        }
    }
}

/// Angular acceleration of a hinge whose centre of mass is accelerated by `pull`, in the listing's degrees per s².
#[inline]
fn angular_acceleration(p: &Params, system: System, shown: &Frame, arm: Vec3, pull: Vec3) -> f32 {
    let inertia = p.center.length_squared();
    if inertia <= f32::MIN_POSITIVE {
        return 0.0;
    }
    let radians = arm.cross(pull).dot(shown.rotation * p.axis) / inertia;
    // Differs from the hinge article: physical hinges convert radians to degrees.
    if system.physical { radians.to_degrees() } else { radians }
}

pub(super) fn point_joint_at(joint: &JointRest, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let frame = step_pose.frames[joint.bone as usize];
    let axis = frame.rotation * joint.axis;
    let by = signed_angle_about(axis, frame.transform_point(joint.center) - frame.position, tip - frame.position);
    let rotation = step_pose.pose[joint.bone as usize].rotation;
    write_rotation(joint.bone, (rotation * Quat::from_axis_angle(joint.axis, by)).normalize(), step_pose);
}
