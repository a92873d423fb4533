//! What goes away while it is in the hand or in a window: undone, deleted, switched off, or with its character.

use super::elements::create_element;
use super::support::find_label;
use super::viewport::{
    ViewportFixture, drag_and_hold, hair_joint, head_handle, move_pointer, reduced_motion_prefs, screen_position,
    select_hair_with_limits, set_pointer_button, viewport_fixture, viewport_harness,
};
use egui::{Key, Modifiers, PointerButton, Pos2, Role, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use std::sync::Arc;
use yuremono::document::{ColliderId, Document, EditLabel};
use yuremono::params::find_param;
use yuremono::session::{Command, SelectMode};
use yuremono::sim::ColliderShape;
use yuremono::tools::{elements, elements::ElementId, elements::NewElement};
use yuremono::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono::ui::actions::Action;
use yuremono::ui::{Confirmation, DialogKind, OutlinerTab, Prefs};

fn document(h: &Harness<'_, ViewportFixture>) -> Document {
    h.state().session.document().clone()
}

fn ask(h: &mut Harness<'_, ViewportFixture>, command: Command) {
    h.state_mut().session.handle(command);
    h.run_steps(2);
}

fn let_go(h: &mut Harness<'_, ViewportFixture>, at: Pos2) {
    set_pointer_button(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

fn delete(h: &mut Harness<'_, ViewportFixture>, part: ElementId) {
    let edit = elements::remove_elements(h.state().session.document(), &[part]);
    ask(h, Command::ApplyEdit(edit, EditLabel::new("remove_parts", 1)));
}

/// A sphere at the hips, and from and to where its radius is dragged from 10 to 20 cm.
fn sphere(h: &mut Harness<'_, ViewportFixture>) -> (ElementId, ColliderId, [Pos2; 2]) {
    let part = create_element(h, NewElement::Sphere, "hips");
    let ElementId::Collider(id) = part else { panic!("a collider") };
    let session = &h.state().session;
    let node = part.node(session.document()).expect("there");
    let at = session.playback().displayed_pose().frame(session.resolved().node_bones[&node]).position;
    let right = h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn").right;
    let ends: [Vec3; 2] = [at + right * 0.1, at + right * 0.2];
    (part, id, ends.map(|end| screen_position(h, end)))
}

/// Two numbers of the character, one after the other: two steps, unless an old drag still gathers them.
#[track_caller]
fn check_edits_are_steps_of_their_own(h: &mut Harness<'_, ViewportFixture>) {
    let row = find_param(h.state().session.document().main_system().param_defs(), "groundHeight").expect("a row");
    ask(h, Command::SetParam(row, 1.0));
    ask(h, Command::SetParam(row, 2.0));
    ask(h, Command::Undo);
    assert_eq!(h.state().session.document().main_system().get(row), 1.0);
}

#[test]
fn a_bar_that_vanishes_in_the_hand_ends_its_drag_all_the_same() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (part, ..) = sphere(&mut h);
    let bar = h.get_by_role_and_label(Role::Slider, "Radius").rect().center();
    drag_and_hold(&mut h, bar, bar + vec2(20.0, 0.0));
    delete(&mut h, part);
    let_go(&mut h, bar);
    check_edits_are_steps_of_their_own(&mut h);
}

#[test]
fn an_item_that_is_deleted_in_the_hand_is_not_brought_back_by_escape() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (part, id, [from, to]) = sphere(&mut h);
    drag_and_hold(&mut h, from, to);
    delete(&mut h, part);
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(!document(&h).colliders.contains_key(&id));
    let_go(&mut h, to);
    check_edits_are_steps_of_their_own(&mut h);
}

#[test]
fn undo_during_a_drag_leaves_one_step_when_the_drag_goes_on() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, id, [from, to]) = sphere(&mut h);
    let before = document(&h);
    drag_and_hold(&mut h, from, to);
    h.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    h.run_steps(2);
    move_pointer(&mut h, to, to + vec2(10.0, 0.0));
    let_go(&mut h, to + vec2(10.0, 0.0));
    let ColliderShape::Sphere { radius, inside: false } = document(&h).colliders[&id].shape else { panic!("a sphere") };
    assert!(radius > 0.19, "{radius}");
    ask(&mut h, Command::Undo);
    assert!(document(&h) == before);
}

#[test]
fn a_newer_version_of_the_character_takes_dragged_bones_out_of_the_hand() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, grip) = head_handle(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 0.0));
    assert_eq!(h.state().session.playback().drags().len(), 1);
    let newer = Arc::new((**h.state().session.character()).clone());
    h.state_mut().session.replace_character(newer);
    move_pointer(&mut h, grip + vec2(60.0, 0.0), grip + vec2(90.0, 0.0));
    assert!(h.state().session.playback().drags().is_empty(), "bones may have other numbers now");
    let_go(&mut h, grip);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 0.0));
    assert_eq!(h.state().session.playback().drags().len(), 1, "the next drag is a drag again");
}

#[test]
fn a_newer_version_of_the_character_ends_a_drag_of_numbers() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, _, [from, to]) = sphere(&mut h);
    drag_and_hold(&mut h, from, to);
    let newer = Arc::new((**h.state().session.character()).clone());
    h.state_mut().session.replace_character(newer);
    h.run_steps(2);
    let after = document(&h);
    move_pointer(&mut h, to, to + vec2(40.0, 0.0));
    assert!(document(&h) == after);
    check_edits_are_steps_of_their_own(&mut h);
    let_go(&mut h, to);
}

/// Whether the question about cleaning up is open, whatever it found.
fn is_asking(h: &Harness<'_, ViewportFixture>) -> bool {
    h.query_all_by_label_contains("Clean up").next().is_some()
        || h.query_all_by_label("Everything is in order.").next().is_some()
}

#[test]
fn escape_goes_to_the_drag_then_to_the_window_then_to_the_selection() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    select_hair_with_limits(&mut h);
    h.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Confirm(Confirmation::CleanUp));
    h.run_steps(3);
    let before = document(&h);
    assert!(is_asking(&h), "the window is there");
    let limit = find_label(&h, Role::Slider, "Y ", ", upper end");
    for name in ["Stiffness", &limit] {
        let bar = h.get_by_role_and_label(Role::Slider, name).rect();
        let (from, to) = (bar.center(), bar.center() - vec2(25.0, 0.0));
        drag_and_hold(&mut h, from, to);
        assert!(document(&h) != before, "{name}");
        h.key_press(Key::Escape);
        h.run_steps(2);
        let_go(&mut h, to);
        assert!(document(&h) == before, "{name} is as it was");
        assert!(is_asking(&h), "{name}: the window heard nothing");
    }
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(!is_asking(&h));
    assert!(!h.state().session.selection().is_empty(), "the window heard it alone");
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(h.state().session.selection().is_empty());
}

#[test]
fn items_alone_can_be_deselected_from_the_menu() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    create_element(&mut h, NewElement::Null, "hips");
    assert_eq!(Action::Deselect.label_key(), "deed.deselect");
    for (role, name) in [(Role::Button, "Edit"), (Role::MenuItem, "Deselect")] {
        h.get_by_role_and_label(role, name).click();
        h.run_steps(3);
    }
    assert!(h.state().session.selection().is_empty());
}

#[test]
fn what_is_asked_about_is_what_is_selected_now() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let roots: Vec<_> = document(&h).chains.iter().map(|(id, chain)| (*id, chain.root())).collect();
    let [(first, root), .., (last, other)] = roots[..] else { panic!("several chains") };
    ask(&mut h, Command::Select(vec![root], SelectMode::Replace));
    h.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Confirm(Confirmation::DeleteJoints));
    h.run_steps(3);
    ask(&mut h, Command::Select(vec![other], SelectMode::Replace));
    h.get_by_role_and_label(Role::Button, "Delete").click();
    h.run_steps(3);
    let chains = document(&h).setup.chains;
    assert!(chains.contains_key(&first) && !chains.contains_key(&last));
}

#[test]
fn a_copied_chain_brings_no_colliders_to_another_character() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    create_element(&mut h, NewElement::Sphere, "head");
    let (bone, _) = hair_joint(&h);
    let session = &mut h.state_mut().session;
    let (from, _) = session.document().find_joint(bone).expect("a joint");
    let skeleton = session.character().skeleton.clone();
    let copied = CopiedChain::from_document(session.document(), &skeleton, from).expect("there");
    assert!(copied.chain.joints.iter().any(|j| !j.colliders.is_empty()), "she has colliders");
    let bare = session.document().chains.keys().copied().filter(|id| *id != from).collect::<Vec<_>>();
    let lists = |document: &Document| {
        let chains = bare.iter().flat_map(|id| &document.chains[id].joints);
        chains.map(|j| j.colliders.clone()).collect::<Vec<_>>()
    };
    let before = lists(session.document());
    let pasted = |copied: &CopiedChain| {
        let mut document = session.document().clone();
        document.apply(paste(&document, &skeleton, copied, &bare, PasteTarget::ALL)).expect("applies");
        lists(&document)
    };
    assert_ne!(pasted(&copied), before, "on the same character they go along");
    h.state_mut().ui.state_mut().copied_chain = Some(copied);
    h.state_mut().ui.forget_character();
    let copied = h.state_mut().ui.state_mut().copied_chain.clone().expect("still there");
    let session = &h.state().session;
    let mut document = session.document().clone();
    document.apply(paste(&document, &skeleton, &copied, &bare, PasteTarget::ALL)).expect("applies");
    assert_eq!(lists(&document), before);
}

#[test]
fn a_name_that_is_being_typed_goes_with_its_chain() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.state_mut().ui.state_mut().outliner_tab = OutlinerTab::Chains;
    h.run_steps(3);
    let (id, name) = document(&h).chains.iter().next().map(|(id, c)| (*id, c.name.clone())).expect("a chain");
    h.get_by_role_and_label(Role::TreeItem, &name).click_secondary();
    h.run_steps(3);
    h.get_by_role_and_label(Role::MenuItem, "Rename").click();
    h.run_steps(3);
    assert!(h.query_by_role_and_label(Role::TextInput, "Rename").is_some());
    ask(&mut h, Command::DeleteChains(vec![id]));
    ask(&mut h, Command::Undo);
    assert!(document(&h).chains.contains_key(&id));
    assert!(h.query_by_role_and_label(Role::TextInput, "Rename").is_none(), "it does not come back with the chain");
}

#[test]
fn only_rates_that_are_offered_are_taken_from_what_is_kept() {
    for (kept, rate) in [(144, 144), (0, 60), (77, 60), (100_000, 60)] {
        let h = viewport_harness(viewport_fixture(Prefs { player_frame_rate: Some(kept), ..reduced_motion_prefs() }));
        assert_eq!(h.state().session.playback().settings().player_frame_rate, rate, "{kept}");
    }
}
