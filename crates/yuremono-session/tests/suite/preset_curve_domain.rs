//! Tests the domain of a preset's curves, and how applying a preset changes the existing curves of a chain.

use super::support::sample;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_format::open::OpenedCharacter;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{Chain, ChainId, ChainValue, Changes, CurveDomain, Document};
use yuremono_model::feel::{params::FeelContext, params::FeelSet};
use yuremono_model::feel::{
    preset::Preset, preset::PresetProperty, preset::differences, preset::preset_edit, preset::unreached_targets,
};
use yuremono_session::Session;
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::params::ParamId;
use yuremono_sim::solver::spring_bone;
use yuremono_sim::{FeelParam, SolverKind};

/// Returns the bundled character with all curves over depth, and the chain in which depth and length differ most.
fn sample_with_depth_curves(solver: SolverKind) -> (OpenedCharacter, ChainId) {
    let mut opened = sample(solver);
    let skeleton = &opened.character.skeleton;
    let off = |chain: &Chain| {
        let [length, depth] = [CurveDomain::Length, CurveDomain::Depth]
            .map(|along| Chain { curve_domain: along, ..chain.clone() }.curve_positions(skeleton));
        length.iter().zip(depth).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    let most = opened.document.chains.iter().max_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    let (id, chain) = most.expect("the sample has chains");
    assert!(off(chain) > 0.05, "{}: {}", chain.name, off(chain));
    let id = *id;
    for chain in opened.document.chains.values_mut() {
        chain.curve_domain = CurveDomain::Depth;
        chain.values.iter_mut().for_each(|value| value.curve = None);
        chain.joints.iter_mut().for_each(|joint| joint.overrides.clear());
    }
    (opened, id)
}

/// Returns a preset whose speed falls from the root to the tip, by length.
fn preset_falling_by_length() -> Preset {
    let curve = Curve::from_shape(CurveShape::Linear);
    let feel = FeelSet {
        speed: Some(ChainValue::new(3.0, Some(curve))),
        settling: Some(ChainValue::constant(0.5)),
        ..FeelSet::default()
    };
    Preset { curve_domain: CurveDomain::Length, feel, ..builtin_presets()[0].clone() }
}

const SPEED_PROPERTIES: [PresetProperty; 2] =
    [PresetProperty::Base(FeelParam::Speed), PresetProperty::Curve(FeelParam::Speed)];

fn apply_preset(
    opened: &OpenedCharacter,
    document: &mut Document,
    id: ChainId,
    preset: &Preset,
    take: &[PresetProperty],
) -> Changes {
    let targets = EditTargets { chains: vec![id], joints: Vec::new() };
    let step = preset_edit(document, &opened.character.skeleton, &targets, preset, take);
    document.apply_recorded(step).expect("a preset fits")
}

/// Checks that every joint has the preset's speed at the joint's position by length.
#[track_caller]
fn check_speed_falls_by_length(opened: &OpenedCharacter, document: &Document, id: ChainId) {
    let skeleton = &opened.character.skeleton;
    let by_length = Chain { curve_domain: CurveDomain::Length, ..document.chains[&id].clone() };
    let places = document.curve_positions(&by_length, skeleton);
    let found = FeelContext::new(document, skeleton).values_along_chain(id, FeelParam::Speed).expect("a speed");
    for (place, (_, found)) in places.into_iter().zip(found) {
        let wanted =
            3.0 * preset_falling_by_length().feel.speed.and_then(|speed| speed.curve).expect("a curve").eval(place);
        assert!((found - wanted).abs() < 0.01 * wanted, "{found} Hz at {place}, not {wanted}");
    }
}

#[test]
fn a_chain_without_curves_takes_the_curve_domain_of_the_preset() {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::DynamicBone] {
        let (opened, id) = sample_with_depth_curves(solver);
        let mut document = opened.document.clone();
        let changes = apply_preset(&opened, &mut document, id, &preset_falling_by_length(), &SPEED_PROPERTIES);
        assert_eq!(document.chains[&id].curve_domain, CurveDomain::Length, "{solver:?}");
        check_speed_falls_by_length(&opened, &document, id);
        changes.revert(&mut document);
        assert_eq!(document, opened.document, "one step");
    }
}

#[test]
fn a_kept_curve_keeps_its_values_and_the_preset_curve_is_converted_to_the_domain_of_the_chain() {
    let (mut opened, id) = sample_with_depth_curves(SolverKind::UnityChanSpringBone);
    let param = spring_bone::RADIUS;
    let chain = opened.document.chains.get_mut(&id).expect("the system exists");
    chain.values[param.index()].curve = Some(Curve::from_shape(CurveShape::StiffTip));
    let skeleton = opened.character.skeleton.clone();
    let radii = |document: &Document| -> Vec<f32> {
        let chain = &document.chains[&id];
        let places = document.curve_positions(chain, &skeleton);
        (0..chain.joints.len()).map(|at| chain.joint_value(at, param, places[at])).collect()
    };
    let mut document = opened.document.clone();
    apply_preset(&opened, &mut document, id, &preset_falling_by_length(), &SPEED_PROPERTIES);
    assert_eq!(document.chains[&id].curve_domain, CurveDomain::Depth);
    assert_eq!(radii(&document), radii(&opened.document));
    check_speed_falls_by_length(&opened, &document, id);
    let targets = EditTargets { chains: vec![id], joints: Vec::new() };
    let speed =
        Preset { feel: FeelSet { settling: None, ..preset_falling_by_length().feel }, ..preset_falling_by_length() };
    let lines = differences(&document, &skeleton, &targets, &speed);
    assert!(lines.len() == 2 && lines.iter().all(|line| line.is_same), "{lines:?}");
    assert_eq!(unreached_targets(&document, &skeleton, id, &speed), []);
    apply_preset(&opened, &mut document, id, &preset_falling_by_length(), &[PresetProperty::Base(FeelParam::Settling)]);
    let mut session = Session::new(opened.character.clone(), document);
    let root = session.document().chains[&id].root();
    session.handle(yuremono_session::Command::Select(vec![root], yuremono_session::SelectMode::Replace));
    assert!(session.inspection().matches_preset(&preset_falling_by_length()), "the preset is shown as applied");
}

#[test]
fn curves_that_no_joint_uses_do_not_keep_the_curve_domain() {
    let (mut opened, id) = sample_with_depth_curves(SolverKind::UnityChanSpringBone);
    let chain = opened.document.chains.get_mut(&id).expect("the system exists");
    chain.values[spring_bone::STIFFNESS.index()].curve = Some(Curve::from_shape(CurveShape::Ease));
    let hidden = &mut chain.values[spring_bone::WIND_INFLUENCE.index()];
    hidden.curve = Some(Curve::from_shape(CurveShape::Ease));
    chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.insert(spring_bone::WIND_INFLUENCE, 0.5));
    let mut document = opened.document.clone();
    apply_preset(&opened, &mut document, id, &preset_falling_by_length(), &SPEED_PROPERTIES);
    assert_eq!(
        document.chains[&id].curve_domain,
        CurveDomain::Length,
        "stiffness comes from the preset, and wind from each joint's override"
    );
    check_speed_falls_by_length(&opened, &document, id);
}

#[test]
fn a_preset_without_an_applicable_curve_keeps_the_curve_domain() {
    let (opened, id) = sample_with_depth_curves(SolverKind::Vrm);
    let level =
        Preset { feel: FeelSet { speed: None, ..preset_falling_by_length().feel }, ..preset_falling_by_length() };
    let curve = preset_falling_by_length().feel.speed.and_then(|speed| speed.curve);
    let follow = FeelSet { ignore_motion: Some(ChainValue::new(0.3, curve)), ..level.feel.clone() };
    let both = [PresetProperty::Base(FeelParam::Settling), PresetProperty::Curve(FeelParam::Settling)];
    let all = [
        both[0],
        both[1],
        PresetProperty::Base(FeelParam::IgnoreMotion),
        PresetProperty::Curve(FeelParam::IgnoreMotion),
    ];
    for (preset, take) in [
        (&level, &both[..]),
        (
            &preset_falling_by_length(),
            &[PresetProperty::Base(FeelParam::Speed), PresetProperty::Base(FeelParam::Settling)],
        ),
        (&Preset { feel: follow, ..preset_falling_by_length() }, &all),
    ] {
        let mut document = opened.document.clone();
        apply_preset(&opened, &mut document, id, preset, take);
        assert_ne!(document, opened.document);
        assert_eq!(document.chains[&id].curve_domain, CurveDomain::Depth, "{take:?}");
    }
    // Only the base value is applied. The chain's own curve stays over depth.
    let mut document = opened.document.clone();
    let own = Preset { curve_domain: CurveDomain::Depth, ..preset_falling_by_length() };
    apply_preset(&opened, &mut document, id, &own, &SPEED_PROPERTIES);
    let before =
        FeelContext::new(&document, &opened.character.skeleton).chain_value(id, FeelParam::Speed).expect("a speed");
    let faster = Preset {
        feel: FeelSet { speed: Some(ChainValue::constant(6.0)), ..FeelSet::default() },
        ..preset_falling_by_length()
    };
    apply_preset(&opened, &mut document, id, &faster, &SPEED_PROPERTIES[..1]);
    let after =
        FeelContext::new(&document, &opened.character.skeleton).chain_value(id, FeelParam::Speed).expect("a speed");
    for place in [0.0, 0.3, 0.7, 1.0] {
        let [before, after] = [&before, &after].map(|a| a.base * a.curve.as_ref().expect("it has a curve").eval(place));
        assert!((after - 2.0 * before).abs() < 0.02 * after, "{after} at {place}, was {before}");
    }
}

#[test]
fn a_preset_on_a_single_joint_uses_the_curve_domain_of_the_preset() {
    let (opened, id) = sample_with_depth_curves(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let chain = &opened.document.chains[&id];
    let by_length = Chain { curve_domain: CurveDomain::Length, ..chain.clone() }.curve_positions(skeleton);
    let by_depth = chain.curve_positions(skeleton);
    let off = |at: usize| (by_length[at] - by_depth[at]).abs();
    let at = (0..by_depth.len()).max_by(|a, b| off(*a).total_cmp(&off(*b))).expect("joints");
    let bone = chain.joints[at].bone;
    let mut document = opened.document.clone();
    let targets = EditTargets { chains: Vec::new(), joints: vec![(id, bone)] };
    let step = preset_edit(&document, skeleton, &targets, &preset_falling_by_length(), &SPEED_PROPERTIES);
    document.apply(step).expect("a preset fits");
    assert_eq!(document.chains[&id].curve_domain, CurveDomain::Depth, "the other joints keep their curve domain");
    let found = FeelContext::new(&document, skeleton).joint_value(id, bone, FeelParam::Speed).expect("a speed");
    let wanted = 3.0 * (1.0 - 0.8 * by_length[at]);
    assert!((found - wanted).abs() < 0.01 * wanted, "{found}, not {wanted}");
    let others = document.chains[&id].joints.iter().filter(|joint| joint.bone != bone);
    assert!(others.clone().count() > 0 && others.into_iter().all(|joint| !joint.overrides.contains_key(&ParamId(0))));
}
