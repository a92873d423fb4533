//! What a surface looks like: two tones for `MToon`, one for viewers without it, and the line around it.

use super::Cloth;
use super::paint::hex;
use serde_json::{Value, json};

/// sRGB of bare skin; the face picture starts from it.
pub(super) const SKIN: u32 = 0xff_e6d8;
/// sRGB of skirt, collar and socks.
pub(super) const NAVY: u32 = 0x3a_4488;
/// sRGB of skin in the shadow of hair, chin or hem.
pub(super) const SKIN_SHADE: u32 = 0xf5_c0b2;
/// sRGB of bows and belt.
pub(super) const ACCENT: u32 = 0xff_b238;

/// Lines around surfaces: skin, hair, cloth, gold.
const LINES: [(&str, u32); 4] =
    [("Line skin", 0x9a_5550), ("Line hair", 0x30_2f78), ("Line cloth", 0x23_2652), ("Line gold", 0x8a_4420)];

/// Which of [`LINES`] a cloth has, and how many metres wide it is.
pub(super) fn line(cloth: Cloth) -> Option<(usize, f32)> {
    match cloth {
        Cloth::Eyes => None,
        Cloth::Face => Some((0, 0.0010)),
        Cloth::Skin => Some((0, 0.0009)),
        Cloth::Hair => Some((1, 0.0011)),
        Cloth::Fur => Some((1, 0.0012)),
        Cloth::White | Cloth::Navy | Cloth::Shoe => Some((2, 0.0010)),
        Cloth::Accent => Some((3, 0.0010)),
        Cloth::Gold => Some((3, 0.0007)),
    }
}

fn linear(rgb: u32) -> [f64; 3] {
    hex(rgb).to_array().map(|c| {
        let c = f64::from(c);
        let l = if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        (l * 1e4).round() / 1e4
    })
}

/// Lit colour, shaded colour and picture of a cloth.
fn look(cloth: Cloth) -> (u32, u32, Option<usize>) {
    match cloth {
        Cloth::Face => (0xff_ffff, 0xf6_c9c6, Some(0)),
        Cloth::Eyes => (0xff_ffff, 0xff_ffff, Some(5)),
        Cloth::Skin => (0xff_ffff, 0xf0_c8c4, Some(3)),
        Cloth::Hair => (0xff_ffff, 0xaf_a4e6, Some(1)),
        Cloth::Fur => (0xff_ffff, 0xb4_acea, Some(6)),
        Cloth::White => (0xfc_fbff, 0xc9_cbee, None),
        Cloth::Navy => (0xff_ffff, 0xa6_9ccf, Some(2)),
        Cloth::Accent => (0xff_ffff, 0xe6_ac92, Some(4)),
        Cloth::Shoe => (0x5b_4a6e, 0x3c_2e50, None),
        Cloth::Gold => (0xff_ffff, 0xd8_a080, Some(7)),
    }
}

/// All materials: one a cloth, then one a line.
pub(super) fn all() -> Vec<Value> {
    let lines = LINES.iter().map(|&(name, colour)| {
        let [r, g, b] = linear(colour);
        json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0
            },
            "extensions": { "KHR_materials_unlit": {} }
        })
    });
    Cloth::ALL.map(of).into_iter().chain(lines).collect()
}

fn of(cloth: Cloth) -> Value {
    let (lit, shade, picture) = look(cloth);
    let [r, g, b] = linear(lit);
    let mut base = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 });
    let (shift, toony) = match cloth {
        Cloth::Face => (0.25, 0.92),
        Cloth::Eyes => (1.0, 0.9),
        Cloth::Hair | Cloth::Fur => (-0.02, 0.86),
        _ => (-0.05, 0.92),
    };
    let mut toon = json!({
        "specVersion": "1.0",
        "shadeColorFactor": linear(shade),
        "shadingShiftFactor": shift,
        "shadingToonyFactor": toony,
        "giEqualizationFactor": 0.9,
        "outlineWidthMode": "none"
    });
    if let Some(picture) = picture {
        base["baseColorTexture"] = json!({ "index": picture });
        toon["shadeMultiplyTexture"] = json!({ "index": picture });
    }
    let closed = [Cloth::Face, Cloth::Eyes, Cloth::Skin, Cloth::Fur, Cloth::Gold];
    json!({
        "name": format!("{cloth:?}"),
        "pbrMetallicRoughness": base,
        "doubleSided": !closed.contains(&cloth),
        "extensions": { "KHR_materials_unlit": {}, "VRMC_materials_mtoon": toon }
    })
}
