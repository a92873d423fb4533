//! Lines of a network: what keeps the points of its columns apart, by kind.

use super::figure::Figure;
use super::ink::Ink;
use crate::session::Session;
use crate::sim::{Link, LinkKind};
use crate::stage::Shot;
use crate::ui::Cx;
use crate::ui::tokens::stroke;
use crate::ui::widgets::paint::faded;
use egui::Color32;

/// Opacity of what runs along and across columns, and of diagonals; bending links lie under both.
const PLAIN: f32 = 0.8;
const DIAGONAL: f32 = 0.35;
const BENDING: f32 = 0.22;

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
pub(super) fn show(ink: &Ink<'_>, shot: &Shot, figure: &Figure, cx: &Cx<'_>) {
    let links = links(cx.session(), figure);
    for kind in LinkKind::ALL.into_iter().rev() {
        let color = color_of(ink, kind);
        for link in links.iter().filter(|link| link.kind == kind) {
            let [Some(a), Some(b)] = link.ends.map(|p| shot.project(p)) else { continue };
            ink.thin(&[a.pixel, b.pixel], stroke::HAIRLINE, color);
        }
    }
}

fn color_of(ink: &Ink<'_>, kind: LinkKind) -> Color32 {
    let c = ink.theme.color;
    match kind {
        LinkKind::StructuralVertical => faded(c.spring, PLAIN),
        LinkKind::StructuralHorizontal => faded(c.limit, PLAIN),
        LinkKind::Shear => faded(c.inertia, DIAGONAL),
        LinkKind::BendingVertical | LinkKind::BendingHorizontal => faded(c.ghost, BENDING),
    }
}
