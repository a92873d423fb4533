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
pub mod linear_spring;
mod param_warning;
pub mod push;
mod response;
mod rest_target;
mod scene;
mod setup;
mod shape;
mod tip_grab;
mod vec_util;
mod wind;
mod workload;
mod world;

pub use collider::{ContactSphere, SurfacePoint};
pub use force::{ForceKind, Wind};
pub use param_warning::{JointFeature, ParamWarning, TunedJoints};
pub use response::{FeelParam, OverdampedReturn, ResponseInput, SpringResponse, UNLIMITED_ANGLE_DEG};
pub use rest_target::{ChainJoint, RestTarget, convert_rest_target};
pub use scene::{PosedScene, Scene};
pub use setup::{ColliderSetup, ForceSetup, HighLegSetup, JointSetup, LengthTarget, TipSetup};
pub use shape::{ColliderShape, ShapeClass};
pub use solver::anim_dynamics::AnimDynamicsSetup;
pub use solver::dynamic_bone::DynamicBoneSetup;
pub use solver::ez_soft_bone::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};
pub use solver::joint_dynamics::{
    Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce,
};
pub use solver::kawaii::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};
pub use solver::vrm::{SwingLimit, SwingShape, VrmJoint};
pub use solver::{
    ContactQuery, Dynamics, Improvements, Inspect, JointPredicate, PivotLimit, ResponseModel, Solver, SolverInfo,
    SolverKind, SolverOrigin, SystemSetup, TipState,
};
pub use workload::{CountReduction, Workload};
pub use world::{Contact, JointIndex, NetworkLink, StepInput, TipForces, TipGrab, World};
