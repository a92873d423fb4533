//! Name, parent, position, rotation and scale of an object node.

use super::assignments::node_ui;
use super::fields::Vec3Row;
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
use yuremono_sim::math::Trs;
use yuremono_sim::params::Unit;

/// Half the range of the position sliders, in metres.
const POSITION_RANGE: f32 = 0.25;
const ROTATION_RANGE: f32 = 180.0;
const SCALE_RANGE: f32 = 1.0;

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, active: SceneObject) {
    let title = cx.tr("item.place");
    let part = active.element_id();
    CollapsibleSection { title: &title, note: "", switch: None }.show(ui, |ui| {
        name_ui(ui, cx, part);
        parent_ui(ui, cx, part);
        if let Some((id, helper)) = part.helper(cx.document()) {
            let (local, name) = (helper.local, part.name(cx.document(), &cx.character().skeleton));
            transform_ui(ui, cx, id, local, &name);
        } else {
            info_note(ui, &cx.tr("item.no_node"), LABEL_LEFT);
        }
        buttons_ui(ui, cx, active);
    });
}

fn name_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let Some(name) = name_line(ui, cx, "item.name", "", &part.name(document, skeleton)) else { return };
    if let Some(edit) = elements::rename_element(document, skeleton, part, &name) {
        cx.apply_edit(edit, EditLabel::new("rename", 1).name(name));
    }
}

fn parent_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let character = cx.character().clone();
    let (document, skeleton) = (cx.document(), &character.skeleton);
    let parent = part.helper(document).map(|(_, helper)| helper.parent).or_else(|| part.node(document));
    let Some(parent) = parent else { return };
    let nodes = elements::parent_candidates(document, skeleton, part);
    let (label, doc) = (cx.tr("item.parent"), cx.tr("item.pick_parent"));
    if let Some(node) = node_ui(ui, cx, (&label, &doc), parent, &nodes) {
        let document = cx.document();
        let name = part.name(document, skeleton);
        if let Some(edit) = elements::set_parent(document, skeleton, part, node) {
            cx.apply_edit(edit, EditLabel::new("parent_part", 1).name(name));
        }
    }
}

fn transform_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: HelperId, local: Trs, name: &str) {
    let subject = u64::from(id.0);
    let ctx = ui.ctx().clone();
    let put = |cx: &mut UiContext<'_>, what, local| {
        let edit = elements::set_local(cx.document(), id, local);
        cx.apply_edit(edit, EditLabel::new(what, 1).name(name));
    };
    let words = |cx: &UiContext<'_>, key: &str| (cx.tr(&format!("item.{key}")), cx.tr(&format!("item.{key}_doc")));
    let (label, doc) = words(cx, "position");
    let metres = NumberFormat::for_unit(Unit::Metres);
    let values = local.translation.to_array();
    Vec3Row { label: &label, tooltip: &doc, values, half_range: POSITION_RANGE, center: 0.0, format: metres, subject }
        .show(ui, cx, |cx, i, value| {
            let mut translation = local.translation;
            translation[i] = value;
            put(cx, "move_part", Trs { translation, ..local });
        });
    let (label, doc) = words(cx, "rotation");
    let degrees = shown_angles(&ctx, id, local.rotation);
    let format = NumberFormat::for_unit(Unit::Degrees);
    Vec3Row { label: &label, tooltip: &doc, values: degrees, half_range: ROTATION_RANGE, center: 0.0, format, subject }
        .show(ui, cx, |cx, i, value| {
            let mut turned = degrees;
            turned[i] = value;
            let [x, y, z] = turned.map(f32::to_radians);
            let rotation = Quat::from_euler(EulerRot::YXZ, y, x, z).normalize();
            ctx.data_mut(|d| d.insert_temp(angles_id(id), TypedAngles { degrees: turned, rotation }));
            put(cx, "turn_part", Trs { rotation, ..local });
        });
    let (label, doc) = words(cx, "scale");
    let (values, format) = (local.scale.to_array(), NumberFormat::for_unit(Unit::None));
    Vec3Row { label: &label, tooltip: &doc, values, half_range: SCALE_RANGE, center: 1.0, format, subject }.show(
        ui,
        cx,
        |cx, i, value| {
            let mut scale = local.scale;
            scale[i] = value;
            put(cx, "scale_part", Trs { scale, ..local });
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
    let mut wanted: Option<(Edit, &'static str)> = None;
    let own = elements::create_own_node(document, skeleton, part);
    let is_capsule = |id| {
        document.colliders.get(&id).is_some_and(|c| matches!(c.shape, ColliderShape::Capsule { inside: false, .. }))
    };
    let aligned = match active {
        SceneObject::Collider(id) if is_capsule(id) => Some(elements::align_capsule(document, skeleton, id)),
        _ => None,
    };
    let mirrored = elements::mirror_collider(document, skeleton, part);
    if own.is_none() && aligned.is_none() && mirrored.is_none() {
        return;
    }
    ui.add_space(space::S);
    indented(ui, space::S, |ui| {
        ui.horizontal_wrapped(|ui| {
            if let Some(edit) = own
                && secondary(&cx.tr("item.own_node")).icon(icons::PLUS).small().show(ui).clicked()
            {
                wanted = Some((edit, "own_node"));
            }
            if let Some(edit) = aligned {
                let words = cx.tr("item.align");
                let button = secondary(&words).icon(icons::PILL).small().enabled(edit.is_some()).show(ui);
                if let (true, Some(edit)) = (button.on_hover_text(cx.tr("item.align_hint")).clicked(), edit) {
                    wanted = Some((edit, "align_part"));
                }
            }
            if let Some((edit, _)) = mirrored {
                let button = secondary(&cx.tr("item.mirror")).icon(icons::FLIP_HORIZONTAL).small().show(ui);
                if button.on_hover_text(cx.tr("item.mirror_hint")).clicked() {
                    wanted = Some((edit, "mirror_part"));
                }
            }
        });
    });
    if let Some((edit, what)) = wanted {
        cx.apply_edit(edit, EditLabel::new(what, 1).name(name).show_message());
    }
}
