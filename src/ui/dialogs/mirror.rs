//! Mirror: which joint of one side gives its values to which bone of the other, and what changes sign.

mod head;
mod rows;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left};
use super::table::{BoneChoice, BonePicker};
use crate::document::{EditLabel, RestFrames};
use crate::rig::{BoneId, Facing};
use crate::session::{Command, Session};
use crate::tools::{
    mirror, mirror::MirrorOptions, mirror::MirrorPair, mirror::MirrorPlan, mirror::PairMatch, mirror::SourceSide,
};
use crate::ui::kit::toggle::labelled_checkbox;
use crate::ui::kit::tokens::size;
use crate::ui::{OverlayLine, OverlayLineKind, UiContext};
use egui::{Align, Context, Layout, Rect, Ui};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs beyond this many get no arcs: they would be a thicket.
const MAX_ARCS: usize = 48;

/// Pairs and how they are copied.
#[derive(Debug)]
pub(super) struct MirrorDialog {
    source_side: SourceSide,
    /// Selected joints only.
    selected_only: bool,
    options: MirrorOptions,
    pairs: Vec<MirrorPair>,
    plan: MirrorPlan,
    snapshot: SessionSnapshot,
    /// The joints that were selected when pairs were sought.
    selected: BTreeSet<BoneId>,
    /// The selection is about to change because the list was selected: the list stays.
    keeps_pairs_on_selection: bool,
    /// The row that is looked at, by its source.
    current_source: Option<BoneId>,
    picker: Option<BonePicker>,
    hovered_bone: Option<BoneId>,
}

impl MirrorDialog {
    pub(super) fn new(session: &Session) -> Self {
        let selected = session.selection().highlighted_joints(session.document());
        let stance = RestFrames::of(session.document(), &session.character().skeleton);
        let on = |from: SourceSide| {
            selected.iter().filter(|b| stance.head(**b).is_some_and(|p| from.contains(p, 1e-3))).count()
        };
        let from = if on(SourceSide::MinusX) > on(SourceSide::PlusX) { SourceSide::MinusX } else { SourceSide::PlusX };
        let mut window = Self {
            source_side: from,
            selected_only: on(from) > 0,
            options: MirrorOptions::default(),
            pairs: Vec::new(),
            plan: mirror::plan_mirror(
                session.document(),
                &session.character().skeleton,
                &[],
                &MirrorOptions::default(),
            ),
            snapshot: SessionSnapshot::of(session),
            selected,
            keeps_pairs_on_selection: false,
            current_source: None,
            picker: None,
            hovered_bone: None,
        };
        window.find_pairs(session);
        window
    }

    /// Seeks pairs anew; what the artist chose by hand, and took out, stays so.
    fn find_pairs(&mut self, session: &Session) {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let stance = RestFrames::of(document, skeleton);
        let only = if self.selected_only { self.selected.clone() } else { BTreeSet::new() };
        let sources = mirror::source_joints(document, &stance, self.source_side, &only, self.options.tolerance);
        let before: BTreeMap<BoneId, MirrorPair> = self.pairs.iter().map(|p| (p.source, *p)).collect();
        self.pairs = mirror::find_pairs(document, skeleton, &stance, &sources, self.options.tolerance);
        for pair in &mut self.pairs {
            match before.get(&pair.source) {
                Some(old) if old.match_kind == PairMatch::Manual => *pair = *old,
                Some(old) if old.target == pair.target => pair.included = old.included,
                _ => {}
            }
        }
        self.picker = None;
        self.current_source = self.current_source.filter(|c| self.pairs.iter().any(|p| p.source == *c));
        self.replan(session);
    }

    fn replan(&mut self, session: &Session) {
        self.plan = mirror::plan_mirror(session.document(), &session.character().skeleton, &self.pairs, &self.options);
        self.snapshot = SessionSnapshot::of(session);
    }

    /// The list of bones below a target's field; the bone under the pointer in it.
    fn picker_ui(&mut self, ctx: &Context, cx: &UiContext<'_>) -> Option<BoneId> {
        let mut picker = self.picker.take()?;
        let pair = self.pairs.get(picker.row).copied()?;
        let skeleton = &cx.session().character().skeleton;
        let targets = self.pairs.iter().filter_map(|p| Some((p.target?, skeleton.name(p.source))));
        let taken: BTreeMap<BoneId, &str> = targets.collect();
        let picked = picker.show(ctx, cx, &[], &taken);
        match picked.choice {
            Some(BoneChoice(target)) => self.set_target(cx.session(), picker.row, target.filter(|t| *t != pair.source)),
            None if !picked.closed => self.picker = Some(picker),
            None => {}
        }
        picked.hovered
    }

    /// The artist says where a joint's values go; a bone is the target of one joint only.
    fn set_target(&mut self, session: &Session, row: usize, target: Option<BoneId>) {
        let stance = RestFrames::of(session.document(), &session.character().skeleton);
        for pair in &mut self.pairs {
            if pair.target == target && target.is_some() {
                (pair.target, pair.distance, pair.match_kind, pair.included) = (None, None, PairMatch::NotFound, false);
            }
        }
        let pair = &mut self.pairs[row];
        pair.target = target;
        pair.included = target.is_some();
        pair.match_kind = if target.is_some() { PairMatch::Manual } else { PairMatch::NotFound };
        let image = stance.head(pair.source).map(mirror::mirror_point);
        pair.distance = image.zip(target.and_then(|t| stance.head(t))).map(|(a, b)| a.distance(b));
        self.replan(session);
    }

    /// Both sides, arcs between them, and the plane.
    fn draw_overlay_lines(&self, cx: &mut UiContext<'_>) {
        let session = cx.session();
        let frames = &session.playback().displayed_pose().frames;
        let head = |bone: BoneId| frames.get(bone.index()).map(|f| f.position);
        let mut guides = Vec::new();
        guides.extend(mirror_plane(cx));
        let taken: Vec<&MirrorPair> = self.pairs.iter().filter(|p| p.included).collect();
        let forward = match session.character().facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        };
        for pair in &taken {
            let now = self.current_source == Some(pair.source) || self.hovered_bone == Some(pair.source);
            if let (Some(a), Some(b)) = (head(pair.source), pair.target.and_then(head))
                && (now || taken.len() <= MAX_ARCS)
            {
                let ink = if now { OverlayLineKind::CurrentLink } else { OverlayLineKind::Link };
                guides.push(OverlayLine { points: arc(a, b, forward), radius: 0.0, kind: ink, label: String::new() });
            }
        }
        let skeleton = &session.character().skeleton;
        let tip = |bone: BoneId| {
            let below = || skeleton.children(bone).first().and_then(|c| head(*c));
            session
                .playback()
                .displayed_tip(bone)
                .or_else(|| if bone.index() < skeleton.len() { below() } else { None })
        };
        let mut side = |bone: BoneId, ink: OverlayLineKind, words: &str| {
            if let (Some(a), Some(b)) = (head(bone), tip(bone)) {
                guides.push(OverlayLine { points: vec![a, b], radius: 0.0, kind: ink, label: words.to_owned() });
            }
        };
        let (source, target) = (cx.tr("mirror.source_tag"), cx.tr("mirror.target_tag"));
        // The widest pair says which side is which: there the words do not meet.
        let wide = |pair: &&&MirrorPair| head(pair.source).map_or(0.0, |p| p.x.abs());
        let widest = taken.iter().max_by(|a, b| wide(a).total_cmp(&wide(b))).map(|p| p.source);
        for pair in &taken {
            let tags = if Some(pair.source) == widest { [&*source, &*target] } else { [""; 2] };
            side(pair.source, OverlayLineKind::Source, tags[0]);
            if let Some(bone) = pair.target {
                side(bone, OverlayLineKind::Target, tags[1]);
            }
        }
        cx.state.overlay_lines = guides;
    }
}

impl Dialog for MirrorDialog {
    fn title_key(&self) -> &'static str {
        "mirror.title"
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        let found = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let count = |key: &str, n: usize| cx.theme.count(key, n);
        match self.pairs.len() - found {
            0 => count("mirror.found", found),
            n => format!("{}{}{}", count("mirror.found", found), cx.tr("windows.and"), count("mirror.lone", n)),
        }
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        let rows = size::ROW_TABLE * self.pairs.len().max(4) as f32;
        at_left(ctx, 0.47, [640.0, 680.0], (226.0 + rows).clamp(324.0, 604.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let session = cx.session();
        if !self.snapshot.same_character(session) {
            return DialogResult::Closed;
        }
        let now = session.selection().highlighted_joints(session.document());
        let moved = self.selected != now;
        self.selected = now;
        let by_hand = moved && !std::mem::take(&mut self.keeps_pairs_on_selection);
        if (by_hand && self.selected_only) || !self.snapshot.is_current(session) {
            self.find_pairs(session);
        }
        cx.state.mouse_hints = vec![(String::new(), cx.tr("mirror.hint").into_owned())];
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        self.header_ui(ui, cx);
        self.rows_ui(ui, cx, out);
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let joints = self.plan.joints;
        vec![DialogButton::apply(cx.theme.count("mirror.apply", joints), joints > 0), DialogButton::cancel(cx)]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let options = &mut self.options;
            let colliders = labelled_checkbox(ui, &cx.tr("mirror.colliders_too"), &mut options.colliders);
            let bare = labelled_checkbox(ui, &cx.tr("mirror.only_bare"), &mut options.only_unsimulated_targets);
            if colliders.changed() || bare.changed() {
                self.replan(cx.session());
            }
        });
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        out.hovered_bone = self.picker_ui(ctx, cx).or(out.hovered_bone);
        self.hovered_bone = out.hovered_bone;
    }

    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        self.draw_overlay_lines(cx);
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.command(Command::ApplyEdit(
            self.plan.edit.clone(),
            EditLabel::new("mirror", self.plan.joints).show_message(),
        ));
        DialogResult::Closed
    }

    fn cancel_text_edit(&mut self) {
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
fn mirror_plane(cx: &UiContext<'_>) -> Option<OverlayLine> {
    let session = cx.session();
    let stance = RestFrames::of(session.document(), &session.character().skeleton);
    let heads = || stance.rest().frames.iter().map(|f| f.position).filter(|p| p.is_finite());
    let low = heads().map(|p| p.y).fold(f32::MAX, f32::min);
    let height = stance.height();
    (low < f32::MAX).then(|| OverlayLine {
        points: vec![Vec3::new(0.0, low, 0.0), Vec3::new(0.0, low + 1.12 * height, 0.0)],
        radius: 0.0,
        kind: OverlayLineKind::Plane,
        label: String::new(),
    })
}
