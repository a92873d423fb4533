//! Small dialogs of the Setup menu: clean up, delete, select by name, set parent and paste special.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left, in_middle, padded_ui, sentence_ui,
};
use super::table;
use crate::tr;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{Choice, labelled_checkbox};
use crate::ui::kit::tokens::{size, space};
use crate::ui::setup_tools::{paste_targets, report_kept_values};
use crate::ui::{Confirmation, UiContext};
use egui::{Context, Rect, Ui, Vec2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::{Edit, EditLabel, HelperId, Node};
use yuremono_model::tools::{paste::PasteTarget, paste::paste};
use yuremono_model::tools::{setup_cleanup, setup_cleanup::CleanupEdit};
use yuremono_session::{Command, SceneObject, SelectMode, Session};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{BoneId, Character};

const EMPTY_SIZE: Vec2 = vec2(340.0, 156.0);

/// Shows the number of objects that would be deleted, and requires a confirmation.
#[derive(Debug)]
pub(super) struct ConfirmDialog {
    confirmation: Confirmation,
    clean_up: CleanupEdit,
    /// Count and text of each line.
    lines: Vec<(usize, MessageText)>,
    /// The selection for which the objects were counted.
    roots: BTreeSet<BoneId>,
    snapshot: SessionSnapshot,
}

struct ConfirmTexts {
    title: MessageText,
    sentence: MessageText,
    /// Replaces the sentence if there is nothing to delete.
    nothing: MessageText,
    apply: MessageText,
    label: EditLabel,
}

impl ConfirmDialog {
    pub(super) fn new(confirmation: Confirmation, session: &Session) -> Self {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let roots = &session.selection().bones;
        let (change, lines) = match confirmation {
            Confirmation::CleanUp => {
                let found = setup_cleanup::clean_up(document, skeleton);
                let (duplicates, unused) = (found.duplicate_count, found.unused_count);
                let (nodes, entries) = (found.empty_node_count, found.change.references);
                let lines = vec![
                    (duplicates, message!("{n:duplicate collider|duplicate colliders}", n = duplicates)),
                    (unused, message!("{n:unused collider|unused colliders}", n = unused)),
                    (nodes, message!("{n:empty node|empty nodes}", n = nodes)),
                    (
                        entries,
                        message!("{n:duplicate or broken list entry|duplicate or broken list entries}", n = entries),
                    ),
                ];
                (found.change, lines)
            }
            Confirmation::DeleteJoints => {
                let change = setup_cleanup::delete_joints_below(document, skeleton, roots);
                let lines = vec![
                    (change.joints, message!("{n:joint|joints}", n = change.joints)),
                    (change.chains, message!("{n:chain|chains}", n = change.chains)),
                    (change.helpers, message!("{n:node|nodes}", n = change.helpers)),
                ];
                (change, lines)
            }
            Confirmation::DeleteColliders => {
                let change = setup_cleanup::delete_colliders_below(document, skeleton, roots);
                let lines = vec![
                    (change.colliders, message!("{n:collider|colliders}", n = change.colliders)),
                    (change.helpers, message!("{n:node|nodes}", n = change.helpers)),
                    (change.references, message!("{n:list entry|list entries}", n = change.references)),
                ];
                (change, lines)
            }
        };
        Self { confirmation, clean_up: change, lines, roots: roots.clone(), snapshot: SessionSnapshot::of(session) }
    }

    /// Returns the count on the button. A clean-up counts all items; a deletion counts joints or colliders.
    fn count(&self) -> usize {
        match self.confirmation {
            Confirmation::CleanUp => self.lines.iter().map(|line| line.0).sum(),
            Confirmation::DeleteJoints | Confirmation::DeleteColliders => self.lines[0].0,
        }
    }

    fn texts(&self) -> ConfirmTexts {
        let n = self.count();
        match self.confirmation {
            Confirmation::CleanUp => ConfirmTexts {
                title: message!("Clean up"),
                sentence: message!("Will be deleted:"),
                nothing: message!("There is nothing to clean up."),
                apply: message!("Clean up {n:item|items}", n),
                label: EditLabel::new(message!("Clean up")).with_message(message!("{n:item|items} cleaned up", n)),
            },
            Confirmation::DeleteJoints => ConfirmTexts {
                title: message!("Delete joints"),
                sentence: message!("Deleted or changed on the selected bones and below:"),
                nothing: message!("There are no joints to delete."),
                apply: message!("Delete {n:joint|joints}", n),
                label: EditLabel::new(message!("Delete {n:joint|joints}", n))
                    .with_message(message!("{n:joint|joints} deleted", n)),
            },
            Confirmation::DeleteColliders => ConfirmTexts {
                title: message!("Delete colliders"),
                sentence: message!("Deleted on the selected bones and below:"),
                nothing: message!("There are no colliders to delete."),
                apply: message!("Delete {n:collider|colliders}", n),
                label: EditLabel::new(message!("Delete {n:collider|colliders}", n))
                    .with_message(message!("{n:collider|colliders} deleted", n)),
            },
        }
    }
}

impl Dialog for ConfirmDialog {
    fn title_text(&self) -> MessageText {
        self.texts().title
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, if self.clean_up.is_empty() { EMPTY_SIZE } else { vec2(420.0, 250.0) })
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if self.roots != cx.session().selection().bones || !self.snapshot.is_current(cx.session()) {
            *self = Self::new(self.confirmation, cx.session());
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            let texts = self.texts();
            let sentence = if self.clean_up.is_empty() { texts.nothing } else { texts.sentence };
            sentence_ui(ui, cx, &cx.tr(sentence));
            ui.add_space(space::M);
            for (_, text) in self.lines.iter().filter(|(n, _)| *n > 0) {
                ui.label(TextSize::Body.rich(cx.tr(text)).color(cx.theme.color.text));
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        if self.clean_up.is_empty() {
            return vec![DialogButton::apply(tr!(cx, "Close"), true).hint("")];
        }
        vec![DialogButton::apply(cx.tr(self.texts().apply), true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.clean_up.is_empty() {
            let edit = std::mem::replace(&mut self.clean_up.edit, Edit::Batch(Vec::new()));
            cx.command(Command::ApplyEdit(edit, self.texts().label));
        }
        DialogResult::Closed
    }
}

#[derive(Debug, Default)]
pub(super) struct SelectByNameDialog {
    required_words: String,
    excluded_words: String,
    scope: NameScope,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NameScope {
    #[default]
    Bones,
    Joints,
    Colliders,
}

enum NameMatches {
    Bones(Vec<BoneId>),
    Items(Vec<SceneObject>),
}

impl NameMatches {
    const fn len(&self) -> usize {
        match self {
            Self::Bones(bones) => bones.len(),
            Self::Items(items) => items.len(),
        }
    }
}

impl SelectByNameDialog {
    fn pattern(&self) -> NamePattern {
        let banned = self.excluded_words.split_whitespace().map(|word| format!(" -{}", word.trim_start_matches('-')));
        NamePattern::new(&format!("{}{}", self.required_words, banned.collect::<String>()))
    }

    fn matches(&self, cx: &UiContext<'_>) -> NameMatches {
        let pattern = self.pattern();
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        if pattern.is_empty() {
            return NameMatches::Bones(Vec::new());
        }
        let fits = |bone: &BoneId| pattern.matches(skeleton.name(*bone));
        match self.scope {
            NameScope::Bones => NameMatches::Bones(skeleton.ids().filter(fits).collect()),
            NameScope::Joints => {
                let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
                NameMatches::Bones(joints.filter(|b| b.index() < skeleton.len()).filter(fits).collect())
            }
            NameScope::Colliders => {
                let named = document.colliders.iter().filter(|(_, c)| pattern.matches(&c.name));
                NameMatches::Items(named.map(|(id, _)| SceneObject::Collider(*id)).collect())
            }
        }
    }
}

impl Dialog for SelectByNameDialog {
    fn title_text(&self) -> MessageText {
        message!("Select by name")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(520.0, 236.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        property_rows(ui, |ui| {
            sentence_ui(ui, cx, &tr!(cx, "* matches any characters, ? matches one."));
            let fields = [
                (tr!(cx, "Contains"), tr!(cx, "First word required, then any of the others"), &mut self.required_words),
                (tr!(cx, "Does not contain"), tr!(cx, "Words that exclude a name"), &mut self.excluded_words),
            ];
            for (label, hint, text) in fields {
                PropertyRow::new(&label).show(ui, |ui| search_field(ui, text, &hint, ui.available_width()));
            }
            let scopes = [
                Choice::new(NameScope::Bones, tr!(cx, "All bones")),
                Choice::new(NameScope::Joints, tr!(cx, "Joints")),
                Choice::new(NameScope::Colliders, tr!(cx, "Colliders")),
            ];
            PropertyRow::new("").choice(ui, &scopes, &mut self.scope);
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = self.matches(cx).len();
        vec![DialogButton::apply(tr!(cx, "Select {n:item|items}", n), n > 0), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.command(match self.matches(cx) {
            NameMatches::Bones(bones) => Command::Select(bones, SelectMode::Replace),
            NameMatches::Items(items) => Command::SelectObjects(items, SelectMode::Replace),
        });
        DialogResult::Closed
    }
}

/// *Set parent*: changes the parent of helpers, and of the nodes of selected colliders and forces. The world transforms
/// stay unchanged.
#[derive(Debug, Default)]
pub(super) struct SetParentDialog {
    search: String,
    chosen_bone: Option<BoneId>,
    /// The character that `chosen_bone` belongs to.
    character: Option<Arc<Character>>,
    /// The helpers that get the new parent.
    helpers: BTreeSet<HelperId>,
}

/// Returns the selected helpers, and the nodes of the selected colliders and forces.
fn selected_helpers(session: &Session) -> BTreeSet<HelperId> {
    let document = session.document();
    let of = |item: &SceneObject| {
        let node = match item {
            SceneObject::Helper(id) => Some(Node::Helper(*id)),
            SceneObject::Collider(id) => document.colliders.get(id).map(|c| c.node),
            SceneObject::Force(id) => document.forces.get(id).map(|f| f.node),
        };
        match node? {
            Node::Helper(id) => Some(id),
            Node::Bone(_) => None,
        }
    };
    session.selection().objects.iter().filter_map(of).collect()
}

impl Dialog for SetParentDialog {
    fn title_text(&self) -> MessageText {
        message!("Set parent")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.3, [380.0, 420.0], 424.0)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        self.helpers = selected_helpers(cx.session());
        let character = cx.session().character();
        if !self.character.as_ref().is_some_and(|c| Arc::ptr_eq(c, character)) {
            self.character = Some(Arc::clone(character));
            self.chosen_bone = None;
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::S;
            let text = if self.helpers.is_empty() {
                tr!(cx, "Select colliders, forces or helpers first.")
            } else {
                tr!(cx, "Positions in the rest pose do not change.")
            };
            sentence_ui(ui, cx, &text);
            let width = ui.available_width();
            search_field(ui, &mut self.search, &tr!(cx, "Search bones"), width);
        });
        let skeleton = &cx.session().character().skeleton;
        let bones = table::bones_with_name(cx, &self.search);
        let height = ui.available_height().max(size::ROW_TABLE);
        table::list(ui, "parents", height, bones.len(), |ui, at| {
            let bone = bones[at];
            let name = skeleton.name(bone);
            let chosen = self.chosen_bone == Some(bone);
            let (rect, response) = table::list_row(ui, name, chosen);
            let c = cx.theme.color;
            let color = if chosen { c.selection_text } else { c.text };
            let icon = rect.left_center() + vec2(space::XXL, 0.0);
            paint_icon(ui.painter(), icon, icons::BONE, size::ICON_SMALL, c.text_3);
            table::row_bone_name(ui, rect, 40.0, rect.width() - 52.0, name, color);
            if response.hovered() {
                out.hovered_bone = Some(bone);
            }
            if response.clicked() {
                self.chosen_bone = Some(bone);
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = self.helpers.len();
        vec![
            DialogButton::apply(tr!(cx, "Set parent of {n:node|nodes}", n), self.chosen_bone.is_some() && n > 0),
            DialogButton::cancel(cx),
        ]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(bone) = self.chosen_bone else { return DialogResult::Open };
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        let change = setup_cleanup::set_parent(document, skeleton, &self.helpers, Node::Bone(bone));
        let (n, name) = (change.helpers, skeleton.name(bone));
        let label = EditLabel::new(message!("Parent {n:node|nodes} to {name}", n, name)).with_message(message!(
            "{n:node|nodes} parented to {name}",
            n,
            name
        ));
        cx.command(Command::ApplyEdit(change.edit, label));
        DialogResult::Closed
    }
}

#[derive(Debug)]
pub(super) struct PasteSpecialDialog {
    target: PasteTarget,
}

impl Default for PasteSpecialDialog {
    fn default() -> Self {
        Self { target: PasteTarget::ALL }
    }
}

impl Dialog for PasteSpecialDialog {
    fn title_text(&self) -> MessageText {
        message!("Paste special")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(400.0, 250.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            match &cx.state.copied_chain {
                Some(copied) => sentence_ui(ui, cx, &tr!(cx, "From {name}:", name = &copied.chain.name)),
                None => sentence_ui(ui, cx, &tr!(cx, "Copy the values of a chain first.")),
            }
            ui.add_space(space::M);
            labelled_checkbox(ui, &tr!(cx, "Values"), &mut self.target.numbers);
            labelled_checkbox(ui, &tr!(cx, "Angle limits"), &mut self.target.limits);
            labelled_checkbox(ui, &tr!(cx, "Colliders"), &mut self.target.colliders);
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = paste_targets(cx).len();
        let possible = n > 0 && !self.target.is_empty() && cx.state.copied_chain.is_some();
        vec![DialogButton::apply(tr!(cx, "Paste to {n:chain|chains}", n), possible), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(copied) = cx.state.copied_chain.clone() else { return DialogResult::Open };
        let onto = paste_targets(cx);
        let result = paste(cx.session().document(), cx.session().character(), &copied, &onto, self.target);
        let n = onto.len();
        let label = EditLabel::new(message!("Paste values into {n:chain|chains}", n))
            .with_message(message!("Values pasted into {n:chain|chains}", n));
        cx.command(Command::ApplyEdit(result.edit, label));
        report_kept_values(cx, &result.kept_values);
        DialogResult::Closed
    }
}
