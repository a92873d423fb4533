//! Tests the scene inside egui, as the window draws it: the scene changes only its own rectangle, and egui draws
//! correctly afterwards.

use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use super::support::tube::{bent, plain_input, tube};
use eframe::egui_glow::CallbackFn;
use egui::{Color32, PaintCallback, Rect, pos2, vec2};
use egui_kittest::Harness;
use glam::Vec2;
use std::sync::{Arc, Mutex};
use yuremono::renderer::{Backdrop, DrawInput, PixelRect, SceneRenderer};
use yuremono::stage::{OrbitCamera, ViewRect};

const BAR_COLOR: Color32 = Color32::from_rgb(200, 30, 60);

fn pixel_rect(v: &egui::epaint::ViewportInPixels) -> PixelRect {
    PixelRect { x: v.left_px, y: v.from_bottom_px, width: v.width_px as u32, height: v.height_px as u32 }
}

/// Draws a bar, a partly clipped viewport below it, and another bar on top.
fn draw_ui(ui: &egui::Ui, scene: &Arc<Mutex<SceneRenderer>>) {
    let painter = ui.painter();
    painter.rect_filled(Rect::from_min_size(pos2(0.0, 0.0), vec2(300.0, 20.0)), 0.0, BAR_COLOR);
    let rect = Rect::from_min_size(pos2(40.0, 0.0), vec2(200.0, 180.0));
    let free = Rect::from_min_max(pos2(40.0, 20.0), pos2(240.0, 180.0));
    let scene = Arc::clone(scene);
    let callback = CallbackFn::new(move |info, _| {
        let character = tube(6, 25, 20);
        let pose = bent(&character, 0.6);
        let mut scene = scene.lock().expect("no thread panicked while holding the lock");
        scene.set_character(&character).expect("the shaders compile");
        let (viewport, scissor) = (pixel_rect(&info.viewport_in_pixels()), pixel_rect(&info.clip_rect_in_pixels()));
        let pane = ViewRect::uncovered(Vec2::new(viewport.width as f32, viewport.height as f32));
        let shot = OrbitCamera::default().view(&pane);
        let backdrop = &Backdrop::LIGHT;
        let input = DrawInput { backdrop, ..plain_input(&shot, &pose) };
        scene.draw(&input, viewport, scissor, false);
    });
    painter.with_clip_rect(free).add(PaintCallback { rect, callback: Arc::new(callback) });
    painter.rect_filled(Rect::from_min_size(pos2(0.0, 170.0), vec2(300.0, 30.0)), 0.0, BAR_COLOR);
}

#[test]
fn the_scene_is_drawn_only_inside_its_rectangle() {
    let Some(headless) = headless_or_skip() else { return };
    let scene = SceneRenderer::new(headless.gl.clone()).expect("shaders compile");
    let scene = Arc::new(Mutex::new(scene));
    let mut harness = Harness::builder()
        .with_size(vec2(300.0, 200.0))
        .renderer(GlowRenderer::new(headless))
        .build_ui(move |ui| draw_ui(ui, &scene));
    harness.run();
    let picture = harness.render().expect("drawn");
    if let Some(folder) = std::env::var_os("YUREMONO_PICTURES") {
        picture.save(std::path::Path::new(&folder).join("gui.png")).expect("the folder can be written");
    }
    let at = |x: u32, y: u32| picture.get_pixel(x, y).0;
    let bar = BAR_COLOR.to_array();
    assert_eq!(at(140, 10), bar, "the scene is clipped at the first bar");
    assert_eq!(at(140, 190), bar, "the last bar covers the scene");
    let [top, bottom] = [25, 165].map(|y| at(50, y)[0]);
    assert!(top > bottom + 10, "the backdrop runs from light to dark: {top}, {bottom}");
    assert!(at(138, 140)[0] > at(138, 140)[2] + 40, "the tube's lower half is red: {:?}", at(138, 140));
    assert_ne!(at(20, 100), at(50, 100), "nothing is drawn left of the rectangle");
}
