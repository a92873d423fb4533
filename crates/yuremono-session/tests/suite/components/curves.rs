//! Tests the curves of a component: an edited curve reaches the running solver, and undo removes the edit completely.

use super::{figure_with_filled_lists, figure_with_solver, solver_input_as_text};
use std::sync::Arc;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{
    ComponentLists, Document, Edit, EditLabel, Invalidation, ListCurveId, ListKind, Node, System,
};
use yuremono_model::tools::components;
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveKey, CurveShape};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::{SolverKind, SyncBone, SyncTarget, Turbulence};

const FORCE_FIELD_CURVE: ListCurveId = ListCurveId { list: ListKind::ForceField, entry: 0, curve: 2 };
const SYNC_BONE_CURVE: ListCurveId = ListCurveId { list: ListKind::SyncBones, entry: 0, curve: 0 };

/// Returns the walking figure after one second. Either a force field with curves moves the hair, or the hair follows a
/// knee.
fn walking_session(of: ListCurveId) -> Session {
    let (character, mut document, id) = figure_with_filled_lists(of.list.solver());
    let mut system = document.systems[&id].clone();
    if let ComponentLists::Kawaii(own) = &mut system.component_lists {
        let knee = character.humanoid.bone("leftLowerLeg").expect("the figure has a knee");
        let joints = document.chains.values().filter(|c| c.system == id).flat_map(|c| &c.joints);
        let targets = joints.map(|joint| SyncTarget { bone: Node::Bone(joint.bone), scale: 1.0 }).collect();
        own.sync_bones = vec![SyncBone::new(Node::Bone(knee), targets)];
    }
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("everything it refers to exists");
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
    session.handle(Command::SetPlaying(true));
    advance_ticks(&mut session, 60);
    session
}

fn advance_ticks(session: &mut Session, count: u32) {
    (0..count).for_each(|_| session.advance(1.0 / 60.0));
}

/// Returns the bits of every joint's tip.
fn tip_bits(session: &Session) -> Vec<[u32; 3]> {
    let bones = session.document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    let tips = bones.filter_map(|bone| session.playback().world().tip(session.playback().joint_index(bone)?));
    tips.map(|tip| tip.to_array().map(f32::to_bits)).collect()
}

/// Returns the document as the bytes of a project.
fn project_bytes(session: &Session) -> Vec<u8> {
    project::write(session.document(), &session.character().skeleton, &ProjectMetadata::default())
}

/// Edits a curve in the same way as the curve editor.
fn edit_curve(session: &mut Session, of: ListCurveId, curve: &Curve) {
    let span = session.inspection().system().component_lists.list_curve(of, None).expect("there is one").span;
    let set = |system: &mut System| system.component_lists.set_list_curve(of, span, curve);
    let (edit, label) = components::labeled_system_edit(
        session.document(),
        session.inspection().system_id(),
        EditLabel::new(message!("Curve of {name}", name = "Curve")),
        set,
    )
    .expect("another curve");
    session.handle(Command::ApplyEdit(edit, label));
}

fn hill_curve(height: f32) -> Curve {
    Curve::from_shape(CurveShape::RiseAndFall).with_key_moved(1, CurveKey::flat(0.4, height))
}

#[test]
fn editing_a_list_curve_changes_the_motion_and_undo_restores_the_document() {
    for of in [FORCE_FIELD_CURVE, SYNC_BONE_CURVE] {
        let mut session = walking_session(of);
        let (before, got) = (project_bytes(&session), solver_input(&session));
        let mut plain = walking_session(of);
        edit_curve(&mut session, of, &hill_curve(-4.0));
        assert_ne!(solver_input(&session), got, "{of:?}");
        let edited = project_bytes(&session);
        advance_ticks(&mut session, 40);
        advance_ticks(&mut plain, 40);
        assert_ne!(tip_bits(&session), tip_bits(&plain), "{of:?}: the running motion changes");
        session.handle(Command::Undo);
        assert_eq!((project_bytes(&session) == before, solver_input(&session)), (true, got), "{of:?}");
        session.handle(Command::Redo);
        assert!(project_bytes(&session) == edited, "{of:?}");
    }
}

/// Returns the component lists in the solver's input. Checks that a change in place gives the same input as a rebuild.
fn solver_input(session: &Session) -> String {
    let (document, character) = (session.document(), session.character());
    let at = session
        .resolved()
        .system_ids
        .iter()
        .position(|id| *id == session.inspection().system_id())
        .expect("it is resolved");
    let s = &session.resolved().systems[at];
    let got = format!("{:?} {:?} {:?} {:?}", s.ez_soft_bone, s.joint_dynamics, s.kawaii, s.dynamic_bone);
    assert_eq!(got, solver_input_as_text(document, character, session.inspection().system_id()));
    got
}

#[test]
fn undoing_a_curve_edit_before_the_next_tick_leaves_the_motion_unchanged() {
    for of in [FORCE_FIELD_CURVE, SYNC_BONE_CURVE] {
        let (mut session, mut plain) = (walking_session(of), walking_session(of));
        let before = tip_bits(&session);
        edit_curve(&mut session, of, &hill_curve(0.9));
        assert_eq!(tip_bits(&session), before, "{of:?}: nothing jumps");
        session.handle(Command::Undo);
        advance_ticks(&mut session, 40);
        advance_ticks(&mut plain, 40);
        assert_eq!(tip_bits(&session), tip_bits(&plain), "{of:?}");
        assert_ne!(tip_bits(&session), before, "{of:?}: the figure walks");
    }
}

#[test]
fn only_curve_and_number_edits_keep_the_running_world() {
    for of in [FORCE_FIELD_CURVE, SYNC_BONE_CURVE] {
        let (_, document, id) = figure_with_filled_lists(of.list.solver());
        let touched = |change: &dyn Fn(&mut System)| {
            let mut system = document.systems[&id].clone();
            change(&mut system);
            let edit = Edit::PutSystem { id, system: Some(Box::new(system)) };
            document.clone().apply_recorded(edit).expect("it applies").invalidation(&document)
        };
        let drawn = |system: &mut System| system.component_lists.set_list_curve(of, [0.0, 0.5], &hill_curve(0.3));
        assert_eq!(touched(&drawn), Invalidation::Params, "{of:?}");
        let number = |system: &mut System| system.component_lists.set_field(of.list, 0, 0, 0.125);
        assert_eq!(touched(&number), Invalidation::Params, "{of:?}");
        let other = |system: &mut System| {
            system.component_lists.remove_entry(of.list, 0);
            system.component_lists.set_node(of.list, Some(Node::Bone(yuremono_sim::rig::BoneId(0))));
        };
        assert_eq!(touched(&other), Invalidation::Topology, "{of:?}");
    }
}

#[test]
fn a_long_curve_drag_is_one_undo_step() {
    for of in [FORCE_FIELD_CURVE, SYNC_BONE_CURVE] {
        let mut session = walking_session(of);
        let before = project_bytes(&session);
        session.handle(Command::BeginUndoGroup);
        for height in 0..100_u8 {
            edit_curve(&mut session, of, &hill_curve(f32::from(height) / 50.0));
            session.advance(1.0 / 240.0);
        }
        session.handle(Command::EndUndoGroup);
        let label = session.history().next_undo().cloned().expect("a step");
        assert_eq!(label.text, "Curve of Curve");
        session.handle(Command::Undo);
        assert!(project_bytes(&session) == before, "{of:?}: one drag is one step");
        assert_eq!(session.history().next_undo(), None);
    }
}

#[test]
fn a_cancelled_curve_drag_leaves_the_document_unchanged() {
    let mut session = walking_session(FORCE_FIELD_CURVE);
    let before = project_bytes(&session);
    session.handle(Command::BeginUndoGroup);
    for height in [0.2, 0.7] {
        edit_curve(&mut session, FORCE_FIELD_CURVE, &hill_curve(height));
    }
    session.handle(Command::CancelUndoGroup);
    session.handle(Command::EndUndoGroup);
    assert!(project_bytes(&session) == before);
}

#[test]
fn a_force_field_has_one_curve_per_axis_in_curve_mode_and_none_in_noise_mode() {
    let (character, document) = figure_with_solver(SolverKind::EzSoftBone);
    let mut session = Session::new(Arc::new(character), document);
    let node = Some(Node::Bone(yuremono_sim::rig::BoneId(0)));
    let label = || EditLabel::new(message!("Set reference"));
    let (edit, named) =
        components::labeled_system_edit(session.document(), session.inspection().system_id(), label(), |s| {
            s.component_lists.set_node(ListKind::ForceField, node);
        })
        .expect("there was none");
    session.handle(Command::ApplyEdit(edit, named));
    assert_eq!(
        session.inspection().system().component_lists.list_curve(FORCE_FIELD_CURVE, None),
        None,
        "the field starts in noise mode"
    );
    let (edit, named) =
        components::labeled_system_edit(session.document(), session.inspection().system_id(), label(), |s| {
            s.component_lists.set_field(ListKind::ForceField, 0, 4, 1.0);
        })
        .expect("by noise");
    session.handle(Command::ApplyEdit(edit, named));
    for curve in 0..3 {
        edit_curve(&mut session, ListCurveId { curve, ..FORCE_FIELD_CURVE }, &hill_curve(0.2 + curve as f32 / 10.0));
    }
    let ComponentLists::EzSoftBone(own) = &session.inspection().system().component_lists else {
        panic!("a KawaiiPhysics system")
    };
    let Some(Turbulence::Curve { cycle, curves }) = own.force_field.as_ref().map(|field| &field.mode) else {
        panic!("by curves")
    };
    assert_eq!((*cycle, &**curves), (2.0, &[hill_curve(0.2), hill_curve(0.3), hill_curve(0.4)]));
    let course = session.inspection().system().component_lists.list_curve(FORCE_FIELD_CURVE, None).expect("by curves");
    assert_eq!((course.span, course.base_field, course.end_field), ([0.0, 2.0], Some(3), Some(8)));
}

#[test]
fn the_inspection_returns_the_current_time_and_sync_offset_for_list_curves() {
    let mut session = walking_session(FORCE_FIELD_CURVE);
    let clock = session.inspection().component_clock().expect("a field has a clock");
    advance_ticks(&mut session, 30);
    assert!((session.inspection().component_clock().expect("the clock runs") - clock - 0.5).abs() < 1e-3);
    assert_eq!(
        session.inspection().component_sync_offset(Node::Bone(yuremono_sim::rig::BoneId(0))),
        None,
        "no sync bone"
    );
    let mut session = walking_session(SYNC_BONE_CURVE);
    assert_eq!(session.inspection().component_clock(), None);
    let knee = Node::Bone(session.character().humanoid.bone("leftLowerLeg").expect("the figure has a knee"));
    let mut far = Vec::new();
    for _ in 0..60 {
        session.advance(1.0 / 60.0);
        far.push(session.inspection().component_sync_offset(knee).expect("a sync bone"));
    }
    let (least, most) = (far.iter().copied().fold(f32::MAX, f32::min), far.iter().copied().fold(0.0, f32::max));
    assert!(most > least + 0.01 && most < 1.0, "the offset is {least} to {most} m during the walk");
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    assert!(session.inspection().component_sync_offset(knee).expect("a sync bone") < 1e-5, "the offset is zero");
}

#[test]
fn a_list_curve_with_nan_is_rejected_and_changes_nothing() {
    let (_, document, id) = figure_with_filled_lists(SolverKind::EzSoftBone);
    let (mut tried, mut system) = (document.clone(), document.systems[&id].clone());
    let broken = hill_curve(0.5).with_key_moved(1, CurveKey::flat(0.5, f32::NAN));
    system.component_lists.set_list_curve(FORCE_FIELD_CURVE, [0.0, 2.0], &broken);
    let refused = tried.apply(Edit::PutSystem { id, system: Some(Box::new(system)) });
    assert_eq!(refused, Err(yuremono_model::document::EditError::InvalidComponentLists(id.0)));
    assert_eq!(tried, document);
}

/// Saves the curve of a list entry in a project and loads it again.
#[test]
fn edited_list_curves_are_saved() {
    for of in [FORCE_FIELD_CURVE, SYNC_BONE_CURVE] {
        let mut session = walking_session(of);
        edit_curve(&mut session, of, &hill_curve(0.35));
        let (project, reported) = project::read(&project_bytes(&session), "p.yure").expect("it reads");
        assert!(reported.is_empty(), "{reported:?}");
        let (read, _): (Document, _) = project.into_document(&session.character().skeleton);
        assert_eq!(read.systems, session.document().systems, "{of:?}");
    }
}
