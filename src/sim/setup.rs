use crate::rig::BoneId;
use crate::schema::ParamSet;
use crate::sim::SolverKind;
use glam::Vec3;

use super::force::ForceKind;
use super::shape::Shape;
use super::solver::anim_dynamics::AnimDynamicsSetup;
use super::solver::dynamic_bone::DynamicBoneSetup;
use super::solver::ez_soft_bone::EzSetup;
use super::solver::joint_dynamics::JointDynamicsSetup;
use super::solver::kawaii::KawaiiSetup;
use super::solver::vrm::VrmJoint;

/// Where a joint's tip sits in the rest pose.
#[derive(Clone, Debug, PartialEq)]
pub enum TipSetup {
    /// As the solver derives it from these bones; none means that the bone is a leaf.
    Bones(Vec<BoneId>),
    /// A point in the bone's own space, metres.
    Offset(Vec3),
}

/// A bone that a tip keeps its distance to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthTarget {
    /// The other bone; its distance in the rest pose is kept.
    pub bone: BoneId,
    /// How hard, 1/s²; `None` takes the joint's own.
    pub constant: Option<f32>,
}

/// One joint as a solver gets it: every value resolved to one number.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSetup {
    /// The bone that turns.
    pub bone: BoneId,
    /// Where its tip is.
    pub tip: TipSetup,
    /// One number per row of the solver's table.
    pub values: ParamSet,
    /// Reference frame of the angle limits.
    pub pivot: Option<BoneId>,
    /// What the tip keeps its distance to.
    pub length_targets: Vec<LengthTarget>,
    /// Positions in [`SystemSetup::colliders`] in the order in which they are tested.
    pub colliders: Vec<u32>,
    /// Joints of one chain share a number, so that a grabbed tip moves its chain only.
    pub chain: u32,
    /// A joint that is off keeps its animated pose. Read again by [`World::bake`](super::World::bake).
    pub enabled: bool,
    /// Flagged in the engine as moved by animation, for solvers that blend.
    pub animated: bool,
}

/// A shape on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderSetup {
    /// What it hangs on; usually a helper.
    pub bone: BoneId,
    /// What it is.
    pub shape: Shape,
    /// Its own switch.
    pub enabled: bool,
    /// Whether the renderer that it is linked to draws; true where it is linked to none.
    pub renderer_on: bool,
}

impl ColliderSetup {
    /// A collider that is on.
    pub fn new(bone: BoneId, shape: Shape) -> Self {
        Self { bone, shape, enabled: true, renderer_on: true }
    }
}

/// Moving air or a steady force, placed and aimed by a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSetup {
    /// Where it stands; its +Z is where the force goes.
    pub bone: BoneId,
    /// What it is.
    pub kind: ForceKind,
    /// Its own switch.
    pub enabled: bool,
}

/// A node that leans with the thigh that is raised highest: a frame for the middle columns of a skirt.
#[derive(Clone, Debug, PartialEq)]
pub struct HighLegSetup {
    /// What is turned.
    pub bone: BoneId,
    /// Whose forward and up are meant.
    pub hip: BoneId,
    /// Start and end of each leg.
    pub legs: Vec<[BoneId; 2]>,
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
