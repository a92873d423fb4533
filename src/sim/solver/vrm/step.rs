//! One step of every joint: inertia and pull, length, colliders, turn; as many at a time as do not wait for each other.

use super::super::super::scene::{Hung, Scene, WORLD};
use super::colliders::{NOWHERE, depth, is_extended, placed};
use super::{JointRest, Params, Preview, Rest, State, System};
use crate::math::{Frame, Quatx4, Trs, Vec3x4, lanes};
use crate::sim::collider::{WorldCollider, largest_factor};
use crate::sim::kernel::without_rounding;
use crate::sim::solver::fours::Four;
use glam::{Mat3, Quat, Vec3, Vec4};

/// Squared sine below which two directions count as opposite; three-vrm's 1e-8 on the cosine.
const NEARLY_OPPOSITE: f32 = 2e-8;

pub(super) fn solve(rest: &Rest, params: &[Params], system: System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
    let moves = dt > 0.0;
    if moves {
        for (own, collider) in state.placed.iter_mut().zip(scene.colliders) {
            *own = placed(collider, &scene.frames[collider.bone as usize], system);
        }
    }
    for four in &rest.fours {
        if moves {
            swing(rest, params, four, system, state, scene, dt);
        } else {
            four.own().iter().for_each(|i| scene.refresh(rest.joints[*i as usize].bone));
        }
        for i in four.own() {
            let joint = &rest.joints[*i as usize];
            refresh_below(rest, joint, scene);
            for at in joint.carried.of(&rest.carried) {
                let collider = &scene.colliders[*at as usize];
                state.placed[*at as usize] = placed(collider, &scene.frames[collider.bone as usize], system);
            }
        }
    }
    if system.preview == Preview::ThreeVrm {
        for (joint, late) in rest.joints.iter().zip(&mut state.late_tips) {
            *late = scene.frames[joint.bone as usize].point(tip_in_bone(joint, scene.pose, scene.parents));
        }
    }
}

/// Moves along what hangs between a joint and the next ones.
#[inline]
pub(super) fn refresh_below(rest: &Rest, joint: &JointRest, scene: &mut Scene<'_>) {
    for bone in joint.refresh.of(&rest.refresh) {
        scene.refresh(*bone);
    }
}

/// Where the tip is in bone space as the pose has it, metres.
#[inline]
pub(super) fn tip_in_bone(joint: &JointRest, pose: &[Trs], parents: &[u32]) -> Vec3 {
    if joint.tip_bone == WORLD {
        return joint.tip;
    }
    let mut at = pose[joint.tip_bone as usize].translation;
    let mut above = parents[joint.tip_bone as usize];
    // Nodes that a spring skips.
    while above != joint.bone {
        let local = &pose[above as usize];
        at = local.translation + local.rotation * (local.scale * at);
        above = parents[above as usize];
    }
    at
}

/// Joints side by side over one step.
fn swing(
    rest: &Rest,
    params: &[Params],
    four: &Four,
    system: System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let side = Side::of(rest, params, four, system, state, scene);
    let (tip, previous) = side.carried(state, scene);
    let mut swung = side.fly(rest, dt * system.scale, tip, previous);
    side.collide(rest, system, state, scene, &mut swung);
    side.guard(state, &mut swung);
    swung.tip = without_rounding(swung.tip, swung.before, side.hung.head, side.length);
    let local = side.turn(&swung, scene);
    let (world, local) = ((side.hung.parent * local).each(), local.each());
    let (heads, plain, tips, before) = (side.heads, side.plain, swung.tip.each(), swung.before.each());
    for (lane, i) in four.own().iter().enumerate() {
        let joint = &rest.joints[*i as usize];
        if joint.enabled {
            (state.tips[*i as usize], state.previous[*i as usize]) = (tips[lane], before[lane]);
            if plain[lane] {
                scene.place_plain(joint.bone, heads[lane], local[lane], world[lane]);
            } else {
                scene.place(joint.bone, joint.parent, heads[lane], local[lane], world[lane]);
            }
        } else {
            scene.refresh(joint.bone);
        }
    }
}

/// Joints side by side before their turn.
struct Side<'a> {
    four: &'a Four,
    joints: [&'a JointRest; 4],
    p: [&'a Params; 4],
    hung: Hung<'a>,
    heads: [Vec3; 4],
    /// Whether neither they nor their parents are scaled.
    plain: [bool; 4],
    /// Where they point at rest, unit length or zero.
    aim: Vec3x4,
    /// From head to tip in this step, metres.
    length: Vec4,
}

/// Where tips are after a step, and were before.
struct Swung {
    tip: Vec3x4,
    before: Vec3x4,
    /// From the heads to the tips, unit length.
    direction: Vec3x4,
}

#[expect(clippy::inline_always, reason = "parts of one step, each called once; what they share stays in registers")]
impl<'a> Side<'a> {
    #[inline(always)]
    fn of(
        rest: &'a Rest,
        params: &'a [Params],
        four: &'a Four,
        system: System,
        state: &State,
        scene: &'a Scene<'_>,
    ) -> Self {
        let joints = lanes(|lane| &rest.joints[four.places[lane] as usize]);
        let p = lanes(|lane| &params[four.places[lane] as usize]);
        let hung = scene.hang(lanes(|lane| joints[lane].bone), lanes(|lane| joints[lane].parent));
        let heads = hung.head.each();
        let mut aim = hung.parent * Vec3x4::new(lanes(|lane| joints[lane].rest_axis));
        if hung.scaled != [false; 4] {
            let frames = hung.frames;
            let skewed = move |lane: usize| frames[lane].linear() * joints[lane].rest_axis;
            aim = aim.mend(hung.scaled, move |lane, _| skewed(lane).normalize_or_zero());
        }
        let mut length = Vec4::from_array(lanes(|lane| joints[lane].own_length));
        let own_scale = |lane: usize| scene.pose[joints[lane].bone as usize].scale;
        let plain = lanes(|lane| !hung.scaled[lane] && own_scale(lane) == Vec3::ONE);
        let usual = lanes(|lane| plain[lane] && is_as_long_as_at_rest(joints[lane], system, scene));
        if usual != [true; 4] {
            let late = lanes(|lane| state.late_tips[four.places[lane] as usize]);
            length = odd_lengths(joints, system, late, scene, heads);
        }
        Self { four, joints, p, hung, heads, plain, aim, length }
    }

    /// The tips and those before, in the world, taken along by the joints' centers since they were written.
    #[inline(always)]
    fn carried(&self, state: &mut State, scene: &Scene<'_>) -> (Vec3x4, Vec3x4) {
        let tip = Vec3x4::new(lanes(|lane| state.tips[self.four.places[lane] as usize]));
        let previous = Vec3x4::new(lanes(|lane| state.previous[self.four.places[lane] as usize]));
        // Of a joint that is off nothing is carried, so that it is carried the whole way once it is on again.
        let follows = |joint: &JointRest| joint.enabled && joint.center != WORLD;
        let centered = lanes(|lane| lane < self.four.own().len() && follows(self.joints[lane]));
        if centered == [false; 4] {
            return (tip, previous);
        }
        let (joints, heads) = (self.joints, self.heads);
        let moved =
            lanes(|lane| if centered[lane] { center_moved(joints[lane], state, scene, heads[lane]) } else { None });
        let carry = move |lane: usize, tip| moved[lane].map_or(tip, |(was, now)| now.point(was.inverse_point(tip)));
        (tip.mend(centered, carry), previous.mend(centered, carry))
    }

    /// Inertia and pull, then length and limit.
    #[inline(always)]
    fn fly(&self, rest: &Rest, pull: f32, tip: Vec3x4, previous: Vec3x4) -> Swung {
        let kept = Vec4::from_array(lanes(|lane| self.p[lane].kept));
        let stiffness = Vec4::from_array(lanes(|lane| self.p[lane].stiffness));
        let gravity = Vec3x4::new(lanes(|lane| self.p[lane].gravity));
        let free = tip + (tip - previous) * kept + self.aim * (stiffness * pull) + gravity * pull;
        let offset = free - self.hung.head;
        let reach = offset.length();
        // Differs from three-vrm: a tip on its head has a direction there that is none.
        let known = reach.cmpgt(Vec4::splat(NOWHERE));
        let mut direction = Vec3x4::select(known, offset * reach.recip(), self.aim);
        let limited = lanes(|lane| self.joints[lane].limit != u32::MAX);
        if limited != [false; 4] {
            let (joints, frames) = (self.joints, self.hung.frames);
            let limit = move |lane: usize| &rest.limits[joints[lane].limit as usize];
            direction =
                direction.mend(limited, move |lane, direction| limit(lane).hold(frames[lane].rotation, direction));
        }
        Swung { tip: self.hung.head + direction * self.length, before: tip, direction }
    }

    /// Out of the colliders.
    #[inline(always)]
    fn collide(&self, rest: &Rest, system: System, state: &State, scene: &Scene<'_>, swung: &mut Swung) {
        let meets = |joint: &JointRest| joint.enabled && !joint.colliders.is_empty();
        let touched = lanes(|lane| meets(self.joints[lane]));
        if touched == [false; 4] {
            return;
        }
        let (mut tips, mut directions, aims) = (swung.tip.each(), swung.direction.each(), self.aim.each());
        for lane in (0..self.four.own().len()).filter(|lane| touched[*lane]) {
            let (joint, parent) = (self.joints[lane], self.hung.frames[lane]);
            let radius = self.p[lane].radius * system.scale * followed(joint, system, scene, parent);
            let univrm = system.preview == Preview::UniVrm;
            let ways = Ways { head: self.heads[lane], length: self.length[lane], radius, aim: aims[lane], univrm };
            (tips[lane], directions[lane]) =
                collide(rest, joint, &state.placed, parent, &ways, tips[lane], directions[lane]);
        }
        (swung.tip, swung.direction) = (Vec3x4::new(tips), Vec3x4::new(directions));
    }

    /// Tips that are nowhere go back to rest; where even the pose is no number, they stay where they were.
    #[inline(always)]
    fn guard(&self, state: &State, swung: &mut Swung) {
        let broken = !(swung.tip.is_finite() & swung.before.is_finite());
        if broken.any() {
            let (aims, heads, joints, places) = (self.aim.each(), self.heads, self.joints, self.four.places);
            let aim = move |lane: usize| if aims[lane].is_finite() { aims[lane] } else { Vec3::ZERO };
            swung.direction = swung.direction.mend(broken, move |lane, _| aim(lane));
            swung.tip = swung.tip.mend(broken, move |lane, _| {
                let at_rest = heads[lane] + aim(lane) * joints[lane].length;
                if at_rest.is_finite() { at_rest } else { state.tips[places[lane] as usize] }
            });
            swung.before = Vec3x4::select(broken, swung.tip, swung.before);
        }
    }

    /// The rotations in the parents' spaces with which the bones point at their tips.
    #[inline(always)]
    fn turn(&self, swung: &Swung, scene: &Scene<'_>) -> Quatx4 {
        let own = Quatx4::new(lanes(|lane| self.joints[lane].rotation));
        let mut to = (self.hung.parent * own).inverse() * swung.direction;
        let odd = lanes(|lane| is_odd(self.joints[lane], self.hung.frames[lane], scene));
        if odd != [false; 4] {
            let (joints, frames, tips) = (self.joints, self.hung.frames, swung.tip.each());
            to = to.mend(odd, move |lane, _| in_rest_space(joints[lane], frames[lane], tips[lane]));
        }
        own * arcs(Vec3x4::new(lanes(|lane| self.joints[lane].axis)), to)
    }
}

/// Whether where a joint's tip lies from its rest pose is more than a direction.
#[inline]
fn is_odd(joint: &JointRest, parent: &Frame, scene: &Scene<'_>) -> bool {
    parent.scaled || joint.scaled || scene.pose[joint.bone as usize].translation != joint.translation
}

/// `offset` at length 1; `aim` where it has none.
#[inline]
fn direction_or(offset: Vec3, aim: Vec3) -> Vec3 {
    let length = offset.length();
    // Differs from three-vrm: a tip on its head has a direction there that is none.
    if length > NOWHERE { offset * (1.0 / length) } else { aim }
}

/// Whether the distance from head to tip of a bone that is not scaled is surely that of the rest pose.
#[inline(always)]
#[expect(clippy::inline_always, reason = "asked of every joint, and nearly always so")]
fn is_as_long_as_at_rest(joint: &JointRest, system: System, scene: &Scene<'_>) -> bool {
    let stays = match scene.pose.get(joint.tip_bone as usize) {
        Some(tip) => tip.translation == joint.tip && scene.parents[joint.tip_bone as usize] == joint.bone,
        None => true,
    };
    stays && system.preview == Preview::Specification
}

/// Distances from heads to tips in this step, metres.
#[cold]
fn odd_lengths(joints: [&JointRest; 4], system: System, late: [Vec3; 4], scene: &Scene<'_>, heads: [Vec3; 4]) -> Vec4 {
    let of = |lane: usize| length(joints[lane], system, late[lane], scene, heads[lane]);
    Vec4::from_array(lanes(of))
}

/// Distance from head to tip in this step, metres.
fn length(joint: &JointRest, system: System, late: Vec3, scene: &Scene<'_>, head: Vec3) -> f32 {
    match system.preview {
        Preview::UniVrm => return joint.length,
        Preview::ThreeVrm if joint.tip_bone != WORLD => return head.distance(late),
        Preview::Specification | Preview::ThreeVrm => {}
    }
    let (parent, tip) = (scene.parent_frame(joint.parent), tip_in_bone(joint, scene.pose, scene.parents));
    let local = &scene.pose[joint.bone as usize];
    if parent.scaled || local.scale != Vec3::ONE {
        (parent.linear() * (local.rotation * (local.scale * tip))).length()
    } else if tip == joint.tip {
        joint.own_length
    } else {
        tip.length()
    }
}

/// How a joint's center has moved since its tips were written: from where to where. `None` where it has not.
fn center_moved(joint: &JointRest, state: &mut State, scene: &Scene<'_>, head: Vec3) -> Option<(Frame, Frame)> {
    let now = if joint.center == joint.bone {
        scene.parent_frame(joint.parent).child_at(&scene.pose[joint.bone as usize], head)
    } else {
        scene.frames[joint.center as usize]
    };
    let was = std::mem::replace(&mut state.centers[joint.center_at as usize], now);
    (was != now).then_some((was, now))
}

/// How much larger a hit radius is by scale.
#[inline]
fn followed(joint: &JointRest, system: System, scene: &Scene<'_>, parent: &Frame) -> f32 {
    let scale = scene.pose[joint.bone as usize].scale;
    if system.old && system.preview == Preview::UniVrm && (parent.scaled || scale != Vec3::ONE) {
        let own = Mat3::from_quat(scene.pose[joint.bone as usize].rotation) * Mat3::from_diagonal(scale);
        largest_factor(&(parent.linear() * own))
    } else {
        1.0
    }
}

/// What stays the same while a tip meets its colliders.
struct Ways {
    head: Vec3,
    length: f32,
    radius: f32,
    aim: Vec3,
    univrm: bool,
}

/// One collider after the other, each on what the one before left; the tip and the direction to it.
fn collide(
    rest: &Rest,
    joint: &JointRest,
    colliders: &[WorldCollider],
    parent: &Frame,
    ways: &Ways,
    mut next: Vec3,
    mut direction: Vec3,
) -> (Vec3, Vec3) {
    for at in joint.colliders.of(&rest.colliders) {
        let collider = &colliders[*at as usize];
        let probe = if ways.univrm { ways.head } else { next };
        let Some((depth, way)) = depth(collider, next, ways.radius, probe) else { continue };
        next += way * depth;
        direction = direction_or(next - ways.head, ways.aim);
        let mut keeps = !(ways.univrm && is_extended(collider));
        if joint.limit != u32::MAX {
            direction = rest.limits[joint.limit as usize].hold(parent.rotation, direction);
            keeps = true;
        }
        if keeps {
            next = ways.head + direction * ways.length;
        }
    }
    (next, direction)
}

/// Turns a joint so that it points at `tip`, metres in the world.
pub(super) fn turn(joint: &JointRest, scene: &mut Scene<'_>, tip: Vec3) {
    let parent = scene.parent_frame(joint.parent);
    let head = parent.point(scene.pose[joint.bone as usize].translation);
    let to = if is_odd(joint, parent, scene) {
        in_rest_space(joint, parent, tip)
    } else {
        (parent.rotation * joint.rotation).inverse() * direction_or(tip - head, Vec3::ZERO)
    };
    let local = joint.rotation * arc(joint.axis, to);
    let world = parent.rotation * local;
    scene.place(joint.bone, joint.parent, head, local, world);
}

/// The direction to `tip` as the joint would see it at rest, unit length or zero. Where an animation moves the head,
/// the reference code looks from where it stood at rest, and so does this.
#[cold]
fn in_rest_space(joint: &JointRest, parent: &Frame, tip: Vec3) -> Vec3 {
    let local = Trs { translation: joint.translation, rotation: joint.rotation, scale: joint.scale };
    parent.child(&local).inverse_point(tip).normalize_or_zero()
}

/// Four times [`arc`].
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn arcs(from: Vec3x4, to: Vec3x4) -> Quatx4 {
    let c = from.cross(to);
    let (dot, squared) = (from.dot(to), c.length_squared());
    let behind = dot.cmplt(Vec4::ZERO);
    if (behind & squared.cmplt(Vec4::splat(NEARLY_OPPOSITE))).any() {
        let (from, to) = (from.each(), to.each());
        return Quatx4::new(lanes(|lane| arc(from[lane], to[lane])));
    }
    let w = Vec4::select(behind, squared / (Vec4::ONE - dot), Vec4::ONE + dot);
    let k = (squared + w * w).sqrt().recip();
    Quatx4::from_parts(c * k, w * k)
}

/// The shortest turn from one direction to another, both of unit length; none where one of them is zero.
///
/// Half a turn goes about the axis that three-vrm picks, so that recordings on that edge can be compared.
#[inline]
fn arc(from: Vec3, to: Vec3) -> Quat {
    let c = from.cross(to);
    let (dot, squared) = (from.dot(to), c.length_squared());
    let mut w = 1.0 + dot;
    if dot < 0.0 {
        if squared < NEARLY_OPPOSITE {
            let axis = if from.x.abs() > from.z.abs() {
                Vec3::new(-from.y, from.x, 0.0)
            } else {
                Vec3::new(0.0, -from.z, from.y)
            };
            return Quat::from_vec4(axis.normalize_or(Vec3::X).extend(0.0));
        }
        // The same number with all its digits: 1 + dot has lost them where the two are nearly opposite.
        w = squared / (1.0 - dot);
    }
    let k = 1.0 / (squared + w * w).sqrt();
    Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: Vec3, to: Vec3) {
        let (from, to) = (from.normalize(), to.normalize());
        let found = arc(from, to);
        assert!((found.length() - 1.0).abs() < 1e-5, "{found} is not of unit length");
        assert!((found * from - to).length() < 1e-5, "{found} turns {from} to {}, not {to}", found * from);
    }

    #[test]
    fn the_arc_leads_from_anywhere_to_anywhere() {
        check(Vec3::X, Vec3::Y);
        check(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 0.1));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 0.2, -1.0)] {
            check(axis, axis);
            check(axis, -axis);
            check(axis, -axis + axis.any_orthogonal_vector() * 1e-3);
        }
    }

    #[test]
    fn a_direction_that_is_none_turns_nothing() {
        assert_eq!(arc(Vec3::Y, Vec3::ZERO), Quat::IDENTITY);
        assert_eq!(arc(Vec3::ZERO, Vec3::Y), Quat::IDENTITY);
    }

    #[test]
    fn a_tip_on_its_head_points_where_it_rests() {
        assert_eq!(direction_or(Vec3::ZERO, Vec3::X), Vec3::X);
        assert_eq!(direction_or(Vec3::Y * 1e-20, Vec3::X), Vec3::X);
        assert_eq!(direction_or(Vec3::Y * 0.5, Vec3::X), Vec3::Y);
    }
}
