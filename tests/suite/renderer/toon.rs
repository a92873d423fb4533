//! Tests the parts of toon shading by the colours of single pixels.

use super::{PICTURE_SIZE, check_color_near, rest_pose, save_picture};
use crate::support::glow_renderer::headless_or_skip;
use crate::support::tube::{
    TUBE_RADIUS, add_square, front_light, plain_input, single_bone_character, tube, unlit_image,
};
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use yuremono::renderer::{DrawInput, OffscreenRenderer};
use yuremono::stage::{CameraView, OrbitCamera, ViewRect};
use yuremono_sim::rig::{
    AlphaMode, BlendOrder, Character, Image, Material, OutlineWidth, ScaledTexture, Shading, TextureRef, TextureWrap,
    ToonOutline, ToonRim, ToonShading, UvAnimation,
};

const BACKGROUND: [u8; 3] = [0, 90, 0];
const RED: [u8; 3] = [255, 0, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const BLACK: [u8; 3] = [0, 0, 0];

/// When a picture is drawn, and from which distance in metres.
struct Shot {
    distance: f32,
    seconds: f64,
}

const NEAR: Shot = Shot { distance: 1.8, seconds: 0.0 };

struct Picture {
    image: RgbaImage,
    view: CameraView,
}

impl Picture {
    fn at(&self, x: f32, y: f32) -> [u8; 3] {
        let at = self.view.project(Vec3::new(x, y, 0.0)).expect("in front").pixel;
        let [r, g, b, _] = self.image.get_pixel(at.x as u32, at.y as u32).0;
        [r, g, b]
    }

    /// Returns the columns of a row in which `is_wanted` holds.
    fn columns(&self, y: f32, is_wanted: impl Fn([u8; 3]) -> bool) -> Vec<u32> {
        let row = self.view.project(Vec3::Y * y).expect("in front").pixel.y as u32;
        let pixel = |x: &u32| {
            let [r, g, b, _] = self.image.get_pixel(*x, row).0;
            is_wanted([r, g, b])
        };
        (0..PICTURE_SIZE).filter(pixel).collect()
    }
}

fn draw_or_skip(name: &str, character: &Character, shot: &Shot) -> Option<Picture> {
    let headless = headless_or_skip()?;
    let mut offscreen = OffscreenRenderer::with_context(headless, PICTURE_SIZE, PICTURE_SIZE).expect("a small picture");
    offscreen.scene().expect("current").set_character(character).expect("the shaders compile");
    let camera = OrbitCamera { target: Vec3::Y, pitch: 0.0, distance: shot.distance, ..OrbitCamera::default() };
    let view = camera.view(&ViewRect::uncovered(Vec2::splat(PICTURE_SIZE as f32)));
    let pose = rest_pose(character);
    let input = DrawInput { seconds: shot.seconds, ..plain_input(&view, &pose) };
    let image = offscreen.render(&input).expect("drawn");
    save_picture(name, &image);
    Some(Picture { image, view })
}

/// A toon material of one colour in any light.
fn flat_toon(color: [f32; 3]) -> (Material, ToonShading) {
    let [r, g, b] = color;
    let material = Material { base_color: [r, g, b, 1.0], ..Material::default() };
    (material, ToonShading { shade_color: color, ..ToonShading::default() })
}

/// A white square with a toon shading.
fn square(toon: ToonShading, change: impl FnOnce(&mut Character, &mut Material)) -> Character {
    let mut character = single_bone_character();
    let mut material = Material { shading: Shading::Toon(Box::new(toon)), ..Material::default() };
    change(&mut character, &mut material);
    add_square(&mut character, Vec3::Y, 0.6, material);
    character
}

/// The tube, whose surface is black toon with a change.
fn dark_tube(change: impl FnOnce(&mut Character, &mut ToonShading)) -> Character {
    let mut character = tube(4, 17, 64);
    let (mut material, mut toon) = flat_toon([0.0; 3]);
    change(&mut character, &mut toon);
    material.shading = Shading::Toon(Box::new(toon));
    character.materials = vec![material.clone(), material];
    character
}

/// Adds an image of two texels, side by side or one above the other, and returns its texture.
fn two_texels(character: &mut Character, size: [u32; 2], texels: [[u8; 3]; 2]) -> TextureRef {
    let rgba = texels.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    let material = unlit_image(character, Image { width: size[0], height: size[1], rgba });
    TextureRef { wrap: [TextureWrap::Repeat; 2], ..material.base_texture.expect("a texture") }
}

const SIDE_BY_SIDE: [u32; 2] = [2, 1];
const ONE_ABOVE_THE_OTHER: [u32; 2] = [1, 2];

fn red_outline(width: OutlineWidth) -> ToonOutline {
    ToonOutline { width, width_texture: None, color: [1.0, 0.0, 0.0], lighting_mix: 0.0 }
}

/// Checks the width of the outline on both sides, in pixels.
#[track_caller]
fn check_outline(picture: &Picture, expected: [f32; 2]) {
    let red = picture.columns(1.0, |[r, g, _]| r > 128 && g < 60);
    let black = picture.columns(1.0, |[r, g, _]| r < 100 && g < 50);
    let (low, high) = (*black.first().expect("a surface"), *black.last().expect("a surface"));
    let found = [red.iter().filter(|x| **x < low).count(), red.iter().filter(|x| **x > high).count()];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found as f32 - expected).abs() <= 1.01, "{found} instead of {expected} pixels: {red:?}, {black:?}");
    }
    assert!(!red.iter().any(|x| (low..=high).contains(x)), "the surface covers the line: {red:?}");
}

#[test]
fn an_outline_in_world_coordinates_has_its_width_in_metres() {
    for distance in [1.8, 3.6] {
        let character = dark_tube(|_, toon| toon.outline = Some(red_outline(OutlineWidth::World(0.03))));
        let Some(picture) = draw_or_skip("outline-world", &character, &Shot { distance, ..NEAR }) else { return };
        let pixels = picture.view.metres_to_pixels(0.03, Vec3::Y);
        assert!(pixels > 3.0);
        check_outline(&picture, [pixels; 2]);
        let edge = TUBE_RADIUS + 0.015;
        assert_eq!([picture.at(edge, 1.0), picture.at(-edge, 1.0)], [RED; 2]);
    }
}

#[test]
fn an_outline_in_screen_coordinates_is_a_share_of_the_height_at_any_distance() {
    for distance in [1.8, 3.6] {
        let character = dark_tube(|_, toon| toon.outline = Some(red_outline(OutlineWidth::Screen(0.03))));
        let Some(picture) = draw_or_skip("outline-screen", &character, &Shot { distance, ..NEAR }) else { return };
        check_outline(&picture, [0.03 * PICTURE_SIZE as f32; 2]);
    }
}

#[test]
fn the_green_channel_of_a_texture_scales_the_outline() {
    let character = dark_tube(|character, toon| {
        // The right edge of the tube is in the middle of the first texel, and the left edge in the middle of the second.
        let texture = two_texels(character, SIDE_BY_SIDE, [[255, 0, 255], [0, 255, 0]]);
        let texture = TextureRef { offset: Vec2::new(0.25, 0.0), nearest: true, ..texture };
        let outline = red_outline(OutlineWidth::Screen(0.03));
        toon.outline = Some(ToonOutline { width_texture: Some(texture), ..outline });
    });
    let Some(picture) = draw_or_skip("outline-texture", &character, &NEAR) else { return };
    check_outline(&picture, [0.03 * PICTURE_SIZE as f32, 0.0]);
}

#[test]
fn the_lighting_of_the_surface_is_mixed_into_the_outline() {
    let character = dark_tube(|_, toon| {
        let outline = red_outline(OutlineWidth::World(0.03));
        toon.outline = Some(ToonOutline { lighting_mix: 1.0, ..outline });
    });
    let Some(picture) = draw_or_skip("outline-lit", &character, &NEAR) else { return };
    assert_eq!(picture.at(TUBE_RADIUS + 0.015, 1.0), BLACK, "a black surface gives a black line");
}

#[test]
fn the_parametric_rim_lights_the_edge_and_its_lift_lights_everything() {
    let rim = ToonRim { color: [0.0, 0.0, 1.0], fresnel_power: 3.0, ..ToonRim::default() };
    let rims = [(0.0, BLACK), (1.0, BLUE)];
    for (lift, middle) in rims {
        let character = dark_tube(|_, toon| toon.rim = ToonRim { lift, ..rim });
        let Some(picture) = draw_or_skip("rim", &character, &NEAR) else { return };
        assert_eq!(picture.at(0.0, 1.0), middle);
        assert!(picture.at(TUBE_RADIUS * 0.985, 1.0)[2] > 150, "{:?}", picture.at(TUBE_RADIUS * 0.985, 1.0));
        // At half the radius, 1 - cos is 0.134.
        let expected = if lift == 0.0 { 8 } else { 255 };
        let found = picture.at(TUBE_RADIUS * 0.5, 1.0)[2];
        assert!(found.abs_diff(expected) < 6, "{found}");
    }
}

#[test]
fn a_texture_masks_the_rim() {
    let character = dark_tube(|character, toon| {
        // The image covers the front of the tube, from right to left.
        let texture = two_texels(character, SIDE_BY_SIDE, [BLACK, [255; 3]]);
        let texture = TextureRef { scale: Vec2::new(2.0, 1.0), nearest: true, ..texture };
        let multiply_texture = Some(texture);
        toon.rim = ToonRim { color: [0.0, 0.0, 1.0], lift: 1.0, multiply_texture, ..ToonRim::default() };
    });
    let Some(picture) = draw_or_skip("rim-texture", &character, &NEAR) else { return };
    assert_eq!([picture.at(-0.1, 1.0), picture.at(0.1, 1.0)], [BLUE, BLACK]);
}

#[test]
fn the_sphere_texture_follows_the_direction_of_the_normal_in_the_picture() {
    let matcap = |texture: TextureRef| ToonRim {
        matcap_color: [1.0, 1.0, 1.0],
        matcap_texture: Some(TextureRef { wrap: [TextureWrap::Clamp; 2], ..texture }),
        ..ToonRim::default()
    };
    let character = dark_tube(|character, toon| {
        toon.rim = matcap(two_texels(character, SIDE_BY_SIDE, [RED, BLUE]));
    });
    let Some(picture) = draw_or_skip("matcap", &character, &NEAR) else { return };
    assert_eq!([picture.at(-0.1, 1.0), picture.at(0.1, 1.0)], [RED, BLUE]);
    for (normal, expected) in [(Vec3::new(0.0, 0.6, 0.8), RED), (Vec3::new(0.0, -0.6, 0.8), BLUE)] {
        let mut character = square(ToonShading::default(), |_, _| {});
        let texture = two_texels(&mut character, ONE_ABOVE_THE_OTHER, [RED, BLUE]);
        let (black, toon) = flat_toon([0.0; 3]);
        let shading = Shading::Toon(Box::new(ToonShading { rim: matcap(texture), ..toon }));
        character.materials[0] = Material { shading, ..black };
        character.meshes[0].primitives[0].normals = vec![normal; 4];
        let Some(picture) = draw_or_skip("matcap-up", &character, &NEAR) else { return };
        assert_eq!(picture.at(0.0, 1.0), expected, "the top of the image is for normals that point up");
    }
}

/// The colour of a white surface with a black shade, in a light that hits with this cosine. The border is soft.
fn soft_shading(cosine: f32) -> [u8; 3] {
    let lit = (0.85 * (0.5 * cosine + 0.5) + 0.15).clamp(0.0, 1.0);
    let srgb = 1.055 * libm::powf(lit, 1.0 / 2.4) - 0.055;
    [(srgb * 255.0).round() as u8; 3]
}

fn soft() -> ToonShading {
    ToonShading { shading_toony: 0.0, ..ToonShading::default() }
}

#[test]
fn the_border_is_soft_and_a_texture_shifts_it_by_its_red_channel() {
    let cosine = front_light().z;
    let plain = square(soft(), |_, _| {});
    let Some(picture) = draw_or_skip("soft", &plain, &NEAR) else { return };
    check_color_near(picture.at(0.1, 1.0), soft_shading(cosine), 1);
    let shifted = square(soft(), |character, material| {
        let texture = two_texels(character, SIDE_BY_SIDE, [[255, 0, 0], [0, 255, 255]]);
        let shift_texture = Some(ScaledTexture { texture, scale: -0.5 });
        material.shading = Shading::Toon(Box::new(ToonShading { shift_texture, ..soft() }));
    });
    let Some(picture) = draw_or_skip("shift-texture", &shifted, &NEAR) else { return };
    check_color_near(picture.at(-0.1, 1.0), soft_shading(cosine - 0.5), 1);
    check_color_near(picture.at(0.1, 1.0), soft_shading(cosine), 1);
}

#[test]
fn a_normal_map_turns_the_normal_as_its_texels_point() {
    let light = front_light();
    let texels =
        [([255, 128, 128], 1.0, Vec3::X), ([128, 255, 128], 1.0, Vec3::Y), ([128, 255, 128], -1.0, Vec3::NEG_Y)];
    for (texel, scale, normal) in texels {
        let character = square(soft(), |character, material| {
            let texture = two_texels(character, SIDE_BY_SIDE, [texel; 2]);
            material.normal_texture = Some(ScaledTexture { texture, scale });
        });
        let Some(picture) = draw_or_skip("normal-map", &character, &NEAR) else { return };
        check_color_near(picture.at(0.1, 1.1), soft_shading(light.dot(normal)), 3);
    }
}

#[test]
fn a_normal_map_on_a_plain_material_looks_like_a_surface_with_these_normals() {
    let half = FRAC_1_SQRT_2;
    for (texel, normal) in
        [([218, 128, 218], Vec3::new(half, 0.0, half)), ([128, 38, 218], Vec3::new(0.0, -half, half))]
    {
        let plain = |change: &dyn Fn(&mut Character, &mut Material)| {
            square(ToonShading::default(), |character, material| {
                change(character, material);
                material.base_color = [0.5, 0.5, 0.5, 1.0];
            })
        };
        let lit = |mut character: Character| {
            character.materials.iter_mut().for_each(|material| material.shading = Shading::Lit);
            character
        };
        let mapped = lit(plain(&|character, material| {
            let texture = two_texels(character, SIDE_BY_SIDE, [texel; 2]);
            material.normal_texture = Some(ScaledTexture { texture, scale: 1.0 });
        }));
        let flat = lit(plain(&|_, _| {}));
        let mut turned = flat.clone();
        turned.meshes[0].primitives[0].normals = vec![normal; 4];
        let Some(picture) = draw_or_skip("plain-normal-map", &mapped, &NEAR) else { return };
        let Some(expected) = draw_or_skip("plain-turned", &turned, &NEAR) else { return };
        let Some(unmapped) = draw_or_skip("plain-flat", &flat, &NEAR) else { return };
        check_color_near(picture.at(0.1, 1.1), expected.at(0.1, 1.1), 3);
        let difference = picture.at(0.1, 1.1)[0].abs_diff(unmapped.at(0.1, 1.1)[0]);
        assert!(difference > 6, "the map changes the light by {difference}");
    }
}

/// A square with an image whose coordinates move.
fn animated(texels: ([u32; 2], [[u8; 3]; 2]), animation: UvAnimation, mask: Option<[[u8; 3]; 2]>) -> Character {
    square(ToonShading::default(), |character, material| {
        material.base_texture = Some(two_texels(character, texels.0, texels.1));
        let mask = mask.map(|mask| two_texels(character, SIDE_BY_SIDE, mask));
        material.shading = Shading::Toon(Box::new(ToonShading {
            shade_color: [1.0; 3],
            shade_texture: material.base_texture,
            uv_animation: Some(UvAnimation { mask, ..animation }),
            ..ToonShading::default()
        }));
    })
}

#[test]
fn texture_coordinates_scroll_and_rotate_over_time() {
    let scroll = UvAnimation { scroll: Vec2::new(0.5, 0.0), ..UvAnimation::default() };
    for (seconds, expected) in [(0.0, [RED, BLUE]), (1.0, [BLUE, RED]), (2.0, [RED, BLUE])] {
        let character = animated((SIDE_BY_SIDE, [RED, BLUE]), scroll, None);
        let Some(picture) = draw_or_skip("scroll", &character, &Shot { seconds, ..NEAR }) else { return };
        assert_eq!([picture.at(-0.15, 1.0), picture.at(0.15, 1.0)], expected, "after {seconds} s");
    }
    let rotation = UvAnimation { rotation: FRAC_PI_2, ..UvAnimation::default() };
    let character = animated((ONE_ABOVE_THE_OTHER, [RED, BLUE]), rotation, None);
    let Some(still) = draw_or_skip("rotate-0", &character, &NEAR) else { return };
    assert_eq!([still.at(0.0, 1.15), still.at(0.0, 0.85)], [RED, BLUE]);
    let Some(turned) = draw_or_skip("rotate", &character, &Shot { seconds: 1.0, ..NEAR }) else { return };
    assert_eq!([turned.at(0.15, 1.0), turned.at(-0.15, 1.0)], [RED, BLUE], "the top of the image is at the right");
}

#[test]
fn the_blue_channel_of_a_mask_scales_the_animation() {
    let scroll = UvAnimation { scroll: Vec2::new(0.5, 0.0), ..UvAnimation::default() };
    let mask = Some([[255, 255, 0], [0, 0, 255]]);
    let character = animated((SIDE_BY_SIDE, [RED, BLUE]), scroll, mask);
    let Some(picture) = draw_or_skip("mask", &character, &Shot { seconds: 1.0, ..NEAR }) else { return };
    assert_eq!([picture.at(-0.15, 1.0), picture.at(0.15, 1.0)], [RED, RED], "the left half stays");
}

/// Draws a red square 40 cm in front of a blue square, both half transparent, and returns the colour of the middle.
fn blended_or_skip(front: BlendOrder, back: BlendOrder) -> Option<[u8; 3]> {
    let mut character = single_bone_character();
    for (z, color, blend_order) in [(0.4, [1.0, 0.0, 0.0], front), (0.0, [0.0, 0.0, 1.0], back)] {
        let (material, toon) = flat_toon(color);
        let [r, g, b, _] = material.base_color;
        let shading = Shading::Toon(Box::new(toon));
        let blended =
            Material { base_color: [r, g, b, 0.5], alpha: AlphaMode::Blend, blend_order, shading, ..material };
        add_square(&mut character, Vec3::new(0.0, 1.0, z), 0.6, blended);
    }
    Some(draw_or_skip("blend-order", &character, &NEAR)?.at(0.0, 1.0))
}

#[test]
fn blended_materials_are_drawn_by_depth_writing_then_queue_then_distance() {
    let order = |writes_depth: bool, queue: i32| BlendOrder { writes_depth, queue };
    let plain = order(false, 0);
    let Some(by_distance) = blended_or_skip(plain, plain) else { return };
    check_color_near(by_distance, [128, 23, 64], 1);
    let Some(by_queue) = blended_or_skip(order(false, -1), plain) else { return };
    check_color_near(by_queue, [64, 23, 128], 1);
    let Some(hidden) = blended_or_skip(order(true, 0), plain) else { return };
    check_color_near(hidden, [128, 45, 0], 1);
    let Some(both) = blended_or_skip(order(true, 1), order(true, 0)) else { return };
    check_color_near(both, [128, 23, 64], 1);
}

#[test]
fn toon_materials_ignore_vertex_colors() {
    let (material, toon) = flat_toon([1.0; 3]);
    let mut character = square(toon, |_, slot| slot.base_color = material.base_color);
    character.meshes[0].primitives[0].colors = vec![[1.0, 0.0, 0.0, 1.0]; 4];
    let Some(picture) = draw_or_skip("vertex-colors", &character, &NEAR) else { return };
    assert_eq!(picture.at(0.0, 1.0), [255; 3]);
}

#[test]
fn emission_is_added_to_the_shaded_color() {
    let character = square(ToonShading::default(), |_, material| {
        material.base_color = [0.0, 0.0, 0.0, 1.0];
        material.emissive = [0.0, 0.0, 1.0];
    });
    let Some(picture) = draw_or_skip("toon-emission", &character, &NEAR) else { return };
    assert_eq!(picture.at(0.0, 1.0), BLUE);
    assert_eq!(picture.at(0.0, 1.38), BACKGROUND);
}
