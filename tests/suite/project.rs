//! What is saved comes back.

use crate::documents::{after, after_under, any_dice, plain, skeleton};
use proptest::prelude::*;
use serde_json::{Value, json};
use yuremono::doc::{Chain, ChainId, Document, Helper, HelperId, HelperRole, Joint, Node, Part, System};
use yuremono::format::project::{self, Surroundings};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Skeleton};
use yuremono::schema::{SolverKind, find_row};
use yuremono::sim::solver::spring_bone::{RADIUS, STIFFNESS};

#[track_caller]
fn check_round_trip(document: &Document, skeleton: &Skeleton) {
    let bytes = project::write(document, skeleton, &Surroundings::default());
    let (project, found) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(found, []);
    let (again, found) = project.into_document(skeleton);
    assert_eq!(found, []);
    assert_eq!(&again, document);
    assert_eq!(project::write(&again, skeleton, &Surroundings::default()), bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_document_is_the_same_after_two_hundred_sequences_of_edits(dice in any_dice(60)) {
        let skeleton = plain();
        check_round_trip(&after(&dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_document_under_vrm_is_the_same_too(dice in any_dice(60)) {
        let skeleton = plain();
        check_round_trip(&after_under(SolverKind::Vrm, &dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_document_whose_chains_share_materials_is_the_same_too(dice in any_dice(60)) {
        let skeleton = plain();
        check_round_trip(&after_under(SolverKind::EzSoftBone, &dice, &skeleton), &skeleton);
    }

    #[test]
    fn bones_with_the_same_name_stay_apart(dice in any_dice(60)) {
        let skeleton = skeleton(|i| ["a", "b/c", ""][i % 3].to_owned());
        check_round_trip(&after(&dice, &skeleton), &skeleton);
    }

    #[test]
    fn a_spoilt_file_never_panics(dice in any_dice(30), at: usize, with: u8) {
        let skeleton = plain();
        let mut bytes = project::write(&after(&dice, &skeleton), &skeleton, &Surroundings::default());
        let at = at % bytes.len();
        bytes[at] = with;
        if let Ok((project, _)) = project::read(&bytes, "a.yure") {
            let _ = project.into_document(&skeleton);
        }
        let _ = project::read(&bytes[..at], "a.yure");
    }
}

fn one_chain() -> Document {
    let mut document = Document::default();
    let mut joint: Joint = Joint::new(BoneId(3));
    joint.own.insert(STIFFNESS, f32::INFINITY);
    let chain = Chain::new("hair", Part::Hair, document.main().table(), vec![Joint::new(BoneId(2)), joint]);
    document.chains.insert(ChainId(1), chain);
    document
}

fn saved(document: &Document) -> Value {
    serde_json::from_slice(&project::write(document, &plain(), &Surroundings::default())).expect("JSON")
}

fn load(json: &Value, skeleton: &Skeleton) -> (Document, Vec<String>) {
    let (project, _) = project::read(json.to_string().as_bytes(), "a.yure").expect("readable");
    let (document, found) = project.into_document(skeleton);
    (document, found.iter().map(ToString::to_string).collect())
}

#[test]
fn the_file_speaks_of_names_and_keeps_infinity() {
    let json = saved(&one_chain());
    assert_eq!(json["yuremono"], 1);
    assert_eq!(json["bones"][1], json!({"name": "bone 3", "above": ["bone 0", "bone 1", "bone 2"]}));
    assert_eq!(json["chains"][0]["joints"][1]["own"], json!({"stiffnessForce": "Infinity"}));
    assert_eq!(json["chains"][0]["values"]["radius"], json!({"base": 0.05}));
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let found = project::read(text.as_bytes(), "a.yure").expect_err("unreadable");
    assert_eq!(found[0].to_string(), expected);
}

#[test]
fn other_files_and_newer_versions_are_refused_in_words() {
    let newer = "a.yure: the project has version 7, this Yuremono reads up to 1; a newer one made it";
    check_refused("{\"yuremono\": 7, \"chains\": 3}", newer);
    check_refused("{\"asset\": {}}", "a.yure: this is no project: there is no \"yuremono\" with a version");
    check_refused("[1]", "a.yure: this is no project: expected an object");
    check_refused("{\"yuremono\": \"x\"}", "a.yure: the project has version \"x\", expected 1");
    check_refused("{\n\"yuremono\"", "a.yure:2: this is no JSON: EOF while parsing an object at line 2 column 10");
}

#[test]
fn surroundings_and_unknown_fields_come_back() {
    let around = Surroundings {
        character_path: "models/girl.vrm".to_owned(),
        character_name: "少女".to_owned(),
        motions: vec!["motions/歩く.vrma".to_owned(), "../Run.glb".to_owned()],
        view: json!({"camera": [1, 2.5, 3]}),
        unknown: serde_json::Map::from_iter([("later".to_owned(), json!([1, {"a": null}]))]),
    };
    let bytes = project::write(&one_chain(), &plain(), &around);
    let (project, found) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(project.surroundings, around);
    assert_eq!(found[0].to_string(), "a.yure: fields that are not known are kept: later");
}

#[test]
fn bones_are_found_by_path_then_by_name_and_lost_ones_are_told() {
    let json = saved(&one_chain());
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    let moved = Skeleton::new(vec![bone("root", None), bone("bone 3", Some(BoneId(0)))]).expect("ordered");
    let (document, found) = load(&json, &moved);
    let joints = &document.chains[&ChainId(1)].joints;
    let lost = document.lost_in_use();
    assert_eq!(lost.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["bone 2"]);
    assert_eq!(joints.iter().map(|j| j.bone).collect::<Vec<_>>(), [lost[0].0, BoneId(1)]);
    assert_eq!(
        found,
        [
            "a.yure#/bones/0: bone \"bone 2\" is not on this character; what was set on it is kept",
            "a.yure#/bones/1: bone \"bone 3\" hangs elsewhere on this character; used by its name",
        ]
    );
}

#[test]
fn what_was_set_on_lost_bones_is_saved_and_comes_back_with_them() {
    let written = |document: &Document, skeleton: &Skeleton| {
        String::from_utf8(project::write(document, skeleton, &Surroundings::default())).expect("JSON is UTF-8")
    };
    let read = |text: &str, skeleton: &Skeleton| {
        project::read(text.as_bytes(), "a.yure").expect("readable").0.into_document(skeleton)
    };
    let before = written(&one_chain(), &plain());
    for other in [Skeleton::default(), skeleton(|i| format!("other {i}"))] {
        let (document, found) = read(&before, &other);
        assert_eq!((document.lost_in_use().len(), found.len()), (2, 2));
        assert_eq!(written(&document, &other), before);
        let (again, _) = read(&before, &other);
        assert_eq!(again, document);
    }
    let (back, found) = read(&before, &plain());
    assert_eq!((back, found), (one_chain(), Vec::new()));
}

#[test]
fn parameters_go_by_name_and_strange_ones_are_told() {
    let mut json = saved(&one_chain());
    json["chains"][0]["values"] = json!({"dampness": {"base": 1}, "radius": {"base": 2}});
    let (document, found) = load(&json, &plain());
    assert_eq!(document.chains[&ChainId(1)].values[RADIUS.index()].base, 2.0);
    assert_eq!(found, ["a.yure#/chains/0: parameter \"dampness\" is not known; left out"]);
}

#[test]
fn what_a_file_may_not_say_is_left_out() {
    let mut document = one_chain();
    let helper =
        Helper { name: "p".to_owned(), parent: Node::Bone(BoneId(0)), local: Trs::IDENTITY, role: HelperRole::Plain };
    document.helpers.insert(HelperId(1), helper);
    let mut json = saved(&document);
    json["helpers"][0]["parent"] = json!({"helper": 1});
    json["chains"][0]["joints"][0]["pivot"] = json!({"helper": 1});
    json["chains"][0]["joints"][0]["bone"] = json!(99);
    json["chains"][0]["values"]["radius"]["base"] = json!("NaN");
    let (document, found) = load(&json, &plain());
    assert!(document.helpers.is_empty() && document.chains.is_empty());
    assert_eq!(
        found,
        [
            "a.yure#/helpers/0: left out: its parent is missing",
            "a.yure#/chains/0/joints/0: there is no bone 99 in the file's list of 3",
            "a.yure#/chains/0: left out: chain \"hair\" is not well formed",
        ]
    );
}

#[test]
fn ids_that_leave_no_room_to_count_on_or_stand_twice_are_left_out() {
    let mut json = saved(&one_chain());
    json["chains"][0]["id"] = json!(u32::MAX);
    let node = json!({"bone": 0});
    let ball = |id: u32| json!({"id": id, "name": "ball", "node": node, "shape": {"sphere": {"radius": 1}}});
    json["colliders"] = json!([ball(u32::MAX), ball(3), ball(3)]);
    let (document, found) = load(&json, &plain());
    assert_eq!(
        found,
        [
            "a.yure#/colliders/0: left out: the id 4294967295 is beyond 1073741824",
            "a.yure#/colliders/2: left out: a second one with the id 3",
            "a.yure#/chains/0: left out: the id 4294967295 is beyond 1073741824",
        ]
    );
    assert_eq!((document.fresh_chain().0, document.fresh_collider().0), (1, 4));
}

#[test]
fn a_second_system_with_an_id_that_is_taken_leaves_the_first_as_it_is() {
    let mut document = one_chain();
    document.setup.systems.insert(document.fresh_system(), System::under(SolverKind::Vrm));
    let mut json = saved(&document);
    json["systems"][0]["values"]["gravity y"] = json!(-3);
    let first = load(&json, &plain()).0.main().clone();
    assert_eq!(first.get(find_row(first.table(), "gravity y").expect("a row")), -3.0);
    let mut second = json["systems"][0].clone();
    second["values"]["gravity y"] = json!(-99);
    second["component"] = json!({"bone": 0});
    let stranger = json!({"id": 0, "name": "", "solver": "SomethingElse", "values": {}, "component": {"bone": 0}});
    let systems = json["systems"].as_array_mut().expect("a list");
    systems.extend([second, stranger]);
    let (document, found) = load(&json, &plain());
    assert_eq!(document.main(), &first);
    assert_eq!(
        found,
        [
            "a.yure#/systems/2: left out: a second one with the id 0",
            "a.yure#/systems/3: left out: a second one with the id 0",
        ]
    );
}

#[test]
fn a_system_of_an_unknown_solver_gives_nothing_to_the_one_that_stands_in() {
    let mut json = saved(&one_chain());
    let system = json!({"id": 0, "name": "", "solver": "SomethingElse", "values": {}, "component": {"bone": 0}});
    json["systems"] = json!([system]);
    let (document, found) = load(&json, &plain());
    assert_eq!(document.main().component, None);
    assert_eq!(found, ["a.yure#/systems/0: solver \"SomethingElse\" is not known; left out"]);
}

/// A project with two chains, a helper and a collider, as JSON that a test can spoil.
fn project() -> Value {
    let number = json!([0.0, 0.0, 0.0]);
    json!({
        "yuremono": 1,
        "character": { "path": "a.vrm", "name": "a" },
        "solver": "UnityChanSpringBone",
        "bones": [{ "name": "a" }, { "name": "b", "above": ["a"] }],
        "system": { "dynamicRatio": 0.25 },
        "chains": [
            { "id": 1, "name": "first", "part": "hair", "along": "length",
              "values": { "stiffnessForce": { "base": 0.5 }, "radius": { "base": 0.2 } },
              "joints": [{ "bone": 1, "own": { "dragForce": 0.5 } }] },
        ],
        "helpers": [
            { "id": 1, "name": "h", "parent": { "bone": 0 }, "translation": number, "rotation": [0.0, 0.0, 0.0, 1.0],
              "scale": [1.0, 1.0, 1.0] },
            { "id": 2, "name": "i", "parent": { "bone": 0 }, "translation": number, "rotation": [0.0, 0.0, 0.0, 1.0],
              "scale": [1.0, 1.0, 1.0] },
        ],
        "colliders": [{ "id": 1, "name": "c", "node": { "helper": 2 }, "shape": { "sphere": { "radius": 0.5 } } }],
        "excluded": [0],
    })
}

/// Puts `bad` at a pointer and reads the project.
#[track_caller]
fn spoilt(spoil: &[(&str, Value)]) -> (Document, Vec<String>) {
    let mut json = project();
    for (pointer, bad) in spoil {
        *json.pointer_mut(pointer).expect("a value to spoil") = bad.clone();
    }
    let bytes = serde_json::to_vec_pretty(&json).expect("JSON");
    let (project, found) = project::read(&bytes, "a.yure").expect("one bad value refuses nothing");
    let (document, more) = project.into_document(&plain_pair());
    (document, found.iter().chain(&more).map(ToString::to_string).collect())
}

/// The bones a and b of [`project`].
fn plain_pair() -> Skeleton {
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    Skeleton::new(vec![bone("a", None), bone("b", Some(BoneId(0)))]).expect("parents first")
}

/// The line of a pointer's value in the pretty text.
#[track_caller]
fn line(found: &str) -> u64 {
    found.split_once(':').and_then(|(_, rest)| rest.split('#').next()?.parse().ok()).expect("a line")
}

#[test]
fn a_bad_value_of_a_project_is_left_out_with_its_line_and_its_default_is_used() {
    let (whole, found) = spoilt(&[]);
    assert_eq!(found, Vec::<String>::new());
    let (document, found) = spoilt(&[("/chains/0/values/stiffnessForce/base", json!("abc"))]);
    let [found] = found.as_slice() else { panic!("{found:?}") };
    let expected = "#/chains/0/values/stiffnessForce/base: \"abc\" is not a number; \
                    /chains/0/values/stiffnessForce is left out";
    assert!(found.starts_with("a.yure:") && found.ends_with(expected), "{found}");
    assert!(line(found) > 10);
    let mut changed = whole.clone();
    let chain = changed.chains.get_mut(&ChainId(1)).expect("there");
    chain.values[STIFFNESS.index()].base = chain_default();
    assert_eq!(document, changed, "nothing else differs");
}

fn chain_default() -> f32 {
    yuremono::sim::solver::params(SolverKind::UnityChanSpringBone)[STIFFNESS.index()].default
}

#[test]
fn every_kind_of_leaf_of_a_project_may_be_bad_without_refusing_it() {
    for (pointer, bad, says) in [
        ("/system/dynamicRatio", json!("abc"), "left out, its default is used"),
        ("/chains/0/joints/0/own/dragForce", json!([1]), "left out, its default is used"),
        ("/chains/0/joints/0/bone", json!("b"), "/chains/0/joints/0 is left out"),
        ("/chains/0/id", json!(-1), "/chains/0 is left out"),
        ("/helpers/0/translation/1", json!("up"), "/helpers/0 is left out"),
        ("/helpers/0/scale", json!({}), "/helpers/0 is left out"),
        ("/colliders/0/shape/sphere/radius", json!(null), "is left out"),
        ("/excluded/0", json!("a"), "left out, its default is used"),
        ("/bones/1/above", json!(7), "left out, its default is used"),
    ] {
        let (_, found) = spoilt(&[(pointer, bad)]);
        let place = format!("#{pointer}: ");
        let first = found.iter().find(|found| found.contains(&place)).unwrap_or_else(|| panic!("{pointer}: {found:?}"));
        assert!(first.contains(says), "{first}");
        assert!(line(first) > 1, "{first}");
    }
}

#[test]
fn places_in_a_project_stay_those_of_the_file_when_entries_before_them_are_left_out() {
    let spoil = [("/helpers/0/scale", json!(1)), ("/helpers/1/scale", json!(2)), ("/colliders/0/name", json!(3))];
    let (document, found) = spoilt(&spoil);
    assert!(document.helpers.is_empty() && document.colliders.is_empty());
    for pointer in ["#/helpers/0/scale: ", "#/helpers/1/scale: ", "#/colliders/0/name: "] {
        assert_eq!(found.iter().filter(|found| found.contains(pointer)).count(), 1, "{pointer}: {found:?}");
    }
}

#[test]
fn a_project_without_what_all_else_needs_is_refused_with_the_place() {
    for (pointer, bad) in [("/solver", json!(7)), ("/bones/1/name", json!(7)), ("/character/path", json!(null))] {
        let mut json = project();
        *json.pointer_mut(pointer).expect("a value to spoil") = bad;
        let bytes = serde_json::to_vec_pretty(&json).expect("JSON");
        let refused = project::read(&bytes, "a.yure").expect_err(pointer);
        let text = refused[0].to_string();
        assert!(text.contains(&format!("#{pointer}: ")) && text.contains("cannot be read without"), "{text}");
    }
}

#[test]
fn a_project_with_the_wind_names_of_earlier_kawaii_physics_is_the_same_wind() {
    let read = |system: Value| {
        let json =
            json!({ "yuremono": 1, "character": { "path": "a.vrm" }, "solver": "KawaiiPhysics", "system": system });
        let (project, _) = project::read(&serde_json::to_vec(&json).expect("JSON"), "a.yure").expect("readable");
        let (document, found) = project.into_document(&plain());
        assert_eq!(found, []);
        document
    };
    let today = read(json!({ "ProceduralWind.ConstantForce": 2.0, "ProceduralWind.StrengthCyclePeriod": 4.0 }));
    let before = read(json!({ "ProceduralWind.SteadyForce": 2.0, "ProceduralWind.EnvelopeFrequency": 0.25 }));
    assert_eq!(today, before);
    assert_eq!(today.main().get(yuremono::sim::solver::kawaii::params::STRENGTH_CYCLE_PERIOD), 4.0);
}
