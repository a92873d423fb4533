//! Checks edits: references must exist, and values must not be NaN.

use super::EditError;
use crate::document::{
    BaseMotion, Chain, ChainId, ChainValue, Collider, Document, Force, Gesture, GestureId, GestureSample, Helper,
    MAX_POSED_BONES, Material, MaterialId, Node, PosedBone, RingPlace, System, SystemId, Tip,
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
    pub(super) fn check_node(&self, node: Option<Node>) -> Result<(), EditError> {
        match node {
            Some(Node::Helper(id)) if !self.helpers.contains_key(&id) => Err(EditError::NoSuchHelper(id.0)),
            _ => Ok(()),
        }
    }

    /// Checks that a system has one value per parameter, and that its lists belong to its solver and refer to existing
    /// elements.
    pub(super) fn check_system(&self, id: SystemId, system: &System) -> Result<(), EditError> {
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

    pub(super) fn check_chain(&self, id: ChainId, chain: &Chain) -> Result<(), EditError> {
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
    pub(super) fn check_material(material: &Material) -> Result<(), EditError> {
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
pub(super) fn check_helper(helper: &Helper) -> Result<(), EditError> {
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
pub(super) fn check_collider(collider: &Collider) -> Result<(), EditError> {
    let has_no_nan = (0..collider.shape.fields().len()).all(|at| !collider.shape.field(at).is_nan());
    accept_if(has_no_nan, &collider.name)
}

pub(super) fn check_force(force: &Force) -> Result<(), EditError> {
    let has_no_nan = (0..force.kind.fields().len()).all(|at| !force.kind.field(at).is_nan());
    accept_if(has_no_nan, &force.name)
}

pub(super) fn check_gesture(id: GestureId, gesture: &Gesture) -> Result<(), EditError> {
    if gesture.samples.is_empty() {
        return Err(EditError::NoSuchGesture(id.0));
    }
    accept_if(gesture.samples.iter().all(is_finite_sample), &gesture.name)
}

fn is_finite_sample(sample: &GestureSample) -> bool {
    sample.offset.is_finite() && sample.rotation.is_finite()
}

/// Checks that a kept pose is finite and not longer than [`MAX_POSED_BONES`].
pub(super) fn check_kept_pose(bones: &[PosedBone]) -> Result<(), EditError> {
    accept_if(bones.len() <= MAX_POSED_BONES && bones.iter().all(|posed| is_finite_sample(&posed.sample)), "kept_pose")
}

pub(super) fn check_base_motion(gesture: &Gesture, base_motion: &BaseMotion) -> Result<(), EditError> {
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
