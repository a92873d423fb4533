//! Tests the material row of `EZSoftBone` chains in the inspector.

use super::fixture::{CHAINS, InspectorFixture, harness, twin_tail_fixture};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::ui::kit::i18n::Lang;
use yuremono_model::document::EditLabel;
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, SelectMode};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::solver::ez_soft_bone::{DAMPING, RADIUS};

/// Returns the window with both tails selected and using `EZSoftBone`.
fn both_tails_with_ez_soft_bone(lang: Lang) -> Harness<'static, InspectorFixture> {
    let mut desk = InspectorFixture { lang, ..twin_tail_fixture() };
    let conversion = convert(desk.session.document(), desk.session.character(), SolverKind::EzSoftBone);
    let edit = conversion.edit(desk.session.document());
    desk.session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
    assert!(crate::support::no_edit_rejected(&desk.session));
    let mut h = harness(desk);
    let bones = CHAINS.map(|id| h.state().session.document().chains[&id].root());
    h.state_mut().session.handle(Command::Select(bones.to_vec(), SelectMode::Replace));
    h.run();
    h
}

fn choose_material(h: &mut Harness<'_, InspectorFixture>, line: &str) {
    h.get_by_role_and_label(Role::ComboBox, "Material").click();
    h.run();
    h.get_by_label(line).click();
    h.run();
}

#[test]
fn a_material_can_be_created_named_shared_and_removed_and_marks_its_params() {
    let mut h = both_tails_with_ez_soft_bone(Lang::En);
    let before = h.state().session.document().clone();
    let mark = "Shared by 2 chains: TwinTail_L, TwinTail_R. A change applies to all of them.";
    assert!(h.query_all_by_label(mark).next().is_none());
    choose_material(&mut h, "Create material from TwinTail_R…");
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Material name").type_text("Soft");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    let session = &h.state().session;
    let names: Vec<_> = session.document().materials.values().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["Soft"], "the typed name replaces the chain's name");
    let is_focused = {
        use egui_kittest::kittest::NodeT as _;
        h.get_by_role_and_label(Role::ComboBox, "Material").accesskit_node().is_focused()
    };
    assert!(is_focused, "the row keeps the keyboard focus");
    assert_eq!(h.query_all_by_label(mark).count(), 4, "one mark for each number of the material");

    super::drag_slider(&mut h, "Damping", 30.0);
    let of = |h: &Harness<'_, InspectorFixture>, param: yuremono_sim::params::ParamId| {
        CHAINS.map(|id| h.state().session.document().chains[&id].values[param.index()].base)
    };
    let [left, right] = of(&h, DAMPING);
    assert!(left == right && left != before.chains[&CHAINS[0]].values[DAMPING.index()].base);
    assert!(h.state().session.inspection().material_sharing(RADIUS).is_none(), "the radius belongs to the component");

    h.get_by_label("Menu of material Soft").click();
    h.run();
    h.get_by_label("Delete material").click();
    h.run();
    assert!(h.state().session.document().materials.is_empty());
    assert_eq!(of(&h, DAMPING), [left, right], "numbers stay");
    assert!(h.query_all_by_label(mark).next().is_none());
    for _ in 0..4 {
        h.state_mut().session.handle(Command::Undo);
    }
    assert_eq!(*h.state().session.document(), before, "create, rename, drag and remove are one step each");
}

#[test]
fn a_chain_can_be_unassigned_from_a_material_and_assigned_again() {
    let mut h = both_tails_with_ez_soft_bone(Lang::En);
    choose_material(&mut h, "Create material from TwinTail_R…");
    h.key_press(Key::Escape);
    h.run();
    let bone = h.state().session.document().chains[&CHAINS[0]].root();
    h.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
    h.run();
    choose_material(&mut h, "None: own values");
    let has = |h: &Harness<'_, InspectorFixture>| {
        CHAINS.map(|id| h.state().session.document().chains[&id].material.is_some())
    };
    assert_eq!(has(&h), [false, true]);
    assert!(h.state().session.messages().entries().is_empty(), "leaving a material reports nothing");
    choose_material(&mut h, "TwinTail_R");
    assert_eq!(has(&h), [true, true]);
}

#[test]
fn only_ez_soft_bone_has_a_material_row_and_it_has_a_japanese_label() {
    let h = harness(twin_tail_fixture());
    assert!(h.query_by_role_and_label(Role::ComboBox, "Material").is_none());
    let h = both_tails_with_ez_soft_bone(Lang::Ja);
    h.get_by_role_and_label(Role::ComboBox, "マテリアル");
}
