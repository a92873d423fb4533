//! Reads a character from a glTF 2.0, GLB, VRM 0.x or VRM 1.0 file.
//!
//! Input is not trusted. The JSON is read as plain values, and every index, range, count and name is checked before
//! use. The result is either a character with diagnostics about the skipped parts, or an error with the location of the
//! fault. Memory is limited to 512 MiB of geometry, 512 MiB of pixels and 65 536 nodes. Only files that the
//! [`SourceFile`] provides are opened.
//!
//! Cameras, lights, roughness and metallic values are not supported. Data that meshopt compressed is unpacked. Files that
//! require Draco or Basis compression are rejected.

mod accessor;
mod buffers;
mod clips;
mod compressed_views;
mod images;
mod materials;
mod meshes;
mod mtoon;
mod primitive;
mod skins;
mod textures;
mod uri_loader;
mod visibility;
mod vrm0_materials;

pub use buffers::external_files;

use super::gltf_json::container;
use super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::gltf_json::nodes::GltfNodes;
use super::source::SourceFile;
use super::vrm::{self, VrmSprings};
use accessor::{Accessors, DecodeBudget};
use buffers::Buffers;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use textures::Textures;
use uri_loader::UriLoader;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, join_first_names, message};
use yuremono_sim::rig::{BoneId, Character, Clip, Material, Skeleton};

/// Limit for the decoded geometry and animation of one file, in bytes.
const MAX_GEOMETRY_BYTES: u64 = 512 << 20;

/// The content of a character file.
#[derive(Clone, Debug)]
pub struct LoadedCharacter {
    /// Bones, meshes, materials and animations.
    pub character: Character,
    /// Spring bones of VRM 0.x or 1.0, if the file has any.
    pub spring_bones: Option<VrmSprings>,
    /// The node index in the file for each bone. Used for writing to the file.
    pub node_of_bone: Vec<usize>,
    /// Warnings and hints about skipped, replaced or unusual parts.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a glTF, GLB or VRM file.
///
/// `progress` is called from several threads with a fraction from 0 to 1, and returns whether to continue. If
/// `progress` returns `false`, reading fails with the message "cancelled". The diagnostics of a failure contain at
/// least one `yuremono_sim::diagnostics::Severity::Error`.
pub fn read(
    source: &SourceFile<'_>,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<LoadedCharacter, Vec<Diagnostic>> {
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(source.name), why)];
    let progress = LoadProgress { callback: progress, cancelled: AtomicBool::new(false) };
    let container = container::parse_container(source.bytes).map_err(whole)?;
    let diagnostics = GltfDiagnostics::new(source.name);
    for oddity in &container.warnings {
        diagnostics.warn(oddity.clone());
    }
    let read = JsonObject::root(&container.json, &diagnostics)
        .and_then(|root| read_root(&root, container.bin, source, &progress));
    match read {
        Ok(Some(loaded)) => Ok(LoadedCharacter { diagnostics: diagnostics.into_diagnostics(), ..loaded }),
        Ok(None) => Err(whole(message!("cancelled"))),
        Err(fault) => {
            let mut all = vec![diagnostics.error(fault)];
            all.extend(diagnostics.into_diagnostics());
            Err(all)
        }
    }
}

/// Returns the character without diagnostics, or `None` if reading is cancelled.
fn read_root<'a>(
    root: &JsonObject<'a>,
    bin: Option<&'a [u8]>,
    source: &'a SourceFile<'a>,
    progress: &LoadProgress<'_>,
) -> Result<Option<LoadedCharacter>, JsonError> {
    container::check_requirements(root)?;
    if !progress.report_fraction(0.0) {
        return Ok(None);
    }
    let mut library = UriLoader::new(source);
    let buffers = Buffers::read(root, bin, &mut library)?;
    let budget = DecodeBudget::new(MAX_GEOMETRY_BYTES);
    let accessors = Accessors::read(root, &buffers, &budget)?;
    let nodes = GltfNodes::read(root)?;
    let skins = skins::read(root, &nodes, &accessors)?;
    let Some(mut meshes) = meshes::read(root, &nodes, &skins, &accessors, progress)? else { return Ok(None) };
    visibility::hide_meshes(root, &nodes, &mut meshes);
    let textures = Textures::new(root)?;
    let mut materials = materials::read(root, &textures)?;
    assign_default_materials(root, &mut meshes, &mut materials);
    let mut clips = clips::read(root, &nodes, &accessors)?;
    let used = textures.used_images();
    let Some(images) = images::read(root, &used, &buffers, &mut library, progress)? else { return Ok(None) };
    let profile = vrm::read(root, &nodes);
    ignore_expressions(root, &profile.expression_bones, &nodes.skeleton, &mut clips);
    if !progress.report_fraction(1.0) {
        return Ok(None);
    }
    let character = Character {
        name: source.name.to_owned(),
        format_name: profile.format_name.to_owned(),
        humanoid: profile.humanoid.or_found(&nodes.skeleton),
        skeleton: nodes.skeleton,
        meshes,
        skins,
        materials,
        images,
        clips,
        facing: profile.facing,
        constraints: profile.constraints,
    };
    let (spring_bones, node_of_bone) = (profile.springs, nodes.node_of_bone);
    Ok(Some(LoadedCharacter { character, spring_bones, node_of_bone, diagnostics: Vec::new() }))
}

/// Removes the channels of expressions and gaze, which only look like movements of bones.
fn ignore_expressions(
    root: &JsonObject<'_>,
    expressions: &BTreeSet<BoneId>,
    skeleton: &Skeleton,
    clips: &mut Vec<Clip>,
) {
    let channels = clips.iter().flat_map(|clip| &clip.channels);
    let ignored: BTreeSet<BoneId> = channels.map(|channel| channel.bone).filter(|b| expressions.contains(b)).collect();
    if ignored.is_empty() {
        return;
    }
    for clip in clips.iter_mut() {
        clip.channels.retain(|channel| !ignored.contains(&channel.bone));
    }
    clips.retain(|clip| !clip.channels.is_empty());
    let names: Vec<String> = ignored.iter().map(|bone| skeleton.name(*bone).to_owned()).collect();
    let message = message!("expressions and gaze are ignored: {names}", names = join_first_names(&names));
    root.info(root.pointer_to("animations"), message);
}

/// Assigns a default material to primitives without a valid material, and adds the default material to the list.
fn assign_default_materials(
    root: &JsonObject<'_>,
    meshes: &mut [yuremono_sim::rig::Mesh],
    materials: &mut Vec<Material>,
) {
    let count = materials.len();
    let mut wanted = false;
    for mesh in meshes {
        for primitive in mesh.primitives.iter_mut().filter(|p| p.material >= count) {
            if primitive.material != primitive::NO_MATERIAL {
                let message = message!(
                    "mesh \"{name}\" refers to material {material}; the file has {count}",
                    name = yuremono_sim::diagnostics::excerpt(&mesh.name),
                    material = primitive.material,
                    count
                );
                root.warn(JsonError { pointer: "/meshes".to_owned(), message }, "the default material is used");
            }
            primitive.material = count;
            wanted = true;
        }
    }
    if wanted {
        materials.push(Material::default());
    }
}

/// Maps the progress of each stage to the caller's progress function, and records whether reading is cancelled.
pub(crate) struct LoadProgress<'p> {
    callback: &'p (dyn Fn(f32) -> bool + Sync),
    cancelled: AtomicBool,
}

impl LoadProgress<'_> {
    const MESHES_START: f32 = 0.05;
    const IMAGES_START: f32 = 0.3;

    fn report_fraction(&self, part: f32) -> bool {
        if !(self.callback)(part.clamp(0.0, 1.0)) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        self.should_continue()
    }

    fn report_meshes(&self, done: f32) -> bool {
        self.report_fraction(Self::MESHES_START + (Self::IMAGES_START - Self::MESHES_START) * done)
    }

    /// `done` is the fraction of decoded images, 0 to 1.
    fn report_images(&self, done: f32) {
        self.report_fraction(Self::IMAGES_START + (1.0 - Self::IMAGES_START) * done);
    }

    fn should_continue(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}
