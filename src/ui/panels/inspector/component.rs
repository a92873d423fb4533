//! The component section: name, bones and lists of the current component, and the chains that use the component.

use super::label_line::{
    ChoicePicker, LABEL_LEFT, LabelLine, bar_height_rect, clamped_to_range, curve_is_open, name_line, open_curve,
};
use crate::ui::kit::button::secondary;
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::param_row::{curve_thumbnail_at, info_note};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::panels::inspector::items::{FieldRow, choice_field};
use crate::ui::panels::menus::menu_item;
use crate::ui::{CurveRef, UiContext};
use egui::{Align, Id, Layout, Popup, Rect, Sense, Ui, UiBuilder, pos2, vec2};
use yuremono_model::document::{EditLabel, ListCurveId, ListKind, Node, System};
use yuremono_session::{Command, ComponentTool, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::math::Curve;
use yuremono_sim::params::{ParamDef, ParamKind};
use yuremono_sim::rig::BoneId;

/// Maximum number of visible entries per list, because skirts have a large number of columns.
const MAX_ENTRIES: usize = 24;
/// Lists with at most this number of entries initially show their fields.
const AUTO_OPEN_ENTRIES: usize = 1;

/// Draws the component section. Hides the section if the component has no settings and no chain can be split or joined.
pub(super) fn component_section(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64) {
    if !cx.inspection().has_component_settings() {
        return;
    }
    let title = cx.tr("component.title");
    let fact = system_name(cx, cx.session());
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        let now = &cx.inspection().system().name;
        if let Some(name) = name_line(ui, cx, "component.name", &fact, now) {
            let label = EditLabel::new("name_system", 1).name(&*name);
            cx.edit_system(label, |system| system.name = name);
        }
        if cx.inspection().system().solver.info().uses_component {
            let (key, now) = (("component.node", "component_node"), cx.inspection().system().component);
            node_ui(ui, cx, key, now, None, |system, node| system.component = node);
        }
        for list in cx.inspection().component_lists() {
            ui.push_id(list.key(), |ui| list_section_ui(ui, cx, list, subject));
        }
        tools_ui(ui, cx);
    });
}

/// Returns the name of the component. An unnamed component gets the solver name, with a number if several components
/// exist.
fn system_name(cx: &UiContext<'_>, session: &Session) -> String {
    let system = session.inspection().system();
    let (number, count) = session.inspection().system_number();
    name_or_solver(cx, &system.name, system.solver, (count > 1).then_some(number))
}

fn name_or_solver(cx: &UiContext<'_>, name: &str, solver: SolverKind, number: Option<usize>) -> String {
    let solver = i18n::solver_name(cx.theme.lang, solver);
    match number {
        _ if !name.trim().is_empty() => name.to_owned(),
        Some(number) => format!("{solver} {number}"),
        None => solver.into_owned(),
    }
}

/// Draws a choice of one node or no node. The candidates are the children of a joint, or all nodes. `key` is the locale
/// key of the text, and `what` is the key of the undo step.
fn node_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (key, what): (&str, &'static str),
    now: Option<Node>,
    parent: Option<BoneId>,
    change: impl FnOnce(&mut System, Option<Node>),
) {
    let (title, doc, none) = (cx.tr(key), cx.tr(&format!("{key}_hint")), cx.tr(&format!("{key}_none")));
    let shown = now.map_or_else(|| none.to_string(), |node| cx.inspection().node_name(node).to_owned());
    let all = || {
        let choices = match parent {
            Some(bone) => cx.inspection().point_at_choices(bone),
            None => cx.inspection().node_choices(),
        };
        let nodes = choices.into_iter().map(|(node, name)| (Some(node), name));
        std::iter::once((None, none.to_string())).chain(nodes).collect()
    };
    let picker = ChoicePicker { searchable: true, ..ChoicePicker::new(&title, &doc, &shown, &all) };
    let Some(node) = picker.show(ui, cx).filter(|node| *node != now) else { return };
    let name = node.map_or_else(|| none.to_string(), |node| cx.inspection().node_name(node).to_owned());
    cx.edit_system(EditLabel::new(what, 1).name(name), |system| change(system, node));
}

fn list_section_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, subject: u64) {
    if list.is_single() {
        let now = cx.inspection().system().component_lists.entries(list).first().map(|entry| entry[0]);
        let key = format!("component.list.{}", list.key());
        node_ui(ui, cx, (&key, "component_reference"), now, None, |system, node| {
            system.component_lists.set_node(list, node);
        });
        if now.is_some() {
            fields_ui(ui, cx, list, 0, subject);
        }
    } else if list == ListKind::Points {
        points_ui(ui, cx, subject);
    } else if list.has_node_entries() {
        list_ui(ui, cx, list, subject);
    }
}

fn list_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, subject: u64) {
    let title = cx.tr(&format!("component.list.{}", list.key())).into_owned();
    let entries = cx.inspection().system().component_lists.entries(list);
    let nodes = cx.inspection().selected_nodes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let words = if entries.is_empty() { title.clone() } else { format!("{title}  {}", entries.len()) };
    let galley = paint::elided(ui, &words, TextSize::Body, cx.theme.color.text, rect.width() - 90.0);
    let place = paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    let response = ui.interact(place, ui.scope_id().with("title"), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response.on_hover_text(cx.tr(&format!("component.list.{}_hint", list.key())));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let words = cx.tr("component.add");
    let add = secondary(&words).small().icon(icons::PLUS).enabled(nodes.len() >= list.min_nodes());
    let why = cx.tr_with("component.add_hint", &[("name", &title)]);
    if add.show(&mut inner).on_hover_text(why).clicked() {
        let label = EditLabel::new("add_to_list", nodes.len()).name(&*title);
        cx.edit_system(label, |system| _ = system.component_lists.add_entries(list, &nodes));
    }
    for (at, entry) in entries.iter().enumerate().take(MAX_ENTRIES) {
        ui.push_id(at, |ui| {
            if entry_ui(ui, cx, (list, &title), at, (entry, entries.len() <= AUTO_OPEN_ENTRIES)) {
                fields_ui(ui, cx, list, at, subject);
                node_fields_ui(ui, cx, list, (at, entry), subject);
            }
        });
    }
    if let Some(more) = entries.len().checked_sub(MAX_ENTRIES).filter(|n| *n > 0) {
        info_note(ui, &cx.tr_with("lengths.more", &[("n", &more.to_string())]), LABEL_LEFT);
    }
}

pub(in crate::ui::panels) fn entry_text(cx: &UiContext<'_>, list: ListKind, entry: &[Node]) -> String {
    let name = |node: &Node| cx.inspection().node_name(*node).to_owned();
    match entry {
        [bone, targets @ ..] if list == ListKind::SyncBones => {
            let n = targets.len().to_string();
            cx.tr_with("component.sync", &[("name", &name(bone)), ("n", &n)])
        }
        _ => entry.iter().map(name).collect::<Vec<_>>().join(" – "),
    }
}

/// Draws one entry of a list. Returns whether the fields of the entry are shown.
fn entry_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (list, title): (ListKind, &str),
    at: usize,
    (entry, open): (&[Node], bool),
) -> bool {
    let words = entry_text(cx, list, entry);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = ElidedName::new(ui, &words, TextSize::Body, cx.theme.color.text_2, rect.width() - LABEL_LEFT - 40.0);
    let place = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT + 12.0, 0.0));
    let open = if list.fields().is_empty() {
        let response = ui.interact(place, ui.scope_id().with("entry"), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        name.with_tooltip(response);
        false
    } else {
        // The content identifies an entry, so removing an entry does not change the ids of other entries.
        let key = Id::unique(("entry", cx.inspection().system_id(), list.key(), entry));
        caret_ui(ui, cx, rect.with_max_x(rect.right() - space::XXXL), &words, (key, open))
    };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = cx.tr_with("component.remove", &[("name", &words)]);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        let label = EditLabel::new("remove_from_list", 1).name(title);
        cx.edit_system(label, |system| system.component_lists.remove_entry(list, at));
    }
    open
}

/// Draws a caret that shows or hides the fields of an entry. `usual` is the initial state. Returns whether the fields
/// are shown.
fn caret_ui(ui: &mut Ui, cx: &UiContext<'_>, rect: Rect, words: &str, (key, usual): (Id, bool)) -> bool {
    let mut open = ui.data(|d| d.get_temp(key)).unwrap_or(usual);
    let response = ui.interact(rect, ui.scope_id().with("entry"), Sense::click());
    let name = cx.tr_with(if open { "common.collapse" } else { "common.expand" }, &[("name", words)]);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, open, &name));
    let ink = if response.hovered() { cx.theme.color.text } else { cx.theme.color.text_2 };
    let caret = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
    paint_icon(ui.painter(), pos2(rect.left() + LABEL_LEFT + 4.0, rect.center().y), caret, 12.0, ink);
    focus_ring(ui, &response, rect.shrink(1.0), radius::FIELD);
    if response.clicked() {
        open = !open;
        ui.data_mut(|d| d.insert_temp(key, open));
    }
    open
}

/// Draws the point settings of all selected joints.
fn points_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64) {
    let bones = cx.inspection().point_bones();
    if bones.is_empty() {
        return;
    }
    let title = cx.tr("component.list.points");
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let galley = paint::elided(ui, &title, TextSize::Body, cx.theme.color.text, rect.width());
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    response.on_hover_text(cx.tr("component.list.points_hint"));
    for (field, def) in ListKind::Points.fields().iter().enumerate() {
        let extras = &cx.inspection().system().component_lists;
        let values: Vec<f32> = bones.iter().map(|bone| extras.point_field(*bone, field)).collect();
        field_ui(ui, cx, def, (&values, None), subject, |system, change| {
            for bone in &bones {
                let old = system.component_lists.point_field(*bone, field);
                system.component_lists.set_point_field(*bone, field, change(old));
            }
        });
    }
    if let [bone] = *bones {
        aim_target_ui(ui, cx, bone);
    }
}

/// Draws the choice of the child that the bone of a branching joint aims at.
fn aim_target_ui(ui: &mut Ui, cx: &mut UiContext<'_>, bone: BoneId) {
    if cx.inspection().point_at_choices(bone).is_empty() {
        return;
    }
    let (key, now) = (("component.aim", "component_aim"), cx.inspection().system().component_lists.aim_child(bone));
    node_ui(ui, cx, key, now, Some(bone), |system, node| {
        system.component_lists.set_aim_child(bone, node);
    });
}

/// Draws the tools that order, link, split and join chains.
fn tools_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.add_space(space::S);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XS);
        ui.add_space(LABEL_LEFT);
        for tool in cx.inspection().component_tools() {
            tool_ui(ui, cx, tool);
        }
        join_ui(ui, cx);
    });
}

fn tool_ui(ui: &mut Ui, cx: &mut UiContext<'_>, tool: ComponentTool) {
    let key = tool.key();
    let words = cx.tr(&format!("component.action.{key}"));
    let hint = cx.tr(&format!("component.action.{key}_hint"));
    if secondary(&words).small().show(ui).on_hover_text(hint).clicked() {
        cx.command(Command::RunComponentTool(tool));
    }
}

fn join_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let others = cx.inspection().other_systems();
    if others.is_empty() {
        return;
    }
    let solver = cx.inspection().system().solver;
    let words = cx.tr("component.action.join");
    let button = secondary(&words).small().show(ui).on_hover_text(cx.tr("component.action.join_hint"));
    let mut chosen = None;
    Popup::menu(&button).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for other in &others {
            let name = name_or_solver(cx, &other.name, solver, Some(other.number));
            let n = other.chains.to_string();
            if menu_item(&cx.tr_with("component.other", &[("name", &name), ("n", &n)])).show(ui).clicked() {
                chosen = Some(other.id);
                ui.close();
            }
        }
    });
    if let Some(id) = chosen {
        cx.command(Command::MoveToSystem(id));
    }
}

/// Draws the fields of one entry with their curves, then the curves that have no field.
fn fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, at: usize, subject: u64) {
    for (field, def) in list.fields().iter().enumerate() {
        let extras = &cx.inspection().system().component_lists;
        if !extras.is_field_used(list, at, field) {
            continue;
        }
        let values = [extras.field(list, at, field)];
        let curves = (0..list.curves().len()).filter(|curve| list.curve_base_field(*curve) == Some(field));
        let curve = curves.map(|curve| ListCurveId { list, entry: at, curve }).next();
        let curve =
            curve.and_then(|of| Some((CurveRef::component(cx.session(), of), extras.list_curve(of, None)?.curve)));
        let curve = curve.as_ref().map(|(of, curve)| (*of, curve));
        field_ui(ui, cx, def, (&values, curve), subject, |system, change| {
            let old = system.component_lists.field(list, at, field);
            system.component_lists.set_field(list, at, field, change(old));
        });
    }
    for curve in (0..list.curves().len()).filter(|curve| list.curve_base_field(*curve).is_none()) {
        curve_ui(ui, cx, ListCurveId { list, entry: at, curve });
    }
}

/// Draws a row for a curve that belongs to no field.
fn curve_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of: ListCurveId) {
    let Some(shown_curve) = cx.inspection().system().component_lists.list_curve(of, None) else { return };
    let (lang, def) = (cx.theme.lang, &of.list.curves()[of.curve]);
    let label = i18n::param_label(lang, def);
    let doc = i18n::param_doc(lang, def);
    let thumb =
        LabelLine { label: &label, tooltip: &doc, color: cx.theme.color.text, highlights_on_hover: true }.show(ui);
    let thumb = bar_height_rect(thumb);
    let hit = ui.interact(thumb, ui.scope_id().with(("curve", def.name)), Sense::click());
    let (role, asked) = (ColorRole::for_meaning(def.meaning), CurveRef::component(cx.session(), of));
    let open = curve_is_open(cx, &[asked]);
    if curve_thumbnail_at(ui, thumb, hit, &label, std::slice::from_ref(&shown_curve.curve), role, open).clicked() {
        open_curve(cx, asked);
    }
}

/// Draws fields for the target nodes of an entry. If some target nodes are selected, only these nodes are edited.
/// Otherwise all target nodes are edited.
fn node_fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, (at, entry): (usize, &[Node]), subject: u64) {
    let members = entry.get(1..).unwrap_or_default();
    let selected = cx.inspection().selected_nodes();
    let mut meant: Vec<usize> = (0..members.len()).filter(|member| selected.contains(&members[*member])).collect();
    if meant.is_empty() {
        meant = (0..members.len()).collect();
    }
    for def in list.member_fields() {
        let extras = &cx.inspection().system().component_lists;
        let values: Vec<f32> = meant.iter().map(|member| extras.member_field(list, at, *member)).collect();
        field_ui(ui, cx, def, (&values, None), subject, |system, change| {
            for member in &meant {
                let old = system.component_lists.member_field(list, at, *member);
                system.component_lists.set_member_field(list, at, *member, change(old));
            }
        });
    }
}

/// Draws a number, switch or choice of one or several entries. A number may have a curve. `write` sets the entries of a
/// system. `write` receives a function that returns the new value for an old value.
fn field_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    def: &'static ParamDef,
    (values, curve): (&[f32], Option<(CurveRef, &Curve)>),
    subject: u64,
    write: impl Fn(&mut System, &dyn Fn(f32) -> f32),
) {
    let label = EditLabel::new("component_number", values.len()).name(i18n::param_label(cx.theme.lang, def));
    let change_all = |cx: &mut UiContext<'_>, change: &dyn Fn(f32) -> f32| {
        let clamped = |old| clamped_to_range(def, old, change(old));
        cx.edit_system(label.clone(), |system| write(system, &clamped));
    };
    match def.kind {
        ParamKind::Toggle | ParamKind::Choice(_) => {
            if let Some(value) = choice_field(ui, cx, def, values) {
                change_all(cx, &|_| value);
            }
        }
        ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => {
            let field = FieldRow { def, values, loaded: &[], subject, has_effect: true, curve };
            // This row does not offer loaded values, so all values change in the same way.
            field.show(ui, cx, |cx, change| change_all(cx, &|old| change(0, old)));
        }
    }
}
