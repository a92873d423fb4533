//! What can be done to chains: in the menu bar for the selection, in the outliner for the bone under the pointer.

use super::{deed_ui, item, line};
use crate::doc::{ChainId, Part};
use crate::rig::BoneId;
use crate::session::{Command, Scope};
use crate::ui::deeds::Deed;
use crate::ui::kit::icons;
use crate::ui::{Cx, kit::words};
use egui::Ui;

/// The Chain menu.
pub(super) fn menu_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::Detect, Some(icons::SPARKLE));
    line(ui);
    let active = cx.session().selection().active;
    if let Some(bone) = active {
        bone_menu(ui, cx, bone);
    } else {
        let words = cx.tr("chain.select_first");
        item(&words).enabled(false).show(ui);
    }
}

/// What can be done to one bone and the chains of the selection.
pub fn bone_menu(ui: &mut Ui, cx: &mut Cx<'_>, bone: BoneId) {
    let joint = cx.session().document().joint_of(bone);
    let excluded = cx.session().document().excluded.contains(&bone);
    let is_root = joint.is_some_and(|(_, i)| i == 0);
    let words = cx.tr("chain.make");
    item(&words).icon(icons::PLUS).enabled(!is_root && !excluded).menu(ui, |ui| {
        for part in Part::ALL {
            if item(&words::part(cx.theme.lang, part)).show(ui).clicked() {
                cx.command(Command::MakeChains(vec![bone], part));
            }
        }
    });
    let words = cx.tr("chain.end");
    if item(&words).icon(icons::MINUS).enabled(joint.is_some() && !is_root).show(ui).clicked() {
        cx.command(Command::EndChainAt(bone));
    }
    let key = if excluded { "chain.include" } else { "chain.exclude" };
    let words = cx.tr(key);
    let icon = if excluded { icons::EYE } else { icons::EYE_SLASH };
    if item(&words).icon(icon).show(ui).clicked() {
        cx.command(Command::Exclude(bone, !excluded));
    }
    line(ui);
    chains_ui(ui, cx, joint.map(|j| j.0));
    enable_ui(ui, cx, bone);
    line(ui);
    super::context_ui(ui, cx);
}

/// Part and removal of the selected chains.
fn chains_ui(ui: &mut Ui, cx: &mut Cx<'_>, of_bone: Option<ChainId>) {
    let mut chains = cx.session().selection().chains(cx.session().document());
    if let Some(id) = of_bone.filter(|id| !chains.contains(id)) {
        chains = vec![id];
    }
    parts_ui(ui, cx, &chains);
    let words = cx.theme.count("chain.remove", chains.len().max(1));
    if item(&words).icon(icons::TRASH).enabled(!chains.is_empty()).show(ui).clicked() {
        cx.command(Command::RemoveChains(chains));
    }
}

/// "Set part", for these chains.
pub fn parts_ui(ui: &mut Ui, cx: &mut Cx<'_>, chains: &[ChainId]) {
    let document = cx.session().document();
    let mut now: Vec<Part> = chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.part).collect();
    now.sort_unstable();
    now.dedup();
    let words = cx.tr("chain.part");
    item(&words).enabled(!chains.is_empty()).menu(ui, |ui| {
        for part in Part::ALL {
            if !item(&words::part(cx.theme.lang, part)).tick(now == [part]).show(ui).clicked() {
                continue;
            }
            cx.command(Command::SetPart(chains.to_vec(), part));
        }
    });
}

fn enable_ui(ui: &mut Ui, cx: &mut Cx<'_>, bone: BoneId) {
    let document = cx.session().document();
    let selection = cx.session().selection();
    let joints = document.chains.values().flat_map(|c| &c.joints);
    let meant = |b: BoneId| match selection.scope {
        Scope::Joints if selection.bones.contains(&bone) => selection.bones.contains(&b),
        Scope::Joints => b == bone,
        Scope::Chains => selection.shows(document, b),
    };
    let joints: Vec<_> = joints.filter(|j| meant(j.bone)).collect();
    let on = joints.iter().any(|j| j.enabled);
    let bones: Vec<BoneId> = joints.iter().map(|j| j.bone).collect();
    let key = if on || bones.is_empty() { "chain.disable" } else { "chain.enable" };
    let words = cx.theme.count(key, bones.len().max(1));
    if item(&words).enabled(!bones.is_empty()).show(ui).clicked() {
        cx.command(Command::Enable(bones, !on));
    }
}
