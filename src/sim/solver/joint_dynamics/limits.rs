//! How far a point may go: a ball about its place below the grandparent, and a cone about its parent's direction.

use super::super::super::scene::Scene;
use super::step::restore;
use super::{NONE, Params, Rest, State, System};
use glam::{Quat, Vec3};

/// Notes where movable limits are centred: on grandparents as the last frame left the joints, since the engine looks
/// before it restores them.
pub(super) fn targets(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    if rest.points.iter().all(|p| p.limit_radius < 0.0) {
        return;
    }
    let State { late, limits, .. } = state;
    for (joint, late) in rest.joints.iter().zip(late.iter_mut()) {
        std::mem::swap(&mut scene.pose[joint.bone as usize], late);
    }
    restore(rest, scene);
    for (point, limit) in rest.points.iter().zip(limits) {
        if let Some(frame) = scene.frames.get(point.limit_bone as usize) {
            *limit = frame.point(point.limit_offset);
        }
    }
    for (joint, late) in rest.joints.iter().zip(late) {
        std::mem::swap(&mut scene.pose[joint.bone as usize], late);
    }
}

/// Keeps each point within the cone, in the points' order.
pub(super) fn angles(rest: &Rest, params: &[Params], system: &System, state: &mut State) {
    if system.limit_deg < 0.0 {
        return;
    }
    for (i, point) in rest.points.iter().enumerate().filter(|(_, point)| point.parent != NONE) {
        let parent = point.parent as usize;
        let above = rest.points[parent].parent;
        let at = |p: usize| state.points[p].at;
        let bone = at(i) - at(parent);
        let mut about = if above == NONE { Vec3::ZERO } else { at(parent) - at(above as usize) };
        if system.limit_from_root || about.length() == 0.0 {
            about = state.to[i] - state.to[parent];
        }
        let beyond = angle_deg(about, bone) - system.limit_deg;
        if beyond > 0.0 {
            let power = if system.read_limit_power { params[point.joint as usize].limit_power } else { 1.0 };
            let axis = about.cross(bone).try_normalize();
            let back = axis.map_or(Quat::IDENTITY, |axis| Quat::from_axis_angle(axis, -(beyond * power).to_radians()));
            state.points[i].at = at(parent) + back * bone;
        }
    }
}

/// 0 where one of them has no length.
fn angle_deg(a: Vec3, b: Vec3) -> f32 {
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    if lengths < 1e-15 { 0.0 } else { (a.dot(b) / lengths).clamp(-1.0, 1.0).acos().to_degrees() }
}
