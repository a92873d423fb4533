//! Tests malformed and malicious setups. Each file is either usable or rejected with file, place and reason.

use super::{export_bytes, import_into, sample};
use crate::support::formats::{DYNAMIC_BONE_CSV, EZ_JSON, KAWAII_JSON, PARAMETERS};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::tables;
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::{FileSection, ImportPlan};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Severity};

fn warnings_and_errors(said: &[Diagnostic]) -> Vec<String> {
    said.iter().filter(|d| d.severity > Severity::Info).map(ToString::to_string).collect()
}

#[track_caller]
fn check_rejected(text: &str, expected: &str) {
    let diagnostics = warnings_and_errors(&tables::read_setup(text.as_bytes(), "s.json").expect_err("refused"));
    assert!(diagnostics.last().is_some_and(|last| last.contains(expected)), "{diagnostics:#?}\nexpected {expected}");
}

/// Checks the messages about a file that is partly usable.
#[track_caller]
fn check_reported(text: &Value, expected: &[&str]) {
    let (_, diagnostics) =
        tables::read_setup(text.to_string().as_bytes(), "s.json").expect("the file is partly usable");
    assert_eq!(warnings_and_errors(&diagnostics), expected);
}

/// Returns a file with one VRM system and the fields of `more`.
fn setup_json(more: &Value) -> Value {
    let mut setup = json!({ "systems": { "0": { "solver": "VRM" } } });
    setup.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    json!({ "format": "yuremono-setup", "version": 1, "setup": setup })
}

#[test]
fn unusable_files_are_rejected_with_a_reason() {
    let head = "{\"format\": \"yuremono-setup\"";
    check_rejected("{", "s.json:1: this is not JSON");
    check_rejected("{}", "s.json#/format: this is not a setup: expected a \"format\" of");
    check_rejected("{\"format\": 5}", "s.json#/format");
    check_rejected(&format!("{head}}}"), "s.json#/version: there is no version; expected 1");
    check_rejected(&format!("{head}, \"version\": 7}}"), "s.json#/version: the setup has version 7");
    check_rejected(&format!("{head}, \"version\": \"1\"}}"), "s.json#/version: \"1\" is not a version");
    let no_system = "s.json#/setup/systems: the file has no system";
    check_rejected(&format!("{head}, \"version\": 1}}"), no_system);
    check_rejected(&format!("{head}, \"version\": 1, \"setup\": {{}}}}"), no_system);
    check_rejected(
        &format!("{head}, \"version\": 1, \"setup\": {{\"systems\": [1e999]}}}}"),
        "s.json:1: this is not JSON",
    );
    let deep = format!("{head}, \"version\": 1, \"setup\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check_rejected(&deep, "s.json:1: this is not JSON: recursion limit exceeded");
    check_rejected(&setup_json(&json!({ "systems": { "0": { "solver": "Cloth" } } })).to_string(), no_system);
}

#[test]
fn invalid_values_are_reported_with_their_pointer_and_the_rest_is_used() {
    let joint = |bone: &str, stiffness: Value| json!({ "bone": bone, "overrides": { "stiffness": stiffness } });
    let chain = json!({ "name": "hair", "joints": [
        joint("a", json!("NaN")), joint("b", json!(1e300)), 7, { "overrides": {} }, joint("c", json!(1.5)), joint("c", json!(2.5)),
    ] });
    let systems = json!({ "0": { "solver": "VRM", "values": { "nonsense": 1 }, "more": 1 } });
    let text = setup_json(&json!({ "systems": systems, "chains": { "1": chain, "2": "no" } }));
    let (file, found) = tables::read_setup(text.to_string().as_bytes(), "s.json").expect("the file is partly usable");
    let number = "expected a number, \"Infinity\" or \"-Infinity\"; left out, its default is used";
    let expected = [
        "s.json:1#/setup/systems/0/more: unknown field `more`, expected one of `name`, `solver`, `values`, `component`, \
         `component_lists`; left out"
            .to_owned(),
        format!("s.json:1#/setup/chains/1/joints/0/overrides/stiffness: invalid value: string \"NaN\", {number}"),
        format!("s.json:1#/setup/chains/1/joints/1/overrides/stiffness: invalid value: floating point `1e+300`, {number}"),
        "s.json:1#/setup/chains/1/joints/2: invalid type: integer `7`, expected struct Joint; left out".to_owned(),
        "s.json:1#/setup/chains/1/joints/3: missing field `bone`; left out".to_owned(),
        "s.json:1#/setup/chains/2: invalid type: string \"no\", expected struct Chain; left out".to_owned(),
        "s.json#/setup/systems/0/values/nonsense: VRM has no such value of the whole system; left out".to_owned(),
    ];
    assert_eq!(warnings_and_errors(&found), expected);
    let joints: Vec<_> = file.usable_entries(FileSection::Joints).map(|(_, item, _)| item.name.as_str()).collect();
    assert_eq!(joints, ["a", "b", "c", "c"], "joints a and b without values use those of the chain");
    let skeleton = crate::support::random_documents::skeleton_with_names(|at| {
        ["root", "a", "b", "c"].get(at).map_or_else(|| format!("bone {at}"), |name| (*name).to_owned())
    });
    let after = stiffness_after_import(&text, &skeleton);
    assert_eq!(after, [1.0, 1.0, 2.5], "the later of two entries for c wins");
    let ball = |shape: Value| json!({ "name": "y", "node": "Head", "shape": shape });
    let colliders =
        json!({ "1": ball(json!({ "torus": { "radius": 1 } })), "2": ball(json!({ "sphere": { "radius": "up" } })) });
    check_reported(
        &setup_json(&json!({ "colliders": colliders })),
        &[
            "s.json:1#/setup/colliders/1/shape: unknown variant `torus`, expected one of `sphere`, `capsule`, `panel`, \
             `plane`, `tapered_capsule`, `box`, `cylinder`; /setup/colliders/1 is left out",
            "s.json:1#/setup/colliders/2/shape/sphere/radius: invalid value: string \"up\", expected a number, \
             \"Infinity\" or \"-Infinity\"; /setup/colliders/2 is left out",
        ],
    );
}

/// Returns the stiffness of every joint after importing a file.
fn stiffness_after_import(text: &Value, skeleton: &yuremono_sim::rig::Skeleton) -> Vec<f32> {
    let (file, found) = tables::read_setup(text.to_string().as_bytes(), "s.json").expect("usable");
    let empty = Document::with_solver(SolverKind::Vrm);
    let plan = ImportPlan::new(file, &found, &empty, &super::character_with_skeleton(skeleton), &BTreeMap::new());
    let after = plan.after_import(skeleton);
    let stiffness = yuremono_sim::solver::vrm::STIFFNESS;
    let values =
        after.chains.values().flat_map(|chain| (0..chain.joints.len()).map(|at| chain.joint_value(at, stiffness, 0.0)));
    values.collect()
}

#[test]
fn missing_values_are_the_defaults_of_the_original() {
    let chain = json!({ "name": "hair", "values": { "stiffness": { "base": 2 } }, "joints": [{ "bone": "bone 1" }] });
    let text = setup_json(&json!({ "chains": { "1": chain } })).to_string();
    let (_, found) = tables::read_setup(text.as_bytes(), "s.json").expect("readable");
    assert_eq!(found, []);
    let skeleton = crate::support::random_documents::skeleton_with_names(|at| format!("bone {at}"));
    let after = import_into(Document::with_solver(SolverKind::Vrm), text.as_bytes(), &skeleton, FlipAxis::X);
    let chain = after.chains.values().next().expect("a chain");
    for (value, def) in chain.values.iter().zip(SolverKind::Vrm.info().params) {
        let expected = if def.name == "stiffness" { 2.0 } else { def.default };
        assert_eq!((value.base, &value.curve), (expected, &None), "{}", def.name);
    }
}

#[test]
fn truncated_or_damaged_files_of_any_format_do_not_panic() {
    for (solver, format) in [
        (SolverKind::UnityChanSpringBone, PARAMETERS),
        (SolverKind::DynamicBone, DYNAMIC_BONE_CSV),
        (SolverKind::KawaiiPhysics, KAWAII_JSON),
        (SolverKind::EzSoftBone, EZ_JSON),
    ] {
        let skeleton = crate::support::random_documents::plain_skeleton();
        let dice: Vec<_> =
            (0..24_u32).map(|n| [n, n * 7, n * 13, n * 31, n * 5, n * 3].map(|x| x * 2_654_435)).collect();
        let document = crate::support::random_documents::edited_document_with_solver(solver, &dice, &skeleton);
        let whole = export_bytes(&document, &skeleton, FlipAxis::X, format);
        for cut in (0..whole.len()).step_by(whole.len() / 24 + 1) {
            if let Err(said) = tables::read_setup(&whole[..cut], "s.json") {
                assert!(!said.is_empty());
            }
            // Put wrong types and numbers at each place of the file in turn.
            for damage in [&b"\"x\""[..], b"[]", b"-1e38", b"null", b"{", b",,,", b"\xff"] {
                let damaged = [&whole[..cut], damage, &whole[(cut + damage.len()).min(whole.len())..]].concat();
                if let Err(said) = tables::read_setup(&damaged, "s.json") {
                    assert!(!said.is_empty());
                }
            }
        }
    }
    let opened = sample(SolverKind::KawaiiPhysics);
    let whole = export_bytes(&opened.document, &opened.character.skeleton, FlipAxis::X, KAWAII_JSON);
    let mut json: Value = serde_json::from_slice(&whole).expect("JSON");
    json["Nodes"].as_array_mut().expect("a list").truncate(1);
    // Replace each value of the file in turn. The reader must report the replacement, unless the new value is valid in
    // that place.
    let mut places = Vec::new();
    leaf_pointers(&json["Nodes"][0], "/Nodes/0".to_owned(), &mut places);
    assert!(places.len() > 80, "{}", places.len());
    for place in places {
        for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
            let mut damaged = json.clone();
            *damaged.pointer_mut(&place).expect("the pointer exists") = other.clone();
            match tables::read_setup(damaged.to_string().as_bytes(), "s.json") {
                Ok((_, said)) => {
                    let texts =
                        other.is_string() && ["/Name", "Bone", "Mode", "Type"].iter().any(|e| place.ends_with(e));
                    let free = place.ends_with("Mode") || place.ends_with("Type") || place.contains("/ExcludeBones");
                    assert!(
                        !warnings_and_errors(&said).is_empty() || texts || free,
                        "{place} = {other} was accepted without a message"
                    );
                }
                Err(said) => assert!(!said.is_empty()),
            }
        }
    }
}

#[test]
fn every_damaged_list_value_is_used_or_reported() {
    for solver in crate::component_lists::solvers_with_lists() {
        let opened = crate::component_lists::sample_with_lists(solver);
        let skeleton = &opened.character.skeleton;
        let whole = export_bytes(&opened.document, skeleton, FlipAxis::X, PARAMETERS);
        let mut extras =
            serde_json::from_slice::<Value>(&whole).expect("JSON")["setup"]["systems"]["0"]["component_lists"].take();
        truncate_lists(&mut extras);
        // Export a single system whose bone names all exist in the character.
        let mut document = opened.document.clone();
        let main = document.main_system_id();
        document.chains.clear();
        document.systems.retain(|id, _| *id == main);
        let file = setup_json(&json!({ "systems": { "0": { "solver": solver.key(), "component_lists": extras } } }));
        let mut places = Vec::new();
        leaf_pointers(&extras, "/setup/systems/0/component_lists".to_owned(), &mut places);
        assert!(!places.is_empty(), "{solver:?}: {extras}");
        for place in places {
            for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
                let mut damaged = file.clone();
                *damaged.pointer_mut(&place).expect("the pointer exists") = other.clone();
                let (read, found) = tables::read_setup(damaged.to_string().as_bytes(), "s.json").expect("a system");
                if other.is_null() && found.is_empty() {
                    // An empty value reads like an absent field.
                    let absent = without(&damaged, &place).to_string();
                    let (absent, _) = tables::read_setup(absent.as_bytes(), "s.json").expect("a system");
                    assert_eq!(read, absent, "{place}");
                    continue;
                }
                if found.is_empty() && other.is_string() {
                    // A replaced name has an effect only on import into the character.
                    let plan = ImportPlan::new(read, &[], &document, &opened.character, &BTreeMap::new());
                    let found = warnings_and_errors(&plan.missing_name_diagnostics("s.json"));
                    let is_told =
                        |text: &String| text.starts_with(&format!("s.json#{place}")) && text.contains("\"NaN\"");
                    assert!(found.iter().any(is_told), "{place} = {other}: {found:?}");
                    continue;
                }
                // A message may name a whole vector or curve, but never a whole list.
                let is_told = |finding: &Diagnostic| {
                    let at = finding.location.pointer.as_deref().unwrap_or_default();
                    at.starts_with(&place) || (place.starts_with(at) && at.split('/').count() > 6)
                };
                assert!(found.iter().any(is_told), "{place} = {other}: {found:?}");
            }
        }
    }
}

/// Returns a copy of the file without the field at a JSON pointer.
fn without(file: &Value, place: &str) -> Value {
    let (object, field) = place.rsplit_once('/').expect("a pointer");
    let mut rest = file.clone();
    let fields = rest.pointer_mut(object).and_then(Value::as_object_mut);
    fields.unwrap_or_else(|| panic!("{place} is not a field")).remove(field).expect("the field exists");
    rest
}

/// Keeps the first two entries of every list.
fn truncate_lists(lists: &mut Value) {
    let owns = lists.as_object_mut().expect("an object").values_mut().filter_map(Value::as_object_mut);
    for (name, list) in owns.flatten() {
        match list {
            Value::Array(list) => list.truncate(2),
            Value::Object(list) if ["colliders", "points"].contains(&name.as_str()) => {
                let kept: BTreeSet<String> = list.keys().take(2).cloned().collect();
                list.retain(|key, _| kept.contains(key));
            }
            _ => {}
        }
    }
}

/// Collects the JSON pointers of all values that are not containers.
fn leaf_pointers(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| leaf_pointers(value, format!("{at}/{key}"), all));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| leaf_pointers(value, format!("{at}/{n}"), all));
        }
        _ => all.push(at),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn reading_limits_takes_linear_time() {
    let limit = |n: u32| json!({ "Name": format!("ball {n}"), "DrivingBone": "Hips", "Radius": n % 50 });
    let seconds = |count: usize| {
        let all: Vec<Value> = (0..count as u32).map(limit).collect();
        let node = |root: &str, limits: &[Value]| json!({ "RootBone": root, "SphericalLimits": limits });
        let nodes = [node("a", &all[..count / 2]), node("b", &all[count / 4..])];
        let text = json!({ "format": "kawaii-physics", "version": 1, "Nodes": nodes }).to_string();
        let once = || {
            let start = std::time::Instant::now();
            let (file, _) = tables::read_setup(text.as_bytes(), "k.json").expect("readable");
            assert_eq!(
                file.usable_entries(FileSection::Colliders).count(),
                count,
                "an existing entry is not added again"
            );
            start.elapsed().as_secs_f32()
        };
        (0..3).map(|_| once()).fold(f32::MAX, f32::min)
    };
    let (few, many) = (seconds(5_000), seconds(20_000));
    // Comparing all pairs would take 16 times as long.
    assert!(many < 10.0 * few, "{few} s and {many} s");
}

#[test]
fn systems_beyond_the_limit_are_skipped_and_reported() {
    let systems: BTreeMap<String, Value> = (0..800).map(|n| (n.to_string(), json!({ "solver": "VRM" }))).collect();
    let text = setup_json(&json!({ "systems": systems }));
    let (file, found) = tables::read_setup(text.to_string().as_bytes(), "s.json").expect("the file is partly usable");
    assert_eq!(file.systems.len(), 64);
    let expected =
        "s.json#/setup/systems/64: the file has 800 systems; at most 64 are read. Systems from here on are left out";
    assert_eq!(warnings_and_errors(&found), [expected]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn reading_components_of_one_material_takes_linear_time() {
    let keys = |n: u32| json!({ "time": f64::from(n) / 8.0, "value": 1, "inTangent": 0, "outTangent": 0 });
    let curve: Vec<Value> = (0..8).map(keys).collect();
    let seconds = |count: usize| {
        let material = json!({ "m_Name": "Soft", "m_DampingCurve": curve, "m_StiffnessCurve": curve,
            "m_ResistanceCurve": curve, "m_SlacknessCurve": curve });
        let component = |n: usize| json!({ "m_RootBones": [format!("root {n}")], "m_Material": material });
        let components: Vec<Value> = (0..count).map(component).collect();
        let text = json!({ "format": "ez-soft-bone", "version": 1, "Components": components }).to_string();
        let once = || {
            let start = std::time::Instant::now();
            let (table, diagnostics) = tables::read_setup(text.as_bytes(), "ez.json").expect("readable");
            assert_eq!((table.trees.len(), warnings_and_errors(&diagnostics).len()), (count, 0));
            start.elapsed().as_secs_f32()
        };
        (0..3).map(|_| once()).fold(f32::MAX, f32::min)
    };
    let (few, many) = (seconds(400), seconds(3_200));
    // Comparing all pairs would take 64 times as long.
    assert!(many < 20.0 * few, "{few} s and {many} s");
}

#[test]
fn the_end_bones_of_all_roots_are_limited_in_number() {
    let many = |n: usize, name: &str| (0..n).map(|at| format!("{name}{at}")).collect::<Vec<_>>();
    let file = |roots: usize, ends: usize| {
        let component = json!({ "m_RootBones": many(roots, "r"), "m_EndBones": many(ends, "e"), "m_Material": {} });
        json!({ "format": "ez-soft-bone", "version": 1, "mirror": "x", "Components": [component, component] })
    };
    let read = |roots, ends| {
        let (table, diagnostics) =
            tables::read_setup(file(roots, ends).to_string().as_bytes(), "s.json").expect("usable");
        (
            table.trees.len(),
            table.trees.iter().map(|tree| tree.end_bones.len()).sum::<usize>(),
            warnings_and_errors(&diagnostics),
        )
    };
    assert_eq!(read(3, 1000), (6, 6000, Vec::new()));
    let (trees, ends, diagnostics) = read(3000, 3000);
    assert!(trees < 100 && ends <= (1 << 18) + 6000, "{trees} {ends}");
    let first = "s.json#/Components/0/m_RootBones: 3000 roots with 3001 ends, colliders and keys each are too many; roots \
        from \"r88\" on are left out";
    assert_eq!((diagnostics.len(), diagnostics[0].as_str()), (2, first));
    // Without tip bones, the number of chains is limited, as in all formats.
    let (trees, _, diagnostics) = read(9000, 0);
    assert_eq!((trees, diagnostics.len()), (4096, 2));
}
