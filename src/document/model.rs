//! The document.

use crate::document::base_motion::{MAX_BASE_MOTION_DEPTH, MotionRef};
use crate::document::{
    Chain, ChainId, ColliderId, ForceId, GestureId, GroupId, HelperId, HighLegId, Joint, MapNodes, Material,
    MaterialId, MissingBones, Node, Setup, System, SystemId,
};
use crate::params::{ParamDef, ParamId, ParamSet};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::SolverKind;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// All that is authored on one character: saved, undone and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What is authored, over bones of the skeleton and helpers.
    pub setup: Setup,
    /// Bones that the rest may speak of and the character lacks.
    pub missing_bones: MissingBones,
}

impl Default for Document {
    fn default() -> Self {
        Self::with_solver(SolverKind::default())
    }
}

impl Deref for Document {
    type Target = Setup;

    fn deref(&self) -> &Setup {
        &self.setup
    }
}

impl DerefMut for Document {
    fn deref_mut(&mut self) -> &mut Setup {
        &mut self.setup
    }
}

impl Document {
    /// An empty document whose chains move by that solver.
    pub fn with_solver(solver: SolverKind) -> Self {
        Self { setup: Setup::with_solver(solver), missing_bones: MissingBones::default() }
    }

    /// The first system: the one that files and tables of one solver tell of.
    pub fn main_system_id(&self) -> SystemId {
        *self.systems.first_key_value().expect("a document has a system").0
    }

    /// As `PatchableJson::main_system_id`.
    pub fn main_system(&self) -> &System {
        self.systems.first_key_value().expect("a document has a system").1
    }

    /// As `PatchableJson::main_system_id`, to write to.
    pub fn main_system_mut(&mut self) -> &mut System {
        self.systems.first_entry().expect("a document has a system").into_mut()
    }

    /// The system that moves a chain; the first where the chain names one that is not there.
    pub fn system_of(&self, chain: &Chain) -> &System {
        self.systems.get(&chain.system).unwrap_or_else(|| self.main_system())
    }

    /// The solver that moves a chain.
    pub fn solver_of(&self, chain: &Chain) -> SolverKind {
        self.system_of(chain).solver
    }

    /// The per-character values that a chain moves by, one per row of `PatchableJson::param_defs_of`.
    pub fn system_values_of(&self, chain: &Chain) -> &ParamSet {
        &self.system_of(chain).values
    }

    /// The table that a chain's rows stand in.
    pub fn param_defs_of(&self, chain: &Chain) -> &'static [ParamDef] {
        self.system_of(chain).param_defs()
    }

    /// The place along its curves where each joint of a chain reads its numbers, 0..=1: that of its head, or of its tip
    /// where the engine reads them there. `rest` are the frames of the rest pose.
    pub fn curve_positions_in_pose(&self, chain: &Chain, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        if self.solver_of(chain).info().params_at_tips {
            chain.tip_curve_positions_in_pose(rest, skeleton)
        } else {
            chain.curve_positions_in_pose(rest, skeleton)
        }
    }

    /// As `PatchableJson::curve_positions_in_pose`.
    pub fn curve_positions(&self, chain: &Chain, skeleton: &Skeleton) -> Vec<f32> {
        self.curve_positions_in_pose(chain, &WorldPose::from_pose(skeleton, &Pose::rest(skeleton)), skeleton)
    }

    /// The chains that one solver moves, by whichever system.
    pub fn chains_with_solver(&self, solver: SolverKind) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| self.solver_of(chain) == solver).map(|(id, chain)| (*id, chain))
    }

    /// The solvers that move chains, and that of the first system, in the order in which solvers are listed.
    pub fn used_solvers(&self) -> Vec<SolverKind> {
        let used =
            |kind: &SolverKind| self.main_system().solver == *kind || self.chains_with_solver(*kind).next().is_some();
        SolverKind::ALL.iter().copied().filter(used).collect()
    }

    /// The first system of that solver.
    pub fn system_with_solver(&self, solver: SolverKind) -> Option<(SystemId, &System)> {
        self.systems.iter().find(|(_, system)| system.solver == solver).map(|(id, system)| (*id, system))
    }

    /// A system id that is not taken.
    pub fn next_system_id(&self) -> SystemId {
        SystemId(self.systems.last_key_value().map_or(0, |(id, _)| id.0 + 1))
    }

    /// A chain id that is not taken.
    pub fn next_chain_id(&self) -> ChainId {
        ChainId(self.chains.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A helper id that is not taken.
    pub fn next_helper_id(&self) -> HelperId {
        HelperId(self.helpers.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A collider id that is not taken.
    pub fn next_collider_id(&self) -> ColliderId {
        ColliderId(self.colliders.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A group id that is not taken.
    pub fn next_group_id(&self) -> GroupId {
        GroupId(self.groups.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// What a joint is pushed by, in the order in which it is tested: its chain's groups, then its own colliders.
    pub fn colliders_of<'a>(&'a self, chain: &'a Chain, joint: &'a Joint) -> impl Iterator<Item = ColliderId> + 'a {
        let groups = chain.groups.iter().filter_map(|id| self.groups.get(id));
        groups.flat_map(|group| &group.colliders).chain(&joint.colliders).copied()
    }

    /// A force id that is not taken.
    pub fn next_force_id(&self) -> ForceId {
        ForceId(self.forces.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A high-leg id that is not taken.
    pub fn next_high_leg_id(&self) -> HighLegId {
        HighLegId(self.high_legs.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A gesture id that is not taken.
    pub fn next_gesture_id(&self) -> GestureId {
        GestureId(self.gestures.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The chain that a bone is a joint of, and which joint.
    pub fn find_joint(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chains.iter().find_map(|(id, chain)| chain.joint_index(bone).map(|joint| (*id, joint)))
    }

    /// Total number of joints.
    pub fn joint_count(&self) -> usize {
        self.chains.values().map(|c| c.joints.len()).sum()
    }

    /// A material id that is not taken.
    pub fn next_material_id(&self) -> MaterialId {
        MaterialId(self.materials.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The material that a chain has.
    pub fn material_of(&self, chain: &Chain) -> Option<&Material> {
        self.materials.get(&chain.material?)
    }

    /// The material that holds a row of a chain.
    pub fn material_with_param(&self, chain: ChainId, row: ParamId) -> Option<MaterialId> {
        let id = self.chains.get(&chain)?.material?;
        self.materials.get(&id)?.values.contains_key(&row).then_some(id)
    }

    /// The chains that have a material.
    pub fn chains_with_material(&self, id: MaterialId) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| chain.material == Some(id)).map(|(id, chain)| (*id, chain))
    }

    /// `wanted`, or with a number behind it where another material than `but` has that name.
    pub fn unique_material_name(&self, wanted: &str, but: Option<MaterialId>) -> String {
        let others = self.materials.iter().filter(|(id, _)| Some(**id) != but);
        let taken: Vec<&str> = others.map(|(_, material)| material.name.as_str()).collect();
        let mut names = std::iter::once(wanted.to_owned()).chain((2..).map(|n| format!("{wanted} {n}")));
        names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
    }

    /// Lost bones that something hangs on, with their names; where bones are only excluded, nothing hangs on them.
    pub fn missing_bones_in_use(&self) -> Vec<(BoneId, String)> {
        let mut used = BTreeSet::new();
        let mut walk = MapNodes(|node| {
            if let Node::Bone(bone) = node {
                used.insert(bone);
            }
            node
        });
        _ = Setup { excluded_bones: BTreeSet::new(), ..self.setup.clone() }.map_naming(&mut walk);
        used.into_iter().filter_map(|bone| Some((bone, self.missing_bones.path(bone)?.name.clone()))).collect()
    }

    /// How many gestures lie under one, each over the next; [`MAX_BASE_MOTION_DEPTH`] and one more where there are too many, or where
    /// they lie in a ring.
    pub fn base_motion_depth(&self, id: GestureId) -> usize {
        let below = |id: &GestureId| match self.base_motions.get(id)?.motion {
            MotionRef::Gesture(under) => Some(under),
            MotionRef::Test(_) | MotionRef::Clip(_) => None,
        };
        std::iter::successors(Some(id), below).skip(1).take(MAX_BASE_MOTION_DEPTH + 1).count()
    }
}
