//! Tests the values by which joints are coloured, the values that stand out, the menu and the legend.

use super::support;
use super::support::girl;
use super::support::window::{WindowFixture, window_harness};
use egui::{Event, Modifiers, PointerButton, Pos2, Rect, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use std::collections::BTreeSet;
use yuremono::ui::{ColorBy, Prefs};
use yuremono_model::document::EditLabel;
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, JointQuantity, JointValues, Motion, SelectMode, Session, TuningScope};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamId, find_param};
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::TestMotion;

type Window = Harness<'static, WindowFixture>;

fn param(session: &Session, name: &str) -> ParamId {
    find_param(session.inspection().system().param_defs(), name).expect("a parameter of the solver")
}

fn quantity(session: &Session, name: &str) -> JointQuantity {
    JointQuantity::Param { solver: session.inspection().system().solver, param: param(session, name) }
}

fn values(session: &Session, name: &str) -> JointValues {
    session.inspection().quantity_values(quantity(session, name)).expect("joints with values")
}

/// Sets a parameter of one joint.
fn set(session: &mut Session, bone: &str, name: &str, value: f32) {
    let (bone, param) = (girl::bone(session, bone), param(session, name));
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.handle(Command::SetTuningScope(TuningScope::Joints));
    session.handle(Command::SetParam(param, value));
}

fn bones(session: &Session, names: &[&str]) -> BTreeSet<BoneId> {
    names.iter().map(|name| girl::bone(session, name)).collect()
}

#[test]
fn every_joint_has_the_value_that_its_solver_uses() {
    let mut session = girl::session();
    set(&mut session, "TwinTail_L_04", "stiffnessForce", 900.0);
    let all = values(&session, "stiffnessForce");
    assert_eq!(all.count(), session.document().joint_count());
    let odd = girl::bone(&session, "TwinTail_L_04");
    let other = all.get(girl::bone(&session, "Skirt_01")).expect("a joint");
    assert_eq!((all.get(odd), all.summary()), (Some(900.0), [other, other, 900.0]));
    assert_eq!([odd, girl::bone(&session, "Skirt_01")].map(|bone| all.position(bone)), [Some(1.0), Some(0.0)]);
    assert_eq!(all.get(girl::bone(&session, "Head")), None, "the head is not a joint");
}

#[test]
fn a_joint_that_differs_from_its_chain_or_its_mirrored_joint_stands_out() {
    let mut session = girl::session();
    assert!(values(&session, "stiffnessForce").unusual().is_empty());
    // The right chain is shorter: joint 4 has no mirrored joint.
    set(&mut session, "TwinTail_L_04", "stiffnessForce", 900.0);
    assert_eq!(*values(&session, "stiffnessForce").unusual(), bones(&session, &["TwinTail_L_04"]));
    set(&mut session, "Skirt_01", "stiffnessForce", 900.0);
    let expected = bones(&session, &["TwinTail_L_04", "Skirt_01", "Skirt_02"]);
    assert_eq!(*values(&session, "stiffnessForce").unusual(), expected, "a chain of two joints has no middle");
}

#[test]
fn mirrored_joints_agree_if_their_values_are_mirrored_or_equal() {
    let mut session = girl::session();
    for (left, right, differs) in [(2.0, 2.0, false), (2.0, -2.0, false), (2.0, 0.5, true)] {
        set(&mut session, "Skirt_01", "springForce x", left);
        set(&mut session, "Skirt_02", "springForce x", right);
        let unusual = values(&session, "springForce x").unusual().contains(&girl::bone(&session, "Skirt_02"));
        assert_eq!(unusual, differs, "{left} and {right}");
    }
}

#[test]
fn only_parameters_of_the_documents_solvers_have_values() {
    let mut session = girl::session();
    let own = quantity(&session, "stiffnessForce");
    let vrm = SolverKind::Vrm;
    let foreign = JointQuantity::Param {
        solver: vrm,
        param: find_param(vrm.info().params, "gravityPower").expect("a row of VRM"),
    };
    let missing = JointQuantity::Param { solver: SolverKind::UnityChanSpringBone, param: ParamId(999) };
    assert!(session.inspection().has_quantity(own));
    for quantity in [foreign, missing] {
        assert!(!session.inspection().has_quantity(quantity));
        assert_eq!(session.inspection().quantity_values(quantity), None);
    }
    let edit = convert(session.document(), session.character(), vrm).edit(session.document());
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
    assert!(session.inspection().has_quantity(foreign) && !session.inspection().has_quantity(own));
    assert_eq!(session.inspection().quantity_values(own), None, "no joint uses the solver any more");
}

#[test]
fn every_parameter_in_the_menu_has_values() {
    let mut session = girl::session();
    for solver in SolverKind::ALL.iter().copied() {
        let edit = convert(session.document(), session.character(), solver).edit(session.document());
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
        let params = session.inspection().comparable_params();
        assert!(params.len() > 3, "{solver:?}");
        for param in params {
            let values = session.inspection().quantity_values(JointQuantity::Param { solver, param });
            assert_eq!(
                values.map(|values| values.count()),
                Some(session.document().joint_count()),
                "{solver:?} {param:?}"
            );
        }
    }
}

#[test]
fn measured_values_belong_to_the_displayed_pose() {
    let mut session = girl::session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    assert_eq!(session.inspection().quantity_values(JointQuantity::Speed), None, "nothing has moved yet");
    let tip = girl::bone(&session, "TwinTail_L_05");
    (0..20).for_each(|_| session.handle(Command::StepOnce));
    let before = session.playback().displayed_tip(tip).expect("a tip");
    session.handle(Command::StepOnce);
    let now = session.playback().displayed_tip(tip).expect("a tip");
    let speed =
        |session: &Session| session.inspection().quantity_values(JointQuantity::Speed).expect("speeds").get(tip);
    let live = speed(&session).expect("a joint");
    assert!((live - now.distance(before) * 60.0).abs() < 1e-2 * live && live > 0.01, "{live} m/s");
    session.handle(Command::StepBack);
    assert_ne!(speed(&session), Some(live), "the speed of the recorded tick");
    let depths = session.inspection().quantity_values(JointQuantity::Penetration).expect("depths");
    assert!(depths.summary()[0] >= 0.0);
}

#[test]
fn angles_are_shares_of_their_limits_and_joints_without_limits_have_no_value() {
    let mut session = girl::session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    (0..20).for_each(|_| session.handle(Command::StepOnce));
    let limited = girl::bone(&session, "TwinTail_L_02");
    assert_eq!(session.inspection().quantity_values(JointQuantity::LimitShare), None, "no limit is on");
    session.handle(Command::Select(vec![limited], SelectMode::Replace));
    let limits: Vec<_> = session.inspection().pivot_limits().map(|(_, limits)| limits).collect();
    session.handle(Command::SetLimitsEnabled(limits.iter().map(|limits| limits.active).collect(), true));
    (0..20).for_each(|_| session.handle(Command::StepOnce));
    let share = |session: &mut Session, reach: f32| {
        for limits in &limits {
            session.handle(Command::SetParam(limits.min, -reach));
            session.handle(Command::SetParam(limits.max, reach));
        }
        let shares = session.inspection().quantity_values(JointQuantity::LimitShare).expect("limited joints");
        assert_eq!(shares.get(girl::bone(session, "Skirt_01")), None);
        shares.get(limited).expect("a limited joint")
    };
    let (wide, narrow) = (share(&mut session, 40.0), share(&mut session, 20.0));
    assert!(wide > 0.1 && (narrow - 2.0 * wide).abs() < 1e-2 * narrow, "{wide} % and {narrow} %");
}

/// Returns where items with a name are. A submenu shows an arrow after the name.
fn rects(h: &Window, name: &str) -> Vec<Rect> {
    let is_named = |label: &str| label == name || label.strip_prefix(name).is_some_and(|end| end.starts_with(' '));
    let nodes = h.query_all_by_label_contains(name);
    nodes.filter(|node| node.accesskit_node().label().is_some_and(|label| is_named(&label))).map(|n| n.rect()).collect()
}

fn press(h: &mut Window, at: Pos2) {
    h.event(Event::PointerMoved(at));
    h.run_steps(2);
    for pressed in [true, false] {
        h.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
        h.run_steps(2);
    }
}

fn window(session: Session, color_by: ColorBy) -> Window {
    let mut fixture = WindowFixture::new(session, Prefs { reduce_motion: true, ..Prefs::default() });
    fixture.ui.state_mut().color_by = color_by;
    let mut h = window_harness(fixture, [1440.0, 900.0]);
    h.run_steps(3);
    h
}

#[test]
fn the_legend_shows_the_scale_and_its_marker_selects_the_joints_that_stand_out() {
    let mut session = girl::session();
    set(&mut session, "TwinTail_L_04", "stiffnessForce", 900.0);
    session.handle(Command::ClearSelection);
    let choice = ColorBy::Quantity(quantity(&session, "stiffnessForce"));
    let odd = girl::bone(&session, "TwinTail_L_04");
    let mut h = window(session, choice);
    h.get_by_label_contains("Median");
    h.get_by_role_and_label(Role::Button, "1 unusual value").click();
    h.run_steps(2);
    assert_eq!(h.state().session.selection().bones, BTreeSet::from([odd]));
    h.get_by_label("End colouring").click();
    h.run_steps(2);
    assert_eq!(h.state_mut().ui.state_mut().color_by, ColorBy::None);
    assert!(h.query_by_label_contains("Median").is_none());
}

#[test]
fn the_menu_offers_the_parameters_of_the_tuned_solver_and_shows_the_bones() {
    let mut session = girl::session();
    let bone = girl::bone(&session, "TwinTail_L_02");
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let wanted = ColorBy::Quantity(quantity(&session, "stiffnessForce"));
    let mut h = window(session, ColorBy::None);
    h.state_mut().ui.state_mut().prefs.toggles.bones = false;
    let path = ["View", "Colour by", "Spring", "Stiffness"];
    // The menu bar and the inspector have the same names; an item of a menu appears with the menu.
    let mut known = Vec::new();
    for (at, label) in path.into_iter().enumerate() {
        let next = path.get(at + 1).map_or(Vec::new(), |next| rects(&h, next));
        let place = *rects(&h, label).iter().rfind(|rect| !known.contains(*rect)).expect("an item");
        press(&mut h, place.center());
        known = next;
    }
    assert_eq!(h.state_mut().ui.state_mut().color_by, wanted);
    assert!(h.state_mut().ui.state_mut().prefs.toggles.bones);
}

#[test]
fn the_strongest_causes_are_recorded_while_they_are_shown() {
    let opened = support::sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(true));
    let mut h = window(session, ColorBy::StrongestCause);
    for _ in 0..6 {
        h.state_mut().session.advance(yuremono_session::TICK_SECONDS);
        h.run_steps(1);
    }
    assert!(h.state().session.playback().probes_tips(), "colours need no selection");
    assert!(!h.state().session.inspection().strongest_causes().is_empty());
    h.state_mut().ui.state_mut().color_by = ColorBy::None;
    h.run_steps(2);
    assert!(!h.state().session.playback().probes_tips());
}
