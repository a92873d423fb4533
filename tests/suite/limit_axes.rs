//! Tests that angle limits are named after the direction in which the chain swings, for chains anywhere on the body.

use super::support::figure;
use super::support::window::{WindowFixture, window_harness};
use egui::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use std::sync::Arc;
use yuremono::ui::Prefs;
use yuremono::ui::kit::i18n::Lang;
use yuremono_model::document::pivot::create_pivots;
use yuremono_model::document::{Document, EditLabel};
use yuremono_session::{Command, SelectMode, Session, SwingAxis};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params;
use yuremono_sim::rig::{Character, Facing};
use yuremono_sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};

/// Returns a session in which only this joint is selected for tuning.
fn session_with_selected_joint(character: Character, name: &str, with_pivot: bool) -> Session {
    let document: Document = figure::document(&character);
    let bone = character.skeleton.find(name).expect("a bone of the figure");
    let pivots = create_pivots(&document, &character.skeleton, &[bone]);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.handle(Command::SetTuningScope(yuremono_session::TuningScope::Joints));
    if with_pivot {
        session.handle(Command::ApplyEdit(pivots, EditLabel::new(message!("Change"))));
    }
    session
}

#[track_caller]
fn check_limit_axes(name: &str, y: SwingAxis, z: SwingAxis) {
    for (facing, with_pivot) in [(Facing::PlusZ, false), (Facing::PlusZ, true), (Facing::MinusZ, true)] {
        let session = session_with_selected_joint(Character { facing, ..figure::character() }, name, with_pivot);
        let found = [Y_ACTIVE, Z_ACTIVE].map(|param| session.inspection().limit_swing_axis(param));
        assert_eq!(found, [Some(y), Some(z)], "{name}, pivot {with_pivot}, {facing:?}");
    }
}

#[test]
fn only_unitychan_spring_bone_has_pivot_limits_and_each_has_a_joint_toggle() {
    let limited = |kind: &SolverKind| !kind.info().pivot_limits.is_empty();
    assert_eq!(SolverKind::ALL.iter().copied().filter(limited).collect::<Vec<_>>(), [SolverKind::UnityChanSpringBone]);
    for limit in SolverKind::ALL.iter().flat_map(|kind| kind.info().pivot_limits) {
        let def = &SolverKind::UnityChanSpringBone.info().params[limit.params.active.index()];
        assert!(
            def.scope == params::ParamScope::Joint && matches!(def.kind, params::ParamKind::Toggle),
            "{}",
            def.name
        );
        assert!(limit.axis.dot(limit.positive_direction).abs() < 1e-6 && limit.axis.is_normalized());
    }
}

#[test]
fn front_and_back_chains_swing_sideways_about_y_and_front_to_back_about_z() {
    for name in ["skirt_0_1", "skirt_4_1", "hair_1"] {
        check_limit_axes(name, SwingAxis::Sideways, SwingAxis::FrontBack);
    }
}

#[test]
fn side_chains_swing_front_to_back_about_y_and_sideways_about_z() {
    for name in ["skirt_2_1", "skirt_6_1"] {
        check_limit_axes(name, SwingAxis::FrontBack, SwingAxis::Sideways);
    }
}

#[test]
fn diagonal_chains_swing_around_the_body_about_y_and_in_and_out_about_z() {
    for name in ["skirt_1_1", "skirt_3_1", "skirt_5_1", "skirt_7_1"] {
        check_limit_axes(name, SwingAxis::Around, SwingAxis::InOut);
    }
}

#[test]
fn all_columns_of_a_skirt_swing_around_the_body_about_y() {
    let character = figure::character();
    let names = (0..figure::COLUMNS).map(|column| format!("skirt_{column}_0"));
    let roots: Vec<_> = names.map(|name| character.skeleton.find(&name).expect("a column")).collect();
    let document = figure::document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::Select(roots.clone(), SelectMode::Replace));
    assert_eq!(session.inspection().limit_swing_axis(Y_ACTIVE), Some(SwingAxis::Around));
    assert_eq!(session.inspection().limit_swing_axis(Z_ACTIVE), Some(SwingAxis::InOut));
    let hair = session.character().skeleton.find("hair_0").expect("a lock");
    session.handle(Command::Select(vec![hair, roots[2]], SelectMode::Replace));
    assert_eq!(
        session.inspection().limit_swing_axis(Y_ACTIVE),
        Some(SwingAxis::Around),
        "hair behind, skirt at the side"
    );
}

#[test]
fn a_limit_about_the_bone_itself_is_a_twist() {
    let mut session = session_with_selected_joint(figure::character(), "skirt_0_1", true);
    let (id, mut pivot) = session.document().helpers.iter().next().map(|(id, h)| (*id, h.clone())).expect("its pivot");
    // Rotate the pivot until its Z axis, the axis of Y limits, is along the bone.
    pivot.local.rotation *= glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    session.handle(Command::ApplyEdit(
        yuremono_model::document::Edit::PutHelper { id, helper: Some(pivot) },
        EditLabel::new(message!("Rotate")),
    ));
    assert_eq!(session.inspection().limit_swing_axis(Y_ACTIVE), Some(SwingAxis::Twist));
    assert_ne!(session.inspection().limit_swing_axis(Z_ACTIVE), Some(SwingAxis::Twist));
}

#[test]
fn limit_labels_name_the_axis_and_the_direction_in_both_languages() {
    for (lang, front, side) in [
        (Lang::En, ["Limit Y sideways", "Limit Z front-back"], ["Limit Y front-back", "Limit Z sideways"]),
        (Lang::Ja, ["Y 左右", "Z 前後"], ["Y 前後", "Z 左右"]),
    ] {
        for (name, labels) in [("skirt_0_1", front), ("skirt_2_1", side)] {
            let session = session_with_selected_joint(figure::character(), name, false);
            let prefs = Prefs { lang, reduce_motion: true, ..Prefs::default() };
            let h = window_harness(WindowFixture::new(session, prefs), [1440.0, 1800.0]);
            for label in labels {
                let switches = h.get_all_by_role(Role::Switch);
                let named = switches.filter(|n| n.accesskit_node().label().is_some_and(|l| l.contains(label)));
                assert_eq!(named.count(), 1, "{name}: {label}");
            }
        }
    }
}
