//! Compares pictures of the window with those in `tests/pictures`, at half size. What is painted by hand (curves, graphs,
//! overlays, rings) has no labels that other tests can read.
//!
//! After a change that is meant, run the tests with `UPDATE_SNAPSHOTS=1`, look at the new pictures and commit them.

use super::support::window::{WindowFixture, painted_harness};
use super::support::{figure, girl};
use egui_kittest::{SnapshotOptions, SnapshotResults};
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{ColorBy, CurveRef, DialogKind, DrawerTab, OutlinerTab, Prefs, PresetLibrary};
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::ChainId;
use yuremono_model::document::ring::ring_candidates;
use yuremono_session::{Command, CompareLayout, CompareWith, JointQuantity, Motion, SelectMode, Session, TuningScope};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::solver::spring_bone::STIFFNESS;

const SIZE: [f32; 2] = [1280.0, 800.0];

/// How many pixels may differ, because drivers round the edges of lines and glyphs differently. On the software driver of
/// the committed pictures, none differs.
const DIFFERENT_PIXELS: usize = 30;

fn prefs(mode: ThemeMode, lang: Lang) -> Prefs {
    Prefs { mode, lang, reduce_motion: true, dismissed_hints: [true; 3], ..Prefs::default() }
}

/// Draws a window after `prepare` and compares it with the picture of this name.
fn check(name: &str, fixture: WindowFixture, prepare: impl FnOnce(&mut WindowFixture)) {
    let Some(mut harness) = painted_harness(fixture, SIZE, 0.5) else { return };
    prepare(harness.state_mut());
    harness.run_steps(12);
    let options = SnapshotOptions::new()
        .max_failed_pixels(DIFFERENT_PIXELS)
        .output_path(super::support::root().join("tests/pictures"));
    let mut results = SnapshotResults::new();
    results.add(harness.try_snapshot_options(name, &options));
    results.extend_harness(&mut harness);
    results.unwrap();
}

fn girl_window(mode: ThemeMode, lang: Lang) -> WindowFixture {
    let mut session = girl::session();
    let hair = girl::bone(&session, "TwinTail_L_02");
    session.handle(Command::Select(vec![hair], SelectMode::Replace));
    WindowFixture::new(session, prefs(mode, lang))
}

fn dark() -> WindowFixture {
    girl_window(ThemeMode::Dark, Lang::En)
}

fn figure_window() -> WindowFixture {
    let character = figure::character();
    let document = figure::document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    WindowFixture::new(session, prefs(ThemeMode::Dark, Lang::En))
}

/// The column of the skirt at the front.
const FRONT: ChainId = ChainId(2);

fn open_drawer(fixture: &mut WindowFixture, tab: DrawerTab) {
    fixture.ui.state_mut().drawer_tab = Some(tab);
}

fn open_dialog(fixture: &mut WindowFixture, kind: DialogKind) {
    fixture.ui.state_mut().dialogs_to_open.push(kind);
}

#[test]
fn a_selected_chain() {
    check("selected_chain", dark(), |_| {});
}

#[test]
fn a_selected_chain_in_light_colours_and_japanese() {
    check("selected_chain_light_ja", girl_window(ThemeMode::Light, Lang::Ja), |fixture| {
        fixture.ui.state_mut().outliner_tab = OutlinerTab::Chains;
    });
}

#[test]
fn the_limits_of_a_joint() {
    check("joint_limits", dark(), |fixture| {
        let session = &mut fixture.session;
        session.handle(Command::SetTuningScope(TuningScope::Joints));
        let limits = session.inspection().pivot_limits().map(|(_, limits)| limits.active).collect();
        session.handle(Command::SetLimitsEnabled(limits, true));
    });
}

#[test]
fn the_curve_of_a_chain() {
    check("curve", dark(), |fixture| {
        open_drawer(fixture, DrawerTab::Curves);
        fixture.ui.state_mut().shown_curve = Some(CurveRef::Param(STIFFNESS));
    });
}

#[test]
fn the_ring_of_a_skirt() {
    check("ring", figure_window(), |fixture| {
        let session = &mut fixture.session;
        let skirt = ring_candidates(session.document(), session.character(), FRONT);
        let first = session.document().chains[&FRONT].root();
        session.handle(Command::MakeRing(skirt));
        session.handle(Command::Select(vec![first], SelectMode::Replace));
        open_drawer(fixture, DrawerTab::Curves);
        fixture.ui.state_mut().shown_curve = Some(CurveRef::Param(STIFFNESS));
    });
}

#[test]
fn the_graph_of_a_motion() {
    check("graph", dark(), |fixture| {
        fixture.session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
        (0..300).for_each(|_| fixture.session.handle(Command::StepOnce));
        open_drawer(fixture, DrawerTab::Graph);
    });
}

#[test]
fn two_tunings_side_by_side() {
    check("comparison", dark(), |fixture| {
        fixture.session.handle(Command::ScaleParam(STIFFNESS, 0.5));
        fixture.session.handle(Command::Compare(Box::new(CompareWith::AsLoaded)));
        fixture.session.handle(Command::SetCompareLayout(CompareLayout::SideBySide));
    });
}

#[test]
fn joints_coloured_by_their_stiffness() {
    check("colour_by", dark(), |fixture| {
        let quantity = JointQuantity::Param { solver: SolverKind::UnityChanSpringBone, param: STIFFNESS };
        fixture.ui.state_mut().color_by = ColorBy::Quantity(quantity);
    });
}

#[test]
fn the_presets() {
    check("presets", dark(), |fixture| {
        let library = PresetLibrary { built_in: builtin_presets(), user: Vec::new() };
        fixture.ui.state_mut().presets.set_library(library);
        open_drawer(fixture, DrawerTab::Presets);
    });
}

#[test]
fn the_export_dialog() {
    check("export", dark(), |fixture| open_dialog(fixture, DialogKind::Export));
}

#[test]
fn the_losses_of_a_solver_switch() {
    check("switch_solver", dark(), |fixture| open_dialog(fixture, DialogKind::SwitchSolver(SolverKind::Vrm)));
}

#[test]
fn the_shortcuts() {
    check("shortcuts", dark(), |fixture| open_dialog(fixture, DialogKind::Shortcuts));
}
