//! Converts recorded `UnityChanSpringBone` scenes to documents, and documents to summaries that match the recordings.

use glam::{Quat, Vec3};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{
    Chain, ChainPart, Collider, ColliderId, Document, FlipAxis, Helper, HelperId, HelperRole, HighLeg, Joint,
    LengthTarget, Node,
};
use yuremono_sim::ColliderShape;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{EntryRole as ValuePart, ParamDef, ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Skeleton};

pub(crate) fn read_numbers<const N: usize>(value: &Value) -> [f32; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number") as f32)
}

pub(crate) fn list_field<'a>(scene: &'a Value, key: &str) -> &'a [Value] {
    scene[key].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn name_field(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

fn as_index(value: &Value) -> usize {
    value.as_u64().expect("a node") as usize
}

/// A recorded scene: its document, and the skeleton of the nodes that belong to the character file.
pub(crate) struct RecordedScene {
    pub(crate) document: Document,
    pub(crate) skeleton: Skeleton,
    pub(crate) mesh_names: Vec<String>,
}

/// Returns the nodes that a document stores as helpers: marked nodes, and nodes that only have colliders.
fn helper_nodes(scene: &Value) -> BTreeSet<usize> {
    let nodes = list_field(scene, "nodes");
    let colliders: BTreeSet<usize> = list_field(scene, "colliders").iter().map(|c| as_index(&c["node"])).collect();
    let bones: BTreeSet<usize> = list_field(scene, "bones").iter().map(|b| as_index(&b["node"])).collect();
    let mut helpers: BTreeSet<usize> = (1..nodes.len())
        .filter(|i| nodes[*i]["springBonePivot"] == true || nodes[*i]["dynamicsNull"] == true || colliders.contains(i))
        .filter(|i| nodes[*i]["renderer"] != true && !bones.contains(i))
        .collect();
    for at in (1..nodes.len()).rev() {
        if let Some(parent) = nodes[at]["parent"].as_u64().map(|p| p as usize)
            && !helpers.contains(&at)
        {
            helpers.remove(&parent);
        }
    }
    helpers
}

impl RecordedScene {
    pub(crate) fn from_json(scene: &Value, axis: FlipAxis) -> Self {
        let nodes = list_field(scene, "nodes");
        let helpers = helper_nodes(scene);
        let panels: BTreeSet<usize> = list_field(scene, "colliders")
            .iter()
            .filter(|c| c["type"] == "panel")
            .map(|c| as_index(&c["node"]))
            .collect();
        let mut at: BTreeMap<usize, Node> = BTreeMap::new();
        let (mut bones, mut document) = (Vec::new(), Document::default());
        for (i, node) in nodes.iter().enumerate() {
            let parent = node["parent"].as_u64().map(|p| at[&(p as usize)]);
            let facing = helpers.contains(&i) && (node["springBonePivot"] == true || panels.contains(&i));
            let turn = Quat::from_array(read_numbers(&node["r"]));
            let local = Trs {
                translation: axis.flip_point(Vec3::from_array(read_numbers(&node["t"]))),
                rotation: if facing { axis.flip_facing(turn) } else { axis.flip_rotation(turn) },
                scale: Vec3::from_array(read_numbers(&node["s"])),
            };
            let name = name_field(node).to_owned();
            if helpers.contains(&i) {
                let role = match (node["springBonePivot"] == true, node["dynamicsNull"] == true) {
                    (true, _) => HelperRole::Pivot,
                    (_, true) => HelperRole::Null,
                    _ => HelperRole::Plain,
                };
                let id = HelperId(i as u32);
                let parent = parent.expect("the root is not a helper");
                document.helpers.insert(id, Helper { name, parent, local, role });
                at.insert(i, Node::Helper(id));
            } else {
                let parent = parent.map(|p| if let Node::Bone(b) = p { b } else { panic!("a bone on a helper") });
                at.insert(i, Node::Bone(BoneId(bones.len() as u32)));
                bones.push(Bone { name, parent, rest: local });
            }
        }
        let skeleton = Skeleton::new(bones).expect("parents come first in recordings");
        read_colliders(scene, &at, &mut document);
        read_joints(scene, &at, axis, &mut document);
        for (i, recorded) in list_field(scene, "highLegs").iter().enumerate() {
            let node = |value: &Value| at[&as_index(value)];
            let legs = list_field(recorded, "legs").iter().map(|leg| [node(&leg[0]), node(&leg[1])]).collect();
            let high_leg = HighLeg { node: node(&recorded["node"]), hip: node(&recorded["hipPivot"]), legs };
            document.high_legs.insert(yuremono_model::document::HighLegId(i as u32 + 1), high_leg);
        }
        for (param, def) in enumerate_params(document.main_system().param_defs())
            .filter(|(_, def)| def.scope == ParamScope::System && !def.extension)
        {
            if let Some(value) = recorded_value(&scene["manager"], def, axis) {
                document.main_system_mut().values.set(param, value);
            }
        }
        let drawn = nodes.iter().filter(|n| n["renderer"] == true);
        let renderers = drawn.map(|n| name_field(n).to_owned()).collect();
        Self { document, skeleton, mesh_names: renderers }
    }
}

fn read_colliders(scene: &Value, at: &BTreeMap<usize, Node>, document: &mut Document) {
    for (i, recorded) in list_field(scene, "colliders").iter().enumerate() {
        let number = |key: &str| recorded[key].as_f64().expect("a number") as f32;
        let shape = match recorded["type"].as_str().expect("a type") {
            "sphere" => ColliderShape::Sphere { radius: number("radius"), inside: false },
            "capsule" => ColliderShape::Capsule { radius: number("radius"), height: number("height"), inside: false },
            _ => ColliderShape::Panel { width: number("width"), height: number("height") },
        };
        let renderer = recorded["linkedRenderer"].as_u64().map(|i| name_field(&scene["nodes"][i as usize]).to_owned());
        let mut collider = Collider::new(name_field(recorded), at[&as_index(&recorded["node"])], shape);
        (collider.enabled, collider.mesh_name) = (recorded["enabled"] == true, renderer);
        document.colliders.insert(ColliderId(i as u32 + 1), collider);
    }
}

fn read_joints(scene: &Value, at: &BTreeMap<usize, Node>, axis: FlipAxis, document: &mut Document) {
    for recorded in list_field(scene, "bones") {
        let Node::Bone(bone) = at[&as_index(&recorded["node"])] else { panic!("bones that sway are the file's") };
        let mut joint: Joint = Joint::new(bone);
        for (param, def) in enumerate_params(document.main_system().param_defs())
            .filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension)
        {
            joint.overrides.insert(param, recorded_value(recorded, def, axis).expect("a recorded value"));
        }
        joint.pivot = recorded["pivotNode"].as_u64().map(|i| at[&(i as usize)]);
        let targets = list_field(recorded, "lengthLimitTargets").iter().map(|t| LengthTarget::new(at[&as_index(t)]));
        joint.length_targets = targets.collect();
        let lists = ["sphereColliders", "capsuleColliders", "panelColliders"];
        let all = lists.iter().flat_map(|key| list_field(recorded, key));
        joint.colliders = all.map(|i| ColliderId(as_index(i) as u32 + 1)).collect();
        joint.enabled = recorded["enabled"] == true;
        if let Some((chain, _)) = document.find_joint(bone) {
            document.chains.remove(&chain);
        }
        let chain =
            Chain::new(name_field(recorded), ChainPart::Other, document.main_system().param_defs(), vec![joint]);
        document.setup.chains.insert(document.next_chain_id(), chain);
    }
}

/// Returns the recorded value of a component's parameter.
fn recorded_value(recorded: &Value, def: &ParamDef, axis: FlipAxis) -> Option<f32> {
    let recorded = &recorded[def.entry_name];
    let value = match def.role {
        ValuePart::Axis(component) => {
            return recorded
                .is_array()
                .then(|| axis.flip_point(Vec3::from_array(read_numbers(recorded)))[usize::from(component)]);
        }
        ValuePart::Single => recorded,
        ValuePart::Active => &recorded["active"],
        ValuePart::Min => &recorded["min"],
        ValuePart::Max => &recorded["max"],
    };
    value.as_bool().map(f32::from).or_else(|| value.as_f64().map(|v| v as f32))
}

/// Name, values, pivot, length targets and colliders of a bone.
type JointSummary = (String, Vec<f32>, String, Vec<String>, Vec<String>);

/// A document summarized like a recording: nodes by path, in Unity's space.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SceneSummary {
    /// Position, rotation and scale of every node, and its mark.
    pub(crate) nodes: BTreeMap<String, (Vec3, Quat, Vec3, &'static str)>,
    /// Name, values, pivot, length targets and colliders of every simulated bone, in depth-first order.
    pub(crate) bones: Vec<JointSummary>,
    /// Shape, renderer and enabled state of every collider, by path.
    pub(crate) colliders: BTreeMap<String, (String, Option<String>, bool)>,
    /// Paths of the node, the hip and the legs of each leg follower.
    pub(crate) high_legs: Vec<Vec<String>>,
    /// System parameters of the character.
    pub(crate) system: Vec<f32>,
}

/// Summarizes a document. `before` identifies the nodes of panels, including deleted panels, because these nodes face
/// the opposite direction with mirror Z.
pub(crate) fn summarize_scene(
    document: &Document,
    skeleton: &Skeleton,
    axis: FlipAxis,
    before: &Document,
) -> SceneSummary {
    let path = |node: Node| node_path(document, skeleton, node);
    let mut all = SceneSummary::default();
    let panel = |node: Node| {
        let mut colliders = document.colliders.values().chain(before.colliders.values());
        colliders.any(|c| c.node == node && matches!(c.shape, ColliderShape::Panel { .. }))
    };
    let mut put = |node: Node, local: &Trs, mark: &'static str, facing: bool| {
        let turn = if facing { axis.flip_facing_inverse(local.rotation) } else { axis.flip_rotation(local.rotation) };
        all.nodes.insert(path(node), (axis.flip_point(local.translation), turn, local.scale, mark));
    };
    for bone in skeleton.ids() {
        put(Node::Bone(bone), &skeleton.bone(bone).rest, "", false);
    }
    for (id, helper) in &document.helpers {
        let node = Node::Helper(*id);
        let mark = match helper.role {
            HelperRole::Plain => "",
            HelperRole::Pivot => "pivot",
            HelperRole::Null => "null",
        };
        put(node, &helper.local, mark, helper.role == HelperRole::Pivot || panel(node));
    }
    let mut joints: Vec<_> = document.chains.values().flat_map(|c| (0..c.joints.len()).map(move |i| (c, i))).collect();
    joints.sort_by_key(|(chain, at)| chain.joints[*at].bone);
    let values: Vec<ParamId> = enumerate_params(document.main_system().param_defs())
        .filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension)
        .map(|(param, _)| param)
        .collect();
    for (chain, at) in joints {
        let joint = &chain.joints[at];
        assert!(joint.enabled, "a joint is disabled");
        let numbers = values.iter().map(|param| chain.joint_value(at, *param, 0.0)).collect();
        let targets = joint.length_targets.iter().map(|t| path(t.node)).collect();
        let colliders = joint.colliders.iter().map(|id| path(document.colliders[id].node)).collect();
        let pivot = joint.pivot.map_or(String::new(), path);
        all.bones.push((path(Node::Bone(joint.bone)), numbers, pivot, targets, colliders));
    }
    for collider in document.colliders.values() {
        let shape = format!("{:?}", collider.shape);
        all.colliders.insert(path(collider.node), (shape, collider.mesh_name.clone(), collider.enabled));
    }
    for high_leg in document.high_legs.values() {
        let legs = high_leg.legs.iter().flatten();
        all.high_legs.push([&high_leg.node, &high_leg.hip].into_iter().chain(legs).map(|n| path(*n)).collect());
    }
    let system = enumerate_params(document.main_system().param_defs())
        .filter(|(_, def)| def.scope == ParamScope::System && !def.extension);
    all.system = system.map(|(param, _)| document.main_system().get(param)).collect();
    all
}

fn node_path(document: &Document, skeleton: &Skeleton, node: Node) -> String {
    let (name, parent) = match node {
        Node::Bone(bone) => (skeleton.name(bone), skeleton.get_parent(bone).map(Node::Bone)),
        Node::Helper(id) => (document.helpers[&id].name.as_str(), Some(document.helpers[&id].parent)),
    };
    parent.map_or_else(|| name.to_owned(), |parent| format!("{}/{name}", node_path(document, skeleton, parent)))
}
