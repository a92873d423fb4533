//! One step of every joint: inertia and pull, length, colliders, turn.

use super::super::super::scene::{Scene, WORLD};
use super::colliders::{Placed, largest_scale};
use super::{JointRest, Params, Preview, Rest, State, System};
use crate::math::{Frame, Trs};
use glam::{Mat3, Quat, Vec3};

/// Squared sine below which two directions count as opposite; three-vrm's 1e-8 on the cosine.
const NEARLY_OPPOSITE: f32 = 2e-8;

/// Shorter offsets have no direction, metres: their squares have lost their digits.
pub(super) const NOWHERE: f32 = 1e-18;

pub(super) fn solve(rest: &Rest, params: &[Params], system: System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
    let moves = dt > 0.0;
    if moves {
        for (placed, collider) in state.placed.iter_mut().zip(scene.colliders) {
            *placed = Placed::new(collider, &scene.frames[collider.bone as usize], system);
        }
    }
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled && moves {
            let head = scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation);
            let (tip, direction) = swing(rest, joint, (i, &params[i]), system, state, scene, head, dt);
            turn_at(joint, scene, head, tip, direction);
        } else {
            scene.refresh(joint.bone);
        }
        refresh_below(rest, joint, scene);
        for at in &rest.carried[joint.carried.0 as usize..joint.carried.1 as usize] {
            let collider = &scene.colliders[*at as usize];
            state.placed[*at as usize] = Placed::new(collider, &scene.frames[collider.bone as usize], system);
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
    for bone in &rest.refresh[joint.refresh.0 as usize..joint.refresh.1 as usize] {
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

/// One joint's tip over one step: where it is now, metres in the world, and the direction to it from the head.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called once per joint; vectors stay in registers")]
#[expect(clippy::too_many_arguments, reason = "what a joint reads, named one by one, is what the formula is about")]
fn swing(
    rest: &Rest,
    joint: &JointRest,
    (i, p): (usize, &Params),
    system: System,
    state: &mut State,
    scene: &Scene<'_>,
    head: Vec3,
    dt: f32,
) -> (Vec3, Vec3) {
    let parent = scene.parent_frame(joint.parent);
    let aim = if parent.scaled {
        (parent.linear() * joint.rest_axis).normalize_or_zero()
    } else {
        parent.rotation * joint.rest_axis
    };
    let length = length(joint, system, state.late_tips[i], scene, parent, head);
    let (tip, previous) = carried(joint, i, state, scene, head);
    let pull = dt * system.scale;
    let free = tip + (tip - previous) * p.kept + aim * (p.stiffness * pull) + p.gravity * pull;
    let mut direction = direction_or(free - head, aim);
    if joint.limit != u32::MAX {
        direction = rest.limits[joint.limit as usize].hold(parent.rotation, direction);
    }
    let mut next = head + direction * length;
    let (from, to) = (joint.colliders.0 as usize, joint.colliders.1 as usize);
    if from < to {
        let radius = p.radius * system.scale * followed(joint, system, scene, parent);
        let ways = Ways { head, length, radius, aim, univrm: system.preview == Preview::UniVrm };
        (next, direction) =
            collide(rest, joint, &rest.colliders[from..to], &state.placed, parent, &ways, next, direction);
    }
    let mut before = tip;
    if !(next.is_finite() && before.is_finite()) {
        // Back to rest; where even the pose is no number, the tip stays where it was.
        direction = if aim.is_finite() { aim } else { Vec3::ZERO };
        let rest_tip = head + direction * joint.length;
        next = if rest_tip.is_finite() { rest_tip } else { state.tips[i] };
        before = next;
    }
    (state.tips[i], state.previous[i]) = (next, before);
    (next, direction)
}

/// `offset` at length 1; `aim` where it has none.
#[inline]
fn direction_or(offset: Vec3, aim: Vec3) -> Vec3 {
    let length = offset.length();
    // Differs from three-vrm: a tip on its head has a direction there that is none.
    if length > NOWHERE { offset * (1.0 / length) } else { aim }
}

/// Distance from head to tip in this step, metres.
#[inline]
fn length(joint: &JointRest, system: System, late: Vec3, scene: &Scene<'_>, parent: &Frame, head: Vec3) -> f32 {
    match system.preview {
        Preview::UniVrm => return joint.length,
        Preview::ThreeVrm if joint.tip_bone != WORLD => return head.distance(late),
        Preview::Specification | Preview::ThreeVrm => {}
    }
    let tip = tip_in_bone(joint, scene.pose, scene.parents);
    let local = &scene.pose[joint.bone as usize];
    if parent.scaled || local.scale != Vec3::ONE {
        (parent.linear() * (local.rotation * (local.scale * tip))).length()
    } else if tip == joint.tip {
        joint.own_length
    } else {
        tip.length()
    }
}

/// The tip and the one before, in the world, taken along by the joint's center since they were written.
#[inline]
fn carried(joint: &JointRest, i: usize, state: &mut State, scene: &Scene<'_>, head: Vec3) -> (Vec3, Vec3) {
    let (tip, previous) = (state.tips[i], state.previous[i]);
    if joint.center == WORLD {
        return (tip, previous);
    }
    let now = if joint.center == joint.bone {
        scene.parent_frame(joint.parent).child_at(&scene.pose[joint.bone as usize], head)
    } else {
        scene.frames[joint.center as usize]
    };
    let was = std::mem::replace(&mut state.centers[joint.center_at as usize], now);
    if was == now {
        return (tip, previous);
    }
    (now.point(was.inverse_point(tip)), now.point(was.inverse_point(previous)))
}

/// How much larger a hit radius is by scale.
#[inline]
fn followed(joint: &JointRest, system: System, scene: &Scene<'_>, parent: &Frame) -> f32 {
    let scale = scene.pose[joint.bone as usize].scale;
    if system.old && system.preview == Preview::UniVrm && (parent.scaled || scale != Vec3::ONE) {
        let own = Mat3::from_quat(scene.pose[joint.bone as usize].rotation) * Mat3::from_diagonal(scale);
        largest_scale(&(parent.linear() * own))
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
#[inline]
#[expect(clippy::too_many_arguments, reason = "as for `swing`")]
fn collide(
    rest: &Rest,
    joint: &JointRest,
    colliders: &[u32],
    placed: &[Placed],
    parent: &Frame,
    ways: &Ways,
    mut next: Vec3,
    mut direction: Vec3,
) -> (Vec3, Vec3) {
    for at in colliders {
        let collider = &placed[*at as usize];
        let probe = if ways.univrm { ways.head } else { next };
        let Some((depth, way)) = collider.depth(next, ways.radius, probe) else { continue };
        next += way * depth;
        direction = direction_or(next - ways.head, ways.aim);
        let mut keeps = !(ways.univrm && collider.kind.is_extended());
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
    let head = scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation);
    turn_at(joint, scene, head, tip, direction_or(tip - head, Vec3::ZERO));
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn turn_at(joint: &JointRest, scene: &mut Scene<'_>, head: Vec3, tip: Vec3, direction: Vec3) {
    let parent = scene.parent_frame(joint.parent);
    let bone = joint.bone as usize;
    let mut local = scene.pose[bone];
    let to = if parent.scaled || joint.scaled || local.translation != joint.translation {
        in_rest_space(joint, parent, tip)
    } else {
        (parent.rotation * joint.rotation).inverse() * direction
    };
    local.rotation = joint.rotation * arc(joint.axis, to);
    let frame = parent.child_at(&local, head);
    scene.pose[bone].rotation = local.rotation;
    scene.frames[bone] = frame;
}

/// The direction to `tip` as the joint would see it at rest, unit length or zero. Where an animation moves the head,
/// the reference code looks from where it stood at rest, and so does this.
#[cold]
fn in_rest_space(joint: &JointRest, parent: &Frame, tip: Vec3) -> Vec3 {
    let local = Trs { translation: joint.translation, rotation: joint.rotation, scale: joint.scale };
    parent.child(&local).inverse_point(tip).normalize_or_zero()
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
