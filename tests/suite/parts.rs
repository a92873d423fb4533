//! Colliders, forces, pivots and limits as an artist meets them: made from the menu, picked, shaped by their grips and
//! their numbers, assigned, thrown away, undone.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at the window.

use super::support;
use super::viewport::{
    Desk, click, desk, drag_and_hold, glide, hair, harness, keep, picture, place, press, select_with_limits, still,
};
use super::viewport_view::painted;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use yuremono::document::{Collider, ColliderId, Edit, Label, LengthTarget, Node};
use yuremono::rig::BoneId;
use yuremono::schema::find_row;
use yuremono::session::{Command, Item, Pick, Scope};
use yuremono::sim::{ForceKind, Shape, Wind};
use yuremono::tools::{parts, parts::New, parts::PartId};
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::tokens::DARK;
use yuremono::ui::kit::words::{self, Lang};
use yuremono::ui::{OutlinerTab, Prefs};

fn bone(h: &Harness<'_, Desk>, role: &str) -> BoneId {
    h.state().session.character().humanoid.bone(role).expect("she has one")
}

/// Makes a part on a bone of the body and selects it.
pub(super) fn put(h: &mut Harness<'_, Desk>, what: New, role: &str) -> PartId {
    let parent = Node::Bone(bone(h, role));
    let session = &mut h.state_mut().session;
    let made = parts::make(session.document(), &session.character().skeleton, what, parent);
    session.handle(Command::Apply(made.edit, Label::new("new_part", 1).name(made.name)));
    let item = Item::of(made.part, session.document()).expect("no high leg");
    session.handle(Command::SelectItems(vec![item], Pick::Replace));
    h.run_steps(3);
    made.part
}

fn open_list(h: &mut Harness<'_, Desk>) {
    h.state_mut().ui.shared_mut().outliner_tab = OutlinerTab::Colliders;
    h.run_steps(3);
}

fn press_button(h: &mut Harness<'_, Desk>, role: Role, name: &str) {
    h.get_by_role_and_label(role, name).click();
    h.run_steps(3);
}

fn collider(h: &Harness<'_, Desk>, part: PartId) -> Collider {
    let PartId::Collider(id) = part else { panic!("a collider") };
    h.state().session.document().colliders[&id].clone()
}

fn position(h: &Harness<'_, Desk>, part: PartId) -> Vec3 {
    let session = &h.state().session;
    let node = part.node(session.document()).expect("there");
    session.playback().shown().frame(session.resolved().bones[&node]).position
}

fn right(h: &mut Harness<'_, Desk>) -> Vec3 {
    h.state_mut().ui.viewport_mut().shot().expect("a frame was drawn").right
}

fn let_go(h: &mut Harness<'_, Desk>, at: Pos2) {
    press(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

#[test]
fn a_sphere_is_made_on_the_active_bone_selected_and_undone() {
    let mut h = harness(desk(still()));
    let head = bone(&h, "head");
    let before = h.state().session.document().clone();
    h.state_mut().session.handle(Command::Select(vec![head], Pick::Replace));
    open_list(&mut h);
    press_button(&mut h, Role::Button, "Make");
    press_button(&mut h, Role::MenuItem, "Sphere collider");
    let session = &h.state().session;
    let (id, made) = session.document().colliders.iter().next_back().expect("one more");
    let name = format!("{}SphereCollider", session.inspection().bone_name(head));
    assert_eq!((made.name.as_str(), made.shape), (name.as_str(), Shape::Sphere { radius: 0.1, inside: false }));
    assert_eq!(session.selection().active_item, Some(Item::Collider(*id)));
    assert!(session.selection().bones.contains(&head), "the bone stays selected beside it");
    h.get_by_role_and_label(Role::Heading, &name);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before);
}

#[test]
fn a_node_under_a_joint_is_made_with_a_warning() {
    let mut h = harness(desk(still()));
    let (joint, _) = hair(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], Pick::Replace));
    open_list(&mut h);
    press_button(&mut h, Role::Button, "Make");
    h.get_by_label_contains("sways: Unity counts a new node as its child");
    press_button(&mut h, Role::MenuItem, "Capsule collider");
    h.get_by_label_contains("Unity counts it as a child");
    press_button(&mut h, Role::Button, "Make");
    press_button(&mut h, Role::MenuItem, "Pivot");
    assert!(h.query_by_label_contains("Unity counts it as a child").is_none());
    let session = &h.state().session;
    let (chain, at) = session.document().joint_of(joint).expect("a joint");
    let pivot = session.document().chains[&chain].joints[at].pivot.expect("one was made");
    assert!(matches!(session.selection().active_item, Some(Item::Helper(id)) if Node::Helper(id) == pivot));
}

#[test]
fn numbers_of_a_collider_are_dragged_and_typed_each_drag_one_step() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Capsule, "leftUpperLeg");
    let before = h.state().session.document().clone();
    let bar = h.get_by_role_and_label(Role::Slider, "Radius").rect().center();
    drag_and_hold(&mut h, bar, bar + vec2(20.0, 0.0));
    let_go(&mut h, bar + vec2(20.0, 0.0));
    let Shape::Capsule { radius, height, inside: false } = collider(&h, part).shape else { panic!("a capsule") };
    assert!(radius > 0.08 && height == 0.3, "{radius} {height}");
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before);
    h.get_by_role_and_label(Role::Slider, "Position X").click();
    h.run_steps(2);
    h.get_by_role_and_label(Role::TextInput, "Position X").type_text("50 mm");
    h.run_steps(2);
    h.key_press(Key::Enter);
    h.run_steps(2);
    let (_, helper) = part.helper(h.state().session.document()).expect("a node");
    assert!((helper.local.translation.x - 0.05).abs() < 1e-6);
    press_button(&mut h, Role::Switch, "Shape");
    assert!(!collider(&h, part).enabled);
}

#[test]
fn a_turn_is_shown_as_it_was_typed() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Panel, "hips");
    for (name, degrees) in [("Rotation X", "120"), ("Rotation Y", "-30")] {
        h.get_by_role_and_label(Role::Slider, name).click();
        h.run_steps(2);
        h.get_by_role_and_label(Role::TextInput, name).type_text(degrees);
        h.run_steps(2);
        h.key_press(Key::Enter);
        h.run_steps(3);
    }
    let slider = h.get_by_role_and_label(Role::Slider, "Rotation X");
    assert_eq!(slider.value().as_deref(), Some("120°"));
    let (_, helper) = part.helper(h.state().session.document()).expect("a node");
    let expected =
        glam::Quat::from_rotation_y(-30_f32.to_radians()) * glam::Quat::from_rotation_x(120_f32.to_radians());
    assert!(helper.local.rotation.dot(expected).abs() > 0.99999);
}

#[test]
fn the_radius_is_pulled_in_the_view_and_escape_puts_it_back() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Sphere, "hips");
    let before = h.state().session.document().clone();
    let edge = position(&h, part) + right(&mut h) * 0.1;
    let from = place(&mut h, edge);
    let further = position(&h, part) + right(&mut h) * 0.2;
    let to = place(&mut h, further);
    drag_and_hold(&mut h, from, to);
    let Shape::Sphere { radius, inside: false } = collider(&h, part).shape else { panic!("a sphere") };
    assert!((radius - 0.2).abs() < 0.005, "{radius}");
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(*h.state().session.document() == before, "Esc puts it back");
    glide(&mut h, to, to + vec2(30.0, 0.0));
    let_go(&mut h, to + vec2(30.0, 0.0));
    assert!(*h.state().session.document() == before, "and nothing more until the button is up");
    drag_and_hold(&mut h, from, to);
    let_go(&mut h, to);
    assert!(*h.state().session.document() != before);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before, "the whole drag is one step");
    assert!(h.state().session.playback().drags().is_empty(), "the hips were not dragged");
}

#[test]
fn escape_during_a_drag_keeps_the_selection() {
    let mut h = harness(desk(still()));
    let (joint, _) = hair(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], Pick::Replace));
    let part = put(&mut h, New::Sphere, "hips");
    let at = position(&h, part);
    let from = place(&mut h, at);
    drag_and_hold(&mut h, from, from + vec2(40.0, 10.0));
    assert!(position(&h, part).distance(at) > 0.02, "its middle follows the hand");
    h.key_press(Key::Escape);
    h.run_steps(2);
    let_go(&mut h, from);
    let selection = h.state().session.selection();
    assert!(selection.bones.contains(&joint) && selection.active_item.is_some());
    assert!(position(&h, part).distance(at) < 1e-4);
}

#[test]
fn a_panel_is_widened_by_its_edge_and_turned_by_its_ring() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Panel, "hips");
    let at = position(&h, part);
    let edge = place(&mut h, at + Vec3::X * 0.125);
    let further = place(&mut h, at + Vec3::X * 0.225);
    drag_and_hold(&mut h, edge, further);
    let_go(&mut h, further);
    let Shape::Panel { width, height } = collider(&h, part).shape else { panic!("a panel") };
    assert!((width - 0.45).abs() < 0.01 && height == 0.25, "{width} {height}");
    h.key_press(Key::W);
    h.run_steps(2);
    // The ring about the view's own axis is round her middle.
    let middle = place(&mut h, at);
    let (from, to) = (middle + vec2(41.0, -41.0), middle + vec2(-41.0, -41.0));
    drag_and_hold(&mut h, from, to);
    let_go(&mut h, to);
    let (_, helper) = part.helper(h.state().session.document()).expect("a node");
    let degrees = helper.local.rotation.to_axis_angle().1.to_degrees();
    assert!((degrees - 90.0).abs() < 6.0, "{degrees}");
}

#[test]
fn an_outline_is_picked_with_the_tool_and_not_without() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Sphere, "leftFoot");
    let PartId::Collider(id) = part else { panic!("a collider") };
    h.state_mut().session.handle(Command::Deselect);
    h.run_steps(2);
    let edge = position(&h, part) + right(&mut h) * 0.1;
    let at = place(&mut h, edge);
    click(&mut h, at);
    assert_eq!(h.state().session.selection().active_item, None);
    press_button(&mut h, Role::Button, "Pick and shape colliders and forces");
    click(&mut h, at);
    assert_eq!(h.state().session.selection().active_item, Some(Item::Collider(id)));
    h.key_press(Key::Delete);
    h.run_steps(2);
    assert!(!h.state().session.document().colliders.contains_key(&id));
}

#[test]
fn the_list_selects_switches_renames_and_deletes() {
    let mut h = harness(desk(still()));
    let parts = [put(&mut h, New::Sphere, "head"), put(&mut h, New::Wind, "hips"), put(&mut h, New::Null, "hips")];
    open_list(&mut h);
    let names = parts.map(|part| part.name(h.state().session.document(), &h.state().session.character().skeleton));
    for heading in ["Forces", "Pivots and nulls"] {
        h.get_by_role_and_label(Role::Heading, heading);
    }
    press_button(&mut h, Role::TreeItem, &names[1]);
    assert_eq!(h.state().session.selection().items.len(), 1);
    h.get_by_role_and_label(Role::TreeItem, &names[2]).click_modifiers(Modifiers::COMMAND);
    h.run_steps(3);
    assert_eq!(h.state().session.selection().items.len(), 2);
    h.get_by_role_and_label(Role::TreeItem, &names[1]).hover();
    h.run_steps(2);
    press_button(&mut h, Role::Button, &format!("Hide {}", names[1]));
    let PartId::Force(force) = parts[1] else { panic!("a force") };
    assert!(!h.state().session.document().forces[&force].enabled);
    h.get_by_role_and_label(Role::TreeItem, &names[2]).click_secondary();
    h.run_steps(3);
    press_button(&mut h, Role::MenuItem, "Delete 2");
    let document = h.state().session.document();
    assert!(document.forces.is_empty() && parts[2].node(document).is_none());
    h.state_mut().session.handle(Command::Undo);
    h.run_steps(2);
    assert!(parts[2].node(h.state().session.document()).is_some());
    h.get_by_role_and_label(Role::TreeItem, &names[0]).click_secondary();
    h.run_steps(3);
    press_button(&mut h, Role::MenuItem, "Rename");
    h.get_by_role_and_label(Role::TextInput, "Rename").type_text("Skull");
    h.run_steps(2);
    h.key_press(Key::Enter);
    h.run_steps(2);
    assert!(collider(&h, parts[0]).name.contains("Skull"), "{}", collider(&h, parts[0]).name);
}

#[test]
fn a_collider_is_assigned_to_the_selected_joints_and_deleting_it_frees_them() {
    let mut h = harness(desk(still()));
    let (joint, _) = hair(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], Pick::Replace));
    h.state_mut().session.handle(Command::SetScope(Scope::Joints));
    let part = put(&mut h, New::Sphere, "head");
    let PartId::Collider(id) = part else { panic!("a collider") };
    press_button(&mut h, Role::Button, "Assign to 1 joint");
    assert_eq!(parts::users(h.state().session.document(), part), [joint]);
    press_button(&mut h, Role::Button, "Take from 1 joint");
    assert!(parts::users(h.state().session.document(), part).is_empty());
    press_button(&mut h, Role::Button, "Assign to 1 joint");
    open_list(&mut h);
    let name = collider(&h, part).name;
    h.get_by_role_and_label(Role::TreeItem, &name).hover();
    h.run_steps(2);
    h.key_press(Key::Delete);
    h.run_steps(2);
    let document = h.state().session.document();
    assert!(!document.colliders.contains_key(&id));
    assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| !j.colliders.contains(&id)));
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(parts::users(h.state().session.document(), part), [joint]);
}

#[test]
fn a_fresh_wind_says_that_it_is_still_and_one_click_lets_it_blow() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Wind, "hips");
    h.get_by_label_contains("A fresh wind has weight 0");
    press_button(&mut h, Role::Button, "Set weight to 1");
    let PartId::Force(id) = part else { panic!("a force") };
    let force = h.state().session.document().forces[&id].kind;
    assert_eq!(force, ForceKind::Wind(Wind { weight: 1.0, ..Wind::default() }));
    h.get_by_label_contains("100 m/s²");
    assert!(h.query_by_label_contains("A fresh wind has weight 0").is_none());
}

#[test]
fn the_edge_of_a_limit_is_dragged_to_another_number_in_one_step() {
    let mut h = harness(desk(still()));
    select_with_limits(&mut h);
    h.state_mut().session.handle(Command::SetScope(Scope::Joints));
    h.run_steps(3);
    let (bone, _) = hair(&h);
    let table = h.state().session.document().main().table();
    let row = |name: &str| find_row(table, name).expect("a row");
    let rows = [row("yAngleLimits.max"), row("zAngleLimits.max")];
    let value = |h: &Harness<'_, Desk>, i: usize| {
        let session = &h.state().session;
        let index = session.playback().joint_index(bone).expect("a joint");
        session.resolved().systems[0].joints[index.joint as usize].values.get(rows[i])
    };
    let was = [value(&h, 0), value(&h, 1)];
    let before = h.state().session.document().clone();
    // Whichever of the two fans faces the eye has its greatest angle here.
    let ends: Vec<Pos2> = [0, 1].map(|side| fan_end(&mut h, bone, side, was[side])).to_vec();
    let head = h.state().session.playback().shown().frame(bone).position;
    let head = place(&mut h, head);
    let side = usize::from((ends[1] - head).length() > (ends[0] - head).length());
    let arm = ends[side] - head;
    let turned = vec2(arm.x * 0.9 - arm.y * 0.43, arm.y * 0.9 + arm.x * 0.43);
    let (there, back) = (head + turned, head + vec2(arm.x * 0.9 + arm.y * 0.43, arm.y * 0.9 - arm.x * 0.43));
    drag_and_hold(&mut h, ends[side], there);
    let one = value(&h, side);
    glide(&mut h, there, back);
    let other = value(&h, side);
    assert!((one - other).abs() > 15.0, "it follows the hand: {one} and {other} from {}", was[side]);
    assert_eq!(value(&h, 1 - side), was[1 - side], "the other limit stays");
    let_go(&mut h, back);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before, "the whole drag is one step");
}

#[test]
fn the_degrees_of_a_limit_are_on_a_tag_while_its_edge_is_dragged() {
    let mut h = harness(desk(still()));
    select_with_limits(&mut h);
    h.state_mut().session.handle(Command::SetPlaying(false));
    h.state_mut().session.handle(Command::SetScope(Scope::Joints));
    h.run_steps(3);
    let (bone, _) = hair(&h);
    let rows = ["yAngleLimits.max", "zAngleLimits.max"]
        .map(|name| find_row(h.state().session.document().main().table(), name).expect("a row"));
    let values = |h: &Harness<'_, Desk>| {
        let session = &h.state().session;
        let index = session.playback().joint_index(bone).expect("a joint");
        rows.map(|row| session.resolved().systems[0].joints[index.joint as usize].values.get(row))
    };
    let was = values(&h);
    // Whichever of the two fans faces the eye has its greatest angle here.
    let ends = [0, 1].map(|side| fan_end(&mut h, bone, side, was[side]));
    let head = h.state().session.playback().shown().frame(bone).position;
    let head = place(&mut h, head);
    let side = usize::from((ends[1] - head).length() > (ends[0] - head).length());
    let (end, arm) = (ends[side], ends[side] - head);
    let there = head + vec2(arm.x * 0.97 - arm.y * 0.24, arm.y * 0.97 + arm.x * 0.24);
    // Words on a plate in the colour of popups, within the viewport.
    let tags = |h: &Harness<'_, Desk>| {
        let shapes = painted(h);
        let plates: Vec<egui::Rect> = shapes
            .iter()
            .filter_map(|shape| match shape {
                egui::Shape::Rect(rect) if rect.fill == DARK.popup => Some(rect.rect),
                _ => None,
            })
            .collect();
        let words = |plate: &egui::Rect| {
            shapes.iter().find_map(|shape| match shape {
                egui::Shape::Text(text) if plate.contains_rect(shape.visual_bounding_rect()) => {
                    Some(text.galley.text().to_owned())
                }
                _ => None,
            })
        };
        plates.iter().filter_map(words).filter(|words| words.ends_with('°')).collect::<Vec<_>>()
    };
    assert!(tags(&h).is_empty());
    drag_and_hold(&mut h, end, there);
    h.run_steps(2);
    let now = values(&h)[side];
    assert!((now - was[side]).abs() > 5.0, "it was dragged");
    let shown = tags(&h);
    assert_eq!(shown.len(), 1, "{shown:?}");
    let degrees: f32 = shown[0].trim_end_matches('°').replace('−', "-").parse().expect("degrees");
    assert!((degrees - now).abs() < 0.06, "{shown:?} for {now}");
    let_go(&mut h, there);
    assert!(tags(&h).is_empty(), "nothing is held any longer");
}

#[test]
fn shift_lets_the_edge_of_a_limit_follow_ten_times_finer() {
    let turned = |modifiers: Modifiers| {
        let mut h = harness(desk(still()));
        select_with_limits(&mut h);
        h.state_mut().session.handle(Command::SetScope(Scope::Joints));
        h.run_steps(3);
        let (bone, _) = hair(&h);
        let rows = ["yAngleLimits.max", "zAngleLimits.max"]
            .map(|name| find_row(h.state().session.document().main().table(), name).expect("a row"));
        let values = |h: &Harness<'_, Desk>| {
            let session = &h.state().session;
            let index = session.playback().joint_index(bone).expect("a joint");
            rows.map(|row| session.resolved().systems[0].joints[index.joint as usize].values.get(row))
        };
        let was = values(&h);
        let ends = [0, 1].map(|side| fan_end(&mut h, bone, side, was[side]));
        let head = h.state().session.playback().shown().frame(bone).position;
        let head = place(&mut h, head);
        let side = usize::from((ends[1] - head).length() > (ends[0] - head).length());
        let arm = ends[side] - head;
        let there = head + vec2(arm.x * 0.97 - arm.y * 0.24, arm.y * 0.97 + arm.x * 0.24);
        h.event(Event::ModifiersChanged(modifiers));
        drag_and_hold(&mut h, ends[side], there);
        let turned = values(&h)[side] - was[side];
        let_go(&mut h, there);
        turned
    };
    let (coarse, fine) = (turned(Modifiers::NONE), turned(Modifiers::SHIFT));
    assert!(coarse.abs() > 5.0 && (0.05..0.16).contains(&(fine / coarse)), "{coarse} {fine}");
}

/// Where the greatest angle of a limit is held.
fn fan_end(h: &mut Harness<'_, Desk>, bone: BoneId, side: usize, degrees: f32) -> Pos2 {
    use yuremono::stage::overlay::{FanSide, fan};
    let session = &h.state().session;
    let index = session.playback().joint_index(bone).expect("a joint");
    let pivot = session.resolved().systems[0].joints[index.joint as usize].pivot.expect("limits have one");
    let rotation = session.playback().shown().frame(pivot).rotation;
    let (head, tip) =
        (session.playback().shown().frame(bone).position, session.playback().shown_tip(bone).expect("a joint"));
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    let shot = *h.state_mut().ui.viewport_mut().shot().expect("a frame was drawn");
    let reach = (head.distance(tip) * 1.15).max(shot.metres_per_pixel(head) * 76.0);
    let side = [FanSide::Y, FanSide::Z][side];
    let seen = fan(&shot, (head, rotation), side, [0.0, degrees], (tip - head, reach)).expect("in front");
    corner + vec2(seen.ends()[1].x, seen.ends()[1].y)
}

#[test]
fn a_high_leg_is_made_from_the_menu_and_loses_a_leg_in_one_step() {
    let mut h = harness(desk(still()));
    open_list(&mut h);
    let hips = bone(&h, "hips");
    let before = h.state().session.document().clone();
    h.state_mut().session.handle(Command::Select(vec![hips], Pick::Replace));
    h.run_steps(2);
    press_button(&mut h, Role::Button, "Make");
    press_button(&mut h, Role::MenuItem, "High-leg node");
    let legs = |h: &Harness<'_, Desk>| {
        let document = h.state().session.document();
        let high_leg = document.high_legs.values().next().expect("it was made");
        assert_eq!(high_leg.hip, Node::Bone(hips));
        high_leg.legs.clone()
    };
    let both = legs(&h);
    assert_eq!(both[0][0], Node::Bone(bone(&h, "leftUpperLeg")));
    assert_eq!(both.len(), 2);
    h.get_by_label_contains("It leans with whichever leg");
    press_button(&mut h, Role::Button, "Remove leg 1");
    assert_eq!(legs(&h), both[1..]);
    press_button(&mut h, Role::Button, "Add a leg");
    assert_eq!(legs(&h), [both[1], both[0]]);
    for _ in 0..2 {
        h.state_mut().session.handle(Command::Undo);
    }
    assert_eq!(legs(&h), both);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before);
}

#[test]
fn f_frames_the_selected_part() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Wind, "leftFoot");
    let foot = position(&h, part);
    h.key_press(Key::F);
    h.run_steps(3);
    assert!((h.state_mut().ui.viewport_mut().camera().target - foot).length() < 0.05);
}

#[test]
fn shift_moves_ten_times_finer_and_ctrl_to_round_numbers() {
    let mut h = harness(desk(still()));
    let part = put(&mut h, New::Sphere, "hips");
    let grip = position(&h, part) + right(&mut h) * 0.1;
    let from = place(&mut h, grip);
    let radius = |h: &Harness<'_, Desk>| collider(h, part).shape.field(0);
    let drag_with = |h: &mut Harness<'_, Desk>, modifiers: Modifiers| {
        h.event(Event::ModifiersChanged(modifiers));
        drag_and_hold(h, from, from + vec2(37.0, 0.0));
        let found = radius(h);
        h.event(Event::ModifiersChanged(Modifiers::NONE));
        let_go(h, from + vec2(37.0, 0.0));
        h.state_mut().session.handle(Command::Undo);
        h.run_steps(3);
        found
    };
    let coarse = drag_with(&mut h, Modifiers::NONE) - 0.1;
    let fine = drag_with(&mut h, Modifiers::SHIFT) - 0.1;
    assert!(coarse > 0.02 && (fine / coarse - 0.1).abs() < 0.02, "{coarse} {fine}");
    let snapped = drag_with(&mut h, Modifiers::COMMAND) / 0.005;
    assert!((snapped - snapped.round()).abs() < 1e-3, "{snapped}");
}

#[test]
fn every_word_about_parts_is_there_in_both_languages() {
    let all = words::all();
    for head in ["parts.", "item."] {
        let count = |lang| all.iter().filter(|(l, key, _)| *l == lang && key.starts_with(head)).count();
        assert!(count(Lang::En) > 20);
        assert_eq!(count(Lang::En), count(Lang::Ja));
    }
}

/// Colliders on legs and hips, a panel, a wind that blows, ties along the skirt.
fn furnish(h: &mut Harness<'_, Desk>) {
    for role in ["leftUpperLeg", "rightUpperLeg"] {
        let PartId::Collider(id) = put(h, New::Capsule, role) else { panic!("a collider") };
        let session = &mut h.state_mut().session;
        let skeleton = &session.character().skeleton;
        let edit = parts::align_capsule(session.document(), skeleton, id).expect("a knee below");
        session.handle(Command::Apply(edit, Label::new("align_part", 1)));
        let edit =
            parts::put_shape(session.document(), id, session.document().colliders[&id].shape.with_field(0, 0.06));
        session.handle(Command::Apply(edit, Label::new("size_part", 1)));
    }
}

/// From three quarters, near her hips.
fn look_closer(h: &mut Harness<'_, Desk>) {
    h.key_press(Key::Num0);
    h.run_steps(3);
    // Her hips, where the camera frames her whole.
    h.hover_at(Pos2::new(676.0, 420.0));
    h.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 420.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    h.run_steps(25);
}

fn tie_chains(h: &mut Harness<'_, Desk>) {
    let session = &mut h.state_mut().session;
    let chains: Vec<_> = session.document().chains.iter().map(|(id, c)| (*id, c.clone())).collect();
    let mut edits = Vec::new();
    for pair in chains.windows(2) {
        let (id, mut chain) = pair[0].clone();
        for (joint, other) in chain.joints.iter_mut().zip(&pair[1].1.joints) {
            joint.length_targets.push(LengthTarget::new(Node::Bone(other.bone)));
        }
        edits.push(Edit::PutChain { id, chain: Some(Box::new(chain)) });
    }
    session.handle(Command::Apply(Edit::Batch(edits), Label::new("other", 1)));
}

fn assign_all(h: &mut Harness<'_, Desk>, id: ColliderId) {
    let session = &mut h.state_mut().session;
    session.handle(Command::Deselect);
    session.handle(Command::AssignColliders(vec![id], true));
}

#[test]
fn the_parts_are_drawn_in_both_themes_and_languages() {
    if support::folder("YUREMONO_PICTURES").is_none() {
        return;
    }
    let shot = |name: &str, prefs: Prefs, prepare: &dyn Fn(&mut Harness<'_, Desk>)| {
        if let Some(picture) = picture(desk(prefs), 1.0, |h| {
            furnish(h);
            prepare(h);
        }) {
            keep(&picture, name);
        }
    };
    let light = Prefs { mode: Mode::Light, ..still() };
    let japanese = Prefs { lang: Lang::Ja, ..still() };
    shot("parts-capsule.png", still(), &|h| {
        open_list(h);
        let (joint, _) = hair(h);
        h.state_mut().session.handle(Command::Select(vec![joint], Pick::Replace));
        let id = *h.state().session.document().colliders.keys().next_back().expect("made");
        h.state_mut().session.handle(Command::SelectItems(vec![Item::Collider(id)], Pick::Replace));
        look_closer(h);
    });
    for (name, prefs) in [("parts-panel.png", still()), ("parts-panel-light.png", light.clone())] {
        shot(name, prefs, &|h| {
            let part = put(h, New::Panel, "hips");
            let PartId::Collider(id) = part else { panic!("a collider") };
            let (helper, _) = part.helper(h.state().session.document()).expect("a node");
            let local = yuremono::math::Trs {
                rotation: glam::Quat::from_rotation_y(-0.5),
                ..yuremono::math::Trs::from_translation(Vec3::new(0.0, -0.05, 0.12))
            };
            let session = &mut h.state_mut().session;
            let edit = parts::set_local(session.document(), helper, local);
            session.handle(Command::Apply(edit, Label::new("move_part", 1)));
            assign_all(h, id);
            h.state_mut().session.handle(Command::SelectItems(vec![Item::Collider(id)], Pick::Replace));
            open_list(h);
            look_closer(h);
        });
    }
    for (name, prefs) in [("parts-wind.png", still()), ("parts-wind-ja.png", japanese)] {
        shot(name, prefs, &|h| {
            let part = put(h, New::Wind, "hips");
            let PartId::Force(id) = part else { panic!("a force") };
            let kind = ForceKind::Wind(Wind { weight: 1.0, ..Wind::default() });
            let session = &mut h.state_mut().session;
            let edit = parts::put_force(session.document(), id, kind);
            session.handle(Command::Apply(edit, Label::new("force_part", 1)));
            open_list(h);
            look_closer(h);
            h.run_steps(70);
        });
    }
    for (name, lang) in [("parts-high-leg.png", Lang::En), ("parts-high-leg-ja.png", Lang::Ja)] {
        shot(name, Prefs { lang, ..still() }, &|h| {
            let hips = Node::Bone(bone(h, "hips"));
            let session = &mut h.state_mut().session;
            let made = parts::make_high_leg(session.document(), session.character(), hips);
            let item = made.helper().map(Item::Helper).expect("a node");
            session.handle(Command::Apply(made.edit, Label::new("new_part", 1).name(made.name)));
            session.handle(Command::SelectItems(vec![item], Pick::Replace));
            let idle = Edit::Batch(Vec::new());
            session.handle(Command::Apply(idle, Label::new("align_capsules", 0).told()));
            let first = session.document().chains.iter().next().map(|(id, chain)| (*id, chain.clone()));
            let (id, mut chain) = first.expect("a chain");
            chain.name.push('!');
            let edit = Edit::PutChain { id, chain: Some(Box::new(chain)) };
            session.handle(Command::Apply(edit, Label::new("link_columns", 24).told()));
            open_list(h);
            look_closer(h);
        });
    }
    for (name, prefs) in [("parts-fan.png", still()), ("parts-fan-light.png", light)] {
        shot(name, prefs, &|h| {
            select_with_limits(h);
            h.state_mut().session.handle(Command::SetScope(Scope::Joints));
            h.run_steps(3);
            let (bone, _) = hair(h);
            let from = fan_end(h, bone, 1, 20.0);
            drag_and_hold(h, from, from + vec2(-22.0, -26.0));
        });
    }
    shot("parts-lengths.png", still(), &|h| {
        tie_chains(h);
        h.state_mut().session.handle(Command::Deselect);
        h.state_mut()
            .session
            .handle(Command::SetMotion(yuremono::session::Motion::Test(yuremono::stage::TestMotion::Turn)));
        h.run_steps(25);
        let part = put(h, New::Pivot, "leftUpperArm");
        assert!(matches!(part, PartId::Helper(_)));
    });
}

/// Two capsules of the character that have other radii, as loaded.
fn unlike_capsules(h: &Harness<'_, Desk>) -> [(ColliderId, f32); 2] {
    let capsules = h.state().session.document().colliders.iter().filter_map(|(id, collider)| match collider.shape {
        Shape::Capsule { radius, inside: false, .. } => Some((*id, radius)),
        _ => None,
    });
    let capsules: Vec<_> = capsules.collect();
    let other = capsules.iter().find(|(_, radius)| *radius != capsules[0].1).expect("she has thick and thin limbs");
    [capsules[0], *other]
}

#[test]
fn colliders_of_unlike_sizes_count_as_unchanged_and_each_is_reset_to_its_own() {
    let mut h = harness(desk(still()));
    let capsules = unlike_capsules(&h);
    let items = capsules.iter().map(|(id, _)| Item::Collider(*id)).collect();
    h.state_mut().session.handle(Command::SelectItems(items, Pick::Replace));
    h.run_steps(3);
    assert!(h.query_by_label("Reset Radius").is_none(), "nothing was changed");
    let mut document = h.state().session.document().clone();
    let edits = capsules
        .iter()
        .map(|(id, radius)| parts::put_shape(&document, *id, document.colliders[id].shape.with_field(0, radius * 2.0)));
    let edit = Edit::Batch(edits.collect());
    document.apply(edit.clone()).expect("a fitting edit");
    h.state_mut().session.handle(Command::Apply(edit, Label::new("size_part", 2)));
    h.run_steps(3);
    h.get_by_label("Reset Radius").click();
    h.run_steps(3);
    for (id, radius) in capsules {
        assert_eq!(h.state().session.document().colliders[&id].shape.field(0), radius);
    }
}

#[test]
fn a_new_collider_is_made_where_the_selected_one_is_and_offered_to_the_chains_in_reach() {
    let mut h = harness(desk(still()));
    let chest = bone(&h, "chest");
    put(&mut h, New::Capsule, "head");
    // Bones stay selected beside items; the item is what was chosen last.
    h.state_mut().session.handle(Command::Select(vec![chest], Pick::Replace));
    put(&mut h, New::Sphere, "head");
    open_list(&mut h);
    press_button(&mut h, Role::Button, "Make");
    let head = bone(&h, "head");
    h.get_by_label(&format!("Make on {}", h.state().session.inspection().bone_name(head)));
    press_button(&mut h, Role::MenuItem, "Sphere collider");
    let session = &h.state().session;
    let Some(Item::Collider(id)) = session.selection().active_item else { panic!("the new one is selected") };
    let part = PartId::Collider(id);
    assert_eq!(part.helper(session.document()).expect("on a node").1.parent, Node::Bone(head));
    assert!(parts::users(session.document(), part).is_empty(), "nothing is assigned unasked");
    let offer = h.get_by_label_contains(" in reach").accesskit_node().label().expect("words");
    let chains: usize = offer.split(' ').nth(2).and_then(|n| n.parse().ok()).expect("a count");
    assert!(chains > 0, "{offer}");
    h.get_by_label(&offer).click();
    h.run_steps(3);
    let document = h.state().session.document();
    let pushed = document.chains.values().filter(|c| c.joints.iter().any(|j| j.colliders.contains(&id))).count();
    assert_eq!(pushed, chains);
    assert!(h.query_by_label_contains(" in reach").is_none(), "the offer was taken");
    h.state_mut().session.handle(Command::Undo);
    assert!(parts::users(h.state().session.document(), part).is_empty(), "one undo takes it back");
}

/// The lines of the open context menu.
fn lines(h: &Harness<'_, Desk>) -> Vec<String> {
    h.query_all_by_role(Role::MenuItem).filter_map(|line| line.accesskit_node().label()).collect()
}

fn right_click(h: &mut Harness<'_, Desk>, at: Pos2) {
    h.hover_at(at);
    h.run_steps(2);
    press(h, at, PointerButton::Secondary, true);
    press(h, at, PointerButton::Secondary, false);
    h.run_steps(3);
}

#[test]
fn a_right_click_in_the_view_opens_the_menu_that_the_outliner_has() {
    let mut h = harness(desk(still()));
    let (joint, middle) = hair(&h);
    let at = place(&mut h, middle);
    right_click(&mut h, at);
    let in_view = lines(&h);
    assert!(h.state().session.selection().shows(h.state().session.document(), joint), "it becomes selected");
    h.key_press(Key::Escape);
    h.run_steps(3);
    assert!(lines(&h).is_empty());
    let active = h.state().session.selection().active.expect("selected above");
    let name = h.state().session.inspection().bone_name(active).to_owned();
    h.get_by_role_and_label(Role::TreeItem, &name).click_secondary();
    h.run_steps(3);
    assert_eq!(in_view, lines(&h));
    assert!(in_view.len() > 5, "{in_view:?}");
    h.key_press(Key::Escape);
    h.run_steps(3);
    // A drag of the same button pans and opens nothing.
    h.hover_at(at);
    press(&mut h, at, PointerButton::Secondary, true);
    glide(&mut h, at, at + vec2(40.0, 0.0));
    press(&mut h, at + vec2(40.0, 0.0), PointerButton::Secondary, false);
    h.run_steps(3);
    assert!(lines(&h).is_empty());
}

#[test]
fn a_number_of_a_shape_or_a_force_out_of_its_range_has_a_warning_beside_it() {
    let mut h = harness(desk(still()));
    let warned = |h: &Harness<'_, Desk>| h.query_all_by_label_contains("Out of range").count();
    let PartId::Force(force) = put(&mut h, New::Wind, "hips") else { panic!("a force") };
    assert_eq!(warned(&h), 0);
    let mut blown = h.state().session.document().forces[&force].clone();
    // Numbers that a file may bring.
    blown.kind = ForceKind::Wind(Wind { weight: 7.0, ..Wind::default() });
    h.state_mut()
        .session
        .handle(Command::Apply(Edit::PutForce { id: force, force: Some(blown) }, Label::new("force_part", 1)));
    h.run_steps(3);
    assert_eq!(warned(&h), 1);
    h.get_by_label_contains("Out of range (0 to 1)");
    let PartId::Collider(id) = put(&mut h, New::Sphere, "head") else { panic!("a collider") };
    assert_eq!(warned(&h), 0);
    let mut small = h.state().session.document().colliders[&id].clone();
    small.shape = Shape::Sphere { radius: -0.2, inside: false };
    h.state_mut()
        .session
        .handle(Command::Apply(Edit::PutCollider { id, collider: Some(small) }, Label::new("size_part", 1)));
    h.run_steps(3);
    assert_eq!(warned(&h), 1);
}
