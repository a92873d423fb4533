//! The two ways to run, what has no effect, length limits and flags, as an artist meets them.

use super::*;
use yuremono::document::beyond::beyond;
use yuremono::document::{Force, ForceId, Helper, HelperId, HelperRole, LengthTarget, Node};
use yuremono::math::Trs;
use yuremono::report::{Diagnostic, Place};
use yuremono::session::Command;
use yuremono::sim::{ForceKind, Wind};

fn system(h: &Harness<'_, Desk>, name: &str) -> f32 {
    h.state().session.document().main().get(row(name))
}

fn improved() -> Desk {
    let mut d = desk();
    d.session.handle(Command::Set(row("way"), 1.0));
    d
}

/// Lets all joints of the first chain keep their distance to the first bone of the second one.
fn link(d: &mut Desk) {
    let target = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let mut chain = d.session.document().chains[&CHAINS[0]].clone();
    chain.joints.iter_mut().for_each(|j| j.length_targets = vec![LengthTarget::new(target)]);
    let put = Edit::PutChain { id: CHAINS[0], chain: Some(Box::new(chain)) };
    d.session.handle(Command::Apply(put, Label::new("link_lengths", 8)));
    assert!(support::nothing_refused(&d.session));
}

fn blow(d: &mut Desk, wind: Wind) {
    let node = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let force = Force { name: "Wind".to_owned(), node, kind: ForceKind::Wind(wind), enabled: true };
    d.session.handle(Command::Apply(Edit::PutForce { id: ForceId(1), force: Some(force) }, Label::new("other", 1)));
    assert!(support::nothing_refused(&d.session));
}

#[test]
fn the_way_is_chosen_in_the_head_in_one_step_and_the_status_line_says_it() {
    let mut h = harness(desk());
    h.get_by_label("60 steps/s, as Unity does it");
    h.get_by_role_and_label(Role::RadioButton, "Improved").click();
    h.run();
    assert!(h.state().session.document().main().is_improved());
    h.get_by_label("60 steps/s, improved");
    h.state_mut().session.handle(Command::Undo);
    h.run();
    assert!(!h.state().session.document().main().is_improved());
    h.get_by_role_and_label(Role::RadioButton, "Improved").focus();
    h.run();
    h.key_press(Key::Space);
    h.run();
    assert!(h.state().session.document().main().is_improved(), "the keyboard can choose");
    h.get_by_role_and_label(Role::RadioButton, "As Unity does it").click();
    h.run();
    assert_eq!(system(&h, "way"), 0.0);
}

#[test]
fn improvements_are_offered_in_the_improved_way_and_each_that_is_on_says_that_unity_will_not_do_it() {
    let mut h = harness(desk());
    h.get_by_label("Expand Improvements").click();
    h.run();
    assert!(h.query_by_role_and_label(Role::Switch, "Teleport").is_none());
    h.get_by_label("Improvements act in the improved way.");
    h.get_by_label("Run improved").click();
    h.run();
    h.get_by_role_and_label(Role::Switch, "Teleport");
    let on = h.state().session.inspection().improvements_on();
    assert_eq!(on, 7);
    h.get_by_label("Unity will not do this: 7 improvements are on.");
    assert_eq!(h.query_all_by_label("Unity will not do this.").count(), on, "one badge for each");
    assert!(h.query_by_label("Teleport is off, in Improvements.").is_none());
    h.get_by_role_and_label(Role::Switch, "Teleport").click();
    h.run();
    h.get_by_label("Teleport is off, in Improvements.");
    assert_eq!(h.query_all_by_label("Unity will not do this.").count(), on - 1);
}

#[test]
fn a_choice_is_one_of_a_few_and_one_step() {
    let mut h = harness(desk());
    h.get_by_label("Expand Switches").click();
    h.run();
    h.get_by_role_and_label(Role::RadioButton, "1.2.2").click();
    h.run();
    assert_eq!(system(&h, "scaleRules"), 1.0);
    h.get_by_label("Reset Scale rules").click();
    h.run();
    assert_eq!(system(&h, "scaleRules"), 0.0);
    h.state_mut().session.handle(Command::Set(row("way"), 1.0));
    h.state_mut().session.handle(Command::Set(row("boneShapes"), 1.0));
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::RadioButton, "Capsule").click();
    h.run();
    assert_eq!(base(&h, CHAINS[0], "boneShape"), 1.0);
    assert!(
        h.state().session.inspection().is_beyond(row("boneShape"))
            && h.state().session.inspection().remark(row("headRadius")).is_none()
    );
    assert_eq!(h.state().session.inspection().remark(row("boxHalfWidth")), Some(Remark::OtherShape));
    h.state_mut().session.handle(Command::Undo);
    assert_eq!(base(&h, CHAINS[0], "boneShape"), 0.0);
}

#[test]
fn a_choice_without_room_is_a_menu_that_the_keyboard_opens() {
    use yuremono::ui::kit::{fonts, toggle::choice};
    let mut h = Harness::builder().with_size(vec2(240.0, 160.0)).with_context_setup(fonts::install).build_ui_state(
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
fn numbers_of_the_improved_way_come_with_it_and_can_be_edited() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    assert!(h.query_by_label("Soft edge").is_none(), "nothing of the engine's");
    h.get_by_role_and_label(Role::RadioButton, "Improved").click();
    h.run();
    drag_slider(&mut h, "Soft edge", 20.0);
    assert!(base(&h, CHAINS[0], "angleSoftness") > 0.3);
}

#[test]
fn wind_reaches_bones_once_it_blows() {
    let mut d = desk();
    let remark = |d: &Desk| d.session.inspection().remark(row("windInfluence"));
    blow(&mut d, Wind::default());
    assert_eq!(remark(&d), Some(Remark::NoWind), "a fresh wind has no weight");
    blow(&mut d, Wind { weight: 1.0, ..Wind::default() });
    assert_eq!(remark(&d), None);
    blow(&mut d, Wind { weight: 1.0, period: 0.0, ..Wind::default() });
    assert_eq!(remark(&d), Some(Remark::NoWind));
}

#[test]
fn the_ways_differ_in_what_has_no_effect() {
    let mut d = desk();
    link(&mut d);
    d.session.handle(Command::Set(row("zAngleLimits.active"), 1.0));
    d.session.handle(Command::Set(row("zAngleLimits.min"), -180.0));
    d.session.handle(Command::Set(row("zAngleLimits.max"), 180.0));
    d.session.handle(Command::Set(row("lengthLimitConstant"), 900.0));
    let remarks = |d: &Desk| {
        ["zAngleLimits.max", "lengthLimitConstant", "angleSoftness", "boneShape", "enableLengthLimits"]
            .map(|name| d.session.inspection().remark(row(name)))
    };
    let [limit, length, soft, shape, lengths] = remarks(&d);
    assert_eq!([limit, soft, shape], [Remark::Folded, Remark::OnlyImproved, Remark::OnlyImproved].map(Some));
    let weak = |remark| match remark {
        Some(Remark::WeakLengths(share)) => share,
        other => panic!("{other:?}"),
    };
    assert!((weak(length) - 0.5 / 3600.0).abs() < 1e-9 && weak(lengths) == weak(length));
    d.session.handle(Command::Set(row("simulationFrameRate"), 30.0));
    assert!((weak(remarks(&d)[1]) - 0.5 / 900.0).abs() < 1e-8, "four times as much at half the rate");
    d.session.handle(Command::Set(row("simulationFrameRate"), 60.0));
    assert!(beyond(d.session.document(), d.session.resolved()).is_empty());

    d.session.handle(Command::Set(row("way"), 1.0));
    assert_eq!(remarks(&d), [None, None, None, Some(Remark::SwitchOff(row("boneShapes"))), None]);
    let reached: Vec<_> = beyond(d.session.document(), d.session.resolved())
        .iter()
        .map(|b| (d.session.document().main().def(b.row).name, b.joints))
        .collect();
    assert!(
        reached.contains(&("wideLimits", Some(16))) && reached.contains(&("strongLengths", Some(8))),
        "{reached:?}"
    );
    d.session.handle(Command::Set(row("wideLimits"), 0.0));
    d.session.handle(Command::Set(row("softLimits"), 0.0));
    assert_eq!(remarks(&d)[0], Some(Remark::Folded));
    assert_eq!(remarks(&d)[2], Some(Remark::SwitchOff(row("softLimits"))));
}

#[test]
fn numbers_that_do_something_else_than_they_seem_say_so() {
    let mut s = desk().session;
    let mut set = |name: &str, value: f32, asked: &str| {
        s.handle(Command::Set(row(name), value));
        s.inspection().remark(row(asked))
    };
    assert!(matches!(set("bounce", 0.5, "bounce"), Some(Remark::SlowSticks(n)) if (n - 0.6).abs() < 1e-5));
    assert_eq!(set("bounce", 0.0, "bounce"), None);
    assert_eq!(set("isPaused", 1.0, "isPaused"), Some(Remark::Frozen));
    assert_eq!(set("automaticUpdates", 0.0, "automaticUpdates"), Some(Remark::ProgramSteps));
    assert_eq!(set("scaleRules", 0.0, "scaleRules"), Some(Remark::NothingScaled));
    assert_eq!(set("simulationFrameRate", 120.0, "simulationFrameRate"), Some(Remark::Pace(0.5)));
    assert_eq!(set("simulationFrameRate", 60.0, "simulationFrameRate"), None);
    set("yAngleLimits.active", 1.0, "radius");
    set("yAngleLimits.min", 0.0, "radius");
    assert_eq!(set("yAngleLimits.max", 0.0, "yAngleLimits.max"), Some(Remark::Pinned));
    assert!(matches!(set("angularStiffness", 5000.0, "angularStiffness"), Some(Remark::Overshoots(n)) if n > 3500.0));
}

#[test]
fn selected_joints_are_linked_measured_pulled_and_let_go() {
    let mut h = harness(improved());
    let bones = [CHAINS[0], CHAINS[1]].map(|id| h.state().session.document().chains[&id].joints[3].bone);
    h.state_mut().session.handle(Command::SetScope(Scope::Joints));
    select_joint(&mut h, CHAINS[0], 3);
    h.get_by_label("To link tips to bones, select several of them.");
    h.state_mut().session.handle(Command::Select(bones.to_vec(), Pick::Replace));
    h.run();
    h.get_by_label("Link to each other").click();
    h.run();
    let targets = |h: &Harness<'_, Desk>, id: ChainId| {
        let chain = &h.state().session.document().chains[&id];
        chain.joints[3].length_targets.clone()
    };
    assert_eq!(targets(&h, CHAINS[0]), [LengthTarget::new(Node::Bone(bones[1]))]);
    assert_eq!(targets(&h, CHAINS[1]), [LengthTarget::new(Node::Bone(bones[0]))]);
    let before = h.state().session.history().current();
    h.state_mut().session.handle(Command::LinkLengths { to_active: false });
    assert_eq!(h.state().session.history().current(), before, "nothing is left to link");
    let views = h.state().session.inspection().length_targets();
    assert_eq!(views.iter().map(|v| v.joints).collect::<Vec<_>>(), [1, 1]);
    // The tip of the fourth joint of a tail, 18 cm from the middle of the head, to the head of the other one.
    assert!(views.iter().all(|v| v.rest.is_some_and(|m| (0.3..0.4).contains(&m))), "{views:?}");
    assert!(h.query_by_label("TwinTail_R_04, 1 joint").is_some());

    h.state_mut().session.handle(Command::Set(row("lengthLimitConstant"), 900.0));
    h.run();
    h.get_by_label("900 in 1/s²; 0.5 is the original.");
    h.get_all_by_label("Own pull").next().expect("one for each").click();
    h.run();
    assert_eq!(targets(&h, CHAINS[0])[0].constant.or(targets(&h, CHAINS[1])[0].constant), Some(900.0));
    let bar = slider_of(&h, &bones);
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
fn of_hundreds_of_lengths_the_first_are_listed_and_the_others_counted() {
    let mut d = improved();
    let mut chain = d.session.document().chains[&CHAINS[0]].clone();
    let ids: Vec<HelperId> = (1..=26).map(HelperId).collect();
    let parent = Node::Bone(d.session.document().chains[&CHAINS[1]].root());
    let helper =
        |id: HelperId| Helper { name: format!("hem {}", id.0), parent, local: Trs::IDENTITY, role: HelperRole::Plain };
    let made = ids.iter().map(|id| Edit::PutHelper { id: *id, helper: Some(helper(*id)) }).collect();
    d.session.handle(Command::Apply(Edit::Batch(made), Label::new("other", 26)));
    assert!(support::nothing_refused(&d.session));
    chain.joints[0].length_targets = ids.iter().map(|id| LengthTarget::new(Node::Helper(*id))).collect();
    let put = Edit::PutChain { id: CHAINS[0], chain: Some(Box::new(chain)) };
    d.session.handle(Command::Apply(put, Label::new("link_lengths", 1)));
    assert!(support::nothing_refused(&d.session));
    let mut h = harness(d);
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label_contains("2 more; select fewer joints");
    assert_eq!(h.get_all_by_label_contains("Remove link to ").count(), 24);
}

/// The bar of the one target that has a pull of its own.
fn slider_of(h: &Harness<'_, Desk>, bones: &[yuremono::rig::BoneId]) -> String {
    let named = bones.iter().map(|b| format!("Pull to {}", h.state().session.inspection().bone_name(*b)));
    named.into_iter().find(|name| h.query_by_role_and_label(Role::Slider, name).is_some()).expect("a bar")
}

#[test]
fn the_pull_of_lengths_is_typed_as_a_share_of_the_error() {
    let mut d = improved();
    link(&mut d);
    let mut h = harness(d);
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_role_and_label(Role::Slider, "Length pull").click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Length pull").type_text("25");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert!((base(&h, CHAINS[0], "lengthLimitConstant") - 900.0).abs() < 0.01, "a quarter in a step of 1/60 s");
}

#[test]
fn joints_are_flagged_and_the_blend_acts_on_them() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    assert_eq!(h.state().session.inspection().remark(row("dynamicRatio")), Some(Remark::OnlyFlagged));
    h.get_by_role_and_label(Role::Switch, "Animated").click();
    h.run();
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| j.animated));
    assert!(h.state().session.document().chains[&CHAINS[1]].joints.iter().all(|j| !j.animated));
    assert_eq!(h.state().session.inspection().remark(row("dynamicRatio")), None);
    h.get_by_role_and_label(Role::Switch, "Simulated").click();
    h.run();
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| !j.enabled));
    h.state_mut().session.handle(Command::Undo);
    h.state_mut().session.handle(Command::Undo);
    assert!(h.state().session.document().chains[&CHAINS[0]].joints.iter().all(|j| j.enabled && !j.animated));
}

#[test]
fn the_players_frame_rate_is_chosen_in_the_transport_and_kept() {
    let mut h = harness(desk());
    h.get_by_label("Players' frame rate: 60 fps").click();
    h.run();
    h.get_by_role_and_label(Role::MenuItemRadio, "144 fps").click();
    h.run();
    assert_eq!(h.state().session.playback().settings().players_rate, 144);
    h.get_by_label("144 fps: 2.4 × as fast, as players will see");
    assert_eq!(h.state_mut().ui.shared_mut().prefs.players_rate, Some(144));
    // Another character runs at the same rate.
    h.state_mut().session = desk().session;
    h.run();
    assert_eq!(h.state().session.playback().settings().players_rate, 144);
    h.state_mut().session.handle(Command::Set(row("way"), 1.0));
    h.run();
    assert!(h.query_by_label_contains("as players will see").is_none(), "a steady pace");
}

#[test]
fn a_long_toast_takes_two_lines() {
    let mut h = harness(desk());
    let said = "a sentence that goes on ".repeat(8);
    h.state_mut().session.handle(Command::Report(Diagnostic::warning(Place::file("hair.csv"), said.clone())));
    h.run();
    let place = h.get_by_label_contains("hair.csv").rect();
    assert!(place.height() > 28.0 && place.height() < 60.0 && place.width() < 620.0, "{place:?}");
}

#[test]
fn hints_of_the_first_start_wait_for_room_and_never_lie_on_the_transport() {
    let mut h = desk::sized_harness(sample_desk(), vec2(960.0, 600.0));
    let far_above_transport = |h: &Harness<'_, Desk>| {
        let card = h.get_by_label("Put hint 3 away").rect();
        let play = h.get_by_role_and_label(Role::Button, "Play").rect();
        card.top() + 80.0 < play.top()
    };
    assert!(far_above_transport(&h));
    h.state_mut().ui.shared_mut().drawer = Some(DrawerTab::Curves);
    h.run();
    assert!(h.query_by_label("Put hint 3 away").is_none(), "the first one stands there");
    h.get_by_label("Put hint 1 away").click();
    h.run();
    assert!(far_above_transport(&h));
}

#[test]
fn pictures_of_both_ways_can_be_taken() {
    let Some(folder) = support::folder("YUREMONO_PICTURES") else { return };
    for (what, mode, lang, size) in [
        ("unity", Mode::Dark, Lang::En, vec2(1440.0, 1500.0)),
        ("unity", Mode::Light, Lang::Ja, vec2(1280.0, 1500.0)),
        ("improved", Mode::Dark, Lang::Ja, vec2(1440.0, 1900.0)),
        ("improved", Mode::Light, Lang::En, vec2(1440.0, 1900.0)),
        ("links", Mode::Dark, Lang::En, vec2(1440.0, 1100.0)),
        ("first", Mode::Dark, Lang::En, vec2(960.0, 600.0)),
        ("first", Mode::Light, Lang::Ja, vec2(960.0, 600.0)),
        ("players", Mode::Dark, Lang::En, vec2(1280.0, 720.0)),
        ("players", Mode::Light, Lang::Ja, vec2(1280.0, 720.0)),
    ] {
        let Some(headless) = headless_or_skip() else { return };
        let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
        let mut d = if what == "first" { sample_desk() } else { desk() };
        if matches!(what, "unity" | "improved" | "links") {
            link(&mut d);
        }
        let mut h = picture_harness(d, prefs, size, 1.0, GlowRenderer::new(headless));
        show(&mut h, what, lang);
        let name = format!("ways-{what}-{mode:?}-{}-{}.png", lang.code(), size.x).to_lowercase();
        h.render().expect("drawn").save(folder.join(name)).expect("the folder can be written");
    }
}

fn show(h: &mut Harness<'_, Desk>, what: &str, lang: Lang) {
    let groups = ["collision", "time", "switches", "improved"];
    let expand = |group: &str| {
        let name = words::tr(lang, &format!("inspector.group.{group}"));
        words::tr_with(lang, "common.expand", &[("name", &name)])
    };
    match what {
        "unity" | "improved" => {
            select_joint(h, CHAINS[0], 3);
            let s = &mut h.state_mut().session;
            s.handle(Command::Set(row("way"), f32::from(u8::from(what == "improved"))));
            s.handle(Command::SwitchLimits(vec![row("yAngleLimits.active"), row("zAngleLimits.active")], true));
            s.handle(Command::Set(row("zAngleLimits.min"), -180.0));
            s.handle(Command::Set(row("zAngleLimits.max"), 180.0));
            s.handle(Command::Set(row("bounce"), 0.4));
            s.handle(Command::Set(row("isPaused"), 1.0));
            if what == "improved" {
                s.handle(Command::Set(row("lengthLimitConstant"), 900.0));
                s.handle(Command::Set(row("boneShapes"), 1.0));
                s.handle(Command::Set(row("boneShape"), 1.0));
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
            s.handle(Command::Set(row("way"), 1.0));
            s.handle(Command::SetScope(Scope::Joints));
            s.handle(Command::Select(bones.to_vec(), Pick::Replace));
            s.handle(Command::Set(row("lengthLimitConstant"), 900.0));
            h.run();
            h.get_all_by_label("Own pull").next().expect("a target").click();
            h.run();
            let said = "the column \"stiffnessForce\" is there twice, and the second one was taken ".repeat(3);
            h.state_mut().session.handle(Command::Report(Diagnostic::warning(Place::file("hair.csv").line(2), said)));
        }
        "players" => {
            h.state_mut().ui.shared_mut().prefs.players_rate = Some(144);
            // The window asks the session, which shows it in the next frame.
            for _ in 0..3 {
                h.run();
            }
            let name = words::tr_with(lang, "players.button", &[("n", "144")]);
            h.get_by_label(&name).click();
        }
        _ => {}
    }
    h.run();
}
