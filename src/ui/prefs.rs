//! What the artist chose for all characters and for single ones; the program keeps it from run to run.

use crate::document::FlipAxis;
use crate::exchange::{ExportOptions, LineEnding};
use crate::rig::Character;
use crate::ui::kit::i18n::Lang;
use crate::ui::kit::theme::ThemeMode;

/// What viewport overlays are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct OverlayToggles {
    /// Kites and dots.
    pub bones: bool,
    /// Tip spheres.
    pub hit_radii: bool,
    /// What pushes.
    pub colliders: bool,
    /// Fans.
    pub limits: bool,
    /// Root rings.
    pub handles: bool,
    /// Names beside bones.
    pub names: bool,
    /// What tips keep their distance to.
    pub length_limits: bool,
    /// Only what is selected.
    pub selected_only: bool,
    /// Of colliders only those that are selected.
    pub selected_colliders_only: bool,
    /// The list of force colours.
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
            selected_only: false,
            selected_colliders_only: false,
            legend: true,
        }
    }
}

/// What stays from one run of the program to the next.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Prefs {
    /// Dark or light.
    pub mode: ThemeMode,
    /// English or Japanese.
    pub lang: Lang,
    /// Whether nothing is to glide or fade.
    pub reduce_motion: bool,
    /// What the viewport shows.
    pub toggles: OverlayToggles,
    /// The three hints of the first start that were followed or put away.
    pub dismissed_hints: [bool; 3],
    /// The players' frame rate that is previewed, frames per second; `None` for the usual one.
    pub player_frame_rate: Option<u32>,
    /// How tables were written last.
    pub table_export: TableExportPrefs,
    /// The mirror that was chosen for a character, by its file name; the newest stands last.
    pub mirrors: Vec<(String, FlipAxis)>,
}

/// What an artist chose for the text of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct TableExportPrefs {
    /// Whether lines end as on Windows; `None` as this system does.
    pub crlf: Option<bool>,
    /// Whether numbers have as many digits as Unity's own.
    pub unity_digits: bool,
    /// Whether what only Yuremono reads is left out.
    pub omit_extensions: bool,
}

impl Prefs {
    /// Characters whose mirror is remembered.
    pub const MAX_MIRRORS: usize = 64;

    /// The mirror that was chosen for the character of this file name.
    pub fn mirror_of(&self, character: &str) -> Option<FlipAxis> {
        self.mirrors.iter().rev().find(|(name, _)| name == character).map(|(_, axis)| *axis)
    }

    /// Keeps the choice; of too many characters the one that was chosen for longest ago is forgotten.
    pub fn remember_mirror(&mut self, character: &str, axis: FlipAxis) {
        self.mirrors.retain(|(name, _)| name != character);
        self.mirrors.push((character.to_owned(), axis));
        let more = self.mirrors.len().saturating_sub(Self::MAX_MIRRORS);
        self.mirrors.drain(..more);
    }

    /// How a table of this character is proposed to be written: what suits it, with what was chosen before.
    pub fn export_options(&self, character: &Character) -> ExportOptions {
        let proposed = ExportOptions::default_for(character);
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

/// Significant digits that Unity writes.
pub const UNITY_DIGITS: u8 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_of_the_oldest_characters_are_forgotten() {
        let mut prefs = Prefs::default();
        for at in 0..=Prefs::MAX_MIRRORS {
            prefs.remember_mirror(&format!("{at}.vrm"), FlipAxis::Z);
        }
        prefs.remember_mirror("1.vrm", FlipAxis::X);
        assert_eq!(prefs.mirrors.len(), Prefs::MAX_MIRRORS);
        assert_eq!(prefs.mirror_of("0.vrm"), None, "the oldest is forgotten");
        assert_eq!(prefs.mirror_of("1.vrm"), Some(FlipAxis::X), "the last choice counts");
        assert_eq!(prefs.mirror_of("64.vrm"), Some(FlipAxis::Z));
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
        assert_eq!(usual, ExportOptions::default_for(&character));
    }
}
