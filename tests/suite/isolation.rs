//! Soloed and muted chains and pinned joints follow the animation, and change nothing but the playback. Tests the switches
//! of the rows and the chip in the window.

use super::support::window::{WindowFixture, window_harness};
use super::support::{girl, sample};
use egui::epaint::ClippedShape;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, Shape};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::{OutlinerTab, Prefs};
use yuremono_model::document::{Chain, ChainId, Document};
use yuremono_model::feel::convert::convert;
use yuremono_session::{BakeJob, BakeOptions, BakedMotion, Command, CompareWith, Message, Motion, SelectMode, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip, WorldPose};
use yuremono_sim::solver::spring_bone::STIFFNESS;

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

/// The number of messages about chains that flip.
fn held_messages(session: &Session) -> usize {
    let entries = session.messages().entries();
    entries.iter().filter(|entry| matches!(entry.message, Some(Message::ChainHeld { .. }))).count()
}

fn set_stiffness(session: &mut Session, value: f32) {
    session.handle(Command::Select(bones(session, TAIL), SelectMode::Replace));
    session.handle(Command::SetParam(STIFFNESS, value));
}

/// Returns the character with a left twin tail that flips in every step, and is held for this reason.
fn session_with_runaway() -> Session {
    let mut session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    set_stiffness(&mut session, 1e5);
    step(&mut session, 30);
    assert_eq!(held_messages(&session), 1);
    session
}

#[test]
fn a_chain_that_flips_stays_held_while_chains_are_soloed_muted_pinned_and_released() {
    let mut session = session_with_runaway();
    let tail = bones(&session, TAIL);
    let changes = [
        Command::SoloChains(vec![TAIL], true),
        Command::SoloChains(vec![OTHER_TAIL], true),
        Command::SoloChains(vec![TAIL, OTHER_TAIL], false),
        Command::MuteChains(vec![TAIL], true),
        Command::MuteChains(vec![TAIL], false),
        Command::PinJoints(vec![tail[1]], true),
        Command::ClearIsolation,
    ];
    for change in changes {
        session.handle(change.clone());
        for _ in 0..30 {
            step(&mut session, 1);
            assert!(live_swing(&session, TAIL) < 1e-5, "{change:?}: {}", live_swing(&session, TAIL));
        }
        assert_eq!(held_messages(&session), 1, "{change:?}: the chain is named once");
    }
    assert!(live_swing(&session, OTHER_TAIL) > 1e-3, "other chains are simulated again");
    set_stiffness(&mut session, 300.0);
    step(&mut session, 20);
    assert!(live_swing(&session, TAIL) > 1e-3, "a changed value releases the chain");
}

#[test]
fn a_change_or_a_reset_releases_a_chain_that_flips_but_not_what_the_artist_holds() {
    let mut session = session_with_runaway();
    session.handle(Command::MuteChains(vec![TAIL], true));
    set_stiffness(&mut session, 300.0);
    step(&mut session, 30);
    assert!(live_swing(&session, TAIL) < 1e-5, "the chain is still muted");
    session.handle(Command::MuteChains(vec![TAIL], false));
    step(&mut session, 30);
    assert!(live_swing(&session, TAIL) > 1e-3, "nothing holds the chain any more");

    let mut session = session_with_runaway();
    session.handle(Command::SoloChains(vec![TAIL], true));
    session.handle(Command::ResetPose);
    step(&mut session, 30);
    assert_eq!(held_messages(&session), 1, "the new message replaces the earlier message");
    assert!(live_swing(&session, TAIL) < 1e-5, "a reset simulates the chain again, which flips again");
    assert!(live_swing(&session, OTHER_TAIL) < 1e-5, "only the other chain is soloed");
}

#[test]
fn an_animation_that_flips_a_muted_chain_is_not_reported() {
    let mut character = girl::character();
    let document = girl::document(&character);
    let bone = document.chains[&TAIL].joints[1].bone;
    let times: Vec<f32> = (0..120_u8).map(|tick| f32::from(tick) / 60.0).collect();
    let turns = (0..times.len()).map(|tick| Quat::from_axis_angle(Vec3::X, if tick % 2 == 0 { 1.2 } else { -1.2 }));
    let values = ChannelValues::Rotation(turns.collect());
    let channel = Channel { bone, times, values, interpolation: ChannelInterpolation::Step };
    character.clips.push(Clip { name: "flips".to_owned(), duration: 2.0, channels: vec![channel] });
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::MuteChains(vec![TAIL], true));
    session.handle(Command::SetMotion(Motion::Clip(0)));
    let mut swings = Vec::new();
    for _ in 0..90 {
        step(&mut session, 1);
        swings.push(live_swing(&session, TAIL));
    }
    assert!(swings[60..].iter().all(|swing| *swing > 1.0), "the animation turns the bone: {swings:?}");
    assert_eq!(held_messages(&session), 0);
}

type Window = Harness<'static, WindowFixture>;

fn window(lang: Lang, tab: OutlinerTab) -> Window {
    let session = moving_session(SolverKind::UnityChanSpringBone, |_| {});
    let mut fixture = WindowFixture::new(session, Prefs { lang, reduce_motion: true, ..Prefs::default() });
    fixture.ui.state_mut().outliner_tab = tab;
    window_harness(fixture, [1280.0, 720.0])
}

fn hover(h: &mut Window, at: Pos2) {
    h.event(Event::PointerMoved(at));
    h.run_steps(2);
}

fn press(h: &mut Window, at: Pos2) {
    hover(h, at);
    for pressed in [true, false] {
        h.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
        h.run_steps(2);
    }
}

fn row(h: &Window, name: &str) -> Rect {
    h.get_by_role_and_label(Role::TreeItem, name).rect()
}

/// Clicks a switch of a row, which appears while the pointer is over the row.
fn click_switch(h: &mut Window, row_name: &str, switch: &str) {
    let at = row(h, row_name).center();
    hover(h, at);
    let at = h.get_by_role_and_label(Role::Button, switch).rect().center();
    press(h, at);
}

/// Returns which chains swing after some steps.
fn swinging_chains(h: &mut Window) -> Vec<ChainId> {
    let session = &mut h.state_mut().session;
    step(session, 40);
    let chains: Vec<ChainId> = session.document().chains.keys().copied().collect();
    chains.into_iter().filter(|chain| live_swing(session, *chain) > 1e-4).collect()
}

/// Returns the words of the chip.
fn chip(h: &Window) -> Option<String> {
    let labels = h.query_all_by_role(Role::Label).filter_map(|node| node.accesskit_node().value());
    labels.into_iter().find(|words| ["soloed", "muted", "pinned"].iter().any(|end| words.ends_with(end)))
}

#[test]
fn the_switches_of_chain_rows_solo_and_mute_and_the_chip_simulates_everything_again() {
    let mut h = window(Lang::En, OutlinerTab::Chains);
    let all: Vec<ChainId> = h.state().session.document().chains.keys().copied().collect();
    assert_eq!(swinging_chains(&mut h), all);
    assert_eq!(chip(&h), None);
    click_switch(&mut h, "TwinTail_L_01", "Solo TwinTail_L_01");
    assert_eq!(chip(&h).as_deref(), Some("1 chain soloed"));
    assert_eq!(swinging_chains(&mut h), [TAIL]);
    click_switch(&mut h, "TwinTail_R_01", "Solo TwinTail_R_01");
    assert_eq!(chip(&h).as_deref(), Some("2 chains soloed"));
    assert_eq!(swinging_chains(&mut h), [TAIL, OTHER_TAIL]);
    click_switch(&mut h, "TwinTail_L_01", "Mute TwinTail_L_01");
    assert_eq!(chip(&h).as_deref(), Some("2 chains soloed · 1 chain muted"));
    assert_eq!(swinging_chains(&mut h), [OTHER_TAIL]);
    assert!(h.state().session.selection().bones.is_empty(), "a switch does not select its row");
    let clear = h.get_by_role_and_label(Role::Button, "Simulate all chains").rect().center();
    press(&mut h, clear);
    assert_eq!(chip(&h), None);
    assert!(h.query_by_role_and_label(Role::Button, "Simulate all chains").is_none());
    assert!(h.state().session.isolation().is_empty());
    assert_eq!(swinging_chains(&mut h), all);
}

#[test]
fn a_second_click_on_a_switch_ends_it_and_keys_do_the_same_for_the_selection() {
    let mut h = window(Lang::En, OutlinerTab::Chains);
    for switch in ["Solo TwinTail_R_01", "Mute TwinTail_R_01"] {
        click_switch(&mut h, "TwinTail_R_01", switch);
        assert!(!h.state().session.isolation().is_empty(), "{switch}");
        click_switch(&mut h, "TwinTail_R_01", switch);
        assert!(h.state().session.isolation().is_empty(), "{switch}");
    }
    let tail = bones(&h.state().session, TAIL);
    h.state_mut().session.handle(Command::Select(tail, SelectMode::Replace));
    h.run_steps(2);
    for (modifiers, words) in [(Modifiers::NONE, "1 chain soloed"), (Modifiers::SHIFT, "1 chain muted")] {
        h.key_press_modifiers(modifiers, Key::S);
        h.run_steps(3);
        assert_eq!(chip(&h).as_deref(), Some(words));
        h.key_press_modifiers(modifiers, Key::S);
        h.run_steps(3);
        assert_eq!(chip(&h), None);
    }
}

#[test]
fn a_switch_that_is_on_stays_in_its_place_when_the_pointer_enters_the_row() {
    let mut h = window(Lang::En, OutlinerTab::Chains);
    click_switch(&mut h, "TwinTail_R_01", "Solo TwinTail_R_01");
    let place = |h: &Window| h.get_by_role_and_label(Role::Button, "Solo TwinTail_R_01").rect();
    let within = place(&h);
    let away = row(&h, "Skirt_01").center();
    hover(&mut h, away);
    assert!(h.query_by_role_and_label(Role::Button, "Mute TwinTail_R_01").is_none());
    assert_eq!(place(&h), within);
}

#[test]
fn the_switch_of_a_joint_row_pins_the_joint_and_the_joints_above() {
    let mut h = window(Lang::En, OutlinerTab::Bones);
    let tail = bones(&h.state().session, TAIL);
    h.state_mut().session.handle(Command::Select(vec![tail[2]], SelectMode::Replace));
    h.run_steps(4);
    click_switch(&mut h, "TwinTail_L_03", "Pin TwinTail_L_03");
    assert_eq!(chip(&h).as_deref(), Some("1 joint pinned"));
    step(&mut h.state_mut().session, 40);
    let session = &h.state().session;
    let swing = |bones: &[BoneId]| largest_swing(session, session.playback().world().frames(), bones);
    assert!(swing(&tail[..3]) < 1e-6 && swing(&tail[3..]) > 1e-3);
    click_switch(&mut h, "TwinTail_L_03", "Pin TwinTail_L_03");
    assert!(h.state().session.isolation().is_empty());
}

#[test]
fn the_chip_is_whole_and_covers_no_toggle_in_both_languages() {
    for (lang, clear, toggle, expected) in [
        (Lang::En, "Simulate all chains", "Bones", "1 soloed · 1 muted · 1 pinned"),
        (Lang::Ja, "すべてのチェーンを揺らす", "ボーン", "ソロ1本 · ミュート1本 · 固定1個"),
    ] {
        let mut h = window(lang, OutlinerTab::Chains);
        let pinned = bones(&h.state().session, TAIL)[1];
        for change in [
            Command::SoloChains(vec![TAIL], true),
            Command::MuteChains(vec![OTHER_TAIL], true),
            Command::PinJoints(vec![pinned], true),
        ] {
            h.state_mut().session.handle(change);
        }
        h.run_steps(4);
        let is_whole = |clipped: &ClippedShape| matches!(&clipped.shape, Shape::Text(text) if text.galley.text() == expected && !text.galley.elided);
        assert!(h.output().shapes.iter().any(is_whole), "{expected}");
        let [clear, toggle] = [clear, toggle].map(|name| h.get_by_role_and_label(Role::Button, name).rect());
        assert!(clear.right() + 4.0 < toggle.left(), "{clear:?} is left of {toggle:?}");
    }
}
