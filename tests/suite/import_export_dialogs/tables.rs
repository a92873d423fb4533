//! Tests complete tables in the import and export dialogs: sections, import modes, mirror previews, encodings and
//! remembered choices.

use super::*;
use crate::support::formats::{CSV, PARAMETERS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use yuremono::tr;
use yuremono::ui::{OverlayLineKind, TableExportPrefs};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_model::document::{Joint, JointEntry, ReplacedProperties, SetupEntry};
use yuremono_model::exchange::LineEnding;
use yuremono_model::exchange::{FileEntry, FileSection, SetupFile};
use yuremono_model::feel::{convert::convert, convert::convert_chains};
use yuremono_session::Command;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character};

fn recording_path(case: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/unitychan-csv").join(case).join(file)
}

fn recording_text(case: &str, file: &str) -> String {
    std::fs::read_to_string(recording_path(case, file)).expect("a recorded table")
}

/// Returns a session with the bones of a recorded scene, mirrored in X, without a setup.
fn recorded_session(case: &str, file: &str) -> Session {
    let scene: Value = serde_json::from_str(&recording_text(case, file)).expect("JSON");
    let numbers = |value: &Value| -> Vec<f32> {
        value.as_array().expect("numbers").iter().map(|n| n.as_f64().expect("a number") as f32).collect()
    };
    let bones = scene["nodes"].as_array().expect("nodes").iter().map(|node| {
        let (t, r) = (numbers(&node["t"]), numbers(&node["r"]));
        Bone {
            name: node["name"].as_str().expect("a name").to_owned(),
            parent: u32::try_from(node["parent"].as_i64().expect("a parent")).ok().map(BoneId),
            rest: Trs {
                translation: glam::Vec3::new(-t[0], t[1], t[2]),
                rotation: glam::Quat::from_xyzw(r[0], -r[1], -r[2], r[3]),
                scale: glam::Vec3::from_slice(&numbers(&node["s"])),
            },
        }
    });
    let skeleton = Skeleton::new(bones.collect()).expect("parents come first");
    let character = Character { name: "recorded.vrm".to_owned(), skeleton, ..Character::default() };
    Session::new(Arc::new(character), Document::default())
}

/// Returns a table for the character: a valid sphere, a sphere without a parent, an unreadable sphere, and a plain
/// node. The spheres are next to a bone that points sideways, so that a wrong mirror axis is visible.
fn table_with_colliders_and_nodes(session: &Session) -> String {
    let skeleton = &session.character().skeleton;
    let arm = session.character().humanoid.bone("leftLowerArm").expect("the sample has an arm");
    let arm = skeleton.name(arm);
    let row =
        |name: &str, parent: &str, radius: &str| format!("{name},{parent},-0.15,0,0.02,0,0,0,1,1,1,sp,{radius}\n");
    let text = table_with_higher_stiffness(session);
    let bones: Vec<&str> = bone_row_lines(&text).iter().map(|at| text.lines().nth(*at).expect("a row")).collect();
    format!(
        "version,4\n\n[SpringBones]\n{}\n\n[Colliders]\n{}{}{}\n[DynamicsNulls]\nShelf,{arm},0,0.1,0,0,0,0,1,1,1\n",
        bones.join("\n"),
        row("Ball", arm, "0.05"),
        row("Adrift", "Nowhere", "0.05"),
        row("Odd", arm, "o.5"),
    )
}

/// Returns the session of [`session_with_values_that_csv_cannot_store`], with an extension value that UnityChan does
/// not have.
fn session_with_improvement() -> Session {
    let mut sample = session_with_values_that_csv_cannot_store();
    let beyond = |(_, def): &(_, &yuremono_sim::params::ParamDef)| {
        def.extension
            && def.scope == yuremono_sim::params::ParamScope::System
            && def.kind == yuremono_sim::params::ParamKind::Toggle
    };
    let (param, def) = enumerate_params(sample.document().main_system().param_defs())
        .find(beyond)
        .expect("an improvement of the whole character");
    sample.handle(Command::SetParam(param, if def.default == 0.0 { 1.0 } else { 0.0 }));
    sample
}

fn click_role(harness: &mut Harness<'static, DialogFixture>, role: Role, label: &str) {
    harness.get_by_role_and_label(role, label).click();
    harness.run_steps(4);
}

fn import_harness(text: &str, session: Session, prefs: Prefs) -> Harness<'static, DialogFixture> {
    let mut fixture = dialog_fixture(session, prefs);
    fixture.open_import(text);
    dialog_harness(fixture)
}

/// Returns all texts that a screen reader reads.
fn accessible_texts(harness: &Harness<'static, DialogFixture>) -> Vec<String> {
    let nodes = harness.get_all(By::new().predicate(|_| true)).map(|node| {
        let node = node.accesskit_node();
        [node.label(), node.value()]
    });
    nodes.flatten().flatten().collect()
}

#[test]
fn the_import_dialog_lists_the_rows_of_a_section() {
    let session = sample_session();
    let text = table_with_colliders_and_nodes(&session);
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    click_role(&mut harness, Role::RadioButton, "Colliders");
    let rows: Vec<_> =
        harness.get_all_by_role(Role::Row).map(|r| (r.accesskit_node().label(), r.accesskit_node().value())).collect();
    let row = |name: &str, says: &str| (Some(name.to_owned()), Some(says.to_owned()));
    assert_eq!(
        rows,
        [
            row("Ball", "Sphere 50 mm, will be created"),
            row("Adrift", "Sphere 50 mm, Nowhere not found; row kept"),
            row("Odd", &format!("–, line {}, radius: “o.5” is not a number", text.lines().count() - 3)),
        ]
    );
    harness.get_by_label("1 usable");
    click_label(&mut harness, "1 without target");
    assert_eq!(harness.get_all_by_role(Role::Row).count(), 1);
}

#[test]
fn importing_included_rows_of_all_sections_is_one_undo_step() {
    let session = sample_session();
    let (before, text) = (session.document().clone(), table_with_colliders_and_nodes(&session));
    let bones = bone_row_lines(&text).len();
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    click_role(&mut harness, Role::RadioButton, "Nodes");
    click_label(&mut harness, "Include Shelf");
    click_label(&mut harness, &format!("Import {} rows", bones + 1));
    let session = &mut harness.state_mut().session;
    assert!(session.document().colliders.values().any(|c| c.name == "Ball"));
    assert!(!session.document().helpers.values().any(|h| h.name == "Shelf"), "its row was excluded");
    session.handle(Command::Undo);
    assert_eq!(session.document(), &before);
    assert!(session.history().next_undo().is_none());
}

#[test]
fn the_closer_mirror_is_marked_and_both_mirror_previews_are_shown() {
    let session = sample_session();
    let text = table_with_colliders_and_nodes(&session);
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    harness.get_by_label_contains(" fits better");
    let measured = harness.get_by_label_contains("Offset: X ").accesskit_node().value().expect("words");
    assert!(measured.starts_with("Offset: X ") && measured.contains(", Z ") && measured.ends_with("mm"), "{measured}");
    for ink in [OverlayLineKind::ChosenMirror, OverlayLineKind::OtherMirror] {
        let guides = &harness.state_mut().ui.state_mut().overlay_lines;
        let ghosts: Vec<_> = guides.iter().filter(|g| g.kind == ink && g.radius > 0.0).collect();
        assert_eq!(ghosts.len(), 1, "{ink:?}");
        assert!(["X", "Z"].contains(&ghosts[0].label.as_str()), "{:?}", ghosts[0]);
    }
    click_label(&mut harness, "Cancel");
    assert!(harness.state_mut().ui.state_mut().overlay_lines.is_empty(), "closing the dialog removes it");
}

#[test]
fn a_chosen_mirror_is_remembered_for_the_character() {
    let session = sample_session();
    let (name, text) = (session.character().name.clone(), table_with_colliders_and_nodes(&session));
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    let other = if harness.query_by_label("X fits better").is_some() { FlipAxis::Z } else { FlipAxis::X };
    click_label(&mut harness, if other == FlipAxis::Z { "Mirror Z" } else { "Mirror X" });
    click_label(&mut harness, "Cancel");
    assert_eq!(harness.state().ui.prefs().mirror_of(&name), Some(other));
    let fixture = harness.state_mut();
    fixture.open_import(&text);
    harness.run_steps(4);
    click_label(&mut harness, "Cancel");
    harness.state_mut().open_dialog(DialogKind::Export);
    harness.run_steps(4);
    let bones = sample_session().document().joint_count();
    click_label(&mut harness, &format!("Export {bones} bones…"));
    let [AppRequest::ExportDialog(options)] = &harness.state().requests[..] else { panic!("no export") };
    assert_eq!(options.flip_axis, other);
}

#[test]
fn a_table_with_only_bones_shows_no_mirror_choice() {
    let session = sample_session();
    let name = session.character().skeleton.name(session.document().chains.values().next().expect("a chain").root());
    let text = format!("version,4\n[SpringBones]\n{name},0.05,10,0.4,0,-0.5,0,1,,False,0,0,False,0,0,100,0\n");
    let harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    assert!(harness.query_by_label("Mirror X").is_none());
    assert!(harness.query_by_label_contains(" fits better").is_none());
}

#[test]
fn replacing_with_a_table_without_bones_shows_a_warning() {
    let session = sample_session();
    let joints = session.document().joint_count();
    let before = session.document().clone();
    let mut harness = import_harness("version,4\n", session, prefs(ThemeMode::Dark, Lang::En));
    click_label(&mut harness, "Replace as Unity does");
    let warning = format!("The file has no bones: all {joints} joints will be deleted");
    harness.get_by_label(&warning);
    click_role(&mut harness, Role::CheckBox, "Bones");
    assert!(harness.query_by_label(&warning).is_none());
    click_role(&mut harness, Role::CheckBox, "Bones");
    let words = harness.get_by_label_contains("Replace with ").accesskit_node().label().expect("words");
    assert!(words.starts_with("Replace with 0 joints"), "{words}");
    click_label(&mut harness, &words);
    let session = &mut harness.state_mut().session;
    assert_eq!(session.document().joint_count(), 0);
    session.handle(Command::Undo);
    assert_eq!(session.document(), &before, "one step");
}

#[test]
fn comment_rows_that_match_nothing_are_reported_once_in_both_modes() {
    let session = sample_session();
    let text = table_with_colliders_and_nodes(&session) + "#yuremono,2,\"{\"\"excluded_bone\"\":\"\"Nobody\"\"}\"\n";
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    let reported = |harness: &Harness<'static, DialogFixture>| {
        accessible_texts(harness)
            .iter()
            .filter(|words| words.contains("1 row matches nothing in the character"))
            .count()
    };
    let once = reported(&harness);
    assert!(once > 0, "{:?}", accessible_texts(&harness));
    click_label(&mut harness, "Replace as Unity does");
    assert_eq!(reported(&harness), once);
    click_role(&mut harness, Role::CheckBox, "Comment rows");
    assert_eq!(reported(&harness), 0, "comment rows are neither used nor kept");
}

#[test]
fn rows_that_unity_rejects_are_listed() {
    let session = recorded_session("load_bad_rows", "before.json");
    let text = recording_text("load_bad_rows", "input.csv");
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    click_label(&mut harness, "Replace as Unity does");
    let rows: Vec<_> = harness.get_all_by_role(Role::Row).filter_map(|r| r.accesskit_node().label()).collect();
    for name in ["SkirtL_2", "SkirtR_1", "Nobody", "SkirtR_2", "HairL_1"] {
        assert!(rows.iter().any(|row| row == name), "{name} is not among {rows:?}");
    }
    harness.get_by_label(&format!("Rows that Unity rejects: {}", rows.len()));
}

#[test]
fn choosing_an_encoding_requests_the_table_again() {
    let session = sample_session();
    let text = table_with_colliders_and_nodes(&session);
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::En));
    click_label(&mut harness, "Replace as Unity does");
    click_role(&mut harness, Role::ComboBox, "Encoding");
    click_label(&mut harness, "EUC-JP");
    assert_eq!(harness.state().requests, [AppRequest::ReadTableWithEncoding("EUC-JP")]);
    let fixture = harness.state_mut();
    fixture.open_import(&text);
    harness.run_steps(4);
    harness.get_by_label_contains("Replace with ");
}

#[test]
fn the_japanese_import_dialog_contains_no_english_sentence() {
    let session = recorded_session("load_bad_rows", "before.json");
    let odd = "[Unknown]\nx\n[SpringBones]\ny\n\n\"open\n";
    let text = recording_text("load_bad_rows", "input.csv").replacen("version,4", "a,b", 1) + odd;
    let mut harness = import_harness(&text, session, prefs(ThemeMode::Dark, Lang::Ja));
    let english = |text: &str| {
        let words: Vec<&str> = text.split(' ').collect();
        let plain = |w: &str| w.len() > 2 && w.chars().all(|c| c.is_ascii_lowercase());
        words.windows(2).any(|pair| pair.iter().all(|w| plain(w)))
    };
    let reported: Vec<String> = accessible_texts(&harness).into_iter().filter(|text| english(text)).collect();
    assert!(reported.is_empty(), "{reported:?}");
    click_label(&mut harness, "Unityと同じく置き換え");
    let reported: Vec<String> = accessible_texts(&harness).into_iter().filter(|text| english(text)).collect();
    assert!(reported.is_empty(), "{reported:?}");
    assert!(harness.get_all_by_role(Role::Row).count() > 3, "the dialog has accessible rows");
}

#[test]
fn export_text_options_are_remembered() {
    let bones = sample_session().document().joint_count();
    let mut fixture = english_dialog_fixture(sample_session());
    fixture.open_dialog(DialogKind::Export);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "Expand Advanced");
    click_label(&mut harness, "Windows CRLF");
    click_label(&mut harness, "Unix LF");
    click_label(&mut harness, "7 digits");
    click_role(&mut harness, Role::CheckBox, "Comment rows for Yuremono");
    click_role(&mut harness, Role::CheckBox, "Decimal commas");
    click_label(&mut harness, &format!("Export {bones} bones…"));
    let Some(AppRequest::ExportDialog(options)) = harness.state_mut().requests.pop() else { panic!("no export") };
    assert!(options.decimal_comma && !options.write_comment_rows);
    assert_eq!((options.line_ending, options.significant_digits), (LineEnding::Lf, Some(7)));
    let kept = TableExportPrefs { crlf: Some(false), unity_digits: true, omit_extensions: true };
    assert_eq!(harness.state().ui.prefs().table_export, kept);
    harness.state_mut().open_dialog(DialogKind::Export);
    harness.run_steps(4);
    click_label(&mut harness, &format!("Export {bones} bones…"));
    let Some(AppRequest::ExportDialog(again)) = harness.state_mut().requests.pop() else { panic!("no export") };
    assert!(!again.write_comment_rows && !again.decimal_comma, "decimal commas are not remembered");
    assert_eq!((again.line_ending, again.significant_digits), (LineEnding::Lf, Some(7)));
}

#[test]
fn export_losses_are_grouped_by_whether_they_can_be_read_back() {
    let mut fixture = english_dialog_fixture(session_with_improvement());
    fixture.open_dialog(DialogKind::Export);
    let mut harness = dialog_harness(fixture);
    harness.get_by_role_and_label(Role::Heading, "No effect in Unity");
    harness.get_by_role_and_label(Role::Heading, "Read back by Yuremono only");
    click_role(&mut harness, Role::CheckBox, "Comment rows for Yuremono");
    assert!(harness.query_by_label("Read back by Yuremono only").is_none());
    harness.get_by_role_and_label(Role::Heading, "Not stored in the file");
}

#[test]
fn table_import_and_export_can_be_rendered() {
    if support::folder_or_skip("YUREMONO_PICTURES").is_none() {
        return;
    }
    for (mode, lang, size) in [
        (ThemeMode::Dark, Lang::En, [1440.0, 900.0]),
        (ThemeMode::Light, Lang::Ja, [1280.0, 720.0]),
        (ThemeMode::Light, Lang::En, [1280.0, 720.0]),
        (ThemeMode::Dark, Lang::Ja, [1440.0, 900.0]),
    ] {
        let name = |what: &str| format!("table-{what}-{mode:?}-{}.png", lang.code()).to_lowercase();
        let offer = |case: &str, file: &str, scene: &str| {
            let mut fixture = dialog_fixture(recorded_session(case, scene), prefs(mode, lang));
            fixture.open_import(&recording_text(case, file));
            fixture
        };
        let full = || offer("export_full", "export.csv", "scene.json");
        let colliders =
            |h: &mut Harness<'static, DialogFixture>| click_role(h, Role::RadioButton, &tr!(lang, "Colliders"));
        save_picture_if_wanted(&name("full"), full(), size, 1.0, |_| {});
        save_picture_if_wanted(&name("colliders"), full(), size, 1.0, colliders);
        let replace = |h: &mut Harness<'static, DialogFixture>| click_label(h, &tr!(lang, "Replace as Unity does"));
        save_picture_if_wanted(
            &name("replace"),
            offer("load_bad_rows", "input.csv", "before.json"),
            size,
            1.0,
            replace,
        );
        let mut girls = dialog_fixture(sample_session(), prefs(mode, lang));
        girls.open_import(&table_with_colliders_and_nodes(&girls.session));
        save_picture_if_wanted(&name("girl"), girls, size, 1.0, colliders);
        let mut own = dialog_fixture(sample_session(), prefs(mode, lang));
        own.open_import(&table_with_invalid_rows(&own.session));
        save_picture_if_wanted(&name("comments"), own, size, 1.0, |h| {
            click_role(h, Role::RadioButton, &tr!(lang, "Other"));
        });
        let mut wiped = dialog_fixture(sample_session(), prefs(mode, lang));
        wiped.open_import("version,4\n");
        save_picture_if_wanted(&name("wiped"), wiped, size, 1.0, replace);
        let mut export = dialog_fixture(session_with_improvement(), prefs(mode, lang));
        export.open_dialog(DialogKind::Export);
        save_picture_if_wanted(&name("export"), export, size, 1.0, |_| {});
    }
}

#[test]
fn importing_a_table_of_another_solver_switches_the_solver_in_one_undo_step() {
    let session = sample_session();
    let under = convert(session.document(), session.character(), SolverKind::Vrm).after;
    let skeleton = session.character().skeleton.clone();
    let written = export(&under, &skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    let text = String::from_utf8(write_setup(&written, ExportOptions::new(DEFAULT_FORMAT))).expect("UTF-8");
    let before = session.document().clone();
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    assert!(harness.query_by_label("Replace as Unity does").is_none(), "only the Unity CSV offers this mode");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    let session = &mut harness.state_mut().session;
    assert_eq!(session.document().main_system().solver, SolverKind::Vrm);
    let joints =
        |file: &SetupFile| file.usable_entries(FileSection::Joints).map(|(.., item)| item.clone()).collect::<Vec<_>>();
    let again = export(session.document(), &skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    assert_eq!(joints(&again), joints(&written));
    session.handle(Command::Undo);
    assert_eq!(*session.document(), before);
}

#[test]
fn other_entries_are_described_in_both_languages() {
    let root = |session: &Session| {
        let chain = session.document().chains.values().next().expect("a chain");
        session.character().skeleton.name(chain.root()).to_owned()
    };
    for lang in Lang::ALL {
        let session = sample_session();
        let bone = root(&session);
        let details = Joint { enabled: false, ..Joint::new(bone.clone()) };
        let details = JointEntry { scope: ReplacedProperties::Details, chain: None, joint: details };
        let items = [
            ("joint", message!("Joint details"), SetupEntry::Joint(details)),
            ("excluded_bone", message!("Excluded bone"), SetupEntry::ExcludedBone(bone.clone())),
            ("hidden_mesh", message!("Hidden mesh"), SetupEntry::HiddenMesh("Face".to_owned())),
            ("disabled_collider", message!("Disabled collider"), SetupEntry::DisabledCollider("Nobody".to_owned())),
        ];
        let mut file = SetupFile::new(CSV, SolverKind::UnityChanSpringBone);
        file.entries.extend(items.clone().map(|(kind, _, item)| FileEntry::new(0, FileSection::Other, kind, item)));
        let mut fixture = dialog_fixture(session, prefs(ThemeMode::Dark, lang));
        fixture.ui.dialogs_mut().open_import("hair.csv", file, Vec::new(), &fixture.session);
        let mut harness = dialog_harness(fixture);
        let rows = harness.get_all_by_role(Role::Row).map(|row| {
            let row = row.accesskit_node();
            (row.label().expect("a title"), row.value().expect("what it is about"))
        });
        let rows: Vec<_> = rows.collect();
        let about = [&*bone, &*bone, "Face", "Nobody"];
        assert_eq!(rows.len(), items.len());
        for (((title, value), (_, text, _)), name) in rows.iter().zip(&items).zip(about) {
            assert_eq!(*title, lang.tr(text));
            assert!(value.starts_with(&format!("{name}, ")), "{value}");
        }
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
        harness.run_steps(4);
        let document = harness.state().session.document();
        assert!(document.hidden_meshes.contains("Face"));
        assert_eq!(document.excluded_bones.len(), 1);
        assert!(document.chains.values().flat_map(|chain| &chain.joints).any(|joint| !joint.enabled));
    }
}

/// Returns the complete setup of a session as a Yuremono setup file.
fn setup_json_file(session: &Session) -> SetupFile {
    let options = ExportOptions::new(PARAMETERS);
    export(session.document(), &session.character().skeleton, options).file
}

#[test]
fn importing_a_file_with_several_systems_is_one_undo_step() {
    let session = sample_session();
    let some: BTreeSet<_> = session.document().chains.keys().take(3).copied().collect();
    let mixed = convert_chains(session.document(), session.character(), &some, SolverKind::DynamicBone).after;
    let mixed = Session::new(Arc::clone(session.character()), mixed);
    let file = setup_json_file(&mixed);
    let joints = file.usable_entries(FileSection::Joints).count();
    assert_eq!(file.systems.len(), 2);
    let before = session.document().clone();
    let mut there = english_dialog_fixture(mixed);
    there.ui.dialogs_mut().open_import("all.json", file.clone(), Vec::new(), &there.session);
    assert!(
        dialog_harness(there).query_by_label_contains("first moves chains").is_none(),
        "all systems of the file exist already"
    );
    let mut fixture = english_dialog_fixture(session);
    fixture.ui.dialogs_mut().open_import("all.json", file, Vec::new(), &fixture.session);
    let mut harness = dialog_harness(fixture);
    assert!(
        accessible_texts(&harness).iter().any(|words| words.contains("first moves chains to the systems of the file"))
    );
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    let session = &mut harness.state_mut().session;
    assert_eq!(session.document().joint_count(), joints);
    for (id, chain) in &session.document().chains {
        let solver = if some.contains(id) { SolverKind::DynamicBone } else { SolverKind::UnityChanSpringBone };
        assert_eq!(session.document().solver_of(chain), solver, "{}", chain.name);
    }
    session.handle(Command::Undo);
    assert_eq!(*session.document(), before);
}

/// Removes a system and all of its entries from a file.
fn remove_system(file: &mut SetupFile, solver: SolverKind) {
    let at = file.systems.iter().position(|system| system.solver == solver).expect("a system of that solver");
    file.systems.remove(at);
    file.entries.retain(|item| item.system != at);
    file.entries.iter_mut().filter(|item| item.system > at).for_each(|item| item.system -= 1);
}

/// Removes the last chain of a solver from a file.
fn remove_last_chain(file: &mut SetupFile, solver: SolverKind) {
    let is_of = |file: &SetupFile, item: &FileEntry| file.solver_of(item) == solver;
    let mut chains = file.entries.iter().filter(|item| is_of(file, item)).filter_map(|item| match &item.content {
        Ok(SetupEntry::Chain(chain)) => chain.number,
        _ => None,
    });
    let last = chains.next_back().expect("a chain of that solver");
    let stays = |item: &FileEntry| match &item.content {
        Ok(SetupEntry::Chain(chain)) => chain.number != Some(last),
        Ok(SetupEntry::Joint(joint)) => joint.chain != Some(last),
        _ => true,
    };
    let all = std::mem::take(&mut file.entries);
    file.entries = all.into_iter().filter(|item| !is_of(file, item) || stays(item)).collect();
}

#[test]
fn replacing_from_a_file_with_several_systems_shows_counts_and_is_one_undo_step() {
    let session = sample_session();
    let mut chains = session.document().chains.keys().copied();
    let tails: BTreeSet<_> = chains.by_ref().take(3).collect();
    let skirt: BTreeSet<_> = chains.take(2).collect();
    let mixed = convert_chains(session.document(), session.character(), &tails, SolverKind::DynamicBone).after;
    let mixed = Session::new(Arc::clone(session.character()), mixed);
    let mixed = convert_chains(mixed.document(), mixed.character(), &skirt, SolverKind::Vrm).after;
    let mut file = setup_json_file(&Session::new(Arc::clone(session.character()), mixed.clone()));
    remove_system(&mut file, SolverKind::Vrm);
    assert_eq!(file.systems.len(), 2);
    // One tail is missing in the file.
    remove_last_chain(&mut file, SolverKind::DynamicBone);
    let rows = file.usable_entries(FileSection::Joints).count();
    let joints = |chains: &BTreeSet<_>| chains.iter().map(|id| mixed.chains[id].joints.len()).sum::<usize>();
    let gone = mixed.joint_count() - rows - joints(&skirt);
    for (mode, lang) in [(ThemeMode::Dark, Lang::En), (ThemeMode::Light, Lang::Ja)] {
        let mut fixture =
            dialog_fixture(Session::new(Arc::clone(session.character()), mixed.clone()), prefs(mode, lang));
        fixture.ui.dialogs_mut().open_import("two.json", file.clone(), Vec::new(), &fixture.session);
        let words = yuremono::tr!(lang, "Replace as Unity does");
        let name = format!("table-several-{}.png", lang.code());
        save_picture_if_wanted(&name, fixture, [1440.0, 900.0], 1.0, |harness| click_label(harness, &words));
    }
    let mut fixture = english_dialog_fixture(Session::new(Arc::clone(session.character()), mixed.clone()));
    fixture.ui.dialogs_mut().open_import("two.json", file, Vec::new(), &fixture.session);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "Replace as Unity does");
    let colliders = mixed.colliders.len();
    let all = accessible_texts(&harness);
    let hears = |words: &str| all.iter().any(|reported| reported.contains(words));
    assert!(hears(&format!("{gone} joints that are not in the file will be deleted")), "{all:?}");
    assert!(hears(&format!("1 system of other solvers, {} joints, 0 colliders", joints(&skirt))), "{all:?}");
    assert!(hears("Unity accepts every row"), "{all:?}");
    click_label(&mut harness, &format!("Replace with {rows} joints, {colliders} colliders"));
    let session = &mut harness.state_mut().session;
    let after = session.document();
    assert_eq!((after.joint_count(), after.colliders.len()), (rows + joints(&skirt), colliders));
    let label = session.history().next_undo().expect("a step");
    assert_eq!(label.text, format!("Replace {} elements from CSV", rows + colliders).as_str());
    for id in &skirt {
        assert_eq!(after.chains[id], mixed.chains[id]);
    }
    session.handle(Command::Undo);
    assert_eq!(session.document(), &mixed);
    assert!(session.history().next_undo().is_none());
}
