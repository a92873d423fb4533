//! Reads `extensions.VRM.materialProperties` of VRM 0.x: the properties of the Unity shaders VRM/MToon and VRM/Unlit.
//!
//! The values are converted to the terms of `VRMC_materials_mtoon` 1.0 as `UniVRM` and three-vrm do:
//!
//! - Colours are sRGB in the file. The alpha is linear.
//! - All textures except the sphere texture use the offset and scale of `_MainTex`. V of Unity starts at the bottom.
//! - `_OutlineWidth` is in centimetres, or in percent of half the height of the image.
//! - Render queues are absolute numbers in Unity. They become relative to the queue of the shader.
//!
//! An invalid value becomes its default, with a warning; the other values stay.

use super::mtoon::moving;
use super::textures::Textures;
use crate::gltf_json::json::{JsonError, JsonObject};
use glam::Vec2;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{
    AlphaMode, BlendOrder, Material, OutlineWidth, ScaledTexture, Shading, TextureRef, ToonOutline, ToonRim,
    ToonShading, UvAnimation,
};

/// The entries of `materialProperties`, one per material of the file.
#[derive(Debug)]
pub(super) struct Vrm0Materials<'a>(Vec<Option<JsonObject<'a>>>);

impl<'a> Vrm0Materials<'a> {
    pub(super) fn read(root: &JsonObject<'a>) -> Self {
        const PLAIN: &str = "materials are drawn as plain glTF";
        let list = |vrm: Option<JsonObject<'a>>| {
            let Some(vrm) = vrm else { return Ok(Vec::new()) };
            Ok(vrm.objects("materialProperties")?.map(|json| root.ok_or_warn(json, PLAIN)).collect())
        };
        Self(root.ok_or_warn(root.extension("VRM").and_then(list), PLAIN).unwrap_or_default())
    }

    /// Replaces what the shader properties of a material define.
    pub(super) fn apply(&self, index: usize, material: &mut Material, textures: &Textures<'_>) {
        let Some(Some(json)) = self.0.get(index) else { return };
        let shader = json.value_or(json.text("shader"), "");
        let properties = ShaderProperties::new(json, textures);
        match shader {
            "VRM/MToon" => apply_mtoon(&properties, material),
            _ if shader.contains("Unlit") => apply_unlit(&properties, shader, material),
            _ => {}
        }
    }
}

/// The properties of a Unity shader, by their names.
struct ShaderProperties<'a, 't> {
    json: &'t JsonObject<'a>,
    floats: Option<JsonObject<'a>>,
    vectors: Option<JsonObject<'a>>,
    texture_indices: Option<JsonObject<'a>>,
    textures: &'t Textures<'a>,
}

impl<'a, 't> ShaderProperties<'a, 't> {
    fn new(json: &'t JsonObject<'a>, textures: &'t Textures<'a>) -> Self {
        let group = |key: &str| json.ok_or_warn(json.object(key), "the default is used").flatten();
        let (floats, vectors) = (group("floatProperties"), group("vectorProperties"));
        Self { json, floats, vectors, texture_indices: group("textureProperties"), textures }
    }

    fn float(&self, key: &str, default: f32) -> f32 {
        self.floats.as_ref().map_or(default, |floats| floats.value_or(floats.number(key), default))
    }

    /// Returns a colour in linear RGB. Some exporters leave out the alpha.
    fn color(&self, key: &str) -> Option<[f32; 4]> {
        let vectors = self.vectors.as_ref()?;
        let has_alpha = vectors.get(key)?.as_array().is_none_or(|list| list.len() != 3);
        let numbers = if has_alpha {
            vectors.numbers::<4>(key)
        } else {
            vectors.numbers::<3>(key).map(|rgb| rgb.map(|[r, g, b]| [r, g, b, 1.0]))
        };
        let [r, g, b, a] = vectors.ok_or_warn(numbers, "the default is used").flatten()?;
        Some([srgb_to_linear(r), srgb_to_linear(g), srgb_to_linear(b), a])
    }

    fn rgb(&self, key: &str, default: [f32; 3]) -> [f32; 3] {
        self.color(key).map_or(default, |[r, g, b, _]| [r, g, b])
    }

    fn has_texture(&self, key: &str) -> bool {
        self.texture_indices.as_ref().is_some_and(|list| list.get(key).is_some())
    }

    /// Returns a texture with the offset and scale of `_MainTex`.
    fn texture(&self, key: &str) -> Option<TextureRef> {
        let mut found = self.texture_without_transform(key)?;
        let vectors = self.vectors.as_ref();
        let transform = vectors.and_then(|v| v.value_or(v.numbers::<4>("_MainTex").map(Some), None));
        if let Some([x, y, width, height]) = transform {
            found.scale = Vec2::new(width, height);
            // Unity's V starts at the bottom: 1 - v' = (1 - v) * height + y.
            found.offset = Vec2::new(x, 1.0 - height - y);
        }
        Some(found)
    }

    fn texture_without_transform(&self, key: &str) -> Option<TextureRef> {
        let list = self.texture_indices.as_ref()?;
        let find = |index: Option<u64>| -> Result<Option<TextureRef>, JsonError> {
            let Some(index) = index else { return Ok(None) };
            let found = usize::try_from(index).ok().and_then(|index| self.textures.by_index(index));
            let fault = || list.error_at(key, message!("there is no texture {index} that can be read", index));
            found.map(Some).ok_or_else(fault)
        };
        list.ok_or_warn(list.unsigned(key).and_then(find), "the texture is left out").flatten()
    }

    /// Returns the order of a blended material, relative to the queue of the shader in Unity. Materials of plain glTF in
    /// the same file are at 0.
    fn blend_order(&self, writes_depth: bool, default_queue: i32) -> BlendOrder {
        let queue = self.json.value_or(self.json.number("renderQueue"), -1.0) as i32;
        BlendOrder { writes_depth, queue: if queue < 0 { 0 } else { queue - default_queue } }
    }
}

/// Queues of the shaders in Unity for blended materials with and without depth.
const DEPTH_WRITING_QUEUE: i32 = 2501;
const TRANSPARENT_QUEUE: i32 = 3000;

/// Shade colour of the shader, in sRGB.
const DEFAULT_SHADE: [f32; 3] = [0.97, 0.81, 0.86];

fn apply_mtoon(properties: &ShaderProperties<'_, '_>, material: &mut Material) {
    let float = |key: &str, default: f32| properties.float(key, default);
    let blend_mode = float("_BlendMode", 0.0) as i32;
    material.alpha = match blend_mode {
        1 => AlphaMode::Mask(float("_Cutoff", 0.5)),
        2 | 3 => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    material.blend_order = match blend_mode {
        3 => properties.blend_order(true, DEPTH_WRITING_QUEUE),
        _ => properties.blend_order(false, TRANSPARENT_QUEUE),
    };
    material.double_sided = float("_CullMode", 2.0) as i32 == 0;
    material.base_color = properties.color("_Color").unwrap_or([1.0; 4]);
    material.base_texture = properties.texture("_MainTex");
    let normals = properties.texture("_BumpMap");
    material.normal_texture = normals.map(|texture| ScaledTexture { texture, scale: float("_BumpScale", 1.0) });
    material.emissive_texture = properties.texture("_EmissionMap");
    // Without its texture, the whole material would glow.
    let is_lost = material.emissive_texture.is_none() && properties.has_texture("_EmissionMap");
    material.emissive = if is_lost { [0.0; 3] } else { properties.rgb("_EmissionColor", [0.0; 3]) };
    let (shading_shift, shading_toony) = shading_border_to_vrm1(float("_ShadeShift", 0.0), float("_ShadeToony", 0.9));
    material.shading = Shading::Toon(Box::new(ToonShading {
        shade_color: properties.rgb("_ShadeColor", DEFAULT_SHADE.map(srgb_to_linear)),
        shade_texture: properties.texture("_ShadeTexture"),
        shading_shift,
        shift_texture: None,
        shading_toony,
        rim: ToonRim {
            color: properties.rgb("_RimColor", [0.0; 3]),
            fresnel_power: float("_RimFresnelPower", 1.0),
            lift: float("_RimLift", 0.0),
            matcap_color: [1.0; 3],
            matcap_texture: properties.texture_without_transform("_SphereAdd"),
            multiply_texture: properties.texture("_RimTexture"),
            lighting_mix: float("_RimLightingMix", 0.0),
        },
        outline: outline(properties),
        uv_animation: moving(UvAnimation {
            scroll: Vec2::new(float("_UvAnimScrollX", 0.0), -float("_UvAnimScrollY", 0.0)),
            rotation: float("_UvAnimRotation", 0.0),
            mask: properties.texture("_UvAnimMaskTexture"),
        }),
    }));
}

fn outline(properties: &ShaderProperties<'_, '_>) -> Option<ToonOutline> {
    const CENTIMETRE: f32 = 0.01;
    const PERCENT_OF_HALF_HEIGHT: f32 = 0.005;
    let width = properties.float("_OutlineWidth", 0.0);
    let width = match properties.float("_OutlineWidthMode", 0.0) as i32 {
        1 => OutlineWidth::World(width * CENTIMETRE),
        2 => OutlineWidth::Screen(width * PERCENT_OF_HALF_HEIGHT),
        _ => return None,
    };
    let is_mixed = properties.float("_OutlineColorMode", 0.0) as i32 == 1;
    let outline = ToonOutline {
        width,
        width_texture: properties.texture("_OutlineWidthTexture"),
        color: properties.rgb("_OutlineColor", [0.0; 3]),
        lighting_mix: if is_mixed { properties.float("_OutlineLightingMix", 1.0) } else { 0.0 },
    };
    matches!(width, OutlineWidth::World(w) | OutlineWidth::Screen(w) if w > 0.0).then_some(outline)
}

fn apply_unlit(properties: &ShaderProperties<'_, '_>, shader: &str, material: &mut Material) {
    if let Some(texture) = properties.texture("_MainTex") {
        material.base_texture = Some(texture);
    }
    material.base_color = properties.color("_Color").unwrap_or(material.base_color);
    if shader.ends_with("Cutout") {
        material.alpha = AlphaMode::Mask(properties.float("_Cutoff", 0.5));
    } else if shader.contains("Transparent") {
        material.alpha = AlphaMode::Blend;
    }
    material.blend_order = if shader.ends_with("ZWrite") {
        properties.blend_order(true, DEPTH_WRITING_QUEUE)
    } else {
        properties.blend_order(false, TRANSPARENT_QUEUE)
    };
    material.shading = Shading::Unlit;
}

fn shading_border_to_vrm1(shift: f32, toony: f32) -> (f32, f32) {
    let start = shift;
    let end = 1.0 + (shift - 1.0) * toony;
    (-(start + end) / 2.0, 1.0 - (end - start) / 2.0)
}

fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
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
