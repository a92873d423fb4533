//! The settings of the window: `app.ron` in the folder for user data, validated when read and written atomically.
//!
//! eframe stores settings as a map from keys to texts and accepts any value from the file, but egui panics at a zoom of
//! 1e30. eframe also writes the file in place, so a killed process leaves a truncated file. Therefore this module
//! reads, validates and writes `app.ron` with [`write_atomic`]. eframe gets a working copy, which is created at each
//! start and never read again.

use super::{PREFS_KEY, RECENT_KEY};
use crate::ui::Prefs;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use yuremono_format::source::write_atomic;
use yuremono_session::Message;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// eframe's key of the position and size of the window.
const WINDOW_KEY: &str = "window";
/// eframe's key of egui's memory, which contains the layout of panels.
const LAYOUT_KEY: &str = "egui";
/// Larger files are rejected.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The range that egui's zoom menu offers.
const ZOOM_RANGE: std::ops::RangeInclusive<f32> = 0.2..=5.0;
/// Larger than any position or length on a screen, in points.
const MAX_COORDINATE: f64 = 1e5;

type SettingsMap = BTreeMap<String, String>;

#[derive(Debug)]
pub(super) struct WindowSettings {
    file: PathBuf,
    working_copy: PathBuf,
    /// The values that the file contains.
    saved: SettingsMap,
    /// Whether a failed write was already reported.
    failed: bool,
}

impl WindowSettings {
    /// Reads the settings in a folder, creates the working copy, and returns messages about values that were reset.
    /// Returns `None` if the folder cannot be created; the application then runs without settings.
    pub(super) fn open(folder: &Path) -> Option<(Self, Vec<Message>)> {
        std::fs::create_dir_all(folder).map_err(|error| log::warn!("{}: {error}", folder.display())).ok()?;
        let (file, working) = (folder.join("app.ron"), folder.join("app.working.ron"));
        let mut wrong = Vec::new();
        let mut values = read_settings(&file).unwrap_or_else(|why| {
            wrong.push(why);
            SettingsMap::new()
        });
        wrong.extend(remove_invalid(&mut values));
        let mut written = values.clone();
        let mut messages = Vec::new();
        if !wrong.is_empty() {
            // The backup is for the user. The valid values are written immediately, so they survive a crash before the
            // first save.
            let copy = std::fs::copy(&file, folder.join("app.unusable.ron"));
            let kept = copy.map_err(|error| log::warn!("{}: {error}", file.display())).is_ok();
            if !kept || write_settings(&file, &values).is_err() {
                written = SettingsMap::new();
            }
            let name = file.display().to_string();
            messages = wrong
                .into_iter()
                .map(|reason| Message::SettingsReset { file: name.clone(), reason, backed_up: kept })
                .collect();
        }
        if let Err(why) = write_settings(&working, &values) {
            // Without a working copy, eframe starts with its defaults.
            log::warn!("{why}");
            std::fs::remove_file(&working).ok();
        }
        Some((Self { file, working_copy: working, saved: written, failed: false }, messages))
    }

    /// Returns the path of the file that eframe reads and writes.
    pub(super) fn working_copy(&self) -> PathBuf {
        self.working_copy.clone()
    }

    /// Saves the values of eframe's storage. Reports a repeated failure only once.
    pub(super) fn save(&mut self, storage: &dyn eframe::Storage) -> Result<(), Diagnostic> {
        let value = |key: &str| Some((key.to_owned(), storage.get_string(key)?));
        let values: SettingsMap =
            [WINDOW_KEY, LAYOUT_KEY, PREFS_KEY, RECENT_KEY].into_iter().filter_map(value).collect();
        if values == self.saved {
            return Ok(());
        }
        match write_settings(&self.file, &values) {
            Ok(()) => {
                (self.saved, self.failed) = (values, false);
                Ok(())
            }
            Err(diagnostic) if !std::mem::replace(&mut self.failed, true) => Err(diagnostic),
            Err(_) => Ok(()),
        }
    }
}

fn write_settings(file: &Path, values: &SettingsMap) -> Result<(), Diagnostic> {
    let unencoded = || {
        Diagnostic::error(
            Location::file(file.display().to_string()),
            message!("the settings cannot be encoded; they were not saved"),
        )
    };
    write_atomic(file, encode(values).ok_or_else(unencoded)?.as_bytes())
}

/// Returns the values in the file, or no values if the file does not exist.
fn read_settings(file: &Path) -> Result<SettingsMap, String> {
    let file = match std::fs::File::open(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SettingsMap::new()),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if read as u64 > MAX_FILE_BYTES {
        return Err(format!("> {MAX_FILE_BYTES} bytes"));
    }
    decode(&text).ok_or_else(|| "RON".to_owned())
}

/// Removes invalid values. Returns the key and the untranslated reason of each removed value.
fn remove_invalid(values: &mut SettingsMap) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |key: &str, fault: fn(&str) -> Option<String>| {
        if let Some(why) = values.get(key).and_then(|text| fault(text)) {
            values.remove(key);
            wrong.push(format!("{key}: {why}"));
        }
    };
    check(WINDOW_KEY, window_fault);
    check(LAYOUT_KEY, layout_fault);
    check(PREFS_KEY, |text| decode::<Prefs>(text).is_none().then(|| "RON".to_owned()));
    check(RECENT_KEY, |text| decode::<Vec<PathBuf>>(text).is_none().then(|| "RON".to_owned()));
    // Only the zoom of egui's options is restored; the application sets all other options at every start.
    if let Some(mut memory) = values.get(LAYOUT_KEY).and_then(|text| decode::<egui::Memory>(text)) {
        let zoom = std::mem::take(&mut memory.options).zoom_factor;
        memory.options.zoom_factor = zoom;
        values.extend(encode(&memory).map(|text| (LAYOUT_KEY.to_owned(), text)));
    }
    wrong
}

/// Returns why the window geometry is invalid.
fn window_fault(text: &str) -> Option<String> {
    /// The format in which eframe stores the window.
    #[derive(serde::Deserialize)]
    struct Window {
        normal_geometry: Geometry,
    }
    #[derive(serde::Deserialize)]
    struct Geometry {
        scale_factor: f32,
        inner_size_points: egui::Vec2,
    }
    let Some(Window { normal_geometry: Geometry { scale_factor, inner_size_points: size } }) = decode(text) else {
        return Some("RON".to_owned());
    };
    if !(0.1..=20.0).contains(&scale_factor) {
        return Some(format!("scale_factor {scale_factor}"));
    }
    if !(1.0..=32768.0).contains(&size.x) || !(1.0..=32768.0).contains(&size.y) {
        return Some(format!("inner_size_points {size:?}"));
    }
    find_far_number(text)
}

/// Returns why egui's memory is invalid.
fn layout_fault(text: &str) -> Option<String> {
    let Some(memory) = decode::<egui::Memory>(text) else { return Some("RON".to_owned()) };
    let zoom = memory.options.zoom_factor;
    if !ZOOM_RANGE.contains(&zoom) {
        return Some(format!("zoom_factor {zoom:?}"));
    }
    find_far_number(text)
}

/// Finds a number that is too large for a coordinate. Whole numbers are ids of egui and can have any value.
fn find_far_number(text: &str) -> Option<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_')));
    let is_far = |word: &&str| {
        let is_whole = word.bytes().all(|byte| byte.is_ascii_digit());
        // "inf" and "NaN" also parse as numbers.
        !is_whole && word.parse::<f64>().is_ok_and(|number| !number.is_finite() || number.abs() > MAX_COORDINATE)
    };
    words.into_iter().find(is_far).map(str::to_owned)
}

/// Decodes RON with `eframe::get_value`, eframe's only public function that decodes its format.
fn decode<T: DeserializeOwned>(text: &str) -> Option<T> {
    eframe::get_value(&SingleValueStorage(text.to_owned()), "")
}

fn encode(value: &impl Serialize) -> Option<String> {
    let mut text = SingleValueStorage(String::new());
    eframe::set_value(&mut text, "", value);
    Some(text.0).filter(|text| !text.is_empty())
}

/// A storage that returns the same text for every key.
struct SingleValueStorage(String);

impl eframe::Storage for SingleValueStorage {
    fn get_string(&self, _key: &str) -> Option<String> {
        Some(self.0.clone())
    }

    fn set_string(&mut self, _key: &str, value: String) {
        self.0 = value;
    }

    fn remove_string(&mut self, _key: &str) {
        self.0.clear();
    }

    fn flush(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// eframe's storage as passed to `save`.
    struct MapStorage(SettingsMap);

    impl eframe::Storage for MapStorage {
        fn get_string(&self, key: &str) -> Option<String> {
            self.0.get(key).cloned()
        }

        fn set_string(&mut self, key: &str, value: String) {
            self.0.insert(key.to_owned(), value);
        }

        fn remove_string(&mut self, key: &str) {
            self.0.remove(key);
        }

        fn flush(&mut self) {}
    }

    fn window(width: &str) -> String {
        format!(
            "(normal_geometry:(outer_position_pixels:Some((x:79.0,y:37.0)),scale_factor:1.0,inner_size_points:(x:{width},\
             y:900.0)),fullscreen:false,maximized:false)"
        )
    }

    fn layout(zoom: f32) -> String {
        let mut memory = egui::Memory::default();
        memory.options.zoom_factor = zoom;
        encode(&memory).expect("encoded")
    }

    fn valid_settings() -> SettingsMap {
        let prefs = encode(&Prefs { reduce_motion: true, ..Prefs::default() }).expect("encoded");
        let values = [
            (WINDOW_KEY, window("1440.0")),
            (LAYOUT_KEY, layout(1.5)),
            (PREFS_KEY, prefs),
            (RECENT_KEY, "[\"/a.vrm\"]".into()),
        ];
        values.map(|(key, value)| (key.to_owned(), value)).into()
    }

    /// Starts with `text` as the settings file. Returns the values of the working copy and the messages.
    fn start(folder: &Path, text: &str) -> (SettingsMap, Vec<Message>) {
        std::fs::write(folder.join("app.ron"), text).expect("written");
        let (settings, messages) = WindowSettings::open(folder).expect("a folder");
        let copy = std::fs::read_to_string(settings.working_copy()).expect("a copy");
        (decode(&copy).expect("a map of texts"), messages)
    }

    #[test]
    fn saved_settings_are_restored_at_the_next_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, messages) = WindowSettings::open(folder.path()).expect("a folder");
        assert_eq!(messages, []);
        settings.save(&MapStorage(valid_settings())).expect("written");
        let text = std::fs::read_to_string(folder.path().join("app.ron")).expect("written");
        let (values, messages) = start(folder.path(), &text);
        assert_eq!(messages, []);
        for key in [WINDOW_KEY, PREFS_KEY, RECENT_KEY] {
            assert_eq!(values[key], valid_settings()[key]);
        }
        assert_eq!(decode::<egui::Memory>(&values[LAYOUT_KEY]).expect("a layout").options.zoom_factor, 1.5);
    }

    #[test]
    fn only_the_value_that_egui_cannot_use_is_dropped_and_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        for (key, value, why) in [
            (LAYOUT_KEY, layout(1e30), "egui: zoom_factor 1e30"),
            (LAYOUT_KEY, layout(f32::NAN), "egui: zoom_factor NaN"),
            (LAYOUT_KEY, layout(0.0), "egui: zoom_factor 0.0"),
            (LAYOUT_KEY, "(((".to_owned(), "egui: RON"),
            (WINDOW_KEY, window("1e30"), "window: inner_size_points [1e30 900.0]"),
            (WINDOW_KEY, window("0.0"), "window: inner_size_points [0.0 900.0]"),
            (WINDOW_KEY, window("1440.0").replace("79.0", "-1e12"), "window: -1e12"),
            (PREFS_KEY, "(mode:".to_owned(), "prefs: RON"),
            (RECENT_KEY, "7".to_owned(), "recent: RON"),
        ] {
            let mut values = valid_settings();
            values.insert(key.to_owned(), value);
            let (copy, messages) = start(folder.path(), &encode(&values).expect("encoded"));
            let [Message::SettingsReset { file, reason: found, backed_up: true }] = messages.as_slice() else {
                panic!("{why}: {messages:?}")
            };
            assert!(file.ends_with("app.ron"));
            assert!(found.starts_with(why.split(" [").next().unwrap_or(why)), "{found}, not {why}");
            let others: Vec<_> = valid_settings().into_keys().filter(|other| other != key).collect();
            assert_eq!(copy.into_keys().collect::<Vec<_>>(), others, "{why}");
            // The file as it is if the process is killed now.
            let text = std::fs::read_to_string(folder.path().join("app.ron")).expect("written immediately");
            let kept: SettingsMap = decode(&text).expect("a map of texts");
            assert_eq!(kept.into_keys().collect::<Vec<_>>(), others, "{why}");
        }
    }

    #[test]
    fn an_unreadable_settings_file_is_backed_up_and_defaults_are_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = encode(&valid_settings()).expect("encoded");
        let half = &whole[..whole.len() / 2];
        for text in [half, "", "[1, 2]", "\u{0}\u{0}", &"(".repeat(100_000)] {
            let (copy, messages) = start(folder.path(), text);
            assert_eq!((copy, messages.len()), (SettingsMap::new(), 1), "{text:.20}");
            let kept = std::fs::read_to_string(folder.path().join("app.unusable.ron")).expect("kept");
            assert_eq!(kept, text);
            let (_, messages) = WindowSettings::open(folder.path()).expect("a folder");
            assert_eq!(messages, [], "the problem is reported only once");
        }
    }

    #[test]
    fn settings_that_cannot_be_backed_up_are_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("app.unusable.ron")).expect("something in the way");
        let (copy, messages) = start(folder.path(), "[1, 2]");
        assert_eq!(copy, SettingsMap::new());
        assert!(matches!(messages.as_slice(), [Message::SettingsReset { backed_up: false, .. }]), "{messages:?}");
        assert!(!messages[0].to_string().contains("kept"), "{}", messages[0]);
        assert_eq!(std::fs::read_to_string(folder.path().join("app.ron")).expect("the old file"), "[1, 2]");
    }

    #[test]
    fn settings_that_cannot_be_written_are_reported_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, _) = WindowSettings::open(folder.path()).expect("a folder");
        std::fs::create_dir(folder.path().join("app.ron")).expect("something in the way");
        assert!(settings.save(&MapStorage(valid_settings())).is_err());
        assert!(settings.save(&MapStorage(valid_settings())).is_ok(), "a repeated failure is not reported");
    }
}
