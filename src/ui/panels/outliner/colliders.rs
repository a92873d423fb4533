//! The list of colliders, forces, pivots, nulls and leg followers, and the menu that creates them.
//!
//! Objects that the current solver does not support are struck through. The tooltip contains the reason.

use super::groups::{ColliderListRow, GroupRows, group_display_name, group_rows, membership_ui};
use super::{RenameEdit, empty_list_ui, heading_ui, list_rows};
use crate::tr;
use crate::ui::kit::icons::IconButton;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::tree_row::{INDENT, RowSelection, TreeRow, TreeRowIcon};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::labels::{enable_label, kind_label, new_label};
use crate::ui::panels::menus::{menu_item, menu_separator};
use crate::ui::{Highlight, UiContext, viewport};
use egui::{Key, Modifiers, Popup, Rect, Response, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use std::collections::BTreeSet;
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::{
    ColliderGroup, ColliderId, Document, EditLabel, GroupId, Helper, HelperId, HelperRole, Node, bone_of_node,
};
use yuremono_model::tools::elements;
use yuremono_model::tools::elements::{ElementId, NewElement, node_name};
use yuremono_session::{Command, SceneObject, SelectMode, TuningScope, collider_short_name};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ColliderShape, ForceKind};

const HEADER_HEIGHT: f32 = 28.0;

#[derive(Debug, Default)]
pub(super) struct CollidersTab {
    renaming: Option<RenameEdit<ElementId>>,
    /// The group of the row with the name field.
    renaming_in: Option<GroupId>,
    groups: GroupRows,
    /// The active object of the last frame. The list scrolls to a new active object.
    last_active: Option<SceneObject>,
}

impl CollidersTab {
    /// Draws the list. Returns the bone of the hovered object.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) -> Option<BoneId> {
        // The list is drawn before the menu, because the document contains a new group only in the next frame.
        self.groups.naming.take_if(|naming| !naming.is_about(&group_display_name(cx, naming.id)));
        self.header_ui(ui, cx);
        delete_by_key(ui, cx);
        let (document, skeleton) = (cx.document(), &cx.character().skeleton);
        if let Some(part) = cx.state.rename_wanted.take() {
            let holds = |group: &ColliderGroup| collider_of(part).is_some_and(|id| group.colliders.contains(&id));
            let within = document.groups.iter().find(|(_, group)| holds(group)).map(|(id, _)| *id);
            self.start_rename(
                part,
                within.filter(|_| cx.inspection().supports_groups()),
                &part.name(document, skeleton),
            );
        }
        self.renaming.take_if(|r| !r.is_about(&r.id.name(document, skeleton)));
        let rows = collider_rows(cx, pattern, &self.groups.closed);
        if rows.is_empty() {
            let text = if pattern.is_empty() {
                message!(
                    "No colliders or forces yet. The plus above creates a collider, a force, a pivot or a null on the \
                     selected bone."
                )
            } else {
                message!("No name matches.")
            };
            empty_list_ui(ui, cx, text);
        }
        let mut hovered = None;
        let active = cx.selection().active_object;
        let is_active = |row: &ColliderListRow| match row {
            ColliderListRow::Heading(..) | ColliderListRow::Group(_) => false,
            ColliderListRow::Element(part, _) => {
                active.is_some() && SceneObject::from_element_id(*part, cx.document()) == active
            }
        };
        let fresh = std::mem::replace(&mut self.last_active, active) != active;
        let unseen = self.groups.naming.as_ref().filter(|naming| naming.is_fresh()).map(|naming| naming.id);
        let is_unseen = |row: &ColliderListRow| matches!(row, ColliderListRow::Group(id) if Some(*id) == unseen);
        let scroll_to = fresh.then(|| rows.iter().position(is_active)).flatten();
        let scroll_to = rows.iter().position(is_unseen).or(scroll_to);
        list_rows(ui, "colliders", rows.len(), scroll_to, |ui, at| match &rows[at] {
            ColliderListRow::Heading(name, count) => heading_ui(ui, cx, &cx.tr(name), *count),
            ColliderListRow::Group(id) => self.groups.row_ui(ui, cx, *id),
            ColliderListRow::Element(part, within) if self.is_renaming(*part, *within) => self.rename_ui(ui, cx),
            ColliderListRow::Element(part, within) => {
                if self.part_ui(ui, cx, *part, *within).hovered() {
                    let document = cx.document();
                    hovered = part.node(document).and_then(|node| bone_of_node(document, node));
                    if let ElementId::Collider(id) = part {
                        cx.state.highlight = Some(Highlight::Collider(*id));
                    }
                }
            }
        });
        hovered
    }

    fn header_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let rect = contact_ui(ui, cx);
        let button_rect =
            Rect::from_center_size(rect.right_center() - vec2(space::M + 12.0, 0.0), Vec2::splat(size::HIT_MIN));
        let name = tr!(cx, "Create");
        let plus = IconButton::new(icons::PLUS, &name).show(&mut ui.new_child(UiBuilder::new().max_rect(button_rect)));
        Popup::menu(&plus).show(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            if cx.inspection().supports_groups() {
                self.groups.new_group_ui(ui, cx);
                menu_separator(ui);
            }
            new_part_menu(ui, cx);
        });
    }

    fn is_renaming(&self, part: ElementId, within: Option<GroupId>) -> bool {
        self.renaming.as_ref().is_some_and(|r| r.id == part) && self.renaming_in == within
    }

    fn start_rename(&mut self, part: ElementId, within: Option<GroupId>, name: &str) {
        self.renaming = Some(RenameEdit::new(part, name));
        self.renaming_in = within;
    }

    fn part_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId, within: Option<GroupId>) -> Response {
        let (document, skeleton) = (cx.document(), &cx.character().skeleton);
        let selection = cx.selection();
        let target = SceneObject::from_element_id(part, document);
        let is_in = target.is_some_and(|item| selection.objects.contains(&item));
        let is_active = is_in && target == selection.active_object;
        let name = part.name(document, skeleton);
        let enabled = is_enabled(document, part);
        let idle = no_effect_reason(cx, part);
        let level = usize::from(within.is_some());
        let below = parent_name(cx, part);
        // Most names start with the bone name, so the row does not repeat the bone name.
        let note = if name.starts_with(&below) { "" } else { &below };
        let shown = match part {
            ElementId::Collider(_) => collider_short_name(&name),
            _ => name.clone(),
        };
        let output = TreeRow {
            display_name: &shown,
            selection: RowSelection::new(is_in, is_active),
            note,
            is_simulated: enabled.unwrap_or(true) && idle.is_none(),
            eye: enabled,
            ..TreeRow::new(&name, level, TreeRowIcon::Icon(kind_label(document, part).1))
        }
        .show(ui, (part, within));
        let response = output.response;
        if is_unsupported(cx, part) {
            paint_strikethrough(ui, cx, response.rect, level, &shown);
        }
        if output.eye_clicked {
            cx.command(enable_command(cx, &[part], !enabled.unwrap_or(false), &name));
        } else if response.clicked() {
            let toggle = ui.input(|i| i.modifiers.command);
            select(cx, part, if toggle { SelectMode::Toggle } else { SelectMode::Replace });
        } else if response.secondary_clicked() && !is_in {
            select(cx, part, SelectMode::Replace);
        }
        if response.double_clicked() {
            self.start_rename(part, within, &name);
        }
        response.context_menu(|ui| {
            if part_menu(ui, cx, part, within, &name) {
                self.start_rename(part, within, &name);
            }
        });
        let hint = part_summary(cx, part);
        let hint = idle.map_or(hint.clone(), |why| format!("{hint}\n{why}").into());
        let hint = if shown == name { hint } else { format!("{name}\n{hint}").into() };
        response.on_hover_text(hint)
    }

    fn rename_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let renamed = RenameEdit::show(&mut self.renaming, ui, cx);
        let (document, skeleton) = (cx.document(), &cx.character().skeleton);
        let edit = |(part, name): (ElementId, String)| {
            Some((elements::rename_element(document, skeleton, part, &name)?, name))
        };
        if let Some((edit, name)) = renamed.and_then(edit) {
            cx.apply_edit(edit, EditLabel::new(message!("Rename to {name}", name)));
        }
    }
}

/// Draws the context menu of an object. `within` is the group of the row. Returns whether the artist chose to rename
/// the object.
pub fn part_menu(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId, within: Option<GroupId>, name: &str) -> bool {
    ui.spacing_mut().item_spacing.y = 0.0;
    let renames = menu_item(&tr!(cx, "Rename")).icon(icons::PENCIL_SIMPLE).show(ui).clicked();
    let chosen = selection_or_part(cx, part);
    if let Some(on) = is_enabled(cx.document(), part) {
        let (label, icon) = if on { (tr!(cx, "Disable"), icons::EYE_SLASH) } else { (tr!(cx, "Enable"), icons::EYE) };
        if menu_item(&label).icon(icon).show(ui).clicked() {
            cx.command(enable_command(cx, &chosen, !on, name));
        }
    }
    let users = elements::affected_joints(cx.document(), part);
    let label = tr!(cx, "Select {n:joint that uses|joints that use} this", n = users.len());
    if menu_item(&label).icon(icons::SELECTION_ALL).enabled(!users.is_empty()).show(ui).clicked() {
        cx.command(Command::SetTuningScope(TuningScope::Joints));
        cx.command(Command::Select(users, SelectMode::Replace));
    }
    let colliders: Vec<ColliderId> = chosen.iter().copied().filter_map(collider_of).collect();
    if cx.inspection().supports_groups() && !colliders.is_empty() {
        menu_separator(ui);
        membership_ui(ui, cx, &colliders, within);
    }
    menu_separator(ui);
    let label = match chosen.len() {
        1 => tr!(cx, "Delete"),
        n => tr!(cx, "Delete {n}", n),
    };
    if menu_item(&label).icon(icons::TRASH).key("Del").show(ui).clicked() {
        let edit = elements::remove_elements(cx.document(), &chosen);
        let text = match chosen.len() {
            1 => message!("Delete {name}", name),
            n => message!("Delete {n:object|objects}", n),
        };
        cx.apply_edit(edit, EditLabel::new(text));
    }
    renames
}

fn contact_ui(ui: &mut Ui, cx: &UiContext<'_>) -> Rect {
    let c = cx.theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER_HEIGHT), Sense::hover());
    let [text, more] = contact_text(cx);
    let left = rect.left() + space::L;
    let galley =
        paint::elided(ui, &text, TextSize::Small, c.text_3, rect.width() - HEADER_HEIGHT - space::XL - space::S);
    let text_rect = paint::paint_galley_left(ui.painter(), pos2(left, rect.center().y), galley);
    let response = ui.interact(text_rect, ui.scope_id().with("worst"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(more);
    rect
}

/// Returns a short text and a text with names for the deepest contact.
fn contact_text(cx: &UiContext<'_>) -> [Cow<'static, str>; 2] {
    let session = cx.session();
    let contacts = session.playback().displayed_contacts().filter(|_| !session.document().colliders.is_empty());
    let Some(contacts) = contacts else { return Default::default() };
    let Some(worst) = viewport::deepest_contact(session, contacts) else {
        return [tr!(cx, "No contact"), tr!(cx, "No tip is inside a collider that is assigned to it.")];
    };
    let mm = format!("{:.1}", worst.depth * 1000.0);
    let collider = session.document().colliders.get(&worst.collider).map_or("", |c| c.name.as_str());
    let bone = session.inspection().bone_name(worst.bone);
    [
        tr!(cx, "Deepest contact {mm} mm", mm = &mm),
        tr!(cx, "The tip of {bone} is {mm} mm inside {collider}.", bone, mm, collider),
    ]
}

/// Handles Delete, which removes the selected objects if the pointer is over the list and no text field has the focus.
fn delete_by_key(ui: &Ui, cx: &mut UiContext<'_>) {
    if !ui.rect_contains_pointer(ui.max_rect()) || ui.ctx().text_edit_focused() || cx.selection().objects.is_empty() {
        return;
    }
    if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Delete))
        && let Some((edit, label)) = viewport::delete_selection(cx.session())
    {
        cx.apply_edit(edit, label);
    }
}

/// Returns the rows that match a search, with headings.
fn collider_rows(cx: &UiContext<'_>, pattern: &NamePattern, closed: &BTreeSet<GroupId>) -> Vec<ColliderListRow> {
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let found =
        |part: &ElementId| pattern.matches(&part.name(document, skeleton)) || pattern.matches(&parent_name(cx, *part));
    // If a helper only positions a collider or a force, the row of the collider or force represents the helper.
    let has_no_content = |id| {
        let node = Node::Helper(id);
        let carries = document.colliders.values().any(|c| c.node == node)
            || document.forces.values().any(|f| f.node == node)
            || document.high_legs.values().any(|h| h.node == node);
        !carries
    };
    let follows_leg = |id| document.high_legs.values().any(|h| h.node == Node::Helper(id));
    let is_own =
        |(id, h): &(&HelperId, &Helper)| (h.role != HelperRole::Plain && !follows_leg(**id)) || has_no_content(**id);
    let helpers = document.helpers.iter().filter(is_own);
    let grouped: BTreeSet<ColliderId> = document.groups.values().flat_map(|g| &g.colliders).copied().collect();
    let loose = if document.groups.is_empty() { message!("Colliders") } else { message!("No group, no effect") };
    let groups: [(MessageText, Vec<ElementId>); 4] = [
        (
            loose,
            document.colliders.keys().filter(|id| !grouped.contains(id)).map(|id| ElementId::Collider(*id)).collect(),
        ),
        (message!("Forces"), document.forces.keys().map(|id| ElementId::Force(*id)).collect()),
        (message!("Pivots and nulls"), helpers.map(|(id, _)| ElementId::Helper(*id)).collect()),
        (message!("Leg followers (HighLeg)"), document.high_legs.keys().map(|id| ElementId::HighLeg(*id)).collect()),
    ];
    let mut rows = Vec::new();
    if cx.inspection().supports_groups() {
        group_rows(cx, pattern, closed, &found, &mut rows);
    }
    for (name, parts) in groups {
        let parts: Vec<ElementId> = parts.into_iter().filter(found).collect();
        if !parts.is_empty() {
            rows.push(ColliderListRow::Heading(name, parts.len()));
            rows.extend(parts.into_iter().map(|part| ColliderListRow::Element(part, None)));
        }
    }
    rows
}

fn select(cx: &mut UiContext<'_>, part: ElementId, pick: SelectMode) {
    let document = cx.document();
    match (SceneObject::from_element_id(part, document), part.node(document)) {
        (Some(item), _) => cx.command(Command::SelectObjects(vec![item], pick)),
        (None, Some(Node::Bone(bone))) => cx.command(Command::Select(vec![bone], pick)),
        _ => {}
    }
}

/// Returns the selected objects if `part` is selected. Otherwise returns only `part`.
fn selection_or_part(cx: &UiContext<'_>, part: ElementId) -> Vec<ElementId> {
    let items = &cx.selection().objects;
    let chosen: Vec<ElementId> = items.iter().map(|item| item.element_id()).collect();
    if chosen.contains(&part) { chosen } else { vec![part] }
}

fn enable_command(cx: &UiContext<'_>, parts: &[ElementId], on: bool, name: &str) -> Command {
    let edit = elements::set_enabled(cx.document(), parts, on);
    Command::ApplyEdit(edit, enable_label(parts.len(), on, name))
}

fn is_enabled(document: &Document, part: ElementId) -> Option<bool> {
    match part {
        ElementId::Collider(id) => document.colliders.get(&id).map(|c| c.enabled),
        ElementId::Force(id) => document.forces.get(&id).map(|f| f.enabled),
        ElementId::Helper(_) | ElementId::HighLeg(_) => None,
    }
}

fn parent_name(cx: &UiContext<'_>, part: ElementId) -> String {
    let document = cx.document();
    let parent = part.helper(document).map(|(_, helper)| helper.parent).or_else(|| part.node(document));
    let bone = parent.and_then(|node| bone_of_node(document, node));
    bone.map(|bone| cx.inspection().bone_name(bone).to_owned()).unwrap_or_default()
}

/// Returns a text such as "Capsule, radius 40 mm, length 120 mm".
fn part_summary(cx: &UiContext<'_>, part: ElementId) -> Cow<'static, str> {
    let document = cx.document();
    match part {
        ElementId::Collider(id) => document.colliders.get(&id).map(|c| size_text(cx, c.shape)).unwrap_or_default(),
        ElementId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Volume { strength }) => {
                tr!(cx, "Constant force {n} m/s²", n = format_args!("{strength:.2}"))
            }
            Some(ForceKind::Wind(wind)) => tr!(
                cx,
                "Wind {n} m/s², weight {w}",
                n = format_args!("{:.0}", wind.strength),
                w = format_args!("{:.2}", wind.weight)
            ),
            None => Cow::default(),
        },
        ElementId::Helper(_) => cx.tr(kind_label(document, part).0),
        ElementId::HighLeg(id) => {
            let legs = document.high_legs.get(&id).map_or(0, |h| h.legs.len());
            tr!(cx, "Follows the highest of {n:leg|legs}", n = legs)
        }
    }
}

fn size_text(cx: &UiContext<'_>, shape: ColliderShape) -> Cow<'static, str> {
    let mm = |metres: f32| format!("{:.0}", metres * 1000.0);
    match shape {
        ColliderShape::Sphere { radius, inside: false } => tr!(cx, "Sphere, radius {r} mm", r = mm(radius)),
        ColliderShape::Capsule { radius, height, inside: false } => {
            tr!(cx, "Capsule, radius {r} mm, length {h} mm", r = mm(radius), h = mm(height))
        }
        ColliderShape::Panel { width, height } => {
            tr!(cx, "Panel, width {w} mm, height {h} mm", w = mm(width), h = mm(height))
        }
        ColliderShape::Sphere { radius, inside: true } => tr!(cx, "Inside sphere, radius {r} mm", r = mm(radius)),
        ColliderShape::Capsule { radius, height, inside: true } => {
            tr!(cx, "Inside capsule, radius {r} mm, length {h} mm", r = mm(radius), h = mm(height))
        }
        ColliderShape::Plane => tr!(cx, "Plane collider"),
        ColliderShape::TaperedCapsule { radius, tail_radius, height, .. } => {
            format!("{}–{} × {} mm", mm(radius), mm(tail_radius), mm(height)).into()
        }
        ColliderShape::Box { width, height, depth, .. } => {
            format!("{} × {} × {} mm", mm(width), mm(height), mm(depth)).into()
        }
        ColliderShape::Cylinder { radius, height, .. } => format!("{} × {} mm", mm(radius), mm(height)).into(),
    }
}

pub(super) const fn collider_of(part: ElementId) -> Option<ColliderId> {
    match part {
        ElementId::Collider(id) => Some(id),
        _ => None,
    }
}

/// Returns whether no solver of the character supports the shape of the collider.
pub(super) fn is_unsupported(cx: &UiContext<'_>, part: ElementId) -> bool {
    let document = cx.document();
    let shape = collider_of(part).and_then(|id| document.colliders.get(&id)).map(|c| c.shape);
    shape.is_some_and(|shape| !document.used_solvers().into_iter().any(|kind| kind.info().supports_shape(&shape)))
}

/// Returns the reason why an object has no effect with this solver.
pub(super) fn no_effect_reason(cx: &UiContext<'_>, part: ElementId) -> Option<Cow<'static, str>> {
    let session = cx.session();
    let document = session.document();
    match part {
        ElementId::Collider(_) if is_unsupported(cx, part) => Some(unsupported_shape_text(cx)),
        ElementId::Collider(id) if session.inspection().supports_groups() && is_unassigned(document, id) => {
            Some(tr!(cx, "This collider is in no group, so it has no effect."))
        }
        ElementId::Force(_) if !session.inspection().supports_forces() => Some(unsupported_force_text(cx)),
        ElementId::HighLeg(_) if !session.inspection().supports_pivots() => Some(unsupported_pivot_text(cx)),
        ElementId::Helper(id) if !session.inspection().supports_pivots() => {
            document.helpers.get(&id).filter(|h| h.role == HelperRole::Pivot)?;
            Some(unsupported_pivot_text(cx))
        }
        _ => None,
    }
}

fn is_unassigned(document: &Document, id: ColliderId) -> bool {
    let listed = document.chains.values().flat_map(|c| &c.joints).any(|j| j.colliders.contains(&id));
    !listed && !document.groups.values().any(|g| g.colliders.contains(&id))
}

/// Returns the reason why a new object of this kind would have no effect.
pub(super) fn unsupported_new_reason(cx: &UiContext<'_>, element: NewElement) -> Option<Cow<'static, str>> {
    let session = cx.session();
    match element {
        NewElement::ForceVolume | NewElement::Wind if !session.inspection().supports_forces() => {
            Some(unsupported_force_text(cx))
        }
        NewElement::Pivot if !session.inspection().supports_pivots() => Some(unsupported_pivot_text(cx)),
        _ => {
            element.shape().filter(|shape| !session.inspection().system().solver.info().supports_shape(shape))?;
            Some(unsupported_shape_text(cx))
        }
    }
}

fn unsupported_shape_text(cx: &UiContext<'_>) -> Cow<'static, str> {
    tr!(cx, "{solver} does not support this shape, so it has no effect.", solver = solver_name(cx))
}

fn unsupported_force_text(cx: &UiContext<'_>) -> Cow<'static, str> {
    tr!(cx, "{solver} does not support wind or forces, so this has no effect.", solver = solver_name(cx))
}

fn unsupported_pivot_text(cx: &UiContext<'_>) -> Cow<'static, str> {
    tr!(cx, "{solver} has no pivots, so this has no effect.", solver = solver_name(cx))
}

fn solver_name(cx: &UiContext<'_>) -> Cow<'static, str> {
    i18n::solver_name(cx.theme.lang, cx.inspection().system().solver)
}

pub(super) fn paint_strikethrough(ui: &Ui, cx: &UiContext<'_>, row: Rect, level: usize, shown: &str) {
    let left = row.left() + 40.0 + INDENT * level as f32;
    let right = (left + paint::text_width(ui, shown, TextSize::Body)).min(row.right() - 60.0);
    paint::hairline(ui.painter(), left, right, row.center().y, cx.theme.color.text_3);
}

pub(super) fn new_part_menu(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(parent) = parent_for_new(cx) else {
        menu_item(&tr!(cx, "This file has no bones.")).enabled(false).show(ui);
        return;
    };
    let (document, skeleton) = (cx.document(), &cx.character().skeleton);
    let on = node_name(document, skeleton, parent).to_owned();
    let c = cx.theme.color;
    let text = tr!(cx, "Create on {name}", name = &on);
    let (rect, head) = ui.allocate_exact_size(vec2(200.0, size::ROW_TREE), Sense::hover());
    head.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    let name = ElidedName::new(ui, &text, TextSize::Small, c.text_3, rect.width() - space::XL);
    name.paint_left(ui.painter(), rect.left_center() + vec2(space::M, 0.0));
    name.with_tooltip(head);
    for element in NewElement::ALL {
        if matches!(element, NewElement::ForceVolume | NewElement::Pivot) {
            menu_separator(ui);
        }
        let ((name, icon), why) = (new_label(element), unsupported_new_reason(cx, element));
        let entry = menu_item(&cx.tr(name)).icon(icon).enabled(why.is_none()).show(ui);
        let entry = if let Some(why) = why { entry.on_hover_text(why) } else { entry };
        if entry.clicked() {
            let made = elements::create_element(cx.document(), skeleton, element, parent);
            cx.apply_edit(made.edit, EditLabel::new(message!("Create {name}", name = made.name)));
            let items = SceneObject::from_element_id(made.element, cx.document()).into_iter().collect();
            cx.command(Command::SelectObjects(items, SelectMode::Replace));
            ui.close();
        }
    }
    let supported = cx.inspection().supports_pivots();
    let entry =
        menu_item(&tr!(cx, "Leg follower (HighLeg)")).icon(icons::PERSON_SIMPLE_WALK).enabled(supported).show(ui);
    let entry = if supported { entry } else { entry.on_hover_text(unsupported_pivot_text(cx)) };
    if entry.clicked() {
        let made = elements::create_high_leg(cx.document(), cx.character(), parent);
        let helper = made.helper();
        cx.apply_edit(made.edit, EditLabel::new(message!("Create {name}", name = made.name)));
        cx.command(Command::SelectObjects(helper.map(SceneObject::Helper).into_iter().collect(), SelectMode::Replace));
        ui.close();
    }
    if let Some(bone) = elements::joint_with_moved_tip(cx.document(), parent, HelperRole::Plain) {
        menu_separator(ui);
        ui.set_max_width(280.0);
        let text = tr!(
            cx,
            "{name} is simulated: Unity counts a new child node of it, and the tip of the joint moves. Pivots are not \
             counted.",
            name = cx.inspection().bone_name(bone)
        );
        info_note(ui, &text, space::M);
    }
}

/// Returns the bone of the active object, or the active bone. Without a selection, returns the hips or the first bone.
fn parent_for_new(cx: &UiContext<'_>) -> Option<Node> {
    let session = cx.session();
    let (document, character) = (session.document(), session.character());
    let there = |bone: &BoneId| bone.index() < character.skeleton.len();
    let selection = session.selection();
    let node = |item: SceneObject| {
        item.element_id().helper(document).map(|(_, helper)| helper.parent).or(item.element_id().node(document))
    };
    let under_item = selection.active_object.and_then(node).and_then(|node| bone_of_node(document, node)).filter(there);
    let active = selection.active.filter(there);
    let hips = character.humanoid.bone("hips").filter(there);
    under_item.or(active).or(hips).or_else(|| character.skeleton.roots().next()).map(Node::Bone)
}
