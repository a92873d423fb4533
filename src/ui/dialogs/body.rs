//! Body colliders: the shapes that were fitted, which of them are made, how thick.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left, padded, sentence};
use super::table::{self, Cells, Column, RowStart, Table};
use crate::document::{ColliderId, Label, groups};
use crate::session::{Command, Session};
use crate::sim::Shape;
use crate::tools::{body, body::BodyPlan, body::Fit, body::Outcome};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::number::number_field;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::Tick;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words;
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align2, Context, Rect, Ui, pos2};
use std::collections::BTreeMap;

const NAME: f32 = 58.0;
/// Least and greatest thickness, per cent of what was fitted.
const THICKNESS: [f32; 2] = [30.0, 200.0];

/// Of the line about thickness.
const ABOVE: f32 = 44.0;
/// What the joints in reach take at the right, with the gap before them.
const TOUCH: f32 = 96.0;

/// Fits and which of them are taken.
#[derive(Debug)]
pub(super) struct Body {
    fits: Vec<Fit>,
    /// What making each would do.
    outcomes: Vec<Outcome>,
    /// Which fits the artist took or left, by position; the others are taken where their bone carries nothing.
    by_hand: BTreeMap<usize, bool>,
    percent: f32,
    plan: BodyPlan,
    seen: Seen,
}

impl Body {
    pub(super) fn new(session: &Session) -> Self {
        let fits = body::fit(session.character(), session.document());
        let plan = body::plan(session.document(), &session.character().skeleton, &[], 1.0);
        let mut window = Self {
            fits,
            outcomes: Vec::new(),
            by_hand: BTreeMap::new(),
            percent: 100.0,
            plan,
            seen: Seen::of(session),
        };
        window.replan(session);
        window
    }

    fn takes(&self, at: usize) -> bool {
        let unasked = || self.outcomes.get(at).is_some_and(Outcome::is_new);
        self.by_hand.get(&at).copied().unwrap_or_else(unasked)
    }

    /// Positions of the fits that are taken, in the order of the plan.
    fn taken(&self) -> Vec<usize> {
        (0..self.fits.len()).filter(|at| self.takes(*at)).collect()
    }

    fn replan(&mut self, session: &Session) {
        let (document, skeleton) = (session.document(), &session.character().skeleton);
        let thickness = self.percent / 100.0;
        self.outcomes = body::outcomes(document, skeleton, &self.fits, thickness);
        let chosen: Vec<Fit> = self.taken().into_iter().map(|at| self.fits[at].clone()).collect();
        self.plan = body::plan(document, skeleton, &chosen, thickness);
        self.seen = Seen::of(session);
    }

    /// How many colliders Apply makes or updates.
    const fn amount(&self) -> usize {
        self.plan.made + self.plan.updated
    }

    fn apply_words(&self, cx: &Cx<'_>) -> String {
        match (self.plan.made, self.plan.updated) {
            (made, 0) => cx.theme.count("body.apply", made),
            (0, updated) => cx.theme.count("body.update", updated),
            (made, updated) => {
                let numbers = [made, updated].map(|n| n.to_string());
                cx.tr_with("body.apply_both", &[("made", &numbers[0]), ("updated", &numbers[1])])
            }
        }
    }

    /// What Apply would do.
    fn will(&self, cx: &Cx<'_>) -> String {
        let plan = &self.plan;
        if self.amount() == 0 {
            return cx.tr(if self.fits.is_empty() { "body.none" } else { "body.none_ticked" }).into_owned();
        }
        let numbers = [plan.made, plan.updated, plan.joints].map(|n| n.to_string());
        cx.tr_with("body.will", &[("made", &numbers[0]), ("updated", &numbers[1]), ("joints", &numbers[2])])
    }

    fn fit_ui(&mut self, cx: &Cx<'_>, cells: &mut Cells<'_, '_>) {
        let at = cells.index();
        let c = cx.theme.color;
        let fit = self.fits[at].clone();
        let part = capital(&words::body_role(cx.theme.lang, &fit.role));
        let taken = self.takes(at);
        let RowStart { response, inner: ticked, .. } = cells.begin(&fit.name, false, |ui, cell| {
            let icon =
                if matches!(fit.shape, Shape::Sphere { inside: false, .. }) { icons::CIRCLE } else { icons::PILL };
            let center = pos2(cell.right() - 14.0, cell.center().y);
            paint_icon(ui.painter(), center, icon, size::ICON_SMALL, c.collision);
            let name = cx.tr_with("windows.take_name", &[("name", &part)]);
            table::tick(ui, cell, space::S, &name, Some(Tick::of(taken)))
        });
        let mm = format!("{} mm", millimetres(fit.shape.field(0) * self.percent / 100.0));
        cells.cell(|ui, cell| {
            table::words(ui, cell, space::XS, cell.width() - 60.0, &part, Text::Body, c.text);
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &mm, Text::Number, c.text);
        });
        let outcome = outcome_words(cx, &self.outcomes[at]);
        // What would touch the artist's own is not said in the colour of what is harmless.
        let ink = match (self.outcomes[at].is_new(), taken) {
            (true, _) => c.text_3,
            (false, false) => c.text_2,
            (false, true) => c.warning,
        };
        let cut = cells
            .cell(|ui, cell| table::words(ui, cell, space::XL, cell.width() - space::XL, &outcome, Text::Small, ink));
        let joints = self.taken().iter().position(|t| *t == at).and_then(|i| self.plan.touching.get(i).copied());
        let joints = joints.map_or_else(|| "–".to_owned(), |n| n.to_string());
        cells.right(&joints, Text::Small, c.text_2);
        table::tell(&response, &fit.name, false, &[&part, &mm, &outcome, &joints]);
        let hint = if cut { format!("{}\n{outcome}", fit.name) } else { fit.name.clone() };
        if ticked || response.on_hover_text(hint).clicked() {
            self.by_hand.insert(at, !taken);
            self.replan(cx.session());
        }
    }

    /// Where the colliders would be now.
    fn guide(&self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let (skeleton, frames) = (&session.character().skeleton, &session.playback().shown().frames);
        let guide = |at: usize| {
            let fit = &self.fits[at];
            let ([from, to], radius) = body::outline(fit, skeleton, self.percent / 100.0)?;
            let frame = frames.get(fit.bone.index())?;
            let points = if from == to { vec![frame.point(from)] } else { vec![frame.point(from), frame.point(to)] };
            Some(Guide { points, radius, ink: GuideInk::Shape, words: String::new() })
        };
        cx.state.guides = self.taken().into_iter().filter_map(guide).collect();
    }

    /// How thick the colliders are, per cent of what was fitted.
    fn thickness_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            ui.spacing_mut().item_spacing.x = space::M;
            let name = cx.tr("body.thickness");
            ui.label(Text::Body.rich(&*name).color(cx.theme.color.text_2));
            let format = NumberFormat::with_suffix(" %", 0);
            let (_, entered) = number_field(ui, &name, Some(self.percent), format, size::NUMBER_FIELD, None);
            if let Some(entered) = entered.filter(|v| v.is_finite()) {
                self.percent = entered.clamp(THICKNESS[0], THICKNESS[1]);
                self.replan(cx.session());
            }
            ui.label(Text::Small.rich(cx.tr("body.thickness_note")).color(cx.theme.color.text_3));
        });
    }
}

impl Dialog for Body {
    fn title_key(&self) -> &'static str {
        "body.title"
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        cx.theme.count("body.found", self.fits.len())
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        let rows = size::ROW_TABLE * self.fits.len().max(3) as f32;
        at_left(ctx, 0.5, [580.0, 720.0], ABOVE + table::HEAD + rows)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        if !self.seen.same_character(cx.session()) {
            *self = Self::new(cx.session());
        } else if !self.seen.is_current(cx.session()) {
            self.replan(cx.session());
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        if self.fits.is_empty() {
            padded(ui, |ui| sentence(ui, cx, &cx.tr("body.nothing")));
            return;
        }
        ui.add_space(space::M);
        self.thickness_ui(ui, cx);
        ui.add_space(space::S);
        let width = ui.available_width();
        let radius = (0.34 * width).max(200.0);
        let names = ["part", "radius", "outcome", "touching"].map(|key| cx.tr(&format!("body.{key}")));
        let columns = [
            Column::new("", NAME),
            Column::pair(&names[0], &names[1], radius - NAME),
            Column::new(&names[2], width - space::XL - TOUCH - radius).indented(space::XL),
            Column::right(&names[3], TOUCH),
        ];
        let list = Table { id: "fits", columns: &columns, height: ui.available_height(), scroll_to: None };
        let tick = Tick::among(self.taken().len(), self.fits.len());
        let mut all = false;
        let count = self.fits.len();
        let tick_all = |ui: &mut Ui, cell| all = table::tick(ui, cell, space::S, &cx.tr("body.tick_all"), Some(tick));
        list.show(ui, count, tick_all, |cells| self.fit_ui(cx, cells));
        if all {
            self.by_hand = (0..self.fits.len()).map(|at| (at, tick != Tick::On)).collect();
            self.replan(cx.session());
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        vec![DialogButton::apply(self.apply_words(cx), self.amount() > 0), DialogButton::cancel(cx)]
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        self.will(cx)
    }

    fn stay(&mut self, cx: &mut Cx<'_>) {
        self.guide(cx);
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let edit = groups::gathered(cx.session().document(), self.plan.edit.clone());
        cx.command(Command::Apply(edit, Label::new("body_colliders", self.amount()).told()));
        DialogResult::Closed
    }
}

/// What making a fit would do, in words.
fn outcome_words(cx: &Cx<'_>, outcome: &Outcome) -> String {
    let name = |id: &ColliderId| cx.session().document().colliders.get(id).map_or("", |c| c.name.as_str());
    match outcome {
        Outcome::New => cx.tr("body.new").into_owned(),
        Outcome::Updates { collider, from, to } => {
            let (name, to) = (name(collider), millimetres(*to));
            match from.map(millimetres) {
                Some(from) if from == to => cx.tr_with("body.updates_same", &[("name", name), ("to", &to)]),
                Some(from) => cx.tr_with("body.updates", &[("name", name), ("from", &from), ("to", &to)]),
                None => cx.tr_with("body.updates_shape", &[("name", name), ("to", &to)]),
            }
        }
        Outcome::Beside { collider, others: 0 } => cx.tr_with("body.beside", &[("name", name(collider))]),
        Outcome::Beside { collider, others } => {
            cx.tr_with("body.beside_more", &[("name", name(collider)), ("n", &others.to_string())])
        }
    }
}

/// Metres as a whole number of millimetres.
fn millimetres(metres: f32) -> String {
    format!("{:.0}", metres * 1000.0)
}

/// A part's name as it begins a line.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
