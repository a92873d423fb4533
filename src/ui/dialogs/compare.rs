//! What a preset would change, property by property, and which of that is taken.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen, at_left};
use crate::document::tune::Targets;
use crate::feel::{preset::Difference, preset::Property, preset::Shown};
use crate::session::{Command, PresetId};
use crate::ui::Cx;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::toggle::{Tick, tick_box};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{paint, words};
use crate::ui::presets::{By, Show};
use egui::text::LayoutJob;
use egui::{
    Align2, Color32, Context, Id, Rect, Role as Kind, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const WIDTH: f32 = 344.0;
const LINE: f32 = size::ROW_TABLE;
const HEAD: f32 = 28.0;
/// Where columns end, from the right edge.
const RIGHT: [f32; 2] = [112.0, space::XL];
const NAME: f32 = 50.0;
/// Above the tabs of the drawer.
const ABOVE: f32 = 52.0;
/// Height of the window, at least.
const LEAST: f32 = 180.0;

/// A preset beside what is.
#[derive(Debug)]
pub(super) struct Compare {
    id: PresetId,
    seen: Seen,
    targets: Targets,
    lines: Vec<Difference>,
    /// How slowly a tip comes home under the preset, where that is to be seen.
    creep: Option<String>,
    /// Lines that the artist does not want.
    left: BTreeSet<usize>,
    /// B: the preset is shown on the character.
    shown: bool,
    /// The chains have this preset already.
    used: bool,
}

impl Compare {
    pub(super) fn new(cx: &Cx<'_>) -> Self {
        let id = cx.state.presets.subject.clone().unwrap_or_default();
        let mut compare = Self {
            id,
            seen: Seen::of(cx.session()),
            targets: Targets::default(),
            lines: Vec::new(),
            creep: None,
            left: BTreeSet::new(),
            shown: true,
            used: false,
        };
        compare.look(cx);
        compare
    }

    /// Whom it is about and what would change, as things are now.
    fn look(&mut self, cx: &Cx<'_>) {
        self.seen = Seen::of(cx.session());
        let Some(preset) = cx.state.presets.shelf.get(&self.id) else { return };
        self.targets = cx.session().presets().targets(preset);
        let session = cx.session();
        self.lines = session.presets().differences(preset);
        self.creep = session.presets().creep(preset).map(|(id, creep)| {
            let document = session.document();
            let kind = document.solver_of(&document.chains[&id]);
            words::creep(cx.theme.lang, kind, &creep)
        });
    }

    /// What is not left and can change.
    fn taken(&self) -> Vec<Property> {
        let lines = self.lines.iter().enumerate().filter(|(at, line)| !self.left.contains(at) && can_change(line));
        lines.map(|(_, line)| line.property).collect()
    }

    fn line_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize) {
        let c = cx.theme.color;
        let line = &self.lines[at];
        let name = words::property(cx.theme.lang, line.property);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
        let possible = can_change(line);
        let now = shown_words(cx, line.property, &line.now);
        let then = match () {
            () if line.same => cx.tr("presets.window.same").into_owned(),
            () => shown_words(cx, line.property, &line.then),
        };
        response.widget_info(|| WidgetInfo::labeled(Kind::Row, true, format!("{name}, {now}, {then}")));
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect.shrink2(vec2(space::S, 1.0)), radius::FIELD, c.hover);
        }
        let taken = possible && !self.left.contains(&at);
        let place =
            Rect::from_min_size(pos2(rect.left() + space::L, rect.top() + space::XXS), Vec2::splat(size::HIT_MIN));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(place));
        if !possible {
            inner.disable();
        }
        if tick_box(&mut inner, &name, "", Tick::of(taken)).clicked() && possible {
            if taken {
                self.left.insert(at)
            } else {
                self.left.remove(&at)
            };
        }
        let line = &self.lines[at];
        let dim = |ink: Color32| if line.cannot.is_some() { c.text_off } else { ink };
        let bar = Rect::from_center_size(pos2(rect.left() + NAME - 9.0, rect.center().y), vec2(3.0, 14.0));
        ui.painter().rect_filled(bar, radius::TICK, dim(cx.theme.role(role_of(line.property))));
        let y = rect.center().y;
        let right = |i: usize| pos2(rect.right() - RIGHT[i], y);
        let now = paint::text(ui.painter(), right(0), Align2::RIGHT_CENTER, &now, Text::Number, dim(c.text_2));
        let (size, ink) = if possible { (Text::Strong, c.text) } else { (Text::Number, dim(c.text_3)) };
        paint::text(ui.painter(), right(1), Align2::RIGHT_CENTER, &then, size, ink);
        let galley = paint::elided(ui, &name, Text::Body, dim(c.text), now.left() - rect.left() - NAME - space::S);
        paint::galley_left(ui.painter(), pos2(rect.left() + NAME, y), galley);
        if let Some(why) = line.cannot {
            why_ui(
                ui,
                cx,
                &words::why_not(cx.theme.lang, cx.session().inspection().system().solver, line.property, why),
            );
        }
    }
}

impl Dialog for Compare {
    fn title_key(&self) -> &'static str {
        "presets.preset"
    }

    /// Each preset has a window of its own size.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_key(), &self.id))
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        let preset = cx.state.presets.shelf.get(&self.id);
        preset.map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned()).unwrap_or_default()
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        cx.tr(if self.used { "presets.in_use" } else { "presets.window.not_yet" }).into_owned()
    }

    /// As other windows, so that the view moves the character beside it, and above the cards.
    fn place(&self, ctx: &Context, cx: &Cx<'_>) -> Rect {
        let reasons = self.lines.iter().filter(|line| line.cannot.is_some()).count() as f32;
        let creep = if self.creep.is_some() { 3.0 * 18.0 } else { 0.0 };
        let height = HEAD + self.lines.len() as f32 * LINE + (reasons * 18.0 + creep) + space::S;
        let mut at = at_left(ctx, 0.0, [WIDTH; 2], height);
        if let Some(drawer) = cx.state.presets.drawer {
            at.max.y = at.max.y.min(drawer.top() - ABOVE).max(at.min.y + LEAST);
        }
        at
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        let Some(preset) = cx.state.presets.shelf.get(&self.id) else { return DialogResult::Closed };
        if !self.seen.is_current(cx.session()) || self.targets != cx.session().presets().targets(preset) {
            self.look(cx);
        }
        self.used = cx.state.presets.in_use(cx.session(), false).as_ref() == Some(&self.id);
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        let c = cx.theme.color;
        let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
        let text = |at, align, key: &str| {
            paint::text(ui.painter(), at, align, &cx.tr(key), Text::Small, c.text_3);
        };
        let y = head.center().y;
        text(pos2(head.left() + NAME, y), Align2::LEFT_CENTER, "presets.window.property");
        text(pos2(head.right() - RIGHT[0], y), Align2::RIGHT_CENTER, "presets.window.now");
        text(pos2(head.right() - RIGHT[1], y), Align2::RIGHT_CENTER, "presets.preset");
        paint::hairline(ui.painter(), head.left(), head.right(), head.bottom() - 0.5, c.border);
        let height = ui.available_height();
        let area = ScrollArea::vertical().id_salt("properties").max_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            for at in 0..self.lines.len() {
                ui.push_id(at, |ui| self.line_ui(ui, cx, at));
            }
            if let Some(words) = &self.creep {
                ui.add_space(space::S);
                why_ui(ui, cx, words);
            }
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let shown = DialogButton::extra(cx.tr("presets.ab")).on(self.shown).hint(cx.tr("presets.window.ab_hint"));
        vec![DialogButton::apply(cx.tr("presets.window.apply"), !self.taken().is_empty()), shown]
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        let numbers = [self.taken().len(), self.lines.len()].map(|n| n.to_string());
        cx.tr_with("presets.window.taken_of", &[("n", &numbers[0]), ("all", &numbers[1])])
    }

    fn extra(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        self.shown = !self.shown;
        DialogResult::Open
    }

    fn stay(&mut self, cx: &mut Cx<'_>) {
        let take = self.taken();
        if self.shown && !take.is_empty() {
            let (id, targets) = (self.id.clone(), self.targets.clone());
            cx.state.presets.previews.want(Show::Preset { id, targets, take: Some(take), by: By::Window });
        }
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let shelf = Arc::clone(&cx.state.presets.shelf);
        if let Some(preset) = shelf.get(&self.id) {
            let step =
                cx.session().presets().step(self.id.clone(), preset, Some(&self.taken()), cx.theme.is_japanese());
            cx.state.presets.previews.as_it_was = false;
            cx.command(Command::ApplyPreset(Box::new(step)));
        }
        DialogResult::Closed
    }
}

/// "3.0 Hz", "0.6 … 1.0", "1 → 0.22".
fn shown_words(cx: &Cx<'_>, property: Property, shown: &Shown) -> String {
    let one = |value: f32| words::of_property(cx.theme.lang, property, value);
    match *shown {
        Shown::Nothing => "–".to_owned(),
        Shown::One(value) => one(value),
        Shown::Mixed(low, high) => format!("{} … {}", one(low), one(high)),
        Shown::Curve(first, last) => words::curve_ends(first, last),
    }
}

fn can_change(line: &Difference) -> bool {
    !line.same && line.cannot.is_none()
}

fn why_ui(ui: &mut Ui, cx: &Cx<'_>, why: &str) {
    let c = cx.theme.color;
    let room = ui.available_width() - NAME - space::XL;
    let job = LayoutJob::simple(why.to_owned(), Text::Small.font(), c.text_3, room);
    let galley = ui.painter().layout_job(job);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), galley.size().y + space::XS), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Kind::Label, true, why));
    paint_icon(
        ui.painter(),
        pos2(rect.left() + NAME - 10.0, rect.top() + space::M),
        icons::INFO,
        size::ICON_TINY,
        c.text_3,
    );
    ui.painter().galley(pos2(rect.left() + NAME, rect.top()), galley, c.text_3);
}

fn role_of(property: Property) -> Role {
    match property {
        Property::Base(term) | Property::Curve(term) => Role::of(term.def().idea),
        Property::Radius => Role::of(crate::schema::Idea::Radius),
    }
}
