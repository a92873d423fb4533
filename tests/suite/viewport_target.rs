//! Tests the kept picture of a viewport: it equals the scene drawn directly, and is drawn again only after a change.

use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use super::support::tube::{bent, front_light, tube};
use eframe::egui_glow::CallbackFn;
use egui::{PaintCallback, Rect, pos2, vec2};
use egui_kittest::Harness;
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::sync::{Arc, Mutex};
use yuremono::renderer::{Backdrop, DrawInput, PictureQuality, PixelRect, SceneRenderer, ViewportTarget, WindowArea};
use yuremono::stage::{CameraView, OrbitCamera, ViewRect};
use yuremono_sim::rig::{Character, Shading, ToonShading, UvAnimation, WorldPose};

const SIZE: [u32; 2] = [300, 200];
const REDUCED: PictureQuality = PictureQuality { scale: 0.5, samples: 1, has_shadow: true };

/// What the viewport shows.
struct Shown {
    scene: SceneRenderer,
    target: ViewportTarget,
    character: Character,
    pose: WorldPose,
    camera: CameraView,
    visible: Vec<bool>,
    morph_weights: Vec<Vec<f32>>,
    backdrop: Backdrop,
    ground_height: f32,
    light: Vec3,
    seconds: f64,
    quality: PictureQuality,
    /// Whether the scene is drawn into the window without a target.
    is_direct: bool,
}

impl Shown {
    fn paint(&mut self, area: WindowArea) {
        let input = DrawInput {
            camera: &self.camera,
            pose: &self.pose,
            extra_bodies: &[],
            visible: &self.visible,
            morph_weights: &self.morph_weights,
            backdrop: &self.backdrop,
            ground_height: self.ground_height,
            light: self.light,
            seconds: self.seconds,
        };
        if self.is_direct {
            self.scene.draw(&input, area.viewport, area.scissor, false);
        } else {
            self.target.show(&mut self.scene, &input, self.quality, area).expect("a small picture");
        }
    }
}

struct Window {
    shown: Arc<Mutex<Shown>>,
    harness: Harness<'static>,
}

fn pixel_rect(v: &egui::epaint::ViewportInPixels) -> PixelRect {
    PixelRect { x: v.left_px, y: v.from_bottom_px, width: v.width_px as u32, height: v.height_px as u32 }
}

fn camera(yaw: f32) -> CameraView {
    let pane = ViewRect::uncovered(Vec2::new(SIZE[0] as f32, SIZE[1] as f32));
    OrbitCamera { yaw, ..OrbitCamera::default() }.view(&pane)
}

impl Window {
    /// Returns a window that the viewport fills, or `None` without OpenGL.
    fn new() -> Option<Self> {
        let headless = headless_or_skip()?;
        let character = tube(6, 25, 20);
        let mut scene = SceneRenderer::new(headless.gl.clone()).expect("shaders compile");
        scene.set_character(&character).expect("shaders compile");
        let shown = Arc::new(Mutex::new(Shown {
            scene,
            target: ViewportTarget::default(),
            pose: bent(&character, 0.6),
            character,
            camera: camera(0.4),
            visible: Vec::new(),
            morph_weights: Vec::new(),
            backdrop: Backdrop::DARK,
            ground_height: 0.0,
            light: front_light(),
            seconds: 0.0,
            quality: PictureQuality::FULL,
            is_direct: false,
        }));
        let painted = Arc::clone(&shown);
        let harness = Harness::builder()
            .with_size(vec2(SIZE[0] as f32, SIZE[1] as f32))
            .renderer(GlowRenderer::new(headless))
            .build_ui(move |ui| {
                let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(SIZE[0] as f32, SIZE[1] as f32));
                let shown = Arc::clone(&painted);
                let callback = CallbackFn::new(move |info, _| {
                    let area = WindowArea {
                        viewport: pixel_rect(&info.viewport_in_pixels()),
                        scissor: pixel_rect(&info.clip_rect_in_pixels()),
                    };
                    shown.lock().expect("no thread panicked while holding the lock").paint(area);
                });
                let painter = ui.painter().with_clip_rect(rect);
                painter.add(PaintCallback { rect, callback: Arc::new(callback) });
            });
        Some(Self { shown, harness })
    }

    /// Changes what is shown, and returns the picture of the window.
    fn show(&mut self, change: impl FnOnce(&mut Shown)) -> RgbaImage {
        change(&mut self.shown.lock().expect("no thread panicked while holding the lock"));
        self.harness.step();
        self.harness.render().expect("drawn")
    }

    fn draw_count(&self) -> u64 {
        self.shown.lock().expect("no thread panicked while holding the lock").target.draw_count()
    }
}

#[test]
fn a_picture_of_full_quality_has_the_pixels_of_the_scene() {
    let Some(mut window) = Window::new() else { return };
    let direct = window.show(|shown| shown.is_direct = true);
    let kept = window.show(|shown| shown.is_direct = false);
    let again = window.show(|_| {});
    assert_eq!(window.draw_count(), 1);
    assert!(direct.pixels().any(|pixel| pixel.0[0] > 120), "the tube is in the picture");
    assert!(direct == kept, "the first picture differs");
    assert!(kept == again, "the kept picture differs");
}

#[test]
fn only_changes_draw_the_picture_again() {
    type Change = (&'static str, fn(&mut Shown));
    let Some(mut window) = Window::new() else { return };
    let changes: [Change; 9] = [
        ("camera", |shown| shown.camera = camera(0.5)),
        ("pose", |shown| shown.pose = bent(&shown.character, 0.7)),
        ("visibility", |shown| shown.visible = vec![true, false]),
        ("morphs", |shown| shown.morph_weights = vec![vec![0.5]]),
        ("colours", |shown| shown.backdrop = Backdrop::LIGHT),
        ("light", |shown| shown.light = Vec3::X),
        ("ground", |shown| shown.ground_height = 0.1),
        ("quality", |shown| shown.quality = REDUCED),
        ("character", |shown| {
            shown.character.materials[0].base_color = [0.1, 0.9, 0.1, 1.0];
            shown.scene.set_character(&shown.character).expect("shaders compile");
        }),
    ];
    window.show(|_| {});
    for (at, (name, change)) in changes.into_iter().enumerate() {
        assert_eq!(window.draw_count(), at as u64 + 1, "before the change of {name}");
        window.show(change);
        assert_eq!(window.draw_count(), at as u64 + 2, "after the change of {name}");
        window.show(|_| {});
        window.harness.run_steps(3);
    }
    assert_eq!(window.draw_count(), changes.len() as u64 + 1, "unchanged frames");
}

#[test]
fn the_time_changes_only_pictures_with_animated_textures() {
    let Some(mut window) = Window::new() else { return };
    window.show(|_| {});
    window.show(|shown| shown.seconds = 1.0);
    assert_eq!(window.draw_count(), 1);
    window.show(|shown| {
        let uv_animation = Some(UvAnimation { scroll: Vec2::X, ..UvAnimation::default() });
        let toon = ToonShading { uv_animation, ..ToonShading::default() };
        shown.character.materials[0].shading = Shading::Toon(Box::new(toon));
        shown.scene.set_character(&shown.character).expect("shaders compile");
    });
    window.show(|shown| shown.seconds = 1.25);
    assert_eq!(window.draw_count(), 3);
}

#[test]
fn moving_the_camera_does_not_change_the_pose_on_the_gpu() {
    let Some(mut window) = Window::new() else { return };
    // The matrices and the shadow of the pose are kept, so they must also follow the next pose.
    window.show(|shown| shown.camera = camera(1.0));
    let moved = window.show(|shown| {
        shown.camera = camera(0.2);
        shown.pose = bent(&shown.character, -0.5);
    });
    let Some(mut fresh) = Window::new() else { return };
    let expected = fresh.show(|shown| {
        shown.camera = camera(0.2);
        shown.pose = bent(&shown.character, -0.5);
    });
    assert!(moved == expected);
}

#[test]
fn a_reduced_picture_fills_the_same_place() {
    let Some(mut window) = Window::new() else { return };
    let full = window.show(|_| {});
    let reduced = window.show(|shown| shown.quality = REDUCED);
    assert_ne!(full, reduced);
    let difference = |a: &RgbaImage, b: &RgbaImage| {
        let bytes = a.as_raw().iter().zip(b.as_raw());
        bytes.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.as_raw().len() as f64
    };
    assert!(difference(&full, &reduced) < 4.0, "{}", difference(&full, &reduced));
    let other = window.show(|shown| shown.camera = camera(2.0));
    assert!(difference(&full, &other) > 2.0 * difference(&full, &reduced), "the measure sees a wrong picture");
}
