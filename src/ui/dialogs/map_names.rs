//! *Map names*: maps each name of a file to a bone. Rules propose the bone with a confidence.

mod rows;
mod rules;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left};
use super::table;
use super::table::{BoneChoice, BonePicker};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::paint;
use crate::ui::kit::tokens::space;
use egui::{Align, Context, Key, Layout, Modifiers, Rect, Ui, UiBuilder, pos2};
use std::collections::BTreeMap;
use yuremono_model::document::{Document, Edit, EditLabel, Node, Tip, difference};
use yuremono_model::exchange::remap;
use yuremono_model::exchange::remap::{NameMap, NamedBone, RemapPlan, RemapRow, RemapRules};
use yuremono_session::{Command, Session};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

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

#[derive(Debug)]
struct MissingBones {
    /// The missing bones, in the order of the names.
    ids: Vec<BoneId>,
    snapshot: SessionSnapshot,
}

#[derive(Debug, Default)]
pub(super) struct MapNamesDialog {
    source: Vec<NamedBone>,
    rules: RemapRules,
    plan: RemapPlan,
    /// Targets that the artist chose, by row.
    manual_targets: BTreeMap<usize, Option<BoneId>>,
    /// Rows that the artist included or excluded.
    manual_inclusion: BTreeMap<usize, bool>,
    filter: NameFilter,
    search: String,
    /// The row that the strip below the table explains.
    current_row: Option<usize>,
    picker: Option<BonePicker>,
    /// The row for which the next click in the viewport chooses a bone.
    picking_row: Option<usize>,
    /// The current index of the dragged rule.
    dragged_rule: Option<usize>,
    /// Index of the rule that shows its fields.
    edited_rule: Option<usize>,
    /// Scroll offset and visible height of the table.
    visible_range: (f32, f32),
    scroll_to: Option<f32>,
    hovered_bone: Option<BoneId>,
    changed: bool,
    /// Set if the names belong to missing bones instead of a file.
    missing_bones: Option<MissingBones>,
    /// The name of the file, or a text for the missing bones.
    file_name: String,
    /// The number of rows that *Apply* applies.
    apply_count: usize,
}

impl MapNamesDialog {
    pub(super) fn new(names: Vec<String>, session: &Session) -> Self {
        let skeleton = &session.character().skeleton;
        let theirs = skeleton.ids().map(|b| skeleton.name(b));
        let rules = RemapRules::with_suggested_affixes(names.iter().map(String::as_str), theirs);
        let mut all = Self { source: names.into_iter().map(NamedBone::new).collect(), rules, ..Self::default() };
        all.replan(session);
        let doubtful = all.plan.rows.iter().position(|e| NameFilter::NeedsConfirmation.matches(e));
        all.current_row = doubtful.or_else(|| all.plan.rows.iter().position(|e| e.target.is_none())).or(Some(0));
        all
    }

    /// Maps bones that are missing in a newer version of the character. Returns `None` if no bone is missing.
    pub(super) fn for_missing_bones(lost: Vec<(BoneId, String)>, session: &Session) -> Option<Self> {
        let (ids, names): (Vec<_>, Vec<_>) = lost.into_iter().unzip();
        let missing = MissingBones { ids, snapshot: SessionSnapshot::of(session) };
        (!names.is_empty()).then(|| Self { missing_bones: Some(missing), ..Self::new(names, session) })
    }

    /// Maps every name. An excluded name maps to nothing, even if a bone has the same name.
    pub(super) fn name_map(&self) -> NameMap {
        self.plan.name_map()
    }

    /// Returns the target of each included row.
    pub(super) fn targets(&self) -> impl Iterator<Item = Option<BoneId>> + '_ {
        self.plan.rows.iter().map(|entry| entry.target.filter(|_| entry.included))
    }

    pub(super) fn set_rules(&mut self, rules: RemapRules, session: &Session) {
        self.rules = rules;
        self.edited_rule = None;
        self.replan(session);
    }

    /// Discards manual choices, because their ids belong to the bones of another character.
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

    pub(super) fn set_summary(&mut self, file: String, will: usize) {
        (self.file_name, self.apply_count) = (file, will);
    }

    /// Returns whether a target changed since the last call.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Assigns the bone that was clicked in the viewport or outliner to the waiting row.
    fn take_clicked_bone(&mut self, cx: &mut UiContext<'_>) {
        let Some(row) = self.picking_row else { return };
        if let Some(bone) = cx.session().selection().active {
            self.set_target(row, Some(bone));
        }
        let hint = (tr!(cx, "Click").into_owned(), tr!(cx, "Click a bone…").into_owned());
        cx.state.mouse_hints = vec![hint, ("Esc".to_owned(), tr!(cx, "Cancel").into_owned())];
    }

    fn toggle_picking(&mut self, cx: &mut UiContext<'_>, row: usize) {
        if self.picking_row.take() == Some(row) {
            return;
        }
        // Clears the selection, so a click on the selected bone also counts as a change.
        cx.command(Command::ClearSelection);
        self.picking_row = Some(row);
        self.picker = None;
    }

    /// Handles arrow keys, which move along the rows, and the space bar, which includes or excludes the row.
    fn handle_keys(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        if self.picker.is_some() {
            return;
        }
        if self.picking_row.is_none() {
            let hints =
                [(tr!(cx, "Space{:character}"), tr!(cx, "include row")), (tr!(cx, "Up, Down"), tr!(cx, "next row"))];
            cx.state.mouse_hints = hints.map(|(key, effect)| (key.into_owned(), effect.into_owned())).into();
        }
        let pressed = |key| ctx.input_mut(|i| i.consume_key(Modifiers::NONE, key));
        let (up, down) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown));
        // A text field and a focused button use the space bar themselves.
        let includes = ctx.memory(|m| m.focused().is_none()) && pressed(Key::Space);
        let shown = self.filtered_rows();
        let Some(at) = self.current_row.and_then(|row| shown.iter().position(|r| *r == row)) else { return };
        if includes {
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

    fn filtered_rows(&self) -> Vec<usize> {
        let wanted = yuremono_model::document::names::fold(&self.search);
        let fits = |e: &RemapRow| {
            self.filter.matches(e)
                && (wanted.is_empty() || yuremono_model::document::names::fold(&e.source).contains(&wanted))
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
    fn title_text(&self) -> MessageText {
        message!("Map names")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        format!("{} → {}", self.file_name, cx.session().character().name)
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.6, [720.0, 860.0], 568.0)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if let Some(missing) = &self.missing_bones {
            if !missing.snapshot.same_character(cx.session()) {
                return DialogResult::Closed;
            }
            self.set_summary(tr!(cx, "missing bones").into_owned(), self.targets().flatten().count());
        }
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
        let rect = Rect::from_min_max(pos2(split + 1.0, all.top()), pos2(all.right(), below));
        let mut main = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::top_down(Align::Min)));
        self.table_ui(&mut main, cx);
        paint::hairline(ui.painter(), split, all.right(), below, c.border);
        let rect = Rect::from_min_max(pos2(split + 1.0, below), all.max);
        let mut why = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::top_down(Align::Min)));
        self.reason_ui(&mut why, cx);
        if self.rules != rules {
            self.replan(cx.session());
            self.changed = true;
        }
        out.hovered_bone = self.hovered_bone;
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let counts = self.plan.counts();
        let confirm = counts.to_confirm;
        let apply = tr!(cx, "Apply {n:name|names}", n = counts.included);
        let apply = DialogButton::apply(apply, self.apply_count > 0);
        let extra = (confirm > 0)
            .then(|| DialogButton::secondary(tr!(cx, "Confirm {n:similar name|similar names}", n = confirm)));
        [Some(apply), extra, Some(DialogButton::cancel(cx))].into_iter().flatten().collect()
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let counts = self.plan.counts();
        let text = match (self.plan.too_long.first(), counts.all - counts.included) {
            (Some(long), _) => message!(
                "Rule {rule} makes names longer than {n:byte|bytes}. This rule leaves these names unchanged.",
                rule = long.rule + 1,
                n = remap::MAX_NAME_BYTES
            ),
            (None, 0) => message!("Every name has its bone."),
            (None, n) if self.missing_bones.is_some() => message!(
                "{n:bone that is not included keeps its|bones that are not included keep their} values until the bone \
                 returns.",
                n
            ),
            (None, n) => message!(
                "{n} of {all:name|names} not applied; their rows are kept for the next export.",
                n,
                all = counts.all
            ),
        };
        cx.tr(text).into_owned()
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        self.handle_keys(ctx, cx);
        self.picker_ui(ctx, cx);
        out.hovered_bone = self.hovered_bone;
    }

    /// Replaces missing bones. The import dialog applies the name map of an import.
    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(missing) = &self.missing_bones else { return DialogResult::Closed };
        let targets: BTreeMap<BoneId, BoneId> =
            missing.ids.iter().zip(self.targets()).filter_map(|(id, target)| Some((*id, target?))).collect();
        let edit = replace_bones(cx.session().document(), &targets);
        cx.command(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = targets.len()))));
        DialogResult::Closed
    }

    /// Includes all rows that need confirmation.
    fn secondary_action(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        let open = |(_, e): &(usize, &RemapRow)| NameFilter::NeedsConfirmation.matches(e);
        let rows: Vec<usize> = self.plan.rows.iter().enumerate().filter(open).map(|(row, _)| row).collect();
        for row in rows {
            self.set_included(row, true);
        }
        DialogResult::Open
    }

    /// Cancels picking if the artist is picking a bone, else closes the dialog.
    fn close(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        if self.picking_row.take().is_some() { DialogResult::Open } else { DialogResult::Closed }
    }

    fn has_open_picker(&self) -> bool {
        self.picker.is_some()
    }

    fn close_picker(&mut self) {
        self.picker = None;
    }
}

/// Replaces bones in all references of the document.
fn replace_bones(document: &Document, targets: &BTreeMap<BoneId, BoneId>) -> Edit {
    let mut after = document.clone();
    let replace = |bone: &mut BoneId| *bone = *targets.get(bone).unwrap_or(bone);
    let replace_in_node = |node: &mut Node| {
        if let Node::Bone(bone) = node {
            replace(bone);
        }
    };
    let setup = &mut after.setup;
    setup.helpers.values_mut().for_each(|helper| replace_in_node(&mut helper.parent));
    setup.colliders.values_mut().for_each(|collider| replace_in_node(&mut collider.node));
    setup.gestures.values_mut().for_each(|gesture| replace(&mut gesture.bone));
    for chain in setup.chains.values_mut() {
        chain.center.iter_mut().for_each(replace_in_node);
        for joint in &mut chain.joints {
            replace(&mut joint.bone);
            joint.pivot.iter_mut().for_each(replace_in_node);
            if let Tip::Bone(bone) = &mut joint.tip {
                replace(bone);
            }
        }
    }
    difference(document, &after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::{Chain, ChainId, ChainPart, Joint};

    #[test]
    fn a_missing_bone_is_replaced_in_every_reference() {
        let mut document = Document::default();
        let joints = vec![Joint { tip: Tip::Bone(BoneId(900)), ..Joint::new(BoneId(1)) }, Joint::new(BoneId(900))];
        document
            .setup
            .chains
            .insert(ChainId(0), Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints));
        let edit = replace_bones(&document, &BTreeMap::from([(BoneId(900), BoneId(2))]));
        document.apply(edit).expect("the bone is free");
        let chain = &document.chains[&ChainId(0)];
        assert_eq!((chain.joints[0].tip.clone(), chain.joints[1].bone), (Tip::Bone(BoneId(2)), BoneId(2)));
    }
}
