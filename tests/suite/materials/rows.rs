//! Rows of tables that name materials: several for one chain, and chains of several systems.

use super::{ALONE, EZ, SHARING, SOFT, authored, check_shared, skirt};
use std::collections::{BTreeMap, BTreeSet};
use yuremono::doc::import::{ImportPlan, ReplaceOptions, SetupPlan, Wanted, export_systems};
use yuremono::doc::table::{Extra, ExtraRow, Section};
use yuremono::doc::{Axis, BoneTable, Document, ExportOptions, components};
use yuremono::format::tables::{self, TableFormat};
use yuremono::rig::Character;
use yuremono::sim::solver::ez_soft_bone::DAMPING;

#[test]
fn of_many_material_rows_for_a_chain_the_last_counts_and_the_others_leave_nothing() {
    let (character, document) = skirt();
    let skeleton = &character.skeleton;
    let root = skeleton.name(document.chains[&ALONE].root());
    let names = (0..200).rev().map(|n| format!("silk {n:03}")).chain(["linen".to_owned(), "brass".to_owned()]);
    let rows = names.map(|name| ExtraRow::from(Extra::Material { root: root.to_owned(), name }));
    let table = BoneTable { extras: rows.collect(), ..BoneTable::new(EZ) };
    let count = table.extras.len();
    let plan = ImportPlan::new(table, Vec::new(), &document, skeleton, Axis::X, &BTreeMap::new());
    let change = |at: usize| format!("{:?}", plan.rows_of(Section::Extras)[at].state).contains("changes: 1");
    assert_eq!((0..count).filter(|at| change(*at)).collect::<Vec<_>>(), [count - 1]);
    let mut after = document.clone();
    after.apply(plan.edit(&document, skeleton)).expect("a plan applies");
    check_shared(&after);
    let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["Soft", "brass"]);
    assert_eq!(after.material_of(&after.chains[&ALONE]).map(|material| material.name.as_str()), Some("brass"));
}

/// As [`skirt`], with one of the columns that share under a component of its own, and the tables of both components.
fn two_components() -> (Character, Document, Vec<BoneTable>) {
    let (character, mut document) = skirt();
    let (edit, _) = components::split(&document, &BTreeSet::from([SHARING[0]]), "").expect("some stay");
    document.apply(edit).expect("it parts");
    let options = ExportOptions::with_mirror(Axis::X).in_format(TableFormat::Parameters);
    let bytes = tables::write_all(&export_systems(&document, &character.skeleton, options), options);
    let (read, found) = tables::read_all(&bytes, "two.json").expect("readable");
    assert_eq!((read.len(), found.len()), (2, 0));
    (character, document, read)
}

fn dampen(table: &mut BoneTable, to: f32) {
    for extra in &mut table.extras {
        if let Ok(Extra::Value { row, base, .. }) = &mut extra.cells
            && row == "m_Damping"
            && *base == 0.35
        {
            *base = to;
        }
    }
}

/// The document with both tables laid over it; `untick` leaves the second one's comment rows out.
fn laid(character: &Character, document: &Document, tables: Vec<BoneTable>, untick: bool) -> Document {
    let mut plan = SetupPlan::new(tables, &[], document, character, Axis::X, &BTreeMap::new());
    let rows = plan.plans()[1].rows_of(Section::Extras).len();
    for row in 0..if untick { rows } else { 0 } {
        plan.plans_mut()[1].set_tick_of(Section::Extras, row, false);
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
    let (character, document, mut tables) = two_components();
    for said in [0, 1] {
        let mut tables = tables.clone();
        dampen(&mut tables[said], 0.5);
        tables[1 - said].bones.clear();
        tables[1 - said].extras.clear();
        let after = laid(&character, &document, tables, false);
        let expected = if said == 0 { [0.35, 0.5, 0.5] } else { [0.5, 0.35, 0.35] };
        assert_eq!(dampings(&after), expected);
        let names: Vec<_> = after.materials.values().map(|material| material.name.as_str()).collect();
        assert_eq!(names, ["Soft", "Soft 2"]);
        let keeps = |at: usize| after.chains[&SHARING[at]].material == Some(SOFT);
        assert_eq!([keeps(0), keeps(1), keeps(2)], expected.map(|damping| damping == 0.35));
    }
    // Left out row by row, it says nothing of them either.
    for table in &mut tables {
        dampen(table, 0.5);
    }
    assert_eq!(dampings(&laid(&character, &document, tables, true)), [0.35, 0.5, 0.5]);
}

#[test]
fn a_material_that_is_tuned_for_all_systems_of_a_file_stays_one() {
    let (character, document, mut tables) = two_components();
    assert_eq!(laid(&character, &document, tables.clone(), false), document, "nothing is new");
    for table in &mut tables {
        dampen(table, 0.5);
    }
    let after = laid(&character, &document, tables.clone(), false);
    assert_eq!(dampings(&after), [0.5; 3]);
    assert_eq!(SHARING.map(|chain| after.chains[&chain].material), [Some(SOFT); 3]);
    assert_eq!(after.materials.len(), 1);
    // With other numbers in each they part.
    dampen(&mut tables[0], 0.5);
    for extra in &mut tables[1].extras {
        if let Ok(Extra::Value { row, base, .. }) = &mut extra.cells
            && row == "m_Damping"
        {
            *base = 0.7;
        }
    }
    assert_eq!(dampings(&laid(&character, &document, tables, false)), [0.7, 0.5, 0.5]);
}

#[test]
fn a_file_that_replaces_gives_chains_of_all_systems_their_materials_back() {
    let (character, document, mut tables) = two_components();
    let mut spoilt = document.clone();
    for chain in SHARING {
        spoilt.chains.get_mut(&chain).expect("a column").material = None;
    }
    let options = ReplaceOptions { mirror: Axis::X, wanted: Wanted::default(), renderers: Vec::new(), extras: true };
    let replaced = |tables: &[BoneTable], options: &ReplaceOptions| {
        let plan = SetupPlan::new(tables.to_vec(), &[], &spoilt, &character, Axis::X, &BTreeMap::new());
        let replacement = plan.replacement(&[], &character.skeleton, options.clone());
        let mut after = spoilt.clone();
        let (back, _) = after.apply(replacement.edit(&spoilt, &character.skeleton)).expect("it fits");
        let mut again = after.clone();
        again.apply(back).expect("and back");
        assert_eq!(again, spoilt);
        check_shared(&after);
        after
    };
    let after = replaced(&tables, &options);
    assert_eq!(SHARING.map(|chain| after.chains[&chain].material), [Some(SOFT); 3]);
    assert_eq!(after.materials, document.materials);
    for table in &mut tables {
        dampen(table, 0.5);
    }
    assert_eq!(dampings(&replaced(&tables, &options)), [0.5; 3]);
    let plain = replaced(&tables, &ReplaceOptions { extras: false, ..options });
    assert_eq!(SHARING.map(|chain| plain.chains[&chain].material), [None; 3]);
}
