//! Import CSV: every row of a table, what it would change here, and one button that changes it.
//!
//! The window that maps names belongs to it: it leads rows to other bones, and its button applies the same plan.

mod rows;

use super::names::{Names, NamesDeed};
use super::seen::Seen;
use super::{Stays, grid, place};
use crate::doc::import::{Counts, ImportPlan, RowState};
use crate::doc::remap::Rules;
use crate::doc::table::Source;
use crate::doc::{Axis, BoneTable, Edit, Label};
use crate::report::Diagnostic;
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::Cx;
use crate::ui::icons;
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, size};
use crate::ui::widgets::button::{primary, secondary};
use crate::ui::widgets::frame::{self, Tone};
use crate::ui::widgets::meter::count_card;
use crate::ui::widgets::{paint, toggle};
use egui::{Align, Context, Layout, Ui, UiBuilder, vec2};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that a card shows alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Matching,
    NoBone,
    Bad,
    NotInFile,
}

/// A table on its way into the document.
#[derive(Debug)]
pub(super) struct Import {
    file: String,
    plan: ImportPlan,
    seen: Seen,
    /// Rows whose tick the artist took away.
    left_out: BTreeSet<usize>,
    show: Option<Show>,
    /// The window that maps names, where it is open.
    names: Option<Names>,
    /// What is under the pointer here, so that it is let go of when the pointer leaves.
    hovered: Option<BoneId>,
}

/// A button of the footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Apply,
    Cancel,
    MapNames,
    Mirror(Axis),
}

impl Import {
    pub(super) fn new(file: &str, table: BoneTable, diagnostics: Vec<Diagnostic>, session: &Session) -> Self {
        let character = session.character();
        let mirror = Axis::usual(character.facing);
        let nothing = BTreeMap::new();
        let plan = ImportPlan::new(table, diagnostics, session.document(), &character.skeleton, mirror, &nothing);
        Self {
            file: file.to_owned(),
            plan,
            seen: Seen::of(session),
            left_out: BTreeSet::new(),
            show: None,
            names: None,
            hovered: None,
        }
    }

    pub(super) fn take_rules(&mut self, rules: Rules, session: &Session) {
        if let Some(names) = &mut self.names {
            names.take_rules(rules, session);
            self.replan(session, self.plan.mirror());
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
        let note = cx.tr("windows.import.hint").into_owned();
        cx.state.hint = vec![(String::new(), note)];
        if self.names.is_some() { self.show_names(ctx, cx) } else { self.show_rows(ctx, cx) }
    }

    /// Compares again after the document or the character has changed behind the window.
    fn catch_up(&mut self, session: &Session) {
        if !self.seen.same_character(session)
            && let Some(names) = &mut self.names
        {
            names.retarget(session);
        }
        self.replan(session, self.plan.mirror());
        self.seen = Seen::of(session);
    }

    fn replan(&mut self, session: &Session, mirror: Axis) {
        let mapping = self.names.as_ref().map(Names::mapping).unwrap_or_default();
        let (table, diagnostics) = (self.plan.table().clone(), self.plan.diagnostics().to_vec());
        let skeleton = &session.character().skeleton;
        self.plan = ImportPlan::new(table, diagnostics, session.document(), skeleton, mirror, &mapping);
        for row in &self.left_out {
            self.plan.set_tick(*row, false);
        }
        if let Some(names) = &self.names {
            for row in names.left_out() {
                self.plan.set_tick(row, false);
            }
        }
    }

    /// The edit of the ticked rows; `None` where all is as the file says already.
    fn edit(&self, session: &Session) -> Option<(Edit, Label)> {
        let edit = self.plan.edit(session.document(), &session.character().skeleton);
        let nothing = matches!(&edit, Edit::Batch(edits) if edits.is_empty());
        (!nothing).then(|| (edit, Label::new("import", self.plan.counts().ticked).name(self.file.clone())))
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> Stays {
        if self.plan.counts().ticked == 0 {
            return Stays::Open;
        }
        if let Some((edit, label)) = self.edit(cx.session()) {
            cx.command(Command::Apply(edit, label));
        }
        self.hover(cx, None);
        Stays::Closed
    }

    /// Lights the bone of the row under the pointer, and lets go of it when the pointer leaves.
    fn hover(&mut self, cx: &mut Cx<'_>, bone: Option<BoneId>) {
        if bone.is_some() || self.hovered.is_some() {
            cx.command(Command::Hover(bone));
        }
        self.hovered = bone;
    }

    fn show_names(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let Some(names) = &mut self.names else { return (String::new(), Stays::Open) };
        let will = self.plan.counts().ticked;
        let shown = names.show(ctx, cx, &self.file, will);
        self.hover(cx, shown.hovered);
        if shown.changed {
            self.replan(cx.session(), self.plan.mirror());
        }
        let stays = match shown.deed {
            Some(NamesDeed::Apply) => self.apply(cx),
            Some(NamesDeed::Cancel) => {
                self.names = None;
                self.replan(cx.session(), self.plan.mirror());
                Stays::Open
            }
            None => Stays::Open,
        };
        (shown.title, stays)
    }

    fn show_rows(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let title = cx.tr("windows.import.title").into_owned();
        let at = place(ctx, 0.457, [600.0, 660.0], 664.0);
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
            Some(Deed::Apply) => self.apply(cx),
            Some(Deed::Cancel) => {
                self.hover(cx, None);
                Stays::Closed
            }
            Some(Deed::MapNames) => {
                let names = self.plan.rows().iter().map(|r| r.name.clone());
                self.names = Some(Names::new(names.collect(), cx.session()));
                self.replan(cx.session(), self.plan.mirror());
                Stays::Open
            }
            Some(Deed::Mirror(axis)) => {
                self.replan(cx.session(), axis);
                Stays::Open
            }
            None => Stays::Open,
        };
        (title, stays)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, hovered: &mut Option<BoneId>) -> Option<Deed> {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let counts = self.plan.counts();
        self.cards_ui(ui, cx, counts);
        self.warning_ui(ui, cx);
        let below = 76.0;
        let height = ui.available_height() - below;
        self.table_ui(ui, cx, height, hovered);
        self.mirror_ui(ui, cx)
    }

    fn cards_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, counts: Counts) {
        let c = cx.theme.color;
        let cards = [
            (Show::Matching, icons::CHECK_CIRCLE, c.ok, counts.matching, "match"),
            (Show::NoBone, icons::WARNING, c.warning, counts.no_bone, "no_bone"),
            (Show::Bad, icons::X_CIRCLE, c.error, counts.bad, "bad"),
            (Show::NotInFile, icons::MINUS_CIRCLE, c.text_2, counts.not_in_file, "kept"),
        ];
        ui.add_space(SPACE[4]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            ui.spacing_mut().item_spacing.x = SPACE[3];
            let room = ui.available_width() - SPACE[5] - 3.0 * SPACE[3];
            let words: Vec<_> = cards.iter().map(|card| cx.tr(&format!("windows.import.card.{}", card.4))).collect();
            let needed: Vec<f32> = words.iter().map(|w| paint::width_of(ui, w, Text::Small) + 24.0).collect();
            let spare = (room - needed.iter().sum::<f32>()) / 4.0;
            for (((show, icon, color, count, _), words), width) in cards.into_iter().zip(&words).zip(needed) {
                let on = self.show == Some(show);
                if count_card(ui, icon, color, count, words, on, Some((width + spare).floor())).clicked() {
                    self.show = if on { None } else { Some(show) };
                }
            }
        });
        ui.add_space(SPACE[3]);
    }

    /// What was found on reading that no row of the table tells.
    fn warning_ui(&self, ui: &mut Ui, cx: &Cx<'_>) {
        let lines: BTreeSet<u64> = self.plan.rows().iter().map(|r| r.line).collect();
        let told = |d: &&Diagnostic| d.place.line.is_none_or(|line| !lines.contains(&line));
        let mut found = self.plan.diagnostics().iter().filter(told);
        let Some(first) = found.next() else { return };
        let sentence = match found.count() {
            0 => first.message.clone(),
            more => cx.tr_with("windows.import.more", &[("first", &first.message), ("n", &more.to_string())]),
        };
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            let room = vec2(ui.available_width() - SPACE[5], 28.0);
            ui.allocate_ui(room, |ui| frame::message_strip(ui, Tone::Warning, &sentence, None));
        });
        ui.add_space(SPACE[2]);
    }

    /// Which axis changes sign, in words that a look at the character answers.
    fn mirror_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Deed> {
        let c = cx.theme.color;
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), c.border);
        let inner = rect.shrink2(vec2(SPACE[5], SPACE[3]));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
        let usual = Axis::usual(cx.session().character().facing);
        let kind = &cx.session().character().kind;
        let (question, answer) = (cx.tr("windows.mirror.question"), self.mirror_note(cx));
        let axis = if usual == Axis::X { "X" } else { "Z" };
        let usually = cx.tr_with("windows.mirror.usual", &[("axis", axis), ("kind", kind)]);
        let usually =
            if kind.is_empty() { cx.tr_with("windows.mirror.usual_here", &[("axis", axis)]) } else { usually };
        let words =
            [(&*question, Text::Strong, c.text), ("  ", Text::Small, c.text_3), (&*usually, Text::Small, c.text_3)];
        let line = paint::line_of(&ui, &words, inner.width());
        let (place, _) = ui.allocate_exact_size(vec2(inner.width(), 22.0), egui::Sense::hover());
        paint::galley_left(ui.painter(), place.left_center(), line);
        ui.add_space(SPACE[1]);
        ui.horizontal(|ui| {
            let names = [cx.tr("windows.mirror.x"), cx.tr("windows.mirror.z")];
            let chosen = usize::from(self.plan.mirror() == Axis::Z);
            let picked = toggle::segmented(ui, &[(&names[0], None), (&names[1], None)], chosen, size::HIT_MIN);
            ui.add_space(SPACE[4]);
            let left = ui.available_width();
            let note = paint::elided(ui, &answer, Text::Small, c.text_2, left);
            let (place, _) = ui.allocate_exact_size(vec2(left, size::HIT_MIN), egui::Sense::hover());
            paint::galley_left(ui.painter(), place.left_center(), note);
            picked.map(|i| Deed::Mirror(if i == 1 { Axis::Z } else { Axis::X }))
        })
        .inner
    }

    /// What the chosen mirror does to this table.
    fn mirror_note(&self, cx: &Cx<'_>) -> String {
        use crate::sim::solver::spring_bone::SPRING_FORCE;
        let bones = || self.plan.table().bones.iter().filter_map(|r| r.cells.as_ref().ok());
        let pivots = self.plan.table().pivots.len();
        if pivots == 0
            && !bones().any(|c| [Axis::X, Axis::Z].iter().any(|a| c.values.get(SPRING_FORCE[a.index()]) != 0.0))
        {
            return cx.tr("windows.mirror.no_matter").into_owned();
        }
        let row = SPRING_FORCE[self.plan.mirror().index()];
        let forces = bones().filter(|c| c.values.get(row) != 0.0).count().to_string();
        let pivots = pivots.to_string();
        let key = if self.plan.mirror() == Axis::X { "windows.mirror.note_x" } else { "windows.mirror.note_z" };
        cx.tr_with(key, &[("forces", &forces), ("pivots", &pivots)])
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Deed> {
        ui.spacing_mut().item_spacing.x = SPACE[3];
        let ticked = self.plan.counts().ticked;
        let words = match ticked {
            1 => cx.tr("windows.import.apply_one").into_owned(),
            n => cx.tr_with("windows.import.apply", &[("n", &n.to_string())]),
        };
        let mut deed = None;
        if primary(&words).enabled(ticked > 0).show(ui).on_hover_text("Ctrl+Enter").clicked() {
            deed = Some(Deed::Apply);
        }
        if secondary(&cx.tr("common.cancel")).show(ui).on_hover_text("Esc").clicked() {
            deed = Some(Deed::Cancel);
        }
        if secondary(&cx.tr("windows.import.map")).show(ui).clicked() {
            deed = Some(Deed::MapNames);
        }
        grid::foot_note(ui, &self.about(cx));
        deed
    }

    /// Version, encoding and size of the file.
    fn about(&self, cx: &Cx<'_>) -> String {
        let Source { encoding, .. } = &self.plan.table().source;
        let rows = self.plan.rows().len().to_string();
        let version = self.plan.table().version.map_or_else(|| "–".to_owned(), |v| v.to_string());
        let values = [("version", version.as_str()), ("encoding", *encoding), ("n", rows.as_str())];
        cx.tr_with("windows.import.about", &values)
    }

    /// Rows that the card which is on shows; those of the document for [`Show::NotInFile`].
    fn shown_rows(&self) -> Vec<usize> {
        let fits = |state: &RowState| match self.show {
            None => true,
            Some(Show::Matching) => state.is_usable(),
            Some(Show::NoBone) => !state.is_usable() && !matches!(state, RowState::BadCells(_)),
            Some(Show::Bad) => matches!(state, RowState::BadCells(_)),
            Some(Show::NotInFile) => false,
        };
        let rows = self.plan.rows().iter().enumerate();
        rows.filter(|(_, row)| fits(&row.state)).map(|(at, _)| at).collect()
    }
}
