use super::{Args, From, Timing, number};
use crate::rig::{Character, WorldPose};
use crate::session::Session;
use crate::stage::skinning::{Palettes, pose_into};
use crate::stage::{Fit, OrbitCamera, Pane, Shot};
use crate::view::{Backdrop, DrawInput, Offscreen, shrink};
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::f32::consts::{FRAC_PI_2, TAU};

/// How many times larger than the character the picture is.
const ROOM: f32 = 1.08;

/// How pictures look.
#[derive(Debug, clap::Args)]
pub(super) struct Setting {
    /// Pixels across and down.
    #[arg(long, value_name = "WxH", default_value = "800x1000", value_parser = size)]
    size: [u32; 2],
    /// From where.
    #[arg(long, value_enum, default_value = "three-quarter")]
    view: From,
    /// Degrees that the camera stands farther round her, to her left; negative to her right.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| number(text, -360.0, 360.0))]
    orbit: f32,
    /// Degrees that the camera looks down, negative up. Without it: as --view has it.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = |text: &str| number(text, -90.0, 90.0))]
    pitch: Option<f32>,
    /// How often the camera goes round from the first picture to the last.
    #[arg(long, value_name = "TURNS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| number(text, -20.0, 20.0))]
    turntable: f32,
    /// Surroundings: dark, light, none (clear, with a soft shadow), or a colour as in #e4e7ec.
    #[arg(long, value_name = "dark|light|none|COLOR", default_value = "dark", value_parser = background)]
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
    Clear,
    Plain([u8; 3]),
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match sides {
        Some(sides) if sides.iter().all(|side| (16..=8192).contains(side)) => Ok(sides),
        Some(_) => Err("expected sides of 16 to 8192 pixels".to_owned()),
        None => Err("expected two numbers as in 800x1000".to_owned()),
    }
}

fn background(text: &str) -> Result<Background, String> {
    match text {
        "dark" => Ok(Background::Dark),
        "light" => Ok(Background::Light),
        "none" => Ok(Background::Clear),
        _ => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.starts_with('+'));
            let [_, r, g, b] = digits
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or("expected dark, light, none or a colour as in #e4e7ec")?
                .to_be_bytes();
            Ok(Background::Plain([r, g, b]))
        }
    }
}

impl Setting {
    fn background(&self) -> Background {
        if self.light { Background::Light } else { self.background }
    }

    fn backdrop(&self) -> Backdrop {
        let mut backdrop = match self.background() {
            Background::Dark => Backdrop::DARK,
            Background::Light => Backdrop::LIGHT,
            Background::Clear => Backdrop { grid: None, ..Backdrop::LIGHT },
            Background::Plain(color) => Backdrop { top: color, bottom: color, grid: None, ..Backdrop::LIGHT },
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
pub(super) struct Look {
    offscreen: Offscreen,
    backdrop: Backdrop,
    clear: bool,
    ground: f32,
    smooth: u32,
    size: [u32; 2],
    poses: Vec<WorldPose>,
    shots: Vec<Shot>,
}

impl Look {
    /// Simulates, and looks so that the whole character is in every picture, wherever its motion carries it.
    pub(super) fn new(args: &Args, session: &mut Session, timing: &Timing) -> anyhow::Result<Self> {
        let look = &args.look;
        let [width, height] = look.size.map(|side| side * look.smooth);
        let mut offscreen = Offscreen::new(width, height)?;
        let pane = Pane::whole(Vec2::new(width as f32, height as f32));
        let cameras = cameras(look, session.character(), timing.frames as usize);
        let eyes = eyes(&cameras, session, &pane, look.turntable != 0.0);
        let poses = timing.poses(session, &eyes);
        offscreen.scene()?.set_character(session.character());
        let shots = placed(&cameras, session.character(), &poses, &pane, look.turntable != 0.0);
        Ok(Self {
            offscreen,
            backdrop: look.backdrop(),
            clear: look.background() == Background::Clear,
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
    pub(super) fn clear(&self) -> bool {
        self.clear
    }

    /// Which driver draws.
    pub(super) fn driver(&self) -> &str {
        self.offscreen.driver()
    }

    /// Draws one.
    pub(super) fn picture(&mut self, frame: usize) -> anyhow::Result<RgbaImage> {
        let (shot, pose) = (&self.shots[frame], &self.poses[frame]);
        let (backdrop, ground) = (&self.backdrop, self.ground);
        let input = DrawInput { shot, pose, visible: &[], morph_weights: &[], backdrop, ground };
        let large = if self.clear { self.offscreen.render_clear(&input)? } else { self.offscreen.render(&input)? };
        Ok(shrink(&large, self.smooth))
    }
}

/// Where the camera looks to in each picture.
fn cameras(look: &Setting, character: &Character, frames: usize) -> Vec<OrbitCamera> {
    let mut first = OrbitCamera::new(character.facing);
    first.look_from(look.view.preset(), character.facing);
    let pitch = look.pitch.map_or(first.pitch, f32::to_radians).clamp(-FRAC_PI_2, FRAC_PI_2);
    let camera = |frame: usize| {
        let round = TAU * look.turntable * frame as f32 / frames as f32;
        let mut camera = first;
        camera.set(OrbitCamera { yaw: first.yaw + look.orbit.to_radians() + round, pitch, ..first });
        camera
    };
    (0..frames).map(camera).collect()
}

/// Where the viewer stands while each picture is simulated: its camera, at the place from which it sees her as she stands
/// before. Its own place depends on how she will move. One for all where it does not go round.
fn eyes(cameras: &[OrbitCamera], session: &Session, pane: &Pane, goes_round: bool) -> Vec<Vec3> {
    let count = if goes_round { cameras.len() } else { cameras.len().min(1) };
    let mut fit = fit(cameras, session.playback().shown(), pane);
    let mut corners = Vec::new();
    let mut skinned = Skinned::default();
    skinned.each_point(session.character(), session.playback().shown(), |point| corners.push(point));
    for camera in &cameras[..count] {
        let axes = camera.axes();
        for corner in &corners {
            fit.add(axes, *corner);
        }
    }
    let fit = if goes_round { fit.centred() } else { fit };
    cameras[..count].iter().map(|camera| fit.place(camera).eye()).collect()
}

/// Nothing yet, about the middle of a pose.
fn fit(cameras: &[OrbitCamera], pose: &WorldPose, pane: &Pane) -> Fit {
    let middle = pose.frames.iter().map(|f| f.position).sum::<Vec3>() / pose.frames.len() as f32;
    let pivot = if middle.is_finite() { middle } else { Vec3::ZERO };
    Fit::new(pivot, cameras.first().map_or(0.5, |c| c.fov), pane, ROOM)
}

/// Buffers of a skinned character.
#[derive(Default)]
struct Skinned {
    palettes: Palettes,
    vertices: Vec<Vec3>,
}

impl Skinned {
    /// Every vertex in a pose; every bone's head where there are no meshes.
    fn each_point(&mut self, character: &Character, pose: &WorldPose, mut each: impl FnMut(Vec3)) {
        self.palettes.update(&character.skins, pose);
        for (mesh, primitive) in character.meshes.iter().flat_map(|m| m.primitives.iter().map(move |p| (m, p))) {
            pose_into(character, mesh, primitive, &self.palettes, pose, &mut self.vertices);
            self.vertices.iter().for_each(|vertex| each(*vertex));
        }
        if character.meshes.is_empty() {
            pose.frames.iter().for_each(|frame| each(frame.position));
        }
    }
}

/// The cameras at their places: as near as every vertex of every picture allows.
fn placed(
    cameras: &[OrbitCamera],
    character: &Character,
    poses: &[WorldPose],
    pane: &Pane,
    goes_round: bool,
) -> Vec<Shot> {
    let Some(first) = poses.first() else { return Vec::new() };
    let mut fit = fit(cameras, first, pane);
    let mut skinned = Skinned::default();
    for (camera, pose) in cameras.iter().zip(poses) {
        let axes = camera.axes();
        skinned.each_point(character, pose, |point| fit.add(axes, point));
    }
    let fit = if goes_round { fit.centred() } else { fit };
    cameras.iter().map(|camera| fit.place(camera).shot(pane)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::math::Trs;
    use crate::rig::{Bone, Skeleton};
    use std::sync::Arc;

    #[test]
    fn whoever_looks_on_stands_where_the_camera_of_each_picture_stands() {
        let bone = |at: Vec3| Bone { name: at.to_string(), parent: None, rest: Trs::from_translation(at) };
        let corners = [Vec3::ZERO, Vec3::Y * 1.6, Vec3::new(0.5, 1.2, 0.1), Vec3::new(-0.5, 1.2, -0.1)];
        let skeleton = Skeleton::new(corners.map(bone).to_vec()).expect("parents first");
        let character = Arc::new(Character { skeleton, ..Character::default() });
        let session = Session::new(character, Document::default());
        let pane = Pane::whole(Vec2::new(400.0, 500.0));
        let first = OrbitCamera::default();
        let camera = |yaw: f32| OrbitCamera { yaw, ..first };
        let round = [camera(0.0), camera(FRAC_PI_2)];
        let seen = eyes(&round, &session, &pane, true);
        assert!(seen[0].z > 2.0 && seen[0].x.abs() < 0.1, "{seen:?}");
        assert!(seen[1].x > 2.0 && seen[1].z.abs() < 0.1, "{seen:?}");
        assert_eq!(eyes(&[first; 9], &session, &pane, false).len(), 1, "it stands still");
    }

    #[test]
    fn backgrounds_are_read() {
        assert_eq!(background("#1b1D20"), Ok(Background::Plain([27, 29, 32])));
        assert_eq!(background("none"), Ok(Background::Clear));
        for wrong in ["", "#", "#12345", "#+12345", "#12345g", "#ééé", "Red"] {
            assert!(background(wrong).is_err(), "{wrong}");
        }
    }
}
