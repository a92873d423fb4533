//! The arc and the axis of a hinge, and the box of a body, as an artist drags them.

use super::support::sample;
use super::viewport::{Desk, desk, drag_and_hold, harness, place, press, still};
use egui::{Event, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use glam::{Quat, Vec3};
use std::collections::BTreeSet;
use yuremono::feel::convert::convert_chains;
use yuremono::rig::BoneId;
use yuremono::schema::Row;
use yuremono::session::{BoxView, Command, HingeView, Motion, Pick, Session};
use yuremono::sim::SolverKind;
use yuremono::sim::solver::{anim_dynamics as body, hinge};
use yuremono::stage::Shot;

/// Points from the head to the knob of an axis, and from a face to its knob.
const AXLE: f32 = 68.0;
const LEAD: f32 = 18.0;

/// A chain of the bundled character under another solver, its first joint selected, time standing still.
fn under(solver: SolverKind, name: &str) -> (Harness<'static, Desk>, BoneId) {
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
    session.handle(Command::Select(vec![bone], Pick::Replace));
    let mut desk = desk(still());
    desk.session = session;
    (harness(desk), bone)
}

fn shot(h: &mut Harness<'_, Desk>) -> Shot {
    *h.state_mut().ui.viewport_mut().shot().expect("a frame was drawn")
}

fn value(h: &Harness<'_, Desk>, bone: BoneId, row: Row) -> f32 {
    let session = &h.state().session;
    let index = session.playback().joint_index(bone).expect("a joint");
    session.resolved().systems[index.system as usize].joints[index.joint as usize].values.get(row)
}

fn vector(h: &Harness<'_, Desk>, bone: BoneId, rows: [Row; 3]) -> Vec3 {
    Vec3::from(rows.map(|row| value(h, bone, row)))
}

fn set(h: &mut Harness<'_, Desk>, rows: &[(Row, f32)]) {
    for (row, value) in rows {
        h.state_mut().session.handle(Command::Set(*row, *value));
    }
    h.run_steps(3);
}

fn drag(h: &mut Harness<'_, Desk>, from: Pos2, to: Pos2, modifiers: Modifiers) {
    h.event(Event::ModifiersChanged(modifiers));
    drag_and_hold(h, from, to);
    h.run_steps(2);
    press(h, to, PointerButton::Primary, false);
    h.event(Event::ModifiersChanged(Modifiers::NONE));
    h.run_steps(2);
}

fn undo(h: &mut Harness<'_, Desk>) {
    h.state_mut().session.handle(Command::Undo);
    h.run_steps(2);
}

fn hinge_of(h: &Harness<'_, Desk>, bone: BoneId) -> HingeView {
    h.state().session.inspection().hinge(bone).expect("a hinge")
}

fn box_of(h: &Harness<'_, Desk>, bone: BoneId) -> BoxView {
    h.state().session.inspection().body_box(bone).expect("a body")
}

/// The bell with its axis along the bone's own that is seen most from its end, or least.
fn bell(end_on: bool) -> (Harness<'static, Desk>, BoneId) {
    let (mut h, bone) = under(SolverKind::Hinge, "Bell");
    let forward = shot(&mut h).forward;
    let unturned = hinge_of(&h, bone).unturned;
    let seen = |axis: &Vec3| (unturned * *axis).dot(forward).abs();
    let mut axes = Vec3::AXES;
    axes.sort_by(|a, b| seen(a).total_cmp(&seen(b)));
    let axis = axes[if end_on { 2 } else { 0 }];
    set(&mut h, &[0, 1, 2].map(|i| (hinge::AXIS_OF[i], axis[i])));
    set(&mut h, &[(hinge::MIN_ANGLE, -40.0), (hinge::MAX_ANGLE, 60.0)]);
    (h, bone)
}

/// Where an angle of a hinge's arc is on the screen.
fn on_arc(h: &mut Harness<'_, Desk>, bone: BoneId, degrees: f32) -> Pos2 {
    let hinge = hinge_of(h, bone);
    let tip = h.state().session.playback().shown_tip(bone).expect("a joint");
    let reach = (hinge.head.distance(tip) * 1.15).max(shot(h).metres_per_pixel(hinge.head) * 76.0);
    let zero = hinge.zero.reject_from_normalized(hinge.axle()).normalize();
    place(h, hinge.head + Quat::from_axis_angle(hinge.axle(), degrees.to_radians()) * zero * reach)
}

#[test]
fn the_ends_of_a_hinges_arc_drag_its_limits_and_each_drag_is_one_step() {
    let (mut h, bone) = bell(true);
    let before = h.state().session.history().current();
    for (row, from, to) in [(hinge::MAX_ANGLE, 60.0, 95.0), (hinge::MIN_ANGLE, -40.0, -75.0)] {
        let (start, end) = (on_arc(&mut h, bone, from), on_arc(&mut h, bone, to));
        drag(&mut h, start, end, Modifiers::NONE);
        assert!((value(&h, bone, row) - to).abs() < 0.6, "{}", value(&h, bone, row));
        undo(&mut h);
        assert_eq!([hinge::MIN_ANGLE, hinge::MAX_ANGLE].map(|row| value(&h, bone, row)), [-40.0, 60.0]);
        assert_eq!(h.state().session.history().current(), before, "one step");
        drag(&mut h, start, end, Modifiers::COMMAND);
        assert_eq!(value(&h, bone, row), to, "Ctrl snaps to five degrees");
        undo(&mut h);
    }
}

#[test]
fn a_limit_of_a_hinge_can_be_dragged_beyond_half_a_round() {
    let (mut h, bone) = bell(true);
    set(&mut h, &[(hinge::MIN_ANGLE, -300.0), (hinge::MAX_ANGLE, 80.0)]);
    let (start, end) = (on_arc(&mut h, bone, -300.0), on_arc(&mut h, bone, -265.0));
    drag(&mut h, start, end, Modifiers::NONE);
    assert!((value(&h, bone, hinge::MIN_ANGLE) + 265.0).abs() < 0.6, "{}", value(&h, bone, hinge::MIN_ANGLE));
    assert_eq!(value(&h, bone, hinge::MAX_ANGLE), 80.0);
}

#[test]
fn the_knob_of_a_hinge_turns_its_axis_and_ctrl_snaps_to_the_bones_own() {
    let (mut h, bone) = bell(false);
    let before = h.state().session.history().current();
    let (old, hinge, shot) = (vector(&h, bone, hinge::AXIS_OF), hinge_of(&h, bone), shot(&mut h));
    let reach = shot.metres_per_pixel(hinge.head) * AXLE;
    let across = hinge.axle().cross(shot.forward).normalize();
    let wanted = (hinge.axle() + across * 0.6).normalize();
    let [from, to] = [hinge.axle(), wanted].map(|axis| place(&mut h, hinge.head + axis * reach));
    drag(&mut h, from, to, Modifiers::NONE);
    let turned = hinge_of(&h, bone).axle();
    assert!(turned.angle_between(wanted).to_degrees() < 4.0, "{turned} for {wanted}");
    undo(&mut h);
    assert_eq!(vector(&h, bone, hinge::AXIS_OF), old);
    assert_eq!(h.state().session.history().current(), before, "three rows are one step");
    // Past the middle of the way to the other axis that lies in the picture.
    let far = (hinge.axle() * 0.3 + across).normalize();
    let to = place(&mut h, hinge.head + far * reach);
    drag(&mut h, from, to, Modifiers::COMMAND);
    let snapped = vector(&h, bone, hinge::AXIS_OF);
    assert!(snapped != old && snapped.abs().element_sum() == 1.0 && snapped.abs().max_element() == 1.0, "{snapped}");
}

#[test]
fn a_listing_without_limits_shows_no_arc_to_drag() {
    let (mut h, bone) = bell(true);
    assert_eq!(hinge_of(&h, bone).limits, Some([-40.0, 60.0]));
    let (start, end) = (on_arc(&mut h, bone, 60.0), on_arc(&mut h, bone, 95.0));
    set(&mut h, &[(hinge::VARIANT, 0.0)]);
    assert_eq!(hinge_of(&h, bone).limits, None);
    drag(&mut h, start, end, Modifiers::NONE);
    assert_eq!(value(&h, bone, hinge::MAX_ANGLE), 60.0);
}

/// A tail's box of 60 mm, the side that is seen most from the side, which way it faces, and where its knob is.
fn tail() -> (Harness<'static, Desk>, BoneId, usize, Vec3) {
    let (mut h, bone) = under(SolverKind::AnimDynamics, "Twin");
    // The same body along the chain, without weight and with its center on the head: a conversion lays bodies by curves.
    for row in body::BOX_EXTENTS.into_iter().chain(body::LOCAL_JOINT_OFFSET).chain([body::GRAVITY_SCALE]) {
        h.state_mut().session.handle(Command::SetCurve(row, None));
        set(&mut h, &[(row, if body::BOX_EXTENTS.contains(&row) { 0.06 } else { 0.0 })]);
    }
    set(&mut h, &[(body::BODY_AT, 0.0)]);
    h.state_mut().session.handle(Command::ResetPose);
    h.state_mut().session.handle(Command::SetPlaying(false));
    h.run_steps(3);
    let seen = box_of(&h, bone);
    let forward = shot(&mut h).forward;
    let facing = |i: &usize| (seen.rotation * Vec3::AXES[*i]).dot(forward).abs();
    let axis = (0..3).min_by(|a, b| facing(a).total_cmp(&facing(b))).expect("three");
    (h, bone, axis, seen.rotation * Vec3::AXES[axis])
}

#[test]
fn a_face_of_a_box_drags_its_side_by_twice_its_way() {
    let (mut h, bone, axis, out) = tail();
    let before = h.state().session.history().current();
    let (row, seen, shot) = (body::BOX_EXTENTS[axis], box_of(&h, bone), shot(&mut h));
    let knob = seen.center + out * (seen.sides[axis] * 0.5 + shot.metres_per_pixel(seen.center) * LEAD);
    let (from, to) = (place(&mut h, knob), place(&mut h, knob + out * 0.04));
    drag(&mut h, from, to, Modifiers::NONE);
    assert!((value(&h, bone, row) - 0.14).abs() < 5e-4, "{}", value(&h, bone, row));
    let others: Vec<f32> = (0..3).filter(|i| *i != axis).map(|i| value(&h, bone, body::BOX_EXTENTS[i])).collect();
    assert_eq!(others, [0.06, 0.06]);
    undo(&mut h);
    assert_eq!(value(&h, bone, row), 0.06);
    assert_eq!(h.state().session.history().current(), before, "one step");
    drag(&mut h, from, to, Modifiers::SHIFT);
    assert!((value(&h, bone, row) - 0.068).abs() < 5e-4, "a tenth: {}", value(&h, bone, row));
    undo(&mut h);
    drag(&mut h, from, from + (to - from) * 0.83, Modifiers::COMMAND);
    let millimetres = value(&h, bone, row) * 1000.0;
    assert!(millimetres > 110.0 && (millimetres - millimetres.round()).abs() < 1e-3, "{millimetres}");
}

#[test]
fn the_knob_in_a_box_drags_its_joint_and_with_the_joint_on_the_bone_the_box() {
    for (on_bone, sign) in [(0.0, 1.0), (1.0, -1.0)] {
        let (mut h, bone, ..) = tail();
        set(&mut h, &[(body::BODY_AT, on_bone)]);
        let before = h.state().session.history().current();
        let (was, seen) = (vector(&h, bone, body::LOCAL_JOINT_OFFSET), box_of(&h, bone));
        let knob = if seen.joint_on_bone { seen.center } else { seen.joint };
        let moved = shot(&mut h).right * 0.03;
        let (from, to) = (place(&mut h, knob), place(&mut h, knob + moved));
        drag(&mut h, from, to, Modifiers::NONE);
        let by = vector(&h, bone, body::LOCAL_JOINT_OFFSET) - was;
        let wanted = seen.rotation.inverse() * moved * sign;
        assert!(by.distance(wanted) < 6e-4, "{by} for {wanted}");
        undo(&mut h);
        assert_eq!(vector(&h, bone, body::LOCAL_JOINT_OFFSET), was);
        assert_eq!(h.state().session.history().current(), before, "three rows are one step");
    }
}
