//! `materials`: base colour, emission, opacity, unlit and toon. Roughness, metal and normal maps are passed over.

use super::super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::textures::Textures;
use super::toon;
use crate::rig::{AlphaMode, Material, Shading};
use gltf::json::material::{AlphaMode as Mode, VALID_ALPHA_MODES};

/// All materials in file order; a broken field takes its default, with a warning.
pub(crate) fn read(
    root: &JsonObject<'_>,
    textures: &Textures<'_, '_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<Vec<Material>, JsonError> {
    let old_toon = toon::Vrm0Materials::read(root, notes);
    let one = |(index, json): (usize, Result<JsonObject<'_>, JsonError>)| {
        let Some(json) = notes.ok_or_warn(json, "the default material is used") else { return Material::default() };
        let mut material = read_material(&json, index, textures, notes);
        old_toon.apply(index, &mut material, textures, notes);
        material
    };
    Ok(root.objects("materials")?.enumerate().map(one).collect())
}

fn read_material(
    json: &JsonObject<'_>,
    index: usize,
    textures: &Textures<'_, '_>,
    notes: &GltfDiagnostics<'_>,
) -> Material {
    let mut material = Material {
        name: notes.value_or_default(json.name("name").map(|n| n.map(str::to_owned)), format!("material {index}")),
        double_sided: notes.ok_or_warn(json.flag("doubleSided"), "the default is used").unwrap_or(false),
        alpha: notes.value_or_default(read_alpha_mode(json).map(Some), AlphaMode::Opaque),
        ..Material::default()
    };
    read_base_color(json, &mut material, textures, notes);
    for key in ["normalTexture", "occlusionTexture"] {
        textures.validate_unused(json, key);
    }
    read_emission(json, &mut material, textures, notes);
    if let Some(toon) = notes.ok_or_warn(json.extension("VRMC_materials_mtoon"), "it is drawn without").flatten() {
        material.shading = Shading::Toon(toon::read(&toon, textures, notes));
    } else if notes.ok_or_warn(json.extension("KHR_materials_unlit"), "it is drawn lit").flatten().is_some() {
        material.shading = Shading::Unlit;
    }
    material
}

/// Base colour by metal and roughness, or by the older specular and glossiness.
fn read_base_color(
    json: &JsonObject<'_>,
    material: &mut Material,
    textures: &Textures<'_, '_>,
    notes: &GltfDiagnostics<'_>,
) {
    const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";
    let (group, color, texture) =
        match notes.ok_or_warn(json.object("pbrMetallicRoughness"), "it stays white").flatten() {
            Some(group) => (group, "baseColorFactor", "baseColorTexture"),
            None => match notes.ok_or_warn(json.extension(SPECULAR_GLOSSINESS), "it stays white").flatten() {
                Some(group) => (group, "diffuseFactor", "diffuseTexture"),
                None => return,
            },
        };
    material.base_color = notes.value_or_default(group.numbers(color), material.base_color);
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

/// Emission. A factor that a lost texture would have darkened must not make all of it glow.
fn read_emission(
    json: &JsonObject<'_>,
    material: &mut Material,
    textures: &Textures<'_, '_>,
    notes: &GltfDiagnostics<'_>,
) {
    let color = notes.value_or_default(json.numbers::<3>("emissiveFactor"), [0.0; 3]);
    if color == [0.0; 3] {
        textures.validate_unused(json, "emissiveTexture");
        return;
    }
    let texture = textures.texture_at(json, "emissiveTexture");
    if texture.is_none() && json.get("emissiveTexture").is_some() {
        return;
    }
    let strength = notes.ok_or_warn(json.extension("KHR_materials_emissive_strength"), "strength 1 is used").flatten();
    let strength = strength.map_or(1.0, |s| notes.value_or_default(s.number("emissiveStrength"), 1.0));
    material.emissive = color.map(|c| c * strength);
    material.emissive_texture = texture;
}
