//! Applies edits and returns their inverses. Each edit is checked first, so a rejected edit changes nothing.

use super::checks::{
    check_base_motion, check_collider, check_force, check_gesture, check_helper, check_kept_pose, check_param,
    check_ring_place, check_system_scope, check_value,
};
use super::{ApplyResult, Edit, EditError, Element, Invalidation, SolverChange, insert_or_remove};
use crate::document::{
    BaseMotion, Chain, ChainId, ChainValue, Collider, ColliderGroup, ColliderId, Document, Force, ForceId, Gesture,
    GestureId, GroupId, Helper, HelperId, Joint, Material, MaterialId, Node, Setup, System, SystemId,
};
use std::collections::BTreeMap;
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::{Invalidates, ParamDef, ParamId};
use yuremono_sim::rig::BoneId;

impl Document {
    /// Applies `edit`, and returns its inverse and invalidation. A rejected edit changes nothing.
    pub fn apply(&mut self, edit: Edit) -> ApplyResult {
        match edit {
            Edit::SetSystemValue { system, param, value } => self.set_system_value(system, param, value),
            Edit::SetBaseValue { chain, param, value } => self.set_base_value(chain, param, value),
            Edit::SetCurve { chain, param, curve } => self.set_curve(chain, param, curve.as_ref()),
            Edit::SetRingCurve { chain, param, curve } => self.set_ring_curve(chain, param, curve.as_ref()),
            Edit::SetRingPlace { chain, place } => {
                check_ring_place(place, &self.chain_mut(chain)?.name)?;
                let place = std::mem::replace(&mut self.chain_mut(chain)?.ring, place);
                Ok((Edit::SetRingPlace { chain, place }, Invalidation::Params))
            }
            Edit::SetOverride { chain, bone, param, value } => self.set_override(chain, bone, param, value),
            Edit::SetCurveDomain { chain, curve_domain } => {
                let curve_domain = std::mem::replace(&mut self.chain_mut(chain)?.curve_domain, curve_domain);
                Ok((Edit::SetCurveDomain { chain, curve_domain }, Invalidation::Params))
            }
            Edit::PutChain { id, chain } => self.put_chain(id, chain.map(|chain| *chain)),
            Edit::PutMaterial { id, material } => self.put_material(id, material.map(|m| *m)),
            Edit::SetMaterial { chain, material } => self.set_material(chain, material),
            Edit::PutHelper { id, helper } => self.put_helper(id, helper),
            Edit::PutCollider { id, collider } => self.put_collider(id, collider),
            Edit::PutGroup { id, group } => self.put_group(id, group),
            Edit::PutSystem { id, system } => self.put_system(id, system.map(|system| *system)),
            Edit::SetSolver(change) => self.apply_solver_change(*change),
            Edit::PutForce { id, force } => self.put_force(id, force),
            Edit::PutHighLeg { id, high_leg } => {
                if let Some(high_leg) = &high_leg {
                    self.check_node(Some(high_leg.node))?;
                    self.check_node(Some(high_leg.hip))?;
                    high_leg.legs.iter().flatten().try_for_each(|n| self.check_node(Some(*n)))?;
                }
                Ok((self.replace_element(id, high_leg), Invalidation::Topology))
            }
            Edit::SetMeshVisible { name, enabled: on } => {
                let was = if on { !self.hidden_meshes.remove(&name) } else { self.hidden_meshes.insert(name.clone()) };
                Ok((Edit::SetMeshVisible { name, enabled: was }, Invalidation::Params))
            }
            Edit::PutGesture { id, gesture } => self.put_gesture(id, gesture),
            Edit::SetBaseMotion { id, base_motion } => {
                if let Some(base_motion) = &base_motion {
                    check_base_motion(self.gestures.get(&id).ok_or(EditError::NoSuchGesture(id.0))?, base_motion)?;
                }
                Ok((self.replace_element(id, base_motion), Invalidation::Nothing))
            }
            Edit::SetKeptPose(bones) => {
                check_kept_pose(&bones)?;
                let bones = std::mem::replace(&mut self.kept_pose, bones);
                // The motion is an input of the simulation, so the world has to run even if playback is paused.
                Ok((Edit::SetKeptPose(bones), Invalidation::Params))
            }
            Edit::SetPivot { chain, bone, pivot } => {
                self.check_node(pivot)?;
                let pivot = std::mem::replace(&mut self.joint_mut(chain, bone)?.pivot, pivot);
                Ok((Edit::SetPivot { chain, bone, pivot }, Invalidation::Topology))
            }
            Edit::SetExcluded { bone, excluded } => {
                let was = if excluded { !self.excluded_bones.insert(bone) } else { self.excluded_bones.remove(&bone) };
                Ok((Edit::SetExcluded { bone, excluded: was }, Invalidation::Nothing))
            }
            Edit::SetPassthrough(kept) => {
                let kept = std::mem::replace(&mut self.passthrough, kept);
                Ok((Edit::SetPassthrough(kept), Invalidation::Nothing))
            }
            Edit::Batch(edits) => self.apply_batch(edits),
        }
    }

    fn apply_batch(&mut self, edits: Vec<Edit>) -> ApplyResult {
        let mut inverses = Vec::with_capacity(edits.len());
        let mut invalidation = Invalidation::Nothing;
        for edit in edits {
            match self.apply(edit) {
                Ok((inverse, t)) => {
                    inverses.push(inverse);
                    invalidation = invalidation.max(t);
                }
                Err(err) => {
                    for inverse in inverses.into_iter().rev() {
                        self.apply(inverse).expect("an inverse of an applied edit applies");
                    }
                    return Err(err);
                }
            }
        }
        inverses.reverse();
        Ok((Edit::Batch(inverses), invalidation))
    }

    fn set_system_value(&mut self, id: SystemId, param: ParamId, value: f32) -> ApplyResult {
        let system = self.systems.get_mut(&id).ok_or(EditError::NoSuchSystem(id.0))?;
        let def = check_value(system.param_defs(), param, value)?;
        check_system_scope(def, param)?;
        let value = system.values.set(param, value);
        let invalidation = match def.invalidates {
            Invalidates::Params => Invalidation::Params,
            Invalidates::Topology => Invalidation::Topology,
        };
        Ok((Edit::SetSystemValue { system: id, param, value }, invalidation))
    }

    fn set_base_value(&mut self, chain: ChainId, param: ParamId, value: f32) -> ApplyResult {
        check_value(self.param_defs_for_chain(chain)?, param, value)?;
        let all = self.chain_values_mut(chain, param)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.base, value)).last();
        Ok((Edit::SetBaseValue { chain, param, value: old.unwrap_or(value) }, Invalidation::Params))
    }

    fn set_curve(&mut self, chain: ChainId, param: ParamId, curve: Option<&Curve>) -> ApplyResult {
        let def = check_param(self.param_defs_for_chain(chain)?, param)?;
        if curve.is_some_and(|c| !c.is_finite()) {
            return Err(EditError::NotANumber { label: def.label, value: f32::NAN });
        }
        let all = self.chain_values_mut(chain, param)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.curve, curve.cloned())).last();
        Ok((Edit::SetCurve { chain, param, curve: old.flatten() }, Invalidation::Params))
    }

    fn set_ring_curve(&mut self, chain: ChainId, param: ParamId, curve: Option<&RingCurve>) -> ApplyResult {
        check_param(self.param_defs_for_chain(chain)?, param)?;
        let all = self.chain_values_mut(chain, param)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.around, curve.cloned())).last();
        Ok((Edit::SetRingCurve { chain, param, curve: old.flatten() }, Invalidation::Params))
    }

    fn set_override(&mut self, chain: ChainId, bone: BoneId, param: ParamId, value: Option<f32>) -> ApplyResult {
        check_value(self.param_defs_for_chain(chain)?, param, value.unwrap_or(0.0))?;
        let own = &mut self.joint_mut(chain, bone)?.overrides;
        let value = insert_or_remove(own, param, value);
        Ok((Edit::SetOverride { chain, bone, param, value }, Invalidation::Params))
    }

    fn put_system(&mut self, id: SystemId, system: Option<System>) -> ApplyResult {
        let used = self.chains.values().any(|chain| chain.system == id);
        let fits = match &system {
            Some(system) => {
                self.check_system(id, system)?;
                !used || self.systems.get(&id).is_some_and(|old| old.solver == system.solver)
            }
            None => !used && (self.systems.len() > 1 || !self.systems.contains_key(&id)),
        };
        if !fits {
            return Err(EditError::NoSuchSystem(id.0));
        }
        // The motion continues if only values changed that a running world can read again.
        let retuned = self.systems.get(&id).zip(system.as_ref()).is_some_and(|(old, new)| old.allows_live_update(new));
        let invalidation = if retuned { Invalidation::Params } else { Invalidation::Topology };
        Ok((self.replace_element(id, system), invalidation))
    }

    fn put_chain(&mut self, id: ChainId, mut chain: Option<Chain>) -> ApplyResult {
        if let Some(chain) = &mut chain {
            self.check_chain(id, chain)?;
            unassign_differing_material(&self.materials, chain);
        }
        Ok((self.replace_element(id, chain), Invalidation::Topology))
    }

    /// Adds, replaces or removes an element without checks, and returns the inverse.
    fn replace_element<E: Element>(&mut self, id: E::Id, element: Option<E>) -> Edit {
        E::put(id, insert_or_remove(E::all_mut(self), id, element))
    }

    /// Does the same as [`Self::replace_element`]. The motion continues if the element keeps its node.
    fn replace_placed<E: Element>(
        &mut self,
        id: E::Id,
        element: Option<E>,
        node: impl Fn(&E) -> Node,
    ) -> (Edit, Invalidation) {
        let nodes = [E::all(self).get(&id), element.as_ref()].map(|element| element.map(&node));
        let stays = nodes[0].is_some() && nodes[0] == nodes[1];
        let invalidation = if stays { Invalidation::Params } else { Invalidation::Topology };
        (self.replace_element(id, element), invalidation)
    }

    fn put_helper(&mut self, id: HelperId, helper: Option<Helper>) -> ApplyResult {
        if let Some(helper) = &helper {
            check_helper(helper)?;
            self.check_node(Some(helper.parent))?;
            let mut above = Some(helper.parent);
            while let Some(Node::Helper(parent)) = above {
                if parent == id {
                    return Err(EditError::NoSuchHelper(id.0));
                }
                above = self.helpers.get(&parent).map(|h| h.parent);
            }
        } else if let Some(old) = self.helpers.get(&id)
            && self.is_node_referenced(Node::Helper(id))
        {
            return Err(EditError::HelperInUse(old.name.clone()));
        }
        Ok((self.replace_element(id, helper), Invalidation::Topology))
    }

    fn put_collider(&mut self, id: ColliderId, collider: Option<Collider>) -> ApplyResult {
        if let Some(collider) = &collider {
            check_collider(collider)?;
            self.check_node(Some(collider.node))?;
        } else {
            let listed = self.chains.values().flat_map(|c| &c.joints).any(|j| j.colliders.contains(&id));
            if listed || self.groups.values().any(|g| g.colliders.contains(&id)) {
                return Err(EditError::NoSuchCollider(id.0));
            }
        }
        let mut restored = if collider.is_none() { self.remove_collider_references(id) } else { Vec::new() };
        let (inverse, invalidation) = self.replace_placed(id, collider, |c| c.node);
        if restored.is_empty() {
            return Ok((inverse, invalidation));
        }
        restored.insert(0, inverse);
        Ok((Edit::Batch(restored), invalidation))
    }

    /// Removes a collider from the component lists, and returns the edits that restore the lists.
    fn remove_collider_references(&mut self, id: ColliderId) -> Vec<Edit> {
        let mut back = Vec::new();
        for (system_id, system) in &mut self.systems {
            if system.component_lists.collider_ids().contains(&id) {
                back.push(Edit::PutSystem { id: *system_id, system: Some(Box::new(system.clone())) });
                system.component_lists.retain_colliders(|other| other != id);
            }
        }
        back
    }

    fn put_group(&mut self, id: GroupId, group: Option<ColliderGroup>) -> ApplyResult {
        let mut colliders = group.iter().flat_map(|group| &group.colliders);
        if let Some(lost) = colliders.find(|c| !self.colliders.contains_key(c)) {
            return Err(EditError::NoSuchCollider(lost.0));
        }
        if group.is_none() && self.chains.values().any(|chain| chain.groups.contains(&id)) {
            return Err(EditError::NoSuchGroup(id.0));
        }
        Ok((self.replace_element(id, group), Invalidation::Topology))
    }

    /// Checks the new systems and chains together. A rejected edit restores the old systems and chains.
    fn apply_solver_change(&mut self, change: SolverChange) -> ApplyResult {
        let swap = |document: &mut Self, change: SolverChange| SolverChange {
            systems: std::mem::replace(&mut document.systems, change.systems),
            chains: std::mem::replace(&mut document.chains, change.chains),
        };
        if change.systems.is_empty() {
            return Err(EditError::NoSuchSystem(self.main_system_id().0));
        }
        let before = swap(self, change);
        let whole = self.systems.iter().try_for_each(|(id, system)| self.check_system(*id, system));
        let checked = whole.and_then(|()| self.chains.iter().try_for_each(|(id, chain)| self.check_chain(*id, chain)));
        if let Err(err) = checked {
            swap(self, before);
            return Err(err);
        }
        let Setup { chains, materials, .. } = &mut self.setup;
        for chain in chains.values_mut() {
            unassign_differing_material(materials, chain);
        }
        Ok((Edit::SetSolver(Box::new(before)), Invalidation::Topology))
    }

    fn put_force(&mut self, id: ForceId, force: Option<Force>) -> ApplyResult {
        if let Some(force) = &force {
            check_force(force)?;
            self.check_node(Some(force.node))?;
        }
        Ok(self.replace_placed(id, force, |force| force.node))
    }

    /// Adds, replaces or removes a gesture. Removing a gesture also removes its base motion, and the inverse restores
    /// both.
    fn put_gesture(&mut self, id: GestureId, gesture: Option<Gesture>) -> ApplyResult {
        if let Some(gesture) = &gesture {
            check_gesture(id, gesture)?;
        }
        let base_motion = if gesture.is_none() { self.base_motions.remove(&id) } else { None };
        let back = self.replace_element(id, gesture);
        let Some(base_motion) = base_motion else { return Ok((back, Invalidation::Nothing)) };
        Ok((Edit::Batch(vec![back, Edit::SetBaseMotion { id, base_motion: Some(base_motion) }]), Invalidation::Nothing))
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

    fn param_defs_for_chain(&self, chain: ChainId) -> Result<&'static [ParamDef], EditError> {
        let chain = self.chains.get(&chain).ok_or(EditError::NoSuchChain(chain.0))?;
        Ok(self.param_defs_of(chain))
    }

    pub(super) fn chain_mut(&mut self, id: ChainId) -> Result<&mut Chain, EditError> {
        self.chains.get_mut(&id).ok_or(EditError::NoSuchChain(id.0))
    }

    fn joint_mut(&mut self, id: ChainId, bone: BoneId) -> Result<&mut Joint, EditError> {
        let chain = self.chain_mut(id)?;
        match chain.joint_index(bone) {
            Some(at) => Ok(&mut chain.joints[at]),
            None => Err(EditError::NoSuchJoint { chain: chain.name.clone(), bone: bone.0 }),
        }
    }
}

/// Unassigns the material of a chain if the chain's values differ from the material.
pub(super) fn unassign_differing_material(materials: &BTreeMap<MaterialId, Material>, chain: &mut Chain) {
    match chain.material.and_then(|id| materials.get(&id)) {
        // Equal values are copied because -0 equals 0 but has other bits.
        Some(material) if material.matches_chain(chain) => material.apply_to_chain(chain),
        _ => chain.material = None,
    }
}

impl Document {
    /// Returns all copies of a chain's value: only the chain's own, or those in its material and in all chains with
    /// that material.
    pub(super) fn chain_values_mut(&mut self, id: ChainId, param: ParamId) -> Result<Vec<&mut ChainValue>, EditError> {
        let Some(shared) = self.material_with_param(id, param) else {
            return Ok(vec![&mut self.chain_mut(id)?.values[param.index()]]);
        };
        let Setup { chains, materials, .. } = &mut self.setup;
        let own = materials.get_mut(&shared).and_then(|material| material.values.get_mut(&param));
        let chains = chains.values_mut().filter(|chain| chain.material == Some(shared));
        Ok(own.into_iter().chain(chains.map(|chain| &mut chain.values[param.index()])).collect())
    }

    pub(super) fn put_material(&mut self, id: MaterialId, material: Option<Material>) -> ApplyResult {
        let sharing: Vec<ChainId> = self.chains_with_material(id).map(|(chain, _)| chain).collect();
        let Some(material) = material else { return Ok(self.remove_material(id, sharing)) };
        Self::check_material(&material)?;
        if !sharing.is_empty() && self.materials.get(&id).is_some_and(|old| old.solver != material.solver) {
            return Err(EditError::NoSuchMaterial(id.0));
        }
        let chains = self.chains.values_mut().filter(|chain| chain.material == Some(id));
        chains.for_each(|chain| material.apply_to_chain(chain));
        let renamed = self.materials.get(&id).is_some_and(|old| old.values == material.values);
        let invalidation = if sharing.is_empty() || renamed { Invalidation::Nothing } else { Invalidation::Params };
        Ok((self.replace_element(id, Some(material)), invalidation))
    }

    fn remove_material(&mut self, id: MaterialId, sharing: Vec<ChainId>) -> (Edit, Invalidation) {
        let back = self.replace_element::<Material>(id, None);
        if sharing.is_empty() {
            return (back, Invalidation::Nothing);
        }
        let left = sharing.into_iter().map(|chain| {
            self.chains.entry(chain).and_modify(|chain| chain.material = None);
            Edit::SetMaterial { chain, material: Some(id) }
        });
        (Edit::Batch(std::iter::once(back).chain(left).collect()), Invalidation::Nothing)
    }

    pub(super) fn set_material(&mut self, id: ChainId, to: Option<MaterialId>) -> ApplyResult {
        let chain = self.chains.get(&id).ok_or(EditError::NoSuchChain(id.0))?;
        let material = to.map(|to| self.check_material_assignment(chain, to).cloned()).transpose()?;
        let chain = self.chain_mut(id)?;
        let was = std::mem::replace(&mut chain.material, to);
        let leave = Edit::SetMaterial { chain: id, material: was };
        let Some(material) = material else { return Ok((leave, Invalidation::Nothing)) };
        let old: Vec<(ParamId, ChainValue)> =
            material.values.keys().map(|param| (*param, chain.values[param.index()].clone())).collect();
        material.apply_to_chain(chain);
        if was.is_some() {
            return Ok((leave, Invalidation::Params));
        }
        // The inverse must restore the chain's own values, which are not stored elsewhere.
        let own = old.into_iter().flat_map(|(param, ChainValue { base, curve, around })| {
            [
                Edit::SetBaseValue { chain: id, param, value: base },
                Edit::SetCurve { chain: id, param, curve },
                Edit::SetRingCurve { chain: id, param, curve: around },
            ]
        });
        Ok((Edit::Batch(std::iter::once(leave).chain(own).collect()), Invalidation::Params))
    }
}

impl Document {
    /// Returns the edit that adds a gesture with its base motion. The id is [`Document::next_gesture_id`].
    pub fn add_gesture_edit(&self, gesture: Gesture, base_motion: Option<BaseMotion>) -> Edit {
        let id = self.next_gesture_id();
        Edit::Batch(vec![Edit::PutGesture { id, gesture: Some(gesture) }, Edit::SetBaseMotion { id, base_motion }])
    }

    /// Returns the edit that removes a gesture and its base motion.
    pub fn remove_gesture_edit(&self, id: GestureId) -> Edit {
        Edit::Batch(vec![Edit::SetBaseMotion { id, base_motion: None }, Edit::PutGesture { id, gesture: None }])
    }
}
