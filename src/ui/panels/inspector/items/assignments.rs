//! Which joints use a part: how many, a way to select them, and assigning it to what is selected.

use crate::document::{ColliderId, Edit, EditLabel, HelperId, HighLegId, Node, groups};
use crate::session::{Command, SelectMode, TuningScope};
use crate::sim::ColliderShape;
use crate::tools::body;
use crate::tools::{elements, elements::ElementId, elements::node_name};
use crate::ui::UiContext;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::section::CollapsibleSection;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{size, space};
use crate::ui::panels::inspector::label_line::{ChoicePicker, LABEL_LEFT};
use crate::ui::panels::labels::group_name;
use crate::ui::setup_tools::SetupTool;
use egui::{Frame, Margin, Ui, vec2};

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    let users = elements::affected_joints(cx.session().document(), part);
    let fact = if users.is_empty() { String::new() } else { cx.theme.count("item.used_by", users.len()) };
    let title = cx.tr("item.joints");
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        let inset = Margin { left: LABEL_LEFT as i8, ..Margin::ZERO };
        Frame::new().inner_margin(inset).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(space::S, space::S);
            if users.is_empty() {
                info_note(ui, &cx.tr("item.used_by_none"), 0.0);
            }
            if let (true, ElementId::Collider(id)) = (users.is_empty(), part) {
                colliders_in_reach_ui(ui, cx, id);
            }
            if let (true, ElementId::Collider(id)) = (cx.session().inspection().supports_groups(), part) {
                groups_ui(ui, cx, id);
            }
            ui.horizontal_wrapped(|ui| {
                if let ElementId::Collider(id) = part {
                    assign_ui(ui, cx, id);
                }
                if !users.is_empty()
                    && secondary(&cx.tr("item.select")).icon(icons::SELECTION_ALL).small().show(ui).clicked()
                {
                    cx.command(Command::SetTuningScope(TuningScope::Joints));
                    cx.command(Command::Select(users, SelectMode::Replace));
                }
            });
            let by_hand = matches!(part, ElementId::Collider(_)) && !cx.session().inspection().supports_groups();
            if cx.session().selection().bones.is_empty() && by_hand {
                info_note(ui, &cx.tr("item.pick_joints"), 0.0);
            }
        });
    });
}

/// Offers colliders that push nothing yet to all chains in reach of them.
fn colliders_in_reach_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: ColliderId) {
    let session = cx.session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let shape = document.colliders.get(&active).map(|collider| collider.shape);
    // Reach is measured to balls and rods alone.
    if !matches!(
        shape,
        Some(ColliderShape::Sphere { inside: false, .. } | ColliderShape::Capsule { inside: false, .. })
    ) {
        return;
    }
    let (edit, joints) = body::assign_existing(document, skeleton, &session.inspection().selected_colliders());
    if joints == 0 {
        info_note(ui, &cx.tr("item.none_in_reach"), 0.0);
        return;
    }
    let chains = if let Edit::Batch(chains) = &edit { chains.len() } else { 1 };
    let words = cx.tr_with("item.assign_reach", &[("n", &chains.to_string())]);
    let button = primary(&words).icon(icons::LINK_SIMPLE).width(ui.available_width()).show(ui);
    let tip = cx.tr_with("item.assign_reach_hint", &[("n", &joints.to_string())]);
    if button.on_hover_text(tip).clicked() {
        SetupTool::AssignColliders.run(cx);
    }
    ui.add_space(space::XS);
}

/// A chip for each group: on where the collider is in it; a click puts it in or takes it out.
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
                shown.on_hover_text(cx.tr("groups.one_bone"));
            } else if shown.clicked() {
                let edit = if is_in {
                    groups::remove_colliders(document, *group_id, &chosen)
                } else {
                    groups::add_colliders(document, *group_id, &chosen)
                };
                let what = if is_in { "take_from_group" } else { "add_to_group" };
                cx.command(Command::ApplyEdit(edit, EditLabel::new(what, chosen.len()).name(name)));
            }
        }
    });
}

/// Buttons that assign all selected colliders to the selected joints or chains, or take them away.
fn assign_ui(ui: &mut Ui, cx: &mut UiContext<'_>, active: ColliderId) {
    let session = cx.session();
    if session.inspection().supports_groups() {
        return;
    }
    let reached = session.inspection().targets().joint_count(session.document());
    if session.selection().bones.is_empty() || reached == 0 {
        return;
    }
    let pushed = session.inspection().collider_choices().iter().find(|c| c.id == active).map_or(0, |c| c.joints);
    let chosen = session.inspection().selected_colliders();
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
fn assign(cx: &mut UiContext<'_>, colliders: &[ColliderId], on: bool) {
    cx.command(Command::AssignColliders(colliders.to_vec(), on));
}

/// Room for the button that takes a leg away.
const REMOVE_BUTTON_WIDTH: f32 = 28.0;

/// Every high leg that turns this helper; there is hardly more than one.
pub(super) fn show_high_leg(ui: &mut Ui, cx: &mut UiContext<'_>, helper: HelperId) {
    for id in elements::high_legs_on_helper(cx.session().document(), helper) {
        ui.push_id(id, |ui| high_leg_ui(ui, cx, id));
    }
}

fn high_leg_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: HighLegId) {
    let Some(high_leg) = cx.session().document().high_legs.get(&id).cloned() else { return };
    let title = cx.tr("parts.kind.high_leg");
    let fact = cx.theme.count("item.legs", high_leg.legs.len());
    let character = cx.session().character().clone();
    let nodes = elements::high_leg_node_candidates(cx.session().document(), &character, id);
    let mut wanted: Option<Edit> = None;
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        info_note(ui, &cx.tr("item.high_leg_note"), 0.0);
        ui.add_space(space::S);
        let label = cx.tr("item.hip").into_owned();
        if let Some(node) = node_ui(ui, cx, (&label, &cx.tr("item.hip_doc")), high_leg.hip, &nodes) {
            wanted = Some(elements::set_hip(cx.session().document(), id, node));
        }
        for (at, leg) in high_leg.legs.iter().enumerate() {
            if let Some(edit) = ui.push_id(at, |ui| leg_ui(ui, cx, (id, at), *leg, &nodes)).inner {
                wanted = Some(edit);
            }
        }
        ui.add_space(space::S);
        let inset = Margin { left: LABEL_LEFT as i8, ..Margin::ZERO };
        Frame::new().inner_margin(inset).show(ui, |ui| {
            if secondary(&cx.tr("item.add_leg")).icon(icons::PLUS).small().show(ui).clicked() {
                wanted = Some(elements::add_leg(cx.session().document(), &character, id));
            }
        });
    });
    if let Some(edit) = wanted {
        let name = ElementId::HighLeg(id).name(cx.session().document(), &character.skeleton);
        cx.command(Command::ApplyEdit(edit, EditLabel::new("high_leg", 1).name(name)));
    }
}

/// Start and end of a leg, and the button that takes it away.
fn leg_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (id, at): (HighLegId, usize),
    leg: [Node; 2],
    nodes: &[Node],
) -> Option<Edit> {
    let n = (at + 1).to_string();
    let mut wanted = None;
    for (end, key) in ["item.leg_from", "item.leg_to"].into_iter().enumerate() {
        let label = cx.tr_with(key, &[("n", &n)]);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let room = vec2(ui.available_width() - REMOVE_BUTTON_WIDTH, size::ROW);
            let doc = cx.tr("item.leg_doc");
            ui.allocate_ui(room, |ui| {
                if let Some(node) = node_ui(ui, cx, (&label, &doc), leg[end], nodes) {
                    wanted = Some(elements::set_leg(cx.session().document(), id, at, end, node));
                }
            });
            let words = cx.tr_with("item.remove_leg", &[("n", &n)]);
            if end == 0 && IconButton::new(icons::MINUS, &words).show(ui).clicked() {
                wanted = Some(elements::remove_leg(cx.session().document(), id, at));
            }
        });
    }
    wanted
}

/// A row that picks a node.
pub(super) fn node_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (label, doc): (&str, &str),
    now: Node,
    nodes: &[Node],
) -> Option<Node> {
    let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
    let all = || nodes.iter().map(|node| (*node, node_name(document, skeleton, *node).to_owned())).collect();
    let (shown, hint) = (node_name(document, skeleton, now), cx.tr("item.find_bone"));
    let picker = ChoicePicker { label, tooltip: doc, chosen_text: shown, choices: &all, hint: &hint, has_effect: true };
    picker.show(ui, cx)
}
