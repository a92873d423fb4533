//! The artist's own presets: one file each in a folder that the caller names.

use super::open::file_name;
use super::preset;
use super::source::{read_limited, write_atomic};
use crate::doc::preset::Preset;
use crate::report::{Diagnostic, Place};
use std::path::{Path, PathBuf};

/// As the files of presets end.
pub const ENDING: &str = ".preset.json";
/// More files than an artist ever makes; the rest is told and left out.
pub const MOST: usize = 1000;

/// Reads all presets of a folder in the order of their files' names, with what was found in them; of each file that
/// cannot be read, why. A folder that is not there has none.
pub fn read(folder: &Path) -> (Vec<Preset>, Vec<Diagnostic>) {
    let (mut presets, mut said) = (Vec::new(), Vec::new());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return (presets, said),
        Err(err) => return (presets, vec![fail(folder, &format!("cannot be read: {err}"))]),
    };
    let is_preset = |path: &PathBuf| file_name(path).ends_with(ENDING);
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(is_preset).collect();
    paths.sort();
    if paths.len() > MOST {
        let words = format!("has {} presets; the first {MOST} are in use", paths.len());
        said.push(Diagnostic::warning(Place::file(folder.display().to_string()), words));
    }
    for path in paths.into_iter().take(MOST) {
        let read = read_limited(&path).map_err(|err| vec![err]);
        match read.and_then(|bytes| preset::read(&bytes, &file_name(&path))) {
            Ok((preset, more)) => {
                said.extend(more);
                presets.push(preset);
            }
            Err(more) => said.extend(more),
        }
    }
    (presets, said)
}

/// Writes a preset into a folder, which is made where it is not there, and returns its key. Where `replaces`, the file
/// of its key is written anew; else its key gets a number until no file is in the way. Whole or not at all.
pub fn keep(folder: &Path, preset: &Preset, replaces: bool) -> Result<String, Diagnostic> {
    std::fs::create_dir_all(folder).map_err(|err| fail(folder, &format!("cannot be made: {err}")))?;
    let mut preset = preset.clone();
    // A key that no file may have is nobody's: what takes its place must not be written over another.
    let replaces = replaces && is_key(&preset.key);
    if !is_key(&preset.key) {
        "preset".clone_into(&mut preset.key);
    }
    let stem = preset.key.clone();
    let mut number = 2;
    while !replaces && path_of(folder, &preset.key).exists() {
        preset.key = format!("{stem}_{number}");
        number += 1;
    }
    write_atomic(&path_of(folder, &preset.key), &preset::write(&preset))?;
    Ok(preset.key)
}

/// Deletes the preset of this key.
pub fn delete(folder: &Path, key: &str) -> Result<(), Diagnostic> {
    let path = path_of(folder, key);
    if !is_key(key) {
        return Err(fail(&path, "is no preset's name"));
    }
    std::fs::remove_file(&path).map_err(|err| fail(&path, &format!("cannot be deleted: {err}")))
}

fn path_of(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}{ENDING}"))
}

/// What cannot lead out of the folder.
fn is_key(key: &str) -> bool {
    !key.is_empty() && !key.contains(['/', '\\', ':', '\0']) && !key.starts_with('.')
}

fn fail(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(Place::file(path.display().to_string()), why)
}
