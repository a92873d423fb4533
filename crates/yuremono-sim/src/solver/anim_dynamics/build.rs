//! Builds the topology and the initial bodies, and bakes parameters into the values that a step reads.

use super::limits::{AngularLimit, BoneAxis, BoneDirection};
use super::params::{
    ANGULAR_BIAS, ANGULAR_CONSTRAINT_TYPE, ANGULAR_DAMPING, ANGULAR_LIMITS_MAX, ANGULAR_LIMITS_MIN, ANGULAR_SPRING,
    ANGULAR_SPRING_CONSTANT, ANGULAR_TARGET, ANGULAR_TARGET_AXIS, BODY_ORIGIN, BOX_EXTENTS, COLLISION_TYPE,
    COMPONENT_ACC_CLAMP, COMPONENT_ACC_SCALE, COMPONENT_VEL_SCALE, CONE_ANGLE, DO_EVAL, DO_UPDATE, ENABLE_WIND,
    EXTERNAL_FORCE, GRAVITY_OVERRIDE, GRAVITY_OVERRIDE_IN_SIM_SPACE, GRAVITY_SCALE, ITERATIONS_POST, ITERATIONS_PRE,
    LINEAR_AXES_MAX, LINEAR_AXES_MIN, LINEAR_DAMPING, LINEAR_LIMIT_TYPE, LINEAR_SPRING, LINEAR_SPRING_CONSTANT,
    LOCAL_JOINT_OFFSET, MAX_CATCH_UP_FRAMES, MIN_BOX_SIDE, OVERRIDE_ANGULAR_BIAS, OVERRIDE_ANGULAR_DAMPING,
    OVERRIDE_LINEAR_DAMPING, SIMULATION_SPACE, SPHERE_COLLISION_RADIUS, SUBSTEP_RATE, TWIST_AXIS, USE_GRAVITY_OVERRIDE,
    USE_PLANAR_LIMIT, USE_SPHERICAL_LIMITS, WIND_SCALE,
};
use super::{
    AngularBounds, BodyPose, BodyVelocity, ContactDistance, JointAnchor, JointConstraint, JointRest, MASS, NO_BODY,
    Rest, State,
};
use crate::collider::WorldCollider;
use crate::math::Frame;
use crate::params::ParamId;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::step_pose::{NO_PARENT, StepPose};
use crate::vec_util::IndexRange;
use crate::{SystemSetup, TipSetup};
use glam::{Vec3, Vec3A};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values that `AnimDynamics` adds to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AnimDynamicsSetup")]
#[serde(default, deny_unknown_fields)]
pub struct AnimDynamicsSetup<N = BoneId> {
    /// `RelativeSpaceBone`: the bone of the simulation space "Bone relative"; the component if absent.
    #[serde(rename = "relative_space")]
    pub relative_space_bone: Option<N>,
}

impl<N> Default for AnimDynamicsSetup<N> {
    fn default() -> Self {
        Self { relative_space_bone: None }
    }
}

impl<N: Clone> AnimDynamicsSetup<N> {
    /// Maps the bone. Drops the bone if `name` returns `None`.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> AnimDynamicsSetup<M> {
        AnimDynamicsSetup { relative_space_bone: self.relative_space_bone.clone().and_then(&mut name) }
    }
}

/// Distance from a leaf to its tip, in metres. Unreal has no tips, but the viewport needs them for drawing and
/// dragging.
const LEAF_LENGTH: f32 = 0.07;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let count = setup.joints.len();
    let mut joint_at = vec![NO_BODY; skeleton.len()];
    let mut rest =
        Rest { solver_indices: vec![0; count], space_bones: space_bones(setup, skeleton), ..Rest::default() };
    for (place, i) in setup.joints_by_depth(skeleton).into_iter().enumerate() {
        let joint = &setup.joints[i];
        rest.solver_indices[i] = place as u32;
        joint_at[joint.bone.index()] = place as u32;
        let (above, between) = parent_joint(joint.bone, &joint_at, skeleton);
        let known = setup.valid_colliders(joint);
        let colliders = IndexRange::append(&mut rest.colliders, known);
        let local = skeleton.bone(joint.bone).rest;
        let tip = tip_offset(&joint.tip, joint.bone, skeleton, world);
        rest.joints.push(JointRest {
            bone: joint.bone.0,
            parent: skeleton.parent(joint.bone).map_or(NO_PARENT, |p| p.0),
            enabled: joint.enabled,
            parent_joint: above,
            skipped_bones: IndexRange::append(&mut rest.skipped_bones, between),
            colliders,
            rotation: local.rotation.normalize(),
            translation: local.translation,
            tip_offset: tip,
            bone_direction: BoneDirection::new(tip),
        });
    }
    let mut state = initial_state(&rest, setup.colliders.len());
    for (i, joint) in rest.joints.iter().enumerate() {
        snap_tip_to_pose(joint, i, &mut state, &world.frames[joint.bone as usize]);
    }
    (rest, state)
}

/// Returns the nearest ancestor joint of a bone, and the bones between that joint and the bone, top-down.
fn parent_joint(bone: BoneId, joint_at: &[u32], skeleton: &Skeleton) -> (u32, Vec<u32>) {
    let mut between = Vec::new();
    for above in skeleton.ancestors(bone).filter(|above| *above != bone) {
        if joint_at[above.index()] != NO_BODY {
            between.reverse();
            return (joint_at[above.index()], between);
        }
        between.push(above.0);
    }
    (NO_BODY, Vec::new())
}

/// Returns the vector from head to tip in the bone's unscaled space, in world metres. The tip is the mean of the bone's
/// children.
fn tip_offset(tip: &TipSetup, bone: BoneId, skeleton: &Skeleton, world: &WorldPose) -> Vec3 {
    let frame = world.frame(bone);
    let turned = |point: Vec3| frame.rotation.inverse() * (point - frame.position);
    let found = match tip {
        TipSetup::Offset(offset) => Some(turned(frame.transform_point(*offset))),
        TipSetup::Bones(bones) if bones.is_empty() => None,
        TipSetup::Bones(bones) => {
            Some(turned(bones.iter().map(|b| world.frame(*b).position).sum::<Vec3>() / bones.len() as f32))
        }
    };
    // A tip at an infinite distance has no direction.
    let leaf = || skeleton.bone(bone).rest.translation.try_normalize().unwrap_or(Vec3::Y) * LEAF_LENGTH;
    found.filter(|tip| tip.length_squared().is_finite()).unwrap_or_else(leaf)
}

/// Returns the bones of the simulation spaces, in the order of `SPACES`.
fn space_bones(setup: &SystemSetup, skeleton: &Skeleton) -> [u32; 5] {
    let Some(first) = setup.joints.first().map(|joint| joint.bone) else { return [NO_PARENT; 5] };
    let up = || skeleton.ancestors(first).filter(|above| *above != first);
    let top = up().last();
    let component = setup.component.or(top);
    let below = |component: BoneId| up().take_while(|above| *above != component).last();
    let root = match setup.component {
        Some(component) if skeleton.is_ancestor(component, first) => below(component).or(Some(component)),
        _ => top,
    };
    let relative = setup.anim_dynamics.relative_space_bone.or(component);
    [component, top, None, root, relative].map(|bone| bone.map_or(NO_PARENT, |b| b.0))
}

fn initial_state(rest: &Rest, colliders: usize) -> State {
    let count = rest.joints.len();
    State {
        body_poses: vec![BodyPose::default(); count],
        body_velocities: vec![BodyVelocity::default(); count],
        tips: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        tip_was_set: vec![false; count],
        starts_from_pose: true,
        animated_frames: vec![Frame::WORLD; count],
        anchors: vec![JointAnchor { scale: 1.0, ..JointAnchor::default() }; count],
        constraints: vec![JointConstraint::default(); count],
        angular_bounds: vec![AngularBounds::default(); count],
        world_colliders: vec![WorldCollider::Off; colliders],
        contact_ranges: vec![IndexRange::default(); count],
        contact_colliders: rest.colliders.clone(),
        contact_distances: vec![ContactDistance::NONE; rest.colliders.len()],
        ..State::default()
    }
}

/// Moves a tip to its position in the pose and removes its velocity.
fn snap_tip_to_pose(joint: &JointRest, i: usize, state: &mut State, frame: &Frame) {
    let tip = frame.position + frame.rotation * joint.tip_offset;
    if tip.is_finite() {
        (state.tips[i], state.previous[i]) = (tip, tip);
    }
}

/// Resets every joint and its body to the rest pose.
pub(super) fn reset_to_rest(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        let local = &mut step_pose.pose[joint.bone as usize];
        if joint.enabled {
            (local.rotation, local.translation) = (joint.rotation, joint.translation);
        }
        step_pose.refresh_all(joint.skipped_bones.slice(&rest.skipped_bones));
        step_pose.refresh(joint.bone);
        state.tip_was_set[i] = false;
        snap_tip_to_pose(joint, i, state, &step_pose.frames[joint.bone as usize]);
    }
    state.starts_from_pose = true;
    state.accumulator = 0.0;
    state.previous_space = super::PreviousSpace::default();
}

/// Maximum length, in metres. `f32` loses precision beyond this length.
const MAX_LENGTH: f32 = 1e3;
/// Minimum damping, which is also the default.
const MIN_DAMPING: f32 = 0.7;
const DEFAULT_ANGULAR_BIAS: f32 = 0.95;
/// Unreal's default gravity, in m/s².
pub(super) const UNREAL_GRAVITY: f32 = 9.8;
const MAX_ITERATIONS: f32 = 32.0;

/// The sphere with which a body collides with planes and spheres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CollisionSphere {
    pub radius: f32,
    /// Whether the bone's scale applies to the radius. It only applies if the radius is derived from the box.
    pub follows_scale: bool,
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Inertia about the center, along the axes of the box, in kg m².
    pub(super) inertia: Vec3A,
    /// Vector from the center to the joint in bone space, in metres.
    pub(super) joint_offset: Vec3A,
    /// Linear spring constant, in N/m; 0 if the spring is off.
    pub(super) linear_spring: f32,
    /// Angular spring constant, in N m per radian; 0 if the spring is off.
    pub(super) angular_spring: f32,
    pub(super) target_axis: BoneAxis,
    /// Target of the axis, unit length. Zero means that the axis keeps its animated direction.
    pub(super) target_direction: Vec3A,
    /// Logarithm of the share of velocity kept per second: linear, then angular.
    pub(super) log_velocity_retention: [f32; 2],
    pub(super) bias: f32,
    pub(super) gravity_scale: f32,
    pub(super) wind_scale: f32,
    /// Range of motion along each axis, in metres: lower, then upper ends.
    pub(super) linear_limits: [Vec3A; 2],
    pub(super) locked: bool,
    pub(super) angular_limit: AngularLimit,
    pub(super) twist_axis: BoneAxis,
    pub(super) collision_sphere: CollisionSphere,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the table")]
pub struct System {
    /// Index into `SPACES`.
    pub(super) space_index: usize,
    /// Gravity in m/s².
    pub(super) gravity: Vec3,
    pub(super) gravity_in_space: bool,
    /// External acceleration in m/s².
    pub(super) external_acceleration: Vec3,
    pub(super) acceleration_scale: Vec3,
    /// Drag by the velocity of the simulation space, in 1/s.
    pub(super) velocity_scale: Vec3,
    /// Maximum acceleration by the simulation space, in m/s².
    pub(super) acceleration_clamp: Vec3,
    pub(super) pre_iterations: u32,
    pub(super) post_iterations: u32,
    pub(super) planar_limits: bool,
    pub(super) spherical_limits: bool,
    pub(super) simulates: bool,
    pub(super) writes_bones: bool,
    /// Whether the joint is at the bone's head; otherwise the center is.
    pub(super) joint_on_bone: bool,
    /// Number of steps per second; 0 takes one step per frame.
    pub(super) substep_rate: f32,
    /// Maximum time that the accumulator holds, in seconds.
    pub(super) max_accumulated: f32,
}

impl System {
    /// Returns the center and the joint of a body in bone space, in metres.
    #[inline]
    pub(super) fn center_and_joint(&self, offset: Vec3A, size: f32) -> (Vec3A, Vec3A) {
        let offset = offset * size;
        if self.joint_on_bone { (-offset, Vec3A::ZERO) } else { (Vec3A::ZERO, offset) }
    }
}

/// Clamps side lengths to the range that Unreal's editor allows.
fn clamp_sides(sides: Vec3) -> Vec3 {
    sides.clamp(Vec3::splat(MIN_BOX_SIDE), Vec3::splat(MAX_LENGTH))
}

/// Returns the inertia of a box about its center, in kg m².
pub(super) fn box_inertia(sides: Vec3) -> Vec3 {
    let squares = clamp_sides(sides) * clamp_sides(sides);
    Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (MASS / 12.0)
}

/// Returns the share of the velocity lost per second.
pub(super) fn effective_damping(overridden: bool, value: f32) -> f32 {
    if overridden { value.clamp(MIN_DAMPING, 1.0) } else { MIN_DAMPING }
}

pub(super) fn bake_joint(mut get: impl FnMut(ParamId) -> f32) -> Params {
    let sides = clamp_sides(Vec3::from(BOX_EXTENTS.map(&mut get)));
    let offset = Vec3::from(LOCAL_JOINT_OFFSET.map(&mut get)).clamp(Vec3::splat(-MAX_LENGTH), Vec3::splat(MAX_LENGTH));
    let mut spring = |on, constant| {
        let constant = get(constant).clamp(0.0, 1e12);
        if get(on) >= 0.5 { constant } else { 0.0 }
    };
    let linear_spring = spring(LINEAR_SPRING, LINEAR_SPRING_CONSTANT);
    let angular_spring = spring(ANGULAR_SPRING, ANGULAR_SPRING_CONSTANT);
    let mut keeping = |on, value| {
        let (on, value) = (get(on) >= 0.5, get(value));
        // The logarithm for a damping of 1 would be infinite.
        libm::logf((1.0 - effective_damping(on, value)).max(1e-30))
    };
    let keeping =
        [keeping(OVERRIDE_LINEAR_DAMPING, LINEAR_DAMPING), keeping(OVERRIDE_ANGULAR_DAMPING, ANGULAR_DAMPING)];
    let (own_bias, bias) = (get(OVERRIDE_ANGULAR_BIAS) >= 0.5, get(ANGULAR_BIAS).clamp(0.0, 1.0));
    let (wind_on, wind) = (get(ENABLE_WIND) >= 0.5, get(WIND_SCALE));
    let limited = LINEAR_LIMIT_TYPE.map(|param| get(param) >= 0.5);
    let ends = [LINEAR_AXES_MIN, LINEAR_AXES_MAX].map(|rows| Vec3A::from(rows.map(&mut get)));
    let play = linear_limits(limited, ends);
    let target_axis = BoneAxis::from_param(get(ANGULAR_TARGET_AXIS));
    Params {
        inertia: box_inertia(sides).into(),
        joint_offset: offset.into(),
        linear_spring,
        angular_spring,
        target_axis,
        target_direction: Vec3A::from(ANGULAR_TARGET.map(&mut get)).normalize_or_zero(),
        log_velocity_retention: keeping,
        bias: if own_bias { bias } else { DEFAULT_ANGULAR_BIAS },
        gravity_scale: get(GRAVITY_SCALE),
        wind_scale: if wind_on { wind } else { 0.0 },
        linear_limits: play,
        locked: play == [Vec3A::ZERO; 2],
        angular_limit: angular_limit(&mut get),
        twist_axis: BoneAxis::from_param(get(TWIST_AXIS)),
        collision_sphere: collision_sphere(get(COLLISION_TYPE), get(SPHERE_COLLISION_RADIUS), sides),
    }
}

/// Returns the ends of each axis in ascending order; `f32::MAX` for a free axis.
fn linear_limits(limited: [bool; 3], ends: [Vec3A; 2]) -> [Vec3A; 2] {
    let mut play = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    for (axis, limited) in limited.into_iter().enumerate() {
        if !limited {
            (play[0][axis], play[1][axis]) = (-f32::MAX, f32::MAX);
        }
    }
    play
}

fn angular_limit(get: &mut impl FnMut(ParamId) -> f32) -> AngularLimit {
    let ends = [ANGULAR_LIMITS_MIN, ANGULAR_LIMITS_MAX].map(|rows| Vec3::from(rows.map(&mut *get)));
    let (cone, angle) = (get(ANGULAR_CONSTRAINT_TYPE) >= 0.5, get(CONE_ANGLE));
    if cone { AngularLimit::cone(angle.to_radians()) } else { AngularLimit::ranges(ends[0], ends[1]) }
}

fn collision_sphere(kind: f32, own: f32, sides: Vec3) -> CollisionSphere {
    match kind.round() as i32 {
        1 => CollisionSphere { radius: own.clamp(0.0, MAX_LENGTH), follows_scale: false },
        2 => CollisionSphere { radius: sides.min_element() * 0.5, follows_scale: true },
        3 => CollisionSphere { radius: sides.length() * 0.5, follows_scale: true },
        _ => CollisionSphere::default(),
    }
}

pub(super) fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
    let mut vector = |rows: [ParamId; 3]| Vec3::from(rows.map(&mut get));
    let own_gravity = vector(GRAVITY_OVERRIDE);
    let (push, clamp) = (vector(EXTERNAL_FORCE) / MASS, vector(COMPONENT_ACC_CLAMP).max(Vec3::ZERO));
    let (felt_acceleration, felt_speed) = (vector(COMPONENT_ACC_SCALE), vector(COMPONENT_VEL_SCALE));
    let mut on = |param| get(param) >= 0.5;
    let (own, turns) = (on(USE_GRAVITY_OVERRIDE), on(GRAVITY_OVERRIDE_IN_SIM_SPACE));
    let (planes, spheres) = (on(USE_PLANAR_LIMIT), on(USE_SPHERICAL_LIMITS));
    let (moves, shows, joint_on_bone) = (on(DO_UPDATE), on(DO_EVAL), on(BODY_ORIGIN));
    let mut rounds = |param| get(param).round().clamp(0.0, MAX_ITERATIONS) as u32;
    let (pre, post) = (rounds(ITERATIONS_PRE), rounds(ITERATIONS_POST));
    System {
        space_index: get(SIMULATION_SPACE).round().clamp(0.0, 4.0) as usize,
        gravity: if own { own_gravity } else { Vec3::NEG_Y * UNREAL_GRAVITY },
        gravity_in_space: own && turns,
        external_acceleration: push,
        acceleration_scale: felt_acceleration,
        velocity_scale: felt_speed,
        acceleration_clamp: clamp,
        pre_iterations: pre,
        post_iterations: post,
        planar_limits: planes,
        spherical_limits: spheres,
        simulates: moves,
        writes_bones: shows,
        joint_on_bone,
        substep_rate: get(SUBSTEP_RATE).clamp(0.0, 1e4),
        max_accumulated: get(MAX_CATCH_UP_FRAMES).clamp(1.0, 64.0) / 60.0,
    }
}
