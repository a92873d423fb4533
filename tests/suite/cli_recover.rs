//! Tests `yuremono recover` with the journals of windows that ended without closing.

use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use yuremono_format::open;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::recovery::JournalWriter;
use yuremono_format::recovery::store::{JournalFile, path_in};

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

/// Returns the name of the main system in the recovered project.
fn recovered_name(path: &Path) -> String {
    let json: Value = serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON");
    let systems = json["setup"]["systems"].as_object().expect("systems");
    systems.values().next().expect("a system")["name"].as_str().expect("a name").to_owned()
}

/// Returns a home folder with the journal of an ended window, in which the main system was renamed twice.
fn home_with_journal() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let opened = open::character(Path::new(SAMPLE_PATH), &|_| true).expect("the sample opens");
    let metadata = ProjectMetadata {
        character_path: SAMPLE_PATH.to_owned(),
        character_name: "sample.vrm".to_owned(),
        ..ProjectMetadata::default()
    };
    let bytes = |name: &str| {
        let mut document = opened.document.clone();
        name.clone_into(&mut document.setup.systems.values_mut().next().expect("a system").name);
        project::write(&document, &opened.character.skeleton, &metadata)
    };
    let mut file = JournalFile::create(&path_in(&home.path().join("yuremono"))).expect("created");
    let mut writer = JournalWriter::new(Some(PathBuf::from("/art/hair.yure")), false, &bytes("saved"));
    for (edits, name) in [(1, "first"), (2, "second")] {
        let line = writer.append(&bytes(name), edits, 1_000).expect("a change");
        file.append(&writer, &line).expect("written");
    }
    home
}

#[track_caller]
fn run_cli(home: &Path, args: &[&str], code: i32) -> String {
    let mut command = crate::support::yuremono_command();
    let output = command.env("XDG_DATA_HOME", home).env("HOME", home).args(args).output().expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    stdout
}

#[test]
fn unsaved_changes_are_listed_and_written_as_projects() {
    let home = home_with_journal();
    let listed: Value = serde_json::from_str(&run_cli(home.path(), &["recover", "--json"], 0)).expect("JSON");
    assert_eq!(listed["documents"][0]["edits"], 2);
    assert_eq!(listed["documents"][0]["project"], "/art/hair.yure");
    let text = run_cli(home.path(), &["recover"], 0);
    assert!(text.contains("hair.yure: 2 edits, recoverable as hair-recovered.yure"), "{text}");

    let out = home.path().join("out");
    let out_arg = out.to_str().expect("UTF-8");
    run_cli(home.path(), &["recover", "--out", out_arg], 0);
    assert_eq!(recovered_name(&out.join("hair-recovered.yure")), "second");
    run_cli(home.path(), &["check", out_arg], 0);
    // Files are replaced only on request, and the changes stay until they are discarded.
    run_cli(home.path(), &["recover", "--out", out_arg], 1);
    run_cli(home.path(), &["recover", "--out", out_arg, "--overwrite", "--discard"], 0);
    assert_eq!(std::fs::read_dir(home.path().join("yuremono/recovery")).expect("a folder").count(), 0);
    assert!(run_cli(home.path(), &["recover"], 0).contains("no unsaved changes"));
}

#[test]
fn a_damaged_journal_is_listed_with_a_warning_and_stays_unchanged() {
    let home = home_with_journal();
    let entries = std::fs::read_dir(home.path().join("yuremono/recovery")).expect("a folder");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    let path = paths.find(|path| path.extension().is_some_and(|extension| extension == "journal")).expect("a journal");
    let mut bytes = std::fs::read(&path).expect("readable");
    bytes.extend(b"{}\n");
    std::fs::write(&path, &bytes).expect("written");
    let listed: Value = serde_json::from_str(&run_cli(home.path(), &["recover", "--json"], 0)).expect("JSON");
    assert_eq!(listed["documents"][0]["edits"], 2);
    let warning = listed["diagnostics"].to_string();
    assert!(warning.contains("lines that cannot be used: 1"), "{listed}");
    assert_eq!(std::fs::read(&path).expect("readable"), bytes);
}
