//! The mirror axis of a CSV file. The file does not store this axis, so the dialog shows previews for both axes and
//! measures how well each preview fits the body.

use super::{ImportChoice, ImportDialog};
use crate::tr;
use crate::ui::kit::icons;
use crate::ui::kit::paint;
use crate::ui::kit::property_row::{PropertyRow, property_rows, property_rows_height};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::Choice;
use crate::ui::kit::tokens::size;
use crate::ui::{OverlayLine, OverlayLineKind, UiContext};
use egui::Ui;
use std::borrow::Cow;
use yuremono_format::unity_space::{count_axis_dependent_values, to_gltf};
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{FileSection, FileSpace, MirrorError, MirrorPreview, closer_mirror, mirror_preview};
use yuremono_session::Session;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Frame;

pub(super) const MIRROR_ROW_HEIGHT: f32 = property_rows_height(2);
/// Maximum number of drawn colliders or pivots. More shapes would hide each other.
const MAX_DRAWN: usize = 64;
/// Drawn length of a pivot, in metres.
const PIVOT_LENGTH: f32 = 0.06;
/// Previews that are closer together than this distance share one label; metres.
const MERGE_DISTANCE: f32 = 0.02;

pub(super) const AXES: [FlipAxis; 2] = [FlipAxis::X, FlipAxis::Z];

const fn axis_letter(axis: FlipAxis) -> &'static str {
    match axis {
        FlipAxis::X => "X",
        FlipAxis::Z => "Z",
    }
}

impl ImportDialog {
    pub(super) fn update_previews(&mut self, session: &Session) {
        if !self.mirror_matters {
            return;
        }
        let (names, skeleton) = (self.name_map(), &session.character().skeleton);
        self.previews = AXES.map(|axis| {
            let file = to_gltf(self.file.clone(), axis);
            mirror_preview(&file, &names, self.base_document(session), skeleton, &self.skin)
        });
    }

    fn closer_mirror(&self) -> Option<FlipAxis> {
        closer_mirror(self.previews[0].error, self.previews[1].error)
    }

    /// Returns the mirror axis of the file. If the file has none, returns the first available of: the axis of the last
    /// file of this character, the axis with the smaller distance, the default.
    pub(super) fn proposed_mirror(&self, cx: &UiContext<'_>) -> FlipAxis {
        let character = cx.session().character();
        let named = match self.file.space {
            FileSpace::Unity(axis) => axis,
            FileSpace::Gltf => None,
        };
        let before = || cx.state.prefs.mirror_of(&character.name);
        let proposed = named.or_else(before).or_else(|| self.closer_mirror());
        proposed.unwrap_or_else(|| FlipAxis::default_for(character.facing))
    }

    pub(super) fn draw_previews(&self, cx: &mut UiContext<'_>) {
        let most = largest_difference(&self.previews, &cx.session().playback().displayed_pose().frames);
        let is_shared = most.is_none_or(|(_, distance)| distance < MERGE_DISTANCE);
        let label = most.map_or(PreviewLabel::Shape(0), |(label, _)| label);
        // The chosen mirror image is drawn over the other mirror image.
        let order = if self.mirror == FlipAxis::Z { [0, 1] } else { [1, 0] };
        let mut guides = Vec::new();
        for (at, kind) in order.into_iter().zip([OverlayLineKind::OtherMirror, OverlayLineKind::ChosenMirror]) {
            let text = match (is_shared, kind) {
                (true, OverlayLineKind::ChosenMirror) => "X, Z",
                (true, _) => "",
                (false, _) => axis_letter(AXES[at]),
            };
            guides.extend(preview_lines(cx, &self.previews[at], kind, label, text));
        }
        cx.state.overlay_lines = guides;
    }

    pub(super) fn mirror_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<ImportChoice> {
        let c = cx.theme.color;
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), c.border);
        let is_drawn = self.previews.iter().any(|preview| !preview.is_empty());
        let usual = usual_mirror_text(cx);
        let note = if is_drawn { tr!(cx, "Choose the preview that fits the body.") } else { usual.clone() };
        let [x, z] = AXES.map(|axis| self.mirror_note(cx, axis));
        let choices = [
            Choice::new(FlipAxis::X, tr!(cx, "Mirror X")).hint(&*x),
            Choice::new(FlipAxis::Z, tr!(cx, "Mirror Z")).hint(&*z),
        ];
        let mut mirror = self.mirror;
        let measured = self.fit_text(cx);
        let effect = measured.as_deref().unwrap_or(if mirror == FlipAxis::X { &x } else { &z });
        let closer = self.closer_mirror().filter(|_| measured.is_some());
        let label = tr!(cx, "Mirror axis");
        let axis_row = PropertyRow::new(&label).tooltip(&usual).note(&note);
        let picked = property_rows(ui, |ui| {
            let picked = axis_row.choice(ui, &choices, &mut mirror);
            PropertyRow::new("").note(effect).note_color(c.text_2).show(ui, |ui| {
                if let Some(axis) = closer {
                    icons::icon(ui, icons::CHECK_CIRCLE, size::ICON, c.ok);
                    let text = tr!(cx, "{axis} fits better", axis = axis_letter(axis));
                    ui.label(TextSize::Strong.rich(text).color(c.text));
                }
            });
            picked
        });
        picked.then_some(ImportChoice::Mirror(mirror))
    }

    /// Returns a text such as "Offset: X 4 mm and 2°, Z 61 mm and 88°".
    fn fit_text(&self, cx: &UiContext<'_>) -> Option<Cow<'static, str>> {
        let [x, z] = &self.previews;
        let (x, z) = (distance_text(cx, x.error)?, distance_text(cx, z.error)?);
        Some(tr!(cx, "Offset: X {x}, Z {z}", x, z))
    }

    fn mirror_note(&self, cx: &UiContext<'_>, axis: FlipAxis) -> Cow<'static, str> {
        let forces = count_axis_dependent_values(&self.file, axis);
        let pivots = self.plan.rows_of(FileSection::Pivots).count();
        cx.tr(match axis {
            FlipAxis::X => {
                message!("X flips the sideways force of {forces:row|rows} and {pivots:pivot|pivots}.", forces, pivots)
            }
            FlipAxis::Z => {
                message!("Z flips the forward force of {forces:row|rows} and {pivots:pivot|pivots}.", forces, pivots)
            }
        })
    }
}

fn usual_mirror_text(cx: &UiContext<'_>) -> Cow<'static, str> {
    let character = cx.session().character();
    let axis = axis_letter(FlipAxis::default_for(character.facing));
    let kind = &character.format_name;
    if kind.is_empty() {
        tr!(cx, "{axis} is usual for this character.", axis)
    } else {
        tr!(cx, "{axis} is usual for {kind}.", axis, kind)
    }
}

/// Returns a text such as "4 mm and 2°". Omits a part without a measurement.
fn distance_text(cx: &UiContext<'_>, error: MirrorError) -> Option<String> {
    let length = |metres: f32| match metres * 1000.0 {
        mm if mm < 999.5 => format!("{mm:.0} mm"),
        mm => format!("{:.2} m", mm / 1000.0),
    };
    let angle = |degrees: f32| format!("{degrees:.0}°");
    match (error.distance.map(length), error.angle.map(angle)) {
        (Some(length), Some(angle)) => Some(tr!(cx, "{length} and {angle}", length, angle).into_owned()),
        (length, angle) => length.or(angle),
    }
}

/// The part of a preview that is labelled with the letter of the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PreviewLabel {
    Shape(usize),
    Pivot(usize),
}

/// Returns the part that differs most between the two mirror images, and this difference in metres. If several spheres
/// qualify, chooses the highest sphere, because its label is easiest to read.
fn largest_difference(previews: &[MirrorPreview; 2], frames: &[Frame]) -> Option<(PreviewLabel, f32)> {
    let [x, z] = previews;
    let shapes = x.shapes.iter().zip(&z.shapes).take(MAX_DRAWN).enumerate();
    let shapes = shapes.filter_map(|(at, (x, z))| {
        let distance = x.points.first()?.distance(*z.points.first()?);
        Some((PreviewLabel::Shape(at), distance))
    });
    let shapes: Vec<_> = shapes.collect();
    let pivots = x.pivots.iter().zip(&z.pivots).take(MAX_DRAWN).enumerate();
    let pivots = pivots.map(|(at, (x, z))| (PreviewLabel::Pivot(at), x.direction.distance(z.direction) * PIVOT_LENGTH));
    let most = shapes.iter().copied().chain(pivots).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let height = |label: PreviewLabel| match label {
        PreviewLabel::Shape(at) => {
            let shape = &x.shapes[at];
            let frame = frames.get(shape.bone.index()).filter(|_| shape.radius > 0.0)?;
            Some(frame.transform_point(*shape.points.first()?).y)
        }
        PreviewLabel::Pivot(_) => None,
    };
    let clear = shapes.into_iter().filter(|(_, distance)| *distance > MERGE_DISTANCE.max(0.4 * most.1));
    let highest = clear.filter_map(|(label, _)| Some((label, height(label)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    Some((highest.map_or(most.0, |(label, _)| label), most.1))
}

/// Returns the lines of a preview. Only the part `labelled` has the text.
fn preview_lines(
    cx: &UiContext<'_>,
    preview: &MirrorPreview,
    kind: OverlayLineKind,
    labelled: PreviewLabel,
    text: &str,
) -> Vec<OverlayLine> {
    let frames = &cx.session().playback().displayed_pose().frames;
    let label_of = |part: PreviewLabel| if part == labelled { text.to_owned() } else { String::new() };
    let mut guides = Vec::new();
    for (at, shape) in preview.shapes.iter().take(MAX_DRAWN).enumerate() {
        let Some(frame) = frames.get(shape.bone.index()) else { continue };
        let points = shape.points.iter().map(|p| frame.transform_point(*p)).collect();
        guides.push(OverlayLine { points, radius: shape.radius, kind, label: label_of(PreviewLabel::Shape(at)) });
    }
    for (at, pivot) in preview.pivots.iter().take(MAX_DRAWN).enumerate() {
        let (Some(frame), Some(head)) = (frames.get(pivot.bone.index()), frames.get(pivot.joint_bone.index())) else {
            continue;
        };
        let tip = head.position + frame.rotation * pivot.direction * PIVOT_LENGTH;
        let points = vec![tip, head.position];
        guides.push(OverlayLine { points, radius: 0.0, kind, label: label_of(PreviewLabel::Pivot(at)) });
    }
    guides
}
