//! Converts FBX files, binary and ASCII, to glTF, so that one reader, one baker and one set of limits serve both.
//!
//! The ufbx library parses the file. Its options give every node the local position, rotation and scale that Unity's
//! importer gives it, mirrored to glTF's space: metres, +Y up, face towards +Z. The pose of the nodes is the rest pose, as
//! in UnityChanSpringBone. If the skin is bound in another pose, that pose becomes an animation.
//!
//! Input is not trusted. Memory and depth are limited while the file is parsed, and numbers that are not finite are
//! replaced and reported. Of the paths in the file only the names are used, to find images in a fixed list of folders.
//! Lights, cameras, constraints and curves are ignored, but their nodes are kept.

mod builder;
#[cfg(target_arch = "wasm32")]
mod c_library;
mod convert;
mod images;
mod materials;
mod meshes;
mod nodes;
mod notes;
mod settings;
mod skins;
mod takes;

pub(crate) use convert::{is_motion_only, to_glb};
pub(crate) use settings::MeshSettings;

use yuremono_sim::diagnostics::Diagnostic;

/// The first bytes of a binary FBX.
const BINARY_MAGIC: &[u8] = b"Kaydara FBX Binary";

/// Limit for the memory of the parser, in bytes.
const MAX_MEMORY: usize = 3 << 30;

/// An FBX as a glTF.
#[derive(Debug)]
pub(crate) struct ConvertedFbx {
    /// A GLB with all nodes, meshes, skins, materials, images and animations of the file.
    pub(crate) glb: Vec<u8>,
    /// The format with its version, for example "FBX 7.4".
    pub(crate) format_name: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Whether bytes start like an FBX, binary or ASCII.
pub(crate) fn is_fbx(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    let text = || String::from_utf8_lossy(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start));
    start.starts_with(BINARY_MAGIC)
        || text().trim_start().starts_with("; FBX")
        || text().trim_start().starts_with("FBXHeaderExtension")
}
