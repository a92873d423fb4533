//! Tests comment rows of tables (groups, centers, limits, materials) on a character with other bone names. In the
//! library, the window and the command line, comment rows must map to the same bones as the joint rows.

use super::support;
use super::support::window::{WindowFixture, window_harness};
use crate::support::formats::{CSV, PARAMETERS};
use egui::{Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use yuremono::ui::Prefs;
use yuremono::ui::kit::i18n::Lang;
use yuremono_format::open;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::material;
use yuremono_model::document::{Chain, ChainId, ColliderId, Document, Edit, FlipAxis, Node, bone_of_node};
use yuremono_model::exchange::SetupFormat;
use yuremono_model::exchange::{ExportOptions, ImportPlan, MissingReference, SetupFile, export, mappable_names};
use yuremono_model::exchange::{remap::NameMap, remap::NamedBone, remap::RemapRules, remap::plan_remap};
use yuremono_session::{Command, Session};
use yuremono_sim::rig::{BoneId, Character, Skeleton};
use yuremono_sim::{SolverKind, SwingLimit, SwingShape};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const BLENDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
const JAPANESE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-japanese.vrm");

/// Returns a rig of the sample character, which has the same bones with other names.
fn load_character(path: &str) -> Arc<Character> {
    let bytes = std::fs::read(path).expect("our own file");
    let source = SourceFile { name: "rig.vrm", bytes: &bytes, read_sibling: &no_siblings };
    open::character_from_source(&source, &|_| true).expect("our own file loads").character
}

/// Returns the sample character's setup with a solver. With VRM, the setup has groups, centers and a limit; with
/// `EZSoftBone`, it has two materials. Tables store all of these as comment rows.
fn document_with_comment_rows(solver: SolverKind) -> (Arc<Character>, Document) {
    let opened = support::sample(solver);
    let (character, mut document) = (opened.character, opened.document);
    let chains: Vec<ChainId> = document.chains.keys().copied().collect();
    let apply = |document: &mut Document, edit| document.apply(edit).expect("the edit applies");
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
        assert!(document.chains.values().any(|chain| !chain.groups.is_empty()), "the sample file has groups");
    } else {
        for (name, share) in [("Soft", &chains[..4]), ("Stiff", &chains[4..7])] {
            let made = material::create(&document, &character.skeleton, share[0], share, name);
            apply(&mut document, made.expect("the solver has materials").1);
        }
    }
    (character, document)
}

/// Returns a description of each chain, by first bone: its groups with their colliders on matched bones, its center,
/// its material with values, and its limits.
fn chain_descriptions(document: &Document, matched: &BTreeSet<BoneId>) -> BTreeMap<BoneId, String> {
    let is_matched =
        |id: &&ColliderId| bone_of_node(document, document.colliders[id].node).is_some_and(|b| matched.contains(&b));
    let of = |chain: &Chain| {
        let groups = chain.groups.iter().map(|id| {
            let group = &document.groups[id];
            let colliders = group.colliders.iter().filter(is_matched).map(|id| &document.colliders[id].name);
            (&group.name, colliders.collect::<Vec<_>>())
        });
        let groups = groups.filter(|(_, colliders)| !colliders.is_empty());
        let material = document.material_of(chain).map(|material| (&material.name, &material.values));
        // Adding 0 converts -0 to 0.
        let limit = |limit: SwingLimit| (limit.shape, limit.rotation.to_array().map(|part| part + 0.0));
        let limits: Vec<_> = chain.joints.iter().filter_map(|joint| joint.limit.map(limit)).collect();
        format!("{:?} {:?} {material:?} {limits:?}", groups.collect::<Vec<_>>(), chain.center)
    };
    document.chains.values().map(|chain| (chain.root(), of(chain))).collect()
}

/// Checks that every chain of `before` whose bones are all in `matched` has the same description in `after`. Returns
/// the number of these chains.
#[track_caller]
fn check_matched_chains_equal(after: &Document, before: &Document, matched: &BTreeSet<BoneId>) -> usize {
    let (after, then) = (chain_descriptions(after, matched), chain_descriptions(before, matched));
    let whole = before.chains.values().filter(|chain| chain.joints.iter().all(|joint| matched.contains(&joint.bone)));
    let mut count = 0;
    for root in whole.map(Chain::root) {
        assert_eq!(after.get(&root), then.get(&root));
        count += 1;
    }
    count
}

fn export_options(format: SetupFormat) -> ExportOptions {
    ExportOptions::new(format).with_flip_axis(FlipAxis::X)
}

fn export_bytes(document: &Document, skeleton: &Skeleton, format: SetupFormat) -> Vec<u8> {
    tables::write_setup(&export(document, skeleton, export_options(format)).file, export_options(format))
}

fn read_setup_file(bytes: &[u8]) -> SetupFile {
    to_gltf(tables::read_setup(bytes, "hair.csv").expect("an export is readable").0, FlipAxis::X)
}

/// Returns the map from the bone names of the sample file to a rig, and the bones that must be correct.
fn name_map_to(file: &SetupFile, from: &Character, to: &Character) -> (NameMap, BTreeSet<BoneId>) {
    let mut source = NamedBone::from_skeleton(&from.skeleton, &from.humanoid);
    let known: BTreeSet<String> = source.iter().map(|name| name.name.clone()).collect();
    let more = mappable_names(file, &to.skeleton).into_iter().filter(|name| !known.contains(name));
    source.extend(more.map(NamedBone::new));
    name_map_from(&source, from, to, false)
}

/// Like [`name_map_to`], but from given names. If `all` is set, unsure matches are included.
fn name_map_from(source: &[NamedBone], from: &Character, to: &Character, all: bool) -> (NameMap, BTreeSet<BoneId>) {
    let theirs = to.skeleton.bones().iter().map(|bone| bone.name.as_str());
    let rules = RemapRules::with_suggested_affixes(source.iter().map(|s| s.name.as_str()), theirs);
    let mut plan = plan_remap(source, &to.skeleton, &to.humanoid, &rules);
    if all {
        plan.include_all();
    }
    let name_map = plan.name_map();
    let meant = |name: &str| name_map.get(name).copied().unwrap_or_else(|| to.skeleton.find(name));
    let matched = from.skeleton.ids().filter(|bone| meant(from.skeleton.name(*bone)) == Some(*bone)).collect();
    (name_map, matched)
}

#[test]
fn groups_centers_limits_and_materials_follow_renamed_bones() {
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = document_with_comment_rows(solver);
        for path in [BLENDER, JAPANESE] {
            let to = load_character(path);
            for format in [CSV, PARAMETERS] {
                let file = read_setup_file(&export_bytes(&document, &from.skeleton, format));
                let (name_map, matched) = name_map_to(&file, &from, &to);
                let bare = Document::default();
                let plan = ImportPlan::new(file, &[], &bare, &to, &name_map);
                let mut after = bare.clone();
                after.apply(plan.edit(&bare, &to.skeleton)).expect("the edit applies");
                let count = check_matched_chains_equal(&after, &document, &matched);
                assert!(count * 10 > document.chains.len() * 9, "{count} of {}, {path}", document.chains.len());
                // Without a name map, the same file matches no bones.
                let file = read_setup_file(&export_bytes(&document, &from.skeleton, format));
                let plan = ImportPlan::new(file, &[], &bare, &to, &NameMap::new());
                assert!(plan.after_import(&to.skeleton).chains.is_empty());
                assert!(!plan.unresolved_rows().is_empty());
            }
        }
    }
}

#[test]
fn existing_chains_take_the_comment_rows_and_a_second_import_changes_nothing() {
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = document_with_comment_rows(solver);
        let to = load_character(BLENDER);
        let file = read_setup_file(&export_bytes(&document, &from.skeleton, CSV));
        let (name_map, matched) = name_map_to(&file, &from, &to);
        // Keep the bones, but remove groups, centers and materials.
        let mut now = document.clone();
        now.materials.clear();
        now.groups.clear();
        for chain in now.chains.values_mut() {
            (chain.groups, chain.center, chain.material) = (Vec::new(), None, None);
            chain.joints.iter_mut().for_each(|joint| joint.limit = None);
        }
        let before = now.clone();
        let plan = ImportPlan::new(file.clone(), &[], &before, &to, &name_map);
        let changes = now.apply_recorded(plan.edit(&before, &to.skeleton)).expect("the edit applies");
        assert!(check_matched_chains_equal(&now, &document, &matched) > 10);
        let again = ImportPlan::new(file, &[], &now, &to, &name_map);
        let all = to.skeleton.ids().collect();
        assert_eq!(chain_descriptions(&again.after_import(&to.skeleton), &all), chain_descriptions(&now, &all));
        changes.revert(&mut now);
        assert_eq!(now, before);
    }
}

/// Returns a comment row with an entry.
fn comment_row(entry: &Value) -> String {
    format!("#yuremono,2,\"{}\"", entry.to_string().replace('"', "\"\""))
}

/// Returns a comment row of a chain with first bone `root` and additional fields.
fn chain_row(root: &str, fields: &Value) -> String {
    let mut chain = json!({ "name": root, "part": "other" });
    chain.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    comment_row(&json!({ "chain": { "root": root, "chain": chain } }))
}

/// Returns a comment row with the center of the chain that starts at `root`.
fn center_row(root: &str, node: &str) -> String {
    chain_row(root, &json!({ "center": node }))
}

#[test]
fn unresolved_names_are_reported_once_each_with_line_and_reason() {
    let opened = support::sample(SolverKind::Vrm);
    let skeleton = &opened.character.skeleton;
    let chain = opened.document.chains.values().find(|chain| chain.joints.len() > 2).expect("a long chain");
    let name = |at: usize| skeleton.name(chain.joints[at].bone);
    let free = skeleton.ids().find(|bone| opened.document.find_joint(*bone).is_none()).expect("a bone without a joint");
    let details = json!({ "bone": skeleton.name(free), "enabled": false });
    let rows = [
        "version,4".to_owned(),
        "[VRM]".to_owned(),
        center_row("Nobody", name(0)),
        center_row(name(0), "Nowhere"),
        center_row(name(1), name(0)),
        center_row("Nobody", "Nowhere"),
        comment_row(&json!({ "joint": { "scope": "details", "joint": details } })),
        chain_row(name(0), &json!({ "groups": [9] })),
        comment_row(&json!({ "system": { "solver": "VRM", "values": { "m_Bounce": 1 } } })),
        center_row(name(0), skeleton.name(free)),
    ];
    let file = read_setup_file(rows.join("\n").as_bytes());
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &NameMap::new());
    let strangers = plan.unresolved_rows();
    let missing: Vec<_> = strangers.iter().map(|s| (s.missing.clone(), s.line, s.rows)).collect();
    let text = |name: &str| name.to_owned();
    assert_eq!(
        missing,
        [
            (MissingReference::Bone(text("Nobody")), Some(3), 2),
            (MissingReference::Node(text("Nowhere")), Some(4), 1),
            (MissingReference::Chain(text(name(1))), Some(5), 1),
            (MissingReference::Joint(text(skeleton.name(free))), Some(7), 1),
            (MissingReference::Group(9), Some(8), 1),
            (MissingReference::Parameter(text("m_Bounce")), Some(9), 1),
        ]
    );
    assert_eq!(
        strangers[0].diagnostic("hair.csv").to_string(),
        "hair.csv:3: 2 comment rows, first \"chain\": bone \"Nobody\" does not exist; kept for the next export"
    );
    assert_eq!(
        plan.after_import(skeleton).chains[&opened.document.find_joint(chain.root()).expect("a chain").0].center,
        { Some(Node::Bone(free)) }
    );
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

#[test]
fn the_import_dialog_maps_comment_rows_by_plan_and_by_manual_choice() {
    let (from, document) = document_with_comment_rows(SolverKind::Vrm);
    let to = load_character(BLENDER);
    let csv = String::from_utf8(export_bytes(&document, &from.skeleton, CSV)).expect("UTF-8");
    // Give one chain a meaningless name in all rows.
    let strand = document.chains.values().find(|c| !c.groups.is_empty() && c.center.is_some()).expect("a match");
    let root = from.skeleton.name(strand.root()).to_owned();
    let csv = csv.replace(&format!("\n{root},"), "\nQqq,").replace(&format!("\"\"{root}\"\""), "\"\"Qqq\"\"");
    assert!(csv.contains("\nQqq,") && csv.contains("\"\"root\"\":\"\"Qqq\"\""));
    let (file, found) = tables::read_setup(csv.as_bytes(), "hair.csv").expect("a table");
    let prefs = Prefs { lang: Lang::En, reduce_motion: true, ..Prefs::default() };
    let mut fixture = WindowFixture::new(Session::new(to.clone(), Document::default()), prefs);
    fixture.ui.dialogs_mut().open_import("hair.csv", file, found, &fixture.session);
    let mut harness = window_harness(fixture, [1280.0, 720.0]);
    assert!(harness.query_by_label_contains("nothing in the character").is_some(), "no name is mapped yet");
    click_label(&mut harness, "Map names…");
    let confirm = harness.query_by_label_contains("Confirm ").map(|n| n.accesskit_node().label().expect("words"));
    if let Some(confirm) = confirm {
        click_label(&mut harness, &confirm);
    }
    harness.get_by_role_and_label(Role::TextInput, "Name").type_text("Qqq");
    harness.run_steps(4);
    click_label(&mut harness, "Target of Qqq");
    harness.get_by_label("Search bones").type_text(to.skeleton.name(strand.root()));
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    let apply = harness.get_by_label_contains("Apply ").accesskit_node().label().expect("words");
    click_label(&mut harness, &apply);
    let session = &mut harness.state_mut().session;
    let names = mappable_names(&read_setup_file(csv.as_bytes()), &to.skeleton).into_iter().map(NamedBone::new);
    let (_, matched) = name_map_from(&names.collect::<Vec<_>>(), &from, &to, true);
    let same = check_matched_chains_equal(session.document(), &document, &matched);
    assert!(same * 2 > document.chains.len(), "{same} of {}", document.chains.len());
    let led = |document: &Document| chain_descriptions(document, &matched).remove(&strand.root()).expect("a chain");
    assert_eq!(led(session.document()), led(&document), "equal descriptions");
    session.handle(Command::Undo);
    assert_eq!(session.document(), &Document::default(), "one undo step removes the import");
}

fn read_project(path: &Path, character: &Character) -> Document {
    let bytes = std::fs::read(path).expect("written");
    let (project, _) = project::read(&bytes, "out.yure").expect("a project");
    project.into_document(&character.skeleton).0
}

#[test]
fn the_command_line_remaps_comment_rows_and_convert_takes_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |args: &[&str]| {
        let mut program = support::yuremono_command();
        let done = program.current_dir(folder.path()).args(args).assert().success();
        let output = done.get_output();
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
    };
    for solver in [SolverKind::Vrm, SolverKind::EzSoftBone] {
        let (from, document) = document_with_comment_rows(solver);
        let to = load_character(BLENDER);
        let bytes = project::write(&document, &from.skeleton, &ProjectMetadata::default());
        std::fs::write(folder.path().join("girl.yure"), bytes).expect("written");
        let args =
            ["convert", SAMPLE, "--setup", "girl.yure", "--solver", solver.key(), "--overwrite", "--out", "girl.csv"];
        run(&args);
        let csv = std::fs::read_to_string(folder.path().join("girl.csv")).expect("written");
        let line = csv.lines().count() + 1;
        std::fs::write(folder.path().join("girl.csv"), format!("{csv}{}\n", center_row("Qqq", "Zzz")))
            .expect("written");
        let reported =
            run(&["remap", "girl.csv", "--from", SAMPLE, "--to", BLENDER, "--overwrite", "--out", "rig.csv"]);
        let expected = format!("girl.csv:{line}: comment row \"chain\": bone \"Qqq\" does not exist");
        assert!(reported.contains(&expected), "{expected}: {reported}");
        let args =
            ["convert", BLENDER, "--setup", "rig.csv", "--solver", solver.key(), "--overwrite", "--out", "rig.yure"];
        let reported = run(&args);
        assert!(
            reported.contains("rig.csv:") && reported.contains("\"Qqq\""),
            "the unmapped row keeps its name: {reported}"
        );
        let after = read_project(&folder.path().join("rig.yure"), &to);
        let (_, matched) = name_map_to(&read_setup_file(csv.as_bytes()), &from, &to);
        let count = check_matched_chains_equal(&after, &document, &matched);
        assert!(count * 10 > document.chains.len() * 9, "{count} of {}", document.chains.len());
        let reported = run(&["apply", "girl.csv", "--to", BLENDER, "--min-matched", "0"]);
        assert!(reported.contains("\"Qqq\""), "{reported}");
    }
}
