//! Tests that the tables of the sample character equal the output of their generator, and import completely. Most rows
//! also import into the rig with other bone names.

#[path = "../../../../examples/make_presets/table_variants.rs"]
mod table_variants;

use crate::presets::{MAX_CONTACT_SHARE, deepest};
use crate::support::sample;
use crate::support::sample_tables::{FILES, imported, read_table};
use std::collections::BTreeSet;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_model::document::{ChainPart, Document};
use yuremono_model::exchange::{FileSection, SetupFile};
use yuremono_model::exchange::{remap::NamedBone, remap::RemapRules, remap::plan_remap};
use yuremono_model::feel::params::responses;
use yuremono_sim::{ColliderShape, SolverKind};

const BLENDER: &[u8] = include_bytes!("../../../../assets/sample-rig-blender.vrm");

fn entry_names(file: &SetupFile, section: FileSection) -> Vec<&str> {
    file.entries.iter().filter(|item| item.section == section).map(|item| item.name.as_str()).collect()
}

fn sample_character() -> OpenedCharacter {
    sample(SolverKind::UnityChanSpringBone)
}

/// Returns the mean frequency in Hz and the mean damping ratio of all joints except those of the skirt.
fn mean_feel(opened: &OpenedCharacter, document: &Document) -> (f32, f32) {
    let free = document.chains.iter().filter(|(_, chain)| chain.part != ChainPart::Skirt);
    let all = free.flat_map(|(id, _)| responses(document, &opened.character.skeleton, *id));
    let (sum, count) = all.fold(((0.0, 0.0), 0.0_f32), |((hz, damping), count), sway| {
        ((hz + sway.frequency_hz, damping + sway.damping_ratio), count + 1.0)
    });
    (sum.0 / count, sum.1 / count)
}

#[test]
fn the_committed_tables_are_what_their_generator_makes() {
    let made = table_variants::table_files(include_bytes!("../../../../assets/sample.vrm"))
        .expect("the generator has no input that could fail");
    assert_eq!(made.len(), FILES.len());
    for ((name, made), (committed, bytes)) in made.iter().zip(FILES) {
        assert_eq!(*name, committed);
        assert!(
            made == bytes,
            "{name} differs: run `cargo run --example make_presets -- presets/sample` and commit it"
        );
    }
}

#[test]
fn the_sample_tables_name_every_joint_and_collider_and_have_no_invalid_row() {
    let opened = sample_character();
    let joints: usize = opened.document.chains.values().map(|chain| chain.joints.len()).sum();
    for (name, bytes) in FILES {
        let table = read_table(name, bytes);
        let spheres: BTreeSet<_> = entry_names(&table, FileSection::Colliders).into_iter().collect();
        assert_eq!(entry_names(&table, FileSection::Joints).len(), joints, "{name}");
        // UnityChanSpringBone tables have no planes, so the floor collider is missing.
        let planes = opened.document.colliders.values().filter(|c| matches!(c.shape, ColliderShape::Plane)).count();
        assert_eq!(spheres.len() + planes, opened.document.colliders.len(), "{name}");
        imported(&opened, name, bytes);
    }
}

#[test]
fn the_neutral_table_keeps_the_feel_and_the_moods_are_calmer_and_livelier() {
    let opened = sample_character();
    let now = mean_feel(&opened, &opened.document);
    let [own, calm, lively] = FILES.map(|(name, bytes)| mean_feel(&opened, &imported(&opened, name, bytes)));
    assert!((own.0 - now.0).abs() < 0.002 * now.0 && (own.1 - now.1).abs() < 0.002 * now.1, "{own:?}, now {now:?}");
    assert!(calm.0 < 0.9 * own.0 && calm.1 > 1.2 * own.1, "{calm:?}, own {own:?}");
    assert!(lively.0 > 1.1 * own.0 && lively.1 < 0.8 * own.1, "{lively:?}, own {own:?}");
}

#[test]
fn with_every_mood_the_sample_comes_to_rest_and_no_joint_sinks_into_a_collider() {
    let opened = sample_character();
    for (name, bytes) in FILES {
        let deepest = deepest(&imported(&opened, name, bytes), &opened.character);
        assert!(deepest.share < MAX_CONTACT_SHARE, "{name}: {deepest:?}");
    }
}

#[test]
fn nine_of_ten_rows_map_to_the_renamed_rig() {
    let source = SourceFile { name: "rig.vrm", bytes: BLENDER, read_sibling: &no_siblings };
    let rig = open::character_from_source(&source, &|_| true).expect("our own file loads").character;
    let from = sample_character().character;
    let sources = NamedBone::from_skeleton(&from.skeleton, &from.humanoid);
    let to = rig.skeleton.ids().map(|bone| rig.skeleton.name(bone));
    let rules = RemapRules::with_suggested_affixes(sources.iter().map(|name| name.name.as_str()), to);
    let mapping = plan_remap(&sources, &rig.skeleton, &rig.humanoid, &rules).mapping();
    for (name, bytes) in FILES {
        let table = read_table(name, bytes);
        let rows = entry_names(&table, FileSection::Joints);
        let carried = rows.iter().filter(|row| mapping.contains_key(**row)).count();
        assert!(10 * carried >= 9 * rows.len(), "{name}: {carried} of {} rows", rows.len());
        let places: BTreeSet<_> = rows.iter().filter_map(|row| mapping.get(*row)).collect();
        assert_eq!(places.len(), carried, "{name}: no two rows map to the same bone");
    }
}
