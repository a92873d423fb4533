//! Map names: which bone each row of a table leads to, by rules in order, with a measure of how sure that is.

mod rows;
mod rules;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left};
use super::table;
use super::table::{Choice, Picker};
use crate::exchange::{remap, remap::Entry, remap::Leads, remap::Plan, remap::Rules, remap::SourceName};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::Cx;
use crate::ui::kit::paint;
use crate::ui::kit::tokens::space;
use egui::{Align, Context, Key, Layout, Modifiers, Rect, Ui, UiBuilder, pos2};
use std::collections::BTreeMap;

/// Which rows are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Show {
    #[default]
    All,
    ToConfirm,
    NoMatch,
    Matched,
}

impl Show {
    const EACH: [Self; 4] = [Self::All, Self::ToConfirm, Self::NoMatch, Self::Matched];

    fn fits(self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::ToConfirm => entry.target.is_some() && !entry.taken,
            Self::NoMatch => entry.target.is_none(),
            Self::Matched => entry.taken,
        }
    }
}

/// Rules, the plan they make, and what the artist decided by hand.
#[derive(Debug)]
pub(super) struct Names {
    source: Vec<SourceName>,
    rules: Rules,
    plan: Plan,
    /// Targets chosen by hand, by row.
    chosen: BTreeMap<usize, Option<BoneId>>,
    /// Ticks set by hand, by row.
    ticks: BTreeMap<usize, bool>,
    show: Show,
    search: String,
    /// The row that is explained below the table.
    current: Option<usize>,
    picker: Option<Picker>,
    /// The row that waits for a bone to be clicked in the view.
    aiming: Option<usize>,
    /// The rule that is being dragged, where it is now.
    dragged: Option<usize>,
    /// The rule whose words are being edited.
    edited: Option<usize>,
    /// Scrolling: from where, and how much can be seen.
    seen: (f32, f32),
    scroll_to: Option<f32>,
    hovered: Option<BoneId>,
    changed: bool,
    /// The names are those of bones that are gone, not of a file.
    lost: bool,
    /// What the names are of.
    file: String,
    /// How many rows would be applied.
    will: usize,
}

impl Names {
    pub(super) fn new(names: Vec<String>, session: &Session) -> Self {
        let skeleton = &session.character().skeleton;
        let theirs = skeleton.ids().map(|b| skeleton.name(b));
        let rules = Rules::suggested(names.iter().map(String::as_str), theirs);
        let mut all = Self {
            source: names.into_iter().map(SourceName::new).collect(),
            rules,
            plan: Plan::default(),
            chosen: BTreeMap::new(),
            ticks: BTreeMap::new(),
            show: Show::All,
            search: String::new(),
            current: None,
            picker: None,
            aiming: None,
            dragged: None,
            edited: None,
            seen: (0.0, 0.0),
            scroll_to: None,
            hovered: None,
            changed: false,
            lost: false,
            file: String::new(),
            will: 0,
        };
        all.replan(session);
        let doubtful = all.plan.entries.iter().position(|e| Show::ToConfirm.fits(e));
        all.current = doubtful.or_else(|| all.plan.entries.iter().position(|e| e.target.is_none())).or(Some(0));
        all
    }

    /// For bones that a newer version of the character lacks.
    pub(super) fn for_lost(names: Vec<String>, session: &Session) -> Self {
        Self { lost: true, ..Self::new(names, session) }
    }

    /// Where every name leads; those that are not taken lead nowhere, though a bone may have just their name.
    pub(super) fn leads(&self) -> Leads {
        self.plan.leads()
    }

    /// Where each row leads, if it is taken.
    pub(super) fn targets(&self) -> impl Iterator<Item = Option<BoneId>> + '_ {
        self.plan.entries.iter().map(|entry| entry.target.filter(|_| entry.taken))
    }

    pub(super) fn take_rules(&mut self, rules: Rules, session: &Session) {
        self.rules = rules;
        self.edited = None;
        self.replan(session);
    }

    /// Another character is here: what was chosen by hand among its bones means nothing any more.
    pub(super) fn retarget(&mut self, session: &Session) {
        self.chosen.clear();
        self.ticks.clear();
        self.picker = None;
        self.aiming = None;
        self.replan(session);
    }

    fn replan(&mut self, session: &Session) {
        let character = session.character();
        self.plan = remap::plan(&self.source, &character.skeleton, &character.humanoid, &self.rules);
        for (row, target) in &self.chosen {
            self.plan.choose(*row, *target);
        }
        for (row, taken) in &self.ticks {
            self.plan.take(*row, *taken);
        }
    }

    fn choose(&mut self, row: usize, target: Option<BoneId>) {
        self.chosen.insert(row, target);
        self.ticks.remove(&row);
        self.plan.choose(row, target);
        self.picker = None;
        self.aiming = None;
        self.changed = true;
    }

    fn take(&mut self, row: usize, taken: bool) {
        self.ticks.insert(row, taken);
        self.plan.take(row, taken);
        self.changed = true;
    }

    /// For the next frame: the file that the names are of, and how many rows would be applied.
    pub(super) fn prepare(&mut self, file: String, will: usize) {
        (self.file, self.will) = (file, will);
    }

    /// Whether rows lead elsewhere since the last call.
    pub(super) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// A bone that was clicked in the view or the tree while a row waits for it.
    fn take_aim(&mut self, cx: &mut Cx<'_>) {
        let Some(row) = self.aiming else { return };
        if let Some(bone) = cx.session().selection().active {
            self.choose(row, Some(bone));
        }
        let words = (cx.tr("windows.names.aim_key").into_owned(), cx.tr("windows.names.aim").into_owned());
        cx.state.hint = vec![words, ("Esc".to_owned(), cx.tr("common.cancel").into_owned())];
    }

    /// Lets the next click on a bone choose it for a row.
    fn aim(&mut self, cx: &mut Cx<'_>, row: usize) {
        if self.aiming.take() == Some(row) {
            return;
        }
        // Even a click on the bone that is selected now must be seen.
        cx.command(Command::Deselect);
        self.aiming = Some(row);
        self.picker = None;
    }

    /// Up and down go along the rows, Enter takes one.
    fn keys(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        if self.picker.is_some() || ctx.egui_wants_keyboard_input() || ctx.memory(|m| m.focused().is_some()) {
            return;
        }
        if self.aiming.is_none() {
            let pair = |key: &str, words: &str| (cx.tr(key).into_owned(), cx.tr(words).into_owned());
            cx.state.hint = vec![
                pair("windows.names.key_enter", "windows.names.key_take"),
                pair("windows.names.key_arrows", "windows.names.key_next"),
            ];
        }
        let pressed = |key| ctx.input_mut(|i| i.consume_key(Modifiers::NONE, key));
        let (up, down, enter) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter));
        let shown = self.shown_rows();
        let Some(at) = self.current.and_then(|row| shown.iter().position(|r| *r == row)) else { return };
        if enter {
            let row = shown[at];
            self.take(row, !self.plan.entries[row].taken);
        }
        let next = if up {
            at.checked_sub(1)
        } else if down {
            Some(at + 1)
        } else {
            None
        };
        if let Some(row) = next.and_then(|next| shown.get(next)) {
            self.current = Some(*row);
            let at = next.unwrap_or(0);
            self.scroll_to = table::reveal(at, self.seen.0, self.seen.1);
        }
    }

    /// Rows that the filter and the search leave.
    fn shown_rows(&self) -> Vec<usize> {
        let wanted = crate::document::names::fold(&self.search);
        let fits = |e: &Entry| {
            self.show.fits(e) && (wanted.is_empty() || crate::document::names::fold(&e.source).contains(&wanted))
        };
        self.plan.entries.iter().enumerate().filter(|(_, e)| fits(e)).map(|(row, _)| row).collect()
    }

    fn picker_ui(&mut self, ctx: &Context, cx: &Cx<'_>) {
        let Some(picker) = &mut self.picker else { return };
        let row = picker.row;
        let others = self.plan.entries[row].others.clone();
        let mut taken: BTreeMap<BoneId, &str> = BTreeMap::new();
        for entry in self.plan.entries.iter().filter(|e| e.taken) {
            if let Some(bone) = entry.target {
                taken.insert(bone, &entry.source);
            }
        }
        let out = picker.show(ctx, cx, &others, &taken);
        self.hovered = out.hovered.or(self.hovered);
        if let Some(Choice(target)) = out.choice {
            self.choose(row, target);
        } else if out.closed {
            self.picker = None;
        }
    }
}

impl Dialog for Names {
    fn title_key(&self) -> &'static str {
        "windows.names.title"
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        format!("{} → {}", self.file, cx.session().character().name)
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        at_left(ctx, 0.6, [720.0, 860.0], 568.0)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        self.hovered = None;
        self.take_aim(cx);
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        let rules = self.rules.clone();
        let c = cx.theme.color;
        let all = ui.max_rect();
        let split = all.left() + 196.0;
        ui.painter().vline(split, all.y_range(), egui::Stroke::new(1.0, c.border));
        let left = Rect::from_min_max(all.min, pos2(split, all.bottom())).shrink(space::L);
        let mut side = ui.new_child(UiBuilder::new().max_rect(left).layout(Layout::top_down(Align::Min)));
        self.rules_ui(&mut side, cx);
        let below = all.bottom() - rows::HEIGHT;
        let place = Rect::from_min_max(pos2(split + 1.0, all.top()), pos2(all.right(), below));
        let mut main = ui.new_child(UiBuilder::new().max_rect(place).layout(Layout::top_down(Align::Min)));
        self.table_ui(&mut main, cx);
        paint::hairline(ui.painter(), split, all.right(), below, c.border);
        let place = Rect::from_min_max(pos2(split + 1.0, below), all.max);
        let mut why = ui.new_child(UiBuilder::new().max_rect(place).layout(Layout::top_down(Align::Min)));
        self.reason_ui(&mut why, cx);
        if self.rules != rules {
            self.replan(cx.session());
            self.changed = true;
        }
        out.hovered = self.hovered;
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let counted = |key: &str, n: usize| cx.tr_with(key, &[("n", &n.to_string())]);
        let confirm = self.plan.counts().to_confirm;
        let apply = DialogButton::apply(counted("windows.names.apply", self.will), self.will > 0);
        let extra = (confirm > 0).then(|| DialogButton::extra(counted("windows.names.confirm", confirm)));
        [Some(apply), extra, Some(DialogButton::cancel(cx))].into_iter().flatten().collect()
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        if let Some(long) = self.plan.too_long.first() {
            let (rule, n) = ((long.rule + 1).to_string(), remap::LONGEST_NAME.to_string());
            return cx.tr_with("windows.names.too_long", &[("rule", &rule), ("n", &n)]);
        }
        let counts = self.plan.counts();
        let counted = |key: &str, n: usize| cx.tr_with(key, &[("n", &n.to_string())]);
        match counts.all - counts.taken {
            0 => cx.tr("windows.names.all_found").into_owned(),
            n if self.lost => counted("windows.lost.stay", n),
            n => counted("windows.names.stay", n),
        }
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        self.keys(ctx, cx);
        self.picker_ui(ctx, cx);
        out.hovered = self.hovered;
    }

    /// Takes all rows that wait to be confirmed.
    fn extra(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        let open = |(_, e): &(usize, &Entry)| Show::ToConfirm.fits(e);
        let rows: Vec<usize> = self.plan.entries.iter().enumerate().filter(open).map(|(row, _)| row).collect();
        for row in rows {
            self.take(row, true);
        }
        DialogResult::Open
    }

    /// Esc first ends the wait for a click in the view.
    fn close(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        if self.aiming.take().is_some() { DialogResult::Open } else { DialogResult::Closed }
    }

    fn escape(&mut self) {
        self.picker = None;
    }
}
