//! How names lead from one whole character to another: the bundled one under other ways of naming, on a body of other
//! proportions, under names that say nothing; and between files of a folder.

use super::support;
use glam::Vec3;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;
use yuremono::exchange::{remap::Plan, remap::Rule, remap::Rules, remap::SourceName, remap::plan};
use yuremono::format::open;
use yuremono::format::source::{Source, no_siblings};
use yuremono::rig::{Bone, BoneId, Character, Humanoid, Skeleton};
use yuremono::sim::SolverKind;

const BLENDER: &[u8] = include_bytes!("../../assets/sample-rig-blender.vrm");
const JAPANESE: &[u8] = include_bytes!("../../assets/sample-rig-japanese.vrm");

fn opened(bytes: &[u8]) -> Arc<Character> {
    let source = Source { name: "rig.vrm", bytes, sibling: &no_siblings };
    open::character_from(&source, &|_| true).expect("a file of ours loads").character
}

fn sample() -> Arc<Character> {
    support::sample(SolverKind::Vrm).character
}

/// How many names lead where they should, and how sure the plan is of it.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sure: usize,
    right: usize,
    sure_but_wrong: usize,
    wrong: usize,
    nowhere: usize,
}

impl Counts {
    fn all(&self) -> usize {
        self.sure + self.right + self.sure_but_wrong + self.wrong + self.nowhere
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sure, right, sure_but_wrong, wrong, nowhere } = self;
        write!(
            f,
            "{sure} sure, {right} likely, {nowhere} nowhere, {wrong} likely but wrong, {sure_but_wrong} sure but wrong"
        )
    }
}

/// Of the sample's names of bones that sway: where they lead, if bone and bone at the same place of both lists are one.
fn judge(found: &Plan, source: &[SourceName]) -> Counts {
    let mut counts = Counts::default();
    for (at, (entry, name)) in found.entries.iter().zip(source).enumerate() {
        let expected = BoneId(at as u32);
        if !name.name.starts_with("J_Sec_") && !name.name.starts_with("J_Opt_") {
            continue;
        }
        assert_eq!(entry.source, name.name);
        let count = match (entry.target, entry.taken) {
            (Some(bone), true) if bone == expected => &mut counts.sure,
            (Some(bone), false) if bone == expected => &mut counts.right,
            (Some(_), true) => &mut counts.sure_but_wrong,
            (Some(_), false) => &mut counts.wrong,
            (None, _) => &mut counts.nowhere,
        };
        *count += 1;
    }
    counts
}

/// From the sample to a character with the same bones in the same order, by names with their hierarchy and places, or
/// by names alone.
fn led(to: &Skeleton, humanoid: &Humanoid, bare: bool) -> Counts {
    let from = sample();
    let mut source = SourceName::of(&from.skeleton, &from.humanoid);
    if bare {
        source = source.into_iter().map(|s| SourceName::new(s.name)).collect();
    }
    let names = to.ids().map(|b| to.name(b));
    let rules = Rules::suggested(source.iter().map(|s| s.name.as_str()), names);
    judge(&plan(&source, to, humanoid, &rules), &source)
}

/// The same skeleton, each bone altered.
fn altered(skeleton: &Skeleton, alter: impl Fn(usize, &mut Bone)) -> Skeleton {
    let mut bones = skeleton.bones().to_vec();
    bones.iter_mut().enumerate().for_each(|(at, bone)| alter(at, bone));
    Skeleton::new(bones).expect("the same hierarchy")
}

/// Evenly spread from 0 to 1, the same for the same number.
fn spread(at: usize) -> f32 {
    let mut x = at as u32 ^ 0x9e37_79b9;
    for _ in 0..3 {
        x = (x ^ (x >> 16)).wrapping_mul(0x45d9_f3b5);
    }
    (x >> 8) as f32 / 16_777_216.0
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "how many names are led right is for whoever changes the rules")]
fn check(what: &str, counts: Counts, least_sure: usize, least_right: usize) {
    println!("{what}: {counts}");
    assert_eq!(counts.all(), 222, "bones that sway");
    assert!(counts.sure >= least_sure && counts.sure + counts.right >= least_right, "{what}: {counts}");
    assert_eq!(counts.sure_but_wrong, 0, "{what}: {counts}");
}

#[test]
fn names_lead_from_the_sample_to_its_rigs_under_other_names() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = opened(rig);
        check(name, led(&to.skeleton, &to.humanoid, false), 200, 200);
    }
}

#[test]
fn names_alone_lead_to_the_rigs_or_wait_for_a_tick() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = opened(rig);
        check(name, led(&to.skeleton, &to.humanoid, true), 170, 200);
    }
}

#[test]
fn another_body_is_no_obstacle() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = opened(rig);
        // Wider, shorter, with longer hair, and no bone quite where it was.
        let body = altered(&to.skeleton, |at, bone| {
            let off = [spread(3 * at), spread(3 * at + 1), spread(3 * at + 2)].map(|s| (s - 0.5) * 0.01);
            bone.rest.translation = bone.rest.translation * Vec3::new(1.15, 0.88, 1.1) + Vec3::from(off);
        });
        check(name, led(&body, &to.humanoid, false), 160, 200);
    }
}

#[test]
fn names_with_strange_endings_lead_to_themselves() {
    let from = sample();
    let hash = |at: usize| (spread(at) * 16_777_216.0) as u32 ^ 0xa100_0000;
    let to = altered(&from.skeleton, |at, bone| _ = write!(bone.name, "-{:08x}", hash(at)));
    check("endings", led(&to, &from.humanoid, false), 200, 200);
}

#[test]
fn names_that_say_nothing_lead_by_their_places() {
    let from = sample();
    let to = altered(&from.skeleton, |at, bone| bone.name = format!("Bone.{:03}", (at * 97) % 281));
    check("no names", led(&to, &from.humanoid, false), 200, 200);
}

#[test]
fn strands_that_are_counted_from_the_other_side_are_not_taken_for_their_namesakes() {
    let to = opened(BLENDER);
    let turned = altered(&to.skeleton, |_, bone| {
        if let Some(rest) = bone.name.strip_prefix("Bangs") {
            let (number, rest) = rest.split_at(1);
            let number = 8 - number.parse::<u32>().expect("a count");
            bone.name = format!("Bangs{number}{rest}");
        }
    });
    check("turned", led(&turned, &to.humanoid, false), 200, 200);
}

#[test]
fn a_body_that_looks_the_other_way_is_the_same_body() {
    let to = opened(BLENDER);
    let turned = altered(&to.skeleton, |_, bone| {
        let turn = glam::Quat::from_rotation_y(std::f32::consts::PI);
        if bone.parent.is_none() {
            bone.rest.rotation = turn * bone.rest.rotation;
            bone.rest.translation = turn * bone.rest.translation;
        }
    });
    check("turned round", led(&turned, &to.humanoid, false), 200, 200);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long an artist waits is measured")]
fn a_plan_for_hundreds_of_bones_is_there_at_once() {
    let to = opened(JAPANESE);
    let from = sample();
    let source = SourceName::of(&from.skeleton, &from.humanoid);
    let names = to.skeleton.ids().map(|b| to.skeleton.name(b));
    let rules = Rules::suggested(source.iter().map(|s| s.name.as_str()), names);
    let start = std::time::Instant::now();
    let plan = plan(&source, &to.skeleton, &to.humanoid, &rules);
    let seconds = start.elapsed().as_secs_f32();
    println!("{seconds:.3} s for {} names and {} bones", plan.entries.len(), to.skeleton.len());
    assert!(seconds < 2.0, "{seconds} s in a build without optimisation, on whatever else this computer does");
}

#[test]
fn characters_of_a_folder_find_the_bones_that_they_share() {
    let Some(folder) = support::folder("YUREMONO_SAMPLES") else { return };
    let files = support::files(&folder, &["vrm", "glb"]);
    let characters: Vec<(String, Arc<Character>)> = files
        .iter()
        .filter(|path| path.parent() == Some(folder.as_path()))
        .map(|path| {
            let bytes = std::fs::read(path).expect("a readable file");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), opened(&bytes))
        })
        .collect();
    for (from_name, from) in &characters {
        for (to_name, to) in characters.iter().filter(|(name, _)| name != from_name) {
            // What the names would say at once is left out: they only judge.
            let rules = Rules::of([Rule::HumanoidRoles, Rule::Near(0.6)]);
            let source = SourceName::of(&from.skeleton, &from.humanoid);
            let plan = plan(&source, &to.skeleton, &to.humanoid, &rules);
            let by_name: BTreeMap<&str, BoneId> = to.skeleton.ids().map(|b| (to.skeleton.name(b), b)).collect();
            let shared = plan.entries.iter().filter_map(|e| Some((e, *by_name.get(e.source.as_str())?)));
            let mut counts = Counts::default();
            for (entry, expected) in shared {
                let count = match (entry.target == Some(expected), entry.taken) {
                    (true, true) => &mut counts.sure,
                    (true, false) => &mut counts.right,
                    (false, true) => &mut counts.sure_but_wrong,
                    (false, false) if entry.target.is_some() => &mut counts.wrong,
                    _ => &mut counts.nowhere,
                };
                *count += 1;
            }
            if counts.all() > 5 {
                println!("{from_name} to {to_name}: {counts}");
                assert!(counts.sure_but_wrong * 100 <= counts.all(), "{from_name} to {to_name}: {counts}");
            }
        }
    }
}
