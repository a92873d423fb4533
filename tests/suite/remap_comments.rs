//! What tables say in comment rows (groups, centers, limits, materials) on a character whose bones have other names: it
//! goes where the rows of the joints go, through the library, the window and the command line.

use super::support;
use super::support::window::{Bench, window};
use assert_cmd::Command as Program;
use egui::{Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use yuremono::document::material;
use yuremono::document::{Axis, Chain, ChainId, ColliderId, Document, Edit, Node, bone_under};
use yuremono::exchange::{ExportOptions, ImportPlan, Missing, SetupFile, export, mappable_names};
use yuremono::exchange::{remap::Leads, remap::Rules, remap::SourceName, remap::plan};
use yuremono::format::open;
use yuremono::format::project::{self, Surroundings};
use yuremono::format::source::{Source, no_siblings};
use yuremono::format::tables::{self, TableFormat};
use yuremono::format::unity_space::to_gltf;
use yuremono::rig::{BoneId, Character, Skeleton};
use yuremono::session::{Command, Session};
use yuremono::sim::{SolverKind, SwingLimit, SwingShape};
use yuremono::ui::Prefs;
use yuremono::ui::kit::words::Lang;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const BLENDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
const JAPANESE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-japanese.vrm");

/// The bundled character under other names: bone by bone the same.
fn rig(path: &str) -> Arc<Character> {
    let bytes = std::fs::read(path).expect("a file of ours");
    let source = Source { name: "rig.vrm", bytes: &bytes, sibling: &no_siblings };
    open::character_from(&source, &|_| true).expect("a file of ours loads").character
}

/// Her setup under a solver, with what its tables say in comment rows: under VRM groups, centers and a limit, under
/// `EZSoftBone` two materials.
fn dressed(solver: SolverKind) -> (Arc<Character>, Document) {
    let opened = support::sample(solver);
    let (character, mut document) = (opened.character, opened.document);
    let chains: Vec<ChainId> = document.chains.keys().copied().collect();
    let apply = |document: &mut Document, edit| _ = document.apply(edit).expect("it fits");
    if solver == SolverKind::Vrm {
        let head = character.humanoid.bone("head").map(Node::Bone);
        let hips = character.humanoid.bone("hips").map(Node::Bone);
        for (at, id) in chains.iter().enumerate() {
            let mut chain = document.chains[id].clone();
            chain.center = [head, hips, None][at % 3];
            let shape = SwingShape::Cone { angle: 0.25 + 0.01 * at as f32 };
            chain.joints[0].limit = Some(SwingLimit { shape, rotation: glam::Quat::IDENTITY });
            apply(&mut document, Edit::PutChain { id: *id, chain: Some(Box::new(chain)) });
        }
        assert!(document.chains.values().any(|chain| !chain.groups.is_empty()), "her file has groups");
    } else {
        for (name, share) in [("Soft", &chains[..4]), ("Stiff", &chains[4..7])] {
            let made = material::make(&document, &character.skeleton, share[0], share, name);
            apply(&mut document, made.expect("it has materials").1);
        }
    }
    (character, document)
}

/// Of every chain by its first bone: its groups with their colliders on matched bones, its center, its material with its
/// numbers, limits.
fn said(document: &Document, matched: &BTreeSet<BoneId>) -> BTreeMap<BoneId, String> {
    let is_matched =
        |id: &&ColliderId| bone_under(document, document.colliders[id].node).is_some_and(|b| matched.contains(&b));
    let of = |chain: &Chain| {
        let groups = chain.groups.iter().map(|id| {
            let group = &document.groups[id];
            let colliders = group.colliders.iter().filter(is_matched).map(|id| &document.colliders[id].name);
            (&group.name, colliders.collect::<Vec<_>>())
        });
        let groups = groups.filter(|(_, colliders)| !colliders.is_empty());
        let material = document.material_of(chain).map(|material| (&material.name, &material.values));
        // Whichever sign a zero has.
        let limit = |limit: SwingLimit| (limit.shape, limit.rotation.to_array().map(|part| part + 0.0));
        let limits: Vec<_> = chain.joints.iter().filter_map(|joint| joint.limit.map(limit)).collect();
        format!("{:?} {:?} {material:?} {limits:?}", groups.collect::<Vec<_>>(), chain.center)
    };
    document.chains.values().map(|chain| (chain.root(), of(chain))).collect()
}

/// Every chain of `before` whose bones are all among `matched` says the same after; how many do.
#[track_caller]
fn check_same(after: &Document, before: &Document, matched: &BTreeSet<BoneId>) -> usize {
    let (after, then) = (said(after, matched), said(before, matched));
    let whole = before.chains.values().filter(|chain| chain.joints.iter().all(|joint| matched.contains(&joint.bone)));
    let mut count = 0;
    for root in whole.map(Chain::root) {
        assert_eq!(after.get(&root), then.get(&root));
        count += 1;
    }
    count
}

fn options(format: TableFormat) -> ExportOptions {
    ExportOptions::with_mirror(Axis::X).in_format(format)
}

fn written(document: &Document, skeleton: &Skeleton, format: TableFormat) -> Vec<u8> {
    tables::write_setup(&export(document, skeleton, options(format)).file, options(format))
}

fn read(bytes: &[u8]) -> SetupFile {
    to_gltf(tables::read_setup(bytes, "hair.csv").expect("an export is readable").0, Axis::X)
}

/// Where the names of her file lead on a rig, and the bones that they reach rightly.
fn led(file: &SetupFile, from: &Character, to: &Character) -> (Leads, BTreeSet<BoneId>) {
    let mut source = SourceName::of(&from.skeleton, &from.humanoid);
    let known: BTreeSet<String> = source.iter().map(|name| name.name.clone()).collect();
    let more = mappable_names(file, &to.skeleton).into_iter().filter(|name| !known.contains(name));
    source.extend(more.map(SourceName::new));
    led_from(&source, from, to, false)
}

/// As [`led`], from what is known of the names; `all` takes what is unsure too.
fn led_from(source: &[SourceName], from: &Character, to: &Character, all: bool) -> (Leads, BTreeSet<BoneId>) {
    let theirs = to.skeleton.bones().iter().map(|bone| bone.name.as_str());
    let rules = Rules::suggested(source.iter().map(|s| s.name.as_str()), theirs);
    let mut plan = plan(source, &to.skeleton, &to.humanoid, &rules);
    if all {
        plan.take_all();
    }
    let leads = plan.leads();
    let meant = |name: &str| leads.get(name).copied().unwrap_or_else(|| to.skeleton.find(name));
    let matched = from.skeleton.ids().filter(|bone| meant(from.skeleton.name(*bone)) == Some(*bone)).collect();
    (leads, matched)
}

#[test]
fn groups_centers_limits_and_materials_follow_the_joints_to_bones_of_other_names() {
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = dressed(solver);
        for path in [BLENDER, JAPANESE] {
            let to = rig(path);
            for format in [TableFormat::Csv, TableFormat::Parameters] {
                let file = read(&written(&document, &from.skeleton, format));
                let (leads, matched) = led(&file, &from, &to);
                let bare = Document::default();
                let plan = ImportPlan::new(file, &[], &bare, &to, &leads);
                let mut after = bare.clone();
                after.apply(plan.edit(&bare, &to.skeleton)).expect("it fits");
                let count = check_same(&after, &document, &matched);
                assert!(count * 10 > document.chains.len() * 9, "{count} of {}, {path}", document.chains.len());
                // The same file without leads finds none of them.
                let file = read(&written(&document, &from.skeleton, format));
                let plan = ImportPlan::new(file, &[], &bare, &to, &Leads::new());
                assert!(plan.after(&to.skeleton).chains.is_empty());
                assert!(!plan.unresolved().is_empty());
            }
        }
    }
}

#[test]
fn chains_with_a_setup_of_their_own_get_what_the_table_says_and_nothing_at_a_second_time() {
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = dressed(solver);
        let to = rig(BLENDER);
        let file = read(&written(&document, &from.skeleton, TableFormat::Csv));
        let (leads, matched) = led(&file, &from, &to);
        // The same bones, as they swayed before anything was said of groups, centers and materials.
        let mut now = document.clone();
        now.materials.clear();
        now.groups.clear();
        for chain in now.chains.values_mut() {
            (chain.groups, chain.center, chain.material) = (Vec::new(), None, None);
            chain.joints.iter_mut().for_each(|joint| joint.limit = None);
        }
        let before = now.clone();
        let plan = ImportPlan::new(file.clone(), &[], &before, &to, &leads);
        let (back, _) = now.apply(plan.edit(&before, &to.skeleton)).expect("it fits");
        assert!(check_same(&now, &document, &matched) > 10);
        let again = ImportPlan::new(file, &[], &now, &to, &leads);
        let all = to.skeleton.ids().collect();
        assert_eq!(said(&again.after(&to.skeleton), &all), said(&now, &all));
        now.apply(back).expect("and back");
        assert_eq!(now, before);
    }
}

/// A comment row of an entry.
fn comment(entry: &Value) -> String {
    format!("#yuremono,2,\"{}\"", entry.to_string().replace('"', "\"\""))
}

/// A comment row of a chain with that first bone, with more fields.
fn chain_row(root: &str, fields: &Value) -> String {
    let mut chain = json!({ "name": root, "part": "other" });
    chain.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    comment(&json!({ "chain": { "root": root, "chain": chain } }))
}

/// A comment row that says where a chain's center is.
fn center(root: &str, node: &str) -> String {
    chain_row(root, &json!({ "center": node }))
}

#[test]
fn names_that_nobody_has_are_told_once_each_with_their_line_and_the_reason() {
    let opened = support::sample(SolverKind::Vrm);
    let skeleton = &opened.character.skeleton;
    let chain = opened.document.chains.values().find(|chain| chain.joints.len() > 2).expect("a long chain");
    let name = |at: usize| skeleton.name(chain.joints[at].bone);
    let free = skeleton.ids().find(|bone| opened.document.joint_of(*bone).is_none()).expect("a still bone");
    let details = json!({ "bone": skeleton.name(free), "enabled": false });
    let rows = [
        "version,4".to_owned(),
        "[VRM]".to_owned(),
        center("Nobody", name(0)),
        center(name(0), "Nowhere"),
        center(name(1), name(0)),
        center("Nobody", "Nowhere"),
        comment(&json!({ "joint": { "scope": "details", "joint": details } })),
        chain_row(name(0), &json!({ "groups": [9] })),
        comment(&json!({ "system": { "solver": "VRM", "values": { "m_Bounce": 1 } } })),
        center(name(0), skeleton.name(free)),
    ];
    let file = read(rows.join("\n").as_bytes());
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &Leads::new());
    let strangers = plan.unresolved();
    let missing: Vec<_> = strangers.iter().map(|s| (s.missing.clone(), s.line, s.rows)).collect();
    let text = |name: &str| name.to_owned();
    assert_eq!(
        missing,
        [
            (Missing::Bone(text("Nobody")), Some(3), 2),
            (Missing::Node(text("Nowhere")), Some(4), 1),
            (Missing::Chain(text(name(1))), Some(5), 1),
            (Missing::Joint(text(skeleton.name(free))), Some(7), 1),
            (Missing::Group(9), Some(8), 1),
            (Missing::Parameter(text("m_Bounce")), Some(9), 1),
        ]
    );
    assert_eq!(
        strangers[0].diagnostic("hair.csv").to_string(),
        "hair.csv:3: 2 comment rows, the first \"chain\": there is no bone \"Nobody\" here; kept for an export"
    );
    assert_eq!(plan.after(skeleton).chains[&opened.document.joint_of(chain.root()).expect("it is there").0].center, {
        Some(Node::Bone(free))
    });
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

#[test]
fn the_window_leads_comment_rows_by_its_plan_and_by_what_is_chosen_by_hand() {
    let (from, document) = dressed(SolverKind::Vrm);
    let to = rig(BLENDER);
    let csv = String::from_utf8(written(&document, &from.skeleton, TableFormat::Csv)).expect("UTF-8");
    // One strand has a name that says nothing, in all rows.
    let strand = document.chains.values().find(|c| !c.groups.is_empty() && c.center.is_some()).expect("a strand");
    let root = from.skeleton.name(strand.root()).to_owned();
    let csv = csv.replace(&format!("\n{root},"), "\nQqq,").replace(&format!("\"\"{root}\"\""), "\"\"Qqq\"\"");
    assert!(csv.contains("\nQqq,") && csv.contains("\"\"root\"\":\"\"Qqq\"\""));
    let (file, found) = tables::read_setup(csv.as_bytes(), "hair.csv").expect("a table");
    let prefs = Prefs { lang: Lang::En, reduce_motion: true, ..Prefs::default() };
    let mut bench = Bench::new(Session::new(to.clone(), Document::default()), prefs);
    bench.ui.windows_mut().offer_setup("hair.csv", file, found, &bench.session);
    let mut harness = window(bench, [1280.0, 720.0]);
    assert!(harness.query_by_label_contains("Rows that match nothing here").is_some(), "nothing is led yet");
    click(&mut harness, "Map names…");
    let confirm = harness.query_by_label_contains("Confirm ").map(|n| n.accesskit_node().label().expect("words"));
    if let Some(confirm) = confirm {
        click(&mut harness, &confirm);
    }
    harness.get_by_role_and_label(Role::TextInput, "Name").type_text("Qqq");
    harness.run_steps(4);
    click(&mut harness, "Target of Qqq");
    harness.get_by_label("Search a bone").type_text(to.skeleton.name(strand.root()));
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    let apply = harness.get_by_label_contains("Apply ").accesskit_node().label().expect("words");
    click(&mut harness, &apply);
    let session = &mut harness.state_mut().session;
    let names = mappable_names(&read(csv.as_bytes()), &to.skeleton).into_iter().map(SourceName::new);
    let (_, matched) = led_from(&names.collect::<Vec<_>>(), &from, &to, true);
    let same = check_same(session.document(), &document, &matched);
    assert!(same * 2 > document.chains.len(), "{same} of {}", document.chains.len());
    let led = |document: &Document| said(document, &matched).remove(&strand.root()).expect("it is there");
    assert_eq!(led(session.document()), led(&document), "led by hand");
    session.handle(Command::Undo);
    assert_eq!(session.document(), &Document::default(), "one step");
}

fn project_of(path: &Path, character: &Character) -> Document {
    let bytes = std::fs::read(path).expect("written");
    let (project, _) = project::read(&bytes, "out.yure").expect("a project");
    project.into_document(&character.skeleton).0
}

#[test]
fn the_command_line_remaps_comment_rows_and_convert_takes_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |args: &[&str]| {
        let mut program = Program::cargo_bin("yuremono").expect("built with the tests");
        let done = program.current_dir(folder.path()).args(args).assert().success();
        let output = done.get_output();
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
    };
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = dressed(solver);
        let to = rig(BLENDER);
        let bytes = project::write(&document, &from.skeleton, &Surroundings::default());
        std::fs::write(folder.path().join("girl.yure"), bytes).expect("written");
        let args =
            ["convert", SAMPLE, "--setup", "girl.yure", "--solver", solver.key(), "--overwrite", "--out", "girl.csv"];
        run(&args);
        let csv = std::fs::read_to_string(folder.path().join("girl.csv")).expect("written");
        let line = csv.lines().count() + 1;
        std::fs::write(folder.path().join("girl.csv"), format!("{csv}{}\n", center("Qqq", "Zzz"))).expect("written");
        let told = run(&["remap", "girl.csv", "--from", SAMPLE, "--to", BLENDER, "--overwrite", "--out", "rig.csv"]);
        let expected = format!("girl.csv:{line}: comment row \"chain\": there is no bone \"Qqq\" here");
        assert!(told.contains(&expected), "{expected}: {told}");
        let args =
            ["convert", BLENDER, "--setup", "rig.csv", "--solver", solver.key(), "--overwrite", "--out", "rig.yure"];
        let told = run(&args);
        assert!(told.contains("rig.csv:") && told.contains("\"Qqq\""), "it was kept under its name: {told}");
        let after = project_of(&folder.path().join("rig.yure"), &to);
        let (_, matched) = led(&read(csv.as_bytes()), &from, &to);
        let count = check_same(&after, &document, &matched);
        assert!(count * 10 > document.chains.len() * 9, "{count} of {}", document.chains.len());
        let told = run(&["apply", "girl.csv", "--to", BLENDER, "--min-matched", "0"]);
        assert!(told.contains("\"Qqq\""), "{told}");
    }
}
