//! The simulation.
//!
//! [`World`] holds one character's systems and steps them on a fixed clock; each way of moving a chain is one
//! stateless function behind [`Solver`], in `solver/<name>.rs`, reading like its specification. No bone names,
//! no curves along chains and no clock are known here, nothing is allocated during a step, and no NaN leaves it.

#[macro_use]
pub mod solver;

mod collider;
mod force;
mod high_leg;
mod hold;
mod kernel;
pub mod push;
mod remark;
mod rest_target;
mod scene;
mod setup;
mod shape;
mod sway;
pub mod unify;
mod wind;
mod work;
mod world;

pub use collider::{ContactBall, Surface};
pub use force::{ForceKind, Wind};
pub use remark::{JointPart, Remark, TunedJoints};
pub use rest_target::{ChainLink, RestTarget, retarget};
pub use scene::{Scene, Still};
pub use setup::{ColliderSetup, ForceSetup, HighLegSetup, JointSetup, LengthTarget, TipSetup};
pub use shape::{Form, Shape};
pub use solver::anim_dynamics::AnimDynamicsSetup;
pub use solver::dynamic_bone::DynamicBoneSetup;
pub use solver::ez_soft_bone::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};
pub use solver::joint_dynamics::{
    Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce,
};
pub use solver::kawaii::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};
pub use solver::vrm::{SwingLimit, SwingShape, VrmJoint};
pub use solver::{
    ContactQuery, Dynamics, FeelMap, Improvements, Inspect, JointTest, Origin, PivotLimit, Solver, SolverInfo,
    SolverKind, SystemSetup, Tips,
};
pub use sway::{Creep, Numbers, OPEN_DEG, Sway, Term};
pub use work::{Cut, Work};
pub use world::{Contact, Hold, JointIndex, Link, StepInput, TipForces, World};
