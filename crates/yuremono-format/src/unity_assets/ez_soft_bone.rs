//! Reads the components of `EZSoftBone` and their materials.

use super::super::root_bone_formats::{AxisCollider, AxisShape};
use super::objects::{CAPSULE_COLLIDER, Component, SPHERE_COLLIDER, parse, reference};
use super::scripts::{Components, Script};
use super::setup_reader::{NamedLists, SetupReader, own_name};
use super::yaml::Yaml;
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_model::document::System;
use yuremono_model::exchange::ChainTree;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::params::{ParamDef, ParamScope, find_param};
use yuremono_sim::solver::ez_soft_bone::MATERIAL_PARAMS;
use yuremono_sim::{EzCollider, EzSetup, SolverKind};

/// Maximum number of values of a material.
const MAX_MATERIAL_VALUES: usize = 10_000;

pub(super) fn read(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    let mut margins: BTreeMap<String, EzCollider> = BTreeMap::new();
    for component in components.of(&[Script::EzSoftBoneCollider]) {
        let reference = component.body.get("m_ReferenceCollider").map_or(0, reference);
        let inside = component.body.number("m_InsideMode").is_some_and(|inside| inside != 0.0);
        let Some(name) = add_unity_collider(reader, component, reference, inside) else {
            warn_of_shape(reader, component);
            continue;
        };
        reader.colliders.insert(component.id, name.clone());
        let margin = reader.number(component, component.body, "m_Margin", 0.0);
        margins.insert(name, EzCollider { margin, hull: None });
    }
    for component in components.of(&[Script::EzSoftBone]) {
        let body = component.body;
        let mut colliders = Vec::new();
        for id in body.references("m_ExtraColliders").into_iter().filter(|id| *id != 0) {
            let known = reader.colliders.get(&id).cloned();
            if let Some(name) = known.or_else(|| add_unity_collider(reader, component, id, false)) {
                colliders.push(name);
            } else {
                warn_of_shape(reader, component);
            }
        }
        // These colliders act on all chains.
        colliders.extend(margins.keys().cloned());
        colliders.sort();
        colliders.dedup();
        let values = reader.values(component, SolverKind::EzSoftBone, ParamScope::System, &[], &own_name);
        let node = |key| body.get(key).and_then(|field| reader.node_ref(field));
        let lists = EzSetup {
            simulate_space: node("m_SimulateSpace"),
            gravity_aligner: node("m_GravityAligner"),
            colliders: margins.clone(),
            force_field: None,
        };
        if body.get("m_ForceModule").is_some_and(|field| super::objects::file_id(field) != 0) {
            let node = excerpt(&reader.name_of(component));
            reader.warn(component, message!("\"{node}\": the force module is left out", node));
        }
        let system = System {
            name: reader.name_of(component),
            solver: SolverKind::EzSoftBone,
            values,
            component: reader.bone_of(component),
            component_lists: NamedLists::EzSoftBone(lists),
        };
        let Some(system) = reader.add_system(component, system) else { continue };
        let mut tree = ChainTree { system, ..ChainTree::new(SolverKind::EzSoftBone, "") };
        reader.add_values(component, SolverKind::EzSoftBone, &|def| !is_of_material(def), "Curve", &mut tree);
        if let Some(material) = material_of(reader, component) {
            let of_material = Component { body: &material, ..*component };
            reader.add_values(&of_material, SolverKind::EzSoftBone, &is_of_material, "Curve", &mut tree);
            material.text("m_Name").unwrap_or_default().clone_into(&mut tree.material);
        }
        tree.end_bones = reader.names_at(body, "m_EndBones");
        tree.colliders = colliders;
        let roots = reader.names_at(body, "m_RootBones");
        if roots.is_empty() {
            reader.warn_without_root(component);
        }
        reader.warn_if_off(component);
        reader.add_trees(component, roots, &tree);
    }
}

fn warn_of_shape(reader: &mut SetupReader<'_>, component: &Component<'_>) {
    let node = excerpt(&reader.name_of(component));
    reader.warn(component, message!("\"{node}\": a collider that is no sphere and no capsule is left out", node));
}

fn is_of_material(def: &ParamDef) -> bool {
    find_param(SolverKind::EzSoftBone.info().params, def.name).is_some_and(|param| MATERIAL_PARAMS.contains(&param))
}

/// The material asset of a component. Reports a material that is not found.
fn material_of(reader: &mut SetupReader<'_>, component: &Component<'_>) -> Option<Yaml> {
    let guid = component.body.at(&["m_Material", "guid"])?.as_text()?;
    let file = reader.assets.get(guid).and_then(|asset| asset.read().ok());
    let objects = file
        .map(|bytes| parse(&String::from_utf8_lossy(&bytes), reader.name, &mut { MAX_MATERIAL_VALUES }, reader.found));
    let material = objects.and_then(|objects| {
        objects.into_values().map(|object| object.body).find(|body| body.get("m_Damping").is_some())
    });
    if material.is_none() {
        let (node, guid) = (excerpt(&reader.name_of(component)), excerpt(guid));
        reader.warn(
            component,
            message!(
                "\"{node}\": the material with the GUID {guid} was not found; the values of a new one are used",
                node,
                guid
            ),
        );
    }
    material
}

/// Adds a sphere or capsule collider of Unity.
fn add_unity_collider(
    reader: &mut SetupReader<'_>,
    component: &Component<'_>,
    id: i64,
    inside: bool,
) -> Option<String> {
    let node = reader.objects.node_of(id)?;
    let sphere = reader.objects.object(id, SPHERE_COLLIDER);
    let body = sphere.or_else(|| reader.objects.object(id, CAPSULE_COLLIDER))?;
    let is_sphere = sphere.is_some();
    let radius = reader.number(component, body, "m_Radius", 0.5);
    let height = if is_sphere { 0.0 } else { reader.number(component, body, "m_Height", 1.0) };
    let axis = reader.number(component, body, "m_Direction", 1.0) as i32;
    let center = reader.vector(component, body, "m_Center", Vec3::ZERO);
    let shape = AxisShape::Capsule { radius, height };
    let (offset, shape) = AxisCollider { axis, center, inside, shape }.place();
    let on_node = Component { id, node, body, ..*component };
    reader.add_collider(&on_node, &[id], offset, shape, 0)
}
