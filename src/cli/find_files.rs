//! Which files a command means where it is given folders.

use super::output::{RunReport, is_same_file, path_failure};
use crate::diagnostics::{Diagnostic, Location};
use crate::format::tables::FileKind;
use std::path::{Path, PathBuf};

/// Every file in a folder and in the folders below it, by path, and what of it cannot be read. Names that start with a dot
/// are left out, and so are links to folders, which may lead in a circle, and the folder `except`.
pub(super) fn files_recursive(root: &Path, except: Option<&Path>) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut tell = |err: std::io::Error| {
            let place = Location::file(folder.display().to_string());
            unreadable.push(Diagnostic::error(place, format!("this folder cannot be read: {err}")));
        };
        let entries = std::fs::read_dir(&folder).map_err(&mut tell).into_iter().flatten();
        for entry in entries.filter_map(|entry| entry.map_err(&mut tell).ok()) {
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

/// A character, and where its results go below the folder of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundCharacter {
    pub path: PathBuf,
    /// The folder that it was found in, relative to the one that was named.
    pub relative_folder: PathBuf,
}

/// The files themselves, and the characters in the folders and below them, but for those in the folder `out`: they are
/// results of an earlier run.
pub(super) fn find_characters(
    paths: &[PathBuf],
    out: Option<&Path>,
    report: &mut RunReport,
) -> anyhow::Result<Vec<FoundCharacter>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(FoundCharacter { path: path.clone(), relative_folder: PathBuf::new() });
            continue;
        }
        let (files, unreadable) = files_recursive(path, out);
        report.add_diagnostics(&unreadable);
        let before = found.len();
        found.extend(files.into_iter().filter(|file| FileKind::from_path(file) == Some(FileKind::Character)).map(
            |file| {
                let below = file.parent().and_then(|folder| folder.strip_prefix(path).ok()).unwrap_or(Path::new(""));
                FoundCharacter { relative_folder: below.to_owned(), path: file }
            },
        ));
        if found.len() == before {
            return Err(path_failure(path, "there is no .vrm, .glb or .gltf in this folder or below it"));
        }
    }
    Ok(found)
}

/// Refuses a result in the place of another character that is read, which would be replaced before that is its turn.
pub(super) fn check_inputs_not_replaced(found: &[FoundCharacter], targets: &[PathBuf]) -> anyhow::Result<()> {
    let inputs: Vec<_> = found.iter().map(|character| character.path.canonicalize().ok()).collect();
    for (at, target) in targets.iter().enumerate() {
        let Ok(there) = target.canonicalize() else { continue };
        let others = inputs.iter().enumerate().filter(|(other, _)| *other != at);
        if others.filter_map(|(_, input)| input.as_ref()).any(|input| *input == there) {
            let from = found[at].path.display();
            let reason =
                format!("the result of {from} would replace this character, which is read too; choose another --out");
            return Err(path_failure(target, &reason));
        }
    }
    Ok(())
}
