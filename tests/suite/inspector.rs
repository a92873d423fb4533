//! The inspector and the drawer as an artist meets them: rows found by name, dragged, typed into, switched.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at what they look like.

mod component;
mod curves;
mod desk;
mod feel;
mod material;
mod ways;

use super::support;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use super::support::label_of;
use desk::{CHAINS, Desk, desk, drag, harness, picture_harness, sample_desk, select_joint};
use egui::{Key, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::document::{ChainId, Edit, Label, Part};
use yuremono::math::{Curve, CurveShape};
use yuremono::report::{Diagnostic, Place};
use yuremono::schema::{Row, find_row};
use yuremono::session::{Command, Motion, Pick, Pivots, Remark, Scope, Values};
use yuremono::stage::TestMotion;
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::{self, Lang};
use yuremono::ui::{CurveOf, DrawerTab, Prefs, Request};

fn row(name: &str) -> Row {
    find_row(yuremono::sim::SolverKind::default().info().params, name).expect("a row of the table")
}

fn base(h: &Harness<'_, Desk>, chain: ChainId, name: &str) -> f32 {
    h.state().session.document().chains[&chain].values[row(name).index()].base
}

fn slider(h: &Harness<'_, Desk>, name: &str) -> egui::Rect {
    h.get_by_role_and_label(Role::Slider, name).rect()
}

fn drag_slider(h: &mut Harness<'_, Desk>, name: &str, by: f32) {
    let from = slider(h, name).center();
    drag(h, from, from + vec2(by, 0.0));
}

#[test]
fn dragging_a_bar_changes_the_chain_and_one_undo_takes_it_back() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    let before = h.state().session.document().clone();
    let was = base(&h, CHAINS[0], "stiffnessForce");
    drag_slider(&mut h, "Stiffness", 30.0);
    assert!(base(&h, CHAINS[0], "stiffnessForce") > was * 1.5);
    assert_eq!(base(&h, CHAINS[1], "stiffnessForce"), was, "the other chain stays");
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_typed_value_is_taken_exactly() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::Slider, "Drag").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Drag").type_text("0.35");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!(base(&h, CHAINS[0], "dragForce"), 0.35);
}

#[test]
fn dragging_mixed_values_keeps_their_proportion_and_typing_makes_them_equal() {
    let mut h = harness(desk());
    h.state_mut().session.handle(Command::Set(row("stiffnessForce"), 100.0));
    h.state_mut().session.handle(Command::Apply(
        Edit::SetBase { chain: CHAINS[1], row: row("stiffnessForce"), value: 400.0 },
        Label::new("set", 1),
    ));
    select_joint(&mut h, CHAINS[0], 0);
    let other = h.state().session.document().chains[&CHAINS[1]].root();
    h.state_mut().session.handle(Command::Select(vec![other], Pick::Add));
    h.run();
    drag_slider(&mut h, "Stiffness", -20.0);
    let (a, b) = (base(&h, CHAINS[0], "stiffnessForce"), base(&h, CHAINS[1], "stiffnessForce"));
    assert!(a < 90.0, "it moved: {a}");
    assert!((b / a - 4.0).abs() < 1e-3, "{a} and {b}");
    h.get_by_role_and_label(Role::Slider, "Stiffness").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Stiffness").type_text("250");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!([base(&h, CHAINS[0], "stiffnessForce"), base(&h, CHAINS[1], "stiffnessForce")], [250.0; 2]);
}

#[test]
fn reset_puts_back_what_was_loaded_and_the_menu_offers_the_engines_default() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    let loaded = base(&h, CHAINS[0], "dragForce");
    drag_slider(&mut h, "Drag", 25.0);
    assert_ne!(base(&h, CHAINS[0], "dragForce"), loaded);
    h.get_by_label("Reset Drag").click();
    h.run();
    assert_eq!(base(&h, CHAINS[0], "dragForce"), loaded);
    h.get_by_role_and_label(Role::Slider, "Stiffness").click_secondary();
    h.run();
    h.get_by_label("Engine default").click();
    h.run();
    assert_eq!(base(&h, CHAINS[0], "stiffnessForce"), 0.01);
}

#[test]
fn one_joint_can_be_tuned_alone() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_role_and_label(Role::RadioButton, "This joint").click();
    h.run();
    assert_eq!(h.state().session.selection().scope, Scope::Joints);
    drag_slider(&mut h, "Drag", 25.0);
    let chain = &h.state().session.document().chains[&CHAINS[0]];
    assert!(chain.joints[3].own.contains_key(&row("dragForce")));
    assert!(chain.joints[2].own.is_empty());
    h.get_by_role_and_label(Role::RadioButton, "Whole chain").click();
    h.run();
    h.get_by_label("Whole chain. Joint 4 has its own drag.");
}

#[test]
fn a_limit_is_switched_dragged_and_explained() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    let name = label_of(&h, Role::Switch, "Limit Y ", "");
    h.get_by_role_and_label(Role::Switch, &name).click();
    h.run();
    assert!(h.state().session.inspection().any_on(row("yAngleLimits.active")));
    let name = name.trim_start_matches("Limit ");
    drag_slider(&mut h, &format!("{name}, upper end"), 20.0);
    assert!(base(&h, CHAINS[0], "yAngleLimits.max") > 20.0);
    let ways = h.state().session.inspection().limit_ways();
    assert_eq!(ways.len(), 2, "the chain has a pivot");
    h.get_by_label_contains(&format!("{name}: − "));
    h.get_by_role_and_label(Role::Switch, "Angle limits").click();
    h.run();
    assert!(!h.state().session.inspection().any_on(row("yAngleLimits.active")));
}

#[test]
fn what_has_no_effect_says_why_and_can_still_be_edited() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("No wind blows; the number travels in the CSV.");
    drag_slider(&mut h, "Wind", -30.0);
    assert!(base(&h, CHAINS[0], "windInfluence") < 1.0);
    h.get_by_label("No angle limit is on.");
    select_joint(&mut h, CHAINS[1], 0);
    let limit = label_of(&h, Role::Switch, "Limit Z ", "");
    h.get_by_role_and_label(Role::Switch, &limit).click();
    h.run();
    h.state_mut().session.handle(Command::Set(row("enableAngleLimits"), 0.0));
    h.run();
    assert!(h.query_all_by_label("Angle limits are switched off for the whole character.").count() >= 1);
    h.state_mut().session.handle(Command::Set(row("enableAngleLimits"), 1.0));
    h.state_mut().session.handle(Command::Set(row("zAngleLimits.max"), 120.0));
    h.run();
    h.get_by_label("Unity folds angles beyond 90°; that end holds nothing.");
}

#[test]
fn the_whole_character_has_sections_of_its_own() {
    let mut h = harness(desk());
    h.get_by_label("Expand Time").click();
    h.run();
    drag_slider(&mut h, "Rate", 30.0);
    let rate = h.state().session.document().main().get(row("simulationFrameRate"));
    assert!(rate > 60.0 && rate.fract() == 0.0, "whole steps: {rate}");
    h.get_by_label("Reset Rate").click();
    h.run();
    assert_eq!(h.state().session.document().main().get(row("simulationFrameRate")), 60.0);
    h.get_by_label("Expand Switches").click();
    h.run();
    h.get_by_role_and_label(Role::Switch, "Collision").click();
    h.run();
    assert_eq!(h.state().session.document().main().get(row("enableCollision")), 0.0);
}

#[test]
fn colliders_are_given_and_taken_by_chips() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Head_collider").click();
    h.run();
    h.get_by_label("Take Head_collider away").click();
    h.run();
    let none = |h: &Harness<'_, Desk>| {
        h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| j.colliders.is_empty())
    };
    assert!(none(&h));
    h.get_by_label("Add").click();
    h.run();
    h.get_by_label("Chest_collider").click();
    h.run();
    assert!(!none(&h));
}

#[test]
fn the_first_start_offers_files_and_motions() {
    let mut h = harness(Desk { is_sample: true, ..desk() });
    h.get_by_label("All chains");
    h.get_by_label("Open character…").click();
    h.run();
    assert_eq!(h.state().requests, [Request::OpenDialog]);
    h.get_by_label("Walk").click();
    h.run();
    assert_eq!(h.state().session.playback().settings().motion, Motion::Test(TestMotion::Walk));
    assert!(h.query_by_label("Drag").is_none(), "the solver's own numbers wait for a selection");
    let before = CHAINS.map(|id| base(&h, id, "dragForce"));
    drag_slider(&mut h, "Settle", 20.0);
    let after = CHAINS.map(|id| base(&h, id, "dragForce"));
    assert!(before.iter().zip(after).all(|(before, after)| after > before * 1.1), "all chains take it: {after:?}");
}

#[test]
fn a_bone_without_motion_can_become_a_chain() {
    let mut h = harness(desk());
    let bone = h.state().session.character().skeleton.find("Ribbon_L_01").expect("the test's character has it");
    h.state_mut().session.handle(Command::Select(vec![bone], Pick::Replace));
    h.run();
    h.get_by_label("This bone does not sway.");
    h.get_by_label("Tail").click();
    h.run();
    h.get_by_label("Make chain from here").click();
    h.run();
    assert!(h.state().commands.contains(&Command::MakeChains(vec![bone], Part::Tail)), "{:?}", h.state().commands);
}

#[test]
fn the_thumbnail_opens_the_curve_and_a_dragged_key_changes_the_joints() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_label("Curve of Stiffness").click();
    h.run();
    assert_eq!(h.state_mut().ui.shared_mut().drawer, Some(DrawerTab::Curves));
    let values = |h: &Harness<'_, Desk>| h.state().session.inspection().joint_values(CHAINS[0], row("stiffnessForce"));
    let before = values(&h);
    let key = h.get_by_label("Key 2 of Stiffness").rect().center();
    drag(&mut h, key, key + vec2(0.0, 40.0));
    let after = values(&h);
    assert_ne!(after.last(), before.last());
    assert_eq!(after[0], before[0], "the root keeps its value");
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(values(&h), before, "one drag is one step");
    h.run();
    h.get_by_label("Joint 06 of Stiffness").click();
    h.run();
    let sixth = h.state().session.document().chains[&CHAINS[0]].joints[5].bone;
    assert_eq!(h.state().session.selection().active, Some(sixth));
    h.get_by_label("Flat").click();
    h.run();
    assert_eq!(h.state().session.inspection().curve_of(CHAINS[0], row("stiffnessForce")), None);
}

#[test]
fn the_open_tab_closes_the_drawer_and_messages_are_kept_until_cleared() {
    let mut h = harness(desk());
    say(&mut h, 2);
    assert!(h.query_by_label_contains("hair.csv:3").is_some(), "a toast");
    h.get_by_role_and_label(Role::Tab, "Messages").click();
    h.run();
    h.get_by_label_contains("Warning: hair.csv:3");
    h.get_all_by_label("Dismiss message").next().expect("one for each").click();
    h.run();
    assert_eq!(h.state().session.messages().list().len(), 1);
    h.get_by_label("Clear all").click();
    h.run();
    h.get_by_role_and_label(Role::Tab, "Messages").click();
    h.run();
    assert_eq!(h.state_mut().ui.shared_mut().drawer, None);
}

fn say(h: &mut Harness<'_, Desk>, count: u64) {
    for i in 0..count {
        let place = Place::file("hair.csv").line(3 + i).column("stiffnessForce").bone("TwinTail_L_03");
        h.state_mut().session.handle(Command::Report(Diagnostic::warning(place, "\"o.5\" is not a number")));
    }
    h.run();
}

#[test]
fn all_words_are_there_in_japanese() {
    let mut h = harness(Desk { lang: Lang::Ja, ..desk() });
    select_joint(&mut h, CHAINS[0], 0);
    for def in h.state().session.document().main().table().iter().filter(|d| d.name.contains("Force")) {
        let label = words::param_label(Lang::Ja, def);
        h.get_by_role_and_label(Role::Slider, &label);
    }
    h.get_by_label("風がありません。値はCSVにエクスポートされます。");
    h.get_by_role_and_label(Role::Tab, "カーブ");
}

#[test]
fn each_reason_is_found_where_it_holds() {
    let mut session = desk().session;
    let mut set = |name: &str, value: f32| {
        session.handle(Command::Set(row(name), value));
        ["radius", "friction", "groundHeight", "dynamicRatio", "angularStiffness", "yAngleLimits.min"]
            .map(|name| session.inspection().remark(row(name)))
    };
    let [radius, friction, ground, ratio, back, limit] = set("collideWithGround", 1.0);
    assert_eq!([radius, friction, ground], [None; 3]);
    assert_eq!([ratio, back, limit], [Remark::OnlyFlagged, Remark::NoLimitOn, Remark::LimitOff].map(Some));
    let [radius, _, ground, ..] = set("collideWithGround", 0.0);
    assert_eq!([radius, ground], [None, Some(Remark::GroundOff)], "colliders are still assigned");
    let [radius, friction, ..] = set("enableCollision", 0.0);
    assert_eq!([radius, friction], [Remark::NothingToHit, Remark::NothingCollides].map(Some));
    let [.., back, limit] = set("yAngleLimits.active", 1.0);
    assert_eq!([back, limit], [None; 2]);
    let [.., limit] = set("yAngleLimits.max", 100.0);
    assert_eq!(limit, Some(Remark::EndFolded));
    let [.., limit] = set("yAngleLimits.min", -100.0);
    assert_eq!(limit, Some(Remark::Folded));
    let [.., back, limit] = set("enableAngleLimits", 0.0);
    assert_eq!([back, limit], [Some(Remark::LimitsSwitchedOff); 2]);
}

#[test]
fn limits_without_a_pivot_do_nothing() {
    let mut session = desk().session;
    let bones: Vec<_> = session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).collect();
    let pivot = |bone| Edit::SetPivot { chain: CHAINS[0], bone, pivot: None };
    session.handle(Command::Apply(Edit::Batch(bones.iter().copied().map(pivot).collect()), Label::new("limit", 8)));
    session.handle(Command::Select(vec![bones[0]], Pick::Replace));
    session.handle(Command::Set(row("zAngleLimits.active"), 1.0));
    assert_eq!(session.inspection().remark(row("zAngleLimits.max")), Some(Remark::NoPivot));
    assert!(session.inspection().limit_ways().is_empty());
    assert_eq!(session.inspection().pivots(), Pivots::None);
    session.handle(Command::SwitchLimits(vec![row("zAngleLimits.active")], true));
    assert_eq!(session.inspection().remark(row("zAngleLimits.max")), None);
    assert_eq!(session.inspection().limit_ways().len(), 2);
}

#[test]
fn a_row_shows_what_its_number_looks_like() {
    let h = harness(desk());
    let Values::Same(stiffness) = h.state().session.inspection().row_view(row("stiffnessForce")).values else {
        panic!("all alike")
    };
    assert_eq!(stiffness, 623.0);
    match h.state().session.inspection().meaning(row("stiffnessForce")) {
        Some(yuremono::session::Meaning::Hertz(hertz)) => assert!((hertz - 3.0).abs() < 0.05, "{hertz}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pull_against_the_characters_gravity_shows_what_is_left_of_it() {
    let mut session = desk().session;
    session.handle(Command::Set(row("gravity y"), -10.0));
    session.handle(Command::Set(row("springForce y"), 9.2));
    match session.inspection().meaning(row("springForce y")) {
        Some(yuremono::session::Meaning::Net(net)) => assert!((net + 0.8).abs() < 1e-4, "{net}"),
        other => panic!("{other:?}"),
    }
    session.handle(Command::Set(row("gravity y"), 0.0));
    assert_eq!(session.inspection().meaning(row("springForce y")), None, "there is nothing to add");
    assert_eq!(session.inspection().meaning(row("gravity y")), None);
}

/// What is shown when a picture is taken.
fn pose(h: &mut Harness<'_, Desk>, what: &str) {
    let stiffness = row("stiffnessForce");
    match what {
        "chain" | "curve" => {
            let id = CHAINS[0];
            let bone = h.state().session.document().chains[&id].joints[3].bone;
            let session = &mut h.state_mut().session;
            session.handle(Command::Select(vec![bone], Pick::Replace));
            session.handle(Command::Apply(
                Edit::SetBase { chain: id, row: stiffness, value: 700.0 },
                Label::new("set", 8),
            ));
            session.handle(Command::SetCurve(stiffness, Some(Curve::shape(CurveShape::Ease))));
            session.handle(Command::Set(row("springForce y"), -12.0));
            session.handle(Command::Apply(
                Edit::SetOwn { chain: id, bone, row: stiffness, value: Some(500.0) },
                Label::new("set", 1),
            ));
            session.handle(Command::SwitchLimits(vec![row("yAngleLimits.active"), row("zAngleLimits.active")], true));
            session.handle(Command::Set(row("yAngleLimits.min"), -50.0));
            session.handle(Command::Set(row("yAngleLimits.max"), 26.0));
            if what == "curve" {
                let shared = h.state_mut().ui.shared_mut();
                shared.curve = Some(CurveOf::Row(stiffness));
                shared.drawer = Some(DrawerTab::Curves);
            }
        }
        "sample" => {
            let document = h.state().session.document();
            let chain = document.chains.values().max_by_key(|c| c.joints.len()).expect("the sample has chains");
            let bone = chain.joints[chain.joints.len() / 2].bone;
            h.state_mut().session.handle(Command::Select(vec![bone], Pick::Replace));
            h.run();
            let role = Role::Switch;
            for start in ["Limit Y ", "Limit Z "] {
                let name = label_of(h, role, start, "");
                h.get_by_role_and_label(role, &name).click();
                h.run();
            }
            h.state_mut().ui.shared_mut().drawer = Some(DrawerTab::Curves);
        }
        "character" => {
            for group in ["World", "Collision", "Time", "Switches"] {
                h.get_by_label(&format!("Expand {group}")).click();
                h.run();
            }
            h.state_mut().session.handle(Command::Set(row("collideWithGround"), 0.0));
            h.state_mut().session.handle(Command::Set(row("gravity y"), -8.0));
        }
        "joint" => {
            select_joint(h, CHAINS[1], 2);
            h.state_mut().session.handle(Command::SetScope(Scope::Joints));
            h.state_mut().session.handle(Command::Set(row("dragForce"), 0.4));
        }
        "mixed" => {
            let bones = CHAINS.map(|id| h.state().session.document().chains[&id].root());
            let session = &mut h.state_mut().session;
            session.handle(Command::Apply(
                Edit::SetBase { chain: CHAINS[1], row: stiffness, value: 300.0 },
                Label::new("set", 8),
            ));
            session.handle(Command::Apply(
                Edit::SetBase { chain: CHAINS[1], row: row("yAngleLimits.max"), value: 120.0 },
                Label::new("set", 8),
            ));
            session.handle(Command::Select(bones.to_vec(), Pick::Replace));
            say(h, 5);
            h.state_mut().ui.shared_mut().drawer = Some(DrawerTab::Messages);
        }
        "still" => {
            let bone = h.state().session.character().skeleton.find("Ribbon_L_01").expect("it is there");
            h.state_mut().session.handle(Command::Select(vec![bone], Pick::Replace));
            say(h, 4);
        }
        _ => {}
    }
    h.run();
}

#[test]
fn pictures_of_inspector_and_drawer_can_be_taken() {
    let Some(folder) = support::folder("YUREMONO_PICTURES") else { return };
    let wide = vec2(1440.0, 900.0);
    let narrow = vec2(1280.0, 720.0);
    for (what, mode, lang, size, density) in [
        ("chain", Mode::Dark, Lang::En, wide, 1.0),
        ("chain", Mode::Light, Lang::Ja, wide, 1.0),
        ("curve", Mode::Dark, Lang::En, wide, 1.0),
        ("curve", Mode::Light, Lang::En, narrow, 1.0),
        ("curve", Mode::Dark, Lang::Ja, narrow, 2.0),
        ("start", Mode::Dark, Lang::En, wide, 1.0),
        ("start", Mode::Light, Lang::Ja, narrow, 1.0),
        ("sample", Mode::Dark, Lang::En, wide, 1.0),
        ("sample", Mode::Light, Lang::En, narrow, 2.0),
        ("character", Mode::Dark, Lang::En, vec2(1440.0, 1200.0), 1.0),
        ("joint", Mode::Light, Lang::Ja, narrow, 1.0),
        ("mixed", Mode::Dark, Lang::En, narrow, 1.0),
        ("still", Mode::Dark, Lang::En, narrow, 1.0),
        ("still", Mode::Light, Lang::Ja, narrow, 1.0),
    ] {
        let Some(headless) = headless_or_skip() else { return };
        let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
        let desk = if matches!(what, "start" | "sample") { sample_desk() } else { desk() };
        let mut h = picture_harness(desk, prefs, size, density, GlowRenderer::new(headless));
        pose(&mut h, what);
        let name = format!("inspector-{what}-{mode:?}-{}-{}x{density}.png", lang.code(), size.x).to_lowercase();
        h.render().expect("drawn").save(folder.join(name)).expect("the folder can be written");
    }
}
