//! What does nothing under the character's solver, and why.

use crate::doc::parts::{New, PartId};
use crate::doc::{ColliderId, Document, HelperRole};
use crate::ui::theme::Text;
use crate::ui::widgets::paint;
use crate::ui::widgets::tree_row::INDENT;
use crate::ui::{Cx, words};
use egui::{Rect, Ui};

/// The collider that a part is.
pub(super) const fn collider_of(part: PartId) -> Option<ColliderId> {
    match part {
        PartId::Collider(id) => Some(id),
        _ => None,
    }
}

/// Whether no solver of the character has a shape like a collider's.
pub(super) fn is_unknown(cx: &Cx<'_>, part: PartId) -> bool {
    let document = cx.session().document();
    let shape = collider_of(part).and_then(|id| document.colliders.get(&id)).map(|c| c.shape);
    shape.is_some_and(|shape| !document.solvers().into_iter().any(|kind| kind.info().supports(&shape)))
}

/// Why a part does nothing under this solver.
pub(super) fn why_idle(cx: &Cx<'_>, part: PartId) -> Option<String> {
    let session = cx.session();
    let document = session.document();
    let key = match part {
        PartId::Collider(_) if is_unknown(cx, part) => "parts.unknown_shape",
        PartId::Collider(id) if session.has_groups() && is_loose(document, id) => "groups.loose_one",
        PartId::Force(_) if !session.has_forces() => "parts.unknown_force",
        PartId::HighLeg(_) if !session.has_pivots() => "parts.unknown_pivot",
        PartId::Helper(id) if !session.has_pivots() => {
            document.helpers.get(&id).filter(|h| h.role == HelperRole::Pivot)?;
            "parts.unknown_pivot"
        }
        _ => return None,
    };
    Some(with_solver(cx, key))
}

fn is_loose(document: &Document, id: ColliderId) -> bool {
    let listed = document.chains.values().flat_map(|c| &c.joints).any(|j| j.colliders.contains(&id));
    !listed && !document.groups.values().any(|g| g.colliders.contains(&id))
}

/// Why a new thing of this kind would do nothing.
pub(super) fn why_not_new(cx: &Cx<'_>, what: New) -> Option<String> {
    let session = cx.session();
    let key = match what {
        New::ForceVolume | New::Wind if !session.has_forces() => "parts.unknown_force",
        New::Pivot if !session.has_pivots() => "parts.unknown_pivot",
        _ => {
            what.shape().filter(|shape| !session.system().solver.info().supports(shape))?;
            "parts.unknown_shape"
        }
    };
    Some(with_solver(cx, key))
}

pub(super) fn with_solver(cx: &Cx<'_>, key: &str) -> String {
    let solver = words::solver_name(cx.theme.lang, cx.session().system().solver);
    cx.tr_with(key, &[("solver", &solver)])
}

/// A line through the name of what the solver does not know.
pub(super) fn strike(ui: &Ui, cx: &Cx<'_>, row: Rect, level: usize, shown: &str) {
    let left = row.left() + 40.0 + INDENT * level as f32;
    let right = (left + paint::width_of(ui, shown, Text::Body)).min(row.right() - 60.0);
    paint::hairline(ui.painter(), left, right, row.center().y, cx.theme.color.text_3);
}
