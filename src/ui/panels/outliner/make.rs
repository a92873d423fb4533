//! The menu that makes colliders, forces, pivots and nulls on a bone.

use super::idle::{why_not_new, with_solver};
use crate::doc::bone_under;
use crate::doc::parts::{self, New, node_name};
use crate::doc::{HelperRole, Label, Node};
use crate::rig::BoneId;
use crate::session::{Command, Item, Pick};
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::name::Name;
use crate::ui::kit::param_row::note;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, size};
use crate::ui::panels::menus::{item, line};
use crate::ui::panels::parts_words::{new_icon, new_key};
use egui::{Role, Sense, Ui, WidgetInfo, vec2};

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
    let name = Name::new(ui, &words, Text::Small, c.text_3, rect.width() - SPACE[5]);
    name.paint_left(ui.painter(), rect.left_center() + vec2(SPACE[3], 0.0));
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
    let leans = cx.session().has_pivots();
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
        note(ui, &cx.tr_with("parts.joint_parent", &[("name", cx.session().bone_name(bone))]), SPACE[3]);
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
