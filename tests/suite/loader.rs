//! Character files: small ones made here, and where the environment names them, real and hostile ones.

use crate::support::{self, glb::Builder};
use serde_json::{Value, json};
use std::path::Path;
use yuremono::format::gltf::{self, Loaded};
use yuremono::format::source::{Folder, Source, no_siblings};
use yuremono::report::{Diagnostic, Severity};

fn read(bytes: &[u8]) -> Result<Loaded, Vec<Diagnostic>> {
    gltf::read(&Source { name: "test.glb", bytes, sibling: &no_siblings }, &|_| true)
}

fn read_path(path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
    let bytes = yuremono::format::source::read_limited(path).map_err(|d| vec![d])?;
    let folder = Folder::of(path).expect("a folder");
    let name = path.file_name().expect("a file").to_string_lossy();
    gltf::read(&Source { name: &name, bytes: &bytes, sibling: &|name| folder.read(name) }, &|_| true)
}

#[track_caller]
fn load(builder: &Builder) -> Loaded {
    read(&builder.glb()).expect("a character")
}

/// The file is refused with exactly this first message.
#[track_caller]
fn refused(builder: &Builder, expected: &str) {
    let said = read(&builder.glb()).expect_err("a refusal");
    assert_eq!(said[0].severity, Severity::Error);
    assert_eq!(said[0].to_string(), expected);
}

/// The file loads, and says this among other things.
#[track_caller]
fn warned(builder: &Builder, expected: &str) -> Loaded {
    let loaded = load(builder);
    let said: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|s| s == expected), "{said:#?}");
    loaded
}

fn put(value: &mut Value, pointer: &str, new: Value) {
    *value.pointer_mut(pointer).expect("it is there") = new;
}

#[test]
fn samples_load_with_the_counts_that_are_known() {
    let Some(folder) = support::folder("YUREMONO_SAMPLES") else { return };
    for path in support::files(&folder, &["gltf", "glb", "vrm", "vrma"]) {
        let loaded = read_path(&path).unwrap_or_else(|said| panic!("{}: {}", path.display(), said[0]));
        let c = &loaded.character;
        let vertices: usize = c.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
        let springs = loaded.springs.as_ref();
        println!(
            "{}: {}, {} bones, {} roles, {} meshes, {vertices} vertices, {} materials, {} images, {} clips, {} chains, {} joints, {} colliders, {} said",
            path.file_name().expect("a file").to_string_lossy(),
            c.kind,
            c.skeleton.len(),
            c.humanoid.iter().count(),
            c.meshes.len(),
            c.materials.len(),
            c.images.len(),
            c.clips.len(),
            springs.map_or(0, |s| s.chains.len()),
            springs.map_or(0, |s| s.chains.iter().map(|c| c.joints.len()).sum()),
            springs.map_or(0, |s| s.colliders.len()),
            loaded.diagnostics.len(),
        );
        for said in &loaded.diagnostics {
            println!("    {}: {said}", said.severity);
        }
    }
}

#[test]
fn a_corpus_of_odd_files_ends_in_characters_or_refusals() {
    let Some(folder) = support::folder("YUREMONO_CORPUS") else { return };
    let mut counts = [[0; 3]; 2];
    for path in support::files(&folder, &["gltf", "glb", "vrm"]) {
        #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
        let start = std::time::Instant::now();
        let outcome = read_path(&path);
        let seconds = start.elapsed().as_secs_f32();
        let (kind, said) = match &outcome {
            Ok(loaded) if loaded.diagnostics.iter().all(|d| d.severity == Severity::Info) => {
                ("loaded", &loaded.diagnostics)
            }
            Ok(loaded) => ("warned", &loaded.diagnostics),
            Err(said) => ("refused", said),
        };
        let judged = judged(&path);
        if let Some((errors, _)) = judged {
            let column = ["loaded", "warned", "refused"].iter().position(|k| *k == kind).expect("one of three");
            counts[usize::from(errors > 0)][column] += 1;
        }
        let name = path.strip_prefix(&folder).expect("below").display().to_string();
        let theirs = judged.map_or(String::new(), |(n, code)| format!(" [{n} errors {code}]"));
        println!("{kind}\t{seconds:.2}\t{name}{theirs}\t{}", said.first().map_or(String::new(), ToString::to_string));
    }
    println!("judged valid: loaded, warned, refused = {:?}; judged broken: {:?}", counts[0], counts[1]);
}

/// How many errors a report beside the file counts, and the first code.
fn judged(path: &Path) -> Option<(u64, String)> {
    let mut name = path.as_os_str().to_owned();
    name.push(".report.json");
    let report: Value = serde_json::from_slice(&std::fs::read(name).ok()?).ok()?;
    let list = report["issues"]["messages"].as_array();
    let code = list.and_then(|m| m.iter().find(|m| m["severity"] == 0)).and_then(|m| m["code"].as_str());
    Some((report["issues"]["numErrors"].as_u64()?, code.unwrap_or_default().to_owned()))
}
