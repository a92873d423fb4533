//! Tests that a recorded drag replays on top of the motion that played during the recording.

use super::{HIPS, character, drag_sample, playing_session, record_gesture, still_session, ticks};
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{
    BaseMotion, Document, DragReach, Gesture, GestureId, GestureSample, MAX_BASE_MOTION_DEPTH, MotionRef,
};
use yuremono_session::{Command, Message, Motion, Session};
use yuremono_sim::rig::TestMotion;

fn hips_position(s: &Session) -> Vec3 {
    s.playback().world().frames().frame(HIPS).position
}

/// Records a swing of `sway` metres over the playing motion. Returns the positions of the hips in each tick.
fn record_over_motion(s: &mut Session, sway: f32) -> Vec<Vec3> {
    let mut path = Vec::new();
    s.handle(Command::SetRecording(true));
    for i in 0..30_u8 {
        s.handle(Command::DragBone(HIPS, drag_sample(libm::sinf(f32::from(i) * 0.3) * sway)));
        ticks(s, 1);
        path.push(hips_position(s));
    }
    s.handle(Command::ReleaseBone(HIPS));
    while s.document().gestures.is_empty() {
        ticks(s, 1);
        path.push(hips_position(s));
    }
    path
}

/// Returns the positions of the hips in each tick of two loops, from the first sample.
fn replay_two_rounds(s: &mut Session, length: usize) -> Vec<Vec3> {
    s.handle(Command::ResetPose);
    let mut path = vec![hips_position(s)];
    for _ in 1..2 * length {
        s.handle(Command::StepOnce);
        path.push(hips_position(s));
    }
    path
}

fn max_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn max_speed(path: &[Vec3]) -> f32 {
    max_distance(path, &path[1..])
}

#[test]
fn a_gesture_plays_over_its_base_motion_at_the_recorded_times() {
    for (motion, pace) in [(Motion::Clip(0), 1.0), (Motion::Clip(0), 1.7), (Motion::Test(TestMotion::Walk), 1.0)] {
        let mut s = playing_session();
        s.handle(Command::SetMotion(motion));
        s.handle(Command::SetMotionSpeed(pace));
        ticks(&mut s, 37);
        let was = record_over_motion(&mut s, 0.2);
        // A gesture is recorded at the speed of the drag, which includes the speed of the motion.
        s.handle(Command::SetMotionSpeed(1.0));
        s.handle(Command::SetMotionAmplitude(0.0));
        let length = was.len();
        let found = replay_two_rounds(&mut s, length);
        let kept = length - 30;
        let off = max_distance(&was[..kept], &found[..kept]);
        assert!(off < 1e-4, "{motion:?} at {pace}: {off} m off");
        let (round, usual) = (max_speed(&found), max_speed(&was));
        assert!(round < 1.5 * usual, "{motion:?} at {pace}: {round} m per tick, {usual} m during recording");
    }
}

#[test]
fn a_gesture_loops_smoothly_over_a_base_motion_that_does_not() {
    let mut s = playing_session();
    s.handle(Command::SetMotion(Motion::Clip(0)));
    // A reset starts the motion without a crossfade.
    s.handle(Command::ResetPose);
    ticks(&mut s, 12);
    let was = record_over_motion(&mut s, 0.002);
    let length = was.len();
    let found = replay_two_rounds(&mut s, length);
    let (seam, most) = (found[length - 1].distance(found[length]), 1.5 * max_speed(&found[..length]));
    assert!(seam < most, "{seam} m at the loop point, at most {most} m are smooth");
    // The gesture loops as recorded, without a return to rest.
    let leap = was[length - 1].distance(was[0]);
    assert!(leap > 2.0 * most, "{leap} m, at most {most} m are smooth");
}

#[test]
fn a_gesture_recorded_over_a_gesture_plays_both() {
    let mut s = still_session();
    record_gesture(&mut s);
    assert!(s.document().base_motions.is_empty(), "no motion played");
    let alone = replay_two_rounds(&mut s, 89);
    s.handle(Command::SetPlaying(true));
    s.handle(Command::ResetPose);
    record_gesture(&mut s);
    let over = &s.document().base_motions[&GestureId(2)];
    assert_eq!(over.motion, MotionRef::Gesture(GestureId(1)));
    let both = replay_two_rounds(&mut s, 89);
    // The second gesture started one tick after the first.
    let sum = both[10] - Vec3::Y;
    assert!(sum.distance(alone[10] + alone[11] - 2.0 * Vec3::Y) < 1e-3, "{sum}");
    s.handle(Command::DeleteGesture(GestureId(2)));
    assert!(s.document().base_motions.is_empty());
    s.handle(Command::Undo);
    assert_eq!(s.document().base_motions.len(), 1);
}

#[test]
fn a_gesture_with_a_missing_clip_plays_over_the_rest_pose_with_a_message() {
    let mut s = playing_session();
    s.handle(Command::SetMotion(Motion::Clip(0)));
    ticks(&mut s, 20);
    let was = record_over_motion(&mut s, 0.2);
    let id = *s.document().gestures.keys().next().expect("recorded");
    let alone = |s: &Session| {
        let reported = s.messages().entries().iter().filter_map(|m| m.message.clone());
        reported.filter(
            |reported| matches!(reported, Message::GestureWithoutBaseMotion { base_motion, .. } if base_motion == "nod"),
        )
        .count()
    };
    assert_eq!(alone(&s), 0);
    let mut bare = (*character(|name| Some(name.to_owned()))).clone();
    bare.clips.clear();
    s.replace_character(Arc::new(bare));
    assert_eq!(alone(&s), 1);
    let found = replay_two_rounds(&mut s, was.len());
    let sample = s.document().gestures[&id].samples[12];
    assert!(found[12].distance(Vec3::Y + sample.offset) < 1e-5);
    // The next export of the character contains the motion again.
    s.replace_character(character(|name| Some(name.to_owned())));
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    assert_eq!(alone(&s), 1);
    assert!(max_distance(&was[..40], &replay_two_rounds(&mut s, was.len())[..40]) < 1e-4);
}

/// Returns a document with a gesture over a clip or a motion, and further gestures, each over the previous one.
fn document_with_layered_gestures(count: u32) -> Document {
    let mut document = Document::default();
    for at in 1..=count {
        let samples = vec![GestureSample { offset: Vec3::X * 0.1, rotation: Quat::IDENTITY }; 6];
        let gesture = Gesture { name: format!("g{at}"), bone: HIPS, reach: DragReach::OneBone, samples, wind: None };
        let motion = match at {
            1 => MotionRef::Clip("nod".to_owned()),
            2 => MotionRef::Test(TestMotion::Walk),
            at => MotionRef::Gesture(GestureId(at - 1)),
        };
        let over = BaseMotion { motion, start: 0.25 * f64::from(at), speed: 1.5, amplitude: 0.8, range: None };
        document.apply(document.add_gesture_edit(gesture, Some(over))).expect("the edit applies");
    }
    document
}

#[test]
fn a_project_stores_base_motions_of_gestures() {
    let (document, character) = (document_with_layered_gestures(4), character(|name| Some(name.to_owned())));
    let bytes = project::write(&document, &character.skeleton, &ProjectMetadata::default());
    let (read, found) = project::read(&bytes, "a.yure").expect("readable");
    let (again, more) = read.into_document(&character.skeleton);
    assert!(found.is_empty() && more.is_empty(), "{found:?} {more:?}");
    assert_eq!((again.base_motions.len(), &again.base_motions), (4, &document.base_motions));
    // An unknown motion is reported, but the gesture is kept.
    let text = String::from_utf8(bytes).expect("text").replace(TestMotion::Walk.name(), "somersault");
    let (read, found) = project::read(text.as_bytes(), "a.yure").expect("readable");
    let (again, _) = read.into_document(&character.skeleton);
    assert_eq!((again.gestures.len(), again.base_motions.len()), (4, 3));
    let reported = "#/setup/base_motions/2/motion/test: unknown variant `somersault`";
    assert!(found.iter().any(|d| d.to_string().contains(reported)), "{found:?}");
}

#[test]
fn base_motion_depth_is_limited() {
    let id = GestureId(200);
    let mut document = document_with_layered_gestures(200);
    assert_eq!(document.base_motion_depth(GestureId(6)), 4);
    assert_eq!(document.base_motion_depth(id), MAX_BASE_MOTION_DEPTH + 1);
    document.base_motions.get_mut(&GestureId(3)).expect("there").motion = MotionRef::Gesture(id);
    assert_eq!(document.base_motion_depth(GestureId(4)), MAX_BASE_MOTION_DEPTH + 1, "a cycle is too deep");
    let mut s = Session::new(character(|name| Some(name.to_owned())), document);
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    ticks(&mut s, 12);
    assert!(s.messages().entries().iter().any(|m| matches!(m.message, Some(Message::GestureWithoutBaseMotion { .. }))));
}

#[test]
fn a_gesture_with_extreme_samples_keeps_all_bones_finite() {
    let extreme = [
        GestureSample { offset: Vec3::splat(3e38), rotation: Quat::IDENTITY },
        GestureSample { offset: Vec3::ZERO, rotation: Quat::from_xyzw(-3e38, 3e38, 0.0, 0.0) },
        GestureSample { offset: Vec3::ZERO, rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) },
    ];
    for sample in extreme {
        let character = character(|name| Some(name.to_owned()));
        let mut document = Document::default();
        let gesture = Gesture {
            name: "extreme".to_owned(),
            bone: HIPS,
            reach: DragReach::WholeBody,
            samples: vec![sample; 4],
            wind: None,
        };
        document.apply(document.add_gesture_edit(gesture, None)).expect("the edit applies");
        let id = *document.gestures.keys().next().expect("added");
        let mut s = Session::new(character, document);
        s.handle(Command::SetMotion(Motion::Gesture(id)));
        ticks(&mut s, 10);
        for frame in &s.playback().displayed_pose().frames {
            assert!(frame.position.is_finite() && frame.rotation.is_normalized(), "{sample:?}: {frame:?}");
        }
    }
}
