//! The tables of the sample character.

use std::collections::BTreeMap;
use yuremono_format::open::OpenedCharacter;
use yuremono_format::{unity_csv, unity_space};
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::{FileSection, ImportPlan, SetupFile};

/// The name and the bytes of each table.
pub const FILES: [(&str, &[u8]); 3] = [
    ("yure_Dynamics.csv", include_bytes!("../../../presets/sample/yure_Dynamics.csv")),
    ("yure_calm_Dynamics.csv", include_bytes!("../../../presets/sample/yure_calm_Dynamics.csv")),
    ("yure_lively_Dynamics.csv", include_bytes!("../../../presets/sample/yure_lively_Dynamics.csv")),
];

/// Reads a table without problems.
pub fn read_table(name: &str, bytes: &[u8]) -> SetupFile {
    let (file, reported) = unity_csv::read(bytes, name).expect("our own table is readable");
    assert!(reported.is_empty(), "{reported:?}");
    file
}

/// Returns the document after importing a file. Every row must be valid and match.
pub fn imported(opened: &OpenedCharacter, name: &str, bytes: &[u8]) -> Document {
    let skeleton = &opened.character.skeleton;
    let axis = FlipAxis::default_for(opened.character.facing);
    let file = unity_space::to_gltf(read_table(name, bytes), axis);
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &BTreeMap::new());
    assert!(plan.diagnostics().is_empty(), "{name}: {:?}", plan.diagnostics());
    for section in FileSection::ALL {
        let (all, counts) = (plan.rows_of(section).count(), plan.counts(section));
        let found = (counts.usable, counts.invalid, counts.unusable, counts.not_in_file);
        assert_eq!(found, (all, 0, 0, 0), "{name}: {section:?}");
    }
    assert!(plan.conversion().is_none(), "{name}");
    let mut document = opened.document.clone();
    document.apply(plan.edit(&opened.document, skeleton)).expect("an import applies");
    document
}
