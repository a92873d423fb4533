//! The bundled character's tables: made by their generator, taken whole by her and by her rig under other names.

#[path = "../../examples/make_presets/moods.rs"]
mod moods;

use crate::presets::deepest;
use crate::support::sample;
use std::collections::{BTreeMap, BTreeSet};
use yuremono::document::{Axis, Document, Part};
use yuremono::exchange::{ImportPlan, Section, SetupFile};
use yuremono::exchange::{remap::Rules, remap::SourceName, remap::plan};
use yuremono::feel::terms::sways;
use yuremono::format::open::{self, Opened};
use yuremono::format::source::{Source, no_siblings};
use yuremono::format::{unity_csv, unity_space};
use yuremono::sim::{Shape, SolverKind};

pub(crate) const FILES: [(&str, &[u8]); 3] = [
    ("yure_Dynamics.csv", include_bytes!("../../presets/sample/yure_Dynamics.csv")),
    ("yure_calm_Dynamics.csv", include_bytes!("../../presets/sample/yure_calm_Dynamics.csv")),
    ("yure_lively_Dynamics.csv", include_bytes!("../../presets/sample/yure_lively_Dynamics.csv")),
];
const BLENDER: &[u8] = include_bytes!("../../assets/sample-rig-blender.vrm");

fn table(name: &str, bytes: &[u8]) -> SetupFile {
    let (file, said) = unity_csv::read(bytes, name).expect("a table of ours reads");
    assert!(said.is_empty(), "{said:?}");
    file
}

fn names(file: &SetupFile, section: Section) -> Vec<&str> {
    file.items.iter().filter(|item| item.section == section).map(|item| item.name.as_str()).collect()
}

fn girl() -> Opened {
    sample(SolverKind::UnityChanSpringBone)
}

/// Her document with the rows of a file on it, none of which may be bad or lead nowhere.
pub(crate) fn imported(opened: &Opened, name: &str, bytes: &[u8]) -> Document {
    let skeleton = &opened.character.skeleton;
    let axis = Axis::usual(opened.character.facing);
    let file = unity_space::to_gltf(table(name, bytes), axis);
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &BTreeMap::new());
    assert!(plan.diagnostics().is_empty(), "{name}: {:?}", plan.diagnostics());
    for section in Section::ALL {
        let (all, counts) = (plan.rows_of(section).count(), plan.counts_of(section));
        let found = (counts.matching, counts.bad, counts.no_bone, counts.not_in_file);
        assert_eq!(found, (all, 0, 0, 0), "{name}: {section:?}");
    }
    assert!(plan.moved().is_none(), "{name}");
    let mut document = opened.document.clone();
    document.apply(plan.edit(&opened.document, skeleton)).expect("an import applies");
    document
}

/// Mean Hz and damping of all her joints but those of the skirt.
fn feel(opened: &Opened, document: &Document) -> (f32, f32) {
    let free = document.chains.iter().filter(|(_, chain)| chain.part != Part::Skirt);
    let all = free.flat_map(|(id, _)| sways(document, &opened.character.skeleton, *id));
    let (sum, count) = all.fold(((0.0, 0.0), 0.0_f32), |((hz, damping), count), sway| {
        ((hz + sway.frequency_hz, damping + sway.damping_ratio), count + 1.0)
    });
    (sum.0 / count, sum.1 / count)
}

#[test]
fn the_committed_tables_are_what_their_generator_makes() {
    let made = moods::files(include_bytes!("../../assets/sample.vrm")).expect("it has no input that could fail");
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
fn the_characters_tables_name_every_joint_and_collider_of_hers_and_have_no_bad_row() {
    let opened = girl();
    let joints: usize = opened.document.chains.values().map(|chain| chain.joints.len()).sum();
    for (name, bytes) in FILES {
        let table = table(name, bytes);
        let spheres: BTreeSet<_> = names(&table, Section::Colliders).into_iter().collect();
        assert_eq!(names(&table, Section::Joints).len(), joints, "{name}");
        // The engine's tables have no planes: her floor stays behind.
        let planes = opened.document.colliders.values().filter(|c| matches!(c.shape, Shape::Plane)).count();
        assert_eq!(spheres.len() + planes, opened.document.colliders.len(), "{name}");
        imported(&opened, name, bytes);
    }
}

#[test]
fn her_own_table_changes_nothing_and_the_moods_are_calmer_and_livelier() {
    let opened = girl();
    let now = feel(&opened, &opened.document);
    let [own, calm, lively] = FILES.map(|(name, bytes)| feel(&opened, &imported(&opened, name, bytes)));
    assert!((own.0 - now.0).abs() < 0.002 * now.0 && (own.1 - now.1).abs() < 0.002 * now.1, "{own:?}, was {now:?}");
    assert!(calm.0 < 0.9 * own.0 && calm.1 > 1.2 * own.1, "{calm:?}, hers {own:?}");
    assert!(lively.0 > 1.1 * own.0 && lively.1 < 0.8 * own.1, "{lively:?}, hers {own:?}");
}

#[test]
fn in_every_mood_she_comes_to_rest_and_sinks_less_than_a_fifth_of_a_radius_into_herself() {
    let opened = girl();
    for (name, bytes) in FILES {
        let deepest = deepest(&imported(&opened, name, bytes), &opened.character);
        assert!(deepest.share < 0.2, "{name}: {deepest:?}");
    }
}

#[test]
fn nine_rows_of_ten_go_over_to_her_rig_under_other_names() {
    let source = Source { name: "rig.vrm", bytes: BLENDER, sibling: &no_siblings };
    let rig = open::character_from(&source, &|_| true).expect("a file of ours loads").character;
    let from = girl().character;
    let sources = SourceName::of(&from.skeleton, &from.humanoid);
    let to = rig.skeleton.ids().map(|bone| rig.skeleton.name(bone));
    let rules = Rules::suggested(sources.iter().map(|name| name.name.as_str()), to);
    let mapping = plan(&sources, &rig.skeleton, &rig.humanoid, &rules).mapping();
    for (name, bytes) in FILES {
        let table = table(name, bytes);
        let rows = names(&table, Section::Joints);
        let carried = rows.iter().filter(|row| mapping.contains_key(**row)).count();
        assert!(10 * carried >= 9 * rows.len(), "{name}: {carried} of {} rows", rows.len());
        let places: BTreeSet<_> = rows.iter().filter_map(|row| mapping.get(*row)).collect();
        assert_eq!(places.len(), carried, "{name}: no two rows go to one bone");
    }
}
