//! Checks README and docs: commands run, tables match the program's output, and links and pictures exist.

use crate::support::{glb::GlbBuilder, sample};
use assert_cmd::Command;
use clap::CommandFactory as _;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use yuremono::cli::Cli;
use yuremono_sim::SolverKind;

/// Every document with commands for users or contributors.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "README.ja.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "assets/README.md",
    "docs/ci.md",
    "docs/cli.md",
    "docs/formats.md",
    "docs/import-export.md",
    "docs/presets.md",
    "docs/projects.md",
    "docs/solvers.md",
    "integrations/blender/README.md",
    "integrations/unity/README.md",
];

/// Prefixes of the commands that this test does not run, each with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("sudo apt-get install", "needs root and a network, and opens the window; .ci/run installs the same packages"),
    ("cargo run", "builds a second program; sample.rs and sample_tables.rs compare what the examples write"),
    ("cargo test", "is running already"),
    ("YUREMONO_CASES=12 cargo test", "takes minutes; .ci/run runs it"),
    ("YUREMONO_UPDATE_DOCS=1 cargo test", "writes into the checkout"),
    ("cargo clippy", "is no part of the program; .ci/run runs it"),
    ("cargo deny", "is no part of the program; .ci/run runs it"),
    ("cargo bench", "takes minutes"),
    ("bash .ci/run", "runs this test"),
    ("bash .ci/web.sh PROGRAM", "builds the program for the browser"),
    ("bash .ci/windows.sh", "builds the program for Windows"),
    (".ci/pictures.sh", "needs a display"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// Returns the commands in the `sh` blocks of a document, and the commands of Yuremono in the `yaml` blocks, each with its
/// line number.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut commands: Vec<(usize, String)> = Vec::new();
    let (mut inside, mut in_workflow, mut continued) = (false, false, false);
    for (number, line) in text.lines().enumerate() {
        match line.trim() {
            "```sh" => inside = true,
            "```yaml" => in_workflow = true,
            "```" => (inside, in_workflow) = (false, false),
            line if in_workflow => {
                let command = line.strip_prefix("run: ").unwrap_or(line);
                commands.extend(command.starts_with("yuremono ").then(|| (number + 1, command.to_owned())));
            }
            line if inside && !line.is_empty() => {
                let (part, goes_on) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
                match commands.last_mut() {
                    Some((_, command)) if continued => command.push_str(part),
                    _ => commands.push((number + 1, part.to_owned())),
                }
                continued = goes_on;
            }
            _ => {}
        }
    }
    commands
}

/// Returns the exit code in the comment of a command, or 0.
fn expected_code(command: &str) -> i32 {
    let named = command.split(" #").nth(1).and_then(|comment| comment.split("exit code ").nth(1));
    named.and_then(|code| code.chars().next()?.to_digit(10)).map_or(0, |code| code as i32)
}

/// A temporary folder with the files that the documents use.
struct Workbench(TempDir);

impl Workbench {
    fn new() -> Self {
        let fixture = Self(tempfile::tempdir().expect("a temporary folder"));
        let copy = |from: &str, to: &str| {
            std::fs::copy(root().join("assets").join(from), fixture.at(to)).expect("copied");
        };
        copy("sample.vrm", "girl.vrm");
        copy("sample.vrm", "girl1.vrm");
        copy("sample-rig-blender.vrm", "boy.vrm");
        std::fs::create_dir(fixture.at("characters")).expect("made");
        copy("sample-rig-blender.vrm", "characters/boy.vrm");
        copy("sample-rig-japanese.vrm", "characters/miko.vrm");
        std::fs::write(fixture.at("fox.glb"), character_with_tail()).expect("written");
        std::fs::write(fixture.at("girl0.vrm"), girl_of_vrm_0()).expect("written");
        std::fs::write(fixture.at("nod.vrma"), head_nod_motion()).expect("written");
        fixture.run("yuremono convert girl.vrm --solver UnityChanSpringBone --out hair.csv", 0);
        fixture
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command in the shell, as a reader would.
    #[track_caller]
    fn run(&self, command: &str, code: i32) {
        let folder = Path::new(env!("CARGO_BIN_EXE_yuremono")).parent().expect("the binary is in a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path))).expect("a path");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.0.path()).env("PATH", path);
        // Keep the developer's own presets out of the test.
        let output = shell
            .env("XDG_DATA_HOME", self.0.path())
            .env("HOME", self.0.path())
            .env("LC_ALL", "C")
            .output()
            .expect("a shell");
        let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(output.status.code(), Some(code), "{command}\n{out}\n{err}");
    }
}

/// Returns a bare character whose only chain is a tail.
fn character_with_tail() -> Vec<u8> {
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "Tail_1", "Tail_2", "Tail_3"]);
    builder.glb()
}

/// Returns a VRM 0.x file whose hair bones have the names of the sample character's bones.
fn girl_of_vrm_0() -> Vec<u8> {
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&[
        "J_Bip_C_Head",
        "J_Sec_L_HairTwinTail1_01",
        "J_Sec_L_HairTwinTail2_01",
        "J_Sec_L_HairTwinTail3_01",
    ]);
    builder.json["extensionsUsed"] = json!(["VRM"]);
    builder.json["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [{
            "comment": "hair", "stiffiness": 0.75, "gravityPower": 0.5, "gravityDir": { "x": 0, "y": -1, "z": 0 },
            "dragForce": 0.4, "center": -1, "hitRadius": 0.02, "bones": [1], "colliderGroups": [],
        }],
        "colliderGroups": [],
    } } });
    builder.glb()
}

/// Returns a motion file that rotates the head of a humanoid.
fn head_nod_motion() -> Vec<u8> {
    let mut motion = GlbBuilder::new();
    motion.json["nodes"] = json!([
        { "name": "hips", "translation": [0, 1, 0], "children": [1] },
        { "name": "head", "translation": [0, 0.5, 0] },
    ]);
    motion.json["extensions"] = json!({ "VRMC_vrm_animation": {
        "specVersion": "1.0",
        "humanoid": { "humanBones": { "hips": { "node": 0 }, "head": { "node": 1 } } },
    } });
    let times = motion.floats("SCALAR", &[0.0, 1.0]);
    let values = motion.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.866_025_4]);
    motion.push_json(
        "animations",
        json!({
            "samplers": [{ "input": times, "output": values }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        }),
    );
    motion.glb()
}

#[test]
fn commands_are_found_with_their_lines_and_exit_codes() {
    let text = "```sh\na \\\n    b # c\nd # exit code 1 if\n```\ne\n```text\nf\n```\n";
    assert_eq!(commands(text), [(2, "a b # c".to_owned()), (4, "d # exit code 1 if".to_owned())]);
    let workflow = "```yaml\nsteps:\n  - name: a\n    run: yuremono b\n    run: |\n      yuremono c\n      d\n```\n";
    assert_eq!(commands(workflow), [(4, "yuremono b".to_owned()), (6, "yuremono c".to_owned())]);
    assert_eq!([expected_code("a # c"), expected_code("d # exit code 1 if")], [0, 1]);
}

/// Runs the commands of one document in order in the same folder.
#[track_caller]
fn run_commands_of(document: &str) {
    let mut fixture = None;
    for (line, command) in commands(&text_of(document)) {
        if NOT_RUN.iter().any(|(start, _)| command.starts_with(start)) {
            continue;
        }
        assert!(command.starts_with("yuremono "), "{document}:{line}: neither run nor in NOT_RUN: {command}");
        fixture.get_or_insert_with(Workbench::new).run(&command, expected_code(&command));
    }
}

#[cfg_attr(windows, ignore = "the commands are for a POSIX shell")]
#[test]
fn every_command_of_the_command_line_reference_runs() {
    run_commands_of("docs/cli.md");
}

#[cfg_attr(windows, ignore = "the commands are for a POSIX shell")]
#[test]
fn every_other_command_of_the_documents_runs() {
    DOCUMENTS.iter().filter(|document| **document != "docs/cli.md").for_each(|document| run_commands_of(document));
}

#[test]
fn every_reason_for_a_command_that_is_not_run_is_needed() {
    let all: Vec<(usize, String)> = DOCUMENTS.iter().flat_map(|document| commands(&text_of(document))).collect();
    for (start, _) in NOT_RUN {
        assert!(all.iter().any(|(_, command)| command.starts_with(start)), "no document has {start}");
    }
}

fn printed(args: &[&str]) -> String {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = crate::support::yuremono_command();
    let output = command.env("XDG_DATA_HOME", home.path()).env("HOME", home.path()).args(args).output();
    String::from_utf8(output.expect("it runs").stdout).expect("UTF-8")
}

fn table_of_commands() -> String {
    let mut table = "| Command | What it does |\n|---|---|\n".to_owned();
    for command in Cli::command().get_subcommands() {
        let about = command.get_about().expect("every command has a description");
        writeln!(table, "| `{}` | {about} |", command.get_name()).expect("text");
    }
    table
}

fn table_of_formats() -> String {
    let mut table = "| Format | File | Holds |\n|---|---|---|\n".to_owned();
    for format in yuremono_format::FORMATS {
        writeln!(table, "| `{}` | `.{}` | {} |", format.key, format.extension(), format.doc).expect("text");
    }
    table
}

/// Compares `expected` with the table of the document that has the same head. If `YUREMONO_UPDATE_DOCS` is set, writes
/// the table instead.
#[track_caller]
fn check_table(document: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().filter(|line| line.starts_with('|')).collect();
    assert!(expected.len() > 4, "{document}: {expected:?}");
    let text = text_of(document);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.iter().position(|line| *line == expected[0]);
    let from = from.unwrap_or_else(|| panic!("{document} has no table with the header {}", expected[0]));
    let to = lines[from..].iter().position(|line| !line.starts_with('|')).map_or(lines.len(), |n| from + n);
    if std::env::var_os("YUREMONO_UPDATE_DOCS").is_some() {
        let updated = [&lines[..from], &expected, &lines[to..]].concat().join("\n") + "\n";
        std::fs::write(root().join(document), updated).expect("written");
    } else {
        assert_eq!(lines[from..to], expected, "{document}; YUREMONO_UPDATE_DOCS=1 cargo test readme:: updates tables");
    }
}

#[test]
fn the_tables_of_the_documents_are_the_printed_ones() {
    check_table("docs/presets.md", &printed(&["presets", "--markdown"]));
    check_table("docs/solvers.md", &printed(&["params", "--solvers", "--markdown"]));
    check_table("docs/cli.md", &table_of_commands());
}

#[test]
fn the_documented_formats_are_those_of_the_list() {
    check_table("docs/formats.md", &table_of_formats());
}

#[test]
fn every_solver_is_documented() {
    let solvers = text_of("docs/solvers.md");
    for solver in SolverKind::ALL {
        assert!(solvers.contains(&format!("\n## {}\n", solver.key())), "docs/solvers.md has no ## {}", solver.key());
    }
    let presets = yuremono_format::builtin_presets::builtin_presets().len();
    for readme in ["README.md", "README.ja.md"] {
        assert!(text_of(readme).contains(&presets.to_string()), "{readme} counts {presets} presets");
    }
}

/// Returns the local links and pictures of a document, without anchors and without other pages of the repository's site.
fn links(text: &str) -> BTreeSet<String> {
    let ends = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];
    let found = ends.into_iter().flat_map(|(start, end)| {
        text.split(start).skip(1).filter_map(move |rest| rest.split(end).next()).map(str::to_owned)
    });
    let is_site = |link: &str| ["../../releases", "../../deployments"].iter().any(|page| link.starts_with(page));
    let local = found.filter(|link| !link.contains("://") && !link.starts_with('#') && !is_site(link));
    local.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_link_leads_to_a_file_and_every_picture_is_shown() {
    let mut shown = BTreeSet::new();
    for document in DOCUMENTS {
        let path = root().join(document);
        for link in links(&text_of(document)) {
            let target = path.parent().expect("a folder").join(&link);
            assert!(target.exists(), "{document} links to {link}, which does not exist");
            shown.extend(target.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    let mut bytes = 0;
    for entry in std::fs::read_dir(root().join("assets/readme")).expect("there") {
        let entry = entry.expect("readable");
        bytes += entry.metadata().expect("readable").len();
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(shown.contains(&name), "no document shows assets/readme/{name}");
    }
    assert!(bytes < 6 << 20, "the pictures have {bytes} bytes");
}

#[test]
fn the_readmes_are_short_and_have_the_same_commands_and_pictures() {
    let [english, japanese] = ["README.md", "README.ja.md"].map(text_of);
    for text in [&english, &japanese] {
        assert!(text.lines().count() <= 150);
    }
    let only_commands = |text: &str| commands(text).into_iter().map(|(_, command)| command).collect::<Vec<_>>();
    assert_eq!(only_commands(&english), only_commands(&japanese));
    let pictures = |text: &str| -> Vec<String> {
        let pictures =
            links(text).into_iter().filter(|link| Path::new(link).extension().is_some_and(|end| end == "png"));
        pictures.map(|link| link.replace("-ja.png", ".png")).collect()
    };
    assert_eq!(pictures(&english), pictures(&japanese));
}

#[test]
fn the_bundled_character_is_as_the_documents_say() {
    let opened = sample(SolverKind::Vrm);
    let text = text_of("assets/README.md");
    for clip in &opened.character.clips {
        assert!(text.contains(&clip.name), "assets/README.md does not list the motion {}", clip.name);
    }
}

#[test]
fn the_preset_of_the_documents_is_a_preset() {
    let text = text_of("docs/presets.md");
    let json = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let (_, diagnostics) = yuremono_format::preset::read(json.as_bytes(), "long.preset.json").expect("a preset");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

/// Returns the texts between single backticks outside code blocks.
fn code_words(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_path_of_the_architecture_exists_and_every_module_is_on_the_map() {
    let text = text_of("ARCHITECTURE.md");
    let words = code_words(&text);
    let sources = super::layers::source_files();
    let in_tree: BTreeSet<PathBuf> = sources
        .iter()
        .flat_map(|(file, _)| {
            [file.clone(), file.with_extension("")].into_iter().chain(file.ancestors().map(PathBuf::from))
        })
        .collect();
    for word in &words {
        let is_path = word.contains('/') && word.chars().all(|c| c.is_ascii_lowercase() || "0123456789_/.".contains(c));
        let name = word.trim_end_matches('/');
        let exists = root().join(name).exists() || in_tree.contains(Path::new(name));
        let in_ui = in_tree.contains(&Path::new("ui").join(name));
        assert!(!is_path || exists || in_ui, "ARCHITECTURE.md names {word}, which does not exist");
    }
    for (file, _) in &sources {
        let name = file.iter().next().expect("a module").to_string_lossy().into_owned();
        let module = name.trim_end_matches(".rs");
        let listed = words.iter().any(|word| *word == name || *word == format!("{module}/"));
        assert!(listed, "ARCHITECTURE.md has no row for {name}");
    }
}
