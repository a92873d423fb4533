//! Lines between joints: links of a network, length limits, and the forces and contacts of tips; behind the mesh as faint
//! as bones there.

use super::figure::{BURIED, Figure};
use super::ink::Ink;
use crate::rig::{BoneId, Pose, WorldPose};
use crate::schema::Idea;
use crate::session::Session;
use crate::sim::{Link, LinkKind};
use crate::stage::overlay::{self, Reach, reach};
use crate::stage::{Occlusion, Shot};
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::{Role, Theme};
use crate::ui::kit::tokens::{alpha, stroke};
use crate::ui::{Cx, Lit};
use egui::Color32;
use glam::{Vec2, Vec3};

/// Opacity of what runs along and across columns, of diagonals, and of bending links, which lie under both.
const PLAIN: f32 = 0.95;
const DIAGONAL: f32 = 0.7;
const BENDING: f32 = 0.5;

/// The links of systems of which a joint is selected.
pub(super) fn links(session: &Session, figure: &Figure) -> Vec<Link> {
    let world = session.playback().world();
    let mut chosen: Vec<u32> = figure
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

/// Draws them, the faintest kinds first.
pub(super) fn show(ink: &Ink<'_>, shot: &Shot, figure: &Figure, occlusion: &Occlusion, cx: &Cx<'_>) {
    let links = links(cx.session(), figure);
    let margin = figure.height * BURIED;
    for kind in LinkKind::ALL.into_iter().rev() {
        for link in links.iter().filter(|link| link.kind == kind) {
            let [Some(a), Some(b)] = link.ends.map(|p| shot.project(p)) else { continue };
            let hidden = link.ends.iter().all(|end| occlusion.hides(*end, margin));
            let Look { color, width, halo } = look(&ink.theme, kind, hidden);
            if halo {
                ink.line(&[a.pixel, b.pixel], width, color);
            } else {
                ink.thin(&[a.pixel, b.pixel], width, color);
            }
        }
    }
}

/// How a link is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    color: Color32,
    width: f32,
    halo: bool,
}

/// The colour of a kind, before it is faded.
fn hue(theme: &Theme, kind: LinkKind) -> Color32 {
    let c = theme.color;
    match kind {
        LinkKind::StructuralVertical => c.spring,
        LinkKind::StructuralHorizontal => c.limit,
        LinkKind::Shear => c.inertia,
        LinkKind::BendingVertical | LinkKind::BendingHorizontal => c.ghost,
    }
}

fn look(theme: &Theme, kind: LinkKind, hidden: bool) -> Look {
    let (opacity, width, halo) = match kind {
        LinkKind::StructuralVertical | LinkKind::StructuralHorizontal => (PLAIN, stroke::FAN_EDGE, true),
        // Coats of so many crossing lines would be a grey smear.
        LinkKind::Shear => (DIAGONAL, stroke::BONE, false),
        LinkKind::BendingVertical | LinkKind::BendingHorizontal => (BENDING, stroke::HAIRLINE, false),
    };
    let dim = if hidden { alpha::BEHIND_MESH } else { 1.0 };
    Look { color: faded(hue(theme, kind), opacity * dim), width, halo: halo && !hidden }
}

/// Metres per second squared that one metre per second is drawn as: half a second of the present movement. At a step's
/// length the arrow would always be the longest.
const SPEED_AS_FORCE: f32 = 2.0;

/// One arrow at the tip of the active joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrow {
    pub role: Role,
    idea: Idea,
    line: [Vec2; 2],
}

/// The arrows of the active joint; none for a force that is too weak to be drawn.
pub(super) fn arrows(session: &Session, shot: &Shot, figure: &Figure) -> Vec<Arrow> {
    let active = session.selection().active.and_then(|bone| figure.joint(bone));
    let Some((joint, forces)) = active.and_then(|joint| Some((joint, session.inspection().tip_forces(joint.bone)?)))
    else {
        return Vec::new();
    };
    let all = [
        (Role::Gravity, Idea::Gravity, forces.gravity),
        (Role::Spring, Idea::Restore, forces.spring),
        (Role::Inertia, Idea::Drag, forces.speed * SPEED_AS_FORCE),
    ];
    let seen = all.into_iter().filter_map(|(role, idea, force)| {
        overlay::arrow(shot, joint.tip, force).map(|line| Arrow { role, idea, line })
    });
    seen.collect()
}

/// Draws them.
pub(super) fn show_physics(ink: &Ink<'_>, arrows: &[Arrow], cx: &Cx<'_>) {
    for arrow in arrows {
        let color = ink.theme.role(arrow.role);
        let lit = if cx.state.lit == Some(Lit::Idea(arrow.idea)) { 1.5 } else { 0.0 };
        ink.line(&arrow.line, stroke::ARROW + lit, color);
        ink.area(&overlay::arrow_head(arrow.line), 0.5, color, color);
    }
}

/// Opacity of a slack line, and of every line while none is meant.
const SLACK: f32 = 0.55;
const ALL: f32 = 0.65;

/// A tip and what it is tied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tie {
    /// Whose tip.
    pub bone: BoneId,
    /// Tip and target, metres in the world.
    pub ends: [Vec3; 2],
    pub reach: Reach,
}

/// The ties of joints for which `wanted` is true, as they are now against the rest pose.
pub(super) fn ties(session: &Session, wanted: impl Fn(BoneId) -> bool) -> Vec<Tie> {
    let resolved = session.resolved();
    let joints = resolved.systems.iter().flat_map(|s| &s.joints);
    let mut tied = joints.filter(|j| !j.length_targets.is_empty() && wanted(j.bone)).peekable();
    if tied.peek().is_none() {
        return Vec::new();
    }
    let rest = WorldPose::of(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let mut found = Vec::new();
    for joint in tied {
        let Some(tip) = session.playback().shown_tip(joint.bone) else { continue };
        let offset =
            session.playback().joint_index(joint.bone).and_then(|index| session.playback().world().tip_offset(index));
        let Some((offset, at_rest)) = offset.zip(rest.frames.get(joint.bone.index())) else { continue };
        let rest_tip = at_rest.position + at_rest.rotation * offset;
        for target in &joint.length_targets {
            let frames = [&rest, session.playback().shown()].map(|pose| pose.frames.get(target.bone.index()));
            let [Some(before), Some(now)] = frames else { continue };
            let reach = reach(tip.distance(now.position), rest_tip.distance(before.position));
            found.push(Tie { bone: joint.bone, ends: [tip, now.position], reach });
        }
    }
    found
}

/// Draws those of selected joints, or of all where none is selected.
pub(super) fn show_lengths(ink: &Ink<'_>, shot: &Shot, figure: &Figure, cx: &Cx<'_>) {
    let c = ink.theme.color;
    let any = figure.joints.iter().any(|j| j.selected);
    let wanted = |bone| !any || figure.joint(bone).is_some_and(|j| j.selected);
    for tie in ties(cx.session(), wanted) {
        let [Some(a), Some(b)] = tie.ends.map(|p| shot.project(p)) else { continue };
        let (color, width) = match tie.reach {
            Reach::Slack => (faded(c.ghost, SLACK), stroke::HAIRLINE),
            Reach::AtLength => (c.spring, stroke::BONE),
            Reach::Exceeded => (c.limit, stroke::BONE_SELECTED),
        };
        if any {
            ink.line(&[a.pixel, b.pixel], width, color);
        } else {
            // All at once: a net of them must not bury what hangs in it.
            ink.thin(&[a.pixel, b.pixel], width, faded(color, ALL));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::theme::Mode;
    use crate::ui::kit::words::Lang;

    #[test]
    fn structure_is_as_wide_as_bones_and_kinds_differ_in_colour_and_what_is_hidden_fades() {
        for mode in [Mode::Dark, Mode::Light] {
            let theme = Theme::new(mode, Lang::En);
            let kinds = [
                LinkKind::StructuralVertical,
                LinkKind::StructuralHorizontal,
                LinkKind::Shear,
                LinkKind::BendingVertical,
            ];
            for hidden in [false, true] {
                let looks = kinds.map(|kind| look(&theme, kind, hidden));
                assert!(looks[0].width >= stroke::BONE && looks[1].width >= stroke::BONE);
            }
            let hues = kinds.map(|kind| hue(&theme, kind).to_array());
            for (at, one) in hues.iter().enumerate() {
                let apart = |other: &[u8; 4]| (0..3).map(|i| one[i].abs_diff(other[i])).max();
                let least = hues[..at].iter().filter_map(apart).min();
                assert!(least.is_none_or(|least| least > 40), "{mode:?} {:?}: {least:?} apart", kinds[at]);
            }
            for kind in LinkKind::ALL {
                let [seen, hidden] = [false, true].map(|hidden| look(&theme, kind, hidden));
                assert!(hidden.color.a() < seen.color.a() / 2 && !hidden.halo, "{kind:?}");
            }
        }
    }
}
