//! Tests the VRM solver in the window: choosing the solver, its groups, centers and limits, and the messages of tools.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the window there.

use super::support;
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use egui::{Event, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{DialogKind, OutlinerTab, Prefs};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables;
use yuremono_model::document::{Collider, ColliderId, Document, Edit, EditLabel, Node};
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, SceneObject, SelectMode, Session, TuningScope};
use yuremono_sim::diagnostics::message;
use yuremono_sim::solver::vrm::{PREVIEW_AS, STIFFNESS, VERSION};
use yuremono_sim::{ColliderShape, SolverKind, SwingShape};

const WINDOW_SIZE: [f32; 2] = [1440.0, 900.0];

fn sample_session_with(solver: SolverKind) -> Session {
    let opened = support::sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(false));
    session
}

/// Returns a session of the sample character, which is a VRM 1.0 file.
fn vrm_1_session() -> Session {
    sample_session_with(SolverKind::Vrm)
}

/// Returns a session of the sample character as if the file was VRM 0.x.
fn vrm_0_session() -> Session {
    let sample = vrm_1_session();
    let mut document = sample.document().clone();
    document.main_system_mut().values.set(VERSION, 1.0);
    let mut session = Session::new(Arc::clone(sample.character()), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn prefs(lang: Lang) -> Prefs {
    Prefs { mode: ThemeMode::Dark, lang, reduce_motion: true, dismissed_hints: [true; 3], ..Prefs::default() }
}

fn tall_window_harness(session: Session) -> Harness<'static, WindowFixture> {
    // The window is tall enough for all sections of the inspector.
    window_harness(WindowFixture::new(session, prefs(Lang::En)), [WINDOW_SIZE[0], 2.0 * WINDOW_SIZE[1]])
}

fn collider_tab_harness(session: Session) -> Harness<'static, WindowFixture> {
    let mut fixture = WindowFixture::new(session, prefs(Lang::En));
    fixture.ui.state_mut().outliner_tab = OutlinerTab::Colliders;
    // The window is tall, because only visible rows are drawn.
    window_harness(fixture, [WINDOW_SIZE[0], 3.0 * WINDOW_SIZE[1]])
}

fn run_frames(harness: &mut Harness<'static, WindowFixture>) {
    harness.run_steps(4);
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    run_frames(harness);
}

fn document<'a>(harness: &'a Harness<'static, WindowFixture>) -> &'a Document {
    harness.state().session.document()
}

fn next_undo_label(harness: &Harness<'static, WindowFixture>) -> Option<&'static str> {
    harness.state().session.history().next_undo().map(|label| label.text.template())
}

/// Selects the first chain that has a group.
fn select_chain_with_group(session: &mut Session) -> yuremono_model::document::ChainId {
    let chain = session.document().chains.iter().find(|(_, c)| !c.groups.is_empty());
    let (id, root) = chain.map(|(id, c)| (*id, c.root())).expect("a chain with a group");
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    id
}

#[test]
fn the_current_solver_is_checked_and_a_switch_needs_confirmation() {
    let mut harness = tall_window_harness(vrm_1_session());
    harness.get_by_role_and_label(Role::ComboBox, "Solver").click();
    run_frames(&mut harness);
    let entry = |name: &str| harness.get_by_role_and_label(Role::MenuItemCheckBox, name).accesskit_node().toggled();
    assert_eq!(entry("VRM spring bone"), Some(egui::accesskit::Toggled::True));
    assert_eq!(entry("UnityChan SpringBone"), Some(egui::accesskit::Toggled::False));
    let before = document(&harness).clone();
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "UnityChan SpringBone").click();
    run_frames(&mut harness);
    harness.get_by_label_contains("switch from");
    assert_eq!(*document(&harness), before, "nothing changes before the artist confirms");
    click_label(&mut harness, "Switch");
    assert_eq!(document(&harness).main_system().solver, SolverKind::UnityChanSpringBone);
    assert_eq!(next_undo_label(&harness), Some("Switch to {name}"));
    harness.state_mut().session.handle(Command::Undo);
    run_frames(&mut harness);
    assert_eq!(*document(&harness), before, "one undo step restores everything");
}

#[test]
fn the_curve_drawer_handles_a_switch_to_a_solver_without_its_param() {
    let mut session = sample_session_with(SolverKind::UnityChanSpringBone);
    let root = session.document().chains.values().next().expect("a chain").root();
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    let table = session.document().main_system().param_defs();
    let (param, _) =
        yuremono_sim::params::enumerate_params(table).filter(|(_, def)| def.curve).last().expect("rows with curves");
    assert!(param.index() >= SolverKind::Vrm.info().params.len());
    let edit = convert(session.document(), session.character(), SolverKind::Vrm).edit(session.document());
    let mut harness = tall_window_harness(session);
    let shared = harness.state_mut().ui.state_mut();
    (shared.shown_curve, shared.drawer_tab) =
        (Some(yuremono::ui::CurveRef::Param(param)), Some(yuremono::ui::DrawerTab::Curves));
    run_frames(&mut harness);
    harness.state_mut().session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
    run_frames(&mut harness);
    harness.state_mut().session.handle(Command::Undo);
    run_frames(&mut harness);
    assert_eq!(document(&harness).main_system().solver, SolverKind::UnityChanSpringBone);
}

#[test]
fn cancel_keeps_the_solver() {
    let mut harness = tall_window_harness(vrm_1_session());
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(SolverKind::UnityChanSpringBone));
    run_frames(&mut harness);
    click_label(&mut harness, "Cancel");
    assert_eq!(document(&harness).main_system().solver, SolverKind::Vrm);
    assert!(harness.query_by_label_contains("switch from").is_none());
}

#[test]
fn the_switch_solver_dialog_lists_losses_with_their_entries() {
    let mut session = sample_session_with(SolverKind::UnityChanSpringBone);
    let (&id, chain) = session.document().chains.iter().next().expect("a chain");
    let (root, bone) = (chain.root(), chain.joints[0].bone);
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    let mut changed = session.document().chains[&id].clone();
    changed.joints[0].length_targets = vec![yuremono_model::document::LengthTarget::new(Node::Bone(bone))];
    session.handle(Command::ApplyEdit(
        Edit::PutChain { id, chain: Some(Box::new(changed)) },
        EditLabel::new(message!("Set")),
    ));
    let plate = Collider::new("Plate", Node::Bone(root), ColliderShape::Panel { width: 0.1, height: 0.1 });
    session.handle(Command::ApplyEdit(
        Edit::PutCollider { id: ColliderId(900), collider: Some(plate) },
        EditLabel::new(message!("Set")),
    ));
    let losses = convert(session.document(), session.character(), SolverKind::Vrm).losses;
    assert!(!losses.is_empty());
    session.handle(Command::ClearSelection);
    let mut harness = tall_window_harness(session);
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(SolverKind::Vrm));
    run_frames(&mut harness);
    harness.get_by_label("1 bone loses its length limits");
    harness.get_by_label("1 collider has no effect: the solver does not support its shape");
    harness.get_by_label_contains("Plate ");
    click_label(&mut harness, "1 collider has no effect: the solver does not support its shape");
    assert!(harness.query_by_label_contains("Plate ").is_none(), "a click collapses the section");
}

#[test]
fn the_switch_solver_dialog_says_when_nothing_is_lost() {
    let sample = vrm_1_session();
    let session = Session::new(Arc::clone(sample.character()), Document::with_solver(SolverKind::Vrm));
    assert_eq!(convert(session.document(), session.character(), SolverKind::UnityChanSpringBone).losses, []);
    let mut harness = tall_window_harness(session);
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(SolverKind::UnityChanSpringBone));
    run_frames(&mut harness);
    harness.get_by_label_contains("No parameter is lost");
}

#[test]
fn the_previewed_runtime_can_be_chosen_with_and_without_a_selection() {
    for selected in [false, true] {
        let mut session = vrm_1_session();
        if selected {
            select_chain_with_group(&mut session);
        }
        let mut harness = tall_window_harness(session);
        harness.get_by_label_contains("As the specification says");
        click_label(&mut harness, "three-vrm");
        assert_eq!(document(&harness).main_system().get(PREVIEW_AS), 2.0);
        harness.get_by_label_contains("the previous frame");
        click_label(&mut harness, "UniVRM");
        harness.get_by_label_contains("capsules are tested at the root end");
    }
}

#[test]
fn a_group_chip_assigns_and_unassigns_the_selected_chain() {
    let mut session = vrm_1_session();
    let id = select_chain_with_group(&mut session);
    let group = session.document().chains[&id].groups[0];
    let name = session.inspection().group_choices().into_iter().find(|c| c.id == group).expect("a listed group").name;
    let mut harness = tall_window_harness(session);
    click_label(&mut harness, &name);
    assert!(!document(&harness).chains[&id].groups.contains(&group));
    assert_eq!(next_undo_label(&harness), Some("Unassign {name} from {n:chain|chains}"));
    click_label(&mut harness, &name);
    assert!(document(&harness).chains[&id].groups.contains(&group));
}

#[test]
fn a_center_can_be_chosen_from_the_ancestors_of_the_chain() {
    let mut session = vrm_1_session();
    let id = select_chain_with_group(&mut session);
    let above = session.inspection().center_choices()[0];
    let name = session.inspection().bone_name(above).to_owned();
    let mut harness = tall_window_harness(session);
    click_label(&mut harness, "Center: None (world)");
    harness.event(Event::Text(name.clone()));
    run_frames(&mut harness);
    harness.get_all_by_role_and_label(Role::Button, &name).next().expect("an entry of the list").click();
    run_frames(&mut harness);
    assert_eq!(document(&harness).chains[&id].center, Some(Node::Bone(above)));
    assert_eq!(next_undo_label(&harness), Some("Center {name} for {n:chain|chains}"));
}

#[test]
fn a_swing_limit_can_be_added_and_its_angle_typed_into_a_slider() {
    let mut session = vrm_1_session();
    let id = select_chain_with_group(&mut session);
    let mut harness = tall_window_harness(session);
    let limit =
        |h: &Harness<'static, WindowFixture>, at: usize| document(h).chains[&id].joints[at].limit.map(|l| l.shape);
    click_label(&mut harness, "Cone");
    assert_eq!(limit(&harness, 0), Some(SwingShape::Cone { angle: std::f32::consts::FRAC_PI_4 }));
    harness.get_by_role_and_label(Role::Slider, "Angle").click();
    run_frames(&mut harness);
    harness.get_by_role_and_label(Role::TextInput, "Angle").type_text("30");
    run_frames(&mut harness);
    harness.key_press(egui::Key::Enter);
    run_frames(&mut harness);
    let Some(SwingShape::Cone { angle }) = limit(&harness, 0) else { panic!("a cone") };
    assert!((angle.to_degrees() - 30.0).abs() < 1e-3);
    click_label(&mut harness, "Reset Swing limit");
    assert_eq!(limit(&harness, 0), None);
}

#[test]
fn choosing_a_kind_sets_mixed_swing_limits_of_all_joints() {
    let mut session = vrm_1_session();
    let id = select_chain_with_group(&mut session);
    session.handle(Command::SetTuningScope(TuningScope::Joints));
    session.handle(Command::SetSwingLimit(Some(yuremono_model::tools::swing_limits::SwingLimitKind::Hinge)));
    session.handle(Command::SetTuningScope(TuningScope::Chains));
    let view = session.inspection().swing_limits().expect("VRM has limits");
    assert_eq!((view.kind, view.limited_joints), (None, 1), "one joint has a hinge, the others have no limit");
    let mut harness = tall_window_harness(session);
    click_label(&mut harness, "Hinge");
    let joints = &document(&harness).chains[&id].joints;
    assert!(joints.iter().all(|j| matches!(j.limit.map(|l| l.shape), Some(SwingShape::Hinge { .. }))));
}

#[test]
fn vrm_0_shows_no_swing_limits_and_warns_about_values_per_joint() {
    let mut session = vrm_0_session();
    select_chain_with_group(&mut session);
    session.handle(Command::SetTuningScope(TuningScope::Joints));
    let mut harness = tall_window_harness(session);
    harness.get_by_label("VRM 0.x has no swing limits.");
    harness.get_all_by_label_contains("VRM 0.x stores one value per chain").next().expect("a message");
    harness.state_mut().session.handle(Command::SetParam(STIFFNESS, 3.5));
    harness.state_mut().session.handle(Command::SetTuningScope(TuningScope::Chains));
    run_frames(&mut harness);
    harness.get_all_by_label_contains("Joints differ here").next().expect("a message");
}

#[test]
fn the_outliner_lists_a_collider_in_each_of_its_groups() {
    let mut session = vrm_1_session();
    let (edit, _) = yuremono_model::document::groups::create(session.document(), "Twice", &[ColliderId(1)]);
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Create group"))));
    let name = session.document().colliders[&ColliderId(1)].name.clone();
    let within = session.document().groups.values().filter(|g| g.colliders.contains(&ColliderId(1))).count();
    assert!(within >= 2);
    let harness = collider_tab_harness(session);
    harness.get_by_role_and_label(Role::Heading, "Collider groups");
    harness.get_by_role_and_label(Role::TreeItem, "Twice");
    assert_eq!(harness.get_all_by_role_and_label(Role::TreeItem, &name).count(), within);
}

#[test]
fn a_collider_group_can_be_created_renamed_filled_and_deleted() {
    let mut session = vrm_1_session();
    session.handle(Command::SelectObjects(vec![SceneObject::Collider(ColliderId(1))], SelectMode::Replace));
    let before = session.document().groups.len();
    let mut harness = collider_tab_harness(session);
    click_label(&mut harness, "Create");
    click_label(&mut harness, "New group of selected colliders");
    harness.get_by_role_and_label(Role::TextInput, "Rename").type_text("Skirt");
    harness.key_press(egui::Key::Enter);
    run_frames(&mut harness);
    assert_eq!(document(&harness).groups.len(), before + 1);
    let (id, group) = document(&harness).groups.last_key_value().map(|(id, g)| (*id, g.clone())).expect("a group");
    assert!(group.name.contains("Skirt"), "{}", group.name);
    assert_eq!(group.colliders, [ColliderId(1)]);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    run_frames(&mut harness);
    click_label(&mut harness, "Remove selected colliders");
    assert_eq!(document(&harness).groups[&id].colliders, []);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    run_frames(&mut harness);
    click_label(&mut harness, "Add selected colliders");
    assert_eq!(document(&harness).groups[&id].colliders, [ColliderId(1)]);
    harness.get_by_role_and_label(Role::TreeItem, &group.name).click_secondary();
    run_frames(&mut harness);
    click_label(&mut harness, "Delete group");
    assert_eq!(document(&harness).groups.len(), before);
}

#[test]
fn only_shapes_that_the_solver_supports_can_be_created() {
    for (solver, known, unknown) in [
        (SolverKind::Vrm, "Plane collider", "Panel collider"),
        (SolverKind::UnityChanSpringBone, "Panel collider", "Inside sphere"),
    ] {
        let mut harness = collider_tab_harness(sample_session_with(solver));
        click_label(&mut harness, "Create");
        let enabled = |name: &str| !harness.get_by_role_and_label(Role::MenuItem, name).accesskit_node().is_disabled();
        assert!(enabled(known) && !enabled(unknown), "{solver:?}");
        let before = document(&harness).colliders.len();
        click_label(&mut harness, known);
        assert_eq!(document(&harness).colliders.len(), before + 1);
    }
}

#[test]
fn tools_that_the_solver_does_not_support_are_disabled() {
    let mut harness = tall_window_harness(vrm_1_session());
    click_label(&mut harness, "Setup");
    let enabled = |h: &Harness<'static, WindowFixture>, name: &str| {
        !h.get_by_role_and_label(Role::MenuItem, name).accesskit_node().is_disabled()
    };
    assert!(enabled(&harness, "Set as rest pose"));
    assert!(enabled(&harness, "Mirror…") && enabled(&harness, "Body colliders…"));
    assert!(!enabled(&harness, "Reset to original settings"));
    harness.get_by_role_and_label(Role::MenuItem, "Set as rest pose").hover();
    harness.run_steps(60);
    harness.get_by_label_contains("until the setup is rebuilt");
    let mut unity = tall_window_harness(sample_session_with(SolverKind::UnityChanSpringBone));
    click_label(&mut unity, "Setup");
    assert!(!enabled(&unity, "Set as rest pose") && enabled(&unity, "Mirror…"));
}

#[test]
fn body_colliders_are_created_as_groups_with_vrm() {
    let sample = vrm_1_session();
    let mut bare = sample.document().clone();
    bare.groups.clear();
    bare.colliders.clear();
    bare.chains.values_mut().for_each(|chain| chain.groups.clear());
    let mut harness = tall_window_harness(Session::new(Arc::clone(sample.character()), bare));
    let before = document(&harness).groups.len();
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::BodyColliders);
    run_frames(&mut harness);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    run_frames(&mut harness);
    assert_eq!(next_undo_label(&harness), Some("Create {n:body collider|body colliders}"));
    assert!(document(&harness).groups.len() > before);
    assert!(document(&harness).chains.values().flat_map(|c| &c.joints).all(|j| j.colliders.is_empty()));
}

#[test]
fn importing_a_table_of_another_solver_switches_the_solver_in_one_undo_step() {
    let unity = sample_session_with(SolverKind::UnityChanSpringBone);
    let options = yuremono_model::exchange::ExportOptions::new(DEFAULT_FORMAT);
    let exported = yuremono_model::exchange::export(unity.document(), &unity.character().skeleton, options);
    let bytes = tables::write_setup(&exported.file, options);
    let (file, found) = tables::read_setup(&bytes, "hair.csv").expect("a table");
    let mut fixture = WindowFixture::new(vrm_1_session(), prefs(Lang::En));
    fixture.ui.dialogs_mut().open_import("hair.csv", file, found, &fixture.session);
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    harness.get(
        By::new()
            .role(Role::Button)
            .label_contains("Import ")
            .predicate(|node| node.label().is_some_and(|label| label.contains(" row"))),
    );
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    run_frames(&mut harness);
    assert_eq!(document(&harness).main_system().solver, SolverKind::UnityChanSpringBone);
    harness.state_mut().session.handle(Command::Undo);
    assert_eq!(document(&harness).main_system().solver, SolverKind::Vrm, "both change in one step");
}

#[test]
fn the_window_with_vrm_can_be_rendered() {
    for (lang, name) in [(Lang::En, "en"), (Lang::Ja, "ja")] {
        let mut session = vrm_1_session();
        select_chain_with_group(&mut session);
        session.handle(Command::SetSwingLimit(Some(yuremono_model::tools::swing_limits::SwingLimitKind::Spherical)));
        let mut fixture = WindowFixture::new(session, prefs(lang));
        fixture.ui.state_mut().outliner_tab = OutlinerTab::Colliders;
        let Some(mut harness) = painted_harness(fixture, WINDOW_SIZE, 1.0) else { return };
        save_picture(&mut harness, &format!("vrm-{name}.png"));
        harness
            .state_mut()
            .ui
            .state_mut()
            .dialogs_to_open
            .push(DialogKind::SwitchSolver(SolverKind::UnityChanSpringBone));
        run_frames(&mut harness);
        save_picture(&mut harness, &format!("vrm-switch-{name}.png"));
    }
}
