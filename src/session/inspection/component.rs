//! What tuned chains share: the component of their system with its lists, collider groups, centers and materials.

use super::Inspection;
use crate::document::{
    ChainId, ColliderGroup, ColliderId, ComponentLists, GroupId, ListKind, Material, MaterialId, Node, SystemId,
    groups, hull,
};
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::sim::SolverKind;
use crate::tools::{components, elements};
use std::collections::BTreeSet;

/// What the component of the tuned system can have done to its lists and chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentTool {
    /// Sorts the columns of a network around the body.
    OrderColumns,
    /// Pairs joints of neighbouring columns.
    LinkNeighbours,
    /// Lets thighs shift what hangs near them.
    SyncThighs,
    /// Gives the tuned chains settings of their own.
    Split,
}

impl ComponentTool {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OrderColumns, Self::LinkNeighbours, Self::SyncThighs, Self::Split];

    /// Names it in words and labels.
    pub const fn key(self) -> &'static str {
        match self {
            Self::OrderColumns => "order_columns",
            Self::LinkNeighbours => "link_neighbours",
            Self::SyncThighs => "sync_thighs",
            Self::Split => "split",
        }
    }
}

/// Another system of the same solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherSystem {
    /// Which.
    pub id: SystemId,
    /// Its name; may be empty.
    pub name: String,
    /// Its place among all systems of that solver, from 1.
    pub number: usize,
    /// How many chains it moves.
    pub chains: usize,
}

impl Inspection<'_> {
    /// The tools that the component of the tuned system has.
    pub fn component_tools(self) -> Vec<ComponentTool> {
        let fits = |tool: &ComponentTool| match tool {
            ComponentTool::OrderColumns => self.system().solver == SolverKind::JointDynamics,
            ComponentTool::LinkNeighbours | ComponentTool::SyncThighs => {
                self.system().solver == SolverKind::KawaiiPhysics
            }
            ComponentTool::Split => self.can_split(),
        };
        ComponentTool::ALL.into_iter().filter(fits).collect()
    }

    /// Whether the tuned solver's component says anything beyond numbers, or there are chains that could part.
    pub fn has_component_settings(self) -> bool {
        self.system().component_lists != ComponentLists::None || !self.other_systems().is_empty() || self.can_split()
    }

    /// What the component can name, in order.
    pub fn component_lists(self) -> Vec<ListKind> {
        ListKind::ALL.into_iter().filter(|side| self.system().component_lists.matches_solver(side.solver())).collect()
    }

    /// The place of the tuned system among those of its solver, from 1, and how many there are.
    pub fn system_number(self) -> (usize, usize) {
        let alike: Vec<SystemId> = self.systems_with_same_solver().collect();
        let at = alike.iter().position(|id| *id == self.system_id()).unwrap_or_default();
        (at + 1, alike.len())
    }

    pub(in crate::session) fn systems_with_same_solver(self) -> impl Iterator<Item = SystemId> {
        let kind = self.system().solver;
        self.document.systems.iter().filter(move |(_, system)| system.solver == kind).map(|(id, _)| *id)
    }

    /// Systems of the same solver that the tuned chains could join.
    pub fn other_systems(self) -> Vec<OtherSystem> {
        let own = self.system_id();
        let chains = |id| self.document.chains.values().filter(|chain| chain.system == id).count();
        let other = |(at, id): (usize, SystemId)| OtherSystem {
            id,
            name: self.document.systems[&id].name.clone(),
            number: at + 1,
            chains: chains(id),
        };
        self.systems_with_same_solver().enumerate().filter(|(_, id)| *id != own).map(other).collect()
    }

    /// Nodes that may be chosen: the active bone first, then all others by where they stand.
    pub fn node_choices(self) -> Vec<(Node, String)> {
        let active = self.selection.active.map(Node::Bone).filter(|node| !self.node_name(*node).is_empty());
        let all = elements::all_nodes(self.document, &self.character.skeleton);
        let rest = all.into_iter().filter(|node| Some(*node) != active);
        active.into_iter().chain(rest).map(|node| (node, self.node_name(node).to_owned())).collect()
    }

    /// The selected bones, the active one first.
    pub fn selected_nodes(self) -> Vec<Node> {
        let active = self.selection.active;
        let rest = self.selection.bones.iter().copied().filter(|bone| Some(*bone) != active);
        active.into_iter().chain(rest).map(Node::Bone).collect()
    }

    /// Bones whose points are tuned: joints of the tuned system.
    pub fn point_bones(self) -> Vec<BoneId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains[chain].system == id;
        self.target_bones().into_iter().filter(|(chain, _)| of(chain)).map(|(_, bone)| bone).collect()
    }

    /// What the bone of a tuned point can aim at, where there is a choice: the joints right below it.
    pub fn point_at_choices(self, bone: BoneId) -> Vec<(Node, String)> {
        let (id, skeleton) = (self.system_id(), &self.character.skeleton);
        let own = self.document.chains.values().filter(|chain| chain.system == id).flat_map(|chain| &chain.joints);
        let below = own.map(|joint| joint.bone).filter(|b| b.index() < skeleton.len());
        let children = below.filter(|b| skeleton.get_parent(*b) == Some(bone)).map(Node::Bone);
        let all: Vec<_> = children.map(|node| (node, self.node_name(node).to_owned())).collect();
        if all.len() < 2 { Vec::new() } else { all }
    }

    /// Whether the tuned solver knows convex hulls of colliders, and there are meshes to take some from.
    pub fn supports_hulls(self) -> bool {
        self.collider_list_kind() == Some(ListKind::Margins) && !self.character.meshes.is_empty()
    }

    /// Meshes that the convex hull of any of some colliders can be taken from: positions among the character's, and names.
    /// Looks at every vertex; empty where the tuned solver knows no hulls.
    pub fn hull_mesh_choices(self, ids: &[ColliderId]) -> Vec<(usize, String)> {
        if !self.supports_hulls() {
            return Vec::new();
        }
        let name = |at: usize| (at, self.character.meshes[at].name.clone());
        let fit = ids.iter().flat_map(|id| hull::candidate_meshes(self.document, self.character, *id));
        fit.collect::<BTreeSet<usize>>().into_iter().map(name).collect()
    }

    /// What the tuned system's solver adds to colliders, if anything.
    pub fn collider_list_kind(self) -> Option<ListKind> {
        let own = |side: &ListKind| self.system().component_lists.matches_solver(side.solver());
        [ListKind::Margins, ListKind::Frictions].into_iter().find(own)
    }

    /// Seconds on the clock of what the tuned component blows, as the live motion has it; `None` where it blows nothing.
    pub fn component_clock(self) -> Option<f32> {
        self.playback.world().clock(self.system_index()?)
    }

    /// How far a node that leads others in the tuned component stands from its place, metres; `None` for any other.
    pub fn component_sync_offset(self, node: Node) -> Option<f32> {
        self.playback.world().sync_offset(self.system_index()?, self.resolved_bone(node)?)
    }

    /// Where the world has the tuned system.
    fn system_index(self) -> Option<usize> {
        self.resolved.system_ids.iter().position(|id| *id == self.system_id())
    }

    /// Whether some but not all chains of the tuned system are tuned.
    fn can_split(self) -> bool {
        components::split_off_chains(self.document, &self.system_chains(), "").is_some()
    }

    /// The selected chains of the tuned system; what is selected of other systems is not meant.
    pub(in crate::session) fn system_chains(self) -> BTreeSet<ChainId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains.get(chain).is_some_and(|c| c.system == id);
        self.selected_chains().into_iter().filter(of).collect()
    }

    /// Whether the tuned solver reads what the component sits on.
    pub fn reads_component(self) -> bool {
        self.system().solver.info().uses_component
    }
}

/// A collider group as the tuned chains name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChoice {
    /// Which.
    pub id: GroupId,
    /// As it goes into files; may be empty.
    pub name: String,
    /// Counted from 1, for those without a name.
    pub number: usize,
    /// How many colliders it has.
    pub colliders: usize,
    /// How many of the tuned chains name it.
    pub chains: usize,
    /// Whether that is all of them.
    pub all: bool,
}

/// What speed of the tuned chains is measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunedCenter {
    /// The world, or a node.
    Same(Option<Node>),
    /// Chains differ.
    Mixed,
}

impl Inspection<'_> {
    /// Whether chains have collider groups and a center here.
    pub fn supports_groups(self) -> bool {
        groups::are_supported(self.system().solver)
    }

    /// All collider groups, and how many of the tuned chains name each.
    pub fn group_choices(self) -> Vec<GroupChoice> {
        let tuned = self.target_chains();
        let choice = |(at, (id, group)): (usize, (&GroupId, &ColliderGroup))| {
            let chains = tuned.iter().filter(|c| self.document.chains[*c].groups.contains(id)).count();
            GroupChoice {
                id: *id,
                name: group.name.clone(),
                number: at + 1,
                colliders: group.colliders.len(),
                chains,
                all: chains > 0 && chains == tuned.len(),
            }
        };
        self.document.groups.iter().enumerate().map(choice).collect()
    }

    /// What speed of the tuned chains is measured from; `None` where nothing is tuned.
    pub fn center(self) -> Option<TunedCenter> {
        let chains = self.target_chains();
        let mut centers = chains.iter().map(|id| self.document.chains[id].center);
        let first = centers.next()?;
        Some(if centers.all(|c| c == first) { TunedCenter::Same(first) } else { TunedCenter::Mixed })
    }

    /// The bones above all tuned chains, the nearest first.
    pub fn center_choices(self) -> Vec<BoneId> {
        groups::center_candidates(self.document, &self.character.skeleton, &self.target_chains())
    }

    /// The active bone where it could be a center but stands not among [`Self::center_choices`]: it is no joint of what
    /// is tuned.
    pub fn active_center(self) -> Option<BoneId> {
        let bone = self.selection.active?;
        let tuned = self.target_chains();
        let is_joint = tuned.iter().any(|id| self.document.chains[id].joint_index(bone).is_some());
        (!is_joint && bone.index() < self.character.skeleton.len() && !self.center_choices().contains(&bone))
            .then_some(bone)
    }
}

/// A material that the tuned chains could have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialChoice {
    /// Which.
    pub id: MaterialId,
    /// As it goes into files.
    pub name: String,
    /// How many chains of the character have it.
    pub chains: usize,
}

/// The material of the tuned chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunedMaterial {
    /// This one, or numbers of their own.
    Same(Option<MaterialId>),
    /// Chains differ.
    Mixed,
}

/// Whose number a row is, where a material holds it for some tuned chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialSharing {
    /// Name of the material; of several the first.
    pub material: String,
    /// Names of all chains that change with it, tuned ones too.
    pub chains: Vec<String>,
}

impl Inspection<'_> {
    /// Whether materials of the tuned system's solver hold a row.
    pub fn is_material_param(self, row: ParamId) -> bool {
        self.system().solver.info().material_params.contains(&row)
    }

    /// The materials that the tuned chains could have.
    pub fn materials(self) -> Vec<MaterialChoice> {
        let solver = self.system().solver;
        let own = self.document.materials.iter().filter(|(_, material)| material.solver == solver);
        let choice = |(id, material): (&MaterialId, &Material)| MaterialChoice {
            id: *id,
            name: material.name.clone(),
            chains: self.document.chains_with_material(*id).count(),
        };
        own.map(choice).collect()
    }

    /// The material of the tuned chains; `None` where nothing is tuned.
    pub fn material(self) -> Option<TunedMaterial> {
        let chains = self.target_chains();
        let mut all = chains.iter().map(|id| self.document.chains[id].material);
        let first = all.next()?;
        Some(if all.all(|id| id == first) { TunedMaterial::Same(first) } else { TunedMaterial::Mixed })
    }

    /// The chain whose numbers a new material of the tuned chains would have, and the name of that material.
    pub fn new_material_source(self) -> Option<(ChainId, String)> {
        let chains = self.target_chains();
        let from = self.active_chain().filter(|id| chains.contains(id)).or_else(|| chains.first().copied())?;
        Some((from, self.document.unique_material_name(&self.document.chains[&from].name, None)))
    }

    /// Who changes with a row of the tuned chains; `None` where no material holds it. Joints that are tuned alone have
    /// values of their own.
    pub fn material_sharing(self, row: ParamId) -> Option<MaterialSharing> {
        let holders = self.targets().chains.into_iter().filter_map(|id| self.document.material_with_param(id, row));
        let holders: BTreeSet<MaterialId> = holders.collect();
        let material = self.document.materials.get(holders.first()?)?.name.clone();
        let has = |id: &Option<MaterialId>| id.is_some_and(|id| holders.contains(&id));
        let chains = self.document.chains.values().filter(|chain| has(&chain.material));
        Some(MaterialSharing { material, chains: chains.map(|chain| chain.name.clone()).collect() })
    }

    /// The chains whose numbers are those of a material.
    pub(in crate::session) fn chains_with_material(self) -> Vec<(ChainId, MaterialId)> {
        self.document.chains.iter().filter_map(|(id, chain)| Some((*id, chain.material?))).collect()
    }

    /// Of chains that shared a material before, the first that has numbers of its own now though the material is still
    /// there and of its solver; the material's name, and how many more did so.
    pub(in crate::session) fn detached_from_material(
        &self,
        before: &[(ChainId, MaterialId)],
    ) -> Option<(String, String, usize)> {
        let left = |(id, material): &(ChainId, MaterialId)| {
            let chain = self.document.chains.get(id).filter(|chain| chain.material.is_none())?;
            let material = self.document.materials.get(material)?;
            (material.solver == self.document.solver_of(chain)).then(|| (material.name.clone(), chain.name.clone()))
        };
        let mut all = before.iter().filter_map(left);
        let (material, chain) = all.next()?;
        Some((material, chain, all.count()))
    }
}
