//! A recorded drag plays on top of what played when it was recorded.

use super::{HIPS, character, open, pull, record, still, ticks};
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono::document::{Document, Gesture, GestureId, GestureSample, MOST_UNDER, Underlay, Underneath};
use yuremono::format::project::{self, Surroundings};
use yuremono::session::{Command, Motion, Said, Session};
use yuremono::stage::TestMotion;

fn hips(s: &Session) -> Vec3 {
    s.playback().world().frames().frame(HIPS).position
}

/// Records a sway of so many metres over what plays; where the hips were in each tick of it.
fn recorded(s: &mut Session, sway: f32) -> Vec<Vec3> {
    let mut path = Vec::new();
    s.handle(Command::Record(true));
    for i in 0..30_u8 {
        s.handle(Command::Drag(HIPS, pull((f32::from(i) * 0.3).sin() * sway)));
        ticks(s, 1);
        path.push(hips(s));
    }
    s.handle(Command::LetGo(HIPS));
    while s.document().gestures.is_empty() {
        ticks(s, 1);
        path.push(hips(s));
    }
    path
}

/// Where the hips are in each tick of two rounds, from the first sample on.
fn replayed(s: &mut Session, length: usize) -> Vec<Vec3> {
    s.handle(Command::ResetPose);
    let mut path = vec![hips(s)];
    for _ in 1..2 * length {
        s.handle(Command::StepOnce);
        path.push(hips(s));
    }
    path
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn fastest(path: &[Vec3]) -> f32 {
    farthest(path, &path[1..])
}

#[test]
fn a_gesture_plays_over_the_motion_that_it_was_recorded_on_at_the_times_that_it_had() {
    for (motion, pace) in [(Motion::Clip(0), 1.0), (Motion::Clip(0), 1.7), (Motion::Test(TestMotion::Walk), 1.0)] {
        let mut s = open();
        s.handle(Command::SetMotion(motion));
        s.handle(Command::SetMotionSpeed(pace));
        ticks(&mut s, 37);
        let was = recorded(&mut s, 0.2);
        // A gesture is recorded at the pace of the hand: that of the motion is part of it.
        s.handle(Command::SetMotionSpeed(1.0));
        s.handle(Command::SetAmplitude(0.0));
        let length = was.len();
        let found = replayed(&mut s, length);
        let kept = length - 30;
        let off = farthest(&was[..kept], &found[..kept]);
        assert!(off < 1e-4, "{motion:?} at {pace}: {off} m off");
        let (round, usual) = (fastest(&found), fastest(&was));
        assert!(round < 1.5 * usual, "{motion:?} at {pace}: {round} m in a tick, {usual} m while it was recorded");
    }
}

#[test]
fn the_end_of_a_gesture_runs_into_its_beginning_where_what_lies_under_it_does_not() {
    let mut s = open();
    s.handle(Command::SetMotion(Motion::Clip(0)));
    ticks(&mut s, 12);
    let was = recorded(&mut s, 0.002);
    let length = was.len();
    let found = replayed(&mut s, length);
    let (seam, most) = (found[length - 1].distance(found[length]), 1.5 * fastest(&found[..length]));
    assert!(seam < most, "{seam} m over the end, {most} m are smooth");
    // As it was recorded, nothing led back.
    let leap = was[length - 1].distance(was[0]);
    assert!(leap > 2.0 * most, "{leap} m, {most} m are smooth");
}

#[test]
fn a_gesture_over_a_gesture_has_both_and_one_over_nothing_is_as_it_was() {
    let mut s = still();
    record(&mut s);
    assert!(s.document().underlays.is_empty(), "nothing moved");
    let alone = replayed(&mut s, 89);
    s.handle(Command::SetPlaying(true));
    s.handle(Command::ResetPose);
    record(&mut s);
    let over = &s.document().underlays[&GestureId(2)];
    assert_eq!(over.motion, Underneath::Gesture(GestureId(1)));
    let both = replayed(&mut s, 89);
    // The upper one began a tick after the lower one.
    let sum = both[10] - Vec3::Y;
    assert!(sum.distance(alone[10] + alone[11] - 2.0 * Vec3::Y) < 1e-3, "{sum}");
    s.handle(Command::RemoveGesture(GestureId(2)));
    assert!(s.document().underlays.is_empty());
    s.handle(Command::Undo);
    assert_eq!(s.document().underlays.len(), 1);
}

#[test]
fn a_gesture_whose_clip_is_gone_plays_over_the_rest_pose_and_says_so() {
    let mut s = open();
    s.handle(Command::SetMotion(Motion::Clip(0)));
    ticks(&mut s, 20);
    let was = recorded(&mut s, 0.2);
    let id = *s.document().gestures.keys().next().expect("recorded");
    let alone = |s: &Session| {
        let said = s.messages().list().iter().filter_map(|m| m.said.clone());
        said.filter(|said| matches!(said, Said::GestureAlone { over, .. } if over == "nod")).count()
    };
    assert_eq!(alone(&s), 0);
    let mut bare = (*character(|name| Some(name.to_owned()))).clone();
    bare.clips.clear();
    s.replace_character(Arc::new(bare));
    assert_eq!(alone(&s), 1);
    let found = replayed(&mut s, was.len());
    let sample = s.document().gestures[&id].samples[12];
    assert!(found[12].distance(Vec3::Y + sample.offset) < 1e-5);
    // Another export has it again.
    s.replace_character(character(|name| Some(name.to_owned())));
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    assert_eq!(alone(&s), 1);
    assert!(farthest(&was[..40], &replayed(&mut s, was.len())[..40]) < 1e-4);
}

/// A character's gestures over a clip, a motion, one another and each over the one before.
fn layered(count: u32) -> Document {
    let mut document = Document::default();
    for at in 1..=count {
        let samples = vec![GestureSample { offset: Vec3::X * 0.1, turn: Quat::IDENTITY }; 6];
        let gesture = Gesture { name: format!("g{at}"), bone: HIPS, samples };
        let motion = match at {
            1 => Underneath::Clip("nod".to_owned()),
            2 => Underneath::Test(TestMotion::Walk),
            at => Underneath::Gesture(GestureId(at - 1)),
        };
        let over = Underlay { motion, start: 0.25 * f64::from(at), pace: 1.5, amplitude: 0.8 };
        document.apply(document.recorded(gesture, Some(over))).expect("it fits");
    }
    document
}

#[test]
fn a_project_holds_what_its_gestures_were_recorded_over() {
    let (document, character) = (layered(4), character(|name| Some(name.to_owned())));
    let bytes = project::write(&document, &character.skeleton, &Surroundings::default());
    let (read, found) = project::read(&bytes, "a.yure").expect("readable");
    let (again, more) = read.into_document(&character.skeleton);
    assert!(found.is_empty() && more.is_empty(), "{found:?} {more:?}");
    assert_eq!((again.underlays.len(), &again.underlays), (4, &document.underlays));
    // A motion that this version does not know is told, and its gesture stays.
    let text = String::from_utf8(bytes).expect("text").replace(TestMotion::Walk.name(), "somersault");
    let (read, found) = project::read(text.as_bytes(), "a.yure").expect("readable");
    let (again, _) = read.into_document(&character.skeleton);
    assert_eq!((again.gestures.len(), again.underlays.len()), (4, 3));
    let told = "#/setup/underlays/2/motion/test: unknown variant `somersault`";
    assert!(found.iter().any(|d| d.to_string().contains(told)), "{found:?}");
}

#[test]
fn gestures_that_lie_too_deep_under_one_another_cost_no_more_than_a_few() {
    let id = GestureId(200);
    let mut document = layered(200);
    assert_eq!(document.gestures_under(GestureId(6)), 4);
    assert_eq!(document.gestures_under(id), MOST_UNDER + 1);
    document.underlays.get_mut(&GestureId(3)).expect("there").motion = Underneath::Gesture(id);
    assert_eq!(document.gestures_under(GestureId(4)), MOST_UNDER + 1, "a ring");
    let mut s = Session::new(character(|name| Some(name.to_owned())), document);
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    ticks(&mut s, 12);
    assert!(s.messages().list().iter().any(|m| matches!(m.said, Some(Said::GestureAlone { .. }))));
}
