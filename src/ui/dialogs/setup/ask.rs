//! Says how much would go, and asks: putting in order, deleting below the selection.

use super::{Deed, Stays, footer_ui, padded, sentence};
use crate::doc::tidy::{self, Tidy};
use crate::doc::{Edit, Label};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::dialogs::seen::Seen;
use crate::ui::dialogs::small;
use crate::ui::kit::button::primary;
use crate::ui::kit::frame;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::SPACE;
use crate::ui::{Ask, Cx};
use egui::{Context, Ui, Vec2, vec2};
use std::collections::BTreeSet;

/// Room for one sentence where there is nothing to do.
const NOTHING: Vec2 = vec2(340.0, 156.0);

/// A question with its counts.
#[derive(Debug)]
pub(in crate::ui::dialogs) struct Asking {
    what: Ask,
    tidy: Tidy,
    /// Key of the words and how many, for each line.
    lines: Vec<(&'static str, usize)>,
    /// What was selected when it was counted.
    roots: BTreeSet<BoneId>,
    seen: Seen,
}

impl Asking {
    pub(in crate::ui::dialogs) fn new(what: Ask, session: &Session) -> Self {
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

    pub(in crate::ui::dialogs) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        if self.roots != cx.session().selection().bones || !self.seen.is_current(cx.session()) {
            *self = Self::new(self.what, cx.session());
        }
        let title = cx.tr(&format!("ask.{}.title", self.key())).into_owned();
        let at = small::place(ctx, if self.tidy.is_empty() { NOTHING } else { vec2(420.0, 250.0) });
        let mut deed = None;
        let mut both = (&*self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut both,
            |ui, (ask, cx)| padded(ui, |ui| ask.body_ui(ui, cx)),
            |ui, (ask, cx)| {
                deed = if ask.tidy.is_empty() {
                    let clicked = primary(&cx.tr("common.close")).show(ui).clicked();
                    clicked.then_some(Deed::Close)
                } else {
                    footer_ui(ui, cx, &cx.tr(&format!("ask.{}.apply", ask.key())), true)
                };
            },
        );
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match deed.or(keys) {
            Some(Deed::Apply) if !self.tidy.is_empty() => {
                let edit = std::mem::replace(&mut self.tidy.edit, Edit::Batch(Vec::new()));
                // Putting in order is all of its lines; the others are after what stands first.
                let count = match self.what {
                    Ask::CleanUp => self.lines.iter().map(|line| line.1).sum(),
                    Ask::DeleteSprings | Ask::DeleteColliders => self.lines[0].1,
                };
                cx.command(Command::Apply(edit, Label::new(self.key(), count).told()));
                Stays::Closed
            }
            // There was nothing to do.
            Some(Deed::Close | Deed::Apply) => Stays::Closed,
            None => Stays::Open,
        };
        (title, stays)
    }

    fn body_ui(&self, ui: &mut Ui, cx: &Cx<'_>) {
        let key = if self.tidy.is_empty() { "nothing" } else { "sentence" };
        sentence(ui, cx, &cx.tr(&format!("ask.{}.{key}", self.key())));
        ui.add_space(SPACE[3]);
        for (key, n) in self.lines.iter().filter(|(_, n)| *n > 0) {
            let words = cx.theme.count(&format!("ask.line.{key}"), *n);
            ui.label(Text::Body.rich(words).color(cx.theme.color.text));
        }
    }
}
