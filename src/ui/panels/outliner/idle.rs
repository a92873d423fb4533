//! What has no effect under the character's solver, and why; and the menu that makes colliders, forces, pivots and nulls.

use crate::document::{ColliderId, Document, HelperRole, Label, Node, bone_under};
use crate::rig::BoneId;
use crate::session::{Command, Item, Pick};
use crate::tools::{parts, parts::New, parts::PartId, parts::node_name};
use crate::ui::Cx;
use crate::ui::kit::paint::{self, Name};
use crate::ui::kit::param_row::note;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::tree_row::INDENT;
use crate::ui::kit::{icons, words};
use crate::ui::panels::labels::{new_icon, new_key};
use crate::ui::panels::menus::{item, line};
use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

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
        PartId::Collider(id) if session.inspection().has_groups() && is_loose(document, id) => "groups.loose_one",
        PartId::Force(_) if !session.inspection().has_forces() => "parts.unknown_force",
        PartId::HighLeg(_) if !session.inspection().has_pivots() => "parts.unknown_pivot",
        PartId::Helper(id) if !session.inspection().has_pivots() => {
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
        New::ForceVolume | New::Wind if !session.inspection().has_forces() => "parts.unknown_force",
        New::Pivot if !session.inspection().has_pivots() => "parts.unknown_pivot",
        _ => {
            what.shape().filter(|shape| !session.inspection().system().solver.info().supports(shape))?;
            "parts.unknown_shape"
        }
    };
    Some(with_solver(cx, key))
}

pub(super) fn with_solver(cx: &Cx<'_>, key: &str) -> String {
    let solver = words::solver_name(cx.theme.lang, cx.session().inspection().system().solver);
    cx.tr_with(key, &[("solver", &solver)])
}

/// A line through the name of what the solver does not know.
pub(super) fn strike(ui: &Ui, cx: &Cx<'_>, row: Rect, level: usize, shown: &str) {
    let left = row.left() + 40.0 + INDENT * level as f32;
    let right = (left + paint::width_of(ui, shown, Text::Body)).min(row.right() - 60.0);
    paint::hairline(ui.painter(), left, right, row.center().y, cx.theme.color.text_3);
}

/// The lines that make something on the active bone.
pub(super) fn make_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(parent) = parent_for_new(cx) else {
        item(&cx.tr("parts.no_bone")).enabled(false).show(ui);
        return;
    };
    let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
    let on = node_name(document, skeleton, parent).to_owned();
    let c = cx.theme.color;
    let words = cx.tr_with("parts.new", &[("name", &on)]);
    let (rect, head) = ui.allocate_exact_size(vec2(200.0, size::ROW_TREE), Sense::hover());
    head.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let name = Name::new(ui, &words, Text::Small, c.text_3, rect.width() - space::XL);
    name.paint_left(ui.painter(), rect.left_center() + vec2(space::M, 0.0));
    name.tip(head);
    for what in New::ALL {
        if matches!(what, New::ForceVolume | New::Pivot) {
            line(ui);
        }
        let why = why_not_new(cx, what);
        let entry = item(&cx.tr(new_key(what))).icon(new_icon(what)).enabled(why.is_none()).show(ui);
        let entry = if let Some(why) = why { entry.on_hover_text(why) } else { entry };
        if entry.clicked() {
            let made = parts::make(cx.session().document(), skeleton, what, parent);
            cx.command(Command::Apply(made.edit, Label::new("new_part", 1).name(made.name)));
            let items = Item::of(made.part, cx.session().document()).into_iter().collect();
            cx.command(Command::SelectItems(items, Pick::Replace));
            ui.close();
        }
    }
    let leans = cx.session().inspection().has_pivots();
    let entry = item(&cx.tr("parts.kind.high_leg")).icon(icons::PERSON_SIMPLE_WALK).enabled(leans).show(ui);
    let entry = if leans { entry } else { entry.on_hover_text(with_solver(cx, "parts.unknown_pivot")) };
    if entry.clicked() {
        let made = parts::make_high_leg(cx.session().document(), cx.session().character(), parent);
        let helper = made.helper();
        cx.command(Command::Apply(made.edit, Label::new("new_part", 1).name(made.name)));
        cx.command(Command::SelectItems(helper.map(Item::Helper).into_iter().collect(), Pick::Replace));
        ui.close();
    }
    if let Some(bone) = parts::moves_tip(cx.session().document(), parent, HelperRole::Plain) {
        line(ui);
        ui.set_max_width(280.0);
        note(ui, &cx.tr_with("parts.joint_parent", &[("name", cx.session().inspection().bone_name(bone))]), space::M);
    }
}

/// The bone that the active item is on, or the active bone; with nothing selected the hips, or the first bone.
fn parent_for_new(cx: &Cx<'_>) -> Option<Node> {
    let session = cx.session();
    let (document, character) = (session.document(), session.character());
    let there = |bone: &BoneId| bone.index() < character.skeleton.len();
    let selection = session.selection();
    let node =
        |item: Item| item.part().helper(document).map(|(_, helper)| helper.parent).or(item.part().node(document));
    let under_item = selection.active_item.and_then(node).and_then(|node| bone_under(document, node)).filter(there);
    let active = selection.active.filter(there);
    let hips = character.humanoid.bone("hips").filter(there);
    under_item.or(active).or(hips).or_else(|| character.skeleton.roots().next()).map(Node::Bone)
}
