//! Collider groups in the collider list: rows, menus and membership.

use super::RenameEdit;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{TreeRow, TreeRowIcon};
use crate::ui::panels::labels::group_name;
use crate::ui::panels::menus::{menu_item, menu_separator};
use egui::Ui;
use std::collections::BTreeSet;
use yuremono_model::document::groups;
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::{ColliderId, EditLabel, GroupId};
use yuremono_model::tools::elements::ElementId;
use yuremono_session::{Command, SceneObject, SelectMode};
use yuremono_sim::diagnostics::{MessageText, message};

#[derive(Debug, Default)]
pub(super) struct GroupRows {
    /// The group whose name is being edited.
    pub(super) naming: Option<RenameEdit<GroupId>>,
    /// Collapsed groups.
    pub(super) closed: BTreeSet<GroupId>,
}

pub(super) enum ColliderListRow {
    Heading(MessageText, usize),
    Group(GroupId),
    /// A list element, with its group if it has one.
    Element(ElementId, Option<GroupId>),
}

/// Returns the name of the group, or its number if the group has no name.
pub(super) fn group_display_name(cx: &UiContext<'_>, id: GroupId) -> String {
    let groups = &cx.document().groups;
    let number = groups.keys().position(|g| *g == id).map_or(0, |at| at + 1);
    group_name(cx, groups.get(&id).map_or("", |g| g.name.as_str()), number)
}

/// Returns the groups with their colliders. A search keeps groups whose name or colliders match.
pub(super) fn group_rows(
    cx: &UiContext<'_>,
    pattern: &NamePattern,
    closed: &BTreeSet<GroupId>,
    found: &impl Fn(&ElementId) -> bool,
    rows: &mut Vec<ColliderListRow>,
) {
    let groups = &cx.document().groups;
    let head = rows.len();
    let mut count = 0;
    for (id, group) in groups {
        let named = pattern.is_empty() || pattern.matches(&group_display_name(cx, *id));
        let parts = || group.colliders.iter().map(|c| ElementId::Collider(*c)).filter(|part| named || found(part));
        if !named && parts().next().is_none() {
            continue;
        }
        count += 1;
        rows.push(ColliderListRow::Group(*id));
        if !closed.contains(id) || !pattern.is_empty() {
            rows.extend(parts().map(|part| ColliderListRow::Element(part, Some(*id))));
        }
    }
    if count > 0 {
        rows.insert(head, ColliderListRow::Heading(message!("Collider groups"), count));
    }
}

impl GroupRows {
    /// Draws a group row. A click selects the colliders of the group.
    pub(super) fn row_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, id: GroupId) {
        if self.naming.as_ref().is_some_and(|naming| naming.id == id) {
            return self.name_ui(ui, cx);
        }
        let Some(group) = cx.document().groups.get(&id) else { return };
        let name = group_display_name(cx, id);
        let note = group.colliders.len().to_string();
        let open = (!group.colliders.is_empty()).then(|| !self.closed.contains(&id));
        let row = TreeRow { open, note: &note, ..TreeRow::new(&name, 0, TreeRowIcon::Icon(icons::CIRCLES_THREE)) };
        let output = row.show(ui, id);
        if output.toggled && !self.closed.remove(&id) {
            self.closed.insert(id);
        }
        let response = output.response;
        if response.double_clicked() {
            self.naming = Some(RenameEdit::new(id, &name));
        } else if response.clicked() && !output.toggled {
            let items = group.colliders.iter().map(|c| SceneObject::Collider(*c)).collect();
            cx.command(Command::SelectObjects(items, SelectMode::Replace));
        }
        response.context_menu(|ui| self.menu_ui(ui, cx, id, &name));
        let chains = cx.document().chains.values().filter(|c| c.groups.contains(&id)).count();
        response.on_hover_text(tr!(cx, "{n:collider|colliders}, assigned to {chains:chain|chains}", n = &note, chains));
    }

    fn menu_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, id: GroupId, name: &str) {
        ui.spacing_mut().item_spacing.y = 0.0;
        if menu_item(&tr!(cx, "Rename")).icon(icons::PENCIL_SIMPLE).show(ui).clicked() {
            self.naming = Some(RenameEdit::new(id, name));
        }
        let document = cx.document();
        let group = &document.groups[&id];
        let selected = cx.inspection().selected_colliders();
        let (inside, outside): (Vec<ColliderId>, Vec<ColliderId>) =
            selected.into_iter().partition(|c| group.colliders.contains(c));
        let fitting: Vec<ColliderId> =
            outside.iter().copied().filter(|c| groups::can_add(document, group, *c)).collect();
        let add = menu_item(&tr!(cx, "Add selected colliders")).icon(icons::PLUS).enabled(!fitting.is_empty()).show(ui);
        let refused = fitting.len() < outside.len();
        let add = if refused {
            add.on_hover_text(tr!(cx, "In VRM 0.x, all colliders of a group must be on one bone."))
        } else {
            add
        };
        if add.clicked() {
            add_to(cx, id, &fitting);
        }
        if menu_item(&tr!(cx, "Remove selected colliders"))
            .icon(icons::MINUS)
            .enabled(!inside.is_empty())
            .show(ui)
            .clicked()
        {
            remove_from(cx, id, &inside);
        }
        menu_separator(ui);
        if menu_item(&tr!(cx, "Delete group")).icon(icons::TRASH).show(ui).clicked() {
            let edit = groups::remove(cx.document(), id);
            cx.apply_edit(edit, EditLabel::new(message!("Delete group {name}", name)));
        }
    }

    fn name_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let renamed = RenameEdit::show(&mut self.naming, ui, cx);
        let edit = |(id, name): (GroupId, String)| Some((groups::rename(cx.document(), id, &name)?, name));
        if let Some((edit, name)) = renamed.and_then(edit) {
            cx.apply_edit(edit, EditLabel::new(message!("Rename to {name}", name)));
        }
    }

    /// Creates a group from the selected colliders, and starts renaming the group.
    pub(super) fn new_group_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let selected = cx.inspection().selected_colliders();
        let label = match selected.as_slice() {
            [] => tr!(cx, "Collider group"),
            _ => tr!(cx, "New group of selected colliders"),
        };
        if menu_item(&label).icon(icons::CIRCLES_THREE).show(ui).clicked() {
            let document = cx.document();
            let name = tr!(cx, "Group {n}", n = document.groups.len() + 1);
            let (edit, id) = groups::create(document, &name, &selected);
            cx.apply_edit(edit, EditLabel::new(message!("Create group {name}", name = &name)));
            self.naming = Some(RenameEdit::new(id, &name));
            ui.close();
        }
    }
}

/// Draws the menu items that remove colliders from a group or add them to another group.
pub(super) fn membership_ui(ui: &mut Ui, cx: &mut UiContext<'_>, chosen: &[ColliderId], within: Option<GroupId>) {
    if let Some(id) = within {
        let label = tr!(cx, "Remove from {name}{:group}", name = &group_display_name(cx, id));
        if menu_item(&label).icon(icons::MINUS).show(ui).clicked() {
            remove_from(cx, id, chosen);
        }
    }
    let document = cx.document();
    let lacks = |id: &GroupId| chosen.iter().any(|c| !document.groups[id].colliders.contains(c));
    let others: Vec<GroupId> = document.groups.keys().copied().filter(lacks).collect();
    menu_item(&tr!(cx, "Add to group")).icon(icons::CIRCLES_THREE).enabled(!others.is_empty()).submenu(ui, |ui| {
        for id in others {
            let group = &document.groups[&id];
            let fits = chosen.iter().any(|c| groups::can_add(document, group, *c));
            let entry = menu_item(&group_display_name(cx, id)).enabled(fits).show(ui);
            let entry = if fits {
                entry
            } else {
                entry.on_hover_text(tr!(cx, "In VRM 0.x, all colliders of a group must be on one bone."))
            };
            if entry.clicked() {
                add_to(cx, id, chosen);
                ui.close();
            }
        }
    });
}

fn add_to(cx: &mut UiContext<'_>, id: GroupId, colliders: &[ColliderId]) {
    let name = group_display_name(cx, id);
    let label = EditLabel::new(message!("Add {n:collider|colliders} to {name}", n = colliders.len(), name));
    let edit = groups::add_colliders(cx.document(), id, colliders);
    cx.apply_edit(edit, label);
}

fn remove_from(cx: &mut UiContext<'_>, id: GroupId, colliders: &[ColliderId]) {
    let name = group_display_name(cx, id);
    let label = EditLabel::new(message!("Remove {n:collider|colliders} from {name}", n = colliders.len(), name));
    let edit = groups::remove_colliders(cx.document(), id, colliders);
    cx.apply_edit(edit, label);
}
