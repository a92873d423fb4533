//! What has no effect under the character's solver, and why; and the menu that makes colliders, forces, pivots and nulls.

use crate::document::{ColliderId, Document, EditLabel, HelperRole, Node, bone_of_node};
use crate::rig::BoneId;
use crate::session::{Command, SceneObject, SelectMode};
use crate::tools::{elements, elements::ElementId, elements::NewElement, elements::node_name};
use crate::ui::UiContext;
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::tree_row::INDENT;
use crate::ui::kit::{i18n, icons};
use crate::ui::panels::labels::{new_icon, new_key};
use crate::ui::panels::menus::{menu_item, menu_separator};
use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

/// The collider that a part is.
pub(super) const fn collider_of(part: ElementId) -> Option<ColliderId> {
    match part {
        ElementId::Collider(id) => Some(id),
        _ => None,
    }
}

/// Whether no solver of the character has a shape like a collider's.
pub(super) fn is_unsupported(cx: &UiContext<'_>, part: ElementId) -> bool {
    let document = cx.session().document();
    let shape = collider_of(part).and_then(|id| document.colliders.get(&id)).map(|c| c.shape);
    shape.is_some_and(|shape| !document.used_solvers().into_iter().any(|kind| kind.info().supports_shape(&shape)))
}

/// Why a part does nothing under this solver.
pub(super) fn no_effect_reason(cx: &UiContext<'_>, part: ElementId) -> Option<String> {
    let session = cx.session();
    let document = session.document();
    let key = match part {
        ElementId::Collider(_) if is_unsupported(cx, part) => "parts.unknown_shape",
        ElementId::Collider(id) if session.inspection().supports_groups() && is_unassigned(document, id) => {
            "groups.loose_one"
        }
        ElementId::Force(_) if !session.inspection().supports_forces() => "parts.unknown_force",
        ElementId::HighLeg(_) if !session.inspection().supports_pivots() => "parts.unknown_pivot",
        ElementId::Helper(id) if !session.inspection().supports_pivots() => {
            document.helpers.get(&id).filter(|h| h.role == HelperRole::Pivot)?;
            "parts.unknown_pivot"
        }
        _ => return None,
    };
    Some(text_with_solver(cx, key))
}

fn is_unassigned(document: &Document, id: ColliderId) -> bool {
    let listed = document.chains.values().flat_map(|c| &c.joints).any(|j| j.colliders.contains(&id));
    !listed && !document.groups.values().any(|g| g.colliders.contains(&id))
}

/// Why a new thing of this kind would do nothing.
pub(super) fn unsupported_new_reason(cx: &UiContext<'_>, what: NewElement) -> Option<String> {
    let session = cx.session();
    let key = match what {
        NewElement::ForceVolume | NewElement::Wind if !session.inspection().supports_forces() => "parts.unknown_force",
        NewElement::Pivot if !session.inspection().supports_pivots() => "parts.unknown_pivot",
        _ => {
            what.shape().filter(|shape| !session.inspection().system().solver.info().supports_shape(shape))?;
            "parts.unknown_shape"
        }
    };
    Some(text_with_solver(cx, key))
}

pub(super) fn text_with_solver(cx: &UiContext<'_>, key: &str) -> String {
    let solver = i18n::solver_name(cx.theme.lang, cx.session().inspection().system().solver);
    cx.tr_with(key, &[("solver", &solver)])
}

/// A line through the name of what the solver does not know.
pub(super) fn paint_strikethrough(ui: &Ui, cx: &UiContext<'_>, row: Rect, level: usize, shown: &str) {
    let left = row.left() + 40.0 + INDENT * level as f32;
    let right = (left + paint::text_width(ui, shown, TextSize::Body)).min(row.right() - 60.0);
    paint::hairline(ui.painter(), left, right, row.center().y, cx.theme.color.text_3);
}

/// The lines that make something on the active bone.
pub(super) fn new_part_menu(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(parent) = parent_for_new(cx) else {
        menu_item(&cx.tr("parts.no_bone")).enabled(false).show(ui);
        return;
    };
    let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
    let on = node_name(document, skeleton, parent).to_owned();
    let c = cx.theme.color;
    let words = cx.tr_with("parts.new", &[("name", &on)]);
    let (rect, head) = ui.allocate_exact_size(vec2(200.0, size::ROW_TREE), Sense::hover());
    head.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let name = ElidedName::new(ui, &words, TextSize::Small, c.text_3, rect.width() - space::XL);
    name.paint_left(ui.painter(), rect.left_center() + vec2(space::M, 0.0));
    name.with_tooltip(head);
    for what in NewElement::ALL {
        if matches!(what, NewElement::ForceVolume | NewElement::Pivot) {
            menu_separator(ui);
        }
        let why = unsupported_new_reason(cx, what);
        let entry = menu_item(&cx.tr(new_key(what))).icon(new_icon(what)).enabled(why.is_none()).show(ui);
        let entry = if let Some(why) = why { entry.on_hover_text(why) } else { entry };
        if entry.clicked() {
            let made = elements::create_element(cx.session().document(), skeleton, what, parent);
            cx.command(Command::ApplyEdit(made.edit, EditLabel::new("new_part", 1).name(made.name)));
            let items = SceneObject::from_part(made.element, cx.session().document()).into_iter().collect();
            cx.command(Command::SelectObjects(items, SelectMode::Replace));
            ui.close();
        }
    }
    let leans = cx.session().inspection().supports_pivots();
    let entry = menu_item(&cx.tr("parts.kind.high_leg")).icon(icons::PERSON_SIMPLE_WALK).enabled(leans).show(ui);
    let entry = if leans { entry } else { entry.on_hover_text(text_with_solver(cx, "parts.unknown_pivot")) };
    if entry.clicked() {
        let made = elements::create_high_leg(cx.session().document(), cx.session().character(), parent);
        let helper = made.helper();
        cx.command(Command::ApplyEdit(made.edit, EditLabel::new("new_part", 1).name(made.name)));
        cx.command(Command::SelectObjects(helper.map(SceneObject::Helper).into_iter().collect(), SelectMode::Replace));
        ui.close();
    }
    if let Some(bone) = elements::joint_with_moved_tip(cx.session().document(), parent, HelperRole::Plain) {
        menu_separator(ui);
        ui.set_max_width(280.0);
        info_note(
            ui,
            &cx.tr_with("parts.joint_parent", &[("name", cx.session().inspection().bone_name(bone))]),
            space::M,
        );
    }
}

/// The bone that the active item is on, or the active bone; with nothing selected the hips, or the first bone.
fn parent_for_new(cx: &UiContext<'_>) -> Option<Node> {
    let session = cx.session();
    let (document, character) = (session.document(), session.character());
    let there = |bone: &BoneId| bone.index() < character.skeleton.len();
    let selection = session.selection();
    let node = |item: SceneObject| {
        item.part().helper(document).map(|(_, helper)| helper.parent).or(item.part().node(document))
    };
    let under_item = selection.active_object.and_then(node).and_then(|node| bone_of_node(document, node)).filter(there);
    let active = selection.active.filter(there);
    let hips = character.humanoid.bone("hips").filter(there);
    under_item.or(active).or(hips).or_else(|| character.skeleton.roots().next()).map(Node::Bone)
}
