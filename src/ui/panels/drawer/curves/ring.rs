//! The curve of a parameter or a feel term around a ring of chains, beside the curve along the chain.

use super::{ChainCurve, CurvesTab, def_of, name_of, params_with_curve};
use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::curve_editor::{SIDE_WIDTH, SideColumn};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::{NumberFormat, number_field};
use crate::ui::kit::ring_editor::{RingEditorEvent, RingEditorInput, RingMark, ring_editor};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::{labelled_checkbox, segmented};
use crate::ui::kit::tokens::{size, space, stroke};
use crate::ui::{CurveRef, UiContext};
use egui::{Align, Label, Layout, Rect, ScrollArea, Stroke, Ui, UiBuilder};
use std::borrow::Cow;
use yuremono_model::document::ring::{MIN_CHAINS, RingProblem, find_ring, ring_candidates};
use yuremono_model::document::{ChainId, RingPlace};
use yuremono_session::{Command, SelectMode};
use yuremono_sim::math::RingCurve;
use yuremono_sim::params::ParamId;
use yuremono_sim::{FeelParam, UNLIMITED_ANGLE_DEG};

/// Width of the fields beside the ring, in points.
const FIELDS_WIDTH: f32 = 148.0;
/// How much wider than high the ring is with the names of its sides, in points.
const SIDE_NAMES_WIDTH: f32 = 40.0;
/// Width of the column that offers a ring, in points.
const OFFER_WIDTH: f32 = 212.0;
/// Smallest width that remains for the plot of the curve along the chain, in points.
const MIN_PLOT_WIDTH: f32 = 176.0;
/// Height of the choice between the two curves, with the space above, in points.
const CHOICE_HEIGHT: f32 = space::M + size::HIT_MIN;

/// What the column beside the curve shows.
pub(super) enum RingColumn {
    /// The ring of the chain.
    Ring(RingPlace),
    /// Chains that form a ring, or why they do not.
    Offer(Result<Vec<(ChainId, f32)>, RingProblem>),
    /// The ring cannot multiply this term.
    Unavailable(FeelParam, RingObstacle),
}

/// Why the ring cannot multiply a feel term.
#[derive(Clone, Copy)]
pub(super) enum RingObstacle {
    LimitOff,
    ParamsWithoutCurves,
    /// No factor of a parameter changes the term. The parameter can have a ring curve itself.
    ParamWithoutEffect(ParamId),
}

/// Where the column is.
pub(super) struct RingColumnLayout {
    /// The column; without width if it is hidden.
    pub(super) ring: Rect,
    /// Whether the artist chooses between the column and the fields of the curve.
    has_choice: bool,
    /// The fields of the curve along the chain.
    pub(super) side: SideColumn,
}

impl RingColumn {
    /// Returns the column for a curve of a chain. `None` if neither the selected chains nor the neighbours of the chain
    /// could be a ring.
    pub(super) fn of(cx: &UiContext<'_>, chain: ChainId, of: ChainCurve) -> Option<Self> {
        let document = cx.document();
        let mut chosen = cx.selection().chains(document);
        let ring_place = document.chains.get(&chain)?.ring;
        if let Some(ring_place) = ring_place.filter(|ring_place| is_ring_of_all(cx, *ring_place, &chosen)) {
            return Some(match of {
                ChainCurve::Feel(term) if !cx.inspection().feel_can_follow_ring(chain, term) => {
                    Self::unavailable(cx, chain, term)
                }
                _ => Self::Ring(ring_place),
            });
        }
        if chosen.len() < 2 {
            chosen = ring_candidates(document, cx.character(), chain);
        }
        // Two neighbours, such as twin tails, are not worth a sentence.
        (chosen.len() >= MIN_CHAINS).then(|| Self::Offer(find_ring(document, cx.character(), &chosen)))
    }

    fn unavailable(cx: &UiContext<'_>, chain: ChainId, term: FeelParam) -> Self {
        let value = cx.inspection().feel_chain_value(chain, term);
        if term == FeelParam::MaxAngle && value.is_some_and(|value| value.base >= UNLIMITED_ANGLE_DEG) {
            return Self::Unavailable(term, RingObstacle::LimitOff);
        }
        let obstacle =
            param_of_term(cx, chain, term).map_or(RingObstacle::ParamsWithoutCurves, RingObstacle::ParamWithoutEffect);
        Self::Unavailable(term, obstacle)
    }
}

/// Returns the first parameter of a term that can have a curve.
fn param_of_term(cx: &UiContext<'_>, chain: ChainId, term: FeelParam) -> Option<ParamId> {
    let affected = cx.inspection().feel_affected_params(chain, term);
    params_with_curve(cx.session()).map(|(param, _)| param).find(|param| affected.contains(param))
}

/// Whether the selected chains are all in this ring. Otherwise the other chains can join the ring.
fn is_ring_of_all(cx: &UiContext<'_>, ring_place: RingPlace, chosen: &[ChainId]) -> bool {
    let ring = |id: &ChainId| cx.document().chains.get(id).and_then(|chain| chain.ring);
    chosen.iter().all(|id| ring(id).is_some_and(|other| other.ring == ring_place.ring))
}

impl CurvesTab {
    /// Returns where the column is in a body. If there is no space for both, the artist chooses between the column and the
    /// fields of the curve.
    pub(super) fn place_ring_column(&self, column: &RingColumn, body: Rect) -> RingColumnLayout {
        let wanted = match column {
            RingColumn::Ring(_) => body.height() + SIDE_NAMES_WIDTH + space::M + FIELDS_WIDTH,
            RingColumn::Offer(_) | RingColumn::Unavailable(..) => OFFER_WIDTH,
        };
        let has_choice = body.width() - wanted < MIN_PLOT_WIDTH + SIDE_WIDTH;
        let (width, side) = match (has_choice, self.shows_ring) {
            (false, _) => (wanted, SideColumn::Shown),
            (true, true) => (wanted.min(body.width() - MIN_PLOT_WIDTH), SideColumn::Hidden),
            (true, false) => (0.0, SideColumn::Below(CHOICE_HEIGHT)),
        };
        RingColumnLayout { ring: body.with_min_x(body.right() - width), has_choice, side }
    }

    pub(super) fn ring_column_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        column_layout: &RingColumnLayout,
        column: &RingColumn,
        chain: ChainId,
        of: ChainCurve,
    ) {
        let area = column_layout.ring;
        if area.width() == 0.0 {
            let side = area.with_min_x(area.right() - SIDE_WIDTH).shrink2(egui::vec2(space::L, space::M));
            return self.choice_ui(&mut ui.new_child(UiBuilder::new().max_rect(side)), cx);
        }
        ui.painter().vline(area.left(), area.y_range(), Stroke::new(stroke::HAIRLINE, cx.theme.color.border));
        match column {
            RingColumn::Ring(ring_place) => self.ring_ui(ui, cx, column_layout, *ring_place, chain, of),
            RingColumn::Offer(found) => {
                let mut ui = self.sentences_ui(ui, cx, column_layout);
                offer_ui(&mut ui, cx, found);
            }
            RingColumn::Unavailable(term, obstacle) => {
                let mut ui = self.sentences_ui(ui, cx, column_layout);
                unavailable_ui(&mut ui, cx, *term, *obstacle);
            }
        }
    }

    /// Draws the choice between the column and the fields of the curve.
    fn choice_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let (along, around) = (tr!(cx, "Along"), tr!(cx, "Around"));
        let now = usize::from(self.shows_ring);
        let chosen = segmented(ui, &[(&*along, None), (&*around, None)], now, size::HIT_MIN);
        self.shows_ring = chosen.unwrap_or(now) == 1;
    }

    /// Draws the choice or the heading of a column with sentences, and returns its area.
    fn sentences_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, column_layout: &RingColumnLayout) -> Ui {
        let area = column_layout.ring.shrink2(egui::vec2(space::L, space::M));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(area).layout(Layout::top_down(Align::Min)));
        ui.spacing_mut().item_spacing.y = space::S;
        if column_layout.has_choice {
            self.choice_ui(&mut ui, cx);
        } else {
            ui.label(TextSize::Strong.rich(tr!(cx, "Ring curve")));
        }
        ui
    }

    fn ring_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        column_layout: &RingColumnLayout,
        ring_place: RingPlace,
        chain: ChainId,
        of: ChainCurve,
    ) {
        let (document, inspection) = (cx.document(), cx.inspection());
        let curve = match of {
            ChainCurve::Param(param) => {
                document.chains[&chain].values[param.index()].around.clone().unwrap_or_else(RingCurve::level)
            }
            ChainCurve::Feel(term) => inspection.feel_ring_curve(ring_place.ring, term),
        };
        let factor = |id: &ChainId| match of {
            ChainCurve::Param(param) => document.chains[id].ring_factor(param),
            ChainCurve::Feel(term) => inspection.feel_ring_factor(*id, term),
        };
        let members = document.ring_chains(ring_place.ring);
        let hovered = cx.selection().hovered.and_then(|bone| document.find_joint(bone)).map(|(id, _)| id);
        let marks: Vec<RingMark<'_>> = members
            .iter()
            .map(|(id, angle)| RingMark {
                name: &document.chains[id].name,
                angle: *angle,
                factor: factor(id),
                active: *id == chain,
                highlighted: hovered == Some(*id),
            })
            .collect();
        let name = tr!(cx, "{name} around the ring", name = &name_of(cx, of.curve_ref()));
        let role = ColorRole::for_meaning(def_of(cx.session(), of.curve_ref()).meaning);
        let area = column_layout.ring.shrink2(egui::vec2(space::S, space::XS));
        let (drawing, fields) = area.split_left_right_at_x(area.right() - FIELDS_WIDTH);
        let view = RingEditorInput { name: &name, curve: &curve, marks: &marks, role };
        for change in ring_editor(ui, drawing, &view) {
            self.apply_ring_change(cx, of, change, &members);
        }
        let layout = Layout::top_down(Align::Min);
        let mut fields =
            ui.new_child(UiBuilder::new().max_rect(fields.with_min_x(fields.left() + space::M)).layout(layout));
        fields.spacing_mut().item_spacing = egui::vec2(space::S, space::XXS);
        if column_layout.has_choice {
            fields.add_space(space::XS);
            self.choice_ui(&mut fields, cx);
        } else {
            let text = tr!(cx, "{n:chain|chains}", n = members.len());
            fields.horizontal(|ui| {
                ui.label(TextSize::Strong.rich(tr!(cx, "Ring curve")));
                ui.label(TextSize::Small.rich(text).color(cx.theme.color.text_3));
            });
        }
        let names = chain_names(cx, members.iter().map(|(id, _)| *id)).join(&tr!(cx, ", "));
        let label = Label::new(TextSize::Small.rich(&names).color(cx.theme.color.text_2)).truncate();
        fields.add(label).on_hover_text(&names);
        self.ring_fields_ui(&mut fields, cx, of, &curve, &members);
    }

    fn apply_ring_change(
        &mut self,
        cx: &mut UiContext<'_>,
        of: ChainCurve,
        change: RingEditorEvent,
        members: &[(ChainId, f32)],
    ) {
        match change {
            RingEditorEvent::Replace(curve) => {
                self.begin(cx);
                // A level curve whose sides are independent stays, so that one side can be changed.
                let curve = (!curve.is_level() || !curve.is_mirrored()).then_some(curve);
                cx.command(match of {
                    ChainCurve::Param(param) => Command::SetRingCurve(param, curve),
                    ChainCurve::Feel(term) => Command::SetFeelRingCurve(term, curve),
                });
            }
            RingEditorEvent::Committed => self.end(cx),
            RingEditorEvent::Cancelled => self.cancel(cx),
            RingEditorEvent::SelectChain(at) => {
                let Some(chain) = cx.document().chains.get(&members[at].0) else { return };
                let bones = chain.joints.iter().rev().map(|joint| joint.bone).collect();
                cx.command(Command::Select(bones, SelectMode::Replace));
            }
            RingEditorEvent::HoverChain(at) => {
                let root = cx.document().chains.get(&members[at].0).map(yuremono_model::document::Chain::root);
                cx.command(Command::Hover(root));
                // The tab ends the hover when the pointer leaves the chain.
                self.hovered_joint = true;
            }
        }
    }

    /// Draws the exact factors, the check box of the symmetry, and the button that dissolves the ring.
    fn ring_fields_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        of: ChainCurve,
        curve: &RingCurve,
        members: &[(ChainId, f32)],
    ) {
        let mut replaced = None;
        // A curve of a feel term can have a key at each chain. The row below stays visible.
        let below = size::HIT_MIN + space::XXS;
        let keys = ScrollArea::vertical().max_height((ui.available_height() - below).max(size::BAR));
        keys.show(ui, |ui| {
            for (index, key) in curve.keys().iter().enumerate() {
                ui.horizontal(|ui| {
                    let text = side_text(cx, key.angle, curve.is_mirrored());
                    let label = Label::new(TextSize::Small.rich(&*text).color(cx.theme.color.text_2));
                    ui.allocate_ui_with_layout(
                        egui::vec2(50.0, size::BAR),
                        Layout::left_to_right(Align::Center),
                        |ui| {
                            ui.set_min_width(50.0);
                            ui.add(label);
                        },
                    );
                    let format = NumberFormat::with_suffix("", 2);
                    let (_, typed) = number_field(ui, &text, Some(key.factor), format, 64.0, None);
                    replaced = typed.map(|factor| curve.with_factor(index, factor.max(0.0))).or(replaced.take());
                });
            }
        });
        ui.horizontal(|ui| {
            let mut mirrored = curve.is_mirrored();
            let hint = tr!(cx, "The right side has the factors of the left side.");
            labelled_checkbox(ui, &tr!(cx, "Symmetric"), &mut mirrored).on_hover_text(hint);
            if mirrored != curve.is_mirrored() {
                replaced = Some(curve.with_mirrored(mirrored));
            }
            if IconButton::new(icons::LINK_BREAK, &tr!(cx, "Dissolve ring")).show(ui).clicked() {
                cx.command(Command::DissolveRing(members.iter().map(|(id, _)| *id).collect()));
            }
        });
        if let Some(curve) = replaced {
            self.apply_ring_change(cx, of, RingEditorEvent::Replace(curve), members);
            self.apply_ring_change(cx, of, RingEditorEvent::Committed, members);
        }
    }
}

fn chain_names(cx: &UiContext<'_>, chains: impl Iterator<Item = ChainId>) -> Vec<String> {
    chains.filter_map(|id| Some(cx.document().chains.get(&id)?.name.clone())).collect()
}

/// Returns the name of an angle, for example "Front".
fn side_text(cx: &UiContext<'_>, angle: f32, mirrored: bool) -> Cow<'static, str> {
    match angle {
        0.0 => tr!(cx, "Front"),
        90.0 if mirrored => tr!(cx, "Sides"),
        90.0 => tr!(cx, "Left"),
        -90.0 => tr!(cx, "Right"),
        180.0 => tr!(cx, "Back"),
        _ => format!("{angle:.0}°").into(),
    }
}

fn note_ui(ui: &mut Ui, cx: &UiContext<'_>, text: &str) {
    ui.add(Label::new(TextSize::Small.rich(text).color(cx.theme.color.text_2)).wrap());
}

/// Draws the button that makes a ring, or why the chains do not form a ring.
fn offer_ui(ui: &mut Ui, cx: &mut UiContext<'_>, found: &Result<Vec<(ChainId, f32)>, RingProblem>) {
    match found {
        Ok(ring) => {
            let names = chain_names(cx, ring.iter().map(|(id, _)| *id));
            let shown = match &*names {
                [first, second, _, .., last] => format!("{first}{}{second} … {last}", tr!(cx, ", ")),
                _ => names.join(&tr!(cx, ", ")),
            };
            let text = tr!(
                cx,
                "{names} form a ring around the body. In a ring, a second curve changes values from front to back.",
                names = shown
            );
            note_ui(ui, cx, &text);
            let joins = ring.iter().any(|(id, _)| cx.document().chains[id].ring.is_some());
            let n = ring.len();
            let text = if joins {
                tr!(cx, "Add to ring: {n:chain|chains}", n)
            } else {
                tr!(cx, "Make ring of {n:chain|chains}", n)
            };
            if secondary(&text).small().icon(icons::CIRCLE_DASHED).width(ui.available_width()).show(ui).clicked() {
                cx.command(Command::MakeRing(ring.iter().map(|(id, _)| *id).collect()));
            }
        }
        Err(problem) => {
            note_ui(ui, cx, &tr!(cx, "No ring: {why}.", why = problem.message()));
        }
    }
}

/// Draws why the ring does not change a feel term, and a button that shows the curve of its parameter.
fn unavailable_ui(ui: &mut Ui, cx: &mut UiContext<'_>, term: FeelParam, obstacle: RingObstacle) {
    let name = name_of(cx, CurveRef::Feel(term));
    let text = match obstacle {
        RingObstacle::LimitOff => tr!(
            cx,
            "No angle limit is on, so the ring has nothing to multiply. Set the base value of {name} first.",
            name
        ),
        RingObstacle::ParamsWithoutCurves => {
            tr!(cx, "The parameters of {name} have no curves in this solver.", name)
        }
        RingObstacle::ParamWithoutEffect(_) => {
            tr!(cx, "With the present values, no ring curve of a parameter can multiply {name}.", name)
        }
    };
    note_ui(ui, cx, &text);
    if let RingObstacle::ParamWithoutEffect(param) = obstacle {
        let label = tr!(cx, "Show {name}", name = &name_of(cx, CurveRef::Param(param)));
        if secondary(&label).small().icon(icons::BEZIER_CURVE).width(ui.available_width()).show(ui).clicked() {
            cx.state.shown_curve = Some(CurveRef::Param(param));
        }
    }
}
