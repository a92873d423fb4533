//! Setups of Unity files against their truth, on the character that they are for. The folder that `YUREMONO_UNITY` names
//! has the files, each with a `.truth.json` in glTF's space.

use crate::support;
use glam::{Affine3A, Vec3};
use serde_json::{Value, json};
use std::path::PathBuf;
use yuremono_format::open;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{
    Chain, ChainId, Collider, ColliderId, ComponentLists, Document, FlipAxis, Node, System,
};
use yuremono_model::exchange::ImportPlan;
use yuremono_model::exchange::remap::NameMap;
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::math::{Curve, CurveKey, Interpolation};
use yuremono_sim::params::{ParamId, ParamScope, find_param};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::{ColliderShape, SolverKind, SwingShape};

/// Largest error of a place, in metres.
const PLACE_TOLERANCE: f32 = 1e-6;

/// A setup on its character.
struct Imported {
    truth: Value,
    character: Character,
    document: Document,
    messages: Vec<String>,
}

fn number(value: &Value) -> f32 {
    match value {
        Value::String(choice) => {
            let digits = choice.rsplit('(').next().and_then(|end| end.strip_suffix(')'));
            digits
                .and_then(|digits| digits.parse().ok())
                .unwrap_or_else(|| panic!("a choice with its number: {choice}"))
        }
        Value::Bool(on) => f32::from(u8::from(*on)),
        _ => value.as_f64().unwrap_or_else(|| panic!("a number: {value}")) as f32,
    }
}

fn vec3(value: &Value) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|i| number(&value[i])))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn folder() -> Option<PathBuf> {
    support::folder_or_skip("YUREMONO_UNITY")
}

impl Imported {
    /// Imports a file onto the character of its truth. Returns `None` if the files are not available.
    fn read(file: &str) -> Option<Self> {
        let path = folder()?.join(file);
        let truth: Value =
            serde_json::from_slice(&std::fs::read(path.with_extension("truth.json")).expect("readable")).expect("JSON");
        let rig = support::root().join("assets").join(truth["character"].as_str().expect("a name"));
        let opened = open::character(&rig, &|_| true).expect("a character");
        let (file, found) = open::setup(&path, Some(&opened.character)).unwrap_or_else(|why| panic!("{file}: {why:?}"));
        let messages = found.iter().filter(|one| one.severity > Severity::Info).map(ToString::to_string).collect();
        let plan =
            ImportPlan::new(to_gltf(file, FlipAxis::X), &[], &Document::default(), &opened.character, &NameMap::new());
        let lost = plan.lost_part_diagnostics(&path.to_string_lossy(), &Document::default());
        assert_eq!(lost, [], "{}", path.display());
        let document = plan.after_import(&opened.character.skeleton);
        Some(Self { truth, character: (*opened.character).clone(), document, messages })
    }

    fn bone(&self, name: &Value) -> BoneId {
        let name = name.as_str().expect("a name");
        self.character.skeleton.find(name).unwrap_or_else(|| panic!("no bone {name}"))
    }

    fn joint(&self, bone: &Value) -> (ChainId, usize) {
        self.document.find_joint(self.bone(bone)).unwrap_or_else(|| panic!("no joint {bone}"))
    }

    fn chain(&self, bone: &Value) -> &Chain {
        &self.document.chains[&self.joint(bone).0]
    }

    fn system(&self, bone: &Value) -> &System {
        &self.document.systems[&self.chain(bone).system]
    }

    /// The value of a parameter of the joint, or of its system.
    fn value(&self, bone: &Value, param: &str) -> f32 {
        let (id, at) = self.joint(bone);
        let chain = &self.document.chains[&id];
        let table = self.document.param_defs_of(chain);
        let param = find_param(table, param).unwrap_or_else(|| panic!("no parameter {param}"));
        if table[param.index()].scope == ParamScope::System {
            return self.document.systems[&chain.system].values.get(param);
        }
        let places = self.document.curve_positions(chain, &self.character.skeleton);
        chain.joint_value(at, param, places[at])
    }

    /// Compares all values of a joint and of its system.
    fn check_values(&self, bone: &Value, params: &Value, tolerance: f32) {
        for (param, expected) in params.as_object().expect("parameters") {
            let (found, expected) = (self.value(bone, param), number(expected));
            let is_near = (found - expected).abs() <= tolerance * expected.abs();
            assert!(is_near, "{bone}: {param} is {found}, expected {expected}");
        }
    }

    fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Bone(bone) => self.character.skeleton.name(bone),
            Node::Helper(id) => &self.document.helpers[&id].name,
        }
    }

    /// The bone of a node, and the transform of the node in it.
    fn place(&self, mut node: Node) -> (BoneId, Affine3A) {
        let mut local = Affine3A::IDENTITY;
        loop {
            match node {
                Node::Bone(bone) => return (bone, local),
                Node::Helper(id) => {
                    let helper = &self.document.helpers[&id];
                    local = helper.local.to_affine() * local;
                    node = helper.parent;
                }
            }
        }
    }

    /// The only collider on a bone with this center, if it is given.
    fn collider(&self, expected: &Value, center: &str) -> (ColliderId, &Collider, Affine3A) {
        let bone = self.bone(&expected["bone"]);
        let mut found = self.document.colliders.iter().filter_map(|(id, collider)| {
            let (on, local) = self.place(collider.node);
            let at = match collider.shape {
                ColliderShape::Capsule { height, .. } | ColliderShape::TaperedCapsule { height, .. }
                    if center == "center_in_bone" && expected["tail_in_bone"].is_null() =>
                {
                    local.transform_point3(Vec3::Y * (height / 2.0))
                }
                _ => Vec3::from(local.translation),
            };
            (on == bone && at.distance(vec3(&expected[center])) < PLACE_TOLERANCE).then_some((*id, collider, local))
        });
        found.next().unwrap_or_else(|| panic!("no collider {expected}"))
    }

    fn collider_names(&self, bone: &Value) -> Vec<&str> {
        let (id, at) = self.joint(bone);
        let chain = &self.document.chains[&id];
        let of_groups = chain.groups.iter().flat_map(|group| &self.document.groups[group].colliders);
        let all = of_groups.chain(&chain.joints[at].colliders);
        all.map(|collider| self.document.colliders[collider].name.as_str()).collect()
    }
}

/// Joints, pivots, colliders, forces and the system of `UnityChanSpringBone`.
fn check_unity_chan(one: &Imported) {
    let truth = &one.truth;
    for expected in list(&truth["joints"]) {
        let bone = &expected["bone"];
        one.check_values(bone, &expected["params"], 0.0);
        let (id, at) = one.joint(bone);
        let joint = &one.document.chains[&id].joints[at];
        assert_eq!(joint.enabled, expected["enabled"] != false, "{bone}");
        // The parent without limits is no pivot in the document.
        if let Some(pivot) = joint.pivot.map(|pivot| one.node_name(pivot)) {
            assert_eq!(expected["pivot_node"], pivot, "{bone}");
        }
        let targets: Vec<&str> = joint.length_targets.iter().map(|target| one.node_name(target.node)).collect();
        assert_eq!(json!(targets), Value::Array(list(&expected["length_limits"]).to_vec()), "{bone}");
        assert_eq!(json!(one.collider_names(bone)), expected["colliders"], "{bone}");
        one.check_values(bone, &truth["character_params"], 0.0);
    }
    let joints: usize = one.document.chains.values().map(|chain| chain.joints.len()).sum();
    assert_eq!(joints, list(&truth["joints"]).len());
    for expected in list(&truth["colliders"]) {
        let (_, collider, _) = one.collider(expected, "local_position");
        assert_eq!(expected["name"], collider.name.as_str());
        for (at, field) in collider.shape.fields().iter().enumerate() {
            assert_eq!(collider.shape.field(at), number(&expected[field.name]), "{expected}: {}", field.name);
        }
    }
    assert_eq!(one.document.forces.len(), list(&truth["forces"]).len());
}

#[test]
fn a_prefab_of_unity_chan_arrives_with_its_truth() {
    for file in
        ["utj_unpacked.prefab", "utj_scene_instance.unity", "fbx_instance_2018.unity", "fbx_instance_2019.prefab"]
    {
        let Some(one) = Imported::read(file) else { return };
        check_unity_chan(&one);
        let is_dangling =
            |message: &String| message.contains("1 changes of instances are of objects that no longer exist");
        assert_eq!(
            one.messages.iter().any(is_dangling),
            file.ends_with("instance.unity"),
            "{file}: {:?}",
            one.messages
        );
        assert!(one.messages.iter().all(is_dangling), "{file}: {:?}", one.messages);
    }
}

#[test]
fn a_scene_with_dynamic_bones_arrives_with_its_truth() {
    let Some(one) = Imported::read("dynamicbone.unity") else { return };
    let names = ["head sphere", "chest capsule", "hip plane"];
    let colliders = list(&one.truth["colliders"]).iter().map(|expected| {
        let (id, collider, local) = one.collider(expected, "center_in_bone");
        match (expected["shape"].as_str(), collider.shape) {
            (Some("sphere"), ColliderShape::Sphere { radius, inside: false }) => {
                assert_eq!(radius, number(&expected["radius"]));
            }
            (Some("capsule"), ColliderShape::Capsule { radius, height, inside: false }) => {
                assert_eq!(radius, number(&expected["radius"]));
                assert!((height - number(&expected["length_between_centres"])).abs() < PLACE_TOLERANCE);
                assert!(local.transform_vector3(Vec3::Y).x.abs() > 0.999, "it lies along X");
            }
            (Some("plane"), ColliderShape::Plane) => {
                assert!(local.transform_vector3(Vec3::Z).distance(Vec3::NEG_Z) < PLACE_TOLERANCE, "it pushes to -Z");
            }
            other => panic!("{other:?}"),
        }
        (expected["name"].as_str().expect("a name"), one.document.colliders[&id].name.as_str())
    });
    let names_here: Vec<(&str, &str)> = colliders.collect();
    assert_eq!(names_here.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    for expected in list(&one.truth["systems"]) {
        for root in list(&expected["roots"]) {
            let (id, at) = one.joint(root);
            assert_eq!((at, one.system(root).solver), (0, SolverKind::DynamicBone));
            for (param, value) in expected["params"].as_object().expect("parameters") {
                if expected["curves"][param].is_null() {
                    one.check_values(root, &json!({ param: value }), 0.0);
                }
            }
            let wanted: Vec<&str> = list(&expected["colliders"])
                .iter()
                .map(|name| names_here.iter().find(|(known, _)| *name == *known).expect("a collider").1)
                .collect();
            assert_eq!(one.collider_names(root), wanted);
            let chain = &one.document.chains[&id];
            let places = one.document.curve_positions(chain, &one.character.skeleton);
            for (param, keys) in expected["curves"].as_object().into_iter().flatten() {
                let base = number(&expected["params"][param]);
                let points: Vec<(f32, f32)> = list(keys).iter().map(|key| (number(&key[0]), number(&key[1]))).collect();
                let last = *points.last().expect("keys");
                let param = find_param(one.document.param_defs_of(chain), param).expect("a parameter");
                let value = |at: usize| chain.joint_value(at, param, places[at]);
                assert!((value(chain.joints.len() - 1) - base * last.1).abs() < 1e-6, "{root}: the end of the curve");
                assert!(value(0) < base, "{root}: the curve acts");
            }
        }
        let excluded = list(&expected["exclusions"]);
        assert!(excluded.iter().all(|bone| one.document.find_joint(one.bone(bone)).is_none()), "{excluded:?}");
        let ComponentLists::DynamicBone(lists) = &one.system(&expected["roots"][0]).component_lists else {
            panic!("of one solver")
        };
        assert_eq!(lists.exclusions.len(), excluded.len());
        assert_eq!(one.system(&expected["roots"][0]).component, Some(Node::Bone(one.bone(&expected["on"]))));
    }
    assert_eq!(one.messages, [""; 0]);
}

/// The names of the groups that contain the colliders of a chain.
fn group_names<'a>(one: &'a Imported, bone: &Value) -> Vec<&'a str> {
    one.chain(bone).groups.iter().map(|id| one.document.groups[id].name.as_str()).collect()
}

fn check_vrm_colliders(one: &Imported) {
    for expected in list(&one.truth["colliders"]) {
        let (_, collider, local) = one.collider(expected, "center_in_bone");
        match (expected["shape"].as_str().expect("a shape"), collider.shape) {
            ("sphere", ColliderShape::Sphere { radius, inside: false })
            | ("sphere inside", ColliderShape::Sphere { radius, inside: true }) => {
                assert_eq!(radius, number(&expected["radius"]));
            }
            ("capsule", ColliderShape::Capsule { radius, height, inside: false }) => {
                assert_eq!(radius, number(&expected["radius"]));
                let tail = local.transform_point3(Vec3::Y * height);
                assert!(tail.distance(vec3(&expected["tail_in_bone"])) < PLACE_TOLERANCE);
            }
            ("plane", ColliderShape::Plane) => {
                let normal = local.transform_vector3(Vec3::Z);
                assert!(normal.distance(vec3(&expected["normal_in_bone"])) < PLACE_TOLERANCE);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(one.document.colliders.len(), list(&one.truth["colliders"]).len());
}

#[test]
fn springs_of_vrm_0_arrive_with_their_truth() {
    let Some(one) = Imported::read("vrm0_springbone.prefab") else { return };
    check_vrm_colliders(&one);
    for expected in list(&one.truth["springs"]) {
        for root in list(&expected["roots"]) {
            one.check_values(root, &expected["params"], 0.0);
            assert_eq!(json!(group_names(&one, root)), expected["collider_groups"]);
            let center = one.chain(root).center.map(|node| one.node_name(node));
            assert_eq!(json!(center), expected["center"]);
            // All bones below a root move, also the last.
            let skeleton = &one.character.skeleton;
            let mut below = skeleton.ids().filter(|bone| skeleton.is_ancestor(one.bone(root), *bone));
            assert!(below.all(|bone| one.document.find_joint(bone).is_some()), "{root}");
        }
    }
    assert_eq!(one.messages, [""; 0]);
}

#[test]
fn springs_of_vrm_1_arrive_with_their_truth() {
    let Some(one) = Imported::read("vrm10_instance.prefab") else { return };
    check_vrm_colliders(&one);
    let spring = &one.truth["springs"][0];
    let joints = list(&spring["joints"]);
    for expected in &joints[..joints.len() - 1] {
        let bone = &expected["bone"];
        one.check_values(bone, &expected["params"], 1e-7);
        let (id, at) = one.joint(bone);
        let limit = one.document.chains[&id].joints[at].limit;
        let angle = limit.map(|limit| match limit.shape {
            SwingShape::Cone { angle } => angle.to_degrees().round(),
            other => panic!("{other:?}"),
        });
        assert_eq!(angle, expected["limit"]["angle_degrees"].as_f64().map(|angle| angle as f32), "{bone}");
    }
    let first = &joints[0]["bone"];
    assert_eq!(one.document.find_joint(one.bone(&joints[joints.len() - 1]["bone"])), None, "the tail is no joint");
    assert_eq!((spring["name"].as_str(), one.document.chains.len()), (Some(&*one.chain(first).name), 1));
    assert_eq!(json!(group_names(&one, first)), spring["collider_groups"]);
    assert_eq!(json!(one.chain(first).center.map(|node| one.node_name(node))), spring["center"]);
    let groups: Vec<&str> = one.document.groups.values().map(|group| group.name.as_str()).collect();
    assert_eq!(groups.len(), one.truth["collider_groups"].as_object().expect("groups").len(), "{groups:?}");
    assert_eq!(one.messages, [""; 0]);
}

/// Compares a curve at its keys.
fn check_curve(value: impl Fn(f32) -> f32, keys: &Value, base: f32, name: &str) {
    for key in list(keys) {
        let (at, expected) = (number(&key[0]), base * number(&key[1]));
        assert!((value(at) - expected).abs() <= 1e-6 * expected.abs(), "{name} at {at}: {}, not {expected}", value(at));
    }
}

#[test]
fn a_package_with_two_solvers_arrives_with_its_truth() {
    let Some(one) = Imported::read("ez_spcr.unitypackage") else { return };
    let ez = &one.truth["EZSoftBone"];
    for root in list(&ez["roots"]) {
        let chain = one.chain(root);
        let table = one.document.param_defs_of(chain);
        for (param, value) in ez["params"].as_object().expect("parameters") {
            if ez["curves"][param].is_null() {
                one.check_values(root, &json!({ param: value }), 0.0);
            } else {
                let param_id: ParamId = find_param(table, param).expect("a parameter");
                let material = one.document.material_of(chain).and_then(|material| material.values.get(&param_id));
                if let Some(material) = material {
                    check_curve(|at| material.along(at), &ez["curves"][param], number(value), param);
                }
            }
        }
        let wanted = list(&ez["colliders"]).iter().map(|expected| one.collider(expected, "center_in_bone"));
        let wanted: Vec<&str> = wanted.map(|(_, collider, _)| collider.name.as_str()).collect();
        let mut found = one.collider_names(root);
        found.sort_by_key(|name| wanted.iter().position(|other| other == name));
        assert_eq!(found, wanted);
        assert_eq!(one.document.material_of(chain).map(|material| &*material.name), Some("SBMat_Yure"));
    }
    let ComponentLists::EzSoftBone(lists) = &one.system(&ez["roots"][0]).component_lists else {
        panic!("of one solver")
    };
    for expected in list(&ez["colliders"]) {
        let (id, collider, _) = one.collider(expected, "center_in_bone");
        let margin = lists.colliders.get(&id).map_or(0.0, |collider| collider.margin);
        assert_eq!(margin, expected["margin"].as_f64().unwrap_or(0.0) as f32);
        let (ColliderShape::Sphere { radius, .. } | ColliderShape::Capsule { radius, .. }) = collider.shape else {
            panic!("{:?}", collider.shape)
        };
        assert_eq!(radius, number(&expected["radius"]));
    }
    assert!(one.document.find_joint(one.bone(&ez["end_bones"][0])).is_none(), "an end bone is no joint");
    check_network(&one, &one.truth["SPCRJointDynamics"]);
    assert_eq!(one.messages, [""; 0]);
}

fn check_network(one: &Imported, network: &Value) {
    let first = &network["root_points"][0];
    let system = one.system(first);
    assert_eq!((system.solver, &*system.name), (SolverKind::JointDynamics, network["name"].as_str().expect("a name")));
    assert_eq!(system.component.map(|node| one.node_name(node)), network["root"].as_str());
    let ComponentLists::JointDynamics(lists) = &system.component_lists else { panic!("of one solver") };
    let roots: Vec<&str> = lists.roots.iter().map(|node| one.node_name(*node)).collect();
    assert_eq!(json!(roots), network["root_points"]);
    let factors = vec![CurveKey::flat(0.0, 0.9), CurveKey::flat(1.0, 0.7)];
    let factors = Curve::new(factors, Interpolation::Hermite).expect("two keys");
    for column in list(&network["columns"]) {
        let bones = list(column);
        let chain = one.chain(&bones[0]);
        let names: Vec<&str> = chain.joints.iter().map(|joint| one.character.skeleton.name(joint.bone)).collect();
        assert_eq!(json!(names), *column);
        for (depth, bone) in bones.iter().enumerate() {
            let place = depth as f32 / (bones.len() - 1) as f32;
            for (param, value) in network["params"].as_object().expect("parameters") {
                // The shared strengths have a curve of factors.
                let factor =
                    if ["_AllShrink", "_AllStretch"].contains(&param.as_str()) { factors.eval(place) } else { 1.0 };
                one.check_values(bone, &json!({ param: number(value) * factor }), 1e-6);
            }
            for (param, keys) in network["curves"].as_object().expect("curves") {
                let found = one.value(bone, param);
                let at_place: Vec<&Value> = list(keys).iter().filter(|key| number(&key[0]) == place).collect();
                check_curve(|_| found, &json!(at_place), 1.0, param);
            }
            let fixed = list(&network["fixed"]).contains(bone);
            assert_eq!(lists.points[&one.bone(bone)].fixed, Some(fixed), "{bone}");
        }
    }
    for expected in list(&network["colliders"]) {
        let bone = one.bone(&expected["bone"]);
        let mut on_bone = one.document.colliders.iter().filter(|(_, collider)| one.place(collider.node).0 == bone);
        let (id, collider) = on_bone.next().expect("a collider");
        let ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false } = collider.shape else {
            panic!("{:?}", collider.shape)
        };
        let local = one.place(collider.node).1;
        let center = local.transform_point3(Vec3::Y * (height / 2.0));
        assert!(center.distance(vec3(&expected["local_position"])) < PLACE_TOLERANCE, "{center}");
        assert!((tail_radius - number(&expected["tail_radius"])).abs() < PLACE_TOLERANCE);
        assert_eq!((radius, height), (number(&expected["radius"]), number(&expected["height"])));
        assert_eq!(lists.colliders[id].friction, number(&expected["friction"]));
    }
}

#[test]
fn hostile_files_are_refused_or_read_in_part() {
    let Some(folder) = folder() else { return };
    for (file, message) in [
        ("cyclic_parents.prefab", "its own ancestor"),
        ("wrong_guid.prefab", "its script is unknown"),
        ("alias_bomb.prefab", "refers to another part of the file"),
        ("path_traversal.unitypackage", "leaves the project"),
        ("truncated.prefab", "an object is left out"),
        ("truncated.unitypackage", "ends early"),
        ("binary_scene.unity", "Force Text"),
    ] {
        let found = match open::setup(&folder.join("hostile").join(file), None) {
            Ok((_, found)) | Err(found) => found,
        };
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|one| one.contains(message)), "{file}: {found:?}");
    }
}
