//! Sets egui's style, and provides the theme that widgets read.
//!
//! [`apply`] fills egui's style for both modes and stores a [`Theme`] in the context; widgets call [`Theme::of`].

use super::fonts;
use super::i18n::Lang;
use crate::ui::kit::tokens::{
    self, Palette, SHADOW_POPUP, SHADOW_WINDOW, ShadowToken, TextToken, radius, size, space, stroke,
};
use egui::style::{ScrollStyle, Selection, WidgetVisuals, Widgets};
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Id, Margin, Shadow, Stroke, Style, TextStyle, Ui, Visuals, vec2,
};
use std::borrow::Borrow;
use std::borrow::Cow;
use yuremono_sim::diagnostics::MessageText;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeMode {
    #[default]
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    pub mode: ThemeMode,
    pub lang: Lang,
    /// Whether animations are disabled.
    pub reduce_motion: bool,
    pub color: &'static Palette,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(ThemeMode::Dark, Lang::En)
    }
}

impl Theme {
    pub const fn new(mode: ThemeMode, lang: Lang) -> Self {
        let color = match mode {
            ThemeMode::Dark => &tokens::DARK,
            ThemeMode::Light => &tokens::LIGHT,
        };
        Self { mode, lang, reduce_motion: false, color }
    }

    /// Returns the current theme. Before the first call of [`apply`], the theme is dark and English.
    pub fn of(ui: &Ui) -> Self {
        Self::of_context(ui.ctx())
    }

    pub fn of_context(ctx: &Context) -> Self {
        ctx.data(|d| d.get_temp(Id::NULL)).unwrap_or_default()
    }

    pub fn is_japanese(&self) -> bool {
        self.lang == Lang::Ja
    }

    pub fn tr(&self, text: impl Borrow<MessageText>) -> Cow<'static, str> {
        self.lang.tr(text)
    }

    /// Number of colours between which [`Self::ramp`] interpolates.
    pub const RAMP_STOPS: usize = tokens::RAMP.len();

    /// Returns the colour of a position on the scale of values, 0 to 1.
    pub fn ramp(&self, position: f32) -> Color32 {
        let at = position.clamp(0.0, 1.0) * (Self::RAMP_STOPS - 1) as f32;
        let below = (at as usize).min(Self::RAMP_STOPS - 2);
        let stop = |at: usize| {
            let [dark, light] = tokens::RAMP[at];
            if self.mode == ThemeMode::Dark { dark } else { light }
        };
        stop(below).lerp_to_gamma(stop(below + 1), at - below as f32)
    }

    /// Converts a duration of `tokens::motion` to seconds. Returns 0 with reduced motion.
    pub fn seconds(&self, milliseconds: f32) -> f32 {
        if self.reduce_motion { tokens::motion::REDUCED_MOTION_MS } else { milliseconds / 1000.0 }
    }

    pub fn role(&self, role: ColorRole) -> Color32 {
        match role {
            ColorRole::Neutral => self.color.text_2,
            ColorRole::Accent => self.color.accent,
            ColorRole::Inertia => self.color.inertia,
            ColorRole::Spring => self.color.spring,
            ColorRole::Gravity => self.color.gravity,
            ColorRole::Collision => self.color.collision,
            ColorRole::Limit => self.color.limit,
            ColorRole::Wind => self.color.wind,
        }
    }
}

/// Meanings of colours in bars, curves, arrows and plots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorRole {
    /// Values without physics, such as playback speed and counts.
    #[default]
    Neutral,
    Accent,
    Inertia,
    Spring,
    Gravity,
    Collision,
    Limit,
    Wind,
}

impl ColorRole {
    pub const fn for_meaning(meaning: yuremono_sim::params::ParamMeaning) -> Self {
        use yuremono_sim::params::ParamMeaning;
        match meaning {
            ParamMeaning::Stiffness => Self::Spring,
            ParamMeaning::Drag => Self::Inertia,
            ParamMeaning::Gravity => Self::Gravity,
            ParamMeaning::Radius | ParamMeaning::Contact => Self::Collision,
            ParamMeaning::Limit => Self::Limit,
            ParamMeaning::Wind => Self::Wind,
            ParamMeaning::Time | ParamMeaning::Switch => Self::Neutral,
        }
    }

    /// Returns the colour of a part of a tip's movement. Length limits and angle limits have the same colour; their marks
    /// differ in shape.
    pub const fn for_part(part: yuremono_sim::TipPart) -> Self {
        use yuremono_sim::TipPart;
        match part {
            TipPart::Inertia => Self::Inertia,
            TipPart::Spring => Self::Spring,
            TipPart::Gravity => Self::Gravity,
            TipPart::Force => Self::Wind,
            TipPart::LengthLimit | TipPart::AngleLimit => Self::Limit,
            TipPart::Collision => Self::Collision,
            TipPart::Other => Self::Neutral,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSize {
    /// Text style of tick labels, badges and shortcuts.
    Tiny,
    /// Text style of hints, units, the status line and table notes.
    Small,
    Body,
    /// Text style of values, with tabular digits.
    Number,
    /// Text style of section headers, the selected tab and the primary button.
    Strong,
    /// Text style of dialog titles and of the selection's name.
    Title,
    Hero,
}

impl TextSize {
    pub const ALL: [Self; 7] =
        [Self::Tiny, Self::Small, Self::Body, Self::Number, Self::Strong, Self::Title, Self::Hero];

    pub const fn token(self) -> TextToken {
        let (size, line, weight) = match self {
            Self::Tiny => (11.0, 14.0, 500),
            Self::Small => (12.0, 16.0, 400),
            Self::Body => (13.0, 18.0, 400),
            Self::Number => (13.0, 18.0, 500),
            Self::Strong => (13.0, 18.0, 600),
            Self::Title => (16.0, 22.0, 600),
            Self::Hero => (22.0, 28.0, 600),
        };
        TextToken { size, line, weight }
    }

    pub fn font(self) -> FontId {
        let token = self.token();
        let family = match token.weight {
            500 => fonts::medium(),
            600 => fonts::semibold(),
            _ => FontFamily::Proportional,
        };
        FontId::new(token.size, family)
    }

    pub fn style(self) -> TextStyle {
        match self {
            Self::Small => TextStyle::Small,
            Self::Body => TextStyle::Body,
            Self::Number => TextStyle::Monospace,
            Self::Title => TextStyle::Heading,
            Self::Tiny => TextStyle::Name("tiny".into()),
            Self::Strong => TextStyle::Name("strong".into()),
            Self::Hero => TextStyle::Name("hero".into()),
        }
    }

    /// Returns a text for egui's labels, with the line height of the token.
    pub fn rich(self, text: impl Into<String>) -> egui::RichText {
        egui::RichText::new(text).text_style(self.style()).line_height(Some(self.token().line))
    }
}

/// Stores the theme in the context and sets egui's style. The call is cheap if nothing changed.
pub fn apply(ctx: &Context, theme: Theme) {
    let known: Option<Theme> = ctx.data(|d| d.get_temp(Id::NULL));
    let wanted = match theme.mode {
        ThemeMode::Dark => egui::Theme::Dark,
        ThemeMode::Light => egui::Theme::Light,
    };
    if known == Some(theme) {
        // Other code may have changed the mode of egui.
        if ctx.theme() != wanted {
            ctx.set_theme(wanted);
        }
        return;
    }
    ctx.data_mut(|d| d.insert_temp(Id::NULL, theme));
    for mode in [ThemeMode::Dark, ThemeMode::Light] {
        let of = match mode {
            ThemeMode::Dark => egui::Theme::Dark,
            ThemeMode::Light => egui::Theme::Light,
        };
        let themed = Theme { reduce_motion: theme.reduce_motion, ..Theme::new(mode, theme.lang) };
        ctx.style_mut_of(of, |style| fill_style(style, &themed));
    }
    ctx.set_theme(wanted);
}

fn fill_style(style: &mut Style, theme: &Theme) {
    style.text_styles = TextSize::ALL.iter().map(|t| (t.style(), t.font())).collect();
    style.text_styles.insert(TextStyle::Button, TextSize::Body.font());
    style.animation_time = theme.seconds(tokens::motion::HOVER_MS);
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.4;
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(space::M, space::S);
    spacing.button_padding = vec2(10.0, 5.0);
    spacing.menu_margin = Margin::same(6);
    spacing.window_margin = Margin::same(12);
    spacing.interact_size = vec2(size::BUTTON, size::HIT_MIN);
    spacing.icon_width = 16.0;
    spacing.icon_width_inner = 10.0;
    spacing.indent = 12.0;
    spacing.scroll = ScrollStyle {
        bar_width: size::SCROLLBAR,
        floating_width: 4.0,
        floating_allocated_width: 0.0,
        ..ScrollStyle::floating()
    };
    fill_visuals(&mut style.visuals, theme);
}

fn fill_visuals(visuals: &mut Visuals, theme: &Theme) {
    let c = theme.color;
    let dark = theme.mode == ThemeMode::Dark;
    *visuals = if dark { Visuals::dark() } else { Visuals::light() };
    visuals.override_text_color = None;
    if dark {
        // With egui's default, light text is so bold that weights 400 and 500 look alike.
        visuals.text_options.color_transfer_function = egui::epaint::FontColorTransferFunction::Gamma(0.75);
    }
    visuals.weak_text_color = Some(c.text_3);
    visuals.hyperlink_color = c.accent;
    visuals.faint_bg_color = c.raised;
    visuals.extreme_bg_color = c.field;
    visuals.text_edit_bg_color = Some(c.field);
    visuals.code_bg_color = c.field;
    visuals.warn_fg_color = c.warning;
    visuals.error_fg_color = c.error;
    visuals.panel_fill = c.panel;
    visuals.window_fill = c.popup;
    visuals.window_stroke = Stroke::new(stroke::EDGE, c.border_strong);
    visuals.window_corner_radius = CornerRadius::same(radius::WINDOW as u8);
    visuals.menu_corner_radius = CornerRadius::same(radius::PANEL_FLOAT as u8);
    visuals.window_shadow = shadow(SHADOW_WINDOW, dark);
    visuals.popup_shadow = shadow(SHADOW_POPUP, dark);
    visuals.selection = Selection { bg_fill: c.selection, stroke: Stroke::new(stroke::HAIRLINE, c.selection_text) };
    visuals.text_cursor.stroke = Stroke::new(stroke::FOCUS, c.focus);
    visuals.slider_trailing_fill = true;
    visuals.indent_has_left_vline = false;
    visuals.disabled_alpha = 0.5;
    let state = |fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(stroke::EDGE, edge),
        corner_radius: CornerRadius::same(radius::BUTTON as u8),
        fg_stroke: Stroke::new(stroke::HAIRLINE, text),
        expansion: 0.0,
    };
    visuals.widgets = Widgets {
        noninteractive: state(c.panel, c.border, c.text),
        // The rail of a slider has no edge, so the fill must be visible.
        inactive: WidgetVisuals { bg_fill: c.border_strong, ..state(c.raised, c.border, c.text) },
        hovered: state(c.hover, c.border_strong, c.text),
        active: state(c.pressed, c.border_strong, c.text),
        open: state(c.hover, c.border_strong, c.text),
    };
}

fn shadow(token: ShadowToken, dark: bool) -> Shadow {
    let alpha = if dark { token.dark_alpha } else { token.light_alpha };
    let color = Color32::from_black_alpha((alpha * 255.0) as u8);
    Shadow { offset: [0, token.drop as i8], blur: token.blur as u8, spread: 0, color }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_theme_can_be_read_back_from_the_context() {
        let ctx = Context::default();
        assert_eq!(Theme::of_context(&ctx), Theme::default());
        let theme = Theme { reduce_motion: true, ..Theme::new(ThemeMode::Light, Lang::Ja) };
        apply(&ctx, theme);
        assert_eq!(Theme::of_context(&ctx), theme);
        assert_eq!(ctx.style_of(egui::Theme::Light).visuals.panel_fill, tokens::LIGHT.panel);
        assert_eq!(ctx.style_of(egui::Theme::Dark).visuals.panel_fill, tokens::DARK.panel);
    }

    #[test]
    fn reduced_motion_makes_durations_zero() {
        let theme = Theme { reduce_motion: true, ..Theme::default() };
        assert_eq!(theme.seconds(tokens::motion::CAMERA_FRAME_MS), 0.0);
        assert_eq!(Theme::default().seconds(tokens::motion::CAMERA_FRAME_MS), 0.22);
    }

    #[test]
    fn text_has_readable_contrast_on_every_background() {
        for palette in [tokens::DARK, tokens::LIGHT] {
            for ground in [palette.panel, palette.raised, palette.field, palette.popup] {
                for (name, color) in palette.named() {
                    let reads = [
                        "text",
                        "text_2",
                        "text_3",
                        "inertia",
                        "spring",
                        "gravity",
                        "collision",
                        "limit",
                        "wind",
                        "error",
                        "warning",
                        "ok",
                        "info",
                    ];
                    if reads.contains(&name) {
                        assert!(contrast(color, ground) >= 4.5, "{name} {:.2}", contrast(color, ground));
                    }
                }
            }
            assert!(contrast(palette.accent_text, palette.accent) >= 4.5);
            assert!(contrast(palette.selection_text, palette.selection) >= 4.5);
        }
    }

    /// Returns the contrast ratio as defined by WCAG 2.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |c: Color32| {
            let [r, g, b] = [c.r(), c.g(), c.b()].map(|x| {
                let x = f32::from(x) / 255.0;
                if x <= 0.040_45 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }
            });
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }
}
