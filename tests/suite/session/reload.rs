//! A character that was exported anew takes the place of the old one.

use super::{HAIR, JOINTS, character, check_lengths, joints, open, row, ticks};
use std::sync::Arc;
use yuremono::document::{ChainId, Edit, Joint, Label};
use yuremono::rig::{BoneId, Character, Clip};
use yuremono::session::{Command, Motion, Pick, Session};

/// What a document says with bones by name.
fn by_name(s: &Session) -> Vec<Vec<(String, Option<f32>)>> {
    let own = |j: &Joint| (s.inspection().bone_name(j.bone).to_owned(), j.own.get(&row("stiffnessForce")).copied());
    s.document().chains.values().map(|c| c.joints.iter().map(own).collect()).collect()
}

fn names(lost: &[(BoneId, String)]) -> Vec<&str> {
    lost.iter().map(|(_, name)| name.as_str()).collect()
}

fn tuned() -> Session {
    let mut s = open();
    for i in 0..JOINTS {
        let edit = Edit::SetOwn {
            chain: ChainId(1),
            bone: BoneId(HAIR + i),
            row: row("stiffnessForce"),
            value: Some(i as f32),
        };
        s.handle(Command::Apply(edit, Label::new("set", i as usize)));
        assert!(crate::support::nothing_refused(&s));
    }
    s
}

#[test]
fn a_reload_keeps_setup_selection_and_undo_and_names_what_is_gone() {
    let mut s = tuned();
    let start = by_name(&s);
    s.handle(Command::Select(vec![BoneId(HAIR + 2), BoneId(HAIR + 3)], Pick::Replace));
    // One bone renamed, the head (so that all paths change) too.
    let lost = s.replace_character(character(|name| match name {
        "hair_2" => Some("bang_2".to_owned()),
        "head" => Some("Head".to_owned()),
        _ => Some(name.to_owned()),
    }));
    assert_eq!(names(&lost), ["hair_2"]);
    assert_eq!(by_name(&s), start, "also the lost joint is remembered");
    assert_eq!(s.selection().bones.iter().map(|b| s.inspection().bone_name(*b)).collect::<Vec<_>>(), ["hair_3"]);
    assert_eq!(s.selection().active, Some(BoneId(HAIR + 3)));
    assert_eq!(s.playback().joint_index(BoneId(HAIR + 2)), None);
    ticks(&mut s, 30);
    s.handle(Command::Set(row("stiffnessForce"), 3.0));
    s.handle(Command::Undo);
    for _ in 0..JOINTS {
        s.handle(Command::Undo);
    }
    assert_eq!(s.history().next_undo(), None);
    assert!(by_name(&s)[0].iter().all(|(_, own)| own.is_none()));
    for _ in 0..JOINTS {
        s.handle(Command::Redo);
    }
    assert_eq!(by_name(&s), start);
}

#[test]
fn bones_that_come_back_are_found_again_and_different_lost_bones_stay_apart() {
    let mut s = tuned();
    let start = by_name(&s);
    let without =
        |gone: &'static [&'static str]| character(move |name| (!gone.contains(&name)).then(|| name.to_owned()));
    assert_eq!(names(&s.replace_character(without(&["hair_1"]))), ["hair_1"]);
    // Another bone stands at the number that the lost one had, and is lost too.
    assert_eq!(names(&s.replace_character(without(&["hair_1", "hair_2"]))), ["hair_1", "hair_2"]);
    assert_eq!(by_name(&s), start);
    assert_eq!(names(&s.replace_character(without(&["hair_2"]))), ["hair_2"]);
    assert_eq!(names(&s.replace_character(without(&["hair_0", "hair_1"]))), ["hair_0", "hair_1"]);
    assert!(s.replace_character(character(|name| Some(name.to_owned()))).is_empty());
    assert_eq!(by_name(&s), start);
    assert_eq!(s.document(), tuned().document());
    (0..JOINTS).for_each(|_| s.handle(Command::Undo));
    assert_eq!(s.document(), open().document());
    ticks(&mut s, 30);
    check_lengths(&s);
}

#[test]
fn twins_that_become_one_are_never_both_that_one() {
    let twin = |name: &str| Some(if name == "right_1" { "left_1".to_owned() } else { name.to_owned() });
    let document = open().document().clone();
    let mut s = Session::new(character(twin), document);
    let lost = s.replace_character(character(|name| (name != "right_1" && name != "right_0").then(|| name.to_owned())));
    assert_eq!(names(&lost), ["right_0", "left_1"]);
    let bones: Vec<_> = joints(&s).collect();
    assert!(bones.iter().enumerate().all(|(i, b)| !bones[..i].contains(b)));
    ticks(&mut s, 5);
}

#[test]
fn a_motion_goes_on_by_its_name_where_the_new_file_has_another_number_of_animations() {
    let mut s = open();
    let walk = Clip { name: "walk".to_owned(), ..s.character().clips[0].clone() };
    s.load_motions(1..1, vec![walk.clone(), walk]);
    let names: Vec<_> = s.character().clips.iter().map(|clip| clip.name.clone()).collect();
    assert_eq!(names, ["nod", "walk", "walk 2"], "no two clips share a name");
    assert_eq!(s.playback().settings().motion, Motion::Clip(1));
    let step = s.history().current();
    let mut fewer = Character::clone(&character(|name| Some(name.to_owned())));
    fewer.clips = s.character().clips[1..].to_vec();
    s.replace_character(Arc::new(fewer));
    assert_eq!((s.playback().settings().motion, s.history().current()), (Motion::Clip(0), step));
}
