//! The small dialogs of setting up: each does one thing and says how much.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, Press, Seen, at_left, in_middle, padded, sentence,
};
use super::table;
use crate::document::{Edit, HelperId, Label, Node};
use crate::document::{names::Pattern, names::fold};
use crate::rig::{BoneId, Character};
use crate::session::{Command, Item, Pick, Session};
use crate::tools::{paste::What, paste::paste};
use crate::tools::{tidy, tidy::Tidy};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{labelled_tick, segmented};
use crate::ui::kit::tokens::{size, space};
use crate::ui::setup::pasted_on;
use crate::ui::{Ask, Cx};
use egui::{Context, Key, Rect, Ui, Vec2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Room for one sentence where there is nothing to do.
const NOTHING: Vec2 = vec2(340.0, 156.0);

/// Says how much would go, and asks: putting in order, deleting below the selection.
#[derive(Debug)]
pub(super) struct Asking {
    what: Ask,
    tidy: Tidy,
    /// Key of the words and how many, for each line.
    lines: Vec<(&'static str, usize)>,
    /// What was selected when it was counted.
    roots: BTreeSet<BoneId>,
    seen: Seen,
}

impl Asking {
    pub(super) fn new(what: Ask, session: &Session) -> Self {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let roots = &session.selection().bones;
        let (tidy, lines) = match what {
            Ask::CleanUp => {
                let found = tidy::clean_up(document, skeleton);
                let lines = vec![
                    ("duplicates", found.duplicates),
                    ("unused", found.unused),
                    ("empty_nodes", found.empty_nodes),
                    ("references", found.tidy.references),
                ];
                (found.tidy, lines)
            }
            Ask::DeleteSprings => {
                let tidy = tidy::delete_springs_below(document, skeleton, roots);
                let lines = vec![("joints", tidy.joints), ("chains", tidy.chains), ("nodes", tidy.helpers)];
                (tidy, lines)
            }
            Ask::DeleteColliders => {
                let tidy = tidy::delete_colliders_below(document, skeleton, roots);
                let lines = vec![("colliders", tidy.colliders), ("nodes", tidy.helpers), ("entries", tidy.references)];
                (tidy, lines)
            }
        };
        Self { what, tidy, lines, roots: roots.clone(), seen: Seen::of(session) }
    }

    const fn key(&self) -> &'static str {
        match self.what {
            Ask::CleanUp => "clean_up",
            Ask::DeleteSprings => "delete_springs",
            Ask::DeleteColliders => "delete_colliders",
        }
    }
}

impl Dialog for Asking {
    fn title_key(&self) -> &'static str {
        match self.what {
            Ask::CleanUp => "ask.clean_up.title",
            Ask::DeleteSprings => "ask.delete_springs.title",
            Ask::DeleteColliders => "ask.delete_colliders.title",
        }
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, if self.tidy.is_empty() { NOTHING } else { vec2(420.0, 250.0) })
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        if self.roots != cx.session().selection().bones || !self.seen.is_current(cx.session()) {
            *self = Self::new(self.what, cx.session());
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        padded(ui, |ui| {
            let key = if self.tidy.is_empty() { "nothing" } else { "sentence" };
            sentence(ui, cx, &cx.tr(&format!("ask.{}.{key}", self.key())));
            ui.add_space(space::M);
            for (key, n) in self.lines.iter().filter(|(_, n)| *n > 0) {
                let words = cx.theme.count(&format!("ask.line.{key}"), *n);
                ui.label(Text::Body.rich(words).color(cx.theme.color.text));
            }
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        if self.tidy.is_empty() {
            return vec![DialogButton::apply(cx.tr("common.close"), true).hint("")];
        }
        vec![DialogButton::apply(cx.tr(&format!("ask.{}.apply", self.key())), true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        if !self.tidy.is_empty() {
            let edit = std::mem::replace(&mut self.tidy.edit, Edit::Batch(Vec::new()));
            // Putting in order is all of its lines; the others are after what is first.
            let count = match self.what {
                Ask::CleanUp => self.lines.iter().map(|line| line.1).sum(),
                Ask::DeleteSprings | Ask::DeleteColliders => self.lines[0].1,
            };
            cx.command(Command::Apply(edit, Label::new(self.key(), count).told()));
        }
        DialogResult::Closed
    }
}

/// Select by name: words that a name must have, words that it must not, and what is meant.
#[derive(Debug, Default)]
pub(super) struct Find {
    words: String,
    without: String,
    among: Among,
    shown: bool,
}

/// What names belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Among {
    #[default]
    Bones,
    Joints,
    Colliders,
}

/// What would be selected.
enum FoundNames {
    Bones(Vec<BoneId>),
    Items(Vec<Item>),
}

impl FoundNames {
    const fn len(&self) -> usize {
        match self {
            Self::Bones(bones) => bones.len(),
            Self::Items(items) => items.len(),
        }
    }
}

impl Find {
    /// All that was typed as one pattern.
    fn pattern(&self) -> Pattern {
        let banned = self.without.split_whitespace().map(|word| format!(" -{}", word.trim_start_matches('-')));
        Pattern::new(&format!("{}{}", self.words, banned.collect::<String>()))
    }

    fn found(&self, cx: &Cx<'_>) -> FoundNames {
        let pattern = self.pattern();
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        if pattern.is_empty() {
            return FoundNames::Bones(Vec::new());
        }
        let fits = |bone: &BoneId| pattern.matches(skeleton.name(*bone));
        match self.among {
            Among::Bones => FoundNames::Bones(skeleton.ids().filter(fits).collect()),
            Among::Joints => {
                let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
                FoundNames::Bones(joints.filter(|b| b.index() < skeleton.len()).filter(fits).collect())
            }
            Among::Colliders => {
                let named = document.colliders.iter().filter(|(_, c)| pattern.matches(&c.name));
                FoundNames::Items(named.map(|(id, _)| Item::Collider(*id)).collect())
            }
        }
    }
}

impl Dialog for Find {
    fn title_key(&self) -> &'static str {
        "find.title"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 290.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        padded(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::S;
            sentence(ui, cx, &cx.tr("find.sentence"));
            let width = ui.available_width();
            for (key, text) in [("words", &mut self.words), ("without", &mut self.without)] {
                ui.label(Text::Small.rich(cx.tr(&format!("find.{key}"))).color(cx.theme.color.text_2));
                let field = search_field(ui, text, &cx.tr(&format!("find.{key}_hint")), width);
                if key == "words" && !std::mem::replace(&mut self.shown, true) {
                    field.request_focus();
                }
                if field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
                    out.press = Some(Press::Apply);
                }
            }
            let names = ["bones", "joints", "colliders"].map(|key| cx.tr(&format!("find.{key}")));
            let choices = [(&*names[0], None), (&*names[1], None), (&*names[2], None)];
            if let Some(picked) = segmented(ui, &choices, self.among as usize, size::HIT_MIN) {
                self.among = [Among::Bones, Among::Joints, Among::Colliders][picked];
            }
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let n = self.found(cx).len();
        vec![DialogButton::apply(cx.theme.count("find.select", n), n > 0), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        cx.command(match self.found(cx) {
            FoundNames::Bones(bones) => Command::Select(bones, Pick::Replace),
            FoundNames::Items(items) => Command::SelectItems(items, Pick::Replace),
        });
        DialogResult::Closed
    }
}

/// Set parent: makes the selected helpers, and the nodes of selected colliders and forces, children of a bone, where
/// they are.
#[derive(Debug, Default)]
pub(super) struct Parent {
    search: String,
    chosen: Option<BoneId>,
    /// Whose bones are listed: another version of it gives their numbers to others.
    character: Option<Arc<Character>>,
    /// The helpers that get the parent.
    helpers: BTreeSet<HelperId>,
    shown: bool,
}

/// The helpers that are selected, or carry what is.
fn selected_helpers(session: &Session) -> BTreeSet<HelperId> {
    let document = session.document();
    let of = |item: &Item| {
        let node = match item {
            Item::Helper(id) => Some(Node::Helper(*id)),
            Item::Collider(id) => document.colliders.get(id).map(|c| c.node),
            Item::Force(id) => document.forces.get(id).map(|f| f.node),
        };
        match node? {
            Node::Helper(id) => Some(id),
            Node::Bone(_) => None,
        }
    };
    session.selection().items.iter().filter_map(of).collect()
}

impl Dialog for Parent {
    fn title_key(&self) -> &'static str {
        "parent.title"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        at_left(ctx, 0.3, [380.0, 420.0], 424.0)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        self.helpers = selected_helpers(cx.session());
        let character = cx.session().character();
        if !self.character.as_ref().is_some_and(|c| Arc::ptr_eq(c, character)) {
            self.character = Some(Arc::clone(character));
            self.chosen = None;
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        padded(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::S;
            let key = if self.helpers.is_empty() { "parent.select_first" } else { "parent.sentence" };
            sentence(ui, cx, &cx.tr(key));
            let width = ui.available_width();
            let field = search_field(ui, &mut self.search, &cx.tr("windows.names.search_bone"), width);
            if !std::mem::replace(&mut self.shown, true) {
                field.request_focus();
            }
        });
        let skeleton = &cx.session().character().skeleton;
        let wanted = fold(&self.search);
        let fits = |b: &BoneId| wanted.is_empty() || fold(skeleton.name(*b)).contains(&wanted);
        let bones: Vec<BoneId> = skeleton.ids().filter(fits).collect();
        let height = ui.available_height().max(size::ROW_TABLE);
        table::list(ui, "parents", height, bones.len(), |ui, at| {
            let bone = bones[at];
            let name = skeleton.name(bone);
            let chosen = self.chosen == Some(bone);
            let (rect, response) = table::row(ui, name, chosen);
            let c = cx.theme.color;
            let ink = if chosen { c.selection_text } else { c.text };
            let icon = rect.left_center() + vec2(space::XXL, 0.0);
            paint_icon(ui.painter(), icon, icons::BONE, size::ICON_SMALL, c.text_3);
            table::name(ui, rect, 40.0, rect.width() - 52.0, name, ink);
            if response.hovered() {
                out.hovered = Some(bone);
            }
            if response.clicked() {
                self.chosen = Some(bone);
            }
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let n = self.helpers.len();
        vec![
            DialogButton::apply(cx.theme.count("parent.apply", n), self.chosen.is_some() && n > 0),
            DialogButton::cancel(cx),
        ]
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(bone) = self.chosen else { return DialogResult::Open };
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        let tidy = tidy::set_parent(document, skeleton, &self.helpers, Node::Bone(bone));
        let label = Label::new("set_parent", tidy.helpers).name(skeleton.name(bone)).told();
        cx.command(Command::Apply(tidy.edit, label));
        DialogResult::Closed
    }
}

/// Paste special: which of what was copied goes on the selected chains.
#[derive(Debug)]
pub(super) struct PasteSpecial {
    what: What,
}

impl Default for PasteSpecial {
    fn default() -> Self {
        Self { what: What::ALL }
    }
}

impl Dialog for PasteSpecial {
    fn title_key(&self) -> &'static str {
        "paste.title"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(400.0, 250.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        padded(ui, |ui| {
            match &cx.state.copied {
                Some(copied) => sentence(ui, cx, &cx.tr_with("paste.sentence", &[("name", &copied.chain.name)])),
                None => sentence(ui, cx, &cx.tr("paste.nothing")),
            }
            ui.add_space(space::M);
            for (key, on) in [
                ("numbers", &mut self.what.numbers),
                ("limits", &mut self.what.limits),
                ("colliders", &mut self.what.colliders),
            ] {
                labelled_tick(ui, &cx.tr(&format!("paste.{key}")), on);
            }
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let n = pasted_on(cx).len();
        let possible = n > 0 && !self.what.is_empty() && cx.state.copied.is_some();
        vec![DialogButton::apply(cx.theme.count("paste.apply", n), possible), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(copied) = cx.state.copied.clone() else { return DialogResult::Open };
        let onto = pasted_on(cx);
        let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
        let edit = paste(document, skeleton, &copied, &onto, self.what);
        cx.command(Command::Apply(edit, Label::new("paste", onto.len()).told()));
        DialogResult::Closed
    }
}
