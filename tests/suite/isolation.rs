//! Soloed and muted chains and pinned joints follow the animation, and change nothing but the playback.

use super::support::{girl, sample};
use glam::Quat;
use std::sync::Arc;
use yuremono::document::{Chain, ChainId, Document};
use yuremono::feel::convert::convert;
use yuremono::rig::{BoneId, WorldPose};
use yuremono::session::{BakeJob, BakeOptions, BakedMotion, Command, CompareWith, Motion, Session};
use yuremono::sim::SolverKind;
use yuremono::stage::TestMotion;

/// The left twin tail: five joints.
const TAIL: ChainId = ChainId(2);
const OTHER_TAIL: ChainId = ChainId(3);

/// Returns the character in motion, with all chains under a solver.
fn moving_session(solver: SolverKind, change: impl FnOnce(&mut Document)) -> Session {
    let character = girl::character();
    let mut document = convert(&girl::document(&character), &character, solver).after;
    change(&mut document);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    session
}

fn step(session: &mut Session, ticks: usize) {
    (0..ticks).for_each(|_| session.handle(Command::StepOnce));
}

fn bones(session: &Session, chain: ChainId) -> Vec<BoneId> {
    session.document().chains[&chain].joints.iter().map(|joint| joint.bone).collect()
}

/// Returns the largest angle of bones from their rest rotation, in radians. No motion moves the bones of chains.
fn largest_swing(session: &Session, pose: &WorldPose, bones: &[BoneId]) -> f32 {
    let skeleton = &session.character().skeleton;
    let swing = |bone: &BoneId| {
        let parent = pose.frame(skeleton.parent(*bone).expect("a parent")).rotation;
        let local = parent.inverse() * pose.frame(*bone).rotation;
        // The angle of nearly equal rotations is more accurate from the difference.
        let rest: Quat = skeleton.bone(*bone).rest.rotation;
        (local - rest).length().min((local + rest).length()) * 2.0
    };
    bones.iter().map(swing).fold(0.0, f32::max)
}

fn live_swing(session: &Session, chain: ChainId) -> f32 {
    largest_swing(session, session.playback().world().frames(), &bones(session, chain))
}

#[test]
fn a_muted_chain_follows_the_animation_and_continues_without_a_kick_under_every_solver() {
    for solver in SolverKind::ALL.iter().copied() {
        let mut session = moving_session(solver, |_| {});
        step(&mut session, 40);
        let swinging = live_swing(&session, TAIL);
        // A hinge without an axis does not move.
        let moves = swinging > 1e-3;
        assert!(moves || solver == SolverKind::Hinge, "{solver:?} swings by {swinging}");
        session.handle(Command::MuteChains(vec![TAIL], true));
        for _ in 0..40 {
            step(&mut session, 1);
            assert!(live_swing(&session, TAIL) < 1e-5, "{solver:?}: {}", live_swing(&session, TAIL));
        }
        assert!(live_swing(&session, OTHER_TAIL) > 1e-3 || !moves, "{solver:?}: other chains are simulated");
        session.handle(Command::MuteChains(vec![TAIL], false));
        step(&mut session, 1);
        let kick = live_swing(&session, TAIL);
        assert!(kick < 0.2, "{solver:?} starts with an angle of {kick}");
        step(&mut session, 60);
        assert!(live_swing(&session, TAIL) > 1e-3 || !moves, "{solver:?} swings again");
    }
}

#[test]
fn only_soloed_chains_swing_and_mute_wins_over_solo() {
    let mut session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    session.handle(Command::SoloChains(vec![TAIL, OTHER_TAIL], true));
    session.handle(Command::MuteChains(vec![OTHER_TAIL], true));
    step(&mut session, 40);
    let swings = |session: &Session| -> Vec<ChainId> {
        let chains = session.document().chains.keys().copied();
        chains.filter(|chain| live_swing(session, *chain) > 1e-4).collect()
    };
    assert_eq!(swings(&session), [TAIL]);
    session.handle(Command::ClearIsolation);
    step(&mut session, 40);
    assert_eq!(swings(&session).len(), session.document().chains.len());
}

#[test]
fn a_pinned_joint_stays_in_its_animated_pose_and_the_joints_below_swing() {
    let mut session = moving_session(SolverKind::Vrm, |_| {});
    let tail = bones(&session, TAIL);
    session.handle(Command::PinJoints(vec![tail[2]], true));
    step(&mut session, 40);
    let frames = session.playback().world().frames();
    assert!(largest_swing(&session, frames, &tail[..3]) < 1e-6, "the joint and the joints above follow the animation");
    assert!(largest_swing(&session, frames, &tail[3..]) > 1e-3);
}

#[test]
fn a_chain_on_a_muted_chain_swings_from_the_animated_pose() {
    let mut session = moving_session(SolverKind::Vrm, |document| {
        let tail = document.chains.get_mut(&TAIL).expect("the tail");
        let lower = Chain { joints: tail.joints.split_off(2), ..tail.clone() };
        document.chains.insert(ChainId(9), lower);
    });
    session.handle(Command::MuteChains(vec![TAIL], true));
    step(&mut session, 40);
    assert!(live_swing(&session, TAIL) < 1e-6);
    assert!(live_swing(&session, ChainId(9)) > 1e-3);
}

#[test]
fn the_other_side_of_a_comparison_has_the_same_soloed_chains() {
    let mut session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    let mut other = session.document().clone();
    other.chains.retain(|id, _| *id != OTHER_TAIL);
    session.handle(Command::SoloChains(vec![OTHER_TAIL], true));
    let other = CompareWith::File { name: "b".to_owned(), document: other };
    session.handle(Command::Compare(Box::new(other)));
    session.handle(Command::FlipComparison);
    step(&mut session, 40);
    let swing =
        |session: &Session, chain| largest_swing(session, session.playback().displayed_pose(), &bones(session, chain));
    assert!(swing(&session, TAIL) < 1e-5, "B has no soloed chain");
    session.handle(Command::ClearIsolation);
    step(&mut session, 40);
    assert!(swing(&session, TAIL) > 1e-3, "B is simulated again");
}

#[test]
fn isolation_is_no_edit_and_ends_with_its_chain() {
    let mut session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    let (document, state) = (session.document().clone(), session.history().current_state());
    let pinned = bones(&session, OTHER_TAIL)[1];
    session.handle(Command::SoloChains(vec![TAIL, ChainId(70)], true));
    session.handle(Command::PinJoints(vec![pinned, BoneId(0), BoneId(u32::MAX)], true));
    assert_eq!((session.document(), session.history().current_state()), (&document, state));
    assert_eq!(session.isolation().soloed().iter().collect::<Vec<_>>(), [&TAIL]);
    assert_eq!(session.isolation().pinned().iter().collect::<Vec<_>>(), [&pinned]);
    session.handle(Command::DeleteChains(vec![TAIL, OTHER_TAIL]));
    assert!(session.isolation().is_empty());
    step(&mut session, 40);
    assert!(live_swing(&session, ChainId(1)) > 1e-3, "without a soloed chain, all chains are simulated");
}

#[test]
fn a_new_version_of_the_character_keeps_muted_chains() {
    let mut session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    session.handle(Command::MuteChains(vec![TAIL], true));
    session.replace_character(Arc::new(girl::character()));
    step(&mut session, 40);
    assert!(live_swing(&session, TAIL) < 1e-6);
    assert!(live_swing(&session, OTHER_TAIL) > 1e-3);
}

#[test]
fn a_bake_contains_muted_chains_bit_for_bit() {
    let bake = |session: &Session| -> BakedMotion {
        let options = BakeOptions { end: Some(0.3), ..BakeOptions::default() };
        let mut job = BakeJob::new(session, options).expect("valid options");
        job.run(&|_| true).expect("not cancelled").expect("finite poses")
    };
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
    let expected = bake(&session);
    let chains: Vec<ChainId> = session.document().chains.keys().copied().collect();
    session.handle(Command::MuteChains(chains[..1].to_vec(), true));
    session.handle(Command::SoloChains(chains[1..2].to_vec(), true));
    step(&mut session, 20);
    assert_eq!(bake(&session), expected);
}
