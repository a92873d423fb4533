//! Floor 2: the simulation.
//!
//! [`World`] holds one character's systems and steps them on a fixed clock; each way of moving a chain is one
//! stateless function behind [`Solver`], in `solver/<name>.rs`, reading like its specification. No bone names,
//! no curves along chains and no clock are known here, nothing is allocated during a step, and no NaN leaves it.

#[macro_use]
pub mod solver;

mod anim_setup;
mod collider;
mod dynamic_bone_setup;
mod ez_setup;
mod force;
mod fours;
mod high_leg;
mod hold;
mod joint_dynamics_setup;
mod kawaii_setup;
mod kernel;
pub mod push;
mod scene;
mod setup;
mod shape;
mod sway;
mod tidy;
pub mod unify;
mod vrm_setup;
mod wind;
mod work;
mod world;

pub use anim_setup::AnimDynamicsSetup;
pub use collider::{ContactBall, Overlap, Surface};
pub use dynamic_bone_setup::DynamicBoneSetup;
pub use ez_setup::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};
pub use force::{ForceKind, Wind};
pub use joint_dynamics_setup::{
    Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce,
};
pub use kawaii_setup::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};
pub use scene::{Scene, Still};
pub use setup::{ColliderSetup, ForceSetup, HighLegSetup, JointSetup, LengthTarget, SystemSetup, TipSetup};
pub use shape::{Form, Shape};
pub use solver::{Dynamics, FeelMap, Inspect, Origin, Solver, SolverInfo, SolverKind, Tips};
pub use sway::{Creep, Numbers, OPEN_DEG, Sway, Term};
pub use vrm_setup::{SwingLimit, SwingShape, VrmJoint};
pub use work::{Cut, Work};
pub use world::{Contact, Hold, JointIndex, Link, StepInput, TipForces, World};
