//! An FBX on the command line: it is checked, simulated and baked like other characters, and never written.

use super::support::fbx::Fbx;
use super::support::yuremono_command;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use yuremono_format::open;

/// The paths of an FBX and of a table for its hair.
struct Fixture {
    folder: TempDir,
    character: PathBuf,
    table: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (character, table) = (folder.path().join("girl.fbx"), folder.path().join("hair.csv"));
        std::fs::write(&character, Fbx::default().text()).expect("written");
        let row = "Hair,0.02,400,0.3,0,-2,0,0,Hips,False,0,0,False,0,0,100,0";
        std::fs::write(&table, format!("version,4\n[SpringBones]\n{row}\n")).expect("written");
        Self { folder, character, table }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command with the character and its table. Returns the standard output and the errors.
    #[track_caller]
    fn run(&self, command: &str, rest: &[&str], code: i32) -> String {
        let [character, table] = [&self.character, &self.table].map(|path| path.to_str().expect("UTF-8"));
        let args = [&[command, character, "--setup", table], rest].concat();
        let output = yuremono_command().args(&args).output().expect("it runs");
        let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{text}");
        text
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn an_fbx_is_checked_and_its_setup_goes_out_as_a_table() {
    let fixture = Fixture::new();
    let found = fixture.run("check", &["--json"], 0);
    assert!(found.contains("FBX 7.4, 4 bones, 3 vertices, 1 animation"), "{found}");
    let table = fixture.path("out.csv");
    fixture.run("convert", &["--solver", "UnityChanSpringBone", "--out", text(&table)], 0);
    let written = std::fs::read_to_string(table).expect("a table");
    assert!(written.contains("\nHair,0.02,400,0.3,0,-2,0,0,Hips,"), "{written}");
}

#[test]
fn springs_are_never_saved_into_an_fbx() {
    let fixture = Fixture::new();
    let before = std::fs::read(&fixture.character).expect("the character");
    for name in ["out.vrm", "out.glb", "out.fbx"] {
        let found = fixture.run("convert", &["--out", text(&fixture.path(name))], 1);
        assert!(
            found.contains("springs cannot be saved in an FBX or a package of Unity; export a setup file"),
            "{name}: {found}"
        );
        assert!(!fixture.path(name).exists(), "{name}");
    }
    assert_eq!(std::fs::read(&fixture.character).expect("the character"), before);
}

#[test]
fn a_bake_becomes_a_glb_with_the_bones_of_the_fbx() {
    let fixture = Fixture::new();
    fixture.run("bake", &["--motion", "Nod", "--out", text(&fixture.path("baked/"))], 0);
    let baked = open::character(&fixture.path("baked/girl.glb"), &|_| true).expect("the bake opens").character;
    let original = open::character(&fixture.character, &|_| true).expect("the character opens").character;
    assert_eq!(baked.skeleton, original.skeleton);
    let names: Vec<&str> = baked.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["Nod", "Nod 2"]);
    assert!(baked.clips[1].channels.iter().any(|channel| channel.bone == baked.skeleton.find("Hair").expect("hair")));
}

#[test]
fn a_take_moves_another_character_by_the_names_of_its_bones() {
    let fixture = Fixture::new();
    let motion = fixture.path("nod.fbx");
    std::fs::write(&motion, Fbx { take: "mixamo.com".to_owned(), has_mesh: false, ..Fbx::default() }.text())
        .expect("written");
    let tips = fixture.path("tips.csv");
    fixture.run("simulate", &["--motion", text(&motion), "--seconds", "1", "--out", text(&tips)], 0);
    let still = fixture.path("still.csv");
    fixture.run("simulate", &["--motion", "still", "--seconds", "1", "--out", text(&still)], 0);
    assert_ne!(std::fs::read(tips).expect("written"), std::fs::read(still).expect("written"));
    assert!(open::is_motion_only(&motion) && !open::is_motion_only(&fixture.character));
}
