//! Settings of the artist that are saved between runs. Some settings apply to all characters, others to a single
//! character.

use crate::stage::KeyLight;
use crate::ui::kit::i18n::Lang;
use crate::ui::kit::theme::ThemeMode;
use std::path::PathBuf;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{ExportOptions, LineEnding};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::Character;
use yuremono_sim::rig::TestMotion;

/// Visibility of viewport overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct OverlayToggles {
    pub bones: bool,
    pub hit_radii: bool,
    pub colliders: bool,
    /// Visibility of limit fans.
    pub limits: bool,
    pub handles: bool,
    pub names: bool,
    pub length_limits: bool,
    /// Visibility of the arrows that show why tips move.
    pub causes: bool,
    /// Hides bones that are not selected.
    pub selected_only: bool,
    /// Hides colliders that are not selected.
    pub selected_colliders_only: bool,
    pub legend: bool,
}

impl Default for OverlayToggles {
    fn default() -> Self {
        Self {
            bones: true,
            hit_radii: true,
            colliders: true,
            limits: true,
            handles: true,
            names: false,
            length_limits: true,
            causes: true,
            selected_only: false,
            selected_colliders_only: false,
            legend: true,
        }
    }
}

/// Background of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewportBackground {
    /// The gradient of the theme.
    #[default]
    Theme,
    DarkGradient,
    LightGradient,
    /// One dark colour, without a grid.
    FlatDark,
    /// One light colour, without a grid.
    FlatLight,
}

impl ViewportBackground {
    pub const ALL: [Self; 5] = [Self::Theme, Self::DarkGradient, Self::LightGradient, Self::FlatDark, Self::FlatLight];

    pub const fn label(self) -> MessageText {
        match self {
            Self::Theme => message!("As the theme"),
            Self::DarkGradient => message!("Dark gradient"),
            Self::LightGradient => message!("Light gradient"),
            Self::FlatDark => message!("Flat dark"),
            Self::FlatLight => message!("Flat light"),
        }
    }
}

/// Light and background of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ViewportLook {
    /// Direction of the key light, see [`KeyLight::at`].
    light_degrees: f32,
    pub background: ViewportBackground,
    /// Whether *Save picture* saves the character without a background.
    pub transparent_pictures: bool,
    pub onion_skins: OnionSkins,
}

/// Earlier positions of the selected chains in the viewport.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct OnionSkins {
    pub shown: bool,
    count: u8,
    spacing: u8,
}

impl OnionSkins {
    /// Smallest and largest number of positions.
    pub const COUNT: [u8; 2] = [1, 24];
    /// Smallest and largest distance between two positions, in steps.
    pub const SPACING: [u8; 2] = [1, 30];

    /// Returns the number of positions.
    pub fn count(self) -> u8 {
        self.count.clamp(Self::COUNT[0], Self::COUNT[1])
    }

    /// Returns the distance between two positions, in steps.
    pub fn spacing(self) -> u8 {
        self.spacing.clamp(Self::SPACING[0], Self::SPACING[1])
    }

    pub fn set_count(&mut self, count: u8) {
        self.count = Self { count, ..*self }.count();
    }

    pub fn set_spacing(&mut self, spacing: u8) {
        self.spacing = Self { spacing, ..*self }.spacing();
    }
}

impl Default for OnionSkins {
    fn default() -> Self {
        Self { shown: false, count: 6, spacing: 4 }
    }
}

impl ViewportLook {
    pub fn key_light(&self) -> KeyLight {
        KeyLight::at(self.light_degrees)
    }

    pub fn set_key_light(&mut self, light: KeyLight) {
        self.light_degrees = light.degrees();
    }

    /// Turns the key light around the character.
    pub fn turn_light(&mut self, degrees: f32) {
        self.set_key_light(KeyLight::at(self.key_light().degrees() + degrees));
    }
}

impl Default for ViewportLook {
    fn default() -> Self {
        Self {
            light_degrees: KeyLight::default().degrees(),
            background: ViewportBackground::default(),
            transparent_pictures: false,
            onion_skins: OnionSkins::default(),
        }
    }
}

/// Settings that are saved between runs.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Prefs {
    pub mode: ThemeMode,
    pub lang: Lang,
    /// Whether animations are disabled.
    pub reduce_motion: bool,
    pub toggles: OverlayToggles,
    pub look: ViewportLook,
    /// Whether each of the three first-start hints is completed or dismissed.
    pub dismissed_hints: [bool; 3],
    /// Previewed frame rate of players, in frames per second; `None` for the default.
    pub player_frame_rate: Option<u32>,
    pub table_export: TableExportPrefs,
    /// The chosen mirror axis for each character file name, with the newest entry last.
    pub mirrors: Vec<(String, FlipAxis)>,
    /// The last motion for each character file name, with the newest entry last.
    pub motions: Vec<(String, LastMotion)>,
    /// The folder of the last motion file.
    pub motion_folder: Option<PathBuf>,
    /// Whether the camera stays in place if the character walks away.
    pub camera_stays: bool,
}

/// A motion that is chosen again when its character opens again.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum LastMotion {
    Still,
    Test(TestMotion),
    /// An animation of the character file, by its name.
    Clip(String),
    /// An animation of a motion file.
    File {
        path: PathBuf,
        clip: String,
    },
}

/// Text format of exported tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct TableExportPrefs {
    /// Whether lines end in CRLF. `None` uses the default of the operating system.
    pub crlf: Option<bool>,
    /// Whether numbers have as many digits as Unity writes.
    pub unity_digits: bool,
    /// Whether to omit rows that only Yuremono reads.
    pub omit_extensions: bool,
}

impl Prefs {
    /// Largest number of characters whose choices are kept.
    pub const MAX_CHARACTERS: usize = 64;

    pub fn mirror_of(&self, character: &str) -> Option<FlipAxis> {
        choice_of(&self.mirrors, character).copied()
    }

    pub fn remember_mirror(&mut self, character: &str, axis: FlipAxis) {
        remember(&mut self.mirrors, character, axis);
    }

    pub fn motion_of(&self, character: &str) -> Option<&LastMotion> {
        choice_of(&self.motions, character)
    }

    pub fn remember_motion(&mut self, character: &str, motion: LastMotion) {
        remember(&mut self.motions, character, motion);
    }

    /// Returns the proposed export options: the defaults of the character, combined with the last choices of the
    /// artist.
    pub fn export_options(&self, character: &Character) -> ExportOptions {
        let proposed = ExportOptions::for_character(DEFAULT_FORMAT, character);
        let line_end = |crlf| if crlf { LineEnding::CrLf } else { LineEnding::Lf };
        ExportOptions {
            flip_axis: self.mirror_of(&character.name).unwrap_or(proposed.flip_axis),
            line_ending: self.table_export.crlf.map_or(proposed.line_ending, line_end),
            significant_digits: self.table_export.unity_digits.then_some(UNITY_DIGITS),
            write_comment_rows: !self.table_export.omit_extensions,
            ..proposed
        }
    }
}

fn choice_of<'a, T>(choices: &'a [(String, T)], character: &str) -> Option<&'a T> {
    choices.iter().rev().find(|(name, _)| name == character).map(|(_, choice)| choice)
}

/// Stores a choice, and removes the oldest choice if there are more than [`Prefs::MAX_CHARACTERS`].
fn remember<T>(choices: &mut Vec<(String, T)>, character: &str, choice: T) {
    choices.retain(|(name, _)| name != character);
    choices.push((character.to_owned(), choice));
    let more = choices.len().saturating_sub(Prefs::MAX_CHARACTERS);
    choices.drain(..more);
}

/// Number of significant digits that Unity writes.
pub const UNITY_DIGITS: u8 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_of_the_oldest_characters_are_forgotten() {
        let mut prefs = Prefs::default();
        for at in 0..=Prefs::MAX_CHARACTERS {
            prefs.remember_mirror(&format!("{at}.vrm"), FlipAxis::Z);
        }
        prefs.remember_mirror("1.vrm", FlipAxis::X);
        assert_eq!(prefs.mirrors.len(), Prefs::MAX_CHARACTERS);
        assert_eq!(prefs.mirror_of("0.vrm"), None, "the oldest entry is removed");
        assert_eq!(prefs.mirror_of("1.vrm"), Some(FlipAxis::X), "the last choice counts");
        assert_eq!(prefs.mirror_of("64.vrm"), Some(FlipAxis::Z));
    }

    #[test]
    fn the_light_is_saved_and_an_invalid_direction_becomes_the_default() {
        let mut prefs = Prefs::default();
        prefs.look.turn_light(-165.0);
        assert_eq!(prefs.look.key_light().degrees(), 165.0);
        let saved = serde_json::to_string(&prefs).expect("JSON");
        assert_eq!(serde_json::from_str::<Prefs>(&saved).expect("preferences"), prefs);
        let old: Prefs = serde_json::from_str("{}").expect("preferences");
        assert_eq!(old.look, ViewportLook::default());
        assert_eq!(ViewportLook { light_degrees: f32::INFINITY, ..old.look }.key_light(), KeyLight::default());
    }

    #[test]
    fn export_options_start_from_the_last_choice() {
        let character = Character { name: "girl.vrm".to_owned(), ..Character::default() };
        let mut prefs = Prefs {
            table_export: TableExportPrefs { crlf: Some(true), unity_digits: true, omit_extensions: true },
            ..Prefs::default()
        };
        prefs.remember_mirror("girl.vrm", FlipAxis::Z);
        let options = prefs.export_options(&character);
        assert_eq!((options.flip_axis, options.line_ending), (FlipAxis::Z, LineEnding::CrLf));
        assert_eq!((options.significant_digits, options.write_comment_rows), (Some(7), false));
        let usual = Prefs::default().export_options(&character);
        assert_eq!(usual, ExportOptions::for_character(DEFAULT_FORMAT, &character));
    }
}
