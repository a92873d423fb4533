//! Setups that are broken, or mean harm: each ends in a table or a message that names file, place and reason.

use super::{bytes, sample};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use yuremono::doc::import::SetupPlan;
use yuremono::doc::{Axis, Document};
use yuremono::format::tables::{self, TableFormat};
use yuremono::report::{Diagnostic, Severity};
use yuremono::sim::SolverKind;

fn told(said: &[Diagnostic]) -> Vec<String> {
    said.iter().filter(|d| d.severity > Severity::Info).map(ToString::to_string).collect()
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let said = told(&tables::read(text.as_bytes(), "s.json").expect_err("refused"));
    assert!(said.last().is_some_and(|last| last.contains(expected)), "{said:#?}\nexpected {expected}");
}

/// What is said of a file of which something can be used.
#[track_caller]
fn check_told(text: &Value, expected: &[&str]) {
    let (_, said) = tables::read(text.to_string().as_bytes(), "s.json").expect("something is usable");
    assert_eq!(told(&said), expected);
}

fn setup(system: &Value) -> Value {
    json!({ "format": "yuremono-parameters", "version": 1, "mirror": "x", "systems": [system] })
}

#[test]
fn files_of_which_nothing_can_be_used_are_refused_with_the_reason() {
    let head = "{\"format\": \"yuremono-parameters\"";
    check_refused("{", "s.json:1: this is no JSON");
    check_refused("{}", "s.json#/format: this is no setup: expected a \"format\" of");
    check_refused("{\"format\": 5}", "s.json#/format");
    check_refused(&format!("{head}}}"), "s.json#/version: there is no version, expected 1");
    check_refused(&format!("{head}, \"version\": 7}}"), "s.json#/version: the setup has version 7");
    check_refused(&format!("{head}, \"version\": \"1\"}}"), "s.json#/version: \"1\" is no version");
    check_refused(&format!("{head}, \"version\": 1}}"), "s.json#/systems: the file holds no system");
    check_refused(&format!("{head}, \"version\": 1, \"systems\": {{}}}}"), "s.json#/systems: the file holds no system");
    check_refused(&format!("{head}, \"version\": 1, \"systems\": [1e999]}}"), "s.json:1: this is no JSON");
    let deep = format!("{head}, \"version\": 1, \"systems\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check_refused(&deep, "s.json:1: this is no JSON: recursion limit exceeded");
    check_refused(&setup(&json!({ "solver": "Cloth" })).to_string(), "s.json#/systems: the file holds no system");
}

#[test]
fn what_is_wrong_in_a_setup_is_told_with_its_pointer_and_the_rest_is_used() {
    let joint = |bone: &str, stiffness: Value| {
        json!({ "bone": bone, "values": {
            "stiffness": stiffness, "gravityPower": 0, "gravityDir x": 0, "gravityDir y": -1, "gravityDir z": 0,
            "dragForce": 0.4, "hitRadius": 0.02 }, "colliders": [] })
    };
    let at = "s.json#/systems/0/chains/0/joints";
    let nan = format!("{at}/0/values/stiffness, bone \"a\": \"NaN\" is not a number");
    let huge = format!("{at}/1/values/stiffness, bone \"b\": \"1e+300\" is too large for a number");
    let chain = json!({ "joints": [
        joint("a", json!("NaN")), joint("b", json!(1e300)), 7, { "values": {} }, joint("c", json!(1.5)), joint("c", json!(2.5)),
    ] });
    let text = setup(&json!({ "solver": "VRM", "chains": [chain, "no"], "values": { "nonsense": 1 }, "more": 1 }));
    let (table, said) = tables::read(text.to_string().as_bytes(), "s.json").expect("something is usable");
    let expected = [
        "s.json#/systems/0/more: this is not known; left out",
        "s.json#/systems/0/values/nonsense: the solver has no such value of the character; left out",
        &nan,
        &huge,
        "s.json#/systems/0/chains/0/joints/2: 7 is not an object; left out",
        "s.json#/systems/0/chains/0/joints/3: there is no \"bone\"; left out",
        "s.json#/systems/0/chains/1: \"no\" is not an object; left out",
    ];
    assert_eq!(told(&said), expected);
    let good: Vec<_> = table.bones.iter().map(|row| (row.name.as_str(), row.cells.is_ok())).collect();
    assert_eq!(good, [("a", false), ("b", false), ("c", true), ("c", true)], "of two rows for c the later one counts");
    check_told(
        &setup(
            &json!({ "solver": "VRM", "colliders": [{ "name": "x", "shape": "torus" }, { "name": "y", "shape": "sphere",
            "parent": "Head", "position": [0, "up", 0], "radius": 0.1 }] }),
        ),
        &[
            "s.json#/systems/0/colliders/0/shape: expected one of sphere, capsule, panel, inside sphere, inside capsule, \
             plane, tapered capsule, inside tapered capsule, box, inside box, cylinder, inside cylinder; left out",
            "s.json#/systems/0/colliders/1, column \"pos y\": \"up\" is not a number",
        ],
    );
}

#[test]
fn a_value_that_is_not_given_is_the_engines_default_and_told() {
    let text =
        setup(&json!({ "solver": "VRM", "chains": [{ "joints": [{ "bone": "a", "values": { "stiffness": 2 } }] }] }));
    let (table, said) = tables::read(text.to_string().as_bytes(), "s.json").expect("readable");
    let told = "s.json#/systems/0/chains/0/joints/0, bone \"a\": not given, the engine's defaults are used: gravityPower, \
                gravityDir x, gravityDir y, gravityDir z, dragForce, hitRadius";
    assert_eq!(said.iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
    assert!(table.bones[0].cells.is_ok());
}

#[test]
fn no_file_of_any_format_ends_the_program_wherever_it_is_cut_or_damaged() {
    for (solver, format) in [
        (SolverKind::UnityChanSpringBone, TableFormat::Parameters),
        (SolverKind::DynamicBone, TableFormat::DynamicBoneCsv),
        (SolverKind::KawaiiPhysics, TableFormat::KawaiiJson),
        (SolverKind::EzSoftBone, TableFormat::EzJson),
    ] {
        let skeleton = crate::documents::plain();
        let dice: Vec<_> =
            (0..24_u32).map(|n| [n, n * 7, n * 13, n * 31, n * 5, n * 3].map(|x| x * 2_654_435)).collect();
        let document = crate::documents::after_under(solver, &dice, &skeleton);
        let whole = bytes(&document, &skeleton, Axis::X, format);
        for cut in (0..whole.len()).step_by(whole.len() / 24 + 1) {
            if let Err(said) = tables::read(&whole[..cut], "s.json") {
                assert!(!said.is_empty());
            }
            // Wrong types and numbers everywhere, by turns.
            for damage in [&b"\"x\""[..], b"[]", b"-1e38", b"null", b"{", b",,,", b"\xff"] {
                let damaged = [&whole[..cut], damage, &whole[(cut + damage.len()).min(whole.len())..]].concat();
                if let Err(said) = tables::read(&damaged, "s.json") {
                    assert!(!said.is_empty());
                }
            }
        }
    }
    let opened = sample(SolverKind::KawaiiPhysics);
    let whole = bytes(&opened.document, &opened.character.skeleton, Axis::X, TableFormat::KawaiiJson);
    let mut json: Value = serde_json::from_slice(&whole).expect("JSON");
    json["Nodes"].as_array_mut().expect("a list").truncate(1);
    // Each value of the file by turns as something else: it is told, or it is something that may stand there.
    let mut places = Vec::new();
    leaves(&json["Nodes"][0], "/Nodes/0".to_owned(), &mut places);
    assert!(places.len() > 80, "{}", places.len());
    for place in places {
        for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
            let mut damaged = json.clone();
            *damaged.pointer_mut(&place).expect("it is there") = other.clone();
            match tables::read(damaged.to_string().as_bytes(), "s.json") {
                Ok((_, said)) => {
                    let texts =
                        other.is_string() && ["/Name", "Bone", "Mode", "Type"].iter().any(|e| place.ends_with(e));
                    let free = place.ends_with("Mode") || place.ends_with("Type") || place.contains("/ExcludeBones");
                    assert!(!told(&said).is_empty() || texts || free, "{place} = {other} was taken silently");
                }
                Err(said) => assert!(!said.is_empty()),
            }
        }
    }
}

#[test]
fn whatever_stands_in_the_lists_of_a_component_is_used_or_told() {
    for solver in crate::lists::listed() {
        let opened = crate::lists::listed_sample(solver);
        let skeleton = &opened.character.skeleton;
        let (whole, _) = crate::lists::written(&opened.document, skeleton, Axis::X, TableFormat::Parameters);
        let mut extras = serde_json::from_slice::<Value>(&whole).expect("JSON")["systems"][0]["extras"].take();
        let lists = extras.as_object_mut().expect("an object").values_mut().filter_map(Value::as_array_mut);
        lists.for_each(|list| list.truncate(2));
        let file = setup(&json!({ "solver": solver.key(), "extras": extras }));
        let mut places = Vec::new();
        leaves(&extras, "/systems/0/extras".to_owned(), &mut places);
        assert!(!places.is_empty(), "{solver:?}: {extras}");
        for place in places {
            for other in [json!(null), json!([1]), json!({ "a": 1 }), json!("NaN"), json!(1e300)] {
                let mut damaged = file.clone();
                *damaged.pointer_mut(&place).expect("it is there") = other.clone();
                let (tables, said) = tables::read_all(damaged.to_string().as_bytes(), "s.json").expect("a system");
                let mut said = told(&said);
                if said.is_empty() {
                    // A name: whether it leads somewhere shows on the character.
                    let (document, none) = (Document::under(solver), BTreeMap::new());
                    let plan = SetupPlan::new(tables, &[], &document, &opened.character, Axis::X, &none);
                    said = told(&plan.findings("s.json"));
                }
                assert!(said.iter().any(|text| text.contains(&place)), "{place} = {other}: {said:?}");
            }
        }
    }
}

/// Pointers of all values that hold no others.
fn leaves(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| leaves(value, format!("{at}/{key}"), all)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| leaves(value, format!("{at}/{n}"), all)),
        _ => all.push(at),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn four_times_as_many_limits_take_about_four_times_as_long() {
    let limit = |n: u32| json!({ "Name": format!("ball {n}"), "DrivingBone": "Hips", "Radius": n % 50 });
    let seconds = |count: usize| {
        let all: Vec<Value> = (0..count as u32).map(limit).collect();
        let node = |root: &str, limits: &[Value]| json!({ "RootBone": root, "SphericalLimits": limits });
        let nodes = [node("a", &all[..count / 2]), node("b", &all[count / 4..])];
        let text = json!({ "format": "kawaii-physics", "version": 1, "Nodes": nodes }).to_string();
        let once = || {
            let start = std::time::Instant::now();
            let (table, _) = tables::read(text.as_bytes(), "k.json").expect("readable");
            assert_eq!(table.colliders.len(), count, "one that is there already is no other");
            start.elapsed().as_secs_f32()
        };
        (0..3).map(|_| once()).fold(f32::MAX, f32::min)
    };
    let (few, many) = (seconds(5_000), seconds(20_000));
    // Sixteen times where each is compared with all others.
    assert!(many < 10.0 * few, "{few} s and {many} s");
}

#[test]
fn a_file_of_very_many_systems_is_cut_short_and_it_is_told() {
    let text =
        json!({ "format": "yuremono-parameters", "version": 1, "systems": vec![json!({ "solver": "VRM" }); 800] });
    let (read, said) = tables::read_all(text.to_string().as_bytes(), "s.json").expect("something is usable");
    assert_eq!(read.len(), 64);
    let expected = "s.json#/systems/64: the file has 800 systems, more than 64; from here on they are left out";
    assert_eq!(told(&said), [expected]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn eight_times_as_many_components_of_one_material_take_about_eight_times_as_long() {
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
            let (table, said) = tables::read(text.as_bytes(), "ez.json").expect("readable");
            assert_eq!((table.trees.len(), told(&said).len()), (count, 0));
            start.elapsed().as_secs_f32()
        };
        (0..3).map(|_| once()).fold(f32::MAX, f32::min)
    };
    let (few, many) = (seconds(400), seconds(3_200));
    // Sixty-four times where each is compared with all others.
    assert!(many < 20.0 * few, "{few} s and {many} s");
}

#[test]
fn roots_of_one_component_share_a_bounded_number_of_ends() {
    let many = |n: usize, name: &str| (0..n).map(|at| format!("{name}{at}")).collect::<Vec<_>>();
    let file = |roots: usize, ends: usize| {
        let component = json!({ "m_RootBones": many(roots, "r"), "m_EndBones": many(ends, "e"), "m_Material": {} });
        json!({ "format": "ez-soft-bone", "version": 1, "mirror": "x", "Components": [component, component] })
    };
    let read = |roots, ends| {
        let (table, said) = tables::read(file(roots, ends).to_string().as_bytes(), "s.json").expect("usable");
        (table.trees.len(), table.trees.iter().map(|tree| tree.ends.len()).sum::<usize>(), told(&said))
    };
    assert_eq!(read(3, 1000), (6, 6000, Vec::new()));
    let (trees, ends, said) = read(3000, 3000);
    assert!(trees < 100 && ends <= (1 << 18) + 6000, "{trees} {ends}");
    let first = "s.json#/Components/0/m_RootBones: 3000 roots with 3001 ends, colliders and keys each are too much; from \"r88\" \
        on they are left out";
    assert_eq!((said.len(), said[0].as_str()), (2, first));
    // Without ends it is the number of chains that is bounded, as everywhere.
    let (trees, _, said) = read(9000, 0);
    assert_eq!((trees, said.len()), (4096, 2));
}
