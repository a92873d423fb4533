//! Tests the feel panel of the inspector.

use super::fixture::{CHAINS, InspectorFixture, drag, harness, select_joint, twin_tail_fixture};
use super::{base_value, drag_slider, slider_rect};
use egui::accesskit::Role;
use egui::{Key, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::tr;
use yuremono::ui::kit::i18n::{self, Lang};
use yuremono::ui::{CurveRef, DrawerTab};
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, SelectMode, TuningScope, ValueSummary};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveKey, CurveShape};
use yuremono_sim::{FeelParam, SolverKind};

fn feel_value(h: &Harness<'_, InspectorFixture>, term: FeelParam) -> f32 {
    match h.state().session.inspection().feel_param_view(term).values {
        ValueSummary::Same(value) => value,
        other => panic!("one value, not {other:?}"),
    }
}

fn handle_and_run(h: &mut Harness<'_, InspectorFixture>, command: Command) {
    h.state_mut().session.handle(command);
    h.run();
}

fn type_into_slider(h: &mut Harness<'_, InspectorFixture>, name: &str, text: &str) {
    h.get_by_role_and_label(Role::Slider, name).click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, name).type_text(text);
    h.run();
    h.key_press(Key::Enter);
    h.run();
}

#[test]
fn feel_sliders_are_above_the_solver_params_and_show_their_values() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    assert!(
        (feel_value(&h, FeelParam::Speed) - 3.0).abs() < 0.01
            && (feel_value(&h, FeelParam::Settling) - 0.4).abs() < 0.01
    );
    assert!(slider_rect(&h, "Speed").bottom() < slider_rect(&h, "Stiffness").top());
    assert_eq!(h.get_by_role_and_label(Role::Slider, "Speed").value().as_deref(), Some("3.00 Hz"));
}

#[test]
fn typing_a_speed_changes_stiffness_and_drag_and_keeps_other_values() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    let before = h.state().session.document().clone();
    type_into_slider(&mut h, "Speed", "4.5");
    assert!(
        (feel_value(&h, FeelParam::Speed) - 4.5).abs() < 0.01
            && (feel_value(&h, FeelParam::Settling) - 0.4).abs() < 0.01
    );
    assert!(base_value(&h, CHAINS[0], "stiffnessForce") > 1000.0 && base_value(&h, CHAINS[0], "dragForce") > 0.25);
    assert_eq!(base_value(&h, CHAINS[1], "stiffnessForce"), 623.0, "the other chain stays");
    assert_eq!(h.state().session.history().next_undo().map(|l| l.text.starts_with("Speed on ")), Some(true));
    handle_and_run(&mut h, Command::Undo);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn editing_a_solver_param_moves_the_feel_sliders() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    type_into_slider(&mut h, "Stiffness", "300");
    let speed = feel_value(&h, FeelParam::Speed);
    assert!((1.9..2.4).contains(&speed), "{speed}");
    assert!(h.state().session.inspection().feel_param_view(FeelParam::Speed).changed);
    assert!(!h.state().session.inspection().feel_param_view(FeelParam::Weight).changed);
    h.get_by_label("Reset Speed").click();
    h.run();
    assert!((feel_value(&h, FeelParam::Speed) - 3.0).abs() < 0.01);
    h.get_by_label("Reset Settling").click();
    h.run();
    assert_eq!(base_value(&h, CHAINS[0], "stiffnessForce"), 623.0, "both values together restore the old numbers");
    assert_eq!(base_value(&h, CHAINS[0], "dragForce"), 0.22);
}

#[test]
fn a_cancelled_feel_drag_leaves_the_document_unchanged() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    handle_and_run(&mut h, Command::BeginUndoGroup);
    let before = h.state().session.document().clone();
    for hz in [5.0, 9.0, 30.0, 0.2, 3.5] {
        handle_and_run(&mut h, Command::SetFeel(FeelParam::Speed, hz));
    }
    let there = h.state().session.document().clone();
    handle_and_run(&mut h, Command::CancelUndoGroup);
    assert_eq!(*h.state().session.document(), before);
    handle_and_run(&mut h, Command::SetFeel(FeelParam::Speed, 3.5));
    assert_eq!(*h.state().session.document(), there, "the path of the drag does not matter");
    handle_and_run(&mut h, Command::EndUndoGroup);
    drag_slider(&mut h, "Speed", 20.0);
    assert!(feel_value(&h, FeelParam::Speed) > 3.6);
    handle_and_run(&mut h, Command::Undo);
    assert_eq!(*h.state().session.document(), there, "a drag is one step");
}

#[test]
fn unavailable_feel_params_are_fixed_and_say_why_in_both_languages() {
    for lang in Lang::ALL {
        for kind in SolverKind::ALL {
            let mut shown = twin_tail_fixture();
            shown.lang = lang;
            let (edit, label) = {
                let conversion = convert(shown.session.document(), shown.session.character(), *kind);
                let edit = conversion.edit(shown.session.document());
                (edit, yuremono_model::document::EditLabel::new(message!("Set")))
            };
            shown.session.handle(Command::ApplyEdit(edit, label));
            let mut h = harness(shown);
            select_joint(&mut h, CHAINS[0], 0);
            for term in FeelParam::ALL {
                let name = i18n::param_label(lang, term.def());
                let sentence = i18n::unsupported_reason(lang, *kind, term);
                let slider = h.get_by_role_and_label(Role::Slider, &name);
                if let Some(sentence) = sentence {
                    assert_eq!(slider.value().as_deref(), Some(&*tr!(lang, "fixed")), "{kind:?} {term:?}");
                    h.get_by_label(&sentence);
                }
            }
        }
    }
}

#[test]
fn several_chains_show_a_value_range_and_scale_together() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    type_into_slider(&mut h, "Speed", "2");
    let other = h.state().session.document().chains[&CHAINS[1]].root();
    handle_and_run(&mut h, Command::Select(vec![other], SelectMode::Add));
    let ValueSummary::Mixed { low, high } = h.state().session.inspection().feel_param_view(FeelParam::Speed).values
    else {
        panic!("two values")
    };
    assert!((low - 2.0).abs() < 0.01 && (high - 3.0).abs() < 0.01);
    drag_slider(&mut h, "Speed", 15.0);
    let ValueSummary::Mixed { low, high } = h.state().session.inspection().feel_param_view(FeelParam::Speed).values
    else {
        panic!("two values")
    };
    assert!(low > 2.1 && (high / low - 1.5).abs() < 0.02, "{low} {high}");
    type_into_slider(&mut h, "Speed", "2.5");
    assert!((feel_value(&h, FeelParam::Speed) - 2.5).abs() < 0.01);
}

#[test]
fn an_overridden_feel_param_of_one_joint_is_marked_on_the_chain() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 3);
    handle_and_run(&mut h, Command::SetTuningScope(TuningScope::Joints));
    type_into_slider(&mut h, "Settling", "0.8");
    let chain = &h.state().session.document().chains[&CHAINS[0]];
    assert!(!chain.joints[3].overrides.is_empty() && chain.joints[2].overrides.is_empty());
    handle_and_run(&mut h, Command::SetTuningScope(TuningScope::Chains));
    assert!(h.state().session.inspection().feel_param_view(FeelParam::Settling).overridden);
    assert!(!h.state().session.inspection().feel_param_view(FeelParam::MaxAngle).overridden);
}

#[test]
fn a_feel_curve_opens_in_the_drawer_and_keeps_its_keys_while_dragging() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Curve of Speed").click();
    h.run();
    assert_eq!(h.state_mut().ui.state_mut().shown_curve, Some(CurveRef::Feel(FeelParam::Speed)));
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, Some(DrawerTab::Curves));
    let ease = Curve::from_shape(CurveShape::Ease);
    handle_and_run(&mut h, Command::BeginUndoGroup);
    for end in [0.9, 0.5, 0.2] {
        let keys = vec![CurveKey::flat(0.0, 1.0), CurveKey::flat(1.0, end)];
        let curve = Curve::new(keys, ease.interpolation()).expect("two keys");
        handle_and_run(&mut h, Command::SetFeelCurve(FeelParam::Speed, Some(curve)));
    }
    handle_and_run(&mut h, Command::EndUndoGroup);
    let session = &h.state().session;
    let laid = session.inspection().feel_chain_value(CHAINS[0], FeelParam::Speed).expect("a term");
    assert_eq!(laid.curve.as_ref(), Some(&ease), "the curve does not get a key per joint");
    assert!((laid.base - 3.0).abs() < 0.01);
    let last = session.inspection().feel_joint_values(CHAINS[0], FeelParam::Speed)[7].1;
    assert!((last - 0.6).abs() < 0.006, "{last}");
    type_into_slider(&mut h, "Speed", "2");
    let laid = h.state().session.inspection().feel_chain_value(CHAINS[0], FeelParam::Speed).expect("a term");
    assert_eq!(laid.curve, Some(ease), "the curve stays");
    handle_and_run(&mut h, Command::Undo);
    handle_and_run(&mut h, Command::Undo);
    assert_eq!(
        h.state().session.inspection().feel_chain_value(CHAINS[0], FeelParam::Speed).expect("a term").curve,
        None
    );
}

#[test]
fn a_slider_that_reaches_its_limit_says_so() {
    let mut shown = twin_tail_fixture();
    let conversion = convert(shown.session.document(), shown.session.character(), SolverKind::Vrm);
    let edit = conversion.edit(shown.session.document());
    shown.session.handle(Command::ApplyEdit(edit, yuremono_model::document::EditLabel::new(message!("Set"))));
    let mut h = harness(shown);
    select_joint(&mut h, CHAINS[0], 0);
    type_into_slider(&mut h, "Settling", "0.01");
    let least = feel_value(&h, FeelParam::Settling);
    assert!((0.05..0.3).contains(&least), "{least}");
    assert!(h.state().session.inspection().feel_param_view(FeelParam::Settling).is_target_unreached);
    assert!(h.query_by_label_contains("Ends at").is_some());
    type_into_slider(&mut h, "Settling", "0.5");
    assert!(h.query_by_label_contains("Ends at").is_none());
}

#[test]
fn the_feel_section_can_be_collapsed() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Collapse Feel").click();
    h.run();
    assert!(h.query_by_role_and_label(Role::Slider, "Speed").is_none());
    let from = slider_rect(&h, "Stiffness").center();
    drag(&mut h, from, from + vec2(5.0, 0.0));
}
