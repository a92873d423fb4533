//! Reads the file of a comparison.

use super::App;
use std::path::Path;
use yuremono_format::open::{self, file_name};
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::tables::FileKind;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::ImportPlan;
use yuremono_model::exchange::remap::NameMap;
use yuremono_session::{Command, CompareWith};
use yuremono_sim::diagnostics::Diagnostic;

impl App {
    /// Compares the tuning with the setup of a file, or reports why the file cannot be read.
    pub(super) fn compare_with_file(&mut self, path: &Path) {
        match self.read_compared(path) {
            Ok((document, found)) => {
                self.report_all(found);
                let name = file_name(path);
                self.session.handle(Command::Compare(Box::new(CompareWith::File { name, document })));
            }
            Err(found) => self.report_all(found),
        }
    }

    /// Returns the setup of a file on the open character. A table is imported into a copy of the document.
    fn read_compared(&self, path: &Path) -> Result<(Document, Vec<Diagnostic>), Vec<Diagnostic>> {
        let character = self.session.character();
        let skeleton = &character.skeleton;
        match FileKind::from_path(path) {
            Some(FileKind::Table) => {
                let (file, mut found) = open::setup(path, Some(character))?;
                let file = to_gltf(file, FlipAxis::default_for(character.facing));
                let plan = ImportPlan::new(file, &found, self.session.document(), character, &NameMap::new());
                found.extend(plan.lost_part_diagnostics(&file_name(path), self.session.document()));
                found.extend(plan.missing_name_diagnostics(&file_name(path)));
                Ok((plan.after_import(skeleton), found))
            }
            Some(FileKind::Project) => {
                let (project, mut found) = open::project(path)?;
                let (document, more) = project.into_document(character);
                found.extend(more);
                Ok((document, found))
            }
            // A project names bones by path, so it carries the setup of one character to another.
            _ => {
                let opened = open::character(path, &|_| true)?;
                let metadata = ProjectMetadata::default();
                let bytes = project::write(&opened.document, &opened.character, &metadata);
                let (document, found) = project::read(&bytes, &file_name(path))?.0.into_document(character);
                Ok((document, found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SAMPLE_BYTES;
    use super::super::tests::{set_tuned_value, window};
    use yuremono_format::project::{self, ProjectMetadata};
    use yuremono_session::CompareSource;

    #[test]
    fn a_project_a_character_and_a_broken_file_are_compared_or_explained() {
        let data = tempfile::tempdir().expect("a folder");
        let [saved, character, broken] = ["b.yure", "b.vrm", "b.csv"].map(|name| data.path().join(name));
        let mut window = window(None);
        let bytes = {
            let session = &window.state().session;
            project::write(session.document(), session.character(), &ProjectMetadata::default())
        };
        std::fs::write(&saved, bytes).expect("the folder can be written");
        std::fs::write(&character, SAMPLE_BYTES).expect("the folder can be written");
        std::fs::write(&broken, b"\xff\xfe\0").expect("the folder can be written");
        set_tuned_value(&mut window, 0.125);
        for (path, is_readable) in [(&saved, true), (&character, true), (&broken, false)] {
            window.state_mut().session.handle(yuremono_session::Command::EndComparison);
            let before = window.state().session.document().clone();
            window.state_mut().compare_with_file(path);
            let session = &window.state().session;
            assert_eq!(session.document(), &before, "nothing changes");
            assert_eq!(session.comparison().is_some(), is_readable, "{}", path.display());
            if let Some(comparison) = session.comparison() {
                assert!(matches!(&comparison.source, CompareSource::File(name) if path.ends_with(name)));
                assert!(!comparison.compared.differences.is_empty());
                assert!(comparison.only_in_a.is_empty() && comparison.only_in_b.is_empty());
            } else {
                assert!(!session.messages().entries().is_empty(), "a message says why");
            }
        }
    }
}
