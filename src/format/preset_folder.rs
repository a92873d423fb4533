//! The artist's own presets: one file each in a folder that the caller names.

use super::open::{self, file_name};
use super::preset;
use super::source::write_atomic;
use crate::feel::preset::Preset;
use crate::report::{Diagnostic, Place, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// As the files of presets end.
pub const ENDING: &str = ".preset.json";
/// More files than an artist ever makes; the rest is told and left out.
pub const MOST: usize = 1000;
/// Longest stem that is written, bytes: with ending, number and what a file is called until it is whole, no system finds
/// it too long.
const LONGEST: usize = 150;
/// What Windows keeps for devices, whatever ending follows.
const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];
/// What numbers make devices of.
const PORTS: [&str; 2] = ["com", "lpt"];

/// Reads all presets of a folder in the order of their files' names, with what was found in them; of each file that
/// cannot be read, why, as a warning: the others are in use. A folder that is not there has none.
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
        match open::preset(&path) {
            Ok((preset, _)) if preset.key.is_empty() => {
                said.push(warning(
                    &path,
                    &format!("there is nothing before {ENDING} that a preset could be called by"),
                ));
            }
            Ok((preset, more)) => {
                said.extend(more);
                presets.push(preset);
            }
            Err(more) => said.extend(more.into_iter().map(|d| Diagnostic { severity: Severity::Warning, ..d })),
        }
    }
    (presets, said)
}

/// Writes a preset into a folder, which is made where it is not there, and returns its key. Where `replaces`, the file
/// of its key is written anew, whatever it is called. Else its key becomes one that every system takes as a file's name,
/// with a number where one is in the way, also one that differs only by case. Whole or not at all.
pub fn keep(folder: &Path, preset: &Preset, replaces: bool) -> Result<String, Diagnostic> {
    std::fs::create_dir_all(folder).map_err(|err| fail(folder, &format!("cannot be made: {err}")))?;
    let mut preset = preset.clone();
    // A key that no file may have is nobody's: what takes its place must not be written over another.
    if !(replaces && is_key(&preset.key) && path_of(folder, &preset.key).exists()) {
        preset.key = free_key(folder, if is_portable(&preset.key) { &preset.key } else { "preset" })?;
    }
    write_atomic(&path_of(folder, &preset.key), &preset::write(&preset))?;
    Ok(preset.key)
}

/// `stem`, or with the first number that no file has yet.
fn free_key(folder: &Path, stem: &str) -> Result<String, Diagnostic> {
    let entries = std::fs::read_dir(folder).map_err(|err| fail(folder, &format!("cannot be read: {err}")))?;
    let there: BTreeSet<String> = entries.filter_map(|e| Some(file_name(&e.ok()?.path()).to_lowercase())).collect();
    let keys = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}_{number}")));
    let is_free = |key: &String| !there.contains(&format!("{key}{ENDING}").to_lowercase());
    Ok(keys.into_iter().find(is_free).expect("the numbers do not end"))
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

/// What Linux, macOS and Windows all take as the stem of a file's name, and give back as it was.
fn is_portable(key: &str) -> bool {
    let is_odd = |c: char| c.is_control() || r#"<>:"/\|?*"#.contains(c);
    is_key(key)
        && key.len() <= LONGEST
        && key.trim() == key
        && !key.ends_with('.')
        && !key.contains(is_odd)
        && !is_device(key)
}

/// Whether Windows takes a name for a device: by what stands before the first dot.
fn is_device(key: &str) -> bool {
    let first = key.split('.').next().unwrap_or(key).trim_end().to_lowercase();
    let is_port = |port: &&str| {
        let number = first.strip_prefix(*port).map(|rest| rest.chars().collect::<Vec<char>>());
        matches!(number.as_deref(), Some([c]) if c.is_ascii_digit() || "¹²³".contains(*c))
    };
    DEVICES.contains(&first.as_str()) || PORTS.iter().any(is_port)
}

fn fail(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(Place::file(path.display().to_string()), why)
}

fn warning(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::warning(Place::file(file_name(path)), why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::shelf::built_in;

    #[track_caller]
    fn check(key: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let preset = Preset { key: key.to_owned(), ..built_in()[0].clone() };
        assert_eq!(keep(folder.path(), &preset, false).as_deref(), Ok(expected), "{key:?}");
        let (read, said) = read(folder.path());
        assert!(said.is_empty() && read.len() == 1 && read[0].key == expected, "{key:?}: {said:?}");
    }

    #[test]
    fn every_system_takes_the_name_that_a_preset_is_written_under() {
        for key in ["heavy", "Heavy 2", "前髪", "a.b", "common", "com10", "lpt", "console", "null"] {
            check(key, key);
        }
        for key in
            ["", ".", "..", ".hidden", "a/b", "..\\b", "C:b", "a<b", "a>b", "a\"b", "a|b", "a?", "a*", "a\nb", "a\0"]
        {
            check(key, "preset");
        }
        for key in ["con", "CON", "Aux", "nul.x", "prn ", "COM1", "lpt9", "com¹", "CONIN$", "aux .b", " a", "a ", "a."]
        {
            check(key, "preset");
        }
        check(&"髪".repeat(50), &"髪".repeat(50));
        check(&"髪".repeat(51), "preset");
    }

    #[test]
    fn names_that_differ_by_case_alone_are_one_file_for_some_systems() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let preset = |key: &str| Preset { key: key.to_owned(), ..built_in()[0].clone() };
        for (key, expected) in [("Heavy", "Heavy"), ("heavy", "heavy_2"), ("HEAVY", "HEAVY_3")] {
            assert_eq!(keep(folder.path(), &preset(key), false).as_deref(), Ok(expected));
        }
        assert_eq!(keep(folder.path(), &preset("Heavy"), true).as_deref(), Ok("Heavy"), "its own file");
        assert_eq!(keep(folder.path(), &preset("gone"), true).as_deref(), Ok("gone"), "nothing to replace");
    }

    #[test]
    fn a_file_that_is_there_keeps_its_name_and_one_without_a_name_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let long = "x".repeat(LONGEST + 1);
        let preset = Preset { key: long.clone(), ..built_in()[0].clone() };
        for name in [&format!("{long}.preset.json"), ".preset.json"] {
            std::fs::write(folder.path().join(name), preset::write(&preset)).expect("written");
        }
        let (read, said) = read(folder.path());
        assert_eq!(read.iter().map(|preset| preset.key.as_str()).collect::<Vec<_>>(), [&long]);
        assert!(said.len() == 1 && said[0].to_string().contains("nothing before .preset.json"), "{said:?}");
        assert_eq!(keep(folder.path(), &preset, true).as_deref(), Ok(&*long));
    }
}
