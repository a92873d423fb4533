//! The document.

use crate::document::underlay::{MOST_UNDER, Underneath};
use crate::document::{
    Chain, ChainId, ColliderId, ForceId, GestureId, GroupId, HelperId, HighLegId, Joint, LostBones, MapNodes, Material,
    MaterialId, Node, Setup, System, SystemId,
};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{ParamDef, ParamSet, Row};
use crate::sim::SolverKind;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// All that is authored on one character: saved, undone and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What is authored, over bones of the skeleton and helpers.
    pub setup: Setup,
    /// Bones that the rest may speak of and the character lacks.
    pub lost: LostBones,
}

impl Default for Document {
    fn default() -> Self {
        Self::under(SolverKind::default())
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
    pub fn under(solver: SolverKind) -> Self {
        Self { setup: Setup::under(solver), lost: LostBones::default() }
    }

    /// The first system: the one that files and tables of one solver tell of.
    pub fn main_id(&self) -> SystemId {
        *self.systems.first_key_value().expect("a document has a system").0
    }

    /// As [`Document::main_id`].
    pub fn main(&self) -> &System {
        self.systems.first_key_value().expect("a document has a system").1
    }

    /// As [`Document::main_id`], to write to.
    pub fn main_mut(&mut self) -> &mut System {
        self.systems.first_entry().expect("a document has a system").into_mut()
    }

    /// The system that moves a chain; the first where the chain names one that is not there.
    pub fn system_of(&self, chain: &Chain) -> &System {
        self.systems.get(&chain.system).unwrap_or_else(|| self.main())
    }

    /// The solver that moves a chain.
    pub fn solver_of(&self, chain: &Chain) -> SolverKind {
        self.system_of(chain).solver
    }

    /// The per-character values that a chain moves by, one per row of [`Document::table_of`].
    pub fn values_of(&self, chain: &Chain) -> &ParamSet {
        &self.system_of(chain).values
    }

    /// The table that a chain's rows stand in.
    pub fn table_of(&self, chain: &Chain) -> &'static [ParamDef] {
        self.system_of(chain).table()
    }

    /// The place along its curves where each joint of a chain reads its numbers, 0..=1: that of its head, or of its tip
    /// where the engine reads them there. `rest` are the frames of the rest pose.
    pub fn places_in(&self, chain: &Chain, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        if self.solver_of(chain).info().reads_at_tips {
            chain.tip_places_in(rest, skeleton)
        } else {
            chain.places_in(rest, skeleton)
        }
    }

    /// As [`Document::places_in`].
    pub fn places(&self, chain: &Chain, skeleton: &Skeleton) -> Vec<f32> {
        self.places_in(chain, &WorldPose::of(skeleton, &Pose::rest(skeleton)), skeleton)
    }

    /// The chains that one solver moves, by whichever system.
    pub fn chains_under(&self, solver: SolverKind) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| self.solver_of(chain) == solver).map(|(id, chain)| (*id, chain))
    }

    /// The solvers that move chains, and that of the first system, in the order in which solvers are listed.
    pub fn solvers(&self) -> Vec<SolverKind> {
        let used = |kind: &SolverKind| self.main().solver == *kind || self.chains_under(*kind).next().is_some();
        SolverKind::ALL.iter().copied().filter(used).collect()
    }

    /// The first system of that solver.
    pub fn system_under(&self, solver: SolverKind) -> Option<(SystemId, &System)> {
        self.systems.iter().find(|(_, system)| system.solver == solver).map(|(id, system)| (*id, system))
    }

    /// A system id that is not taken.
    pub fn fresh_system(&self) -> SystemId {
        SystemId(self.systems.last_key_value().map_or(0, |(id, _)| id.0 + 1))
    }

    /// A chain id that is not taken.
    pub fn fresh_chain(&self) -> ChainId {
        ChainId(self.chains.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A helper id that is not taken.
    pub fn fresh_helper(&self) -> HelperId {
        HelperId(self.helpers.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A collider id that is not taken.
    pub fn fresh_collider(&self) -> ColliderId {
        ColliderId(self.colliders.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A group id that is not taken.
    pub fn fresh_group(&self) -> GroupId {
        GroupId(self.groups.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// What a joint is pushed by, in the order in which it is tested: its chain's groups, then its own colliders.
    pub fn colliders_of<'a>(&'a self, chain: &'a Chain, joint: &'a Joint) -> impl Iterator<Item = ColliderId> + 'a {
        let groups = chain.groups.iter().filter_map(|id| self.groups.get(id));
        groups.flat_map(|group| &group.colliders).chain(&joint.colliders).copied()
    }

    /// A force id that is not taken.
    pub fn fresh_force(&self) -> ForceId {
        ForceId(self.forces.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A high-leg id that is not taken.
    pub fn fresh_high_leg(&self) -> HighLegId {
        HighLegId(self.high_legs.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A gesture id that is not taken.
    pub fn fresh_gesture(&self) -> GestureId {
        GestureId(self.gestures.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The chain that a bone is a joint of, and which joint.
    pub fn joint_of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chains.iter().find_map(|(id, chain)| chain.position(bone).map(|joint| (*id, joint)))
    }

    /// Total number of joints.
    pub fn joint_count(&self) -> usize {
        self.chains.values().map(|c| c.joints.len()).sum()
    }

    /// A material id that is not taken.
    pub fn fresh_material(&self) -> MaterialId {
        MaterialId(self.materials.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The material that a chain has.
    pub fn material_of(&self, chain: &Chain) -> Option<&Material> {
        self.materials.get(&chain.material?)
    }

    /// The material that holds a row of a chain.
    pub fn holder(&self, chain: ChainId, row: Row) -> Option<MaterialId> {
        let id = self.chains.get(&chain)?.material?;
        self.materials.get(&id)?.values.contains_key(&row).then_some(id)
    }

    /// The chains that have a material.
    pub fn sharing(&self, id: MaterialId) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.chains.iter().filter(move |(_, chain)| chain.material == Some(id)).map(|(id, chain)| (*id, chain))
    }

    /// `wanted`, or with a number behind it where another material than `but` has that name.
    pub fn free_material_name(&self, wanted: &str, but: Option<MaterialId>) -> String {
        let others = self.materials.iter().filter(|(id, _)| Some(**id) != but);
        let taken: Vec<&str> = others.map(|(_, material)| material.name.as_str()).collect();
        let mut names = std::iter::once(wanted.to_owned()).chain((2..).map(|n| format!("{wanted} {n}")));
        names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
    }

    /// Lost bones that something hangs on, with their names; where bones are only excluded, nothing hangs on them.
    pub fn lost_in_use(&self) -> Vec<(BoneId, String)> {
        let mut used = BTreeSet::new();
        let mut walk = MapNodes(|node| {
            if let Node::Bone(bone) = node {
                used.insert(bone);
            }
            node
        });
        _ = Setup { excluded: BTreeSet::new(), ..self.setup.clone() }.rename(&mut walk);
        used.into_iter().filter_map(|bone| Some((bone, self.lost.path(bone)?.name.clone()))).collect()
    }

    /// How many gestures lie under one, each over the next; [`MOST_UNDER`] and one more where there are too many, or where
    /// they lie in a ring.
    pub fn gestures_under(&self, id: GestureId) -> usize {
        let below = |id: &GestureId| match self.underlays.get(id)?.motion {
            Underneath::Gesture(under) => Some(under),
            Underneath::Test(_) | Underneath::Clip(_) => None,
        };
        std::iter::successors(Some(id), below).skip(1).take(MOST_UNDER + 1).count()
    }
}
