//! The type [`Document`] and its queries.

use crate::document::{
    Chain, ChainId, ChainPart, ColliderId, ForceId, GestureId, GroupId, HelperId, HighLegId, Joint,
    MAX_BASE_MOTION_DEPTH, MapReferences, Material, MaterialId, MissingBones, MotionRef, Node, Setup, System, SystemId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use yuremono_sim::SolverKind;
use yuremono_sim::params::{ParamDef, ParamId, ParamSet};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// All data that is authored on one character. The document is saved, undone and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The setup, which refers to bones of the skeleton and to helpers.
    pub setup: Setup,
    /// Bones to which the setup may refer but which the character lacks.
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
    /// Creates an empty document with one system of this solver.
    pub fn with_solver(solver: SolverKind) -> Self {
        Self { setup: Setup::with_solver(solver), missing_bones: MissingBones::default() }
    }

    /// Returns the id of the first system, which is the only one in files for one solver.
    pub fn main_system_id(&self) -> SystemId {
        *self.systems.first_key_value().expect("a document has a system").0
    }

    pub fn main_system(&self) -> &System {
        self.systems.first_key_value().expect("a document has a system").1
    }

    pub fn main_system_mut(&mut self) -> &mut System {
        self.systems.first_entry().expect("a document has a system").into_mut()
    }

    /// Returns the system of a chain, or the first system if the chain's system is missing.
    pub fn system_of(&self, chain: &Chain) -> &System {
        self.systems.get(&chain.system).unwrap_or_else(|| self.main_system())
    }

    pub fn solver_of(&self, chain: &Chain) -> SolverKind {
        self.system_of(chain).solver
    }

    /// Returns the system values that a chain uses, one per entry of [`Document::param_defs_of`].
    pub fn system_values_of(&self, chain: &Chain) -> &ParamSet {
        &self.system_of(chain).values
    }

    /// Returns the parameter table of a chain's solver.
    pub fn param_defs_of(&self, chain: &Chain) -> &'static [ParamDef] {
        self.system_of(chain).param_defs()
    }

    /// Returns the position at which each joint of a chain evaluates its curves, 0 to 1: the position of the joint's
    /// head, or of its tip if the solver uses tips. `rest` is the rest pose.
    pub fn curve_positions_in_pose(&self, chain: &Chain, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        if self.solver_of(chain).info().params_at_tips {
            chain.tip_curve_positions_in_pose(rest, skeleton)
        } else {
            chain.curve_positions_in_pose(rest, skeleton)
        }
    }

    /// Returns the same as [`Document::curve_positions_in_pose`], from the skeleton.
    pub fn curve_positions(&self, chain: &Chain, skeleton: &Skeleton) -> Vec<f32> {
        self.curve_positions_in_pose(chain, &WorldPose::from_pose(skeleton, &Pose::rest(skeleton)), skeleton)
    }

    /// Returns the chains of a solver in all systems.
    pub fn chains_with_solver(&self, solver: SolverKind) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| self.solver_of(chain) == solver).map(|(id, chain)| (*id, chain))
    }

    /// Returns the solvers that have chains, and the solver of the first system, in the order of [`SolverKind::ALL`].
    pub fn used_solvers(&self) -> Vec<SolverKind> {
        let used =
            |kind: &SolverKind| self.main_system().solver == *kind || self.chains_with_solver(*kind).next().is_some();
        SolverKind::ALL.iter().copied().filter(used).collect()
    }

    /// Returns the first system with this solver.
    pub fn system_with_solver(&self, solver: SolverKind) -> Option<(SystemId, &System)> {
        self.systems.iter().find(|(_, system)| system.solver == solver).map(|(id, system)| (*id, system))
    }

    /// Returns the colliders of a joint in the order of collision tests: the colliders of its chain's groups, then its
    /// own.
    pub fn colliders_of<'a>(&'a self, chain: &'a Chain, joint: &'a Joint) -> impl Iterator<Item = ColliderId> + 'a {
        let groups = chain.groups.iter().filter_map(|id| self.groups.get(id));
        groups.flat_map(|group| &group.colliders).chain(&joint.colliders).copied()
    }

    /// Returns the chain of a bone, and the index of the bone's joint.
    pub fn find_joint(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chains.iter().find_map(|(id, chain)| chain.joint_index(bone).map(|joint| (*id, joint)))
    }

    pub fn joint_count(&self) -> usize {
        self.chains.values().map(|c| c.joints.len()).sum()
    }

    pub fn material_of(&self, chain: &Chain) -> Option<&Material> {
        self.materials.get(&chain.material?)
    }

    /// Returns the chain's material if the material has this parameter.
    pub fn material_with_param(&self, chain: ChainId, param: ParamId) -> Option<MaterialId> {
        let id = self.chains.get(&chain)?.material?;
        self.materials.get(&id)?.values.contains_key(&param).then_some(id)
    }

    /// Returns the chains with a material.
    pub fn chains_with_material(&self, id: MaterialId) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| chain.material == Some(id)).map(|(id, chain)| (*id, chain))
    }

    /// Returns `wanted`, followed by a number if a material other than `but` already has this name.
    pub fn unique_material_name(&self, wanted: &str, but: Option<MaterialId>) -> String {
        let others = self.materials.iter().filter(|(id, _)| Some(**id) != but);
        let taken: Vec<&str> = others.map(|(_, material)| material.name.as_str()).collect();
        let mut names = std::iter::once(wanted.to_owned()).chain((2..).map(|n| format!("{wanted} {n}")));
        names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
    }

    /// Returns the missing bones to which anything but the exclusion list refers, with their names.
    pub fn missing_bones_in_use(&self) -> Vec<(BoneId, String)> {
        let mut used = BTreeSet::new();
        let mut walk = MapReferences::nodes(|node| {
            if let Node::Bone(bone) = node {
                used.insert(bone);
            }
            node
        });
        _ = Setup { excluded_bones: BTreeSet::new(), ..self.setup.clone() }.map_naming(&mut walk);
        used.into_iter().filter_map(|bone| Some((bone, self.missing_bones.path(bone)?.name.clone()))).collect()
    }

    /// Returns the number of gestures on top of which a gesture was recorded, directly or indirectly. The number is at
    /// most [`MAX_BASE_MOTION_DEPTH`] + 1, even if there is a cycle.
    pub fn base_motion_depth(&self, id: GestureId) -> usize {
        let below = |id: &GestureId| match self.base_motions.get(id)?.motion {
            MotionRef::Gesture(under) => Some(under),
            MotionRef::Test(_) | MotionRef::Clip(_) => None,
        };
        std::iter::successors(Some(id), below).skip(1).take(MAX_BASE_MOTION_DEPTH + 1).count()
    }
}

impl Document {
    /// Returns the system for a new chain: the system with the most chains of the same part. If there are no such
    /// chains, returns `active_system`, or, if its solver does not auto-assign chains, the first system whose solver
    /// does.
    pub fn default_system_for(&self, part: ChainPart, active_system: SystemId) -> SystemId {
        let active = if self.systems.contains_key(&active_system) { active_system } else { self.main_system_id() };
        let mut chain_counts: BTreeMap<SystemId, usize> = BTreeMap::new();
        // Two chains with the part `Other` need not be related.
        for chain in self.chains.values().filter(|chain| chain.part == part && part != ChainPart::Other) {
            *chain_counts.entry(chain.system).or_default() += 1;
        }
        // If systems have equally many chains, the active system wins, then the first system.
        let rank = |(id, count): &(SystemId, usize)| (*count, *id == active, std::cmp::Reverse(*id));
        let most = chain_counts.into_iter().filter(|(id, _)| self.systems.contains_key(id)).max_by_key(rank);
        let takes_any = |id: &SystemId| self.systems[id].solver.info().auto_assign;
        let fallback = || Some(active).filter(takes_any).or_else(|| self.systems.keys().copied().find(takes_any));
        most.map(|(id, _)| id).or_else(fallback).unwrap_or(active)
    }
}

macro_rules! next_ids {
    ($($name:ident: $Id:ident of $map:ident, first $first:literal;)*) => {
        impl Document {
            $(#[doc = concat!("An unused id of `", stringify!($map), "`.")]
            pub fn $name(&self) -> $Id {
                $Id(self.$map.last_key_value().map_or($first, |(id, _)| id.0 + 1))
            })*
        }
    };
}
next_ids! {
    next_system_id: SystemId of systems, first 0;
    next_chain_id: ChainId of chains, first 1;
    next_helper_id: HelperId of helpers, first 1;
    next_collider_id: ColliderId of colliders, first 1;
    next_group_id: GroupId of groups, first 1;
    next_force_id: ForceId of forces, first 1;
    next_high_leg_id: HighLegId of high_legs, first 1;
    next_gesture_id: GestureId of gestures, first 1;
    next_material_id: MaterialId of materials, first 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainId, Joint, System};
    use yuremono_sim::SolverKind;
    use yuremono_sim::rig::BoneId;

    fn document(solvers: &[SolverKind], chains: &[(ChainPart, u32)]) -> Document {
        let mut document = Document::with_solver(solvers[0]);
        for (at, solver) in solvers.iter().enumerate() {
            document.systems.insert(SystemId(at as u32), System::with_solver(*solver));
        }
        for (at, (part, system)) in chains.iter().enumerate() {
            let system = SystemId(*system);
            let table = document.systems[&system].param_defs();
            let chain = Chain::new("chain", *part, table, vec![Joint::new(BoneId(at as u32))]);
            document.chains.insert(ChainId(at as u32), Chain { system, ..chain });
        }
        document
    }

    #[track_caller]
    fn check(document: &Document, part: ChainPart, active: u32, expected: u32) {
        assert_eq!(document.default_system_for(part, SystemId(active)), SystemId(expected));
    }

    const HAIR_AND_SKIRT: [SolverKind; 2] = [SolverKind::UnityChanSpringBone, SolverKind::JointDynamics];

    #[test]
    fn a_chain_joins_the_system_of_its_part_regardless_of_the_active_system() {
        let document = document(&HAIR_AND_SKIRT, &[(ChainPart::Hair, 0), (ChainPart::Skirt, 1), (ChainPart::Skirt, 1)]);
        for active in [0, 1] {
            check(&document, ChainPart::Hair, active, 0);
            check(&document, ChainPart::Skirt, active, 1);
        }
    }

    #[test]
    fn a_chain_of_a_new_part_joins_the_active_system_if_its_solver_auto_assigns() {
        let solvers = [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::Hinge];
        let mixed = document(&solvers, &[(ChainPart::Other, 0), (ChainPart::Hair, 0), (ChainPart::Accessory, 2)]);
        check(&mixed, ChainPart::Tail, 1, 1);
        check(&mixed, ChainPart::Other, 1, 1);
        check(&mixed, ChainPart::Tail, 2, 0);
        check(&document(&HAIR_AND_SKIRT, &[]), ChainPart::Hair, 1, 0);
        check(&document(&[SolverKind::Hinge], &[]), ChainPart::Hair, 0, 0);
        check(&mixed, ChainPart::Tail, 77, 0);
    }

    #[test]
    fn the_system_with_most_chains_of_the_part_wins_then_the_active_then_the_first() {
        let solvers = [SolverKind::Vrm, SolverKind::DynamicBone, SolverKind::KawaiiPhysics];
        let most = document(&solvers, &[(ChainPart::Hair, 0), (ChainPart::Hair, 1), (ChainPart::Hair, 1)]);
        check(&most, ChainPart::Hair, 0, 1);
        let even = document(&solvers, &[(ChainPart::Hair, 0), (ChainPart::Hair, 1)]);
        check(&even, ChainPart::Hair, 1, 1);
        check(&even, ChainPart::Hair, 2, 0);
    }
}
