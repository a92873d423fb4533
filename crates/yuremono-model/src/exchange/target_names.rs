//! Gives the elements of a file the names that they have on a character with other bone names.
//!
//! Names of colliders, pivots, groups and chains often contain the name of a bone. If the file comes from another
//! character, such an element exists under another name. The import then updates it, and keeps its name.

use super::name_resolver::NameResolver;
use super::{FileSection, SetupFile};
use crate::document::{
    ByName, ChainEntry, Collider, ColliderId, Document, Helper, JointEntry, MapNames, NameKind, Node, NodeRef,
    SetupEntry, bone_of_node,
};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::BoneId;

/// Renames the elements of a file that exist under another name. Changes nothing if all bones have their own names.
pub(super) fn use_target_names(file: &mut SetupFile, document: &Document, resolver: &NameResolver<'_>) {
    let search = TargetSearch { file, document, resolver };
    let mut names = TargetNames { colliders: search.colliders(), nodes: search.pivots(), ..TargetNames::default() };
    names.groups = search.groups(&names.colliders);
    names.chains = search.chains();
    names.systems = search.systems(!names.chains.is_empty());
    if names == TargetNames::default() {
        return;
    }
    for item in &mut file.entries {
        let Ok(content) = &mut item.content else { continue };
        if item.section == FileSection::Pivots
            && let Some(name) = names.nodes.get(&item.name)
        {
            item.name.clone_from(name);
        }
        names.rename_entry(content);
    }
}

/// The names on the character, by the names in the file.
#[derive(Default, PartialEq)]
struct TargetNames {
    colliders: BTreeMap<String, String>,
    nodes: BTreeMap<String, String>,
    groups: BTreeMap<String, String>,
    /// The name of each chain, by the name of its root in the file.
    chains: BTreeMap<String, String>,
    systems: BTreeMap<SolverKind, String>,
}

impl TargetNames {
    fn rename_entry(&self, entry: &mut SetupEntry) {
        let of_kind = |kind, name: &str| match kind {
            NameKind::Bone => None,
            NameKind::Node => self.nodes.get(name).cloned(),
            NameKind::Collider => self.colliders.get(name).cloned(),
        };
        if let Some(renamed) = entry.map_names(SolverKind::default(), &mut MapNames(of_kind)) {
            *entry = renamed;
        }
        let (target, name) = match entry {
            SetupEntry::System(system) => (self.systems.get(&system.solver), &mut system.name),
            SetupEntry::Helper(helper) => (self.nodes.get(&helper.name), &mut helper.name),
            SetupEntry::Collider(collider) => (self.colliders.get(&collider.name), &mut collider.name),
            SetupEntry::Group(_, group) => (self.groups.get(&group.name), &mut group.name),
            SetupEntry::Chain(ChainEntry { root, chain, .. }) => (self.chains.get(root), &mut chain.name),
            _ => return,
        };
        // A file that does not name a system or a chain leaves the name unchanged.
        if let Some(target) = target.filter(|_| !name.is_empty()) {
            name.clone_from(target);
        }
    }
}

/// Finds the elements of the document that correspond to elements of the file.
struct TargetSearch<'a, 'n> {
    file: &'a SetupFile,
    document: &'a Document,
    resolver: &'a NameResolver<'n>,
}

impl<'n> TargetSearch<'_, 'n> {
    /// The bone of a name in the file and its own name, if that name differs.
    fn renamed_bone(&self, name: &str) -> Option<(BoneId, &'n str)> {
        let bone = self.resolver.bone(name)?;
        let target = self.resolver.skeleton().name(bone);
        (target != name).then_some((bone, target))
    }

    fn colliders(&self) -> BTreeMap<String, String> {
        let there: BTreeSet<&str> = self.document.colliders.values().map(|c| c.name.as_str()).collect();
        let in_file: Vec<(&Collider<ByName>, BoneId, String)> = self
            .file
            .usable_entries(FileSection::Colliders)
            .filter_map(|(_, _, content)| {
                let SetupEntry::Collider(collider) = content else { return None };
                let parent = match &collider.node {
                    NodeRef::Named(name) => name.as_str(),
                    NodeRef::Inline(helper) => helper.parent.name(),
                };
                let (bone, target) = self.renamed_bone(parent)?;
                (!there.contains(collider.name.as_str()))
                    .then(|| (collider, bone, collider.name.replacen(parent, target, 1)))
            })
            .collect();
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for (collider, _, expected) in &in_file {
            if there.contains(expected.as_str()) {
                found.insert(collider.name.clone(), expected.clone());
            }
        }
        // A collider with an unrelated name is only updated if the shape identifies the collider.
        let mut taken: BTreeSet<String> = found.values().cloned().collect();
        for (collider, bone, _) in &in_file {
            if found.contains_key(&collider.name) {
                continue;
            }
            let is_alike =
                |old: &&Collider| bone_of_node(self.document, old.node) == Some(*bone) && old.shape == collider.shape;
            let mut alike = self.document.colliders.values().filter(is_alike);
            if let (Some(old), None) = (alike.next(), alike.next())
                && taken.insert(old.name.clone())
            {
                found.insert(collider.name.clone(), old.name.clone());
            }
        }
        found
    }

    /// The pivots of joints whose bones have other names.
    fn pivots(&self) -> BTreeMap<String, String> {
        let pivots = self.file.usable_entries(FileSection::Pivots).map(|(_, item, _)| item.name.as_str());
        let described: BTreeSet<&str> = pivots.filter(|name| self.resolver.helper(name).is_none()).collect();
        let of_joint = |content: &SetupEntry| {
            let SetupEntry::Joint(JointEntry { joint, .. }) = content else { return None };
            let pivot = joint.pivot.as_ref().map(NodeRef::name).filter(|name| described.contains(name))?;
            let (bone, _) = self.renamed_bone(&joint.bone)?;
            let (chain, at) = self.document.find_joint(bone)?;
            let Some(Node::Helper(id)) = self.document.chains[&chain].joints[at].pivot else { return None };
            let Helper { name, .. } = self.document.helpers.get(&id)?;
            Some((pivot.to_owned(), name.clone()))
        };
        self.file.usable_entries(FileSection::Joints).filter_map(|(_, _, content)| of_joint(content)).collect()
    }

    /// The groups that have the same colliders. Groups without a renamed collider keep their names.
    fn groups(&self, colliders: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let of_entry = |content: &SetupEntry| {
            let SetupEntry::Group(_, group) = content else { return None };
            let is_there = self.document.groups.values().any(|old| old.name == group.name);
            if is_there || !group.colliders.iter().any(|name| colliders.contains_key(name)) {
                return None;
            }
            let wanted: BTreeSet<&String> = group.colliders.iter().map(|n| colliders.get(n).unwrap_or(n)).collect();
            let names = |ids: &[ColliderId]| -> BTreeSet<&String> {
                ids.iter().filter_map(|id| self.document.colliders.get(id)).map(|c| &c.name).collect()
            };
            let old = self.document.groups.values().find(|old| names(&old.colliders) == wanted)?;
            Some((group.name.clone(), old.name.clone()))
        };
        self.file.usable_entries(FileSection::Other).filter_map(|(_, _, content)| of_entry(content)).collect()
    }

    fn chains(&self) -> BTreeMap<String, String> {
        let of_entry = |content: &SetupEntry| {
            let SetupEntry::Chain(ChainEntry { root, .. }) = content else { return None };
            let (bone, _) = self.renamed_bone(root)?;
            let (chain, _) = self.document.find_joint(bone).filter(|(_, at)| *at == 0)?;
            Some((root.clone(), self.document.chains[&chain].name.clone()))
        };
        self.file.usable_entries(FileSection::Other).filter_map(|(_, _, content)| of_entry(content)).collect()
    }

    /// The names of the only systems with each solver, if chains of the file are updated under other names.
    fn systems(&self, has_renamed_chains: bool) -> BTreeMap<SolverKind, String> {
        let mut names: BTreeMap<SolverKind, Vec<&str>> = BTreeMap::new();
        for system in self.document.systems.values().filter(|_| has_renamed_chains) {
            names.entry(system.solver).or_default().push(&system.name);
        }
        let only = names.into_iter().filter(|(_, names)| names.len() == 1);
        only.map(|(solver, names)| (solver, names[0].to_owned())).collect()
    }
}
