//! Reads the components of `DynamicBone`.

use super::super::root_bone_formats::collider_along_axis;
use super::scripts::{Components, Script};
use super::setup_reader::{NamedLists, SetupReader, new_tree, own_name};
use glam::Vec3;
use yuremono_model::document::{ByName, NodeRef, System};
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
        let node = excerpt(&reader.name_of(component));
        if roots.is_empty() {
            reader.warn(component, message!("\"{node}\": the component has no root; left out", node));
            continue;
        }
        if !reader.objects.is_on(component) {
            reader.warn(component, message!("\"{node}\": the component is off in Unity; here it is on", node));
        }
        let mut tree = new_tree(0, SolverKind::DynamicBone);
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
        systems.push((at, system));
        tree.system = at;
        reader.add_trees(component, roots, &tree);
    }
}

fn read_colliders(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    for (script, component) in &components.0 {
        let body = component.body;
        let number = |key| body.number(key).unwrap_or(0.0) as f32;
        let size = match script {
            Script::DynamicBoneCollider => Some([body.number("m_Radius").unwrap_or(0.5) as f32, number("m_Height")]),
            Script::DynamicBonePlaneCollider => None,
            _ => continue,
        };
        if size.is_some_and(|[radius, _]| number("m_Radius2") > 0.0 && number("m_Radius2") != radius) {
            let node = excerpt(&reader.name_of(component));
            reader.warn(component, message!("collider \"{node}\": the second radius is left out", node));
        }
        // A new component has the direction Y.
        let direction = body.number("m_Direction").unwrap_or(1.0) as i32;
        let center = body.vector("m_Center", Vec3::ZERO);
        let (offset, shape) = collider_along_axis(direction, center, number("m_Bound") != 0.0, size);
        reader.add_collider(component, &[component.id], offset, shape, 0);
    }
}
