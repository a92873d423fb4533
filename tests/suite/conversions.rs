//! Tests conversion between solvers: chains keep swinging, gravity is kept, and nothing is added or lost without a
//! report.

use super::support;
use serde_json::{Value, json};
use std::path::Path;
use yuremono_format::open::OpenedCharacter;
use yuremono_format::{project, vrm};
use yuremono_model::document::{Chain, ChainId, ChainPart, Document, Joint};
use yuremono_model::feel::convert::average_joint_values;
use yuremono_model::feel::{
    convert::ConversionLoss, convert::SwingComparison, convert::convert, convert::convert_chains, convert::muted_chains,
};
use yuremono_sim::params::{ParamSet, enumerate_params};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::{anim_dynamics, vrm as rule};
use yuremono_sim::{ResponseInput, SolverKind, SpringResponse};

const FRAME_SECONDS: f32 = 1.0 / 60.0;

/// Returns the bundled character with VRM, with the same gravity on all bones.
fn sample_with_uniform_gravity() -> OpenedCharacter {
    let mut opened = support::sample(SolverKind::Vrm);
    for chain in opened.document.chains.values_mut() {
        for joint in &mut chain.joints {
            joint.overrides.retain(|param, _| *param != rule::GRAVITY_POWER && !rule::GRAVITY_DIR.contains(param));
        }
        chain.values[rule::GRAVITY_POWER.index()].base = 0.05;
        chain.values[rule::GRAVITY_POWER.index()].curve = None;
        for (param, value) in rule::GRAVITY_DIR.into_iter().zip([0.0, -1.0, 0.0]) {
            chain.values[param.index()].base = value;
        }
    }
    opened
}

/// Returns the mean swings of the joints before and after the conversion, in degrees.
fn mean_swings(opened: &OpenedCharacter, after: &Document) -> [f32; 2] {
    let mut comparison = SwingComparison::new(&opened.document, &opened.character, after);
    assert!(!comparison.advance(10), "it is not complete after a few ticks");
    assert!(comparison.advance(usize::MAX));
    comparison.mean_swings()
}

#[test]
fn converting_to_anim_dynamics_keeps_most_of_the_swing() {
    let opened = support::sample(SolverKind::Vrm);
    let after = convert(&opened.document, &opened.character, SolverKind::AnimDynamics).after;
    let [before, now] = mean_swings(&opened, &after);
    assert!(before > 5.0, "the chains swing by {before} degrees");
    assert!(now > 0.5 * before && now < 2.0 * before, "{before} became {now} degrees");
    assert!(muted_chains(&opened.document, &opened.character, &after).len() < opened.document.chains.len() / 4);
}

/// Excludes hinges, because their script confuses degrees with radians and reacts to only 1/57 of the motion.
#[test]
fn few_chains_lose_half_of_their_swing_with_any_solver() {
    let opened = support::sample(SolverKind::Vrm);
    assert_eq!(opened.document.chains.len(), 47);
    let changes = |kind: &SolverKind| !matches!(kind, SolverKind::Vrm | SolverKind::Hinge);
    for to in SolverKind::ALL.iter().copied().filter(changes) {
        let after = convert(&opened.document, &opened.character, to).after;
        let most = match to {
            SolverKind::AnimDynamics => 7,
            SolverKind::JointDynamics => 8,
            SolverKind::DynamicBone | SolverKind::EzSoftBone => 1,
            _ => 0,
        };
        let muted = muted_chains(&opened.document, &opened.character, &after);
        assert!(muted.len() <= most, "{to:?}: {} chains: {muted:?}", muted.len());
        let [before, now] = mean_swings(&opened, &after);
        assert!(now > 0.5 * before && now < 1.2 * before, "{to:?}: {before} became {now} degrees");
    }
}

#[test]
fn hit_radii_survive_a_conversion_to_points_and_back() {
    let opened = support::sample(SolverKind::Vrm);
    let radii = |document: &Document| -> Vec<f32> {
        let places = |chain: &Chain| document.curve_positions(chain, &opened.character.skeleton);
        let of = |chain: &Chain| {
            let places = places(chain);
            (0..places.len()).map(|at| chain.joint_value(at, rule::HIT_RADIUS, places[at])).collect::<Vec<_>>()
        };
        document.chains.values().flat_map(of).collect()
    };
    let there = convert(&opened.document, &opened.character, SolverKind::JointDynamics);
    let is_lost = |loss: &ConversionLoss| matches!(loss, ConversionLoss::JointValue { label: "Hit radius", .. });
    assert!(!there.losses.iter().any(is_lost), "{:?}", there.losses);
    let groups = there.losses.iter().filter(|loss| matches!(loss, ConversionLoss::ColliderGroup { .. })).count();
    assert_eq!(groups, opened.document.groups.len(), "each lost group is reported");
    let back = convert(&there.after, &opened.character, SolverKind::Vrm);
    let is_list = |loss: &ConversionLoss| matches!(loss, ConversionLoss::ComponentList { .. });
    let lists: Vec<_> = back.losses.iter().filter(|loss| is_list(loss)).collect();
    assert!(lists.iter().all(|loss| !loss.to_string().contains("points")), "{lists:?}");
    let (before, after) = (radii(&opened.document), radii(&back.after));
    assert!(before.iter().any(|radius| *radius > 0.0));
    assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?} became {after:?}");
    let hinges = convert(&opened.document, &opened.character, SolverKind::Hinge);
    assert!(hinges.losses.iter().any(is_lost), "a hinge has no radius: {:?}", hinges.losses);
}

/// The conversion slows springs farther from the root to compensate for bends that do not add up. The conversion back
/// reverses this change.
#[test]
fn converting_to_rest_pose_springs_and_back_keeps_stiffness() {
    let opened = support::sample(SolverKind::Vrm);
    let of = |document: &Document| -> Vec<f32> {
        document.resolve(&opened.character.skeleton).systems[0]
            .joints
            .iter()
            .map(|j| j.values.get(rule::STIFFNESS))
            .collect()
    };
    for to in [SolverKind::DynamicBone, SolverKind::KawaiiPhysics] {
        let there = convert(&opened.document, &opened.character, to).after;
        let back = convert(&there, &opened.character, SolverKind::Vrm).after;
        for (was, is) in of(&opened.document).into_iter().zip(of(&back)) {
            assert!((was - is).abs() < 0.05 * was, "{to:?}: {was} became {is}");
        }
    }
}

#[test]
fn a_chain_that_stops_swinging_after_a_conversion_is_reported() {
    let opened = support::sample(SolverKind::Vrm);
    let mut after = convert(&opened.document, &opened.character, SolverKind::AnimDynamics).after;
    assert!(after.main_system().get(anim_dynamics::SIMULATION_SPACE) > 0.0);
    after.main_system_mut().values.set(anim_dynamics::SIMULATION_SPACE, 0.0);
    let muted = muted_chains(&opened.document, &opened.character, &after);
    assert!(muted.len() > opened.document.chains.len() / 2, "{} chains", muted.len());
    assert!(muted.iter().all(|chain| chain.after < 0.5 * chain.before), "{muted:?}");
    let share = |chain: &yuremono_model::feel::convert::MutedChain| chain.after / chain.before;
    assert!(muted.windows(2).all(|pair| share(&pair[0]) <= share(&pair[1])), "the worst chain is first");
}

#[test]
fn uniform_gravity_is_converted_to_solvers_with_one_gravity() {
    let opened = sample_with_uniform_gravity();
    for to in [SolverKind::DynamicBone, SolverKind::EzSoftBone, SolverKind::KawaiiPhysics, SolverKind::AnimDynamics] {
        let conversion = convert(&opened.document, &opened.character, to);
        let pulls =
            conversion.losses.iter().filter(|loss| matches!(loss, ConversionLoss::WeightChanged { .. })).count();
        assert!(pulls * 10 <= opened.document.chains.len(), "{to:?}: gravity of {pulls} chains changes");
        let away = |loss: &&ConversionLoss| matches!(loss, ConversionLoss::AccelerationDirection { .. });
        assert_eq!(conversion.losses.iter().find(away), None, "{to:?}");
    }
}

#[test]
fn nonuniform_gravity_is_reported_as_a_loss_of_its_chain() {
    let mut opened = sample_with_uniform_gravity();
    let odd = opened.document.chains.values_mut().next().expect("the sample has chains");
    odd.values[rule::GRAVITY_POWER.index()].base = 0.5;
    let name = odd.name.clone();
    let conversion = convert(&opened.document, &opened.character, SolverKind::KawaiiPhysics);
    let pulls: Vec<_> =
        conversion.losses.iter().filter(|loss| matches!(loss, ConversionLoss::WeightChanged { .. })).collect();
    assert!(
        matches!(pulls.as_slice(), [ConversionLoss::WeightChanged { chain, from, to }] if *chain == name && to < from),
        "{pulls:?}"
    );
}

/// Returns the spring responses of all joints in the document.
fn joint_responses(document: &Document) -> Vec<SpringResponse> {
    let mut all = Vec::new();
    for chain in document.chains.values() {
        let system = document.system_of(chain);
        for at in 0..chain.joints.len() {
            let mut joint = ParamSet::defaults(system.param_defs());
            for (param, _) in enumerate_params(system.param_defs()) {
                joint.set(param, chain.joint_value(at, param, 0.0));
            }
            let numbers = ResponseInput {
                joint_params: &joint,
                system_params: &system.values,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: FRAME_SECONDS,
            };
            all.push(system.solver.response(&numbers));
        }
    }
    all
}

#[test]
fn converting_from_vrm_adds_no_ignored_motion_and_no_angle_limit() {
    let opened = support::sample(SolverKind::Vrm);
    for to in [SolverKind::KawaiiPhysics, SolverKind::DynamicBone] {
        let after = convert(&opened.document, &opened.character, to).after;
        for sway in joint_responses(&after) {
            assert_eq!(sway.ignored_motion, Some(0.0), "{to:?}");
            assert!(sway.max_angle_deg.is_none_or(|reach| reach > 179.9), "{to:?}: {sway:?}");
        }
    }
}

#[test]
fn joining_a_system_with_wind_is_reported_as_a_loss() {
    let opened = support::sample(SolverKind::Vrm);
    let first = opened.document.chains.keys().copied().take(1).collect();
    let to = SolverKind::KawaiiPhysics;
    let mut document = convert_chains(&opened.document, &opened.character, &first, to).after;
    let id = document.system_with_solver(to).expect("the system exists").0;
    let (param, def) =
        enumerate_params(to.info().params).find(|(_, def)| def.name.ends_with("EnableWind")).expect("a row of wind");
    let label = def.label;
    let others = document.chains.keys().copied().filter(|id| !first.contains(id)).collect();
    let applies = |document: &Document| {
        let losses = convert_chains(document, &opened.character, &others, to).losses;
        losses.contains(&ConversionLoss::SystemApplies { label })
    };
    assert!(!applies(&document));
    document.systems.get_mut(&id).expect("the system exists").values.set(param, 1.0);
    assert!(applies(&document));
}

#[test]
fn averaging_reports_the_bone_that_deviates_most() {
    let mut opened = support::sample(SolverKind::Vrm);
    opened.document.chains.retain(|_, chain| chain.joints.len() > 2);
    let skeleton = &opened.character.skeleton;
    for chain in opened.document.chains.values_mut() {
        for joint in &mut chain.joints {
            joint.overrides.clear();
        }
        chain.values.iter_mut().for_each(|value| value.curve = None);
    }
    assert_eq!(average_joint_values(&opened.document, skeleton).1, []);
    let chain = opened.document.chains.values_mut().next().expect("the sample has long chains");
    let (own, count) = (chain.values[rule::STIFFNESS.index()].base, chain.joints.len() as f32);
    chain.joints[1].overrides.insert(rule::STIFFNESS, own + count);
    let (name, bone) = (chain.name.clone(), skeleton.name(chain.joints[1].bone).to_owned());
    let (after, losses) = average_joint_values(&opened.document, skeleton);
    let [ConversionLoss::ParamsAveraged { chain, bone: worst, from, to, .. }] = losses.as_slice() else {
        panic!("{losses:?}")
    };
    assert_eq!((chain, worst), (&name, &bone));
    assert!((from - (own + count)).abs() < 1e-4 && (to - (own + 1.0)).abs() < 1e-4, "{from} {to}");
    let chain = after.chains.values().next().expect("it stays");
    assert!((0..chain.joints.len()).all(|at| (chain.joint_value(at, rule::STIFFNESS, 0.0) - own - 1.0).abs() < 1e-4));
}

fn run_cli(args: &[&str]) -> (i32, String) {
    let output = support::yuremono_command().args(args).output().expect("it runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns a glTF character with two strands and a skirt, as JSON.
fn gltf_character(extensions: &Value) -> Value {
    let bones = [
        ("Hips", vec![1, 7], [0.0, 0.9, 0.0]),
        ("Head", vec![2, 4], [0.0, 0.6, 0.0]),
        ("Hair_00", vec![3], [0.1, 0.1, 0.0]),
        ("Hair_00_1", vec![6], [0.02, -0.1, 0.0]),
        ("Hair_01", vec![5], [-0.1, 0.1, 0.0]),
        ("Hair_01_1", vec![], [-0.02, -0.1, 0.0]),
        ("Hair_00_2", vec![], [0.02, -0.1, 0.0]),
        ("Skirt_00", vec![8], [0.1, -0.1, 0.0]),
        ("Skirt_00_1", vec![], [0.02, -0.2, 0.0]),
    ];
    let nodes: Vec<Value> = bones
        .iter()
        .map(|(name, children, at)| {
            let mut node = json!({ "name": name, "translation": at });
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        })
        .collect();
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "extensionsUsed": extensions.as_object().map(|map| map.keys().collect::<Vec<_>>()),
        "extensions": extensions,
    })
}

fn vrm_spring_joint(node: u32, stiffness: f64) -> Value {
    json!({ "node": node, "stiffness": stiffness, "dragForce": 0.4, "hitRadius": 0.02, "gravityPower": 0.1 })
}

/// Returns a VRM 1.0 character with named collider groups. One group contains a plane, and no chain uses the last
/// group.
fn vrm1_file() -> Value {
    gltf_character(&json!({
        "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": { "hips": { "node": 0 }, "head": { "node": 1 } } } },
        "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [
                { "node": 1, "shape": { "sphere": { "offset": [0.0, 0.1, 0.0], "radius": 0.1 } } },
                { "node": 0, "shape": { "capsule": { "offset": [0.0, 0.0, 0.0], "tail": [0.08, 0.12, 0.03], "radius": 0.1 } } },
                { "node": 0, "shape": { "sphere": { "offset": [0.0, -10000.0, 0.0], "radius": 0.0 } },
                  "extensions": { "VRMC_springBone_extended_collider": { "specVersion": "1.0",
                    "shape": { "plane": { "offset": [0.0, -0.9, 0.0], "normal": [0.0, 1.0, 0.0] } } } } },
            ],
            "colliderGroups": [
                { "name": "Head", "colliders": [0] },
                { "name": "Torso", "colliders": [1] },
                { "name": "Floor", "colliders": [2] },
                { "name": "Unused", "colliders": [0, 1] },
            ],
            "springs": [
                { "name": "Left", "colliderGroups": [0, 1], "joints": [vrm_spring_joint(2, 0.9), vrm_spring_joint(3, 0.7), vrm_spring_joint(6, 0.5)] },
                { "name": "Right", "colliderGroups": [0], "joints": [vrm_spring_joint(4, 0.9), vrm_spring_joint(5, 0.7)] },
                { "name": "Skirt", "colliderGroups": [1, 2], "joints": [vrm_spring_joint(7, 1.3), vrm_spring_joint(8, 1.3)] },
            ],
        },
    }))
}

fn vrm0_file() -> Value {
    let human = json!([{ "bone": "hips", "node": 0 }, { "bone": "head", "node": 1 }]);
    gltf_character(&json!({ "VRM": {
        "specVersion": "0.0", "humanoid": { "humanBones": human },
        "secondaryAnimation": { "boneGroups": [{ "comment": "hair", "stiffiness": 1.0, "gravityPower": 0.0,
            "gravityDir": { "x": 0.0, "y": -1.0, "z": 0.0 }, "dragForce": 0.4, "center": -1, "hitRadius": 0.02,
            "bones": [2, 4, 7], "colliderGroups": [] }], "colliderGroups": [] },
    } }))
}

fn write_json_file(folder: &Path, name: &str, value: &Value) -> String {
    let path = folder.join(name);
    std::fs::write(&path, serde_json::to_vec(value).expect("JSON")).expect("a writable folder");
    path.to_str().expect("UTF-8").to_owned()
}

fn read_json_file(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

#[test]
fn converting_with_a_csv_of_the_same_file_keeps_its_springs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let file = write_json_file(folder.path(), "girl.gltf", &vrm1_file());
    let [csv, back] = ["girl.csv", "back.gltf"].map(at);
    assert_eq!(run_cli(&["convert", &file, "--out", &csv]).0, 0);
    let (code, stderr) = run_cli(&["convert", &file, "--setup", &csv, "--out", &back]);
    assert_eq!(code, 0, "{stderr}");
    let [was, is] = [read_json_file(&file), read_json_file(&back)].map(|v| v["extensions"]["VRMC_springBone"].clone());
    for key in ["colliders", "colliderGroups"] {
        assert_eq!(is[key], was[key], "{key}");
    }
    for (is, was) in is["springs"].as_array().into_iter().flatten().zip(was["springs"].as_array().into_iter().flatten())
    {
        assert_eq!((&is["name"], &is["colliderGroups"]), (&was["name"], &was["colliderGroups"]));
    }
    assert_eq!(is, was, "numbers that differ only by rounding stay, too");
}

#[test]
fn a_chain_with_other_colliders_in_the_table_leaves_its_collider_group() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let file = write_json_file(folder.path(), "girl.gltf", &vrm1_file());
    let [csv, back] = ["girl.csv", "back.gltf"].map(at);
    assert_eq!(run_cli(&["convert", &file, "--out", &csv]).0, 0);
    let text = std::fs::read_to_string(&csv).expect("written");
    let head = text.lines().find(|line| line.starts_with("Hair_01,")).expect("a row of hair");
    let collider = head.rsplit(',').next().expect("a collider");
    let torso = text.lines().find(|line| line.starts_with("Hair_00,")).expect("a row of hair");
    let torso = torso.split(',').find(|cell| cell.contains("Capsule")).expect("the other collider");
    let text = text.replace(head, &head.replace(collider, torso));
    std::fs::write(&csv, text).expect("a writable folder");
    assert_eq!(run_cli(&["convert", &file, "--setup", &csv, "--out", &back]).0, 0);
    let made = read_json_file(&back)["extensions"]["VRMC_springBone"].clone();
    let group = |spring: usize, at: usize| {
        let place = made["springs"][spring]["colliderGroups"][at].as_u64().expect("a place") as usize;
        made["colliderGroups"][place].clone()
    };
    assert_eq!(made["springs"][1]["colliderGroups"].as_array().map(Vec::len), Some(1));
    assert_eq!(group(1, 0)["colliders"], json!([1]), "the colliders come from the table");
    assert_eq!(group(2, 1)["name"], "Floor", "the skirt keeps its floor");
}

#[test]
fn repeated_conversion_by_the_same_table_writes_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let file = write_json_file(folder.path(), "girl.gltf", &vrm1_file());
    let [csv, first, table, second, third] = ["a.csv", "a.gltf", "b.csv", "b.gltf", "c.gltf"].map(at);
    for args in [
        ["convert", &file, "--setup", &file, "--out", &csv],
        ["convert", &file, "--setup", &csv, "--out", &first],
        ["convert", &first, "--setup", &first, "--out", &table],
        ["convert", &first, "--setup", &table, "--out", &second],
        ["convert", &second, "--setup", &csv, "--out", &third],
    ] {
        let (code, stderr) = run_cli(&args);
        assert_eq!(code, 0, "{stderr}");
    }
    let bytes = |path: &str| std::fs::read(path).expect("written");
    assert!(bytes(&csv) == bytes(&table), "tables");
    assert!(bytes(&first) == bytes(&second) && bytes(&second) == bytes(&third), "characters");
}

#[test]
fn vrm_0_values_are_averaged_only_with_the_average_option() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (new, old) = (
        write_json_file(folder.path(), "new.gltf", &vrm1_file()),
        write_json_file(folder.path(), "old.gltf", &vrm0_file()),
    );
    let [csv, out] = ["new.csv", "out.gltf"].map(at);
    assert_eq!(run_cli(&["convert", &new, "--out", &csv]).0, 0);
    for setup in [&new, &csv] {
        let (code, said) = run_cli(&["convert", &old, "--setup", setup, "--out", &out]);
        assert_eq!(code, 1, "{said}");
        assert_eq!(said.matches("error").count(), 1, "{said}");
        assert!(said.contains("--average") && said.contains("nothing was written"), "{said}");
        assert!(!Path::new(&out).exists());
    }
    for setup in [&new, &csv] {
        let (code, said) = run_cli(&["convert", &old, "--setup", setup, "--average", "--out", &out]);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("mean") && said.contains("\"Left\""), "{said}");
        let groups = read_json_file(&out)["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"].clone();
        let of_left = groups.as_array().into_iter().flatten().find(|g| g["bones"] == json!([2])).cloned();
        let stiffness = of_left.expect("the left strand has a group")["stiffiness"].as_f64().expect("a number");
        assert!(stiffness > 0.65 && stiffness < 0.95, "{stiffness}");
        std::fs::remove_file(&out).expect("written");
    }
    let done = at("done");
    let batch = |more: &[&str]| {
        let args = ["apply", &csv, "--to", &old, "--format", "character", "--out", &done];
        let mut command = support::yuremono_command();
        let output = command.args(args).args(more).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = batch(&[]);
    assert!(code == Some(1) && said.contains("--average"), "{code:?}: {said}");
    let (code, said) = batch(&["--average"]);
    assert!(code == Some(0) && said.contains("mean"), "{code:?}: {said}");
}

#[test]
fn chains_of_a_table_get_their_parts_from_their_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let bare = write_json_file(folder.path(), "bare.gltf", &gltf_character(&json!({})));
    let [csv, project] = ["t.csv", "t.yure"].map(at);
    let row = |bone: &str| format!("{bone},0.02,1000,0.4,0,0,0,0,,False,0,0,False,0,0,100,0\n");
    let rows: String = ["Hair_00", "Hair_00_1", "Skirt_00"].map(row).concat();
    std::fs::write(&csv, format!("version,4\n\n[SpringBones]\n{rows}")).expect("a writable folder");
    let (code, stderr) = run_cli(&["convert", &bare, "--setup", &csv, "--out", &project]);
    assert_eq!(code, 0, "{stderr}");
    let (read, _) = yuremono_format::open::project(Path::new(&project)).expect("a project");
    let opened = yuremono_format::open::character(Path::new(&bare), &|_| true).expect("a character");
    let (document, _) = read.into_document(&opened.character.skeleton);
    let parts: Vec<ChainPart> = document.chains.values().map(|chain| chain.part).collect();
    assert_eq!(parts, [ChainPart::Hair, ChainPart::Skirt]);
    let out = at("out.csv");
    let (code, stderr) = run_cli(&["convert", &bare, "--setup", &csv, "--out", &out]);
    assert_eq!(code, 0, "{stderr}");
    let text = std::fs::read_to_string(&out).expect("written");
    assert!(!text.contains("chain,"), "a part that the name implies needs no row: {text}");
}

#[test]
fn a_part_that_differs_from_the_name_survives_a_csv_round_trip() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let bare = write_json_file(folder.path(), "bare.gltf", &gltf_character(&json!({})));
    let path = Path::new(&bare);
    let opened = yuremono_format::open::character(path, &|_| true).expect("a character");
    let table = SolverKind::UnityChanSpringBone;
    let mut document = Document::with_solver(table);
    for (id, (bone, part)) in
        [(2, ChainPart::Other), (4, ChainPart::Hair), (7, ChainPart::Tail)].into_iter().enumerate()
    {
        let joints = vec![Joint::new(BoneId(bone))];
        let name = opened.character.skeleton.name(BoneId(bone)).to_owned();
        let chain = Chain::new(name, part, table.info().params, joints);
        document.chains.insert(ChainId(id as u32), chain);
    }
    let [project, csv, back] = ["a.yure", "a.csv", "b.yure"].map(at);
    let bytes = project::write(&document, &opened.character.skeleton, &project::ProjectMetadata::default());
    std::fs::write(&project, bytes).expect("a writable folder");
    assert_eq!(run_cli(&["convert", &bare, "--setup", &project, "--out", &csv]).0, 0);
    assert_eq!(run_cli(&["convert", &bare, "--setup", &csv, "--out", &back]).0, 0);
    let (read, _) = yuremono_format::open::project(Path::new(&back)).expect("a project");
    let (document, _) = read.into_document(&opened.character.skeleton);
    let mut parts: Vec<_> = document.chains.values().map(|chain| (chain.root(), chain.part)).collect();
    parts.sort_by_key(|(root, _)| *root);
    assert_eq!(parts, [(BoneId(2), ChainPart::Other), (BoneId(4), ChainPart::Hair), (BoneId(7), ChainPart::Tail)]);
}

#[test]
fn convert_reports_each_loss_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out.csv").to_str().expect("UTF-8").to_owned();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
    let (code, stderr) = run_cli(&["convert", sample, "--solver", "AnimDynamics", "--out", &out]);
    assert_eq!(code, 0, "{stderr}");
    let shapeless = |line: &&str| line.contains("is not exported; the original does not support its shape");
    assert_eq!(stderr.lines().filter(shapeless).count(), 1, "{stderr}");
    assert!(stderr.lines().count() < 12, "{stderr}");
}

#[test]
fn loading_and_saving_a_file_keeps_its_bytes() {
    let bytes = serde_json::to_vec(&vrm1_file()).expect("JSON");
    let source = yuremono_format::source::SourceFile {
        name: "girl.gltf",
        bytes: &bytes,
        read_sibling: &yuremono_format::source::no_siblings,
    };
    let opened = yuremono_format::open::character_from_source(&source, &|_| true).expect("it opens");
    let (saved, _) = vrm::save_springs(&bytes, "girl.gltf", &opened.document, &opened.character).expect("it saves");
    assert!(saved == bytes);
}

#[test]
fn a_change_of_one_millionth_is_written_to_the_file() {
    let mut sample = vrm1_file();
    sample["extensions"]["VRMC_springBone"]["springs"][1]["joints"][0]["gravityPower"] = json!(0.0);
    let bytes = serde_json::to_vec(&sample).expect("JSON");
    let sibling = &yuremono_format::source::no_siblings;
    let source = yuremono_format::source::SourceFile { name: "girl.gltf", bytes: &bytes, read_sibling: sibling };
    let mut opened = yuremono_format::open::character_from_source(&source, &|_| true).expect("it opens");
    let hair = opened.character.skeleton.bones().iter().position(|bone| bone.name == "Hair_01").expect("a bone");
    let chain = opened.document.chains.values_mut().find(|chain| chain.root().index() == hair).expect("its chain");
    chain.joints[0].overrides.insert(rule::GRAVITY_POWER, 1e-6);
    chain.joints[0].overrides.insert(rule::HIT_RADIUS, 0.020_001);
    let (saved, _) = vrm::save_springs(&bytes, "girl.gltf", &opened.document, &opened.character).expect("it saves");
    let made: Value = serde_json::from_slice(&saved).expect("JSON");
    let joint = &made["extensions"]["VRMC_springBone"]["springs"][1]["joints"][0];
    let near = |key: &str, expected: f64| (joint[key].as_f64().expect("a number") / expected - 1.0).abs() < 1e-6;
    assert!(near("gravityPower", 1e-6) && near("hitRadius", 0.020_001), "{joint}");
}
