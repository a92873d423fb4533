//! Mirror: which joint of one side gives its values to which bone of the other, and what changes sign.

mod head;
mod rows;
mod shown;

use super::picker::{Choice, Picker};
use super::seen::Seen;
use super::{Stays, place};
use crate::doc::mirror::{self, Found, From, MirrorPlan, Options, Pair};
use crate::doc::{Label, Stance};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::Cx;
use crate::ui::kit::frame;
use crate::ui::kit::tokens::size;
use egui::Context;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs and how they are copied.
#[derive(Debug)]
pub(super) struct Mirror {
    from: From,
    /// Selected joints only.
    of_selection: bool,
    options: Options,
    pairs: Vec<Pair>,
    plan: MirrorPlan,
    seen: Seen,
    /// The joints that were selected when pairs were sought.
    selected: BTreeSet<BoneId>,
    /// The selection is about to change because the list was selected: the list stays.
    selects: bool,
    /// The row that is looked at, by its source.
    current: Option<BoneId>,
    picker: Option<Picker>,
    hovered: Option<BoneId>,
}

/// What a frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Apply,
    Close,
}

impl Mirror {
    pub(super) fn new(session: &Session) -> Self {
        let selected = session.selection().shown_joints(session.document());
        let stance = Stance::of(session.document(), &session.character().skeleton);
        let on = |from: From| selected.iter().filter(|b| stance.head(**b).is_some_and(|p| from.has(p, 1e-3))).count();
        let from = if on(From::MinusX) > on(From::PlusX) { From::MinusX } else { From::PlusX };
        let mut window = Self {
            from,
            of_selection: on(from) > 0,
            options: Options::default(),
            pairs: Vec::new(),
            plan: mirror::plan(session.document(), &session.character().skeleton, &[], &Options::default()),
            seen: Seen::of(session),
            selected,
            selects: false,
            current: None,
            picker: None,
            hovered: None,
        };
        window.look(session);
        window
    }

    /// Esc was pressed in a text field.
    pub(super) fn escape(&mut self) {
        self.picker = None;
    }

    /// Seeks pairs anew; what the artist chose by hand, and took out, stays so.
    fn look(&mut self, session: &Session) {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let stance = Stance::of(document, skeleton);
        let only = if self.of_selection { self.selected.clone() } else { BTreeSet::new() };
        let sources = mirror::sources(document, &stance, self.from, &only, self.options.tolerance);
        let before: BTreeMap<BoneId, Pair> = self.pairs.iter().map(|p| (p.source, *p)).collect();
        self.pairs = mirror::find_pairs(document, skeleton, &stance, &sources, self.options.tolerance);
        for pair in &mut self.pairs {
            match before.get(&pair.source) {
                Some(old) if old.found == Found::ByHand => *pair = *old,
                Some(old) if old.target == pair.target => pair.taken = old.taken,
                _ => {}
            }
        }
        self.picker = None;
        self.current = self.current.filter(|c| self.pairs.iter().any(|p| p.source == *c));
        self.replan(session);
    }

    fn replan(&mut self, session: &Session) {
        self.plan = mirror::plan(session.document(), &session.character().skeleton, &self.pairs, &self.options);
        self.seen = Seen::of(session);
    }

    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let session = cx.session();
        if !self.seen.same_character(session) {
            return (String::new(), Stays::Closed);
        }
        let now = session.selection().shown_joints(session.document());
        let moved = self.selected != now;
        self.selected = now;
        let by_hand = moved && !std::mem::take(&mut self.selects);
        if (by_hand && self.of_selection) || !self.seen.is_current(session) {
            self.look(session);
        }
        cx.state.hint = vec![(String::new(), cx.tr("mirror.hint").into_owned())];
        let title = cx.tr("mirror.title").into_owned();
        let note = self.note(cx);
        let rows = size::ROW_TABLE * self.pairs.len().max(4) as f32;
        let at = place(ctx, 0.47, [640.0, 680.0], (96.0 + 226.0 + rows).clamp(420.0, 700.0));
        let (mut deed, mut hovered) = (None, None);
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            &note,
            at,
            &mut both,
            |ui, (mirror, cx)| {
                mirror.head_ui(ui, cx);
                mirror.rows_ui(ui, cx, &mut hovered);
            },
            |ui, (mirror, cx)| deed = mirror.footer_ui(ui, cx),
        );
        hovered = self.picker_ui(ctx, cx).or(hovered);
        if hovered.is_some() || self.hovered.is_some() {
            cx.command(Command::Hover(hovered));
        }
        self.hovered = hovered;
        self.guide(cx);
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match deed.or(keys) {
            Some(Deed::Apply) => self.apply(cx),
            Some(Deed::Close) => Stays::Closed,
            None => Stays::Open,
        };
        if stays == Stays::Closed {
            cx.state.guides.clear();
            if self.hovered.is_some() {
                cx.command(Command::Hover(None));
            }
        }
        (title, stays)
    }

    fn apply(&self, cx: &mut Cx<'_>) -> Stays {
        if self.plan.joints == 0 {
            return Stays::Open;
        }
        cx.command(Command::Apply(self.plan.edit.clone(), Label::new("mirror", self.plan.joints).told()));
        Stays::Closed
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        let found = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let lone = self.pairs.len() - found;
        let count = |key: &str, n: usize| cx.theme.count(key, n);
        match lone {
            0 => count("mirror.found", found),
            n => format!("{}{}{}", count("mirror.found", found), cx.tr("windows.and"), count("mirror.lone", n)),
        }
    }

    /// The list of bones below a target's field; the bone under the pointer in it.
    fn picker_ui(&mut self, ctx: &Context, cx: &Cx<'_>) -> Option<BoneId> {
        let mut picker = self.picker.take()?;
        let pair = self.pairs.get(picker.row).copied()?;
        let skeleton = &cx.session().character().skeleton;
        let targets = self.pairs.iter().filter_map(|p| Some((p.target?, skeleton.name(p.source))));
        let taken: BTreeMap<BoneId, &str> = targets.collect();
        let picked = picker.show(ctx, cx, &[], &taken);
        match picked.choice {
            Some(Choice(target)) => self.choose(cx.session(), picker.row, target.filter(|t| *t != pair.source)),
            None if !picked.closed => self.picker = Some(picker),
            None => {}
        }
        picked.hovered
    }

    /// The artist says where a joint's values go; a bone is the target of one joint only.
    fn choose(&mut self, session: &Session, row: usize, target: Option<BoneId>) {
        let stance = Stance::of(session.document(), &session.character().skeleton);
        for pair in &mut self.pairs {
            if pair.target == target && target.is_some() {
                (pair.target, pair.apart, pair.found, pair.taken) = (None, None, Found::Nothing, false);
            }
        }
        let pair = &mut self.pairs[row];
        pair.target = target;
        pair.taken = target.is_some();
        pair.found = if target.is_some() { Found::ByHand } else { Found::Nothing };
        let image = stance.head(pair.source).map(mirror::mirrored);
        pair.apart = image.zip(target.and_then(|t| stance.head(t))).map(|(a, b)| a.distance(b));
        self.replan(session);
    }
}
