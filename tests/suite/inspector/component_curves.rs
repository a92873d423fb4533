//! Tests edits of a component's curves.

use super::component::{component_lists, fixture_with_solver, undo};
use super::fixture::{CHAINS, InspectorFixture, drag, harness, select_joint, twin_tail_fixture};
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::ui::{CurveRef, DrawerTab};
use yuremono_model::document::{ComponentLists, EditLabel, ListCurve, ListCurveId, ListKind, Node, System};
use yuremono_model::tools::components;
use yuremono_session::{Command, ComponentTool, TuningScope};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::rig::BoneId;

const Z_CURVE: ListCurveId = ListCurveId { list: ListKind::ForceField, entry: 0, curve: 2 };
const RESPONSE_CURVE: ListCurveId = ListCurveId { list: ListKind::SyncBones, entry: 0, curve: 0 };

fn edit_system(h: &mut Harness<'_, InspectorFixture>, change: impl FnOnce(&mut System)) {
    let changed = components::labeled_system_edit(
        h.state().session.document(),
        h.state().session.inspection().system_id(),
        EditLabel::new(message!("Set reference")),
        change,
    );
    let (edit, label) = changed.expect("it differs");
    h.state_mut().session.handle(Command::ApplyEdit(edit, label));
    assert!(crate::support::no_edit_rejected(&h.state().session));
    h.run();
}

/// Returns a force field whose turbulence follows curves.
fn force_field_fixture() -> Harness<'static, InspectorFixture> {
    let mut h = fixture_with_solver(SolverKind::EzSoftBone);
    edit_system(&mut h, |system| {
        system.component_lists.set_node(ListKind::ForceField, Some(Node::Bone(BoneId(0))));
        system.component_lists.set_field(ListKind::ForceField, 0, 4, 1.0);
    });
    h
}

/// Returns two sync bones; the first has a curve with three points.
fn sync_bone_fixture() -> Harness<'static, InspectorFixture> {
    let mut h = fixture_with_solver(SolverKind::KawaiiPhysics);
    edit_system(&mut h, |system| {
        for first in [0, 1] {
            let nodes: Vec<_> = (first..first + 3).map(|bone| Node::Bone(BoneId(bone))).collect();
            system.component_lists.add_entries(ListKind::SyncBones, &nodes);
        }
        let ComponentLists::Kawaii(own) = &mut system.component_lists else { panic!("a KawaiiPhysics system") };
        own.sync_bones[0].scale_by_distance = vec![[0.0, 1.0], [0.123, 0.5], [0.3, 0.25]];
    });
    // Lists with several entries start collapsed.
    h.get_by_label_contains("Expand Hips").click();
    h.run();
    h
}

fn list_curve(h: &Harness<'_, InspectorFixture>, of: ListCurveId) -> ListCurve {
    component_lists(h).list_curve(of, None).expect("it has one")
}

fn open_curve(h: &mut Harness<'_, InspectorFixture>, name: &str) {
    h.get_by_role_and_label(Role::Button, &format!("Curve of {name}")).click();
    h.run();
}

fn type_into_spin_button(h: &mut Harness<'_, InspectorFixture>, name: &str, text: &str) {
    h.get_by_role_and_label(Role::SpinButton, name).click();
    h.run();
    h.get_by_role_and_label(Role::TextInput, name).type_text(text);
    h.run();
    h.key_press(Key::Enter);
    h.run();
}

#[test]
fn the_thumbnail_opens_the_turbulence_curve_and_dragging_a_key_is_one_undo_step() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing Z");
    let z = Some(CurveRef::component(&h.state().session, Z_CURVE));
    let shared = h.state_mut().ui.state_mut();
    assert_eq!((shared.drawer_tab, shared.shown_curve), (Some(DrawerTab::Curves), z));
    let before = h.state().session.document().clone();
    let [x, z] = [ListCurveId { curve: 0, ..Z_CURVE }, Z_CURVE].map(|of| list_curve(&h, of));
    let key = h.get_by_label("Key 1 of Swing Z").rect().center();
    drag(&mut h, key, key + vec2(60.0, 40.0));
    let now = list_curve(&h, Z_CURVE).curve.keys()[0];
    assert!(now.value < z.curve.keys()[0].value - 0.1 && now.t > 0.02, "{now:?}");
    assert_eq!(list_curve(&h, ListCurveId { curve: 0, ..Z_CURVE }), x, "the other axes stay");
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
    // Another click closes the drawer.
    open_curve(&mut h, "Swing Z");
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, None);
}

#[test]
fn a_curve_drag_updates_the_solver_at_every_move_and_esc_cancels_it() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing X");
    let of = ListCurveId { curve: 0, ..Z_CURVE };
    let (before, step) = (h.state().session.document().clone(), h.state().session.history().current_state());
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
        let field = systems.iter().find_map(|s| s.ez_soft_bone.force_field.as_ref()).expect("the solver has it");
        let yuremono_sim::Turbulence::Curve { curves, .. } = &field.mode else { panic!("by curves") };
        assert_eq!(curves[0], list_curve(&h, of).curve);
        seen.push(curves[0].eval(1.0));
    }
    assert!(seen.windows(2).all(|pair| pair[1] < pair[0] - 0.05), "{seen:?}");
    h.key_press(Key::Escape);
    h.run();
    h.drop_at(key + vec2(0.0, 45.0));
    h.run();
    assert_eq!(*h.state().session.document(), before);
    assert_eq!(h.state().session.history().current_state(), step, "no undo step is added");
}

#[test]
fn cancelling_with_esc_restores_the_response_exactly_without_an_undo_step() {
    let mut h = sync_bone_fixture();
    // Rounding to the displayed digits would change these values.
    let points = vec![[0.0, 1.0], [0.123_456_79, 0.512_345], [0.333_333_34, 0.25]];
    edit_system(&mut h, |system| {
        let ComponentLists::Kawaii(own) = &mut system.component_lists else { panic!("a KawaiiPhysics system") };
        own.sync_bones[0].scale_by_distance = points.clone();
    });
    open_curve(&mut h, "Response");
    let (before, step) = (h.state().session.document().clone(), h.state().session.history().current_state());
    let key = h.get_by_label("Key 3 of Response").rect().center();
    h.hover_at(key);
    h.run();
    h.drag_at(key);
    h.run();
    h.hover_at(key + vec2(20.0, 20.0));
    h.run();
    assert_ne!(distance_response(&h, 0), points);
    h.key_press(Key::Escape);
    h.run();
    h.drop_at(key + vec2(20.0, 20.0));
    h.run();
    assert_eq!(distance_response(&h, 0), points);
    assert_eq!(*h.state().session.document(), before);
    assert_eq!(h.state().session.history().current_state(), step);
}

#[test]
fn the_curve_editor_offers_preset_shapes_exact_values_amplitude_and_cycle() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing Z");
    for (name, shape) in [
        ("Linear rise", CurveShape::LinearRise),
        ("Smooth rise", CurveShape::SmoothRise),
        ("Linear fall", CurveShape::LinearFall),
        ("Rise and fall", CurveShape::RiseAndFall),
        ("Flat", CurveShape::Flat),
        ("Smooth fall", CurveShape::SmoothFall),
    ] {
        h.get_by_role_and_label(Role::Button, name).click();
        h.run();
        assert_eq!(list_curve(&h, Z_CURVE).curve, Curve::from_shape(shape), "{name}");
    }
    h.get_by_label("Key 2 of Swing Z").click();
    h.run();
    type_into_spin_button(&mut h, "Key position", "1.5");
    type_into_spin_button(&mut h, "Key value", "0.25");
    let key = list_curve(&h, Z_CURVE).curve.keys()[1];
    assert_eq!((key.t, key.value), (0.75, 0.25), "1.5 of 2 seconds");
    type_into_spin_button(&mut h, "Base value", "3");
    type_into_spin_button(&mut h, "Cycle", "4");
    assert_eq!([3, 8].map(|field| component_lists(&h).field(ListKind::ForceField, 0, field)), [3.0, 4.0]);
    assert_eq!(list_curve(&h, Z_CURVE).span, [0.0, 4.0]);
    assert_eq!(list_curve(&h, Z_CURVE).curve.keys()[1], key, "the shape stays at any duration");
}

#[test]
fn a_double_click_adds_a_key_and_delete_removes_it() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing Z");
    let ends = [1, 2].map(|n| h.get_by_label(&format!("Key {n} of Swing Z")).rect().center());
    let at = ends[0] + (ends[1] - ends[0]) / 2.0;
    h.hover_at(at);
    // Let enough time pass after the click on the thumbnail, or it would count as the first of three clicks.
    (0..60).for_each(|_| h.step());
    for _ in 0..2 {
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            h.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
            h.step();
        }
    }
    h.run();
    assert_eq!(list_curve(&h, Z_CURVE).curve.keys().len(), 3);
    h.key_press(Key::Delete);
    h.run();
    assert_eq!(list_curve(&h, Z_CURVE).curve, Curve::from_shape(CurveShape::SmoothFall));
}

#[test]
fn the_drawer_offers_component_curves_next_to_chain_curves_while_they_exist() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing Y");
    h.get_by_role_and_label(Role::ComboBox, "Edited curve").click();
    h.run();
    let offered = ["Swing X", "Swing Y", "Swing Z", "Damping"];
    assert!(offered.iter().all(|name| h.query_by_role_and_label(Role::Button, name).is_some()));
    h.get_by_role_and_label(Role::Button, "Swing Z").click();
    h.run();
    let z = CurveRef::component(&h.state().session, Z_CURVE);
    assert_eq!(h.state_mut().ui.state_mut().shown_curve, Some(z));
    edit_system(&mut h, |system| system.component_lists.set_field(ListKind::ForceField, 0, 4, 0.0));
    assert!(h.query_by_label("Key 1 of Swing Z").is_none(), "noise mode has no curves");
    assert!(h.query_by_role_and_label(Role::Button, "Curve of Swing Z").is_none());
    undo(&mut h);
    assert!(h.query_by_label("Key 1 of Swing Z").is_some());
}

#[test]
fn the_response_of_a_sync_bone_is_drawn_over_metres_and_keeps_untouched_keys() {
    let mut h = sync_bone_fixture();
    open_curve(&mut h, "Response");
    let points = |h: &Harness<'_, InspectorFixture>| {
        let ComponentLists::Kawaii(own) = component_lists(h) else { panic!("a KawaiiPhysics system") };
        own.sync_bones[0].scale_by_distance.clone()
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
    type_into_spin_button(&mut h, "Key position", "200");
    assert_eq!(points(&h), [[0.0, 1.0], [0.2, 0.5], [0.3, 0.25]], "rounded to millimetres, as displayed");
    type_into_spin_button(&mut h, "Up to", "1 m");
    let key = h.get_by_label("Key 3 of Response").rect().center();
    drag(&mut h, key, key + vec2(150.0, 0.0));
    assert!(points(&h)[2][0] > 0.4, "the plot has room now: {:?}", points(&h));
    assert_eq!(points(&h)[..2], [[0.0, 1.0], [0.2, 0.5]]);
    h.get_by_role_and_label(Role::Button, "Flat").click();
    h.run();
    assert!(points(&h).is_empty(), "1 everywhere");
    assert!(h.query_by_label("Base value").is_none(), "the curve has no base value");
}

/// Returns the second of two sync bones, with its curve in the drawer.
fn second_sync_bone_curve() -> Harness<'static, InspectorFixture> {
    let mut h = sync_bone_fixture();
    h.get_by_label_contains("Expand Chest").click();
    h.run();
    let second = CurveRef::component(&h.state().session, ListCurveId { entry: 1, ..RESPONSE_CURVE });
    let shared = h.state_mut().ui.state_mut();
    (shared.shown_curve, shared.drawer_tab) = (Some(second), Some(DrawerTab::Curves));
    h.run();
    h
}

fn distance_response(h: &Harness<'_, InspectorFixture>, entry: usize) -> Vec<[f32; 2]> {
    let ComponentLists::Kawaii(own) = component_lists(h) else { panic!("a KawaiiPhysics system") };
    own.sync_bones[entry].scale_by_distance.clone()
}

fn drag_last_key_of_second(h: &mut Harness<'_, InspectorFixture>) {
    assert!(h.query_by_label("Key 3 of Response").is_none(), "the second curve is flat");
    let key = h.get_by_label("Key 2 of Response").rect().center();
    drag(h, key, key + vec2(0.0, 30.0));
}

#[test]
fn the_drawer_keeps_editing_its_entry_when_an_earlier_entry_is_removed_or_restored() {
    let mut h = second_sync_bone_curve();
    let first = distance_response(&h, 0);
    edit_system(&mut h, |system| system.component_lists.remove_entry(ListKind::SyncBones, 0));
    drag_last_key_of_second(&mut h);
    assert_eq!((component_lists(&h).entry_count(ListKind::SyncBones), distance_response(&h, 0).len()), (1, 2));
    undo(&mut h);
    undo(&mut h);
    assert_eq!((distance_response(&h, 0), distance_response(&h, 1)), (first.clone(), vec![]));
    drag_last_key_of_second(&mut h);
    assert_eq!((distance_response(&h, 0), distance_response(&h, 1).len()), (first, 2));
    undo(&mut h);
    edit_system(&mut h, |system| system.component_lists.remove_entry(ListKind::SyncBones, 1));
    assert!(h.query_by_label("Key 1 of Response").is_none(), "the first curve does not replace it");
    undo(&mut h);
    drag_last_key_of_second(&mut h);
    assert_eq!(distance_response(&h, 1).len(), 2);
}

#[test]
fn removing_an_entry_closes_its_curve() {
    let mut h = second_sync_bone_curve();
    h.get_by_label_contains("Remove Hips").click();
    h.run();
    h.get_by_label("Key 2 of Response");
    h.get_by_label_contains("Remove Chest").click();
    h.run();
    assert!(h.query_by_label_contains("of Response").is_none());
}

#[test]
fn a_component_does_not_show_curves_of_another_component_of_the_same_solver() {
    let mut h = sync_bone_fixture();
    open_curve(&mut h, "Response");
    assert!(h.query_by_label("Key 3 of Response").is_some());
    let entries = component_lists(&h).clone();
    // The selected chain gets its own component with the same entries.
    h.state_mut().session.handle(Command::RunComponentTool(ComponentTool::Split));
    h.run();
    let ids = CHAINS.map(|chain| {
        select_joint(&mut h, chain, 1);
        if *component_lists(&h) != entries {
            let entries = entries.clone();
            edit_system(&mut h, |system| system.component_lists = entries);
        }
        h.state().session.inspection().system_id()
    });
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| h.state().session.document().systems[id].component_lists == entries));
    let shown = CHAINS.map(|chain| {
        select_joint(&mut h, chain, 1);
        h.query_by_label("Key 3 of Response").is_some()
    });
    assert_ne!(shown[0], shown[1], "{shown:?}");
}

#[test]
fn curves_of_different_entries_have_different_names_in_the_list() {
    let mut h = second_sync_bone_curve();
    h.get_by_role_and_label(Role::ComboBox, "Edited curve").click();
    h.run();
    h.get_by_role_and_label(Role::Button, "Response · Hips, moves 2 bones").click();
    h.run();
    assert!(h.query_by_label("Key 3 of Response").is_some(), "the first curve has three keys");
}

#[test]
fn typing_a_key_position_beyond_the_plot_widens_the_plot() {
    let mut h = sync_bone_fixture();
    open_curve(&mut h, "Response");
    h.get_by_label("Key 3 of Response").click();
    h.run();
    type_into_spin_button(&mut h, "Key position", "700");
    assert_eq!(distance_response(&h, 0), [[0.0, 1.0], [0.123, 0.5], [0.7, 0.25]]);
    h.get_by_label("Key 3 of Response");
    type_into_spin_button(&mut h, "Key position", "900");
    assert_eq!(distance_response(&h, 0)[2], [0.9, 0.25]);
    undo(&mut h);
    undo(&mut h);
    assert_eq!(distance_response(&h, 0), [[0.0, 1.0], [0.123, 0.5], [0.3, 0.25]]);
}

#[test]
fn esc_does_not_restore_a_curve_of_the_previous_character() {
    let mut h = force_field_fixture();
    open_curve(&mut h, "Swing Z");
    let key = h.get_by_label("Key 1 of Swing Z").rect().center();
    drag(&mut h, key, key + vec2(40.0, 40.0));
    let drawn = list_curve(&h, Z_CURVE);
    let z = Some(CurveRef::component(&h.state().session, Z_CURVE));
    let ui = &mut h.state_mut().ui;
    ui.forget_character();
    assert_eq!(ui.state_mut().shown_curve, None);
    ui.state_mut().shown_curve = z;
    h.run();
    h.key_press(Key::Escape);
    h.run();
    assert_eq!(list_curve(&h, Z_CURVE), drawn);
}

#[test]
fn a_joint_with_an_override_is_drawn_at_that_value() {
    let mut h = harness(twin_tail_fixture());
    select_joint(&mut h, CHAINS[0], 3);
    let param =
        yuremono_sim::params::find_param(SolverKind::default().info().params, "dragForce").expect("a row of the table");
    let shared = h.state_mut().ui.state_mut();
    (shared.drawer_tab, shared.shown_curve) = (Some(DrawerTab::Curves), Some(CurveRef::Param(param)));
    for (value, factor) in [(0.11, 0.5), (0.44, 2.0), (0.22, 1.0)] {
        let session = &mut h.state_mut().session;
        session.handle(Command::SetTuningScope(TuningScope::Joints));
        session.handle(Command::SetParam(param, value));
        h.run();
        let plot = h.get_by_role_and_label(Role::Image, "Curve of Drag").rect().shrink(6.0);
        let x = h.get_by_label("Joint 04 of Drag").rect().center().x;
        let tallest = f32::max(1.0, factor);
        let y = plot.bottom() - plot.height() * factor / tallest;
        let dots = dot_heights_at(&h, x);
        assert!(dots.iter().any(|dot| (dot - y).abs() < 0.6), "{value} at {y}: {dots:?}");
        assert!(dots.iter().all(|dot| (dot - y).abs() < 0.6), "{value}: a second dot is on the curve, {dots:?}");
    }
}

/// Returns the heights of the dots painted at a position on the axis.
fn dot_heights_at(h: &Harness<'_, InspectorFixture>, x: f32) -> Vec<f32> {
    let circles = h.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
        egui::Shape::Circle(circle) if (circle.center.x - x).abs() < 0.6 && circle.radius < 6.0 => {
            Some(circle.center.y)
        }
        _ => None,
    });
    let plot = h.get_by_role_and_label(Role::Image, "Curve of Drag").rect();
    circles.filter(|y| plot.y_range().contains(*y)).collect()
}
