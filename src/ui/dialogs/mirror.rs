//! Mirror: which joint of one side gives its values to which bone of the other, and what changes sign.

mod head;
mod rows;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left};
use super::table::{Choice, Picker};
use crate::document::{Label, Stance};
use crate::rig::{BoneId, Facing};
use crate::session::{Command, Session};
use crate::tools::{mirror, mirror::Found, mirror::From, mirror::MirrorPlan, mirror::Options, mirror::Pair};
use crate::ui::kit::toggle::labelled_tick;
use crate::ui::kit::tokens::size;
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align, Context, Layout, Rect, Ui};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs beyond this many get no arcs: they would be a thicket.
const MOST_ARCS: usize = 48;

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

    /// Both sides, arcs between them, and the plane.
    fn guide(&self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let frames = &session.playback().shown().frames;
        let head = |bone: BoneId| frames.get(bone.index()).map(|f| f.position);
        let mut guides = Vec::new();
        guides.extend(plane(cx));
        let taken: Vec<&Pair> = self.pairs.iter().filter(|p| p.taken).collect();
        let forward = match session.character().facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        };
        for pair in &taken {
            let now = self.current == Some(pair.source) || self.hovered == Some(pair.source);
            if let (Some(a), Some(b)) = (head(pair.source), pair.target.and_then(head))
                && (now || taken.len() <= MOST_ARCS)
            {
                let ink = if now { GuideInk::LinkNow } else { GuideInk::Link };
                guides.push(Guide { points: arc(a, b, forward), radius: 0.0, ink, words: String::new() });
            }
        }
        let skeleton = &session.character().skeleton;
        let tip = |bone: BoneId| {
            let below = || skeleton.children(bone).first().and_then(|c| head(*c));
            session.playback().shown_tip(bone).or_else(|| if bone.index() < skeleton.len() { below() } else { None })
        };
        let mut side = |bone: BoneId, ink: GuideInk, words: &str| {
            if let (Some(a), Some(b)) = (head(bone), tip(bone)) {
                guides.push(Guide { points: vec![a, b], radius: 0.0, ink, words: words.to_owned() });
            }
        };
        let (source, target) = (cx.tr("mirror.source_tag"), cx.tr("mirror.target_tag"));
        // The widest pair says which side is which: there the words do not meet.
        let wide = |pair: &&&Pair| head(pair.source).map_or(0.0, |p| p.x.abs());
        let widest = taken.iter().max_by(|a, b| wide(a).total_cmp(&wide(b))).map(|p| p.source);
        for pair in &taken {
            let tags = if Some(pair.source) == widest { [&*source, &*target] } else { [""; 2] };
            side(pair.source, GuideInk::Source, tags[0]);
            if let Some(bone) = pair.target {
                side(bone, GuideInk::Target, tags[1]);
            }
        }
        cx.state.guides = guides;
    }
}

impl Dialog for Mirror {
    fn title_key(&self) -> &'static str {
        "mirror.title"
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        let found = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let count = |key: &str, n: usize| cx.theme.count(key, n);
        match self.pairs.len() - found {
            0 => count("mirror.found", found),
            n => format!("{}{}{}", count("mirror.found", found), cx.tr("windows.and"), count("mirror.lone", n)),
        }
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        let rows = size::ROW_TABLE * self.pairs.len().max(4) as f32;
        at_left(ctx, 0.47, [640.0, 680.0], (226.0 + rows).clamp(324.0, 604.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        let session = cx.session();
        if !self.seen.same_character(session) {
            return DialogResult::Closed;
        }
        let now = session.selection().shown_joints(session.document());
        let moved = self.selected != now;
        self.selected = now;
        let by_hand = moved && !std::mem::take(&mut self.selects);
        if (by_hand && self.of_selection) || !self.seen.is_current(session) {
            self.look(session);
        }
        cx.state.hint = vec![(String::new(), cx.tr("mirror.hint").into_owned())];
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        self.head_ui(ui, cx);
        self.rows_ui(ui, cx, out);
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let joints = self.plan.joints;
        vec![DialogButton::apply(cx.theme.count("mirror.apply", joints), joints > 0), DialogButton::cancel(cx)]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let options = &mut self.options;
            let colliders = labelled_tick(ui, &cx.tr("mirror.colliders_too"), &mut options.colliders);
            let bare = labelled_tick(ui, &cx.tr("mirror.only_bare"), &mut options.only_bare);
            if colliders.changed() || bare.changed() {
                self.replan(cx.session());
            }
        });
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        out.hovered = self.picker_ui(ctx, cx).or(out.hovered);
        self.hovered = out.hovered;
    }

    fn stay(&mut self, cx: &mut Cx<'_>) {
        self.guide(cx);
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        cx.command(Command::Apply(self.plan.edit.clone(), Label::new("mirror", self.plan.joints).told()));
        DialogResult::Closed
    }

    fn escape(&mut self) {
        self.picker = None;
    }
}

/// A line that bends out to the front, so that it does not run through the body.
fn arc(a: Vec3, b: Vec3, forward: Vec3) -> Vec<Vec3> {
    let out = forward * (0.22 * a.distance(b));
    (0..=12_u8)
        .map(|i| {
            let t = f32::from(i) / 12.0;
            a.lerp(b, t) + out * (4.0 * t * (1.0 - t))
        })
        .collect()
}

/// The middle of the character from the ground up, and the plane's edges.
fn plane(cx: &Cx<'_>) -> Option<Guide> {
    let session = cx.session();
    let stance = Stance::of(session.document(), &session.character().skeleton);
    let heads = || stance.rest().frames.iter().map(|f| f.position).filter(|p| p.is_finite());
    let low = heads().map(|p| p.y).fold(f32::MAX, f32::min);
    let height = stance.height();
    (low < f32::MAX).then(|| Guide {
        points: vec![Vec3::new(0.0, low, 0.0), Vec3::new(0.0, low + 1.12 * height, 0.0)],
        radius: 0.0,
        ink: GuideInk::Plane,
        words: String::new(),
    })
}
