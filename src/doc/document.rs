use super::setup::{FileNaming, yes};
use super::{ById, Chain, ChainId, Joint, LostBones, MaterialId, Naming, Setup, System, SystemId};
use crate::math::Trs;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{ParamDef, ParamSet};
use crate::sim::{ForceKind, Shape, SolverKind};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Names a helper for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HelperId(pub u32);

/// Names a collider for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ColliderId(pub u32);

/// Names a collider group for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupId(pub u32);

/// Names a force for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ForceId(pub u32);

/// Names a high-leg node for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HighLegId(pub u32);

/// Names a recorded gesture for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GestureId(pub u32);

/// A bone of the file or a helper of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node<B = BoneId> {
    /// Of the file.
    Bone(B),
    /// Added by Yuremono.
    Helper(HelperId),
}

/// What a helper is for, where the original engine marks it so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HelperRole {
    /// Carries a collider, a force or another helper.
    #[default]
    Plain,
    /// Frame of angle limits: `SpringBonePivot`. Never counts as a child when a tip is derived.
    Pivot,
    /// A bare node that tables keep: `DynamicsNull`.
    Null,
}

/// A named node that Yuremono adds below a bone: pivots, collider nodes and nulls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Helper<N: Naming = ById> {
    /// As it goes into files.
    pub name: String,
    /// What it hangs on.
    pub parent: N::Node,
    /// Relative to the parent.
    pub local: Trs,
    /// What it is for.
    #[serde(default)]
    pub role: HelperRole,
}

/// A shape on a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Collider<N: Naming = ById> {
    /// As it goes into files.
    pub name: String,
    /// Usually a helper.
    pub node: N::Node,
    /// What it is.
    pub shape: Shape,
    /// Its own switch.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Name of the mesh that it goes with: it is off while that one is among [`Setup::renderers_off`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renderer: Option<String>,
    /// Its number in the character's own file, where it was read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
}

/// Colliders that chains name together, as VRM's files do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColliderGroup {
    /// As it goes into files; may be empty.
    pub name: String,
    /// In the order in which they are tested.
    pub colliders: Vec<ColliderId>,
    /// Its number in the character's own file, where it was read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
}

impl<N: Naming> Collider<N> {
    /// A collider that is on and linked to no mesh.
    pub fn new(name: impl Into<String>, node: N::Node, shape: Shape) -> Self {
        Self { name: name.into(), node, shape, enabled: true, renderer: None, source: None }
    }
}

/// A force on every joint, placed and aimed by its node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Force<N: Naming = ById> {
    /// Shown in lists.
    pub name: String,
    /// Usually a helper; its +Z is where the force goes.
    pub node: N::Node,
    /// What it is.
    pub kind: ForceKind,
    /// Its own switch.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// A node that leans with the thigh that is raised highest, as a frame for the middle columns of a skirt: the
/// engine's `HighLeg`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct HighLeg<N: Naming = ById> {
    /// What is turned.
    pub node: N::Node,
    /// Whose forward and up are meant.
    pub hip: N::Node,
    /// Start and end of each leg.
    pub legs: Vec<[N::Node; 2]>,
}

/// How a dragged bone stood in one sixtieth of a second, relative to where animation put it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f32; 7]", into = "[f32; 7]")]
pub struct GestureSample {
    /// World offset, metres.
    pub offset: Vec3,
    /// World rotation about the bone's own head.
    pub turn: Quat,
}

impl From<[f32; 7]> for GestureSample {
    fn from([x, y, z, i, j, k, w]: [f32; 7]) -> Self {
        Self { offset: Vec3::new(x, y, z), turn: Quat::from_xyzw(i, j, k, w) }
    }
}

impl From<GestureSample> for [f32; 7] {
    fn from(sample: GestureSample) -> Self {
        let (Vec3 { x, y, z }, [i, j, k, w]) = (sample.offset, sample.turn.to_array());
        [x, y, z, i, j, k, w]
    }
}

/// A recorded drag: 60 samples a second, whatever the rate of ticks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Gesture<N: Naming = ById> {
    /// Shown in the motion list.
    pub name: String,
    /// What was dragged.
    pub bone: N::Bone,
    /// Never empty.
    pub samples: Vec<GestureSample>,
}

/// A row of an imported table for a bone that this character lacks: kept, so that an export gives it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRow {
    /// Bone name in the table.
    pub bone: String,
    /// The cells after the name, as they stood.
    pub cells: Vec<String>,
}

/// All that is authored on one character: saved, undone and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What is authored, over bones of the skeleton and helpers.
    pub setup: Setup,
    /// Bones that the rest may speak of and the character lacks.
    pub lost: LostBones,
    /// Ids that nothing new gets, beside those that are here; see [`Document::only`].
    pub beyond: FreshIds,
    /// Materials of chains that are out of sight, whose numbers stay; see [`Document::only_system`].
    pub away: BTreeMap<ChainId, MaterialId>,
}

/// The first ids of each kind that nothing has, nor anything behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreshIds {
    pub(super) material: u32,
    system: u32,
    chain: u32,
    helper: u32,
    collider: u32,
    group: u32,
    force: u32,
    high_leg: u32,
    gesture: u32,
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
        Self {
            setup: Setup::under(solver),
            lost: LostBones::default(),
            beyond: FreshIds::default(),
            away: BTreeMap::new(),
        }
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
        SystemId(self.systems.last_key_value().map_or(0, |(id, _)| id.0 + 1).max(self.beyond.system))
    }

    /// A chain id that is not taken.
    pub fn fresh_chain(&self) -> ChainId {
        ChainId(self.chains.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.chain))
    }

    /// A helper id that is not taken.
    pub fn fresh_helper(&self) -> HelperId {
        HelperId(self.helpers.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.helper))
    }

    /// A collider id that is not taken.
    pub fn fresh_collider(&self) -> ColliderId {
        ColliderId(self.colliders.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.collider))
    }

    /// A group id that is not taken.
    pub fn fresh_group(&self) -> GroupId {
        GroupId(self.groups.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.group))
    }

    /// What a joint is pushed by, in the order in which it is tested: its chain's groups, then its own colliders.
    pub fn colliders_of<'a>(&'a self, chain: &'a Chain, joint: &'a Joint) -> impl Iterator<Item = ColliderId> + 'a {
        let groups = chain.groups.iter().filter_map(|id| self.groups.get(id));
        groups.flat_map(|group| &group.colliders).chain(&joint.colliders).copied()
    }

    /// A force id that is not taken.
    pub fn fresh_force(&self) -> ForceId {
        ForceId(self.forces.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.force))
    }

    /// A high-leg id that is not taken.
    pub fn fresh_high_leg(&self) -> HighLegId {
        HighLegId(self.high_legs.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.high_leg))
    }

    /// A gesture id that is not taken.
    pub fn fresh_gesture(&self) -> GestureId {
        GestureId(self.gestures.last_key_value().map_or(1, |(id, _)| id.0 + 1).max(self.beyond.gesture))
    }

    /// All of these at once.
    pub(super) fn fresh_ids(&self) -> FreshIds {
        FreshIds {
            system: self.fresh_system().0,
            material: self.fresh_material().0,
            chain: self.fresh_chain().0,
            helper: self.fresh_helper().0,
            collider: self.fresh_collider().0,
            group: self.fresh_group().0,
            force: self.fresh_force().0,
            high_leg: self.fresh_high_leg().0,
            gesture: self.fresh_gesture().0,
        }
    }

    /// The chain that a bone is a joint of, and which joint.
    pub fn joint_of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chains.iter().find_map(|(id, chain)| chain.position(bone).map(|joint| (*id, joint)))
    }

    /// Total number of joints.
    pub fn joint_count(&self) -> usize {
        self.chains.values().map(|c| c.joints.len()).sum()
    }
}
