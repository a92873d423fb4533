//! Tests comparisons of two tunings, and sweeps of one value.

use super::support::{girl, pose_distance, sample};
use glam::Vec3;
use std::sync::Arc;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::{Chain, ChainId, Collider, ColliderId, Document, Edit, EditLabel, GestureSample, Node};
use yuremono_model::exchange::{EntryKind, align_ids, diff_documents, diff_setups, setup_by_name};
use yuremono_model::feel::convert::convert;
use yuremono_session::{
    BodyPlace, Command, CompareLayout, CompareSource, CompareWith, Motion, PresetId, SelectMode, Session, SweepProblem,
    SweepSettings, SweepSubject,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamId, find_param};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::WorldPose;
use yuremono_sim::solver::spring_bone::{RADIUS, STIFFNESS};
use yuremono_sim::{ColliderShape, FeelParam, SolverKind};

/// Largest difference between a live pose and its recording, in metres.
const ROUNDING: f32 = 1e-5;

fn start(session: &mut Session) {
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    session.handle(Command::ResetPose);
}

fn sample_session() -> Session {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    start(&mut session);
    session
}

fn run(session: &mut Session, ticks: usize) {
    (0..ticks).for_each(|_| session.advance(1.0 / 60.0));
}

fn compare(session: &mut Session, with: CompareWith) {
    session.handle(Command::Compare(Box::new(with)));
}

/// Waits until the motion starts after a reset. Several worlds settle in more frames than one.
fn settle(session: &mut Session) {
    while session.playback().is_settling() {
        session.advance(1.0 / 60.0);
    }
}

fn b_pose(session: &Session) -> WorldPose {
    session.body_copies().first().expect("B is displayed").pose.clone()
}

/// Checks that the bones of the character have the same bits.
#[track_caller]
fn assert_same_bones(session: &Session, a: &WorldPose, b: &WorldPose) {
    let count = session.character().skeleton.len();
    assert!(a.frames[..count] == b.frames[..count]);
}

fn state_of(session: &Session) -> u64 {
    session.history().current_state()
}

#[test]
fn a_tuning_compared_with_itself_moves_equally_even_in_the_middle_of_a_motion() {
    let mut session = sample_session();
    run(&mut session, 37);
    compare(&mut session, CompareWith::Present);
    run(&mut session, 90);
    assert_same_bones(&session, session.playback().displayed_pose(), &b_pose(&session));
    let comparison = session.comparison().expect("a comparison");
    assert_eq!((comparison.compared.differences.len(), &comparison.source), (0, &CompareSource::Present));
}

#[test]
fn b_moves_bit_for_bit_like_a_session_with_its_document() {
    let mut shown = sample_session();
    shown.handle(Command::ScaleParam(STIFFNESS, 0.3));
    compare(&mut shown, CompareWith::AsLoaded);
    let mut plain = sample_session();
    let head = shown.character().skeleton.find("Head").or_else(|| shown.character().humanoid.bone("head"));
    let head = head.expect("a head");
    let tip =
        *shown.document().chains.values().next().expect("a chain").joints.last().map(|j| &j.bone).expect("joints");
    for session in [&mut shown, &mut plain] {
        session.handle(Command::ResetPose);
        run(session, 50);
        let sample = GestureSample { offset: Vec3::X * 0.1, ..GestureSample::default() };
        session.handle(Command::DragBone(head, sample));
        run(session, 20);
        session.handle(Command::ReleaseBone(head));
        session.handle(Command::GrabTip(tip, Vec3::new(0.3, 1.2, 0.2)));
        run(session, 20);
        session.handle(Command::AimJoint(tip, Vec3::X));
        run(session, 10);
        session.handle(Command::ReleaseJoint);
        session.handle(Command::SetMotion(Motion::Test(TestMotion::Idle)));
        run(session, 30);
        session.handle(Command::StepOnce);
        session.handle(Command::Seek { time: 0.4, lead: 0.3 });
    }
    assert_same_bones(&shown, plain.playback().displayed_pose(), &b_pose(&shown));
    assert!(pose_distance(shown.playback().displayed_pose(), &b_pose(&shown)) > 1e-3, "A moves differently");
    assert_eq!(shown.body_copies()[0].place, BodyPlace::Ghost);
}

/// Runs one tick, and returns the poses of A and of B after the tick.
fn step(session: &mut Session) -> [WorldPose; 2] {
    session.handle(Command::StepOnce);
    let other = session.body_copies().first().map(|copy| copy.pose.clone());
    [session.playback().displayed_pose().clone(), other.unwrap_or_default()]
}

fn scrub(session: &mut Session, ticks_back: usize) {
    session.handle(Command::Scrub(Some(ticks_back as f64 / 60.0)));
}

/// Checks that the displayed body and the other body have these poses, and that the dashed lines are those of the other
/// body. A live pose is interpolated, so it differs from its recording by rounding.
#[track_caller]
fn assert_shows(session: &Session, [displayed, other]: [&WorldPose; 2]) {
    assert!(pose_distance(session.playback().displayed_pose(), displayed) < ROUNDING, "the displayed body");
    assert!(pose_distance(&b_pose(session), other) < ROUNDING, "the other body");
    let lines = session.ghost_lines();
    assert!(!lines.is_empty());
    let is_head = |at: &Vec3| other.frames.iter().any(|frame| frame.position.distance(*at) < ROUNDING);
    assert!(lines.iter().all(|line| line[..line.len() - 1].iter().all(is_head)), "the dashed lines");
}

#[test]
fn a_scrubbed_comparison_shows_both_sides_in_the_same_tick() {
    let mut session = sample_session();
    session.handle(Command::ScaleParam(STIFFNESS, 0.3));
    compare(&mut session, CompareWith::AsLoaded);
    run(&mut session, 30);
    let poses: Vec<_> = (0..40).map(|_| step(&mut session)).collect();
    assert!(pose_distance(&poses[27][0], &poses[27][1]) > 1e-3 && pose_distance(&poses[27][1], &poses[28][1]) > 1e-3);
    let chains: Vec<ChainId> = session.document().chains.keys().copied().collect();
    let second_bone = session.document().chains[&chains[0]].joints[1].bone;
    for flipped in [false, true] {
        let order = |tick: usize| if flipped { [1, 0] } else { [0, 1] }.map(|side: usize| &poses[tick][side]);
        for ticks_back in [12, 0, 39] {
            scrub(&mut session, ticks_back);
            assert_shows(&session, order(39 - ticks_back));
        }
        session.handle(Command::StepOnce);
        session.handle(Command::StepOnce);
        session.handle(Command::StepBack);
        assert_shows(&session, order(1));
        let skin = session.playback().recent_chain_lines(session.document(), &chains[..1], 1)[0][1];
        let expected = order(0)[0].frame(second_bone).position;
        assert!(skin.distance(expected) < ROUNDING, "onion skins belong to the displayed side");
        session.handle(Command::FlipComparison);
        assert_shows(&session, if flipped { [0, 1] } else { [1, 0] }.map(|side: usize| &poses[1][side]));
    }
}

#[test]
fn b_is_absent_in_ticks_before_the_comparison_started() {
    let mut session = sample_session();
    session.handle(Command::ScaleParam(STIFFNESS, 0.3));
    let alone: Vec<_> = (0..20).map(|_| step(&mut session)[0].clone()).collect();
    compare(&mut session, CompareWith::AsLoaded);
    let both: Vec<_> = (0..10).map(|_| step(&mut session)).collect();
    let [first, last] = [0, 9].map(|tick: usize| both[tick].each_ref());
    let swapped = |[a, b]: [_; 2]| [b, a];
    scrub(&mut session, 15);
    assert!(pose_distance(session.playback().displayed_pose(), &alone[14]) < ROUNDING);
    assert!(session.body_copies().is_empty() && session.ghost_lines().is_empty());
    // B can only be displayed in its own ticks, and A then belongs to the same tick.
    session.handle(Command::FlipComparison);
    session.handle(Command::StepBack);
    assert_shows(&session, swapped(first));
    session.handle(Command::FlipComparison);
    assert_shows(&session, first);
    session.handle(Command::Scrub(None));
    assert_shows(&session, last);
}

#[test]
fn a_comparison_without_a_tick_has_nothing_to_scrub_for_b() {
    let mut session = sample_session();
    run(&mut session, 20);
    session.handle(Command::SetPlaying(false));
    compare(&mut session, CompareWith::AsLoaded);
    session.handle(Command::FlipComparison);
    for command in [Command::Scrub(Some(0.1)), Command::StepBack] {
        session.handle(command);
        assert_eq!(session.playback().scrubbed_tick(), None);
        assert_eq!(session.body_copies().len(), 1, "both sides are live");
    }
}

#[test]
fn causes_and_contacts_of_the_live_world_are_not_shown_on_another_body() {
    let mut session = sample_session();
    let bone = session.document().chains.values().next().expect("a chain").joints[0].bone;
    session.handle(Command::ProbeTips(true));
    session.handle(Command::ProbeJoint(Some(bone)));
    compare(&mut session, CompareWith::Present);
    (0..5).for_each(|_| _ = step(&mut session));
    let known = |session: &Session| {
        let playback = session.playback();
        (playback.tip_parts(bone).is_some(), playback.displayed_contacts().is_some())
    };
    assert_eq!(known(&session), (true, true));
    session.handle(Command::FlipComparison);
    assert_eq!(known(&session), (false, false));
    scrub(&mut session, 2);
    assert_eq!(known(&session), (false, false));
    session.handle(Command::FlipComparison);
    assert_eq!(known(&session), (true, false), "contacts of earlier ticks are unknown");
}

#[test]
fn flipping_exchanges_the_displayed_bodies_and_no_document() {
    let mut session = sample_session();
    session.handle(Command::ScaleParam(STIFFNESS, 0.3));
    let document = session.document().clone();
    compare(&mut session, CompareWith::AsLoaded);
    run(&mut session, 30);
    let (a, b) = (session.playback().displayed_pose().clone(), b_pose(&session));
    session.handle(Command::FlipComparison);
    assert_same_bones(&session, session.playback().displayed_pose(), &b);
    assert_same_bones(&session, &b_pose(&session), &a);
    assert!(session.comparison().is_some_and(|comparison| comparison.is_flipped));
    session.handle(Command::FlipComparison);
    assert_same_bones(&session, session.playback().displayed_pose(), &a);
    session.handle(Command::SetCompareLayout(CompareLayout::SideBySide));
    assert_eq!(session.body_copies()[0].place, BodyPlace::Beside(1));
    let row = session.body_row().expect("a row");
    assert!(row.count == 2 && row.spacing > 0.1 && row.spacing.is_finite());
    session.handle(Command::EndComparison);
    assert!(session.body_copies().is_empty() && session.body_row().is_none());
    assert_eq!(session.document(), &document);
}

#[test]
fn differences_are_those_of_the_command_line() {
    let mut session = girl::session();
    session.handle(Command::ScaleParam(STIFFNESS, 2.0));
    compare(&mut session, CompareWith::AsLoaded);
    let skeleton = &session.character().skeleton;
    let setups = [session.document(), session.loaded()].map(|document| setup_by_name(document, skeleton));
    let expected = diff_setups(&setups[0], &setups[1]);
    let found: Vec<_> = session
        .comparison()
        .expect("a comparison")
        .compared
        .differences
        .iter()
        .map(|it| it.difference.clone())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

#[test]
fn a_value_of_b_is_taken_across_as_one_undo_step() {
    let mut session = girl::session();
    session.handle(Command::ScaleParam(STIFFNESS, 2.0));
    session.handle(Command::ScaleParam(RADIUS, 3.0));
    let before = session.document().clone();
    compare(&mut session, CompareWith::AsLoaded);
    let all = session.comparison().expect("a comparison").compared.differences.clone();
    let takes_stiffness = |edit: &Edit| matches!(edit, Edit::SetBaseValue { param: STIFFNESS, .. });
    let take = all.iter().filter_map(|it| it.take.clone()).find(takes_stiffness).expect("a stiffness");
    let state = state_of(&session);
    let Edit::SetBaseValue { chain, .. } = take else { panic!("a base value") };
    session.handle(Command::ApplyEdit(take, EditLabel::new(message!("Take"))));
    let value = |document: &Document| document.chains[&chain].values[STIFFNESS.index()].base;
    assert_eq!(value(session.document()), value(session.loaded()));
    assert_eq!(session.comparison().expect("a comparison").compared.differences.len(), all.len() - 1);
    session.handle(Command::Undo);
    assert_eq!((session.document(), state_of(&session)), (&before, state));
    assert_eq!(session.comparison().expect("a comparison").compared.differences, all, "the list follows undo");
}

#[test]
fn overrides_curves_and_system_values_can_be_taken_one_by_one() {
    let mut session = girl::session();
    let (chain, bone) = {
        let (id, chain) = session.document().chains.iter().next().expect("a chain");
        (*id, chain.joints[1].bone)
    };
    let system = session.document().main_system_id();
    let gravity = find_param(session.document().main_system().param_defs(), "gravity.y")
        .or_else(|| find_param(session.document().main_system().param_defs(), "gravityY"));
    let mut edits = vec![
        Edit::SetOverride { chain, bone, param: STIFFNESS, value: Some(5.0) },
        Edit::SetCurve { chain, param: RADIUS, curve: Some(yuremono_sim::math::Curve::constant(0.5)) },
    ];
    edits.extend(gravity.map(|param| Edit::SetSystemValue { system, param, value: -3.0 }));
    let count = edits.len();
    session.handle(Command::ApplyEdit(Edit::Batch(edits), EditLabel::new(message!("Set"))));
    compare(&mut session, CompareWith::AsLoaded);
    let all = session.comparison().expect("a comparison").compared.differences.clone();
    assert_eq!(all.iter().filter(|it| it.take.is_some()).count(), count, "{all:?}");
    for edit in all.into_iter().filter_map(|it| it.take) {
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Take"))));
    }
    assert_eq!(session.comparison().expect("a comparison").compared.differences, []);
    assert_eq!(session.document().setup, session.loaded().setup);
}

#[test]
fn a_whole_chain_is_taken_across_with_everything_it_refers_to() {
    let mut session = girl::session();
    let id = *session.document().chains.keys().next().expect("a chain");
    let original = session.document().chains[&id].clone();
    session.handle(Command::DeleteChains(vec![id]));
    let without = session.document().clone();
    let mut with_ball = session.loaded().clone();
    let ball = ColliderId(77);
    let head = Node::Bone(girl::bone(&session, "Head"));
    with_ball.colliders.insert(ball, Collider::new("ball", head, ColliderShape::SPHERE));
    with_ball.chains.get_mut(&id).expect("the chain").joints[0].colliders.push(ball);
    compare(&mut session, CompareWith::File { name: "b.yure".to_owned(), document: with_ball });
    let comparison = session.comparison().expect("a comparison");
    assert_eq!((comparison.only_in_b.len(), comparison.only_in_a.len()), (1, 0));
    assert!(
        comparison
            .compared
            .differences
            .iter()
            .any(|it| it.chain == Some(id) && it.difference.entry == EntryKind::Chain)
    );
    session.handle(Command::TakeChain(id));
    let taken = &session.document().chains[&id];
    assert_eq!((taken.values.clone(), taken.joints.len()), (original.values, original.joints.len()));
    let taken_ball = taken.joints[0].colliders.last().expect("the collider of the joint");
    assert_eq!(session.document().colliders[taken_ball].name, "ball");
    assert_eq!(session.comparison().expect("a comparison").compared.differences, []);
    session.handle(Command::Undo);
    assert_eq!(session.document(), &without, "one undo step");
}

#[test]
fn a_document_with_other_ids_has_no_differences() {
    let session = girl::session();
    let now = session.document();
    let mut other = now.clone();
    other.setup.chains = now.chains.iter().map(|(id, chain)| (ChainId(100 - id.0), chain.clone())).collect();
    let collider = |id: ColliderId| ColliderId(id.0 + 50);
    other.setup.colliders = now.colliders.iter().map(|(id, it)| (collider(*id), it.clone())).collect();
    let joints = other.setup.chains.values_mut().flat_map(|chain: &mut Chain| &mut chain.joints);
    joints.for_each(|joint| joint.colliders.iter_mut().for_each(|id| *id = collider(*id)));
    other.setup.groups.values_mut().for_each(|it| it.colliders.iter_mut().for_each(|id| *id = collider(*id)));
    assert_ne!(&other, now);
    let aligned = align_ids(&other, now);
    assert_eq!(aligned.setup, now.setup);
    assert_eq!(diff_documents(now, &aligned, &session.character().skeleton), []);
    assert_eq!(align_ids(now, now).setup, now.setup);
}

#[test]
fn every_state_of_the_history_can_be_compared_also_undone_states() {
    let mut session = girl::session();
    let mut documents = vec![(state_of(&session), session.document().clone())];
    for factor in [2.0, 3.0, 0.5] {
        session.handle(Command::ScaleParam(STIFFNESS, factor));
        documents.push((state_of(&session), session.document().clone()));
    }
    session.handle(Command::Undo);
    session.handle(Command::Undo);
    let listed: Vec<u64> = session.history().states().map(|(state, _)| state).collect();
    assert_eq!(listed, documents.iter().map(|(state, _)| *state).collect::<Vec<_>>());
    for (state, document) in &documents {
        assert_eq!(session.history().document_at(*state, session.document()).as_ref(), Some(document));
        compare(&mut session, CompareWith::HistoryState(*state));
        assert_eq!(session.comparison().expect("a comparison").document().setup, document.setup);
    }
    assert_eq!(session.history().document_at(999, session.document()), None);
    session.handle(Command::EndComparison);
    compare(&mut session, CompareWith::HistoryState(999));
    assert!(session.comparison().is_none());
}

#[test]
fn a_preset_is_compared_without_an_edit() {
    let mut session = girl::session();
    let bone = girl::bone(&session, "TwinTail_L_01");
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let before = session.document().clone();
    let preset = &builtin_presets()[0];
    let id = PresetId { is_custom: false, key: preset.key.clone() };
    let application = session.inspection().preset_application(id, preset, None, false);
    compare(&mut session, CompareWith::Preset(application));
    let comparison = session.comparison().expect("a comparison");
    assert!(!comparison.compared.differences.is_empty());
    assert_eq!(comparison.source, CompareSource::Preset(preset.name.clone()));
    assert_eq!(session.document(), &before);
}

#[test]
fn a_new_character_ends_the_comparison_and_bad_commands_change_nothing() {
    let mut session = girl::session();
    let before = session.document().clone();
    for command in [
        Command::FlipComparison,
        Command::TakeChain(ChainId(1)),
        Command::TakeVariant(3),
        Command::SetCompareLayout(CompareLayout::SideBySide),
        Command::EndComparison,
    ] {
        session.handle(command);
    }
    assert_eq!(session.document(), &before);
    compare(&mut session, CompareWith::Present);
    session.handle(Command::TakeChain(ChainId(999)));
    assert_eq!(session.document(), &before);
    session.replace_character(Arc::new(girl::character()));
    assert!(session.comparison().is_none() && session.body_copies().is_empty());
    start_sweep(&mut session, SweepSubject::Feel(FeelParam::Speed), (1.0, 4.0), 3);
    assert!(session.sweep().is_some());
    session.replace_character(Arc::new(girl::character()));
    assert!(session.sweep().is_none() && session.body_row().is_none());
}

fn start_sweep(session: &mut Session, subject: SweepSubject, (low, high): (f32, f32), count: usize) {
    session.handle(Command::StartSweep(SweepSettings { subject, low, high, count }));
}

#[test]
fn each_variant_of_a_sweep_moves_like_a_session_with_its_value() {
    let subject = SweepSubject::Feel(FeelParam::Speed);
    let mut swept = sample_session();
    start_sweep(&mut swept, subject, (1.0, 4.0), 4);
    swept.handle(Command::ResetPose);
    settle(&mut swept);
    run(&mut swept, 80);
    let sweep = swept.sweep().expect("a sweep");
    let (values, anchor) = (sweep.values.clone(), sweep.anchor);
    assert_eq!((values.len(), values[0], values[3]), (4, 1.0, 4.0));
    let copies: Vec<_> = swept.body_copies().iter().map(|copy| (copy.place, copy.pose.clone())).collect();
    assert_eq!(copies.len(), 3);
    for (at, value) in values.iter().enumerate() {
        let mut plain = sample_session();
        plain.handle(Command::SetFeel(FeelParam::Speed, *value));
        plain.handle(Command::ResetPose);
        settle(&mut plain);
        run(&mut plain, 80);
        let place = BodyPlace::Beside(at as i32 - anchor as i32);
        let copy = copies.iter().find(|copy| copy.0 == place).map(|copy| &copy.1);
        let pose = if at == anchor { swept.playback().displayed_pose() } else { copy.expect("a copy") };
        assert_same_bones(&swept, plain.playback().displayed_pose(), pose);
    }
}

#[test]
fn every_body_of_a_scrubbed_sweep_is_in_the_same_tick() {
    let mut session = sample_session();
    start_sweep(&mut session, SweepSubject::Feel(FeelParam::Speed), (1.0, 4.0), 4);
    let bodies = |session: &Session| -> Vec<WorldPose> {
        let displayed = session.playback().displayed_pose().clone();
        std::iter::once(displayed).chain(session.body_copies().iter().map(|copy| copy.pose.clone())).collect()
    };
    let poses: Vec<_> = (0..20)
        .map(|_| {
            session.handle(Command::StepOnce);
            bodies(&session)
        })
        .collect();
    for ticks_back in [0, 7, 19] {
        scrub(&mut session, ticks_back);
        let found = bodies(&session);
        assert_eq!(found.len(), 4);
        for (found, expected) in found.iter().zip(&poses[19 - ticks_back]) {
            assert!(pose_distance(found, expected) < ROUNDING);
        }
    }
    // The earlier poses of a variant with another value are not shown.
    start_sweep(&mut session, SweepSubject::Feel(FeelParam::Speed), (1.0, 5.0), 4);
    session.handle(Command::StepOnce);
    session.handle(Command::StepBack);
    assert_eq!(session.playback().scrubbed_tick(), None);
}

#[test]
fn a_variant_is_taken_as_one_undo_step_and_ends_the_sweep() {
    let mut session = girl::session();
    let before = session.document().clone();
    start_sweep(&mut session, SweepSubject::Param(STIFFNESS), (10.0, 1000.0), 3);
    let values = session.sweep().expect("a sweep").values.clone();
    assert!((values[1] - 100.0).abs() < 1.0, "stiffness has a logarithmic slider: {values:?}");
    session.handle(Command::TakeVariant(2));
    assert!(session.sweep().is_none() && session.body_copies().is_empty());
    assert!(session.document().chains.values().all(|chain| chain.values[STIFFNESS.index()].base == 1000.0));
    session.handle(Command::Undo);
    assert_eq!(session.document(), &before);
}

#[test]
fn a_sweep_follows_edits_and_ends_with_its_selection() {
    let mut session = girl::session();
    let bone = girl::bone(&session, "TwinTail_L_01");
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let start = |session: &mut Session| {
        start_sweep(session, SweepSubject::Param(STIFFNESS), (10.0, 1000.0), 3);
        session.handle(Command::SetParam(RADIUS, 0.07));
    };
    start(&mut session);
    session.handle(Command::TakeVariant(0));
    let changed = session.document().chains.values().filter(|chain| chain.values[STIFFNESS.index()].base == 10.0);
    assert_eq!(changed.count(), 1, "only the selected chain has the value");
    assert_eq!(session.document().chains.values().filter(|chain| chain.values[RADIUS.index()].base == 0.07).count(), 1);
    start(&mut session);
    assert!(session.sweep().is_some());
    let before = session.document().clone();
    let other = girl::bone(&session, "TwinTail_R_01");
    session.handle(Command::Select(vec![other], SelectMode::Replace));
    assert!(session.sweep().is_none() && session.body_copies().is_empty(), "the values were chosen for another chain");
    session.handle(Command::TakeVariant(0));
    assert_eq!(session.document(), &before);
}

#[test]
fn as_loaded_is_the_file_also_after_a_change_of_the_solver() {
    let mut session = girl::session();
    let loaded = session.document().clone();
    let edit = convert(session.document(), session.character(), SolverKind::KawaiiPhysics).edit(session.document());
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
    compare(&mut session, CompareWith::AsLoaded);
    let differences = |session: &Session| session.comparison().expect("a comparison").compared.differences.len();
    assert!(differences(&session) > 0, "the solver differs");
    session.handle(Command::Undo);
    assert_eq!(session.document(), &loaded);
    assert_eq!(differences(&session), 0);
}

#[test]
fn a_snapshot_stays_until_the_artist_compares_with_something_else() {
    let mut session = girl::session();
    session.handle(Command::ScaleParam(STIFFNESS, 2.0));
    let snapshot = session.document().clone();
    compare(&mut session, CompareWith::Present);
    session.handle(Command::ScaleParam(STIFFNESS, 2.0));
    start_sweep(&mut session, SweepSubject::Param(STIFFNESS), (10.0, 1000.0), 3);
    assert!(session.comparison().is_none());
    session.handle(Command::EndComparison);
    compare(&mut session, CompareWith::Before);
    let comparison = session.comparison().expect("a comparison");
    assert_eq!((&comparison.source, comparison.document()), (&CompareSource::Present, &snapshot));
    compare(&mut session, CompareWith::AsLoaded);
    session.handle(Command::EndComparison);
    compare(&mut session, CompareWith::Before);
    assert_eq!(session.comparison().expect("a comparison").source, CompareSource::AsLoaded);
}

#[test]
fn sweeps_without_an_effect_are_refused_with_a_reason() {
    let mut session = girl::session();
    let settings = |subject, low, high| SweepSettings { subject, low, high, count: 5 };
    let stiffness = SweepSubject::Param(STIFFNESS);
    assert_eq!(session.sweep_problem(&settings(stiffness, 5.0, 5.0)), Some(SweepProblem::OneValue));
    let beyond = SweepSubject::Param(ParamId(9999));
    assert_eq!(session.sweep_problem(&settings(beyond, 0.0, 1.0)), Some(SweepProblem::NoParameter));
    let table = session.document().main_system().param_defs();
    let wind = find_param(table, "windInfluence").map(SweepSubject::Param).expect("a row for wind");
    let problem = session.sweep_problem(&settings(wind, 0.0, 1.0));
    assert!(matches!(problem, Some(SweepProblem::NoEffect(Some(_)))), "{problem:?}");
    for refused in [settings(stiffness, 5.0, 5.0), settings(beyond, 0.0, 1.0), settings(wind, 0.0, 1.0)] {
        session.handle(Command::StartSweep(refused));
        assert!(session.sweep().is_none() && session.body_row().is_none());
    }
    let hostile = SweepSettings { subject: stiffness, low: f32::NAN, high: f32::INFINITY, count: 1_000_000 };
    session.handle(Command::StartSweep(hostile));
    let values = &session.sweep().expect("a sweep").values;
    assert!(values.len() == SweepSettings::MAX_COUNT && values.iter().all(|value| value.is_finite()), "{values:?}");
}
