//! Builds dances of `MikuMikuDance` (`.vmd`).

use glam::{Quat, Vec3};

/// Bytes of the default curves, in which all channels are linear.
const LINEAR: [u8; 64] = linear_curves();

const fn linear_curves() -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut row = 0;
    while row < 4 {
        let mut at = row;
        while at < 16 {
            bytes[16 * row + at - row] = if at < 8 { 20 } else { 107 };
            at += 1;
        }
        row += 1;
    }
    bytes
}

/// A dance under construction. Values are in MMD's space: left-handed, the model faces -Z, one unit is about 8 cm.
#[derive(Clone, Debug, Default)]
pub struct VmdBuilder {
    bones: Vec<u8>,
    bone_count: u32,
    ik: Vec<u8>,
    ik_count: u32,
    face_count: u32,
    camera_count: u32,
}

impl VmdBuilder {
    /// Adds empty keys of faces and cameras.
    #[must_use]
    pub const fn face_and_camera_keys(mut self, faces: u32, cameras: u32) -> Self {
        (self.face_count, self.camera_count) = (faces, cameras);
        self
    }

    /// Adds a key of a bone. `name` is written in Shift-JIS.
    #[must_use]
    pub fn key(self, name: &str, frame: u32, position: Vec3, rotation: Quat) -> Self {
        let (name, _, _) = encoding_rs::SHIFT_JIS.encode(name);
        self.raw_key(&name, frame, position, rotation)
    }

    /// Adds a key of a bone with a name in any encoding.
    #[must_use]
    pub fn raw_key(mut self, name: &[u8], frame: u32, position: Vec3, rotation: Quat) -> Self {
        push_name(&mut self.bones, name, 15);
        self.bones.extend(frame.to_le_bytes());
        let numbers = position.to_array().into_iter().chain(rotation.to_array());
        self.bones.extend(numbers.flat_map(f32::to_le_bytes));
        self.bones.extend(LINEAR);
        self.bone_count += 1;
        self
    }

    /// Switches the IK of bones on or off.
    #[must_use]
    pub fn ik(mut self, frame: u32, switches: &[(&str, bool)]) -> Self {
        self.ik.extend(frame.to_le_bytes());
        self.ik.push(1);
        self.ik.extend((switches.len() as u32).to_le_bytes());
        for (name, is_on) in switches {
            push_name(&mut self.ik, &encoding_rs::SHIFT_JIS.encode(name).0, 20);
            self.ik.push(u8::from(*is_on));
        }
        self.ik_count += 1;
        self
    }

    /// Returns the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"Vocaloid Motion Data 0002\0\0\0\0\0".to_vec();
        push_name(&mut bytes, b"model", 20);
        bytes.extend(self.bone_count.to_le_bytes());
        bytes.extend(&self.bones);
        for (count, size) in [(self.face_count, 23), (self.camera_count, 61), (0, 28), (0, 9)] {
            bytes.extend(count.to_le_bytes());
            bytes.resize(bytes.len() + count as usize * size, 0);
        }
        bytes.extend(self.ik_count.to_le_bytes());
        bytes.extend(&self.ik);
        bytes
    }
}

/// Writes a name, a NUL, and other bytes, as MMD does.
fn push_name(bytes: &mut Vec<u8>, name: &[u8], size: usize) {
    let end = bytes.len() + size;
    bytes.extend(&name[..name.len().min(size)]);
    if bytes.len() < end {
        bytes.push(0);
    }
    bytes.resize(end, 0xfd);
}
