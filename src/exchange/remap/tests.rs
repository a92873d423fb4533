use super::*;
use crate::math::Trs;
use crate::rig::Bone;

fn skeleton(names: &[&str]) -> Skeleton {
    let bone = |(i, name): (usize, &&str)| Bone {
        name: (*name).to_owned(),
        parent: (i > 0).then_some(BoneId(0)),
        rest: Trs::from_translation(Vec3::Y * 0.1),
    };
    Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("one root")
}

fn run(source: &[&str], target: &[&str], rules: &Rules) -> (Plan, Skeleton) {
    let source: Vec<SourceName> = source.iter().copied().map(SourceName::new).collect();
    let skeleton = skeleton(target);
    (plan(&source, &skeleton, &Humanoid::default(), rules), skeleton)
}

/// Rows as `source > target percent tick`.
fn rows(source: &[&str], target: &[&str], rules: &Rules) -> Vec<String> {
    let (plan, skeleton) = run(source, target, rules);
    let row = |e: &Entry| {
        let target = e.target.map_or("-", |t| skeleton.name(t));
        let tick = if e.taken { " x" } else { "" };
        format!("{} > {target} {:.0}{tick}", e.source, e.confidence * 100.0)
    };
    plan.entries.iter().map(row).collect()
}

#[test]
fn rules_match_from_top_to_bottom() {
    let rules = Rules::of([
        Rule::SameName,
        Rule::StripPrefix("Hair_".to_owned()),
        Rule::Sides,
        Rule::Replace { from: "Bust".to_owned(), to: "Breast".to_owned() },
        Rule::IgnoreCase,
        Rule::Near(0.6),
    ]);
    let source = ["Head", "Hair_TwinTail_L_01", "Hair_TwinTail_R_01", "リボン.左", "Bust_L", "SCARF", "cape_01"];
    let target = ["Head", "TwinTail_R_01", "TwinTail_L_01", "リボン_左", "リボン_右", "Breast_R", "Breast_L", "scarf"];
    assert_eq!(
        rows(&source, &target, &rules),
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
fn other_spellings_of_the_same_words_are_taken() {
    let source = ["前髪_左1", "FrontHair_R_1", "尻尾2"];
    let target = ["root", "HairFront.L.1", "前髪右_1", "tail_02"];
    assert_eq!(
        rows(&source, &target, &Rules::default()),
        ["前髪_左1 > HairFront.L.1 95 x", "FrontHair_R_1 > 前髪右_1 95 x", "尻尾2 > tail_02 95 x",]
    );
}

#[test]
fn sides_never_cross() {
    let (plan, _) = run(&["hair_left"], &["root", "hair_right", "Hair_R"], &Rules::default());
    assert_eq!(plan.entries[0].target, None);
    assert!(plan.entries[0].others.is_empty());
    let strip = Rules::of([Rule::StripPrefix("L_".to_owned()), Rule::StripPrefix("R_".to_owned()), Rule::Near(0.3)]);
    assert_eq!(run(&["L_hair"], &["root", "R_hair"], &strip).0.entries[0].target, None);
}

#[test]
fn other_numbers_lower_the_score_and_counting_from_another_start_does_not() {
    let (plan, s) = run(&["hair_front_3"], &["root", "hair_front_7"], &Rules::default());
    assert_eq!(plan.entries[0].target, None);
    assert_eq!(plan.entries[0].others.first().map(|o| s.name(o.0)), Some("hair_front_7"));
    let found = rows(&["tail_0", "tail_1", "tail_2"], &["r", "Shippo1", "Shippo2", "Shippo3"], &Rules::default());
    let names: Vec<&str> = found.iter().map(|r| r.rsplit_once(' ').expect("has a percentage").0).collect();
    assert_eq!(names, ["tail_0 > Shippo1", "tail_1 > Shippo2", "tail_2 > Shippo3"]);
    let (plan, _) = run(&["tail_0", "tail_1"], &["r", "Shippo1", "Shippo2"], &Rules::default());
    assert!(plan.entries.iter().all(|e| !e.taken), "near numbers wait for a tick");
}

#[test]
fn a_part_of_a_strand_is_led_by_its_numbers() {
    let bone = |(i, name): (usize, &&str)| Bone {
        name: (*name).to_owned(),
        parent: i.checked_sub(1).map(|p| BoneId(p as u32)),
        rest: Trs::from_translation(Vec3::Y * 0.1),
    };
    let names = ["root", "Braid_1", "Braid_2", "Braid_3", "Braid_4"];
    let target = Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("one root");
    let source = ["三つ編み_3", "三つ編み_2"].map(SourceName::new);
    let plan = plan(&source, &target, &Humanoid::default(), &Rules::default());
    let found: Vec<_> = plan.entries.iter().map(|e| e.target.map(|t| target.name(t))).collect();
    assert_eq!(found, [Some("Braid_3"), Some("Braid_2")]);
    assert!(plan.entries.iter().all(|e| e.taken), "{plan:?}");
}

#[test]
fn a_typing_error_is_near_but_not_taken() {
    let (plan, s) = run(&["skirt_frnt_a"], &["root", "skirt_front_a", "sleeve_front"], &Rules::default());
    let entry = &plan.entries[0];
    assert_eq!(entry.target.map(|t| s.name(t)), Some("skirt_front_a"));
    assert!(!entry.taken && entry.confidence > 0.6 && entry.why == Why::Near, "{entry:?}");
    assert_eq!(plan.counts(), Counts { all: 1, taken: 0, to_confirm: 1, no_match: 0 });
}

#[test]
fn what_has_no_likeness_has_no_match() {
    let (plan, _) = run(&["cape_01", "x", ""], &["Hips", "Spine", "LeftEye"], &Rules::default());
    assert!(plan.entries.iter().all(|e| e.target.is_none() && e.why == Why::NoMatch), "{plan:?}");
    assert!(plan.mapping().is_empty());
}

#[test]
fn an_equal_claim_waits_for_a_tick() {
    let strip = Rules::of([Rule::SameName, Rule::StripPrefix("A_".to_owned()), Rule::StripPrefix("B_".to_owned())]);
    let (plan, _) = run(&["hair"], &["A_hair", "B_hair"], &strip);
    assert!(plan.entries[0].taken, "the first rule decides alone: {plan:?}");
    let (plan, _) = run(&["A_hair", "B_hair"], &["r", "hair"], &strip);
    let targets: Vec<_> = plan.entries.iter().filter_map(|e| e.target).collect();
    assert_eq!(targets.len(), 1, "a bone is given once: {plan:?}");
    let case = Rules::of([Rule::IgnoreCase]);
    let (plan, _) = run(&["HAIR"], &["r", "hair", "Hair"], &case);
    assert!(plan.entries[0].ambiguous && !plan.entries[0].taken && plan.entries[0].others.len() == 1, "{plan:?}");
}

#[test]
fn sharing_a_bone_by_hand_is_noted() {
    let (mut plan, s) = run(&["a", "b", "a"], &["a", "b"], &Rules::default());
    assert_eq!(plan.entries[0].also, [2], "the same name twice");
    plan.choose(1, s.find("a"));
    assert_eq!(plan.entries[1].also, [0, 2]);
    assert_eq!(plan.mapping().len(), 2);
    plan.choose(1, None);
    plan.take(1, true);
    assert!(!plan.entries[1].taken);
    plan.choose(99, None);
}

#[test]
fn roles_lead_over_any_names() {
    let target = skeleton(&["pelvis", "tummy", "atama"]);
    let mut humanoid = Humanoid::default();
    humanoid.set("hips", BoneId(0));
    humanoid.set("head", BoneId(2));
    let source = [SourceName { role: Some("head".to_owned()), ..SourceName::new("J_Bip_C_Head") }];
    let plan = plan(&source, &target, &humanoid, &Rules::default());
    assert_eq!(plan.entries[0].target, Some(BoneId(2)));
    assert_eq!(plan.entries[0].why, Why::Role("head".to_owned()));
}

#[test]
fn useful_prefixes_and_suffixes_are_found() {
    let strip = |rules: &Rules| -> Vec<Rule> {
        let affix = |e: &RuleEntry| matches!(e.rule, Rule::StripPrefix(_) | Rule::StripSuffix(_));
        rules.list.iter().filter(|e| affix(e)).map(|e| e.rule.clone()).collect()
    };
    let rules = Rules::suggested(["Hair_TwinTail_L", "Hair_TwinTail_R", "Head"], ["TwinTail_L", "TwinTail_R", "Head"]);
    assert_eq!(strip(&rules), [Rule::StripPrefix("Hair_".to_owned())]);
    let rules = Rules::suggested(["pelvis", "chest"], ["pelvis_Armature", "chest_Armature"]);
    assert_eq!(strip(&rules), [Rule::StripSuffix("_Armature".to_owned())]);
    let rules = Rules::suggested(["J_Sec_ear", "J_Sec_tail"], ["My_ear", "My_tail"]);
    assert_eq!(strip(&rules), [Rule::StripPrefix("J_Sec_".to_owned()), Rule::StripPrefix("My_".to_owned())]);
    assert_eq!(Rules::suggested(["a", "b"], ["a", "b"]), Rules::default());
}

#[test]
fn rules_survive_their_file() {
    let mut rules = Rules::suggested(["x_hair", "x_tail"], ["hair", "tail"]);
    rules.list.push(RuleEntry { on: false, rule: Rule::Replace { from: "胸".to_owned(), to: "Breast".to_owned() } });
    assert_eq!(Rules::from_json(&rules.to_json()).expect("own file"), rules);
    let newer = rules.to_json().replace("\"version\": 1", "\"version\": 2");
    assert_eq!(Rules::from_json(&newer).expect_err("newer").to_string(), "the rules file has version 2, expected 1");
    assert!(Rules::from_json("[]").is_err());
}

#[test]
fn hostile_names_and_rules_do_no_harm() {
    let long = "長い_Hair".repeat(100_000);
    let odd = ["", ":", "\u{0}", "ﾞ", long.as_str(), "左右左", "1_2_3_4_5_6_7_8_9_10"];
    let rules = Rules::of([
        Rule::StripPrefix(String::new()),
        Rule::StripSuffix("長".to_owned()),
        Rule::Replace { from: String::new(), to: "x".to_owned() },
        Rule::Near(f32::NAN),
        Rule::Sides,
        Rule::IgnoreCase,
        Rule::Near(-1.0),
    ]);
    let (plan, _) = run(&odd, &odd, &rules);
    assert_eq!(plan.entries.len(), odd.len());
    let _ = Rules::suggested(odd, odd);
}

#[test]
fn rules_that_double_a_name_are_skipped_once_it_is_too_long() {
    let skeleton = Skeleton::default();
    let doubling = Rules::of((0..40).map(|_| Rule::Replace { from: "a".to_owned(), to: "aa".to_owned() }));
    let source = [SourceName::new("abc"), SourceName::new("xyz")];
    let plan = plan(&source, &skeleton, &Humanoid::default(), &doubling);
    // Nine doublings give 512 letters; the tenth would give 1024 and the two others.
    assert_eq!(
        plan.too_long.iter().map(|t| (t.rule, t.names)).collect::<Vec<_>>(),
        (9..40).map(|n| (n, 1)).collect::<Vec<_>>()
    );
    assert_eq!(plan.too_long[0].example.len(), 514);
    let said = plan.too_long[0].to_string();
    assert!(said.starts_with("rule 10 makes 1 name longer than 1024 bytes, first \"aaaa"), "{said}");
    assert!(said.len() < 300, "{said}");
}

#[test]
fn a_name_that_is_long_already_may_stay_as_long() {
    let skeleton = Skeleton::default();
    let swap = Rules::of([Rule::Replace { from: "a".to_owned(), to: "b".to_owned() }]);
    let source = [SourceName::new("a".repeat(4 * LONGEST_NAME))];
    assert_eq!(plan(&source, &skeleton, &Humanoid::default(), &swap).too_long, []);
}
