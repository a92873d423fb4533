//! The inspector of a selected collider, force, pivot or null.
//!
//! Fields of shapes and forces are loops over their tables. This module names only the weight of a wind, because the
//! weight starts at 0.

mod assignments;
mod fields;
mod shape;
mod transform;

pub(super) use fields::{FieldRow, choice_field};

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::panels::labels::kind_label;
use crate::ui::panels::menus::menu_item;
use crate::ui::viewport;
use egui::{Align, Frame, Layout, Margin, Popup, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use yuremono_model::document::{EditLabel, HelperRole};
use yuremono_model::tools::{elements, elements::ElementId};
use yuremono_session::SceneObject;
use yuremono_sim::diagnostics::message;

/// Draws the inspector of the active object. Returns `false` if no object is selected.
pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>) -> bool {
    let Some(active) = cx.selection().active_object else { return false };
    let inset = Margin { left: space::L as i8, right: space::L as i8, top: 10, bottom: 10 };
    Frame::new().inner_margin(inset).show(ui, |ui| header_ui(ui, cx, active));
    let (left, right) = (ui.max_rect().left(), ui.max_rect().right());
    paint::hairline(ui.painter(), left, right, ui.cursor().top(), cx.theme.color.border);
    let inset = Margin { top: 5, bottom: space::XL as i8, ..inset };
    ScrollArea::vertical().id_salt("items").auto_shrink(false).show(ui, |ui| {
        // Each object has a separate state for typing and dragging.
        ui.push_id(active, |ui| Frame::new().inner_margin(inset).show(ui, |ui| body_ui(ui, cx, active)));
    });
    true
}

fn header_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: SceneObject) {
    ui.spacing_mut().item_spacing = vec2(space::M, 3.0);
    let session = cx.session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let part = active.element_id();
    let count = session.selection().objects.len();
    let title = match count {
        1 => part.name(document, skeleton),
        n => tr!(cx, "{n} selected", n).into_owned(),
    };
    let line = match count {
        1 => {
            let on = part.helper(document).map(|(_, helper)| helper.parent).or_else(|| part.node(document));
            let on = on.map_or("", |node| elements::node_name(document, skeleton, node));
            tr!(cx, "{what} on {name}", what = kind_label(document, part).0, name = on)
        }
        _ => tr!(cx, "Edits apply to all selected objects of the same kind."),
    };
    let icon = kind_label(document, part).1;
    ui.horizontal(|ui| {
        let (icon_rect, _) = ui.allocate_exact_size(vec2(18.0, size::HIT_MIN), Sense::hover());
        paint_icon(ui.painter(), icon_rect.center(), icon, size::ICON_LARGE, cx.theme.color.text_2);
        let width = ui.available_width() - 32.0;
        let name = ElidedName::new(ui, &title, TextSize::Title, cx.theme.color.text, width);
        let (rect, response) = ui.allocate_exact_size(vec2(name.width(), size::HIT_MIN), Sense::hover());
        name.paint_left(ui.painter(), rect.left_center());
        response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &title));
        name.with_tooltip(response);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| more_ui(ui, cx, part, &title));
    });
    ui.add(egui::Label::new(TextSize::Small.rich(line).color(cx.theme.color.text_3)).wrap());
}

fn more_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId, title: &str) {
    let more = IconButton::new(icons::DOTS_THREE, &tr!(cx, "More actions for {name}", name = title)).show(ui);
    Popup::menu(&more).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mirrored = elements::mirror_collider(cx.document(), &cx.character().skeleton, part);
        let text = tr!(cx, "Mirror to other side");
        if menu_item(&text).icon(icons::FLIP_HORIZONTAL).enabled(mirrored.is_some()).show(ui).clicked() {
            mirror_part(cx, part);
        }
        let text = match cx.selection().objects.len() {
            1 => tr!(cx, "Delete"),
            n => tr!(cx, "Delete {n}", n),
        };
        if menu_item(&text).icon(icons::TRASH).key("Del").show(ui).clicked()
            && let Some((edit, label)) = viewport::delete_selection(cx.session())
        {
            cx.apply_edit(edit, label);
        }
    });
}

fn mirror_label(name: &str) -> EditLabel {
    EditLabel::new(message!("Mirror {name}", name)).with_message(message!("{name} mirrored to the other side", name))
}

fn mirror_part(cx: &mut UiContext<'_>, part: ElementId) {
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let name = part.name(document, skeleton);
    if let Some((edit, _)) = elements::mirror_collider(document, skeleton, part) {
        cx.apply_edit(edit, mirror_label(&name));
    }
}

fn body_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: SceneObject) {
    ui.spacing_mut().item_spacing.y = 0.0;
    tip_warning(ui, cx, active);
    match active {
        SceneObject::Collider(id) => {
            shape::show(ui, cx, id);
            assignments::show(ui, cx, active.element_id());
            transform::show(ui, cx, active);
            // Only one solver supports linked meshes.
            let linked = cx.document().colliders.get(&id).is_some_and(|c| c.mesh_name.is_some());
            if linked || !cx.inspection().supports_groups() {
                shape::show_mesh(ui, cx, id);
            }
        }
        SceneObject::Force(id) => {
            shape::show_force(ui, cx, id);
            transform::show(ui, cx, active);
        }
        SceneObject::Helper(id) => {
            let role = cx.document().helpers.get(&id).map(|h| h.role);
            let note = match role {
                Some(HelperRole::Pivot) => tr!(
                    cx,
                    "Angle limits are measured in this frame: X is along the bone, positive angles turn towards −Y \
                     and −Z."
                ),
                Some(HelperRole::Null) => tr!(cx, "Empty node, kept in the CSV"),
                Some(HelperRole::Plain) | None => tr!(cx, "Node that is the parent of other nodes"),
            };
            ui.add_space(space::S);
            // Leg followers have a separate note.
            if elements::high_legs_on_helper(cx.document(), id).is_empty() {
                info_note(ui, &note, 0.0);
                ui.add_space(space::S);
            }
            assignments::show_high_leg(ui, cx, id);
            assignments::show(ui, cx, active.element_id());
            transform::show(ui, cx, active);
        }
    }
}

/// Warns if a helper is a child of a joint, because Unity then uses the helper to compute the tip.
fn tip_warning(ui: &mut Ui, cx: &UiContext<'_>, active: SceneObject) {
    let document = cx.document();
    let Some((_, helper)) = active.element_id().helper(document) else { return };
    let Some(bone) = elements::joint_with_moved_tip(document, helper.parent, helper.role) else { return };
    let text = tr!(
        cx,
        "{name} is a child of the joint {bone}: Unity counts it, so the tip of {bone} moves. To avoid that, choose a \
         parent that is not simulated.",
        name = &helper.name,
        bone = cx.inspection().bone_name(bone)
    );
    let c = cx.theme.color;
    let width = ui.available_width() - 44.0;
    let galley = ui.painter().layout(text.to_string(), TextSize::Small.font(), c.text, width);
    ui.add_space(space::S);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), galley.size().y + 2.0 * space::M), Sense::hover());
    ui.painter().rect_filled(rect, radius::BUTTON, c.warning_bg);
    let at = pos2(rect.left() + 18.0, rect.top() + space::M + TextSize::Small.token().line / 2.0);
    paint_icon(ui.painter(), at, icons::WARNING, size::ICON, c.warning);
    ui.painter().galley(pos2(rect.left() + 34.0, rect.top() + space::M + stroke::HAIRLINE), galley, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    ui.add_space(space::M);
}
