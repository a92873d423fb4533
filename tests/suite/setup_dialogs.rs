//! Tests the Setup menu and its dialogs, operated through their labels.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the dialogs there.

use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use super::support::{figure, girl};
use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{Confirmation, DialogKind, OverlayLineKind, Prefs};
use yuremono_model::document::{ChainId, Collider, ColliderId, EditLabel, Node};
use yuremono_model::tools::setup_cleanup;
use yuremono_session::{Command, SceneObject, SelectMode, Session};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;
use yuremono_sim::solver::spring_bone::{SPRING_FORCE, STIFFNESS};

const SIZE: [f32; 2] = [1440.0, 900.0];

fn prefs(mode: ThemeMode, lang: Lang) -> Prefs {
    Prefs { mode, lang, reduce_motion: true, dismissed_hints: [true; 3], ..Prefs::default() }
}

fn figure_session() -> Session {
    let character = figure::character();
    let document = figure::document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn open_dialog(session: Session, wanted: Option<DialogKind>) -> Harness<'static, WindowFixture> {
    let mut fixture = WindowFixture::new(session, prefs(ThemeMode::Dark, Lang::En));
    fixture.ui.state_mut().dialogs_to_open.extend(wanted);
    let mut harness = window_harness(fixture, SIZE);
    harness.run_steps(3);
    harness
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

fn select_bones(session: &mut Session, names: &[&str]) {
    let bones = names.iter().map(|name| girl::bone(session, name)).collect();
    session.handle(Command::Select(bones, SelectMode::Replace));
}

fn next_undo(harness: &Harness<'static, WindowFixture>) -> Option<&'static str> {
    harness.state().session.history().next_undo().map(|l| l.text.template())
}

#[test]
fn the_mirror_dialog_opens_from_its_menu_and_mirrors_in_one_undo_step() {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::SetParam(STIFFNESS, 777.0));
    session.handle(Command::ClearSelection);
    let mut harness = open_dialog(session, None);
    click_label(&mut harness, "Setup");
    click_label(&mut harness, "Mirror…");
    click_label(&mut harness, "Mirror 5 joints");
    assert_eq!(next_undo(&harness), Some("Mirror {n:joint|joints}"));
    assert!(harness.query_by_label("Mirror 5 joints").is_none(), "the dialog is closed");
}

/// Returns the mirror dialog for left joints with a sideways force. No other value can change its sign.
fn mirror_dialog_with_force(pull: f32) -> Harness<'static, WindowFixture> {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::SetParam(SPRING_FORCE[0], pull));
    session.handle(Command::ClearSelection);
    open_dialog(session, Some(DialogKind::Mirror))
}

#[test]
fn only_values_that_differ_after_mirroring_are_listed_as_changing_sign() {
    let still = mirror_dialog_with_force(0.0);
    still.get_by_label("No value changes its sign.");
    assert!(still.query_by_label_contains(" becomes ").is_none());
    let pulled = mirror_dialog_with_force(2.0);
    pulled.get_by_label_contains("2.00 becomes −2.00");
    assert!(pulled.query_by_label("No value changes its sign.").is_none());
}

#[test]
fn the_source_side_can_be_changed_and_rows_can_be_excluded() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::Mirror));
    click_label(&mut harness, "Right (X < 0)");
    harness.get_by_label("Mirror 5 joints");
    click_label(&mut harness, "Include TwinTail_R_03");
    harness.get_by_label("Mirror 4 joints");
    click_label(&mut harness, "Swap");
    harness.get_by_label("Mirror 5 joints");
}

#[test]
fn a_mirror_target_can_be_chosen_manually() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::Mirror));
    click_label(&mut harness, "Target of TwinTail_L_04");
    harness.event(Event::Text("Shoulder_R".to_owned()));
    harness.run_steps(3);
    // The outliner has a row with the same label.
    harness.get_all_by_label("Shoulder_R").last().expect("a row").click();
    harness.run_steps(4);
    harness.get_by_label("Mirror 6 joints");
}

#[test]
fn the_mirror_dialog_handles_removed_and_restored_chains() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::Mirror));
    click_label(&mut harness, "Target of TwinTail_L_04");
    let chains = harness.state().session.document().chains.keys().copied().collect();
    harness.state_mut().session.handle(Command::DeleteChains(chains));
    harness.run_steps(3);
    assert!(harness.query_by_label("Target of TwinTail_L_04").is_none());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(2);
    assert_eq!(next_undo(&harness), Some("Delete {n:chain|chains}"), "nothing is left to mirror");
    harness.state_mut().session.handle(Command::Undo);
    harness.run_steps(3);
    harness.get_by_label("Mirror 5 joints");
}

#[test]
fn only_selected_joints_are_mirrored_and_the_dialog_can_select_the_targets() {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_R_01"]);
    let mut harness = open_dialog(session, Some(DialogKind::Mirror));
    harness.get_by_label("Mirror 3 joints");
    click_label(&mut harness, "Targets");
    let bones = &harness.state().session.selection().bones;
    assert_eq!(bones.len(), 3);
    assert!(bones.contains(&girl::bone(&harness.state().session, "TwinTail_L_01")));
    harness.get_by_label("Mirror 3 joints");
}

#[test]
fn the_viewport_shows_mirror_pairs_while_the_dialog_is_open() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::Mirror));
    let inks = |h: &mut Harness<'static, WindowFixture>| {
        h.state_mut().ui.state_mut().overlay_lines.iter().map(|g| g.kind).collect::<Vec<_>>()
    };
    let shown = inks(&mut harness);
    for ink in [OverlayLineKind::Source, OverlayLineKind::Target, OverlayLineKind::Plane, OverlayLineKind::Link] {
        assert!(shown.contains(&ink), "{ink:?}");
    }
    harness.key_press(Key::Escape);
    harness.run_steps(4);
    assert!(inks(&mut harness).is_empty());
}

#[test]
fn body_colliders_are_fitted_listed_and_created() {
    let mut harness = open_dialog(figure_session(), Some(DialogKind::BodyColliders));
    harness.get_by_label("Create 12 colliders");
    click_label(&mut harness, "Include Neck");
    click_label(&mut harness, "Create 11 colliders");
    assert_eq!(harness.state().session.document().colliders.len(), 11);
    assert_eq!(next_undo(&harness), Some("Create {n:body collider|body colliders}"));
}

/// Returns the text of the cells of a row.
fn row_cells(harness: &Harness<'static, WindowFixture>, row: &str) -> String {
    let rows = harness.get_all_by_label(row);
    rows.filter_map(|node| node.value()).next_back().unwrap_or_default()
}

/// Returns the figure with two colliders of the artist. The large sphere on the head has the name of a fitted collider;
/// the other collider is on a thigh and has another name.
fn figure_session_with_colliders() -> Session {
    let character = figure::character();
    let mut document = figure::document(&character);
    let bone = |name: &str| Node::Bone(character.skeleton.find(name).expect("a bone"));
    let ball = |name: &str, on: Node| Collider::new(name, on, ColliderShape::Sphere { radius: 0.173, inside: false });
    document.colliders.insert(ColliderId(1), ball("HeadSphereCollider", bone("Head")));
    document.colliders.insert(ColliderId(2), ball("Thigh_Ball", bone("Leg_L")));
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

#[test]
fn body_parts_with_a_collider_name_it_and_start_excluded() {
    let mut harness = open_dialog(figure_session_with_colliders(), Some(DialogKind::BodyColliders));
    let head = row_cells(&harness, "HeadSphereCollider");
    assert!(head.contains("updates HeadSphereCollider, 173 → 97 mm"), "{head}");
    let thigh = row_cells(&harness, "Leg_LCapsuleCollider");
    assert!(thigh.contains("Thigh_Ball exists"), "{thigh}");
    let other = row_cells(&harness, "Leg_RCapsuleCollider");
    assert!(other.contains("new"), "{other}");
    click_label(&mut harness, "Create 10 colliders");
    let document = harness.state().session.document();
    assert_eq!(document.colliders.len(), 12);
    assert_eq!(
        document.colliders[&ColliderId(1)].shape,
        ColliderShape::Sphere { radius: 0.173, inside: false },
        "the artist's collider is unchanged"
    );
}

#[test]
fn the_header_checkbox_includes_and_excludes_all_parts() {
    let mut harness = open_dialog(figure_session_with_colliders(), Some(DialogKind::BodyColliders));
    click_label(&mut harness, "Include all parts");
    harness.get_by_label("Create 11 colliders, update 1");
    click_label(&mut harness, "Include all parts");
    assert!(harness.get_by_label("Create 0 colliders").accesskit_node().is_disabled());
    harness.get_by_label_contains("No part is included");
    click_label(&mut harness, "Include Head");
    click_label(&mut harness, "Update 1 collider");
    let document = harness.state().session.document();
    assert_eq!(document.colliders.len(), 2);
    assert_ne!(document.colliders[&ColliderId(1)].shape, ColliderShape::Sphere { radius: 0.173, inside: false });
}

#[test]
fn creating_body_colliders_again_updates_the_existing_ones() {
    let mut harness = open_dialog(figure_session(), Some(DialogKind::BodyColliders));
    click_label(&mut harness, "Create 12 colliders");
    let once = harness.state().session.document().clone();
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::BodyColliders);
    harness.run_steps(4);
    harness.get_by_label("Create 0 colliders");
    let head = row_cells(&harness, "HeadSphereCollider");
    assert!(head.contains("mm unchanged"), "{head}");
    click_label(&mut harness, "Include all parts");
    click_label(&mut harness, "Update 12 colliders");
    assert_eq!(*harness.state().session.document(), once);
}

#[test]
fn a_character_without_a_body_mesh_shows_a_message() {
    let harness = open_dialog(girl::session(), Some(DialogKind::BodyColliders));
    harness.get_by_label_contains("No body part can get colliders");
}

#[test]
fn skirt_columns_are_linked_from_the_menu() {
    let mut harness = open_dialog(figure_session(), None);
    click_label(&mut harness, "Setup");
    harness.get_by_label("Skirt").hover();
    harness.run_steps(8);
    click_label(&mut harness, "Link neighbouring columns");
    assert_eq!(next_undo(&harness), Some("Add {n:length limit|length limits} between columns"));
}

#[test]
fn select_by_name_finds_bones_joints_and_colliders() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::SelectByName));
    harness.event(Event::Text("tail".to_owned()));
    harness.run_steps(3);
    harness.get_by_label("Select 8 items");
    click_label(&mut harness, "Joints");
    click_label(&mut harness, "Select 8 items");
    assert_eq!(harness.state().session.selection().bones.len(), 8);
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SelectByName);
    harness.run_steps(4);
    harness.event(Event::Text("collider".to_owned()));
    harness.run_steps(3);
    // The outliner has a tab with the same label.
    harness.get_all_by_label("Colliders").last().expect("a choice").click();
    harness.run_steps(4);
    click_label(&mut harness, "Select 2 items");
    assert_eq!(harness.state().session.selection().objects.len(), 2);
}

#[test]
fn the_set_parent_dialog_changes_the_parent_of_a_node() {
    let mut session = girl::session();
    let id = *session.document().colliders.keys().next().expect("one");
    session.handle(Command::SelectObjects(vec![SceneObject::Collider(id)], SelectMode::Replace));
    let mut harness = open_dialog(session, Some(DialogKind::SetParent));
    harness.event(Event::Text("Neck".to_owned()));
    harness.run_steps(3);
    harness.get_all_by_label("Neck").last().expect("a row").click();
    harness.run_steps(3);
    click_label(&mut harness, "Set parent of 1 node");
    assert_eq!(next_undo(&harness), Some("Parent {n:node|nodes} to {name}"));
}

#[test]
fn values_are_copied_and_pasted_with_the_keyboard() {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::SetParam(STIFFNESS, 777.0));
    let mut harness = open_dialog(session, None);
    harness.event(Event::Copy);
    harness.run_steps(2);
    let to = girl::bone(&harness.state().session, "TwinTail_R_01");
    harness.state_mut().session.handle(Command::Select(vec![to], SelectMode::Replace));
    harness.event(Event::Paste("anything".to_owned()));
    harness.run_steps(2);
    assert_eq!(next_undo(&harness), Some("Paste values into {n:chain|chains}"));
    let chain = &harness.state().session.document().chains[&ChainId(3)];
    assert_eq!(chain.values[STIFFNESS.index()].base, 777.0);
}

#[test]
fn copying_in_a_text_field_does_not_copy_a_chain() {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_L_01"]);
    let mut harness = open_dialog(session, Some(DialogKind::SelectByName));
    harness.event(Event::Copy);
    harness.run_steps(2);
    assert!(harness.state_mut().ui.state_mut().copied_chain.is_none());
}

#[test]
fn paste_special_pastes_only_the_chosen_properties() {
    let mut session = girl::session();
    select_bones(&mut session, &["TwinTail_L_01"]);
    let mut harness = open_dialog(session, None);
    harness.event(Event::Copy);
    harness.run_steps(2);
    let to = girl::bone(&harness.state().session, "Skirt_01");
    harness.state_mut().session.handle(Command::Select(vec![to], SelectMode::Replace));
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::PasteSpecial);
    harness.run_steps(4);
    click_label(&mut harness, "Values");
    harness.get_all_by_label("Angle limits").last().expect("a checkbox").click();
    harness.run_steps(4);
    assert!(!harness.get_by_label("Paste to 1 chain").accesskit_node().is_disabled());
    click_label(&mut harness, "Paste to 1 chain");
    assert_ne!(next_undo(&harness), Some("Nothing"));
}

#[test]
fn clean_up_lists_its_changes_before_applying_them() {
    let mut harness = open_dialog(girl::session(), Some(DialogKind::Confirm(Confirmation::CleanUp)));
    harness.get_by_label_contains("2 unused colliders");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    assert_eq!(next_undo(&harness), Some("Clean up"));
    assert!(harness.state().session.document().colliders.is_empty());
}

fn cleaned_up_session() -> Session {
    let mut session = girl::session();
    let edit = setup_cleanup::clean_up(session.document(), &session.character().skeleton).change.edit;
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Clean up"))));
    session
}

#[test]
fn with_nothing_to_clean_up_there_is_only_a_close_button() {
    let mut harness = open_dialog(cleaned_up_session(), Some(DialogKind::Confirm(Confirmation::CleanUp)));
    harness.get_by_label("There is nothing to clean up.");
    assert!(harness.query_by_label("Clean up").is_none() && harness.query_by_label("Cancel").is_none());
    let before = harness.state().session.document().clone();
    harness.get_all_by_label("Close").last().expect("a button").click();
    harness.run_steps(4);
    assert!(harness.query_by_label("There is nothing to clean up.").is_none(), "the dialog is closed");
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn deleting_joints_asks_for_confirmation_with_counts() {
    let mut harness = open_dialog(girl::session(), None);
    select_bones(&mut harness.state_mut().session, &["Head"]);
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Confirm(Confirmation::DeleteJoints));
    harness.run_steps(4);
    harness.get_by_label("12 joints");
    harness.get_by_label_contains("4 chains");
    click_label(&mut harness, "Delete 12 joints");
    assert_eq!(harness.state().session.document().chains.len(), 2);
}

#[test]
fn setup_dialogs_can_be_rendered() {
    for (mode, lang) in [(ThemeMode::Dark, Lang::En), (ThemeMode::Light, Lang::Ja)] {
        for (name, session, wanted) in [
            ("mirror", girl::session as fn() -> Session, DialogKind::Mirror),
            ("body", figure_session, DialogKind::BodyColliders),
            ("body-again", figure_session_with_colliders, DialogKind::BodyColliders),
            ("find", girl::session, DialogKind::SelectByName),
            ("parent", girl::session, DialogKind::SetParent),
            ("paste", girl::session, DialogKind::PasteSpecial),
            ("clean", girl::session, DialogKind::Confirm(Confirmation::CleanUp)),
            ("clean-nothing", cleaned_up_session, DialogKind::Confirm(Confirmation::CleanUp)),
        ] {
            if std::env::var_os("YUREMONO_PICTURES").is_none() {
                return;
            }
            let mut fixture = WindowFixture::new(session(), prefs(mode, lang));
            fixture.ui.state_mut().dialogs_to_open.push(wanted);
            let Some(mut harness) = painted_harness(fixture, [1280.0, 720.0], 1.0) else { return };
            harness.run_steps(6);
            save_picture(&mut harness, &format!("setup-{name}-{}.png", lang.code()));
        }
    }
}
