//! Curves of a component as an artist draws them.

use super::component::{extras, under, undo};
use super::desk::{CHAINS, Desk, desk, drag, harness, select_joint};
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::document::{Course, Extras, Label, Node, Side, SideCurve, System};
use yuremono::math::{Curve, CurveShape};
use yuremono::rig::BoneId;
use yuremono::session::{Command, ComponentTool, Scope};
use yuremono::sim::SolverKind;
use yuremono::tools::components;
use yuremono::ui::{CurveOf, DrawerTab};

const Z: SideCurve = SideCurve { side: Side::ForceField, entry: 0, curve: 2 };
const RESPONSE: SideCurve = SideCurve { side: Side::SyncBones, entry: 0, curve: 0 };

fn change(h: &mut Harness<'_, Desk>, change: impl FnOnce(&mut System)) {
    let changed = components::step(
        h.state().session.document(),
        h.state().session.inspection().system_id(),
        Label::new("component_side", 1),
        change,
    );
    let (edit, label) = changed.expect("it differs");
    h.state_mut().session.handle(Command::Apply(edit, label));
    assert!(crate::support::nothing_refused(&h.state().session));
    h.run();
}

/// A force field that swings by curves.
fn field() -> Harness<'static, Desk> {
    let mut h = under(SolverKind::EzSoftBone);
    change(&mut h, |system| {
        system.extras.set(Side::ForceField, Some(Node::Bone(BoneId(0))));
        system.extras.set_field(Side::ForceField, 0, 4, 1.0);
    });
    h
}

/// Two bones that lead others, the first by a line of three points.
fn led() -> Harness<'static, Desk> {
    let mut h = under(SolverKind::KawaiiPhysics);
    change(&mut h, |system| {
        for first in [0, 1] {
            let nodes: Vec<_> = (first..first + 3).map(|bone| Node::Bone(BoneId(bone))).collect();
            system.extras.add(Side::SyncBones, &nodes);
        }
        let Extras::Kawaii(own) = &mut system.extras else { panic!("it is under it") };
        own.sync_bones[0].by_distance = vec![[0.0, 1.0], [0.123, 0.5], [0.3, 0.25]];
    });
    // Several entries begin folded.
    h.get_by_label_contains("Expand Hips").click();
    h.run();
    h
}

fn course(h: &Harness<'_, Desk>, of: SideCurve) -> Course {
    extras(h).course(of, None).expect("it has one")
}

fn open(h: &mut Harness<'_, Desk>, name: &str) {
    h.get_by_role_and_label(Role::Button, &format!("Curve of {name}")).click();
    h.run();
}

fn type_into(h: &mut Harness<'_, Desk>, name: &str, text: &str) {
    h.get_by_role_and_label(Role::SpinButton, name).click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, name).type_text(text);
    h.run();
    h.key_press(Key::Enter);
    h.run();
}

#[test]
fn the_thumb_of_a_swing_opens_its_curve_and_a_dragged_key_is_one_step() {
    let mut h = field();
    open(&mut h, "Swing Z");
    let z = Some(CurveOf::side(&h.state().session, Z));
    let shared = h.state_mut().ui.shared_mut();
    assert_eq!((shared.drawer, shared.curve), (Some(DrawerTab::Curves), z));
    let before = h.state().session.document().clone();
    let [x, z] = [SideCurve { curve: 0, ..Z }, Z].map(|of| course(&h, of));
    let key = h.get_by_label("Key 1 of Swing Z").rect().center();
    drag(&mut h, key, key + vec2(60.0, 40.0));
    let now = course(&h, Z).curve.keys()[0];
    assert!(now.value < z.curve.keys()[0].value - 0.1 && now.t > 0.02, "{now:?}");
    assert_eq!(course(&h, SideCurve { curve: 0, ..Z }), x, "the other axes stay");
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
    // Another click puts the drawer away.
    open(&mut h, "Swing Z");
    assert_eq!(h.state_mut().ui.shared_mut().drawer, None);
}

#[test]
fn a_drag_is_felt_at_every_move_and_esc_puts_back() {
    let mut h = field();
    open(&mut h, "Swing X");
    let of = SideCurve { curve: 0, ..Z };
    let (before, step) = (h.state().session.document().clone(), h.state().session.history().current());
    let key = h.get_by_label("Key 2 of Swing X").rect().center();
    h.hover_at(key);
    h.run();
    h.drag_at(key);
    h.run();
    let mut seen = Vec::new();
    for down in [15.0, 30.0, 45.0] {
        h.hover_at(key + vec2(0.0, down));
        h.run();
        let systems = &h.state().session.resolved().systems;
        let field = systems.iter().find_map(|s| s.ez.force_field.as_ref()).expect("the solver has it");
        let yuremono::sim::Turbulence::Curve { curves, .. } = &field.mode else { panic!("by curves") };
        assert_eq!(curves[0], course(&h, of).curve);
        seen.push(curves[0].eval(1.0));
    }
    assert!(seen.windows(2).all(|pair| pair[1] < pair[0] - 0.05), "{seen:?}");
    h.key_press(Key::Escape);
    h.run();
    h.drop_at(key + vec2(0.0, 45.0));
    h.run();
    assert_eq!(*h.state().session.document(), before);
    assert_eq!(h.state().session.history().current(), step, "it is no step");
}

#[test]
fn esc_leaves_no_step_and_every_bit_of_a_response() {
    let mut h = led();
    // Rounding to what is drawn would change these.
    let points = vec![[0.0, 1.0], [0.123_456_79, 0.512_345], [0.333_333_34, 0.25]];
    change(&mut h, |system| {
        let Extras::Kawaii(own) = &mut system.extras else { panic!("it is under it") };
        own.sync_bones[0].by_distance = points.clone();
    });
    open(&mut h, "Response");
    let (before, step) = (h.state().session.document().clone(), h.state().session.history().current());
    let key = h.get_by_label("Key 3 of Response").rect().center();
    h.hover_at(key);
    h.run();
    h.drag_at(key);
    h.run();
    h.hover_at(key + vec2(20.0, 20.0));
    h.run();
    assert_ne!(led_by(&h, 0), points);
    h.key_press(Key::Escape);
    h.run();
    h.drop_at(key + vec2(20.0, 20.0));
    h.run();
    assert_eq!(led_by(&h, 0), points);
    assert_eq!(*h.state().session.document(), before);
    assert_eq!(h.state().session.history().current(), step);
}

#[test]
fn ready_shapes_exact_numbers_the_swing_and_the_cycle_stand_beside_a_curve() {
    let mut h = field();
    open(&mut h, "Swing Z");
    for (name, shape) in [
        ("Even rise", CurveShape::EvenRise),
        ("Soft rise", CurveShape::SoftRise),
        ("Even fall", CurveShape::EvenFall),
        ("Rise and fall", CurveShape::RiseAndFall),
        ("Flat", CurveShape::Flat),
        ("Soft fall", CurveShape::SoftFall),
    ] {
        h.get_by_role_and_label(Role::Button, name).click();
        h.run();
        assert_eq!(course(&h, Z).curve, Curve::shape(shape), "{name}");
    }
    h.get_by_label("Key 2 of Swing Z").click();
    h.run();
    type_into(&mut h, "Place of the key", "1.5");
    type_into(&mut h, "Value of the key", "0.25");
    let key = course(&h, Z).curve.keys()[1];
    assert_eq!((key.t, key.value), (0.75, 0.25), "1.5 of 2 seconds");
    type_into(&mut h, "Base", "3");
    type_into(&mut h, "Cycle", "4");
    assert_eq!([3, 8].map(|field| extras(&h).field(Side::ForceField, 0, field)), [3.0, 4.0]);
    assert_eq!(course(&h, Z).span, [0.0, 4.0]);
    assert_eq!(course(&h, Z).curve.keys()[1], key, "the shape stays, however long it takes");
}

#[test]
fn a_double_click_adds_a_key_and_delete_takes_it_away() {
    let mut h = field();
    open(&mut h, "Swing Z");
    let ends = [1, 2].map(|n| h.get_by_label(&format!("Key {n} of Swing Z")).rect().center());
    let at = ends[0] + (ends[1] - ends[0]) / 2.0;
    h.hover_at(at);
    // The click on the thumb is long ago, or it counts as the first of three.
    (0..60).for_each(|_| h.step());
    for _ in 0..2 {
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            h.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
            h.step();
        }
    }
    h.run();
    assert_eq!(course(&h, Z).curve.keys().len(), 3);
    h.key_press(Key::Delete);
    h.run();
    assert_eq!(course(&h, Z).curve, Curve::shape(CurveShape::SoftFall));
}

#[test]
fn the_drawer_offers_the_components_curves_beside_those_of_the_chain_until_they_go() {
    let mut h = field();
    open(&mut h, "Swing Y");
    h.get_by_role_and_label(Role::ComboBox, "Curve to edit").click();
    h.run();
    let offered = ["Swing X", "Swing Y", "Swing Z", "Damping"];
    assert!(offered.iter().all(|name| h.query_by_role_and_label(Role::Button, name).is_some()));
    h.get_by_role_and_label(Role::Button, "Swing Z").click();
    h.run();
    let z = CurveOf::side(&h.state().session, Z);
    assert_eq!(h.state_mut().ui.shared_mut().curve, Some(z));
    change(&mut h, |system| system.extras.set_field(Side::ForceField, 0, 4, 0.0));
    assert!(h.query_by_label("Key 1 of Swing Z").is_none(), "noise has no curves");
    assert!(h.query_by_role_and_label(Role::Button, "Curve of Swing Z").is_none());
    undo(&mut h);
    assert!(h.query_by_label("Key 1 of Swing Z").is_some());
}

#[test]
fn the_response_of_a_bone_that_leads_is_drawn_over_metres_and_keeps_what_is_not_touched() {
    let mut h = led();
    open(&mut h, "Response");
    let points = |h: &Harness<'_, Desk>| {
        let Extras::Kawaii(own) = extras(h) else { panic!("it is under it") };
        own.sync_bones[0].by_distance.clone()
    };
    let before = points(&h);
    let key = h.get_by_label("Key 3 of Response").rect().center();
    drag(&mut h, key, key + vec2(30.0, 20.0));
    let now = points(&h);
    assert_eq!(now[..2], before[..2]);
    assert!(now[2][0] > 0.31 && now[2][0] <= 0.5 && now[2][1] < 0.2, "{now:?}");
    undo(&mut h);
    assert_eq!(points(&h), before);
    h.get_by_label("Key 2 of Response").click();
    h.run();
    type_into(&mut h, "Place of the key", "200");
    assert_eq!(points(&h), [[0.0, 1.0], [0.2, 0.5], [0.3, 0.25]], "millimetres, as they are shown");
    type_into(&mut h, "Up to", "1 m");
    let key = h.get_by_label("Key 3 of Response").rect().center();
    drag(&mut h, key, key + vec2(150.0, 0.0));
    assert!(points(&h)[2][0] > 0.4, "there is room now: {:?}", points(&h));
    assert_eq!(points(&h)[..2], [[0.0, 1.0], [0.2, 0.5]]);
    h.get_by_role_and_label(Role::Button, "Flat").click();
    h.run();
    assert!(points(&h).is_empty(), "1 everywhere");
    assert!(h.query_by_label("Base").is_none(), "it multiplies no number");
}

/// The second of two bones that lead, with its curve in the drawer.
fn second_of_two() -> Harness<'static, Desk> {
    let mut h = led();
    h.get_by_label_contains("Expand Chest").click();
    h.run();
    let second = CurveOf::side(&h.state().session, SideCurve { entry: 1, ..RESPONSE });
    let shared = h.state_mut().ui.shared_mut();
    (shared.curve, shared.drawer) = (Some(second), Some(DrawerTab::Curves));
    h.run();
    h
}

fn led_by(h: &Harness<'_, Desk>, entry: usize) -> Vec<[f32; 2]> {
    let Extras::Kawaii(own) = extras(h) else { panic!("it is under it") };
    own.sync_bones[entry].by_distance.clone()
}

fn drag_last_of_two(h: &mut Harness<'_, Desk>) {
    assert!(h.query_by_label("Key 3 of Response").is_none(), "the second one is level");
    let key = h.get_by_label("Key 2 of Response").rect().center();
    drag(h, key, key + vec2(0.0, 30.0));
}

#[test]
fn the_drawer_edits_its_entry_whatever_is_removed_and_brought_back_before_it() {
    let mut h = second_of_two();
    let first = led_by(&h, 0);
    change(&mut h, |system| system.extras.remove(Side::SyncBones, 0));
    drag_last_of_two(&mut h);
    assert_eq!((extras(&h).count(Side::SyncBones), led_by(&h, 0).len()), (1, 2));
    undo(&mut h);
    undo(&mut h);
    assert_eq!((led_by(&h, 0), led_by(&h, 1)), (first.clone(), vec![]));
    drag_last_of_two(&mut h);
    assert_eq!((led_by(&h, 0), led_by(&h, 1).len()), (first, 2));
    undo(&mut h);
    change(&mut h, |system| system.extras.remove(Side::SyncBones, 1));
    assert!(h.query_by_label("Key 1 of Response").is_none(), "the first one does not take its place");
    undo(&mut h);
    drag_last_of_two(&mut h);
    assert_eq!(led_by(&h, 1).len(), 2);
}

#[test]
fn a_button_that_removes_an_entry_puts_its_curve_away() {
    let mut h = second_of_two();
    h.get_by_label_contains("Remove Hips").click();
    h.run();
    h.get_by_label("Key 2 of Response");
    h.get_by_label_contains("Remove Chest").click();
    h.run();
    assert!(h.query_by_label_contains("of Response").is_none());
}

#[test]
fn another_component_of_the_same_solver_shows_no_curve_of_the_first() {
    let mut h = led();
    open(&mut h, "Response");
    assert!(h.query_by_label("Key 3 of Response").is_some());
    let entries = extras(&h).clone();
    // The tuned chain gets a component of its own, with the same entries.
    h.state_mut().session.handle(Command::RunComponentTool(ComponentTool::Split));
    h.run();
    let ids = CHAINS.map(|chain| {
        select_joint(&mut h, chain, 1);
        if *extras(&h) != entries {
            let entries = entries.clone();
            change(&mut h, |system| system.extras = entries);
        }
        h.state().session.inspection().system_id()
    });
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| h.state().session.document().systems[id].extras == entries));
    let shown = CHAINS.map(|chain| {
        select_joint(&mut h, chain, 1);
        h.query_by_label("Key 3 of Response").is_some()
    });
    assert_ne!(shown[0], shown[1], "{shown:?}");
}

#[test]
fn curves_of_entries_are_told_apart_where_one_is_chosen() {
    let mut h = second_of_two();
    h.get_by_role_and_label(Role::ComboBox, "Curve to edit").click();
    h.run();
    h.get_by_role_and_label(Role::Button, "Response · Hips, shifts 2 bones").click();
    h.run();
    assert!(h.query_by_label("Key 3 of Response").is_some(), "the first one has three");
}

#[test]
fn a_place_that_is_typed_beyond_what_is_seen_widens_it() {
    let mut h = led();
    open(&mut h, "Response");
    h.get_by_label("Key 3 of Response").click();
    h.run();
    type_into(&mut h, "Place of the key", "700");
    assert_eq!(led_by(&h, 0), [[0.0, 1.0], [0.123, 0.5], [0.7, 0.25]]);
    h.get_by_label("Key 3 of Response");
    type_into(&mut h, "Place of the key", "900");
    assert_eq!(led_by(&h, 0)[2], [0.9, 0.25]);
    undo(&mut h);
    undo(&mut h);
    assert_eq!(led_by(&h, 0), [[0.0, 1.0], [0.123, 0.5], [0.3, 0.25]]);
}

#[test]
fn esc_writes_no_curve_of_the_character_before() {
    let mut h = field();
    open(&mut h, "Swing Z");
    let key = h.get_by_label("Key 1 of Swing Z").rect().center();
    drag(&mut h, key, key + vec2(40.0, 40.0));
    let drawn = course(&h, Z);
    let z = Some(CurveOf::side(&h.state().session, Z));
    let ui = &mut h.state_mut().ui;
    ui.character_changed();
    assert_eq!(ui.shared_mut().curve, None);
    ui.shared_mut().curve = z;
    h.run();
    h.key_press(Key::Escape);
    h.run();
    assert_eq!(course(&h, Z), drawn);
}

#[test]
fn a_joint_with_an_own_value_is_drawn_at_that_value() {
    let mut h = harness(desk());
    select_joint(&mut h, CHAINS[0], 3);
    let row = yuremono::schema::find_row(SolverKind::default().info().params, "dragForce").expect("a row of the table");
    let shared = h.state_mut().ui.shared_mut();
    (shared.drawer, shared.curve) = (Some(DrawerTab::Curves), Some(CurveOf::Row(row)));
    for (value, factor) in [(0.11, 0.5), (0.44, 2.0), (0.22, 1.0)] {
        let session = &mut h.state_mut().session;
        session.handle(Command::SetScope(Scope::Joints));
        session.handle(Command::Set(row, value));
        h.run();
        let plot = h.get_by_role_and_label(Role::Image, "Curve of Drag").rect().shrink(6.0);
        let x = h.get_by_label("Joint 04 of Drag").rect().center().x;
        let tallest = f32::max(1.0, factor);
        let y = plot.bottom() - plot.height() * factor / tallest;
        let dots = dots_at(&h, x);
        assert!(dots.iter().any(|dot| (dot - y).abs() < 0.6), "{value} at {y}: {dots:?}");
        assert!(dots.iter().all(|dot| (dot - y).abs() < 0.6), "{value}: no second dot on the curve, {dots:?}");
    }
}

/// Heights of the dots that are painted over a place of the axis.
fn dots_at(h: &Harness<'_, Desk>, x: f32) -> Vec<f32> {
    let circles = h.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
        egui::Shape::Circle(circle) if (circle.center.x - x).abs() < 0.6 && circle.radius < 6.0 => {
            Some(circle.center.y)
        }
        _ => None,
    });
    let plot = h.get_by_role_and_label(Role::Image, "Curve of Drag").rect();
    circles.filter(|y| plot.y_range().contains(*y)).collect()
}
