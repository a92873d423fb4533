//! The component section: name, bones and lists of the current component, and the chains that use the component.

use super::label_line::{
    ChoicePicker, LABEL_LEFT, LabelLine, bar_height_rect, clamped_to_range, curve_is_open, name_line, open_curve,
};
use crate::tr;
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
use yuremono_sim::diagnostics::{MessageText, message};
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
    let title = tr!(cx, "Component");
    let fact = system_name(cx, cx.session());
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        let now = &cx.inspection().system().name;
        if let Some(name) = name_line(ui, cx, message!("Component name"), &fact, now) {
            let label = EditLabel::new(message!("Rename component to {name}", name = &*name));
            cx.edit_system(label, |system| system.name = name);
        }
        if cx.inspection().system().solver.info().uses_component {
            let choice = NodeChoice {
                title: message!("Attachment bone"),
                hint: message!(
                    "The bone that holds the component in the original. Its motion and scale are those of the \
                     component."
                ),
                none: message!("Parent of first chain"),
                now: cx.inspection().system().component,
                parent: None,
                step: |name| message!("Attach component to {name}", name),
            };
            node_ui(ui, cx, choice, |system, node| system.component = node);
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

/// A choice of one node or no node.
struct NodeChoice {
    title: MessageText,
    hint: MessageText,
    /// Text of the choice of no node.
    none: MessageText,
    now: Option<Node>,
    /// The joint whose children are the candidates. Without a joint, all nodes are candidates.
    parent: Option<BoneId>,
    /// Returns the text of the undo step for the name of the chosen node.
    step: fn(MessageText) -> MessageText,
}

fn node_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of: NodeChoice, change: impl FnOnce(&mut System, Option<Node>)) {
    let (title, doc, none) = (cx.tr(of.title), cx.tr(of.hint), cx.tr(&of.none));
    let shown = of.now.map_or(&*none, |node| cx.inspection().node_name(node));
    let all = || {
        let choices = match of.parent {
            Some(bone) => cx.inspection().point_at_choices(bone),
            None => cx.inspection().node_choices(),
        };
        let nodes = choices.into_iter().map(|(node, name)| (Some(node), name));
        std::iter::once((None, none.to_string())).chain(nodes).collect()
    };
    let picker = ChoicePicker { searchable: true, ..ChoicePicker::new(&title, &doc, shown, &all) };
    let Some(node) = picker.show(ui, cx).filter(|node| *node != of.now) else { return };
    let name = node.map_or(of.none, |node| cx.inspection().node_name(node).into());
    cx.edit_system(EditLabel::new((of.step)(name)), |system| change(system, node));
}

fn list_section_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, subject: u64) {
    if list.is_single() {
        let now = cx.inspection().system().component_lists.entries(list).first().map(|entry| entry[0]);
        let (title, hint) = (i18n::component_list_name(list), list_hint(list));
        let none = match list {
            ListKind::Reference => message!("Camera"),
            ListKind::SimulateSpace => message!("World"),
            ListKind::GravityAligner => message!("Always full"),
            ListKind::BaseBone | ListKind::RelativeSpace => message!("Component"),
            _ => message!("None"),
        };
        let step = |name| message!("Set component reference to {name}", name);
        node_ui(ui, cx, NodeChoice { title, hint, none, now, parent: None, step }, |system, node| {
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

const fn list_hint(list: ListKind) -> MessageText {
    match list {
        ListKind::Reference => {
            message!("The component pauses while it is farther from this bone than the set distance.")
        }
        ListKind::Exclusions => message!("Bones that the component ignores, with all their children"),
        ListKind::SimulateSpace => message!("Tips move with this bone: its motion causes no swing."),
        ListKind::GravityAligner => message!(
            "Gravity grows with the angle between this bone and its rest direction. Upside down, gravity is full."
        ),
        ListKind::ForceField => message!("A force along +Z of this bone, with turbulence"),
        // The inspector of each collider shows the values of these lists.
        ListKind::Margins | ListKind::Frictions => message!(""),
        ListKind::Columns => message!(
            "The first bone of each column, neighbours next to each other. Columns that are not listed follow at the \
             end."
        ),
        ListKind::Points => message!("Point settings of the tuned joints"),
        ListKind::Grabbers => message!("Bones that catch nearby points and move them"),
        ListKind::Planes => message!("Bones whose XZ plane keeps points above it; up is +Y"),
        ListKind::Constraints => {
            message!("Two bones that keep their distance. Several selected bones are paired in order.")
        }
        ListKind::SyncBones => message!(
            "A bone that passes its movement on to other bones, for example a thigh under a skirt. The active bone is \
             the source, the other selected bones are the targets."
        ),
        ListKind::BaseBone => message!("Tips move with this bone when the simulation space is Base bone."),
        ListKind::RelativeSpace => {
            message!("Motion of this bone causes no swing when the simulation space is relative to a bone.")
        }
    }
}

fn list_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, subject: u64) {
    let title = cx.tr(i18n::component_list_name(list));
    let entries = cx.inspection().system().component_lists.entries(list);
    let nodes = cx.inspection().selected_nodes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let text = if entries.is_empty() { title.to_string() } else { format!("{title}  {}", entries.len()) };
    let galley = paint::elided(ui, &text, TextSize::Body, cx.theme.color.text, rect.width() - 90.0);
    let text_rect = paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    let response = ui.interact(text_rect, ui.scope_id().with("title"), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    response.on_hover_text(cx.tr(list_hint(list)));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let text = tr!(cx, "Add selected");
    let add = secondary(&text).small().icon(icons::PLUS).enabled(nodes.len() >= list.min_nodes());
    let why = tr!(cx, "{name}: adds the selected bones, the active bone first", name = &title);
    if add.show(&mut inner).on_hover_text(why).clicked() {
        let label = EditLabel::new(message!("Add to {name}", name = i18n::component_list_name(list)));
        cx.edit_system(label, |system| _ = system.component_lists.add_entries(list, &nodes));
    }
    for (at, entry) in entries.iter().enumerate().take(MAX_ENTRIES) {
        ui.push_id(at, |ui| {
            if entry_ui(ui, cx, list, at, entry, entries.len() <= AUTO_OPEN_ENTRIES) {
                fields_ui(ui, cx, list, at, subject);
                node_fields_ui(ui, cx, list, at, entry, subject);
            }
        });
    }
    if let Some(more) = entries.len().checked_sub(MAX_ENTRIES).filter(|n| *n > 0) {
        info_note(ui, &tr!(cx, "{n} more. Select fewer joints to see their links.", n = more), LABEL_LEFT);
    }
}

pub(in crate::ui::panels) fn entry_text(cx: &UiContext<'_>, list: ListKind, entry: &[Node]) -> String {
    let name = |node: &Node| cx.inspection().node_name(*node).to_owned();
    match entry {
        [bone, targets @ ..] if list == ListKind::SyncBones => {
            tr!(cx, "{name}, moves {n:bone|bones}", name = name(bone), n = targets.len()).into_owned()
        }
        _ => entry.iter().map(name).collect::<Vec<_>>().join(" – "),
    }
}

/// Draws one entry of a list. Returns whether the fields of the entry are shown.
fn entry_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, at: usize, entry: &[Node], open: bool) -> bool {
    let text = entry_text(cx, list, entry);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = ElidedName::new(ui, &text, TextSize::Body, cx.theme.color.text_2, rect.width() - LABEL_LEFT - 40.0);
    let text_rect = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT + 12.0, 0.0));
    let open = if list.fields().is_empty() {
        let response = ui.interact(text_rect, ui.scope_id().with("entry"), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
        name.with_tooltip(response);
        false
    } else {
        // The content identifies an entry, so removing an entry does not change the ids of other entries.
        let key = Id::unique(("entry", cx.inspection().system_id(), list.key(), entry));
        caret_ui(ui, cx, rect.with_max_x(rect.right() - space::XXXL), &text, key, open)
    };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = tr!(cx, "Remove {name}{:list}", name = &text);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        let label = EditLabel::new(message!("Remove from {name}", name = i18n::component_list_name(list)));
        cx.edit_system(label, |system| system.component_lists.remove_entry(list, at));
    }
    open
}

/// Draws a caret that shows or hides the fields of an entry. Returns whether the fields are shown.
fn caret_ui(ui: &mut Ui, cx: &UiContext<'_>, rect: Rect, text: &str, key: Id, initially_open: bool) -> bool {
    let mut open = ui.data(|d| d.get_temp(key)).unwrap_or(initially_open);
    let response = ui.interact(rect, ui.scope_id().with("entry"), Sense::click());
    let name = cx.tr(i18n::expander_text(text, open));
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, open, &name));
    let color = if response.hovered() { cx.theme.color.text } else { cx.theme.color.text_2 };
    let caret = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
    paint_icon(ui.painter(), pos2(rect.left() + LABEL_LEFT + 4.0, rect.center().y), caret, 12.0, color);
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
    let title = cx.tr(i18n::component_list_name(ListKind::Points));
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let galley = paint::elided(ui, &title, TextSize::Body, cx.theme.color.text, rect.width());
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    response.on_hover_text(cx.tr(list_hint(ListKind::Points)));
    for (field, def) in ListKind::Points.fields().iter().enumerate() {
        let extras = &cx.inspection().system().component_lists;
        let values: Vec<f32> = bones.iter().map(|bone| extras.point_field(*bone, field)).collect();
        field_ui(ui, cx, def, &values, None, subject, |system, change| {
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
    let choice = NodeChoice {
        title: message!("Aim target"),
        hint: message!("The child joint that the bone points at"),
        none: message!("Last child"),
        now: cx.inspection().system().component_lists.aim_child(bone),
        parent: Some(bone),
        step: |name| message!("Aim at {name}", name),
    };
    node_ui(ui, cx, choice, |system, node| {
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
    let (label, hint) = match tool {
        ComponentTool::OrderColumns => (
            message!("Order columns"),
            message!("Sorts the columns by their position around the body. Columns all around the body become a ring."),
        ),
        ComponentTool::LinkNeighbours => (
            message!("Link neighbours"),
            message!("Adds bone constraints between joints of the same depth in neighbouring columns"),
        ),
        ComponentTool::SyncThighs => {
            (message!("Sync with thighs"), message!("Adds sync bones: each thigh moves the nearest columns."))
        }
        ComponentTool::Split => (
            message!("Split component"),
            message!("Moves the tuned chains to a new component that starts with the same values"),
        ),
    };
    if secondary(&cx.tr(label)).small().show(ui).on_hover_text(cx.tr(hint)).clicked() {
        cx.command(Command::RunComponentTool(tool));
    }
}

fn join_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let others = cx.inspection().other_systems();
    if others.is_empty() {
        return;
    }
    let solver = cx.inspection().system().solver;
    let label = tr!(cx, "Join component");
    let hint = tr!(cx, "Moves the tuned chains to another component of this solver, whose values then apply");
    let button = secondary(&label).small().show(ui).on_hover_text(hint);
    let mut chosen = None;
    Popup::menu(&button).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for other in &others {
            let name = name_or_solver(cx, &other.name, solver, Some(other.number));
            if menu_item(&tr!(cx, "{name}, {n:chain|chains}", name, n = other.chains)).show(ui).clicked() {
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
        field_ui(ui, cx, def, &values, curve, subject, |system, change| {
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
fn node_fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, list: ListKind, at: usize, entry: &[Node], subject: u64) {
    let members = entry.get(1..).unwrap_or_default();
    let selected = cx.inspection().selected_nodes();
    let mut meant: Vec<usize> = (0..members.len()).filter(|member| selected.contains(&members[*member])).collect();
    if meant.is_empty() {
        meant = (0..members.len()).collect();
    }
    for def in list.member_fields() {
        let extras = &cx.inspection().system().component_lists;
        let values: Vec<f32> = meant.iter().map(|member| extras.member_field(list, at, *member)).collect();
        field_ui(ui, cx, def, &values, None, subject, |system, change| {
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
    values: &[f32],
    curve: Option<(CurveRef, &Curve)>,
    subject: u64,
    write: impl Fn(&mut System, &dyn Fn(f32) -> f32),
) {
    let label = EditLabel::new(def.label_text());
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
