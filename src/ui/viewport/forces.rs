//! Wind and force volumes as arrows; a wind's arrow swings as the wind does.

use super::overlay_painter::OverlayPainter;
use crate::document::ForceId;
use crate::math::Frame;
use crate::session::{SceneObject, Session};
use crate::sim::ForceKind;
use crate::stage::CameraView;
use crate::stage::overlay::arrow_head;
use crate::ui::UiContext;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use egui::Stroke;
use glam::{Vec2, Vec3};

/// Points of an arrow for one metre per second squared, by its square root; shortest and longest.
const ARROW_SCALE: f32 = 9.0;
const ARROW_LENGTHS: [f32; 2] = [26.0, 90.0];
/// Points along the way of a wind's arrow.
const SWING_POINTS: u16 = 64;
/// Opacity of forces that do nothing, and of those that are not selected.
const INACTIVE_OPACITY: f32 = 0.35;
const UNSELECTED_OPACITY: f32 = 0.8;

/// A force as it stands now.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceView {
    pub id: ForceId,
    /// Of its node.
    frame: Frame,
    kind: ForceKind,
    /// What it pulls now, m/s² in the world.
    force: Vec3,
}

/// All forces that are there.
pub(super) fn force_views(session: &Session) -> Vec<ForceView> {
    let Some(system) = session.resolved().systems.first() else { return Vec::new() };
    let found = session.resolved().force_indices.iter().filter_map(|(id, place)| {
        let setup = system.forces.get(*place as usize)?;
        let frame = *session.playback().displayed_pose().frames.get(setup.bone.index())?;
        let force = force_after(session, *id, 0.0)?;
        Some(ForceView { id: *id, frame, kind: setup.kind, force })
    });
    found.collect()
}

/// What a force pulls at its own node `later` seconds from now, m/s² in the world; zero for what is off. Its clock is
/// the solver's.
fn force_after(session: &Session, id: ForceId, later: f32) -> Option<Vec3> {
    let place = *session.resolved().force_indices.get(&id)? as usize;
    let world = session.playback().world();
    let bone = session.resolved().systems.first()?.forces.get(place)?.bone;
    let at = world.frames().frames.get(bone.index())?.position;
    world.force_at_time(0, place, at, later)
}

/// The same as its node sees it: along +Z where it does not swing.
pub(in crate::ui) fn force_in_node_space(session: &Session, id: ForceId, later: f32) -> Vec3 {
    let inside = || {
        let place = *session.resolved().force_indices.get(&id)? as usize;
        let bone = session.resolved().systems.first()?.forces.get(place)?.bone;
        let frame = session.playback().world().frames().frames.get(bone.index())?;
        Some(frame.rotation.inverse() * force_after(session, id, later)?)
    };
    inside().unwrap_or(Vec3::ZERO)
}

impl ForceView {
    /// Its node and the end of its arrow under a force; also of one that is nothing, along its +Z.
    fn arrow(&self, shot: &CameraView, force: Vec3) -> Option<([Vec2; 2], bool)> {
        let acts = force.length() > 1e-3;
        let direction = if acts { force.normalize_or_zero() } else { self.frame.rotation * Vec3::Z };
        let length = if acts {
            (ARROW_SCALE * force.length().sqrt()).clamp(ARROW_LENGTHS[0], ARROW_LENGTHS[1])
        } else {
            ARROW_LENGTHS[0]
        };
        let metres = shot.metres_per_pixel(self.frame.position) * length;
        let from = shot.project(self.frame.position)?.pixel;
        let to = shot.project(self.frame.position + direction * metres)?.pixel;
        Some(([from, to], acts))
    }

    /// Pixels from a place to its arrow.
    pub(super) fn distance(&self, shot: &CameraView, at: Vec2) -> Option<f32> {
        let ([from, to], _) = self.arrow(shot, self.force)?;
        Some(crate::stage::distance_to_segment(at, from, to))
    }
}

/// Draws what the toggle asks for, and what is selected in any case.
pub(super) fn show(ink: &OverlayPainter<'_>, shot: &CameraView, breezes: &[ForceView], cx: &UiContext<'_>) {
    let session = cx.session();
    let toggles = cx.state.prefs.toggles;
    for breeze in breezes {
        let chosen = session.selection().objects.contains(&SceneObject::Force(breeze.id));
        if !chosen && (!toggles.colliders || toggles.selected_colliders_only) {
            continue;
        }
        let Some((line, acts)) = breeze.arrow(shot, breeze.force) else { continue };
        let c = ink.theme.color;
        let color = if chosen { c.accent } else { c.wind };
        let color = faded(color, if acts { if chosen { 1.0 } else { UNSELECTED_OPACITY } } else { INACTIVE_OPACITY });
        if let (ForceKind::Wind(wind), true, true) = (breeze.kind, acts, chosen) {
            let way: Vec<Vec2> = (0..=SWING_POINTS)
                .filter_map(|i| {
                    let spin = if wind.spin_period.abs() > 1e-3 { wind.spin_period.abs() } else { 0.0 };
                    let later = wind.period.max(spin) * f32::from(i) / f32::from(SWING_POINTS);
                    let then = force_after(session, breeze.id, later)?;
                    breeze.arrow(shot, then).map(|([_, to], _)| to)
                })
                .collect();
            ink.line(&way, stroke::HAIRLINE, faded(c.wind, alpha::HALO));
        }
        if line[0].distance(line[1]) > 5.0 {
            ink.line(&line, stroke::ARROW, color);
            ink.area(&arrow_head(line), 0.5, color, color);
        }
        ink.dot(line[0], 4.0, c.bone_halo, Stroke::new(1.5, color));
    }
}
