//! From a document under VRM's solver back to the springs of a file.
//!
//! What stands as it was read is given back as the file had it, bit for bit; the rest is said as nearly as the version
//! can, and what it cannot say is told.

use super::document::{placed, shown_names};
use super::{Chain, Collider, ColliderGroup, Joint, Shape, Springs, Tail, Version};
use crate::doc::{self, ColliderId, Document, GroupId, Node, Tip};
use crate::format::gltf::container;
use crate::format::gltf::json::{Json, Notes};
use crate::format::gltf::nodes::Nodes;
use crate::math::Trs;
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Character, Skeleton};
use crate::schema::SolverKind;
use crate::sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, LEAF, STIFFNESS};
use crate::sim::{self, SwingLimit};
use glam::{Affine3A, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// The file `bytes` with the document's springs in place of its own; all else stays as it is, byte for byte. A file that
/// is no VRM takes VRM 1.0's. With it comes what the file's version cannot say. Errors: the file cannot be read, or what
/// would stand in it breaks a rule.
pub fn save(
    bytes: &[u8],
    file: &str,
    document: &Document,
    character: &Character,
) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let InFile { version, springs, skeleton } = in_file(bytes, file)?;
    if skeleton != character.skeleton {
        let message = "its bones are others than those of the open character; reload it first";
        return Err(vec![Diagnostic::error(Place::file(file), message)]);
    }
    let (made, said) = from_document(document, character, version, springs.as_ref(), file);
    if springs.is_none() && made.chains.is_empty() && made.colliders.is_empty() {
        return Ok((bytes.to_vec(), said));
    }
    Ok((super::write(bytes, file, &made)?, said))
}

/// Whether a character's bytes may stand under a name: as text (.gltf) or packed (.glb, .vrm), as they are. Errors: the
/// name says the other.
pub fn check_ending(bytes: &[u8], name: &str) -> Result<(), Diagnostic> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_packed = bytes.starts_with(b"glTF");
    if ending.is_empty() || is_packed != ending.eq_ignore_ascii_case("gltf") {
        return Ok(());
    }
    let (is, expected) = if is_packed { ("packed", ".vrm or .glb") } else { ("text", ".gltf") };
    let message = format!("the character is {is} and stays so; the name was expected to end in {expected}");
    Err(Diagnostic::error(Place::file(name), message))
}

/// What a file holds beside its meshes.
#[derive(Clone, Debug)]
pub struct InFile {
    /// In which it says its springs, or would.
    pub version: Version,
    /// What it says of springs.
    pub springs: Option<Springs>,
    /// Its bones.
    pub skeleton: Skeleton,
}

/// Reads a file's springs and bones, and nothing else of it.
pub fn in_file(bytes: &[u8], file: &str) -> Result<InFile, Vec<Diagnostic>> {
    let json = container::open(bytes).map_err(|why| vec![Diagnostic::error(Place::file(file), why)])?.json;
    let notes = Notes::new(file);
    let root = Json::new(&json, String::new()).map_err(|fault| vec![notes.error(fault)])?;
    let nodes = Nodes::read(&root, &notes).map_err(|fault| vec![notes.error(fault)])?;
    let springs = super::read(&root, &nodes, &notes).springs;
    let has = |name: &str| json["extensions"].get(name).is_some_and(serde_json::Value::is_object);
    let plain = if has("VRM") && !has("VRMC_vrm") { Version::V0 } else { Version::V1 };
    let version = springs.as_ref().map_or(plain, |s| s.version);
    Ok(InFile { version, springs, skeleton: nodes.skeleton.clone() })
}

/// The document's springs for a file of this version. `file` is what the file says now, where the document was read
/// from it; `name` is how messages call it.
pub fn from_document(
    document: &Document,
    character: &Character,
    version: Version,
    file: Option<&Springs>,
    name: &str,
) -> (Springs, Vec<Diagnostic>) {
    let whole = document;
    let document = &*whole.only(SolverKind::Vrm);
    let springs = Springs { version, chains: Vec::new(), colliders: Vec::new(), collider_groups: Vec::new() };
    let places = document.chains.iter().map(|(id, c)| (*id, c.places(&character.skeleton))).collect();
    let shown = file.map_or_else(Vec::new, |file| shown_names(file, character));
    let mut making = Making { document, character, file, name, springs, shown, places, said: Vec::new() };
    let colliders = making.colliders();
    let groups = making.groups(&colliders);
    let owners = document.chains.iter().flat_map(|(id, c)| c.joints.iter().map(|j| (j.bone, *id))).collect();
    for (id, chain) in &document.chains {
        let list = making.groups_of(chain, &groups, &colliders);
        let mut paths = making.paths(*id, chain);
        if version == Version::V0 {
            paths = making.trees(*id, &chain.name, &paths.concat(), &owners);
        }
        for (nth, path) in paths.iter().enumerate() {
            making.chain(chain, nth, path, &list);
        }
    }
    making.tell_ungrouped(&colliders);
    let others = whole.solvers().into_iter().filter(|kind| *kind != document.main().solver);
    for (kind, count) in others.map(|kind| (kind, whole.chains_under(kind).count())).filter(|(_, count)| *count > 0) {
        let message =
            format!("{count} chains move by {}; a character's file holds the springs of VRM alone", kind.key());
        making.said.push(Diagnostic::warning(Place::file(name), message));
    }
    (making.springs, making.said)
}

struct Making<'a> {
    document: &'a Document,
    character: &'a Character,
    file: Option<&'a Springs>,
    name: &'a str,
    springs: Springs,
    /// What lists call the file's chains.
    shown: Vec<String>,
    places: BTreeMap<doc::ChainId, Vec<f32>>,
    said: Vec<Diagnostic>,
}

impl Making<'_> {
    fn say(&mut self, message: String) {
        self.said.push(Diagnostic::warning(Place::file(self.name), message));
    }

    fn bone_name(&self, bone: BoneId) -> String {
        self.character
            .skeleton
            .bones()
            .get(bone.index())
            .map_or_else(|| "?".to_owned(), |b| crate::report::clip(&b.name))
    }

    /// Where each of the document's colliders stands among those that are written.
    fn colliders(&mut self) -> BTreeMap<ColliderId, usize> {
        let mut places = BTreeMap::new();
        for (id, collider) in &self.document.colliders {
            let Some((bone, local)) = self.on_bone(collider.node) else {
                self.say(format!("collider \"{}\" hangs on nothing that is there; it is left out", collider.name));
                continue;
            };
            let Some(shape) = self.shape(collider, bone, local) else {
                self.say(format!("VRM has no shape like collider \"{}\"; it is left out", collider.name));
                continue;
            };
            let plain = matches!(shape, Shape::Sphere { inside: false, .. });
            if self.springs.version == Version::V0 && !plain {
                self.say(format!("VRM 0.x has spheres only; collider \"{}\" is left out", collider.name));
                continue;
            }
            let is_hidden = collider.renderer.as_ref().is_some_and(|mesh| self.document.renderers_off.contains(mesh));
            if !collider.enabled || is_hidden {
                self.say(format!(
                    "collider \"{}\" is off here; VRM has no such switch, so it will push",
                    collider.name
                ));
            }
            let file_index = self.collider_source(collider, bone, shape);
            places.insert(*id, self.springs.colliders.len());
            self.springs.colliders.push(Collider { bone, shape, file_index });
        }
        places
    }

    /// The file's bone that a node hangs on, and the node's place in that bone's space.
    fn on_bone(&self, mut node: Node) -> Option<(BoneId, Affine3A)> {
        let mut local = Affine3A::IDENTITY;
        loop {
            match node {
                Node::Bone(bone) => return (bone.index() < self.character.skeleton.len()).then_some((bone, local)),
                Node::Helper(id) => {
                    let helper = self.document.helpers.get(&id)?;
                    local = helper.local.to_affine() * local;
                    node = helper.parent;
                }
            }
        }
    }

    /// As the file has it where that is still where it stands.
    fn shape(&self, collider: &doc::Collider, bone: BoneId, local: Affine3A) -> Option<Shape> {
        let stands = |shape: Shape| {
            let (at, own) = placed(shape);
            own == collider.shape && same(at, local)
        };
        let source = collider.source.map(|i| i as usize);
        let read = self.file.map_or(&[][..], |file| &file.colliders);
        let old = read.iter().find(|c| c.bone == bone && c.file_index == source && source.is_some() && stands(c.shape));
        old.map(|c| c.shape).or_else(|| shape(collider.shape, local))
    }

    /// The file may have been saved since: what stands at the remembered place must still be on the same bone.
    fn collider_source(&self, collider: &doc::Collider, bone: BoneId, shape: Shape) -> Option<usize> {
        let source = collider.source? as usize;
        let read = &self.file?.colliders;
        let there = read.iter().find(|c| c.file_index == Some(source) && c.bone == bone);
        there.or_else(|| read.iter().find(|c| c.bone == bone && c.shape == shape))?.file_index
    }

    /// As above; a group is known by its name.
    fn group_source(&self, group: &doc::ColliderGroup) -> Option<usize> {
        let source = group.source? as usize;
        let read = &self.file?.collider_groups;
        let there = read.iter().find(|g| g.file_index == Some(source) && g.name == group.name);
        there.or_else(|| read.iter().find(|g| g.file_index == Some(source)))?.file_index
    }

    /// The chain that a chain was read from, by a joint that both have.
    fn chain_source(&self, chain: &doc::Chain, joints: &[Joint]) -> Option<usize> {
        let source = chain.source? as usize;
        let shared = |c: &Chain| c.joints.iter().any(|a| joints.iter().any(|b| a.bone == b.bone));
        let read = &self.file?.chains;
        let there = read.iter().position(|c| c.file_index == Some(source) && shared(c));
        there.or_else(|| read.iter().position(shared))
    }

    /// Where each of the document's groups stands; one that VRM 0.x must split stands in several places, one that was
    /// left without colliders in none, as far as the version forbids it.
    fn groups(&mut self, colliders: &BTreeMap<ColliderId, usize>) -> BTreeMap<GroupId, Vec<usize>> {
        let mut places = BTreeMap::new();
        for (id, group) in &self.document.groups {
            let listed: Vec<usize> = group.colliders.iter().filter_map(|c| colliders.get(c).copied()).collect();
            let source = self.group_source(group);
            let parts = if listed.is_empty() { self.may_be_empty(source).then(Vec::new) } else { None };
            let parts = parts.map_or_else(|| self.by_bone(listed), |none| vec![none]);
            let at = places.entry(*id).or_insert_with(Vec::new);
            for (nth, colliders) in parts.into_iter().enumerate() {
                at.push(self.springs.collider_groups.len());
                let file_index = source.filter(|_| nth == 0);
                self.springs.collider_groups.push(ColliderGroup { name: group.name.clone(), colliders, file_index });
            }
        }
        places
    }

    /// VRM 0.x keeps a group's bone without colliders; VRM 1.0 forbids such groups, but the file may have some.
    fn may_be_empty(&self, source: Option<usize>) -> bool {
        let read = self.file.map_or(&[][..], |file| &file.collider_groups);
        let old = source.and_then(|source| read.iter().find(|g| g.file_index == Some(source)));
        old.is_some_and(|old| self.springs.version == Version::V0 || old.colliders.is_empty())
    }

    /// In VRM 0.x colliders stand in groups only.
    fn tell_ungrouped(&mut self, colliders: &BTreeMap<ColliderId, usize>) {
        if self.springs.version == Version::V1 {
            return;
        }
        let grouped: BTreeSet<usize> =
            self.springs.collider_groups.iter().flat_map(|g| &g.colliders).copied().collect();
        for (id, _) in colliders.iter().filter(|(_, at)| !grouped.contains(at)) {
            let name = &self.document.colliders[id].name;
            self.say(format!("collider \"{name}\" is in no group and pushes nothing; VRM 0.x has no place for it"));
        }
    }

    /// A chain's groups, and new ones for what its joints list beside them.
    fn groups_of(
        &mut self,
        chain: &doc::Chain,
        groups: &BTreeMap<GroupId, Vec<usize>>,
        colliders: &BTreeMap<ColliderId, usize>,
    ) -> Vec<usize> {
        let mut list: Vec<usize> = chain.groups.iter().filter_map(|g| groups.get(g)).flatten().copied().collect();
        let mut seen = BTreeSet::new();
        let own = || chain.joints.iter().flat_map(|j| &j.colliders);
        let all: Vec<usize> = own().filter(|c| seen.insert(**c)).filter_map(|c| colliders.get(c).copied()).collect();
        if chain.joints.iter().any(|j| j.colliders.len() != chain.joints[0].colliders.len()) {
            self.say(format!(
                "in VRM all joints of a chain meet the same colliders; those of \"{}\" get all that one of them has",
                chain.name
            ));
        }
        for part in self.by_bone(all) {
            list.push(self.group_of(&chain.name, part));
        }
        list
    }

    /// In VRM 0.x a group is on one bone.
    fn by_bone(&self, all: Vec<usize>) -> Vec<Vec<usize>> {
        if self.springs.version == Version::V1 {
            return if all.is_empty() { Vec::new() } else { vec![all] };
        }
        let mut parts: Vec<(BoneId, Vec<usize>)> = Vec::new();
        for collider in all {
            let bone = self.springs.colliders[collider].bone;
            match parts.iter_mut().find(|(other, _)| *other == bone) {
                Some((_, part)) => part.push(collider),
                None => parts.push((bone, vec![collider])),
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// A group that has just these colliders, made where there is none.
    fn group_of(&mut self, chain: &str, colliders: Vec<usize>) -> usize {
        let groups = &mut self.springs.collider_groups;
        groups.iter().position(|g| g.colliders == colliders).unwrap_or_else(|| {
            groups.push(ColliderGroup { name: chain.to_owned(), colliders, file_index: None });
            groups.len() - 1
        })
    }

    /// The joints that move, in lists of one chain each: VRM 1.0 knows no forks, VRM 0.x whole trees.
    fn paths(&mut self, id: doc::ChainId, chain: &doc::Chain) -> Vec<Vec<Joint>> {
        let mut paths: Vec<Vec<Joint>> = Vec::new();
        for (at, joint) in chain.joints.iter().enumerate() {
            if joint.bone.index() >= self.character.skeleton.len() {
                self.say(format!("a joint of \"{}\" is on a bone that this file lacks; it is left out", chain.name));
                continue;
            }
            if !joint.enabled {
                let name = self.bone_name(joint.bone);
                self.say(format!("bone \"{name}\" is off here; VRM has no such switch, so it will move"));
            }
            let place = self.places[&id].get(at).copied().unwrap_or(0.0);
            let Some(made) = self.joint(chain, at, place) else { continue };
            let continues = |path: &Vec<Joint>| {
                self.springs.version == Version::V0
                    || path.last().is_some_and(|last| last.tail == Tail::Bone(made.bone))
            };
            match paths.iter_mut().find(|path| continues(path)) {
                Some(path) => path.push(made),
                None => paths.push(vec![made]),
            }
        }
        paths
    }

    /// VRM 0.x moves whole trees: all that is below a root and no other chain's, in the order in which files are read.
    fn trees(
        &mut self,
        id: doc::ChainId,
        name: &str,
        made: &[Joint],
        owners: &BTreeMap<BoneId, doc::ChainId>,
    ) -> Vec<Vec<Joint>> {
        let skeleton = &self.character.skeleton;
        let own: BTreeMap<BoneId, &Joint> = made.iter().map(|joint| (joint.bone, joint)).collect();
        let (mut trees, mut seen) = (Vec::new(), BTreeSet::new());
        let (mut more, mut bent) = (Vec::new(), Vec::new());
        for root in made {
            let (mut tree, mut open) = (Vec::new(), vec![root.bone]);
            while let Some(bone) = open.pop() {
                if owners.get(&bone).is_some_and(|owner| *owner != id) || !seen.insert(bone) {
                    continue;
                }
                let children = skeleton.children(bone);
                open.extend(children.iter().rev());
                let leaf = || skeleton.bone(bone).rest.translation.try_normalize().map(|way| Tail::Offset(way * LEAF));
                let Some(tail) = children.first().map(|child| Tail::Bone(*child)).or_else(leaf) else { continue };
                match own.get(&bone) {
                    Some(joint) if joint.tail != tail => bent.push(bone),
                    Some(_) => {}
                    None => more.push(bone),
                }
                let numbers = own.get(&bone).copied().unwrap_or(root);
                tree.push(Joint { bone, tail, limit: None, ..*numbers });
            }
            if !tree.is_empty() {
                trees.push(tree);
            }
        }
        self.tell_bones(&more, &format!("will move with \"{name}\": VRM 0.x moves all bones below a root"));
        self.tell_bones(&bent, "ends otherwise in VRM 0.x: at its first child, or 7 cm further at a leaf");
        trees
    }

    /// One message for all of them.
    fn tell_bones(&mut self, bones: &[BoneId], what: &str) {
        /// More names than these help nobody.
        const MOST: usize = 12;
        if bones.is_empty() {
            return;
        }
        let names: Vec<_> = bones.iter().take(MOST).map(|bone| format!("\"{}\"", self.bone_name(*bone))).collect();
        let others = bones.len().saturating_sub(MOST);
        let rest = if others > 0 { format!(" and {others} more") } else { String::new() };
        self.say(format!("{}{rest}: {what}", names.join(", ")));
    }

    fn joint(&mut self, chain: &doc::Chain, at: usize, place: f32) -> Option<Joint> {
        let joint = &chain.joints[at];
        let value = |row| chain.value(at, row, place);
        let children = self.character.skeleton.children(joint.bone);
        let tail = match (&joint.tip, self.springs.version) {
            (Tip::Bone(bone), _) => Tail::Bone(*bone),
            (Tip::Children, _) if !children.is_empty() => Tail::Bone(children[0]),
            (Tip::Offset(offset), Version::V0) => Tail::Offset(*offset),
            (Tip::Children, Version::V0) => {
                Tail::Offset(self.character.skeleton.bone(joint.bone).rest.translation.normalize_or_zero() * LEAF)
            }
            (Tip::Offset(_) | Tip::Children, Version::V1) => {
                let name = self.bone_name(joint.bone);
                self.say(format!("bone \"{name}\" ends at no bone; VRM 1.0 needs one there, so it is left out"));
                return None;
            }
        };
        Some(Joint {
            bone: joint.bone,
            tail,
            hit_radius: value(HIT_RADIUS),
            stiffness: value(STIFFNESS),
            gravity_power: value(GRAVITY_POWER),
            gravity_dir: Vec3::from(GRAVITY_DIR.map(value)),
            drag: value(DRAG),
            limit: self.limit(joint),
        })
    }

    fn limit(&mut self, joint: &doc::Joint) -> Option<SwingLimit> {
        let limit = joint.limit?;
        if self.springs.version == Version::V1 {
            return Some(limit);
        }
        let name = self.bone_name(joint.bone);
        self.say(format!("VRM 0.x has no limits; that of bone \"{name}\" is left out"));
        None
    }

    /// The first of a chain's paths takes the place of the chain that it was read from.
    fn chain(&mut self, chain: &doc::Chain, nth: usize, joints: &[Joint], groups: &[usize]) {
        let center = chain.center.and_then(|node| match node {
            Node::Bone(bone) => (bone.index() < self.character.skeleton.len()).then_some(bone),
            Node::Helper(_) => None,
        });
        if chain.center.is_some() && center.is_none() {
            self.say(format!("the center of \"{}\" is no bone of the file; the world is used", chain.name));
        }
        let old = self.chain_source(chain, joints).zip(self.file);
        // A name that was only made up for the list is not written.
        let name = match old {
            Some((at, file)) if self.shown[at] == chain.name => file.chains[at].name.clone(),
            _ => chain.name.clone(),
        };
        let file_index = old.filter(|_| nth == 0).and_then(|(at, file)| file.chains[at].file_index);
        let (joints, collider_groups) = (joints.to_vec(), groups.to_vec());
        self.springs.chains.push(Chain { name, file_index, joints, collider_groups, center });
    }
}

/// Whether a node stands where it was put.
fn same(at: Trs, local: Affine3A) -> bool {
    at.to_affine() == local
}

/// A shape that was made or moved here; `None` where VRM has no such thing.
fn shape(shape: sim::Shape, local: Affine3A) -> Option<Shape> {
    let scale = local.matrix3.determinant().abs().cbrt();
    // A turn is no scale, though its matrix is rounded.
    let scale = if (scale - 1.0).abs() < 1e-5 { 1.0 } else { scale };
    let offset = Vec3::from(local.translation);
    let tail = |height: f32| local.transform_point3(Vec3::Y * height);
    match shape {
        sim::Shape::Sphere { radius } => Some(Shape::Sphere { offset, radius: radius * scale, inside: false }),
        sim::Shape::InsideSphere { radius } => Some(Shape::Sphere { offset, radius: radius * scale, inside: true }),
        sim::Shape::Capsule { radius, height } => {
            Some(Shape::Capsule { offset, tail: tail(height), radius: radius * scale, inside: false })
        }
        sim::Shape::InsideCapsule { radius, height } => {
            Some(Shape::Capsule { offset, tail: tail(height), radius: radius * scale, inside: true })
        }
        sim::Shape::Plane => {
            let normal = local.matrix3.inverse().transpose() * Vec3::Z;
            Some(Shape::Plane { offset, normal: normal.normalize_or(Vec3::Z) })
        }
        _ => None,
    }
}
