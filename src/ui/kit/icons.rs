//! Icons. Most icons are glyphs of the icon font. The logo and the chain icon are painted.

use super::fonts;
use super::theme::Theme;
use super::tokens::{radius, size, stroke};
use egui::epaint::CubicBezierShape;
use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

/// Paints an icon. `size` is the side length of the icon's square, in points.
pub fn paint_icon(painter: &Painter, center: Pos2, icon: Icon, size: f32, color: Color32) {
    painter.text(center, Align2::CENTER_CENTER, icon.glyph, FontId::new(size, fonts::icons()), color);
}

/// Draws an icon that does not react to clicks.
pub fn icon(ui: &mut Ui, icon: Icon, size: f32, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::hover());
    paint_icon(ui.painter(), rect.center(), icon, size, color);
    response
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IconButton<'a> {
    pub icon: Icon,
    /// Accessible name and first line of the tooltip.
    pub name: &'a str,
    /// Shortcut in the tooltip, for example `Ctrl+Z`.
    pub key: &'a str,
    /// Sentence below the first line of the tooltip. May be empty.
    pub hint: &'a str,
    pub on: bool,
    pub enabled: bool,
    /// Side length of the icon, in points.
    pub icon_size: f32,
    /// Side length of the button, in points; at least 24.
    pub side: f32,
    /// Colour of the icon. `None` uses the default colour.
    pub color: Option<Color32>,
}

impl<'a> IconButton<'a> {
    /// Creates a button of the smallest size.
    pub fn new(icon: Icon, name: &'a str) -> Self {
        Self {
            icon,
            name,
            key: "",
            hint: "",
            on: false,
            enabled: true,
            icon_size: size::ICON,
            side: size::HIT_MIN,
            color: None,
        }
    }

    setters! {
        /// Sets the shortcut in the tooltip.
        key(key: &'a str) => key = key;
        /// Sets the sentence below the first line of the tooltip.
        hint(hint: &'a str) => hint = hint;
        on(on: bool) => on = on;
        enabled(enabled: bool) => enabled = enabled;
        tiny() => icon_size = size::ICON_TINY;
        color(color: Color32) => color = Some(color);
    }

    /// Sets the side lengths of the button and the icon.
    #[must_use]
    pub fn sized(mut self, side: f32, icon_size: f32) -> Self {
        self.side = side.max(size::HIT_MIN);
        self.icon_size = icon_size;
        self
    }

    pub fn show(self, ui: &mut Ui) -> Response {
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(self.side), sense);
        self.show_at(ui, rect, response)
    }

    /// Draws the button for an existing response.
    pub fn show_at(self, ui: &Ui, rect: Rect, response: Response) -> Response {
        let theme = Theme::of(ui);
        let c = theme.color;
        response.widget_info(|| {
            if self.on {
                WidgetInfo::selected(Role::Button, self.enabled, true, self.name)
            } else {
                WidgetInfo::labeled(Role::Button, self.enabled, self.name)
            }
        });
        let fill = match () {
            () if self.on => Some(c.selection),
            () if !self.enabled => None,
            () if response.is_pointer_button_down_on() => Some(c.pressed),
            () if response.hovered() => Some(c.hover),
            () => None,
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, radius::BUTTON, fill);
        }
        let color = match () {
            () if !self.enabled => c.text_off,
            () if self.on => c.selection_text,
            () => self.color.unwrap_or(c.text_2),
        };
        paint_icon(ui.painter(), rect.center(), self.icon, self.icon_size, color);
        focus_ring(ui, &response, rect, radius::BUTTON);
        let mut tip = self.name.to_owned();
        for (gap, more) in [("   ", self.key), ("\n", self.hint)].into_iter().filter(|(_, more)| !more.is_empty()) {
            tip.push_str(gap);
            tip.push_str(more);
        }
        response.on_hover_text(tip)
    }
}

/// Draws an icon button with a tooltip. `key` may be empty.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, key: &str) -> Response {
    IconButton::new(icon, name).key(key).show(ui)
}

/// Draws the focus ring outside the outline of a widget.
pub fn focus_ring(ui: &Ui, response: &Response, rect: Rect, corner: f32) {
    if response.has_focus() {
        let line = Stroke::new(stroke::FOCUS, Theme::of(ui).color.focus);
        ui.painter().rect_stroke(rect, corner, line, StrokeKind::Outside);
    }
}

/// Draws the chain icon: two joints on a curve.
pub fn paint_chain(painter: &Painter, center: Pos2, side: f32, color: Color32) {
    let at = |x: f32, y: f32| center + vec2(x - 0.5, y - 0.5) * side;
    let line = Stroke::new((side * 0.085).max(1.1), color);
    let points = [at(0.30, 0.20), at(0.78, 0.22), at(0.10, 0.62), at(0.66, 0.80)];
    painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, line));
    painter.circle_filled(at(0.24, 0.20), side * 0.11, color);
    painter.circle_filled(at(0.74, 0.80), side * 0.11, color);
}

/// Draws the logo: a swinging strand that is thickest at the root.
pub fn paint_logo(painter: &Painter, center: Pos2, side: f32, color: Color32) {
    let at = |x: f32, y: f32| center + vec2(x - 0.5, y - 0.5) * side;
    let curve = CubicBezierShape::from_points_stroke(
        [at(0.14, 0.18), at(0.46, 0.22), at(0.36, 0.70), at(0.88, 0.84)],
        false,
        Color32::TRANSPARENT,
        Stroke::NONE,
    );
    painter.extend((0..24_u8).map(|i| {
        let (a, b) = (f32::from(i) / 24.0, f32::from(i + 1) / 24.0);
        let line = Stroke::new(side * (0.13 - 0.06 * a), color);
        Shape::line_segment([curve.sample(a), curve.sample(b)], line)
    }));
    for (t, r) in [(0.0, 0.115), (0.36, 0.095), (0.68, 0.08), (1.0, 0.065)] {
        painter.circle_filled(curve.sample(t), side * r, color);
    }
}

/// Snaps to pixel centres, so hairlines are crisp.
pub fn snap_to_pixel(ui: &Ui, at: Pos2) -> Pos2 {
    let scale = ui.ctx().pixels_per_point();
    let snap = |x: f32| ((x * scale).floor() + 0.5) / scale;
    pos2(snap(at.x), snap(at.y))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon {
    pub name: &'static str,
    pub glyph: &'static str,
}

macro_rules! icons {
    ($($id:ident $name:literal $glyph:literal)*) => {
        $(pub const $id: Icon = Icon { name: $name, glyph: $glyph };)*

        pub const ALL: &[Icon] = &[$($id),*];
    };
}

icons! {
    PLAY "play" "\u{e3d0}"
    PAUSE "pause" "\u{e39e}"
    SKIP_FORWARD "skip-forward" "\u{e5a6}"
    SKIP_BACK "skip-back" "\u{e5a4}"
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
        let map = include_str!("../../../assets/fonts/icons.map");
        let found: Vec<_> =
            ALL.iter().map(|i| format!("{} {:x}", i.name, i.glyph.chars().next().unwrap() as u32)).collect();
        assert_eq!(found, map.lines().collect::<Vec<_>>());
    }
}
