//! Reads motion capture in the Biovision Hierarchy format (`.bvh`).
//!
//! The result is a character without meshes: one bone for each joint, and one clip. A BVH has neither a unit nor fixed
//! axes, so the reader turns the body upright and towards +Z, scales it to hips at a height of 1 m, puts its feet on the
//! ground, and starts it at the origin. Joints get humanoid roles by their names. Positions of joints other than the
//! root are ignored, because lengths come from the character.
//!
//! Any other fault of a file is an error with its line, because a wrong number would play a wrong motion.

use super::joint_names::humanoid_by_names;
use crate::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use crate::math::Trs;
use crate::rig::{Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Humanoid, Skeleton};
use glam::{Mat3, Quat, Vec3};

/// Largest number of joints. Real files have fewer than 200.
const MAX_JOINTS: usize = 4096;
/// Largest number of values of all frames.
const MAX_VALUES: usize = 50_000_000;
/// Longest time between two frames, in seconds.
const MAX_FRAME_SECONDS: f64 = 10.0;
/// Lowest height of the hips that can be scaled, in the unit of the file.
const MIN_HIPS_HEIGHT: f32 = 1e-4;

/// Whether bytes start like a BVH.
pub(super) fn is_bvh(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    bytes.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Reads a file. `file_name` appears in messages, and names the clip.
pub(super) fn read(bytes: &[u8], file_name: &str) -> Result<Character, Vec<Diagnostic>> {
    // Joint names may be in any encoding; letters that are not UTF-8 only prevent a match by name.
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let fail = |fault: Fault| {
        let place = Location::file(file_name);
        vec![Diagnostic::error(fault.line.map_or(place.clone(), |line| place.with_line(line)), fault.message)]
    };
    let mut reader = Reader { lines: text.lines().enumerate(), tokens: Vec::new(), line: 1 };
    let joints = reader.read_hierarchy().map_err(fail)?;
    let motion = reader.read_motion(&joints).map_err(fail)?;
    let name = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    build_character(&joints, &motion, name).map_err(fail)
}

struct Fault {
    line: Option<u64>,
    message: MessageText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelKind {
    Position(usize),
    Rotation(usize),
}

struct Joint {
    name: String,
    parent: Option<usize>,
    offset: Vec3,
    channels: Vec<ChannelKind>,
    /// The end site of a joint without children.
    end: Option<Vec3>,
}

struct Motion {
    seconds_per_frame: f64,
    /// The values of all channels, frame by frame.
    values: Vec<f32>,
}

/// Reads words, and remembers their lines.
struct Reader<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    /// The unread words of the current line, last first.
    tokens: Vec<&'a str>,
    line: u64,
}

impl<'a> Reader<'a> {
    fn fault<T>(&self, message: MessageText) -> Result<T, Fault> {
        Err(Fault { line: Some(self.line), message })
    }

    /// Returns the next word, or `None` at the end of the file.
    fn next(&mut self) -> Option<&'a str> {
        while self.tokens.is_empty() {
            let (number, line) = self.lines.next()?;
            self.line = number as u64 + 1;
            self.tokens.extend(line.split_whitespace().rev());
        }
        self.tokens.pop()
    }

    fn expect(&mut self, expected: &'static str) -> Result<(), Fault> {
        match self.next() {
            Some(word) if word.eq_ignore_ascii_case(expected) => Ok(()),
            Some(word) => self.fault(message!(
                "found \"{found}\"; expected {expected}. The motion is not loaded",
                found = excerpt(word),
                expected
            )),
            None => self.fault(message!("the file ends; expected {expected}. The motion is not loaded", expected)),
        }
    }

    fn number(&mut self) -> Result<f32, Fault> {
        let Some(word) = self.next() else {
            return self.fault(message!("the file ends; expected a number. The motion is not loaded"));
        };
        parse_number(word).or_else(|message| self.fault(message))
    }

    fn vector(&mut self) -> Result<Vec3, Fault> {
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// Returns the rest of the line up to a brace: names can contain spaces.
    fn name(&mut self) -> String {
        let mut words = Vec::new();
        while let Some(word) = self.tokens.pop() {
            if word == "{" {
                self.tokens.push(word);
                break;
            }
            words.push(word);
        }
        words.join(" ")
    }

    /// Reads all joints, parents first.
    fn read_hierarchy(&mut self) -> Result<Vec<Joint>, Fault> {
        self.expect("HIERARCHY")?;
        self.expect("ROOT")?;
        let mut joints = vec![self.read_joint(None)?];
        let mut open = vec![0];
        while let Some(&parent) = open.last() {
            match self.next() {
                Some("}") => _ = open.pop(),
                Some(word) if word.eq_ignore_ascii_case("JOINT") => {
                    if joints.len() == MAX_JOINTS {
                        return self
                            .fault(message!("more than {max} joints. The motion is not loaded", max = MAX_JOINTS));
                    }
                    open.push(joints.len());
                    joints.push(self.read_joint(Some(parent))?);
                }
                Some(word) if word.eq_ignore_ascii_case("End") => {
                    // "Site", and in some files a name.
                    self.name();
                    self.expect("{")?;
                    self.expect("OFFSET")?;
                    joints[parent].end = Some(self.vector()?);
                    self.expect("}")?;
                }
                Some(word) => {
                    return self.fault(message!(
                        "found \"{found}\"; expected {expected}. The motion is not loaded",
                        found = excerpt(word),
                        expected = "JOINT, End Site, }"
                    ));
                }
                None => {
                    let message =
                        message!("the file ends; expected {expected}. The motion is not loaded", expected = "}");
                    return self.fault(message);
                }
            }
        }
        Ok(joints)
    }

    fn read_joint(&mut self, parent: Option<usize>) -> Result<Joint, Fault> {
        let name = self.name();
        self.expect("{")?;
        self.expect("OFFSET")?;
        let offset = self.vector()?;
        self.expect("CHANNELS")?;
        let count = self.number()?;
        if count.fract() != 0.0 || !(0.0..=6.0).contains(&count) {
            return self
                .fault(message!("{count} channels; expected a whole number up to 6. The motion is not loaded", count));
        }
        let channels = (0..count as usize).map(|_| self.channel()).collect::<Result<Vec<_>, _>>()?;
        let is_repeated = channels.iter().enumerate().any(|(at, channel)| channels[..at].contains(channel));
        if is_repeated {
            return self
                .fault(message!("\"{joint}\" has a channel twice. The motion is not loaded", joint = excerpt(&name)));
        }
        Ok(Joint { name, parent, offset, channels, end: None })
    }

    fn channel(&mut self) -> Result<ChannelKind, Fault> {
        let word = self.next().unwrap_or_default();
        let (axis, kind) = word.split_at(word.char_indices().nth(1).map_or(word.len(), |(at, _)| at));
        let axis = ["x", "y", "z"].iter().position(|known| axis.eq_ignore_ascii_case(known));
        match axis {
            Some(axis) if kind.eq_ignore_ascii_case("position") => Ok(ChannelKind::Position(axis)),
            Some(axis) if kind.eq_ignore_ascii_case("rotation") => Ok(ChannelKind::Rotation(axis)),
            _ => self.fault(message!(
                "unknown channel \"{word}\"; expected Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation. \
                 The motion is not loaded",
                word = excerpt(word)
            )),
        }
    }

    fn read_motion(&mut self, joints: &[Joint]) -> Result<Motion, Fault> {
        self.expect("MOTION")?;
        self.expect("Frames:")?;
        let frames = self.number()?;
        let channels: usize = joints.iter().map(|joint| joint.channels.len()).sum();
        if frames.fract() != 0.0 || frames < 1.0 || f64::from(frames) * channels.max(1) as f64 > MAX_VALUES as f64 {
            return self.fault(message!(
                "{frames} frames of {channels} values; expected at least one frame and at most {max} values. The motion \
                 is not loaded",
                frames,
                channels,
                max = MAX_VALUES
            ));
        }
        self.expect("Frame")?;
        self.expect("Time:")?;
        let seconds_per_frame = f64::from(self.number()?);
        if !(seconds_per_frame > 0.0 && seconds_per_frame <= MAX_FRAME_SECONDS) {
            return self.fault(message!(
                "a frame time of {seconds} s; expected more than 0 s and at most {max} s. The motion is not loaded",
                seconds = seconds_per_frame,
                max = MAX_FRAME_SECONDS
            ));
        }
        let values = self.read_frames(frames as usize, channels)?;
        Ok(Motion { seconds_per_frame, values })
    }

    /// Reads one line per frame.
    fn read_frames(&mut self, frames: usize, channels: usize) -> Result<Vec<f32>, Fault> {
        self.tokens.clear();
        // The number of frames is from the file, so no memory is reserved for it.
        let mut values = Vec::new();
        let mut found = 0;
        for (number, line) in self.lines.by_ref() {
            let before = values.len();
            self.line = number as u64 + 1;
            let line_number = self.line;
            let fault = |message| Fault { line: Some(line_number), message };
            for word in line.split_whitespace() {
                values.push(parse_number(word).map_err(fault)?);
            }
            let count = values.len() - before;
            if count == 0 {
                continue;
            }
            found += 1;
            if count != channels || found > frames {
                let message = if count == channels {
                    message!("more than the {frames} frames that the file declares. The motion is not loaded", frames)
                } else {
                    message!(
                        "{count} values in a frame; expected {channels}. The motion is not loaded",
                        count,
                        channels
                    )
                };
                return Err(fault(message));
            }
        }
        if found < frames && channels > 0 {
            return self.fault(message!(
                "the file ends after {found} of {frames} frames. The motion is not loaded",
                found,
                frames
            ));
        }
        Ok(values)
    }
}

fn parse_number(word: &str) -> Result<f32, MessageText> {
    match word.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(message!("\"{word}\" is not a finite number. The motion is not loaded", word = excerpt(word))),
    }
}

fn build_character(joints: &[Joint], motion: &Motion, name: &str) -> Result<Character, Fault> {
    let build_skeleton = |bones: Vec<Bone>| {
        Skeleton::new(bones).map_err(|err| Fault { line: None, message: MessageText::from(err.to_string()) })
    };
    let humanoid = humanoid_by_names(&build_skeleton(joints.iter().map(|joint| bone(joint, joint.parent)).collect())?);
    let body = Body::measure(joints, |role| humanoid.bone(role).map(BoneId::index));

    // The space of the file is a bone above the joints.
    let space = Trs { translation: Vec3::ZERO, rotation: body.rotation, scale: Vec3::splat(body.scale) };
    let mut bones = vec![Bone { name: String::new(), parent: None, rest: space }];
    bones.extend(joints.iter().map(|joint| bone(joint, Some(joint.parent.map_or(0, |parent| parent + 1)))));
    bones[1].rest.translation = body.root;
    let skeleton = build_skeleton(bones)?;
    let mut shifted = Humanoid::default();
    for (role, bone) in humanoid.iter() {
        shifted.set(role, BoneId(bone.0 + 1));
    }
    let clip = build_clip(joints, motion, &body, name);
    Ok(Character {
        name: name.to_owned(),
        format_name: "BVH".to_owned(),
        skeleton,
        humanoid: shifted,
        clips: vec![clip],
        ..Character::default()
    })
}

fn bone(joint: &Joint, parent: Option<usize>) -> Bone {
    let rest = Trs { translation: joint.offset, ..Trs::IDENTITY };
    Bone { name: joint.name.clone(), parent: parent.map(|parent| BoneId(parent as u32)), rest }
}

/// The body in its zero pose.
struct Body {
    /// Rotation from the axes of the file to an upright body that faces +Z.
    rotation: Quat,
    /// Metres per unit of the file, for hips at a height of 1 m.
    scale: f32,
    /// Position of the root joint above the ground, in the file's space.
    root: Vec3,
}

impl Body {
    fn measure(joints: &[Joint], role: impl Fn(&str) -> Option<usize>) -> Self {
        let mut positions: Vec<Vec3> = Vec::with_capacity(joints.len());
        for joint in joints {
            // The root is at the origin, because its offset is not the length of a bone.
            positions.push(joint.parent.map_or(Vec3::ZERO, |parent| positions[parent] + joint.offset));
        }
        let at = |name: &str| role(name).map(|joint| positions[joint]);
        let rotation = upright_rotation(&at);
        let ends = joints.iter().zip(&positions).filter_map(|(joint, position)| Some(*position + joint.end?));
        let heights = positions.iter().copied().chain(ends).map(|position| (rotation * position).y);
        let lowest = heights.fold(0.0, f32::min);
        let hips = (rotation * at("hips").unwrap_or_default()).y - lowest;
        let scale = if hips.is_finite() && hips > MIN_HIPS_HEIGHT { hips.recip() } else { 1.0 };
        let root = rotation.inverse() * (Vec3::NEG_Y * lowest);
        let root = if root.is_finite() { root } else { Vec3::ZERO };
        Self { rotation, scale, root }
    }
}

/// Returns the rotation that turns the file's axes for up and left to +Y and +X. Returns the identity if the roles of
/// the body do not determine these axes.
fn upright_rotation(at: &impl Fn(&str) -> Option<Vec3>) -> Quat {
    let between = |from: &str, to: &str| at(to).zip(at(from)).map(|(to, from)| to - from);
    let up = between("leftFoot", "head").or_else(|| between("leftFoot", "hips")).or_else(|| between("hips", "head"));
    let left = between("rightUpperLeg", "leftUpperLeg").or_else(|| between("rightUpperArm", "leftUpperArm"));
    let Some((up, left)) = up.and_then(nearest_axis).zip(left) else { return Quat::IDENTITY };
    let Some(left) = nearest_axis(left.reject_from_normalized(up)) else { return Quat::IDENTITY };
    Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up))).inverse()
}

/// Returns the axis of the file nearest to a direction, or `None` for a direction of length zero.
fn nearest_axis(direction: Vec3) -> Option<Vec3> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let nearest = axes.into_iter().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)))?;
    (nearest.dot(direction) > 0.0).then_some(nearest)
}

fn build_clip(joints: &[Joint], motion: &Motion, body: &Body, name: &str) -> Clip {
    let stride: usize = joints.iter().map(|joint| joint.channels.len()).sum();
    let frames = motion.values.chunks_exact(stride.max(1));
    let times: Vec<f32> = (0..frames.len()).map(|frame| (frame as f64 * motion.seconds_per_frame) as f32).collect();
    let channel = |joint: usize, values| Channel {
        bone: BoneId(joint as u32 + 1),
        times: times.clone(),
        values,
        interpolation: ChannelInterpolation::Linear,
    };
    let (mut channels, mut first) = (Vec::new(), 0);
    for (index, joint) in joints.iter().enumerate() {
        let own = first..first + joint.channels.len();
        first = own.end;
        let values = || frames.clone().map(|frame| &frame[own.clone()]);
        if joint.channels.iter().any(|kind| matches!(kind, ChannelKind::Rotation(_))) {
            let rotations = values().map(|values| rotation(&joint.channels, values)).collect();
            channels.push(channel(index, ChannelValues::Rotation(rotations)));
        }
        if joint.parent.is_none() && joint.channels.iter().any(|kind| matches!(kind, ChannelKind::Position(_))) {
            let positions: Vec<Vec3> = values().map(|values| position(joint, values)).collect();
            // The first frame keeps only its height, so that the motion starts at the position of the character.
            let up = body.rotation.inverse() * Vec3::Y;
            let start = positions.first().map_or(Vec3::ZERO, |position| position.reject_from_normalized(up));
            let moved = positions.into_iter().map(|position| position - start).collect();
            channels.push(channel(index, ChannelValues::Translation(moved)));
        }
    }
    Clip { name: name.to_owned(), duration: times.last().copied().unwrap_or(0.0), channels }
}

/// The rotation of a joint in a frame. The channels apply from the last to the first.
fn rotation(channels: &[ChannelKind], values: &[f32]) -> Quat {
    let mut rotation = Quat::IDENTITY;
    for (kind, value) in channels.iter().zip(values) {
        if let ChannelKind::Rotation(axis) = kind {
            rotation *= Quat::from_axis_angle(Vec3::AXES[*axis], value.to_radians());
        }
    }
    rotation.normalize()
}

/// The position of the root in a frame, in the unit of the file.
fn position(joint: &Joint, values: &[f32]) -> Vec3 {
    let mut position = joint.offset;
    for (kind, value) in joint.channels.iter().zip(values) {
        if let ChannelKind::Position(axis) = kind {
            position[*axis] = *value;
        }
    }
    position
}
