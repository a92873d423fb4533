//! Tests the language of the command line: `--lang`, otherwise the locale.

use super::support;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

/// Runs the program with these environment variables. Returns exit code, standard output and standard error.
fn run(args: &[&str], locale: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = support::yuremono_command();
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    let output = command.envs(locale.iter().copied()).args(args).output().expect("it runs");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (output.status.code(), out, err)
}

/// Returns the lines with at least three consecutive English words. Names and quoted text count as one word.
fn english_sentences(text: &str) -> Vec<&str> {
    let is_english = |line: &&str| {
        let mut words = 0;
        line.split(' ').any(|word| {
            let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
            words = if !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()) { words + 1 } else { 0 };
            words == 3
        })
    };
    text.lines().filter(is_english).collect()
}

/// Returns a table with a value that is not a number, and a character that violates a rule of the VRM specification.
fn bad_files(folder: &TempDir) -> [PathBuf; 2] {
    let table = folder.path().join("bad.csv");
    let header = "version,4\nsource,UnitySpringBone\n";
    let columns = "//,bone,radius,stiffness,drag\n";
    std::fs::write(&table, format!("{header}[SpringBones]\n{columns}hair,o.5,x,0.4\n")).expect("written");
    let character = folder.path().join("bad.vrm");
    let file = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["VRMC_springBone"],
        "nodes": [{ "name": "a", "children": [1] }, { "name": "b", "translation": [0, -0.1, 0] }],
        "extensions": { "VRMC_springBone": { "specVersion": "1.0", "springs": [
            { "joints": [{ "node": 0, "stiffness": -1 }, { "node": 1 }] },
        ] } },
    });
    std::fs::write(&character, file.to_string()).expect("written");
    [table, character]
}

#[test]
fn the_option_wins_over_the_locale_and_the_locale_over_english() {
    let refused = |args: &[&str], locale: &[(&str, &str)]| {
        let (code, out, err) = run(&[&["convert", SAMPLE, "--out", "x.txt"], args].concat(), locale);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        err
    };
    let english = "error: x.txt: expected .csv, .json, .yure, .vrm, .glb or .gltf\n";
    let japanese = "エラー: x.txt: .csv, .json、.yure、.vrm、.glb、.gltfのいずれかを指定してください。\n";
    for (args, locale, expected) in [
        (&[][..], &[][..], english),
        (&["--lang", "ja"], &[], japanese),
        (&[], &[("LC_ALL", "ja_JP.UTF-8")], japanese),
        (&[], &[("LC_ALL", ""), ("LC_MESSAGES", "ja_JP.UTF-8"), ("LANG", "en_US.UTF-8")], japanese),
        (&[], &[("LANG", "ja_JP.UTF-8")], japanese),
        (&[], &[("LC_ALL", "C"), ("LANG", "ja_JP.UTF-8")], english),
        (&["--lang", "en"], &[("LC_ALL", "ja_JP.UTF-8")], english),
    ] {
        assert_eq!(refused(args, locale), expected, "{args:?} {locale:?}");
    }
    let (code, _, err) = run(&["--lang", "ja", "convert", SAMPLE, "--out", "x.txt"], &[]);
    assert_eq!((code, err.as_str()), (Some(1), japanese), "the option can precede the command");
    assert_eq!(run(&["--lang", "fr", "params"], &[]).0, Some(2));
    assert_eq!(run(&[SAMPLE, "params"], &[]).0, Some(2), "a file and a command cannot be combined");
}

#[test]
fn results_are_japanese_and_json_stays_english() {
    let (code, out, _) = run(&["check", SAMPLE, "--lang", "ja"], &[]);
    assert_eq!(code, Some(0));
    assert!(out.contains("ジョイント") && out.contains("コライダー"), "{out}");
    assert_eq!(english_sentences(&out), [""; 0]);
    let json = |lang: &str| -> Value {
        let (_, out, err) = run(&["detect", SAMPLE, "--json", "--lang", lang], &[]);
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"))
    };
    assert_eq!(json("ja"), json("en"));
}

#[test]
fn the_findings_of_check_are_japanese() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in bad_files(&folder).map(|path| path.display().to_string()) {
        let (_, english, _) = run(&["check", &path], &[]);
        assert_ne!(english_sentences(&english), [""; 0], "{english}");
        let (_, out, err) = run(&["check", &path, "--lang", "ja"], &[]);
        assert_eq!(out.lines().count(), english.lines().count());
        assert_eq!(english_sentences(&out), [""; 0], "{err}");
    }
}

#[test]
fn help_is_japanese_and_lists_the_same_options() {
    // Wrapped lines are indented further than option lines.
    let options = |help: &str| {
        let is_option = |line: &&str| (2..=6).contains(&(line.len() - line.trim_start().len()));
        help.lines().filter(is_option).filter(|line| line.trim_start().starts_with('-')).count()
    };
    for command in [String::new()].into_iter().chain(support::command_names()) {
        let args = |last| -> Vec<&str> { [command.as_str(), last].into_iter().filter(|arg| !arg.is_empty()).collect() };
        for help in ["--help", "-h"] {
            let (code, japanese, _) = run(&[&args(help)[..], &["--lang", "ja"]].concat(), &[]);
            assert_eq!(code, Some(0));
            assert!(japanese.contains("使い方:") && japanese.contains("オプション:"), "{japanese}");
            assert!(!japanese.contains("Usage:") && !japanese.contains("Options:"), "{japanese}");
            assert_eq!(english_sentences(&japanese), [""; 0], "{command}");
        }
        let (_, english, _) = run(&args("--help"), &[]);
        assert!(english.contains("Usage: yuremono"), "{english}");
        let (_, japanese, _) = run(&args("--help"), &[("LANG", "ja_JP.UTF-8")]);
        assert_eq!(options(&japanese), options(&english), "{command}\n{japanese}");
    }
    let (code, page, _) = run(&["man", "render", "--lang", "ja"], &[]);
    assert_eq!(code, Some(0));
    assert!(page.contains("アニメーション画像"), "{page}");
}

#[test]
fn errors_of_the_command_line_are_japanese() {
    for (args, expected) in [
        (
            &["render", SAMPLE, "--out", "x.png", "--size", "9"][..],
            "--size <WxH>に「9」は使用できません：800x1000のように",
        ),
        (&["simulate", SAMPLE, "--out", "x.csv", "--seconds", "-1"], "0〜3600の値を指定してください。"),
        (&["simulate", SAMPLE, "--out", "x.csv", "--seconds", "x"], "0〜3600の値を指定してください。"),
        (
            &["render", SAMPLE, "--out", "x.png", "--view", "up"],
            "--view <VIEW>に「up」は使用できません（使用できる値：front、back",
        ),
        (&["render", SAMPLE], "次の引数が必要です：--out <FILE|FOLDER>"),
        (&["render", SAMPLE, "--out"], "--out <FILE|FOLDER>には値が必要です。"),
        (&["render", SAMPLE, "--out", "x.gif", "--seconds", "1", "--frames", "2"], "同時には使用できません。"),
        (&["params", "--solver", "x"], "次のいずれかを指定してください："),
        (&["--wrong"], "引数--wrongはありません。"),
        (&[SAMPLE, "params"], "[FILE]は<COMMAND>と同時には使用できません。"),
    ] {
        let (code, out, err) = run(&[args, &["--lang", "ja"]].concat(), &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.starts_with("エラー: ") && err.contains(expected), "{args:?}: {err}");
        // The usage line contains the English names of options.
        assert_eq!(english_sentences(err.lines().next().unwrap_or_default()), [""; 0], "{err}");
        let (code, _, err) = run(args, &[]);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(err.starts_with("error: "), "{err}");
    }
}

#[test]
fn tables_and_differences_are_japanese() {
    let rig = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
    for (args, expected) in [
        (&["params"][..], "初期値"),
        (&["params", "--solvers"], "ジョイント"),
        (&["params", "--markdown"], "| 名前 | ラベル | 対象 | 範囲 | 初期値 | 説明 |"),
        (&["presets"], "マイプリセット"),
        (&["presets", "--markdown"], "| 特徴 | キー |"),
        (&["detect", rig], "を検出"),
        (&["diff", SAMPLE, rig], "」：削除"),
    ] {
        let (_, out, err) = run(&[args, &["--lang", "ja"]].concat(), &[]);
        assert!(out.contains(expected), "{args:?}: {out}{err}");
        assert_eq!(english_sentences(&out), [""; 0], "{args:?}");
        let english = run(args, &[]).1;
        assert!(!english.contains(expected), "{english}");
        assert_eq!(out.lines().count(), english.lines().count(), "{args:?}");
    }
}
