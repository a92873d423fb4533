//! Tests the viewport as an artist uses it: pointing at joints, clicking, dragging rings and tips, and turning the
//! camera.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the window there.

use super::support;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use eframe::egui_glow::CallbackFn;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use std::sync::{Arc, Mutex};
use yuremono::renderer::{Backdrop, DrawInput, PixelRect, SceneRenderer};
use yuremono::stage::CameraView;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{FileView, MainWindow, OverlayToggles, Prefs, UiInput, kit::fonts};
use yuremono_session::{Command, Motion, Recording, SelectMode, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::BoneId;

pub(super) struct ViewportFixture {
    pub(super) session: Session,
    pub(super) ui: MainWindow,
    is_sample: bool,
}

pub(super) fn viewport_fixture(prefs: Prefs) -> ViewportFixture {
    viewport_fixture_with(SolverKind::UnityChanSpringBone, prefs)
}

/// Returns a window with the sample character, whose chains use a solver.
pub(super) fn viewport_fixture_with(solver: SolverKind, prefs: Prefs) -> ViewportFixture {
    let opened = support::sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    ViewportFixture { session, ui: MainWindow::new(prefs), is_sample: false }
}

/// Approximate bounds of the sample character.
const CHARACTER_BOUNDS: [Vec3; 2] = [Vec3::new(-0.6, 0.0, -0.3), Vec3::new(0.6, 1.6, 0.3)];

/// A function that creates the shape that draws the character.
type MakeSceneShape = dyn Fn(Rect, CameraView, &[bool]) -> Option<egui::Shape>;

fn show_frame(ui: &mut egui::Ui, desk: &mut ViewportFixture) {
    show_frame_with_scene(ui, desk, &|_, _, _| None);
}

fn show_frame_with_scene(ui: &mut egui::Ui, desk: &mut ViewportFixture, scene: &MakeSceneShape) {
    desk.session.advance(1.0 / 60.0);
    let input = UiInput {
        session: &desk.session,
        file: FileView { name: "sample.vrm", is_sample: desk.is_sample, ..FileView::default() },
        draw_character: scene,
        bounds: Some(CHARACTER_BOUNDS),
        step_seconds: 0.0,
        picture: yuremono::ui::PictureStatus::default(),
        motion_fit: yuremono::ui::TaskStatus::Idle,
        bake: yuremono::ui::TaskStatus::Idle,
        clipping: yuremono::ui::TaskStatus::Idle,
        doctor: yuremono::ui::TaskStatus::Idle,
        capture: yuremono::ui::CaptureView::default(),
        live: yuremono::ui::LiveView::default(),
        environment: "",
        hovered_files: &[],
    };
    let output = desk.ui.show(ui, &input);
    output.commands.into_iter().for_each(|command| desk.session.handle(command));
}

pub(super) fn reduced_motion_prefs() -> Prefs {
    Prefs { reduce_motion: true, ..Prefs::default() }
}

pub(super) fn viewport_harness(desk: ViewportFixture) -> Harness<'static, ViewportFixture> {
    let mut h = Harness::builder()
        .with_size(vec2(1440.0, 900.0))
        .with_step_dt(1.0 / 60.0)
        .with_context_setup(fonts::install_unhinted)
        .build_ui_state(show_frame, desk);
    h.run_steps(4);
    h
}

/// Returns the screen position of a world point.
pub(super) fn screen_position(h: &mut Harness<'_, ViewportFixture>, world: Vec3) -> Pos2 {
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    let shot = *h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn");
    let seen = shot.project(world).expect("in front").pixel;
    corner + vec2(seen.x, seen.y)
}

/// Returns a joint of the longest chain, and the middle of the joint's bone. The chain is a twin tail, and the joint is
/// lower than the arm in front of it.
pub(super) fn hair_joint(h: &Harness<'_, ViewportFixture>) -> (BoneId, Vec3) {
    let session = &h.state().session;
    let chains = session.document().chains.values();
    let chain = chains.max_by_key(|c| c.joints.len()).expect("the sample has hair");
    let bone = chain.joints[chain.joints.len() * 5 / 8].bone;
    let head = session.playback().displayed_pose().frame(bone).position;
    (bone, (head + session.playback().displayed_tip(bone).expect("a joint")) * 0.5)
}

pub(super) fn move_pointer(h: &mut Harness<'_, ViewportFixture>, from: Pos2, to: Pos2) {
    for i in 1..=8_u8 {
        h.hover_at(from + (to - from) * f32::from(i) / 8.0);
        h.step();
    }
}

pub(super) fn set_pointer_button(h: &mut Harness<'_, ViewportFixture>, at: Pos2, button: PointerButton, pressed: bool) {
    h.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
    h.step();
}

pub(super) fn drag_and_hold(h: &mut Harness<'_, ViewportFixture>, from: Pos2, to: Pos2) {
    h.hover_at(from);
    h.run_steps(2);
    set_pointer_button(h, from, PointerButton::Primary, true);
    move_pointer(h, from, to);
}

pub(super) fn click_at(h: &mut Harness<'_, ViewportFixture>, at: Pos2) {
    h.hover_at(at);
    h.run_steps(2);
    set_pointer_button(h, at, PointerButton::Primary, true);
    set_pointer_button(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

pub(super) fn head_handle(h: &mut Harness<'_, ViewportFixture>) -> (BoneId, Pos2) {
    let session = &h.state().session;
    let head = session.character().humanoid.bone("head").expect("the sample has a head");
    let at = session.playback().displayed_pose().frame(head).position;
    let shot = *h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn");
    let ring = yuremono::stage::overlay::ring(&shot, at, 0.1 * 1.6, 26.0).expect("in front");
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    (head, corner + vec2(ring.handle.x, ring.handle.y))
}

#[test]
fn pointing_at_a_joint_hovers_it_and_a_click_selects_its_whole_chain() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, middle) = hair_joint(&h);
    let at = screen_position(&mut h, middle);
    h.hover_at(at);
    h.run_steps(2);
    assert_eq!(h.state().session.selection().hovered, Some(bone));
    click_at(&mut h, at);
    let session = &h.state().session;
    assert_eq!(session.selection().active, Some(bone));
    let (chain, _) = session.document().find_joint(bone).expect("a joint");
    assert_eq!(session.inspection().targets().chains, vec![chain]);
    let empty = h.get_by_role_and_label(Role::Image, "3D viewport").rect().left_center() + vec2(90.0, 120.0);
    click_at(&mut h, empty);
    assert!(h.state().session.selection().bones.is_empty(), "a click next to the character deselects");
    assert_eq!(h.state().session.selection().hovered, None);
}

#[test]
fn dragging_the_head_ring_moves_the_head_and_swings_the_hair_and_letting_go_springs_back() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (head, grip) = head_handle(&mut h);
    let (hair, _) = hair_joint(&h);
    let (rest, tip) = (
        h.state().session.playback().displayed_pose().frame(head).position,
        h.state().session.playback().displayed_tip(hair),
    );
    let at_rest = ["hips", "leftFoot"].map(|role| {
        let bone = h.state().session.character().humanoid.bone(role).expect("a humanoid bone");
        h.state().session.playback().displayed_pose().frame(bone).position
    });
    drag_and_hold(&mut h, grip, grip + vec2(80.0, 0.0));
    h.run_steps(6);
    let session = &h.state().session;
    assert_eq!(session.playback().drags().first().map(|d| d.bone), Some(head));
    let moved = session.playback().displayed_pose().frame(head).position - rest;
    assert!(moved.x > 0.05 && moved.y.abs() < 0.5 * moved.x, "the head leans to the right: {moved}");
    let world = session.playback().displayed_pose();
    let moved_by = |role: &str, before: Vec3| {
        world.frame(session.character().humanoid.bone(role).expect("a humanoid bone")).position.distance(before)
    };
    assert!(moved_by("hips", at_rest[0]) > 0.005, "the hips follow the head");
    assert!(moved_by("leftFoot", at_rest[1]) < 1e-3, "the feet stay on the ground");
    assert!(
        session.playback().displayed_tip(hair).expect("a joint").distance(tip.expect("a joint")) > 0.02,
        "the hair follows"
    );
    set_pointer_button(&mut h, grip + vec2(80.0, 0.0), PointerButton::Primary, false);
    h.run_steps(40);
    assert!(h.state().session.playback().drags().is_empty());
    assert!(h.state().session.playback().displayed_pose().frame(head).position.distance(rest) < 1e-3);
}

#[test]
fn a_drag_continues_outside_the_viewport_and_escape_cancels_it() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (head, grip) = head_handle(&mut h);
    let rest = h.state().session.playback().displayed_pose().frame(head).position;
    drag_and_hold(&mut h, grip, Pos2::new(20.0, 20.0));
    let moved = h.state().session.playback().displayed_pose().frame(head).position.distance(rest);
    assert!(moved > 0.1 && moved < 0.8, "the body limits the movement of the head: {moved}");
    h.key_press(Key::Escape);
    h.run_steps(2);
    move_pointer(&mut h, Pos2::new(20.0, 20.0), grip);
    h.run_steps(40);
    assert!(h.state().session.playback().displayed_pose().frame(head).position.distance(rest) < 1e-3);
}

#[test]
fn dragging_hair_moves_the_head() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, middle) = hair_joint(&h);
    let at = screen_position(&mut h, middle);
    let head = h.state().session.character().humanoid.bone("head").expect("the sample has a head");
    drag_and_hold(&mut h, at, at + vec2(0.0, 50.0));
    let session = &h.state().session;
    assert_eq!(session.playback().drags().first().map(|d| d.bone), Some(head));
    assert!(session.document().find_joint(bone).is_some() && session.playback().grabbed_tip().is_none());
}

#[test]
fn a_tip_can_be_grabbed_and_released() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.key_press(Key::E);
    h.run_steps(2);
    let (bone, _) = hair_joint(&h);
    let chain = h.state().session.document().find_joint(bone).expect("a joint").0;
    let last = h.state().session.document().chains[&chain].joints.last().expect("joints").bone;
    let tip = h.state().session.playback().displayed_tip(last).expect("a joint");
    let at = screen_position(&mut h, tip);
    drag_and_hold(&mut h, at, at - vec2(0.0, 70.0));
    h.run_steps(10);
    let session = &h.state().session;
    assert_eq!(session.playback().grabbed_tip(), Some(last));
    assert!(session.playback().displayed_tip(last).expect("a joint").y > tip.y + 0.04, "the tip follows the pointer");
    set_pointer_button(&mut h, at - vec2(0.0, 70.0), PointerButton::Primary, false);
    h.run_steps(2);
    assert_eq!(h.state().session.playback().grabbed_tip(), None);
}

#[test]
fn dragging_empty_space_orbits_the_camera_and_f_frames_the_character() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let start = h.state_mut().ui.viewport_mut().camera();
    let empty = h.get_by_role_and_label(Role::Image, "3D viewport").rect().left_center() + vec2(90.0, 120.0);
    for button in [PointerButton::Middle, PointerButton::Primary] {
        let before = h.state_mut().ui.viewport_mut().camera();
        h.hover_at(empty);
        h.step();
        set_pointer_button(&mut h, empty, button, true);
        move_pointer(&mut h, empty, empty + vec2(60.0, 20.0));
        set_pointer_button(&mut h, empty + vec2(60.0, 20.0), button, false);
        let now = h.state_mut().ui.viewport_mut().camera();
        assert!(now.yaw < before.yaw - 0.2 && now.pitch > before.pitch, "{button:?}: {now:?}");
    }
    h.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 200.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    h.run_steps(20);
    let near = h.state_mut().ui.viewport_mut().camera();
    assert!(near.distance < start.distance * 0.9, "{} from {}", near.distance, start.distance);
    h.key_press(Key::F);
    h.run_steps(3);
    let framed = h.state_mut().ui.viewport_mut().camera();
    assert!((framed.target - start.target).length() < 0.01, "{framed:?}");
    assert!(framed.distance > near.distance);
    h.key_press(Key::Num1);
    h.run_steps(3);
    assert!((h.state_mut().ui.viewport_mut().camera().yaw - start.yaw).abs() < 1e-3);
}

#[test]
fn space_pauses_and_every_button_has_a_label() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    assert!(h.state().session.playback().settings().playing);
    h.key_press(Key::Space);
    h.run_steps(2);
    assert!(!h.state().session.playback().settings().playing);
    h.get_by_role_and_label(Role::Button, "Play").click();
    h.run_steps(2);
    assert!(h.state().session.playback().settings().playing);
    for name in ["Reset pose", "One step", "Pause", "Motion: Still", "Record gesture", "Move body", "Bones"] {
        h.get_by_role_and_label(Role::Button, name);
    }
    h.get_by_role_and_label(Role::Switch, "Return on release").click();
    h.run_steps(2);
    assert!(!h.state().session.playback().settings().drags_spring_back);
    let nameless = h.get_all_by_role(Role::Button).filter(|n| n.accesskit_node().label().is_none()).count();
    assert_eq!(nameless, 0, "every button has a name");
}

#[test]
fn a_recorded_drag_is_played_as_a_motion() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.get_by_role_and_label(Role::Button, "Record gesture").click();
    h.run_steps(2);
    assert_eq!(*h.state().session.playback().recording(), Recording::Armed);
    let (_, grip) = head_handle(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 10.0));
    set_pointer_button(&mut h, grip + vec2(60.0, 10.0), PointerButton::Primary, false);
    h.run_steps(90);
    let session = &h.state().session;
    assert_eq!(session.document().gestures.len(), 1);
    assert!(matches!(session.playback().settings().motion, Motion::Gesture(_)));
    h.get_by_role_and_label(Role::Button, "Motion: Gesture 1").click();
    h.run_steps(4);
    // The menu also lists the motions of the sample character, so scroll to the entry.
    h.get_by_role_and_label(Role::Button, "Delete Gesture 1").scroll_to_me();
    h.run_steps(30);
    h.get_by_role_and_label(Role::Button, "Delete Gesture 1").click();
    h.run_steps(3);
    assert!(h.state().session.document().gestures.is_empty());
    assert_eq!(h.state().session.playback().settings().motion, Motion::Still);
}

#[test]
fn dragging_the_head_dismisses_the_first_hint_and_escape_dismisses_the_others() {
    let mut h = viewport_harness(ViewportFixture { is_sample: true, ..viewport_fixture(reduced_motion_prefs()) });
    h.get_by_role_and_label(Role::Button, "Close hint 1");
    let (_, grip) = head_handle(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(30.0, 0.0));
    set_pointer_button(&mut h, grip + vec2(30.0, 0.0), PointerButton::Primary, false);
    h.run_steps(2);
    assert_eq!(h.state().ui.prefs().dismissed_hints, [true, false, false]);
    assert!(h.query_by_label("Close hint 1").is_none());
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert_eq!(h.state().ui.prefs().dismissed_hints, [true; 3]);
    assert!(h.query_by_label("Close hint 3").is_none());
}

#[test]
fn restore_view_restores_the_camera_and_ignores_invalid_values() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.key_press(Key::Num3);
    h.run_steps(3);
    let kept = h.state_mut().ui.view_state();
    let camera = h.state_mut().ui.viewport_mut().camera();
    let mut other = viewport_fixture(reduced_motion_prefs());
    other.ui.forget_character();
    other.ui.restore_view(&kept);
    let mut again = viewport_harness(other);
    assert_eq!(again.state_mut().ui.viewport_mut().camera(), camera);
    again.state_mut().ui.restore_view(&serde_json::json!({ "viewport": { "yaw": "north" } }));
    again.run_steps(2);
    assert_eq!(again.state_mut().ui.viewport_mut().camera(), camera);
}

/// Renders the window with the character, as the program draws it.
pub(super) fn render_viewport_or_skip(
    desk: ViewportFixture,
    scale: f32,
    prepare: impl FnOnce(&mut Harness<'_, ViewportFixture>),
) -> Option<image::RgbaImage> {
    let headless = headless_or_skip()?;
    let scene = Arc::new(Mutex::new(SceneRenderer::new(headless.gl.clone()).expect("shaders compile")));
    scene
        .lock()
        .expect("no thread panicked with the lock")
        .set_character(desk.session.character())
        .expect("the shaders compile");
    let draw = move |ui: &mut egui::Ui, desk: &mut ViewportFixture| {
        let backdrop = if desk.ui.prefs().mode == ThemeMode::Dark { Backdrop::DARK } else { Backdrop::LIGHT };
        let pose = desk.session.playback().displayed_pose().clone();
        let scene = Arc::clone(&scene);
        show_frame_with_scene(ui, desk, &move |rect, shot, visible| {
            let (scene, pose, visible) = (Arc::clone(&scene), pose.clone(), visible.to_vec());
            let callback = CallbackFn::new(move |info, _| {
                let area = |v: egui::epaint::ViewportInPixels| PixelRect {
                    x: v.left_px,
                    y: v.from_bottom_px,
                    width: v.width_px as u32,
                    height: v.height_px as u32,
                };
                let input =
                    DrawInput { visible: &visible, backdrop: &backdrop, ..support::tube::plain_input(&shot, &pose) };
                let mut scene = scene.lock().expect("no thread panicked with the lock");
                scene.draw(&input, area(info.viewport_in_pixels()), area(info.clip_rect_in_pixels()), false);
            });
            Some(egui::Shape::Callback(egui::PaintCallback { rect, callback: Arc::new(callback) }))
        });
    };
    let mut h = Harness::builder()
        .with_size(vec2(1440.0, 900.0))
        .with_pixels_per_point(scale)
        .with_context_setup(fonts::install)
        .renderer(GlowRenderer::new(headless))
        .build_ui_state(draw, desk);
    h.run_steps(3);
    prepare(&mut h);
    h.run_steps(3);
    Some(h.render().expect("drawn"))
}

pub(super) fn save_picture(picture: &image::RgbaImage, name: &str) {
    if let Some(folder) = std::env::var_os("YUREMONO_PICTURES") {
        picture.save(std::path::Path::new(&folder).join(name)).expect("the folder can be written");
    }
}

/// Selects the hair and adds limits to its joints.
pub(super) fn select_hair_with_limits(h: &mut Harness<'_, ViewportFixture>) {
    let (bone, _) = hair_joint(h);
    let session = &mut h.state_mut().session;
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let param = |name| find_param(session.document().main_system().param_defs(), name).expect("a row");
    let (y, z) = (param("yAngleLimits.active"), param("zAngleLimits.active"));
    session.handle(Command::SetLimitsEnabled(vec![y], true));
    session.handle(Command::SetLimitsEnabled(vec![z], true));
}

#[test]
fn a_selected_chain_is_drawn_in_the_accent_color() {
    let Some(plain) = render_viewport_or_skip(viewport_fixture(reduced_motion_prefs()), 1.0, |_| ()) else { return };
    let Some(picked) = render_viewport_or_skip(viewport_fixture(reduced_motion_prefs()), 1.0, select_hair_with_limits)
    else {
        return;
    };
    save_picture(&plain, "viewport-plain.png");
    save_picture(&picked, "viewport-selected.png");
    let accent = yuremono::ui::kit::tokens::DARK.accent.to_array();
    let count = |picture: &image::RgbaImage| {
        // Count only pixels in the middle of the picture, where the character is.
        let inside = picture.enumerate_pixels().filter(|(x, y, _)| (420..950).contains(x) && (110..700).contains(y));
        inside.filter(|(.., p)| p.0.iter().zip(accent).all(|(a, b)| a.abs_diff(b) < 6)).count()
    };
    assert!(count(&picked) > count(&plain) + 150, "{} and {}", count(&picked), count(&plain));
}

#[test]
fn the_window_can_be_rendered_in_the_light_theme_and_at_double_density() {
    if support::folder_or_skip("YUREMONO_PICTURES").is_none() {
        return;
    }
    let light = viewport_fixture(Prefs { mode: ThemeMode::Light, ..reduced_motion_prefs() });
    if let Some(picture) = render_viewport_or_skip(light, 1.0, |h| {
        select_hair_with_limits(h);
        h.get_by_role_and_label(Role::Button, "Motion: Still").click();
    }) {
        save_picture(&picture, "viewport-light.png");
    }
    if let Some(picture) = render_viewport_or_skip(viewport_fixture(reduced_motion_prefs()), 1.0, |h| {
        h.set_size(vec2(1280.0, 720.0));
        h.run_steps(3);
        h.state_mut().session.handle(Command::SetMotion(Motion::Test(yuremono_sim::rig::TestMotion::Turn)));
        h.run_steps(24);
        h.state_mut().session.handle(Command::SetPlaying(false));
        h.run_steps(3);
        select_hair_with_limits(h);
        let (_, middle) = hair_joint(h);
        let at = screen_position(h, middle);
        h.hover_at(at);
        h.run_steps(30);
    }) {
        save_picture(&picture, "viewport-narrow.png");
    }
    let names =
        Prefs { toggles: OverlayToggles { names: true, ..OverlayToggles::default() }, ..reduced_motion_prefs() };
    if let Some(picture) = render_viewport_or_skip(viewport_fixture(names), 2.0, |h| {
        let (_, grip) = head_handle(h);
        drag_and_hold(h, grip, grip + vec2(90.0, -10.0));
        h.run_steps(4);
    }) {
        save_picture(&picture, "viewport-double.png");
    }
}
