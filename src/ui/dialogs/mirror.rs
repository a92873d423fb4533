//! *Mirror*: pairs joints and bones of both sides, and lists the values that change sign.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left};
use super::table::{self, BoneChoice, BonePicker, CellFieldStyle, Cells, Column, FirstCellResponse, Table};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n::param_label;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::number::{NumberFormat, NumberInput};
use crate::ui::kit::paint;
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{CheckState, Choice, badge, chip, labelled_checkbox, segmented_choice};
use crate::ui::kit::tokens::{size, space};
use crate::ui::setup_tools::report_kept_values;
use crate::ui::{OverlayLine, OverlayLineKind, UiContext};
use egui::{Align, Align2, Context, Layout, Rect, Ui, Vec2, pos2, vec2};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{EditLabel, RestFrames};
use yuremono_model::tools::mirror;
use yuremono_model::tools::mirror::{
    MirrorOptions, MirrorPair, MirrorPlan, MirroredValue, PairMatch, SourceSide, UnmatchedPolicy,
};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{EntryRole, MirrorRule, ParamKind, ParamScope, Unit, enumerate_params, first_of_entry};
use yuremono_sim::rig::{BoneId, Facing};

/// Maximum number of pairs that are drawn with arcs. More arcs would hide each other.
const MAX_ARCS: usize = 48;

#[derive(Debug)]
pub(super) struct MirrorDialog {
    source_side: SourceSide,
    selected_only: bool,
    options: MirrorOptions,
    pairs: Vec<MirrorPair>,
    plan: MirrorPlan,
    snapshot: SessionSnapshot,
    /// The joints that were selected when the search for pairs ran.
    selected: BTreeSet<BoneId>,
    /// Whether this dialog selected the listed joints. The change of the selection must not start a new search.
    keeps_pairs_on_selection: bool,
    /// The source joint of the current row.
    current_source: Option<BoneId>,
    picker: Option<BonePicker>,
    hovered_bone: Option<BoneId>,
}

impl MirrorDialog {
    pub(super) fn new(session: &Session) -> Self {
        let selected = session.selection().highlighted_joints(session.document());
        let rest_frames = RestFrames::of(session.document(), &session.character().skeleton);
        let on = |from: SourceSide| {
            selected.iter().filter(|b| rest_frames.head(**b).is_some_and(|p| from.contains(p, 1e-3))).count()
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

    /// Searches for pairs again and keeps the choices of the artist.
    fn find_pairs(&mut self, session: &Session) {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let rest_frames = RestFrames::of(document, skeleton);
        let only = if self.selected_only { self.selected.clone() } else { BTreeSet::new() };
        let sources = mirror::source_joints(document, &rest_frames, self.source_side, &only, self.options.tolerance);
        let before: BTreeMap<BoneId, MirrorPair> = self.pairs.iter().map(|p| (p.source, *p)).collect();
        self.pairs = mirror::find_pairs(document, skeleton, &rest_frames, &sources, self.options.tolerance);
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

    /// Shows the list of bones below a target field. Returns the hovered bone.
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

    /// Sets a target. Each bone is the target of at most one pair.
    fn set_target(&mut self, session: &Session, row: usize, target: Option<BoneId>) {
        let rest_frames = RestFrames::of(session.document(), &session.character().skeleton);
        for pair in &mut self.pairs {
            if pair.target == target && target.is_some() {
                (pair.target, pair.distance, pair.match_kind, pair.included) = (None, None, PairMatch::NotFound, false);
            }
        }
        let pair = &mut self.pairs[row];
        pair.target = target;
        pair.included = target.is_some();
        pair.match_kind = if target.is_some() { PairMatch::Manual } else { PairMatch::NotFound };
        let image = rest_frames.head(pair.source).map(mirror::mirror_point);
        pair.distance = image.zip(target.and_then(|t| rest_frames.head(t))).map(|(a, b)| a.distance(b));
        self.replan(session);
    }

    /// Draws both sides, the arcs between pairs, and the mirror plane.
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
                let kind = if now { OverlayLineKind::CurrentLink } else { OverlayLineKind::Link };
                guides.push(OverlayLine { points: arc(a, b, forward), radius: 0.0, kind, label: String::new() });
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
        let mut side = |bone: BoneId, kind: OverlayLineKind, label: &str| {
            if let (Some(a), Some(b)) = (head(bone), tip(bone)) {
                guides.push(OverlayLine { points: vec![a, b], radius: 0.0, kind, label: label.to_owned() });
            }
        };
        let (source, target) = (tr!(cx, "source"), tr!(cx, "target"));
        // Only the widest pair gets labels, because the labels of other pairs would overlap.
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
    fn title_text(&self) -> MessageText {
        message!("Mirror")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        let found = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let text = tr!(cx, "{n:pair|pairs} found", n = found);
        match self.pairs.len() - found {
            0 => text.into_owned(),
            n => [text, tr!(cx, "{n:bone has|bones have} no partner", n)].join(&*tr!(cx, ", ")),
        }
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        let rows = size::ROW_TABLE * self.pairs.len().max(4) as f32;
        at_left(ctx, 0.47, [656.0, 680.0], (244.0 + rows).clamp(342.0, 622.0))
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
        cx.state.mouse_hints = vec![(
            String::new(),
            tr!(cx, "Hover a row to highlight the pair. Nothing changes until you mirror.").into_owned(),
        )];
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        property_rows(ui, |ui| {
            self.side_ui(ui, cx);
            self.scope_ui(ui, cx);
            copied_values_ui(ui, cx, self.options.colliders);
            self.flips_ui(ui, cx);
            self.unmatched_ui(ui, cx);
        });
        self.rows_ui(ui, cx, out);
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let n = self.plan.joints;
        vec![DialogButton::apply(tr!(cx, "Mirror {n:joint|joints}", n), n > 0), DialogButton::cancel(cx)]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let options = &mut self.options;
            let colliders = labelled_checkbox(ui, &tr!(cx, "Mirror colliders"), &mut options.colliders);
            let bare = labelled_checkbox(ui, &tr!(cx, "Skip simulated targets"), &mut options.only_unsimulated_targets);
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
        let n = self.plan.joints;
        let label = EditLabel::new(message!("Mirror {n:joint|joints}", n))
            .with_message(message!("{n:joint|joints} mirrored", n));
        cx.command(Command::ApplyEdit(self.plan.edit.clone(), label));
        report_kept_values(cx, &self.plan.kept_values);
        DialogResult::Closed
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn has_open_picker(&self) -> bool {
        self.picker.is_some()
    }

    fn close_picker(&mut self) {
        self.picker = None;
    }
}

/// Returns a line that bends to the front of the character, so the line does not cross the body.
fn arc(a: Vec3, b: Vec3, forward: Vec3) -> Vec<Vec3> {
    let out = forward * (0.22 * a.distance(b));
    (0..=12_u8)
        .map(|i| {
            let t = f32::from(i) / 12.0;
            a.lerp(b, t) + out * (4.0 * t * (1.0 - t))
        })
        .collect()
}

/// Returns a vertical line in the mirror plane, slightly higher than the character.
fn mirror_plane(cx: &UiContext<'_>) -> Option<OverlayLine> {
    let session = cx.session();
    let rest_frames = RestFrames::of(session.document(), &session.character().skeleton);
    let heads = || rest_frames.rest().frames.iter().map(|f| f.position).filter(|p| p.is_finite());
    let low = heads().map(|p| p.y).fold(f32::MAX, f32::min);
    let height = rest_frames.height();
    (low < f32::MAX).then(|| OverlayLine {
        points: vec![Vec3::new(0.0, low, 0.0), Vec3::new(0.0, low + 1.12 * height, 0.0)],
        radius: 0.0,
        kind: OverlayLineKind::Plane,
        label: String::new(),
    })
}

const NAME_LEFT: f32 = 34.0;

impl MirrorDialog {
    fn rows_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let top = ui.cursor().top();
        paint::hairline(ui.painter(), ui.max_rect().left(), ui.max_rect().right(), top, c.border);
        let names =
            [message!("Source"), message!("Target{:mirror}"), message!("Distance{:mirror}"), message!("Matched by")];
        let names = names.map(|name| cx.tr(name));
        let bone = 0.30 * (ui.available_width() - NAME_LEFT);
        let columns = [
            Column::new("", NAME_LEFT),
            Column::new(&names[0], bone),
            Column::new("", 26.0),
            Column::new(&names[1], bone).indented(space::XS),
            Column::right_aligned(&names[2], 70.0),
            Column::fill(&names[3]).indented(18.0),
        ];
        let can = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let tick = CheckState::of_count(self.pairs.iter().filter(|p| p.included).count(), can);
        let name = tr!(cx, "Include all pairs");
        let include_all = Some((space::S, &*name, tick));
        let list = Table { include_all, ..Table::new("pairs", &columns, ui.available_height()) };
        if list.show(ui, self.pairs.len(), |cells| self.pair_ui(cx, cells, out)).clicked_all {
            self.pairs.iter_mut().for_each(|p| p.included = tick != CheckState::On && p.target.is_some());
            self.replan(cx.session());
        }
        if self.pairs.is_empty() {
            let text = if self.selected_only {
                tr!(cx, "This side has no selected joints.")
            } else {
                tr!(cx, "This side has no joints.")
            };
            let at = ui.max_rect().center_top() + vec2(0.0, top - ui.max_rect().top() + 80.0);
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &text, TextSize::Body, c.text_3);
        }
    }

    fn pair_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let at = cells.index();
        let pair = self.pairs[at];
        let name = cx.session().inspection().bone_name(pair.source).to_owned();
        let seen = cx.session().selection().hovered;
        let lit = self.current_source == Some(pair.source)
            || seen.is_some_and(|b| b == pair.source || Some(b) == pair.target);
        let (color, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let FirstCellResponse { response, pointer, inner: ticked } = cells.first_cell(&name, lit, |ui, cell| {
            let text = tr!(cx, "Include {name}", name = &name);
            table::row_checkbox(ui, cell, space::S, &text, pair.target.map(|_| CheckState::of(pair.included)))
        });
        let mut arrow = 0.0;
        let long = cells.cell(|ui, cell| {
            arrow = NAME_LEFT + cell.width();
            table::row_bone_name(ui, cell, 0.0, cell.width() - space::S, &name, color)
        });
        if let Some(x) = pointer {
            out.hovered_bone = pair.target.filter(|_| x > arrow).or(Some(pair.source));
        }
        cells.cell(|ui, cell| {
            let center = pos2(cell.left() + 10.0, cell.center().y);
            paint_icon(ui.painter(), center, icons::ARROW_RIGHT, size::ICON_SMALL, soft);
        });
        cells.cell(|ui, cell| self.target_ui(ui, cx, cell, at, &name));
        let apart = pair.distance.map_or_else(|| "–".to_owned(), |m| format!("{:.1} mm", m * 1000.0));
        cells.right_text(&apart, TextSize::Small, soft);
        let found = cx.tr(match_text(pair.match_kind));
        let color = if pair.match_kind == PairMatch::NotFound && !lit { c.warning } else { soft };
        cells.text([18.0, space::M], &found, TextSize::Small, color);
        if response.clicked() {
            self.current_source = Some(pair.source);
        }
        if long {
            response.on_hover_text(&name);
        }
        if ticked {
            self.pairs[at].included = !pair.included;
            self.replan(cx.session());
        }
    }

    fn target_ui(&mut self, ui: &Ui, cx: &UiContext<'_>, cell: Rect, at: usize, name: &str) {
        let pair = self.pairs[at];
        let text = match pair.target {
            Some(bone) => cx.session().inspection().bone_name(bone).to_owned(),
            None => tr!(cx, "Choose bone…").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == at);
        let style = CellFieldStyle { filled: pair.target.is_some(), accent: open, right_inset: 24.0 };
        let label = tr!(cx, "Target of {name}{:mirror}", name);
        let (field, response) = table::cell_field(ui, cell, [&label, &text], style);
        if response.clicked() {
            self.current_source = Some(pair.source);
            self.picker = if open { None } else { Some(BonePicker::new(at, field)) };
        }
    }
}

const fn match_text(found: PairMatch) -> MessageText {
    match found {
        PairMatch::PositionAndName => message!("position and name"),
        PairMatch::Position => message!("position"),
        PairMatch::Name => message!("name"),
        PairMatch::Manual => message!("manual"),
        PairMatch::NotFound => message!("no partner"),
    }
}

const TOLERANCE: NumberInput = NumberInput::new(NumberFormat::for_unit(Unit::Metres).decimals(1), [1e-5, 0.1]);

impl MirrorDialog {
    fn side_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let sides = [SourceSide::PlusX, SourceSide::MinusX].map(|side| Choice::new(side, side_text(cx, side)));
        PropertyRow::new(&tr!(cx, "From{:mirror}")).show(ui, |ui| {
            let mut side = self.source_side;
            segmented_choice(ui, &sides, &mut side);
            ui.label(TextSize::Small.rich(tr!(cx, "to the other side")).color(cx.theme.color.text_2));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if secondary(&tr!(cx, "Swap")).icon(icons::SWAP).small().show(ui).clicked() {
                    side = side.opposite();
                }
            });
            self.set_source_side(cx, side);
        });
    }

    fn set_source_side(&mut self, cx: &UiContext<'_>, from: SourceSide) {
        if self.source_side != from {
            self.source_side = from;
            self.find_pairs(cx.session());
        }
    }

    fn scope_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let scopes =
            [Choice::new(false, tr!(cx, "All")), Choice::new(true, tr!(cx, "Selected")).count(self.selected.len())];
        PropertyRow::new(&tr!(cx, "Joints")).show(ui, |ui| {
            let scope_changed = segmented_choice(ui, &scopes, &mut self.selected_only);
            let name = tr!(cx, "Tolerance");
            ui.label(TextSize::Small.rich(&*name).color(cx.theme.color.text_2));
            let field = TOLERANCE.show(ui, &name, &mut self.options.tolerance);
            if scope_changed | field.changed() {
                self.find_pairs(cx.session());
            }
            field.on_hover_text(tr!(cx, "Largest distance between a bone and the mirror image of its partner"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| self.select_ui(ui, cx));
        });
    }

    /// Draws buttons that select the listed joints, from right to left.
    fn select_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.spacing_mut().item_spacing.x = space::S;
        let sources: Vec<BoneId> = self.pairs.iter().map(|p| p.source).collect();
        let targets: Vec<BoneId> = self.pairs.iter().filter_map(|p| p.target).collect();
        let both: Vec<BoneId> = sources.iter().chain(&targets).copied().collect();
        let choices = [(message!("Both"), both), (message!("Targets"), targets), (message!("Sources"), sources)];
        for (text, bones) in choices {
            let label = cx.tr(text);
            let button = secondary(&label).small().enabled(!bones.is_empty()).show(ui);
            if button.on_hover_text(tr!(cx, "Selects these joints in the view")).clicked() {
                self.keeps_pairs_on_selection = true;
                cx.command(Command::Select(bones, SelectMode::Replace));
            }
        }
        let label = tr!(cx, "Select");
        // A narrow window has no space for the label.
        if ui.available_width() > paint::text_width(ui, &label, TextSize::Small) + space::M {
            ui.label(TextSize::Small.rich(label).color(cx.theme.color.text_2));
        }
    }

    /// Lists the values of the current row that change sign.
    fn flips_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let document = cx.session().document();
        let row = self.current_source.or_else(|| self.pairs.iter().find(|p| p.included).map(|p| p.source));
        let skeleton = &cx.session().character().skeleton;
        let flips = row
            .map(|bone| mirror::mirrored_values(document, skeleton, bone, self.options.unity_accurate))
            .unwrap_or_default();
        let texts = flip_texts(cx, &flips);
        let warning = cx.theme.color.warning;
        PropertyRow::new(&tr!(cx, "Sign flips")).show(ui, |ui| {
            for text in &texts {
                chip(ui, text, Some(icons::PLUS_MINUS), false, Some(warning));
            }
            if texts.is_empty() {
                ui.label(TextSize::Small.rich(tr!(cx, "No value changes its sign.")).color(cx.theme.color.text_3));
            }
            let label = tr!(cx, "Keep X, as Unity");
            let hint = tr!(
                cx,
                "Unity's mirror window copies the sideways force unchanged, so that both sides are pulled in the same \
                 direction. If off, the force is mirrored."
            );
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let tick = labelled_checkbox(ui, &label, &mut self.options.unity_accurate);
                if tick.on_hover_text(hint).changed() {
                    self.replan(cx.session());
                }
            });
        });
    }

    fn unmatched_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let policies = [
            Choice::new(UnmatchedPolicy::CreateImage, tr!(cx, "Create"))
                .hint(tr!(cx, "Creates a mirrored collider if the other side has none")),
            Choice::new(UnmatchedPolicy::KeepSource, tr!(cx, "Keep"))
                .hint(tr!(cx, "The other side uses the same collider or length target as this side")),
            Choice::new(UnmatchedPolicy::Drop, tr!(cx, "Unassign"))
                .hint(tr!(cx, "Unassigns it on the other side, as Unity's window does")),
        ];
        let names = self.plan.unmatched.join(tr!(cx, ", ").as_ref());
        let note = match (self.plan.unmatched.len(), self.plan.colliders) {
            (0, 0) => tr!(cx, "All colliders and length targets have a counterpart."),
            (0, n) => tr!(cx, "{n:collider is|colliders are} created or moved.", n),
            _ => tr!(cx, "No counterpart: {names}", names = &names),
        };
        let color = if names.is_empty() { cx.theme.color.text_3 } else { cx.theme.color.warning };
        let label = tr!(cx, "No counterpart");
        let row = PropertyRow::new(&label).note(&note).note_color(color);
        if row.choice(ui, &policies, &mut self.options.unmatched) {
            self.replan(cx.session());
        }
    }
}

/// Returns the values that change sign. Zeros and symmetric limits are omitted.
fn flip_texts(cx: &UiContext<'_>, flips: &[MirroredValue]) -> Vec<String> {
    let table = cx.session().inspection().system().param_defs();
    let mut texts = Vec::new();
    let mut rest = flips;
    while let [flip, others @ ..] = rest {
        let def = &table[flip.param.index()];
        // Mirroring swaps the lower and the upper limit.
        let next = others
            .first()
            .filter(|next| def.role == EntryRole::Min && def.mirror == MirrorRule::SwapNegate(next.param));
        rest = if next.is_some() { &others[1..] } else { others };
        // The switch of a pair of limits holds the label of the pair.
        let named = if next.is_some() { first_of_entry(table, flip.param) } else { flip.param };
        let label = param_label(cx.theme.lang, &table[named.index()]);
        let (from, to) = match next {
            Some(next) => (range_text(flip.source, next.source), range_text(flip.result, next.result)),
            None => (number_text(flip.source), number_text(flip.result)),
        };
        if from != to {
            texts.push(tr!(cx, "{name}: {from} becomes {to}", name = label, from, to).into_owned());
        }
    }
    texts
}

/// Returns a text such as "Left (X > 0)", seen from the character.
fn side_text(cx: &UiContext<'_>, side: SourceSide) -> String {
    let is_left = (cx.session().character().facing == Facing::PlusZ) == (side == SourceSide::PlusX);
    let name = if is_left { message!("Left") } else { message!("Right") };
    let x = if side == SourceSide::PlusX { "X > 0" } else { "X < 0" };
    tr!(cx, "{name} ({x})", name, x).into_owned()
}

/// Lists the values that are copied unchanged.
fn copied_values_ui(ui: &mut Ui, cx: &UiContext<'_>, colliders: bool) {
    let table = cx.session().inspection().system().param_defs();
    let same = enumerate_params(table).filter(|(_, def)| {
        def.scope == ParamScope::Joint
            && def.mirror == MirrorRule::Same
            && !def.extension
            && !matches!(def.kind, ParamKind::Toggle)
    });
    let mut names: Vec<String> = same.map(|(_, def)| param_label(cx.theme.lang, def).into_owned()).collect();
    names.push(tr!(cx, "Curves").into_owned());
    names.push(tr!(cx, "Pivots, mirrored").into_owned());
    if colliders {
        names.push(tr!(cx, "Collider sizes").into_owned());
    }
    PropertyRow::new(&tr!(cx, "Copied")).wrapped().show(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(space::XS);
        for name in &names {
            badge(ui, name);
        }
    });
}

fn number_text(value: f32) -> String {
    NumberFormat::for_unit(Unit::None).text(value)
}

fn range_text(low: f32, high: f32) -> String {
    let format = NumberFormat::for_unit(Unit::Degrees);
    format!("{}…{}", format.text(low), format.text(high))
}
