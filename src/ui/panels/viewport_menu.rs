//! The right click in the viewport: the menu that the outliner has for the same thing.

use super::{menus, outliner};
use crate::session::{Command, SceneObject, SelectMode};
use crate::tools::elements::ElementId;
use crate::ui::actions::Action;
use crate::ui::kit::icons;
use crate::ui::viewport::ContextMenuTarget;
use crate::ui::{OutlinerTab, UiContext};
use egui::{Response, Ui};

/// The menu, while it is open.
#[derive(Debug, Default)]
pub struct ViewportMenu {
    target: ContextMenuTarget,
}

impl ViewportMenu {
    /// Opens on a right click that did not move; a right drag pans the camera.
    pub fn show(&mut self, response: &Response, under: ContextMenuTarget, cx: &mut UiContext<'_>) {
        if response.secondary_clicked() {
            self.target = under;
            select(self.target, cx);
        }
        response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            match self.target {
                ContextMenuTarget::Empty => view_menu_ui(ui, cx),
                ContextMenuTarget::Bone(bone) => menus::bone_menu(ui, cx, bone),
                ContextMenuTarget::Part(part) => part_menu_ui(ui, cx, part),
            }
        });
    }
}

/// What is right-clicked becomes selected, unless it is already.
fn select(target: ContextMenuTarget, cx: &mut UiContext<'_>) {
    let session = cx.session();
    let (document, selection) = (session.document(), session.selection());
    match target {
        ContextMenuTarget::Bone(bone) if !selection.is_highlighted(document, bone) => {
            cx.command(Command::Select(vec![bone], SelectMode::Replace));
        }
        ContextMenuTarget::Part(part) => {
            if let Some(item) = SceneObject::from_part(part, document).filter(|item| !selection.objects.contains(item))
            {
                cx.command(Command::SelectObjects(vec![item], SelectMode::Replace));
            }
        }
        ContextMenuTarget::Bone(_) | ContextMenuTarget::Empty => {}
    }
}

fn part_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    // Undo may have taken it while the menu was open.
    if !SceneObject::from_part(part, cx.session().document()).is_some_and(|item| item.is_in(cx.session().document())) {
        return ui.close();
    }
    let name = part.name(cx.session().document(), &cx.session().character().skeleton);
    if outliner::part_menu(ui, cx, (part, None), &name) {
        // Its row is the place where it is renamed.
        cx.state.outliner_tab = OutlinerTab::Colliders;
        cx.state.rename_wanted = Some(part);
    }
}

fn view_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    menus::action_ui(ui, cx, Action::FrameSelection, Some(icons::CORNERS_OUT));
    menus::action_ui(ui, cx, Action::ResetPose, Some(icons::ARROW_COUNTER_CLOCKWISE));
    menus::menu_separator(ui);
    menus::action_ui(ui, cx, Action::ViewFront, Some(icons::CAMERA));
    menus::action_ui(ui, cx, Action::ViewLeft, None);
    menus::action_ui(ui, cx, Action::ViewBack, None);
    menus::action_ui(ui, cx, Action::ViewTop, None);
    menus::menu_separator(ui);
    menus::action_ui(ui, cx, Action::DetectChains, Some(icons::SPARKLE));
}
