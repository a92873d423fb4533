//! The inputs of a command: files, the files in folders, and standard input, which is named `-`.

use super::output::{RunReport, STDIN_NAME, is_same_file, is_stdio, path_failure};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use yuremono_format::open;
use yuremono_format::source::{read_limited, read_stream};
use yuremono_format::tables::FileKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// The bytes of standard input, which can be read only once. Some inputs are read again after their format was
/// detected.
static STDIN_BYTES: OnceLock<Result<Vec<u8>, Diagnostic>> = OnceLock::new();

/// Reads a file or standard input, up to the size that [`read_limited`] accepts.
pub(super) fn read(path: &Path) -> Result<Cow<'static, [u8]>, Diagnostic> {
    if !is_stdio(path) {
        return read_limited(path).map(Cow::Owned);
    }
    let bytes = STDIN_BYTES.get_or_init(|| read_stream(io::stdin().lock(), STDIN_NAME));
    bytes.as_ref().map(|bytes| Cow::Borrowed(bytes.as_slice())).map_err(Clone::clone)
}

/// Returns the name of an input for messages.
pub(super) fn input_name(path: &Path) -> String {
    if is_stdio(path) { STDIN_NAME.to_owned() } else { open::file_name(path) }
}

/// Rejects standard input for more than one file.
pub(super) fn check_single_stdin<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<()> {
    if inputs.into_iter().filter(|path| is_stdio(path)).count() > 1 {
        return Err(path_failure(Path::new("-"), message!("only one file can be read from standard input")));
    }
    Ok(())
}

/// Returns all files in and below a folder, sorted by path, and a diagnostic for each folder that cannot be read. Skips
/// hidden names, the folder `except`, and links to folders, which may form a cycle.
pub(super) fn files_recursive(root: &Path, except: Option<&Path>) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut report = |err: io::Error| {
            let place = Location::file(folder.display().to_string());
            let message = message!("this folder cannot be read: {error}", error = err.to_string());
            unreadable.push(Diagnostic::error(place, message));
        };
        let entries = std::fs::read_dir(&folder).map_err(&mut report).into_iter().flatten();
        for entry in entries.filter_map(|entry| entry.map_err(&mut report).ok()) {
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.extend(Some(path).filter(|path| !except.is_some_and(|except| is_same_file(except, path))));
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    (files, unreadable)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundCharacter {
    pub path: PathBuf,
    /// Folder of the file relative to the searched folder. The result gets the same relative folder.
    pub relative_folder: PathBuf,
}

/// Returns the characters among `paths` and in the folders among `paths`. Skips the folder `out`, which may contain
/// results of an earlier run.
pub(super) fn find_characters(
    paths: &[PathBuf],
    out: Option<&Path>,
    report: &mut RunReport,
) -> anyhow::Result<Vec<FoundCharacter>> {
    let mut found = Vec::new();
    for path in &unique_paths(paths, report) {
        if !path.is_dir() {
            found.push(FoundCharacter { path: path.clone(), relative_folder: PathBuf::new() });
            continue;
        }
        let (files, unreadable) = files_recursive(path, out);
        report.add_diagnostics(&unreadable);
        let mut count = 0;
        for file in files.into_iter().filter(|file| FileKind::from_path(file) == Some(FileKind::Character)) {
            let below = file.parent().and_then(|folder| folder.strip_prefix(path).ok()).unwrap_or(Path::new(""));
            found.push(FoundCharacter { relative_folder: below.to_owned(), path: file });
            count += 1;
        }
        if count == 0 {
            return Err(path_failure(
                path,
                message!("there is no .vrm, .glb, .gltf or .fbx in this folder or below it"),
            ));
        }
    }
    let files: Vec<PathBuf> = found.iter().map(|character| character.path.clone()).collect();
    let mut is_first = first_occurrences(&files, report).into_iter();
    found.retain(|_| is_first.next().unwrap_or(true));
    Ok(found)
}

/// Returns the paths without repetitions, which are reported.
pub(super) fn unique_paths(paths: &[PathBuf], report: &mut RunReport) -> Vec<PathBuf> {
    let is_first = first_occurrences(paths, report);
    paths.iter().zip(is_first).filter(|(_, is_first)| *is_first).map(|(path, _)| path.clone()).collect()
}

/// Returns whether each path is the first one of its file or folder. Reports the others.
fn first_occurrences(paths: &[PathBuf], report: &mut RunReport) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    let mut is_first = |path: &PathBuf| {
        let is_new = seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
        if !is_new {
            let message = message!("this input is named twice; it is read once");
            report.add_diagnostics(&[Diagnostic::info(Location::file(path.display().to_string()), message)]);
        }
        is_new
    };
    paths.iter().map(&mut is_first).collect()
}

/// Rejects a target that is the file of another input character, because the result would replace that character before
/// it is read. Also rejects a target that is one of `shared`: the files that are read again for each character.
pub(super) fn check_inputs_not_replaced(
    found: &[FoundCharacter],
    shared: &[&Path],
    targets: &[PathBuf],
) -> anyhow::Result<()> {
    let shared: Vec<_> = shared.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let inputs: Vec<_> = found.iter().map(|character| character.path.canonicalize().ok()).collect();
    for (at, target) in targets.iter().enumerate() {
        let Ok(target_path) = target.canonicalize() else { continue };
        if shared.contains(&target_path) {
            let message = message!(
                "the result of {file} would replace this file, which is read for every character; choose another --out",
                file = found[at].path.display().to_string()
            );
            return Err(path_failure(target, message));
        }
        let mut others = inputs.iter().enumerate().filter(|(other, _)| *other != at);
        if others.any(|(_, input)| input.as_ref() == Some(&target_path)) {
            let message = message!(
                "the result of {file} would replace this character, which is read too; choose another --out",
                file = found[at].path.display().to_string()
            );
            return Err(path_failure(target, message));
        }
    }
    Ok(())
}
