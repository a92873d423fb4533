//! Reads motion capture in the Biovision Hierarchy format (`.bvh`).
//!
//! The result is a character without meshes: one bone for each joint, and one clip. A BVH has neither a unit nor fixed
//! axes nor a fixed zero pose. `stance` finds the standing pose and the floor from names, motion and bone lengths;
//! `capture` turns the body upright and towards +Z, scales it to hips at a height of 1 m, and starts it at the origin.
//! Joints get humanoid roles by their names. Only the positions of the hips and their ancestors are used, because
//! lengths come from the character.
//!
//! A wrong number of frames or a second root is reported. Any other fault of a file is an error with its line, because a
//! wrong number would play a wrong motion.

mod capture;
mod stance;

use glam::{Quat, Vec3};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::Character;

/// Largest number of joints. Real files have fewer than 200.
const MAX_JOINTS: usize = 4096;
/// Largest number of values of all frames.
const MAX_VALUES: usize = 50_000_000;
/// Longest time between two frames, in seconds.
const MAX_FRAME_SECONDS: f64 = 10.0;

/// Whether bytes start like a BVH.
pub(super) fn is_bvh(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    bytes.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Reads a file, and returns what had to be assumed. `file_name` appears in messages, and names the clip.
pub(super) fn read(bytes: &[u8], file_name: &str) -> Result<(Character, Vec<Diagnostic>), Vec<Diagnostic>> {
    // Joint names may be in any encoding; letters that are not UTF-8 only prevent a match by name.
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    // Old Macintosh tools end lines with a single carriage return.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let place = |line: Option<u64>| {
        let file = Location::file(file_name);
        line.map_or(file.clone(), |line| file.with_line(line))
    };
    let fail = |fault: Fault| vec![Diagnostic::error(place(fault.line), fault.message)];
    let mut reader = Reader { lines: text.lines().enumerate(), tokens: Vec::new(), line: 1, warnings: Vec::new() };
    let joints = reader.read_hierarchy().map_err(fail)?;
    let motion = reader.read_motion(&joints).map_err(fail)?;
    let warnings = reader.warnings.into_iter();
    let mut diagnostics: Vec<Diagnostic> =
        warnings.map(|fault| Diagnostic::warning(place(fault.line), fault.message)).collect();
    let name = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let (character, assumptions) = capture::build(&joints, &motion, name).map_err(fail)?;
    diagnostics.extend(assumptions.into_iter().map(|message| Diagnostic::info(place(None), message)));
    Ok((character, diagnostics))
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
    /// Faults with which the file can be read.
    warnings: Vec<Fault>,
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
            found => self.unexpected(found, expected),
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
        let mut joints = Vec::new();
        self.read_tree(&mut joints)?;
        loop {
            match self.next() {
                Some(word) if word.eq_ignore_ascii_case("MOTION") => return Ok(joints),
                Some(word) if word.eq_ignore_ascii_case("ROOT") => {
                    let first = joints.len();
                    self.read_tree(&mut joints)?;
                    let (line, root) = (Some(self.line), excerpt(&joints[first].name));
                    let message = message!(
                        "\"{root}\" is another root; expected one. Its joints are read after the others",
                        root
                    );
                    self.warnings.push(Fault { line, message });
                }
                found => return self.unexpected(found, "ROOT, MOTION"),
            }
        }
    }

    /// Reports a word that does not belong here, or the end of the file.
    fn unexpected<T>(&self, found: Option<&str>, expected: &'static str) -> Result<T, Fault> {
        self.fault(match found {
            Some(word) => message!(
                "found \"{found}\"; expected {expected}. The motion is not loaded",
                found = excerpt(word),
                expected
            ),
            None => message!("the file ends; expected {expected}. The motion is not loaded", expected),
        })
    }

    /// Reads a root and the joints below it, parents first.
    fn read_tree(&mut self, joints: &mut Vec<Joint>) -> Result<(), Fault> {
        let mut open = vec![joints.len()];
        self.read_joint(None, joints)?;
        while let Some(&parent) = open.last() {
            match self.next() {
                Some("}") => _ = open.pop(),
                Some(word) if word.eq_ignore_ascii_case("JOINT") => {
                    open.push(joints.len());
                    self.read_joint(Some(parent), joints)?;
                }
                Some(word) if word.eq_ignore_ascii_case("End") => {
                    // "Site", and in some files a name.
                    self.name();
                    self.expect("{")?;
                    self.expect("OFFSET")?;
                    joints[parent].end = Some(self.vector()?);
                    self.expect("}")?;
                }
                found => return self.unexpected(found, "JOINT, End Site, }"),
            }
        }
        Ok(())
    }

    fn read_joint(&mut self, parent: Option<usize>, joints: &mut Vec<Joint>) -> Result<(), Fault> {
        if joints.len() == MAX_JOINTS {
            return self.fault(message!("more than {max} joints. The motion is not loaded", max = MAX_JOINTS));
        }
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
        joints.push(Joint { name, parent, offset, channels, end: None });
        Ok(())
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

    /// Reads one line per frame. Another number of frames than the file declares is reported.
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
            if count != channels {
                let message = message!(
                    "{count} values in a frame; expected {channels}. The motion is not loaded",
                    count,
                    channels
                );
                return Err(fault(message));
            }
            if values.len() > MAX_VALUES {
                return Err(fault(message!("more than {max} values. The motion is not loaded", max = MAX_VALUES)));
            }
        }
        if channels > 0 && found == 0 {
            return self
                .fault(message!("the file ends; expected {expected}. The motion is not loaded", expected = "frames"));
        }
        if channels > 0 && found != frames {
            let message = message!(
                "the file declares {declared}; found {found}. All frames that the file contains are loaded",
                declared = message!("{n:frame|frames}", n = frames),
                found
            );
            self.warnings.push(Fault { line: Some(self.line), message });
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

/// The position of a joint relative to its parent in a frame, in the unit of the file.
fn position(joint: &Joint, values: &[f32]) -> Vec3 {
    let mut position = joint.offset;
    for (kind, value) in joint.channels.iter().zip(values) {
        if let ChannelKind::Position(axis) = kind {
            position[*axis] = *value;
        }
    }
    position
}
