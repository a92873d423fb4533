//! Reads `materials`: base colour, emission, opacity, unlit shading, and the toon shading of VRM 1.0 and 0.x.
//!
//! Toon shading is limited to base and shade colour, the border between them, opacity and culling. Roughness, metallic
//! values, normal maps, rims, outlines and matcaps are ignored. In VRM 0.x, colours are sRGB and texture offsets start
//! at the bottom.

use super::textures::Textures;
use crate::diagnostics::message;
use crate::format::gltf_json::json::{JsonError, JsonObject};
use crate::rig::{AlphaMode, Material, Shading, TextureRef, ToonShading};
use glam::Vec2;
use gltf::json::material::{AlphaMode as Mode, VALID_ALPHA_MODES};

/// Reads all materials in file order. Invalid fields get their defaults, with a warning.
pub(crate) fn read(root: &JsonObject<'_>, textures: &Textures<'_>) -> Result<Vec<Material>, JsonError> {
    let old_toon = Vrm0Materials::read(root);
    let one = |(index, json): (usize, Result<JsonObject<'_>, JsonError>)| {
        let Some(json) = root.ok_or_warn(json, "the default material is used") else { return Material::default() };
        let mut material = read_material(&json, index, textures);
        old_toon.apply(index, &mut material, textures);
        material
    };
    Ok(root.objects("materials")?.enumerate().map(one).collect())
}

fn read_material(json: &JsonObject<'_>, index: usize, textures: &Textures<'_>) -> Material {
    let mut material = Material {
        name: json.value_or(json.name("name").map(|n| n.map(str::to_owned)), format!("material {index}")),
        double_sided: json.ok_or_warn(json.flag("doubleSided"), "the default is used").unwrap_or(false),
        alpha: json.value_or(read_alpha_mode(json).map(Some), AlphaMode::Opaque),
        ..Material::default()
    };
    read_base_color(json, &mut material, textures);
    for key in ["normalTexture", "occlusionTexture"] {
        textures.validate_unused(json, key);
    }
    read_emission(json, &mut material, textures);
    if let Some(toon) = json.ok_or_warn(json.extension("VRMC_materials_mtoon"), "it is drawn without it").flatten() {
        material.shading = Shading::Toon(read_mtoon(&toon, textures));
    } else if json.ok_or_warn(json.extension("KHR_materials_unlit"), "it is drawn lit").flatten().is_some() {
        material.shading = Shading::Unlit;
    }
    material
}

/// Reads the base colour from the metallic-roughness or the older specular-glossiness model.
fn read_base_color(json: &JsonObject<'_>, material: &mut Material, textures: &Textures<'_>) {
    const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";
    let found = |group| json.ok_or_warn(group, "it stays white").flatten();
    let (group, color, texture) = if let Some(group) = found(json.object("pbrMetallicRoughness")) {
        (group, "baseColorFactor", "baseColorTexture")
    } else if let Some(group) = found(json.extension(SPECULAR_GLOSSINESS)) {
        (group, "diffuseFactor", "diffuseTexture")
    } else {
        return;
    };
    material.base_color = group.value_or(group.numbers(color), material.base_color);
    material.base_texture = textures.texture_at(&group, texture);
    textures.validate_unused(&group, "metallicRoughnessTexture");
}

fn read_alpha_mode(json: &JsonObject<'_>) -> Result<AlphaMode, JsonError> {
    Ok(match json.string_enum("alphaMode", "mode", VALID_ALPHA_MODES)?.unwrap_or_default() {
        Mode::Opaque => AlphaMode::Opaque,
        Mode::Mask => AlphaMode::Mask(json.number("alphaCutoff")?.unwrap_or(0.5)),
        Mode::Blend => AlphaMode::Blend,
    })
}

/// Reads the emission. If the emissive texture cannot be read, the emission is ignored. Without its texture, the whole
/// material would glow.
fn read_emission(json: &JsonObject<'_>, material: &mut Material, textures: &Textures<'_>) {
    let color = json.value_or(json.numbers::<3>("emissiveFactor"), [0.0; 3]);
    if color == [0.0; 3] {
        textures.validate_unused(json, "emissiveTexture");
        return;
    }
    let texture = textures.texture_at(json, "emissiveTexture");
    if texture.is_none() && json.get("emissiveTexture").is_some() {
        return;
    }
    let strength = json.ok_or_warn(json.extension("KHR_materials_emissive_strength"), "strength 1 is used").flatten();
    let strength = strength.map_or(1.0, |s| s.value_or(s.number("emissiveStrength"), 1.0));
    material.emissive = color.map(|c| c * strength);
    material.emissive_texture = texture;
}

fn read_mtoon(json: &JsonObject<'_>, textures: &Textures<'_>) -> ToonShading {
    ToonShading {
        shade_color: json.value_or(json.numbers("shadeColorFactor"), [0.0; 3]),
        shade_texture: textures.texture_at(json, "shadeMultiplyTexture"),
        shading_shift: json.value_or(json.number("shadingShiftFactor"), 0.0),
        shading_toony: json.value_or(json.number("shadingToonyFactor"), 0.9),
    }
}

/// The entries of `extensions.VRM.materialProperties`, one per material of the file.
#[derive(Debug)]
struct Vrm0Materials<'a>(Vec<Option<JsonObject<'a>>>);

impl<'a> Vrm0Materials<'a> {
    fn read(root: &JsonObject<'a>) -> Self {
        const PLAIN: &str = "materials are drawn as plain glTF";
        let list = |vrm: Option<JsonObject<'a>>| {
            let Some(vrm) = vrm else { return Ok(Vec::new()) };
            Ok(vrm.objects("materialProperties")?.map(|json| root.ok_or_warn(json, PLAIN)).collect())
        };
        Self(root.ok_or_warn(root.extension("VRM").and_then(list), PLAIN).unwrap_or_default())
    }

    fn apply(&self, index: usize, material: &mut Material, textures: &Textures<'_>) {
        let Some(Some(json)) = self.0.get(index) else { return };
        let shader = json.value_or(json.text("shader"), "");
        let outcome = match shader {
            "VRM/MToon" => apply_mtoon(json, material, textures),
            _ if shader.contains("Unlit") => apply_unlit(json, shader, material, textures),
            _ => Ok(()),
        };
        json.ok_or_warn(outcome, "the material is drawn as plain glTF");
    }
}

fn apply_mtoon(json: &JsonObject<'_>, material: &mut Material, textures: &Textures<'_>) -> Result<(), JsonError> {
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
    textures: &Textures<'_>,
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

/// Reads the texture of a shader property. All textures share the offset and scale of `_MainTex`.
fn texture_property(
    json: &JsonObject<'_>,
    key: &str,
    textures: &Textures<'_>,
) -> Result<Option<TextureRef>, JsonError> {
    let Some(list) = json.object("textureProperties")? else { return Ok(None) };
    let Some(index) = list.unsigned(key)? else { return Ok(None) };
    let Some(mut found) = usize::try_from(index).ok().and_then(|index| textures.by_index(index)) else {
        return Err(list.error_at(key, message!("there is no texture {index} that can be read", index)));
    };
    let vectors = json.object("vectorProperties")?;
    if let Some([x, y, width, height]) = vectors.map_or(Ok(None), |v| v.numbers::<4>("_MainTex"))? {
        found.scale = Vec2::new(width, height);
        // Unity's V starts at the bottom: 1 - v' = (1 - v) * height + y.
        found.offset = Vec2::new(x, 1.0 - height - y);
    }
    Ok(Some(found))
}

fn shading_border_to_vrm1(shift: f32, toony: f32) -> (f32, f32) {
    let start = shift;
    let end = 1.0 + (shift - 1.0) * toony;
    (-(start + end) / 2.0, 1.0 - (end - start) / 2.0)
}

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
