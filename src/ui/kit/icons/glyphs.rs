//! The glyphs of the icon font, by name.
//!
//! `assets/fonts/icons.map`, made from the font's own style sheet, tells which code point a name has; a test
//! compares it with this table, and another finds every glyph in the font.

/// A glyph of the icon font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon {
    /// Name in the icon package.
    pub name: &'static str,
    /// Character in the font.
    pub glyph: &'static str,
}

macro_rules! icons {
    ($($id:ident $name:literal $glyph:literal)*) => {
        $(#[doc = concat!("The glyph `", $name, "`.")]
        pub const $id: Icon = Icon { name: $name, glyph: $glyph };)*

        /// All of them.
        pub const ALL: &[Icon] = &[$($id),*];
    };
}

icons! {
    PLAY "play" "\u{e3d0}"
    PAUSE "pause" "\u{e39e}"
    SKIP_FORWARD "skip-forward" "\u{e5a6}"
    ARROW_COUNTER_CLOCKWISE "arrow-counter-clockwise" "\u{e038}"
    RECORD "record" "\u{e3ee}"
    HAND_GRABBING "hand-grabbing" "\u{e57c}"
    HAND_POINTING "hand-pointing" "\u{e29a}"
    ARROW_CLOCKWISE "arrow-clockwise" "\u{e036}"
    CORNERS_OUT "corners-out" "\u{e1d0}"
    CROSSHAIR "crosshair" "\u{e1d6}"
    BONE "bone" "\u{e7f2}"
    CIRCLE_DASHED "circle-dashed" "\u{e602}"
    PILL "pill" "\u{e700}"
    ANGLE "angle" "\u{e7bc}"
    WIND "wind" "\u{e5d2}"
    ARROWS_OUT_CARDINAL "arrows-out-cardinal" "\u{e0a4}"
    TEXT_AA "text-aa" "\u{e6ee}"
    CUBE "cube" "\u{e1da}"
    LINK_SIMPLE "link-simple" "\u{e2e6}"
    GHOST "ghost" "\u{e62a}"
    EYE "eye" "\u{e220}"
    EYE_SLASH "eye-slash" "\u{e224}"
    LOCK_SIMPLE "lock-simple" "\u{e308}"
    LOCK_SIMPLE_OPEN "lock-simple-open" "\u{e30a}"
    PUSH_PIN "push-pin" "\u{e3e2}"
    MAGNIFYING_GLASS "magnifying-glass" "\u{e30c}"
    FUNNEL "funnel" "\u{e266}"
    CARET_RIGHT "caret-right" "\u{e13a}"
    CARET_DOWN "caret-down" "\u{e136}"
    CARET_UP "caret-up" "\u{e13c}"
    X "x" "\u{e4f6}"
    PLUS "plus" "\u{e3d4}"
    MINUS "minus" "\u{e32a}"
    CHECK "check" "\u{e182}"
    DOTS_THREE "dots-three" "\u{e1fe}"
    DOTS_SIX_VERTICAL "dots-six-vertical" "\u{eae2}"
    CHECK_CIRCLE "check-circle" "\u{e184}"
    WARNING "warning" "\u{e4e0}"
    X_CIRCLE "x-circle" "\u{e4f8}"
    INFO "info" "\u{e2ce}"
    MINUS_CIRCLE "minus-circle" "\u{e32c}"
    ARROW_U_UP_LEFT "arrow-u-up-left" "\u{e08a}"
    ARROW_U_UP_RIGHT "arrow-u-up-right" "\u{e08c}"
    FOLDER_OPEN "folder-open" "\u{e256}"
    FLOPPY_DISK "floppy-disk" "\u{e248}"
    FILE_CSV "file-csv" "\u{eb1c}"
    DOWNLOAD_SIMPLE "download-simple" "\u{e20c}"
    UPLOAD_SIMPLE "upload-simple" "\u{e4c0}"
    COPY "copy" "\u{e1ca}"
    TRASH "trash" "\u{e4a6}"
    BEZIER_CURVE "bezier-curve" "\u{eb00}"
    CHART_LINE "chart-line" "\u{e154}"
    SPARKLE "sparkle" "\u{e6a2}"
    CHAT_TEXT "chat-text" "\u{e17a}"
    FLIP_HORIZONTAL "flip-horizontal" "\u{ed6a}"
    ARROWS_LEFT_RIGHT "arrows-left-right" "\u{e0a0}"
    ARROW_RIGHT "arrow-right" "\u{e06c}"
    PLUS_MINUS "plus-minus" "\u{e3d8}"
    RULER "ruler" "\u{e6b8}"
    PERSON_SIMPLE "person-simple" "\u{e72e}"
    PERSON_SIMPLE_WALK "person-simple-walk" "\u{e73a}"
    GLOBE "globe" "\u{e288}"
    MOON "moon" "\u{e330}"
    KEYBOARD "keyboard" "\u{e2d8}"
    SUN "sun" "\u{e472}"
    GEAR "gear" "\u{e270}"
    QUESTION "question" "\u{e3e8}"
    CLOCK_COUNTER_CLOCKWISE "clock-counter-clockwise" "\u{e1a0}"
    CIRCLE "circle" "\u{e18a}"
    ARROW_LEFT "arrow-left" "\u{e058}"
    CARET_LEFT "caret-left" "\u{e138}"
    PENCIL_SIMPLE "pencil-simple" "\u{e3b4}"
    ARROW_BEND_DOWN_LEFT "arrow-bend-down-left" "\u{e018}"
    ARROW_ELBOW_DOWN_LEFT "arrow-elbow-down-left" "\u{e044}"
    SWAP "swap" "\u{e83c}"
    SLIDERS_HORIZONTAL "sliders-horizontal" "\u{e434}"
    STAR "star" "\u{e46a}"
    SPHERE "sphere" "\u{ee66}"
    SELECTION_ALL "selection-all" "\u{e746}"
    CAMERA "camera" "\u{e10e}"
    FILM_STRIP "film-strip" "\u{e792}"
    ARROW_DOWN "arrow-down" "\u{e03e}"
    ARROW_UP "arrow-up" "\u{e08e}"
    EXPORT "export" "\u{eaf0}"
    DROP "drop" "\u{e210}"
    MAGNET "magnet" "\u{e680}"
    HAND "hand" "\u{e298}"
    PATH "path" "\u{e39c}"
    REPEAT "repeat" "\u{e3f6}"
    FILE "file" "\u{e230}"
    IMAGE "image" "\u{e2ca}"
    SCAN "scan" "\u{ebb6}"
    TREE_STRUCTURE "tree-structure" "\u{e67c}"
    CIRCLES_THREE "circles-three" "\u{e192}"
    POLYGON "polygon" "\u{e6d0}"
    RECTANGLE "rectangle" "\u{e3f0}"
    SQUARE_HALF_BOTTOM "square-half-bottom" "\u{eb16}"
    CLIPBOARD_TEXT "clipboard-text" "\u{e198}"
    BROOM "broom" "\u{ec54}"
    PERSON_ARMS_SPREAD "person-arms-spread" "\u{ecfe}"
    GAUGE "gauge" "\u{e628}"
    WAVE_SINE "wave-sine" "\u{ea9a}"
    LIST_CHECKS "list-checks" "\u{eadc}"
    LINK_BREAK "link-break" "\u{e2e4}"
    SNOWFLAKE "snowflake" "\u{e5aa}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_icon_has_the_code_point_of_its_package() {
        let map = include_str!("../../../../assets/fonts/icons.map");
        let found: Vec<_> =
            ALL.iter().map(|i| format!("{} {:x}", i.name, i.glyph.chars().next().unwrap() as u32)).collect();
        assert_eq!(found, map.lines().collect::<Vec<_>>());
    }
}
