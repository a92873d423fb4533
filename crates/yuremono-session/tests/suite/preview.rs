//! Tests previews of changes that are not applied yet.

use crate::support::{pose_distance, sample};
use glam::Quat;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::{Edit, EditLabel, GestureSample};
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, Motion, PresetApplication, PresetId, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::WorldPose;

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

/// Returns the edit that converts the character to another solver.
fn solver_change(session: &Session) -> Edit {
    convert(session.document(), session.character(), SolverKind::DynamicBone).edit(session.document())
}

/// Returns the largest distance between the character's bones in two displayed poses, in metres.
fn max_bone_distance(a: &Session, b: &Session) -> f32 {
    let count = a.character().skeleton.len();
    let frames = a.playback().displayed_pose().frames.iter().zip(&b.playback().displayed_pose().frames).take(count);
    frames.map(|(a, b)| a.position.distance(b.position)).fold(0.0, f32::max)
}

#[test]
fn a_preview_changes_the_displayed_motion_and_nothing_else() {
    let (mut shown, mut plain) = (session(), session());
    let before = shown.document().clone();
    let edit = solver_change(&shown);
    shown.handle(Command::PreviewEdit(Some(edit)));
    assert!(shown.playback().is_previewing());
    run(&mut shown, 40);
    run(&mut plain, 40);
    assert!(max_bone_distance(&shown, &plain) > 5e-3, "another solver moves differently");
    assert_eq!(shown.document(), &before);
    assert!(shown.history().next_undo().is_none());
    let lines = shown.playback().original_chain_lines(shown.document());
    assert!(lines.len() >= before.chains.len() && plain.playback().original_chain_lines(plain.document()).is_empty());
    shown.handle(Command::PreviewEdit(None));
    run(&mut shown, 1);
    run(&mut plain, 1);
    assert_eq!(max_bone_distance(&shown, &plain), 0.0, "the live world continued in the background");
    assert!(shown.playback().original_chain_lines(shown.document()).is_empty());
}

#[test]
fn a_scrubbed_preview_shows_the_preview_and_the_live_lines_in_the_same_tick() {
    let mut session = session();
    run(&mut session, 20);
    let edit = solver_change(&session);
    session.handle(Command::PreviewEdit(Some(edit)));
    let state = |session: &Session| {
        let play = session.playback();
        (play.displayed_pose().clone(), play.original_chain_lines(session.document()).concat())
    };
    let states: Vec<_> = (0..30)
        .map(|_| {
            session.handle(Command::StepOnce);
            state(&session)
        })
        .collect();
    // A live pose is interpolated, so it differs from its recording by rounding.
    let shows = |session: &Session, tick: usize| {
        let ((pose, lines), (recorded_pose, recorded_lines)) = (state(session), &states[tick]);
        let points = lines.iter().zip(recorded_lines);
        pose_distance(&pose, recorded_pose) < 1e-5
            && lines.len() == recorded_lines.len()
            && points.into_iter().all(|(a, b)| a.distance(*b) < 1e-5)
    };
    session.handle(Command::Scrub(Some(10.0 / 60.0)));
    assert!(shows(&session, 19) && !shows(&session, 18));
    session.handle(Command::StepBack);
    assert!(shows(&session, 18));
    session.handle(Command::Scrub(Some(45.0 / 60.0)));
    assert!(shows(&session, 0), "a preview has no earlier poses");
    session.handle(Command::PreviewEdit(None));
    let live = session.playback().displayed_pose().clone();
    session.handle(Command::Scrub(None));
    assert!(live != *session.playback().displayed_pose(), "the live world stays in the scrubbed tick");
}

#[test]
fn applying_a_preview_continues_its_motion_without_a_jump() {
    let (mut taken, mut watched) = (session(), session());
    for session in [&mut taken, &mut watched] {
        let edit = solver_change(session);
        session.handle(Command::PreviewEdit(Some(edit)));
        run(session, 40);
    }
    let edit = solver_change(&taken);
    taken.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
    assert!(!taken.playback().is_previewing() && taken.history().next_undo().is_some());
    run(&mut taken, 1);
    run(&mut watched, 1);
    assert!(max_bone_distance(&taken, &watched) < 1e-3, "it jumped by {} m", max_bone_distance(&taken, &watched));
}

#[test]
fn a_preview_ends_with_any_other_edit_and_does_not_start_with_an_invalid_one() {
    let mut session = session();
    let edit = solver_change(&session);
    session.handle(Command::PreviewEdit(Some(edit)));
    let id = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::RenameChain(id, "Another".to_owned()));
    assert!(!session.playback().is_previewing());
    session.handle(Command::PreviewEdit(Some(Edit::Batch(Vec::new()))));
    assert!(!session.playback().is_previewing(), "the edit would change nothing");
    let missing = yuremono_model::document::ChainId(9999);
    session.handle(Command::PreviewEdit(Some(Edit::PutChain { id: missing, chain: None })));
    let param = yuremono_sim::params::ParamId(0);
    session.handle(Command::PreviewEdit(Some(Edit::SetBaseValue { chain: missing, param, value: 1.0 })));
    assert!(!session.playback().is_previewing());
    run(&mut session, 5);
}

/// Returns a session of the sample character's hair whose rest pose has a bent head.
fn after_setting_rest_pose(previews: bool) -> Session {
    let opened = sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let head = session.character().humanoid.bone("head").expect("the sample has a head");
    let sample = GestureSample { rotation: Quat::from_rotation_z(1.2), ..GestureSample::default() };
    session.handle(Command::DragBone(head, sample));
    run(&mut session, 120);
    if previews {
        let (id, chain) = session.document().chains.iter().next().expect("a chain");
        let param = find_param(session.document().param_defs_of(chain), "hitRadius").expect("a row");
        session.handle(Command::PreviewEdit(Some(Edit::SetBaseValue { chain: *id, param, value: 0.001 })));
    }
    session.handle(Command::SetRestPose);
    session.handle(Command::DragBone(head, GestureSample::default()));
    run(&mut session, 120);
    assert_eq!(session.playback().is_previewing(), previews);
    session
}

#[test]
fn a_preview_uses_the_rest_pose_of_the_session() {
    let apart = max_bone_distance(&after_setting_rest_pose(true), &after_setting_rest_pose(false));
    assert!(apart < 0.01, "the preview ignores the rest pose of the session by {apart} m");
}

#[test]
fn after_a_reset_a_preview_is_at_rest() {
    let mut session = session();
    session.handle(Command::SetMotion(Motion::Still));
    let edit = solver_change(&session);
    session.handle(Command::PreviewEdit(Some(edit)));
    run(&mut session, 5);
    session.handle(Command::ResetPose);
    run(&mut session, 1);
    let before = session.playback().displayed_pose().clone();
    run(&mut session, 60);
    let moved = before
        .frames
        .iter()
        .zip(&session.playback().displayed_pose().frames)
        .map(|(a, b)| a.position.distance(b.position));
    let most = moved.fold(0.0, f32::max);
    assert!(session.playback().is_previewing() && most < 1e-3, "the hair falls by {most} m");
}

/// Returns the largest distance between the character's bones in a settled pose and in the displayed pose, in metres.
fn max_distance_from(settled: &WorldPose, session: &Session) -> f32 {
    let count = session.character().skeleton.len();
    let frames = settled.frames.iter().zip(&session.playback().displayed_pose().frames).take(count);
    frames.map(|(a, b)| a.position.distance(b.position)).fold(0.0, f32::max)
}

/// Applies a preset to a still character, and checks that no bone moves by a millimetre in the next second.
#[track_caller]
fn check_starts_at_rest(command: impl Fn(PresetApplication) -> Command, is_previewed: bool) {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::DynamicBone] {
        for preset in
            builtin_presets().iter().filter(|preset| ["hair_long", "hair_short"].contains(&preset.key.as_str()))
        {
            let opened = sample(solver);
            let mut session = Session::new(opened.character, opened.document);
            session.handle(Command::SetMotion(Motion::Still));
            session.handle(Command::ResetPose);
            run(&mut session, 1);
            let id = PresetId { is_custom: false, key: preset.key.clone() };
            let step = session.inspection().preset_application(id, preset, None, false);
            session.handle(command(step));
            assert_eq!(session.playback().is_previewing(), is_previewed);
            run(&mut session, 1);
            let begun = session.playback().displayed_pose().clone();
            let mut kick = 0.0_f32;
            for _ in 0..60 {
                run(&mut session, 1);
                kick = kick.max(max_distance_from(&begun, &session));
            }
            assert!(kick < 1e-3, "{solver:?} {}: the motion starts with a jump of {kick} m", preset.key);
        }
    }
}

#[test]
fn previewing_a_preset_on_a_still_character_starts_at_rest() {
    check_starts_at_rest(|step| Command::PreviewEdit(Some(step.edit)), true);
}

#[test]
fn applying_a_preset_without_a_preview_starts_at_rest() {
    check_starts_at_rest(|step| Command::ApplyPreset(Box::new(step)), false);
}
