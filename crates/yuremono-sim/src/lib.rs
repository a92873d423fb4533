//! Secondary motion of hair, skirts, tails and ribbons, under the rules of nine engines.
//!
//! [`World`] owns the systems of a character and steps them in fixed ticks. Each solver is a set of stateless functions
//! behind [`Solver`], in `solver/<name>`, written like its specification and tested against recordings of the original.
//! The solvers have no bone names, no curves along chains and no clock. A step allocates nothing, never returns NaN, and
//! gives the same bits for the same inputs. The crate opens no files, starts no threads and needs no GPU.
//!
//! Positions are in metres, angles of parameters in degrees, in the space of glTF: right-handed, +Y up. [`params`] has
//! the table of each solver's parameters with units, ranges and defaults.
//!
//! # VRM springs on the nodes of a glTF
//!
//! A joint is a bone whose tip swings. The nodes come from any glTF reader, parents before children.
//!
//! ```
//! use yuremono_sim::math::Trs;
//! use yuremono_sim::params::ParamSet;
//! use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
//! use yuremono_sim::solver::vrm;
//! use yuremono_sim::{JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};
//! use glam::{Quat, Vec3};
//!
//! let nodes = [("head", None, [0.0, 1.5, 0.0]), ("hair", Some(0), [0.0, 0.1, -0.1]), ("hair end", Some(1), [0.0, -0.2, 0.0])];
//! let bones = nodes.map(|(name, parent, translation)| Bone {
//!     name: name.to_owned(),
//!     parent: parent.map(BoneId),
//!     rest: Trs::from_translation(Vec3::from(translation)),
//! });
//! let skeleton = Skeleton::new(bones.to_vec())?;
//! let params = SolverKind::Vrm.info().params;
//! let mut values = ParamSet::defaults(params);
//! values.set(vrm::STIFFNESS, 0.8);
//! values.set(vrm::GRAVITY_POWER, 0.1);
//! let hair = JointSetup { tip: TipSetup::Bones(vec![BoneId(2)]), ..JointSetup::new(BoneId(1), values) };
//! let system = SystemSetup { joints: vec![hair], ..SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(params)) };
//! let mut world = World::build(&skeleton, &[system]);
//!
//! let mut pose = Pose::rest(&skeleton);
//! pose.local[0].rotation = Quat::from_rotation_y(1.0);
//! world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / 60.0 });
//! let swung: Quat = world.pose().local[1].rotation;
//! assert!(swung.angle_between(Quat::IDENTITY) > 0.01);
//! # Ok::<(), yuremono_sim::rig::SkeletonError>(())
//! ```
//!
//! # A chain under `UnityChanSpringBone`, with a sphere
//!
//! ```
//! use yuremono_sim::math::Trs;
//! use yuremono_sim::params::ParamSet;
//! use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
//! use yuremono_sim::solver::spring_bone::{RADIUS, SPRING_FORCE, STIFFNESS};
//! use yuremono_sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};
//! use glam::Vec3;
//!
//! let bone = |id: u32| Bone {
//!     name: format!("skirt {id}"),
//!     parent: id.checked_sub(1).map(BoneId),
//!     rest: Trs::from_translation(Vec3::new(0.0, -0.1, 0.0)),
//! };
//! let skeleton = Skeleton::new((0..4).map(bone).collect())?;
//! let (solver, leg) = (SolverKind::UnityChanSpringBone, ColliderShape::Sphere { radius: 0.08, inside: false });
//! let mut values = ParamSet::defaults(solver.info().params);
//! values.set(STIFFNESS, 400.0);
//! values.set(SPRING_FORCE[1], -10.0);
//! values.set(RADIUS, 0.02);
//! let tip = |id: u32| if id < 3 { TipSetup::Bones(vec![BoneId(id + 1)]) } else { TipSetup::Offset(Vec3::Y * -0.1) };
//! let joint = |id: u32| JointSetup { tip: tip(id), colliders: vec![0], ..JointSetup::new(BoneId(id), values.clone()) };
//! let system = SystemSetup {
//!     joints: (1..4).map(joint).collect(),
//!     colliders: vec![ColliderSetup::new(BoneId(0), leg)],
//!     ..SystemSetup::new(solver, ParamSet::defaults(solver.info().params))
//! };
//! let mut world = World::build(&skeleton, &[system]);
//!
//! let mut pose = Pose::rest(&skeleton);
//! for tick in 0..120_u32 {
//!     pose.local[0].translation.x = 0.2 * (tick as f32 * 0.1).sin();
//!     world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / 60.0 });
//! }
//! let end = world.frames().frame(BoneId(3)).position;
//! assert!(end.is_finite() && end.distance(world.frames().frame(BoneId(0)).position) < 0.31);
//! # Ok::<(), yuremono_sim::rig::SkeletonError>(())
//! ```

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
mod test_wind;
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
    AimedJoint, ContactQuery, Dynamics, HingeParams, Improvements, Inspect, JointPredicate, JointSetup, LengthScale,
    LengthTarget, PivotLimit, ResponseModel, Solver, SolverInfo, SolverKind, SolverOrigin, SystemSetup, TipSetup,
    TipState,
};
pub use step_pose::{PosedScene, StepPose};
pub use test_wind::{TestWind, WindMoment};
pub use workload::{CountReduction, Workload};
pub use world::{Contact, JointGrab, JointIndex, NetworkLink, StepInput, World};
