//! Tests camera framing, overlays, panels that cover the character, and the floating strips.

use super::support::window::{WindowFixture, window_harness};
use super::support::{figure, girl};
use super::viewport::{
    ViewportFixture, drag_and_hold, hair_joint, reduced_motion_prefs, screen_position, set_pointer_button,
    viewport_fixture, viewport_harness,
};
use egui::{Key, PointerButton, Pos2, Rect, Role, Shape, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use std::sync::Arc;
use yuremono::stage::OrbitCamera;
use yuremono::ui::{AppRequest, ColorBy, Prefs};
use yuremono_model::document::{Collider, ColliderId, Edit, EditLabel, Helper, HelperId, HelperRole, Node};
use yuremono_session::{Command, CompareLayout, CompareWith, SceneObject, SelectMode, Session, TuningScope};
use yuremono_sim::ColliderShape as Form;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::Facing;

/// Approximate bounds of the sample character, as in the other viewport tests.
const CHARACTER_BOUNDS: [Vec3; 2] = [Vec3::new(-0.6, 0.0, -0.3), Vec3::new(0.6, 1.6, 0.3)];

fn camera(h: &mut Harness<'_, ViewportFixture>) -> OrbitCamera {
    h.state_mut().ui.viewport_mut().camera()
}

fn viewport_rect<S>(h: &Harness<'_, S>) -> Rect {
    h.get_by_role_and_label(Role::Image, "3D viewport").rect()
}

#[test]
fn the_character_is_framed_beside_the_tools_and_f_restores_that_framing() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let start = camera(&mut h);
    let rect = viewport_rect(&h);
    let tools = h.get_by_role_and_label(Role::Button, "Move body").rect();
    let toggles = h.get_by_role_and_label(Role::Button, "Bones").rect();
    let transport = h.get_by_role_and_label(Role::Button, "Pause").rect();
    for corner in 0..8 {
        let pick = |axis: usize| CHARACTER_BOUNDS[corner >> axis & 1][axis];
        let at = screen_position(&mut h, Vec3::new(pick(0), pick(1), pick(2)));
        assert!(at.x > tools.right() && at.x < rect.right(), "{at:?} is right of the tools {tools:?}");
        assert!(at.y > toggles.bottom() && at.y < transport.top(), "{at:?} is between {toggles:?} and {transport:?}");
    }
    h.key_press(Key::F);
    h.run_steps(3);
    assert!((camera(&mut h).distance - start.distance).abs() < 1e-4, "F frames the character at the original size");
    h.key_press(Key::Num1);
    h.run_steps(3);
    assert!((camera(&mut h).distance - start.distance).abs() < 1e-4, "key 1 frames the character at the same size");
}

#[test]
fn resizing_the_window_frames_the_character_until_the_camera_is_moved() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let start = camera(&mut h).distance;
    h.set_size(vec2(1440.0, 640.0));
    h.run_steps(4);
    let rect = viewport_rect(&h);
    let feet = screen_position(&mut h, Vec3::new(0.0, 0.0, 0.0));
    assert!(feet.y < rect.bottom() - 60.0, "the feet are visible: {feet:?} in {rect:?}");
    h.set_size(vec2(1440.0, 900.0));
    h.run_steps(4);
    assert!((camera(&mut h).distance - start).abs() < 1e-4);
    let empty = viewport_rect(&h).left_center() + vec2(90.0, 120.0);
    drag_and_hold(&mut h, empty, empty + vec2(60.0, 20.0));
    set_pointer_button(&mut h, empty + vec2(60.0, 20.0), PointerButton::Primary, false);
    let turned = camera(&mut h);
    h.set_size(vec2(1440.0, 640.0));
    h.run_steps(4);
    assert_eq!(camera(&mut h), turned, "a camera that the artist moved does not change");
}

#[test]
fn a_dialog_on_the_left_frames_the_character_in_the_free_area() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.set_size(vec2(1280.0, 720.0));
    h.run_steps(4);
    let start = camera(&mut h);
    h.key_press_modifiers(egui::Modifiers::COMMAND, Key::E);
    h.run_steps(6);
    let dialog = h.get_by_role_and_label(Role::Button, "Close").rect();
    for x in [-0.6, 0.6] {
        let hand = screen_position(&mut h, Vec3::new(x, 1.6, 0.0));
        assert!(hand.x > dialog.right() && hand.x < viewport_rect(&h).right(), "{hand:?} is right of {dialog:?}");
    }
    h.key_press(Key::Escape);
    h.run_steps(6);
    assert!((camera(&mut h).distance - start.distance).abs() < 1e-4, "the camera returns when the dialog is closed");
}

#[test]
fn a_new_character_is_shown_from_the_front_for_any_facing() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    for facing in [Facing::MinusZ, Facing::PlusZ] {
        let character = yuremono_sim::rig::Character { facing, ..figure::character() };
        let document = figure::document(&character);
        h.state_mut().session = Session::new(Arc::new(character), document);
        h.state_mut().ui.forget_character();
        h.run_steps(3);
        let front = if facing == Facing::PlusZ { 1.0 } else { -1.0 };
        assert!(camera(&mut h).eye().z * front > 1.0, "{facing:?}: {:?}", camera(&mut h));
    }
}

/// Returns the shapes painted within the viewport, with groups flattened.
pub(super) fn painted_shapes(h: &Harness<'_, ViewportFixture>) -> Vec<Shape> {
    fn flatten_shapes(shape: &Shape, into: &mut Vec<Shape>) {
        match shape {
            Shape::Vec(all) => all.iter().for_each(|shape| flatten_shapes(shape, into)),
            Shape::Noop => {}
            shape => into.push(shape.clone()),
        }
    }
    let mut all = Vec::new();
    h.output().shapes.iter().for_each(|clipped| flatten_shapes(&clipped.shape, &mut all));
    let rect = viewport_rect(h);
    all.retain(|shape| rect.contains_rect(shape.visual_bounding_rect()));
    all
}

/// Returns the number of painted paths and meshes: bone outlines, rings, fans and arrows. Strips consist of rectangles,
/// circles and text, so they are not counted.
fn overlay_shape_count(h: &Harness<'_, ViewportFixture>) -> usize {
    painted_shapes(h).iter().filter(|shape| matches!(shape, Shape::Path(_) | Shape::Mesh(_))).count()
}

#[test]
fn h_hides_and_shows_all_overlays_and_keeps_the_selection() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, middle) = hair_joint(&h);
    h.state_mut().session.handle(Command::SetPlaying(false));
    h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
    h.run_steps(3);
    let shown = overlay_shape_count(&h);
    assert!(shown > 50, "{shown}");
    h.key_press(Key::H);
    h.run_steps(60);
    assert!(overlay_shape_count(&h) < 12, "only strips remain: {}", overlay_shape_count(&h));
    assert!(h.query_by_label("gravity").is_none(), "the legend does not list hidden overlays");
    let at = screen_position(&mut h, middle);
    h.hover_at(at);
    h.run_steps(2);
    assert_eq!(h.state().session.selection().hovered, None, "hidden overlays are not hit targets");
    assert_eq!(h.state().session.selection().active, Some(bone), "the selection itself stays");
    h.get_by_role_and_label(Role::Button, "Hide all overlays").click();
    h.run_steps(3);
    assert!(overlay_shape_count(&h) >= shown, "{} and {shown}", overlay_shape_count(&h));
    let menus = h.get_all_by_role_and_label(Role::Button, "View");
    menus.filter(|node| node.rect().top() < 40.0).for_each(|menu| menu.click());
    h.run_steps(3);
    let listed = h.get_all_by_label_contains("Hide all overlays").count();
    assert_eq!(listed, 2, "the button of the strip and the menu item");
    h.key_press(Key::Escape);
    h.run_steps(2);
    h.key_press(Key::F1);
    h.run_steps(3);
    h.get_by_label("Hide all overlays: H");
}

/// Returns the radius of the largest filled circle around a position.
fn largest_dot_radius(h: &Harness<'_, ViewportFixture>, at: Pos2) -> f32 {
    let circles = painted_shapes(h).into_iter().filter_map(|shape| match shape {
        Shape::Circle(circle) if circle.center.distance(at) < 1.5 => Some(circle.radius),
        _ => None,
    });
    circles.fold(0.0, f32::max)
}

#[test]
fn joint_dots_shrink_with_camera_distance() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, _) = hair_joint(&h);
    h.state_mut().session.handle(Command::SetPlaying(false));
    h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
    h.run_steps(3);
    let head = h.state().session.playback().displayed_pose().frame(bone).position;
    let at = screen_position(&mut h, head);
    let near = largest_dot_radius(&h, at);
    let seen = serde_json::json!({ "viewport": {
        "target": [0.0, 0.8, 0.0], "yaw": 0.0, "pitch": 0.0, "distance": 14.0, "fov": 0.52 } });
    h.state_mut().ui.restore_view(&seen);
    h.run_steps(3);
    let at = screen_position(&mut h, head);
    let far = largest_dot_radius(&h, at);
    assert!(near > 3.0 && far > 0.5 && far < near * 0.7, "{near} near, {far} far");
}

#[test]
fn hundreds_of_bones_are_drawn_faintly_and_fainter_next_to_a_selection() {
    // Returns the opacity of the strongest line of an unselected bone.
    let strongest = |h: &Harness<'_, ViewportFixture>| {
        let lines = painted_shapes(h).into_iter().filter_map(|shape| match shape {
            Shape::Path(path) if path.closed && path.stroke.width <= 1.3 => match path.stroke.color {
                egui::epaint::ColorMode::Solid(color) if color.r() == color.g().min(color.r()) => Some(color.a()),
                _ => None,
            },
            // Unselected bones are one mesh.
            Shape::Mesh(mesh) => {
                let grey = mesh.vertices.iter().map(|vertex| vertex.color).filter(|color| color.r() <= color.g());
                grey.map(|color| color.a()).max()
            }
            _ => None,
        });
        lines.max().unwrap_or(0)
    };
    let crowd = |select: bool| {
        let mut desk = viewport_fixture(reduced_motion_prefs());
        desk.session = session_with_many_bones();
        let mut h = viewport_harness(desk);
        if select {
            let root = h.state().session.document().chains.values().next().expect("a chain").root();
            h.state_mut().session.handle(Command::Select(vec![root], SelectMode::Replace));
            h.run_steps(3);
        }
        h.state_mut().ui.state_mut().prefs.toggles.handles = false;
        h.run_steps(2);
        strongest(&h)
    };
    let mut few = viewport_fixture(reduced_motion_prefs());
    few.session = girl::session();
    few.ui.state_mut().prefs.toggles.handles = false;
    let few = strongest(&viewport_harness(few));
    let (many, beside) = (crowd(false), crowd(true));
    assert!(few > many && many > beside && beside > 0, "{few}, {many}, {beside}");
}

/// Returns a session with six hundred joints in sixty chains around the head.
fn session_with_many_bones() -> Session {
    use yuremono_model::document::{Chain, ChainId, ChainPart, Document, Joint};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId, Character, Skeleton};
    let mut bones = vec![Bone { name: "Root".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Y * 1.4) }];
    let mut document = Document::default();
    for chain in 0..60_u16 {
        let turn = f32::from(chain) / 60.0 * std::f32::consts::TAU;
        let out = Vec3::new(libm::sinf(turn), 0.0, libm::cosf(turn)) * 0.4;
        let first = bones.len() as u32;
        for joint in 0..=10_u32 {
            let (parent, offset) = if joint == 0 { (0, out) } else { (first + joint - 1, Vec3::NEG_Y * 0.11) };
            let rest = Trs::from_translation(offset);
            bones.push(Bone { name: format!("{chain}_{joint}"), parent: Some(BoneId(parent)), rest });
        }
        let joints = (first..first + 10).map(|bone| Joint::new(BoneId(bone))).collect();
        let chain_of = Chain::new(format!("{chain}"), ChainPart::Hair, document.main_system().param_defs(), joints);
        document.chains.insert(ChainId(u32::from(chain) + 1), chain_of);
    }
    let skeleton = Skeleton::new(bones).expect("parents first");
    let mut session = Session::new(Arc::new(Character { skeleton, ..Character::default() }), document);
    session.handle(Command::SetPlaying(false));
    session
}

/// Returns the generated girl with a selected tapered capsule on the spine.
fn fixture_with_tapered_capsule() -> (ViewportFixture, ColliderId) {
    let mut session = girl::session();
    let bone = girl::bone(&session, "Hips");
    let (helper, id) = (HelperId(90), ColliderId(90));
    let node = Helper {
        name: "Taper".to_owned(),
        parent: Node::Bone(bone),
        local: yuremono_sim::math::Trs::IDENTITY,
        role: HelperRole::Plain,
    };
    let shape = Form::TaperedCapsule { radius: 0.2, tail_radius: 0.1, height: 0.5, inside: false };
    let collider = Collider::new("Taper".to_owned(), Node::Helper(helper), shape);
    session.handle(Command::ApplyEdit(
        Edit::Batch(vec![
            Edit::PutHelper { id: helper, helper: Some(node) },
            Edit::PutCollider { id, collider: Some(collider) },
        ]),
        EditLabel::new(message!("Change")),
    ));
    session.handle(Command::SelectObjects(vec![SceneObject::Collider(id)], SelectMode::Replace));
    let mut desk = viewport_fixture(reduced_motion_prefs());
    desk.session = session;
    (desk, id)
}

#[test]
fn the_radii_of_a_tapered_capsule_can_be_dragged_separately() {
    let (desk, id) = fixture_with_tapered_capsule();
    let mut h = viewport_harness(desk);
    let shape = |h: &Harness<'_, ViewportFixture>| match h.state().session.document().colliders[&id].shape {
        Form::TaperedCapsule { radius, tail_radius, height, .. } => [radius, tail_radius, height],
        other => panic!("{other:?}"),
    };
    // Seen from the front, the handles of the radii are to the right of the ends.
    let foot = h.state().session.playback().displayed_pose().frame(girl::bone(&h.state().session, "Hips")).position;
    let grips = [foot + Vec3::X * 0.2, foot + Vec3::new(0.1, 0.5, 0.0)];
    for (field, grip) in grips.into_iter().enumerate() {
        let before = shape(&h);
        let (from, to) = (screen_position(&mut h, grip), screen_position(&mut h, grip + Vec3::X * 0.05));
        drag_and_hold(&mut h, from, to);
        set_pointer_button(&mut h, to, PointerButton::Primary, false);
        h.run_steps(2);
        let after = shape(&h);
        for at in 0..3 {
            let moved = if at == field { 0.05 } else { 0.0 };
            assert!((after[at] - before[at] - moved).abs() < 0.006, "grip {field}: {before:?} became {after:?}");
        }
    }
}

#[test]
fn a_limit_seen_edge_on_has_a_button_that_turns_the_camera_to_face_it() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, _) = hair_joint(&h);
    let session = &mut h.state_mut().session;
    session.handle(Command::SetPlaying(false));
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.handle(Command::SetTuningScope(TuningScope::Joints));
    let param = find_param(session.inspection().system().param_defs(), "yAngleLimits.active").expect("a row");
    session.handle(Command::SetLimitsEnabled(vec![param], true));
    h.run_steps(4);
    let pivot = |h: &Harness<'_, ViewportFixture>| {
        let session = &h.state().session;
        let index = session.playback().joint_index(bone).expect("a joint");
        let joint = &session.resolved().systems[index.system as usize].joints[index.joint as usize];
        session.playback().displayed_pose().frames[joint.pivot.expect("a pivot").index()]
    };
    // Y limits are in the XY plane of the pivot. Seen along Y, they are a line.
    let frame = pivot(&h);
    h.state_mut().ui.state_mut().view_direction_wanted = Some([frame.position, frame.rotation * Vec3::Y]);
    h.run_steps(4);
    h.get_by_role_and_label(Role::Button, "View this angle limit from the front").click();
    h.run_steps(4);
    let across = pivot(&h).rotation * Vec3::Z;
    let camera = camera(&mut h);
    let sight = (camera.target - camera.eye()).normalize();
    assert!(across.dot(sight).abs() > 0.999, "perpendicular to the fan: {}", across.dot(sight));
    assert!(h.query_by_label("View this angle limit from the front").is_none(), "the view is already from the front");
}

fn sample_window_harness(size: [f32; 2]) -> Harness<'static, WindowFixture> {
    let mut fixture = WindowFixture::new(girl::session(), Prefs { reduce_motion: true, ..Prefs::default() });
    fixture.is_sample = true;
    window_harness(fixture, size)
}

#[test]
fn help_shows_hints_again_that_escape_dismissed() {
    let mut h = sample_window_harness([1440.0, 900.0]);
    // A parameter edit from before the cards are shown must not dismiss the second card.
    let param = find_param(h.state().session.inspection().system().param_defs(), "stiffnessForce").expect("a row");
    h.get_by_label("Close hint 1");
    h.key_press(Key::Escape);
    h.run_steps(3);
    assert_eq!(h.state().ui.prefs().dismissed_hints, [true; 3]);
    h.state_mut().session.handle(Command::SetParam(param, 321.0));
    for is_sample in [true, false] {
        h.state_mut().is_sample = is_sample;
        h.run_steps(2);
        h.get_by_role_and_label(Role::Button, "Help").click();
        h.run_steps(3);
        h.get_by_label("Show hints").click();
        h.run_steps(3);
        assert_eq!(h.state().ui.prefs().dismissed_hints, [false; 3]);
        let opens = h.state().requests.contains(&AppRequest::OpenSample);
        assert_eq!(opens, !is_sample, "only the sample character shows the hints");
    }
    h.state_mut().is_sample = true;
    h.run_steps(2);
    h.get_by_label("Close hint 2");
    h.state_mut().session.handle(Command::SetParam(param, 400.0));
    h.run_steps(3);
    assert!(h.state().ui.prefs().dismissed_hints[1], "another edit dismisses the card");
}

#[test]
fn the_axis_buttons_do_not_overlap_the_transport_bar() {
    for width in [960.0, 1120.0, 1280.0, 1440.0, 1920.0] {
        let h = sample_window_harness([width, 720.0]);
        let switch = h.get_by_role_and_label(Role::Switch, "Return on release").rect();
        for axis in ["X", "Y", "Z"] {
            let dot = h.get_by_role_and_label(Role::Button, &format!("Look along {axis}")).rect();
            assert!(!dot.intersects(switch), "{width}: {axis} at {dot:?} over {switch:?}");
        }
    }
}

#[test]
fn wide_panels_shrink_to_leave_half_of_a_smaller_window_to_the_viewport() {
    let fixture = WindowFixture::new(girl::session(), Prefs { reduce_motion: true, ..Prefs::default() });
    let mut h = window_harness(fixture, [2560.0, 1440.0]);
    let rect = viewport_rect(&h);
    for (edge, to) in [(rect.left_center() - vec2(2.0, 0.0), 900.0), (rect.right_center() + vec2(2.0, 0.0), 1900.0)] {
        h.hover_at(edge);
        h.run_steps(2);
        h.drag_at(edge);
        h.run_steps(2);
        for step in 1..=8_u8 {
            h.hover_at(egui::pos2(edge.x + (to - edge.x) * f32::from(step) / 8.0, edge.y));
            h.run_steps(1);
        }
        h.drop_at(egui::pos2(to, edge.y));
        h.run_steps(2);
    }
    assert!(viewport_rect(&h).width() < 1300.0, "both panels are wide: {:?}", viewport_rect(&h));
    for width in [1440.0, 1280.0] {
        h.set_size(vec2(width, 900.0));
        h.run_steps(4);
        let rect = viewport_rect(&h);
        assert!(rect.width() >= width / 2.0 - 1.0 && rect.right() < width - 300.0, "{width}: {rect:?}");
    }
}

#[test]
fn a_restart_in_a_smaller_window_uses_the_default_panel_widths_of_that_size() {
    let usual = viewport_rect(&sample_window_harness([1440.0, 900.0]));
    let large = sample_window_harness([2560.0, 1440.0]);
    assert!(viewport_rect(&large).left() > usual.left() + 20.0, "a large window has wider panels");
    // This is the state that egui keeps between two runs of the program.
    let kept = large.ctx.memory(Clone::clone);
    let fixture = WindowFixture::new(girl::session(), Prefs { reduce_motion: true, ..Prefs::default() });
    let builder = Harness::builder().with_size(vec2(1440.0, 900.0));
    let builder = builder.with_context_setup(move |ctx| {
        yuremono::ui::kit::fonts::install_unhinted(ctx);
        ctx.memory_mut(|memory| memory.data = kept.data.clone());
    });
    let mut again = builder.build_ui_state(|ui, fixture: &mut WindowFixture| fixture.show(ui), fixture);
    again.run_steps(3);
    let rect = viewport_rect(&again);
    assert!((rect.left() - usual.left()).abs() < 1.0 && (rect.right() - usual.right()).abs() < 1.0, "{rect:?}");
}

#[test]
fn the_motion_menu_does_not_move_after_it_opens() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let button = h.get_by_role_and_label(Role::Button, "Motion: Still").rect().center();
    h.hover_at(button);
    h.run_steps(2);
    set_pointer_button(&mut h, button, PointerButton::Primary, true);
    set_pointer_button(&mut h, button, PointerButton::Primary, false);
    let mut places = Vec::new();
    for _ in 0..5 {
        let first = h.query_by_role_and_label(Role::MenuItemRadio, "Still");
        places.extend(first.map(|item| item.rect()));
        h.step();
    }
    assert!(places.len() >= 4, "the menu opened: {places:?}");
    assert!(places.iter().all(|at| at.min.distance(places[0].min) < 0.5), "{places:?}");
}

#[test]
fn the_start_panel_shows_feel_first_and_lists_recent_files() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs { reduce_motion: true, ..Prefs::default() });
    fixture.is_sample = true;
    fixture.recent_files = (0..8).map(|n| format!("/art/girl_{n}.vrm").into()).collect();
    let mut h = window_harness(fixture, [1440.0, 1200.0]);
    let top = |h: &Harness<'_, WindowFixture>, label: &str| h.get_by_role_and_label(Role::Slider, label).rect().top();
    assert!(top(&h, "Speed") < h.get_by_label("Open character…").rect().top());
    assert!(h.query_by_role_and_label(Role::Slider, "Stiffness").is_none(), "parameters appear only with a selection");
    let listed = h.get_all_by_role(Role::Button);
    let listed = listed.filter(|n| n.accesskit_node().label().is_some_and(|l| l.starts_with("girl_")));
    assert_eq!(listed.count(), 5, "the newest files");
    h.get_by_role_and_label(Role::Button, "girl_1.vrm").click();
    h.run_steps(2);
    assert_eq!(h.state().requests, [AppRequest::OpenPath("/art/girl_1.vrm".into())]);
}

#[test]
fn legends_cover_no_body_of_bodies_side_by_side() {
    for [width, height] in [[1440.0, 900.0], [1280.0, 720.0]] {
        let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
        h.set_size(vec2(width, height));
        let (bone, _) = hair_joint(&h);
        for command in [
            Command::SetPlaying(false),
            Command::Compare(Box::new(CompareWith::AsLoaded)),
            Command::SetCompareLayout(CompareLayout::SideBySide),
        ] {
            h.state_mut().session.handle(command);
        }
        h.run_steps(6);
        let alone = camera(&mut h).distance;
        h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
        h.state_mut().ui.state_mut().color_by = ColorBy::StrongestCause;
        h.run_steps(6);
        let row = h.state().session.body_row().expect("two bodies");
        let right = camera(&mut h).axes()[0] * row.spacing * (row.count - 1 - row.anchor) as f32;
        let hand = screen_position(&mut h, Vec3::new(CHARACTER_BOUNDS[1].x, 1.2, 0.0) + right);
        for legend in ["Strongest cause", "Close legend"] {
            let place = h.get_by_label(legend).rect();
            assert!(hand.x < place.left().min(viewport_rect(&h).right() - 204.0), "{hand:?} is left of {place:?}");
        }
        h.state_mut().session.handle(Command::ClearSelection);
        h.state_mut().ui.state_mut().color_by = ColorBy::None;
        h.run_steps(6);
        assert!((camera(&mut h).distance - alone).abs() < 1e-4, "without legends, the bodies use the whole width");
    }
}
