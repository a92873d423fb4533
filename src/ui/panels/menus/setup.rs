//! The Setup menu, and those of its tools that belong to the bone or chain under the pointer.

use super::{deed_ui, item, line};
use crate::ui::Cx;
use crate::ui::deeds::Deed;
use crate::ui::setup::Tool;
use egui::Ui;

/// The Setup menu.
pub(super) fn menu_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    tools_ui(ui, cx, &[Tool::Mirror, Tool::BodyColliders]);
    line(ui);
    let words = cx.tr("setup.skirt");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, SKIRT));
    let words = cx.tr("setup.colliders");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, COLLIDERS));
    line(ui);
    copy_ui(ui, cx);
    line(ui);
    tools_ui(ui, cx, &[Tool::SelectByName, Tool::SetParent]);
    line(ui);
    deed_ui(ui, cx, Deed::TakeRest, None);
    line(ui);
    tools_ui(ui, cx, &[Tool::CleanUp, Tool::EngineSettings, Tool::DeleteSprings]);
}

const SKIRT: &[Tool] = &[Tool::LinkColumns, Tool::LinkLeg, Tool::LeadByLegs, Tool::LeadByHighLeg];
const COLLIDERS: &[Tool] =
    &[Tool::AssignColliders, Tool::UnassignColliders, Tool::AlignCapsules, Tool::DeleteColliders];

/// Copy, paste and paste special.
fn copy_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    deed_ui(ui, cx, Deed::CopyValues, Tool::Copy.icon());
    deed_ui(ui, cx, Deed::PasteValues, Tool::Paste.icon());
    tools_ui(ui, cx, &[Tool::PasteSpecial]);
}

/// What a context menu of bones and chains offers of it.
pub fn context_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    copy_ui(ui, cx);
    tools_ui(ui, cx, &[Tool::Mirror]);
    let words = cx.tr("setup.skirt");
    item(&words).menu(ui, |ui| tools_ui(ui, cx, SKIRT));
    tools_ui(ui, cx, &[Tool::UnassignColliders, Tool::DeleteColliders, Tool::DeleteSprings]);
}

fn tools_ui(ui: &mut Ui, cx: &mut Cx<'_>, tools: &[Tool]) {
    for tool in tools {
        let words = tool.words(cx);
        let mut entry = item(&words).enabled(tool.is_possible(cx));
        if let Some(icon) = tool.icon() {
            entry = entry.icon(icon);
        }
        let tip = tool.why_not(cx).unwrap_or_else(|| cx.tr(&format!("setup.{}.tip", tool.key())).into_owned());
        let response = entry.show(ui).on_hover_text(tip);
        if response.clicked() {
            tool.run(cx);
            ui.close();
        }
    }
}
