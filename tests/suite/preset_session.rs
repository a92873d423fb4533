//! Presets on the chains of a session, and in a folder of files.

use super::support::girl;
use std::sync::Arc;
use yuremono::document::{Along, Authored, ChainId, Edit, Label, Part};
use yuremono::feel::{preset::Preset, preset::Words, preset::from_chain};
use yuremono::feel::{terms::FeelSet, terms::of_chain};
use yuremono::format::preset_folder::{delete, keep, read};
use yuremono::rig::{BoneId, Character, Skeleton};
use yuremono::session::{Command, Pick, PresetId, Session, Was, Worn};
use yuremono::sim::Term;
use yuremono::sim::solver::spring_bone::RADIUS;

/// Of this name in both languages, with these hertz and damping ratio.
pub(crate) fn preset(key: &str, [en, ja]: [&str; 2], part: Part, [speed, settle]: [f32; 2]) -> Preset {
    let level = |base| Some(Authored { base, curve: None });
    Preset {
        key: key.to_owned(),
        name: Words { en: en.to_owned(), ja: ja.to_owned() },
        sentence: Words { en: format!("{en} as a test has it"), ja: format!("{ja}の説明") },
        parts: vec![part],
        along: Along::Length,
        feel: FeelSet { speed: level(speed), settle: level(settle), follow: level(0.2), ..FeelSet::default() },
    }
}

fn heavy() -> Preset {
    preset("heavy", ["Heavy", "重め"], Part::Hair, [1.8, 0.55])
}

fn id() -> PresetId {
    PresetId { own: false, key: "heavy".to_owned() }
}

fn select(session: &mut Session, name: &str) -> ChainId {
    let bone = girl::bone(session, name);
    session.handle(Command::Select(vec![bone], Pick::Replace));
    session.inspection().active_chain().expect("a chain")
}

fn apply(session: &mut Session, preset: &Preset) {
    let step = session.presets().step(id(), preset, None, false);
    session.handle(Command::ApplyPreset(Box::new(step)));
}

#[track_caller]
fn check(session: &Session, changed: Option<bool>) {
    let found = match session.presets().worn() {
        Worn::One { id: found, changed, .. } => {
            assert_eq!(found, id());
            Some(changed)
        }
        Worn::None => None,
        Worn::Several => panic!("one chain is selected"),
    };
    assert_eq!(found, changed);
}

/// Another base of the first number.
fn tune(session: &mut Session, chain: ChainId) {
    let row = yuremono::schema::Row(0);
    let value = session.document().chains[&chain].values[0].base * 2.0 + 1.0;
    session.handle(Command::Apply(Edit::SetBase { chain, row, value }, Label::new("set", 1)));
}

#[test]
fn a_chain_has_the_preset_that_was_applied_and_undo_takes_that_back_too() {
    let mut session = girl::session();
    let chain = select(&mut session, "TwinTail_L_01");
    check(&session, None);
    apply(&mut session, &heavy());
    let feel = of_chain(session.document(), &session.character().skeleton, chain);
    assert!((feel.speed.expect("it has one").base - 1.8).abs() < 0.02);
    check(&session, Some(false));
    tune(&mut session, chain);
    check(&session, Some(true));
    session.handle(Command::Undo);
    check(&session, Some(false));
    session.handle(Command::Undo);
    check(&session, None);
    session.handle(Command::Redo);
    check(&session, Some(false));
    select(&mut session, "TwinTail_R_01");
    check(&session, None);
}

#[test]
fn chains_with_different_presets_have_several_and_a_character_that_is_read_again_keeps_them() {
    let mut session = girl::session();
    select(&mut session, "TwinTail_L_01");
    apply(&mut session, &heavy());
    let other = girl::bone(&session, "TwinTail_R_01");
    session.handle(Command::Select(vec![other], Pick::Add));
    assert_eq!(session.presets().worn(), Worn::Several);
    select(&mut session, "TwinTail_L_01");
    let character = session.character().clone();
    session.replace_character(character);
    check(&session, Some(false));
}

/// Her, exported anew with the second bone of the left tail below the third.
fn crossed(session: &Session) -> Arc<Character> {
    let mut character = (**session.character()).clone();
    let mut bones = character.skeleton.bones().to_vec();
    let second = girl::bone(session, "TwinTail_L_02").index();
    bones.swap(second, second + 1);
    let (above, below) = (BoneId(second as u32), BoneId(second as u32 + 1));
    bones[second].parent = character.skeleton.parent(above);
    (bones[second + 1].parent, bones[second + 2].parent) = (Some(above), Some(below));
    character.skeleton = Skeleton::new(bones).expect("parents stand first");
    Arc::new(character)
}

#[test]
fn bones_that_hang_in_another_order_since_keep_their_own_numbers_on_both_sides_of_ab() {
    let mut session = girl::session();
    let chain = select(&mut session, "TwinTail_L_01");
    let own = |session: &mut Session, name: &str, value| {
        let bone = girl::bone(session, name);
        let edit = Edit::SetOwn { chain, bone, row: RADIUS, value: Some(value) };
        session.handle(Command::Apply(edit, Label::new("set", 1)));
    };
    own(&mut session, "TwinTail_L_02", 0.02);
    own(&mut session, "TwinTail_L_03", 0.03);
    apply(&mut session, &heavy());
    let newer = crossed(&session);
    assert!(session.replace_character(newer).is_empty());
    let names: Vec<_> =
        session.document().chains[&chain].joints.iter().map(|j| session.inspection().bone_name(j.bone)).collect();
    assert_eq!(names[..3], ["TwinTail_L_01", "TwinTail_L_03", "TwinTail_L_02"], "they were sorted anew");
    check(&session, Some(false));
    own(&mut session, "TwinTail_L_03", 0.5);
    check(&session, Some(true));
    let (was, edit) = session.presets().as_it_was().expect("another side");
    assert_eq!(was, Was::Applied(heavy().name));
    let mut then = session.document().clone();
    then.apply(edit).expect("fits");
    for (name, expected) in [("TwinTail_L_02", 0.02), ("TwinTail_L_03", 0.03)] {
        let at = then.chains[&chain].position(girl::bone(&session, name)).expect("a joint");
        assert_eq!(then.chains[&chain].joints[at].own.get(&RADIUS), Some(&expected), "{name}");
    }
}

#[test]
fn with_nothing_selected_a_preset_goes_to_all_chains_of_its_parts() {
    let mut session = girl::session();
    let before = session.document().clone();
    let skirt = Preset { parts: vec![Part::Skirt], ..heavy() };
    apply(&mut session, &skirt);
    for (id, chain) in &session.document().chains {
        assert_eq!(*chain != before.chains[id], chain.part == Part::Skirt, "{}", chain.name);
    }
    session.handle(Command::Undo);
    assert_eq!(*session.document(), before, "one step");
    let tail = Preset { parts: vec![Part::Tail], ..heavy() };
    assert!(session.presets().targets(&tail).is_empty());
    select(&mut session, "Skirt_01");
    assert_eq!(session.presets().targets(&tail).chains.len(), 1, "what is selected takes any preset");
}

#[test]
fn the_other_side_of_ab_is_the_preset_as_applied_or_the_file_as_loaded() {
    let mut session = girl::session();
    let chain = select(&mut session, "TwinTail_L_01");
    assert!(session.presets().as_it_was().is_none(), "nothing differs yet");
    let loaded = session.document().chains[&chain].values.clone();
    apply(&mut session, &heavy());
    let applied = session.document().chains[&chain].values.clone();
    let side = |session: &Session| {
        let (was, edit) = session.presets().as_it_was().expect("another side");
        let mut then = session.document().clone();
        then.apply(edit).expect("fits");
        (was, then.chains[&chain].values.clone())
    };
    assert_eq!(side(&session), (Was::Loaded, loaded));
    tune(&mut session, chain);
    assert_eq!(side(&session), (Was::Applied(heavy().name), applied));
}

#[test]
fn a_chain_feels_like_a_preset_that_says_what_it_has() {
    let mut session = girl::session();
    select(&mut session, "TwinTail_L_01");
    assert!(!session.presets().feels_like(&heavy()));
    apply(&mut session, &heavy());
    assert!(session.presets().feels_like(&heavy()));
    let quicker = preset("quick", ["Quick", "速い"], Part::Hair, [2.0, 0.55]);
    assert!(!session.presets().feels_like(&quicker));
}

#[test]
fn a_saved_feel_is_read_back_and_nothing_is_overwritten_that_was_not_meant() {
    let mut session = girl::session();
    let chain = select(&mut session, "TwinTail_L_01");
    apply(&mut session, &heavy());
    let name = Words { en: "My tail".to_owned(), ja: String::new() };
    let skeleton = &session.character().skeleton;
    let made = from_chain(session.document(), skeleton, chain, "my_tail".to_owned(), name, Words::default());
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("not/yet/there");
    assert_eq!(read(&folder), (Vec::new(), Vec::new()));
    assert_eq!(keep(&folder, &made, false).expect("written"), "my_tail");
    assert_eq!(keep(&folder, &made, false).expect("written"), "my_tail_2");
    let renamed = Preset { name: Words { en: "Mine".to_owned(), ja: "私の".to_owned() }, ..made.clone() };
    keep(&folder, &renamed, true).expect("replaced");
    let (read_back, said) = read(&folder);
    assert!(said.is_empty(), "{said:?}");
    let keys: Vec<_> = read_back.iter().map(|preset| (preset.key.as_str(), preset.name.en.as_str())).collect();
    assert_eq!(keys, [("my_tail", "Mine"), ("my_tail_2", "My tail")]);
    let speed = |preset: &Preset| preset.feel.get(Term::Speed).expect("it has one").base;
    assert!((speed(&read_back[0]) - speed(&made)).abs() < 1e-4);
    assert!(session.presets().feels_like(&read_back[0]), "what was saved is what the chain feels like");
    delete(&folder, "my_tail").expect("there");
    assert_eq!(read(&folder).0.len(), 1);
    assert!(delete(&folder, "my_tail").is_err() && delete(&folder, "../my_tail").is_err());
}

#[test]
fn a_broken_file_is_told_and_the_others_are_in_use() {
    let dir = tempfile::tempdir().expect("a folder");
    keep(dir.path(), &heavy(), false).expect("written");
    std::fs::write(dir.path().join("broken.preset.json"), "{\"yuremono_preset\": 1,").expect("written");
    std::fs::write(dir.path().join("notes.txt"), "no preset").expect("written");
    let (presets, said) = read(dir.path());
    assert_eq!(presets.len(), 1);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].place.file, "broken.preset.json");
    assert!(!said[0].message.is_empty());
    let evil = Preset { key: "../evil".to_owned(), ..heavy() };
    keep(dir.path(), &evil, false).expect("under another name");
    assert!(dir.path().join("preset.preset.json").exists() && !dir.path().join("../evil.preset.json").exists());
}

#[test]
fn a_preset_whose_key_no_file_may_have_is_written_over_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut preset = yuremono::format::shelf::built_in()[0].clone();
    "preset".clone_into(&mut preset.key);
    keep(folder.path(), &preset, false).expect("written");
    let before = read(folder.path()).0;
    let renamed = Preset { key: "a:b".to_owned(), parts: vec![Part::Ear], ..preset };
    assert_eq!(keep(folder.path(), &renamed, true), Ok("preset_2".to_owned()));
    let after = read(folder.path()).0;
    assert_eq!((after.len(), &after[0]), (2, &before[0]));
}
