//! The two ways to run and the players' frame rate: what must not differ, and what must not kick.

use super::*;
use yuremono::session::{Command, PLAYERS_RATES, Remark};

/// As Unity does it, and improved.
const WAYS: [f32; 2] = [0.0, 1.0];

fn opened(way: f32) -> Session {
    let mut s = open();
    s.handle(Command::Set(row("way"), way));
    s.handle(Command::ResetPose);
    assert_eq!(s.document().main().is_improved(), way > 0.0);
    s
}

/// Numbers that look thrown, the same each time; 0..1.
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Frames of a display of 24 to 480 Hz for about `seconds`, uneven, with hitches that are still caught up.
fn thrown_display(dice: &mut Dice, seconds: f64) -> Vec<f64> {
    let frame = 1.0 / (24.0 + dice.throw() * 456.0);
    let mut left = seconds;
    std::iter::from_fn(|| {
        let hitch = dice.throw() < 0.02;
        let next = if hitch { 0.05 + dice.throw() * 0.44 } else { frame * (0.5 + dice.throw()) };
        left -= next;
        (left > 0.0).then_some(next)
    })
    .collect()
}

#[test]
fn in_both_ways_every_display_shows_the_same_bits_at_the_same_tick_whatever_the_speed() {
    let mut dice = Dice(7);
    for way in WAYS {
        for (players, speed) in [(60, 1.0), (60, 0.37), (144, 1.0), (30, 2.0)] {
            let prepared = || {
                let mut s = opened(way);
                s.handle(Command::SetPlayersRate(players));
                s.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
                s.handle(Command::ResetPose);
                s.handle(Command::SetSpeed(speed));
                s
            };
            let mut reference = prepared();
            let by_tick: Vec<_> = (0..2 * 144)
                .map(|_| {
                    reference.handle(Command::StepOnce);
                    bits(&reference)
                })
                .collect();
            assert_ne!(by_tick[20], by_tick[60], "it moves");
            for _ in 0..6 {
                let frames = thrown_display(&mut dice, 1.8 / f64::from(speed.max(1.0)));
                let found = played(&mut prepared(), &frames);
                assert!(found.last().expect("frames").0 > 20);
                for (tick, found) in found.into_iter().filter(|(tick, _)| *tick > 0) {
                    assert_eq!(found, by_tick[tick as usize - 1], "way {way}, {players} fps, {speed} x, tick {tick}");
                }
            }
        }
    }
}

#[test]
fn in_both_ways_a_second_of_pause_changes_nothing_that_follows() {
    for way in WAYS {
        let (mut paused, mut straight) = (opened(way), opened(way));
        for s in [&mut paused, &mut straight] {
            ticks(s, 100);
            s.advance(TICK * 0.4);
        }
        let shown = paused.playback().shown().clone();
        paused.handle(Command::SetPlaying(false));
        (0..60).for_each(|_| paused.advance(1.0 / 60.0));
        assert_eq!(*paused.playback().shown(), shown, "the picture stands");
        paused.handle(Command::SetPlaying(true));
        assert_eq!(*paused.playback().shown(), shown, "and does not jump back");
        for _ in 0..60 {
            paused.advance(TICK);
            straight.advance(TICK);
            assert_eq!((bits(&paused), paused.playback().shown()), (bits(&straight), straight.playback().shown()));
        }
    }
}

#[test]
fn in_both_ways_a_reset_of_moving_hair_and_a_fresh_start_give_no_kick() {
    for way in WAYS {
        let mut s = opened(way);
        ticks(&mut s, 200);
        let usual = usual_speed(&mut s);
        for wait in [3, 77, 120] {
            ticks(&mut s, wait);
            s.handle(Command::ResetPose);
            let calm = (0..60).fold(0.0, |most, _| {
                let last = tips(&s);
                ticks(&mut s, 1);
                f32::max(most, moved(&s, &last))
            });
            assert!(calm < 1.2 * usual, "way {way}: {calm} of a bone a tick, usually {usual}");
        }
        let mut loaded = opened(way);
        let last = tips(&loaded);
        ticks(&mut loaded, 1);
        assert!(moved(&loaded, &last) < usual, "way {way}");
    }
}

#[test]
fn in_both_ways_letting_go_of_a_drag_gives_no_kick() {
    for way in WAYS {
        let dragged = || {
            let mut s = opened(way);
            s.handle(Command::SetSpringsBack(false));
            ticks(&mut s, 50);
            for i in 1..=30_u8 {
                s.handle(Command::Drag(HIPS, pull(f32::from(i) * 0.01)));
                ticks(&mut s, 1);
            }
            s
        };
        let (mut held, mut kept) = (dragged(), dragged());
        kept.handle(Command::LetGo(HIPS));
        for _ in 0..60 {
            ticks(&mut held, 1);
            ticks(&mut kept, 1);
            assert_eq!(bits(&held), bits(&kept), "way {way}: what stays displaced feels nothing");
        }
        // What springs back moves the hair as fast as it moves itself, about twice that at the end of a strand.
        let hips = |s: &Session| s.playback().world().frames().frame(HIPS).position;
        let usual = usual_speed(&mut held);
        held.handle(Command::SetSpringsBack(true));
        let (mut body, mut hair) = (0.0, 0.0);
        for _ in 0..60 {
            let (last, from) = (tips(&held), hips(&held));
            ticks(&mut held, 1);
            body = f32::max(body, hips(&held).distance(from) / LENGTH);
            hair = f32::max(hair, moved(&held, &last));
        }
        assert!(body > 0.1 && hair < 3.0 * (body + usual), "way {way}: hair {hair}, body {body}, usually {usual}");
    }
}

#[test]
fn as_unity_does_it_hair_takes_one_step_for_each_frame_of_the_players() {
    let pulled = |players: u32| {
        let mut s = still();
        s.handle(Command::SetPlayersRate(players));
        s.handle(Command::SetSpringsBack(false));
        s.handle(Command::Drag(HIPS, pull(0.3)));
        (0..50)
            .map(|_| {
                s.handle(Command::StepOnce);
                bits(&s)
            })
            .collect::<Vec<_>>()
    };
    let usual = pulled(60);
    for players in PLAYERS_RATES {
        assert!(pulled(players) == usual, "{players} fps: other bits");
    }
    let mut s = open();
    s.handle(Command::SetPlayersRate(144));
    let before = s.playback().ticks();
    (0..60).for_each(|_| s.advance(1.0 / 60.0));
    assert!((143..=144).contains(&(s.playback().ticks() - before)));
    assert!((s.inspection().pace() - 2.4).abs() < 1e-6 && !s.inspection().keeps_pace());
    s.handle(Command::Set(row("simulationFrameRate"), 0.0));
    assert!(s.inspection().pace() == 1.0 && s.inspection().keeps_pace());
    s.handle(Command::Set(row("simulationFrameRate"), 60.0));
    s.handle(Command::Set(row("way"), 1.0));
    assert!(s.inspection().pace() == 1.0 && s.inspection().keeps_pace());
    s.handle(Command::Set(row("steadyPace"), 0.0));
    assert!((s.inspection().pace() - 2.4).abs() < 1e-6);
    s.handle(Command::SetPlayersRate(0));
    assert_eq!(s.playback().settings().players_rate, 10);
}

#[test]
fn steps_as_long_as_the_frame_move_alike_at_every_players_rate() {
    let after_a_second = |players: u32| {
        let mut s = still();
        s.handle(Command::Set(row("simulationFrameRate"), 0.0));
        s.handle(Command::SetPlayersRate(players));
        s.handle(Command::ResetPose);
        // Drag is a share of each step.
        s.handle(Command::Set(row("dragForce"), 0.0));
        s.handle(Command::SetSpringsBack(false));
        let rest = tips(&s);
        s.handle(Command::Drag(HEAD, GestureSample { offset: Vec3::X * 0.01, turn: Quat::IDENTITY }));
        // Half a swing at most: longer ones drift apart by the size of their steps.
        (0..players / 5).for_each(|_| s.handle(Command::StepOnce));
        moved(&s, &rest)
    };
    let [a, b, c] = [60, 90, 120].map(after_a_second);
    assert!(a > 0.05 && (a - b).abs() < 0.2 * a && (a - c).abs() < 0.2 * a, "{a} {b} {c}");
}

#[test]
fn motions_and_gestures_keep_their_pace_at_every_players_rate() {
    let body = |players: u32, motion: Motion, s: &mut Session| {
        s.handle(Command::SetPlayersRate(players));
        s.handle(Command::SetMotion(motion));
        s.handle(Command::ResetPose);
        // 0.7 s, a whole number of ticks at all of these rates but 144.
        (0..(0.7 * f64::from(players)).round() as u32).for_each(|_| s.handle(Command::StepOnce));
        s.playback().world().frames().frame(HEAD).position
    };
    let mut s = still();
    record(&mut s);
    let gesture = s.playback().settings().motion;
    assert!(matches!(gesture, Motion::Gesture(_)));
    for motion in [Motion::Clip(0), Motion::Test(TestMotion::Walk), gesture] {
        let usual = body(60, motion, &mut s);
        for players in PLAYERS_RATES {
            let found = body(players, motion, &mut s);
            assert!(found.distance(usual) < 0.02, "{motion:?} at {players} fps: {found} and not {usual}");
        }
        for players in [30, 90, 120] {
            assert!(body(players, motion, &mut s).distance(usual) < 2e-4, "{motion:?} at {players} fps");
        }
    }
}

#[test]
fn a_gesture_has_sixty_samples_a_second_at_whatever_rate_it_is_recorded() {
    let samples = |players: u32| {
        let mut s = still();
        s.handle(Command::SetPlayersRate(players));
        s.handle(Command::Record(true));
        // A pull that grows with time, for half a second.
        for i in 0..players / 2 {
            s.handle(Command::Drag(
                HIPS,
                GestureSample { offset: Vec3::X * (i as f32 / players as f32), turn: Quat::IDENTITY },
            ));
            s.advance(1.0 / f64::from(players) + 1e-9);
        }
        s.handle(Command::LetGo(HIPS));
        (0..2 * players).for_each(|_| s.advance(1.0 / f64::from(players)));
        s.document().gestures.values().next().expect("recorded").samples.clone()
    };
    let usual = samples(60);
    assert_eq!(usual.len(), 30 + 19 + 40, "pulled, springing back, still");
    for players in PLAYERS_RATES {
        let found = samples(players);
        assert!(found.len().abs_diff(usual.len()) <= 2, "{players} fps: {} samples", found.len());
        for (i, (a, b)) in found.iter().zip(&usual).enumerate().take(29) {
            assert!((a.offset.x - b.offset.x).abs() < 1e-4, "{players} fps, sample {i}: {} and {}", a.offset, b.offset);
        }
    }
}

#[test]
fn what_lives_on_counts_in_seconds() {
    for players in PLAYERS_RATES {
        let mut s = still();
        s.handle(Command::SetPlayersRate(players));
        s.handle(Command::SetPlaying(false));
        s.handle(Command::Grab(BoneId(HAIR), Vec3::ZERO));
        s.handle(Command::LetGoTip);
        let mut seconds = 0.0_f64;
        while s.playback().is_moving() && seconds < 10.0 {
            s.advance(1.0 / 480.0);
            seconds += 1.0 / 480.0;
        }
        assert!((seconds - 2.5).abs() < 0.05, "{players} fps: {seconds} s");
    }
}

#[test]
fn the_way_is_switched_in_full_swing_without_a_jump() {
    let mut s = opened(0.0);
    ticks(&mut s, 100);
    let usual = usual_speed(&mut s);
    for way in [1.0, 0.0, 1.0] {
        let before = bits(&s);
        s.handle(Command::Set(row("way"), way));
        assert!(bits(&s) == before, "nothing moves on a switch");
        for _ in 0..30 {
            let last = tips(&s);
            ticks(&mut s, 1);
            assert!(moved(&s, &last) < 2.0 * usual, "to {way}");
        }
    }
}

#[test]
fn a_radius_on_a_scaled_bone_says_what_release_1_1_forgets() {
    let plain = character(|name| Some(name.to_owned()));
    let mut bones: Vec<Bone> = plain.skeleton.bones().to_vec();
    bones[1].rest.scale = Vec3::splat(0.5);
    let skeleton = Skeleton::new(bones).expect("parents first");
    let scaled = Arc::new(Character { skeleton, ..(*plain).clone() });
    let mut s = Session::new(scaled, open().document().clone());
    let remark = |s: &Session, name: &str| s.inspection().remark(row(name));
    assert!(matches!(remark(&s, "radius"), Some(Remark::ScaleForgotten(n)) if (n - 0.5).abs() < 1e-6));
    assert_eq!(remark(&s, "scaleRules"), None);
    s.handle(Command::Set(row("scaleRules"), 1.0));
    assert_eq!(remark(&s, "radius"), None);
    s.handle(Command::Set(row("scaleRules"), 0.0));
    s.handle(Command::Set(row("way"), 1.0));
    assert_eq!(remark(&s, "radius"), None);
    assert_eq!(remark(&s, "scaleRules"), Some(Remark::Overruled(row("scaledRadii"))));
    assert_eq!(remark(&open(), "radius"), None);
}
