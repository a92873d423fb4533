//! The groups of the solver's table, in its order: those of joints, then those of the whole character.

use super::lengths::lengths_ui;
use super::line::LABEL_LEFT;
use super::material::material_ui;
use super::rows::{Rows, limit_label};
use super::solver::{improved_fact, improved_ui};
use super::switches::flags_ui;
use crate::schema::{Group, Row, Scope};
use crate::session::{ColliderChoice, Command, Entry, Pivots, Remark, Way, entries};
use crate::ui::kit::icons;
use crate::ui::kit::param_row::note;
use crate::ui::kit::section::{Section, heading};
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::space;
use crate::ui::panels::labels::shape_icon;
use crate::ui::{Cx, Lit};
use egui::{Popup, Ui, vec2};
use std::borrow::Cow;

/// All groups of joints.
pub(super) fn joint_sections(ui: &mut Ui, cx: &mut Cx<'_>, rows: &mut Rows<'_>) {
    for group in groups(cx, Scope::Joint) {
        joint_section(ui, cx, rows, group);
    }
}

/// What holds for every chain; closed until it is wanted.
pub(super) fn character_sections(ui: &mut Ui, cx: &mut Cx<'_>, rows: &mut Rows<'_>) {
    ui.add_space(space::XS);
    let several = cx.session().document().systems.len() > 1;
    let note = cx.tr(if several { "component.shared_note" } else { "inspector.character_note" });
    heading(ui, &cx.tr("inspector.character"), &note);
    ui.push_id("character", |ui| {
        for group in groups(cx, Scope::System) {
            let title = group_name(cx, group);
            // The section remembers whether it is open under the same id.
            let id = ui.make_persistent_id(("section", &*title));
            ui.data_mut(|d| *d.get_persisted_mut_or(id, false));
            // What is chosen above all sections is not chosen once more.
            let above = cx.session().inspection().preview_row();
            let mut lines = entries(cx.session().inspection().system().table(), group, Scope::System);
            lines.retain(|entry| !matches!(entry, Entry::One(row) if Some(*row) == above));
            let improved = group == Group::Improved;
            let fact = if improved { improved_fact(cx) } else { String::new() };
            Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
                if improved {
                    improved_ui(ui, cx, rows, &lines);
                } else {
                    rows.entries_ui(ui, cx, &lines);
                }
            });
        }
    });
}

/// The groups that have rows of a scope, in the order of the table.
fn groups(cx: &Cx<'_>, scope: Scope) -> Vec<Group> {
    let mut found = Vec::new();
    for def in cx.session().inspection().system().table().iter().filter(|def| def.scope == scope) {
        if !found.contains(&def.group) {
            found.push(def.group);
        }
    }
    found
}

fn group_name(cx: &Cx<'_>, group: Group) -> Cow<'static, str> {
    cx.tr(match group {
        Group::Spring => "inspector.group.spring",
        Group::AngleLimits => "inspector.group.angle_limits",
        Group::Collision => "inspector.group.collision",
        Group::LengthLimits => "inspector.group.length_limits",
        Group::World => "inspector.group.world",
        Group::Time => "inspector.group.time",
        Group::Switches => "inspector.group.switches",
        Group::Improved => "inspector.group.improved",
    })
}

/// The sample stands there, and nothing is selected.
pub(super) fn is_first_start(cx: &Cx<'_>) -> bool {
    cx.input.file.is_sample && cx.session().selection().bones.is_empty()
}

fn joint_section(ui: &mut Ui, cx: &mut Cx<'_>, rows: &mut Rows<'_>, group: Group) {
    let title = group_name(cx, group);
    let mut lines = entries(cx.session().inspection().system().table(), group, Scope::Joint);
    // What the engine does not have is not in the way of those who tune for it.
    lines.retain(|entry| !matches!(entry, Entry::One(row) if cx.session().inspection().remark(*row) == Some(Remark::OnlyImproved)));
    let limits: Vec<Row> = lines
        .iter()
        .filter_map(|entry| match entry {
            Entry::Range { active, .. } => Some(*active),
            Entry::One(_) => None,
        })
        .collect();
    let on = limits.iter().any(|row| cx.session().inspection().any_on(*row));
    let fact = match group {
        _ if !limits.is_empty() => pivot_fact(cx),
        _ => String::new(),
    };
    let switch = (!limits.is_empty()).then_some(on);
    let out = Section { title: &title, fact: &fact, switch }.show(ui, |ui| {
        if lines.iter().any(|entry| matches!(entry, Entry::One(row) if cx.session().inspection().is_of_material(*row)))
        {
            material_ui(ui, cx);
        }
        rows.entries_ui(ui, cx, &lines);
        if group == Group::Spring {
            flags_ui(ui, cx);
        }
        if group == Group::LengthLimits
            && let Some(Entry::One(row)) = lines.first()
        {
            lengths_ui(ui, cx, rows.subject, *row);
        }
        if on {
            ways_ui(ui, cx);
        }
        if group == Group::Collision {
            colliders_ui(ui, cx);
        }
    });
    if out.switched {
        cx.command(Command::SwitchLimits(limits, !on));
    }
}

fn pivot_fact(cx: &Cx<'_>) -> String {
    match cx.session().inspection().pivots() {
        Pivots::None => cx.tr("inspector.no_pivot").into_owned(),
        Pivots::One(name) => cx.tr_with("inspector.one_pivot", &[("name", &name)]),
        Pivots::Many(n) => cx.tr_with("inspector.pivots", &[("n", &n.to_string())]),
    }
}

/// Which ways the limits open, as the fan in the viewport shows them.
fn ways_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let way = |way| {
        cx.tr(match way {
            Way::Up => "inspector.way.up",
            Way::Down => "inspector.way.down",
            Way::Left => "inspector.way.left",
            Way::Right => "inspector.way.right",
            Way::Front => "inspector.way.front",
            Way::Back => "inspector.way.back",
        })
    };
    let ways = cx.session().inspection().limit_ways();
    let sentences: Vec<String> = ways
        .iter()
        .map(|w| {
            let name = limit_label(cx, w.active);
            let values = [("name", &*name), ("minus", &*way(w.minus)), ("plus", &*way(w.plus))];
            cx.tr_with("inspector.ways", &values)
        })
        .collect();
    if !sentences.is_empty() {
        note(ui, &sentences.join("\n"), LABEL_LEFT);
    }
}

/// What pushes the tuned joints: a chip for each, and a menu of the others.
fn colliders_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let mut choices = cx.session().inspection().collider_choices();
    let by_groups = cx.session().inspection().has_groups();
    if by_groups {
        // Groups of the chain do it; what joints have of their own is shown so that it can be taken away.
        choices.retain(|choice| choice.joints > 0);
        if choices.is_empty() {
            return;
        }
        note(ui, &cx.tr("groups.own_colliders"), LABEL_LEFT);
    }
    ui.add_space(space::XXS);
    if choices.is_empty() {
        note(ui, &cx.tr("inspector.no_colliders"), LABEL_LEFT);
        return;
    }
    let inset = egui::Margin { left: LABEL_LEFT as i8, ..egui::Margin::ZERO };
    egui::Frame::new().inner_margin(inset).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XXS);
        ui.horizontal_wrapped(|ui| {
            for choice in choices.iter().filter(|c| c.joints > 0) {
                collider_chip(ui, cx, choice);
            }
            let rest: Vec<_> = choices.iter().filter(|c| !c.all).collect();
            if !rest.is_empty() && !by_groups {
                add_chip(ui, cx, &rest);
            }
        });
    });
}

fn collider_chip(ui: &mut Ui, cx: &mut Cx<'_>, choice: &ColliderChoice) {
    let words = if choice.all {
        choice.short.clone()
    } else {
        cx.tr_with("inspector.some_joints", &[("name", &choice.short), ("n", &choice.joints.to_string())])
    };
    let shown = chip(ui, &words, Some(shape_icon(choice.shape)), false, None).on_hover_text(&choice.name);
    if shown.hovered() {
        cx.state.lit = Some(Lit::Collider(choice.id));
    }
    Popup::menu(&shown).show(|ui| {
        if ui.button(cx.tr_with("inspector.take_collider", &[("name", &choice.name)])).clicked() {
            cx.command(Command::AssignColliders(vec![choice.id], false));
        }
    });
}

fn add_chip(ui: &mut Ui, cx: &mut Cx<'_>, rest: &[&ColliderChoice]) {
    let add = chip(ui, &cx.tr("inspector.add_collider"), Some(icons::PLUS), false, None);
    Popup::menu(&add).show(|ui| {
        egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
            for choice in rest {
                if ui.add(egui::Button::new(Text::Body.rich(&choice.short))).clicked() {
                    cx.command(Command::AssignColliders(vec![choice.id], true));
                }
            }
        });
    });
}
