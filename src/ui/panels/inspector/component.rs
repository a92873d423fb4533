//! The engine's component of the tuned system: what it is called, what it names beyond numbers, and who shares it.

use super::label_line::{
    ChoicePicker, LABEL_LEFT, LabelLine, apply, bar_height_rect, clamped_to_range, curve_is_open, open_curve,
};
use crate::document::{EditLabel, ListCurveId, ListKind, Node, System};
use crate::math::Curve;
use crate::params::{ParamDef, ParamKind};
use crate::rig::BoneId;
use crate::session::{Command, ComponentTool, Session};
use crate::sim::SolverKind;
use crate::tools::components;
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::param_row::{curve_thumbnail_at, info_note};
use crate::ui::kit::section::CollapsibleSection;
use crate::ui::kit::text_field::{NameField, RenameResult};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::panels::inspector::items::{FieldRow, choice_field};
use crate::ui::panels::menus::menu_item;
use crate::ui::{CurveRef, UiContext};
use egui::{Align, Id, Layout, Popup, Rect, Sense, Ui, UiBuilder, pos2, vec2};

/// So many entries of a list are shown at most: the columns of a skirt are many.
const MAX_ENTRIES: usize = 24;
/// The numbers of so many entries are shown without asking.
const AUTO_OPEN_ENTRIES: usize = 1;

/// The section, where there is anything to say beyond numbers, or chains that could part or join.
pub(super) fn component_section(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64) {
    if !cx.session().inspection().has_component_settings() {
        return;
    }
    let title = cx.tr("component.title");
    let fact = system_name(cx, cx.session());
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        name_ui(ui, cx);
        if cx.session().inspection().reads_component() {
            let (key, now) = (("component.node", "component_node"), cx.session().inspection().system().component);
            node_ui(ui, cx, key, now, &|session| session.inspection().node_choices(), |system, node| {
                system.component = node;
            });
        }
        for side in cx.session().inspection().component_lists() {
            ui.push_id(side.key(), |ui| list_section_ui(ui, cx, side, subject));
        }
        tools_ui(ui, cx);
    });
}

/// The system's own name, or its solver's with a number where there are several.
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

/// A field for the name; Enter or leaving it renames.
fn name_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let c = cx.theme.color;
    let label = cx.tr("component.name");
    let field =
        bar_height_rect(LabelLine { label: &label, tooltip: "", color: c.text, highlights_on_hover: false }.show(ui));
    let id = ui.scope_id().with("name");
    let now = cx.session().inspection().system().name.clone();
    let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_else(|| now.clone());
    let hint = system_name(cx, cx.session());
    let (response, renamed) =
        NameField { name: &label, hint: &hint, edge: c.border, takes_focus: false }.show(ui, field, &mut typed);
    if response.has_focus() {
        ui.data_mut(|d| d.insert_temp(id, typed));
        return;
    }
    ui.data_mut(|d| d.remove::<String>(id));
    if let RenameResult::Submitted(name) = renamed
        && name != now
    {
        let label = EditLabel::new("name_system", 1).name(&*name);
        apply(cx, |session| {
            components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                system.name = name;
            })
        });
    }
}

/// A node to choose, or none; by the key of its words, and what the step is called.
fn node_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (key, what): (&str, &'static str),
    now: Option<Node>,
    choices: &dyn Fn(&Session) -> Vec<(Node, String)>,
    change: impl FnOnce(&mut System, Option<Node>),
) {
    let (title, doc, none) = (cx.tr(key), cx.tr(&format!("{key}_hint")), cx.tr(&format!("{key}_none")));
    let shown = now.map_or_else(|| none.to_string(), |node| cx.session().inspection().node_name(node).to_owned());
    let all = || {
        let nodes = choices(cx.session()).into_iter().map(|(node, name)| (Some(node), name));
        std::iter::once((None, none.to_string())).chain(nodes).collect()
    };
    let hint = cx.tr("item.find_bone");
    let picker = ChoicePicker {
        label: &title,
        tooltip: &doc,
        chosen_text: &shown,
        choices: &all,
        hint: &hint,
        has_effect: true,
    };
    let Some(node) = picker.show(ui, cx).filter(|node| *node != now) else { return };
    let name = node.map_or_else(|| none.to_string(), |node| cx.session().inspection().node_name(node).to_owned());
    apply(cx, |session| {
        components::labeled_system_edit(
            session.document(),
            session.inspection().system_id(),
            EditLabel::new(what, 1).name(name),
            |system| change(system, node),
        )
    });
}

fn list_section_ui(ui: &mut Ui, cx: &mut UiContext<'_>, side: ListKind, subject: u64) {
    if side.is_single() {
        let now = cx.session().inspection().system().component_lists.entries(side).first().map(|entry| entry[0]);
        let key = format!("component.side.{}", side.key());
        node_ui(
            ui,
            cx,
            (&key, "component_side"),
            now,
            &|session| session.inspection().node_choices(),
            |system, node| {
                system.component_lists.set_node(side, node);
            },
        );
        if now.is_some() {
            fields_ui(ui, cx, side, 0, subject);
        }
    } else if side == ListKind::Points {
        points_ui(ui, cx, subject);
    } else if side.has_node_entries() {
        list_ui(ui, cx, side, subject);
    }
}

/// A list with what adds to it.
fn list_ui(ui: &mut Ui, cx: &mut UiContext<'_>, side: ListKind, subject: u64) {
    let title = cx.tr(&format!("component.side.{}", side.key())).into_owned();
    let entries = cx.session().inspection().system().component_lists.entries(side);
    let nodes = cx.session().inspection().selected_nodes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let words = if entries.is_empty() { title.clone() } else { format!("{title}  {}", entries.len()) };
    let galley = paint::elided(ui, &words, TextSize::Body, cx.theme.color.text, rect.width() - 90.0);
    let place = paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    let said = ui.interact(place, ui.scope_id().with("title"), Sense::hover());
    said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    said.on_hover_text(cx.tr(&format!("component.side.{}_hint", side.key())));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let words = cx.tr("component.add");
    let add = secondary(&words).small().icon(icons::PLUS).enabled(nodes.len() >= side.min_nodes());
    let why = cx.tr_with("component.add_hint", &[("name", &title)]);
    if add.show(&mut inner).on_hover_text(why).clicked() {
        let label = EditLabel::new("add_to_list", nodes.len()).name(&*title);
        apply(cx, |session| {
            components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                _ = system.component_lists.add_entries(side, &nodes);
            })
        });
    }
    for (at, entry) in entries.iter().enumerate().take(MAX_ENTRIES) {
        ui.push_id(at, |ui| {
            if entry_ui(ui, cx, (side, &title), at, (entry, entries.len() <= AUTO_OPEN_ENTRIES)) {
                fields_ui(ui, cx, side, at, subject);
                node_fields_ui(ui, cx, side, (at, entry), subject);
            }
        });
    }
    if let Some(more) = entries.len().checked_sub(MAX_ENTRIES).filter(|n| *n > 0) {
        info_note(ui, &cx.tr_with("lengths.more", &[("n", &more.to_string())]), LABEL_LEFT);
    }
}

/// An entry in one line.
pub(in crate::ui::panels) fn entry_text(cx: &UiContext<'_>, side: ListKind, entry: &[Node]) -> String {
    let name = |node: &Node| cx.session().inspection().node_name(*node).to_owned();
    match entry {
        [bone, targets @ ..] if side == ListKind::SyncBones => {
            let n = targets.len().to_string();
            cx.tr_with("component.sync", &[("name", &name(bone)), ("n", &n)])
        }
        _ => entry.iter().map(name).collect::<Vec<_>>().join(" – "),
    }
}

/// The line of an entry; whether its numbers are shown.
fn entry_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (side, title): (ListKind, &str),
    at: usize,
    (entry, open): (&[Node], bool),
) -> bool {
    let words = entry_text(cx, side, entry);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = ElidedName::new(ui, &words, TextSize::Body, cx.theme.color.text_2, rect.width() - LABEL_LEFT - 40.0);
    let place = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT + 12.0, 0.0));
    let open = if side.fields().is_empty() {
        let said = ui.interact(place, ui.scope_id().with("entry"), Sense::hover());
        said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        name.with_tooltip(said);
        false
    } else {
        // By what it is: what stands behind one that is taken away stays as it was.
        let key = Id::unique(("entry", cx.session().inspection().system_id(), side.key(), entry));
        caret_ui(ui, cx, rect.with_max_x(rect.right() - space::XXXL), &words, (key, open))
    };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = cx.tr_with("component.remove", &[("name", &words)]);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        let label = EditLabel::new("take_from_list", 1).name(title);
        apply(cx, |session| {
            components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                system.component_lists.remove_entry(side, at);
            })
        });
    }
    open
}

/// A caret in front of an entry that opens and closes its numbers, `usual` until it is clicked; whether they are shown.
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

/// The points of the selected joints, all together.
fn points_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64) {
    let bones = cx.session().inspection().point_bones();
    if bones.is_empty() {
        return;
    }
    let title = cx.tr("component.side.points");
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let galley = paint::elided(ui, &title, TextSize::Body, cx.theme.color.text, rect.width());
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    response.on_hover_text(cx.tr("component.side.points_hint"));
    for (field, def) in ListKind::Points.fields().iter().enumerate() {
        let extras = &cx.session().inspection().system().component_lists;
        let values: Vec<f32> = bones.iter().map(|bone| extras.point_field(*bone, field)).collect();
        field_ui(
            ui,
            cx,
            (ListKind::Points.component_name(), def),
            (&values, None),
            subject,
            |session, label, change| {
                components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                    for bone in &bones {
                        let old = system.component_lists.point_field(*bone, field);
                        system.component_lists.set_point_field(*bone, field, clamped_to_range(def, old, change(old)));
                    }
                })
            },
        );
    }
    if let [bone] = *bones {
        aim_target_ui(ui, cx, bone);
    }
}

/// Which of several children the bone of a point aims at.
fn aim_target_ui(ui: &mut Ui, cx: &mut UiContext<'_>, bone: BoneId) {
    if cx.session().inspection().point_at_choices(bone).is_empty() {
        return;
    }
    let (key, now) =
        (("component.aim", "component_aim"), cx.session().inspection().system().component_lists.aim_child(bone));
    node_ui(ui, cx, key, now, &|session| session.inspection().point_at_choices(bone), |system, node| {
        system.component_lists.set_aim_child(bone, node);
    });
}

/// What sorts and links by where things stand, and what parts and joins chains.
fn tools_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.add_space(space::S);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XS);
        ui.add_space(LABEL_LEFT);
        for tool in cx.session().inspection().component_tools() {
            tool_ui(ui, cx, tool);
        }
        join_ui(ui, cx);
    });
}

fn tool_ui(ui: &mut Ui, cx: &mut UiContext<'_>, tool: ComponentTool) {
    let key = tool.key();
    let words = cx.tr(&format!("component.deed.{key}"));
    let hint = cx.tr(&format!("component.deed.{key}_hint"));
    if secondary(&words).small().show(ui).on_hover_text(hint).clicked() {
        cx.command(Command::RunComponentTool(tool));
    }
}

fn join_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let others = cx.session().inspection().other_systems();
    if others.is_empty() {
        return;
    }
    let solver = cx.session().inspection().system().solver;
    let words = cx.tr("component.deed.join");
    let button = secondary(&words).small().show(ui).on_hover_text(cx.tr("component.deed.join_hint"));
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

/// The numbers of one entry, each with the curve that it has, and then the curves that have none.
fn fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, side: ListKind, at: usize, subject: u64) {
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.session().inspection().system().component_lists;
        if !extras.is_field_used(side, at, field) {
            continue;
        }
        let values = [extras.field(side, at, field)];
        let curves = (0..side.curves().len()).filter(|curve| side.curve_base_field(*curve) == Some(field));
        let curve = curves.map(|curve| ListCurveId { list: side, entry: at, curve }).next();
        let curve =
            curve.and_then(|of| Some((CurveRef::component(cx.session(), of), extras.list_curve(of, None)?.curve)));
        let curve = curve.as_ref().map(|(of, curve)| (*of, curve));
        field_ui(ui, cx, (side.component_name(), def), (&values, curve), subject, |session, label, change| {
            components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                let old = system.component_lists.field(side, at, field);
                system.component_lists.set_field(side, at, field, clamped_to_range(def, old, change(old)));
            })
        });
    }
    for curve in (0..side.curves().len()).filter(|curve| side.curve_base_field(*curve).is_none()) {
        curve_ui(ui, cx, ListCurveId { list: side, entry: at, curve });
    }
}

/// A curve that stands for itself, in the room of a number.
fn curve_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of: ListCurveId) {
    let Some(course) = cx.session().inspection().system().component_lists.list_curve(of, None) else { return };
    let (lang, def) = (cx.theme.lang, &of.list.curves()[of.curve]);
    let label = i18n::field_label(lang, of.list.component_name(), def);
    let doc = i18n::field_doc(lang, of.list.component_name(), def);
    let thumb =
        LabelLine { label: &label, tooltip: &doc, color: cx.theme.color.text, highlights_on_hover: true }.show(ui);
    let thumb = bar_height_rect(thumb);
    let hit = ui.interact(thumb, ui.scope_id().with(("curve", def.name)), Sense::click());
    let (role, asked) = (ColorRole::for_meaning(def.meaning), CurveRef::component(cx.session(), of));
    let open = curve_is_open(cx, &[asked]);
    if curve_thumbnail_at(ui, thumb, hit, &label, Some(&course.curve), role, open).clicked() {
        open_curve(cx, asked);
    }
}

/// The numbers of the further nodes of an entry: of those that are selected, else of all.
fn node_fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, side: ListKind, (at, entry): (usize, &[Node]), subject: u64) {
    let members = entry.get(1..).unwrap_or_default();
    let selected = cx.session().inspection().selected_nodes();
    let mut meant: Vec<usize> = (0..members.len()).filter(|member| selected.contains(&members[*member])).collect();
    if meant.is_empty() {
        meant = (0..members.len()).collect();
    }
    for def in side.member_fields() {
        let extras = &cx.session().inspection().system().component_lists;
        let values: Vec<f32> = meant.iter().map(|member| extras.member_field(side, at, *member)).collect();
        field_ui(ui, cx, (side.member_component_name(), def), (&values, None), subject, |session, label, change| {
            components::labeled_system_edit(session.document(), session.inspection().system_id(), label, |system| {
                for member in &meant {
                    let old = system.component_lists.member_field(side, at, *member);
                    system.component_lists.set_member_field(side, at, *member, clamped_to_range(def, old, change(old)));
                }
            })
        });
    }
}

/// A number, a switch or a choice of entries that are alike; a number may have a curve.
fn field_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (owner, def): (&'static str, &'static ParamDef),
    (values, curve): (&[f32], Option<(CurveRef, &Curve)>),
    subject: u64,
    write: impl Fn(&Session, EditLabel, &dyn Fn(f32) -> f32) -> Option<(crate::document::Edit, EditLabel)>,
) {
    let label = EditLabel::new("component_number", values.len()).name(i18n::field_label(cx.theme.lang, owner, def));
    match def.kind {
        ParamKind::Toggle | ParamKind::Choice(_) => {
            let Some(value) = choice_field(ui, cx, owner, def, values) else { return };
            if let Some((edit, label)) = write(cx.session(), label, &|_| value) {
                cx.command(Command::ApplyEdit(edit, label));
            }
        }
        ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => {
            let field = FieldRow { owner, def, values, loaded: &[], subject, has_effect: true, curve };
            field.show(ui, cx, |cx, change| {
                // Nothing loaded is offered here, so that every value changes alike.
                if let Some((edit, label)) = write(cx.session(), label.clone(), &|old| change(0, old)) {
                    cx.command(Command::ApplyEdit(edit, label));
                }
            });
        }
    }
}
