//! The groups of the solver's table, in its order: those of joints, then those of the whole character.

use super::label_line::LABEL_LEFT;
use super::length_limits::length_limits_ui;
use super::material::material_ui;
use super::param_rows::{ParamRows, limit_label};
use super::solver::{improvements_note, improvements_ui};
use super::switches::flags_ui;
use crate::params::{ParamGroup, ParamId, ParamScope};
use crate::session::{BodyDirection, ColliderChoice, Command, ParamLine, ParamWarning, PivotSummary, param_lines};
use crate::ui::kit::icons;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::section::{CollapsibleSection, heading_ui};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::space;
use crate::ui::panels::labels::shape_icon;
use crate::ui::{Highlight, UiContext};
use egui::{Popup, Ui, vec2};
use std::borrow::Cow;

/// All groups of joints.
pub(super) fn joint_sections(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>) {
    for group in groups(cx, ParamScope::Joint) {
        joint_section(ui, cx, rows, group);
    }
}

/// What holds for every chain; closed until it is wanted.
pub(super) fn character_sections(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>) {
    ui.add_space(space::XS);
    let several = cx.session().document().systems.len() > 1;
    let note = cx.tr(if several { "component.shared_note" } else { "inspector.character_note" });
    heading_ui(ui, &cx.tr("inspector.character"), &note);
    ui.push_id("character", |ui| {
        for group in groups(cx, ParamScope::System) {
            let title = group_name(cx, group);
            // The section remembers whether it is open under the same id.
            let id = ui.make_persistent_id(("section", &*title));
            ui.data_mut(|d| *d.get_persisted_mut_or(id, false));
            // What is chosen above all sections is not chosen once more.
            let above = cx.session().inspection().preview_param();
            let mut lines = param_lines(cx.session().inspection().system().param_defs(), group, ParamScope::System);
            lines.retain(|entry| !matches!(entry, ParamLine::Single(row) if Some(*row) == above));
            let improved = group == ParamGroup::Improved;
            let fact = if improved { improvements_note(cx) } else { String::new() };
            CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
                if improved {
                    improvements_ui(ui, cx, rows, &lines);
                } else {
                    rows.entries_ui(ui, cx, &lines);
                }
            });
        }
    });
}

/// The groups that have rows of a scope, in the order of the table.
fn groups(cx: &UiContext<'_>, scope: ParamScope) -> Vec<ParamGroup> {
    let mut found = Vec::new();
    for def in cx.session().inspection().system().param_defs().iter().filter(|def| def.scope == scope) {
        if !found.contains(&def.group) {
            found.push(def.group);
        }
    }
    found
}

fn group_name(cx: &UiContext<'_>, group: ParamGroup) -> Cow<'static, str> {
    cx.tr(match group {
        ParamGroup::Spring => "inspector.group.spring",
        ParamGroup::AngleLimits => "inspector.group.angle_limits",
        ParamGroup::Collision => "inspector.group.collision",
        ParamGroup::LengthLimits => "inspector.group.length_limits",
        ParamGroup::World => "inspector.group.world",
        ParamGroup::Time => "inspector.group.time",
        ParamGroup::Switches => "inspector.group.switches",
        ParamGroup::Improved => "inspector.group.improved",
    })
}

/// The sample stands there, and nothing is selected.
pub(super) fn is_untouched_sample(cx: &UiContext<'_>) -> bool {
    cx.input.file.is_sample && cx.session().selection().bones.is_empty()
}

fn joint_section(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>, group: ParamGroup) {
    let title = group_name(cx, group);
    let mut lines = param_lines(cx.session().inspection().system().param_defs(), group, ParamScope::Joint);
    // What the engine does not have is not in the way of those who tune for it.
    lines.retain(|entry| !matches!(entry, ParamLine::Single(row) if cx.session().inspection().param_warning(*row) == Some(ParamWarning::ImprovedModeOnly)));
    let limits: Vec<ParamId> = lines
        .iter()
        .filter_map(|entry| match entry {
            ParamLine::LimitPair { active, .. } => Some(*active),
            ParamLine::Single(_) => None,
        })
        .collect();
    let on = limits.iter().any(|row| cx.session().inspection().any_toggle_on(*row));
    let fact = match group {
        _ if !limits.is_empty() => pivot_note(cx),
        _ => String::new(),
    };
    let switch = (!limits.is_empty()).then_some(on);
    let out = CollapsibleSection { title: &title, note: &fact, switch }.show(ui, |ui| {
        if lines
            .iter()
            .any(|entry| matches!(entry, ParamLine::Single(row) if cx.session().inspection().is_material_param(*row)))
        {
            material_ui(ui, cx);
        }
        rows.entries_ui(ui, cx, &lines);
        if group == ParamGroup::Spring {
            flags_ui(ui, cx);
        }
        if group == ParamGroup::LengthLimits
            && let Some(ParamLine::Single(row)) = lines.first()
        {
            length_limits_ui(ui, cx, rows.subject, *row);
        }
        if on {
            limit_directions_ui(ui, cx);
        }
        if group == ParamGroup::Collision {
            colliders_ui(ui, cx);
        }
    });
    if out.switched {
        cx.command(Command::SetLimitsEnabled(limits, !on));
    }
}

fn pivot_note(cx: &UiContext<'_>) -> String {
    match cx.session().inspection().pivots() {
        PivotSummary::None => cx.tr("inspector.no_pivot").into_owned(),
        PivotSummary::One(name) => cx.tr_with("inspector.one_pivot", &[("name", &name)]),
        PivotSummary::Many(n) => cx.tr_with("inspector.pivots", &[("n", &n.to_string())]),
    }
}

/// Which ways the limits open, as the fan in the viewport shows them.
fn limit_directions_ui(ui: &mut Ui, cx: &UiContext<'_>) {
    let way = |way| {
        cx.tr(match way {
            BodyDirection::Up => "inspector.way.up",
            BodyDirection::Down => "inspector.way.down",
            BodyDirection::Left => "inspector.way.left",
            BodyDirection::Right => "inspector.way.right",
            BodyDirection::Front => "inspector.way.front",
            BodyDirection::Back => "inspector.way.back",
        })
    };
    let ways = cx.session().inspection().limit_directions();
    let sentences: Vec<String> = ways
        .iter()
        .map(|w| {
            let name = limit_label(cx, w.active);
            let values = [("name", &*name), ("minus", &*way(w.negative)), ("plus", &*way(w.positive))];
            cx.tr_with("inspector.ways", &values)
        })
        .collect();
    if !sentences.is_empty() {
        info_note(ui, &sentences.join("\n"), LABEL_LEFT);
    }
}

/// What pushes the tuned joints: a chip for each, and a menu of the others.
fn colliders_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let mut choices = cx.session().inspection().collider_choices();
    let by_groups = cx.session().inspection().supports_groups();
    if by_groups {
        // Groups of the chain do it; what joints have of their own is shown so that it can be taken away.
        choices.retain(|choice| choice.joints > 0);
        if choices.is_empty() {
            return;
        }
        info_note(ui, &cx.tr("groups.own_colliders"), LABEL_LEFT);
    }
    ui.add_space(space::XXS);
    if choices.is_empty() {
        info_note(ui, &cx.tr("inspector.no_colliders"), LABEL_LEFT);
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

fn collider_chip(ui: &mut Ui, cx: &mut UiContext<'_>, choice: &ColliderChoice) {
    let words = if choice.all {
        choice.short_name.clone()
    } else {
        cx.tr_with("inspector.some_joints", &[("name", &choice.short_name), ("n", &choice.joints.to_string())])
    };
    let shown = chip(ui, &words, Some(shape_icon(choice.shape)), false, None).on_hover_text(&choice.name);
    if shown.hovered() {
        cx.state.highlight = Some(Highlight::Collider(choice.id));
    }
    Popup::menu(&shown).show(|ui| {
        if ui.button(cx.tr_with("inspector.take_collider", &[("name", &choice.name)])).clicked() {
            cx.command(Command::AssignColliders(vec![choice.id], false));
        }
    });
}

fn add_chip(ui: &mut Ui, cx: &mut UiContext<'_>, rest: &[&ColliderChoice]) {
    let add = chip(ui, &cx.tr("inspector.add_collider"), Some(icons::PLUS), false, None);
    Popup::menu(&add).show(|ui| {
        egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
            for choice in rest {
                if ui.add(egui::Button::new(TextSize::Body.rich(&choice.short_name))).clicked() {
                    cx.command(Command::AssignColliders(vec![choice.id], true));
                }
            }
        });
    });
}
