//! Rows of tables that name materials: several for one chain, and chains of several systems.

use super::{ALONE, EZ, SHARING, SOFT, authored, check_shared, skirt};
use std::collections::{BTreeMap, BTreeSet};
use yuremono::document::{Along, Axis, Chain, ChainItem, Document, Material, MaterialId, Part, SetupItem, SystemId};
use yuremono::exchange::{
    ExportOptions, FileItem, ImportPlan, ReplaceOptions, RowState, Section, SetupFile, Wanted, export,
};
use yuremono::format::tables::{self, TableFormat};
use yuremono::format::unity_space::to_gltf;
use yuremono::rig::Character;
use yuremono::sim::solver::ez_soft_bone::DAMPING;
use yuremono::tools::components;

/// A material and a row that gives it to the chain with that first bone.
fn material_rows(number: usize, root: &str, name: String) -> [FileItem; 2] {
    let id = MaterialId(u32::try_from(number).expect("a small number"));
    let chain = Chain {
        name: String::new(),
        part: Part::default(),
        system: SystemId::default(),
        along: Along::default(),
        values: BTreeMap::new(),
        material: Some(id),
        joints: Vec::new(),
        groups: Vec::new(),
        center: None,
        source: None,
    };
    let material = SetupItem::Material(id, Material { name, solver: EZ, values: BTreeMap::new() });
    let chain = SetupItem::Chain(ChainItem { root: root.to_owned(), number: None, chain });
    [material, chain].map(|item| FileItem::new(0, Section::Other, root, item))
}

#[test]
fn of_many_material_rows_for_a_chain_the_last_counts_and_the_others_leave_nothing() {
    let (character, document) = skirt();
    let skeleton = &character.skeleton;
    let root = skeleton.name(document.chains[&ALONE].root());
    let names = (0..200).rev().map(|n| format!("silk {n:03}")).chain(["linen".to_owned(), "brass".to_owned()]);
    let mut file = SetupFile::new(TableFormat::Csv, EZ);
    file.items = names.enumerate().flat_map(|(at, name)| material_rows(at, root, name)).collect();
    let count = file.items.len();
    let plan = ImportPlan::new(file, &[], &document, &character, &BTreeMap::new());
    let change = |at: &usize| matches!(plan.rows()[*at].state, RowState::Matches { changes: 1, .. });
    assert_eq!((0..count).filter(change).collect::<Vec<_>>(), [count - 1]);
    let mut after = document.clone();
    after.apply(plan.edit(&document, skeleton)).expect("a plan applies");
    check_shared(&after);
    let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["Soft", "brass"]);
    assert_eq!(after.material_of(&after.chains[&ALONE]).map(|material| material.name.as_str()), Some("brass"));
}

/// As [`skirt`], with one of the columns that share under a component of its own, and a file of both components.
fn two_components() -> (Character, Document, SetupFile) {
    let (character, mut document) = skirt();
    let (edit, _) = components::split(&document, &BTreeSet::from([SHARING[0]]), "").expect("some stay");
    document.apply(edit).expect("it parts");
    let options = ExportOptions::with_mirror(Axis::X).in_format(TableFormat::Parameters);
    let bytes = tables::write_setup(&export(&document, &character.skeleton, options).file, options);
    let (read, found) = tables::read_setup(&bytes, "two.json").expect("readable");
    assert_eq!((read.systems.len(), found.len()), (2, 0));
    (character, document, to_gltf(read, Axis::X))
}

/// Changes the damping of the chains of a system that have a damping of `from`.
fn dampen(file: &mut SetupFile, system: usize, from: f32, to: f32) {
    for item in file.items.iter_mut().filter(|item| item.system == system) {
        if let Ok(SetupItem::Chain(entry)) = &mut item.content
            && let Some(value) = entry.chain.values.get_mut("m_Damping")
            && value.base == from
        {
            value.base = to;
        }
    }
}

/// The document with both systems laid over it; `untick` leaves everything but the joints of the second one out.
fn laid(character: &Character, document: &Document, file: SetupFile, untick: bool) -> Document {
    let mut plan = ImportPlan::new(file, &[], document, character, &BTreeMap::new());
    let of_second = |item: &FileItem| item.system == 1 && item.section == Section::Other;
    let rows: Vec<bool> = plan.file().items.iter().map(of_second).collect();
    for (row, _) in rows.into_iter().enumerate().filter(|(_, is_of_second)| untick && *is_of_second) {
        plan.set_tick(row, false);
    }
    let after = plan.after(&character.skeleton);
    check_shared(&after);
    let mut applied = document.clone();
    applied.apply(plan.edit(document, &character.skeleton)).expect("it fits");
    assert_eq!(applied, after);
    after
}

fn dampings(document: &Document) -> [f32; 3] {
    SHARING.map(|chain| authored(document, chain, DAMPING).base)
}

#[test]
fn chains_of_another_system_that_a_file_says_nothing_of_keep_their_material() {
    let (character, document, mut file) = two_components();
    for said in [0, 1] {
        let mut file = file.clone();
        dampen(&mut file, said, 0.35, 0.5);
        let is_of_system =
            |item: &SetupItem| matches!(item, SetupItem::System(_) | SetupItem::Chain(_) | SetupItem::Joint(_));
        file.items.retain(|item| item.system == said || !item.content.as_ref().is_ok_and(is_of_system));
        let after = laid(&character, &document, file, false);
        let expected = if said == 0 { [0.35, 0.5, 0.5] } else { [0.5, 0.35, 0.35] };
        assert_eq!(dampings(&after), expected);
        let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
        assert_eq!(names, ["Soft", "Soft 2"]);
        let keeps = |at: usize| after.chains[&SHARING[at]].material == Some(SOFT);
        assert_eq!([keeps(0), keeps(1), keeps(2)], expected.map(|damping| damping == 0.35));
    }
    // Left out row by row, it says nothing of them either.
    for system in 0..2 {
        dampen(&mut file, system, 0.35, 0.5);
    }
    assert_eq!(dampings(&laid(&character, &document, file, true)), [0.35, 0.5, 0.5]);
}

#[test]
fn a_material_that_is_tuned_for_all_systems_of_a_file_stays_one() {
    let (character, document, mut file) = two_components();
    assert_eq!(laid(&character, &document, file.clone(), false), document, "nothing is new");
    for system in 0..2 {
        dampen(&mut file, system, 0.35, 0.5);
    }
    let after = laid(&character, &document, file.clone(), false);
    assert_eq!(dampings(&after), [0.5; 3]);
    assert_eq!(SHARING.map(|chain| after.chains[&chain].material), [Some(SOFT); 3]);
    assert_eq!(after.materials.len(), 1);
    // With other numbers in each they part.
    dampen(&mut file, 1, 0.5, 0.7);
    assert_eq!(dampings(&laid(&character, &document, file, false)), [0.7, 0.5, 0.5]);
}

#[test]
fn a_file_that_replaces_gives_chains_of_all_systems_their_materials_back() {
    let (character, document, mut file) = two_components();
    let mut spoilt = document.clone();
    for chain in SHARING {
        spoilt.chains.get_mut(&chain).expect("a column").material = None;
    }
    let options = ReplaceOptions { wanted: Wanted::default(), renderers: Vec::new(), extras: true };
    let replaced = |file: &SetupFile, options: &ReplaceOptions| {
        let plan = ImportPlan::new(file.clone(), &[], &spoilt, &character, &BTreeMap::new());
        let replacement = plan.replacement(&spoilt, &character.skeleton, options.clone());
        let mut after = spoilt.clone();
        let (back, _) = after.apply(replacement.edit(&spoilt, &character.skeleton)).expect("it fits");
        let mut again = after.clone();
        again.apply(back).expect("and back");
        assert_eq!(again, spoilt);
        check_shared(&after);
        after
    };
    let after = replaced(&file, &options);
    assert_eq!(SHARING.map(|chain| after.chains[&chain].material), [Some(SOFT); 3]);
    assert_eq!(after.materials, document.materials);
    for system in 0..2 {
        dampen(&mut file, system, 0.35, 0.5);
    }
    assert_eq!(dampings(&replaced(&file, &options)), [0.5; 3]);
    let plain = replaced(&file, &ReplaceOptions { extras: false, ..options });
    assert_eq!(SHARING.map(|chain| plain.chains[&chain].material), [None; 3]);
}
