//! From bodies to bones.

use super::{Motion, NONE, Params, Place, Rest, State, System};
use crate::sim::scene::Scene;
use glam::Vec3;

/// Turns the bones after their bodies, parents first, and moves those whose bodies have play or a lever.
pub(super) fn bones(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        rest.between[joint.between.0 as usize..joint.between.1 as usize].iter().for_each(|b| scene.refresh(*b));
        heal(rest, state, i);
        let (center, _) = system.stands(p.offset, state.hangs[i].size);
        let place = state.places[i];
        let parent = *scene.parent_frame(joint.parent);
        let mut local = scene.pose[joint.bone as usize];
        let mut at = parent.point(local.translation);
        let mut rotation = parent.rotation * local.rotation;
        if system.shows {
            let turned = (parent.rotation.inverse() * place.rotation).normalize();
            if turned.is_finite() {
                (local.rotation, rotation) = (turned, place.rotation);
            }
            if moves(p, system) {
                let moved = parent.inverse_point(place.center - place.rotation * center);
                // A frame that is flattened to nothing has no place for it.
                if moved.is_finite() && parent.point(moved).is_finite() {
                    local.translation = moved;
                    at = parent.point(moved);
                }
            }
        }
        scene.frames[joint.bone as usize] = parent.child_at(&local, at);
        scene.pose[joint.bone as usize] = local;
        let tip = at + rotation * joint.tip;
        state.previous[i] = state.tips[i];
        if tip.is_finite() {
            state.tips[i] = tip;
        }
    }
}

/// Whether the bone of such a body leaves its place on the bone above.
fn moves(p: &Params, system: &System) -> bool {
    !p.locked || (!system.joint_on_bone && p.offset != Vec3::ZERO)
}

/// A body that is no number any more goes back to where animation has it.
fn heal(rest: &Rest, state: &mut State, i: usize) {
    let (place, motion) = (state.places[i], state.motions[i]);
    let numbers = place.center.is_finite() && place.rotation.is_finite();
    if numbers && motion.speed.is_finite() && motion.spin.is_finite() && state.links[i].push.is_finite() {
        return;
    }
    let (joint, hang) = (&rest.joints[i], state.hangs[i]);
    let rotation = if joint.above == NONE {
        hang.turn
    } else {
        (state.places[joint.above as usize].rotation * hang.turn).normalize()
    };
    state.places[i] = Place { center: hang.center, rotation };
    state.motions[i] = Motion::default();
    state.links[i].push = Vec3::ZERO;
}

/// Turns one bone towards a tip, without time passing; its body follows in the next step.
pub(super) fn aim(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let joint = &rest.joints[joint];
    scene.refresh(joint.bone);
    let frame = scene.frames[joint.bone as usize];
    let (from, to) = ((frame.rotation * joint.tip).try_normalize(), (tip - frame.position).try_normalize());
    if let (Some(from), Some(to)) = (from, to) {
        let parent = *scene.parent_frame(joint.parent);
        let turned = parent.rotation.inverse() * crate::math::shortest_arc(from, to) * frame.rotation;
        scene.pose[joint.bone as usize].rotation = turned.normalize();
        scene.refresh(joint.bone);
    }
}
