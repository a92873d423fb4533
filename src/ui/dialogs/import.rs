//! Import setup: lists the rows of a file and what each would change, and applies the ticked rows as one edit.
//!
//! There are two modes. Merge applies rows to what is there; replace puts the file in place of what is there, as
//! Unity's own import window does. Mapping names belongs to merge: it leads names of the file to other bones.

mod messages;
mod mirror;
mod replace;
mod rows;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left};
use super::names::Names;
use crate::document::{Axis, Document, Edit, Label, difference};
use crate::exchange::{
    FileItem, ImportPlan, MirrorPreview, ReplaceOptions, ReplacePlan, Section, SetupFile, Skin, Wanted, mappable_names,
    renderer_names,
};
use crate::exchange::{remap::Leads, remap::Rules};
use crate::format::unity_space::{depends_on, to_gltf};
use crate::report::Diagnostic;
use crate::session::{Command, Session};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{self, segmented_with_hints};
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, Request};
use egui::{Align, Context, Layout, Rect, Sense, Ui, vec2};
use std::collections::BTreeSet;

/// Encodings that artists' tables come in.
const ENCODINGS: [&str; 8] = ["UTF-8", "Shift_JIS", "EUC-JP", "EUC-KR", "GB18030", "Big5", "windows-1252", "UTF-16LE"];

/// How a file changes the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ImportMode {
    /// Ticked rows are applied to what is there.
    #[default]
    Merge,
    /// The file takes the place of what is there.
    Replace,
}

/// Which rows of a section are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowFilter {
    Usable,
    NoBone,
    Unreadable,
    /// Joints of the document instead of rows of the file.
    NotInFile,
}

/// What identifies a row when the file is compared again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    system: usize,
    section: Section,
    name: String,
    line: u64,
    pointer: String,
}

impl From<&FileItem> for RowKey {
    fn from(item: &FileItem) -> Self {
        let FileItem { system, section, name, line, pointer, .. } = item;
        Self { system: *system, section: *section, name: name.clone(), line: *line, pointer: pointer.clone() }
    }
}

/// A setup file that is compared with the document.
#[derive(Debug)]
pub(super) struct Import {
    file_name: String,
    /// In its own space.
    file: SetupFile,
    /// Diagnostics of reading.
    found: Vec<Diagnostic>,
    /// The axis that changes sign between the file's space and glTF's.
    mirror: Axis,
    plan: ImportPlan,
    mode: ImportMode,
    /// Planned while the mode is [`ImportMode::Replace`].
    replacement: Option<Box<ReplacePlan>>,
    wanted: Wanted,
    /// Whether a replacement uses rows of [`Section::Other`].
    extras: bool,
    seen: Seen,
    /// Rows that the artist excluded.
    unticked: BTreeSet<RowKey>,
    /// The section whose rows are listed.
    section: Section,
    filter: Option<RowFilter>,
    /// The window that maps names, where it is open.
    names: Option<Names>,
    skin: Skin,
    /// Whether the file means something else under another mirror.
    mirror_matters: bool,
    /// Under mirror X and Z; empty where the mirror does not matter.
    previews: [MirrorPreview; 2],
    /// Whether the mirror was proposed or chosen already.
    mirror_is_set: bool,
}

/// A choice above or below the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Mirror(Axis),
    Mode(ImportMode),
    Wanted(Wanted),
    Extras(bool),
    ReadAs(&'static str),
}

impl Import {
    pub(super) fn new(file_name: &str, file: SetupFile, found: Vec<Diagnostic>, session: &Session) -> Self {
        let character = session.character();
        let mirror = Axis::usual(character.facing);
        let in_gltf = to_gltf(file.clone(), mirror);
        let mut import = Self {
            file_name: file_name.to_owned(),
            plan: ImportPlan::new(in_gltf, &found, session.document(), character, &Leads::new()),
            mirror_matters: mirror::AXES.into_iter().any(|axis| depends_on(&file, axis)),
            file,
            found,
            mirror,
            mode: ImportMode::default(),
            replacement: None,
            wanted: Wanted::default(),
            extras: true,
            seen: Seen::of(session),
            unticked: BTreeSet::new(),
            section: Section::Joints,
            filter: None,
            names: None,
            skin: Skin::of(character),
            previews: [MirrorPreview::default(), MirrorPreview::default()],
            mirror_is_set: false,
        };
        import.section = import.filled_sections().first().copied().unwrap_or(Section::Joints);
        import.update_previews(session);
        import
    }

    /// Keeps what was chosen where the same file is offered again.
    pub(super) fn keep_choices_of(&mut self, before: &Self, session: &Session) {
        if before.file_name != self.file_name {
            return;
        }
        (self.mode, self.wanted, self.extras) = (before.mode, before.wanted, before.extras);
        if before.mirror_is_set {
            (self.mirror, self.mirror_is_set) = (before.mirror, true);
        }
        self.replan(session);
    }

    pub(super) fn take_rules(&mut self, rules: Rules, session: &Session) {
        if let Some(names) = &mut self.names {
            names.take_rules(rules, session);
            self.replan(session);
        }
    }

    /// Compares again after the document or the character changed.
    fn catch_up(&mut self, session: &Session) {
        if !self.seen.same_character(session) {
            self.skin = Skin::of(session.character());
            self.mirror_is_set = false;
            if let Some(names) = &mut self.names {
                names.retarget(session);
            }
        }
        self.replan(session);
        self.seen = Seen::of(session);
    }

    fn leads(&self) -> Leads {
        self.names.as_ref().map(Names::leads).unwrap_or_default()
    }

    fn replan(&mut self, session: &Session) {
        let (document, character) = (session.document(), session.character());
        let file = to_gltf(self.file.clone(), self.mirror);
        self.plan = ImportPlan::new(file, &self.found, document, character, &self.leads());
        let items = self.plan.file().items.iter().enumerate();
        let excluded = items.filter(|(_, item)| self.unticked.contains(&RowKey::from(*item)));
        for at in excluded.map(|(at, _)| at).collect::<Vec<_>>() {
            self.plan.set_tick(at, false);
        }
        self.replacement = (self.mode == ImportMode::Replace && self.can_replace()).then(|| {
            let options =
                ReplaceOptions { wanted: self.wanted, renderers: renderer_names(character), extras: self.extras };
            Box::new(self.plan.replacement(document, &character.skeleton, options))
        });
        self.update_previews(session);
    }

    /// Uses a row or leaves it out.
    fn tick(&mut self, row: usize, on: bool) {
        let Some(item) = self.plan.file().items.get(row) else { return };
        let key = RowKey::from(item);
        if on {
            self.unticked.remove(&key);
        } else {
            self.unticked.insert(key);
        }
        self.plan.set_tick(row, on);
    }

    /// Sections that have rows.
    fn filled_sections(&self) -> Vec<Section> {
        Section::ALL.into_iter().filter(|section| self.plan.rows_of(*section).next().is_some()).collect()
    }

    /// Whether the file can take the place of what is there. Unity's window does that with a file of one system; with
    /// several systems, each is replaced as that window does it.
    fn can_replace(&self) -> bool {
        self.file.systems.len() > 1 || self.file.systems.first().is_some_and(|system| system.solver.info().pivots)
    }

    /// The document that the file is compared with.
    fn base<'a>(&'a self, session: &'a Session) -> &'a Document {
        self.plan.moved().map_or(session.document(), |conversion| &conversion.after)
    }

    /// The edit of the ticked rows or of the replacement; `None` where nothing would change.
    fn edit(&self, session: &Session) -> Option<(Edit, Label)> {
        let skeleton = &session.character().skeleton;
        let (edit, label) = match &self.replacement {
            Some(plan) => {
                let (counts, after) = (plan.counts(), plan.after(self.base(session), skeleton));
                let label = Label::new("rebuild", counts.joints + counts.colliders);
                (difference(session.document(), &after), label)
            }
            None => (self.plan.edit(session.document(), skeleton), Label::new("import", self.plan.ticked())),
        };
        let is_empty = matches!(&edit, Edit::Batch(edits) if edits.is_empty());
        (!is_empty).then(|| (edit, label.name(self.file_name.clone())))
    }

    /// Whether there is anything to apply.
    fn is_ready(&self) -> bool {
        if self.replacement.is_some() { self.wanted.bones || self.wanted.colliders } else { self.plan.ticked() > 0 }
    }

    /// Keeps the mirror for the next file of this character.
    fn remember_mirror(&self, cx: &mut Cx<'_>) {
        if self.mirror_matters {
            let character = cx.session().character().name.clone();
            cx.state.prefs.remember_mirror(&character, self.mirror);
        }
    }

    fn choose(&mut self, choice: Choice, cx: &mut Cx<'_>) {
        match choice {
            Choice::ReadAs(encoding) => return cx.request(Request::ReadTableAs(encoding)),
            Choice::Mirror(axis) => self.mirror = axis,
            Choice::Mode(mode) => self.mode = mode,
            Choice::Wanted(wanted) => self.wanted = wanted,
            Choice::Extras(extras) => self.extras = extras,
        }
        self.replan(cx.session());
        if matches!(choice, Choice::Mirror(_)) {
            self.remember_mirror(cx);
        }
    }

    /// Compares again where the window that maps names changed a name.
    fn follow_names(&mut self, cx: &Cx<'_>) {
        if self.names.as_mut().is_some_and(Names::take_change) {
            self.replan(cx.session());
        }
    }

    /// Whether the file is of another character: fewer than half of its bones are here.
    fn is_foreign(&self) -> bool {
        let counts = self.plan.counts_of(Section::Joints);
        counts.no_bone > counts.matching
    }

    /// Version and size of the file.
    fn about(&self, cx: &Cx<'_>) -> String {
        let version = self.file.table.version.map_or_else(|| "–".to_owned(), |version| version.to_string());
        let rows = self.plan.rows().len().to_string();
        cx.tr_with("csv.about", &[("version", &version), ("n", &rows)])
    }

    /// Merge or replace, and how the text was read.
    fn mode_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        ui.add_space(space::L);
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            if self.can_replace() {
                let words = ["csv.way.merge", "csv.way.replace"].map(|key| cx.tr(key));
                let hints = ["csv.way.merge_hint", "csv.way.replace_hint"].map(|key| cx.tr(key));
                let choices = [(&*words[0], None), (&*words[1], None)];
                let chosen = usize::from(self.mode == ImportMode::Replace);
                let picked = segmented_with_hints(ui, &choices, &[&*hints[0], &*hints[1]], chosen, size::HIT_MIN);
                choice = picked.map(|at| Choice::Mode([ImportMode::Merge, ImportMode::Replace][at]));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                choice = choice.or(self.encoding_ui(ui, cx));
            });
        });
        ui.add_space(space::M);
        choice
    }

    fn encoding_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        ui.add_space(space::XL);
        let found = self.file.table.encoding;
        let mut all: Vec<&'static str> = ENCODINGS.to_vec();
        if !all.contains(&found) {
            all.insert(0, found);
        }
        let name = cx.tr("csv.encoding");
        let chosen = all.iter().position(|encoding| *encoding == found);
        let picked = toggle::choice(ui, &name, &all, chosen, 120.0).filter(|at| Some(*at) != chosen);
        ui.add_space(space::M);
        let width = paint::width_of(ui, &name, Text::Small);
        let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::hover());
        let line = paint::elided(ui, &name, Text::Small, cx.theme.color.text_2, width + 1.0);
        paint::galley_left(ui.painter(), rect.left_center(), line);
        response.on_hover_text(cx.tr("csv.encoding_hint"));
        picked.map(|at| Choice::ReadAs(all[at]))
    }
}

impl Dialog for Import {
    fn title_key(&self) -> &'static str {
        self.names.as_ref().map_or("windows.import.title", Names::title_key)
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        self.names.as_ref().map_or_else(|| self.file_name.clone(), |names| names.note(cx))
    }

    fn place(&self, ctx: &Context, cx: &Cx<'_>) -> Rect {
        match &self.names {
            Some(names) => names.place(ctx, cx),
            None => at_left(ctx, 0.457, [600.0, 660.0], 604.0),
        }
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        if !self.seen.is_current(cx.session()) {
            self.catch_up(cx.session());
        }
        if !self.mirror_is_set {
            self.mirror_is_set = true;
            self.mirror = self.proposed_mirror(cx);
            self.replan(cx.session());
        }
        cx.state.hint = vec![(String::new(), cx.tr("windows.import.hint").into_owned())];
        let ticked = self.plan.ticked();
        if let Some(names) = &mut self.names {
            names.prepare(self.file_name.clone(), ticked);
            return names.refresh(ctx, cx);
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        if let Some(names) = &mut self.names {
            names.body_ui(ui, cx, out);
            return;
        }
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let below = if self.mirror_matters { mirror::BAR } else { 0.0 };
        let mut choice = self.mode_ui(ui, cx);
        if self.replacement.is_some() {
            choice = choice.or(self.replace_ui(ui, cx, below));
        } else {
            self.sections_ui(ui, cx);
            self.cards_ui(ui, cx);
            self.warning_ui(ui, cx);
            let height = ui.available_height() - below;
            self.table_ui(ui, cx, height, out);
        }
        if self.mirror_matters {
            choice = choice.or(self.mirror_ui(ui, cx));
        }
        if let Some(choice) = choice {
            self.choose(choice, cx);
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        if let Some(names) = &self.names {
            return names.buttons(cx);
        }
        let words = match &self.replacement {
            Some(plan) => {
                let counts = plan.counts();
                let numbers = [counts.joints, counts.colliders].map(|n| n.to_string());
                cx.tr_with("csv.replace.apply", &[("joints", &numbers[0]), ("colliders", &numbers[1])])
            }
            None => cx.tr_with("windows.import.apply", &[("n", &self.plan.ticked().to_string())]),
        };
        let apply = DialogButton::apply(words, self.is_ready());
        let (map, cancel) = (DialogButton::extra(cx.tr("windows.import.map")), DialogButton::cancel(cx));
        match () {
            () if self.replacement.is_some() => vec![apply, cancel],
            () if self.is_foreign() => vec![map.primary(true), cancel, apply.primary(false)],
            () if self.plan.rows_of(Section::Joints).next().is_none() => vec![apply, cancel],
            () => vec![apply, cancel, map],
        }
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        self.names.as_ref().map_or_else(|| self.about(cx), |names| names.foot_note(cx))
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        if let Some(names) = &mut self.names {
            names.overlay_ui(ctx, cx, out);
        }
        self.follow_names(cx);
    }

    fn stay(&mut self, cx: &mut Cx<'_>) {
        if self.names.is_none() {
            self.guide(cx);
        }
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        if let Some((edit, label)) = self.edit(cx.session()) {
            cx.command(Command::Apply(edit, label));
        }
        self.remember_mirror(cx);
        DialogResult::Closed
    }

    /// Opens the window that maps names; there, confirms all rows that wait for it.
    fn extra(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        if let Some(names) = &mut self.names {
            let result = names.extra(cx);
            self.follow_names(cx);
            return result;
        }
        let session = cx.session();
        let names = mappable_names(&self.file, &session.character().skeleton);
        self.names = Some(Names::new(names, session));
        self.replan(session);
        DialogResult::Open
    }

    /// Goes back from the window that maps names to the rows.
    fn close(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(names) = &mut self.names else { return DialogResult::Closed };
        if names.close(cx) == DialogResult::Closed {
            self.names = None;
            self.replan(cx.session());
        }
        DialogResult::Open
    }

    fn escape(&mut self) {
        if let Some(names) = &mut self.names {
            names.escape();
        }
    }
}
