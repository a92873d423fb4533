//! One frame: free movement, collision, length, turn, link by link; or the same in rounds.

use super::{JointRest, Link, Params, Rest, State, System};
use crate::math::{Frame, arc_between, unit_again};
use crate::sim::collide::{push, solid::Solid};
use crate::sim::scene::Scene;
use glam::{Quat, Vec3};

/// More fixed steps than this are not taken in one frame; time beyond them is dropped.
const MOST_STEPS: u32 = 20;

/// No link.
pub(super) const NONE: u32 = u32::MAX;

pub(super) fn frame(rest: &Rest, params: &[Params], system: System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let (steps, h) = steps(&mut state.owed, system.rate, dt);
    for (joint, begun) in rest.joints.iter().zip(&mut state.begun) {
        *begun = scene.pose[joint.bone as usize].rotation;
    }
    for (solid, collider) in state.solids.iter_mut().zip(scene.colliders) {
        *solid = Solid::new(collider, &scene.frames[collider.bone as usize]);
    }
    let job = Job { rest, params, system, h };
    if steps == 0 {
        job.aim_all(state, scene);
    }
    for at in 0..steps {
        if at > 0 {
            job.begin_again(state, scene);
        }
        if system.iterations == 0 {
            job.pass(state, scene, true);
        } else {
            job.pass(state, scene, false);
            job.rounds(state, scene);
            job.aim_all(state, scene);
        }
        state.before = h;
    }
    // What hangs on a bone that was turned again after its turn.
    rest.stale.iter().for_each(|bone| scene.refresh(*bone));
}

/// How many steps a frame of `dt` seconds takes, and how long they are.
fn steps(owed: &mut f64, rate: f32, dt: f32) -> (u32, f32) {
    // A frame that should be as long as a step may be shorter by rounding.
    const NEARLY: f64 = 1.0 - 1e-4;
    if rate <= 0.0 {
        *owed = 0.0;
        return (u32::from(dt > 0.0), dt);
    }
    let h = 1.0 / rate;
    *owed += f64::from(dt);
    let mut steps = 0;
    while *owed >= f64::from(h) * NEARLY && steps < MOST_STEPS {
        *owed -= f64::from(h);
        steps += 1;
    }
    if *owed >= f64::from(h) {
        *owed = 0.0;
    }
    (steps, h)
}

/// What a step reads.
struct Job<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: System,
    /// Length of a step, seconds.
    h: f32,
}

impl Job<'_> {
    /// Before a further step of one frame: joints that animation moves are where it left them.
    fn begin_again(&self, state: &mut State, scene: &mut Scene<'_>) {
        for (joint, begun) in self.rest.joints.iter().zip(&mut state.begun) {
            let rotation = &mut scene.pose[joint.bone as usize].rotation;
            if joint.own {
                *begun = *rotation;
            } else {
                *rotation = *begun;
            }
        }
    }

    /// Moves every point and turns its bone at once; free points are not held by anything yet.
    fn pass(&self, state: &mut State, scene: &mut Scene<'_>, held: bool) {
        for (i, link) in self.rest.links.iter().enumerate() {
            let joint = &self.rest.joints[link.joint as usize];
            if link.first {
                refresh_path(self.rest, joint, scene);
            }
            let frame = scene.frames[joint.bone as usize];
            if !joint.enabled {
                let at = frame.point(link.rest);
                self.follow(i, link, at, state, scene);
                continue;
            }
            let p = &self.params[link.joint as usize];
            let head = head(joint, &frame, state);
            let mut point = self.fall(i, link, p, &frame, state);
            if held {
                point = self.collide(joint, link, p, &frame, state, point);
                point = self.keep_length(link, &frame, head, point);
            }
            if !point.is_finite() {
                point = or_last(frame.point(link.rest), state.previous[i]);
                state.previous[i] = point;
            }
            state.points[i] = point;
            self.aim_at(joint, link, head, point, state, scene);
        }
    }

    /// A point that its bone carries.
    fn follow(&self, i: usize, link: &Link, at: Vec3, state: &mut State, scene: &mut Scene<'_>) {
        let at = or_last(at, state.points[i]);
        (state.previous[i], state.points[i]) = (at, at);
        self.carry(&self.rest.joints[link.joint as usize], state, scene);
    }

    /// Where a point goes on its own; it is `previous` from here on.
    #[inline]
    fn fall(&self, i: usize, link: &Link, p: &Params, frame: &Frame, state: &mut State) -> Vec3 {
        let (point, previous) = (state.points[i], state.previous[i]);
        let before = if state.before > 0.0 { state.before } else { self.h };
        let mut speed = (point - previous) / before;
        speed += (frame.point(link.rest) - point) * p.spring * self.h;
        speed.y -= p.gravity * self.h;
        speed *= p.damp;
        state.previous[i] = point;
        point + speed * self.h
    }

    /// One collider after the other, then the ground: the last one has its way.
    #[inline]
    fn collide(
        &self,
        joint: &JointRest,
        link: &Link,
        p: &Params,
        frame: &Frame,
        state: &State,
        mut point: Vec3,
    ) -> Vec3 {
        let (from, to) = (joint.colliders.0 as usize, joint.colliders.1 as usize);
        if from < to || self.system.ground.is_some() {
            let radius = p.radius * stretch(link, frame, self.system);
            for at in &self.rest.colliders[from..to] {
                point = state.solids[*at as usize].push(point, radius).unwrap_or(point);
            }
            if let Some(height) = self.system.ground {
                point = push::ground(point, radius, height).unwrap_or(point);
            }
        }
        point
    }

    /// Puts a point to bone length from its head.
    #[inline]
    fn keep_length(&self, link: &Link, frame: &Frame, head: Vec3, point: Vec3) -> Vec3 {
        let length = link.length * stretch(link, frame, self.system);
        push::distance(point, head, length, frame.rotation * link.axis)
    }

    /// Colliders, then lengths from the roots on, so many times.
    fn rounds(&self, state: &mut State, scene: &Scene<'_>) {
        for _ in 0..self.system.iterations {
            for (i, link) in self.rest.links.iter().enumerate() {
                let joint = &self.rest.joints[link.joint as usize];
                if joint.enabled {
                    let p = &self.params[link.joint as usize];
                    let frame = &scene.frames[joint.bone as usize];
                    state.points[i] = self.collide(joint, link, p, frame, state, state.points[i]);
                }
            }
            for (i, link) in self.rest.links.iter().enumerate() {
                let joint = &self.rest.joints[link.joint as usize];
                if joint.enabled {
                    let frame = &scene.frames[joint.bone as usize];
                    let at = self.keep_length(link, frame, head(joint, frame, state), state.points[i]);
                    state.points[i] = or_last(at, state.previous[i]);
                }
            }
        }
    }

    /// Turns every bone from where it began towards its points as they are, without time passing.
    fn aim_all(&self, state: &mut State, scene: &mut Scene<'_>) {
        for (i, link) in self.rest.links.iter().enumerate() {
            let joint = &self.rest.joints[link.joint as usize];
            if link.first {
                scene.pose[joint.bone as usize].rotation = state.begun[link.joint as usize];
                refresh_path(self.rest, joint, scene);
            }
            if joint.enabled {
                let head = head(joint, &scene.frames[joint.bone as usize], state);
                self.aim_at(joint, link, head, state.points[i], state, scene);
            } else {
                self.follow(i, link, scene.frames[joint.bone as usize].point(link.rest), state, scene);
            }
        }
    }

    /// Turns a bone towards a point, and moves the colliders along that hang on it.
    #[inline]
    fn aim_at(
        &self,
        joint: &JointRest,
        link: &Link,
        head: Vec3,
        point: Vec3,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        turn(joint, link, head, point, scene);
        self.carry(joint, state, scene);
    }

    #[inline]
    fn carry(&self, joint: &JointRest, state: &mut State, scene: &mut Scene<'_>) {
        for bone in &self.rest.bones[joint.below.0 as usize..joint.below.1 as usize] {
            scene.refresh(*bone);
        }
        for at in &self.rest.carried[joint.carried.0 as usize..joint.carried.1 as usize] {
            let collider = &scene.colliders[*at as usize];
            state.solids[*at as usize] = Solid::new(collider, &scene.frames[collider.bone as usize]);
        }
    }
}

/// Where a joint's own point is; roots follow the body.
#[inline]
fn head(joint: &JointRest, frame: &Frame, state: &State) -> Vec3 {
    if joint.above == NONE { frame.position } else { state.points[joint.above as usize] }
}

/// `at`, or where it was if that is nowhere.
#[inline]
fn or_last(at: Vec3, last: Vec3) -> Vec3 {
    if at.is_finite() { at } else { last }
}

/// How much longer a bone is by scale, where that counts.
#[inline]
pub(super) fn stretch(link: &Link, frame: &Frame, system: System) -> f32 {
    if !(system.scaled && frame.scaled) {
        return 1.0;
    }
    (frame.linear() * link.axis).length()
}

/// Brings the frames from below the joint above down to this joint up to date.
#[inline]
pub(super) fn refresh_path(rest: &Rest, joint: &JointRest, scene: &mut Scene<'_>) {
    for bone in &rest.bones[joint.path.0 as usize..joint.path.1 as usize] {
        scene.refresh(*bone);
    }
}

/// Turns a bone by the shortest arc, so that a link's end, seen from `head`, is in the direction of `tip`.
#[inline]
pub(super) fn turn(joint: &JointRest, link: &Link, head: Vec3, tip: Vec3, scene: &mut Scene<'_>) {
    let bone = joint.bone as usize;
    let frame = &scene.frames[bone];
    let (position, scaled) = (frame.position, frame.scaled);
    let Some(arc) = arc_between(frame.rotation * link.axis, tip - head) else { return };
    let turned: Quat = unit_again(arc * frame.rotation);
    let rotation = scene.parent_frame(scene.parents[bone]).rotation.inverse() * turned;
    if !rotation.is_finite() {
        return;
    }
    scene.pose[bone].rotation = rotation;
    if scaled {
        scene.frames[bone] = scene.parent_frame(scene.parents[bone]).child_at(&scene.pose[bone], position);
    } else {
        scene.frames[bone].place(turned, position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rate: f32, frames: f32, expected: u32) {
        let mut owed = 0.0;
        let taken: u32 = (0..(frames * 10.0) as u32).map(|_| steps(&mut owed, rate, 1.0 / frames).0).sum();
        assert_eq!(taken, expected, "{rate} steps and {frames} frames a second");
    }

    #[test]
    fn fixed_steps_are_as_many_whatever_the_frames() {
        for frames in [24.0, 30.0, 60.0, 144.0, 240.0] {
            check(60.0, frames, 600);
            check(90.0, frames, 900);
        }
    }

    #[test]
    fn without_a_rate_each_frame_that_lasts_is_a_step() {
        check(0.0, 144.0, 1440);
        assert_eq!(steps(&mut 0.0, 0.0, 0.0).0, 0);
        assert_eq!(steps(&mut 0.0, 60.0, 1e6).0, MOST_STEPS);
    }
}
