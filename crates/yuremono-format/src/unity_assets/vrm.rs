//! Reads the spring bones of `UniVRM`, for VRM 0.x and VRM 1.0.

use super::super::vrm::{VrmColliderShape, collider_placement};
use super::objects::Component;
use super::scripts::{Components, Script};
use super::setup_reader::{SetupReader, new_chain, new_system};
use super::yaml::Yaml;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{ByName, Chain, ChainEntry, ChainValue, ColliderGroup, GroupId, Joint, SetupEntry, Tip};
use yuremono_model::exchange::{ChainTree, FileSection};
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamScope};
use yuremono_sim::{SolverKind, SwingLimit, SwingShape};

/// Values of a new component where they differ from those of Yuremono.
const COMPONENT_DEFAULTS: [(&str, f32); 2] = [("dragForce", 0.4), ("hitRadius", 0.02)];

pub(super) fn read(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    let springs = [Script::Vrm0SpringBone, Script::Vrm1Instance, Script::Vrm0ColliderGroup];
    let Some(first) = components.of(&springs).next() else { return };
    let Some(system) = reader.add_system(first, new_system(SolverKind::Vrm)) else { return };
    let in_file = reader.file.entries.iter().filter(|entry| matches!(entry.content, Ok(SetupEntry::Group(..))));
    let first_group = in_file.count() as u32 + 1;
    let mut vrm = VrmReader { reader, components, system, first_group, groups: BTreeMap::new() };
    vrm.read_groups();
    for component in components.of(&[Script::Vrm0SpringBone]) {
        vrm.read_spring_bone(component);
    }
    for component in components.of(&[Script::Vrm1Instance]) {
        vrm.read_instance(component);
    }
}

struct VrmReader<'r, 'a, 'c> {
    reader: &'r mut SetupReader<'a>,
    components: &'r Components<'c>,
    system: usize,
    first_group: u32,
    /// The collider groups by their components, with the names of their colliders.
    groups: BTreeMap<i64, (GroupId, Vec<String>)>,
}

impl VrmReader<'_, '_, '_> {
    fn read_groups(&mut self) {
        for component in self.components.of(&[Script::Vrm1Collider]) {
            self.add_collider(component, component.body, &[component.id]);
        }
        for component in self.components.of(&[Script::Vrm0ColliderGroup]) {
            let spheres = component.body.get("Colliders").map_or(&[][..], Yaml::items);
            let names = spheres.iter().filter_map(|sphere| self.add_collider(component, sphere, &[])).collect();
            let name = self.reader.name_of(component);
            self.add_group(component, &name, names);
        }
        for component in self.components.of(&[Script::Vrm1ColliderGroup]) {
            let names = self.reader.colliders_at(component.body, "Colliders");
            self.add_group(component, component.body.text("Name").unwrap_or_default(), names);
        }
    }

    fn add_group(&mut self, component: &Component<'_>, name: &str, colliders: Vec<String>) {
        let id = GroupId(self.first_group + self.groups.len() as u32);
        let group = ColliderGroup { name: name.to_owned(), colliders: colliders.clone(), source_index: None };
        let entry = SetupEntry::Group(id, group);
        self.reader.push(self.system, FileSection::Other, "group", component.line, entry);
        self.groups.insert(component.id, (id, colliders));
    }

    /// Adds a collider of VRM 1.0, or a sphere of VRM 0.x, which has fewer fields.
    fn add_collider(&mut self, component: &Component<'_>, body: &Yaml, ids: &[i64]) -> Option<String> {
        let offset = self.reader.vector(component, body, "Offset", Vec3::ZERO);
        let radius = self.reader.number(component, body, "Radius", 0.1);
        let kind = self.reader.number(component, body, "ColliderType", 0.0) as i32;
        let shape = match kind {
            1 | 4 => {
                let tail = self.reader.vector(component, body, "Tail", Vec3::ZERO);
                VrmColliderShape::Capsule { offset, tail, radius, inside: kind == 4 }
            }
            2 => {
                let normal = self.reader.vector(component, body, "Normal", Vec3::Y);
                VrmColliderShape::Plane { offset, normal }
            }
            _ => VrmColliderShape::Sphere { offset, radius, inside: kind == 3 },
        };
        let (local, shape) = collider_placement(shape);
        self.reader.add_collider(component, ids, local, shape, self.system)
    }

    /// The groups to which a list leads, and the names of all their colliders.
    fn groups_at(&self, body: &Yaml) -> (Vec<GroupId>, Vec<String>) {
        let ids = body.references("ColliderGroups");
        let groups: Vec<_> = ids.iter().filter_map(|id| self.groups.get(id)).collect();
        let mut seen = BTreeSet::new();
        let names = groups.iter().flat_map(|(_, names)| names).filter(|name| seen.insert(*name)).cloned().collect();
        (groups.into_iter().map(|(id, _)| *id).collect(), names)
    }

    fn values(&mut self, component: &Component<'_>, script: Script) -> BTreeMap<String, JsonNumber> {
        let field = |def: &ParamDef| field_of(def, script);
        self.reader.values(component, SolverKind::Vrm, ParamScope::Joint, &COMPONENT_DEFAULTS, &field)
    }

    /// Reads a component of VRM 0.x: all bones below its roots move.
    fn read_spring_bone(&mut self, component: &Component<'_>) {
        let body = component.body;
        let mut tree = ChainTree { system: self.system, ..ChainTree::new(SolverKind::Vrm, "") };
        let params = SolverKind::Vrm.info().params;
        for (name, JsonNumber(value)) in self.values(component, Script::Vrm0SpringBone) {
            if let Some(param) = yuremono_sim::params::find_param(params, &name) {
                tree.base_values.set(param, value);
            }
        }
        let (groups, colliders) = self.groups_at(body);
        tree.colliders = colliders;
        let roots = self.reader.names_at(body, "RootBones");
        if roots.is_empty() {
            self.reader.warn_without_root(component);
        }
        self.reader.warn_if_off(component);
        let center = body.get("m_center").and_then(|field| self.reader.node_ref(field));
        for root in &roots {
            // Each root is a chain of its own, so the comment can only be the name of a single one.
            let name = body.text("m_comment").filter(|_| roots.len() == 1).unwrap_or_default();
            let chain = Chain { groups: groups.clone(), center: center.clone(), ..new_chain(name, root) };
            let entry = SetupEntry::Chain(ChainEntry { root: root.clone(), number: None, chain });
            self.reader.push(self.system, FileSection::Other, "chain", component.line, entry);
        }
        self.reader.add_trees(component, roots, &tree);
    }

    /// Reads the springs of VRM 1.0.
    fn read_instance(&mut self, instance: &Component<'_>) {
        let of_joints: BTreeMap<i64, Component<'_>> =
            self.components.of(&[Script::Vrm1Joint]).map(|joint| (joint.id, *joint)).collect();
        self.reader.warn_if_off(instance);
        for spring in instance.body.at(&["SpringBone", "Springs"]).map_or(&[][..], Yaml::items) {
            let ids = spring.references("Joints");
            let joints: Vec<Component<'_>> = ids.iter().filter_map(|id| of_joints.get(id).copied()).collect();
            let name = spring.text("Name").unwrap_or_default();
            if joints.len() < ids.len() {
                let count = ids.len() - joints.len();
                self.reader.warn(
                    instance,
                    message!("spring \"{name}\": {count} joints are missing", name = excerpt(name), count),
                );
            }
            // The last joint is only the tail of the preceding one.
            let Some((_, moving)) = joints.split_last().filter(|(_, moving)| !moving.is_empty()) else { continue };
            let mut made: Vec<Joint<ByName>> = Vec::new();
            for (joint, tail) in moving.iter().zip(&joints[1..]) {
                let [bone, tail] = [joint, tail].map(|one| self.reader.name_of(one));
                let tip = if self.reader.is_only_child(&bone, &tail) { Tip::Children } else { Tip::Bone(tail) };
                let (overrides, limit) = (self.values(joint, Script::Vrm1Joint), limit_of(self.reader, joint));
                made.push(Joint { overrides, tip, limit, ..Joint::new(bone) });
            }
            let root = made[0].bone.clone();
            let values = take_equal_values(&mut made);
            let (groups, _) = self.groups_at(spring);
            let center = spring.get("Center").and_then(|field| self.reader.node_ref(field));
            let chain = Chain { values, groups, center, ..new_chain(name, &root) };
            self.reader.add_whole_chain(instance, chain, made, self.system);
        }
    }
}

/// Moves the values that all joints have from the joints to their chain.
fn take_equal_values(joints: &mut [Joint<ByName>]) -> BTreeMap<String, ChainValue> {
    let first = joints.first().map(|joint| joint.overrides.clone()).unwrap_or_default();
    let is_equal =
        |(name, value): &(String, JsonNumber)| joints.iter().all(|joint| joint.overrides.get(name) == Some(value));
    let equal: Vec<(String, JsonNumber)> = first.into_iter().filter(is_equal).collect();
    for joint in joints {
        joint.overrides.retain(|name, _| !equal.iter().any(|(equal, _)| equal == name));
    }
    equal.into_iter().map(|(name, value)| (name, ChainValue::constant(value.0))).collect()
}

/// The field of a parameter. Both versions have the same names but for the radius.
fn field_of(def: &ParamDef, script: Script) -> String {
    match (def.name, script) {
        ("stiffness", _) => "m_stiffnessForce".to_owned(),
        ("hitRadius", Script::Vrm1Joint) => "m_jointRadius".to_owned(),
        (name, _) => format!("m_{name}"),
    }
}

fn limit_of(reader: &mut SetupReader<'_>, joint: &Component<'_>) -> Option<SwingLimit> {
    let body = joint.body;
    let kind = reader.number(joint, body, "m_anglelimitType", 0.0) as i32;
    let mut angle = |field| reader.number(joint, body, field, 0.0);
    let shape = match kind {
        1 => SwingShape::Cone { angle: angle("m_pitch") },
        2 => SwingShape::Hinge { angle: angle("m_pitch") },
        3 => SwingShape::Spherical { pitch: angle("m_pitch"), yaw: angle("m_yaw") },
        _ => return None,
    };
    Some(SwingLimit { shape, rotation: body.rotation("m_limitSpaceOffset") })
}
