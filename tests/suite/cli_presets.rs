//! Tests presets on the command line: the list, and that applying a preset has the same result as a click in the
//! window.

use crate::support::glb::GlbBuilder;
use crate::support::sample;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use yuremono_format::preset_folder::save;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::{builtin_presets, preset};
use yuremono_model::document::{ChainPart, Document};
use yuremono_model::feel::{preset::LocalizedText, preset::Preset};
use yuremono_session::{self, PresetId, SelectMode, Session};
use yuremono_sim::SolverKind;

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

/// Runs the program for a user whose data is in `home`.
fn run_cli(home: &Path, args: &[&str]) -> Output {
    let mut command = crate::support::yuremono_command();
    command.env("XDG_DATA_HOME", home).env("HOME", home).args(args).output().expect("it runs")
}

#[track_caller]
fn check_cli(home: &Path, args: &[&str], code: i32) -> (String, String) {
    let output = run_cli(home, args);
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn temp_home() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Returns a home folder with a user preset, a preset with the name of a built-in preset, and an invalid preset.
fn home_with_user_presets() -> TempDir {
    let home = temp_home();
    let folder = home.path().join("yuremono/presets");
    let heavy = builtin_presets::builtin_presets()
        .iter()
        .find(|preset| preset.key == "twin_tail_heavy")
        .expect("it is a built-in preset");
    let name = LocalizedText { en: "My tail".to_owned(), ja: "私の尾".to_owned() };
    let mine = Preset { key: "my_tail".to_owned(), name, parts: vec![ChainPart::Tail], ..heavy.clone() };
    save(&folder, &mine, false).expect("written");
    save(&folder, &Preset { key: "hair_long".to_owned(), ..mine }, false).expect("written");
    let broken = String::from_utf8(preset::write(heavy)).expect("text").replace("\"base\": 0.55", "\"base\": \"soft\"");
    std::fs::write(folder.join("broken.preset.json"), broken).expect("written");
    home
}

#[test]
fn all_presets_are_listed_by_part_in_both_languages() {
    let home = temp_home();
    let (english, stderr) = check_cli(home.path(), &["presets"], 0);
    assert_eq!(stderr, "");
    let (japanese, _) = check_cli(home.path(), &["presets", "--lang", "ja"], 0);
    for preset in builtin_presets::builtin_presets() {
        for (listed, japanese) in [(&english, false), (&japanese, true)] {
            let at = listed.find(&format!("  {} ", preset.key)).expect("it is listed");
            let line = listed[at..].lines().next().expect("a line");
            assert!(
                line.contains(preset.name.get(japanese)) && line.ends_with(preset.description.get(japanese)),
                "{line}"
            );
        }
    }
    let hair = english.find("Hair\n").expect("a shelf");
    let skirt = english.find("Skirt\n").expect("a shelf");
    assert!((hair..skirt).contains(&english.find("twin_tail_heavy").expect("listed")));
    assert!(
        english.contains("Speed 5.0 Hz (1 → 0.8), Settling 0.85, Weight 1.0 m/s², Max angle 45°; Skirt"),
        "{english}"
    );
    assert!(japanese.contains("髪\n") && japanese.contains("5.0 Hz"), "{japanese}");
    check_cli(home.path(), &["presets", "--lang", "fr"], 2);
    check_cli(home.path(), &["presets", "--json", "--markdown"], 2);
}

#[test]
fn presets_json_equals_the_preset_files() {
    let home = temp_home();
    let (out, _) = check_cli(home.path(), &["presets", "--json"], 0);
    let all: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(all["units"]["weight"], "m/s²");
    let listed = all["presets"].as_array().expect("a list");
    assert_eq!(listed.len(), builtin_presets::builtin_presets().len());
    for (listed, preset) in listed.iter().zip(builtin_presets::builtin_presets()) {
        assert_eq!((&listed["key"], &listed["own"]), (&json!(preset.key), &json!(false)));
        let mut file = listed.clone();
        file.as_object_mut().expect("fields").retain(|field, _| field != "key" && field != "own");
        let bytes = file.to_string();
        let (again, diagnostics) =
            preset::read(bytes.as_bytes(), &format!("{}.preset.json", preset.key)).expect("a preset");
        assert!(diagnostics.is_empty() && again == *preset, "{}", preset.key);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn user_presets_are_listed_and_a_broken_one_is_reported_with_its_location() {
    let home = home_with_user_presets();
    let (out, stderr) = check_cli(home.path(), &["presets"], 0);
    assert!(out.contains("my_tail") && out.contains("My tail [Mine]"), "{out}");
    assert!(out.contains(&format!("Mine: {}/yuremono/presets", home.path().display())), "{out}");
    assert!(stderr.starts_with("warning: broken.preset.json:"), "{stderr}");
    assert!(
        stderr.contains("#/feel/settling/base: invalid type: string \"soft\"") && stderr.lines().count() == 1,
        "{stderr}"
    );
    let (out, _) = check_cli(home.path(), &["presets", "--json"], 0);
    let all: Value = serde_json::from_str(&out).expect("JSON");
    let own = all["presets"].as_array().expect("a list").iter().filter(|preset| preset["own"] == true);
    assert_eq!(own.map(|preset| &preset["key"]).collect::<Vec<_>>(), ["hair_long", "my_tail"]);
    let broken = home.path().join("yuremono/presets/broken.preset.json");
    let (out, _) = check_cli(home.path(), &["check", path_str(&broken)], 1);
    assert!(out.contains("refused") && out.contains("#/feel/settling/base"), "{out}");
    let mine = home.path().join("yuremono/presets/my_tail.preset.json");
    let (out, _) = check_cli(home.path(), &["check", path_str(&mine)], 0);
    assert!(out.contains("preset \"My tail\" for tail"), "{out}");
}

/// Converts the bundled character with presets. Returns the project and standard output.
fn convert_with_presets(home: &Path, more: &[&str]) -> (Value, String) {
    let out = home.join("out.yure");
    let (_, stderr) =
        check_cli(home, &[&["convert", SAMPLE_PATH, "--overwrite", "--out", path_str(&out)], more].concat(), 0);
    (serde_json::from_slice(&std::fs::read(&out).expect("written")).expect("JSON"), stderr)
}

/// Applies presets by clicks in the window. Each click applies a preset to the chains whose names contain the text; if
/// the text is empty, nothing is selected.
fn document_after_clicks(solver: SolverKind, clicks: &[(&str, &str)]) -> Document {
    let opened = sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    for (key, names) in clicks {
        let chains = session.document().chains.values();
        let roots = chains
            .map(yuremono_model::document::Chain::root)
            .filter(|root| !names.is_empty() && session.character().skeleton.name(*root).contains(names));
        let roots: Vec<_> = roots.collect();
        session.handle(yuremono_session::Command::Select(roots, SelectMode::Replace));
        let preset =
            builtin_presets::builtin_presets().iter().find(|preset| preset.key == *key).expect("a built-in preset");
        let step = session.inspection().preset_application(
            PresetId { is_custom: false, key: preset.key.clone() },
            preset,
            None,
            false,
        );
        session.handle(yuremono_session::Command::ApplyPreset(Box::new(step)));
    }
    session.document().clone()
}

/// Returns the document as a project. The path of the character is omitted.
fn project_json(document: &Document) -> Value {
    let bytes = project::write(document, &sample(SolverKind::Vrm).character.skeleton, &ProjectMetadata::default());
    serde_json::from_slice(&bytes).expect("JSON")
}

#[track_caller]
fn check_same_setup(written: &Value, document: &Document) {
    let expected = project_json(document);
    let fields = expected["setup"].as_object().expect("fields");
    let written = &written["setup"];
    let differ: Vec<_> = fields.keys().filter(|key| written[*key] != fields[*key]).collect();
    assert!(differ.is_empty() && fields.contains_key("chains"), "{differ:?}");
}

#[test]
fn the_preset_option_does_the_same_as_a_click_in_the_window() {
    let home = temp_home();
    let plain = document_after_clicks(SolverKind::Vrm, &[]);
    let all = document_after_clicks(SolverKind::Vrm, &[("skirt_light", "")]);
    assert_ne!(project_json(&plain), project_json(&all));
    check_same_setup(&convert_with_presets(home.path(), &["--preset", "skirt_light"]).0, &all);
    let some = document_after_clicks(SolverKind::Vrm, &[("hair_long", ""), ("twin_tail_heavy", "L_HairTwin")]);
    let args = ["--preset", "hair-long", "--preset", "twin_tail_heavy=L_HairTwin*"];
    check_same_setup(&convert_with_presets(home.path(), &args).0, &some);
    // The preset is converted to the parameters of the target solver.
    let unity = document_after_clicks(SolverKind::UnityChanSpringBone, &[("skirt_stiff", "")]);
    check_same_setup(
        &convert_with_presets(home.path(), &["--solver", "UnityChanSpringBone", "--preset", "skirt_stiff"]).0,
        &unity,
    );
    assert!(
        unity.chains.values().flat_map(|chain| &chain.joints).any(|joint| joint.pivot.is_some()),
        "limits have frames"
    );
}

#[test]
fn chains_with_the_same_preset_loss_share_one_line() {
    let home = temp_home();
    let args = ["--solver", "KawaiiPhysics", "--preset", "twin_tail_heavy=*HairTwin*"];
    let (_, stderr) = convert_with_presets(home.path(), &args);
    let preset_lines: Vec<&str> = stderr.lines().filter(|line| line.contains("preset \"twin_tail_heavy\"")).collect();
    let document = document_after_clicks(SolverKind::KawaiiPhysics, &[]);
    let chains = document.chains.values().filter(|chain| chain.name.contains("HairTwin"));
    let chains: Vec<&str> = chains.map(|chain| chain.name.as_str()).collect();
    let [first, second] = chains[..] else { panic!("two tails: {chains:?}") };
    let expected = format!(
        "warning: sample.vrm: chain \"{first}\", preset \"twin_tail_heavy\", Weight: KawaiiPhysics has one gravity for \
         the whole system, not one per joint (also \"{second}\"; 2 in all)"
    );
    assert_eq!(preset_lines, [expected]);
    // Conversion disables EZSoftBone's sleep threshold, below which tails return to rest very slowly.
    let args = ["--solver", "EZSoftBone", "--preset", "twin_tail_heavy=*HairTwin*"];
    let (_, stderr) = convert_with_presets(home.path(), &args);
    assert!(!stderr.contains("stiffness alone moves a tip"), "{stderr}");
    // A damping that VRM cannot reach is reported with the reached value.
    let (_, stderr) = convert_with_presets(home.path(), &["--preset", "earring"]);
    assert!(stderr.contains("Settling: the preset sets 0.12. Ends at 0.1"), "{stderr}");
    assert!(stderr.contains("here: the values of the solver allow no more"), "{stderr}");
}

#[test]
fn a_curve_that_a_vrm_0_chain_cannot_store_is_the_reason() {
    let girl = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/girl_v0.vrm");
    let home = temp_home();
    let out = home.path().join("girl.yure");
    let out = out.to_str().expect("UTF-8");
    let (_, stderr) = check_cli(home.path(), &["convert", girl, "--preset", "hair_long", "--out", out], 0);
    assert!(
        stderr.contains("VRM 0.x stores one value per chain, so all joints get the greatest value of the curve"),
        "{stderr}"
    );
    assert!(!stderr.contains("allow no more"), "{stderr}");
}

#[test]
fn an_unknown_preset_or_one_without_matching_chains_is_an_error() {
    let home = temp_home();
    let out = home.path().join("out.csv");
    let refused = |asked: &str| {
        let (_, output) =
            check_cli(home.path(), &["convert", SAMPLE_PATH, "--preset", asked, "--out", path_str(&out)], 1);
        assert!(!out.exists(), "{asked}");
        output
    };
    let output = refused("twin-tail");
    assert!(
        output.contains("there is no preset \"twin-tail\"; there are twin_tail_airy, twin_tail_heavy,"),
        "{output}"
    );
    let output = refused("breast_soft");
    assert!(
        output.contains("error: sample.vrm: preset \"breast_soft\" is for breast; there are only hair ("),
        "{output}"
    );
    let output = refused("hair_long=Wing*");
    assert!(output.contains("no name is like \"Wing*\"; there are "), "{output}");
    assert!(refused("hair_long=").contains("expected names of chains after ="));
    assert!(refused("nowhere/x.preset.json").contains("x.preset.json"));
    let broken = home.path().join("broken.preset.json");
    std::fs::write(&broken, "{\"yuremono_preset\": 1,\n \"name\": {\"en\": \"x\"}, \"parts\": [\"wing\"]}")
        .expect("written");
    let output = refused(path_str(&broken));
    assert!(output.contains("error: broken.preset.json:2#/parts/0: unknown variant `wing`"), "{output}");
    check_cli(home.path(), &["convert", SAMPLE_PATH, "--preset"], 2);
    let (_, output) =
        check_cli(home.path(), &["convert", SAMPLE_PATH, "--setup", path_str(&broken), "--out", path_str(&out)], 1);
    assert!(output.contains("found a preset; expected a table"), "{output}");
}

#[cfg(target_os = "linux")]
#[test]
fn user_presets_and_preset_files_can_be_applied() {
    let home = home_with_user_presets();
    let file = home.path().join("yuremono/presets/my_tail.preset.json");
    let (by_key, stderr) = convert_with_presets(home.path(), &["--preset", "my_tail"]);
    assert!(stderr.contains("warning: broken.preset.json:"), "{stderr}");
    assert_eq!(by_key, convert_with_presets(home.path(), &["--preset", path_str(&file)]).0);
    let (some, _) = convert_with_presets(home.path(), &["--preset", &format!("{}=*tail*", path_str(&file))]);
    assert_ne!(some, convert_with_presets(home.path(), &[]).0);
    let (_, stderr) = convert_with_presets(home.path(), &["--preset", "hair_long"]);
    assert!(
        stderr.contains(
            "hair_long.preset.json: your own preset is used instead of the built-in preset with the same key"
        ),
        "{stderr}"
    );
}

#[test]
fn simulate_applies_presets_like_convert_and_the_last_one_wins() {
    let home = temp_home();
    let tips = |more: &[&str]| {
        let out = home.path().join("tips.csv");
        let args =
            ["simulate", SAMPLE_PATH, "--motion", "jump", "--seconds", "0.4", "--overwrite", "--out", path_str(&out)];
        let args = [&args[..], more].concat();
        check_cli(home.path(), &args, 0);
        std::fs::read(&out).expect("written")
    };
    let (plain, heavy) = (tips(&[]), tips(&["--preset", "hair_long"]));
    assert!(plain != heavy);
    assert!(heavy == tips(&["--preset", "hair_short", "--preset", "hair_long"]));
    let project = home.path().join("hair.yure");
    check_cli(home.path(), &["convert", SAMPLE_PATH, "--preset", "hair_long", "--out", path_str(&project)], 0);
    assert!(heavy == tips(&["--setup", path_str(&project)]), "a project gives the same numbers");
    assert!(check_cli(home.path(), &["render", "--help"], 0).0.contains("--preset <PRESET[=CHAINS]>"));
}

#[test]
fn motion_fitting_targets_the_motion_with_the_preset_applied() {
    let home = temp_home();
    let at = |name: &str| home.path().join(name);
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "tail_1", "tail_2", "tail_3"]);
    std::fs::write(at("tail.glb"), builder.glb()).expect("written");
    let row = |bone: &str| format!("{bone},0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n");
    let table = format!("version,4\n[SpringBones]\n{}{}", row("tail_1"), row("tail_2"));
    std::fs::write(at("tail.csv"), table).expect("written");
    let speed = |more: &[&str]| {
        let (character, setup, out) = (at("tail.glb"), at("tail.csv"), at("out.yure"));
        let args = [
            "convert",
            path_str(&character),
            "--setup",
            path_str(&setup),
            "--solver",
            "KawaiiPhysics",
            "--match",
            "turn",
        ];
        let (stdout, _) =
            check_cli(home.path(), &[&args[..], &["--overwrite", "--out", path_str(&out)], more].concat(), 0);
        assert!(stdout.contains("tips and bones were off by"), "{stdout}");
        let bytes = std::fs::read(&out).expect("written");
        let character = yuremono_format::open::character(&character, &|_| true).expect("it opens").character;
        let (project, _) = project::read(&bytes, "out.yure").expect("a project");
        let (document, _) = project.into_document(&character.skeleton);
        let id = *document.chains.keys().next().expect("a chain");
        yuremono_model::feel::params::responses(&document, &character.skeleton, id)[0].frequency_hz
    };
    let (plain, slow) = (speed(&[]), speed(&["--preset", "cape_heavy=tail*"]));
    // The search matches the motion, which differs from the preset's own 1.2 Hz.
    let off = (slow - 1.2).abs();
    assert!(plain > 2.0 && off < 0.5 * (plain - slow), "{plain} Hz without the preset, {slow} Hz with it");
}
