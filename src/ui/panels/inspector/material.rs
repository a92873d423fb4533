//! The material of the tuned chains: a choice above the rows that it holds, and who else changes with them.

use super::line::LABEL_LEFT;
use crate::document::MaterialId;
use crate::schema::Row;
use crate::session::{Command, MaterialState};
use crate::ui::Cx;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint;
use crate::ui::kit::param_row::note;
use crate::ui::kit::text_field::{NameField, Renamed};
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::combo_at;
use crate::ui::kit::tokens::size;
use crate::ui::panels::menus::{item, line};
use egui::{Id, Key, Popup, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};

/// As wide as the labels of the rows below.
const LABEL: f32 = 90.0;
/// Room for the button with what can be done to a material.
const MORE: f32 = 26.0;
/// So many chains are named in a tooltip.
const NAMED: usize = 6;

/// A name on its way to a material.
#[derive(Clone, Debug)]
struct Naming {
    id: MaterialId,
    text: String,
    fresh: bool,
}

/// The choice, where something is tuned.
pub(super) fn material_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(now) = cx.session().inspection().material() else { return };
    if !cx.session().inspection().targets().joints.is_empty() {
        note(ui, &cx.tr("solver.whole_chain"), LABEL_LEFT);
    }
    ui.push_id("material", |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        let words = paint::elided(ui, &cx.tr("material.label"), Text::Body, cx.theme.color.text, LABEL - 6.0);
        let place = paint::galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), words);
        ui.interact(place, ui.scope_id().with("label"), Sense::hover()).on_hover_text(cx.tr("material.hint"));
        let field = rect.shrink2(vec2(0.0, (size::ROW - size::BAR) / 2.0));
        let field = field.with_min_x(rect.left() + LABEL_LEFT + LABEL).with_max_x(rect.right() - MORE);
        let one = if let MaterialState::Same(id) = now { id } else { None };
        let memory = ui.scope_id().with("naming");
        let naming = ui.data(|d| d.get_temp::<Naming>(memory)).filter(|naming| Some(naming.id) == one);
        if let Some(naming) = naming {
            name_ui(ui, cx, field, memory, naming);
        } else {
            ui.data_mut(|d| d.remove::<Naming>(memory));
            choice_ui(ui, cx, field, memory, now);
        }
        if let Some(id) = one {
            let button = Rect::from_center_size(
                pos2(rect.right() - MORE / 2.0 + 2.0, rect.center().y),
                Vec2::splat(size::HIT_MIN),
            );
            more_ui(ui, cx, button, memory, id);
        }
    });
}

/// What the tuned chains have, behind a button.
fn choice_ui(ui: &mut Ui, cx: &mut Cx<'_>, field: Rect, memory: Id, now: MaterialState) {
    let all = cx.session().inspection().materials();
    let shown = match now {
        MaterialState::Mixed => cx.tr("bar.mixed").into_owned(),
        MaterialState::Same(None) => cx.tr("material.none").into_owned(),
        MaterialState::Same(Some(id)) => all.iter().find(|m| m.id == id).map_or_else(String::new, |m| m.name.clone()),
    };
    let button = button_ui(ui, cx, field, &shown, now == MaterialState::Same(None));
    let new = new_words(cx);
    let mut chosen = None;
    let mut is_new = false;
    Popup::menu(&button).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if item(&cx.tr("material.none")).tick(now == MaterialState::Same(None)).show(ui).clicked() {
            chosen = Some(None);
        }
        for material in &all {
            let chains = cx.theme.count("material.chains", material.chains);
            let tick = now == MaterialState::Same(Some(material.id));
            if item(&material.name).key(&chains).tick(tick).show(ui).clicked() {
                chosen = Some(Some(material.id));
            }
        }
        line(ui);
        is_new = item(&new).icon(icons::PLUS).show(ui).clicked();
        if is_new || chosen.is_some() {
            ui.close();
        }
    });
    if let Some(id) = chosen {
        cx.command(Command::SetMaterial(id));
    }
    if is_new {
        // It is given another name at once; until then it is called as its chain.
        let id = cx.session().document().fresh_material();
        if let Some((_, text)) = cx.session().inspection().new_material() {
            ui.data_mut(|d| d.insert_temp(memory, Naming { id, text, fresh: true }));
        }
        cx.command(Command::NewMaterial);
    }
}

fn new_words(cx: &Cx<'_>) -> String {
    let session = cx.session();
    let chains = session.inspection().target_chains();
    match session.inspection().active_chain().filter(|id| chains.len() > 1 && chains.contains(id)) {
        Some(id) => cx.tr_with("material.new_from", &[("name", &session.document().chains[&id].name)]),
        None if chains.len() > 1 => cx.tr("material.new_from_first").into_owned(),
        None => cx.tr("material.new").into_owned(),
    }
}

fn choice_id(ui: &Ui) -> Id {
    ui.scope_id().with("choice")
}

fn button_ui(ui: &mut Ui, cx: &Cx<'_>, field: Rect, shown: &str, is_none: bool) -> Response {
    let button = ui.interact(field, choice_id(ui), Sense::click());
    let label = cx.tr("material.label");
    button.widget_info(|| WidgetInfo {
        current_text_value: Some(shown.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, &*label)
    });
    let ink = if is_none { cx.theme.color.text_2 } else { cx.theme.color.text };
    combo_at(ui, field, &button, shown, ink, true);
    button
}

/// A field in place of the choice. Enter or leaving it renames, Esc does not.
fn name_ui(ui: &mut Ui, cx: &mut Cx<'_>, field: Rect, memory: Id, mut naming: Naming) {
    let (name, edge) = (cx.tr("material.name"), cx.theme.color.accent);
    let fresh = std::mem::take(&mut naming.fresh);
    let (_, renamed) = NameField { name: &name, hint: "", edge, fresh }.show(ui, field, &mut naming.text);
    if renamed == Renamed::NotYet {
        ui.data_mut(|d| d.insert_temp(memory, naming));
        return;
    }
    ui.data_mut(|d| d.remove::<Naming>(memory));
    // The button comes back in place of the field, and so does the keyboard, unless it was taken elsewhere.
    if ui.input(|i| i.key_pressed(Key::Escape) || i.key_pressed(Key::Enter)) {
        ui.memory_mut(|m| m.request_focus(choice_id(ui)));
    }
    if let Renamed::To(name) = renamed {
        cx.command(Command::RenameMaterial(naming.id, name));
    }
}

fn more_ui(ui: &mut Ui, cx: &mut Cx<'_>, place: Rect, memory: Id, id: MaterialId) {
    let Some(name) = cx.session().document().materials.get(&id).map(|m| m.name.clone()) else { return };
    let words = cx.tr_with("material.more", &[("name", &name)]);
    let hit = ui.interact(place, ui.scope_id().with("more"), Sense::click());
    let more = IconButton::new(icons::DOTS_THREE, &words).show_at(ui, place, hit);
    Popup::menu(&more).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if item(&cx.tr("material.rename")).icon(icons::PENCIL_SIMPLE).show(ui).clicked() {
            ui.data_mut(|d| d.insert_temp(memory, Naming { id, text: name.clone(), fresh: true }));
            ui.close();
        }
        let remove = item(&cx.tr("material.remove")).icon(icons::TRASH).show(ui);
        if remove.on_hover_text(cx.tr("material.remove_hint")).clicked() {
            cx.command(Command::RemoveMaterial(id));
            ui.close();
        }
    });
}

/// Who changes with a row; empty where no material holds it.
pub(super) fn shared_words(cx: &Cx<'_>, row: Row) -> String {
    let Some(shared) = cx.session().inspection().shared_by(row) else { return String::new() };
    let mut names: Vec<&str> = shared.chains.iter().take(NAMED).map(String::as_str).collect();
    if shared.chains.len() > NAMED {
        names.push("…");
    }
    let gap = cx.tr("material.gap");
    let n = shared.chains.len();
    let form = if n == 1 { "material.alone" } else { "material.shared" };
    cx.tr_with(form, &[("name", &shared.material), ("n", &n.to_string()), ("chains", &names.join(&gap))])
}
