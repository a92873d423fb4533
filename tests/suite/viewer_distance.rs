//! Tests the viewer position: solvers that stop far from the viewer, solvers that ignore the viewer, and the source of
//! the position.

use super::support::sample;
use super::viewport::{reduced_motion_prefs, screen_position, viewport_fixture, viewport_harness};
use egui::vec2;
use glam::Vec3;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{ChainId, ComponentLists, Edit, GestureSample, Node};
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::solver::dynamic_bone::{DISTANCE_TO_OBJECT, DISTANT_DISABLE};

const NEAR_VIEWER: Vec3 = Vec3::new(0.0, 1.0, 3.0);
const FAR_VIEWER: Vec3 = Vec3::new(0.0, 1.0, 30.0);

/// Returns a session of the rotating sample character with `DynamicBone` and the given values of the component.
fn dynamic_bone_session(numbers: &[(ParamId, f32)], reference: Option<&str>) -> Session {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut document =
        yuremono_model::feel::convert::convert(&opened.document, &opened.character, SolverKind::DynamicBone).after;
    let ids: Vec<_> = document.systems.keys().copied().collect();
    for system in ids {
        for (param, value) in numbers {
            document
                .apply(Edit::SetSystemValue { system, param: *param, value: *value })
                .expect("a row of the component");
        }
        let ComponentLists::DynamicBone(own) =
            &mut document.systems.get_mut(&system).expect("a system").component_lists
        else {
            panic!("a DynamicBone has its own lists")
        };
        let bone = |role: &str| Node::Bone(opened.character.humanoid.bone(role).expect("a bone of the sample"));
        own.reference = reference.map(bone);
    }
    let mut session = Session::new(opened.character, document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    session
}

const DISABLED_WHEN_DISTANT: [(ParamId, f32); 2] = [(DISTANT_DISABLE, 1.0), (DISTANCE_TO_OBJECT, 5.0)];

fn advance_ticks(session: &mut Session, ticks: usize) {
    (0..ticks).for_each(|_| session.advance(1.0 / 60.0));
}

fn simulated_bones(session: &Session) -> Vec<BoneId> {
    session.resolved().joint_refs.iter().flatten().map(|joint| joint.bone).collect()
}

/// Returns the maximum rotation of a joint relative to the input pose, as the length of the quaternion difference.
fn max_rotation_from_rest(session: &Session) -> f32 {
    let rest = &session.resolved().skeleton;
    let turn = |bone: BoneId| {
        let frames = session.playback().displayed_pose();
        let above = rest.get_parent(bone).map_or(glam::Quat::IDENTITY, |p| frames.frame(p).rotation);
        let local = above.inverse() * frames.frame(bone).rotation;
        let still = rest.bone(bone).rest.rotation;
        (local - still).length().min((local + still).length())
    };
    simulated_bones(session).into_iter().map(turn).fold(0.0, f32::max)
}

fn rotation_bits(session: &Session) -> Vec<[u32; 4]> {
    let pose = session.playback().world().pose();
    pose.local.iter().map(|local| local.rotation.to_array().map(f32::to_bits)).collect()
}

#[test]
fn joints_rest_while_the_viewer_is_far_and_swing_again_when_it_is_near() {
    let mut session = dynamic_bone_session(&DISABLED_WHEN_DISTANT, None);
    advance_ticks(&mut session, 30);
    assert!(max_rotation_from_rest(&session) > 0.01, "without a viewer the hair moves");
    session.handle(Command::SetViewer(NEAR_VIEWER));
    advance_ticks(&mut session, 10);
    assert!(max_rotation_from_rest(&session) > 0.01, "{}", max_rotation_from_rest(&session));
    session.handle(Command::SetViewer(FAR_VIEWER));
    advance_ticks(&mut session, 2);
    assert!(max_rotation_from_rest(&session) < 1e-4, "the rotation is still {}", max_rotation_from_rest(&session));
    session.handle(Command::SetViewer(Vec3::splat(f32::NAN)));
    advance_ticks(&mut session, 30);
    assert!(max_rotation_from_rest(&session) < 1e-4, "a NaN viewer position changes nothing");
    session.handle(Command::SetViewer(NEAR_VIEWER));
    advance_ticks(&mut session, 30);
    assert!(max_rotation_from_rest(&session) > 0.01, "{}", max_rotation_from_rest(&session));
}

#[test]
fn the_viewer_is_ignored_with_a_reference_bone_or_without_distant_disable() {
    for (numbers, reference) in [(DISABLED_WHEN_DISTANT.as_slice(), Some("hips")), (&[], None)] {
        let (mut reported, mut untold) =
            (dynamic_bone_session(numbers, reference), dynamic_bone_session(numbers, reference));
        reported.handle(Command::SetViewer(FAR_VIEWER));
        advance_ticks(&mut reported, 40);
        advance_ticks(&mut untold, 40);
        assert!(max_rotation_from_rest(&reported) > 0.01);
        assert!(rotation_bits(&reported) == rotation_bits(&untold), "{reference:?}");
    }
}

#[test]
fn edits_pose_reset_and_a_replaced_character_keep_the_viewer() {
    let mut session = dynamic_bone_session(&DISABLED_WHEN_DISTANT, None);
    let before = session.document().clone();
    session.handle(Command::SetViewer(FAR_VIEWER));
    assert_eq!(session.document(), &before);
    assert!(session.history().next_undo().is_none() && !session.history().is_dirty(), "not an edit");
    let id: ChainId = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::DeleteChains(vec![id]));
    session.handle(Command::ResetPose);
    let character = session.character().clone();
    session.replace_character(character);
    session.handle(Command::SetPlaying(true));
    advance_ticks(&mut session, 10);
    assert_eq!(session.playback().world().viewer(), Some(FAR_VIEWER));
    assert!(max_rotation_from_rest(&session) < 1e-4);
}

#[test]
fn the_preview_world_has_the_same_viewer() {
    let mut session = dynamic_bone_session(&DISABLED_WHEN_DISTANT, None);
    session.handle(Command::SetViewer(NEAR_VIEWER));
    advance_ticks(&mut session, 10);
    let id: ChainId = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::PreviewEdit(Some(Edit::SetBaseValue { chain: id, param: ParamId(0), value: 0.33 })));
    assert!(session.playback().is_previewing());
    advance_ticks(&mut session, 20);
    assert!(max_rotation_from_rest(&session) > 0.01);
    session.handle(Command::SetViewer(FAR_VIEWER));
    advance_ticks(&mut session, 2);
    assert!(session.playback().is_previewing() && max_rotation_from_rest(&session) < 1e-4);
}

#[test]
fn a_gesture_with_equal_viewer_motion_gives_identical_rotations() {
    let play = |wobble: f32| {
        let mut session = dynamic_bone_session(&DISABLED_WHEN_DISTANT, None);
        session.handle(Command::SetMotion(Motion::Still));
        session.handle(Command::ResetPose);
        let head = session.character().humanoid.bone("head").expect("the sample has a head");
        for tick in 0..90_u16 {
            let eye = if (30..50).contains(&tick) { FAR_VIEWER } else { NEAR_VIEWER };
            session.handle(Command::SetViewer(eye + Vec3::X * wobble * f32::from(tick % 7)));
            let offset = Vec3::X * 0.05 * libm::sinf(f32::from(tick) * 0.2);
            session.handle(Command::DragBone(head, GestureSample { offset, ..GestureSample::default() }));
            session.handle(Command::StepOnce);
        }
        rotation_bits(&session)
    };
    let first = play(0.0);
    assert!(first == play(0.0));
    assert!(first == play(0.01), "all viewer positions within the distance are equal");
}

#[test]
fn the_viewport_camera_is_the_viewer() {
    let mut fixture = viewport_fixture(reduced_motion_prefs());
    fixture.session = dynamic_bone_session(&DISABLED_WHEN_DISTANT, None);
    let mut h = viewport_harness(fixture);
    let eye = |h: &mut egui_kittest::Harness<'_, super::viewport::ViewportFixture>| {
        h.state_mut().ui.viewport_mut().camera().eye()
    };
    let near = eye(&mut h);
    h.run_steps(2);
    assert_eq!(h.state().session.playback().world().viewer(), Some(near));
    h.run_steps(20);
    assert!(max_rotation_from_rest(&h.state().session) > 0.01, "{near} is near");
    let middle = screen_position(&mut h, Vec3::Y);
    h.hover_at(middle);
    for _ in 0..12 {
        h.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: vec2(0.0, -150.0),
            modifiers: egui::Modifiers::NONE,
            source: egui::MouseWheelSource::Unknown,
            phase: egui::TouchPhase::Move,
        });
        h.run_steps(12);
    }
    h.run_steps(3);
    let far = eye(&mut h);
    assert!(far.length() > 10.0, "zoomed out to {far}");
    assert_eq!(h.state().session.playback().world().viewer(), Some(far));
    assert!(max_rotation_from_rest(&h.state().session) < 1e-4);
}

#[test]
fn the_command_line_simulates_without_a_viewer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = |name: &str, numbers: &[(ParamId, f32)], reference: Option<&str>| {
        let session = dynamic_bone_session(numbers, reference);
        let skeleton = &session.character().skeleton;
        let bytes = project::write(session.document(), skeleton, &ProjectMetadata::default());
        let [setup, out] = ["yure", "csv"].map(|ending| folder.path().join(format!("{name}.{ending}")));
        std::fs::write(&setup, bytes).expect("written");
        let mut command = crate::support::yuremono_command();
        let args = ["--motion", "turn", "--seconds", "0.5", "--out"];
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
        command.arg("simulate").arg(sample).arg("--setup").arg(&setup).args(args).arg(&out).assert().success();
        std::fs::read(out).expect("written")
    };
    let (free, near) = (rows("free", &[], None), (DISTANCE_TO_OBJECT, 0.001));
    assert!(free == rows("viewer", &[(DISTANT_DISABLE, 1.0), near], None), "the joints keep swinging");
    let resting = rows("bone", &[(DISTANT_DISABLE, 1.0), near], Some("leftHand"));
    assert!(free != resting, "a reference bone is used without a viewer");
}
