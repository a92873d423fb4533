//! Tests the inspector and the drawer: parameters are found by name, dragged, typed and toggled.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures.

mod component;
mod component_curves;
mod feel;
mod fixture;
mod material;
mod modes;

use super::support;
use super::support::find_label;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use egui::{Key, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use fixture::{
    CHAINS, InspectorFixture, drag, harness, picture_harness, sample_fixture, select_joint, twin_tail_fixture,
};
use yuremono::ui::kit::i18n::{self, Lang};
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, CurveRef, DrawerTab, Prefs};
use yuremono_model::document::{ChainId, ChainPart, Edit, EditLabel};
use yuremono_session::{Command, Motion, ParamWarning, PivotSummary, SelectMode, TuningScope, ValueSummary};
use yuremono_sim::diagnostics::message;
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::params::{ParamId, find_param};
use yuremono_sim::rig::TestMotion;

fn param(name: &str) -> ParamId {
    find_param(yuremono_sim::SolverKind::default().info().params, name).expect("a row of the table")
}

fn base_value(h: &Harness<'_, InspectorFixture>, chain: ChainId, name: &str) -> f32 {
    h.state().session.document().chains[&chain].values[param(name).index()].base
}

fn slider_rect(h: &Harness<'_, InspectorFixture>, name: &str) -> egui::Rect {
    h.get_by_role_and_label(Role::Slider, name).rect()
}

fn drag_slider(h: &mut Harness<'_, InspectorFixture>, name: &str, by: f32) {
    let from = slider_rect(h, name).center();
    drag(h, from, from + vec2(by, 0.0));
}

#[test]
fn dragging_a_slider_changes_the_chain_and_one_undo_reverts_it() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    let before = h.state().session.document().clone();
    let was = base_value(&h, CHAINS[0], "stiffnessForce");
    drag_slider(&mut h, "Stiffness", 30.0);
    assert!(base_value(&h, CHAINS[0], "stiffnessForce") > was * 1.5);
    assert_eq!(base_value(&h, CHAINS[1], "stiffnessForce"), was, "the other chain stays");
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_typed_value_is_applied_exactly() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::Slider, "Drag").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Drag").type_text("0.35");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!(base_value(&h, CHAINS[0], "dragForce"), 0.35);
}

#[test]
fn dragging_mixed_values_keeps_their_ratio_and_typing_makes_them_equal() {
    let mut h = harness(twin_tail_fixture());
    h.state_mut().session.handle(Command::SetParam(param("stiffnessForce"), 100.0));
    h.state_mut().session.handle(Command::ApplyEdit(
        Edit::SetBaseValue { chain: CHAINS[1], param: param("stiffnessForce"), value: 400.0 },
        EditLabel::new(message!("Set")),
    ));
    select_joint(&mut h, CHAINS[0], 0);
    let other = h.state().session.document().chains[&CHAINS[1]].root();
    h.state_mut().session.handle(Command::Select(vec![other], SelectMode::Add));
    h.run();
    drag_slider(&mut h, "Stiffness", -20.0);
    let (a, b) = (base_value(&h, CHAINS[0], "stiffnessForce"), base_value(&h, CHAINS[1], "stiffnessForce"));
    assert!(a < 90.0, "it moved: {a}");
    assert!((b / a - 4.0).abs() < 1e-3, "{a} and {b}");
    h.get_by_role_and_label(Role::Slider, "Stiffness").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Stiffness").type_text("250");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!([base_value(&h, CHAINS[0], "stiffnessForce"), base_value(&h, CHAINS[1], "stiffnessForce")], [250.0; 2]);
}

#[test]
fn reset_restores_the_loaded_value_and_the_menu_offers_the_original_default() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    let loaded = base_value(&h, CHAINS[0], "dragForce");
    drag_slider(&mut h, "Drag", 25.0);
    assert_ne!(base_value(&h, CHAINS[0], "dragForce"), loaded);
    h.get_by_label("Reset Drag").click();
    h.run();
    assert_eq!(base_value(&h, CHAINS[0], "dragForce"), loaded);
    h.get_by_role_and_label(Role::Slider, "Stiffness").click_secondary();
    h.run();
    h.get_by_label("Original default").click();
    h.run();
    assert_eq!(base_value(&h, CHAINS[0], "stiffnessForce"), 0.01);
}

#[test]
fn one_joint_can_be_tuned_alone() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_role_and_label(Role::RadioButton, "This joint").click();
    h.run();
    assert_eq!(h.state().session.selection().scope, TuningScope::Joints);
    drag_slider(&mut h, "Drag", 25.0);
    let chain = &h.state().session.document().chains[&CHAINS[0]];
    assert!(chain.joints[3].overrides.contains_key(&param("dragForce")));
    assert!(chain.joints[2].overrides.is_empty());
    h.get_by_role_and_label(Role::RadioButton, "Whole chain").click();
    h.run();
    h.get_by_label("Whole chain. Joint 4 has its own drag.");
}

#[test]
fn an_angle_limit_can_be_enabled_and_dragged_and_shows_its_directions() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    let name = find_label(&h, Role::Switch, "Limit Y ", "");
    h.get_by_role_and_label(Role::Switch, &name).click();
    h.run();
    assert!(h.state().session.inspection().any_toggle_on(param("yAngleLimits.active")));
    let name = name.trim_start_matches("Limit ");
    drag_slider(&mut h, &format!("{name}, upper end"), 20.0);
    assert!(base_value(&h, CHAINS[0], "yAngleLimits.max") > 20.0);
    let ways = h.state().session.inspection().limit_directions();
    assert_eq!(ways.len(), 2, "the chain has a pivot");
    h.get_by_label_contains(&format!("{name}: − "));
    h.get_by_role_and_label(Role::Switch, "Angle limits").click();
    h.run();
    assert!(!h.state().session.inspection().any_toggle_on(param("yAngleLimits.active")));
}

#[test]
fn a_param_without_effect_says_why_and_can_still_be_edited() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("No wind in the scene. The value is exported.");
    drag_slider(&mut h, "Wind", -30.0);
    assert!(base_value(&h, CHAINS[0], "windInfluence") < 1.0);
    h.get_by_label("No angle limit is on.");
    select_joint(&mut h, CHAINS[1], 0);
    let limit = find_label(&h, Role::Switch, "Limit Z ", "");
    h.get_by_role_and_label(Role::Switch, &limit).click();
    h.run();
    h.state_mut().session.handle(Command::SetParam(param("enableAngleLimits"), 0.0));
    h.run();
    assert!(h.query_all_by_label("Angle limits are off for the whole character.").count() >= 1);
    h.state_mut().session.handle(Command::SetParam(param("enableAngleLimits"), 1.0));
    h.state_mut().session.handle(Command::SetParam(param("zAngleLimits.max"), 120.0));
    h.run();
    h.get_by_label("Unity folds angles beyond 90°: this end has no effect.");
}

#[test]
fn with_nothing_selected_the_system_params_are_shown() {
    let mut h = harness(twin_tail_fixture());
    h.get_by_label("Expand Time").click();
    h.run();
    drag_slider(&mut h, "Rate", 30.0);
    let rate = h.state().session.document().main_system().get(param("simulationFrameRate"));
    assert!(rate > 60.0 && rate.fract() == 0.0, "whole steps: {rate}");
    h.get_by_label("Reset Rate").click();
    h.run();
    assert_eq!(h.state().session.document().main_system().get(param("simulationFrameRate")), 60.0);
    h.get_by_label("Expand Switches").click();
    h.run();
    h.get_by_role_and_label(Role::Switch, "Collision").click();
    h.run();
    assert_eq!(h.state().session.document().main_system().get(param("enableCollision")), 0.0);
}

#[test]
fn colliders_are_assigned_and_unassigned_with_chips() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Head_collider").click();
    h.run();
    h.get_by_label("Unassign Head_collider").click();
    h.run();
    let none = |h: &Harness<'_, InspectorFixture>| {
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
    let mut h = harness(InspectorFixture { is_sample: true, ..twin_tail_fixture() });
    h.get_by_label("All chains");
    h.get_by_label("Open character…").click();
    h.run();
    assert_eq!(h.state().requests, [AppRequest::OpenDialog]);
    h.get_by_label("Walk").click();
    h.run();
    assert_eq!(h.state().session.playback().settings().motion, Motion::Test(TestMotion::Walk));
    assert!(h.query_by_label("Drag").is_none(), "solver parameters are hidden without a selection");
    let before = CHAINS.map(|id| base_value(&h, id, "dragForce"));
    drag_slider(&mut h, "Settling", 20.0);
    let after = CHAINS.map(|id| base_value(&h, id, "dragForce"));
    assert!(before.iter().zip(after).all(|(before, after)| after > before * 1.1), "all chains change: {after:?}");
}

#[test]
fn a_bone_that_is_not_simulated_can_become_a_chain() {
    let mut h = harness(twin_tail_fixture());
    let bone = h.state().session.character().skeleton.find("Ribbon_L_01").expect("the test's character has it");
    h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
    h.run();
    h.get_by_label("This bone is not simulated.");
    h.get_by_label("Tail").click();
    h.run();
    h.get_by_label("Create chain from here").click();
    h.run();
    assert!(
        h.state().commands.contains(&Command::CreateChains(vec![bone], ChainPart::Tail)),
        "{:?}",
        h.state().commands
    );
}

#[test]
fn the_thumbnail_opens_the_curve_and_a_dragged_key_changes_the_joints() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_label("Curve of Stiffness").click();
    h.run();
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, Some(DrawerTab::Curves));
    let values = |h: &Harness<'_, InspectorFixture>| {
        h.state().session.inspection().joint_values(CHAINS[0], param("stiffnessForce"))
    };
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
    assert_eq!(h.state().session.inspection().effective_curve(CHAINS[0], param("stiffnessForce")), None);
}

#[test]
fn clicking_the_open_tab_closes_the_drawer_and_messages_stay_until_cleared() {
    let mut h = harness(twin_tail_fixture());
    report_warnings(&mut h, 2);
    assert!(h.query_by_label_contains("hair.csv:3").is_some(), "a toast");
    h.get_by_role_and_label(Role::Tab, "Messages").click();
    h.run();
    h.get_by_label_contains("Warning: hair.csv:3");
    h.get_all_by_label("Dismiss message").next().expect("one message for each warning").click();
    h.run();
    assert_eq!(h.state().session.messages().entries().len(), 1);
    h.get_by_label("Clear all").click();
    h.run();
    h.get_by_role_and_label(Role::Tab, "Messages").click();
    h.run();
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, None);
}

fn report_warnings(h: &mut Harness<'_, InspectorFixture>, count: u64) {
    for i in 0..count {
        let place =
            Location::file("hair.csv").with_line(3 + i).with_column("stiffnessForce").with_bone("TwinTail_L_03");
        h.state_mut().session.handle(Command::AddDiagnostic(Diagnostic::warning(place, "\"o.5\" is not a number")));
    }
    h.run();
}

#[test]
fn param_labels_are_shown_in_japanese() {
    let mut h = harness(InspectorFixture { lang: Lang::Ja, ..twin_tail_fixture() });
    select_joint(&mut h, CHAINS[0], 0);
    for def in h.state().session.document().main_system().param_defs().iter().filter(|d| d.name.contains("Force")) {
        let label = i18n::param_label(Lang::Ja, def);
        h.get_by_role_and_label(Role::Slider, &label);
    }
    h.get_by_label("シーンに風がありません。値はエクスポートされます。");
    h.get_by_role_and_label(Role::Tab, "カーブ");
}

#[test]
fn each_param_warning_appears_when_its_condition_holds() {
    let mut session = twin_tail_fixture().session;
    let mut set = |name: &str, value: f32| {
        session.handle(Command::SetParam(param(name), value));
        ["radius", "friction", "groundHeight", "dynamicRatio", "angularStiffness", "yAngleLimits.min"]
            .map(|name| session.inspection().param_warning(param(name)))
    };
    let [radius, friction, ground, ratio, back, limit] = set("collideWithGround", 1.0);
    assert_eq!([radius, friction, ground], [None; 3]);
    assert_eq!(
        [ratio, back, limit],
        [ParamWarning::AnimatedBonesOnly, ParamWarning::AllLimitsOff, ParamWarning::LimitOff].map(Some)
    );
    let [radius, _, ground, ..] = set("collideWithGround", 0.0);
    assert_eq!([radius, ground], [None, Some(ParamWarning::GroundOff)], "colliders are still assigned");
    let [radius, friction, ..] = set("enableCollision", 0.0);
    assert_eq!([radius, friction], [ParamWarning::CollisionOff, ParamWarning::NoJointCollides].map(Some));
    let [.., back, limit] = set("yAngleLimits.active", 1.0);
    assert_eq!([back, limit], [None; 2]);
    let [.., limit] = set("yAngleLimits.max", 100.0);
    assert_eq!(limit, Some(ParamWarning::LimitEndFolded));
    let [.., limit] = set("yAngleLimits.min", -100.0);
    assert_eq!(limit, Some(ParamWarning::LimitsFolded));
    let [.., back, limit] = set("enableAngleLimits", 0.0);
    assert_eq!([back, limit], [Some(ParamWarning::AngleLimitsSwitchedOff); 2]);
}

#[test]
fn limits_without_a_pivot_have_no_effect_until_enabling_one_creates_pivots() {
    let mut session = twin_tail_fixture().session;
    let bones: Vec<_> = session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).collect();
    let pivot = |bone| Edit::SetPivot { chain: CHAINS[0], bone, pivot: None };
    session.handle(Command::ApplyEdit(
        Edit::Batch(bones.iter().copied().map(pivot).collect()),
        EditLabel::new(message!("Limit")),
    ));
    session.handle(Command::Select(vec![bones[0]], SelectMode::Replace));
    session.handle(Command::SetParam(param("zAngleLimits.active"), 1.0));
    assert_eq!(session.inspection().param_warning(param("zAngleLimits.max")), Some(ParamWarning::NoPivot));
    assert!(session.inspection().limit_directions().is_empty());
    assert_eq!(session.inspection().pivots(), PivotSummary::None);
    session.handle(Command::SetLimitsEnabled(vec![param("zAngleLimits.active")], true));
    assert_eq!(session.inspection().param_warning(param("zAngleLimits.max")), None);
    assert_eq!(session.inspection().limit_directions().len(), 2);
}

#[test]
fn stiffness_is_shown_as_a_frequency() {
    let h = harness(twin_tail_fixture());
    let ValueSummary::Same(stiffness) = h.state().session.inspection().param_view(param("stiffnessForce")).values
    else {
        panic!("all alike")
    };
    assert_eq!(stiffness, 623.0);
    match h.state().session.inspection().derived_quantity(param("stiffnessForce")) {
        Some(yuremono_session::DerivedQuantity::Hertz(hertz)) => assert!((hertz - 3.0).abs() < 0.05, "{hertz}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_force_against_gravity_shows_the_net_acceleration() {
    let mut session = twin_tail_fixture().session;
    session.handle(Command::SetParam(param("gravity y"), -10.0));
    session.handle(Command::SetParam(param("springForce y"), 9.2));
    match session.inspection().derived_quantity(param("springForce y")) {
        Some(yuremono_session::DerivedQuantity::NetAcceleration(net)) => assert!((net + 0.8).abs() < 1e-4, "{net}"),
        other => panic!("{other:?}"),
    }
    session.handle(Command::SetParam(param("gravity y"), 0.0));
    assert_eq!(session.inspection().derived_quantity(param("springForce y")), None, "no quantity is derived");
    assert_eq!(session.inspection().derived_quantity(param("gravity y")), None);
}

/// Prepares the window for a picture.
fn set_up_picture(h: &mut Harness<'_, InspectorFixture>, what: &str) {
    let stiffness = param("stiffnessForce");
    match what {
        "chain" | "curve" => {
            let id = CHAINS[0];
            let bone = h.state().session.document().chains[&id].joints[3].bone;
            let session = &mut h.state_mut().session;
            session.handle(Command::Select(vec![bone], SelectMode::Replace));
            session.handle(Command::ApplyEdit(
                Edit::SetBaseValue { chain: id, param: stiffness, value: 700.0 },
                EditLabel::new(message!("Set")),
            ));
            session.handle(Command::SetParamCurve(stiffness, Some(Curve::from_shape(CurveShape::Ease))));
            session.handle(Command::SetParam(param("springForce y"), -12.0));
            session.handle(Command::ApplyEdit(
                Edit::SetOverride { chain: id, bone, param: stiffness, value: Some(500.0) },
                EditLabel::new(message!("Set")),
            ));
            session.handle(Command::SetLimitsEnabled(
                vec![param("yAngleLimits.active"), param("zAngleLimits.active")],
                true,
            ));
            session.handle(Command::SetParam(param("yAngleLimits.min"), -50.0));
            session.handle(Command::SetParam(param("yAngleLimits.max"), 26.0));
            if what == "curve" {
                let shared = h.state_mut().ui.state_mut();
                shared.shown_curve = Some(CurveRef::Param(stiffness));
                shared.drawer_tab = Some(DrawerTab::Curves);
            }
        }
        "sample" => {
            let document = h.state().session.document();
            let chain = document.chains.values().max_by_key(|c| c.joints.len()).expect("the sample has chains");
            let bone = chain.joints[chain.joints.len() / 2].bone;
            h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
            h.run();
            let role = Role::Switch;
            for start in ["Limit Y ", "Limit Z "] {
                let name = find_label(h, role, start, "");
                h.get_by_role_and_label(role, &name).click();
                h.run();
            }
            h.state_mut().ui.state_mut().drawer_tab = Some(DrawerTab::Curves);
        }
        "character" => {
            for group in ["World", "Collision", "Time", "Switches"] {
                h.get_by_label(&format!("Expand {group}")).click();
                h.run();
            }
            h.state_mut().session.handle(Command::SetParam(param("collideWithGround"), 0.0));
            h.state_mut().session.handle(Command::SetParam(param("gravity y"), -8.0));
        }
        "joint" => {
            select_joint(h, CHAINS[1], 2);
            h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
            h.state_mut().session.handle(Command::SetParam(param("dragForce"), 0.4));
        }
        "mixed" => {
            let bones = CHAINS.map(|id| h.state().session.document().chains[&id].root());
            let session = &mut h.state_mut().session;
            session.handle(Command::ApplyEdit(
                Edit::SetBaseValue { chain: CHAINS[1], param: stiffness, value: 300.0 },
                EditLabel::new(message!("Set")),
            ));
            session.handle(Command::ApplyEdit(
                Edit::SetBaseValue { chain: CHAINS[1], param: param("yAngleLimits.max"), value: 120.0 },
                EditLabel::new(message!("Set")),
            ));
            session.handle(Command::Select(bones.to_vec(), SelectMode::Replace));
            report_warnings(h, 5);
            h.state_mut().ui.state_mut().drawer_tab = Some(DrawerTab::Messages);
        }
        "still" => {
            let bone = h.state().session.character().skeleton.find("Ribbon_L_01").expect("it is there");
            h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
            report_warnings(h, 4);
        }
        _ => {}
    }
    h.run();
}

#[test]
fn inspector_and_drawer_can_be_rendered() {
    let Some(folder) = support::folder_or_skip("YUREMONO_PICTURES") else { return };
    let wide = vec2(1440.0, 900.0);
    let narrow = vec2(1280.0, 720.0);
    for (what, mode, lang, size, density) in [
        ("chain", ThemeMode::Dark, Lang::En, wide, 1.0),
        ("chain", ThemeMode::Light, Lang::Ja, wide, 1.0),
        ("curve", ThemeMode::Dark, Lang::En, wide, 1.0),
        ("curve", ThemeMode::Light, Lang::En, narrow, 1.0),
        ("curve", ThemeMode::Dark, Lang::Ja, narrow, 2.0),
        ("start", ThemeMode::Dark, Lang::En, wide, 1.0),
        ("start", ThemeMode::Light, Lang::Ja, narrow, 1.0),
        ("sample", ThemeMode::Dark, Lang::En, wide, 1.0),
        ("sample", ThemeMode::Light, Lang::En, narrow, 2.0),
        ("character", ThemeMode::Dark, Lang::En, vec2(1440.0, 1200.0), 1.0),
        ("joint", ThemeMode::Light, Lang::Ja, narrow, 1.0),
        ("mixed", ThemeMode::Dark, Lang::En, narrow, 1.0),
        ("still", ThemeMode::Dark, Lang::En, narrow, 1.0),
        ("still", ThemeMode::Light, Lang::Ja, narrow, 1.0),
    ] {
        let Some(headless) = headless_or_skip() else { return };
        let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
        let desk = if matches!(what, "start" | "sample") { sample_fixture() } else { twin_tail_fixture() };
        let mut h = picture_harness(desk, prefs, size, density, GlowRenderer::new(headless));
        set_up_picture(&mut h, what);
        let name = format!("inspector-{what}-{mode:?}-{}-{}x{density}.png", lang.code(), size.x).to_lowercase();
        h.render().expect("drawn").save(folder.join(name)).expect("the folder can be written");
    }
}
