//! Map names: which bone each row of a table leads to, by rules in order, with a measure of how sure that is.

mod rows;
mod rules;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left};
use super::table;
use super::table::{BoneChoice, BonePicker};
use crate::exchange::{remap, remap::NameMap, remap::NamedBone, remap::RemapPlan, remap::RemapRow, remap::RemapRules};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::UiContext;
use crate::ui::kit::paint;
use crate::ui::kit::tokens::space;
use egui::{Align, Context, Key, Layout, Modifiers, Rect, Ui, UiBuilder, pos2};
use std::collections::BTreeMap;

/// Which rows are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NameFilter {
    #[default]
    All,
    NeedsConfirmation,
    NoMatch,
    Matched,
}

impl NameFilter {
    const ALL: [Self; 4] = [Self::All, Self::NeedsConfirmation, Self::NoMatch, Self::Matched];

    fn matches(self, entry: &RemapRow) -> bool {
        match self {
            Self::All => true,
            Self::NeedsConfirmation => entry.target.is_some() && !entry.included,
            Self::NoMatch => entry.target.is_none(),
            Self::Matched => entry.included,
        }
    }
}

/// Rules, the plan they make, and what the artist decided by hand.
#[derive(Debug)]
pub(super) struct MapNamesDialog {
    source: Vec<NamedBone>,
    rules: RemapRules,
    plan: RemapPlan,
    /// Targets chosen by hand, by row.
    manual_targets: BTreeMap<usize, Option<BoneId>>,
    /// Ticks set by hand, by row.
    manual_inclusion: BTreeMap<usize, bool>,
    filter: NameFilter,
    search: String,
    /// The row that is explained below the table.
    current_row: Option<usize>,
    picker: Option<BonePicker>,
    /// The row that waits for a bone to be clicked in the view.
    picking_row: Option<usize>,
    /// The rule that is being dragged, where it is now.
    dragged_rule: Option<usize>,
    /// The rule whose words are being edited.
    edited_rule: Option<usize>,
    /// Scrolling: from where, and how much can be seen.
    visible_range: (f32, f32),
    scroll_to: Option<f32>,
    hovered_bone: Option<BoneId>,
    changed: bool,
    /// The names are those of bones that are gone, not of a file.
    for_missing_bones: bool,
    /// What the names are of.
    file_name: String,
    /// How many rows would be applied.
    apply_count: usize,
}

impl MapNamesDialog {
    pub(super) fn new(names: Vec<String>, session: &Session) -> Self {
        let skeleton = &session.character().skeleton;
        let theirs = skeleton.ids().map(|b| skeleton.name(b));
        let rules = RemapRules::with_suggested_affixes(names.iter().map(String::as_str), theirs);
        let mut all = Self {
            source: names.into_iter().map(NamedBone::new).collect(),
            rules,
            plan: RemapPlan::default(),
            manual_targets: BTreeMap::new(),
            manual_inclusion: BTreeMap::new(),
            filter: NameFilter::All,
            search: String::new(),
            current_row: None,
            picker: None,
            picking_row: None,
            dragged_rule: None,
            edited_rule: None,
            visible_range: (0.0, 0.0),
            scroll_to: None,
            hovered_bone: None,
            changed: false,
            for_missing_bones: false,
            file_name: String::new(),
            apply_count: 0,
        };
        all.replan(session);
        let doubtful = all.plan.rows.iter().position(|e| NameFilter::NeedsConfirmation.matches(e));
        all.current_row = doubtful.or_else(|| all.plan.rows.iter().position(|e| e.target.is_none())).or(Some(0));
        all
    }

    /// For bones that a newer version of the character lacks.
    pub(super) fn for_missing_bones(names: Vec<String>, session: &Session) -> Self {
        Self { for_missing_bones: true, ..Self::new(names, session) }
    }

    /// Where every name leads; those that are not taken lead nowhere, though a bone may have just their name.
    pub(super) fn name_map(&self) -> NameMap {
        self.plan.name_map()
    }

    /// Where each row leads, if it is taken.
    pub(super) fn targets(&self) -> impl Iterator<Item = Option<BoneId>> + '_ {
        self.plan.rows.iter().map(|entry| entry.target.filter(|_| entry.included))
    }

    pub(super) fn set_rules(&mut self, rules: RemapRules, session: &Session) {
        self.rules = rules;
        self.edited_rule = None;
        self.replan(session);
    }

    /// Another character is here: what was chosen by hand among its bones means nothing any more.
    pub(super) fn forget_choices(&mut self, session: &Session) {
        self.manual_targets.clear();
        self.manual_inclusion.clear();
        self.picker = None;
        self.picking_row = None;
        self.replan(session);
    }

    fn replan(&mut self, session: &Session) {
        let character = session.character();
        self.plan = remap::plan_remap(&self.source, &character.skeleton, &character.humanoid, &self.rules);
        for (row, target) in &self.manual_targets {
            self.plan.set_target(*row, *target);
        }
        for (row, taken) in &self.manual_inclusion {
            self.plan.set_included(*row, *taken);
        }
    }

    fn set_target(&mut self, row: usize, target: Option<BoneId>) {
        self.manual_targets.insert(row, target);
        self.manual_inclusion.remove(&row);
        self.plan.set_target(row, target);
        self.picker = None;
        self.picking_row = None;
        self.changed = true;
    }

    fn set_included(&mut self, row: usize, taken: bool) {
        self.manual_inclusion.insert(row, taken);
        self.plan.set_included(row, taken);
        self.changed = true;
    }

    /// For the next frame: the file that the names are of, and how many rows would be applied.
    pub(super) fn set_summary(&mut self, file: String, will: usize) {
        (self.file_name, self.apply_count) = (file, will);
    }

    /// Whether rows lead elsewhere since the last call.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// A bone that was clicked in the view or the tree while a row waits for it.
    fn take_clicked_bone(&mut self, cx: &mut UiContext<'_>) {
        let Some(row) = self.picking_row else { return };
        if let Some(bone) = cx.session().selection().active {
            self.set_target(row, Some(bone));
        }
        let words = (cx.tr("windows.names.aim_key").into_owned(), cx.tr("windows.names.aim").into_owned());
        cx.state.mouse_hints = vec![words, ("Esc".to_owned(), cx.tr("common.cancel").into_owned())];
    }

    /// Lets the next click on a bone choose it for a row.
    fn toggle_picking(&mut self, cx: &mut UiContext<'_>, row: usize) {
        if self.picking_row.take() == Some(row) {
            return;
        }
        // Even a click on the bone that is selected now must be seen.
        cx.command(Command::ClearSelection);
        self.picking_row = Some(row);
        self.picker = None;
    }

    /// Up and down go along the rows, Enter takes one.
    fn handle_keys(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        if self.picker.is_some() || ctx.egui_wants_keyboard_input() || ctx.memory(|m| m.focused().is_some()) {
            return;
        }
        if self.picking_row.is_none() {
            let pair = |key: &str, words: &str| (cx.tr(key).into_owned(), cx.tr(words).into_owned());
            cx.state.mouse_hints = vec![
                pair("windows.names.key_enter", "windows.names.key_take"),
                pair("windows.names.key_arrows", "windows.names.key_next"),
            ];
        }
        let pressed = |key| ctx.input_mut(|i| i.consume_key(Modifiers::NONE, key));
        let (up, down, enter) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter));
        let shown = self.filtered_rows();
        let Some(at) = self.current_row.and_then(|row| shown.iter().position(|r| *r == row)) else { return };
        if enter {
            let row = shown[at];
            self.set_included(row, !self.plan.rows[row].included);
        }
        let next = if up {
            at.checked_sub(1)
        } else if down {
            Some(at + 1)
        } else {
            None
        };
        if let Some(row) = next.and_then(|next| shown.get(next)) {
            self.current_row = Some(*row);
            let at = next.unwrap_or(0);
            self.scroll_to = table::scroll_offset_to_show(at, self.visible_range.0, self.visible_range.1);
        }
    }

    /// Rows that the filter and the search leave.
    fn filtered_rows(&self) -> Vec<usize> {
        let wanted = crate::document::names::fold(&self.search);
        let fits = |e: &RemapRow| {
            self.filter.matches(e) && (wanted.is_empty() || crate::document::names::fold(&e.source).contains(&wanted))
        };
        self.plan.rows.iter().enumerate().filter(|(_, e)| fits(e)).map(|(row, _)| row).collect()
    }

    fn picker_ui(&mut self, ctx: &Context, cx: &UiContext<'_>) {
        let Some(picker) = &mut self.picker else { return };
        let row = picker.row;
        let others = self.plan.rows[row].alternatives.clone();
        let mut taken: BTreeMap<BoneId, &str> = BTreeMap::new();
        for entry in self.plan.rows.iter().filter(|e| e.included) {
            if let Some(bone) = entry.target {
                taken.insert(bone, &entry.source);
            }
        }
        let out = picker.show(ctx, cx, &others, &taken);
        self.hovered_bone = out.hovered.or(self.hovered_bone);
        if let Some(BoneChoice(target)) = out.choice {
            self.set_target(row, target);
        } else if out.closed {
            self.picker = None;
        }
    }
}

impl Dialog for MapNamesDialog {
    fn title_key(&self) -> &'static str {
        "windows.names.title"
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        format!("{} → {}", self.file_name, cx.session().character().name)
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.6, [720.0, 860.0], 568.0)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        self.hovered_bone = None;
        self.take_clicked_bone(cx);
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        let rules = self.rules.clone();
        let c = cx.theme.color;
        let all = ui.max_rect();
        let split = all.left() + 196.0;
        ui.painter().vline(split, all.y_range(), egui::Stroke::new(1.0, c.border));
        let left = Rect::from_min_max(all.min, pos2(split, all.bottom())).shrink(space::L);
        let mut side = ui.new_child(UiBuilder::new().max_rect(left).layout(Layout::top_down(Align::Min)));
        self.rules_ui(&mut side, cx);
        let below = all.bottom() - rows::REASON_HEIGHT;
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
        out.hovered_bone = self.hovered_bone;
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let counted = |key: &str, n: usize| cx.tr_with(key, &[("n", &n.to_string())]);
        let confirm = self.plan.counts().to_confirm;
        let apply = DialogButton::apply(counted("windows.names.apply", self.apply_count), self.apply_count > 0);
        let extra = (confirm > 0).then(|| DialogButton::secondary(counted("windows.names.confirm", confirm)));
        [Some(apply), extra, Some(DialogButton::cancel(cx))].into_iter().flatten().collect()
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        if let Some(long) = self.plan.too_long.first() {
            let (rule, n) = ((long.rule + 1).to_string(), remap::MAX_NAME_BYTES.to_string());
            return cx.tr_with("windows.names.too_long", &[("rule", &rule), ("n", &n)]);
        }
        let counts = self.plan.counts();
        let counted = |key: &str, n: usize| cx.tr_with(key, &[("n", &n.to_string())]);
        match counts.all - counts.included {
            0 => cx.tr("windows.names.all_found").into_owned(),
            n if self.for_missing_bones => counted("windows.lost.stay", n),
            n => counted("windows.names.stay", n),
        }
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        self.handle_keys(ctx, cx);
        self.picker_ui(ctx, cx);
        out.hovered_bone = self.hovered_bone;
    }

    /// Takes all rows that wait to be confirmed.
    fn secondary_action(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        let open = |(_, e): &(usize, &RemapRow)| NameFilter::NeedsConfirmation.matches(e);
        let rows: Vec<usize> = self.plan.rows.iter().enumerate().filter(open).map(|(row, _)| row).collect();
        for row in rows {
            self.set_included(row, true);
        }
        DialogResult::Open
    }

    /// Esc first ends the wait for a click in the view.
    fn close(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        if self.picking_row.take().is_some() { DialogResult::Open } else { DialogResult::Closed }
    }

    fn cancel_text_edit(&mut self) {
        self.picker = None;
    }
}
