//! Body colliders: the shapes that were fitted, which of them are made, how thick.

use super::{Deed, Stays, footer_ui};
use crate::doc::Label;
use crate::doc::body::{self, BodyPlan, Fit};
use crate::rig::Character;
use crate::session::{Command, Session};
use crate::sim::Shape;
use crate::ui::icons::{self, paint_icon};
use crate::ui::panels::status::count;
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, size};
use crate::ui::widgets::number::NumberFormat;
use crate::ui::widgets::toggle::{Tick, tick_box};
use crate::ui::widgets::typing::number_field;
use crate::ui::widgets::{frame, paint};
use crate::ui::windows::names::role_words;
use crate::ui::windows::seen::Seen;
use crate::ui::windows::{grid, place};
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align2, Context, Ui, pos2};
use std::collections::BTreeSet;
use std::sync::Arc;

const TICK: f32 = 6.0;
const NAME: f32 = 58.0;
/// Least and greatest thickness, per cent of what was fitted.
const THICKNESS: [f32; 2] = [30.0, 200.0];

/// Fits and which of them are taken.
#[derive(Debug)]
pub(in crate::ui::windows) struct Body {
    character: Arc<Character>,
    fits: Vec<Fit>,
    /// Positions in the fits.
    taken: BTreeSet<usize>,
    percent: f32,
    plan: BodyPlan,
    seen: Seen,
}

impl Body {
    pub(in crate::ui::windows) fn new(session: &Session) -> Self {
        let fits = body::fit(session.character(), session.document());
        let plan = body::plan(session.document(), &session.character().skeleton, &[], 1.0);
        let taken = (0..fits.len()).collect();
        let character = Arc::clone(session.character());
        let mut window = Self { character, fits, taken, percent: 100.0, plan, seen: Seen::of(session) };
        window.replan(session);
        window
    }

    fn chosen(&self) -> Vec<Fit> {
        self.taken.iter().map(|at| self.fits[*at].clone()).collect()
    }

    fn replan(&mut self, session: &Session) {
        let skeleton = &session.character().skeleton;
        self.plan = body::plan(session.document(), skeleton, &self.chosen(), self.percent / 100.0);
        self.seen = Seen::of(session);
    }

    pub(in crate::ui::windows) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        if !Arc::ptr_eq(&self.character, cx.session().character()) {
            *self = Self::new(cx.session());
        } else if !self.seen.is_current(cx.session()) {
            self.replan(cx.session());
        }
        let title = cx.tr("body.title").into_owned();
        let note = count(&cx.theme, "body.found", self.fits.len());
        let height = 96.0 + 28.0 + 44.0 + size::ROW_TABLE * self.fits.len().max(3) as f32;
        let at = place(ctx, 0.36, [470.0, 540.0], height);
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
                let words = count(&cx.theme, "body.apply", body.taken.len());
                deed = footer_ui(ui, cx, &words, !body.taken.is_empty());
                grid::foot_note(ui, &body.will(cx));
            },
        );
        self.guide(cx);
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match deed.or(keys) {
            Some(Deed::Apply) if !self.taken.is_empty() => {
                cx.command(Command::Apply(
                    self.plan.edit.clone(),
                    Label::new("body_colliders", self.taken.len()).told(),
                ));
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

    /// What Apply would do.
    fn will(&self, cx: &Cx<'_>) -> String {
        let plan = &self.plan;
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
        let (radius, touch) = (0.62 * width, width - SPACE[5]);
        let names = ["part", "radius", "touching"].map(|key| cx.tr(&format!("body.{key}")));
        let head = [
            (&*names[0], NAME, Align2::LEFT_CENTER),
            (&*names[1], radius, Align2::RIGHT_CENTER),
            (&*names[2], touch, Align2::RIGHT_CENTER),
        ];
        grid::head(ui, &head);
        let height = ui.available_height();
        grid::body(ui, "fits", height, self.fits.len(), None, |ui, at| self.fit_ui(ui, cx, at, radius, touch));
    }

    fn fit_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize, radius: f32, touch: f32) {
        let c = cx.theme.color;
        let fit = &self.fits[at];
        let part = capital(&role_words(cx, &fit.role));
        let (rect, response) = grid::row(ui, &fit.name, false);
        let icon = if matches!(fit.shape, Shape::Sphere { .. }) { icons::CIRCLE } else { icons::PILL };
        paint_icon(ui.painter(), pos2(rect.left() + NAME - 14.0, rect.center().y), icon, 14.0, c.collision);
        grid::words(ui, rect, NAME + 4.0, 0.3 * rect.width(), &part, Text::Body, c.text);
        let mm = format!("{:.0} mm", fit.shape.field(0) * self.percent * 10.0);
        let y = rect.center().y;
        paint::text(ui.painter(), pos2(rect.left() + radius, y), Align2::RIGHT_CENTER, &mm, Text::Number, c.text);
        let taken = self.taken.contains(&at);
        let joints = self.taken.iter().position(|t| *t == at).and_then(|i| self.plan.touching.get(i).copied());
        let joints = joints.map_or_else(|| "–".to_owned(), |n| n.to_string());
        paint::text(ui.painter(), pos2(rect.left() + touch, y), Align2::RIGHT_CENTER, &joints, Text::Small, c.text_2);
        let mut place = grid::place(ui, rect, TICK, 24.0);
        let words = cx.tr_with("windows.take_name", &[("name", &part)]);
        let tick = if taken { Tick::On } else { Tick::Off };
        let ticked = tick_box(&mut place, &words, "", tick).clicked();
        let name = fit.name.clone();
        if ticked || response.on_hover_text(name).clicked() {
            if !self.taken.remove(&at) {
                self.taken.insert(at);
            }
            self.replan(cx.session());
        }
    }

    /// Where the colliders would be now.
    fn guide(&self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let (skeleton, frames) = (&session.character().skeleton, &session.shown().frames);
        let guide = |at: &usize| {
            let fit = &self.fits[*at];
            let ([from, to], radius) = body::outline(fit, skeleton, self.percent / 100.0)?;
            let frame = frames.get(fit.bone.index())?;
            let points = if from == to { vec![frame.point(from)] } else { vec![frame.point(from), frame.point(to)] };
            Some(Guide { points, radius, ink: GuideInk::Shape, words: String::new() })
        };
        cx.state.guides = self.taken.iter().filter_map(guide).collect();
    }
}

/// A part's name as it begins a line.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
