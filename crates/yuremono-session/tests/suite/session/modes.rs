//! Tests the two modes and the previewed frame rate: which results must be equal, and which changes must not kick the
//! hair.

use super::*;
use yuremono_session::{Command, PLAYER_FRAME_RATES, ParamWarning};

/// Values of the mode parameter: Unity-accurate and improved.
const MODES: [f32; 2] = [0.0, 1.0];

fn session_in_mode(way: f32) -> Session {
    let mut s = playing_session();
    s.handle(Command::SetParam(param("mode"), way));
    s.handle(Command::ResetPose);
    assert_eq!(s.document().main_system().is_improved(), way > 0.0);
    s
}

/// A deterministic pseudo-random generator of numbers from 0 to 1.
struct RandomSource(u64);

impl RandomSource {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns uneven display frames of 24 to 480 Hz for about `seconds`, with hitches short enough to be caught up.
fn random_frame_times(dice: &mut RandomSource, seconds: f64) -> Vec<f64> {
    let frame = 1.0 / (24.0 + dice.next() * 456.0);
    let mut left = seconds;
    std::iter::from_fn(|| {
        let hitch = dice.next() < 0.02;
        let next = if hitch { 0.05 + dice.next() * 0.44 } else { frame * (0.5 + dice.next()) };
        left -= next;
        (left > 0.0).then_some(next)
    })
    .collect()
}

#[test]
fn in_both_modes_display_rate_and_speed_do_not_change_the_state_at_a_tick() {
    let mut dice = RandomSource(7);
    for way in MODES {
        for (players, speed) in [(60, 1.0), (60, 0.37), (144, 1.0), (30, 2.0)] {
            let prepared = || {
                let mut s = session_in_mode(way);
                s.handle(Command::SetPlayerFrameRate(players));
                s.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
                s.handle(Command::ResetPose);
                s.handle(Command::SetPlaybackSpeed(speed));
                s
            };
            let mut reference = prepared();
            let by_tick: Vec<_> = (0..2 * 144)
                .map(|_| {
                    reference.handle(Command::StepOnce);
                    tip_bits(&reference)
                })
                .collect();
            assert_ne!(by_tick[20], by_tick[60], "the hair moves");
            for _ in 0..6 {
                let frames = random_frame_times(&mut dice, 1.8 / f64::from(speed.max(1.0)));
                let found = tip_bits_by_tick(&mut prepared(), &frames);
                assert!(found.last().expect("frames").0 > 20);
                for (tick, found) in found.into_iter().filter(|(tick, _)| *tick > 0) {
                    assert_eq!(found, by_tick[tick as usize - 1], "way {way}, {players} fps, {speed} x, tick {tick}");
                }
            }
        }
    }
}

#[test]
fn in_both_modes_a_pause_does_not_change_the_motion_after_it() {
    for way in MODES {
        let (mut paused, mut straight) = (session_in_mode(way), session_in_mode(way));
        for s in [&mut paused, &mut straight] {
            ticks(s, 100);
            s.advance(TICK_SECONDS * 0.4);
        }
        let shown = paused.playback().displayed_pose().clone();
        paused.handle(Command::SetPlaying(false));
        (0..60).for_each(|_| paused.advance(1.0 / 60.0));
        assert_eq!(*paused.playback().displayed_pose(), shown, "the displayed pose is unchanged");
        paused.handle(Command::SetPlaying(true));
        assert_eq!(*paused.playback().displayed_pose(), shown, "the displayed pose does not jump back");
        for _ in 0..60 {
            paused.advance(TICK_SECONDS);
            straight.advance(TICK_SECONDS);
            assert_eq!(
                (tip_bits(&paused), paused.playback().displayed_pose()),
                (tip_bits(&straight), straight.playback().displayed_pose())
            );
        }
    }
}

#[test]
fn in_both_modes_reset_and_load_give_no_kick() {
    for way in MODES {
        let mut s = session_in_mode(way);
        ticks(&mut s, 200);
        let usual = max_tip_speed(&mut s);
        for wait in [3, 77, 120] {
            ticks(&mut s, wait);
            s.handle(Command::ResetPose);
            let calm = (0..60).fold(0.0, |most, _| {
                let last = tip_positions(&s);
                ticks(&mut s, 1);
                f32::max(most, max_tip_movement(&s, &last))
            });
            assert!(calm < 1.2 * usual, "way {way}: {calm} of a bone per tick, usually {usual}");
        }
        let mut loaded = session_in_mode(way);
        let last = tip_positions(&loaded);
        ticks(&mut loaded, 1);
        assert!(max_tip_movement(&loaded, &last) < usual, "way {way}");
    }
}

#[test]
fn in_both_modes_releasing_a_drag_gives_no_kick() {
    for way in MODES {
        let dragged = || {
            let mut s = session_in_mode(way);
            s.handle(Command::SetSpringsBack(false));
            ticks(&mut s, 50);
            for i in 1..=30_u8 {
                s.handle(Command::DragBone(HIPS, drag_sample(f32::from(i) * 0.01)));
                ticks(&mut s, 1);
            }
            s
        };
        let (mut held, mut kept) = (dragged(), dragged());
        kept.handle(Command::ReleaseBone(HIPS));
        for _ in 0..60 {
            ticks(&mut held, 1);
            ticks(&mut kept, 1);
            assert_eq!(tip_bits(&held), tip_bits(&kept), "way {way}: a constant displacement changes no tip");
        }
        // A body that springs back moves the hair at its own speed, and the tip of a strand at about twice that speed.
        let hips = |s: &Session| s.playback().world().frames().frame(HIPS).position;
        let usual = max_tip_speed(&mut held);
        held.handle(Command::SetSpringsBack(true));
        let (mut body, mut hair) = (0.0, 0.0);
        for _ in 0..60 {
            let (last, from) = (tip_positions(&held), hips(&held));
            ticks(&mut held, 1);
            body = f32::max(body, hips(&held).distance(from) / BONE_LENGTH);
            hair = f32::max(hair, max_tip_movement(&held, &last));
        }
        assert!(body > 0.1 && hair < 3.0 * (body + usual), "way {way}: hair {hair}, body {body}, usually {usual}");
    }
}

#[test]
fn in_unity_accurate_mode_hair_takes_one_step_per_player_frame() {
    let pulled = |players: u32| {
        let mut s = still_session();
        s.handle(Command::SetPlayerFrameRate(players));
        s.handle(Command::SetSpringsBack(false));
        s.handle(Command::DragBone(HIPS, drag_sample(0.3)));
        (0..50)
            .map(|_| {
                s.handle(Command::StepOnce);
                tip_bits(&s)
            })
            .collect::<Vec<_>>()
    };
    let usual = pulled(60);
    for players in PLAYER_FRAME_RATES {
        assert!(pulled(players) == usual, "{players} fps: other bits");
    }
    let mut s = playing_session();
    s.handle(Command::SetPlayerFrameRate(144));
    let before = s.playback().ticks();
    (0..60).for_each(|_| s.advance(1.0 / 60.0));
    assert!((143..=144).contains(&(s.playback().ticks() - before)));
    assert!((s.inspection().time_scale() - 2.4).abs() < 1e-6 && !s.inspection().is_frame_rate_independent());
    s.handle(Command::SetParam(param("simulationFrameRate"), 0.0));
    assert!(s.inspection().time_scale() == 1.0 && s.inspection().is_frame_rate_independent());
    s.handle(Command::SetParam(param("simulationFrameRate"), 60.0));
    s.handle(Command::SetParam(param("mode"), 1.0));
    assert!(s.inspection().time_scale() == 1.0 && s.inspection().is_frame_rate_independent());
    s.handle(Command::SetParam(param("steadyPace"), 0.0));
    assert!((s.inspection().time_scale() - 2.4).abs() < 1e-6);
    s.handle(Command::SetPlayerFrameRate(0));
    assert_eq!(s.playback().settings().player_frame_rate, 10);
}

#[test]
fn steps_of_frame_duration_move_equally_at_every_player_frame_rate() {
    let after_a_second = |players: u32| {
        let mut s = still_session();
        s.handle(Command::SetParam(param("simulationFrameRate"), 0.0));
        s.handle(Command::SetPlayerFrameRate(players));
        s.handle(Command::ResetPose);
        // Drag applies per step, so it depends on the frame rate.
        s.handle(Command::SetParam(param("dragForce"), 0.0));
        s.handle(Command::SetSpringsBack(false));
        let rest = tip_positions(&s);
        s.handle(Command::DragBone(HEAD, GestureSample { offset: Vec3::X * 0.01, rotation: Quat::IDENTITY }));
        // Play at most half a swing; longer swings differ because the step lengths differ.
        (0..players / 5).for_each(|_| s.handle(Command::StepOnce));
        max_tip_movement(&s, &rest)
    };
    let [a, b, c] = [60, 90, 120].map(after_a_second);
    assert!(a > 0.05 && (a - b).abs() < 0.2 * a && (a - c).abs() < 0.2 * a, "{a} {b} {c}");
}

#[test]
fn motions_and_gestures_have_the_same_speed_at_every_player_frame_rate() {
    let body = |players: u32, motion: Motion, s: &mut Session| {
        s.handle(Command::SetPlayerFrameRate(players));
        s.handle(Command::SetMotion(motion));
        s.handle(Command::ResetPose);
        // 0.7 s is a whole number of ticks at all of these rates except 144.
        (0..(0.7 * f64::from(players)).round() as u32).for_each(|_| s.handle(Command::StepOnce));
        s.playback().world().frames().frame(HEAD).position
    };
    let mut s = still_session();
    record_gesture(&mut s);
    let gesture = s.playback().settings().motion;
    assert!(matches!(gesture, Motion::Gesture(_)));
    for motion in [Motion::Clip(0), Motion::Test(TestMotion::Walk), gesture] {
        let usual = body(60, motion, &mut s);
        for players in PLAYER_FRAME_RATES {
            let found = body(players, motion, &mut s);
            assert!(found.distance(usual) < 0.02, "{motion:?} at {players} fps: {found}, expected {usual}");
        }
        for players in [30, 90, 120] {
            assert!(body(players, motion, &mut s).distance(usual) < 2e-4, "{motion:?} at {players} fps");
        }
    }
}

#[test]
fn a_gesture_has_sixty_samples_per_second_at_every_player_frame_rate() {
    let samples = |players: u32| {
        let mut s = still_session();
        s.handle(Command::SetPlayerFrameRate(players));
        s.handle(Command::SetRecording(true));
        // For half a second, the drag grows with time.
        for i in 0..players / 2 {
            s.handle(Command::DragBone(
                HIPS,
                GestureSample { offset: Vec3::X * (i as f32 / players as f32), rotation: Quat::IDENTITY },
            ));
            s.advance(1.0 / f64::from(players) + 1e-9);
        }
        s.handle(Command::ReleaseBone(HIPS));
        (0..2 * players).for_each(|_| s.advance(1.0 / f64::from(players)));
        s.document().gestures.values().next().expect("recorded").samples.clone()
    };
    let usual = samples(60);
    assert_eq!(usual.len(), 30 + 19 + 40, "dragged, springing back, at rest");
    for players in PLAYER_FRAME_RATES {
        let found = samples(players);
        assert!(found.len().abs_diff(usual.len()) <= 2, "{players} fps: {} samples", found.len());
        for (i, (a, b)) in found.iter().zip(&usual).enumerate().take(29) {
            assert!((a.offset.x - b.offset.x).abs() < 1e-4, "{players} fps, sample {i}: {} and {}", a.offset, b.offset);
        }
    }
}

#[test]
fn settling_after_a_release_takes_the_same_seconds_at_every_player_frame_rate() {
    for players in PLAYER_FRAME_RATES {
        let mut s = still_session();
        s.handle(Command::SetPlayerFrameRate(players));
        s.handle(Command::SetPlaying(false));
        s.handle(Command::GrabTip(BoneId(FIRST_HAIR_BONE), Vec3::ZERO));
        s.handle(Command::ReleaseJoint);
        let mut seconds = 0.0_f64;
        while s.playback().is_moving() && seconds < 10.0 {
            s.advance(1.0 / 480.0);
            seconds += 1.0 / 480.0;
        }
        assert!((seconds - 2.5).abs() < 0.05, "{players} fps: {seconds} s");
    }
}

#[test]
fn switching_the_mode_during_motion_gives_no_jump() {
    let mut s = session_in_mode(0.0);
    ticks(&mut s, 100);
    let usual = max_tip_speed(&mut s);
    for way in [1.0, 0.0, 1.0] {
        let before = tip_bits(&s);
        s.handle(Command::SetParam(param("mode"), way));
        assert!(tip_bits(&s) == before, "a mode switch moves nothing");
        for _ in 0..30 {
            let last = tip_positions(&s);
            ticks(&mut s, 1);
            assert!(max_tip_movement(&s, &last) < 2.0 * usual, "to {way}");
        }
    }
}

#[test]
fn a_radius_on_a_scaled_bone_warns_that_release_1_1_ignores_scale() {
    let plain = character(|name| Some(name.to_owned()));
    let mut bones: Vec<Bone> = plain.skeleton.bones().to_vec();
    bones[1].rest.scale = Vec3::splat(0.5);
    let skeleton = Skeleton::new(bones).expect("parents first");
    let scaled = Arc::new(Character { skeleton, ..(*plain).clone() });
    let mut s = Session::new(scaled, playing_session().document().clone());
    let remark = |s: &Session, name: &str| s.inspection().param_warning(param(name));
    assert!(matches!(remark(&s, "radius"), Some(ParamWarning::ScaleIgnored(n)) if (n - 0.5).abs() < 1e-6));
    assert_eq!(remark(&s, "scaleRules"), None);
    s.handle(Command::SetParam(param("scaleRules"), 1.0));
    assert_eq!(remark(&s, "radius"), None);
    s.handle(Command::SetParam(param("scaleRules"), 0.0));
    s.handle(Command::SetParam(param("mode"), 1.0));
    assert_eq!(remark(&s, "radius"), None);
    assert_eq!(remark(&s, "scaleRules"), Some(ParamWarning::SameEffectAs(param("scaledRadii"))));
    assert_eq!(remark(&playing_session(), "radius"), None);
}
