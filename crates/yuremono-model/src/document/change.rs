//! The difference between two setups. Undo, redo, invalidation and tools that return a whole document use it.

use crate::document::{
    BaseMotion, ById, Chain, ChainId, ChainValue, Collider, ColliderGroup, ColliderId, Force, ForceId, Gesture,
    GestureId, GroupId, Helper, HelperId, HighLeg, HighLegId, Joint, MapNaming, Material, MaterialId, Node,
    Passthrough, PosedBone, Setup, System, SystemId,
};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::params::{Invalidates, ParamId, enumerate_params};
use yuremono_sim::rig::BoneId;

/// The difference between two setups: each place that differs occurs once, with both of its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes(Vec<Change>);

/// One place in which two setups differ. An element is absent before it is added and after it is removed.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants of elements have the names of their elements")]
pub enum Change {
    /// A value of system scope.
    SystemValue(SystemId, ParamId, Replaced<f32>),
    /// A value of a chain, with its curves.
    ChainValue(ChainId, ParamId, Box<Replaced<ChainValue>>),
    /// An override of a joint.
    Override(ChainId, BoneId, ParamId, Replaced<Option<f32>>),
    System(ElementChange<System>),
    Chain(ElementChange<Chain>),
    Material(ElementChange<Material>),
    Helper(ElementChange<Helper>),
    Collider(ElementChange<Collider>),
    Group(ElementChange<ColliderGroup>),
    Force(ElementChange<Force>),
    HighLeg(ElementChange<HighLeg>),
    Gesture(ElementChange<Gesture>),
    BaseMotion(ElementChange<BaseMotion>),
    /// Whether the mesh with this name is hidden.
    HiddenMesh(String, Replaced<bool>),
    /// Whether the bone is excluded from detection.
    ExcludedBone(BoneId, Replaced<bool>),
    /// The displaced bones of the kept pose.
    KeptPose(Replaced<Vec<PosedBone>>),
    /// The entries of files that the character cannot use.
    Passthrough(Replaced<Vec<Passthrough>>),
}

/// A value before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Replaced<T> {
    /// The value before the change.
    pub old: T,
    /// The value after the change.
    pub new: T,
}

/// An element before and after a change. `None` means that the element is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementChange<E: Element> {
    /// The id of the element.
    pub id: E::Id,
    /// Both states of the element.
    pub element: Box<Replaced<Option<E>>>,
}

/// An element of a setup that has an id.
pub trait Element: Clone + PartialEq + 'static {
    /// The type of the id.
    type Id: Copy + Ord + std::fmt::Debug + 'static;

    /// Returns all elements of this type.
    fn all(setup: &Setup) -> &BTreeMap<Self::Id, Self>;

    /// Returns all elements of this type, mutably.
    fn all_mut(setup: &mut Setup) -> &mut BTreeMap<Self::Id, Self>;

    /// Maps the references of the element to bones and to other elements. Returns `None` if the element needs a
    /// reference that `names` does not map.
    fn map_references(&self, names: &mut impl MapNaming<ById, ById>) -> Option<Self>;
}

macro_rules! elements {
    ($($Element:ident: $Id:ident in $map:ident, |$element:ident, $names:ident| $mapped:expr;)*) => {$(
        impl Element for $Element {
            type Id = $Id;

            fn all(setup: &Setup) -> &BTreeMap<$Id, Self> {
                &setup.$map
            }

            fn all_mut(setup: &mut Setup) -> &mut BTreeMap<$Id, Self> {
                &mut setup.$map
            }

            fn map_references(&self, $names: &mut impl MapNaming<ById, ById>) -> Option<Self> {
                let $element = self;
                $mapped
            }
        }
    )*};
}
elements! {
    System: SystemId in systems, |system, names| Some(system.map_naming(names));
    Chain: ChainId in chains, |chain, names| Some(chain.map_naming(SolverKind::default(), names));
    Material: MaterialId in materials, |material, names| Some(material.map_naming(names));
    Helper: HelperId in helpers, |helper, names| helper.map_naming(names);
    Collider: ColliderId in colliders, |collider, names| collider.map_naming(names);
    ColliderGroup: GroupId in groups, |group, names| Some(group.map_naming(names));
    Force: ForceId in forces, |force, names| force.map_naming(names);
    HighLeg: HighLegId in high_legs, |high_leg, names| high_leg.map_naming(names);
    Gesture: GestureId in gestures, |gesture, names| gesture.map_naming(names);
    BaseMotion: GestureId in base_motions, |motion, _names| Some(motion.clone());
}

/// Calls a function with the [`ElementChange`] of a change. Other changes give `$other`.
macro_rules! with_element {
    ($change:expr, |$element:ident| $body:expr, $($pattern:pat => $other:expr),+ $(,)?) => {
        match $change {
            Change::System($element) => $body,
            Change::Chain($element) => $body,
            Change::Material($element) => $body,
            Change::Helper($element) => $body,
            Change::Collider($element) => $body,
            Change::Group($element) => $body,
            Change::Force($element) => $body,
            Change::HighLeg($element) => $body,
            Change::Gesture($element) => $body,
            Change::BaseMotion($element) => $body,
            $($pattern => $other),+
        }
    };
}

/// Which derived data changes make stale. Each variant includes the variants before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invalidation {
    /// No data that the simulation uses.
    #[default]
    Nothing,
    /// Parameters are stale, and the motion continues.
    Params,
    /// The structure is stale: chains, helpers or colliders changed.
    Topology,
}

impl<T> Replaced<T> {
    const fn get(&self, is_new: bool) -> &T {
        if is_new { &self.new } else { &self.old }
    }
}

impl<T: PartialEq + Clone> Replaced<T> {
    /// Returns `None` if the values are equal.
    fn between(old: &T, new: &T) -> Option<Self> {
        (old != new).then(|| Self { old: old.clone(), new: new.clone() })
    }
}

impl<E: Element> ElementChange<E> {
    /// Returns the change that puts an element into a setup, or removes it.
    pub(super) fn to_put(setup: &Setup, id: E::Id, new: Option<E>) -> Self {
        Self { id, element: Box::new(Replaced { old: E::all(setup).get(&id).cloned(), new }) }
    }

    fn set(&self, setup: &mut Setup, is_new: bool) {
        match self.element.get(is_new) {
            Some(element) => _ = E::all_mut(setup).insert(self.id, element.clone()),
            None => _ = E::all_mut(setup).remove(&self.id),
        }
    }

    fn map_references(&mut self, names: &mut impl MapNaming<ById, ById>) {
        for state in [&mut self.element.old, &mut self.element.new] {
            if let Some(mapped) = state.as_ref().and_then(|element| element.map_references(names)) {
                *state = Some(mapped);
            }
        }
    }

    /// Returns both states if the element exists before and after the change.
    fn both(&self) -> Option<(&E, &E)> {
        self.element.old.as_ref().zip(self.element.new.as_ref())
    }

    /// Returns what becomes stale. The motion continues if the element keeps its node.
    fn placed_invalidation(&self, node: impl Fn(&E) -> Node) -> Invalidation {
        let keeps_node = self.both().is_some_and(|(old, new)| node(old) == node(new));
        if keeps_node { Invalidation::Params } else { Invalidation::Topology }
    }
}

impl Change {
    /// Gives the place its new value, or else its old value.
    pub(super) fn set(&self, setup: &mut Setup, is_new: bool) {
        with_element!(self, |element| element.set(setup, is_new),
            Self::SystemValue(id, param, value) => {
                if let Some(system) = setup.systems.get_mut(id).filter(|system| param.index() < system.values.len()) {
                    system.values.set(*param, *value.get(is_new));
                }
            },
            Self::ChainValue(id, param, value) => {
                if let Some(slot) = setup.chains.get_mut(id).and_then(|chain| chain.values.get_mut(param.index())) {
                    slot.clone_from(value.get(is_new));
                }
            },
            Self::Override(id, bone, param, value) => {
                let joints = setup.chains.get_mut(id).into_iter().flat_map(|chain| &mut chain.joints);
                for joint in joints.filter(|joint| joint.bone == *bone) {
                    match value.get(is_new) {
                        Some(value) => _ = joint.overrides.insert(*param, *value),
                        None => _ = joint.overrides.remove(param),
                    }
                }
            },
            Self::HiddenMesh(name, hidden) => set_member(&mut setup.hidden_meshes, name, *hidden.get(is_new)),
            Self::ExcludedBone(bone, excluded) => set_member(&mut setup.excluded_bones, bone, *excluded.get(is_new)),
            Self::KeptPose(pose) => setup.kept_pose.clone_from(pose.get(is_new)),
            Self::Passthrough(entries) => setup.passthrough.clone_from(entries.get(is_new)),
        );
    }

    /// Whether the change removes an element that has an id.
    pub(super) fn removes_element(&self) -> bool {
        with_element!(self, |change| change.element.new.is_none(), _ => false)
    }

    /// Returns what the change makes stale. `setup` is a setup before or after the change.
    fn invalidation(&self, setup: &Setup) -> Invalidation {
        match self {
            Self::SystemValue(id, param, _) => {
                let def = setup.systems.get(id).and_then(|system| system.param_defs().get(param.index()));
                def.map_or(Invalidation::Topology, |def| def.invalidates.into())
            }
            Self::System(change) => {
                change.both().map_or(Invalidation::Topology, |(old, new)| system_invalidation(old, new))
            }
            Self::Chain(change) => {
                change.both().map_or(Invalidation::Topology, |(old, new)| chain_invalidation(old, new))
            }
            Self::Collider(change) => change.placed_invalidation(|collider| collider.node),
            Self::Force(change) => change.placed_invalidation(|force| force.node),
            Self::Helper(_) | Self::Group(_) | Self::HighLeg(_) => Invalidation::Topology,
            // The kept pose is an input of the simulation, so the world has to run even if playback is paused.
            Self::ChainValue(..) | Self::Override(..) | Self::HiddenMesh(..) | Self::KeptPose(_) => {
                Invalidation::Params
            }
            Self::Material(_)
            | Self::Gesture(_)
            | Self::BaseMotion(_)
            | Self::ExcludedBone(..)
            | Self::Passthrough(_) => Invalidation::Nothing,
        }
    }

    fn map_references(&mut self, names: &mut impl MapNaming<ById, ById>) {
        with_element!(self, |element| element.map_references(names),
            Self::Override(_, bone, ..) | Self::ExcludedBone(bone, _) => {
                *bone = names.bone(bone).unwrap_or(*bone);
            },
            Self::KeptPose(pose) => {
                for posed in pose.old.iter_mut().chain(&mut pose.new) {
                    posed.bone = names.bone(&posed.bone).unwrap_or(posed.bone);
                }
            },
            Self::SystemValue(..) | Self::ChainValue(..) | Self::HiddenMesh(..) | Self::Passthrough(_) => {},
        );
    }
}

fn set_member<T: Ord + Clone>(set: &mut BTreeSet<T>, member: &T, is_in: bool) {
    if is_in {
        set.insert(member.clone());
    } else {
        set.remove(member);
    }
}

impl From<Invalidates> for Invalidation {
    fn from(invalidates: Invalidates) -> Self {
        match invalidates {
            Invalidates::Params => Self::Params,
            Invalidates::Topology => Self::Topology,
        }
    }
}

/// The motion continues if only values changed that a running world can read again.
fn system_invalidation(old: &System, new: &System) -> Invalidation {
    let same_values = System { values: old.values.clone(), ..new.clone() };
    if !old.allows_live_update(&same_values) {
        return Invalidation::Topology;
    }
    let changed = enumerate_params(old.param_defs()).filter(|(param, _)| old.get(*param) != new.get(*param));
    changed.map(|(_, def)| def.invalidates.into()).fold(Invalidation::Params, Invalidation::max)
}

fn chain_invalidation(old: &Chain, new: &Chain) -> Invalidation {
    let bare = Chain { curve_domain: old.curve_domain, ring: old.ring, material: old.material, ..new.clone() };
    if !only_values_differ(old, &bare) {
        return Invalidation::Topology;
    }
    let unassigned = Chain { material: old.material, ..new.clone() };
    if unassigned == *old { Invalidation::Nothing } else { Invalidation::Params }
}

/// Whether two chains differ at most in the values of parameters.
fn only_values_differ(old: &Chain, new: &Chain) -> bool {
    let Chain { name, part, system, curve_domain, values, material, joints, groups, center, ring, source_index } = old;
    let same_joint = |(old, new): (&Joint, &Joint)| {
        let Joint { bone, tip, overrides: _, pivot, length_targets, colliders, limit, enabled, animated } = old;
        (bone, tip, pivot, length_targets, colliders, limit, enabled, animated)
            == (
                &new.bone,
                &new.tip,
                &new.pivot,
                &new.length_targets,
                &new.colliders,
                &new.limit,
                &new.enabled,
                &new.animated,
            )
    };
    (name, part, system, curve_domain, material)
        == (&new.name, &new.part, &new.system, &new.curve_domain, &new.material)
        && (groups, center, ring, source_index) == (&new.groups, &new.center, &new.ring, &new.source_index)
        && values.len() == new.values.len()
        && joints.len() == new.joints.len()
        && joints.iter().zip(&new.joints).all(same_joint)
}

impl Changes {
    /// Returns the changes from `old` to `new`. Values of parameters are listed one by one, other elements as a whole.
    pub fn between(old: &Setup, new: &Setup) -> Self {
        let mut all = Vec::new();
        for (id, states) in element_states::<System>(old, new) {
            match states {
                [Some(old), Some(new)] if System { values: new.values.clone(), ..old.clone() } == *new => {
                    for (param, _) in enumerate_params(new.param_defs()) {
                        let value = Replaced { old: old.get(param), new: new.get(param) };
                        if value.old.to_bits() != value.new.to_bits() {
                            all.push(Change::SystemValue(id, param, value));
                        }
                    }
                }
                _ => all.push(Change::System(element_change(id, states))),
            }
        }
        let keeps_solver = |before: &Chain, after: &Chain| old.solver_of(before) == new.solver_of(after);
        for (id, states) in element_states::<Chain>(old, new) {
            match states {
                [Some(old), Some(new)] if keeps_solver(old, new) && only_values_differ(old, new) => {
                    push_value_changes(id, [old, new], &mut all);
                }
                // The values of another solver have another meaning, even if the numbers are equal.
                _ => all.push(Change::Chain(element_change(id, states))),
            }
        }
        let materials = element_states::<Material>(old, new).filter(|(_, states)| match states {
            [Some(old), Some(new)] => old != new || !old.values.values().zip(new.values.values()).all(is_same_value),
            _ => true,
        });
        all.extend(materials.map(|(id, states)| Change::Material(element_change(id, states))));
        push_elements(old, new, Change::Helper, &mut all);
        push_elements(old, new, Change::Collider, &mut all);
        push_elements(old, new, Change::Group, &mut all);
        push_elements(old, new, Change::Force, &mut all);
        push_elements(old, new, Change::HighLeg, &mut all);
        push_elements(old, new, Change::Gesture, &mut all);
        push_elements(old, new, Change::BaseMotion, &mut all);
        let (hidden, excluded) = (&new.hidden_meshes, &new.excluded_bones);
        let member = |is_in: bool| Replaced { old: !is_in, new: is_in };
        let meshes = old.hidden_meshes.symmetric_difference(hidden);
        all.extend(meshes.map(|mesh| Change::HiddenMesh(mesh.clone(), member(hidden.contains(mesh)))));
        let bones = old.excluded_bones.symmetric_difference(excluded);
        all.extend(bones.map(|bone| Change::ExcludedBone(*bone, member(excluded.contains(bone)))));
        all.extend(Replaced::between(&old.kept_pose, &new.kept_pose).map(Change::KeptPose));
        all.extend(Replaced::between(&old.passthrough, &new.passthrough).map(Change::Passthrough));
        Self(all)
    }

    /// Returns the number of places that differ.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&Change) -> bool) {
        self.0.retain(is_kept);
    }

    /// Whether the chain changes as a whole, and not only in values of its parameters.
    pub(super) fn replaces_chain(&self, id: ChainId) -> bool {
        self.0.iter().any(|change| matches!(change, Change::Chain(change) if change.id == id))
    }

    /// Returns the changes one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, Change> {
        self.0.iter()
    }

    /// Gives each place its new value. The setup must have the old values.
    pub fn apply(&self, setup: &mut Setup) {
        self.0.iter().for_each(|change| change.set(setup, true));
    }

    /// Gives each place its old value. The setup must have the new values.
    pub fn revert(&self, setup: &mut Setup) {
        self.0.iter().for_each(|change| change.set(setup, false));
    }

    /// Returns which derived data the changes make stale, in either direction. `setup` is the setup before or after the
    /// changes.
    pub fn invalidation(&self, setup: &Setup) -> Invalidation {
        self.0.iter().map(|change| change.invalidation(setup)).max().unwrap_or_default()
    }

    /// Maps the references to bones and to other elements. A reference that `names` does not map stays unchanged.
    pub fn map_references(&mut self, names: &mut impl MapNaming<ById, ById>) {
        self.0.iter_mut().for_each(|change| change.map_references(names));
    }

    /// Returns the old and the new states of all chains that change as a whole.
    pub fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        let states = self.0.iter_mut().filter_map(|change| match change {
            Change::Chain(change) => Some(&mut *change.element),
            _ => None,
        });
        states.flat_map(|states| states.old.iter_mut().chain(&mut states.new))
    }
}

impl<'a> IntoIterator for &'a Changes {
    type Item = &'a Change;
    type IntoIter = std::slice::Iter<'a, Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Returns every element of either setup with its states in both setups.
fn element_states<'a, E: Element>(old: &'a Setup, new: &'a Setup) -> impl Iterator<Item = (E::Id, [Option<&'a E>; 2])> {
    let all = [E::all(old), E::all(new)];
    let ids: BTreeSet<E::Id> = all[0].keys().chain(all[1].keys()).copied().collect();
    ids.into_iter().map(move |id| (id, all.map(|all| all.get(&id))))
}

fn changed_elements<'a, E: Element>(
    old: &'a Setup,
    new: &'a Setup,
) -> impl Iterator<Item = (E::Id, [Option<&'a E>; 2])> {
    element_states(old, new).filter(|(_, [old, new])| old != new)
}

fn element_change<E: Element>(id: E::Id, [old, new]: [Option<&E>; 2]) -> ElementChange<E> {
    ElementChange { id, element: Box::new(Replaced { old: old.cloned(), new: new.cloned() }) }
}

fn push_elements<E: Element>(
    old: &Setup,
    new: &Setup,
    change: impl Fn(ElementChange<E>) -> Change,
    all: &mut Vec<Change>,
) {
    all.extend(changed_elements(old, new).map(|(id, states)| change(element_change(id, states))));
}

/// Whether two values are equal in every bit, because undo restores the sign of zero.
fn is_same_value((old, new): (&ChainValue, &ChainValue)) -> bool {
    old.base.to_bits() == new.base.to_bits() && old == new
}

fn push_value_changes(id: ChainId, [old, new]: [&Chain; 2], all: &mut Vec<Change>) {
    for (at, (old, new)) in old.values.iter().zip(&new.values).enumerate().filter(|(_, pair)| !is_same_value(*pair)) {
        let value = Replaced { old: old.clone(), new: new.clone() };
        all.push(Change::ChainValue(id, ParamId(at as u16), Box::new(value)));
    }
    for (old, new) in old.joints.iter().zip(&new.joints) {
        for param in old.overrides.keys().chain(new.overrides.keys()).collect::<BTreeSet<_>>() {
            let [before, after] = [old, new].map(|joint| joint.overrides.get(param).copied());
            if before.map(f32::to_bits) != after.map(f32::to_bits) {
                all.push(Change::Override(id, new.bone, *param, Replaced { old: before, new: after }));
            }
        }
    }
}
