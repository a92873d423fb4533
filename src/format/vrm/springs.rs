//! From a document under VRM's solver back to the springs of a file.
//!
//! What stands as it was read is given back as the file had it, bit for bit; the rest is said as nearly as the version
//! can, and what it cannot say is told.

mod colliders;
mod joints;

use super::document::display_names;
use super::{VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion};
use crate::diagnostics::{Diagnostic, Location};
use crate::document::{Document, Node, Setup};
use crate::format::gltf_json::container;
use crate::format::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use crate::rig::{BoneId, Character, Skeleton};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

/// The file `bytes` with the document's springs in place of its own; all else stays as it is, byte for byte. A file that
/// is no VRM takes VRM 1.0's. With it comes what the file's version cannot say. Errors: the file cannot be read, or what
/// would stand in it breaks a rule.
pub fn save_springs(
    bytes: &[u8],
    file: &str,
    document: &Document,
    character: &Character,
) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let VrmFileContent { version, springs, skeleton } = read_springs_and_bones(bytes, file)?;
    if skeleton != character.skeleton {
        let message = "its bones are others than those of the open character; reload it first";
        return Err(vec![Diagnostic::error(Location::file(file), message)]);
    }
    let (made, said) = from_document(document, character, version, springs.as_ref(), file);
    if springs.is_none() && made.chains.is_empty() && made.colliders.is_empty() {
        return Ok((bytes.to_vec(), said));
    }
    Ok((super::write(bytes, file, &made)?, said))
}

/// Whether a character's bytes may be saved under a name: as text (.gltf) or packed (.glb, .vrm), as they are, and as .vrm
/// only with a VRM extension. Errors: the name promises something else.
pub fn check_extension(bytes: &[u8], name: &str) -> Result<(), Diagnostic> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_packed = container::is_glb(bytes);
    if is_packed && ending.eq_ignore_ascii_case("vrm") && !has_vrm_extension(bytes) {
        let message = "the character has no VRM extension (VRM or VRMC_vrm), so the file would not be a VRM; \
                       give it a name that ends in .glb";
        return Err(Diagnostic::error(Location::file(name), message));
    }
    if ending.is_empty() || is_packed != ending.eq_ignore_ascii_case("gltf") {
        return Ok(());
    }
    let (is, expected) = if is_packed { ("packed", ".vrm or .glb") } else { ("text", ".gltf") };
    let message = format!("the character is {is} and stays so; the name was expected to end in {expected}");
    Err(Diagnostic::error(Location::file(name), message))
}

fn has_vrm_extension(bytes: &[u8]) -> bool {
    let has = |file: container::GltfContainer<'_>| {
        let extensions = file.json["extensions"].as_object();
        extensions.is_some_and(|all| all.contains_key("VRM") || all.contains_key("VRMC_vrm"))
    };
    container::parse_container(bytes).is_ok_and(has)
}

/// What a file holds beside its meshes.
#[derive(Clone, Debug)]
pub struct VrmFileContent {
    /// In which it says its springs, or would.
    pub version: VrmVersion,
    /// What it says of springs.
    pub springs: Option<VrmSprings>,
    /// Its bones.
    pub skeleton: Skeleton,
}

/// Reads a file's springs and bones, and nothing else of it.
pub fn read_springs_and_bones(bytes: &[u8], file: &str) -> Result<VrmFileContent, Vec<Diagnostic>> {
    let json =
        container::parse_container(bytes).map_err(|why| vec![Diagnostic::error(Location::file(file), why)])?.json;
    let notes = GltfDiagnostics::new(file);
    let root = JsonObject::new(&json, String::new()).map_err(|fault| vec![notes.error(fault)])?;
    let nodes = GltfNodes::read(&root, &notes).map_err(|fault| vec![notes.error(fault)])?;
    let springs = super::read(&root, &nodes, &notes).springs;
    let has = |name: &str| json["extensions"].get(name).is_some_and(serde_json::Value::is_object);
    let plain = if has("VRM") && !has("VRMC_vrm") { VrmVersion::V0 } else { VrmVersion::V1 };
    let version = springs.as_ref().map_or(plain, |s| s.version);
    Ok(VrmFileContent { version, springs, skeleton: nodes.skeleton.clone() })
}

/// A document without the systems of other solvers and their chains; unchanged where it has no VRM system.
fn restricted_to_vrm(document: &Document) -> Document {
    let mut part = document.clone();
    let Setup { systems, chains, .. } = &mut part.setup;
    if systems.values().any(|system| system.solver == SolverKind::Vrm) {
        systems.retain(|_, system| system.solver == SolverKind::Vrm);
        chains.retain(|_, chain| systems.contains_key(&chain.system));
    }
    part
}

/// The document's springs for a file of this version. `file` is what the file says now, where the document was read
/// from it; `name` is how messages call it.
pub fn from_document(
    document: &Document,
    character: &Character,
    version: VrmVersion,
    file: Option<&VrmSprings>,
    name: &str,
) -> (VrmSprings, Vec<Diagnostic>) {
    let full_document = document;
    let document = &restricted_to_vrm(full_document);
    let springs = VrmSprings { version, chains: Vec::new(), colliders: Vec::new(), collider_groups: Vec::new() };
    let places = document.chains.iter().map(|(id, c)| (*id, c.curve_positions(&character.skeleton))).collect();
    let shown = file.map_or_else(Vec::new, |file| display_names(file, character));
    let mut making = SpringsBuilder {
        document,
        character,
        file_springs: file,
        file_name: name,
        springs,
        display_names: shown,
        joint_positions: places,
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
        let mut paths = making.build_paths(*id, chain);
        if version == VrmVersion::V0 {
            paths = making.build_trees(*id, &chain.name, &paths.concat(), &owners);
        }
        for (nth, path) in paths.iter().enumerate() {
            making.add_chain(chain, nth, path, &list);
        }
    }
    making.warn_ungrouped(&colliders);
    let others = full_document.used_solvers().into_iter().filter(|kind| *kind != document.main_system().solver);
    for (kind, count) in
        others.map(|kind| (kind, full_document.chains_with_solver(kind).count())).filter(|(_, count)| *count > 0)
    {
        let message =
            format!("{count} chains move by {}; a character's file holds the springs of VRM alone", kind.key());
        making.diagnostics.push(Diagnostic::warning(Location::file(name), message));
    }
    (making.springs, making.diagnostics)
}

/// Numbers of a file that differ by less than this share stay as the file has them: the way through another solver or a
/// table rounds.
const ROUNDING_TOLERANCE: f32 = 4e-6;

struct SpringsBuilder<'a> {
    document: &'a Document,
    character: &'a Character,
    file_springs: Option<&'a VrmSprings>,
    file_name: &'a str,
    springs: VrmSprings,
    /// What lists call the file's chains.
    display_names: Vec<String>,
    joint_positions: BTreeMap<crate::document::ChainId, Vec<f32>>,
    diagnostics: Vec<Diagnostic>,
}

impl SpringsBuilder<'_> {
    fn warn(&mut self, message: String) {
        self.diagnostics.push(Diagnostic::warning(Location::file(self.file_name), message));
    }

    fn bone_label(&self, bone: BoneId) -> String {
        self.character
            .skeleton
            .bones()
            .get(bone.index())
            .map_or_else(|| "?".to_owned(), |b| crate::diagnostics::excerpt(&b.name))
    }

    /// The chain that a chain was read from, by a joint that both have.
    fn source_chain(&self, chain: &crate::document::Chain, joints: &[VrmSpringJoint]) -> Option<usize> {
        let source = chain.source_index? as usize;
        let shared = |c: &VrmSpringChain| c.joints.iter().any(|a| joints.iter().any(|b| a.bone == b.bone));
        let read = &self.file_springs?.chains;
        let there = read.iter().position(|c| c.file_index == Some(source) && shared(c));
        there.or_else(|| read.iter().position(shared))
    }

    /// The first of a chain's paths takes the place of the chain that it was read from.
    fn add_chain(&mut self, chain: &crate::document::Chain, nth: usize, joints: &[VrmSpringJoint], groups: &[usize]) {
        let center = chain.center.and_then(|node| match node {
            Node::Bone(bone) => (bone.index() < self.character.skeleton.len()).then_some(bone),
            Node::Helper(_) => None,
        });
        if chain.center.is_some() && center.is_none() {
            self.warn(format!("the center of \"{}\" is no bone of the file; the world is used", chain.name));
        }
        let old = self.source_chain(chain, joints).zip(self.file_springs);
        // A name that was only made up for the list is not written.
        let name = match old {
            Some((at, file)) if self.display_names[at] == chain.name => file.chains[at].name.clone(),
            _ => chain.name.clone(),
        };
        let file_index = old.filter(|_| nth == 0).and_then(|(at, file)| file.chains[at].file_index);
        let (joints, collider_groups) = (joints.to_vec(), groups.to_vec());
        self.springs.chains.push(VrmSpringChain { name, file_index, joints, collider_groups, center });
    }
}
