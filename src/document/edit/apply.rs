//! Applies edits one by one: checks first, so that what is refused changes nothing, and gives back what undoes them.

use super::checks::{
    check_base_motion, check_collider, check_force, check_gesture, check_helper, check_param, check_system_scope,
    check_value,
};
use super::material_sharing::unassign_differing_material;
use super::{ApplyResult, Edit, EditError, Invalidation, SolverChange, insert_or_remove};
use crate::document::{
    Chain, ChainId, Collider, ColliderGroup, ColliderId, Document, Force, ForceId, Gesture, GestureId, GroupId, Helper,
    HelperId, Joint, Node, Setup, System, SystemId,
};
use crate::math::Curve;
use crate::params::{Invalidates, ParamDef, ParamId};
use crate::rig::BoneId;

impl Document {
    /// Applies `edit` and returns its inverse and what it made stale; when refused, nothing has changed.
    pub fn apply(&mut self, edit: Edit) -> ApplyResult {
        match edit {
            Edit::SetSystemValue { system, row, value } => self.set_system_value(system, row, value),
            Edit::SetBaseValue { chain, row, value } => self.set_base_value(chain, row, value),
            Edit::SetCurve { chain, row, curve } => self.set_curve(chain, row, curve.as_ref()),
            Edit::SetOverride { chain, bone, row, value } => self.set_override(chain, bone, row, value),
            Edit::SetCurveDomain { chain, curve_domain: along } => {
                let along = std::mem::replace(&mut self.chain_mut(chain)?.curve_domain, along);
                Ok((Edit::SetCurveDomain { chain, curve_domain: along }, Invalidation::Params))
            }
            Edit::PutChain { id, chain } => self.put_chain(id, chain),
            Edit::PutMaterial { id, material } => self.put_material(id, material.map(|m| *m)),
            Edit::SetMaterial { chain, material } => self.set_material(chain, material),
            Edit::PutHelper { id, helper } => self.put_helper(id, helper),
            Edit::PutCollider { id, collider } => self.put_collider(id, collider),
            Edit::PutGroup { id, group } => self.put_group(id, group),
            Edit::PutSystem { id, system } => self.put_system(id, system),
            Edit::SetSolver(under) => self.set_solver(*under),
            Edit::PutForce { id, force } => self.put_force(id, force),
            Edit::PutHighLeg { id, high_leg } => {
                if let Some(high_leg) = &high_leg {
                    self.check_node(Some(high_leg.node))?;
                    self.check_node(Some(high_leg.hip))?;
                    high_leg.legs.iter().flatten().try_for_each(|n| self.check_node(Some(*n)))?;
                }
                let high_leg = insert_or_remove(&mut self.high_legs, id, high_leg);
                Ok((Edit::PutHighLeg { id, high_leg }, Invalidation::Topology))
            }
            Edit::SetRendererEnabled { name, enabled: on } => {
                let was = if on { !self.hidden_meshes.remove(&name) } else { self.hidden_meshes.insert(name.clone()) };
                Ok((Edit::SetRendererEnabled { name, enabled: was }, Invalidation::Params))
            }
            Edit::PutGesture { id, gesture } => self.put_gesture(id, gesture),
            Edit::SetBaseMotion { id, base_motion: over } => {
                if let Some(over) = &over {
                    check_base_motion(self.gestures.get(&id).ok_or(EditError::NoSuchGesture(id.0))?, over)?;
                }
                let over = insert_or_remove(&mut self.base_motions, id, over);
                Ok((Edit::SetBaseMotion { id, base_motion: over }, Invalidation::Nothing))
            }
            Edit::SetPivot { chain, bone, pivot } => {
                self.check_node(pivot)?;
                let slot = &mut self.joint_mut(chain, bone)?.pivot;
                let pivot = std::mem::replace(slot, pivot);
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
        let mut touched = Invalidation::Nothing;
        for edit in edits {
            match self.apply(edit) {
                Ok((inverse, t)) => {
                    inverses.push(inverse);
                    touched = touched.max(t);
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
        Ok((Edit::Batch(inverses), touched))
    }

    fn set_system_value(&mut self, id: SystemId, row: ParamId, value: f32) -> ApplyResult {
        let system = self.systems.get_mut(&id).ok_or(EditError::NoSuchSystem(id.0))?;
        let def = check_value(system.param_defs(), row, value)?;
        check_system_scope(def, row)?;
        let value = system.values.set(row, value);
        let touched = match def.invalidates {
            Invalidates::Params => Invalidation::Params,
            Invalidates::Topology => Invalidation::Topology,
        };
        Ok((Edit::SetSystemValue { system: id, row, value }, touched))
    }

    fn set_base_value(&mut self, chain: ChainId, row: ParamId, value: f32) -> ApplyResult {
        check_value(self.param_defs_for_chain(chain)?, row, value)?;
        let all = self.chain_values_mut(chain, row)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.base, value)).last();
        Ok((Edit::SetBaseValue { chain, row, value: old.unwrap_or(value) }, Invalidation::Params))
    }

    fn set_curve(&mut self, chain: ChainId, row: ParamId, curve: Option<&Curve>) -> ApplyResult {
        let def = check_param(self.param_defs_for_chain(chain)?, row)?;
        if curve.is_some_and(|c| !c.is_finite()) {
            return Err(EditError::NotANumber { label: def.label, value: f32::NAN });
        }
        let all = self.chain_values_mut(chain, row)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.curve, curve.cloned())).last();
        Ok((Edit::SetCurve { chain, row, curve: old.flatten() }, Invalidation::Params))
    }

    fn set_override(&mut self, chain: ChainId, bone: BoneId, row: ParamId, value: Option<f32>) -> ApplyResult {
        check_value(self.param_defs_for_chain(chain)?, row, value.unwrap_or(0.0))?;
        let own = &mut self.joint_mut(chain, bone)?.overrides;
        let value = match value {
            Some(value) => own.insert(row, value),
            None => own.remove(&row),
        };
        Ok((Edit::SetOverride { chain, bone, row, value }, Invalidation::Params))
    }

    fn put_system(&mut self, id: SystemId, system: Option<Box<System>>) -> ApplyResult {
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
        // Numbers of its lists that a running world reads again move nothing else: the motion goes on.
        let retuned =
            self.systems.get(&id).zip(system.as_deref()).is_some_and(|(old, new)| old.allows_live_update(new));
        let touched = if retuned { Invalidation::Params } else { Invalidation::Topology };
        let system = insert_or_remove(&mut self.systems, id, system.map(|s| *s)).map(Box::new);
        Ok((Edit::PutSystem { id, system }, touched))
    }

    fn put_chain(&mut self, id: ChainId, chain: Option<Box<Chain>>) -> ApplyResult {
        if let Some(chain) = &chain {
            self.check_chain(id, chain)?;
        }
        let chain = chain.map(|mut chain| {
            unassign_differing_material(&self.materials, &mut chain);
            *chain
        });
        let chain = insert_or_remove(&mut self.chains, id, chain).map(Box::new);
        Ok((Edit::PutChain { id, chain }, Invalidation::Topology))
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
        let helper = insert_or_remove(&mut self.helpers, id, helper);
        Ok((Edit::PutHelper { id, helper }, Invalidation::Topology))
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
        let node = collider.as_ref().map(|c| c.node);
        let forgetting = if collider.is_none() { self.remove_collider_references(id) } else { Vec::new() };
        let collider = insert_or_remove(&mut self.colliders, id, collider);
        if !forgetting.is_empty() {
            let back = std::iter::once(Edit::PutCollider { id, collider }).chain(forgetting);
            return Ok((Edit::Batch(back.collect()), Invalidation::Topology));
        }
        // A change of shape or switch moves nothing else: the motion goes on.
        let same = collider.as_ref().is_some_and(|old| Some(old.node) == node);
        let touched = if same { Invalidation::Params } else { Invalidation::Topology };
        Ok((Edit::PutCollider { id, collider }, touched))
    }

    /// Systems say nothing more of a collider; the edits that bring back what they said.
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
        match &group {
            Some(group) => {
                if let Some(lost) = group.colliders.iter().find(|c| !self.colliders.contains_key(c)) {
                    return Err(EditError::NoSuchCollider(lost.0));
                }
            }
            None => {
                if self.chains.values().any(|chain| chain.groups.contains(&id)) {
                    return Err(EditError::NoSuchGroup(id.0));
                }
            }
        }
        let group = insert_or_remove(&mut self.groups, id, group);
        Ok((Edit::PutGroup { id, group }, Invalidation::Topology))
    }

    /// Every chain is checked against the tables; when one is refused, all is as before.
    fn set_solver(&mut self, under: SolverChange) -> ApplyResult {
        let swap = |document: &mut Self, under: SolverChange| SolverChange {
            systems: std::mem::replace(&mut document.systems, under.systems),
            chains: std::mem::replace(&mut document.chains, under.chains),
        };
        if under.systems.is_empty() {
            return Err(EditError::NoSuchSystem(self.main_system_id().0));
        }
        let before = swap(self, under);
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
        let node = force.as_ref().map(|f| f.node);
        let force = insert_or_remove(&mut self.forces, id, force);
        let same = force.as_ref().is_some_and(|old| Some(old.node) == node);
        let touched = if same { Invalidation::Params } else { Invalidation::Topology };
        Ok((Edit::PutForce { id, force }, touched))
    }

    /// A gesture that goes takes its base motion along; the inverse brings back both.
    fn put_gesture(&mut self, id: GestureId, gesture: Option<Gesture>) -> ApplyResult {
        if let Some(gesture) = &gesture {
            check_gesture(id, gesture)?;
        }
        let over = if gesture.is_none() { self.base_motions.remove(&id) } else { None };
        let gesture = insert_or_remove(&mut self.gestures, id, gesture);
        let back = Edit::PutGesture { id, gesture };
        let Some(over) = over else { return Ok((back, Invalidation::Nothing)) };
        Ok((Edit::Batch(vec![back, Edit::SetBaseMotion { id, base_motion: Some(over) }]), Invalidation::Nothing))
    }

    /// Whether anything hangs on a node or refers to it.
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
