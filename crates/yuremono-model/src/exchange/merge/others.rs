//! Merges all other entries: systems, chains, groups, materials, forces, leg followers and joint details.

use super::{EntryOutcome, Merger};
use crate::document::{
    ByName, Chain, ChainEntry, ChainId, ChainValue, ComponentLists, Force, ForceId, Helper, HelperRole, HighLeg, Joint,
    Material, MaterialId, Node, NodeRef, RingId, RingPlace, SetupEntry, System, SystemId, Tip, bone_of_node,
};
use crate::exchange::bind::{NameBinder, migrate_value, params_by_name};
use crate::exchange::group_map::GroupMap;
use crate::exchange::material_sharing::{self, MaterialUse};
use crate::exchange::name_resolver::NameResolver;
use crate::exchange::node_placement::{self, Placement};
use crate::exchange::{FileEntry, FileSection, ImportNote, ImportRowStatus, MissingReference, UnresolvedName};
use std::collections::BTreeMap;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamId, ParamKind, ParamScope};
use yuremono_sim::rig::BoneId;

impl<'a> Merger<'a> {
    pub(super) fn merge_high_legs(&mut self) {
        for (at, item, content) in self.mark_duplicates(FileSection::HighLegs) {
            let SetupEntry::HighLeg(entry) = content else { continue };
            if !(self.is_used)(at) {
                continue;
            }
            let base = self.after.clone();
            let resolver = self.resolver(&base);
            if item.name.is_empty() {
                self.outcomes[at].status = ImportRowStatus::BoneNotFound;
                continue;
            }
            if let Some(old) = base.high_legs.values().find(|old| is_described_high_leg(&resolver, old, entry)) {
                let target = bone_of_node(&base, old.node);
                self.outcomes[at] = EntryOutcome { target, status: Self::matches_status(0, Vec::new()) };
                continue;
            }
            let mut binder = NameBinder::new(&resolver);
            let new: Option<HighLeg> = entry.map_naming(&mut binder);
            let missing = binder.take_missing();
            let (Some(new), None) = (new, missing.first()) else {
                let name = missing.first().and_then(MissingReference::name).unwrap_or_default();
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(name.to_owned());
                continue;
            };
            binder.insert_new_helpers(&mut self.after);
            let old = self.after.high_legs.iter().find(|(_, h)| h.node == new.node).map(|(id, h)| (*id, *h == new));
            let state = match old {
                Some((_, is_same)) => Self::matches_status(usize::from(!is_same), Vec::new()),
                None => ImportRowStatus::New { notes: Vec::new() },
            };
            self.outcomes[at] = EntryOutcome { target: bone_of_node(&self.after, new.node), status: state };
            let id = old.map_or_else(|| self.after.next_high_leg_id(), |(id, _)| id);
            self.after.high_legs.insert(id, new);
        }
    }

    pub(super) fn merge_other_section(&mut self, mut groups: GroupMap) {
        let phase = |content: &SetupEntry| match content {
            SetupEntry::Group(..) => 0,
            SetupEntry::Chain(_) => 1,
            SetupEntry::System(_) | SetupEntry::ComponentNodes(_) => 3,
            _ => 2,
        };
        groups.add_used_groups(self.usable_entries(FileSection::Other).map(|(_, _, content)| content));
        for now in 0..4 {
            for (at, item, content) in self.usable_entries(FileSection::Other) {
                if phase(content) != now || !(self.is_used)(at) {
                    continue;
                }
                self.outcomes[at].status = match self.merge_other(item, content, &mut groups) {
                    Ok((is_changed, notes)) => Self::matches_status(usize::from(is_changed), notes),
                    Err(missing) => ImportRowStatus::ReferenceNotFound(missing),
                };
            }
        }
        self.share_materials();
    }

    fn merge_other(
        &mut self,
        item: &FileEntry,
        content: &SetupEntry,
        groups: &mut GroupMap,
    ) -> Result<(bool, Vec<ImportNote>), MissingReference> {
        let plain = |is_changed: bool| Ok((is_changed, Vec::new()));
        match content {
            SetupEntry::System(system) => self.merge_system(item, system),
            SetupEntry::ComponentNodes(nodes) => {
                let Some(id) = self.single_target_system(item.system) else { return plain(false) };
                let base = self.after.clone();
                let resolver = self.resolver(&base);
                let mut notes = Vec::new();
                let mut component_lists = base.systems[&id].component_lists.clone();
                for (list, name) in nodes {
                    let Some(slot) = component_lists.single_node_mut(*list) else { continue };
                    *slot = name.as_deref().and_then(|name| resolver.node(name));
                    if let (None, Some(name)) = (&slot, name) {
                        notes.push(UnresolvedName {
                            name: name.clone(),
                            is_collider: false,
                            json_pointer: String::new(),
                        });
                    }
                }
                let is_changed = self.set_component_lists(id, component_lists);
                Ok((is_changed, missing_list_notes(notes)))
            }
            // Chains insert their own materials, so only unused materials are inserted here.
            SetupEntry::Material(number, material) => plain(self.insert_unused_material(*number, item, material)),
            SetupEntry::DisabledCollider(name) => {
                let collider = self.after.colliders.values_mut().find(|c| c.name == *name);
                plain(replace_if_different(
                    &mut collider.ok_or_else(|| MissingReference::Collider(name.clone()))?.enabled,
                    false,
                ))
            }
            SetupEntry::Group(number, group) => {
                let is_changed = groups.merge_group(&mut self.after, *number, group)?;
                let is_known = |name: &&String| self.after.colliders.values().any(|c| c.name == **name);
                let lost: Vec<String> = group.colliders.iter().filter(|name| !is_known(name)).cloned().collect();
                let notes = if lost.is_empty() { Vec::new() } else { vec![ImportNote::MissingColliders(lost)] };
                Ok((is_changed, notes))
            }
            SetupEntry::Chain(entry) => plain(self.merge_chain(item, entry, groups)?),
            SetupEntry::Joint(entry) => plain(self.merge_joint_details(item, &entry.joint)?),
            SetupEntry::Force(force) => plain(self.merge_force(force)?),
            SetupEntry::ExcludedBone(bone) => {
                let bone = self.resolve_bone(bone)?;
                plain(self.after.excluded_bones.insert(bone))
            }
            SetupEntry::HiddenMesh(name) => plain(self.after.hidden_meshes.insert(name.clone())),
            SetupEntry::Helper(_) | SetupEntry::Collider(_) | SetupEntry::HighLeg(_) => plain(false),
        }
    }

    fn resolve_bone(&self, name: &str) -> Result<BoneId, MissingReference> {
        self.resolver(self.before).bone(name).ok_or_else(|| MissingReference::Bone(name.to_owned()))
    }

    fn resolve_node(&self, name: &str) -> Result<Node, MissingReference> {
        self.resolver(&self.after).node(name).ok_or_else(|| MissingReference::Node(name.to_owned()))
    }

    fn find_joint_mut(&mut self, bone: &str) -> Result<&mut Joint, MissingReference> {
        let lost = || MissingReference::Joint(bone.to_owned());
        let (chain, at) = self.after.find_joint(self.resolve_bone(bone)?).ok_or_else(lost)?;
        self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[at]).ok_or_else(lost)
    }

    fn find_chain(&self, root: &str) -> Result<ChainId, MissingReference> {
        let found = self.after.find_joint(self.resolve_bone(root)?);
        found.filter(|(_, at)| *at == 0).map(|(id, _)| id).ok_or_else(|| MissingReference::Chain(root.to_owned()))
    }

    /// The system to which component entries apply. Returns `None` if the chains belong to several systems.
    fn single_target_system(&self, system: usize) -> Option<SystemId> {
        let into = self.input.target_systems.get(system).copied().flatten();
        let solver = self.input.file.systems.get(system)?.solver;
        let alike = || {
            let mut all = self.after.systems.iter().filter(|(_, system)| system.solver == solver);
            all.next().filter(|_| all.next().is_none()).map(|(id, _)| *id)
        };
        into.filter(|id| self.after.systems.contains_key(id)).or_else(alike)
    }

    fn set_component_lists(&mut self, id: SystemId, component_lists: ComponentLists) -> bool {
        self.after
            .systems
            .get_mut(&id)
            .is_some_and(|system| replace_if_different(&mut system.component_lists, component_lists))
    }

    fn merge_system(
        &mut self,
        item: &FileEntry,
        entry: &System<ByName>,
    ) -> Result<(bool, Vec<ImportNote>), MissingReference> {
        let id = self.target_system(item.system);
        let mut is_changed = false;
        let (rows, unknown) = params_by_name(self.input.file.solver_of(item), &entry.values, ParamScope::System);
        let mut missing = unknown.into_iter().next();
        if let Some(system) = self.after.systems.get_mut(&id) {
            for (param, was, JsonNumber(value)) in rows {
                let value = was.migrate(value);
                is_changed |= system.values.set(param, value) != value;
            }
        }
        let mut notes = Vec::new();
        match self.single_target_system(item.system) {
            Some(id) => {
                if !entry.name.is_empty() {
                    is_changed |= self
                        .after
                        .systems
                        .get_mut(&id)
                        .is_some_and(|s| replace_if_different(&mut s.name, entry.name.clone()));
                }
                if let Some(node) = &entry.component {
                    match self.resolve_node(node.name()) {
                        Ok(node) => {
                            let system = self.after.systems.get_mut(&id);
                            is_changed |= system.is_some_and(|s| replace_if_different(&mut s.component, Some(node)));
                        }
                        Err(lost) => missing = Some(lost),
                    }
                }
                if entry.component_lists.solver().is_some() {
                    let (is_set, lost) = self.merge_component_lists(id, &entry.component_lists)?;
                    is_changed |= is_set;
                    notes = missing_list_notes(lost);
                }
            }
            None if entry.component_lists.solver().is_some() => notes.push(ImportNote::SeveralComponents),
            None => {}
        }
        missing.map_or(Ok((is_changed, notes)), Err)
    }

    fn merge_component_lists(
        &mut self,
        id: SystemId,
        lists: &ComponentLists<NodeRef, String, String>,
    ) -> Result<(bool, Vec<UnresolvedName>), MissingReference> {
        let solver = self.after.systems.get(&id).map(|system| system.solver).unwrap_or_default();
        if let Some(theirs) = lists.solver().filter(|theirs| *theirs != solver) {
            return Err(MissingReference::Component(theirs));
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let mut binder = NameBinder::new(&resolver);
        let system = System {
            name: String::new(),
            solver,
            values: BTreeMap::new(),
            component: None,
            component_lists: lists.clone(),
        };
        let component_lists = system.map_naming(&mut binder).component_lists.without_duplicate_nodes();
        let lost = UnresolvedName::from_component_lists(&binder.take_missing(), lists);
        binder.insert_new_helpers(&mut self.after);
        Ok((self.set_component_lists(id, component_lists), lost))
    }

    fn merge_chain(
        &mut self,
        item: &FileEntry,
        entry: &ChainEntry,
        groups: &GroupMap,
    ) -> Result<bool, MissingReference> {
        let id = self.find_chain(&entry.root)?;
        let solver = self.input.file.solver_of(item);
        let (file, table) = (&entry.chain, solver.info().params);
        let is_whole = entry.number.is_some();
        let center = file.center.as_ref().map(|node| self.resolve_node(node.name())).transpose();
        let ring = file.ring.map(|place| RingPlace { ring: self.ring_id(id, place.ring), ..place });
        let skeleton = self.input.skeleton;
        let places =
            self.after.chains.get(&id).map(|chain| self.after.curve_positions(chain, skeleton)).unwrap_or_default();
        let Some(chain) = self.after.chains.get_mut(&id) else {
            return Err(MissingReference::Chain(entry.root.clone()));
        };
        // Formats that store chain trees contain only the material of a chain.
        let is_named = is_whole || !file.name.is_empty();
        let mut is_changed = is_named
            && (replace_if_different(&mut chain.name, file.name.clone())
                | replace_if_different(&mut chain.part, file.part)
                | replace_if_different(&mut chain.curve_domain, file.curve_domain)
                | replace_if_different(&mut chain.ring, ring));
        if is_whole || matches!(center, Ok(Some(_))) {
            is_changed |= replace_if_different(&mut chain.center, center.clone().unwrap_or_default());
        }
        let (rows, unknown) = params_by_name(solver, &file.values, ParamScope::Joint);
        let missing = center.err().or_else(|| unknown.into_iter().next());
        let mut given: BTreeMap<ParamId, ChainValue> =
            rows.into_iter().map(|(param, was, value)| (param, migrate_value(was, value))).collect();
        for (at, def) in table.iter().enumerate() {
            let param = ParamId(at as u16);
            let default = || ChainValue::constant(def.default);
            let Some(new) = given.remove(&param).or_else(|| is_whole.then(default)) else { continue };
            if replace_if_different(&mut chain.values[at], new) {
                is_changed = true;
                if !is_whole {
                    clear_overrides_equal_to_chain(chain, &places, param, def.kind == ParamKind::Toggle);
                }
            }
        }
        if is_whole || !file.groups.is_empty() {
            is_changed |= groups.assign_groups(&mut self.after, id, &file.groups)?;
        }
        missing.map_or(Ok(is_changed), Err)
    }

    /// Returns the ring of the document for a ring of the file: the ring in which the first chain already is, or an id
    /// that no other ring has.
    fn ring_id(&mut self, chain: ChainId, of_file: RingId) -> RingId {
        if let Some(known) = self.rings.get(&of_file) {
            return *known;
        }
        let known = self.before.chains.get(&chain).and_then(|chain| chain.ring).map(|place| place.ring);
        let is_free = self.after.ring_chains(of_file).is_empty();
        let id = known.unwrap_or_else(|| if is_free { of_file } else { self.after.next_ring_id() });
        self.rings.insert(of_file, id);
        id
    }

    fn merge_joint_details(&mut self, item: &FileEntry, details: &Joint<ByName>) -> Result<bool, MissingReference> {
        let values = self.param_values(item, details);
        let tip = match &details.tip {
            Tip::Children => None,
            Tip::Bone(child) => Some(Tip::Bone(self.resolve_bone(child)?)),
            Tip::Offset(at) => Some(Tip::Offset(*at)),
        };
        let mut constants = Vec::new();
        for target in &details.length_targets {
            constants.push((self.resolve_node(target.node.name())?, target));
        }
        let joint = self.find_joint_mut(&details.bone)?;
        let mut is_changed = false;
        for (param, value) in values {
            is_changed |= joint.overrides.insert(param, value) != Some(value);
        }
        is_changed |= tip.is_some_and(|tip| replace_if_different(&mut joint.tip, tip));
        is_changed |= !details.enabled && replace_if_different(&mut joint.enabled, false);
        is_changed |= details.animated && replace_if_different(&mut joint.animated, true);
        is_changed |= details.limit.is_some() && replace_if_different(&mut joint.limit, details.limit);
        for (node, target) in constants {
            // A table may list a target twice. Both occurrences get the constant.
            let mut found = joint.length_targets.iter_mut().filter(|t| t.node == node).peekable();
            if found.peek().is_none() {
                return Err(MissingReference::LengthTarget(target.node.name().to_owned()));
            }
            is_changed |=
                found.fold(false, |changed, t| replace_if_different(&mut t.constant, target.constant) | changed);
        }
        Ok(is_changed)
    }

    fn merge_force(&mut self, entry: &Force<ByName>) -> Result<bool, MissingReference> {
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let free = |(id, f): &(&ForceId, &Force)| f.name == entry.name && !self.taken_forces.contains(*id);
        let old = base.forces.iter().find(free).map(|(id, force)| (*id, force));
        let node = match &entry.node {
            NodeRef::Named(name) => self.resolve_node(name)?,
            NodeRef::Inline(helper) => {
                let (parent, local) = node_placement::flatten_description(helper);
                let parent = self.resolve_node(parent)?;
                let stands = |node: Node| {
                    let Node::Helper(id) = node else { return false };
                    let here = &base.helpers[&id];
                    let described = Helper { parent, local, ..here.clone() };
                    let (theirs, ours) = (
                        node_placement::flatten_helper(&base, &described),
                        node_placement::flatten_helper(&base, here),
                    );
                    here.name == helper.name
                        && theirs.0 == ours.0
                        && node_placement::is_nearly_same_transform(&theirs.1, &ours.1)
                };
                if let Some((_, force)) = old.filter(|(_, force)| stands(force.node)) {
                    force.node
                } else {
                    let same = Placement::find_existing(&resolver, &helper.name, parent);
                    let name = helper.name.clone();
                    let helper = Helper { name, parent, local, role: HelperRole::Plain };
                    Placement::Helper(same, helper).apply(&mut self.after)
                }
            }
        };
        let id = old.map_or_else(|| self.after.next_force_id(), |(id, _)| id);
        let force = Force { name: entry.name.clone(), node, kind: entry.kind, enabled: entry.enabled };
        self.taken_forces.insert(id);
        let is_changed = base.forces.get(&id) != Some(&force) || base.helpers != self.after.helpers;
        self.after.forces.insert(id, force);
        Ok(is_changed)
    }

    fn material_names(&self) -> BTreeMap<MaterialId, &'a str> {
        let all = self.input.file.entries.iter().filter_map(|item| match item.content.as_ref().ok()? {
            SetupEntry::Material(number, material) => Some((*number, material.name.as_str())),
            _ => None,
        });
        all.collect()
    }

    fn insert_unused_material(&mut self, number: MaterialId, item: &FileEntry, entry: &Material<ByName>) -> bool {
        let is_used = self
            .usable_entries(FileSection::Other)
            .any(|(_, _, content)| matches!(content, SetupEntry::Chain(entry) if entry.chain.material == Some(number)));
        let solver = self.input.file.solver_of(item);
        let is_here = |old: &Material| old.name == entry.name && old.solver == solver;
        if is_used || self.after.materials.values().any(is_here) {
            return false;
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let material = entry.map_naming(&mut NameBinder::new(&resolver));
        let id = self.after.next_material_id();
        self.after.materials.insert(id, material);
        true
    }

    fn share_materials(&mut self) {
        let names = self.material_names();
        let mut named = Vec::new();
        for (at, _, content) in self.usable_entries(FileSection::Other) {
            if let SetupEntry::Chain(entry) = content
                && (self.is_used)(at)
                && let Some(name) = entry.chain.material.and_then(|number| names.get(&number))
                && let Ok(chain) = self.find_chain(&entry.root)
            {
                named.push(MaterialUse { entry: at, chain, name });
            }
        }
        for (at, is_changed) in material_sharing::share_materials(&mut self.after, &named) {
            if let ImportRowStatus::Matches { changes, .. } = &mut self.outcomes[at].status {
                *changes = (*changes).max(usize::from(is_changed));
            }
        }
    }
}

fn replace_if_different<T: PartialEq>(slot: &mut T, value: T) -> bool {
    let is_changed = *slot != value;
    *slot = value;
    is_changed
}

fn missing_list_notes(lost: Vec<UnresolvedName>) -> Vec<ImportNote> {
    if lost.is_empty() { Vec::new() } else { vec![ImportNote::MissingListNames(lost)] }
}

/// Whether a leg follower equals an entry. If several nodes have the name, the name matches all of them.
fn is_described_high_leg(names: &NameResolver<'_>, old: &HighLeg, entry: &HighLeg<ByName>) -> bool {
    let here = [old.node, old.hip].into_iter().chain(old.legs.iter().flatten().copied());
    let described = [&entry.node, &entry.hip].into_iter().chain(entry.legs.iter().flatten());
    let is_meant =
        |(name, node): (&NodeRef, Node)| matches!(name, NodeRef::Named(name) if names.can_refer_to(name, node));
    old.legs.len() == entry.legs.len() && described.zip(here).all(is_meant)
}

fn clear_overrides_equal_to_chain(chain: &mut Chain, places: &[f32], param: ParamId, is_toggle: bool) {
    for (at, place) in places.iter().copied().enumerate() {
        let shared = chain.value_at(param, place);
        let own = &mut chain.joints[at].overrides;
        // Numbers in a file may have only seven digits. Files store toggles only as on or off.
        let is_same = |own: &f32| {
            if is_toggle { (*own != 0.0) == (shared != 0.0) } else { (own - shared).abs() <= 1e-6 * shared.abs() }
        };
        if own.get(&param).is_some_and(is_same) {
            own.remove(&param);
        }
    }
}
