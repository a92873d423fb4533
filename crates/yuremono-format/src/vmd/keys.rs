//! Parses the records of a VMD: the keys of bones, and the frames in which IK is switched.
//!
//! All numbers are little-endian, and records have a fixed size. Bone names have 15 bytes, so the last character of a name
//! can be cut.

use encoding_rs::SHIFT_JIS;
use glam::{Quat, Vec3};
use std::borrow::Cow;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::slerp;

/// Frames per second of every VMD.
pub(super) const FRAMES_PER_SECOND: f32 = 30.0;
/// Last frame that is read: 30 minutes. Later keys come from damaged files.
const MAX_FRAME: u32 = 54_000;
/// Largest offset, in MMD units. Larger ones come from damaged files.
const MAX_OFFSET: f32 = 10_000.0;
/// The start of all versions.
const MAGIC: &[u8] = b"Vocaloid Motion Data ";
/// Size of the version with its padding, in bytes.
const HEADER_SIZE: usize = 30;
const BONE_NAME_SIZE: usize = 15;
const IK_NAME_SIZE: usize = 20;

/// Whether bytes start like a VMD.
pub(crate) fn is_vmd(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A Bézier curve from (0, 0) to (1, 1) that converts the share of the time between two keys to the share of the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyCurve {
    start: [f32; 2],
    end: [f32; 2],
}

impl KeyCurve {
    /// Reads the curve of a channel (0 to 3) from 64 bytes: four rows, each of which is the previous row shifted by one
    /// channel. MMD stores physics flags in bytes 2 and 3 of the first row, so the curve of a channel is read from its own
    /// row. Some tools repeat the first row without the shift.
    fn read(bytes: &[u8], channel: usize) -> Self {
        let (first, second) = (&bytes[..16], &bytes[16..32]);
        let is_repeated = second[..2] == first[..2] && second[4..] == first[4..];
        let at = |point: usize| {
            let byte = if is_repeated { second[channel + 4 * point] } else { bytes[16 * channel + 4 * point] };
            f32::from(byte.min(127)) / 127.0
        };
        Self { start: [at(0), at(1)], end: [at(2), at(3)] }
    }

    /// Returns the share of the value at a share of the time.
    pub(super) fn value(&self, time: f32) -> f32 {
        if self.start[0] == self.start[1] && self.end[0] == self.end[1] {
            return time;
        }
        let bezier = |axis: usize, s: f32| {
            let r = 1.0 - s;
            3.0 * s * r * r * self.start[axis] + 3.0 * s * s * r * self.end[axis] + s * s * s
        };
        // X ascends with `s`. 24 halvings are as exact as an f32.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..24 {
            let middle = f32::midpoint(low, high);
            if bezier(0, middle) < time { low = middle } else { high = middle }
        }
        bezier(1, f32::midpoint(low, high))
    }
}

/// A key of a bone. Positions are offsets from the rest pose in MMD units. The space is that of glTF: right-handed, the
/// model faces +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoneKey {
    pub(super) frame: u32,
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
    /// Curves of X, Y, Z and of the rotation, between the previous key and this key.
    pub(super) curves: [KeyCurve; 4],
}

/// The keys of a VMD, by names with half-width ASCII, in ascending order of frames.
#[derive(Debug, Default)]
pub(super) struct VmdKeys {
    pub(super) bones: BTreeMap<String, Vec<BoneKey>>,
    /// Frames that switch the IK of a bone on or off.
    pub(super) ik: BTreeMap<String, Vec<(u32, bool)>>,
    pub(super) face_count: usize,
    pub(super) camera_count: usize,
    /// Number of keys with unusable values.
    pub(super) not_finite_count: usize,
    /// Number of keys after [`MAX_FRAME`].
    pub(super) late_count: usize,
    /// Number of keys whose names are neither Shift-JIS nor UTF-8.
    pub(super) undecodable_count: usize,
    /// What ended the file early, after all bone keys.
    pub(super) truncation: Option<MessageText>,
}

/// Reads records, and knows the place in the file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..)?.get(..size)?;
        self.at += size;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn floats<const N: usize>(&mut self) -> Option<[f32; N]> {
        let bytes = self.take(4 * N)?;
        let float = |at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(std::array::from_fn(|index| float(4 * index)))
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Reads the number of records of a section, and checks that the file has as many bytes. `section` names the records
    /// in the message.
    fn count(&mut self, section: MessageText, record_size: usize) -> Result<usize, MessageText> {
        let at = self.at;
        let left = self.bytes.len().saturating_sub(at + 4);
        match self.u32() {
            Some(count) if (count as usize).checked_mul(record_size).is_some_and(|size| size <= left) => {
                Ok(count as usize)
            }
            Some(count) => Err(message!(
                "byte {at}: {count} {section} need more than the {left} bytes that follow",
                at,
                count = count as usize,
                section,
                left
            )),
            None => Err(message!("byte {at}: the file ends; expected the number of {section}", at, section)),
        }
    }
}

impl VmdKeys {
    /// Parses a file. The error says what is wrong with the bone keys. Later sections can be missing.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, MessageText> {
        let mut reader = Reader { bytes, at: HEADER_SIZE };
        // Version 1 has a shorter name of the model.
        let is_version_1 = bytes[MAGIC.len()..].starts_with(b"file");
        reader.at += if is_version_1 { 10 } else { 20 };
        let mut keys = Self::default();
        for _ in 0..reader.count(message!("bone keys"), 111)? {
            keys.read_bone_key(&mut reader);
        }
        for track in keys.bones.values_mut() {
            // The last of several keys in one frame wins.
            track.reverse();
            track.sort_by_key(|key| key.frame);
            track.dedup_by_key(|key| key.frame);
        }
        if let Err(truncation) = keys.read_other_sections(&mut reader) {
            keys.truncation = Some(truncation);
        }
        for switches in keys.ik.values_mut() {
            switches.sort_by_key(|(frame, _)| *frame);
        }
        Ok(keys)
    }

    fn read_bone_key(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let name = self.name(reader.take(BONE_NAME_SIZE)?);
        let (frame, [x, y, z]) = (reader.u32()?, reader.floats()?);
        let [qx, qy, qz, qw] = reader.floats()?;
        let curves = reader.take(64)?;
        let name = name?;
        // MMD is left-handed and its models face -Z.
        let (position, rotation) = (Vec3::new(x, y, -z), Quat::from_xyzw(-qx, -qy, qz, qw));
        let is_usable = position.abs().max_element() <= MAX_OFFSET && position.is_finite() && rotation.is_finite();
        if !is_usable {
            self.not_finite_count += 1;
        } else if frame > MAX_FRAME {
            self.late_count += 1;
        } else {
            let length = rotation.length();
            let is_zero = !(length.is_finite() && length > 1e-6);
            let rotation = if is_zero { Quat::IDENTITY } else { rotation.normalize() };
            let curves = std::array::from_fn(|channel| KeyCurve::read(curves, channel));
            self.bones.entry(name).or_default().push(BoneKey { frame, position, rotation, curves });
        }
        Some(())
    }

    /// Reads the sections after the bones. A file can end after each section.
    fn read_other_sections(&mut self, reader: &mut Reader<'_>) -> Result<(), MessageText> {
        let (mut light_count, mut shadow_count) = (0, 0);
        let sections = [
            (message!("face keys"), 23, &mut self.face_count),
            (message!("camera keys"), 61, &mut self.camera_count),
            (message!("light keys"), 28, &mut light_count),
            (message!("shadow keys"), 9, &mut shadow_count),
        ];
        for (section, record_size, count) in sections {
            if reader.is_at_end() {
                return Ok(());
            }
            *count = reader.count(section, record_size)?;
            reader.take(*count * record_size);
        }
        if reader.is_at_end() {
            return Ok(());
        }
        for _ in 0..reader.count(message!("IK keys"), 9)? {
            let cut = || message!("byte {at}: the file ends within the IK keys", at = reader.bytes.len());
            self.read_ik_key(reader).ok_or_else(cut)?;
        }
        Ok(())
    }

    fn read_ik_key(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let frame = reader.u32()?;
        reader.take(1)?;
        for _ in 0..reader.u32()? {
            let name = reader.take(IK_NAME_SIZE)?;
            let [is_on] = reader.array()?;
            if let Some(name) = self.name(name) {
                self.ik.entry(name).or_default().push((frame, is_on != 0));
            }
        }
        Some(())
    }

    /// Decodes a name up to its first NUL. Returns `None` and counts the name if its encoding is unknown.
    fn name(&mut self, bytes: &[u8]) -> Option<String> {
        let end = bytes.iter().position(|byte| *byte == 0);
        let name = decode_name(&bytes[..end.unwrap_or(bytes.len())], end.is_none());
        self.undecodable_count += usize::from(name.is_none());
        name.map(|name| half_width(&name))
    }
}

/// Decodes UTF-8 or Shift-JIS. If `can_be_cut` is true, half a character at the end is dropped.
fn decode_name(bytes: &[u8], can_be_cut: bool) -> Option<Cow<'_, str>> {
    match std::str::from_utf8(bytes) {
        Ok(name) => return Some(Cow::Borrowed(name)),
        Err(err) if can_be_cut && err.error_len().is_none() && err.valid_up_to() > 0 => {
            return Some(String::from_utf8_lossy(&bytes[..err.valid_up_to()]));
        }
        Err(_) => {}
    }
    let whole = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes);
    let (_, but_last) = bytes.split_last()?;
    whole.or_else(|| SHIFT_JIS.decode_without_bom_handling_and_without_replacement(but_last).filter(|_| can_be_cut))
}

/// Replaces full-width ASCII by ASCII, because files mix both in names of bones.
fn half_width(name: &str) -> String {
    let ascii = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    };
    name.chars().map(ascii).collect()
}

/// Returns the position and rotation of a track at a time in frames. Before the first and after the last key, the track
/// holds the key. An empty track is at rest.
pub(super) fn sample(track: &[BoneKey], frame: f32) -> (Vec3, Quat) {
    let next = track.partition_point(|key| key.frame as f32 <= frame);
    let before = next.checked_sub(1).map(|at| &track[at]);
    match (before, track.get(next)) {
        (None, None) => (Vec3::ZERO, Quat::IDENTITY),
        (Some(key), None) | (None, Some(key)) => (key.position, key.rotation),
        (Some(a), Some(b)) => {
            let time = (frame - a.frame as f32) / (b.frame - a.frame) as f32;
            let [x, y, z, turn] = b.curves.map(|curve| curve.value(time));
            let position = a.position + (b.position - a.position) * Vec3::new(x, y, z);
            (position, slerp(a.rotation, b.rotation, turn))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_shift_jis_and_utf8_are_decoded_and_half_characters_are_dropped() {
        let (sjis, _, _) = SHIFT_JIS.encode("右足ＩＫ");
        assert_eq!(decode_name(&sjis, false).map(|name| half_width(&name)).as_deref(), Some("右足IK"));
        assert_eq!(decode_name("センター".as_bytes(), false).as_deref(), Some("センター"));
        let (long, _, _) = SHIFT_JIS.encode("とても長い名前の骨");
        assert_eq!(decode_name(&long[..15], true).as_deref(), Some("とても長い名前"));
        assert_eq!(decode_name(&"右足ＩＫ親の親"[..].as_bytes()[..15], true).as_deref(), Some("右足ＩＫ親"));
        assert_eq!(decode_name(&[0x83, 0xff, 0x20], false), None);
    }

    #[test]
    fn a_curve_with_flags_and_a_repeated_curve_are_read_alike() {
        let rows: Vec<u8> = (0..16_u8).map(|at| at * 7).collect();
        let shifted: Vec<u8> = (0..4).flat_map(|row| rows[row..].iter().copied().chain(vec![0; row])).collect();
        let repeated = rows.repeat(4);
        let mut flagged = shifted.clone();
        flagged[2..4].copy_from_slice(&[0, 0]);
        for channel in 0..4 {
            let expected = KeyCurve::read(&shifted, channel);
            assert_eq!(KeyCurve::read(&repeated, channel), expected);
            assert_eq!(KeyCurve::read(&flagged, channel), expected);
        }
        assert_eq!(KeyCurve::read(&shifted, 1).start, [7.0 / 127.0, 35.0 / 127.0]);
    }

    #[test]
    fn a_curve_ascends_from_0_to_1_and_a_diagonal_is_exact() {
        let ease = KeyCurve { start: [0.5, 0.0], end: [0.5, 1.0] };
        let values: Vec<f32> = (0..=20).map(|at| ease.value(at as f32 / 20.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        assert!(values[0].abs() < 1e-4 && (values[10] - 0.5).abs() < 1e-4 && (values[20] - 1.0).abs() < 1e-4);
        assert_eq!(KeyCurve { start: [0.2, 0.2], end: [0.8, 0.8] }.value(0.3), 0.3);
    }
}
