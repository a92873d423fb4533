//! Tests that every edit can be undone, and that a rejected edit changes nothing.

use crate::support::random_documents::{any_edit_seeds, edited_document, plain_skeleton, random_edit};
use proptest::prelude::*;
use std::collections::BTreeSet;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, CurveDomain, Document, Edit, EditLabel, Helper, HelperId, HelperRole, History,
    Invalidation, Joint, Node, SystemId,
};
use yuremono_model::document::{param_edits, param_edits::EditTargets};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveKey, CurveShape, Trs};
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn reverting_the_changes_of_an_edit_restores_the_document(dice in any_edit_seeds(40), last in any_edit_seeds(12)) {
        let skeleton = plain_skeleton();
        let before = edited_document(&dice, &skeleton);
        let mut document = before.clone();
        for roll in last {
            let edit = random_edit(roll, &document, &skeleton);
            let Ok(changes) = document.apply_recorded(edit.clone()) else {
                prop_assert_eq!(&document, &before, "refused: {:?}", edit);
                continue;
            };
            let done = document.clone();
            prop_assert!(!changes.is_empty() || done == before);
            changes.revert(&mut document);
            prop_assert_eq!(&document, &before, "after {:?}", edit);
            changes.apply(&mut document);
            prop_assert_eq!(&document, &done, "after {:?}", edit);
            document.clone_from(&before);
            document.apply(Edit::Changes(changes)).expect("the changes of an edit fit");
            prop_assert_eq!(&document, &done, "after {:?}", edit);
            document.clone_from(&before);
        }
    }

    #[test]
    fn undoing_all_and_redoing_all_passes_through_every_state(dice in any_edit_seeds(60), merges in any::<u64>()) {
        let skeleton = plain_skeleton();
        let start = edited_document(&dice[..20], &skeleton);
        let (mut document, mut history) = (start.clone(), History::default());
        for (i, roll) in dice[20..].iter().enumerate() {
            if i % 5 == 0 {
                history.set_merging(merges >> (i / 5) & 1 == 1);
            }
            let edit = random_edit(*roll, &document, &skeleton);
            let _ = history.apply(&mut document, edit, EditLabel::new(message!("Change")));
        }
        let end = document.clone();
        let mut walked = vec![end.clone()];
        while history.undo(&mut document).is_some() {
            walked.push(document.clone());
        }
        prop_assert_eq!(&document, &start);
        while history.redo(&mut document).is_some() {
            walked.pop();
            prop_assert_eq!(Some(&document), walked.last());
        }
        prop_assert_eq!(&document, &end);
    }

    #[test]
    fn a_batch_that_fails_at_its_end_changes_nothing(dice in any_edit_seeds(30), batch in any_edit_seeds(8), bad in 0..4_u8) {
        let skeleton = plain_skeleton();
        let mut document = edited_document(&dice, &skeleton);
        let before = document.clone();
        // Each edit is valid after the previous edit, so the batch fails only at its end.
        let mut ahead = document.clone();
        let mut edits = Vec::new();
        for roll in batch {
            let edit = random_edit(roll, &ahead, &skeleton);
            if ahead.apply(edit.clone()).is_ok() {
                edits.push(edit);
            }
        }
        let lost = ChainId(9_999);
        edits.push(match bad {
            0 => Edit::SetBaseValue { chain: lost, param: ParamId(0), value: 1.0 },
            1 => Edit::SetSystemValue { system: SystemId::default(), param: ParamId(0), value: f32::NAN },
            2 => Edit::SetCurveDomain { chain: lost, curve_domain: CurveDomain::Depth },
            _ => Edit::Batch(vec![Edit::SetOverride { chain: lost, bone: BoneId(1), param: ParamId(60_000), value: None }]),
        });
        prop_assert!(document.apply(Edit::Batch(edits)).is_err());
        prop_assert_eq!(document, before);
    }

    #[test]
    fn param_edits_resolve_in_place_as_from_scratch(dice in any_edit_seeds(40), last in any_edit_seeds(12)) {
        let skeleton = plain_skeleton();
        let mut document = edited_document(&dice, &skeleton);
        let mut resolved = document.resolve(&skeleton);
        for roll in last {
            let edit = random_edit(roll, &document, &skeleton);
            match document.apply_recorded(edit).map(|changes| changes.invalidation(&document)) {
                Ok(Invalidation::Topology) => resolved = document.resolve(&skeleton),
                Ok(Invalidation::Params) => document.resolve_values(&skeleton, &mut resolved),
                Ok(Invalidation::Nothing) | Err(_) => {}
            }
            prop_assert_eq!(&resolved, &document.resolve(&skeleton));
        }
    }

    #[test]
    fn fitting_a_curve_keeps_every_joint_value(
        values in prop::collection::vec(-1e6_f32..1e6, 7),
        along in any::<bool>(),
        shared in any::<bool>(),
    ) {
        // Use a fork, so that joints of two strands can have the same position.
        let (mut document, skeleton) = forked_chain();
        let param = first_joint_param(&document);
        let chain = document.chains.get_mut(&ChainId(1)).expect("a chain");
        chain.curve_domain = if along { CurveDomain::Depth } else { CurveDomain::Length };
        for (joint, value) in chain.joints.iter_mut().zip(&values) {
            joint.overrides.insert(param, if shared { values[0] } else { *value });
        }
        let before = joint_values(&document, &skeleton, param);
        let targets = EditTargets { chains: vec![ChainId(1)], joints: Vec::new() };
        document.apply(param_edits::scale_param(&document, &skeleton, &targets, param, 1.0)).expect("fits");
        prop_assert!(!document.chains[&ChainId(1)].is_overridden_by_all_joints(param), "a base and a curve took over");
        for (now, was) in joint_values(&document, &skeleton, param).into_iter().zip(before) {
            // Dividing by the base and multiplying by the base may change the last bit.
            prop_assert!(now == was || now.to_bits().abs_diff(was.to_bits()) <= 1, "{now} instead of {was}");
        }
    }
}

/// Returns a chain of bones 1 to 7 of the small character: a root with two strands of three bones.
fn forked_chain() -> (Document, Skeleton) {
    let skeleton = plain_skeleton();
    let mut document = Document::default();
    let joints = [1, 2, 3, 4, 5, 6, 7].map(|i| Joint::new(BoneId(i))).to_vec();
    let chain = Chain::new("fork", ChainPart::Hair, document.main_system().param_defs(), joints);
    document.apply(Edit::PutChain { id: ChainId(1), chain: Some(Box::new(chain)) }).expect("a good chain");
    (document, skeleton)
}

fn first_joint_param(document: &Document) -> ParamId {
    enumerate_params(document.main_system().param_defs())
        .find(|(_, def)| def.scope == ParamScope::Joint)
        .expect("a row of joints")
        .0
}

fn joint_values(document: &Document, skeleton: &Skeleton, param: ParamId) -> Vec<f32> {
    let bones = document.chains[&ChainId(1)].joints.iter().map(|j| j.bone);
    bones.map(|b| param_edits::joint_value(document, skeleton, ChainId(1), b, param).expect("a joint")).collect()
}

fn whole_chain() -> EditTargets {
    EditTargets { chains: vec![ChainId(1)], joints: Vec::new() }
}

#[test]
fn an_override_stays_when_the_base_value_changes() {
    let (mut document, skeleton) = forked_chain();
    let param = first_joint_param(&document);
    let one = EditTargets { chains: Vec::new(), joints: vec![(ChainId(1), BoneId(3))] };
    document.apply(param_edits::set_param(&document, &skeleton, &one, param, 7.0)).expect("a joint");
    document.apply(param_edits::set_param(&document, &skeleton, &whole_chain(), param, 2.0)).expect("a chain");
    assert_eq!(joint_values(&document, &skeleton, param), [2.0, 2.0, 7.0, 2.0, 2.0, 2.0, 2.0]);
    document.apply(param_edits::scale_param(&document, &skeleton, &one, param, 0.5)).expect("a joint");
    assert_eq!(joint_values(&document, &skeleton, param)[2], 3.5);
}

#[test]
fn reset_restores_loaded_values_and_default_restores_original_defaults() {
    let (mut loaded, skeleton) = forked_chain();
    let param = first_joint_param(&loaded);
    let default = loaded.main_system().def(param).default;
    loaded.apply(Edit::SetBaseValue { chain: ChainId(1), param, value: 4.0 }).expect("a chain");
    loaded.apply(Edit::SetOverride { chain: ChainId(1), bone: BoneId(2), param, value: Some(9.0) }).expect("a joint");
    let mut document = loaded.clone();
    document.apply(param_edits::reset_to_default(&document, &whole_chain(), param)).expect("a chain");
    assert_eq!(joint_values(&document, &skeleton, param), [default; 7]);
    let curve = Curve::from_shape(CurveShape::Ease);
    document.apply(param_edits::set_curve(&document, &skeleton, &[ChainId(1)], param, Some(&curve))).expect("a chain");
    document.apply(param_edits::set_param(&document, &skeleton, &whole_chain(), param, 11.0)).expect("a chain");
    document.apply(param_edits::reset_to_loaded(&document, &loaded, &whole_chain(), param)).expect("a chain");
    assert_eq!(document, loaded);
    let one = EditTargets { chains: Vec::new(), joints: vec![(ChainId(1), BoneId(2))] };
    document.apply(param_edits::reset_to_default(&document, &one, param)).expect("a joint");
    assert_eq!(joint_values(&document, &skeleton, param)[..3], [4.0, default, 4.0]);
    document.apply(param_edits::reset_to_loaded(&document, &loaded, &one, param)).expect("a joint");
    assert_eq!(document, loaded);
}

#[test]
fn infinite_loaded_values_survive_scaling_the_chain() {
    let (mut document, skeleton) = forked_chain();
    let param = first_joint_param(&document);
    let chain = document.chains.get_mut(&ChainId(1)).expect("a chain");
    for (i, joint) in chain.joints.iter_mut().enumerate() {
        joint.overrides.insert(param, if i == 1 { f32::INFINITY } else { i as f32 });
    }
    document.apply(param_edits::scale_param(&document, &skeleton, &whole_chain(), param, 2.0)).expect("a chain");
    assert_eq!(joint_values(&document, &skeleton, param), [0.0, f32::INFINITY, 4.0, 6.0, 8.0, 10.0, 12.0]);
    document.apply(param_edits::set_param(&document, &skeleton, &whole_chain(), param, 3.0)).expect("a chain");
    assert_eq!(joint_values(&document, &skeleton, param), [3.0; 7]);
}

#[test]
fn editing_missing_targets_gives_an_empty_edit() {
    let (document, skeleton) = forked_chain();
    let param = first_joint_param(&document);
    let lost =
        EditTargets { chains: vec![ChainId(70)], joints: vec![(ChainId(1), BoneId(0)), (ChainId(70), BoneId(1))] };
    for edit in [
        param_edits::set_param(&document, &skeleton, &lost, param, 1.0),
        param_edits::scale_param(&document, &skeleton, &lost, param, 2.0),
        param_edits::set_curve(&document, &skeleton, &lost.chains, param, None),
    ] {
        assert_eq!(edit, Edit::Batch(Vec::new()));
    }
}

#[test]
fn new_ids_are_unused_and_no_bone_is_in_two_chains() {
    let skeleton = plain_skeleton();
    let rolls: Vec<[u32; 6]> = (0..400_u32)
        .map(|i| [i, i * 7, i * 13, i * 31, i * 57, i * 91].map(|n| n.wrapping_mul(2_654_435_761)))
        .collect();
    let document = edited_document(&rolls, &skeleton);
    assert!(!document.chains.contains_key(&document.next_chain_id()));
    assert!(!document.helpers.contains_key(&document.next_helper_id()));
    assert!(!document.colliders.contains_key(&document.next_collider_id()));
    assert!(!document.gestures.contains_key(&document.next_gesture_id()));
    let bones: Vec<_> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    assert_eq!(bones.iter().collect::<BTreeSet<_>>().len(), bones.len(), "no bone in two chains");
}

#[track_caller]
fn check_rejected(document: &mut Document, edit: Edit, reported: &str) {
    let before = document.clone();
    assert_eq!(document.apply(edit).expect_err("refused").to_string(), reported);
    assert_eq!(*document, before);
}

#[test]
fn invalid_edits_are_rejected_with_a_message() {
    let (mut document, skeleton) = forked_chain();
    let param = first_joint_param(&document);
    let put = |id, joints: &[u32]| {
        let joints = joints.iter().map(|b| Joint::new(BoneId(*b))).collect();
        let chain = Chain::new("other", ChainPart::Hair, Document::default().main_system().param_defs(), joints);
        Edit::PutChain { id: ChainId(id), chain: Some(Box::new(chain)) }
    };
    check_rejected(&mut document, put(2, &[9, 3]), "a bone already belongs to chain \"fork\"");
    check_rejected(
        &mut document,
        put(2, &[9, 9]),
        "chain \"other\" has no joint, has a bone twice, or has a value that is not a number",
    );
    check_rejected(
        &mut document,
        put(1, &[]),
        "chain \"other\" has no joint, has a bone twice, or has a value that is not a number",
    );
    assert!(document.clone().apply(put(1, &[3, 4])).is_ok(), "a chain may be replaced with one on the same bones");

    let taken = document.apply(put(2, &[9, 3])).expect_err("refused").with_names(&document, &skeleton);
    let bone = skeleton.name(BoneId(3));
    assert_eq!(taken.to_string(), format!("bone \"{bone}\" already belongs to chain \"fork\""));

    let (mut broken, at) = Curve::from_shape(CurveShape::Ease).with_key_added(0.5);
    broken = broken.with_key_moved(at, CurveKey::flat(0.5, f32::NAN));
    let label = document.main_system().def(param).label;
    let curve = Edit::SetCurve { chain: ChainId(1), param, curve: Some(broken) };
    check_rejected(&mut document, curve, &format!("{label} must be a number, got NaN"));

    let helper = |id, parent| {
        let helper = Helper { name: format!("h{id}"), parent, local: Trs::IDENTITY, role: HelperRole::Plain };
        Edit::PutHelper { id: HelperId(id), helper: Some(helper) }
    };
    let below = |id| Node::Helper(HelperId(id));
    document.apply(helper(1, Node::Bone(BoneId(1)))).expect("a bone as a parent");
    document.apply(helper(2, below(1))).expect("a helper as a parent");
    check_rejected(&mut document, helper(1, below(2)), "the helper does not exist, or it would be its own parent");
    check_rejected(&mut document, helper(3, below(3)), "the helper does not exist, or it would be its own parent");
    let gone = |id| Edit::PutHelper { id: HelperId(id), helper: None };
    check_rejected(&mut document, gone(1), "helper \"h1\" is still in use");
    document.apply(Edit::SetPivot { chain: ChainId(1), bone: BoneId(2), pivot: Some(below(2)) }).expect("a helper");
    check_rejected(&mut document, gone(2), "helper \"h2\" is still in use");
}
