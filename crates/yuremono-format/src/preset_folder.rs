//! Reads and writes the user's presets, one file for each preset, in a folder that the caller passes.

use super::fs;
use super::open::{self, file_name};
use super::preset;
use super::source::{io_error_text, write_atomic};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yuremono_model::feel::preset::Preset;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, Severity, message};

/// The suffix of preset file names.
pub const FILE_SUFFIX: &str = ".preset.json";
/// Maximum number of presets. Further files are reported and skipped.
pub const MAX_PRESETS: usize = 1000;
/// Maximum length of a written file stem, in bytes. The name stays short enough for all common file systems when a
/// number, the suffix and the suffix of the temporary file are added.
const MAX_KEY_BYTES: usize = 150;
const WINDOWS_DEVICE_NAMES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];
/// Prefixes that form the name of a Windows device if a digit follows.
const WINDOWS_PORT_PREFIXES: [&str; 2] = ["com", "lpt"];

/// Returns the preset folder in the folder for user data.
pub fn path_in(user_data: &Path) -> PathBuf {
    user_data.join("presets")
}

/// Reads all presets of a folder in the order of their file names, and returns diagnostics. A file that cannot be read
/// is reported, and the other presets are still read. A missing folder has no presets.
pub fn read(folder: &Path) -> (Vec<Preset>, Vec<Diagnostic>) {
    let (mut presets, mut diagnostics) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return (presets, diagnostics),
        Err(err) => {
            return (presets, vec![error(folder, message!("cannot be read: {error}", error = io_error_text(&err)))]);
        }
    };
    let is_preset = |path: &PathBuf| file_name(path).ends_with(FILE_SUFFIX);
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(is_preset).collect();
    paths.sort();
    if paths.len() > MAX_PRESETS {
        let words = message!(
            "has {count} presets; the first {max_presets} are used",
            count = paths.len(),
            max_presets = MAX_PRESETS
        );
        diagnostics.push(Diagnostic::warning(Location::file(folder.display().to_string()), words));
    }
    for path in paths.into_iter().take(MAX_PRESETS) {
        match open::preset(&path) {
            Ok((preset, _)) if preset.key.is_empty() => {
                diagnostics.push(warning(
                    &path,
                    message!(
                        "the file name has nothing before {file_suffix}; the preset needs a name there",
                        file_suffix = FILE_SUFFIX
                    ),
                ));
            }
            Ok((preset, more)) => {
                diagnostics.extend(more);
                presets.push(preset);
            }
            Err(more) => diagnostics.extend(more.into_iter().map(|d| Diagnostic { severity: Severity::Warning, ..d })),
        }
    }
    (presets, diagnostics)
}

/// Writes a preset into a folder and returns its key. The folder is created if it is missing. If `replaces` is true,
/// the file with the key of the preset is replaced. Otherwise the key becomes a file name that is valid on every
/// platform, with a number if another file has that name, ignoring case. The file is written completely or not at all.
pub fn save(folder: &Path, preset: &Preset, replaces: bool) -> Result<String, Diagnostic> {
    fs::create_dir_all(folder)
        .map_err(|err| error(folder, message!("cannot be created: {error}", error = io_error_text(&err))))?;
    let mut preset = preset.clone();
    // No file of this folder has a key that is not a safe file name. Such a preset gets a new key, which must not
    // overwrite another file.
    if !(replaces && is_safe_key(&preset.key) && fs::is_present(&path_of(folder, &preset.key))) {
        preset.key = unique_key(folder, if is_portable_file_name(&preset.key) { &preset.key } else { "preset" })?;
    }
    write_atomic(&path_of(folder, &preset.key), &preset::write(&preset))?;
    Ok(preset.key)
}

/// Returns `stem`, followed by the lowest unused number if `stem` is in use.
fn unique_key(folder: &Path, stem: &str) -> Result<String, Diagnostic> {
    let entries = fs::read_dir(folder)
        .map_err(|err| error(folder, message!("cannot be read: {error}", error = io_error_text(&err))))?;
    let there: BTreeSet<String> = entries.filter_map(|e| Some(file_name(&e.ok()?.path()).to_lowercase())).collect();
    let keys = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}_{number}")));
    let is_free = |key: &String| !there.contains(&format!("{key}{FILE_SUFFIX}").to_lowercase());
    Ok(keys.into_iter().find(is_free).expect("the numbers do not end"))
}

/// Deletes the preset with this key.
pub fn delete(folder: &Path, key: &str) -> Result<(), Diagnostic> {
    let path = path_of(folder, key);
    if !is_safe_key(key) {
        return Err(error(&path, message!("is not the name of a preset")));
    }
    fs::remove_file(&path)
        .map_err(|err| error(&path, message!("cannot be deleted: {error}", error = io_error_text(&err))))
}

fn path_of(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}{FILE_SUFFIX}"))
}

/// Whether a file with this key is always inside the folder.
fn is_safe_key(key: &str) -> bool {
    !key.is_empty() && !key.contains(['/', '\\', ':', '\0']) && !key.starts_with('.')
}

fn is_portable_file_name(key: &str) -> bool {
    let is_odd = |c: char| c.is_control() || r#"<>:"/\|?*"#.contains(c);
    is_safe_key(key)
        && key.len() <= MAX_KEY_BYTES
        && key.trim() == key
        && !key.ends_with('.')
        && !key.contains(is_odd)
        && !is_windows_device(key)
}

fn is_windows_device(key: &str) -> bool {
    let first = key.split('.').next().unwrap_or(key).trim_end().to_lowercase();
    let is_port = |port: &&str| {
        let number = first.strip_prefix(*port).map(|rest| rest.chars().collect::<Vec<char>>());
        matches!(number.as_deref(), Some([c]) if c.is_ascii_digit() || "¹²³".contains(*c))
    };
    WINDOWS_DEVICE_NAMES.contains(&first.as_str()) || WINDOWS_PORT_PREFIXES.iter().any(is_port)
}

fn error(path: &Path, why: MessageText) -> Diagnostic {
    Diagnostic::error(Location::file(path.display().to_string()), why)
}

fn warning(path: &Path, why: MessageText) -> Diagnostic {
    Diagnostic::warning(Location::file(file_name(path)), why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin_presets::builtin_presets;

    #[track_caller]
    fn check(key: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let preset = Preset { key: key.to_owned(), ..builtin_presets()[0].clone() };
        assert_eq!(save(folder.path(), &preset, false).as_deref(), Ok(expected), "{key:?}");
        let (read, diagnostics) = read(folder.path());
        assert!(diagnostics.is_empty() && read.len() == 1 && read[0].key == expected, "{key:?}: {diagnostics:?}");
    }

    #[test]
    fn file_names_are_valid_on_every_platform() {
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
    fn names_that_differ_only_by_case_get_a_number() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let preset = |key: &str| Preset { key: key.to_owned(), ..builtin_presets()[0].clone() };
        for (key, expected) in [("Heavy", "Heavy"), ("heavy", "heavy_2"), ("HEAVY", "HEAVY_3")] {
            assert_eq!(save(folder.path(), &preset(key), false).as_deref(), Ok(expected));
        }
        assert_eq!(save(folder.path(), &preset("Heavy"), true).as_deref(), Ok("Heavy"), "its own file");
        assert_eq!(save(folder.path(), &preset("gone"), true).as_deref(), Ok("gone"), "nothing to replace");
    }

    #[test]
    fn an_existing_long_file_name_is_kept_and_an_empty_one_is_reported() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let long = "x".repeat(MAX_KEY_BYTES + 1);
        let preset = Preset { key: long.clone(), ..builtin_presets()[0].clone() };
        for name in [&format!("{long}.preset.json"), ".preset.json"] {
            std::fs::write(folder.path().join(name), preset::write(&preset)).expect("written");
        }
        let (read, diagnostics) = read(folder.path());
        assert_eq!(read.iter().map(|preset| preset.key.as_str()).collect::<Vec<_>>(), [&long]);
        assert!(
            diagnostics.len() == 1 && diagnostics[0].to_string().contains("nothing before .preset.json"),
            "{diagnostics:?}"
        );
        assert_eq!(save(folder.path(), &preset, true).as_deref(), Ok(&*long));
    }
}
