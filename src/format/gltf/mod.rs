//! glTF 2.0 and GLB, and through them VRM 0.x and 1.0: from bytes to a character.
//!
//! Input is not trusted. The JSON is read as plain values, and every index, range, count and name is checked
//! before use: a file ends in a character, with diagnostics for what was left out, or in a refusal that says
//! where it is broken. What the file asks for is bounded (512 MiB of geometry, 512 MiB of pixels, 65 536 nodes).
//! Nothing is opened but what the [`SourceFile`] offers. Not read: cameras, lights, Draco, meshopt and Basis
//! compression (refused where a file requires them), materials beyond base colour and toon shading.

mod accessor;
mod buffers;
mod clips;
mod external_files;
mod images;
mod materials;
mod meshes;
mod primitive;
mod skins;
mod textures;
mod toon;
mod triangles;

pub use external_files::external_files;

use super::gltf_json::container;
use super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::gltf_json::nodes::GltfNodes;
use super::source::SourceFile;
use super::vrm::{self, VrmSprings};
use crate::diagnostics::{Diagnostic, Location};
use crate::rig::{Character, Material};
use accessor::{Accessors, DecodeBudget};
use buffers::{Buffers, UriLoader};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use textures::Textures;

/// Decoded geometry and animation of one file, bytes.
const MAX_GEOMETRY_BYTES: u64 = 512 << 20;

/// A character file, read.
#[derive(Clone, Debug)]
pub struct LoadedCharacter {
    /// What is drawn and moved.
    pub character: Character,
    /// Spring bones where the file has any, VRM 0.x or 1.0.
    pub spring_bones: Option<VrmSprings>,
    /// The file's node of every bone, for writing back to the file.
    pub node_of_bone: Vec<usize>,
    /// What was left out, replaced, or is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a glTF, GLB or VRM file.
///
/// `progress` is called with 0 to 1 from several threads and answers whether to go on; once it says no, the file
/// is refused as "cancelled". The list of a refusal holds at least one `crate::report_images::Severity::Error`.
pub fn read(
    source: &SourceFile<'_>,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<LoadedCharacter, Vec<Diagnostic>> {
    let whole = |why: String| vec![Diagnostic::error(Location::file(source.name), why)];
    let progress = LoadProgress { callback: progress, cancelled: AtomicBool::new(false) };
    let container = container::parse_container(source.bytes).map_err(whole)?;
    let notes = GltfDiagnostics::new(source.name);
    for oddity in &container.warnings {
        notes.warn(oddity.clone(), "");
    }
    let read = JsonObject::new(&container.json, String::new())
        .and_then(|root| read_root(&root, container.bin, source, &notes, &progress));
    match read {
        Ok(Some((character, springs, nodes))) => Ok(LoadedCharacter {
            character,
            spring_bones: springs,
            node_of_bone: nodes,
            diagnostics: notes.into_diagnostics(),
        }),
        Ok(None) => Err(whole("cancelled".to_owned())),
        Err(fault) => {
            let mut all = vec![notes.error(fault)];
            all.extend(notes.into_diagnostics());
            Err(all)
        }
    }
}

/// What [`LoadedCharacter`] holds, without the diagnostics.
type CharacterParts = (Character, Option<VrmSprings>, Vec<usize>);

/// `None` when cancelled.
fn read_root<'a>(
    root: &JsonObject<'a>,
    bin: Option<&'a [u8]>,
    source: &'a SourceFile<'a>,
    notes: &GltfDiagnostics<'_>,
    progress: &LoadProgress<'_>,
) -> Result<Option<CharacterParts>, JsonError> {
    container::check_requirements(root)?;
    if !progress.report_start() {
        return Ok(None);
    }
    let mut library = UriLoader::new(source);
    let buffers = Buffers::read(root, bin, &mut library, notes)?;
    let budget = DecodeBudget::new(MAX_GEOMETRY_BYTES);
    let accessors = Accessors::read(root, &buffers, &budget)?;
    let nodes = GltfNodes::read(root, notes)?;
    let skins = skins::read(root, &nodes, &accessors, notes)?;
    let Some(mut meshes) = meshes::read(root, &nodes, &skins, &accessors, notes, progress)? else { return Ok(None) };
    let textures = Textures::new(root, notes)?;
    let mut materials = materials::read(root, &textures, notes)?;
    assign_default_materials(&mut meshes, &mut materials, notes);
    let clips = clips::read(root, &nodes, &accessors, notes)?;
    let used = textures.used_images();
    let Some(images) = images::read(root, &used, &buffers, &mut library, notes, progress)? else { return Ok(None) };
    let profile = vrm::read(root, &nodes, notes);
    if !progress.report_end() {
        return Ok(None);
    }
    let character = Character {
        name: source.name.to_owned(),
        format_name: profile.format_name,
        skeleton: nodes.skeleton,
        meshes,
        skins,
        materials,
        images,
        clips,
        humanoid: profile.humanoid,
        facing: profile.facing,
    };
    Ok(Some((character, profile.springs, nodes.node_of_bone)))
}

/// Gives primitives without material, or with one that does not exist, a default at the end of the list.
fn assign_default_materials(
    meshes: &mut [crate::rig::Mesh],
    materials: &mut Vec<Material>,
    notes: &GltfDiagnostics<'_>,
) {
    let count = materials.len();
    let mut wanted = false;
    for mesh in meshes {
        for primitive in mesh.primitives.iter_mut().filter(|p| p.material >= count) {
            if primitive.material != primitive::NO_MATERIAL {
                let message = format!(
                    "mesh \"{}\" asks for material {}; the file has {count}",
                    crate::diagnostics::excerpt(&mesh.name),
                    primitive.material
                );
                notes.warn(JsonError { pointer: "/meshes".to_owned(), message }, "the default material is used");
            }
            primitive.material = count;
            wanted = true;
        }
    }
    if wanted {
        materials.push(Material::default());
    }
}

/// Turns the caller's progress function into stages, and remembers a "no".
pub(crate) struct LoadProgress<'p> {
    callback: &'p (dyn Fn(f32) -> bool + Sync),
    cancelled: AtomicBool,
}

impl LoadProgress<'_> {
    /// Share of the work that is done when meshes, then images, begin.
    const MESHES_START: f32 = 0.05;
    const IMAGES_START: f32 = 0.3;

    fn report_fraction(&self, part: f32) -> bool {
        if !(self.callback)(part.clamp(0.0, 1.0)) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        self.should_continue()
    }

    fn report_start(&self) -> bool {
        self.report_fraction(0.0)
    }

    fn report_end(&self) -> bool {
        self.report_fraction(1.0)
    }

    fn report_meshes(&self, done: f32) -> bool {
        self.report_fraction(Self::MESHES_START + (Self::IMAGES_START - Self::MESHES_START) * done)
    }

    /// `done` of the images, 0 to 1.
    fn report_images(&self, done: f32) {
        self.report_fraction(Self::IMAGES_START + (1.0 - Self::IMAGES_START) * done);
    }

    fn should_continue(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for LoadProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("stopped", &self.cancelled).finish_non_exhaustive()
    }
}
