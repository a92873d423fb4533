//! What the artist chose for all characters and for single ones; the program keeps it from run to run.

use crate::document::Axis;
use crate::exchange::{ExportOptions, LineEnd};
use crate::rig::Character;
use crate::ui::kit::theme::Mode;
use crate::ui::kit::words::Lang;

/// What viewport overlays are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Toggles {
    /// Kites and dots.
    pub bones: bool,
    /// Tip spheres.
    pub radii: bool,
    /// What pushes.
    pub colliders: bool,
    /// Fans.
    pub limits: bool,
    /// Root rings.
    pub handles: bool,
    /// Names beside bones.
    pub names: bool,
    /// What tips keep their distance to.
    pub lengths: bool,
    /// Only what is selected.
    pub only_selected: bool,
    /// Of colliders only those that are selected.
    pub only_colliders: bool,
    /// The list of force colours.
    pub legend: bool,
}

impl Default for Toggles {
    fn default() -> Self {
        Self {
            bones: true,
            radii: true,
            colliders: true,
            limits: true,
            handles: true,
            names: false,
            lengths: true,
            only_selected: false,
            only_colliders: false,
            legend: true,
        }
    }
}

/// What stays from one run of the program to the next.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Prefs {
    /// Dark or light.
    pub mode: Mode,
    /// English or Japanese.
    pub lang: Lang,
    /// Whether nothing is to glide or fade.
    pub reduce_motion: bool,
    /// What the viewport shows.
    pub toggles: Toggles,
    /// The three hints of the first start that were followed or put away.
    pub hints_done: [bool; 3],
    /// The players' frame rate that is previewed, frames per second; `None` for the usual one.
    pub players_rate: Option<u32>,
    /// How tables were written last.
    pub tables: TablePrefs,
    /// The mirror that was chosen for a character, by its file name; the newest stands last.
    pub mirrors: Vec<(String, Axis)>,
}

/// What an artist chose for the text of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct TablePrefs {
    /// Whether lines end as on Windows; `None` as this system does.
    pub crlf: Option<bool>,
    /// Whether numbers have as many digits as Unity's own.
    pub seven_digits: bool,
    /// Whether what only Yuremono reads is left out.
    pub plain: bool,
}

impl Prefs {
    /// Characters whose mirror is remembered.
    pub const MOST_MIRRORS: usize = 64;

    /// The mirror that was chosen for the character of this file name.
    pub fn mirror_of(&self, character: &str) -> Option<Axis> {
        self.mirrors.iter().rev().find(|(name, _)| name == character).map(|(_, axis)| *axis)
    }

    /// Keeps the choice; of too many characters the one that was chosen for longest ago is forgotten.
    pub fn remember_mirror(&mut self, character: &str, axis: Axis) {
        self.mirrors.retain(|(name, _)| name != character);
        self.mirrors.push((character.to_owned(), axis));
        let more = self.mirrors.len().saturating_sub(Self::MOST_MIRRORS);
        self.mirrors.drain(..more);
    }

    /// How a table of this character is proposed to be written: what suits it, with what was chosen before.
    pub fn export_options(&self, character: &Character) -> ExportOptions {
        let proposed = ExportOptions::proposed(character);
        let line_end = |crlf| if crlf { LineEnd::CrLf } else { LineEnd::Lf };
        ExportOptions {
            mirror: self.mirror_of(&character.name).unwrap_or(proposed.mirror),
            line_end: self.tables.crlf.map_or(proposed.line_end, line_end),
            digits: self.tables.seven_digits.then_some(UNITY_DIGITS),
            extras: !self.tables.plain,
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
    fn the_mirrors_of_the_newest_characters_are_remembered() {
        let mut prefs = Prefs::default();
        for at in 0..=Prefs::MOST_MIRRORS {
            prefs.remember_mirror(&format!("{at}.vrm"), Axis::Z);
        }
        prefs.remember_mirror("1.vrm", Axis::X);
        assert_eq!(prefs.mirrors.len(), Prefs::MOST_MIRRORS);
        assert_eq!(prefs.mirror_of("0.vrm"), None, "the oldest is forgotten");
        assert_eq!(prefs.mirror_of("1.vrm"), Some(Axis::X), "the last choice counts");
        assert_eq!(prefs.mirror_of("64.vrm"), Some(Axis::Z));
    }

    #[test]
    fn what_was_chosen_for_tables_is_proposed_again() {
        let character = Character { name: "girl.vrm".to_owned(), ..Character::default() };
        let mut prefs =
            Prefs { tables: TablePrefs { crlf: Some(true), seven_digits: true, plain: true }, ..Prefs::default() };
        prefs.remember_mirror("girl.vrm", Axis::Z);
        let options = prefs.export_options(&character);
        assert_eq!((options.mirror, options.line_end), (Axis::Z, LineEnd::CrLf));
        assert_eq!((options.digits, options.extras), (Some(7), false));
        let usual = Prefs::default().export_options(&character);
        assert_eq!(usual, ExportOptions::proposed(&character));
    }
}
