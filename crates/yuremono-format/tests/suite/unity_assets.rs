//! Prefabs and scenes of Unity as setups: every field arrives, mirrored, and the result is that of the equal table.

use crate::support;
use std::fmt::Write as _;
use yuremono_format::open;
use yuremono_format::tables::read_setup;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{Collider, Document, FlipAxis, JointEntry, NodeRef, ReplacedProperties, SetupEntry};
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{FileSection, ImportPlan, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Severity};
use yuremono_sim::params::find_param;

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
        let (counts, found): (Vec<String>, Vec<String>) =
            found.iter().map(ToString::to_string).partition(|message| message.contains("components that are read"));
        assert_eq!(counts.len(), 1, "the components are counted");
        (file, found)
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
    prefab.script(hair, "2a2c05204084d904aa4945ccff20d8e5", "  radius: 0.1");
    let instance = prefab.add(1001, "PrefabInstance", "  m_SourcePrefab: {fileID: 1, guid: 00, type: 3}");
    writeln!(
        prefab.text,
        "--- !u!4 &77 stripped\nTransform:\n  m_PrefabInstance: {{fileID: {instance}}}\n--- !u!114 &78\nMonoBehaviour: ["
    )
    .expect("text");
    let (file, found) = prefab.read();
    let is_off = |entry: &SetupEntry| matches!(entry, SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Details, joint, .. }) if !joint.enabled);
    assert!(file.usable_entries(FileSection::Other).any(|(_, _, entry)| is_off(entry)), "below an inactive node");
    for part in [
        "script is unknown: 0123",
        "not read from Unity files: VRChat",
        "1 parts are in files that were not found",
        "this is not YAML",
    ] {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn files_without_springs_and_binary_scenes_are_refused() {
    let mut prefab = Prefab::new();
    prefab.node("Head", 0, "");
    let found = read_setup(prefab.text.as_bytes(), "a.prefab").expect_err("no springs");
    assert!(found[0].severity == Severity::Error && found[0].to_string().contains("no components of"));
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

/// A prefab with one component of each solver, below a root with two chains of bones.
fn prefab_of_all_solvers() -> Prefab {
    let mut prefab = Prefab::new();
    let root = prefab.node("Girl", 0, "");
    let hips = prefab.node("Hips", root, "");
    let [a1, b1] = ["A1", "B1"].map(|name| prefab.node(name, hips, ""));
    let [a2, b2] = [("A2", a1), ("B2", b1)].map(|(name, parent)| prefab.node(name, parent, ""));
    let holder = prefab.node("Colliders", hips, "  m_LocalPosition: {x: 0, y: 1, z: 0}\n");
    let ball = prefab.node("Ball", holder, "  m_LocalPosition: {x: 0.5, y: 0, z: 0}\n");
    let ball =
        prefab.script(ball, "baedd976e12657241bf7ff2d1c685342", "  m_Radius: 0.25\n  m_Center: {x: 0, y: 0, z: 2}");
    prefab.script(
        hips,
        "f9ac8d30c6a0d9642a11e5be4c440740",
        &format!(
            "  m_Root: {{fileID: {a1}}}\n  m_Damping: 0.5\n  m_DampingDistrib:\n    m_Curve:\n    - {{time: 0, value: 1}}\n    \
             - {{time: 1, value: 0.5}}\n  m_Colliders:\n  - {{fileID: {ball}}}\n  m_Exclusions:\n  - {{fileID: {a2}}}"
        ),
    );
    let group = prefab.script(
        hips,
        "646b65a4a57afd34d8c4ed557efb46a5",
        "  Colliders:\n  - {Offset: {x: 1, y: 0, z: 0}, Radius: 0.5}\n  - {Offset: {x: 2, y: 0, z: 0}, Radius: 0.5}",
    );
    prefab.script(
        root,
        "00ea06e1753e16f4ca870c39c067c86b",
        &format!(
            "  m_stiffnessForce: 2\n  RootBones:\n  - {{fileID: {b1}}}\n  ColliderGroups:\n  - {{fileID: {group}}}"
        ),
    );
    let joints = [b1, b2].map(|bone| prefab.script(bone, "0a942e03b39600e41a1b161e958048f7", "  m_jointRadius: 0.75"));
    prefab.script(
        root,
        "bfba4ccd3f854e64f868ce83553071a9",
        &format!(
            "  SpringBone:\n    Springs:\n    - Name: tail\n      Joints:\n      - {{fileID: {}}}\n      - {{fileID: {}}}",
            joints[0], joints[1]
        ),
    );
    prefab.script(
        root,
        "8aa2b9bccfefda549bd1cf67fd922ad8",
        &format!(
            "  m_RootBones:\n  - {{fileID: {a1}}}\n  m_Iterations: 4\n  m_Material: {{fileID: 11400000, guid: {MATERIAL}, type: 2}}"
        ),
    );
    let points = [a1, a2].map(|bone| prefab.script(bone, "150f77f9abb16734384361c1574ff4a4", "  _IsFixed: 0"));
    prefab.script(
        root,
        "2e331b232753e6e43b86eaedb4329fc6",
        &format!("  _Relaxation: 5\n  _RootPointTbl:\n  - {{fileID: {}}}", points[0]),
    );
    prefab
}

const MATERIAL: &str = "cee061bb5e180189d60f35e2db8e59d4";
const INNER: &str = "aee061bb5e180189d60f35e2db8e59d4";
const HEAD: &str = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

fn material() -> String {
    format!("{HEAD}--- !u!114 &11400000\nMonoBehaviour:\n  m_Name: Soft\n  m_Damping: 0.375\n  m_Stiffness: 0.5\n")
}

fn meta(guid: &str) -> String {
    format!("fileFormatVersion: 2\nguid: {guid}\n")
}

#[test]
fn each_component_is_read_under_its_own_solver() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Girl.prefab");
    std::fs::write(&path, prefab_of_all_solvers().text).expect("written");
    std::fs::write(folder.path().join("Soft.asset"), material()).expect("written");
    std::fs::write(folder.path().join("Soft.asset.meta"), meta(MATERIAL)).expect("written");
    let (file, found) = open::setup(&path, None).expect("a setup");
    assert!(found.iter().all(|one| one.severity == Severity::Info), "{found:?}");
    let solvers: Vec<SolverKind> = file.systems.iter().map(|system| system.solver).collect();
    assert_eq!(solvers, [SolverKind::DynamicBone, SolverKind::Vrm, SolverKind::EzSoftBone, SolverKind::JointDynamics]);
    let tree = |system: usize| file.trees.iter().find(|tree| tree.system == system).expect("a chain");
    let value = |system: usize, name: &str, at: f32| {
        let param = find_param(solvers[system].info().params, name).expect("a parameter");
        tree(system).value_at(param, at)
    };
    assert_eq!([0.0, 1.0].map(|at| value(0, "m_Damping", at)), [0.5, 0.25]);
    assert_eq!((value(0, "m_Elasticity", 0.0), &*tree(0).root), (0.1, "A1"), "an absent field has its default");
    assert_eq!((&tree(0).excluded, &tree(0).colliders), (&vec!["A2".to_owned()], &vec!["Ball".to_owned()]));
    assert_eq!((value(1, "stiffness", 0.0), value(1, "dragForce", 0.0), tree(1).colliders.len()), (2.0, 0.4, 2));
    assert_eq!((value(2, "m_Damping", 0.0), &*tree(2).material), (0.375, "Soft"));
    let system_value = |at: usize, name: &str| {
        let mut values =
            file.entries.iter().filter(|entry| entry.system == at).filter_map(|entry| match &entry.content {
                Ok(SetupEntry::System(system)) => Some(system.values[name].0),
                _ => None,
            });
        values.next()
    };
    assert_eq!((system_value(2, "m_Iterations"), system_value(3, "_Relaxation")), (Some(4.0), Some(5.0)));
    let places: Vec<(String, [f32; 3])> = rows(&file)
        .into_iter()
        .filter_map(|entry| match entry {
            SetupEntry::Collider(Collider { node: NodeRef::Inline(node), .. }) => {
                Some((node.parent.name().to_owned(), node.local.translation.to_array()))
            }
            _ => None,
        })
        .collect();
    let place = |bone: &str, at| (bone.to_owned(), at);
    assert_eq!(
        places,
        [place("Colliders", [0.5, 0.0, 2.0]), place("Hips", [1.0, 0.0, 0.0]), place("Hips", [2.0, 0.0, 0.0])]
    );
    let bones: Vec<String> = rows(&file)
        .into_iter()
        .filter_map(|entry| match entry {
            SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, joint, .. }) => Some(joint.bone),
            _ => None,
        })
        .collect();
    assert_eq!(bones, ["B1", "A1", "A2"], "the last joint of VRM 1.0 is only a tail");
}

/// A prefab that contains an instance of another one, with a changed value, a removed and an added component.
fn nested_prefab(inner: &Prefab, [hair, bone, manager]: [i64; 3]) -> String {
    let mut outer = String::from(HEAD);
    let target = |id: i64| format!("{{fileID: {id}, guid: {INNER}, type: 3}}");
    let change = |id: i64, path: &str, value: &str| {
        format!(
            "    - target: {}\n      propertyPath: {path}\n      value: {value}\n      objectReference: {{fileID: 0}}\n",
            target(id)
        )
    };
    let gone = inner.next + 1000;
    write!(
        outer,
        "--- !u!1001 &1048576\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {{fileID: 0}}\n    \
         m_Modifications:\n{}{}{}    m_RemovedComponents:\n    - {}\n  m_SourcePrefab: {{fileID: 100100000, guid: {INNER}, type: \
         3}}\n--- !u!1 &5000001 stripped\nGameObject:\n  m_CorrespondingSourceObject: {}\n  m_PrefabInstance: {{fileID: 1048576}}\n\
         --- !u!114 &5000002\nMonoBehaviour:\n  m_GameObject: {{fileID: 5000001}}\n  m_Script: {{fileID: 11500000, guid: \
         {PIVOT}, type: 3}}\n",
        change(bone, "stiffnessForce", "7"),
        change(bone, "springForce.y", "3"),
        change(gone, "m_Name", "x"),
        target(manager),
        target(hair - 1),
    )
    .expect("text");
    outer
}

#[test]
fn instances_have_the_objects_of_their_prefab_with_their_changes() {
    let mut inner = Prefab::new();
    let root = inner.node("Girl", 0, "");
    let head = inner.node("Head", root, "");
    let hair = inner.node("Hair", head, "");
    let manager = inner.script(root, MANAGER, "  bounce: 0.5");
    let bone = inner.script(hair, BONE, "  stiffnessForce: 1\n  springForce: {x: 1, y: 2, z: 0}");
    let outer = nested_prefab(&inner, [hair, bone, manager]);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    std::fs::create_dir(folder.path().join("Inner")).expect("a folder");
    write("Inner/Inner.prefab", &inner.text);
    write("Inner/Inner.prefab.meta", &meta(INNER));
    write("Outer.prefab", &outer);
    write("Outer.prefab.meta", &meta("bee061bb5e180189d60f35e2db8e59d4"));
    let check = |file: &SetupFile, found: &[Diagnostic]| {
        let joints: Vec<_> = file.usable_entries(FileSection::Joints).collect();
        let [(_, entry, SetupEntry::Joint(joint))] = joints[..] else { panic!("{joints:?}") };
        let value = |name: &str| joint.joint.overrides[name].0;
        assert_eq!((entry.name.as_str(), value("stiffnessForce")), ("Hair", 7.0));
        assert_eq!((value("springForce x"), value("springForce y")), (1.0, 3.0));
        let pivots: Vec<_> = file.usable_entries(FileSection::Pivots).map(|(_, entry, _)| entry.name.clone()).collect();
        assert_eq!(pivots, ["Hair"], "the added component");
        assert!(!file.entries.iter().any(|entry| matches!(entry.content, Ok(SetupEntry::System(_)))), "it was removed");
        assert!(found.iter().any(|one| one.to_string().contains("1 changes of instances")), "{found:?}");
    };
    let (file, found) = open::setup(&folder.path().join("Outer.prefab"), None).expect("a setup");
    check(&file, &found);
    // The same files as a package, whose inner prefab is not read once more.
    let asset = |guid: &str, path: &str, text: &str| {
        [("pathname", path), ("asset", text), ("asset.meta", &meta(guid))]
            .map(|(part, content)| (format!("{guid}/{part}"), content.as_bytes().to_vec()))
    };
    let entries =
        [asset(INNER, "Assets/Inner.prefab", &inner.text), asset(MATERIAL, "Assets/Outer.prefab\n00", &outer)];
    let (file, found) = read_setup(&package(&entries.concat()), "a.unitypackage").expect("a setup");
    check(&file, &found);
}

/// A package with these entries.
fn package(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (path, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_path(path).expect("a short path");
        header.set_cksum();
        archive.append(&header, content.as_slice()).expect("written");
    }
    archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("written")
}

#[test]
fn instances_that_multiply_or_contain_themselves_end() {
    let guid = |n: usize| format!("{n:032x}");
    let instances = |source: usize, count: usize| {
        (1..=count).fold(HEAD.to_owned(), |text, id| {
            let source = guid(source);
            text + &format!(
                "--- !u!1001 &{id}\nPrefabInstance:\n  m_SourcePrefab: {{fileID: 1, guid: {source}, type: 3}}\n"
            )
        })
    };
    let asset = |n: usize, text: String| {
        [
            ("asset", text.into_bytes()),
            ("asset.meta", meta(&guid(n)).into_bytes()),
            ("pathname", format!("{n}.prefab").into()),
        ]
        .map(|(part, content)| (format!("{}/{part}", guid(n)), content))
    };
    let mut leaf = Prefab::new();
    let root = leaf.node("Girl", 0, "");
    leaf.script(root, BONE, "  radius: 0.5");
    // Each prefab contains a thousand of the next, and the outer one also contains itself.
    let mut outer = instances(2, 1000);
    outer.push_str(&instances(1, 1)[HEAD.len()..].replace("&1\n", "&-1\n"));
    outer.push_str(&leaf.text[HEAD.len()..].replace("fileID: ", "fileID: 300").replace('&', "&300"));
    let entries = [asset(1, outer), asset(2, instances(3, 1000)), asset(3, instances(4, 1000)), asset(4, leaf.text)];
    let (_, found) = read_setup(&package(&entries.concat()), "a.unitypackage").expect("a setup");
    let messages: Vec<String> = found.iter().map(ToString::to_string).collect();
    for part in ["with its instances is too large", "the prefab contains itself"] {
        assert!(messages.iter().any(|message| message.contains(part)), "{part}: {messages:?}");
    }
}

#[test]
fn damaged_files_give_a_message_or_a_setup() {
    let prefab = prefab_of_all_solvers().text.into_bytes();
    let asset = |guid: &str, path: &str, content: Vec<u8>| {
        [("asset", content), ("asset.meta", meta(guid).into_bytes()), ("pathname", path.into())]
            .map(|(part, content)| (format!("{guid}/{part}"), content))
    };
    let entries = [
        asset(INNER, "Inner.prefab", prefab.clone()),
        asset(MATERIAL, "Soft.asset", material().into_bytes()),
        asset(
            "bee061bb5e180189d60f35e2db8e59d4",
            "Outer.prefab",
            nested_prefab(&prefab_of_all_solvers(), [9, 21, 22]).into(),
        ),
    ];
    let archive = package(&entries.concat());
    let character = support::sample(SolverKind::UnityChanSpringBone).character;
    let mut read = 0;
    for seed in 0..u64::from(support::cases(2000)) {
        for (name, bytes) in [("a.prefab", &prefab), ("a.unitypackage", &archive)] {
            if let Ok((file, _)) = read_setup(&support::mutated(bytes, seed), name) {
                let file = to_gltf(file, FlipAxis::X);
                let plan = ImportPlan::new(file, &[], &Document::default(), &character, &NameMap::new());
                let after = plan.after_import(&character.skeleton);
                assert!(after.colliders.len() < 100);
                read += 1;
            }
        }
    }
    assert!(read > 0, "some files are still readable");
}

/// A package of assets, each with its GUID and path.
fn package_of(assets: &[(&str, &str, Vec<u8>)]) -> Vec<u8> {
    let parts = |(guid, path, content): &(&str, &str, Vec<u8>)| {
        [("asset", content.clone()), ("asset.meta", meta(guid).into_bytes()), ("pathname", path.as_bytes().to_vec())]
            .map(|(part, content)| (format!("{guid}/{part}"), content))
    };
    package(&assets.iter().flat_map(parts).collect::<Vec<_>>())
}

#[test]
fn the_model_of_a_package_opens_with_its_variant_and_names_the_other_prefab() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut model = support::glb::GlbBuilder::new();
    model.node_chain(&["Girl", "Hips", "Head", "Hair", "Tip"]);
    let prefab = |stiffness: u32, extra: bool| {
        let mut prefab = Prefab::new();
        let root = prefab.node("Girl", 0, "");
        let head = prefab.node("Head", root, "");
        let hair = prefab.node("Hair", head, "");
        prefab.script(hair, BONE, &format!("  stiffnessForce: {stiffness}"));
        // The mesh of the model.
        prefab.add(137, "SkinnedMeshRenderer", &format!("  m_Mesh: {{fileID: 4300000, guid: {MATERIAL}, type: 3}}"));
        if extra {
            prefab.script(root, MANAGER, "  bounce: 0.5");
        }
        (prefab, hair)
    };
    let (base, hair) = prefab(5, true);
    let bone = hair + 1;
    let variant = format!(
        "{HEAD}--- !u!1001 &1048576\nPrefabInstance:\n  m_Modification:\n    m_Modifications:\n    - target: {{fileID: {bone}, \
         guid: {INNER}, type: 3}}\n      propertyPath: stiffnessForce\n      value: 77\n  m_SourcePrefab: {{fileID: 1, guid: \
         {INNER}, type: 3}}\n"
    );
    let other = prefab(9, false).0.text;
    let assets = [
        (INNER, "Assets/Base.prefab", base.text.into_bytes()),
        ("bee061bb5e180189d60f35e2db8e59d4", "Assets/Girl.prefab", variant.into_bytes()),
        ("dee061bb5e180189d60f35e2db8e59d4", "Assets/Old.prefab", other.into_bytes()),
        (MATERIAL, "Assets/girl.glb", model.glb()),
    ];
    let path = folder.path().join("girl.unitypackage");
    std::fs::write(&path, package_of(&assets)).expect("written");
    let opened = open::character(&path, &|_| true).expect("a character");
    let hair = opened.character.skeleton.find("Hair").expect("a bone");
    let (chain, at) = opened.document.find_joint(hair).expect("a joint");
    let chain = &opened.document.chains[&chain];
    let stiffness = find_param(opened.document.param_defs_of(chain), "stiffnessForce").expect("a parameter");
    assert_eq!(chain.joint_value(at, stiffness, 0.0), 77.0);
    let messages: Vec<String> = opened.diagnostics.iter().map(ToString::to_string).collect();
    let names_other = |message: &String| message.contains("Girl.prefab are used") && message.contains("Old.prefab");
    assert!(messages.iter().any(names_other), "{messages:?}");
}

#[test]
fn helpers_with_equal_names_stay_apart_and_parts_of_the_scene_are_kept() {
    let mut prefab = Prefab::new();
    let root = prefab.node("Girl", 0, "");
    let arms = ["Left", "Right"].map(|name| prefab.node(name, root, ""));
    let hands = arms.map(|arm| prefab.node("Hand", arm, ""));
    let balls = arms.map(|arm| prefab.node("Col", arm, ""));
    let floor = prefab.node("Floor", 0, "  m_LocalPosition: {x: 0, y: 2, z: 0}\n");
    let balls = [0.25, 0.5].map(|radius| {
        let node = balls[usize::from(radius > 0.3)];
        prefab.script(node, SPHERE, &format!("  radius: {radius}"))
    });
    prefab.script(floor, SPHERE, "  radius: Infinity");
    for (hand, ball) in hands.into_iter().zip(balls) {
        prefab.script(hand, BONE, &format!("  sphereColliders:\n  - {{fileID: {ball}}}"));
    }
    let manager = prefab.script(root, MANAGER, "  bounce: 0.5");
    let text = prefab.text.replace(
        &format!("&{manager}\nMonoBehaviour:\n  m_GameObject: {{fileID: {}}}\n  m_Enabled: 1", root - 1),
        &format!("&{manager}\nMonoBehaviour:\n  m_GameObject: {{fileID: {}}}\n  m_Enabled: 0", root - 1),
    );
    prefab.text = text;
    let (file, found) = prefab.read();
    let colliders: Vec<(String, f32, String)> = rows(&file)
        .into_iter()
        .filter_map(|entry| match entry {
            SetupEntry::Collider(collider) => {
                let NodeRef::Inline(node) = &collider.node else { panic!("a node of its own") };
                Some((collider.name.clone(), collider.shape.field(0), node.parent.name().to_owned()))
            }
            _ => None,
        })
        .collect();
    let collider = |name: &str, radius, parent: &str| (name.to_owned(), radius, parent.to_owned());
    assert_eq!(
        colliders,
        [collider("Col", 0.25, "Left"), collider("Col2", 0.5, "Right"), collider("Floor", 0.1, "Left")]
    );
    let lists: Vec<Vec<String>> = rows(&file)
        .into_iter()
        .filter_map(|entry| if let SetupEntry::Joint(entry) = entry { Some(entry.joint.colliders) } else { None })
        .collect();
    assert_eq!(lists, [["Col"], ["Col2"]]);
    for part in ["radius is inf", "the component is off in Unity"] {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn changes_that_nest_or_repeat_without_end_are_refused() {
    let mut inner = Prefab::new();
    let root = inner.node("Girl", 0, "");
    let bone = inner.script(root, BONE, "  radius: 0.5");
    let changes = |paths: &mut dyn Iterator<Item = String>| {
        let mut text =
            format!("{HEAD}--- !u!1001 &1048576\nPrefabInstance:\n  m_Modification:\n    m_Modifications:\n");
        for path in paths {
            write!(
                text,
                "    - target: {{fileID: {bone}, guid: {INNER}, type: 3}}\n      propertyPath: {path}\n      value: 1\n"
            )
            .expect("text");
        }
        write!(text, "    m_RemovedComponents:\n    - {{fileID: 0}}\n  m_SourcePrefab: {{fileID: 1, guid: {INNER}}}\n")
            .expect("text");
        let assets =
            [(INNER, "Inner.prefab", inner.text.clone().into_bytes()), (MATERIAL, "Outer.prefab", text.into_bytes())];
        read_setup(&package_of(&assets), "a.unitypackage").expect("a setup").1
    };
    for found in [
        changes(&mut std::iter::once("a.".repeat(200_000) + "a")),
        changes(&mut (0..50_000).map(|key| format!("key{key}"))),
        changes(&mut std::iter::once("list.Array.data[99999999]".to_owned())),
    ] {
        assert!(
            found.iter().any(|one| one.to_string().contains("cannot be used and are ignored")),
            "{:?}",
            found.len()
        );
    }
}
