//! The engine's step, joint by joint, as many at a time as do not wait for each other.

use super::bake::Improved;
use super::shapes;
use super::{JointRest, Params, Rest, State, System, contact, limits};
use crate::math::{Quatx4, Vec3x4, lanes, lerp_shortest, shortest_arc};
use crate::sim::kernel;
use crate::sim::scene::{Hung, Scene, WORLD};
use crate::sim::solver::fours::Four;
use crate::sim::wind::ForceRest;
use glam::{Quat, Vec3, Vec4};

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

/// Where tips are after a step, and were before.
struct Swung {
    tip: Vec3x4,
    previous: Vec3x4,
    /// From the heads to the tips, unit length or zero.
    direction: Vec3x4,
}

/// What a joint is before its turn.
struct Start<'a> {
    joint: &'a JointRest,
    p: &'a Params,
    head: Vec3,
}

impl Start<'_> {
    /// Where the bone pointed before this step.
    fn last_aim(&self, scene: &Scene<'_>) -> Vec3 {
        let parent = scene.parent_frame(self.joint.parent).rotation;
        parent * scene.pose[self.joint.bone as usize].rotation * self.joint.axis
    }

    /// Where the bone points at rest.
    fn rest_aim(&self, scene: &Scene<'_>) -> Vec3 {
        scene.parent_frame(self.joint.parent).rotation * self.joint.rest_axis
    }

    /// The tip at rest.
    fn rest_tip(&self, scene: &Scene<'_>) -> Vec3 {
        self.head + self.rest_aim(scene) * self.joint.length
    }
}

impl Job<'_> {
    /// One step of every joint, parents first; `BETTER` looks at the improvements too.
    pub(super) fn step<const BETTER: bool>(&self, state: &mut State, scene: &mut Scene<'_>) {
        for four in &self.rest.fours {
            if BETTER {
                four.own().iter().for_each(|i| state.follow(*i as usize, &self.rest.joints[*i as usize], self, scene));
            }
            self.swing::<BETTER>(four, state, scene);
            for i in four.own() {
                refresh_below(self.rest, &self.rest.joints[*i as usize], scene);
            }
        }
    }

    /// Joints side by side over one step: integrate, keep lengths, collide, limit, guard, turn.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all joints share stays in registers")]
    fn swing<const BETTER: bool>(&self, four: &Four, state: &mut State, scene: &mut Scene<'_>) {
        let (system, h) = (self.system, self.h);
        let joints = lanes(|lane| &self.rest.joints[four.places[lane] as usize]);
        let p = lanes(|lane| &self.params[four.places[lane] as usize]);
        let Hung { parent, head, .. } = scene.hang(lanes(|lane| joints[lane].bone), lanes(|lane| joints[lane].parent));
        let tip = Vec3x4::new(lanes(|lane| state.tips[four.places[lane] as usize]));
        let previous = Vec3x4::new(lanes(|lane| state.previous[four.places[lane] as usize]));
        let length = Vec4::from_array(lanes(|lane| joints[lane].length));
        let start = |lane: usize| Start { joint: joints[lane], p: p[lane], head: head.each()[lane] };

        let rest_tip = head + parent * Vec3x4::new(lanes(|lane| joints[lane].rest_axis)) * length;
        let forces = Vec3x4::new(lanes(|lane| p[lane].spring_force)) + Vec3x4::splat(system.gravity);
        let mut pull = (rest_tip - tip) * Vec4::from_array(lanes(|lane| p[lane].stiffness)) + forces;
        if !scene.forces.is_empty() {
            pull += blown(p, scene, head);
        }
        let kept = Vec4::from_array(lanes(|lane| p[lane].kept));
        let moved = tip + (pull * (0.5 * h * h) + (tip - previous) * kept);
        let offset = moved - head;
        let reach = offset.length();
        let mut direction = offset * reach.recip();
        let is_short = reach.cmple(Vec4::splat(0.001));
        if is_short.any() {
            direction = direction.mend(is_short, |lane, _| start(lane).last_aim(scene));
        }
        if BETTER && let Some(speed) = self.better.tip_speed {
            let (old, new) = ((tip - head).each(), direction.each());
            let slow = |lane: usize| limits::slow_down(old[lane], new[lane], speed * h, joints[lane].length);
            direction = Vec3x4::new(lanes(slow));
        }
        let mut swung = Swung { tip: head + direction * length, previous: tip, direction };
        let special = self.special(joints, p, swung.tip);
        if special != [false; 4] {
            swung = self.held::<BETTER>(four, special, &swung, start, scene);
        }
        // Differs from UnityChanSpringBone: infinities are caught as well, not NaN alone.
        let is_broken = !(swung.tip.is_finite() & swung.previous.is_finite());
        if is_broken.any() {
            swung.direction = swung.direction.mend(is_broken, |lane, _| start(lane).rest_aim(scene));
            swung.tip = swung.tip.mend(is_broken, |lane, _| start(lane).rest_tip(scene));
            swung.previous = swung.previous.mend(is_broken, |lane, _| start(lane).rest_tip(scene));
        }
        swung.tip = kernel::without_rounding(swung.tip, swung.previous, head, length);
        let axis = Vec3x4::new(lanes(|lane| joints[lane].axis));
        let rest = Quatx4::new(lanes(|lane| joints[lane].rotation));
        let solved = rest * Quatx4::shortest_arc(axis, (parent * rest).inverse() * swung.direction);
        let turned = Turned { head: head.each(), local: solved.each(), world: (parent * solved).each() };
        self.write::<BETTER>(four, (&swung.tip.each(), &swung.previous.each()), &turned, state, scene);
    }

    /// Tips and rotations to where later joints find them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn write<const BETTER: bool>(
        &self,
        four: &Four,
        (tips, previous): (&[Vec3; 4], &[Vec3; 4]),
        turned: &Turned,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        for (lane, i) in four.own().iter().enumerate() {
            let i = *i as usize;
            let joint = &self.rest.joints[i];
            if !joint.enabled {
                scene.refresh(joint.bone);
                if BETTER && self.better.no_kicks {
                    stand_still(i, joint, state, scene);
                }
                continue;
            }
            (state.tips[i], state.previous[i]) = (tips[lane], previous[lane]);
            let mut weight = if BETTER { self.weight } else { 1.0 };
            if joint.animated {
                state.skin[i] = scene.pose[joint.bone as usize].rotation;
                weight *= self.system.dynamic_ratio;
            }
            if weight < 1.0 {
                let skin = if joint.animated { &state.skin[i] } else { &joint.rotation };
                let local = lerp_shortest(*skin, turned.local[lane], weight);
                let world = scene.parent_frame(joint.parent).rotation * local;
                scene.place(joint.bone, joint.parent, turned.head[lane], local, world);
            } else {
                scene.place(joint.bone, joint.parent, turned.head[lane], turned.local[lane], turned.world[lane]);
            }
        }
    }

    /// Which joints' tips anything may hold beside their own length.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn special(&self, joints: [&JointRest; 4], p: [&Params; 4], tip: Vec3x4) -> [bool; 4] {
        let system = self.system;
        let ground = system.ground.unwrap_or(f32::NEG_INFINITY);
        lanes(|lane| {
            let (joint, p) = (joints[lane], p[lane]);
            // Scaled radii are not known here; a joint that is off is not moved anyway.
            (tip.y[lane] - ground < p.radius || system.scaled && system.ground.is_some())
                || system.lengths && !joint.targets.is_empty()
                || system.collision && joint.enabled && !joint.colliders.is_empty()
                || system.limits && joint.pivot != WORLD && (p.y_limit.is_some() || p.z_limit.is_some())
        })
    }

    /// Tips where lengths, the ground, colliders and limits leave them.
    fn held<'a, const BETTER: bool>(
        &self,
        four: &Four,
        special: [bool; 4],
        free: &Swung,
        start: impl Fn(usize) -> Start<'a>,
        scene: &Scene<'_>,
    ) -> Swung {
        let (mut tips, mut previous, mut directions) = (free.tip.each(), free.previous.each(), free.direction.each());
        for lane in (0..four.count as usize).filter(|lane| special[*lane]) {
            let start = start(lane);
            let found = self.hold::<BETTER>(&start, scene, tips[lane], previous[lane]);
            if found.0 != tips[lane] {
                directions[lane] = kernel::unit_or_zero(found.0 - start.head);
            }
            (tips[lane], previous[lane]) = found;
        }
        let (tip, previous) = (Vec3x4::new(tips), Vec3x4::new(previous));
        Swung { tip, previous, direction: Vec3x4::new(directions) }
    }

    /// Where lengths, the ground, colliders and limits leave a tip, and where it was before.
    fn hold<const BETTER: bool>(&self, start: &Start<'_>, scene: &Scene<'_>, free: Vec3, before: Vec3) -> (Vec3, Vec3) {
        let (system, h) = (self.system, self.h);
        let Start { joint, p, head } = *start;
        let (mut tip, mut previous) = (free, before);
        if system.lengths && !joint.targets.is_empty() {
            let targets = joint.targets.of(&self.rest.targets);
            tip = if BETTER && self.better.strong_lengths {
                limits::hold_lengths(targets, scene, p, head, tip, joint.length, h)
            } else {
                limits::pull_lengths(targets, scene, tip, h)
            };
        }
        let radius = if system.scaled { p.radius * contact::stretch(joint, scene) } else { p.radius };
        if let Some(ground) = system.ground.filter(|ground| tip.y - ground < radius) {
            (tip, previous) = stand(head, tip, joint.length, radius, ground, || start.last_aim(scene));
        } else if system.collision && !joint.colliders.is_empty() {
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
        (tip, previous)
    }
}

/// Four bones turned to their tips.
struct Turned {
    head: [Vec3; 4],
    /// In the parent's space.
    local: [Quat; 4],
    world: [Quat; 4],
}

/// The pull of all forces on joints, m/s².
#[inline(never)]
fn blown(p: [&Params; 4], scene: &Scene<'_>, heads: Vec3x4) -> Vec3x4 {
    let heads = heads.each();
    Vec3x4::new(lanes(|lane| {
        let pull =
            |force: &ForceRest| force.at(&scene.frames[force.bone as usize], heads[lane], p[lane].wind_influence);
        scene.forces.iter().fold(Vec3::ZERO, |sum, force| sum + pull(force))
    }))
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
    let Some(found) = shapes::ground(head - lift, tip - lift, (tip - head).length(), radius) else {
        return (tip, tip);
    };
    let offset = found + lift - head;
    let reach = offset.length();
    let tip = if reach <= 0.001 {
        head + last_aim() * (0.5 * length)
    } else {
        head + offset * (kernel::clamped(reach, 0.5 * length, length) / reach)
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
    for bone in joint.refresh.of(&rest.refresh) {
        scene.refresh(*bone);
    }
}

#[inline]
pub(super) fn head(joint: &JointRest, scene: &Scene<'_>) -> Vec3 {
    scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation)
}

/// Turns the bone so that it points along `direction`, unit length or zero; `weight` blends from `skin` to that.
fn turn(joint: &JointRest, scene: &mut Scene<'_>, head: Vec3, direction: Vec3, skin: &Quat, weight: f32) {
    let parent = scene.parent_frame(joint.parent).rotation;
    let arc = shortest_arc(joint.axis, (parent * joint.rotation).inverse() * direction);
    let solved = joint.rotation * arc;
    let local = if weight < 1.0 { lerp_shortest(*skin, solved, weight) } else { solved };
    scene.place(joint.bone, joint.parent, head, local, parent * local);
}
