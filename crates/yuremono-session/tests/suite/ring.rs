//! Rings of chains: how they are found, and how a curve around the ring multiplies the values of its chains.

use super::support::cases;
use super::support::figure::{self, COLUMNS};
use super::support::formats::{CSV, EZ_JSON, PARAMETERS};
use crate::support::random_documents::{edited_document_with_solver, plain_skeleton};
use glam::Vec3;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::ring::{
    RingProblem, dissolve_rings, find_ring, make_ring, ring_candidates, set_ring_curve,
};
use yuremono_model::document::{ChainId, Document, Edit, FlipAxis, RingPlace, SetupEntry, param_edits};
use yuremono_model::exchange::{ExportOptions, FileSection, ImportPlan, SetupFile, diff_documents, export};
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::params::FeelContext;
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::math::{Curve, CurveShape, RingCurve};
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::spring_bone::STIFFNESS;
use yuremono_sim::{FeelParam, SolverKind};

/// Ids of the skirt columns. Column `i` is at 45° times `i`, counted from the front to the left side.
fn columns() -> Vec<ChainId> {
    (0..COLUMNS as u32).map(|column| ChainId(2 + column)).collect()
}

fn figure_and_document() -> (Character, Document) {
    let character = figure::character();
    let document = figure::document(&character);
    (character, document)
}

/// Returns the figure whose skirt is a ring with a factor of 0.5 at the front and 2 at the back.
fn skirt_ring() -> (Character, Document) {
    let (character, mut document) = figure_and_document();
    let ring = find_ring(&document, &character, &columns()).expect("a ring");
    document.apply(make_ring(&document, &ring)).expect("the edit applies");
    let curve = RingCurve::level().with_factor(0, 0.5).with_factor(2, 2.0);
    document.apply(set_ring_curve(&document, &columns()[..1], STIFFNESS, Some(&curve))).expect("the edit applies");
    (character, document)
}

/// Returns the resolved values of the first joint of each column.
fn resolved_values(character: &Character, document: &Document, param: ParamId) -> Vec<f32> {
    let resolved = document.resolve(&character.skeleton);
    let value = |id: &ChainId| {
        let bone = document.chains[id].root();
        let joints = resolved.systems.iter().flat_map(|system| &system.joints);
        joints.into_iter().find(|joint| joint.bone == bone).expect("a joint").values.get(param)
    };
    columns().iter().map(value).collect()
}

fn resolved_bits(document: &Document) -> Vec<u32> {
    let resolved = document.resolve(&plain_skeleton());
    let joints = resolved.systems.iter().flat_map(|system| &system.joints);
    joints.flat_map(|joint| (0..joint.values.len()).map(|at| joint.values.get(ParamId(at as u16)).to_bits())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

    #[test]
    fn a_level_ring_resolves_bit_for_bit_like_no_ring(
        dice in prop::collection::vec(any::<[u32; 6]>(), 0..40),
        solver in prop::sample::select(SolverKind::ALL.to_vec()),
    ) {
        let mut document = edited_document_with_solver(solver, &dice, &plain_skeleton());
        let chains: Vec<ChainId> = document.chains.keys().copied().collect();
        document.apply(dissolve_rings(&document, &chains)).expect("rings dissolve");
        document.chains.values_mut().flat_map(|chain| &mut chain.values).for_each(|value| value.around = None);
        document.materials.clear();
        document.chains.values_mut().for_each(|chain| chain.material = None);
        let before = resolved_bits(&document);
        for (at, chain) in document.chains.values_mut().enumerate() {
            chain.ring = Some(RingPlace { ring: yuremono_model::document::RingId(1), angle: at as f32 * 77.7 - 400.0 });
            chain.values.iter_mut().for_each(|value| value.around = Some(RingCurve::level()));
        }
        prop_assert_eq!(resolved_bits(&document), before);
    }
}

#[test]
fn the_columns_of_a_skirt_form_a_ring_from_the_front() {
    let (character, document) = figure_and_document();
    assert_eq!(ring_candidates(&document, &character, ChainId(4)), columns());
    let ring = find_ring(&document, &character, &columns()).expect("a ring");
    let angles: BTreeMap<ChainId, f32> = ring.into_iter().collect();
    for (column, expected) in [0.0, 45.0, 90.0, 135.0, 180.0, -135.0, -90.0, -45.0].into_iter().enumerate() {
        let angle = angles[&columns()[column]];
        let off = (angle - expected + 180.0).rem_euclid(360.0) - 180.0;
        assert!(off.abs() < 0.1, "column {column} is at {angle}°");
    }
}

#[test]
fn chains_that_do_not_close_around_the_body_say_why() {
    let (mut character, document) = figure_and_document();
    let problem = |character: &Character, chains: &[ChainId]| find_ring(&document, character, chains).unwrap_err();
    assert_eq!(problem(&character, &columns()[..2]), RingProblem::TooFewChains(2));
    let apron = [columns()[6], columns()[7], columns()[0], columns()[1], columns()[2]];
    let RingProblem::Open { from, to, degrees } = problem(&character, &apron) else { panic!("the back is open") };
    assert_eq!((from.as_str(), to.as_str(), degrees.round()), ("skirt_2_0", "skirt_6_0", 180.0));
    let message = problem(&character, &apron).message().to_string();
    assert_eq!(message, "the ring does not close: between \"skirt_2_0\" and \"skirt_6_0\" there is a gap of 180°");
    let line = [columns()[2], columns()[6], ChainId(1)];
    assert!(matches!(problem(&character, &line), RingProblem::NotAround | RingProblem::UnevenHeights { .. }));
    let root = document.chains[&columns()[3]].root();
    let mut bones = character.skeleton.bones().to_vec();
    bones[root.index()].rest.translation += Vec3::Y;
    character.skeleton = yuremono_sim::rig::Skeleton::new(bones).expect("parents first");
    assert!(matches!(problem(&character, &columns()), RingProblem::UnevenHeights { high, .. } if high == "skirt_3_0"));
}

#[test]
fn the_ring_curve_multiplies_the_curve_along_the_chain() {
    let (character, mut document) = skirt_ring();
    let base = document.chains[&ChainId(2)].values[STIFFNESS.index()].base;
    let expected = [0.5, 0.75, 1.0, 1.5, 2.0, 1.5, 1.0, 0.75].map(|factor| factor * base);
    let near = |found: &[f32], expected: &[f32]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3 * b);
    let found = resolved_values(&character, &document, STIFFNESS);
    assert!(near(&found, &expected), "{found:?}");
    let curve = Some(Curve::from_shape(CurveShape::StiffTip));
    document.apply(Edit::SetCurve { chain: ChainId(2), param: STIFFNESS, curve }).expect("the edit applies");
    let first = resolved_values(&character, &document, STIFFNESS)[0];
    assert!((first - 0.5 * 0.4 * base).abs() < 1e-3 * base, "both curves multiply the base value: {first}");
    let bone = document.chains[&ChainId(2)].root();
    let own = Edit::SetOverride { chain: ChainId(2), bone, param: STIFFNESS, value: Some(7.0) };
    document.apply(own).expect("the edit applies");
    assert_eq!(resolved_values(&character, &document, STIFFNESS)[0], 7.0, "a value of a joint wins");
}

#[test]
fn a_chain_that_joins_gets_the_ring_curves_and_a_dissolved_ring_loses_them() {
    let (character, mut document) = skirt_ring();
    let left = document.chains.get_mut(&ChainId(5)).expect("a column");
    left.ring = None;
    left.values[STIFFNESS.index()].around = None;
    let ring = find_ring(&document, &character, &columns()).expect("a ring");
    let changes = document.apply_recorded(make_ring(&document, &ring)).expect("the edit applies");
    assert_eq!(document, skirt_ring().1);
    changes.revert(&mut document);
    assert!(document.chains[&ChainId(5)].ring.is_none());
    let (character, mut document) = skirt_ring();
    document.apply(dissolve_rings(&document, &[ChainId(2)])).expect("the edit applies");
    assert_eq!(document, figure_and_document().1);
    assert!(character.skeleton.find("skirt_0_0").is_some());
}

#[test]
fn projects_keep_rings() {
    let (character, document) = skirt_ring();
    let bytes = project::write(&document, &character.skeleton, &ProjectMetadata::default());
    let (project, found) = project::read(&bytes, "a.yure").expect("readable");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(project.into_document(&character.skeleton).0.chains, document.chains);
}

fn imported(character: &Character, file: SetupFile, document: &Document) -> Document {
    let plan = ImportPlan::new(to_gltf(file, FlipAxis::X), &[], document, character, &BTreeMap::new());
    plan.after_import(&character.skeleton)
}

#[test]
fn parameter_files_and_tables_keep_rings() {
    let (character, document) = skirt_ring();
    for format in [PARAMETERS, CSV] {
        let options = ExportOptions::new(format).with_flip_axis(FlipAxis::X);
        let bytes = tables::write_setup(&export(&document, &character.skeleton, options).file, options);
        let name = if format == CSV { "a.csv" } else { "a.json" };
        let (file, found) = tables::read_setup(&bytes, name).expect("readable");
        assert!(found.is_empty(), "{found:?}");
        let after = imported(&character, file, &figure_and_document().1);
        let (now, then) =
            (resolved_values(&character, &after, STIFFNESS), resolved_values(&character, &document, STIFFNESS));
        assert!(now.iter().zip(&then).all(|(now, then)| (now - then).abs() <= 1e-6 * then), "{now:?}, not {then:?}");
        let rings = |document: &Document| document.chains.values().map(|chain| chain.ring).collect::<Vec<_>>();
        assert_eq!(rings(&after), rings(&document), "{name}");
    }
}

#[test]
fn an_imported_ring_does_not_join_another_ring_of_the_document() {
    let (character, document) = skirt_ring();
    let options = ExportOptions::new(PARAMETERS).with_flip_axis(FlipAxis::X);
    let mut file = export(&document, &character.skeleton, options).file;
    let is_hair = |entry: &SetupEntry| matches!(entry, SetupEntry::Chain(chain) if chain.root == "hair_0");
    let of_hair = |file: &SetupFile| file.entries.iter().position(|item| item.content.as_ref().is_ok_and(is_hair));
    let at = of_hair(&file).expect("the hair");
    if let Ok(SetupEntry::Chain(entry)) = &mut file.entries[at].content {
        entry.chain.ring = document.chains[&ChainId(2)].ring;
    }
    file.entries.retain(|item| item.section != FileSection::Other || item.content.as_ref().is_ok_and(is_hair));
    let after = imported(&character, file, &document);
    let ring = after.chains[&ChainId(1)].ring.expect("the hair is in a ring").ring;
    assert_eq!(after.ring_chains(ring).len(), 1, "the file has its own ring");
}

#[test]
fn formats_with_one_value_per_component_get_the_resolved_values() {
    let (character, document) = skirt_ring();
    let mut document = convert(&document, &character, SolverKind::EzSoftBone).after;
    let param = enumerate_params(document.main_system().param_defs())
        .find(|(_, def)| def.curve && def.scope == ParamScope::Joint && def.default > 0.0)
        .expect("a parameter with a curve")
        .0;
    let base = 0.25;
    let ring = find_ring(&document, &character, &columns()).expect("a ring");
    document.apply(make_ring(&document, &ring)).expect("the edit applies");
    for chain in columns() {
        document.apply(Edit::SetBaseValue { chain, param, value: base }).expect("the edit applies");
        document.apply(Edit::SetCurve { chain, param, curve: None }).expect("the edit applies");
        let joints: Vec<BoneId> = document.chains[&chain].joints.iter().map(|joint| joint.bone).collect();
        for bone in joints {
            document.apply(Edit::SetOverride { chain, bone, param, value: None }).expect("the edit applies");
        }
    }
    let curve = RingCurve::level().with_factor(0, 0.5);
    document.apply(set_ring_curve(&document, &columns(), param, Some(&curve))).expect("the edit applies");
    let file = export(&document, &character.skeleton, ExportOptions::new(EZ_JSON)).file;
    let value = |root: &str| file.trees.iter().find(|tree| tree.root == root).expect("a tree").base_values.get(param);
    assert_eq!((value("skirt_0_0"), value("skirt_2_0")), (0.5 * base, base));
}

#[test]
fn differences_name_the_ring_curve_and_can_be_taken() {
    let (character, document) = skirt_ring();
    let mut other = document.clone();
    other.apply(set_ring_curve(&document, &columns(), STIFFNESS, None)).expect("the edit applies");
    let found = diff_documents(&document, &other, &character.skeleton);
    assert_eq!(found.len(), COLUMNS);
    let mut taken = document.clone();
    for difference in found {
        taken.apply(difference.take.expect("a value that can be taken")).expect("the edit applies");
    }
    assert_eq!(taken, other);
}

#[test]
fn the_feel_of_chains_keeps_the_ring_and_single_joints_show_the_resolved_feel() {
    let (character, mut document) = skirt_ring();
    let speed = |document: &Document, chain: ChainId| {
        FeelContext::new(document, &character.skeleton).chain_value(chain, FeelParam::Speed).expect("a speed").base
    };
    let joint = |document: &Document, chain: ChainId| {
        let bone = document.chains[&chain].root();
        FeelContext::new(document, &character.skeleton).joint_value(chain, bone, FeelParam::Speed).expect("a speed")
    };
    assert!((speed(&document, ChainId(2)) - speed(&document, ChainId(6))).abs() < 1e-4);
    assert!(joint(&document, ChainId(2)) < 0.8 * joint(&document, ChainId(6)), "the front is softer than the back");
    let targets = param_edits::EditTargets { chains: columns(), joints: Vec::new() };
    let edit = FeelContext::new(&document, &character.skeleton).set_feel(&targets, FeelParam::Speed, 2.5);
    document.apply(edit).expect("the edit applies");
    for chain in columns() {
        assert!((speed(&document, chain) - 2.5).abs() < 0.02, "{chain:?}: {}", speed(&document, chain));
    }
    assert!(joint(&document, ChainId(2)) < 0.8 * joint(&document, ChainId(6)), "the ring still has its effect");
}

#[test]
fn a_ring_curve_acts_on_chains_whose_joints_had_own_values() {
    let (character, mut document) = skirt_ring();
    document.apply(set_ring_curve(&document, &columns(), STIFFNESS, None)).expect("the edit applies");
    for chain in document.chains.values_mut() {
        for (at, joint) in chain.joints.iter_mut().enumerate() {
            joint.overrides.insert(STIFFNESS, 900.0 - 100.0 * at as f32);
        }
    }
    let curve = RingCurve::level().with_factor(0, 0.5);
    let edit = param_edits::set_ring_curve(&document, &character.skeleton, &columns()[..1], STIFFNESS, Some(&curve));
    document.apply(edit).expect("the edit applies");
    let found = resolved_values(&character, &document, STIFFNESS);
    assert!((found[0] - 450.0).abs() < 1e-2 && (found[2] - 900.0).abs() < 1e-2, "{found:?}");
}

#[test]
fn commands_edit_the_whole_ring_as_one_undo_step() {
    let (character, document) = figure_and_document();
    let mut session = Session::new(Arc::new(character), document.clone());
    session.handle(Command::MakeRing(columns()[..5].to_vec()));
    assert_eq!(session.document(), &document, "an open ring is not made");
    session.handle(Command::MakeRing(columns()));
    let root = document.chains[&ChainId(4)].root();
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    session.handle(Command::SetRingCurve(STIFFNESS, Some(RingCurve::level().with_factor(1, 3.0))));
    let factors: Vec<f32> = columns().iter().map(|id| session.document().chains[id].ring_factor(STIFFNESS)).collect();
    assert!((factors[2] - 3.0).abs() < 1e-3 && (factors[0] - 1.0).abs() < 1e-3, "{factors:?}");
    assert!(
        session
            .document()
            .chains
            .iter()
            .all(|(id, chain)| { columns().contains(id) == chain.values[STIFFNESS.index()].around.is_some() })
    );
    session.handle(Command::Undo);
    session.handle(Command::Undo);
    assert_eq!(session.document(), &document);
}

/// Returns the values of a feel term for the first joint of each column, with the ring curves.
fn feel_values(character: &Character, document: &Document, term: FeelParam) -> Option<Vec<f32>> {
    let context = FeelContext::new(document, &character.skeleton);
    columns().iter().map(|id| context.joint_value(*id, document.chains[id].root(), term)).collect()
}

/// Returns a skirt ring of a solver. All joints have the same feel.
fn skirt_ring_of(solver: SolverKind) -> (Character, Document) {
    let (character, document) = figure_and_document();
    let mut document = convert(&document, &character, solver).after;
    let ring = find_ring(&document, &character, &columns()).expect("a ring");
    document.apply(make_ring(&document, &ring)).expect("the edit applies");
    let targets = param_edits::EditTargets { chains: columns(), joints: Vec::new() };
    for (term, value) in FeelParam::ALL.into_iter().zip([2.5, 0.8, 2.0, 60.0, 0.4]) {
        let edit = FeelContext::new(&document, &character.skeleton).set_feel(&targets, term, value);
        document.apply(edit).expect("the edit applies");
        let edit = FeelContext::new(&document, &character.skeleton).set_feel_curve(&columns(), term, None);
        document.apply(edit).expect("the edit applies");
    }
    (character, document)
}

#[test]
fn a_ring_changes_feel_as_values_of_single_chains_do_under_every_solver() {
    let curve = RingCurve::level().with_factor(0, 0.7).with_factor(2, 1.3);
    let (mut unavailable, mut different) = (Vec::new(), Vec::new());
    for solver in SolverKind::ALL.iter().copied() {
        let (character, document) = skirt_ring_of(solver);
        let ring = document.chains[&ChainId(2)].ring.expect("a ring").ring;
        let context = FeelContext::new(&document, &character.skeleton);
        for term in FeelParam::ALL {
            if context.unavailable_reason(ChainId(2), term).is_some() {
                continue;
            }
            if !context.can_follow_ring(ChainId(2), term) {
                unavailable.push((solver, term));
                continue;
            }
            let (mut after, mut single) = (document.clone(), document.clone());
            after.apply(context.set_ring_curve(ring, term, Some(&curve))).expect("the edit applies");
            for (column, id) in columns().into_iter().enumerate() {
                let targets = param_edits::EditTargets { chains: vec![id], joints: Vec::new() };
                let edit = context.scale_feel(&targets, term, curve.eval(45.0 * column as f32));
                single.apply(edit).expect("the edit applies");
            }
            for other in FeelParam::ALL {
                let [found, expected] = [&after, &single].map(|document| feel_values(&character, document, other));
                assert_eq!(found.is_some(), expected.is_some(), "{solver:?} {term:?} {other:?}");
                let (found, expected) = (found.unwrap_or_default(), expected.unwrap_or_default());
                let is_near = |(found, expected): (&f32, &f32)| (found / expected - 1.0).abs() <= 0.01;
                if !found.iter().zip(&expected).all(is_near) {
                    different.push((solver, term, other, found, expected));
                }
            }
        }
    }
    assert!(different.is_empty(), "{different:?}");
    // Limits of AnimDynamics and all parameters of hinges have no curves.
    let mut expected = vec![(SolverKind::AnimDynamics, FeelParam::MaxAngle)];
    expected.extend(FeelParam::ALL.map(|term| (SolverKind::Hinge, term)));
    assert_eq!(unavailable, expected);
}

#[test]
fn repeated_edits_of_one_side_of_a_feel_ring_move_no_other_side() {
    let (character, mut document) = skirt_ring();
    for chain in columns() {
        let curve = Some(Curve::from_shape(CurveShape::StiffTip));
        document.apply(Edit::SetCurve { chain, param: STIFFNESS, curve }).expect("the edit applies");
    }
    let ring = document.chains[&ChainId(2)].ring.expect("a ring").ring;
    let root = document.chains[&ChainId(2)].root();
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    let shown = |session: &Session| session.inspection().feel_ring_curve(ring, FeelParam::Speed);
    let of_others =
        |session: &Session| resolved_values(session.character(), session.document(), STIFFNESS)[1..].to_vec();
    let before = (shown(&session), of_others(&session));
    for factor in [1.5, 0.4, 1.1] {
        let curve = shown(&session).with_factor(0, factor);
        session.handle(Command::SetFeelRingCurve(FeelParam::Speed, Some(curve.clone())));
        assert_eq!(shown(&session), curve, "the drawn curve is unchanged");
        let others = of_others(&session);
        assert!(others.iter().zip(&before.1).all(|(a, b)| (a - b).abs() < 1e-3 * b), "{others:?}, not {:?}", before.1);
    }
    assert_eq!(shown(&session).keys()[1..], before.0.keys()[1..]);
}

#[test]
fn a_feel_curve_along_the_chain_keeps_the_base_value_and_the_ring() {
    let (character, mut document) = skirt_ring_of(SolverKind::UnityChanSpringBone);
    let ring = document.chains[&ChainId(2)].ring.expect("a ring").ring;
    let curve = RingCurve::level().with_factor(0, 0.5);
    let edit = FeelContext::new(&document, &character.skeleton).set_ring_curve(ring, FeelParam::Speed, Some(&curve));
    document.apply(edit).expect("the edit applies");
    let along = Curve::from_shape(CurveShape::Ease);
    let edit =
        FeelContext::new(&document, &character.skeleton).set_feel_curve(&columns(), FeelParam::Speed, Some(&along));
    document.apply(edit).expect("the edit applies");
    let context = FeelContext::new(&document, &character.skeleton);
    for id in [ChainId(2), ChainId(6)] {
        let base = context.chain_value(id, FeelParam::Speed).expect("a speed").base;
        assert!((base - 2.5).abs() < 0.03, "{id:?} has the base value {base}");
        let bone = document.chains[&id].joints[3].bone;
        let last = context.joint_value(id, bone, FeelParam::Speed).expect("a speed");
        let position = document.curve_positions(&document.chains[&id], &character.skeleton)[3];
        let expected = 2.5 * along.eval(position) * context.ring_factor(id, FeelParam::Speed);
        assert!((last - expected).abs() < 0.03 * expected, "{id:?}: {last}, not {expected}");
    }
    let factor = context.ring_factor(ChainId(2), FeelParam::Speed);
    assert!((factor - 0.5).abs() < 0.03, "{factor}");
}
