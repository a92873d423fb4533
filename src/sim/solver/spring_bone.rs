//! UTJ `UnityChanSpringBone`, release 1.1 (MIT, Unity Technologies Japan), after its observable behaviour.
//!
//! Each joint swings its tip about its head by position Verlet, is pushed out of ground and colliders, held by its
//! angle limits, and turned to point at its tip, before any joint deeper in the tree is looked at. One step lasts
//! `1 / simulationFrameRate` whatever the frame took. Space is glTF's, which is Unity's with X mirrored: what Unity
//! calls right is -X here, so a pivot's forward, minus right, is +X.
//!
//! Not here yet: length limits, panels, wind and force volumes, and pausing inside the engine.

use super::super::scene::{Scene, WORLD};
use super::super::{Shape, Solver, SystemSetup, TipSetup, Tips};
use super::super::{collide, kernel};
pub use super::spring_bone_params::*;
use crate::math::{Frame, lerp_shortest, shortest_arc};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{ParamDef, Row, SolverKind};
use glam::{Quat, Vec3};

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct SpringBone;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// Flagged in the engine as moved by animation.
    animated: bool,
    /// Towards the tip in bone space, unit length.
    axis: Vec3,
    /// The same at rest in the parent's space.
    rest_axis: Vec3,
    /// Metres in the world.
    length: f32,
    /// Local rotation in the rest pose.
    rotation: Quat,
    /// Position of the pivot's bone, or [`WORLD`] for none.
    pivot: u32,
    /// Part of [`Rest::colliders`].
    colliders: (u32, u32),
    /// Part of [`Rest::refresh`]: bones to be moved along before the next joint.
    refresh: (u32, u32),
}

/// Topology and rest data: joints by depth, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    colliders: Vec<u32>,
    refresh: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    order: Vec<u32>,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    stiffness: f32,
    kept: f32,
    spring_force: Vec3,
    radius: f32,
    y_limit: Option<(f32, f32)>,
    z_limit: Option<(f32, f32)>,
    angular_stiffness: f32,
    wind_influence: f32,
    length_constant: f32,
    softness: f32,
    shape: BoneShape,
}

/// What of a bone meets colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BoneShape {
    /// A ball at the tip.
    Tip,
    /// From head to tip; the radius at the head.
    Capsule(f32),
    /// Along the bone; half width and half thickness.
    Box([f32; 2]),
}

/// Baked numbers of the manager.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct System {
    gravity: Vec3,
    bounce: f32,
    friction: f32,
    /// Height of the ground, where there is one.
    ground: Option<f32>,
    /// Steps per second; 0 or less: a step lasts as long as the frame.
    rate: f32,
    dynamic_ratio: f32,
    limits: bool,
    collision: bool,
    lengths: bool,
    paused: bool,
    improved: Option<Improved>,
}

/// What goes beyond the engine; there only while the better way is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
struct Improved {
    wide_limits: bool,
    soft_limits: bool,
    strong_lengths: bool,
    scaled_radii: bool,
    steady_pace: bool,
    no_kicks: bool,
    bone_shapes: bool,
    /// Speed in m/s and turning speed in degrees per second from which on a movement is a jump.
    teleport: Option<[f32; 2]>,
    /// m/s.
    slide_limit: Option<f32>,
    /// Degrees per second.
    turn_limit: Option<f32>,
    inertia: f32,
    /// m/s.
    tip_speed: Option<f32>,
    warm_up: u32,
    /// Seconds.
    fade_in: f32,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.tips[joint]
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.previous[joint]
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.tips[joint] = tip;
        self.previous[joint] = previous;
    }
}

impl Solver for SpringBone {
    const KIND: SolverKind = SolverKind::UnityChanSpringBone;
    const PARAMS: &'static [ParamDef] = PARAMS;
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        build(setup, skeleton, world)
    }

    fn order(rest: &Rest) -> &[u32] {
        &rest.order
    }

    fn bake(mut get: impl FnMut(Row) -> f32) -> Params {
        let mut limit = |active, min, max| {
            let (active, min, max) = (get(active), get(min), get(max));
            (active != 0.0).then_some((min, max))
        };
        let (y_limit, z_limit) = (limit(Y_ACTIVE, Y_MIN, Y_MAX), limit(Z_ACTIVE, Z_MIN, Z_MAX));
        Params {
            stiffness: get(STIFFNESS),
            kept: 1.0 - get(DRAG),
            spring_force: Vec3::from(SPRING_FORCE.map(&mut get)),
            radius: get(RADIUS),
            y_limit,
            z_limit,
            angular_stiffness: get(ANGULAR_STIFFNESS),
            wind_influence: get(WIND_INFLUENCE),
            length_constant: get(LENGTH_CONSTANT),
            softness: get(SOFTNESS),
            shape: bake_shape(get),
        }
    }

    fn bake_system(mut get: impl FnMut(Row) -> f32) -> System {
        // Who calls the step makes no difference to it; nor does the version while the rules of 1.1 are the only ones.
        let _ = (get(AUTOMATIC_UPDATES), get(SCALE_RULES));
        let (on, height) = (get(COLLIDE_WITH_GROUND), get(GROUND_HEIGHT));
        System {
            gravity: Vec3::from(GRAVITY.map(&mut get)),
            bounce: get(BOUNCE),
            friction: get(FRICTION),
            ground: (on != 0.0).then_some(height),
            rate: get(SIMULATION_FRAME_RATE),
            dynamic_ratio: get(DYNAMIC_RATIO),
            limits: get(ENABLE_ANGLE_LIMITS) != 0.0,
            collision: get(ENABLE_COLLISION) != 0.0,
            lengths: get(ENABLE_LENGTH_LIMITS) != 0.0,
            paused: get(IS_PAUSED) != 0.0,
            improved: bake_improved(get),
        }
    }

    fn solve(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        let h = if system.rate > 0.0 { 1.0 / system.rate } else { dt };
        for (i, joint) in rest.joints.iter().enumerate() {
            if joint.enabled {
                let head = scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation);
                let p = &params[i];
                let (tip, previous, direction) =
                    swing(rest, joint, p, system, scene, head, (state.tips[i], state.previous[i]), h);
                (state.tips[i], state.previous[i]) = (tip, previous);
                let weight = if joint.animated { system.dynamic_ratio } else { 1.0 };
                turn(joint, scene, head, direction, weight);
            } else {
                scene.refresh(joint.bone);
            }
            for bone in &rest.refresh[joint.refresh.0 as usize..joint.refresh.1 as usize] {
                scene.refresh(*bone);
            }
        }
    }

    fn rest_tips(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        for (i, joint) in rest.joints.iter().enumerate() {
            scene.pose[joint.bone as usize].rotation = joint.rotation;
            scene.refresh(joint.bone);
            for bone in &rest.refresh[joint.refresh.0 as usize..joint.refresh.1 as usize] {
                scene.refresh(*bone);
            }
            let frame = scene.frames[joint.bone as usize];
            let tip = frame.position + frame.rotation * joint.axis * joint.length;
            state.place(i, tip, tip);
        }
    }

    fn aim(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let joint = &rest.joints[joint];
        let head = scene.parent_frame(joint.parent).point(scene.pose[joint.bone as usize].translation);
        turn(joint, scene, head, kernel::unit_or_zero(tip - head), 1.0);
        for bone in &rest.refresh[joint.refresh.0 as usize..joint.refresh.1 as usize] {
            scene.refresh(*bone);
        }
    }

    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].length
    }
}

fn bake_shape(mut get: impl FnMut(Row) -> f32) -> BoneShape {
    let (head, half) = (get(HEAD_RADIUS), BOX_HALF.map(&mut get));
    match get(BONE_SHAPE) {
        1.0 => BoneShape::Capsule(head),
        2.0 => BoneShape::Box(half),
        _ => BoneShape::Tip,
    }
}

fn bake_improved(mut get: impl FnMut(Row) -> f32) -> Option<Improved> {
    let mut on = |row| get(row) != 0.0;
    let mut improved = Improved {
        wide_limits: on(WIDE_LIMITS),
        soft_limits: on(SOFT_LIMITS),
        strong_lengths: on(STRONG_LENGTHS),
        scaled_radii: on(SCALED_RADII),
        steady_pace: on(STEADY_PACE),
        no_kicks: on(NO_KICKS),
        bone_shapes: on(BONE_SHAPES),
        teleport: None,
        slide_limit: None,
        turn_limit: None,
        inertia: get(INERTIA),
        tip_speed: None,
        warm_up: get(WARM_UP) as u32,
        fade_in: get(FADE_IN),
    };
    let mut limit = |switch, row| {
        let (on, value) = (get(switch), get(row));
        (on != 0.0).then_some(value)
    };
    improved.slide_limit = limit(SLIDE_LIMIT, SLIDE_SPEED);
    improved.turn_limit = limit(TURN_LIMIT, TURN_SPEED);
    improved.tip_speed = limit(TIP_SPEED_LIMIT, TIP_SPEED);
    let speed = limit(TELEPORT, TELEPORT_SPEED);
    let turn = get(TELEPORT_TURN);
    improved.teleport = speed.map(|speed| [speed, turn]);
    is_improved(get(WAY)).then_some(improved)
}

/// One joint's tip over one step: integrate, keep the length, collide, limit, guard. The new tip, the one before it,
/// and the direction from the head to the tip.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called once per joint; vectors in registers save a fifth of the step")]
#[expect(clippy::too_many_arguments, reason = "what a joint reads, named one by one, is what the formula is about")]
fn swing(
    rest: &Rest,
    joint: &JointRest,
    p: &Params,
    system: &System,
    scene: &Scene<'_>,
    head: Vec3,
    (tip, previous): (Vec3, Vec3),
    h: f32,
) -> (Vec3, Vec3, Vec3) {
    let aim = scene.parent_frame(joint.parent).rotation * joint.rest_axis;
    let rest_tip = head + aim * joint.length;
    let pull = (rest_tip - tip) * p.stiffness + p.spring_force + system.gravity;
    let moved = kernel::inertia(tip, previous, p.kept, pull * (0.5 * h * h));
    let mut previous = tip;
    let last_aim = || {
        let local = scene.pose[joint.bone as usize].rotation;
        scene.parent_frame(joint.parent).rotation * local * joint.axis
    };
    let direction = kernel::direction_or(head, moved, 0.001, last_aim);
    let free = head + direction * joint.length;
    let mut tip = free;
    if let Some(ground) = system.ground.filter(|ground| tip.y - ground < p.radius) {
        (tip, previous) = stand(head, tip, joint.length, p.radius, ground, last_aim);
    } else if system.collision && joint.colliders.0 != joint.colliders.1 {
        let ids = &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize];
        (tip, previous) = push_out(ids, scene, system, head, tip, previous, p.radius);
    }
    if system.limits && joint.pivot != WORLD && (p.y_limit.is_some() || p.z_limit.is_some()) {
        tip = head + limit_angles(tip - head, scene.frames[joint.pivot as usize].rotation, p, h);
    }
    if tip.is_nan() || previous.is_nan() {
        return (rest_tip, rest_tip, aim);
    }
    (tip, previous, if tip == free { direction } else { kernel::unit_or_zero(tip - head) })
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
    let Some(found) = collide::ground(head - lift, tip - lift, (tip - head).length(), radius) else {
        return (tip, tip);
    };
    let offset = found + lift - head;
    let reach = offset.length();
    let tip = if reach <= 0.001 {
        head + last_aim() * (0.5 * length)
    } else {
        head + offset * (reach.clamp(0.5 * length, length) / reach)
    };
    (tip, tip)
}

/// Pushes a tip out of each collider in turn, then decides what is left of its speed.
fn push_out(
    ids: &[u32],
    scene: &Scene<'_>,
    system: &System,
    head: Vec3,
    free: Vec3,
    previous: Vec3,
    radius: f32,
) -> (Vec3, Vec3) {
    let mut tip = free;
    let mut normal = None;
    for id in ids {
        let collider = &scene.colliders[*id as usize];
        let frame = &scene.frames[collider.bone as usize];
        let (local_head, local_tip) = (frame.inverse_point(head), frame.inverse_point(tip));
        let contact = match collider.shape {
            Shape::Sphere { radius: own } => collide::sphere(local_head, local_tip, own, radius),
            Shape::Capsule { radius: own, height } => {
                collide::capsule(local_head, local_tip, own, height, radius * shrink(frame))
            }
            Shape::Panel { .. } | Shape::InsideSphere { .. } | Shape::InsideCapsule { .. } | Shape::Plane => None,
        };
        if let Some(contact) = contact {
            tip = frame.point(contact.tip);
            normal = Some(frame.rotation * contact.normal);
        }
    }
    match normal {
        Some(normal) => bounce(system, free, tip, previous, normal),
        None => (tip, previous),
    }
}

/// How long a world metre is in the frame's own X.
fn shrink(frame: &Frame) -> f32 {
    if frame.scaled { (frame.linear().inverse() * Vec3::X).length() } else { 1.0 }
}

/// Reflects the movement that led into the collider. Below one centimetre a step everything sticks, as in the original.
fn bounce(system: &System, free: Vec3, mut tip: Vec3, previous: Vec3, normal: Vec3) -> (Vec3, Vec3) {
    let incident = free - previous;
    let reflected = incident - normal * (2.0 * incident.dot(normal));
    let up = normal * reflected.dot(normal);
    let velocity = up * system.bounce + (reflected - up) * (1.0 - system.friction);
    if velocity.length_squared() <= 0.0001 {
        return (tip, tip);
    }
    let travelled = (tip - previous).length();
    let speed = velocity.length();
    let previous = tip - velocity;
    tip += kernel::unit_or_zero(velocity) * (speed - travelled).max(0.0);
    (tip, previous)
}

/// Holds the offset from head to tip within the limits of the pivot's frame, Y first, then Z on the result.
fn limit_angles(offset: Vec3, pivot: Quat, p: &Params, h: f32) -> Vec3 {
    let (forward, y_side, z_side) = (pivot * Vec3::X, pivot * -Vec3::Y, pivot * -Vec3::Z);
    let mut offset = offset;
    if let Some(limit) = p.y_limit {
        offset = limit_angle(offset, forward, y_side, z_side, limit, p.angular_stiffness * h * h);
    }
    if let Some(limit) = p.z_limit {
        offset = limit_angle(offset, forward, z_side, y_side, limit, p.angular_stiffness * h * h);
    }
    offset
}

/// One limit, degrees: the angle towards `side` is first drawn to the middle by the share `ease`, then clamped.
/// A tip behind the pivot is folded to the front, as the original's arc sine does.
#[inline]
fn limit_angle(offset: Vec3, forward: Vec3, side: Vec3, up: Vec3, (min, max): (f32, f32), ease: f32) -> Vec3 {
    let rise = up * offset.dot(up);
    let flat = offset - rise;
    let reach = flat.length();
    let mut angle = (flat / reach).dot(side).clamp(-1.0, 1.0).asin().to_degrees();
    angle -= angle * ease;
    // Unity's clamp: the lower end wins where the two are crossed.
    angle = if angle < min { min } else { angle.min(max) };
    let end = if angle < 0.0 { min } else { max };
    if end.abs() <= 0.0001 {
        angle = 0.0;
    }
    let (sin, cos) = angle.to_radians().sin_cos();
    // A bone that points straight up the hinge has no angle: the NaN asks for the guard, as in the original.
    if reach == 0.0 { Vec3::NAN } else { rise + (side * sin + forward * cos) * reach }
}

/// Turns the bone so that it points along `direction`, unit length or zero; `weight` blends from the pose that it had.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn turn(joint: &JointRest, scene: &mut Scene<'_>, head: Vec3, direction: Vec3, weight: f32) {
    let parent = scene.parent_frame(joint.parent);
    let arc = shortest_arc(joint.axis, (parent.rotation * joint.rotation).inverse() * direction);
    let bone = joint.bone as usize;
    let solved = joint.rotation * arc;
    let mut local = scene.pose[bone];
    local.rotation = if weight < 1.0 { lerp_shortest(local.rotation, solved, weight) } else { solved };
    let frame = parent.child_at(&local, head);
    scene.pose[bone].rotation = local.rotation;
    scene.frames[bone] = frame;
}

fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let mut sorted: Vec<usize> = (0..setup.joints.len()).collect();
    sorted.sort_by_key(|i| (skeleton.depth(setup.joints[*i].bone), setup.joints[*i].bone));
    let mut rest = Rest { order: vec![0; setup.joints.len()], ..Rest::default() };
    let mut state = State::default();
    for (place, i) in sorted.iter().enumerate() {
        let joint = &setup.joints[*i];
        let frame = world.frame(joint.bone);
        let tip = tip_in_world(&joint.tip, frame, world);
        let axis = kernel::unit_or_zero(frame.inverse_point(tip));
        let rotation = skeleton.bone(joint.bone).rest.rotation.normalize();
        let from = rest.colliders.len() as u32;
        let mut ids = joint.colliders.clone();
        // The original tests all capsules before all spheres, each in list order.
        ids.sort_by_key(|id| matches!(setup.colliders[*id as usize].shape, Shape::Sphere { .. }));
        rest.colliders.extend(ids);
        rest.order[*i] = place as u32;
        rest.joints.push(JointRest {
            bone: joint.bone.0,
            parent: skeleton.parent(joint.bone).map_or(WORLD, |p| p.0),
            enabled: joint.enabled,
            animated: joint.animated,
            axis,
            rest_axis: rotation * axis,
            length: (tip - frame.position).length(),
            rotation,
            pivot: joint.pivot.map_or(WORLD, |p| p.0),
            colliders: (from, rest.colliders.len() as u32),
            refresh: (0, 0),
        });
        state.tips.push(tip);
        state.previous.push(tip);
    }
    plan_refreshes(&mut rest, setup, skeleton);
    (rest, state)
}

/// Childless: a tenth of a metre along Unity's -right. One child: there. Several: at the mean distance towards their mean.
fn tip_in_world(tip: &TipSetup, frame: &Frame, world: &WorldPose) -> Vec3 {
    let head = frame.position;
    match tip {
        TipSetup::Offset(offset) => frame.point(*offset),
        TipSetup::Bones(bones) => match bones.as_slice() {
            [] => head + frame.rotation * Vec3::X * 0.1,
            [child] => world.frame(*child).position,
            children => {
                let offsets = children.iter().map(|c| world.frame(*c).position - head);
                let count = children.len() as f32;
                let mean = offsets.clone().sum::<Vec3>() / count;
                let distance = offsets.map(Vec3::length).sum::<f32>() / count;
                head + kernel::unit_or_zero(mean) * distance
            }
        },
    }
}

/// After each joint, the bones below it that later joints will read: those between it and the next joints, and those
/// on the way to colliders and pivots. Everything else is refreshed once, after the step.
fn plan_refreshes(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton) {
    let mut needed = vec![false; skeleton.len()];
    let wanted = setup.joints.iter().filter_map(|j| j.pivot).chain(setup.colliders.iter().map(|c| c.bone));
    let above_joints = setup.joints.iter().filter_map(|j| skeleton.parent(j.bone));
    for bone in wanted.chain(above_joints) {
        std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| needed[b.index()] = true);
    }
    let is_joint = {
        let mut is_joint = vec![false; skeleton.len()];
        setup.joints.iter().for_each(|j| is_joint[j.bone.index()] = true);
        is_joint
    };
    let holds_wanted = holds(setup, skeleton);
    for joint in &mut rest.joints {
        let from = rest.refresh.len() as u32;
        let mut stack: Vec<BoneId> = skeleton.children(BoneId(joint.bone)).to_vec();
        while let Some(bone) = stack.pop() {
            // A deeper joint moves its own bones, unless a collider or pivot below it is read before its turn.
            let passes = if is_joint[bone.index()] { holds_wanted[bone.index()] } else { needed[bone.index()] };
            if passes {
                rest.refresh.push(bone.0);
                stack.extend_from_slice(skeleton.children(bone));
            }
        }
        joint.refresh = (from, rest.refresh.len() as u32);
    }
}

/// Which bones carry a collider or pivot somewhere below or on them.
fn holds(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<bool> {
    let mut holds = vec![false; skeleton.len()];
    let wanted = setup.joints.iter().filter_map(|j| j.pivot).chain(setup.colliders.iter().map(|c| c.bone));
    for bone in wanted {
        std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| holds[b.index()] = true);
    }
    holds
}
