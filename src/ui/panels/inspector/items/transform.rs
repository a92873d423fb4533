//! Name, parent, position, rotation and scale of an object node.

use super::assignments::node_ui;
use super::fields::Vec3Row;
use super::mirror_label;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::button::secondary;
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::icons;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::tokens::space;
use crate::ui::panels::inspector::label_line::{LABEL_LEFT, indented, name_line};
use egui::Ui;
use glam::{EulerRot, Quat};
use yuremono_model::document::{Edit, EditLabel, HelperId};
use yuremono_model::tools::{elements, elements::ElementId};
use yuremono_session::SceneObject;
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::Trs;
use yuremono_sim::params::Unit;

/// Half the range of the position sliders, in metres.
const POSITION_RANGE: f32 = 0.25;
const ROTATION_RANGE: f32 = 180.0;
const SCALE_RANGE: f32 = 1.0;

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, active: SceneObject) {
    let title = tr!(cx, "Transform");
    let part = active.element_id();
    CollapsibleSection { title: &title, note: "", switch: None }.show(ui, |ui| {
        name_ui(ui, cx, part);
        parent_ui(ui, cx, part);
        if let Some((id, helper)) = part.helper(cx.document()) {
            let (local, name) = (helper.local, part.name(cx.document(), &cx.character().skeleton));
            transform_ui(ui, cx, id, local, &name);
        } else {
            info_note(ui, &tr!(cx, "Attached to the bone itself, so it has no transform of its own"), LABEL_LEFT);
        }
        buttons_ui(ui, cx, active);
    });
}

fn name_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let Some(name) = name_line(ui, cx, message!("Name"), "", &part.name(document, skeleton)) else { return };
    if let Some(edit) = elements::rename_element(document, skeleton, part, &name) {
        cx.apply_edit(edit, EditLabel::new(message!("Rename to {name}", name)));
    }
}

fn parent_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let character = cx.character().clone();
    let (document, skeleton) = (cx.document(), &character.skeleton);
    let parent = part.helper(document).map(|(_, helper)| helper.parent).or_else(|| part.node(document));
    let Some(parent) = parent else { return };
    let nodes = elements::parent_candidates(document, skeleton, part);
    let (label, doc) = (tr!(cx, "Parent"), tr!(cx, "Choose another parent"));
    if let Some(node) = node_ui(ui, cx, &label, &doc, parent, &nodes) {
        let document = cx.document();
        let name = part.name(document, skeleton);
        if let Some(edit) = elements::set_parent(document, skeleton, part, node) {
            cx.apply_edit(edit, EditLabel::new(message!("Set parent of {name}", name)));
        }
    }
}

fn transform_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: HelperId, local: Trs, name: &str) {
    let subject = u64::from(id.0);
    let ctx = ui.ctx().clone();
    let put = |cx: &mut UiContext<'_>, step: MessageText, local| {
        let edit = elements::set_local(cx.document(), id, local);
        cx.apply_edit(edit, EditLabel::new(step));
    };
    let label = tr!(cx, "Position");
    let doc = tr!(cx, "Position of the node relative to its parent, in metres");
    let metres = NumberFormat::for_unit(Unit::Metres);
    let values = local.translation.to_array();
    Vec3Row { label: &label, tooltip: &doc, values, half_range: POSITION_RANGE, center: 0.0, format: metres, subject }
        .show(ui, cx, |cx, i, value| {
            let mut translation = local.translation;
            translation[i] = value;
            put(cx, message!("Move {name}", name), Trs { translation, ..local });
        });
    let label = tr!(cx, "Rotation");
    let doc = tr!(cx, "Rotation of the node relative to its parent, in degrees: about z, then x, then y");
    let degrees = shown_angles(&ctx, id, local.rotation);
    let format = NumberFormat::for_unit(Unit::Degrees);
    Vec3Row { label: &label, tooltip: &doc, values: degrees, half_range: ROTATION_RANGE, center: 0.0, format, subject }
        .show(ui, cx, |cx, i, value| {
            let mut turned = degrees;
            turned[i] = value;
            let [x, y, z] = turned.map(f32::to_radians);
            let rotation = Quat::from_euler(EulerRot::YXZ, y, x, z).normalize();
            ctx.data_mut(|d| d.insert_temp(angles_id(id), TypedAngles { degrees: turned, rotation }));
            put(cx, message!("Rotate {name}", name), Trs { rotation, ..local });
        });
    let label = tr!(cx, "Scale");
    let doc = tr!(cx, "Scale of the node and of the shape on it. 1 keeps the size.");
    let (values, format) = (local.scale.to_array(), NumberFormat::for_unit(Unit::None));
    Vec3Row { label: &label, tooltip: &doc, values, half_range: SCALE_RANGE, center: 1.0, format, subject }.show(
        ui,
        cx,
        |cx, i, value| {
            let mut scale = local.scale;
            scale[i] = value;
            put(cx, message!("Scale {name}", name), Trs { scale, ..local });
        },
    );
}

/// The angles that the user typed, and the resulting rotation.
#[derive(Clone, Copy, Debug)]
struct TypedAngles {
    degrees: [f32; 3],
    rotation: Quat,
}

fn angles_id(id: HelperId) -> egui::Id {
    egui::Id::unique(("angles", id.0))
}

/// Returns the angles about x, y and z, in degrees. The rotations are applied in the order z, x, y. Prefers the typed
/// angles, because one rotation has several sets of angles and the sliders must not jump.
fn shown_angles(ctx: &egui::Context, id: HelperId, rotation: Quat) -> [f32; 3] {
    let known: Option<TypedAngles> = ctx.data(|d| d.get_temp(angles_id(id)));
    if let Some(known) = known.filter(|known| known.rotation.dot(rotation).abs() > 1.0 - 1e-7) {
        return known.degrees;
    }
    let (y, x, z) = rotation.to_euler(EulerRot::YXZ);
    // Removes rounding noise near 0.
    [x, y, z].map(|angle| if angle.abs() < 1e-6 { 0.0 } else { angle.to_degrees() })
}

fn buttons_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: SceneObject) {
    let part = active.element_id();
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let name = part.name(document, skeleton);
    let mut wanted: Option<(Edit, EditLabel)> = None;
    let own_node = elements::create_own_node(document, skeleton, part);
    let is_capsule = |id| {
        document.colliders.get(&id).is_some_and(|c| matches!(c.shape, ColliderShape::Capsule { inside: false, .. }))
    };
    let aligned = match active {
        SceneObject::Collider(id) if is_capsule(id) => Some(elements::align_capsule(document, skeleton, id)),
        _ => None,
    };
    let mirrored = elements::mirror_collider(document, skeleton, part);
    if own_node.is_none() && aligned.is_none() && mirrored.is_none() {
        return;
    }
    ui.add_space(space::S);
    indented(ui, space::S, |ui| {
        ui.horizontal_wrapped(|ui| {
            if let Some(edit) = own_node
                && secondary(&tr!(cx, "Create node")).icon(icons::PLUS).small().show(ui).clicked()
            {
                let label = EditLabel::new(message!("Create node for {name}", name = &name));
                wanted = Some((edit, label.with_message(message!("Node for {name} created", name = &name))));
            }
            if let Some(edit) = aligned {
                let text = tr!(cx, "Align to parent");
                let button = secondary(&text).icon(icons::PILL).small().enabled(edit.is_some()).show(ui);
                let hint = tr!(cx, "From the origin of the parent to the middle of its other children");
                if let (true, Some(edit)) = (button.on_hover_text(hint).clicked(), edit) {
                    let label = EditLabel::new(message!("Align {name}", name = &name));
                    wanted = Some((edit, label.with_message(message!("{name} aligned to its parent", name = &name))));
                }
            }
            if let Some((edit, _)) = mirrored {
                let button = secondary(&tr!(cx, "Mirror to other side")).icon(icons::FLIP_HORIZONTAL).small().show(ui);
                let hint = tr!(cx, "Creates or updates the same collider on the other side of the body");
                if button.on_hover_text(hint).clicked() {
                    wanted = Some((edit, mirror_label(&name)));
                }
            }
        });
    });
    if let Some((edit, label)) = wanted {
        cx.apply_edit(edit, label);
    }
}
