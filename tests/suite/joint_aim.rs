//! Tests the grip by which the artist rotates a joint within its limit.

use super::viewport::{
    ViewportFixture, drag_and_hold, hair_joint, move_pointer, reduced_motion_prefs, screen_position,
    set_pointer_button, viewport_fixture, viewport_fixture_with, viewport_harness,
};
use egui::{Key, PointerButton, Pos2, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use yuremono::stage::overlay::LIVE_LINE_SHARE;
use yuremono_model::tools::swing_limits::SwingLimitKind;
use yuremono_session::{Command, SelectMode};
use yuremono_sim::SolverKind;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::AngleKind;
use yuremono_sim::rig::BoneId;

const HINT: &str = "rotate the joint within its limit";

/// Returns the limited angles of a joint in degrees, each with its limits in ascending order.
fn angles(h: &Harness<'_, ViewportFixture>, bone: BoneId) -> Vec<(f32, Vec<f32>)> {
    let session = &h.state().session;
    let pose = session.playback().displayed_pose();
    let direction = session.playback().displayed_tip(bone).expect("a joint") - pose.frame(bone).position;
    let limited = session.inspection().joint_angles(bone).into_iter().filter(|angle| angle.kind != AngleKind::FromRest);
    limited.map(|angle| (angle.degrees(pose, direction), angle.limits)).collect()
}

/// Returns the positions of the head and of the grip of a joint on the screen. Finds the grip by its hint.
fn head_and_grip(h: &mut Harness<'_, ViewportFixture>, bone: BoneId) -> (Pos2, Pos2) {
    let playback = h.state().session.playback();
    let (head, tip) = (playback.displayed_pose().frame(bone).position, playback.displayed_tip(bone).expect("a joint"));
    let (head, tip) = (screen_position(h, head), screen_position(h, tip));
    let outwards = (tip - head).normalized();
    let shows_hint = |distance: &f32| {
        h.hover_at(head + outwards * *distance);
        h.run_steps(2);
        h.state_mut().ui.state_mut().mouse_hints.iter().any(|(_, effect)| effect == HINT)
    };
    let found: Vec<f32> = (8..40_u8).map(|at| f32::from(at) * 4.0).filter(shows_hint).collect();
    let (Some(first), Some(last)) = (found.first(), found.last()) else { panic!("no grip at the bone") };
    assert!((10.0..26.0).contains(&(last - first)), "the grip is as large as other handles: {found:?}");
    (head, head + outwards * (0.5 * (first + last)))
}

/// Moves the pointer on a circle around the head, by an angle in degrees.
fn move_around(h: &mut Harness<'_, ViewportFixture>, (head, from): (Pos2, Pos2), degrees: f32) -> Pos2 {
    let at = |share: f32| head + egui::emath::Rot2::from_angle(degrees.to_radians() * share) * (from - head);
    for i in 1..=24_u8 {
        h.hover_at(at(f32::from(i) / 24.0));
        h.step();
    }
    at(1.0)
}

/// Returns a paused window in which the hair is selected and has limits. The camera faces the Y limits, so that the Z
/// limits have a button that turns the view.
fn fan_harness() -> (Harness<'static, ViewportFixture>, BoneId) {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (bone, _) = hair_joint(&h);
    let session = &mut h.state_mut().session;
    session.handle(Command::SetPlaying(false));
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let table = session.inspection().system().param_defs();
    let active = ["yAngleLimits.active", "zAngleLimits.active"].map(|name| find_param(table, name).expect("a row"));
    session.handle(Command::SetLimitsEnabled(active.to_vec(), true));
    h.run_steps(4);
    let session = &h.state().session;
    let pivot = session.inspection().joint_setup(bone).and_then(|joint| joint.pivot).expect("a pivot");
    let pose = session.playback().displayed_pose();
    let (head, normal) = (pose.frame(bone).position, pose.frame(pivot).rotation * Vec3::Z);
    h.state_mut().ui.state_mut().view_direction_wanted = Some([head, normal]);
    h.run_steps(200);
    h.get_by_role_and_label(Role::Button, "View this angle limit from the front");
    (h, bone)
}

#[test]
fn the_grip_rotates_a_joint_between_its_limits_and_is_not_an_edit() {
    let (mut h, bone) = fan_harness();
    let before = h.state().session.document().clone();
    let next_undo = h.state().session.history().next_undo().cloned();
    let (head, grip) = head_and_grip(&mut h, bone);
    drag_and_hold(&mut h, grip, grip);
    let mut reached = Vec::new();
    let mut at = grip;
    for degrees in [120.0, -240.0] {
        at = move_around(&mut h, (head, at), degrees);
        h.run_steps(4);
        let (angle, limits) = angles(&h, bone).remove(0);
        assert!(limits.iter().any(|limit| (angle - limit).abs() < 0.1), "{angle} degrees, limits {limits:?}");
        reached.push(angle);
    }
    assert!((reached[0] - reached[1]).abs() > 30.0, "each side has its limit: {reached:?}");
    at = move_around(&mut h, (head, at), 120.0);
    h.run_steps(4);
    let (held, limits) = angles(&h, bone).remove(0);
    assert!(held > limits[0] + 2.0 && held < limits[1] - 2.0, "{held} degrees are where the drag began");
    move_around(&mut h, (head, at), 90.0);
    let (held, _) = angles(&h, bone).remove(0);
    set_pointer_button(&mut h, at, PointerButton::Primary, false);
    h.run_steps(60);
    let (angle, _) = angles(&h, bone).remove(0);
    assert!((angle - held).abs() > 5.0, "the released joint swings back from {held} to {angle} degrees");
    assert!(*h.state().session.document() == before, "the document is unchanged");
    assert_eq!(h.state().session.history().next_undo(), next_undo.as_ref());
}

#[test]
fn escape_releases_the_joint() {
    let (mut h, bone) = fan_harness();
    let (head, grip) = head_and_grip(&mut h, bone);
    let start = angles(&h, bone)[0].0;
    drag_and_hold(&mut h, grip, grip);
    let at = move_around(&mut h, (head, grip), 60.0);
    assert!((angles(&h, bone)[0].0 - start).abs() > 10.0);
    h.key_press(Key::Escape);
    h.run_steps(150);
    move_pointer(&mut h, at, at + vec2(20.0, 0.0));
    assert!((angles(&h, bone)[0].0 - start).abs() < 2.0, "the joint no longer follows the pointer");
}

#[test]
fn the_end_of_a_limit_has_priority_over_the_grip_only_near_its_own_pixel() {
    let (mut h, bone) = fan_harness();
    for (share, hint) in [(1.0, HINT), (1.0 / LIVE_LINE_SHARE, "change the limit")] {
        let (head, grip) = head_and_grip(&mut h, bone);
        drag_and_hold(&mut h, grip, grip);
        move_around(&mut h, (head, grip), 120.0);
        // The joint is at its limit, so the end and the grip are in one line.
        let tip = h.state().session.playback().displayed_tip(bone).expect("a joint");
        let outwards = (screen_position(&mut h, tip) - head).normalized();
        let at = head + outwards * (grip.distance(head) * share);
        h.hover_at(at);
        h.step();
        set_pointer_button(&mut h, at, PointerButton::Primary, false);
        h.step();
        let hints = &h.state_mut().ui.state_mut().mouse_hints;
        assert!(hints.iter().any(|(_, effect)| effect == hint), "{hints:?} at {share}");
        h.run_steps(150);
    }
}

#[test]
fn the_grip_keeps_a_vrm_joint_within_its_range() {
    for kind in SwingLimitKind::ALL {
        let mut h = viewport_harness(viewport_fixture_with(SolverKind::Vrm, reduced_motion_prefs()));
        let (bone, _) = hair_joint(&h);
        let session = &mut h.state_mut().session;
        session.handle(Command::Select(vec![bone], SelectMode::Replace));
        session.handle(Command::SetSwingLimit(Some(kind)));
        h.run_steps(60);
        let before = h.state().session.document().clone();
        let (head, grip) = head_and_grip(&mut h, bone);
        let start = angles(&h, bone);
        drag_and_hold(&mut h, grip, grip);
        for degrees in [110.0, -220.0] {
            move_around(&mut h, (head, grip), degrees);
            h.run_steps(4);
            let found = angles(&h, bone);
            let excess = |(angle, limits): &(f32, Vec<f32>)| {
                let (low, high) = (limits.first().expect("a limit"), limits.last().expect("a limit"));
                // A cone has one limit, of the angle to its axis.
                (angle - high).max(if limits.len() > 1 { low - angle } else { f32::MIN })
            };
            let most = found.iter().map(excess).fold(f32::MIN, f32::max);
            assert!(most.abs() < 0.1, "{kind:?}: {most} degrees beyond the limit, {found:?} from {start:?}");
        }
        set_pointer_button(&mut h, grip, PointerButton::Primary, false);
        h.run_steps(120);
        for ((angle, _), (start, _)) in angles(&h, bone).iter().zip(&start) {
            assert!((angle - start).abs() < 3.0, "{kind:?}: {angle} degrees, {start} before the drag");
        }
        assert!(*h.state().session.document() == before, "the document is unchanged");
    }
}

#[test]
fn a_pinned_joint_has_no_grip() {
    let (mut h, bone) = fan_harness();
    let (_, grip) = head_and_grip(&mut h, bone);
    h.state_mut().session.handle(Command::PinJoints(vec![bone], true));
    h.hover_at(grip);
    h.run_steps(3);
    assert!(!h.state_mut().ui.state_mut().mouse_hints.iter().any(|(_, effect)| effect == HINT));
}
