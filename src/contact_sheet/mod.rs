//! A contact sheet: one image with moments of all motions of a character.
//!
//! The sheet has one row for each motion. All images have the same camera direction and scale; the camera follows the
//! character over the ground, so that a runner does not leave the image. The work has two steps:
//!
//! 1. A [`ContactSheetJob`] simulates the motions and places the camera. The job owns its input and runs on any thread.
//! 2. A [`ContactSheet`] draws one image at a time, on the thread of its OpenGL context.

mod layout;
mod sheet;
mod text;

use crate::tr;
pub use layout::SheetLayout;
pub use sheet::ContactSheet;
use sheet::SheetScene;

use crate::renderer::{Backdrop, supersampled_size};
use crate::stage::{CameraFit, CameraView, KeyLight, OrbitCamera, ViewRect};
use crate::ui::kit::i18n::Lang;
use crate::ui::viewport::motion_name;
use glam::{Vec2, Vec3};
use std::fmt;
use std::sync::Arc;
use yuremono_session::{MomentsJob, Motion, Session};
use yuremono_sim::diagnostics::{MessageText, excerpt, join_first_names, message};
use yuremono_sim::rig::skinning::SkinnedVertices;
use yuremono_sim::rig::{BoneId, Character, Pose, WorldPose};

/// Default number of moments of a motion.
pub const DEFAULT_MOMENTS: u32 = 6;
/// Default size of one image, in pixels.
pub const DEFAULT_PICTURE_SIZE: [u32; 2] = [300, 300];

/// Size of an image relative to the size of the character, with room for the shadow.
const FRAME_MARGIN: f32 = 1.14;

/// How a contact sheet looks.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetOptions {
    /// The heading, for example the name of the character's file.
    pub title: String,
    /// Language of the names of built-in motions.
    pub lang: Lang,
    /// Width and height of one image, in pixels.
    pub picture_size: [u32; 2],
    /// Number of images of a motion.
    pub moments: u32,
    /// The images are drawn larger by this factor and scaled down; 1 is without anti-aliasing.
    pub smooth: f32,
    /// Direction of the camera. Target and distance are ignored.
    pub camera: OrbitCamera,
    /// The colours.
    pub colors: SheetColors,
    /// Whether each mesh of the character is visible. Meshes without an entry are visible.
    pub visible: Vec<bool>,
    /// The key light.
    pub light: KeyLight,
}

/// The colours of a contact sheet, as sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetColors {
    /// Background of the images.
    pub backdrop: Backdrop,
    /// Background of the sheet; `None` is transparent, also behind the characters.
    pub page: Option<[u8; 3]>,
    /// Names of motions.
    pub text: [u8; 3],
    /// Times.
    pub faint_text: [u8; 3],
}

impl SheetColors {
    /// Colours for the dark theme.
    pub const DARK: Self = Self {
        backdrop: Backdrop { grid: None, ..Backdrop::DARK },
        page: Some([0x14, 0x16, 0x18]),
        text: [0xe8, 0xea, 0xed],
        faint_text: [0x93, 0x98, 0xa1],
    };
    /// Colours for the light theme.
    pub const LIGHT: Self = Self {
        backdrop: Backdrop { grid: None, ..Backdrop::LIGHT },
        page: Some([0xf6, 0xf7, 0xf9]),
        text: [0x1d, 0x20, 0x25],
        faint_text: [0x66, 0x6d, 0x78],
    };
    /// Without a background. The text is readable on dark and on light pages.
    pub const TRANSPARENT: Self =
        Self { page: None, text: [0x80, 0x86, 0x90], faint_text: [0x80, 0x86, 0x90], ..Self::LIGHT };

    /// One colour behind everything, with text that contrasts with it.
    pub fn plain(color: [u8; 3]) -> Self {
        let [r, g, b] = color.map(f32::from);
        let base = if 0.299 * r + 0.587 * g + 0.114 * b < 128.0 { Self::DARK } else { Self::LIGHT };
        let backdrop = Backdrop { top: color, bottom: color, grid: None, ..Backdrop::LIGHT };
        Self { backdrop, page: Some(color), ..base }
    }
}

/// Why there is no contact sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum SheetError {
    /// The character has nothing to draw.
    NoMesh,
    /// No motion can be drawn, for this reason.
    NoMotion(MessageText),
    /// The sheet would be too large. Both sides are in pixels.
    TooLarge {
        /// Width.
        width: u64,
        /// Height.
        height: u64,
    },
}

impl SheetError {
    /// The message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::NoMesh => message!("the character has no mesh, so a contact sheet would be empty"),
            Self::NoMotion(reason) => reason.clone(),
            Self::TooLarge { width, height } => message!(
                "the contact sheet would have {width} x {height} pixels; at most {max} pixels and sides of {side} are \
                 possible. Use smaller pictures, fewer moments or fewer motions",
                width = *width,
                height = *height,
                max = SheetLayout::MAX_PIXELS,
                side = SheetLayout::MAX_SIDE
            ),
        }
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for SheetError {}

/// A motion of the sheet.
#[derive(Clone, Debug)]
struct SheetMotion {
    motion: Motion,
    name: String,
    /// What is written at the end of the line with the name.
    note: String,
}

/// The simulation of a contact sheet, ready to run.
#[derive(Clone, Debug)]
pub struct ContactSheetJob {
    moments: MomentsJob,
    character: Arc<Character>,
    ground_height: f32,
    motions: Vec<SheetMotion>,
    layout: SheetLayout,
    options: SheetOptions,
    warnings: Vec<MessageText>,
}

/// The simulated moments of one motion, as images.
#[derive(Clone, Debug)]
struct SheetRow {
    name: String,
    note: String,
    pictures: Vec<SheetPicture>,
}

#[derive(Clone, Debug)]
struct SheetPicture {
    /// Time since the start of the motion.
    seconds: f64,
    pose: WorldPose,
    view: CameraView,
}

impl ContactSheetJob {
    /// Checks the size of the sheet, and copies everything that the simulation needs. Motions without a duration are
    /// left out with a warning. The setup, the amplitude, the speed and the tick rate are those of the session.
    pub fn new(session: &Session, motions: &[Motion], options: SheetOptions) -> Result<Self, SheetError> {
        let character = Arc::clone(session.character());
        if character.meshes.iter().all(|mesh| mesh.primitives.is_empty()) {
            return Err(SheetError::NoMesh);
        }
        let moments = MomentsJob::new(session);
        let (mut usable, mut warnings) = (Vec::new(), Vec::new());
        for motion in motions {
            let name = motion_name(options.lang, *motion, session);
            match moments.duration(*motion) {
                Ok(duration) => {
                    let note = note(options.lang, *motion, duration);
                    usable.push(SheetMotion { motion: *motion, name, note });
                }
                Err(error) => warnings.push(error.message(&excerpt(&name))),
            }
        }
        if usable.is_empty() {
            let reason = warnings.pop().unwrap_or_else(|| message!("there is no motion to draw"));
            return Err(SheetError::NoMotion(reason));
        }
        let layout = SheetLayout::new(options.picture_size, options.moments, usable.len())?;
        let ground_height = session.inspection().ground_height();
        Ok(Self { moments, character, ground_height, motions: usable, layout, options, warnings })
    }

    /// Width and height of the sheet, in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.layout.size()
    }

    /// The motions that are left out, and why.
    pub fn warnings(&self) -> &[MessageText] {
        &self.warnings
    }

    /// Simulates the motions and places the camera. `progress` gets the progress, 0 to 1, and returns whether to
    /// continue; the result is `None` if `progress` cancels.
    pub fn run(&self, progress: &dyn Fn(f32) -> bool) -> Option<ContactSheet> {
        let rect = self.view_rect();
        let skeleton = &self.character.skeleton;
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let followed = self.character.humanoid.bone("hips").or_else(|| skeleton.roots().next());
        let mut fit = CameraFit::around(&rest, self.options.camera.fov, &rect, FRAME_MARGIN);
        let axes = self.options.camera.axes();
        let mut vertices = SkinnedVertices::default();
        let (mut sampled, mut warnings) = (Vec::new(), Vec::new());
        for (row, motion) in self.motions.iter().enumerate() {
            let share = |share: f32| (row as f32 + share) / self.motions.len() as f32;
            let moments =
                self.moments.sample(motion.motion, self.options.moments, &|done| progress(share(0.9 * done)))?;
            if !moments.out_of_bounds.is_empty() {
                let bones: Vec<String> =
                    moments.out_of_bounds.iter().map(|bone| skeleton.name(*bone).to_owned()).collect();
                warnings.push(message!(
                    "in the motion \"{motion}\", chains left their bounds and returned to their rest pose: {names}",
                    motion = excerpt(&motion.name),
                    names = join_first_names(&bones)
                ));
            }
            for pose in &moments.poses {
                let offset = ground_offset(followed, &rest, pose);
                vertices.for_each_point(&self.character, pose, |point| fit.add_point(axes, point - offset));
            }
            sampled.push(moments);
        }
        let camera = fit.fit_camera(&self.options.camera);
        let view = |pose: &WorldPose| {
            let mut follower = camera;
            let target = camera.target + ground_offset(followed, &rest, pose);
            follower.set_clamped(OrbitCamera { target, ..camera });
            follower.view(&rect)
        };
        let rows = self.motions.iter().zip(sampled).map(|(motion, moments)| {
            let pictures = moments.seconds.into_iter().zip(moments.poses);
            let pictures = pictures.map(|(seconds, pose)| SheetPicture { seconds, view: view(&pose), pose });
            SheetRow { name: motion.name.clone(), note: motion.note.clone(), pictures: pictures.collect() }
        });
        let light = self.options.light.direction(self.character.facing);
        let scene = SheetScene { ground_height: self.ground_height, light };
        let sheet = ContactSheet::new(rows.collect(), self.layout, &self.options, scene, warnings);
        progress(1.0).then_some(sheet)
    }

    fn view_rect(&self) -> ViewRect {
        let [width, height] = supersampled_size(self.options.picture_size, self.options.smooth).map(|side| side as f32);
        ViewRect::uncovered(Vec2::new(width, height))
    }
}

/// Returns the note for a motion: its duration in seconds, and whether the motion is built-in, since an animation can
/// have the same name.
fn note(lang: Lang, motion: Motion, duration: Option<f64>) -> String {
    let seconds = duration.map(seconds_text).unwrap_or_default();
    if matches!(motion, Motion::Test(_)) { tr!(lang, "built-in, {seconds}", seconds).into_owned() } else { seconds }
}

fn seconds_text(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

/// How far a bone is from its rest position along the ground, in metres.
fn ground_offset(bone: Option<BoneId>, rest: &WorldPose, pose: &WorldPose) -> Vec3 {
    let position = |pose: &WorldPose| bone.and_then(|bone| pose.frames.get(bone.index())).map(|frame| frame.position);
    let offset = position(pose).zip(position(rest)).map_or(Vec3::ZERO, |(now, then)| now - then);
    if offset.is_finite() { offset.with_y(0.0) } else { Vec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::Document;
    use yuremono_session::all_motions;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, Skeleton};

    fn options() -> SheetOptions {
        SheetOptions {
            title: "girl.vrm".to_owned(),
            lang: Lang::En,
            picture_size: [64, 80],
            moments: 3,
            smooth: 1.0,
            camera: OrbitCamera::default(),
            colors: SheetColors::LIGHT,
            visible: Vec::new(),
            light: KeyLight::default(),
        }
    }

    #[test]
    fn a_character_without_a_mesh_is_rejected() {
        let session = Session::new(Arc::new(Character::default()), Document::default());
        let error = ContactSheetJob::new(&session, &all_motions(&session), options()).expect_err("nothing to draw");
        assert_eq!(error, SheetError::NoMesh);
    }

    #[test]
    fn the_camera_follows_only_along_the_ground() {
        let bone = Bone { name: "hips".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Y) };
        let skeleton = Skeleton::new(vec![bone]).expect("one root");
        let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
        let mut pose = rest.clone();
        pose.frames[0].position = Vec3::new(3.0, 1.5, -2.0);
        assert_eq!(ground_offset(Some(BoneId(0)), &rest, &pose), Vec3::new(3.0, 0.0, -2.0));
        pose.frames[0].position = Vec3::NAN;
        assert_eq!(ground_offset(Some(BoneId(0)), &rest, &pose), Vec3::ZERO);
        assert_eq!(ground_offset(None, &rest, &pose), Vec3::ZERO);
    }

    #[test]
    fn text_contrasts_with_a_plain_background() {
        assert_eq!(SheetColors::plain([10, 20, 30]).text, SheetColors::DARK.text);
        assert_eq!(SheetColors::plain([250, 240, 200]).text, SheetColors::LIGHT.text);
    }
}
