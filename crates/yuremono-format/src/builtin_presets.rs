//! The built-in presets. They are read by the same code as the presets of the artist.

use super::preset::read;
use std::sync::LazyLock;
use yuremono_model::feel::preset::Preset;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".preset.json"), include_str!(concat!("../../../presets/", $name, ".preset.json")))),*]
    };
}

/// Preset cards are shown in this order.
const FILES: &[(&str, &str)] = files![
    "twin_tail_airy",
    "twin_tail_heavy",
    "hair_long",
    "hair_short",
    "hair_front",
    "side_locks",
    "ponytail",
    "braid",
    "skirt_light",
    "skirt_pleated",
    "skirt_stiff",
    "skirt_soft",
    "tail_fluffy",
    "tail_slim",
    "tail_whip",
    "ribbon_silk",
    "cape_heavy",
    "cape_light",
    "cloth_strip",
    "ear_upright",
    "ear_floppy",
    "breast_soft",
    "breast_firm",
    "sleeve_wide",
    "sleeve_narrow",
    "charm",
    "earring",
    "bell",
];

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let preset = |(file, text): &(&str, &str)| read(text.as_bytes(), file).expect("a test reads them all").0;
    FILES.iter().map(preset).collect()
});

pub fn builtin_presets() -> &'static [Preset] {
    &PRESETS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_builtin_presets_are_valid_in_both_languages() {
        for (file, text) in FILES {
            let (preset, diagnostics) = read(text.as_bytes(), file).expect(file);
            assert!(diagnostics.is_empty(), "{file}: {diagnostics:?}");
            for words in [&preset.name, &preset.description] {
                assert!(!words.en.is_empty() && !words.ja.is_empty(), "{file}");
            }
            assert!(preset.feel.speed.is_some() && preset.feel.settling.is_some(), "{file}");
        }
        let keys: BTreeSet<_> = builtin_presets().iter().map(|preset| &preset.key).collect();
        assert_eq!(keys.len(), FILES.len());
    }

    #[test]
    fn every_preset_file_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets");
        let names =
            std::fs::read_dir(folder).expect("it is there").filter_map(|e| e.ok()?.file_name().into_string().ok());
        let found: BTreeSet<String> = names.filter(|name| name.ends_with(".preset.json")).collect();
        assert_eq!(found, FILES.iter().map(|(file, _)| (*file).to_owned()).collect());
    }
}
