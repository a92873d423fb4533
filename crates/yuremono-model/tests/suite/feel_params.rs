//! Tests feel parameters on chains with unequal bones: a set value is read back, other values are kept, and undo
//! restores everything.

use crate::feel_response::chain_fixture;
use crate::support::sample;
use std::collections::BTreeSet;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainValue, Changes, Document, Edit, Node};
use yuremono_model::feel::{params, params::FeelContext, params::FeelSet, params::UnavailableReason};
use yuremono_model::feel::{preset, preset::PresetProperty};
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::solver::{hinge, joint_dynamics, spring_bone as unity, vrm};
use yuremono_sim::{FeelParam, SolverKind, SpringResponse};

const CHAIN: ChainId = ChainId(1);
const BONE_LENGTHS: [f32; 5] = [0.05, 0.12, 0.08, 0.2, 0.1];

/// Returns a value within the range of the solver. A pendulum cannot be slower than its weight allows.
fn test_value(kind: SolverKind, term: FeelParam) -> f32 {
    match term {
        FeelParam::Speed => 1.3,
        FeelParam::Settling => 0.6,
        FeelParam::Weight if kind == SolverKind::Hinge => 0.2,
        FeelParam::Weight => 2.5,
        FeelParam::IgnoreMotion => 0.5,
        FeelParam::MaxAngle => 40.0,
    }
}

fn whole_chain() -> EditTargets {
    EditTargets { chains: vec![CHAIN], joints: Vec::new() }
}

/// Returns a chain with feel values that every solver can reach.
fn chain_with_feel(kind: SolverKind) -> (Document, Skeleton) {
    let (mut document, skeleton) = chain_fixture(kind, &BONE_LENGTHS);
    for (term, value) in [(FeelParam::Settling, 0.5), (FeelParam::Speed, 1.5), (FeelParam::Settling, 0.8)] {
        let edit = params::set_feel(&document, &skeleton, &whole_chain(), term, value);
        apply(&mut document, edit);
    }
    (document, skeleton)
}

#[track_caller]
fn apply(document: &mut Document, edit: Edit) -> Changes {
    document.apply_recorded(edit).expect("the edit applies")
}

fn supported_feel_params(document: &Document, skeleton: &Skeleton) -> Vec<FeelParam> {
    let feels = FeelContext::new(document, skeleton);
    FeelParam::ALL.into_iter().filter(|term| feels.unavailable_reason(CHAIN, *term).is_none()).collect()
}

fn is_close(found: f32, expected: f32) -> bool {
    (found - expected).abs() <= 0.01 * expected.abs().max(0.02)
}

/// Returns a feel parameter of each joint. A joint without limits has an angle of 180 degrees.
fn feel_values(responses: &[SpringResponse], term: FeelParam) -> Vec<f32> {
    responses.iter().map(|sway| sway.get(term).unwrap_or(180.0)).collect()
}

#[track_caller]
fn check_others_unchanged(
    kind: SolverKind,
    but: FeelParam,
    terms: &[FeelParam],
    before: &[SpringResponse],
    after: &[SpringResponse],
) {
    for other in terms.iter().filter(|other| **other != but) {
        let pairs = feel_values(before, *other).into_iter().zip(feel_values(after, *other));
        for (was, is) in pairs {
            assert!(is_close(is, was), "{kind:?}: {but:?} took {other:?} from {was} to {is}");
        }
    }
}

#[test]
fn setting_one_feel_param_keeps_the_others_for_every_solver() {
    for kind in SolverKind::ALL {
        let (start, skeleton) = chain_with_feel(*kind);
        let terms = supported_feel_params(&start, &skeleton);
        for term in &terms {
            let (before, value) = (params::responses(&start, &skeleton, CHAIN), test_value(*kind, *term));
            let mut document = start.clone();
            let changes = apply(&mut document, params::set_feel(&start, &skeleton, &whole_chain(), *term, value));
            assert_ne!(document, start, "{kind:?} {term:?}: something changes");
            let set = params::chain_feel(&document, &skeleton, CHAIN);
            let base = set.get(*term).expect("a supported value").base;
            assert!(is_close(base, value), "{kind:?}: {term:?} was set to {value} and is {base}");
            let after = params::responses(&document, &skeleton, CHAIN);
            check_others_unchanged(*kind, *term, &terms, &before, &after);
            // All values change in proportion.
            let (was, is) = (feel_values(&before, *term), feel_values(&after, *term));
            let most = was.iter().copied().fold(0.0, f32::max);
            let all = was
                .iter()
                .zip(&is)
                .all(|(was, is)| is_close(*is, if most == 0.0 { value } else { was * value / most }));
            assert!(all, "{kind:?} {term:?}: {was:?} became {is:?}");

            let mut again = document.clone();
            apply(&mut again, params::set_feel(&document, &skeleton, &whole_chain(), *term, value));
            assert_eq!(again, document, "{kind:?} {term:?}: a second time changes nothing");
            changes.revert(&mut document);
            assert_eq!(document, start, "{kind:?} {term:?}: undo restores everything");
        }
    }
}

#[test]
fn a_feel_curve_sets_values_along_the_chain_for_every_solver() {
    let curve = Curve::from_shape(CurveShape::Linear);
    for kind in SolverKind::ALL {
        let (mut start, skeleton) = chain_with_feel(*kind);
        if *kind == SolverKind::Vrm {
            // VRM 0.x has one value for a whole chain; this test needs VRM 1.0.
            assert_eq!(start.system_values_of(&start.chains[&CHAIN]).get(vrm::VERSION), 0.0);
        }
        for term in
            [FeelParam::Speed, FeelParam::Settling, FeelParam::Weight, FeelParam::MaxAngle, FeelParam::IgnoreMotion]
        {
            let value = test_value(*kind, term);
            let edit = params::set_feel(&start, &skeleton, &whole_chain(), term, value);
            apply(&mut start, edit);
        }
        let terms = supported_feel_params(&start, &skeleton);
        let before = params::responses(&start, &skeleton, CHAIN);
        for term in &terms {
            let base = params::chain_feel(&start, &skeleton, CHAIN).get(*term).expect("one").base;
            let mut document = start.clone();
            let changes =
                apply(&mut document, FeelContext::new(&start, &skeleton).set_feel_curve(&[CHAIN], *term, Some(&curve)));
            let along = FeelContext::new(&document, &skeleton).values_along_chain(CHAIN, *term).expect("a term");
            assert_eq!((along[0].0 == 0.0, along[4].0), (!kind.info().params_at_tips, 1.0));
            for (place, value) in &along {
                let expected = base * curve.eval(*place);
                assert!(is_close(*value, expected), "{kind:?}: {term:?} at {place} is {value}, not {expected}");
            }
            check_others_unchanged(*kind, *term, &terms, &before, &params::responses(&document, &skeleton, CHAIN));
            let fitted = params::chain_feel(&document, &skeleton, CHAIN).get(*term).cloned().expect("one");
            // Solvers that read values at tips use the first value after the root.
            let first = curve.eval(along[0].0);
            assert!(
                is_close(fitted.base, base * first) && is_close(fitted.curve.expect("a curve").eval(1.0), 0.2 / first)
            );

            let mut level = document.clone();
            apply(&mut level, FeelContext::new(&document, &skeleton).set_feel_curve(&[CHAIN], *term, None));
            let flat = params::chain_feel(&level, &skeleton, CHAIN).get(*term).cloned().expect("one");
            assert!(flat.curve.is_none() && is_close(flat.base, base * first), "{kind:?} {term:?}: {flat:?}");
            changes.revert(&mut document);
            assert_eq!(document, start);
        }
    }
}

#[test]
fn feel_params_that_cannot_be_set_are_those_the_solver_declares_unsupported() {
    for kind in SolverKind::ALL {
        let (document, skeleton) = chain_fixture(*kind, &BONE_LENGTHS);
        let feels = FeelContext::new(&document, &skeleton);
        for term in FeelParam::ALL {
            let named = kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term).map(|(_, why)| *why);
            assert_eq!(
                feels.unavailable_reason(CHAIN, term),
                named.map(UnavailableReason::Unsupported),
                "{kind:?} {term:?}"
            );
            assert_eq!(feels.chain_feel(CHAIN).get(term).is_none(), named.is_some());
            // Setting the current value for all joints changes nothing.
            if named.is_some() {
                assert_eq!(feels.set_feel(&whole_chain(), term, 1.0), Edit::Batch(Vec::new()), "{kind:?} {term:?}");
            }
        }
    }
}

#[test]
fn system_params_can_leave_a_feel_param_without_effect() {
    let (mut document, skeleton) = chain_fixture(SolverKind::JointDynamics, &BONE_LENGTHS);
    for param in joint_dynamics::GRAVITY {
        apply(
            &mut document,
            Edit::SetSystemValue { system: yuremono_model::document::SystemId::default(), param, value: 0.0 },
        );
    }
    assert_eq!(
        FeelContext::new(&document, &skeleton).unavailable_reason(CHAIN, FeelParam::Weight),
        Some(UnavailableReason::NoEffect),
        "nothing pulls"
    );
    let (mut document, skeleton) = chain_fixture(SolverKind::UnityChanSpringBone, &BONE_LENGTHS);
    apply(
        &mut document,
        Edit::SetSystemValue {
            system: yuremono_model::document::SystemId::default(),
            param: unity::ENABLE_ANGLE_LIMITS,
            value: 0.0,
        },
    );
    assert_eq!(
        FeelContext::new(&document, &skeleton).unavailable_reason(CHAIN, FeelParam::MaxAngle),
        Some(UnavailableReason::NoEffect),
        "the limits are disabled"
    );
    let (mut document, skeleton) = chain_fixture(SolverKind::Hinge, &BONE_LENGTHS);
    apply(
        &mut document,
        Edit::SetSystemValue {
            system: yuremono_model::document::SystemId::default(),
            param: hinge::VARIANT,
            value: 0.0,
        },
    );
    assert_eq!(
        FeelContext::new(&document, &skeleton).unavailable_reason(CHAIN, FeelParam::MaxAngle),
        Some(UnavailableReason::NoEffect),
        "this chain has no limits"
    );
}

#[test]
fn weight_includes_the_gravity_of_the_system() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::UnityChanSpringBone);
    apply(
        &mut document,
        Edit::SetSystemValue {
            system: yuremono_model::document::SystemId::default(),
            param: unity::GRAVITY[1],
            value: -9.8,
        },
    );
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Weight, 2.0);
    apply(&mut document, edit);
    // The solver halves every acceleration.
    let own = document.chains[&CHAIN].values[unity::SPRING_FORCE[1].index()].base;
    assert!((own - (9.8 - 4.0)).abs() < 1e-3, "{own}");
    let pull = params::responses(&document, &skeleton, CHAIN)[2].acceleration;
    assert!(is_close(-pull.y, 2.0) && pull.x == 0.0, "{pull}");
}

#[test]
fn setting_weight_keeps_the_force_direction_of_each_joint() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::UnityChanSpringBone);
    apply(
        &mut document,
        Edit::SetSystemValue {
            system: yuremono_model::document::SystemId::default(),
            param: unity::GRAVITY[1],
            value: 0.0,
        },
    );
    for (param, value) in unity::SPRING_FORCE.into_iter().zip([0.0, 0.0, 3.0]) {
        apply(&mut document, Edit::SetBaseValue { chain: CHAIN, param, value });
    }
    apply(
        &mut document,
        Edit::SetOverride { chain: CHAIN, bone: BoneId(3), param: unity::SPRING_FORCE[0], value: Some(4.0) },
    );
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Weight, 5.0);
    apply(&mut document, edit);
    let pulls: Vec<_> = params::responses(&document, &skeleton, CHAIN).iter().map(|s| s.acceleration).collect();
    assert!(is_close(pulls[2].length(), 5.0) && is_close(pulls[2].x / pulls[2].z, 4.0 / 3.0), "{pulls:?}");
    assert!(is_close(pulls[0].z, 3.0) && pulls[0].x == 0.0, "{pulls:?}");
}

#[test]
fn setting_feel_on_one_joint_changes_only_that_joint() {
    for kind in SolverKind::ALL {
        let (document, skeleton) = chain_with_feel(*kind);
        let before = params::responses(&document, &skeleton, CHAIN);
        let joint = EditTargets { chains: Vec::new(), joints: vec![(CHAIN, BoneId(3))] };
        let mut after = document.clone();
        apply(&mut after, params::set_feel(&document, &skeleton, &joint, FeelParam::Speed, 1.5));
        let responses = params::responses(&after, &skeleton, CHAIN);
        for at in 0..5 {
            let expected = if at == 2 { 1.5 } else { before[at].frequency_hz };
            assert!(is_close(responses[at].frequency_hz, expected), "{kind:?} {at}: {}", responses[at].frequency_hz);
            assert!(is_close(responses[at].damping_ratio, before[at].damping_ratio), "{kind:?} {at}");
        }
        assert_eq!(
            after.chains[&CHAIN].values, document.chains[&CHAIN].values,
            "{kind:?}: the chain's base values stay"
        );
    }
}

#[test]
fn scaling_feel_keeps_the_ratios_between_joints() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::UnityChanSpringBone);
    let curve = Curve::from_shape(CurveShape::Ease);
    let edit = FeelContext::new(&document, &skeleton).set_feel_curve(&[CHAIN], FeelParam::Speed, Some(&curve));
    apply(&mut document, edit);
    let before = params::responses(&document, &skeleton, CHAIN);
    let edit = FeelContext::new(&document, &skeleton).scale_feel(&whole_chain(), FeelParam::Speed, 1.4);
    apply(&mut document, edit);
    let after = params::responses(&document, &skeleton, CHAIN);
    let all = before.iter().zip(&after).all(|(was, is)| is_close(is.frequency_hz, was.frequency_hz * 1.4));
    assert!(all, "{before:?} {after:?}");
}

#[test]
fn max_angle_scales_an_asymmetric_limit_in_proportion() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::UnityChanSpringBone);
    let ends = [(unity::Y_MIN, -50.0), (unity::Y_MAX, 26.0), (unity::Z_MIN, -30.0), (unity::Z_MAX, 30.0)];
    for (param, value) in ends.into_iter().chain([(unity::Y_ACTIVE, 1.0), (unity::Z_ACTIVE, 1.0)]) {
        apply(&mut document, Edit::SetBaseValue { chain: CHAIN, param, value });
    }
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::MaxAngle, 13.0);
    apply(&mut document, edit);
    for (param, value) in ends {
        let is = document.chains[&CHAIN].values[param.index()].base;
        assert!(is_close(is, value * 0.5), "{param:?}: {is}");
    }
    assert!(document.chains[&CHAIN].joints.iter().all(|j| j.pivot.is_some()), "limits need a frame");
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::MaxAngle, 180.0);
    apply(&mut document, edit);
    assert_eq!(document.chains[&CHAIN].values[unity::Y_ACTIVE.index()].base, 0.0, "a full circle is not a limit");
}

#[test]
fn resetting_feel_restores_the_loaded_values_exactly() {
    for kind in SolverKind::ALL {
        let (loaded, skeleton) = chain_fixture(*kind, &BONE_LENGTHS);
        for term in supported_feel_params(&loaded, &skeleton) {
            let mut document = loaded.clone();
            apply(&mut document, params::set_feel(&loaded, &skeleton, &whole_chain(), term, test_value(*kind, term)));
            let moved = document.clone();
            apply(&mut document, FeelContext::new(&moved, &skeleton).reset_feel(&loaded, &whole_chain(), term));
            let was = params::chain_feel(&loaded, &skeleton, CHAIN);
            let is = params::chain_feel(&document, &skeleton, CHAIN);
            let base = |set: &FeelSet| set.get(term).expect("one").base;
            assert!(is_close(base(&is), base(&was)), "{kind:?} {term:?}: {is:?}, not {was:?}");
        }
        // Speed, which every solver supports, is compared value by value.
        let mut document = loaded.clone();
        apply(&mut document, params::set_feel(&loaded, &skeleton, &whole_chain(), FeelParam::Speed, 0.9));
        let edit = FeelContext::new(&document, &skeleton).reset_feel(&loaded, &whole_chain(), FeelParam::Speed);
        apply(&mut document, edit);
        for (param, def) in yuremono_sim::params::enumerate_params(loaded.param_defs_of(&loaded.chains[&CHAIN])) {
            let [is, was] = [&document, &loaded].map(|d| &d.chains[&CHAIN].values[param.index()]);
            assert_eq!(is, was, "{kind:?}: {}", def.name);
        }
        assert_eq!(document.chains[&CHAIN].joints, loaded.chains[&CHAIN].joints, "{kind:?}");
    }
}

#[test]
fn a_preset_curve_applies_along_a_chain_and_at_the_position_of_a_joint() {
    let set = FeelSet {
        speed: Some(ChainValue::new(2.0, Some(Curve::from_shape(CurveShape::Linear)))),
        settling: Some(ChainValue::constant(0.6)),
        radius: Some(ChainValue::constant(0.3)),
        ..FeelSet::default()
    };
    let both = [FeelParam::Speed, FeelParam::Settling, FeelParam::MaxAngle];
    for kind in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::KawaiiPhysics] {
        let (document, skeleton) = chain_fixture(kind, &BONE_LENGTHS);
        let mut after = document.clone();
        apply(&mut after, FeelContext::new(&document, &skeleton).apply_feel(&whole_chain(), &set, &both, true));
        let found = params::chain_feel(&after, &skeleton, CHAIN);
        let is_near = |a: &Option<ChainValue>, b: f32| a.as_ref().is_some_and(|a| is_close(a.base, b));
        assert!(
            is_near(&found.speed, 2.0) && is_near(&found.settling, 0.6) && is_near(&found.radius, 0.3),
            "{found:?}"
        );
        assert_eq!(
            found.max_angle,
            params::chain_feel(&document, &skeleton, CHAIN).max_angle,
            "values that the preset lacks stay"
        );
        assert!(is_close(found.speed.expect("one").curve.expect("a curve").eval(1.0), 0.2), "{kind:?}");

        let last = EditTargets { chains: Vec::new(), joints: vec![(CHAIN, BoneId(5))] };
        let mut after = document.clone();
        apply(&mut after, FeelContext::new(&document, &skeleton).apply_feel(&last, &set, &both, false));
        let responses = params::responses(&after, &skeleton, CHAIN);
        assert!(is_close(responses[4].frequency_hz, 0.4), "{kind:?}: {}", responses[4].frequency_hz);
        assert_eq!(responses[..4], params::responses(&document, &skeleton, CHAIN)[..4]);
    }
}

#[test]
fn at_the_end_of_a_range_the_nearest_settling_is_written_and_the_speed_is_kept() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::Vrm);
    let before = params::responses(&document, &skeleton, CHAIN);
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Settling, 0.001);
    apply(&mut document, edit);
    for (was, is) in before.iter().zip(params::responses(&document, &skeleton, CHAIN)) {
        assert!(is_close(is.frequency_hz, was.frequency_hz), "the speed is kept: {is:?}");
        assert!((0.03..0.1).contains(&is.damping_ratio), "VRM has this damping without drag: {is:?}");
    }
    let stopped = document.clone();
    apply(&mut document, params::set_feel(&stopped, &skeleton, &whole_chain(), FeelParam::Settling, 0.001));
    for (was, is) in
        params::responses(&stopped, &skeleton, CHAIN).iter().zip(params::responses(&document, &skeleton, CHAIN))
    {
        assert!(is_close(is.damping_ratio, was.damping_ratio) && is_close(is.frequency_hz, was.frequency_hz));
    }
}

#[test]
fn chains_of_vrm_0_keep_one_set_of_values() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::Vrm);
    apply(
        &mut document,
        Edit::SetSystemValue { system: yuremono_model::document::SystemId::default(), param: vrm::VERSION, value: 1.0 },
    );
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Speed, 4.0);
    apply(&mut document, edit);
    let chain = &document.chains[&CHAIN];
    assert!(chain.joints.iter().all(|j| j.overrides.is_empty()) && chain.values.iter().all(|v| v.curve.is_none()));
    let most = params::responses(&document, &skeleton, CHAIN).iter().map(|s| s.frequency_hz).fold(0.0, f32::max);
    assert!(is_close(most, 4.0), "{most}");
}

#[test]
fn missing_chains_and_nan_values_give_an_empty_edit() {
    let (mut document, skeleton) = chain_with_feel(SolverKind::UnityChanSpringBone);
    let gone = EditTargets { chains: vec![ChainId(9)], joints: vec![(ChainId(9), BoneId(1)), (CHAIN, BoneId(99))] };
    assert_eq!(params::set_feel(&document, &skeleton, &gone, FeelParam::Speed, 2.0), Edit::Batch(Vec::new()));
    assert_eq!(params::chain_feel(&document, &skeleton, ChainId(9)), FeelSet::default());
    assert_eq!(
        params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Speed, f32::NAN),
        Edit::Batch(Vec::new())
    );
    apply(&mut document, Edit::SetBaseValue { chain: CHAIN, param: unity::STIFFNESS, value: f32::INFINITY });
    let edit = params::set_feel(&document, &skeleton, &whole_chain(), FeelParam::Settling, 0.3);
    apply(&mut document, edit);
}

#[test]
fn setting_max_angle_on_all_chains_gives_each_joint_its_own_pivot() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let (mut document, skeleton) = (opened.document.clone(), &opened.character.skeleton);
    let chains: Vec<ChainId> = document.chains.keys().copied().collect();
    let joints = |document: &Document| -> Vec<_> { document.chains.values().flat_map(|c| c.joints.clone()).collect() };
    assert!(chains.len() > 2 && joints(&document).iter().all(|joint| joint.pivot.is_none()));
    let mut set = FeelSet::default();
    set.set(FeelParam::MaxAngle, Some(ChainValue::constant(40.0)));
    let targets = EditTargets { chains, joints: Vec::new() };
    let stiff = builtin_presets().iter().find(|preset| preset.key == "skirt_stiff").expect("a built-in preset");
    let edits = [
        FeelContext::new(&document, skeleton).apply_feel(&targets, &set, &[FeelParam::MaxAngle], false),
        preset::preset_edit(&document, skeleton, &targets, stiff, &[PresetProperty::Base(FeelParam::MaxAngle)]),
    ];
    for edit in edits {
        let undo = apply(&mut document, edit);
        let mut seen = BTreeSet::new();
        for joint in joints(&document) {
            let Some(Node::Helper(id)) = joint.pivot else { panic!("{} has no pivot", skeleton.name(joint.bone)) };
            assert!(seen.insert(id), "{} shares its pivot", skeleton.name(joint.bone));
            assert_eq!(document.helpers[&id].name, format!("{}_Pivot", skeleton.name(joint.bone)));
        }
        undo.revert(&mut document);
        assert!(document == opened.document);
    }
}
