//! Tests dragging the arc and axis handles of a hinge, and the handles of a body's box.

use super::support::sample;
use super::viewport::{
    ViewportFixture, drag_and_hold, reduced_motion_prefs, screen_position, set_pointer_button, viewport_fixture,
    viewport_harness,
};
use egui::{Event, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use glam::{Quat, Vec3};
use std::collections::BTreeSet;
use yuremono::stage::CameraView;
use yuremono_model::feel::convert::convert_chains;
use yuremono_session::{BoxView, Command, HingeView, Motion, SelectMode, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::{anim_dynamics as body, hinge};

/// Distances from a hinge's head to the handle of its axis, and from a box face to its handle, in points.
const AXIS_KNOB_PIXELS: f32 = 68.0;
const FACE_KNOB_PIXELS: f32 = 18.0;

/// Returns a viewport harness in which one chain of the bundled character uses `solver`, and that chain's first bone.
/// The bone is selected and time is paused.
fn fixture_with_solver(solver: SolverKind, name: &str) -> (Harness<'static, ViewportFixture>, BoneId) {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let mut chains = opened.document.chains.iter();
    let (id, chain) =
        chains.find(|(_, c)| c.joints.iter().any(|j| skeleton.name(j.bone).contains(name))).expect("such a chain");
    let bone = chain.joints[0].bone;
    let after = convert_chains(&opened.document, &opened.character, &BTreeSet::from([*id]), solver).after;
    let mut session = Session::new(opened.character, after);
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    session.handle(Command::SetPlaying(false));
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let mut desk = viewport_fixture(reduced_motion_prefs());
    desk.session = session;
    (viewport_harness(desk), bone)
}

fn camera_view(h: &mut Harness<'_, ViewportFixture>) -> CameraView {
    *h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn")
}

fn joint_param_value(h: &Harness<'_, ViewportFixture>, bone: BoneId, param: ParamId) -> f32 {
    let session = &h.state().session;
    let index = session.playback().joint_index(bone).expect("a joint");
    session.resolved().systems[index.system as usize].joints[index.joint as usize].values.get(param)
}

fn joint_param_vector(h: &Harness<'_, ViewportFixture>, bone: BoneId, rows: [ParamId; 3]) -> Vec3 {
    Vec3::from(rows.map(|param| joint_param_value(h, bone, param)))
}

fn set_params(h: &mut Harness<'_, ViewportFixture>, rows: &[(ParamId, f32)]) {
    for (param, value) in rows {
        h.state_mut().session.handle(Command::SetParam(*param, *value));
    }
    h.run_steps(3);
}

fn drag_with_modifiers(h: &mut Harness<'_, ViewportFixture>, from: Pos2, to: Pos2, modifiers: Modifiers) {
    h.event(Event::ModifiersChanged(modifiers));
    drag_and_hold(h, from, to);
    h.run_steps(2);
    set_pointer_button(h, to, PointerButton::Primary, false);
    h.event(Event::ModifiersChanged(Modifiers::NONE));
    h.run_steps(2);
}

fn undo(h: &mut Harness<'_, ViewportFixture>) {
    h.state_mut().session.handle(Command::Undo);
    h.run_steps(2);
}

fn hinge_view(h: &Harness<'_, ViewportFixture>, bone: BoneId) -> HingeView {
    h.state().session.inspection().hinge(bone).expect("a hinge")
}

fn body_box_view(h: &Harness<'_, ViewportFixture>, bone: BoneId) -> BoxView {
    h.state().session.inspection().body_box(bone).expect("a body")
}

/// Returns a harness in which the character's bell uses the hinge solver, and the bell's bone. The hinge axis is the
/// local axis that points most (`end_on`) or least towards the camera.
fn bell_with_hinge(end_on: bool) -> (Harness<'static, ViewportFixture>, BoneId) {
    let (mut h, bone) = fixture_with_solver(SolverKind::Hinge, "Bell");
    let forward = camera_view(&mut h).forward;
    let unturned = hinge_view(&h, bone).rotation_before_hinge;
    let seen = |axis: &Vec3| (unturned * *axis).dot(forward).abs();
    let mut axes = Vec3::AXES;
    axes.sort_by(|a, b| seen(a).total_cmp(&seen(b)));
    let axis = axes[if end_on { 2 } else { 0 }];
    set_params(&mut h, &[0, 1, 2].map(|i| (hinge::HINGE_AXIS[i], axis[i])));
    set_params(&mut h, &[(hinge::MIN_ANGLE, -40.0), (hinge::MAX_ANGLE, 60.0)]);
    (h, bone)
}

/// Returns the screen position of an angle on a hinge's arc.
fn position_on_arc(h: &mut Harness<'_, ViewportFixture>, bone: BoneId, degrees: f32) -> Pos2 {
    let hinge = hinge_view(h, bone);
    let tip = h.state().session.playback().displayed_tip(bone).expect("a joint");
    let reach = (hinge.head.distance(tip) * 1.15).max(camera_view(h).metres_per_pixel(hinge.head) * 76.0);
    let zero = hinge.zero_direction.reject_from_normalized(hinge.world_axis()).normalize();
    screen_position(h, hinge.head + Quat::from_axis_angle(hinge.world_axis(), degrees.to_radians()) * zero * reach)
}

#[test]
fn dragging_the_ends_of_a_hinge_arc_changes_its_limits_in_one_step() {
    let (mut h, bone) = bell_with_hinge(true);
    let before = h.state().session.history().current_state();
    for (param, from, to) in [(hinge::MAX_ANGLE, 60.0, 95.0), (hinge::MIN_ANGLE, -40.0, -75.0)] {
        let (start, end) = (position_on_arc(&mut h, bone, from), position_on_arc(&mut h, bone, to));
        drag_with_modifiers(&mut h, start, end, Modifiers::NONE);
        assert!((joint_param_value(&h, bone, param) - to).abs() < 0.6, "{}", joint_param_value(&h, bone, param));
        undo(&mut h);
        assert_eq!([hinge::MIN_ANGLE, hinge::MAX_ANGLE].map(|param| joint_param_value(&h, bone, param)), [-40.0, 60.0]);
        assert_eq!(h.state().session.history().current_state(), before, "one step");
        drag_with_modifiers(&mut h, start, end, Modifiers::COMMAND);
        assert_eq!(joint_param_value(&h, bone, param), to, "Ctrl snaps to five degrees");
        undo(&mut h);
    }
}

#[test]
fn a_hinge_limit_can_be_dragged_beyond_half_a_turn() {
    let (mut h, bone) = bell_with_hinge(true);
    set_params(&mut h, &[(hinge::MIN_ANGLE, -300.0), (hinge::MAX_ANGLE, 80.0)]);
    let (start, end) = (position_on_arc(&mut h, bone, -300.0), position_on_arc(&mut h, bone, -265.0));
    drag_with_modifiers(&mut h, start, end, Modifiers::NONE);
    assert!(
        (joint_param_value(&h, bone, hinge::MIN_ANGLE) + 265.0).abs() < 0.6,
        "{}",
        joint_param_value(&h, bone, hinge::MIN_ANGLE)
    );
    assert_eq!(joint_param_value(&h, bone, hinge::MAX_ANGLE), 80.0);
}

#[test]
fn the_knob_of_a_hinge_rotates_its_axis_and_ctrl_snaps_to_bone_axes() {
    let (mut h, bone) = bell_with_hinge(false);
    let before = h.state().session.history().current_state();
    let (old, hinge, shot) =
        (joint_param_vector(&h, bone, hinge::HINGE_AXIS), hinge_view(&h, bone), camera_view(&mut h));
    let reach = shot.metres_per_pixel(hinge.head) * AXIS_KNOB_PIXELS;
    let across = hinge.world_axis().cross(shot.forward).normalize();
    let wanted = (hinge.world_axis() + across * 0.6).normalize();
    let [from, to] = [hinge.world_axis(), wanted].map(|axis| screen_position(&mut h, hinge.head + axis * reach));
    drag_with_modifiers(&mut h, from, to, Modifiers::NONE);
    let turned = hinge_view(&h, bone).world_axis();
    assert!(turned.angle_between(wanted).to_degrees() < 4.0, "{turned} for {wanted}");
    undo(&mut h);
    assert_eq!(joint_param_vector(&h, bone, hinge::HINGE_AXIS), old);
    assert_eq!(h.state().session.history().current_state(), before, "three parameters change in one undo step");
    // The target is more than halfway to the other axis in the image plane, so snapping chooses that axis.
    let far = (hinge.world_axis() * 0.3 + across).normalize();
    let to = screen_position(&mut h, hinge.head + far * reach);
    drag_with_modifiers(&mut h, from, to, Modifiers::COMMAND);
    let snapped = joint_param_vector(&h, bone, hinge::HINGE_AXIS);
    assert!(snapped != old && snapped.abs().element_sum() == 1.0 && snapped.abs().max_element() == 1.0, "{snapped}");
}

#[test]
fn a_hinge_variant_without_limits_shows_no_arc() {
    let (mut h, bone) = bell_with_hinge(true);
    assert_eq!(hinge_view(&h, bone).limits, Some([-40.0, 60.0]));
    let (start, end) = (position_on_arc(&mut h, bone, 60.0), position_on_arc(&mut h, bone, 95.0));
    set_params(&mut h, &[(hinge::VARIANT, 0.0)]);
    assert_eq!(hinge_view(&h, bone).limits, None);
    drag_with_modifiers(&mut h, start, end, Modifiers::NONE);
    assert_eq!(joint_param_value(&h, bone, hinge::MAX_ANGLE), 60.0);
}

/// Gives a tail 60 mm boxes. Returns the axis that is most perpendicular to the view direction, and its world
/// direction.
fn tail_with_box() -> (Harness<'static, ViewportFixture>, BoneId, usize, Vec3) {
    let (mut h, bone) = fixture_with_solver(SolverKind::AnimDynamics, "Twin");
    // Conversion varies the body sizes along the chain with curves. This test needs equal, weightless bodies, each
    // centred on the head of its bone.
    for param in body::BOX_EXTENTS.into_iter().chain(body::LOCAL_JOINT_OFFSET).chain([body::GRAVITY_SCALE]) {
        h.state_mut().session.handle(Command::SetParamCurve(param, None));
        set_params(&mut h, &[(param, if body::BOX_EXTENTS.contains(&param) { 0.06 } else { 0.0 })]);
    }
    set_params(&mut h, &[(body::BODY_ORIGIN, 0.0)]);
    h.state_mut().session.handle(Command::ResetPose);
    h.state_mut().session.handle(Command::SetPlaying(false));
    h.run_steps(3);
    let seen = body_box_view(&h, bone);
    let forward = camera_view(&mut h).forward;
    let facing = |i: &usize| (seen.rotation * Vec3::AXES[*i]).dot(forward).abs();
    let axis = (0..3).min_by(|a, b| facing(a).total_cmp(&facing(b))).expect("three");
    (h, bone, axis, seen.rotation * Vec3::AXES[axis])
}

#[test]
fn dragging_a_box_face_changes_its_side_by_twice_the_distance() {
    let (mut h, bone, axis, out) = tail_with_box();
    let before = h.state().session.history().current_state();
    let (param, seen, shot) = (body::BOX_EXTENTS[axis], body_box_view(&h, bone), camera_view(&mut h));
    let knob = seen.center + out * (seen.extents[axis] * 0.5 + shot.metres_per_pixel(seen.center) * FACE_KNOB_PIXELS);
    let (from, to) = (screen_position(&mut h, knob), screen_position(&mut h, knob + out * 0.04));
    drag_with_modifiers(&mut h, from, to, Modifiers::NONE);
    assert!((joint_param_value(&h, bone, param) - 0.14).abs() < 5e-4, "{}", joint_param_value(&h, bone, param));
    let others: Vec<f32> =
        (0..3).filter(|i| *i != axis).map(|i| joint_param_value(&h, bone, body::BOX_EXTENTS[i])).collect();
    assert_eq!(others, [0.06, 0.06]);
    undo(&mut h);
    assert_eq!(joint_param_value(&h, bone, param), 0.06);
    assert_eq!(h.state().session.history().current_state(), before, "one step");
    drag_with_modifiers(&mut h, from, to, Modifiers::SHIFT);
    assert!(
        (joint_param_value(&h, bone, param) - 0.068).abs() < 5e-4,
        "a tenth: {}",
        joint_param_value(&h, bone, param)
    );
    undo(&mut h);
    drag_with_modifiers(&mut h, from, from + (to - from) * 0.83, Modifiers::COMMAND);
    let millimetres = joint_param_value(&h, bone, param) * 1000.0;
    assert!(millimetres > 110.0 && (millimetres - millimetres.round()).abs() < 1e-3, "{millimetres}");
}

#[test]
fn the_center_knob_moves_the_joint_or_the_box_if_the_joint_is_on_the_bone() {
    for (on_bone, sign) in [(0.0, 1.0), (1.0, -1.0)] {
        let (mut h, bone, ..) = tail_with_box();
        set_params(&mut h, &[(body::BODY_ORIGIN, on_bone)]);
        let before = h.state().session.history().current_state();
        let (was, seen) = (joint_param_vector(&h, bone, body::LOCAL_JOINT_OFFSET), body_box_view(&h, bone));
        let knob = if seen.joint_on_bone { seen.center } else { seen.joint_position };
        let moved = camera_view(&mut h).right * 0.03;
        let (from, to) = (screen_position(&mut h, knob), screen_position(&mut h, knob + moved));
        drag_with_modifiers(&mut h, from, to, Modifiers::NONE);
        let by = joint_param_vector(&h, bone, body::LOCAL_JOINT_OFFSET) - was;
        let wanted = seen.rotation.inverse() * moved * sign;
        assert!(by.distance(wanted) < 6e-4, "{by} for {wanted}");
        undo(&mut h);
        assert_eq!(joint_param_vector(&h, bone, body::LOCAL_JOINT_OFFSET), was);
        assert_eq!(h.state().session.history().current_state(), before, "three parameters change in one undo step");
    }
}
