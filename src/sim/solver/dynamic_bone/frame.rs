//! Before and after the steps of a frame: reading the animated pose, and writing where everything swung.

use super::{JointRest, NONE, Particle, Point, Rest, State};
use crate::math::{Frame, Quatx4, Vec3x4, arc_between, lanes, unit_again};
use crate::sim::Scene;
use crate::sim::scene::WORLD;
use crate::sim::solver::fours::Four;
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
    for four in &rest.fours {
        let particles = lanes(|lane| &rest.particles[four.places[lane] as usize]);
        if particles[0].parent == NONE {
            for root in particles {
                scene.refresh(root.bone);
            }
            continue;
        }
        let arm = capture_tips(rest, particles, scene);
        let length = arm.length();
        let (arms, lengths) = (arm.each(), length.to_array());
        lanes(|lane| state.points[four.places[lane] as usize].arm = arms[lane]);
        lanes(|lane| state.points[four.places[lane] as usize].length = lengths[lane]);
        let is_lost = !length.is_finite_mask();
        if is_lost.any() {
            // What is farther off than numbers go has no direction.
            for at in (0..4).filter(|lane| is_lost.test(*lane)).map(|lane| four.places[lane] as usize) {
                (state.points[at].arm, state.points[at].length) = (Vec3::ZERO, 0.0);
            }
        }
    }
}

/// The arms of tips side by side; their bones' frames are brought up to date.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn capture_tips(rest: &Rest, particles: [&Particle; 4], scene: &mut Scene<'_>) -> Vec3x4 {
    let joints = lanes(|lane| rest.joints[particles[lane].joint as usize].bone);
    let heads = lanes(|lane| &scene.frames[joints[lane] as usize]);
    let rotation = Quatx4::new(lanes(|lane| heads[lane].rotation));
    let position = Vec3x4::new(lanes(|lane| heads[lane].position));
    // A virtual tip has no bone: in its place the joint's, which is then left alone.
    let bones = lanes(|lane| if particles[lane].bone == WORLD { joints[lane] } else { particles[lane].bone });
    let locals = lanes(|lane| &scene.pose[bones[lane] as usize]);
    let offset = |lane: usize| match particles[lane].bone {
        WORLD => &particles[lane].local,
        _ => &locals[lane].translation,
    };
    let arm = rotation * Vec3x4::new(lanes(|lane| *offset(lane)));
    let turned = (rotation * Quatx4::new(lanes(|lane| locals[lane].rotation))).each();
    let at = (position + arm).each();
    let is_tip = |lane: usize| particles[lane].direct && locals[lane].scale == Vec3::ONE;
    let is_plain = |lane: usize| !heads[lane].scaled && (particles[lane].bone == WORLD || is_tip(lane));
    let plain = lanes(is_plain);
    if plain == [true; 4] {
        if lanes(|lane| particles[lane].bone == WORLD) == [false; 4] {
            lanes(|lane| scene.frames[bones[lane] as usize].place(turned[lane], at[lane]));
        } else {
            for lane in (0..4).filter(|lane| particles[*lane].bone != WORLD) {
                scene.frames[bones[lane] as usize].place(turned[lane], at[lane]);
            }
        }
        return arm;
    }
    let each = arm.each();
    Vec3x4::new(lanes(|lane| {
        if !plain[lane] {
            return capture_one(rest, particles[lane], scene);
        }
        if particles[lane].bone != WORLD {
            scene.frames[bones[lane] as usize].place(turned[lane], at[lane]);
        }
        each[lane]
    }))
}

/// The same for any one tip, be it scaled or below bones that its joint skips.
#[cold]
fn capture_one(rest: &Rest, particle: &Particle, scene: &mut Scene<'_>) -> Vec3 {
    let joint = rest.joints[particle.joint as usize].bone as usize;
    if particle.direct {
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
    for bone in particle.between.of(&rest.between) {
        scene.refresh(*bone);
    }
}

/// Turns every joint with one tip to it, and puts every bone where its particle is. A joint that is off keeps its local
/// rotation, and its tips their local places.
pub(super) fn write(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for four in &rest.turns {
        let joints = lanes(|lane| &rest.joints[four.places[lane] as usize]);
        if joints[0].plain {
            write_plain(rest, four, joints, state, scene);
        } else {
            joints[..four.count as usize].iter().for_each(|joint| write_one(rest, joint, state, scene));
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

/// Whether a joint or the one that its head is the tip of is off.
fn is_off(rest: &Rest, joint: &JointRest) -> bool {
    let above = || rest.particles[joint.head as usize].joint as usize;
    !joint.enabled || joint.above != NONE && !rest.joints[above()].enabled
}

/// Joints side by side that turn and hang on their parents directly; those that are scaled or off by themselves.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn write_plain(rest: &Rest, four: &Four, joints: [&JointRest; 4], state: &mut State, scene: &mut Scene<'_>) {
    let parents = lanes(|lane| scene.parent_frame(joints[lane].parent));
    let locals = lanes(|lane| &scene.pose[joints[lane].bone as usize]);
    let above = Quatx4::new(lanes(|lane| parents[lane].rotation));
    let heads = Vec3x4::new(lanes(|lane| state.points[joints[lane].head as usize].at));
    let local = above.inverse() * (heads - Vec3x4::new(lanes(|lane| parents[lane].position)));
    let from = |lane: usize| match joints[lane].tip_bone {
        WORLD => &joints[lane].tip_local,
        bone => &scene.pose[bone as usize].translation,
    };
    let animated = above * Quatx4::new(lanes(|lane| locals[lane].rotation));
    let to = Vec3x4::new(lanes(|lane| state.points[joints[lane].tip as usize].at)) - heads;
    let (turned, _) = animated.aimed(animated * Vec3x4::new(lanes(|lane| *from(lane))), to);
    let is_scaled = |lane: usize| parents[lane].scaled || locals[lane].scale != Vec3::ONE;
    let odd = lanes(|lane| is_scaled(lane) || rest.some_off && is_off(rest, joints[lane]));

    let (places, is_put) = (local.each(), local.is_finite());
    let (rotations, turned, heads) = ((above.inverse() * turned).each(), turned.each(), heads.each());
    let bone = |lane: usize| joints[lane].bone as usize;
    if odd == [false; 4] {
        // Of a kind after a kind, so that nothing is called.
        if is_put.all() && lanes(|lane| joints[lane].above == NONE) == [false; 4] {
            lanes(|lane| scene.pose[bone(lane)].translation = places[lane]);
        } else {
            for lane in (0..4).filter(|lane| is_put.test(*lane) && joints[*lane].above != NONE) {
                scene.pose[bone(lane)].translation = places[lane];
            }
        }
        lanes(|lane| scene.pose[bone(lane)].rotation = rotations[lane]);
        lanes(|lane| scene.frames[bone(lane)].place(turned[lane], heads[lane]));
        return;
    }
    for lane in 0..four.count as usize {
        if odd[lane] {
            write_one(rest, joints[lane], state, scene);
            continue;
        }
        if is_put.test(lane) && joints[lane].above != NONE {
            scene.pose[bone(lane)].translation = places[lane];
        }
        scene.pose[bone(lane)].rotation = rotations[lane];
        scene.frames[bone(lane)].place(turned[lane], heads[lane]);
    }
}

/// The same for any one joint, be it scaled, off, a fork, or below bones that are skipped.
#[cold]
fn write_one(rest: &Rest, joint: &JointRest, state: &mut State, scene: &mut Scene<'_>) {
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
