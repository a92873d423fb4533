//! Inputs of ticks that are no edits: the test wind, the range of an animation, and live poses.

use crate::support;
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono_model::document::GestureSample;
use yuremono_session::{BakeJob, BakeOptions, BakedMotion, ClipRange, Command, Motion, Session, all_motions};
use yuremono_sim::math::rotation_angle;
use yuremono_sim::rig::Pose;
use yuremono_sim::{SolverKind, TestWind};

const WIND: TestWind = TestWind { heading: 90.0, elevation: 0.0, strength: 40.0, gusts: 0.5, turbulence: 0.2, seed: 3 };

fn session(solver: SolverKind) -> Session {
    let opened = support::sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    session
}

fn steps(session: &mut Session, count: usize) {
    (0..count).for_each(|_| session.handle(Command::StepOnce));
}

/// The local rotations of all bones.
fn rotations(session: &Session) -> Vec<[f32; 4]> {
    session.playback().world().pose().local.iter().map(|local| local.rotation.to_array()).collect()
}

/// The mean of all tips, in metres.
fn mean_tip(session: &Session) -> Vec3 {
    let joints = session.resolved().joint_refs.iter().flatten();
    let tips: Vec<Vec3> = joints.filter_map(|joint| session.playback().displayed_tip(joint.bone)).collect();
    tips.iter().sum::<Vec3>() / tips.len() as f32
}

#[test]
fn a_wind_moves_the_hair_of_every_solver_downwind_and_changes_no_document() {
    for solver in SolverKind::ALL.iter().copied().filter(|solver| *solver != SolverKind::Hinge) {
        let mut calm = session(solver);
        let mut windy = session(solver);
        windy.handle(Command::SetTestWind(Some(WIND)));
        steps(&mut calm, 60);
        steps(&mut windy, 60);
        let moved = mean_tip(&windy).x - mean_tip(&calm).x;
        assert!(moved > 0.002, "{solver:?}: the tips move by {moved} m");
        assert_eq!(windy.document(), calm.document());
        assert!(!windy.history().is_dirty());

        let mut again = session(solver);
        again.handle(Command::SetTestWind(Some(WIND)));
        steps(&mut again, 60);
        assert_eq!(rotations(&again), rotations(&windy), "{solver:?}");
    }
}

#[test]
fn a_gesture_plays_in_the_wind_of_its_recording() {
    let mut s = session(SolverKind::Vrm);
    let hips = s.character().humanoid.bone("hips").expect("hips");
    s.handle(Command::SetTestWind(Some(WIND)));
    steps(&mut s, 20);
    s.handle(Command::SetRecording(true));
    for tick in 0..30_u8 {
        let offset = Vec3::X * 0.05 * f32::from(tick % 10);
        s.handle(Command::DragBone(hips, GestureSample { offset, rotation: Quat::IDENTITY }));
        steps(&mut s, 1);
    }
    s.handle(Command::SetRecording(false));
    s.handle(Command::SetTestWind(None));
    let (id, gesture) = s.document().gestures.first_key_value().expect("a gesture");
    let (id, gesture) = (*id, gesture.clone());
    let wind = gesture.wind.expect("the wind of the recording");
    assert_eq!(wind.wind, WIND);
    assert!((wind.seconds - 20.0 / 60.0).abs() < 0.02, "the recording started at {} s of the wind", wind.seconds);

    s.handle(Command::SetMotion(Motion::Gesture(id)));
    s.handle(Command::ResetPose);
    steps(&mut s, 25);
    let windy = mean_tip(&s).x;
    let calm_gesture = yuremono_model::document::Gesture { wind: None, ..gesture };
    let edit = yuremono_model::document::Edit::PutGesture { id, gesture: Some(calm_gesture) };
    s.handle(Command::ApplyEdit(edit, yuremono_model::document::EditLabel::new("calm".into())));
    s.handle(Command::ResetPose);
    steps(&mut s, 25);
    assert!(windy > mean_tip(&s).x + 0.002);
}

#[test]
fn a_bake_contains_the_test_wind_only_on_request() {
    let bake = |wind: Option<TestWind>, with_wind: bool| -> BakedMotion {
        let mut s = session(SolverKind::Vrm);
        s.handle(Command::SetTestWind(wind));
        let options = BakeOptions { end: Some(0.5), max_error: None, with_wind, ..BakeOptions::default() };
        BakeJob::new(&s, options).expect("a job").run(&|_| true).expect("not cancelled").expect("a bake")
    };
    let calm = bake(None, true);
    assert_eq!(bake(Some(WIND), false).track, calm.track);
    assert_ne!(bake(Some(WIND), true).track, calm.track);
}

#[test]
fn a_range_of_an_animation_repeats_and_holds_for_all_jobs() {
    let mut s = session(SolverKind::Vrm);
    let clip = &s.character().clips[0];
    let duration = f64::from(clip.duration);
    let (start, end) = (0.25, 0.75);
    let expected = |s: &Session, seconds: f32| {
        let mut pose = Pose::rest(&s.character().skeleton);
        s.character().clips[0].sample_clamped(seconds, &mut pose);
        pose
    };
    s.handle(Command::SetMotion(Motion::Clip(0)));
    s.handle(Command::SetMotionRange(Some([end, start])));
    let range = ClipRange::new(0, [start, end], duration).expect("a range");
    assert_eq!(s.playback().settings().motion, Motion::Range(range));
    assert_eq!(s.playback().period(s.character(), s.document()), Some(end - start));
    assert!(all_motions(&s).contains(&Motion::Range(range)) && !all_motions(&s).contains(&Motion::Clip(0)));
    s.handle(Command::ResetPose);
    let hips = s.character().humanoid.bone("hips").expect("hips").index();
    for tick in 1..=90 {
        steps(&mut s, 1);
        let seconds = s.playback().motion_seconds(s.character(), s.document());
        let late = (f64::from(tick) / 60.0 - (seconds - start)).rem_euclid(end - start);
        assert!(late.min(end - start - late) < 1e-6, "tick {tick}: {seconds} s");
        let found = s.playback().world().pose().local[hips];
        let expected = expected(&s, seconds as f32).local[hips];
        let off = rotation_angle(found.rotation, expected.rotation);
        assert!(off < 1e-3, "tick {tick}: {off} rad");
    }
    s.handle(Command::SetMotionRange(None));
    assert_eq!(s.playback().settings().motion, Motion::Clip(0));
    for unusable in [[0.2, 0.2], [f64::NAN, 0.3], [-5.0, 99.0], [f64::INFINITY, f64::INFINITY]] {
        s.handle(Command::SetMotionRange(Some(unusable)));
        let motion = s.playback().settings().motion;
        assert!(motion == Motion::Clip(0) || motion.start_seconds() < duration, "{unusable:?}: {motion:?}");
    }
}

#[test]
fn a_live_pose_moves_the_character_and_unusable_poses_are_the_relaxed_pose() {
    let mut s = session(SolverKind::Vrm);
    let head = s.character().humanoid.bone("head").expect("a head").index();
    let relaxed = s.playback().world().pose().local[head].rotation;
    let mut pose = Pose::rest(&s.character().skeleton);
    pose.local[head].rotation = Quat::from_rotation_y(0.7);
    s.handle(Command::SetMotion(Motion::Live));
    s.handle(Command::SetLivePose(Some(Arc::new(pose.clone()))));
    s.handle(Command::ResetPose);
    steps(&mut s, 1);
    assert!(s.playback().world().pose().local[head].rotation.angle_between(Quat::from_rotation_y(0.7)) < 1e-4);
    let mut broken = pose.clone();
    broken.local[head].translation.x = f32::NAN;
    let other = Pose { local: pose.local[1..].to_vec() };
    for unusable in [broken, other] {
        s.handle(Command::SetLivePose(Some(Arc::new(unusable))));
        steps(&mut s, 1);
        assert!(s.playback().world().pose().local[head].rotation.angle_between(relaxed) < 1e-4);
    }
    assert!(BakeJob::new(&s, BakeOptions { end: Some(1.0), ..BakeOptions::default() }).is_err());
}
