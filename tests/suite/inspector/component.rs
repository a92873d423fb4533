//! The section of the engine's component as an artist meets it.

use super::desk::{CHAINS, Desk, desk, harness, select_joint};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::document::{Extras, Label, Side};
use yuremono::feel::convert::convert;
use yuremono::session::{Command, Pick, Scope};
use yuremono::sim::SolverKind;
use yuremono::tools::components;
use yuremono::ui::kit::words::{self, Lang};

/// The window with all chains under a solver and one chain tuned.
pub(super) fn under(solver: SolverKind) -> Harness<'static, Desk> {
    let mut desk = desk();
    let conversion = convert(desk.session.document(), desk.session.character(), solver);
    let edit = conversion.edit(desk.session.document());
    desk.session.handle(Command::Apply(edit, Label::new("switch_solver", 1)));
    assert!(crate::support::nothing_refused(&desk.session));
    let mut h = harness(desk);
    select_joint(&mut h, CHAINS[0], 1);
    h
}

pub(super) fn extras<'a>(h: &'a Harness<'_, Desk>) -> &'a Extras {
    &h.state().session.inspection().system().extras
}

fn click(h: &mut Harness<'_, Desk>, name: &str) {
    h.get_by_role_and_label(Role::Button, name).click();
    h.run();
}

pub(super) fn undo(h: &mut Harness<'_, Desk>) {
    h.state_mut().session.handle(Command::Undo);
    h.run();
}

#[test]
fn selected_bones_go_into_a_list_and_out_again_each_in_one_step() {
    let mut h = under(SolverKind::DynamicBone);
    let before = h.state().session.document().clone();
    h.get_by_label("Left out");
    click(&mut h, "Selected");
    assert_eq!(extras(&h).count(Side::Exclusions), 1);
    click(&mut h, "Remove TwinTail_L_02");
    assert!(extras(&h).is_empty());
    undo(&mut h);
    assert_eq!(extras(&h).count(Side::Exclusions), 1);
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn a_node_is_chosen_from_all_of_them_and_put_away_again() {
    let mut h = under(SolverKind::KawaiiPhysics);
    h.get_by_label("Base bone: The component").click();
    h.run();
    // The tree at the left has one as well.
    h.get_all_by_label("Chest").find(|node| node.rect().left() > 900.0).expect("in the list").click();
    h.run();
    assert_eq!(extras(&h).count(Side::BaseBone), 1);
    h.get_by_label("Base bone: Chest").click();
    h.run();
    h.get_by_label("The component").click();
    h.run();
    assert!(extras(&h).is_empty());
    let step = h.state().session.history().next_undo().map(|label| label.name.clone());
    assert_eq!(step.as_deref(), Some("The component"), "the step says what stands there now");
}

#[test]
fn a_component_gets_a_name_of_its_own() {
    let mut h = under(SolverKind::EzSoftBone);
    let field = h.get_by_role_and_label(Role::TextInput, "System");
    field.focus();
    h.run();
    h.get_by_role_and_label(Role::TextInput, "System").type_text("Tails");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    assert_eq!(h.state().session.inspection().system().name, "Tails");
    undo(&mut h);
    assert_eq!(h.state().session.inspection().system().name, "");
}

#[test]
fn one_chain_gets_settings_of_its_own_and_joins_again() {
    let mut h = under(SolverKind::AnimDynamics);
    let before = h.state().session.document().clone();
    click(&mut h, "Own settings");
    let systems = |h: &Harness<'_, Desk>| CHAINS.map(|id| h.state().session.document().chains[&id].system);
    assert_ne!(systems(&h)[0], systems(&h)[1]);
    assert!(h.query_by_role_and_label(Role::Button, "Own settings").is_none(), "it has them now");
    click(&mut h, "Join");
    h.get_by_label_contains(", chains: 1").click();
    h.run();
    assert_eq!(systems(&h)[0], systems(&h)[1]);
    undo(&mut h);
    undo(&mut h);
    assert_eq!(*h.state().session.document(), before);
}

#[test]
fn points_of_the_selected_joints_change_together() {
    let mut h = under(SolverKind::JointDynamics);
    h.state_mut().session.handle(Command::SetScope(Scope::Joints));
    let bone = h.state().session.document().chains[&CHAINS[0]].joints[2].bone;
    h.state_mut().session.handle(Command::Select(vec![bone], Pick::Add));
    h.run();
    let bones = h.state().session.inspection().point_bones();
    assert_eq!(bones.len(), 2);
    super::drag_slider(&mut h, "Mass", 30.0);
    let masses: Vec<f32> = bones.iter().map(|bone| extras(&h).point_field(*bone, 1)).collect();
    assert!(masses[0] > 1.0 && masses[0] == masses[1], "{masses:?}");
    undo(&mut h);
    assert!(extras(&h).is_empty(), "one drag is one step");
}

#[test]
fn every_list_has_its_words_in_both_languages() {
    for lang in Lang::ALL {
        for side in Side::ALL {
            let key = format!("component.side.{}", side.key());
            let mut keys = vec![key.clone()];
            keys.extend(side.is_single().then(|| format!("{key}_none")));
            keys.extend((side.is_single() || side.is_listed()).then(|| format!("{key}_hint")));
            assert!(keys.iter().all(|key| words::find(lang, key).is_some()), "{lang:?} {keys:?}");
        }
    }
}

#[test]
fn numbers_of_a_pair_fold_away_and_come_back() {
    let mut h = under(SolverKind::KawaiiPhysics);
    let bones: Vec<_> = h.state().session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).take(3).collect();
    h.state_mut().session.handle(Command::Select(bones, Pick::Replace));
    h.run();
    let add = h.get_all_by_role_and_label(Role::Button, "Selected").next().expect("pairs come first");
    add.click();
    h.run();
    assert_eq!(extras(&h).count(Side::Constraints), 2);
    assert!(h.query_by_label("Divided").is_none(), "several entries begin folded");
    let pair = h.get_all_by_role(Role::Button).find_map(|node| {
        use egui_kittest::kittest::NodeT as _;
        let label = node.accesskit_node().label()?;
        (label.contains(" – ") && label.starts_with("Expand")).then_some(label)
    });
    let pair = pair.expect("a folded pair");
    click(&mut h, &pair);
    super::drag_slider(&mut h, "Length", 30.0);
    assert!(extras(&h).field(Side::Constraints, 0, 1) > 0.0 || extras(&h).field(Side::Constraints, 1, 1) > 0.0);
    undo(&mut h);
    assert_eq!([0, 1].map(|at| extras(&h).field(Side::Constraints, at, 1)), [-1.0; 2], "one drag is one step");
}

#[test]
fn a_force_field_shows_the_numbers_of_the_way_it_swings() {
    let mut h = under(SolverKind::EzSoftBone);
    let label = Label::new("component_side", 1);
    let node = yuremono::document::Node::Bone(yuremono::rig::BoneId(0));
    let change =
        components::step(h.state().session.document(), h.state().session.inspection().system_id(), label, |system| {
            system.extras.set(Side::ForceField, Some(node));
        });
    let (edit, label) = change.expect("there was none");
    h.state_mut().session.handle(Command::Apply(edit, label));
    assert!(crate::support::nothing_refused(&h.state().session));
    h.run();
    let thumb = |h: &Harness<'_, Desk>| h.query_by_role_and_label(Role::Button, "Curve of Swing X").is_some();
    assert!(h.query_by_label("Swings by: Noise").is_some() && !thumb(&h));
    h.get_by_label("Swings by: Noise").click();
    h.run();
    // The drawer below has a title of that name.
    h.get_all_by_label("Curves").find(|node| node.rect().left() > 900.0).expect("in the list").click();
    h.run();
    assert!(thumb(&h));
    assert_eq!(extras(&h).field(Side::ForceField, 0, 4), 1.0);
    undo(&mut h);
    assert!(h.query_by_label("Swings by: Noise").is_some());
}

/// The names of pairs that are open or not.
fn pairs(h: &Harness<'_, Desk>, head: &str) -> Vec<String> {
    use egui_kittest::kittest::NodeT as _;
    let labels = h.get_all_by_role(Role::Button).filter_map(|node| node.accesskit_node().label());
    labels.filter(|label| label.contains(" – ") && label.starts_with(head)).collect()
}

#[test]
fn a_pair_behind_one_that_is_taken_away_stays_folded() {
    let mut h = under(SolverKind::KawaiiPhysics);
    let bones: Vec<_> = h.state().session.document().chains[&CHAINS[0]].joints.iter().map(|j| j.bone).take(4).collect();
    h.state_mut().session.handle(Command::Select(bones, Pick::Replace));
    h.run();
    h.get_all_by_role_and_label(Role::Button, "Selected").next().expect("pairs come first").click();
    h.run();
    let folded = pairs(&h, "Expand");
    assert_eq!(folded.len(), 3);
    click(&mut h, &folded[0]);
    assert_eq!(pairs(&h, "Collapse").len(), 1);
    let open = pairs(&h, "Collapse").remove(0);
    click(&mut h, &open.replacen("Collapse", "Remove", 1));
    assert_eq!((pairs(&h, "Expand").as_slice(), pairs(&h, "Collapse").len()), (&folded[1..], 0));
}
