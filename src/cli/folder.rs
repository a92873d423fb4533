//! Which files a command means where it is given folders.

use super::output::{has_ending, refusal};
use crate::report::{Diagnostic, Place};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Endings of characters.
pub(super) const CHARACTERS: [&str; 3] = ["vrm", "glb", "gltf"];

/// Every file in a folder and in the folders below it, by path. Names that start with a dot are left out. Links are
/// followed, and a folder that is reached twice counts once.
pub(super) fn files_below(root: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |err: std::io::Error| {
            Diagnostic::error(Place::file(folder.display().to_string()), format!("cannot be read: {err}"))
        };
        if !seen.insert(folder.canonicalize().map_err(unreadable)?) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let (path, is_hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
            if is_hidden {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A character, and where its results go below the folder of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundCharacter {
    pub path: PathBuf,
    /// The folder that it was found in, relative to the one that was named.
    pub below: PathBuf,
}

/// The files themselves, and the characters in the folders and below them.
pub(super) fn characters(paths: &[PathBuf]) -> anyhow::Result<Vec<FoundCharacter>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(FoundCharacter { path: path.clone(), below: PathBuf::new() });
            continue;
        }
        let files = files_below(path).map_err(|said| refusal(vec![said]))?;
        let before = found.len();
        found.extend(files.into_iter().filter(|file| has_ending(file, &CHARACTERS)).map(|file| {
            let below = file.parent().and_then(|folder| folder.strip_prefix(path).ok()).unwrap_or(Path::new(""));
            FoundCharacter { below: below.to_owned(), path: file }
        }));
        if found.len() == before {
            let place = Place::file(path.display().to_string());
            let message = "there is no .vrm, .glb or .gltf in this folder or below it";
            return Err(refusal(vec![Diagnostic::error(place, message)]));
        }
    }
    Ok(found)
}
