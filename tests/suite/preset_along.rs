//! What a preset's curves run over, and what becomes of the curves that a chain has.

use super::support::sample;
use yuremono::document::tune::Targets;
use yuremono::document::{Along, Authored, Chain, ChainId, Document, Edit};
use yuremono::feel::{preset::Preset, preset::Property, preset::differences, preset::edit, preset::misses};
use yuremono::feel::{terms::FeelSet, terms::Feels};
use yuremono::format::open::Opened;
use yuremono::format::shelf::built_in;
use yuremono::math::{Curve, CurveShape};
use yuremono::schema::Row;
use yuremono::session::Session;
use yuremono::sim::solver::spring_bone;
use yuremono::sim::{SolverKind, Term};

/// The bundled character with all chains over depth, and the one on which depth and length differ most.
fn over_depth(solver: SolverKind) -> (Opened, ChainId) {
    let mut opened = sample(solver);
    let skeleton = &opened.character.skeleton;
    let off = |chain: &Chain| {
        let [length, depth] =
            [Along::Length, Along::Depth].map(|along| Chain { along, ..chain.clone() }.places(skeleton));
        length.iter().zip(depth).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    let most = opened.document.chains.iter().max_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    let (id, chain) = most.expect("she has chains");
    assert!(off(chain) > 0.05, "{}: {}", chain.name, off(chain));
    let id = *id;
    for chain in opened.document.chains.values_mut() {
        chain.along = Along::Depth;
        chain.values.iter_mut().for_each(|value| value.curve = None);
        chain.joints.iter_mut().for_each(|joint| joint.own.clear());
    }
    (opened, id)
}

/// Faster at the root, by length.
fn falling() -> Preset {
    let curve = Curve::shape(CurveShape::Linear);
    let feel = FeelSet {
        speed: Some(Authored { base: 3.0, curve: Some(curve) }),
        settle: Some(Authored { base: 0.5, curve: None }),
        ..FeelSet::default()
    };
    Preset { along: Along::Length, feel, ..built_in()[0].clone() }
}

const SPEED: [Property; 2] = [Property::Base(Term::Speed), Property::Curve(Term::Speed)];

fn put(opened: &Opened, document: &mut Document, id: ChainId, preset: &Preset, take: &[Property]) -> Edit {
    let targets = Targets { chains: vec![id], joints: Vec::new() };
    let step = edit(document, &opened.character.skeleton, &targets, preset, take);
    document.apply(step).expect("a preset fits").0
}

/// Every joint swings as fast as the preset says where the joint stands by length.
#[track_caller]
fn is_falling(opened: &Opened, document: &Document, id: ChainId) {
    let skeleton = &opened.character.skeleton;
    let by_length = Chain { along: Along::Length, ..document.chains[&id].clone() };
    let places = document.places(&by_length, skeleton);
    let found = Feels::new(document, skeleton).along(id, Term::Speed).expect("it swings");
    for (place, (_, found)) in places.into_iter().zip(found) {
        let wanted = 3.0 * falling().feel.speed.and_then(|speed| speed.curve).expect("a curve").eval(place);
        assert!((found - wanted).abs() < 0.01 * wanted, "{found} Hz at {place}, not {wanted}");
    }
}

#[test]
fn a_chain_without_curves_takes_on_what_the_presets_curve_runs_over() {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::DynamicBone] {
        let (opened, id) = over_depth(solver);
        let mut document = opened.document.clone();
        let inverse = put(&opened, &mut document, id, &falling(), &SPEED);
        assert_eq!(document.chains[&id].along, Along::Length, "{solver:?}");
        is_falling(&opened, &document, id);
        document.apply(inverse).expect("and back");
        assert_eq!(document, opened.document, "one step");
    }
}

#[test]
fn a_curve_that_lives_on_keeps_its_meaning_and_the_presets_is_read_over_into_the_chains_measure() {
    let (mut opened, id) = over_depth(SolverKind::UnityChanSpringBone);
    let row = spring_bone::RADIUS;
    let chain = opened.document.chains.get_mut(&id).expect("it is there");
    chain.values[row.index()].curve = Some(Curve::shape(CurveShape::StiffTip));
    let skeleton = opened.character.skeleton.clone();
    let radii = |document: &Document| -> Vec<f32> {
        let chain = &document.chains[&id];
        let places = document.places(chain, &skeleton);
        (0..chain.joints.len()).map(|at| chain.value(at, row, places[at])).collect()
    };
    let mut document = opened.document.clone();
    put(&opened, &mut document, id, &falling(), &SPEED);
    assert_eq!(document.chains[&id].along, Along::Depth);
    assert_eq!(radii(&document), radii(&opened.document));
    is_falling(&opened, &document, id);
    let targets = Targets { chains: vec![id], joints: Vec::new() };
    let speed = Preset { feel: FeelSet { settle: None, ..falling().feel }, ..falling() };
    let lines = differences(&document, &skeleton, &targets, &speed);
    assert!(lines.len() == 2 && lines.iter().all(|line| line.same), "{lines:?}");
    assert_eq!(misses(&document, &skeleton, id, &speed), []);
    put(&opened, &mut document, id, &falling(), &[Property::Base(Term::Settle)]);
    let mut session = Session::new(opened.character.clone(), document);
    let root = session.document().chains[&id].root();
    session.handle(yuremono::session::Command::Select(vec![root], yuremono::session::Pick::Replace));
    assert!(session.presets().feels_like(&falling()), "the window finds it in use");
}

#[test]
fn a_curve_that_no_joint_follows_any_more_is_no_reason_to_keep_a_measure() {
    let (mut opened, id) = over_depth(SolverKind::UnityChanSpringBone);
    let chain = opened.document.chains.get_mut(&id).expect("it is there");
    chain.values[spring_bone::STIFFNESS.index()].curve = Some(Curve::shape(CurveShape::Ease));
    let hidden = &mut chain.values[spring_bone::WIND_INFLUENCE.index()];
    hidden.curve = Some(Curve::shape(CurveShape::Ease));
    chain.joints.iter_mut().for_each(|joint| _ = joint.own.insert(spring_bone::WIND_INFLUENCE, 0.5));
    let mut document = opened.document.clone();
    put(&opened, &mut document, id, &falling(), &SPEED);
    assert_eq!(document.chains[&id].along, Along::Length, "stiffness is the preset's now, the wind each joint's own");
    is_falling(&opened, &document, id);
}

#[test]
fn a_preset_of_which_no_curve_is_taken_or_can_be_had_leaves_the_measure_alone() {
    let (opened, id) = over_depth(SolverKind::Vrm);
    let level = Preset { feel: FeelSet { speed: None, ..falling().feel }, ..falling() };
    let curve = falling().feel.speed.and_then(|speed| speed.curve);
    let follow = FeelSet { follow: Some(Authored { base: 0.3, curve }), ..level.feel.clone() };
    let both = [Property::Base(Term::Settle), Property::Curve(Term::Settle)];
    let all = [both[0], both[1], Property::Base(Term::Follow), Property::Curve(Term::Follow)];
    for (preset, take) in [
        (&level, &both[..]),
        (&falling(), &[Property::Base(Term::Speed), Property::Base(Term::Settle)]),
        (&Preset { feel: follow, ..falling() }, &all),
    ] {
        let mut document = opened.document.clone();
        put(&opened, &mut document, id, preset, take);
        assert_ne!(document, opened.document);
        assert_eq!(document.chains[&id].along, Along::Depth, "{take:?}");
    }
    // The base alone is taken, and the chain's own curve stays where it is: over depth.
    let mut document = opened.document.clone();
    let own = Preset { along: Along::Depth, ..falling() };
    put(&opened, &mut document, id, &own, &SPEED);
    let before = Feels::new(&document, &opened.character.skeleton).term(id, Term::Speed).expect("it swings");
    let faster = Preset {
        feel: FeelSet { speed: Some(Authored { base: 6.0, curve: None }), ..FeelSet::default() },
        ..falling()
    };
    put(&opened, &mut document, id, &faster, &SPEED[..1]);
    let after = Feels::new(&document, &opened.character.skeleton).term(id, Term::Speed).expect("it swings");
    for place in [0.0, 0.3, 0.7, 1.0] {
        let [before, after] = [&before, &after].map(|a| a.base * a.curve.as_ref().expect("it falls").eval(place));
        assert!((after - 2.0 * before).abs() < 0.02 * after, "{after} at {place}, was {before}");
    }
}

#[test]
fn a_single_joint_stands_where_the_preset_measures() {
    let (opened, id) = over_depth(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let chain = &opened.document.chains[&id];
    let by_length = Chain { along: Along::Length, ..chain.clone() }.places(skeleton);
    let by_depth = chain.places(skeleton);
    let off = |at: usize| (by_length[at] - by_depth[at]).abs();
    let at = (0..by_depth.len()).max_by(|a, b| off(*a).total_cmp(&off(*b))).expect("joints");
    let bone = chain.joints[at].bone;
    let mut document = opened.document.clone();
    let targets = Targets { chains: Vec::new(), joints: vec![(id, bone)] };
    let step = edit(&document, skeleton, &targets, &falling(), &SPEED);
    document.apply(step).expect("a preset fits");
    assert_eq!(document.chains[&id].along, Along::Depth, "the other joints keep their measure");
    let found = Feels::new(&document, skeleton).of_joint(id, bone, Term::Speed).expect("it swings");
    let wanted = 3.0 * (1.0 - 0.8 * by_length[at]);
    assert!((found - wanted).abs() < 0.01 * wanted, "{found}, not {wanted}");
    let others = document.chains[&id].joints.iter().filter(|joint| joint.bone != bone);
    assert!(others.clone().count() > 0 && others.into_iter().all(|joint| !joint.own.contains_key(&Row(0))));
}
