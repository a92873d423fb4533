//! Small dialogs of the Setup menu: clean up, delete, select by name, set parent and paste special.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left, choice_ui, in_middle, padded_ui,
    sentence_ui,
};
use super::table;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::labelled_checkbox;
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
use yuremono_sim::rig::{BoneId, Character};

const EMPTY_SIZE: Vec2 = vec2(340.0, 156.0);

/// Shows the number of objects that would be deleted, and requires a confirmation.
#[derive(Debug)]
pub(super) struct ConfirmDialog {
    confirmation: Confirmation,
    clean_up: CleanupEdit,
    /// Key and count of each line.
    lines: Vec<(&'static str, usize)>,
    /// The selection for which the objects were counted.
    roots: BTreeSet<BoneId>,
    snapshot: SessionSnapshot,
}

impl ConfirmDialog {
    pub(super) fn new(what: Confirmation, session: &Session) -> Self {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let roots = &session.selection().bones;
        let (change, lines) = match what {
            Confirmation::CleanUp => {
                let found = setup_cleanup::clean_up(document, skeleton);
                let lines = vec![
                    ("duplicates", found.duplicate_count),
                    ("unused", found.unused_count),
                    ("empty_nodes", found.empty_node_count),
                    ("references", found.change.references),
                ];
                (found.change, lines)
            }
            Confirmation::DeleteJoints => {
                let change = setup_cleanup::delete_joints_below(document, skeleton, roots);
                let lines = vec![("joints", change.joints), ("chains", change.chains), ("nodes", change.helpers)];
                (change, lines)
            }
            Confirmation::DeleteColliders => {
                let change = setup_cleanup::delete_colliders_below(document, skeleton, roots);
                let lines =
                    vec![("colliders", change.colliders), ("nodes", change.helpers), ("entries", change.references)];
                (change, lines)
            }
        };
        Self {
            confirmation: what,
            clean_up: change,
            lines,
            roots: roots.clone(),
            snapshot: SessionSnapshot::of(session),
        }
    }

    /// Returns the count on the button. A clean-up counts all items; a deletion counts joints or colliders.
    fn count(&self) -> usize {
        match self.confirmation {
            Confirmation::CleanUp => self.lines.iter().map(|line| line.1).sum(),
            Confirmation::DeleteJoints | Confirmation::DeleteColliders => self.lines[0].1,
        }
    }

    /// Returns the locale keys of the undo step and of the title.
    const fn keys(&self) -> [&'static str; 2] {
        match self.confirmation {
            Confirmation::CleanUp => ["clean_up", "confirm.clean_up.title"],
            Confirmation::DeleteJoints => ["delete_springs", "confirm.delete_springs.title"],
            Confirmation::DeleteColliders => ["delete_colliders", "confirm.delete_colliders.title"],
        }
    }
}

impl Dialog for ConfirmDialog {
    fn title_key(&self) -> &'static str {
        self.keys()[1]
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
            let key = if self.clean_up.is_empty() { "nothing" } else { "sentence" };
            sentence_ui(ui, cx, &cx.tr(&format!("confirm.{}.{key}", self.keys()[0])));
            ui.add_space(space::M);
            for (key, n) in self.lines.iter().filter(|(_, n)| *n > 0) {
                let words = cx.theme.count(&format!("confirm.line.{key}"), *n);
                ui.label(TextSize::Body.rich(words).color(cx.theme.color.text));
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        if self.clean_up.is_empty() {
            return vec![DialogButton::apply(cx.tr("common.close"), true).hint("")];
        }
        let apply = cx.theme.count(&format!("confirm.{}.apply", self.keys()[0]), self.count());
        vec![DialogButton::apply(apply, true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.clean_up.is_empty() {
            let edit = std::mem::replace(&mut self.clean_up.edit, Edit::Batch(Vec::new()));
            cx.command(Command::ApplyEdit(edit, EditLabel::new(self.keys()[0], self.count()).show_message()));
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
    fn title_key(&self) -> &'static str {
        "find.title"
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 290.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::S;
            sentence_ui(ui, cx, &cx.tr("find.wildcards"));
            let width = ui.available_width();
            for (key, text) in [("words", &mut self.required_words), ("without", &mut self.excluded_words)] {
                ui.label(TextSize::Small.rich(cx.tr(&format!("find.{key}"))).color(cx.theme.color.text_2));
                search_field(ui, text, &cx.tr(&format!("find.{key}_hint")), width);
            }
            let scopes = [
                ("find.bones", NameScope::Bones),
                ("find.joints", NameScope::Joints),
                ("find.colliders", NameScope::Colliders),
            ];
            self.scope = choice_ui(ui, cx, scopes, "", self.scope).unwrap_or(self.scope);
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = self.matches(cx).len();
        vec![DialogButton::apply(cx.theme.count("find.select", n), n > 0), DialogButton::cancel(cx)]
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
    fn title_key(&self) -> &'static str {
        "parent.title"
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
            let key = if self.helpers.is_empty() { "parent.select_first" } else { "parent.note" };
            sentence_ui(ui, cx, &cx.tr(key));
            let width = ui.available_width();
            search_field(ui, &mut self.search, &cx.tr("windows.names.search_bone"), width);
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
            let ink = if chosen { c.selection_text } else { c.text };
            let icon = rect.left_center() + vec2(space::XXL, 0.0);
            paint_icon(ui.painter(), icon, icons::BONE, size::ICON_SMALL, c.text_3);
            table::row_bone_name(ui, rect, 40.0, rect.width() - 52.0, name, ink);
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
            DialogButton::apply(cx.theme.count("parent.apply", n), self.chosen_bone.is_some() && n > 0),
            DialogButton::cancel(cx),
        ]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(bone) = self.chosen_bone else { return DialogResult::Open };
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        let change = setup_cleanup::set_parent(document, skeleton, &self.helpers, Node::Bone(bone));
        let label = EditLabel::new("set_parent", change.helpers).name(skeleton.name(bone)).show_message();
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
    fn title_key(&self) -> &'static str {
        "paste.title"
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(400.0, 250.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            match &cx.state.copied_chain {
                Some(copied) => sentence_ui(ui, cx, &cx.tr_with("paste.source", &[("name", &copied.chain.name)])),
                None => sentence_ui(ui, cx, &cx.tr("paste.nothing")),
            }
            ui.add_space(space::M);
            for (key, on) in [
                ("values", &mut self.target.numbers),
                ("limits", &mut self.target.limits),
                ("colliders", &mut self.target.colliders),
            ] {
                labelled_checkbox(ui, &cx.tr(&format!("paste.{key}")), on);
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = paste_targets(cx).len();
        let possible = n > 0 && !self.target.is_empty() && cx.state.copied_chain.is_some();
        vec![DialogButton::apply(cx.theme.count("paste.apply", n), possible), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(copied) = cx.state.copied_chain.clone() else { return DialogResult::Open };
        let onto = paste_targets(cx);
        let result = paste(cx.session().document(), cx.session().character(), &copied, &onto, self.target);
        cx.command(Command::ApplyEdit(result.edit, EditLabel::new("paste", onto.len()).show_message()));
        report_kept_values(cx, &result.kept_values);
        DialogResult::Closed
    }
}
