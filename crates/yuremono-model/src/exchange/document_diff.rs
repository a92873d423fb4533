//! Compares two documents of one character, and takes values and chains of one across into the other.

use super::id_alignment::align_ids;
use super::setup_diff::{EntryKind, ParamPart, SetupDifference, diff_setups};
use super::unbind::setup_by_name;
use crate::document::{
    ByName, Chain, ChainId, ChainValue, ColliderId, Document, Edit, GroupId, Node, Setup, difference,
};
use crate::feel::params::FeelContext;
use yuremono_sim::FeelParam;
use yuremono_sim::params::{ParamId, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Feel counts as different if its relative difference is larger than this.
const FEEL_TOLERANCE: f32 = 2e-3;
/// Feel curves count as different if their factors differ by more than this.
const FEEL_CURVE_TOLERANCE: f32 = 0.02;

/// One difference between two documents of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentDifference {
    pub difference: SetupDifference,
    /// The chain that contains the difference.
    pub chain: Option<ChainId>,
    /// The edit that gives a parameter of the first document its value in the second document. `None` for other fields,
    /// and for whole entries.
    pub take: Option<Edit>,
}

/// A feel parameter of a chain that differs between two documents.
#[derive(Clone, Debug, PartialEq)]
pub struct FeelDifference {
    pub chain: ChainId,
    pub param: FeelParam,
    /// The value in each document.
    pub values: [ChainValue; 2],
}

impl FeelDifference {
    /// Whether the base values differ, by more than the tolerance of feel.
    pub fn differs_in_base(&self) -> bool {
        let [a, b] = self.values.each_ref().map(|value| value.base);
        (a - b).abs() > FEEL_TOLERANCE * a.abs().max(b.abs())
    }

    /// Whether the curves differ visibly. Curves of feel are fitted, so equal curves can differ a little.
    pub fn differs_in_curve(&self) -> bool {
        let [a, b] = &self.values;
        let at = |i: u8| f32::from(i) / 8.0;
        (0..=8).map(at).any(|t| (a.along(t) / a.base - b.along(t) / b.base).abs() > FEEL_CURVE_TOLERANCE)
    }

    fn differs(&self) -> bool {
        self.differs_in_base() || self.differs_in_curve()
    }
}

/// A document, and what differs from it in another document of the character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentComparison {
    /// The other document, with the ids of the first document.
    pub document: Document,
    pub differences: Vec<DocumentDifference>,
    pub feel_differences: Vec<FeelDifference>,
}

impl DocumentComparison {
    /// Compares `a` with `b`.
    pub fn new(a: &Document, b: &Document, skeleton: &Skeleton) -> Self {
        let document = align_ids(b, a);
        let differences = diff_documents(a, &document, skeleton);
        // Equal documents have equal feel.
        let feel_differences = if differences.is_empty() { Vec::new() } else { diff_feel(a, &document, skeleton) };
        Self { document, differences, feel_differences }
    }
}

fn diff_feel(a: &Document, b: &Document, skeleton: &Skeleton) -> Vec<FeelDifference> {
    let feels = [a, b].map(|document| FeelContext::new(document, skeleton));
    let of_chain = |chain: ChainId| {
        let readings = feels.each_ref().map(|feel| feel.read(chain));
        let of_param = move |param: FeelParam| {
            let [Some(a), Some(b)] = readings.each_ref().map(|reading| reading.as_ref()?.chain_value(param)) else {
                return None;
            };
            Some(FeelDifference { chain, param, values: [a, b] }).filter(FeelDifference::differs)
        };
        FeelParam::ALL.into_iter().filter_map(of_param).collect::<Vec<_>>()
    };
    a.chains.keys().filter(|id| b.chains.contains_key(id)).flat_map(|id| of_chain(*id)).collect()
}

/// Returns the differences from `a` to `b`, as `yuremono diff` lists them. The ids of `b` must be those of `a`, see
/// [`super::align_ids`].
pub fn diff_documents(a: &Document, b: &Document, skeleton: &Skeleton) -> Vec<DocumentDifference> {
    let setups = [a, b].map(|document| setup_by_name(document, skeleton));
    let places =
        DifferencePlaces { documents: [a, b], joints: setups.each_ref().map(joint_places), setups: &setups, skeleton };
    let found = diff_setups(&setups[0], &setups[1]);
    found.into_iter().map(|difference| places.locate(difference)).collect()
}

/// Finds the places of differences in the documents.
struct DifferencePlaces<'a> {
    documents: [&'a Document; 2],
    setups: &'a [Setup<ByName>; 2],
    /// Chain and bone name of each joint, in the order of the comparison.
    joints: [Vec<(ChainId, &'a str)>; 2],
    skeleton: &'a Skeleton,
}

fn joint_places(setup: &Setup<ByName>) -> Vec<(ChainId, &str)> {
    let of_chain = |(id, chain): (&ChainId, &'_ Chain<ByName>)| (*id, chain.joints.len());
    let chains: Vec<(ChainId, usize)> = setup.chains.iter().map(of_chain).collect();
    let bones = setup.chains.values().flat_map(|chain| chain.joints.iter().map(|joint| joint.bone.as_str()));
    chains.into_iter().flat_map(|(id, count)| std::iter::repeat_n(id, count)).zip(bones).collect()
}

impl DifferencePlaces<'_> {
    fn locate(&self, difference: SetupDifference) -> DocumentDifference {
        let side = usize::from(difference.index[0].is_none());
        let index = difference.index[side].unwrap_or_default();
        let nth_chain = || self.setups[side].chains.keys().nth(index).copied();
        let chain = match difference.entry {
            EntryKind::Chain => nth_chain(),
            EntryKind::Joint => self.joints[side].get(index).map(|place| place.0),
            _ => None,
        };
        let take = self.take(&difference, side, index, chain);
        DocumentDifference { difference, chain, take }
    }

    fn take(&self, difference: &SetupDifference, side: usize, index: usize, chain: Option<ChainId>) -> Option<Edit> {
        let (name, part) = difference.change.param()?;
        let [a, b] = self.documents;
        if difference.entry == EntryKind::System {
            let id = *self.setups[side].systems.keys().nth(index)?;
            let param = param_of(a.systems.get(&id)?.param_defs(), name)?;
            let system = b.systems.get(&id)?;
            let is_fixed = system.solver.info().file_params.contains(&param);
            return (!is_fixed).then(|| Edit::SetSystemValue { system: id, param, value: system.get(param) });
        }
        let id = chain?;
        let (own, other) = (a.chains.get(&id)?, b.chains.get(&id)?);
        if a.solver_of(own) != b.solver_of(other) {
            return None;
        }
        let param = param_of(a.param_defs_of(own), name)?;
        if difference.entry == EntryKind::Joint {
            let name = self.joints[side].get(index)?.1;
            let has_name = |bone: &BoneId| bone.index() < self.skeleton.len() && self.skeleton.name(*bone) == name;
            let bone = own.joints.iter().map(|joint| joint.bone).find(has_name)?;
            let value = other.joints[other.joint_index(bone)?].overrides.get(&param).copied();
            return Some(Edit::SetOverride { chain: id, bone, param, value });
        }
        let ChainValue { base: value, curve, around } = other.values.get(param.index())?.clone();
        Some(match part {
            ParamPart::Value => Edit::SetBaseValue { chain: id, param, value },
            ParamPart::Curve => Edit::SetCurve { chain: id, param, curve },
            ParamPart::RingCurve => Edit::SetRingCurve { chain: id, param, curve: around },
        })
    }
}

fn param_of(table: &'static [yuremono_sim::params::ParamDef], name: &str) -> Option<ParamId> {
    enumerate_params(table).find(|(_, def)| def.name == name).map(|(param, _)| param)
}

/// Returns the edit that makes a chain of `into` equal to the chain of `from`, with everything that the chain refers to
/// and that `into` lacks. A chain that `from` lacks is removed. The ids of `from` must be those of `into`.
pub fn take_chain(into: &Document, from: &Document, id: ChainId) -> Edit {
    let mut after = into.clone();
    match from.chains.get(&id) {
        None => _ = after.chains.remove(&id),
        Some(chain) => {
            let mut chain = chain.clone();
            copy_references(from, &chain, &mut after);
            // A chain has exactly the values of its material, and the material belongs to other chains, too.
            let is_other =
                |id| from.materials.get(&id).map(|it| &it.values) != after.materials.get(&id).map(|it| &it.values);
            chain.material = chain.material.filter(|id| !is_other(*id));
            after.chains.insert(id, chain);
        }
    }
    difference(into, &after)
}

/// Copies the elements that a chain refers to and that `into` lacks.
fn copy_references(from: &Document, chain: &Chain, into: &mut Document) {
    if let Some(system) = from.systems.get(&chain.system).filter(|_| !into.systems.contains_key(&chain.system)) {
        into.systems.insert(chain.system, system.clone());
    }
    if let Some(id) = chain.material
        && let Some(material) = from.materials.get(&id).filter(|_| !into.materials.contains_key(&id))
    {
        into.materials.insert(id, material.clone());
    }
    chain.groups.iter().for_each(|id| copy_group(from, *id, into));
    chain.center.iter().for_each(|node| copy_node(from, *node, into));
    for joint in &chain.joints {
        joint.colliders.iter().for_each(|id| copy_collider(from, *id, into));
        let nodes = joint.pivot.iter().chain(joint.length_targets.iter().map(|target| &target.node));
        nodes.for_each(|node| copy_node(from, *node, into));
    }
}

fn copy_group(from: &Document, id: GroupId, into: &mut Document) {
    if let Some(group) = from.groups.get(&id).filter(|_| !into.groups.contains_key(&id)) {
        group.colliders.iter().for_each(|id| copy_collider(from, *id, into));
        into.groups.insert(id, group.clone());
    }
}

fn copy_collider(from: &Document, id: ColliderId, into: &mut Document) {
    if let Some(collider) = from.colliders.get(&id).filter(|_| !into.colliders.contains_key(&id)) {
        copy_node(from, collider.node, into);
        into.colliders.insert(id, collider.clone());
    }
}

/// Copies a helper and its ancestors.
fn copy_node(from: &Document, node: Node, into: &mut Document) {
    if let Node::Helper(id) = node
        && let Some(helper) = from.helpers.get(&id).filter(|_| !into.helpers.contains_key(&id))
    {
        into.helpers.insert(id, helper.clone());
        copy_node(from, helper.parent, into);
    }
}
