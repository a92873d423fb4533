//! Stub.
use crate::doc::feel_terms::FeelSet;
use crate::doc::preset::{Preset, Words};
use crate::doc::{Along, Authored, Part};
use crate::report::{Diagnostic, Place};
use crate::sim::Term;

/// Reads.
pub fn read(bytes: &[u8], file: &str) -> Result<(Preset, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fail = |why: String| vec![Diagnostic::error(Place::file(file), why)];
    let v: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| fail(e.to_string()))?;
    let text = |k: &str, l: &str| v[k][l].as_str().unwrap_or_default().to_owned();
    let mut feel = FeelSet::default();
    for (term, key) in [(Term::Speed, "speed"), (Term::Settle, "settle")] {
        let base = v[key].as_f64().map(|f| Authored { base: f as f32, curve: None });
        feel.set(term, base);
    }
    let parts: Vec<Part> = serde_json::from_value(v["parts"].clone()).map_err(|e| fail(e.to_string()))?;
    let key = file.trim_end_matches(".preset.json").to_owned();
    let (name, sentence) = (
        Words { en: text("name", "en"), ja: text("name", "ja") },
        Words { en: text("sentence", "en"), ja: text("sentence", "ja") },
    );
    Ok((Preset { key, name, sentence, parts, along: Along::Length, feel }, Vec::new()))
}

/// Writes.
pub fn write(p: &Preset) -> Vec<u8> {
    let b = |t| p.feel.get(t).map(|a: &Authored| a.base);
    serde_json::to_vec(&serde_json::json!({"yuremono_preset":1,"name":{"en":p.name.en,"ja":p.name.ja},"sentence":{"en":p.sentence.en,"ja":p.sentence.ja},"parts":p.parts,"speed":b(Term::Speed),"settle":b(Term::Settle)})).expect("json")
}
