//! A change that is shown before it is made.

use crate::support::sample;
use glam::Quat;
use yuremono::document::{Edit, GestureSample, Label};
use yuremono::feel::convert::convert;
use yuremono::format::shelf::built_in;
use yuremono::rig::WorldPose;
use yuremono::schema::find_row;
use yuremono::session::{Command, Motion, PresetId, PresetStep, Session};
use yuremono::sim::SolverKind;
use yuremono::stage::TestMotion;

fn session() -> Session {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    session
}

fn run(session: &mut Session, ticks: usize) {
    (0..ticks).for_each(|_| session.advance(1.0 / 60.0));
}

/// The way to another solver.
fn change(session: &Session) -> Edit {
    convert(session.document(), session.character(), SolverKind::DynamicBone).edit(session.document())
}

/// The greatest distance of a file's bone between two pictures, metres.
fn apart(a: &Session, b: &Session) -> f32 {
    let count = a.character().skeleton.len();
    let frames = a.playback().shown().frames.iter().zip(&b.playback().shown().frames).take(count);
    frames.map(|(a, b)| a.position.distance(b.position)).fold(0.0, f32::max)
}

#[test]
fn a_preview_moves_the_picture_and_changes_nothing_else() {
    let (mut shown, mut plain) = (session(), session());
    let before = shown.document().clone();
    let edit = change(&shown);
    shown.handle(Command::Preview(Some(edit)));
    assert!(shown.playback().is_previewing());
    run(&mut shown, 40);
    run(&mut plain, 40);
    assert!(apart(&shown, &plain) > 5e-3, "another rule moves otherwise");
    assert_eq!(shown.document(), &before);
    assert!(shown.history().next_undo().is_none());
    let lines = shown.playback().ghost_lines(shown.document());
    assert!(lines.len() >= before.chains.len() && plain.playback().ghost_lines(plain.document()).is_empty());
    shown.handle(Command::Preview(None));
    run(&mut shown, 1);
    run(&mut plain, 1);
    assert_eq!(apart(&shown, &plain), 0.0, "the live world went on unseen");
    assert!(shown.playback().ghost_lines(shown.document()).is_empty());
}

#[test]
fn a_preview_that_is_taken_goes_on_without_a_jump() {
    let (mut taken, mut watched) = (session(), session());
    for session in [&mut taken, &mut watched] {
        let edit = change(session);
        session.handle(Command::Preview(Some(edit)));
        run(session, 40);
    }
    let edit = change(&taken);
    taken.handle(Command::Apply(edit, Label::new("switch_solver", 1)));
    assert!(!taken.playback().is_previewing() && taken.history().next_undo().is_some());
    run(&mut taken, 1);
    run(&mut watched, 1);
    assert!(apart(&taken, &watched) < 1e-3, "it jumped by {} m", apart(&taken, &watched));
}

#[test]
fn a_preview_ends_with_any_other_change_and_never_begins_with_a_bad_one() {
    let mut session = session();
    let edit = change(&session);
    session.handle(Command::Preview(Some(edit)));
    let id = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::Rename(id, "Another".to_owned()));
    assert!(!session.playback().is_previewing());
    session.handle(Command::Preview(Some(Edit::Batch(Vec::new()))));
    assert!(!session.playback().is_previewing(), "nothing would change");
    let missing = yuremono::document::ChainId(9999);
    session.handle(Command::Preview(Some(Edit::PutChain { id: missing, chain: None })));
    let row = yuremono::schema::Row(0);
    session.handle(Command::Preview(Some(Edit::SetBase { chain: missing, row, value: 1.0 })));
    assert!(!session.playback().is_previewing());
    run(&mut session, 5);
}

/// Her hair as it comes to hang once it was told to take a bent head's pose for its rest.
fn after_taking_rest(previews: bool) -> Session {
    let opened = sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let head = session.character().humanoid.bone("head").expect("she has a head");
    let sample = GestureSample { turn: Quat::from_rotation_z(1.2), ..GestureSample::default() };
    session.handle(Command::Drag(head, sample));
    run(&mut session, 120);
    if previews {
        let (id, chain) = session.document().chains.iter().next().expect("a chain");
        let row = find_row(session.document().table_of(chain), "hitRadius").expect("a row");
        session.handle(Command::Preview(Some(Edit::SetBase { chain: *id, row, value: 0.001 })));
    }
    session.handle(Command::TakeRest);
    session.handle(Command::Drag(head, GestureSample::default()));
    run(&mut session, 120);
    assert_eq!(session.playback().is_previewing(), previews);
    session
}

#[test]
fn what_counts_as_rest_counts_in_a_preview_too() {
    let apart = apart(&after_taking_rest(true), &after_taking_rest(false));
    assert!(apart < 0.01, "the preview went back to its own rest, by {apart} m");
}

#[test]
fn after_a_reset_a_preview_hangs_as_still_as_the_character_does() {
    let mut session = session();
    session.handle(Command::SetMotion(Motion::Still));
    let edit = change(&session);
    session.handle(Command::Preview(Some(edit)));
    run(&mut session, 5);
    session.handle(Command::ResetPose);
    run(&mut session, 1);
    let before = session.playback().shown().clone();
    run(&mut session, 60);
    let moved =
        before.frames.iter().zip(&session.playback().shown().frames).map(|(a, b)| a.position.distance(b.position));
    let most = moved.fold(0.0, f32::max);
    assert!(session.playback().is_previewing() && most < 1e-3, "it went on to fall by {most} m");
}

/// The greatest distance of a file's bone from where it is in another picture, metres.
fn moved_from(settled: &WorldPose, session: &Session) -> f32 {
    let count = session.character().skeleton.len();
    let frames = settled.frames.iter().zip(&session.playback().shown().frames).take(count);
    frames.map(|(a, b)| a.position.distance(b.position)).fold(0.0, f32::max)
}

/// A preset reaches a character that stands still: no bone may move by a millimetre in the second after that.
#[track_caller]
fn check_starts_at_rest(command: impl Fn(PresetStep) -> Command, is_previewed: bool) {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::DynamicBone] {
        for preset in built_in().iter().filter(|preset| ["hair_long", "hair_short"].contains(&preset.key.as_str())) {
            let opened = sample(solver);
            let mut session = Session::new(opened.character, opened.document);
            session.handle(Command::SetMotion(Motion::Still));
            session.handle(Command::ResetPose);
            run(&mut session, 1);
            let id = PresetId { own: false, key: preset.key.clone() };
            let step = session.presets().step(id, preset, None, false);
            session.handle(command(step));
            assert_eq!(session.playback().is_previewing(), is_previewed);
            run(&mut session, 1);
            let begun = session.playback().shown().clone();
            let mut kick = 0.0_f32;
            for _ in 0..60 {
                run(&mut session, 1);
                kick = kick.max(moved_from(&begun, &session));
            }
            assert!(kick < 1e-3, "{solver:?} {}: it begins with a kick of {kick} m", preset.key);
        }
    }
}

#[test]
fn the_preview_of_a_preset_on_a_still_character_begins_at_rest() {
    check_starts_at_rest(|step| Command::Preview(Some(step.edit)), true);
}

#[test]
fn a_preset_that_is_applied_without_a_preview_begins_at_rest_too() {
    check_starts_at_rest(|step| Command::ApplyPreset(Box::new(step)), false);
}
