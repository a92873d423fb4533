//! The engine's component of the tuned system: what it is called, what it names beyond numbers, and who shares it.

use super::line::{LABEL_LEFT, LabelLine, Picker, apply, as_high_as_bars, curve_is_open, open_curve, within};
use crate::document::{Label, Node, Side, SideCurve, System};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::{Kind, ParamDef};
use crate::session::{Command, ComponentTool, Session};
use crate::sim::SolverKind;
use crate::tools::components;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, Name};
use crate::ui::kit::param_row::{curve_thumb_at, note};
use crate::ui::kit::section::Section;
use crate::ui::kit::text_field::{NameField, Renamed};
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::words;
use crate::ui::panels::inspector::items::{Field, written_choice};
use crate::ui::panels::menus::item;
use crate::ui::{CurveOf, Cx};
use egui::{Align, Id, Layout, Popup, Rect, Sense, Ui, UiBuilder, pos2, vec2};

/// So many entries of a list are shown at most: the columns of a skirt are many.
const MOST: usize = 24;
/// The numbers of so many entries are shown without asking.
const OPEN: usize = 1;

/// The section, where there is anything to say beyond numbers, or chains that could part or join.
pub(super) fn component_section(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64) {
    if !cx.session().inspection().has_component() {
        return;
    }
    let title = cx.tr("component.title");
    let fact = shown_name(cx, cx.session());
    Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
        name_ui(ui, cx);
        if cx.session().inspection().reads_component() {
            let (key, now) = (("component.node", "component_node"), cx.session().inspection().system().component);
            node_ui(ui, cx, key, now, &|session| session.inspection().node_choices(), |system, node| {
                system.component = node;
            });
        }
        for side in cx.session().inspection().sides() {
            ui.push_id(side.key(), |ui| side_ui(ui, cx, side, subject));
        }
        deeds_ui(ui, cx);
    });
}

/// The system's own name, or its solver's with a number where there are several.
fn shown_name(cx: &Cx<'_>, session: &Session) -> String {
    let system = session.inspection().system();
    let (number, count) = session.inspection().system_number();
    named(cx, &system.name, system.solver, (count > 1).then_some(number))
}

fn named(cx: &Cx<'_>, name: &str, solver: SolverKind, number: Option<usize>) -> String {
    let solver = words::solver_name(cx.theme.lang, solver);
    match number {
        _ if !name.trim().is_empty() => name.to_owned(),
        Some(number) => format!("{solver} {number}"),
        None => solver.into_owned(),
    }
}

/// A field for the name; Enter or leaving it renames.
fn name_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let c = cx.theme.color;
    let label = cx.tr("component.name");
    let field = as_high_as_bars(LabelLine { label: &label, doc: "", ink: c.text, lights: false }.show(ui));
    let id = ui.scope_id().with("name");
    let now = cx.session().inspection().system().name.clone();
    let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_else(|| now.clone());
    let hint = shown_name(cx, cx.session());
    let (response, renamed) =
        NameField { name: &label, hint: &hint, edge: c.border, fresh: false }.show(ui, field, &mut typed);
    if response.has_focus() {
        ui.data_mut(|d| d.insert_temp(id, typed));
        return;
    }
    ui.data_mut(|d| d.remove::<String>(id));
    if let Renamed::To(name) = renamed
        && name != now
    {
        let label = Label::new("name_system", 1).name(&*name);
        apply(cx, |session| {
            components::step(session.document(), session.inspection().system_id(), label, |system| system.name = name)
        });
    }
}

/// A node to choose, or none; by the key of its words, and what the step is called.
fn node_ui(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
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
    let picker = Picker { label: &title, doc: &doc, shown: &shown, all: &all, hint: &hint, has_effect: true };
    let Some(node) = picker.show(ui, cx).filter(|node| *node != now) else { return };
    let name = node.map_or_else(|| none.to_string(), |node| cx.session().inspection().node_name(node).to_owned());
    apply(cx, |session| {
        components::step(
            session.document(),
            session.inspection().system_id(),
            Label::new(what, 1).name(name),
            |system| change(system, node),
        )
    });
}

fn side_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, subject: u64) {
    if side.is_single() {
        let now = cx.session().inspection().system().extras.entries(side).first().map(|entry| entry[0]);
        let key = format!("component.side.{}", side.key());
        node_ui(
            ui,
            cx,
            (&key, "component_side"),
            now,
            &|session| session.inspection().node_choices(),
            |system, node| {
                system.extras.set(side, node);
            },
        );
        if now.is_some() {
            fields_ui(ui, cx, side, 0, subject);
        }
    } else if side == Side::Points {
        points_ui(ui, cx, subject);
    } else if side.is_listed() {
        list_ui(ui, cx, side, subject);
    }
}

/// A list with what adds to it.
fn list_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, subject: u64) {
    let title = cx.tr(&format!("component.side.{}", side.key())).into_owned();
    let entries = cx.session().inspection().system().extras.entries(side);
    let nodes = cx.session().inspection().selected_nodes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let words = if entries.is_empty() { title.clone() } else { format!("{title}  {}", entries.len()) };
    let galley = paint::elided(ui, &words, Text::Body, cx.theme.color.text, rect.width() - 90.0);
    let place = paint::galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    let said = ui.interact(place, ui.scope_id().with("title"), Sense::hover());
    said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    said.on_hover_text(cx.tr(&format!("component.side.{}_hint", side.key())));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let words = cx.tr("component.add");
    let add = secondary(&words).small().icon(icons::PLUS).enabled(nodes.len() >= side.least());
    let why = cx.tr_with("component.add_hint", &[("name", &title)]);
    if add.show(&mut inner).on_hover_text(why).clicked() {
        let label = Label::new("add_to_list", nodes.len()).name(&*title);
        apply(cx, |session| {
            components::step(session.document(), session.inspection().system_id(), label, |system| {
                _ = system.extras.add(side, &nodes);
            })
        });
    }
    for (at, entry) in entries.iter().enumerate().take(MOST) {
        ui.push_id(at, |ui| {
            if entry_ui(ui, cx, (side, &title), at, (entry, entries.len() <= OPEN)) {
                fields_ui(ui, cx, side, at, subject);
                members_ui(ui, cx, side, (at, entry), subject);
            }
        });
    }
    if let Some(more) = entries.len().checked_sub(MOST).filter(|n| *n > 0) {
        note(ui, &cx.tr_with("lengths.more", &[("n", &more.to_string())]), LABEL_LEFT);
    }
}

/// An entry in one line.
pub(in crate::ui::panels) fn entry_words(cx: &Cx<'_>, side: Side, entry: &[Node]) -> String {
    let name = |node: &Node| cx.session().inspection().node_name(*node).to_owned();
    match entry {
        [bone, targets @ ..] if side == Side::SyncBones => {
            let n = targets.len().to_string();
            cx.tr_with("component.sync", &[("name", &name(bone)), ("n", &n)])
        }
        _ => entry.iter().map(name).collect::<Vec<_>>().join(" – "),
    }
}

/// The line of an entry; whether its numbers are shown.
fn entry_ui(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (side, title): (Side, &str),
    at: usize,
    (entry, open): (&[Node], bool),
) -> bool {
    let words = entry_words(cx, side, entry);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = Name::new(ui, &words, Text::Body, cx.theme.color.text_2, rect.width() - LABEL_LEFT - 40.0);
    let place = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT + 12.0, 0.0));
    let open = if side.fields().is_empty() {
        let said = ui.interact(place, ui.scope_id().with("entry"), Sense::hover());
        said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        name.tip(said);
        false
    } else {
        // By what it is: what stands behind one that is taken away stays as it was.
        let key = Id::unique(("entry", cx.session().inspection().system_id(), side.key(), entry));
        fold_ui(ui, cx, rect.with_max_x(rect.right() - space::XXXL), &words, (key, open))
    };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = cx.tr_with("component.remove", &[("name", &words)]);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        let label = Label::new("take_from_list", 1).name(title);
        apply(cx, |session| {
            components::step(session.document(), session.inspection().system_id(), label, |system| {
                system.extras.remove(side, at);
            })
        });
    }
    open
}

/// A caret in front of an entry that opens and closes its numbers, `usual` until it is clicked; whether they are shown.
fn fold_ui(ui: &mut Ui, cx: &Cx<'_>, rect: Rect, words: &str, (key, usual): (Id, bool)) -> bool {
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
fn points_ui(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64) {
    let bones = cx.session().inspection().point_bones();
    if bones.is_empty() {
        return;
    }
    let title = cx.tr("component.side.points");
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let galley = paint::elided(ui, &title, Text::Body, cx.theme.color.text, rect.width());
    paint::galley_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0), galley);
    response.on_hover_text(cx.tr("component.side.points_hint"));
    for (field, def) in Side::Points.fields().iter().enumerate() {
        let extras = &cx.session().inspection().system().extras;
        let values: Vec<f32> = bones.iter().map(|bone| extras.point_field(*bone, field)).collect();
        field_ui(ui, cx, (Side::Points.owner(), def), (&values, None), subject, |session, label, change| {
            components::step(session.document(), session.inspection().system_id(), label, |system| {
                for bone in &bones {
                    let old = system.extras.point_field(*bone, field);
                    system.extras.set_point_field(*bone, field, within(def, old, change(old)));
                }
            })
        });
    }
    if let [bone] = *bones {
        aim_ui(ui, cx, bone);
    }
}

/// Which of several children the bone of a point aims at.
fn aim_ui(ui: &mut Ui, cx: &mut Cx<'_>, bone: BoneId) {
    if cx.session().inspection().aim_choices(bone).is_empty() {
        return;
    }
    let (key, now) = (("component.aim", "component_aim"), cx.session().inspection().system().extras.aim(bone));
    node_ui(ui, cx, key, now, &|session| session.inspection().aim_choices(bone), |system, node| {
        system.extras.set_aim(bone, node);
    });
}

/// What sorts and links by where things stand, and what parts and joins chains.
fn deeds_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
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

fn tool_ui(ui: &mut Ui, cx: &mut Cx<'_>, tool: ComponentTool) {
    let key = tool.key();
    let words = cx.tr(&format!("component.deed.{key}"));
    let hint = cx.tr(&format!("component.deed.{key}_hint"));
    if secondary(&words).small().show(ui).on_hover_text(hint).clicked() {
        cx.command(Command::RunComponentTool(tool));
    }
}

fn join_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
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
            let name = named(cx, &other.name, solver, Some(other.number));
            let n = other.chains.to_string();
            if item(&cx.tr_with("component.other", &[("name", &name), ("n", &n)])).show(ui).clicked() {
                chosen = Some(other.id);
                ui.close();
            }
        }
    });
    if let Some(id) = chosen {
        cx.command(Command::JoinSystem(id));
    }
}

/// The numbers of one entry, each with the curve that it has, and then the curves that have none.
fn fields_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, at: usize, subject: u64) {
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.session().inspection().system().extras;
        if !extras.shows(side, at, field) {
            continue;
        }
        let values = [extras.field(side, at, field)];
        let curves = (0..side.curves().len()).filter(|curve| side.base_of(*curve) == Some(field));
        let curve = curves.map(|curve| SideCurve { side, entry: at, curve }).next();
        let curve = curve.and_then(|of| Some((CurveOf::side(cx.session(), of), extras.course(of, None)?.curve)));
        let curve = curve.as_ref().map(|(of, curve)| (*of, curve));
        field_ui(ui, cx, (side.owner(), def), (&values, curve), subject, |session, label, change| {
            components::step(session.document(), session.inspection().system_id(), label, |system| {
                let old = system.extras.field(side, at, field);
                system.extras.set_field(side, at, field, within(def, old, change(old)));
            })
        });
    }
    for curve in (0..side.curves().len()).filter(|curve| side.base_of(*curve).is_none()) {
        curve_ui(ui, cx, SideCurve { side, entry: at, curve });
    }
}

/// A curve that stands for itself, in the room of a number.
fn curve_ui(ui: &mut Ui, cx: &mut Cx<'_>, of: SideCurve) {
    let Some(course) = cx.session().inspection().system().extras.course(of, None) else { return };
    let (lang, def) = (cx.theme.lang, &of.side.curves()[of.curve]);
    let label = words::field_label(lang, of.side.owner(), def);
    let doc = words::field_doc(lang, of.side.owner(), def);
    let thumb = LabelLine { label: &label, doc: &doc, ink: cx.theme.color.text, lights: true }.show(ui);
    let thumb = as_high_as_bars(thumb);
    let hit = ui.interact(thumb, ui.scope_id().with(("curve", def.name)), Sense::click());
    let (role, asked) = (Role::of(def.idea), CurveOf::side(cx.session(), of));
    let open = curve_is_open(cx, &[asked]);
    if curve_thumb_at(ui, thumb, hit, &label, Some(&course.curve), role, open).clicked() {
        open_curve(cx, asked);
    }
}

/// The numbers of the further nodes of an entry: of those that are selected, else of all.
fn members_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, (at, entry): (usize, &[Node]), subject: u64) {
    let members = entry.get(1..).unwrap_or_default();
    let selected = cx.session().inspection().selected_nodes();
    let mut meant: Vec<usize> = (0..members.len()).filter(|member| selected.contains(&members[*member])).collect();
    if meant.is_empty() {
        meant = (0..members.len()).collect();
    }
    for def in side.member_fields() {
        let extras = &cx.session().inspection().system().extras;
        let values: Vec<f32> = meant.iter().map(|member| extras.member_field(side, at, *member)).collect();
        field_ui(ui, cx, (side.member_owner(), def), (&values, None), subject, |session, label, change| {
            components::step(session.document(), session.inspection().system_id(), label, |system| {
                for member in &meant {
                    let old = system.extras.member_field(side, at, *member);
                    system.extras.set_member_field(side, at, *member, within(def, old, change(old)));
                }
            })
        });
    }
}

/// A number, a switch or a choice of entries that are alike; a number may have a curve.
fn field_ui(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (owner, def): (&'static str, &'static ParamDef),
    (values, curve): (&[f32], Option<(CurveOf, &Curve)>),
    subject: u64,
    write: impl Fn(&Session, Label, &dyn Fn(f32) -> f32) -> Option<(crate::document::Edit, Label)>,
) {
    let label = Label::new("component_number", values.len()).name(words::field_label(cx.theme.lang, owner, def));
    match def.kind {
        Kind::Toggle | Kind::Choice(_) => {
            let Some(value) = written_choice(ui, cx, owner, def, values) else { return };
            if let Some((edit, label)) = write(cx.session(), label, &|_| value) {
                cx.command(Command::Apply(edit, label));
            }
        }
        Kind::Number | Kind::Degrees | Kind::Integer => {
            let field = Field { owner, def, values, loaded: &[], subject, has_effect: true, curve };
            field.show(ui, cx, |cx, change| {
                // Nothing loaded is offered here, so that every value changes alike.
                if let Some((edit, label)) = write(cx.session(), label.clone(), &|old| change(0, old)) {
                    cx.command(Command::Apply(edit, label));
                }
            });
        }
    }
}
