//! Materials with two tones for `MToon` and one tone for viewers without `MToon`, and materials of outlines.

use super::SurfaceMaterial;
use super::paint::rgb_from_hex;
use serde_json::{Value, json};

/// sRGB of bare skin and of the base of the face texture.
pub(super) const SKIN: u32 = 0xff_e6d8;
/// sRGB of skirt, collar and socks.
pub(super) const NAVY: u32 = 0x3a_4488;
/// sRGB of skin in the shadow of hair, chin or hem.
pub(super) const SKIN_SHADE: u32 = 0xf5_c0b2;
/// sRGB of bows and belt.
pub(super) const ACCENT: u32 = 0xff_b238;

/// Outline materials: name and sRGB.
const OUTLINES: [(&str, u32); 4] =
    [("Line skin", 0x9a_5550), ("Line hair", 0x30_2f78), ("Line cloth", 0x23_2652), ("Line gold", 0x8a_4420)];

/// Returns the index in [`OUTLINES`] and the width in metres.
pub(super) fn outline_of(material: SurfaceMaterial) -> Option<(usize, f32)> {
    match material {
        SurfaceMaterial::Eyes => None,
        SurfaceMaterial::Face => Some((0, 0.0010)),
        SurfaceMaterial::Skin => Some((0, 0.0009)),
        SurfaceMaterial::Hair => Some((1, 0.0011)),
        SurfaceMaterial::Fur => Some((1, 0.0012)),
        SurfaceMaterial::White | SurfaceMaterial::Navy | SurfaceMaterial::Shoe => Some((2, 0.0010)),
        SurfaceMaterial::Accent => Some((3, 0.0010)),
        SurfaceMaterial::Gold => Some((3, 0.0007)),
    }
}

fn srgb_to_linear(rgb: u32) -> [f64; 3] {
    rgb_from_hex(rgb).to_array().map(|c| {
        let c = f64::from(c);
        let l = if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) };
        (l * 1e4).round() / 1e4
    })
}

/// Returns the lit colour, the shade colour and the index of the texture.
fn surface_style(material: SurfaceMaterial) -> (u32, u32, Option<usize>) {
    match material {
        SurfaceMaterial::Face => (0xff_ffff, 0xf6_c9c6, Some(0)),
        SurfaceMaterial::Eyes => (0xff_ffff, 0xff_ffff, Some(5)),
        SurfaceMaterial::Skin => (0xff_ffff, 0xf0_c8c4, Some(3)),
        SurfaceMaterial::Hair => (0xff_ffff, 0xaf_a4e6, Some(1)),
        SurfaceMaterial::Fur => (0xff_ffff, 0xb4_acea, Some(6)),
        SurfaceMaterial::White => (0xfc_fbff, 0xc9_cbee, None),
        SurfaceMaterial::Navy => (0xff_ffff, 0xa6_9ccf, Some(2)),
        SurfaceMaterial::Accent => (0xff_ffff, 0xe6_ac92, Some(4)),
        SurfaceMaterial::Shoe => (0x5b_4a6e, 0x3c_2e50, None),
        SurfaceMaterial::Gold => (0xff_ffff, 0xd8_a080, Some(7)),
    }
}

/// Returns all materials: one per [`SurfaceMaterial`], then one per outline.
pub(super) fn all_materials() -> Vec<Value> {
    let lines = OUTLINES.iter().map(|&(name, colour)| {
        let [r, g, b] = srgb_to_linear(colour);
        json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0
            },
            "extensions": { "KHR_materials_unlit": {} }
        })
    });
    SurfaceMaterial::ALL.map(material_json).into_iter().chain(lines).collect()
}

fn material_json(material: SurfaceMaterial) -> Value {
    let (lit, shade, picture) = surface_style(material);
    let [r, g, b] = srgb_to_linear(lit);
    let mut base = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 });
    let (shift, toony) = match material {
        SurfaceMaterial::Face => (0.25, 0.92),
        SurfaceMaterial::Eyes => (1.0, 0.9),
        SurfaceMaterial::Hair | SurfaceMaterial::Fur => (-0.02, 0.86),
        _ => (-0.05, 0.92),
    };
    let mut toon = json!({
        "specVersion": "1.0",
        "shadeColorFactor": srgb_to_linear(shade),
        "shadingShiftFactor": shift,
        "shadingToonyFactor": toony,
        "giEqualizationFactor": 0.9,
        "outlineWidthMode": "none"
    });
    if let Some(picture) = picture {
        base["baseColorTexture"] = json!({ "index": picture });
        toon["shadeMultiplyTexture"] = json!({ "index": picture });
    }
    let closed = [
        SurfaceMaterial::Face,
        SurfaceMaterial::Eyes,
        SurfaceMaterial::Skin,
        SurfaceMaterial::Fur,
        SurfaceMaterial::Gold,
    ];
    json!({
        "name": format!("{material:?}"),
        "pbrMetallicRoughness": base,
        "doubleSided": !closed.contains(&material),
        "extensions": { "KHR_materials_unlit": {}, "VRMC_materials_mtoon": toon }
    })
}
