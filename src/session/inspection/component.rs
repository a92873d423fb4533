//! Data shared by the tuned chains: the component of their system with its lists, collider groups, centers and
//! materials.

use super::Inspection;
use crate::document::{
    Chain, ChainId, ColliderGroup, ColliderId, ComponentLists, GroupId, ListKind, Material, MaterialId, Node, SystemId,
    groups, hull,
};
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::sim::SolverKind;
use crate::tools::{components, elements};
use std::collections::BTreeSet;

/// A tool for the lists and chains of the component of the tuned system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentTool {
    /// Sorts the columns of a network around the body.
    OrderColumns,
    /// Pairs joints of neighbouring columns.
    LinkNeighbours,
    /// Lets thighs offset the joints near them.
    SyncThighs,
    /// Moves the tuned chains to a new system.
    Split,
}

impl ComponentTool {
    /// In the order of the menu.
    pub const ALL: [Self; 4] = [Self::OrderColumns, Self::LinkNeighbours, Self::SyncThighs, Self::Split];

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
    pub id: SystemId,
    /// Its name; may be empty.
    pub name: String,
    /// Index of the system from 1 among the systems of the solver.
    pub number: usize,
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

    /// Whether the component has lists, or chains that can move to another system.
    pub fn has_component_settings(self) -> bool {
        self.system().component_lists != ComponentLists::None || !self.other_systems().is_empty() || self.can_split()
    }

    /// The component lists of the tuned solver.
    pub fn component_lists(self) -> Vec<ListKind> {
        ListKind::ALL.into_iter().filter(|side| self.system().component_lists.matches_solver(side.solver())).collect()
    }

    /// The index of the tuned system from 1 among the systems of its solver, and the number of these systems.
    pub fn system_number(self) -> (usize, usize) {
        let alike: Vec<SystemId> = self.systems_with_same_solver().collect();
        let at = alike.iter().position(|id| *id == self.system_id()).unwrap_or_default();
        (at + 1, alike.len())
    }

    pub(in crate::session) fn systems_with_same_solver(self) -> impl Iterator<Item = SystemId> {
        let kind = self.system().solver;
        self.document.systems.iter().filter(move |(_, system)| system.solver == kind).map(|(id, _)| *id)
    }

    /// The systems of the same solver that the tuned chains can move to.
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

    /// The nodes for a reference: the active bone first, then all others in the order of the skeleton.
    pub fn node_choices(self) -> Vec<(Node, String)> {
        let active = self.selection.active.map(Node::Bone).filter(|node| !self.node_name(*node).is_empty());
        let all = elements::all_nodes(self.document, &self.character.skeleton);
        let rest = all.into_iter().filter(|node| Some(*node) != active);
        active.into_iter().chain(rest).map(|node| (node, self.node_name(node).to_owned())).collect()
    }

    /// The selected bones, the active one first.
    pub fn selected_nodes(self) -> Vec<Node> {
        self.bones_active_first().map(Node::Bone).collect()
    }

    /// The bones with joints of the tuned system.
    pub fn point_bones(self) -> Vec<BoneId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains[chain].system == id;
        self.target_bones().into_iter().filter(|(chain, _)| of(chain)).map(|(_, bone)| bone).collect()
    }

    /// The child joints that the bone of a tuned point can aim at; empty for fewer than two.
    pub fn point_at_choices(self, bone: BoneId) -> Vec<(Node, String)> {
        let (id, skeleton) = (self.system_id(), &self.character.skeleton);
        let own = self.document.chains.values().filter(|chain| chain.system == id).flat_map(|chain| &chain.joints);
        let below = own.map(|joint| joint.bone).filter(|b| b.index() < skeleton.len());
        let children = below.filter(|b| skeleton.get_parent(*b) == Some(bone)).map(Node::Bone);
        let all: Vec<_> = children.map(|node| (node, self.node_name(node).to_owned())).collect();
        if all.len() < 2 { Vec::new() } else { all }
    }

    /// Whether the tuned solver supports convex hulls and there are meshes.
    pub fn supports_hulls(self) -> bool {
        self.collider_list_kind() == Some(ListKind::Margins) && !self.character.meshes.is_empty()
    }

    /// The meshes with vertices on the bones of some colliders: index and name. Reads every vertex; empty if the solver
    /// does not support hulls.
    pub fn hull_mesh_choices(self, ids: &[ColliderId]) -> Vec<(usize, String)> {
        if !self.supports_hulls() {
            return Vec::new();
        }
        let name = |at: usize| (at, self.character.meshes[at].name.clone());
        let fit = ids.iter().flat_map(|id| hull::candidate_meshes(self.document, self.character, *id));
        fit.collect::<BTreeSet<usize>>().into_iter().map(name).collect()
    }

    /// The list with which the tuned solver extends colliders, if the solver has such a list.
    pub fn collider_list_kind(self) -> Option<ListKind> {
        let own = |side: &ListKind| self.system().component_lists.matches_solver(side.solver());
        [ListKind::Margins, ListKind::Frictions].into_iter().find(own)
    }

    /// Time of the wind of the tuned component in the live world, in seconds; `None` without wind.
    pub fn component_clock(self) -> Option<f32> {
        self.playback.world().clock(self.system_index()?)
    }

    /// Offset of a sync source of the tuned component from its rest position, in metres; `None` for other nodes.
    pub fn component_sync_offset(self, node: Node) -> Option<f32> {
        self.playback.world().sync_offset(self.system_index()?, self.resolved_bone(node)?)
    }

    /// Index of the tuned system in the world.
    fn system_index(self) -> Option<usize> {
        self.resolved.system_ids.iter().position(|id| *id == self.system_id())
    }

    /// Whether some but not all chains of the tuned system are tuned.
    fn can_split(self) -> bool {
        components::split_off_chains(self.document, &self.system_chains(), "").is_some()
    }

    /// The selected chains of the tuned system.
    pub(in crate::session) fn system_chains(self) -> BTreeSet<ChainId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains.get(chain).is_some_and(|c| c.system == id);
        self.selected_chains().into_iter().filter(of).collect()
    }
}

/// A collider group and its assignment to the tuned chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChoice {
    pub id: GroupId,
    /// Its name in files; may be empty.
    pub name: String,
    /// Index from 1, for groups without name.
    pub number: usize,
    pub colliders: usize,
    /// Number of tuned chains with this group.
    pub chains: usize,
    /// Whether the group is assigned to all tuned chains.
    pub all: bool,
}

/// A value of the tuned chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuned<T> {
    /// All chains have this value.
    Same(T),
    /// The chains differ.
    Mixed,
}

/// `None` is the world.
pub type TunedCenter = Tuned<Option<Node>>;
pub type TunedMaterial = Tuned<Option<MaterialId>>;

impl Inspection<'_> {
    /// Whether the tuned solver supports collider groups and centers.
    pub fn supports_groups(self) -> bool {
        groups::are_supported(self.system().solver)
    }

    /// All collider groups and their assignment to the tuned chains.
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

    /// The center of the tuned chains; `None` without targets.
    pub fn center(self) -> Option<TunedCenter> {
        self.tuned_in_common(|chain| chain.center)
    }

    fn tuned_in_common<T: PartialEq>(self, of: fn(&Chain) -> T) -> Option<Tuned<T>> {
        let chains = self.target_chains();
        let mut all = chains.iter().map(|id| of(&self.document.chains[id]));
        let first = all.next()?;
        Some(if all.all(|other| other == first) { Tuned::Same(first) } else { Tuned::Mixed })
    }

    /// The common ancestors of all tuned chains, the nearest first.
    pub fn center_choices(self) -> Vec<BoneId> {
        groups::center_candidates(self.document, &self.character.skeleton, &self.target_chains())
    }

    /// The active bone, if it can be a center and is not in [`Self::center_choices`].
    pub fn active_center(self) -> Option<BoneId> {
        let bone = self.selection.active?;
        let tuned = self.target_chains();
        let is_joint = tuned.iter().any(|id| self.document.chains[id].joint_index(bone).is_some());
        (!is_joint && bone.index() < self.character.skeleton.len() && !self.center_choices().contains(&bone))
            .then_some(bone)
    }
}

/// A material for the tuned chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialChoice {
    pub id: MaterialId,
    pub name: String,
    pub chains: usize,
}

/// The material that a parameter of tuned chains belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialSharing {
    /// Name of the material; the first of several.
    pub material: String,
    /// Names of all chains that change with it, including the tuned ones.
    pub chains: Vec<String>,
}

impl Inspection<'_> {
    /// The materials for the tuned chains.
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

    /// The material of the tuned chains; `None` without targets.
    pub fn material(self) -> Option<TunedMaterial> {
        self.tuned_in_common(|chain| chain.material)
    }

    /// The chain whose values a new material gets, and the name of the material.
    pub fn new_material_source(self) -> Option<(ChainId, String)> {
        let chains = self.target_chains();
        let from = self.active_chain().filter(|id| chains.contains(id)).or_else(|| chains.first().copied())?;
        Some((from, self.document.unique_material_name(&self.document.chains[&from].name, None)))
    }

    /// The material that a parameter of the tuned chains belongs to; `None` without material, or if single joints are
    /// tuned.
    pub fn material_sharing(self, row: ParamId) -> Option<MaterialSharing> {
        let holders = self.targets().chains.into_iter().filter_map(|id| self.document.material_with_param(id, row));
        let holders: BTreeSet<MaterialId> = holders.collect();
        let material = self.document.materials.get(holders.first()?)?.name.clone();
        let has = |id: &Option<MaterialId>| id.is_some_and(|id| holders.contains(&id));
        let chains = self.document.chains.values().filter(|chain| has(&chain.material));
        Some(MaterialSharing { material, chains: chains.map(|chain| chain.name.clone()).collect() })
    }

    pub(in crate::session) fn chains_with_material(self) -> Vec<(ChainId, MaterialId)> {
        self.document.chains.iter().filter_map(|(id, chain)| Some((*id, chain.material?))).collect()
    }

    /// The first chain that no longer shares its material although the material still exists, the name of the material,
    /// and the number of further such chains.
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
