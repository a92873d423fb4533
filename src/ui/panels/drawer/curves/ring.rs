//! The curve of a parameter around a ring of chains, beside the curve along the chain.

use super::{CurvesTab, def_of, name_of};
use crate::document::ring::{MIN_CHAINS, RingProblem, find_ring, ring_candidates};
use crate::document::{ChainId, RingPlace};
use crate::math::RingCurve;
use crate::params::ParamId;
use crate::session::{Command, SelectMode};
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::{NumberFormat, number_field};
use crate::ui::kit::ring_editor::{RingChange, RingEditorInput, RingMark, ring_editor, split_area};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::labelled_checkbox;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{CurveRef, UiContext};
use egui::{Align, Label, Layout, Rect, Ui, UiBuilder};

/// Width of the fields beside the ring, in points.
const FIELDS_WIDTH: f32 = 148.0;
/// Width of the column that offers a ring, in points.
const OFFER_WIDTH: f32 = 212.0;
/// Smallest width that remains for the curve along the chain, in points.
const MIN_CURVE_WIDTH: f32 = 380.0;

/// What the column beside the curve shows.
pub(super) enum RingColumn {
    /// The ring of the chain.
    Ring(RingPlace),
    /// Chains that form a ring, or why they do not.
    Offer(Result<Vec<(ChainId, f32)>, RingProblem>),
}

impl RingColumn {
    /// Returns the column for a chain. `None` if neither the selected chains nor the neighbours of the chain could be a
    /// ring.
    pub(super) fn of(cx: &UiContext<'_>, chain: ChainId) -> Option<Self> {
        let document = cx.document();
        let mut chosen = cx.selection().chains(document);
        let place = document.chains.get(&chain)?.ring;
        if let Some(place) = place.filter(|place| is_ring_of_all(cx, *place, &chosen)) {
            return Some(Self::Ring(place));
        }
        if chosen.len() < 2 {
            chosen = ring_candidates(document, cx.character(), chain);
        }
        // Two neighbours, such as twin tails, are not worth a sentence.
        (chosen.len() >= MIN_CHAINS).then(|| Self::Offer(find_ring(document, cx.character(), &chosen)))
    }

    /// Returns the width of the column in a body of this size.
    pub(super) fn width(&self, body: Rect) -> Option<f32> {
        let width = match self {
            Self::Ring(_) => body.height() + space::M + FIELDS_WIDTH,
            Self::Offer(_) => OFFER_WIDTH,
        };
        (body.width() - width >= MIN_CURVE_WIDTH).then_some(width)
    }
}

/// Whether the selected chains are all in this ring. Otherwise the other chains can join the ring.
fn is_ring_of_all(cx: &UiContext<'_>, place: RingPlace, chosen: &[ChainId]) -> bool {
    let ring = |id: &ChainId| cx.document().chains.get(id).and_then(|chain| chain.ring);
    chosen.iter().all(|id| ring(id).is_some_and(|other| other.ring == place.ring))
}

impl CurvesTab {
    pub(super) fn ring_column_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        area: Rect,
        column: &RingColumn,
        (chain, param): (ChainId, ParamId),
    ) {
        match column {
            RingColumn::Ring(place) => self.ring_ui(ui, cx, area, *place, (chain, param)),
            RingColumn::Offer(found) => offer_ui(ui, cx, area, found),
        }
    }

    fn ring_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        area: Rect,
        place: RingPlace,
        (chain, param): (ChainId, ParamId),
    ) {
        let document = cx.document();
        let around = document.chains[&chain].values[param.index()].around.clone();
        let curve = around.unwrap_or_else(RingCurve::level);
        let members = document.ring_chains(place.ring);
        let hovered = cx.selection().hovered.and_then(|bone| document.find_joint(bone)).map(|(id, _)| id);
        let marks: Vec<RingMark<'_>> = members
            .iter()
            .map(|(id, angle)| RingMark {
                name: &document.chains[id].name,
                angle: *angle,
                factor: document.chains[id].ring_factor(param),
                active: *id == chain,
                highlighted: hovered == Some(*id),
            })
            .collect();
        let of = CurveRef::Param(param);
        let name = cx.tr_with("ring.name", &[("name", &name_of(cx, of))]);
        let role = ColorRole::for_meaning(def_of(cx.session(), of).meaning);
        let (square, fields) = split_area(area.shrink(space::XS));
        let view = RingEditorInput { name: &name, curve: &curve, marks: &marks, role };
        for change in ring_editor(ui, square, &view) {
            self.apply_ring_change(cx, param, change, &members);
        }
        let layout = Layout::top_down(Align::Min);
        let mut fields = ui.new_child(UiBuilder::new().max_rect(fields).layout(layout));
        self.ring_fields_ui(&mut fields, cx, param, &curve, &members);
    }

    fn apply_ring_change(
        &mut self,
        cx: &mut UiContext<'_>,
        param: ParamId,
        change: RingChange,
        members: &[(ChainId, f32)],
    ) {
        match change {
            RingChange::Replace(curve) => {
                self.begin(cx);
                cx.command(Command::SetRingCurve(param, (!curve.is_level()).then_some(curve)));
            }
            RingChange::Committed => self.end(cx),
            RingChange::Cancelled => self.cancel(cx),
            RingChange::SelectChain(at) => {
                let Some(chain) = cx.document().chains.get(&members[at].0) else { return };
                let bones = chain.joints.iter().rev().map(|joint| joint.bone).collect();
                cx.command(Command::Select(bones, SelectMode::Replace));
            }
            RingChange::HoverChain(at) => {
                let root = cx.document().chains.get(&members[at].0).map(crate::document::Chain::root);
                cx.command(Command::Hover(root));
                // The tab ends the hover when the pointer leaves the chain.
                self.hovered_joint = true;
            }
        }
    }

    /// Draws the exact factors, the switch of the symmetry, and the button that dissolves the ring.
    fn ring_fields_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        param: ParamId,
        curve: &RingCurve,
        members: &[(ChainId, f32)],
    ) {
        ui.spacing_mut().item_spacing = egui::vec2(space::S, space::XS);
        ui.horizontal(|ui| {
            ui.label(TextSize::Strong.rich(cx.tr("ring.title")));
            ui.label(TextSize::Small.rich(cx.theme.count("ring.count", members.len())).color(cx.theme.color.text_3));
        });
        let mut replaced = None;
        for (index, key) in curve.keys().iter().enumerate().take(4) {
            ui.horizontal(|ui| {
                let words = side_text(cx, key.angle, curve.is_mirrored());
                ui.add_sized([50.0, size::BAR], Label::new(TextSize::Small.rich(&words).color(cx.theme.color.text_2)));
                let format = NumberFormat::with_suffix("", 2);
                let (_, typed) = number_field(ui, &words, Some(key.factor), format, 64.0, None);
                replaced = typed.map(|factor| curve.with_factor(index, factor.max(0.0))).or(replaced.take());
            });
        }
        let mut mirrored = curve.is_mirrored();
        let hint = cx.tr("ring.mirrored_hint");
        if labelled_checkbox(ui, &cx.tr("ring.mirrored"), &mut mirrored).on_hover_text(hint).changed()
            || mirrored != curve.is_mirrored()
        {
            replaced = Some(curve.with_mirrored(mirrored));
        }
        if let Some(curve) = replaced {
            self.apply_ring_change(cx, param, RingChange::Replace(curve), members);
            self.apply_ring_change(cx, param, RingChange::Committed, members);
        }
        if IconButton::new(icons::LINK_BREAK, &cx.tr("ring.dissolve")).show(ui).clicked() {
            cx.command(Command::DissolveRing(members.iter().map(|(id, _)| *id).collect()));
        }
    }
}

/// Returns the name of an angle, for example "Front".
fn side_text(cx: &UiContext<'_>, angle: f32, mirrored: bool) -> String {
    let key = match angle {
        0.0 => "ring.front",
        90.0 if mirrored => "ring.sides",
        90.0 => "ring.left",
        -90.0 => "ring.right",
        180.0 => "ring.back",
        _ => return format!("{angle:.0}°"),
    };
    cx.tr(key).into_owned()
}

/// Draws the button that makes a ring, or why the chains do not form a ring.
fn offer_ui(ui: &mut Ui, cx: &mut UiContext<'_>, area: Rect, found: &Result<Vec<(ChainId, f32)>, RingProblem>) {
    let layout = Layout::top_down(Align::Min);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(area.shrink2(egui::vec2(space::L, space::M))).layout(layout));
    ui.spacing_mut().item_spacing.y = space::S;
    ui.label(TextSize::Strong.rich(cx.tr("ring.title")));
    let note = |ui: &mut Ui, words: &str| {
        ui.add(Label::new(TextSize::Small.rich(words).color(cx.theme.color.text_2)).wrap());
    };
    match found {
        Ok(ring) => {
            note(&mut ui, &cx.tr("ring.offer"));
            let joins = ring.iter().any(|(id, _)| cx.document().chains[id].ring.is_some());
            let words = cx.theme.count(if joins { "ring.add" } else { "ring.make" }, ring.len());
            if secondary(&words).small().icon(icons::CIRCLE_DASHED).width(ui.available_width()).show(&mut ui).clicked()
            {
                cx.command(Command::MakeRing(ring.iter().map(|(id, _)| *id).collect()));
            }
        }
        Err(problem) => {
            let why = i18n::message_text(cx.theme.lang, &problem.message());
            note(&mut ui, &cx.tr_with("ring.problem", &[("why", &why)]));
        }
    }
}
