//! Runs the program as a user would, and checks its output, its files and its exit codes.

use super::support;
use super::support::glb::GlbBuilder;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::WorldPose;
use yuremono_sim::solver::vrm::PREVIEW_AS;

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

fn run_cli(args: &[&str]) -> Output {
    support::yuremono_command().args(args).output().expect("it runs")
}

#[track_caller]
fn check_cli(args: &[&str], code: i32) -> (String, String) {
    let output = run_cli(args);
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

#[track_caller]
fn check_cli_json(args: &[&str], code: i32) -> Value {
    let (out, _) = check_cli(args, code);
    serde_json::from_str(&out).unwrap_or_else(|err| panic!("{args:?}: {err}\n{out}"))
}

/// Returns a folder with a character of four named bones, and a table with rows for three bones.
fn folder_with_tail() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (character, table) = (folder.path().join("tail.glb"), folder.path().join("tail.csv"));
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "tail_1", "tail_2", "tail_3"]);
    std::fs::write(&character, builder.glb()).expect("written");
    std::fs::write(&table, table_with_rows(&["tail_1", "tail_2", "wing_1"])).expect("written");
    (folder, character, table)
}

fn table_with_rows(names: &[&str]) -> String {
    let row = |name: &&str| format!("{name},0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n");
    format!("version,4\n[SpringBones]\n{}", names.iter().map(row).collect::<String>())
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn every_command_has_help_and_invalid_arguments_exit_with_2() {
    for command in support::command_names() {
        let (out, _) = check_cli(&[&command, "--help"], 0);
        assert!(out.contains("Usage: yuremono"), "{out}");
    }
    check_cli(&["--version"], 0);
    check_cli(&["check"], 2);
    check_cli(&["check", "--nonsense"], 2);
    check_cli(&["simulate", SAMPLE_PATH, "--seconds", "nan", "--out", "a.csv"], 2);
    check_cli(&["render", SAMPLE_PATH, "--size", "0x9", "--out", "a.png"], 2);
}

#[test]
fn check_reports_valid_and_rejected_files() {
    let (folder, character, table) = folder_with_tail();
    let (out, _) = check_cli(&["check", SAMPLE_PATH, path_str(&character), path_str(&table)], 0);
    assert!(out.contains("sample.vrm: VRM 1.0") && out.contains("3 loaded, 0 refused"), "{out}");

    let bad = folder.path().join("bad.csv");
    std::fs::write(&bad, table_with_rows(&["tail_1"]).replace("0.02", "o.02")).expect("written");
    let (out, _) = check_cli(&["check", path_str(&bad)], 0);
    assert!(out.contains("bad.csv:3, column \"radius\", bone \"tail_1\": \"o.02\" is not a number"), "{out}");

    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF\x02\0\0\0oops").expect("written");
    let nowhere = folder.path().join("nowhere.vrm");
    let (out, _) =
        check_cli(&["check", SAMPLE_PATH, path_str(&broken), path_str(&nowhere), path_str(folder.path())], 1);
    assert!(out.contains("4 loaded, 3 refused") && out.contains("nowhere.vrm: refused"), "{out}");
    assert!(out.contains(&format!("{}: refused", broken.display())), "the files in the folder are checked: {out}");
}

#[test]
fn check_writes_one_json_document() {
    let (folder, _, table) = folder_with_tail();
    let missing = folder.path().join("missing.yure");
    let json = check_cli_json(&["check", "--json", SAMPLE_PATH, path_str(&table), path_str(&missing)], 1);
    assert_eq!((&json["loaded"], &json["refused"]), (&json!(2), &json!(1)));
    assert_eq!(json["files"][2]["diagnostics"][0]["severity"], "error");
    assert_eq!(json["files"][1]["kind"], "table");
}

#[test]
fn params_lists_every_param_of_every_solver() {
    use yuremono_sim::SolverKind;
    use yuremono_sim::params::ParamScope;
    let tables = || SolverKind::ALL.iter().map(|kind| (*kind, kind.info().params));
    let json = check_cli_json(&["params", "--json"], 0);
    let listed = json.as_array().expect("a list of solvers");
    assert_eq!(listed.len(), SolverKind::ALL.len());
    for (listed, (kind, table)) in listed.iter().zip(tables()) {
        assert_eq!(listed["solver"], kind.key());
        assert_eq!(listed["params"].as_array().expect("a list").len(), table.len());
    }
    let (markdown, _) = check_cli(&["params", "--markdown"], 0);
    let rows: usize = tables().map(|(_, table)| table.len()).sum();
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| `")).count(), rows);
    let (plain, _) = check_cli(&["params"], 0);
    assert!(tables().flat_map(|(_, table)| table).all(|def| plain.contains(def.name) && plain.contains(def.doc)));
    let counts = check_cli_json(&["params", "--solvers", "--json"], 0);
    for (counted, (kind, table)) in counts.as_array().expect("a list").iter().zip(tables()) {
        let of = |scope| table.iter().filter(|def| def.scope == scope).count();
        let expected =
            json!({ "solver": kind.key(), "joint": of(ParamScope::Joint), "character": of(ParamScope::System) });
        assert_eq!(*counted, expected);
        assert_eq!(of(ParamScope::Joint) + of(ParamScope::System), table.len());
    }
    let (one, _) = check_cli(&["params", "--solver", "dynamicbone", "--markdown"], 0);
    assert!(one.starts_with("### DynamicBone\n") && markdown.contains(&one) && one.matches("### ").count() == 1);
    check_cli(&["params", "--solver", "Nothing"], 2);
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("yuremono"))
        .env("LC_ALL", "C")
        .args(["params", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn simulating_twice_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for ending in ["csv", "json"] {
        let files = ["a", "b"].map(|name| folder.path().join(format!("{name}.{ending}")));
        for file in &files {
            check_cli(&["simulate", SAMPLE_PATH, "--motion", "jump", "--seconds", "0.5", "--out", path_str(file)], 0);
        }
        let [a, b] = files.map(|file| std::fs::read(file).expect("written"));
        assert!(a == b && a.len() > 10_000, "{ending}: {} and {} bytes", a.len(), b.len());
    }
    let json: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("a.json")).expect("written")).expect("JSON");
    let joints = json["joints"].as_array().expect("a list").len();
    let steps = json["steps"].as_array().expect("a list");
    assert_eq!((steps.len(), steps[29]["step"].as_u64()), (30, Some(30)));
    assert!(steps.iter().all(|s| s["rotations"].as_array().is_some_and(|r| r.len() == joints)));
}

/// Compares the window's pose at tick 40 with the pose that the command line writes.
#[test]
fn simulate_writes_the_same_motion_as_the_window() {
    use yuremono_format::open;
    use yuremono_session::{Command, Motion, Session, TICK_SECONDS};
    use yuremono_sim::rig::TestMotion;
    let opened = open::character(Path::new(SAMPLE_PATH), &|_| true).expect("the sample loads");
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
    session.handle(Command::ResetPose);
    for _ in 0..40 {
        session.advance(TICK_SECONDS);
    }
    assert_eq!(session.playback().ticks(), 40);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.json");
    check_cli(&["simulate", SAMPLE_PATH, "--motion", "walk", "--seconds", "0.7", "--out", path_str(&file)], 0);
    let json: Value = serde_json::from_slice(&std::fs::read(&file).expect("written")).expect("JSON");
    let bones = session.resolved().joint_refs.iter().flatten().map(|joint| joint.bone);
    let world = session.playback().world();
    let frames = WorldPose::from_pose(world.skeleton(), world.pose());
    for (joint, bone) in bones.enumerate() {
        let frame = frames.frame(bone);
        let offset = world.tip_offset(session.playback().joint_index(bone).expect("it is simulated")).expect("a joint");
        let tip = frame.position + frame.rotation * offset;
        let written: [f32; 3] =
            serde_json::from_value(json["steps"][39]["bone_tips"][joint].clone()).expect("three numbers");
        assert!(tip.distance(written.into()) < 1e-6, "tip of joint {joint}: {tip} and {written:?}");
        let shown = world.pose().local[bone.index()].rotation.to_array();
        let written: [f32; 4] =
            serde_json::from_value(json["steps"][39]["rotations"][joint].clone()).expect("four numbers");
        assert_eq!(shown.map(f32::to_bits), written.map(f32::to_bits), "joint {joint}");
    }
}

/// Writes the tips of the sample's bones with `simulate`. For joints with one child bone, returns the largest distances
/// of the written tip and of the solver's internal tail from the head of the child, in metres.
fn tip_errors(solver: SolverKind, preview: f32) -> [f32; 2] {
    use yuremono_session::{Command, Motion, Session};
    use yuremono_sim::rig::TestMotion;
    const STEPS: usize = 30;
    let opened = support::sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    if solver == SolverKind::Vrm {
        session.handle(Command::SetParam(PREVIEW_AS, preview));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [setup, out] = ["setup.yure", "tips.json"].map(|name| folder.path().join(name));
    let skeleton = session.character().skeleton.clone();
    std::fs::write(&setup, project::write(session.document(), &skeleton, &ProjectMetadata::default()))
        .expect("written");
    let args = ["simulate", SAMPLE_PATH, "--setup", path_str(&setup), "--motion", "jump", "--seconds", "0.5"];
    check_cli(&[&args[..], &["--out", path_str(&out)]].concat(), 0);
    let json: Value = serde_json::from_slice(&std::fs::read(&out).expect("written")).expect("JSON");
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Jump)));
    session.handle(Command::SetMotionAmplitude(0.6));
    session.handle(Command::ResetPose);
    (0..STEPS).for_each(|_| session.handle(Command::StepOnce));
    let world = session.playback().world();
    let frames = WorldPose::from_pose(world.skeleton(), world.pose());
    let bones: Vec<_> = session.resolved().joint_refs.iter().flatten().map(|joint| joint.bone).collect();
    let (mut worst, mut checked) = ([0.0_f32; 2], 0);
    for (joint, bone) in bones.into_iter().enumerate() {
        let [child] = skeleton.children(bone) else { continue };
        let head = frames.frame(*child).position;
        let written: [f32; 3] =
            serde_json::from_value(json["steps"][STEPS - 1]["bone_tips"][joint].clone()).expect("numbers");
        let inner = session.playback().joint_index(bone).and_then(|index| world.tip(index)).expect("a joint");
        worst = [worst[0].max(head.distance(written.into())), worst[1].max(head.distance(inner))];
        checked += 1;
    }
    assert!(checked > 50, "{checked} joints with one child");
    worst
}

#[test]
fn simulate_writes_tips_at_the_next_bone_for_every_solver() {
    for solver in SolverKind::ALL {
        let [written, inner] = tip_errors(*solver, 2.0);
        println!("{}: {:.2} mm written, {:.2} mm inner", solver.key(), 1e3 * written, 1e3 * inner);
        assert!(written < 1e-4, "{}: {written} m", solver.key());
        if *solver == SolverKind::Vrm {
            assert!(inner > 0.005, "three-vrm has a different tail: {inner} m");
        }
    }
}

#[test]
fn simulate_uses_a_setup_file_and_rejects_invalid_arguments() {
    let (folder, character, table) = folder_with_tail();
    let out = folder.path().join("out.csv");
    let simulate = |more: &[&str], code| {
        let args =
            [&["simulate", path_str(&character), "--seconds", "0.1", "--overwrite", "--out", path_str(&out)], more]
                .concat();
        check_cli(&args, code)
    };
    let (_, err) = simulate(&[], 0);
    assert!(err.contains("tail.glb: nothing moves"), "{err}");
    let (stdout, err) = simulate(&["--setup", path_str(&table)], 0);
    assert!(stdout.contains("6 steps of 2 joints"), "{stdout}");
    assert!(err.contains("tail.csv: 1 of 3 rows match no bone of the character"), "{err}");
    let (_, err) = simulate(&["--motion", "dance"], 1);
    assert!(err.contains("there is no motion \"dance\"; there are still, idle, turn"), "{err}");
    let (_, err) = simulate(&["--setup", path_str(&character)], 0);
    assert!(err.contains("nothing moves"), "no spring bones match the character: {err}");
    let (_, err) =
        check_cli(&["simulate", SAMPLE_PATH, "--seconds", "1", "--out", path_str(&folder.path().join("a.txt"))], 1);
    assert!(err.contains("expected a name that ends in .csv or .json"), "{err}");
    let (_, err) = check_cli(&["simulate", SAMPLE_PATH, "--seconds", "0.1", "--out", "/nowhere/a.csv"], 1);
    assert!(err.contains("cannot be written"), "{err}");
}

#[test]
fn remap_reports_every_row_and_keeps_unmatched_rows() {
    let (folder, character, table) = folder_with_tail();
    let other = folder.path().join("Tail2.glb");
    let mut builder = GlbBuilder::new();
    builder.node_chain(&["root", "Tail_1", "Tail_2", "Tail_3"]);
    std::fs::write(&other, builder.glb()).expect("written");
    let out = folder.path().join("out.csv");
    let (stdout, _) = check_cli(
        &["remap", path_str(&table), "--from", path_str(&character), "--to", path_str(&other), "--out", path_str(&out)],
        0,
    );
    assert!(stdout.contains("matched   tail_1 -> Tail_1") && stdout.contains("no bone   wing_1"), "{stdout}");
    let counts = "2 of 3 rows matched, 0 unsure, 1 without a bone, 0 that cannot be used, 0 repeated";
    assert!(stdout.contains(counts), "{stdout}");
    let written = std::fs::read_to_string(&out).expect("written");
    for row in ["\nTail_1,0.02,400,0.3,", "\nTail_2,", "\nwing_1,0.02,400,0.3,"] {
        assert!(written.contains(row), "{row:?} in {written}");
    }
    let rules = folder.path().join("rules.json");
    std::fs::write(
        &rules,
        yuremono_model::exchange::remap::RemapRules::all_enabled([
            yuremono_model::exchange::remap::RemapRule::SameName,
        ])
        .to_json(),
    )
    .expect("written");
    let (stdout, _) = check_cli(
        &[
            "remap",
            path_str(&table),
            "--to",
            path_str(&other),
            "--rules",
            path_str(&rules),
            "--overwrite",
            "--out",
            path_str(&out),
        ],
        1,
    );
    assert!(stdout.contains("0 of 3 rows matched"), "{stdout}");
}

#[test]
fn remap_leaves_matches_below_the_sure_threshold_unmatched() {
    let (folder, character, table) = folder_with_tail();
    let [rules, out] = ["rules.json", "out.csv"].map(|name| folder.path().join(name));
    let loose = yuremono_model::exchange::remap::RemapRules::all_enabled([
        yuremono_model::exchange::remap::RemapRule::IgnoreCase,
    ]);
    std::fs::write(&rules, loose.to_json()).expect("written");
    let run = |sure: &str, code: i32| {
        let args = [
            "remap",
            path_str(&table),
            "--to",
            path_str(&character),
            "--rules",
            path_str(&rules),
            "--out",
            path_str(&out),
        ];
        check_cli(&[&args[..], &["--overwrite", "--min-confidence", sure]].concat(), code).0
    };
    let output = run("0.9", 0);
    assert!(output.contains("matched   tail_1 -> tail_1  (98 %") && output.contains("2 of 3 rows matched"), "{output}");
    let output = run("1", 1);
    assert!(output.contains("unsure    tail_1 -> tail_1  (98 %") && output.contains("0 of 3 rows matched"), "{output}");
}

#[test]
fn apply_reports_a_result_for_every_character() {
    let (folder, _, table) = folder_with_tail();
    let tables = folder.path().join("tables");
    std::fs::write(folder.path().join("zebra.vrm"), b"not a character").expect("written");
    let args = ["apply", path_str(&table), "--to", path_str(folder.path()), "--out", path_str(&tables), "--json"];
    let json = check_cli_json(&[&args[..], &["--keep-going"]].concat(), 1);
    let [tail, zebra] = [&json["files"][0], &json["files"][1]];
    assert_eq!(
        (&tail["matched"], &tail["rows"], &tail["missing"][0]["name"]),
        (&json!(2), &json!(3), &json!("wing_1"))
    );
    assert_eq!((&zebra["ok"], &zebra["diagnostics"][0]["severity"]), (&json!(false), &json!("error")));
    assert!(std::fs::read_to_string(tables.join("tail.csv")).expect("written").contains("wing_1"));
    let tail = folder.path().join("tail.glb");
    let (out, _) = check_cli(&["apply", path_str(&table), "--to", path_str(&tail), "--min-matched", "0.6"], 0);
    assert!(out.contains("2 of 3 rows matched") && out.contains("1 ok, 0 failed"), "{out}");
    check_cli(&["apply", path_str(&table), "--to", path_str(&tail)], 1);
    check_cli(&["apply", path_str(&table), "--to", path_str(&tables)], 1);
}

#[test]
fn the_light_and_the_background_of_a_picture_can_be_chosen() {
    if support::glow_renderer::headless_or_skip().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let draw = |light: &str| {
        let path = folder.path().join(format!("light{light}.png"));
        let style = ["--size", "160x200", "--view", "front", "--background", "flat-light", "--light", light];
        check_cli(&[&["render", SAMPLE_PATH][..], &style, &["--out", path_str(&path)]].concat(), 0);
        image::open(&path).expect("a picture").into_rgb8()
    };
    let (front, back) = (draw("0"), draw("180"));
    assert_eq!([front.get_pixel(2, 2), front.get_pixel(157, 100)], [&image::Rgb([0xf2, 0xf3, 0xf5]); 2]);
    let brightness = |picture: &image::RgbImage| picture.as_raw().iter().map(|byte| u64::from(*byte)).sum::<u64>();
    assert!(brightness(&front) > brightness(&back) + 100_000, "{} {}", brightness(&front), brightness(&back));
    let out = folder.path().join("bad.png");
    check_cli(&["render", SAMPLE_PATH, "--light", "1000", "--out", path_str(&out)], 2);
}

#[test]
fn render_writes_images_that_are_not_blank() {
    if support::glow_renderer::headless_or_skip().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = folder.path().join("one.png");
    check_cli(
        &[
            "render",
            SAMPLE_PATH,
            "--start",
            "0.5",
            "--size",
            "160x200",
            "--background",
            "light",
            "--out",
            path_str(&one),
        ],
        0,
    );
    let picture = image::open(&one).expect("a picture").into_rgb8();
    assert_eq!(picture.dimensions(), (160, 200));
    let colors: std::collections::BTreeSet<_> = picture.pixels().map(|p| p.0).collect();
    assert!(colors.len() > 200, "{} colours", colors.len());
    let many = folder.path().join("many");
    check_cli(&["render", SAMPLE_PATH, "--frames", "3", "--fps", "10", "--size", "64x64", "--out", path_str(&many)], 0);
    let frames = support::files_below(&many, &["png"]);
    assert_eq!(frames.len(), 3);
    let [first, last] = [&frames[0], &frames[2]].map(|f| std::fs::read(f).expect("written"));
    assert_ne!(first, last, "the character moves");
    let (_, stderr) = check_cli(&["render", SAMPLE_PATH, "--size", "64x64", "--out", path_str(&one)], 1);
    assert!(stderr.contains("add --overwrite to replace it"), "{stderr}");
}

#[test]
fn sample_characters_can_be_checked_and_simulated() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let files = support::files_below(&folder, &["gltf", "glb", "vrm"]);
    let mut args = vec!["check", "--json"];
    args.extend(files.iter().map(|f| path_str(f)));
    let output = run_cli(&args);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(matches!(output.status.code(), Some(0 | 1)));
    println!("samples: {} loaded, {} refused of {}", json["loaded"], json["refused"], files.len());
    let out = tempfile::tempdir().expect("a temporary folder");
    let recording = out.path().join("a.json");
    for file in files.iter().filter(|f| f.parent() == Some(folder.as_path())) {
        check_cli(&["simulate", path_str(file), "--seconds", "0.2", "--overwrite", "--out", path_str(&recording)], 0);
    }
}

#[test]
fn check_reports_every_file_of_the_corpus() {
    let Some(folder) = support::folder_or_skip("YUREMONO_CORPUS") else { return };
    let files = support::files_below(&folder, &["gltf", "glb", "vrm", "csv", "txt"]);
    let (mut loaded, mut refused) = (0, 0);
    // One process checks several files, which finds crashes just as well and starts fewer processes.
    for some in files.chunks(64) {
        let mut args = vec!["check", "--json"];
        args.extend(some.iter().map(|f| path_str(f)));
        let output = run_cli(&args);
        let code = output.status.code();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|err| {
            panic!("{err}, code {code:?}, {}\n{some:?}", String::from_utf8_lossy(&output.stderr))
        });
        let count = |key: &str| json[key].as_u64().expect("a number");
        assert_eq!(count("loaded") + count("refused"), some.len() as u64);
        assert_eq!(code, Some(i32::from(count("refused") > 0)));
        loaded += count("loaded");
        refused += count("refused");
    }
    println!("corpus: {loaded} loaded, {refused} refused of {}", files.len());
    assert_eq!((loaded + refused) as usize, files.len());
}

#[test]
fn conversion_losses_are_one_line_per_kind_with_the_first_bones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("girl.yure");
    let (_, err) = check_cli(&["convert", SAMPLE_PATH, "--solver", "AnimDynamics", "--out", path_str(&out)], 0);
    let output: Vec<_> = err.lines().filter(|line| line.starts_with("warning: girl.yure: ")).collect();
    assert!(!output.is_empty() && output.len() < 30, "{} lines\n{err}", output.len());
    let many = output.iter().find(|line| line.contains(" bones (") && line.contains(", … (+"));
    assert!(many.is_some_and(|line| line.matches('"').count() == 8), "four bones are named\n{err}");
}

#[test]
fn convert_rejects_invalid_and_lossy_outputs() {
    let (folder, character, table) = folder_with_tail();
    let at = |name: &str| folder.path().join(name);
    let (own, setup) = (std::fs::read(&character).expect("there"), std::fs::read(&table).expect("there"));
    let setup_args =
        |out: &str| ["convert", path_str(&character), "--setup", path_str(&table), "--out", out].map(str::to_owned);
    for (out, expected) in [
        (path_str(&character), "this is the character itself"),
        (path_str(&table), "this is the setup itself"),
        (path_str(&at("a.gltf")), "must end in .vrm or .glb"),
        (path_str(&at("a.vrma")), "expected .csv, .json, .yure, .vrm, .glb or .gltf"),
    ] {
        let args = setup_args(out);
        let (_, err) = check_cli(&args.each_ref().map(String::as_str), 1);
        assert!(err.contains(expected), "{out}: {err}");
    }
    let vrm = at("a.vrm");
    let (_, err) = check_cli(&["convert", path_str(&character), "--solver", "DynamicBone", "--out", path_str(&vrm)], 1);
    assert!(err.contains("a character file stores springs of VRM, not of DynamicBone"), "{err}");
    assert!(!vrm.exists());
    assert_eq!((std::fs::read(&character).expect("there"), std::fs::read(&table).expect("there")), (own, setup));
    let project = at("matched.yure");
    let mut args = setup_args(path_str(&project)).to_vec();
    args.extend(["--solver", "KawaiiPhysics", "--match", "turn"].map(str::to_owned));
    let (out, err) = check_cli(&args.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    let tenths: Vec<u32> = err
        .lines()
        .filter_map(|line| line.strip_prefix("fitting the motion: ")?.strip_suffix(" %")?.parse().ok())
        .collect();
    assert!(tenths.len() >= 3 && tenths.is_sorted_by(|a, b| a < b), "{err}");
    assert!(out.contains("2.4 s fitted, root mean square: tips and bones were off by"), "{out}");
    let args = setup_args(path_str(&vrm));
    let (_, err) = check_cli(&args.each_ref().map(String::as_str), 1);
    assert!(err.contains("a.vrm: the character has no VRM extension") && err.contains(".glb"), "{err}");
    assert!(!vrm.exists());
    let glb = at("a.glb");
    let args = setup_args(path_str(&glb));
    check_cli(&args.each_ref().map(String::as_str), 0);
    let (out, _) = check_cli(&["check", path_str(&glb)], 0);
    assert!(out.contains("2 joints in 1 chain"), "{out}");
}

#[test]
fn convert_changes_only_springs_and_needs_overwrite_for_existing_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    let bytes = std::fs::read(SAMPLE_PATH).expect("the sample is readable");
    check_cli(&["convert", SAMPLE_PATH, "--out", path_str(&file("same.vrm"))], 0);
    assert!(std::fs::read(file("same.vrm")).expect("written") == bytes, "the file is unchanged");
    let (_, stderr) = check_cli(&["convert", path_str(&file("same.vrm")), "--out", path_str(&file("same.vrm"))], 1);
    assert!(stderr.contains("--overwrite"), "{stderr}");
    // A round trip through Unity's table keeps every joint.
    check_cli(&["convert", SAMPLE_PATH, "--out", path_str(&file("unity.csv"))], 0);
    let table = path_str(&file("unity.csv")).to_owned();
    let back = file("back.vrm");
    let lossless = ["convert", SAMPLE_PATH, "--setup", &table, "--out", path_str(&back), "--fail-on-loss"];
    let (_, stderr) = check_cli(&lossless, 1);
    assert!(stderr.contains("of other solvers converted to VRM: in a motion of"), "{stderr}");
    assert!(!back.exists(), "the difference is reported before the file is written");
    check_cli(&["convert", SAMPLE_PATH, "--setup", &table, "--out", path_str(&file("back.vrm"))], 0);
    let joints = |path: &Path| {
        let opened = yuremono_format::open::character(path, &|_| true).expect("it opens");
        let bones = opened.document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
        bones.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(joints(&file("back.vrm")), joints(Path::new(SAMPLE_PATH)));
    // Springs of another file are assigned to the bones with the same names.
    check_cli(&["convert", SAMPLE_PATH, "--setup", SAMPLE_PATH, "--out", path_str(&file("other.vrm"))], 0);
    assert_eq!(joints(&file("other.vrm")), joints(Path::new(SAMPLE_PATH)));
}

#[test]
fn tables_are_written_with_the_options_of_the_export_dialog() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = folder.path().join("hair.csv");
    let convert = ["convert", SAMPLE_PATH, "--overwrite", "--out", path_str(&table)];
    let text = |options: &[&str]| {
        check_cli(&[&convert, options].concat(), 0);
        String::from_utf8(std::fs::read(&table).expect("written")).expect("UTF-8")
    };
    let plain = text(&[]);
    assert!(plain.contains("\n#yuremono,2,") && plain.contains("[Colliders]") && !plain.contains("\r\n"));
    let windows = text(&["--line-ends", "crlf", "--bom", "always"]);
    assert_eq!(windows.strip_prefix('\u{feff}').expect("a byte order mark").replace("\r\n", "\n"), plain);
    let bare = text(&["--no-comment-rows", "--only", "joints", "--bom", "never"]);
    assert!(!bare.contains("#yuremono,2,") && !bare.contains("[Colliders]") && bare.contains("[SpringBones]"));
    let commas = text(&["--decimal-comma", "--digits", "3"]);
    assert!(commas.contains("\"0,"), "{commas}");
    assert!(
        commas.split(['"', ',']).all(|cell| cell.trim_matches(['-', '.']).len() < 7 || cell.parse::<f32>().is_err())
    );
    let character = folder.path().join("out.vrm");
    let (_, stderr) = check_cli(&["convert", SAMPLE_PATH, "--digits", "7", "--out", path_str(&character)], 1);
    assert!(stderr.contains("are for .csv tables"), "{stderr}");
}

#[test]
fn converting_a_character_with_its_own_setup_keeps_its_bytes() {
    let Some(samples) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| path_str(&folder.path().join(name)).to_owned();
    for name in ["synth_girl_vrm0.vrm", "Godette_vrm_v4.vrm", "synth_girl_vrm1.vrm"] {
        let character = path_str(&samples.join(name)).to_owned();
        let bytes = std::fs::read(&character).expect("a sample");
        let [plain, first, second] = ["plain.vrm", "first.vrm", "second.vrm"].map(file);
        check_cli(&["convert", &character, "--overwrite", "--out", &plain], 0);
        assert!(std::fs::read(&plain).expect("written") == bytes, "{name}: without a setup");
        for setup in ["setup.json", "setup.yure", "setup.csv"] {
            let path = file(setup);
            let solver: &[&str] = if setup == "setup.csv" { &["--solver", "VRM"] } else { &[] };
            check_cli(&[&["convert", &character, "--overwrite", "--out", &path], solver].concat(), 0);
            check_cli(&["convert", &character, "--setup", &path, "--overwrite", "--out", &first], 0);
            check_cli(&["convert", &first, "--setup", &path, "--overwrite", "--out", &second], 0);
            let [first, second] = [&first, &second].map(|path| std::fs::read(path).expect("written"));
            assert!(first == bytes && second == bytes, "{name}: {setup}");
        }
    }
}

#[test]
fn saving_a_gltf_in_another_folder_copies_its_external_files() {
    let (folder, glb, _) = folder_with_tail();
    let bytes = std::fs::read(&glb).expect("there");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let mut file: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    file["buffers"][0]["uri"] = json!("data/tail.bin");
    std::fs::create_dir(folder.path().join("data")).expect("made");
    std::fs::write(folder.path().join("data/tail.bin"), &bytes[20 + length + 8..]).expect("written");
    let (from, to) = (folder.path().join("tail.gltf"), folder.path().join("elsewhere/tail.gltf"));
    std::fs::write(&from, file.to_string()).expect("written");
    std::fs::create_dir(folder.path().join("elsewhere")).expect("made");
    let (_, stderr) = check_cli(&["convert", path_str(&from), "--out", path_str(&to)], 0);
    assert!(stderr.contains("copied next to it: \"data/tail.bin\""), "{stderr}");
    yuremono_format::open::character(&to, &|_| true).expect("it opens where it is now");
    std::fs::write(folder.path().join("elsewhere/data/tail.bin"), b"foreign").expect("written");
    let (_, stderr) = check_cli(&["convert", path_str(&from), "--overwrite", "--out", path_str(&to)], 1);
    assert!(stderr.contains("different files with these names"), "{stderr}");
    assert_eq!(std::fs::read(folder.path().join("elsewhere/data/tail.bin")).expect("there"), b"foreign");
}

/// Writes a character with three named bones, which VRM assigns to the humanoid roles hips, spine and head.
fn write_humanoid(path: &Path, names: [&str; 3]) {
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&names);
    let bone = |node: usize| serde_json::json!({ "node": node });
    let bones = serde_json::json!({ "humanBones": { "hips": bone(0), "spine": bone(1), "head": bone(2) } });
    builder.json["extensionsUsed"] = serde_json::json!(["VRMC_vrm"]);
    builder.json["extensions"] = serde_json::json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": bones } });
    std::fs::write(path, builder.glb()).expect("written");
}

#[test]
fn remap_maps_rows_of_both_solvers_by_humanoid_role() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [from, to, table, out] = ["a.glb", "b.glb", "a.csv", "out.csv"].map(|name| folder.path().join(name));
    write_humanoid(&from, ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Head"]);
    write_humanoid(&to, ["koshi", "sebone", "atama"]);
    let unity = table_with_rows(&["J_Bip_C_Head"]).replace("root", "J_Bip_C_Spine");
    for (written, row) in [
        ("[VRM]\nJ_Bip_C_Head,1,0.5,0,-1,0,0.4,0.02\n", "\natama,1,0.5,0,-1,0,0.4,0.02\n"),
        (&unity, "\natama,0.02,400,0.3,0,-2,0,0,sebone,"),
    ] {
        std::fs::write(&table, written).expect("written");
        let args = [
            "remap",
            path_str(&table),
            "--from",
            path_str(&from),
            "--to",
            path_str(&to),
            "--overwrite",
            "--out",
            path_str(&out),
        ];
        let (stdout, _) = check_cli(&args, 0);
        assert!(stdout.contains("matched   J_Bip_C_Head -> atama"), "{stdout}");
        let made = std::fs::read_to_string(&out).expect("written");
        assert!(made.contains(row), "{row:?} in {made}");
    }
}

#[test]
fn convert_and_apply_write_vrm_tables() {
    let (folder, character, table) = folder_with_tail();
    let [out, vrm] = ["tables", "tail_vrm.csv"].map(|name| folder.path().join(name));
    let mut args =
        vec!["convert", path_str(&character), "--setup", path_str(&table), "--solver", "VRM", "--out", path_str(&vrm)];
    check_cli(&args, 0);
    let written = std::fs::read_to_string(&vrm).expect("written");
    assert!(written.contains("[VRM]\n// bone,stiffness,gravityPower,"), "{written}");
    assert!(written.contains("\ntail_1,") && !written.contains("[SpringBones]"), "{written}");
    check_cli(
        &["apply", path_str(&vrm), "--to", path_str(&character), "--out", path_str(&out), "--min-matched", "0.5"],
        0,
    );
    let applied = std::fs::read_to_string(out.join("tail.csv")).expect("written");
    let row = |text: &str| text.lines().find(|line| line.starts_with("tail_1,")).map(str::to_owned);
    assert_eq!(row(&applied), row(&written));
    (args[3], args[7]) = (path_str(&vrm), path_str(&out));
    let back = folder.path().join("back.csv");
    args[7] = path_str(&back);
    check_cli(&args, 0);
    assert_eq!(row(&std::fs::read_to_string(&back).expect("written")), row(&written));
}
