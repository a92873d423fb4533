//! Tests properties of the remap plan on generated skeletons.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::names::BoneName;
use yuremono_model::exchange::{
    remap::AUTO_INCLUDE_CONFIDENCE, remap::NamedBone, remap::RemapPlan, remap::RemapRules, remap::plan_remap,
};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Humanoid, Skeleton};

/// Returns a skeleton with one root, whose children have these names.
fn skeleton(names: &[String]) -> Skeleton {
    let bone = |(i, name): (usize, &String)| Bone {
        name: name.clone(),
        parent: (i > 0).then_some(BoneId(0)),
        rest: Trs::IDENTITY,
    };
    Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("one root")
}

fn any_names() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        Just("Hair"),
        Just("hair"),
        Just("髪"),
        Just("前髪"),
        Just("Skirt"),
        Just("スカート"),
        Just("Tail"),
        Just("しっぽ"),
        Just("J_Sec_"),
        Just("Ribbon"),
        Just("ﾘﾎﾞﾝ"),
        Just("Ear"),
        Just("front"),
        Just("x"),
        Just("Bust"),
        Just(":")
    ];
    let side = prop_oneof![Just(""), Just("_L"), Just("_R"), Just(".left"), Just("右"), Just("Left")];
    let number = prop_oneof![
        Just(String::new()),
        (0..12_u32).prop_map(|n| format!("_{n}")),
        (0..3_u32).prop_map(|n| format!("{n:02}_1"))
    ];
    let name = (prop::collection::vec(word, 1..3), side, number).prop_map(|(w, s, n)| format!("{}{s}{n}", w.concat()));
    let name = prop_oneof![9 => name, 1 => "\\PC{0,12}"];
    prop::collection::btree_set(name, 1..40).prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

fn named_bones(names: &[String]) -> Vec<NamedBone> {
    names.iter().map(NamedBone::new).collect()
}

/// Returns the mapped bone, confidence and flag of each name.
fn plan_rows_by_name(plan: &RemapPlan, target: &Skeleton) -> BTreeMap<String, (Option<String>, u32, bool)> {
    let lead = |t: BoneId| target.name(t).to_owned();
    let row = |e: &yuremono_model::exchange::remap::RemapRow| {
        (e.source.clone(), (e.target.map(lead), e.confidence.to_bits(), e.included))
    };
    plan.rows.iter().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_character_maps_to_itself(names in any_names()) {
        let target = skeleton(&names);
        let rules = RemapRules::with_suggested_affixes(names.iter().map(String::as_str), names.iter().map(String::as_str));
        let plan = plan_remap(&named_bones(&names), &target, &Humanoid::default(), &rules);
        for entry in &plan.rows {
            prop_assert_eq!(entry.target.map(|t| target.name(t)), Some(entry.source.as_str()));
            prop_assert_eq!(entry.confidence, 1.0);
            prop_assert!(entry.included && entry.shared_with.is_empty());
        }
    }

    #[test]
    fn the_order_of_target_bones_does_not_matter(source in any_names(), target in any_names(), turn in 0..40_usize) {
        let mut other = target.clone();
        other.rotate_left(turn % target.len());
        // All other bones are children of the root, so the root must be the same in both skeletons.
        let with_root = |names: &[String]| {
            let root = std::iter::once("the root of all".to_owned());
            skeleton(&root.chain(names.iter().cloned()).collect::<Vec<_>>())
        };
        let (one, two) = (with_root(&target), with_root(&other));
        let first = plan_remap(&named_bones(&source), &one, &Humanoid::default(), &RemapRules::default());
        let second = plan_remap(&named_bones(&source), &two, &Humanoid::default(), &RemapRules::default());
        prop_assert_eq!(plan_rows_by_name(&first, &one), plan_rows_by_name(&second, &two));
    }

    #[test]
    fn every_source_has_a_row_and_no_target_bone_is_used_twice(source in any_names(), target in any_names()) {
        let bones = skeleton(&target);
        let rules = RemapRules::with_suggested_affixes(source.iter().map(String::as_str), target.iter().map(String::as_str));
        let plan = plan_remap(&named_bones(&source), &bones, &Humanoid::default(), &rules);
        prop_assert_eq!(plan.rows.iter().map(|e| &e.source).collect::<Vec<_>>(), source.iter().collect::<Vec<_>>());
        let given: Vec<BoneId> = plan.rows.iter().filter_map(|e| e.target).collect();
        prop_assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len());
        for entry in &plan.rows {
            prop_assert_eq!(entry.included, entry.confidence >= AUTO_INCLUDE_CONFIDENCE);
            prop_assert!((0.0..=1.0).contains(&entry.confidence));
            let sides = entry.target.map(|t| (BoneName::parse(&entry.source).side, BoneName::parse(bones.name(t)).side));
            if let Some((Some(a), Some(b))) = sides {
                prop_assert_eq!(a, b);
            }
        }
        prop_assert_eq!(plan.mapping().len(), plan.counts().included);
    }
}
