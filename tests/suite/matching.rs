//! Numbers of another solver that follow a motion as the former ones did.

use super::sample_tables::{FILES, imported};
use super::support;
use glam::Vec3;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use yuremono::document::Document;
use yuremono::feel::{convert::Conversion, convert::convert};
use yuremono::feel::{convert::refine::Matched, convert::refine::Take, convert::refine::refine};
use yuremono::format::open::Opened;
use yuremono::rig::Pose;
use yuremono::session::{Command, MatchJob, Motion, Session};
use yuremono::sim::{SolverKind, StepInput, World};
use yuremono::stage::{Body, TestMotion};

/// The sample under a solver with these chains alone, and the same under another.
fn part(from: SolverKind, to: SolverKind, chains: &[&str]) -> (Opened, Conversion) {
    let mut opened = support::sample(from);
    opened.document.chains.retain(|_, chain| chains.contains(&chain.name.as_str()));
    assert_eq!(opened.document.chains.len(), chains.len(), "the sample has chains of these names");
    let conversion = convert(&opened.document, &opened.character, to);
    (opened, conversion)
}

/// Most of a turn to and fro.
fn turning(opened: &Opened) -> Take {
    let body = Body::new(&opened.character);
    let pose = |tick: u16| {
        let mut pose = Pose::rest(&opened.character.skeleton);
        TestMotion::Turn.apply(f32::from(tick) / 60.0, 0.6, &body, &mut pose);
        pose
    };
    Take { poses: (0..100).map(pose).collect(), tick: 1.0 / 60.0 }
}

/// The first ticks of that turn, one in `usual` by default.
fn turning_shortly(opened: &Opened, usual: usize) -> Take {
    let mut take = turning(opened);
    take.poses.truncate(take.poses.len() / support::stride(usual));
    take
}

fn matched_over((opened, conversion): &(Opened, Conversion), take: &Take, seed: u64) -> Matched {
    let hear = &mut |_| ControlFlow::Continue(());
    let found = refine(&opened.document, &opened.character, conversion, take, seed, hear);
    found.expect("nobody broke off")
}

fn matched(part: &(Opened, Conversion), seed: u64) -> Matched {
    matched_over(part, &turning(&part.0), seed)
}

/// An earring and a bell, from VRM to `KawaiiPhysics`, searched once for all tests.
fn earring_and_bell() -> &'static ((Opened, Conversion), Matched) {
    static FOUND: OnceLock<((Opened, Conversion), Matched)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let part = part(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_Earring_01", "C_Bell_01"]);
        let found = matched(&part, 1);
        (part, found)
    })
}

#[track_caller]
fn halves(from: SolverKind, to: SolverKind, chains: &[&str]) {
    check_halved(&part(from, to, chains));
}

#[track_caller]
fn check_halved(part: &(Opened, Conversion)) {
    let found = matched(part, 1);
    let [before, after] = [found.formula, found.matched];
    assert!(before.metres > 2e-4, "there is something to gain: {before:?}");
    assert!(after.metres <= 0.5 * before.metres, "{before:?} became {after:?}");
    assert!(found.after.chains.values().flat_map(|c| &c.joints).all(|j| j.own.values().all(|v| v.is_finite())));
    assert!(found.chains.windows(2).all(|pair| pair[0].matched.metres >= pair[1].matched.metres), "the worst first");
}

#[test]
fn matching_halves_what_the_formula_is_off_from_dynamic_bone_to_unity_chan() {
    halves(SolverKind::DynamicBone, SolverKind::UnityChanSpringBone, &["L_Earring_01", "C_Bell_01"]);
}

#[test]
fn matching_takes_a_third_of_what_the_formula_is_off_from_vrm_to_kawaii_physics() {
    let (_, found) = earring_and_bell();
    let [before, after] = [found.formula, found.matched];
    assert!(before.metres < 4e-3 && after.metres < 0.67 * before.metres, "{before:?} became {after:?}");
}

#[test]
fn the_formula_alone_carries_unity_chan_to_vrm_where_nothing_touches() {
    let part = part(SolverKind::UnityChanSpringBone, SolverKind::Vrm, &["L_HairTwinTail_01"]);
    let found = matched_over(&part, &turning_shortly(&part.0, 3), 1);
    let [before, after] = [found.formula, found.matched];
    assert!(before.metres < 1e-4 && after.metres <= before.metres, "{before:?} became {after:?}");
}

/// One of her skirt's columns as her lively table has it, and the same under VRM.
fn column() -> (Opened, Conversion) {
    let mut opened = support::sample(SolverKind::UnityChanSpringBone);
    let (name, bytes) = FILES[2];
    opened.document = imported(&opened, name, bytes);
    opened.document.chains.retain(|_, chain| chain.name == "L_SkirtBack_01");
    let conversion = convert(&opened.document, &opened.character, SolverKind::Vrm);
    (opened, conversion)
}

#[test]
fn matching_halves_what_the_formula_is_off_from_unity_chan_to_vrm_where_much_touches() {
    let part = column();
    let (mut world, mut pose) = world_of(&part.0, &part.0.document);
    let take = turning(&part.0);
    let touching = take.poses.iter().filter(|from| {
        pose.local[..from.local.len()].copy_from_slice(&from.local);
        world.step(&StepInput { pose: &pose, hold: None, dt: take.tick });
        !world.contacts().is_empty()
    });
    let ticks = touching.count();
    assert!(ticks > 20, "she touches her skirt in {ticks} ticks alone");
    check_halved(&part);
}

#[test]
fn without_contacts_the_formula_alone_is_near_from_unity_chan_to_vrm() {
    let (mut opened, _) = column();
    opened.document.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|joint| joint.colliders.clear());
    let conversion = convert(&opened.document, &opened.character, SolverKind::Vrm);
    let found = matched(&(opened, conversion), 1);
    let [before, after] = [found.formula, found.matched];
    assert!(before.metres < 5e-4 && after.metres <= before.metres, "{before:?} became {after:?}");
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let part = part(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_Earring_01"]);
    let take = turning_shortly(&part.0, 4);
    assert_eq!(matched_over(&part, &take, 5), matched_over(&part, &take, 5));
}

#[test]
fn the_document_that_is_returned_moves_as_near_as_is_said() {
    let ((opened, conversion), found) = earring_and_bell();
    for (document, said) in [(&conversion.after, found.formula), (&found.after, found.matched)] {
        let off = off(opened, [&opened.document, document]);
        assert!((off - said.metres).abs() < 1e-6, "{off} is not {}", said.metres);
    }
}

/// A world that stands at rest, and a pose for it.
fn world_of(opened: &Opened, document: &Document) -> (World, Pose) {
    let resolved = document.resolve(&opened.character.skeleton);
    (World::build(&resolved.skeleton, &resolved.systems), Pose::rest(&resolved.skeleton))
}

/// How far tips are apart in two worlds that are moved whole, metres.
fn off(opened: &Opened, documents: [&Document; 2]) -> f32 {
    let (take, offsets) = (turning(opened), offsets(opened));
    let tips = documents.map(|document| {
        let resolved = document.resolve(&opened.character.skeleton);
        let (mut world, mut pose) = world_of(opened, document);
        let mut tips: Vec<Vec3> = Vec::new();
        pose.local[..take.poses[0].local.len()].copy_from_slice(&take.poses[0].local);
        world.reset(&pose);
        for tick in 0..60 + take.poses.len() {
            let from = &take.poses[tick.saturating_sub(60)];
            pose.local[..from.local.len()].copy_from_slice(&from.local);
            world.step(&StepInput { pose: &pose, hold: None, dt: take.tick });
            if tick >= 60 {
                let frames = resolved.joints[0].iter().map(|joint| world.frames().frames[joint.bone.index()]);
                tips.extend(frames.zip(&offsets).map(|(frame, tip)| frame.position + frame.rotation * *tip));
            }
        }
        tips
    });
    let [a, b] = &tips;
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance_squared(*b))).sum();
    (sum / a.len() as f64).sqrt() as f32
}

/// From each bone's head to its tip under the former solver.
fn offsets(opened: &Opened) -> Vec<Vec3> {
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let world = World::build(&resolved.skeleton, &resolved.systems);
    let index = |joint| yuremono::sim::JointIndex { system: 0, joint };
    (0..resolved.joints[0].len() as u32).filter_map(|joint| world.tip_offset(index(joint))).collect()
}

#[test]
fn what_moves_alike_already_stays_as_the_formula_says() {
    let opened = support::sample(SolverKind::Vrm);
    let mut document = opened.document.clone();
    document.chains.retain(|_, chain| chain.name == "C_Bell_01");
    let conversion = convert(&document, &opened.character, SolverKind::Vrm);
    let hear = &mut |_| ControlFlow::Continue(());
    let take = turning(&opened);
    let found = refine(&document, &opened.character, &conversion, &take, 1, hear).expect("nobody broke off");
    assert_eq!((found.after, found.matched.metres), (document, 0.0));
}

#[test]
fn no_pose_and_no_chain_do_no_harm() {
    let (opened, conversion) = part(SolverKind::Vrm, SolverKind::KawaiiPhysics, &[]);
    assert_eq!(matched(&(opened, conversion.clone()), 1).after, conversion.after);
    let (opened, conversion) = part(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["C_Bell_01"]);
    let hear = &mut |_| ControlFlow::Continue(());
    let found = refine(&opened.document, &opened.character, &conversion, &Take::default(), 1, hear);
    assert_eq!(found.expect("nobody broke off").after, conversion.after);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "this measures time")]
fn breaking_off_is_heard_at_once_and_gives_nothing() {
    let (opened, conversion) = part(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_HairTwinTail_01"]);
    let take = turning(&opened);
    for patience in [0, 3, 400] {
        let (mut heard, mut said) = (0, Instant::now());
        let found = refine(&opened.document, &opened.character, &conversion, &take, 1, &mut |share| {
            assert!((0.0..=1.0).contains(&share));
            heard += 1;
            said = Instant::now();
            if heard > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(found.is_none() && heard == patience + 1);
        assert!(said.elapsed() < Duration::from_millis(100), "{:?}", said.elapsed());
    }
}

#[test]
fn the_session_takes_the_motion_that_plays_and_a_turn_and_a_kick_where_none_does() {
    let opened = support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    let seconds = |session: &mut Session, motion| {
        session.handle(Command::SetMotion(motion));
        MatchJob::new(session, &BTreeSet::new(), SolverKind::Vrm).take().seconds()
    };
    let near = |a: f32, b: f32| assert!((a - b).abs() < 0.05, "{a} is not {b}");
    near(seconds(&mut session, Motion::Still), 2.4 + 2.8);
    near(seconds(&mut session, Motion::Test(TestMotion::Walk)), 3.3);
    let idle = session.character().clips.iter().position(|clip| clip.name == "Idle").expect("she breathes");
    let breath = session.character().clips[idle].duration.min(8.0);
    near(seconds(&mut session, Motion::Clip(idle)), breath + 2.4);
    let take = MatchJob::new(&session, &BTreeSet::new(), SolverKind::Vrm).take().clone();
    assert_ne!(take.poses[0], take.poses[take.poses.len() / 3], "something moves");
}
