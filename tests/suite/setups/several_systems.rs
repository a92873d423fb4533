//! Tests files of several systems: one step exports or imports all systems.

use super::{sample, schema_error};
use crate::support::formats::PARAMETERS;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::open::OpenedCharacter;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::tables;
use yuremono_model::document::{ChainId, Document, Edit, EditLabel, Node, System, SystemId};
use yuremono_model::exchange::{ExportLoss, ExportOptions, FileSection, ImportPlan, ImportRowStatus, export};
use yuremono_model::feel::convert::convert_chains;
use yuremono_model::tools::components::split_off_chains;
use yuremono_session::{Command, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::solver::dynamic_bone::UPDATE_RATE;
use yuremono_sim::{SolverKind, TipSetup};

fn chains_with_bone_name(opened: &OpenedCharacter, document: &Document, part: &str) -> BTreeSet<ChainId> {
    let named = |bone| opened.character.skeleton.name(bone).contains(part);
    let has = |(_, c): &(&ChainId, &yuremono_model::document::Chain)| c.joints.iter().any(|j| named(j.bone));
    document.chains.iter().filter(has).map(|(id, _)| *id).collect()
}

/// Returns the sample character with several solvers. The skirt uses VRM, each twin tail uses a `DynamicBone` system
/// with its own rate, and everything else uses `UnityChanSpringBone`.
pub(super) fn four_systems() -> (OpenedCharacter, Document) {
    let opened = sample(SolverKind::Vrm);
    let mut document = opened.document.clone();
    let tails = chains_with_bone_name(&opened, &document, "Twin");
    let skirt = chains_with_bone_name(&opened, &document, "Skirt");
    let rest: BTreeSet<_> =
        document.chains.keys().copied().filter(|id| !tails.contains(id) && !skirt.contains(id)).collect();
    assert!(tails.len() > 1 && !skirt.is_empty() && !rest.is_empty());
    for (chains, solver) in [(&rest, SolverKind::UnityChanSpringBone), (&tails, SolverKind::DynamicBone)] {
        document = convert_chains(&document, &opened.character, chains, solver).after;
    }
    let one: BTreeSet<_> = tails.iter().take(1).copied().collect();
    let (edit, own) = split_off_chains(&document, &one, "").expect("the other tail remains");
    document.apply(edit).expect("the edit applies");
    document.systems.get_mut(&own).expect("a system").values.set(UPDATE_RATE, 90.0);
    document.systems.get_mut(&own).expect("a system").component =
        opened.character.humanoid.bone("head").map(Node::Bone);
    assert_eq!(document.systems.len(), 4);
    (opened, document)
}

/// Returns the export options for all systems, or for the systems of one solver.
fn export_options(solver: Option<SolverKind>) -> ExportOptions {
    ExportOptions { solver, ..ExportOptions::new(DEFAULT_FORMAT) }.for_format(PARAMETERS)
}

pub(super) fn export_bytes(document: &Document, skeleton: &Skeleton, solver: Option<SolverKind>) -> Vec<u8> {
    let options = export_options(solver);
    tables::write_setup(&export(document, skeleton, options).file, options)
}

fn import_plan(bytes: &[u8], document: &Document, opened: &OpenedCharacter) -> ImportPlan {
    let (file, found) = tables::read_setup(bytes, "t.json").expect("an export is readable");
    assert!(found.iter().all(|d| d.severity == yuremono_sim::diagnostics::Severity::Info), "{found:?}");
    ImportPlan::new(file, &[], document, &opened.character, &BTreeMap::new())
}

/// Returns the bytes of a file with the given systems in this order, each with chains of the named bones.
pub(super) fn setup_file_of_systems(systems: &[(SolverKind, &[&[&str]])]) -> Vec<u8> {
    let (mut all, mut chains) = (serde_json::Map::new(), serde_json::Map::new());
    for (at, (solver, own)) in systems.iter().enumerate() {
        all.insert(at.to_string(), json!({ "solver": solver.key() }));
        for bones in *own {
            let joints: Vec<Value> = bones.iter().map(|bone| json!({ "bone": bone })).collect();
            let chain = json!({ "name": bones.first(), "system": at, "joints": joints });
            chains.insert((chains.len() + 1).to_string(), chain);
        }
    }
    let setup = json!({ "systems": all, "chains": chains });
    json!({ "format": "yuremono-setup", "version": 1, "setup": setup }).to_string().into_bytes()
}

/// Returns the input of the solvers as text that is independent of ids.
fn solver_inputs_as_text(document: &Document, skeleton: &Skeleton) -> Vec<String> {
    let resolved = document.resolve(skeleton);
    let name = |bone: BoneId| resolved.skeleton.name(bone).to_owned();
    let mut all = Vec::new();
    for (system, id) in
        resolved.systems.iter().zip(&resolved.system_ids).filter(|(system, _)| !system.joints.is_empty())
    {
        let table = document.systems[id].param_defs();
        let of = |scope: ParamScope| {
            enumerate_params(table).filter(move |(_, def)| def.scope == scope).map(|(param, _)| param)
        };
        let whole: Vec<f32> = of(ParamScope::System).map(|param| system.values.get(param)).collect();
        let roots: BTreeMap<u32, String> =
            system.joints.iter().rev().map(|joint| (joint.chain, name(joint.bone))).collect();
        let mut joints: Vec<String> = system
            .joints
            .iter()
            .map(|joint| {
                let values: Vec<f32> = of(ParamScope::Joint).map(|param| joint.values.get(param)).collect();
                let tip = match &joint.tip {
                    TipSetup::Bones(bones) => format!("{:?}", bones.iter().map(|b| name(*b)).collect::<Vec<_>>()),
                    offset @ TipSetup::Offset(_) => format!("{offset:?}"),
                };
                // Some solvers test one kind of shape after another, and their tables list shapes in the same order.
                let mut pushed: Vec<String> = joint
                    .colliders
                    .iter()
                    .map(|at| &system.colliders[*at as usize])
                    // Tables contain only shapes that the solver supports.
                    .filter(|c| system.solver.info().supports_shape(&c.shape))
                    .map(|c| format!("{} {:?} {}", name(c.bone), c.shape, c.enabled))
                    .collect();
                pushed.sort();
                let lengths: Vec<_> = joint.length_targets.iter().map(|t| (name(t.bone), t.stiffness)).collect();
                // In a table, a joint without a pivot has its parent as pivot, and disabled limits.
                let parent = resolved.skeleton.get_parent(joint.bone);
                let pivot = joint.pivot.filter(|pivot| parent != Some(*pivot)).map(name);
                let on = (joint.enabled, joint.animated);
                let root = &roots[&joint.chain];
                format!("{} {root} {tip} {values:?} {pivot:?} {pushed:?} {lengths:?} {on:?}", name(joint.bone))
            })
            .collect();
        joints.sort();
        all.push(format!("{:?} {:?} {whole:?}\n{}", system.solver, system.component.map(name), joints.join("\n")));
    }
    all.sort();
    all
}

#[track_caller]
pub(super) fn check_equal_for_solvers(after: &Document, before: &Document, skeleton: &Skeleton) {
    let (after, before) = (solver_inputs_as_text(after, skeleton), solver_inputs_as_text(before, skeleton));
    assert_eq!(after.len(), before.len());
    for (a, b) in after.iter().zip(&before) {
        let other = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        assert_eq!(other, None);
        assert_eq!(a.lines().count(), b.lines().count());
    }
}

#[test]
fn every_system_is_restored_in_an_empty_document() {
    let (opened, document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let bytes = export_bytes(&document, skeleton, None);
    assert_eq!(schema_error(&bytes), None);
    let fresh = Document::default();
    let plan = import_plan(&bytes, &fresh, &opened);
    assert_eq!(plan.file().systems.len(), 4);
    let mut after = fresh.clone();
    after.apply(plan.edit(&fresh, skeleton)).expect("the edit applies");
    check_equal_for_solvers(&after, &document, skeleton);
    assert_eq!(after.colliders.len(), document.colliders.len(), "each collider exists once");
    assert_eq!(after.systems.len(), 4, "no other system exists");
}

#[test]
fn importing_all_systems_converts_existing_chains_in_one_step() {
    let (opened, document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let bytes = export_bytes(&document, skeleton, None);
    let mut session = Session::new(opened.character.clone(), opened.document.clone());
    let plan = import_plan(&bytes, session.document(), &opened);
    assert!(plan.conversion().is_some(), "VRM chains change their solver first");
    let edit = plan.edit(session.document(), skeleton);
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 4))));
    assert!(crate::support::no_edit_rejected(&session));
    let rates = |document: &Document| -> BTreeSet<u32> {
        let own = document.systems.values().filter(|s| s.solver == SolverKind::DynamicBone);
        own.map(|system| system.get(UPDATE_RATE) as u32).collect()
    };
    assert_eq!(rates(session.document()), rates(&document));
    let joints = |document: &Document| -> BTreeMap<String, SolverKind> {
        let all = document.chains.values().flat_map(|c| c.joints.iter().map(move |j| (j.bone, c)));
        all.map(|(bone, chain)| (skeleton.name(bone).to_owned(), document.solver_of(chain))).collect()
    };
    assert_eq!(joints(session.document()), joints(&document));
    session.handle(Command::Undo);
    assert_eq!(session.document(), &opened.document);
    // A second import changes nothing.
    session.handle(Command::Redo);
    let again = import_plan(&bytes, session.document(), &opened);
    assert_eq!(again.edit(session.document(), skeleton), Edit::Batch(Vec::new()));
}

#[test]
fn exporting_one_solver_writes_all_of_its_systems() {
    let (opened, document) = four_systems();
    let bytes = export_bytes(&document, &opened.character.skeleton, Some(SolverKind::DynamicBone));
    let (file, _) = tables::read_setup(&bytes, "t.json").expect("readable");
    assert_eq!(file.systems.iter().map(|system| system.solver).collect::<Vec<_>>(), [SolverKind::DynamicBone; 2]);
    let options = export_options(Some(SolverKind::DynamicBone));
    let losses = export(&document, &opened.character.skeleton, options).losses;
    assert!(losses.iter().any(|loss| loss.to_string().contains("a table of their own")), "{losses:?}");
}

#[test]
fn systems_are_matched_by_name_and_otherwise_by_order() {
    let (opened, mut document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let own: Vec<_> =
        document.systems.iter().filter(|(_, s)| s.solver == SolverKind::DynamicBone).map(|(id, _)| *id).collect();
    for (id, name) in own.iter().zip(["Left", "Right"]) {
        document.systems.get_mut(id).expect("it exists").name = name.to_owned();
    }
    let bytes = export_bytes(&document, skeleton, None);
    // In the other document, the systems have each other's names and equal rates.
    let mut other = document.clone();
    for (id, name) in own.iter().zip(["Right", "Left"]) {
        let system = other.systems.get_mut(id).expect("it exists");
        system.name = name.to_owned();
        system.values.set(UPDATE_RATE, 30.0);
        system.component = None;
    }
    let after = import_plan(&bytes, &other, &opened).after_import(skeleton);
    let rate = |document: &Document, name: &str| {
        document.systems.values().find(|s| s.name == name).map(|s| s.get(UPDATE_RATE)).expect("it exists")
    };
    assert_eq!((rate(&after, "Left"), rate(&after, "Right")), (rate(&document, "Left"), rate(&document, "Right")));
    assert_eq!(after.systems.len(), 4);
    assert_eq!(after.systems[&own[0]].name, "Right", "the system keeps its id");
    check_equal_for_solvers(&after, &document, skeleton);
    // Without names, systems are matched by their values.
    for id in &own {
        other.systems.get_mut(id).expect("it exists").name.clear();
    }
    let after = import_plan(&bytes, &other, &opened).after_import(skeleton);
    assert_eq!(after.systems.len(), 4);
    assert_eq!(own.iter().map(|id| after.systems[id].name.as_str()).collect::<Vec<_>>(), ["Left", "Right"]);
}

#[test]
fn a_chain_in_two_systems_is_split_and_a_shared_bone_belongs_to_the_later_one() {
    let opened = sample(SolverKind::Vrm);
    let skeleton = &opened.character.skeleton;
    let long = opened.document.chains.values().find(|c| c.joints.len() > 4).expect("a long chain");
    let bones: Vec<&str> = long.joints.iter().map(|j| skeleton.name(j.bone)).collect();
    let file = setup_file_of_systems(&[(SolverKind::Vrm, &[&bones[..3]]), (SolverKind::DynamicBone, &[&bones[2..]])]);
    let plan = import_plan(&file, &opened.document, &opened);
    let third = plan.rows_of(FileSection::Joints).nth(2).expect("three VRM joints");
    assert!(matches!(third.1.status, ImportRowStatus::Duplicate(_)), "{:?}", third.1);
    let mut after = opened.document.clone();
    after.apply(plan.edit(&opened.document, skeleton)).expect("the edit applies");
    let of = |bone: &str| {
        let all = after.chains.values().filter(|c| c.joints.iter().any(|j| skeleton.name(j.bone) == bone));
        all.map(|chain| after.solver_of(chain)).collect::<Vec<_>>()
    };
    assert_eq!(of(bones[1]), [SolverKind::Vrm]);
    assert_eq!(of(bones[2]), [SolverKind::DynamicBone], "only one chain contains the bone");
    assert_eq!(of(bones[4]), [SolverKind::DynamicBone]);
}

#[test]
fn an_unmatched_system_name_keeps_names_and_nodes_of_existing_systems() {
    let (opened, mut document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let own: Vec<_> =
        document.systems.iter().filter(|(_, s)| s.solver == SolverKind::DynamicBone).map(|(id, _)| *id).collect();
    for (id, name) in own.iter().zip(["Left", "Right"]) {
        document.systems.get_mut(id).expect("it exists").name = name.to_owned();
    }
    let hips = skeleton.name(opened.character.humanoid.bone("hips").expect("the sample has hips"));
    let over = |name: &str| {
        let system = json!({ "solver": "DynamicBone", "name": name, "component": hips });
        let file = json!({ "format": "yuremono-setup", "version": 1, "setup": { "systems": { "0": system } } });
        import_plan(file.to_string().as_bytes(), &document, &opened).after_import(skeleton)
    };
    assert_eq!(over("Elsewhere").systems, document.systems);
    let after = over("Right");
    assert_eq!(after.systems[&own[0]], document.systems[&own[0]]);
    assert_eq!(after.systems[&own[1]].component.map(Some), Some(skeleton.find(hips).map(Node::Bone)));
}

#[test]
fn rows_used_by_a_later_system_are_not_reported_as_unmatched() {
    let opened = sample(SolverKind::Vrm);
    let long = opened.document.chains.values().find(|c| c.joints.len() > 4).expect("a long chain");
    let bones: Vec<&str> = long.joints.iter().map(|j| opened.character.skeleton.name(j.bone)).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let reported_message = |first: &[&str]| {
        let file = setup_file_of_systems(&[(SolverKind::Vrm, &[first]), (SolverKind::DynamicBone, &[&bones[2..4]])]);
        std::fs::write(folder.path().join("two.json"), file).expect("written");
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
        let mut program = crate::support::yuremono_command();
        let args = ["convert", sample, "--setup", "two.json", "--out", "out.json"];
        let done = program.current_dir(folder.path()).args(args).assert().success();
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        _ = std::fs::remove_file(folder.path().join("out.json"));
        stderr.lines().find(|line| line.contains("match no bone of the character")).map(str::to_owned)
    };
    assert_eq!(reported_message(&bones[..3]), None);
    let one = reported_message(&[&bones[..3], &["Nobody's"]].concat()).expect("one bone is missing");
    assert!(one.contains("1 of 6 rows match no bone of the character"), "{one}");
}

#[test]
fn the_command_line_imports_and_exports_all_systems() {
    let (opened, document) = four_systems();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let project = project::write(&document, &opened.character.skeleton, &ProjectMetadata::default());
    std::fs::write(at("four.yure"), project).expect("written");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
    let run = |args: &[&str]| {
        let mut program = crate::support::yuremono_command();
        program.current_dir(folder.path()).args(args).assert().success();
    };
    let json =
        |name: &str| -> Value { serde_json::from_slice(&std::fs::read(at(name)).expect("written")).expect("JSON") };
    let systems = |file: &Value| file["setup"]["systems"].as_object().cloned().expect("an object");
    let rates = |file: &Value| -> Vec<f64> {
        systems(file).values().filter_map(|system| system["values"]["m_UpdateRate"].as_f64()).collect()
    };
    run(&["convert", sample, "--setup", "four.yure", "--out", "four.json"]);
    let first = json("four.json");
    assert_eq!(systems(&first).len(), 4);
    assert_eq!(rates(&first).len(), 2);
    run(&["convert", sample, "--setup", "four.json", "--out", "again.json"]);
    run(&["remap", "four.json", "--to", sample, "--out", "remapped.json"]);
    run(&["apply", "four.json", "--to", sample, "--out", "out"]);
    run(&["check", "four.json"]);
    run(&["simulate", sample, "--setup", "four.json", "--seconds", "0.1", "--out", "tips.csv"]);
    for name in ["again.json", "remapped.json", "out/sample.json"] {
        let file = json(name);
        assert_eq!(systems(&file).len(), 4, "{name}");
        assert_eq!(rates(&file).iter().sum::<f64>(), rates(&first).iter().sum::<f64>(), "{name}");
    }
}

#[test]
fn exporting_more_systems_than_can_be_read_is_reported() {
    let opened = sample(SolverKind::DynamicBone);
    let skeleton = &opened.character.skeleton;
    let with = |count: u32| {
        let mut document = opened.document.clone();
        for at in 1..count {
            let name = format!("component {at}");
            document
                .systems
                .insert(SystemId(100 + at), System { name, ..System::with_solver(SolverKind::DynamicBone) });
        }
        document
    };
    let losses = |document: &Document| {
        let all = export(document, skeleton, export_options(None)).losses.into_iter();
        all.filter(|loss| matches!(loss, ExportLoss::TooManySystems(_))).collect::<Vec<_>>()
    };
    assert_eq!(losses(&with(64)), []);
    let document = with(70);
    assert_eq!(losses(&document), [ExportLoss::TooManySystems(70)]);
    let reported_message = losses(&document)[0].diagnostic("all.json").to_string();
    assert_eq!(reported_message, "all.json: the file has 70 systems; readers use the first 64 only");
    let (file, found) = tables::read_setup(&export_bytes(&document, skeleton, None), "all.json").expect("readable");
    assert_eq!(file.systems.len(), 64);
    assert!(found.iter().any(|d| d.message.contains("70 systems; at most 64")), "{found:?}");
}
