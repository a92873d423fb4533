//! A tip in the artist's hand: the chain reaches for the hand as a rope would, and keeps its bone lengths.

use super::{Scene, Solver, Tips as _};
use crate::rig::BoneId;
use glam::Vec3;

/// More joints than this are not pulled along; no character has such chains.
const LONGEST: usize = 64;
const ROUNDS: usize = 8;

/// Moves the tips from joint `held` up to its chain's root so that `held`'s tip meets `target` as nearly as lengths
/// allow (forward and backward reaching), and turns the bones after them. Earlier tips stay as speeds, so that letting
/// go flings.
pub(super) fn pull<S: Solver>(
    rest: &S::Rest,
    state: &mut S::State,
    joints: &[(BoneId, u32)],
    scene: &mut Scene<'_>,
    held: usize,
    target: Vec3,
) {
    let mut path = [0_usize; LONGEST];
    let count = path_to_root(joints, scene.parents, held, &mut path);
    let path = &mut path[..count];
    path.reverse();
    let root = scene.frames[joints[path[0]].0.index()].position;
    let mut points = [Vec3::ZERO; LONGEST];
    let points = &mut points[..count];
    for (point, joint) in points.iter_mut().zip(path.iter()) {
        *point = state.tip(*joint);
    }
    for _ in 0..ROUNDS {
        points[count - 1] = target;
        for i in (0..count - 1).rev() {
            points[i] = at_length(points[i + 1], points[i], S::length(rest, path[i + 1]));
        }
        let mut head = root;
        for (point, joint) in points.iter_mut().zip(path.iter()) {
            *point = at_length(head, *point, S::length(rest, *joint));
            head = *point;
        }
    }
    for (at, (point, joint)) in points.iter().zip(path.iter()).enumerate() {
        // Below a fork, or a bone that is no joint, a head is not where the tip above it is.
        let head = if at == 0 { root } else { head_below(joints[path[at - 1]].0, joints[*joint].0, scene) };
        let tip = at_length(head, *point, S::length(rest, *joint));
        if tip.is_finite() {
            let previous = state.previous(*joint);
            state.place(*joint, tip, previous);
            S::aim(rest, *joint, tip, scene);
        }
    }
}

/// Where a bone's head is after the joint on `above` was turned; brings the frames between the two up to date.
fn head_below(above: BoneId, bone: BoneId, scene: &mut Scene<'_>) -> Vec3 {
    let mut between = [0_u32; LONGEST];
    let mut count = 0;
    let mut next = scene.parents[bone.index()];
    while next != above.0 && (next as usize) < scene.parents.len() && count < LONGEST {
        between[count] = next;
        count += 1;
        next = scene.parents[next as usize];
    }
    between[..count].iter().rev().for_each(|b| scene.refresh(*b));
    scene.refresh(bone.0);
    scene.frames[bone.index()].position
}

/// `held`, then the joints above it in the same chain; returns how many.
fn path_to_root(joints: &[(BoneId, u32)], parents: &[u32], held: usize, path: &mut [usize; LONGEST]) -> usize {
    path[0] = held;
    let mut count = 1;
    let (bone, chain) = joints[held];
    let mut above = parents[bone.index()];
    while (above as usize) < parents.len() && count < LONGEST {
        if let Some(joint) = joints.iter().position(|(b, c)| b.0 == above && *c == chain) {
            path[count] = joint;
            count += 1;
        }
        above = parents[above as usize];
    }
    count
}

/// The point at `length` from `from` towards `to`.
fn at_length(from: Vec3, to: Vec3, length: f32) -> Vec3 {
    from + (to - from).normalize_or(Vec3::NEG_Y) * length
}
