use super::super::ordered_pipeline::PipelineLimits;
use super::{CameraSide, FrameTiming, RenderArgs, parse_number};
use crate::contact_sheet::SheetColors;
use crate::renderer::{
    Backdrop, DrawInput, OffscreenRenderer, PendingPicture, RawPicture, SUPERSAMPLING, downsample, supersampled_size,
};
use crate::stage::{CameraFit, CameraView, KeyLight, OrbitCamera, ViewRect};
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::f32::consts::{FRAC_PI_2, TAU};
use yuremono_session::Session;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::skinning::SkinnedVertices;
use yuremono_sim::rig::{Character, Facing, WorldPose};

/// Size of the picture relative to the size of the character.
const FRAME_MARGIN: f32 = 1.08;
/// Width and height of a picture if `--size` is not given, in pixels.
const DEFAULT_SIZE: [u32; 2] = [800, 1000];

#[derive(Clone, Debug, clap::Args)]
pub(super) struct StyleArgs {
    /// Width and height in pixels. Default: 800x1000, or 300x300 for each picture of a contact sheet.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(super) size: Option<[u32; 2]>,
    /// Direction of the camera.
    #[arg(long, value_enum, default_value = "three-quarter")]
    view: CameraSide,
    /// Additional orbit of the camera in degrees, to the left of the character; negative to the right.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -360.0, 360.0))]
    orbit: f32,
    /// Angle of the camera in degrees, positive looks down. Default: the angle of --view.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -90.0, 90.0))]
    pitch: Option<f32>,
    /// Number of camera orbits from the first to the last picture.
    #[arg(long, value_name = "TURNS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -20.0, 20.0))]
    turntable: f32,
    /// Background: the gradients dark and light, flat-dark, flat-light, none (transparent with a soft shadow), or a colour
    /// such as #e4e7ec.
    #[arg(long, value_name = "dark|light|flat-dark|flat-light|none|COLOR", default_value = "dark", value_parser = parse_background)]
    background: Background,
    /// Direction of the light in degrees around the character: 0 from the front, 90 from the left of the character.
    #[arg(long, value_name = "DEGREES", default_value_t = KeyLight::default().degrees(), allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -360.0, 360.0))]
    light: f32,
    /// Do not draw the grid. Only the backgrounds dark and light have a grid, and contact sheets have none.
    #[arg(long)]
    no_grid: bool,
    /// Do not draw the shadow.
    #[arg(long)]
    no_shadow: bool,
    /// Anti-aliasing: draw 1 to 4 times larger and scale down.
    #[arg(long, value_name = "FACTOR", default_value_t = SUPERSAMPLING, value_parser = |text: &str| parse_number(text, 1.0, 4.0))]
    pub(super) smooth: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Background {
    Dark,
    Light,
    FlatDark,
    FlatLight,
    Transparent,
    Color([u8; 3]),
}

fn parse_size(text: &str) -> Result<[u32; 2], MessageText> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match sides {
        Some(sides) if sides.iter().all(|side| (16..=8192).contains(side)) => Ok(sides),
        Some(_) => Err(message!("expected sides of 16 to 8192 pixels")),
        None => Err(message!("expected two numbers such as 800x1000")),
    }
}

fn parse_background(text: &str) -> Result<Background, MessageText> {
    match text {
        "dark" => Ok(Background::Dark),
        "light" => Ok(Background::Light),
        "flat-dark" => Ok(Background::FlatDark),
        "flat-light" => Ok(Background::FlatLight),
        "none" => Ok(Background::Transparent),
        _ => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.starts_with('+'));
            let [_, r, g, b] = digits
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| {
                    message!("expected dark, light, flat-dark, flat-light, none or a colour such as #e4e7ec")
                })?
                .to_be_bytes();
            Ok(Background::Color([r, g, b]))
        }
    }
}

impl StyleArgs {
    /// Returns the direction of the first camera.
    pub(super) fn first_camera(&self, character: &Character) -> OrbitCamera {
        let mut camera = OrbitCamera::new(character.facing);
        camera.look_from(self.view.preset(), character.facing);
        let pitch = self.pitch.map_or(camera.pitch, f32::to_radians).clamp(-FRAC_PI_2, FRAC_PI_2);
        camera.set_clamped(OrbitCamera { yaw: camera.yaw + self.orbit.to_radians(), pitch, ..camera });
        camera
    }

    /// Returns the colours of a contact sheet.
    pub(super) fn sheet_colors(&self) -> SheetColors {
        let mut colors = match self.background {
            Background::Dark => SheetColors::DARK,
            Background::Light => SheetColors::LIGHT,
            Background::FlatDark => SheetColors::plain(Backdrop::FLAT_DARK.top),
            Background::FlatLight => SheetColors::plain(Backdrop::FLAT_LIGHT.top),
            Background::Transparent => SheetColors::TRANSPARENT,
            Background::Color(color) => SheetColors::plain(color),
        };
        if self.no_shadow {
            colors.backdrop.shadow = 0.0;
        }
        colors
    }

    pub(super) fn key_light(&self) -> KeyLight {
        KeyLight::at(self.light)
    }

    fn backdrop(&self) -> Backdrop {
        let mut backdrop = match self.background {
            Background::Dark => Backdrop::DARK,
            Background::Light => Backdrop::LIGHT,
            Background::FlatDark => Backdrop::FLAT_DARK,
            Background::FlatLight => Backdrop::FLAT_LIGHT,
            Background::Transparent => Backdrop { grid: None, ..Backdrop::LIGHT },
            Background::Color(color) => Backdrop { top: color, bottom: color, grid: None, ..Backdrop::LIGHT },
        };
        // Lines are drawn thicker because scaling down makes them thinner.
        backdrop.line_width *= self.smooth;
        if self.no_grid {
            backdrop.grid = None;
        }
        if self.no_shadow {
            backdrop.shadow = 0.0;
        }
        backdrop
    }
}

/// Draws the pictures of one command on demand.
pub(super) struct PictureRenderer {
    offscreen: OffscreenRenderer,
    backdrop: Backdrop,
    is_transparent: bool,
    ground: f32,
    /// Sign of Z in front of the character.
    front: i8,
    /// Direction towards the key light.
    light: Vec3,
    /// Visibility of each mesh.
    visible: Vec<bool>,
    size: [u32; 2],
    timing: FrameTiming,
    poses: Vec<WorldPose>,
    shots: Vec<CameraView>,
}

impl PictureRenderer {
    /// Simulates the motion, and places the cameras so that every picture shows the whole character.
    pub(super) fn new(
        args: &RenderArgs,
        session: &mut Session,
        timing: &FrameTiming,
        progress_label: String,
    ) -> anyhow::Result<Self> {
        let look = &args.style;
        let size = look.size.unwrap_or(DEFAULT_SIZE);
        let [width, height] = supersampled_size(size, look.smooth);
        let mut offscreen = OffscreenRenderer::new(width, height)?;
        let pane = ViewRect::uncovered(Vec2::new(width as f32, height as f32));
        let cameras = cameras(look, session.character(), timing.frames as usize);
        let eyes = viewer_positions(&cameras, session, &pane, look.turntable != 0.0);
        let poses = timing.simulate_poses(session, &eyes, progress_label);
        offscreen.scene()?.set_character(session.character())?;
        let shots = place_cameras(&cameras, session.character(), &poses, &pane, look.turntable != 0.0);
        Ok(Self {
            offscreen,
            backdrop: look.backdrop(),
            is_transparent: look.background == Background::Transparent,
            ground: session.inspection().ground_height(),
            front: if session.character().facing == Facing::PlusZ { 1 } else { -1 },
            light: look.key_light().direction(session.character().facing),
            visible: session.character().mesh_visibility(),
            size,
            timing: *timing,
            poses,
            shots,
        })
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    pub(super) fn is_transparent(&self) -> bool {
        self.is_transparent
    }

    /// Returns the name of the OpenGL driver.
    pub(super) fn driver(&self) -> &str {
        self.offscreen.driver()
    }

    /// Returns the camera of the first picture, for the JSON report: positions in metres, the vertical field of view in
    /// degrees, and the sign of Z in front of the character.
    pub(super) fn first_camera(&self) -> serde_json::Value {
        let Some(shot) = self.shots.first() else { return serde_json::Value::Null };
        let target = shot.eye + shot.forward * shot.distance;
        let fov = 2.0 * libm::atanf(1.0 / shot.projection.y_axis.y).to_degrees();
        serde_json::json!({
            "eye": shot.eye.to_array(), "target": target.to_array(), "fov": fov, "front": self.front,
        })
    }

    /// Draws the pictures of `frames`. Calls `convert` with each picture on another thread, and `consume` with the results
    /// in the order of `frames`.
    ///
    /// The GPU draws a picture while the picture before is copied and the pictures before that are converted.
    pub(super) fn draw_pictures<R: Send>(
        &mut self,
        frames: &[usize],
        convert: impl Fn(RgbaImage) -> anyhow::Result<R> + Sync,
        consume: impl FnMut(usize, R) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let size = self.size;
        let mut next_picture = None;
        let draw = |index: usize| {
            let picture = match next_picture.take() {
                Some(picture) => picture,
                None => self.start_picture(frames[index])?,
            };
            if let Some(next) = frames.get(index + 1) {
                next_picture = Some(self.start_picture(*next)?);
            }
            Ok(picture.finish()?)
        };
        let work = |raw: RawPicture| convert(downsample(&raw.into_image()?, size));
        PipelineLimits::for_large_items().run_in_order(frames.len(), draw, work, consume)
    }

    fn start_picture(&mut self, frame: usize) -> anyhow::Result<PendingPicture> {
        let input = DrawInput {
            camera: &self.shots[frame],
            pose: &self.poses[frame],
            extra_bodies: &[],
            visible: &self.visible,
            morph_weights: &[],
            backdrop: &self.backdrop,
            ground_height: self.ground,
            light: self.light,
            seconds: self.timing.seconds(frame as u32),
        };
        let (scene, target) = self.offscreen.scene_and_target()?;
        Ok(if self.is_transparent { target.start_transparent(scene, &input)? } else { target.start(scene, &input)? })
    }
}

/// Returns the direction of the camera for each picture. The distance is set later.
fn cameras(look: &StyleArgs, character: &Character, frames: usize) -> Vec<OrbitCamera> {
    let first = look.first_camera(character);
    let camera = |frame: usize| {
        let round = TAU * look.turntable * frame as f32 / frames as f32;
        let mut camera = first;
        camera.set_clamped(OrbitCamera { yaw: first.yaw + round, ..first });
        camera
    };
    (0..frames).map(camera).collect()
}

/// Returns the viewer positions for the simulation. The final cameras depend on the simulated motion, so these
/// positions belong to cameras that frame the character's first pose. Without a turntable, one position is enough.
fn viewer_positions(cameras: &[OrbitCamera], session: &Session, pane: &ViewRect, goes_round: bool) -> Vec<Vec3> {
    let count = if goes_round { cameras.len() } else { cameras.len().min(1) };
    let mut fit = CameraFit::around(session.playback().displayed_pose(), fov(cameras), pane, FRAME_MARGIN);
    let mut corners = Vec::new();
    let mut skinned = SkinnedVertices::default();
    skinned.for_each_point(session.character(), session.playback().displayed_pose(), |point| corners.push(point));
    for camera in &cameras[..count] {
        let axes = camera.axes();
        for corner in &corners {
            fit.add_point(axes, *corner);
        }
    }
    let fit = if goes_round { fit.centred() } else { fit };
    cameras[..count].iter().map(|camera| fit.fit_camera(camera).eye()).collect()
}

/// Returns the field of view that all cameras share, in radians.
fn fov(cameras: &[OrbitCamera]) -> f32 {
    cameras.first().map_or(0.5, |camera| camera.fov)
}

/// Returns the nearest cameras that show every vertex in every picture.
fn place_cameras(
    cameras: &[OrbitCamera],
    character: &Character,
    poses: &[WorldPose],
    pane: &ViewRect,
    goes_round: bool,
) -> Vec<CameraView> {
    let Some(first) = poses.first() else { return Vec::new() };
    let mut fit = CameraFit::around(first, fov(cameras), pane, FRAME_MARGIN);
    let mut skinned = SkinnedVertices::default();
    for (camera, pose) in cameras.iter().zip(poses) {
        let axes = camera.axes();
        skinned.for_each_point(character, pose, |point| fit.add_point(axes, point));
    }
    let fit = if goes_round { fit.centred() } else { fit };
    cameras.iter().map(|camera| fit.fit_camera(camera).view(pane)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use yuremono_model::document::Document;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, Skeleton};

    #[test]
    fn viewer_positions_follow_the_camera_of_each_picture() {
        let bone = |at: Vec3| Bone { name: at.to_string(), parent: None, rest: Trs::from_translation(at) };
        let corners = [Vec3::ZERO, Vec3::Y * 1.6, Vec3::new(0.5, 1.2, 0.1), Vec3::new(-0.5, 1.2, -0.1)];
        let skeleton = Skeleton::new(corners.map(bone).to_vec()).expect("parents first");
        let character = Arc::new(Character { skeleton, ..Character::default() });
        let session = Session::new(character, Document::default());
        let pane = ViewRect::uncovered(Vec2::new(400.0, 500.0));
        let first = OrbitCamera::default();
        let camera = |yaw: f32| OrbitCamera { yaw, ..first };
        let round = [camera(0.0), camera(FRAC_PI_2)];
        let seen = viewer_positions(&round, &session, &pane, true);
        assert!(seen[0].z > 2.0 && seen[0].x.abs() < 0.1, "{seen:?}");
        assert!(seen[1].x > 2.0 && seen[1].z.abs() < 0.1, "{seen:?}");
        assert_eq!(viewer_positions(&[first; 9], &session, &pane, false).len(), 1, "one position without a turntable");
    }

    #[test]
    fn backgrounds_are_parsed() {
        assert_eq!(parse_background("#1b1D20"), Ok(Background::Color([27, 29, 32])));
        assert_eq!(parse_background("none"), Ok(Background::Transparent));
        assert_eq!(parse_background("flat-light"), Ok(Background::FlatLight));
        for wrong in ["", "#", "#12345", "#+12345", "#12345g", "#ééé", "Red"] {
            assert!(parse_background(wrong).is_err(), "{wrong}");
        }
    }
}
