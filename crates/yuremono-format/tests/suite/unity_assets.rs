//! Prefabs and scenes of Unity as setups: every field arrives, mirrored, and the result is that of the equal table.

use crate::support;
use glam::Vec3;
use serde_json::Value;
use std::fmt::Write as _;
use yuremono_format::tables::read_setup;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{FlipAxis, JointEntry, NodeRef, ReplacedProperties, SetupEntry};
use yuremono_model::exchange::{FileSection, SetupFile};
use yuremono_sim::diagnostics::Severity;

/// A prefab in the making. Each node is a game object with a transform.
#[derive(Default)]
struct Prefab {
    text: String,
    next: i64,
}

const BONE: &str = "03118221f4bfcd74ba0ad8075da02411";
const MANAGER: &str = "af276926b0db1c248a93ab3c1134a6c2";
const PIVOT: &str = "625e9c3b94e3dc64ea82f6e29062b3d6";
const SPHERE: &str = "328bfb8438c749d46ad9174283110a36";

impl Prefab {
    fn new() -> Self {
        Self { text: "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n".to_owned(), next: 1 }
    }

    fn add(&mut self, class: u32, name: &str, body: &str) -> i64 {
        self.next += 1;
        writeln!(self.text, "--- !u!{class} &{}\n{name}:\n{body}", self.next).expect("text");
        self.next
    }

    /// Adds a node below another one, and returns its transform.
    fn node(&mut self, name: &str, parent: i64, local: &str) -> i64 {
        let object = self.add(1, "GameObject", &format!("  m_Name: {name}\n  m_IsActive: 1"));
        self.add(
            4,
            "Transform",
            &format!("  m_GameObject: {{fileID: {object}}}\n{local}  m_Father: {{fileID: {parent}}}\n  m_Children: []"),
        )
    }

    /// Adds a script to the node with this transform.
    fn script(&mut self, transform: i64, guid: &str, fields: &str) -> i64 {
        let object = transform - 1;
        self.add(
            114,
            "MonoBehaviour",
            &format!(
                "  m_GameObject: {{fileID: {object}}}\n  m_Enabled: 1\n  m_Script: {{fileID: 11500000, guid: {guid}, type: 3}}\n{fields}"
            ),
        )
    }

    fn read(&self) -> (SetupFile, Vec<String>) {
        let (file, found) = read_setup(self.text.as_bytes(), "girl.prefab").expect("a setup");
        (file, found.iter().map(ToString::to_string).collect())
    }
}

/// A prefab with a bone, its pivot and a collider, and the equal table.
fn prefab_and_table() -> (Prefab, &'static str) {
    let mut prefab = Prefab::new();
    let root = prefab.node("Girl", 0, "");
    let head = prefab.node("Head", root, "");
    let hair = prefab.node("Hair", head, "");
    let pivot = prefab.node("Hair_Pivot", head, "  m_LocalRotation: {x: 0, y: 1, z: 0, w: 6.123234e-17}\n");
    let ball = prefab.node("Ball", head, "  m_LocalPosition: {x: 0.25, y: 0.5, z: 1}\n");
    prefab.script(root, MANAGER, "  gravity: {x: 1, y: -9, z: 0}\n  dynamicRatio: 0.75");
    prefab.script(pivot, PIVOT, "");
    let ball = prefab.script(ball, SPHERE, "  radius: 0.125");
    prefab.script(
        hair,
        BONE,
        &format!(
            "  stiffnessForce: 800\n  dragForce: 0.25\n  springForce: {{x: 0.5, y: -1.5, z: 0.25}}\n  windInfluence: 0.5\n  \
             pivotNode: {{fileID: {pivot}}}\n  angularStiffness: 150\n  yAngleLimits:\n    active: 1\n    min: -40\n    \
             max: 25\n  lengthLimitTargets:\n  - {{fileID: {head}}}\n  radius: 0.035\n  sphereColliders:\n  - {{fileID: {ball}}}\n  \
             - {{fileID: 0}}"
        ),
    );
    let table = "version,4\n[SpringBones]\n\
                 Hair,0.035,800,0.25,0.5,-1.5,0.25,0.5,Hair_Pivot,True,-40,25,False,0,0,150,1,Head,1.01,Ball\n\
                 [Pivots]\nHair_Pivot,Head,0,180,0\n[Colliders]\nBall,Head,0.25,0.5,1,0,0,0,1,1,1,sp,0.125,\n";
    (prefab, table)
}

/// The usable entries of the sections of a table, without their lines.
fn rows(file: &SetupFile) -> Vec<SetupEntry> {
    let sections = FileSection::ALL.into_iter().filter(|section| *section != FileSection::Other);
    sections.flat_map(|section| file.usable_entries(section)).map(|(_, _, entry)| entry.clone()).collect()
}

#[test]
fn a_prefab_has_the_entries_of_the_equal_table() {
    let (prefab, table) = prefab_and_table();
    let (file, found) = prefab.read();
    let (table, _) = read_setup(table.as_bytes(), "girl.csv").expect("a table");
    assert_eq!(rows(&file), rows(&table));
    assert_eq!(found, [""; 0]);
    let systems = file.usable_entries(FileSection::Other).filter_map(|(_, _, entry)| match entry {
        SetupEntry::System(system) => Some(system.values.clone()),
        _ => None,
    });
    let values = systems.last().expect("a system");
    assert_eq!((values["gravity x"].0, values["gravity y"].0, values["dynamicRatio"].0), (1.0, -9.0, 0.75));
}

#[test]
fn values_that_cannot_be_used_are_reported_and_have_the_default_of_a_new_component() {
    let mut prefab = Prefab::new();
    let head = prefab.node("Head", 0, "");
    let hair = prefab.node("007", head, "");
    prefab.script(hair, BONE, "  stiffnessForce: NaN\n  dragForce: -5\n  radius: 0.5\n  pivotNode: {fileID: 999}");
    let (file, found) = prefab.read();
    let (_, entry, item) = file.usable_entries(FileSection::Joints).next().expect("a joint");
    let SetupEntry::Joint(JointEntry { joint, .. }) = item else { panic!("a joint") };
    assert_eq!((entry.name.as_str(), entry.line > 0), ("007", true));
    let value = |name: &str| joint.overrides[name].0;
    assert_eq!((value("stiffnessForce"), value("dragForce"), value("radius")), (0.01, 0.4, 0.5));
    assert_eq!(joint.pivot, None);
    assert!(found.len() == 2 && found[0].contains("stiffnessForce is NaN"), "{found:?}");
}

#[test]
fn inactive_and_unknown_parts_are_reported() {
    let mut prefab = Prefab::new();
    let object = prefab.add(1, "GameObject", "  m_Name: Off\n  m_IsActive: 0");
    let off = prefab.add(4, "Transform", &format!("  m_GameObject: {{fileID: {object}}}\n  m_Father: {{fileID: 0}}"));
    let hair = prefab.node("Hair", off, "");
    prefab.script(hair, BONE, "  radius: 0.1");
    prefab.script(hair, "0123456789abcdef0123456789abcdef", "  stiffnessForce: 1");
    prefab.script(hair, "f9ac8d30c6a0d9642a11e5be4c440740", "  m_Damping: 0.1");
    prefab.add(1001, "PrefabInstance", "  m_SourcePrefab: {fileID: 1, guid: 00, type: 3}");
    prefab.text.push_str(
        "--- !u!4 &77 stripped\nTransform:\n  m_PrefabInstance: {fileID: 1}\n--- !u!114 &78\nMonoBehaviour: [\n",
    );
    let (file, found) = prefab.read();
    let is_off = |entry: &SetupEntry| matches!(entry, SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Details, joint, .. }) if !joint.enabled);
    assert!(file.usable_entries(FileSection::Other).any(|(_, _, entry)| is_off(entry)), "below an inactive node");
    for part in ["script is unknown: 0123", "not read from Unity files: DynamicBone", "1 instances", "this is not YAML"]
    {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn files_without_springs_and_binary_scenes_are_refused() {
    let mut prefab = Prefab::new();
    prefab.node("Head", 0, "");
    let found = read_setup(prefab.text.as_bytes(), "a.prefab").expect_err("no springs");
    assert!(
        found[0].severity == Severity::Error && found[0].to_string().contains("no components of UnityChanSpringBone")
    );
    let found = read_setup(b"\0\0\0\x19binary", "a.unity").expect_err("binary");
    assert!(found[0].to_string().contains("Force Text"), "{found:?}");
}

#[test]
fn a_cycle_of_nodes_ends() {
    let mut prefab = Prefab::new();
    let first = prefab.node("A", 5, "");
    let second = prefab.node("B", first, "");
    assert_eq!(second, 5);
    prefab.script(second, BONE, "  radius: 0.1");
    let (file, found) = prefab.read();
    assert_eq!(file.usable_entries(FileSection::Joints).count(), 1);
    assert!(found.iter().any(|message| message.contains("its own ancestor")), "{found:?}");
}

fn number(value: &Value) -> f32 {
    value.as_f64().expect("a number") as f32
}

/// Compares a prefab with its truth, in glTF's space.
#[test]
fn every_field_of_a_prefab_arrives_with_its_truth() {
    let Some(folder) = support::folder_or_skip("YUREMONO_UNITY") else { return };
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    let truth: Value = serde_json::from_slice(&read("utj_unpacked.truth.json")).expect("JSON");
    let (file, _) = read_setup(&read("utj_unpacked.prefab"), "utj_unpacked.prefab").expect("a setup");
    let file = to_gltf(file, FlipAxis::X);
    let entries: Vec<&SetupEntry> = file.entries.iter().filter_map(|entry| entry.content.as_ref().ok()).collect();
    for expected in truth["joints"].as_array().expect("joints") {
        let name = expected["bone"].as_str().expect("a name");
        let joint = |scope| {
            let mut joints = entries.iter().filter_map(move |entry| match entry {
                SetupEntry::Joint(entry) if entry.scope == scope && entry.joint.bone == name => Some(&entry.joint),
                _ => None,
            });
            joints.next()
        };
        let found = joint(ReplacedProperties::TableRow).unwrap_or_else(|| panic!("no joint {name}"));
        for (param, value) in expected["params"].as_object().expect("params") {
            assert_eq!(found.overrides[param.as_str()].0, number(value), "{name}: {param}");
        }
        let pivot = found.pivot.as_ref().map(NodeRef::name);
        assert_eq!(pivot, expected["pivot_node"].as_str(), "{name}");
        assert_eq!(serde_json::json!(found.colliders), expected["colliders"], "{name}");
        let targets: Vec<&str> = found.length_targets.iter().map(|target| target.node.name()).collect();
        let limits = expected["length_limits"].as_array().cloned().unwrap_or_default();
        assert_eq!(serde_json::json!(targets), Value::Array(limits), "{name}");
        let is_off = joint(ReplacedProperties::Details).is_some_and(|joint| !joint.enabled);
        assert_eq!(is_off, expected["enabled"] == false, "{name}");
    }
    for expected in truth["colliders"].as_array().expect("colliders") {
        let found = entries.iter().find_map(|entry| match entry {
            SetupEntry::Collider(collider) if expected["name"] == collider.name.as_str() => Some(collider),
            _ => None,
        });
        let found = found.unwrap_or_else(|| panic!("no collider {expected}"));
        let NodeRef::Inline(node) = &found.node else { panic!("a node of its own") };
        let position = Vec3::from_array(std::array::from_fn(|i| number(&expected["local_position"][i])));
        assert!(node.local.translation.distance(position) < 1e-6, "{expected}");
        assert_eq!(node.parent.name(), expected["bone"].as_str().expect("a bone"));
        for (at, field) in found.shape.fields().iter().enumerate() {
            assert_eq!(found.shape.field(at), number(&expected[field.name]), "{expected}: {}", field.name);
        }
    }
    let forces = entries.iter().filter(|entry| matches!(entry, SetupEntry::Force(_))).count();
    assert_eq!(forces, truth["forces"].as_array().expect("forces").len());
    let Some(SetupEntry::System(system)) = entries.iter().find(|entry| matches!(entry, SetupEntry::System(_))) else {
        panic!("a system")
    };
    for (param, value) in truth["character_params"].as_object().expect("params") {
        if let Some(found) = system.values.get(param) {
            assert_eq!(found.0, number(value), "{param}");
        }
    }
    assert!(["gravity x", "bounce", "friction", "groundHeight"].iter().all(|param| system.values.contains_key(*param)));
}
