//! Numbers that several chains share: edits, undo, files, and how they move.

mod files;
mod rows;

use crate::documents::{self, any_dice, plain, random_edit};
use crate::support::figure;
use glam::Vec3;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use yuremono::document::material;
use yuremono::document::{
    Authored, Axis, Chain, ChainId, Document, Edit, EditError, History, Joint, Label, Material, MaterialId, Part,
    Touched,
};
use yuremono::document::{tune, tune::Targets};
use yuremono::exchange::ImportPlan;
use yuremono::feel::{convert::Loss, convert::convert_chains};
use yuremono::format::tables::{self, TableFormat};
use yuremono::format::unity_space::to_gltf;
use yuremono::math::{Curve, CurveShape, Trs};
use yuremono::rig::{Bone, BoneId, Character, Pose, Skeleton};
use yuremono::schema::Row;
use yuremono::session::{Command, Pick, Said, Session};
use yuremono::sim::solver::ez_soft_bone::{DAMPING, RADIUS, STIFFNESS};
use yuremono::sim::{SolverKind, StepInput, Term, World};
use yuremono::tools::components;
use yuremono::tools::{paste::Copied, paste::What, paste::paste};

const EZ: SolverKind = SolverKind::EzSoftBone;
const SOFT: MaterialId = MaterialId(1);
/// Columns of the skirt that share [`SOFT`], and one that does not.
const SHARING: [ChainId; 3] = [ChainId(2), ChainId(3), ChainId(4)];
const ALONE: ChainId = ChainId(5);

/// The figure under `EZSoftBone`; three columns of its skirt share a material with a curve.
fn skirt() -> (Character, Document) {
    let character = figure::character();
    let mut document = Document::under(EZ);
    for (id, chain) in figure::document(&character).setup.chains {
        let chain = Chain::new(chain.name, chain.part, EZ.info().params, chain.joints);
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("free bones");
    }
    let mut material = Material::of_chain("Soft", EZ, &document.chains[&ALONE]);
    material.values.insert(DAMPING, Authored { base: 0.35, curve: Some(Curve::shape(CurveShape::Ease)) });
    let (_, _) = document.apply(Edit::PutMaterial { id: SOFT, material: Some(Box::new(material)) }).expect("whole");
    for chain in SHARING {
        document.apply(Edit::SetMaterial { chain, material: Some(SOFT) }).expect("of one solver");
    }
    (character, document)
}

/// A chain that has a material holds its very numbers.
#[track_caller]
fn check_shared(document: &Document) {
    for (id, chain) in &document.chains {
        let Some(material) = chain.material else { continue };
        let material = document.materials.get(&material).expect("a material that is there");
        assert_eq!(material.solver, document.solver_of(chain));
        for (row, value) in &material.values {
            let own = &chain.values[row.index()];
            assert!(own.base.to_bits() == value.base.to_bits() && own.curve == value.curve, "{id:?} {row:?}");
        }
    }
}

fn authored(document: &Document, chain: ChainId, row: Row) -> Authored {
    document.chains[&chain].values[row.index()].clone()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn whatever_is_edited_chains_hold_their_materials_numbers_and_inverses_are_exact(dice in any_dice(80)) {
        let skeleton = plain();
        let mut document = Document::under(EZ);
        let mut resolved = document.resolve(&skeleton);
        for roll in dice {
            let before = document.clone();
            let Ok((inverse, touched)) = document.apply(random_edit(roll, &document, &skeleton)) else {
                prop_assert_eq!(&document, &before);
                continue;
            };
            check_shared(&document);
            match touched {
                Touched::Topology => resolved = document.resolve(&skeleton),
                Touched::Params => document.resolve_values(&skeleton, &mut resolved),
                Touched::Nothing => {}
            }
            prop_assert_eq!(&resolved, &document.resolve(&skeleton));
            let (redo, _) = document.clone().apply(inverse.clone()).expect("an inverse applies");
            let mut back = document.clone();
            back.apply(inverse).expect("an inverse applies");
            prop_assert_eq!(&back, &before);
            back.apply(redo).expect("and once more");
            prop_assert_eq!(&back, &document);
        }
    }

    #[test]
    fn a_difference_leads_from_any_document_to_any_other(one in any_dice(50), other in any_dice(50)) {
        let skeleton = plain();
        let before = documents::after_under(EZ, &one, &skeleton);
        let mut after = documents::after_under(EZ, &other, &skeleton);
        after.gestures.clone_from(&before.gestures);
        let mut document = before.clone();
        let (inverse, _) = document.apply(yuremono::document::difference(&before, &after)).expect("it leads there");
        prop_assert_eq!(&document, &after);
        document.apply(inverse).expect("and back");
        prop_assert_eq!(document, before);
    }
}

#[test]
fn a_number_is_edited_once_for_all_chains_that_share_it_and_undone_once() {
    let (_, mut document) = skirt();
    let before = document.clone();
    let mut history = History::default();
    history.merge(true);
    for i in 0..60_u8 {
        // Whichever of them the hand is on.
        let chain = SHARING[usize::from(i) % 3];
        let edit = Edit::SetBase { chain, row: DAMPING, value: 0.4 + 0.01 * f32::from(i) };
        assert_eq!(history.apply(&mut document, edit, Label::new("set", 1)), Ok(Touched::Params));
    }
    history.merge(false);
    let last = 0.4 + 0.01 * 59.0;
    assert!(SHARING.iter().all(|id| authored(&document, *id, DAMPING).base == last));
    assert_eq!(document.materials[&SOFT].values[&DAMPING].base, last);
    assert_eq!(authored(&document, ALONE, DAMPING), authored(&before, ALONE, DAMPING));
    let curve = Some(Curve::shape(CurveShape::StiffTip));
    let edit = Edit::SetCurve { chain: SHARING[1], row: STIFFNESS, curve: curve.clone() };
    history.apply(&mut document, edit, Label::new("curve", 1)).expect("a curve");
    assert!(SHARING.iter().all(|id| authored(&document, *id, STIFFNESS).curve == curve));
    // The radius is the component's, not the material's.
    let edit = Edit::SetBase { chain: SHARING[0], row: RADIUS, value: 0.05 };
    history.apply(&mut document, edit, Label::new("set", 1)).expect("a number");
    assert_eq!(SHARING.map(|id| authored(&document, id, RADIUS).base), [0.05, 0.0, 0.0]);
    let after = document.clone();
    for _ in 0..3 {
        history.undo(&mut document).expect("a step");
    }
    assert_eq!(document, before);
    check_shared(&document);
    for _ in 0..3 {
        history.redo(&mut document).expect("a step");
    }
    assert_eq!(document, after);
}

#[test]
fn tuning_all_who_share_changes_the_material_once_and_joints_own_values_each() {
    let targets = |chains: &[ChainId]| Targets { chains: chains.to_vec(), joints: Vec::new() };
    // The chain whose joints all have values of their own stands before and behind the others.
    for exact in [SHARING[0], SHARING[2]] {
        let (character, mut document) = skirt();
        let joints = document.chains[&exact].joints.clone();
        for (at, joint) in joints.iter().enumerate() {
            let value = Some(0.2 + 0.1 * at as f32);
            document.apply(Edit::SetOwn { chain: exact, bone: joint.bone, row: DAMPING, value }).expect("a joint");
        }
        let was = authored(&document, exact, DAMPING);
        let edit = tune::scale(&document, &character.skeleton, &targets(&SHARING), DAMPING, 2.0);
        document.apply(edit).expect("numbers");
        check_shared(&document);
        assert_eq!(authored(&document, exact, DAMPING), Authored { base: was.base * 2.0, ..was.clone() });
        let own: Vec<f32> = document.chains[&exact].joints.iter().map(|joint| joint.own[&DAMPING]).collect();
        assert!(own.iter().enumerate().all(|(at, own)| (own - 2.0 * (0.2 + 0.1 * at as f32)).abs() < 1e-6), "{own:?}");
        let curve = Curve::shape(CurveShape::StiffTip);
        let edit = tune::set_curve(&document, &character.skeleton, &SHARING, DAMPING, Some(&curve));
        document.apply(edit).expect("a curve");
        let expected = Authored { base: was.base * 2.0, curve: Some(curve) };
        assert!(SHARING.iter().all(|id| authored(&document, *id, DAMPING) == expected));
    }
}

#[test]
fn who_joins_takes_the_numbers_and_gets_its_own_back_by_undo() {
    let (_, mut document) = skirt();
    let edit = Edit::SetBase { chain: ALONE, row: DAMPING, value: -0.0 };
    document.apply(edit).expect("a number");
    let before = document.clone();
    let (inverse, _) = document.apply(Edit::SetMaterial { chain: ALONE, material: Some(SOFT) }).expect("it joins");
    assert_eq!(authored(&document, ALONE, DAMPING), authored(&document, SHARING[0], DAMPING));
    document.apply(inverse).expect("it leaves");
    assert_eq!(document, before);
    assert!(authored(&document, ALONE, DAMPING).base.is_sign_negative(), "bit for bit");
    // Joints keep what is theirs, unless an import has given every one a number.
    let bones: Vec<BoneId> = document.chains[&ALONE].joints.iter().map(|j| j.bone).collect();
    let own = |bone: BoneId, row| Edit::SetOwn { chain: ALONE, bone, row, value: Some(0.7) };
    document.apply(own(bones[1], DAMPING)).expect("a number");
    for bone in &bones {
        document.apply(own(*bone, STIFFNESS)).expect("a number");
    }
    document.apply(material::give(&document, &[ALONE], Some(SOFT))).expect("it joins");
    let chain = &document.chains[&ALONE];
    assert_eq!(chain.value(1, DAMPING, 0.5), 0.7);
    assert_eq!(chain.value(1, STIFFNESS, 0.5), document.materials[&SOFT].values[&STIFFNESS].base);
}

#[test]
fn a_chain_with_other_numbers_has_left_and_a_material_that_goes_leaves_its_numbers() {
    let (_, mut document) = skirt();
    let before = document.clone();
    let mut chain = document.chains[&SHARING[0]].clone();
    chain.values[STIFFNESS.index()].base = 0.9;
    let put = Edit::PutChain { id: SHARING[0], chain: Some(Box::new(chain)) };
    let (inverse, _) = document.apply(put).expect("a good chain");
    assert_eq!(SHARING.map(|id| document.chains[&id].material), [None, Some(SOFT), Some(SOFT)]);
    assert_eq!(authored(&document, SHARING[0], STIFFNESS).base, 0.9);
    document.apply(inverse).expect("and back");
    assert_eq!(document, before);
    let (inverse, touched) = document.apply(Edit::PutMaterial { id: SOFT, material: None }).expect("it goes");
    assert_eq!(touched, Touched::Nothing, "no number changes");
    assert!(document.chains.values().all(|chain| chain.material.is_none()));
    assert_eq!(authored(&document, SHARING[2], DAMPING), authored(&before, SHARING[2], DAMPING));
    document.apply(inverse).expect("and comes back");
    assert_eq!(document, before);
}

#[test]
fn what_is_not_there_or_not_whole_is_refused_and_changes_nothing() {
    let (_, document) = skirt();
    let whole = document.materials[&SOFT].clone();
    let put = |material| Edit::PutMaterial { id: SOFT, material: Some(Box::new(material)) };
    let with = |change: &dyn Fn(&mut Material)| {
        let mut material = whole.clone();
        change(&mut material);
        put(material)
    };
    let stranger = |chain: ChainId| Edit::SetMaterial { chain, material: Some(MaterialId(9)) };
    let mut chain = document.chains[&ALONE].clone();
    chain.material = Some(MaterialId(9));
    let bad = EditError::BadMaterial("Soft".to_owned());
    let refused = [
        (stranger(ALONE), EditError::NoSuchMaterial(9)),
        (stranger(ChainId(99)), EditError::NoSuchChain(99)),
        (Edit::PutChain { id: ALONE, chain: Some(Box::new(chain)) }, EditError::NoSuchMaterial(9)),
        (with(&|m| _ = m.values.remove(&DAMPING)), bad.clone()),
        (with(&|m| _ = m.values.insert(RADIUS, Authored { base: 1.0, curve: None })), bad.clone()),
        (with(&|m| _ = m.values.insert(DAMPING, Authored { base: f32::NAN, curve: None })), bad.clone()),
        (with(&|m| m.solver = SolverKind::Vrm), bad),
    ];
    for (edit, expected) in refused {
        let mut tried = document.clone();
        assert_eq!(tried.apply(edit), Err(expected));
        assert_eq!(tried, document);
    }
    // A chain under another solver cannot have it.
    let (character, mixed) = skirt();
    let mut mixed = convert_chains(&mixed, &character, &BTreeSet::from([ALONE]), SolverKind::DynamicBone).after;
    let edit = Edit::SetMaterial { chain: ALONE, material: Some(SOFT) };
    assert_eq!(mixed.apply(edit), Err(EditError::NoSuchMaterial(1)));
}

#[test]
fn a_switch_of_solver_drops_the_material_and_says_so_and_undo_brings_it_back() {
    let (character, mut document) = skirt();
    let before = document.clone();
    let conversion = convert_chains(&document, &character, &BTreeSet::from([SHARING[0]]), SolverKind::DynamicBone);
    let told = Loss::Material { chain: "skirt_0_0".to_owned(), material: "Soft".to_owned() };
    assert!(conversion.losses.contains(&told), "{:?}", conversion.losses);
    let (inverse, _) = document.apply(conversion.edit(&document)).expect("it switches");
    assert_eq!(document.chains[&SHARING[0]].material, None);
    assert_eq!(document.chains[&SHARING[1]].material, Some(SOFT));
    check_shared(&document);
    document.apply(inverse).expect("and back");
    assert_eq!(document, before);
}

#[test]
fn chains_share_across_components_and_copies_take_the_material_along() {
    let (character, mut document) = skirt();
    let (edit, _) = components::split(&document, &BTreeSet::from([SHARING[0]]), "").expect("some stay");
    document.apply(edit).expect("it parts");
    assert_ne!(document.chains[&SHARING[0]].system, document.chains[&SHARING[1]].system);
    document.apply(Edit::SetBase { chain: SHARING[1], row: DAMPING, value: 0.6 }).expect("a number");
    assert_eq!(authored(&document, SHARING[0], DAMPING).base, 0.6, "an asset belongs to no component");
    let copied = Copied::of(&document, &character.skeleton, SHARING[0]).expect("it is there");
    let edit = paste(&document, &character.skeleton, &copied, &[ALONE], What::ALL);
    document.apply(edit).expect("it is pasted");
    assert_eq!(document.chains[&ALONE].material, Some(SOFT));
    // What was copied before the material changed are other numbers now.
    document.apply(Edit::SetBase { chain: SHARING[1], row: DAMPING, value: 0.1 }).expect("a number");
    let edit = paste(&document, &character.skeleton, &copied, &[ALONE], What::ALL);
    document.apply(edit).expect("it is pasted");
    assert_eq!((document.chains[&ALONE].material, authored(&document, ALONE, DAMPING).base), (None, 0.6));
    check_shared(&document);
}

fn session() -> Session {
    let (character, document) = skirt();
    let mut session = Session::new(std::sync::Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn select(session: &mut Session, chains: &[ChainId]) {
    let bones = chains.iter().map(|id| session.document().chains[id].root()).collect();
    session.handle(Command::Select(bones, Pick::Replace));
}

fn left(session: &Session) -> Vec<Said> {
    let said = session.messages().list().iter().filter_map(|message| message.said.clone());
    said.filter(|said| matches!(said, Said::LeftMaterial { .. })).collect()
}

#[test]
fn a_material_is_given_to_all_that_is_selected_and_says_who_changes_with_it() {
    let mut s = session();
    select(&mut s, &[SHARING[0], ALONE]);
    assert_eq!(s.inspection().material(), Some(yuremono::session::MaterialState::Mixed));
    assert_eq!(s.inspection().shared_by(DAMPING).map(|shared| shared.chains.len()), Some(3));
    s.handle(Command::SetMaterial(Some(SOFT)));
    let label = s.history().next_undo().expect("one of them had none");
    assert_eq!((label.what, label.count), ("material", 1));
    assert_eq!(s.inspection().shared_by(DAMPING).map(|shared| shared.chains.len()), Some(4));
    assert_eq!(s.inspection().shared_by(RADIUS), None);
    let before = s.history().current();
    s.handle(Command::SetMaterial(Some(SOFT)));
    assert_eq!(s.history().current(), before, "all have it");
    s.handle(Command::Set(DAMPING, 0.8));
    assert!(SHARING.iter().all(|id| authored(s.document(), *id, DAMPING).base == 0.8));
    // A feel that is dragged on one is that of all, and they go on sharing.
    select(&mut s, &[SHARING[1], SHARING[2]]);
    s.handle(Command::SetTerm(Term::Settle, 0.9));
    check_shared(s.document());
    assert_eq!(s.document().sharing(SOFT).count(), 4);
    assert_ne!(authored(s.document(), ALONE, DAMPING).base, 0.8);
    assert_eq!(left(&s), []);
    let before = s.history().current();
    s.handle(Command::RenameMaterial(SOFT, " Soft ".to_owned()));
    assert_eq!(s.history().current(), before, "it is called so");
    s.handle(Command::RenameMaterial(SOFT, "Silk".to_owned()));
    assert_eq!(s.inspection().materials()[0].name, "Silk");
}

#[test]
fn a_new_material_fits_numbers_that_an_import_gave_to_every_joint() {
    let mut s = session();
    let chain = s.document().chains[&ALONE].clone();
    for (at, joint) in chain.joints.iter().enumerate() {
        let value = Some(0.1 + 0.2 * at as f32);
        s.handle(Command::Apply(
            Edit::SetOwn { chain: ALONE, bone: joint.bone, row: STIFFNESS, value },
            Label::new("set", 1),
        ));
    }
    let before = s.document().clone();
    let places = before.places(&chain, &s.character().skeleton);
    select(&mut s, &[ALONE, SHARING[0]]);
    s.handle(Command::Select(vec![chain.root()], Pick::Add));
    s.handle(Command::NewMaterial);
    assert_eq!(s.history().next_undo().map(|label| &label.name), Some(&chain.name));
    check_shared(s.document());
    for id in [ALONE, SHARING[0]] {
        let now = &s.document().chains[&id];
        assert_eq!(s.document().material_of(now).map(|m| m.name.as_str()), Some(chain.name.as_str()));
        for (at, place) in places.iter().enumerate() {
            let value = now.value(at, STIFFNESS, *place);
            assert!((value - (0.1 + 0.2 * at as f32)).abs() < 1e-6, "{id:?} joint {at}: {value}");
        }
        assert!(now.joints.iter().all(|joint| joint.own.is_empty()));
    }
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

#[test]
fn who_leaves_a_material_by_an_import_is_told() {
    let mut s = session();
    let skeleton = s.character().skeleton.clone();
    let mut other = s.document().clone();
    other.apply(Edit::SetMaterial { chain: SHARING[0], material: None }).expect("it leaves");
    other.apply(Edit::SetCurve { chain: SHARING[0], row: DAMPING, curve: None }).expect("a number");
    other.materials.clear();
    other.chains.values_mut().for_each(|chain| chain.material = None);
    let bytes = files::written(&other, &skeleton, TableFormat::Csv);
    let (file, found) = tables::read_setup(&bytes, "t.csv").expect("readable");
    let plan = ImportPlan::new(to_gltf(file, Axis::X), &found, s.document(), s.character(), &BTreeMap::new());
    let before = s.document().clone();
    let edit = plan.edit(s.document(), &skeleton);
    s.handle(Command::Apply(edit, Label::new("import", 1)));
    assert!(crate::support::nothing_refused(&s));
    assert_eq!(SHARING.map(|id| s.document().chains[&id].material), [None, Some(SOFT), Some(SOFT)]);
    assert_eq!(s.document().materials, before.materials);
    let (material, chain) = ("Soft".to_owned(), "skirt_0_0".to_owned());
    assert_eq!(left(&s), [Said::LeftMaterial { material, chain, more: 0 }]);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

/// Three strands of five bones that lie on each other: whatever has the same numbers moves to the same bits.
fn strands() -> (Skeleton, Document) {
    let mut bones = vec![Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY }];
    let mut document = Document::under(EZ);
    for strand in 0..3_u32 {
        let mut parent = 0;
        let first = bones.len() as u32;
        for i in 0..5 {
            let rest = Trs::from_translation(Vec3::new(0.05, -0.1, 0.01));
            bones.push(Bone { name: format!("s{strand}_{i}"), parent: Some(BoneId(parent)), rest });
            parent = bones.len() as u32 - 1;
        }
        let joints = (first..first + 4).map(|i| Joint::new(BoneId(i))).collect();
        document
            .chains
            .insert(ChainId(strand + 1), Chain::new(format!("s{strand}"), Part::Hair, EZ.info().params, joints));
    }
    (Skeleton::new(bones).expect("parents first"), document)
}

#[test]
fn two_chains_with_one_material_move_alike_to_the_last_bit() {
    let (skeleton, mut document) = strands();
    let pair = [ChainId(1), ChainId(2)];
    let (_, edit) = material::make(&document, &skeleton, pair[0], &pair, "Hair").expect("it has materials");
    document.apply(edit).expect("it fits");
    let mut resolved = document.resolve(&skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    let curve = |shape| Some(Curve::shape(shape));
    let edits = [
        Edit::SetBase { chain: pair[1], row: DAMPING, value: 0.05 },
        Edit::SetCurve { chain: pair[0], row: STIFFNESS, curve: curve(CurveShape::Ease) },
        Edit::SetBase { chain: pair[0], row: STIFFNESS, value: 0.02 },
        Edit::SetCurve { chain: pair[1], row: DAMPING, curve: curve(CurveShape::StiffTip) },
    ];
    let mut apart: f32 = 0.0;
    for (round, edit) in edits.into_iter().enumerate() {
        let (_, touched) = document.apply(edit).expect("a number");
        assert_eq!(touched, Touched::Params, "the motion goes on");
        document.resolve_values(&skeleton, &mut resolved);
        world.bake(&resolved.systems);
        for tick in 0..40 {
            pose.local[0].translation.x = 0.3 * ((round * 40 + tick) as f32 * 0.25).sin();
            world.step(&StepInput { pose: &pose, hold: None, dt: 1.0 / 60.0 });
            let at = |bone: u32| world.frames().frame(BoneId(bone)).position;
            for i in 1..=5 {
                assert_eq!(at(i).to_array().map(f32::to_bits), at(i + 5).to_array().map(f32::to_bits), "bone {i}");
                apart = apart.max(at(i).distance(at(i + 10)));
            }
        }
    }
    assert!(apart > 0.01, "the third, which shares nothing, went its own way: {apart} m");
}
