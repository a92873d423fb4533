//! Tests materials that several chains share: edits, undo, files and motion.

mod files;
mod table_rows;

use crate::support::figure;
use crate::support::formats::CSV;
use crate::support::random_documents::{self, any_edit_seeds, plain_skeleton, random_edit};
use glam::Vec3;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::material;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, ChainValue, Document, Edit, EditError, EditLabel, FlipAxis, History, Invalidation,
    Joint, Material, MaterialId, difference,
};
use yuremono_model::document::{param_edits, param_edits::EditTargets};
use yuremono_model::exchange::ImportPlan;
use yuremono_model::feel::{convert::ConversionLoss, convert::convert_chains};
use yuremono_model::tools::components;
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_session::{Command, Message, SelectMode, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{Bone, BoneId, Character, Pose, Skeleton};
use yuremono_sim::solver::ez_soft_bone::{DAMPING, RADIUS, STIFFNESS};
use yuremono_sim::{FeelParam, SolverKind, StepInput, World};

const EZ: SolverKind = SolverKind::EzSoftBone;
const SOFT_MATERIAL: MaterialId = MaterialId(1);
/// Columns of the skirt that share [`SOFT_MATERIAL`], and a column that does not.
const SHARING_CHAINS: [ChainId; 3] = [ChainId(2), ChainId(3), ChainId(4)];
const UNSHARED_CHAIN: ChainId = ChainId(5);

/// Returns the figure with `EZSoftBone`. Three skirt columns share a material with a curve.
fn skirt_with_material() -> (Character, Document) {
    let character = figure::character();
    let mut document = Document::with_solver(EZ);
    for (id, chain) in figure::document(&character).setup.chains {
        let chain = Chain::new(chain.name, chain.part, EZ.info().params, chain.joints);
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("free bones");
    }
    let mut material = Material::from_chain("Soft", EZ, &document.chains[&UNSHARED_CHAIN]);
    material.values.insert(DAMPING, ChainValue::new(0.35, Some(Curve::from_shape(CurveShape::Ease))));
    document.apply(Edit::PutMaterial { id: SOFT_MATERIAL, material: Some(Box::new(material)) }).expect("whole");
    for chain in SHARING_CHAINS {
        document.apply(Edit::SetMaterial { chain, material: Some(SOFT_MATERIAL) }).expect("of one solver");
    }
    (character, document)
}

/// Checks that a chain with a material has exactly the values of the material.
#[track_caller]
fn check_chains_match_materials(document: &Document) {
    for (id, chain) in &document.chains {
        let Some(material) = chain.material else { continue };
        let material = document.materials.get(&material).expect("an existing material");
        assert_eq!(material.solver, document.solver_of(chain));
        for (param, value) in &material.values {
            let own = &chain.values[param.index()];
            assert!(own.base.to_bits() == value.base.to_bits() && own.curve == value.curve, "{id:?} {param:?}");
        }
    }
}

fn chain_value(document: &Document, chain: ChainId, param: ParamId) -> ChainValue {
    document.chains[&chain].values[param.index()].clone()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn after_any_edit_chains_have_the_values_of_their_material_and_inverses_are_exact(dice in any_edit_seeds(80)) {
        let skeleton = plain_skeleton();
        let mut document = Document::with_solver(EZ);
        let mut resolved = document.resolve(&skeleton);
        for roll in dice {
            let before = document.clone();
            let Ok(changes) = document.apply_recorded(random_edit(roll, &document, &skeleton)) else {
                prop_assert_eq!(&document, &before);
                continue;
            };
            check_chains_match_materials(&document);
            match changes.invalidation(&document) {
                Invalidation::Topology => resolved = document.resolve(&skeleton),
                Invalidation::Params => document.resolve_values(&skeleton, &mut resolved),
                Invalidation::Nothing => {}
            }
            prop_assert_eq!(&resolved, &document.resolve(&skeleton));
            let mut back = document.clone();
            changes.revert(&mut back);
            check_chains_match_materials(&back);
            prop_assert_eq!(&back, &before);
            changes.apply(&mut back);
            prop_assert_eq!(&back, &document);
        }
    }

    #[test]
    fn a_difference_turns_any_document_into_any_other(one in any_edit_seeds(50), other in any_edit_seeds(50)) {
        let skeleton = plain_skeleton();
        let before = random_documents::edited_document_with_solver(EZ, &one, &skeleton);
        let mut after = random_documents::edited_document_with_solver(EZ, &other, &skeleton);
        after.gestures.clone_from(&before.gestures);
        after.kept_pose.clone_from(&before.kept_pose);
        let mut document = before.clone();
        let changes = document.apply_recorded(difference(&before, &after)).expect("it applies");
        prop_assert_eq!(&document, &after);
        changes.revert(&mut document);
        prop_assert_eq!(document, before);
    }
}

#[test]
fn editing_a_shared_value_changes_all_chains_and_undoes_in_one_step() {
    let (_, mut document) = skirt_with_material();
    let before = document.clone();
    let mut history = History::default();
    history.set_merging(true);
    for i in 0..60_u8 {
        // Each edit changes another chain of the material.
        let chain = SHARING_CHAINS[usize::from(i) % 3];
        let edit = Edit::SetBaseValue { chain, param: DAMPING, value: 0.4 + 0.01 * f32::from(i) };
        assert_eq!(history.apply(&mut document, edit, EditLabel::new(message!("Set"))), Ok(Invalidation::Params));
    }
    history.set_merging(false);
    let last = 0.4 + 0.01 * 59.0;
    assert!(SHARING_CHAINS.iter().all(|id| chain_value(&document, *id, DAMPING).base == last));
    assert_eq!(document.materials[&SOFT_MATERIAL].values[&DAMPING].base, last);
    assert_eq!(chain_value(&document, UNSHARED_CHAIN, DAMPING), chain_value(&before, UNSHARED_CHAIN, DAMPING));
    let curve = Some(Curve::from_shape(CurveShape::StiffTip));
    let edit = Edit::SetCurve { chain: SHARING_CHAINS[1], param: STIFFNESS, curve: curve.clone() };
    history.apply(&mut document, edit, EditLabel::new(message!("Curve"))).expect("a curve");
    assert!(SHARING_CHAINS.iter().all(|id| chain_value(&document, *id, STIFFNESS).curve == curve));
    // The radius belongs to the component, not to the material.
    let edit = Edit::SetBaseValue { chain: SHARING_CHAINS[0], param: RADIUS, value: 0.05 };
    history.apply(&mut document, edit, EditLabel::new(message!("Set"))).expect("a number");
    assert_eq!(SHARING_CHAINS.map(|id| chain_value(&document, id, RADIUS).base), [0.05, 0.0, 0.0]);
    let after = document.clone();
    for _ in 0..3 {
        history.undo(&mut document).expect("a step");
    }
    assert_eq!(document, before);
    check_chains_match_materials(&document);
    for _ in 0..3 {
        history.redo(&mut document).expect("a step");
    }
    assert_eq!(document, after);
}

#[test]
fn editing_all_sharing_chains_changes_the_material_once_and_each_joint_override() {
    let targets = |chains: &[ChainId]| EditTargets { chains: chains.to_vec(), joints: Vec::new() };
    // Test the chain whose joints all have their own values both before and after the other chains.
    for exact in [SHARING_CHAINS[0], SHARING_CHAINS[2]] {
        let (character, mut document) = skirt_with_material();
        let joints = document.chains[&exact].joints.clone();
        for (at, joint) in joints.iter().enumerate() {
            let value = Some(0.2 + 0.1 * at as f32);
            document
                .apply(Edit::SetOverride { chain: exact, bone: joint.bone, param: DAMPING, value })
                .expect("a joint");
        }
        let was = chain_value(&document, exact, DAMPING);
        let edit = param_edits::scale_param(&document, &character.skeleton, &targets(&SHARING_CHAINS), DAMPING, 2.0);
        document.apply(edit).expect("numbers");
        check_chains_match_materials(&document);
        assert_eq!(chain_value(&document, exact, DAMPING), ChainValue { base: was.base * 2.0, ..was.clone() });
        let own: Vec<f32> = document.chains[&exact].joints.iter().map(|joint| joint.overrides[&DAMPING]).collect();
        assert!(own.iter().enumerate().all(|(at, own)| (own - 2.0 * (0.2 + 0.1 * at as f32)).abs() < 1e-6), "{own:?}");
        let curve = Curve::from_shape(CurveShape::StiffTip);
        let edit = param_edits::set_curve(&document, &character.skeleton, &SHARING_CHAINS, DAMPING, Some(&curve));
        document.apply(edit).expect("a curve");
        let expected = ChainValue::new(was.base * 2.0, Some(curve));
        assert!(SHARING_CHAINS.iter().all(|id| chain_value(&document, *id, DAMPING) == expected));
    }
}

#[test]
fn assigning_a_material_copies_its_values_and_undo_restores_the_old_ones() {
    let (_, mut document) = skirt_with_material();
    let edit = Edit::SetBaseValue { chain: UNSHARED_CHAIN, param: DAMPING, value: -0.0 };
    document.apply(edit).expect("a number");
    let before = document.clone();
    let changes = document
        .apply_recorded(Edit::SetMaterial { chain: UNSHARED_CHAIN, material: Some(SOFT_MATERIAL) })
        .expect("it joins");
    assert_eq!(chain_value(&document, UNSHARED_CHAIN, DAMPING), chain_value(&document, SHARING_CHAINS[0], DAMPING));
    changes.revert(&mut document);
    assert_eq!(document, before);
    assert!(chain_value(&document, UNSHARED_CHAIN, DAMPING).base.is_sign_negative(), "bit for bit");
    // Joints keep their own values, unless an import has given every joint a value.
    let bones: Vec<BoneId> = document.chains[&UNSHARED_CHAIN].joints.iter().map(|j| j.bone).collect();
    let own = |bone: BoneId, param| Edit::SetOverride { chain: UNSHARED_CHAIN, bone, param, value: Some(0.7) };
    document.apply(own(bones[1], DAMPING)).expect("a number");
    for bone in &bones {
        document.apply(own(*bone, STIFFNESS)).expect("a number");
    }
    document.apply(material::assign(&document, &[UNSHARED_CHAIN], Some(SOFT_MATERIAL))).expect("it is assigned");
    let chain = &document.chains[&UNSHARED_CHAIN];
    assert_eq!(chain.joint_value(1, DAMPING, 0.5), 0.7);
    assert_eq!(chain.joint_value(1, STIFFNESS, 0.5), document.materials[&SOFT_MATERIAL].values[&STIFFNESS].base);
}

#[test]
fn a_chain_with_other_values_is_unassigned_and_a_removed_material_leaves_its_values() {
    let (_, mut document) = skirt_with_material();
    let before = document.clone();
    let mut chain = document.chains[&SHARING_CHAINS[0]].clone();
    chain.values[STIFFNESS.index()].base = 0.9;
    let put = Edit::PutChain { id: SHARING_CHAINS[0], chain: Some(Box::new(chain)) };
    let changes = document.apply_recorded(put).expect("a good chain");
    assert_eq!(
        SHARING_CHAINS.map(|id| document.chains[&id].material),
        [None, Some(SOFT_MATERIAL), Some(SOFT_MATERIAL)]
    );
    assert_eq!(chain_value(&document, SHARING_CHAINS[0], STIFFNESS).base, 0.9);
    changes.revert(&mut document);
    assert_eq!(document, before);
    let changes = document.apply_recorded(Edit::PutMaterial { id: SOFT_MATERIAL, material: None }).expect("removed");
    assert_eq!(changes.invalidation(&document), Invalidation::Nothing, "no number changes");
    assert!(document.chains.values().all(|chain| chain.material.is_none()));
    assert_eq!(chain_value(&document, SHARING_CHAINS[2], DAMPING), chain_value(&before, SHARING_CHAINS[2], DAMPING));
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn missing_or_incomplete_materials_are_rejected_and_change_nothing() {
    let (_, document) = skirt_with_material();
    let whole = document.materials[&SOFT_MATERIAL].clone();
    let put = |material| Edit::PutMaterial { id: SOFT_MATERIAL, material: Some(Box::new(material)) };
    let with = |change: &dyn Fn(&mut Material)| {
        let mut material = whole.clone();
        change(&mut material);
        put(material)
    };
    let stranger = |chain: ChainId| Edit::SetMaterial { chain, material: Some(MaterialId(9)) };
    let mut chain = document.chains[&UNSHARED_CHAIN].clone();
    chain.material = Some(MaterialId(9));
    let bad = EditError::InvalidMaterial("Soft".to_owned());
    let refused = [
        (stranger(UNSHARED_CHAIN), EditError::NoSuchMaterial(9)),
        (stranger(ChainId(99)), EditError::NoSuchChain(99)),
        (Edit::PutChain { id: UNSHARED_CHAIN, chain: Some(Box::new(chain)) }, EditError::NoSuchMaterial(9)),
        (with(&|m| _ = m.values.remove(&DAMPING)), bad.clone()),
        (with(&|m| _ = m.values.insert(RADIUS, ChainValue::constant(1.0))), bad.clone()),
        (with(&|m| _ = m.values.insert(DAMPING, ChainValue::constant(f32::NAN))), bad.clone()),
        (with(&|m| m.solver = SolverKind::Vrm), bad),
    ];
    for (edit, expected) in refused {
        let mut tried = document.clone();
        assert_eq!(tried.apply(edit), Err(expected));
        assert_eq!(tried, document);
    }
    // A chain with another solver cannot use the material.
    let (character, mixed) = skirt_with_material();
    let mut mixed =
        convert_chains(&mixed, &character, &BTreeSet::from([UNSHARED_CHAIN]), SolverKind::DynamicBone).after;
    let edit = Edit::SetMaterial { chain: UNSHARED_CHAIN, material: Some(SOFT_MATERIAL) };
    assert_eq!(mixed.apply(edit), Err(EditError::NoSuchMaterial(1)));
}

#[test]
fn switching_the_solver_drops_the_material_with_a_report_and_undo_restores_it() {
    let (character, mut document) = skirt_with_material();
    let before = document.clone();
    let conversion =
        convert_chains(&document, &character, &BTreeSet::from([SHARING_CHAINS[0]]), SolverKind::DynamicBone);
    let reported = ConversionLoss::Material { chain: "skirt_0_0".to_owned(), material: "Soft".to_owned() };
    assert!(conversion.losses.contains(&reported), "{:?}", conversion.losses);
    let changes = document.apply_recorded(conversion.edit(&document)).expect("the solver is switched");
    assert_eq!(document.chains[&SHARING_CHAINS[0]].material, None);
    assert_eq!(document.chains[&SHARING_CHAINS[1]].material, Some(SOFT_MATERIAL));
    check_chains_match_materials(&document);
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn chains_of_several_components_can_share_a_material_and_pasting_assigns_it() {
    let (character, mut document) = skirt_with_material();
    let (edit, _) =
        components::split_off_chains(&document, &BTreeSet::from([SHARING_CHAINS[0]]), "").expect("other chains remain");
    document.apply(edit).expect("the chains are split off");
    assert_ne!(document.chains[&SHARING_CHAINS[0]].system, document.chains[&SHARING_CHAINS[1]].system);
    document.apply(Edit::SetBaseValue { chain: SHARING_CHAINS[1], param: DAMPING, value: 0.6 }).expect("a number");
    assert_eq!(chain_value(&document, SHARING_CHAINS[0], DAMPING).base, 0.6, "a material is independent of components");
    let copied = CopiedChain::from_document(&document, &character.skeleton, SHARING_CHAINS[0]).expect("it is there");
    let edit = paste(&document, &character.skeleton, &copied, &[UNSHARED_CHAIN], PasteTarget::ALL).edit;
    document.apply(edit).expect("the paste applies");
    assert_eq!(document.chains[&UNSHARED_CHAIN].material, Some(SOFT_MATERIAL));
    // The copied values differ from the material's values, because the material changed after the copy.
    document.apply(Edit::SetBaseValue { chain: SHARING_CHAINS[1], param: DAMPING, value: 0.1 }).expect("a number");
    let edit = paste(&document, &character.skeleton, &copied, &[UNSHARED_CHAIN], PasteTarget::ALL).edit;
    document.apply(edit).expect("the paste applies");
    assert_eq!(
        (document.chains[&UNSHARED_CHAIN].material, chain_value(&document, UNSHARED_CHAIN, DAMPING).base),
        (None, 0.6)
    );
    check_chains_match_materials(&document);
}

fn session() -> Session {
    let (character, document) = skirt_with_material();
    let mut session = Session::new(std::sync::Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    session
}

fn select(session: &mut Session, chains: &[ChainId]) {
    let bones = chains.iter().map(|id| session.document().chains[id].root()).collect();
    session.handle(Command::Select(bones, SelectMode::Replace));
}

fn left_material_messages(session: &Session) -> Vec<Message> {
    let reported = session.messages().entries().iter().filter_map(|message| message.message.clone());
    reported.filter(|reported| matches!(reported, Message::DetachedFromMaterial { .. })).collect()
}

#[test]
fn a_material_is_assigned_to_all_selected_chains_and_lists_the_sharing_ones() {
    let mut s = session();
    select(&mut s, &[SHARING_CHAINS[0], UNSHARED_CHAIN]);
    assert_eq!(s.inspection().material(), Some(yuremono_session::TunedMaterial::Mixed));
    assert_eq!(s.inspection().material_sharing(DAMPING).map(|shared| shared.chains.len()), Some(3));
    s.handle(Command::SetMaterial(Some(SOFT_MATERIAL)));
    let label = s.history().next_undo().expect("one chain had no material");
    assert_eq!(
        label.text,
        format!("Assign material {} to 1 chain", s.document().materials[&SOFT_MATERIAL].name).as_str()
    );
    assert_eq!(s.inspection().material_sharing(DAMPING).map(|shared| shared.chains.len()), Some(4));
    assert_eq!(s.inspection().material_sharing(RADIUS), None);
    let before = s.history().current_state();
    s.handle(Command::SetMaterial(Some(SOFT_MATERIAL)));
    assert_eq!(s.history().current_state(), before, "all chains have the material");
    s.handle(Command::SetParam(DAMPING, 0.8));
    assert!(SHARING_CHAINS.iter().all(|id| chain_value(s.document(), *id, DAMPING).base == 0.8));
    // A feel value set on one chain applies to all chains of the material, and they keep sharing it.
    select(&mut s, &[SHARING_CHAINS[1], SHARING_CHAINS[2]]);
    s.handle(Command::SetFeel(FeelParam::Settling, 0.9));
    check_chains_match_materials(s.document());
    assert_eq!(s.document().chains_with_material(SOFT_MATERIAL).count(), 4);
    assert_ne!(chain_value(s.document(), UNSHARED_CHAIN, DAMPING).base, 0.8);
    assert_eq!(left_material_messages(&s), []);
    let before = s.history().current_state();
    s.handle(Command::RenameMaterial(SOFT_MATERIAL, " Soft ".to_owned()));
    assert_eq!(s.history().current_state(), before, "the material already has the name");
    s.handle(Command::RenameMaterial(SOFT_MATERIAL, "Silk".to_owned()));
    assert_eq!(s.inspection().materials()[0].name, "Silk");
}

#[test]
fn a_new_material_fits_a_curve_to_overrides_on_every_joint() {
    let mut s = session();
    let chain = s.document().chains[&UNSHARED_CHAIN].clone();
    for (at, joint) in chain.joints.iter().enumerate() {
        let value = Some(0.1 + 0.2 * at as f32);
        s.handle(Command::ApplyEdit(
            Edit::SetOverride { chain: UNSHARED_CHAIN, bone: joint.bone, param: STIFFNESS, value },
            EditLabel::new(message!("Set")),
        ));
    }
    let before = s.document().clone();
    let places = before.curve_positions(&chain, &s.character().skeleton);
    select(&mut s, &[UNSHARED_CHAIN, SHARING_CHAINS[0]]);
    s.handle(Command::Select(vec![chain.root()], SelectMode::Add));
    s.handle(Command::CreateMaterial);
    let label = s.history().next_undo().expect("a step");
    assert!(label.text.starts_with(&format!("Create material {} for ", chain.name)), "{}", label.text);
    check_chains_match_materials(s.document());
    for id in [UNSHARED_CHAIN, SHARING_CHAINS[0]] {
        let now = &s.document().chains[&id];
        assert_eq!(s.document().material_of(now).map(|m| m.name.as_str()), Some(chain.name.as_str()));
        for (at, place) in places.iter().enumerate() {
            let value = now.joint_value(at, STIFFNESS, *place);
            assert!((value - (0.1 + 0.2 * at as f32)).abs() < 1e-6, "{id:?} joint {at}: {value}");
        }
        assert!(now.joints.iter().all(|joint| joint.overrides.is_empty()));
    }
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

#[test]
fn an_import_that_unassigns_a_material_is_reported() {
    let mut s = session();
    let skeleton = s.character().skeleton.clone();
    let mut other = s.document().clone();
    other.apply(Edit::SetMaterial { chain: SHARING_CHAINS[0], material: None }).expect("the material is unassigned");
    other.apply(Edit::SetCurve { chain: SHARING_CHAINS[0], param: DAMPING, curve: None }).expect("a number");
    other.materials.clear();
    other.chains.values_mut().for_each(|chain| chain.material = None);
    let bytes = files::export_bytes(&other, &skeleton, CSV);
    let (file, found) = tables::read_setup(&bytes, "t.csv").expect("readable");
    let plan = ImportPlan::new(to_gltf(file, FlipAxis::X), &found, s.document(), s.character(), &BTreeMap::new());
    let before = s.document().clone();
    let edit = plan.edit(s.document(), &skeleton);
    s.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
    assert!(crate::support::no_edit_rejected(&s));
    assert_eq!(
        SHARING_CHAINS.map(|id| s.document().chains[&id].material),
        [None, Some(SOFT_MATERIAL), Some(SOFT_MATERIAL)]
    );
    assert_eq!(s.document().materials, before.materials);
    let (material, chain) = ("Soft".to_owned(), "skirt_0_0".to_owned());
    assert_eq!(left_material_messages(&s), [Message::DetachedFromMaterial { material, chain, more: 0 }]);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

/// Returns three strands of five bones at the same positions. Strands with equal values must move identically, bit for
/// bit.
fn three_identical_chains() -> (Skeleton, Document) {
    let mut bones = vec![Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY }];
    let mut document = Document::with_solver(EZ);
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
            .insert(ChainId(strand + 1), Chain::new(format!("s{strand}"), ChainPart::Hair, EZ.info().params, joints));
    }
    (Skeleton::new(bones).expect("parents first"), document)
}

#[test]
fn two_chains_with_one_material_move_identically() {
    let (skeleton, mut document) = three_identical_chains();
    let pair = [ChainId(1), ChainId(2)];
    let (_, edit) = material::create(&document, &skeleton, pair[0], &pair, "Hair").expect("it has materials");
    document.apply(edit).expect("it fits");
    let mut resolved = document.resolve(&skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    let curve = |shape| Some(Curve::from_shape(shape));
    let edits = [
        Edit::SetBaseValue { chain: pair[1], param: DAMPING, value: 0.05 },
        Edit::SetCurve { chain: pair[0], param: STIFFNESS, curve: curve(CurveShape::Ease) },
        Edit::SetBaseValue { chain: pair[0], param: STIFFNESS, value: 0.02 },
        Edit::SetCurve { chain: pair[1], param: DAMPING, curve: curve(CurveShape::StiffTip) },
    ];
    let mut apart: f32 = 0.0;
    for (round, edit) in edits.into_iter().enumerate() {
        let touched = document.apply_recorded(edit).expect("a number").invalidation(&document);
        assert_eq!(touched, Invalidation::Params, "the motion continues");
        document.resolve_values(&skeleton, &mut resolved);
        world.bake(&resolved.systems);
        for tick in 0..40 {
            pose.local[0].translation.x = 0.3 * libm::sinf((round * 40 + tick) as f32 * 0.25);
            world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / 60.0 });
            let at = |bone: u32| world.frames().frame(BoneId(bone)).position;
            for i in 1..=5 {
                assert_eq!(at(i).to_array().map(f32::to_bits), at(i + 5).to_array().map(f32::to_bits), "bone {i}");
                apart = apart.max(at(i).distance(at(i + 10)));
            }
        }
    }
    assert!(apart > 0.01, "the third chain moves differently: {apart} m");
}

#[test]
fn a_returned_document_in_which_a_chain_differs_from_its_material_unassigns_the_material() {
    let (_, document) = skirt_with_material();
    let own = |document: &mut Document| {
        let chain = document.chains.get_mut(&SHARING_CHAINS[0]).expect("a chain");
        chain.values[DAMPING.index()].base = 0.123;
    };
    let softer = |document: &mut Document| {
        let material = document.materials.get_mut(&SOFT_MATERIAL).expect("a material");
        material.values.get_mut(&DAMPING).expect("a value").base = 0.456;
        for id in &SHARING_CHAINS[1..] {
            document.chains.get_mut(id).expect("a chain").values[DAMPING.index()].base = 0.456;
        }
    };
    for change in [&own as &dyn Fn(&mut Document), &softer] {
        let mut after = document.clone();
        change(&mut after);
        let mut applied = document.clone();
        applied.apply(difference(&document, &after)).expect("the document is valid");
        check_chains_match_materials(&applied);
        after.chains.get_mut(&SHARING_CHAINS[0]).expect("a chain").material = None;
        assert_eq!(applied, after, "the chain keeps its values");
    }
}
