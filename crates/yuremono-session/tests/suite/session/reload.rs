//! Tests replacing a character with a newer export of itself.

use super::{FIRST_HAIR_BONE, HAIR_JOINTS, character, check_lengths, joint_bones, param, playing_session, ticks};
use std::sync::Arc;
use yuremono_model::document::{ChainId, Edit, EditLabel, Joint};
use yuremono_session::{Command, Motion, SelectMode, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{BoneId, Character, Clip};

/// Returns the joint overrides of a document, with bone names.
fn overrides_by_bone_name(s: &Session) -> Vec<Vec<(String, Option<f32>)>> {
    let own =
        |j: &Joint| (s.inspection().bone_name(j.bone).to_owned(), j.overrides.get(&param("stiffnessForce")).copied());
    s.document().chains.values().map(|c| c.joints.iter().map(own).collect()).collect()
}

fn missing_names(lost: &[(BoneId, String)]) -> Vec<&str> {
    lost.iter().map(|(_, name)| name.as_str()).collect()
}

fn session_with_overrides() -> Session {
    let mut s = playing_session();
    for i in 0..HAIR_JOINTS {
        let edit = Edit::SetOverride {
            chain: ChainId(1),
            bone: BoneId(FIRST_HAIR_BONE + i),
            param: param("stiffnessForce"),
            value: Some(i as f32),
        };
        s.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Set"))));
        assert!(crate::support::no_edit_rejected(&s));
    }
    s
}

#[test]
fn a_reload_keeps_setup_selection_and_undo_and_lists_missing_bones() {
    let mut s = session_with_overrides();
    let start = overrides_by_bone_name(&s);
    s.handle(Command::Select(vec![BoneId(FIRST_HAIR_BONE + 2), BoneId(FIRST_HAIR_BONE + 3)], SelectMode::Replace));
    // One bone is renamed. The head is renamed too, so that all paths change.
    let lost = s.replace_character(character(|name| match name {
        "hair_2" => Some("bang_2".to_owned()),
        "head" => Some("Head".to_owned()),
        _ => Some(name.to_owned()),
    }));
    assert_eq!(missing_names(&lost), ["hair_2"]);
    assert_eq!(overrides_by_bone_name(&s), start, "the document also keeps the override of the missing joint");
    assert_eq!(s.selection().bones.iter().map(|b| s.inspection().bone_name(*b)).collect::<Vec<_>>(), ["hair_3"]);
    assert_eq!(s.selection().active, Some(BoneId(FIRST_HAIR_BONE + 3)));
    assert_eq!(s.playback().joint_index(BoneId(FIRST_HAIR_BONE + 2)), None);
    ticks(&mut s, 30);
    s.handle(Command::SetParam(param("stiffnessForce"), 3.0));
    s.handle(Command::Undo);
    for _ in 0..HAIR_JOINTS {
        s.handle(Command::Undo);
    }
    assert_eq!(s.history().next_undo(), None);
    assert!(overrides_by_bone_name(&s)[0].iter().all(|(_, own)| own.is_none()));
    for _ in 0..HAIR_JOINTS {
        s.handle(Command::Redo);
    }
    assert_eq!(overrides_by_bone_name(&s), start);
}

#[test]
fn returning_bones_are_found_again_and_missing_bones_are_not_confused() {
    let mut s = session_with_overrides();
    let start = overrides_by_bone_name(&s);
    let without =
        |gone: &'static [&'static str]| character(move |name| (!gone.contains(&name)).then(|| name.to_owned()));
    assert_eq!(missing_names(&s.replace_character(without(&["hair_1"]))), ["hair_1"]);
    // Another bone now has the index of the missing bone, and is removed as well.
    assert_eq!(missing_names(&s.replace_character(without(&["hair_1", "hair_2"]))), ["hair_1", "hair_2"]);
    assert_eq!(overrides_by_bone_name(&s), start);
    assert_eq!(missing_names(&s.replace_character(without(&["hair_2"]))), ["hair_2"]);
    assert_eq!(missing_names(&s.replace_character(without(&["hair_0", "hair_1"]))), ["hair_0", "hair_1"]);
    assert!(s.replace_character(character(|name| Some(name.to_owned()))).is_empty());
    assert_eq!(overrides_by_bone_name(&s), start);
    assert_eq!(s.document(), session_with_overrides().document());
    (0..HAIR_JOINTS).for_each(|_| s.handle(Command::Undo));
    assert_eq!(s.document(), playing_session().document());
    ticks(&mut s, 30);
    check_lengths(&s);
}

#[test]
fn two_bones_that_match_one_new_bone_are_not_both_assigned_to_it() {
    let twin = |name: &str| Some(if name == "right_1" { "left_1".to_owned() } else { name.to_owned() });
    let document = playing_session().document().clone();
    let mut s = Session::new(character(twin), document);
    let lost = s.replace_character(character(|name| (name != "right_1" && name != "right_0").then(|| name.to_owned())));
    assert_eq!(missing_names(&lost), ["right_0", "left_1"]);
    let bones: Vec<_> = joint_bones(&s).collect();
    assert!(bones.iter().enumerate().all(|(i, b)| !bones[..i].contains(b)));
    ticks(&mut s, 5);
}

#[test]
fn the_playing_clip_is_found_by_name_after_a_reload() {
    let mut s = playing_session();
    let walk = Clip { name: "walk".to_owned(), ..s.character().clips[0].clone() };
    s.load_motions(1..1, vec![walk.clone(), walk]);
    let names: Vec<_> = s.character().clips.iter().map(|clip| clip.name.clone()).collect();
    assert_eq!(names, ["nod", "walk", "walk 2"], "no two clips share a name");
    assert_eq!(s.playback().settings().motion, Motion::Clip(1));
    let step = s.history().current_state();
    let mut fewer = Character::clone(&character(|name| Some(name.to_owned())));
    fewer.clips = s.character().clips[1..].to_vec();
    s.replace_character(Arc::new(fewer));
    assert_eq!((s.playback().settings().motion, s.history().current_state()), (Motion::Clip(0), step));
}
