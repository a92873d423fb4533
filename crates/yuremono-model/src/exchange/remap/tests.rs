use super::*;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::Bone;

fn skeleton(names: &[&str]) -> Skeleton {
    let bone = |(i, name): (usize, &&str)| Bone {
        name: (*name).to_owned(),
        parent: (i > 0).then_some(BoneId(0)),
        rest: Trs::from_translation(Vec3::Y * 0.1),
    };
    Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("one root")
}

fn plan_names(source: &[&str], target: &[&str], rules: &RemapRules) -> (RemapPlan, Skeleton) {
    let source: Vec<NamedBone> = source.iter().copied().map(NamedBone::new).collect();
    let skeleton = skeleton(target);
    (plan_remap(&source, &skeleton, &Humanoid::default(), rules), skeleton)
}

/// The plan as text rows of the form `source > target percent tick`.
fn row_texts(source: &[&str], target: &[&str], rules: &RemapRules) -> Vec<String> {
    let (plan, skeleton) = plan_names(source, target, rules);
    let row = |e: &RemapRow| {
        let target = e.target.map_or("-", |t| skeleton.name(t));
        let tick = if e.included { " x" } else { "" };
        format!("{} > {target} {:.0}{tick}", e.source, e.confidence * 100.0)
    };
    plan.rows.iter().map(row).collect()
}

#[test]
fn rules_are_applied_in_order() {
    let rules = RemapRules::all_enabled([
        RemapRule::SameName,
        RemapRule::StripPrefix("Hair_".to_owned()),
        RemapRule::Sides,
        RemapRule::Replace { from: "Bust".to_owned(), to: "Breast".to_owned() },
        RemapRule::IgnoreCase,
        RemapRule::Near(0.6),
    ]);
    let source = ["Head", "Hair_TwinTail_L_01", "Hair_TwinTail_R_01", "リボン.左", "Bust_L", "SCARF", "cape_01"];
    let target = ["Head", "TwinTail_R_01", "TwinTail_L_01", "リボン_左", "リボン_右", "Breast_R", "Breast_L", "scarf"];
    assert_eq!(
        row_texts(&source, &target, &rules),
        [
            "Head > Head 100 x",
            "Hair_TwinTail_L_01 > TwinTail_L_01 100 x",
            "Hair_TwinTail_R_01 > TwinTail_R_01 100 x",
            "リボン.左 > リボン_左 96 x",
            "Bust_L > Breast_L 98 x",
            "SCARF > scarf 96 x",
            "cape_01 > - 0",
        ]
    );
}

#[test]
fn other_spellings_of_the_same_words_are_included() {
    let source = ["前髪_左1", "FrontHair_R_1", "尻尾2"];
    let target = ["root", "HairFront.L.1", "前髪右_1", "tail_02"];
    assert_eq!(
        row_texts(&source, &target, &RemapRules::default()),
        ["前髪_左1 > HairFront.L.1 95 x", "FrontHair_R_1 > 前髪右_1 95 x", "尻尾2 > tail_02 95 x",]
    );
}

#[test]
fn left_names_never_map_to_right_bones() {
    let (plan, _) = plan_names(&["hair_left"], &["root", "hair_right", "Hair_R"], &RemapRules::default());
    assert_eq!(plan.rows[0].target, None);
    assert!(plan.rows[0].alternatives.is_empty());
    let strip = RemapRules::all_enabled([
        RemapRule::StripPrefix("L_".to_owned()),
        RemapRule::StripPrefix("R_".to_owned()),
        RemapRule::Near(0.3),
    ]);
    assert_eq!(plan_names(&["L_hair"], &["root", "R_hair"], &strip).0.rows[0].target, None);
}

#[test]
fn different_numbers_lower_the_score_but_another_start_number_does_not() {
    let (plan, s) = plan_names(&["hair_front_3"], &["root", "hair_front_7"], &RemapRules::default());
    assert_eq!(plan.rows[0].target, None);
    assert_eq!(plan.rows[0].alternatives.first().map(|o| s.name(o.0)), Some("hair_front_7"));
    let found =
        row_texts(&["tail_0", "tail_1", "tail_2"], &["r", "Shippo1", "Shippo2", "Shippo3"], &RemapRules::default());
    let names: Vec<&str> = found.iter().map(|r| r.rsplit_once(' ').expect("has a percentage").0).collect();
    assert_eq!(names, ["tail_0 > Shippo1", "tail_1 > Shippo2", "tail_2 > Shippo3"]);
    let (plan, _) = plan_names(&["tail_0", "tail_1"], &["r", "Shippo1", "Shippo2"], &RemapRules::default());
    assert!(plan.rows.iter().all(|e| !e.included), "near numbers are not ticked");
}

#[test]
fn an_incomplete_run_is_mapped_by_its_numbers() {
    let bone = |(i, name): (usize, &&str)| Bone {
        name: (*name).to_owned(),
        parent: i.checked_sub(1).map(|p| BoneId(p as u32)),
        rest: Trs::from_translation(Vec3::Y * 0.1),
    };
    let names = ["root", "Braid_1", "Braid_2", "Braid_3", "Braid_4"];
    let target = Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("one root");
    let source = ["三つ編み_3", "三つ編み_2"].map(NamedBone::new);
    let plan = plan_remap(&source, &target, &Humanoid::default(), &RemapRules::default());
    let found: Vec<_> = plan.rows.iter().map(|e| e.target.map(|t| target.name(t))).collect();
    assert_eq!(found, [Some("Braid_3"), Some("Braid_2")]);
    assert!(plan.rows.iter().all(|e| e.included), "{plan:?}");
}

#[test]
fn a_misspelled_name_is_proposed_but_not_included() {
    let (plan, s) = plan_names(&["skirt_frnt_a"], &["root", "skirt_front_a", "sleeve_front"], &RemapRules::default());
    let entry = &plan.rows[0];
    assert_eq!(entry.target.map(|t| s.name(t)), Some("skirt_front_a"));
    assert!(!entry.included && entry.confidence > 0.6 && entry.reason == MatchReason::Near, "{entry:?}");
    assert_eq!(plan.counts(), RemapCounts { all: 1, included: 0, to_confirm: 1, no_match: 0 });
}

#[test]
fn names_without_similarity_have_no_match() {
    let (plan, _) = plan_names(&["cape_01", "x", ""], &["Hips", "Spine", "LeftEye"], &RemapRules::default());
    assert!(plan.rows.iter().all(|e| e.target.is_none() && e.reason == MatchReason::NoMatch), "{plan:?}");
    assert!(plan.mapping().is_empty());
}

#[test]
fn an_ambiguous_match_is_not_included() {
    let strip = RemapRules::all_enabled([
        RemapRule::SameName,
        RemapRule::StripPrefix("A_".to_owned()),
        RemapRule::StripPrefix("B_".to_owned()),
    ]);
    let (plan, _) = plan_names(&["hair"], &["A_hair", "B_hair"], &strip);
    assert!(plan.rows[0].included, "the first rule decides alone: {plan:?}");
    let (plan, _) = plan_names(&["A_hair", "B_hair"], &["r", "hair"], &strip);
    let targets: Vec<_> = plan.rows.iter().filter_map(|e| e.target).collect();
    assert_eq!(targets.len(), 1, "a bone is assigned only once: {plan:?}");
    let case = RemapRules::all_enabled([RemapRule::IgnoreCase]);
    let (plan, _) = plan_names(&["HAIR"], &["r", "hair", "Hair"], &case);
    assert!(plan.rows[0].ambiguous && !plan.rows[0].included && plan.rows[0].alternatives.len() == 1, "{plan:?}");
}

#[test]
fn rows_that_share_a_target_list_each_other() {
    let (mut plan, s) = plan_names(&["a", "b", "a"], &["a", "b"], &RemapRules::default());
    assert_eq!(plan.rows[0].shared_with, [2], "the same name twice");
    plan.set_target(1, s.find("a"));
    assert_eq!(plan.rows[1].shared_with, [0, 2]);
    assert_eq!(plan.mapping().len(), 2);
    plan.set_target(1, None);
    plan.set_included(1, true);
    assert!(!plan.rows[1].included);
    plan.set_target(99, None);
}

#[test]
fn humanoid_roles_match_whatever_the_names_are() {
    let target = skeleton(&["pelvis", "tummy", "atama"]);
    let mut humanoid = Humanoid::default();
    humanoid.set("hips", BoneId(0));
    humanoid.set("head", BoneId(2));
    let source = [NamedBone { role: Some("head".to_owned()), ..NamedBone::new("J_Bip_C_Head") }];
    let plan = plan_remap(&source, &target, &humanoid, &RemapRules::default());
    assert_eq!(plan.rows[0].target, Some(BoneId(2)));
    assert_eq!(plan.rows[0].reason, MatchReason::Role("head".to_owned()));
}

#[test]
fn common_prefixes_and_suffixes_are_suggested() {
    let strip = |rules: &RemapRules| -> Vec<RemapRule> {
        let affix = |e: &RemapRuleEntry| matches!(e.rule, RemapRule::StripPrefix(_) | RemapRule::StripSuffix(_));
        rules.entries.iter().filter(|e| affix(e)).map(|e| e.rule.clone()).collect()
    };
    let rules = RemapRules::with_suggested_affixes(
        ["Hair_TwinTail_L", "Hair_TwinTail_R", "Head"],
        ["TwinTail_L", "TwinTail_R", "Head"],
    );
    assert_eq!(strip(&rules), [RemapRule::StripPrefix("Hair_".to_owned())]);
    let rules = RemapRules::with_suggested_affixes(["pelvis", "chest"], ["pelvis_Armature", "chest_Armature"]);
    assert_eq!(strip(&rules), [RemapRule::StripSuffix("_Armature".to_owned())]);
    let rules = RemapRules::with_suggested_affixes(["J_Sec_ear", "J_Sec_tail"], ["My_ear", "My_tail"]);
    assert_eq!(strip(&rules), [RemapRule::StripPrefix("J_Sec_".to_owned()), RemapRule::StripPrefix("My_".to_owned())]);
    assert_eq!(RemapRules::with_suggested_affixes(["a", "b"], ["a", "b"]), RemapRules::default());
}

#[test]
fn rules_are_unchanged_after_json_round_trip() {
    let mut rules = RemapRules::with_suggested_affixes(["x_hair", "x_tail"], ["hair", "tail"]);
    rules.entries.push(RemapRuleEntry {
        on: false,
        rule: RemapRule::Replace { from: "胸".to_owned(), to: "Breast".to_owned() },
    });
    assert_eq!(RemapRules::from_json(&rules.to_json()).expect("own file"), rules);
    let newer = rules.to_json().replace("\"version\": 1", "\"version\": 2");
    assert_eq!(
        RemapRules::from_json(&newer).expect_err("newer").to_string(),
        "the rules file has version 2, expected 1"
    );
    assert!(RemapRules::from_json("[]").is_err());
}

#[test]
fn extreme_names_and_rules_do_not_panic() {
    let long = "長い_Hair".repeat(100_000);
    let odd = ["", ":", "\u{0}", "ﾞ", long.as_str(), "左右左", "1_2_3_4_5_6_7_8_9_10"];
    let rules = RemapRules::all_enabled([
        RemapRule::StripPrefix(String::new()),
        RemapRule::StripSuffix("長".to_owned()),
        RemapRule::Replace { from: String::new(), to: "x".to_owned() },
        RemapRule::Near(f32::NAN),
        RemapRule::Sides,
        RemapRule::IgnoreCase,
        RemapRule::Near(-1.0),
    ]);
    let (plan, _) = plan_names(&odd, &odd, &rules);
    assert_eq!(plan.rows.len(), odd.len());
    let _ = RemapRules::with_suggested_affixes(odd, odd);
}

#[test]
fn replacements_that_exceed_the_name_limit_are_skipped() {
    let skeleton = Skeleton::default();
    let doubling =
        RemapRules::all_enabled((0..40).map(|_| RemapRule::Replace { from: "a".to_owned(), to: "aa".to_owned() }));
    let source = [NamedBone::new("abc"), NamedBone::new("xyz")];
    let plan = plan_remap(&source, &skeleton, &Humanoid::default(), &doubling);
    // Nine replacements produce 512 letters. The tenth would produce 1024 letters plus the two other letters.
    assert_eq!(
        plan.too_long.iter().map(|t| (t.rule, t.name_count)).collect::<Vec<_>>(),
        (9..40).map(|n| (n, 1)).collect::<Vec<_>>()
    );
    assert_eq!(plan.too_long[0].example.len(), 514);
    let diagnostics = plan.too_long[0].message();
    assert!(diagnostics.starts_with("rule 10 makes names longer than 1024 bytes (1, first \"aaaa"), "{diagnostics}");
    assert!(diagnostics.len() < 300, "{diagnostics}");
}

#[test]
fn a_replacement_may_keep_the_length_of_a_name_above_the_limit() {
    let skeleton = Skeleton::default();
    let swap = RemapRules::all_enabled([RemapRule::Replace { from: "a".to_owned(), to: "b".to_owned() }]);
    let source = [NamedBone::new("a".repeat(4 * MAX_NAME_BYTES))];
    assert_eq!(plan_remap(&source, &skeleton, &Humanoid::default(), &swap).too_long, []);
}

/// A skeleton of `root > hips` and `root > other`.
fn hips_below(root: &str) -> Skeleton {
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    let bones = [bone(root, None), bone("hips", Some(BoneId(0))), bone("other", Some(BoneId(0)))];
    Skeleton::new(bones.to_vec()).expect("one root")
}

#[test]
fn the_only_roots_match_whatever_their_names_are() {
    let rules = RemapRules::default();
    let (from, to) = (hips_below("Root"), hips_below("全ての親"));
    let with_hierarchy = NamedBone::from_skeleton(&from, &Humanoid::default());
    let bare: Vec<NamedBone> = ["Root", "hips", "hair_1"].map(NamedBone::new).to_vec();
    for source in [with_hierarchy, bare] {
        let plan = plan_remap(&source, &to, &Humanoid::default(), &rules);
        assert_eq!((plan.rows[0].target, plan.rows[0].included), (Some(BoneId(0)), true), "{:?}", plan.rows[0]);
    }
}

#[test]
fn roots_on_different_levels_do_not_match() {
    let rules = RemapRules::all_enabled([RemapRule::HumanoidRoles]);
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
    let bones = [bone("Z_UP", None), bone("Armature", Some(BoneId(0))), bone("hips", Some(BoneId(1)))];
    let to = Skeleton::new(bones.to_vec()).expect("one root");
    let source = NamedBone::from_skeleton(&hips_below("Armature"), &Humanoid::default());
    let plan = plan_remap(&source, &to, &Humanoid::default(), &rules);
    assert_eq!(plan.rows[0].target, None, "the bone Armature exists below Z_UP");
}
