//! *Import setup*: lists the rows of a file with their effects, and applies the included rows as one edit.
//!
//! *Merge* applies rows to the document. *Replace* replaces the systems of the document, like Unity's own import
//! window. In *Merge*, [`MapNamesDialog`] maps the names of the file to other bones.

mod messages;
mod mirror;
mod replace;
mod rows;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left};
use super::map_names::MapNamesDialog;
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::i18n::solver_name;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{self, Choice, segmented_choice};
use crate::ui::kit::tokens::space;
use crate::ui::{AppRequest, UiContext};
use egui::{Align, Context, Layout, Rect, Ui};
use std::collections::BTreeSet;
use yuremono_format::unity_space::{depends_on_axis, to_gltf};
use yuremono_model::document::{Document, Edit, EditLabel, FlipAxis, difference};
use yuremono_model::exchange::{
    FileEntry, FileSection, ImportPlan, MirrorPreview, ReplaceOptions, ReplacePlan, SetupFile, TableSections,
    VerticesByBone, mappable_names, mesh_names,
};
use yuremono_model::exchange::{remap::NameMap, remap::RemapRules};
use yuremono_session::{Command, Message, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, MessageText, message};

/// Common encodings of tables from Unity.
const ENCODINGS: [&str; 8] = ["UTF-8", "Shift_JIS", "EUC-JP", "EUC-KR", "GB18030", "Big5", "windows-1252", "UTF-16LE"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ImportMode {
    #[default]
    Merge,
    Replace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowFilter {
    Importable,
    NoBone,
    Unreadable,
    /// Lists the joints of the document instead of the rows of the file.
    NotInFile,
}

/// Identifies a row across plans.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    system: usize,
    section: FileSection,
    name: String,
    line: u64,
    pointer: String,
}

impl From<&FileEntry> for RowKey {
    fn from(item: &FileEntry) -> Self {
        let FileEntry { system, section, name, line, json_pointer: pointer, .. } = item;
        Self { system: *system, section: *section, name: name.clone(), line: *line, pointer: pointer.clone() }
    }
}

#[derive(Debug)]
pub(super) struct ImportDialog {
    file_name: String,
    /// The setup in the space of the file.
    file: SetupFile,
    /// Diagnostics of the reader.
    diagnostics: Vec<Diagnostic>,
    /// The axis that changes sign between the space of the file and the space of glTF.
    mirror: FlipAxis,
    plan: ImportPlan,
    mode: ImportMode,
    /// Set only in [`ImportMode::Replace`].
    replacement: Option<Box<ReplacePlan>>,
    replace_options: TableSections,
    /// Whether the replacement uses the comment rows.
    replaces_other_rows: bool,
    snapshot: SessionSnapshot,
    excluded_rows: BTreeSet<RowKey>,
    section: FileSection,
    filter: Option<RowFilter>,
    map_names: Option<MapNamesDialog>,
    skin: VerticesByBone,
    /// Whether the mirror axis changes the result of the import.
    mirror_matters: bool,
    /// Previews for mirror X and mirror Z. Empty if the mirror axis has no effect.
    previews: [MirrorPreview; 2],
    /// Whether Yuremono proposed a mirror axis or the artist chose an axis.
    mirror_is_set: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImportChoice {
    Mirror(FlipAxis),
    Mode(ImportMode),
    ReplaceOptions(TableSections),
    ReplacesOtherRows(bool),
    Encoding(&'static str),
}

impl ImportDialog {
    pub(super) fn new(file_name: &str, file: SetupFile, found: Vec<Diagnostic>, session: &Session) -> Self {
        let character = session.character();
        let mirror = FlipAxis::default_for(character.facing);
        let in_gltf = to_gltf(file.clone(), mirror);
        let mut import = Self {
            file_name: file_name.to_owned(),
            plan: ImportPlan::new(in_gltf, &found, session.document(), character, &NameMap::new()),
            mirror_matters: mirror::AXES.into_iter().any(|axis| depends_on_axis(&file, axis)),
            file,
            diagnostics: found,
            mirror,
            mode: ImportMode::default(),
            replacement: None,
            replace_options: TableSections::default(),
            replaces_other_rows: true,
            snapshot: SessionSnapshot::of(session),
            excluded_rows: BTreeSet::new(),
            section: FileSection::Joints,
            filter: None,
            map_names: None,
            skin: VerticesByBone::from_character(character),
            previews: [MirrorPreview::default(), MirrorPreview::default()],
            mirror_is_set: false,
        };
        import.section = import.sections_with_rows().first().copied().unwrap_or(FileSection::Joints);
        import.update_previews(session);
        import
    }

    /// Keeps the choices when the same file is opened again.
    pub(super) fn copy_choices_from(&mut self, before: &Self, session: &Session) {
        if before.file_name != self.file_name {
            return;
        }
        (self.mode, self.replace_options, self.replaces_other_rows) =
            (before.mode, before.replace_options, before.replaces_other_rows);
        if before.mirror_is_set {
            (self.mirror, self.mirror_is_set) = (before.mirror, true);
        }
        self.replan(session);
    }

    pub(super) fn set_rules(&mut self, rules: RemapRules, session: &Session) {
        if let Some(names) = &mut self.map_names {
            names.set_rules(rules, session);
            self.replan(session);
        }
    }

    fn refresh_plan(&mut self, session: &Session) {
        if !self.snapshot.same_character(session) {
            self.skin = VerticesByBone::from_character(session.character());
            self.mirror_is_set = false;
            if let Some(names) = &mut self.map_names {
                names.forget_choices(session);
            }
        }
        self.replan(session);
        self.snapshot = SessionSnapshot::of(session);
    }

    fn name_map(&self) -> NameMap {
        self.map_names.as_ref().map(MapNamesDialog::name_map).unwrap_or_default()
    }

    fn replan(&mut self, session: &Session) {
        let (document, character) = (session.document(), session.character());
        let file = to_gltf(self.file.clone(), self.mirror);
        self.plan = ImportPlan::new(file, &self.diagnostics, document, character, &self.name_map());
        let items = self.plan.file().entries.iter().enumerate();
        let excluded = items.filter(|(_, item)| self.excluded_rows.contains(&RowKey::from(*item)));
        for at in excluded.map(|(at, _)| at).collect::<Vec<_>>() {
            self.plan.set_included(at, false);
        }
        self.replacement = (self.mode == ImportMode::Replace && self.can_replace()).then(|| {
            let options = ReplaceOptions {
                sections: self.replace_options,
                mesh_names: mesh_names(character),
                use_other_entries: self.replaces_other_rows,
            };
            Box::new(self.plan.replace_plan(document, &character.skeleton, options))
        });
        self.update_previews(session);
    }

    fn set_included(&mut self, row: usize, on: bool) {
        let Some(item) = self.plan.file().entries.get(row) else { return };
        let key = RowKey::from(item);
        if on {
            self.excluded_rows.remove(&key);
        } else {
            self.excluded_rows.insert(key);
        }
        self.plan.set_included(row, on);
    }

    fn sections_with_rows(&self) -> Vec<FileSection> {
        FileSection::ALL.into_iter().filter(|section| self.plan.rows_of(*section).next().is_some()).collect()
    }

    /// Returns whether *Replace* is possible. `UnityChanSpringBone`'s import window replaces one system. A file with
    /// several systems replaces each of these systems.
    fn can_replace(&self) -> bool {
        self.file.systems.len() > 1 || self.file.systems.first().is_some_and(|system| system.solver.info().uses_pivots)
    }

    /// Returns the document to which the file is compared.
    fn base_document<'a>(&'a self, session: &'a Session) -> &'a Document {
        self.plan.conversion().map_or(session.document(), |conversion| &conversion.after)
    }

    /// Returns the edit of the included rows, or of the replacement. Returns `None` if the edit changes nothing.
    fn edit(&self, session: &Session) -> Option<(Edit, EditLabel)> {
        let skeleton = &session.character().skeleton;
        let (edit, label) = match &self.replacement {
            Some(plan) => {
                let (counts, after) = (plan.counts(), plan.after_replacement(self.base_document(session), skeleton));
                let label = EditLabel::new(message!(
                    "Replace {n:element|elements} from CSV",
                    n = counts.joints + counts.colliders
                ));
                (difference(session.document(), &after), label)
            }
            None => (
                self.plan.edit(session.document(), skeleton),
                EditLabel::new(message!("Import {n:row|rows}", n = self.plan.included_count())),
            ),
        };
        let is_empty = matches!(&edit, Edit::Batch(edits) if edits.is_empty());
        (!is_empty).then_some((edit, label))
    }

    fn is_ready(&self) -> bool {
        if self.replacement.is_some() {
            self.replace_options.bones || self.replace_options.colliders
        } else {
            self.plan.included_count() > 0
        }
    }

    /// Stores the mirror axis for the next file of this character.
    fn remember_mirror(&self, cx: &mut UiContext<'_>) {
        if self.mirror_matters {
            let character = cx.session().character().name.clone();
            cx.state.prefs.remember_mirror(&character, self.mirror);
        }
    }

    fn apply_choice(&mut self, choice: ImportChoice, cx: &mut UiContext<'_>) {
        match choice {
            ImportChoice::Encoding(encoding) => return cx.request(AppRequest::ReadTableWithEncoding(encoding)),
            ImportChoice::Mirror(axis) => self.mirror = axis,
            ImportChoice::Mode(mode) => self.mode = mode,
            ImportChoice::ReplaceOptions(wanted) => self.replace_options = wanted,
            ImportChoice::ReplacesOtherRows(extras) => self.replaces_other_rows = extras,
        }
        self.replan(cx.session());
        if matches!(choice, ImportChoice::Mirror(_)) {
            self.remember_mirror(cx);
        }
    }

    fn replan_if_names_changed(&mut self, cx: &UiContext<'_>) {
        if self.map_names.as_mut().is_some_and(MapNamesDialog::take_changed) {
            self.replan(cx.session());
        }
    }

    /// Returns whether fewer than half of the joints of the file have a bone in this character.
    fn is_other_character(&self) -> bool {
        let counts = self.plan.counts(FileSection::Joints);
        counts.unusable > counts.usable
    }

    fn file_summary(&self, cx: &UiContext<'_>) -> String {
        let n = self.plan.rows().len();
        let text = if self.replacement.is_some() {
            message!("{n:row|rows}; one undo step reverts it", n)
        } else {
            let included = self.plan.included_count();
            message!("{included} of {n:row|rows} included; one undo step reverts it", included, n)
        };
        let text = cx.tr(text);
        match self.file.csv.version.filter(|_| self.is_csv()) {
            Some(version) => format!("v{version}, {text}"),
            None => text.into_owned(),
        }
    }

    fn mode_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<ImportChoice> {
        ui.add_space(space::L);
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            if self.can_replace() {
                let modes = [
                    Choice::new(ImportMode::Merge, tr!(cx, "Merge"))
                        .hint(tr!(cx, "Imports the included rows. Anything that is not in the file stays unchanged.")),
                    Choice::new(ImportMode::Replace, tr!(cx, "Replace as Unity does")).hint(tr!(
                        cx,
                        "Deletes everything that the file's solvers move and rebuilds it from the file, as Unity's own \
                         window does. Systems are matched by name, else by number; other systems of these solvers are \
                         deleted. Other solvers keep their chains and colliders."
                    )),
                ];
                let mut mode = self.mode;
                choice = segmented_choice(ui, &modes, &mut mode).then_some(ImportChoice::Mode(mode));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if self.is_csv() {
                    choice = choice.or(self.encoding_ui(ui, cx));
                } else {
                    self.solvers_ui(ui, cx);
                }
            });
        });
        ui.add_space(space::M);
        choice
    }

    fn is_csv(&self) -> bool {
        !self.file.csv.encoding.is_empty()
    }

    /// Draws how many joints the file has for each solver.
    fn solvers_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) {
        let mut counts: Vec<(SolverKind, usize)> = Vec::new();
        for (at, _) in self.plan.rows_of(FileSection::Joints) {
            let solver = self.plan.file().solver_of(&self.plan.file().entries[at]);
            match counts.iter_mut().find(|(counted, _)| *counted == solver) {
                Some((_, count)) => *count += 1,
                None => counts.push((solver, 1)),
            }
        }
        let text = |(solver, n): (SolverKind, usize)| {
            tr!(cx, "{solver}: {n:joint|joints}", solver = &solver_name(cx.theme.lang, solver), n).into_owned()
        };
        let all: Vec<String> = counts.into_iter().map(text).collect();
        ui.add_space(space::XL);
        let text = TextSize::Small.rich(all.join(" · ")).color(cx.theme.color.text_2);
        ui.add(egui::Label::new(text).selectable(false).truncate());
    }

    fn encoding_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<ImportChoice> {
        ui.add_space(space::XL);
        let found = self.file.csv.encoding;
        let mut all: Vec<&'static str> = ENCODINGS.to_vec();
        if !all.contains(&found) {
            all.insert(0, found);
        }
        let name = tr!(cx, "Encoding");
        let chosen = all.iter().position(|encoding| *encoding == found);
        let picked = toggle::choice(ui, &name, &all, chosen, 120.0).filter(|at| Some(*at) != chosen);
        ui.add_space(space::M);
        let label = egui::Label::new(TextSize::Small.rich(&*name).color(cx.theme.color.text_2)).selectable(false);
        ui.add(label).on_hover_text(tr!(
            cx,
            "Encoding of the text in the file. If names are unreadable, choose another: the file is read again."
        ));
        picked.map(|at| ImportChoice::Encoding(all[at]))
    }
}

impl Dialog for ImportDialog {
    fn title_text(&self) -> MessageText {
        self.map_names.as_ref().map_or(message!("Import setup"), MapNamesDialog::title_text)
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        self.map_names.as_ref().map_or_else(|| self.file_name.clone(), |names| names.subtitle(cx))
    }

    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        match &self.map_names {
            Some(names) => names.window_rect(ctx, cx),
            None => at_left(ctx, 0.457, [600.0, 660.0], 604.0),
        }
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.snapshot.is_current(cx.session()) {
            self.refresh_plan(cx.session());
        }
        if !self.mirror_is_set {
            self.mirror_is_set = true;
            let proposed = self.proposed_mirror(cx);
            if std::mem::replace(&mut self.mirror, proposed) != proposed {
                self.replan(cx.session());
            }
        }
        cx.state.mouse_hints = vec![(
            String::new(),
            tr!(cx, "The character keeps moving. Nothing changes until you import.").into_owned(),
        )];
        let ticked = self.plan.included_count();
        if let Some(names) = &mut self.map_names {
            names.set_summary(self.file_name.clone(), ticked);
            return names.refresh(ctx, cx);
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        if let Some(names) = &mut self.map_names {
            names.body_ui(ui, cx, out);
            return;
        }
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let below = if self.mirror_matters { mirror::MIRROR_ROW_HEIGHT } else { 0.0 };
        let mut choice = self.mode_ui(ui, cx);
        if self.replacement.is_some() {
            choice = choice.or(self.replace_ui(ui, cx, below));
        } else {
            self.section_tabs_ui(ui, cx);
            self.filter_cards_ui(ui, cx);
            self.warning_ui(ui, cx);
            let height = ui.available_height() - below;
            self.table_ui(ui, cx, height, out);
        }
        if self.mirror_matters {
            choice = choice.or(self.mirror_ui(ui, cx));
        }
        if let Some(choice) = choice {
            self.apply_choice(choice, cx);
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        if let Some(names) = &self.map_names {
            return names.buttons(cx);
        }
        let label = match &self.replacement {
            Some(plan) => {
                let counts = plan.counts();
                tr!(
                    cx,
                    "Replace with {joints:joint|joints}, {colliders:collider|colliders}",
                    joints = counts.joints,
                    colliders = counts.colliders
                )
            }
            None => tr!(cx, "Import {n:row|rows}{:button}", n = self.plan.included_count()),
        };
        let apply = DialogButton::apply(label, self.is_ready());
        let (map, cancel) = (DialogButton::secondary(tr!(cx, "Map names…")), DialogButton::cancel(cx));
        match () {
            () if self.replacement.is_some() => vec![apply, cancel],
            () if self.is_other_character() => vec![map.primary(true), cancel, apply.primary(false)],
            () if self.plan.rows_of(FileSection::Joints).next().is_none() => vec![apply, cancel],
            () => vec![apply, cancel, map],
        }
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        self.map_names.as_ref().map_or_else(|| self.file_summary(cx), |names| names.footer_note(cx))
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        if let Some(names) = &mut self.map_names {
            names.overlay_ui(ctx, cx, out);
        }
        self.replan_if_names_changed(cx);
    }

    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        if self.map_names.is_none() {
            self.draw_previews(cx);
        }
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if let Some((edit, label)) = self.edit(cx.session()) {
            cx.command(Command::ApplyEdit(edit, label));
        }
        let skeleton = &cx.session().character().skeleton;
        let axes = [
            self.plan.equal_axes_diagnostic(&self.file_name),
            self.plan.kept_values_diagnostic(&self.file_name, skeleton),
        ];
        axes.into_iter().flatten().for_each(|diagnostic| cx.command(Command::AddDiagnostic(diagnostic)));
        if self.replacement.is_none() {
            let file = self.file_name.clone();
            let summary = self.plan.summary(&cx.session().character().skeleton);
            cx.command(Command::AddMessage(Message::Imported { file, summary }));
        }
        self.remember_mirror(cx);
        DialogResult::Closed
    }

    /// Opens the name map. If the name map is open, confirms all proposed rows.
    fn secondary_action(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if let Some(names) = &mut self.map_names {
            let result = names.secondary_action(cx);
            self.replan_if_names_changed(cx);
            return result;
        }
        let session = cx.session();
        let names = mappable_names(&self.file, &session.character().skeleton);
        self.map_names = Some(MapNamesDialog::new(names, session));
        self.replan(session);
        DialogResult::Open
    }

    /// Returns from the name map to the rows.
    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(names) = &mut self.map_names else { return DialogResult::Closed };
        if names.close(cx) == DialogResult::Closed {
            self.map_names = None;
            self.replan(cx.session());
        }
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        self.map_names.as_ref().map_or(PREVIEW_SHORTCUTS, MapNamesDialog::shortcuts)
    }

    fn has_open_picker(&self) -> bool {
        self.map_names.as_ref().is_some_and(MapNamesDialog::has_open_picker)
    }

    fn close_picker(&mut self) {
        if let Some(names) = &mut self.map_names {
            names.close_picker();
        }
    }
}
