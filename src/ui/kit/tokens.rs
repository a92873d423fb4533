//! Every colour, size, stroke and duration of the look, by name.
//!
//! Lengths are egui points. Code elsewhere reads these names.

use egui::Color32;

macro_rules! palette {
    ($($(#[$doc:meta])* $name:ident: $dark:literal, $light:literal;)*) => {
        /// The colours of one theme.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Palette {
            $($(#[$doc])* pub $name: Color32,)*
        }

        /// The dark theme.
        pub const DARK: Palette = Palette { $($name: rgb($dark),)* };

        /// The light theme.
        pub const LIGHT: Palette = Palette { $($name: rgb($light),)* };

        impl Palette {
            /// All colours with their names.
            pub fn named(&self) -> Vec<(&'static str, Color32)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

// Each colour in the dark theme, then in the light one.
palette! {
    /// Gaps between panels.
    window: 0x14_1518, 0xDA_DCE1;
    /// Panels.
    panel: 0x1E_2023, 0xF4_F5F7;
    /// Buttons, cards.
    raised: 0x27_292D, 0xE9_EBEF;
    /// Inputs.
    field: 0x13_1417, 0xFF_FFFF;
    /// Row under the pointer.
    hover: 0x30_3338, 0xDF_E2E8;
    /// Button held down.
    pressed: 0x3A_3D44, 0xD2_D6DE;
    /// Hairlines.
    border: 0x34_373D, 0xCF_D3DA;
    /// Edge of windows and of things that can be taken hold of.
    border_strong: 0x4A_4E56, 0xA8_AEB9;
    /// Windows, menus, tooltips.
    popup: 0x23_2529, 0xFB_FBFC;
    /// Values and labels.
    text: 0xE8_E9EC, 0x1A_1C20;
    /// Secondary text.
    text_2: 0xB4_B8C0, 0x43_4852;
    /// Notes; not on selection, hover or the viewport.
    text_3: 0x94_9AA5, 0x5C_626D;
    /// Controls that cannot be used.
    text_off: 0x6B_707A, 0x96_9CA7;
    /// Selected, focused, primary.
    accent: 0x7C_9CFF, 0x3D_58D6;
    /// The same under the pointer.
    accent_hover: 0x96_B0FF, 0x30_49BF;
    /// Text on accent.
    accent_text: 0x0F_1420, 0xFF_FFFF;
    /// Selected rows.
    selection: 0x2B_3763, 0xD5_DDFB;
    /// Text on selected rows.
    selection_text: 0xED_F1FF, 0x14_225E;
    /// Keyboard focus ring.
    focus: 0xA9_BDFF, 0x3D_58D6;
    /// Inertia, drag, settle.
    inertia: 0x3C_C8D6, 0x0A_7480;
    /// Stiffness, speed.
    spring: 0x7B_CB6B, 0x35_741F;
    /// Weight, constant force.
    gravity: 0xD9_8AE8, 0x94_37AB;
    /// Radius, colliders.
    collision: 0xF4_775F, 0xBD_3A24;
    /// Angles, reach, length.
    limit: 0xE8_B84E, 0x85_5A00;
    /// Wind, neutral on purpose.
    wind: 0xA8_B6C8, 0x52_617A;
    /// Error, with an icon only.
    error: 0xFF_6F6F, 0xBE_2430;
    /// Strip behind an error.
    error_bg: 0x3A_2024, 0xFB_E4E5;
    /// Warning, with an icon only.
    warning: 0xF0_B429, 0x85_5A00;
    /// Strip behind a warning.
    warning_bg: 0x35_2B17, 0xFA_EFD3;
    /// Success, with an icon only.
    ok: 0x63_C98B, 0x1F_7345;
    /// Information, with an icon only.
    info: 0x8F_B4E8, 0x2B_5FA8;
    /// Recording.
    record: 0xFF_5A5F, 0xC9_252D;
    /// Top of the viewport's backdrop.
    view_top: 0x31_343A, 0xE4_E7EC;
    /// Bottom of the viewport's backdrop.
    view_bottom: 0x1B_1D20, 0xC3_C8D0;
    /// Floor grid.
    grid: 0x47_4B53, 0xA7_ADB8;
    /// Floor line along X.
    grid_axis_x: 0xA6_5A5A, 0xC0_5A5A;
    /// Floor line along Z.
    grid_axis_z: 0x5A_78B0, 0x4E_6FB5;
    /// Bones in the viewport.
    bone: 0xE3_E6EC, 0x23_262C;
    /// Halo under viewport lines.
    bone_halo: 0x0E_0F12, 0xFF_FFFF;
    /// Dashed copies of an earlier state.
    ghost: 0xC8_CCD6, 0x5A_606B;
    /// X axis of the compass.
    axis_x: 0xE5_675F, 0xC2_3A32;
    /// Y axis of the compass.
    axis_y: 0x78_C257, 0x3F_8424;
    /// Z axis of the compass.
    axis_z: 0x5E_93EE, 0x2F_62C4;
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// Opacities, 0..=1.
pub mod alpha {
    /// Fill of a parameter bar.
    pub const BAR_FILL: f32 = 0.17;
    /// Fill of a bar with several values.
    pub const MIXED_FILL: f32 = 0.13;
    /// Limit fan of a selected joint.
    pub const FAN_FILL: f32 = 0.2;
    /// Limit fan otherwise.
    pub const FAN_FILL_IDLE: f32 = 0.08;
    /// Outline of a collider.
    pub const COLLIDER_LINE: f32 = 0.5;
    /// Inside of a collider.
    pub const COLLIDER_FILL: f32 = 0.05;
    /// Inside of a collider in contact.
    pub const COLLIDER_FILL_TOUCHING: f32 = 0.12;
    /// Contact dot.
    pub const CONTACT_FILL: f32 = 0.45;
    /// Inside of a selected bone.
    pub const BONE_FILL_SELECTED: f32 = 0.28;
    /// Inside of a bone.
    pub const BONE_FILL_IDLE: f32 = 0.12;
    /// Outline of a bone.
    pub const BONE_IDLE: f32 = 0.6;
    /// Outline of a bone of a dense lattice.
    pub const SKIRT_BONE_IDLE: f32 = 0.42;
    /// Circle of the hit radius.
    pub const HIT_RADIUS: f32 = 0.45;
    /// Lines hidden by the mesh.
    pub const BEHIND_MESH: f32 = 0.3;
    /// Dashed ghost line.
    pub const GHOST_LINE: f32 = 0.7;
    /// Inside of a ghost.
    pub const GHOST_FILL: f32 = 0.13;
    /// Halo under lines.
    pub const HALO: f32 = 0.5;
    /// What is there, but not now.
    pub const FAINT: f32 = 0.6;
    /// Lines behind a curve.
    pub const PLOT_GRID: f32 = 0.7;
    /// Line from a curve to the pointer.
    pub const PLOT_CURSOR: f32 = 0.55;
    /// A wind over time.
    pub const WIND_LINE: f32 = 0.75;
    /// Handle that the pointer is not over.
    pub const HANDLE_IDLE: f32 = 0.8;
    /// Row whose bone is under the pointer elsewhere.
    pub const ROW_HIGHLIGHT: f32 = 0.12;
    /// Its edge.
    pub const ROW_HIGHLIGHT_EDGE: f32 = 0.32;
    /// Line that joins the joints of a chain in a tree.
    pub const TREE_LINE: f32 = 0.8;
    /// Line between a pair.
    pub const LINK: f32 = 0.4;
    /// Small picture of a limit.
    pub const SWATCH_LIMIT_FAN: f32 = 0.3;
    /// Line below a row of a table.
    pub const ROW_LINE: f32 = 0.6;
    /// Hatching.
    pub const HATCH: f32 = 0.45;
    /// Area under a curve.
    pub const CURVE_FILL: f32 = 0.07;
}

/// Distances between things, smallest first.
pub mod space {
    /// Between lines that belong together.
    pub const XXS: f32 = 2.0;
    /// Between small things in a group.
    pub const XS: f32 = 4.0;
    /// Between rows.
    pub const S: f32 = 6.0;
    /// Between buttons.
    pub const M: f32 = 8.0;
    /// Between groups.
    pub const L: f32 = 12.0;
    /// From the edge of a window to its contents.
    pub const XL: f32 = 16.0;
    /// Between columns.
    pub const XXL: f32 = 24.0;
    /// Around something that stands alone.
    pub const XXXL: f32 = 32.0;
}

/// Corner radii.
pub mod radius {
    /// Small patches.
    pub const PATCH: f32 = 2.0;
    /// Tick boxes.
    pub const CHECKBOX: f32 = 3.0;
    /// Inputs.
    pub const FIELD: f32 = 4.0;
    /// Buttons.
    pub const BUTTON: f32 = 6.0;
    /// Floating strips.
    pub const PANEL_FLOAT: f32 = 8.0;
    /// Windows.
    pub const WINDOW: f32 = 10.0;
    /// Chips.
    pub const PILL: f32 = 999.0;
}

/// Line widths.
pub mod stroke {
    /// Separators.
    pub const HAIRLINE: f32 = 1.0;
    /// Edges of fields and buttons.
    pub const EDGE: f32 = 1.0;
    /// Focus ring.
    pub const FOCUS: f32 = 2.0;
    /// Curves.
    pub const CURVE: f32 = 2.0;
    /// Curve as it was before.
    pub const CURVE_GHOST: f32 = 1.25;
    /// Bones.
    pub const BONE: f32 = 1.25;
    /// Selected bones.
    pub const BONE_SELECTED: f32 = 2.0;
    /// Colliders.
    pub const COLLIDER: f32 = 1.25;
    /// Selected colliders.
    pub const COLLIDER_SELECTED: f32 = 2.0;
    /// Edges of limit fans.
    pub const FAN_EDGE: f32 = 1.5;
    /// Force arrows.
    pub const ARROW: f32 = 2.0;
    /// How much wider a halo is than its line.
    pub const HALO_EXTRA: f32 = 2.0;
}

/// Sizes of things.
pub mod size {
    /// Parameter row.
    pub const ROW: f32 = 26.0;
    /// Tree row.
    pub const ROW_TREE: f32 = 24.0;
    /// Table row.
    pub const ROW_TABLE: f32 = 28.0;
    /// Button height.
    pub const BUTTON: f32 = 28.0;
    /// Small button height.
    pub const BUTTON_SMALL: f32 = 22.0;
    /// Tab height.
    pub const TAB: f32 = 32.0;
    /// Icon.
    pub const ICON: f32 = 16.0;
    /// Icon in a row of a table.
    pub const ICON_SMALL: f32 = 14.0;
    /// Caret, cross, and other signs beside words.
    pub const ICON_TINY: f32 = 13.0;
    /// Tick box.
    pub const CHECKBOX: f32 = 15.0;
    /// Field for one number.
    pub const NUMBER_FIELD: f32 = 72.0;
    /// Icon of a tool.
    pub const ICON_LARGE: f32 = 20.0;
    /// Smallest hit area.
    pub const HIT_MIN: f32 = 24.0;
    /// Scroll bar.
    pub const SCROLLBAR: f32 = 8.0;
    /// Grip between panels.
    pub const SPLITTER_HIT: f32 = 6.0;
    /// Parameter bar height.
    pub const BAR: f32 = 22.0;
    /// Value line of a bar.
    pub const BAR_LINE: f32 = 3.0;
    /// End of the value line, width and height.
    pub const BAR_HANDLE: [f32; 2] = [3.0, 6.0];
    /// Curve key.
    pub const KEY: f32 = 11.0;
    /// Slope handle.
    pub const HANDLE: f32 = 7.0;
    /// Hit area of a curve key.
    pub const KEY_HIT: f32 = 22.0;
    /// Pick distance of a joint.
    pub const BONE_PICK: f32 = 12.0;
    /// Smallest root ring.
    pub const ROOT_RING: f32 = 26.0;
    /// Curve thumbnail.
    pub const CURVE_THUMB: [f32; 2] = [32.0, 18.0];
}

/// Durations, in milliseconds.
pub mod motion {
    /// Hover.
    pub const HOVER_MS: f32 = 80.0;
    /// Press.
    pub const PRESS_MS: f32 = 0.0;
    /// Panel opens.
    pub const PANEL_MS: f32 = 140.0;
    /// Window opens.
    pub const WINDOW_MS: f32 = 120.0;
    /// Camera re-centres.
    pub const CAMERA_FRAME_MS: f32 = 220.0;
    /// Before a hover previews.
    pub const PREVIEW_DELAY_MS: f32 = 120.0;
    /// Toast stays.
    pub const TOAST_MS: f32 = 5000.0;
    /// A value changed from elsewhere lights up.
    pub const VALUE_FLASH_MS: f32 = 350.0;
    /// All of these where motion is to be reduced.
    pub const REDUCED_MOTION_MS: f32 = 0.0;
}

/// One size of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextToken {
    /// Height of the em.
    pub size: f32,
    /// From line to line.
    pub line: f32,
    /// 400, 500 or 600.
    pub weight: u16,
}

/// Sizes of text.
pub mod text {
    use super::TextToken;

    /// Tick labels, badges, key caps.
    pub const TINY: TextToken = TextToken { size: 11.0, line: 14.0, weight: 500 };
    /// Hints, units, status line, table notes.
    pub const SMALL: TextToken = TextToken { size: 12.0, line: 16.0, weight: 400 };
    /// Everything by default.
    pub const BODY: TextToken = TextToken { size: 13.0, line: 18.0, weight: 400 };
    /// Values; tabular digits.
    pub const NUMBER: TextToken = TextToken { size: 13.0, line: 18.0, weight: 500 };
    /// Section headings, selected tab, primary button.
    pub const STRONG: TextToken = TextToken { size: 13.0, line: 18.0, weight: 600 };
    /// Window title, name of the selection.
    pub const TITLE: TextToken = TextToken { size: 16.0, line: 22.0, weight: 600 };
    /// First start only.
    pub const HERO: TextToken = TextToken { size: 22.0, line: 28.0, weight: 600 };
}

/// Sizes of the panels for one size of the program's window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelSizes {
    /// Size of the window the numbers are for.
    pub window: [f32; 2],
    /// Top bar.
    pub top: f32,
    /// Status line.
    pub status: f32,
    /// Outliner width.
    pub outliner: f32,
    /// Inspector width.
    pub inspector: f32,
    /// Drawer, open.
    pub drawer_open: f32,
    /// Drawer, closed.
    pub drawer_closed: f32,
    /// Tool strip width.
    pub tool_strip: f32,
    /// Transport height.
    pub transport: f32,
}

/// The three layouts, narrow to wide.
pub const PANEL_SIZES: [PanelSizes; 3] = [
    PanelSizes {
        window: [1280.0, 720.0],
        top: 40.0,
        status: 24.0,
        outliner: 232.0,
        inspector: 328.0,
        drawer_open: 190.0,
        drawer_closed: 32.0,
        tool_strip: 40.0,
        transport: 44.0,
    },
    PanelSizes {
        window: [1440.0, 900.0],
        top: 40.0,
        status: 24.0,
        outliner: 264.0,
        inspector: 352.0,
        drawer_open: 236.0,
        drawer_closed: 32.0,
        tool_strip: 40.0,
        transport: 44.0,
    },
    PanelSizes {
        window: [1920.0, 1080.0],
        top: 40.0,
        status: 24.0,
        outliner: 304.0,
        inspector: 392.0,
        drawer_open: 288.0,
        drawer_closed: 32.0,
        tool_strip: 40.0,
        transport: 44.0,
    },
];

/// What panels may be made as small as.
pub mod min_size {
    /// Outliner width.
    pub const OUTLINER: f32 = 200.0;
    /// Inspector width.
    pub const INSPECTOR: f32 = 304.0;
    /// Viewport.
    pub const VIEWPORT: [f32; 2] = [420.0, 300.0];
    /// The program's window.
    pub const WINDOW: [f32; 2] = [960.0, 600.0];
}

/// A shadow below something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowToken {
    /// Downwards.
    pub drop: f32,
    /// Softness.
    pub blur: f32,
    /// Opacity in the dark theme.
    pub dark_alpha: f32,
    /// Opacity in the light theme.
    pub light_alpha: f32,
}

/// Shadow of a popup.
pub const SHADOW_POPUP: ShadowToken = ShadowToken { drop: 4.0, blur: 16.0, dark_alpha: 0.42, light_alpha: 0.18 };
/// Shadow of a window.
pub const SHADOW_WINDOW: ShadowToken = ShadowToken { drop: 8.0, blur: 28.0, dark_alpha: 0.5, light_alpha: 0.22 };
