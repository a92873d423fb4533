//! The legend: the meanings of the visible colours, why the tip of the active joint moves, and which cause wins.

use super::causes::part_name;
use super::transport;
use crate::tr;
use crate::ui::kit::frame::StripDirection;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::tokens::{alpha, space};
use crate::ui::{ColorBy, UiContext};
use egui::{Align, Color32, Frame, Label, Layout, Margin, Rect, Sense, Shape, Stroke, Ui, Vec2, vec2};
use std::borrow::Cow;
use std::time::Duration;
use yuremono_session::{SteadyOutcome, TipCauses, TipOutcome, TouchedSurface, collider_short_name};
use yuremono_sim::TipPart;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

/// How long an entry remains after its mark disappears, in seconds. The delay prevents flicker while joints swing.
const HOLD_SECONDS: f64 = 0.6;
/// Interval at which the sizes and the sentence change while the picture moves, in seconds, so that they can be read.
const SUMMARY_SECONDS: f64 = 0.25;
/// Width of the contents with sizes, in points.
const SUMMARY_WIDTH: f32 = 204.0;
/// Width that a legend covers at the right of the viewport, with its margins, in points.
pub(super) const COVERED_WIDTH: f32 = SUMMARY_WIDTH + 3.0 * space::L;
const ROW_HEIGHT: f32 = 20.0;
/// The size of a cause from which it has no decimals.
const MIN_SIZE_WITHOUT_DECIMALS: f32 = 1000.0;
const SWATCH_WIDTH: f32 = 24.0;

/// Returns whether this legend or that of the colours of joints can appear.
pub(super) fn is_shown(cx: &UiContext<'_>) -> bool {
    let explains_colors = cx.state.color_by != ColorBy::None;
    let explains_joint = cx.state.prefs.toggles.legend && cx.selection().active.is_some();
    // The joints of a sweep belong to several bodies and have no overlay.
    !cx.hides_overlays() && cx.session().sweep().is_none() && (explains_colors || explains_joint)
}

/// Draws the meanings of the colours that are visible now or were visible recently.
pub(super) fn legend_ui(ui: &mut Ui, rect: Rect, below: Rect, marks: &[TipPart], cx: &mut UiContext<'_>) {
    let shown = update_marks(ui, marks, cx);
    let summary = update_summary(ui, cx);
    // The list contains what the sentence names.
    let named = summary.as_ref().map(|summary| summary.steady.displayed().named_parts()).unwrap_or_default();
    let has_row = |part: &TipPart| shown.contains(part) || named.contains(part) && *part != TipPart::Other;
    let parts: Vec<_> = TipPart::ALL.into_iter().filter(has_row).collect();
    let hint_there = cx.input.file.is_sample && !cx.state.prefs.dismissed_hints[1];
    let is_empty = parts.is_empty() && summary.is_none();
    if is_empty || !cx.state.prefs.toggles.legend || cx.selection().active.is_none() || hint_there {
        return;
    }
    let within = Rect::from_min_max(egui::pos2(rect.left(), below.bottom() - space::XS), rect.max).shrink(space::L);
    strip(ui, "legend", within, |ui| {
        if let Some(summary) = &summary {
            ui.set_width(SUMMARY_WIDTH);
            joint_ui(ui, cx, summary.bone);
        }
        for (i, part) in parts.iter().enumerate() {
            row_ui(ui, cx, *part, i == 0, summary.as_ref());
        }
        if let Some(summary) = &summary {
            let text = TextSize::Small.rich(outcome_text(cx, summary)).color(cx.theme.color.text_2);
            ui.add(Label::new(text).wrap());
        }
    });
}

/// Draws a strip of rows at the upper right. Texts need more margin than buttons. Returns the rectangle of the strip.
pub(super) fn strip(ui: &mut Ui, name: &str, within: Rect, rows: impl FnOnce(&mut Ui)) -> Rect {
    let frame = Frame::new().inner_margin(Margin::symmetric(space::XS as i8, space::XXS as i8));
    let draw = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        frame.show(ui, rows);
    };
    transport::strip(ui, name, egui::Align2::RIGHT_TOP, within, StripDirection::Vertical, draw).1
}

/// Draws the name of the joint that the list and the sentence explain, and the button that closes the legend.
fn joint_ui(ui: &mut Ui, cx: &mut UiContext<'_>, bone: BoneId) {
    ui.horizontal(|ui| {
        let width = ui.available_width() - ROW_HEIGHT - space::S;
        let (rect, response) = ui.allocate_exact_size(vec2(width, ROW_HEIGHT), Sense::hover());
        let bone = cx.inspection().bone_name(bone);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, bone));
        let name = ElidedName::new(ui, bone, TextSize::Small, cx.theme.color.text, width - space::XS);
        name.paint_left(ui.painter(), rect.left_center() + vec2(space::XS, 0.0));
        if name.is_cut {
            response.on_hover_text(bone);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| close_ui(ui, cx));
    });
}

/// Draws an entry: a sample, the name, and the size for the active joint. Without sizes, the `first` entry has the button
/// that closes the legend.
fn row_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: TipPart, first: bool, summary: Option<&Summary>) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(SWATCH_WIDTH, ROW_HEIGHT), Sense::hover());
        paint_swatch(ui, rect, part, cx.theme.role(ColorRole::for_part(part)));
        ui.label(TextSize::Small.rich(cx.tr(part_name(part))).color(cx.theme.color.text));
        let Some(summary) = summary else {
            ui.add_space(if first { 0.0 } else { ROW_HEIGHT });
            if first {
                close_ui(ui, cx);
            }
            return;
        };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let Some(size) = size_text(&summary.causes, part) else { return };
            let size = TextSize::Small.rich(size).color(cx.theme.color.text_2);
            let hint =
                if part == TipPart::Inertia { message!("Velocity that remains from the step before, in m/s. 1 m/s is drawn as long as 2 m/s².") } else { message!("Change of the tip's velocity per second, in m/s². The length of the arrow grows with the square root.") };
            ui.label(size).on_hover_text(cx.tr(hint));
        });
    });
}

fn close_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let name = tr!(cx, "Close legend");
    let close = IconButton { icon_size: 11.0, ..IconButton::new(icons::X, &name) };
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(ROW_HEIGHT), Sense::click());
    if close.show_at(ui, rect, response).clicked() {
        cx.state.prefs.toggles.legend = false;
    }
}

/// Returns the size of a cause with its unit: a velocity for inertia, otherwise the change of the velocity per second.
/// `None` if the cause does not act noticeably on the tip of the active joint, such as a contact of another joint.
fn size_text(causes: &TipCauses, part: TipPart) -> Option<String> {
    let (size, least, format) = match part {
        TipPart::Inertia => (causes.kept_velocity().length(), 0.005, NumberFormat::with_suffix(" m/s", 2)),
        _ => (causes.get(part).length(), 0.05, NumberFormat::with_suffix(" m/s²", 1)),
    };
    let format = if size >= MIN_SIZE_WITHOUT_DECIMALS { NumberFormat { decimals: Some(0), ..format } } else { format };
    (size >= least).then(|| format.text(size))
}

/// Returns the sentence that names which cause wins.
fn outcome_text(cx: &UiContext<'_>, summary: &Summary) -> Cow<'static, str> {
    let subject = |part| cause_text(part, summary.surface.as_ref(), true);
    let object = |part| cause_text(part, summary.surface.as_ref(), false);
    cx.tr(match summary.steady.displayed() {
        TipOutcome::Rest => rest_text(cx, summary.bone),
        TipOutcome::LimitOverridesCollider => {
            message!("The angle limit overrides {collider}.", collider = object(TipPart::Collision))
        }
        TipOutcome::Moves(winner) => message!("{winner} moves the tip.", winner = subject(winner)),
        TipOutcome::MovesAgainst { winner, opponent } => message!(
            "{winner} moves the tip against {opponent}.",
            winner = subject(winner),
            opponent = object(opponent)
        ),
        TipOutcome::Holds { winner, opponent } => message!(
            "{winner} holds the tip against {opponent}.",
            winner = subject(winner),
            opponent = object(opponent)
        ),
    })
}

/// Returns why a tip does not move.
fn rest_text(cx: &UiContext<'_>, bone: BoneId) -> MessageText {
    let isolation = cx.session().isolation();
    let chain = cx.document().find_joint(bone).map(|(chain, _)| chain);
    if chain.is_some_and(|chain| !isolation.plays(chain)) {
        message!("The chain follows the animation: it is muted, or another chain is soloed.")
    } else if isolation.pinned().contains(&bone) {
        message!("The joint is pinned, so it follows the animation.")
    } else {
        message!("The tip is at rest.")
    }
}

/// Returns a cause as the subject at the start of a sentence, or as an object.
fn cause_text(part: TipPart, surface: Option<&SurfaceName>, is_subject: bool) -> MessageText {
    match (part, is_subject) {
        (TipPart::Inertia, true) => message!("Inertia"),
        (TipPart::Inertia, false) => message!("inertia"),
        (TipPart::Spring, true) => message!("The spring"),
        (TipPart::Spring, false) => message!("the spring"),
        (TipPart::Gravity, true) => message!("Gravity"),
        (TipPart::Gravity, false) => message!("gravity"),
        (TipPart::Force, true) => message!("Wind or a force"),
        (TipPart::Force, false) => message!("wind or a force"),
        (TipPart::LengthLimit, true) => message!("The length limit"),
        (TipPart::LengthLimit, false) => message!("the length limit"),
        (TipPart::AngleLimit, true) => message!("The angle limit"),
        (TipPart::AngleLimit, false) => message!("the angle limit"),
        (TipPart::Other, true) => message!("A drag or a reset"),
        (TipPart::Other, false) => message!("a drag or a reset"),
        (TipPart::Collision, true) => match surface {
            Some(SurfaceName::Ground) => message!("The ground"),
            Some(SurfaceName::Collider(name)) => message!("Collider {name}", name),
            None => message!("A collider"),
        },
        (TipPart::Collision, false) => match surface {
            Some(SurfaceName::Ground) => message!("the ground"),
            Some(SurfaceName::Collider(name)) => message!("collider {name}", name),
            None => message!("a collider"),
        },
    }
}

/// What a tip touches, with the name of the collider.
#[derive(Clone, Debug)]
enum SurfaceName {
    Ground,
    Collider(String),
}

/// Why the tip of the active joint moved at a time of the window.
#[derive(Clone, Debug)]
struct Summary {
    bone: BoneId,
    time: f64,
    /// What turns the bone. The sentence compares these sizes.
    causes: TipCauses,
    steady: SteadyOutcome,
    surface: Option<SurfaceName>,
}

/// Returns why the tip of the active joint moves. While the picture moves, the outcome changes only once another outcome has
/// lasted, and the sizes change from time to time and only together with the outcome that results from them.
fn update_summary(ui: &Ui, cx: &UiContext<'_>) -> Option<Summary> {
    let has_arrows = cx.state.prefs.toggles.causes && !cx.hides_overlays() && cx.session().sweep().is_none();
    let bone = cx.selection().active.filter(|_| has_arrows)?;
    let causes = cx.inspection().turning_causes(bone)?;
    let id = ui.scope_id().with("legend_summary");
    let time = ui.input(|i| i.time);
    let last: Option<Summary> = ui.data(|d| d.get_temp(id));
    let outcome = causes.outcome();
    let mut steady = SteadyOutcome::new(outcome, time);
    if let Some(mut last) = last.filter(|last| last.bone == bone && last.time <= time && cx.playback().is_moving()) {
        let before = last.steady.displayed();
        let is_current = last.steady.update(outcome, time);
        let is_new = last.steady.displayed() != before;
        if !is_current || !is_new && time - last.time < SUMMARY_SECONDS {
            ui.data_mut(|d| d.insert_temp(id, last.clone()));
            return Some(last);
        }
        steady = last.steady;
    }
    let touched = outcome.has_collision().then(|| cx.inspection().touched_surface(bone)).flatten();
    let surface = touched.and_then(|surface| match surface {
        TouchedSurface::Ground => Some(SurfaceName::Ground),
        TouchedSurface::Collider(id) => {
            let collider = cx.document().colliders.get(&id)?;
            Some(SurfaceName::Collider(collider_short_name(&collider.name)))
        }
    });
    let summary = Summary { bone, time, causes, steady, surface };
    ui.data_mut(|d| d.insert_temp(id, summary.clone()));
    Some(summary)
}

/// The active bone, and the time in seconds at which each mark was last drawn.
type RecentMarks = (Option<BoneId>, Vec<(TipPart, f64)>);

/// Stores the marks of this frame, and returns these and the recent marks of the same joint.
fn update_marks(ui: &Ui, marks: &[TipPart], cx: &UiContext<'_>) -> Vec<TipPart> {
    let id = ui.scope_id().with("legend_marks");
    let now = ui.input(|i| i.time);
    let active = cx.selection().active;
    let (whose, mut seen) = ui.data(|d| d.get_temp::<RecentMarks>(id)).unwrap_or_default();
    let is_recent = |since: f64| whose == active && !cx.hides_overlays() && now - since < HOLD_SECONDS;
    seen.retain(|(part, since)| is_recent(*since) && !marks.contains(part));
    if !seen.is_empty() {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(HOLD_SECONDS));
    }
    seen.extend(marks.iter().map(|part| (*part, now)));
    let shown = seen.iter().map(|(part, _)| *part).collect();
    ui.data_mut(|d| d.insert_temp::<RecentMarks>(id, (active, seen)));
    shown
}

/// Draws a sample for a colour: an arrow, a contact, or a fan.
fn paint_swatch(ui: &Ui, rect: Rect, part: TipPart, color: Color32) {
    let painter = ui.painter();
    match part {
        TipPart::Collision => {
            painter.circle(rect.center(), 4.0, color.gamma_multiply(alpha::CONTACT_FILL), Stroke::new(1.5, color));
        }
        TipPart::AngleLimit => {
            let foot = rect.left_center() + vec2(5.0, space::XS);
            let ends = [vec2(14.0, -9.0), vec2(15.0, 0.0)].map(|offset| foot + offset);
            let fan = vec![foot, ends[0], ends[1]];
            let fill = color.gamma_multiply(alpha::SWATCH_LIMIT_FAN);
            painter.add(Shape::convex_polygon(fan, fill, Stroke::new(1.5, color)));
        }
        _ => {
            let (a, b) = (rect.left_center() + vec2(space::XS, 0.0), rect.right_center() - vec2(3.0, 0.0));
            painter.line_segment([a, b - vec2(6.0, 0.0)], Stroke::new(2.0, color));
            let head = vec![b, b + vec2(-6.0, -3.0), b + vec2(-6.0, 3.0)];
            let fill = if part == TipPart::LengthLimit { Color32::TRANSPARENT } else { color };
            let edge = if part == TipPart::LengthLimit { Stroke::new(1.5, color) } else { Stroke::NONE };
            painter.add(Shape::convex_polygon(head, fill, edge));
        }
    }
}
