//! One frame of every hinge: pull, speed, angle, limits, turn.

use super::{JointRest, Params, Rest, State, System, Variant};
use crate::math::Frame;
use crate::sim::scene::Scene;
use glam::{Quat, Vec3};

/// Faster than this nothing turns, degrees per second; beyond it a hinge begins anew.
const FASTEST: f32 = 1e6;

/// The hand-tuned listing: shares of movement and of falling, and what both count in degrees.
const OMAKE_MOVED: f32 = 0.04;
const OMAKE_FALLEN: f32 = 2.0;
const OMAKE_TURNED: f32 = 1000.0;
/// Gravity of the article, m/s², which the hand-tuned listing has no number for.
const EARTH: f32 = 9.8;

/// Share of the speed that the full listing takes from a hinge in each step, by feeling its own turn.
pub(super) const SELF_FULL: f32 = 2.0 * std::f32::consts::PI / 180.0;
/// The same of the hand-tuned listing, for each metre from axis to centre of mass.
pub(super) const SELF_OMAKE: f32 = OMAKE_MOVED * OMAKE_TURNED * std::f32::consts::PI / 180.0;
/// What the hand-tuned listing makes of earth's gravity, degrees per s² where the arm is level.
pub(super) const PULL_OMAKE: f32 = OMAKE_FALLEN * OMAKE_TURNED;

/// How one hinge stands and moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Swing {
    /// Degrees from the animated pose.
    angle: f32,
    /// Degrees per second.
    velocity: f32,
    /// The angle that the bone was left with.
    shown: f32,
    /// How far a hand turned it in the last step, degrees.
    handed: Option<f32>,
    /// Centre of mass before the bone was turned last, metres in the world.
    felt: Vec3,
    /// The bone without its turn, now and one step before.
    unturned: [Frame; 2],
    /// Centre of mass, metres in the world, and one step before.
    pub(super) tip: Vec3,
    pub(super) previous: Vec3,
    /// In bone space, as of the last step; for a hand that turns it.
    axis: Vec3,
    center: Vec3,
}

impl Swing {
    /// Begins with an angle and a speed, while the bone shows an angle of its own.
    pub(super) fn begin(&mut self, joint: &JointRest, start: (f32, f32), shown: f32, scene: &mut Scene<'_>) {
        let unturned = scene.frames[joint.bone as usize];
        if shown != 0.0 {
            write(joint.bone, turned(scene.pose[joint.bone as usize].rotation, joint.axis, shown), scene);
        }
        let tip = scene.frames[joint.bone as usize].point(joint.center);
        *self = Self {
            angle: start.0,
            velocity: start.1,
            shown,
            handed: None,
            felt: tip,
            unturned: [unturned; 2],
            tip,
            previous: tip,
            axis: joint.axis,
            center: joint.center,
        };
    }

    /// Takes the angle that brings the centre of mass nearest to `tip`.
    pub(super) fn place(&mut self, tip: Vec3, previous: Vec3) {
        (self.tip, self.previous, self.felt) = (tip, previous, tip);
        let (Some(now), Some(before)) = (self.angle_of(tip), self.angle_of(previous)) else { return };
        // The same way round, by as many whole turns as before.
        self.angle = now + 360.0 * ((self.angle - now) / 360.0).round();
        self.shown = self.angle;
        self.handed = Some(short_way(now - before));
    }

    /// The angle, degrees, at which the centre of mass points at a place in the world.
    fn angle_of(&self, place: Vec3) -> Option<f32> {
        let frame = &self.unturned[0];
        let axis = frame.rotation * self.axis;
        let angle = about(axis, frame.point(self.center) - frame.position, place - frame.position).to_degrees();
        angle.is_finite().then_some(angle)
    }
}

/// The angle from one direction to another about an axis, radians.
fn about(axis: Vec3, from: Vec3, to: Vec3) -> f32 {
    let (from, to) = (from - axis * axis.dot(from), to - axis * axis.dot(to));
    axis.dot(from.cross(to)).atan2(from.dot(to))
}

fn short_way(degrees: f32) -> f32 {
    degrees - 360.0 * (degrees / 360.0).round()
}

fn turned(unturned: Quat, axis: Vec3, degrees: f32) -> Quat {
    unturned * Quat::from_axis_angle(axis, degrees.to_radians())
}

fn write(bone: u32, rotation: Quat, scene: &mut Scene<'_>) {
    if rotation.is_finite() {
        scene.pose[bone as usize].rotation = rotation;
        scene.refresh(bone);
    }
}

pub(super) fn frame(rest: &Rest, params: &[Params], system: System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let before = if state.before > 0.0 { state.before } else { dt };
    for ((joint, p), swing) in rest.joints.iter().zip(params).zip(&mut state.swings) {
        rest.refresh_path(joint, scene);
        // A centre far off was brought near when it was read.
        let p = &Params { center: joint.center, ..*p };
        (swing.axis, swing.center) = (p.axis, p.center);
        if !joint.enabled {
            swing.begin(joint, (0.0, 0.0), 0.0, scene);
            continue;
        }
        let animated = scene.pose[joint.bone as usize].rotation;
        let unturned = scene.frames[joint.bone as usize];
        write(joint.bone, turned(animated, p.axis, swing.shown), scene);
        if dt > 0.0 {
            let body = Body { dt, before, unturned: [unturned, swing.unturned[0], swing.unturned[1]] };
            swing.step(p, system, &scene.frames[joint.bone as usize], &body);
            swing.unturned = [unturned, swing.unturned[0]];
            write(joint.bone, turned(animated, p.axis, swing.angle), scene);
            swing.shown = swing.angle;
        }
        let tip = scene.frames[joint.bone as usize].point(p.center);
        let tip = if tip.is_finite() { tip } else { swing.tip };
        (swing.tip, swing.previous) = (tip, if dt > 0.0 { swing.tip } else { swing.previous });
    }
    if dt > 0.0 {
        state.before = dt;
    }
}

/// How the body moves, as far as one hinge feels it.
struct Body {
    /// Length of this step and of the one before, seconds.
    dt: f32,
    before: f32,
    /// The bone without its turn: now, one step ago, two steps ago.
    unturned: [Frame; 3],
}

impl Body {
    /// Acceleration of a point in bone space that only the body moves, m/s².
    fn acceleration(&self, at: Vec3) -> Vec3 {
        let [now, last, older] = [0, 1, 2].map(|i| self.unturned[i].point(at));
        ((now - last) / self.dt - (last - older) / self.before) / self.dt
    }
}

impl Swing {
    /// Angle and speed over one step; `shown` is the bone as it stands.
    fn step(&mut self, p: &Params, system: System, shown: &Frame, body: &Body) {
        let dt = body.dt;
        if let Some(handed) = self.handed.take() {
            self.velocity = handed / body.before;
        }
        let center = shown.point(p.center);
        let arm = center - shown.position;
        let moved = self.felt - center;
        let down = Vec3::NEG_Y * p.gravity;
        let pull = down * system.gravity;
        self.velocity += match system.variant {
            Variant::Omake => {
                let along = (shown.linear() * p.axis.cross(p.center)).normalize_or_zero();
                let fallen = down * (system.gravity / EARTH) * OMAKE_FALLEN * dt;
                along.dot(moved * (p.inertia * OMAKE_MOVED / dt) + fallen) * OMAKE_TURNED
            }
            Variant::Gravity => torque(p, system, shown, arm, pull) * dt,
            Variant::Full if system.physical => {
                let felt = body.acceleration(Quat::from_axis_angle(p.axis, self.shown.to_radians()) * p.center);
                torque(p, system, shown, arm, pull - felt * p.inertia) * dt
            }
            Variant::Full => torque(p, system, shown, arm, pull + moved * (p.inertia * 2.0 / (dt * dt))) * dt,
        };
        self.felt = if center.is_finite() { center } else { self.felt };
        self.velocity += p.spring * (p.rest_angle - self.angle) * dt;
        self.velocity /= 1.0 + p.damping * dt;
        self.angle += self.velocity * dt;
        if system.variant != Variant::Gravity {
            self.hold(p);
        }
        if !(self.velocity.abs() <= FASTEST && self.angle.abs() <= FASTEST) {
            (self.angle, self.velocity) = (p.rest_angle.clamp(-FASTEST, FASTEST), 0.0);
        }
    }

    /// Within the limits, where the speed turns round.
    fn hold(&mut self, p: &Params) {
        let held = self.angle.clamp(p.limits.0, p.limits.1);
        if held != self.angle {
            (self.angle, self.velocity) = (held, self.velocity * -p.restitution);
        }
    }
}

/// What an acceleration at the centre of mass does to the speed, in the listing's degrees per s².
#[inline]
fn torque(p: &Params, system: System, shown: &Frame, arm: Vec3, pull: Vec3) -> f32 {
    let inertia = p.center.length_squared();
    if inertia <= f32::MIN_POSITIVE {
        return 0.0;
    }
    let radians = arm.cross(pull).dot(shown.rotation * p.axis) / inertia;
    // Differs from the article: physical hinges turn by as many degrees as the radians are.
    if system.physical { radians.to_degrees() } else { radians }
}

/// Turns a hinge so that its centre of mass is nearest to a tip.
pub(super) fn aim(joint: &JointRest, tip: Vec3, scene: &mut Scene<'_>) {
    let frame = scene.frames[joint.bone as usize];
    let axis = frame.rotation * joint.axis;
    let by = about(axis, frame.point(joint.center) - frame.position, tip - frame.position);
    let rotation = scene.pose[joint.bone as usize].rotation;
    write(joint.bone, (rotation * Quat::from_axis_angle(joint.axis, by)).normalize(), scene);
}
