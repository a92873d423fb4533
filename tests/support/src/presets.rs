//! Presets for tests.

use yuremono_model::document::{ChainPart, ChainValue, CurveDomain};
use yuremono_model::feel::params::FeelSet;
use yuremono_model::feel::preset::{LocalizedText, Preset};

/// Returns a preset with these names in English and Japanese, this frequency in hertz and this damping ratio.
pub fn test_preset(key: &str, [en, ja]: [&str; 2], part: ChainPart, [speed, settle]: [f32; 2]) -> Preset {
    let level = |base| Some(ChainValue::constant(base));
    Preset {
        key: key.to_owned(),
        name: LocalizedText { en: en.to_owned(), ja: ja.to_owned() },
        description: LocalizedText { en: format!("{en} as a test has it"), ja: format!("{ja}の説明") },
        parts: vec![part],
        curve_domain: CurveDomain::Length,
        feel: FeelSet { speed: level(speed), settling: level(settle), ignore_motion: level(0.2), ..FeelSet::default() },
    }
}
