//! Comment rows: one entry for each element that table rows cannot store.

use crate::document::{
    ByName, Chain, ChainEntry, ChainValue, Collider, ComponentLists, CurveDomain, Joint, JointEntry, MapNaming as _,
    ReplacedProperties, SetupEntry, System, SystemId,
};
use crate::exchange::FileEntry;
use crate::exchange::document_view::SolverSubset;
use crate::exchange::merge::chain_part;
use crate::exchange::setup_file::file_entry;
use crate::exchange::unbind::NameUnbinder;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};

pub(super) struct CommentRows {
    pub(super) items: Vec<FileEntry>,
    /// Ambiguous names in component lists.
    pub(super) unresolvable_names_in_lists: BTreeSet<String>,
    /// Ambiguous names in other comment rows.
    pub(super) unresolvable_names: BTreeSet<String>,
}

impl CommentRows {
    pub(super) fn from_subset(part: &SolverSubset<'_>, names: &mut NameUnbinder<'_>) -> Self {
        let document = part.document;
        let mut all: Vec<SetupEntry> = system_entry(part, names).map(SetupEntry::System).into_iter().collect();
        let lost_in_lists = names.take_unresolvable_names();
        let materials = document.materials.iter().filter(|(_, material)| material.solver == part.solver);
        all.extend(materials.map(|(id, material)| SetupEntry::Material(*id, material.map_naming(names))));
        for (id, group) in &document.groups {
            let mut group = group.map_naming(names);
            group.source_index = None;
            all.push(SetupEntry::Group(*id, group));
        }
        for (_, chain) in part.chains() {
            all.extend(chain_entry(part, chain, names).map(SetupEntry::Chain));
            let joints = chain.joints.iter().filter_map(|joint| joint_details(part, joint, names));
            all.extend(joints.map(SetupEntry::Joint));
        }
        all.extend(disabled_colliders(part).map(SetupEntry::DisabledCollider));
        all.extend(document.hidden_meshes.iter().cloned().map(SetupEntry::HiddenMesh));
        all.extend(document.excluded_bones.iter().filter_map(|bone| names.bone(bone)).map(SetupEntry::ExcludedBone));
        all.extend(document.forces.values().filter_map(|force| force.map_naming(names)).map(SetupEntry::Force));
        let items = all.into_iter().map(|item| file_entry(0, item)).collect();
        Self { items, unresolvable_names_in_lists: lost_in_lists, unresolvable_names: names.take_unresolvable_names() }
    }
}

/// The system values that differ from the defaults. The name, the component node and the component lists are included
/// only if the solver has one system.
fn system_entry(part: &SolverSubset<'_>, names: &mut NameUnbinder<'_>) -> Option<System<ByName>> {
    let mut system = part.main_system.map_naming(names);
    if !part.has_one_system() {
        system = System { name: String::new(), component: None, component_lists: ComponentLists::None, ..system };
    }
    if system.component_lists.is_empty() {
        system.component_lists = ComponentLists::None;
    }
    let says_nothing = system.name.is_empty() && system.values.is_empty() && system.component.is_none();
    (!says_nothing || system.component_lists != ComponentLists::None).then_some(system)
}

/// Returns `None` if readers can derive the chain from the joints.
fn chain_entry(part: &SolverSubset<'_>, chain: &Chain, names: &mut NameUnbinder<'_>) -> Option<ChainEntry> {
    let root = part.names.unique_name(chain.root())?;
    let values = values_not_in_rows(part, chain);
    let is_below_another = part.skeleton.get_parent(chain.root()).is_some_and(|parent| part.has_joint(parent));
    let is_derived = chain.name == root
        && chain.part == chain_part(part.skeleton, chain.root())
        && chain.curve_domain == CurveDomain::Length
        && !is_below_another
        && values.is_empty()
        && part.document.material_of(chain).is_none()
        && chain.groups.is_empty()
        && chain.center.is_none()
        && chain.ring.is_none();
    if is_derived {
        return None;
    }
    let without_joints = Chain { joints: Vec::new(), system: SystemId::default(), source_index: None, ..chain.clone() };
    let chain = Chain { values, ..without_joints.map_naming(part.solver, names) };
    Some(ChainEntry { root: root.to_owned(), number: None, chain })
}

/// The values that joint rows do not contain: curves, materials, extensions, and base values that all joints override.
fn values_not_in_rows(part: &SolverSubset<'_>, chain: &Chain) -> BTreeMap<String, ChainValue> {
    let material = part.document.material_of(chain);
    let is_held = |param: ParamId| material.is_some_and(|material| material.values.contains_key(&param));
    let own = enumerate_params(part.main_system.param_defs())
        .filter(|(_, def)| def.scope == ParamScope::Joint)
        .filter_map(|(param, def)| {
            let value = chain.values.get(param.index())?;
            let is_hidden = value.base != def.default
                && (def.extension
                    || chain.is_overridden_by_all_joints(param) && !has_override_equal_to_base(chain, param));
            let is_needed = value.curve.is_some() || value.around.is_some() || is_hidden || is_held(param);
            is_needed.then(|| (def.name.to_owned(), value.clone()))
        });
    own.collect()
}

fn has_override_equal_to_base(chain: &Chain, param: ParamId) -> bool {
    let base = chain.values.get(param.index()).map(|value| value.base);
    chain.joints.iter().any(|joint| joint.overrides.get(&param).copied() == base)
}

/// Returns `None` if the joint row contains all values.
fn joint_details(part: &SolverSubset<'_>, joint: &Joint, names: &mut NameUnbinder<'_>) -> Option<JointEntry> {
    let is_beyond = |param: &ParamId| {
        part.main_system
            .param_defs()
            .get(param.index())
            .is_some_and(|def| def.extension && def.scope == ParamScope::Joint)
    };
    let own = joint.overrides.iter().filter(|(param, _)| is_beyond(param)).map(|(param, value)| (*param, *value));
    let held = joint.length_targets.iter().filter(|target| target.constant.is_some());
    let Joint { bone, limit, enabled, animated, .. } = *joint;
    let (tip, own, length_targets) = (joint.tip.clone(), own.collect(), held.copied().collect());
    let details = Joint { tip, overrides: own, length_targets, limit, enabled, animated, ..Joint::new(bone) };
    if details == Joint::new(bone) {
        return None;
    }
    let joint = details.map_naming(part.solver, names)?;
    // The entry is empty if all its details had ambiguous names.
    let is_empty = joint == Joint::new(joint.bone.clone());
    (!is_empty).then_some(JointEntry { scope: ReplacedProperties::Details, chain: None, joint })
}

/// The names of disabled colliders, if the name is unique.
fn disabled_colliders<'a>(part: &SolverSubset<'a>) -> impl Iterator<Item = String> + use<'a> {
    let all = &part.document.colliders;
    let is_unique = move |one: &&Collider| all.values().filter(|other| other.name == one.name).count() == 1;
    all.values().filter(|collider| !collider.enabled).filter(is_unique).map(|collider| collider.name.clone())
}
