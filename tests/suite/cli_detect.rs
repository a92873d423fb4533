//! Tests `yuremono detect`, which sets up a bare character without a window. Also tests that completions and the manual
//! page cover every command.

use super::support::glb::GlbBuilder;
use serde_json::Value;
use std::path::Path;
use yuremono_format::open;
use yuremono_model::tools::{detect::AUTO_ACCEPT_CONFIDENCE, detect::detect_chains};

#[track_caller]
fn check_cli(args: &[&str], code: i32) -> (String, String) {
    let output = crate::support::yuremono_command().args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Writes a bare .glb with a tail, and with a bone whose name suggests no part.
fn write_tail_glb(path: &Path) {
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "Tail_1", "Tail_2", "Tail_3"]);
    std::fs::write(path, builder.glb()).expect("written");
}

#[test]
fn detect_lists_the_same_proposals_as_the_window() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("fox.glb");
    write_tail_glb(&file);
    let opened = open::character(&file, &|_| true).expect("it opens");
    let proposals = detect_chains(&opened.character, &opened.document);
    assert!(!proposals.is_empty());
    let (out, _) = check_cli(&["detect", path_str(&file), "--json"], 0);
    let output: Value = serde_json::from_str(&out).expect("JSON");
    let chains = output["files"][0]["chains"].as_array().expect("a list");
    assert_eq!(chains.len(), proposals.len());
    for (chain, proposal) in chains.iter().zip(&proposals) {
        assert_eq!(
            (chain["name"].as_str(), chain["part"].as_str()),
            (Some(&*proposal.name), Some(proposal.part.key()))
        );
        let confidence = chain["confidence"].as_f64().expect("a number") as f32;
        assert!((confidence - proposal.confidence).abs() < 1e-6);
        assert_eq!(chain["made"].as_bool(), Some(proposal.confidence >= AUTO_ACCEPT_CONFIDENCE));
        assert_eq!(chain["bones"].as_array().map(Vec::len), Some(proposal.bones.len()));
    }
    assert_eq!(output["written"], serde_json::json!([]), "the proposals are only listed");
    let (out, _) = check_cli(&["detect", path_str(&file)], 0);
    assert!(out.contains("Tail_1") && out.contains(" %") && out.contains("found"), "{out}");
}

#[test]
fn detect_writes_a_setup_in_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    write_tail_glb(&at("fox.glb"));
    let fox = at("fox.glb");
    for (name, more) in [
        ("fox.csv", [].as_slice()),
        ("fox.json", &[]),
        ("fox.yure", &["--solver", "KawaiiPhysics"]),
        ("sprung.glb", &[]),
        ("kawaii.json", &["--format", "kawaii-physics"]),
        ("dynamic.csv", &["--format", "dynamic-bone"]),
        ("ez.json", &["--format", "ez-soft-bone"]),
    ] {
        let args = ["detect", path_str(&fox), "--min-confidence", "0.3", "--out"];
        let out = at(name);
        let (output, _) = check_cli(&[&args[..], &[path_str(&out)], more].concat(), 0);
        assert!(output.contains(&format!("written to {}", out.display())), "{output}");
        check_cli(&["check", path_str(&out)], 0);
        if name != "sprung.glb" {
            let tips = at("tips.csv");
            let simulate = ["simulate", path_str(&fox), "--setup", path_str(&out), "--seconds", "0.1", "--overwrite"];
            let (output, err) = check_cli(&[&simulate[..], &["--out", path_str(&tips)]].concat(), 0);
            assert!(output.contains("6 steps of ") && !err.contains("nothing moves"), "{name}: {output}{err}");
        }
    }
    let (_, output) = check_cli(&["detect", path_str(&fox), "--out", path_str(&at("fox.vrm"))], 1);
    assert!(output.contains("no VRM extension"), "{output}");
    let (_, output) =
        check_cli(&["detect", path_str(&fox), "--min-confidence", "1", "--out", path_str(&at("none.csv"))], 1);
    assert!(output.contains("no chain reaches --min-confidence"), "{output}");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
    let (_, output) = check_cli(&["detect", sample, "--out", path_str(&at("none.csv"))], 1);
    assert!(
        output.contains("no new chain was found: 175 joints are in chains already. Nothing was written"),
        "{output}"
    );
    assert!(!at("none.csv").exists() && !at("fox.vrm").exists());
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    let commands = crate::support::command_names();
    assert!(commands.len() > 9, "{commands:?}");
    let (page, _) = check_cli(&["man"], 0);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (script, _) = check_cli(&["completions", shell], 0);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{command} of {shell}");
        }
    }
    for command in &commands {
        assert!(page.contains(&format!("yuremono\\-{command}(1)")), "{command}: {page}");
        let (one, _) = check_cli(&["man", command], 0);
        assert!(one.contains(&format!(".TH yuremono-{command} 1")), "{one}");
    }
    assert!(page.contains("Exit codes"), "{page}");
    check_cli(&["completions", "cmd"], 2);
    check_cli(&["man", "fly"], 1);
}
