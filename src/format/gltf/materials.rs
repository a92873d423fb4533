//! `materials`: base colour, emission, opacity, unlit and toon. Roughness, metal and normal maps are passed over.

use super::super::gltf_json::json::{Fault, Json, Notes};
use super::textures::Textures;
use super::toon;
use crate::rig::{AlphaMode, Material, Shading};
use gltf::json::material::{AlphaMode as Mode, VALID_ALPHA_MODES};

/// All materials in file order; a broken field takes its default, with a warning.
pub(crate) fn read(root: &Json<'_>, textures: &Textures<'_, '_>, notes: &Notes<'_>) -> Result<Vec<Material>, Fault> {
    let old_toon = toon::OldMaterials::read(root, notes);
    let one = |(index, json): (usize, Result<Json<'_>, Fault>)| {
        let Some(json) = notes.keep(json, "the default material is used") else { return Material::default() };
        let mut material = read_material(&json, index, textures, notes);
        old_toon.apply(index, &mut material, textures, notes);
        material
    };
    Ok(root.objects("materials")?.enumerate().map(one).collect())
}

fn read_material(json: &Json<'_>, index: usize, textures: &Textures<'_, '_>, notes: &Notes<'_>) -> Material {
    let mut material = Material {
        name: notes.or(json.name("name").map(|n| n.map(str::to_owned)), format!("material {index}")),
        double_sided: notes.keep(json.flag("doubleSided"), "the default is used").unwrap_or(false),
        alpha: notes.or(alpha(json).map(Some), AlphaMode::Opaque),
        ..Material::default()
    };
    base(json, &mut material, textures, notes);
    for key in ["normalTexture", "occlusionTexture"] {
        textures.check(json, key);
    }
    light(json, &mut material, textures, notes);
    if let Some(toon) = notes.keep(json.extension("VRMC_materials_mtoon"), "it is drawn without").flatten() {
        material.shading = Shading::Toon(toon::read(&toon, textures, notes));
    } else if notes.keep(json.extension("KHR_materials_unlit"), "it is drawn lit").flatten().is_some() {
        material.shading = Shading::Unlit;
    }
    material
}

/// Base colour by metal and roughness, or by the older specular and glossiness.
fn base(json: &Json<'_>, material: &mut Material, textures: &Textures<'_, '_>, notes: &Notes<'_>) {
    const OLD: &str = "KHR_materials_pbrSpecularGlossiness";
    let (group, color, texture) = match notes.keep(json.object("pbrMetallicRoughness"), "it stays white").flatten() {
        Some(group) => (group, "baseColorFactor", "baseColorTexture"),
        None => match notes.keep(json.extension(OLD), "it stays white").flatten() {
            Some(group) => (group, "diffuseFactor", "diffuseTexture"),
            None => return,
        },
    };
    material.base_color = notes.or(group.numbers(color), material.base_color);
    material.base_texture = textures.of(&group, texture);
    textures.check(&group, "metallicRoughnessTexture");
}

fn alpha(json: &Json<'_>) -> Result<AlphaMode, Fault> {
    Ok(match json.word("alphaMode", "mode", VALID_ALPHA_MODES)?.unwrap_or_default() {
        Mode::Opaque => AlphaMode::Opaque,
        Mode::Mask => AlphaMode::Mask(json.number("alphaCutoff")?.unwrap_or(0.5)),
        Mode::Blend => AlphaMode::Blend,
    })
}

/// Emission. A factor that a lost texture would have darkened must not make all of it glow.
fn light(json: &Json<'_>, material: &mut Material, textures: &Textures<'_, '_>, notes: &Notes<'_>) {
    let color = notes.or(json.numbers::<3>("emissiveFactor"), [0.0; 3]);
    if color == [0.0; 3] {
        textures.check(json, "emissiveTexture");
        return;
    }
    let texture = textures.of(json, "emissiveTexture");
    if texture.is_none() && json.get("emissiveTexture").is_some() {
        return;
    }
    let strength = notes.keep(json.extension("KHR_materials_emissive_strength"), "strength 1 is used").flatten();
    let strength = strength.map_or(1.0, |s| notes.or(s.number("emissiveStrength"), 1.0));
    material.emissive = color.map(|c| c * strength);
    material.emissive_texture = texture;
}
