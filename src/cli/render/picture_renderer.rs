use super::{CameraSide, FrameTiming, RenderArgs, parse_number};
use crate::renderer::{Backdrop, DrawInput, OffscreenRenderer, downsample};
use crate::rig::{Character, WorldPose};
use crate::session::Session;
use crate::stage::skinning::{SkinMatrices, posed_positions_into};
use crate::stage::{CameraFit, CameraView, OrbitCamera, ViewRect};
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::f32::consts::{FRAC_PI_2, TAU};

/// How many times larger than the character the picture is.
const FRAME_MARGIN: f32 = 1.08;

/// How pictures look.
#[derive(Debug, clap::Args)]
pub(super) struct StyleArgs {
    /// Pixels across and down.
    #[arg(long, value_name = "WxH", default_value = "800x1000", value_parser = parse_size)]
    size: [u32; 2],
    /// From where.
    #[arg(long, value_enum, default_value = "three-quarter")]
    view: CameraSide,
    /// Degrees that the camera stands farther round her, to her left; negative to her right.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -360.0, 360.0))]
    orbit: f32,
    /// Degrees that the camera looks down, negative up. Without it: as --view has it.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -90.0, 90.0))]
    pitch: Option<f32>,
    /// How often the camera goes round from the first picture to the last.
    #[arg(long, value_name = "TURNS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, -20.0, 20.0))]
    turntable: f32,
    /// Surroundings: dark, light, none (clear, with a soft shadow), or a colour as in #e4e7ec.
    #[arg(long, value_name = "dark|light|none|COLOR", default_value = "dark", value_parser = parse_background)]
    background: Background,
    /// Light surroundings instead of dark ones.
    #[arg(long, conflicts_with = "background")]
    light: bool,
    /// Leave the ground without its lines. A background of one colour, or none, has none anyway.
    #[arg(long)]
    no_grid: bool,
    /// Leave the ground without the shadow.
    #[arg(long)]
    no_shadow: bool,
    /// Draw this many times larger and mix down, for smooth edges, 1 to 4.
    #[arg(long, value_name = "FACTOR", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4))]
    smooth: u32,
}

/// What is behind the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Background {
    Dark,
    Light,
    Transparent,
    Color([u8; 3]),
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match sides {
        Some(sides) if sides.iter().all(|side| (16..=8192).contains(side)) => Ok(sides),
        Some(_) => Err("expected sides of 16 to 8192 pixels".to_owned()),
        None => Err("expected two numbers as in 800x1000".to_owned()),
    }
}

fn parse_background(text: &str) -> Result<Background, String> {
    match text {
        "dark" => Ok(Background::Dark),
        "light" => Ok(Background::Light),
        "none" => Ok(Background::Transparent),
        _ => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.starts_with('+'));
            let [_, r, g, b] = digits
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or("expected dark, light, none or a colour as in #e4e7ec")?
                .to_be_bytes();
            Ok(Background::Color([r, g, b]))
        }
    }
}

impl StyleArgs {
    fn background(&self) -> Background {
        if self.light { Background::Light } else { self.background }
    }

    fn backdrop(&self) -> Backdrop {
        let mut backdrop = match self.background() {
            Background::Dark => Backdrop::DARK,
            Background::Light => Backdrop::LIGHT,
            Background::Transparent => Backdrop { grid: None, ..Backdrop::LIGHT },
            Background::Color(color) => Backdrop { top: color, bottom: color, grid: None, ..Backdrop::LIGHT },
        };
        // Lines and the shadow are as broad in a small picture as in the large one that it is made of.
        backdrop.line_width *= self.smooth as f32;
        if self.no_grid {
            backdrop.grid = None;
        }
        if self.no_shadow {
            backdrop.shadow = 0.0;
        }
        backdrop
    }
}

/// All pictures of one command, drawn when they are asked for.
pub(super) struct PictureRenderer {
    offscreen: OffscreenRenderer,
    backdrop: Backdrop,
    is_transparent: bool,
    ground: f32,
    smooth: u32,
    size: [u32; 2],
    poses: Vec<WorldPose>,
    shots: Vec<CameraView>,
}

impl PictureRenderer {
    /// Simulates, and looks so that the whole character is in every picture, wherever its motion carries it.
    pub(super) fn new(args: &RenderArgs, session: &mut Session, timing: &FrameTiming) -> anyhow::Result<Self> {
        let look = &args.style;
        let [width, height] = look.size.map(|side| side * look.smooth);
        let mut offscreen = OffscreenRenderer::new(width, height)?;
        let pane = ViewRect::uncovered(Vec2::new(width as f32, height as f32));
        let cameras = cameras(look, session.character(), timing.frames as usize);
        let eyes = viewer_positions(&cameras, session, &pane, look.turntable != 0.0);
        let poses = timing.simulate_poses(session, &eyes);
        offscreen.scene()?.set_character(session.character());
        let shots = place_cameras(&cameras, session.character(), &poses, &pane, look.turntable != 0.0);
        Ok(Self {
            offscreen,
            backdrop: look.backdrop(),
            is_transparent: look.background() == Background::Transparent,
            ground: session.inspection().ground_height(),
            smooth: look.smooth,
            size: look.size,
            poses,
            shots,
        })
    }

    /// Width and height, pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Whether parts are clear.
    pub(super) fn is_transparent(&self) -> bool {
        self.is_transparent
    }

    /// Which driver draws.
    pub(super) fn driver(&self) -> &str {
        self.offscreen.driver()
    }

    /// Draws one.
    pub(super) fn draw_picture(&mut self, frame: usize) -> anyhow::Result<RgbaImage> {
        let (shot, pose) = (&self.shots[frame], &self.poses[frame]);
        let (backdrop, ground) = (&self.backdrop, self.ground);
        let input = DrawInput { shot, pose, visible: &[], morph_weights: &[], backdrop, ground_height: ground };
        let large = if self.is_transparent {
            self.offscreen.render_transparent(&input)?
        } else {
            self.offscreen.render(&input)?
        };
        Ok(downsample(&large, self.smooth))
    }
}

/// Where the camera looks to in each picture.
fn cameras(look: &StyleArgs, character: &Character, frames: usize) -> Vec<OrbitCamera> {
    let mut first = OrbitCamera::new(character.facing);
    first.look_from(look.view.preset(), character.facing);
    let pitch = look.pitch.map_or(first.pitch, f32::to_radians).clamp(-FRAC_PI_2, FRAC_PI_2);
    let camera = |frame: usize| {
        let round = TAU * look.turntable * frame as f32 / frames as f32;
        let mut camera = first;
        camera.set_clamped(OrbitCamera { yaw: first.yaw + look.orbit.to_radians() + round, pitch, ..first });
        camera
    };
    (0..frames).map(camera).collect()
}

/// Where the viewer stands while each picture is simulated: its camera, at the place from which it sees her as she stands
/// before. Its own place depends on how she will move. One for all where it does not go round.
fn viewer_positions(cameras: &[OrbitCamera], session: &Session, pane: &ViewRect, goes_round: bool) -> Vec<Vec3> {
    let count = if goes_round { cameras.len() } else { cameras.len().min(1) };
    let mut fit = empty_fit(cameras, session.playback().displayed_pose(), pane);
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

/// Nothing yet, about the middle of a pose.
fn empty_fit(cameras: &[OrbitCamera], pose: &WorldPose, pane: &ViewRect) -> CameraFit {
    let middle = pose.frames.iter().map(|f| f.position).sum::<Vec3>() / pose.frames.len() as f32;
    let pivot = if middle.is_finite() { middle } else { Vec3::ZERO };
    CameraFit::new(pivot, cameras.first().map_or(0.5, |c| c.fov), pane, FRAME_MARGIN)
}

/// Buffers of a skinned character.
#[derive(Default)]
struct SkinnedVertices {
    palettes: SkinMatrices,
    vertices: Vec<Vec3>,
}

impl SkinnedVertices {
    /// Every vertex in a pose; every bone's head where there are no meshes.
    fn for_each_point(&mut self, character: &Character, pose: &WorldPose, mut each: impl FnMut(Vec3)) {
        self.palettes.update(&character.skins, pose);
        for (mesh, primitive) in character.meshes.iter().flat_map(|m| m.primitives.iter().map(move |p| (m, p))) {
            posed_positions_into(character, mesh, primitive, &self.palettes, pose, &mut self.vertices);
            self.vertices.iter().for_each(|vertex| each(*vertex));
        }
        if character.meshes.is_empty() {
            pose.frames.iter().for_each(|frame| each(frame.position));
        }
    }
}

/// The cameras at their places: as near as every vertex of every picture allows.
fn place_cameras(
    cameras: &[OrbitCamera],
    character: &Character,
    poses: &[WorldPose],
    pane: &ViewRect,
    goes_round: bool,
) -> Vec<CameraView> {
    let Some(first) = poses.first() else { return Vec::new() };
    let mut fit = empty_fit(cameras, first, pane);
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
    use crate::document::Document;
    use crate::math::Trs;
    use crate::rig::{Bone, Skeleton};
    use std::sync::Arc;

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
        assert_eq!(viewer_positions(&[first; 9], &session, &pane, false).len(), 1, "it stands still");
    }

    #[test]
    fn backgrounds_are_parsed() {
        assert_eq!(parse_background("#1b1D20"), Ok(Background::Color([27, 29, 32])));
        assert_eq!(parse_background("none"), Ok(Background::Transparent));
        for wrong in ["", "#", "#12345", "#+12345", "#12345g", "#ééé", "Red"] {
            assert!(parse_background(wrong).is_err(), "{wrong}");
        }
    }
}
