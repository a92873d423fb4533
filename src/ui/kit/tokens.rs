//! Every colour, size, stroke and duration of the look, by name.
//!
//! The values are those of `assets/ui/tokens.json`; a test compares the two. Lengths are egui points.
//! Code elsewhere reads these names and writes no literals.

use egui::Color32;

/// The colours of one theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Gaps between panels.
    pub window: Color32,
    /// Panels.
    pub panel: Color32,
    /// Buttons, cards.
    pub raised: Color32,
    /// Inputs.
    pub field: Color32,
    /// Row under the pointer.
    pub hover: Color32,
    /// Button held down.
    pub pressed: Color32,
    /// Hairlines.
    pub border: Color32,
    /// Edge of windows and of things that can be taken hold of.
    pub border_strong: Color32,
    /// Windows, menus, tooltips.
    pub popup: Color32,
    /// Values and labels.
    pub text: Color32,
    /// Secondary text.
    pub text_2: Color32,
    /// Notes; not on selection, hover or the viewport.
    pub text_3: Color32,
    /// Controls that cannot be used.
    pub text_off: Color32,
    /// Selected, focused, primary.
    pub accent: Color32,
    /// The same under the pointer.
    pub accent_hover: Color32,
    /// Text on accent.
    pub accent_text: Color32,
    /// Selected rows.
    pub selection: Color32,
    /// Text on selected rows.
    pub selection_text: Color32,
    /// Keyboard focus ring.
    pub focus: Color32,
    /// Inertia, drag, settle.
    pub inertia: Color32,
    /// Stiffness, speed.
    pub spring: Color32,
    /// Weight, constant force.
    pub gravity: Color32,
    /// Radius, colliders.
    pub collision: Color32,
    /// Angles, reach, length.
    pub limit: Color32,
    /// Wind, neutral on purpose.
    pub wind: Color32,
    /// Error, with an icon only.
    pub error: Color32,
    /// Strip behind an error.
    pub error_bg: Color32,
    /// Warning, with an icon only.
    pub warning: Color32,
    /// Strip behind a warning.
    pub warning_bg: Color32,
    /// Success, with an icon only.
    pub ok: Color32,
    /// Information, with an icon only.
    pub info: Color32,
    /// Recording.
    pub record: Color32,
    /// Top of the viewport's backdrop.
    pub view_top: Color32,
    /// Bottom of the viewport's backdrop.
    pub view_bottom: Color32,
    /// Floor grid.
    pub grid: Color32,
    /// Floor line along X.
    pub grid_axis_x: Color32,
    /// Floor line along Z.
    pub grid_axis_z: Color32,
    /// Bones in the viewport.
    pub bone: Color32,
    /// Halo under viewport lines.
    pub bone_halo: Color32,
    /// Dashed copies of an earlier state.
    pub ghost: Color32,
    /// X axis of the compass.
    pub axis_x: Color32,
    /// Y axis of the compass.
    pub axis_y: Color32,
    /// Z axis of the compass.
    pub axis_z: Color32,
}

/// The dark theme.
pub const DARK: Palette = Palette {
    window: rgb(0x0014_1518),
    panel: rgb(0x001E_2023),
    raised: rgb(0x0027_292D),
    field: rgb(0x0013_1417),
    hover: rgb(0x0030_3338),
    pressed: rgb(0x003A_3D44),
    border: rgb(0x0034_373D),
    border_strong: rgb(0x004A_4E56),
    popup: rgb(0x0023_2529),
    text: rgb(0x00E8_E9EC),
    text_2: rgb(0x00B4_B8C0),
    text_3: rgb(0x0094_9AA5),
    text_off: rgb(0x006B_707A),
    accent: rgb(0x007C_9CFF),
    accent_hover: rgb(0x0096_B0FF),
    accent_text: rgb(0x000F_1420),
    selection: rgb(0x002B_3763),
    selection_text: rgb(0x00ED_F1FF),
    focus: rgb(0x00A9_BDFF),
    inertia: rgb(0x003C_C8D6),
    spring: rgb(0x007B_CB6B),
    gravity: rgb(0x00D9_8AE8),
    collision: rgb(0x00F4_775F),
    limit: rgb(0x00E8_B84E),
    wind: rgb(0x00A8_B6C8),
    error: rgb(0x00FF_6F6F),
    error_bg: rgb(0x003A_2024),
    warning: rgb(0x00F0_B429),
    warning_bg: rgb(0x0035_2B17),
    ok: rgb(0x0063_C98B),
    info: rgb(0x008F_B4E8),
    record: rgb(0x00FF_5A5F),
    view_top: rgb(0x0031_343A),
    view_bottom: rgb(0x001B_1D20),
    grid: rgb(0x0047_4B53),
    grid_axis_x: rgb(0x00A6_5A5A),
    grid_axis_z: rgb(0x005A_78B0),
    bone: rgb(0x00E3_E6EC),
    bone_halo: rgb(0x000E_0F12),
    ghost: rgb(0x00C8_CCD6),
    axis_x: rgb(0x00E5_675F),
    axis_y: rgb(0x0078_C257),
    axis_z: rgb(0x005E_93EE),
};

/// The light theme.
pub const LIGHT: Palette = Palette {
    window: rgb(0x00DA_DCE1),
    panel: rgb(0x00F4_F5F7),
    raised: rgb(0x00E9_EBEF),
    field: rgb(0x00FF_FFFF),
    hover: rgb(0x00DF_E2E8),
    pressed: rgb(0x00D2_D6DE),
    border: rgb(0x00CF_D3DA),
    border_strong: rgb(0x00A8_AEB9),
    popup: rgb(0x00FB_FBFC),
    text: rgb(0x001A_1C20),
    text_2: rgb(0x0043_4852),
    text_3: rgb(0x005C_626D),
    text_off: rgb(0x0096_9CA7),
    accent: rgb(0x003D_58D6),
    accent_hover: rgb(0x0030_49BF),
    accent_text: rgb(0x00FF_FFFF),
    selection: rgb(0x00D5_DDFB),
    selection_text: rgb(0x0014_225E),
    focus: rgb(0x003D_58D6),
    inertia: rgb(0x000A_7480),
    spring: rgb(0x0035_741F),
    gravity: rgb(0x0094_37AB),
    collision: rgb(0x00BD_3A24),
    limit: rgb(0x0085_5A00),
    wind: rgb(0x0052_617A),
    error: rgb(0x00BE_2430),
    error_bg: rgb(0x00FB_E4E5),
    warning: rgb(0x0085_5A00),
    warning_bg: rgb(0x00FA_EFD3),
    ok: rgb(0x001F_7345),
    info: rgb(0x002B_5FA8),
    record: rgb(0x00C9_252D),
    view_top: rgb(0x00E4_E7EC),
    view_bottom: rgb(0x00C3_C8D0),
    grid: rgb(0x00A7_ADB8),
    grid_axis_x: rgb(0x00C0_5A5A),
    grid_axis_z: rgb(0x004E_6FB5),
    bone: rgb(0x0023_262C),
    bone_halo: rgb(0x00FF_FFFF),
    ghost: rgb(0x005A_606B),
    axis_x: rgb(0x00C2_3A32),
    axis_y: rgb(0x003F_8424),
    axis_z: rgb(0x002F_62C4),
};

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Palette {
    /// All colours with their names in `tokens.json`.
    pub fn named(&self) -> [(&'static str, Color32); 43] {
        [
            ("window", self.window),
            ("panel", self.panel),
            ("raised", self.raised),
            ("field", self.field),
            ("hover", self.hover),
            ("pressed", self.pressed),
            ("border", self.border),
            ("border_strong", self.border_strong),
            ("popup", self.popup),
            ("text", self.text),
            ("text_2", self.text_2),
            ("text_3", self.text_3),
            ("text_off", self.text_off),
            ("accent", self.accent),
            ("accent_hover", self.accent_hover),
            ("accent_text", self.accent_text),
            ("selection", self.selection),
            ("selection_text", self.selection_text),
            ("focus", self.focus),
            ("inertia", self.inertia),
            ("spring", self.spring),
            ("gravity", self.gravity),
            ("collision", self.collision),
            ("limit", self.limit),
            ("wind", self.wind),
            ("error", self.error),
            ("error_bg", self.error_bg),
            ("warning", self.warning),
            ("warning_bg", self.warning_bg),
            ("ok", self.ok),
            ("info", self.info),
            ("record", self.record),
            ("view_top", self.view_top),
            ("view_bottom", self.view_bottom),
            ("grid", self.grid),
            ("grid_axis_x", self.grid_axis_x),
            ("grid_axis_z", self.grid_axis_z),
            ("bone", self.bone),
            ("bone_halo", self.bone_halo),
            ("ghost", self.ghost),
            ("axis_x", self.axis_x),
            ("axis_y", self.axis_y),
            ("axis_z", self.axis_z),
        ]
    }
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
    /// Line below a row of a table.
    pub const ROW_LINE: f32 = 0.6;
    /// Hatching.
    pub const HATCH: f32 = 0.45;
    /// Area under a curve.
    pub const CURVE_FILL: f32 = 0.07;

    /// All with their names in `tokens.json`.
    pub const NAMED: &[(&str, f32)] = &[
        ("bar_fill", BAR_FILL),
        ("mixed_fill", MIXED_FILL),
        ("fan_fill", FAN_FILL),
        ("fan_fill_idle", FAN_FILL_IDLE),
        ("collider_line", COLLIDER_LINE),
        ("collider_fill", COLLIDER_FILL),
        ("collider_fill_touching", COLLIDER_FILL_TOUCHING),
        ("contact_fill", CONTACT_FILL),
        ("bone_fill_selected", BONE_FILL_SELECTED),
        ("bone_fill_idle", BONE_FILL_IDLE),
        ("bone_idle", BONE_IDLE),
        ("skirt_bone_idle", SKIRT_BONE_IDLE),
        ("hit_radius", HIT_RADIUS),
        ("behind_mesh", BEHIND_MESH),
        ("ghost_line", GHOST_LINE),
        ("ghost_fill", GHOST_FILL),
        ("halo", HALO),
        ("hatch", HATCH),
        ("curve_fill", CURVE_FILL),
    ];
}

/// Distances between things, smallest first.
pub const SPACE: [f32; 8] = [2.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0];

/// Corner radii.
pub mod radius {
    /// Small patches.
    pub const TICK: f32 = 2.0;
    /// Tick boxes.
    pub const TICK_BOX: f32 = 3.0;
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

    /// The single numbers with their names in `tokens.json`.
    pub const NAMED: &[(&str, f32)] = &[
        ("tick", TICK),
        ("field", FIELD),
        ("button", BUTTON),
        ("panel_float", PANEL_FLOAT),
        ("window", WINDOW),
        ("pill", PILL),
    ];
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

    /// The single numbers with their names in `tokens.json`.
    pub const NAMED: &[(&str, f32)] = &[
        ("hairline", HAIRLINE),
        ("edge", EDGE),
        ("focus", FOCUS),
        ("curve", CURVE),
        ("curve_ghost", CURVE_GHOST),
        ("bone", BONE),
        ("bone_selected", BONE_SELECTED),
        ("collider", COLLIDER),
        ("collider_selected", COLLIDER_SELECTED),
        ("fan_edge", FAN_EDGE),
        ("arrow", ARROW),
        ("halo_extra", HALO_EXTRA),
    ];
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
    pub const TICK: f32 = 15.0;
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
    pub const BAR_NUB: [f32; 2] = [3.0, 6.0];
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

    /// The single numbers with their names in `tokens.json`.
    pub const NAMED: &[(&str, f32)] = &[
        ("row", ROW),
        ("row_tree", ROW_TREE),
        ("row_table", ROW_TABLE),
        ("button", BUTTON),
        ("button_small", BUTTON_SMALL),
        ("tab", TAB),
        ("icon", ICON),
        ("icon_large", ICON_LARGE),
        ("hit_min", HIT_MIN),
        ("scrollbar", SCROLLBAR),
        ("splitter_hit", SPLITTER_HIT),
        ("bar", BAR),
        ("bar_line", BAR_LINE),
        ("key", KEY),
        ("handle", HANDLE),
        ("key_hit", KEY_HIT),
        ("bone_pick", BONE_PICK),
        ("root_ring", ROOT_RING),
    ];
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

    /// The single numbers with their names in `tokens.json`.
    pub const NAMED: &[(&str, f32)] = &[
        ("hover_ms", HOVER_MS),
        ("press_ms", PRESS_MS),
        ("panel_ms", PANEL_MS),
        ("window_ms", WINDOW_MS),
        ("camera_frame_ms", CAMERA_FRAME_MS),
        ("preview_delay_ms", PREVIEW_DELAY_MS),
        ("toast_ms", TOAST_MS),
        ("value_flash_ms", VALUE_FLASH_MS),
        ("reduced_motion_ms", REDUCED_MOTION_MS),
    ];
}

/// One size of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    /// Height of the em.
    pub size: f32,
    /// From line to line.
    pub line: f32,
    /// 400, 500 or 600.
    pub weight: u16,
}

/// Sizes of text.
pub mod text {
    use super::Type;

    /// Tick labels, badges, key caps.
    pub const TINY: Type = Type { size: 11.0, line: 14.0, weight: 500 };
    /// Hints, units, status line, table notes.
    pub const SMALL: Type = Type { size: 12.0, line: 16.0, weight: 400 };
    /// Everything by default.
    pub const BODY: Type = Type { size: 13.0, line: 18.0, weight: 400 };
    /// Values; tabular digits.
    pub const NUMBER: Type = Type { size: 13.0, line: 18.0, weight: 500 };
    /// Section headings, selected tab, primary button.
    pub const STRONG: Type = Type { size: 13.0, line: 18.0, weight: 600 };
    /// Window title, name of the selection.
    pub const TITLE: Type = Type { size: 16.0, line: 22.0, weight: 600 };
    /// First start only.
    pub const HERO: Type = Type { size: 22.0, line: 28.0, weight: 600 };

    /// All with their names in `tokens.json`.
    pub const NAMED: &[(&str, Type)] = &[
        ("tiny", TINY),
        ("small", SMALL),
        ("body", BODY),
        ("number", NUMBER),
        ("strong", STRONG),
        ("title", TITLE),
        ("hero", HERO),
    ];
}

/// Sizes of the panels for one size of the program's window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
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
pub const LAYOUTS: [Layout; 3] = [
    Layout {
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
    Layout {
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
    Layout {
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
pub mod least {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn tokens() -> Value {
        serde_json::from_str(include_str!("../../../assets/ui/tokens.json")).expect("tokens.json is JSON")
    }

    #[track_caller]
    fn check_numbers(of: &Value, named: &[(&str, f32)]) {
        for (name, value) in named {
            let expected = of[name].as_f64().unwrap_or_else(|| panic!("tokens.json has no {name}"));
            assert_eq!(*value, expected as f32, "{name}");
        }
        let single = of.as_object().unwrap().values().filter(|v| v.is_number()).count();
        assert_eq!(named.len(), single, "a number of tokens.json is missing here");
    }

    #[test]
    fn every_colour_equals_its_token() {
        let tokens = tokens();
        for (mode, palette) in [("dark", DARK), ("light", LIGHT)] {
            let of = &tokens["color"][mode];
            for (name, color) in palette.named() {
                let hex = format!("#{:02X}{:02X}{:02X}", color.r(), color.g(), color.b());
                assert_eq!(of[name], hex, "{mode} {name}");
            }
            assert_eq!(of.as_object().unwrap().len(), palette.named().len());
        }
    }

    #[test]
    fn every_number_equals_its_token() {
        let tokens = tokens();
        check_numbers(&tokens["alpha"], alpha::NAMED);
        check_numbers(&tokens["radius"], radius::NAMED);
        check_numbers(&tokens["stroke"], stroke::NAMED);
        check_numbers(&tokens["size"], size::NAMED);
        check_numbers(&tokens["motion"], motion::NAMED);
        assert_eq!(tokens["space"], serde_json::json!(SPACE.map(|x| x as u8)));
    }

    #[test]
    fn every_size_of_text_equals_its_token() {
        let tokens = tokens();
        for (name, t) in text::NAMED {
            let of = &tokens["type"][name];
            let found = [f64::from(t.size), f64::from(t.line), f64::from(t.weight)];
            assert_eq!(found, ["size", "line", "weight"].map(|k| of[k].as_f64().unwrap()), "{name}");
        }
    }

    #[test]
    fn every_layout_equals_its_token() {
        let tokens = tokens();
        for layout in LAYOUTS {
            let of = &tokens["layout"][format!("{}x{}", layout.window[0], layout.window[1])];
            assert_eq!(of["inspector"], f64::from(layout.inspector));
            assert_eq!(of["outliner"], f64::from(layout.outliner));
            assert_eq!(of["drawer_open"], f64::from(layout.drawer_open));
        }
    }
}
