//! Tests the ring editor in the window: a ring is made, its keys are dragged, and every joint gets the expected value.

use super::support::figure::{self, COLUMNS, ROWS};
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, Shape};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{CurveRef, DrawerTab, Prefs};
use yuremono_model::document::param_edits::{EditTargets, set_param};
use yuremono_model::document::{ChainId, Document, Edit, EditLabel};
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::params::{MIN_RING_FACTOR, set_feel};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamId, find_param};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::spring_bone::STIFFNESS;
use yuremono_sim::{FeelParam, SolverKind};

type Window = Harness<'static, WindowFixture>;

const WIDE: [f32; 2] = [1440.0, 900.0];
const NARROW: [f32; 2] = [1280.0, 720.0];
/// The column at the front. Column `i` is at 45° times `i`, counted to the left side.
const FRONT: ChainId = ChainId(2);
/// Shares of the radius of the ring editor: the circles with the factors 0 and 1.
const HOLE: f32 = 0.12;
const LEVEL: f32 = 0.56;

fn fixture(prefs: Prefs) -> WindowFixture {
    let character = figure::character();
    let mut document = figure::document(&character);
    let targets = EditTargets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
    for (term, value) in [(FeelParam::Speed, 2.5), (FeelParam::Settling, 0.5), (FeelParam::Weight, 2.0)] {
        let edit = set_feel(&document, &character.skeleton, &targets, term, value);
        document.apply(edit).expect("the edit applies");
    }
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    let root = session.document().chains[&FRONT].root();
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    WindowFixture::new(session, Prefs { reduce_motion: true, ..prefs })
}

fn show_curve(h: &mut Window, shown: CurveRef) {
    h.state_mut().ui.state_mut().drawer_tab = Some(DrawerTab::Curves);
    h.state_mut().ui.state_mut().shown_curve = Some(shown);
    h.run_steps(3);
}

/// Opens the editor with a ring of all columns.
fn open_ring(shown: CurveRef) -> Window {
    let mut h = window_harness(fixture(Prefs::default()), WIDE);
    show_curve(&mut h, shown);
    click(&mut h, "Make ring of 8 chains");
    h
}

fn click(h: &mut Window, label: &str) {
    h.get_by_role_and_label(Role::Button, label).click();
    h.run_steps(3);
}

fn move_pointer(h: &mut Window, at: Pos2) {
    h.event(Event::PointerMoved(at));
    h.run_steps(2);
}

fn press(h: &mut Window, at: Pos2, pressed: bool) {
    h.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    h.run_steps(2);
}

fn key(h: &mut Window, modifiers: Modifiers, key: Key) {
    h.key_press_modifiers(modifiers, key);
    h.run_steps(3);
}

fn handle(h: &Window, name: &str, degrees: &str) -> Rect {
    h.get_by_role_and_label(Role::Slider, &format!("{name} around the ring {degrees}°")).rect()
}

/// Starts to drag a handle with the factor 1 to another factor.
fn start_drag(h: &mut Window, name: &str, degrees: &str, factor: f32) -> Pos2 {
    let centre = h.get_by_role_and_label(Role::Image, &format!("{name} around the ring")).rect().center();
    let from = handle(h, name, degrees).center();
    let to = centre + (from - centre) * ((HOLE + (1.0 - HOLE) * factor / 2.0) / LEVEL);
    move_pointer(h, from);
    press(h, from, true);
    move_pointer(h, from.lerp(to, 0.5));
    move_pointer(h, to);
    to
}

fn drag(h: &mut Window, name: &str, degrees: &str, factor: f32) {
    let to = start_drag(h, name, degrees, factor);
    press(h, to, false);
}

/// Returns the values that the solver gets for a joint of each column, from the front to the left.
fn values(document: &Document, session: &Session, row: usize, param: ParamId) -> Vec<f32> {
    let resolved = document.resolve(&session.character().skeleton);
    let joints: Vec<_> = resolved.systems.iter().flat_map(|system| &system.joints).collect();
    let value = |column: u32| {
        let bone = document.chains[&ChainId(FRONT.0 + column)].joints[row].bone;
        joints.iter().find(|joint| joint.bone == bone).expect("a joint").values.get(param)
    };
    (0..COLUMNS as u32).map(value).collect()
}

/// Checks the factors of the stiffness of all joints, from the front to the left.
fn check_factors(h: &Window, before: &Document, expected: [f32; COLUMNS]) {
    let session = &h.state().session;
    for row in 0..ROWS {
        let then = values(before, session, row, STIFFNESS);
        let now = values(session.document(), session, row, STIFFNESS);
        for column in 0..COLUMNS {
            let factor = now[column] / then[column];
            assert!((factor - expected[column]).abs() < 1e-3, "row {row}, column {column}: {factor}, not {expected:?}");
        }
    }
}

#[test]
fn a_dragged_key_of_a_new_ring_multiplies_the_values_of_all_joints_and_undo_restores_them() {
    let mut h = open_ring(CurveRef::Param(STIFFNESS));
    let before = h.state().session.document().clone();
    assert!(
        before.chains.iter().all(|(id, chain)| (*id >= FRONT) == chain.ring.is_some()),
        "all columns are in the ring"
    );
    let steps = h.state().session.history().unsaved_steps();
    drag(&mut h, "Stiffness", "180", 0.5);
    check_factors(&h, &before, [1.0, 1.0, 1.0, 0.75, 0.5, 0.75, 1.0, 1.0]);
    drag(&mut h, "Stiffness", "-90", 1.6);
    check_factors(&h, &before, [1.0, 1.3, 1.6, 1.05, 0.5, 1.05, 1.6, 1.3]);
    assert_eq!(h.state().session.history().unsaved_steps(), steps + 2, "a drag is one undo step");
    key(&mut h, Modifiers::COMMAND, Key::Z);
    check_factors(&h, &before, [1.0, 1.0, 1.0, 0.75, 0.5, 0.75, 1.0, 1.0]);
    key(&mut h, Modifiers::COMMAND, Key::Z);
    assert_eq!(*h.state().session.document(), before);
    key(&mut h, Modifiers::COMMAND, Key::Z);
    assert!(h.state().session.document().chains.values().all(|chain| chain.ring.is_none()), "the ring is gone");
}

/// Returns the lowest and the highest value in the row of the stiffness.
fn shown_stiffness(h: &Window) -> (f32, f32) {
    h.state().session.inspection().param_view(STIFFNESS).values.range().expect("a value")
}

#[test]
fn the_inspector_shows_and_sets_the_value_that_the_ring_results_in() {
    let mut h = open_ring(CurveRef::Param(STIFFNESS));
    let (front, _) = shown_stiffness(&h);
    drag(&mut h, "Stiffness", "180", 0.5);
    let root = |h: &Window, column: u32| h.state().session.document().chains[&ChainId(FRONT.0 + column)].root();
    let (first, back) = (root(&h, 0), root(&h, 4));
    let select = |h: &mut Window, bones: Vec<BoneId>| {
        h.state_mut().session.handle(Command::Select(bones, SelectMode::Replace));
        h.run_steps(3);
    };
    select(&mut h, vec![back]);
    let (low, high) = shown_stiffness(&h);
    assert!(low == high && (low / front - 0.5).abs() < 1e-3, "half of {front} at the back, not {low} to {high}");
    let before = h.state().session.document().clone();
    h.state_mut().session.handle(Command::SetParam(STIFFNESS, 2.0 * low));
    assert_eq!(shown_stiffness(&h), (2.0 * low, 2.0 * low), "the row shows the number that was set");
    check_factors(&h, &before, [1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
    h.state_mut().session.handle(Command::Undo);
    select(&mut h, vec![first, back]);
    let (low, high) = shown_stiffness(&h);
    assert!((low / high - 0.5).abs() < 1e-3 && high == front, "front and back differ: {low} to {high}");
    assert!(has_text(&h, "by ring"), "the row says why");
}

#[test]
fn the_inspector_shows_and_sets_the_feel_that_the_ring_results_in() {
    let mut h = open_ring(CurveRef::Feel(FeelParam::Speed));
    let before = feel(&h, FeelParam::Speed);
    drag(&mut h, "Speed", "180", 0.6);
    let back = h.state().session.document().chains[&ChainId(FRONT.0 + 4)].root();
    h.state_mut().session.handle(Command::Select(vec![back], SelectMode::Replace));
    let shown = |h: &Window| {
        h.state().session.inspection().feel_param_view(FeelParam::Speed).values.range().expect("a value").1
    };
    assert!((shown(&h) / before[4] - 0.6).abs() < 0.01, "{} of {}", shown(&h), before[4]);
    let wanted = 0.9 * before[4];
    h.state_mut().session.handle(Command::SetFeel(FeelParam::Speed, wanted));
    assert!((shown(&h) / wanted - 1.0).abs() < 0.01, "{} instead of {wanted}", shown(&h));
    let after = feel(&h, FeelParam::Speed);
    assert!((after[4] / wanted - 1.0).abs() < 0.01, "the joints swing at {} instead of {wanted}", after[4]);
    assert!((after[0] / before[0] - 1.0).abs() < 0.01, "the front stays");
}

#[test]
fn escape_cancels_a_drag_and_a_double_click_or_the_reset_of_the_row_levels_the_ring() {
    let mut h = open_ring(CurveRef::Param(STIFFNESS));
    let before = h.state().session.document().clone();
    let at = start_drag(&mut h, "Stiffness", "0", 0.4);
    check_factors(&h, &before, [0.4, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0, 0.7]);
    key(&mut h, Modifiers::NONE, Key::Escape);
    press(&mut h, at, false);
    assert_eq!(*h.state().session.document(), before);

    drag(&mut h, "Stiffness", "0", 0.4);
    let pos = handle(&h, "Stiffness", "0").center();
    // Both clicks are in one frame, because the harness takes a quarter of a second for a frame.
    for pressed in [true, false, true, false] {
        let button = PointerButton::Primary;
        h.input_mut().events.push(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
    }
    h.run_steps(3);
    assert_eq!(*h.state().session.document(), before, "a level ring stores no curve");

    drag(&mut h, "Stiffness", "0", 0.4);
    click(&mut h, "Reset Stiffness");
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn sides_are_independent_without_symmetry_and_numbers_can_be_typed() {
    let mut h = open_ring(CurveRef::Param(STIFFNESS));
    let before = h.state().session.document().clone();
    h.get_by_role_and_label(Role::CheckBox, "Symmetric").click();
    h.run_steps(3);
    drag(&mut h, "Stiffness", "90", 0.5);
    check_factors(&h, &before, [1.0, 0.75, 0.5, 0.75, 1.0, 1.0, 1.0, 1.0]);
    h.get_by_role_and_label(Role::SpinButton, "Right").click();
    h.run_steps(3);
    h.get_by_role_and_label(Role::TextInput, "Right").type_text("3");
    h.run_steps(2);
    key(&mut h, Modifiers::NONE, Key::Enter);
    check_factors(&h, &before, [1.0, 0.75, 0.5, 0.75, 1.0, 2.0, 3.0, 2.0]);
    click(&mut h, "Dissolve ring");
    check_factors(&h, &before, [1.0; COLUMNS]);
    assert!(h.query_by_role_and_label(Role::Button, "Make ring of 8 chains").is_some());
}

/// Returns the feel of the first joint of each column, from the front to the left.
fn feel(h: &Window, term: FeelParam) -> Vec<f32> {
    let session = &h.state().session;
    let column = |column: u32| session.inspection().feel_joint_values(ChainId(FRONT.0 + column), term)[0].1;
    (0..COLUMNS as u32).map(column).collect()
}

#[test]
fn the_ring_of_a_feel_term_multiplies_the_term_and_keeps_the_other_terms() {
    let mut h = open_ring(CurveRef::Feel(FeelParam::Speed));
    let before = h.state().session.document().clone();
    let [speed, settling] = [FeelParam::Speed, FeelParam::Settling].map(|term| feel(&h, term));
    drag(&mut h, "Speed", "180", 0.5);
    let expected = [1.0, 1.0, 1.0, 0.75, 0.5, 0.75, 1.0, 1.0];
    for column in 0..COLUMNS {
        let factor = feel(&h, FeelParam::Speed)[column] / speed[column];
        assert!((factor - expected[column]).abs() < 5e-3, "column {column} has the factor {factor}");
        let factor = feel(&h, FeelParam::Settling)[column] / settling[column];
        assert!((factor - 1.0).abs() < 5e-3, "column {column}: the settling has the factor {factor}");
    }
    let session = &h.state().session;
    let stiffness = [0, 4].map(|column| values(session.document(), session, 0, STIFFNESS)[column]);
    assert!(stiffness[1] < 0.3 * stiffness[0], "the stiffness follows the square of the speed: {stiffness:?}");
    assert_eq!(
        session.document().chains[&FRONT].values[STIFFNESS.index()].base,
        before.chains[&FRONT].values[STIFFNESS.index()].base
    );
    assert!(
        h.query_by_role_and_label(Role::Slider, "Speed around the ring 45°").is_none(),
        "the keys of the artist stay"
    );
    click(&mut h, "Reset Speed");
    for (now, then) in feel(&h, FeelParam::Speed).iter().zip(&speed) {
        assert!((now / then - 1.0).abs() < 5e-3, "{now} after a reset, not {then}");
    }
    key(&mut h, Modifiers::COMMAND, Key::Z);
    key(&mut h, Modifiers::COMMAND, Key::Z);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_ring_multiplies_the_max_angle_once_there_is_a_limit() {
    let mut h = open_ring(CurveRef::Feel(FeelParam::MaxAngle));
    let sentence = "No angle limit is on, so the ring has nothing to multiply. Set the base value of Max angle first.";
    assert!(has_text(&h, sentence));
    assert!(h.query_by_role_and_label(Role::Image, "Max angle around the ring").is_none());
    let columns: Vec<ChainId> = (0..COLUMNS as u32).map(|column| ChainId(FRONT.0 + column)).collect();
    h.state_mut().session.handle(Command::SetFeelBase(columns, FeelParam::MaxAngle, 60.0));
    h.run_steps(3);
    assert!(!has_text(&h, sentence));
    drag(&mut h, "Max angle", "0", 0.5);
    let found = feel(&h, FeelParam::MaxAngle);
    let expected = [30.0, 45.0, 60.0, 60.0, 60.0, 60.0, 60.0, 45.0];
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.1), "{found:?}");
}

#[test]
fn a_feel_term_at_its_smallest_factor_can_be_raised_again() {
    let mut h = open_ring(CurveRef::Feel(FeelParam::Speed));
    let before = [FeelParam::Speed, FeelParam::Settling].map(|term| feel(&h, term));
    drag(&mut h, "Speed", "0", 0.0);
    let factor = feel(&h, FeelParam::Speed)[0] / before[0][0];
    assert!((factor - MIN_RING_FACTOR).abs() < 5e-3, "{factor}");
    h.get_by_role_and_label(Role::SpinButton, "Front").click();
    h.run_steps(3);
    h.get_by_role_and_label(Role::TextInput, "Front").type_text("1");
    h.run_steps(2);
    key(&mut h, Modifiers::NONE, Key::Enter);
    for (term, before) in [FeelParam::Speed, FeelParam::Settling].into_iter().zip(before) {
        let factor = feel(&h, term)[0] / before[0];
        assert!((factor - 1.0).abs() < 0.02, "{term:?} has the factor {factor}");
    }
}

/// Opens the curve of a feel term for a ring of another solver. `change` changes the converted document.
fn open_ring_of(solver: SolverKind, term: FeelParam, change: impl FnOnce(&Document, &Character) -> Edit) -> Window {
    let mut fixture = fixture(Prefs::default());
    let session = &mut fixture.session;
    let label = EditLabel::new(message!("Import {n:row|rows}", n = 1));
    let edit = convert(session.document(), session.character(), solver).edit(session.document());
    session.handle(Command::ApplyEdit(edit, label.clone()));
    session.handle(Command::ApplyEdit(change(session.document(), session.character()), label));
    let mut h = window_harness(fixture, WIDE);
    show_curve(&mut h, CurveRef::Feel(term));
    click(&mut h, "Make ring of 8 chains");
    h
}

#[test]
fn a_term_that_needs_a_value_of_0_leads_to_its_parameter() {
    let damping = find_param(SolverKind::EzSoftBone.info().params, "m_Damping").expect("a parameter");
    let mut h = open_ring_of(SolverKind::EzSoftBone, FeelParam::Settling, |document, character| {
        let targets = EditTargets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
        set_param(document, &character.skeleton, &targets, damping, 0.0)
    });
    assert!(has_text(&h, "With the present values, no ring curve of a parameter can multiply Settling."));
    assert!(h.query_by_role_and_label(Role::Image, "Settling around the ring").is_none());
    click(&mut h, "Show Damping");
    assert_eq!(h.state_mut().ui.state_mut().shown_curve, Some(CurveRef::Param(damping)));
    assert!(h.query_by_role_and_label(Role::Image, "Damping around the ring").is_some());
}

#[test]
fn a_term_whose_parameters_have_no_curves_says_so() {
    let h = open_ring_of(SolverKind::AnimDynamics, FeelParam::MaxAngle, |document, character| {
        let targets = EditTargets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
        set_feel(document, &character.skeleton, &targets, FeelParam::MaxAngle, 60.0)
    });
    assert!(has_text(&h, "The parameters of Max angle have no curves in this solver."));
    assert!(h.query_by_role_and_label(Role::Image, "Max angle around the ring").is_none());
}

/// Returns whether a text is painted, in full.
fn has_text(h: &Window, words: &str) -> bool {
    fn contains(shape: &Shape, words: &str) -> bool {
        match shape {
            Shape::Vec(all) => all.iter().any(|shape| contains(shape, words)),
            Shape::Text(text) => text.galley.text() == words && !text.galley.elided,
            _ => false,
        }
    }
    h.output().shapes.iter().any(|clipped| contains(&clipped.shape, words))
}

#[test]
fn the_ring_and_the_fields_of_the_curve_can_be_reached_in_both_languages_at_both_sizes() {
    for (lang, base, key, along, around, make, back) in [
        (Lang::En, "Base value", "Key", "Along", "Around", "Make ring of 8 chains", "Back"),
        (Lang::Ja, "基準値", "キー", "長さ方向", "周方向", "8本のリングを作成", "後ろ"),
    ] {
        for size in [WIDE, NARROW] {
            let mut h = window_harness(fixture(Prefs { lang, ..Prefs::default() }), size);
            show_curve(&mut h, CurveRef::Param(STIFFNESS));
            assert!(has_text(&h, base) && has_text(&h, key), "{lang:?} {size:?}: labels are whole beside the offer");
            click(&mut h, make);
            let is_narrow = size[0] < WIDE[0];
            assert!(has_text(&h, base) && has_text(&h, key), "{lang:?} {size:?}: labels are whole");
            assert_eq!(has_text(&h, back), !is_narrow, "{lang:?} {size:?}");
            assert_eq!(h.query_by_role_and_label(Role::RadioButton, around).is_some(), is_narrow);
            if !is_narrow {
                continue;
            }
            h.get_by_role_and_label(Role::RadioButton, around).click();
            h.run_steps(3);
            assert!(has_text(&h, back) && !has_text(&h, base), "{lang:?}: the ring replaces the fields");
            h.get_by_role_and_label(Role::RadioButton, along).click();
            h.run_steps(3);
            assert!(has_text(&h, base) && !has_text(&h, back), "{lang:?}: the fields are back");
        }
    }
}

#[test]
fn pictures_of_the_ring_editor() {
    for (mode, lang, size, name) in
        [(ThemeMode::Light, Lang::En, WIDE, "ring-light.png"), (ThemeMode::Dark, Lang::Ja, NARROW, "ring-dark-ja.png")]
    {
        let Some(mut h) = painted_harness(fixture(Prefs { mode, lang, ..Prefs::default() }), size, 1.0) else { return };
        show_curve(&mut h, CurveRef::Feel(FeelParam::Speed));
        click(&mut h, if lang == Lang::En { "Make ring of 8 chains" } else { "8本のリングを作成" });
        save_picture(&mut h, name);
    }
}
