//! Converts a document for the VRM solver back to the springs of a VRM file.
//!
//! Unchanged values keep the bits from the file. Other values are written as precisely as the VRM version allows.
//! Diagnostics report the values that the version cannot store.

mod colliders;
mod joints;

use super::document::display_names;
use super::fields::file_version;
use super::{VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion};
use crate::fbx::is_fbx;
use crate::gltf_json::container;
use crate::gltf_json::json::GltfDiagnostics;
use crate::gltf_json::nodes::GltfNodes;
use crate::source::is_gzip;
use yuremono_model::document::{Document, Node, Setup};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// Replaces the springs in `bytes` with the springs of the document and returns the new bytes. All other bytes stay
/// unchanged. A file that is not a VRM gets VRM 1.0 springs. The diagnostics list the data that the version cannot
/// store. Returns an error if the file cannot be read, or if the result breaks a rule.
pub fn save_springs(
    bytes: &[u8],
    file: &str,
    document: &Document,
    character: &Character,
) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let VrmFileContent { version, springs, skeleton } = read_springs_and_bones(bytes, file)?;
    if skeleton != character.skeleton {
        let message = message!("its bones differ from the open character; reload the character first");
        return Err(vec![Diagnostic::error(Location::file(file), message)]);
    }
    let (made, diagnostics) = from_document(document, character, version, springs.as_ref(), file);
    if springs.is_none() && made.chains.is_empty() && made.colliders.is_empty() {
        return Ok((bytes.to_vec(), diagnostics));
    }
    Ok((super::write(bytes, file, &made)?, diagnostics))
}

/// Returns the error for springs that shall be saved in an FBX or a package of Unity.
pub fn read_only_refusal(name: &str) -> Diagnostic {
    let message = message!(
        "springs cannot be saved in an FBX or a package of Unity; export a setup file instead: .csv for UnityChanSpringBone \
         and DynamicBone, .json for the other solvers"
    );
    Diagnostic::error(Location::file(name), message)
}

/// Checks that the extension of a file name matches the bytes of a character: `.gltf` for text, `.glb` or `.vrm` for
/// binary files. The extension `.vrm` also requires a VRM extension in the file. Rejects an FBX and a package of Unity, which
/// cannot store springs.
pub fn check_extension(bytes: &[u8], name: &str) -> Result<(), Diagnostic> {
    if is_fbx(bytes) || is_gzip(bytes) {
        return Err(read_only_refusal(name));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_packed = container::is_glb(bytes);
    if is_packed && ending.eq_ignore_ascii_case("vrm") && !has_vrm_extension(bytes) {
        let message = message!(
            "the character has no VRM extension (VRM or VRMC_vrm), so the file would not be a VRM; \
                       give it a name that ends in .glb"
        );
        return Err(Diagnostic::error(Location::file(name), message));
    }
    if ending.is_empty() || is_packed != ending.eq_ignore_ascii_case("gltf") {
        return Ok(());
    }
    let message = if is_packed {
        message!("the character is a binary file (GLB) and cannot be saved as text; the name must end in .vrm or .glb")
    } else {
        message!("the character is a text file and cannot be saved as a binary file; the name must end in .gltf")
    };
    Err(Diagnostic::error(Location::file(name), message))
}

fn has_vrm_extension(bytes: &[u8]) -> bool {
    let has = |file: container::GltfContainer<'_>| {
        let extensions = file.json["extensions"].as_object();
        extensions.is_some_and(|all| all.contains_key("VRM") || all.contains_key("VRMC_vrm"))
    };
    container::parse_container(bytes).is_ok_and(has)
}

/// The springs and bones of a file.
#[derive(Clone, Debug)]
pub struct VrmFileContent {
    /// The version of the file, or the version for new springs.
    pub version: VrmVersion,
    /// The springs of the file, if it has any.
    pub springs: Option<VrmSprings>,
    /// The bones of the file.
    pub skeleton: Skeleton,
}

/// Reads only the springs and bones of a file.
pub fn read_springs_and_bones(bytes: &[u8], file: &str) -> Result<VrmFileContent, Vec<Diagnostic>> {
    let json =
        container::parse_container(bytes).map_err(|why| vec![Diagnostic::error(Location::file(file), why)])?.json;
    let diagnostics = GltfDiagnostics::new(file);
    let (root, nodes) = GltfNodes::of_document(&json, &diagnostics).map_err(|fault| vec![diagnostics.error(fault)])?;
    let springs = super::read(&root, &nodes).springs;
    Ok(VrmFileContent { version: file_version(&json, springs.as_ref()), springs, skeleton: nodes.skeleton })
}

/// Returns the document without the systems of other solvers and their chains. A document without a VRM system stays
/// unchanged.
fn restricted_to_vrm(document: &Document) -> Document {
    let mut part = document.clone();
    let Setup { systems, chains, .. } = &mut part.setup;
    if systems.values().any(|system| system.solver == SolverKind::Vrm) {
        systems.retain(|_, system| system.solver == SolverKind::Vrm);
        chains.retain(|_, chain| systems.contains_key(&chain.system));
    }
    part
}

/// Converts the springs of the document to the given VRM version. `file` contains the springs of the file that the
/// document was read from. `name` is the file name in messages.
pub fn from_document(
    document: &Document,
    character: &Character,
    version: VrmVersion,
    file: Option<&VrmSprings>,
    name: &str,
) -> (VrmSprings, Vec<Diagnostic>) {
    let full_document = document;
    let document = &restricted_to_vrm(full_document);
    let mut making = SpringsBuilder {
        document,
        character,
        file_springs: file,
        file_name: name,
        springs: VrmSprings::empty(version),
        display_names: file.map_or_else(Vec::new, |file| display_names(file, character)),
        diagnostics: Vec::new(),
    };
    let colliders = making.add_colliders();
    let restored = making.with_restored_groups(&colliders);
    if let Some(document) = &restored {
        making.document = document;
    }
    let document = making.document;
    let groups = making.add_groups(&colliders);
    let owners = document.chains.iter().flat_map(|(id, c)| c.joints.iter().map(|j| (j.bone, *id))).collect();
    for (id, chain) in &document.chains {
        let list = making.chain_groups(chain, &groups, &colliders);
        let mut paths = making.build_paths(chain);
        if version == VrmVersion::V0 {
            paths = making.build_trees(*id, &chain.name, &paths.concat(), &owners);
        }
        for (nth, path) in paths.iter().enumerate() {
            making.add_chain(chain, nth, path, &list);
        }
    }
    making.warn_ungrouped(&colliders);
    for kind in full_document.used_solvers() {
        let count = full_document.chains_with_solver(kind).count();
        if kind != document.main_system().solver && count > 0 {
            making.warn(message!(
                "{count} chains use {kind}; a character file can only store VRM springs",
                count,
                kind = kind.key()
            ));
        }
    }
    (making.springs, making.diagnostics)
}

/// Relative tolerance of numbers. A number within the tolerance of the number in the file keeps the file's value,
/// because conversion to another solver or a table rounds numbers.
const ROUNDING_TOLERANCE: f32 = 4e-6;

struct SpringsBuilder<'a> {
    document: &'a Document,
    character: &'a Character,
    file_springs: Option<&'a VrmSprings>,
    file_name: &'a str,
    springs: VrmSprings,
    display_names: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

impl SpringsBuilder<'_> {
    fn warn(&mut self, message: MessageText) {
        self.diagnostics.push(Diagnostic::warning(Location::file(self.file_name), message));
    }

    fn has_bone(&self, bone: BoneId) -> bool {
        bone.index() < self.character.skeleton.len()
    }

    fn bone_label(&self, bone: BoneId) -> String {
        self.character.skeleton.bones().get(bone.index()).map_or_else(|| "?".to_owned(), |b| excerpt(&b.name))
    }

    /// Returns the index of the file's chain that `chain` was read from. The two chains must share a joint.
    fn source_chain(&self, chain: &yuremono_model::document::Chain, joints: &[VrmSpringJoint]) -> Option<usize> {
        let source = chain.source_index? as usize;
        let shared = |c: &VrmSpringChain| c.joints.iter().any(|a| joints.iter().any(|b| a.bone == b.bone));
        let read = &self.file_springs?.chains;
        let there = read.iter().position(|c| c.file_index == Some(source) && shared(c));
        there.or_else(|| read.iter().position(shared))
    }

    /// Adds one path of a chain. The first path (`nth` is 0) replaces the entry of the file that the chain was read
    /// from.
    fn add_chain(
        &mut self,
        chain: &yuremono_model::document::Chain,
        nth: usize,
        joints: &[VrmSpringJoint],
        groups: &[usize],
    ) {
        let center = chain.center.and_then(|node| match node {
            Node::Bone(bone) => self.has_bone(bone).then_some(bone),
            Node::Helper(_) => None,
        });
        if chain.center.is_some() && center.is_none() {
            self.warn(message!(
                "the center of \"{name}\" is not a bone of the file; the world is used",
                name = excerpt(&chain.name)
            ));
        }
        let old = self.source_chain(chain, joints).zip(self.file_springs);
        // A generated display name is not written to the file.
        let name = match old {
            Some((at, file)) if self.display_names[at] == chain.name => file.chains[at].name.clone(),
            _ => chain.name.clone(),
        };
        let file_index = old.filter(|_| nth == 0).and_then(|(at, file)| file.chains[at].file_index);
        let (joints, collider_groups) = (joints.to_vec(), groups.to_vec());
        self.springs.chains.push(VrmSpringChain { name, file_index, joints, collider_groups, center });
    }
}
