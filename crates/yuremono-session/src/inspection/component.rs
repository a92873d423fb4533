//! Data that the tuned chains share: the component of their system, collider groups, centers and materials.

use super::Inspection;
use std::collections::BTreeSet;
use yuremono_model::document::{
    Chain, ChainId, ColliderGroup, ColliderId, ComponentLists, GroupId, ListKind, Material, MaterialId, Node, SystemId,
    groups, hull,
};
use yuremono_model::tools::{components, elements};
use yuremono_sim::SolverKind;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;

/// A tool that edits the component of the tuned system: its lists and chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentTool {
    /// Sorts the columns of a network around the body.
    OrderColumns,
    /// Constrains joints of neighbouring columns to each other.
    LinkNeighbours,
    /// Makes the motion of the thighs offset the joints near them.
    SyncThighs,
    /// Moves the tuned chains to a new system.
    Split,
}

impl ComponentTool {
    /// All tools, in menu order.
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
    /// Name of the system; may be empty.
    pub name: String,
    /// Number of the system, from 1, among the systems with the same solver.
    pub number: usize,
    pub chains: usize,
}

impl Inspection<'_> {
    /// Returns the tools that the component of the tuned system supports.
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

    /// Returns whether the component has lists, or chains that can move to another system.
    pub fn has_component_settings(self) -> bool {
        self.system().component_lists != ComponentLists::None || !self.other_systems().is_empty() || self.can_split()
    }

    /// Returns the component lists of the tuned solver.
    pub fn component_lists(self) -> Vec<ListKind> {
        ListKind::ALL.into_iter().filter(|side| self.system().component_lists.matches_solver(side.solver())).collect()
    }

    /// Returns the number of the tuned system, from 1, among the systems with the same solver, and the count of these
    /// systems.
    pub fn system_number(self) -> (usize, usize) {
        let alike: Vec<SystemId> = self.systems_with_same_solver().collect();
        let at = alike.iter().position(|id| *id == self.system_id()).unwrap_or_default();
        (at + 1, alike.len())
    }

    pub(crate) fn systems_with_same_solver(self) -> impl Iterator<Item = SystemId> {
        let kind = self.system().solver;
        self.document.systems.iter().filter(move |(_, system)| system.solver == kind).map(|(id, _)| *id)
    }

    /// Returns the other systems with the same solver, to which the tuned chains can move.
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

    /// Returns the nodes that a reference can point to: the active bone first, then all other nodes in skeleton order.
    pub fn node_choices(self) -> Vec<(Node, String)> {
        let active = self.selection.active.map(Node::Bone).filter(|node| !self.node_name(*node).is_empty());
        let all = elements::all_nodes(self.document, &self.character.skeleton);
        let rest = all.into_iter().filter(|node| Some(*node) != active);
        active.into_iter().chain(rest).map(|node| (node, self.node_name(node).to_owned())).collect()
    }

    /// Returns the selected bones as nodes, the active bone first.
    pub fn selected_nodes(self) -> Vec<Node> {
        self.bones_active_first().map(Node::Bone).collect()
    }

    /// Returns the target bones whose chains belong to the tuned system.
    pub fn point_bones(self) -> Vec<BoneId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains[chain].system == id;
        self.target_bones().into_iter().filter(|(chain, _)| of(chain)).map(|(_, bone)| bone).collect()
    }

    /// Returns the child joints that a bone can point at; empty if there are fewer than two.
    pub fn point_at_choices(self, bone: BoneId) -> Vec<(Node, String)> {
        let (id, skeleton) = (self.system_id(), &self.character.skeleton);
        let own = self.document.chains.values().filter(|chain| chain.system == id).flat_map(|chain| &chain.joints);
        let below = own.map(|joint| joint.bone).filter(|b| b.index() < skeleton.len());
        let children = below.filter(|b| skeleton.get_parent(*b) == Some(bone)).map(Node::Bone);
        let all: Vec<_> = children.map(|node| (node, self.node_name(node).to_owned())).collect();
        if all.len() < 2 { Vec::new() } else { all }
    }

    /// Returns whether the tuned solver supports convex hulls and the character has meshes.
    pub fn supports_hulls(self) -> bool {
        self.collider_list_kind() == Some(ListKind::Margins) && !self.character.meshes.is_empty()
    }

    /// Returns index and name of the meshes that have vertices on the bones of the colliders; empty if the solver does
    /// not support hulls. Reads every vertex.
    pub fn hull_mesh_choices(self, ids: &[ColliderId]) -> Vec<(usize, String)> {
        if !self.supports_hulls() {
            return Vec::new();
        }
        let name = |at: usize| (at, self.character.meshes[at].name.clone());
        let fit = ids.iter().flat_map(|id| hull::candidate_meshes(self.document, self.character, *id));
        fit.collect::<BTreeSet<usize>>().into_iter().map(name).collect()
    }

    /// Returns the list in which the tuned solver stores additional values of colliders; `None` if it has no such list.
    pub fn collider_list_kind(self) -> Option<ListKind> {
        let own = |side: &ListKind| self.system().component_lists.matches_solver(side.solver());
        [ListKind::Margins, ListKind::Frictions].into_iter().find(own)
    }

    /// Returns the wind time of the tuned component in the live world, in seconds; `None` if the component has no wind.
    pub fn component_clock(self) -> Option<f32> {
        self.playback.world().wind_time(self.system_index()?)
    }

    /// Returns how far a sync bone of the tuned component is from its rest position, in metres; `None` for other nodes.
    pub fn component_sync_offset(self, node: Node) -> Option<f32> {
        self.playback.world().sync_offset(self.system_index()?, self.resolved_bone(node)?)
    }

    /// Returns the index of the tuned system in the world.
    fn system_index(self) -> Option<usize> {
        self.resolved.system_ids.iter().position(|id| *id == self.system_id())
    }

    /// Returns whether some, but not all, chains of the tuned system are tuned.
    fn can_split(self) -> bool {
        components::split_off_chains(self.document, &self.system_chains(), "").is_some()
    }

    /// Returns the selected chains of the tuned system.
    pub(crate) fn system_chains(self) -> BTreeSet<ChainId> {
        let id = self.system_id();
        let of = |chain: &ChainId| self.document.chains.get(chain).is_some_and(|c| c.system == id);
        self.selected_chains().into_iter().filter(of).collect()
    }
}

/// A collider group, and how many tuned chains it is assigned to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChoice {
    pub id: GroupId,
    /// Name of the group in files; may be empty.
    pub name: String,
    /// Number of the group, from 1; identifies groups that have no name.
    pub number: usize,
    pub colliders: usize,
    /// Number of tuned chains with this group.
    pub chains: usize,
    /// Whether the group is assigned to all tuned chains.
    pub all: bool,
}

/// A value that the tuned chains may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedValue<T> {
    /// All chains have this value.
    Same(T),
    /// The chains differ.
    Mixed,
}

/// The common center; `None` is the world.
pub type TunedCenter = SharedValue<Option<Node>>;
pub type TunedMaterial = SharedValue<Option<MaterialId>>;

impl Inspection<'_> {
    /// Returns whether the tuned solver supports collider groups and centers.
    pub fn supports_groups(self) -> bool {
        groups::are_supported(self.system().solver)
    }

    /// Returns all collider groups, and how many tuned chains each is assigned to.
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

    /// Returns the center of the tuned chains; `None` if there are no targets.
    pub fn center(self) -> Option<TunedCenter> {
        self.tuned_in_common(|chain| chain.center)
    }

    fn tuned_in_common<T: PartialEq>(self, of: fn(&Chain) -> T) -> Option<SharedValue<T>> {
        let chains = self.target_chains();
        let mut all = chains.iter().map(|id| of(&self.document.chains[id]));
        let first = all.next()?;
        Some(if all.all(|other| other == first) { SharedValue::Same(first) } else { SharedValue::Mixed })
    }

    /// Returns the common ancestors of all tuned chains, the nearest first.
    pub fn center_choices(self) -> Vec<BoneId> {
        groups::center_candidates(self.document, &self.character.skeleton, &self.target_chains())
    }

    /// Returns the active bone if it can be a center and is not in [`Self::center_choices`].
    pub fn active_center(self) -> Option<BoneId> {
        let bone = self.selection.active?;
        let tuned = self.target_chains();
        let is_joint = tuned.iter().any(|id| self.document.chains[id].joint_index(bone).is_some());
        (!is_joint && bone.index() < self.character.skeleton.len() && !self.center_choices().contains(&bone))
            .then_some(bone)
    }
}

/// A material that the tuned chains can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialChoice {
    pub id: MaterialId,
    pub name: String,
    pub chains: usize,
}

/// The material that defines a parameter of tuned chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialSharing {
    /// Name of the material; the first name if there are several materials.
    pub material: String,
    /// Names of all chains that use the material, including the tuned chains.
    pub chains: Vec<String>,
}

impl Inspection<'_> {
    /// Returns the materials that the tuned chains can use.
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

    /// Returns the material of the tuned chains; `None` if there are no targets.
    pub fn material(self) -> Option<TunedMaterial> {
        self.tuned_in_common(|chain| chain.material)
    }

    /// Returns the chain whose values a new material copies, and the name of the new material.
    pub fn new_material_source(self) -> Option<(ChainId, String)> {
        let chains = self.target_chains();
        let from = self.active_chain().filter(|id| chains.contains(id)).or_else(|| chains.first().copied())?;
        Some((from, self.document.unique_material_name(&self.document.chains[&from].name, None)))
    }

    /// Returns the material that defines a parameter of the tuned chains; `None` if no material does, or if single
    /// joints are tuned.
    pub fn material_sharing(self, param: ParamId) -> Option<MaterialSharing> {
        let holders = self.targets().chains.into_iter().filter_map(|id| self.document.material_with_param(id, param));
        let holders: BTreeSet<MaterialId> = holders.collect();
        let material = self.document.materials.get(holders.first()?)?.name.clone();
        let has = |id: &Option<MaterialId>| id.is_some_and(|id| holders.contains(&id));
        let chains = self.document.chains.values().filter(|chain| has(&chain.material));
        Some(MaterialSharing { material, chains: chains.map(|chain| chain.name.clone()).collect() })
    }

    pub(crate) fn chains_with_material(self) -> Vec<(ChainId, MaterialId)> {
        self.document.chains.iter().filter_map(|(id, chain)| Some((*id, chain.material?))).collect()
    }

    /// Finds chains that lost their material although the material still exists. Returns the name of the material, the
    /// name of the first such chain, and the number of other such chains.
    pub(crate) fn detached_from_material(&self, before: &[(ChainId, MaterialId)]) -> Option<(String, String, usize)> {
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
