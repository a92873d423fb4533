//! Reads the components of UnityChanSpringBone: managers, bones, pivots, colliders and force volumes. The entries are those
//! of the equal table, in Unity's space.

use super::objects::Component;
use super::scripts::{Components, Script};
use super::setup_reader::{SetupReader, new_system, own_name};
use yuremono_model::document::{
    ByName, Collider, Force, Helper, HelperRole, Joint, JointEntry, LengthTarget, NodeRef, ReplacedProperties,
    SetupEntry, System,
};
use yuremono_model::exchange::FileSection;
use yuremono_sim::diagnostics::{Diagnostic, Location, join_first_names, message};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamScope;
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, Wind};

const SOLVER: SolverKind = SolverKind::UnityChanSpringBone;

/// Values that a new component has in Unity, where they differ from those of Yuremono.
const COMPONENT_DEFAULTS: [(&str, f32); 5] = [
    ("stiffnessForce", 0.01),
    ("dragForce", 0.4),
    ("springForce y", -0.0001),
    ("windInfluence", 1.0),
    ("radius", 0.05),
];

/// Adds the systems and entries of all components.
pub(super) fn read(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    let is_own = |(script, _): &&(Script, Component<'_>)| *script <= Script::WindVolume;
    let Some((_, first)) = components.0.iter().find(is_own) else { return };
    let managers: Vec<&Component<'_>> = components.of(&[Script::SpringManager]).collect();
    let mut systems = Vec::new();
    for manager in &managers {
        let values = reader.values(manager, SOLVER, ParamScope::System, &[], &own_name);
        systems.extend(reader.add_system(manager, System { values, ..new_system(SOLVER) }));
    }
    if managers.is_empty() {
        systems.extend(reader.add_system(first, new_system(SOLVER)));
    }
    let Some(first_system) = systems.first().copied() else { return };
    // A manager moves all bones below its node, and the nearest manager counts.
    let objects = reader.objects;
    let system_of = |node: i64| {
        let mut above = std::iter::once(node).chain(objects.ancestors(node));
        let manager = |id: i64| managers.iter().zip(&systems).find(|(manager, _)| manager.node == id);
        above.find_map(manager).map_or(first_system, |(_, system)| *system)
    };
    for manager in &managers {
        reader.warn_if_off(manager);
    }
    for (script, component) in &components.0 {
        match script {
            Script::SpringBonePivot => add_pivot(reader, component, first_system),
            Script::SpringSphereCollider => add_collider(reader, component, ColliderShape::SPHERE, first_system),
            Script::SpringCapsuleCollider => add_collider(reader, component, ColliderShape::CAPSULE, first_system),
            Script::SpringPanelCollider => add_collider(reader, component, ColliderShape::PANEL, first_system),
            Script::ForceVolume | Script::WindVolume => add_force(reader, *script, component, first_system),
            _ => {}
        }
    }
    let mut without_pivot = Vec::new();
    for bone in components.of(&[Script::SpringBone]) {
        add_bone(reader, bone, system_of(bone.node), &mut without_pivot);
    }
    if !without_pivot.is_empty() {
        let bones = join_first_names(&without_pivot);
        reader.found.push(Diagnostic::info(
            Location::file(reader.name),
            message!("these bones have angle limits, but no pivot, so Unity ignores the limits: {bones}", bones),
        ));
    }
}

fn add_bone(reader: &mut SetupReader<'_>, component: &Component<'_>, system: usize, without_pivot: &mut Vec<String>) {
    let (body, bone) = (component.body, reader.name_of(component));
    let mut joint: Joint<ByName> = Joint::new(bone.clone());
    joint.overrides = reader.values(component, SOLVER, ParamScope::Joint, &COMPONENT_DEFAULTS, &own_name);
    joint.pivot = reader.name_at(body.get("pivotNode")).map(NodeRef::Named);
    let is_limited = ["yAngleLimits", "zAngleLimits"]
        .iter()
        .any(|limits| body.get(limits).and_then(|limits| limits.number("active")).is_some_and(|on| on != 0.0));
    if joint.pivot.is_none() && is_limited {
        without_pivot.push(bone.clone());
    }
    let targets = reader.names_at(body, "lengthLimitTargets").into_iter();
    joint.length_targets = targets.map(|target| LengthTarget::new(NodeRef::Named(target))).collect();
    for list in ["sphereColliders", "capsuleColliders", "panelColliders"] {
        joint.colliders.extend(reader.colliders_at(body, list));
    }
    let row = JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint };
    reader.push(system, FileSection::Joints, &bone, component.line, SetupEntry::Joint(row));
    if !reader.objects.is_on(component) {
        let joint = Joint { enabled: false, ..Joint::new(bone) };
        let details = JointEntry { scope: ReplacedProperties::Details, chain: None, joint };
        reader.push(system, FileSection::Other, "joint", component.line, SetupEntry::Joint(details));
    }
}

fn add_pivot(reader: &mut SetupReader<'_>, component: &Component<'_>, system: usize) {
    if let Some((parent, local)) = reader.place(component.node) {
        // A table stores no position and scale of a pivot.
        let local = Trs { rotation: local.rotation, ..Trs::IDENTITY };
        let name = reader.name_of(component);
        let pivot = Helper { name: name.clone(), parent: NodeRef::Named(parent), local, role: HelperRole::Pivot };
        reader.push(system, FileSection::Pivots, &name, component.line, SetupEntry::Helper(pivot));
    }
}

fn add_collider(reader: &mut SetupReader<'_>, component: &Component<'_>, mut shape: ColliderShape, system: usize) {
    for (at, field) in shape.fields().iter().enumerate() {
        shape = shape.with_field(at, reader.number(component, component.body, field.name, shape.field(at)));
    }
    // A bone of the character must not be added again.
    let Some(node) = reader.node_ref_or_warn(component) else { return };
    let name = reader.collider_name(component, node.name());
    let mesh_name = reader.name_at(component.body.get("linkedRenderer"));
    let collider = Collider { mesh_name, ..Collider::new(&name, node, shape) };
    reader.push(system, FileSection::Colliders, &name, component.line, SetupEntry::Collider(collider));
    reader.disable_collider_if_off(component, &name, system);
}

fn add_force(reader: &mut SetupReader<'_>, script: Script, component: &Component<'_>, system: usize) {
    let body = component.body;
    let mut number = |field, otherwise| reader.number(component, body, field, otherwise);
    let kind = if script == Script::ForceVolume {
        ForceKind::Volume { strength: number("strength", 0.01) }
    } else {
        let Wind { weight, strength, amplitude, period, spin_period, peak_distance } = Wind::DEFAULT;
        ForceKind::Wind(Wind {
            weight: number("weight", weight),
            strength: number("strength", strength),
            amplitude: number("amplitude", amplitude),
            period: number("period", period),
            spin_period: number("spinPeriod", spin_period),
            peak_distance: number("peakDistance", peak_distance),
        })
    };
    let Some(node) = reader.node_ref_or_warn(component) else { return };
    let name = node.name().to_owned();
    let enabled = reader.objects.is_on(component);
    let force = Force { name: name.clone(), node, kind, enabled };
    reader.push(system, FileSection::Other, "force", component.line, SetupEntry::Force(force));
}
