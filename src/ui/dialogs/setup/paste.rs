//! Paste special: which of what was copied goes on the selected chains.

use super::{Deed, Stays, footer_ui, padded, sentence};
use crate::doc::Label;
use crate::doc::paste::{What, paste};
use crate::session::Command;
use crate::ui::Cx;
use crate::ui::dialogs::small;
use crate::ui::kit::frame;
use crate::ui::kit::toggle::{Tick, tick_box};
use crate::ui::kit::tokens::SPACE;
use crate::ui::setup::pasted_on;
use egui::{Context, Ui, vec2};

/// The ticks.
#[derive(Debug)]
pub(in crate::ui::dialogs) struct Special {
    what: What,
}

impl Default for Special {
    fn default() -> Self {
        Self { what: What::ALL }
    }
}

impl Special {
    pub(in crate::ui::dialogs) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let onto = pasted_on(cx);
        let title = cx.tr("paste.title").into_owned();
        let at = small::place(ctx, vec2(400.0, 250.0));
        let possible = !onto.is_empty() && !self.what.is_empty() && cx.state.copied.is_some();
        let mut deed = None;
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut both,
            |ui, (special, cx)| padded(ui, |ui| special.body_ui(ui, cx)),
            |ui, (_, cx)| deed = footer_ui(ui, cx, &cx.theme.count("paste.apply", onto.len()), possible),
        );
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match (deed.or(keys), cx.state.copied.clone()) {
            (Some(Deed::Apply), Some(copied)) if possible => {
                let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
                let edit = paste(document, skeleton, &copied, &onto, self.what);
                cx.command(Command::Apply(edit, Label::new("paste", onto.len()).told()));
                Stays::Closed
            }
            (Some(Deed::Close), _) => Stays::Closed,
            _ => Stays::Open,
        };
        (title, stays)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        match &cx.state.copied {
            Some(copied) => sentence(ui, cx, &cx.tr_with("paste.sentence", &[("name", &copied.chain.name)])),
            None => sentence(ui, cx, &cx.tr("paste.nothing")),
        }
        ui.add_space(SPACE[3]);
        for (key, on) in [
            ("numbers", &mut self.what.numbers),
            ("limits", &mut self.what.limits),
            ("colliders", &mut self.what.colliders),
        ] {
            let words = cx.tr(&format!("paste.{key}"));
            *on ^= tick_box(ui, &words, &words, if *on { Tick::On } else { Tick::Off }).clicked();
        }
    }
}
