//! glTF 2.0 and GLB, and through them VRM 0.x and 1.0: from bytes to a character.
//!
//! Input is not trusted. The JSON is read as plain values, and every index, range, count and name is checked
//! before use: a file ends in a character, with diagnostics for what was left out, or in a refusal that says
//! where it is broken. What the file asks for is bounded (512 MiB of geometry, 512 MiB of pixels, 65 536 nodes).
//! Nothing is opened but what the [`Source`] offers. Not read: cameras, lights, Draco, meshopt and Basis
//! compression (refused where a file requires them), materials beyond base colour and toon shading.

mod accessor;
mod buffers;
mod clips;
mod images;
mod materials;
mod meshes;
mod neighbours;
mod primitive;
mod skins;
mod textures;
mod toon;
mod triangles;

pub use neighbours::neighbours;

use super::gltf_json::container;
use super::gltf_json::json::{Fault, Json, Notes};
use super::gltf_json::nodes::Nodes;
use super::source::Source;
use super::vrm::{self, Springs};
use crate::report::{Diagnostic, Place};
use crate::rig::{Character, Material};
use accessor::{Accessors, Budget};
use buffers::{Buffers, Library};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use textures::Textures;

/// Decoded geometry and animation of one file, bytes.
const MOST_GEOMETRY: u64 = 512 << 20;

/// A character file, read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is drawn and moved.
    pub character: Character,
    /// Spring bones where the file has any, VRM 0.x or 1.0.
    pub springs: Option<Springs>,
    /// The file's node of every bone, for writing back to the file.
    pub nodes: Vec<usize>,
    /// What was left out, replaced, or is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a glTF, GLB or VRM file.
///
/// `progress` is called with 0 to 1 from several threads and answers whether to go on; once it says no, the file
/// is refused as "cancelled". The list of a refusal holds at least one [`crate::report::Severity::Error`].
pub fn read(source: &Source<'_>, progress: &(dyn Fn(f32) -> bool + Sync)) -> Result<Loaded, Vec<Diagnostic>> {
    let whole = |why: String| vec![Diagnostic::error(Place::file(source.name), why)];
    let progress = Progress { call: progress, stopped: AtomicBool::new(false) };
    let container = container::open(source.bytes).map_err(whole)?;
    let notes = Notes::new(source.name);
    for oddity in &container.oddities {
        notes.warn(oddity.clone(), "");
    }
    let read = Json::new(&container.json, String::new())
        .and_then(|root| read_root(&root, container.bin, source, &notes, &progress));
    match read {
        Ok(Some((character, springs, nodes))) => Ok(Loaded { character, springs, nodes, diagnostics: notes.finish() }),
        Ok(None) => Err(whole("cancelled".to_owned())),
        Err(fault) => {
            let mut all = vec![notes.error(fault)];
            all.extend(notes.finish());
            Err(all)
        }
    }
}

/// What [`Loaded`] holds, without the diagnostics.
type Parts = (Character, Option<Springs>, Vec<usize>);

/// `None` when cancelled.
fn read_root<'a>(
    root: &Json<'a>,
    bin: Option<&'a [u8]>,
    source: &'a Source<'a>,
    notes: &Notes<'_>,
    progress: &Progress<'_>,
) -> Result<Option<Parts>, Fault> {
    container::check_demands(root)?;
    if !progress.report_start() {
        return Ok(None);
    }
    let mut library = Library::new(source);
    let buffers = Buffers::read(root, bin, &mut library, notes)?;
    let budget = Budget::new(MOST_GEOMETRY);
    let accessors = Accessors::read(root, &buffers, &budget)?;
    let nodes = Nodes::read(root, notes)?;
    let skins = skins::read(root, &nodes, &accessors, notes)?;
    let Some(mut meshes) = meshes::read(root, &nodes, &skins, &accessors, notes, progress)? else { return Ok(None) };
    let textures = Textures::new(root, notes)?;
    let mut materials = materials::read(root, &textures, notes)?;
    settle_materials(&mut meshes, &mut materials, notes);
    let clips = clips::read(root, &nodes, &accessors, notes)?;
    let used = textures.used();
    let Some(images) = images::read(root, &used, &buffers, &mut library, notes, progress)? else { return Ok(None) };
    let profile = vrm::read(root, &nodes, notes);
    if !progress.report_end() {
        return Ok(None);
    }
    let character = Character {
        name: source.name.to_owned(),
        kind: profile.kind,
        skeleton: nodes.skeleton,
        meshes,
        skins,
        materials,
        images,
        clips,
        humanoid: profile.humanoid,
        facing: profile.facing,
    };
    Ok(Some((character, profile.springs, nodes.order)))
}

/// Gives primitives without material, or with one that does not exist, a default at the end of the list.
fn settle_materials(meshes: &mut [crate::rig::Mesh], materials: &mut Vec<Material>, notes: &Notes<'_>) {
    let count = materials.len();
    let mut wanted = false;
    for mesh in meshes {
        for primitive in mesh.primitives.iter_mut().filter(|p| p.material >= count) {
            if primitive.material != primitive::NO_MATERIAL {
                let message = format!(
                    "mesh \"{}\" asks for material {}; the file has {count}",
                    crate::report::clip(&mesh.name),
                    primitive.material
                );
                notes.warn(Fault { pointer: "/meshes".to_owned(), message }, "the default material is used");
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
pub(crate) struct Progress<'p> {
    call: &'p (dyn Fn(f32) -> bool + Sync),
    stopped: AtomicBool,
}

impl Progress<'_> {
    /// Share of the work that is done when meshes, then images, begin.
    const MESHES: f32 = 0.05;
    const IMAGES: f32 = 0.3;

    fn at(&self, part: f32) -> bool {
        if !(self.call)(part.clamp(0.0, 1.0)) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.goes_on()
    }

    fn report_start(&self) -> bool {
        self.at(0.0)
    }

    fn report_end(&self) -> bool {
        self.at(1.0)
    }

    fn report_meshes(&self, done: f32) -> bool {
        self.at(Self::MESHES + (Self::IMAGES - Self::MESHES) * done)
    }

    /// `done` of the images, 0 to 1.
    fn report(&self, done: f32) {
        self.at(Self::IMAGES + (1.0 - Self::IMAGES) * done);
    }

    fn goes_on(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}
