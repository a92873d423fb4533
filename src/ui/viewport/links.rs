//! Draws lines between joints: network links and length limits. Lines behind the mesh have the same opacity as bones
//! behind the mesh.

use super::overlay_painter::OverlayPainter;
use super::pickables::{HIDDEN_DEPTH_SHARE, Pickables};
use crate::stage::overlay::{LengthStatus, length_status};
use crate::stage::{CameraView, Occlusion};
use crate::ui::UiContext;
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::Theme;
use crate::ui::kit::tokens::{alpha, stroke};
use egui::Color32;
use glam::Vec3;
use yuremono_session::Session;
use yuremono_sim::rig::{BoneId, Pose, WorldPose};
use yuremono_sim::{LinkKind, NetworkLink};

/// Opacities of vertical and horizontal links, shear links, and bending links.
const STRUCTURE_OPACITY: f32 = 0.95;
const SHEAR_OPACITY: f32 = 0.7;
const BENDING_OPACITY: f32 = 0.5;

/// Returns the links of every system that has a selected joint.
pub(super) fn links(session: &Session, pickables: &Pickables) -> Vec<NetworkLink> {
    let world = session.playback().world();
    let mut chosen: Vec<u32> = pickables
        .joints
        .iter()
        .filter(|j| j.selected)
        .filter_map(|j| session.playback().joint_index(j.bone))
        .map(|index| index.system)
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() {
        return Vec::new();
    }
    let mut links = world.links();
    links.retain(|link| chosen.binary_search(&link.joints[0].system).is_ok());
    links
}

/// The faintest kinds of links are drawn first.
pub(super) fn show_links(
    overlay: &OverlayPainter<'_>,
    view: &CameraView,
    pickables: &Pickables,
    occlusion: &Occlusion,
    cx: &UiContext<'_>,
) {
    let links = links(cx.session(), pickables);
    let margin = pickables.height * HIDDEN_DEPTH_SHARE;
    for kind in LinkKind::ALL.into_iter().rev() {
        for link in links.iter().filter(|link| link.kind == kind) {
            let [Some(a), Some(b)] = link.ends.map(|p| view.project(p)) else { continue };
            let hidden = link.ends.iter().all(|end| occlusion.hides(*end, margin));
            let LinkStyle { color, width, halo } = link_style(&overlay.theme, kind, hidden);
            if halo {
                overlay.line(&[a.pixel, b.pixel], width, color);
            } else {
                overlay.plain_line(&[a.pixel, b.pixel], width, color);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct LinkStyle {
    color: Color32,
    width: f32,
    halo: bool,
}

fn link_color(theme: &Theme, kind: LinkKind) -> Color32 {
    let c = theme.color;
    match kind {
        LinkKind::StructuralVertical => c.spring,
        LinkKind::StructuralHorizontal => c.limit,
        LinkKind::Shear => c.inertia,
        LinkKind::BendingVertical | LinkKind::BendingHorizontal => c.ghost,
    }
}

fn link_style(theme: &Theme, kind: LinkKind, hidden: bool) -> LinkStyle {
    let (opacity, width, halo) = match kind {
        LinkKind::StructuralVertical | LinkKind::StructuralHorizontal => (STRUCTURE_OPACITY, stroke::FAN_EDGE, true),
        // The halos of many crossing lines would look like a grey smear.
        LinkKind::Shear => (SHEAR_OPACITY, stroke::BONE, false),
        LinkKind::BendingVertical | LinkKind::BendingHorizontal => (BENDING_OPACITY, stroke::HAIRLINE, false),
    };
    let dim = if hidden { alpha::BEHIND_MESH } else { 1.0 };
    LinkStyle { color: faded(link_color(theme, kind), opacity * dim), width, halo: halo && !hidden }
}

/// Opacity of a slack line, and of all lines without a selection.
const SLACK_OPACITY: f32 = 0.55;
const UNSELECTED_OPACITY: f32 = 0.65;

/// The tip of a joint and the target of a length limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LengthLimitLine {
    /// The bone of the tip.
    pub bone: BoneId,
    /// Tip and target in the world, in metres.
    pub ends: [Vec3; 2],
    pub reach: LengthStatus,
}

/// Returns the length limits of joints that match `includes`, with the current length and the rest length.
pub(super) fn length_limit_lines(session: &Session, includes: impl Fn(BoneId) -> bool) -> Vec<LengthLimitLine> {
    let resolved = session.resolved();
    let joints = resolved.systems.iter().flat_map(|s| &s.joints);
    let mut limited = joints.filter(|j| !j.length_targets.is_empty() && includes(j.bone)).peekable();
    if limited.peek().is_none() {
        return Vec::new();
    }
    let rest = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let mut found = Vec::new();
    for joint in limited {
        let Some(tip) = session.playback().displayed_tip(joint.bone) else { continue };
        let offset =
            session.playback().joint_index(joint.bone).and_then(|index| session.playback().world().tip_offset(index));
        let Some((offset, at_rest)) = offset.zip(rest.frames.get(joint.bone.index())) else { continue };
        let rest_tip = at_rest.position + at_rest.rotation * offset;
        for target in &joint.length_targets {
            let frames = [&rest, session.playback().displayed_pose()].map(|pose| pose.frames.get(target.bone.index()));
            let [Some(before), Some(now)] = frames else { continue };
            let reach = length_status(tip.distance(now.position), rest_tip.distance(before.position));
            found.push(LengthLimitLine { bone: joint.bone, ends: [tip, now.position], reach });
        }
    }
    found
}

/// Draws the length limits of selected joints. Without a selection, draws all length limits.
pub(super) fn show_length_limits(
    overlay: &OverlayPainter<'_>,
    view: &CameraView,
    pickables: &Pickables,
    cx: &UiContext<'_>,
) {
    let c = overlay.theme.color;
    let any = pickables.joints.iter().any(|j| j.selected);
    let includes = |bone| !any || pickables.joint(bone).is_some_and(|j| j.selected);
    for limit in length_limit_lines(cx.session(), includes) {
        let [Some(a), Some(b)] = limit.ends.map(|p| view.project(p)) else { continue };
        let (color, width) = match limit.reach {
            LengthStatus::Slack => (faded(c.ghost, SLACK_OPACITY), stroke::HAIRLINE),
            LengthStatus::AtLength => (c.spring, stroke::BONE),
            LengthStatus::Exceeded => (c.limit, stroke::BONE_SELECTED),
        };
        if any {
            overlay.line(&[a.pixel, b.pixel], width, color);
        } else {
            // If all limits are shown, their lines are fainter, so that they do not hide the character.
            overlay.plain_line(&[a.pixel, b.pixel], width, faded(color, UNSELECTED_OPACITY));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::i18n::Lang;
    use crate::ui::kit::theme::ThemeMode;

    #[test]
    fn link_styles_differ_by_kind_and_hidden_links_are_fainter() {
        for mode in [ThemeMode::Dark, ThemeMode::Light] {
            let theme = Theme::new(mode, Lang::En);
            let kinds = [
                LinkKind::StructuralVertical,
                LinkKind::StructuralHorizontal,
                LinkKind::Shear,
                LinkKind::BendingVertical,
            ];
            for hidden in [false, true] {
                let looks = kinds.map(|kind| link_style(&theme, kind, hidden));
                assert!(looks[0].width >= stroke::BONE && looks[1].width >= stroke::BONE);
            }
            let hues = kinds.map(|kind| link_color(&theme, kind).to_array());
            for (at, one) in hues.iter().enumerate() {
                let apart = |other: &[u8; 4]| (0..3).map(|i| one[i].abs_diff(other[i])).max();
                let least = hues[..at].iter().filter_map(apart).min();
                assert!(least.is_none_or(|least| least > 40), "{mode:?} {:?}: {least:?} apart", kinds[at]);
            }
            for kind in LinkKind::ALL {
                let [seen, hidden] = [false, true].map(|hidden| link_style(&theme, kind, hidden));
                assert!(hidden.color.a() < seen.color.a() / 2 && !hidden.halo, "{kind:?}");
            }
        }
    }
}
