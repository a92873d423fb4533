//! What an open window shows over the character: pairs, the plane between the sides, outlines of shapes.

use super::ink::Ink;
use crate::stage::Shot;
use crate::ui::widgets::paint::faded;
use crate::ui::{Guide, GuideInk};
use egui::{Align2, Color32};
use glam::Vec2;

/// Draws them all, the faint ones first as they come.
pub(super) fn paint(ink: &Ink<'_>, shot: &Shot, guides: &[Guide]) {
    for guide in guides {
        let seen: Vec<Vec2> = guide.points.iter().filter_map(|p| shot.project(*p)).map(|p| p.pixel).collect();
        if seen.len() != guide.points.len() || seen.is_empty() {
            continue;
        }
        let (color, width) = look(ink, guide.ink);
        if guide.radius > 0.0 {
            outline(ink, shot, guide, &seen, (color, width));
        } else if guide.ink == GuideInk::Plane {
            seen.windows(2).for_each(|ends| ink.dashes(ends[0], ends[1], width, color));
        } else {
            ink.line(&seen, width, color);
        }
        if !guide.words.is_empty() {
            ink.words(seen[0] - Vec2::new(0.0, 10.0), Align2::CENTER_BOTTOM, &guide.words, color);
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
    }
}

/// A ball at each point, and the two lines that touch neighbours.
fn outline(ink: &Ink<'_>, shot: &Shot, guide: &Guide, seen: &[Vec2], (color, width): (Color32, f32)) {
    let radii: Vec<f32> = guide.points.iter().map(|p| shot.pixels(guide.radius, *p)).collect();
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
