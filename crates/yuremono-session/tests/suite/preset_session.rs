//! Tests presets on the chains of a session, and in a folder of files.

use super::support::girl;
use crate::support::presets::test_preset;
use std::sync::Arc;
use yuremono_format::preset_folder::{delete, read, save};
use yuremono_model::document::{ChainId, ChainPart, Edit, EditLabel};
use yuremono_model::feel::params::chain_feel;
use yuremono_model::feel::{preset::LocalizedText, preset::Preset, preset::from_chain};
use yuremono_session::{AppliedPreset, Command, CompareBase, PresetId, SelectMode, Session};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{BoneId, Character, Skeleton};
use yuremono_sim::solver::spring_bone::RADIUS;

fn heavy_preset() -> Preset {
    test_preset("heavy", ["Heavy", "重め"], ChainPart::Hair, [1.8, 0.55])
}

fn heavy_preset_id() -> PresetId {
    PresetId { is_custom: false, key: "heavy".to_owned() }
}

fn select_chain_at(session: &mut Session, name: &str) -> ChainId {
    let bone = girl::bone(session, name);
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.inspection().active_chain().expect("a chain")
}

fn apply(session: &mut Session, preset: &Preset) {
    let step = session.inspection().preset_application(heavy_preset_id(), preset, None, false);
    session.handle(Command::ApplyPreset(Box::new(step)));
}

#[track_caller]
fn check_applied(session: &Session, changed: Option<bool>) {
    let found = match session.inspection().applied_preset() {
        AppliedPreset::Same { id: found, changed, .. } => {
            assert_eq!(found, heavy_preset_id());
            Some(changed)
        }
        AppliedPreset::None => None,
        AppliedPreset::Mixed => panic!("one chain is selected"),
    };
    assert_eq!(found, changed);
}

/// Changes the base of the first parameter.
fn change_first_param(session: &mut Session, chain: ChainId) {
    let param = yuremono_sim::params::ParamId(0);
    let value = session.document().chains[&chain].values[0].base * 2.0 + 1.0;
    session.handle(Command::ApplyEdit(Edit::SetBaseValue { chain, param, value }, EditLabel::new(message!("Set"))));
}

#[test]
fn undo_and_redo_restore_which_preset_is_applied_to_a_chain() {
    let mut session = girl::session();
    let chain = select_chain_at(&mut session, "TwinTail_L_01");
    check_applied(&session, None);
    apply(&mut session, &heavy_preset());
    let feel = chain_feel(session.document(), &session.character().skeleton, chain);
    assert!((feel.speed.expect("one is applied").base - 1.8).abs() < 0.02);
    check_applied(&session, Some(false));
    change_first_param(&mut session, chain);
    check_applied(&session, Some(true));
    session.handle(Command::Undo);
    check_applied(&session, Some(false));
    session.handle(Command::Undo);
    check_applied(&session, None);
    session.handle(Command::Redo);
    check_applied(&session, Some(false));
    select_chain_at(&mut session, "TwinTail_R_01");
    check_applied(&session, None);
}

#[test]
fn several_applied_presets_are_reported_and_survive_a_reload() {
    let mut session = girl::session();
    select_chain_at(&mut session, "TwinTail_L_01");
    apply(&mut session, &heavy_preset());
    let other = girl::bone(&session, "TwinTail_R_01");
    session.handle(Command::Select(vec![other], SelectMode::Add));
    assert_eq!(session.inspection().applied_preset(), AppliedPreset::Mixed);
    select_chain_at(&mut session, "TwinTail_L_01");
    let character = session.character().clone();
    session.replace_character(character);
    check_applied(&session, Some(false));
}

/// Returns the character as if it was exported again with the second bone of the left tail as a child of the third
/// bone.
fn with_swapped_bones(session: &Session) -> Arc<Character> {
    let mut character = (**session.character()).clone();
    let mut bones = character.skeleton.bones().to_vec();
    let second = girl::bone(session, "TwinTail_L_02").index();
    bones.swap(second, second + 1);
    let (above, below) = (BoneId(second as u32), BoneId(second as u32 + 1));
    bones[second].parent = character.skeleton.parent(above);
    (bones[second + 1].parent, bones[second + 2].parent) = (Some(above), Some(below));
    character.skeleton = Skeleton::new(bones).expect("parents come first");
    Arc::new(character)
}

#[test]
fn reordered_bones_keep_their_overrides_on_both_sides_of_the_comparison() {
    let mut session = girl::session();
    let chain = select_chain_at(&mut session, "TwinTail_L_01");
    let own = |session: &mut Session, name: &str, value| {
        let bone = girl::bone(session, name);
        let edit = Edit::SetOverride { chain, bone, param: RADIUS, value: Some(value) };
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Set"))));
    };
    own(&mut session, "TwinTail_L_02", 0.02);
    own(&mut session, "TwinTail_L_03", 0.03);
    apply(&mut session, &heavy_preset());
    let newer = with_swapped_bones(&session);
    assert!(session.replace_character(newer).is_empty());
    let names: Vec<_> =
        session.document().chains[&chain].joints.iter().map(|j| session.inspection().bone_name(j.bone)).collect();
    assert_eq!(names[..3], ["TwinTail_L_01", "TwinTail_L_03", "TwinTail_L_02"], "the bones are in a new order");
    check_applied(&session, Some(false));
    own(&mut session, "TwinTail_L_03", 0.5);
    check_applied(&session, Some(true));
    let (was, edit) = session.inspection().compare_base().expect("another side");
    assert_eq!(was, CompareBase::AfterPreset(heavy_preset().name));
    let mut then = session.document().clone();
    then.apply(edit).expect("fits");
    for (name, expected) in [("TwinTail_L_02", 0.02), ("TwinTail_L_03", 0.03)] {
        let at = then.chains[&chain].joint_index(girl::bone(&session, name)).expect("a joint");
        assert_eq!(then.chains[&chain].joints[at].overrides.get(&RADIUS), Some(&expected), "{name}");
    }
}

#[test]
fn with_nothing_selected_a_preset_applies_to_all_chains_of_its_parts() {
    let mut session = girl::session();
    let before = session.document().clone();
    let skirt = Preset { parts: vec![ChainPart::Skirt], ..heavy_preset() };
    apply(&mut session, &skirt);
    for (id, chain) in &session.document().chains {
        assert_eq!(*chain != before.chains[id], chain.part == ChainPart::Skirt, "{}", chain.name);
    }
    session.handle(Command::Undo);
    assert_eq!(*session.document(), before, "one step");
    let tail = Preset { parts: vec![ChainPart::Tail], ..heavy_preset() };
    assert!(session.inspection().preset_targets(&tail).is_empty());
    select_chain_at(&mut session, "Skirt_01");
    assert_eq!(session.inspection().preset_targets(&tail).chains.len(), 1, "selected chains accept any preset");
}

#[test]
fn the_compare_base_is_the_applied_preset_or_the_loaded_file() {
    let mut session = girl::session();
    let chain = select_chain_at(&mut session, "TwinTail_L_01");
    assert!(session.inspection().compare_base().is_none(), "nothing differs yet");
    let loaded = session.document().chains[&chain].values.clone();
    apply(&mut session, &heavy_preset());
    let applied = session.document().chains[&chain].values.clone();
    let side = |session: &Session| {
        let (was, edit) = session.inspection().compare_base().expect("another side");
        let mut then = session.document().clone();
        then.apply(edit).expect("fits");
        (was, then.chains[&chain].values.clone())
    };
    assert_eq!(side(&session), (CompareBase::AsLoaded, loaded));
    change_first_param(&mut session, chain);
    assert_eq!(side(&session), (CompareBase::AfterPreset(heavy_preset().name), applied));
}

#[test]
fn a_chain_matches_a_preset_with_the_same_values() {
    let mut session = girl::session();
    select_chain_at(&mut session, "TwinTail_L_01");
    assert!(!session.inspection().matches_preset(&heavy_preset()));
    apply(&mut session, &heavy_preset());
    assert!(session.inspection().matches_preset(&heavy_preset()));
    let quicker = test_preset("quick", ["Quick", "速い"], ChainPart::Hair, [2.0, 0.55]);
    assert!(!session.inspection().matches_preset(&quicker));
}

#[test]
fn a_saved_preset_is_read_back_and_other_files_are_not_overwritten() {
    let mut session = girl::session();
    let chain = select_chain_at(&mut session, "TwinTail_L_01");
    apply(&mut session, &heavy_preset());
    let name = LocalizedText { en: "My tail".to_owned(), ja: String::new() };
    let skeleton = &session.character().skeleton;
    let made = from_chain(session.document(), skeleton, chain, "my_tail".to_owned(), name, LocalizedText::default());
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("not/yet/there");
    assert_eq!(read(&folder), (Vec::new(), Vec::new()));
    assert_eq!(save(&folder, &made, false).expect("written"), "my_tail");
    assert_eq!(save(&folder, &made, false).expect("written"), "my_tail_2");
    let renamed = Preset { name: LocalizedText { en: "Mine".to_owned(), ja: "私の".to_owned() }, ..made.clone() };
    save(&folder, &renamed, true).expect("replaced");
    let (read_back, reported) = read(&folder);
    assert!(reported.is_empty(), "{reported:?}");
    let keys: Vec<_> = read_back.iter().map(|preset| (preset.key.as_str(), preset.name.en.as_str())).collect();
    assert_eq!(keys, [("my_tail", "Mine"), ("my_tail_2", "My tail")]);
    let speed = |preset: &Preset| preset.feel.get(FeelParam::Speed).expect("one is applied").base;
    assert!((speed(&read_back[0]) - speed(&made)).abs() < 1e-4);
    assert!(session.inspection().matches_preset(&read_back[0]), "the saved preset matches the chain");
    delete(&folder, "my_tail").expect("there");
    assert_eq!(read(&folder).0.len(), 1);
    assert!(delete(&folder, "my_tail").is_err() && delete(&folder, "../my_tail").is_err());
}

#[test]
fn an_invalid_file_is_reported_and_the_others_are_used() {
    let dir = tempfile::tempdir().expect("a folder");
    save(dir.path(), &heavy_preset(), false).expect("written");
    std::fs::write(dir.path().join("broken.preset.json"), "{\"yuremono_preset\": 1,").expect("written");
    std::fs::write(dir.path().join("notes.txt"), "no preset").expect("written");
    let (presets, reported) = read(dir.path());
    assert_eq!(presets.len(), 1);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].location.file, "broken.preset.json");
    assert!(!reported[0].message.is_empty());
    let evil = Preset { key: "../evil".to_owned(), ..heavy_preset() };
    save(dir.path(), &evil, false).expect("saved under another name");
    assert!(dir.path().join("preset.preset.json").exists() && !dir.path().join("../evil.preset.json").exists());
}

#[test]
fn a_preset_with_an_invalid_file_name_does_not_overwrite_another() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut preset = yuremono_format::builtin_presets::builtin_presets()[0].clone();
    "preset".clone_into(&mut preset.key);
    save(folder.path(), &preset, false).expect("written");
    let before = read(folder.path()).0;
    let renamed = Preset { key: "a:b".to_owned(), parts: vec![ChainPart::Ear], ..preset };
    assert_eq!(save(folder.path(), &renamed, true), Ok("preset_2".to_owned()));
    let after = read(folder.path()).0;
    assert_eq!((after.len(), &after[0]), (2, &before[0]));
}
