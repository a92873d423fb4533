//! Tests that the recorded poses of the last seconds can be shown again, and that looking back changes nothing.

use super::support::girl;
use glam::Vec3;
use std::sync::Arc;
use yuremono_model::document::GestureSample;
use yuremono_session::{Command, GraphJoint, GraphView, Motion, MotionGraph, SelectMode, Session};
use yuremono_sim::params::find_param;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{Pose, WorldPose};

const TICK: f64 = 1.0 / 60.0;

/// Returns a session in motion, and the pose of the world after each of some ticks.
fn played(ticks: usize) -> (Session, Vec<Pose>) {
    let mut session = girl::session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    let poses = (0..ticks).map(|_| {
        session.handle(Command::StepOnce);
        session.playback().world().pose().clone()
    });
    let poses = poses.collect();
    (session, poses)
}

#[track_caller]
fn assert_shown(session: &Session, pose: &Pose) {
    let bits = |frames: &WorldPose| -> Vec<[u32; 7]> {
        let numbers =
            |f: &yuremono_sim::math::Frame| [f.position.to_array().as_slice(), &f.rotation.to_array()].concat();
        let all = frames.frames.iter().map(|f| numbers(f).iter().map(|n| n.to_bits()).collect::<Vec<_>>());
        all.map(|bits| bits.try_into().expect("seven numbers")).collect()
    };
    let expected = WorldPose::from_pose(session.playback().world().skeleton(), pose);
    assert_eq!(bits(session.playback().displayed_pose()), bits(&expected));
}

#[test]
fn a_scrubbed_pose_is_the_pose_of_that_tick_bit_for_bit() {
    let (mut session, poses) = played(90);
    for back in [0, 1, 37, 89] {
        session.handle(Command::Scrub(Some(back as f64 * TICK)));
        assert_eq!(session.playback().scrubbed_tick(), Some(89 - back as u64));
        assert_shown(&session, &poses[89 - back]);
    }
    session.handle(Command::Scrub(Some(99.0)));
    assert_shown(&session, &poses[0]);
    session.handle(Command::Scrub(Some(f64::NAN)));
    assert_eq!(session.playback().scrubbed_tick(), None, "a time that is no number shows the live pose");
}

#[test]
fn steps_walk_through_the_recording_and_continue_live_after_its_end() {
    let (mut session, poses) = played(20);
    for at in [18, 17, 16] {
        session.handle(Command::StepBack);
        assert_shown(&session, &poses[at]);
    }
    for at in [17, 18, 19] {
        session.handle(Command::StepOnce);
        assert_shown(&session, &poses[at]);
    }
    let ticks = session.playback().ticks();
    session.handle(Command::StepOnce);
    assert_eq!((session.playback().ticks(), session.playback().scrubbed_tick()), (ticks + 1, None));
    (0..40).for_each(|_| session.handle(Command::StepBack));
    assert_shown(&session, &poses[0]);
}

#[test]
fn looking_back_does_not_change_the_motion() {
    let (mut plain, _) = played(60);
    let (mut scrubbed, _) = played(60);
    scrubbed.handle(Command::Scrub(Some(0.5)));
    for _ in 0..30 {
        scrubbed.advance(TICK);
    }
    assert!(!scrubbed.playback().is_moving());
    scrubbed.handle(Command::StepBack);
    for session in [&mut plain, &mut scrubbed] {
        session.handle(Command::SetPlaying(true));
        (0..60).for_each(|_| session.advance(TICK * 1.0001));
    }
    assert_eq!(scrubbed.playback().scrubbed_tick(), None, "playing continues live");
    assert_eq!(plain.playback().ticks(), scrubbed.playback().ticks());
    assert_eq!(format!("{:?}", plain.playback().world().pose()), format!("{:?}", scrubbed.playback().world().pose()));
}

#[test]
fn scrubbing_pauses_and_a_drag_returns_to_the_live_pose() {
    let (mut session, _) = played(30);
    session.handle(Command::SetPlaying(true));
    session.handle(Command::Scrub(Some(0.1)));
    assert!(!session.playback().settings().playing && session.playback().scrubbed_tick().is_some());
    let head = girl::bone(&session, "Head");
    session.handle(Command::DragBone(head, GestureSample { offset: Vec3::X * 0.1, ..GestureSample::default() }));
    assert_eq!(session.playback().scrubbed_tick(), None);
}

#[test]
fn the_recording_survives_edits_of_parameters_but_not_another_skeleton_or_a_reset() {
    let (mut session, poses) = played(30);
    let hair = girl::bone(&session, "TwinTail_L_02");
    session.handle(Command::Select(vec![hair], SelectMode::Replace));
    let table = session.inspection().system().param_defs();
    let stiffness = find_param(table, "stiffnessForce").expect("a parameter");
    session.handle(Command::SetParam(stiffness, 900.0));
    session.handle(Command::Scrub(Some(0.0)));
    assert_shown(&session, &poses[29]);

    let active = session.inspection().pivot_limits().map(|(_, limits)| limits.active).collect();
    session.handle(Command::SetLimitsEnabled(active, true));
    assert!(session.playback().recent_motion().is_empty(), "the new pivots are new bones");
    assert_eq!(session.playback().scrubbed_tick(), None);

    session.handle(Command::StepOnce);
    let next = session.playback().recent_motion().ticks().end;
    session.handle(Command::ResetPose);
    assert!(session.playback().recent_motion().is_empty());
    session.handle(Command::StepOnce);
    let character = Arc::clone(session.character());
    session.replace_character(character);
    assert_eq!(session.playback().recent_motion().ticks(), next + 1..next + 1, "numbers of ticks never repeat");
}

fn graph_joint(session: &Session, bone: &str) -> GraphJoint {
    let bone = girl::bone(session, bone);
    GraphJoint { bone, angle: session.inspection().joint_angles(bone).swap_remove(0) }
}

#[test]
fn graphs_show_the_same_values_whether_they_are_computed_at_once_or_tick_by_tick() {
    let mut session = girl::session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    let joints = ["TwinTail_L_02", "Skirt_01"].map(|bone| graph_joint(&session, bone));
    session.handle(Command::ProbeJoint(Some(joints[0].bone)));
    for view in GraphView::ALL {
        let mut steady = MotionGraph::default();
        for _ in 0..50 {
            session.handle(Command::StepOnce);
            steady.update(&session, session.playback().recent_motion(), view, &joints);
        }
        let mut late = MotionGraph::default();
        late.update(&session, session.playback().recent_motion(), view, &joints);
        for joint in 0..2 {
            // The recording goes on from view to view, and a graph that starts later has no speed before its start.
            let last = |graph: &MotionGraph| {
                graph.points(joint).collect::<Vec<_>>().split_off(graph.points(joint).count() - 49)
            };
            assert_eq!(last(&steady), last(&late), "{view:?}");
        }
    }
}

#[test]
fn angles_and_speeds_of_a_graph_are_those_of_the_world() {
    let (mut session, _) = played(20);
    let joint = graph_joint(&session, "TwinTail_L_02");
    let before = session.playback().displayed_tip(joint.bone).expect("a tip");
    session.handle(Command::StepOnce);
    let now = session.playback().displayed_tip(joint.bone).expect("a tip");
    let frames = session.playback().displayed_pose();
    let tick = session.playback().recent_motion().ticks().end - 1;
    let mut graph = MotionGraph::default();
    let recent = session.playback().recent_motion();
    graph.update(&session, recent, GraphView::Speed, std::slice::from_ref(&joint));
    let speed = graph.value(0, tick).expect("a speed");
    assert!((speed / (now.distance(before) * 60.0) - 1.0).abs() < 1e-3, "{speed} m/s");
    graph.update(&session, recent, GraphView::Angle, std::slice::from_ref(&joint));
    let angle = graph.value(0, tick).expect("an angle");
    let parent = session.character().skeleton.parent(joint.bone).expect("a parent");
    let rest = session.character().skeleton.bone(joint.bone).rest.rotation;
    let index = session.playback().joint_index(joint.bone).expect("a joint");
    let offset = session.playback().world().tip_offset(index).expect("a joint");
    let along = frames.frame(parent).rotation * rest * offset;
    let expected = along.angle_between(now - frames.frame(joint.bone).position).to_degrees();
    assert!((angle - expected).abs() < 0.05 && angle > 0.1, "{angle}° for {expected}°");
}

#[test]
fn the_parts_of_a_movement_add_up_to_the_movement_along_the_angle() {
    let (mut session, _) = played(20);
    let joint = graph_joint(&session, "TwinTail_L_02");
    session.handle(Command::ProbeJoint(Some(joint.bone)));
    session.handle(Command::StepOnce);
    let tick = session.playback().recent_motion().ticks().end - 1;
    let parts = session.playback().probed_parts(tick).expect("a probed tick");
    assert_eq!(session.playback().probed_parts(tick - 1), None, "earlier ticks were not probed");
    let mut graph = MotionGraph::default();
    graph.update(&session, session.playback().recent_motion(), GraphView::Parts, std::slice::from_ref(&joint));
    let values: Vec<f32> = (0..graph.line_count()).filter_map(|line| graph.value(line, tick)).collect();
    assert_eq!(values.len(), 8);
    let frames = session.playback().displayed_pose();
    let tip = session.playback().displayed_tip(joint.bone).expect("a tip");
    let direction = tip - frames.frame(joint.bone).position;
    let turned = joint.angle.degrees(frames, direction) - joint.angle.degrees(frames, direction - parts.sum());
    let whole = turned.to_radians() * direction.length() * 1e3;
    let sum: f32 = values.iter().sum();
    assert!((sum - whole).abs() < 0.05 * whole.abs().max(0.2) && whole.abs() > 0.05, "{sum} mm of {whole} mm");
    session.handle(Command::ProbeJoint(None));
    assert_eq!(session.playback().probed_bone(), None);
}
