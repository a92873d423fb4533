//! Draws why the tips of the selected joints move, as arrows.

use super::overlay_painter::OverlayPainter;
use super::pickables::Pickables;
use crate::stage::CameraView;
use crate::stage::overlay;
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::ColorRole;
use crate::ui::kit::tokens::stroke;
use crate::ui::{ColorBy, Highlight, UiContext};
use egui::Color32;
use glam::Vec2;
use yuremono_session::Command;
use yuremono_sim::TipPart;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

/// Opacity of the arrows of joints other than the active joint: of the strongest cause, and of a cause that is much weaker.
const INACTIVE_OPACITY: [f32; 2] = [0.7, 0.15];
/// Additional width of arrows while their parameters are highlighted.
const HIGHLIGHT_WIDTH: f32 = 1.5;

pub(in crate::ui) const fn part_name(part: TipPart) -> MessageText {
    match part {
        TipPart::Inertia => message!("Inertia"),
        TipPart::Spring => message!("Spring"),
        TipPart::Gravity => message!("Gravity"),
        TipPart::Force => message!("Force"),
        TipPart::LengthLimit => message!("Length limit"),
        TipPart::Collision => message!("Collision{:section}"),
        TipPart::AngleLimit => message!("Angle limit{:item}"),
        TipPart::Other => message!("Other"),
    }
}

/// An arrow at the tip of a selected joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct CauseArrow {
    pub part: TipPart,
    pub is_active: bool,
    opacity: f32,
    line: [Vec2; 2],
}

/// Switches the recording of causes on while arrows or colours show them, and off otherwise.
pub(super) fn switch_probe(pickables: &Pickables, cx: &mut UiContext<'_>) {
    let has_overlay = !cx.hides_overlays() && cx.session().sweep().is_none();
    let has_arrows = cx.state.prefs.toggles.causes && pickables.joints.iter().any(|joint| joint.selected);
    let is_needed = has_overlay && (has_arrows || cx.state.color_by == ColorBy::StrongestCause);
    if cx.playback().probes_tips() != is_needed {
        cx.command(Command::ProbeTips(is_needed));
    }
}

/// Returns the arrows of the selected joints: those of the active joint first, then from the strongest cause to the
/// weakest. Weaker causes are fainter, so that many arrows do not hide the character. Causes that are too weak to be visible
/// are omitted.
pub(super) fn cause_arrows(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Vec<CauseArrow> {
    if !cx.state.prefs.toggles.causes {
        return Vec::new();
    }
    let session = cx.session();
    let active = session.selection().active;
    let is_active = |bone: BoneId| active == Some(bone);
    let joints = pickables.joints.iter().filter(|joint| joint.selected);
    let causes = joints.filter_map(|joint| Some((joint, session.inspection().tip_causes(joint.bone)?)));
    let arrows = causes.flat_map(|(joint, causes)| {
        let shown = TipPart::ALL.into_iter().filter(|part| *part != TipPart::Other);
        shown.filter_map(move |part| {
            let cause = causes.get(part);
            let line = overlay::arrow(view, joint.tip, cause)?;
            Some((cause.length(), CauseArrow { part, is_active: is_active(joint.bone), opacity: 1.0, line }))
        })
    });
    let mut arrows: Vec<(f32, CauseArrow)> = arrows.collect();
    arrows.sort_by(|(a, first), (b, second)| second.is_active.cmp(&first.is_active).then(b.total_cmp(a)));
    let strongest = arrows.iter().filter(|(_, arrow)| !arrow.is_active).map(|(size, _)| *size).fold(0.0, f32::max);
    let [most, least] = INACTIVE_OPACITY;
    // A share of the strongest cause changes evenly, but a rank would jump while joints swing.
    let faded = |(size, arrow): (f32, CauseArrow)| {
        let opacity = if arrow.is_active { 1.0 } else { least + (most - least) * (size / strongest).sqrt() };
        CauseArrow { opacity, ..arrow }
    };
    arrows.into_iter().map(faded).collect()
}

/// The arrows of the active joint are drawn last.
pub(super) fn show_cause_arrows(overlay: &OverlayPainter<'_>, arrows: &[CauseArrow], cx: &UiContext<'_>) {
    for arrow in arrows.iter().rev() {
        let role = ColorRole::for_part(arrow.part);
        let color = faded(overlay.theme.role(role), arrow.opacity);
        let is_highlighted = match cx.state.highlight {
            Some(Highlight::Meaning(meaning)) => ColorRole::for_meaning(meaning) == role,
            _ => false,
        };
        overlay.line(&arrow.line, stroke::ARROW + if is_highlighted { HIGHLIGHT_WIDTH } else { 0.0 }, color);
        // The head of a length limit is hollow, because angle limits have the same colour.
        let fill = if arrow.part == TipPart::LengthLimit { Color32::TRANSPARENT } else { color };
        let width = if arrow.part == TipPart::LengthLimit { stroke::FAN_EDGE } else { 0.5 };
        overlay.area(&overlay::arrow_head(arrow.line), width, color, fill);
    }
}
