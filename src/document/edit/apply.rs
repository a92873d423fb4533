//! Applies edits one by one: checks first, so that what is refused changes nothing, and gives back what undoes them.

use super::checks::{
    check_collider, check_force, check_gesture, check_helper, check_row, check_system_row, check_underlay, check_value,
};
use super::share::settle;
use super::{Applied, Edit, EditError, Touched, Under, put};
use crate::document::{
    Chain, ChainId, Collider, ColliderGroup, ColliderId, Document, Force, ForceId, Gesture, GestureId, GroupId, Helper,
    HelperId, Joint, Node, Setup, System, SystemId,
};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::{ParamDef, Row, Touches};

impl Document {
    /// Applies `edit` and returns its inverse and what it made stale; when refused, nothing has changed.
    pub fn apply(&mut self, edit: Edit) -> Applied {
        match edit {
            Edit::SetSystem { system, row, value } => self.set_system(system, row, value),
            Edit::SetBase { chain, row, value } => self.set_base(chain, row, value),
            Edit::SetCurve { chain, row, curve } => self.set_curve(chain, row, curve.as_ref()),
            Edit::SetOwn { chain, bone, row, value } => self.set_own(chain, bone, row, value),
            Edit::SetAlong { chain, along } => {
                let along = std::mem::replace(&mut self.chain_mut(chain)?.along, along);
                Ok((Edit::SetAlong { chain, along }, Touched::Params))
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
                let high_leg = put(&mut self.high_legs, id, high_leg);
                Ok((Edit::PutHighLeg { id, high_leg }, Touched::Topology))
            }
            Edit::SetRenderer { name, on } => {
                let was = if on { !self.renderers_off.remove(&name) } else { self.renderers_off.insert(name.clone()) };
                Ok((Edit::SetRenderer { name, on: was }, Touched::Params))
            }
            Edit::PutGesture { id, gesture } => self.put_gesture(id, gesture),
            Edit::SetUnderlay { id, over } => {
                if let Some(over) = &over {
                    check_underlay(self.gestures.get(&id).ok_or(EditError::NoSuchGesture(id.0))?, over)?;
                }
                let over = put(&mut self.underlays, id, over);
                Ok((Edit::SetUnderlay { id, over }, Touched::Nothing))
            }
            Edit::SetPivot { chain, bone, pivot } => {
                self.check_node(pivot)?;
                let slot = &mut self.joint_mut(chain, bone)?.pivot;
                let pivot = std::mem::replace(slot, pivot);
                Ok((Edit::SetPivot { chain, bone, pivot }, Touched::Topology))
            }
            Edit::SetExcluded { bone, excluded } => {
                let was = if excluded { !self.excluded.insert(bone) } else { self.excluded.remove(&bone) };
                Ok((Edit::SetExcluded { bone, excluded: was }, Touched::Nothing))
            }
            Edit::SetPassthrough(kept) => {
                let kept = std::mem::replace(&mut self.passthrough, kept);
                Ok((Edit::SetPassthrough(kept), Touched::Nothing))
            }
            Edit::Batch(edits) => self.apply_batch(edits),
        }
    }

    fn apply_batch(&mut self, edits: Vec<Edit>) -> Applied {
        let mut inverses = Vec::with_capacity(edits.len());
        let mut touched = Touched::Nothing;
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

    fn set_system(&mut self, id: SystemId, row: Row, value: f32) -> Applied {
        let system = self.systems.get_mut(&id).ok_or(EditError::NoSuchSystem(id.0))?;
        let def = check_value(system.table(), row, value)?;
        check_system_row(def, row)?;
        let value = system.values.set(row, value);
        let touched = match def.touches {
            Touches::Params => Touched::Params,
            Touches::Topology => Touched::Topology,
        };
        Ok((Edit::SetSystem { system: id, row, value }, touched))
    }

    fn set_base(&mut self, chain: ChainId, row: Row, value: f32) -> Applied {
        check_value(self.table_under(chain)?, row, value)?;
        let all = self.authored_mut(chain, row)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.base, value)).last();
        Ok((Edit::SetBase { chain, row, value: old.unwrap_or(value) }, Touched::Params))
    }

    fn set_curve(&mut self, chain: ChainId, row: Row, curve: Option<&Curve>) -> Applied {
        let def = check_row(self.table_under(chain)?, row)?;
        if curve.is_some_and(|c| !c.is_finite()) {
            return Err(EditError::NotANumber { label: def.label, value: f32::NAN });
        }
        let all = self.authored_mut(chain, row)?;
        let old = all.into_iter().map(|authored| std::mem::replace(&mut authored.curve, curve.cloned())).last();
        Ok((Edit::SetCurve { chain, row, curve: old.flatten() }, Touched::Params))
    }

    fn set_own(&mut self, chain: ChainId, bone: BoneId, row: Row, value: Option<f32>) -> Applied {
        check_value(self.table_under(chain)?, row, value.unwrap_or(0.0))?;
        let own = &mut self.joint_mut(chain, bone)?.own;
        let value = match value {
            Some(value) => own.insert(row, value),
            None => own.remove(&row),
        };
        Ok((Edit::SetOwn { chain, bone, row, value }, Touched::Params))
    }

    fn put_system(&mut self, id: SystemId, system: Option<Box<System>>) -> Applied {
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
        let retuned = self.systems.get(&id).zip(system.as_deref()).is_some_and(|(old, new)| old.is_retuned(new));
        let touched = if retuned { Touched::Params } else { Touched::Topology };
        let system = put(&mut self.systems, id, system.map(|s| *s)).map(Box::new);
        Ok((Edit::PutSystem { id, system }, touched))
    }

    fn put_chain(&mut self, id: ChainId, chain: Option<Box<Chain>>) -> Applied {
        if let Some(chain) = &chain {
            self.check_chain(id, chain)?;
        }
        let chain = chain.map(|mut chain| {
            settle(&self.materials, &mut chain);
            *chain
        });
        let chain = put(&mut self.chains, id, chain).map(Box::new);
        Ok((Edit::PutChain { id, chain }, Touched::Topology))
    }

    fn put_helper(&mut self, id: HelperId, helper: Option<Helper>) -> Applied {
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
            && self.uses(Node::Helper(id))
        {
            return Err(EditError::HelperInUse(old.name.clone()));
        }
        let helper = put(&mut self.helpers, id, helper);
        Ok((Edit::PutHelper { id, helper }, Touched::Topology))
    }

    fn put_collider(&mut self, id: ColliderId, collider: Option<Collider>) -> Applied {
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
        let forgetting = if collider.is_none() { self.forget_collider(id) } else { Vec::new() };
        let collider = put(&mut self.colliders, id, collider);
        if !forgetting.is_empty() {
            let back = std::iter::once(Edit::PutCollider { id, collider }).chain(forgetting);
            return Ok((Edit::Batch(back.collect()), Touched::Topology));
        }
        // A change of shape or switch moves nothing else: the motion goes on.
        let same = collider.as_ref().is_some_and(|old| Some(old.node) == node);
        let touched = if same { Touched::Params } else { Touched::Topology };
        Ok((Edit::PutCollider { id, collider }, touched))
    }

    /// Systems say nothing more of a collider; the edits that bring back what they said.
    fn forget_collider(&mut self, id: ColliderId) -> Vec<Edit> {
        let mut back = Vec::new();
        for (system_id, system) in &mut self.systems {
            if system.extras.colliders().contains(&id) {
                back.push(Edit::PutSystem { id: *system_id, system: Some(Box::new(system.clone())) });
                system.extras.keep_colliders(|other| other != id);
            }
        }
        back
    }

    fn put_group(&mut self, id: GroupId, group: Option<ColliderGroup>) -> Applied {
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
        let group = put(&mut self.groups, id, group);
        Ok((Edit::PutGroup { id, group }, Touched::Topology))
    }

    /// Every chain is checked against the tables; when one is refused, all is as before.
    fn set_solver(&mut self, under: Under) -> Applied {
        let swap = |document: &mut Self, under: Under| Under {
            systems: std::mem::replace(&mut document.systems, under.systems),
            chains: std::mem::replace(&mut document.chains, under.chains),
        };
        if under.systems.is_empty() {
            return Err(EditError::NoSuchSystem(self.main_id().0));
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
            settle(materials, chain);
        }
        Ok((Edit::SetSolver(Box::new(before)), Touched::Topology))
    }

    fn put_force(&mut self, id: ForceId, force: Option<Force>) -> Applied {
        if let Some(force) = &force {
            check_force(force)?;
            self.check_node(Some(force.node))?;
        }
        let node = force.as_ref().map(|f| f.node);
        let force = put(&mut self.forces, id, force);
        let same = force.as_ref().is_some_and(|old| Some(old.node) == node);
        let touched = if same { Touched::Params } else { Touched::Topology };
        Ok((Edit::PutForce { id, force }, touched))
    }

    /// A gesture that goes takes its base motion along; the inverse brings back both.
    fn put_gesture(&mut self, id: GestureId, gesture: Option<Gesture>) -> Applied {
        if let Some(gesture) = &gesture {
            check_gesture(id, gesture)?;
        }
        let over = if gesture.is_none() { self.underlays.remove(&id) } else { None };
        let gesture = put(&mut self.gestures, id, gesture);
        let back = Edit::PutGesture { id, gesture };
        let Some(over) = over else { return Ok((back, Touched::Nothing)) };
        Ok((Edit::Batch(vec![back, Edit::SetUnderlay { id, over: Some(over) }]), Touched::Nothing))
    }

    /// Whether anything hangs on a node or refers to it.
    pub fn uses(&self, node: Node) -> bool {
        let joints = || self.chains.values().flat_map(|c| &c.joints);
        self.helpers.values().any(|h| h.parent == node)
            || self.colliders.values().any(|c| c.node == node)
            || self.forces.values().any(|f| f.node == node)
            || self
                .high_legs
                .values()
                .any(|h| h.node == node || h.hip == node || h.legs.iter().flatten().any(|n| *n == node))
            || self.chains.values().any(|c| c.center == Some(node))
            || self.systems.values().any(|s| s.nodes().any(|n| n == node))
            || joints().any(|j| j.pivot == Some(node) || j.length_targets.iter().any(|t| t.node == node))
    }

    fn table_under(&self, chain: ChainId) -> Result<&'static [ParamDef], EditError> {
        let chain = self.chains.get(&chain).ok_or(EditError::NoSuchChain(chain.0))?;
        Ok(self.table_of(chain))
    }

    pub(super) fn chain_mut(&mut self, id: ChainId) -> Result<&mut Chain, EditError> {
        self.chains.get_mut(&id).ok_or(EditError::NoSuchChain(id.0))
    }

    fn joint_mut(&mut self, id: ChainId, bone: BoneId) -> Result<&mut Joint, EditError> {
        let chain = self.chain_mut(id)?;
        match chain.position(bone) {
            Some(at) => Ok(&mut chain.joints[at]),
            None => Err(EditError::NoSuchJoint { chain: chain.name.clone(), bone: bone.0 }),
        }
    }
}
