//! Reads `VRMC_materials_mtoon` 1.0. Each invalid value becomes its default, with a warning; the other values stay.
//!
//! `giEqualizationFactor` is checked and then ignored: the ambient light of the viewport is the same from all sides.

use super::textures::Textures;
use crate::gltf_json::json::JsonObject;
use glam::Vec2;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::{BlendOrder, OutlineWidth, ToonOutline, ToonRim, ToonShading, UvAnimation};

/// Reads everything except the order of blended materials.
pub(super) fn read(json: &JsonObject<'_>, textures: &Textures<'_>) -> ToonShading {
    let number = |key: &str, default: f32| json.value_or(json.number(key), default);
    number("giEqualizationFactor", 0.9);
    ToonShading {
        shade_color: json.value_or(json.numbers("shadeColorFactor"), [0.0; 3]),
        shade_texture: textures.texture_at(json, "shadeMultiplyTexture"),
        shading_shift: number("shadingShiftFactor", 0.0),
        shift_texture: textures.scaled_texture_at(json, "shadingShiftTexture"),
        shading_toony: number("shadingToonyFactor", 0.9),
        rim: ToonRim {
            color: json.value_or(json.numbers("parametricRimColorFactor"), [0.0; 3]),
            fresnel_power: number("parametricRimFresnelPowerFactor", 5.0),
            lift: number("parametricRimLiftFactor", 0.0),
            matcap_color: json.value_or(json.numbers("matcapFactor"), [1.0; 3]),
            matcap_texture: textures.texture_at(json, "matcapTexture"),
            multiply_texture: textures.texture_at(json, "rimMultiplyTexture"),
            lighting_mix: number("rimLightingMixFactor", 1.0),
        },
        outline: read_outline(json, textures),
        uv_animation: moving(UvAnimation {
            scroll: Vec2::new(
                number("uvAnimationScrollXSpeedFactor", 0.0),
                number("uvAnimationScrollYSpeedFactor", 0.0),
            ),
            rotation: number("uvAnimationRotationSpeedFactor", 0.0),
            mask: textures.texture_at(json, "uvAnimationMaskTexture"),
        }),
    }
}

/// Returns the animation if it moves anything.
pub(super) fn moving(animation: UvAnimation) -> Option<UvAnimation> {
    (animation.scroll != Vec2::ZERO || animation.rotation != 0.0).then_some(animation)
}

fn read_outline(json: &JsonObject<'_>, textures: &Textures<'_>) -> Option<ToonOutline> {
    const MODES: [&str; 3] = ["none", "worldCoordinates", "screenCoordinates"];
    let mode = json.value_or(json.text("outlineWidthMode"), MODES[0]);
    if !MODES.contains(&mode) {
        let message = message!(
            "there is no outline width mode \"{mode}\"; none, worldCoordinates or screenCoordinates was expected",
            mode = excerpt(mode)
        );
        json.warn_at("outlineWidthMode", message, "the outline is left out");
    }
    let width = json.value_or(json.number("outlineWidthFactor"), 0.0);
    let outline = ToonOutline {
        width: if mode == MODES[2] { OutlineWidth::Screen(width) } else { OutlineWidth::World(width) },
        width_texture: textures.texture_at(json, "outlineWidthMultiplyTexture"),
        color: json.value_or(json.numbers("outlineColorFactor"), [0.0; 3]),
        lighting_mix: json.value_or(json.number("outlineLightingMixFactor"), 1.0),
    };
    (MODES[1..].contains(&mode) && width > 0.0).then_some(outline)
}

pub(super) fn read_blend_order(json: &JsonObject<'_>) -> BlendOrder {
    /// Largest distance of an offset from 0 in the specification.
    const MAX_OFFSET: i32 = 9;
    let writes_depth = json.ok_or_warn(json.flag("transparentWithZWrite"), "the default is used").unwrap_or(false);
    let offset = json.value_or(json.number("renderQueueOffsetNumber"), 0.0);
    let range = if writes_depth { 0..=MAX_OFFSET } else { -MAX_OFFSET..=0 };
    let queue = offset as i32;
    // The offset of an opaque material has no effect, and exporters write offsets of other modes there.
    BlendOrder { writes_depth, queue: queue.clamp(*range.start(), *range.end()) }
}
