//! Simulation of secondary motion.
//!
//! [`World`] owns the systems of a character and steps them in fixed ticks. Each solver is a set of stateless functions
//! behind [`Solver`], in `solver/<name>`, written like its specification. This module has no bone names, no curves
//! along chains and no clock. A step allocates nothing and never returns NaN.

pub mod diagnostics;
pub mod math;
pub mod params;
pub mod rig;
#[macro_use]
pub mod solver;

mod collider;
mod force;
mod high_leg;
mod joint_grab;
pub mod linear_spring;
mod param_warning;
mod probe;
pub mod push;
mod response;
mod shape;
mod step_pose;
#[cfg(test)]
mod test_support;
mod vec_util;
mod workload;
mod world;

pub use collider::{ContactSphere, SurfacePoint};
pub use force::{ForceKind, ForceSetup, Wind};
pub use high_leg::HighLegSetup;
pub use joint_grab::GrabTarget;
pub use param_warning::{JointFeature, ParamWarning, TunedJoints};
pub use probe::{TipPart, TipParts};
pub use response::{
    ChainJoint, FeelParam, OverdampedReturn, ResponseInput, RestTarget, SpringResponse, UNLIMITED_ANGLE_DEG,
    convert_rest_target,
};
pub use shape::{ColliderSetup, ColliderShape, ShapeClass};
pub use solver::anim_dynamics::AnimDynamicsSetup;
pub use solver::dynamic_bone::DynamicBoneSetup;
pub use solver::ez_soft_bone::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};
pub use solver::joint_dynamics::{
    Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce,
};
pub use solver::kawaii::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};
pub use solver::vrm::{SwingLimit, SwingShape, VrmJoint};
pub use solver::{
    AimedJoint, ContactQuery, Dynamics, Improvements, Inspect, JointPredicate, JointSetup, LengthScale, LengthTarget,
    PivotLimit, ResponseModel, Solver, SolverInfo, SolverKind, SolverOrigin, SystemSetup, TipSetup, TipState,
};
pub use step_pose::{PosedScene, StepPose};
pub use workload::{CountReduction, Workload};
pub use world::{Contact, JointGrab, JointIndex, NetworkLink, StepInput, World};
