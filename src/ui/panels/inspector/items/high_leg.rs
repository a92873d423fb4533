//! The hip and the legs of a node that leans with the raised thigh.

use super::pick::Picker;
use super::rows::LABEL_LEFT;
use crate::doc::parts::{self, node_name};
use crate::doc::{Edit, HelperId, HighLegId, Label, Node};
use crate::session::Command;
use crate::ui::Cx;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::param_row::note;
use crate::ui::kit::section::Section;
use crate::ui::kit::tokens::{SPACE, size};
use egui::{Frame, Margin, Ui, vec2};

/// Room for the button that takes a leg away.
const AWAY: f32 = 28.0;

/// Every high leg that turns this helper; there is hardly more than one.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, helper: HelperId) {
    for id in parts::high_legs_of(cx.session().document(), helper) {
        ui.push_id(id, |ui| one_ui(ui, cx, id));
    }
}

fn one_ui(ui: &mut Ui, cx: &mut Cx<'_>, id: HighLegId) {
    let Some(high_leg) = cx.session().document().high_legs.get(&id).cloned() else { return };
    let title = cx.tr("parts.kind.high_leg");
    let fact = cx.theme.count("item.legs", high_leg.legs.len());
    let character = cx.session().character().clone();
    let nodes = parts::nodes_for_high_leg(cx.session().document(), &character, id);
    let mut wanted: Option<Edit> = None;
    Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
        note(ui, &cx.tr("item.high_leg_note"), 0.0);
        ui.add_space(SPACE[2]);
        let label = cx.tr("item.hip").into_owned();
        if let Some(node) = node_ui(ui, cx, (&label, &cx.tr("item.hip_doc")), high_leg.hip, &nodes) {
            wanted = Some(parts::set_hip(cx.session().document(), id, node));
        }
        for (at, leg) in high_leg.legs.iter().enumerate() {
            if let Some(edit) = ui.push_id(at, |ui| leg_ui(ui, cx, (id, at), *leg, &nodes)).inner {
                wanted = Some(edit);
            }
        }
        ui.add_space(SPACE[2]);
        let inset = Margin { left: LABEL_LEFT as i8, ..Margin::ZERO };
        Frame::new().inner_margin(inset).show(ui, |ui| {
            if secondary(&cx.tr("item.add_leg")).icon(icons::PLUS).small().show(ui).clicked() {
                wanted = Some(parts::add_leg(cx.session().document(), &character, id));
            }
        });
    });
    if let Some(edit) = wanted {
        let name = parts::PartId::HighLeg(id).name(cx.session().document(), &character.skeleton);
        cx.command(Command::Apply(edit, Label::new("high_leg", 1).name(name)));
    }
}

/// Start and end of a leg, and the button that takes it away.
fn leg_ui(ui: &mut Ui, cx: &Cx<'_>, (id, at): (HighLegId, usize), leg: [Node; 2], nodes: &[Node]) -> Option<Edit> {
    let n = (at + 1).to_string();
    let mut wanted = None;
    for (end, key) in ["item.leg_from", "item.leg_to"].into_iter().enumerate() {
        let label = cx.tr_with(key, &[("n", &n)]);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let room = vec2(ui.available_width() - AWAY, size::ROW);
            let doc = cx.tr("item.leg_doc");
            ui.allocate_ui(room, |ui| {
                if let Some(node) = node_ui(ui, cx, (&label, &doc), leg[end], nodes) {
                    wanted = Some(parts::set_leg(cx.session().document(), id, at, end, node));
                }
            });
            let words = cx.tr_with("item.remove_leg", &[("n", &n)]);
            if end == 0 && IconButton::new(icons::MINUS, &words).show(ui).clicked() {
                wanted = Some(parts::remove_leg(cx.session().document(), id, at));
            }
        });
    }
    wanted
}

/// A row that picks a node.
pub(super) fn node_ui(ui: &mut Ui, cx: &Cx<'_>, (label, doc): (&str, &str), now: Node, nodes: &[Node]) -> Option<Node> {
    let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
    let all = || nodes.iter().map(|node| (*node, node_name(document, skeleton, *node).to_owned())).collect();
    let (shown, hint) = (node_name(document, skeleton, now), cx.tr("item.find_bone"));
    let picker = Picker { label, doc, shown, all: &all, hint: &hint, has_effect: true };
    picker.show(ui, cx)
}
