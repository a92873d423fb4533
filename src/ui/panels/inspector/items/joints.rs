//! Which joints use a part: how many, a way to select them, and assigning it to what is selected.

use super::rows::LABEL_LEFT;
use crate::doc::parts::{self, PartId};
use crate::doc::{ColliderId, Edit, Label};
use crate::doc::{body, groups};
use crate::session::{Command, Pick, Scope};
use crate::sim::Shape;
use crate::ui::Cx;
use crate::ui::icons;
use crate::ui::panels::inspector::group_name;
use crate::ui::setup::Tool;
use crate::ui::tokens::SPACE;
use crate::ui::widgets::button::{primary, secondary};
use crate::ui::widgets::param_row::note;
use crate::ui::widgets::section::Section;
use crate::ui::widgets::toggle::chip;
use egui::{Frame, Margin, Ui, vec2};

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, part: PartId) {
    let users = parts::users(cx.session().document(), part);
    let fact = if users.is_empty() { String::new() } else { cx.theme.count("item.used_by", users.len()) };
    let title = cx.tr("item.joints");
    Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
        let inset = Margin { left: LABEL_LEFT as i8, ..Margin::ZERO };
        Frame::new().inner_margin(inset).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(SPACE[2], SPACE[2]);
            if users.is_empty() {
                note(ui, &cx.tr("item.used_by_none"), 0.0);
            }
            if let (true, PartId::Collider(id)) = (users.is_empty(), part) {
                reach_ui(ui, cx, id);
            }
            if let (true, PartId::Collider(id)) = (cx.session().has_groups(), part) {
                groups_ui(ui, cx, id);
            }
            ui.horizontal_wrapped(|ui| {
                if let PartId::Collider(id) = part {
                    assign_ui(ui, cx, id);
                }
                if !users.is_empty()
                    && secondary(&cx.tr("item.select")).icon(icons::SELECTION_ALL).small().show(ui).clicked()
                {
                    cx.command(Command::SetScope(Scope::Joints));
                    cx.command(Command::Select(users, Pick::Replace));
                }
            });
            let by_hand = matches!(part, PartId::Collider(_)) && !cx.session().has_groups();
            if cx.session().selection().bones.is_empty() && by_hand {
                note(ui, &cx.tr("item.pick_joints"), 0.0);
            }
        });
    });
}

/// Offers colliders that push nothing yet to all chains in reach of them.
fn reach_ui(ui: &mut Ui, cx: &mut Cx<'_>, active: ColliderId) {
    let session = cx.session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let shape = document.colliders.get(&active).map(|collider| collider.shape);
    // Reach is measured to balls and rods alone.
    if !matches!(shape, Some(Shape::Sphere { inside: false, .. } | Shape::Capsule { inside: false, .. })) {
        return;
    }
    let (edit, joints) = body::assign_existing(document, skeleton, &session.selected_colliders());
    if joints == 0 {
        note(ui, &cx.tr("item.none_in_reach"), 0.0);
        return;
    }
    let chains = if let Edit::Batch(chains) = &edit { chains.len() } else { 1 };
    let words = cx.tr_with("item.assign_reach", &[("n", &chains.to_string())]);
    let button = primary(&words).icon(icons::LINK_SIMPLE).width(ui.available_width()).show(ui);
    let tip = cx.tr_with("item.assign_reach_hint", &[("n", &joints.to_string())]);
    if button.on_hover_text(tip).clicked() {
        Tool::AssignColliders.run(cx);
    }
    ui.add_space(SPACE[1]);
}

/// A chip for each group: on where the collider is in it; a click puts it in or takes it out.
fn groups_ui(ui: &mut Ui, cx: &mut Cx<'_>, id: ColliderId) {
    let session = cx.session();
    let document = session.document();
    let chosen = session.selected_colliders();
    ui.horizontal_wrapped(|ui| {
        for (at, (group_id, group)) in document.groups.iter().enumerate() {
            let is_in = group.colliders.contains(&id);
            let name = group_name(cx, &group.name, at + 1);
            let shown = chip(ui, &name, Some(icons::CIRCLES_THREE), is_in, None);
            if !is_in && !groups::fits(document, group, id) {
                shown.on_hover_text(cx.tr("groups.one_bone"));
            } else if shown.clicked() {
                let edit = if is_in {
                    groups::take(document, *group_id, &chosen)
                } else {
                    groups::add(document, *group_id, &chosen)
                };
                let what = if is_in { "take_from_group" } else { "add_to_group" };
                cx.command(Command::Apply(edit, Label::new(what, chosen.len()).name(name)));
            }
        }
    });
}

/// Buttons that assign all selected colliders to the selected joints or chains, or take them away.
fn assign_ui(ui: &mut Ui, cx: &mut Cx<'_>, active: ColliderId) {
    let session = cx.session();
    if session.has_groups() {
        return;
    }
    let reached = session.targets().joint_count(session.document());
    if session.selection().bones.is_empty() || reached == 0 {
        return;
    }
    let pushed = session.collider_choices().iter().find(|c| c.id == active).map_or(0, |c| c.joints);
    let chosen = session.selected_colliders();
    if pushed < reached {
        let words = cx.theme.count("item.assign", reached);
        if secondary(&words).icon(icons::PLUS).small().show(ui).clicked() {
            assign(cx, &chosen, true);
        }
    }
    if pushed > 0 {
        let words = cx.theme.count("item.unassign", pushed);
        if secondary(&words).icon(icons::MINUS).small().show(ui).clicked() {
            assign(cx, &chosen, false);
        }
    }
}

/// All of them in one step.
fn assign(cx: &mut Cx<'_>, colliders: &[ColliderId], on: bool) {
    let (edit, label) = cx.session().assign(colliders, on);
    cx.command(Command::Apply(edit, label));
}
