//! Applies edits. Each edit is checked first, so a rejected edit changes nothing.

use super::checks::{check_param, check_ring_place, check_system_scope, check_value};
use super::{ApplyResult, Edit, EditError};
use crate::document::{
    BaseMotion, Chain, ChainId, ChainValue, Change, Changes, Document, Element, ElementChange, Gesture, Joint,
    Material, MaterialId, Node, Replaced, Setup,
};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::params::{ParamDef, ParamId};
use yuremono_sim::rig::BoneId;

impl Document {
    /// Applies `edit`. A rejected edit changes nothing.
    pub fn apply(&mut self, edit: Edit) -> ApplyResult {
        match edit {
            Edit::Changes(_) | Edit::Batch(_) => self.apply_and_return_before(edit).map(drop),
            _ => self.apply_unrestored(edit),
        }
    }

    /// Applies `edit`, and returns what changed. A rejected edit changes nothing.
    pub fn apply_recorded(&mut self, edit: Edit) -> Result<Changes, EditError> {
        let before = self.apply_and_return_before(edit)?;
        Ok(Changes::between(&before, &self.setup))
    }

    /// Applies `edit`, and returns the setup before. A rejected edit changes nothing.
    pub(in crate::document) fn apply_and_return_before(&mut self, edit: Edit) -> Result<Setup, EditError> {
        let before = self.setup.clone();
        match self.apply_unrestored(edit) {
            Ok(()) => Ok(before),
            Err(error) => {
                self.setup = before;
                Err(error)
            }
        }
    }

    /// Applies `edit`. A rejected batch can leave a part of its edits behind.
    fn apply_unrestored(&mut self, edit: Edit) -> ApplyResult {
        match edit {
            Edit::SetSystemValue { system: id, param, value } => {
                let system = self.systems.get_mut(&id).ok_or(EditError::NoSuchSystem(id.0))?;
                check_system_scope(check_value(system.param_defs(), param, value)?, param)?;
                system.values.set(param, value);
            }
            Edit::SetBaseValue { chain, param, value } => {
                check_value(self.param_defs_for_chain(chain)?, param, value)?;
                self.set_chain_value(chain, param, |shared| shared.base = value)?;
            }
            Edit::SetCurve { chain, param, curve } => {
                let def = check_param(self.param_defs_for_chain(chain)?, param)?;
                if curve.as_ref().is_some_and(|curve| !curve.is_finite()) {
                    return Err(EditError::NotANumber { label: def.label, value: f32::NAN });
                }
                self.set_chain_value(chain, param, |shared| shared.curve.clone_from(&curve))?;
            }
            Edit::SetRingCurve { chain, param, curve } => {
                check_param(self.param_defs_for_chain(chain)?, param)?;
                self.set_chain_value(chain, param, |shared| shared.around.clone_from(&curve))?;
            }
            Edit::SetRingPlace { chain, place } => {
                check_ring_place(place, &self.chain_mut(chain)?.name)?;
                self.chain_mut(chain)?.ring = place;
            }
            Edit::SetOverride { chain, bone, param, value } => {
                check_value(self.param_defs_for_chain(chain)?, param, value.unwrap_or(0.0))?;
                let overrides = &mut self.joint_mut(chain, bone)?.overrides;
                match value {
                    Some(value) => _ = overrides.insert(param, value),
                    None => _ = overrides.remove(&param),
                }
            }
            Edit::SetCurveDomain { chain, curve_domain } => self.chain_mut(chain)?.curve_domain = curve_domain,
            Edit::SetMaterial { chain, material } => self.set_material(chain, material)?,
            Edit::SetPivot { chain, bone, pivot } => {
                self.check_node(pivot)?;
                self.joint_mut(chain, bone)?.pivot = pivot;
            }
            Edit::PutChain { id, chain } => self.put(id, chain.map(|chain| *chain), Change::Chain)?,
            Edit::PutMaterial { id, material } => self.put(id, material.map(|it| *it), Change::Material)?,
            Edit::PutHelper { id, helper } => self.put(id, helper, Change::Helper)?,
            Edit::PutCollider { id, collider } => self.put(id, collider, Change::Collider)?,
            Edit::PutGroup { id, group } => self.put(id, group, Change::Group)?,
            Edit::PutSystem { id, system } => self.put(id, system.map(|system| *system), Change::System)?,
            Edit::PutForce { id, force } => self.put(id, force, Change::Force)?,
            Edit::PutHighLeg { id, high_leg } => self.put(id, high_leg, Change::HighLeg)?,
            Edit::PutGesture { id, gesture } => self.put(id, gesture, Change::Gesture)?,
            Edit::SetBaseMotion { id, base_motion } => self.put(id, base_motion, Change::BaseMotion)?,
            Edit::SetMeshVisible { name, enabled } => {
                let hidden = Replaced { old: self.hidden_meshes.contains(&name), new: !enabled };
                self.apply_checked(&Change::HiddenMesh(name, hidden))?;
            }
            Edit::SetExcluded { bone, excluded } => {
                let excluded = Replaced { old: self.excluded_bones.contains(&bone), new: excluded };
                self.apply_checked(&Change::ExcludedBone(bone, excluded))?;
            }
            Edit::SetKeptPose(new) => {
                let old = self.kept_pose.clone();
                self.apply_checked(&Change::KeptPose(Replaced { old, new }))?;
            }
            Edit::SetPassthrough(new) => {
                let old = self.passthrough.clone();
                self.apply_checked(&Change::Passthrough(Replaced { old, new }))?;
            }
            Edit::Changes(changes) => self.apply_changes(&changes)?,
            Edit::Batch(edits) => edits.into_iter().try_for_each(|edit| self.apply_unrestored(edit))?,
        }
        Ok(())
    }

    fn put<E: Element>(
        &mut self,
        id: E::Id,
        element: Option<E>,
        change: impl Fn(ElementChange<E>) -> Change,
    ) -> ApplyResult {
        self.apply_checked(&change(ElementChange::to_put(&self.setup, id, element)))
    }

    fn apply_checked(&mut self, change: &Change) -> ApplyResult {
        self.check_change(change, &Changes::default())?;
        change.set(&mut self.setup, true);
        self.update_dependents(change);
        Ok(())
    }

    /// Applies all changes, and then checks them, because they may need each other. A chain keeps its values: if they
    /// differ from its material, it loses the material.
    fn apply_changes(&mut self, changes: &Changes) -> ApplyResult {
        changes.apply(&mut self.setup);
        let mut chains = BTreeSet::new();
        for change in changes {
            match change {
                Change::ChainValue(id, ..) => _ = chains.insert(*id),
                Change::Chain(change) => _ = chains.insert(change.id),
                Change::Material(change) => chains.extend(self.chains_with_material(change.id).map(|(id, _)| id)),
                _ => {}
            }
        }
        let Setup { chains: all, materials, .. } = &mut self.setup;
        for id in chains {
            if let Some(chain) = all.get_mut(&id) {
                unassign_differing_material(materials, chain);
            }
        }
        changes.iter().for_each(|change| self.update_dependents(change));
        // The message about a removed element says more than that about an element which refers to it.
        let (removals, others): (Vec<&Change>, _) = changes.iter().partition(|change| change.removes_element());
        removals.into_iter().chain(others).try_for_each(|change| self.check_change(change, changes))
    }

    /// Updates what depends on a changed element: chains have the values of their material, and nothing refers to a
    /// removed element.
    fn update_dependents(&mut self, change: &Change) {
        let Setup { systems, chains, materials, base_motions, .. } = &mut self.setup;
        match change {
            Change::Chain(change) => {
                if let Some(chain) = chains.get_mut(&change.id) {
                    unassign_differing_material(materials, chain);
                }
            }
            Change::Material(change) => {
                for chain in chains.values_mut().filter(|chain| chain.material == Some(change.id)) {
                    match materials.get(&change.id) {
                        Some(material) => material.apply_to_chain(chain),
                        None => chain.material = None,
                    }
                }
            }
            Change::Collider(change) if change.element.new.is_none() => {
                for system in systems.values_mut() {
                    if system.component_lists.collider_ids().contains(&change.id) {
                        system.component_lists.retain_colliders(|other| other != change.id);
                    }
                }
            }
            Change::Gesture(change) if change.element.new.is_none() => _ = base_motions.remove(&change.id),
            _ => {}
        }
    }

    /// Changes all copies of a chain's value: only the chain's own, or those in its material and in all chains with that
    /// material.
    fn set_chain_value(&mut self, id: ChainId, param: ParamId, set: impl Fn(&mut ChainValue)) -> ApplyResult {
        let Some(shared) = self.material_with_param(id, param) else {
            set(&mut self.chain_mut(id)?.values[param.index()]);
            return Ok(());
        };
        let Setup { chains, materials, .. } = &mut self.setup;
        let own = materials.get_mut(&shared).and_then(|material| material.values.get_mut(&param));
        let chains = chains.values_mut().filter(|chain| chain.material == Some(shared));
        own.into_iter().chain(chains.map(|chain| &mut chain.values[param.index()])).for_each(set);
        Ok(())
    }

    fn set_material(&mut self, id: ChainId, to: Option<MaterialId>) -> ApplyResult {
        let chain = self.chains.get(&id).ok_or(EditError::NoSuchChain(id.0))?;
        let material = to.map(|to| self.check_material_assignment(chain, to).cloned()).transpose()?;
        let chain = self.chain_mut(id)?;
        chain.material = to;
        if let Some(material) = material {
            material.apply_to_chain(chain);
        }
        Ok(())
    }

    /// Whether any element is a child of a node or refers to the node.
    pub fn is_node_referenced(&self, node: Node) -> bool {
        let joints = || self.chains.values().flat_map(|c| &c.joints);
        self.helpers.values().any(|h| h.parent == node)
            || self.colliders.values().any(|c| c.node == node)
            || self.forces.values().any(|f| f.node == node)
            || self
                .high_legs
                .values()
                .any(|h| h.node == node || h.hip == node || h.legs.iter().flatten().any(|n| *n == node))
            || self.chains.values().any(|c| c.center == Some(node))
            || self.systems.values().any(|s| s.referenced_nodes().any(|n| n == node))
            || joints().any(|j| j.pivot == Some(node) || j.length_targets.iter().any(|t| t.node == node))
    }

    pub(super) fn param_defs_for_chain(&self, chain: ChainId) -> Result<&'static [ParamDef], EditError> {
        let chain = self.chains.get(&chain).ok_or(EditError::NoSuchChain(chain.0))?;
        Ok(self.param_defs_of(chain))
    }

    fn chain_mut(&mut self, id: ChainId) -> Result<&mut Chain, EditError> {
        self.chains.get_mut(&id).ok_or(EditError::NoSuchChain(id.0))
    }

    fn joint_mut(&mut self, id: ChainId, bone: BoneId) -> Result<&mut Joint, EditError> {
        let chain = self.chain_mut(id)?;
        match chain.joint_index(bone) {
            Some(at) => Ok(&mut chain.joints[at]),
            None => Err(EditError::NoSuchJoint { chain: chain.name.clone(), bone: bone.0 }),
        }
    }

    /// Returns the edit that adds a gesture with its base motion. The id is [`Document::next_gesture_id`].
    pub fn add_gesture_edit(&self, gesture: Gesture, base_motion: Option<BaseMotion>) -> Edit {
        let id = self.next_gesture_id();
        Edit::Batch(vec![Edit::PutGesture { id, gesture: Some(gesture) }, Edit::SetBaseMotion { id, base_motion }])
    }
}

/// Unassigns the material of a chain if the chain's values differ from the material.
fn unassign_differing_material(materials: &BTreeMap<MaterialId, Material>, chain: &mut Chain) {
    match chain.material.and_then(|id| materials.get(&id)) {
        // Equal values are copied because -0 equals 0 but has other bits.
        Some(material) if material.matches_chain(chain) => material.apply_to_chain(chain),
        _ => chain.material = None,
    }
}
