//! Tests table rows that name materials: several rows for one chain, and chains of several systems.

use super::{
    EZ, SHARING_CHAINS, SOFT_MATERIAL, UNSHARED_CHAIN, chain_value, check_chains_match_materials, skirt_with_material,
};
use crate::support::formats::{CSV, PARAMETERS};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{Chain, ChainEntry, Document, FlipAxis, Material, MaterialId, SetupEntry};
use yuremono_model::exchange::{
    ExportOptions, FileEntry, FileSection, ImportPlan, ImportRowStatus, ReplaceOptions, SetupFile, TableSections,
    export,
};
use yuremono_model::tools::components;
use yuremono_sim::rig::Character;
use yuremono_sim::solver::ez_soft_bone::DAMPING;

/// Returns a material, and a row that assigns the material to the chain with this root.
fn material_rows(number: usize, root: &str, name: String) -> [FileEntry; 2] {
    let id = MaterialId(u32::try_from(number).expect("a small number"));
    let chain = Chain { material: Some(id), ..Chain::without_joints("") };
    let material = SetupEntry::Material(id, Material { name, solver: EZ, values: BTreeMap::new() });
    let chain = SetupEntry::Chain(ChainEntry { root: root.to_owned(), number: None, chain });
    [material, chain].map(|item| FileEntry::new(0, FileSection::Other, root, item))
}

#[test]
fn the_last_material_row_of_a_chain_wins_and_the_others_create_nothing() {
    let (character, document) = skirt_with_material();
    let skeleton = &character.skeleton;
    let root = skeleton.name(document.chains[&UNSHARED_CHAIN].root());
    let names = (0..200).rev().map(|n| format!("silk {n:03}")).chain(["linen".to_owned(), "brass".to_owned()]);
    let mut file = SetupFile::new(CSV, EZ);
    file.entries = names.enumerate().flat_map(|(at, name)| material_rows(at, root, name)).collect();
    let count = file.entries.len();
    let plan = ImportPlan::new(file, &[], &document, &character, &BTreeMap::new());
    let change = |at: &usize| matches!(plan.rows()[*at].status, ImportRowStatus::Matches { changes: 1, .. });
    assert_eq!((0..count).filter(change).collect::<Vec<_>>(), [count - 1]);
    let mut after = document.clone();
    after.apply(plan.edit(&document, skeleton)).expect("a plan applies");
    check_chains_match_materials(&after);
    let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["Soft", "brass"]);
    assert_eq!(after.material_of(&after.chains[&UNSHARED_CHAIN]).map(|material| material.name.as_str()), Some("brass"));
}

/// Returns the document of [`skirt_with_material`] with one sharing column split into a separate component, and a file
/// with both components.
fn skirt_with_two_components() -> (Character, Document, SetupFile) {
    let (character, mut document) = skirt_with_material();
    let (edit, _) =
        components::split_off_chains(&document, &BTreeSet::from([SHARING_CHAINS[0]]), "").expect("other chains remain");
    document.apply(edit).expect("the chains are split off");
    let options = ExportOptions::new(PARAMETERS).with_flip_axis(FlipAxis::X);
    let bytes = tables::write_setup(&export(&document, &character.skeleton, options).file, options);
    let (read, found) = tables::read_setup(&bytes, "two.json").expect("readable");
    assert_eq!((read.systems.len(), found.len()), (2, 0));
    (character, document, to_gltf(read, FlipAxis::X))
}

/// Changes the damping of the chains of a system that have a damping of `from`.
fn replace_damping(file: &mut SetupFile, system: usize, from: f32, to: f32) {
    for item in file.entries.iter_mut().filter(|item| item.system == system) {
        if let Ok(SetupEntry::Chain(entry)) = &mut item.content
            && let Some(value) = entry.chain.values.get_mut("m_Damping")
            && value.base == from
        {
            value.base = to;
        }
    }
}

/// Imports both systems into the document. `exclude_second_system` excludes every entry of the second system except its joints.
fn import_file(character: &Character, document: &Document, file: SetupFile, exclude_second_system: bool) -> Document {
    let mut plan = ImportPlan::new(file, &[], document, character, &BTreeMap::new());
    let of_second = |item: &FileEntry| item.system == 1 && item.section == FileSection::Other;
    let rows: Vec<bool> = plan.file().entries.iter().map(of_second).collect();
    for (row, _) in rows.into_iter().enumerate().filter(|(_, is_of_second)| exclude_second_system && *is_of_second) {
        plan.set_included(row, false);
    }
    let after = plan.after_import(&character.skeleton);
    check_chains_match_materials(&after);
    let mut applied = document.clone();
    applied.apply(plan.edit(document, &character.skeleton)).expect("the plan applies");
    assert_eq!(applied, after);
    after
}

fn damping_values(document: &Document) -> [f32; 3] {
    SHARING_CHAINS.map(|chain| chain_value(document, chain, DAMPING).base)
}

#[test]
fn chains_of_a_system_that_a_file_omits_keep_their_material() {
    let (character, document, mut file) = skirt_with_two_components();
    for reported in [0, 1] {
        let mut file = file.clone();
        replace_damping(&mut file, reported, 0.35, 0.5);
        let is_of_system =
            |item: &SetupEntry| matches!(item, SetupEntry::System(_) | SetupEntry::Chain(_) | SetupEntry::Joint(_));
        file.entries.retain(|item| item.system == reported || !item.content.as_ref().is_ok_and(is_of_system));
        let after = import_file(&character, &document, file, false);
        let expected = if reported == 0 { [0.35, 0.5, 0.5] } else { [0.5, 0.35, 0.35] };
        assert_eq!(damping_values(&after), expected);
        let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
        assert_eq!(names, ["Soft", "Soft 2"]);
        let keeps = |at: usize| after.chains[&SHARING_CHAINS[at]].material == Some(SOFT_MATERIAL);
        assert_eq!([keeps(0), keeps(1), keeps(2)], expected.map(|damping| damping == 0.35));
    }
    // If every row is excluded, the file does not change the chains either.
    for system in 0..2 {
        replace_damping(&mut file, system, 0.35, 0.5);
    }
    assert_eq!(damping_values(&import_file(&character, &document, file, true)), [0.35, 0.5, 0.5]);
}

#[test]
fn a_material_with_equal_values_in_all_systems_of_a_file_stays_one_material() {
    let (character, document, mut file) = skirt_with_two_components();
    assert_eq!(import_file(&character, &document, file.clone(), false), document, "the document is unchanged");
    for system in 0..2 {
        replace_damping(&mut file, system, 0.35, 0.5);
    }
    let after = import_file(&character, &document, file.clone(), false);
    assert_eq!(damping_values(&after), [0.5; 3]);
    assert_eq!(SHARING_CHAINS.map(|chain| after.chains[&chain].material), [Some(SOFT_MATERIAL); 3]);
    assert_eq!(after.materials.len(), 1);
    // Different values in the two components separate the material.
    replace_damping(&mut file, 1, 0.5, 0.7);
    assert_eq!(damping_values(&import_file(&character, &document, file, false)), [0.7, 0.5, 0.5]);
}

#[test]
fn a_replacing_import_restores_the_materials_of_chains_of_all_systems() {
    let (character, document, mut file) = skirt_with_two_components();
    let mut spoilt = document.clone();
    for chain in SHARING_CHAINS {
        spoilt.chains.get_mut(&chain).expect("a column").material = None;
    }
    let options =
        ReplaceOptions { sections: TableSections::default(), mesh_names: Vec::new(), use_other_entries: true };
    let replaced = |file: &SetupFile, options: &ReplaceOptions| {
        let plan = ImportPlan::new(file.clone(), &[], &spoilt, &character, &BTreeMap::new());
        let replacement = plan.replace_plan(&spoilt, &character.skeleton, options.clone());
        let mut after = spoilt.clone();
        let changes = after.apply_recorded(replacement.edit(&spoilt, &character.skeleton)).expect("the plan applies");
        let mut again = after.clone();
        changes.revert(&mut again);
        assert_eq!(again, spoilt);
        check_chains_match_materials(&after);
        after
    };
    let after = replaced(&file, &options);
    assert_eq!(SHARING_CHAINS.map(|chain| after.chains[&chain].material), [Some(SOFT_MATERIAL); 3]);
    assert_eq!(after.materials, document.materials);
    for system in 0..2 {
        replace_damping(&mut file, system, 0.35, 0.5);
    }
    assert_eq!(damping_values(&replaced(&file, &options)), [0.5; 3]);
    let plain = replaced(&file, &ReplaceOptions { use_other_entries: false, ..options });
    assert_eq!(SHARING_CHAINS.map(|chain| plain.chains[&chain].material), [None; 3]);
}
