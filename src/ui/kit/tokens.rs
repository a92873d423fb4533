//! Named values for every colour, size, stroke width and duration. Lengths are egui points.

use egui::Color32;

macro_rules! palette {
    ($($(#[$doc:meta])* $name:ident: $dark:literal, $light:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Palette {
            $($(#[$doc])* pub $name: Color32,)*
        }

        pub const DARK: Palette = Palette { $($name: rgb($dark),)* };

        pub const LIGHT: Palette = Palette { $($name: rgb($light),)* };

        impl Palette {
            pub fn named(&self) -> Vec<(&'static str, Color32)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

// The dark colour is first, the light colour second.
palette! {
    /// Colour of gaps between panels.
    window: 0x14_1518, 0xDA_DCE1;
    panel: 0x1E_2023, 0xF4_F5F7;
    raised: 0x27_292D, 0xE9_EBEF;
    field: 0x13_1417, 0xFF_FFFF;
    hover: 0x30_3338, 0xDF_E2E8;
    pressed: 0x3A_3D44, 0xD2_D6DE;
    /// Colour of hairlines.
    border: 0x34_373D, 0xCF_D3DA;
    /// Colour of the outlines of dialogs and of draggable objects.
    border_strong: 0x4A_4E56, 0xA8_AEB9;
    popup: 0x23_2529, 0xFB_FBFC;
    text: 0xE8_E9EC, 0x1A_1C20;
    text_2: 0xB4_B8C0, 0x43_4852;
    /// Colour of notes. The contrast is too low on a selection, on a hovered row and in the viewport.
    text_3: 0x94_9AA5, 0x5C_626D;
    text_off: 0x6B_707A, 0x96_9CA7;
    accent: 0x7C_9CFF, 0x3D_58D6;
    accent_hover: 0x96_B0FF, 0x30_49BF;
    accent_text: 0x0F_1420, 0xFF_FFFF;
    selection: 0x2B_3763, 0xD5_DDFB;
    selection_text: 0xED_F1FF, 0x14_225E;
    focus: 0xA9_BDFF, 0x3D_58D6;
    /// Colour of inertia, drag and settling.
    inertia: 0x3C_C8D6, 0x0A_7480;
    /// Colour of stiffness and speed.
    spring: 0x7B_CB6B, 0x35_741F;
    /// Colour of weight and constant force.
    gravity: 0xD9_8AE8, 0x94_37AB;
    /// Colour of hit radii and colliders.
    collision: 0xF4_775F, 0xBD_3A24;
    /// Colour of angle limits and length limits.
    limit: 0xE8_B84E, 0x85_5A00;
    /// Colour of wind, deliberately neutral.
    wind: 0xA8_B6C8, 0x52_617A;
    /// Colour of errors, which are always shown with an icon.
    error: 0xFF_6F6F, 0xBE_2430;
    error_bg: 0x3A_2024, 0xFB_E4E5;
    /// Colour of warnings, which are always shown with an icon.
    warning: 0xF0_B429, 0x85_5A00;
    warning_bg: 0x35_2B17, 0xFA_EFD3;
    /// Colour of success, which is always shown with an icon.
    ok: 0x63_C98B, 0x1F_7345;
    /// Colour of information, which is always shown with an icon.
    info: 0x8F_B4E8, 0x2B_5FA8;
    record: 0xFF_5A5F, 0xC9_252D;
    view_top: 0x31_343A, 0xE4_E7EC;
    view_bottom: 0x1B_1D20, 0xC3_C8D0;
    grid: 0x47_4B53, 0xA7_ADB8;
    grid_axis_x: 0xA6_5A5A, 0xC0_5A5A;
    grid_axis_z: 0x5A_78B0, 0x4E_6FB5;
    /// Colour of bones in the viewport.
    bone: 0xE3_E6EC, 0x23_262C;
    /// Colour of the halo below viewport lines.
    bone_halo: 0x0E_0F12, 0xFF_FFFF;
    /// Colour of dashed copies of an earlier state.
    ghost: 0xC8_CCD6, 0x5A_606B;
    axis_x: 0xE5_675F, 0xC2_3A32;
    axis_y: 0x78_C257, 0x3F_8424;
    axis_z: 0x5E_93EE, 0x2F_62C4;
}

/// Colours of further lines in a plot, dark and light. None of them has a meaning in physics.
pub const SERIES: [[Color32; 2]; 7] = [
    [rgb(0x7C_9CFF), rgb(0x3D_58D6)],
    [rgb(0xF2_9AC0), rgb(0xB0_3A75)],
    [rgb(0xB3_A1FF), rgb(0x6B_4FD0)],
    [rgb(0xD9_B38C), rgb(0x8A_5A33)],
    [rgb(0xA9_C7FF), rgb(0x2B_74B8)],
    [rgb(0xC9_7AA0), rgb(0x84_3060)],
    [rgb(0x94_9AA5), rgb(0x5C_626D)],
];

/// Colours of a scale of values from low to high, dark and light: the parts of the colour map viridis that differ from the
/// background. The brightness grows evenly, also for colour-blind readers.
pub const RAMP: [[Color32; 2]; 11] = [
    [rgb(0x31_688E), rgb(0x44_0154)],
    [rgb(0x2A_788E), rgb(0x48_1A6C)],
    [rgb(0x23_888E), rgb(0x47_2F7D)],
    [rgb(0x1F_988B), rgb(0x41_4487)],
    [rgb(0x22_A884), rgb(0x39_568C)],
    [rgb(0x35_B779), rgb(0x31_688E)],
    [rgb(0x54_C568), rgb(0x2A_788E)],
    [rgb(0x7A_D151), rgb(0x23_888E)],
    [rgb(0xA5_DB36), rgb(0x1F_988B)],
    [rgb(0xD2_E21B), rgb(0x22_A884)],
    [rgb(0xFD_E725), rgb(0x35_B779)],
];

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// Opacities in the range 0..=1.
pub mod alpha {
    pub const BAR_FILL: f32 = 0.17;
    pub const MIXED_FILL: f32 = 0.13;
    pub const FAN_FILL: f32 = 0.2;
    pub const FAN_FILL_IDLE: f32 = 0.08;
    pub const COLLIDER_LINE: f32 = 0.5;
    pub const COLLIDER_FILL: f32 = 0.05;
    pub const COLLIDER_FILL_TOUCHING: f32 = 0.12;
    pub const CONTACT_FILL: f32 = 0.45;
    pub const BONE_FILL_SELECTED: f32 = 0.28;
    pub const BONE_FILL_IDLE: f32 = 0.12;
    pub const BONE_IDLE: f32 = 0.6;
    /// Opacity of the outlines of skirt bones, which are dense.
    pub const SKIRT_BONE_IDLE: f32 = 0.42;
    pub const HIT_RADIUS: f32 = 0.45;
    /// Opacity of lines that the mesh hides.
    pub const BEHIND_MESH: f32 = 0.3;
    pub const GHOST_LINE: f32 = 0.7;
    pub const GHOST_FILL: f32 = 0.13;
    pub const HALO: f32 = 0.5;
    /// Opacity of objects that are currently inactive.
    pub const FAINT: f32 = 0.6;
    /// Opacity of the layer over panels that are locked.
    pub const LOCKED: f32 = 0.6;
    pub const PLOT_GRID: f32 = 0.7;
    /// Opacity of the line from a curve to the pointer.
    pub const PLOT_CURSOR: f32 = 0.55;
    pub const WIND_LINE: f32 = 0.75;
    pub const HANDLE_IDLE: f32 = 0.8;
    pub const ROW_HIGHLIGHT: f32 = 0.12;
    pub const ROW_HIGHLIGHT_EDGE: f32 = 0.32;
    /// Opacity of the line between the joints of a chain in a tree.
    pub const TREE_LINE: f32 = 0.8;
    /// Opacity of the line between the two members of a pair.
    pub const LINK: f32 = 0.4;
    /// Opacity of the small icon of a limit.
    pub const SWATCH_LIMIT_FAN: f32 = 0.3;
    pub const ROW_LINE: f32 = 0.6;
    pub const HATCH: f32 = 0.45;
    pub const CURVE_FILL: f32 = 0.07;
}

/// Distances in ascending order.
pub mod space {
    /// Space between lines of one group.
    pub const XXS: f32 = 2.0;
    /// Space between small items in a group.
    pub const XS: f32 = 4.0;
    /// Space between rows.
    pub const S: f32 = 6.0;
    /// Space between buttons.
    pub const M: f32 = 8.0;
    /// Space between groups.
    pub const L: f32 = 12.0;
    /// Padding of dialogs.
    pub const XL: f32 = 16.0;
    /// Space between columns.
    pub const XXL: f32 = 24.0;
    /// Space around a single item.
    pub const XXXL: f32 = 32.0;
}

pub mod radius {
    pub const PATCH: f32 = 2.0;
    pub const CHECKBOX: f32 = 3.0;
    pub const FIELD: f32 = 4.0;
    pub const BUTTON: f32 = 6.0;
    pub const PANEL_FLOAT: f32 = 8.0;
    pub const WINDOW: f32 = 10.0;
    pub const PILL: f32 = 999.0;
}

pub mod stroke {
    pub const HAIRLINE: f32 = 1.0;
    pub const EDGE: f32 = 1.0;
    pub const FOCUS: f32 = 2.0;
    pub const CURVE: f32 = 2.0;
    pub const CURVE_GHOST: f32 = 1.25;
    pub const BONE: f32 = 1.25;
    pub const BONE_SELECTED: f32 = 2.0;
    pub const COLLIDER: f32 = 1.25;
    pub const COLLIDER_SELECTED: f32 = 2.0;
    pub const FAN_EDGE: f32 = 1.5;
    pub const ARROW: f32 = 2.0;
    /// Width that a halo adds to its line.
    pub const HALO_EXTRA: f32 = 2.0;
}

pub mod size {
    pub const ROW: f32 = 26.0;
    pub const ROW_TREE: f32 = 24.0;
    pub const ROW_TABLE: f32 = 28.0;
    pub const BUTTON: f32 = 28.0;
    pub const BUTTON_SMALL: f32 = 22.0;
    pub const TAB: f32 = 32.0;
    pub const ICON: f32 = 16.0;
    pub const ICON_SMALL: f32 = 14.0;
    /// Size of carets, crosses and other signs next to text.
    pub const ICON_TINY: f32 = 13.0;
    pub const CHECKBOX: f32 = 15.0;
    pub const NUMBER_FIELD: f32 = 72.0;
    pub const ICON_LARGE: f32 = 20.0;
    /// Smallest hit area.
    pub const HIT_MIN: f32 = 24.0;
    pub const SCROLLBAR: f32 = 8.0;
    /// Width of the splitter between panels.
    pub const SPLITTER_HIT: f32 = 6.0;
    pub const BAR: f32 = 22.0;
    pub const BAR_LINE: f32 = 3.0;
    /// Width and height of the handle of a bar.
    pub const BAR_HANDLE: [f32; 2] = [3.0, 6.0];
    pub const KEY: f32 = 11.0;
    pub const HANDLE: f32 = 7.0;
    /// Side length of the hit area of a curve key.
    pub const KEY_HIT: f32 = 22.0;
    pub const BONE_PICK: f32 = 12.0;
    pub const ROOT_RING: f32 = 26.0;
    /// Smallest radius of the circles at hands, feet and tails.
    pub const LIMB_RING: f32 = 11.0;
    pub const CURVE_THUMB: [f32; 2] = [32.0, 18.0];
}

/// Durations in milliseconds.
pub mod motion {
    pub const HOVER_MS: f32 = 80.0;
    pub const PRESS_MS: f32 = 0.0;
    pub const PANEL_MS: f32 = 140.0;
    pub const WINDOW_MS: f32 = 120.0;
    pub const CAMERA_FRAME_MS: f32 = 220.0;
    /// Delay before a hovered preset card starts a preview.
    pub const PREVIEW_DELAY_MS: f32 = 120.0;
    pub const TOAST_MS: f32 = 5000.0;
    /// Duration of the flash of a value that changed elsewhere.
    pub const VALUE_FLASH_MS: f32 = 350.0;
    /// Duration of all animations with reduced motion.
    pub const REDUCED_MOTION_MS: f32 = 0.0;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextToken {
    /// Em height, in points.
    pub size: f32,
    /// Line height, in points.
    pub line: f32,
    /// Font weight: 400, 500 or 600.
    pub weight: u16,
}

/// Panel sizes for one size class of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelSizes {
    /// Smallest window size of this class.
    pub window: [f32; 2],
    pub top: f32,
    pub status: f32,
    pub outliner: f32,
    pub inspector: f32,
    pub drawer_open: f32,
    pub drawer_closed: f32,
    pub tool_strip: f32,
    pub transport: f32,
}

/// Size classes from narrow to wide.
pub const PANEL_SIZES: [PanelSizes; 3] = [
    NARROW,
    PanelSizes { window: [1440.0, 900.0], outliner: 264.0, inspector: 352.0, drawer_open: 236.0, ..NARROW },
    PanelSizes { window: [1920.0, 1080.0], outliner: 304.0, inspector: 392.0, drawer_open: 288.0, ..NARROW },
];
const NARROW: PanelSizes = PanelSizes {
    window: [1280.0, 720.0],
    top: 40.0,
    status: 24.0,
    outliner: 232.0,
    inspector: 328.0,
    drawer_open: 190.0,
    drawer_closed: 32.0,
    tool_strip: 40.0,
    transport: 44.0,
};

/// Minimum sizes of the panels and the window.
pub mod min_size {
    pub const OUTLINER: f32 = 200.0;
    pub const INSPECTOR: f32 = 304.0;
    pub const VIEWPORT: [f32; 2] = [420.0, 300.0];
    pub const WINDOW: [f32; 2] = [960.0, 600.0];
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowToken {
    pub drop: f32,
    pub blur: f32,
    pub dark_alpha: f32,
    pub light_alpha: f32,
}

pub const SHADOW_POPUP: ShadowToken = ShadowToken { drop: 4.0, blur: 16.0, dark_alpha: 0.42, light_alpha: 0.18 };
pub const SHADOW_WINDOW: ShadowToken = ShadowToken { drop: 8.0, blur: 28.0, dark_alpha: 0.5, light_alpha: 0.22 };
