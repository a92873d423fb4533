//! Toon shading: `VRMC_materials_mtoon` of VRM 1.0 and the shader properties of VRM 0.x.
//!
//! Of the many numbers only base and shade colour, the border between them, opacity and culling are read; rims,
//! outlines and matcaps are passed over. VRM 0.x colours are sRGB and its texture offsets count from below.

use super::super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::textures::Textures;
use crate::rig::{AlphaMode, Material, Shading, TextureRef, ToonShading};
use glam::Vec2;

/// The VRM 1.0 extension of one material.
pub(crate) fn read(json: &JsonObject<'_>, textures: &Textures<'_, '_>, notes: &GltfDiagnostics<'_>) -> ToonShading {
    ToonShading {
        shade_color: notes.value_or_default(json.numbers("shadeColorFactor"), [0.0; 3]),
        shade_texture: textures.texture_at(json, "shadeMultiplyTexture"),
        shading_shift: notes.value_or_default(json.number("shadingShiftFactor"), 0.0),
        shading_toony: notes.value_or_default(json.number("shadingToonyFactor"), 0.9),
    }
}

/// `extensions.VRM.materialProperties`, one entry per material of the file.
#[derive(Debug)]
pub(crate) struct Vrm0Materials<'a>(Vec<Option<JsonObject<'a>>>);

impl<'a> Vrm0Materials<'a> {
    pub(crate) fn read(root: &JsonObject<'a>, notes: &GltfDiagnostics<'_>) -> Self {
        const PLAIN: &str = "materials are drawn as plain glTF";
        let list = |vrm: Option<JsonObject<'a>>| {
            let Some(vrm) = vrm else { return Ok(Vec::new()) };
            Ok(vrm.objects("materialProperties")?.map(|json| notes.ok_or_warn(json, PLAIN)).collect())
        };
        Self(notes.ok_or_warn(root.extension("VRM").and_then(list), PLAIN).unwrap_or_default())
    }

    /// Overrides what the plain glTF material says where the shader is a known one.
    pub(crate) fn apply(
        &self,
        index: usize,
        material: &mut Material,
        textures: &Textures<'_, '_>,
        notes: &GltfDiagnostics<'_>,
    ) {
        let Some(Some(json)) = self.0.get(index) else { return };
        let shader = notes.value_or_default(json.text("shader"), "");
        let outcome = match shader {
            "VRM/MToon" => apply_mtoon(json, material, textures),
            _ if shader.contains("Unlit") => apply_unlit(json, shader, material, textures),
            _ => Ok(()),
        };
        notes.ok_or_warn(outcome, "the material is drawn as plain glTF");
    }
}

fn apply_mtoon(json: &JsonObject<'_>, material: &mut Material, textures: &Textures<'_, '_>) -> Result<(), JsonError> {
    let floats = json.object("floatProperties")?;
    let float = |key: &str, default: f32| -> Result<f32, JsonError> {
        Ok(floats.as_ref().map_or(Ok(None), |f| f.number(key))?.unwrap_or(default))
    };
    let vectors = json.object("vectorProperties")?;
    let color = |key: &str, default: [f32; 4]| -> Result<[f32; 4], JsonError> {
        let srgb = vectors.as_ref().map_or(Ok(None), |v| v.numbers::<4>(key))?.unwrap_or(default);
        Ok([srgb_to_linear(srgb[0]), srgb_to_linear(srgb[1]), srgb_to_linear(srgb[2]), srgb[3]])
    };
    let shade = color("_ShadeColor", [0.97, 0.81, 0.86, 1.0])?;
    let (shading_shift, shading_toony) = shading_border_to_vrm1(float("_ShadeShift", 0.0)?, float("_ShadeToony", 0.9)?);
    let toon = ToonShading {
        shade_color: [shade[0], shade[1], shade[2]],
        shade_texture: texture_property(json, "_ShadeTexture", textures)?,
        shading_shift,
        shading_toony,
    };
    let alpha = match float("_BlendMode", 0.0)? as i32 {
        1 => AlphaMode::Mask(float("_Cutoff", 0.5)?),
        2 | 3 => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    let base_texture = texture_property(json, "_MainTex", textures)?;
    material.base_color = color("_Color", [1.0; 4])?;
    material.base_texture = base_texture;
    material.double_sided = float("_CullMode", 2.0)? as i32 == 0;
    material.alpha = alpha;
    material.shading = Shading::Toon(toon);
    Ok(())
}

fn apply_unlit(
    json: &JsonObject<'_>,
    shader: &str,
    material: &mut Material,
    textures: &Textures<'_, '_>,
) -> Result<(), JsonError> {
    if let Some(texture) = texture_property(json, "_MainTex", textures)? {
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
fn texture_property(
    json: &JsonObject<'_>,
    key: &str,
    textures: &Textures<'_, '_>,
) -> Result<Option<TextureRef>, JsonError> {
    let Some(list) = json.object("textureProperties")? else { return Ok(None) };
    let Some(index) = list.unsigned(key)? else { return Ok(None) };
    let Some(mut found) = usize::try_from(index).ok().and_then(|index| textures.by_index(index)) else {
        return Err(list.error_at(key, format!("there is no texture {index} that can be read")));
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
fn shading_border_to_vrm1(shift: f32, toony: f32) -> (f32, f32) {
    let begin = shift;
    let end = 1.0 + (shift - 1.0) * toony;
    (-(begin + end) / 2.0, 1.0 - (end - begin) / 2.0)
}

/// sRGB to linear light.
fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vrm0_shading_border_converts_to_vrm1() {
        let close = |(a, b): (f32, f32), (c, d): (f32, f32)| (a - c).abs() < 1e-6 && (b - d).abs() < 1e-6;
        assert!(close(shading_border_to_vrm1(0.0, 1.0), (0.0, 1.0)));
        assert!(close(shading_border_to_vrm1(0.0, 0.9), (-0.05, 0.95)));
        assert!(close(shading_border_to_vrm1(-1.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn srgb_converts_to_linear_light() {
        assert_eq!(srgb_to_linear(0.0), 0.0);
        assert!((srgb_to_linear(1.0) - 1.0).abs() < 1e-6);
        assert!((srgb_to_linear(0.5) - 0.214_041).abs() < 1e-5);
    }
}
