//! The closed set of solvers: one list, and the four parts of each.
//!
//! A solver is one folder (or file) that reads like its specification. [`SolverInfo`] is what it is, as plain data;
//! [`Dynamics`] is what runs; [`FeelMap`] leads from its numbers to the response of a joint and back; [`Inspect`] answers
//! what the viewport asks. Everything about the set derives from the `solvers!` list below.

pub mod anim_dynamics;
pub mod dynamic_bone;
pub mod ez_soft_bone;
pub(super) mod fours;
pub mod hinge;
pub mod joint_dynamics;
pub mod kawaii;
pub mod pbd_spring_bone;
pub mod spring_bone;
pub mod vrm;

use super::collider::{ContactBall, Surface, WorldCollider};
use super::remark::{Remark, TunedJoints};
use super::scene::{Scene, Still};
use super::work::{self, Work};
use super::{
    ColliderSetup, Creep, ForceSetup, HighLegSetup, JointSetup, LinkKind, Numbers, RestTarget, Shape, Sway, Term,
};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{Limits, ParamDef, ParamSet, Row};
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
    pub fn named(key: &str) -> Option<Self> {
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
    pub fn rows_read(self) -> [Vec<Row>; 2] {
        let [mut joint, mut system] = [Vec::new(), Vec::new()];
        by_kind!(self, S => {
            let (_joint, _system) = (S::bake(|row| asked(row, &mut joint)), S::bake_system(|row| asked(row, &mut system)));
        });
        [joint, system]
    }

    /// How a joint sways, see [`FeelMap::sway`].
    pub fn sway(self, numbers: &Numbers<'_>) -> Sway {
        by_kind!(self, S => S::sway(numbers))
    }

    /// How a slow tip comes home, see [`FeelMap::creep`].
    pub fn creep(self, numbers: &Numbers<'_>) -> Option<Creep> {
        by_kind!(self, S => S::creep(numbers))
    }

    /// The numbers that sway so, see [`FeelMap::numbers`].
    pub fn numbers(self, sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        by_kind!(self, S => S::numbers(sway, now))
    }

    /// The system's numbers that serve these joints best, see [`FeelMap::system_numbers`].
    pub fn system_numbers(self, joints: &[(Sway, f32)], system: &ParamSet, frame: f32) -> Vec<(Row, f32)> {
        by_kind!(self, S => S::system_numbers(joints, system, frame))
    }

    /// Why a value has no effect, see [`Inspect::remark`].
    pub fn remark(self, row: Row, tuned: &impl TunedJoints) -> Option<Remark> {
        by_kind!(self, S => S::remark(row, tuned))
    }

    /// The numbers of a joint's rigid body, see [`FeelMap::body_numbers`].
    pub fn body_numbers(self, tip: Vec3, system: &ParamSet) -> Vec<(Row, f32)> {
        by_kind!(self, S => S::body_numbers(tip, system))
    }
}

fn asked(row: Row, rows: &mut Vec<Row>) -> f32 {
    rows.push(row);
    0.0
}

/// Where a solver's rule comes from, and so whose motion it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
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
    pub rows: Limits,
    /// The ends that the engine's editor sets where it makes a pivot, degrees.
    pub initial: [f32; 2],
    /// The axis of the pivot that the bone turns about, unit length.
    pub turns_about: Vec3,
    /// Where angles above 0 swing a bone that points along the pivot's X axis, unit length.
    pub positive: Vec3,
}

/// Whether something is so for a joint, with the values of its system.
pub type JointTest = fn(&ParamSet, &JointSetup) -> bool;

/// The improvements of a solver on its engine, which are the parameters with [`ParamDef::beyond`].
#[derive(Clone, Copy, Debug)]
pub struct Improvements {
    /// The row of the system that chooses between the engine's motion, 0, and the improved motion, 1.
    pub mode: Row,
    /// The switch of a parameter; `None` where the parameter acts without one.
    pub switch_of: fn(Row) -> Option<Row>,
    /// The value at which a parameter changes nothing.
    pub neutral: fn(Row) -> f32,
    /// Which joints a switch affects; `None` where it affects the whole character.
    pub reach: fn(Row) -> Option<JointTest>,
}

/// What a solver is, as plain data.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct SolverInfo {
    /// Its name in the closed list.
    pub kind: SolverKind,
    /// Where its rule comes from.
    pub origin: Origin,
    /// Every parameter it reads, once.
    pub params: &'static [ParamDef],
    /// What of [`Sway`] no numbers of this solver can express, and why, in one sentence.
    pub unsupported: &'static [(Term, &'static str)],
    /// One collider shape of each kind that its joints ever meet.
    pub shapes: &'static [Shape],
    /// Rows of joints that the engine keeps in an asset of its own, which several chains may share, in the order of the
    /// table.
    pub material: &'static [Row],
    /// Rows of where a joint's weight is in bone space, metres, where it swings such a thing.
    pub center: Option<[Row; 3]>,
    /// The row that chooses whose behaviour is shown, where runtimes of one format differ.
    pub preview: Option<Row>,
    /// The row of joints whose value, times the square of a step's seconds, is the share of an error that a step removes.
    pub step_share: Option<Row>,
    /// Length of a joint without child, metres, where the engine has a fixed one.
    pub leaf_length: Option<f32>,
    /// The curves over depth that the engine gives every chain: values at the root and at the last depth, eased between.
    pub default_curves: &'static [(Row, [f32; 2])],
    /// Its improvements on the engine, where it has any.
    pub improvements: Option<Improvements>,
    /// Name of the section with its joints in a dynamics CSV, where that is not its key.
    pub csv_section: Option<&'static str>,
    /// The angle limits that it measures in the frame of a joint's pivot.
    pub pivot_limits: &'static [PivotLimit],
    /// Whether joints have a pivot and length targets.
    pub pivots: bool,
    /// Whether the engine counts helper nodes among the children of a bone when it derives the bone's tip.
    pub counts_helpers: bool,
    /// Values of the system that the engine's own import of a setup sets back to their defaults.
    pub reset_by_import: &'static [Row],
    /// Where a joint's spring pulls the tip to.
    pub rest_target: RestTarget,
    /// Whether any chain may be assigned to it without being asked for.
    pub auto_assign: bool,
    /// Whether the pose that is shown can be taken for rest, see [`Dynamics::take_rest`].
    pub takes_rest: bool,
    /// Whether links between chains make them one body, so that one chain that leaves its bounds takes all others along.
    pub network: bool,
    /// Whether it reads where the component is, see [`SystemSetup::component`].
    pub reads_component: bool,
    /// Whether a joint's numbers are those of its tip: the engine keeps them on the particle there.
    pub reads_at_tips: bool,
}

impl SolverInfo {
    /// A component for Unity that can express everything, meets nothing and has nothing special.
    pub const fn new(kind: SolverKind, params: &'static [ParamDef]) -> Self {
        Self {
            kind,
            origin: Origin::Unity,
            params,
            unsupported: &[],
            shapes: &[],
            material: &[],
            center: None,
            preview: None,
            step_share: None,
            leaf_length: None,
            default_curves: &[],
            improvements: None,
            csv_section: None,
            pivot_limits: &[],
            pivots: false,
            counts_helpers: false,
            reset_by_import: &[],
            rest_target: RestTarget::ParentRotation,
            auto_assign: true,
            takes_rest: false,
            network: false,
            reads_component: false,
            reads_at_tips: false,
        }
    }

    /// Whether joints ever meet such a shape. Its numbers and the system's switches may still leave it without effect.
    pub fn supports(&self, shape: &Shape) -> bool {
        self.shapes.iter().any(|known| known.is_like(shape))
    }

    /// Whether an angle limit in the frame of the pivot is on; `get` is the value of a row.
    pub fn limits_act(&self, get: impl Fn(Row) -> f32) -> bool {
        self.pivot_limits.iter().any(|limit| get(limit.rows.active) != 0.0)
    }

    /// Whether it measures angle limits in the frame of a pivot.
    pub const fn limits_need_pivots(&self) -> bool {
        !self.pivot_limits.is_empty()
    }

    /// Why no numbers of this solver can express a term of feel; `None` where they can.
    pub fn why_not(&self, term: Term) -> Option<&'static str> {
        self.unsupported.iter().find(|(unsupported, _)| *unsupported == term).map(|(_, why)| *why)
    }
}

/// Where the tips of a system are and were; metres in the world.
pub trait Tips {
    /// Now.
    fn tip(&self, joint: usize) -> Vec3;
    /// What is drawn of a joint beside its bone and tip: ends of links. The tip again where there are none.
    fn drawn(&self, joint: usize) -> [Vec3; 2] {
        [self.tip(joint); 2]
    }
    /// Sum of the squared distances of some joints' tips, and of what is drawn of them, from a place; m².
    #[inline]
    fn spread(&self, joints: &[u32], from: Vec3) -> f32 {
        super::kernel::spread(joints, from, |joint| self.tip(joint as usize))
    }
    /// One step before.
    fn previous(&self, joint: usize) -> Vec3;
    /// Puts a tip somewhere.
    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3);
}

/// One way of moving chains.
pub trait Solver: Dynamics + FeelMap + Inspect {
    /// What it is.
    const INFO: SolverInfo;
}

/// What runs. Joints are numbered in the solver's own order, see [`Dynamics::order`].
pub trait Dynamics {
    /// Topology and rest data.
    type Rest: Clone + std::fmt::Debug;
    /// Baked numbers of one joint.
    type Params: Clone + std::fmt::Debug;
    /// Baked numbers of the whole system.
    type System: Clone + std::fmt::Debug;
    /// What steps change.
    type State: Clone + std::fmt::Debug + Tips;

    /// Orders, links and rest data, from the rest pose `world`; at set-up and on topology edits only.
    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Self::Rest, Self::State);
    /// The solver's number of each joint of the setup.
    fn order(rest: &Self::Rest) -> &[u32];
    /// One joint's numbers, at edit time. Asks for every row of joint scope.
    fn bake(get: impl FnMut(Row) -> f32) -> Self::Params;
    /// The system's numbers, at edit time. Asks for every row of system scope.
    fn bake_system(get: impl FnMut(Row) -> f32) -> Self::System;
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
    fn work(rest: &Self::Rest, _system: &Self::System, _dt: f32) -> Work {
        Work::of(work::JOINT * Self::order(rest).len() as u64)
    }
    /// Whether a joint that nothing animates goes on from its own rotation of the step before. Otherwise every frame
    /// starts with the pose as animation left it.
    fn keeps_rotations(_system: &Self::System) -> bool {
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
    fn take_rest(_rest: &mut Self::Rest, _state: &mut Self::State, _scene: &mut Scene<'_>) {}
    /// Turns one joint towards a tip, without time passing.
    fn point_at(rest: &Self::Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>);
}

/// From a solver's numbers to the response of a joint, and back.
pub trait FeelMap: Dynamics {
    /// How a joint with these numbers sways close to rest.
    fn sway(numbers: &Numbers<'_>) -> Sway;
    /// How a slow tip with these numbers comes home, where its own speed counts no longer; `None` where speed always counts.
    fn creep(_numbers: &Numbers<'_>) -> Option<Creep> {
        None
    }
    /// Steady pull on a joint's tip as it is posed now, m/s² in the world: gravity and constant forces, without wind. Most
    /// solvers pull alike in every pose.
    fn pull(_rest: &Self::Rest, _state: &Self::State, _joint: usize, numbers: &Numbers<'_>) -> Vec3 {
        Self::sway(numbers).pull
    }
    /// The joint's numbers that sway so as nearly as they can, within their ranges; rows of `now` that have no part in
    /// it are not among them.
    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)>;
    /// The system's numbers that serve joints of these sways and lengths best, where the engine has one number for all
    /// of them: the common part of their pulls, and the space whose motion they feel. Lengths are metres.
    fn system_numbers(_joints: &[(Sway, f32)], _system: &ParamSet, _frame: f32) -> Vec<(Row, f32)> {
        Vec::new()
    }
    /// The joint's numbers of a rigid body that carries the tip, `tip` being the way from head to tip in the bone's
    /// space, metres. Empty for solvers that swing points.
    fn body_numbers(_tip: Vec3, _system: &ParamSet) -> Vec<(Row, f32)> {
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
    pub(super) still: Still<'a>,
}

/// What the viewport asks between two steps.
pub trait Inspect: Dynamics {
    /// Distance from head to tip in the rest pose, metres.
    fn length(rest: &Self::Rest, joint: usize) -> f32 {
        Self::tip_offset(rest, joint).length()
    }
    /// From head to tip in the bone's own turning space, metres: rotate it by the bone to know where it points.
    fn tip_offset(rest: &Self::Rest, joint: usize) -> Vec3;
    /// The ball of the joint that meets colliders; `None` where it meets nothing.
    fn contact_ball<'a>(_query: &ContactQuery<'a, Self>) -> Option<ContactBall<'a>> {
        None
    }
    /// The nearest surface of a collider to a joint's ball, as this solver scales and switches colliders; `None` where
    /// there is none.
    fn surface(query: &ContactQuery<'_, Self>, ball: &ContactBall<'_>, collider: u32) -> Option<Surface> {
        let (collider, frame) = query.still.collider(collider);
        WorldCollider::plain(collider, frame).surface(ball.center)
    }
    /// Tells `found` of each link of a network: its kind, the joints whose points it keeps apart, and where these are, metres
    /// in the world. A point beyond the last joint of a chain counts as that joint's. Chains without links tell of none.
    fn links(_rest: &Self::Rest, _state: &Self::State, _found: impl FnMut(LinkKind, [usize; 2], [Vec3; 2])) {}
    /// How far a bone that leads others is from its place, metres; `None` for any other.
    fn sync_offset(_rest: &Self::Rest, _bone: BoneId, _frames: &[Frame]) -> Option<f32> {
        None
    }
    /// Why a value of the tuned joints or their system has no effect, or another effect than its name suggests; `None`
    /// where it acts, and for solvers without such an explanation.
    fn remark(_row: Row, _tuned: &impl TunedJoints) -> Option<Remark> {
        None
    }
    /// Seconds on the clock of what the system's component blows; `None` where nothing of the kind has one.
    fn clock(_state: &Self::State) -> Option<f32> {
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
    pub ez: EzSetup,
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
    fn known_colliders<'a>(&self, joint: &'a JointSetup) -> impl Iterator<Item = u32> + use<'a> {
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
            ez: EzSetup::default(),
            dynamic_bone: DynamicBoneSetup::default(),
            joint_dynamics: JointDynamicsSetup::default(),
            kawaii: KawaiiSetup::default(),
            anim_dynamics: AnimDynamicsSetup::default(),
        }
    }
}

/// The bones whose frames joints read: pivots, centers, colliders, forces, and what lengths are kept to.
pub(in crate::sim) fn read_bones(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    setup.joints.iter().flat_map(read_by).chain(read_by_all(setup))
}

/// The bones that one joint reads alone.
fn read_by(joint: &JointSetup) -> impl Iterator<Item = BoneId> {
    joint.pivot.into_iter().chain(joint.length_targets.iter().map(|t| t.bone))
}

/// The bones that any joint may read.
fn read_by_all(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let named = setup.component.into_iter().chain(setup.dynamic_bone.reference).chain(setup.ez.bones());
    let placed = setup.colliders.iter().map(|c| c.bone).chain(setup.forces.iter().map(|f| f.bone));
    centers.chain(named).chain(placed)
}

/// Which bones are among these or carry one somewhere below.
pub(in crate::sim) fn with_ancestors(skeleton: &Skeleton, bones: impl Iterator<Item = BoneId>) -> Vec<bool> {
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
