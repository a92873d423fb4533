//! Values that the simulation cannot follow: what is done, and what the artist is told.

use crate::support::sample;
use glam::Vec3;
use yuremono::diagnostics::{Diagnostic, Location};
use yuremono::params::find_param;
use yuremono::session::{Command, Message, ParamWarning, Session};
use yuremono::sim::SolverKind;

fn session(solver: SolverKind) -> Session {
    let opened = sample(solver);
    Session::new(opened.character, opened.document)
}

fn set(session: &mut Session, name: &str, value: f32) {
    let row = find_param(session.inspection().system().param_defs(), name).expect("a row of the table");
    session.handle(Command::SetParam(row, value));
}

/// What was said of bounds, in English.
fn said(session: &Session) -> Vec<String> {
    let is_bound = |said: &Message| matches!(said, Message::ChainOutOfBounds { .. } | Message::WorkReduced { .. });
    let messages = session.messages().entries().iter().filter(|m| m.message.as_ref().is_some_and(is_bound));
    messages.map(|message| message.diagnostic.message.to_string()).collect()
}

fn places(session: &Session) -> Vec<Vec3> {
    session.playback().world().frames().frames.iter().map(|frame| frame.position).collect()
}

#[test]
fn a_typed_number_that_throws_points_away_is_named_and_the_chains_stay_near() {
    let mut session = session(SolverKind::JointDynamics);
    assert_eq!(said(&session), Vec::<String>::new());
    set(&mut session, "_AllShrink", 75.0);
    for _ in 0..180 {
        session.advance(1.0 / 60.0);
        assert!(places(&session).iter().all(|at| at.length() < 20.0), "a bone is far away");
    }
    let said = said(&session);
    let systems = session.document().systems.len();
    assert!((1..=systems).contains(&said.len()), "one message for each system at most: {said:?}");
    for said in said {
        assert!(said.contains("Shared shrink 75, expected 0 to 1"), "{said}");
        let joint = said.split(' ').next().expect("a name");
        assert!(
            session.character().skeleton.ids().any(|bone| session.inspection().bone_name(bone) == joint),
            "{joint}"
        );
    }
}

#[test]
fn a_number_out_of_its_range_is_remarked_beside_it_and_one_in_range_is_not() {
    let mut session = session(SolverKind::JointDynamics);
    let row = find_param(session.inspection().system().param_defs(), "_AllShrink").expect("a row");
    assert_eq!(session.inspection().param_warning(row), None);
    session.handle(Command::SetParam(row, 75.0));
    assert_eq!(session.inspection().param_warning(row), Some(ParamWarning::OutOfRange([0.0, 1.0])));
}

#[test]
fn counts_at_the_ends_of_their_ranges_are_cut_to_bounded_work_and_named() {
    let mut session = session(SolverKind::JointDynamics);
    for (name, value) in [("_StabilizationFrameRate", 1000.0), ("_SubSteps", 64.0), ("_Relaxation", 64.0)] {
        set(&mut session, name, value);
    }
    let work: u64 = session.playback().world().work(1.0 / 60.0).map(|work| work.visits).sum();
    let systems = session.document().systems.len() as u64;
    assert!(work <= systems * 400_000, "{work} visits in a step");
    let said = said(&session);
    let last = said.last().expect("a message");
    assert!(last.contains("asks for 64"), "{last}");
}

#[test]
fn surfaces_count_as_work_and_the_sample_characters_networks_keep_all_their_iterations() {
    let mut session = session(SolverKind::JointDynamics);
    let visits = |session: &Session| session.playback().world().work(1.0 / 60.0).map(|work| work.visits).sum::<u64>();
    for (name, value) in [("_Relaxation", 8.0), ("_SubSteps", 2.0)] {
        set(&mut session, name, value);
    }
    let links = visits(&session);
    for name in ["_IsComputeStructuralHorizontal", "_IsComputeShear", "_IsCollideShear", "_UseLimitAngles", "limitNow"]
    {
        set(&mut session, name, 1.0);
    }
    let more_links = visits(&session);
    set(&mut session, "_IsEnableSurfaceCollision", 1.0);
    let with_surfaces = visits(&session);
    assert!(links < more_links && more_links < with_surfaces, "{links}, {more_links}, {with_surfaces}");
    assert_eq!(said(&session), Vec::<String>::new(), "{with_surfaces} visits");
}

#[test]
fn settling_over_several_frames_ends_in_the_same_bits_whatever_the_frames_last() {
    let settled = |seconds: Option<f64>| {
        let mut session = session(SolverKind::JointDynamics);
        for (name, value) in [("_StabilizationFrameRate", 1000.0), ("_SubSteps", 64.0), ("_Relaxation", 64.0)] {
            set(&mut session, name, value);
        }
        // Wind keeps it moving.
        for (name, value) in [("_WindForce z", 40.0), ("_IsFakeWave", 1.0), ("_FakeWaveSpeed", 30.0)] {
            set(&mut session, name, value);
        }
        session.handle(Command::ResetPose);
        assert!(session.playback().is_settling(), "too little work to be spread over frames");
        while let Some(seconds) = seconds.filter(|_| session.playback().is_settling()) {
            session.advance(seconds);
            assert_eq!(session.playback().ticks(), 0, "the motion waits");
        }
        session.handle(Command::StepOnce);
        places(&session).iter().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let [slow, fast, at_once] = [Some(0.1), Some(1.0 / 144.0), None].map(settled);
    assert_eq!(slow, fast);
    assert_eq!(slow, at_once);
}

#[test]
fn a_number_that_is_dragged_far_out_leaves_one_message_for_each_system() {
    let mut session = session(SolverKind::JointDynamics);
    for step in 0..20_u8 {
        set(&mut session, "_AllShrink", 75.0 + f32::from(step));
        (0..10).for_each(|_| session.advance(1.0 / 60.0));
    }
    let (said, systems) = (said(&session), session.document().systems.len());
    assert!((1..=systems).contains(&said.len()), "{said:?}");
    assert!(said[said.len() - 1].contains("Shared shrink 94"), "the last number is named: {said:?}");
}

#[test]
fn only_the_newest_messages_are_kept() {
    let mut session = session(SolverKind::Vrm);
    (0..5000).for_each(|n| {
        session.handle(Command::AddDiagnostic(Diagnostic::warning(Location::default(), format!("warning {n}"))))
    });
    let list = session.messages().entries();
    assert!(list.len() <= 1000 && list[list.len() - 1].diagnostic.message == "warning 4999", "{}", list.len());
}

#[test]
fn a_bone_that_an_animation_hides_by_a_scale_of_nothing_makes_no_chain_stray() {
    use yuremono::rig::Pose;
    use yuremono::sim::{StepInput, World};
    for solver in SolverKind::ALL {
        let opened = sample(*solver);
        let resolved = opened.document.resolve(&opened.character.skeleton);
        let mut world = World::build(&resolved.skeleton, &resolved.systems);
        let mut pose = Pose::rest(world.skeleton());
        let head = opened.character.humanoid.bone("head").expect("a head");
        world.reset(&pose);
        for tick in 0..60 {
            pose.local[head.index()].scale = Vec3::splat(if tick < 5 { 1.0 } else { 0.0 });
            world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / 60.0 });
            assert_eq!(world.out_of_bounds_joints(), [], "{solver:?}, tick {tick}");
        }
    }
}
