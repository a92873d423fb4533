//! What belongs to chains as wholes: the groups of colliders that push them, and what their speed is measured from.

use super::items::Picker;
use super::rows::{LABEL_LEFT, apply};
use crate::doc::Node;
use crate::doc::groups;
use crate::doc::parts::node_name;
use crate::doc::{Edit, Label};
use crate::rig::BoneId;
use crate::session::{Center, Command, GroupChoice, Session};
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::param_row::note;
use crate::ui::kit::section::Section;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::chip;
use egui::{Frame, Margin, Ui, vec2};

/// The section, where the solver knows such things.
pub(super) fn chain_section(ui: &mut Ui, cx: &mut Cx<'_>) {
    if !cx.session().has_groups() || cx.session().target_chains().is_empty() {
        return;
    }
    let title = cx.tr("solver.chain");
    Section { title: &title, fact: "", switch: None }.show(ui, |ui| {
        if !cx.session().targets().joints.is_empty() {
            note(ui, &cx.tr("solver.whole_chain"), LABEL_LEFT);
        }
        groups_ui(ui, cx);
        center_ui(ui, cx);
    });
}

/// A group's own name, or its number.
pub(in crate::ui) fn group_name(cx: &Cx<'_>, name: &str, number: usize) -> String {
    if name.trim().is_empty() { cx.tr_with("groups.unnamed", &[("n", &number.to_string())]) } else { name.to_owned() }
}

/// A chip for each group: on where all tuned chains name it; a click puts it on or off.
fn groups_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let choices = cx.session().group_choices();
    let inset = Margin { left: LABEL_LEFT as i8, bottom: 4, ..Margin::ZERO };
    Frame::new().inner_margin(inset).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
        ui.label(Text::Body.rich(cx.tr("groups.title")).color(cx.theme.color.text)).on_hover_text(cx.tr("groups.hint"));
        ui.horizontal_wrapped(|ui| {
            for choice in &choices {
                group_chip(ui, cx, choice);
            }
            let add = chip(ui, &cx.tr("groups.new"), Some(icons::PLUS), false, None);
            if add.on_hover_text(cx.tr("groups.new_hint")).clicked() {
                new_group(cx);
            }
        });
    });
}

fn group_chip(ui: &mut Ui, cx: &mut Cx<'_>, choice: &GroupChoice) {
    let name = group_name(cx, &choice.name, choice.number);
    let some = choice.chains > 0 && !choice.all;
    let shown = if some {
        cx.tr_with("groups.some_chains", &[("name", &name), ("n", &choice.chains.to_string())])
    } else {
        name.clone()
    };
    let tint = some.then_some(cx.theme.color.accent);
    let n = choice.colliders.to_string();
    let about = cx.tr_with("groups.chip_hint", &[("name", &name), ("n", &n)]);
    // In a scope of its own it would not go to the next line.
    if chip(ui, &shown, None, choice.all, tint).on_hover_text(about).clicked() {
        apply(cx, |session| session.assign_group(choice.id, !choice.all, &name));
    }
}

/// A new group of the selected colliders, named by the tuned chains.
fn new_group(cx: &mut Cx<'_>) {
    let session = cx.session();
    let name = cx.tr_with("groups.unnamed", &[("n", &(session.document().groups.len() + 1).to_string())]);
    let (made, id) = groups::make(session.document(), &name, &session.selected_colliders());
    let mut after = session.document().clone();
    if after.apply(made.clone()).is_ok() {
        let named = groups::assign(&after, &session.target_chains(), id, true);
        cx.command(Command::Apply(Edit::Batch(vec![made, named]), Label::new("new_group", 1).name(name)));
    }
}

/// What a line of the list of centers stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    World,
    Bone(BoneId),
}

fn center_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(center) = cx.session().center() else { return };
    let lines = || {
        let session = cx.session();
        let mut lines = vec![(Line::World, cx.tr("center.world").into_owned())];
        if let Some(bone) = session.active_center() {
            lines.push((Line::Bone(bone), cx.tr_with("center.selected", &[("name", session.bone_name(bone))])));
        }
        let above = session.center_choices().into_iter();
        lines.extend(above.map(|bone| (Line::Bone(bone), session.bone_name(bone).to_owned())));
        lines
    };
    let shown = shown(cx, cx.session(), center);
    let (label, doc, hint) = (cx.tr("center.label"), cx.tr("center.hint"), cx.tr("item.find_bone"));
    let picker = Picker { label: &label, doc: &doc, shown: &shown, all: &lines, hint: &hint, has_effect: true };
    let Some(line) = picker.show(ui, cx) else { return };
    let bone = match line {
        Line::World => None,
        Line::Bone(bone) => Some(bone),
    };
    if center != Center::Same(bone.map(Node::Bone)) {
        apply(cx, |session| session.set_center(bone));
    }
}

fn shown(cx: &Cx<'_>, session: &Session, center: Center) -> String {
    match center {
        Center::Same(None) => cx.tr("center.world").into_owned(),
        Center::Same(Some(node)) => node_name(session.document(), &session.character().skeleton, node).to_owned(),
        Center::Mixed => cx.tr("bar.mixed").into_owned(),
    }
}
