//! Copies the external files of a glTF when the glTF is saved in another folder.

use super::{Folder, parent_folder, write_atomic};
use crate::fs;
use std::path::Path;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// Copies the files `names` from the folder of `from` to the folder of `to`, and reports the copies. `names` are
/// results of [`safe_relative_path`](super::safe_relative_path). Existing files are never replaced. A file that already
/// exists with equal bytes is not copied. A missing file is reported and ignored, because the character was opened
/// without the file.
///
/// Returns an error if a different file with one of the names exists in the target folder, in which case nothing is
/// copied, or if a file cannot be written.
pub fn copy_external_files(names: &[String], from: &Path, to: &Path) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let place = || Location::file(to.display().to_string());
    let folder = parent_folder(to);
    let same = fs::canonicalize(parent_folder(from)).ok() == fs::canonicalize(folder).ok();
    if same || names.is_empty() {
        return Ok(Vec::new());
    }
    let source = Folder::of(from).map_err(|error| vec![Diagnostic::error(place(), error.to_string())])?;
    let (mut wanted, mut missing, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let bytes = match source.read(name) {
            Ok(bytes) => bytes,
            Err(error) => {
                missing.push(format!("\"{name}\" ({error})"));
                continue;
            }
        };
        match fs::read(folder.join(name)) {
            Ok(there) if there == bytes => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => wanted.push((name, bytes)),
            Ok(_) | Err(_) => taken.push(format!("\"{name}\"")),
        }
    }
    if !taken.is_empty() {
        let message = message!(
            "it refers to {taken}, and different files with these names already exist there. Nothing was written; choose another folder",
            taken = taken.join(", ")
        );
        return Err(vec![Diagnostic::error(place(), message)]);
    }
    for (name, bytes) in &wanted {
        let path = folder.join(name);
        let within = fs::create_dir_all(parent_folder(&path));
        within
            .map_err(|error| vec![Diagnostic::error(Location::file(path.display().to_string()), error.to_string())])?;
        write_atomic(&path, bytes).map_err(|diagnostic| vec![diagnostic])?;
    }
    let mut diagnostics = Vec::new();
    if !wanted.is_empty() {
        let copied: Vec<String> = wanted.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        diagnostics
            .push(Diagnostic::info(place(), message!("copied next to it: {copied}", copied = copied.join(", "))));
    }
    if !missing.is_empty() {
        let message = message!("it refers to {missing}, which cannot be copied", missing = missing.join(", "));
        diagnostics.push(Diagnostic::warning(place(), message));
    }
    Ok(diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use yuremono_sim::diagnostics::Severity;

    fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (from, to) = (folder.path().join("a/girl.gltf"), folder.path().join("b/girl.gltf"));
        std::fs::create_dir_all(folder.path().join("a/tex")).expect("made");
        std::fs::create_dir(folder.path().join("b")).expect("made");
        std::fs::write(folder.path().join("a/girl.bin"), b"bytes").expect("written");
        std::fs::write(folder.path().join("a/tex/hair.png"), b"pixels").expect("written");
        (folder, from, to)
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn files_are_copied_with_their_folders_and_missing_ones_are_reported() {
        let (folder, from, to) = folders();
        let diagnostics =
            copy_external_files(&names(&["girl.bin", "tex/hair.png", "gone.png"]), &from, &to).expect("copied");
        assert_eq!(std::fs::read(folder.path().join("b/tex/hair.png")).expect("the copied file exists"), b"pixels");
        assert_eq!(diagnostics.iter().map(|d| d.severity).collect::<Vec<_>>(), [Severity::Info, Severity::Warning]);
        let again = copy_external_files(&names(&["girl.bin", "tex/hair.png"]), &from, &to).expect("the same bytes");
        assert!(again.is_empty(), "{again:?}");
    }

    #[test]
    fn a_different_existing_file_stops_the_whole_copy() {
        let (folder, from, to) = folders();
        std::fs::create_dir(folder.path().join("b/tex")).expect("made");
        std::fs::write(folder.path().join("b/tex/hair.png"), b"someone's").expect("written");
        let diagnostics = copy_external_files(&names(&["girl.bin", "tex/hair.png"]), &from, &to).expect_err("taken");
        assert!(diagnostics[0].to_string().contains("\"tex/hair.png\""), "{diagnostics:?}");
        assert_eq!(std::fs::read(folder.path().join("b/tex/hair.png")).expect("there"), b"someone's");
        assert!(!folder.path().join("b/girl.bin").exists());
    }

    #[test]
    fn nothing_is_copied_within_one_folder() {
        let (_folder, from, _) = folders();
        let to = from.with_file_name("other.gltf");
        assert_eq!(copy_external_files(&names(&["girl.bin", "gone.png"]), &from, &to), Ok(Vec::new()));
    }
}
