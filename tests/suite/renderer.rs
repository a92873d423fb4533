//! Tests off-screen pictures of generated characters: colours, skinning, visibility, and the order of transparent
//! meshes.
//!
//! Set `YUREMONO_PICTURES` to a folder to save the pictures of the tests there.

mod toon;

use super::support::glow_renderer::headless_or_skip;
use super::support::tube::{
    PLAIN_BACKDROP, add_square, bent, plain_input, single_bone_character, tube, unlit, unlit_image,
};
use glam::{Vec2, Vec3};
use image::RgbaImage;
use yuremono::renderer::{Backdrop, DrawInput, ExtraBody, HeadlessContext, OffscreenRenderer};
use yuremono::stage::{CameraView, OrbitCamera, ViewRect};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::skinning::{SkinMatrices, posed_positions};
use yuremono_sim::rig::{
    AlphaMode, BoneId, Character, Image, Material, MorphTarget, Pose, Shading, ToonShading, WorldPose,
};

const PICTURE_SIZE: u32 = 240;

fn camera() -> OrbitCamera {
    OrbitCamera { target: Vec3::Y * 0.8, pitch: 0.0, distance: 4.0, ..OrbitCamera::default() }
}

fn camera_view() -> CameraView {
    camera().view(&ViewRect::uncovered(Vec2::splat(PICTURE_SIZE as f32)))
}

fn rest_pose(character: &Character) -> WorldPose {
    WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton))
}

/// Draws with the best API of the driver, or returns `None` without a driver.
fn render_or_skip(
    name: &str,
    character: &Character,
    pose: &WorldPose,
    visible: &[bool],
    backdrop: &Backdrop,
) -> Option<RgbaImage> {
    let headless = headless_or_skip()?;
    Some(render_on(headless, name, character, pose, visible, backdrop))
}

fn render_on(
    headless: HeadlessContext,
    name: &str,
    character: &Character,
    pose: &WorldPose,
    visible: &[bool],
    backdrop: &Backdrop,
) -> RgbaImage {
    let mut offscreen = OffscreenRenderer::with_context(headless, PICTURE_SIZE, PICTURE_SIZE).expect("a small picture");
    offscreen.scene().expect("current").set_character(character).expect("the shaders compile");
    let shot = camera_view();
    let input = DrawInput { visible, backdrop, ..plain_input(&shot, pose) };
    let image = offscreen.render(&input).expect("drawn");
    save_picture(name, &image);
    image
}

fn save_picture(name: &str, image: &RgbaImage) {
    if let Some(folder) = std::env::var_os("YUREMONO_PICTURES") {
        image.save(std::path::Path::new(&folder).join(format!("{name}.png"))).expect("the folder can be written");
    }
}

/// Returns the pixel that shows a world point.
fn pixel_at(image: &RgbaImage, world: Vec3) -> [u8; 3] {
    let at = camera_view().project(world).expect("in front").pixel;
    let [r, g, b, a] = image.get_pixel(at.x as u32, at.y as u32).0;
    assert_eq!(a, 255, "pictures are opaque");
    [r, g, b]
}

#[track_caller]
fn check_color_near(found: [u8; 3], expected: [u8; 3], step: u8) {
    let near = found.iter().zip(expected).all(|(f, e)| f.abs_diff(e) <= step);
    assert!(near, "{found:?} instead of {expected:?} (within {step})");
}

/// Checks that all grey levels in one image, and their mixed channels, are drawn unchanged.
fn check_exact_colors(headless: HeadlessContext, name: &str) {
    let mut character = single_bone_character();
    let texel = |i: u32| [i as u8, 255 - i as u8, (i * 7 % 256) as u8, 255];
    let image = Image { width: 16, height: 16, rgba: (0..256).flat_map(texel).collect() };
    let material = unlit_image(&mut character, image);
    add_square(&mut character, Vec3::Y * 0.8, 1.6, material);
    let picture = render_on(headless, name, &character, &rest_pose(&character), &[], &PLAIN_BACKDROP);
    for i in 0..256 {
        let (column, row) = ((i % 16) as f32, (i / 16) as f32);
        let world = Vec3::new((column + 0.5) / 16.0 - 0.5, 0.5 - (row + 0.5) / 16.0, 0.0) * 1.6 + Vec3::Y * 0.8;
        let [r, g, b, _] = texel(i);
        assert_eq!(pixel_at(&picture, world), [r, g, b], "texel {i}");
    }
}

#[test]
fn srgb_texels_are_drawn_exactly() {
    let Some(headless) = headless_or_skip() else { return };
    check_exact_colors(headless, "srgb");
}

#[test]
fn opengl_es_draws_the_same_colors() {
    match HeadlessContext::new_es() {
        Ok(headless) => check_exact_colors(headless, "srgb-es"),
        Err(reason) => eprintln!("skipped: {reason}"),
    }
}

#[test]
fn opengl_es_draws_the_same_picture() {
    let (Some(full), Ok(es)) = (headless_or_skip(), HeadlessContext::new_es()) else { return };
    let character = tube(8, 33, 24);
    let pose = bent(&character, 0.7);
    let full = render_on(full, "full", &character, &pose, &[], &Backdrop::LIGHT);
    let es = render_on(es, "es", &character, &pose, &[], &Backdrop::LIGHT);
    let apart = full.as_raw().iter().zip(es.as_raw()).filter(|(a, b)| a.abs_diff(**b) > 3).count();
    assert!(apart < 50, "{apart} bytes differ");
}

#[test]
fn two_offscreen_renderers_do_not_affect_each_other() {
    let (Some(first), Some(second)) = (headless_or_skip(), headless_or_skip()) else { return };
    let mut character = single_bone_character();
    add_square(&mut character, Vec3::Y * 0.8, 1.0, unlit([1.0; 4], AlphaMode::Opaque));
    let pose = rest_pose(&character);
    let mut first = OffscreenRenderer::with_context(first, PICTURE_SIZE, PICTURE_SIZE).expect("a small picture");
    first.scene().expect("current").set_character(&character).expect("the shaders compile");
    let [low, high] = first.scene().expect("current").bounds().expect("a surface");
    assert!(low.y > 0.25 && high.y < 1.35 && high.y - low.y > 0.9, "at rest from {low} to {high}");
    let second = OffscreenRenderer::with_context(second, 8, 8).expect("a tiny picture");
    let shot = camera_view();
    let input = plain_input(&shot, &pose);
    let before = first.render(&input).expect("drawn");
    drop(second);
    assert_eq!(before, first.render(&input).expect("drawn"));
    assert_eq!(pixel_at(&before, Vec3::Y * 0.8), [255; 3]);
}

#[test]
fn a_linear_color_is_encoded_and_vertex_colors_multiply_it() {
    let mut character = single_bone_character();
    let square = add_square(&mut character, Vec3::Y * 0.8, 1.0, unlit([0.5, 0.25, 1.0, 1.0], AlphaMode::Opaque));
    character.meshes[square].primitives[0].colors = vec![[1.0, 0.5, 0.0, 1.0]; 4];
    let Some(picture) = render_or_skip("linear", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    check_color_near(pixel_at(&picture, Vec3::Y * 0.8), [188, 99, 0], 1);
}

/// Checks that every posed vertex is inside the silhouette, and that the silhouette has the extent of the vertices.
fn check_silhouette(name: &str, character: &Character, pose: &WorldPose) {
    let Some(picture) = render_or_skip(name, character, pose, &[], &PLAIN_BACKDROP) else { return };
    let palettes = SkinMatrices::of(&character.skins, pose);
    let vertices = character.meshes.iter().flat_map(|mesh| {
        mesh.primitives.iter().flat_map(|p| posed_positions(character, mesh, p, &palettes, pose)).collect::<Vec<_>>()
    });
    let pixels: Vec<Vec2> = vertices.map(|v| camera_view().project(v).expect("in front").pixel).collect();
    let low = pixels.iter().copied().reduce(Vec2::min).expect("vertices");
    let high = pixels.iter().copied().reduce(Vec2::max).expect("vertices");
    let covered = |x: u32, y: u32| {
        let [r, g, b, _] = picture.get_pixel(x, y).0;
        r.abs_diff(0) > 8 || g.abs_diff(90) > 8 || b > 8
    };
    let inside =
        (0..PICTURE_SIZE).flat_map(|y| (0..PICTURE_SIZE).map(move |x| (x, y))).filter(|(x, y)| covered(*x, *y));
    let (mut first, mut last) = (Vec2::splat(1e9), Vec2::splat(-1e9));
    for (x, y) in inside {
        first = first.min(Vec2::new(x as f32, y as f32));
        last = last.max(Vec2::new(x as f32 + 1.0, y as f32 + 1.0));
    }
    assert!((first - low).abs().max_element() < 1.6, "the silhouette starts at {first}, vertices at {low}");
    assert!((last - high).abs().max_element() < 1.6, "the silhouette ends at {last}, vertices at {high}");
    let middle = (low + high) * 0.5;
    let missed = pixels.iter().filter(|p| {
        // Move points on the edge of the silhouette towards the middle of the picture.
        let p = **p + (middle - **p).normalize_or_zero() * 1.5;
        !(-1..=1).any(|dx| (-1..=1).any(|dy| covered((p.x as i32 + dx) as u32, (p.y as i32 + dy) as u32)))
    });
    assert_eq!(missed.count(), 0, "vertices outside the silhouette");
}

#[test]
fn gpu_skinning_matches_cpu_skinning() {
    let character = tube(8, 33, 24);
    check_silhouette("bent", &character, &bent(&character, 1.0));
}

#[test]
fn joints_beyond_the_first_texture_row_are_skinned() {
    let character = tube(700, 200, 12);
    check_silhouette("many-joints", &character, &bent(&character, -1.0));
}

#[test]
fn a_hidden_mesh_is_not_drawn_and_the_other_one_is() {
    let character = tube(4, 17, 16);
    let pose = rest_pose(&character);
    let Some(picture) = render_or_skip("hidden", &character, &pose, &[true, false], &PLAIN_BACKDROP) else { return };
    assert_eq!(pixel_at(&picture, Vec3::Y * 1.3), [0, 90, 0]);
    assert_ne!(pixel_at(&picture, Vec3::Y * 0.3), [0, 90, 0]);
}

#[test]
fn toon_shading_has_two_flat_colors() {
    let character = tube(4, 17, 48);
    let Some(picture) = render_or_skip("toon", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    let left = pixel_at(&picture, Vec3::new(-0.08, 1.3, 0.17));
    let right = pixel_at(&picture, Vec3::new(0.14, 1.3, 0.11));
    check_color_near(left, [243, 203, 225], 1);
    // The ambient light adds 15 % of the lit colour.
    check_color_near(right, [159, 116, 163], 1);
}

#[test]
fn toon_shading_without_a_shade_texture_uses_the_shade_color() {
    let mut character = single_bone_character();
    let red = Image { width: 1, height: 1, rgba: vec![255, 0, 0, 255] };
    let textured = unlit_image(&mut character, red);
    let toon =
        ToonShading { shade_color: [0.0, 1.0, 0.0], shading_shift: -1.0, shading_toony: 1.0, ..ToonShading::default() };
    add_square(&mut character, Vec3::Y * 0.8, 1.0, Material { shading: Shading::Toon(Box::new(toon)), ..textured });
    let Some(picture) = render_or_skip("plain-shade", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    // 15 % of the red texture and 85 % of the green shade.
    check_color_near(pixel_at(&picture, Vec3::Y * 0.8), [108, 237, 0], 1);
}

#[test]
fn emission_is_multiplied_by_its_texture() {
    let mut character = single_bone_character();
    let image = Image { width: 1, height: 1, rgba: vec![200, 100, 50, 255] };
    let textured = unlit_image(&mut character, image);
    let dark = Material { base_color: [0.0, 0.0, 0.0, 1.0], base_texture: None, ..textured.clone() };
    let glowing = Material { emissive: [1.0, 0.0, 1.0], emissive_texture: textured.base_texture, ..dark };
    add_square(&mut character, Vec3::Y * 0.8, 1.0, glowing);
    let Some(picture) = render_or_skip("glow", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    assert_eq!(pixel_at(&picture, Vec3::Y * 0.8), [200, 0, 50]);
}

#[test]
fn transparent_meshes_are_drawn_back_to_front_in_any_order() {
    let red = unlit([1.0, 0.0, 0.0, 0.5], AlphaMode::Blend);
    let blue = unlit([0.0, 0.0, 1.0, 0.5], AlphaMode::Blend);
    let green = unlit([0.0, 1.0, 0.0, 1.0], AlphaMode::Blend);
    for turn in [false, true] {
        let mut character = single_bone_character();
        let mut pieces = [(0.4, &red), (0.2, &blue), (0.0, &green)];
        if turn {
            pieces.reverse();
        }
        for (z, material) in pieces {
            add_square(&mut character, Vec3::new(0.0, 0.8, z), 1.0, material.clone());
        }
        let Some(picture) = render_or_skip("blended", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
            return;
        };
        check_color_near(pixel_at(&picture, Vec3::Y * 0.8), [128, 64, 64], 1);
    }
}

#[test]
fn alpha_mask_cuts_pixels_and_keeps_the_rest_opaque() {
    let mut character = single_bone_character();
    let texel = |i: usize| if i.is_multiple_of(2) { [200, 100, 50, 255] } else { [200, 100, 50, 40] };
    let image = Image { width: 2, height: 1, rgba: (0..2).flat_map(texel).collect() };
    let material = unlit_image(&mut character, image);
    let masked = Material { alpha: AlphaMode::Mask(0.5), ..material };
    add_square(&mut character, Vec3::Y * 0.8, 1.0, masked);
    let Some(picture) = render_or_skip("mask", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    assert_eq!(pixel_at(&picture, Vec3::new(-0.3, 0.8, 0.0)), [200, 100, 50]);
    assert_eq!(pixel_at(&picture, Vec3::new(0.3, 0.8, 0.0)), [0, 90, 0]);
}

#[test]
fn back_faces_are_culled_unless_double_sided_also_with_negative_scale() {
    for (double_sided, mirrored, turned, shown) in [
        (false, false, false, true),
        (false, false, true, false),
        (true, false, true, true),
        (false, true, false, true),
        (false, true, true, false),
    ] {
        let mut character = single_bone_character();
        let white = unlit([1.0; 4], AlphaMode::Opaque);
        let square = add_square(&mut character, Vec3::Y * 0.8, 1.0, Material { double_sided, ..white });
        if turned {
            character.meshes[square].primitives[0].indices.reverse();
        }
        let scale = if mirrored { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        let pose = Pose { local: vec![Trs { scale, ..Trs::IDENTITY }] };
        let pose = WorldPose::from_pose(&character.skeleton, &pose);
        let Some(picture) = render_or_skip("sides", &character, &pose, &[], &PLAIN_BACKDROP) else { return };
        let expected = if shown { [255; 3] } else { [0, 90, 0] };
        assert_eq!(pixel_at(&picture, Vec3::Y * 0.8), expected, "{double_sided} {mirrored} {turned}");
    }
}

#[test]
fn morph_weights_move_vertices() {
    let mut character = single_bone_character();
    let square = add_square(&mut character, Vec3::Y * 0.8, 0.4, unlit([1.0; 4], AlphaMode::Opaque));
    let aside = MorphTarget { positions: vec![Vec3::X * 0.5; 4], normals: vec![] };
    character.meshes[square].primitives[0].morphs = vec![aside];
    character.meshes[square].morph_weights = vec![1.0];
    let Some(picture) = render_or_skip("morph", &character, &rest_pose(&character), &[], &PLAIN_BACKDROP) else {
        return;
    };
    assert_eq!(pixel_at(&picture, Vec3::Y * 0.8), [0, 90, 0]);
    assert_eq!(pixel_at(&picture, Vec3::new(0.5, 0.8, 0.0)), [255; 3]);
}

#[test]
fn invalid_characters_are_drawn_without_a_panic() {
    let mut character = tube(3, 9, 8);
    let p = &mut character.meshes[0].primitives[0];
    p.uvs.clear();
    p.normals.clear();
    p.material = 99;
    p.indices.extend([0, 0, 0, 9999, 1, 2, 7]);
    p.joints[0] = [500; 4];
    p.weights[1] = [f32::NAN; 4];
    p.positions[2] = Vec3::NAN;
    character.meshes[1].skin = Some(7);
    character.meshes[1].bone = BoneId(77);
    character.meshes.push(yuremono_sim::rig::Mesh { primitives: vec![], ..character.meshes[1].clone() });
    let Some(picture) = render_or_skip("odd", &character, &WorldPose::default(), &[], &Backdrop::LIGHT) else { return };
    assert_ne!(pixel_at(&picture, Vec3::Y * 0.4), pixel_at(&picture, Vec3::new(0.7, 0.4, 0.0)));
    render_on(
        headless_or_skip().expect("the first check made a context"),
        "empty",
        &Character::default(),
        &WorldPose::default(),
        &[],
        &PLAIN_BACKDROP,
    );
}

#[test]
fn the_ground_shows_its_axes_and_a_shadow_under_the_feet() {
    let character = tube(4, 17, 16);
    let pose = rest_pose(&character);
    let Some(headless) = headless_or_skip() else { return };
    let mut offscreen = OffscreenRenderer::with_context(headless, PICTURE_SIZE, PICTURE_SIZE).expect("a small picture");
    offscreen.scene().expect("current").set_character(&character).expect("the shaders compile");
    let shot = OrbitCamera { pitch: 0.5, target: Vec3::Y * 0.4, ..camera() }
        .view(&ViewRect::uncovered(Vec2::splat(PICTURE_SIZE as f32)));
    let backdrop = Backdrop { shadow: 0.6, grid: Some([70, 75, 83]), ..PLAIN_BACKDROP };
    let input = DrawInput { backdrop: &backdrop, ..plain_input(&shot, &pose) };
    let image = offscreen.render(&input).expect("drawn");
    save_picture("ground", &image);
    let at = |world: Vec3| {
        let at = shot.project(world).expect("in front").pixel;
        image.get_pixel(at.x as u32, at.y as u32).0
    };
    let [r, g, ..] = at(Vec3::X * 0.6);
    assert!(r > g + 15, "the X axis is red: {r} {g}");
    let (near, far) = (at(Vec3::new(0.1, 0.0, 0.22))[1], at(Vec3::new(0.6, 0.0, 0.66))[1]);
    assert!(near + 12 < far, "the ground is darker at the feet: {near} and {far}");
}

#[test]
fn shadows_are_below_their_casters() {
    let mut character = single_bone_character();
    let square = add_square(&mut character, Vec3::ZERO, 0.3, unlit([1.0; 4], AlphaMode::Opaque));
    // Arrange three horizontal pieces in an L just above the ground. They face down, so the camera does not see them.
    let places = [Vec3::ZERO, Vec3::X * 0.6, Vec3::Z * 0.6];
    let p = &mut character.meshes[square].primitives[0];
    let corners: Vec<Vec3> = p.positions.iter().map(|c| Vec3::new(c.x, 0.0005, c.y)).collect();
    p.positions = places.iter().flat_map(|place| corners.iter().map(move |c| *place + *c)).collect();
    p.indices = (0..3).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|i| i + 4 * n)).collect();
    let pose = rest_pose(&character);
    let Some(headless) = headless_or_skip() else { return };
    let mut offscreen = OffscreenRenderer::with_context(headless, PICTURE_SIZE, PICTURE_SIZE).expect("a small picture");
    offscreen.scene().expect("current").set_character(&character).expect("the shaders compile");
    let above = OrbitCamera { target: Vec3::ZERO, pitch: 1.5, ..camera() }
        .view(&ViewRect::uncovered(Vec2::splat(PICTURE_SIZE as f32)));
    let backdrop = Backdrop { shadow: 1.0, ..PLAIN_BACKDROP };
    let input = DrawInput { backdrop: &backdrop, ..plain_input(&above, &pose) };
    let image = offscreen.render(&input).expect("drawn");
    save_picture("shadow", &image);
    let green = |place: Vec3| {
        let at = above.project(place).expect("in front").pixel;
        image.get_pixel(at.x as u32, at.y as u32).0[1]
    };
    for place in places {
        assert!(green(place) < 70, "dark at {place}: {}", green(place));
    }
    for place in [Vec3::X * -0.6, Vec3::Z * -0.6, Vec3::new(0.6, 0.0, 0.6)] {
        assert!(green(place) > 80, "bright at {place}: {}", green(place));
    }
}

/// Draws an unlit red square at the origin of a bone, with other bodies.
fn picture_with_bodies(name: &str, extra_bodies: &[ExtraBody]) -> Option<RgbaImage> {
    let mut character = single_bone_character();
    add_square(&mut character, Vec3::Y * 0.8, 0.3, unlit([1.0, 0.0, 0.0, 1.0], AlphaMode::Opaque));
    let pose = rest_pose(&character);
    let mut offscreen =
        OffscreenRenderer::with_context(headless_or_skip()?, PICTURE_SIZE, PICTURE_SIZE).expect("small");
    offscreen.scene().expect("current").set_character(&character).expect("the shaders compile");
    let shot = camera_view();
    let input = DrawInput { extra_bodies, ..plain_input(&shot, &pose) };
    // The second picture finds the pose of another body on the GPU.
    let first = offscreen.render(&input).expect("drawn");
    let second = offscreen.render(&input).expect("drawn");
    assert!(first.as_raw() == second.as_raw());
    save_picture(name, &second);
    Some(second)
}

fn body_at(offset: Vec3, ghost: Option<[f32; 4]>) -> ExtraBody {
    let mut pose = rest_pose(&single_bone_character());
    pose.frames.iter_mut().for_each(|frame| frame.position += offset);
    ExtraBody { pose, ghost }
}

#[test]
fn a_body_beside_the_main_body_has_its_materials() {
    let Some(picture) = picture_with_bodies("beside", &[body_at(Vec3::X * 0.5, None)]) else { return };
    for x in [0.0, 0.5] {
        assert_eq!(pixel_at(&picture, Vec3::new(x, 0.8, 0.0)), [255, 0, 0]);
    }
    assert_ne!(pixel_at(&picture, Vec3::new(-0.5, 0.8, 0.0)), [255, 0, 0]);
}

#[test]
fn a_ghost_shows_only_what_differs_and_never_covers_the_main_body() {
    let blue = Some([0.0, 0.0, 1.0, 1.0]);
    let Some(plain) = picture_with_bodies("no_ghost", &[]) else { return };
    let same = picture_with_bodies("equal_ghost", &[body_at(Vec3::ZERO, blue)]).expect("a driver");
    assert!(plain.as_raw() == same.as_raw(), "an equal ghost is invisible");
    let moved = picture_with_bodies("ghost", &[body_at(Vec3::new(0.2, 0.0, -0.1), blue)]).expect("a driver");
    assert_eq!(pixel_at(&moved, Vec3::Y * 0.8), [255, 0, 0], "the main body is in front");
    let [r, _, b] = pixel_at(&moved, Vec3::new(0.28, 0.8, -0.1));
    let [_, _, before] = pixel_at(&plain, Vec3::new(0.28, 0.8, -0.1));
    assert!(b > before + 40 && b > r, "the ghost is blue and translucent: {b} after {before}");
    let changed = plain.pixels().zip(moved.pixels()).filter(|(a, b)| a != b).count();
    assert!(changed > 0 && changed < plain.pixels().len() / 4);
}
