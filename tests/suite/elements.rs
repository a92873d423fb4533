//! Tests colliders, forces, pivots and limits in the window: create from the menu, select, drag handles, edit numbers,
//! assign, delete and undo.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the window.

use super::support;
use super::viewport::{
    ViewportFixture, click_at, drag_and_hold, hair_joint, move_pointer, reduced_motion_prefs, render_viewport_or_skip,
    save_picture, screen_position, select_hair_with_limits, set_pointer_button, viewport_fixture, viewport_harness,
};
use super::viewport_layout::painted_shapes;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Role, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::kit::tokens::DARK;
use yuremono::ui::{OutlinerTab, Prefs};
use yuremono_model::document::{Collider, ColliderId, Edit, EditLabel, LengthTarget, Node};
use yuremono_model::tools::{elements, elements::ElementId, elements::NewElement};
use yuremono_session::{Command, SceneObject, SelectMode, TuningScope};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ColliderShape, ForceKind, Wind};

fn humanoid_bone(h: &Harness<'_, ViewportFixture>, role: &str) -> BoneId {
    h.state().session.character().humanoid.bone(role).expect("the sample has this bone")
}

/// Creates an element on a humanoid bone and selects the element.
pub(super) fn create_element(h: &mut Harness<'_, ViewportFixture>, what: NewElement, role: &str) -> ElementId {
    let parent = Node::Bone(humanoid_bone(h, role));
    let session = &mut h.state_mut().session;
    let made = elements::create_element(session.document(), &session.character().skeleton, what, parent);
    session.handle(Command::ApplyEdit(made.edit, EditLabel::new(message!("Create {name}", name = made.name))));
    let item = SceneObject::from_element_id(made.element, session.document()).expect("no high leg");
    session.handle(Command::SelectObjects(vec![item], SelectMode::Replace));
    h.run_steps(3);
    made.element
}

fn open_collider_tab(h: &mut Harness<'_, ViewportFixture>) {
    h.state_mut().ui.state_mut().outliner_tab = OutlinerTab::Colliders;
    h.run_steps(3);
}

fn click_role(h: &mut Harness<'_, ViewportFixture>, role: Role, name: &str) {
    h.get_by_role_and_label(role, name).click();
    h.run_steps(3);
}

fn collider(h: &Harness<'_, ViewportFixture>, part: ElementId) -> Collider {
    let ElementId::Collider(id) = part else { panic!("a collider") };
    h.state().session.document().colliders[&id].clone()
}

fn element_position(h: &Harness<'_, ViewportFixture>, part: ElementId) -> Vec3 {
    let session = &h.state().session;
    let node = part.node(session.document()).expect("there");
    session.playback().displayed_pose().frame(session.resolved().node_bones[&node]).position
}

fn camera_right(h: &mut Harness<'_, ViewportFixture>) -> Vec3 {
    h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn").right
}

fn release_at(h: &mut Harness<'_, ViewportFixture>, at: Pos2) {
    set_pointer_button(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

#[test]
fn a_new_sphere_is_on_the_active_bone_is_selected_and_can_be_undone() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let head = humanoid_bone(&h, "head");
    let before = h.state().session.document().clone();
    h.state_mut().session.handle(Command::Select(vec![head], SelectMode::Replace));
    open_collider_tab(&mut h);
    click_role(&mut h, Role::Button, "Create");
    click_role(&mut h, Role::MenuItem, "Sphere collider");
    let session = &h.state().session;
    let (id, made) = session.document().colliders.iter().next_back().expect("one more");
    let name = format!("{}SphereCollider", session.inspection().bone_name(head));
    assert_eq!((made.name.as_str(), made.shape), (name.as_str(), ColliderShape::Sphere { radius: 0.1, inside: false }));
    assert_eq!(session.selection().active_object, Some(SceneObject::Collider(*id)));
    assert!(session.selection().bones.contains(&head), "the bone stays selected as well");
    h.get_by_role_and_label(Role::Heading, &name);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before);
}

#[test]
fn creating_a_node_below_a_simulated_joint_shows_a_warning() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (joint, _) = hair_joint(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], SelectMode::Replace));
    open_collider_tab(&mut h);
    click_role(&mut h, Role::Button, "Create");
    h.get_by_label_contains("is simulated: Unity counts a new child node");
    click_role(&mut h, Role::MenuItem, "Capsule collider");
    h.get_by_label_contains("Unity counts it, so the tip");
    click_role(&mut h, Role::Button, "Create");
    click_role(&mut h, Role::MenuItem, "Pivot");
    assert!(h.query_by_label_contains("Unity counts it, so the tip").is_none());
    let session = &h.state().session;
    let (chain, at) = session.document().find_joint(joint).expect("a joint");
    let pivot = session.document().chains[&chain].joints[at].pivot.expect("one was made");
    assert!(matches!(session.selection().active_object, Some(SceneObject::Helper(id)) if Node::Helper(id) == pivot));
}

#[test]
fn collider_fields_can_be_dragged_and_typed_and_each_drag_is_one_undo_step() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Capsule, "leftUpperLeg");
    let before = h.state().session.document().clone();
    let bar = h.get_by_role_and_label(Role::Slider, "Radius").rect().center();
    drag_and_hold(&mut h, bar, bar + vec2(20.0, 0.0));
    release_at(&mut h, bar + vec2(20.0, 0.0));
    let ColliderShape::Capsule { radius, height, inside: false } = collider(&h, part).shape else {
        panic!("a capsule")
    };
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
    click_role(&mut h, Role::Switch, "Shape");
    assert!(!collider(&h, part).enabled);
}

#[test]
fn a_rotation_is_shown_as_it_was_typed() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Panel, "hips");
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
fn the_radius_can_be_dragged_in_the_viewport_and_escape_cancels_the_drag() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Sphere, "hips");
    let before = h.state().session.document().clone();
    let edge = element_position(&h, part) + camera_right(&mut h) * 0.1;
    let from = screen_position(&mut h, edge);
    let further = element_position(&h, part) + camera_right(&mut h) * 0.2;
    let to = screen_position(&mut h, further);
    drag_and_hold(&mut h, from, to);
    let ColliderShape::Sphere { radius, inside: false } = collider(&h, part).shape else { panic!("a sphere") };
    assert!((radius - 0.2).abs() < 0.005, "{radius}");
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(*h.state().session.document() == before, "Esc restores the document");
    move_pointer(&mut h, to, to + vec2(30.0, 0.0));
    release_at(&mut h, to + vec2(30.0, 0.0));
    assert!(*h.state().session.document() == before, "no change follows until the button is released");
    drag_and_hold(&mut h, from, to);
    release_at(&mut h, to);
    assert!(*h.state().session.document() != before);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before, "the whole drag is one step");
    assert!(h.state().session.playback().drags().is_empty(), "the hips were not dragged");
}

#[test]
fn escape_during_a_drag_keeps_the_selection() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (joint, _) = hair_joint(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], SelectMode::Replace));
    let part = create_element(&mut h, NewElement::Sphere, "hips");
    let at = element_position(&h, part);
    let from = screen_position(&mut h, at);
    drag_and_hold(&mut h, from, from + vec2(40.0, 10.0));
    assert!(element_position(&h, part).distance(at) > 0.02, "its centre follows the pointer");
    h.key_press(Key::Escape);
    h.run_steps(2);
    release_at(&mut h, from);
    let selection = h.state().session.selection();
    assert!(selection.bones.contains(&joint) && selection.active_object.is_some());
    assert!(element_position(&h, part).distance(at) < 1e-4);
}

#[test]
fn a_panel_is_resized_by_its_edge_and_rotated_by_its_ring() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Panel, "hips");
    let at = element_position(&h, part);
    let edge = screen_position(&mut h, at + Vec3::X * 0.125);
    let further = screen_position(&mut h, at + Vec3::X * 0.225);
    drag_and_hold(&mut h, edge, further);
    release_at(&mut h, further);
    let ColliderShape::Panel { width, height } = collider(&h, part).shape else { panic!("a panel") };
    assert!((width - 0.45).abs() < 0.01 && height == 0.25, "{width} {height}");
    h.key_press(Key::W);
    h.run_steps(2);
    // The ring around the view axis is centred on the element.
    let middle = screen_position(&mut h, at);
    let (from, to) = (middle + vec2(41.0, -41.0), middle + vec2(-41.0, -41.0));
    drag_and_hold(&mut h, from, to);
    release_at(&mut h, to);
    let (_, helper) = part.helper(h.state().session.document()).expect("a node");
    let degrees = helper.local.rotation.to_axis_angle().1.to_degrees();
    assert!((degrees - 90.0).abs() < 6.0, "{degrees}");
}

#[test]
fn a_collider_outline_can_be_picked_only_with_the_collider_tool() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Sphere, "leftFoot");
    let ElementId::Collider(id) = part else { panic!("a collider") };
    h.state_mut().session.handle(Command::ClearSelection);
    h.run_steps(2);
    let edge = element_position(&h, part) + camera_right(&mut h) * 0.1;
    let at = screen_position(&mut h, edge);
    click_at(&mut h, at);
    assert_eq!(h.state().session.selection().active_object, None);
    click_role(&mut h, Role::Button, "Edit colliders and forces");
    click_at(&mut h, at);
    assert_eq!(h.state().session.selection().active_object, Some(SceneObject::Collider(id)));
    h.key_press(Key::Delete);
    h.run_steps(2);
    assert!(!h.state().session.document().colliders.contains_key(&id));
}

#[test]
fn the_collider_list_can_select_toggle_rename_and_delete() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let parts = [
        create_element(&mut h, NewElement::Sphere, "head"),
        create_element(&mut h, NewElement::Wind, "hips"),
        create_element(&mut h, NewElement::Null, "hips"),
    ];
    open_collider_tab(&mut h);
    let names = parts.map(|part| part.name(h.state().session.document(), &h.state().session.character().skeleton));
    for heading in ["Forces", "Pivots and nulls"] {
        h.get_by_role_and_label(Role::Heading, heading);
    }
    click_role(&mut h, Role::TreeItem, &names[1]);
    assert_eq!(h.state().session.selection().objects.len(), 1);
    h.get_by_role_and_label(Role::TreeItem, &names[2]).click_modifiers(Modifiers::COMMAND);
    h.run_steps(3);
    assert_eq!(h.state().session.selection().objects.len(), 2);
    h.get_by_role_and_label(Role::TreeItem, &names[1]).hover();
    h.run_steps(2);
    click_role(&mut h, Role::Button, &format!("Hide {}", names[1]));
    let ElementId::Force(force) = parts[1] else { panic!("a force") };
    assert!(!h.state().session.document().forces[&force].enabled);
    h.get_by_role_and_label(Role::TreeItem, &names[2]).click_secondary();
    h.run_steps(3);
    click_role(&mut h, Role::MenuItem, "Delete 2");
    let document = h.state().session.document();
    assert!(document.forces.is_empty() && parts[2].node(document).is_none());
    h.state_mut().session.handle(Command::Undo);
    h.run_steps(2);
    assert!(parts[2].node(h.state().session.document()).is_some());
    h.get_by_role_and_label(Role::TreeItem, &names[0]).click_secondary();
    h.run_steps(3);
    click_role(&mut h, Role::MenuItem, "Rename");
    h.get_by_role_and_label(Role::TextInput, "Rename").type_text("Skull");
    h.run_steps(2);
    h.key_press(Key::Enter);
    h.run_steps(2);
    assert!(collider(&h, parts[0]).name.contains("Skull"), "{}", collider(&h, parts[0]).name);
}

#[test]
fn a_collider_is_assigned_to_the_selected_joints_and_deleting_it_unassigns_them() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (joint, _) = hair_joint(&h);
    h.state_mut().session.handle(Command::Select(vec![joint], SelectMode::Replace));
    h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    let part = create_element(&mut h, NewElement::Sphere, "head");
    let ElementId::Collider(id) = part else { panic!("a collider") };
    click_role(&mut h, Role::Button, "Assign to 1 joint");
    assert_eq!(elements::affected_joints(h.state().session.document(), part), [joint]);
    click_role(&mut h, Role::Button, "Unassign from 1 joint");
    assert!(elements::affected_joints(h.state().session.document(), part).is_empty());
    click_role(&mut h, Role::Button, "Assign to 1 joint");
    open_collider_tab(&mut h);
    let name = collider(&h, part).name;
    h.get_by_role_and_label(Role::TreeItem, &name).hover();
    h.run_steps(2);
    h.key_press(Key::Delete);
    h.run_steps(2);
    let document = h.state().session.document();
    assert!(!document.colliders.contains_key(&id));
    assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| !j.colliders.contains(&id)));
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(elements::affected_joints(h.state().session.document(), part), [joint]);
}

#[test]
fn a_new_wind_warns_that_its_weight_is_zero_and_a_button_enables_it() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Wind, "hips");
    h.get_by_label_contains("New wind has weight 0");
    click_role(&mut h, Role::Button, "Set weight to 1");
    let ElementId::Force(id) = part else { panic!("a force") };
    let force = h.state().session.document().forces[&id].kind;
    assert_eq!(force, ForceKind::Wind(Wind { weight: 1.0, ..Wind::default() }));
    h.get_by_label_contains("100 m/s²");
    assert!(h.query_by_label_contains("New wind has weight 0").is_none());
}

#[test]
fn dragging_the_edge_of_a_limit_changes_it_in_one_undo_step() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let fan = select_limit_fan(&mut h);
    let before = h.state().session.document().clone();
    let (there, back) = (fan.turned(vec2(0.9, 0.43)), fan.turned(vec2(0.9, -0.43)));
    drag_and_hold(&mut h, fan.end, there);
    let one = fan.angle(&h);
    move_pointer(&mut h, there, back);
    let other = fan.angle(&h);
    assert!((one - other).abs() > 15.0, "it follows the pointer: {one} and {other} from {}", fan.angles[fan.side]);
    assert_eq!(limit_angles(&h)[1 - fan.side], fan.angles[1 - fan.side], "the other limit stays");
    release_at(&mut h, back);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before, "the whole drag is one step");
}

#[test]
fn the_angle_of_a_limit_is_shown_while_its_edge_is_dragged() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.state_mut().session.handle(Command::SetPlaying(false));
    let fan = select_limit_fan(&mut h);
    let there = fan.turned(vec2(0.97, 0.24));
    // The label is text on a background in the colour of popups, within the viewport.
    let tags = |h: &Harness<'_, ViewportFixture>| {
        let shapes = painted_shapes(h);
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
    drag_and_hold(&mut h, fan.end, there);
    h.run_steps(2);
    let now = fan.angle(&h);
    assert!((now - fan.angles[fan.side]).abs() > 5.0, "it was dragged");
    let shown = tags(&h);
    assert_eq!(shown.len(), 1, "{shown:?}");
    let degrees: f32 = shown[0].trim_end_matches('°').replace('−', "-").parse().expect("degrees");
    assert!((degrees - now).abs() < 0.06, "{shown:?} for {now}");
    release_at(&mut h, there);
    assert!(tags(&h).is_empty(), "no handle is held any longer");
}

#[test]
fn shift_makes_dragging_a_limit_edge_ten_times_finer() {
    let turned = |modifiers: Modifiers| {
        let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
        let fan = select_limit_fan(&mut h);
        let there = fan.turned(vec2(0.97, 0.24));
        h.event(Event::ModifiersChanged(modifiers));
        drag_and_hold(&mut h, fan.end, there);
        let turned = fan.angle(&h) - fan.angles[fan.side];
        release_at(&mut h, there);
        turned
    };
    let (coarse, fine) = (turned(Modifiers::NONE), turned(Modifiers::SHIFT));
    assert!(coarse.abs() > 5.0 && (0.05..0.16).contains(&(fine / coarse)), "{coarse} {fine}");
}

/// The two angle limits of a joint, and the fan of the limit that faces the camera.
struct LimitFan {
    /// The maximum angles of both limits, in degrees.
    angles: [f32; 2],
    /// The index of the limit that faces the camera.
    side: usize,
    /// The position of the joint on the screen.
    head: Pos2,
    /// The position of the handle of the maximum angle on the screen.
    end: Pos2,
}

impl LimitFan {
    /// Returns the position of the handle after the edge of the fan turns and scales by a complex number.
    fn turned(&self, by: Vec2) -> Pos2 {
        let arm = self.end - self.head;
        self.head + vec2(arm.x * by.x - arm.y * by.y, arm.y * by.x + arm.x * by.y)
    }

    /// Returns the present maximum angle, in degrees.
    fn angle(&self, h: &Harness<'_, ViewportFixture>) -> f32 {
        limit_angles(h)[self.side]
    }
}

/// Selects a hair joint with limits, and edits only this joint.
fn select_limit_fan(h: &mut Harness<'_, ViewportFixture>) -> LimitFan {
    select_hair_with_limits(h);
    h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    h.run_steps(3);
    let (bone, _) = hair_joint(h);
    let angles = limit_angles(h);
    let ends = [0, 1].map(|side| limit_fan_end(h, bone, side, angles[side]));
    let head = h.state().session.playback().displayed_pose().frame(bone).position;
    let head = screen_position(h, head);
    let side = usize::from((ends[1] - head).length() > (ends[0] - head).length());
    LimitFan { angles, side, head, end: ends[side] }
}

/// Returns the maximum angles of both limits of a hair joint, in degrees.
fn limit_angles(h: &Harness<'_, ViewportFixture>) -> [f32; 2] {
    let session = &h.state().session;
    let index = session.playback().joint_index(hair_joint(h).0).expect("a joint");
    let values = &session.resolved().systems[0].joints[index.joint as usize].values;
    let table = session.document().main_system().param_defs();
    ["yAngleLimits.max", "zAngleLimits.max"].map(|name| values.get(find_param(table, name).expect("a row")))
}

/// Returns the screen position of the handle of a limit's maximum angle.
fn limit_fan_end(h: &mut Harness<'_, ViewportFixture>, bone: BoneId, side: usize, degrees: f32) -> Pos2 {
    use yuremono::stage::overlay::limit_fan;
    use yuremono_sim::rig::LimitPlane;
    let session = &h.state().session;
    let index = session.playback().joint_index(bone).expect("a joint");
    let pivot = session.resolved().systems[0].joints[index.joint as usize].pivot.expect("limits have one");
    let rotation = session.playback().displayed_pose().frame(pivot).rotation;
    let (head, tip) = (
        session.playback().displayed_pose().frame(bone).position,
        session.playback().displayed_tip(bone).expect("a joint"),
    );
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    let shot = *h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn");
    let reach = (head.distance(tip) * 1.15).max(shot.metres_per_pixel(head) * 76.0);
    let side = [LimitPlane::Y, LimitPlane::Z][side];
    let seen = limit_fan(&shot, head, rotation, side, [0.0, degrees], tip - head, reach).expect("in front");
    corner + vec2(seen.ends()[1].x, seen.ends()[1].y)
}

#[test]
fn a_high_leg_node_is_created_from_the_menu_and_a_leg_is_removed_in_one_undo_step() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    open_collider_tab(&mut h);
    let hips = humanoid_bone(&h, "hips");
    let before = h.state().session.document().clone();
    h.state_mut().session.handle(Command::Select(vec![hips], SelectMode::Replace));
    h.run_steps(2);
    click_role(&mut h, Role::Button, "Create");
    click_role(&mut h, Role::MenuItem, "Leg follower (HighLeg)");
    let legs = |h: &Harness<'_, ViewportFixture>| {
        let document = h.state().session.document();
        let high_leg = document.high_legs.values().next().expect("it was made");
        assert_eq!(high_leg.hip, Node::Bone(hips));
        high_leg.legs.clone()
    };
    let both = legs(&h);
    assert_eq!(both[0][0], Node::Bone(humanoid_bone(&h, "leftUpperLeg")));
    assert_eq!(both.len(), 2);
    h.get_by_label_contains("Turns with the leg");
    click_role(&mut h, Role::Button, "Remove leg 1");
    assert_eq!(legs(&h), both[1..]);
    click_role(&mut h, Role::Button, "Add leg");
    assert_eq!(legs(&h), [both[1], both[0]]);
    for _ in 0..2 {
        h.state_mut().session.handle(Command::Undo);
    }
    assert_eq!(legs(&h), both);
    h.state_mut().session.handle(Command::Undo);
    assert!(*h.state().session.document() == before);
}

#[test]
fn f_frames_the_selected_element() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Wind, "leftFoot");
    let foot = element_position(&h, part);
    h.key_press(Key::F);
    h.run_steps(3);
    assert!((h.state_mut().ui.viewport_mut().camera().target - foot).length() < 0.05);
}

#[test]
fn shift_drags_ten_times_finer_and_ctrl_snaps_to_round_values() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let part = create_element(&mut h, NewElement::Sphere, "hips");
    let grip = element_position(&h, part) + camera_right(&mut h) * 0.1;
    let from = screen_position(&mut h, grip);
    let radius = |h: &Harness<'_, ViewportFixture>| collider(h, part).shape.field(0);
    let drag_with = |h: &mut Harness<'_, ViewportFixture>, modifiers: Modifiers| {
        h.event(Event::ModifiersChanged(modifiers));
        drag_and_hold(h, from, from + vec2(37.0, 0.0));
        let found = radius(h);
        h.event(Event::ModifiersChanged(Modifiers::NONE));
        release_at(h, from + vec2(37.0, 0.0));
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

/// Adds colliders on legs and hips, a panel, a wind, and length limits along the skirt.
fn add_colliders_and_forces(h: &mut Harness<'_, ViewportFixture>) {
    for role in ["leftUpperLeg", "rightUpperLeg"] {
        let ElementId::Collider(id) = create_element(h, NewElement::Capsule, role) else { panic!("a collider") };
        let session = &mut h.state_mut().session;
        let skeleton = &session.character().skeleton;
        let edit = elements::align_capsule(session.document(), skeleton, id).expect("a knee as a child");
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Align"))));
        let edit =
            elements::set_shape(session.document(), id, session.document().colliders[&id].shape.with_field(0, 0.06));
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Resize"))));
    }
}

/// Zooms to the hips of the sample character from a three-quarter view.
fn zoom_to_hips(h: &mut Harness<'_, ViewportFixture>) {
    h.key_press(Key::Num0);
    h.run_steps(3);
    // The hips are at this position if the camera frames the whole character.
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

fn link_neighbouring_chains(h: &mut Harness<'_, ViewportFixture>) {
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
    session.handle(Command::ApplyEdit(Edit::Batch(edits), EditLabel::new(message!("Change"))));
}

fn assign_to_all_chains(h: &mut Harness<'_, ViewportFixture>, id: ColliderId) {
    let session = &mut h.state_mut().session;
    session.handle(Command::ClearSelection);
    session.handle(Command::AssignColliders(vec![id], true));
}

#[test]
fn elements_can_be_rendered_in_both_themes_and_languages() {
    if support::folder_or_skip("YUREMONO_PICTURES").is_none() {
        return;
    }
    let shot = |name: &str, prefs: Prefs, prepare: &dyn Fn(&mut Harness<'_, ViewportFixture>)| {
        if let Some(picture) = render_viewport_or_skip(viewport_fixture(prefs), 1.0, |h| {
            add_colliders_and_forces(h);
            prepare(h);
        }) {
            save_picture(&picture, name);
        }
    };
    let light = Prefs { mode: ThemeMode::Light, ..reduced_motion_prefs() };
    let japanese = Prefs { lang: Lang::Ja, ..reduced_motion_prefs() };
    shot("parts-capsule.png", reduced_motion_prefs(), &|h| {
        open_collider_tab(h);
        let (joint, _) = hair_joint(h);
        h.state_mut().session.handle(Command::Select(vec![joint], SelectMode::Replace));
        let id = *h.state().session.document().colliders.keys().next_back().expect("made");
        h.state_mut().session.handle(Command::SelectObjects(vec![SceneObject::Collider(id)], SelectMode::Replace));
        zoom_to_hips(h);
    });
    for (name, prefs) in [("parts-panel.png", reduced_motion_prefs()), ("parts-panel-light.png", light.clone())] {
        shot(name, prefs, &|h| {
            let part = create_element(h, NewElement::Panel, "hips");
            let ElementId::Collider(id) = part else { panic!("a collider") };
            let (helper, _) = part.helper(h.state().session.document()).expect("a node");
            let local = yuremono_sim::math::Trs {
                rotation: glam::Quat::from_rotation_y(-0.5),
                ..yuremono_sim::math::Trs::from_translation(Vec3::new(0.0, -0.05, 0.12))
            };
            let session = &mut h.state_mut().session;
            let edit = elements::set_local(session.document(), helper, local);
            session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Move"))));
            assign_to_all_chains(h, id);
            h.state_mut().session.handle(Command::SelectObjects(vec![SceneObject::Collider(id)], SelectMode::Replace));
            open_collider_tab(h);
            zoom_to_hips(h);
        });
    }
    for (name, prefs) in [("parts-wind.png", reduced_motion_prefs()), ("parts-wind-ja.png", japanese)] {
        shot(name, prefs, &|h| {
            let part = create_element(h, NewElement::Wind, "hips");
            let ElementId::Force(id) = part else { panic!("a force") };
            let kind = ForceKind::Wind(Wind { weight: 1.0, ..Wind::default() });
            let session = &mut h.state_mut().session;
            let edit = elements::set_force_kind(session.document(), id, kind);
            session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Force"))));
            open_collider_tab(h);
            zoom_to_hips(h);
            h.run_steps(70);
        });
    }
    for (name, lang) in [("parts-high-leg.png", Lang::En), ("parts-high-leg-ja.png", Lang::Ja)] {
        shot(name, Prefs { lang, ..reduced_motion_prefs() }, &|h| {
            let hips = Node::Bone(humanoid_bone(h, "hips"));
            let session = &mut h.state_mut().session;
            let made = elements::create_high_leg(session.document(), session.character(), hips);
            let item = made.helper().map(SceneObject::Helper).expect("a node");
            session.handle(Command::ApplyEdit(made.edit, EditLabel::new(message!("Create {name}", name = made.name))));
            session.handle(Command::SelectObjects(vec![item], SelectMode::Replace));
            let idle = Edit::Batch(Vec::new());
            session.handle(Command::ApplyEdit(
                idle,
                EditLabel::new(message!("Align {n:capsule|capsules}", n = 0))
                    .with_message(message!("{n:capsule|capsules} aligned", n = 0)),
            ));
            let first = session.document().chains.iter().next().map(|(id, chain)| (*id, chain.clone()));
            let (id, mut chain) = first.expect("a chain");
            chain.name.push('!');
            let edit = Edit::PutChain { id, chain: Some(Box::new(chain)) };
            session.handle(Command::ApplyEdit(
                edit,
                EditLabel::new(message!("Add {n:length limit|length limits} between columns", n = 24))
                    .with_message(message!("{n:length limit|length limits} added", n = 24)),
            ));
            open_collider_tab(h);
            zoom_to_hips(h);
        });
    }
    for (name, prefs) in [("parts-fan.png", reduced_motion_prefs()), ("parts-fan-light.png", light)] {
        shot(name, prefs, &|h| {
            select_hair_with_limits(h);
            h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
            h.run_steps(3);
            let (bone, _) = hair_joint(h);
            let from = limit_fan_end(h, bone, 1, 20.0);
            drag_and_hold(h, from, from + vec2(-22.0, -26.0));
        });
    }
    shot("parts-lengths.png", reduced_motion_prefs(), &|h| {
        link_neighbouring_chains(h);
        h.state_mut().session.handle(Command::ClearSelection);
        h.state_mut()
            .session
            .handle(Command::SetMotion(yuremono_session::Motion::Test(yuremono_sim::rig::TestMotion::Turn)));
        h.run_steps(25);
        let part = create_element(h, NewElement::Pivot, "leftUpperArm");
        assert!(matches!(part, ElementId::Helper(_)));
    });
}

/// Returns two capsules of the loaded character that have different radii.
fn capsules_of_different_radii(h: &Harness<'_, ViewportFixture>) -> [(ColliderId, f32); 2] {
    let capsules = h.state().session.document().colliders.iter().filter_map(|(id, collider)| match collider.shape {
        ColliderShape::Capsule { radius, inside: false, .. } => Some((*id, radius)),
        _ => None,
    });
    let capsules: Vec<_> = capsules.collect();
    let other = capsules.iter().find(|(_, radius)| *radius != capsules[0].1).expect("radii differ");
    [capsules[0], *other]
}

#[test]
fn colliders_of_different_sizes_count_as_unchanged_and_reset_to_their_own_sizes() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let capsules = capsules_of_different_radii(&h);
    let items = capsules.iter().map(|(id, _)| SceneObject::Collider(*id)).collect();
    h.state_mut().session.handle(Command::SelectObjects(items, SelectMode::Replace));
    h.run_steps(3);
    assert!(h.query_by_label("Reset Radius").is_none(), "nothing was changed");
    let mut document = h.state().session.document().clone();
    let edits = capsules.iter().map(|(id, radius)| {
        elements::set_shape(&document, *id, document.colliders[id].shape.with_field(0, radius * 2.0))
    });
    let edit = Edit::Batch(edits.collect());
    document.apply(edit.clone()).expect("a fitting edit");
    h.state_mut().session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Resize"))));
    h.run_steps(3);
    h.get_by_label("Reset Radius").click();
    h.run_steps(3);
    for (id, radius) in capsules {
        assert_eq!(h.state().session.document().colliders[&id].shape.field(0), radius);
    }
}

#[test]
fn a_new_collider_is_created_at_the_selected_one_and_offered_to_chains_in_reach() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let chest = humanoid_bone(&h, "chest");
    create_element(&mut h, NewElement::Capsule, "head");
    // Bones stay selected if an element is selected, and the last selected item is the active one.
    h.state_mut().session.handle(Command::Select(vec![chest], SelectMode::Replace));
    create_element(&mut h, NewElement::Sphere, "head");
    open_collider_tab(&mut h);
    click_role(&mut h, Role::Button, "Create");
    let head = humanoid_bone(&h, "head");
    h.get_by_label(&format!("Create on {}", h.state().session.inspection().bone_name(head)));
    click_role(&mut h, Role::MenuItem, "Sphere collider");
    let session = &h.state().session;
    let Some(SceneObject::Collider(id)) = session.selection().active_object else { panic!("the new one is selected") };
    let part = ElementId::Collider(id);
    assert_eq!(part.helper(session.document()).expect("on a node").1.parent, Node::Bone(head));
    assert!(elements::affected_joints(session.document(), part).is_empty(), "nothing is assigned without a request");
    let offer = h.get_by_label_contains(" nearby chain").accesskit_node().label().expect("words");
    let chains: usize = offer.split(' ').nth(2).and_then(|n| n.parse().ok()).expect("a count");
    assert!(chains > 0, "{offer}");
    h.get_by_label(&offer).click();
    h.run_steps(3);
    let document = h.state().session.document();
    let pushed = document.chains.values().filter(|c| c.joints.iter().any(|j| j.colliders.contains(&id))).count();
    assert_eq!(pushed, chains);
    assert!(h.query_by_label_contains(" nearby chain").is_none(), "the offer was accepted");
    h.state_mut().session.handle(Command::Undo);
    assert!(elements::affected_joints(h.state().session.document(), part).is_empty(), "one undo reverts it");
}

/// Returns the entries of the open context menu.
fn menu_item_labels(h: &Harness<'_, ViewportFixture>) -> Vec<String> {
    h.query_all_by_role(Role::MenuItem).filter_map(|line| line.accesskit_node().label()).collect()
}

fn right_click(h: &mut Harness<'_, ViewportFixture>, at: Pos2) {
    h.hover_at(at);
    h.run_steps(2);
    set_pointer_button(h, at, PointerButton::Secondary, true);
    set_pointer_button(h, at, PointerButton::Secondary, false);
    h.run_steps(3);
}

#[test]
fn a_right_click_in_the_viewport_opens_the_same_menu_as_the_outliner() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.state_mut().ui.state_mut().outliner_tab = OutlinerTab::Bones;
    let (joint, middle) = hair_joint(&h);
    let at = screen_position(&mut h, middle);
    right_click(&mut h, at);
    let in_view = menu_item_labels(&h);
    assert!(h.state().session.selection().is_highlighted(h.state().session.document(), joint), "the click selects it");
    h.key_press(Key::Escape);
    h.run_steps(3);
    assert!(menu_item_labels(&h).is_empty());
    let active = h.state().session.selection().active.expect("selected above");
    let name = h.state().session.inspection().bone_name(active).to_owned();
    h.get_by_role_and_label(Role::TreeItem, &name).click_secondary();
    h.run_steps(3);
    assert_eq!(in_view, menu_item_labels(&h));
    assert!(in_view.len() > 5, "{in_view:?}");
    h.key_press(Key::Escape);
    h.run_steps(3);
    // Dragging with the secondary button pans the view and opens no menu.
    h.hover_at(at);
    set_pointer_button(&mut h, at, PointerButton::Secondary, true);
    move_pointer(&mut h, at, at + vec2(40.0, 0.0));
    set_pointer_button(&mut h, at + vec2(40.0, 0.0), PointerButton::Secondary, false);
    h.run_steps(3);
    assert!(menu_item_labels(&h).is_empty());
}

#[test]
fn a_shape_or_force_field_out_of_range_shows_a_warning() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let warned = |h: &Harness<'_, ViewportFixture>| h.query_all_by_label_contains("Out of range").count();
    let ElementId::Force(force) = create_element(&mut h, NewElement::Wind, "hips") else { panic!("a force") };
    assert_eq!(warned(&h), 0);
    let mut blown = h.state().session.document().forces[&force].clone();
    // A file may contain a value outside the range that the panel allows.
    blown.kind = ForceKind::Wind(Wind { weight: 7.0, ..Wind::default() });
    h.state_mut().session.handle(Command::ApplyEdit(
        Edit::PutForce { id: force, force: Some(blown) },
        EditLabel::new(message!("Force")),
    ));
    h.run_steps(3);
    assert_eq!(warned(&h), 1);
    h.get_by_label_contains("Out of range (0 to 1)");
    let ElementId::Collider(id) = create_element(&mut h, NewElement::Sphere, "head") else { panic!("a collider") };
    assert_eq!(warned(&h), 0);
    let mut small = h.state().session.document().colliders[&id].clone();
    small.shape = ColliderShape::Sphere { radius: -0.2, inside: false };
    h.state_mut().session.handle(Command::ApplyEdit(
        Edit::PutCollider { id, collider: Some(small) },
        EditLabel::new(message!("Resize")),
    ));
    h.run_steps(3);
    assert_eq!(warned(&h), 1);
}
