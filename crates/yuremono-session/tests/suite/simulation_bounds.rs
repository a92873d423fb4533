//! Tests values outside the range that the simulation can follow: chains stay in bounds, and the artist gets a message.

use crate::support::sample;
use glam::Vec3;
use yuremono_session::{Command, Message, ParamWarning, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::params::find_param;

fn sample_session(solver: SolverKind) -> Session {
    let opened = sample(solver);
    Session::new(opened.character, opened.document)
}

fn set_param(session: &mut Session, name: &str, value: f32) {
    let param = find_param(session.inspection().system().param_defs(), name).expect("a row of the table");
    session.handle(Command::SetParam(param, value));
}

/// Returns the messages about simulation bounds, in English.
fn limit_messages(session: &Session) -> Vec<String> {
    let is_bound =
        |reported: &Message| matches!(reported, Message::ChainOutOfBounds { .. } | Message::WorkReduced { .. });
    let messages = session.messages().entries().iter().filter(|m| m.message.as_ref().is_some_and(is_bound));
    messages.map(|message| message.diagnostic.message.to_string()).collect()
}

fn bone_positions(session: &Session) -> Vec<Vec3> {
    session.playback().world().frames().frames.iter().map(|frame| frame.position).collect()
}

#[test]
fn an_unstable_value_is_named_in_a_message_and_chains_stay_in_bounds() {
    let mut session = sample_session(SolverKind::JointDynamics);
    assert_eq!(limit_messages(&session), Vec::<String>::new());
    set_param(&mut session, "_AllShrink", 75.0);
    for _ in 0..180 {
        session.advance(1.0 / 60.0);
        assert!(bone_positions(&session).iter().all(|at| at.length() < 20.0), "a bone is far away");
    }
    let reported = limit_messages(&session);
    let systems = session.document().systems.len();
    assert!((1..=systems).contains(&reported.len()), "at most one message per system: {reported:?}");
    for reported in reported {
        assert!(reported.contains("Shared shrink 75, expected 0 to 1"), "{reported}");
        let joint = reported.split(' ').next().expect("a name");
        assert!(
            session.character().skeleton.ids().any(|bone| session.inspection().bone_name(bone) == joint),
            "{joint}"
        );
    }
}

#[test]
fn only_a_value_out_of_range_has_a_param_warning() {
    let mut session = sample_session(SolverKind::JointDynamics);
    let param = find_param(session.inspection().system().param_defs(), "_AllShrink").expect("a row");
    assert_eq!(session.inspection().param_warning(param), None);
    session.handle(Command::SetParam(param, 75.0));
    assert_eq!(session.inspection().param_warning(param), Some(ParamWarning::OutOfRange([0.0, 1.0])));
}

#[test]
fn step_counts_at_their_maximum_are_reduced_and_reported() {
    let mut session = sample_session(SolverKind::JointDynamics);
    for (name, value) in [("_StabilizationFrameRate", 1000.0), ("_SubSteps", 64.0), ("_Relaxation", 64.0)] {
        set_param(&mut session, name, value);
    }
    let work: u64 = session.playback().world().workloads(1.0 / 60.0).map(|work| work.visits).sum();
    let systems = session.document().systems.len() as u64;
    assert!(work <= systems * 400_000, "{work} visits in a step");
    let reported = limit_messages(&session);
    let last = reported.last().expect("a message");
    assert!(last.contains("asks for 64"), "{last}");
}

#[test]
fn surface_collision_counts_as_work_and_the_sample_keeps_all_iterations() {
    let mut session = sample_session(SolverKind::JointDynamics);
    let visits =
        |session: &Session| session.playback().world().workloads(1.0 / 60.0).map(|work| work.visits).sum::<u64>();
    for (name, value) in [("_Relaxation", 8.0), ("_SubSteps", 2.0)] {
        set_param(&mut session, name, value);
    }
    let links = visits(&session);
    for name in ["_IsComputeStructuralHorizontal", "_IsComputeShear", "_IsCollideShear", "_UseLimitAngles", "limitNow"]
    {
        set_param(&mut session, name, 1.0);
    }
    let more_links = visits(&session);
    set_param(&mut session, "_IsEnableSurfaceCollision", 1.0);
    let with_surfaces = visits(&session);
    assert!(links < more_links && more_links < with_surfaces, "{links}, {more_links}, {with_surfaces}");
    assert_eq!(limit_messages(&session), Vec::<String>::new(), "{with_surfaces} visits");
}

#[test]
fn settling_over_several_frames_gives_the_same_pose_for_every_frame_length() {
    let settled = |seconds: Option<f64>| {
        let mut session = sample_session(SolverKind::JointDynamics);
        for (name, value) in [("_StabilizationFrameRate", 1000.0), ("_SubSteps", 64.0), ("_Relaxation", 64.0)] {
            set_param(&mut session, name, value);
        }
        // The wind keeps the system moving.
        for (name, value) in [("_WindForce z", 40.0), ("_IsFakeWave", 1.0), ("_FakeWaveSpeed", 30.0)] {
            set_param(&mut session, name, value);
        }
        session.handle(Command::ResetPose);
        assert!(session.playback().is_settling(), "the work must be large enough to be spread over frames");
        while let Some(seconds) = seconds.filter(|_| session.playback().is_settling()) {
            session.advance(seconds);
            assert_eq!(session.playback().ticks(), 0, "the motion starts after settling");
        }
        session.handle(Command::StepOnce);
        bone_positions(&session).iter().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let [slow, fast, at_once] = [Some(0.1), Some(1.0 / 144.0), None].map(settled);
    assert_eq!(slow, fast);
    assert_eq!(slow, at_once);
}

#[test]
fn dragging_a_value_out_of_range_leaves_one_message_per_system() {
    let mut session = sample_session(SolverKind::JointDynamics);
    for step in 0..20_u8 {
        set_param(&mut session, "_AllShrink", 75.0 + f32::from(step));
        (0..10).for_each(|_| session.advance(1.0 / 60.0));
    }
    let (reported, systems) = (limit_messages(&session), session.document().systems.len());
    assert!((1..=systems).contains(&reported.len()), "{reported:?}");
    assert!(reported[reported.len() - 1].contains("Shared shrink 94"), "the message has the last value: {reported:?}");
}

#[test]
fn only_the_newest_messages_are_kept() {
    let mut session = sample_session(SolverKind::Vrm);
    (0..5000).for_each(|n| {
        session.handle(Command::AddDiagnostic(Diagnostic::warning(Location::default(), format!("warning {n}"))));
    });
    let list = session.messages().entries();
    assert!(list.len() <= 1000 && list[list.len() - 1].diagnostic.message == "warning 4999", "{}", list.len());
}

#[test]
fn a_bone_scaled_to_zero_puts_no_chain_out_of_bounds() {
    use yuremono_sim::rig::Pose;
    use yuremono_sim::{StepInput, World};
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
