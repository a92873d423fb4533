//! Checks edits: references must exist, and values must not be NaN.

use super::EditError;
use crate::document::{
    BaseMotion, Chain, ChainId, ChainValue, Change, Changes, Collider, ColliderGroup, Document, ElementChange, Force,
    Gesture, GestureId, GestureSample, Helper, MAX_POSED_BONES, Material, MaterialId, Node, PosedBone, Replaced,
    RingPlace, System, SystemId, Tip,
};
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_sim::math::Curve;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope};
use yuremono_sim::{SwingLimit, SwingShape};

/// Maximum distance between a node and its parent in metres, and maximum scale. The limit keeps products of several
/// values finite.
const MAX_MAGNITUDE: f32 = 1e6;

impl Document {
    /// Checks what a change brings. `changes` are applied together with it.
    pub(super) fn check_change(&self, change: &Change, changes: &Changes) -> Result<(), EditError> {
        match change {
            Change::SystemValue(id, param, value) => {
                let system = self.systems.get(id).ok_or(EditError::NoSuchSystem(id.0))?;
                check_system_scope(check_value(system.param_defs(), *param, value.new)?, *param)
            }
            Change::ChainValue(id, param, value) => {
                let def = check_param(self.param_defs_for_chain(*id)?, *param)?;
                let is_valid = is_valid_value(&value.new);
                if is_valid { Ok(()) } else { Err(EditError::NotANumber { label: def.label, value: f32::NAN }) }
            }
            Change::Override(id, bone, param, value) => {
                check_value(self.param_defs_for_chain(*id)?, *param, value.new.unwrap_or(0.0))?;
                let chain = self.chains.get(id).ok_or(EditError::NoSuchChain(id.0))?;
                let has_joint = chain.joint_index(*bone).is_some();
                let no_joint = || EditError::NoSuchJoint { chain: chain.name.clone(), bone: bone.0 };
                if has_joint { Ok(()) } else { Err(no_joint()) }
            }
            Change::System(change) => self.check_system_change(change, changes),
            Change::Chain(change) => change.element.new.as_ref().map_or(Ok(()), |new| self.check_chain(change.id, new)),
            Change::Material(change) => self.check_material_change(change, changes),
            Change::Helper(change) => self.check_helper_change(change),
            Change::Collider(change) => self.check_collider_change(change),
            Change::Group(change) => self.check_group_change(change),
            Change::Force(change) => change.element.new.as_ref().map_or(Ok(()), |force| {
                check_force(force)?;
                self.check_node(Some(force.node))
            }),
            Change::HighLeg(change) => {
                let legs = change.element.new.iter();
                let mut nodes =
                    legs.flat_map(|leg| [leg.node, leg.hip].into_iter().chain(leg.legs.iter().flatten().copied()));
                nodes.try_for_each(|node| self.check_node(Some(node)))
            }
            Change::Gesture(change) => change.element.new.as_ref().map_or(Ok(()), |new| check_gesture(change.id, new)),
            Change::BaseMotion(change) => change.element.new.as_ref().map_or(Ok(()), |motion| {
                check_base_motion(self.gestures.get(&change.id).ok_or(EditError::NoSuchGesture(change.id.0))?, motion)
            }),
            Change::KeptPose(pose) => check_kept_pose(&pose.new),
            Change::HiddenMesh(..) | Change::ExcludedBone(..) | Change::Passthrough(_) => Ok(()),
        }
    }

    /// A system with chains keeps its solver and cannot be removed, unless its chains change together with it.
    fn check_system_change(&self, change: &ElementChange<System>, changes: &Changes) -> Result<(), EditError> {
        let id = change.id;
        let mut chains = self.chains.iter().filter(|(_, chain)| chain.system == id);
        let Replaced { old, new } = &*change.element;
        let fits = match new {
            Some(new) => {
                self.check_system(id, new)?;
                old.as_ref().is_some_and(|old| old.solver == new.solver)
                    || chains.all(|(chain, _)| changes.replaces_chain(*chain))
            }
            None => chains.next().is_none() && self.systems.keys().any(|other| *other != id),
        };
        if fits { Ok(()) } else { Err(EditError::NoSuchSystem(id.0)) }
    }

    /// A material of chains keeps its solver, unless its chains change together with it.
    fn check_material_change(&self, change: &ElementChange<Material>, changes: &Changes) -> Result<(), EditError> {
        let Replaced { old, new: Some(new) } = &*change.element else { return Ok(()) };
        Self::check_material(new)?;
        let keeps_solver = old.as_ref().is_none_or(|old| old.solver == new.solver);
        let fits = keeps_solver || self.chains_with_material(change.id).all(|(chain, _)| changes.replaces_chain(chain));
        if fits { Ok(()) } else { Err(EditError::NoSuchMaterial(change.id.0)) }
    }

    /// A helper has an existing parent that is not its own descendant, and cannot be removed while it is in use.
    fn check_helper_change(&self, change: &ElementChange<Helper>) -> Result<(), EditError> {
        let Some(helper) = &change.element.new else {
            let is_used = self.is_node_referenced(Node::Helper(change.id));
            let old = change.element.old.as_ref().filter(|_| is_used);
            return old.map_or(Ok(()), |old| Err(EditError::HelperInUse(old.name.clone())));
        };
        check_helper(helper)?;
        self.check_node(Some(helper.parent))?;
        let mut above = Some(helper.parent);
        // A circle of other helpers ends here, too.
        for _ in 0..=self.helpers.len() {
            match above {
                Some(Node::Helper(parent)) if parent == change.id => return Err(EditError::NoSuchHelper(parent.0)),
                Some(Node::Helper(parent)) => above = self.helpers.get(&parent).map(|helper| helper.parent),
                _ => break,
            }
        }
        Ok(())
    }

    /// A collider that joints or groups list cannot be removed.
    fn check_collider_change(&self, change: &ElementChange<Collider>) -> Result<(), EditError> {
        let id = change.id;
        if let Some(collider) = &change.element.new {
            check_collider(collider)?;
            return self.check_node(Some(collider.node));
        }
        let listed = self.chains.values().flat_map(|chain| &chain.joints).any(|joint| joint.colliders.contains(&id));
        let is_used = listed || self.groups.values().any(|group| group.colliders.contains(&id));
        if is_used { Err(EditError::NoSuchCollider(id.0)) } else { Ok(()) }
    }

    /// A group has existing colliders, and cannot be removed while chains use it.
    fn check_group_change(&self, change: &ElementChange<ColliderGroup>) -> Result<(), EditError> {
        let group = change.element.new.as_ref();
        let mut colliders = group.into_iter().flat_map(|group| &group.colliders);
        if let Some(lost) = colliders.find(|collider| !self.colliders.contains_key(collider)) {
            return Err(EditError::NoSuchCollider(lost.0));
        }
        let is_lost = group.is_none() && self.chains.values().any(|chain| chain.groups.contains(&change.id));
        if is_lost { Err(EditError::NoSuchGroup(change.id.0)) } else { Ok(()) }
    }

    pub(super) fn check_node(&self, node: Option<Node>) -> Result<(), EditError> {
        match node {
            Some(Node::Helper(id)) if !self.helpers.contains_key(&id) => Err(EditError::NoSuchHelper(id.0)),
            _ => Ok(()),
        }
    }

    /// Checks that a system has one value per parameter, and that its lists belong to its solver and refer to existing
    /// elements.
    fn check_system(&self, id: SystemId, system: &System) -> Result<(), EditError> {
        let count = system.param_defs().len();
        if system.values.len() != count {
            return Err(EditError::NoSuchParam(count as u16));
        }
        if !system.component_lists.matches_solver(system.solver) || !system.component_lists.is_finite() {
            return Err(EditError::InvalidComponentLists(id.0));
        }
        system.referenced_nodes().try_for_each(|node| self.check_node(Some(node)))?;
        match system.component_lists.collider_ids().into_iter().find(|c| !self.colliders.contains_key(c)) {
            Some(lost) => Err(EditError::NoSuchCollider(lost.0)),
            None => Ok(()),
        }
    }

    fn check_chain(&self, id: ChainId, chain: &Chain) -> Result<(), EditError> {
        let system = self.systems.get(&chain.system).ok_or(EditError::NoSuchSystem(chain.system.0))?;
        let table = system.param_defs();
        let is_complete = !chain.joints.is_empty() && chain.values.len() == table.len();
        let has_no_nan = chain.values.iter().all(is_valid_value)
            && chain
                .joints
                .iter()
                .all(|j| j.overrides.iter().all(|(param, v)| param.index() < table.len() && !v.is_nan()))
            && chain.joints.iter().flat_map(|j| &j.length_targets).all(|t| t.constant.is_none_or(|c| !c.is_nan()))
            && chain.joints.iter().all(|j| !matches!(j.tip, Tip::Offset(p) if p.is_nan()))
            && chain.joints.iter().all(|j| j.limit.as_ref().is_none_or(limit_has_no_nan));
        if !is_complete || !has_no_nan {
            return Err(EditError::InvalidChain(chain.name.clone()));
        }
        chain.material.map_or(Ok(()), |id| self.check_material_assignment(chain, id).map(|_| ()))?;
        self.check_node(chain.center)?;
        if let Some(lost) = chain.groups.iter().find(|g| !self.groups.contains_key(g)) {
            return Err(EditError::NoSuchGroup(lost.0));
        }
        check_ring_place(chain.ring, &chain.name)?;
        let mut bones = BTreeSet::new();
        for joint in &chain.joints {
            if !bones.insert(joint.bone) {
                return Err(EditError::InvalidChain(chain.name.clone()));
            }
            self.check_node(joint.pivot)?;
            joint.length_targets.iter().try_for_each(|t| self.check_node(Some(t.node)))?;
            if let Some(lost) = joint.colliders.iter().find(|c| !self.colliders.contains_key(c)) {
                return Err(EditError::NoSuchCollider(lost.0));
            }
        }
        for (_, other) in self.chains.iter().filter(|(other, _)| **other != id) {
            if let Some(taken) = other.joints.iter().find(|j| bones.contains(&j.bone)) {
                return Err(EditError::BoneInUse { bone: taken.bone.0, chain: other.name.clone() });
            }
        }
        Ok(())
    }

    /// Checks that a material has exactly the material parameters of its solver.
    fn check_material(material: &Material) -> Result<(), EditError> {
        let rows = material.solver.info().material_params;
        let is_complete = !rows.is_empty() && material.values.len() == rows.len();
        if is_complete
            && material.values.values().all(is_valid_value)
            && rows.iter().all(|param| material.values.contains_key(param))
        {
            Ok(())
        } else {
            Err(EditError::InvalidMaterial(material.name.clone()))
        }
    }

    /// Returns the material `id` if it is for the chain's solver.
    pub(super) fn check_material_assignment(&self, chain: &Chain, id: MaterialId) -> Result<&Material, EditError> {
        let material = self.materials.get(&id).filter(|material| material.solver == self.solver_of(chain));
        material.ok_or(EditError::NoSuchMaterial(id.0))
    }
}

/// Checks that all values of a helper are finite and moderate, because frames of nodes are multiplied.
fn check_helper(helper: &Helper) -> Result<(), EditError> {
    let local = helper.local;
    let is_near = |v: Vec3| v.abs().max_element() <= MAX_MAGNITUDE && v.is_finite();
    let turns = (1e-6..MAX_MAGNITUDE).contains(&local.rotation.length());
    let fits = is_near(local.translation) && is_near(local.scale) && turns;
    accept_if(fits, &helper.name)
}

fn accept_if(is_valid: bool, name: &str) -> Result<(), EditError> {
    if is_valid { Ok(()) } else { Err(EditError::InvalidElement(name.to_owned())) }
}

/// Checks that the angle in a ring is finite.
pub(super) fn check_ring_place(place: Option<RingPlace>, chain: &str) -> Result<(), EditError> {
    let is_finite = place.is_none_or(|place| place.angle.is_finite());
    if is_finite { Ok(()) } else { Err(EditError::InvalidChain(chain.to_owned())) }
}

fn is_valid_value(value: &ChainValue) -> bool {
    !value.base.is_nan() && value.curve.as_ref().is_none_or(Curve::is_finite)
}

fn limit_has_no_nan(limit: &SwingLimit) -> bool {
    let angles = match limit.shape {
        SwingShape::Cone { angle } | SwingShape::Hinge { angle } => [angle, 0.0],
        SwingShape::Spherical { pitch, yaw } => [pitch, yaw],
    };
    angles.iter().all(|angle| !angle.is_nan()) && !limit.rotation.is_nan()
}

/// Checks that a collider has no NaN. Infinite values are valid, for example in planes.
fn check_collider(collider: &Collider) -> Result<(), EditError> {
    let has_no_nan = (0..collider.shape.fields().len()).all(|at| !collider.shape.field(at).is_nan());
    accept_if(has_no_nan, &collider.name)
}

fn check_force(force: &Force) -> Result<(), EditError> {
    let has_no_nan = (0..force.kind.fields().len()).all(|at| !force.kind.field(at).is_nan());
    accept_if(has_no_nan, &force.name)
}

fn check_gesture(id: GestureId, gesture: &Gesture) -> Result<(), EditError> {
    if gesture.samples.is_empty() {
        return Err(EditError::NoSuchGesture(id.0));
    }
    accept_if(gesture.samples.iter().all(is_finite_sample), &gesture.name)
}

fn is_finite_sample(sample: &GestureSample) -> bool {
    sample.offset.is_finite() && sample.rotation.is_finite()
}

/// Checks that a kept pose is finite and not longer than [`MAX_POSED_BONES`].
fn check_kept_pose(bones: &[PosedBone]) -> Result<(), EditError> {
    accept_if(bones.len() <= MAX_POSED_BONES && bones.iter().all(|posed| is_finite_sample(&posed.sample)), "kept_pose")
}

fn check_base_motion(gesture: &Gesture, base_motion: &BaseMotion) -> Result<(), EditError> {
    let is_finite = base_motion.start.is_finite() && base_motion.speed.is_finite() && base_motion.amplitude.is_finite();
    accept_if(is_finite, &gesture.name)
}

/// Checks that a parameter has system scope. Values of joint scope are stored in chains.
pub(super) fn check_system_scope(def: &ParamDef, param: ParamId) -> Result<(), EditError> {
    if def.scope == ParamScope::System { Ok(()) } else { Err(EditError::NoSuchParam(param.0)) }
}

pub(super) fn check_param(table: &'static [ParamDef], param: ParamId) -> Result<&'static ParamDef, EditError> {
    table.get(param.index()).ok_or(EditError::NoSuchParam(param.0))
}

pub(super) fn check_value(
    table: &'static [ParamDef],
    param: ParamId,
    value: f32,
) -> Result<&'static ParamDef, EditError> {
    let def = check_param(table, param)?;
    if value.is_nan() { Err(EditError::NotANumber { label: def.label, value }) } else { Ok(def) }
}
