//! Converts a setup from one naming scheme ([`Naming`]) to another. Only this code visits all elements of a setup.

use crate::document::{
    ById, ByName, Chain, ChainEntry, Collider, ColliderGroup, ColliderId, Force, Gesture, GroupId, Helper, HighLeg,
    Joint, JointEntry, LengthTarget, Material, Naming, Node, NodeRef, PosedBone, Setup, SetupEntry, System, Tip,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use yuremono_sim::SolverKind;
use yuremono_sim::rig::BoneId;

/// Converts nodes, bones and values for [`Setup::map_naming`]. `None` drops the reference and every element that
/// requires it, such as a joint without a bone or a collider without a node.
pub trait MapNaming<A: Naming, B: Naming> {
    /// Maps a bone or a helper.
    fn node(&mut self, node: &A::Node) -> Option<B::Node>;
    /// Maps a bone of the skeleton.
    fn bone(&mut self, bone: &A::Bone) -> Option<B::Bone>;
    /// Converts the values of a system.
    fn system_values(&mut self, solver: SolverKind, values: &A::SystemValues) -> B::SystemValues;
    /// Converts the values of a chain.
    fn chain_values(&mut self, solver: SolverKind, values: &A::ChainValues) -> B::ChainValues;
    /// Converts the values of a material.
    fn material_values(&mut self, solver: SolverKind, values: &A::MaterialValues) -> B::MaterialValues;
    /// Converts the overrides of a joint.
    fn joint_values(&mut self, solver: SolverKind, values: &A::JointValues) -> B::JointValues;

    /// Maps a reference to a collider.
    fn collider(&mut self, collider: &A::Collider) -> Option<B::Collider>;

    /// Maps a reference to a collider group.
    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        Some(id)
    }

    /// Called when a field or an entry is entered. Implementations can build a path for messages.
    fn enter_path(&mut self, _step: &dyn Display) {}

    /// Called when the field or entry of [`MapNaming::enter_path`] is left.
    fn leave_path(&mut self) {}

    /// Calls `walk` between [`MapNaming::enter_path`] and [`MapNaming::leave_path`].
    fn at_path<T>(&mut self, step: impl Display, walk: impl FnOnce(&mut Self) -> T) -> T
    where
        Self: Sized,
    {
        self.enter_path(&step);
        let made = walk(self);
        self.leave_path();
        made
    }

    /// Maps all entries of a list, and drops entries that map to `None`.
    fn map_entries<K: Copy + Ord + Into<u32>, T, U>(
        &mut self,
        list: &str,
        all: &BTreeMap<K, T>,
        mut rename: impl FnMut(&T, &mut Self) -> Option<U>,
    ) -> BTreeMap<K, U>
    where
        Self: Sized,
    {
        self.at_path(list, |names| {
            let entry = |(id, value): (&K, &T)| {
                let number: u32 = (*id).into();
                Some((*id, names.at_path(number, |names| rename(value, names))?))
            };
            all.iter().filter_map(entry).collect()
        })
    }
}

/// Maps references within one naming scheme, and keeps all other values. A bone must map to a bone.
#[derive(Debug)]
pub struct MapReferences<N, C = fn(ColliderId) -> ColliderId, G = fn(GroupId) -> GroupId> {
    pub node: N,
    pub collider: C,
    pub group: G,
}

impl<N> MapReferences<N> {
    /// Maps nodes and bones only.
    pub fn nodes(node: N) -> Self {
        Self { node, collider: |id| id, group: |id| id }
    }
}

/// The functions of [`MapNaming`] that keep parameter values.
macro_rules! keep_values {
    ($Naming:ty) => {
        fn system_values(
            &mut self,
            _: SolverKind,
            values: &<$Naming as Naming>::SystemValues,
        ) -> <$Naming as Naming>::SystemValues {
            values.clone()
        }

        fn chain_values(
            &mut self,
            _: SolverKind,
            values: &<$Naming as Naming>::ChainValues,
        ) -> <$Naming as Naming>::ChainValues {
            values.clone()
        }

        fn material_values(
            &mut self,
            _: SolverKind,
            values: &<$Naming as Naming>::MaterialValues,
        ) -> <$Naming as Naming>::MaterialValues {
            values.clone()
        }

        fn joint_values(
            &mut self,
            _: SolverKind,
            values: &<$Naming as Naming>::JointValues,
        ) -> <$Naming as Naming>::JointValues {
            values.clone()
        }
    };
}

impl<N, C, G> MapNaming<ById, ById> for MapReferences<N, C, G>
where
    N: FnMut(Node) -> Node,
    C: FnMut(ColliderId) -> ColliderId,
    G: FnMut(GroupId) -> GroupId,
{
    fn node(&mut self, node: &Node) -> Option<Node> {
        Some((self.node)(*node))
    }

    fn bone(&mut self, bone: &BoneId) -> Option<BoneId> {
        match (self.node)(Node::Bone(*bone)) {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => None,
        }
    }

    fn collider(&mut self, collider: &ColliderId) -> Option<ColliderId> {
        Some((self.collider)(*collider))
    }

    fn group(&mut self, group: GroupId) -> Option<GroupId> {
        Some((self.group)(group))
    }

    keep_values!(ById);
}

/// Maps the names of an exchange file, and keeps all other values. The function receives each name in traversal order,
/// including the parents of inline helpers. `None` keeps a name.
#[derive(Debug)]
pub struct MapNames<F>(pub F);

/// What a name in an exchange file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Bone,
    /// A bone or a helper.
    Node,
    Collider,
}

impl<F: FnMut(NameKind, &str) -> Option<String>> MapNames<F> {
    fn map(&mut self, kind: NameKind, name: &str) -> String {
        (self.0)(kind, name).unwrap_or_else(|| name.to_owned())
    }
}

impl<F: FnMut(NameKind, &str) -> Option<String>> MapNaming<ByName, ByName> for MapNames<F> {
    fn node(&mut self, node: &NodeRef) -> Option<NodeRef> {
        Some(match node {
            NodeRef::Named(name) => NodeRef::Named(self.map(NameKind::Node, name)),
            NodeRef::Inline(helper) => NodeRef::Inline(Box::new(helper.map_naming(self)?)),
        })
    }

    fn bone(&mut self, bone: &String) -> Option<String> {
        Some(self.map(NameKind::Bone, bone))
    }

    fn collider(&mut self, collider: &String) -> Option<String> {
        Some(self.map(NameKind::Collider, collider))
    }

    keep_values!(ByName);
}

impl<A: Naming> Setup<A> {
    /// Converts the setup to another naming scheme. Ids of elements are kept.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Setup<B> {
        let chain = |chain: &Chain<A>, names: &mut _| Some(chain.map_naming(self.solver_of(chain), names));
        Setup {
            systems: names.map_entries("systems", &self.systems, |x, names| Some(x.map_naming(names))),
            materials: names.map_entries("materials", &self.materials, |x, names| Some(x.map_naming(names))),
            helpers: names.map_entries("helpers", &self.helpers, Helper::map_naming),
            colliders: names.map_entries("colliders", &self.colliders, Collider::map_naming),
            forces: names.map_entries("forces", &self.forces, Force::map_naming),
            high_legs: names.map_entries("high_legs", &self.high_legs, HighLeg::map_naming),
            chains: names.map_entries("chains", &self.chains, chain),
            excluded_bones: names.at_path("excluded_bones", |names| {
                let bone = |(at, bone)| names.at_path(at, |names| names.bone(bone));
                self.excluded_bones.iter().enumerate().filter_map(bone).collect()
            }),
            groups: names.map_entries("groups", &self.groups, |x, names| Some(x.map_naming(names))),
            gestures: names.map_entries("gestures", &self.gestures, Gesture::map_naming),
            hidden_meshes: self.hidden_meshes.clone(),
            base_motions: self.base_motions.clone(),
            kept_pose: names.at_path("kept_pose", |names| {
                let posed = |(at, posed): (usize, &PosedBone<A>)| names.at_path(at, |names| posed.map_naming(names));
                self.kept_pose.iter().enumerate().filter_map(posed).collect()
            }),
            passthrough: self.passthrough.clone(),
        }
    }

    /// Returns the solver of a chain, or the solver of the first system if the chain's system is missing.
    pub(super) fn solver_of(&self, chain: &Chain<A>) -> SolverKind {
        let system = self.systems.get(&chain.system).or_else(|| self.systems.values().next());
        system.map_or_else(SolverKind::default, |system| system.solver)
    }
}

impl<A: Naming> System<A> {
    /// Converts the system to another naming scheme.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> System<B> {
        let values = names.at_path("values", |names| names.system_values(self.solver, &self.values));
        let component = names.at_path("component", |names| self.component.as_ref().and_then(|node| names.node(node)));
        let component_lists = names.at_path("component_lists", |names| {
            let names = RefCell::new(names);
            let node = |node: &A::Node| names.borrow_mut().node(node);
            let collider = |id: &A::Collider| names.borrow_mut().collider(id);
            self.component_lists.map_names(node, |bone| names.borrow_mut().bone(bone), collider)
        });
        System { name: self.name.clone(), solver: self.solver, values, component, component_lists }
    }
}

impl<A: Naming> Material<A> {
    /// Converts the material to another naming scheme.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Material<B> {
        let values = names.at_path("values", |names| names.material_values(self.solver, &self.values));
        Material { name: self.name.clone(), solver: self.solver, values }
    }
}

impl<A: Naming> Chain<A> {
    /// Converts the chain, which uses `solver`, to another naming scheme. Joints whose bone `names` does not map are
    /// dropped.
    pub fn map_naming<B: Naming>(&self, solver: SolverKind, names: &mut impl MapNaming<A, B>) -> Chain<B> {
        let values = names.at_path("values", |names| names.chain_values(solver, &self.values));
        let joints = names.at_path("joints", |names| {
            let joint = |(at, joint): (usize, &Joint<A>)| names.at_path(at, |names| joint.map_naming(solver, names));
            self.joints.iter().enumerate().filter_map(joint).collect()
        });
        let groups = names.at_path("groups", |names| self.groups.iter().filter_map(|id| names.group(*id)).collect());
        let center = names.at_path("center", |names| self.center.as_ref().and_then(|node| names.node(node)));
        Chain {
            name: self.name.clone(),
            part: self.part,
            system: self.system,
            curve_domain: self.curve_domain,
            values,
            material: self.material,
            joints,
            groups,
            center,
            ring: self.ring,
            source_index: self.source_index,
        }
    }
}

impl<A: Naming> Joint<A> {
    /// Converts the joint, which uses `solver`, to another naming scheme. Returns `None` if `names` does not map the
    /// joint's bone.
    pub fn map_naming<B: Naming>(&self, solver: SolverKind, names: &mut impl MapNaming<A, B>) -> Option<Joint<B>> {
        let bone = names.at_path("bone", |names| names.bone(&self.bone))?;
        let tip = names.at_path("tip", |names| match &self.tip {
            Tip::Children => Tip::Children,
            Tip::Bone(bone) => names.bone(bone).map_or(Tip::Children, Tip::Bone),
            Tip::Offset(offset) => Tip::Offset(*offset),
        });
        let overrides = names.at_path("overrides", |names| names.joint_values(solver, &self.overrides));
        let pivot = names.at_path("pivot", |names| self.pivot.as_ref().and_then(|node| names.node(node)));
        let length_targets = names.at_path("length_targets", |names| {
            let target = |(at, target): (usize, &LengthTarget<A>)| {
                let node = names.at_path(at, |names| names.node(&target.node))?;
                Some(LengthTarget { node, constant: target.constant })
            };
            self.length_targets.iter().enumerate().filter_map(target).collect()
        });
        let colliders =
            names.at_path("colliders", |names| self.colliders.iter().filter_map(|id| names.collider(id)).collect());
        let Self { limit, enabled, animated, .. } = *self;
        Some(Joint { bone, tip, overrides, pivot, length_targets, colliders, limit, enabled, animated })
    }
}

impl<A: Naming> Helper<A> {
    /// Converts the helper to another naming scheme. Returns `None` if `names` does not map the helper's parent.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<Helper<B>> {
        let parent = names.at_path("parent", |names| names.node(&self.parent))?;
        Some(Helper { name: self.name.clone(), parent, local: self.local, role: self.role })
    }
}

impl<A: Naming> Collider<A> {
    /// Converts the collider to another naming scheme. Returns `None` if `names` does not map the collider's node.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<Collider<B>> {
        let node = names.at_path("node", |names| names.node(&self.node))?;
        let Self { name, shape, enabled, mesh_name: renderer, source_index: source, .. } = self.clone();
        Some(Collider { name, node, shape, enabled, mesh_name: renderer, source_index: source })
    }
}

impl<A: Naming> ColliderGroup<A> {
    /// Converts the group to another naming scheme. Colliders that `names` does not map are dropped.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> ColliderGroup<B> {
        let colliders =
            names.at_path("colliders", |names| self.colliders.iter().filter_map(|c| names.collider(c)).collect());
        ColliderGroup { name: self.name.clone(), colliders, source_index: self.source_index }
    }
}

impl<A: Naming> Force<A> {
    /// Converts the force to another naming scheme. Returns `None` if `names` does not map the force's node.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<Force<B>> {
        let node = names.at_path("node", |names| names.node(&self.node))?;
        Some(Force { name: self.name.clone(), node, kind: self.kind, enabled: self.enabled })
    }
}

impl<A: Naming> HighLeg<A> {
    /// Converts the leg follower to another naming scheme. Returns `None` if `names` does not map one of its nodes.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<HighLeg<B>> {
        let node = names.at_path("node", |names| names.node(&self.node))?;
        let hip = names.at_path("hip", |names| names.node(&self.hip))?;
        let legs: Option<_> = names.at_path("legs", |names| {
            let leg = |[from, to]: &[A::Node; 2]| Some([names.node(from)?, names.node(to)?]);
            self.legs.iter().map(leg).collect()
        });
        Some(HighLeg { node, hip, legs: legs? })
    }
}

impl<A: Naming> Gesture<A> {
    /// Converts the gesture to another naming scheme. Returns `None` if `names` does not map the gesture's bone.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<Gesture<B>> {
        let bone = names.at_path("bone", |names| names.bone(&self.bone))?;
        Some(Gesture {
            name: self.name.clone(),
            bone,
            reach: self.reach,
            samples: self.samples.clone(),
            wind: self.wind,
        })
    }
}

impl<A: Naming> PosedBone<A> {
    /// Converts the bone to another naming scheme. Returns `None` if `names` does not map the bone.
    pub fn map_naming<B: Naming>(&self, names: &mut impl MapNaming<A, B>) -> Option<PosedBone<B>> {
        let bone = names.at_path("bone", |names| names.bone(&self.bone))?;
        Some(PosedBone { bone, reach: self.reach, sample: self.sample })
    }
}

impl SetupEntry {
    /// Maps the references of the entry, whose system has `solver`. Returns `None` if `names` does not map a reference
    /// that the entry requires.
    pub fn map_names(&self, solver: SolverKind, names: &mut impl MapNaming<ByName, ByName>) -> Option<Self> {
        Some(match self {
            Self::System(system) => Self::System(system.map_naming(names)),
            Self::ComponentNodes(nodes) => {
                let mut node = |name: &String| names.node(&NodeRef::Named(name.clone())).map(|it| it.name().to_owned());
                Self::ComponentNodes(
                    nodes.iter().map(|(list, name)| (*list, name.as_ref().and_then(&mut node))).collect(),
                )
            }
            Self::Material(id, material) => Self::Material(*id, material.map_naming(names)),
            Self::Helper(helper) => Self::Helper(helper.map_naming(names)?),
            Self::Collider(collider) => Self::Collider(collider.map_naming(names)?),
            Self::DisabledCollider(name) => Self::DisabledCollider(names.collider(name)?),
            Self::Group(id, group) => Self::Group(*id, group.map_naming(names)),
            Self::Force(force) => Self::Force(force.map_naming(names)?),
            Self::HighLeg(high_leg) => Self::HighLeg(high_leg.map_naming(names)?),
            Self::Chain(ChainEntry { root, number, chain }) => {
                let root = names.bone(root)?;
                Self::Chain(ChainEntry { root, number: *number, chain: chain.map_naming(solver, names) })
            }
            Self::Joint(JointEntry { scope, chain, joint }) => {
                let joint = joint.map_naming(solver, names)?;
                Self::Joint(JointEntry { scope: *scope, chain: *chain, joint })
            }
            Self::ExcludedBone(bone) => Self::ExcludedBone(names.bone(bone)?),
            Self::HiddenMesh(mesh) => Self::HiddenMesh(mesh.clone()),
        })
    }
}
