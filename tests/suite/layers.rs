//! Checks the architecture within the crates: a module imports only lower layers, and a module of the window's package
//! uses only the crates that are listed for it. Between crates, the compiler checks this.
//!
//! The test reads imports from the text of the sources: `crate::`, `super::` and `yuremono_…::` paths, grouped imports,
//! and the first part of every other path that names a dependency. Comments, strings, and `super` paths of a test module
//! within its file are not imports. The modules of all crates form one tree: the simulation is `sim`, and a crate of one
//! layer has the name of its layer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The layers from lowest to highest.
const LAYERS: &[&[&str]] = &[
    &["math", "diagnostics"],
    &["params"],
    &["rig"],
    &["sim"],
    &["job"],
    &["document"],
    &["feel"],
    &["tools"],
    &["exchange"],
    &["format"],
    &["session"],
    &["parallel", "stage", "vmc"],
    &["ui", "renderer"],
    &["contact_sheet"],
    &["app", "cli"],
    &["main"],
];

/// The sources of a crate.
struct CrateSources {
    folder: &'static str,
    /// The modules that are layers.
    layers: &'static [&'static str],
    /// The layer of everything else, or empty.
    rest: &'static str,
}

const SOURCES: [CrateSources; 5] = [
    CrateSources { folder: "crates/yuremono-sim/src", layers: &["math", "params", "diagnostics", "rig"], rest: "sim" },
    CrateSources {
        folder: "crates/yuremono-model/src",
        layers: &["job", "document", "feel", "tools", "exchange"],
        rest: "",
    },
    CrateSources { folder: "crates/yuremono-format/src", layers: &[], rest: "format" },
    CrateSources { folder: "crates/yuremono-session/src", layers: &[], rest: "session" },
    CrateSources {
        folder: "src",
        layers: &["parallel", "stage", "vmc", "ui", "renderer", "contact_sheet", "app", "cli", "main"],
        rest: "",
    },
];

/// The dependencies that each module of the window's package may use.
const ALLOWED_CRATES: &[(&str, &[&str])] = &[
    ("parallel", &[]),
    ("stage", &["glam", "libm"]),
    ("vmc", &["glam", "rosc"]),
    ("ui", &["egui", "egui_extras", "egui_plot", "glam", "libm", "serde", "serde_json", "sys_locale"]),
    ("renderer", &["glam", "glutin", "image", "libm", "raw_window_handle", "three_d", "windows_sys"]),
    ("contact_sheet", &["egui", "glam", "image", "libm"]),
    (
        "app",
        &[
            "anyhow",
            "base64",
            "eframe",
            "egui",
            "glam",
            "image",
            "js_sys",
            "log",
            "notify",
            "rfd",
            "send_wrapper",
            "serde",
            "serde_json",
            "tempfile",
            "wasm_bindgen",
            "wasm_bindgen_futures",
            "web_sys",
            "web_time",
            "windows_sys",
        ],
    ),
    (
        "cli",
        &[
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "csv",
            "ctrlc",
            "glam",
            "image",
            "indicatif",
            "libm",
            "schemars",
            "serde",
            "serde_json",
            "strsim",
        ],
    ),
    ("main", &["anyhow", "clap", "env_logger"]),
];

fn layer_of(top_module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&top_module))
}

/// Returns the crates that a module may use. `None` if the manifest of its crate lists them.
fn allowed_crates(top_module: &str) -> Option<&'static [&'static str]> {
    ALLOWED_CRATES.iter().find(|(name, _)| *name == top_module).map(|(_, crates)| *crates)
}

/// Returns every dependency of Cargo.toml that is not a crate of this project, as an identifier in code.
fn dependencies() -> BTreeSet<String> {
    let manifest = include_str!("../../Cargo.toml");
    let list = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next()).expect("a list");
    let names = list.lines().filter_map(|line| line.split(['.', '=']).next()).map(str::trim);
    let foreign = names.filter(|name| !name.is_empty() && !name.starts_with("yuremono-"));
    foreign.map(|name| name.replace('-', "_")).collect()
}

/// Returns the crate of a top module, as an index of [`SOURCES`].
fn crate_of(top_module: &str) -> Option<usize> {
    SOURCES.iter().position(|source| source.layers.contains(&top_module) || source.rest == top_module)
}

/// Returns the path in the tree of all modules for a path within a crate.
fn path_in_tree(source: usize, path: &[String]) -> Vec<String> {
    let CrateSources { layers, rest, .. } = &SOURCES[source];
    let is_listed = path.first().is_some_and(|first| layers.contains(&first.as_str()));
    if is_listed || rest.is_empty() { path.to_vec() } else { [&[(*rest).to_owned()], path].concat() }
}

/// Returns the path in the tree of all modules for a path in the code of `module`. `None` for other crates and for
/// paths relative to the module. `inline` is the number of inline modules around the path.
pub(super) fn absolute_path(path: &[String], module: &[String], inline: usize) -> Option<Vec<String>> {
    let first = path[0].as_str();
    if first == "crate" && ["message", "tr"].contains(&path[1].as_str()) {
        // An exported macro is in the root of its crate.
        return None;
    }
    if let Some(name) = first.strip_prefix("yuremono") {
        let folder = if name.is_empty() { "src".to_owned() } else { format!("crates/yuremono-{}/src", &name[1..]) };
        let source = SOURCES.iter().position(|source| source.folder == folder)?;
        return Some(path_in_tree(source, &path[1..]));
    }
    // The modules of the examples in these tests are in no crate.
    let source = crate_of(&module[0]).unwrap_or(SOURCES.len() - 1);
    if first == "crate" {
        return Some(path_in_tree(source, &path[1..]));
    }
    let up = path.iter().take_while(|p| *p == "super").count();
    if up == 0 {
        return None;
    }
    // The path may cross an inline module, such as `tests`. The root of a crate with one layer is the layer's module.
    let root = usize::from(module[0] == SOURCES[source].rest);
    let kept = module.len().saturating_sub(up.saturating_sub(inline));
    let rest = &path[up..];
    Some(if kept > root { [&module[..kept], rest].concat() } else { path_in_tree(source, rest) })
}

/// Removes comments, strings and character literals, so that only code remains.
pub(super) fn strip_comments_and_strings(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        let next = chars.get(i + 1).copied();
        if c == '/' && next == Some('/') {
            i = (i..chars.len()).find(|k| chars[*k] == '\n').unwrap_or(chars.len());
        } else if c == '/' && next == Some('*') {
            i = (i + 2..chars.len()).find(|k| chars[k - 1] == '*' && chars[*k] == '/').unwrap_or(chars.len()) + 1;
        } else if c == 'r'
            && matches!(next, Some('"' | '#'))
            && !out.ends_with(|p: char| p.is_alphanumeric() || p == '_')
        {
            i = raw_string_end(&chars, i);
        } else if c == '"' {
            i += 1;
            while i < chars.len() && chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            i += 1;
            out.push_str("\"\"");
        } else if c == '\'' && (next == Some('\\') || chars.get(i + 2) == Some(&'\'')) {
            i += if next == Some('\\') { 3 } else { 2 };
            while i < chars.len() && chars[i] != '\'' {
                i += 1;
            }
            i += 1;
        } else {
            out.push(c);
            i += 1;
        }
    }
    out
}

/// Removes the items marked `#[cfg(test)]`.
pub(super) fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, item)) = rest.split_once("#[cfg(test)]") {
        out.push_str(before);
        rest = &item[item_len(item)..];
    }
    out + rest
}

/// Returns the length of the item at the start of the code, up to its semicolon or to the brace that closes its first
/// block.
fn item_len(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

fn raw_string_end(chars: &[char], start: usize) -> usize {
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(start + 1 + hashes) != Some(&'"') {
        return start + 1 + hashes;
    }
    let closes = |k: &usize| chars[*k] == '"' && chars[k + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
    (start + 2 + hashes..chars.len()).find(closes).map_or(chars.len(), |k| k + 1 + hashes)
}

/// Returns every path in the code with at least two parts. Groups are expanded: `a::{b, c::d}` becomes `a::b` and
/// `a::c::d`.
pub(super) fn import_paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut joined = false;
    let chars: Vec<char> = code.chars().collect();
    let mut i = 0;
    let finish = |path: &mut Vec<String>, found: &mut Vec<Vec<String>>| {
        if path.len() > 1 {
            found.push(path.clone());
        }
        path.clear();
    };
    while i < chars.len() {
        let c = chars[i];
        if c.is_alphabetic() || c == '_' {
            let end =
                (i..chars.len()).find(|k| !(chars[*k].is_alphanumeric() || chars[*k] == '_')).unwrap_or(chars.len());
            if !joined {
                finish(&mut path, &mut found);
                path = open.last().cloned().unwrap_or_default();
            }
            path.push(chars[i..end].iter().collect());
            joined = false;
            i = end;
        } else if c == ':' && chars.get(i + 1) == Some(&':') {
            joined = true;
            i += 2;
        } else {
            if c == '{' {
                // A group after `::` inherits its prefix; any other brace starts a new path.
                open.push(if joined { path.clone() } else { Vec::new() });
                if !joined {
                    finish(&mut path, &mut found);
                }
                path.clear();
            } else if !c.is_whitespace() {
                finish(&mut path, &mut found);
                if c == '}' {
                    open.pop();
                }
            }
            joined &= c.is_whitespace();
            i += 1;
        }
    }
    finish(&mut path, &mut found);
    found
}

/// Returns the module path of a file, starting with the top module.
pub(super) fn module_path(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> = file.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    parts.retain(|p| p != "mod");
    parts
}

/// Returns the violations of the architecture in one file.
fn layer_violations(file: &Path, text: &str, dependencies: &BTreeSet<String>) -> Vec<String> {
    let module = module_path(file);
    let top_module = &module[0];
    let Some(own) = layer_of(top_module) else {
        return vec![format!("{}: module {top_module} has no layer", file.display())];
    };
    let allowed = allowed_crates(top_module);
    let code = strip_comments_and_strings(text);
    let live = without_tests(&code);
    let mut wrong = BTreeSet::new();
    // Tests are in an inline module. Imports outside tests are found twice.
    for (part, inline) in [(&live, 0), (&code, 1)] {
        // `use three_d::…` is a path. In a module with its own `gl` module, `gl::begin` is a path too.
        for path in import_paths(part) {
            if let Some(target) = absolute_path(&path, &module, inline) {
                let other = &target[0];
                match layer_of(other) {
                    _ if other == top_module => {}
                    None if inline == 0 => _ = wrong.insert(format!("{other}, which has no layer")),
                    Some(layer) if layer >= own => {
                        wrong.insert(format!("{other} in layer {layer}, itself in layer {own}"));
                    }
                    _ => {}
                }
            } else if inline == 0
                && dependencies.contains(&path[0])
                && allowed.is_some_and(|allowed| !allowed.contains(&path[0].as_str()))
                && !imports_own_module(&path[0], text)
            {
                wrong.insert(format!("the crate {}, which is not in its list", path[0]));
            }
        }
    }
    wrong.into_iter().map(|what| format!("{}: {top_module} uses {what}", file.display())).collect()
}

/// Whether a file imports a module of `src/` that has the name of a crate.
fn imports_own_module(name: &str, text: &str) -> bool {
    let brought = [format!("super::{name}"), format!("mod {name};"), format!("yuremono_format::{name}")];
    let grouped = text.lines().any(|line| {
        let line = line.trim_start();
        (line.starts_with("use super::") || line.starts_with("use crate::"))
            && line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
    });
    grouped || brought.iter().any(|way| text.contains(way))
}

/// Returns the text of all source files by their path in the tree of all modules, for example `sim/world/mod.rs`.
pub(super) fn source_files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_crate = |source: usize| {
        let folder = root.join(SOURCES[source].folder);
        let read = move |file: PathBuf| {
            let text = std::fs::read_to_string(&file).expect("source is UTF-8");
            let inside = file.strip_prefix(&folder).expect("inside").with_extension("");
            let mut path: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            // The root of a crate with one layer is the layer's module.
            path.retain(|part| part != "lib");
            let in_tree: PathBuf = path_in_tree(source, &path).iter().collect();
            (in_tree.with_extension("rs"), text)
        };
        let files = super::support::files_below(&root.join(SOURCES[source].folder), &["rs"]);
        files.into_iter().map(read).filter(|(file, _)| file != Path::new("")).collect::<Vec<_>>()
    };
    (0..SOURCES.len()).flat_map(of_crate).collect()
}

#[test]
fn modules_use_only_lower_layers_and_their_allowed_crates() {
    let dependencies = dependencies();
    let sources = source_files();
    assert!(sources.len() > 50, "only {} files found", sources.len());
    let found: Vec<String> =
        sources.iter().flat_map(|(file, text)| layer_violations(file, text, &dependencies)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Code that may name UnityChan's solver: its folder, the list of all solvers and its codec. Other code uses the
/// capabilities in `sim::SolverInfo`.
const MAY_NAME_UNITY_CHAN: [&str; 5] = [
    "sim/solver/spring_bone/",
    "sim/solver/mod.rs",
    "format/unity_csv",
    "format/unity_space.rs",
    "format/unity_assets/unity_chan.rs",
];

/// Returns the identifiers outside tests that name UnityChan's solver.
fn unity_chan_names(file: &Path, text: &str) -> BTreeSet<String> {
    let path = file.to_string_lossy().replace('\\', "/");
    if path.ends_with("/tests.rs") || MAY_NAME_UNITY_CHAN.iter().any(|allowed| path.starts_with(allowed)) {
        return BTreeSet::new();
    }
    let code = strip_comments_and_strings(text);
    let live = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let words = live.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let names = words.filter(|word| word.contains("UnityChan") || *word == "spring_bone");
    names.map(str::to_owned).collect()
}

#[test]
fn only_the_unity_chan_solver_and_format_name_unity_chan() {
    let found: Vec<String> = source_files()
        .iter()
        .flat_map(|(file, text)| {
            unity_chan_names(file, text).into_iter().map(|name| (file.display(), name)).collect::<Vec<_>>()
        })
        .map(|(file, name)| format!("{file}: {name}; ask a capability of SolverInfo instead"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn unity_chan_names_are_found_only_in_code() {
    let names = |file: &str, text: &str| unity_chan_names(Path::new(file), text).len();
    assert_eq!(names("document/pivot.rs", "let a = SolverKind::UnityChanSpringBone;"), 1);
    assert_eq!(names("document/pivot.rs", "use yuremono_sim::solver::{pbd_spring_bone, spring_bone as unity};"), 1);
    assert_eq!(names("document/pivot.rs", "// UnityChan\nlet a = \"UnityChan\"; use a::pbd_spring_bone;"), 0);
    assert_eq!(names("document/pivot.rs", "#[cfg(test)]\nmod tests { use yuremono_sim::solver::spring_bone; }"), 0);
    assert_eq!(names("sim/solver/spring_bone/step.rs", "use super::spring_bone;"), 0);
}

#[test]
fn each_lib_rs_lists_its_modules_in_layer_order() {
    let mut all: BTreeSet<String> = SOURCES.iter().map(|source| source.rest.to_owned()).collect();
    for CrateSources { folder, layers: modules, .. } in SOURCES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("lib.rs");
        let text = std::fs::read_to_string(path).expect("each crate is a library");
        let public = text.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(|l| l.trim_end_matches(';'));
        let named: Vec<&str> = public.filter(|name| modules.contains(name)).collect();
        let layers: Vec<Option<usize>> = named.iter().map(|name| layer_of(name)).collect();
        assert!(layers.is_sorted(), "{folder}: {named:?} are in layers {layers:?}");
        assert!(named.iter().chain(&["main"]).collect::<BTreeSet<_>>().is_superset(&modules.iter().collect()));
        all.extend(modules.iter().map(|name| (*name).to_owned()));
    }
    all.remove("");
    assert_eq!(all, LAYERS.iter().copied().flatten().map(|name| (*name).to_owned()).collect());
}

#[test]
fn every_test_file_is_a_module_of_its_suite() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for CrateSources { folder, .. } in SOURCES {
        let suite = root.join(folder).join("../tests/suite");
        let main = std::fs::read_to_string(suite.join("main.rs")).expect("each crate has a suite");
        for file in super::support::files_below(&suite, &["rs"]) {
            let name = file.file_stem().expect("a name").to_string_lossy();
            let is_module = file.parent() != Some(&suite) || name == "main" || main.contains(&format!("mod {name};"));
            assert!(is_module, "{} is never compiled", file.display());
        }
    }
}

#[track_caller]
fn check_violations(file: &str, text: &str, expected: &[&str]) {
    let dependencies = ["glam", "egui", "three_d"].map(str::to_owned).into();
    let found = layer_violations(Path::new(file), text, &dependencies);
    assert_eq!(found.len(), expected.len(), "{text:?} gave {found:?}");
    for (fault, part) in found.iter().zip(expected) {
        assert!(fault.contains(part), "{fault:?} does not mention {part:?}");
    }
}

#[test]
fn layer_violations_are_found_for_every_import_syntax() {
    check_violations("sim/world.rs", "use crate::rig::Pose;\nuse glam::Vec3;", &[]);
    check_violations("sim/world.rs", "use yuremono_model::document::Document;", &["uses document in layer 5"]);
    check_violations("feel/ring.rs", "use crate::{document::Document, tools::{a, b}};", &["uses tools"]);
    check_violations("feel/ring.rs", "use super::super::exchange::export;", &["uses exchange"]);
    check_violations("rig/skeleton.rs", "use super::super::World;", &["uses sim"]);
    check_violations("rig/skeleton.rs", "use crate::World;", &["uses sim"]);
    check_violations("sim/solver/spring_bone.rs", "use super::super::scene::Scene;", &[]);
    check_violations("document/mod.rs", "use super::feel::convert;", &["uses feel in layer 6"]);
    check_violations("ui/cx.rs", "fn f() { let x = crate :: app::run(None); }", &["uses app"]);
    check_violations("ui/cx.rs", "use crate::renderer::Scene;", &["uses renderer in layer 12"]);
    check_violations("main.rs", "fn main() { yuremono::app::run(); yuremono::cli::run(); }", &[]);
    check_violations("main.rs", "use yuremono::attic::Box;", &["attic, which has no layer"]);
    check_violations("attic/box.rs", "", &["attic has no layer"]);
    check_violations("stage/mod.rs", "use egui::Ui;", &["the crate egui"]);
    check_violations("stage/mod.rs", "fn f(x: three_d::Mesh) {}", &["the crate three_d"]);
}

#[test]
fn comments_strings_and_inline_test_modules_are_ignored() {
    check_violations(
        "sim/world.rs",
        "// yuremono_model::document\n/* yuremono::ui::x */ const A: &str = \"yuremono_model::document::B\";",
        &[],
    );
    check_violations(
        "sim/world.rs",
        "const A: &str = r#\"yuremono_model::document\"#; const B: char = '\"'; use yuremono_sim::rig::Pose;",
        &[],
    );
    check_violations("sim/world.rs", "#[cfg(test)]\nmod tests { use super::*; use super::super::setup; }", &[]);
    check_violations(
        "sim/world.rs",
        "#[cfg(test)]\nmod tests { use yuremono_model::document::Document; }",
        &["uses document"],
    );
    check_violations("sim/world.rs", "impl<'a> A<'a> { fn f() { match x { Some('a') => glam::Vec3::ZERO } } }", &[]);
}
