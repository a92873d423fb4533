//! The mirror of a CSV, which its text does not name: previews on the body under both mirrors, and how well each fits.

use super::{Choice, Import};
use crate::document::Axis;
use crate::exchange::{FileSpace, MirrorError, MirrorPreview, Section, closer_mirror, mirror_preview};
use crate::format::unity_space::{pushed_along, to_gltf};
use crate::math::Frame;
use crate::session::Session;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::segmented_with_hints;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, Guide, GuideInk};
use egui::{Align, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Height of the row that asks for the mirror.
pub(super) const BAR: f32 = 76.0;
/// More colliders or pivots would hide each other.
const MOST_DRAWN: usize = 64;
/// How long pivots are drawn, metres.
const PIVOT: f32 = 0.06;
/// Previews that differ by less share one label, metres.
const SAME_PLACE: f32 = 0.02;

pub(super) const AXES: [Axis; 2] = [Axis::X, Axis::Z];

const fn letter(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "X",
        Axis::Z => "Z",
    }
}

impl Import {
    /// Places the file's colliders and pivots under both mirrors.
    pub(super) fn update_previews(&mut self, session: &Session) {
        if !self.mirror_matters {
            return;
        }
        let (leads, skeleton) = (self.leads(), &session.character().skeleton);
        self.previews = AXES.map(|axis| {
            let file = to_gltf(self.file.clone(), axis);
            mirror_preview(&file, &leads, self.base(session), skeleton, &self.skin)
        });
    }

    fn closer_mirror(&self) -> Option<Axis> {
        closer_mirror(self.previews[0].error, self.previews[1].error)
    }

    /// The mirror that the file names, else the one that was chosen for this character before, else the one that fits
    /// better, else the usual one.
    pub(super) fn proposed_mirror(&self, cx: &Cx<'_>) -> Axis {
        let character = cx.session().character();
        let named = match self.file.space {
            FileSpace::Unity(axis) => axis,
            FileSpace::Gltf => None,
        };
        let before = || cx.state.prefs.mirror_of(&character.name);
        let proposed = named.or_else(before).or_else(|| self.closer_mirror());
        proposed.unwrap_or_else(|| Axis::usual(character.facing))
    }

    /// Both previews, on the body as it moves.
    pub(super) fn guide(&self, cx: &mut Cx<'_>) {
        let most = largest_difference(&self.previews, &cx.session().playback().shown().frames);
        let is_shared = most.is_none_or(|(_, distance)| distance < SAME_PLACE);
        let label = most.map_or(Label::Shape(0), |(label, _)| label);
        // The chosen mirror is drawn last, over the other.
        let order = if self.mirror == Axis::Z { [0, 1] } else { [1, 0] };
        let mut guides = Vec::new();
        for (at, ink) in order.into_iter().zip([GuideInk::Other, GuideInk::Chosen]) {
            let words = match (is_shared, ink) {
                (true, GuideInk::Chosen) => "X, Z",
                (true, _) => "",
                (false, _) => letter(AXES[at]),
            };
            guides.extend(guides_of(cx, &self.previews[at], ink, (label, words)));
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
        let is_drawn = self.previews.iter().any(|preview| !preview.is_empty());
        let more = if is_drawn { cx.tr("csv.mirror.pick").into_owned() } else { usually(cx) };
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
            let chosen = usize::from(self.mirror == Axis::Z);
            let choices = [(&*names[0], None), (&*names[1], None)];
            let picked = segmented_with_hints(ui, &choices, &[&*notes[0], &*notes[1]], chosen, size::HIT_MIN);
            ui.add_space(space::L);
            self.measured_ui(ui, cx, &notes[chosen]);
            picked.map(|at| Choice::Mirror(AXES[at]))
        })
        .inner
    }

    /// How far off each preview is and which fits better; without previews what the mirror does.
    fn measured_ui(&self, ui: &mut Ui, cx: &Cx<'_>, note: &str) {
        let c = cx.theme.color;
        let measured = self.measured(cx);
        let closer = measured.as_ref().and_then(|_| self.closer_mirror());
        if let Some(axis) = closer {
            let words = cx.tr_with("csv.mirror.better", &[("axis", letter(axis))]);
            let width = 22.0 + paint::width_of(ui, &words, Text::Strong) + space::L;
            let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
            let at = pos2(rect.left() + space::M, rect.center().y);
            paint_icon(ui.painter(), at, icons::CHECK_CIRCLE, size::ICON, c.ok);
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
        let [x, z] = &self.previews;
        let (x, z) = (distance_words(cx, x.error)?, distance_words(cx, z.error)?);
        Some(cx.tr_with("csv.mirror.off", &[("x", &x), ("z", &z)]))
    }

    /// What a mirror does to the file.
    fn mirror_note(&self, cx: &Cx<'_>, axis: Axis) -> String {
        let key = if axis == Axis::X { "windows.mirror.note_x" } else { "windows.mirror.note_z" };
        let forces = pushed_along(&self.file, axis).to_string();
        let pivots = self.plan.rows_of(Section::Pivots).count().to_string();
        cx.tr_with(key, &[("forces", &forces), ("pivots", &pivots)])
    }
}

/// The mirror that is usual for such characters.
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
fn distance_words(cx: &Cx<'_>, error: MirrorError) -> Option<String> {
    let length = |metres: f32| match metres * 1000.0 {
        mm if mm < 999.5 => format!("{mm:.0} mm"),
        mm => format!("{:.2} m", mm / 1000.0),
    };
    let angle = |degrees: f32| format!("{degrees:.0}°");
    match (error.distance.map(length), error.angle.map(angle)) {
        (Some(length), Some(angle)) => Some(cx.tr_with("csv.mirror.both", &[("length", &length), ("angle", &angle)])),
        (length, angle) => length.or(angle),
    }
}

/// The part of a preview that has the letter of its mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Shape(usize),
    Pivot(usize),
}

/// A part that both mirrors clearly place differently, and the largest difference of all parts, metres. Of several such
/// balls the highest is taken, where a letter is easiest to read.
fn largest_difference(previews: &[MirrorPreview; 2], frames: &[Frame]) -> Option<(Label, f32)> {
    let [x, z] = previews;
    let shapes = x.shapes.iter().zip(&z.shapes).take(MOST_DRAWN).enumerate();
    let shapes = shapes.filter_map(|(at, (x, z))| {
        let distance = x.points.first()?.distance(*z.points.first()?);
        Some((Label::Shape(at), distance))
    });
    let shapes: Vec<_> = shapes.collect();
    let pivots = x.pivots.iter().zip(&z.pivots).take(MOST_DRAWN).enumerate();
    let pivots = pivots.map(|(at, (x, z))| (Label::Pivot(at), x.along.distance(z.along) * PIVOT));
    let most = shapes.iter().copied().chain(pivots).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let height = |label: Label| match label {
        Label::Shape(at) => {
            let shape = &x.shapes[at];
            let frame = frames.get(shape.bone.index()).filter(|_| shape.radius > 0.0)?;
            Some(frame.point(*shape.points.first()?).y)
        }
        Label::Pivot(_) => None,
    };
    let clear = shapes.into_iter().filter(|(_, distance)| *distance > SAME_PLACE.max(0.4 * most.1));
    let highest = clear.filter_map(|(label, _)| Some((label, height(label)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    Some((highest.map_or(most.0, |(label, _)| label), most.1))
}

/// A preview as lines of the viewport; `label` names the part that has words, and the words.
fn guides_of(cx: &Cx<'_>, preview: &MirrorPreview, ink: GuideInk, label: (Label, &str)) -> Vec<Guide> {
    let frames = &cx.session().playback().shown().frames;
    let words_at = |part: Label| if part == label.0 { label.1.to_owned() } else { String::new() };
    let mut guides = Vec::new();
    for (at, shape) in preview.shapes.iter().take(MOST_DRAWN).enumerate() {
        let Some(frame) = frames.get(shape.bone.index()) else { continue };
        let points = shape.points.iter().map(|p| frame.point(*p)).collect();
        guides.push(Guide { points, radius: shape.radius, ink, words: words_at(Label::Shape(at)) });
    }
    for (at, pivot) in preview.pivots.iter().take(MOST_DRAWN).enumerate() {
        let (Some(frame), Some(head)) = (frames.get(pivot.bone.index()), frames.get(pivot.asks.index())) else {
            continue;
        };
        let tip = head.position + frame.rotation * pivot.along * PIVOT;
        let points = vec![tip, head.position];
        guides.push(Guide { points, radius: 0.0, ink, words: words_at(Label::Pivot(at)) });
    }
    guides
}
