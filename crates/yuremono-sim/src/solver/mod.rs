//! The closed set of solvers: one list, and the four parts of each solver.
//!
//! Each solver is one folder or file, ordered like its specification. [`SolverInfo`] is plain data; [`Dynamics`] runs
//! the simulation; [`ResponseModel`] converts parameters to the response of a joint and back; [`Inspect`] answers
//! queries of the viewport. The `solvers!` list below generates everything that depends on the set of solvers.

pub mod anim_dynamics;
pub(super) mod batch;
pub mod dynamic_bone;
pub mod ez_soft_bone;
pub mod hinge;
pub mod joint_dynamics;
pub mod kawaii;
mod list_fields;
pub mod pbd_spring_bone;
pub mod spring_bone;
pub mod vrm;

use super::collider::{ContactSphere, SurfacePoint, WorldCollider};
use super::param_warning::{ParamWarning, TunedJoints};
use super::step_pose::{PosedScene, StepPose};
use super::workload::{self, Workload};
use super::{
    ColliderSetup, ColliderShape, FeelParam, ForceSetup, HighLegSetup, LinkKind, OverdampedReturn, ResponseInput,
    RestTarget, SpringResponse,
};
use crate::diagnostics::MessageText;
use crate::math::Frame;
use crate::params::{LimitParams, ParamDef, ParamId, ParamSet};
use crate::rig::{BoneId, Skeleton, WorldPose};
use anim_dynamics::AnimDynamicsSetup;
use dynamic_bone::DynamicBoneSetup;
use ez_soft_bone::EzSetup;
use glam::Vec3;
use joint_dynamics::JointDynamicsSetup;
use kawaii::KawaiiSetup;
use serde::{Deserialize, Serialize};
use vrm::VrmJoint;

/// Declares the closed set of solvers. `$d` is a dollar sign for the macros that this macro declares.
macro_rules! solvers {
    ($d:tt $($(#[$meta:meta])* $kind:ident, $key:literal: $module:ident::$solver:ident;)*) => {
        /// The closed list of solvers, in display order.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum SolverKind {
            $($(#[$meta])* #[serde(rename = $key)] $kind,)*
        }

        impl SolverKind {
            /// All solvers.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Key in files and translations; never changes.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$kind => $key,)*
                }
            }
        }

        /// Evaluates a generic expression with the type of a solver.
        macro_rules! by_kind {
            ($d kind:expr, $d solver:ident => $d body:expr) => {
                match $d kind {
                    $(SolverKind::$kind => {
                        type $d solver = $module::$solver;
                        $d body
                    })*
                }
            };
        }

        /// Calls a macro with a dollar sign and, for each solver, with its kind and type: `Kind: type,`.
        #[macro_export]
        macro_rules! for_each_solver {
            ($d callback:ident) => {
                $d callback! { $d $($kind: $d crate::solver::$module::$solver,)* }
            };
        }
    };
}

solvers! { $
    /// UTJ `UnityChanSpringBone`.
    #[default]
    UnityChanSpringBone, "UnityChanSpringBone": spring_bone::SpringBone;
    /// VRM spring bones, 1.0 and 0.x.
    Vrm, "VRM": vrm::Vrm;
    /// Cluster's `PbdSpringBone`.
    PbdSpringBone, "PbdSpringBone": pbd_spring_bone::PbdSpringBone;
    /// Will Hong's `DynamicBone`.
    DynamicBone, "DynamicBone": dynamic_bone::DynamicBone;
    /// `EZSoftBone`.
    EzSoftBone, "EZSoftBone": ez_soft_bone::EzSoftBone;
    /// SPARK CREATIVE `SPCRJointDynamics` 2.
    JointDynamics, "SPCRJointDynamics": joint_dynamics::JointDynamics;
    /// pafuhana1213's `KawaiiPhysics` for Unreal.
    KawaiiPhysics, "KawaiiPhysics": kawaii::KawaiiPhysics;
    /// Unreal `AnimDynamics`.
    AnimDynamics, "AnimDynamics": anim_dynamics::AnimDynamics;
    /// A rigid part on a hinge.
    Hinge, "Hinge": hinge::Hinge;
}

impl SolverKind {
    /// The solver with the key `key`.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.key() == key)
    }

    /// The data of the solver.
    pub const fn info(self) -> &'static SolverInfo {
        by_kind!(self, S => const { &<S as Solver>::INFO })
    }

    /// Returns the name of the solver as a text that can be translated.
    pub const fn name_text(self) -> MessageText {
        MessageText::without_args(self.info().name)
    }

    /// Length of a step, in seconds. See [`Dynamics::step_seconds`].
    pub fn step_seconds(self, system: &ParamSet, frame: f32) -> f32 {
        by_kind!(self, S => S::step_seconds(system, frame))
    }

    /// See [`Dynamics::frame_rate_independent`].
    pub fn frame_rate_independent(self, system: &ParamSet) -> bool {
        by_kind!(self, S => S::frame_rate_independent(system))
    }

    /// The parameters that the solver reads when it bakes a joint and when it bakes a system, in reading order.
    pub fn params_read(self) -> [Vec<ParamId>; 2] {
        let [mut joint, mut system] = [Vec::new(), Vec::new()];
        by_kind!(self, S => {
            let (_joint, _system) = (S::bake(|param| record_param(param, &mut joint)), S::bake_system(|param| record_param(param, &mut system)));
        });
        [joint, system]
    }

    /// See [`ResponseModel::response`].
    pub fn response(self, input: &ResponseInput<'_>) -> SpringResponse {
        by_kind!(self, S => S::response(input))
    }

    /// See [`ResponseModel::overdamped_return`].
    pub fn overdamped_return(self, input: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        by_kind!(self, S => S::overdamped_return(input))
    }

    /// See [`ResponseModel::params_for`].
    pub fn params_for(self, response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::params_for(response, now))
    }

    /// See [`ResponseModel::system_params_for`].
    pub fn system_params_for(
        self,
        joints: &[(SpringResponse, f32)],
        system: &ParamSet,
        frame: f32,
    ) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::system_params_for(joints, system, frame))
    }

    /// See [`Inspect::param_warning`].
    pub fn param_warning(self, param: ParamId, tuned: &impl TunedJoints) -> Option<ParamWarning> {
        by_kind!(self, S => S::param_warning(param, tuned))
    }

    /// See [`ResponseModel::rigid_body_params`].
    pub fn rigid_body_params(self, tip: Vec3, system: &ParamSet) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::rigid_body_params(tip, system))
    }
}

fn record_param(param: ParamId, params: &mut Vec<ParamId>) -> f32 {
    params.push(param);
    0.0
}

/// Where a solver comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverOrigin {
    /// A component for Unity.
    Unity,
    /// A file format with several runtimes.
    Format,
    /// A plugin for Unreal.
    Unreal,
    /// A model that is only described in public documentation.
    Documentation,
}

/// An angle limit in the frame of a pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PivotLimit {
    /// Switch of the limit, and its ends in degrees.
    pub params: LimitParams,
    /// Ends that the editor of the original component sets when it creates a pivot, in degrees.
    pub editor_default: [f32; 2],
    /// Rotation axis in the frame of the pivot, unit length.
    pub axis: Vec3,
    /// Direction in which positive angles rotate a bone along the X axis of the pivot, unit length.
    pub positive_direction: Vec3,
}

/// The parameters of joints that turn about one axis of their bone.
#[derive(Clone, Copy, Debug)]
pub struct HingeParams {
    /// The axis in bone space, of any length. Zero is the X axis.
    pub axis: [ParamId; 3],
    /// Two limits in degrees, in any order.
    pub limits: [ParamId; 2],
    /// Whether a system has limits.
    pub has_limits: fn(&ParamSet) -> bool,
}

/// A predicate on a joint and the values of its system.
pub type JointPredicate = fn(&ParamSet, &JointSetup) -> bool;

/// The improvements that Yuremono adds to a solver: the parameters with [`ParamDef::extension`].
#[derive(Clone, Copy, Debug)]
pub struct Improvements {
    /// System parameter that selects the accurate mode (0) or the improved mode (1).
    pub mode: ParamId,
    /// The switch that turns a parameter on; `None` if the parameter has no switch.
    pub switch_of: fn(ParamId) -> Option<ParamId>,
    /// The value at which a parameter has no effect.
    pub neutral_value: fn(ParamId) -> f32,
    /// The joints that a switch affects; `None` if the switch affects the whole character.
    pub affected_joints: fn(ParamId) -> Option<JointPredicate>,
}

/// The data of a solver.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct SolverInfo {
    /// Kind in the closed list.
    pub kind: SolverKind,
    pub name: &'static str,
    /// A name of one word.
    pub short_name: &'static str,
    /// Where the solver comes from.
    pub origin: SolverOrigin,
    /// All parameters.
    pub params: &'static [ParamDef],
    /// Terms of [`SpringResponse`] that the parameters cannot express, each with the reason in one sentence.
    pub unsupported: &'static [(FeelParam, &'static str)],
    /// The kinds of shapes that the solver supports, each as an example shape.
    pub shapes: &'static [ColliderShape],
    /// Joint parameters that the original component stores in a shared asset, in table order.
    pub material_params: &'static [ParamId],
    /// Parameters of a joint's centre of mass in bone space, in metres, for solvers with rigid bodies.
    pub center_of_mass_params: Option<[ParamId; 3]>,
    /// The parameters of hinges, for solvers whose joints turn about one axis.
    pub hinge_params: Option<HingeParams>,
    /// The parameter that selects a runtime, for formats with several runtimes.
    pub preview_param: Option<ParamId>,
    /// The joint parameter that corrects an error: a step removes its value, times the squared step in seconds, as a
    /// share of the error.
    pub correction_constant: Option<ParamId>,
    /// Length of a joint without a child, in metres, if the original component has a fixed length.
    pub leaf_length: Option<f32>,
    /// Default curves of every chain over depth, as values at the root and at the last depth with easing between
    /// them.
    pub default_curves: &'static [(ParamId, [f32; 2])],
    /// Improvements that Yuremono adds.
    pub improvements: Option<Improvements>,
    /// Section name in a dynamics CSV, if the section name differs from the key.
    pub csv_section: Option<&'static str>,
    /// Angle limits in the frame of the pivot.
    pub pivot_limits: &'static [PivotLimit],
    /// Whether joints have pivots and length targets.
    pub uses_pivots: bool,
    /// Whether helper nodes count as children when a bone's tip is computed, as in `UnityChanSpringBone`.
    pub counts_helper_nodes: bool,
    /// A system parameter, and the value with which the motion does not depend on the frame rate.
    pub frame_rate_independent_setting: Option<(ParamId, f32)>,
    /// System parameters that the file of the character determines. A comparison does not offer to take them.
    pub file_params: &'static [ParamId],
    /// System parameters that importing the solver's native format resets to defaults.
    pub reset_by_import: &'static [ParamId],
    /// The pose that the springs pull to.
    pub rest_target: RestTarget,
    /// Whether chains may be assigned to the solver automatically.
    pub auto_assign: bool,
    /// Whether the current pose can become the rest pose. See [`Dynamics::set_rest_pose`].
    pub can_set_rest_pose: bool,
    /// Whether links connect chains, so that all chains reset if one leaves its bounds.
    pub links_chains: bool,
    /// Whether the solver uses [`SystemSetup::component`].
    pub uses_component: bool,
    /// Whether the parameters of a joint belong to its tip, because the original component stores them at the tip's
    /// particle.
    pub params_at_tips: bool,
    /// What the scale of bones does.
    pub length_scale: LengthScale,
    /// Whether chains move each other only by their bones and by colliders.
    pub independent_chains: bool,
}

/// What the scale of bones does to the lengths of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthScale {
    /// Lengths follow the scale: scaled bones move like unscaled bones of the same size.
    Follows,
    /// The original ignores the scale of bones.
    Ignored,
    /// The original ignores the scale of bones, and this system parameter makes lengths follow the scale.
    FollowsWith(ParamId),
}

impl SolverInfo {
    /// The data of a Unity component that expresses all terms of feel and has neither colliders nor special features.
    pub const fn new(kind: SolverKind, params: &'static [ParamDef]) -> Self {
        Self {
            kind,
            name: kind.key(),
            short_name: kind.key(),
            origin: SolverOrigin::Unity,
            params,
            unsupported: &[],
            shapes: &[],
            material_params: &[],
            center_of_mass_params: None,
            hinge_params: None,
            preview_param: None,
            correction_constant: None,
            leaf_length: None,
            default_curves: &[],
            improvements: None,
            csv_section: None,
            pivot_limits: &[],
            uses_pivots: false,
            counts_helper_nodes: false,
            frame_rate_independent_setting: None,
            file_params: &[],
            reset_by_import: &[],
            rest_target: RestTarget::ParentRotation,
            auto_assign: true,
            can_set_rest_pose: false,
            links_chains: false,
            uses_component: false,
            params_at_tips: false,
            length_scale: LengthScale::Follows,
            independent_chains: false,
        }
    }

    /// Whether joints can collide with shapes of the same kind. Values and switches may still disable the contact.
    pub fn supports_shape(&self, shape: &ColliderShape) -> bool {
        self.shapes.iter().any(|known| known.is_same_kind(shape))
    }

    /// Whether any angle limit in the frame of the pivot is on. `get` returns the value of a parameter.
    pub fn has_active_pivot_limit(&self, get: impl Fn(ParamId) -> f32) -> bool {
        self.pivot_limits.iter().any(|limit| get(limit.params.active) != 0.0)
    }

    /// Whether the solver has angle limits in the frame of a pivot.
    pub const fn has_pivot_limits(&self) -> bool {
        !self.pivot_limits.is_empty()
    }

    /// Why the parameters cannot express a term of feel; `None` if the parameters can.
    pub fn unsupported_reason(&self, term: FeelParam) -> Option<&'static str> {
        self.unsupported.iter().find(|(unsupported, _)| *unsupported == term).map(|(_, reason)| *reason)
    }
}

/// Tips of a system, in metres in the world.
pub trait TipState {
    /// Current position of the tip.
    fn tip(&self, joint: usize) -> Vec3;
    /// The ends of links that are drawn for a joint in addition to its bone and tip. Without links, both are the tip.
    fn display_points(&self, joint: usize) -> [Vec3; 2] {
        [self.tip(joint); 2]
    }
    /// Sum of the squared distances between a position and the tips and display points of some joints, in m².
    #[inline]
    fn sum_squared_distances(&self, joints: &[u32], from: Vec3) -> f32 {
        super::vec_util::sum_squared_distances(joints, from, |joint| self.tip(joint as usize))
    }
    /// The slot under which the probe records the tip. Several joints may share a tip.
    fn tip_slot(&self, joint: usize) -> usize {
        joint
    }
    /// Position of the tip one step earlier.
    fn previous_tip(&self, joint: usize) -> Vec3;
    /// Sets the current and the previous position of the tip.
    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3);
    /// Adds a velocity, in m/s, to the tip. `step_seconds` is the length of a step of the solver.
    fn add_velocity(&mut self, joint: usize, velocity: Vec3, step_seconds: f32) {
        self.set_tip(joint, self.tip(joint), self.previous_tip(joint) - velocity * step_seconds);
    }
}

/// A solver.
pub trait Solver: Dynamics + ResponseModel + Inspect {
    /// The data of the solver.
    const INFO: SolverInfo;
}

/// The simulation. Joints are in the order of the solver; see [`Dynamics::solver_indices`].
pub trait Dynamics {
    /// Topology and rest data.
    type Rest: Clone + std::fmt::Debug;
    /// Baked parameters of a joint.
    type Params: Clone + std::fmt::Debug;
    /// Baked parameters of the system.
    type System: Clone + std::fmt::Debug;
    /// The state that steps change.
    type State: Clone + std::fmt::Debug + TipState;

    /// Builds joint order, links and rest data from the rest pose `world`. Called only at set-up and after topology
    /// edits.
    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Self::Rest, Self::State);
    /// Index in the solver's order of each joint of the setup.
    fn solver_indices(rest: &Self::Rest) -> &[u32];
    /// Bakes the parameters of a joint. Must read every joint parameter.
    fn bake(get: impl FnMut(ParamId) -> f32) -> Self::Params;
    /// Bakes the parameters of the system. Must read every system parameter.
    fn bake_system(get: impl FnMut(ParamId) -> f32) -> Self::System;
    /// Updates switches and other values that are neither topology nor parameters.
    fn update_switches(rest: &mut Self::Rest, setup: &SystemSetup);
    /// Length of a step in seconds, if a frame lasts `frame` seconds.
    fn step_seconds(_system: &ParamSet, frame: f32) -> f32 {
        frame
    }
    /// Whether the motion has the same speed at every frame rate.
    fn frame_rate_independent(_system: &ParamSet) -> bool {
        true
    }
    /// The work of a step in a world with frames of `dt` seconds. [`Dynamics::step`] respects the same limits.
    fn workload(rest: &Self::Rest, _system: &Self::System, _dt: f32) -> Workload {
        Workload::new(workload::VISITS_PER_JOINT * Self::solver_indices(rest).len() as u64)
    }
    /// Whether a joint that is not animated starts each frame with its own rotation of the previous step. Otherwise
    /// every joint starts with the animated pose.
    fn starts_from_last_rotation(_system: &Self::System) -> bool {
        false
    }
    /// Advances the simulation by one frame of `dt` seconds, and writes rotations and tips.
    fn step(
        rest: &Self::Rest,
        params: &[Self::Params],
        system: &Self::System,
        state: &mut Self::State,
        step_pose: &mut StepPose<'_>,
        dt: f32,
    );
    /// Resets every joint and its tip to rest.
    fn reset(rest: &Self::Rest, state: &mut Self::State, step_pose: &mut StepPose<'_>);
    /// Copies the clocks of the previous state after a topology change.
    fn carry_over(_state: &mut Self::State, _before: &Self::State) {}
    /// Makes the current pose the rest pose, without velocity. Does nothing if the solver always uses the rest pose of
    /// the file.
    fn set_rest_pose(_rest: &mut Self::Rest, _state: &mut Self::State, _scene: &mut StepPose<'_>) {}
    /// Rotates a joint towards a tip, without advancing time.
    fn aim_joint_at(rest: &Self::Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>);
    /// The direction nearest to `direction` in which a held joint can point: within the angle limits that the viewport
    /// shows, and about the axis of a hinge. Both directions are in the world; `direction` has unit length.
    fn reachable_direction(_joint: &AimedJoint<'_, Self>, direction: Vec3) -> Vec3 {
        direction
    }
}

/// A joint after a step, as input of [`Dynamics::reachable_direction`].
#[derive(Debug)]
pub struct AimedJoint<'a, S: Dynamics + ?Sized> {
    pub(super) rest: &'a S::Rest,
    pub(super) params: &'a S::Params,
    pub(super) system: &'a S::System,
    pub(super) state: &'a S::State,
    /// Index in the solver's order.
    pub(super) joint: usize,
    pub(super) posed_scene: PosedScene<'a>,
}

/// Conversion between parameters and the response of a joint.
pub trait ResponseModel: Dynamics {
    /// The response of a joint that is close to rest.
    fn response(input: &ResponseInput<'_>) -> SpringResponse;
    /// How a slow tip returns, if the solver ignores the velocity of slow tips; `None` if the solver always uses the
    /// velocity.
    fn overdamped_return(_input: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        None
    }
    /// Parameters that give a joint this response, as nearly as their ranges allow. Parameters that do not affect the
    /// response are left out.
    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)>;
    /// The best system parameters for joints with these responses and lengths in metres. They cover what the solver
    /// has only once per system: the common acceleration and the simulation space.
    fn system_params_for(_joints: &[(SpringResponse, f32)], _system: &ParamSet, _frame: f32) -> Vec<(ParamId, f32)> {
        Vec::new()
    }
    /// Parameters of the rigid body between head and tip. `tip` is the offset from head to tip in bone space, in
    /// metres. Empty for solvers without rigid bodies.
    fn rigid_body_params(_tip: Vec3, _system: &ParamSet) -> Vec<(ParamId, f32)> {
        Vec::new()
    }
}

/// A joint between two steps, as input of contact queries.
#[derive(Debug)]
pub struct ContactQuery<'a, S: Dynamics + ?Sized> {
    pub(super) rest: &'a S::Rest,
    pub(super) params: &'a S::Params,
    pub(super) system: &'a S::System,
    /// Index in the solver's order.
    pub(super) joint: usize,
    /// Position of the tip, in metres in the world.
    pub(super) tip: Vec3,
    pub(super) posed_scene: PosedScene<'a>,
}

/// Queries of the viewport between two steps.
pub trait Inspect: Dynamics {
    /// Distance from head to tip in the rest pose, in metres.
    fn rest_length(rest: &Self::Rest, joint: usize) -> f32 {
        Self::tip_offset(rest, joint).length()
    }
    /// Offset from head to tip in the space of the rotating bone, in metres.
    fn tip_offset(rest: &Self::Rest, joint: usize) -> Vec3;
    /// The sphere with which the joint collides; `None` if the joint does not collide.
    fn contact_sphere<'a>(_query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        None
    }
    /// The nearest surface of a collider, with the scale and switches that the solver applies; `None` without a
    /// surface.
    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        WorldCollider::unity_scaled(collider, frame).nearest_surface(ball.center)
    }
    /// Calls `found` with the kind, the joints and the ends of each link. The ends are in metres in the world. A
    /// point beyond the last joint of a chain belongs to that joint.
    fn for_each_link(_rest: &Self::Rest, _state: &Self::State, _found: impl FnMut(LinkKind, [usize; 2], [Vec3; 2])) {}
    /// Distance of a sync bone from its rest position, in metres; `None` for other bones.
    fn sync_offset(_rest: &Self::Rest, _bone: BoneId, _frames: &[Frame]) -> Option<f32> {
        None
    }
    /// Why a value of the selected joints or of their system has no effect, or an effect that its name does not
    /// suggest; `None` if there is nothing to warn about.
    fn param_warning(_row: ParamId, _tuned: &impl TunedJoints) -> Option<ParamWarning> {
        None
    }
    /// Clock of the component's wind, in seconds; `None` without wind.
    fn wind_time(_state: &Self::State) -> Option<f32> {
        None
    }
}

/// Where the tip of a joint is in the rest pose.
#[derive(Clone, Debug, PartialEq)]
pub enum TipSetup {
    /// The solver derives the tip from these child bones; empty for a leaf.
    Bones(Vec<BoneId>),
    /// A point in the space of the bone, in metres.
    Offset(Vec3),
}

/// A bone to which a tip keeps its rest distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthTarget {
    /// The other bone.
    pub bone: BoneId,
    /// Stiffness, in 1/s²; `None` uses the value of the joint.
    pub stiffness: Option<f32>,
}

/// A joint whose values are resolved to one number per parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSetup {
    /// The bone that the joint rotates.
    pub bone: BoneId,
    /// Where the tip is in the rest pose.
    pub tip: TipSetup,
    /// One value per parameter of the solver's table.
    pub values: ParamSet,
    /// For a fork of a solver with [`SolverInfo::params_at_tips`]: the values at each of the tips. Empty if all tips have
    /// `values`. The number of entries is a part of the topology.
    pub tip_values: Vec<ParamSet>,
    /// Reference frame of the angle limits.
    pub pivot: Option<BoneId>,
    /// Bones to which the tip keeps its rest distance.
    pub length_targets: Vec<LengthTarget>,
    /// Indices in [`SystemSetup::colliders`], in the order in which they are tested.
    pub colliders: Vec<u32>,
    /// Joints of one chain have the same number; grabbing a tip moves only its chain.
    pub chain: u32,
    /// Whether the joint is simulated. A disabled joint keeps its animated pose. [`World::bake`](super::World::bake)
    /// updates this switch.
    pub enabled: bool,
    /// Whether the bone is marked as animated, for solvers that blend with the animation.
    pub animated: bool,
}

impl JointSetup {
    /// An enabled leaf with the values `values`, in chain 0.
    pub fn new(bone: BoneId, values: ParamSet) -> Self {
        Self {
            bone,
            tip: TipSetup::Bones(Vec::new()),
            values,
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        }
    }
}

/// All chains that use a solver, with the values of their system.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemSetup {
    /// Solver.
    pub solver: SolverKind,
    /// One value per system parameter of the solver's table.
    pub values: ParamSet,
    /// Joints in any order, at most one per bone. Joints of equal depth are solved in this order.
    pub joints: Vec<JointSetup>,
    /// Colliders; the joints refer to them by index.
    pub colliders: Vec<ColliderSetup>,
    /// Forces.
    pub forces: Vec<ForceSetup>,
    /// Leg followers, which are solved before the joints.
    pub high_legs: Vec<HighLegSetup>,
    /// The node of the component, for solvers that use its motion or scale. `None` means the parent of the first
    /// root.
    pub component: Option<BoneId>,
    /// VRM settings per joint. Joints beyond the end of the list have the default settings.
    pub vrm: Vec<VrmJoint>,
    /// Settings of `EZSoftBone`.
    pub ez_soft_bone: EzSetup,
    /// Settings of `DynamicBone`.
    pub dynamic_bone: DynamicBoneSetup,
    /// Settings of `SPCRJointDynamics`.
    pub joint_dynamics: JointDynamicsSetup,
    /// Settings of KawaiiPhysics: links, sync bones, base bone.
    pub kawaii: KawaiiSetup,
    /// Settings of `AnimDynamics`.
    pub anim_dynamics: AnimDynamicsSetup,
}

impl SystemSetup {
    /// Returns the values of all tips that have values of their own.
    pub(super) fn tip_values(&self) -> impl Iterator<Item = &ParamSet> {
        self.joints.iter().flat_map(|joint| &joint.tip_values)
    }

    /// Returns for each joint where a solver finds the values of its first tip, if its tips have values of their own.
    fn first_tip_params(&self) -> Vec<usize> {
        let mut next = self.joints.len();
        let first = |joint: &JointSetup| {
            next += joint.tip_values.len();
            next - joint.tip_values.len()
        };
        self.joints.iter().map(first).collect()
    }

    /// The indices in a joint's list that refer to existing colliders.
    fn valid_colliders<'a>(&self, joint: &'a JointSetup) -> impl Iterator<Item = u32> + use<'a> {
        let count = self.colliders.len();
        joint.colliders.iter().copied().filter(move |collider| (*collider as usize) < count)
    }

    /// Indices of the joints, parents first. Joints of equal depth keep their order.
    fn joints_by_depth(&self, skeleton: &Skeleton) -> Vec<usize> {
        let mut sorted: Vec<usize> = (0..self.joints.len()).collect();
        sorted.sort_by_key(|i| skeleton.depth(self.joints[*i].bone));
        sorted
    }

    /// The index of the joint on each bone.
    fn joint_of_bone(&self, skeleton: &Skeleton) -> Vec<Option<usize>> {
        let mut joint_of_bone = vec![None; skeleton.len()];
        for (i, joint) in self.joints.iter().enumerate() {
            joint_of_bone[joint.bone.index()].get_or_insert(i);
        }
        joint_of_bone
    }

    /// A system without joints.
    pub fn new(solver: SolverKind, values: ParamSet) -> Self {
        Self {
            solver,
            values,
            joints: Vec::new(),
            colliders: Vec::new(),
            forces: Vec::new(),
            high_legs: Vec::new(),
            component: None,
            vrm: Vec::new(),
            ez_soft_bone: EzSetup::default(),
            dynamic_bone: DynamicBoneSetup::default(),
            joint_dynamics: JointDynamicsSetup::default(),
            kawaii: KawaiiSetup::default(),
            anim_dynamics: AnimDynamicsSetup::default(),
        }
    }
}

/// The bones whose frames joints read: pivots, centers, colliders, forces and length targets.
pub(crate) fn referenced_bones(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    setup.joints.iter().flat_map(bones_read_by_joint).chain(bones_read_by_any_joint(setup))
}

/// The bones that a joint reads in addition to the common bones.
fn bones_read_by_joint(joint: &JointSetup) -> impl Iterator<Item = BoneId> {
    joint.pivot.into_iter().chain(joint.length_targets.iter().map(|t| t.bone))
}

/// The bones that any joint may read.
fn bones_read_by_any_joint(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let named =
        setup.component.into_iter().chain(setup.dynamic_bone.reference).chain(setup.ez_soft_bone.referenced_bones());
    let listed = setup.joint_dynamics.grabbers.iter().map(|grabber| grabber.bone);
    let listed = listed.chain(setup.joint_dynamics.planes.iter().copied()).chain(setup.kawaii.base_bone);
    let listed = listed.chain(setup.kawaii.sync_bones.iter().map(|sync| sync.bone));
    let listed = listed.chain(setup.anim_dynamics.relative_space_bone);
    let placed = setup.colliders.iter().map(|c| c.bone).chain(setup.forces.iter().map(|f| f.bone));
    centers.chain(named).chain(listed).chain(placed)
}

/// Marks bones and all their ancestors.
pub(crate) fn mark_with_ancestors(skeleton: &Skeleton, bones: impl Iterator<Item = BoneId>) -> Vec<bool> {
    let mut marked = vec![false; skeleton.len()];
    for bone in bones {
        let mut above = std::iter::successors(Some(bone), |b| skeleton.parent(*b));
        // Ancestors of marked bones are marked already.
        while let Some(bone) = above.next().filter(|b| !marked[b.index()]) {
            marked[bone.index()] = true;
        }
    }
    marked
}
