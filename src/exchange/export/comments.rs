//! What the rows of a table cannot hold, as one entry per comment row.

use super::entry::entry;
use crate::document::names::BoneName;
use crate::document::{
    Along, Authored, ByName, Chain, ChainItem, Collider, Extras, Joint, JointItem, JointScope, Part, Rename as _,
    SetupItem, System, SystemId,
};
use crate::exchange::FileItem;
use crate::exchange::solver_part::SolverPart;
use crate::exchange::unbind::Unbind;
use crate::rig::{BoneId, Skeleton};
use crate::schema::{Row, Scope, rows};
use std::collections::{BTreeMap, BTreeSet};

/// The comment rows of a table and what they lose.
pub(super) struct Comments {
    pub(super) items: Vec<FileItem>,
    /// Names that the component's lists refer to and that a file cannot find again.
    pub(super) lost_in_lists: BTreeSet<String>,
    /// The same of all other comment rows.
    pub(super) lost: BTreeSet<String>,
}

impl Comments {
    pub(super) fn of(part: &SolverPart<'_>, names: &mut Unbind<'_>) -> Self {
        let document = part.document;
        let mut all: Vec<SetupItem> = system(part, names).map(SetupItem::System).into_iter().collect();
        let lost_in_lists = names.take_lost();
        let materials = document.materials.iter().filter(|(_, material)| material.solver == part.solver);
        all.extend(materials.map(|(id, material)| SetupItem::Material(*id, material.rename(names))));
        for (id, group) in &document.groups {
            let mut group = group.rename(names);
            group.source = None;
            all.push(SetupItem::Group(*id, group));
        }
        for (_, chain) in part.chains() {
            all.extend(chain_item(part, chain, names).map(SetupItem::Chain));
            let joints = chain.joints.iter().filter_map(|joint| details(part, joint, names));
            all.extend(joints.map(SetupItem::Joint));
        }
        all.extend(colliders_off(part).map(SetupItem::ColliderOff));
        all.extend(document.renderers_off.iter().cloned().map(SetupItem::MeshHidden));
        all.extend(document.excluded.iter().filter_map(|bone| names.bone(bone)).map(SetupItem::Excluded));
        all.extend(document.forces.values().filter_map(|force| force.rename(names)).map(SetupItem::Force));
        let items = all.into_iter().map(|item| entry(0, item)).collect();
        Self { items, lost_in_lists, lost: names.take_lost() }
    }
}

/// Values that are not the engine's defaults. Name and component only if the table is of exactly one component.
fn system(part: &SolverPart<'_>, names: &mut Unbind<'_>) -> Option<System<ByName>> {
    let mut system = part.main.rename(names);
    if !part.has_one_system() {
        system = System { name: String::new(), component: None, extras: Extras::None, ..system };
    }
    if system.extras.is_empty() {
        system.extras = Extras::None;
    }
    let says_nothing = system.name.is_empty() && system.values.is_empty() && system.component.is_none();
    (!says_nothing || system.extras != Extras::None).then_some(system)
}

/// `None` if readers derive all of it from the joints.
fn chain_item(part: &SolverPart<'_>, chain: &Chain, names: &mut Unbind<'_>) -> Option<ChainItem> {
    let root = part.names.own_name(chain.root())?;
    let values = chain_values(part, chain);
    let is_below_another = part.skeleton.parent_of(chain.root()).is_some_and(|parent| part.has_joint(parent));
    let is_derived = chain.name == root
        && chain.part == derived_part(part.skeleton, chain.root())
        && chain.along == Along::Length
        && !is_below_another
        && values.is_empty()
        && part.document.material_of(chain).is_none()
        && chain.groups.is_empty()
        && chain.center.is_none();
    if is_derived {
        return None;
    }
    let without_joints = Chain { joints: Vec::new(), system: SystemId::default(), source: None, ..chain.clone() };
    let chain = Chain { values, ..without_joints.rename(part.solver, names) };
    Some(ChainItem { root: root.to_owned(), number: None, chain })
}

/// The part that readers give to a chain, from the name of its root, else of the bone above unless that is of the body.
fn derived_part(skeleton: &Skeleton, root: BoneId) -> Part {
    let verdict = |bone: BoneId| BoneName::read(skeleton.name(bone)).verdict();
    let above = skeleton.parent_of(root).map(verdict).filter(|verdict| !verdict.body);
    let part = [verdict(root)].into_iter().chain(above).find_map(|verdict| verdict.part);
    part.map_or_else(Part::default, |(part, _)| part)
}

/// The values of a chain that its joint rows do not show: curves, bases that no joint has, and extensions.
fn chain_values(part: &SolverPart<'_>, chain: &Chain) -> BTreeMap<String, Authored> {
    let material = part.document.material_of(chain);
    let is_held = |row: Row| material.is_some_and(|material| material.values.contains_key(&row));
    let own = rows(part.main.table()).filter(|(_, def)| def.scope == Scope::Joint).filter_map(|(row, def)| {
        let value = chain.values.get(row.index())?;
        let is_hidden = value.base != def.default && (def.beyond || chain.is_exact(row) && !is_shown(chain, row));
        let is_needed = value.curve.is_some() || is_hidden || is_held(row);
        is_needed.then(|| (def.name.to_owned(), value.clone()))
    });
    own.collect()
}

/// Whether a joint has the chain's base as its own value.
fn is_shown(chain: &Chain, row: Row) -> bool {
    let base = chain.values.get(row.index()).map(|value| value.base);
    chain.joints.iter().any(|joint| joint.own.get(&row).copied() == base)
}

/// `None` if the row of the joint holds everything.
fn details(part: &SolverPart<'_>, joint: &Joint, names: &mut Unbind<'_>) -> Option<JointItem> {
    let is_beyond =
        |row: &Row| part.main.table().get(row.index()).is_some_and(|def| def.beyond && def.scope == Scope::Joint);
    let own = joint.own.iter().filter(|(row, _)| is_beyond(row)).map(|(row, value)| (*row, *value));
    let held = joint.length_targets.iter().filter(|target| target.constant.is_some());
    let Joint { bone, limit, enabled, animated, .. } = *joint;
    let (tip, own, length_targets) = (joint.tip.clone(), own.collect(), held.copied().collect());
    let details = Joint { tip, own, length_targets, limit, enabled, animated, ..Joint::new(bone) };
    if details == Joint::new(bone) {
        return None;
    }
    let joint = details.rename(part.solver, names)?;
    // Without what has no name, the row of the joint may hold everything after all.
    let is_empty = joint == Joint::new(joint.bone.clone());
    (!is_empty).then_some(JointItem { scope: JointScope::Details, chain: None, joint })
}

/// Colliders that are off and that their name finds again.
fn colliders_off<'a>(part: &SolverPart<'a>) -> impl Iterator<Item = String> + use<'a> {
    let all = &part.document.colliders;
    let is_unique = move |one: &&Collider| all.values().filter(|other| other.name == one.name).count() == 1;
    all.values().filter(|collider| !collider.enabled).filter(is_unique).map(|collider| collider.name.clone())
}
