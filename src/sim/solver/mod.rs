//! The closed set of solvers: one list, and the four parts of each.
//!
//! A solver is one folder (or file) that reads like its specification. [`SolverInfo`] is what it is, as plain data;
//! [`Dynamics`] is what runs; [`ResponseModel`] leads from its numbers to the response of a joint and back; [`Inspect`] answers
//! what the viewport asks. Everything about the set derives from the `solvers!` list below.

pub mod anim_dynamics;
pub(super) mod batch;
pub mod dynamic_bone;
pub mod ez_soft_bone;
pub mod hinge;
pub mod joint_dynamics;
pub mod kawaii;
pub mod pbd_spring_bone;
pub mod spring_bone;
pub mod vrm;

use super::collider::{ContactSphere, SurfacePoint, WorldCollider};
use super::param_warning::{ParamWarning, TunedJoints};
use super::scene::{PosedScene, Scene};
use super::workload::{self, Workload};
use super::{
    ColliderSetup, ColliderShape, FeelParam, ForceSetup, HighLegSetup, JointSetup, LinkKind, OverdampedReturn,
    ResponseInput, RestTarget, SpringResponse,
};
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

/// Declares the closed set. `$d` is a dollar sign, for the macros that this one declares.
macro_rules! solvers {
    ($d:tt $($(#[$meta:meta])* $kind:ident, $key:literal: $module:ident::$solver:ident;)*) => {
        /// The closed list of solvers, in the order in which they are listed everywhere.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum SolverKind {
            $($(#[$meta])* #[serde(rename = $key)] $kind,)*
        }

        impl SolverKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Its name in files and among translations; never changes.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$kind => $key,)*
                }
            }
        }

        /// Calls one generic expression with the type of a kind.
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

        /// Calls a macro with a dollar sign and, for each solver, its kind and its type: `Kind: type,`.
        #[macro_export]
        macro_rules! for_each_solver {
            ($d callback:ident) => {
                $d callback! { $d $($kind: $d crate::sim::solver::$module::$solver,)* }
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
    /// The solver of that name.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.key() == key)
    }

    /// What the solver is.
    pub const fn info(self) -> &'static SolverInfo {
        by_kind!(self, S => const { &<S as Solver>::INFO })
    }

    /// Length of a step where a frame lasts `frame` seconds, see [`Dynamics::step_seconds`].
    pub fn step_seconds(self, system: &ParamSet, frame: f32) -> f32 {
        by_kind!(self, S => S::step_seconds(system, frame))
    }

    /// Whether time runs alike at every frame rate, see [`Dynamics::frame_rate_independent`].
    pub fn frame_rate_independent(self, system: &ParamSet) -> bool {
        by_kind!(self, S => S::frame_rate_independent(system))
    }

    /// The rows that baking a joint and baking a system ask for, in the order of asking.
    pub fn params_read(self) -> [Vec<ParamId>; 2] {
        let [mut joint, mut system] = [Vec::new(), Vec::new()];
        by_kind!(self, S => {
            let (_joint, _system) = (S::bake(|row| record_param(row, &mut joint)), S::bake_system(|row| record_param(row, &mut system)));
        });
        [joint, system]
    }

    /// How a joint sways, see [`ResponseModel::response`].
    pub fn response(self, numbers: &ResponseInput<'_>) -> SpringResponse {
        by_kind!(self, S => S::response(numbers))
    }

    /// How a slow tip comes home, see [`ResponseModel::overdamped_return`].
    pub fn overdamped_return(self, numbers: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        by_kind!(self, S => S::overdamped_return(numbers))
    }

    /// The numbers that sway so, see [`ResponseModel::params_for`].
    pub fn params_for(self, sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::params_for(sway, now))
    }

    /// The system's numbers that serve these joints best, see [`ResponseModel::system_params_for`].
    pub fn system_params_for(
        self,
        joints: &[(SpringResponse, f32)],
        system: &ParamSet,
        frame: f32,
    ) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::system_params_for(joints, system, frame))
    }

    /// Why a value has no effect, see [`Inspect::param_warning`].
    pub fn param_warning(self, row: ParamId, tuned: &impl TunedJoints) -> Option<ParamWarning> {
        by_kind!(self, S => S::param_warning(row, tuned))
    }

    /// The numbers of a joint's rigid body, see [`ResponseModel::rigid_body_params`].
    pub fn rigid_body_params(self, tip: Vec3, system: &ParamSet) -> Vec<(ParamId, f32)> {
        by_kind!(self, S => S::rigid_body_params(tip, system))
    }
}

fn record_param(row: ParamId, rows: &mut Vec<ParamId>) -> f32 {
    rows.push(row);
    0.0
}

/// Where a solver's rule comes from, and so whose motion it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverOrigin {
    /// A component for Unity.
    Unity,
    /// A file format, as several runtimes read it.
    Format,
    /// A plugin for Unreal.
    Unreal,
    /// An engine's public documentation.
    Documentation,
}

/// An angle limit in the frame of a pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PivotLimit {
    /// Its switch and its ends, degrees.
    pub params: LimitParams,
    /// The ends that the engine's editor sets where it makes a pivot, degrees.
    pub editor_default: [f32; 2],
    /// The axis of the pivot that the bone turns about, unit length.
    pub axis: Vec3,
    /// Where angles above 0 swing a bone that points along the pivot's X axis, unit length.
    pub positive_direction: Vec3,
}

/// Whether something is so for a joint, with the values of its system.
pub type JointPredicate = fn(&ParamSet, &JointSetup) -> bool;

/// The improvements of a solver on its engine, which are the parameters with [`ParamDef::extension`].
#[derive(Clone, Copy, Debug)]
pub struct Improvements {
    /// The row of the system that chooses between the engine's motion, 0, and the improved motion, 1.
    pub mode: ParamId,
    /// The switch of a parameter; `None` where the parameter acts without one.
    pub switch_of: fn(ParamId) -> Option<ParamId>,
    /// The value at which a parameter changes nothing.
    pub neutral_value: fn(ParamId) -> f32,
    /// Which joints a switch affects; `None` where it affects the whole character.
    pub affected_joints: fn(ParamId) -> Option<JointPredicate>,
}

/// What a solver is, as plain data.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct SolverInfo {
    /// Its name in the closed list.
    pub kind: SolverKind,
    /// Where its rule comes from.
    pub origin: SolverOrigin,
    /// Every parameter it reads, once.
    pub params: &'static [ParamDef],
    /// What of [`SpringResponse`] no numbers of this solver can express, and why, in one sentence.
    pub unsupported: &'static [(FeelParam, &'static str)],
    /// One collider shape of each kind that its joints ever meet.
    pub shapes: &'static [ColliderShape],
    /// Rows of joints that the engine keeps in an asset of its own, which several chains may share, in the order of the
    /// table.
    pub material_params: &'static [ParamId],
    /// Rows of where a joint's weight is in bone space, metres, where it swings such a thing.
    pub center_of_mass_params: Option<[ParamId; 3]>,
    /// The row that chooses whose behaviour is shown, where runtimes of one format differ.
    pub preview_param: Option<ParamId>,
    /// The row of joints whose value, times the square of a step's seconds, is the share of an error that a step removes.
    pub correction_constant: Option<ParamId>,
    /// Length of a joint without child, metres, where the engine has a fixed one.
    pub leaf_length: Option<f32>,
    /// The curves over depth that the engine gives every chain: values at the root and at the last depth, eased between.
    pub default_curves: &'static [(ParamId, [f32; 2])],
    /// Its improvements on the engine, where it has any.
    pub improvements: Option<Improvements>,
    /// Name of the section with its joints in a dynamics CSV, where that is not its key.
    pub csv_section: Option<&'static str>,
    /// The angle limits that it measures in the frame of a joint's pivot.
    pub pivot_limits: &'static [PivotLimit],
    /// Whether joints have a pivot and length targets.
    pub uses_pivots: bool,
    /// Whether the engine counts helper nodes among the children of a bone when it derives the bone's tip.
    pub counts_helper_nodes: bool,
    /// Values of the system that the engine's own import of a setup sets back to their defaults.
    pub reset_by_import: &'static [ParamId],
    /// Where a joint's spring pulls the tip to.
    pub rest_target: RestTarget,
    /// Whether any chain may be assigned to it without being asked for.
    pub auto_assign: bool,
    /// Whether the pose that is shown can be taken for rest, see [`Dynamics::set_rest_pose`].
    pub can_set_rest_pose: bool,
    /// Whether links between chains make them one body, so that one chain that leaves its bounds takes all others along.
    pub links_chains: bool,
    /// Whether it reads where the component is, see [`SystemSetup::component`].
    pub uses_component: bool,
    /// Whether a joint's numbers are those of its tip: the engine keeps them on the particle there.
    pub params_at_tips: bool,
}

impl SolverInfo {
    /// A component for Unity that can express everything, meets nothing and has nothing special.
    pub const fn new(kind: SolverKind, params: &'static [ParamDef]) -> Self {
        Self {
            kind,
            origin: SolverOrigin::Unity,
            params,
            unsupported: &[],
            shapes: &[],
            material_params: &[],
            center_of_mass_params: None,
            preview_param: None,
            correction_constant: None,
            leaf_length: None,
            default_curves: &[],
            improvements: None,
            csv_section: None,
            pivot_limits: &[],
            uses_pivots: false,
            counts_helper_nodes: false,
            reset_by_import: &[],
            rest_target: RestTarget::ParentRotation,
            auto_assign: true,
            can_set_rest_pose: false,
            links_chains: false,
            uses_component: false,
            params_at_tips: false,
        }
    }

    /// Whether joints ever meet such a shape. Its numbers and the system's switches may still leave it without effect.
    pub fn supports_shape(&self, shape: &ColliderShape) -> bool {
        self.shapes.iter().any(|known| known.is_same_kind(shape))
    }

    /// Whether an angle limit in the frame of the pivot is on; `get` is the value of a row.
    pub fn has_active_pivot_limit(&self, get: impl Fn(ParamId) -> f32) -> bool {
        self.pivot_limits.iter().any(|limit| get(limit.params.active) != 0.0)
    }

    /// Whether it measures angle limits in the frame of a pivot.
    pub const fn has_pivot_limits(&self) -> bool {
        !self.pivot_limits.is_empty()
    }

    /// Why no numbers of this solver can express a term of feel; `None` where they can.
    pub fn unsupported_reason(&self, term: FeelParam) -> Option<&'static str> {
        self.unsupported.iter().find(|(unsupported, _)| *unsupported == term).map(|(_, why)| *why)
    }
}

/// Where the tips of a system are and were; metres in the world.
pub trait TipState {
    /// Now.
    fn tip(&self, joint: usize) -> Vec3;
    /// What is drawn of a joint beside its bone and tip: ends of links. The tip again where there are none.
    fn display_points(&self, joint: usize) -> [Vec3; 2] {
        [self.tip(joint); 2]
    }
    /// Sum of the squared distances of some joints' tips, and of what is drawn of them, from a place; m².
    #[inline]
    fn sum_squared_distances(&self, joints: &[u32], from: Vec3) -> f32 {
        super::vec_util::sum_squared_distances(joints, from, |joint| self.tip(joint as usize))
    }
    /// One step before.
    fn previous_tip(&self, joint: usize) -> Vec3;
    /// Puts a tip somewhere.
    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3);
}

/// One way of moving chains.
pub trait Solver: Dynamics + ResponseModel + Inspect {
    /// What it is.
    const INFO: SolverInfo;
}

/// What runs. Joints are numbered in the solver's own order, see [`Dynamics::solver_indices`].
pub trait Dynamics {
    /// Topology and rest data.
    type Rest: Clone + std::fmt::Debug;
    /// Baked numbers of one joint.
    type Params: Clone + std::fmt::Debug;
    /// Baked numbers of the whole system.
    type System: Clone + std::fmt::Debug;
    /// What steps change.
    type State: Clone + std::fmt::Debug + TipState;

    /// Orders, links and rest data, from the rest pose `world`; at set-up and on topology edits only.
    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Self::Rest, Self::State);
    /// The solver's number of each joint of the setup.
    fn solver_indices(rest: &Self::Rest) -> &[u32];
    /// One joint's numbers, at edit time. Asks for every row of joint scope.
    fn bake(get: impl FnMut(ParamId) -> f32) -> Self::Params;
    /// The system's numbers, at edit time. Asks for every row of system scope.
    fn bake_system(get: impl FnMut(ParamId) -> f32) -> Self::System;
    /// Reads again what of the setup is neither topology nor a row: what is switched on, and pulls of single targets.
    fn update_switches(rest: &mut Self::Rest, setup: &SystemSetup);
    /// Length of a step, seconds, by the system's numbers where a frame of the engine lasts `frame`.
    fn step_seconds(_system: &ParamSet, frame: f32) -> f32 {
        frame
    }
    /// Whether time runs alike at every frame rate of the players: steps follow the frame, or are kept to seconds.
    fn frame_rate_independent(_system: &ParamSet) -> bool {
        true
    }
    /// The work of one step of a world whose frame lasts `dt` seconds. What exceeds the bound is not done by
    /// [`Dynamics::step`] either.
    fn workload(rest: &Self::Rest, _system: &Self::System, _dt: f32) -> Workload {
        Workload::new(workload::VISITS_PER_JOINT * Self::solver_indices(rest).len() as u64)
    }
    /// Whether a joint that nothing animates goes on from its own rotation of the step before. Otherwise every frame
    /// starts with the pose as animation left it.
    fn starts_from_last_rotation(_system: &Self::System) -> bool {
        false
    }
    /// One step of a world whose frame lasts `dt` seconds; writes rotations and tips.
    fn step(
        rest: &Self::Rest,
        params: &[Self::Params],
        system: &Self::System,
        state: &mut Self::State,
        scene: &mut Scene<'_>,
        dt: f32,
    );
    /// Turns every joint to its rest rotation and lets its tip stand still there.
    fn reset(rest: &Self::Rest, state: &mut Self::State, scene: &mut Scene<'_>);
    /// After a change of topology: goes on with the clocks of the state before.
    fn carry_over(_state: &mut Self::State, _before: &Self::State) {}
    /// Takes the present pose for the rest pose, with no speed. A solver whose rest pose is the file's does nothing.
    fn set_rest_pose(_rest: &mut Self::Rest, _state: &mut Self::State, _scene: &mut Scene<'_>) {}
    /// Turns one joint towards a tip, without time passing.
    fn point_at(rest: &Self::Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>);
}

/// From a solver's numbers to the response of a joint, and back.
pub trait ResponseModel: Dynamics {
    /// How a joint with these numbers sways close to rest.
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse;
    /// How a slow tip with these numbers comes home, where its own speed counts no longer; `None` where speed always counts.
    fn overdamped_return(_numbers: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        None
    }
    /// Steady pull on a joint's tip as it is posed now, m/s² in the world: gravity and constant forces, without wind. Most
    /// solvers pull alike in every pose.
    fn steady_acceleration(
        _rest: &Self::Rest,
        _state: &Self::State,
        _joint: usize,
        numbers: &ResponseInput<'_>,
    ) -> Vec3 {
        Self::response(numbers).acceleration
    }
    /// The joint's numbers that sway so as nearly as they can, within their ranges; rows of `now` that have no part in
    /// it are not among them.
    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)>;
    /// The system's numbers that serve joints of these sways and lengths best, where the engine has one number for all
    /// of them: the common part of their pulls, and the space whose motion they feel. Lengths are metres.
    fn system_params_for(_joints: &[(SpringResponse, f32)], _system: &ParamSet, _frame: f32) -> Vec<(ParamId, f32)> {
        Vec::new()
    }
    /// The joint's numbers of a rigid body that carries the tip, `tip` being the way from head to tip in the bone's
    /// space, metres. Empty for solvers that swing points.
    fn rigid_body_params(_tip: Vec3, _system: &ParamSet) -> Vec<(ParamId, f32)> {
        Vec::new()
    }
}

/// One joint between two steps, to find what the joint touches.
#[derive(Debug)]
pub struct ContactQuery<'a, S: Dynamics + ?Sized> {
    pub(super) rest: &'a S::Rest,
    pub(super) params: &'a S::Params,
    pub(super) system: &'a S::System,
    /// Its number in the solver's order.
    pub(super) joint: usize,
    /// Where its tip is, metres in the world.
    pub(super) tip: Vec3,
    pub(super) posed_scene: PosedScene<'a>,
}

/// What the viewport asks between two steps.
pub trait Inspect: Dynamics {
    /// Distance from head to tip in the rest pose, metres.
    fn rest_length(rest: &Self::Rest, joint: usize) -> f32 {
        Self::tip_offset(rest, joint).length()
    }
    /// From head to tip in the bone's own turning space, metres: rotate it by the bone to know where it points.
    fn tip_offset(rest: &Self::Rest, joint: usize) -> Vec3;
    /// The ball of the joint that meets colliders; `None` where it meets nothing.
    fn contact_sphere<'a>(_query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        None
    }
    /// The nearest surface of a collider to a joint's ball, as this solver scales and switches colliders; `None` where
    /// there is none.
    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        WorldCollider::unity_scaled(collider, frame).nearest_surface(ball.center)
    }
    /// Tells `found` of each link of a network: its kind, the joints whose points it keeps apart, and where these are, metres
    /// in the world. A point beyond the last joint of a chain counts as that joint's. Chains without links tell of none.
    fn for_each_link(_rest: &Self::Rest, _state: &Self::State, _found: impl FnMut(LinkKind, [usize; 2], [Vec3; 2])) {}
    /// How far a bone that leads others is from its place, metres; `None` for any other.
    fn sync_offset(_rest: &Self::Rest, _bone: BoneId, _frames: &[Frame]) -> Option<f32> {
        None
    }
    /// Why a value of the tuned joints or their system has no effect, or another effect than its name suggests; `None`
    /// where it acts, and for solvers without such an explanation.
    fn param_warning(_row: ParamId, _tuned: &impl TunedJoints) -> Option<ParamWarning> {
        None
    }
    /// Seconds on the clock of what the system's component blows; `None` where nothing of the kind has one.
    fn wind_time(_state: &Self::State) -> Option<f32> {
        None
    }
}

/// All chains under one solver with that solver's per-character values.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemSetup {
    /// How they move.
    pub solver: SolverKind,
    /// One number per row; only rows of system scope are read.
    pub values: ParamSet,
    /// In any order; a bone stands in it once. Joints that hang equally deep in the skeleton are moved in this order.
    pub joints: Vec<JointSetup>,
    /// Referred to by the joints.
    pub colliders: Vec<ColliderSetup>,
    /// What blows and pulls.
    pub forces: Vec<ForceSetup>,
    /// Turned before the joints.
    pub high_legs: Vec<HighLegSetup>,
    /// The node that the engine's component sits on, for solvers that measure its motion or scale; the parent of the
    /// first root where absent.
    pub component: Option<BoneId>,
    /// What VRM adds to each of `joints`, by position; a joint without an entry has none of it.
    pub vrm: Vec<VrmJoint>,
    /// What `EZSoftBone` adds.
    pub ez_soft_bone: EzSetup,
    /// What a `DynamicBone` component names beside joints.
    pub dynamic_bone: DynamicBoneSetup,
    /// What `SPCRJointDynamics` adds.
    pub joint_dynamics: JointDynamicsSetup,
    /// What KawaiiPhysics adds: links, sync bones, the base bone.
    pub kawaii: KawaiiSetup,
    /// What `AnimDynamics` adds.
    pub anim_dynamics: AnimDynamicsSetup,
}

impl SystemSetup {
    /// The colliders of a joint that the system has.
    fn valid_colliders<'a>(&self, joint: &'a JointSetup) -> impl Iterator<Item = u32> + use<'a> {
        let count = self.colliders.len();
        joint.colliders.iter().copied().filter(move |collider| (*collider as usize) < count)
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

/// The bones whose frames joints read: pivots, centers, colliders, forces, and what lengths are kept to.
pub(in crate::sim) fn referenced_bones(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    setup.joints.iter().flat_map(bones_read_by_joint).chain(bones_read_by_any_joint(setup))
}

/// The bones that one joint reads alone.
fn bones_read_by_joint(joint: &JointSetup) -> impl Iterator<Item = BoneId> {
    joint.pivot.into_iter().chain(joint.length_targets.iter().map(|t| t.bone))
}

/// The bones that any joint may read.
fn bones_read_by_any_joint(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let named =
        setup.component.into_iter().chain(setup.dynamic_bone.reference).chain(setup.ez_soft_bone.referenced_bones());
    let placed = setup.colliders.iter().map(|c| c.bone).chain(setup.forces.iter().map(|f| f.bone));
    centers.chain(named).chain(placed)
}

/// Which bones are among these or carry one somewhere below.
pub(in crate::sim) fn mark_with_ancestors(skeleton: &Skeleton, bones: impl Iterator<Item = BoneId>) -> Vec<bool> {
    let mut marked = vec![false; skeleton.len()];
    for bone in bones {
        let mut above = std::iter::successors(Some(bone), |b| skeleton.parent(*b));
        // What is marked has its ancestors marked.
        while let Some(bone) = above.next().filter(|b| !marked[b.index()]) {
            marked[bone.index()] = true;
        }
    }
    marked
}
