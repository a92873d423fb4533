//! The Setup menu and its windows, worked by what they say.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at them.

use super::support::window::{Bench, keep, painted, window};
use super::support::{figure, girl};
use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use std::sync::Arc;
use yuremono::document::{ChainId, Collider, ColliderId, Label, Node};
use yuremono::session::{Command, Item, Pick, Session};
use yuremono::sim::Shape;
use yuremono::sim::solver::spring_bone::{SPRING_FORCE, STIFFNESS};
use yuremono::tools::tidy;
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::Lang;
use yuremono::ui::{Ask, GuideInk, Prefs, Window};

const SIZE: [f32; 2] = [1440.0, 900.0];

fn prefs(mode: Mode, lang: Lang) -> Prefs {
    Prefs { mode, lang, reduce_motion: true, hints_done: [true; 3], ..Prefs::default() }
}

fn figure_session() -> Session {
    let character = figure::character();
    let document = figure::document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn open(session: Session, wanted: Option<Window>) -> Harness<'static, Bench> {
    let mut bench = Bench::new(session, prefs(Mode::Dark, Lang::En));
    bench.ui.shared_mut().open.extend(wanted);
    let mut harness = window(bench, SIZE);
    harness.run_steps(3);
    harness
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

fn select(session: &mut Session, names: &[&str]) {
    let bones = names.iter().map(|name| girl::bone(session, name)).collect();
    session.handle(Command::Select(bones, Pick::Replace));
}

fn next_undo(harness: &Harness<'static, Bench>) -> Option<&'static str> {
    harness.state().session.history().next_undo().map(|l| l.what)
}

#[test]
fn the_mirror_window_opens_from_its_menu_and_mirrors_in_one_step() {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::Set(STIFFNESS, 777.0));
    session.handle(Command::Deselect);
    let mut harness = open(session, None);
    click(&mut harness, "Setup");
    click(&mut harness, "Mirror…");
    click(&mut harness, "Mirror 5 joints");
    assert_eq!(next_undo(&harness), Some("mirror"));
    assert!(harness.query_by_label("Mirror 5 joints").is_none(), "it is closed");
}

/// The mirror window with that sideways pull on the joints of the left, and nothing else that could change sign.
fn mirror_with_pull(pull: f32) -> Harness<'static, Bench> {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::Set(SPRING_FORCE[0], pull));
    session.handle(Command::Deselect);
    open(session, Some(Window::Mirror))
}

#[test]
fn only_values_that_read_otherwise_afterwards_are_told_to_change_sign() {
    let still = mirror_with_pull(0.0);
    still.get_by_label("Nothing changes sign here.");
    assert!(still.query_by_label_contains(" becomes ").is_none());
    let pulled = mirror_with_pull(2.0);
    pulled.get_by_label_contains("2.00 becomes −2.00");
    assert!(pulled.query_by_label("Nothing changes sign here.").is_none());
}

#[test]
fn the_other_side_and_a_row_can_be_taken_out() {
    let mut harness = open(girl::session(), Some(Window::Mirror));
    click(&mut harness, "Right (X < 0)");
    harness.get_by_label("Mirror 5 joints");
    click(&mut harness, "Take TwinTail_R_03");
    harness.get_by_label("Mirror 4 joints");
    click(&mut harness, "Swap");
    harness.get_by_label("Mirror 5 joints");
}

#[test]
fn a_target_is_chosen_by_hand() {
    let mut harness = open(girl::session(), Some(Window::Mirror));
    click(&mut harness, "Target of TwinTail_L_04");
    harness.event(Event::Text("Shoulder_R".to_owned()));
    harness.run_steps(3);
    // The outliner has a row of that name too.
    harness.get_all_by_label("Shoulder_R").last().expect("a row").click();
    harness.run_steps(4);
    harness.get_by_label("Mirror 6 joints");
}

#[test]
fn chains_may_vanish_below_the_mirror_window_and_come_back() {
    let mut harness = open(girl::session(), Some(Window::Mirror));
    click(&mut harness, "Target of TwinTail_L_04");
    let chains = harness.state().session.document().chains.keys().copied().collect();
    harness.state_mut().session.handle(Command::RemoveChains(chains));
    harness.run_steps(3);
    assert!(harness.query_by_label("Target of TwinTail_L_04").is_none());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(2);
    assert_eq!(next_undo(&harness), Some("remove_chains"), "nothing is left to mirror");
    harness.state_mut().session.handle(Command::Undo);
    harness.run_steps(3);
    harness.get_by_label("Mirror 5 joints");
}

#[test]
fn only_what_is_selected_is_mirrored_and_the_list_selects_back() {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_R_01"]);
    let mut harness = open(session, Some(Window::Mirror));
    harness.get_by_label("Mirror 3 joints");
    click(&mut harness, "Targets");
    let bones = &harness.state().session.selection().bones;
    assert_eq!(bones.len(), 3);
    assert!(bones.contains(&girl::bone(&harness.state().session, "TwinTail_L_01")));
    harness.get_by_label("Mirror 3 joints");
}

#[test]
fn the_view_shows_pairs_while_the_window_is_open() {
    let mut harness = open(girl::session(), Some(Window::Mirror));
    let inks = |h: &mut Harness<'static, Bench>| {
        h.state_mut().ui.shared_mut().guides.iter().map(|g| g.ink).collect::<Vec<_>>()
    };
    let shown = inks(&mut harness);
    for ink in [GuideInk::Source, GuideInk::Target, GuideInk::Plane, GuideInk::Link] {
        assert!(shown.contains(&ink), "{ink:?}");
    }
    harness.key_press(Key::Escape);
    harness.run_steps(4);
    assert!(inks(&mut harness).is_empty());
}

#[test]
fn body_colliders_are_fitted_shown_and_made() {
    let mut harness = open(figure_session(), Some(Window::BodyColliders));
    harness.get_by_label("Make 12 colliders");
    click(&mut harness, "Take Neck");
    click(&mut harness, "Make 11 colliders");
    assert_eq!(harness.state().session.document().colliders.len(), 11);
    assert_eq!(next_undo(&harness), Some("body_colliders"));
}

/// What a row says of its cells.
fn cells(harness: &Harness<'static, Bench>, row: &str) -> String {
    let rows = harness.get_all_by_label(row);
    rows.filter_map(|node| node.value()).next_back().unwrap_or_default()
}

/// The figure with a big ball of the artist's on her head, called as the fitted one, and one on a thigh that is not.
fn figure_with_colliders() -> Session {
    let character = figure::character();
    let mut document = figure::document(&character);
    let bone = |name: &str| Node::Bone(character.skeleton.find(name).expect("a bone"));
    let ball = |name: &str, on: Node| Collider::new(name, on, Shape::Sphere { radius: 0.173, inside: false });
    document.colliders.insert(ColliderId(1), ball("HeadSphereCollider", bone("Head")));
    document.colliders.insert(ColliderId(2), ball("Thigh_Ball", bone("Leg_L")));
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

#[test]
fn parts_that_carry_a_collider_say_which_and_start_unticked() {
    let mut harness = open(figure_with_colliders(), Some(Window::BodyColliders));
    let head = cells(&harness, "HeadSphereCollider");
    assert!(head.contains("updates HeadSphereCollider, 173 → 97 mm"), "{head}");
    let thigh = cells(&harness, "Leg_LCapsuleCollider");
    assert!(thigh.contains("Thigh_Ball is here already"), "{thigh}");
    let other = cells(&harness, "Leg_RCapsuleCollider");
    assert!(other.contains("new"), "{other}");
    click(&mut harness, "Make 10 colliders");
    let document = harness.state().session.document();
    assert_eq!(document.colliders.len(), 12);
    assert_eq!(
        document.colliders[&ColliderId(1)].shape,
        Shape::Sphere { radius: 0.173, inside: false },
        "hers is as it was"
    );
}

#[test]
fn the_tick_in_the_head_takes_all_parts_and_none() {
    let mut harness = open(figure_with_colliders(), Some(Window::BodyColliders));
    click(&mut harness, "Take all parts");
    harness.get_by_label("Make 11, update 1");
    click(&mut harness, "Take all parts");
    assert!(harness.get_by_label("Make 0 colliders").accesskit_node().is_disabled());
    harness.get_by_label_contains("Nothing is ticked");
    click(&mut harness, "Take Head");
    click(&mut harness, "Update 1 collider");
    let document = harness.state().session.document();
    assert_eq!(document.colliders.len(), 2);
    assert_ne!(document.colliders[&ColliderId(1)].shape, Shape::Sphere { radius: 0.173, inside: false });
}

#[test]
fn made_again_all_are_updated_in_place() {
    let mut harness = open(figure_session(), Some(Window::BodyColliders));
    click(&mut harness, "Make 12 colliders");
    let once = harness.state().session.document().clone();
    harness.state_mut().ui.shared_mut().open.push(Window::BodyColliders);
    harness.run_steps(4);
    harness.get_by_label("Make 0 colliders");
    let head = cells(&harness, "HeadSphereCollider");
    assert!(head.contains("mm as before"), "{head}");
    click(&mut harness, "Take all parts");
    click(&mut harness, "Update 12 colliders");
    assert_eq!(*harness.state().session.document(), once);
}

#[test]
fn a_character_without_body_says_so() {
    let harness = open(girl::session(), Some(Window::BodyColliders));
    harness.get_by_label_contains("No part of the body can be fitted");
}

#[test]
fn skirts_are_linked_from_the_menu() {
    let mut harness = open(figure_session(), None);
    click(&mut harness, "Setup");
    harness.get_by_label("Skirt").hover();
    harness.run_steps(8);
    click(&mut harness, "Link neighbouring columns");
    assert_eq!(next_undo(&harness), Some("link_columns"));
}

#[test]
fn words_select_bones_joints_or_colliders() {
    let mut harness = open(girl::session(), Some(Window::SelectByName));
    harness.event(Event::Text("tail".to_owned()));
    harness.run_steps(3);
    harness.get_by_label("Select 8");
    click(&mut harness, "Joints");
    click(&mut harness, "Select 8");
    assert_eq!(harness.state().session.selection().bones.len(), 8);
    harness.state_mut().ui.shared_mut().open.push(Window::SelectByName);
    harness.run_steps(4);
    harness.event(Event::Text("collider".to_owned()));
    harness.run_steps(3);
    // The outliner has a tab of that name.
    harness.get_all_by_label("Colliders").last().expect("a choice").click();
    harness.run_steps(4);
    click(&mut harness, "Select 2");
    assert_eq!(harness.state().session.selection().items.len(), 2);
}

#[test]
fn a_node_gets_another_parent() {
    let mut session = girl::session();
    let id = *session.document().colliders.keys().next().expect("one");
    session.handle(Command::SelectItems(vec![Item::Collider(id)], Pick::Replace));
    let mut harness = open(session, Some(Window::SetParent));
    harness.event(Event::Text("Neck".to_owned()));
    harness.run_steps(3);
    harness.get_all_by_label("Neck").last().expect("a row").click();
    harness.run_steps(3);
    click(&mut harness, "Move 1 node");
    assert_eq!(next_undo(&harness), Some("set_parent"));
}

#[test]
fn values_are_copied_and_pasted_by_their_keys() {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_L_01"]);
    session.handle(Command::Set(STIFFNESS, 777.0));
    let mut harness = open(session, None);
    harness.event(Event::Copy);
    harness.run_steps(2);
    let to = girl::bone(&harness.state().session, "TwinTail_R_01");
    harness.state_mut().session.handle(Command::Select(vec![to], Pick::Replace));
    harness.event(Event::Paste("anything".to_owned()));
    harness.run_steps(2);
    assert_eq!(next_undo(&harness), Some("paste"));
    let chain = &harness.state().session.document().chains[&ChainId(3)];
    assert_eq!(chain.values[STIFFNESS.index()].base, 777.0);
}

#[test]
fn keys_of_copying_belong_to_a_text_while_one_is_typed() {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_L_01"]);
    let mut harness = open(session, Some(Window::SelectByName));
    harness.event(Event::Copy);
    harness.run_steps(2);
    assert!(harness.state_mut().ui.shared_mut().copied.is_none());
}

#[test]
fn some_of_what_was_copied_is_pasted() {
    let mut session = girl::session();
    select(&mut session, &["TwinTail_L_01"]);
    let mut harness = open(session, None);
    harness.event(Event::Copy);
    harness.run_steps(2);
    let to = girl::bone(&harness.state().session, "Skirt_01");
    harness.state_mut().session.handle(Command::Select(vec![to], Pick::Replace));
    harness.state_mut().ui.shared_mut().open.push(Window::PasteSpecial);
    harness.run_steps(4);
    click(&mut harness, "Numbers");
    harness.get_all_by_label("Angle limits").last().expect("a tick").click();
    harness.run_steps(4);
    assert!(!harness.get_by_label("Paste on 1 chain").accesskit_node().is_disabled());
    click(&mut harness, "Paste on 1 chain");
    assert_ne!(next_undo(&harness), Some("nothing"));
}

#[test]
fn cleaning_up_tells_how_much_before_it_does() {
    let mut harness = open(girl::session(), Some(Window::Ask(Ask::CleanUp)));
    harness.get_by_label_contains("2 colliders that no joint lists");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    assert_eq!(next_undo(&harness), Some("clean_up"));
    assert!(harness.state().session.document().colliders.is_empty());
}

fn tidy_session() -> Session {
    let mut session = girl::session();
    let edit = tidy::clean_up(session.document(), &session.character().skeleton).tidy.edit;
    session.handle(Command::Apply(edit, Label::new("clean_up", 1)));
    session
}

#[test]
fn with_nothing_to_clean_up_there_is_only_close() {
    let mut harness = open(tidy_session(), Some(Window::Ask(Ask::CleanUp)));
    harness.get_by_label("Everything is in order.");
    assert!(harness.query_by_label("Clean up").is_none() && harness.query_by_label("Cancel").is_none());
    let before = harness.state().session.document().clone();
    harness.get_all_by_label("Close").last().expect("a button").click();
    harness.run_steps(4);
    assert!(harness.query_by_label("Everything is in order.").is_none(), "it is closed");
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn deleting_joints_asks_with_counts() {
    let mut harness = open(girl::session(), None);
    select(&mut harness.state_mut().session, &["Head"]);
    harness.state_mut().ui.shared_mut().open.push(Window::Ask(Ask::DeleteSprings));
    harness.run_steps(4);
    harness.get_by_label_contains("12 joints");
    harness.get_by_label_contains("4 chains");
    click(&mut harness, "Delete");
    assert_eq!(harness.state().session.document().chains.len(), 2);
}

#[test]
fn pictures_of_the_windows() {
    for (mode, lang) in [(Mode::Dark, Lang::En), (Mode::Light, Lang::Ja)] {
        for (name, session, wanted) in [
            ("mirror", girl::session as fn() -> Session, Window::Mirror),
            ("body", figure_session, Window::BodyColliders),
            ("body-again", figure_with_colliders, Window::BodyColliders),
            ("find", girl::session, Window::SelectByName),
            ("parent", girl::session, Window::SetParent),
            ("paste", girl::session, Window::PasteSpecial),
            ("clean", girl::session, Window::Ask(Ask::CleanUp)),
            ("clean-nothing", tidy_session, Window::Ask(Ask::CleanUp)),
        ] {
            if std::env::var_os("YUREMONO_PICTURES").is_none() {
                return;
            }
            let mut bench = Bench::new(session(), prefs(mode, lang));
            bench.ui.shared_mut().open.push(wanted);
            let Some(mut harness) = painted(bench, [1280.0, 720.0], 1.0) else { return };
            harness.run_steps(6);
            keep(&mut harness, &format!("setup-{name}-{}.png", lang.code()));
        }
    }
}
