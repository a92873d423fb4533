//! The viewport as an artist meets it: joints pointed at and clicked, rings dragged, tips pulled, the camera turned.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at the window.

use super::support;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use eframe::egui_glow::CallbackFn;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use std::sync::{Arc, Mutex};
use yuremono::rig::BoneId;
use yuremono::schema::find_row;
use yuremono::session::{Command, Motion, Pick, Recording, Session};
use yuremono::stage::Shot;
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::{self, Lang};
use yuremono::ui::{FileView, Input, Prefs, Toggles, Ui, kit::fonts};
use yuremono::view::{Area, Backdrop, DrawInput, Scene};

pub(super) struct Desk {
    pub(super) session: Session,
    pub(super) ui: Ui,
    is_sample: bool,
}

pub(super) fn desk(prefs: Prefs) -> Desk {
    let opened = support::sample(yuremono::sim::SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    Desk { session, ui: Ui::new(prefs), is_sample: false }
}

/// Her extent, roughly.
const BOUNDS: [Vec3; 2] = [Vec3::new(-0.6, 0.0, -0.3), Vec3::new(0.6, 1.6, 0.3)];

/// Makes the shape that draws the character.
type SceneShape = dyn Fn(Rect, Shot, &[bool]) -> Option<egui::Shape>;

fn frame(ui: &mut egui::Ui, desk: &mut Desk) {
    frame_with(ui, desk, &|_, _, _| None);
}

fn frame_with(ui: &mut egui::Ui, desk: &mut Desk, scene: &SceneShape) {
    desk.session.advance(1.0 / 60.0);
    let input = Input {
        session: &desk.session,
        file: FileView { name: "sample.vrm", is_sample: desk.is_sample, ..FileView::default() },
        scene,
        bounds: Some(BOUNDS),
        step_seconds: 0.0,
        matching: yuremono::ui::MatchView::None,
    };
    let output = desk.ui.show(ui, &input);
    output.commands.into_iter().for_each(|command| desk.session.handle(command));
}

pub(super) fn still() -> Prefs {
    Prefs { reduce_motion: true, ..Prefs::default() }
}

pub(super) fn harness(desk: Desk) -> Harness<'static, Desk> {
    let mut h = Harness::builder()
        .with_size(vec2(1440.0, 900.0))
        .with_step_dt(1.0 / 60.0)
        .with_context_setup(fonts::install)
        .build_ui_state(frame, desk);
    h.run_steps(4);
    h
}

/// Where a point of the world is on the screen.
pub(super) fn place(h: &mut Harness<'_, Desk>, world: Vec3) -> Pos2 {
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    let shot = *h.state_mut().ui.viewport_mut().shot().expect("a frame was drawn");
    let seen = shot.project(world).expect("in front").pixel;
    corner + vec2(seen.x, seen.y)
}

/// A joint of the longest chain, a twin tail, below the arm that it hangs behind, and the middle of its bone.
pub(super) fn hair(h: &Harness<'_, Desk>) -> (BoneId, Vec3) {
    let session = &h.state().session;
    let chains = session.document().chains.values();
    let chain = chains.max_by_key(|c| c.joints.len()).expect("she has hair");
    let bone = chain.joints[chain.joints.len() * 5 / 8].bone;
    let head = session.playback().shown().frame(bone).position;
    (bone, (head + session.playback().shown_tip(bone).expect("a joint")) * 0.5)
}

pub(super) fn glide(h: &mut Harness<'_, Desk>, from: Pos2, to: Pos2) {
    for i in 1..=8_u8 {
        h.hover_at(from + (to - from) * f32::from(i) / 8.0);
        h.step();
    }
}

pub(super) fn press(h: &mut Harness<'_, Desk>, at: Pos2, button: PointerButton, pressed: bool) {
    h.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
    h.step();
}

pub(super) fn drag_and_hold(h: &mut Harness<'_, Desk>, from: Pos2, to: Pos2) {
    h.hover_at(from);
    h.run_steps(2);
    press(h, from, PointerButton::Primary, true);
    glide(h, from, to);
}

pub(super) fn click(h: &mut Harness<'_, Desk>, at: Pos2) {
    h.hover_at(at);
    h.run_steps(2);
    press(h, at, PointerButton::Primary, true);
    press(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

pub(super) fn head_grip(h: &mut Harness<'_, Desk>) -> (BoneId, Pos2) {
    let session = &h.state().session;
    let head = session.character().humanoid.bone("head").expect("she has a head");
    let at = session.playback().shown().frame(head).position;
    let shot = *h.state_mut().ui.viewport_mut().shot().expect("a frame was drawn");
    let ring = yuremono::stage::overlay::ring(&shot, at, 0.1 * 1.6, 26.0).expect("in front");
    let corner = h.get_by_role_and_label(Role::Image, "3D viewport").rect().min;
    (head, corner + vec2(ring.grip.x, ring.grip.y))
}

#[test]
fn pointing_at_a_joint_hovers_it_and_a_click_selects_its_whole_chain() {
    let mut h = harness(desk(still()));
    let (bone, middle) = hair(&h);
    let at = place(&mut h, middle);
    h.hover_at(at);
    h.run_steps(2);
    assert_eq!(h.state().session.selection().hovered, Some(bone));
    click(&mut h, at);
    let session = &h.state().session;
    assert_eq!(session.selection().active, Some(bone));
    let (chain, _) = session.document().joint_of(bone).expect("a joint");
    assert_eq!(session.inspection().targets().chains, vec![chain]);
    let empty = h.get_by_role_and_label(Role::Image, "3D viewport").rect().left_center() + vec2(90.0, 120.0);
    click(&mut h, empty);
    assert!(h.state().session.selection().bones.is_empty(), "a click beside her deselects");
    assert_eq!(h.state().session.selection().hovered, None);
}

#[test]
fn dragging_the_head_ring_moves_the_head_and_swings_the_hair_and_letting_go_springs_back() {
    let mut h = harness(desk(still()));
    let (head, grip) = head_grip(&mut h);
    let (hair, _) = hair(&h);
    let (rest, tip) =
        (h.state().session.playback().shown().frame(head).position, h.state().session.playback().shown_tip(hair));
    drag_and_hold(&mut h, grip, grip + vec2(80.0, 0.0));
    h.run_steps(6);
    let session = &h.state().session;
    assert_eq!(session.playback().drags().first().map(|d| d.bone), Some(head));
    let moved = session.playback().shown().frame(head).position - rest;
    assert!(moved.x > 0.05 && moved.y.abs() < 0.02, "to the right: {moved}");
    assert!(
        session.playback().shown_tip(hair).expect("a joint").distance(tip.expect("a joint")) > 0.02,
        "her hair follows"
    );
    press(&mut h, grip + vec2(80.0, 0.0), PointerButton::Primary, false);
    h.run_steps(40);
    assert!(h.state().session.playback().drags().is_empty());
    assert!(h.state().session.playback().shown().frame(head).position.distance(rest) < 1e-3);
}

#[test]
fn a_drag_goes_on_outside_the_viewport_and_escape_puts_it_back() {
    let mut h = harness(desk(still()));
    let (head, grip) = head_grip(&mut h);
    let rest = h.state().session.playback().shown().frame(head).position;
    drag_and_hold(&mut h, grip, Pos2::new(20.0, 20.0));
    let moved = h.state().session.playback().shown().frame(head).position.distance(rest);
    assert!(moved > 0.1 && moved < 0.3, "as far as a head may go: {moved}");
    h.key_press(Key::Escape);
    h.run_steps(2);
    glide(&mut h, Pos2::new(20.0, 20.0), grip);
    h.run_steps(40);
    assert!(h.state().session.playback().shown().frame(head).position.distance(rest) < 1e-3);
}

#[test]
fn a_drag_on_hair_moves_the_head_that_it_hangs_on() {
    let mut h = harness(desk(still()));
    let (bone, middle) = hair(&h);
    let at = place(&mut h, middle);
    let head = h.state().session.character().humanoid.bone("head").expect("she has a head");
    drag_and_hold(&mut h, at, at + vec2(0.0, 50.0));
    let session = &h.state().session;
    assert_eq!(session.playback().drags().first().map(|d| d.bone), Some(head));
    assert!(session.document().joint_of(bone).is_some() && session.playback().grabbed().is_none());
}

#[test]
fn a_tip_can_be_pulled_and_is_let_go() {
    let mut h = harness(desk(still()));
    h.key_press(Key::E);
    h.run_steps(2);
    let (bone, _) = hair(&h);
    let chain = h.state().session.document().joint_of(bone).expect("a joint").0;
    let last = h.state().session.document().chains[&chain].joints.last().expect("joints").bone;
    let tip = h.state().session.playback().shown_tip(last).expect("a joint");
    let at = place(&mut h, tip);
    drag_and_hold(&mut h, at, at - vec2(0.0, 70.0));
    h.run_steps(10);
    let session = &h.state().session;
    assert_eq!(session.playback().grabbed(), Some(last));
    assert!(session.playback().shown_tip(last).expect("a joint").y > tip.y + 0.04, "the tip follows the hand");
    press(&mut h, at - vec2(0.0, 70.0), PointerButton::Primary, false);
    h.run_steps(2);
    assert_eq!(h.state().session.playback().grabbed(), None);
}

#[test]
fn the_middle_button_and_empty_space_turn_the_camera_and_f_frames_her_again() {
    let mut h = harness(desk(still()));
    let start = h.state_mut().ui.viewport_mut().camera();
    let empty = h.get_by_role_and_label(Role::Image, "3D viewport").rect().left_center() + vec2(90.0, 120.0);
    for button in [PointerButton::Middle, PointerButton::Primary] {
        let before = h.state_mut().ui.viewport_mut().camera();
        h.hover_at(empty);
        h.step();
        press(&mut h, empty, button, true);
        glide(&mut h, empty, empty + vec2(60.0, 20.0));
        press(&mut h, empty + vec2(60.0, 20.0), button, false);
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
fn space_pauses_and_the_buttons_of_the_transport_have_names() {
    let mut h = harness(desk(still()));
    assert!(h.state().session.playback().settings().playing);
    h.key_press(Key::Space);
    h.run_steps(2);
    assert!(!h.state().session.playback().settings().playing);
    h.get_by_role_and_label(Role::Button, "Play").click();
    h.run_steps(2);
    assert!(h.state().session.playback().settings().playing);
    for name in ["Back to rest", "One step", "Pause", "Motion: Still", "Record gesture", "Drag the root", "Show bones"]
    {
        h.get_by_role_and_label(Role::Button, name);
    }
    h.get_by_role_and_label(Role::Switch, "Springs back").click();
    h.run_steps(2);
    assert!(!h.state().session.playback().settings().springs_back);
    let nameless = h.get_all_by_role(Role::Button).filter(|n| n.accesskit_node().label().is_none()).count();
    assert_eq!(nameless, 0, "every button has a name");
}

#[test]
fn a_recorded_drag_becomes_a_motion_that_plays() {
    let mut h = harness(desk(still()));
    h.get_by_role_and_label(Role::Button, "Record gesture").click();
    h.run_steps(2);
    assert_eq!(*h.state().session.playback().recording(), Recording::Armed);
    let (_, grip) = head_grip(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 10.0));
    press(&mut h, grip + vec2(60.0, 10.0), PointerButton::Primary, false);
    h.run_steps(90);
    let session = &h.state().session;
    assert_eq!(session.document().gestures.len(), 1);
    assert!(matches!(session.playback().settings().motion, Motion::Gesture(_)));
    h.get_by_role_and_label(Role::Button, "Motion: Gesture 1").click();
    h.run_steps(4);
    // The menu lists her own motions as well and has to be scrolled.
    h.get_by_role_and_label(Role::Button, "Remove Gesture 1").scroll_to_me();
    h.run_steps(30);
    h.get_by_role_and_label(Role::Button, "Remove Gesture 1").click();
    h.run_steps(3);
    assert!(h.state().session.document().gestures.is_empty());
    assert_eq!(h.state().session.playback().settings().motion, Motion::Still);
}

#[test]
fn the_first_hint_goes_when_her_head_is_dragged_and_escape_takes_the_others() {
    let mut h = harness(Desk { is_sample: true, ..desk(still()) });
    h.get_by_role_and_label(Role::Button, "Put hint 1 away");
    let (_, grip) = head_grip(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(30.0, 0.0));
    press(&mut h, grip + vec2(30.0, 0.0), PointerButton::Primary, false);
    h.run_steps(2);
    assert_eq!(h.state().ui.prefs().hints_done, [true, false, false]);
    assert!(h.query_by_label("Put hint 1 away").is_none());
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert_eq!(h.state().ui.prefs().hints_done, [true; 3]);
    assert!(h.query_by_label("Put hint 3 away").is_none());
}

#[test]
fn a_project_finds_its_camera_again() {
    let mut h = harness(desk(still()));
    h.key_press(Key::Num3);
    h.run_steps(3);
    let kept = h.state_mut().ui.view_state();
    let camera = h.state_mut().ui.viewport_mut().camera();
    let mut other = desk(still());
    other.ui.character_changed();
    other.ui.restore_view(&kept);
    let mut again = harness(other);
    assert_eq!(again.state_mut().ui.viewport_mut().camera(), camera);
    again.state_mut().ui.restore_view(&serde_json::json!({ "viewport": { "yaw": "north" } }));
    again.run_steps(2);
    assert_eq!(again.state_mut().ui.viewport_mut().camera(), camera);
}

#[test]
fn every_name_of_the_viewport_is_translated() {
    let both = words::all();
    let count = |lang| both.iter().filter(|(l, key, _)| *l == lang && key.starts_with("viewport.")).count();
    assert!(count(Lang::En) > 60);
    assert_eq!(count(Lang::En), count(Lang::Ja));
}

/// The window with the character in it, as the program draws it.
pub(super) fn picture(
    desk: Desk,
    scale: f32,
    prepare: impl FnOnce(&mut Harness<'_, Desk>),
) -> Option<image::RgbaImage> {
    let headless = headless_or_skip()?;
    let scene = Arc::new(Mutex::new(Scene::new(headless.gl.clone()).expect("shaders compile")));
    scene.lock().expect("no test panicked in here").set_character(desk.session.character());
    let draw = move |ui: &mut egui::Ui, desk: &mut Desk| {
        let backdrop = if desk.ui.prefs().mode == Mode::Dark { Backdrop::DARK } else { Backdrop::LIGHT };
        let pose = desk.session.playback().shown().clone();
        let scene = Arc::clone(&scene);
        frame_with(ui, desk, &move |rect, shot, visible| {
            let (scene, pose, visible) = (Arc::clone(&scene), pose.clone(), visible.to_vec());
            let callback = CallbackFn::new(move |info, _| {
                let area = |v: egui::epaint::ViewportInPixels| Area {
                    x: v.left_px,
                    y: v.from_bottom_px,
                    width: v.width_px as u32,
                    height: v.height_px as u32,
                };
                let input = DrawInput {
                    shot: &shot,
                    pose: &pose,
                    visible: &visible,
                    morph_weights: &[],
                    backdrop: &backdrop,
                    ground: 0.0,
                };
                let mut scene = scene.lock().expect("no test panicked in here");
                scene.draw(&input, area(info.viewport_in_pixels()), area(info.clip_rect_in_pixels()));
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

pub(super) fn keep(picture: &image::RgbaImage, name: &str) {
    if let Some(folder) = std::env::var_os("YUREMONO_PICTURES") {
        picture.save(std::path::Path::new(&folder).join(name)).expect("the folder can be written");
    }
}

/// Selects the hair and gives it limits.
pub(super) fn select_with_limits(h: &mut Harness<'_, Desk>) {
    let (bone, _) = hair(h);
    let session = &mut h.state_mut().session;
    session.handle(Command::Select(vec![bone], Pick::Replace));
    let row = |name| find_row(session.document().main().table(), name).expect("a row");
    let (y, z) = (row("yAngleLimits.active"), row("zAngleLimits.active"));
    session.handle(Command::SwitchLimits(vec![y], true));
    session.handle(Command::SwitchLimits(vec![z], true));
}

#[test]
fn a_selected_chain_is_seen_in_the_accent_colour() {
    let Some(plain) = picture(desk(still()), 1.0, |_| ()) else { return };
    let Some(picked) = picture(desk(still()), 1.0, select_with_limits) else { return };
    keep(&plain, "viewport-plain.png");
    keep(&picked, "viewport-selected.png");
    let accent = yuremono::ui::kit::tokens::DARK.accent.to_array();
    let count = |picture: &image::RgbaImage| {
        // Only the middle, where she stands.
        let inside = picture.enumerate_pixels().filter(|(x, y, _)| (420..950).contains(x) && (110..700).contains(y));
        inside.filter(|(.., p)| p.0.iter().zip(accent).all(|(a, b)| a.abs_diff(b) < 6)).count()
    };
    assert!(count(&picked) > count(&plain) + 150, "{} and {}", count(&picked), count(&plain));
}

#[test]
fn the_window_is_drawn_in_light_and_at_double_size() {
    if support::folder("YUREMONO_PICTURES").is_none() {
        return;
    }
    let light = desk(Prefs { mode: Mode::Light, ..still() });
    if let Some(picture) = picture(light, 1.0, |h| {
        select_with_limits(h);
        h.get_by_role_and_label(Role::Button, "Motion: Still").click();
    }) {
        keep(&picture, "viewport-light.png");
    }
    if let Some(picture) = picture(desk(still()), 1.0, |h| {
        h.set_size(vec2(1280.0, 720.0));
        h.run_steps(3);
        h.state_mut().session.handle(Command::SetMotion(Motion::Test(yuremono::stage::TestMotion::Turn)));
        h.run_steps(24);
        h.state_mut().session.handle(Command::SetPlaying(false));
        h.run_steps(3);
        select_with_limits(h);
        let (_, middle) = hair(h);
        let at = place(h, middle);
        h.hover_at(at);
        h.run_steps(30);
    }) {
        keep(&picture, "viewport-narrow.png");
    }
    let names = Prefs { toggles: Toggles { names: true, ..Toggles::default() }, ..still() };
    if let Some(picture) = picture(desk(names), 2.0, |h| {
        let (_, grip) = head_grip(h);
        drag_and_hold(h, grip, grip + vec2(90.0, -10.0));
        h.run_steps(4);
    }) {
        keep(&picture, "viewport-double.png");
    }
}
