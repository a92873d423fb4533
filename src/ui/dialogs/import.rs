//! Import CSV: every row of a table, what it would change here, and one button that changes it.
//!
//! There are two ways: rows are merged into what is there, or the file takes its place as in the original's window.
//! The window that maps names belongs to the first: it leads rows to other bones, and its button applies the same
//! plan.

mod ghosts;
mod head;
mod reason;
mod replace;
mod rows;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left};
use super::names::Names;
use crate::doc::import::{
    Ghost, ImportPlan, ReplaceOptions, ReplacePlan, RowState, SetupPlan, Skin, Wanted, renderer_names, spoken,
};
use crate::doc::remap::Rules;
use crate::doc::table::{Section, has_pivots};
use crate::doc::{Axis, BoneTable, Document, Edit, Label, difference};
use crate::report::Diagnostic;
use crate::session::{Command, Session};
use crate::ui::{Cx, Request};
use egui::{Context, Rect, Ui};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that a card shows alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Matching,
    NoBone,
    Bad,
    NotInFile,
}

/// What is done with a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    /// Rows are merged into what is there.
    #[default]
    Merge,
    /// What is there goes first, as in the original.
    Replace,
}

/// A table on its way into the document.
#[derive(Debug)]
pub(super) struct Import {
    file: String,
    /// What was found when the file was read.
    found: Vec<Diagnostic>,
    /// All tables of the file.
    setup: SetupPlan,
    /// Which of them is shown.
    at: usize,
    way: Way,
    /// The other way; worked out while it is chosen.
    replace: Option<Box<ReplacePlan>>,
    wanted: Wanted,
    /// Whether a replacement takes the comment rows too.
    extras: bool,
    seen: Seen,
    /// Rows whose tick the artist took away.
    left_out: BTreeSet<(usize, Section, usize)>,
    /// The section whose rows are shown.
    section: Section,
    show: Option<Show>,
    /// The window that maps names, where it is open.
    names: Option<Names>,
    skin: Skin,
    /// Under mirror X and Z.
    ghosts: [Ghost; 2],
    /// Whether the mirror was proposed or chosen already.
    settled: bool,
}

/// What the artist chose above and below the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Mirror(Axis),
    Way(Way),
    Wanted(Wanted),
    Extras(bool),
    Table(usize),
    ReadAs(&'static str),
}

impl Import {
    pub(super) fn new(file: &str, tables: Vec<BoneTable>, found: Vec<Diagnostic>, session: &Session) -> Self {
        let character = session.character();
        let mirror = Axis::usual(character.facing);
        let nothing = BTreeMap::new();
        let setup = SetupPlan::new(tables, &found, session.document(), character, mirror, &nothing);
        let mut import = Self {
            file: file.to_owned(),
            found,
            setup,
            at: 0,
            way: Way::default(),
            replace: None,
            wanted: Wanted::default(),
            extras: true,
            seen: Seen::of(session),
            left_out: BTreeSet::new(),
            section: Section::Bones,
            show: None,
            names: None,
            skin: Skin::of(character),
            ghosts: [Ghost::default(), Ghost::default()],
            settled: false,
        };
        import.turn_to(0);
        import.haunt(session);
        import
    }

    /// The table that is shown.
    fn plan(&self) -> &ImportPlan {
        &self.setup.plans()[self.at]
    }

    /// Shows a table, from its first section that has rows.
    fn turn_to(&mut self, at: usize) {
        self.at = at.min(self.setup.plans().len().saturating_sub(1));
        let filled = |section: &Section| !self.plan().rows_of(*section).is_empty();
        self.section = Section::ALL.into_iter().find(filled).unwrap_or(Section::Bones);
        self.show = None;
    }

    /// Uses a row of the table that is shown, or leaves it out.
    fn tick(&mut self, row: usize, on: bool) {
        let (at, section) = (self.at, self.section);
        self.setup.plans_mut()[at].set_tick_of(section, row, on);
        if on {
            self.left_out.remove(&(at, section, row));
        } else {
            self.left_out.insert((at, section, row));
        }
    }

    /// The same file is offered again: what was chosen about it holds on.
    pub(super) fn go_on_from(&mut self, before: &Self, session: &Session) {
        if before.file != self.file {
            return;
        }
        (self.way, self.wanted, self.extras) = (before.way, before.wanted, before.extras);
        self.settled = before.settled;
        let mirror = if before.settled { before.plan().mirror() } else { self.plan().mirror() };
        self.turn_to(before.at);
        self.replan(session, mirror);
    }

    pub(super) fn take_rules(&mut self, rules: Rules, session: &Session) {
        if let Some(names) = &mut self.names {
            names.take_rules(rules, session);
            self.replan(session, self.plan().mirror());
        }
    }

    /// Compares again after the document or the character has changed behind the window.
    fn catch_up(&mut self, session: &Session) {
        if !self.seen.same_character(session) {
            self.skin = Skin::of(session.character());
            self.settled = false;
            if let Some(names) = &mut self.names {
                names.retarget(session);
            }
        }
        self.replan(session, self.plan().mirror());
        self.seen = Seen::of(session);
    }

    fn replan(&mut self, session: &Session, mirror: Axis) {
        let leads = self.names.as_ref().map(Names::leads).unwrap_or_default();
        let tables = self.tables();
        let character = session.character();
        self.setup = SetupPlan::new(tables, &self.found, session.document(), character, mirror, &leads);
        let options =
            ReplaceOptions { mirror, wanted: self.wanted, renderers: renderer_names(character), extras: self.extras };
        self.replace = (self.way == Way::Replace && self.can_replace())
            .then(|| Box::new(self.setup.replacement(&self.found, &character.skeleton, options)));
        let plans = self.setup.plans_mut();
        for (at, section, row) in &self.left_out {
            if let Some(plan) = plans.get_mut(*at) {
                plan.set_tick_of(*section, *row, false);
            }
        }
        self.haunt(session);
    }

    fn tables(&self) -> Vec<BoneTable> {
        self.setup.plans().iter().map(|plan| plan.table().clone()).collect()
    }

    /// Whether the file can take the place of what is there: it is Unity's window that takes everything down first, so
    /// that a file of one system must be for it; of several each is taken down as that window does it.
    fn can_replace(&self) -> bool {
        self.setup.plans().len() > 1 || has_pivots(self.plan().table().solver)
    }

    /// What the tables are laid over: the document, with chains under the systems that they go to.
    fn whole<'a>(&'a self, session: &'a Session) -> &'a Document {
        self.setup.moved().map_or(session.document(), |conversion| &conversion.after)
    }

    /// What the table that is shown is laid over.
    fn document(&self) -> Cow<'_, Document> {
        self.setup.under(self.at)
    }

    /// Ticked rows of all sections of all tables.
    fn ticked(&self) -> usize {
        let of = |plan: &ImportPlan| Section::ALL.into_iter().map(|s| plan.counts_of(s).ticked).sum::<usize>();
        self.setup.plans().iter().map(of).sum()
    }

    /// The edit of the ticked rows, or of the whole replacement; `None` where all is as the file says already.
    fn edit(&self, session: &Session) -> Option<(Edit, Label)> {
        let skeleton = &session.character().skeleton;
        let (edit, label) = match &self.replace {
            Some(plan) => {
                let (counts, after) = (plan.counts(), plan.after(self.whole(session), skeleton));
                let label = Label::new("rebuild", counts.joints + counts.colliders);
                (difference(session.document(), &after), label)
            }
            None => (self.setup.edit(session.document(), skeleton), Label::new("import", self.ticked())),
        };
        let nothing = matches!(&edit, Edit::Batch(edits) if edits.is_empty());
        (!nothing).then(|| (edit, label.name(self.file.clone())))
    }

    /// Whether there is anything to apply.
    fn is_ready(&self) -> bool {
        if self.replace.is_some() { self.wanted.bones || self.wanted.colliders } else { self.ticked() > 0 }
    }

    /// Keeps the mirror for the next table of this character.
    fn remember(&self, cx: &mut Cx<'_>) {
        let character = cx.session().character().name.clone();
        cx.state.prefs.remember_mirror(&character, self.plan().mirror());
    }

    fn follow(&mut self, choice: Choice, cx: &mut Cx<'_>) {
        let mut mirror = self.plan().mirror();
        match choice {
            Choice::ReadAs(encoding) => {
                cx.request(Request::ReadTableAs(encoding));
                return;
            }
            Choice::Mirror(axis) => mirror = axis,
            Choice::Way(way) => self.way = way,
            Choice::Wanted(wanted) => self.wanted = wanted,
            Choice::Extras(extras) => self.extras = extras,
            Choice::Table(at) => self.turn_to(at),
        }
        self.replan(cx.session(), mirror);
        if matches!(choice, Choice::Mirror(_)) {
            self.remember(cx);
        }
    }

    /// Plans again where the window that maps names leads rows elsewhere.
    fn follow_names(&mut self, cx: &Cx<'_>) {
        if self.names.as_mut().is_some_and(Names::take_change) {
            self.replan(cx.session(), self.plan().mirror());
        }
    }

    /// Whether the file names another character's bones: fewer of its bones are here than not.
    fn is_foreign(&self) -> bool {
        let counts: Vec<_> = self.setup.plans().iter().map(|plan| plan.counts_of(Section::Bones)).collect();
        let found: usize = counts.iter().map(|count| count.matching).sum();
        counts.iter().map(|count| count.no_bone).sum::<usize>() > found
    }

    /// Version and size of the file.
    fn about(&self, cx: &Cx<'_>) -> String {
        let of = |plan: &ImportPlan| Section::ALL.into_iter().map(|s| plan.rows_of(s).len()).sum::<usize>();
        let rows: usize = self.setup.plans().iter().map(of).sum();
        let version = self.plan().table().version.map_or_else(|| "–".to_owned(), |v| v.to_string());
        cx.tr_with("csv.about", &[("version", version.as_str()), ("n", &rows.to_string())])
    }

    /// Rows of the section that the card which is on shows; those of the document for [`Show::NotInFile`].
    fn shown_rows(&self) -> Vec<usize> {
        let fits = |state: &RowState| match self.show {
            None => true,
            Some(Show::Matching) => state.is_usable(),
            Some(Show::NoBone) => !state.is_usable() && !matches!(state, RowState::BadCells(_)),
            Some(Show::Bad) => matches!(state, RowState::BadCells(_)),
            Some(Show::NotInFile) => false,
        };
        let rows = self.plan().rows_of(self.section).iter().enumerate();
        rows.filter(|(_, row)| fits(&row.state)).map(|(at, _)| at).collect()
    }
}

impl Dialog for Import {
    fn title_key(&self) -> &'static str {
        self.names.as_ref().map_or("windows.import.title", Names::title_key)
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        self.names.as_ref().map_or_else(|| self.file.clone(), |names| names.note(cx))
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
        if !self.settled {
            self.settled = true;
            let mirror = self.proposed_mirror(cx);
            self.replan(cx.session(), mirror);
        }
        cx.state.hint = vec![(String::new(), cx.tr("windows.import.hint").into_owned())];
        let will = self.ticked();
        if let Some(names) = &mut self.names {
            names.prepare(self.file.clone(), will);
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
        let mut choice = self.way_ui(ui, cx);
        if self.replace.is_some() {
            choice = choice.or(self.replace_ui(ui, cx, ghosts::BAR));
        } else {
            self.sections_ui(ui, cx);
            self.cards_ui(ui, cx);
            self.warning_ui(ui, cx);
            let height = ui.available_height() - ghosts::BAR;
            self.table_ui(ui, cx, height, out);
        }
        if let Some(choice) = choice.or(self.mirror_ui(ui, cx)) {
            self.follow(choice, cx);
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        if let Some(names) = &self.names {
            return names.buttons(cx);
        }
        let words = match &self.replace {
            Some(plan) => {
                let counts = plan.counts();
                let numbers = [counts.joints, counts.colliders].map(|n| n.to_string());
                cx.tr_with("csv.replace.apply", &[("joints", &numbers[0]), ("colliders", &numbers[1])])
            }
            None => cx.tr_with("windows.import.apply", &[("n", &self.ticked().to_string())]),
        };
        let apply = DialogButton::apply(words, self.is_ready());
        let (map, cancel) = (DialogButton::extra(cx.tr("windows.import.map")), DialogButton::cancel(cx));
        match () {
            () if self.replace.is_some() => vec![apply, cancel],
            () if self.is_foreign() => vec![map.primary(true), cancel, apply.primary(false)],
            () if self.setup.plans().iter().all(|plan| plan.rows().is_empty()) => vec![apply, cancel],
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
        self.remember(cx);
        DialogResult::Closed
    }

    /// Maps names; there, takes all rows that wait to be confirmed.
    fn extra(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        if let Some(names) = &mut self.names {
            let result = names.extra(cx);
            self.follow_names(cx);
            return result;
        }
        let session = cx.session();
        let names = spoken(&self.tables(), &session.character().skeleton);
        self.names = Some(Names::new(names, session));
        self.replan(session, self.plan().mirror());
        DialogResult::Open
    }

    /// From the window that maps names back to the rows.
    fn close(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(names) = &mut self.names else { return DialogResult::Closed };
        if names.close(cx) == DialogResult::Closed {
            self.names = None;
            self.replan(cx.session(), self.plan().mirror());
        }
        DialogResult::Open
    }

    fn escape(&mut self) {
        if let Some(names) = &mut self.names {
            names.escape();
        }
    }
}
