//! Select by name: words that a name must have, words that it must not, and what is meant.

use super::{Deed, Stays, footer_ui, padded, sentence};
use crate::doc::names::Pattern;
use crate::rig::BoneId;
use crate::session::{Command, Item, Pick};
use crate::ui::Cx;
use crate::ui::dialogs::small;
use crate::ui::kit::frame;
use crate::ui::kit::search::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::segmented;
use crate::ui::kit::tokens::{SPACE, size};
use egui::{Context, Key, Ui, vec2};

/// What was typed.
#[derive(Debug, Default)]
pub(in crate::ui::dialogs) struct Find {
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

    pub(in crate::ui::dialogs) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let title = cx.tr("find.title").into_owned();
        let at = small::place(ctx, vec2(440.0, 290.0));
        let found = self.found(cx);
        let n = match &found {
            FoundNames::Bones(bones) => bones.len(),
            FoundNames::Items(items) => items.len(),
        };
        let (mut deed, mut entered) = (None, false);
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut both,
            |ui, (find, cx)| padded(ui, |ui| entered = find.body_ui(ui, cx)),
            |ui, (_, cx)| deed = footer_ui(ui, cx, &cx.theme.count("find.select", n), n > 0),
        );
        let keys = out.closed.then_some(Deed::Close).or((out.applied || entered).then_some(Deed::Apply));
        let stays = match deed.or(keys) {
            Some(Deed::Apply) if n > 0 => {
                cx.command(match found {
                    FoundNames::Bones(bones) => Command::Select(bones, Pick::Replace),
                    FoundNames::Items(items) => Command::SelectItems(items, Pick::Replace),
                });
                Stays::Closed
            }
            Some(Deed::Close) => Stays::Closed,
            _ => Stays::Open,
        };
        (title, stays)
    }

    /// Whether Enter was pressed in a field.
    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) -> bool {
        ui.spacing_mut().item_spacing.y = SPACE[2];
        sentence(ui, cx, &cx.tr("find.sentence"));
        let width = ui.available_width();
        let mut entered = false;
        for (key, text) in [("words", &mut self.words), ("without", &mut self.without)] {
            ui.label(Text::Small.rich(cx.tr(&format!("find.{key}"))).color(cx.theme.color.text_2));
            let field = search_field(ui, text, &cx.tr(&format!("find.{key}_hint")), width);
            if key == "words" && !std::mem::replace(&mut self.shown, true) {
                field.request_focus();
            }
            entered |= field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        }
        let names = ["bones", "joints", "colliders"].map(|key| cx.tr(&format!("find.{key}")));
        let choices = [(&*names[0], None), (&*names[1], None), (&*names[2], None)];
        if let Some(picked) = segmented(ui, &choices, self.among as usize, size::HIT_MIN) {
            self.among = [Among::Bones, Among::Joints, Among::Colliders][picked];
        }
        entered
    }
}
