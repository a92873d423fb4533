//! What an open window shows over the character: pairs, the plane between the sides, outlines of shapes.

use super::ink::Ink;
use crate::stage::Shot;
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::Text;
use crate::ui::{Guide, GuideInk};
use egui::{Align2, Color32};
use glam::Vec2;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// Draws them all, the faint ones first as they come.
pub(super) fn paint(ink: &Ink<'_>, shot: &Shot, guides: &[Guide]) {
    for guide in guides {
        let seen: Vec<Vec2> = guide.points.iter().filter_map(|p| shot.project(*p)).map(|p| p.pixel).collect();
        if seen.len() != guide.points.len() || seen.is_empty() {
            continue;
        }
        let (color, width) = look(ink, guide.ink);
        let dashed = matches!(guide.ink, GuideInk::Plane | GuideInk::Other);
        if guide.radius > 0.0 {
            outline(ink, shot, guide, &seen, (color, width), dashed);
        } else {
            stroke(ink, &seen, (color, width), dashed);
        }
        if !guide.words.is_empty() {
            let ghost = is_ghost(guide.ink);
            let above = if ghost { shot.pixels(guide.radius, guide.points[0]) - 6.0 } else { 0.0 };
            let size = if ghost { Text::Title } else { Text::Small };
            let at = seen[0] - Vec2::new(0.0, 10.0 + above);
            ink.words_in(size, at, Align2::CENTER_BOTTOM, &guide.words, color);
        }
    }
}

/// How chains move without the change that is shown.
pub(super) fn ghosts(ink: &Ink<'_>, shot: &Shot, lines: &[Vec<glam::Vec3>]) {
    for line in lines {
        let seen: Vec<Vec2> = line.iter().filter_map(|p| shot.project(*p)).map(|p| p.pixel).collect();
        if seen.len() == line.len() {
            stroke(ink, &seen, look(ink, GuideInk::Other), true);
        }
    }
}

fn look(ink: &Ink<'_>, guide: GuideInk) -> (Color32, f32) {
    let c = ink.theme.color;
    match guide {
        GuideInk::Source => (c.accent, 2.25),
        GuideInk::Target => (c.text, 1.5),
        GuideInk::Link => (faded(c.accent, 0.4), 1.0),
        GuideInk::LinkNow => (c.accent_hover, 2.0),
        GuideInk::Plane => (faded(c.error, 0.7), 1.25),
        GuideInk::Shape => (c.collision, 1.5),
        GuideInk::Chosen => (c.accent, 2.0),
        GuideInk::Other => (c.text_2, 1.25),
    }
}

const fn is_ghost(ink: GuideInk) -> bool {
    matches!(ink, GuideInk::Chosen | GuideInk::Other)
}

fn stroke(ink: &Ink<'_>, points: &[Vec2], (color, width): (Color32, f32), dashed: bool) {
    if dashed {
        points.windows(2).for_each(|ends| ink.dashes(ends[0], ends[1], width, color));
    } else {
        ink.line(points, width, color);
    }
}

/// An arc about a point of the pane; one line, so that dashes run on round it.
fn arc(ink: &Ink<'_>, at: Vec2, radius: f32, (from, turn): (f32, f32), (color, width): (Color32, f32), dashed: bool) {
    let points: Vec<Vec2> =
        (0..=32_u8).map(|i| at + radius * Vec2::from_angle(from + turn * f32::from(i) / 32.0)).collect();
    if dashed {
        ink.dashed(&points, width, color);
    } else {
        ink.line(&points, width, color);
    }
}

/// A ball at each point, and the two lines that touch neighbours; of a ghost with two ends only what is outside.
fn outline(ink: &Ink<'_>, shot: &Shot, guide: &Guide, seen: &[Vec2], look: (Color32, f32), dashed: bool) {
    let (color, width) = look;
    let radii: Vec<f32> = guide.points.iter().map(|p| shot.pixels(guide.radius, *p)).collect();
    if is_ghost(guide.ink) {
        let along = if let [from, to] = seen { (*to - *from).try_normalize() } else { None };
        let Some(along) = along else {
            return arc(ink, seen[0], radii[0], (-FRAC_PI_2, TAU), look, dashed);
        };
        let side = along.to_angle() + FRAC_PI_2;
        arc(ink, seen[0], radii[0], (side, PI), look, dashed);
        arc(ink, seen[1], radii[1], (side - PI, PI), look, dashed);
        for side in [along.perp(), -along.perp()] {
            stroke(ink, &[seen[0] + side * radii[0], seen[1] + side * radii[1]], look, dashed);
        }
        return;
    }
    for (at, radius) in seen.iter().zip(&radii) {
        ink.circle(*at, *radius, width, color);
    }
    for (ends, radii) in seen.windows(2).zip(radii.windows(2)) {
        if let Some(along) = (ends[1] - ends[0]).try_normalize() {
            for side in [along.perp(), -along.perp()] {
                ink.line(&[ends[0] + side * radii[0], ends[1] + side * radii[1]], width, color);
            }
        }
    }
}
