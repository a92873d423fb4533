//! Writes baked motions: as an animation of a copy of the character, as a VRM animation, or as a table.
//!
//! These modules convert values to bytes and open no files.

mod animation_data;
mod csv;
mod gltf;
mod vrma;

pub use csv::write as write_csv;
pub use gltf::{check_bones, write as write_gltf};
pub use vrma::{check_character as check_vrma_character, write as write_vrma};

use crate::diagnostics::Diagnostic;

/// A written file.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenMotion {
    pub bytes: Vec<u8>,
    /// The name of the animation in the file.
    pub name: String,
    /// What the file cannot store.
    pub losses: Vec<Diagnostic>,
}
