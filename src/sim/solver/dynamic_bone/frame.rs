//! Before and after the steps of a frame: reading the animated pose, and writing where everything swung.

use super::{JointRest, NONE, Particle, Point, Rest, State};
use crate::math::{Frame, arc_between, unit_again};
use crate::sim::Scene;
use crate::sim::scene::WORLD;
use glam::{Quat, Vec3};

/// Where a bone is in the world; its origin for `WORLD`.
pub(super) fn origin(frames: &[Frame], bone: u32) -> Vec3 {
    frames.get(bone as usize).map_or(Vec3::ZERO, |frame| frame.position)
}

/// The engine's `lossyScale.x`, positive.
pub(super) fn scale(frames: &[Frame], bone: u32) -> f32 {
    match frames.get(bone as usize) {
        Some(frame) if frame.scaled => (frame.rotation.inverse() * frame.linear().x_axis).x.abs(),
        _ => 1.0,
    }
}

/// A direction with its length from a frame's space to the world.
#[inline]
fn turned(frame: &Frame, v: Vec3) -> Vec3 {
    if frame.scaled { frame.linear() * v } else { frame.rotation * v }
}

/// Brings the frames of all bones up to date with the animated pose, and takes each particle's arm from them.
pub(super) fn capture(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (particle, point) in rest.particles.iter().zip(&mut state.points) {
        if particle.parent == NONE {
            scene.refresh(particle.bone);
            continue;
        }
        let joint = rest.joints[particle.joint as usize].bone as usize;
        let arm = if particle.direct {
            let local = scene.pose[particle.bone as usize];
            let head = scene.frames[joint];
            let arm = turned(&head, local.translation);
            scene.frames[particle.bone as usize] = head.child_at(&local, head.position + arm);
            arm
        } else if particle.bone == WORLD {
            turned(&scene.frames[joint], particle.local)
        } else {
            refresh(rest, particle, scene);
            scene.refresh(particle.bone);
            scene.frames[particle.bone as usize].position - scene.frames[joint].position
        };
        let length = arm.length();
        // What is farther off than numbers go has no direction.
        (point.arm, point.length) = if length.is_finite() { (arm, length) } else { (Vec3::ZERO, 0.0) };
    }
}

/// Lets every particle stand still in the captured pose.
pub(super) fn start_anew(rest: &Rest, state: &mut State, scene: &Scene<'_>) {
    for (particle, point) in rest.particles.iter().zip(&mut state.points) {
        let at = if particle.bone == WORLD {
            scene.frames[rest.joints[particle.joint as usize].bone as usize].position + point.arm
        } else {
            scene.frames[particle.bone as usize].position
        };
        *point = Point { at, previous: at, collided: false, ..*point };
    }
    state.component = origin(scene.frames, rest.component);
}

/// The bones between a joint and its tip.
#[inline]
fn refresh(rest: &Rest, particle: &Particle, scene: &mut Scene<'_>) {
    for bone in &rest.between[particle.between.0 as usize..particle.between.1 as usize] {
        scene.refresh(*bone);
    }
}

/// Turns every joint with one tip to it, and puts every bone where its particle is. A joint that is off keeps its local
/// rotation, and its tips their local places.
pub(super) fn write(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for joint in &rest.joints {
        let head = &rest.particles[joint.head as usize];
        put(rest, head, &mut state.points[joint.head as usize], scene);
        let (bone, at) = (joint.bone as usize, state.points[joint.head as usize].at);
        let parent = scene.parent_frame(scene.parents[bone]);
        let (above, scaled) = (parent.rotation, parent.scaled);
        let mut turned = above * scene.pose[bone].rotation;
        if joint.turns && joint.enabled {
            let tip = &rest.particles[joint.tip as usize];
            let point = &state.points[joint.tip as usize];
            let from = match tip.bone {
                WORLD => tip.local,
                _ if tip.direct => scene.pose[tip.bone as usize].translation,
                // As animated: the bone's frame is not yet written.
                _ => scene.frames[bone].rotation.inverse() * point.arm,
            };
            turned = aimed(turned, from, point.at - at);
            scene.pose[bone].rotation = above.inverse() * turned;
        }
        let local = &scene.pose[bone];
        if scaled || local.scale != Vec3::ONE {
            scene.frames[bone] = scene.parent_frame(scene.parents[bone]).child_at(local, at);
        } else {
            scene.frames[bone].place(turned, at);
        }
    }
    for at in &rest.loose {
        let particle = &rest.particles[*at as usize];
        let point = &mut state.points[*at as usize];
        put(rest, particle, point, scene);
        let parent = *scene.parent_frame(scene.parents[particle.bone as usize]);
        scene.frames[particle.bone as usize] = parent.child_at(&scene.pose[particle.bone as usize], point.at);
    }
}

/// Writes the local place of a particle's bone; its parent is up to date.
#[inline]
fn put(rest: &Rest, particle: &Particle, point: &mut Point, scene: &mut Scene<'_>) {
    if particle.parent == NONE {
        return;
    }
    refresh(rest, particle, scene);
    let bone = particle.bone as usize;
    let parent = scene.parent_frame(scene.parents[bone]);
    if rest.joints[particle.joint as usize].enabled {
        let local = parent.inverse_point(point.at);
        if local.is_finite() {
            scene.pose[bone].translation = local;
        }
    } else {
        let at = parent.point(scene.pose[bone].translation);
        *point = Point { at, previous: at, ..*point };
    }
}

/// `rotation` turned by the shortest way so that `from` of its own space points along `to` of the world. Of unit length,
/// or what is off would grow from bone to bone.
#[inline(always)]
#[expect(clippy::inline_always, reason = "two vectors and two rotations through memory cost as much as the turn")]
fn aimed(rotation: Quat, from: Vec3, to: Vec3) -> Quat {
    arc_between(rotation * from, to).map_or(rotation, |arc| unit_again(arc * rotation))
}

/// Turns one joint towards its tip at `at`, metres in the world, and takes the tip's bone there.
pub(super) fn aim(rest: &Rest, joint: usize, at: Vec3, scene: &mut Scene<'_>) {
    let JointRest { bone, tip, turns, .. } = rest.joints[joint];
    let Some(tip) = rest.particles.get(tip as usize) else { return };
    let frame = scene.frames[bone as usize];
    if turns {
        let from = if tip.bone == WORLD {
            tip.local
        } else {
            refresh(rest, tip, scene);
            scene.refresh(tip.bone);
            frame.rotation.inverse() * (scene.frames[tip.bone as usize].position - frame.position)
        };
        let turned = aimed(frame.rotation, from, at - frame.position);
        let parent = scene.parent_frame(scene.parents[bone as usize]).rotation;
        scene.pose[bone as usize].rotation = parent.inverse() * turned;
        scene.refresh(bone);
    }
    if tip.bone != WORLD {
        refresh(rest, tip, scene);
        let local = scene.parent_frame(scene.parents[tip.bone as usize]).inverse_point(at);
        if local.is_finite() {
            scene.pose[tip.bone as usize].translation = local;
        }
        scene.refresh(tip.bone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    #[test]
    fn scale_is_what_the_first_axis_keeps_of_its_length() {
        let wide = Trs { scale: Vec3::new(-2.0, 1.0, 3.0), ..Trs::IDENTITY };
        let tilted = Trs { rotation: Quat::from_rotation_y(0.4), scale: Vec3::splat(1.5), ..Trs::IDENTITY };
        let plain = Frame::WORLD.child(&Trs::IDENTITY);
        let frames = [plain, Frame::WORLD.child(&wide), Frame::WORLD.child(&tilted)];
        assert_eq!((scale(&frames, 0), scale(&frames, 1), scale(&frames, WORLD)), (1.0, 2.0, 1.0));
        assert!((scale(&frames, 2) - 1.5).abs() < 1e-6);
    }

    #[test]
    fn an_aim_without_direction_turns_nothing() {
        let rotation = Quat::from_rotation_x(0.3);
        assert_eq!(aimed(rotation, Vec3::ZERO, Vec3::X), rotation);
        assert_eq!(aimed(rotation, Vec3::Y, Vec3::ZERO), rotation);
        let found = aimed(rotation, Vec3::Y * 0.1, Vec3::NEG_Z) * Vec3::Y;
        assert!(found.distance(Vec3::NEG_Z) < 1e-6);
    }
}
