//! Reads `materials`: base colour, emission, normal map, opacity, unlit shading, and the toon shading of VRM 1.0 and 0.x.
//!
//! Roughness, metallic values and occlusion are ignored. [`super::mtoon`] reads `VRMC_materials_mtoon`, and
//! [`super::vrm0_materials`] reads the shader properties of VRM 0.x.

use super::mtoon;
use super::textures::Textures;
use super::vrm0_materials::Vrm0Materials;
use crate::gltf_json::json::{JsonError, JsonObject};
use gltf::json::material::{AlphaMode as Mode, VALID_ALPHA_MODES};
use yuremono_sim::rig::{AlphaMode, Material, Shading};

/// Reads all materials in file order. Invalid fields get their defaults, with a warning.
pub(crate) fn read(root: &JsonObject<'_>, textures: &Textures<'_>) -> Result<Vec<Material>, JsonError> {
    let vrm0 = Vrm0Materials::read(root);
    let one = |(index, json): (usize, Result<JsonObject<'_>, JsonError>)| {
        let Some(json) = root.ok_or_warn(json, "the default material is used") else { return Material::default() };
        let mut material = read_material(&json, index, textures);
        vrm0.apply(index, &mut material, textures);
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
    textures.validate_unused(json, "occlusionTexture");
    material.normal_texture = textures.scaled_texture_at(json, "normalTexture");
    read_emission(json, &mut material, textures);
    if let Some(toon) = json.ok_or_warn(json.extension("VRMC_materials_mtoon"), "it is drawn without it").flatten() {
        material.blend_order = mtoon::read_blend_order(&toon);
        material.shading = Shading::Toon(Box::new(mtoon::read(&toon, textures)));
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
