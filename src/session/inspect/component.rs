//! The engine's component that stands behind the tuned system: its lists, and which chains share it.

use super::Session;
use crate::doc::components;
use crate::doc::convert::order_columns;
use crate::doc::hull;
use crate::doc::{ColliderId, Edit, Extras, Label, Node, Side, SystemId, parts};
use crate::rig::BoneId;
use crate::sim::SolverKind;

/// Key of the words of a button, and what it does.
type ComponentDeed = (&'static str, fn(&Session) -> Option<(Edit, Label)>);

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

impl Session {
    /// What the engine's component of the tuned system can have done to its lists.
    pub fn component_deeds(&self) -> &'static [ComponentDeed] {
        match self.system().solver {
            SolverKind::JointDynamics => &[("order_columns", Self::order_columns)],
            SolverKind::KawaiiPhysics => {
                &[("link_neighbours", Self::link_neighbours), ("sync_thighs", Self::sync_thighs)]
            }
            _ => &[],
        }
    }

    /// Whether the tuned solver's component says anything beyond numbers, or there are chains that could part.
    pub fn has_component(&self) -> bool {
        self.system().extras != Extras::None || !self.other_systems().is_empty() || self.can_split()
    }

    /// What the component can name, in order.
    pub fn sides(&self) -> Vec<Side> {
        Side::ALL.into_iter().filter(|side| self.system().extras.fit(side.solver())).collect()
    }

    /// The place of the tuned system among those of its solver, from 1, and how many there are.
    pub fn system_number(&self) -> (usize, usize) {
        let alike: Vec<SystemId> = self.systems_alike().collect();
        let at = alike.iter().position(|id| *id == self.system_id()).unwrap_or_default();
        (at + 1, alike.len())
    }

    fn systems_alike(&self) -> impl Iterator<Item = SystemId> {
        let kind = self.system().solver;
        self.document.systems.iter().filter(move |(_, system)| system.solver == kind).map(|(id, _)| *id)
    }

    /// Systems of the same solver that the tuned chains could join.
    pub fn other_systems(&self) -> Vec<OtherSystem> {
        let own = self.system_id();
        let chains = |id| self.document.chains.values().filter(|chain| chain.system == id).count();
        let other = |(at, id): (usize, SystemId)| OtherSystem {
            id,
            name: self.document.systems[&id].name.clone(),
            number: at + 1,
            chains: chains(id),
        };
        self.systems_alike().enumerate().filter(|(_, id)| *id != own).map(other).collect()
    }

    /// Nodes that may be chosen: the active bone first, then all others by where they stand.
    pub fn node_choices(&self) -> Vec<(Node, String)> {
        let active = self.selection.active.map(Node::Bone).filter(|node| !self.node_label(*node).is_empty());
        let all = parts::nodes(&self.document, &self.character.skeleton);
        let rest = all.into_iter().filter(|node| Some(*node) != active);
        active.into_iter().chain(rest).map(|node| (node, self.node_label(node))).collect()
    }

    /// Name of a node; that which it had where the character has it no more.
    pub fn node_label(&self, node: Node) -> String {
        match node {
            Node::Bone(bone) if bone.index() >= self.character.skeleton.len() => {
                self.document.lost.path(bone).map_or_else(String::new, |path| path.name.clone())
            }
            _ => parts::node_name(&self.document, &self.character.skeleton, node).to_owned(),
        }
    }

    /// The selected bones, the active one first.
    pub fn selected_nodes(&self) -> Vec<Node> {
        let active = self.selection.active;
        let rest = self.selection.bones.iter().copied().filter(|bone| Some(*bone) != active);
        active.into_iter().chain(rest).map(Node::Bone).collect()
    }

    /// Bones whose points are tuned: joints of the tuned system.
    pub fn point_bones(&self) -> Vec<BoneId> {
        let id = self.system_id();
        let of = |chain: &crate::doc::ChainId| self.document.chains[chain].system == id;
        self.target_bones().into_iter().filter(|(chain, _)| of(chain)).map(|(_, bone)| bone).collect()
    }

    /// What the bone of a tuned point can aim at, where there is a choice: the joints right below it.
    pub fn aim_choices(&self, bone: BoneId) -> Vec<(Node, String)> {
        let (id, skeleton) = (self.system_id(), &self.character.skeleton);
        let own = self.document.chains.values().filter(|chain| chain.system == id).flat_map(|chain| &chain.joints);
        let below = own.map(|joint| joint.bone).filter(|b| b.index() < skeleton.len());
        let children = below.filter(|b| skeleton.parent_of(*b) == Some(bone)).map(Node::Bone);
        let all: Vec<_> = children.map(|node| (node, self.node_label(node))).collect();
        if all.len() < 2 { Vec::new() } else { all }
    }

    /// Whether the tuned solver knows convex hulls of colliders, and there are meshes to take some from.
    pub fn can_have_hulls(&self) -> bool {
        self.collider_side() == Some(Side::Margins) && !self.character.meshes.is_empty()
    }

    /// Meshes that the convex hull of any of some colliders can be taken from: positions among the character's, and names.
    /// Looks at every vertex; empty where the tuned solver knows no hulls.
    pub fn hull_choices(&self, ids: &[ColliderId]) -> Vec<(usize, String)> {
        if !self.can_have_hulls() {
            return Vec::new();
        }
        let name = |at: usize| (at, self.character.meshes[at].name.clone());
        let fit = ids.iter().flat_map(|id| hull::meshes(&self.document, &self.character, *id));
        fit.collect::<std::collections::BTreeSet<usize>>().into_iter().map(name).collect()
    }

    /// Puts the convex hull of what a mesh hangs on the bones of colliders in place of their shapes, or takes it away, in
    /// every system of the tuned solver. Colliders that the mesh has nothing for stay as they are; the label counts the
    /// others.
    pub fn change_hull(&self, ids: &[ColliderId], mesh: Option<usize>, label: Label) -> (Edit, Label) {
        let mut hulls = Vec::new();
        for id in ids {
            let found = mesh.map(|mesh| hull::hull(&self.document, &self.character, *id, mesh));
            match found {
                None => hulls.push((*id, None)),
                Some(Some(hull)) => hulls.push((*id, Some(hull))),
                Some(None) => {}
            }
        }
        let change = |system: SystemId| {
            components::change(&self.document, system, |system| {
                for (id, hull) in &hulls {
                    system.extras.set_hull(*id, hull.clone());
                }
            })
        };
        let label = Label { count: hulls.len(), ..label };
        (Edit::Batch(self.systems_alike().filter_map(change).collect()), label)
    }

    /// What the tuned system's solver adds to colliders, if anything.
    pub fn collider_side(&self) -> Option<Side> {
        let own = |side: &Side| self.system().extras.fit(side.solver());
        [Side::Margins, Side::Frictions].into_iter().find(own)
    }

    /// Changes one number of what the tuned solver adds to colliders, in every system of it: a collider is one thing.
    pub fn change_colliders(
        &self,
        ids: &[ColliderId],
        field: usize,
        change: impl Fn(f32) -> f32,
        label: Label,
    ) -> Option<(Edit, Label)> {
        let edits: Vec<Edit> = self
            .systems_alike()
            .filter_map(|id| {
                components::change(&self.document, id, |system| {
                    for collider in ids {
                        let value = change(system.extras.collider_field(*collider, field));
                        system.extras.set_collider_field(*collider, field, value);
                    }
                })
            })
            .collect();
        (!edits.is_empty()).then_some((Edit::Batch(edits), label))
    }

    /// Seconds on the clock of what the tuned component blows, as the live motion has it; `None` where it blows nothing.
    pub fn component_clock(&self) -> Option<f32> {
        self.play.world().clock(self.component_place()?)
    }

    /// How far a node that leads others in the tuned component stands from its place, metres; `None` for any other.
    pub fn component_moved(&self, node: Node) -> Option<f32> {
        let bone = match node {
            Node::Bone(bone) => bone,
            Node::Helper(_) => *self.resolved.bones.get(&node)?,
        };
        self.play.world().moved(self.component_place()?, bone)
    }

    /// Where the world has the tuned system.
    fn component_place(&self) -> Option<usize> {
        self.resolved.ids.iter().position(|id| *id == self.system_id())
    }

    /// One change of the tuned system.
    pub fn change_system(&self, label: Label, change: impl FnOnce(&mut crate::doc::System)) -> Option<(Edit, Label)> {
        Some((components::change(&self.document, self.system_id(), change)?, label))
    }

    /// Whether some but not all chains of the tuned system are tuned.
    pub fn can_split(&self) -> bool {
        components::split(&self.document, &self.system_chains(), "").is_some()
    }

    /// Gives the tuned chains settings of their own.
    pub fn split_system(&self) -> Option<(Edit, Label)> {
        let chains = self.system_chains();
        let (edit, _) = components::split(&self.document, &chains, "")?;
        Some((edit, Label::new("split_system", chains.len())))
    }

    /// Puts the tuned chains under another system of their solver.
    pub fn join_system(&self, into: SystemId) -> Option<(Edit, Label)> {
        let chains = self.system_chains();
        Some((components::join(&self.document, &chains, into)?, Label::new("join_system", chains.len())))
    }

    /// The selected chains of the tuned system; what is selected of other systems is not meant.
    fn system_chains(&self) -> std::collections::BTreeSet<crate::doc::ChainId> {
        let id = self.system_id();
        let of = |chain: &crate::doc::ChainId| self.document.chains.get(chain).is_some_and(|c| c.system == id);
        self.selected_chains().into_iter().filter(of).collect()
    }

    /// Sorts the columns of a network around the body.
    pub fn order_columns(&self) -> Option<(Edit, Label)> {
        Some((order_columns(&self.document, &self.character, self.system_id())?, Label::new("order_columns", 1)))
    }

    /// Pairs joints of neighbouring columns.
    pub fn link_neighbours(&self) -> Option<(Edit, Label)> {
        let edit = components::link_neighbours(&self.document, &self.character, self.system_id())?;
        Some((edit, Label::new("link_neighbours", 1)))
    }

    /// Lets thighs shift what hangs near them.
    pub fn sync_thighs(&self) -> Option<(Edit, Label)> {
        let edit = components::sync_thighs(&self.document, &self.character, self.system_id())?;
        Some((edit, Label::new("sync_thighs", 1)))
    }

    /// Whether the tuned solver reads what the component sits on.
    pub fn reads_component(&self) -> bool {
        self.system().solver.info().reads_component
    }
}
