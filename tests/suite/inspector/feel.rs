//! The panel of feel as an artist meets it.

use super::desk::{CHAINS, Desk, desk, drag, harness, select_joint};
use super::{base, drag_slider, slider};
use egui::accesskit::Role;
use egui::{Key, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::feel::convert::convert;
use yuremono::math::{Curve, CurveShape, Key as CurveKey};
use yuremono::session::{Command, Pick, Scope, Values};
use yuremono::sim::{SolverKind, Term};
use yuremono::ui::kit::words::{self, Lang};
use yuremono::ui::{CurveOf, DrawerTab};

fn value(h: &Harness<'_, Desk>, term: Term) -> f32 {
    match h.state().session.inspection().term_view(term).values {
        Values::Same(value) => value,
        other => panic!("one value, not {other:?}"),
    }
}

fn handle(h: &mut Harness<'_, Desk>, command: Command) {
    h.state_mut().session.handle(command);
    h.run();
}

fn type_into(h: &mut Harness<'_, Desk>, name: &str, text: &str) {
    h.get_by_role_and_label(Role::Slider, name).click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, name).type_text(text);
    h.run();
    h.key_press(Key::Enter);
    h.run();
}

#[test]
fn the_terms_of_the_sample_numbers_stand_above_them() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    assert!((value(&h, Term::Speed) - 3.0).abs() < 0.01 && (value(&h, Term::Settle) - 0.4).abs() < 0.01);
    assert!(slider(&h, "Speed").bottom() < slider(&h, "Stiffness").top());
    assert_eq!(h.get_by_role_and_label(Role::Slider, "Speed").value().as_deref(), Some("3.00 Hz"));
}

#[test]
fn typing_a_speed_writes_stiffness_and_drag_and_keeps_the_rest() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    let before = h.state().session.document().clone();
    type_into(&mut h, "Speed", "4.5");
    assert!((value(&h, Term::Speed) - 4.5).abs() < 0.01 && (value(&h, Term::Settle) - 0.4).abs() < 0.01);
    assert!(base(&h, CHAINS[0], "stiffnessForce") > 1000.0 && base(&h, CHAINS[0], "dragForce") > 0.25);
    assert_eq!(base(&h, CHAINS[1], "stiffnessForce"), 623.0, "the other chain stays");
    assert_eq!(h.state().session.history().next_undo().map(|l| l.term), Some(Some(Term::Speed)));
    handle(&mut h, Command::Undo);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_raw_number_moves_the_sliders_of_feel() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    type_into(&mut h, "Stiffness", "300");
    let speed = value(&h, Term::Speed);
    assert!((1.9..2.4).contains(&speed), "{speed}");
    assert!(h.state().session.inspection().term_view(Term::Speed).changed);
    assert!(!h.state().session.inspection().term_view(Term::Weight).changed);
    h.get_by_label("Reset Speed").click();
    h.run();
    assert!((value(&h, Term::Speed) - 3.0).abs() < 0.01);
    h.get_by_label("Reset Settle").click();
    h.run();
    assert_eq!(base(&h, CHAINS[0], "stiffnessForce"), 623.0, "both terms together are the numbers of before");
    assert_eq!(base(&h, CHAINS[0], "dragForce"), 0.22);
}

#[test]
fn a_drag_there_and_back_leaves_nothing_behind() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    handle(&mut h, Command::BeginGesture);
    let before = h.state().session.document().clone();
    for hz in [5.0, 9.0, 30.0, 0.2, 3.5] {
        handle(&mut h, Command::SetTerm(Term::Speed, hz));
    }
    let there = h.state().session.document().clone();
    handle(&mut h, Command::CancelGesture);
    assert_eq!(*h.state().session.document(), before);
    handle(&mut h, Command::SetTerm(Term::Speed, 3.5));
    assert_eq!(*h.state().session.document(), there, "the way does not matter");
    handle(&mut h, Command::EndGesture);
    drag_slider(&mut h, "Speed", 20.0);
    assert!(value(&h, Term::Speed) > 3.6);
    handle(&mut h, Command::Undo);
    assert_eq!(*h.state().session.document(), there, "a drag is one step");
}

#[test]
fn what_a_solver_cannot_is_fixed_and_says_why_in_both_languages() {
    for lang in Lang::ALL {
        for kind in SolverKind::ALL {
            let mut shown = desk();
            shown.lang = lang;
            let (edit, label) = {
                let conversion = convert(shown.session.document(), shown.session.character(), *kind);
                let edit = conversion.edit(shown.session.document());
                (edit, yuremono::document::Label::new("set", 1))
            };
            shown.session.handle(Command::Apply(edit, label));
            let mut h = harness(shown);
            select_joint(&mut h, CHAINS[0], 0);
            for term in Term::ALL {
                let name = words::param_label(lang, term.def());
                let sentence = words::cannot(lang, *kind, term);
                let slider = h.get_by_role_and_label(Role::Slider, &name);
                if let Some(sentence) = sentence {
                    assert_eq!(slider.value().as_deref(), Some(&*words::tr(lang, "feel.fixed")), "{kind:?} {term:?}");
                    h.get_by_label(&sentence);
                }
            }
        }
    }
}

#[test]
fn several_chains_show_their_span_and_scale_together() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    type_into(&mut h, "Speed", "2");
    let other = h.state().session.document().chains[&CHAINS[1]].root();
    handle(&mut h, Command::Select(vec![other], Pick::Add));
    let Values::Mixed { low, high } = h.state().session.inspection().term_view(Term::Speed).values else {
        panic!("two values")
    };
    assert!((low - 2.0).abs() < 0.01 && (high - 3.0).abs() < 0.01);
    drag_slider(&mut h, "Speed", 15.0);
    let Values::Mixed { low, high } = h.state().session.inspection().term_view(Term::Speed).values else {
        panic!("two values")
    };
    assert!(low > 2.1 && (high / low - 1.5).abs() < 0.02, "{low} {high}");
    type_into(&mut h, "Speed", "2.5");
    assert!((value(&h, Term::Speed) - 2.5).abs() < 0.01);
}

#[test]
fn one_joint_feels_otherwise_and_the_chain_says_so() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 3);
    handle(&mut h, Command::SetScope(Scope::Joints));
    type_into(&mut h, "Settle", "0.8");
    let chain = &h.state().session.document().chains[&CHAINS[0]];
    assert!(!chain.joints[3].own.is_empty() && chain.joints[2].own.is_empty());
    handle(&mut h, Command::SetScope(Scope::Chains));
    assert!(h.state().session.inspection().term_view(Term::Settle).overridden);
    assert!(!h.state().session.inspection().term_view(Term::Reach).overridden);
}

#[test]
fn a_terms_curve_opens_in_the_drawer_and_keeps_its_keys() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Curve of Speed").click();
    h.run();
    assert_eq!(h.state_mut().ui.shared_mut().curve, Some(CurveOf::Term(Term::Speed)));
    assert_eq!(h.state_mut().ui.shared_mut().drawer, Some(DrawerTab::Curves));
    let ease = Curve::shape(CurveShape::Ease);
    handle(&mut h, Command::BeginGesture);
    for end in [0.9, 0.5, 0.2] {
        let keys = vec![CurveKey::flat(0.0, 1.0), CurveKey::flat(1.0, end)];
        let curve = Curve::new(keys, ease.interpolation()).expect("two keys");
        handle(&mut h, Command::SetTermCurve(Term::Speed, Some(curve)));
    }
    handle(&mut h, Command::EndGesture);
    let session = &h.state().session;
    let laid = session.inspection().term_of(CHAINS[0], Term::Speed).expect("a term");
    assert_eq!(laid.curve.as_ref(), Some(&ease), "not one key for each joint");
    assert!((laid.base - 3.0).abs() < 0.01);
    let last = session.inspection().term_values(CHAINS[0], Term::Speed)[7].1;
    assert!((last - 0.6).abs() < 0.006, "{last}");
    type_into(&mut h, "Speed", "2");
    let laid = h.state().session.inspection().term_of(CHAINS[0], Term::Speed).expect("a term");
    assert_eq!(laid.curve, Some(ease), "the curve stays");
    handle(&mut h, Command::Undo);
    handle(&mut h, Command::Undo);
    assert_eq!(h.state().session.inspection().term_of(CHAINS[0], Term::Speed).expect("a term").curve, None);
}

#[test]
fn a_slider_that_ends_says_so() {
    let mut shown = desk();
    let conversion = convert(shown.session.document(), shown.session.character(), SolverKind::Vrm);
    let edit = conversion.edit(shown.session.document());
    shown.session.handle(Command::Apply(edit, yuremono::document::Label::new("set", 1)));
    let mut h = harness(shown);
    select_joint(&mut h, CHAINS[0], 0);
    type_into(&mut h, "Settle", "0.01");
    let least = value(&h, Term::Settle);
    assert!((0.05..0.3).contains(&least), "{least}");
    assert!(h.state().session.inspection().term_view(Term::Settle).stops);
    assert!(h.query_by_label_contains("It ends at").is_some());
    type_into(&mut h, "Settle", "0.5");
    assert!(h.query_by_label_contains("It ends at").is_none());
}

#[test]
fn the_section_folds_away() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 0);
    h.get_by_label("Collapse Feel").click();
    h.run();
    assert!(h.query_by_role_and_label(Role::Slider, "Speed").is_none());
    let from = slider(&h, "Stiffness").center();
    drag(&mut h, from, from + vec2(5.0, 0.0));
}
