//! What was solved becomes a pose: position, then the turn that leads the bone's axis to the child's point.

use super::super::super::scene::Scene;
use super::{EPSILON, JointRest, NONE, Rest, State, System};
use crate::math::{Frame, shortest_arc};
use glam::{Quat, Vec3};

/// Writes every joint, parents first, and notes what was written.
pub(super) fn write_pose(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        joint.skipped_bones.slice(&rest.skipped_bones).iter().for_each(|bone| scene.refresh(*bone));
        if joint.enabled && rest.points[i].weight > 0.0 {
            write_moving(rest, i, system, state, scene);
        } else if joint.enabled {
            write_fixed(rest, i, system, state, scene);
        } else {
            scene.refresh(joint.bone);
        }
        state.last_locals[i] = scene.pose[joint.bone as usize];
    }
}

/// A point that moves: its bone goes there and turns from its rest rotation.
fn write_moving(rest: &Rest, i: usize, system: &System, state: &State, scene: &mut Scene<'_>) {
    let (joint, point) = (&rest.joints[i], &rest.points[i]);
    let parent = *scene.parent_frame(joint.parent_bone);
    let at = state.output[i];
    let apart = if point.parent == NONE { f32::MAX } else { (at - state.output[point.parent as usize]).length() };
    // Nearly on its parent it stays as animated.
    if apart <= if system.short_bones { 1e-6 } else { EPSILON } {
        scene.refresh(joint.bone);
        return;
    }
    let mut local = scene.pose[joint.bone as usize];
    let translation = parent.inverse_transform_point(at);
    if translation.is_finite() {
        local.translation = translation;
    }
    local.rotation = joint.rotation;
    let frame = parent.child(&local);
    rotate_towards_child(
        joint,
        state.output.get(point.aim_child as usize),
        at,
        0.0,
        system.short_bones,
        (&parent, &frame),
        &mut local.rotation,
    );
    write_local(joint, &parent, local, scene);
}

/// A point that keeps its animated position: its bone turns as far as the child is solved.
fn write_fixed(rest: &Rest, i: usize, system: &System, state: &State, scene: &mut Scene<'_>) {
    let (joint, point) = (&rest.joints[i], &rest.points[i]);
    let parent = *scene.parent_frame(joint.parent_bone);
    let child = rest.points.get(point.aim_child as usize);
    let animated = child.map_or(system.blend, |child| child.fade.max(system.blend));
    let mut local = scene.pose[joint.bone as usize];
    if animated < 1.0 {
        local.rotation = if animated > 0.0 { joint.rotation.slerp(local.rotation, animated) } else { joint.rotation };
    }
    let frame = parent.child(&local);
    let child = state.output.get(point.aim_child as usize);
    rotate_towards_child(
        joint,
        child,
        frame.position,
        animated,
        system.short_bones,
        (&parent, &frame),
        &mut local.rotation,
    );
    write_local(joint, &parent, local, scene);
}

/// Turns a rotation so that the axis points from `head` to the child, less the share that stays animated.
fn rotate_towards_child(
    joint: &JointRest,
    child: Option<&Vec3>,
    head: Vec3,
    animated: f32,
    short_bones: bool,
    (parent, frame): (&Frame, &Frame),
    rotation: &mut Quat,
) {
    let Some(child) = child else { return };
    let way = *child - head;
    // The engine means a length here and compares its square: bones below 3.2 cm do not turn.
    if way.length_squared() <= if short_bones { 1e-12 } else { EPSILON } || joint.axis == Vec3::ZERO {
        return;
    }
    let Some(way) = way.try_normalize() else { return };
    let aimed = shortest_arc(frame.rotation * joint.axis, way) * frame.rotation;
    let world = if animated > 0.0 { aimed.slerp(frame.rotation, animated) } else { aimed };
    let turned = (parent.rotation.inverse() * world).normalize();
    if turned.is_finite() {
        *rotation = turned;
    }
}

fn write_local(joint: &JointRest, parent: &Frame, local: crate::math::Trs, scene: &mut Scene<'_>) {
    scene.pose[joint.bone as usize] = local;
    scene.frames[joint.bone as usize] = parent.child(&local);
}

/// Turns one joint towards a tip, without time passing, and takes the bone at the tip along.
pub(super) fn point_joint_at(rest: &Rest, i: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let joint = &rest.joints[i];
    let parent = *scene.parent_frame(joint.parent_bone);
    let mut local = scene.pose[joint.bone as usize];
    local.rotation = joint.rotation;
    let frame = parent.child(&local);
    rotate_towards_child(joint, Some(&tip), frame.position, 0.0, true, (&parent, &frame), &mut local.rotation);
    write_local(joint, &parent, local, scene);
    let child = rest.joints.get(rest.points[i].aim_child as usize);
    if let Some(child) = child.filter(|child| child.parent_bone == joint.bone) {
        let head = scene.frames[joint.bone as usize].inverse_transform_point(tip);
        if head.is_finite() {
            scene.pose[child.bone as usize].translation = head;
        }
    }
}
