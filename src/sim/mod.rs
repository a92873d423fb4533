//! Floor 2: the simulation.
//!
//! [`World`] holds one character's systems and steps them on a fixed clock; each way of moving a chain is one
//! stateless function behind [`Solver`], in `solver/<name>.rs`, reading like its specification. No bone names,
//! no curves along chains and no clock are known here, nothing is allocated during a step, and no NaN leaves it.

mod anim_setup;
mod collide;
mod dynamic_bone_setup;
mod ez_setup;
mod force;
mod fours;
mod high_leg;
mod hold;
mod joint_dynamics_setup;
mod kawaii_setup;
mod kernel;
mod rest_target;
mod scene;
mod setup;
mod shape;
pub mod solver;
mod sway;
mod tidy;
pub mod unify;
mod vrm_setup;
mod wind;
mod work;
mod world;

pub use anim_setup::AnimDynamicsSetup;
pub use collide::push;
pub use dynamic_bone_setup::DynamicBoneSetup;
pub use ez_setup::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};
pub use force::{ForceKind, Wind};
pub use joint_dynamics_setup::{
    Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce,
};
pub use kawaii_setup::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};
pub use rest_target::{ChainLink, RestTarget, retarget};
pub use scene::{Overlap, Scene, Still};
pub use setup::{ColliderSetup, ForceSetup, HighLegSetup, JointSetup, LengthTarget, SystemSetup, TipSetup};
pub use shape::{Form, Shape};
pub use sway::{Creep, Numbers, OPEN_DEG, Sway, Term};
pub use vrm_setup::{SwingLimit, SwingShape, VrmJoint};
pub use work::{Cut, Work};
pub use world::{Contact, Hold, JointIndex, Link, StepInput, TipForces, World};

use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{ParamDef, ParamSet, Row, SolverKind};
use glam::Vec3;

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
        kernel::spread(joints, from, |joint| self.tip(joint as usize))
    }
    /// One step before.
    fn previous(&self, joint: usize) -> Vec3;
    /// Puts a tip somewhere.
    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3);
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
    /// The row that switches the limit on.
    pub active: Row,
    /// The axis of the pivot that the bone turns about, unit length.
    pub turns_about: Vec3,
    /// Where angles above 0 swing a bone that points along the pivot's X axis, unit length.
    pub positive: Vec3,
}

/// One way of moving a chain. Joints are numbered in the solver's own order, see [`Solver::order`].
pub trait Solver {
    /// Its name in the closed list.
    const KIND: SolverKind;
    /// Every parameter it reads, once.
    const PARAMS: &'static [ParamDef];
    /// What of [`Sway`] no numbers of this solver can say, and why, in one sentence.
    const CANNOT: &'static [(Term, &'static str)];
    /// Rows of joints that the engine keeps in an asset of its own, which several chains may share.
    const MATERIAL: &'static [Row] = &[];
    /// Whether any chain may come under it unasked.
    const TAKES_ANY: bool = true;
    /// Rows of where a joint's weight sits in bone space, metres, where it swings such a thing.
    const CENTER: Option<[Row; 3]> = None;
    /// The row that chooses whose ways are shown, where runtimes of one format differ.
    const PREVIEW: Option<Row> = None;
    /// Whether the pose that is shown can be taken for rest, see [`Solver::take_rest`].
    const TAKES_REST: bool = false;
    /// The row of joints whose value, times the square of a step's seconds, is the share of an error that a step removes.
    const STEP_SHARE: Option<Row> = None;
    /// Whether links between chains make them one body, so that one chain that leaves its bounds takes all others along.
    const NETWORK: bool = false;
    /// The angle limits that it measures in the frame of a joint's pivot.
    const PIVOT_LIMITS: &'static [PivotLimit] = &[];
    /// Where a joint's spring pulls the tip to.
    const REST_TARGET: RestTarget = RestTarget::ParentRotation;
    /// Where its rule comes from.
    const ORIGIN: Origin = Origin::Unity;
    /// Topology and rest data.
    type Rest: Clone + std::fmt::Debug;
    /// Baked numbers of one joint.
    type Params: Clone + std::fmt::Debug;
    /// Baked numbers of the whole system.
    type System: Clone + std::fmt::Debug;
    /// What steps change.
    type State: Clone + std::fmt::Debug + Tips;

    /// Whether joints ever meet such a shape, or have no way to feel it. Its numbers and the system's switches may
    /// still leave it without effect.
    fn knows(shape: &Shape) -> bool;
    /// Orders, links and rest data, from the rest pose `world`; at set-up and on topology edits only.
    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Self::Rest, Self::State);
    /// The solver's number of each joint of the setup.
    fn order(rest: &Self::Rest) -> &[u32];
    /// One joint's numbers, at edit time. Asks for every row of joint scope.
    fn bake(get: impl FnMut(Row) -> f32) -> Self::Params;
    /// The system's numbers, at edit time. Asks for every row of system scope.
    fn bake_system(get: impl FnMut(Row) -> f32) -> Self::System;
    /// Length of a step, seconds, by the system's numbers where a frame of the engine lasts `frame`.
    fn step_seconds(system: &ParamSet, frame: f32) -> f32;
    /// Whether time runs alike at every frame rate of the players: steps follow the frame, or are kept to seconds.
    fn keeps_pace(_system: &ParamSet) -> bool {
        true
    }
    /// The work of one step of a world whose frame lasts `dt` seconds. What exceeds the bound is not done by
    /// [`Solver::solve`] either.
    fn work(rest: &Self::Rest, _system: &Self::System, _dt: f32) -> Work {
        Work::of(work::JOINT * Self::order(rest).len() as u64)
    }
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
    /// Whether a joint that nothing animates goes on from its own rotation of the step before. Otherwise every frame
    /// begins with the pose as animation left it.
    fn keeps_rotations(_system: &Self::System) -> bool {
        true
    }
    /// Reads again what of the setup is neither topology nor a row: what is switched on, and pulls of single targets.
    fn switch(rest: &mut Self::Rest, setup: &SystemSetup);
    /// One step of a world whose frame lasts `dt` seconds; writes rotations and tips.
    fn solve(
        rest: &Self::Rest,
        params: &[Self::Params],
        system: &Self::System,
        state: &mut Self::State,
        scene: &mut Scene<'_>,
        dt: f32,
    );
    /// Turns every joint to its rest rotation and lets its tip stand still there.
    fn rest_tips(rest: &Self::Rest, state: &mut Self::State, scene: &mut Scene<'_>);
    /// Seconds on the clock of what the system's component blows; `None` where nothing of the kind has one.
    fn clock(_state: &Self::State) -> Option<f32> {
        None
    }
    /// How far a bone that leads others stands from its place, metres; `None` for any other.
    fn moved(_rest: &Self::Rest, _bone: BoneId, _frames: &[Frame]) -> Option<f32> {
        None
    }
    /// After a change of topology: goes on with the clocks of the state before.
    fn inherit(state: &mut Self::State, before: &Self::State);
    /// Takes the pose as it stands for the rest pose, with no speed. A solver whose rest pose is the file's does nothing.
    fn take_rest(_rest: &mut Self::Rest, _state: &mut Self::State, _scene: &mut Scene<'_>) {}
    /// Turns one joint towards a tip, without time passing.
    fn aim(rest: &Self::Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>);
    /// Distance from head to tip in the rest pose, metres.
    fn length(rest: &Self::Rest, joint: usize) -> f32;
    /// From head to tip in the bone's own turning space, metres: rotate it by the bone to know where it points.
    fn tip_offset(rest: &Self::Rest, joint: usize) -> Vec3;
    /// Tells `found` of each collider, and of the ground, that a joint's tip at `tip` overlaps or touches.
    fn overlaps(
        rest: &Self::Rest,
        joint: usize,
        params: &Self::Params,
        system: &Self::System,
        tip: Vec3,
        still: Still<'_>,
        found: impl FnMut(Overlap),
    );
    /// Tells `found` of each link of a network: its kind, the joints whose points it keeps apart, and where these are, metres
    /// in the world. A point beyond the last joint of a chain counts as that joint's. Chains without links tell of none.
    fn links(_rest: &Self::Rest, _state: &Self::State, _found: impl FnMut(LinkKind, [usize; 2], [Vec3; 2])) {}
}
