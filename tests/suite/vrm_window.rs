//! VRM's solver in the window: choosing it, its groups, centers and limits, and what tools say under it.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at them.

use super::support;
use super::support::window::{Bench, keep, painted, window};
use egui::{Event, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use std::sync::Arc;
use yuremono::document::{Collider, ColliderId, Document, Edit, Label, Node};
use yuremono::feel::convert::convert;
use yuremono::format::tables;
use yuremono::session::{Command, Item, Pick, Scope, Session};
use yuremono::sim::solver::vrm::{PREVIEW_AS, STIFFNESS, VERSION};
use yuremono::sim::{Shape, SolverKind, SwingShape};
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::{self, Lang};
use yuremono::ui::{OutlinerTab, Prefs, Window};

const SIZE: [f32; 2] = [1440.0, 900.0];

fn girl_under(solver: SolverKind) -> Session {
    let opened = support::sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(false));
    session
}

/// As her file has her.
fn girl() -> Session {
    girl_under(SolverKind::Vrm)
}

/// The same as if her file were a VRM 0.x.
fn old_girl() -> Session {
    let girl = girl();
    let mut document = girl.document().clone();
    document.main_mut().values.set(VERSION, 1.0);
    let mut session = Session::new(Arc::clone(girl.character()), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn prefs(lang: Lang) -> Prefs {
    Prefs { mode: Mode::Dark, lang, reduce_motion: true, hints_done: [true; 3], ..Prefs::default() }
}

fn shown(session: Session) -> Harness<'static, Bench> {
    // With room for all sections of the inspector.
    window(Bench::new(session, prefs(Lang::En)), [SIZE[0], 2.0 * SIZE[1]])
}

fn outlined(session: Session) -> Harness<'static, Bench> {
    let mut bench = Bench::new(session, prefs(Lang::En));
    bench.ui.shared_mut().outliner_tab = OutlinerTab::Colliders;
    // Only rows in sight are drawn.
    window(bench, [SIZE[0], 2.0 * SIZE[1]])
}

fn steps(harness: &mut Harness<'static, Bench>) {
    harness.run_steps(4);
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    steps(harness);
}

fn document<'a>(harness: &'a Harness<'static, Bench>) -> &'a Document {
    harness.state().session.document()
}

fn next_undo(harness: &Harness<'static, Bench>) -> Option<&'static str> {
    harness.state().session.history().next_undo().map(|label| label.what)
}

/// Selects the first chain that has a group.
fn select_chain(session: &mut Session) -> yuremono::document::ChainId {
    let chain = session.document().chains.iter().find(|(_, c)| !c.groups.is_empty());
    let (id, root) = chain.map(|(id, c)| (*id, c.root())).expect("a chain with a group");
    session.handle(Command::Select(vec![root], Pick::Replace));
    id
}

#[test]
fn the_solver_in_use_is_ticked_and_another_one_is_asked_about_first() {
    let mut harness = shown(girl());
    harness.get_by_role_and_label(Role::ComboBox, "Solver").click();
    steps(&mut harness);
    let entry = |name: &str| harness.get_by_role_and_label(Role::MenuItemCheckBox, name).accesskit_node().toggled();
    assert_eq!(entry("VRM spring bone"), Some(egui::accesskit::Toggled::True));
    assert_eq!(entry("UnityChan SpringBone"), Some(egui::accesskit::Toggled::False));
    let before = document(&harness).clone();
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "UnityChan SpringBone").click();
    steps(&mut harness);
    harness.get_by_label_contains("goes from");
    assert_eq!(*document(&harness), before, "nothing is changed before the artist agrees");
    click(&mut harness, "Switch");
    assert_eq!(document(&harness).main().solver, SolverKind::UnityChanSpringBone);
    assert_eq!(next_undo(&harness), Some("switch_solver"));
    harness.state_mut().session.handle(Command::Undo);
    steps(&mut harness);
    assert_eq!(*document(&harness), before, "one step brings everything back");
}

#[test]
fn a_curve_that_the_other_solver_lacks_leaves_the_drawer_alone() {
    let mut session = girl_under(SolverKind::UnityChanSpringBone);
    let root = session.document().chains.values().next().expect("a chain").root();
    session.handle(Command::Select(vec![root], Pick::Replace));
    let table = session.document().main().table();
    let (row, _) = yuremono::schema::rows(table).filter(|(_, def)| def.curve).last().expect("rows with curves");
    assert!(row.index() >= SolverKind::Vrm.info().params.len());
    let edit = convert(session.document(), session.character(), SolverKind::Vrm).edit(session.document());
    let mut harness = shown(session);
    let shared = harness.state_mut().ui.shared_mut();
    (shared.curve, shared.drawer) = (Some(yuremono::ui::CurveOf::Row(row)), Some(yuremono::ui::DrawerTab::Curves));
    steps(&mut harness);
    harness.state_mut().session.handle(Command::Apply(edit, Label::new("switch_solver", 1)));
    steps(&mut harness);
    harness.state_mut().session.handle(Command::Undo);
    steps(&mut harness);
    assert_eq!(document(&harness).main().solver, SolverKind::UnityChanSpringBone);
}

#[test]
fn cancel_leaves_the_solver() {
    let mut harness = shown(girl());
    harness.state_mut().ui.shared_mut().open.push(Window::Switch(SolverKind::UnityChanSpringBone));
    steps(&mut harness);
    click(&mut harness, "Cancel");
    assert_eq!(document(&harness).main().solver, SolverKind::Vrm);
    assert!(harness.query_by_label_contains("goes from").is_none());
}

#[test]
fn the_window_lists_every_loss_with_its_bones() {
    let mut session = girl_under(SolverKind::UnityChanSpringBone);
    let (&id, chain) = session.document().chains.iter().next().expect("a chain");
    let (root, bone) = (chain.root(), chain.joints[0].bone);
    session.handle(Command::Select(vec![root], Pick::Replace));
    let mut changed = session.document().chains[&id].clone();
    changed.joints[0].length_targets = vec![yuremono::document::LengthTarget::new(Node::Bone(bone))];
    session.handle(Command::Apply(Edit::PutChain { id, chain: Some(Box::new(changed)) }, Label::new("set", 1)));
    let plate = Collider::new("Plate", Node::Bone(root), Shape::Panel { width: 0.1, height: 0.1 });
    session
        .handle(Command::Apply(Edit::PutCollider { id: ColliderId(900), collider: Some(plate) }, Label::new("set", 1)));
    let losses = convert(session.document(), session.character(), SolverKind::Vrm).losses;
    assert!(!losses.is_empty());
    session.handle(Command::Deselect);
    let mut harness = shown(session);
    harness.state_mut().ui.shared_mut().open.push(Window::Switch(SolverKind::Vrm));
    steps(&mut harness);
    harness.get_by_label("1 bone keeps no length to others any more");
    harness.get_by_label("1 collider pushes nothing: the solver has no such shape");
    harness.get_by_label_contains("Plate ");
    click(&mut harness, "1 collider pushes nothing: the solver has no such shape");
    assert!(harness.query_by_label_contains("Plate ").is_none(), "a click puts its lines away");
}

#[test]
fn a_switch_that_costs_nothing_says_so() {
    let girl = girl();
    let session = Session::new(Arc::clone(girl.character()), Document::under(SolverKind::Vrm));
    assert_eq!(convert(session.document(), session.character(), SolverKind::UnityChanSpringBone).losses, []);
    let mut harness = shown(session);
    harness.state_mut().ui.shared_mut().open.push(Window::Switch(SolverKind::UnityChanSpringBone));
    steps(&mut harness);
    harness.get_by_label_contains("This costs nothing");
}

#[test]
fn whose_ways_are_shown_is_chosen_with_and_without_a_selection() {
    for selected in [false, true] {
        let mut session = girl();
        if selected {
            select_chain(&mut session);
        }
        let mut harness = shown(session);
        harness.get_by_label_contains("as the specification says");
        click(&mut harness, "three-vrm");
        assert_eq!(document(&harness).main().get(PREVIEW_AS), 2.0);
        harness.get_by_label_contains("one frame before");
        click(&mut harness, "UniVRM");
        harness.get_by_label_contains("capsules are tested at the head");
    }
}

#[test]
fn a_chip_lets_a_group_push_the_selected_chain_or_no_more() {
    let mut session = girl();
    let id = select_chain(&mut session);
    let group = session.document().chains[&id].groups[0];
    let name = session.inspection().group_choices().into_iter().find(|c| c.id == group).expect("it is listed").name;
    let mut harness = shown(session);
    click(&mut harness, &name);
    assert!(!document(&harness).chains[&id].groups.contains(&group));
    assert_eq!(next_undo(&harness), Some("group_off"));
    click(&mut harness, &name);
    assert!(document(&harness).chains[&id].groups.contains(&group));
}

#[test]
fn a_center_is_chosen_among_what_stands_above_the_chain() {
    let mut session = girl();
    let id = select_chain(&mut session);
    let above = session.inspection().center_choices()[0];
    let name = session.inspection().bone_name(above).to_owned();
    let mut harness = shown(session);
    click(&mut harness, "Center: None: the world");
    harness.event(Event::Text(name.clone()));
    steps(&mut harness);
    harness.get_all_by_role_and_label(Role::Button, &name).next().expect("a line of the list").click();
    steps(&mut harness);
    assert_eq!(document(&harness).chains[&id].center, Some(Node::Bone(above)));
    assert_eq!(next_undo(&harness), Some("center"));
}

#[test]
fn joints_get_a_limit_whose_angle_a_slider_sets() {
    let mut session = girl();
    let id = select_chain(&mut session);
    let mut harness = shown(session);
    let limit = |h: &Harness<'static, Bench>, at: usize| document(h).chains[&id].joints[at].limit.map(|l| l.shape);
    click(&mut harness, "Cone");
    assert_eq!(limit(&harness, 0), Some(SwingShape::Cone { angle: std::f32::consts::FRAC_PI_4 }));
    harness.get_by_role_and_label(Role::Slider, "Angle").click();
    steps(&mut harness);
    harness.get_by_role_and_label(Role::TextInput, "Angle").type_text("30");
    steps(&mut harness);
    harness.key_press(egui::Key::Enter);
    steps(&mut harness);
    let Some(SwingShape::Cone { angle }) = limit(&harness, 0) else { panic!("a cone") };
    assert!((angle.to_degrees() - 30.0).abs() < 1e-3);
    click(&mut harness, "Reset Swing limit");
    assert_eq!(limit(&harness, 0), None);
}

#[test]
fn several_limits_are_mixed_and_typing_makes_them_equal() {
    let mut session = girl();
    let id = select_chain(&mut session);
    session.handle(Command::SetScope(Scope::Joints));
    session.handle(Command::SetSwing(Some(yuremono::tools::swing::SwingKind::Hinge)));
    session.handle(Command::SetScope(Scope::Chains));
    let view = session.inspection().swing().expect("VRM has limits");
    assert_eq!((view.kind, view.limited), (None, 1), "one has a hinge and the others have none");
    let mut harness = shown(session);
    click(&mut harness, "Hinge");
    let joints = &document(&harness).chains[&id].joints;
    assert!(joints.iter().all(|j| matches!(j.limit.map(|l| l.shape), Some(SwingShape::Hinge { .. }))));
}

#[test]
fn vrm_0_has_no_limits_and_one_number_for_a_chain() {
    let mut session = old_girl();
    select_chain(&mut session);
    session.handle(Command::SetScope(Scope::Joints));
    let mut harness = shown(session);
    harness.get_by_label("VRM 0.x has no swing limits.");
    harness.get_all_by_label_contains("VRM 0.x holds one number per chain").next().expect("it is told");
    harness.state_mut().session.handle(Command::Set(STIFFNESS, 3.5));
    harness.state_mut().session.handle(Command::SetScope(Scope::Chains));
    steps(&mut harness);
    harness.get_all_by_label_contains("Joints differ here").next().expect("it is told");
}

#[test]
fn the_outliner_shows_groups_with_what_they_have_and_a_collider_in_each() {
    let mut session = girl();
    let (edit, _) = yuremono::document::groups::make(session.document(), "Twice", &[ColliderId(1)]);
    session.handle(Command::Apply(edit, Label::new("new_group", 1)));
    let name = session.document().colliders[&ColliderId(1)].name.clone();
    let within = session.document().groups.values().filter(|g| g.colliders.contains(&ColliderId(1))).count();
    assert!(within >= 2);
    let harness = outlined(session);
    harness.get_by_role_and_label(Role::Heading, "Collider groups");
    harness.get_by_role_and_label(Role::TreeItem, "Twice");
    assert_eq!(harness.get_all_by_role_and_label(Role::TreeItem, &name).count(), within);
}

#[test]
fn a_group_is_made_named_filled_and_deleted() {
    let mut session = girl();
    session.handle(Command::SelectItems(vec![Item::Collider(ColliderId(1))], Pick::Replace));
    let before = session.document().groups.len();
    let mut harness = outlined(session);
    click(&mut harness, "Make");
    click(&mut harness, "New group of the selected colliders");
    harness.get_by_role_and_label(Role::TextInput, "Rename").type_text("Skirt");
    harness.key_press(egui::Key::Enter);
    steps(&mut harness);
    assert_eq!(document(&harness).groups.len(), before + 1);
    let (id, group) = document(&harness).groups.last_key_value().map(|(id, g)| (*id, g.clone())).expect("it is there");
    assert!(group.name.contains("Skirt"), "{}", group.name);
    assert_eq!(group.colliders, [ColliderId(1)]);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    steps(&mut harness);
    click(&mut harness, "Take selected colliders out");
    assert_eq!(document(&harness).groups[&id].colliders, []);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    steps(&mut harness);
    click(&mut harness, "Add selected colliders");
    assert_eq!(document(&harness).groups[&id].colliders, [ColliderId(1)]);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    steps(&mut harness);
    click(&mut harness, "Delete group");
    assert_eq!(document(&harness).groups.len(), before);
}

#[test]
fn rooms_and_planes_are_made_where_the_solver_knows_them_and_plates_where_it_does() {
    for (solver, known, unknown) in [
        (SolverKind::Vrm, "Plane", "Panel collider"),
        (SolverKind::UnityChanSpringBone, "Panel collider", "Room in a sphere"),
    ] {
        let mut harness = outlined(girl_under(solver));
        click(&mut harness, "Make");
        let enabled = |name: &str| !harness.get_by_role_and_label(Role::MenuItem, name).accesskit_node().is_disabled();
        assert!(enabled(known) && !enabled(unknown), "{solver:?}");
        let before = document(&harness).colliders.len();
        click(&mut harness, known);
        assert_eq!(document(&harness).colliders.len(), before + 1);
    }
}

#[test]
fn tools_without_use_are_grey_and_the_pose_can_be_taken_for_rest() {
    let mut harness = shown(girl());
    click(&mut harness, "Setup");
    let enabled = |h: &Harness<'static, Bench>, name: &str| {
        !h.get_by_role_and_label(Role::MenuItem, name).accesskit_node().is_disabled()
    };
    assert!(enabled(&harness, "Take this pose as rest"));
    assert!(enabled(&harness, "Mirror…") && enabled(&harness, "Body colliders…"));
    assert!(!enabled(&harness, "Engine's settings"));
    harness.get_by_role_and_label(Role::MenuItem, "Take this pose as rest").hover();
    harness.run_steps(60);
    harness.get_by_label_contains("until the setup is built anew");
    let mut unity = shown(girl_under(SolverKind::UnityChanSpringBone));
    click(&mut unity, "Setup");
    assert!(!enabled(&unity, "Take this pose as rest") && enabled(&unity, "Mirror…"));
}

#[test]
fn body_colliders_come_as_groups_under_vrm() {
    let girl = girl();
    let mut bare = girl.document().clone();
    bare.groups.clear();
    bare.colliders.clear();
    bare.chains.values_mut().for_each(|chain| chain.groups.clear());
    let mut harness = shown(Session::new(Arc::clone(girl.character()), bare));
    let before = document(&harness).groups.len();
    harness.state_mut().ui.shared_mut().open.push(Window::BodyColliders);
    steps(&mut harness);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    steps(&mut harness);
    assert_eq!(next_undo(&harness), Some("body_colliders"));
    assert!(document(&harness).groups.len() > before);
    assert!(document(&harness).chains.values().flat_map(|c| &c.joints).all(|j| j.colliders.is_empty()));
}

#[test]
fn a_table_of_another_solver_brings_it_along_in_one_step() {
    let unity = girl_under(SolverKind::UnityChanSpringBone);
    let options = yuremono::exchange::ExportOptions::default();
    let exported = yuremono::exchange::export(unity.document(), &unity.character().skeleton, options);
    let bytes = tables::write_setup(&exported.file, options);
    let (file, found) = tables::read_setup(&bytes, "hair.csv").expect("a table");
    let mut bench = Bench::new(girl(), prefs(Lang::En));
    bench.ui.windows_mut().offer_setup("hair.csv", file, found, &bench.session);
    let mut harness = window(bench, SIZE);
    harness.get(
        By::new()
            .role(Role::Button)
            .label_contains("Import ")
            .predicate(|node| node.label().is_some_and(|label| label.contains(" row"))),
    );
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    steps(&mut harness);
    assert_eq!(document(&harness).main().solver, SolverKind::UnityChanSpringBone);
    harness.state_mut().session.handle(Command::Undo);
    assert_eq!(document(&harness).main().solver, SolverKind::Vrm, "both in one step");
}

#[test]
fn pictures_of_vrm_in_the_window() {
    for (lang, name) in [(Lang::En, "en"), (Lang::Ja, "ja")] {
        let mut session = girl();
        select_chain(&mut session);
        session.handle(Command::SetSwing(Some(yuremono::tools::swing::SwingKind::Spherical)));
        let mut bench = Bench::new(session, prefs(lang));
        bench.ui.shared_mut().outliner_tab = OutlinerTab::Colliders;
        let Some(mut harness) = painted(bench, SIZE, 1.0) else { return };
        keep(&mut harness, &format!("vrm-{name}.png"));
        harness.state_mut().ui.shared_mut().open.push(Window::Switch(SolverKind::UnityChanSpringBone));
        steps(&mut harness);
        keep(&mut harness, &format!("vrm-switch-{name}.png"));
        assert!(words::find(lang, "solver.window.title").is_some());
    }
}
