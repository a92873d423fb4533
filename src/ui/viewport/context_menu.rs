//! The right click in the viewport: the menu that the outliner has for the same thing.

use super::hands::{Hands, Under};
use crate::doc::parts::PartId;
use crate::rig::BoneId;
use crate::session::{Command, Item, Pick};
use crate::ui::deeds::Deed;
use crate::ui::kit::icons;
use crate::ui::panels::{menus, outliner};
use crate::ui::{Cx, OutlinerTab};
use egui::{Response, Ui};

/// What the menu is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Target {
    /// The empty space: where to look from.
    #[default]
    View,
    Bone(BoneId),
    Part(PartId),
}

/// The menu, while it is open.
#[derive(Debug, Default)]
pub(super) struct ContextMenu {
    target: Target,
}

impl ContextMenu {
    /// Opens on a right click that did not move; a right drag pans the camera.
    pub(super) fn show(&mut self, response: &Response, hands: &Hands, cx: &mut Cx<'_>) {
        if response.secondary_clicked() {
            self.target = target(hands.under, cx);
            select(self.target, cx);
        }
        response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            match self.target {
                Target::View => view_ui(ui, cx),
                Target::Bone(bone) => menus::bone_menu(ui, cx, bone),
                Target::Part(part) => part_ui(ui, cx, part),
            }
        });
    }
}

fn target(under: Under, cx: &Cx<'_>) -> Target {
    let bone = match under {
        Under::Bone(bone) | Under::Tip(bone) | Under::Ring(bone) => Some(bone),
        Under::Fan(end) => Some(end.bone),
        Under::Knob(knob) => Some(knob.bone),
        Under::Item(item) => return Target::Part(item.part()),
        Under::Grip(_) => return cx.session().selection().active_item.map_or(Target::View, |i| Target::Part(i.part())),
        Under::Nothing => None,
    };
    bone.filter(|bone| bone.index() < cx.session().character().skeleton.len()).map_or(Target::View, Target::Bone)
}

/// What is right-clicked becomes selected, unless it is already.
fn select(target: Target, cx: &mut Cx<'_>) {
    let session = cx.session();
    let (document, selection) = (session.document(), session.selection());
    match target {
        Target::Bone(bone) if !selection.shows(document, bone) => {
            cx.command(Command::Select(vec![bone], Pick::Replace));
        }
        Target::Part(part) => {
            if let Some(item) = Item::of(part, document).filter(|item| !selection.items.contains(item)) {
                cx.command(Command::SelectItems(vec![item], Pick::Replace));
            }
        }
        Target::Bone(_) | Target::View => {}
    }
}

fn part_ui(ui: &mut Ui, cx: &mut Cx<'_>, part: PartId) {
    // Undo may have taken it while the menu was open.
    if !Item::of(part, cx.session().document()).is_some_and(|item| item.is_in(cx.session().document())) {
        return ui.close();
    }
    let name = part.name(cx.session().document(), &cx.session().character().skeleton);
    if outliner::part_menu(ui, cx, (part, None), &name) {
        // Its row is the place where it is renamed.
        cx.state.outliner_tab = OutlinerTab::Colliders;
        cx.state.rename_wanted = Some(part);
    }
}

fn view_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    menus::deed_ui(ui, cx, Deed::Frame, Some(icons::CORNERS_OUT));
    menus::deed_ui(ui, cx, Deed::ResetPose, Some(icons::ARROW_COUNTER_CLOCKWISE));
    menus::line(ui);
    menus::deed_ui(ui, cx, Deed::Front, Some(icons::CAMERA));
    menus::deed_ui(ui, cx, Deed::Side, None);
    menus::deed_ui(ui, cx, Deed::Back, None);
    menus::deed_ui(ui, cx, Deed::Top, None);
    menus::line(ui);
    menus::deed_ui(ui, cx, Deed::Detect, Some(icons::SPARKLE));
}
