//! Which way a table is mirrored: two ghosts on the body, and how far off each sits.

use super::{Choice, Import};
use crate::doc::Axis;
use crate::doc::import::{Ghost, Sits, better};
use crate::math::Frame;
use crate::session::Session;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::segmented_with_hints;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Height of the line about the mirror.
pub(super) const BAR: f32 = 76.0;
/// More of each would be a thicket.
const MOST: usize = 64;
/// How long pivots are drawn, metres.
const PIVOT: f32 = 0.06;
/// Ghosts that are nowhere farther apart than this wear one label, metres.
const TOGETHER: f32 = 0.02;

const AXES: [Axis; 2] = [Axis::X, Axis::Z];

const fn letter(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "X",
        Axis::Z => "Z",
    }
}

impl Import {
    /// Looks where the table's shapes would be.
    pub(super) fn haunt(&mut self, session: &Session) {
        let (document, skeleton) = (self.document(), &session.character().skeleton);
        let ghosts = AXES.map(|axis| self.plan().ghost(axis, &document, skeleton, &self.skin));
        self.ghosts = ghosts;
    }

    fn better(&self) -> Option<Axis> {
        better(self.ghosts[0].sits, self.ghosts[1].sits)
    }

    /// What was chosen for this character before, else what sits better, else what is usual.
    pub(super) fn proposed_mirror(&self, cx: &Cx<'_>) -> Axis {
        let character = cx.session().character();
        let before = cx.state.prefs.mirror_of(&character.name);
        let said = self.plan().table().mirror;
        said.or(before).or_else(|| self.better()).unwrap_or_else(|| Axis::usual(character.facing))
    }

    /// Both ghosts, on the body as it moves.
    pub(super) fn guide(&self, cx: &mut Cx<'_>) {
        let apart = farthest(&self.ghosts, &cx.session().playback().shown().frames);
        let mut guides = Vec::new();
        // The chosen one lies on top.
        let mut order = [1, 0];
        if self.plan().mirror() == Axis::Z {
            order = [0, 1];
        }
        for (at, ink) in order.into_iter().zip([GuideInk::Other, GuideInk::Chosen]) {
            let together = apart.is_none_or(|(_, way)| way < TOGETHER);
            let words = match (together, ink) {
                (true, GuideInk::Chosen) => "X, Z",
                (true, _) => "",
                (false, _) => letter(AXES[at]),
            };
            let labelled = apart.map_or(Label::Shape(0), |(label, _)| label);
            guides.extend(drawn(cx, &self.ghosts[at], ink, words, labelled));
        }
        cx.state.guides = guides;
    }

    /// Which axis changes sign, in words that a look at the character answers.
    pub(super) fn mirror_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        let c = cx.theme.color;
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), c.border);
        let inner = rect.shrink2(vec2(space::XL, space::M));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
        let question = cx.tr("windows.mirror.question");
        let more = if self.is_haunted() { cx.tr("csv.mirror.pick").into_owned() } else { usually(cx) };
        let words =
            [(&*question, Text::Strong, c.text), ("  ", Text::Small, c.text_3), (&*more, Text::Small, c.text_3)];
        let line = paint::line_of(&ui, &words, inner.width());
        let (place, response) = ui.allocate_exact_size(vec2(inner.width(), 22.0), Sense::hover());
        paint::galley_left(ui.painter(), place.left_center(), line);
        response.on_hover_text(usually(cx));
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            let names = [cx.tr("windows.mirror.x"), cx.tr("windows.mirror.z")];
            let notes = AXES.map(|axis| self.mirror_note(cx, axis));
            let chosen = usize::from(self.plan().mirror() == Axis::Z);
            let choices = [(&*names[0], None), (&*names[1], None)];
            let picked = segmented_with_hints(ui, &choices, &[&*notes[0], &*notes[1]], chosen, size::HIT_MIN);
            ui.add_space(space::L);
            self.measured_ui(ui, cx, &notes[chosen]);
            picked.map(|at| Choice::Mirror(AXES[at]))
        })
        .inner
    }

    fn is_haunted(&self) -> bool {
        self.ghosts.iter().any(|ghost| !ghost.is_empty())
    }

    /// How far off each ghost sits and which one sits better; without ghosts what the mirror does.
    fn measured_ui(&self, ui: &mut Ui, cx: &Cx<'_>, note: &str) {
        let c = cx.theme.color;
        let measured = self.measured(cx);
        let better = measured.as_ref().and_then(|_| self.better());
        if let Some(axis) = better {
            let words = cx.tr_with("csv.mirror.better", &[("axis", letter(axis))]);
            let width = 22.0 + paint::width_of(ui, &words, Text::Strong) + space::L;
            let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
            paint_icon(
                ui.painter(),
                pos2(rect.left() + space::M, rect.center().y),
                icons::CHECK_CIRCLE,
                size::ICON,
                c.ok,
            );
            let line = paint::elided(ui, &words, Text::Strong, c.text, width);
            paint::galley_left(ui.painter(), pos2(rect.left() + 20.0, rect.center().y), line);
        }
        let left = ui.available_width();
        let words = measured.unwrap_or_else(|| note.to_owned());
        let line = paint::elided(ui, &words, Text::Small, c.text_2, left);
        let cut = line.elided;
        let (place, response) = ui.allocate_exact_size(vec2(left, size::HIT_MIN), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        paint::galley_left(ui.painter(), place.left_center(), line);
        if cut {
            response.on_hover_text(words);
        }
    }

    /// "X: 4 mm and 2° off; Z: 61 mm and 88° off".
    fn measured(&self, cx: &Cx<'_>) -> Option<String> {
        let [x, z] = &self.ghosts;
        let (x, z) = (off(cx, x.sits)?, off(cx, z.sits)?);
        Some(cx.tr_with("csv.mirror.off", &[("x", &x), ("z", &z)]))
    }

    /// What a mirror does to the tables of the file; all have the same.
    fn mirror_note(&self, cx: &Cx<'_>, axis: Axis) -> String {
        let plans = self.setup.plans();
        if !AXES.iter().any(|axis| plans.iter().any(|plan| plan.depends_on(*axis))) {
            return cx.tr("windows.mirror.no_matter").into_owned();
        }
        let key = if axis == Axis::X { "windows.mirror.note_x" } else { "windows.mirror.note_z" };
        let forces: usize = plans.iter().map(|plan| plan.pushed_along(axis)).sum();
        let pivots: usize = plans.iter().map(|plan| plan.table().pivots.len()).sum();
        cx.tr_with(key, &[("forces", &forces.to_string()), ("pivots", &pivots.to_string())])
    }
}

/// Which mirror such characters usually have.
fn usually(cx: &Cx<'_>) -> String {
    let character = cx.session().character();
    let axis = letter(Axis::usual(character.facing));
    let kind = &character.kind;
    if kind.is_empty() {
        cx.tr_with("windows.mirror.usual_here", &[("axis", axis)])
    } else {
        cx.tr_with("windows.mirror.usual", &[("axis", axis), ("kind", kind)])
    }
}

/// "4 mm and 2°", as far as there is something to measure.
fn off(cx: &Cx<'_>, sits: Sits) -> Option<String> {
    let length = |metres: f32| match metres * 1000.0 {
        mm if mm < 999.5 => format!("{mm:.0} mm"),
        mm => format!("{:.2} m", mm / 1000.0),
    };
    let angle = |degrees: f32| format!("{degrees:.0}°");
    match (sits.distance.map(length), sits.angle.map(angle)) {
        (Some(length), Some(angle)) => Some(cx.tr_with("csv.mirror.both", &[("length", &length), ("angle", &angle)])),
        (length, angle) => length.or(angle),
    }
}

/// Which part of a ghost wears its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Shape(usize),
    Pivot(usize),
}

/// Where two ghosts differ clearly, and how much they do at most, metres. The highest of such balls is taken, since
/// a letter there reads best.
fn farthest(ghosts: &[Ghost; 2], frames: &[Frame]) -> Option<(Label, f32)> {
    let [x, z] = ghosts;
    let shapes = x.shapes.iter().zip(&z.shapes).take(MOST).enumerate();
    let shapes: Vec<_> = shapes.map(|(at, (x, z))| (Label::Shape(at), x.points[0].distance(z.points[0]))).collect();
    let pivots = x.pivots.iter().zip(&z.pivots).take(MOST).enumerate();
    let pivots = pivots.map(|(at, (x, z))| (Label::Pivot(at), x.along.distance(z.along) * PIVOT));
    let most = shapes.iter().copied().chain(pivots).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let height = |label: Label| match label {
        Label::Shape(at) => {
            let shape = &x.shapes[at];
            let frame = frames.get(shape.bone.index()).filter(|_| shape.radius > 0.0)?;
            Some(frame.point(shape.points[0]).y)
        }
        Label::Pivot(_) => None,
    };
    let clear = shapes.into_iter().filter(|(_, way)| *way > TOGETHER.max(0.4 * most.1));
    let high = clear.filter_map(|(label, _)| Some((label, height(label)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    Some((high.map_or(most.0, |(label, _)| label), most.1))
}

fn drawn(cx: &Cx<'_>, ghost: &Ghost, ink: GuideInk, words: &str, labelled: Label) -> Vec<Guide> {
    let frames = &cx.session().playback().shown().frames;
    let words_at = |label: Label| if label == labelled { words.to_owned() } else { String::new() };
    let mut guides = Vec::new();
    for (at, shape) in ghost.shapes.iter().take(MOST).enumerate() {
        let Some(frame) = frames.get(shape.bone.index()) else { continue };
        let points = shape.points.iter().map(|p| frame.point(*p)).collect();
        guides.push(Guide { points, radius: shape.radius, ink, words: words_at(Label::Shape(at)) });
    }
    for (at, pivot) in ghost.pivots.iter().take(MOST).enumerate() {
        let (Some(frame), Some(head)) = (frames.get(pivot.bone.index()), frames.get(pivot.asks.index())) else {
            continue;
        };
        let tip = head.position + frame.rotation * pivot.along * PIVOT;
        let points = vec![tip, head.position];
        guides.push(Guide { points, radius: 0.0, ink, words: words_at(Label::Pivot(at)) });
    }
    guides
}
