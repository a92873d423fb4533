//! Round trips of setups, and tests with damaged files.

use super::*;
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use yuremono_model::document::{
    Chain, ChainEntry, ChainId, ChainPart, ChainValue, Collider, ColliderGroup, ColliderId, ComponentLists,
    CurveDomain, Force, ForceId, GroupId, Helper, HelperId, HelperRole, HighLeg, HighLegId, Joint, JointEntry,
    LengthTarget, Material, MaterialId, NodeRef, Passthrough, RingId, RingPlace, SetupEntry, System, SystemId, Tip,
};
use yuremono_model::exchange::FileSection;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::math::{Curve, CurveShape, JsonNumber, RingCurve, Trs};
use yuremono_sim::params::{ParamDef, ParamScope};
use yuremono_sim::{
    AnimDynamicsSetup, Attenuation, BoneConstraint, ColliderShape, Compliance, ConvexHull, DynamicBoneSetup,
    EzCollider, EzForceField, EzSetup, ForceKind, Grabber, JointDynamicsCollider, JointDynamicsPoint,
    JointDynamicsSetup, KawaiiSetup, SolverKind, SurfaceForce, SwingLimit, SwingShape, SyncBone, SyncDirection,
    SyncTarget, Turbulence, Wind,
};

fn node(name: &str) -> NodeRef {
    NodeRef::from(name)
}

fn inline_node(name: &str) -> NodeRef {
    let local = Trs {
        translation: Vec3::new(0.05, -0.1, 0.3),
        rotation: Quat::from_rotation_x(0.3),
        scale: Vec3::new(1.0, 2.0, 0.7),
    };
    NodeRef::Inline(Box::new(Helper { name: name.to_owned(), parent: node("Head"), local, role: HelperRole::Plain }))
}

fn value_of(def: &ParamDef) -> f32 {
    def.soft_range.1.clamp(def.range.0, def.range.1)
}

fn authored(def: &ParamDef) -> ChainValue {
    ChainValue {
        base: value_of(def),
        curve: Some(Curve::from_shape(CurveShape::StiffTip)),
        around: Some(RingCurve::level().with_factor(1, 0.5)),
    }
}

fn component_lists(solver: SolverKind) -> ComponentLists<NodeRef, String, String> {
    match solver {
        SolverKind::DynamicBone => ComponentLists::DynamicBone(DynamicBoneSetup {
            reference: Some(inline_node("Far")),
            exclusions: vec![node("hair_2")],
        }),
        SolverKind::EzSoftBone => {
            let hull = ConvexHull::new(vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ZERO], vec![[0, 1, 2], [0, 2, 3]]);
            let field = EzForceField { mode: Turbulence::default_curves(), ..EzForceField::new(node("Wind")) };
            ComponentLists::EzSoftBone(EzSetup {
                simulate_space: Some(node("Hips")),
                gravity_aligner: Some(node("Head")),
                force_field: Some(field),
                colliders: BTreeMap::from([("ball".to_owned(), EzCollider { margin: 0.05, hull: Some(hull) })]),
            })
        }
        SolverKind::JointDynamics => {
            let point = JointDynamicsPoint {
                fixed: Some(true),
                mass: 0.3,
                radius: 0.07,
                movable_limit_radius: 0.5,
                surface_collision: false,
                invert_collision: false,
                aim_child: Some(node("hair_2")),
                fade: 0.1,
            };
            let friction = JointDynamicsCollider { friction: 0.1, surface_force: SurfaceForce::Pull };
            ComponentLists::JointDynamics(JointDynamicsSetup {
                roots: vec![node("hair_1")],
                points: BTreeMap::from([("hair_1".to_owned(), point)]),
                colliders: BTreeMap::from([("ball".to_owned(), friction)]),
                grabbers: vec![Grabber { bone: node("Hand"), radius: 0.1, force: 2.0, enabled: false }],
                planes: vec![inline_node("Floor")],
            })
        }
        SolverKind::KawaiiPhysics => {
            let pair = BoneConstraint {
                bones: [node("hair_1"), node("hair_2")],
                compliance: Some(Compliance::Fat),
                length: Some(0.1),
                subdivided: false,
            };
            let sync = SyncBone {
                bone: node("Leg"),
                targets: vec![SyncTarget { bone: node("hair_1"), scale: 0.7 }],
                scale: Vec3::new(1.0, 0.1, 0.0),
                scale_by_distance: vec![[0.0, 1.0], [0.3, 0.0]],
                directions: [SyncDirection::Positive, SyncDirection::None, SyncDirection::Both],
                attenuation: Some(Attenuation { inner: 0.1, outer: 0.3, max_attenuation: 0.9 }),
            };
            let base_bone = Some(node("Hips"));
            ComponentLists::Kawaii(KawaiiSetup { constraints: vec![pair], sync_bones: vec![sync], base_bone })
        }
        SolverKind::AnimDynamics => {
            ComponentLists::AnimDynamics(AnimDynamicsSetup { relative_space_bone: Some(node("Hips")) })
        }
        _ => ComponentLists::None,
    }
}

/// Returns a joint with a value in every field.
fn joint(bone: &str, params: &[ParamDef]) -> Joint<ByName> {
    let own = params.iter().filter(|def| def.scope == ParamScope::Joint);
    Joint {
        bone: bone.to_owned(),
        tip: Tip::Offset(Vec3::new(0.0, -0.05, 0.1)),
        overrides: own.map(|def| (def.name.to_owned(), JsonNumber(def.default))).collect(),
        pivot: Some(node("pivot")),
        length_targets: vec![LengthTarget { node: node("Head"), constant: Some(0.7) }, LengthTarget::new(node("Neck"))],
        colliders: vec!["ball".to_owned(), "box".to_owned()],
        limit: Some(SwingLimit { shape: SwingShape::Cone { angle: 0.7 }, rotation: Quat::from_rotation_y(0.1) }),
        enabled: false,
        animated: true,
    }
}

/// Returns a setup with one system for every solver, in which every list and every field has content.
fn complete_setup() -> Setup<ByName> {
    let mut setup = Setup::default();
    for (at, solver) in SolverKind::ALL.iter().copied().enumerate() {
        let (info, number) = (solver.info(), at as u32 + 1);
        let of = |scope| info.params.iter().filter(move |def: &&ParamDef| def.scope == scope);
        let values = of(ParamScope::System).map(|def| (def.name.to_owned(), JsonNumber(value_of(def)))).collect();
        let (name, component) = (format!("system {at}"), Some(inline_node("Component")));
        setup.systems.insert(
            SystemId(at as u32),
            System { name, solver, values, component, component_lists: component_lists(solver) },
        );
        let material = (!info.material_params.is_empty()).then(|| {
            let id = MaterialId(setup.materials.len() as u32 + 1);
            let rows = info.material_params.iter().map(|param| &info.params[param.index()]);
            let values = rows.map(|def| (def.name.to_owned(), authored(def))).collect();
            setup.materials.insert(id, Material { name: format!("material {at}"), solver, values });
            id
        });
        let chain = Chain {
            name: format!("髪 {at}"),
            part: ChainPart::Hair,
            system: SystemId(at as u32),
            curve_domain: CurveDomain::Depth,
            values: of(ParamScope::Joint).map(|def| (def.name.to_owned(), authored(def))).collect(),
            material,
            joints: vec![joint(&format!("bone {at}"), info.params), Joint::new(format!("end {at}"))],
            groups: vec![GroupId(1), GroupId(2)],
            center: Some(node("Hips")),
            ring: Some(RingPlace { ring: RingId(3), angle: -90.0 }),
            source_index: Some(3),
        };
        setup.chains.insert(ChainId(number), chain);
    }
    let helper = |name: &str, parent: &str, role| {
        let local = Trs::from_translation(Vec3::new(0.1, 0.2, 0.3));
        Helper { name: name.to_owned(), parent: node(parent), local, role }
    };
    setup.helpers.insert(HelperId(1), helper("null", "Head", HelperRole::Null));
    setup.helpers.insert(HelperId(2), helper("pivot", "null", HelperRole::Pivot));
    for (at, shape) in ColliderShape::ALL.into_iter().enumerate() {
        let name = if at == 0 { "ball".to_owned() } else { format!("shape {at}") };
        let collider = Collider {
            enabled: at % 2 == 0,
            mesh_name: Some("Skirt".to_owned()),
            source_index: Some(1),
            ..Collider::new(name, inline_node("Ball"), shape.with_field(0, f32::INFINITY))
        };
        setup.colliders.insert(ColliderId(at as u32 + 1), collider);
    }
    for id in [GroupId(1), GroupId(2)] {
        let colliders = vec!["ball".to_owned()];
        setup.groups.insert(id, ColliderGroup { name: "body".to_owned(), colliders, source_index: Some(2) });
    }
    let force = |kind| Force { name: "風".to_owned(), node: node("Wind"), kind, enabled: false };
    setup.forces.insert(ForceId(1), force(ForceKind::Volume { strength: 0.1 }));
    setup.forces.insert(ForceId(2), force(ForceKind::Wind(Wind::DEFAULT)));
    let legs = vec![[node("Leg.L"), inline_node("Knee")]];
    setup.high_legs.insert(HighLegId(1), HighLeg { node: node("Skirt"), hip: node("Hips"), legs });
    setup.hidden_meshes.insert("Coat".to_owned());
    setup.excluded_bones.insert("Jaw".to_owned());
    let param = Passthrough::CsvRow { section: "[Pivots]".to_owned(), cells: vec!["a".to_owned(), "o.5".to_owned()] };
    let item = Box::new(SetupEntry::HiddenMesh("Hat".to_owned()));
    setup.passthrough = vec![param, Passthrough::Entry { solver: SolverKind::Vrm, entry: item }];
    setup
}

fn setup_to_json(setup: &Setup<ByName>) -> Value {
    json!({ "format": FORMAT_NAME, "version": 1, "setup": serde_json::to_value(setup).expect("JSON") })
}

fn messages(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

/// Checks the diagnostics of a file that contains one VRM system and the fields of `setup`.
#[track_caller]
fn check_reports(setup: &Value, expected: &[&str]) -> SetupFile {
    let mut all = json!({ "systems": { "0": { "solver": "VRM" } } });
    all.as_object_mut().expect("an object").extend(setup.as_object().expect("an object").clone());
    let text = json!({ "format": FORMAT_NAME, "version": 1, "setup": all }).to_string();
    let (file, found) = read(text.as_bytes(), "s.json").expect("readable");
    let texts: Vec<_> = messages(&found).iter().map(|text| text.replace("s.json:1#/setup", "")).collect();
    let texts: Vec<_> = texts.iter().map(|text| text.replace("s.json#/setup", "")).collect();
    assert_eq!(texts, expected);
    file
}

#[track_caller]
fn check_rejected(text: &str, expected: &str) {
    let found = messages(&read(text.as_bytes(), "s.json").expect_err("refused"));
    assert!(found.last().is_some_and(|last| last.contains(expected)), "{found:#?}\nexpected {expected}");
}

#[test]
fn a_setup_that_is_written_and_read_again_is_equal() {
    let setup = complete_setup();
    let bytes = json_layout::to_json_bytes(&setup_to_json(&setup));
    let (file, found) = read(&bytes, "s.json").expect("readable");
    assert_eq!(messages(&found), [""; 0]);
    assert_eq!(file.to_setup(), setup);
    let written = write(&file);
    let (again, found) = read(&written, "s.json").expect("readable");
    assert_eq!(messages(&found), [""; 0]);
    assert_eq!(again, file);
    assert_eq!(write(&again), written);
    let text = String::from_utf8(written).expect("UTF-8");
    assert!(text.contains("\"margin\": 0.05,"), "numbers have their shortest decimals");
}

#[test]
fn entries_have_their_systems_sections_and_pointers() {
    let (file, _) = read(&json_layout::to_json_bytes(&setup_to_json(&complete_setup())), "s.json").expect("readable");
    let json = setup_to_json(&complete_setup());
    for item in &file.entries {
        assert!(json.pointer(&item.json_pointer).is_some(), "{} does not exist", item.json_pointer);
    }
    let of = |section| {
        file.usable_entries(section).map(|(_, item, _)| (item.system, item.json_pointer.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(of(FileSection::Pivots), [(0, "/setup/helpers/2")]);
    assert_eq!(of(FileSection::Nodes), [(0, "/setup/helpers/1")]);
    assert_eq!(of(FileSection::HighLegs), [(0, "/setup/high_legs/1")]);
    let joints = of(FileSection::Joints);
    assert_eq!((joints.len(), joints[3]), (2 * SolverKind::ALL.len(), (1, "/setup/chains/2/joints/1")));
    let chain = file.entries.iter().find_map(|item| match &item.content {
        Ok(SetupEntry::Chain(ChainEntry { root, number, chain })) => Some((root.as_str(), *number, chain.joints.len())),
        _ => None,
    });
    assert_eq!(chain, Some(("bone 0", Some(1), 0)));
    let numbers = file.usable_entries(FileSection::Joints).map(|(_, _, item)| match item {
        SetupEntry::Joint(JointEntry { chain, .. }) => *chain,
        _ => None,
    });
    assert_eq!(numbers.take(3).collect::<Vec<_>>(), [Some(1), Some(1), Some(2)]);
}

#[test]
fn helpers_are_listed_after_their_parents() {
    let helper = |name: &str, parent: &str| json!({ "name": name, "parent": parent, "local": serde_json::to_value(Trs::IDENTITY).expect("JSON") });
    let helpers = json!({
        "helpers": { "1": helper("c", "b"), "2": helper("b", "a"), "3": helper("a", "Head"), "4": helper("ring", "ring") },
    });
    let file = check_reports(&helpers, &[]);
    let names: Vec<_> = file.usable_entries(FileSection::Nodes).map(|(_, item, _)| item.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "ring"]);
}

#[test]
fn component_lists_are_absent_or_complete() {
    let systems = json!({ "systems": {
        "0": { "solver": "DynamicBone" },
        "1": { "solver": "DynamicBone", "component_lists": { "dynamic_bone": {} } },
        "2": { "solver": "DynamicBone", "component_lists": { "kawaii": {} } },
    } });
    let wrong = "/systems/2/component_lists: expected lists of DynamicBone; left out";
    let file = check_reports(&systems, &[wrong]);
    let expected = [ComponentLists::None, ComponentLists::empty(SolverKind::DynamicBone), ComponentLists::None];
    let all = |file: &SetupFile| {
        file.to_setup().systems.into_values().map(|system| system.component_lists).collect::<Vec<_>>()
    };
    assert_eq!(all(&file), expected);
    let (again, _) = read(&write(&file), "s.json").expect("readable");
    assert_eq!(all(&again), expected);
}

#[test]
fn unusable_files_are_rejected_with_a_reason() {
    let head = format!("{{\"format\": \"{FORMAT_NAME}\"");
    check_rejected("{", "s.json:1: this is not JSON");
    check_rejected("[]", "s.json: this is not a setup: expected an object");
    check_rejected("{}", "s.json#/format: this is not a setup");
    check_rejected("{\"format\": 5}", "s.json#/format");
    check_rejected(&format!("{head}}}"), "s.json#/version: there is no version; expected 1");
    check_rejected(&format!("{head}, \"version\": 7}}"), "s.json#/version: the setup has version 7");
    check_rejected(&format!("{head}, \"version\": \"1\"}}"), "s.json#/version: \"1\" is not a version");
    check_rejected(&format!("{head}, \"version\": 1}}"), "s.json#/setup/systems: the file has no system");
    check_rejected(
        &format!("{head}, \"version\": 1, \"setup\": []}}"),
        "s.json#/setup/systems: the file has no system",
    );
    let cloth = "{\"systems\": {\"0\": {\"solver\": \"Cloth\"}}}";
    check_rejected(
        &format!("{head}, \"version\": 1, \"setup\": {cloth}}}"),
        "s.json#/setup/systems: the file has no system",
    );
    check_rejected(&format!("{head}, \"version\": 1, \"setup\": 1e999}}"), "s.json:1: this is not JSON");
    let deep = format!("{head}, \"version\": 1, \"setup\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check_rejected(&deep, "s.json:1: this is not JSON: recursion limit exceeded");
    check_rejected(&" ".repeat((MAX_FILE_MIB << 20) + 1), "larger than the 16 MiB");
}

#[test]
fn invalid_values_are_reported_and_the_rest_is_read() {
    let joint =
        |bone: &str| json!({ "bone": bone, "overrides": { "hitRadius": 1e300, "dragForce": 3, "nonsense": 1 } });
    let setup = json!({
        "more": 1,
        "gestures": { "1": { "name": "wave", "bone": "Hand", "samples": [] } },
        "materials": { "1": { "name": "Soft", "solver": "EZSoftBone" } },
        "chains": {
            "1": {
                "name": "hair", "system": 0, "material": 4, "groups": [5],
                "values": { "stiffness": { "base": 1, "curve": { "keys": [] } }, "gravityPower": { "base": "x" } },
                "joints": [7, { "overrides": {} }, joint("a"), { "bone": "b", "tip": { "offset": [0, "Infinity", 0] } }],
            },
            "2": { "name": "lost", "system": 9, "joints": [{ "bone": "c" }] },
            "3": { "name": "empty" },
            "x": { "name": "no number" },
        },
        "colliders": { "1": { "name": "x", "node": "Head", "shape": { "torus": { "radius": 1 } } } },
    });
    let expected = [
        "/more: unknown field `more`, expected one of `systems`, `chains`, `materials`, `helpers`, `colliders`, `groups`, \
         `forces`, `high_legs`, `hidden_meshes`, `excluded_bones`, `gestures`, `base_motions`, `kept_pose`, `passthrough`; left out",
        "/chains/1/values/stiffness/curve: the curve has no keys, or one that is too large; expected finite keys; \
         left out, its default is used",
        "/chains/1/values/gravityPower/base: invalid value: string \"x\", expected a number, \"Infinity\" or \
         \"-Infinity\"; /setup/chains/1/values/gravityPower is left out",
        "/chains/1/joints/0: invalid type: integer `7`, expected struct Joint; left out",
        "/chains/1/joints/1: missing field `bone`; left out",
        "/chains/1/joints/2/overrides/hitRadius: invalid value: floating point `1e+300`, expected a number, \"Infinity\" or \
         \"-Infinity\"; left out, its default is used",
        "/chains/x: invalid value: expected key to be a number in quotes; left out",
        "/colliders/1/shape: unknown variant `torus`, expected one of `sphere`, `capsule`, `panel`, `plane`, `tapered_capsule`, \
         `box`, `cylinder`; /setup/colliders/1 is left out",
        "/gestures: a setup file does not exchange gestures; 1 ignored",
        "/materials/1: the file has no system of EZSoftBone; left out",
        "/chains/2: there is no system 9; chain \"lost\" is left out",
        "/chains/3: chain \"empty\" has no joint; left out",
        "/chains/1/material: there is no material 4; left out",
        "/chains/1/joints/3/tip/offset: expected finite numbers; left out, its default is used",
        "/chains/1/joints/2/overrides/dragForce: 3 is outside 0 to 1",
        "/chains/1/joints/2/overrides/nonsense: VRM has no such value of joints; left out",
        "/chains/1/groups: collider group 5 does not exist; left out",
    ];
    let file = check_reports(&setup, &expected);
    let joints: Vec<_> =
        file.usable_entries(FileSection::Joints).map(|(_, item, _)| item.json_pointer.as_str()).collect();
    assert_eq!(joints, ["/setup/chains/1/joints/2", "/setup/chains/1/joints/3"]);
}

#[test]
fn keys_that_appear_twice_are_reported() {
    let text = format!(
        "{{\"format\": \"{FORMAT_NAME}\", \"version\": 1, \"setup\": {{\"systems\": {{\"0\": {{}},\n\"0\": {{\"solver\": \
         \"VRM\"}}}}}}}}"
    );
    let (file, found) = read(text.as_bytes(), "s.json").expect("readable");
    assert_eq!(file.systems[0].solver, SolverKind::Vrm);
    assert_eq!(messages(&found), ["s.json:2#/setup/systems/0: the key \"0\" appears twice; the last one is used"]);
}

#[test]
fn systems_beyond_the_limit_are_skipped_and_reported() {
    let systems: BTreeMap<String, Value> = (0..800).map(|n| (n.to_string(), json!({ "solver": "VRM" }))).collect();
    let expected = "/systems/64: the file has 800 systems; at most 64 are read. Systems from here on are left out";
    let file = check_reports(&json!({ "systems": systems }), &[expected]);
    assert_eq!(file.systems.len(), 64);
}

#[test]
fn every_damaged_value_is_used_or_reported() {
    let mut setup = complete_setup();
    // The parameters differ only by name, so a few are enough. A smaller file makes the many reads faster.
    setup.chains.retain(|id, _| id.0 == 2);
    setup.colliders.retain(|id, _| id.0 < 3);
    for system in setup.systems.values_mut() {
        system.values = std::mem::take(&mut system.values).into_iter().take(2).collect();
    }
    let whole = setup_to_json(&setup);
    let mut places = Vec::new();
    leaves(&whole["setup"], "/setup".to_owned(), &mut places);
    assert!(places.len() > 200, "{}", places.len());
    let mut count = 0;
    places.retain(|place| {
        count += 1;
        !(place.contains("/values/") || place.contains("/overrides/")) || count % 100 == 0
    });
    for place in places {
        for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
            let mut damaged = whole.clone();
            *damaged.pointer_mut(&place).expect("the value exists") = other.clone();
            match read(damaged.to_string().as_bytes(), "s.json") {
                Ok((file, found)) => {
                    let is_name = other.is_string() && file.to_setup() != setup;
                    let is_default = other.is_null() && found.is_empty();
                    assert!(!found.is_empty() || is_name || is_default, "{place} = {other} was accepted silently");
                }
                Err(found) => assert!(!found.is_empty()),
            }
        }
    }
}

/// Collects the JSON pointers of all values that contain no other values.
fn leaves(value: &Value, at: String, all: &mut Vec<String>) {
    let part = |key: &String| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, v)| leaves(v, format!("{at}/{}", part(key)), all)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| leaves(value, format!("{at}/{n}"), all)),
        _ => all.push(at),
    }
}

#[test]
fn truncated_or_damaged_files_do_not_panic() {
    let mut setup = complete_setup();
    setup.systems.retain(|id, _| id.0 < 2);
    setup.chains.retain(|id, _| id.0 < 3);
    let whole = json_layout::to_json_bytes(&setup_to_json(&setup));
    for cut in (0..whole.len()).step_by(whole.len() / 24 + 1) {
        if let Err(found) = read(&whole[..cut], "s.json") {
            assert!(!found.is_empty());
        }
        for damage in [&b"\"x\""[..], b"[]", b"-1e38", b"null", b"{", b",,,", b"\xff"] {
            let damaged = [&whole[..cut], damage, &whole[(cut + damage.len()).min(whole.len())..]].concat();
            if let Err(found) = read(&damaged, "s.json") {
                assert!(!found.is_empty());
            }
        }
    }
}
