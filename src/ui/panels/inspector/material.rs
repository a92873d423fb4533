//! The material of the selected chains: a choice above the material's parameters, and the chains that share the
//! material.

use super::label_line::LABEL_LEFT;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::text_field::{NameField, RenameResult};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::combo_button_at;
use crate::ui::kit::tokens::size;
use crate::ui::panels::menus::{menu_item, menu_separator};
use egui::{Id, Key, Popup, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use yuremono_model::document::MaterialId;
use yuremono_session::{Command, TunedMaterial};
use yuremono_sim::params::ParamId;

/// Width of the choice, equal to the width of the labels below.
const LABEL_WIDTH: f32 = 90.0;
const MENU_BUTTON_WIDTH: f32 = 26.0;
/// Maximum number of chain names in a tooltip.
const MAX_NAMED_CHAINS: usize = 6;

/// A material name that is being edited.
#[derive(Clone, Debug)]
struct MaterialRename {
    id: MaterialId,
    text: String,
    takes_focus: bool,
}

pub(super) fn material_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(now) = cx.inspection().material() else { return };
    if !cx.inspection().targets().joints.is_empty() {
        info_note(ui, &tr!(cx, "Applies to the whole chain, whichever joint is tuned."), LABEL_LEFT);
    }
    ui.push_id("material", |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        let galley = paint::elided(ui, &tr!(cx, "Material"), TextSize::Body, cx.theme.color.text, LABEL_WIDTH - 6.0);
        let text_rect = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), galley);
        ui.interact(text_rect, ui.scope_id().with("label"), Sense::hover()).on_hover_text(tr!(
            cx,
            "Values that several chains share under one name, as in EZSoftBone's material asset. A change applies to \
             all of these chains."
        ));
        let field = rect.shrink2(vec2(0.0, (size::ROW - size::BAR) / 2.0));
        let field =
            field.with_min_x(rect.left() + LABEL_LEFT + LABEL_WIDTH).with_max_x(rect.right() - MENU_BUTTON_WIDTH);
        let one = if let TunedMaterial::Same(id) = now { id } else { None };
        let memory = ui.scope_id().with("naming");
        let naming = ui.data(|d| d.get_temp::<MaterialRename>(memory)).filter(|naming| Some(naming.id) == one);
        if let Some(naming) = naming {
            name_ui(ui, cx, field, memory, naming);
        } else {
            ui.data_mut(|d| d.remove::<MaterialRename>(memory));
            choice_ui(ui, cx, field, memory, now);
        }
        if let Some(id) = one {
            let button = Rect::from_center_size(
                pos2(rect.right() - MENU_BUTTON_WIDTH / 2.0 + 2.0, rect.center().y),
                Vec2::splat(size::HIT_MIN),
            );
            more_ui(ui, cx, button, memory, id);
        }
    });
}

fn choice_ui(ui: &mut Ui, cx: &mut UiContext<'_>, field: Rect, memory: Id, now: TunedMaterial) {
    let all = cx.inspection().materials();
    let shown = match now {
        TunedMaterial::Mixed => tr!(cx, "mixed").into_owned(),
        TunedMaterial::Same(None) => tr!(cx, "None: own values").into_owned(),
        TunedMaterial::Same(Some(id)) => all.iter().find(|m| m.id == id).map_or_else(String::new, |m| m.name.clone()),
    };
    let button = button_ui(ui, cx, field, &shown, now == TunedMaterial::Same(None));
    let new = new_material_name(cx);
    let mut chosen = None;
    let mut is_new = false;
    Popup::menu(&button).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if menu_item(&tr!(cx, "None: own values")).tick(now == TunedMaterial::Same(None)).show(ui).clicked() {
            chosen = Some(None);
        }
        for material in &all {
            let chains = tr!(cx, "{n:chain|chains}", n = material.chains);
            let tick = now == TunedMaterial::Same(Some(material.id));
            if menu_item(&material.name).key(&chains).tick(tick).show(ui).clicked() {
                chosen = Some(Some(material.id));
            }
        }
        menu_separator(ui);
        is_new = menu_item(&new).icon(icons::PLUS).show(ui).clicked();
        if is_new || chosen.is_some() {
            ui.close();
        }
    });
    if let Some(id) = chosen {
        cx.command(Command::SetMaterial(id));
    }
    if is_new {
        // A new material immediately gets a name field, which initially contains the name of the chain.
        let id = cx.document().next_material_id();
        if let Some((_, text)) = cx.inspection().new_material_source() {
            ui.data_mut(|d| d.insert_temp(memory, MaterialRename { id, text, takes_focus: true }));
        }
        cx.command(Command::CreateMaterial);
    }
}

fn new_material_name(cx: &UiContext<'_>) -> Cow<'static, str> {
    let session = cx.session();
    let chains = session.inspection().target_chains();
    match session.inspection().active_chain().filter(|id| chains.len() > 1 && chains.contains(id)) {
        Some(id) => tr!(cx, "Create material from {name}…", name = &session.document().chains[&id].name),
        None if chains.len() > 1 => tr!(cx, "Create material from the first chain…"),
        None => tr!(cx, "Create material from this chain…"),
    }
}

fn choice_id(ui: &Ui) -> Id {
    ui.scope_id().with("choice")
}

fn button_ui(ui: &mut Ui, cx: &UiContext<'_>, field: Rect, shown: &str, is_none: bool) -> Response {
    let button = ui.interact(field, choice_id(ui), Sense::click());
    let label = tr!(cx, "Material");
    button.widget_info(|| WidgetInfo {
        current_text_value: Some(shown.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, &*label)
    });
    let color = if is_none { cx.theme.color.text_2 } else { cx.theme.color.text };
    combo_button_at(ui, field, &button, shown, color, true);
    button
}

/// Draws a name field that replaces the choice during a rename. Enter or leaving the field renames the material; Esc
/// cancels.
fn name_ui(ui: &mut Ui, cx: &mut UiContext<'_>, field: Rect, memory: Id, mut naming: MaterialRename) {
    let (name, edge) = (tr!(cx, "Material name"), Some(cx.theme.color.accent));
    let fresh = std::mem::take(&mut naming.takes_focus);
    let (_, renamed) = NameField { name: &name, hint: "", edge, takes_focus: fresh }.show(ui, field, &mut naming.text);
    if renamed == RenameResult::Editing {
        ui.data_mut(|d| d.insert_temp(memory, naming));
        return;
    }
    ui.data_mut(|d| d.remove::<MaterialRename>(memory));
    // The button replaces the field and gets the focus back, unless another widget has the focus.
    if ui.input(|i| i.key_pressed(Key::Escape) || i.key_pressed(Key::Enter)) {
        ui.memory_mut(|m| m.request_focus(choice_id(ui)));
    }
    if let RenameResult::Submitted(name) = renamed {
        cx.command(Command::RenameMaterial(naming.id, name));
    }
}

fn more_ui(ui: &mut Ui, cx: &mut UiContext<'_>, rect: Rect, memory: Id, id: MaterialId) {
    let Some(name) = cx.document().materials.get(&id).map(|m| m.name.clone()) else { return };
    let label = tr!(cx, "Menu of material {name}", name = &name);
    let hit = ui.interact(rect, ui.scope_id().with("more"), Sense::click());
    let more = IconButton::new(icons::DOTS_THREE, &label).show_at(ui, rect, hit);
    Popup::menu(&more).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if menu_item(&tr!(cx, "Rename…")).icon(icons::PENCIL_SIMPLE).show(ui).clicked() {
            ui.data_mut(|d| d.insert_temp(memory, MaterialRename { id, text: name.clone(), takes_focus: true }));
            ui.close();
        }
        let remove = menu_item(&tr!(cx, "Delete material")).icon(icons::TRASH).show(ui);
        if remove.on_hover_text(tr!(cx, "The chains keep their values.")).clicked() {
            cx.command(Command::DeleteMaterial(id));
            ui.close();
        }
    });
}

/// Returns a text that lists the other chains that share a parameter. Returns an empty string without a material.
pub(super) fn shared_with_text(cx: &UiContext<'_>, param: ParamId) -> Cow<'static, str> {
    let Some(shared) = cx.inspection().material_sharing(param) else { return Cow::default() };
    let mut names: Vec<&str> = shared.chains.iter().take(MAX_NAMED_CHAINS).map(String::as_str).collect();
    if shared.chains.len() > MAX_NAMED_CHAINS {
        names.push("…");
    }
    match shared.chains.len() {
        1 => tr!(cx, "Value of material {name}, which no other chain uses", name = &shared.material),
        n => tr!(
            cx,
            "Shared by {n:chain|chains}: {chains}. A change applies to all of them.",
            n,
            chains = names.join(&*tr!(cx, ", "))
        ),
    }
}
