//! Tests fitting the parameters of a new solver to the motion of the previous solver.

use super::support;
use crate::support::sample_tables::{FILES, imported};
use glam::Vec3;
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use yuremono_format::open::OpenedCharacter;
use yuremono_model::document::Document;
use yuremono_model::feel::convert::motion_fit::{MotionFitInput, MotionFitResult, RecordedMotion, fit_motion};
use yuremono_model::feel::{convert::Conversion, convert::convert};
use yuremono_model::job::{ForEachIndex, JobControl};
use yuremono_session::{Command, Motion, MotionFitJob, Session};
use yuremono_sim::rig::Pose;
use yuremono_sim::rig::{MotionBody, TestMotion};
use yuremono_sim::{SolverKind, StepInput, World};

/// Returns the sample character with only these chains, which use one solver, and its conversion to another solver.
fn converted_chains(from: SolverKind, to: SolverKind, chains: &[&str]) -> (OpenedCharacter, Conversion) {
    let mut opened = support::sample(from);
    opened.document.chains.retain(|_, chain| chains.contains(&chain.name.as_str()));
    assert_eq!(opened.document.chains.len(), chains.len(), "the sample has chains of these names");
    let conversion = convert(&opened.document, &opened.character, to);
    (opened, conversion)
}

/// Records a rotation of the body back and forth.
fn turn_motion(opened: &OpenedCharacter) -> RecordedMotion {
    let body = MotionBody::new(&opened.character);
    let pose = |tick: u16| {
        let mut pose = Pose::rest(&opened.character.skeleton);
        TestMotion::Turn.apply(f32::from(tick) / 60.0, 0.6, &body, &mut pose);
        pose
    };
    RecordedMotion { poses: (0..100).map(pose).collect(), tick_seconds: 1.0 / 60.0 }
}

/// Records the start of the rotation of [`turn_motion`]. By default, only 1 / `usual` of the ticks are used.
fn short_turn_motion(opened: &OpenedCharacter, usual: usize) -> RecordedMotion {
    let mut take = turn_motion(opened);
    take.poses.truncate(take.poses.len() / support::stride(usual));
    take
}

fn input<'a>(
    opened: &'a OpenedCharacter,
    conversion: &'a Conversion,
    motion: &'a RecordedMotion,
    seed: u64,
) -> MotionFitInput<'a> {
    MotionFitInput { before: &opened.document, character: &opened.character, after: &conversion.after, motion, seed }
}

fn one_thread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(work);
}

fn fit_with_threads(input: MotionFitInput<'_>, for_each_index: &ForEachIndex<'_>) -> MotionFitResult {
    let found = fit_motion(input, JobControl { progress: &|_| true, for_each_index });
    found.expect("not cancelled")
}

fn fit_over((opened, conversion): &(OpenedCharacter, Conversion), take: &RecordedMotion, seed: u64) -> MotionFitResult {
    fit_with_threads(input(opened, conversion, take, seed), &one_thread)
}

fn fit_to_turn(part: &(OpenedCharacter, Conversion), seed: u64) -> MotionFitResult {
    fit_over(part, &turn_motion(&part.0), seed)
}

/// Returns an earring and a bell, converted from VRM to KawaiiPhysics and fitted once for all tests.
fn earring_and_bell_fit() -> &'static ((OpenedCharacter, Conversion), MotionFitResult) {
    static FIT: OnceLock<((OpenedCharacter, Conversion), MotionFitResult)> = OnceLock::new();
    FIT.get_or_init(|| {
        let part = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_Earring_01", "C_Bell_01"]);
        let found = fit_to_turn(&part, 1);
        (part, found)
    })
}

#[track_caller]
fn check_fit_halves_error(from: SolverKind, to: SolverKind, chains: &[&str]) {
    check_error_halved(&converted_chains(from, to, chains));
}

#[track_caller]
fn check_error_halved(part: &(OpenedCharacter, Conversion)) {
    let found = fit_to_turn(part, 1);
    let [before, after] = [found.formula_difference, found.fitted_difference];
    assert!(before.metres > 2e-4, "the fit can improve the result: {before:?}");
    assert!(after.metres <= 0.5 * before.metres, "{before:?} became {after:?}");
    assert!(found.after.chains.values().flat_map(|c| &c.joints).all(|j| j.overrides.values().all(|v| v.is_finite())));
    assert!(
        found.chains.windows(2).all(|pair| pair[0].fitted_difference.metres >= pair[1].fitted_difference.metres),
        "the worst chain is first"
    );
}

#[test]
fn motion_fit_halves_the_formula_error_from_dynamic_bone_to_unity_chan() {
    check_fit_halves_error(SolverKind::DynamicBone, SolverKind::UnityChanSpringBone, &["L_Earring_01", "C_Bell_01"]);
}

#[test]
fn motion_fit_removes_a_third_of_the_formula_error_from_vrm_to_kawaii_physics() {
    let (_, found) = earring_and_bell_fit();
    let [before, after] = [found.formula_difference, found.fitted_difference];
    assert!(before.metres < 4e-3 && after.metres < 0.67 * before.metres, "{before:?} became {after:?}");
}

#[test]
fn the_formula_alone_is_accurate_from_unity_chan_to_vrm_without_contacts() {
    let (mut opened, _) = converted_chains(SolverKind::UnityChanSpringBone, SolverKind::Vrm, &["L_HairTwinTail_01"]);
    for chain in opened.document.setup.chains.values_mut() {
        chain.groups.clear();
        chain.joints.iter_mut().for_each(|joint| joint.colliders.clear());
    }
    let conversion = convert(&opened.document, &opened.character, SolverKind::Vrm);
    let part = (opened, conversion);
    let found = fit_over(&part, &short_turn_motion(&part.0, 3), 1);
    let [before, after] = [found.formula_difference, found.fitted_difference];
    assert!(before.metres < 1e-4 && after.metres <= before.metres, "{before:?} became {after:?}");
}

/// Returns a skirt column of the sample character, imported from its table of lively values, and its conversion to VRM.
fn skirt_column_conversion() -> (OpenedCharacter, Conversion) {
    let mut opened = support::sample(SolverKind::UnityChanSpringBone);
    let (name, bytes) = FILES[2];
    opened.document = imported(&opened, name, bytes);
    opened.document.chains.retain(|_, chain| chain.name == "L_SkirtBack_01");
    let conversion = convert(&opened.document, &opened.character, SolverKind::Vrm);
    (opened, conversion)
}

#[test]
fn motion_fit_halves_the_formula_error_from_unity_chan_to_vrm_with_contacts() {
    let part = skirt_column_conversion();
    let (mut world, mut pose) = world_and_pose(&part.0, &part.0.document);
    let take = turn_motion(&part.0);
    let touching = take.poses.iter().filter(|from| {
        pose.local[..from.local.len()].copy_from_slice(&from.local);
        world.step(&StepInput { pose: &pose, grab: None, dt: take.tick_seconds });
        !world.contacts().is_empty()
    });
    let ticks = touching.count();
    assert!(ticks > 20, "the legs touch the skirt in only {ticks} ticks");
    check_error_halved(&part);
}

#[test]
fn a_skirt_without_colliders_converts_accurately_from_unity_chan_to_vrm() {
    let (mut opened, _) = skirt_column_conversion();
    opened.document.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|joint| joint.colliders.clear());
    let conversion = convert(&opened.document, &opened.character, SolverKind::Vrm);
    let found = fit_to_turn(&(opened, conversion), 1);
    let [before, after] = [found.formula_difference, found.fitted_difference];
    assert!(before.metres < 5e-4 && after.metres <= before.metres, "{before:?} became {after:?}");
}

#[test]
fn the_same_seed_gives_identical_results() {
    let part = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_Earring_01"]);
    let take = short_turn_motion(&part.0, 4);
    assert_eq!(fit_over(&part, &take, 5), fit_over(&part, &take, 5));
}

#[test]
fn the_result_does_not_depend_on_threads_or_their_order() {
    let chains = ["L_Earring_01", "C_Bell_01", "L_RibbonChest_01"];
    let (opened, conversion) = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &chains);
    let take = short_turn_motion(&opened, 4);
    let fit =
        |for_each_index: &ForEachIndex<'_>| fit_with_threads(input(&opened, &conversion, &take, 5), for_each_index);
    let expected = fit(&one_thread);
    let backwards = |count: usize, work: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(work);
    assert_eq!(fit(&backwards), expected);
    let four_threads = |count: usize, work: &(dyn Fn(usize) + Sync)| {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || (thread..count).step_by(4).for_each(work));
            }
        });
    };
    assert_eq!(fit(&four_threads), expected);
}

#[test]
fn the_returned_document_has_the_reported_error() {
    let ((opened, conversion), found) = earring_and_bell_fit();
    for (document, reported) in [(&conversion.after, found.formula_difference), (&found.after, found.fitted_difference)]
    {
        let off = rms_tip_distance(opened, [&opened.document, document]);
        assert!((off - reported.metres).abs() < 1e-6, "{off} is not {}", reported.metres);
    }
}

/// Returns a world at rest, and its pose.
fn world_and_pose(opened: &OpenedCharacter, document: &Document) -> (World, Pose) {
    let resolved = document.resolve(&opened.character.skeleton);
    (World::build(&resolved.skeleton, &resolved.systems), Pose::rest(&resolved.skeleton))
}

/// Returns the root mean square distance of tips between two worlds whose root moves, in metres.
fn rms_tip_distance(opened: &OpenedCharacter, documents: [&Document; 2]) -> f32 {
    let (take, offsets) = (turn_motion(opened), tip_offsets(opened));
    let tips = documents.map(|document| {
        let resolved = document.resolve(&opened.character.skeleton);
        let (mut world, mut pose) = world_and_pose(opened, document);
        let mut tips: Vec<Vec3> = Vec::new();
        pose.local[..take.poses[0].local.len()].copy_from_slice(&take.poses[0].local);
        world.reset(&pose);
        for tick in 0..60 + take.poses.len() {
            let from = &take.poses[tick.saturating_sub(60)];
            pose.local[..from.local.len()].copy_from_slice(&from.local);
            world.step(&StepInput { pose: &pose, grab: None, dt: take.tick_seconds });
            if tick >= 60 {
                let frames = resolved.joint_refs[0].iter().map(|joint| world.frames().frames[joint.bone.index()]);
                tips.extend(frames.zip(&offsets).map(|(frame, tip)| frame.position + frame.rotation * *tip));
            }
        }
        tips
    });
    let [a, b] = &tips;
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance_squared(*b))).sum();
    (sum / a.len() as f64).sqrt() as f32
}

/// Returns the offset from each bone's head to its tip with the previous solver.
fn tip_offsets(opened: &OpenedCharacter) -> Vec<Vec3> {
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let world = World::build(&resolved.skeleton, &resolved.systems);
    let index = |joint| yuremono_sim::JointIndex { system: 0, joint };
    (0..resolved.joint_refs[0].len() as u32).filter_map(|joint| world.tip_offset(index(joint))).collect()
}

#[test]
fn an_exact_conversion_is_not_changed() {
    let opened = support::sample(SolverKind::Vrm);
    let mut document = opened.document.clone();
    document.chains.retain(|_, chain| chain.name == "C_Bell_01");
    let conversion = convert(&document, &opened.character, SolverKind::Vrm);
    let take = turn_motion(&opened);
    let found =
        fit_with_threads(MotionFitInput { before: &document, ..input(&opened, &conversion, &take, 1) }, &one_thread);
    assert_eq!((found.after, found.fitted_difference.metres), (document, 0.0));
}

#[test]
fn an_empty_motion_or_no_chains_return_the_formula_result() {
    let (opened, conversion) = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &[]);
    assert_eq!(fit_to_turn(&(opened, conversion.clone()), 1).after, conversion.after);
    let (opened, conversion) = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["C_Bell_01"]);
    let found = fit_over(&(opened, conversion.clone()), &RecordedMotion::default(), 1);
    assert_eq!(found.after, conversion.after);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "this measures time")]
fn cancelling_takes_effect_immediately_and_returns_nothing() {
    let (opened, conversion) = converted_chains(SolverKind::Vrm, SolverKind::KawaiiPhysics, &["L_HairTwinTail_01"]);
    let take = turn_motion(&opened);
    for patience in [0, 3, 400] {
        let last_report = Mutex::new((0, Instant::now()));
        let progress = |share: f32| {
            assert!((0.0..=1.0).contains(&share));
            let mut last = last_report.lock().expect("no panic");
            *last = (last.0 + 1, Instant::now());
            last.0 <= patience
        };
        let control = JobControl { progress: &progress, for_each_index: &one_thread };
        let found = fit_motion(input(&opened, &conversion, &take, 1), control);
        let (received, reported) = last_report.into_inner().expect("no panic");
        assert!(found.is_none() && received == patience + 1);
        assert!(reported.elapsed() < Duration::from_millis(100), "{:?}", reported.elapsed());
    }
}

#[test]
fn the_session_records_the_playing_motion_or_a_turn_and_a_kick_when_still() {
    let opened = support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    let seconds = |session: &mut Session, motion| {
        session.handle(Command::SetMotion(motion));
        MotionFitJob::new(session, &BTreeSet::new(), SolverKind::Vrm).source.motion.duration_seconds()
    };
    let near = |a: f32, b: f32| assert!((a - b).abs() < 0.05, "{a} is not {b}");
    near(seconds(&mut session, Motion::Still), 2.4 + 2.8);
    near(seconds(&mut session, Motion::Test(TestMotion::Walk)), 3.3);
    let idle = session.character().clips.iter().position(|clip| clip.name == "Idle").expect("an idle clip");
    let breath = session.character().clips[idle].duration.min(8.0);
    near(seconds(&mut session, Motion::Clip(idle)), breath + 2.4);
    let take = MotionFitJob::new(&session, &BTreeSet::new(), SolverKind::Vrm).source.motion.clone();
    assert_ne!(take.poses[0], take.poses[take.poses.len() / 3], "something moves");
}
