//! Tests that all values of toon materials are read, and that a bad value leaves the others unchanged.

use super::{load, load_with_warning};
use crate::support::glb::GlbBuilder;
use glam::Vec2;
use serde_json::{Value, json};
use yuremono_sim::rig::{
    AlphaMode, BlendOrder, Material, OutlineWidth, ScaledTexture, Shading, TextureRef, ToonOutline, ToonRim,
    ToonShading, UvAnimation,
};

const TEXTURES: usize = 9;

/// A file with textures that can be referenced.
fn with_textures() -> GlbBuilder {
    let mut b = GlbBuilder::new();
    let mut png = Vec::new();
    image::RgbaImage::from_pixel(1, 1, image::Rgba([9, 8, 7, 255]))
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .expect("encodes");
    let view = b.buffer_view(&png);
    b.json["images"] = (0..TEXTURES).map(|_| json!({ "bufferView": view, "mimeType": "image/png" })).collect();
    b.json["textures"] = (0..TEXTURES).map(|source| json!({ "source": source })).collect();
    b
}

fn vrm1(extension: &Value) -> GlbBuilder {
    let mut b = with_textures();
    b.json["materials"] = json!([{
        "alphaMode": "BLEND",
        "normalTexture": { "index": 8, "scale": 0.5 },
        "extensions": { "VRMC_materials_mtoon": extension },
    }]);
    b
}

fn vrm0(properties: &Value) -> GlbBuilder {
    let mut b = with_textures();
    b.json["materials"] = json!([{ "alphaMode": "OPAQUE" }]);
    b.json["extensionsUsed"] = json!(["VRM"]);
    b.json["extensions"] = json!({ "VRM": { "materialProperties": [properties] } });
    b
}

#[track_caller]
fn only_material(b: &GlbBuilder) -> (Material, ToonShading) {
    let loaded = load(b);
    // Some fixtures share one image.
    let unexpected: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let is_known = |text: &&String| text.contains("repeats an earlier image") || text.contains("no humanoid");
    assert!(unexpected.iter().all(|text| is_known(&text)), "{unexpected:#?}");
    toon_of(&loaded.character.materials[0])
}

#[track_caller]
fn toon_of(material: &Material) -> (Material, ToonShading) {
    let Shading::Toon(toon) = &material.shading else { panic!("{:?}", material.shading) };
    (material.clone(), ToonShading::clone(toon))
}

fn whole_vrm1() -> Value {
    json!({
        "specVersion": "1.0",
        "transparentWithZWrite": true,
        "renderQueueOffsetNumber": 3,
        "shadeColorFactor": [0.1, 0.2, 0.3],
        "shadeMultiplyTexture": { "index": 0 },
        "shadingShiftFactor": -0.2,
        "shadingShiftTexture": { "index": 1, "scale": 0.7 },
        "shadingToonyFactor": 0.6,
        "giEqualizationFactor": 0.4,
        "matcapFactor": [0.4, 0.5, 0.6],
        "matcapTexture": { "index": 2 },
        "parametricRimColorFactor": [0.7, 0.8, 0.9],
        "parametricRimFresnelPowerFactor": 4,
        "parametricRimLiftFactor": 0.25,
        "rimMultiplyTexture": { "index": 3 },
        "rimLightingMixFactor": 0.5,
        "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": 0.002,
        "outlineWidthMultiplyTexture": { "index": 4 },
        "outlineColorFactor": [0.05, 0.06, 0.07],
        "outlineLightingMixFactor": 0.75,
        "uvAnimationMaskTexture": { "index": 5 },
        "uvAnimationScrollXSpeedFactor": 0.1,
        "uvAnimationScrollYSpeedFactor": -0.2,
        "uvAnimationRotationSpeedFactor": 0.3,
    })
}

/// Checks the values that both versions of the test files have.
#[track_caller]
fn check_shared(toon: &ToonShading) {
    let outline = toon.outline.expect("an outline");
    assert_eq!((outline.width, outline.lighting_mix), (OutlineWidth::World(0.002), 0.75));
    assert!(outline.width_texture.is_some());
    assert_eq!((toon.rim.fresnel_power, toon.rim.lift, toon.rim.lighting_mix), (4.0, 0.25, 0.5));
    assert!(toon.rim.matcap_texture.is_some() && toon.rim.multiply_texture.is_some());
    let animation = toon.uv_animation.expect("an animation");
    assert_eq!((animation.scroll, animation.rotation), (Vec2::new(0.1, -0.2), 0.3));
    assert!(animation.mask.is_some());
}

#[test]
fn all_values_of_vrm1_are_read() {
    let (material, toon) = only_material(&vrm1(&whole_vrm1()));
    check_shared(&toon);
    assert_eq!((toon.shade_color, toon.shading_shift, toon.shading_toony), ([0.1, 0.2, 0.3], -0.2, 0.6));
    assert!(toon.shade_texture.is_some());
    assert_eq!(toon.shift_texture.map(|shift| shift.scale), Some(0.7));
    assert_eq!((toon.rim.color, toon.rim.matcap_color), ([0.7, 0.8, 0.9], [0.4, 0.5, 0.6]));
    assert_eq!(toon.outline.expect("an outline").color, [0.05, 0.06, 0.07]);
    assert_eq!((material.alpha, material.blend_order), (AlphaMode::Blend, BlendOrder { writes_depth: true, queue: 3 }));
    assert_eq!(material.normal_texture.map(|normals| normals.scale), Some(0.5));
}

#[test]
fn an_empty_vrm1_extension_has_the_defaults_of_the_specification() {
    let mut b = vrm1(&json!({ "specVersion": "1.0" }));
    b.json["materials"][0]["normalTexture"] = Value::Null;
    let (material, toon) = only_material(&b);
    assert_eq!(toon, ToonShading::default());
    assert_eq!((material.blend_order, material.normal_texture), (BlendOrder::default(), None));
}

#[test]
fn an_outline_on_the_screen_is_a_share_of_the_height_and_a_width_of_0_is_no_outline() {
    let with = |mode: &str, width: f32| {
        only_material(&vrm1(&json!({ "outlineWidthMode": mode, "outlineWidthFactor": width }))).1.outline
    };
    let width = |outline: Option<ToonOutline>| outline.map(|outline| outline.width);
    assert_eq!(width(with("screenCoordinates", 0.01)), Some(OutlineWidth::Screen(0.01)));
    assert_eq!([width(with("screenCoordinates", 0.0)), width(with("none", 0.01))], [None; 2]);
}

#[test]
fn a_render_queue_is_limited_to_the_range_of_its_mode() {
    for (writes_depth, offset, queue) in
        [(true, 99, 9), (true, -4, 0), (false, 4, 0), (false, -99, -9), (false, -4, -4)]
    {
        let extension = json!({ "transparentWithZWrite": writes_depth, "renderQueueOffsetNumber": offset });
        assert_eq!(only_material(&vrm1(&extension)).0.blend_order, BlendOrder { writes_depth, queue });
    }
}

/// A key of the extension, its bad value, the message, and what is read.
type Change = (&'static str, Value, &'static str, ToonShading);

#[test]
fn each_bad_value_of_vrm1_becomes_its_default_and_the_others_stay() {
    const AT: &str = "test.glb#/materials/0/extensions/VRMC_materials_mtoon";
    let (_, whole) = only_material(&vrm1(&whole_vrm1()));
    let outline = whole.outline.expect("an outline");
    let animation = whole.uv_animation.expect("an animation");
    let changes: [Change; 7] = [
        (
            "outlineWidthMultiplyTexture",
            json!({ "index": 40 }),
            "/outlineWidthMultiplyTexture/index: there is no texture 40; the file has 9; the texture is left out",
            ToonShading { outline: Some(ToonOutline { width_texture: None, ..outline }), ..whole.clone() },
        ),
        (
            "outlineWidthMode",
            json!("pixels"),
            "/outlineWidthMode: there is no outline width mode \"pixels\"; none, worldCoordinates or screenCoordinates was \
             expected; the outline is left out",
            ToonShading { outline: None, ..whole.clone() },
        ),
        (
            "shadingToonyFactor",
            json!("hard"),
            "/shadingToonyFactor: \"hard\" where a number was expected; the default is used",
            ToonShading { shading_toony: 0.9, ..whole.clone() },
        ),
        (
            "parametricRimColorFactor",
            json!([1, 2]),
            "/parametricRimColorFactor: a list of 2 where a list of 3 numbers was expected; the default is used",
            ToonShading { rim: ToonRim { color: [0.0; 3], ..whole.rim }, ..whole.clone() },
        ),
        (
            "shadingShiftTexture",
            json!({ "index": 1, "scale": "x" }),
            "/shadingShiftTexture/scale: \"x\" where a number was expected; the default is used",
            ToonShading {
                shift_texture: whole.shift_texture.map(|shift| ScaledTexture { scale: 1.0, ..shift }),
                ..whole.clone()
            },
        ),
        (
            "uvAnimationScrollXSpeedFactor",
            json!([]),
            "/uvAnimationScrollXSpeedFactor: a list of 0 where a number was expected; the default is used",
            ToonShading {
                uv_animation: Some(UvAnimation { scroll: Vec2::new(0.0, -0.2), ..animation }),
                ..whole.clone()
            },
        ),
        (
            "giEqualizationFactor",
            json!({}),
            "/giEqualizationFactor: an object where a number was expected; the default is used",
            whole.clone(),
        ),
    ];
    for (key, value, message, expected) in changes {
        let mut extension = whole_vrm1();
        extension[key] = value;
        let loaded = load_with_warning(&vrm1(&extension), &format!("{AT}{message}"));
        let (_, found) = toon_of(&loaded.character.materials[0]);
        assert_eq!(without_images(found), without_images(expected), "{key}");
    }
}

/// Sets all images to 0, because a missing texture shifts the images of the others.
fn without_images(mut toon: ToonShading) -> ToonShading {
    let clear = |texture: Option<TextureRef>| texture.map(|texture| TextureRef { image: 0, ..texture });
    toon.shade_texture = clear(toon.shade_texture);
    toon.shift_texture =
        toon.shift_texture.map(|shift| ScaledTexture { texture: TextureRef { image: 0, ..shift.texture }, ..shift });
    toon.rim.matcap_texture = clear(toon.rim.matcap_texture);
    toon.rim.multiply_texture = clear(toon.rim.multiply_texture);
    toon.outline = toon.outline.map(|outline| ToonOutline { width_texture: clear(outline.width_texture), ..outline });
    toon.uv_animation = toon.uv_animation.map(|uv| UvAnimation { mask: clear(uv.mask), ..uv });
    toon
}

fn whole_vrm0() -> Value {
    json!({
        "name": "old",
        "shader": "VRM/MToon",
        "renderQueue": 2510,
        "floatProperties": {
            "_BlendMode": 3, "_CullMode": 2, "_Cutoff": 0.5, "_ShadeShift": 0.0, "_ShadeToony": 0.9, "_BumpScale": 0.5,
            "_RimLightingMix": 0.5, "_RimFresnelPower": 4, "_RimLift": 0.25,
            "_OutlineWidthMode": 1, "_OutlineWidth": 0.2, "_OutlineColorMode": 1, "_OutlineLightingMix": 0.75,
            "_UvAnimScrollX": 0.1, "_UvAnimScrollY": 0.2, "_UvAnimRotation": 0.3,
        },
        "vectorProperties": {
            "_Color": [0.5, 0.5, 0.5, 0.25], "_ShadeColor": [0.5, 0.5, 0.5, 1], "_RimColor": [0.5, 0, 0, 1],
            "_OutlineColor": [0, 0.5, 0, 1], "_EmissionColor": [0, 0, 0.5, 1], "_MainTex": [0.25, 0.5, 2, 3],
        },
        "textureProperties": {
            "_MainTex": 0, "_ShadeTexture": 1, "_BumpMap": 2, "_EmissionMap": 3, "_SphereAdd": 4, "_RimTexture": 5,
            "_OutlineWidthTexture": 6, "_UvAnimMaskTexture": 7,
        },
        "keywordMap": {}, "tagMap": {},
    })
}

/// 0.5 in sRGB as linear light.
const HALF: f32 = 0.214_041_14;

#[test]
fn all_values_of_vrm0_are_read_in_the_terms_of_vrm1() {
    let (material, toon) = only_material(&vrm0(&whole_vrm0()));
    check_shared(&toon);
    let close = |found: &[f32], expected: &[f32]| found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-5);
    assert!(close(&material.base_color, &[HALF, HALF, HALF, 0.25]), "the alpha is linear: {:?}", material.base_color);
    assert!(close(&toon.shade_color, &[HALF; 3]) && close(&toon.rim.color, &[HALF, 0.0, 0.0]));
    assert!(close(&toon.outline.expect("an outline").color, &[0.0, HALF, 0.0]));
    assert!(close(&material.emissive, &[0.0, 0.0, HALF]) && material.emissive_texture.is_some());
    assert!(close(&[toon.shading_shift, toon.shading_toony], &[-0.05, 0.95]));
    assert_eq!(material.alpha, AlphaMode::Blend);
    assert_eq!(material.blend_order, BlendOrder { writes_depth: true, queue: 9 });
    assert_eq!(material.normal_texture.map(|normals| normals.scale), Some(0.5));
    // V of Unity starts at the bottom.
    let shade = toon.shade_texture.expect("a texture");
    assert_eq!((shade.offset, shade.scale), (Vec2::new(0.25, 1.0 - 3.0 - 0.5), Vec2::new(2.0, 3.0)));
    let sphere = toon.rim.matcap_texture.expect("a texture");
    assert_eq!((sphere.offset, sphere.scale), (Vec2::ZERO, Vec2::ONE));
}

#[test]
fn blend_modes_queues_and_outline_modes_of_vrm0_are_converted() {
    let with = |changes: &[(&str, Value)], queue: i32| {
        let mut properties = whole_vrm0();
        properties["renderQueue"] = json!(queue);
        for (key, value) in changes {
            properties["floatProperties"][*key] = value.clone();
        }
        only_material(&vrm0(&properties))
    };
    let mode = |mode: i32, queue: i32| {
        let (material, _) = with(&[("_BlendMode", json!(mode))], queue);
        (material.alpha, material.blend_order.writes_depth, material.blend_order.queue)
    };
    assert_eq!(mode(0, 2000).0, AlphaMode::Opaque);
    assert_eq!(mode(1, 2450).0, AlphaMode::Mask(0.5));
    assert_eq!(mode(2, 2999), (AlphaMode::Blend, false, -1));
    assert_eq!(mode(2, -1), (AlphaMode::Blend, false, 0), "-1 is the queue of the shader");
    assert_eq!(mode(3, -1), (AlphaMode::Blend, true, 0));
    let outline = |changes: &[(&str, Value)]| with(changes, -1).1.outline;
    assert_eq!(outline(&[("_OutlineWidthMode", json!(0))]), None);
    let screen = outline(&[("_OutlineWidthMode", json!(2))]).expect("an outline");
    assert_eq!(screen.width, OutlineWidth::Screen(0.001), "percent of half the height");
    assert_eq!(outline(&[("_OutlineColorMode", json!(0))]).expect("an outline").lighting_mix, 0.0);
}

#[test]
fn each_bad_value_of_vrm0_becomes_its_default_and_the_others_stay() {
    const AT: &str = "test.glb#/extensions/VRM/materialProperties/0";
    let bad = [
        (
            "/textureProperties/_OutlineWidthTexture",
            json!(40),
            "there is no texture 40 that can be read; the texture is left out",
        ),
        ("/floatProperties/_RimLift", json!("high"), "\"high\" where a number was expected; the default is used"),
        (
            "/vectorProperties/_OutlineColor",
            json!([1, 2]),
            "a list of 2 where a list of 4 numbers was expected; the default is used",
        ),
        ("/vectorProperties/_ShadeColor", json!(7), "7 where a list of 4 numbers was expected; the default is used"),
    ];
    for (pointer, value, message) in bad {
        let mut properties = whole_vrm0();
        *properties.pointer_mut(pointer).expect("a field") = value;
        let loaded = load_with_warning(&vrm0(&properties), &format!("{AT}{pointer}: {message}"));
        let (material, toon) = toon_of(&loaded.character.materials[0]);
        let outline = toon.outline.expect("the outline stays");
        assert_eq!((outline.width, material.blend_order.queue), (OutlineWidth::World(0.002), 9));
        assert_eq!(outline.width_texture.is_some(), pointer != "/textureProperties/_OutlineWidthTexture");
    }
}

#[test]
fn a_missing_emission_texture_of_vrm0_disables_emission() {
    let mut properties = whole_vrm0();
    properties["textureProperties"]["_EmissionMap"] = json!(40);
    let loaded = load(&vrm0(&properties));
    assert_eq!(loaded.character.materials[0].emissive, [0.0; 3]);
}

#[test]
fn unlit_shaders_of_vrm0_have_color_opacity_and_order() {
    let unlit = |shader: &str| {
        let properties = json!({
            "shader": shader, "renderQueue": 2600,
            "floatProperties": { "_Cutoff": 0.4 }, "vectorProperties": { "_Color": [0.5, 1, 1, 1] },
        });
        let material = load(&vrm0(&properties)).character.materials[0].clone();
        assert_eq!(material.shading, Shading::Unlit);
        assert!((material.base_color[0] - HALF).abs() < 1e-5);
        (material.alpha, material.blend_order.writes_depth)
    };
    assert_eq!(unlit("VRM/UnlitTexture"), (AlphaMode::Opaque, false));
    assert_eq!(unlit("VRM/UnlitCutout"), (AlphaMode::Mask(0.4), false));
    assert_eq!(unlit("VRM/UnlitTransparent"), (AlphaMode::Blend, false));
    assert_eq!(unlit("VRM/UnlitTransparentZWrite"), (AlphaMode::Blend, true));
}
