//! Tests name mapping between complete characters. The sample character is mapped to rigs with other naming schemes,
//! other proportions or meaningless names. The files of a folder are mapped to each other.

use super::support;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::unity_space::to_gltf;
use yuremono_format::{open, tables};
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::{FileSection, ImportPlan, mappable_names};
use yuremono_model::exchange::{
    remap::NamedBone, remap::RemapPlan, remap::RemapRule, remap::RemapRules, remap::plan_remap,
};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{Bone, BoneId, Character, Humanoid, Skeleton};

const BLENDER: &[u8] = include_bytes!("../../../../assets/sample-rig-blender.vrm");
const JAPANESE: &[u8] = include_bytes!("../../../../assets/sample-rig-japanese.vrm");

fn load_character(bytes: &[u8]) -> Arc<Character> {
    let source = SourceFile { name: "rig.vrm", bytes, read_sibling: &no_siblings };
    open::character_from_source(&source, &|_| true).expect("our own file loads").character
}

fn sample_character() -> Arc<Character> {
    support::sample(SolverKind::Vrm).character
}

/// Counts of correctly and wrongly mapped names, by confidence.
#[derive(Clone, Copy, Debug, Default)]
struct MappingCounts {
    confident_right: usize,
    likely_right: usize,
    confident_wrong: usize,
    likely_wrong: usize,
    unmapped: usize,
}

impl MappingCounts {
    fn total(&self) -> usize {
        self.confident_right + self.likely_right + self.confident_wrong + self.likely_wrong + self.unmapped
    }
}

impl fmt::Display for MappingCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            confident_right: sure,
            likely_right: right,
            confident_wrong: sure_but_wrong,
            likely_wrong: wrong,
            unmapped: nowhere,
        } = self;
        write!(
            f,
            "{sure} sure, {right} likely, {nowhere} nowhere, {wrong} likely but wrong, {sure_but_wrong} sure but wrong"
        )
    }
}

/// Counts the mappings of the sample's simulated bones. A mapping is correct if both bones have the same index.
fn count_mappings(found: &RemapPlan, source: &[NamedBone]) -> MappingCounts {
    let mut counts = MappingCounts::default();
    for (at, (entry, name)) in found.rows.iter().zip(source).enumerate() {
        let expected = BoneId(at as u32);
        if !name.name.starts_with("J_Sec_") && !name.name.starts_with("J_Opt_") {
            continue;
        }
        assert_eq!(entry.source, name.name);
        let count = match (entry.target, entry.included) {
            (Some(bone), true) if bone == expected => &mut counts.confident_right,
            (Some(bone), false) if bone == expected => &mut counts.likely_right,
            (Some(_), true) => &mut counts.confident_wrong,
            (Some(_), false) => &mut counts.likely_wrong,
            (None, _) => &mut counts.unmapped,
        };
        *count += 1;
    }
    counts
}

/// Maps the sample to a character with the same bones in the same order. Uses names, hierarchy and positions, or only
/// names if `bare` is set.
fn map_from_sample(to: &Skeleton, humanoid: &Humanoid, bare: bool) -> MappingCounts {
    let from = sample_character();
    let mut source = NamedBone::from_skeleton(&from.skeleton, &from.humanoid);
    if bare {
        source = source.into_iter().map(|s| NamedBone::new(s.name)).collect();
    }
    let names = to.ids().map(|b| to.name(b));
    let rules = RemapRules::with_suggested_affixes(source.iter().map(|s| s.name.as_str()), names);
    count_mappings(&plan_remap(&source, to, humanoid, &rules), &source)
}

/// Returns the same skeleton with `alter` applied to each bone.
fn with_altered_bones(skeleton: &Skeleton, alter: impl Fn(usize, &mut Bone)) -> Skeleton {
    let mut bones = skeleton.bones().to_vec();
    bones.iter_mut().enumerate().for_each(|(at, bone)| alter(at, bone));
    Skeleton::new(bones).expect("the same hierarchy")
}

/// Returns a deterministic pseudo-random number from 0 to 1.
fn pseudo_random(at: usize) -> f32 {
    let mut x = at as u32 ^ 0x9e37_79b9;
    for _ in 0..3 {
        x = (x ^ (x >> 16)).wrapping_mul(0x45d9_f3b5);
    }
    (x >> 8) as f32 / 16_777_216.0
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "developers compare the counts after a change of the rules")]
fn check_mapping(what: &str, counts: MappingCounts, least_sure: usize, least_right: usize) {
    println!("{what}: {counts}");
    assert_eq!(counts.total(), 222, "the sample has 222 simulated bones");
    assert!(
        counts.confident_right >= least_sure && counts.confident_right + counts.likely_right >= least_right,
        "{what}: {counts}"
    );
    assert_eq!(counts.confident_wrong, 0, "{what}: {counts}");
}

#[test]
fn names_map_from_the_sample_to_renamed_rigs() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = load_character(rig);
        check_mapping(name, map_from_sample(&to.skeleton, &to.humanoid, false), 200, 200);
    }
}

#[test]
fn names_without_hierarchy_map_to_the_rigs_or_stay_unconfirmed() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = load_character(rig);
        check_mapping(name, map_from_sample(&to.skeleton, &to.humanoid, true), 170, 200);
    }
}

/// Returns the plan for the names of a bundled table, and the name of the right bone for each row.
fn plan_for_bundled_table(rig: &[u8]) -> (RemapPlan, Vec<String>, Arc<Character>) {
    let table = include_bytes!("../../../../presets/sample/yure_Dynamics.csv");
    let (file, _) = tables::read_setup(table, "yure_Dynamics.csv").expect("a bundled table");
    let (from, to) = (sample_character(), load_character(rig));
    let names = mappable_names(&file, &to.skeleton);
    let target_names = to.skeleton.ids().map(|bone| to.skeleton.name(bone));
    let rules = RemapRules::with_suggested_affixes(names.iter().map(String::as_str), target_names);
    let source: Vec<NamedBone> = names.iter().map(NamedBone::new).collect();
    let plan = plan_remap(&source, &to.skeleton, &to.humanoid, &rules);
    let right = |name: &String| from.skeleton.find(name).map_or_else(String::new, |b| to.skeleton.name(b).to_owned());
    let joints = file.entries.iter().filter(|item| item.section == FileSection::Joints);
    let joints: BTreeSet<&str> = joints.map(|item| item.name.as_str()).collect();
    let right: Vec<String> =
        names.iter().map(|name| if joints.contains(name.as_str()) { right(name) } else { String::new() }).collect();
    (plan, right, to)
}

#[test]
fn a_bare_table_of_the_sample_maps_completely_to_the_renamed_rigs() {
    for rig in [BLENDER, JAPANESE] {
        let (plan, right, to) = plan_for_bundled_table(rig);
        let mut joints = 0;
        for (row, right) in plan.rows.iter().zip(&right).filter(|(_, right)| !right.is_empty()) {
            assert_eq!(row.target.map(|bone| to.skeleton.name(bone)), Some(right.as_str()), "{row:?}");
            assert!(row.included, "{row:?}");
            joints += 1;
        }
        assert_eq!(joints, 175, "the table has 175 rows");
    }
}

#[test]
fn an_import_updates_what_exists_under_other_names_and_keeps_the_names() {
    let table = include_bytes!("../../../../presets/sample/yure_Dynamics.csv");
    for rig in [BLENDER, JAPANESE] {
        let source = SourceFile { name: "rig.vrm", bytes: rig, read_sibling: &no_siblings };
        let opened = open::character_from_source(&source, &|_| true).expect("our own file loads");
        let (file, _) = tables::read_setup(table, "yure_Dynamics.csv").expect("a bundled table");
        let file = to_gltf(file, FlipAxis::default_for(opened.character.facing));
        let (plan, _, _) = plan_for_bundled_table(rig);
        let skeleton = &opened.character.skeleton;
        let import = ImportPlan::new(file, &[], &opened.document, &opened.character, &plan.name_map());
        let (before, after) =
            (&import.conversion().map_or(&opened.document, |c| &c.after), import.after_import(skeleton));
        let names = |document: &Document| -> [Vec<String>; 2] {
            [
                document.colliders.values().map(|collider| collider.name.clone()).collect(),
                document.chains.values().map(|chain| chain.name.clone()).collect(),
            ]
        };
        assert_eq!(names(&after), names(before));
    }
}

#[test]
fn no_candidate_of_a_row_outranks_the_chosen_bone() {
    for rig in [BLENDER, JAPANESE] {
        let (plan, _, _) = plan_for_bundled_table(rig);
        for row in plan.rows.iter().filter(|row| row.target.is_some()) {
            let best = row.alternatives.iter().map(|(_, score)| *score).fold(0.0, f32::max);
            assert!(best <= row.confidence, "{row:?}");
        }
    }
}

#[test]
fn different_body_proportions_do_not_prevent_mapping() {
    for (name, rig) in [("Blender", BLENDER), ("Japanese", JAPANESE)] {
        let to = load_character(rig);
        // The body is wider and shorter with longer hair, and every bone is slightly displaced.
        let body = with_altered_bones(&to.skeleton, |at, bone| {
            let off =
                [pseudo_random(3 * at), pseudo_random(3 * at + 1), pseudo_random(3 * at + 2)].map(|s| (s - 0.5) * 0.01);
            bone.rest.translation = bone.rest.translation * Vec3::new(1.15, 0.88, 1.1) + Vec3::from(off);
        });
        check_mapping(name, map_from_sample(&body, &to.humanoid, false), 160, 200);
    }
}

#[test]
fn names_with_random_suffixes_map_to_the_original_names() {
    let from = sample_character();
    let hash = |at: usize| (pseudo_random(at) * 16_777_216.0) as u32 ^ 0xa100_0000;
    let to = with_altered_bones(&from.skeleton, |at, bone| _ = write!(bone.name, "-{:08x}", hash(at)));
    check_mapping("endings", map_from_sample(&to, &from.humanoid, false), 200, 200);
}

#[test]
fn meaningless_names_are_mapped_by_position() {
    let from = sample_character();
    let to = with_altered_bones(&from.skeleton, |at, bone| bone.name = format!("Bone.{:03}", (at * 97) % 281));
    check_mapping("no names", map_from_sample(&to, &from.humanoid, false), 200, 200);
}

#[test]
fn bone_runs_numbered_in_reverse_are_mapped_by_position() {
    let to = load_character(BLENDER);
    let turned = with_altered_bones(&to.skeleton, |_, bone| {
        if let Some(rest) = bone.name.strip_prefix("Bangs") {
            let (number, rest) = rest.split_at(1);
            let number = 8 - number.parse::<u32>().expect("a count");
            bone.name = format!("Bangs{number}{rest}");
        }
    });
    check_mapping("turned", map_from_sample(&turned, &to.humanoid, false), 200, 200);
}

#[test]
fn a_body_that_faces_the_other_way_is_mapped() {
    let to = load_character(BLENDER);
    let turned = with_altered_bones(&to.skeleton, |_, bone| {
        let turn = glam::Quat::from_rotation_y(std::f32::consts::PI);
        if bone.parent.is_none() {
            bone.rest.rotation = turn * bone.rest.rotation;
            bone.rest.translation = turn * bone.rest.translation;
        }
    });
    check_mapping("turned round", map_from_sample(&turned, &to.humanoid, false), 200, 200);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long an artist waits is measured")]
fn planning_hundreds_of_bones_takes_less_than_two_seconds() {
    let to = load_character(JAPANESE);
    let from = sample_character();
    let source = NamedBone::from_skeleton(&from.skeleton, &from.humanoid);
    let names = to.skeleton.ids().map(|b| to.skeleton.name(b));
    let rules = RemapRules::with_suggested_affixes(source.iter().map(|s| s.name.as_str()), names);
    let start = std::time::Instant::now();
    let plan = plan_remap(&source, &to.skeleton, &to.humanoid, &rules);
    let seconds = start.elapsed().as_secs_f32();
    println!("{seconds:.3} s for {} names and {} bones", plan.rows.len(), to.skeleton.len());
    assert!(seconds < 2.0, "planning took {seconds} s");
}

#[test]
fn sample_files_map_to_each_other_with_few_confident_errors() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let files = support::files_below(&folder, &["vrm", "glb"]);
    let characters: Vec<(String, Arc<Character>)> = files
        .iter()
        .filter(|path| path.parent() == Some(folder.as_path()))
        .map(|path| {
            let bytes = std::fs::read(path).expect("a readable file");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), load_character(&bytes))
        })
        .collect();
    for (from_name, from) in &characters {
        for (to_name, to) in characters.iter().filter(|(name, _)| name != from_name) {
            // Omit the rules that read names, because the names only verify the result here.
            let rules = RemapRules::all_enabled([RemapRule::HumanoidRoles, RemapRule::Near(0.6)]);
            let source = NamedBone::from_skeleton(&from.skeleton, &from.humanoid);
            let plan = plan_remap(&source, &to.skeleton, &to.humanoid, &rules);
            let by_name: BTreeMap<&str, BoneId> = to.skeleton.ids().map(|b| (to.skeleton.name(b), b)).collect();
            let shared = plan.rows.iter().filter_map(|e| Some((e, *by_name.get(e.source.as_str())?)));
            let mut counts = MappingCounts::default();
            for (entry, expected) in shared {
                let count = match (entry.target == Some(expected), entry.included) {
                    (true, true) => &mut counts.confident_right,
                    (true, false) => &mut counts.likely_right,
                    (false, true) => &mut counts.confident_wrong,
                    (false, false) if entry.target.is_some() => &mut counts.likely_wrong,
                    _ => &mut counts.unmapped,
                };
                *count += 1;
            }
            if counts.total() > 5 {
                println!("{from_name} to {to_name}: {counts}");
                assert!(counts.confident_wrong * 100 <= counts.total(), "{from_name} to {to_name}: {counts}");
            }
        }
    }
}
