//! Body colliders: the shapes that were fitted, which of them are made, how thick.

use super::{Deed, Stays, footer_ui};
use crate::doc::body::{self, BodyPlan, Fit, Outcome};
use crate::doc::{ColliderId, Label, groups};
use crate::rig::Character;
use crate::session::{Command, Session};
use crate::sim::Shape;
use crate::ui::icons::{self, paint_icon};
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, size};
use crate::ui::widgets::number::NumberFormat;
use crate::ui::widgets::toggle::{Tick, tick_box};
use crate::ui::widgets::typing::number_field;
use crate::ui::widgets::{frame, paint};
use crate::ui::windows::seen::Seen;
use crate::ui::windows::{grid, place};
use crate::ui::words;
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align2, Context, Rect, Ui, pos2};
use std::collections::BTreeMap;
use std::sync::Arc;

const TICK: f32 = 6.0;
const NAME: f32 = 58.0;
/// Least and greatest thickness, per cent of what was fitted.
const THICKNESS: [f32; 2] = [30.0, 200.0];

/// What the joints in reach take at the right, with the gap before them.
const TOUCH: f32 = 96.0;

/// Where columns begin or, for numbers, end; from the row's left edge.
struct Columns {
    radius: f32,
    outcome: f32,
    touch: f32,
}

impl Columns {
    fn within(width: f32) -> Self {
        let radius = (0.34 * width).max(200.0);
        Self { radius, outcome: radius + SPACE[5], touch: width - SPACE[5] }
    }
}

/// Fits and which of them are taken.
#[derive(Debug)]
pub(in crate::ui::windows) struct Body {
    character: Arc<Character>,
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
    pub(in crate::ui::windows) fn new(session: &Session) -> Self {
        let fits = body::fit(session.character(), session.document());
        let plan = body::plan(session.document(), &session.character().skeleton, &[], 1.0);
        let mut window = Self {
            character: Arc::clone(session.character()),
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

    pub(in crate::ui::windows) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        if !Arc::ptr_eq(&self.character, cx.session().character()) {
            *self = Self::new(cx.session());
        } else if !self.seen.is_current(cx.session()) {
            self.replan(cx.session());
        }
        let title = cx.tr("body.title").into_owned();
        let note = cx.theme.count("body.found", self.fits.len());
        let height = 96.0 + 28.0 + 44.0 + size::ROW_TABLE * self.fits.len().max(3) as f32;
        let at = place(ctx, 0.5, [580.0, 720.0], height);
        let mut deed = None;
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            &note,
            at,
            &mut both,
            |ui, (body, cx)| body.body_ui(ui, cx),
            |ui, (body, cx)| {
                let words = body.apply_words(cx);
                deed = footer_ui(ui, cx, &words, body.amount() > 0);
                grid::foot_note(ui, &body.will(cx));
            },
        );
        self.guide(cx);
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match deed.or(keys) {
            Some(Deed::Apply) if self.amount() > 0 => {
                let edit = groups::gathered(cx.session().document(), self.plan.edit.clone());
                cx.command(Command::Apply(edit, Label::new("body_colliders", self.amount()).told()));
                Stays::Closed
            }
            Some(Deed::Close) => Stays::Closed,
            _ => Stays::Open,
        };
        if stays == Stays::Closed {
            cx.state.guides.clear();
        }
        (title, stays)
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

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        if self.fits.is_empty() {
            super::padded(ui, |ui| super::sentence(ui, cx, &cx.tr("body.nothing")));
            return;
        }
        ui.add_space(SPACE[3]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            ui.spacing_mut().item_spacing.x = SPACE[3];
            let name = cx.tr("body.thickness");
            ui.label(Text::Body.rich(&*name).color(cx.theme.color.text_2));
            let format = NumberFormat::with_suffix(" %", 0);
            let (_, entered) = number_field(ui, &name, Some(self.percent), format, 72.0, None);
            if let Some(entered) = entered.filter(|v| v.is_finite()) {
                self.percent = entered.clamp(THICKNESS[0], THICKNESS[1]);
                self.replan(cx.session());
            }
            ui.label(Text::Small.rich(cx.tr("body.thickness_note")).color(cx.theme.color.text_3));
        });
        ui.add_space(SPACE[2]);
        let width = ui.available_width();
        let columns = Columns::within(width);
        let names = ["part", "radius", "outcome", "touching"].map(|key| cx.tr(&format!("body.{key}")));
        let head = [
            (&*names[0], NAME, Align2::LEFT_CENTER),
            (&*names[1], columns.radius, Align2::RIGHT_CENTER),
            (&*names[2], columns.outcome, Align2::LEFT_CENTER),
            (&*names[3], columns.touch, Align2::RIGHT_CENTER),
        ];
        let head = grid::head(ui, &head);
        self.tick_all_ui(ui, cx, head);
        let height = ui.available_height();
        grid::body(ui, "fits", height, self.fits.len(), None, |ui, at| self.fit_ui(ui, cx, at, &columns));
    }

    fn tick_all_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, head: Rect) {
        let tick = match self.taken().len() {
            0 => Tick::Off,
            n if n == self.fits.len() => Tick::On,
            _ => Tick::Some,
        };
        let mut place = grid::place(ui, head, TICK, 24.0);
        if tick_box(&mut place, &cx.tr("body.tick_all"), "", tick).clicked() {
            self.by_hand = (0..self.fits.len()).map(|at| (at, tick != Tick::On)).collect();
            self.replan(cx.session());
        }
    }

    fn fit_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize, columns: &Columns) {
        let c = cx.theme.color;
        let fit = &self.fits[at];
        let part = capital(&words::body_role(cx.theme.lang, &fit.role));
        let taken = self.takes(at);
        let (rect, response) = grid::row(ui, &fit.name, false);
        let icon = if matches!(fit.shape, Shape::Sphere { inside: false, .. }) { icons::CIRCLE } else { icons::PILL };
        paint_icon(ui.painter(), pos2(rect.left() + NAME - 14.0, rect.center().y), icon, 14.0, c.collision);
        grid::words(ui, rect, NAME + 4.0, columns.radius - 60.0 - NAME, &part, Text::Body, c.text);
        let mm = format!("{} mm", millimetres(fit.shape.field(0) * self.percent / 100.0));
        let y = rect.center().y;
        let right = Align2::RIGHT_CENTER;
        paint::text(ui.painter(), pos2(rect.left() + columns.radius, y), right, &mm, Text::Number, c.text);
        let outcome = outcome_words(cx, &self.outcomes[at]);
        // What would touch the artist's own is not said in the colour of what is harmless.
        let ink = match (self.outcomes[at].is_new(), taken) {
            (true, _) => c.text_3,
            (false, false) => c.text_2,
            (false, true) => c.warning,
        };
        let room = columns.touch - TOUCH - columns.outcome;
        let cut = grid::words(ui, rect, columns.outcome, room, &outcome, Text::Small, ink);
        let joints = self.taken().iter().position(|t| *t == at).and_then(|i| self.plan.touching.get(i).copied());
        let joints = joints.map_or_else(|| "–".to_owned(), |n| n.to_string());
        paint::text(ui.painter(), pos2(rect.left() + columns.touch, y), right, &joints, Text::Small, c.text_2);
        grid::tell(&response, &fit.name, false, &[&part, &mm, &outcome, &joints]);
        let mut place = grid::place(ui, rect, TICK, 24.0);
        let words = cx.tr_with("windows.take_name", &[("name", &part)]);
        let tick = if taken { Tick::On } else { Tick::Off };
        let ticked = tick_box(&mut place, &words, "", tick).clicked();
        let hint = if cut { format!("{}\n{outcome}", fit.name) } else { fit.name.clone() };
        if ticked || response.on_hover_text(hint).clicked() {
            self.by_hand.insert(at, !taken);
            self.replan(cx.session());
        }
    }

    /// Where the colliders would be now.
    fn guide(&self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let (skeleton, frames) = (&session.character().skeleton, &session.shown().frames);
        let guide = |at: usize| {
            let fit = &self.fits[at];
            let ([from, to], radius) = body::outline(fit, skeleton, self.percent / 100.0)?;
            let frame = frames.get(fit.bone.index())?;
            let points = if from == to { vec![frame.point(from)] } else { vec![frame.point(from), frame.point(to)] };
            Some(Guide { points, radius, ink: GuideInk::Shape, words: String::new() })
        };
        cx.state.guides = self.taken().into_iter().filter_map(guide).collect();
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
