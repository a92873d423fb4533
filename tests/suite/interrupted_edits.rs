//! Tests objects that disappear during a drag or while a dialog is open, because of undo, deletion, disabling, or a
//! changed character.

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
use yuremono::ui::actions::Action;
use yuremono::ui::{Confirmation, DialogKind, OutlinerTab, Prefs};
use yuremono_model::document::{ColliderId, Document, EditLabel};
use yuremono_model::tools::{elements, elements::ElementId, elements::NewElement};
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_session::{Command, SelectMode};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::find_param;

fn current_document(h: &Harness<'_, ViewportFixture>) -> Document {
    h.state().session.document().clone()
}

fn send_command(h: &mut Harness<'_, ViewportFixture>, command: Command) {
    h.state_mut().session.handle(command);
    h.run_steps(2);
}

fn release_at(h: &mut Harness<'_, ViewportFixture>, at: Pos2) {
    set_pointer_button(h, at, PointerButton::Primary, false);
    h.run_steps(2);
}

fn delete_element(h: &mut Harness<'_, ViewportFixture>, part: ElementId) {
    let edit = elements::remove_elements(h.state().session.document(), &[part]);
    send_command(h, Command::ApplyEdit(edit, EditLabel::new(message!("Delete"))));
}

/// Adds a sphere to the hips. Also returns the screen positions between which a drag changes its radius from 10 to 20
/// cm.
fn put_sphere(h: &mut Harness<'_, ViewportFixture>) -> (ElementId, ColliderId, [Pos2; 2]) {
    let part = create_element(h, NewElement::Sphere, "hips");
    let ElementId::Collider(id) = part else { panic!("a collider") };
    let session = &h.state().session;
    let node = part.node(session.document()).expect("there");
    let at = session.playback().displayed_pose().frame(session.resolved().node_bones[&node]).position;
    let right = h.state_mut().ui.viewport_mut().last_view().expect("a frame was drawn").right;
    let ends: [Vec3; 2] = [at + right * 0.1, at + right * 0.2];
    (part, id, ends.map(|end| screen_position(h, end)))
}

/// Changes two system parameters in sequence. The changes must be two undo steps; an unfinished drag would merge them.
#[track_caller]
fn check_edits_are_separate_undo_steps(h: &mut Harness<'_, ViewportFixture>) {
    let param = find_param(h.state().session.document().main_system().param_defs(), "groundHeight").expect("a row");
    send_command(h, Command::SetParam(param, 1.0));
    send_command(h, Command::SetParam(param, 2.0));
    send_command(h, Command::Undo);
    assert_eq!(h.state().session.document().main_system().get(param), 1.0);
}

#[test]
fn a_bar_that_disappears_during_a_drag_ends_the_drag() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (part, ..) = put_sphere(&mut h);
    let bar = h.get_by_role_and_label(Role::Slider, "Radius").rect().center();
    drag_and_hold(&mut h, bar, bar + vec2(20.0, 0.0));
    delete_element(&mut h, part);
    release_at(&mut h, bar);
    check_edits_are_separate_undo_steps(&mut h);
}

#[test]
fn escape_does_not_restore_an_object_deleted_during_a_drag() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (part, id, [from, to]) = put_sphere(&mut h);
    drag_and_hold(&mut h, from, to);
    delete_element(&mut h, part);
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(!current_document(&h).colliders.contains_key(&id));
    release_at(&mut h, to);
    check_edits_are_separate_undo_steps(&mut h);
}

#[test]
fn continuing_a_drag_after_undo_leaves_one_undo_step() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, id, [from, to]) = put_sphere(&mut h);
    let before = current_document(&h);
    drag_and_hold(&mut h, from, to);
    h.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    h.run_steps(2);
    move_pointer(&mut h, to, to + vec2(10.0, 0.0));
    release_at(&mut h, to + vec2(10.0, 0.0));
    let ColliderShape::Sphere { radius, inside: false } = current_document(&h).colliders[&id].shape else {
        panic!("a sphere")
    };
    assert!(radius > 0.19, "{radius}");
    send_command(&mut h, Command::Undo);
    assert!(current_document(&h) == before);
}

#[test]
fn reloading_the_character_ends_bone_drags() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, grip) = head_handle(&mut h);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 0.0));
    assert_eq!(h.state().session.playback().drags().len(), 1);
    let newer = Arc::new((**h.state().session.character()).clone());
    h.state_mut().session.replace_character(newer);
    move_pointer(&mut h, grip + vec2(60.0, 0.0), grip + vec2(90.0, 0.0));
    assert!(h.state().session.playback().drags().is_empty(), "bone ids may have changed");
    release_at(&mut h, grip);
    drag_and_hold(&mut h, grip, grip + vec2(60.0, 0.0));
    assert_eq!(h.state().session.playback().drags().len(), 1, "the next drag starts normally");
}

#[test]
fn reloading_the_character_ends_a_value_drag() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let (_, _, [from, to]) = put_sphere(&mut h);
    drag_and_hold(&mut h, from, to);
    let newer = Arc::new((**h.state().session.character()).clone());
    h.state_mut().session.replace_character(newer);
    h.run_steps(2);
    let after = current_document(&h);
    move_pointer(&mut h, to, to + vec2(40.0, 0.0));
    assert!(current_document(&h) == after);
    check_edits_are_separate_undo_steps(&mut h);
    release_at(&mut h, to);
}

/// Whether the clean-up dialog is open, with or without results.
fn is_clean_up_dialog_open(h: &Harness<'_, ViewportFixture>) -> bool {
    h.query_all_by_label_contains("Clean up").next().is_some()
        || h.query_all_by_label("There is nothing to clean up.").next().is_some()
}

#[test]
fn escape_cancels_the_drag_then_the_dialog_then_the_selection() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    select_hair_with_limits(&mut h);
    h.run_steps(3);
    let before = current_document(&h);
    let limit = find_label(&h, Role::Slider, "Y ", ", upper end");
    for name in ["Stiffness", &limit] {
        let bar = h.get_by_role_and_label(Role::Slider, name).rect();
        let (from, to) = (bar.center(), bar.center() - vec2(25.0, 0.0));
        drag_and_hold(&mut h, from, to);
        assert!(current_document(&h) != before, "{name}");
        h.key_press(Key::Escape);
        h.run_steps(2);
        release_at(&mut h, to);
        assert!(current_document(&h) == before, "{name} is unchanged");
        assert!(!h.state().session.selection().is_empty(), "{name}: only the drag received the key");
    }
    h.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Confirm(Confirmation::CleanUp));
    h.run_steps(3);
    assert!(is_clean_up_dialog_open(&h), "the dialog is open");
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(!is_clean_up_dialog_open(&h));
    assert!(!h.state().session.selection().is_empty(), "only the dialog received the key");
    h.key_press(Key::Escape);
    h.run_steps(2);
    assert!(h.state().session.selection().is_empty());
}

#[test]
fn selected_objects_can_be_deselected_from_the_menu() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    create_element(&mut h, NewElement::Null, "hips");
    assert_eq!(Action::Deselect.label(), message!("Deselect"));
    for (role, name) in [(Role::Button, "Edit"), (Role::MenuItem, "Deselect")] {
        h.get_by_role_and_label(role, name).click();
        h.run_steps(3);
    }
    assert!(h.state().session.selection().is_empty());
}

#[test]
fn a_confirmation_applies_to_the_current_selection() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let roots: Vec<_> = current_document(&h).chains.iter().map(|(id, chain)| (*id, chain.root())).collect();
    let [(first, root), .., (last, other)] = roots[..] else { panic!("several chains") };
    send_command(&mut h, Command::Select(vec![root], SelectMode::Replace));
    h.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Confirm(Confirmation::DeleteJoints));
    h.run_steps(3);
    send_command(&mut h, Command::Select(vec![other], SelectMode::Replace));
    h.get_by_label_contains("Delete ").click();
    h.run_steps(3);
    let chains = current_document(&h).setup.chains;
    assert!(chains.contains_key(&first) && !chains.contains_key(&last));
}

#[test]
fn pasting_a_chain_on_another_character_assigns_no_colliders() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    create_element(&mut h, NewElement::Sphere, "head");
    let (bone, _) = hair_joint(&h);
    let session = &mut h.state_mut().session;
    let (from, _) = session.document().find_joint(bone).expect("a joint");
    let skeleton = session.character().skeleton.clone();
    let copied = CopiedChain::from_document(session.document(), &skeleton, from).expect("there");
    assert!(copied.chain.joints.iter().any(|j| !j.colliders.is_empty()), "the sample has colliders");
    let bare = session.document().chains.keys().copied().filter(|id| *id != from).collect::<Vec<_>>();
    let lists = |document: &Document| {
        let chains = bare.iter().flat_map(|id| &document.chains[id].joints);
        chains.map(|j| j.colliders.clone()).collect::<Vec<_>>()
    };
    let before = lists(session.document());
    let pasted = |copied: &CopiedChain| {
        let mut document = session.document().clone();
        document.apply(paste(&document, &skeleton, copied, &bare, PasteTarget::ALL).edit).expect("applies");
        lists(&document)
    };
    assert_ne!(pasted(&copied), before, "on the same character the colliders are pasted");
    h.state_mut().ui.state_mut().copied_chain = Some(copied);
    h.state_mut().ui.forget_character();
    let copied = h.state_mut().ui.state_mut().copied_chain.clone().expect("still there");
    let session = &h.state().session;
    let mut document = session.document().clone();
    document.apply(paste(&document, &skeleton, &copied, &bare, PasteTarget::ALL).edit).expect("applies");
    assert_eq!(lists(&document), before);
}

#[test]
fn deleting_a_chain_ends_its_rename() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    h.state_mut().ui.state_mut().outliner_tab = OutlinerTab::Chains;
    h.run_steps(3);
    let (id, name) = current_document(&h).chains.iter().next().map(|(id, c)| (*id, c.name.clone())).expect("a chain");
    h.get_by_role_and_label(Role::TreeItem, &name).click_secondary();
    h.run_steps(3);
    h.get_by_role_and_label(Role::MenuItem, "Rename").click();
    h.run_steps(3);
    assert!(h.query_by_role_and_label(Role::TextInput, "Rename").is_some());
    send_command(&mut h, Command::DeleteChains(vec![id]));
    send_command(&mut h, Command::Undo);
    assert!(current_document(&h).chains.contains_key(&id));
    assert!(h.query_by_role_and_label(Role::TextInput, "Rename").is_none(), "the field stays closed");
}

#[test]
fn only_offered_frame_rates_are_restored_from_preferences() {
    for (kept, rate) in [(144, 144), (0, 60), (77, 60), (100_000, 60)] {
        let h = viewport_harness(viewport_fixture(Prefs { player_frame_rate: Some(kept), ..reduced_motion_prefs() }));
        assert_eq!(h.state().session.playback().settings().player_frame_rate, rate, "{kept}");
    }
}
