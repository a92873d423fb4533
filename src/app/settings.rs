//! The window's settings, `app.ron` in the folder of the user's data: checked before they are used, written whole or not
//! at all.
//!
//! eframe keeps settings as a map of texts. It takes any value from the file, and egui ends the program at a zoom of 1e30;
//! it also writes the file in place, so that a kill leaves half of it. So `app.ron` is read, checked and written here, by
//! [`write_atomic`]. eframe gets a working copy, which is created again at each start and which nothing else reads.

use super::{PREFS, RECENT};
use crate::format::source::write_atomic;
use crate::report::{Diagnostic, Place};
use crate::session::Said;
use crate::ui::Prefs;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// eframe's keys: position and size of the window, and what egui remembers of panels.
const WINDOW: &str = "window";
const LAYOUT: &str = "egui";
/// A larger file is not one of ours, bytes.
const LARGEST: u64 = 4 << 20;
/// What egui's own menus offer.
const ZOOMS: std::ops::RangeInclusive<f32> = 0.2..=5.0;
/// Larger than any place or length on a screen, points.
const FARTHEST: f64 = 1e5;

type Values = BTreeMap<String, String>;

/// Where settings are kept while the window is open.
#[derive(Debug)]
pub(super) struct Settings {
    file: PathBuf,
    working: PathBuf,
    /// As they are in the file.
    written: Values,
    /// A failure to write is reported once.
    failed: bool,
}

impl Settings {
    /// Reads the settings of a folder, makes eframe's working copy, and says what cannot be used. `None` where the folder
    /// cannot be made: the program runs without.
    pub(super) fn open(folder: &Path) -> Option<(Self, Vec<Said>)> {
        std::fs::create_dir_all(folder).map_err(|error| log::warn!("{}: {error}", folder.display())).ok()?;
        let (file, working) = (folder.join("app.ron"), folder.join("app.working.ron"));
        let mut wrong = Vec::new();
        let mut values = read(&file).unwrap_or_else(|why| {
            wrong.push(why);
            Values::new()
        });
        wrong.extend(check(&mut values));
        let mut written = values.clone();
        let mut said = Vec::new();
        if !wrong.is_empty() {
            // The artist may want to look at what was there. The good values must outlive a kill before the first save.
            let copy = std::fs::copy(&file, folder.join("app.unusable.ron"));
            let kept = copy.map_err(|error| log::warn!("{}: {error}", file.display())).is_ok();
            if !kept || store(&file, &values).is_err() {
                written = Values::new();
            }
            let name = file.display().to_string();
            said = wrong.into_iter().map(|why| Said::SettingsReset { file: name.clone(), why, kept }).collect();
        }
        if let Err(why) = store(&working, &values) {
            // eframe starts with its defaults where there is no copy.
            log::warn!("{why}");
            std::fs::remove_file(&working).ok();
        }
        Some((Self { file, working, written, failed: false }, said))
    }

    /// The file that eframe reads at the start and may write as it likes.
    pub(super) fn working_copy(&self) -> PathBuf {
        self.working.clone()
    }

    /// Writes what eframe has been told to keep; the failure, the first time.
    pub(super) fn keep(&mut self, storage: &dyn eframe::Storage) -> Result<(), Diagnostic> {
        let value = |key: &str| Some((key.to_owned(), storage.get_string(key)?));
        let values: Values = [WINDOW, LAYOUT, PREFS, RECENT].into_iter().filter_map(value).collect();
        if values == self.written {
            return Ok(());
        }
        match store(&self.file, &values) {
            Ok(()) => {
                (self.written, self.failed) = (values, false);
                Ok(())
            }
            Err(said) if !std::mem::replace(&mut self.failed, true) => Err(said),
            Err(_) => Ok(()),
        }
    }
}

fn store(file: &Path, values: &Values) -> Result<(), Diagnostic> {
    let unencoded = || Diagnostic::error(Place::file(file.display().to_string()), "the settings cannot be encoded");
    write_atomic(file, encode(values).ok_or_else(unencoded)?.as_bytes())
}

/// Every value of the file; none where there is no file.
fn read(file: &Path) -> Result<Values, String> {
    let file = match std::fs::File::open(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Values::new()),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if read as u64 > LARGEST {
        return Err(format!("> {LARGEST} bytes"));
    }
    decode(&text).ok_or_else(|| "RON".to_owned())
}

/// Takes out the values that cannot be used; each by its key and what is wrong, without words of a language.
fn check(values: &mut Values) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |key: &str, fault: fn(&str) -> Option<String>| {
        if let Some(why) = values.get(key).and_then(|text| fault(text)) {
            values.remove(key);
            wrong.push(format!("{key}: {why}"));
        }
    };
    check(WINDOW, window_fault);
    check(LAYOUT, layout_fault);
    check(PREFS, |text| decode::<Prefs>(text).is_none().then(|| "RON".to_owned()));
    check(RECENT, |text| decode::<Vec<PathBuf>>(text).is_none().then(|| "RON".to_owned()));
    // Of egui's options only the zoom is the artist's; all others are the program's own at every start.
    if let Some(mut memory) = values.get(LAYOUT).and_then(|text| decode::<egui::Memory>(text)) {
        let zoom = std::mem::take(&mut memory.options).zoom_factor;
        memory.options.zoom_factor = zoom;
        values.extend(encode(&memory).map(|text| (LAYOUT.to_owned(), text)));
    }
    wrong
}

/// What is wrong with the place of the window.
fn window_fault(text: &str) -> Option<String> {
    /// As eframe writes it.
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
    far_number(text)
}

/// What is wrong with what egui remembers.
fn layout_fault(text: &str) -> Option<String> {
    let Some(memory) = decode::<egui::Memory>(text) else { return Some("RON".to_owned()) };
    let zoom = memory.options.zoom_factor;
    if !ZOOMS.contains(&zoom) {
        return Some(format!("zoom_factor {zoom:?}"));
    }
    far_number(text)
}

/// A number with a point or an exponent that is no place on a screen. Whole numbers are keys of egui's, and as large as they
/// like.
fn far_number(text: &str) -> Option<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_')));
    let is_far = |word: &&str| {
        let is_whole = word.bytes().all(|byte| byte.is_ascii_digit());
        // "inf" and "NaN" are numbers too.
        !is_whole && word.parse::<f64>().is_ok_and(|number| !number.is_finite() || number.abs() > FARTHEST)
    };
    words.into_iter().find(is_far).map(str::to_owned)
}

/// eframe's own way from text to values, which is all it opens of its format.
fn decode<T: DeserializeOwned>(text: &str) -> Option<T> {
    eframe::get_value(&OneText(text.to_owned()), "")
}

fn encode(value: &impl Serialize) -> Option<String> {
    let mut text = OneText(String::new());
    eframe::set_value(&mut text, "", value);
    Some(text.0).filter(|text| !text.is_empty())
}

/// A storage of one text, whatever the key.
struct OneText(String);

impl eframe::Storage for OneText {
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

    /// What eframe hands over when it saves.
    struct Kept(Values);

    impl eframe::Storage for Kept {
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

    fn usual() -> Values {
        let prefs = encode(&Prefs { reduce_motion: true, ..Prefs::default() }).expect("encoded");
        let values =
            [(WINDOW, window("1440.0")), (LAYOUT, layout(1.5)), (PREFS, prefs), (RECENT, "[\"/a.vrm\"]".into())];
        values.map(|(key, value)| (key.to_owned(), value)).into()
    }

    /// What the next start finds in the working copy, and what it says.
    fn start(folder: &Path, text: &str) -> (Values, Vec<Said>) {
        std::fs::write(folder.join("app.ron"), text).expect("written");
        let (settings, said) = Settings::open(folder).expect("a folder");
        let copy = std::fs::read_to_string(settings.working_copy()).expect("a copy");
        (decode(&copy).expect("a map of texts"), said)
    }

    #[test]
    fn settings_that_were_kept_come_back_at_the_next_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, said) = Settings::open(folder.path()).expect("a folder");
        assert_eq!(said, []);
        settings.keep(&Kept(usual())).expect("written");
        let text = std::fs::read_to_string(folder.path().join("app.ron")).expect("written");
        let (values, said) = start(folder.path(), &text);
        assert_eq!(said, []);
        for key in [WINDOW, PREFS, RECENT] {
            assert_eq!(values[key], usual()[key]);
        }
        assert_eq!(decode::<egui::Memory>(&values[LAYOUT]).expect("a layout").options.zoom_factor, 1.5);
    }

    #[test]
    fn a_value_that_egui_cannot_use_is_left_out_alone_and_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        for (key, value, why) in [
            (LAYOUT, layout(1e30), "egui: zoom_factor 1e30"),
            (LAYOUT, layout(f32::NAN), "egui: zoom_factor NaN"),
            (LAYOUT, layout(0.0), "egui: zoom_factor 0.0"),
            (LAYOUT, "(((".to_owned(), "egui: RON"),
            (WINDOW, window("1e30"), "window: inner_size_points [1e30 900.0]"),
            (WINDOW, window("0.0"), "window: inner_size_points [0.0 900.0]"),
            (WINDOW, window("1440.0").replace("79.0", "-1e12"), "window: -1e12"),
            (PREFS, "(mode:".to_owned(), "prefs: RON"),
            (RECENT, "7".to_owned(), "recent: RON"),
        ] {
            let mut values = usual();
            values.insert(key.to_owned(), value);
            let (copy, said) = start(folder.path(), &encode(&values).expect("encoded"));
            let [Said::SettingsReset { file, why: found, kept: true }] = said.as_slice() else {
                panic!("{why}: {said:?}")
            };
            assert!(file.ends_with("app.ron"));
            assert!(found.starts_with(why.split(" [").next().unwrap_or(why)), "{found}, not {why}");
            let others: Vec<_> = usual().into_keys().filter(|other| other != key).collect();
            assert_eq!(copy.into_keys().collect::<Vec<_>>(), others, "{why}");
            // As a kill before the first save leaves it.
            let text = std::fs::read_to_string(folder.path().join("app.ron")).expect("written at once");
            let kept: Values = decode(&text).expect("a map of texts");
            assert_eq!(kept.into_keys().collect::<Vec<_>>(), others, "{why}");
        }
    }

    #[test]
    fn a_file_that_is_no_settings_starts_the_defaults_and_stays_for_the_artist() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = encode(&usual()).expect("encoded");
        let half = &whole[..whole.len() / 2];
        for text in [half, "", "[1, 2]", "\u{0}\u{0}", &"(".repeat(100_000)] {
            let (copy, said) = start(folder.path(), text);
            assert_eq!((copy, said.len()), (Values::new(), 1), "{text:.20}");
            let kept = std::fs::read_to_string(folder.path().join("app.unusable.ron")).expect("kept");
            assert_eq!(kept, text);
            let (_, said) = Settings::open(folder.path()).expect("a folder");
            assert_eq!(said, [], "it is reported once");
        }
    }

    #[test]
    fn settings_that_cannot_be_copied_are_neither_replaced_nor_called_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("app.unusable.ron")).expect("something in the way");
        let (copy, said) = start(folder.path(), "[1, 2]");
        assert_eq!(copy, Values::new());
        assert!(matches!(said.as_slice(), [Said::SettingsReset { kept: false, .. }]), "{said:?}");
        assert!(!said[0].to_string().contains("kept"), "{}", said[0]);
        assert_eq!(std::fs::read_to_string(folder.path().join("app.ron")).expect("there"), "[1, 2]");
    }

    #[test]
    fn settings_that_cannot_be_written_are_reported_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, _) = Settings::open(folder.path()).expect("a folder");
        std::fs::create_dir(folder.path().join("app.ron")).expect("something in the way");
        assert!(settings.keep(&Kept(usual())).is_err());
        assert!(settings.keep(&Kept(usual())).is_ok(), "the same failure twice");
    }
}
