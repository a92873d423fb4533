//! Lines of a network: what keeps the points of its columns apart, by kind; behind the mesh as faint as bones there.

use super::figure::Figure;
use super::ink::Ink;
use super::overlay::BURIED;
use crate::session::Session;
use crate::sim::{Link, LinkKind};
use crate::stage::{Occlusion, Shot};
use crate::ui::Cx;
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::Theme;
use crate::ui::kit::tokens::{alpha, stroke};
use egui::Color32;

/// Opacity of what runs along and across columns, of diagonals, and of bending links, which lie under both.
const PLAIN: f32 = 0.95;
const DIAGONAL: f32 = 0.7;
const BENDING: f32 = 0.5;

/// The links of systems of which a joint is selected.
pub(super) fn links(session: &Session, figure: &Figure) -> Vec<Link> {
    let world = session.play().world();
    let mut chosen: Vec<u32> = figure
        .joints
        .iter()
        .filter(|j| j.selected)
        .filter_map(|j| session.joint_index(j.bone))
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
