//! Tests the two modes, parameters without effect, length limits and flags in the inspector.

use super::*;
use yuremono::tr;
use yuremono_model::document::extensions::active_extensions;
use yuremono_model::document::{Force, ForceId, Helper, HelperId, HelperRole, LengthTarget, Node};
use yuremono_session::Command;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamGroup;
use yuremono_sim::{ForceKind, Wind};

fn system_value(h: &Harness<'_, InspectorFixture>, name: &str) -> f32 {
    h.state().session.document().main_system().get(param(name))
}

fn improved_fixture() -> InspectorFixture {
    let mut d = twin_tail_fixture();
    d.session.handle(Command::SetParam(param("mode"), 1.0));
    d
}

/// Links all joints of the first chain to the first bone of the second chain with length limits.
fn link_lengths_to_other_chain(d: &mut InspectorFixture) {
    let target = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let mut chain = d.session.document().chains[&CHAINS[0]].clone();
    chain.joints.iter_mut().for_each(|j| j.length_targets = vec![LengthTarget::new(target)]);
    let put = Edit::PutChain { id: CHAINS[0], chain: Some(Box::new(chain)) };
    d.session.handle(Command::ApplyEdit(put, EditLabel::new(message!("Link length of {n:joint|joints}", n = 8))));
    assert!(support::no_edit_rejected(&d.session));
}

fn put_wind(d: &mut InspectorFixture, wind: Wind) {
    let node = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let force = Force { name: "Wind".to_owned(), node, kind: ForceKind::Wind(wind), enabled: true };
    d.session.handle(Command::ApplyEdit(
        Edit::PutForce { id: ForceId(1), force: Some(force) },
        EditLabel::new(message!("Change")),
    ));
    assert!(support::no_edit_rejected(&d.session));
}

#[test]
fn the_mode_is_chosen_in_the_header_in_one_step_and_shown_in_the_status_line() {
    let mut h = harness(twin_tail_fixture());
    h.get_by_label("60 steps/s, Unity-accurate");
    h.get_by_role_and_label(Role::RadioButton, "Improved").click();
    h.run();
    assert!(h.state().session.document().main_system().is_improved());
    h.get_by_label("60 steps/s, improved");
    h.state_mut().session.handle(Command::Undo);
    h.run();
    assert!(!h.state().session.document().main_system().is_improved());
    h.get_by_role_and_label(Role::RadioButton, "Improved").focus();
    h.run();
    h.key_press(Key::Space);
    h.run();
    assert!(h.state().session.document().main_system().is_improved(), "the keyboard can choose");
    h.get_by_role_and_label(Role::RadioButton, "Unity-accurate").click();
    h.run();
    assert_eq!(system_value(&h, "mode"), 0.0);
}

#[test]
fn improvements_are_offered_in_improved_mode_and_each_enabled_one_warns_that_unity_ignores_it() {
    let mut h = harness(twin_tail_fixture());
    h.get_by_label("Expand Improvements").click();
    h.run();
    assert!(h.query_by_role_and_label(Role::Switch, "Teleport").is_none());
    h.get_by_label("Improvements apply only in improved mode.");
    h.get_by_label("Use improved mode").click();
    h.run();
    h.get_by_role_and_label(Role::Switch, "Teleport");
    let on = h.state().session.inspection().active_improvement_count();
    assert_eq!(on, 7);
    h.get_by_label("Has no effect in Unity: 7 improvements are on.");
    assert_eq!(h.query_all_by_label("Has no effect in Unity.").count(), on, "one badge for each");
    assert!(h.query_by_label("The improvement Teleport is off.").is_none());
    h.get_by_role_and_label(Role::Switch, "Teleport").click();
    h.run();
    h.get_by_label("The improvement Teleport is off.");
    assert_eq!(h.query_all_by_label("Has no effect in Unity.").count(), on - 1);
}

#[test]
fn choosing_an_option_is_one_undo_step() {
    let mut h = harness(twin_tail_fixture());
    h.get_by_label("Expand Switches").click();
    h.run();
    h.get_by_role_and_label(Role::RadioButton, "1.2.2").click();
    h.run();
    assert_eq!(system_value(&h, "scaleRules"), 1.0);
    h.get_by_label("Reset Scale rules").click();
    h.run();
    assert_eq!(system_value(&h, "scaleRules"), 0.0);
    h.state_mut().session.handle(Command::SetParam(param("mode"), 1.0));
    h.state_mut().session.handle(Command::SetParam(param("boneShapes"), 1.0));
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::RadioButton, "Capsule").click();
    h.run();
    assert_eq!(base_value(&h, CHAINS[0], "boneShape"), 1.0);
    assert!(
        h.state().session.inspection().is_active_extension(param("boneShape"))
            && h.state().session.inspection().param_warning(param("headRadius")).is_none()
    );
    assert_eq!(
        h.state().session.inspection().param_warning(param("boxHalfWidth")),
        Some(ParamWarning::BoneShapeDiffers)
    );
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(base_value(&h, CHAINS[0], "boneShape"), 0.0);
}

#[test]
fn a_choice_that_does_not_fit_becomes_a_menu_that_the_keyboard_opens() {
    use yuremono::ui::kit::{fonts, toggle::choice};
    let mut h =
        Harness::builder().with_size(vec2(240.0, 160.0)).with_context_setup(fonts::install_unhinted).build_ui_state(
            |ui, clicked: &mut Option<usize>| {
                let made = choice(ui, "Shape", &["Ball at the tip", "Capsule", "Box"], *clicked, 90.0);
                *clicked = made.or(*clicked);
            },
            None,
        );
    h.run();
    h.get_by_role_and_label(Role::ComboBox, "Shape").focus();
    h.run();
    h.key_press(Key::Enter);
    h.run();
    h.get_by_label("Box").click();
    h.run();
    assert_eq!(*h.state(), Some(2));
}

#[test]
fn params_of_improved_mode_appear_with_it_and_can_be_edited() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    assert!(h.query_by_label("Soft edge").is_none(), "Soft edge is an extension");
    h.get_by_role_and_label(Role::RadioButton, "Improved").click();
    h.run();
    drag_slider(&mut h, "Soft edge", 20.0);
    assert!(base_value(&h, CHAINS[0], "angleSoftness") > 0.3);
}

#[test]
fn the_wind_warning_disappears_when_a_wind_has_an_effect() {
    let mut d = twin_tail_fixture();
    let remark = |d: &InspectorFixture| d.session.inspection().param_warning(param("windInfluence"));
    put_wind(&mut d, Wind::default());
    assert_eq!(remark(&d), Some(ParamWarning::NoWind), "a fresh wind has no weight");
    put_wind(&mut d, Wind { weight: 1.0, ..Wind::default() });
    assert_eq!(remark(&d), None);
    put_wind(&mut d, Wind { weight: 1.0, period: 0.0, ..Wind::default() });
    assert_eq!(remark(&d), Some(ParamWarning::NoWind));
}

#[test]
fn the_modes_differ_in_which_params_have_no_effect() {
    let mut d = twin_tail_fixture();
    link_lengths_to_other_chain(&mut d);
    d.session.handle(Command::SetParam(param("zAngleLimits.active"), 1.0));
    d.session.handle(Command::SetParam(param("zAngleLimits.min"), -180.0));
    d.session.handle(Command::SetParam(param("zAngleLimits.max"), 180.0));
    d.session.handle(Command::SetParam(param("lengthLimitConstant"), 900.0));
    let remarks = |d: &InspectorFixture| {
        ["zAngleLimits.max", "lengthLimitConstant", "angleSoftness", "boneShape", "enableLengthLimits"]
            .map(|name| d.session.inspection().param_warning(param(name)))
    };
    let [limit, length, soft, shape, lengths] = remarks(&d);
    assert_eq!(
        [limit, soft, shape],
        [ParamWarning::LimitsFolded, ParamWarning::ImprovedModeOnly, ParamWarning::ImprovedModeOnly].map(Some)
    );
    let weak = |remark| match remark {
        Some(ParamWarning::WeakLengthLimits(share)) => share,
        other => panic!("{other:?}"),
    };
    assert!((weak(length) - 0.5 / 3600.0).abs() < 1e-9 && weak(lengths) == weak(length));
    d.session.handle(Command::SetParam(param("simulationFrameRate"), 30.0));
    assert!((weak(remarks(&d)[1]) - 0.5 / 900.0).abs() < 1e-8, "half the frame rate has four times the effect");
    d.session.handle(Command::SetParam(param("simulationFrameRate"), 60.0));
    assert!(active_extensions(d.session.document(), d.session.resolved()).is_empty());

    d.session.handle(Command::SetParam(param("mode"), 1.0));
    assert_eq!(remarks(&d), [None, None, None, Some(ParamWarning::SwitchOff(param("boneShapes"))), None]);
    let reached: Vec<_> = active_extensions(d.session.document(), d.session.resolved())
        .iter()
        .map(|b| (d.session.document().main_system().def(b.param).name, b.joint_count))
        .collect();
    assert!(
        reached.contains(&("wideLimits", Some(16))) && reached.contains(&("strongLengths", Some(8))),
        "{reached:?}"
    );
    d.session.handle(Command::SetParam(param("wideLimits"), 0.0));
    d.session.handle(Command::SetParam(param("softLimits"), 0.0));
    assert_eq!(remarks(&d)[0], Some(ParamWarning::LimitsFolded));
    assert_eq!(remarks(&d)[2], Some(ParamWarning::SwitchOff(param("softLimits"))));
}

#[test]
fn params_with_surprising_effects_have_warnings() {
    let mut s = twin_tail_fixture().session;
    let mut set = |name: &str, value: f32, requested: &str| {
        s.handle(Command::SetParam(param(name), value));
        s.inspection().param_warning(param(requested))
    };
    assert!(matches!(set("bounce", 0.5, "bounce"), Some(ParamWarning::SlowContactsStick(n)) if (n - 0.6).abs() < 1e-5));
    assert_eq!(set("bounce", 0.0, "bounce"), None);
    assert_eq!(set("isPaused", 1.0, "isPaused"), Some(ParamWarning::TipsFrozenInWorld));
    assert_eq!(set("automaticUpdates", 0.0, "automaticUpdates"), Some(ParamWarning::SteppedByScript));
    assert_eq!(set("scaleRules", 0.0, "scaleRules"), Some(ParamWarning::NoScaledBone));
    assert_eq!(set("simulationFrameRate", 120.0, "simulationFrameRate"), Some(ParamWarning::TimeScaled(0.5)));
    assert_eq!(set("simulationFrameRate", 60.0, "simulationFrameRate"), None);
    set("yAngleLimits.active", 1.0, "radius");
    set("yAngleLimits.min", 0.0, "radius");
    assert_eq!(set("yAngleLimits.max", 0.0, "yAngleLimits.max"), Some(ParamWarning::LimitsAreZero));
    assert!(
        matches!(set("angularStiffness", 5000.0, "angularStiffness"), Some(ParamWarning::Overshoots(n)) if n > 3500.0)
    );
}

#[test]
fn length_limits_between_selected_joints_can_be_added_edited_and_removed() {
    let mut h = harness(improved_fixture());
    let bones = [CHAINS[0], CHAINS[1]].map(|id| h.state().session.document().chains[&id].joints[3].bone);
    h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_label("Select several bones to link them.");
    h.state_mut().session.handle(Command::Select(bones.to_vec(), SelectMode::Replace));
    h.run();
    h.get_by_label("Link to each other").click();
    h.run();
    let targets = |h: &Harness<'_, InspectorFixture>, id: ChainId| {
        let chain = &h.state().session.document().chains[&id];
        chain.joints[3].length_targets.clone()
    };
    assert_eq!(targets(&h, CHAINS[0]), [LengthTarget::new(Node::Bone(bones[1]))]);
    assert_eq!(targets(&h, CHAINS[1]), [LengthTarget::new(Node::Bone(bones[0]))]);
    let before = h.state().session.history().current_state();
    h.state_mut().session.handle(Command::AddLengthLimits { to_active: false });
    assert_eq!(h.state().session.history().current_state(), before, "nothing is left to link");
    let views = h.state().session.inspection().length_targets();
    assert_eq!(views.iter().map(|v| v.joints).collect::<Vec<_>>(), [1, 1]);
    // The rest distance is measured from the tip of the fourth joint, 18 cm from the middle of the head, to the head of
    // the other tail.
    assert!(views.iter().all(|v| v.rest_distance.is_some_and(|m| (0.3..0.4).contains(&m))), "{views:?}");
    assert!(h.query_by_label("TwinTail_R_04, 1 joint").is_some());

    h.state_mut().session.handle(Command::SetParam(param("lengthLimitConstant"), 900.0));
    h.run();
    h.get_by_label("900 in 1/s²; Unity uses 0.5.");
    h.get_all_by_label("Own strength").next().expect("one for each").click();
    h.run();
    assert_eq!(targets(&h, CHAINS[0])[0].constant.or(targets(&h, CHAINS[1])[0].constant), Some(900.0));
    let bar = overridden_target_slider(&h, &bones);
    drag_slider(&mut h, &bar, -20.0);
    let own = targets(&h, CHAINS[0])[0].constant.or(targets(&h, CHAINS[1])[0].constant).expect("its own");
    assert!(own < 850.0, "{own}");
    h.state_mut().session.handle(Command::Undo);
    h.run();
    assert_eq!(targets(&h, CHAINS[0])[0].constant.or(targets(&h, CHAINS[1])[0].constant), Some(900.0), "one step");
    h.get_by_label("Remove link to TwinTail_R_04").click();
    h.run();
    assert!(targets(&h, CHAINS[0]).is_empty());
}

#[test]
fn only_the_first_of_many_length_targets_are_listed_and_the_others_counted() {
    let mut d = improved_fixture();
    let mut chain = d.session.document().chains[&CHAINS[0]].clone();
    let ids: Vec<HelperId> = (1..=26).map(HelperId).collect();
    let parent = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let helper =
        |id: HelperId| Helper { name: format!("hem {}", id.0), parent, local: Trs::IDENTITY, role: HelperRole::Plain };
    let made = ids.iter().map(|id| Edit::PutHelper { id: *id, helper: Some(helper(*id)) }).collect();
    d.session.handle(Command::ApplyEdit(Edit::Batch(made), EditLabel::new(message!("Change"))));
    assert!(support::no_edit_rejected(&d.session));
    chain.joints[0].length_targets = ids.iter().map(|id| LengthTarget::new(Node::Helper(*id))).collect();
    let put = Edit::PutChain { id: CHAINS[0], chain: Some(Box::new(chain)) };
    d.session.handle(Command::ApplyEdit(put, EditLabel::new(message!("Link length of {n:joint|joints}", n = 1))));
    assert!(support::no_edit_rejected(&d.session));
    let mut h = harness(d);
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label_contains("2 more. Select fewer joints");
    assert_eq!(h.get_all_by_label_contains("Remove link to ").count(), 24);
}

/// Returns the label of the slider for the only target with its own strength.
fn overridden_target_slider(h: &Harness<'_, InspectorFixture>, bones: &[yuremono_sim::rig::BoneId]) -> String {
    let named = bones.iter().map(|b| format!("Strength to {}", h.state().session.inspection().bone_name(*b)));
    named.into_iter().find(|name| h.query_by_role_and_label(Role::Slider, name).is_some()).expect("a bar")
}

#[test]
fn the_length_constant_is_typed_as_a_percentage_of_the_error() {
    let mut d = improved_fixture();
    link_lengths_to_other_chain(&mut d);
    let mut h = harness(d);
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::Slider, "Length pull").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Length pull").type_text("25");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert!((base_value(&h, CHAINS[0], "lengthLimitConstant") - 900.0).abs() < 0.01, "a quarter per 1/60 s step");
}

#[test]
fn marking_joints_as_animated_makes_the_dynamic_ratio_take_effect() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    assert_eq!(
        h.state().session.inspection().param_warning(param("dynamicRatio")),
        Some(ParamWarning::AnimatedBonesOnly)
    );
    h.get_by_role_and_label(Role::Switch, "Animated").click();
    h.run();
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| j.animated));
    assert!(h.state().session.document().chains[&CHAINS[1]].joints.iter().all(|j| !j.animated));
    assert_eq!(h.state().session.inspection().param_warning(param("dynamicRatio")), None);
    h.get_by_role_and_label(Role::Switch, "Simulated").click();
    h.run();
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| !j.enabled));
    h.state_mut().session.handle(Command::Undo);
    h.state_mut().session.handle(Command::Undo);
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| j.enabled && !j.animated));
}

#[test]
fn the_player_frame_rate_is_chosen_in_the_transport_and_remembered() {
    let mut h = harness(twin_tail_fixture());
    h.get_by_label("Players' frame rate: 60 fps").click();
    h.run();
    h.get_by_role_and_label(Role::MenuItemRadio, "144 fps").click();
    h.run();
    assert_eq!(h.state().session.playback().settings().player_frame_rate, 144);
    h.get_by_label("144 fps: 2.4 × speed for players");
    assert_eq!(h.state_mut().ui.state_mut().prefs.player_frame_rate, Some(144));
    // The player frame rate is kept for another character.
    h.state_mut().session = twin_tail_fixture().session;
    h.run();
    assert_eq!(h.state().session.playback().settings().player_frame_rate, 144);
    h.state_mut().session.handle(Command::SetParam(param("mode"), 1.0));
    h.run();
    assert!(h.query_by_label_contains("speed for players").is_none(), "the pace is constant");
}

#[test]
fn a_long_toast_wraps_to_two_lines() {
    let mut h = harness(twin_tail_fixture());
    let reported = "a sentence that goes on ".repeat(8);
    h.state_mut()
        .session
        .handle(Command::AddDiagnostic(Diagnostic::warning(Location::file("hair.csv"), reported.clone())));
    h.run();
    let place = h.get_by_label_contains("hair.csv").rect();
    assert!(place.height() > 28.0 && place.height() < 60.0 && place.width() < 620.0, "{place:?}");
}

#[test]
fn first_start_hints_appear_only_where_they_fit_and_never_cover_the_transport() {
    let mut h = fixture::sized_harness(sample_fixture(), vec2(960.0, 600.0));
    let far_above_transport = |h: &Harness<'_, InspectorFixture>| {
        let card = h.get_by_label("Close hint 3").rect();
        let play = h.get_by_role_and_label(Role::Button, "Play").rect();
        card.top() + 80.0 < play.top()
    };
    assert!(far_above_transport(&h));
    h.state_mut().ui.state_mut().drawer_tab = Some(DrawerTab::Curves);
    h.run();
    assert!(h.query_by_label("Close hint 3").is_none(), "only the first hint is shown");
    h.get_by_label("Close hint 1").click();
    h.run();
    assert!(far_above_transport(&h));
}

#[test]
fn both_modes_can_be_rendered() {
    let Some(folder) = support::folder_or_skip("YUREMONO_PICTURES") else { return };
    for (what, mode, lang, size) in [
        ("unity", ThemeMode::Dark, Lang::En, vec2(1440.0, 1500.0)),
        ("unity", ThemeMode::Light, Lang::Ja, vec2(1280.0, 1500.0)),
        ("improved", ThemeMode::Dark, Lang::Ja, vec2(1440.0, 1900.0)),
        ("improved", ThemeMode::Light, Lang::En, vec2(1440.0, 1900.0)),
        ("links", ThemeMode::Dark, Lang::En, vec2(1440.0, 1100.0)),
        ("first", ThemeMode::Dark, Lang::En, vec2(960.0, 600.0)),
        ("first", ThemeMode::Light, Lang::Ja, vec2(960.0, 600.0)),
        ("players", ThemeMode::Dark, Lang::En, vec2(1280.0, 720.0)),
        ("players", ThemeMode::Light, Lang::Ja, vec2(1280.0, 720.0)),
    ] {
        let Some(headless) = headless_or_skip() else { return };
        let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
        let mut d = if what == "first" { sample_fixture() } else { twin_tail_fixture() };
        if matches!(what, "unity" | "improved" | "links") {
            link_lengths_to_other_chain(&mut d);
        }
        let mut h = picture_harness(d, prefs, size, 1.0, GlowRenderer::new(headless));
        set_up_mode_picture(&mut h, what, lang);
        let name = format!("ways-{what}-{mode:?}-{}-{}.png", lang.code(), size.x).to_lowercase();
        h.render().expect("drawn").save(folder.join(name)).expect("the folder can be written");
    }
}

fn set_up_mode_picture(h: &mut Harness<'_, InspectorFixture>, what: &str, lang: Lang) {
    let groups = [ParamGroup::Collision, ParamGroup::Time, ParamGroup::Switches, ParamGroup::Improved];
    let expand = |group| tr!(lang, "Expand {name}", name = i18n::param_group_name(group));
    match what {
        "unity" | "improved" => {
            select_joint(h, CHAINS[0], 3);
            let s = &mut h.state_mut().session;
            s.handle(Command::SetParam(param("mode"), f32::from(u8::from(what == "improved"))));
            s.handle(Command::SetLimitsEnabled(vec![param("yAngleLimits.active"), param("zAngleLimits.active")], true));
            s.handle(Command::SetParam(param("zAngleLimits.min"), -180.0));
            s.handle(Command::SetParam(param("zAngleLimits.max"), 180.0));
            s.handle(Command::SetParam(param("bounce"), 0.4));
            s.handle(Command::SetParam(param("isPaused"), 1.0));
            if what == "improved" {
                s.handle(Command::SetParam(param("lengthLimitConstant"), 900.0));
                s.handle(Command::SetParam(param("boneShapes"), 1.0));
                s.handle(Command::SetParam(param("boneShape"), 1.0));
            }
            h.run();
            for group in groups {
                h.get_all_by_label(&expand(group)).last().expect("a group").click();
                h.run();
            }
        }
        "links" => {
            let bones = [3, 4].map(|i| h.state().session.document().chains[&CHAINS[0]].joints[i].bone);
            let s = &mut h.state_mut().session;
            s.handle(Command::SetParam(param("mode"), 1.0));
            s.handle(Command::SetTuningScope(TuningScope::Joints));
            s.handle(Command::Select(bones.to_vec(), SelectMode::Replace));
            s.handle(Command::SetParam(param("lengthLimitConstant"), 900.0));
            h.run();
            h.get_all_by_label("Own strength").next().expect("a target").click();
            h.run();
            let reported = "the column \"stiffnessForce\" is there twice, and the second one was taken ".repeat(3);
            h.state_mut()
                .session
                .handle(Command::AddDiagnostic(Diagnostic::warning(Location::file("hair.csv").with_line(2), reported)));
        }
        "players" => {
            h.state_mut().ui.state_mut().prefs.player_frame_rate = Some(144);
            // The window sends a command to the session; the result is visible in the next frame.
            for _ in 0..3 {
                h.run();
            }
            let name = tr!(lang, "Players' frame rate: {n} fps", n = "144");
            h.get_by_label(&name).click();
        }
        _ => {}
    }
    h.run();
}
