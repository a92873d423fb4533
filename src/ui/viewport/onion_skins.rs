//! Draws where the selected chains were some steps before the displayed pose.

use super::overlay_painter::OverlayPainter;
use crate::stage::CameraView;
use crate::ui::UiContext;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use egui::Stroke;
use glam::Vec2;

const TIP_RADIUS: f32 = 2.4;

/// Draws the earliest positions first. Earlier positions are fainter.
pub(super) fn show(overlay: &OverlayPainter<'_>, view: &CameraView, cx: &UiContext<'_>) {
    let skins = cx.state.prefs.look.onion_skins;
    let chains = cx.selection().chains(cx.document());
    if !skins.shown || chains.is_empty() {
        return;
    }
    for position in (1..=skins.count()).rev() {
        let ticks_back = u64::from(position) * u64::from(skins.spacing());
        let share = 1.0 - f32::from(position - 1) / f32::from(skins.count());
        let color = faded(overlay.theme.color.accent, alpha::GHOST_LINE * share);
        for line in cx.playback().recent_chain_lines(cx.document(), &chains, ticks_back) {
            let seen: Vec<Vec2> = line.iter().filter_map(|p| view.project(*p)).map(|p| p.pixel).collect();
            if let [.., tip] = seen.as_slice()
                && seen.len() == line.len()
            {
                overlay.plain_line(&seen, stroke::CURVE_GHOST, color);
                overlay.dot(*tip, TIP_RADIUS, color, Stroke::NONE);
            }
        }
    }
}
