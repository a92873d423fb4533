//! Tests the component section of the inspector.

use super::fixture::{CHAINS, InspectorFixture, harness, select_joint, twin_tail_fixture};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono_model::document::{ComponentLists, EditLabel, ListKind};
use yuremono_model::feel::convert::convert;
use yuremono_model::tools::components;
use yuremono_session::{Command, SelectMode, TuningScope};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;

/// Returns the window with all chains using one solver, and one chain selected for tuning.
pub(super) fn fixture_with_solver(solver: SolverKind) -> Harness<'static, InspectorFixture> {
    let mut desk = twin_tail_fixture();
    let conversion = convert(desk.session.document(), desk.session.character(), solver);
    let edit = conversion.edit(desk.session.document());
    desk.session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
    assert!(crate::support::no_edit_rejected(&desk.session));
    let mut h = harness(desk);
    select_joint(&mut h, CHAINS[0], 1);
    h
}

pub(super) fn component_lists<'a>(h: &'a Harness<'_, InspectorFixture>) -> &'a ComponentLists {
    &h.state().session.inspection().system().component_lists
}

fn click_button(h: &mut Harness<'_, InspectorFixture>, name: &str) {
    h.get_by_role_and_label(Role::Button, name).click();
    h.run();
}

pub(super) fn undo(h: &mut Harness<'_, InspectorFixture>) {
    h.state_mut().session.handle(Command::Undo);
    h.run();
}

#[test]
fn selected_bones_are_added_to_a_list_and_removed_in_one_undo_step_each() {
    let mut h = fixture_with_solver(SolverKind::DynamicBone);
    let before = h.state().session.document().clone();
    h.get_by_label("Exclusions");
    click_button(&mut h, "Add selected");
    assert_eq!(component_lists(&h).entry_count(ListKind::Exclusions), 1);
    click_button(&mut h, "Remove TwinTail_L_02");
    assert!(component_lists(&h).is_empty());
    undo(&mut h);
    assert_eq!(component_lists(&h).entry_count(ListKind::Exclusions), 1);
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_single_node_can_be_chosen_and_cleared() {
    let mut h = fixture_with_solver(SolverKind::KawaiiPhysics);
    h.get_by_label("Base bone: Component").click();
    h.run();
    // The tree on the left has an entry with the same label.
    h.get_all_by_label("Chest").find(|node| node.rect().left() > 900.0).expect("in the list").click();
    h.run();
    assert_eq!(component_lists(&h).entry_count(ListKind::BaseBone), 1);
    h.get_by_label("Base bone: Chest").click();
    h.run();
    h.get_by_label("Component").click();
    h.run();
    assert!(component_lists(&h).is_empty());
    let step = h.state().session.history().next_undo().expect("a step");
    assert!(step.text.ends_with(" Component"), "the undo step names the section: {}", step.text);
}

#[test]
fn a_component_can_be_renamed() {
    let mut h = fixture_with_solver(SolverKind::EzSoftBone);
    let field = h.get_by_role_and_label(Role::TextInput, "Component name");
    field.focus();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Component name").type_text("Tails");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!(h.state().session.inspection().system().name, "Tails");
    undo(&mut h);
    assert_eq!(h.state().session.inspection().system().name, "");
}

#[test]
fn a_chain_can_be_split_into_its_own_component_and_joined_again() {
    let mut h = fixture_with_solver(SolverKind::AnimDynamics);
    let before = h.state().session.document().clone();
    click_button(&mut h, "Split component");
    let systems = |h: &Harness<'_, InspectorFixture>| CHAINS.map(|id| h.state().session.document().chains[&id].system);
    assert_ne!(systems(&h)[0], systems(&h)[1]);
    assert!(h.query_by_role_and_label(Role::Button, "Split component").is_none(), "the new component has the chains");
    click_button(&mut h, "Join component");
    h.get_by_label_contains(", 1 chain").click();
    h.run();
    assert_eq!(systems(&h)[0], systems(&h)[1]);
    undo(&mut h);
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn node_points_of_the_selected_joints_change_together() {
    let mut h = fixture_with_solver(SolverKind::JointDynamics);
    h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    let bone = h.state().session.document().chains[&CHAINS[0]].joints[2].bone;
    h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Add));
    h.run();
    let bones = h.state().session.inspection().point_bones();
    assert_eq!(bones.len(), 2);
    let before = component_lists(&h).clone();
    super::drag_slider(&mut h, "Mass", 30.0);
    let masses: Vec<f32> = bones.iter().map(|bone| component_lists(&h).point_field(*bone, 1)).collect();
    assert!(masses[0] > 1.0 && masses[0] == masses[1], "{masses:?}");
    undo(&mut h);
    assert_eq!(*component_lists(&h), before, "one drag is one step");
}

#[test]
fn fields_of_a_constraint_are_collapsed_and_can_be_expanded_and_edited() {
    let mut h = fixture_with_solver(SolverKind::KawaiiPhysics);
    let bones: Vec<_> = h.state().session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).take(3).collect();
    h.state_mut().session.handle(Command::Select(bones, SelectMode::Replace));
    h.run();
    let add = h.get_all_by_role_and_label(Role::Button, "Add selected").next().expect("pairs are listed first");
    add.click();
    h.run();
    assert_eq!(component_lists(&h).entry_count(ListKind::Constraints), 2);
    assert!(h.query_by_label("Divided").is_none(), "several entries start collapsed");
    let pair = h.get_all_by_role(Role::Button).find_map(|node| {
        use egui_kittest::kittest::NodeT as _;
        let label = node.accesskit_node().label()?;
        (label.contains(" – ") && label.starts_with("Expand")).then_some(label)
    });
    let pair = pair.expect("a collapsed pair");
    click_button(&mut h, &pair);
    super::drag_slider(&mut h, "Length", 30.0);
    assert!(
        component_lists(&h).field(ListKind::Constraints, 0, 1) > 0.0
            || component_lists(&h).field(ListKind::Constraints, 1, 1) > 0.0
    );
    undo(&mut h);
    assert_eq!(
        [0, 1].map(|at| component_lists(&h).field(ListKind::Constraints, at, 1)),
        [-1.0; 2],
        "one drag is one step"
    );
}

#[test]
fn a_force_field_shows_the_fields_of_its_turbulence_mode() {
    let mut h = fixture_with_solver(SolverKind::EzSoftBone);
    let label = EditLabel::new(message!("Set reference"));
    let node = yuremono_model::document::Node::Bone(yuremono_sim::rig::BoneId(0));
    let change = components::labeled_system_edit(
        h.state().session.document(),
        h.state().session.inspection().system_id(),
        label,
        |system| {
            system.component_lists.set_node(ListKind::ForceField, Some(node));
        },
    );
    let (edit, label) = change.expect("there was none");
    h.state_mut().session.handle(Command::ApplyEdit(edit, label));
    assert!(crate::support::no_edit_rejected(&h.state().session));
    h.run();
    let thumb =
        |h: &Harness<'_, InspectorFixture>| h.query_by_role_and_label(Role::Button, "Curve of Swing X").is_some();
    assert!(h.query_by_label("Swings by: Noise").is_some() && !thumb(&h));
    h.get_by_label("Swings by: Noise").click();
    h.run();
    // The drawer at the bottom has a title with the same text.
    h.get_all_by_label("Curves").find(|node| node.rect().left() > 900.0).expect("in the list").click();
    h.run();
    assert!(thumb(&h));
    assert_eq!(component_lists(&h).field(ListKind::ForceField, 0, 4), 1.0);
    undo(&mut h);
    assert!(h.query_by_label("Swings by: Noise").is_some());
}

/// Returns the labels of the buttons that expand or collapse pairs.
fn pair_labels(h: &Harness<'_, InspectorFixture>, head: &str) -> Vec<String> {
    use egui_kittest::kittest::NodeT as _;
    let labels = h.get_all_by_role(Role::Button).filter_map(|node| node.accesskit_node().label());
    labels.filter(|label| label.contains(" – ") && label.starts_with(head)).collect()
}

#[test]
fn a_pair_after_a_removed_one_stays_collapsed() {
    let mut h = fixture_with_solver(SolverKind::KawaiiPhysics);
    let bones: Vec<_> = h.state().session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).take(4).collect();
    h.state_mut().session.handle(Command::Select(bones, SelectMode::Replace));
    h.run();
    h.get_all_by_role_and_label(Role::Button, "Add selected").next().expect("pairs are listed first").click();
    h.run();
    let folded = pair_labels(&h, "Expand");
    assert_eq!(folded.len(), 3);
    click_button(&mut h, &folded[0]);
    assert_eq!(pair_labels(&h, "Collapse").len(), 1);
    let open = pair_labels(&h, "Collapse").remove(0);
    click_button(&mut h, &open.replacen("Collapse", "Remove", 1));
    assert_eq!((pair_labels(&h, "Expand").as_slice(), pair_labels(&h, "Collapse").len()), (&folded[1..], 0));
}
