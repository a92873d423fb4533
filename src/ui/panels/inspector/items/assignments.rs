//! The joints that use a collider: count, selection and assignment.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{size, space};
use crate::ui::panels::inspector::label_line::{ChoicePicker, indented};
use crate::ui::panels::labels::group_name;
use crate::ui::setup_tools::SetupAction;
use egui::{Ui, vec2};
use std::borrow::Cow;
use yuremono_model::document::{ColliderId, Edit, EditLabel, HelperId, HighLegId, Node, groups};
use yuremono_model::tools::body;
use yuremono_model::tools::{elements, elements::ElementId, elements::node_name};
use yuremono_session::{Command, SelectMode, TuningScope};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let users = elements::affected_joints(cx.document(), part);
    let fact = match users.len() {
        0 => Cow::default(),
        n => tr!(cx, "{n:joint|joints}", n),
    };
    let title = tr!(cx, "Joints");
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        indented(ui, space::S, |ui| {
            if users.is_empty() {
                info_note(ui, &tr!(cx, "No joint uses this yet."), 0.0);
            }
            if let (true, ElementId::Collider(id)) = (users.is_empty(), part) {
                colliders_in_reach_ui(ui, cx, id);
            }
            if let (true, ElementId::Collider(id)) = (cx.inspection().supports_groups(), part) {
                groups_ui(ui, cx, id);
            }
            ui.horizontal_wrapped(|ui| {
                if let ElementId::Collider(id) = part {
                    assign_ui(ui, cx, id);
                }
                if !users.is_empty()
                    && secondary(&tr!(cx, "Select joints")).icon(icons::SELECTION_ALL).small().show(ui).clicked()
                {
                    cx.command(Command::SetTuningScope(TuningScope::Joints));
                    cx.command(Command::Select(users, SelectMode::Replace));
                }
            });
            let by_hand = matches!(part, ElementId::Collider(_)) && !cx.inspection().supports_groups();
            if cx.selection().bones.is_empty() && by_hand {
                info_note(ui, &tr!(cx, "Select joints first, then this: both stay selected and can be assigned."), 0.0);
            }
        });
    });
}

/// Offers to assign the selected colliders to all joints that can touch them, if the active collider is unused.
fn colliders_in_reach_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: ColliderId) {
    let session = cx.session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let shape = document.colliders.get(&active).map(|collider| collider.shape);
    // Distances are defined only for spheres and capsules.
    if !matches!(
        shape,
        Some(ColliderShape::Sphere { inside: false, .. } | ColliderShape::Capsule { inside: false, .. })
    ) {
        return;
    }
    let (edit, joints) = body::assign_existing(document, skeleton, &session.inspection().selected_colliders());
    if joints == 0 {
        let text =
            tr!(cx, "No chain can touch this collider. Move or enlarge it, or select joints and assign it to them.");
        info_note(ui, &text, 0.0);
        return;
    }
    let chains = if let Edit::Batch(chains) = &edit { chains.len() } else { 1 };
    let text = tr!(cx, "Assign to {n:nearby chain|nearby chains}", n = chains);
    let button = primary(&text).icon(icons::LINK_SIMPLE).width(ui.available_width()).show(ui);
    let tip = tr!(
        cx,
        "Chains that can touch the collider. {n:joint collides|joints collide} with it then. One undo step.",
        n = joints
    );
    if button.on_hover_text(tip).clicked() {
        SetupAction::AssignColliders.run(cx);
    }
    ui.add_space(space::XS);
}

/// Draws a chip per group. A chip is on if the collider is in the group. A click toggles the membership.
fn groups_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: ColliderId) {
    let session = cx.session();
    let document = session.document();
    let chosen = session.inspection().selected_colliders();
    ui.horizontal_wrapped(|ui| {
        for (at, (group_id, group)) in document.groups.iter().enumerate() {
            let is_in = group.colliders.contains(&id);
            let name = group_name(cx, &group.name, at + 1);
            let shown = chip(ui, &name, Some(icons::CIRCLES_THREE), is_in, None);
            if !is_in && !groups::can_add(document, group, id) {
                shown.on_hover_text(tr!(cx, "In VRM 0.x, all colliders of a group must be on one bone."));
            } else if shown.clicked() {
                let edit = if is_in {
                    groups::remove_colliders(document, *group_id, &chosen)
                } else {
                    groups::add_colliders(document, *group_id, &chosen)
                };
                let n = chosen.len();
                let text = if is_in {
                    message!("Remove {n:collider|colliders} from {name}", n, name)
                } else {
                    message!("Add {n:collider|colliders} to {name}", n, name)
                };
                cx.apply_edit(edit, EditLabel::new(text));
            }
        }
    });
}

/// Draws buttons that assign all selected colliders to the selected joints or chains, or that unassign the colliders.
fn assign_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: ColliderId) {
    let session = cx.session();
    if session.inspection().supports_groups() {
        return;
    }
    let reached = session.inspection().targets().joint_count(session.document());
    if session.selection().bones.is_empty() || reached == 0 {
        return;
    }
    let users = session.inspection().collider_choices().iter().find(|c| c.id == active).map_or(0, |c| c.joints);
    let chosen = session.inspection().selected_colliders();
    for (shown, text, icon, on) in [
        (users < reached, message!("Assign to {n:joint|joints}", n = reached), icons::PLUS, true),
        (users > 0, message!("Unassign from {n:joint|joints}", n = users), icons::MINUS, false),
    ] {
        if shown && secondary(&cx.tr(text)).icon(icon).small().show(ui).clicked() {
            assign(cx, &chosen, on);
        }
    }
}

/// Sends one command, so all changes form one undo step.
fn assign(cx: &mut UiContext<'_>, colliders: &[ColliderId], on: bool) {
    cx.command(Command::AssignColliders(colliders.to_vec(), on));
}

const REMOVE_BUTTON_WIDTH: f32 = 28.0;

/// Draws the leg followers of a helper. A helper rarely has more than one leg follower.
pub(super) fn show_high_leg(ui: &mut Ui, cx: &mut UiContext<'_>, helper: HelperId) {
    for id in elements::high_legs_on_helper(cx.document(), helper) {
        ui.push_id(id, |ui| high_leg_ui(ui, cx, id));
    }
}

fn high_leg_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: HighLegId) {
    let Some(high_leg) = cx.document().high_legs.get(&id).cloned() else { return };
    let title = tr!(cx, "Leg follower (HighLeg)");
    let fact = tr!(cx, "{n:leg|legs}", n = high_leg.legs.len());
    let character = cx.character().clone();
    let nodes = elements::high_leg_node_candidates(cx.document(), &character, id);
    let mut edit: Option<Edit> = None;
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        let text = tr!(
            cx,
            "Turns with the leg that is raised highest in front of the hip. Points down while no leg is raised."
        );
        info_note(ui, &text, 0.0);
        ui.add_space(space::S);
        let (label, doc) = (tr!(cx, "Hip"), tr!(cx, "Defines forward (+Z) and up (+Y)"));
        if let Some(node) = node_ui(ui, cx, &label, &doc, high_leg.hip, &nodes) {
            edit = Some(elements::set_hip(cx.document(), id, node));
        }
        for (at, leg) in high_leg.legs.iter().enumerate() {
            if let Some(leg_edit) = ui.push_id(at, |ui| leg_ui(ui, cx, id, at, *leg, &nodes)).inner {
                edit = Some(leg_edit);
            }
        }
        ui.add_space(space::S);
        indented(ui, space::S, |ui| {
            if secondary(&tr!(cx, "Add leg")).icon(icons::PLUS).small().show(ui).clicked() {
                edit = Some(elements::add_leg(cx.document(), &character, id));
            }
        });
    });
    if let Some(edit) = edit {
        let name = ElementId::HighLeg(id).name(cx.document(), &character.skeleton);
        cx.apply_edit(edit, EditLabel::new(message!("Legs of {name}", name)));
    }
}

fn leg_ui(ui: &mut Ui, cx: &UiContext<'_>, id: HighLegId, at: usize, leg: [Node; 2], nodes: &[Node]) -> Option<Edit> {
    let n = at + 1;
    let mut edit = None;
    for (end, label) in [tr!(cx, "Leg {n} start", n), tr!(cx, "Leg {n} end", n)].into_iter().enumerate() {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let node_size = vec2(ui.available_width() - REMOVE_BUTTON_WIDTH, size::ROW);
            let doc = tr!(cx, "A leg points from its start, the thigh, to its end, the shin.");
            ui.allocate_ui(node_size, |ui| {
                if let Some(node) = node_ui(ui, cx, &label, &doc, leg[end], nodes) {
                    edit = Some(elements::set_leg(cx.document(), id, at, end, node));
                }
            });
            let name = tr!(cx, "Remove leg {n}", n);
            if end == 0 && IconButton::new(icons::MINUS, &name).show(ui).clicked() {
                edit = Some(elements::remove_leg(cx.document(), id, at));
            }
        });
    }
    edit
}

pub(super) fn node_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    label: &str,
    doc: &str,
    now: Node,
    nodes: &[Node],
) -> Option<Node> {
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let all = || nodes.iter().map(|node| (*node, node_name(document, skeleton, *node).to_owned())).collect();
    let shown = node_name(document, skeleton, now);
    ChoicePicker { searchable: true, ..ChoicePicker::new(label, doc, shown, &all) }.show(ui, cx)
}
