//! The right click in the viewport: the menu that the outliner has for the same thing.

use super::{menus, outliner};
use crate::session::{Command, Item, Pick};
use crate::tools::parts::PartId;
use crate::ui::deeds::Deed;
use crate::ui::kit::icons;
use crate::ui::viewport::Target;
use crate::ui::{Cx, OutlinerTab};
use egui::{Response, Ui};

/// The menu, while it is open.
#[derive(Debug, Default)]
pub struct ViewportMenu {
    target: Target,
}

impl ViewportMenu {
    /// Opens on a right click that did not move; a right drag pans the camera.
    pub fn show(&mut self, response: &Response, under: Target, cx: &mut Cx<'_>) {
        if response.secondary_clicked() {
            self.target = under;
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
