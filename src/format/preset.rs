//! Files of presets: `NAME.preset.json`, one feel with a name.
//!
//! The saved types are apart from the live ones. What has no meaning (no number, no name, no feel) is refused with its
//! line and its place; what a newer version may say is passed over and told.

use super::json_place::{lines_of, pointer_at, pointer_of};
use crate::document::{Along, Authored, Part};
use crate::feel::terms::FeelSet;
use crate::feel::{preset::Preset, preset::Words};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, Place};
use crate::sim::Term;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Marks the file, and says by which version it was written.
const MARK: &str = "yuremono_preset";
const VERSION: u64 = 1;
const FIELDS: [&str; 6] = [MARK, "name", "sentence", "parts", "along", "feel"];
const FEELS: [&str; 6] = ["speed", "settle", "weight", "reach", "follow", "radius"];
/// Longest file that is read, and most keys of a curve.
const LARGEST_KIB: usize = 1024;
const MOST_KEYS: usize = 256;
/// Most fields that are told to be strange, so that a hostile file cannot fill the list of messages.
const MOST_STRANGE: usize = 20;
const ENDING: &str = ".preset.json";

#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    #[serde(rename = "yuremono_preset")]
    version: u64,
    name: SavedWords,
    #[serde(default)]
    sentence: SavedWords,
    parts: Vec<Part>,
    #[serde(default)]
    along: Along,
    feel: SavedFeel,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedWords {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    en: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    ja: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedFeel {
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<SavedAuthored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settle: Option<SavedAuthored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<SavedAuthored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<SavedAuthored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follow: Option<SavedAuthored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<SavedAuthored>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedAuthored {
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

/// Reads a preset, with what was found in it; its key is the file's name without ending, whatever that is.
pub fn read(bytes: &[u8], file: &str) -> Result<(Preset, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = Text { bytes, file };
    if bytes.len() > LARGEST_KIB << 10 {
        let why = format!("the file has {} KiB, a preset has at most {LARGEST_KIB}", bytes.len() >> 10);
        return Err(vec![Diagnostic::error(Place::file(file), why)]);
    }
    let json: Value =
        serde_json::from_slice(bytes).map_err(|err| text.misread(&err, &format!("this is no JSON: {err}")))?;
    match json.get(MARK).map(Value::as_u64) {
        Some(Some(VERSION)) => {}
        Some(Some(newer)) if newer > VERSION => {
            let why = format!("the preset has version {newer}, this Yuremono reads up to {VERSION}");
            return Err(text.fail(&[MARK], &why));
        }
        Some(_) => return Err(text.fail(&[MARK], &format!("expected the version {VERSION}"))),
        None => return Err(text.fail(&[], &format!("this is no preset: there is no \"{MARK}\""))),
    }
    let said = text.unknown(&json);
    // From the text once more: a value knows no lines.
    let saved: Saved = serde_json::from_slice(bytes).map_err(|err| text.misread(&err, &err.to_string()))?;
    if saved.name.en.trim().is_empty() && saved.name.ja.trim().is_empty() {
        return Err(text.fail(&["name"], "a preset needs a name in one language"));
    }
    if saved.parts.is_empty() {
        return Err(text.fail(&["parts"], "a preset needs a part that it is for"));
    }
    let feel = text.feel(saved.feel)?;
    if feel == FeelSet::default() {
        return Err(text.fail(&["feel"], "it says nothing of a feel"));
    }
    let words = |saved: SavedWords| Words { en: saved.en, ja: saved.ja };
    let preset = Preset {
        key: file.strip_suffix(ENDING).unwrap_or(file).to_owned(),
        name: words(saved.name),
        sentence: words(saved.sentence),
        parts: saved.parts,
        along: saved.along,
        feel,
    };
    Ok((preset, said))
}

/// The bytes of a preset's file.
pub fn write(preset: &Preset) -> Vec<u8> {
    let words = |words: &Words| SavedWords { en: words.en.clone(), ja: words.ja.clone() };
    let term = |term: Term| preset.feel.get(term).map(saved_of);
    let saved = Saved {
        version: VERSION,
        name: words(&preset.name),
        sentence: words(&preset.sentence),
        parts: preset.parts.clone(),
        along: preset.along,
        feel: SavedFeel {
            speed: term(Term::Speed),
            settle: term(Term::Settle),
            weight: term(Term::Weight),
            reach: term(Term::Reach),
            follow: term(Term::Follow),
            radius: preset.feel.radius.as_ref().map(saved_of),
        },
    };
    let mut bytes = serde_json::to_vec_pretty(&saved).expect("saved types are plain data");
    bytes.push(b'\n');
    bytes
}

fn saved_of(authored: &Authored) -> SavedAuthored {
    // By its decimals, so that 1.8 is not written with the digits of its rounding.
    let number = |value: f32| value.to_string().parse().unwrap_or(f64::from(value));
    let key = |key: &Key| SavedKey {
        t: number(key.t),
        value: number(key.value),
        slope_in: number(key.slope_in),
        slope_out: number(key.slope_out),
    };
    let curve = authored.curve.as_ref();
    SavedAuthored {
        base: number(authored.base),
        curve: curve.map_or_else(Vec::new, |curve| curve.keys().iter().map(key).collect()),
        interpolation: curve.map_or(Interpolation::Hermite, Curve::interpolation),
    }
}

/// A file that is being read.
struct Text<'a> {
    bytes: &'a [u8],
    file: &'a str,
}

impl Text<'_> {
    /// Places with the lines on which they stand.
    fn at(&self, paths: &[Vec<&str>]) -> Vec<Place> {
        let place = |(path, line): (&Vec<&str>, Option<u64>)| {
            let mut place = Place::file(self.file);
            place.line = line;
            if path.is_empty() { place } else { place.at(pointer_of(path)) }
        };
        paths.iter().zip(lines_of(self.bytes, paths)).map(place).collect()
    }

    fn fail(&self, path: &[&str], why: &str) -> Vec<Diagnostic> {
        let places = self.at(&[path.to_vec()]);
        places.into_iter().map(|place| Diagnostic::error(place, why)).collect()
    }

    /// What the parser says, where it stopped.
    fn misread(&self, err: &serde_json::Error, why: &str) -> Vec<Diagnostic> {
        let pointer = pointer_at(self.bytes, err.line(), err.column());
        let place = Place::file(self.file).line(err.line() as u64);
        vec![Diagnostic::error(if pointer.is_empty() { place } else { place.at(pointer) }, why)]
    }

    fn feel(&self, saved: SavedFeel) -> Result<FeelSet, Vec<Diagnostic>> {
        let live = |saved: Option<SavedAuthored>, name: &str| saved.map(|saved| self.term(&saved, name)).transpose();
        Ok(FeelSet {
            speed: live(saved.speed, "speed")?,
            settle: live(saved.settle, "settle")?,
            weight: live(saved.weight, "weight")?,
            reach: live(saved.reach, "reach")?,
            follow: live(saved.follow, "follow")?,
            radius: live(saved.radius, "radius")?,
        })
    }

    fn term(&self, saved: &SavedAuthored, name: &str) -> Result<Authored, Vec<Diagnostic>> {
        let base = saved.base as f32;
        if !base.is_finite() || base < 0.0 {
            return Err(self.fail(&["feel", name, "base"], "expected a finite number, 0 or more"));
        }
        if saved.curve.len() > MOST_KEYS {
            let why = format!("expected {MOST_KEYS} keys or fewer");
            return Err(self.fail(&["feel", name, "curve"], &why));
        }
        let mut keys = Vec::new();
        for (at, saved) in saved.curve.iter().enumerate() {
            let key = Key {
                t: saved.t as f32,
                value: saved.value as f32,
                slope_in: saved.slope_in as f32,
                slope_out: saved.slope_out as f32,
            };
            let numbers =
                [("t", key.t), ("value", key.value), ("slope_in", key.slope_in), ("slope_out", key.slope_out)];
            for (field, number) in numbers {
                let why = match field {
                    _ if !number.is_finite() => "expected a finite number",
                    "t" if !(0.0..=1.0).contains(&number) => "expected a place from 0 to 1",
                    "value" if number < 0.0 => "expected a factor of 0 or more",
                    _ => continue,
                };
                return Err(self.fail(&["feel", name, "curve", &at.to_string(), field], why));
            }
            keys.push(key);
        }
        Ok(Authored { base, curve: Curve::new(keys, saved.interpolation) })
    }

    /// Fields of a preset and of its feel that nobody knows.
    fn unknown(&self, json: &Value) -> Vec<Diagnostic> {
        let strange = |of: &'_ Value, known: &[&str]| -> Vec<String> {
            let names = of.as_object().into_iter().flat_map(|fields| fields.keys());
            names.filter(|name| !known.contains(&name.as_str())).take(MOST_STRANGE).cloned().collect()
        };
        let (own, feel) = (strange(json, &FIELDS), strange(&json["feel"], &FEELS));
        let paths = own.iter().map(|name| vec![name.as_str()]);
        let paths: Vec<_> = paths.chain(feel.iter().map(|name| vec!["feel", name.as_str()])).collect();
        let told = |place| Diagnostic::info(place, "this field is not known and was passed over");
        self.at(&paths).into_iter().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"yuremono_preset": 1, "name": {"ja": "重め"}, "parts": ["hair"],
        "feel": {"speed": {"base": 1.8, "curve": [{"t": 0, "value": 1}, {"t": 1, "value": 0.5}]}}}"#;

    #[test]
    fn a_preset_is_read_as_it_was_written() {
        let (preset, said) = read(GOOD.as_bytes(), "heavy.preset.json").expect("good");
        assert!(said.is_empty(), "{said:?}");
        assert_eq!((preset.key.as_str(), preset.name.get(false)), ("heavy", "重め"));
        assert_eq!(preset.feel.speed.as_ref().expect("there").base, 1.8);
        let again = read(&write(&preset), "heavy.preset.json").expect("its own bytes").0;
        assert_eq!(again, preset);
    }

    #[track_caller]
    fn refused(from: &str, to: &str, place: &str) {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD);
        let said = read(text.as_bytes(), "x.preset.json").expect_err("refused");
        let shown = said[0].to_string();
        assert!(shown.contains("x.preset.json") && shown.contains(place), "{shown}");
    }

    #[test]
    fn what_means_nothing_is_refused_with_its_place() {
        refused("\"yuremono_preset\": 1", "\"yuremono_preset\": 9", "x.preset.json:1#/yuremono_preset");
        refused("\"yuremono_preset\": 1,", "", "no preset");
        refused("\"重め\"", "\" \"", "x.preset.json:1#/name:");
        refused("[\"hair\"]", "[]", "x.preset.json:1#/parts:");
        refused("[\"hair\"]", "[\"hair\", \"wing\"]", "x.preset.json:1#/parts/1: unknown variant `wing`");
        refused("\"base\": 1.8", "\"base\": 1e300", "x.preset.json:2#/feel/speed/base:");
        refused("\"base\": 1.8", "\"base\": -1", "x.preset.json:2#/feel/speed/base:");
        refused("\"base\": 1.8", "\"base\": \"1.8\"", "x.preset.json:2#/feel/speed/base: invalid type");
        refused("\"base\": 1.8, ", "", "x.preset.json:2#/feel/speed: missing field `base`");
        refused("\"t\": 1,", "\"t\": 2,", "x.preset.json:2#/feel/speed/curve/1/t:");
        refused("\"t\": 1,", "\"t\": 1, \"slope_in\": 1e300,", "x.preset.json:2#/feel/speed/curve/1/slope_in:");
        refused("\"value\": 0.5", "\"value\": -0.5", "x.preset.json:2#/feel/speed/curve/1/value:");
        refused("}}}", "", "x.preset.json:2#/feel");
        refused("1.8", "1,8", "x.preset.json:2#/feel/speed");
    }

    #[test]
    fn what_is_too_long_for_a_preset_is_refused() {
        let padded = GOOD.to_owned() + &" ".repeat(LARGEST_KIB << 10);
        assert!(read(padded.as_bytes(), "x.preset.json").expect_err("refused")[0].to_string().contains("KiB"));
        let keys = "{\"t\": 0, \"value\": 1}, ".repeat(MOST_KEYS);
        refused("{\"t\": 0, \"value\": 1}, ", &keys, "/feel/speed/curve");
    }

    #[test]
    fn fields_of_another_version_are_told() {
        let text = GOOD.replace("\"parts\"", "\"colour\": 3, \"parts\"");
        let (_, said) = read(text.as_bytes(), "x.preset.json").expect("still a preset");
        assert_eq!(said.len(), 1);
        assert!(said[0].to_string().contains("x.preset.json:1#/colour"));
        let marked = format!("\u{feff}{text}");
        assert!(read(marked.as_bytes(), "x.preset.json").is_ok(), "as some editors save it");
        let fields = (0..1000).map(|n| format!("\"c{n}\": 0, ")).collect::<Vec<_>>().concat();
        let text = GOOD.replace("\"parts\"", &format!("{fields}\"parts\""));
        assert_eq!(read(text.as_bytes(), "x.preset.json").expect("still a preset").1.len(), MOST_STRANGE);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
    fn the_lines_of_strange_fields_are_found_in_a_moment_behind_deep_and_long_ones() {
        let deep = format!("{}[{}0]{}", "{\"d\": ".repeat(100), "0, ".repeat(10_000), "}".repeat(100));
        let fields = (0..MOST_STRANGE).map(|n| format!("\n\"z{n}\": 0, ")).collect::<Vec<_>>().concat();
        let text = GOOD.replace("\"parts\"", &format!("\"a\": {deep}, {fields}\n\"parts\""));
        let start = std::time::Instant::now();
        let (_, said) = read(text.as_bytes(), "x.preset.json").expect("still a preset");
        let seconds = start.elapsed().as_secs_f32();
        assert!(said.iter().any(|said| said.to_string().starts_with("x.preset.json:9#/z7: ")), "{said:?}");
        // Three where each field walks and names the way to every value.
        assert!(seconds < 0.5, "{seconds} s");
    }
}
