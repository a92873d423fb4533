//! Converts the ids of a document to the names that exchange files use.

use super::name_resolver::nodes_depth_first;
use crate::document::{ById, ByName, ChainValue, ColliderId, Document, HelperId, MapNaming, Node, NodeRef, Setup};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Limits the nesting of inline helpers, because JSON readers limit the nesting depth.
const MAX_NESTED_HELPERS: usize = 32;

/// The setup of a document by name. Entries without an unambiguous name are omitted.
pub fn setup_by_name(document: &Document, skeleton: &Skeleton) -> Setup<ByName> {
    let names = NodeNames::from_document(document, skeleton);
    without_source_indices(document.setup.map_naming(&mut NameUnbinder::new(document, &names)))
}

/// Removes the `source_index` of every element, which is valid only for the character's own file.
pub(super) fn without_source_indices(mut setup: Setup<ByName>) -> Setup<ByName> {
    setup.chains.values_mut().for_each(|chain| chain.source_index = None);
    setup.colliders.values_mut().for_each(|collider| collider.source_index = None);
    setup.groups.values_mut().for_each(|group| group.source_index = None);
    setup
}

/// Names of bones and helpers, and their order in the hierarchy.
pub(super) struct NodeNames<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    /// If several helpers have the same name, contains the last helper in depth-first order.
    helpers: HashMap<&'a str, HelperId>,
    hierarchy_indices: BTreeMap<Node, usize>,
}

impl<'a> NodeNames<'a> {
    pub(super) fn from_document(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let order = nodes_depth_first(document, skeleton);
        let helper = |node: &Node| match node {
            Node::Helper(id) => Some((document.helpers.get(id)?.name.as_str(), *id)),
            Node::Bone(_) => None,
        };
        let helpers = order.iter().filter_map(helper).collect();
        let rank = order.into_iter().enumerate().map(|(at, node)| (node, at)).collect();
        Self { document, skeleton, helpers, hierarchy_indices: rank }
    }

    pub(super) fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.skeleton
    }

    /// The node that a file finds by this name. Bones have priority over helpers. Among helpers, the last one has
    /// priority.
    pub(super) fn find(&self, name: &str) -> Option<Node> {
        let helper = || self.helpers.get(name).copied().map(Node::Helper);
        self.skeleton.find(name).map(Node::Bone).or_else(helper)
    }

    pub(super) fn name(&self, node: Node) -> Option<&'a str> {
        match node {
            Node::Bone(bone) => (bone.index() < self.skeleton.len()).then(|| self.skeleton.name(bone)),
            Node::Helper(id) => self.document.helpers.get(&id).map(|helper| helper.name.as_str()),
        }
    }

    /// The name of a bone, if a search for the name finds the same bone.
    pub(super) fn unique_name(&self, bone: BoneId) -> Option<&'a str> {
        self.name(Node::Bone(bone)).filter(|name| self.skeleton.find(name) == Some(bone))
    }

    /// The index in depth-first order, or `usize::MAX` for a node outside the hierarchy.
    pub(super) fn hierarchy_index(&self, node: Node) -> usize {
        self.hierarchy_indices.get(&node).copied().unwrap_or(usize::MAX)
    }

    /// The name of a node for messages. Missing bones also have a name.
    pub(super) fn message_name(&self, node: Node) -> String {
        match (self.name(node), node) {
            (Some(name), _) => name.to_owned(),
            (None, Node::Bone(bone)) => missing_bone_name(self.document, bone),
            (None, Node::Helper(_)) => String::new(),
        }
    }
}

pub(super) fn missing_bone_name(document: &Document, bone: BoneId) -> String {
    document.missing_bones.path(bone).map_or_else(String::new, |path| path.name.clone())
}

/// Converts ids to names and collects ambiguous names.
pub(super) struct NameUnbinder<'a> {
    document: &'a Document,
    names: &'a NodeNames<'a>,
    /// The first collider with each name, which is the collider that readers use.
    colliders: BTreeMap<&'a str, ColliderId>,
    /// Helpers with an entry in the file. `None` means all helpers.
    described_helpers: Option<&'a BTreeSet<HelperId>>,
    /// Whether system values are written if they equal the default.
    writes_defaults: bool,
    unresolvable_names: BTreeSet<String>,
    nesting_depth: usize,
}

impl<'a> NameUnbinder<'a> {
    /// Creates an unbinder for a file with entries for all helpers and values for all system parameters.
    pub(super) fn new(document: &'a Document, names: &'a NodeNames<'a>) -> Self {
        let mut colliders = BTreeMap::new();
        for (id, collider) in &document.colliders {
            colliders.entry(collider.name.as_str()).or_insert(*id);
        }
        Self {
            document,
            names,
            colliders,
            described_helpers: None,
            writes_defaults: true,
            unresolvable_names: BTreeSet::new(),
            nesting_depth: 0,
        }
    }

    /// Creates an unbinder for comment rows. Default values are omitted, and nodes without a row are written inline.
    pub(super) fn for_comments(
        document: &'a Document,
        names: &'a NodeNames<'a>,
        described: &'a BTreeSet<HelperId>,
    ) -> Self {
        Self { described_helpers: Some(described), writes_defaults: false, ..Self::new(document, names) }
    }

    pub(super) fn take_unresolvable_names(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.unresolvable_names)
    }

    fn helper_ref(&mut self, id: HelperId) -> Option<NodeRef> {
        let helper = self.document.helpers.get(&id)?;
        let is_described = self.described_helpers.is_none_or(|described| described.contains(&id));
        if is_described && self.names.find(&helper.name) == Some(Node::Helper(id)) {
            return Some(NodeRef::from(helper.name.as_str()));
        }
        if self.nesting_depth == MAX_NESTED_HELPERS {
            return None;
        }
        self.nesting_depth += 1;
        let described = helper.map_naming(self);
        self.nesting_depth -= 1;
        described.map(|helper| NodeRef::Inline(Box::new(helper)))
    }

    fn or_record_unresolvable<T>(&mut self, found: Option<T>, name: impl FnOnce(&Self) -> String) -> Option<T> {
        if found.is_none() {
            let name = name(self);
            self.unresolvable_names.insert(name);
        }
        found
    }
}

impl MapNaming<ById, ByName> for NameUnbinder<'_> {
    fn node(&mut self, node: &Node) -> Option<NodeRef> {
        match *node {
            Node::Bone(bone) => {
                let found = self.names.unique_name(bone).map(NodeRef::from);
                self.or_record_unresolvable(found, |names| names.names.message_name(*node))
            }
            Node::Helper(id) => {
                let found = self.helper_ref(id);
                self.or_record_unresolvable(found, |names| names.names.message_name(*node))
            }
        }
    }

    fn bone(&mut self, bone: &BoneId) -> Option<String> {
        let found = self.names.unique_name(*bone).map(str::to_owned);
        self.or_record_unresolvable(found, |names| names.names.message_name(Node::Bone(*bone)))
    }

    fn collider(&mut self, id: &ColliderId) -> Option<String> {
        let name = self.document.colliders.get(id).map_or("", |collider| collider.name.as_str());
        let found = (self.colliders.get(name) == Some(id)).then(|| name.to_owned());
        self.or_record_unresolvable(found, |_| name.to_owned())
    }

    fn system_values(&mut self, solver: SolverKind, values: &ParamSet) -> BTreeMap<String, JsonNumber> {
        let own = enumerate_params(solver.info().params).filter(|(param, def)| {
            def.scope == ParamScope::System && (self.writes_defaults || values.get(*param) != def.default)
        });
        own.map(|(param, def)| (def.name.to_owned(), JsonNumber(values.get(param)))).collect()
    }

    fn chain_values(&mut self, solver: SolverKind, values: &Vec<ChainValue>) -> BTreeMap<String, ChainValue> {
        let all = solver.info().params.iter().zip(values).filter(|(def, _)| def.scope == ParamScope::Joint);
        all.map(|(def, value)| (def.name.to_owned(), value.clone())).collect()
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<ParamId, ChainValue>,
    ) -> BTreeMap<String, ChainValue> {
        params_by_name(solver.info().params, values, Clone::clone)
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<ParamId, f32>) -> BTreeMap<String, JsonNumber> {
        params_by_name(solver.info().params, values, |value| JsonNumber(*value))
    }
}

fn params_by_name<V, W>(
    table: &[ParamDef],
    values: &BTreeMap<ParamId, V>,
    value: impl Fn(&V) -> W,
) -> BTreeMap<String, W> {
    values.iter().filter_map(|(param, own)| Some((table.get(param.index())?.name.to_owned(), value(own)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Collider, Helper, HelperRole};
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    /// Two bones named `twin` that are children of `root`.
    fn skeleton() -> Skeleton {
        let bone = |(name, parent): (&str, Option<u32>)| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let bones = [("root", None), ("twin", Some(0)), ("twin", Some(0))];
        Skeleton::new(bones.map(bone).to_vec()).expect("parents come first")
    }

    fn helper(name: &str, parent: Node) -> Helper {
        Helper { name: name.to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Plain }
    }

    #[test]
    fn a_node_with_an_ambiguous_name_is_written_inline_or_reported() {
        let skeleton = skeleton();
        let mut document = Document::default();
        document.helpers.insert(HelperId(1), helper("node", Node::Bone(BoneId(0))));
        document.helpers.insert(HelperId(2), helper("node", Node::Bone(BoneId(2))));
        document.helpers.insert(HelperId(3), helper("lost", Node::Bone(BoneId(1))));
        document.helpers.insert(HelperId(4), helper("lost", Node::Bone(BoneId(2))));
        let names = NodeNames::from_document(&document, &skeleton);
        let mut unbind = NameUnbinder::new(&document, &names);
        let twin = |unbind: &mut NameUnbinder<'_>, n| unbind.node(&Node::Bone(BoneId(n)));
        assert_eq!(twin(&mut unbind, 2), Some(NodeRef::from("twin")));
        assert_eq!(twin(&mut unbind, 1), None, "the name finds the other bone");
        let of = |unbind: &mut NameUnbinder<'_>, n| unbind.node(&Node::Helper(HelperId(n)));
        let Some(NodeRef::Inline(second)) = of(&mut unbind, 2) else { panic!("the name finds the other helper") };
        assert_eq!((second.name.as_str(), &second.parent), ("node", &NodeRef::from("twin")));
        assert_eq!(of(&mut unbind, 1), Some(NodeRef::from("node")), "helpers of the root come after its bones");
        assert_eq!(of(&mut unbind, 3), None, "its parent has no name");
        assert_eq!(unbind.take_unresolvable_names(), BTreeSet::from(["twin".to_owned(), "lost".to_owned()]));
    }

    #[test]
    fn helpers_with_circular_parents_are_omitted() {
        let skeleton = skeleton();
        let mut document = Document::default();
        document.helpers.insert(HelperId(1), helper("a", Node::Helper(HelperId(2))));
        document.helpers.insert(HelperId(2), helper("b", Node::Helper(HelperId(1))));
        let names = NodeNames::from_document(&document, &skeleton);
        assert_eq!(NameUnbinder::new(&document, &names).node(&Node::Helper(HelperId(1))), None);
    }

    #[test]
    fn a_name_refers_to_the_first_of_several_colliders() {
        let skeleton = skeleton();
        let mut document = Document::default();
        for n in [1, 2] {
            document
                .colliders
                .insert(ColliderId(n), Collider::new("ball", Node::Bone(BoneId(0)), ColliderShape::SPHERE));
        }
        let names = NodeNames::from_document(&document, &skeleton);
        let mut unbind = NameUnbinder::new(&document, &names);
        assert_eq!([1, 2].map(|n| unbind.collider(&ColliderId(n))), [Some("ball".to_owned()), None]);
    }
}
