//! Fonts for Latin text in three weights, Japanese text and icons.
//!
//! The fonts are subsets of Inter, Noto Sans CJK JP and Phosphor; see `assets/fonts/README.md`. Other characters use
//! egui's fonts and, in the real window, fonts of the system.

use egui::epaint::text::VariationCoords;
use egui::{FontData, FontDefinitions, FontFamily, FontTweak};
use std::sync::Arc;

static LATIN: &[u8] = include_bytes!("../../../assets/fonts/YuremonoLatin.ttf");
static JAPANESE: &[u8] = include_bytes!("../../../assets/fonts/YuremonoJapanese.otf");
static ICONS: &[u8] = include_bytes!("../../../assets/fonts/YuremonoIcons.ttf");

/// Aligns the baselines. egui centres fallback fonts on the row. The centre of the Japanese font is 0.436 em above its
/// baseline; the centre of the Latin font is 0.364 em above its baseline.
const JAPANESE_LIFT: f32 = -0.072;

/// Returns the family of weight 500, for values and tiny text.
pub fn medium() -> FontFamily {
    FontFamily::Name("medium".into())
}

/// Returns the family of weight 600, for headings.
pub fn semibold() -> FontFamily {
    FontFamily::Name("strong".into())
}

/// Returns the family with the icon font first, so a single icon is centred on its own square.
pub fn icons() -> FontFamily {
    FontFamily::Name("icons".into())
}

/// Installs the fonts. The fonts take effect in the next frame.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(definitions());
}

/// Installs the fonts without hinting, for tests that do not look at glyphs. Hinting takes a third of the time of such a
/// test.
pub fn install_unhinted(ctx: &egui::Context) {
    let mut fonts = definitions();
    for font in fonts.font_data.values_mut() {
        Arc::make_mut(font).tweak.hinting = Some(false);
    }
    ctx.set_fonts(fonts);
}

/// Returns the fonts and the four families: proportional (400), [`medium`], [`semibold`] and [`icons`].
pub fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let defaults = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let mut add = |name: &str, bytes: &'static [u8], tweak: FontTweak| {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes).tweak(tweak)));
    };
    for (name, weight) in [("latin 400", 400.0), ("latin 500", 500.0), ("latin 600", 600.0)] {
        let coords = VariationCoords::new([(b"wght", weight)]);
        add(name, LATIN, FontTweak { coords, ..FontTweak::default() });
    }
    add("japanese", JAPANESE, FontTweak { y_offset_factor: JAPANESE_LIFT, ..FontTweak::default() });
    add("icons", ICONS, FontTweak::default());
    let mut family = |key: FontFamily, first: &[&str]| {
        let all = first.iter().map(|n| (*n).to_owned()).chain(defaults.iter().cloned());
        fonts.families.insert(key, all.collect());
    };
    family(FontFamily::Proportional, &["latin 400", "japanese", "icons"]);
    family(FontFamily::Monospace, &["latin 500", "japanese", "icons"]);
    family(medium(), &["latin 500", "japanese", "icons"]);
    family(semibold(), &["latin 600", "japanese", "icons"]);
    family(icons(), &["icons", "latin 400", "japanese"]);
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::icons;
    use egui::{Context, FontId};

    /// Returns a context with loaded fonts. The context has drawn one empty frame.
    fn context() -> Context {
        let ctx = Context::default();
        install(&ctx);
        ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        ctx
    }

    #[test]
    fn every_icon_is_in_the_font() {
        let ctx = context();
        let id = FontId::new(16.0, FontFamily::Name("icons".into()));
        for icon in icons::ALL {
            assert!(ctx.fonts_mut(|f| f.has_glyphs(&id, icon.glyph)), "{} is missing", icon.name);
        }
    }

    #[test]
    fn every_text_of_both_languages_has_glyphs() {
        let ctx = context();
        let id = FontId::proportional(13.0);
        for text in
            crate::ui::kit::i18n::all_translations().into_iter().flat_map(|(english, japanese)| [english, japanese])
        {
            assert!(ctx.fonts_mut(|f| f.has_glyphs(&id, &text.replace('\n', ""))), "{text}");
        }
    }

    #[test]
    fn jis_characters_have_glyphs() {
        let ctx = context();
        let id = FontId::proportional(13.0);
        // JIS X 0208: rows 1 to 8 (signs, kana, Greek, Cyrillic) and 16 to 84 (kanji).
        let rows = (0xA1..=0xA8_u8).chain(0xB0..=0xF4);
        let bytes: Vec<u8> = rows.flat_map(|row| (0xA1..=0xFE).flat_map(move |cell| [row, cell])).collect();
        let text = encoding_rs::EUC_JP.decode(&bytes).0;
        let points: Vec<char> = text.chars().filter(|c| *c as u32 > 0x7F && *c != '\u{FFFD}').collect();
        assert!(points.len() > 6800, "{}", points.len());
        let missing: String = points.iter().filter(|c| !ctx.fonts_mut(|f| f.has_glyph(&id, **c))).collect();
        assert_eq!(missing, "≒", "the only sign that the complete font does not contain either");
        assert!(ctx.fonts_mut(|f| f.has_glyphs(&id, "髙﨑ﾘﾎﾞﾝ")));
    }

    #[test]
    fn digits_are_of_equal_width_in_every_weight() {
        let ctx = context();
        for family in [FontFamily::Proportional, medium(), semibold()] {
            let id = FontId::new(13.0, family);
            let widths: Vec<_> = ('0'..='9').map(|c| ctx.fonts_mut(|f| f.glyph_width(&id, c))).collect();
            assert!(widths.iter().all(|w| (w - widths[0]).abs() < 0.02 && *w > 0.0), "{widths:?}");
        }
    }

    #[test]
    fn weights_differ() {
        let ctx = context();
        let width = |family| {
            let id = FontId::new(100.0, family);
            ctx.fonts_mut(|f| f.layout_no_wrap("Stiffness".to_owned(), id, egui::Color32::WHITE).size().x)
        };
        assert!(width(FontFamily::Proportional) < width(medium()));
        assert!(width(medium()) < width(semibold()));
    }
}
