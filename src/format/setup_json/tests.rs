//! Setups that are written and read again, and files that are damaged.

use super::*;
use crate::document::{
    Along, Authored, Chain, ChainId, ChainItem, Collider, ColliderGroup, ColliderId, Extras, Force, ForceId, GroupId,
    Helper, HelperId, HelperRole, HighLeg, HighLegId, Joint, JointItem, LengthTarget, Material, MaterialId, NodeRef,
    Part, Passthrough, SetupItem, System, SystemId, Tip,
};
use crate::exchange::Section;
use crate::math::{Curve, CurveShape, Number, Trs};
use crate::report::Diagnostic;
use crate::schema::{ParamDef, Scope};
use crate::sim::{
    AnimDynamicsSetup, Attenuation, BoneConstraint, Compliance, ConvexHull, DynamicBoneSetup, EzCollider, EzForceField,
    EzSetup, ForceKind, Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, KawaiiSetup, Shape,
    SolverKind, SurfaceForce, SwingLimit, SwingShape, SyncBone, SyncDirection, SyncTarget, Turbulence, Wind,
};
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn node(name: &str) -> NodeRef {
    NodeRef::from(name)
}

fn placed(name: &str) -> NodeRef {
    let local = Trs {
        translation: Vec3::new(0.05, -0.1, 0.3),
        rotation: Quat::from_rotation_x(0.3),
        scale: Vec3::new(1.0, 2.0, 0.7),
    };
    NodeRef::Placed(Box::new(Helper { name: name.to_owned(), parent: node("Head"), local, role: HelperRole::Plain }))
}

fn value_of(def: &ParamDef) -> f32 {
    def.soft_range.1.clamp(def.range.0, def.range.1)
}

fn authored(def: &ParamDef) -> Authored {
    Authored { base: value_of(def), curve: Some(Curve::shape(CurveShape::StiffTip)) }
}

fn extras(solver: SolverKind) -> Extras<NodeRef, String, String> {
    match solver {
        SolverKind::DynamicBone => {
            Extras::DynamicBone(DynamicBoneSetup { reference: Some(placed("Far")), exclusions: vec![node("hair_2")] })
        }
        SolverKind::EzSoftBone => {
            let hull = ConvexHull::new(vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ZERO], vec![[0, 1, 2], [0, 2, 3]]);
            let field = EzForceField { mode: Turbulence::curves(), ..EzForceField::new(node("Wind")) };
            Extras::EzSoftBone(EzSetup {
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
            Extras::JointDynamics(JointDynamicsSetup {
                roots: vec![node("hair_1")],
                points: BTreeMap::from([("hair_1".to_owned(), point)]),
                colliders: BTreeMap::from([("ball".to_owned(), friction)]),
                grabbers: vec![Grabber { bone: node("Hand"), radius: 0.1, force: 2.0, enabled: false }],
                planes: vec![placed("Floor")],
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
                by_distance: vec![[0.0, 1.0], [0.3, 0.0]],
                directions: [SyncDirection::Positive, SyncDirection::None, SyncDirection::Both],
                attenuation: Some(Attenuation { inner: 0.1, outer: 0.3, most: 0.9 }),
            };
            let base_bone = Some(node("Hips"));
            Extras::Kawaii(KawaiiSetup { constraints: vec![pair], sync_bones: vec![sync], base_bone })
        }
        SolverKind::AnimDynamics => Extras::AnimDynamics(AnimDynamicsSetup { relative_space_bone: Some(node("Hips")) }),
        _ => Extras::None,
    }
}

/// A joint with every field.
fn joint(bone: &str, params: &[ParamDef]) -> Joint<ByName> {
    let own = params.iter().filter(|def| def.scope == Scope::Joint);
    Joint {
        bone: bone.to_owned(),
        tip: Tip::Offset(Vec3::new(0.0, -0.05, 0.1)),
        own: own.map(|def| (def.name.to_owned(), Number(def.default))).collect(),
        pivot: Some(node("pivot")),
        length_targets: vec![LengthTarget { node: node("Head"), constant: Some(0.7) }, LengthTarget::new(node("Neck"))],
        colliders: vec!["ball".to_owned(), "box".to_owned()],
        limit: Some(SwingLimit { shape: SwingShape::Cone { angle: 0.7 }, rotation: Quat::from_rotation_y(0.1) }),
        enabled: false,
        animated: true,
    }
}

/// One system of every solver; every list and every field has something.
fn full() -> Setup<ByName> {
    let mut setup = Setup::default();
    for (at, solver) in SolverKind::ALL.iter().copied().enumerate() {
        let (info, number) = (solver.info(), at as u32 + 1);
        let of = |scope| info.params.iter().filter(move |def: &&ParamDef| def.scope == scope);
        let values = of(Scope::System).map(|def| (def.name.to_owned(), Number(value_of(def)))).collect();
        let (name, component) = (format!("system {at}"), Some(placed("Component")));
        setup.systems.insert(SystemId(at as u32), System { name, solver, values, component, extras: extras(solver) });
        let material = (!info.material.is_empty()).then(|| {
            let id = MaterialId(setup.materials.len() as u32 + 1);
            let rows = info.material.iter().map(|row| &info.params[row.index()]);
            let values = rows.map(|def| (def.name.to_owned(), authored(def))).collect();
            setup.materials.insert(id, Material { name: format!("material {at}"), solver, values });
            id
        });
        let chain = Chain {
            name: format!("髪 {at}"),
            part: Part::Hair,
            system: SystemId(at as u32),
            along: Along::Depth,
            values: of(Scope::Joint).map(|def| (def.name.to_owned(), authored(def))).collect(),
            material,
            joints: vec![joint(&format!("bone {at}"), info.params), Joint::new(format!("end {at}"))],
            groups: vec![GroupId(1), GroupId(2)],
            center: Some(node("Hips")),
            source: Some(3),
        };
        setup.chains.insert(ChainId(number), chain);
    }
    let helper = |name: &str, parent: &str, role| {
        let local = Trs::from_translation(Vec3::new(0.1, 0.2, 0.3));
        Helper { name: name.to_owned(), parent: node(parent), local, role }
    };
    setup.helpers.insert(HelperId(1), helper("null", "Head", HelperRole::Null));
    setup.helpers.insert(HelperId(2), helper("pivot", "null", HelperRole::Pivot));
    for (at, shape) in Shape::ALL.into_iter().enumerate() {
        let name = if at == 0 { "ball".to_owned() } else { format!("shape {at}") };
        let collider = Collider {
            enabled: at % 2 == 0,
            renderer: Some("Skirt".to_owned()),
            source: Some(1),
            ..Collider::new(name, placed("Ball"), shape.with_field(0, f32::INFINITY))
        };
        setup.colliders.insert(ColliderId(at as u32 + 1), collider);
    }
    for id in [GroupId(1), GroupId(2)] {
        let colliders = vec!["ball".to_owned()];
        setup.groups.insert(id, ColliderGroup { name: "body".to_owned(), colliders, source: Some(2) });
    }
    let force = |kind| Force { name: "風".to_owned(), node: node("Wind"), kind, enabled: false };
    setup.forces.insert(ForceId(1), force(ForceKind::Volume { strength: 0.1 }));
    setup.forces.insert(ForceId(2), force(ForceKind::Wind(Wind::FRESH)));
    let legs = vec![[node("Leg.L"), placed("Knee")]];
    setup.high_legs.insert(HighLegId(1), HighLeg { node: node("Skirt"), hip: node("Hips"), legs });
    setup.renderers_off.insert("Coat".to_owned());
    setup.excluded.insert("Jaw".to_owned());
    let row = Passthrough::Row { section: "[Pivots]".to_owned(), cells: vec!["a".to_owned(), "o.5".to_owned()] };
    let item = Box::new(SetupItem::MeshHidden("Hat".to_owned()));
    setup.passthrough = vec![row, Passthrough::Item { solver: SolverKind::Vrm, item }];
    setup
}

fn file_of(setup: &Setup<ByName>) -> Value {
    json!({ "format": NAME, "version": 1, "setup": serde_json::to_value(setup).expect("JSON") })
}

fn texts(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

/// What is reported about a file of one system of VRM and something more.
#[track_caller]
fn check_reports(setup: &Value, expected: &[&str]) -> SetupFile {
    let mut all = json!({ "systems": { "0": { "solver": "VRM" } } });
    all.as_object_mut().expect("an object").extend(setup.as_object().expect("an object").clone());
    let text = json!({ "format": NAME, "version": 1, "setup": all }).to_string();
    let (file, found) = read(text.as_bytes(), "s.json").expect("readable");
    let texts: Vec<_> = texts(&found).iter().map(|text| text.replace("s.json:1#/setup", "")).collect();
    let texts: Vec<_> = texts.iter().map(|text| text.replace("s.json#/setup", "")).collect();
    assert_eq!(texts, expected);
    file
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let found = texts(&read(text.as_bytes(), "s.json").expect_err("refused"));
    assert!(found.last().is_some_and(|last| last.contains(expected)), "{found:#?}\nexpected {expected}");
}

#[test]
fn a_setup_that_is_written_and_read_again_is_equal() {
    let setup = full();
    let bytes = json_layout::bytes(&file_of(&setup));
    let (file, found) = read(&bytes, "s.json").expect("readable");
    assert_eq!(texts(&found), [""; 0]);
    assert_eq!(file.to_setup(), setup);
    let written = write(&file);
    let (again, found) = read(&written, "s.json").expect("readable");
    assert_eq!(texts(&found), [""; 0]);
    assert_eq!(again, file);
    assert_eq!(write(&again), written);
    let text = String::from_utf8(written).expect("UTF-8");
    assert!(text.contains("\"margin\": 0.05,"), "numbers have their shortest decimals");
}

#[test]
fn entries_have_their_systems_sections_and_pointers() {
    let (file, _) = read(&json_layout::bytes(&file_of(&full())), "s.json").expect("readable");
    let json = file_of(&full());
    for item in &file.items {
        assert!(json.pointer(&item.pointer).is_some(), "{} is not there", item.pointer);
    }
    let of = |section| file.good(section).map(|(_, item, _)| (item.system, item.pointer.as_str())).collect::<Vec<_>>();
    assert_eq!(of(Section::Pivots), [(0, "/setup/helpers/2")]);
    assert_eq!(of(Section::Nodes), [(0, "/setup/helpers/1")]);
    assert_eq!(of(Section::HighLegs), [(0, "/setup/high_legs/1")]);
    let joints = of(Section::Joints);
    assert_eq!((joints.len(), joints[3]), (2 * SolverKind::ALL.len(), (1, "/setup/chains/2/joints/1")));
    let chain = file.items.iter().find_map(|item| match &item.content {
        Ok(SetupItem::Chain(ChainItem { root, number, chain })) => Some((root.as_str(), *number, chain.joints.len())),
        _ => None,
    });
    assert_eq!(chain, Some(("bone 0", Some(1), 0)));
    let numbers = file.good(Section::Joints).map(|(_, _, item)| match item {
        SetupItem::Joint(JointItem { chain, .. }) => *chain,
        _ => None,
    });
    assert_eq!(numbers.take(3).collect::<Vec<_>>(), [Some(1), Some(1), Some(2)]);
}

#[test]
fn helpers_come_behind_their_parents() {
    let helper = |name: &str, parent: &str| json!({ "name": name, "parent": parent, "local": serde_json::to_value(Trs::IDENTITY).expect("JSON") });
    let helpers = json!({
        "helpers": { "1": helper("c", "b"), "2": helper("b", "a"), "3": helper("a", "Head"), "4": helper("ring", "ring") },
    });
    let file = check_reports(&helpers, &[]);
    let names: Vec<_> = file.good(Section::Nodes).map(|(_, item, _)| item.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "ring"]);
}

#[test]
fn component_lists_are_absent_or_all_there() {
    let systems = json!({ "systems": {
        "0": { "solver": "DynamicBone" },
        "1": { "solver": "DynamicBone", "extras": { "dynamic_bone": {} } },
        "2": { "solver": "DynamicBone", "extras": { "kawaii": {} } },
    } });
    let wrong = "/systems/2/extras: expected lists of DynamicBone; left out";
    let file = check_reports(&systems, &[wrong]);
    let expected = [Extras::None, Extras::empty(SolverKind::DynamicBone), Extras::None];
    let all = |file: &SetupFile| file.to_setup().systems.into_values().map(|system| system.extras).collect::<Vec<_>>();
    assert_eq!(all(&file), expected);
    let (again, _) = read(&write(&file), "s.json").expect("readable");
    assert_eq!(all(&again), expected);
}

#[test]
fn files_of_which_nothing_can_be_used_are_refused_with_the_reason() {
    let head = format!("{{\"format\": \"{NAME}\"");
    check_refused("{", "s.json:1: this is no JSON");
    check_refused("[]", "s.json: this is no setup: expected an object");
    check_refused("{}", "s.json#/format: this is no setup");
    check_refused("{\"format\": 5}", "s.json#/format");
    check_refused(&format!("{head}}}"), "s.json#/version: there is no version, expected 1");
    check_refused(&format!("{head}, \"version\": 7}}"), "s.json#/version: the setup has version 7");
    check_refused(&format!("{head}, \"version\": \"1\"}}"), "s.json#/version: \"1\" is no version");
    check_refused(&format!("{head}, \"version\": 1}}"), "s.json#/setup/systems: the file holds no system");
    check_refused(
        &format!("{head}, \"version\": 1, \"setup\": []}}"),
        "s.json#/setup/systems: the file holds no system",
    );
    let cloth = "{\"systems\": {\"0\": {\"solver\": \"Cloth\"}}}";
    check_refused(
        &format!("{head}, \"version\": 1, \"setup\": {cloth}}}"),
        "s.json#/setup/systems: the file holds no system",
    );
    check_refused(&format!("{head}, \"version\": 1, \"setup\": 1e999}}"), "s.json:1: this is no JSON");
    let deep = format!("{head}, \"version\": 1, \"setup\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check_refused(&deep, "s.json:1: this is no JSON: recursion limit exceeded");
    check_refused(&" ".repeat((LARGEST_MIB << 20) + 1), "is not read");
}

#[test]
fn what_does_not_fit_is_reported_and_the_rest_is_read() {
    let joint = |bone: &str| json!({ "bone": bone, "own": { "hitRadius": 1e300, "dragForce": 3, "nonsense": 1 } });
    let setup = json!({
        "more": 1,
        "gestures": { "1": { "name": "wave", "bone": "Hand", "samples": [] } },
        "materials": { "1": { "name": "Soft", "solver": "EZSoftBone" } },
        "chains": {
            "1": {
                "name": "hair", "system": 0, "material": 4, "groups": [5],
                "values": { "stiffness": { "base": 1, "curve": { "keys": [] } }, "gravityPower": { "base": "x" } },
                "joints": [7, { "own": {} }, joint("a"), { "bone": "b", "tip": { "offset": [0, "Infinity", 0] } }],
            },
            "2": { "name": "lost", "system": 9, "joints": [{ "bone": "c" }] },
            "3": { "name": "empty" },
            "x": { "name": "no number" },
        },
        "colliders": { "1": { "name": "x", "node": "Head", "shape": { "torus": { "radius": 1 } } } },
    });
    let expected = [
        "/more: unknown field `more`, expected one of `systems`, `chains`, `materials`, `helpers`, `colliders`, `groups`, \
         `forces`, `high_legs`, `renderers_off`, `excluded`, `gestures`, `underlays`, `passthrough`; left out",
        "/chains/1/values/stiffness/curve: the curve has no keys, or one that is too large; expected finite keys; \
         left out, its default is used",
        "/chains/1/values/gravityPower/base: invalid value: string \"x\", expected a number, \"Infinity\" or \
         \"-Infinity\"; /setup/chains/1/values/gravityPower is left out",
        "/chains/1/joints/0: invalid type: integer `7`, expected struct Joint; left out",
        "/chains/1/joints/1: missing field `bone`; left out",
        "/chains/1/joints/2/own/hitRadius: invalid value: floating point `1e+300`, expected a number, \"Infinity\" or \
         \"-Infinity\"; left out, its default is used",
        "/chains/x: invalid value: expected key to be a number in quotes; left out",
        "/colliders/1/shape: unknown variant `torus`, expected one of `sphere`, `capsule`, `panel`, `plane`, `tapered`, \
         `box`, `cylinder`; /setup/colliders/1 is left out",
        "/gestures: a setup file does not exchange gestures; 1 ignored",
        "/materials/1: the file has no system of EZSoftBone; left out",
        "/chains/2: there is no system 9; chain \"lost\" is left out",
        "/chains/3: chain \"empty\" has no joint; left out",
        "/chains/1/material: there is no material 4; left out",
        "/chains/1/joints/3/tip/offset: expected finite numbers; left out, its default is used",
        "/chains/1/joints/2/own/dragForce: 3 is beyond 0 to 1",
        "/chains/1/joints/2/own/nonsense: VRM has no such value of joints; left out",
        "/chains/1/groups: collider group 5 is not there; left out",
    ];
    let file = check_reports(&setup, &expected);
    let joints: Vec<_> = file.good(Section::Joints).map(|(_, item, _)| item.pointer.as_str()).collect();
    assert_eq!(joints, ["/setup/chains/1/joints/2", "/setup/chains/1/joints/3"]);
}

#[test]
fn keys_that_appear_twice_are_reported() {
    let text = format!(
        "{{\"format\": \"{NAME}\", \"version\": 1, \"setup\": {{\"systems\": {{\"0\": {{}},\n\"0\": {{\"solver\": \
         \"VRM\"}}}}}}}}"
    );
    let (file, found) = read(text.as_bytes(), "s.json").expect("readable");
    assert_eq!(file.systems[0].solver, SolverKind::Vrm);
    assert_eq!(texts(&found), ["s.json:2#/setup/systems/0: the key \"0\" appears twice; the last one is used"]);
}

#[test]
fn a_file_of_very_many_systems_is_cut_short_and_it_is_reported() {
    let systems: BTreeMap<String, Value> = (0..800).map(|n| (n.to_string(), json!({ "solver": "VRM" }))).collect();
    let expected = "/systems/64: the file has 800 systems, more than 64; from here on they are left out";
    let file = check_reports(&json!({ "systems": systems }), &[expected]);
    assert_eq!(file.systems.len(), 64);
}

#[test]
fn whatever_stands_in_the_place_of_a_value_is_used_or_reported() {
    let mut setup = full();
    // Parameters are alike: few of them are enough, and the reading of each file is faster.
    setup.chains.retain(|id, _| id.0 == 2);
    setup.colliders.retain(|id, _| id.0 < 3);
    for system in setup.systems.values_mut() {
        system.values = std::mem::take(&mut system.values).into_iter().take(2).collect();
    }
    let whole = file_of(&setup);
    let mut places = Vec::new();
    leaves(&whole["setup"], "/setup".to_owned(), &mut places);
    assert!(places.len() > 200, "{}", places.len());
    let mut count = 0;
    places.retain(|place| {
        count += 1;
        !(place.contains("/values/") || place.contains("/own/")) || count % 100 == 0
    });
    for place in places {
        for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
            let mut damaged = whole.clone();
            *damaged.pointer_mut(&place).expect("it is there") = other.clone();
            match read(damaged.to_string().as_bytes(), "s.json") {
                Ok((file, found)) => {
                    let is_name = other.is_string() && file.to_setup() != setup;
                    let is_default = other.is_null() && found.is_empty();
                    assert!(!found.is_empty() || is_name || is_default, "{place} = {other} was taken silently");
                }
                Err(found) => assert!(!found.is_empty()),
            }
        }
    }
}

/// Pointers of all values that hold no others.
fn leaves(value: &Value, at: String, all: &mut Vec<String>) {
    let part = |key: &String| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, v)| leaves(v, format!("{at}/{}", part(key)), all)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| leaves(value, format!("{at}/{n}"), all)),
        _ => all.push(at),
    }
}

#[test]
fn no_file_ends_the_program_wherever_it_is_cut_or_damaged() {
    let mut setup = full();
    setup.systems.retain(|id, _| id.0 < 2);
    setup.chains.retain(|id, _| id.0 < 3);
    let whole = json_layout::bytes(&file_of(&setup));
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
