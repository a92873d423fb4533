//! Checks that modules of one folder do not import each other in cycles.
//!
//! The test reads imports from the text of the sources, as in [`super::layers`]. A name that a module re-exports counts as
//! an import of the module that defines the name. Items marked `#[cfg(test)]` and `tests.rs` files are ignored.

use super::layers::{
    absolute_path, import_paths, module_path, source_files, strip_comments_and_strings, without_tests,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders whose modules may import each other in a cycle, with the reason.
const ALLOWED_CYCLES: &[(&str, &str)] = &[];

type ModulePath = Vec<String>;
/// The imports of each module in a folder.
type FolderImports = BTreeMap<String, BTreeSet<String>>;

/// Modules by their path in the tree of all modules.
struct CrateSources {
    files: BTreeMap<ModulePath, String>,
    /// All modules, including those without a file of their own.
    modules: BTreeSet<ModulePath>,
    /// The re-exported names of each module, with their paths.
    reexports: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

impl CrateSources {
    fn new(sources: &[(PathBuf, String)]) -> Self {
        let is_live = |file: &Path| file != Path::new("main.rs") && !file.ends_with("tests.rs");
        let live = sources.iter().filter(|(file, _)| is_live(file));
        let files: BTreeMap<ModulePath, String> =
            live.map(|(file, text)| (module_path(file), without_tests(&strip_comments_and_strings(text)))).collect();
        let exports = files.iter().map(|(module, text)| (module.clone(), reexports(text))).collect();
        let modules = files.keys().flat_map(|module| (0..=module.len()).map(|len| module[..len].to_vec())).collect();
        Self { files, modules, reexports: exports }
    }

    fn is_module(&self, module: &[String]) -> bool {
        self.modules.contains(module)
    }

    /// Returns the module that defines the item at a path used in `module`, or `None` for paths to other crates.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let (mut found, rest) = match absolute_path(path, module, 0) {
            Some(absolute) => (Vec::new(), absolute),
            None if path.first()? == "self" => (module.to_vec(), path[1..].to_vec()),
            None => (module.to_vec(), path.to_vec()),
        };
        let is_relative = rest.len() == path.len();
        for (at, name) in rest.iter().enumerate() {
            found.push(name.clone());
            if self.is_module(&found) {
                continue;
            }
            found.pop();
            if is_relative && at == 0 {
                return None;
            }
            // A re-export may refer to a name that another module re-exports.
            let export = self.reexports.get(&found).and_then(|exports| exports.get(name)).filter(|_| depth < 8);
            return export.and_then(|path| self.resolve(&found, path, depth + 1)).or(Some(found));
        }
        Some(found)
    }

    /// Returns the imports between the modules of each folder.
    fn imports_by_folder(&self) -> BTreeMap<ModulePath, FolderImports> {
        let mut folders: BTreeMap<ModulePath, FolderImports> = BTreeMap::new();
        for (module, text) in &self.files {
            for target in import_paths(text).iter().filter_map(|path| self.resolve(module, path, 0)) {
                let shared = module.iter().zip(&target).take_while(|(own, other)| own == other).count();
                if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                    let folder = folders.entry(module[..shared].to_vec()).or_default();
                    folder.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        folders
    }

    /// Returns the folders with import cycles, each with the modules in a cycle.
    fn import_cycles(&self) -> BTreeMap<String, Vec<String>> {
        let in_circle = |imports: &FolderImports| {
            imports
                .keys()
                .filter(|module| reachable_modules(imports, module).contains(module))
                .cloned()
                .collect::<Vec<_>>()
        };
        let folders =
            self.imports_by_folder().into_iter().map(|(folder, imports)| (folder.join("/"), in_circle(&imports)));
        folders.filter(|(_, modules)| !modules.is_empty()).collect()
    }
}

/// Returns all modules that a module imports, directly or through other modules.
fn reachable_modules<'a>(imports: &'a FolderImports, from: &str) -> BTreeSet<&'a String> {
    let mut all = BTreeSet::new();
    let mut next: Vec<&String> = imports.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if all.insert(module) {
            next.extend(imports.get(module).into_iter().flatten());
        }
    }
    all
}

/// Returns the names that the code re-exports with `pub use`, with their paths.
fn reexports(code: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (at, _) in code.match_indices("use ") {
        let is_public =
            code[..at].rsplit([';', '{', '}', ']']).next().is_some_and(|before| before.trim().starts_with("pub"));
        let Some((statement, _)) = code[at + 4..].split_once(';').filter(|_| is_public) else { continue };
        let words: Vec<&str> = statement.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let renamed = |name: &str| words.windows(3).find(|part| part[0] == name && part[1] == "as").map(|part| part[2]);
        let is_new_name = |name: &str| name == "as" || words.windows(2).any(|part| part[0] == "as" && part[1] == name);
        for path in import_paths(statement) {
            let Some(name) = path.last().filter(|name| !is_new_name(name)) else { continue };
            found.insert(renamed(name).unwrap_or(name).to_owned(), path.clone());
        }
    }
    found
}

#[test]
fn modules_of_one_folder_have_no_import_cycles() {
    let found = CrateSources::new(&source_files()).import_cycles();
    let is_allowed = |folder: &str| ALLOWED_CYCLES.iter().any(|(allowed, _)| *allowed == folder);
    let wrong: Vec<String> = found
        .iter()
        .filter(|(folder, _)| !is_allowed(folder))
        .map(|(folder, modules)| format!("{folder}: {} import each other", modules.join(", ")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let left: Vec<_> = ALLOWED_CYCLES.iter().filter(|(folder, _)| !found.contains_key(*folder)).collect();
    assert!(left.is_empty(), "these folders no longer have a cycle: {left:?}");
}

#[track_caller]
fn check_cycles(files: &[(&str, &str)], expected: &[(&str, &[&str])]) {
    let sources: Vec<_> = files.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect();
    let found = CrateSources::new(&sources).import_cycles();
    let found: Vec<(&str, Vec<&str>)> =
        found.iter().map(|(folder, all)| (folder.as_str(), all.iter().map(String::as_str).collect())).collect();
    let expected: Vec<_> = expected.iter().map(|(folder, all)| (*folder, all.to_vec())).collect();
    assert_eq!(found, expected, "{files:?}");
}

#[test]
fn a_cycle_is_found_for_every_import_syntax() {
    let mod_file = ("a/mod.rs", "mod b;\nmod c;\npub use b::{B, inner::Deep as Renamed};\npub(crate) use c::C;");
    let both: &[(&str, &[&str])] = &[("a", &["b", "c"])];
    check_cycles(&[mod_file, ("a/b.rs", "use crate::a::c::C;"), ("a/c.rs", "use super::b::B;")], both);
    check_cycles(&[mod_file, ("a/b.rs", "use super::C;"), ("a/c.rs", "use crate::a::{B, x::Y};")], both);
    check_cycles(
        &[mod_file, ("a/b.rs", "fn f() { super::c::g() }"), ("a/c.rs", "fn g(b: crate::a::Renamed) {}")],
        both,
    );
    check_cycles(
        &[mod_file, ("a/b.rs", "use super::C;"), ("a/c.rs", "mod d;"), ("a/c/d.rs", "use crate::a::b;")],
        both,
    );
    check_cycles(&[("b.rs", "use crate::c::C;"), ("c.rs", "use crate::b::{self, B};")], &[("", &["b", "c"])]);
    let three = [("a/b.rs", "use super::c::C;"), ("a/c.rs", "use super::d::D;"), ("a/d.rs", "use super::b::B;")];
    check_cycles(&three, &[("a", &["b", "c", "d"])]);
}

#[test]
fn imports_without_a_cycle_are_accepted() {
    check_cycles(&[("a/b.rs", "use super::c::C;"), ("a/c.rs", "use super::Shared; use crate::a;")], &[]);
    check_cycles(&[("a.rs", "mod b;\npub use b::B;"), ("a/b.rs", "use super::A;")], &[]);
    check_cycles(
        &[("a/b.rs", "use super::c::C;"), ("a/c.rs", "// use super::b::B;\nconst A: &str = \"super::b::B\";")],
        &[],
    );
    check_cycles(&[("a/b.rs", "use super::c::C;"), ("a/c.rs", "#[cfg(test)]\nmod tests { use crate::a::b::B; }")], &[]);
    check_cycles(&[("a/b.rs", "use super::c::C;"), ("a/c/tests.rs", "use crate::a::b::B;")], &[]);
}

#[test]
fn imports_after_the_test_module_are_checked() {
    let after = "#[cfg(test)]\nmod tests;\nuse super::b::B;";
    check_cycles(&[("a/b.rs", "use super::c::C;"), ("a/c.rs", after)], &[("a", &["b", "c"])]);
}
