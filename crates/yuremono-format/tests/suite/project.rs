//! Tests that a saved project loads unchanged.

use crate::support::cases;
use crate::support::random_documents::{
    any_edit_seeds, edited_document, edited_document_with_solver, plain_skeleton, skeleton_with_names,
};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{
    Chain, ChainId, ChainPart, ComponentLists, Document, DragReach, Gesture, GestureId, GestureSample, Helper,
    HelperId, HelperRole, Joint, Node, System,
};
use yuremono_sim::SolverKind;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Skeleton};
use yuremono_sim::solver::spring_bone::{RADIUS, STIFFNESS};

#[track_caller]
fn check_round_trip(document: &Document, skeleton: &Skeleton) {
    let bytes = project::write(document, skeleton, &ProjectMetadata::default());
    let (project, found) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(found, []);
    let (again, found) = project.into_document(skeleton);
    assert_eq!(found, []);
    assert_eq!(&again, document);
    assert_eq!(project::write(&again, skeleton, &ProjectMetadata::default()), bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(cases(50)) })]

    #[test]
    fn any_document_survives_saving_and_loading(dice in any_edit_seeds(60)) {
        let skeleton = plain_skeleton();
        check_round_trip(&edited_document(&dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_document_with_any_solver_survives_saving_and_loading(dice in any_edit_seeds(60), solver in 0..SolverKind::ALL.len()) {
        let skeleton = plain_skeleton();
        check_round_trip(&edited_document_with_solver(SolverKind::ALL[solver], &dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_document_with_materials_survives_saving_and_loading(dice in any_edit_seeds(60)) {
        let skeleton = plain_skeleton();
        check_round_trip(&edited_document_with_solver(SolverKind::EzSoftBone, &dice, &skeleton), &skeleton);
    }

    #[test]
    fn bones_with_the_same_name_are_not_confused(dice in any_edit_seeds(60)) {
        let skeleton = skeleton_with_names(|i| ["a", "b/c", ""][i % 3].to_owned());
        check_round_trip(&edited_document(&dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_damaged_file_does_not_panic(dice in any_edit_seeds(30), at: usize, with: u8) {
        let skeleton = plain_skeleton();
        let mut bytes = project::write(&edited_document(&dice, &skeleton), &skeleton, &ProjectMetadata::default());
        let at = at % bytes.len();
        bytes[at] = with;
        if let Ok((project, _)) = project::read(&bytes, "a.yure") {
            let _ = project.into_document(&skeleton);
        }
        let _ = project::read(&bytes[..at], "a.yure");
    }
}

fn document_with_one_chain() -> Document {
    let mut document = Document::default();
    let mut joint: Joint = Joint::new(BoneId(3));
    joint.overrides.insert(STIFFNESS, f32::INFINITY);
    let chain =
        Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), vec![Joint::new(BoneId(2)), joint]);
    document.chains.insert(ChainId(1), chain);
    document
}

fn saved_json(document: &Document) -> Value {
    serde_json::from_slice(&project::write(document, &plain_skeleton(), &ProjectMetadata::default())).expect("JSON")
}

fn load_json(json: &Value, skeleton: &Skeleton) -> (Document, Vec<String>) {
    let (project, _) = project::read(json.to_string().as_bytes(), "a.yure").expect("readable");
    let (document, found) = project.into_document(skeleton);
    (document, found.iter().map(ToString::to_string).collect())
}

#[test]
fn the_file_contains_bone_paths_and_param_names_and_keeps_infinity() {
    let json = saved_json(&document_with_one_chain());
    assert_eq!(json["yuremono"], 2);
    let chain = &json["setup"]["chains"]["1"];
    assert_eq!(chain["joints"][1]["bone"], "bone 0/bone 1/bone 2/bone 3");
    assert_eq!(chain["joints"][1]["overrides"], json!({"stiffnessForce": "Infinity"}));
    assert_eq!(chain["values"]["radius"], json!({"base": 0.05}));
}

#[test]
fn a_gesture_is_written_on_one_line_with_seven_numbers_per_sample() {
    let mut document = document_with_one_chain();
    let sample = GestureSample { offset: Vec3::new(0.1, 0.0, -0.25), rotation: Quat::IDENTITY };
    let gesture = Gesture {
        name: "drag".to_owned(),
        bone: BoneId(2),
        reach: DragReach::WholeBody,
        samples: vec![sample; 600],
        wind: None,
    };
    document.gestures.insert(GestureId(1), gesture);
    let bytes = project::write(&document, &plain_skeleton(), &ProjectMetadata::default());
    let text = String::from_utf8(bytes).expect("UTF-8");
    let line = text.lines().find(|line| line.contains("samples")).expect("a line");
    assert!(line.contains("[[0.1, 0.0, -0.25, 0.0, 0.0, 0.0, 1.0], [0.1"), "{}", &line[..100]);
    assert!(line.len() < 600 * 45 && line.ends_with(']'), "{}", line.len());
    check_round_trip(&document, &plain_skeleton());
}

#[track_caller]
fn check_rejected(text: &str, expected: &str) {
    let found = project::read(text.as_bytes(), "a.yure").expect_err("unreadable");
    assert_eq!(found[0].to_string(), expected);
}

#[test]
fn other_files_and_newer_versions_are_rejected_with_a_reason() {
    let newer = "a.yure: the project has version 7; this Yuremono reads up to 2. Open it with a newer Yuremono";
    check_rejected("{\"yuremono\": 7, \"chains\": 3}", newer);
    check_rejected("{\"asset\": {}}", "a.yure: this is not a project: there is no \"yuremono\" with a version");
    check_rejected("[1]", "a.yure: this is not a project: expected an object");
    check_rejected("{\"yuremono\": \"x\"}", "a.yure: the project has version \"x\"; expected 2");
    check_rejected("{\"yuremono\": 1}", "a.yure: the project has version 1; expected 2");
    check_rejected("{\n\"yuremono\"", "a.yure:2: this is not JSON: EOF while parsing an object at line 2 column 10");
}

#[test]
fn metadata_and_unknown_fields_survive_saving_and_loading() {
    let around = ProjectMetadata {
        character_path: "models/girl.vrm".to_owned(),
        character_name: "少女".to_owned(),
        motions: vec!["motions/歩く.vrma".to_owned(), "../Run.glb".to_owned()],
        view: json!({"camera": [1, 2.5, 3]}),
        unknown_fields: serde_json::Map::from_iter([("later".to_owned(), json!([1, {"a": null}]))]),
    };
    let bytes = project::write(&document_with_one_chain(), &plain_skeleton(), &around);
    let (project, found) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(project.metadata, around);
    assert_eq!(found[0].to_string(), "a.yure: unknown fields are kept: later");
}

#[test]
fn motions_are_deduplicated_and_limited_in_number() {
    let mut json = saved_json(&document_with_one_chain());
    let names = (0..400).map(|n| format!("{n}.vrma"));
    json["motions"] = names.clone().chain(names.clone()).collect();
    let (project, found) = project::read(json.to_string().as_bytes(), "a.yure").expect("readable");
    assert_eq!(project.metadata.motions, names.take(256).collect::<Vec<_>>());
    let reported: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(reported, ["a.yure#/motions: 400 motions; at most 256 are loaded. Further motions are left out"]);
}

#[test]
fn bones_are_found_by_path_then_by_name_and_missing_ones_are_reported() {
    let json = saved_json(&document_with_one_chain());
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    let moved = Skeleton::new(vec![bone("root", None), bone("bone 3", Some(BoneId(0)))]).expect("ordered");
    let (document, found) = load_json(&json, &moved);
    let joints = &document.chains[&ChainId(1)].joints;
    let lost = document.missing_bones_in_use();
    assert_eq!(lost.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["bone 2"]);
    assert_eq!(joints.iter().map(|j| j.bone).collect::<Vec<_>>(), [lost[0].0, BoneId(1)]);
    assert_eq!(
        found,
        [
            "a.yure#/setup/chains/1/joints/0/bone: bone \"bone 2\" is not on this character; its settings are kept",
            "a.yure#/setup/chains/1/joints/1/bone: bone \"bone 3\" has another parent on this character; used by its name",
        ]
    );
}

#[test]
fn values_on_missing_bones_are_saved_and_restored_with_the_bones() {
    let written = |document: &Document, skeleton: &Skeleton| {
        String::from_utf8(project::write(document, skeleton, &ProjectMetadata::default())).expect("JSON is UTF-8")
    };
    let read = |text: &str, skeleton: &Skeleton| {
        project::read(text.as_bytes(), "a.yure").expect("readable").0.into_document(skeleton)
    };
    let before = written(&document_with_one_chain(), &plain_skeleton());
    for other in [Skeleton::default(), skeleton_with_names(|i| format!("other {i}"))] {
        let (document, found) = read(&before, &other);
        assert_eq!((document.missing_bones_in_use().len(), found.len()), (2, 2));
        assert_eq!(written(&document, &other), before);
        let (again, _) = read(&before, &other);
        assert_eq!(again, document);
    }
    let (back, found) = read(&before, &plain_skeleton());
    assert_eq!((back, found), (document_with_one_chain(), Vec::new()));
}

#[test]
fn params_are_read_by_name_and_unknown_ones_are_reported() {
    let mut json = saved_json(&document_with_one_chain());
    json["setup"]["chains"]["1"]["values"] = json!({"dampness": {"base": 1}, "radius": {"base": 2}});
    let (document, found) = load_json(&json, &plain_skeleton());
    assert_eq!(document.chains[&ChainId(1)].values[RADIUS.index()].base, 2.0);
    assert_eq!(found, ["a.yure#/setup/chains/1/values: parameter \"dampness\" is not known; left out"]);
}

#[test]
fn entries_that_no_edit_could_create_are_skipped() {
    let mut document = document_with_one_chain();
    let helper =
        Helper { name: "p".to_owned(), parent: Node::Bone(BoneId(0)), local: Trs::IDENTITY, role: HelperRole::Plain };
    document.helpers.insert(HelperId(1), helper.clone());
    document.helpers.insert(HelperId(2), helper);
    let mut json = saved_json(&document);
    let setup = &mut json["setup"];
    setup["helpers"]["1"]["parent"] = json!({"helper": 1});
    setup["helpers"]["2"]["local"]["translation"][1] = json!(1e30);
    setup["chains"]["1"]["joints"][0]["pivot"] = json!({"helper": 1});
    setup["chains"]["1"]["joints"][0]["colliders"] = json!([5]);
    setup["chains"]["2"] = setup["chains"]["1"].clone();
    setup["chains"]["2"]["joints"][0] = json!({"bone": "bone 0/bone 1/bone 2/bone 3"});
    let (document, found) = load_json(&json, &plain_skeleton());
    assert!(document.helpers.is_empty());
    assert_eq!(document.chains.keys().copied().collect::<Vec<_>>(), [ChainId(1)]);
    assert_eq!(
        found,
        [
            "a.yure#/setup/helpers/2: \"p\" has a value that is not a number or that is far too large; left out",
            "a.yure#/setup/helpers/1/parent: helper 1 does not exist; left out",
            "a.yure#/setup/chains/1/joints/0/pivot: helper 1 does not exist; left out",
            "a.yure#/setup/chains/1/joints/0/colliders: collider 5 does not exist; left out",
            "a.yure#/setup/chains/2: chain \"hair\" has no joint, has a bone twice, or has a value that is not a number; left out",
        ]
    );
}

#[test]
fn helpers_can_have_greater_ids_than_their_children() {
    let helper = |parent| Helper { name: "h".to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Plain };
    let mut document = document_with_one_chain();
    let parents = [Node::Helper(HelperId(3)), Node::Helper(HelperId(1)), Node::Bone(BoneId(0))];
    document.helpers = (1..).map(HelperId).zip(parents.map(helper)).collect();
    check_round_trip(&document, &plain_skeleton());
}

#[test]
fn ids_beyond_the_maximum_are_skipped() {
    let mut json = saved_json(&document_with_one_chain());
    let chain = json["setup"]["chains"]["1"].take();
    let ball = json!({"name": "ball", "node": {"bone": "bone 0"}, "shape": {"sphere": {"radius": 1}}});
    json["setup"]["chains"] = json!({"4294967295": chain});
    json["setup"]["colliders"] = json!({"4294967295": ball, "3": ball});
    let (document, found) = load_json(&json, &plain_skeleton());
    assert_eq!(
        found,
        [
            "a.yure#/setup/colliders/4294967295: the id is greater than 1073741824; left out",
            "a.yure#/setup/chains/4294967295: the id is greater than 1073741824; left out",
        ]
    );
    assert_eq!((document.next_chain_id().0, document.next_collider_id().0), (1, 4));
}

#[test]
fn a_duplicate_key_is_reported_and_the_last_one_is_used() {
    let text = json!({ "yuremono": 2, "character": { "path": "a.vrm" }, "setup": { "systems": {
        "0": { "solver": "VRM", "name": "first", "values": { "gravity y": -3 } },
        "second": { "solver": "VRM", "name": "second" },
    } } });
    let text = serde_json::to_string_pretty(&text).expect("JSON").replace("\"second\": {", "\"0\": {");
    let (project, found) = project::read(text.as_bytes(), "a.yure").expect("readable");
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["a.yure:15#/setup/systems/0: the key \"0\" appears twice; the last one is used"]);
    let (document, _) = project.into_document(&plain_skeleton());
    assert_eq!(document.systems.len(), 1);
    assert_eq!(document.main_system(), &System { name: "second".to_owned(), ..System::with_solver(SolverKind::Vrm) });
}

#[test]
fn a_system_with_an_unknown_solver_is_read_with_the_default_solver() {
    let mut json = saved_json(&document_with_one_chain());
    json["setup"]["systems"]["0"] = json!({ "solver": "SomethingElse", "values": { "x": 1 } });
    let (project, found) = project::read(json.to_string().as_bytes(), "a.yure").expect("readable");
    let place = "a.yure:1#/setup/systems/0/solver: unknown variant `SomethingElse`, expected one of ";
    assert!(found.len() == 1 && found[0].to_string().starts_with(place), "{found:?}");
    let (document, found) = project.into_document(&plain_skeleton());
    assert_eq!(document, document_with_one_chain());
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["a.yure#/setup/systems/0/values: parameter \"x\" is not known; left out"]);
}

/// Returns a project with a chain, two helpers and a collider, as JSON that a test can change to invalid values.
fn project_json() -> Value {
    let local = json!({ "translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 1.0] });
    json!({
        "yuremono": 2,
        "character": { "path": "a.vrm", "name": "a" },
        "setup": {
            "systems": { "0": { "solver": "UnityChanSpringBone", "values": { "dynamicRatio": 0.25 } } },
            "chains": {
                "1": {
                    "name": "first", "part": "hair", "curve_domain": "length",
                    "values": { "stiffnessForce": { "base": 0.5 }, "radius": { "base": 0.2 } },
                    "joints": [{ "bone": "a/b", "overrides": { "dragForce": 0.5 } }],
                },
            },
            "helpers": {
                "1": { "name": "h", "parent": { "bone": "a" }, "local": local },
                "2": { "name": "i", "parent": { "bone": "a" }, "local": local },
            },
            "colliders": { "1": { "name": "c", "node": { "helper": 2 }, "shape": { "sphere": { "radius": 0.5 } } } },
            "excluded_bones": ["a"],
        },
    })
}

/// Replaces the values at these pointers and reads the project.
#[track_caller]
fn load_with_replaced_values(spoil: &[(&str, Value)]) -> (Document, Vec<String>) {
    let mut json = project_json();
    for (pointer, bad) in spoil {
        *json.pointer_mut(pointer).expect("a value to replace") = bad.clone();
    }
    let bytes = serde_json::to_vec_pretty(&json).expect("JSON");
    let (project, found) = project::read(&bytes, "a.yure").expect("the project is readable");
    let (document, more) = project.into_document(&two_bones());
    (document, found.iter().chain(&more).map(ToString::to_string).collect())
}

/// Returns a skeleton with the bones a and b of [`project_json`].
fn two_bones() -> Skeleton {
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    Skeleton::new(vec![bone("a", None), bone("b", Some(BoneId(0)))]).expect("parents first")
}

/// Returns the line number of a diagnostic's location.
#[track_caller]
fn line_of(found: &str) -> u64 {
    found.split_once(':').and_then(|(_, rest)| rest.split('#').next()?.parse().ok()).expect("a line")
}

#[test]
fn an_invalid_value_is_reported_with_its_line_and_its_default_is_used() {
    let (whole, found) = load_with_replaced_values(&[]);
    assert_eq!(found, Vec::<String>::new());
    let (document, found) = load_with_replaced_values(&[("/setup/chains/1/values/stiffnessForce/base", json!("abc"))]);
    let [found] = found.as_slice() else { panic!("{found:?}") };
    let expected = "#/setup/chains/1/values/stiffnessForce/base: invalid value: string \"abc\", \
                    expected a number, \"Infinity\" or \"-Infinity\"; /setup/chains/1/values/stiffnessForce is left out";
    assert!(found.starts_with("a.yure:") && found.ends_with(expected), "{found}");
    assert!(line_of(found) > 10);
    let mut changed = whole.clone();
    let chain = changed.chains.get_mut(&ChainId(1)).expect("there");
    chain.values[STIFFNESS.index()].base = default_stiffness();
    assert_eq!(document, changed, "nothing else differs");
}

fn default_stiffness() -> f32 {
    SolverKind::UnityChanSpringBone.info().params[STIFFNESS.index()].default
}

#[test]
fn no_invalid_value_makes_a_project_unreadable() {
    for (pointer, bad, says) in [
        ("/setup/systems/0/values/dynamicRatio", json!("abc"), "left out, its default is used"),
        ("/setup/systems/0/solver", json!(7), "left out, its default is used"),
        ("/setup/chains/1/joints/0/overrides/dragForce", json!([1]), "left out, its default is used"),
        ("/setup/chains/1/joints/0/overrides/dragForce", json!(1e300), "left out, its default is used"),
        ("/setup/chains/1/values/radius/base", json!("NaN"), "/setup/chains/1/values/radius is left out"),
        ("/setup/chains/1/joints/0/bone", json!(7), "/setup/chains/1/joints/0 is left out"),
        ("/setup/chains/1/name", json!(-1), "/setup/chains/1 is left out"),
        ("/setup/chains/1/part", json!("wing"), "left out, its default is used"),
        ("/setup/helpers/1/local/translation/1", json!("up"), "/setup/helpers/1 is left out"),
        ("/setup/helpers/1/local/scale", json!({}), "/setup/helpers/1 is left out"),
        ("/setup/helpers/1/parent/bone", json!(7), "/setup/helpers/1 is left out"),
        ("/setup/colliders/1/shape/sphere/radius", json!(null), "/setup/colliders/1 is left out"),
        ("/setup/colliders/1/shape", json!({"blob": {}}), "/setup/colliders/1 is left out"),
        ("/setup/excluded_bones/0", json!(7), "; left out"),
        ("/setup/chains", json!([1]), "left out, its default is used"),
    ] {
        let (_, found) = load_with_replaced_values(&[(pointer, bad)]);
        let place = format!("#{pointer}: ");
        let first = found.iter().find(|found| found.contains(&place)).unwrap_or_else(|| panic!("{pointer}: {found:?}"));
        assert!(first.contains(says), "{first}");
        assert!(line_of(first) > 1, "{first}");
    }
}

#[test]
fn unknown_setup_fields_are_reported_with_their_location_and_the_rest_is_used() {
    let (whole, _) = load_with_replaced_values(&[]);
    for object in ["/setup", "/setup/chains/1", "/setup/chains/1/joints/0", "/setup/colliders/1/shape/sphere"] {
        let mut json = project_json();
        json.pointer_mut(object).and_then(Value::as_object_mut).expect("an object").insert("colour".into(), json!(1));
        let bytes = serde_json::to_vec_pretty(&json).expect("JSON");
        let (project, found) = project::read(&bytes, "a.yure").expect("readable");
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        let [found] = found.as_slice() else { panic!("{object}: {found:?}") };
        let expected = format!("#{object}/colour: unknown field `colour`, expected ");
        assert!(found.contains(&expected) && found.ends_with("; left out") && line_of(found) > 1, "{found}");
        assert_eq!(project.into_document(&two_bones()).0, whole);
    }
}

#[test]
fn reported_locations_count_skipped_entries() {
    let joints = json!([{ "bone": 1 }, { "bone": 2 }, { "bone": "a/b", "pivot": { "helper": 9 } }]);
    let (document, found) = load_with_replaced_values(&[("/setup/chains/1/joints", joints)]);
    assert_eq!(document.chains[&ChainId(1)].joints.len(), 1);
    for place in ["0/bone: invalid type", "1/bone: invalid type", "2/pivot: helper 9 does not exist"] {
        let place = format!("#/setup/chains/1/joints/{place}");
        assert_eq!(found.iter().filter(|found| found.contains(&place)).count(), 1, "{place}: {found:?}");
    }
}

#[test]
fn a_project_without_a_character_path_is_rejected_with_the_location() {
    let mut json = project_json();
    json["character"]["path"] = json!(null);
    let refused = project::read(&serde_json::to_vec_pretty(&json).expect("JSON"), "a.yure").expect_err("no path");
    let text = refused[0].to_string();
    assert!(text.contains("#/character/path: ") && text.contains("cannot be read without"), "{text}");
}

#[test]
fn an_invalid_list_entry_is_skipped_and_lists_of_another_solver_are_reported() {
    let link = |bones: Value| json!({ "bones": bones, "subdivided": true });
    let good = link(json!([{ "bone": "a" }, { "bone": "a/b" }]));
    let lists = json!({ "constraints": [link(json!([{ "bone": "a" }])), good, link(json!([{ "helper": 9 }, { "bone": "a" }]))] });
    let kawaii = json!({ "solver": "KawaiiPhysics", "component_lists": { "kawaii": lists } });
    let (document, found) = load_with_replaced_values(&[("/setup/systems/0", kawaii)]);
    let ComponentLists::Kawaii(own) = &document.main_system().component_lists else {
        panic!("{:?}", document.main_system())
    };
    assert_eq!(own.constraints.len(), 1);
    for reported in [
        "/component_lists/kawaii/constraints/0/bones: invalid length 1",
        "/component_lists: helper 9 does not exist; left out",
    ] {
        assert!(
            found.iter().any(|found| found.contains(&format!("#/setup/systems/0{reported}"))),
            "{reported}: {found:?}"
        );
    }
    let other =
        json!({ "solver": "KawaiiPhysics", "component_lists": { "dynamic_bone": { "reference": { "bone": "a" } } } });
    let (document, found) = load_with_replaced_values(&[("/setup/systems/0", other)]);
    assert!(document.main_system().component_lists.is_empty());
    let reported = "#/setup/systems/0/component_lists: expected lists of KawaiiPhysics without numbers that are too large; left out";
    assert!(found.iter().any(|found| found.ends_with(reported)), "{found:?}");
}

#[test]
fn former_wind_names_of_kawaii_physics_are_migrated() {
    let read = |system: Value| {
        let systems = json!({ "0": { "solver": "KawaiiPhysics", "values": system } });
        let json = json!({ "yuremono": 2, "character": { "path": "a.vrm" }, "setup": { "systems": systems } });
        let (project, _) = project::read(&serde_json::to_vec(&json).expect("JSON"), "a.yure").expect("readable");
        let (document, found) = project.into_document(&plain_skeleton());
        assert_eq!(found, []);
        document
    };
    let today = read(json!({ "ProceduralWind.ConstantForce": 2.0, "ProceduralWind.StrengthCyclePeriod": 4.0 }));
    let before = read(json!({ "ProceduralWind.SteadyForce": 2.0, "ProceduralWind.EnvelopeFrequency": 0.25 }));
    assert_eq!(today, before);
    assert_eq!(today.main_system().get(yuremono_sim::solver::kawaii::params::STRENGTH_CYCLE_PERIOD), 4.0);
}
