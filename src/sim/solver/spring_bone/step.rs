//! The engine's step, joint by joint.

use super::bake::Improved;
use super::{JointRest, Params, Rest, State, System, contact, limits};
use crate::math::{lerp_shortest, shortest_arc};
use crate::sim::scene::{Scene, WORLD};
use crate::sim::wind::ForceRest;
use crate::sim::{collide, kernel};
use glam::{Quat, Vec3};

/// One frame as Unity does it: one step, or none while the manager is paused.
pub(super) fn frame(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    if system.paused {
        aim_all(rest, system, state, scene, 1.0);
    } else {
        let job = Job { rest, params, system, better: &Improved::default(), h: length(system, dt), weight: 1.0 };
        job.step::<false>(state, scene);
    }
}

/// How long a step lasts in a frame of `dt` seconds.
pub(super) fn length(system: &System, dt: f32) -> f32 {
    if system.rate > 0.0 { 1.0 / system.rate } else { dt }
}

/// What all joints of one step share.
pub(super) struct Job<'a> {
    pub(super) rest: &'a Rest,
    pub(super) params: &'a [Params],
    pub(super) system: &'a System,
    pub(super) better: &'a Improved,
    /// Seconds.
    pub(super) h: f32,
    /// How much of the motion shows, 0 to 1.
    pub(super) weight: f32,
}

/// Where a joint's tip is after a step, and was before.
struct Swung {
    tip: Vec3,
    previous: Vec3,
    /// From the head to the tip, unit length or zero.
    direction: Vec3,
}

impl Job<'_> {
    /// One step of every joint, parents first; `BETTER` looks at the improvements too.
    pub(super) fn step<const BETTER: bool>(&self, state: &mut State, scene: &mut Scene<'_>) {
        for (i, joint) in self.rest.joints.iter().enumerate() {
            if BETTER {
                state.follow(i, joint, self, scene);
            }
            if joint.enabled {
                let head = head(joint, scene);
                let mut weight = if BETTER { self.weight } else { 1.0 };
                if joint.animated {
                    state.skin[i] = scene.pose[joint.bone as usize].rotation;
                    weight *= self.system.dynamic_ratio;
                }
                let swung = self.swing::<BETTER>(i, joint, scene, head, (state.tips[i], state.previous[i]));
                (state.tips[i], state.previous[i]) = (swung.tip, swung.previous);
                let skin = if joint.animated { &state.skin[i] } else { &joint.rotation };
                turn(joint, scene, head, swung.direction, skin, weight);
            } else {
                scene.refresh(joint.bone);
                if BETTER && self.better.no_kicks {
                    stand_still(i, joint, state, scene);
                }
            }
            refresh_below(self.rest, joint, scene);
        }
    }

    /// One joint's tip over one step: integrate, keep lengths, collide, limit, guard.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called once per joint; vectors in registers save a fifth of the step")]
    fn swing<const BETTER: bool>(
        &self,
        i: usize,
        joint: &JointRest,
        scene: &Scene<'_>,
        head: Vec3,
        (tip, previous): (Vec3, Vec3),
    ) -> Swung {
        let (p, system, h) = (&self.params[i], self.system, self.h);
        let parent = scene.parent_frame(joint.parent).rotation;
        let aim = parent * joint.rest_axis;
        let rest_tip = head + aim * joint.length;
        let last_aim = || parent * scene.pose[joint.bone as usize].rotation * joint.axis;

        let mut pull = (rest_tip - tip) * p.stiffness + (p.spring_force + system.gravity);
        if !scene.forces.is_empty() {
            pull += blown(p.wind_influence, scene, head);
        }
        let moved = kernel::inertia(tip, previous, p.kept, pull * (0.5 * h * h));
        let mut direction = kernel::direction_or(head, moved, 0.001, last_aim);
        if BETTER && let Some(speed) = self.better.tip_speed {
            direction = limits::slow_down(tip - head, direction, speed * h, joint.length);
        }
        let mut previous = tip;
        let free = head + direction * joint.length;
        let mut tip = free;

        if system.lengths && joint.targets.0 != joint.targets.1 {
            let targets = &self.rest.targets[joint.targets.0 as usize..joint.targets.1 as usize];
            tip = if BETTER && self.better.strong_lengths {
                limits::hold_lengths(targets, scene, p, head, tip, joint.length, h)
            } else {
                limits::pull_lengths(targets, scene, tip, h)
            };
        }
        let radius = if system.scaled { p.radius * contact::stretch(joint, scene) } else { p.radius };
        if let Some(ground) = system.ground.filter(|ground| tip.y - ground < radius) {
            (tip, previous) = stand(head, tip, joint.length, radius, ground, last_aim);
        } else if system.collision && joint.colliders.0 != joint.colliders.1 {
            let meeting = contact::Meeting { rest: self.rest, joint, p, system, scene, head, radius };
            (tip, previous) = if BETTER && self.better.bone_shapes {
                meeting.push_out::<true>(tip, previous)
            } else {
                meeting.push_out::<false>(tip, previous)
            };
        }
        if system.limits && joint.pivot != WORLD && (p.y_limit.is_some() || p.z_limit.is_some()) {
            let pivot = scene.frames[joint.pivot as usize].rotation;
            tip = head + limits::limit_angles::<BETTER>(tip - head, pivot, p, self.better, h);
        }
        // Differs from UnityChanSpringBone: infinities are caught as well, not NaN alone.
        if !(tip.is_finite() && previous.is_finite()) {
            return Swung { tip: rest_tip, previous: rest_tip, direction: aim };
        }
        let direction = if tip == free { direction } else { kernel::unit_or_zero(tip - head) };
        Swung { tip, previous, direction }
    }
}

/// The pull of all forces on a joint, m/s².
#[inline(never)]
fn blown(wind_influence: f32, scene: &Scene<'_>, head: Vec3) -> Vec3 {
    let pull = |force: &ForceRest| force.at(&scene.frames[force.bone as usize], head, wind_influence);
    scene.forces.iter().fold(Vec3::ZERO, |sum, force| sum + pull(force))
}

/// Stops a tip dead on the ground.
fn stand(
    head: Vec3,
    tip: Vec3,
    length: f32,
    radius: f32,
    ground: f32,
    last_aim: impl FnOnce() -> Vec3,
) -> (Vec3, Vec3) {
    let lift = Vec3::new(0.0, ground, 0.0);
    let Some(found) = collide::ground(head - lift, tip - lift, (tip - head).length(), radius) else {
        return (tip, tip);
    };
    let offset = found + lift - head;
    let reach = offset.length();
    let tip = if reach <= 0.001 {
        head + last_aim() * (0.5 * length)
    } else {
        head + offset * (reach.clamp(0.5 * length, length) / reach)
    };
    (tip, tip)
}

/// Turns every joint towards the tip that it has, without time passing.
pub(super) fn aim_all(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>, weight: f32) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled {
            let head = head(joint, scene);
            let rest_aim = scene.parent_frame(joint.parent).rotation * joint.rest_axis;
            if !state.tips[i].is_finite() {
                state.tips[i] = head + rest_aim * joint.length;
                state.previous[i] = state.tips[i];
            }
            let (skin, ratio) =
                if joint.animated { (&state.skin[i], system.dynamic_ratio) } else { (&joint.rotation, 1.0) };
            turn(joint, scene, head, kernel::unit_or_zero(state.tips[i] - head), skin, weight * ratio);
        } else {
            scene.refresh(joint.bone);
        }
        refresh_below(rest, joint, scene);
    }
}

/// Turns one joint towards a tip.
pub(super) fn aim(joint: &JointRest, tip: Vec3, scene: &mut Scene<'_>) {
    let head = head(joint, scene);
    turn(joint, scene, head, kernel::unit_or_zero(tip - head), &joint.rotation, 1.0);
}

/// Lets a joint's tip stand where the joint points, without speed; its frame is up to date.
pub(super) fn stand_still(i: usize, joint: &JointRest, state: &mut State, scene: &Scene<'_>) {
    let frame = &scene.frames[joint.bone as usize];
    let tip = frame.position + frame.rotation * joint.axis * joint.length;
    (state.tips[i], state.previous[i]) = (tip, tip);
}

/// Moves what hangs on a joint and is read by later ones along.
#[inline(always)]
#[expect(clippy::inline_always, reason = "mostly nothing to do")]
pub(super) fn refresh_below(rest: &Rest, joint: &JointRest, scene: &mut Scene<'_>) {
    for bone in &rest.refresh[joint.refresh.0 as usize..joint.refresh.1 as usize] {
        scene.refresh(*bone);
    }
}

#[inline]
pub(super) fn head(joint: &JointRest, scene: &Scene<'_>) -> Vec3 {
    scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation)
}

/// Turns the bone so that it points along `direction`, unit length or zero; `weight` blends from `skin` to that.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn turn(joint: &JointRest, scene: &mut Scene<'_>, head: Vec3, direction: Vec3, skin: &Quat, weight: f32) {
    let parent = scene.parent_frame(joint.parent);
    let (rotation, scaled) = (parent.rotation, parent.scaled);
    let arc = shortest_arc(joint.axis, (rotation * joint.rotation).inverse() * direction);
    let bone = joint.bone as usize;
    let solved = joint.rotation * arc;
    let local = &mut scene.pose[bone];
    local.rotation = if weight < 1.0 { lerp_shortest(*skin, solved, weight) } else { solved };
    if scaled || local.scale != Vec3::ONE {
        let frame = scene.parent_frame(joint.parent).child_at(&scene.pose[bone], head);
        scene.frames[bone] = frame;
    } else {
        let rotation = rotation * local.rotation;
        scene.frames[bone].place(rotation, head);
    }
}
