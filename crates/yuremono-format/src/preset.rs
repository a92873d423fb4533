//! Reads and writes preset files, `NAME.preset.json`. A preset is a feel with a name.
//!
//! The saved types are separate from the types in memory. A preset with an invalid number, no name or no feel is
//! rejected, and the diagnostic reports the line and the JSON pointer. Unknown fields of newer versions are ignored and
//! reported.

use super::json_location::{lines_of, path_to_pointer, pointer_at};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use yuremono_model::document::{ChainPart, ChainValue, CurveDomain};
use yuremono_model::feel::params::FeelSet;
use yuremono_model::feel::{preset::LocalizedText, preset::Preset};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};
use yuremono_sim::math::{Curve, CurveKey, Interpolation};

const VERSION_FIELD: &str = "yuremono_preset";
const VERSION: u64 = 1;
const FIELDS: [&str; 6] = [VERSION_FIELD, "name", "sentence", "parts", "along", "feel"];
const FEEL_FIELDS: [&str; 6] = ["speed", "settling", "weight", "max_angle", "ignore_motion", "radius"];
const MAX_FILE_KIB: usize = 1024;
const MAX_CURVE_KEYS: usize = 256;
const MAX_UNKNOWN_FIELDS: usize = 20;
const FILE_SUFFIX: &str = ".preset.json";

#[derive(Debug, Serialize, Deserialize)]
struct SavedPreset {
    #[serde(rename = "yuremono_preset")]
    version: u64,
    name: SavedText,
    #[serde(default)]
    sentence: SavedText,
    parts: Vec<ChainPart>,
    #[serde(default)]
    along: CurveDomain,
    feel: SavedFeel,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedText {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    en: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    ja: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedFeel {
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<SavedFeelValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settling: Option<SavedFeelValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<SavedFeelValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_angle: Option<SavedFeelValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_motion: Option<SavedFeelValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<SavedFeelValue>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedFeelValue {
    base: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    curve: Vec<SavedKey>,
    #[serde(default, skip_serializing_if = "is_hermite")]
    interpolation: Interpolation,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedKey {
    t: f64,
    value: f64,
    #[serde(default)]
    slope_in: f64,
    #[serde(default)]
    slope_out: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_hermite(interpolation: &Interpolation) -> bool {
    *interpolation == Interpolation::Hermite
}

/// Reads a preset, and returns the diagnostics. The key of the preset is the file name without the extension.
pub fn read(bytes: &[u8], file: &str) -> Result<(Preset, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = PresetReader { bytes, file };
    if bytes.len() > MAX_FILE_KIB << 10 {
        let why = message!(
            "the file has {kib} KiB; a preset has at most {max_file_kib}",
            kib = bytes.len() >> 10,
            max_file_kib = MAX_FILE_KIB
        );
        return Err(vec![Diagnostic::error(Location::file(file), why)]);
    }
    let json: Value = serde_json::from_slice(bytes)
        .map_err(|err| text.parse_error(&err, message!("this is not JSON: {error}", error = format_args!("{err}"))))?;
    match json.get(VERSION_FIELD).map(Value::as_u64) {
        Some(Some(VERSION)) => {}
        Some(Some(newer)) if newer > VERSION => {
            let why = message!(
                "the preset has version {newer}; this Yuremono reads up to {version}",
                newer,
                version = VERSION
            );
            return Err(text.error_at(&[VERSION_FIELD], why));
        }
        Some(_) => {
            return Err(text.error_at(&[VERSION_FIELD], message!("expected version {version}", version = VERSION)));
        }
        None => {
            return Err(text.error_at(
                &[],
                message!("this is not a preset: there is no \"{version_field}\"", version_field = VERSION_FIELD),
            ));
        }
    }
    let diagnostics = text.report_unknown_fields(&json);
    // The text is parsed a second time, because a `Value` has no line numbers.
    let saved: SavedPreset = serde_json::from_slice(bytes).map_err(|err| text.parse_error(&err, err.to_string()))?;
    if saved.name.en.trim().is_empty() && saved.name.ja.trim().is_empty() {
        return Err(text.error_at(&["name"], message!("a preset needs a name in one language")));
    }
    if saved.parts.is_empty() {
        return Err(text.error_at(&["parts"], message!("a preset needs at least one part")));
    }
    let feel = text.read_feel(saved.feel)?;
    if feel == FeelSet::default() {
        return Err(text.error_at(&["feel"], message!("the feel has no value")));
    }
    let words = |saved: SavedText| LocalizedText { en: saved.en, ja: saved.ja };
    let preset = Preset {
        key: file.strip_suffix(FILE_SUFFIX).unwrap_or(file).to_owned(),
        name: words(saved.name),
        description: words(saved.sentence),
        parts: saved.parts,
        curve_domain: saved.along,
        feel,
    };
    Ok((preset, diagnostics))
}

/// Returns the bytes of a preset file.
pub fn write(preset: &Preset) -> Vec<u8> {
    let words = |words: &LocalizedText| SavedText { en: words.en.clone(), ja: words.ja.clone() };
    let term = |term: FeelParam| preset.feel.get(term).map(to_saved_value);
    let saved = SavedPreset {
        version: VERSION,
        name: words(&preset.name),
        sentence: words(&preset.description),
        parts: preset.parts.clone(),
        along: preset.curve_domain,
        feel: SavedFeel {
            speed: term(FeelParam::Speed),
            settling: term(FeelParam::Settling),
            weight: term(FeelParam::Weight),
            max_angle: term(FeelParam::MaxAngle),
            ignore_motion: term(FeelParam::IgnoreMotion),
            radius: preset.feel.radius.as_ref().map(to_saved_value),
        },
    };
    let mut bytes = serde_json::to_vec_pretty(&saved).expect("saved types are plain data");
    bytes.push(b'\n');
    bytes
}

fn to_saved_value(authored: &ChainValue) -> SavedFeelValue {
    // Parsing the decimal text gives 1.8. A cast to `f64` would give 1.7999999523162842.
    let number = |value: f32| value.to_string().parse().unwrap_or(f64::from(value));
    let key = |key: &CurveKey| SavedKey {
        t: number(key.t),
        value: number(key.value),
        slope_in: number(key.slope_in),
        slope_out: number(key.slope_out),
    };
    let curve = authored.curve.as_ref();
    SavedFeelValue {
        base: number(authored.base),
        curve: curve.map_or_else(Vec::new, |curve| curve.keys().iter().map(key).collect()),
        interpolation: curve.map_or(Interpolation::Hermite, Curve::interpolation),
    }
}

/// Reads a preset file and reports errors with their location.
struct PresetReader<'a> {
    bytes: &'a [u8],
    file: &'a str,
}

impl PresetReader<'_> {
    fn places(&self, paths: &[Vec<&str>]) -> Vec<Location> {
        let place = |(path, line): (&Vec<&str>, Option<u64>)| {
            let mut place = Location::file(self.file);
            place.line = line;
            if path.is_empty() { place } else { place.with_pointer(path_to_pointer(path)) }
        };
        paths.iter().zip(lines_of(self.bytes, paths)).map(place).collect()
    }

    fn error_at(&self, path: &[&str], why: impl Into<MessageText>) -> Vec<Diagnostic> {
        let why = why.into();
        self.places(&[path.to_vec()]).into_iter().map(|place| Diagnostic::error(place, why.clone())).collect()
    }

    fn parse_error(&self, err: &serde_json::Error, why: impl Into<MessageText>) -> Vec<Diagnostic> {
        let pointer = pointer_at(self.bytes, err.line(), err.column());
        let place = Location::file(self.file).with_line(err.line() as u64);
        vec![Diagnostic::error(if pointer.is_empty() { place } else { place.with_pointer(pointer) }, why)]
    }

    fn read_feel(&self, saved: SavedFeel) -> Result<FeelSet, Vec<Diagnostic>> {
        let live = |saved: Option<SavedFeelValue>, name: &str| {
            saved.map(|saved| self.read_feel_value(&saved, name)).transpose()
        };
        Ok(FeelSet {
            speed: live(saved.speed, "speed")?,
            settling: live(saved.settling, "settling")?,
            weight: live(saved.weight, "weight")?,
            max_angle: live(saved.max_angle, "max_angle")?,
            ignore_motion: live(saved.ignore_motion, "ignore_motion")?,
            radius: live(saved.radius, "radius")?,
        })
    }

    fn read_feel_value(&self, saved: &SavedFeelValue, name: &str) -> Result<ChainValue, Vec<Diagnostic>> {
        let base = saved.base as f32;
        if !base.is_finite() || base < 0.0 {
            return Err(self.error_at(&["feel", name, "base"], message!("expected a finite number, 0 or more")));
        }
        if saved.curve.len() > MAX_CURVE_KEYS {
            let why = message!("expected {max_curve_keys} keys or fewer", max_curve_keys = MAX_CURVE_KEYS);
            return Err(self.error_at(&["feel", name, "curve"], why));
        }
        let mut keys = Vec::new();
        for (at, saved) in saved.curve.iter().enumerate() {
            let key = CurveKey {
                t: saved.t as f32,
                value: saved.value as f32,
                slope_in: saved.slope_in as f32,
                slope_out: saved.slope_out as f32,
            };
            let numbers =
                [("t", key.t), ("value", key.value), ("slope_in", key.slope_in), ("slope_out", key.slope_out)];
            for (field, number) in numbers {
                let why = match field {
                    _ if !number.is_finite() => message!("expected a finite number"),
                    "t" if !(0.0..=1.0).contains(&number) => {
                        message!("expected a position along the chain, 0 (root end) to 1 (tip)")
                    }
                    "value" if number < 0.0 => message!("expected a factor of 0 or more"),
                    _ => continue,
                };
                return Err(self.error_at(&["feel", name, "curve", &at.to_string(), field], why));
            }
            keys.push(key);
        }
        Ok(ChainValue::new(base, Curve::new(keys, saved.interpolation)))
    }

    fn report_unknown_fields(&self, json: &Value) -> Vec<Diagnostic> {
        let strange = |of: &'_ Value, known: &[&str]| -> Vec<String> {
            let names = of.as_object().into_iter().flat_map(|fields| fields.keys());
            names.filter(|name| !known.contains(&name.as_str())).take(MAX_UNKNOWN_FIELDS).cloned().collect()
        };
        let (own, feel) = (strange(json, &FIELDS), strange(&json["feel"], &FEEL_FIELDS));
        let paths = own.iter().map(|name| vec![name.as_str()]);
        let paths: Vec<_> = paths.chain(feel.iter().map(|name| vec!["feel", name.as_str()])).collect();
        let diagnostic = |place| Diagnostic::info(place, message!("this field is not known and was ignored"));
        self.places(&paths).into_iter().map(diagnostic).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID_PRESET: &str = r#"{"yuremono_preset": 1, "name": {"ja": "重め"}, "parts": ["hair"],
        "feel": {"speed": {"base": 1.8, "curve": [{"t": 0, "value": 1}, {"t": 1, "value": 0.5}]}}}"#;

    #[test]
    fn a_preset_is_read_as_it_was_written() {
        let (preset, diagnostics) = read(VALID_PRESET.as_bytes(), "heavy.preset.json").expect("good");
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!((preset.key.as_str(), preset.name.get(false)), ("heavy", "重め"));
        assert_eq!(preset.feel.speed.as_ref().expect("the preset has a speed").base, 1.8);
        let again = read(&write(&preset), "heavy.preset.json").expect("a written preset is valid").0;
        assert_eq!(again, preset);
    }

    #[track_caller]
    fn check_rejected(from: &str, to: &str, place: &str) {
        let text = VALID_PRESET.replace(from, to);
        assert_ne!(text, VALID_PRESET);
        let diagnostics = read(text.as_bytes(), "x.preset.json").expect_err("refused");
        let shown = diagnostics[0].to_string();
        assert!(shown.contains("x.preset.json") && shown.contains(place), "{shown}");
    }

    #[test]
    fn invalid_values_are_rejected_with_their_location() {
        check_rejected("\"yuremono_preset\": 1", "\"yuremono_preset\": 9", "x.preset.json:1#/yuremono_preset");
        check_rejected("\"yuremono_preset\": 1,", "", "not a preset");
        check_rejected("\"重め\"", "\" \"", "x.preset.json:1#/name:");
        check_rejected("[\"hair\"]", "[]", "x.preset.json:1#/parts:");
        check_rejected("[\"hair\"]", "[\"hair\", \"wing\"]", "x.preset.json:1#/parts/1: unknown variant `wing`");
        check_rejected("\"base\": 1.8", "\"base\": 1e300", "x.preset.json:2#/feel/speed/base:");
        check_rejected("\"base\": 1.8", "\"base\": -1", "x.preset.json:2#/feel/speed/base:");
        check_rejected("\"base\": 1.8", "\"base\": \"1.8\"", "x.preset.json:2#/feel/speed/base: invalid type");
        check_rejected("\"base\": 1.8, ", "", "x.preset.json:2#/feel/speed: missing field `base`");
        check_rejected("\"t\": 1,", "\"t\": 2,", "x.preset.json:2#/feel/speed/curve/1/t:");
        check_rejected("\"t\": 1,", "\"t\": 1, \"slope_in\": 1e300,", "x.preset.json:2#/feel/speed/curve/1/slope_in:");
        check_rejected("\"value\": 0.5", "\"value\": -0.5", "x.preset.json:2#/feel/speed/curve/1/value:");
        check_rejected("}}}", "", "x.preset.json:2#/feel");
        check_rejected("1.8", "1,8", "x.preset.json:2#/feel/speed");
    }

    #[test]
    fn oversized_presets_are_rejected() {
        let padded = VALID_PRESET.to_owned() + &" ".repeat(MAX_FILE_KIB << 10);
        assert!(read(padded.as_bytes(), "x.preset.json").expect_err("refused")[0].to_string().contains("KiB"));
        let keys = "{\"t\": 0, \"value\": 1}, ".repeat(MAX_CURVE_KEYS);
        check_rejected("{\"t\": 0, \"value\": 1}, ", &keys, "/feel/speed/curve");
    }

    #[test]
    fn unknown_fields_are_reported() {
        let text = VALID_PRESET.replace("\"parts\"", "\"colour\": 3, \"parts\"");
        let (_, diagnostics) = read(text.as_bytes(), "x.preset.json").expect("unknown fields are accepted");
        assert_eq!(diagnostics.len(), 1);
        assert!(diagnostics[0].to_string().contains("x.preset.json:1#/colour"));
        let marked = format!("\u{feff}{text}");
        assert!(read(marked.as_bytes(), "x.preset.json").is_ok(), "some editors write a byte order mark");
        let fields = (0..1000).map(|n| format!("\"c{n}\": 0, ")).collect::<Vec<_>>().concat();
        let text = VALID_PRESET.replace("\"parts\"", &format!("{fields}\"parts\""));
        assert_eq!(read(text.as_bytes(), "x.preset.json").expect("a valid preset").1.len(), MAX_UNKNOWN_FIELDS);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
    fn unknown_fields_after_deep_json_are_located_quickly() {
        let deep = format!("{}[{}0]{}", "{\"d\": ".repeat(100), "0, ".repeat(10_000), "}".repeat(100));
        let fields = (0..MAX_UNKNOWN_FIELDS).map(|n| format!("\n\"z{n}\": 0, ")).collect::<Vec<_>>().concat();
        let text = VALID_PRESET.replace("\"parts\"", &format!("\"a\": {deep}, {fields}\n\"parts\""));
        let start = std::time::Instant::now();
        let (_, diagnostics) = read(text.as_bytes(), "x.preset.json").expect("unknown fields are accepted");
        let seconds = start.elapsed().as_secs_f32();
        assert!(
            diagnostics.iter().any(|diagnostic| diagnostic.to_string().starts_with("x.preset.json:9#/z7: ")),
            "{diagnostics:?}"
        );
        // If each field searches the whole text for its path, this test takes three seconds.
        assert!(seconds < 0.5, "{seconds} s");
    }
}
