//! Import CSV: every row of a table, what it would change here, and one button that changes it.
//!
//! There are two ways: rows are merged into what is there, or the file takes its place as in the original's window.
//! The window that maps names belongs to the first: it leads rows to other bones, and its button applies the same
//! plan.

mod findings;
mod ghosts;
mod head;
mod reason;
mod replace;
mod rows;
mod what;

use super::names::{Names, NamesDeed};
use super::seen::Seen;
use super::{Stays, grid, place};
use crate::doc::import::{
    Ghost, ImportPlan, ReplaceOptions, ReplacePlan, RowState, SetupPlan, Skin, Wanted, renderer_names, spoken,
};
use crate::doc::remap::Rules;
use crate::doc::table::{Section, has_pivots};
use crate::doc::{Axis, BoneTable, Document, Edit, Label, difference};
use crate::report::Diagnostic;
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::tokens::SPACE;
use crate::ui::{Cx, Request};
use egui::{Context, Ui};
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
    /// What is under the pointer here, so that it is let go of when the pointer leaves.
    hovered: Option<BoneId>,
    skin: Skin,
    /// Under mirror X and Z.
    ghosts: [Ghost; 2],
    /// Whether the mirror was proposed or chosen already.
    settled: bool,
}

/// What the artist did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Apply,
    Cancel,
    MapNames,
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
            hovered: None,
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

    /// Esc was pressed in a text field.
    pub(super) fn escape(&mut self) {
        if let Some(names) = &mut self.names {
            names.escape();
        }
    }

    /// Draws it, or the window that maps names in its place; the title of what was drawn.
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        if !self.seen.is_current(cx.session()) {
            self.catch_up(cx.session());
        }
        if !self.settled {
            self.settled = true;
            let mirror = self.proposed_mirror(cx);
            self.replan(cx.session(), mirror);
        }
        let note = cx.tr("windows.import.hint").into_owned();
        cx.state.hint = vec![(String::new(), note)];
        if self.names.is_some() {
            return self.show_names(ctx, cx);
        }
        self.guide(cx);
        self.show_rows(ctx, cx)
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

    fn apply(&mut self, cx: &mut Cx<'_>) -> Stays {
        if !self.is_ready() {
            return Stays::Open;
        }
        if let Some((edit, label)) = self.edit(cx.session()) {
            cx.command(Command::Apply(edit, label));
        }
        self.remember(cx);
        self.hover(cx, None);
        Stays::Closed
    }

    /// Keeps the mirror for the next table of this character.
    fn remember(&self, cx: &mut Cx<'_>) {
        let character = cx.session().character().name.clone();
        cx.state.prefs.remember_mirror(&character, self.plan().mirror());
    }

    /// Lights the bone of the row under the pointer, and lets go of it when the pointer leaves.
    fn hover(&mut self, cx: &mut Cx<'_>, bone: Option<BoneId>) {
        if bone.is_some() || self.hovered.is_some() {
            cx.command(Command::Hover(bone));
        }
        self.hovered = bone;
    }

    fn show_names(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let will = self.ticked();
        let Some(names) = &mut self.names else { return (String::new(), Stays::Open) };
        let shown = names.show(ctx, cx, &self.file, will);
        self.hover(cx, shown.hovered);
        if shown.changed {
            self.replan(cx.session(), self.plan().mirror());
        }
        let stays = match shown.deed {
            Some(NamesDeed::Apply) => self.apply(cx),
            Some(NamesDeed::Cancel) => {
                self.names = None;
                self.replan(cx.session(), self.plan().mirror());
                Stays::Open
            }
            None => Stays::Open,
        };
        (shown.title, stays)
    }

    fn show_rows(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let title = cx.tr("windows.import.title").into_owned();
        let at = place(ctx, 0.457, [600.0, 660.0], 700.0);
        let mut hovered = None;
        let mut deed = None;
        let file = self.file.clone();
        let mut both = (&mut *self, cx);
        let out = frame::window(
            ctx,
            &title,
            &file,
            at,
            &mut both,
            |ui, (import, cx)| import.body_ui(ui, cx, &mut hovered),
            |ui, (import, cx)| deed = import.footer_ui(ui, cx),
        );
        let cx = both.1;
        self.hover(cx, hovered);
        let closed = out.closed.then_some(Deed::Cancel).or(out.applied.then_some(Deed::Apply));
        let stays = match deed.or(out.inner).or(closed) {
            Some(deed) => self.follow(deed, cx),
            None => Stays::Open,
        };
        (title, stays)
    }

    fn follow(&mut self, deed: Deed, cx: &mut Cx<'_>) -> Stays {
        let mut mirror = self.plan().mirror();
        match deed {
            Deed::Apply => return self.apply(cx),
            Deed::Cancel => {
                self.hover(cx, None);
                return Stays::Closed;
            }
            Deed::ReadAs(encoding) => {
                cx.request(Request::ReadTableAs(encoding));
                return Stays::Open;
            }
            Deed::MapNames => {
                let session = cx.session();
                let names = spoken(&self.tables(), &session.character().skeleton);
                self.names = Some(Names::new(names, session));
            }
            Deed::Mirror(axis) => mirror = axis,
            Deed::Way(way) => self.way = way,
            Deed::Wanted(wanted) => self.wanted = wanted,
            Deed::Extras(extras) => self.extras = extras,
            Deed::Table(at) => self.turn_to(at),
        }
        self.replan(cx.session(), mirror);
        if matches!(deed, Deed::Mirror(_)) {
            self.remember(cx);
        }
        Stays::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, hovered: &mut Option<BoneId>) -> Option<Deed> {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let mut deed = self.way_ui(ui, cx);
        if self.replace.is_some() {
            deed = deed.or(self.replace_ui(ui, cx, ghosts::BAR));
        } else {
            self.sections_ui(ui, cx);
            self.cards_ui(ui, cx);
            self.warning_ui(ui, cx);
            let height = ui.available_height() - ghosts::BAR;
            self.table_ui(ui, cx, height, hovered);
        }
        deed.or(self.mirror_ui(ui, cx))
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Deed> {
        ui.spacing_mut().item_spacing.x = SPACE[3];
        let words = match &self.replace {
            Some(plan) => {
                let counts = plan.counts();
                let values = [("joints", counts.joints.to_string()), ("colliders", counts.colliders.to_string())];
                cx.tr_with("csv.replace.apply", &values.each_ref().map(|(name, text)| (*name, text.as_str())))
            }
            None => cx.tr_with("windows.import.apply", &[("n", &self.ticked().to_string())]),
        };
        let mut deed = None;
        let map = cx.tr("windows.import.map");
        let is_foreign = self.replace.is_none() && self.is_foreign();
        let apply = if is_foreign { secondary(&words) } else { primary(&words) };
        let apply_ui = |ui: &mut Ui, deed: &mut Option<Deed>| {
            if apply.enabled(self.is_ready()).show(ui).on_hover_text("Ctrl+Enter").clicked() {
                *deed = Some(Deed::Apply);
            }
        };
        if is_foreign {
            if primary(&map).show(ui).clicked() {
                deed = Some(Deed::MapNames);
            }
        } else {
            apply_ui(ui, &mut deed);
        }
        if secondary(&cx.tr("common.cancel")).show(ui).on_hover_text("Esc").clicked() {
            deed = Some(Deed::Cancel);
        }
        if is_foreign {
            apply_ui(ui, &mut deed);
        } else if self.replace.is_none()
            && self.setup.plans().iter().any(|plan| !plan.rows().is_empty())
            && secondary(&map).show(ui).clicked()
        {
            deed = Some(Deed::MapNames);
        }
        grid::foot_note(ui, &self.about(cx));
        deed
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
