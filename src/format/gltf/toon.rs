//! Toon shading: `VRMC_materials_mtoon` of VRM 1.0 and the shader properties of VRM 0.x.
//!
//! Of the many numbers only base and shade colour, the border between them, opacity and culling are read; rims,
//! outlines and matcaps are passed over. VRM 0.x colours are sRGB and its texture offsets count from below.

use super::super::gltf_json::json::{Fault, Json, Notes};
use super::textures::Textures;
use crate::rig::{AlphaMode, Material, Shading, TextureRef, Toon};
use glam::Vec2;

/// The VRM 1.0 extension of one material.
pub(crate) fn read(json: &Json<'_>, textures: &Textures<'_, '_>, notes: &Notes<'_>) -> Toon {
    Toon {
        shade_color: notes.or(json.numbers("shadeColorFactor"), [0.0; 3]),
        shade_texture: textures.of(json, "shadeMultiplyTexture"),
        shading_shift: notes.or(json.number("shadingShiftFactor"), 0.0),
        shading_toony: notes.or(json.number("shadingToonyFactor"), 0.9),
    }
}

/// `extensions.VRM.materialProperties`, one entry per material of the file.
#[derive(Debug)]
pub(crate) struct OldMaterials<'a>(Vec<Option<Json<'a>>>);

impl<'a> OldMaterials<'a> {
    pub(crate) fn read(root: &Json<'a>, notes: &Notes<'_>) -> Self {
        const PLAIN: &str = "materials are drawn as plain glTF";
        let list = |vrm: Option<Json<'a>>| {
            let Some(vrm) = vrm else { return Ok(Vec::new()) };
            Ok(vrm.objects("materialProperties")?.map(|json| notes.keep(json, PLAIN)).collect())
        };
        Self(notes.keep(root.extension("VRM").and_then(list), PLAIN).unwrap_or_default())
    }

    /// Overrides what the plain glTF material says where the shader is a known one.
    pub(crate) fn apply(&self, index: usize, material: &mut Material, textures: &Textures<'_, '_>, notes: &Notes<'_>) {
        let Some(Some(json)) = self.0.get(index) else { return };
        let shader = notes.or(json.text("shader"), "");
        let outcome = match shader {
            "VRM/MToon" => apply_mtoon(json, material, textures),
            _ if shader.contains("Unlit") => apply_unlit(json, shader, material, textures),
            _ => Ok(()),
        };
        notes.keep(outcome, "the material is drawn as plain glTF");
    }
}

fn apply_mtoon(json: &Json<'_>, material: &mut Material, textures: &Textures<'_, '_>) -> Result<(), Fault> {
    let floats = json.object("floatProperties")?;
    let float = |key: &str, default: f32| -> Result<f32, Fault> {
        Ok(floats.as_ref().map_or(Ok(None), |f| f.number(key))?.unwrap_or(default))
    };
    let vectors = json.object("vectorProperties")?;
    let color = |key: &str, default: [f32; 4]| -> Result<[f32; 4], Fault> {
        let srgb = vectors.as_ref().map_or(Ok(None), |v| v.numbers::<4>(key))?.unwrap_or(default);
        Ok([linear(srgb[0]), linear(srgb[1]), linear(srgb[2]), srgb[3]])
    };
    let shade = color("_ShadeColor", [0.97, 0.81, 0.86, 1.0])?;
    let (shading_shift, shading_toony) = border(float("_ShadeShift", 0.0)?, float("_ShadeToony", 0.9)?);
    let toon = Toon {
        shade_color: [shade[0], shade[1], shade[2]],
        shade_texture: texture(json, "_ShadeTexture", textures)?,
        shading_shift,
        shading_toony,
    };
    let alpha = match float("_BlendMode", 0.0)? as i32 {
        1 => AlphaMode::Mask(float("_Cutoff", 0.5)?),
        2 | 3 => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    let base_texture = texture(json, "_MainTex", textures)?;
    material.base_color = color("_Color", [1.0; 4])?;
    material.base_texture = base_texture;
    material.double_sided = float("_CullMode", 2.0)? as i32 == 0;
    material.alpha = alpha;
    material.shading = Shading::Toon(toon);
    Ok(())
}

fn apply_unlit(
    json: &Json<'_>,
    shader: &str,
    material: &mut Material,
    textures: &Textures<'_, '_>,
) -> Result<(), Fault> {
    if let Some(texture) = texture(json, "_MainTex", textures)? {
        material.base_texture = Some(texture);
    }
    if shader.ends_with("Cutout") {
        let floats = json.object("floatProperties")?;
        let cutoff = floats.map_or(Ok(None), |f| f.number("_Cutoff"))?.unwrap_or(0.5);
        material.alpha = AlphaMode::Mask(cutoff);
    } else if shader.contains("Transparent") {
        material.alpha = AlphaMode::Blend;
    }
    material.shading = Shading::Unlit;
    Ok(())
}

/// A texture by its shader name; all of them share the offset and scale of `_MainTex`.
fn texture(json: &Json<'_>, key: &str, textures: &Textures<'_, '_>) -> Result<Option<TextureRef>, Fault> {
    let Some(list) = json.object("textureProperties")? else { return Ok(None) };
    let Some(index) = list.whole(key)? else { return Ok(None) };
    let Some(mut found) = usize::try_from(index).ok().and_then(|index| textures.numbered(index)) else {
        return Err(list.fault(key, format!("there is no texture {index} that can be read")));
    };
    let vectors = json.object("vectorProperties")?;
    if let Some([x, y, width, height]) = vectors.map_or(Ok(None), |v| v.numbers::<4>("_MainTex"))? {
        found.scale = Vec2::new(width, height);
        // Unity counts V from below: 1 - v' = (1 - v) * height + y.
        found.offset = Vec2::new(x, 1.0 - height - y);
    }
    Ok(Some(found))
}

/// VRM 0.x states where the border begins and how hard it is; VRM 1.0 its middle and hardness.
fn border(shift: f32, toony: f32) -> (f32, f32) {
    let begin = shift;
    let end = 1.0 + (shift - 1.0) * toony;
    (-(begin + end) / 2.0, 1.0 - (end - begin) / 2.0)
}

/// sRGB to linear light.
fn linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_border_becomes_middle_and_hardness() {
        let close = |(a, b): (f32, f32), (c, d): (f32, f32)| (a - c).abs() < 1e-6 && (b - d).abs() < 1e-6;
        assert!(close(border(0.0, 1.0), (0.0, 1.0)));
        assert!(close(border(0.0, 0.9), (-0.05, 0.95)));
        assert!(close(border(-1.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn srgb_ends_meet() {
        assert_eq!(linear(0.0), 0.0);
        assert!((linear(1.0) - 1.0).abs() < 1e-6);
        assert!((linear(0.5) - 0.214_041).abs() < 1e-5);
    }
}
