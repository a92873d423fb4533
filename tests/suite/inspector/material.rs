//! The material of `EZSoftBone`'s chains as an artist meets it.

use super::desk::{CHAINS, Desk, desk, harness};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::document::Label;
use yuremono::feel::convert::convert;
use yuremono::session::{Command, Pick};
use yuremono::sim::SolverKind;
use yuremono::sim::solver::ez_soft_bone::{DAMPING, RADIUS};
use yuremono::ui::kit::words::Lang;

/// The window with both tails under `EZSoftBone` and selected.
fn both(lang: Lang) -> Harness<'static, Desk> {
    let mut desk = Desk { lang, ..desk() };
    let conversion = convert(desk.session.document(), desk.session.character(), SolverKind::EzSoftBone);
    let edit = conversion.edit(desk.session.document());
    desk.session.handle(Command::Apply(edit, Label::new("switch_solver", 1)));
    assert!(crate::support::nothing_refused(&desk.session));
    let mut h = harness(desk);
    let bones = CHAINS.map(|id| h.state().session.document().chains[&id].root());
    h.state_mut().session.handle(Command::Select(bones.to_vec(), Pick::Replace));
    h.run();
    h
}

fn choose(h: &mut Harness<'_, Desk>, line: &str) {
    h.get_by_role_and_label(Role::ComboBox, "Material").click();
    h.run();
    h.get_by_label(line).click();
    h.run();
}

#[test]
fn a_material_is_made_named_shared_and_removed_and_its_rows_are_marked() {
    let mut h = both(Lang::En);
    let before = h.state().session.document().clone();
    let mark = "Shared by 2 chains: TwinTail_L, TwinTail_R; changing it changes all";
    assert!(h.query_all_by_label(mark).next().is_none());
    choose(&mut h, "New material from TwinTail_R…");
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Name of the material").type_text("Soft");
    h.run();
    h.key_press(Key::Enter);
    h.run();
    let session = &h.state().session;
    let names: Vec<_> = session.document().materials.values().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["Soft"], "what was typed stands in place of the chain's name");
    let is_focused = {
        use egui_kittest::kittest::NodeT as _;
        h.get_by_role_and_label(Role::ComboBox, "Material").accesskit_node().is_focused()
    };
    assert!(is_focused, "the keyboard goes on from the row");
    assert_eq!(h.query_all_by_label(mark).count(), 4, "one for each number of the material");

    super::drag_slider(&mut h, "Damping", 30.0);
    let of = |h: &Harness<'_, Desk>, row: yuremono::schema::Row| {
        CHAINS.map(|id| h.state().session.document().chains[&id].values[row.index()].base)
    };
    let [left, right] = of(&h, DAMPING);
    assert!(left == right && left != before.chains[&CHAINS[0]].values[DAMPING.index()].base);
    assert!(h.state().session.inspection().shared_by(RADIUS).is_none(), "the radius is the component's");

    h.get_by_label("Material Soft: more").click();
    h.run();
    h.get_by_label("Remove").click();
    h.run();
    assert!(h.state().session.document().materials.is_empty());
    assert_eq!(of(&h, DAMPING), [left, right], "numbers stay");
    assert!(h.query_all_by_label(mark).next().is_none());
    for _ in 0..4 {
        h.state_mut().session.handle(Command::Undo);
    }
    assert_eq!(*h.state().session.document(), before, "make, name, drag and remove are a step each");
}

#[test]
fn one_chain_leaves_the_material_and_takes_it_again() {
    let mut h = both(Lang::En);
    choose(&mut h, "New material from TwinTail_R…");
    h.key_press(Key::Escape);
    h.run();
    let bone = h.state().session.document().chains[&CHAINS[0]].root();
    h.state_mut().session.handle(Command::Select(vec![bone], Pick::Replace));
    h.run();
    choose(&mut h, "None: its own numbers");
    let has = |h: &Harness<'_, Desk>| CHAINS.map(|id| h.state().session.document().chains[&id].material.is_some());
    assert_eq!(has(&h), [false, true]);
    assert!(h.state().session.messages().list().is_empty(), "who leaves on purpose is not told so");
    choose(&mut h, "TwinTail_R");
    assert_eq!(has(&h), [true, true]);
}

#[test]
fn other_solvers_have_no_such_row_and_japanese_has_its_words() {
    let h = harness(desk());
    assert!(h.query_by_role_and_label(Role::ComboBox, "Material").is_none());
    let h = both(Lang::Ja);
    h.get_by_role_and_label(Role::ComboBox, "マテリアル");
}
