//! Reads the components of `DynamicBone`.

use super::super::root_bone_formats::{AxisCollider, AxisShape};
use super::scripts::{Components, Script};
use super::setup_reader::{NamedLists, SetupReader, own_name};
use glam::Vec3;
use yuremono_model::document::{ByName, NodeRef, System};
use yuremono_model::exchange::ChainTree;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::params::ParamScope;
use yuremono_sim::{DynamicBoneSetup, SolverKind};

/// Values of a component of a version without the field.
const COMPONENT_DEFAULTS: [(&str, f32); 1] = [("m_UpdateMode", 0.0)];

pub(super) fn read(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    read_colliders(reader, components);
    let mut systems: Vec<(usize, System<ByName>)> = Vec::new();
    for component in components.of(&[Script::DynamicBone]) {
        let body = component.body;
        let mut roots: Vec<String> =
            body.get("m_Root").and_then(|root| reader.name_at(Some(root))).into_iter().collect();
        roots.extend(reader.names_at(body, "m_Roots"));
        if roots.is_empty() {
            reader.warn_without_root(component);
            continue;
        }
        reader.warn_if_off(component);
        let mut tree = ChainTree::new(SolverKind::DynamicBone, "");
        reader.add_values(component, SolverKind::DynamicBone, &|_| true, "Distrib", &mut tree);
        tree.excluded = reader.names_at(body, "m_Exclusions");
        tree.colliders = reader.colliders_at(body, "m_Colliders");
        let values =
            reader.values(component, SolverKind::DynamicBone, ParamScope::System, &COMPONENT_DEFAULTS, &own_name);
        let is_set = |name: &str| values.get(name).is_some_and(|value| value.0 != 0.0);
        // Otherwise the motion does not depend on the place of the component.
        let needs_place = tree.base_values.get(yuremono_sim::solver::dynamic_bone::INERT) != 0.0
            || is_set("m_DistantDisable")
            || ["x", "y", "z"].iter().any(|axis| is_set(&format!("m_EndOffset {axis}")));
        let lists = DynamicBoneSetup {
            reference: body.get("m_ReferenceObject").and_then(|field| reader.node_ref(field)),
            exclusions: tree.excluded.iter().cloned().map(NodeRef::Named).collect(),
        };
        let system = System {
            name: String::new(),
            solver: SolverKind::DynamicBone,
            component: reader.bone_of(component).filter(|_| needs_place),
            component_lists: NamedLists::DynamicBone(lists),
            values,
        };
        // Components with equal values are one system.
        let known = systems.iter().find(|(_, known)| *known == system).map(|(at, _)| *at);
        let Some(at) = known.or_else(|| reader.add_system(component, system.clone())) else { continue };
        if known.is_none() {
            systems.push((at, system));
        }
        tree.system = at;
        reader.add_trees(component, roots, &tree);
    }
}

fn read_colliders(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    for (script, component) in &components.0 {
        let body = component.body;
        let is_plane = match script {
            Script::DynamicBoneCollider => false,
            Script::DynamicBonePlaneCollider => true,
            _ => continue,
        };
        let mut number = |field, otherwise| reader.number(component, body, field, otherwise);
        // A new component has the direction Y.
        let axis = number("m_Direction", 1.0) as i32;
        let inside = number("m_Bound", 0.0) != 0.0;
        let [radius, height, second] = [("m_Radius", 0.5), ("m_Height", 0.0), ("m_Radius2", 0.0)]
            .map(|(field, otherwise)| if is_plane { 0.0 } else { number(field, otherwise) });
        if second > 0.0 && second != radius {
            let node = excerpt(&reader.name_of(component));
            reader.warn(component, message!("collider \"{node}\": the second radius is left out", node));
        }
        let center = reader.vector(component, body, "m_Center", Vec3::ZERO);
        let shape = if is_plane { AxisShape::Plane } else { AxisShape::Capsule { radius, height } };
        let (offset, shape) = AxisCollider { axis, center, inside, shape }.place();
        reader.add_collider(component, &[component.id], offset, shape, 0);
    }
}
