//! Files over the window: what a drop does with them. The overlay and the drop use the same decision.

use super::files::is_motion;
use crate::ui::{DropAction, DropEntry};
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, file_name};
use yuremono_format::tables::{FileKind, has_extension};

/// What a drop does with a list of files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DropPlan {
    /// Motions for the open character. All are added.
    pub(super) motions: Vec<PathBuf>,
    /// The other files. The first is opened.
    pub(super) others: Vec<PathBuf>,
}

impl DropPlan {
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        // A file without meshes is an animation for the open character.
        let is_scene = |path: &Path| has_extension(path, &["glb", "gltf", "fbx"]);
        let (motions, others) =
            paths.into_iter().partition(|path| is_motion(path) || (is_scene(path) && open::is_motion_only(path)));
        Self { motions, others }
    }

    /// Lists the steps of the drop in their order.
    fn entries(&self) -> Vec<DropEntry> {
        let entry = |action, files: &[PathBuf]| {
            files.first().map(|first| DropEntry { action, file_name: file_name(first), count: files.len() })
        };
        let opened = self.others.iter().take(1).map(|path| (action(path), std::slice::from_ref(path)));
        let groups = [(DropAction::AddMotion, self.motions.as_slice())].into_iter().chain(opened);
        let ignored = (DropAction::Ignore, self.others.get(1..).unwrap_or_default());
        groups.chain([ignored]).filter_map(|(action, files)| entry(action, files)).collect()
    }
}

fn action(path: &Path) -> DropAction {
    if open::is_unity_project(path) {
        return DropAction::OpenUnityProject;
    }
    match FileKind::from_path(path) {
        Some(FileKind::Character) => DropAction::OpenCharacter,
        Some(FileKind::Project) => DropAction::OpenProject,
        Some(FileKind::Motion) => DropAction::AddMotion,
        Some(FileKind::Table) => DropAction::ImportTable,
        None => DropAction::Ignore,
    }
}

/// The files that the pointer holds over the window.
#[derive(Debug, Default)]
pub(super) struct HoveredFiles {
    /// `None` for a file whose path is known only after the drop, as in a browser.
    paths: Vec<Option<PathBuf>>,
    entries: Vec<DropEntry>,
}

impl HoveredFiles {
    /// Reads the hovered files of a frame. Looks at the files again only if the list has changed.
    pub(super) fn update(&mut self, ctx: &egui::Context) {
        let has_changed = ctx.input(|i| !i.raw.hovered_files.iter().map(|file| &file.path).eq(&self.paths));
        if has_changed {
            self.paths = ctx.input(|i| i.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
            self.entries = match self.paths.iter().cloned().collect() {
                Some(known) => DropPlan::new(known).entries(),
                None => vec![DropEntry { action: DropAction::Open, file_name: String::new(), count: 1 }],
            };
        }
    }

    pub(super) fn entries(&self) -> &[DropEntry] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_adds_all_motions_opens_one_file_and_ignores_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let animation = folder.path().join("wave.gltf");
        std::fs::write(&animation, r#"{"asset":{"version":"2.0"},"animations":[{}]}"#).expect("written");
        let names = ["walk.vrma", "girl.VRM", "hair.csv", "readme.md"];
        let paths = names.into_iter().map(PathBuf::from).chain([animation]).collect();
        let entry = |action, name: &str, count| DropEntry { action, file_name: name.to_owned(), count };
        assert_eq!(
            DropPlan::new(paths).entries(),
            [
                entry(DropAction::AddMotion, "walk.vrma", 2),
                entry(DropAction::OpenCharacter, "girl.VRM", 1),
                entry(DropAction::Ignore, "hair.csv", 2),
            ]
        );
        for (name, action) in [
            ("fox.glb", DropAction::OpenCharacter),
            ("fox.yure", DropAction::OpenProject),
            ("hair.json", DropAction::ImportTable),
            ("notes.md", DropAction::Ignore),
            ("absent folder", DropAction::Ignore),
            ("girl.unitypackage", DropAction::OpenUnityProject),
        ] {
            assert_eq!(DropPlan::new(vec![name.into()]).entries(), [entry(action, name, 1)]);
        }
    }

    #[test]
    fn the_entries_follow_the_files_over_the_window() {
        let ctx = egui::Context::default();
        let mut hovered = HoveredFiles::default();
        let mut actions = |names: &[&str]| {
            let file =
                |name: &&str| egui::HoveredFile { path: (!name.is_empty()).then(|| name.into()), ..Default::default() };
            let input = egui::RawInput { hovered_files: names.iter().map(file).collect(), ..Default::default() };
            ctx.begin_pass(input);
            hovered.update(&ctx);
            ctx.end_pass().textures_delta.clear();
            hovered.entries().iter().map(|entry| entry.action).collect::<Vec<_>>()
        };
        assert_eq!(actions(&["girl.vrm"]), [DropAction::OpenCharacter]);
        assert_eq!(actions(&["girl.vrm", "walk.bvh"]), [DropAction::AddMotion, DropAction::OpenCharacter]);
        assert_eq!(actions(&["", ""]), [DropAction::Open], "a browser reports no paths");
        assert_eq!(actions(&[]), []);
    }
}
